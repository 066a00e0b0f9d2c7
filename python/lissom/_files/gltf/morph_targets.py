# SPDX-License-Identifier: MIT
"""Which nodes have morph targets: their numbers among those of the character, names and default weights."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import msgspec
import numpy as np
from msgspec import UNSET, Raw, Struct, UnsetType
from numpy.typing import NDArray

from lissom._files.gltf.hierarchy import Hierarchy, unique_names
from lissom._files.gltf.log import Log
from lissom._files.gltf.schema import Document, Mesh
from lissom._formats.budget import Budget

# Memory that a target of a node takes whatever it moves: its name and its entries in tables and arrays.
_BYTES_PER_TARGET = 512


@dataclass(frozen=True, slots=True)
class MorphTargets:
    """The morph targets of a character. Weights belong to nodes: a mesh on two nodes has its targets twice.

    Attributes
    ----------
    names : list of str
        M unique names, "node/target".
    defaults : ndarray of float32, shape (M,)
        Weights at rest: the node's, else the mesh's, else 0.
    numbers : dict of int to ndarray of int64, shape (target,)
        For each node that has some, the number of each target of its mesh: what a channel of weights of that
        node animates, in its order.
    """

    names: list[str]
    defaults: NDArray[np.float32]
    numbers: dict[int, NDArray[np.int64]]


class _TargetNames(Struct):
    """The member of `extras` by which files name morph targets, of whatever type it is."""

    targetNames: Raw | UnsetType = UNSET


def read_morph_targets(document: Document, hierarchy: Hierarchy, log: Log, budget: Budget) -> MorphTargets:
    """Find the targets of all nodes that carry a mesh, in the order of the joints."""
    if hierarchy.marks.morphs:
        marked = _marked_targets(document, hierarchy, log, budget)
        if marked is not None:
            return marked
    names: list[str] = []
    defaults: list[float] = []
    numbers: dict[int, NDArray[np.int64]] = {}
    named: dict[int, list[str]] = {}
    places = list(zip(hierarchy.names, hierarchy.nodes.tolist(), strict=True))
    places += [(document.nodes[node].name, node) for node in hierarchy.marks.parts]
    for owner, node in places:
        number = document.nodes[node].mesh
        if not 0 <= number < len(document.meshes):  # refused where meshes are read
            continue
        mesh = document.meshes[number]
        count = target_count(mesh)
        if not count:
            continue
        budget.spend(_BYTES_PER_TARGET * count, f"/nodes/{node}/mesh", "it has too many morph targets")
        if number not in named:
            named[number] = _target_names(mesh, count, f"/meshes/{number}", log)
        for name in named[number]:
            names.append(f"{owner}/{name}")
            budget.spend_text(names[-1], f"/meshes/{number}/extras/targetNames")
        defaults += _defaults(document, node, mesh, count, log)
        numbers[node] = np.arange(len(names) - count, len(names))
    unique = unique_names(names, "morph", list(range(len(names))), "/meshes", None, budget)
    renamed = [(old, new) for old, new in zip(names, unique, strict=True) if old != new]
    for old, new in renamed:
        log.note("DUPLICATE_NAME", "/meshes", f"morph target {old!r} is there twice; renamed to {new!r}")
    return MorphTargets(unique, np.array(defaults, np.float32), numbers)


def _marked_targets(
    document: Document, hierarchy: Hierarchy, log: Log, budget: Budget
) -> MorphTargets | None:
    """Return the targets of a file that lissom saved; None, and a note, where its marks do not fit."""
    names = hierarchy.marks.morphs
    budget.spend(_BYTES_PER_TARGET * len(names), "/scenes", "it has too many morph targets")
    defaults = np.zeros(len(names), np.float32)
    numbers: dict[int, NDArray[np.int64]] = {}
    seen: set[int] = set()
    fits = len(set(names)) == len(names) and all(names)
    fits &= not any(_has_targets(document, int(node)) for node in hierarchy.nodes)
    for node in hierarchy.marks.parts:
        mesh, own = document.meshes[document.nodes[node].mesh], hierarchy.marks.nodes[node].morphs
        count = target_count(mesh)
        budget.spend(_BYTES_PER_TARGET * count, f"/nodes/{node}/mesh", "it has too many morph targets")
        fits &= len(own) == count and all(low < high for low, high in pairwise([-1, *own, len(names)]))
        if not fits:
            break
        numbers[node] = np.array(own, np.int64)
        defaults[numbers[node]] = _defaults(document, node, mesh, count, log)
        seen.update(own)
    if fits and len(seen) == len(names):
        return MorphTargets(names, defaults, numbers)
    log.note(
        "EXTRAS_IGNORED",
        "/scenes",
        "the morph targets are not those that lissom wrote; its marks are not used",
    )
    return None


def _has_targets(document: Document, node: int) -> bool:
    """Whether the mesh of a node has morph targets."""
    mesh = document.nodes[node].mesh
    return 0 <= mesh < len(document.meshes) and target_count(document.meshes[mesh]) > 0


def target_count(mesh: Mesh) -> int:
    """Return how many morph targets a mesh has; a valid one has as many in each primitive."""
    return max((len(primitive.targets) for primitive in mesh.primitives), default=0)


def _target_names(mesh: Mesh, count: int, pointer: str, log: Log) -> list[str]:
    """Return the names of a mesh's targets; numbers for those without."""
    stated: list[str] = []
    # glTF leaves names to `extras` (3.7.2.2, implementation note); UniVRM writes them into primitives.
    places = [(mesh.extras, pointer)]
    places += [(one.extras, f"{pointer}/primitives/{i}") for i, one in enumerate(mesh.primitives)]
    for extras, place in places:
        if b'"targetNames"' not in bytes(extras):
            continue
        try:
            members = msgspec.json.decode(extras, type=_TargetNames)
            if members.targetNames is UNSET:
                continue
            stated = msgspec.json.decode(members.targetNames, type=list[str])
        except ValueError:
            log.note("EXTRAS_IGNORED", f"{place}/extras/targetNames", "must be an array of text; not used")
            continue
        if len(stated) != count:
            log.note(
                "EXTRAS_IGNORED",
                f"{place}/extras/targetNames",
                f"there must be {count} names, as there are morph targets, got {len(stated)}; others are"
                " numbered or left out",
            )
        break
    return [stated[i] if i < len(stated) and stated[i] else str(i) for i in range(count)]


def _defaults(document: Document, node: int, mesh: Mesh, count: int, log: Log) -> list[float]:
    """Return the weights at rest of a node's targets."""
    stated, pointer, code = mesh.weights, f"/meshes/{document.nodes[node].mesh}", "MESH_INVALID_WEIGHTS_COUNT"
    own = document.nodes[node].weights
    if own is not None:
        stated, pointer, code = own, f"/nodes/{node}", "NODE_WEIGHTS_INVALID"
    if stated and len(stated) != count:
        log.mend(
            code,
            f"{pointer}/weights",
            f"there must be a weight for each of {count} morph targets, got {len(stated)}; those missing"
            " are 0",
        )
    largest = float(np.finfo(np.float32).max)
    weights = [*stated[:count], *[0.0] * (count - len(stated))]
    for place, weight in enumerate(weights):
        if abs(weight) > largest:
            log.mend(
                "VALUE_NOT_IN_RANGE",
                f"{pointer}/weights/{place}",
                f"a weight must fit single precision, got {weight:g}; 0 is used",
            )
            weights[place] = 0.0
    return weights
