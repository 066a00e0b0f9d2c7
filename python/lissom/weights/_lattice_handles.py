# SPDX-License-Identifier: MIT
"""Which nodes of a lattice the handles hold, and with what weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom.weights._inputs import Floats, Handles, Indices
from lissom.weights._segments import distances

__all__ = ["Held", "corner_shares", "hold_handles"]

_CORNERS = np.array([[corner >> axis & 1 for axis in range(3)] for corner in range(8)], bool)
"""Places of a cube's corners, in the order of the core: corner x + 2 y + 4 z."""

_STEP = 0.25
"""Between the places of a bone that are looked up, in cells: none of its cubes is missed by much."""

_ON_SURFACE = 1e-6
"""A handle this near to the surface, of a cell, is not outside: vertices of it are taken as handles."""

_TIE = 1e-6
"""Distances that differ by less, of a cell, are one: where bones meet their nodes are shared."""


@dataclass(frozen=True)
class Held:
    """What handles hold.

    Attributes
    ----------
    fixed_nodes : ndarray of int32, shape (C,)
        Ascending.
    fixed_rows : ndarray of float64, shape (C, H)
        Rows sum to 1.
    moved : dict of int to float
        Handles that hold a place beside them: how far away.
    outside : tuple of int
        Handles that are outside the volume, at least in part.
    notes : tuple of str
    """

    fixed_nodes: NDArray[np.int32]
    fixed_rows: Floats
    moved: dict[int, float]
    outside: tuple[int, ...]
    notes: tuple[str, ...]


def hold_handles(
    function: str,
    lattice: Any,
    cell: float,
    handles: Handles,
    cage_faces: Indices,
    first_face: int,
    moves_outside: bool,
) -> Held:
    """Find the nodes that handles hold.

    A point holds the corners of its cube that interpolation there asks, so that weights at it are its own
    alone. A bone holds those of all cubes along it; where bones meet each node goes to the nearest, in equal
    shares to several that are as near. On cage faces the corners of all cubes that they pass through have the
    weights of the nearest place of the nearest face. Points come before bones, bones before faces.

    The lattice has cage faces as its triangles from `first_face` on.
    """
    places, owners = _places(handles, cage_faces, cell)
    copies, within, inside, away = lattice.locate(places)
    shares = corner_shares(within)
    inside = inside | (away <= _ON_SURFACE * cell)
    copy_nodes: NDArray[np.int32] = lattice.copy_nodes
    node_places: Floats = lattice.nodes
    moved: dict[int, float] = {}
    outside: list[int] = []
    far: dict[int, float] = {}
    points: dict[int, int] = {}
    clashes: list[tuple[int, int]] = []
    claims: dict[int, dict[int, float]] = {}  # of nodes: how far bones are, in cells
    for handle in np.unique(owners).tolist():
        mine = np.flatnonzero(owners == handle)
        if not inside[mine].all():
            outside.append(handle)
        if inside[mine].any():
            mine = mine[inside[mine]]
        else:
            mine = mine[[int(away[mine].argmin())]]
            distance = float(away[mine[0]])
            if distance > cell:
                far[handle] = distance
            moved[handle] = distance
        # Only those that count: of a place between two cubes the others would not be those of its mirror
        # image.
        corners = copy_nodes[copies[mine]]
        if handles.is_point[handle]:
            for node in corners[0, shares[mine[0]] > _TIE].tolist():
                if points.setdefault(node, handle) != handle:
                    clashes.append((points[node], handle))
            continue
        asked = shares[mine] > _TIE
        from_bone = (
            distances(node_places[corners[asked]], handles.heads[handle], handles.tails[handle]) / cell
        )
        for node, distance in zip(corners[asked].tolist(), from_bone.tolist(), strict=True):
            by_handle = claims.setdefault(node, {})
            by_handle[handle] = min(distance, by_handle.get(handle, np.inf))
    _refuse(function, cell, handles, far, clashes, moves_outside)
    rows = _face_rows(lattice.copies_of_triangles(first_face), copy_nodes, node_places, handles, cage_faces)
    bone_rows, crowded, shared = _share_bones(function, cell, handles, claims, points)
    rows.update(bone_rows)
    rows.update({node: {handle: 1.0} for node, handle in points.items()})
    notes = []
    if crowded:
        notes.append(
            "bones with no node nearest to them, which got one each: "
            + ", ".join(map(handles.called, crowded))
        )
    if shared:
        notes.append(
            "bones that share all their nodes with others: " + ", ".join(map(handles.called, shared))
        )
    fixed_nodes = np.array(sorted(rows), np.int32)
    fixed_rows = np.zeros((len(fixed_nodes), len(handles)))
    for index, node in enumerate(fixed_nodes.tolist()):
        for handle, weight in rows[node].items():
            fixed_rows[index, handle] += weight
    return Held(fixed_nodes, fixed_rows, moved, tuple(outside), tuple(notes))


def corner_shares(within: Floats) -> Floats:
    """Return how much each corner of a cube counts (P, 8) at places (P, 3) in it: trilinear."""
    return np.asarray(np.prod(np.where(_CORNERS, within[:, None, :], 1 - within[:, None, :]), axis=2))


def _places(handles: Handles, cage_faces: Indices, cell: float) -> tuple[Floats, Indices]:
    """Return sample points of the handles that are not on a cage, and whose they are."""
    on_cage = np.zeros(len(handles), bool)
    on_cage[cage_faces.ravel()] = True
    places, owners = [np.empty((0, 3))], [np.empty(0, np.int64)]
    for handle in np.flatnonzero(~on_cage).tolist():
        head, tail = handles.heads[handle], handles.tails[handle]
        count = 1 + int(np.ceil(np.linalg.norm(tail - head) / (_STEP * cell)))
        along = np.linspace(0, 1, count)[:, None] if count > 1 else np.zeros((1, 1))
        places.append((1 - along) * head + along * tail)
        owners.append(np.full(count, handle))
    return np.concatenate(places), np.concatenate(owners)


def _refuse(
    function: str,
    cell: float,
    handles: Handles,
    far: dict[int, float],
    clashes: list[tuple[int, int]],
    moves_outside: bool,
) -> None:
    if far and not moves_outside:
        some = ", ".join(f"{handles.called(handle)} by {away:.3g}" for handle, away in list(far.items())[:5])
        raise ValueError(
            f"{function}: handles must be inside the volume or within a cell of {cell:.3g}, got {len(far)} "
            f'outside: {some}; leave them out, or pass outside="move" to hold the nearest part of the surface'
        )
    if clashes:
        first, second = map(handles.called, clashes[0])
        raise ValueError(
            f"{function}: handles {first} and {second} hold the same node of a lattice with cells of "
            f"{cell:.3g}; pass a smaller cell_size, or leave one of them out"
        )


def _share_bones(
    function: str,
    cell: float,
    handles: Handles,
    claims: dict[int, dict[int, float]],
    points: dict[int, int],
) -> tuple[dict[int, dict[int, float]], list[int], list[int]]:
    """Assign each node to its nearest bone; a bone without a node gets the nearest that others can spare.

    Where they can spare none it has a share of the nearest. Given are the rows and the bones of both kinds.
    """
    rows: dict[int, dict[int, float]] = {}
    counts: dict[int, int] = {}  # of nodes that a bone has alone
    for node, by_handle in claims.items():
        for handle in by_handle:
            counts.setdefault(handle, 0)
        if node in points:
            continue
        least = min(by_handle.values())
        nearest = sorted(handle for handle, away in by_handle.items() if away <= least + _TIE)
        rows[node] = dict.fromkeys(nearest, 1 / len(nearest))
        if len(nearest) == 1:
            counts[nearest[0]] += 1
    crowded = sorted(handle for handle, count in counts.items() if count == 0)
    shared: list[int] = []
    nearest_free: list[int] = []
    for handle in crowded:
        wanted = sorted(
            (by_handle[handle], node) for node, by_handle in claims.items() if handle in by_handle
        )
        for _, node in wanted:
            owners = list(rows.get(node, {}))
            if node in points or (len(owners) == 1 and counts[owners[0]] <= 1):
                continue
            if len(owners) == 1:
                counts[owners[0]] -= 1
            rows[node] = {handle: 1.0}
            counts[handle] = 1
            break
        else:
            free = [node for _, node in wanted if node not in points]
            if not free:
                raise ValueError(
                    f"{function}: handle {handles.called(handle)} is a bone whose nodes are all held "
                    f"by points, in a lattice with cells of {cell:.3g}; pass a smaller cell_size, or leave "
                    "it out"
                )
            shared.append(handle)
            nearest_free.append(free[0])
    for handle, node in zip(shared, nearest_free, strict=True):  # last: none takes a node from them
        sharing = sorted({*rows[node], handle})
        rows[node] = dict.fromkeys(sharing, 1 / len(sharing))
    return rows, [handle for handle in crowded if handle not in shared], shared


def _face_rows(
    copies_of_faces: NDArray[np.int32],
    copy_nodes: NDArray[np.int32],
    node_places: Floats,
    handles: Handles,
    cage_faces: Indices,
) -> dict[int, dict[int, float]]:
    """Assign nodes around cage faces the weights of the closest point on the closest face."""
    rows: dict[int, dict[int, float]] = {}
    nearest: dict[int, float] = {}
    for face, corners in enumerate(cage_faces):
        nodes = np.unique(copy_nodes[copies_of_faces[copies_of_faces[:, 1] == face, 0]])
        weights = _nearest_barycentric(node_places[nodes], *handles.heads[corners])
        away = np.linalg.norm(node_places[nodes] - weights @ handles.heads[corners], axis=1)
        for node, distance, row in zip(nodes.tolist(), away.tolist(), weights.tolist(), strict=True):
            if distance < nearest.get(node, np.inf):
                nearest[node] = distance
                rows[node] = dict(zip(corners.tolist(), row, strict=True))
    return rows


def _nearest_barycentric(points: Floats, a: Floats, b: Floats, c: Floats) -> Floats:
    """Return the barycentric coordinates (P, 3) of the nearest places of a triangle."""
    ab, ac = b - a, c - a
    system = np.array([[ab @ ab, ab @ ac], [ab @ ac, ac @ ac]])
    right = np.stack([(points - a) @ ab, (points - a) @ ac], axis=1)
    u, v = np.linalg.solve(system, right.T)
    weights = np.stack([1 - u - v, u, v], axis=1)
    best = np.where((weights >= 0).all(axis=1, keepdims=True), weights, 0.0)
    ends = (a, b, c)
    least = np.where((weights >= 0).all(axis=1), 0.0, np.inf)
    for first in range(3):
        second = (first + 1) % 3
        along = ends[second] - ends[first]
        part = np.clip((points - ends[first]) @ along / (along @ along), 0, 1)
        away = np.linalg.norm(points - ends[first] - part[:, None] * along, axis=1)
        nearer = away < least
        least[nearer] = away[nearer]
        best[nearer] = 0
        best[nearer, first] = 1 - part[nearer]
        best[nearer, second] = part[nearer]
    return best
