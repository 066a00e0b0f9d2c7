# SPDX-License-Identifier: MIT
"""Strict checks on the data of the whole file, whether the scene uses it or not."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf import weights
from lissom._files.gltf.accessors import Accessors, Values
from lissom._files.gltf.codes import ARRAY_BUFFER, ELEMENT_ARRAY_BUFFER, UINT
from lissom._files.gltf.hierarchy import NodeTree
from lissom._files.gltf.log import Log, check_index, refuse
from lissom._files.gltf.morph_rows import MORPHED, MorphRows
from lissom._files.gltf.node_transform import UNIT_TOLERANCE, local_transforms
from lissom._files.gltf.primitives import PrimitiveReader
from lissom._files.gltf.schema import Document, Primitive
from lissom._files.gltf.strict_json import Json
from lissom._files.gltf.tables import Tables
from lissom.clip import CUBICSPLINE, ROTATION

# glTF-Validator's limit for the length of normals and tangents.
_VECTOR_TOLERANCE = 0.00674


class DataChecks:
    """Checks accessors, meshes, skins, nodes and animations of a document."""

    def __init__(
        self,
        root: Json,
        document: Document,
        tables: Tables,
        accessors: Accessors,
        tree: NodeTree,
        log: Log,
    ) -> None:
        self._root = root
        self._document = document
        self._tables = tables
        self._table = accessors
        self._tree = tree
        self._log = log
        self._readable = (accessors.has_view & ~accessors.is_missing) | accessors.is_sparse
        self._usage: dict[int, int] = {}
        self._targets = MorphRows(document, accessors, log)

    def check(self) -> None:
        """Refuse the first fault."""
        local_transforms(self._document.nodes, list(range(len(self._document.nodes))), self._log)
        for number in range(len(self._document.skins)):
            self._check_skin(number)
        for number, mesh in enumerate(self._document.meshes):
            for place, primitive in enumerate(mesh.primitives):
                self._check_primitive(primitive, number, f"/meshes/{number}/primitives/{place}")
        rows = zip(self._tables.samplers.ranges(), self._tables.channels.ranges(), strict=True)
        for number, (samplers, channels) in enumerate(rows):
            self._check_samplers(samplers, f"/animations/{number}")
            self._check_channels(channels, samplers, f"/animations/{number}")
        for index in range(len(self._table)):
            self._check_bounds(index)

    def _check_bounds(self, index: int) -> None:
        """Check that values are finite, and that min and max are right."""
        if (
            not self._readable[index]
            or self._table.components[index] == 0
            or self._table.element_size[index] == 0
        ):
            return
        values = self._stored(index)
        for name, actual in (("min", values.min(axis=0)), ("max", values.max(axis=0))):
            declared = self._root["accessors"][index].get(name)
            if declared is None:
                continue
            pointer = f"/accessors/{index}/{name}"
            if not isinstance(declared, list) or not all(
                isinstance(value, (int, float)) for value in declared
            ):
                refuse("TYPE_MISMATCH", pointer, f"must be an array of numbers, got {declared!r:.40}")
            if len(declared) != len(actual):
                refuse(
                    "ARRAY_LENGTH_NOT_IN_LIST",
                    pointer,
                    f"must have a number for each of {len(actual)} components, got {len(declared)}",
                )
            with np.errstate(over="ignore"):
                rounded = [
                    float(np.float32(value)) if values.dtype == np.float32 else value for value in declared
                ]
            for component, (value, extreme) in enumerate(zip(rounded, actual.tolist(), strict=True)):
                if value != extreme:
                    refuse(
                        f"ACCESSOR_{name.upper()}_MISMATCH",
                        f"{pointer}/{component}",
                        f"must be {extreme}, the {name} of the data, got {value}",
                    )

    def _stored(self, index: int) -> Values:
        """Return elements with the extremes of an accessor; refuse NaN and infinity.

        One that is sparse and nothing else is not filled up with zeros: files have hundreds of them.
        """
        places: NDArray[np.int64] | None = None
        if self._table.is_sparse[index] and not self._table.has_view[index]:
            places, values = self._table.sparse(index)
            if len(values) < self._table.count[index]:
                places = np.append(places, -1)  # a zero, which is finite: nobody asks where it is
                values = np.concatenate([values, np.zeros_like(values[:1])])
        else:
            values = self._table.read(index)
        if values.dtype == np.float32:
            self._table.refuse_not_finite(index, values, places)
        return values

    def _check_skin(self, number: int) -> None:
        skin = self._document.skins[number]
        parents = self._tree.parents
        common = _common_ancestors(skin.joints, parents)
        if not common:
            refuse(
                "SKIN_NO_COMMON_ROOT", f"/skins/{number}/joints", "the joints must have a common root node"
            )
        if skin.skeleton >= 0 and skin.skeleton not in common:
            refuse(
                "SKIN_SKELETON_INVALID",
                f"/skins/{number}/skeleton",
                "must be a common ancestor of all joints",
            )
        matrices = skin.inverseBindMatrices
        if matrices >= 0:
            pointer = f"/skins/{number}/inverseBindMatrices"
            self._check_format(matrices, "MAT4 of float", "SKIN_IBM_INVALID_FORMAT", pointer)
            if self._table.count[matrices] < len(skin.joints):
                refuse(
                    "INVALID_IBM_ACCESSOR_COUNT",
                    pointer,
                    f"there must be a matrix for each of {len(skin.joints)} joints, got"
                    f" {self._table.count[matrices]}",
                )
            self._refuse_stride(matrices, "SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE", pointer)

    def _check_format(self, index: int, expected: str, code: str, pointer: str) -> None:
        described = self._table.describe(index)
        if described != expected:
            refuse(code, pointer, f"must be {expected}, got {described}")

    def _refuse_stride(self, index: int, code: str, pointer: str) -> None:
        if self._table.has_stride[index]:
            refuse(code, pointer, "the buffer view of this data must not have a byteStride")

    def _check_primitive(self, primitive: Primitive, mesh: int, pointer: str) -> None:
        table = self._table
        for name, index in primitive.attributes.items():
            place = f"{pointer}/attributes/{name}"
            table.check_index(index, place)
            if table.component_type[index] == UINT:
                refuse("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_UNSIGNED_INT", place, "must not be uint")
            self._use(index, ARRAY_BUFFER, place)
        if primitive.indices >= 0:
            table.check_index(primitive.indices, f"{pointer}/indices")
            self._use(primitive.indices, ELEMENT_ARRAY_BUFFER, f"{pointer}/indices")
        if primitive.material >= 0:
            count = len(self._document.materials)
            check_index(primitive.material, count, "materials", f"{pointer}/material")
        self._check_position_bounds(primitive.attributes, f"{pointer}/attributes")
        PrimitiveReader(self._document, table, self._log).check(primitive, pointer, self._readable)
        self._check_vectors(primitive, pointer)
        self._check_targets(primitive, pointer)
        self._check_influences(primitive, mesh, f"{pointer}/attributes")

    def _use(self, accessor: int, target: int, pointer: str) -> None:
        """Check that a buffer view holds vertices or indices, not both."""
        view = int(self._table.view[accessor])
        if view < 0:
            return
        declared = self._root["bufferViews"][view].get("target") or self._usage.setdefault(view, target)
        if declared != target:
            refuse(
                "BUFFER_VIEW_TARGET_OVERRIDE",
                pointer,
                f"the target of buffer view {view} must be {target}, got {declared}",
            )

    def _check_position_bounds(self, attributes: dict[str, int], pointer: str) -> None:
        index = attributes.get("POSITION")
        if index is not None:
            accessor = self._root["accessors"][index]
            if "min" not in accessor or "max" not in accessor:
                refuse(
                    "MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS",
                    f"{pointer}/POSITION",
                    "positions must have min and max",
                )

    def _check_vectors(self, primitive: Primitive, pointer: str) -> None:
        """Check the length of normals and tangents, the sign of tangents, the range of colours."""
        for name, index in primitive.attributes.items():
            place = f"{pointer}/attributes/{name}"
            if not self._readable[index] or name not in ("NORMAL", "TANGENT", "COLOR_0"):
                continue
            values = self._table.finite_floats(index)
            if name == "COLOR_0":
                self._refuse_rows(
                    (values < 0) | (values > 1), "ACCESSOR_NON_CLAMPED", place, "must lie in [0, 1]"
                )
                continue
            lengths = np.linalg.norm(values[:, :3].astype(np.float64), axis=1)
            off = np.abs(lengths - 1) > _VECTOR_TOLERANCE
            self._refuse_rows(off[:, None], "ACCESSOR_VECTOR3_NON_UNIT", place, "must be of unit length")
            if name == "TANGENT":
                odd = np.abs(values[:, 3:]) != 1
                self._refuse_rows(odd, "ACCESSOR_INVALID_SIGN", place, "must have a sign of 1 or -1")

    def _refuse_rows(self, bad: NDArray[np.bool_], code: str, pointer: str, message: str) -> None:
        if bad.any():
            refuse(code, pointer, f"element {int(bad.any(axis=1).argmax())} {message}")

    def _check_targets(self, primitive: Primitive, pointer: str) -> None:
        for number, target in enumerate(primitive.targets):
            for name, index in target.items():
                place = f"{pointer}/targets/{number}/{name}"
                self._table.check_index(index, place)
                base = primitive.attributes.get(name)
                if base is None:
                    refuse(
                        "MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR",
                        place,
                        f"the primitive must have {name}, too",
                    )
                if self._table.count[index] != self._table.count[base]:
                    refuse(
                        "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT",
                        place,
                        f"must have {self._table.count[base]} elements, as the primitive has, got"
                        f" {self._table.count[index]}",
                    )
                if name in MORPHED:
                    self._targets.check(index, name, int(self._table.count[base]), place)
                self._use(index, ARRAY_BUFFER, place)
            self._check_position_bounds(target, f"{pointer}/targets/{number}")

    def _check_influences(self, primitive: Primitive, mesh: int, pointer: str) -> None:
        """Check joints against every skin that the mesh is used with."""
        names = [
            f"{kind}_{number}"
            for kind in ("JOINTS", "WEIGHTS")
            for number in range(len(primitive.attributes))
        ]
        indices = [primitive.attributes[name] for name in names if name in primitive.attributes]
        if not indices or not self._readable[indices].all():
            return
        skins = {node.skin for node in self._document.nodes if node.mesh == mesh and node.skin >= 0}
        counts = [len(self._document.skins[skin].joints) for skin in skins]
        half = len(indices) // 2
        joints = np.concatenate([self._table.read(index) for index in indices[:half]], axis=1).astype(
            np.int64
        )
        values = np.concatenate([self._table.floats(index) for index in indices[half:]], axis=1)
        weights.clean(joints, values, min(counts, default=1 << 16), pointer, self._log.mend)

    def _check_samplers(self, rows: range, pointer: str) -> None:
        table, samplers = self._table, self._tables.samplers
        for number, row in enumerate(rows):
            times, values = int(samplers["input"][row]), int(samplers["output"][row])
            for name, index in (("input", times), ("output", values)):
                place = f"{pointer}/samplers/{number}/{name}"
                table.check_index(index, place)
                self._refuse_stride(index, "ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE", place)
            place = f"{pointer}/samplers/{number}/input"
            self._check_format(
                times, "SCALAR of float", "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT", place
            )
            accessor = self._root["accessors"][times]
            if "min" not in accessor or "max" not in accessor:
                refuse(
                    "ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS",
                    place,
                    "key times must have min and max",
                )

    def _check_channels(self, rows: range, samplers: range, pointer: str) -> None:
        """Check that rotations are of unit length, also those whose key times are refused later."""
        channels = self._tables.channels
        for number, row in enumerate(rows):
            place, sampler = f"{pointer}/channels/{number}/sampler", int(channels["sampler"][row])
            check_index(sampler, len(samplers), "samplers", place, "the animation")
            if channels["target/path"][row] == ROTATION:
                self._check_rotations(samplers[sampler], place)

    def _check_rotations(self, sampler: int, pointer: str) -> None:
        samplers = self._tables.samplers
        output = int(samplers["output"][sampler])
        if not self._readable[output]:
            return
        if self._table.components[output] != 4 or self._table.component_type[output] == UINT:
            return  # refused as such later
        values: NDArray[Any] = self._table.finite_floats(output).astype(np.float64)
        if samplers["interpolation"][sampler] == CUBICSPLINE:
            values = values[1::3]
        off = np.abs(np.linalg.norm(values, axis=1) - 1) > UNIT_TOLERANCE
        self._refuse_rows(
            off[:, None],
            "ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION",
            pointer,
            "must be of unit length",
        )


def _common_ancestors(joints: list[int], parents: list[int]) -> set[int]:
    """Return the nodes that are each joint or an ancestor of it. Visits each node once, at any depth."""
    ancestors: list[int] = []  # of the first joint, upwards from itself
    node = joints[0] if joints else -1
    while node >= 0:
        ancestors.append(node)
        node = parents[node]
    # For each visited node, the index of its first ancestor (or itself) in that list.
    index_of = {node: index for index, node in enumerate(ancestors)}
    first_common = 0
    for joint in joints[1:]:
        visited = []
        node = joint
        while node >= 0 and node not in index_of:
            visited.append(node)
            node = parents[node]
        index = len(ancestors) if node < 0 else index_of[node]
        index_of.update(dict.fromkeys(visited, index))
        first_common = max(first_common, index)
    return set(ancestors[first_common:])
