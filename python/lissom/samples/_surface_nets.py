# SPDX-License-Identifier: MIT
"""From an implicit shape to an even mesh of quads, split into triangles.

Surface nets: one vertex in each grid cell the surface passes through, one quad across each grid edge it cuts.
The vertices are then spread evenly along the surface and drawn onto it.

References
----------
.. [1] Gibson, "Constrained elastic surface nets", MICCAI 1998.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np

from lissom.samples._fields import Field, gradient, row_dots, value_and_gradient
from lissom.samples._shell import Booleans, Color, Floats, Ints, Shell

_RELAXATION_STEPS = 5
_CORNERS = np.array(list(product((0, 1), repeat=3)))  # (8, 3) of a cell
_EDGES = [
    (a, b) for a in range(8) for b in range(8) if a < b and np.abs(_CORNERS[a] - _CORNERS[b]).sum() == 1
]


def polygonise(
    name: str,
    color: Color,
    field: Field,
    low: Floats,
    high: Floats,
    spacing: float | Floats,
    *,
    axes: Floats | None = None,
    symmetric: bool = False,
) -> Shell:
    """Mesh the surface of `field` inside a box.

    Parameters
    ----------
    field : callable (N, 3) -> (N,)
        Negative inside. The surface must lie wholly inside the box.
    low, high : array (3,)
        Corners of the box, in the frame of `axes`.
    spacing : float or array (3,)
        Size of the grid's cells, metres; quads come out about this large.
    axes : array (3, 3), optional
        Rows: the directions of the grid in model space. Model axes when omitted.
    symmetric : bool
        The field is mirror symmetric in x = 0; so is the mesh, vertex by vertex, exactly. The box must be
        too.

    Returns
    -------
    Shell
        Vertices on the surface, unit normals along the gradient, triangles outwards.
    """
    frame = None if axes is None else np.asarray(axes, float)
    cells = np.maximum(np.ceil((np.asarray(high) - low) / spacing).astype(int), 1)
    if symmetric:
        cells[0] |= 1  # an odd count puts the middle column of cells, and its vertices, astride x = 0
    ticks = [
        0.5 * (low[k] + high[k])
        + (np.arange(cells[k] + 1) - 0.5 * cells[k]) * ((high[k] - low[k]) / cells[k])
        for k in range(3)
    ]
    grid = np.stack(np.meshgrid(*ticks, indexing="ij"), axis=-1)
    values = field(_placed(grid.reshape(-1, 3), frame)).reshape(grid.shape[:3])
    if symmetric:
        values = 0.5 * (values + values[::-1])  # rounding must not decide differently on the two sides
    inside = values < 0.0
    _check_box_is_large_enough(name, inside)

    corner_views = [tuple(slice(c, c + n) for c, n in zip(corner, cells, strict=True)) for corner in _CORNERS]
    count_inside = sum(inside[view].astype(np.int8) for view in corner_views)
    cell = np.argwhere((count_inside > 0) & (count_inside < 8))  # (V, 3)
    number = np.full(cells, -1)
    number[tuple(cell.T)] = np.arange(len(cell))

    positions = _placed(_crossings_mean(cell, values, ticks), frame)
    quads = _quads(inside, number)
    if frame is not None and np.linalg.det(frame) < 0.0:  # left-handed axes flip the quads
        quads = quads[:, ::-1]
    mirror = number[cells[0] - 1 - cell[:, 0], cell[:, 1], cell[:, 2]] if symmetric else None

    reach = 0.5 * float(np.max(spacing))
    neighbours = _Neighbours.of(quads, len(cell))
    for _ in range(_RELAXATION_STEPS):
        positions = _relaxed(positions, neighbours, field, reach)
        if mirror is not None:
            positions = 0.5 * (positions + positions[mirror] * [-1.0, 1.0, 1.0])
    # Normals over a part of a cell rather than at a point: they shade creases finer than the mesh softly.
    normals = gradient(field, positions, 0.12 * float(np.min(spacing)))
    if mirror is not None:
        normals = 0.5 * (normals + normals[mirror] * [-1.0, 1.0, 1.0])
    normals /= np.linalg.norm(normals, axis=-1, keepdims=True)
    return Shell(name, color, positions, normals, _split(quads, positions))


def _placed(points: Floats, frame: Floats | None) -> Floats:
    """Points (N, 3) of the grid in model space."""
    return points if frame is None else points @ frame


def _check_box_is_large_enough(name: str, inside: Booleans) -> None:
    faces = [np.take(inside, end, axis=axis).any() for axis in range(3) for end in (0, -1)]
    if any(faces):
        raise AssertionError(f"the surface of {name!r} leaves its box through faces {np.flatnonzero(faces)}")


def _crossings_mean(cell: Ints, values: Floats, ticks: list[Floats]) -> Floats:
    """Mean of the points where the surface cuts the edges of each cell: (V, 3) in the grid's frame."""
    corner_values = [values[tuple((cell + corner).T)] for corner in _CORNERS]
    places = [[ticks[k][cell[:, k] + up] for up in (0, 1)] for k in range(3)]
    total = np.zeros((3, len(cell)))
    count = np.zeros(len(cell))
    for a, b in _EDGES:
        value_a, value_b = corner_values[a], corner_values[b]
        cut = (value_a < 0.0) != (value_b < 0.0)
        along = np.where(cut, value_a / np.where(cut, value_a - value_b, 1.0), 0.0)
        for k in range(3):
            from_a = places[k][_CORNERS[a][k]]
            if _CORNERS[a][k] == _CORNERS[b][k]:
                total[k] += cut * from_a
            else:
                total[k] += cut * (from_a + along * (places[k][_CORNERS[b][k]] - from_a))
        count += cut
    mean: Floats = np.ascontiguousarray((total / count).T)
    return mean


def _quads(inside: Booleans, number: Ints) -> Ints:
    """One outward quad (Q, 4) for each grid edge with one end inside, between the four cells round it."""
    quads = []
    for axis in range(3):
        u, v = (axis + 1) % 3, (axis + 2) % 3
        first = np.take(inside, range(inside.shape[axis] - 1), axis=axis)
        second = np.take(inside, range(1, inside.shape[axis]), axis=axis)
        edge = np.argwhere(first != second)
        leaving = first[tuple(edge.T)]  # the surface faces along +axis
        around = []
        for du, dv in ((-1, -1), (0, -1), (0, 0), (-1, 0)):
            neighbour = edge.copy()
            neighbour[:, u] += du
            neighbour[:, v] += dv
            around.append(number[tuple(neighbour.T)])
        quad = np.stack(around, axis=-1)
        quads.append(np.where(leaving[:, None], quad, quad[:, ::-1]))
    return np.concatenate(quads)


@dataclass(frozen=True, eq=False)
class _Neighbours:
    """Both ends of the edges of all quads, and how many of them each vertex has."""

    start: Ints
    end: Ints
    count: Ints

    @staticmethod
    def of(quads: Ints, vertex_count: int) -> _Neighbours:
        start = quads.ravel()
        end = quads[:, [1, 2, 3, 0]].ravel()
        count = np.bincount(start, minlength=vertex_count) + np.bincount(end, minlength=vertex_count)
        return _Neighbours(start, end, count)

    def mean(self, positions: Floats) -> Floats:
        """Mean position of the neighbours of each vertex, (V, 3)."""
        total = np.empty_like(positions)
        for k in range(3):
            along = np.ascontiguousarray(positions[:, k])
            total[:, k] = np.bincount(self.start, along.take(self.end), len(positions))
            total[:, k] += np.bincount(self.end, along.take(self.start), len(positions))
        return np.asarray(total / self.count[:, None])


def _relaxed(positions: Floats, neighbours: _Neighbours, field: Field, reach: float) -> Floats:
    """Move each vertex half way to the mean of its neighbours along the surface, and onto the surface."""
    move = 0.5 * (neighbours.mean(positions) - positions)

    value, slope = value_and_gradient(field, positions)
    squared = np.maximum(row_dots(slope, slope), 0.05)  # creases have short gradients
    along_slope = row_dots(move, slope) / squared
    onto_surface = np.clip(value / squared, -reach, reach)
    moved: Floats = positions + move - (along_slope + onto_surface)[:, None] * slope
    return moved


def _split(quads: Ints, positions: Floats) -> Ints:
    """Split quads into triangles (2 Q, 3) along their shorter diagonal, mirror images alike."""
    corner = positions[quads]
    first = np.linalg.norm(corner[:, 0] - corner[:, 2], axis=-1)
    second = np.linalg.norm(corner[:, 1] - corner[:, 3], axis=-1)
    # Where rounding would decide, the corner that is furthest out by an arbitrary but even measure does.
    outmost = np.argmax(np.abs(corner[..., 0]) + corner[..., 1:] @ np.array([0.61, 0.37]), axis=1)
    even = np.abs(first - second) < 1e-6 * (first + second)
    first_corner_flips = np.where(even, outmost % 2 == 1, first > second)
    rolled = np.where(first_corner_flips[:, None], np.roll(quads, -1, axis=1), quads)
    return np.concatenate([rolled[:, [0, 1, 2]], rolled[:, [0, 2, 3]]])
