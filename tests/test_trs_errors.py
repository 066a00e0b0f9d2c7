# SPDX-License-Identifier: MIT
import numpy as np
import pytest

from lissom import trs

IDENTITY = trs.identity()
INFINITE = np.eye(4)
INFINITE[1, 2] = np.inf
PRECISION = "must have the precision of the result, float32, got float64; it is never converted"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trs.translation(1.0), r"^trs.translation: trs must have shape \(..., 10\), got \(\)$"),
        (lambda: trs.rotation(np.zeros(7)), r"^trs.rotation: trs must have shape \(..., 10\), got \(7,\)$"),
        (lambda: trs.scale(np.zeros((10, 3))), r"^trs.scale: trs must have shape \(..., 10\), got"),
        (lambda: trs.from_parts(scale=2.0), r"_parts: scale must have shape \(..., 3\), got \(\)"),
        (lambda: trs.from_parts([0, 0, 0], [1, 0, 0]), r"parts: rotation must have shape \(..., 4\), got"),
        (
            lambda: trs.from_parts(np.zeros((2, 3)), scale=np.ones((3, 3))),
            r"trs.from_parts: leading axes must broadcast, got translation \(2,\), rotation \(\), sc",
        ),
        (lambda: trs.compose(np.zeros(9), IDENTITY), r"compose: a must have shape \(..., 10\), got \(9,\)"),
        (
            lambda: trs.compose(trs.identity(2), trs.identity(3), nearest=True),
            r"trs.compose: leading axes must broadcast, got a \(2,\), b \(3,\)",
        ),
        (
            lambda: trs.compose([IDENTITY, np.full(10, np.nan)], IDENTITY, nearest=True),
            r"^trs.compose: a times b must be finite, got NaN or infinity at index 1$",
        ),
        (
            lambda: trs.inverse(np.full(10, np.nan), nearest=True),
            r"^trs.inverse: the inverse of trs must be finite, got NaN or infinity$",
        ),
        (
            lambda: trs.compose(IDENTITY, IDENTITY, nearest=True, out=trs.identity(2)),
            r"trs.compose: out must have shape \(10,\), got \(2, 10\)",
        ),
        (lambda: trs.inverse(np.zeros(3)), r"trs.inverse: trs must have shape \(..., 10\), got \(3,\)"),
        (lambda: trs.lerp(trs.identity(2), IDENTITY, [0.5] * 3), r"lerp: leading axes must broadcast, got a"),
        (lambda: trs.transform_point(IDENTITY, [1, 2]), r"_point: p must have shape \(..., 3\), got \(2,\)"),
        (lambda: trs.transform_vector([1], [1, 2, 3]), r"vector: trs must have shape \(..., 10\), got \(1"),
        (lambda: trs.to_matrix(np.zeros((3, 9))), r"to_matrix: trs must have shape \(..., 10\), got \(3,"),
        (lambda: trs.from_matrix(np.eye(3)), r"from_matrix: matrix must have shape \(..., 4, 4\), got \(3,"),
        (
            lambda: trs.from_matrix(np.full((4, 4), np.nan)),
            r"^trs.from_matrix: matrix must be finite, got NaN or infinity$",
        ),
        (
            lambda: trs.from_matrix([[np.eye(4), INFINITE]], return_shear=True),
            r"matrix must be finite, got NaN or infinity at index \(0, 1\)$",
        ),
        (
            lambda: trs.from_matrix([np.eye(4), 2 * np.eye(4)]),
            r"^trs.from_matrix: matrix must have the last row 0, 0, 0, 1, got 0, 0, 0, 2 at index 1; "
            "transpose matrices of row vectors$",
        ),
        (
            lambda: trs.from_matrix(np.eye(4), out=np.zeros((2, 10))),
            r"trs.from_matrix: out must have shape \(10,\), got \(2, 10\)",
        ),
    ],
)  # fmt: skip
def test_refuses_values(call, message):
    with pytest.raises(ValueError, match=message):
        call()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trs.identity(2, np.int32), "^trs.identity: dtype must be float32 or float64, got int32$"),
        (lambda: trs.scale(None), "^trs.scale: trs must be an array of real numbers, got object$"),
        (lambda: trs.from_parts("moved"), "translation must be an array of real numbers, got <U5"),
        (lambda: trs.compose(IDENTITY, None), "trs.compose: b must be an array of real numbers, got object"),
        (lambda: trs.compose(IDENTITY, None, nearest=True), "compose: b must be an array of real"),
        (
            lambda: trs.compose(IDENTITY, IDENTITY, nearest=True, out=np.zeros(10)),
            f"trs.compose: out {PRECISION}",
        ),
        (lambda: trs.compose(IDENTITY, IDENTITY, out=np.zeros(10)), f"trs.compose: out {PRECISION}"),
        (lambda: trs.inverse(IDENTITY, out=np.zeros(10)), f"trs.inverse: out {PRECISION}"),
        (lambda: trs.lerp(IDENTITY, IDENTITY, 1j), "trs.lerp: t must be an array of real numbers"),
        (lambda: trs.to_matrix(None), "trs.to_matrix: trs must be an array of real numbers, got object"),
        (lambda: trs.from_matrix(1j * np.eye(4)), "matrix must be an array of real numbers, got complex128"),
        (lambda: trs.from_matrix(np.eye(4, dtype=np.float32), out=np.zeros(10)), f"out {PRECISION}"),
        (
            lambda: trs.from_matrix(np.eye(4), return_shear=True, out=np.zeros(10)),
            "trs.from_matrix: out must be a tuple of 2 arrays, got ndarray",
        ),
    ],
)  # fmt: skip
def test_refuses_types(call, message):
    with pytest.raises(TypeError, match=message):
        call()


@pytest.mark.parametrize("options", [{}, {"nearest": True}])
def test_read_only_out_is_refused(options):
    out = np.zeros(10, np.float32)
    out.flags.writeable = False
    with pytest.raises(ValueError, match=r"trs.inverse: out must be writeable, got a read-only array"):
        trs.inverse(IDENTITY, **options, out=out)
