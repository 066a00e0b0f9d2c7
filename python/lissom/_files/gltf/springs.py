# SPDX-License-Identifier: MIT
"""The springs of a VRM file: secondaryAnimation of VRM 0, VRMC_springBone of VRM 1."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import msgspec
from msgspec import Raw

from lissom._base.numbers import LARGEST
from lissom._base.printable import printable, quoted
from lissom._files.gltf.json_text import TOO_MUCH_JSON
from lissom._files.gltf.log import Log
from lissom._files.gltf.schema import NOTHING, Document
from lissom._formats.budget import Budget, JsonExtent
from lissom._rig.skeleton import Skeleton
from lissom._springs.chain import SpringChain
from lissom._springs.collider import SpringCollider, Vector
from lissom._springs.plan import Chain, ChainResolver, SpringCycle, update_order

__all__ = ["FileSprings", "read_springs"]

LEFT_OUT = "SPRINGS_LEFT_OUT"
END = 0.07  # metres: the bone that VRM 0 adds to the last joint of a chain
BYTES_PER_JOINT = 400  # of a chain, with its numbers
BYTES_PER_HIT = 100  # of a collider that a chain meets
MANY_HITS = "its springs meet the same colliders too often"

T = TypeVar("T")

_Triple = tuple[float, float, float]
_DOWN = (0.0, -1.0, 0.0)
_ZERO = (0.0, 0.0, 0.0)


class _Vector0(msgspec.Struct, gc=False):
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0


class _Sphere0(msgspec.Struct, gc=False):
    offset: _Vector0 = msgspec.field(default_factory=_Vector0)
    radius: float = 0.0


class _Group0(msgspec.Struct, gc=False):
    node: int = -1
    colliders: list[_Sphere0] = []


class _Bones0(msgspec.Struct, gc=False):
    bones: list[int] = []
    stiffiness: float = 1.0  # sic
    gravityPower: float = 0.0
    gravityDir: _Vector0 = msgspec.field(default_factory=lambda: _Vector0(0.0, -1.0, 0.0))
    dragForce: float = 0.4
    center: int = -1
    hitRadius: float = 0.0
    colliderGroups: list[int] = []


class _Secondary(msgspec.Struct, gc=False):
    boneGroups: list[_Bones0] = []
    colliderGroups: list[_Group0] = []


class _Vrm0(msgspec.Struct, gc=False):
    secondaryAnimation: _Secondary = msgspec.field(default_factory=_Secondary)


class _Shape1(msgspec.Struct, gc=False):
    offset: _Triple = _ZERO
    radius: float = 0.0
    tail: _Triple = _ZERO
    normal: _Triple = (0.0, 0.0, 1.0)
    inside: bool = False


class _Shapes1(msgspec.Struct, gc=False):
    sphere: _Shape1 | None = None
    capsule: _Shape1 | None = None
    plane: _Shape1 | None = None


class _Extended(msgspec.Struct, gc=False):
    shape: _Shapes1 = msgspec.field(default_factory=_Shapes1)


class _ColliderExtensions(msgspec.Struct, gc=False):
    VRMC_springBone_extended_collider: _Extended | None = None


class _Collider1(msgspec.Struct, gc=False):
    node: int = -1
    shape: _Shapes1 = msgspec.field(default_factory=_Shapes1)
    extensions: _ColliderExtensions = msgspec.field(default_factory=_ColliderExtensions)


class _Group1(msgspec.Struct, gc=False):
    colliders: list[int] = []


class _Joint1(msgspec.Struct, gc=False):
    node: int = -1
    hitRadius: float = 0.0
    stiffness: float = 1.0
    gravityPower: float = 0.0
    gravityDir: _Triple = _DOWN
    dragForce: float = 0.5


class _Spring1(msgspec.Struct, gc=False):
    joints: list[_Joint1] = []
    colliderGroups: list[int] = []
    center: int = -1


class _Vrm1(msgspec.Struct, gc=False):
    colliders: list[_Collider1] = []
    colliderGroups: list[_Group1] = []
    springs: list[_Spring1] = []


@dataclass(slots=True)
class _Collider:
    """A collider on a node."""

    node: int
    make: Callable[[str], SpringCollider]


@dataclass(slots=True)
class _Chain:
    """A chain of nodes; numbers are one for each joint that springs."""

    pointer: str
    nodes: list[int]
    numbers: list[tuple[float, float, Vector, float]]  # stiffness, drag, gravity, radius
    end: float
    center: int
    colliders: list[_Collider]

    @property
    def turned(self) -> list[int]:
        """The nodes that spring."""
        return self.nodes if self.end else self.nodes[:-1]


class FileSprings:
    """The springs of a file, by its nodes.

    Attributes
    ----------
    nodes : list of int
        Nodes that chains, colliders and centers need.
    """

    def __init__(self, chains: Sequence[_Chain], log: Log) -> None:
        self._chains, self._log = chains, log
        used: dict[int, None] = {}
        for chain in chains:
            used |= dict.fromkeys(chain.nodes) | {each.node: None for each in chain.colliders}
            if chain.center >= 0:
                used[chain.center] = None
        self.nodes = list(used)

    def chains(self, skeleton: Skeleton, names: dict[int, str]) -> tuple[SpringChain, ...]:
        """Return the chains, by the names of nodes that are joints; what does not fit is left out."""
        owner: dict[int, int] = {}
        for number, chain in enumerate(self._chains):
            for node in chain.turned:
                owner[node] = number  # where chains share joints, the last one turns them, as in three-vrm
        resolver = ChainResolver(skeleton)
        colliders: dict[int, SpringCollider] = {}
        pointers: list[str] = []
        found: list[Chain] = []
        for number, chain in enumerate(self._chains):
            if any(owner[node] != number for node in chain.turned):
                self._leave_out(chain.pointer, "a joint of the chain is in a later one, too")
                continue
            if any(node not in names for node in (*chain.nodes, *(each.node for each in chain.colliders))):
                self._leave_out(chain.pointer, "a joint of the chain is not in the scene")
                continue
            for each in chain.colliders:
                if id(each) not in colliders:
                    colliders[id(each)] = each.make(names[each.node])
            try:
                met = [colliders[id(each)] for each in chain.colliders]
                found.append(self._resolved(chain, names, met, resolver))
                pointers.append(chain.pointer)
            except ValueError as error:
                self._leave_out(chain.pointer, str(error).partition(": ")[2])
        return self._without_cycles(skeleton, found, pointers)

    def _resolved(
        self, chain: _Chain, names: dict[int, str], colliders: list[SpringCollider], resolver: ChainResolver
    ) -> Chain:
        stiffness, drag, gravity, radius = zip(*chain.numbers, strict=True)
        made = SpringChain(
            [names[node] for node in chain.nodes],
            stiffness=stiffness,
            drag=drag,
            gravity=gravity,
            radius=radius,
            end=chain.end,
            center=names.get(chain.center),
            colliders=colliders,
        )
        try:
            return resolver.chain(made, "springs")
        except ValueError:
            if made.center is None:
                raise
        found = resolver.chain(replace(made, center=None), "springs")
        self._leave_out(chain.pointer, "its center is not above it; motion is measured in the world's space")
        return found

    def _without_cycles(
        self, skeleton: Skeleton, chains: list[Chain], pointers: list[str]
    ) -> tuple[SpringChain, ...]:
        """Return the chains without colliders that move with what they push."""
        kept = [chain.chain for chain in chains]
        try:
            update_order(skeleton, chains)
        except SpringCycle as cycle:
            left_out: dict[int, set[int]] = {}
            for number, place in cycle.hits:
                left_out.setdefault(number, set()).add(place)
            for number, places in left_out.items():
                for place in sorted(places):
                    name = kept[number].colliders[place].joint
                    self._leave_out(pointers[number], f"a collider on {quoted(str(name))} moves with it")
                met = [each for place, each in enumerate(kept[number].colliders) if place not in places]
                kept[number] = replace(kept[number], colliders=met)
        return tuple(kept)

    def _leave_out(self, pointer: str, why: str) -> None:
        self._log.note(LEFT_OUT, pointer, printable(why, 300))


def read_springs(document: Document, log: Log, budget: Budget) -> FileSprings:
    """Read the springs of a VRM file; none for other files. Wrong entries are left out, with a record."""
    new: Raw = getattr(document.extensions, "VRMC_springBone", NOTHING)
    old: Raw = getattr(document.extensions, "VRM", NOTHING)
    chains: list[_Chain] = []
    if new is not NOTHING:
        one = _decoded(new, _Vrm1, "/extensions/VRMC_springBone", log, budget)
        if one is not None:
            chains = _chains1(one, document, log, budget)
    elif old is not NOTHING:
        zero = _decoded(old, _Vrm0, "/extensions/VRM/secondaryAnimation", log, budget)
        if zero is not None:
            chains = _chains0(zero.secondaryAnimation, document, log, budget)
    return FileSprings(chains, log)


def _decoded(text: Raw, kind: type[T], pointer: str, log: Log, budget: Budget) -> T | None:
    budget.spend(JsonExtent.of(text).typed_bytes, pointer, TOO_MUCH_JSON)
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError as error:
        log.note(LEFT_OUT, pointer, f"the springs cannot be read: {printable(str(error), 200)}")
        return None


def _chains0(said: _Secondary, document: Document, log: Log, budget: Budget) -> list[_Chain]:
    pointer = "/extensions/VRM/secondaryAnimation"
    count = len(document.nodes)
    groups: list[list[_Collider]] = []
    for number, group in enumerate(said.colliderGroups):
        where = f"{pointer}/colliderGroups/{number}"
        has_node = _known([group.node], count, where, log)
        # z is the other way round in VRM 0: its offsets are Unity's.
        places = (
            [((e.offset.x, e.offset.y, -e.offset.z), e.radius) for e in group.colliders] if has_node else []
        )
        made = [_sphere(group.node, offset, radius) for offset, radius in places]
        groups.append([each for each in made if _holds(each, where, log)])
    chains: list[_Chain] = []
    for number, bones in enumerate(said.boneGroups):
        where = f"{pointer}/boneGroups/{number}"
        met = _met(bones.colliderGroups, groups, where, log)
        down = bones.gravityDir
        numbers = _numbers(
            bones.stiffiness,
            bones.dragForce,
            bones.gravityPower,
            (down.x, down.y, down.z),
            bones.hitRadius,
            where,
            log,
        )
        center = bones.center if 0 <= bones.center < count else -1
        for root in _known(bones.bones, count, where, log):
            for nodes in _strands(document, root):
                budget.spend(BYTES_PER_JOINT * len(nodes), where, "its springs overlap too often")
                budget.spend(BYTES_PER_HIT * len(met), where, MANY_HITS)
                chains.append(_Chain(where, nodes, [numbers] * len(nodes), END, center, met))
    return chains


def _strands(document: Document, root: int) -> Iterable[list[int]]:
    """Yield lines of nodes below a root: each on to its first child; other children begin their own."""
    begins = [root]
    while begins:
        line = [begins.pop()]
        while document.nodes[line[-1]].children:
            first, *others = document.nodes[line[-1]].children
            begins += reversed(others)
            line.append(first)
        yield line


def _chains1(said: _Vrm1, document: Document, log: Log, budget: Budget) -> list[_Chain]:
    pointer = "/extensions/VRMC_springBone"
    count = len(document.nodes)
    colliders: list[list[_Collider]] = []
    for number, collider in enumerate(said.colliders):
        where = f"{pointer}/colliders/{number}"
        made = [_shaped(collider, node) for node in _known([collider.node], count, where, log)]
        if made and made[0] is None:
            log.note(LEFT_OUT, where, "the collider has no shape that is known")
        colliders.append([each for each in made if each is not None and _holds(each, where, log)])
    groups = [
        _met(group.colliders, colliders, f"{pointer}/colliderGroups/{number}", log)
        for number, group in enumerate(said.colliderGroups)
    ]
    chains: list[_Chain] = []
    for number, spring in enumerate(said.springs):
        where = f"{pointer}/springs/{number}"
        nodes = [joint.node for joint in spring.joints]
        if len(_known(nodes, count, where, log)) < len({*nodes}) or len(nodes) < 2:
            continue  # a chain of one joint has no tail
        budget.spend(BYTES_PER_JOINT * len(nodes), where, TOO_MUCH_JSON)
        numbers = [
            _numbers(
                joint.stiffness,
                joint.dragForce,
                joint.gravityPower,
                joint.gravityDir,
                joint.hitRadius,
                f"{where}/joints/{place}",
                log,
            )
            for place, joint in enumerate(spring.joints[:-1])
        ]
        center = spring.center if 0 <= spring.center < count else -1
        met = _met(spring.colliderGroups, groups, where, log)
        budget.spend(BYTES_PER_HIT * len(met), where, MANY_HITS)
        chains.append(_Chain(where, nodes, numbers, 0.0, center, met))
    return chains


def _shaped(collider: _Collider1, node: int) -> _Collider | None:
    """Return the collider; the extended shape counts where there is one, the other is for older players."""
    extended = collider.extensions.VRMC_springBone_extended_collider
    found = None if extended is None else _of_shapes(extended.shape, node)
    return _of_shapes(collider.shape, node) if found is None else found


def _of_shapes(shapes: _Shapes1, node: int) -> _Collider | None:
    sphere, capsule, plane = shapes.sphere, shapes.capsule, shapes.plane
    if sphere is not None:
        return _sphere(node, sphere.offset, sphere.radius, sphere.inside)
    if capsule is not None:
        return _Collider(
            node,
            lambda joint: SpringCollider.capsule(
                joint, capsule.radius, tail=capsule.tail, offset=capsule.offset, inside=capsule.inside
            ),
        )
    if plane is not None:
        return _Collider(
            node, lambda joint: SpringCollider.plane(joint, normal=plane.normal, offset=plane.offset)
        )
    return None


def _sphere(node: int, offset: _Triple, radius: float, inside: bool = False) -> _Collider:
    return _Collider(node, lambda joint: SpringCollider.sphere(joint, radius, offset=offset, inside=inside))


def _holds(collider: _Collider, pointer: str, log: Log) -> bool:
    """Whether the numbers of a collider can be used."""
    try:
        collider.make("")
    except ValueError as error:
        log.note(LEFT_OUT, pointer, str(error).partition(": ")[2])
        return False
    return True


def _met(numbers: Iterable[int], lists: Sequence[list[_Collider]], pointer: str, log: Log) -> list[_Collider]:
    """Return the colliders of these lists, each once."""
    known = _known(numbers, len(lists), pointer, log, "colliders or their groups")
    met = {id(each): each for number in known for each in lists[number]}
    return list(met.values())


def _known(indices: Iterable[int], count: int, pointer: str, log: Log, what: str = "nodes") -> list[int]:
    """Return the indices below a count, each once."""
    kept = []
    for index in dict.fromkeys(indices):
        if 0 <= index < count:
            kept.append(index)
        else:
            log.note(LEFT_OUT, pointer, f"the index must be below {count}, the number of {what}, got {index}")
    return kept


def _numbers(
    stiffness: float, drag: float, power: float, direction: _Triple, radius: float, pointer: str, log: Log
) -> tuple[float, float, Vector, float]:
    """Return the numbers of a joint within what they may be."""
    gravity = [min(max(power * part, -LARGEST), LARGEST) for part in direction]
    given = (stiffness, drag, radius, *(power * part for part in direction))
    if not all(map(math.isfinite, given)):
        gravity = [0.0, 0.0, 0.0]
    used = (min(max(stiffness, 0.0), LARGEST), min(max(drag, 0.0), 1.0), min(max(radius, 0.0), LARGEST))
    if (*used, *gravity) != given:
        log.note(
            LEFT_OUT, pointer, "stiffness, drag, gravity or radius is out of range; the nearest is taken"
        )
    return used[0], used[1], (gravity[0], gravity[1], gravity[2]), used[2]
