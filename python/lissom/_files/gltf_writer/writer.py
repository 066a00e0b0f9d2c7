# SPDX-License-Identifier: MIT
"""The save as a whole: from a character to the pieces of a GLB."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec
import numpy as np
from numpy.typing import NDArray

from lissom._character.character import Character
from lissom._core import __version__
from lissom._files.gltf.extras import NodeMark
from lissom._files.gltf_writer.accessors import Accessors, Pool
from lissom._files.gltf_writer.animations import write_clip
from lissom._files.gltf_writer.avatar import avatar_mark
from lissom._files.gltf_writer.buffers import BufferViews
from lissom._files.gltf_writer.container import glb_chunks
from lissom._files.gltf_writer.document import Asset, Buffer, Document, Node
from lissom._files.gltf_writer.expressions import expression_marks
from lissom._files.gltf_writer.materials import Materials
from lissom._files.gltf_writer.meshes import Meshes
from lissom._files.gltf_writer.nodes import Nodes
from lissom._files.gltf_writer.skins import make_skin, write_skin
from lissom._files.gltf_writer.weights import MorphedNodes
from lissom.clip import Clip

_encoder = msgspec.json.Encoder()


def write_glb(character: Character, clips: Mapping[str, Clip]) -> list[bytes | memoryview]:
    """Return the bytes of the file, in pieces. Raises ValueError for what glTF cannot hold."""
    skeleton = character.skeleton
    if not len(skeleton):
        raise ValueError("save_glb: the skeleton must have a joint, got none")
    document = Document(Asset("2.0", f"lissom {__version__}"))
    views = BufferViews()
    accessors = Accessors(views)
    nodes = Nodes(skeleton)
    _write_skin(character, document, nodes, accessors)
    nodes.join_roots(character.name)
    morphed = _write_mesh(character, document, nodes, accessors)
    pool = Pool(accessors)
    document.animations = [write_clip(name, clip, pool, morphed) for name, clip in clips.items()]
    pool.close()
    document.nodes, document.scene = nodes.table, 0
    morphs = None if character.mesh is None else character.mesh.morphs
    names = [] if morphs is None else list(morphs.names)
    document.scenes = [
        nodes.scene(
            character.name,
            character.method,
            names,
            expression_marks(character.expressions),
            avatar_mark(skeleton),
        )
    ]
    document.accessors, document.bufferViews = accessors.table, views.table
    if views.size:
        document.buffers = [Buffer(views.size)]
    return glb_chunks(_encoded(document), views.chunks)


def _write_skin(character: Character, document: Document, nodes: Nodes, accessors: Accessors) -> None:
    skin = character.skin
    if skin is not None and len(skin):
        document.skins = [write_skin(skin, character.name, nodes, accessors)]
    elif character.mesh is None:
        document.skins = [make_skin(character.skeleton, character.name, accessors)]


def _write_mesh(
    character: Character, document: Document, nodes: Nodes, accessors: Accessors
) -> MorphedNodes | None:
    """Write the parts, each on a root node: glTF ignores the transforms of nodes with skinned meshes.

    Return which nodes have morph targets; None where no mesh has any.
    """
    mesh = character.mesh
    if mesh is None or not mesh.vertex_count:
        return None
    numbers: dict[int, NDArray[np.int64]] = {}
    materials = Materials(accessors.views)
    meshes = Meshes(mesh, character.blend, materials, accessors)
    for number, part in enumerate(meshes.parts):
        targets, source = meshes.targets(part), part.model_from_source.T.ravel()
        mark = NodeMark("part", part.rigid, source.tolist(), targets.tolist(), part.view)
        node = nodes.add(Node(part.name, mesh=number, skin=0), mark)
        nodes.roots.append(node)
        if len(targets):
            numbers[node] = targets
    document.meshes = meshes.table
    document.materials, document.textures = materials.materials, materials.textures
    document.images = materials.images
    document.extensionsUsed = sorted(materials.used)
    document.extensionsRequired = sorted(materials.required)
    morphs = mesh.morphs
    return None if morphs is None else MorphedNodes(morphs.names, morphs.defaults, numbers)


def _encoded(document: Document) -> bytes:
    try:
        return _encoder.encode(document)
    except UnicodeEncodeError as error:
        raise ValueError(
            f"save_glb: names must be text that UTF-8 can hold, got {error.object!r}; rename it"
        ) from None
