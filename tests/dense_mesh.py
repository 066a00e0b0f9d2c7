# SPDX-License-Identifier: MIT
"""Characters of many vertices: every triangle of a mesh cut into four."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom import Character, Mesh
from lissom._rig.part import Part
from lissom.skinning._heaviest import reduced_influences

if TYPE_CHECKING:
    from numpy.typing import NDArray


def with_vertices(character: Character, least: int) -> Character:
    """Return the character with as many vertices at least, of one picture, on the same surface."""
    mesh = character.mesh
    assert mesh is not None
    while mesh.vertex_count < least:
        mesh = _halved(mesh)
    return Character(character.name, character.skeleton, mesh, character.skin, character.clips)


def _halved(mesh: Mesh) -> Mesh:
    """Return the mesh with a vertex at the middle of each edge."""
    triangles = np.asarray(mesh.triangles, np.int64)
    edges = np.sort(triangles[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
    pairs, places = np.unique(edges, axis=0, return_inverse=True)
    middles = mesh.vertex_count + places.reshape(-1, 3)
    (a, b, c), (ab, bc, ca) = triangles.T, middles.T
    cut = np.stack([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]], axis=-1).transpose(1, 2, 0)

    def between(values: NDArray[np.float32] | None) -> NDArray[np.float32] | None:
        if values is None:
            return None
        return np.concatenate([values, (values[pairs[:, 0]] + values[pairs[:, 1]]) / 2])

    # A vertex in the middle hangs on the joints of both ends, by half of the weights.
    ends = [mesh.indices[pairs].reshape(len(pairs), -1), mesh.weights[pairs].reshape(len(pairs), -1) / 2]
    padding = np.zeros_like(mesh.indices), np.zeros_like(mesh.weights)
    own = [np.hstack(both) for both in zip((mesh.indices, mesh.weights), padding, strict=True)]
    hung = reduced_influences(*(np.vstack(both) for both in zip(own, ends, strict=True)), max_count=4)
    count, faces = len(hung.rows), cut.reshape(-1, 3)
    picture = next((part.texture for part in mesh.parts if part.texture is not None), None)
    return Mesh(
        between(mesh.positions),
        faces,
        hung.rows,
        hung.weights,
        uvs=between(mesh.uvs),
        parts=[Part("dense", slice(0, count), slice(0, len(faces)), texture=picture)],
    )
