# SPDX-License-Identifier: MIT
"""Chains that the benchmarks of inverse kinematics share, judged by forward kinematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lissom import Skeleton, quat

SUCCESS = 1e-3  # of the chain's reach: what counts as solved, for everyone


@dataclass(frozen=True)
class Problems:
    """One skeleton that is a chain, a pose of it per item and where its effector shall go.

    The links are unit vectors along +y of their joints, a little longer or shorter, bent by up to about 40
    degrees from one to the next; targets lie in all directions from the root, at 30 to 90 % of its reach.
    """

    skeleton: Skeleton
    poses: Any  # (N, J, 10) float32
    targets: Any  # (N, 3) float32, model space
    reach: float

    @property
    def offsets(self) -> Any:
        """Of each joint below the root, in its parent's frame, (J - 1, 3)."""
        return self.skeleton.rest[1:, :3]

    def positions(self, poses: Any = None) -> Any:
        """Where all joints are, (N, J, 3) float64, by forward kinematics written out."""
        poses = np.asarray(self.poses if poses is None else poses, np.float64)
        turn = quat.normalize(poses[:, 0, 3:7])
        places = [poses[:, 0, :3]]
        for joint in range(1, poses.shape[1]):
            places.append(places[-1] + quat.rotate(turn, poses[:, joint, :3]))
            turn = quat.multiply(turn, quat.normalize(poses[:, joint, 3:7]))
        return np.stack(places, axis=1)

    def misses(self, effectors: Any) -> Any:
        """How far effectors (N, 3) are from their targets, of the reach."""
        return np.linalg.norm(np.asarray(effectors, np.float64) - self.targets, axis=-1) / self.reach

    def share_solved(self, effectors: Any) -> float:
        return float(np.mean(self.misses(effectors) <= SUCCESS))

    def first(self, count: int) -> Problems:
        return Problems(self.skeleton, self.poses[:count], self.targets[:count], self.reach)


def make_problems(joints: int, count: int, seed: int = 1, spread: float = 0.25) -> Problems:
    """Chains of `joints` joints, the effector included, in poses about `spread` rad from the rest pose."""
    rng = np.random.default_rng(seed)
    rest = np.zeros((joints, 10))
    rest[:, 6:] = 1
    rest[1:, 1] = rng.uniform(0.9, 1.1, joints - 1)
    rest[1:-1, 3:7] = quat.from_rotation_vector(rng.uniform(-0.4, 0.4, (joints - 2, 3)))
    skeleton = Skeleton([f"joint {i}" for i in range(joints)], [*range(-1, joints - 1)], rest)
    poses = np.tile(rest, (count, 1, 1))
    turns = quat.from_rotation_vector(spread * rng.normal(size=(count, joints - 1, 3)))
    poses[:, :-1, 3:7] = quat.multiply(rest[:-1, 3:7], turns)
    reach = float(rest[1:, 1].sum())
    ways = rng.normal(size=(count, 3))
    ways /= np.linalg.norm(ways, axis=-1, keepdims=True)
    targets = reach * rng.uniform(0.3, 0.9, (count, 1)) * ways
    return Problems(skeleton, poses.astype(np.float32), targets.astype(np.float32), reach)


def make_limited_problems(joints: int, count: int, seed: int = 2) -> tuple[Problems, dict[int, Any]]:
    """Make the same chains with a limit at every joint but the effector: knees and shoulders by turns.

    All start from the rest pose; targets are where the effector is in random poses within the limits.
    """
    from lissom import ik

    problems = make_problems(joints, count, seed, 0.0)
    rng = np.random.default_rng(seed)
    limits: dict[int, Any] = {}
    goals = problems.poses.astype(np.float64)
    for joint in range(joints - 1):
        if joint % 2:
            limits[joint] = ik.Hinge([1, 0, 0], -0.2, 2.2)
            turns = quat.from_axis_angle([1.0, 0.0, 0.0], rng.uniform(-0.2, 2.2, count))
        else:
            limits[joint] = ik.BallSocket(0.8, twist=(-0.5, 0.5))
            way = rng.uniform(-np.pi, np.pi, count)
            axis = np.stack([np.cos(way), np.zeros(count), np.sin(way)], axis=-1)
            swing = quat.from_axis_angle(axis, rng.uniform(0, 0.8, count))
            turns = quat.multiply(swing, quat.from_axis_angle([0.0, 1.0, 0.0], rng.uniform(-0.5, 0.5, count)))
        goals[:, joint, 3:7] = quat.multiply(goals[:, joint, 3:7], turns)
    targets = problems.positions(goals)[:, -1].astype(np.float32)
    return Problems(problems.skeleton, problems.poses, targets, problems.reach), limits
