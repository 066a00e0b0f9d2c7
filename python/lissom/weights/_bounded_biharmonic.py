# SPDX-License-Identifier: MIT
"""Bounded biharmonic weights: the public function."""

from __future__ import annotations

import time
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from lissom._base.numbers import check_number
from lissom.weights._inputs import (
    Floats,
    Handles,
    HandlesLike,
    SurfaceLike,
    as_cage_faces,
    as_handles,
    as_surface,
)
from lissom.weights._lattice import DEFAULT_MEMORY_LIMIT, lattice_options, lattice_volume
from lissom.weights._progress import Progress, as_progress, finish
from lissom.weights._report import WeightReport, report_of
from lissom.weights._solve import DEFAULT_TOLERANCE, FUNCTION, solve
from lissom.weights._volume import Volume, user_volume

__all__ = ["bounded_biharmonic"]


@overload
def bounded_biharmonic(
    surface: SurfaceLike,
    handles: HandlesLike,
    *,
    cage_faces: ArrayLike | None = ...,
    tetrahedra: tuple[ArrayLike, ArrayLike] | None = ...,
    cells: int | None = ...,
    cell_size: float | None = ...,
    memory_limit: float = ...,
    outside: Literal["raise", "move"] = ...,
    tolerance: float = ...,
    polish: bool = ...,
    report: Literal[False] = ...,
    progress: Progress | None = ...,
) -> Floats: ...
@overload
def bounded_biharmonic(
    surface: SurfaceLike,
    handles: HandlesLike,
    *,
    cage_faces: ArrayLike | None = ...,
    tetrahedra: tuple[ArrayLike, ArrayLike] | None = ...,
    cells: int | None = ...,
    cell_size: float | None = ...,
    memory_limit: float = ...,
    outside: Literal["raise", "move"] = ...,
    tolerance: float = ...,
    polish: bool = ...,
    report: Literal[True],
    progress: Progress | None = ...,
) -> tuple[Floats, WeightReport]: ...
def bounded_biharmonic(
    surface: SurfaceLike,
    handles: HandlesLike,
    *,
    cage_faces: ArrayLike | None = None,
    tetrahedra: tuple[ArrayLike, ArrayLike] | None = None,
    cells: int | None = None,
    cell_size: float | None = None,
    memory_limit: float = DEFAULT_MEMORY_LIMIT,
    outside: Literal["raise", "move"] = "raise",
    tolerance: float = DEFAULT_TOLERANCE,
    polish: bool = False,
    report: bool = False,
    progress: Progress | None = None,
) -> Floats | tuple[Floats, WeightReport]:
    """Compute bounded biharmonic weights: smooth, local, and each handle alone where it is.

    For each handle the function w with the least bending energy in the volume, 1 on the handle, 0 on all
    others and between 0 and 1 everywhere [1]_; then each row of weights is divided by its sum.

    Parameters
    ----------
    surface : (positions, triangles) or Mesh
        Vertices (V, 3) and triangles (F, 3).
    handles : sequence of array_like, or Bones
        H points (3,) and bones (2, 3), from head to tail, in the space of the positions. A bone without
        length is a point.
    cage_faces : array_like of int, shape (K, 3), optional
        Triangles between point handles, by their indices in `handles`. On them weights are linear; without
        `tetrahedra` the volume is all that cage and surface enclose.
    tetrahedra : tuple of array_like, optional
        ``(nodes, tetrahedra)``, shapes (N, 3) and (T, 4), of either orientation: the volume to solve on. It
        has a node at each point and nodes along each bone, and on cage faces where there are any. Every
        vertex is at a node or inside a tetrahedron; there weights are interpolated. Without them a lattice of
        cubes is made from the surface, be it open, non-manifold or intersecting itself.
    cells : int, optional
        Cubes of the lattice along the longest side of the surface.
    cell_size : float, optional
        Side of a cube instead. Neither: as fine as some 16 000 nodes are, finer where points are close.
    memory_limit : float
        Bytes that the volume and the solution on it may take, by an estimate made before they are.
    outside : {"raise", "move"}
        What is done about a handle that is farther outside the volume than a cube is wide: refuse it, or let
        it hold the nearest part of the surface. A nearer one does so in either case; the report names it. Of
        a lattice alone.
    tolerance : float
        Largest error of a weight that is aimed at.
    polish : bool
        Go on to the exact solution, with more time, also where the tolerance is met without.
    report : bool
        Return a `WeightReport`, too.
    progress : callable, optional
        Called as ``progress(stage, fraction)`` a few times a second, last as ``progress("done", 1.0)``;
        `lissom.weights` lists the stages. What it raises ends the call, as Ctrl-C does.

    Returns
    -------
    weights : ndarray of float64, shape (V, H)
        In [0, 1], rows sum to 1.
    report : WeightReport
        Only with ``report=True``.

    Raises
    ------
    TypeError
        If an argument is of the wrong kind.
    ValueError
        If a shape is wrong, a number is not finite, an index is out of range, a handle has no node, a vertex
        lies outside the volume, or a cage face is flat or joins a bone.
    MemoryError
        If the machine, or `memory_limit`, cannot hold what it takes; said before it is allocated.

    Warns
    -----
    RuntimeWarning
        Where the tolerance was not reached, tetrahedra without volume were left out, or a part of the volume
        holds no handle: all of it takes the weights of the handle nearest to it.

    Notes
    -----
    A node at which bones meet has equal shares of them. The weights do not depend on place and scale, nor on
    the number of threads.

    References
    ----------
    .. [1] Jacobson, Baran, Popovic and Sorkine, Bounded Biharmonic Weights for Real-Time Deformation, ACM TOG
       30(4), 2011.

    Examples
    --------
    >>> import numpy as np
    >>> nodes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], float)
    >>> tets = [[0, 1, 2, 3], [1, 2, 3, 4]]
    >>> surface = nodes, [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 4], [2, 3, 4], [3, 1, 4]]
    >>> weights = lissom.weights.bounded_biharmonic(surface, [nodes[0], nodes[4]], tetrahedra=(nodes, tets))
    >>> weights.shape, bool(np.allclose(weights.sum(axis=1), 1))
    ((5, 2), True)
    >>> weights[[0, 4]]
    array([[1., 0.],
           [0., 1.]])
    """
    begin = time.perf_counter()
    positions, triangles = as_surface(surface, FUNCTION, needs_triangles=tetrahedra is None)
    segments = as_handles(handles, FUNCTION)
    faces = as_cage_faces(cage_faces, segments, FUNCTION)
    accuracy = check_number(tolerance, f"{FUNCTION}: tolerance", above_zero=True)
    if accuracy >= 1:
        raise ValueError(f"{FUNCTION}: tolerance must be below 1, got {tolerance}")
    answer = as_progress(progress, FUNCTION)
    options = lattice_options(FUNCTION, cells, cell_size, memory_limit, outside)
    if tetrahedra is not None:
        if cells is not None or cell_size is not None:
            raise ValueError(
                f"{FUNCTION}: cells and cell_size are of a lattice; leave them or tetrahedra out"
            )
        if options.moves_outside:
            raise ValueError(
                f'{FUNCTION}: outside="move" is of a lattice: each handle must have nodes of tetrahedra; '
                "leave it or tetrahedra out"
            )
        volume = user_volume(FUNCTION, positions, segments, faces, tetrahedra)
    else:
        volume = lattice_volume(FUNCTION, positions, triangles, segments, faces, options, answer)
    prepared = time.perf_counter()
    of_nodes, facts = solve(
        volume.nodes,
        volume.tets,
        volume.fixed_nodes,
        volume.fixed_rows,
        tolerance=accuracy,
        polish=polish,
        memory=options.memory_limit,
        progress=answer,
    )
    weights = volume.embedding.interpolate(of_nodes)
    # Interpolation keeps sums, except for rounding.
    weights /= weights.sum(axis=1, keepdims=True)
    seconds = {"preparing": prepared - begin, **facts["seconds"]}
    said = _report(segments, weights, volume, facts, seconds) if report else None
    finish(answer)
    return weights if said is None else (weights, said)


def _report(
    handles: Handles, weights: Floats, volume: Volume, facts: dict[str, Any], seconds: dict[str, float]
) -> WeightReport:
    unreached = facts["unreached"][volume.embedding.corners] & (volume.embedding.barycentric > 0)
    notes = list(volume.notes)
    if facts["flat_count"]:
        notes.append(f"{facts['flat_count']} tetrahedra without volume were left out")
    return report_of(
        "bounded_biharmonic",
        weights,
        handle_names=handles.names,
        node_count=len(volume.nodes),
        tetrahedron_count=len(volume.tets),
        cell=volume.cell,
        iterations=facts["iterations"],
        residuals={name: facts[name] for name in ("primal_residual", "change", "error_estimate")},
        converged=facts["converged"],
        row_sums=facts["row_sums"],
        lowest=facts["lowest"],
        highest=facts["highest"],
        unreached_vertices=np.union1d(np.flatnonzero(unreached.any(axis=1)), volume.unreached_vertices),
        components_without_handle=facts["unreached_component_count"] + volume.components_without_handle,
        moved_handles=volume.moved_handles,
        outside_handles=volume.outside_handles,
        seconds=seconds,
        notes=tuple(notes),
    )
