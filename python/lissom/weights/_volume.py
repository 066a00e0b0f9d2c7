# SPDX-License-Identifier: MIT
"""A volume ready to be solved on, and the one made of tetrahedra that a user has."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom.weights._constraints import find_constraints
from lissom.weights._embedding import Embedding, embed
from lissom.weights._inputs import Floats, Handles, Indices, as_indices, as_points

__all__ = ["Volume", "user_volume"]

WITHIN = 1e-5
"""How far from a handle or a vertex a node may lie and still be at it, as a fraction of the volume's
diagonal: what float32 positions leave, and far below any useful tetrahedron."""


@dataclass(frozen=True, eq=False)
class Volume:
    """Tetrahedra, what handles hold of them, and where the surface's vertices lie.

    Attributes
    ----------
    nodes : ndarray of float64, shape (N, 3)
    tets : ndarray of int32, shape (T, 4)
    fixed_nodes : ndarray of int32, shape (C,)
    fixed_rows : ndarray of float64, shape (C, H)
    embedding : Embedding
    cell : float or None
        Edge of the lattice's cells; None for tetrahedra that the user gave.
    moved_handles, outside_handles, notes, unreached_vertices, components_without_handle
        As in `WeightReport`.
    """

    nodes: Floats
    tets: NDArray[np.int32]
    fixed_nodes: NDArray[np.int32]
    fixed_rows: Floats
    embedding: Embedding
    cell: float | None = None
    moved_handles: dict[int, float] = field(default_factory=dict)
    outside_handles: tuple[int, ...] = ()
    notes: tuple[str, ...] = ()
    unreached_vertices: Indices = field(default_factory=lambda: np.empty(0, np.int64))
    components_without_handle: int = 0


def user_volume(
    function: str, positions: Floats, handles: Handles, cage_faces: Indices, tetrahedra: object
) -> Volume:
    """Make a volume of ``tetrahedra=(nodes, tets)``; refuse handles without a node and vertices outside."""
    nodes, tets = _as_tetrahedra(function, tetrahedra)
    within = WITHIN * float(np.linalg.norm(np.ptp(nodes, axis=0)))
    fixed_nodes, fixed_rows, missing = find_constraints(nodes, handles, cage_faces, within)
    for handle, away in missing.items():
        name = handles.called(handle)
        kind, advice = (
            ("a point", "a node there")
            if handles.is_point[handle]
            else ("a bone", "nodes along it, from head to tail")
        )
        if away <= within:
            raise ValueError(
                f"{function}: handle {name} must have a node of tetrahedra of its own, got one that "
                "another point holds; leave one of the two out"
            )
        raise ValueError(
            f"{function}: handle {name} is {kind} without a node of tetrahedra within {within:.3g}, the "
            f"nearest is {away:.3g} away; give the mesher {advice}"
        )
    held = fixed_rows.max(axis=0, initial=0)
    if (held == 0).any():
        name = handles.called(int(np.flatnonzero(held == 0)[0]))
        raise ValueError(
            f"{function}: handle {name} holds no node: points hold all nodes of this bone; sample it finer"
        )
    embedding = embed(positions, nodes, tets, within)
    if len(embedding.outside):
        vertex = int(embedding.outside[0])
        raise ValueError(
            f"{function}: surface vertices must lie at nodes or inside tetrahedra, got "
            f"{len(embedding.outside)} outside, the first is vertex {vertex} at {positions[vertex].tolist()}"
            "; pass the surface that the tetrahedra were made of"
        )
    return Volume(nodes, tets, fixed_nodes, fixed_rows, embedding)


def _as_tetrahedra(function: str, tetrahedra: object) -> tuple[Floats, NDArray[np.int32]]:
    if not isinstance(tetrahedra, (tuple, list)) or len(tetrahedra) != 2:
        raise TypeError(
            f"{function}: tetrahedra must be the pair (nodes, tetrahedra), got {type(tetrahedra).__name__}"
        )
    given: tuple[ArrayLike, ArrayLike] = (tetrahedra[0], tetrahedra[1])
    nodes = as_points(given[0], f"{function}: nodes of tetrahedra", "node", "N")
    if len(nodes) > np.iinfo(np.int32).max:
        raise ValueError(f"{function}: tetrahedra must have fewer than 2^31 nodes, got {len(nodes)}")
    tets = as_indices(given[1], f"{function}: tetrahedra", ("T", 4), "tetrahedron", len(nodes), "nodes")
    if not len(tets):
        raise ValueError(f"{function}: tetrahedra must hold at least one tetrahedron, got none")
    return nodes, tets.astype(np.int32)
