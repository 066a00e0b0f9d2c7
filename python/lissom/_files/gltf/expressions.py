# SPDX-License-Identifier: MIT
"""The expressions of a VRM file: blendShapeMaster of VRM 0, expressions of VRM 1."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

import msgspec
from msgspec import Raw

from lissom._base.numbers import LARGEST
from lissom._base.printable import printable, quoted
from lissom._files.gltf.extras import ExpressionMark
from lissom._files.gltf.json_text import TOO_MUCH_JSON
from lissom._files.gltf.log import Log
from lissom._files.gltf.morph_targets import MorphTargets
from lissom._files.gltf.schema import NOTHING, Document
from lissom._formats.budget import Budget, JsonExtent
from lissom._rig.expressions import PRESETS, PRESETS_OF_VRM_0, Expression, Override

__all__ = ["read_expressions"]

LEFT_OUT = "EXPRESSION_LEFT_OUT"
BIND_LEFT_OUT = "EXPRESSION_BIND_LEFT_OUT"
MATERIALS_LEFT_OUT = "EXPRESSION_MATERIALS_LEFT_OUT"
_BYTES_PER_BIND = 400  # with its name, and its numbers in arrays
_BYTES_PER_EXPRESSION = 1000

T = TypeVar("T")


class _Bind1(msgspec.Struct, gc=False):
    node: int = -1
    index: int = -1
    weight: float = 1.0


class _Expression1(msgspec.Struct, gc=False):
    isBinary: bool = False
    overrideBlink: str = "none"
    overrideLookAt: str = "none"
    overrideMouth: str = "none"
    morphTargetBinds: list[_Bind1] = []
    materialColorBinds: Raw = NOTHING
    textureTransformBinds: Raw = NOTHING


class _Expressions1(msgspec.Struct, gc=False):
    preset: dict[str, _Expression1 | None] = {}
    custom: dict[str, _Expression1 | None] = {}


class _Vrm1(msgspec.Struct, gc=False):
    expressions: _Expressions1 | None = None


class _Bind0(msgspec.Struct, gc=False):
    mesh: int = -1
    index: int = -1
    weight: float = 100.0


class _Group0(msgspec.Struct, gc=False):
    name: str | None = None
    presetName: str | None = None
    isBinary: bool = False
    binds: list[_Bind0] | None = None
    materialValues: Raw = NOTHING


class _Master0(msgspec.Struct, gc=False):
    blendShapeGroups: list[_Group0] | None = None


class _Vrm0(msgspec.Struct, gc=False):
    blendShapeMaster: _Master0 | None = None


@dataclass(slots=True)
class _Reader:
    """Makes expressions of the binds of a file."""

    document: Document
    targets: MorphTargets
    log: Log
    budget: Budget

    def made(
        self,
        name: str,
        binds: Iterable[tuple[int, int, float]],
        pointer: str,
        *,
        binary: bool = False,
        overrides: tuple[Override, Override, Override] = ("none", "none", "none"),
        materials: bool = False,
    ) -> Expression:
        """Return an expression; `binds` are nodes, numbers of their targets, and weights."""
        self.budget.spend(_BYTES_PER_EXPRESSION, pointer, "it has too many expressions")
        weights: dict[str, float] = {}
        for node, index, weight in binds:
            self.budget.spend(_BYTES_PER_BIND, pointer, "its expressions bind too much")
            numbers = self.targets.numbers.get(node, ())
            if not 0 <= index < len(numbers):
                which = f"node {node} has {len(numbers)} that are loaded, got {index}"
                self.log.mend(BIND_LEFT_OUT, pointer, f"{quoted(name)} must bind a morph target; {which}")
            elif not abs(weight) <= LARGEST:
                self.log.mend(BIND_LEFT_OUT, pointer, f"{quoted(name)} has a weight of {weight:g}")
            else:
                morph = self.targets.names[numbers[index]]
                weights[morph] = weights.get(morph, 0.0) + weight
        if materials:
            what = f"{quoted(name)} changes colours or textures, too, which are not loaded"
            self.log.note(MATERIALS_LEFT_OUT, pointer, what)
        return Expression(name, weights, binary, *overrides)

    def of_1(self, said: _Expressions1) -> Iterator[Expression]:
        pointer = "/extensions/VRMC_vrm/expressions"
        for group, members in (("preset", said.preset), ("custom", said.custom)):
            for name, each in members.items():
                where = f"{pointer}/{group}/{name[:100]}"
                if each is None:
                    continue
                if (name in PRESETS) != (group == "preset") or not name:
                    fault = "is no preset of VRM 1" if group == "preset" else "is the name of a preset"
                    self.log.note(LEFT_OUT, where, f"{quoted(name)} {fault if name else 'is no name'}")
                    continue
                yield self.made(
                    name,
                    [(bind.node, bind.index, bind.weight) for bind in each.morphTargetBinds],
                    where,
                    binary=each.isBinary,
                    overrides=(
                        self._override(each.overrideBlink, f"{where}/overrideBlink"),
                        self._override(each.overrideLookAt, f"{where}/overrideLookAt"),
                        self._override(each.overrideMouth, f"{where}/overrideMouth"),
                    ),
                    materials=_has_items(each.materialColorBinds) or _has_items(each.textureTransformBinds),
                )

    def _override(self, said: str, pointer: str) -> Override:
        if said == "block":
            return "block"
        if said == "blend":
            return "blend"
        if said != "none":
            self.log.mend(LEFT_OUT, pointer, f"an override must be none, block or blend, got {quoted(said)}")
        return "none"

    def of_0(self, groups: list[_Group0]) -> Iterator[Expression]:
        nodes_of: dict[int, list[int]] = {}
        for node in self.targets.numbers:
            nodes_of.setdefault(self.document.nodes[node].mesh, []).append(node)
        seen: set[str] = set()
        for number, group in enumerate(groups):
            where = f"/extensions/VRM/blendShapeMaster/blendShapeGroups/{number}"
            name = PRESETS_OF_VRM_0.get(group.presetName or "") or group.name or ""
            if not name or name in seen:
                fault = f"{quoted(name)} is there twice" if name else "an expression must have a name"
                self.log.note(LEFT_OUT, where, fault)
                continue
            seen.add(name)
            yield self.made(
                name,
                self._binds_0(name, group.binds or [], nodes_of, where),
                where,
                binary=group.isBinary,
                materials=_has_items(group.materialValues),
            )

    def _binds_0(
        self, name: str, binds: list[_Bind0], nodes_of: dict[int, list[int]], pointer: str
    ) -> Iterator[tuple[int, int, float]]:
        """Yield the nodes that carry the meshes which VRM 0 binds, whose weights are percent."""
        for bind in binds:
            nodes = nodes_of.get(bind.mesh, ())
            if not nodes:
                fault = f"{quoted(name)} must bind a mesh with morph targets, got mesh {bind.mesh}"
                self.log.mend(BIND_LEFT_OUT, pointer, fault)
            for node in nodes:
                yield node, bind.index, bind.weight / 100


def read_expressions(
    document: Document,
    marked: Sequence[ExpressionMark] | None,
    targets: MorphTargets,
    log: Log,
    budget: Budget,
) -> list[Expression] | None:
    """Read the expressions; None for files without any. Wrong ones are left out, with a record.

    `marked` are those of a file that lissom saved.
    """
    if marked is not None:
        return _marked(marked, targets, log, budget)
    new: Raw = getattr(document.extensions, "VRMC_vrm", NOTHING)
    old: Raw = getattr(document.extensions, "VRM", NOTHING)
    reader = _Reader(document, targets, log, budget)
    if new is not NOTHING:
        one = _decoded(new, _Vrm1, "/extensions/VRMC_vrm/expressions", log, budget)
        return None if one is None or one.expressions is None else list(reader.of_1(one.expressions))
    if old is not NOTHING:
        zero = _decoded(old, _Vrm0, "/extensions/VRM/blendShapeMaster", log, budget)
        master = None if zero is None else zero.blendShapeMaster
        groups = None if master is None else master.blendShapeGroups
        return None if groups is None else list(reader.of_0(groups))
    return None


def _marked(
    marks: Sequence[ExpressionMark], targets: MorphTargets, log: Log, budget: Budget
) -> list[Expression] | None:
    budget.spend(_BYTES_PER_EXPRESSION * len(marks), "/scenes", "it has too many expressions")
    made: dict[str, Expression] = {}
    for mark in marks:
        budget.spend(_BYTES_PER_BIND * len(mark.binds), "/scenes", "its expressions bind too much")
        fits = mark.name not in made and all(
            number < len(targets.names) and abs(weight) <= LARGEST for number, weight in mark.binds
        )
        if not fits:
            log.note("EXTRAS_IGNORED", "/scenes", "the expressions are not those that lissom wrote; not used")
            return None
        binds = {targets.names[number]: weight for number, weight in mark.binds}
        overrides = (mark.blink, mark.look_at, mark.mouth)
        made[mark.name] = Expression(mark.name, binds, mark.binary, *overrides)._grouped(mark.group)
    return list(made.values())


def _decoded(text: Raw, kind: type[T], pointer: str, log: Log, budget: Budget) -> T | None:
    budget.spend(JsonExtent.of(text).typed_bytes, pointer, TOO_MUCH_JSON)
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.MsgspecError as error:
        log.note(LEFT_OUT, pointer, f"the expressions cannot be read: {printable(str(error), 200)}")
        return None


def _has_items(text: Raw) -> bool:
    """Whether a JSON text is an array of something."""
    return (
        text is not NOTHING and bytes(text).strip()[1:-1].strip() != b"" and bytes(text).strip()[:1] == b"["
    )
