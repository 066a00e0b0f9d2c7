# SPDX-License-Identifier: MIT
"""The local transform of a node: translation, rotation and scale, or a matrix taken apart into them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom.files.gltf.log import Log, refuse
from lissom.files.gltf.schema import Node

Float: TypeAlias = NDArray[np.float64]

# How far from 1 the length of a quaternion may be before it is a fault: glTF-Validator's own limit, for a
# rotation whose components are stored with three decimals.
UNIT_TOLERANCE = 0.00769
# Shear that a matrix may hold before it is a fault, as a fraction of its largest scale: float32 products of
# exporters stay two decades below.
SHEAR_TOLERANCE = 1e-4
_LARGEST = float(np.finfo(np.float32).max)


def local_transform(node: Node, index: int, log: Log) -> Float:
    """Local transform of a node, shape (10,): translation, rotation xyzw of unit length, scale."""
    pointer = f"/nodes/{index}"
    trs = (node.translation, node.rotation, node.scale)
    if node.matrix is not None:
        if any(part is not None for part in trs):
            refuse(
                "NODE_MATRIX_TRS",
                pointer,
                "the node has both a matrix and translation, rotation or scale; it may have one",
            )
        matrix = np.array(node.matrix).reshape(4, 4).T  # column-major in the file
        _check_range(matrix, f"{pointer}/matrix")
        return _decompose(matrix, f"{pointer}/matrix", log)
    result = np.array([0, 0, 0, 0, 0, 0, 1, 1, 1, 1], np.float64)
    for part, place, name in zip(
        trs, (slice(0, 3), slice(3, 7), slice(7, 10)), ("translation", "rotation", "scale"), strict=True
    ):
        if part is not None:
            result[place] = part
            _check_range(result[place], f"{pointer}/{name}")
    length = float(np.linalg.norm(result[3:7]))
    if abs(length - 1) > UNIT_TOLERANCE:
        log.mend(
            "ROTATION_NON_UNIT",
            f"{pointer}/rotation",
            f"the rotation has length {length:.6g}; it was "
            + ("normalised" if length > 0 else "replaced by the identity"),
        )
    result[3:7] = result[3:7] / length if length > 0 else (0, 0, 0, 1)
    return result


def local_matrix(trs: Float) -> Float:
    """Matrix (4, 4) of one local transform, in float64."""
    x, y, z, w = trs[3:7]
    matrix = np.zeros((4, 4))
    matrix[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    matrix[:3, :3] *= trs[7:10]
    matrix[:3, 3] = trs[:3]
    matrix[3, 3] = 1
    return matrix


def _check_range(values: Float, pointer: str) -> None:
    if not (np.abs(values) <= _LARGEST).all():
        refuse("VALUE_NOT_IN_RANGE", pointer, "a number here does not fit single precision")


def _decompose(matrix: Float, pointer: str, log: Log) -> Float:
    """Take a matrix apart: the rotation of its polar decomposition, a mirror in x."""
    if np.abs(matrix[3] - (0, 0, 0, 1)).max() > 1e-6:
        log.mend(
            "NODE_MATRIX_NON_TRS", pointer, "the last row of the matrix is not 0 0 0 1; it was taken to be"
        )
    linear = matrix[:3, :3].copy()
    mirror = -1.0 if np.linalg.det(linear) < 0 else 1.0
    linear[:, 0] *= mirror
    u, _, vt = np.linalg.svd(linear)
    rotation = u @ vt
    if np.linalg.det(rotation) < 0:  # a singular matrix: the direction without size may point either way
        u[:, 2] *= -1
        rotation = u @ vt
    stretch = rotation.T @ linear
    shear = np.abs(stretch - np.diag(np.diag(stretch))).max()
    if shear > SHEAR_TOLERANCE * max(np.abs(stretch).max(), 1e-30):
        log.mend(
            "NODE_MATRIX_NON_TRS",
            pointer,
            f"the matrix shears by {shear:.3g}, which translation, rotation and scale cannot hold; it was"
            f" dropped",
        )
    scale = np.diag(stretch) * (mirror, 1, 1)
    return np.concatenate([matrix[:3, 3], _quaternion(rotation), scale])


def _quaternion(rotation: Float) -> Float:
    """Turn a rotation matrix into a unit quaternion xyzw: an eigenvector, good at any angle.

    I. Y. Bar-Itzhack, "New method for extracting the quaternion from a rotation matrix", JGCD 23(6), 2000.
    """
    (a, b, c), (d, e, f), (g, h, i) = rotation
    k = np.array(
        [
            [a - e - i, d + b, g + c, h - f],
            [d + b, e - a - i, h + f, c - g],
            [g + c, h + f, i - a - e, d - b],
            [h - f, c - g, d - b, a + e + i],
        ]
    )
    _, vectors = np.linalg.eigh(k)
    quaternion: Float = vectors[:, -1]
    return -quaternion if quaternion[3] < 0 else quaternion
