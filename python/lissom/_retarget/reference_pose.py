# SPDX-License-Identifier: MIT
"""The pose in which two skeletons are compared: the rest pose, the mesh's bind pose, or one that is given."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lissom import quat, trs
from lissom._base.arrays import finite_floats
from lissom._base.numbers import refuse_larger
from lissom._retarget.posed import Floats
from lissom._retarget.vertices import with_vertices
from lissom._rig.skeleton import Skeleton
from lissom._roles.bones import SIDES
from lissom._roles.roles import Roles
from lissom.ik._feet.rig import Rig

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["reference_pose"]

TILTED = np.cos(np.radians(10.0))  # legs of a bind pose that lean by more are stood up
APART = 1e-3  # of the size: joints so far from each other are at two places
CROOKED = 6.0  # degrees: left and right of a pose to stand in differ by less
PAIRS = (
    ("UpperArm", "LowerArm"),
    ("LowerArm", "Hand"),
    ("UpperLeg", "LowerLeg"),
    ("LowerLeg", "Foot"),
)


def reference_pose(what: str, value: ArrayLike | str | None, rig: Rig, roles: Roles) -> tuple[Floats, str]:
    """Return the local trs (J, 10) of the reference pose of a rig, and its name.

    A pose that is given is one without the joints that the rig adds.
    """
    skeleton, character = rig.skeleton, rig.character
    rest = skeleton.rest.astype(np.float64)
    if value is None:
        bind = None if character is None else bind_pose(character)
        if bind is None:
            return rest, "rest"
        of_rest, of_bind = (_crookedness(skeleton, pose, roles) for pose in (rest, bind))
        is_better = of_rest > CROOKED and of_bind < 0.5 * of_rest
        return (_upright(skeleton, bind, roles), "bind") if is_better else (rest, "rest")
    if isinstance(value, str):
        if value == "rest":
            return rest, "rest"
        if value != "bind":
            raise ValueError(f'{what} must be "rest", "bind" or a pose, got {value!r}')
        bind = None if character is None else bind_pose(character)
        if bind is None:
            raise ValueError(f'{what} must not be "bind" for what has no skinned mesh; pass "rest" or a pose')
        return _upright(skeleton, bind, roles), "bind"
    pose = finite_floats(value, what, (len(skeleton) - rig.added, 10))
    refuse_larger(pose, what)
    lengths = np.linalg.norm(pose[:, 3:7], axis=1)
    if (np.abs(lengths - 1) > 1e-3).any():
        joint = int(np.argmax(np.abs(lengths - 1)))
        raise ValueError(
            f"{what} must hold unit rotations, got length {lengths[joint]:.4g} at {skeleton.names[joint]!r}"
        )
    return rig.with_added(pose), "given"


def bind_pose(character: Character) -> Floats | None:
    """Return the pose in which the mesh is bound, local trs; None without a skin."""
    skin, skeleton = character.skin, character.skeleton
    if skin is None or not len(skin.joints):
        return None
    matrices = skin.joint_from_bind.astype(np.float64)
    whole = np.abs(np.linalg.det(matrices[:, :3, :3])) > 0
    bound: dict[int, Floats] = {
        int(joint): np.linalg.inv(matrix)
        for joint, matrix in zip(skin.joints[whole], matrices[whole], strict=True)
    }
    for joint in _unstated(character, bound):
        del bound[joint]
    rest = skeleton.rest.astype(np.float64)
    local_rest = trs.to_matrix(rest)
    result, model = rest.copy(), np.empty((len(skeleton), 4, 4))
    for joint, parent in enumerate(skeleton.parents.tolist()):
        above = np.eye(4) if parent < 0 else model[parent]
        if joint not in bound or not abs(np.linalg.det(above[:3, :3])) > 0:
            model[joint] = above @ local_rest[joint]
            continue
        local = np.linalg.solve(above, bound[joint])
        result[joint, 3:7] = _rotation(local[:3, :3] * np.copysign(1.0, rest[joint, 7:]))
        result[joint, :3] = local[:3, 3]
        model[joint] = above @ trs.to_matrix(result[joint])
    return result


def _unstated(character: Character, bound: Mapping[int, Floats]) -> list[int]:
    """Return joints without vertices that are bound in one place, but rest apart: fillers of exporters."""
    places = character.skeleton.positions(character.skeleton.rest.astype(np.float64))
    moving = with_vertices(character)
    at: dict[bytes, list[int]] = {}
    for joint, matrix in bound.items():
        if joint not in moving:
            at.setdefault(matrix.astype(np.float32).tobytes(), []).append(joint)
    apart = APART * character.size
    return [
        joint for joints in at.values() if np.ptp(places[joints], axis=0).max() > apart for joint in joints
    ]


def _rotation(linear: Floats) -> Floats:
    """Return the rotation nearest to a matrix."""
    u, _, v = np.linalg.svd(linear)
    rotation = u @ np.diag([1.0, 1.0, np.copysign(1.0, np.linalg.det(u @ v))]) @ v
    return np.asarray(quat.from_matrix(rotation), np.float64)


def _upright(skeleton: Skeleton, pose: Floats, roles: Roles) -> Floats:
    """Return a pose turned so that its legs stand: loading puts bind poses where one joint rests."""
    places = skeleton.positions(pose)
    ends = [
        (places[roles.index(side + "UpperLeg")], places[roles.index(side + "Foot")])
        for side in SIDES
        if side + "UpperLeg" in roles and side + "Foot" in roles
    ]
    if not ends:
        return pose
    up = np.mean([hip - foot for hip, foot in ends], axis=0)
    up /= max(float(np.linalg.norm(up)), 1e-30)
    axis = int(np.argmax(np.abs(up)))
    wanted = np.copysign(np.eye(3)[axis], up[axis])
    if up @ wanted > TILTED:
        return pose
    turn = np.asarray(quat.from_to(up, wanted))
    result = pose.copy()
    for root in np.flatnonzero(skeleton.parents < 0):
        result[root, :3] = quat.rotate(turn, pose[root, :3])
        result[root, 3:7] = quat.multiply(turn, pose[root, 3:7])
    return result


def _crookedness(skeleton: Skeleton, pose: Floats, roles: Roles) -> float:
    """Return by how many degrees limbs of the left differ from the mirror image of those of the right."""
    places = skeleton.positions(pose)
    bones: dict[str, list[Floats]] = {side: [] for side in SIDES}
    across = np.zeros(3)
    for upper, lower in PAIRS:
        if all(side + bone in roles for side in SIDES for bone in (upper, lower)):
            for side in SIDES:
                bone = places[roles.index(side + lower)] - places[roles.index(side + upper)]
                bones[side].append(bone / max(float(np.linalg.norm(bone)), 1e-30))
            across += places[roles.index("left" + upper)] - places[roles.index("right" + upper)]
    width = float(np.linalg.norm(across))
    if not bones["left"] or not width > 0:
        return 0.0
    left, right = (np.array(bones[side]) for side in SIDES)
    normal = across / width
    image = right - 2 * np.outer(right @ normal, normal)
    cosines = np.clip(np.sum(left * image, axis=1), -1, 1)
    return float(np.degrees(np.arccos(cosines)).mean())
