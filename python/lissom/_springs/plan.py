# SPDX-License-Identifier: MIT
"""Spring chains of a skeleton as the core takes them: src/core/springs/spring_plan.h has the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple, NoReturn

import numpy as np
from numpy.typing import NDArray

from lissom import _core, quat
from lissom._rig.skeleton import Skeleton
from lissom._springs.chain import SpringChain
from lissom._springs.collider import SpringCollider

__all__ = [
    "Chain",
    "ChainResolver",
    "SpringCycle",
    "prepared",
    "resolved",
    "springing_joints",
    "update_order",
]

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
    """Colliders that move with what they push: the numbers of a chain and of a collider it meets, each."""

    def __init__(self, message: str, hits: list[tuple[int, int]]) -> None:
        super().__init__(message)
        self.hits = hits


class ChainResolver:
    """Finds the joints of chains in a skeleton."""

    def __init__(self, skeleton: Skeleton) -> None:
        self._skeleton = skeleton
        # Walks into and out of each joint, depth first: those below it are between.
        parents = skeleton.parents.tolist()
        sizes = [1] * len(parents)
        for joint in reversed(range(len(parents))):
            if parents[joint] >= 0:
                sizes[parents[joint]] += sizes[joint]
        begins, free, roots = [0] * len(parents), [0] * len(parents), 0
        for joint, parent in enumerate(parents):
            if parent < 0:
                begins[joint], roots = roots, roots + sizes[joint]
            else:
                begins[joint], free[parent] = free[parent], free[parent] + sizes[joint]
            free[joint] = begins[joint] + 1
        self._begins, self._sizes = begins, sizes

    def is_below(self, joint: int, other: int) -> bool:
        """Return whether a joint is a descendant of another."""
        return 0 < self._begins[joint] - self._begins[other] < self._sizes[other]

    def colliders(self, colliders: Sequence[SpringCollider], what: str) -> tuple[int, ...]:
        """Return the joints of colliders as indices; refuse what the skeleton does not have."""
        return tuple(self._skeleton._index_of(each.joint, what) for each in colliders)

    def chain(self, chain: SpringChain, what: str) -> Chain:
        """Return a chain with indices of joints; refuse what the skeleton does not have, or has otherwise."""
        skeleton = self._skeleton
        joints = tuple(skeleton._index_of(joint, what) for joint in chain.joints)
        for upper, lower in pairwise(joints):
            if not self.is_below(lower, upper):
                above = f"{skeleton.names[upper]!r}, the one before it"
                raise ValueError(f"{what}: {skeleton.names[lower]!r} must be a descendant of {above}")
        center = -1 if chain.center is None else skeleton._index_of(chain.center, f"{what}: center")
        if center >= 0 and not self.is_below(joints[0], center):
            raise ValueError(
                f"{what}: center must be above its first joint {skeleton.names[joints[0]]!r}, got "
                f"{skeleton.names[center]!r}"
            )
        own = self.colliders(chain.colliders, f"{what}: collider")
        return Chain(chain, joints, center, tuple(chain.colliders), own)


def resolved(
    skeleton: Skeleton, chains: Sequence[SpringChain], colliders: Sequence[SpringCollider]
) -> list[Chain]:
    """Return chains with indices of joints; refuse those that do not fit the skeleton or each other."""
    resolver = ChainResolver(skeleton)
    found = []
    owner: dict[int, int] = {}
    shared = tuple(colliders)
    shared_joints = resolver.colliders(shared, "Springs: colliders")
    for number, chain in enumerate(chains):
        own = resolver.chain(chain, f"Springs: chain {number}")
        found.append(
            own._replace(
                colliders=own.colliders + shared, collider_joints=own.collider_joints + shared_joints
            )
        )
        for joint in found[-1].springing:
            if joint in owner:
                raise ValueError(
                    f"Springs: chains must not share joints, got {skeleton.names[joint]!r} in chains "
                    f"{owner[joint]} and {number}"
                )
            owner[joint] = number
    return found


def springing_joints(chains: Sequence[Chain]) -> NDArray[np.int32]:
    """Return the joints that turn, (K,), in the order of the plan's springs."""
    return np.array([joint for chain in chains for joint in chain.springing], np.int32)


def prepared(skeleton: Skeleton, chains: Sequence[Chain]) -> _core.SpringPlan:
    """Return the plan; SpringCycle where colliders or centers move with what depends on them."""
    order = update_order(skeleton, chains)
    model = skeleton.model_matrices(skeleton.rest.astype(np.float64))
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
            spring["tail"] = _tail(skeleton, model, chain, place)
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


def _tail(skeleton: Skeleton, model: NDArray[np.float64], chain: Chain, place: int) -> NDArray[np.float64]:
    """Return where the tail of a joint of a chain rests in the joint's frame.

    `model` are the matrices of the rest pose.
    """
    joint = chain.joints[place]
    if place + 1 < len(chain.joints):
        below = chain.joints[place + 1]
        if skeleton.parents[below] == joint:
            return skeleton.rest[below, :3].astype(np.float64)
        line = model[below, :3, 3] - model[joint, :3, 3]  # joints between keep their rest
        if np.linalg.det(model[joint, :3, :3]) == 0:
            return np.zeros(3)
        return np.asarray(np.linalg.solve(model[joint, :3, :3], line))
    # Straight on from the joint above, as long in model space as the chain says.
    above = chain.joints[place - 1] if place else int(skeleton.parents[joint])
    line = model[joint, :3, 3] - (model[above, :3, 3] if above >= 0 else 0.0)
    length = float(np.linalg.norm(line))
    name = skeleton.names[joint]
    if not length > 0:
        raise ValueError(
            f"Springs: end needs a direction, and {name!r} is where its parent is; name a joint below it"
        )
    if np.linalg.det(model[joint, :3, :3]) == 0:
        raise ValueError(f"Springs: end needs lengths, and {name!r} is scaled to nothing")
    return np.asarray(np.linalg.solve(model[joint, :3, :3], chain.chain.end / length * line))


def update_order(skeleton: Skeleton, chains: Sequence[Chain]) -> NDArray[np.int32]:
    """Return the joints that matter, each after its parent, and those that spring after what they need.

    SpringCycle where that cannot be.
    """
    parents, count = skeleton.parents.tolist(), len(skeleton)
    # What each joint needs, and each chain, whose numbers go on after those of the joints.
    needs: dict[int, list[int]] = {}

    def add(joint: int) -> None:
        while joint >= 0 and joint not in needs:
            needs[joint] = [parents[joint]] if parents[joint] >= 0 else []
            joint = parents[joint]

    for number, chain in enumerate(chains):
        for joint in (*chain.springing, *chain.collider_joints):
            add(joint)
        for joint in chain.springing:
            needs[joint].append(count + number)
        needs[count + number] = [*chain.collider_joints, *([] if chain.center < 0 else [chain.center])]
    needed_by: dict[int, list[int]] = {each: [] for each in needs}
    for each, others in needs.items():
        for other in others:
            needed_by[other].append(each)
    waits = {each: len(others) for each, others in needs.items()}
    order = [each for each in sorted(needs) if not waits[each]]
    for each in order:  # which grows
        for other in needed_by[each]:
            waits[other] -= 1
            if not waits[other]:
                order.append(other)
    if len(order) < len(needs):
        _refuse_cycles(skeleton, chains, {each: needs[each] for each in needs if waits[each]})
    return np.array([each for each in order if each < count], np.int32)


def _refuse_cycles(skeleton: Skeleton, chains: Sequence[Chain], needs: dict[int, list[int]]) -> NoReturn:
    """Refuse the colliders that move with what they push; every circle has one, as joints are a tree."""
    component = _components(needs)
    count = len(skeleton)
    hits = [
        (number, place)
        for number, chain in enumerate(chains)
        for place, joint in enumerate(chain.collider_joints)
        if component.get(joint, -1) == component.get(count + number, -2)
    ]
    number, place = hits[0]
    raise SpringCycle(
        f"Springs: colliders must not move with what they push, got one on "
        f"{skeleton.names[chains[number].collider_joints[place]]!r} that the chain of "
        f"{skeleton.names[chains[number].joints[0]]!r} meets",
        hits,
    )


def _components(needs: dict[int, list[int]]) -> dict[int, int]:
    """Return the strongly connected component of each node: Kosaraju's two passes, without recursion."""
    finished: list[int] = []
    seen: set[int] = set()
    for start in needs:
        path = [] if start in seen else [(start, iter(needs[start]))]
        seen.add(start)
        while path:
            each, others = path[-1]
            ahead = next((other for other in others if other in needs and other not in seen), None)
            if ahead is None:
                finished.append(each)
                path.pop()
            else:
                seen.add(ahead)
                path.append((ahead, iter(needs[ahead])))
    needed_by: dict[int, list[int]] = {each: [] for each in needs}
    for each, others_of in needs.items():
        for other in others_of:
            if other in needs:
                needed_by[other].append(each)
    component: dict[int, int] = {}
    for start in reversed(finished):
        todo = [] if start in component else [start]
        while todo:
            each = todo.pop()
            if each not in component:
                component[each] = start
                todo += needed_by[each]
    return component
