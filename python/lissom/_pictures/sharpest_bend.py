# SPDX-License-Identifier: MIT
"""Where a pose bends a character most: two bones, in the bind pose and posed, and the skin bound to both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.vectors import angles_between
from lissom._rig.weld import welded
from lissom.metrics._bulge import distances

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.character import Character
    from lissom._rig.mesh import Mesh
    from lissom._rig.skin import Skin

    Floats = NDArray[np.float64]

__all__ = ["Bend", "sharpest_bend", "vertices_of"]

LEAST_ANGLE = np.radians(5.0)  # less is no bend
LEAST_WEIGHT = 1e-4  # of a joint, from which a vertex counts as bound to it


@dataclass(frozen=True, eq=False)
class Bend:
    """A joint whose bone is at another angle to its parent's than in the bind pose.

    Attributes
    ----------
    joint : str
        Its name.
    angle : float
        By how much the angle between the two bones differs from bind, radians, at least 0.
    bind_bones, bones : ndarray of float64, shape (2, 2, 3)
        Head and tail of the parent's bone and of its own; bind and posed, model space.
    vertices : ndarray of int, shape (N,)
        Those with weights of both joints.
    """

    joint: str
    angle: float
    bind_bones: Floats
    bones: Floats
    vertices: NDArray[np.intp]


def sharpest_bend(character: Character, pose: NDArray[Any], only: str | None = None) -> Bend | None:
    """Find the joint that bends most in a pose, among those that share skin with their parent.

    `only`, the name of a joint, leaves out all others.
    """
    mesh, skin = character.mesh, character.skin
    if mesh is None or skin is None:
        return None
    model = character.skeleton.model_matrices(np.asarray(pose, np.float64))
    matrices = np.asarray(skin.palette(model).matrices, np.float64)
    weights = _row_weights(mesh, len(skin))
    heads = _bind_heads(skin)
    parents = character.skeleton.parents
    row_of = {int(joint): row for row, joint in reversed(list(enumerate(skin.joints)))}
    best: Bend | None = None
    for row, joint in enumerate(skin.joints):
        parent = row_of.get(int(parents[joint])) if parents[joint] >= 0 else None
        if parent is None or row_of[int(joint)] != row:
            continue
        if only is not None and character.skeleton.names[joint] != only:
            continue
        shared = np.flatnonzero((weights[:, row] > LEAST_WEIGHT) & (weights[:, parent] > LEAST_WEIGHT))
        children = [row_of[int(j)] for j in np.flatnonzero(parents == joint) if int(j) in row_of]
        tail = _tail(mesh, weights[:, row], heads, row, children)
        if tail is None or not len(shared):
            continue
        bind = np.array([[heads[parent], heads[row]], [heads[row], tail]])
        moved = [_moved(matrices[parent], bind[0, 0]), *(_moved(matrices[row], p) for p in bind[1])]
        bones = np.array([[moved[0], moved[1]], [moved[1], moved[2]]])
        angle = abs(_angle(bones) - _angle(bind))  # NaN where a bone has no length or no bind
        is_sharper = angle > max(LEAST_ANGLE, best.angle if best else 0.0)
        if is_sharper and distances(mesh.positions[shared].astype(np.float64), bind).max() > 0:
            best = Bend(character.skeleton.names[joint], float(angle), bind, bones, shared)
    return best


def vertices_of(character: Character, joint: str) -> NDArray[np.intp]:
    """Return the vertices whose largest weight is that of a joint or of a child of it."""
    mesh, skin = character.mesh, character.skin
    if mesh is None or skin is None:
        return np.empty(0, np.intp)
    largest = skin.joints[_row_weights(mesh, len(skin)).argmax(axis=1)]
    index = character.skeleton.index(joint)
    return np.flatnonzero((largest == index) | (character.skeleton.parents[largest] == index))


def _row_weights(mesh: Mesh, row_count: int) -> Floats:
    result = np.zeros((mesh.vertex_count, row_count))
    for k in range(mesh.influence_count):
        np.add.at(result, (np.arange(mesh.vertex_count), mesh.indices[:, k]), mesh.weights[:, k])
    return result


def _bind_heads(skin: Skin) -> Floats:
    """Positions of the joints in the bind pose, (S, 3); NaN where they are not known."""
    result = np.full((len(skin), 3), np.nan)
    for row, matrix in enumerate(np.asarray(skin.joint_from_bind, np.float64)):
        if np.linalg.cond(matrix[:3, :3]) < 1e12:
            result[row] = -np.linalg.solve(matrix[:3, :3], matrix[:3, 3])
    return result


def _tail(mesh: Mesh, weights: Floats, heads: Floats, row: int, children: list[int]) -> Floats | None:
    """Return the middle of the children's heads; for the last of a limb, how far its own vertices go."""
    if children:
        middle: Floats = heads[children].mean(axis=0)
        return middle
    # Once each: copies at seams would draw the middle to their side.
    points = mesh.positions[weights >= 0.5].astype(np.float64)
    if not len(points):
        return None
    own = points[np.unique(welded(points))] - heads[row]
    direction = own.mean(axis=0)
    length = np.linalg.norm(direction)
    if not length > 0:
        return None
    end: Floats = heads[row] + direction / length * (own @ direction / length).max()
    return end


def _moved(matrix: Floats, point: Floats) -> Floats:
    moved: Floats = matrix[:3, :3] @ point + matrix[:3, 3]
    return moved


def _angle(bones: Floats) -> float:
    one, other = bones[:, 1] - bones[:, 0]
    lengths = np.linalg.norm(one) * np.linalg.norm(other)
    return float(angles_between(one, other)) if lengths > 0 else float("nan")
