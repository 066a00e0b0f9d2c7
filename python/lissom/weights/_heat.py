# SPDX-License-Identifier: MIT
"""``weights.heat``: bones warm a surface, and it spreads."""

from __future__ import annotations

import time
from typing import Literal, overload

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.numbers import check_number
from lissom.weights._handle_fit import warn_of_misfit, warn_of_sight
from lissom.weights._inputs import Floats, Handles, HandlesLike, SurfaceLike, as_handles, as_surface
from lissom.weights._progress import Progress, as_progress, finish
from lissom.weights._report import WeightReport, report_of

__all__ = ["heat"]

# Of what the core says of a vertex: from here on it sees no bone, nor does any other of its island.
_BLIND = 2


@overload
def heat(
    surface: SurfaceLike,
    handles: HandlesLike,
    *,
    conductance: float = ...,
    weld: float = ...,
    visibility: bool = ...,
    report: Literal[False] = ...,
    progress: Progress | None = ...,
) -> Floats: ...
@overload
def heat(
    surface: SurfaceLike,
    handles: HandlesLike,
    *,
    conductance: float = ...,
    weld: float = ...,
    visibility: bool = ...,
    report: Literal[True],
    progress: Progress | None = ...,
) -> tuple[Floats, WeightReport]: ...
def heat(
    surface: SurfaceLike,
    handles: HandlesLike,
    *,
    conductance: float = 1.0,
    weld: float = 1e-6,
    visibility: bool = True,
    report: bool = False,
    progress: Progress | None = None,
) -> Floats | tuple[Floats, WeightReport]:
    """Compute weights by heat: each bone warms the vertices it is the nearest to, and heat spreads [1]_.

    Fast, smooth along the surface, and good for limbs. Bones are meant to lie inside. Any triangles will do:
    open, non-manifold, of either winding, doubled, without area; islands are solved separately.

    Parameters
    ----------
    surface : (positions, triangles) or Mesh
        Vertices (V, 3) and triangles (F, 3).
    handles : sequence of array_like, or Bones
        H points (3,) and bones (2, 3), from head to tail, in the space of the positions. A bone without
        length is a point.
    conductance : float
        Heat that bones give, ``conductance / distance ** 2`` at each vertex, above zero. More keeps weights
        nearer to the nearest bone, less blends farther. 1 is the authors' choice; with 0.22 it spreads about
        as far as it would through the volume.
    weld : float
        Vertices that are no farther apart than this fraction of the box's diagonal are welded, such as those
        that a file splits at texture seams; in [0, 1).
    visibility : bool
        Whether a bone warms only vertices that see it through the inside. False: the nearest bone does, even
        through the air between two legs.
    report : bool
        Return a `WeightReport`, too.
    progress : callable, optional
        Called as ``progress(stage, fraction)`` a few times a second, last as ``progress("done", 1.0)``;
        `lissom.weights` lists the stages. What it raises ends the call, as Ctrl-C does.

    Returns
    -------
    weights : ndarray of float64, shape (V, H)
        In [0, 1], rows sum to 1. Welded vertices have equal rows.
    report : WeightReport
        Only with ``report=True``. Its `unreached_vertices` are those of islands without a visible bone, each
        warmed by its own nearest bone all the same, and those in no triangle, which take theirs; its notes
        count others that see none.

    Raises
    ------
    TypeError, ValueError
        If an argument has a wrong type or shape, there is no vertex, triangle or handle, a number is not
        finite, or an index is out of range.

    Warns
    -----
    RuntimeWarning
        If the skeleton misses the mesh: handles stand beside it or are of a wholly different size; more than
        half of the vertices see no bone, or more than a third are in islands that see none.

    Notes
    -----
    ``-Delta w + H w = H p`` on the surface: one symmetric system for all handles, solved by a sparse
    factorisation. H is the heat of the nearest visible bone, p 1 for that one. Bones as near within 1e-4
    share. The Laplacian is the cotangent one of the intrinsic Delaunay triangulation [2]_, of which no weight
    is negative: the maximum principle then keeps weights in [0, 1], and they do not depend on how a mesh is
    triangulated, as they would if negative weights were clamped.

    Of a bone that leaves the surface a vertex sees what lies inside. Where the nearest bone is hidden, the
    nearest visible one takes its place; a vertex that sees none gets its heat from the others. Where no
    vertex of an island sees any bone (eyes, buttons, a shirt of thin cloth), each takes its nearest unseen,
    and a note says so. Vertices of no triangle take the nearest bone as well.

    Unlike `bounded_biharmonic`, weights are not 1 upon the handles, and have a kink where the nearest bone
    changes.

    References
    ----------
    .. [1] Baran and Popovic, Automatic Rigging and Animation of 3D Characters, SIGGRAPH 2007.
    .. [2] Sharp and Crane, A Laplacian for Nonmanifold Triangle Meshes, Computer Graphics Forum 39(5), 2020.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> bones = lissom.weights.bones(hero.skeleton)
    >>> weights = lissom.weights.heat(hero.mesh, bones)
    >>> weights.shape == (hero.mesh.vertex_count, len(bones))
    True
    """
    what = "weights.heat"
    positions, triangles = as_surface(surface, what, needs_triangles=True)
    bones = as_handles(handles, what)
    weights = np.empty((len(positions), len(bones)))
    sights = np.empty(len(positions), np.uint8)
    answer = as_progress(progress, what)
    start = time.perf_counter()
    facts = _core.heat_weights(
        positions,
        triangles,
        bones.segments,
        weights,
        sights,
        conductance=check_number(conductance, f"{what}: conductance", above_zero=True),
        weld=check_number(weld, f"{what}: weld", least=0),
        sight=bool(visibility),
        progress=answer,
    )
    seconds = time.perf_counter() - start
    said = _report(bones, weights, sights, facts, seconds) if report else None
    finish(answer)
    if not warn_of_misfit(what, positions, bones):
        _, cold, blind, loose = np.bincount(sights, minlength=4).tolist()
        warn_of_sight(what, len(positions) - loose, cold, blind)
    return weights if said is None else (weights, said)


def _report(
    bones: Handles, weights: Floats, sights: NDArray[np.uint8], facts: dict[str, float], seconds: float
) -> WeightReport:
    _, cold, blind, loose = np.bincount(sights, minlength=4).tolist()
    notes = []
    if cold:
        notes.append(
            f"{cold} vertices see no bone through the inside; their weights come from those around them"
        )
    if blind:
        notes.append(
            f"{facts['blind_island_count']} of {facts['island_count']} islands see no bone at all, "
            f"{blind} vertices; each of them took its nearest bone unseen"
        )
    if loose:
        notes.append(f"{loose} vertices are in no triangle; they took their nearest bone")
    if facts["degenerate_count"]:
        notes.append(f"{facts['degenerate_count']} triangles have two corners in one place and were left out")
    return report_of(
        "heat",
        weights,
        handle_names=bones.names,
        row_sums=(facts["least_row_sum"], facts["most_row_sum"]),
        lowest=facts["least_weight"],
        highest=facts["most_weight"],
        unreached_vertices=np.flatnonzero(sights >= _BLIND),
        components_without_handle=int(facts["blind_island_count"]),
        seconds={"all": seconds},
        notes=tuple(notes),
    )
