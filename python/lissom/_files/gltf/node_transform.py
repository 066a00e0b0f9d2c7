# SPDX-License-Identifier: MIT
"""The local transform of a node: translation, rotation and scale, or a matrix decomposed into them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.numbers import LARGEST
from lissom._files.gltf.largest import refuse_larger
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.schema import Node

Float: TypeAlias = NDArray[np.float64]

# How far from 1 the length of a quaternion may be before it is a fault: glTF-Validator's own limit, for a
# rotation whose components are stored with three decimals.
UNIT_TOLERANCE = 0.00769
# The most by which the length of a unit quaternion changes when it is stored as float32 in the shortest
# decimals: one within this is kept as it is, so that saving and loading preserves its bits.
ROUNDING = 3e-7
# Shear of a matrix that is a fault, as a fraction of its largest scale: products of exporters in float32 stay
# a hundred times below.
SHEAR_TOLERANCE = 1e-4

_ORIGIN, _NO_TURN, _ONE = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0, 1.0), (1.0, 1.0, 1.0)


def local_transforms(nodes: list[Node], numbers: list[int], log: Log) -> Float:
    """Return the local transforms of some nodes.

    Parameters
    ----------
    nodes : list of Node
        All nodes of the file.
    numbers : list of int
        Indices of the nodes to return.

    Returns
    -------
    ndarray of float64, shape (len(numbers), 10)
        Translation, rotation xyzw of unit length, scale.
    """
    chosen = [nodes[number] for number in numbers]
    stated = [(node.translation or _ORIGIN, node.rotation or _NO_TURN, node.scale or _ONE) for node in chosen]
    result = np.array([(*moved, *turned, *scaled) for moved, turned, scaled in stated] or np.zeros((0, 10)))
    if _core.plain_normalize_rotations(result, LARGEST, UNIT_TOLERANCE, ROUNDING) is None:
        for columns, name in (
            (slice(0, 3), "translation"),
            (slice(3, 7), "rotation"),
            (slice(7, 10), "scale"),
        ):
            bad = (np.abs(result[:, columns]) > LARGEST).any(axis=1)
            if bad.any():
                row = int(bad.argmax())
                refuse_larger(result[row, columns], f"/nodes/{numbers[row]}/{name}")
        _normalize(result, numbers, log)
    for row, node in enumerate(chosen):
        if node.matrix is not None:
            result[row] = _from_matrix(node, numbers[row], log)
    return result


def _normalize(trs: Float, numbers: list[int], log: Log) -> None:
    """Normalise rotations in place; one that is off by more than `UNIT_TOLERANCE` is a fault."""
    lengths = np.linalg.norm(trs[:, 3:7], axis=1)
    for row in np.flatnonzero(np.abs(lengths - 1) > UNIT_TOLERANCE):
        log.mend(
            "ROTATION_NON_UNIT",
            f"/nodes/{numbers[row]}/rotation",
            f"the rotation must be of unit length, got length {lengths[row]:.6g}; it was "
            + ("normalised" if lengths[row] > 0 else "replaced by the identity"),
        )
    trs[lengths == 0, 3:7] = (0, 0, 0, 1)
    rough = (np.abs(lengths - 1) > ROUNDING) & (lengths > 0)
    trs[rough, 3:7] /= lengths[rough, None]


def _from_matrix(node: Node, number: int, log: Log) -> Float:
    pointer = f"/nodes/{number}"
    if any(part is not None for part in (node.translation, node.rotation, node.scale)):
        refuse(
            "NODE_MATRIX_TRS",
            pointer,
            "the node must have a matrix or translation, rotation and scale, got both",
        )
    assert node.matrix is not None
    matrix = np.array(node.matrix).reshape(4, 4).T  # column-major in the file
    refuse_larger(matrix, f"{pointer}/matrix")
    return _decompose(matrix, f"{pointer}/matrix", log)


def _decompose(matrix: Float, pointer: str, log: Log) -> Float:
    """Decompose a matrix: the rotation is that of its polar decomposition, a mirror is in x."""
    if np.abs(matrix[3] - (0, 0, 0, 1)).max() > 1e-6:
        log.mend(
            "NODE_MATRIX_NON_TRS", pointer, "the last row of the matrix must be 0 0 0 1; it was replaced"
        )
    linear = matrix[:3, :3].copy()
    mirror = -1.0 if np.linalg.det(linear) < 0 else 1.0
    linear[:, 0] *= mirror
    u, _, vt = np.linalg.svd(linear)
    rotation = u @ vt
    if np.linalg.det(rotation) < 0:  # a singular matrix: the sign of its null direction is arbitrary
        u[:, 2] *= -1
        rotation = u @ vt
    stretch = rotation.T @ linear
    shear = np.abs(stretch - np.diag(np.diag(stretch))).max()
    if shear > SHEAR_TOLERANCE * max(np.abs(stretch).max(), 1e-30):
        log.mend(
            "NODE_MATRIX_NON_TRS",
            pointer,
            f"the matrix must not shear, which translation, rotation and scale cannot hold, got shear of"
            f" {shear:.3g}; it was dropped",
        )
    scale = np.diag(stretch) * (mirror, 1, 1)
    return np.concatenate([matrix[:3, 3], _quaternion(rotation), scale])


def _quaternion(rotation: Float) -> Float:
    """Return the unit quaternion xyzw of a rotation matrix: an eigenvector, accurate at any angle.

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
