# SPDX-License-Identifier: MIT
"""Soles: what of a character touches the ground, measured once.

A foot touches the ground with the lowest of its vertices, whichever that is in a pose: heel, ball or tip of
the toes. Of all vertices of a foot only those of its convex hull can be lowest on a plane, and of these the
ones that are lowest for some tilt of the foot are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._arrays import as_numbers, read_only
from lissom.ik._legs import Leg, LegJoints, leg_joints
from lissom.skeleton import Skeleton

if TYPE_CHECKING:
    from lissom.character import Character

__all__ = ["Sole"]

Floats = NDArray[np.float64]

OWN = 0.5  # of a vertex's weight: more than that on the joints of the foot makes it part of the foot
TILTS = (0.1, 0.4, 0.9, 1.8)  # tangents of the tilts for which the lowest vertices are kept: to 61 degrees
COURSES = 8  # directions of tilting
NEAR = 2e-3  # of the size: vertices nearer to each other than this count as one
FLAT_REACH = 0.25  # of the leg: how far around an ankle without a foot its sole is sought


@dataclass(frozen=True, eq=False)
class Sole:
    """What a foot stands on.

    Attributes
    ----------
    ankle_height : float
        Of the ankle over the lowest point of the sole, in the stance measured, in the file's lengths.
    toe_height : float or None
        Of the toe joint over it.
    floor : float
        Height of the lowest point of the sole in model space, along `up`.
    points : ndarray of float64, shape (K, 3)
        Points of the sole in the frame of the joint that carries the foot.
    toe_points : ndarray of float64, shape (K, 3)
        The same points in the frame of the toe joint; zeros where there is none.
    toe_shares : ndarray of float64, shape (K,)
        How much of each point moves with the toes, 0 to 1: 1 in front of the toe joint, and the mesh's own
        weights at the ball.
    turns : bool
        Whether the joint that carries the foot moves the sole. False where a mesh has the foot on the shin:
        such a foot cannot be aligned to a slope.
    """

    ankle_height: float
    toe_height: float | None
    floor: float
    points: Floats
    toe_points: Floats
    toe_shares: Floats
    turns: bool

    def __repr__(self) -> str:
        toe = "" if self.toe_height is None else f" and toe {self.toe_height:.3g}"
        return f"<Sole: ankle {self.ankle_height:.3g}{toe} over the ground, {len(self.points)} points>"


@dataclass(frozen=True, eq=False)
class Rig:
    """A skeleton and, where there is one, its character's mesh."""

    skeleton: Skeleton
    character: Character | None
    size: float

    @property
    def has_mesh(self) -> bool:
        return self.character is not None and self.character.mesh is not None


def rig_of(function: str, character: object) -> Rig:
    """Take a character or a skeleton."""
    from lissom.character import Character

    if isinstance(character, Character):
        has_mesh = character.mesh is not None and character.mesh.vertex_count > 0
        return Rig(character.skeleton, character if has_mesh else None, character.size)
    if isinstance(character, Skeleton):
        return Rig(character, None, character.size)
    raise TypeError(
        f"{function}: character must be a Character or a Skeleton, got {type(character).__name__}"
    )


def measured_soles(
    function: str, rig: Rig, legs: Sequence[Leg], stance: ArrayLike | None = None, up: Floats | None = None
) -> list[Sole]:
    """Measure the soles of legs in a pose in which the feet stand flat."""
    axis = np.array([0.0, 1.0, 0.0]) if up is None else up
    skeleton = rig.skeleton
    pose = _checked_stance(function, skeleton, stance)
    model = skeleton.model_matrices(pose)
    joints = [leg_joints(function, skeleton, leg) for leg in legs]
    weights = joint_weights(rig) if rig.has_mesh else None
    vertices = rig.character.deform(pose, method="linear") if rig.character is not None else None
    candidates = [
        _given(leg, model, found)
        if leg.sole is not None
        else _of_joints(skeleton, model, found, axis)
        if weights is None or vertices is None
        else _of_mesh(rig, model, found, vertices, weights, axis)
        for leg, found in zip(legs, joints, strict=True)
    ]
    if weights is None:
        candidates = _flattened(candidates, axis, [leg.sole is None for leg in legs])
    return [_sole(model, found, *some, axis) for found, some in zip(joints, candidates, strict=True)]


def joint_weights(rig: Rig) -> NDArray[Any]:
    """Give how much every joint moves every vertex, sparse: joints (V, K) and weights (V, K)."""
    assert rig.character is not None
    mesh, skin = rig.character.mesh, rig.character.skin
    assert mesh is not None
    assert skin is not None
    carriers = np.asarray(skin.joints)[mesh.indices]
    result = np.zeros(carriers.shape, [("joint", np.int32), ("weight", np.float64)])
    result["joint"], result["weight"] = carriers, mesh.weights
    return result


def below(skeleton: Skeleton, joint: int) -> NDArray[np.bool_]:
    """Mark a joint and all that hangs below it, (J,)."""
    return skeleton.mask(joint) > 0


Candidates = tuple[Floats, Floats, bool]  # points in model space (N, 3), toe shares (N,), turns


def _given(leg: Leg, model: Floats, joints: LegJoints) -> Candidates:
    assert leg.sole is not None
    frame = model[joints.foot]
    return leg.sole @ frame[:3, :3].T + frame[:3, 3], np.zeros(len(leg.sole)), True


def _of_mesh(
    rig: Rig, model: Floats, joints: LegJoints, vertices: Floats, weights: NDArray[Any], axis: Floats
) -> Candidates:
    skeleton = rig.skeleton
    members = below(skeleton, joints.foot) | below(skeleton, joints.ankle)
    share = (weights["weight"] * members[weights["joint"]]).sum(axis=1)
    chosen, turns = share > OWN, True
    if not chosen.any():  # the mesh has the foot on the shin
        shin = joints.chain[-2]
        share = (weights["weight"] * below(skeleton, shin)[weights["joint"]]).sum(axis=1)
        length = np.linalg.norm(model[joints.ankle, :3, 3] - model[joints.chain[0], :3, 3])
        near = np.linalg.norm(vertices - model[joints.ankle, :3, 3], axis=1) < FLAT_REACH * length
        chosen, turns = (share > OWN) & near, False
        if not chosen.any():
            return _of_joints(skeleton, model, joints, axis)
    toes = np.zeros(len(vertices))
    if joints.toe is not None:
        front = below(skeleton, joints.toe)
        toes = (weights["weight"] * front[weights["joint"]]).sum(axis=1) / np.maximum(share, 1e-12)
    rows = np.flatnonzero(chosen)
    points = vertices[rows].astype(np.float64)
    shares = np.clip(toes[rows], 0.0, 1.0)
    kept = _lowest(points, axis, np.ones(len(rows), bool), rig.size)
    if joints.toe is not None:  # toes and the rest tilt by themselves
        for part in (shares > OWN, shares <= OWN):
            kept |= _lowest(points, axis, part, rig.size)
    kept = _thinned(points, np.flatnonzero(kept), axis, rig.size)
    return points[kept], shares[kept], turns


def _lowest(points: Floats, axis: Floats, among: NDArray[np.bool_], size: float) -> NDArray[np.bool_]:
    """Mark the points that are lowest for some tilt."""
    marked = np.zeros(len(points), bool)
    rows = np.flatnonzero(among)
    if not len(rows):
        return marked
    side, ahead = _level(axis)
    turn = 2 * np.pi * np.arange(COURSES) / COURSES
    course = np.cos(turn)[:, None] * side + np.sin(turn)[:, None] * ahead
    tilts = (np.asarray(TILTS)[:, None, None] * course - axis).reshape(-1, 3)
    marked[rows[np.argmax(points[rows] @ tilts.T, axis=0)]] = True
    return marked


def _thinned(points: Floats, rows: NDArray[Any], axis: Floats, size: float) -> NDArray[Any]:
    """Leave out points that are near a lower one."""
    kept: list[int] = []
    for row in rows[np.argsort(points[rows] @ axis, kind="stable")].tolist():
        if all(np.linalg.norm(points[row] - points[other]) > NEAR * size for other in kept):
            kept.append(row)
    return np.array(sorted(kept), np.intp)


def _of_joints(skeleton: Skeleton, model: Floats, joints: LegJoints, axis: Floats) -> Candidates:
    """Take ankle, toes and what hangs below them for the sole; they are let down to the ground later."""
    rows = np.flatnonzero(below(skeleton, joints.foot) | below(skeleton, joints.ankle))
    points = np.ascontiguousarray(model[rows, :3, 3], np.float64)
    shares = np.zeros(len(rows))
    if joints.toe is not None:
        shares = below(skeleton, joints.toe)[rows].astype(np.float64)
    return points, shares, True


def _flattened(candidates: list[Candidates], axis: Floats, free: list[bool]) -> list[Candidates]:
    """Let points of joints down to the height of the lowest of all."""
    heights = [float((points @ axis).min()) for points, _, _ in candidates]
    floor = min(heights)
    return [
        (points - np.outer(points @ axis - floor, axis), shares, turns) if let else (points, shares, turns)
        for (points, shares, turns), let in zip(candidates, free, strict=True)
    ]


def _sole(
    model: Floats, joints: LegJoints, points: Floats, shares: Floats, turns: bool, axis: Floats
) -> Sole:
    floor = float((points @ axis).min())
    carrier = joints.foot if turns else joints.chain[-2]
    toe = joints.toe
    return Sole(
        ankle_height=float(model[joints.ankle, :3, 3] @ axis) - floor,
        toe_height=None if toe is None else float(model[toe, :3, 3] @ axis) - floor,
        floor=floor,
        points=read_only(_in_frame(points, model[carrier])),
        toe_points=read_only(np.zeros_like(points) if toe is None else _in_frame(points, model[toe])),
        toe_shares=read_only(shares),
        turns=turns,
    )


def _in_frame(points: Floats, frame: Floats) -> Floats:
    return np.ascontiguousarray(np.linalg.solve(frame[:3, :3], (points - frame[:3, 3]).T).T)


def _level(axis: Floats) -> tuple[Floats, Floats]:
    """Give two directions that are level: square to the axis and to each other."""
    seed = np.array([0.0, 0.0, 1.0]) if abs(axis[2]) < 0.9 else np.array([0.0, 1.0, 0.0])
    side = np.cross(axis, seed)
    side /= np.linalg.norm(side)
    return side, np.cross(side, axis)


def _checked_stance(function: str, skeleton: Skeleton, stance: ArrayLike | None) -> Floats:
    if stance is None:
        return skeleton.rest.astype(np.float64)
    pose = as_numbers(stance, f"{function}: stance").astype(np.float64)
    if pose.shape != (len(skeleton), 10):
        raise ValueError(f"{function}: stance must have shape ({len(skeleton)}, 10), got {pose.shape}")
    if not np.isfinite(pose).all():
        raise ValueError(f"{function}: stance must be finite, got NaN or infinity")
    return pose
