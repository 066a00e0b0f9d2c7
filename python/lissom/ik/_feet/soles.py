# SPDX-License-Identifier: MIT
"""Soles: the points of feet that touch the ground, measured once.

A foot touches the ground with the lowest of its vertices, whichever that is in a pose: heel, ball or tip of
the toes. Of all vertices of a foot only those of its convex hull can be lowest on a plane; those that are
lowest for some tilt of the foot are kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import finite_floats, read_only
from lissom._base.numbers import refuse_larger
from lissom._rig.skeleton import Skeleton
from lissom.ik._axes import Floats
from lissom.ik._feet.known_soles import KnownSoles
from lissom.ik._feet.leg_joints import LegJoints
from lissom.ik._feet.rig import Rig, hierarchy_mask, joint_weights
from lissom.ik._feet.sole_rings import CELL, NEAR, mesh_edges, neighbours, sags_of
from lissom.ik._feet.vectors import horizontal_axes

__all__ = ["Sole"]

OWN = 0.5  # of a vertex's weight: with more than this on the joints of the foot it is part of the foot
TILTS = (0.1, 0.4, 0.9, 1.8, 5.0)  # tangents of the tilts for which lowest vertices are kept: to 79 degrees
DIRECTIONS = 12  # of tilting
UNDER = 0.04  # of the size: vertices this much over the lowest of all are no part of the sole
WALL = 0.025  # of the size: up to here the lowest vertex of each cube is kept
SAG = 3e-3  # of the size: points between which the foot is lower than this have others between them
SOLE_RADIUS = 0.25  # of the leg's length, around the ankle: the sole of a foot that the shin moves


@dataclass(frozen=True, eq=False)
class Sole:
    """The sole of a foot, measured in a stance: a pose in which the foot stands flat.

    Attributes
    ----------
    ankle_height : float
        Height of the ankle over the lowest point of the sole, model units.
    toe_height : float or None
        Height of the toe joint over that point.
    floor : float
        Height of the lowest point of the sole in model space, along `up`.
    points : ndarray of float64, shape (K, 3)
        Points of the sole in the frame of the joint that carries the foot.
    toe_points : ndarray of float64, shape (K, 3)
        The same points in the frame of the toe joint; zeros where there is none.
    toe_shares : ndarray of float64, shape (K,)
        Weight of the toe joint for each point, 0 to 1: 1 in front of the toe joint, and the mesh's own
        weights at the ball.
    rings : ndarray of int, shape (E, 2)
        Pairs of points between which the sole continues.
    sags : ndarray of float64, shape (E,)
        Largest distance of the sole below the straight line between the two.
    turns : bool
        Whether the joint that carries the foot moves the sole. False where the foot of a mesh is weighted to
        the shin: such a foot cannot be aligned to a slope.

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
    joints: NDArray[np.intp]  # (K, I): influences of each point, those of the mesh where there is one
    weights: Floats  # (K, I)
    offsets: Floats  # (K, I, 3): the points in the frames of these joints, times their weights

    def __repr__(self) -> str:
        toe = "" if self.toe_height is None else f" and toe {self.toe_height:.3g}"
        return f"<Sole: ankle {self.ankle_height:.3g}{toe} over the ground, {len(self.points)} points>"


def measured_soles(
    function: str,
    rig: Rig,
    legs: Sequence[LegJoints],
    stance: ArrayLike | None = None,
    up: Floats | None = None,
) -> list[Sole]:
    """Measure the soles of legs in a pose in which the feet stand flat."""
    axis = np.array([0.0, 1.0, 0.0]) if up is None else up
    skeleton = rig.skeleton
    pose = _checked_stance(function, rig, stance)
    model = skeleton.model_matrices(pose)
    for leg in legs:
        used = {leg.chain[-2], leg.ankle, leg.foot, leg.ankle if leg.toe is None else leg.toe}
        for joint in used:
            if not abs(np.linalg.det(model[joint, :3, :3])) > 0:
                raise ValueError(
                    f"{function}: stance, the rest pose if none is passed, must not scale the foot of "
                    f"{leg.name!r} to zero, got that at {skeleton.names[joint]!r}"
                )
    if rig.character is not None:
        known, shape = KnownSoles(rig, pose, axis), _Shape(rig, pose)

        def measured(leg: LegJoints) -> Sole:
            return _sole(model, leg, _of_mesh(shape, model, leg, axis), axis, rig.size)

        return [
            _sole(model, leg, _of_points(leg.sole, model, leg), axis, rig.size)
            if leg.sole is not None
            else known.of(leg, partial(measured, leg))
            for leg in legs
        ]
    candidates = [
        _of_joints(skeleton, model, leg) if leg.sole is None else _of_points(leg.sole, model, leg)
        for leg in legs
    ]
    candidates = _flattened(candidates, axis, [leg.sole is None for leg in legs])
    return [_sole(model, leg, some, axis, rig.size) for leg, some in zip(legs, candidates, strict=True)]


class _Shape:
    """The mesh of a character in a stance, skinned when first asked for."""

    def __init__(self, rig: Rig, stance: Floats) -> None:
        self.rig = rig
        self._stance = stance

    @cached_property
    def vertices(self) -> Floats:
        """Vertices, (V, 3), model space."""
        assert self.rig.character is not None
        return self.rig.character.deform(self._stance, method="linear")

    @cached_property
    def weights(self) -> NDArray[Any]:
        """Influences of all vertices, (V, K), with fields "joint" and "weight"."""
        return joint_weights(self.rig)


@dataclass(frozen=True, eq=False)
class Candidates:
    """Points that may touch the ground, in the stance."""

    points: Floats  # (K, 3), model space
    shares: Floats  # (K,): of the toes
    turns: bool = True
    skin: tuple[NDArray[np.intp], Floats, Floats] | None = None  # joints, weights and offsets, as a Sole has
    around: Floats | None = None  # (N, 3): all points of the foot
    edges: NDArray[np.intp] | None = None  # (E, 2): edges of the mesh between the points; None without one

    def lowered_to(self, floor: float, axis: Floats) -> Candidates:
        points = self.points - np.outer(self.points @ axis - floor, axis)
        return Candidates(points, self.shares, self.turns)


def _of_points(sole: Floats, model: Floats, joints: LegJoints) -> Candidates:
    """Take points that the user passed, in the frame of the foot."""
    frame = model[joints.foot]
    return Candidates(sole @ frame[:3, :3].T + frame[:3, 3], np.zeros(len(sole)))


def _of_mesh(shape: _Shape, model: Floats, joints: LegJoints, axis: Floats) -> Candidates:
    """Take vertices of the mesh; joints where no vertex belongs to the foot."""
    rig, vertices, weights = shape.rig, shape.vertices, shape.weights
    skeleton = rig.skeleton
    members = hierarchy_mask(skeleton, joints.foot) | hierarchy_mask(skeleton, joints.ankle)
    share = (weights["weight"] * members[weights["joint"]]).sum(axis=1)
    chosen, turns = share > OWN, True
    if not chosen.any():  # the foot of the mesh is weighted to the shin
        shin = joints.chain[-2]
        share = (weights["weight"] * hierarchy_mask(skeleton, shin)[weights["joint"]]).sum(axis=1)
        length = np.linalg.norm(model[joints.ankle, :3, 3] - model[joints.chain[0], :3, 3])
        near = np.linalg.norm(vertices - model[joints.ankle, :3, 3], axis=1) < SOLE_RADIUS * length
        chosen, turns = (share > OWN) & near, False
        if not chosen.any():
            return _of_joints(skeleton, model, joints)
    toes = np.zeros(len(vertices))
    if joints.toe is not None:
        front = hierarchy_mask(skeleton, joints.toe)
        toes = (weights["weight"] * front[weights["joint"]]).sum(axis=1) / np.maximum(share, 1e-12)
    rows = np.flatnonzero(chosen)
    points = vertices[rows].astype(np.float64)
    shares = np.clip(toes[rows], 0.0, 1.0)
    kept = _lowest(points, axis, np.ones(len(rows), bool))
    if joints.toe is not None:  # toes tilt separately from the rest of the foot
        for part in (shares > OWN, shares <= OWN):
            kept |= _lowest(points, axis, part)
    kept |= _underside(points, axis, rig.size)
    kept = _thinned(points, np.flatnonzero(kept), axis, rig.size)
    return Candidates(
        points[kept],
        shares[kept],
        turns,
        _skin(rig, weights[rows[kept]], rows[kept]),
        points,
        mesh_edges(rig, vertices, rows[kept]),
    )


def _skin(rig: Rig, weights: NDArray[Any], rows: NDArray[np.intp]) -> tuple[NDArray[np.intp], Floats, Floats]:
    """Return the joints, weights and weighted offsets of vertices for linear skinning."""
    assert rig.character is not None
    mesh, skin = rig.character.mesh, rig.character.skin
    assert mesh is not None
    assert skin is not None
    joint_from_bind = skin.joint_from_bind.astype(np.float64)[mesh.indices[rows]]
    bind = mesh.positions[rows].astype(np.float64)
    offsets = np.einsum("kiab,kb->kia", joint_from_bind[..., :3, :3], bind) + joint_from_bind[..., :3, 3]
    return weights["joint"].astype(np.intp), weights["weight"], offsets * weights["weight"][..., None]


def _lowest(points: Floats, axis: Floats, among: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark the points that are lowest for some tilt."""
    marked = np.zeros(len(points), bool)
    rows = np.flatnonzero(among)
    if not len(rows):
        return marked
    side, ahead = horizontal_axes(axis)
    angles = 2 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    directions = np.cos(angles)[:, None] * side + np.sin(angles)[:, None] * ahead
    tilts = (np.asarray(TILTS)[:, None, None] * directions - axis).reshape(-1, 3)
    marked[rows[np.argmax(points[rows] @ tilts.T, axis=0)]] = True
    return marked


def _underside(points: Floats, axis: Floats, size: float) -> NDArray[np.bool_]:
    """Mark points all over the sole and up its walls.

    So edges of steps have points on both sides, and walls that a raised heel turns forwards are known where
    they get to a riser.
    """
    side, ahead = horizontal_axes(axis)
    heights = points @ axis - (points @ axis).min()
    up_the_wall = np.minimum(heights, WALL * size)
    places = np.stack([points @ side, points @ ahead, up_the_wall], axis=1)
    marked = np.zeros(len(points), bool)
    seen: set[tuple[int, ...]] = set()
    cells = np.floor(places / (CELL * size)).astype(np.int64).tolist()
    for row in np.argsort(heights, kind="stable").tolist():
        if heights[row] >= UNDER * size:
            break
        # Above the wall, only where nothing is lower.
        cell = tuple(cells[row]) if heights[row] < WALL * size else tuple(cells[row][:2])
        if cell not in seen:
            seen.update((cell, cell[:2]))
            marked[row] = True
    return marked


def _thinned(points: Floats, rows: NDArray[Any], axis: Floats, size: float) -> NDArray[Any]:
    """Leave out points that are near a lower one."""
    rows = rows[np.argsort(points[rows] @ axis, kind="stable")]
    near = np.linalg.norm(points[rows, None] - points[rows], axis=-1) <= NEAR * size
    left = np.ones(len(rows), bool)
    for i in range(len(rows)):
        if left[i]:
            left[i + 1 :] &= ~near[i, i + 1 :]
    return np.sort(rows[left]).astype(np.intp)


def _of_joints(skeleton: Skeleton, model: Floats, joints: LegJoints) -> Candidates:
    """Take ankle, toes and their descendants; they are lowered to the ground later."""
    rows = np.flatnonzero(hierarchy_mask(skeleton, joints.foot) | hierarchy_mask(skeleton, joints.ankle))
    points = np.ascontiguousarray(model[rows, :3, 3], np.float64)
    shares = np.zeros(len(rows))
    if joints.toe is not None:
        shares = hierarchy_mask(skeleton, joints.toe)[rows].astype(np.float64)
    return Candidates(points, shares)


def _flattened(candidates: list[Candidates], axis: Floats, of_joints: list[bool]) -> list[Candidates]:
    """Lower candidates that are joints to the height of the lowest of all."""
    floor = min(float((some.points @ axis).min()) for some in candidates)
    pairs = zip(candidates, of_joints, strict=True)
    return [some.lowered_to(floor, axis) if is_joints else some for some, is_joints in pairs]


def _sole(model: Floats, joints: LegJoints, candidates: Candidates, axis: Floats, size: float) -> Sole:
    points, shares = candidates.points, candidates.shares
    floor = float((points @ axis).min())
    carrier = joints.foot if candidates.turns else joints.chain[-2]
    toe = joints.toe
    points_foot = _in_frame(points, model[carrier])
    points_toe = np.zeros_like(points) if toe is None else _in_frame(points, model[toe])
    rings = neighbours(points, candidates.edges, axis, size)
    sags = sags_of(points, rings, points if candidates.around is None else candidates.around, axis, size)
    if candidates.skin is None:
        weights = np.stack([1 - shares, shares], axis=1)
        carriers = np.tile([carrier, carrier if toe is None else toe], (len(points), 1))
        skin = carriers, weights, np.stack([points_foot, points_toe], axis=1) * weights[..., None]
    else:
        skin = candidates.skin
    return Sole(
        ankle_height=float(model[joints.ankle, :3, 3] @ axis) - floor,
        toe_height=None if toe is None else float(model[toe, :3, 3] @ axis) - floor,
        floor=floor,
        points=read_only(points_foot),
        toe_points=read_only(points_toe),
        toe_shares=read_only(shares),
        rings=read_only(rings[sags <= SAG * size]),
        sags=read_only(sags[sags <= SAG * size]),
        turns=candidates.turns,
        joints=read_only(skin[0].astype(np.intp)),
        weights=read_only(skin[1]),
        offsets=read_only(skin[2]),
    )


def _in_frame(points: Floats, frame: Floats) -> Floats:
    return np.ascontiguousarray(np.linalg.solve(frame[:3, :3], (points - frame[:3, 3]).T).T)


def _checked_stance(function: str, rig: Rig, stance: ArrayLike | None) -> Floats:
    if stance is None:
        return rig.skeleton.rest.astype(np.float64)
    pose = finite_floats(stance, f"{function}: stance", (len(rig.skeleton) - rig.added, 10))
    refuse_larger(pose, f"{function}: stance")
    return rig.with_added(pose)
