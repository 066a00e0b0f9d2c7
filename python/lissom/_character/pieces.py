# SPDX-License-Identifier: MIT
"""Meshes of some of the vertices and triangles of another, part by part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._rig.mesh import Mesh
from lissom._rig.part import Part

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.character import Character

__all__ = ["Piece", "whole", "with_pieces"]


@dataclass(frozen=True, eq=False, slots=True)
class Piece:
    """What is kept of a part: vertices (N,), increasing, and triangles (F, 3), as the mesh numbers them."""

    part: Part
    vertices: NDArray[np.int64]
    triangles: NDArray[np.uint32]


def whole(mesh: Mesh, part: Part) -> Piece:
    """Return all of a part."""
    return Piece(part, np.arange(part.vertices.start, part.vertices.stop), mesh.triangles[part.triangles])


def with_pieces(character: Character, mesh: Mesh, pieces: Sequence[Piece]) -> Character:
    """Return a character with these pieces of its mesh; ValueError where there are none."""
    if not pieces:
        raise ValueError("Character: no part would be left; keep at least one")
    blend = character.blend
    if blend is not None:
        blend = blend[np.concatenate([piece.vertices for piece in pieces])]
    fewer = character._with_mesh(_mesh_of(mesh, pieces), blend)
    prepared = character.prepared_mesh
    return fewer if prepared is None else fewer.prepared(prepared.original_order)


def _mesh_of(mesh: Mesh, pieces: Sequence[Piece]) -> Mesh:
    """Make a mesh of pieces of another, in their order."""
    order = np.concatenate([piece.vertices for piece in pieces])

    def taken(array: NDArray[Any] | None) -> NDArray[Any] | None:
        return None if array is None else array[order]

    kept, triangles = [], []
    vertex, triangle = 0, 0
    new = np.zeros(mesh.vertex_count, np.uint32)
    for piece in pieces:
        last, end = vertex + len(piece.vertices), triangle + len(piece.triangles)
        new[piece.vertices] = np.arange(vertex, last)  # of this part: others may share its vertices
        triangles.append(new[piece.triangles])
        kept.append(replace(piece.part, vertices=slice(vertex, last), triangles=slice(triangle, end)))
        vertex, triangle = last, end
    return Mesh(
        mesh.positions[order],
        np.concatenate(triangles),
        mesh.indices[order],
        mesh.weights[order],
        normals=taken(mesh.normals),
        tangents=taken(mesh.tangents),
        uvs=taken(mesh.uvs),
        colors=taken(mesh.colors),
        parts=kept,
        morphs=None if mesh.morphs is None else mesh.morphs._taken(order),
    )
