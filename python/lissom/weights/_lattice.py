# SPDX-License-Identifier: MIT
"""The lattice of cubes that stands in for tetrahedra where the user gives none."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.numbers import check_number
from lissom.weights._cell_size import choose_cell_size
from lissom.weights._embedding import Embedding
from lissom.weights._inputs import Floats, Handles, Indices, Triangles
from lissom.weights._lattice_handles import corner_shares, hold_handles
from lissom.weights._progress import Progress
from lissom.weights._volume import Volume

__all__ = ["DEFAULT_MEMORY_LIMIT", "LatticeOptions", "lattice_options", "lattice_volume"]

DEFAULT_MEMORY_LIMIT = 4 * 2.0**30
"""Bytes: what a laptop has to spare, and some 200 000 nodes."""


@dataclass(frozen=True)
class LatticeOptions:
    """How fine a lattice is, and what is done about handles outside of it.

    Attributes
    ----------
    cells : int or None
        Along the longest side of the surface's box.
    cell_size : float or None
        Side of a cube, in units of the surface. At most one of the two; neither: chosen from the surface.
    memory_limit : float
        Bytes that the lattice and the solution on it may take.
    moves_outside : bool
        Whether a handle farther than a cell outside the volume holds the nearest part of it; else it is
        refused.
    """

    cells: int | None = None
    cell_size: float | None = None
    memory_limit: float = DEFAULT_MEMORY_LIMIT
    moves_outside: bool = False


def lattice_options(
    function: str, cells: object, cell_size: object, memory_limit: object, outside: object
) -> LatticeOptions:
    """Check what users pass."""
    count: int | None = None
    if cells is not None:
        if isinstance(cells, bool) or not isinstance(cells, (int, np.integer)):
            raise TypeError(f"{function}: cells must be an integer, got {type(cells).__name__}")
        if not 1 <= cells <= 1_000_000:
            raise ValueError(f"{function}: cells must be in [1, 1000000], got {cells}")
        count = int(cells)
    size = None
    if cell_size is not None:
        size = check_number(cell_size, f"{function}: cell_size", above_zero=True)
        if count is not None:
            raise ValueError(f"{function}: cells and cell_size say the same; pass one of them")
    limit = check_number(memory_limit, f"{function}: memory_limit", above_zero=True)
    if outside not in ("raise", "move"):
        raise ValueError(f'{function}: outside must be "raise" or "move", got {outside!r}')
    return LatticeOptions(count, size, limit, outside == "move")


def lattice_volume(
    function: str,
    positions: Floats,
    triangles: Triangles,
    handles: Handles,
    cage_faces: Indices,
    options: LatticeOptions,
    progress: Progress | None = None,
) -> Volume:
    """Make a volume of a surface alone.

    The lattice covers the inside and the surface itself; with a cage, the inside of that, too. See
    ``src/core/volume/lattice.h`` for what its nodes join.
    """
    places, faces = _domain(positions, triangles, handles, cage_faces)
    surface = _core.SolidSurface(function, places, faces)
    cell = choose_cell_size(function, surface, handles, cage_faces, options, progress)
    lattice = _core.Lattice(surface, cell, progress)
    copy_nodes: NDArray[np.int32] = lattice.copy_nodes
    held = hold_handles(function, lattice, cell, handles, cage_faces, len(triangles), options.moves_outside)
    notes = list(held.notes)
    for count, what in (
        (surface.degenerate_count, "triangles without area bound nothing"),
        (surface.doubled_count, "triangles over the same corners as others bound nothing"),
    ):
        if count:
            notes.append(f"{count} {what}")

    vertex_copies = np.full(len(positions), -1, np.int32)
    vertex_copies[:] = lattice.vertex_copies[: len(positions)]
    copies, within, _, _ = lattice.locate(positions, vertex_copies)
    parts = lattice.components
    names, joined = _join_parts(parts, copy_nodes, lattice.copy_cells, held.fixed_nodes, copies, positions)
    if joined:
        notes.append(f"parts without a handle that were joined with parts that they touch: {joined}")
    names, unreached, left = _keep_reached(names, parts, copy_nodes, held.fixed_nodes, copies)
    cubes = names[copy_nodes]
    cubes = np.unique(cubes[(cubes >= 0).all(axis=1)], axis=0)
    corners = names[copy_nodes[copies]]
    shares = corner_shares(within)
    if len(unreached):
        nearest = _nearest_reached(positions, unreached)
        corners[unreached], shares[unreached] = corners[nearest], shares[nearest]
        notes.append(
            f"{len(unreached)} vertices in {left} parts that no handle reaches have the weights of the "
            "nearest other vertex"
        )
    fixed_nodes, fixed_rows = _merge_fixed(names[held.fixed_nodes], held.fixed_rows)
    first = np.unique(names[names >= 0], return_index=True)[1]
    nodes = lattice.nodes[np.flatnonzero(names >= 0)[first]]
    return Volume(
        nodes=np.ascontiguousarray(nodes),
        tets=_tetrahedra(cubes),
        fixed_nodes=fixed_nodes,
        fixed_rows=fixed_rows,
        embedding=Embedding(corners.astype(np.int64), shares, np.empty(0, np.int64)),
        cell=cell,
        moved_handles=held.moved,
        outside_handles=held.outside,
        notes=tuple(notes),
        unreached_vertices=unreached,
        components_without_handle=left,
    )


def _domain(
    positions: Floats, triangles: Triangles, handles: Handles, cage_faces: Indices
) -> tuple[Floats, Triangles]:
    """Return what bounds the solid: the surface, and the cage around it."""
    if not len(cage_faces):
        return positions, triangles
    places = np.concatenate([positions, handles.heads])
    faces = np.concatenate([triangles, cage_faces + len(positions)])
    return places, faces.astype(np.uint32)


def _tetrahedra(cubes: NDArray[np.int64]) -> NDArray[np.int32]:
    """Split each cube into six tetrahedra around a diagonal, once for each of the four diagonals.

    They overlap, so that the mean of the four splits is solved on: it treats all axes and mirrors alike.
    Along a path of edges from corner to corner the linear functions of corners that are not neighbours are
    orthogonal, so the Laplacian is the one of seven points, of 4 times the volume, which changes no weight.
    """
    tets = []
    for start in range(4):
        for a, b in ((1, 2), (1, 4), (2, 1), (2, 4), (4, 1), (4, 2)):
            tets.append(cubes[:, [start, start ^ a, start ^ a ^ b, start ^ 7]])
    return np.concatenate(tets).astype(np.int32)


def _join_parts(
    parts: NDArray[np.int32],
    copy_nodes: NDArray[np.int32],
    copy_cells: NDArray[np.int32],
    fixed_nodes: NDArray[np.int32],
    vertex_copies: NDArray[np.int32],
    positions: Floats,
) -> tuple[NDArray[np.int64], int]:
    """Join parts without a handle with the nearest one that has, where both are in one cube.

    Buttons, teeth and armour that float before a body are parts of their own. Returned are a name for each
    node, equal where nodes are joined, and how many parts were. `parts` is brought up to date.
    """
    names = np.arange(len(parts), dtype=np.int64)
    copy_parts = parts[copy_nodes[:, 0]]
    reached = np.unique(parts[fixed_nodes])
    if np.isin(copy_parts, reached).all():
        return names, 0
    _, cell_of = np.unique(copy_cells, axis=0, return_inverse=True)
    cell_of = cell_of.ravel()
    by_copy = np.argsort(vertex_copies, kind="stable")
    starts = np.searchsorted(vertex_copies[by_copy], np.arange(len(copy_nodes) + 1))
    joined = 0
    has_handle = np.isin(copy_parts, reached)
    waiting = set(np.unique(copy_parts[~has_handle]).tolist())
    progressed = True
    while waiting and progressed:
        progressed = False
        by_cell: dict[int, list[int]] = {}
        for copy in np.flatnonzero(has_handle).tolist():
            by_cell.setdefault(int(cell_of[copy]), []).append(copy)
        met: dict[int, list[tuple[int, int]]] = {}
        for copy in np.flatnonzero(~has_handle).tolist():
            for other in by_cell.get(int(cell_of[copy]), ()):
                met.setdefault(int(copy_parts[copy]), []).append((copy, other))
        for part, pairs in sorted(met.items()):
            best: dict[int, tuple[float, int]] = {}
            for copy, other in pairs:
                own = positions[by_copy[starts[copy] : starts[copy + 1]]]
                its = positions[by_copy[starts[other] : starts[other + 1]]]
                away = np.inf
                if len(own) and len(its):
                    away = float(np.linalg.norm(own[:, None] - its[None], axis=2).min())
                if copy not in best or (away, other) < best[copy]:
                    best[copy] = (away, other)
            for copy, (_, other) in best.items():
                for node, into in zip(copy_nodes[copy].tolist(), copy_nodes[other].tolist(), strict=True):
                    node, into = _root(names, node), _root(names, into)
                    names[max(node, into)] = min(node, into)
            target = int(copy_parts[next(iter(best.values()))[1]])
            copy_parts = np.where(copy_parts == part, target, copy_parts)
            parts[parts == part] = target
            waiting.discard(part)
            joined += 1
            progressed = True
        has_handle = np.isin(copy_parts, reached)
    for node in range(len(names)):
        names[node] = names[names[node]]
    return names, joined


def _root(names: NDArray[np.int64], node: int) -> int:
    while names[node] != node:
        node = int(names[node])
    return node


def _merge_fixed(nodes: Indices, rows: Floats) -> tuple[NDArray[np.int32], Floats]:
    """Average the weight rows of merged nodes."""
    fixed, place = np.unique(nodes, return_inverse=True)
    merged = np.zeros((len(fixed), rows.shape[1]))
    np.add.at(merged, place.ravel(), rows)
    return fixed.astype(np.int32), merged / merged.sum(axis=1, keepdims=True)


def _keep_reached(
    names: NDArray[np.int64],
    parts: NDArray[np.int32],
    copy_nodes: NDArray[np.int32],
    fixed_nodes: NDArray[np.int32],
    vertex_copies: NDArray[np.int32],
) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Keep the parts with a handle: numbers of nodes, -1 in others, and those others' vertices and count."""
    is_kept = np.isin(parts, parts[fixed_nodes])
    vertex_parts = parts[copy_nodes[vertex_copies, 0]]
    unreached = np.flatnonzero(~np.isin(vertex_parts, parts[fixed_nodes]))
    numbers = np.full(len(names), -1, np.int64)
    roots = np.unique(names[is_kept])
    numbers[is_kept] = np.searchsorted(roots, names[is_kept])
    return numbers, unreached, len(np.unique(vertex_parts[unreached]))


def _nearest_reached(positions: Floats, unreached: Indices) -> Indices:
    """Find the nearest other vertex of each."""
    others = np.setdiff1d(np.arange(len(positions)), unreached)
    found = np.empty(len(unreached), np.int64)
    step = max(1, 4_000_000 // len(others))  # some 100 MB at once
    for begin in range(0, len(unreached), step):
        own = positions[unreached[begin : begin + step]]
        away = ((own[:, None] - positions[others][None]) ** 2).sum(axis=2)
        found[begin : begin + step] = others[away.argmin(axis=1)]
    return found
