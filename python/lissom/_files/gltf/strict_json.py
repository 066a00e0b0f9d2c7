# SPDX-License-Identifier: MIT
"""Strict checks on the JSON alone: what Khronos' validator calls an error and other loads tolerate."""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import msgspec

from lissom._files.gltf.codes import FLOAT, UINT
from lissom._files.gltf.log import check_index, refuse

Json: TypeAlias = dict[str, Any]
# A place in the document: that of the parent, and a key or a number. Only that of a fault is made a JSON
# pointer, since a long key may be above a million places.
_Place: TypeAlias = tuple[Any, ...]

_ARRAYS = frozenset(
    (
        "accessors", "animations", "buffers", "bufferViews", "cameras", "extensionsRequired",
        "extensionsUsed", "images", "materials", "meshes", "nodes", "samplers", "scenes", "skins",
        "textures", "children", "joints", "primitives", "channels", "targets", "weights",
    )
)  # fmt: skip
_TEXTURE_INFOS = (
    ("pbrMetallicRoughness", "baseColorTexture"),
    ("pbrMetallicRoughness", "metallicRoughnessTexture"),
    ("normalTexture",),
    ("occlusionTexture",),
    ("emissiveTexture",),
)
# Kind of object, path to an index in it, kind of object that the index refers to.
_REFERENCES = (
    ("nodes", ("mesh",), "meshes"),
    ("nodes", ("skin",), "skins"),
    ("nodes", ("camera",), "cameras"),
    ("skins", ("inverseBindMatrices",), "accessors"),
    ("skins", ("skeleton",), "nodes"),
    ("textures", ("source",), "images"),
    ("textures", ("sampler",), "samplers"),
    ("images", ("bufferView",), "bufferViews"),
    *(("materials", (*path, "index"), "textures") for path in _TEXTURE_INFOS),
)


def check_json(text: bytes | memoryview) -> Json:
    """Check properties, references and extensions; return the decoded JSON for the checks of the data."""
    try:
        root: Json = msgspec.json.decode(text)
    except msgspec.ValidationError as error:
        refuse("VALUE_NOT_IN_RANGE", "", f"numbers must fit double precision ({error})")
    except ValueError as error:  # in parts that are not read, which the typed decoder skips
        refuse("INVALID_JSON", "", f"the file must be valid JSON in UTF-8: {error}")
    _check_extension_lists(root)
    _check_everywhere(root)
    _check_references(root)
    _check_accessors(root)
    _check_nodes(root)
    return root


def _start(value: object) -> str:
    """Return the beginning of a value for a message, without all of a large one as text first."""
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "an array"
    return f"{value[:40] if isinstance(value, str) else value!r:.40}"


def objects(parent: Any, name: str) -> list[Json]:
    """Return the objects of an array property, none where it is absent; refuse anything but objects."""
    array = parent.get(name, []) if isinstance(parent, dict) else []
    if not isinstance(array, list):
        refuse("TYPE_MISMATCH", f"/{name}", f"must be an array, got {_start(array)}")
    for number, one in enumerate(array):
        if not isinstance(one, dict):
            refuse("TYPE_MISMATCH", f"/{name}/{number}", f"must be an object, got {_start(one)}")
    return array


def _check_extension_lists(root: Json) -> None:
    used = root.get("extensionsUsed")
    required = root.get("extensionsRequired")
    if required is not None and used is None:
        refuse(
            "UNSATISFIED_DEPENDENCY",
            "/extensionsRequired",
            "extensionsUsed must list all extensions, but is missing",
        )
    declared = set(used or ())
    for number, name in enumerate(required or []):
        if name not in declared:
            refuse(
                "UNUSED_EXTENSION_REQUIRED",
                f"/extensionsRequired/{number}",
                f"required extensions must be in extensionsUsed, got '{name:.80}'",
            )


def _check_everywhere(root: Json) -> None:
    """Refuse empty arrays and undeclared extensions at any depth."""
    declared = set(root.get("extensionsUsed", ()))
    stack: list[tuple[_Place, Any]] = [((), root)]
    while stack:
        place, value = stack.pop()
        if isinstance(value, list):
            stack.extend(
                ((place, number), one) for number, one in enumerate(value) if isinstance(one, (dict, list))
            )
            continue
        for name, one in value.items():
            if (name in _ARRAYS and one == []) or (name == "attributes" and one == {}):
                pointer = _pointer((place, name))
                refuse("EMPTY_ENTITY", pointer, "it must not be empty; leave it out instead")
            if name == "extensions" and isinstance(one, dict):
                _check_extensions(one, (place, name), declared)
            elif name != "extras" and isinstance(one, (dict, list)):
                stack.append(((place, name), one))
    scenes = objects(root, "scenes")
    for number, scene in enumerate(scenes):
        if scene.get("nodes") == []:
            refuse("EMPTY_ENTITY", f"/scenes/{number}/nodes", "it must not be empty; leave it out instead")


def _pointer(place: _Place) -> str:
    """Return the JSON pointer of a place."""
    parts: list[str] = []
    while place:
        place, name = place
        parts.append(str(name)[:80].replace("~", "~0").replace("/", "~1"))
    return "".join(f"/{part}" for part in reversed(parts))


def _check_extensions(extensions: Json, place: _Place, declared: set[str]) -> None:
    for name, value in extensions.items():
        if not isinstance(value, dict):
            refuse("TYPE_MISMATCH", _pointer((place, name)), f"must be an object, got {_start(value)}")
        if name not in declared:
            refuse(
                "UNDECLARED_EXTENSION",
                _pointer((place, name)),
                f"extensions must be in extensionsUsed, got '{name:.80}'",
            )


def _check_references(root: Json) -> None:
    for kind, path, what in _REFERENCES:
        count = len(objects(root, what))
        for number, one in enumerate(objects(root, kind)):
            value: Any = one
            for name in path:
                value = value.get(name) if isinstance(value, dict) else None
            pointer = f"/{kind}/{number}/{'/'.join(path)}"
            if value is None:
                continue
            if not isinstance(value, int) or isinstance(value, bool):
                refuse("TYPE_MISMATCH", pointer, f"must be an integer, got {_start(value)}")
            check_index(value, count, what, pointer)


def _check_accessors(root: Json) -> None:
    for number, accessor in enumerate(objects(root, "accessors")):
        pointer = f"/accessors/{number}"
        if "byteOffset" in accessor and "bufferView" not in accessor:
            refuse("UNSATISFIED_DEPENDENCY", f"{pointer}/byteOffset", "byteOffset must be with a bufferView")
        if accessor.get("normalized") and accessor.get("componentType") in (UINT, FLOAT):
            refuse(
                "ACCESSOR_NORMALIZED_INVALID",
                f"{pointer}/normalized",
                "normalized components must be bytes or shorts",
            )
    for number, view in enumerate(objects(root, "bufferViews")):
        if view.get("byteStride", 0) > view.get("byteLength", 0):
            refuse(
                "BUFFER_VIEW_TOO_BIG_BYTE_STRIDE",
                f"/bufferViews/{number}/byteStride",
                f"byteStride must be at most the byteLength of {view.get('byteLength')}, got"
                f" {view['byteStride']}",
            )
    for mesh_number, mesh in enumerate(objects(root, "meshes")):
        for number, primitive in enumerate(objects(mesh, "primitives")):
            _check_attribute_names(primitive, f"/meshes/{mesh_number}/primitives/{number}")


def _check_attribute_names(primitive: Json, pointer: str) -> None:
    """Check semantics, also of morph targets, and that sets are numbered from 0 without a gap."""
    attributes = primitive.get("attributes", {})
    known = r"POSITION|NORMAL|TANGENT|(TEXCOORD|COLOR|JOINTS|WEIGHTS)_(0|[1-9]\d*)|_.*"
    named = [(attributes, f"{pointer}/attributes")]
    named += [
        (one, f"{pointer}/targets/{number}") for number, one in enumerate(objects(primitive, "targets"))
    ]
    for names, place in named:
        for name in names:
            if not re.fullmatch(known, name):
                refuse(
                    "MESH_PRIMITIVE_INVALID_ATTRIBUTE",
                    f"{place}/{name:.80}",
                    "must be an attribute of glTF, or begin with an underscore",
                )
    for semantic in ("TEXCOORD", "COLOR", "JOINTS", "WEIGHTS"):
        count = sum(name.startswith(f"{semantic}_") for name in attributes)
        if any(f"{semantic}_{number}" not in attributes for number in range(count)):
            refuse(
                "MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY",
                f"{pointer}/attributes",
                f"sets of {semantic} must be numbered from 0 without a gap",
            )


def _check_nodes(root: Json) -> None:
    meshes = objects(root, "meshes")
    for number, node in enumerate(objects(root, "nodes")):
        if "skin" in node and "mesh" not in node:
            refuse("UNSATISFIED_DEPENDENCY", f"/nodes/{number}/skin", "a node with a skin must have a mesh")
        if "skin" in node and not all(
            "JOINTS_0" in primitive.get("attributes", {})
            for primitive in objects(meshes[node["mesh"]], "primitives")
        ):
            refuse(
                "NODE_SKIN_WITH_NON_SKINNED_MESH",
                f"/nodes/{number}",
                "the mesh of a node with a skin must have joints",
            )
        _check_node_weights(node, meshes, f"/nodes/{number}")
    for number, mesh in enumerate(meshes):
        _check_morph_counts(mesh, f"/meshes/{number}")


def _check_node_weights(node: Json, meshes: list[Json], pointer: str) -> None:
    """Check that a node has as many weights as its mesh has morph targets."""
    weights = node.get("weights")
    if weights is None:
        return
    if not isinstance(weights, list):
        refuse("TYPE_MISMATCH", f"{pointer}/weights", f"must be an array, got {_start(weights)}")
    if "mesh" not in node:
        refuse("UNSATISFIED_DEPENDENCY", f"{pointer}/weights", "a node with weights must have a mesh")
    counts = [len(objects(one, "targets")) for one in objects(meshes[node["mesh"]], "primitives")]
    if counts and len(weights) != counts[0]:
        refuse(
            "NODE_WEIGHTS_INVALID",
            f"{pointer}/weights",
            f"there must be a weight for each of {counts[0]} morph targets, got {len(weights)}",
        )


def _check_morph_counts(mesh: Json, pointer: str) -> None:
    counts = [len(objects(primitive, "targets")) for primitive in objects(mesh, "primitives")]
    for number, count in enumerate(counts):
        if count != counts[0]:
            refuse(
                "MESH_PRIMITIVES_UNEQUAL_TARGETS_COUNT",
                f"{pointer}/primitives/{number}",
                f"there must be {counts[0]} morph targets, as in the first primitive, got {count}",
            )
    weights = mesh.get("weights")
    if weights is not None and not isinstance(weights, list):
        refuse("TYPE_MISMATCH", f"{pointer}/weights", f"must be an array, got {_start(weights)}")
    if weights is not None and counts and len(weights) != counts[0]:
        refuse(
            "MESH_INVALID_WEIGHTS_COUNT",
            f"{pointer}/weights",
            f"there must be a weight for each of {counts[0]} morph targets, got {len(weights)}",
        )
