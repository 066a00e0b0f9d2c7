# SPDX-License-Identifier: MIT
"""The vertices of a GLB as an engine sees them: at rest, in model space, with their second coordinates."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf import container, json_text
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.buffers import Buffers
from lissom._files.gltf.hierarchy import read_tree
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.node_transform import local_matrices, local_transforms
from lissom._files.gltf.source import open_source
from lissom._formats.budget import Budget
from lissom._rig.mesh import Mesh

__all__ = ["read_vertices"]


def read_vertices(path: Path) -> tuple[Mesh, NDArray[np.float32]]:
    """Return mesh and ``TEXCOORD_1`` (V, 2). Primitives that share their vertices have them once.

    GltfError where the file is damaged; ValueError where it has no second coordinates.
    """
    source = open_source(path)
    log = Log(False)
    parts = container.split(source, log)
    budget = Budget(len(source.data), partial(refuse, "LIMIT_EXCEEDED"))
    document, tables = json_text.decode(parts.text, log, budget)
    buffers = Buffers(source, parts, document, log, budget)
    accessors = Accessors(document, tables, buffers, log)
    buffers.check()
    tree = read_tree(document, budget)
    numbers = list(range(len(document.nodes)))
    world = local_matrices(local_transforms(document.nodes, numbers, log))
    for number in tree.order:
        if tree.parents[number] >= 0:
            world[number] = world[tree.parents[number]] @ world[number]
    positions, uvs, triangles, first = [], [], [], 0
    known: dict[tuple[int, int], int] = {}
    for number in tree.order:
        node = document.nodes[number]
        if node.mesh < 0:
            continue
        for primitive in document.meshes[node.mesh].primitives:
            attributes = primitive.attributes
            if "POSITION" not in attributes:
                continue
            if "TEXCOORD_1" not in attributes:
                raise ValueError(
                    f"export: {path} must have a second set of texture coordinates, VAT_UV, got "
                    f"{', '.join(attributes)} in mesh {document.meshes[node.mesh].name!r}"
                )
            key = (number, attributes["POSITION"])
            if key not in known:
                known[key] = first
                own = accessors.finite_floats(attributes["POSITION"])
                positions.append(own @ world[number, :3, :3].T + world[number, :3, 3])
                uvs.append(accessors.finite_floats(attributes["TEXCOORD_1"]))
                first += len(own)
            if primitive.indices >= 0:
                corners = accessors.read(primitive.indices).reshape(-1, 3)
                triangles.append(corners.astype(np.int64) + known[key])
    if not positions:
        raise ValueError(f"export: {path} must have a mesh, got none")
    faces = np.concatenate(triangles) if triangles else np.zeros((0, 3), np.int64)
    return Mesh(np.concatenate(positions), faces), np.concatenate(uvs)
