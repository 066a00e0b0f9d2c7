# SPDX-License-Identifier: MIT
"""Which nodes of a volume handles hold, and with what weights."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom.weights._inputs import Floats, Handles, Indices
from lissom.weights._segments import distances

__all__ = ["find_constraints"]


def find_constraints(
    nodes: Floats, handles: Handles, cage_faces: Indices, within: float
) -> tuple[NDArray[np.int32], Floats, dict[int, float]]:
    """Find the nodes on points, bones and cage faces, and their rows of weights.

    A node on a point has this handle alone, a node on bones an equal share of each bone (where bones meet
    there are several), a node on a cage face the barycentric weights of the face's corners. Points come
    before bones, bones before faces.

    Parameters
    ----------
    nodes : ndarray of float64, shape (N, 3)
    handles : Handles
    cage_faces : ndarray of int64, shape (K, 3)
    within : float
        How far from a handle a node may lie and still be on it.

    Returns
    -------
    fixed_nodes : ndarray of int32, shape (C,)
        Ascending.
    fixed_rows : ndarray of float64, shape (C, H)
    distances : dict of int to float
        For handles without a node: how far away the nearest is. Points are one node, the nearest; two points
        at one node are both without.
    """
    rows: dict[int, dict[int, float]] = {}
    missing: dict[int, float] = {}
    for face in cage_faces:
        _fix_face(nodes, handles.heads[face], face, within, rows)
    bones: dict[int, set[int]] = {}
    for handle in np.flatnonzero(~handles.is_point).tolist():
        away = distances(nodes, handles.heads[handle], handles.tails[handle])
        on = np.flatnonzero(away <= within)
        if not len(on):
            missing[handle] = float(away.min())
        for node in on.tolist():
            bones.setdefault(node, set()).add(handle)
    for node, held_by in bones.items():
        rows[node] = dict.fromkeys(sorted(held_by), 1 / len(held_by))
    points: dict[int, int] = {}
    for handle in np.flatnonzero(handles.is_point).tolist():
        away = np.linalg.norm(nodes - handles.heads[handle], axis=1)
        node = int(away.argmin())
        if away[node] > within:
            missing[handle] = float(away[node])
        elif node in points:
            missing[handle] = missing[points[node]] = float(away[node])
        else:
            points[node] = handle
            rows[node] = {handle: 1.0}
    fixed_nodes = np.array(sorted(rows), np.int32)
    fixed_rows = np.zeros((len(fixed_nodes), len(handles)))
    for index, node in enumerate(fixed_nodes.tolist()):
        for handle, weight in rows[node].items():
            fixed_rows[index, handle] = weight
    return fixed_nodes, fixed_rows, missing


def _fix_face(
    nodes: Floats, corners: Floats, face: Indices, within: float, rows: dict[int, dict[int, float]]
) -> None:
    """Constrain nodes on a triangle to the barycentric weights of its corners, clipped just outside."""
    a, b, c = corners
    low, high = corners.min(axis=0) - within, corners.max(axis=0) + within
    near = np.flatnonzero(((nodes >= low) & (nodes <= high)).all(axis=1))
    normal = np.cross(b - a, c - a)
    area = float(normal @ normal)
    offset = nodes[near] - a
    second = np.cross(offset, c - a) @ normal / area
    third = np.cross(b - a, offset) @ normal / area
    weights = np.clip(np.stack([1 - second - third, second, third], axis=1), 0, None)
    weights /= weights.sum(axis=1, keepdims=True)
    away = np.linalg.norm(weights @ corners - nodes[near], axis=1)
    for node, row in zip(near[away <= within].tolist(), weights[away <= within].tolist(), strict=True):
        rows[node] = {int(handle): weight for handle, weight in zip(face, row, strict=True) if weight > 0}
