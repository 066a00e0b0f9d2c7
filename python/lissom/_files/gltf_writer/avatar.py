# SPDX-License-Identifier: MIT
"""What a VRM file said of its avatar, which glTF has no property for: a mark of it."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom._files.gltf.extras import AvatarMark, ChainMark, ColliderMark, GazeRangeMark, LookAtMark
from lissom._gaze.gaze_range import GazeRange
from lissom._gaze.stated import StatedLookAt
from lissom._rig.skeleton import Skeleton
from lissom._springs.chain import SpringChain
from lissom._springs.collider import SpringCollider

__all__ = ["avatar_mark"]


def avatar_mark(skeleton: Skeleton) -> AvatarMark | None:
    """Return the mark of what the file of a skeleton said; None where it said nothing."""
    colliders: dict[SpringCollider, int] = {}
    springs = [_chain(chain, skeleton, colliders) for chain in skeleton._stated_springs]
    look_at: StatedLookAt | None = skeleton._stated_look_at
    if not (skeleton._stated_roles or springs or look_at):
        return None
    return AvatarMark(
        dict(skeleton._stated_roles),
        None if look_at is None else _look_at(look_at),
        springs,
        [_collider(each, skeleton) for each in colliders],
    )


def _look_at(stated: StatedLookAt) -> LookAtMark:
    inner, outer, down, up = map(_range, stated.ranges)
    kind: Any = stated.kind
    return LookAtMark(kind, stated.offset, stated.front, (inner, outer, down, up))


def _range(given: GazeRange) -> GazeRangeMark:
    curve = None if given.curve is None else np.asarray(given.curve, np.float64).tolist()
    return GazeRangeMark(given.input, given.output, curve)


def _chain(chain: SpringChain, skeleton: Skeleton, colliders: dict[SpringCollider, int]) -> ChainMark:
    """Return the mark of a chain; colliders that are new are added."""
    numbers: Any = chain  # its numbers are tuples, one for each joint that springs, since it checked them
    return ChainMark(
        [_name(joint, skeleton) for joint in chain.joints],
        list(numbers.stiffness),
        list(numbers.drag),
        list(numbers.gravity),
        list(numbers.radius),
        chain.end,
        None if chain.center is None else _name(chain.center, skeleton),
        [colliders.setdefault(each, len(colliders)) for each in chain.colliders],
        chain.follow,
    )


def _collider(one: SpringCollider, skeleton: Skeleton) -> ColliderMark:
    numbers: Any = one
    return ColliderMark(
        _name(one.joint, skeleton),
        one.shape,
        numbers.offset,
        numbers.tail,
        numbers.normal,
        one.radius,
        one.inside,
    )


def _name(joint: str | int, skeleton: Skeleton) -> str:
    return joint if isinstance(joint, str) else skeleton.names[joint]
