# SPDX-License-Identifier: MIT
"""Something to look at where a character has no mesh: a slim octahedron from each joint to its children."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._rig.mesh import Mesh, Part
from lissom._rig.skin import Skin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.skeleton import Skeleton

__all__ = ["COLOR", "bone_triangles", "skeleton_mesh"]

COLOR = (0.16, 0.27, 0.40, 1.0)  # linear light
WAIST = 0.18  # where along a bone it is widest
THICKNESS = 0.09  # of its length, to each side
FLAT = 1e-6  # smallest axis of a joint, of its largest, that float32 matrices can undo
KNOB = 0.012  # of the skeleton's extent: joints without children

# Faces of an octahedron over its corners: tail, four around the waist, head.
_FACES = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]])


def skeleton_mesh(skeleton: Skeleton) -> tuple[Mesh, Skin]:
    """Return a mesh that shows a skeleton, and the skin that moves it.

    Parameters
    ----------
    skeleton : Skeleton
        With at least one joint.

    Returns
    -------
    mesh : Mesh
        Rest pose, model space; every vertex follows one joint.
    skin : Skin
        One row per joint.
    """
    model = np.asarray(skeleton.model_matrices(skeleton.rest), np.float64)
    vertices, owners = bone_triangles(model[:, :3, 3], skeleton.parents)
    count = len(vertices)
    mesh = Mesh(
        vertices,
        np.arange(count).reshape(-1, 3),
        np.repeat(owners, _FACES.size)[:, None],
        np.ones((count, 1)),
        parts=[Part("skeleton", slice(0, count), slice(0, count // 3), base_color=COLOR)],
    )
    # A joint without size at rest: its vertices keep their places around it, whatever the unit of length.
    axes = np.linalg.svd(model[:, :3, :3], compute_uv=False)
    model[axes[:, 2] <= FLAT * axes[:, 0], :3, :3] = np.eye(3)
    return mesh, Skin(np.arange(len(skeleton)), np.linalg.inv(model))


def bone_triangles(
    places: NDArray[np.float64], parents: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the octahedra of bones between joints, and knobs where joints have no children.

    Parameters
    ----------
    places : ndarray of float64, shape (J, 3)
        Where the joints are, J at least 1.
    parents : ndarray of int32, shape (J,)

    Returns
    -------
    vertices : ndarray of float64, shape (N, 3)
        Three of its own for each face: flat shading.
    owners : ndarray of int32
        The joint that each octahedron follows; it has ``3 * 8`` vertices.
    """
    knob = KNOB * float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    children = np.flatnonzero(parents >= 0)
    childless = np.setdiff1d(np.arange(len(parents)), parents)
    up = np.array([0.0, knob, 0.0])
    tails = np.concatenate([places[parents[children]], places[childless] - up])
    heads = np.concatenate([places[children], places[childless] + up])
    owners = np.concatenate([parents[children], childless])
    corners = _octahedra(
        tails, heads, np.concatenate([np.full(len(children), WAIST), np.full(len(childless), 0.5)])
    )
    corners[len(children) :, 1:5] += (corners[len(children) :, 1:5] - places[childless, None]) * 4.0

    return corners[:, _FACES].reshape(-1, 3), owners


def _octahedra(
    tails: NDArray[np.float64], heads: NDArray[np.float64], waists: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the corners ``(N, 6, 3)`` of octahedra from tails to heads, widest at a share of the way."""
    along = heads - tails
    lengths = np.linalg.norm(along, axis=1, keepdims=True)
    unit = np.divide(along, lengths, out=np.tile([0.0, 1.0, 0.0], (len(along), 1)), where=lengths > 0)
    # Any direction across: from the axis that the bone is farthest from.
    helper = np.eye(3)[np.abs(unit).argmin(axis=1)]
    right = np.cross(unit, helper)
    right /= np.linalg.norm(right, axis=1, keepdims=True)
    front = np.cross(right, unit)
    middle = tails + waists[:, None] * along
    around = [THICKNESS * lengths * side for side in (right, front, -right, -front)]
    return np.stack([tails, *(middle + side for side in around), heads], axis=1)
