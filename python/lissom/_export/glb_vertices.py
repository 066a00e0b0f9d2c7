# SPDX-License-Identifier: MIT
"""The vertices of a GLB as an engine sees them: at rest, in model space, with their second coordinates."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._files.gltf import container, json_text
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.buffers import Buffers
from lissom._files.gltf.codes import TRIANGLES
from lissom._files.gltf.hierarchy import read_tree
from lissom._files.gltf.largest import refuse_larger
from lissom._files.gltf.log import Log, check_index, refuse
from lissom._files.gltf.node_transform import local_transforms
from lissom._files.gltf.schema import Primitive
from lissom._files.gltf.source import open_source
from lissom._formats.budget import Budget
from lissom._rig.mesh import Mesh
from lissom.errors import GltfError

__all__ = ["read_vertices"]

# Bytes of a vertex and of a corner as they are read, and again in one array of all.
_PER_VERTEX = 64
_PER_CORNER = 12

_FORMATS = {"POSITION": "VEC3", "TEXCOORD_1": "VEC2"}


def read_vertices(path: Path, what: str = "export") -> tuple[Mesh, NDArray[np.float32]]:
    """Return mesh and ``TEXCOORD_1`` (V, 2). Primitives that share their vertices have them once.

    `what` begins errors: GltfError where the file is damaged, or has other than triangles; ValueError where
    it has no second coordinates.
    """
    try:
        return _read(path, what)
    except GltfError as error:
        error.path = path
        raise


def _read(path: Path, what: str) -> tuple[Mesh, NDArray[np.float32]]:
    source = open_source(path)
    log = Log(False)
    parts = container.split(source, log)
    budget = Budget(len(source.data), partial(refuse, "LIMIT_EXCEEDED"))
    document, tables = json_text.decode(parts.text, log, budget)
    buffers = Buffers(source, parts, document, log, budget)
    accessors = Accessors(document, tables, buffers, log)
    buffers.check()
    tree = read_tree(document, budget)
    places = np.full(len(document.nodes) + 1, -1, np.int64)  # the last is that of no parent
    places[tree.order] = np.arange(len(tree.order))
    parents = places[[tree.parents[number] for number in tree.order]]
    local = local_transforms(document.nodes, tree.order, log)
    matrices, _ = _core.rest_matrices(local, parents)  # vertices that are not finite are refused
    world = dict(zip(tree.order, matrices, strict=True))
    positions, uvs, triangles, first = [], [], [], 0
    known: dict[tuple[int, int], int] = {}
    for number in tree.order:
        node = document.nodes[number]
        if node.mesh < 0:
            continue
        check_index(node.mesh, len(document.meshes), "meshes", f"/nodes/{number}/mesh")
        for place, primitive in enumerate(document.meshes[node.mesh].primitives):
            attributes, pointer = primitive.attributes, f"/meshes/{node.mesh}/primitives/{place}"
            if "POSITION" not in attributes:
                continue
            if "TEXCOORD_1" not in attributes:
                raise ValueError(
                    f"{what}: {path} must have a second set of texture coordinates, VAT_UV, got "
                    f"{', '.join(attributes)} in mesh {document.meshes[node.mesh].name!r}"
                )
            count, corners = _checked(primitive, accessors, pointer)
            key = (number, attributes["POSITION"])
            budget.spend(_PER_CORNER * corners + (_PER_VERTEX * count if key not in known else 0), pointer)
            if key not in known:
                known[key] = first
                positions.append(_placed(accessors, attributes["POSITION"], world[number], number))
                uvs.append(accessors.finite_floats(attributes["TEXCOORD_1"]))
                first += count
            if corners:
                own = accessors.read(primitive.indices)
                check_index(int(own.max()), count, "vertices", f"{pointer}/indices", "the primitive")
                triangles.append(own.reshape(-1, 3).astype(np.uint32) + np.uint32(known[key]))
    if not positions:
        raise ValueError(f"{what}: {path} must have a mesh, got none")
    faces = np.concatenate(triangles) if triangles else np.zeros((0, 3), np.uint32)
    return Mesh(np.concatenate(positions), faces), np.concatenate(uvs)


def _checked(primitive: Primitive, accessors: Accessors, pointer: str) -> tuple[int, int]:
    """Return how many vertices and corners a primitive has; GltfError where it is none of whole triangles."""
    if primitive.mode != TRIANGLES:
        refuse(
            "MODE_LEFT_OUT", f"{pointer}/mode", f"the mesh must be triangles, mode 4, got {primitive.mode}"
        )
    count = -1
    for name, kind in _FORMATS.items():
        index, place = primitive.attributes[name], f"{pointer}/attributes/{name}"
        accessors.check_index(index, place)
        told = accessors.describe(index)
        if told.split(" ")[0] != kind:
            refuse("MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT", place, f"must be {kind}, got {told}")
        own = int(accessors.count[index])
        if count >= 0 and own != count:
            refuse(
                "MESH_PRIMITIVE_UNEQUAL_ACCESSOR_COUNT",
                place,
                f"{name} must have {count} elements, as POSITION has, got {own}",
            )
        count = own
    if primitive.indices < 0:
        return count, 0
    accessors.check_index(primitive.indices, f"{pointer}/indices")
    told, corners = accessors.describe(primitive.indices), int(accessors.count[primitive.indices])
    if told not in ("SCALAR of ubyte", "SCALAR of ushort", "SCALAR of uint") or corners % 3:
        refuse(
            "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT",
            f"{pointer}/indices",
            "indices must be SCALAR of ubyte, ushort or uint, three of each triangle, got "
            f"{corners} of {told}",
        )
    return count, corners


def _placed(accessors: Accessors, index: int, world: NDArray[np.float64], node: int) -> NDArray[np.float32]:
    """Return positions in model space; GltfError where a transform makes them too large, or no numbers."""
    own = accessors.finite_floats(index)
    with np.errstate(over="ignore", invalid="ignore"):
        placed = own @ world[:3, :3].T + world[:3, 3]
    if not np.isfinite(placed).all():
        refuse("VALUE_NOT_IN_RANGE", f"/nodes/{node}", "its vertices must be at finite places, got others")
    refuse_larger(placed, f"/nodes/{node}")
    return placed.astype(np.float32)
