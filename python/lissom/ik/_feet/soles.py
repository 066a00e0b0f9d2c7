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

from lissom._base.arrays import as_numbers, read_only
from lissom._rig.skeleton import Skeleton
from lissom.ik._feet.legs import Leg, LegJoints, leg_joints

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["Sole"]

Floats = NDArray[np.float64]

OWN = 0.5  # of a vertex's weight: more than that on the joints of the foot makes it part of the foot
TILTS = (0.1, 0.4, 0.9, 1.8, 5.0)  # tangents of the tilts for which lowest vertices are kept: to 79 degrees
COURSES = 12  # directions of tilting
NEAR = 2e-3  # of the size: vertices nearer to each other than this count as one
CELL = 0.012  # of the size: of each square of this side the lowest vertex is kept ...
SAG = 3e-3  # of the size: where the foot is lower than that between two points, others are between them
SPAN = 2.6  # cells: points nearer to each other than that have sole between them
UNDER = 0.04  # ... unless it is so much higher than the lowest of all
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
    rings : ndarray of int, shape (E, 2)
        Pairs of points between which the sole goes on.
    sags : ndarray of float64, shape (E,)
        How far the sole is below the straight line between the two, at most.
    turns : bool
        Whether the joint that carries the foot moves the sole. False where a mesh has the foot on the shin:
        such a foot cannot be aligned to a slope.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> left, _ = lissom.ik.Leg.find(hero)
    >>> sole = left.measure(hero)
    >>> round(sole.ankle_height, 2), round(sole.toe_height, 2), sole.turns  # metres
    (0.09, 0.02, True)
    """

    ankle_height: float
    toe_height: float | None
    floor: float
    points: Floats
    toe_points: Floats
    toe_shares: Floats
    rings: NDArray[np.intp]
    sags: Floats
    turns: bool
    joints: NDArray[np.intp]  # (K, I): what moves each point; the mesh's own joints where there is one
    weights: Floats  # (K, I)
    offsets: Floats  # (K, I, 3): the points in the frames of these joints, times their weights

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
    from lissom._character.character import Character

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
    for leg, found in zip(legs, joints, strict=True):
        used = {found.chain[-2], found.ankle, found.foot, found.ankle if found.toe is None else found.toe}
        for joint in used:
            if not abs(np.linalg.det(model[joint, :3, :3])) > 0:
                raise ValueError(
                    f"{function}: stance, the rest pose if none is given, must not scale the foot of {leg!r} "
                    f"to zero, got that at {skeleton.names[joint]!r}"
                )
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
    return [_sole(model, found, some, axis, rig.size) for found, some in zip(joints, candidates, strict=True)]


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


@dataclass(frozen=True, eq=False)
class Candidates:
    """Points that may touch the ground, in the stance."""

    points: Floats  # (K, 3), model space
    shares: Floats  # (K,): of the toes
    turns: bool = True
    skin: tuple[NDArray[np.intp], Floats, Floats] | None = None  # joints, weights and offsets, as a Sole has
    around: Floats | None = None  # (N, 3): all points of the foot
    edges: NDArray[np.intp] | None = None  # (E, 2): edges of the mesh between the points; None without one

    def let_down(self, floor: float, axis: Floats) -> Candidates:
        points = self.points - np.outer(self.points @ axis - floor, axis)
        return Candidates(points, self.shares, self.turns)


def _given(leg: Leg, model: Floats, joints: LegJoints) -> Candidates:
    assert leg.sole is not None
    frame = model[joints.foot]
    return Candidates(leg.sole @ frame[:3, :3].T + frame[:3, 3], np.zeros(len(leg.sole)))


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
    kept |= _underside(points, axis, rig.size)
    kept = _thinned(points, np.flatnonzero(kept), axis, rig.size)
    return Candidates(
        points[kept],
        shares[kept],
        turns,
        _skin(rig, weights[rows[kept]], rows[kept]),
        points,
        _mesh_edges(rig, vertices, rows[kept]),
    )


def _mesh_edges(rig: Rig, vertices: Floats, kept: NDArray[np.intp]) -> NDArray[np.intp]:
    """Give the edges of the mesh between kept vertices, or others that are at the same place."""
    assert rig.character is not None
    assert rig.character.mesh is not None
    apart = np.linalg.norm(vertices[:, None] - vertices[kept], axis=-1)
    stands_for = np.where(apart.min(axis=1) <= NEAR * rig.size, apart.argmin(axis=1), -1)
    corners = stands_for[rig.character.mesh.triangles.astype(np.intp)]
    pairs = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [2, 0]]])
    pairs = pairs[(pairs >= 0).all(axis=1) & (pairs[:, 0] != pairs[:, 1])]
    return np.unique(np.sort(pairs, axis=1), axis=0)


def _skin(rig: Rig, weights: NDArray[Any], rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Give the joints, weights and weighted offsets that linear skinning has for vertices."""
    assert rig.character is not None
    mesh, skin = rig.character.mesh, rig.character.skin
    assert mesh is not None
    assert skin is not None
    joint_from_bind = skin.joint_from_bind.astype(np.float64)[mesh.indices[rows]]
    bound = mesh.positions[rows].astype(np.float64)
    offsets = np.einsum("kiab,kb->kia", joint_from_bind[..., :3, :3], bound) + joint_from_bind[..., :3, 3]
    return weights["joint"].astype(np.intp), weights["weight"], offsets * weights["weight"][..., None]


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


def _underside(points: Floats, axis: Floats, size: float) -> NDArray[np.bool_]:
    """Mark points all over the sole, so that edges of steps have one on either side."""
    side, ahead = _level(axis)
    heights = points @ axis
    cells = np.floor(np.stack([points @ side, points @ ahead], axis=1) / (CELL * size)).astype(np.int64)
    marked = np.zeros(len(points), bool)
    seen: set[tuple[int, int]] = set()
    for row in np.argsort(heights, kind="stable").tolist():
        cell = (int(cells[row, 0]), int(cells[row, 1]))
        if cell not in seen and heights[row] < heights.min() + UNDER * size:
            seen.add(cell)
            marked[row] = True
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
    return Candidates(points, shares)


def _flattened(candidates: list[Candidates], axis: Floats, free: list[bool]) -> list[Candidates]:
    """Let points of joints down to the height of the lowest of all."""
    floor = min(float((some.points @ axis).min()) for some in candidates)
    return [some.let_down(floor, axis) if let else some for some, let in zip(candidates, free, strict=True)]


def _sole(model: Floats, joints: LegJoints, found: Candidates, axis: Floats, size: float) -> Sole:
    points, shares = found.points, found.shares
    floor = float((points @ axis).min())
    carrier = joints.foot if found.turns else joints.chain[-2]
    toe = joints.toe
    behind = _in_frame(points, model[carrier])
    front = np.zeros_like(points) if toe is None else _in_frame(points, model[toe])
    rings = _neighbours(found, axis, size)
    sags = _sags(points, rings, points if found.around is None else found.around, axis, size)
    if found.skin is None:
        weights = np.stack([1 - shares, shares], axis=1)
        carriers = np.tile([carrier, carrier if toe is None else toe], (len(points), 1))
        skin = carriers, weights, np.stack([behind, front], axis=1) * weights[..., None]
    else:
        skin = found.skin
    return Sole(
        ankle_height=float(model[joints.ankle, :3, 3] @ axis) - floor,
        toe_height=None if toe is None else float(model[toe, :3, 3] @ axis) - floor,
        floor=floor,
        points=read_only(behind),
        toe_points=read_only(front),
        toe_shares=read_only(shares),
        rings=read_only(rings[sags <= SAG * size]),
        sags=read_only(sags[sags <= SAG * size]),
        turns=found.turns,
        joints=read_only(skin[0].astype(np.intp)),
        weights=read_only(skin[1]),
        offsets=read_only(skin[2]),
    )


def _neighbours(found: Candidates, axis: Floats, size: float) -> NDArray[np.intp]:
    """Give pairs of points between which the sole goes on.

    Those that an edge of the mesh joins, and where the mesh is finer than the points, those that are near
    each other; without a mesh all.
    """
    side, ahead = _level(axis)
    plan = np.stack([found.points @ side, found.points @ ahead], axis=1)
    apart = np.linalg.norm(plan[:, None] - plan, axis=-1)
    near = np.ones_like(apart, bool) if found.edges is None else apart < SPAN * CELL * size
    pairs = np.argwhere(np.triu(near, 1))
    if found.edges is not None:
        pairs = np.unique(np.concatenate([pairs, found.edges]), axis=0)
    return pairs.astype(np.intp).reshape(-1, 2)


def _sags(points: Floats, rings: NDArray[np.intp], around: Floats, axis: Floats, size: float) -> Floats:
    """Give how far points around a line between two are below it, at most, (E,)."""
    first, way = points[rings[:, 0]], points[rings[:, 1]] - points[rings[:, 0]]
    level_way = way - np.outer(way @ axis, axis)
    length = np.maximum((level_way * level_way).sum(axis=1), 1e-30)
    from_first = around[None] - first[:, None]
    share = (from_first * level_way[:, None]).sum(axis=-1) / length[:, None]
    off = from_first - share[..., None] * way[:, None]
    aside = off - (off @ axis)[..., None] * axis
    near = (np.abs(share - 0.5) < 0.5) & (np.linalg.norm(aside, axis=-1) < 0.5 * CELL * size)
    return np.asarray(np.where(near, -(off @ axis), 0.0).max(axis=1, initial=0.0))


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
