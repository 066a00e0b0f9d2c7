# SPDX-License-Identifier: MIT
"""One mesh of several, each moved to its place, with defaults for what some of them lack."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._rig.mesh import Mesh
from lissom._rig.morphs import Morphs
from lissom._rig.moved import cofactor, handedness, moved_differences, moved_directions, moved_points
from lissom._rig.part import Part

__all__ = ["MeshPiece", "joined_meshes"]

Float: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class MeshPiece:
    """A mesh that becomes a piece of another.

    Attributes
    ----------
    mesh : Mesh
    matrix : ndarray of float64, shape (4, 4), or None
        Moves its bind space into that of the joined mesh; None leaves it where it is.
    first_row : int
        What is added to its palette rows.
    prefix : str
        What is put before the names of its parts and morph targets.
    """

    mesh: Mesh
    matrix: Float | None
    first_row: int
    prefix: str

    @property
    def mirror(self) -> float:
        """-1 where the matrix mirrors, so that triangles must turn over to face outwards; else 1."""
        return 1.0 if self.matrix is None else handedness(self.matrix[:3, :3])


def joined_meshes(pieces: Sequence[MeshPiece]) -> Mesh:
    """Return one mesh of pieces, in their order.

    Where only some have normals, those of the others are computed; texture coordinates are 0, colours white,
    and tangents any perpendicular to the normal where a piece has none and another has.
    """
    meshes = [piece.mesh for piece in pieces]
    starts = np.cumsum([0, *(mesh.vertex_count for mesh in meshes)]).tolist()
    indices, weights = _influences(pieces)
    return Mesh(
        np.concatenate([_positions(piece) for piece in pieces]),
        np.concatenate([_triangles(piece, start) for piece, start in zip(pieces, starts, strict=False)]),
        indices,
        weights,
        normals=_filled(pieces, "normals", _normals),
        tangents=_filled(pieces, "tangents", _tangents),
        uvs=_filled(pieces, "uvs", lambda piece: _or_constant(piece.mesh, "uvs", 2, 0)),
        colors=_filled(pieces, "colors", lambda piece: _or_constant(piece.mesh, "colors", 4, 1)),
        parts=_parts(pieces, starts),
        morphs=_morphs(pieces, starts),
    )


def _positions(piece: MeshPiece) -> NDArray[np.float32]:
    positions = piece.mesh.positions
    return positions if piece.matrix is None else moved_points(positions, piece.matrix)


def _triangles(piece: MeshPiece, start: int) -> NDArray[np.uint32]:
    triangles = piece.mesh.triangles[:, ::-1] if piece.mirror < 0 else piece.mesh.triangles
    return triangles + np.uint32(start)


def _influences(pieces: Sequence[MeshPiece]) -> tuple[NDArray[np.uint32], NDArray[np.float32]]:
    """Return palette rows and weights, with as many columns as the piece with most of them has."""
    columns = max(piece.mesh.influence_count for piece in pieces)
    indices, weights = [], []
    for piece in pieces:
        missing = columns - piece.mesh.influence_count
        rows = piece.mesh.indices.astype(np.uint32) + np.uint32(piece.first_row)
        # Columns without weight need a valid row, too.
        indices.append(np.concatenate([rows, rows[:, :1].repeat(missing, axis=1)], axis=1))
        weights.append(np.pad(piece.mesh.weights, ((0, 0), (0, missing))))
    return np.concatenate(indices), np.concatenate(weights)


def _filled(
    pieces: Sequence[MeshPiece], name: str, of: Callable[[MeshPiece], NDArray[np.float32]]
) -> NDArray[np.float32] | None:
    """Return an attribute of all pieces; None where none has it."""
    if all(getattr(piece.mesh, name) is None for piece in pieces):
        return None
    return np.concatenate([of(piece) for piece in pieces])


def _or_constant(mesh: Mesh, name: str, width: int, value: float) -> NDArray[np.float32]:
    own: NDArray[np.float32] | None = getattr(mesh, name)
    return np.full((mesh.vertex_count, width), value, np.float32) if own is None else own


def _normals(piece: MeshPiece) -> NDArray[np.float32]:
    mesh = piece.mesh
    normals = mesh.computed_normals() if mesh.normals is None else mesh.normals
    if piece.matrix is None:
        return normals
    return moved_directions(normals, piece.mirror * cofactor(piece.matrix[:3, :3]))


def _tangents(piece: MeshPiece) -> NDArray[np.float32]:
    own = piece.mesh.tangents
    if own is None:
        return _perpendiculars(_normals(piece))
    if piece.matrix is None:
        return own
    signs = (piece.mirror * own[:, 3:]).astype(np.float32)
    return np.concatenate([moved_directions(own[:, :3], piece.matrix[:3, :3]), signs], axis=1)


def _perpendiculars(normals: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return a unit tangent for each normal, (n, 4): along the axis that the normal is farthest from."""
    axes = np.eye(3)[np.abs(normals).argmin(axis=1)]
    along = axes - normals * np.sum(axes * normals, axis=1, keepdims=True)
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    return np.concatenate([along, np.ones((len(along), 1))], axis=1).astype(np.float32)


def _parts(pieces: Sequence[MeshPiece], starts: Sequence[int]) -> list[Part]:
    parts, triangle = [], 0
    for piece, vertex in zip(pieces, starts, strict=False):
        for part in piece.mesh.parts:
            moved = part.model_from_source
            parts.append(
                replace(
                    part,
                    name=piece.prefix + part.name,
                    vertices=_shifted(part.vertices, vertex),
                    triangles=_shifted(part.triangles, triangle),
                    model_from_source=moved if piece.matrix is None else piece.matrix @ moved,
                )
            )
        triangle += piece.mesh.triangle_count
    return parts


def _shifted(rows: slice, by: int) -> slice:
    return slice(rows.start + by, rows.stop + by)


def _morphs(pieces: Sequence[MeshPiece], starts: Sequence[int]) -> Morphs | None:
    known = [(piece, piece.mesh.morphs, start) for piece, start in zip(pieces, starts, strict=False)]
    morphed = [(piece, morphs, start) for piece, morphs, start in known if morphs is not None]
    if not morphed:
        return None
    rows: dict[str, NDArray[np.float32] | None] = {}
    for name in ("positions", "normals", "tangents"):
        own = [_differences(piece, morphs, name) for piece, morphs, _ in morphed]
        has = any(each is not None for each in own)
        filled = [
            np.zeros((len(morphs.vertices), 3), np.float32) if each is None else each
            for each, (_, morphs, _) in zip(own, morphed, strict=True)
        ]
        rows[name] = np.concatenate(filled) if has else None
    counts = np.concatenate([np.diff(morphs.offsets) for _, morphs, _ in morphed])
    positions = rows.pop("positions")
    assert positions is not None
    return Morphs(
        [piece.prefix + name for piece, morphs, _ in morphed for name in morphs.names],
        np.concatenate([[0], np.cumsum(counts)]),
        np.concatenate([morphs.vertices.astype(np.int64) + start for _, morphs, start in morphed]),
        positions,
        rows["normals"],
        rows["tangents"],
        np.concatenate([morphs.defaults for _, morphs, _ in morphed]),
    )


def _differences(piece: MeshPiece, morphs: Morphs, name: str) -> NDArray[np.float32] | None:
    own: NDArray[np.float32] | None = getattr(morphs, name)
    if own is None or piece.matrix is None:
        return own
    mesh = piece.mesh
    base: NDArray[Any] | None = mesh.tangents if name == "tangents" else mesh.positions
    if name == "normals":
        base = mesh.computed_normals() if mesh.normals is None else mesh.normals
    base = None if base is None else base[morphs.vertices, :3]
    return moved_differences(name, own, base, piece.matrix[:3, :3])
