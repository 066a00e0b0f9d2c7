# SPDX-License-Identifier: MIT
"""Levels of detail: meshes of fewer triangles that move like the mesh they are made from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.extras import require
from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh
from lissom._rig.weld import connected, weld_bound
from lissom.pose_texture._pose_texture import PoseTexture

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["levels_of_detail"]

MOST_INFLUENCES = 4
# How fast fast-simplification raises its error threshold. Measured on characters: its own default, 7, leaves
# up to twice the largest distance from the source that 5 does; 3 stops far above small fractions.
AGGRESSIVENESS = 5.0
# Of the size: how far apart morph targets may move vertices in one place that are still welded. Far above the
# rounding of quantised files, far below what opens a mouth.
MORPH_SLACK = 1e-4


@set_module("lissom.gpu")
def levels_of_detail(
    source: Mesh | PreparedMesh | Character | PoseTexture,
    fractions: Iterable[float] = (0.25, 0.06),
    *,
    crease: float = 75.0,
) -> tuple[Mesh, ...]:
    """Make meshes of fewer triangles, bound to the same joints, for characters that are small in the picture.

    Edges are collapsed by their quadric error [1]_ with the package fast-simplification, in the extra
    ``lod``. Vertices that a file splits at hard edges, at texture seams or between parts are welded first, so
    that no crack opens there; vertices with different influences stay separate, and so do parts that only
    touch, or that morph targets move apart, as they do lips. A vertex of a level takes the influences of the
    nearest source vertex that was collapsed into it, never those of another limb nearby. A triangle keeps the
    part, and with it the base colour and the texture, of the triangle it comes from, and its corners take the
    texture coordinates and colours of source vertices on the same side of texture seams and of borders
    between colours.

    Parameters
    ----------
    source : Mesh, PreparedMesh, Character or PoseTexture
        What to simplify. Of a character or a bake, its mesh.
    fractions : iterable of float
        Triangles of each level as a fraction of the source's, above 0 and below 1. A level may keep a few
        more where no edge can be collapsed.
    crease : float
        Degrees, 0 to 180. Faces that meet at a larger angle do not share normals; at 180 all do.

    Returns
    -------
    tuple of Mesh
        One per fraction, in its order, with at most 4 influences per vertex. Parts that lost every triangle
        are left out.

    Raises
    ------
    ImportError
        Without fast-simplification, naming the extra.
    TypeError
        If `source` has another type, or a number is not one.
    ValueError
        If there is no mesh, all of its triangles are degenerate, or a number is out of range.

    References
    ----------
    .. [1] Garland and Heckbert, Surface Simplification Using Quadric Error Metrics, SIGGRAPH 1997.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> near, far = lissom.gpu.levels_of_detail(hero)
    >>> far.triangle_count < 0.07 * hero.mesh.triangle_count
    True
    """
    mesh = _mesh_of(source)
    angle = check_number(crease, "levels_of_detail: crease", least=0)
    if angle > 180:
        raise ValueError(f"levels_of_detail: crease must be at most 180 degrees, got {crease}")
    if isinstance(fractions, (str, bytes)) or not isinstance(fractions, Iterable):
        raise TypeError(
            f"levels_of_detail: fractions must be numbers, one per level, got {type(fractions).__name__}"
        )
    checked = [
        check_number(fraction, "levels_of_detail: fractions", above_zero=True) for fraction in fractions
    ]
    for fraction in checked:
        if fraction >= 1:
            raise ValueError(f"levels_of_detail: fractions must be below 1, got {fraction:g}")
    welded = _Welded(mesh)
    return tuple(_level(mesh, welded, fraction, np.radians(angle)) for fraction in checked)


def _mesh_of(source: Any) -> Mesh:
    mesh = source.mesh if isinstance(source, (Character, PoseTexture)) else source
    if isinstance(mesh, PreparedMesh):
        mesh = mesh._results
    if mesh is None:
        raise ValueError(
            f"levels_of_detail: source must have a mesh, got a {type(source).__name__} without; pass the mesh"
        )
    if not isinstance(mesh, Mesh):
        raise TypeError(
            f"levels_of_detail: source must be a Mesh, PreparedMesh, Character or PoseTexture, got "
            f"{type(mesh).__name__}"
        )
    return mesh


class _Welded:
    """The source's surface with its split vertices welded.

    Attributes
    ----------
    triangles : ndarray of int32, shape (F', 3)
        Triangles of welded vertices, without the degenerate ones.
    kept : ndarray of int, shape (F',)
        Which triangles of the source these are.
    positions : ndarray of float64, shape (W, 3)
        Of the welded vertices, bind space.
    members : ndarray of int, shape (V',)
        Vertices of the source that these triangles use.
    member_of : ndarray of int, shape (V',)
        The welded vertex of each.
    """

    def __init__(self, mesh: Mesh) -> None:
        number = _welded_numbers(mesh) if mesh.triangle_count else np.zeros(0, np.int64)
        triangles = number[mesh.triangles]
        self.kept = np.flatnonzero(_has_area(triangles))
        if not len(self.kept):
            raise ValueError(
                "levels_of_detail: source must have a triangle with three distinct corners, got none"
            )
        used, corners = np.unique(triangles[self.kept], return_inverse=True)
        self.triangles = corners.reshape(-1, 3).astype(np.int32)
        self.members = np.unique(mesh.triangles[self.kept])
        self.member_of = np.searchsorted(used, number[self.members])
        self.positions = np.zeros((len(used), 3))
        self.positions[self.member_of] = mesh.positions[self.members]


def _welded_numbers(mesh: Mesh) -> NDArray[np.int64]:
    """Return the welded vertex of each source vertex; weights that round to the same byte count as equal.

    Vertices that morph targets move apart, those of closed lips say, stay separate.
    """
    rows = np.where(mesh.weights > 0, mesh.indices, 0).astype(np.float64)
    weights = np.rint(mesh.weights * np.float64(255))
    order = np.lexsort((rows, -weights), axis=1)
    sorted_influences = (np.take_along_axis(values, order, axis=1) for values in (rows, weights))
    return weld_bound(mesh.positions, *sorted_influences, _morph_marks(mesh))[1]


def _morph_marks(mesh: Mesh) -> NDArray[np.float64]:
    """Return numbers for each vertex, (V, 3), equal where all morph targets move vertices alike.

    Sums of the differences by factors that no two targets share, so that others do not cancel; in units of
    `MORPH_SLACK` of the size.
    """
    marks = np.zeros((mesh.vertex_count, 3))
    morphs = mesh.morphs
    if morphs is None or not len(morphs.vertices):
        return marks
    target = np.repeat(np.arange(len(morphs)), np.diff(morphs.offsets))
    factors = 1 + np.modf(target * np.sqrt(2))[0]
    np.add.at(marks, morphs.vertices, factors[:, None] * morphs.positions)
    unit = MORPH_SLACK * float(np.linalg.norm(np.ptp(mesh.positions, axis=0)))
    return np.rint(marks / unit) if unit else marks


def _has_area(triangles: NDArray[Any]) -> NDArray[np.bool_]:
    """Return whether the three corners of each triangle are different vertices."""
    a, b, c = triangles.T
    result: NDArray[np.bool_] = (a != b) & (b != c) & (c != a)
    return result


def _level(mesh: Mesh, welded: _Welded, fraction: float, crease: float) -> Mesh:
    # Of the packages with wheels for every platform only this one reports which vertices became one. pyfqmr
    # makes the same collapses without; meshoptimizer, whose error could include weights, has no wheels.
    # MIT, 0.8 MB.
    package = require("fast_simplification", "lod", "levels_of_detail")
    target = max(1, round(fraction * len(welded.triangles)))
    positions, survivor, alive = _collapsed(package, welded, target)
    while not len(alive):  # small flat surfaces can lose every triangle
        target *= 2
        positions, survivor, alive = _collapsed(package, welded, target)
    corners = survivor[welded.triangles]
    remaining = np.unique(corners[alive])
    number = np.full(len(survivor), -1)
    number[remaining] = np.arange(len(remaining))
    triangles = number[corners[alive]]
    vertex_of = number[survivor[welded.member_of]]  # of each member; -1 where a whole island was removed
    nearest = _nearest(positions, mesh.positions[welded.members], vertex_of)
    moved_as = welded.members[nearest]  # one vertex for all corners, so that morph targets tear no seam
    indices, weights = _influences(mesh, moved_as)
    sources = welded.kept[alive]
    chosen = _corner_vertices(mesh, welded, vertex_of, positions, triangles, mesh.triangles[sources])
    return _assembled(mesh, positions, triangles, chosen, indices, weights, moved_as, sources, crease)


def _collapsed(
    package: Any, welded: _Welded, target: int
) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[np.int64]]:
    """Collapse edges until `target` triangles are left.

    Return the positions that remain, the vertex that each welded one ends up in, and which triangles live.
    """
    if target >= len(welded.triangles):
        return welded.positions, np.arange(len(welded.positions)), np.arange(len(welded.triangles))
    positions, faces, collapses = package.simplify(
        welded.positions, welded.triangles, target_count=target, agg=AGGRESSIVENESS, return_collapses=True
    )
    survivor = _survivors(collapses, len(welded.positions))
    corners = survivor[welded.triangles]
    alive = np.flatnonzero(_has_area(corners))
    if len(np.unique(corners[alive])) != len(positions) or len(alive) != len(faces):
        raise RuntimeError("levels_of_detail: fast-simplification reports other collapses than it made")
    return positions, survivor, alive


def _survivors(collapses: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return the vertex that each vertex ends up in. A row (i, j) of `collapses`: j was merged into i."""
    survivor = np.arange(count)
    survivor[collapses[:, 1]] = collapses[:, 0]
    while True:
        further = survivor[survivor]
        if np.array_equal(further, survivor):
            return survivor
        survivor = further


def _nearest(places: NDArray[Any], positions: NDArray[Any], place_of: NDArray[Any]) -> NDArray[np.intp]:
    """Return for each place the nearest of the positions that belong to it; each has at least one."""
    distance = np.linalg.norm(positions - places[place_of], axis=1)
    order = np.lexsort((distance, place_of))
    order = order[place_of[order] >= 0]
    return order[np.unique(place_of[order], return_index=True)[1]]


def _influences(mesh: Mesh, vertices: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the heaviest influences of vertices, at most `MOST_INFLUENCES`, with weights summing to 1."""
    order = np.argsort(-mesh.weights[vertices], axis=1, kind="stable")[:, :MOST_INFLUENCES]
    weights = np.take_along_axis(mesh.weights[vertices], order, axis=1)
    indices = np.take_along_axis(mesh.indices[vertices], order, axis=1)
    return indices, weights / weights.sum(axis=1, keepdims=True)


def _charts(mesh: Mesh, welded: _Welded) -> NDArray[np.int64]:
    """Return a number per source vertex: of its part or, where that has a texture or colours, of its island.

    Colours of small models are often separate patches of one picture, or of equally coloured vertices: no
    corner may take its uv or its colour from another patch. Colours that run into one another over triangles
    are one island.
    """
    part_of = np.zeros(mesh.vertex_count, np.int64)
    divided = np.zeros(mesh.vertex_count, np.bool_)
    attributes = np.zeros((mesh.vertex_count, 6))
    for i, part in enumerate(mesh.parts):
        part_of[part.vertices] = i
        if (part.texture or part.emissive_texture) and mesh.uvs is not None:
            attributes[part.vertices, :2] = np.rint(mesh.uvs[part.vertices] * 65536.0)
            divided[part.vertices] = True
        if mesh.colors is not None and np.ptp(mesh.colors[part.vertices], axis=0).any():
            attributes[part.vertices, 2:] = np.rint(mesh.colors[part.vertices] * 65536.0)
            divided[part.vertices] = True
    if not divided.any():
        return part_of
    key = np.zeros((len(welded.members), 8))
    key[:, 0], key[:, 1] = welded.member_of, part_of[welded.members]
    key[:, 2:] = attributes[welded.members]
    number = np.zeros(mesh.vertex_count, np.int64)
    number[welded.members] = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    a, b, c = number[mesh.triangles[welded.kept]].T
    island = connected(int(number.max()) + 1, np.concatenate([a, b]), np.concatenate([b, c]))
    return np.where(divided, len(mesh.parts) + island[number], part_of)


def _corner_vertices(
    mesh: Mesh,
    welded: _Welded,
    vertex_of: NDArray[Any],
    positions: NDArray[Any],
    triangles: NDArray[Any],
    source_triangles: NDArray[Any],
) -> NDArray[Any]:
    """Return for each corner the source vertex with its part, uv and colour: the nearest of its chart."""
    chart = _charts(mesh, welded)
    count = int(chart.max()) + 1
    pair = vertex_of * count + chart[welded.members]  # a vertex of the level in a chart
    alive = vertex_of >= 0
    pairs, pair_of = np.unique(pair[alive], return_inverse=True)
    members = welded.members[alive]
    nearest = members[_nearest(positions[pairs // count], mesh.positions[members], pair_of.reshape(-1))]
    return np.asarray(nearest[np.searchsorted(pairs, triangles * count + chart[source_triangles])])


def _corner_normals(
    positions: NDArray[Any], triangles: NDArray[Any], crease: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return a number for each corner, equal where corners share a normal, and the normals by that number."""
    a, b, c = np.moveaxis(positions[triangles], 1, 0)
    areas = np.cross(b - a, c - a)
    lengths = np.linalg.norm(areas, axis=1, keepdims=True)
    units = np.divide(areas, lengths, out=np.zeros_like(areas), where=lengths > 0)
    corners = triangles.reshape(-1)
    order = np.argsort(corners, kind="stable")
    counts = np.bincount(corners, minlength=len(positions))
    starts = np.concatenate([[0], np.cumsum(counts)])
    pairs = []
    for step in range(
        1, int(counts.max())
    ):  # each corner with the one `step` places after it at the same vertex
        first = np.arange(len(order) - step)
        first = first[first + step < starts[corners[order[first]] + 1]]
        one, other = order[first], order[first + step]
        near = np.einsum("ij,ij->i", units[one // 3], units[other // 3]) >= np.cos(crease) - 1e-9
        pairs.append(np.stack([one[near], other[near]], axis=1))
    one, other = np.concatenate([np.zeros((0, 2), np.int64), *pairs]).T
    shared = connected(len(corners), one, other)
    sums = np.zeros((len(corners), 3))
    np.add.at(sums, shared, areas[np.arange(len(corners)) // 3])
    lengths = np.linalg.norm(sums, axis=1, keepdims=True)
    return shared, np.divide(sums, lengths, out=np.zeros_like(sums), where=lengths > 0)


def _assembled(
    mesh: Mesh,
    positions: NDArray[Any],
    triangles: NDArray[Any],
    chosen: NDArray[Any],
    indices: NDArray[Any],
    weights: NDArray[Any],
    moved_as: NDArray[Any],
    sources: NDArray[Any],
    crease: float,
) -> Mesh:
    shared, normals = _corner_normals(positions, triangles, crease)
    ends = np.array([part.triangles.stop for part in mesh.parts])
    part_of = np.searchsorted(ends, sources, side="right")
    key = np.stack([np.repeat(part_of, 3), triangles.reshape(-1), chosen.reshape(-1), shared], axis=1)
    rows, corner = np.unique(key, axis=0, return_inverse=True)
    parts = []
    for i, part in enumerate(mesh.parts):
        its_rows, its_triangles = np.flatnonzero(rows[:, 0] == i), np.flatnonzero(part_of == i)
        if len(its_triangles):
            vertices = slice(int(its_rows[0]), int(its_rows[-1]) + 1)
            drawn = slice(int(its_triangles[0]), int(its_triangles[-1]) + 1)
            parts.append(replace(part, vertices=vertices, triangles=drawn))
    return Mesh(
        positions[rows[:, 1]],
        corner.reshape(-1, 3),
        indices[rows[:, 1]],
        weights[rows[:, 1]],
        normals=normals[rows[:, 3]],
        uvs=None if mesh.uvs is None else mesh.uvs[rows[:, 2]],
        colors=None if mesh.colors is None else mesh.colors[rows[:, 2]],
        parts=parts,
        morphs=None if mesh.morphs is None else mesh.morphs._taken(moved_as[rows[:, 1]]),
    )
