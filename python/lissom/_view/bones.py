# SPDX-License-Identifier: MIT
"""A mesh that shows a skeleton: a slim octahedron from each joint to each of its children."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._base.vectors import perpendicular_axes
from lissom._rig.mesh import Mesh
from lissom._rig.part import Part
from lissom._rig.skin import Skin

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.skeleton import Skeleton

__all__ = ["COLOR", "bone_triangles", "skeleton_mesh"]

COLOR = (0.16, 0.27, 0.40, 1.0)  # linear light
WAIST = 0.18  # where a bone is widest, as a fraction of its length from the parent
THICKNESS = 0.09  # half its width there, as a fraction of its length
FLAT = 1e-6  # smallest axis of a joint's matrix over its largest: float32 cannot invert flatter ones
KNOB = 0.012  # half the length of a knob, which marks a joint without children, over the skeleton's extent

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
    # A joint of scale zero in the rest pose has no inverse: its vertices keep their offsets from it.
    axes = np.linalg.svd(model[:, :3, :3], compute_uv=False)
    model[axes[:, 2] <= FLAT * axes[:, 0], :3, :3] = np.eye(3)
    return mesh, Skin(np.arange(len(skeleton)), np.linalg.inv(model))


def bone_triangles(
    places: NDArray[np.float64], parents: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the octahedra of bones between joints, and a knob at each joint without children.

    Parameters
    ----------
    places : ndarray of float64, shape (J, 3)
        Of the joints, model space, J at least 1.
    parents : ndarray of int32, shape (J,)

    Returns
    -------
    vertices : ndarray of float64, shape (N, 3)
        Three for each face, shared with no other: flat shading.
    owners : ndarray of int32
        The joint that each octahedron of 24 vertices follows.
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
    """Return the corners ``(N, 6, 3)`` of octahedra from tails to heads, widest at fraction `waists`."""
    offsets = heads - tails
    lengths = np.linalg.norm(offsets, axis=1, keepdims=True)
    unit = np.divide(offsets, lengths, out=np.tile([0.0, 1.0, 0.0], (len(offsets), 1)), where=lengths > 0)
    front, right = perpendicular_axes(unit)
    middle = tails + waists[:, None] * offsets
    around = [THICKNESS * lengths * side for side in (right, front, -right, -front)]
    return np.stack([tails, *(middle + side for side in around), heads], axis=1)
