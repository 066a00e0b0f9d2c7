# SPDX-License-Identifier: MIT
"""A mesh that stands still as a GLB, with a second set of texture coordinates."""

from __future__ import annotations

import msgspec
import numpy as np
from numpy.typing import NDArray

from lissom._core import __version__
from lissom._files.gltf.codes import ELEMENT_ARRAY_BUFFER
from lissom._files.gltf_writer.accessors import Accessors, Pool
from lissom._files.gltf_writer.buffers import BufferViews
from lissom._files.gltf_writer.container import glb_chunks
from lissom._files.gltf_writer.document import Asset, Buffer, Document, Node, Primitive, Scene
from lissom._files.gltf_writer.document import Mesh as MeshObject
from lissom._files.gltf_writer.materials import Materials
from lissom._rig.mesh import Mesh
from lissom._rig.part import Part

__all__ = ["still_glb"]

POSITION = "POSITION"


def still_glb(name: str, mesh: Mesh, second_uvs: NDArray[np.float32]) -> bytes:
    """Return a GLB of one node: each part a primitive, ``TEXCOORD_1`` the second coordinates (V, 2).

    Materials are named after the first part that looks so. All primitives share the vertices of the mesh: an
    engine that joins them keeps their order.
    """
    views = BufferViews()
    accessors = Accessors(views)
    materials = Materials(views)
    arrays = {
        POSITION: mesh.positions,
        "NORMAL": mesh.computed_normals() if mesh.normals is None else mesh.normals,
        "TEXCOORD_0": np.zeros((mesh.vertex_count, 2), np.float32) if mesh.uvs is None else mesh.uvs,
        "TEXCOORD_1": second_uvs,
    }
    if mesh.colors is not None:
        arrays["COLOR_0"] = mesh.colors
    everything = slice(0, mesh.vertex_count)
    attributes = {
        key: accessors.vertices(rows.astype("<f4", copy=False)).accessor(
            everything, bounded=key == "POSITION"
        )
        for key, rows in arrays.items()
    }
    pool = Pool(accessors, ELEMENT_ARRAY_BUFFER)
    whole = Part(name, slice(0, mesh.vertex_count), slice(0, mesh.triangle_count))
    parts = [part for part in mesh.parts or (whole,) if part.triangles.stop > part.triangles.start]
    primitives = [
        Primitive(
            dict(attributes),
            materials.material(part),
            pool.add(mesh.triangles[part.triangles].astype("<u4", copy=False).reshape(-1), "SCALAR"),
        )
        for part in parts
    ]
    for part, primitive in zip(parts, primitives, strict=True):
        material = materials.materials[primitive.material]
        material.name = material.name or part.name
    pool.close()
    document = Document(Asset("2.0", f"lissom {__version__}"))
    document.scene, document.scenes = 0, [Scene(name, [0])]
    document.nodes = [Node(name, mesh=0)]
    document.meshes = [MeshObject(name, primitives)]
    document.materials, document.textures = materials.materials, materials.textures
    document.images = materials.images
    document.extensionsUsed, document.extensionsRequired = sorted(materials.used), sorted(materials.required)
    document.accessors, document.bufferViews = accessors.table, views.table
    document.buffers = [Buffer(views.size)]
    return b"".join(glb_chunks(msgspec.json.encode(document), views.chunks))
