# SPDX-License-Identifier: MIT
"""Random chains to be solved, by class: skeletons, poses, targets and limits, each from a seeded generator.

Nothing here knows a solver. Limits are those of `reference.ik_limits`; `as_lissom` makes them the package's.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from lissom import Skeleton
from random_rigs import random_quats
from reference import ik, quat
from reference.ik_limits import Ball, Ellipse, Hinge, clamp, excess, random_within, room, unit

COUNTS = (2, 3, 4, 6, 8, 10, 16, 32, 64)
"""Joints of a chain, root and effector counted."""


@dataclass(frozen=True)
class Chains:
    """Poses of one skeleton and a target for each; all float64.

    `limits` are by joint index. `reachable` says for each whether some pose, within the limits, holds the
    target: known by the way it was made.
    """

    skeleton: Skeleton
    joints: np.ndarray  # (N,) root to effector
    poses: np.ndarray  # (B, J, 10)
    targets: np.ndarray  # (B, 3) model space
    reachable: np.ndarray  # (B,)
    limits: dict[int, Any]

    def __len__(self) -> int:
        return len(self.poses)

    @cached_property
    def length(self) -> float:
        """Sum of the bones in model space at rest."""
        points = ik.positions(self.skeleton.parents, self.skeleton.rest)[self.joints]
        return float(np.linalg.norm(np.diff(points, axis=0), axis=1).sum())

    def tips(self, poses: np.ndarray) -> np.ndarray:
        """Where the effector stands in model space, by the twin."""
        return ik.positions(self.skeleton.parents, np.asarray(poses, np.float64))[..., self.joints[-1], :]

    def turns(self, poses: np.ndarray, joint: int) -> np.ndarray:
        """The turns of a joint away from rest that its limit bounds."""
        rotations = np.asarray(poses, np.float64)[..., joint, 3:7]
        return ik.turned(quat.normalize(self.skeleton.rest[joint, 3:7]), quat.normalize(rotations))

    def excess(self, poses: np.ndarray) -> np.ndarray:
        """How far the worst joint lies outside of its limit, in radians."""
        over = [excess(limit, self.turns(poses, joint)) for joint, limit in self.limits.items()]
        return np.max(over, axis=0) if over else np.zeros(np.shape(poses)[:-2])

    def room(self, poses: np.ndarray, joint: int) -> np.ndarray:
        """How far the joint can go before it meets its limit, in radians."""
        return room(self.limits[joint], self.turns(poses, joint))

    def part(self, which: Any) -> "Chains":
        """Some of the poses, by index or slice."""
        return replace(
            self, poses=self.poses[which], targets=self.targets[which], reachable=self.reachable[which]
        )


def as_lissom(limits: dict[int, Any]) -> dict[int, Any]:
    """The same limits as users make them."""
    from lissom.ik import BallSocket, SwingTwist
    from lissom.ik import Hinge as PublicHinge

    def one(limit: Any) -> Any:
        if isinstance(limit, Ball):
            return BallSocket(limit.half_angle, twist=limit.twist)
        if isinstance(limit, Hinge):
            return PublicHinge(limit.axis, limit.low, limit.high)
        return SwingTwist(limit.half_angles, limit.twist, axis=limit.axis, across=limit.first)

    return {joint: one(limit) for joint, limit in limits.items()}


# Limits, each of a joint whose child lies in direction `along`.


def random_ball(rng: np.random.Generator, along: np.ndarray) -> Ball:
    twist = None if rng.random() < 0.5 else (-rng.uniform(0, 1.5), rng.uniform(0, 1.5))
    return Ball(tuple(along), rng.uniform(0.3, 1.8), twist)


def random_hinge(rng: np.random.Generator, along: np.ndarray) -> Hinge:
    """Mostly across the bone, as knees and fingers are."""
    axis = unit(np.cross(along, rng.normal(size=3)) + 0.2 * rng.normal(size=3))
    return Hinge(tuple(axis), -rng.uniform(0, 1.2), rng.uniform(0.3, 2.6))


def random_ellipse(rng: np.random.Generator, along: np.ndarray) -> Ellipse:
    """Mostly along the bone."""
    axis = unit(along + 0.2 * rng.normal(size=3))
    twist = None if rng.random() < 0.3 else (-rng.uniform(0, 1.2), rng.uniform(0, 1.2))
    first = unit(np.cross(axis, rng.normal(size=3)))
    return Ellipse(tuple(axis), tuple(first), tuple(rng.uniform(0.2, 1.5, 2)), twist)


LIMITS: dict[str, Callable[[np.random.Generator, np.ndarray], Any]] = {
    "ball": random_ball,
    "hinge": random_hinge,
    "swing_twist": random_ellipse,
}


def random_limits(
    rng: np.random.Generator, skeleton: Skeleton, joints: np.ndarray, kind: str
) -> dict[int, Any]:
    """A limit for each joint but the effector; hinges sit below a ball, mixtures leave some joints free."""
    limits = {}
    for place, (joint, child) in enumerate(zip(joints[:-1].tolist(), joints[1:].tolist(), strict=True)):
        along = skeleton.rest[child, :3].astype(np.float64)
        along = unit(along) if along.any() else np.array([0.0, 1, 0])
        chosen = rng.choice([*LIMITS, "free"]) if kind == "mixed" else kind
        if kind == "hinge" and place == 0:
            chosen = "ball"
        if chosen != "free":
            limits[joint] = LIMITS[chosen](rng, along)
    return limits


# Skeletons: a chain with what is above and beside it.


def random_bones(rng: np.random.Generator, count: int) -> np.ndarray:
    """Offsets (count - 1, 3) of 0.5 to 1.5 in any direction."""
    ways = rng.normal(size=(count - 1, 3))
    return ways / np.linalg.norm(ways, axis=1, keepdims=True) * rng.uniform(0.5, 1.5, (count - 1, 1))


def skeleton_of(
    rng: np.random.Generator,
    bones: np.ndarray,
    above: tuple[float, float, float] | None = None,
    siblings: bool = False,
    joint_scale: bool = False,
) -> tuple[Skeleton, np.ndarray]:
    """A skeleton with a chain of these bones, and the chain's joints.

    `above` is the scale of a joint two above the chain, `siblings` puts joints between and below,
    `joint_scale` scales joints of the chain uniformly.
    """
    names, parents, rest = [], [], []

    def add(name: str, parent: int, offset: np.ndarray, scale: Any = 1.0) -> int:
        names.append(f"{name} {len(names)}")
        parents.append(parent)
        rest.append(np.concatenate([offset, random_quats(rng), np.broadcast_to(scale, 3)]))
        return len(names) - 1

    joint = -1
    if above is not None or siblings:
        for scale in (1.0, above or 1.0, 1.0):
            joint = add("above", joint, rng.normal(size=3), scale)
    chain = []
    for offset in [rng.normal(size=3), *bones]:
        if siblings and joint >= 0:
            aside = add("aside", joint, rng.normal(size=3))
            add("below aside", aside, rng.normal(size=3))
        scale = rng.uniform(0.7, 1.4) if joint_scale else 1.0
        joint = add("chain", joint, offset, scale)
        chain.append(joint)
    if siblings:
        for _ in range(2):
            add("below", joint, rng.normal(size=3))
    return Skeleton(names, parents, np.array(rest)), np.array(chain)


def random_poses(rng: np.random.Generator, skeleton: Skeleton, count: int) -> np.ndarray:
    """The rest pose with all rotations at random."""
    poses = np.tile(skeleton.rest.astype(np.float64), (count, 1, 1))
    poses[..., 3:7] = random_quats(rng, count, len(skeleton))
    return poses


def at_distances(
    rng: np.random.Generator,
    skeleton: Skeleton,
    joints: np.ndarray,
    poses: np.ndarray,
    low: float,
    high: float,
) -> np.ndarray:
    """Targets in any direction from the chain's root, at `low` to `high` of its reach, and no nearer than the
    longest bone leaves room for: two bones of unequal length cannot close."""
    points = ik.positions(skeleton.parents, poses)[:, joints]
    lengths = np.linalg.norm(np.diff(points, axis=1), axis=-1)
    reach = lengths.sum(axis=1)
    hole = np.maximum(0, 2 * lengths.max(axis=1) - reach)
    nearest = np.maximum(low * reach, np.where(high > 1, 0, hole + 1e-3 * reach))
    farthest = np.maximum(high * reach, nearest)
    ways = rng.normal(size=(len(poses), 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    distance = rng.uniform(nearest, farthest)
    if len(joints) == 2:  # one bone: a sphere
        distance = reach if high <= 1 else distance
    return points[:, 0] + ways * distance[:, None]


def _within_reach(rng: np.random.Generator, count: int, size: int, **options: Any) -> Chains:
    bones = options.pop("bones", None)
    skeleton, joints = skeleton_of(rng, random_bones(rng, count) if bones is None else bones, **options)
    poses = random_poses(rng, skeleton, size)
    targets = at_distances(rng, skeleton, joints, poses, 0.3, 0.9)
    return Chains(skeleton, joints, poses, targets, np.ones(size, bool), {})


def _unreachable(rng: np.random.Generator, count: int, size: int) -> Chains:
    skeleton, joints = skeleton_of(rng, random_bones(rng, count))
    poses = random_poses(rng, skeleton, size)
    targets = at_distances(rng, skeleton, joints, poses, 1.02, 3.0)
    return Chains(skeleton, joints, poses, targets, np.zeros(size, bool), {})


def _zero_length(rng: np.random.Generator, count: int, size: int) -> Chains:
    bones = random_bones(rng, count)
    bones[rng.random(count - 1) < 0.4] = 0
    bones[rng.integers(count - 1)] = 0
    if not bones.any():  # one bone without length has nowhere to go
        chains = _within_reach(rng, count, size, bones=bones)
        return replace(chains, reachable=np.zeros(size, bool), targets=chains.targets + 0.5)
    if np.count_nonzero(bones.any(axis=1)) > 1:
        return _within_reach(rng, count, size, bones=bones)
    chains = _within_reach(rng, count, size, bones=bones)  # one bone left: a sphere
    root = ik.positions(chains.skeleton.parents, chains.poses)[:, chains.joints[0]]
    ways = rng.normal(size=(size, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    return replace(chains, targets=root + ways * chains.length)


def _collinear(rng: np.random.Generator, count: int, size: int) -> Chains:
    """Straight chains with the target on their line: inward, behind the root, outward beyond reach."""
    bones = np.zeros((count - 1, 3))
    bones[:, 1] = rng.uniform(0.5, 1.5, count - 1)
    skeleton, joints = skeleton_of(rng, bones)
    poses = random_poses(rng, skeleton, size)
    poses[:, joints[1:], 3:7] = [0, 0, 0, 1]
    points = ik.positions(skeleton.parents, poses)[:, joints]
    line = points[:, -1] - points[:, 0]
    lengths = bones[:, 1]
    hole = max(0.0, 2 * lengths.max() / lengths.sum() - 1) + 1e-3
    share = rng.choice([1, -1], size) * rng.uniform(max(0.3, hole), max(0.9, hole), size)
    beyond = rng.random(size) < 0.2
    share = np.where(beyond, rng.uniform(1.05, 2, size), np.sign(share) if count == 2 else share)
    return Chains(skeleton, joints, poses, points[:, 0] + share[:, None] * line, ~beyond, {})


def _duplicate(rng: np.random.Generator, count: int, size: int) -> Chains:
    """Targets at the root, at the effector, at an inner joint; chains folded so that joints coincide."""
    bones = random_bones(rng, count)
    bones[1:] *= np.linalg.norm(bones[0]) / np.linalg.norm(bones[1:], axis=1, keepdims=True)  # of one length
    skeleton, joints = skeleton_of(rng, bones)
    poses = random_poses(rng, skeleton, size)
    for item in np.flatnonzero(rng.random(size) < 0.5):  # fold: each bone goes back along the one before
        way = unit(rng.normal(size=3))
        above = np.array([0, 0, 0, 1.0])
        for joint, bone in zip(joints[:-1], bones, strict=True):
            local = quat.rotate(quat.conjugate(above), way)
            poses[item, joint, 3:7] = ik.shortest_arc(bone, local)
            above, way = quat.multiply(above, poses[item, joint, 3:7]), -way
    points = ik.positions(skeleton.parents, poses)[:, joints]
    place = rng.choice([0, len(joints) - 1, len(joints) // 2], size)
    targets = points[np.arange(size), place]
    away = np.linalg.norm(targets - points[:, 0], axis=1) / np.linalg.norm(bones, axis=1).sum()
    # The root can be met from three bones on, or by two that fold; with one bone only what is met already.
    reachable = (place == len(joints) - 1) if count == 2 else (away < 1)
    return Chains(skeleton, joints, poses, targets, reachable, {})


def _limited(rng: np.random.Generator, count: int, size: int, kind: str, **options: Any) -> Chains:
    """Targets where chains within their limits stand; half of the poses to start from keep to them, too."""
    skeleton, joints = skeleton_of(rng, random_bones(rng, count), **options)
    limits = random_limits(rng, skeleton, joints, kind)
    poses = random_poses(rng, skeleton, size)
    keeps = rng.random(size) < 0.5
    held = poses.copy()
    for joint, limit in limits.items():
        rest = quat.normalize(skeleton.rest[joint, 3:7])  # float32 is unit to 1e-7
        held[:, joint, 3:7] = quat.multiply(rest, random_within(limit, rng, size))
        inside = quat.multiply(rest, clamp(limit, ik.turned(rest, poses[:, joint, 3:7])))
        poses[:, joint, 3:7] = np.where(keeps[:, None], inside, poses[:, joint, 3:7])
    for joint in set(joints[:-1].tolist()) - set(limits):
        held[:, joint, 3:7] = random_quats(rng, size)
    targets = ik.positions(skeleton.parents, held)[:, joints[-1]]
    return Chains(skeleton, joints, poses, targets, np.ones(size, bool), limits)


CLASSES: dict[str, Callable[[np.random.Generator, int, int], Chains]] = {
    "reachable": _within_reach,
    "unreachable": _unreachable,
    "zero length": _zero_length,
    "collinear": _collinear,
    "duplicate": _duplicate,
    "ball": lambda *a: _limited(*a, "ball"),
    "hinge": lambda *a: _limited(*a, "hinge"),
    "swing twist": lambda *a: _limited(*a, "swing_twist"),
    "mixed": lambda *a: _limited(*a, "mixed"),
    "in a crowd": lambda *a: _within_reach(*a, siblings=True),
    "limited in a crowd": lambda *a: _limited(*a, "mixed", siblings=True),
    "below a scale": lambda *a: _within_reach(*a, above=(0.01, 0.01, 0.01)),
    "below a mirror": lambda *a: _within_reach(*a, above=(-1.5, 1.5, 1.5)),
    "below a full mirror": lambda *a: _limited(*a, "mixed", above=(-2.0, -2.0, -2.0)),
    "scaled joints": lambda *a: _limited(*a, "mixed", joint_scale=True),
}
"""Every class that all solvers solve; what hangs below a scale that is not uniform is apart, below."""

LIMITED = ("ball", "hinge", "swing twist", "mixed")


def below_uneven_scale(rng: np.random.Generator, count: int, size: int) -> Chains:
    return _within_reach(rng, count, size, above=(1.0, 1.6, 0.7))


def random_chains(name: str, count: int, size: int, seed: int = 0) -> Chains:
    """`size` poses of one random skeleton whose chain has `count` joints."""
    rng = np.random.default_rng([seed, count, *name.encode()])
    return CLASSES[name](rng, count, size)


def many_chains(
    name: str, total: int, size: int = 50, counts: tuple[int, ...] = COUNTS, seed: int = 0
) -> Iterator[Chains]:
    """`total` chains of one class, `size` to a skeleton, the joint counts in turn."""
    for batch in range(-(-total // size)):
        yield random_chains(name, counts[batch % len(counts)], min(size, total - batch * size), seed + batch)
