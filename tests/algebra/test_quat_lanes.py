# SPDX-License-Identifier: MIT
"""Sine, cosine and arc tangent of the core, through functions that show them bare; all instruction sets."""

import os
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest

from lissom import _core, quat

DTYPES = [np.float32, np.float64]


def exact_sincos(angles):
    """In extended precision, where the machine has it; mpmath answers for it below."""
    wide = angles.astype(np.longdouble)
    return np.sin(wide), np.cos(wide)


def ulps(got, exact):
    """How many last places of its own type `got` is off."""
    spacing = np.spacing(np.abs(exact).astype(got.dtype)).astype(np.longdouble)
    return np.abs(got.astype(np.longdouble) - exact) / spacing


def sincos(angles):
    q = quat.from_axis_angle(np.array([0, 0, 1], angles.dtype), 2 * angles)
    return q[..., 2], q[..., 3]


def angles_to_try(dtype):
    rng = np.random.default_rng(6)
    info = np.finfo(dtype)
    quarter = np.longdouble(np.pi) / 2 + np.longdouble(6.123233995736766e-17)
    turns = rng.integers(-600000, 600001, 60000)
    turns[:20000] %= 41
    turns[20000:40000] %= 600
    near = (turns * quarter).astype(dtype)
    return np.concatenate(
        [
            near + rng.integers(-40, 41, near.size) * np.spacing(near),
            rng.uniform(-1, 1, 60000),
            rng.uniform(-900, 900, 60000),
            rng.uniform(-2e6, 2e6, 2000),
            np.exp(rng.uniform(np.log(float(info.tiny)), np.log(float(info.max) / 4), 20000)),
            info.smallest_subnormal * rng.integers(0, 10000, 1000).astype(dtype),
        ]
    ).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_sines_and_cosines_are_right_to_an_ulp(dtype):
    if np.finfo(np.longdouble).nmant < 60:
        pytest.skip("long double is no wider than double here")
    angles = angles_to_try(dtype)
    for got, exact in zip(sincos(angles), exact_sincos(angles), strict=True):
        assert got.dtype == dtype
        assert ulps(got, exact).max() < 1.1


@pytest.mark.parametrize("dtype", DTYPES)
def test_sines_and_cosines_match_mpmath(dtype):
    angles = angles_to_try(dtype)[::400]
    with mpmath.workprec(1400):  # as many bits as the largest numbers have before the point
        exact = [(mpmath.sin(float(a)), mpmath.cos(float(a))) for a in angles]
    for got, values in zip(sincos(angles), zip(*exact, strict=True), strict=True):
        for number, value in zip(got, values, strict=True):
            spacing = float(np.spacing(np.abs(dtype(value))))
            assert abs(mpmath.mpf(float(number)) - value) <= 1.1 * spacing


@pytest.mark.parametrize("dtype", DTYPES)
def test_sines_of_zeros_and_infinities(dtype):
    sine, cosine = sincos(np.array([0.0, -0.0, np.inf, -np.inf, np.nan], dtype))
    np.testing.assert_array_equal(np.signbit(sine[:2]), [False, True])
    np.testing.assert_array_equal(sine, [0, 0, np.nan, np.nan, np.nan])
    np.testing.assert_array_equal(cosine, [1, 1, np.nan, np.nan, np.nan])


@pytest.mark.parametrize("dtype", DTYPES)
def test_arc_tangents_are_right_to_an_ulp_and_a_half(dtype):
    if np.finfo(np.longdouble).nmant < 60:
        pytest.skip("long double is no wider than double here")
    rng = np.random.default_rng(7)
    info = np.finfo(dtype)
    slopes = [
        np.tan(rng.uniform(0, np.pi / 2, 60000)),
        np.exp(rng.uniform(np.log(float(info.tiny)) + 2, np.log(float(info.max)) - 2, 20000)),
        *(bound * rng.uniform(0.999, 1.001, 10000) for bound in (0.25, 0.41421356, 0.66, 1, 1.5, 2.41421356)),
    ]
    y = np.concatenate(slopes).astype(dtype)
    for scale in [1, info.tiny * 16, info.max / 16]:
        height = (np.minimum(y, 1) * dtype(scale)).astype(dtype)
        width = (np.minimum(1 / y, 1) * dtype(scale)).astype(dtype)
        zero = np.zeros_like(y)
        angle = quat.to_axis_angle(np.stack([height, zero, zero, width], -1))[1]
        exact = 2 * np.arctan2(height.astype(np.longdouble), width.astype(np.longdouble))
        keep = np.abs(exact) > 4 * info.tiny
        assert ulps(angle, exact)[keep].max() < 1.55
    # Of every quadrant: with d = 0 in euler_from(), the first angle is the arc tangent of 2 x / (w - y).
    turn = rng.uniform(-np.pi, np.pi, 60000)
    height, width = np.sin(turn).astype(dtype), np.cos(turn).astype(dtype)
    y, w = np.where(width < 0, -2 * width, 0), np.abs(width)
    q = np.stack([height / 2, y, height / 2, w], -1)
    angle = quat.to_euler(q, "xyz")[:, 0]
    steep = np.abs(turn) < np.pi - 1e-3  # near pi the two arc tangents' sum may wrap round
    exact = np.arctan2(height.astype(np.longdouble), width.astype(np.longdouble))
    assert ulps(angle, exact)[steep].max() < 1.55


EVERYTHING = """
import sys
import numpy as np
from lissom import quat
rng = np.random.default_rng(1)
results = []
for dtype in (np.float32, np.float64):
    q, v, w = (rng.normal(size=(1003, n)).astype(dtype) for n in (4, 3, 3))
    matrix = quat.to_matrix(quat.from_rotation_vector(v))
    results += [
        quat.from_rotation_vector(v), quat.to_rotation_vector(q), quat.from_axis_angle(v, 100 * w[:, 0]),
        *quat.to_axis_angle(q), matrix, quat.from_matrix(matrix), quat.from_euler("xyz", v),
        quat.to_euler(q, "ZXZ"), quat.to_euler(q, "xyz"), quat.from_to(v, w), quat.look_rotation(v, w),
        *quat.swing_twist(q, v),
    ]
with open(sys.argv[1], "wb") as file:
    for result in results:
        file.write(result.tobytes())
"""


def test_instruction_sets_agree_to_the_bit(tmp_path: Path):
    found = {}
    for isa in _core.runnable_isas():
        file = tmp_path / isa
        environment = {**os.environ, "LISSOM_ISA": isa}
        subprocess.run([sys.executable, "-c", EVERYTHING, str(file)], env=environment, check=True)
        found[isa] = file.read_bytes()
    first = next(iter(found.values()))
    assert len(first) > 100000
    for isa, data in found.items():
        assert data == first, isa
