# SPDX-License-Identifier: MIT
"""Spring chains of a skeleton as the core takes them: src/core/springs/spring_plan.h has the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import _core, quat
from lissom._base.names import counted
from lissom._rig.skeleton import Skeleton
from lissom._springs.chain import SpringChain
from lissom._springs.collider import SpringCollider

__all__ = ["Chain", "SpringCycle", "prepared", "resolved", "springing_joints"]

F, INT = np.float64, np.int32
SPRING = np.dtype(
    [
        ("tail", F, 3),
        ("rest", F, 4),
        ("gravity", F, 3),
        ("stiffness", F),
        ("drag", F),
        ("radius", F),
        ("joint", INT),
        ("center", INT),
        ("first_hit", INT),
        ("hit_count", INT),
        ("follows", INT),
        ("reserved", INT),
    ],
    align=True,
)
COLLIDER = np.dtype(
    [
        ("offset", F, 3),
        ("axis", F, 3),
        ("radius", F),
        ("joint", INT),
        ("kind", INT),
        ("is_inside", INT),
        ("reserved", INT),
    ],
    align=True,
)
KINDS = {"sphere": 0, "capsule": 1, "plane": 2}


class Chain(NamedTuple):
    """A chain with its joints as indices, and what it collides with, its own first."""

    chain: SpringChain
    joints: tuple[int, ...]
    center: int  # -1 for the world
    colliders: tuple[SpringCollider, ...]
    collider_joints: tuple[int, ...]

    @property
    def springing(self) -> tuple[int, ...]:
        """The joints that turn."""
        return self.joints if self.chain.end else self.joints[:-1]


class SpringCycle(ValueError):
    """A chain that moves what it depends on; `chain` is its number, `collider` that of its own or -1."""

    def __init__(self, message: str, chain: int, collider: int) -> None:
        super().__init__(message)
        self.chain, self.collider = chain, collider


def resolved(
    skeleton: Skeleton, chains: Sequence[SpringChain], colliders: Sequence[SpringCollider]
) -> list[Chain]:
    """Return chains with indices of joints; refuse what the skeleton does not have, or has otherwise."""
    found = []
    owner: dict[int, int] = {}
    for number, chain in enumerate(chains):
        what = f"Springs: chain {number}"
        joints = tuple(skeleton._index_of(joint, what) for joint in chain.joints)
        for upper, lower in pairwise(joints):
            skeleton._chain(upper, lower, what)
        center = -1 if chain.center is None else skeleton._index_of(chain.center, f"{what}: center")
        if center >= 0 and (center == joints[0] or not skeleton.is_in_hierarchy(joints[0], center)):
            raise ValueError(
                f"{what}: center must be above its first joint {skeleton.names[joints[0]]!r}, got "
                f"{skeleton.names[center]!r}"
            )
        met = (*chain.colliders, *colliders)
        places = tuple(skeleton._index_of(each.joint, f"{what}: collider") for each in met)
        one = Chain(chain, joints, center, met, places)
        for joint in one.springing:
            if joint in owner:
                raise ValueError(
                    f"Springs: chains must not share joints, got {skeleton.names[joint]!r} in chains "
                    f"{owner[joint]} and {number}"
                )
            owner[joint] = number
        found.append(one)
    return found


def springing_joints(chains: Sequence[Chain]) -> NDArray[np.int32]:
    """Return the joints that turn, (K,), in the order of the plan's springs."""
    return np.array([joint for chain in chains for joint in chain.springing], np.int32)


def prepared(skeleton: Skeleton, chains: Sequence[Chain]) -> _core.SpringPlan:
    """Return the plan; SpringCycle where colliders or centers move with what depends on them."""
    order = _order(skeleton, chains)
    springs = np.zeros(len(springing_joints(chains)), SPRING)
    distinct: dict[tuple[SpringCollider, int], int] = {}
    hits: list[int] = []
    row = 0
    for chain in chains:
        own = [
            distinct.setdefault((collider, joint), len(distinct))
            for collider, joint in zip(chain.colliders, chain.collider_joints, strict=True)
        ]
        first = len(hits)
        hits += own
        for place, joint in enumerate(chain.springing):
            spring = springs[row]
            spring["tail"] = _tail(skeleton, chain, place)
            spring["rest"] = quat.normalize(skeleton.rest[joint, 3:7].astype(np.float64))
            spring["gravity"] = chain.chain.gravity[place]  # type: ignore[index]
            for name in ("stiffness", "drag", "radius"):
                spring[name] = getattr(chain.chain, name)[place]
            spring["joint"], spring["center"] = joint, chain.center
            spring["first_hit"], spring["hit_count"] = first, len(own)
            spring["follows"] = chain.chain.follow
            row += 1
    colliders = np.zeros(len(distinct), COLLIDER)
    for (collider, joint), at in distinct.items():
        offset = np.array(collider.offset)
        axis = collider.normal if collider.shape == "plane" else np.array(collider.tail) - offset
        colliders[at] = (offset, axis, collider.radius, joint, KINDS[collider.shape], collider.inside, 0)
    return _core.SpringPlan(skeleton.parents, order, springs, colliders, np.array(hits, np.int32))


def _tail(skeleton: Skeleton, chain: Chain, place: int) -> NDArray[np.float64]:
    """Return where the tail of a joint of a chain rests in the joint's frame."""
    joint = chain.joints[place]
    rest = skeleton.rest.astype(np.float64)
    if place + 1 < len(chain.joints):
        tail, below = np.zeros(3), chain.joints[place + 1]
        while below != joint:  # joints between are skipped: they keep their rest
            tail = rest[below, :3] + quat.rotate(rest[below, 3:7], rest[below, 7:] * tail)
            below = int(skeleton.parents[below])
        return np.asarray(tail)
    # Straight on from the joint above, as long in model space as the chain says.
    model = skeleton.model_matrices(rest)
    above = chain.joints[place - 1] if place else int(skeleton.parents[joint])
    line = model[joint, :3, 3] - (model[above, :3, 3] if above >= 0 else 0.0)
    length = float(np.linalg.norm(line))
    if not length > 0:
        name = skeleton.names[joint]
        raise ValueError(
            f"Springs: end needs a direction, and {name!r} is where its parent is; name a joint below it"
        )
    linear = model[joint, :3, :3]
    if np.linalg.det(linear) == 0:
        raise ValueError(f"Springs: end needs lengths, and {skeleton.names[joint]!r} is scaled to nothing")
    return np.asarray(np.linalg.solve(linear, chain.chain.end / length * line))


def _order(skeleton: Skeleton, chains: Sequence[Chain]) -> NDArray[np.int32]:
    """Return the joints that matter, each after its parent, and those that spring after what they need."""
    parents = skeleton.parents.tolist()
    needs: dict[int, set[int]] = {}

    def add(joint: int) -> None:
        while joint >= 0 and joint not in needs:
            needs[joint] = {parents[joint]} - {-1}
            joint = parents[joint]

    for chain in chains:
        for joint in (*chain.springing, *chain.collider_joints):
            add(joint)
        for joint in chain.springing:
            needs[joint] |= {*chain.collider_joints, chain.center} - {-1}
    needed_by: dict[int, list[int]] = {joint: [] for joint in needs}
    for joint, others in needs.items():
        for other in others:
            needed_by[other].append(joint)
    open_needs = {joint: len(others) for joint, others in needs.items()}
    order = [joint for joint in sorted(needs) if not open_needs[joint]]
    for joint in order:  # which grows
        for other in needed_by[joint]:
            open_needs[other] -= 1
            if not open_needs[other]:
                order.append(other)
    if len(order) < len(needs):
        _refuse_cycle(skeleton, chains, set(needs) - set(order))
    return np.array(order, np.int32)


def _refuse_cycle(skeleton: Skeleton, chains: Sequence[Chain], left: set[int]) -> None:
    """Refuse a collider that a chain moves and meets; `left` are the joints on cycles and below them."""
    parents = skeleton.parents.tolist()
    moves: dict[int, set[int]] = {}  # chains that a joint hangs on
    for joint in sorted(left):
        above = moves.get(parents[joint], set())
        moves[joint] = above | {n for n, chain in enumerate(chains) if joint in chain.springing}
    # A chain depends on those that move its colliders, its center and itself.
    depends = [
        set().union(*(moves.get(joint, set()) for joint in (*chain.collider_joints, *{chain.center} - {-1})))
        | moves.get(parents[chain.joints[0]], set()) - {number}
        for number, chain in enumerate(chains)
    ]
    reach = [_closure(depends, number) for number in range(len(chains))]
    for number, chain in enumerate(chains):
        for place, joint in enumerate(chain.collider_joints):
            if any(number == other or number in reach[other] for other in moves.get(joint, ())):
                raise SpringCycle(
                    f"Springs: colliders must not move with what they push, got one on "
                    f"{skeleton.names[joint]!r} that the chain of {skeleton.names[chain.joints[0]]!r} meets",
                    number,
                    place if place < len(chain.chain.colliders) else -1,
                )
    raise SpringCycle(  # pragma: no cover - a center is above its chain, whose cycles are those of colliders
        f"Springs: chains must not depend on each other, got {counted(len(left), 'joint')} that do", 0, -1
    )


def _closure(depends: Sequence[set[int]], start: int) -> set[int]:
    found: set[int] = set()
    todo = [*depends[start]]
    while todo:
        number = todo.pop()
        if number not in found:
            found.add(number)
            todo += depends[number]
    return found
