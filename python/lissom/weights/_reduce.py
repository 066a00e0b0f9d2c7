# SPDX-License-Identifier: MIT
"""``weights.reduce``: to as many influences per vertex as a mesh is to have."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.numbers import check_number
from lissom.weights._influences import Dropped, Reduced, WeightsLike, as_dense
from lissom.weights._inputs import SurfaceLike, as_surface
from lissom.weights._progress import Progress, as_progress, finish

__all__ = ["reduce"]


def reduce(
    weights: WeightsLike,
    k: int | None = 4,
    *,
    surface: SurfaceLike | None = None,
    threshold: float = 1e-3,
    smoothness: float = 10.0,
    weld: float = 1e-6,
    progress: Progress | None = None,
) -> Reduced:
    """Reduce weights to `k` influences per vertex, without seams, and say what was dropped.

    Keeping the k largest alone leaves a seam wherever neighbours keep different ones. Given the surface,
    weights are optimised instead [1]_: among all rows of at most k influences those that stay nearest to the
    given ones *and* change along edges as these do.

    Parameters
    ----------
    weights : array_like, shape (V, H), or a pair (indices, weights), both (V, K), or Mesh
        Not negative, rows sum to 1 within 1e-3 and are then scaled to 1. The pair is what a `Mesh` takes,
        uint8 and uint16 weights in 255ths and 65 535ths; what `reduce` gives is one, too.
    k : int or None
        Most influences of a vertex, at least 1. None keeps all from `threshold` up; then K is what the vertex
        with the most has.
    surface : (positions, triangles) or Mesh, optional
        V vertices. Without it each row is the nearest one of k influences by itself.
    threshold : float
        Influences below it are dropped in any case, in [0, 0.5]; a vertex keeps its largest.
    smoothness : float
        What a change along an edge costs beside a change at a vertex, at least 0. A dropped influence fades
        over about its square root in edges.
    weld : float
        Vertices of equal weights that are no farther apart than this fraction of the box's diagonal are
        welded, in [0, 1).
    progress : callable, optional
        Called as ``progress(stage, fraction)`` a few times a second, last as ``progress("done", 1.0)``;
        `lissom.weights` lists the stages. What it raises ends the call, as Ctrl-C does.

    Returns
    -------
    Reduced
        ``indices, weights, dropped``.

    Raises
    ------
    TypeError, ValueError
        If an argument has a wrong type, shape or range, weights are negative or not finite, a row does not
        sum to 1, or there are more than 65 536 handles.

    Notes
    -----
    Lowers ``sum |d_v|^2 + smoothness * sum |d_a - d_b|^2`` over vertices and edges, d what the weights
    change by, vertex by vertex: each gets its best row exactly, by the projection onto rows of k entries
    [2]_. [1]_ weighs the change by example poses, which are not needed here.

    References
    ----------
    .. [1] Landreneau and Schaefer, Poisson-Based Weight Reduction of Animated Meshes, Computer Graphics Forum
       29(6), 2010.
    .. [2] Kyrillidis, Becker, Cevher and Koch, Sparse Projections onto the Simplex, ICML 2013.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> bones = lissom.weights.bones(hero.skeleton)
    >>> weights = bones.per_joint(lissom.weights.heat(hero.mesh, bones))
    >>> indices, values, dropped = lissom.weights.reduce(weights, 4, surface=hero.mesh)
    >>> mesh = lissom.Mesh(hero.mesh.positions, hero.mesh.triangles, indices, values)
    >>> 0.01 < dropped.mean < 0.03
    True
    """
    what = "weights.reduce"
    given, _ = as_dense(weights, f"{what}: weights")
    least = check_number(threshold, f"{what}: threshold", least=0)
    if least > 0.5:
        raise ValueError(f"{what}: threshold must be in [0, 0.5], got {threshold}")
    cost = check_number(smoothness, f"{what}: smoothness", least=0)
    slack = check_number(weld, f"{what}: weld", least=0)
    count = _influence_count(what, k)
    answer = as_progress(progress, what)
    positions, triangles = as_surface(surface, what) if surface is not None else (None, None)
    if positions is not None and len(positions) != len(given):
        raise ValueError(
            f"{what}: surface must have a vertex for each of the {len(given)} rows of weights, "
            f"got {len(positions)}"
        )
    handle_count = given.shape[1]
    kept, sweeps = given, 0
    if count is not None and count < handle_count:
        kept = np.empty_like(given)
        sweeps = _core.reduce_weights(
            given,
            positions,
            triangles,
            kept,
            influence_count=count,
            smoothness=cost,
            weld=slack,
            progress=answer,
        )
    kept = _above(kept, least)
    width = int((kept > 0).sum(axis=1).max()) if count is None else count
    columns = np.argsort(-kept, axis=1, kind="stable")[:, :width]
    values = np.take_along_axis(kept, columns, axis=1)
    if values.shape[1] < width:  # fewer handles than k: slots of weight 0
        missing = ((0, 0), (0, width - values.shape[1]))
        columns, values = np.pad(columns, missing), np.pad(values, missing)
    result = Reduced(
        np.where(values > 0, columns, 0).astype(np.uint16),
        _single(values),
        _dropped(given, kept, least, sweeps),
    )
    finish(answer)
    return result


def _influence_count(what: str, k: int | None) -> int | None:
    if k is None:
        return None
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise TypeError(f"{what}: k must be an integer or None, got {type(k).__name__}")
    if k < 1:
        raise ValueError(f"{what}: k must be at least 1, got {k}")
    return int(k)


def _above(weights: NDArray[np.float64], threshold: float) -> NDArray[np.float64]:
    """Drop what is below the threshold, except each row's largest."""
    largest = weights.max(axis=1, keepdims=True)
    kept = np.where((weights >= threshold) | (weights == largest), weights, 0)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True))


def _single(weights: NDArray[np.float64]) -> NDArray[np.float32]:
    """Round to float32 so that rows still sum to 1: the largest takes what the others leave."""
    values = weights.astype(np.float32)
    values[:, 0] = 1 - values[:, 1:].sum(axis=1, dtype=np.float64)
    return values


def _dropped(given: NDArray[np.float64], kept: NDArray[np.float64], threshold: float, sweeps: int) -> Dropped:
    was_influence = (given > 0) & (given >= threshold)
    is_gone = (kept == 0) & (given > 0)
    lost = np.where(is_gone, given, 0).sum(axis=1)
    change = 0.5 * np.abs(kept - given).sum(axis=1)
    return Dropped(
        vertex_count=int((is_gone & was_influence).any(axis=1).sum()),
        largest=float(lost.max()),
        mean=float(lost.mean()),
        largest_change=float(change.max()),
        mean_change=float(change.mean()),
        most_influences=int(was_influence.sum(axis=1).max()),
        sweeps=sweeps,
    )
