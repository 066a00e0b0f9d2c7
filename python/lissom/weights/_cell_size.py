# SPDX-License-Identifier: MIT
"""How fine a lattice is: as the user says, else chosen; refused where the memory does not hold it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.weights._inputs import Handles, Indices
from lissom.weights._progress import Progress, part_of
from lissom.weights._solve import ARRAYS

if TYPE_CHECKING:
    from lissom.weights._lattice import LatticeOptions

__all__ = ["choose_cell_size", "estimated_bytes"]

NODE_BUDGET = 16_000
"""Nodes of a lattice whose size the user leaves open: with fifty handles some seconds of solving, and some
hundred cubes along a standing character."""

_LARGEST_REFINEMENT = 4
"""How many times more nodes than that point handles close together may cost."""

_PROBE = 24
"""Cubes along the longest side when the surface is first looked at."""

_LOOKS = 2
"""At the surface before a size is chosen: the second counts the parts of limbs that the first was too coarse
for."""

_GRID_MARGIN = 1 / 64  # kGridMargin of the core

_BYTES_PER_CUBE = 60
"""Of the box, empty ones included: what the core keeps while it builds, with the eight samples that each
brings."""

_BYTES_PER_NODE = 2500
"""Its copies' corners, 24 tetrahedra, and the rows of the solver."""

_FACTOR = 20
"""Entries of the factor are about this times N to the power of 4/3, measured on solid bars (a limb has
fewer)."""

_BYTES_PER_ENTRY = 16


def estimated_bytes(cube_count: float, node_count: float, handle_count: int) -> float:
    """Return about how many bytes a lattice and the solution on it take at once."""
    factor = _FACTOR * node_count ** (4 / 3) * _BYTES_PER_ENTRY
    solver = 8.0 * ARRAYS * node_count * handle_count
    return float(_BYTES_PER_CUBE * cube_count + _BYTES_PER_NODE * node_count + factor + solver)


def choose_cell_size(
    function: str,
    surface: Any,
    handles: Handles,
    cage_faces: Indices,
    options: LatticeOptions,
    progress: Progress | None,
) -> float:
    """Return the side of a cube, in units of the surface; refuse a lattice that is too fine to be held."""
    scale: float = surface.scale
    looks = 0
    if options.cell_size is not None:
        cell = options.cell_size
    elif options.cells is not None:
        cell = scale / max(options.cells - _GRID_MARGIN, 0.5)
    else:
        looks = _LOOKS
        cell = _from_surface(surface, scale, progress)
        cell = _apart(surface, handles, cage_faces, cell)
    _check_memory(function, surface, cell, options, len(handles), None, counted=False)
    last = part_of(progress, looks, looks + 1)
    _check_memory(function, surface, cell, options, len(handles), last, counted=True)
    return cell


def _from_surface(surface: Any, scale: float, progress: Progress | None) -> float:
    """Choose the size for which the surface has about as many nodes as the budget allows."""
    cell = scale / _PROBE
    for look in range(_LOOKS):
        crossed, inside = surface.count_cells(cell, part_of(progress, look, _LOOKS + 1))
        # n cubes inside grow as the third power of fineness, those on the surface as the second; each copy of
        # a cube on the surface brings about one node, as one inside does.
        fine = np.geomspace(0.05, 20, 400)
        nodes = (inside + 0.5 * crossed) * fine**3 + 0.9 * crossed * fine**2
        cell /= float(fine[np.searchsorted(nodes, NODE_BUDGET).clip(0, len(fine) - 1)])
    return cell


def _apart(surface: Any, handles: Handles, cage_faces: Indices, cell: float) -> float:
    """Make cubes smaller until those of any two point handles share no corner, within reason."""
    is_free = handles.is_point.copy()
    is_free[cage_faces.ravel()] = False
    points = handles.heads[is_free]
    if len(points) < 2:
        return cell
    away = np.abs(points[:, None] - points[None]).max(axis=2)
    nearest = float(away[~np.eye(len(points), dtype=bool)].min())
    least = cell / _LARGEST_REFINEMENT ** (1 / 3)
    return float(max(min(cell, nearest / 2.01), least))


def _check_memory(
    function: str,
    surface: Any,
    cell: float,
    options: LatticeOptions,
    handle_count: int,
    progress: Progress | None,
    *,
    counted: bool,
) -> None:
    shape = surface.grid(cell)
    cubes = float(np.prod(np.array(shape, float)))
    nodes = 0.0
    if counted:
        crossed, inside = surface.count_cells(cell, progress)
        nodes = inside + 1.4 * crossed
    needed = estimated_bytes(cubes, nodes, handle_count)
    if needed > options.memory_limit:
        what = f"{shape[0]} x {shape[1]} x {shape[2]} cubes"
        if counted:
            what += f" with about {nodes:.0f} nodes"
        raise MemoryError(
            f"{function}: memory_limit must hold the lattice, got {options.memory_limit / 2**30:.3g} GiB for "
            f"{what} of {cell:.3g}, which take about {needed / 2**30:.3g} GiB; pass a larger cell_size, "
            "fewer cells, or a higher memory_limit"
        )
