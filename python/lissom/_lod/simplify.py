# SPDX-License-Identifier: MIT
"""Levels of detail: meshes of fewer triangles that move as the mesh they are made of."""

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
from lissom.pose_texture._pose_texture import PoseTexture

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["levels_of_detail"]

WELD = 1e-6  # of the diagonal: vertices nearer than this, and bound alike, are one
MOST_INFLUENCES = 4
# How soon fast-simplification takes a dearer collapse instead of searching on. Measured on characters: its
# own default, 7, leaves up to twice the largest distance of 5; 3 stops far above small fractions.
AGGRESSIVENESS = 5.0


@set_module("lissom.gpu")
def levels_of_detail(
    source: Mesh | PreparedMesh | Character | PoseTexture,
    fractions: Iterable[float] = (0.25, 0.06),
    *,
    crease: float = 75.0,
) -> tuple[Mesh, ...]:
    """Make meshes of fewer triangles, bound to the same joints, for characters that are small in the picture.

    Edges are collapsed by their quadric error [1]_ with the package fast-simplification, in the extra
    ``lod``. Vertices that a file splits at hard edges, texture seams or between parts are joined before, so
    that no crack opens where they were; those bound differently stay apart, and so do parts that only touch.
    A vertex of a level takes the influences of a vertex of the source that was collapsed into it, the nearest
    one: never those of another limb that is near. A triangle keeps the part, and with it the colour and the
    texture, of the one it comes from.

    Parameters
    ----------
    source : Mesh, PreparedMesh, Character or PoseTexture
        What to simplify. Of a character or a bake, its mesh.
    fractions : iterable of float
        Triangles of each level as a share of the source's, above 0 and below 1. Levels may keep a few more,
        where nothing is left to collapse.
    crease : float
        Degrees, 0 to 180. Faces that meet at a larger angle do not share their normals; 180 shares all.

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
        If `source` is none of these, or a number is none.
    ValueError
        If there is no mesh or it has no triangle with three corners apart, or a number is out of range.

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
        raise ValueError(f"levels_of_detail: crease: expected degrees from 0 to 180, got {crease}")
    if isinstance(fractions, (str, bytes)) or not isinstance(fractions, Iterable):
        raise TypeError(
            f"levels_of_detail: fractions: expected numbers, one per level, got {type(fractions).__name__}"
        )
    shares = [
        check_number(share, "levels_of_detail: fractions", above_zero=True) for share in tuple(fractions)
    ]
    for share in shares:
        if share >= 1:
            raise ValueError(
                f"levels_of_detail: fractions: expected numbers above 0 and below 1, got {share:g}"
            )
    welded = _Welded(mesh)
    return tuple(_level(mesh, welded, share, np.radians(angle)) for share in shares)


def _mesh_of(source: Any) -> Mesh:
    mesh = source.mesh if isinstance(source, (Character, PoseTexture)) else source
    if isinstance(mesh, PreparedMesh):
        mesh = mesh._results
    if mesh is None:
        raise ValueError(f"levels_of_detail: source: this {type(source).__name__} has no mesh; pass one")
    if not isinstance(mesh, Mesh):
        raise TypeError(
            f"levels_of_detail: source: expected a Mesh, PreparedMesh, Character or PoseTexture, got "
            f"{type(mesh).__name__}"
        )
    return mesh


class _Welded:
    """The source's surface with its split vertices joined.

    Attributes
    ----------
    triangles : ndarray of int32, shape (F', 3)
        Welded vertices; only triangles whose corners are apart.
    kept : ndarray of int, shape (F',)
        Which triangles of the source these are.
    positions : ndarray of float64, shape (W, 3)
    members : ndarray of int, shape (V',)
        Vertices of the source that a triangle uses.
    member_of : ndarray of int, shape (V',)
        The welded vertex of each.
    """

    def __init__(self, mesh: Mesh) -> None:
        extent = np.linalg.norm(np.ptp(mesh.positions, axis=0)) if mesh.vertex_count else 1.0
        rows = np.where(mesh.weights > 0, mesh.indices, 0).astype(np.float64)
        shares = np.rint(mesh.weights * np.float64(255))
        order = np.lexsort((rows, -shares), axis=1)
        places = np.rint(mesh.positions / np.float64(WELD * (extent or 1.0)))
        bound = [np.take_along_axis(values, order, axis=1) for values in (rows, shares)]
        alike = np.unique(np.concatenate([places, *bound], axis=1), axis=0, return_inverse=True)[1]
        triangles = alike.reshape(-1)[mesh.triangles]
        a, b, c = triangles.T
        self.kept = np.flatnonzero((a != b) & (b != c) & (c != a))
        if not len(self.kept):
            raise ValueError(
                "levels_of_detail: source: expected a mesh with triangles whose corners are apart, got none"
            )
        names, used = np.unique(triangles[self.kept], return_inverse=True)
        self.triangles = used.reshape(-1, 3).astype(np.int32)
        self.members = np.unique(mesh.triangles[self.kept])
        self.member_of = np.searchsorted(names, alike.reshape(-1)[self.members])
        self.positions = np.zeros((len(names), 3))
        self.positions[self.member_of] = mesh.positions[self.members]


def _level(mesh: Mesh, welded: _Welded, share: float, crease: float) -> Mesh:
    package = require("fast_simplification", "lod", "levels_of_detail")
    # Of the packages with wheels for every platform it alone tells which vertices became one. pyfqmr
    # does the same collapses and does not; meshoptimizer, whose error could know of weights, has no wheels.
    # MIT, 0.8 MB.
    wanted = max(1, round(share * len(welded.triangles)))
    positions, faces, collapses = package.simplify(
        welded.positions, welded.triangles, target_count=wanted, agg=AGGRESSIVENESS, return_collapses=True
    )
    root = _followed(collapses, len(welded.positions))
    corners = root[welded.triangles]
    a, b, c = corners.T
    alive = np.flatnonzero((a != b) & (b != c) & (c != a))
    names = np.unique(corners[alive])
    if len(names) != len(positions) or len(alive) != len(faces):
        raise RuntimeError("levels_of_detail: fast-simplification tells of other collapses than it made")
    number = np.full(len(root), -1)
    number[names] = np.arange(len(names))
    triangles = number[corners[alive]]
    level_of = number[root[welded.member_of]]  # of each member; -1 where a whole island is gone
    nearest = _nearest(positions, mesh.positions[welded.members], level_of)
    indices, shares = _influences(mesh, welded.members[nearest])
    chosen = _corner_vertices(
        mesh, welded, level_of, positions, triangles, mesh.triangles[welded.kept[alive]]
    )
    return _assembled(mesh, positions, triangles, chosen, indices, shares, welded.kept[alive], crease)


def _followed(collapses: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return which vertex each has become in the end. Row (i, j): j was collapsed into i, which lives on."""
    root = np.arange(count)
    root[collapses[:, 1]] = collapses[:, 0]
    while True:
        further = root[root]
        if np.array_equal(further, root):
            return root
        root = further


def _nearest(places: NDArray[Any], positions: NDArray[Any], place_of: NDArray[Any]) -> NDArray[np.intp]:
    """Return for each place the nearest of the positions that belong to it; each has one at least."""
    away = np.linalg.norm(positions - places[place_of], axis=1)
    order = np.lexsort((away, place_of))
    order = order[place_of[order] >= 0]
    return order[np.unique(place_of[order], return_index=True)[1]]


def _influences(mesh: Mesh, vertices: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the influences of some vertices, the heaviest at most `MOST_INFLUENCES`."""
    order = np.argsort(-mesh.weights[vertices], axis=1, kind="stable")[:, :MOST_INFLUENCES]
    shares = np.take_along_axis(mesh.weights[vertices], order, axis=1)
    return np.take_along_axis(mesh.indices[vertices], order, axis=1), shares / shares.sum(
        axis=1, keepdims=True
    )


def _charts(mesh: Mesh, welded: _Welded) -> NDArray[np.int64]:
    """Return a number per vertex of the source: of its part or, where that has a texture, its island in it.

    Colours of small models are often single patches of one picture: no corner may take its uv from another's.
    """
    part_of = np.zeros(mesh.vertex_count, np.int64)
    textured = np.zeros(mesh.vertex_count, np.bool_)
    for i, part in enumerate(mesh.parts):
        part_of[part.vertices] = i
        textured[part.vertices] = part.texture is not None and mesh.uvs is not None
    if not textured.any():
        return part_of
    assert mesh.uvs is not None
    key = np.zeros((len(welded.members), 4))
    key[:, 0], key[:, 1] = welded.member_of, part_of[welded.members]
    key[:, 2:] = np.where(textured[welded.members, None], np.rint(mesh.uvs[welded.members] * 65536.0), 0)
    name = np.zeros(mesh.vertex_count, np.int64)
    name[welded.members] = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    corners = name[mesh.triangles[welded.kept]]
    island = _components(np.concatenate([corners[:, :2], corners[:, 1:]]), int(name.max()) + 1)
    return np.where(textured, len(mesh.parts) + island[name], part_of)


def _components(edges: NDArray[Any], count: int) -> NDArray[np.int64]:
    """Return the lowest node that each node is connected with."""
    label = np.arange(count)
    while True:
        before = label.copy()
        lower = np.minimum(label[edges[:, 0]], label[edges[:, 1]])
        for end in (0, 1):
            np.minimum.at(label, edges[:, end], lower)
            np.minimum.at(label, before[edges[:, end]], lower)  # the whole group follows: few rounds
        label = label[label]
        if np.array_equal(label, before):
            return label


def _corner_vertices(
    mesh: Mesh,
    welded: _Welded,
    level_of: NDArray[Any],
    positions: NDArray[Any],
    triangles: NDArray[Any],
    came_from: NDArray[Any],
) -> NDArray[Any]:
    """Return for each corner a vertex of the source whose part and uv it takes: the nearest of its island."""
    chart = _charts(mesh, welded)
    charts = int(chart.max()) + 1
    place = level_of * charts + chart[welded.members]
    alive = level_of >= 0
    names, place_of = np.unique(place[alive], return_inverse=True)
    members = welded.members[alive]
    nearest = members[_nearest(positions[names // charts], mesh.positions[members], place_of.reshape(-1))]
    return np.asarray(nearest[np.searchsorted(names, triangles * charts + chart[came_from])])


def _corner_normals(
    positions: NDArray[Any], triangles: NDArray[Any], crease: float
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return a number for each corner, equal where normals are shared, and the normals by that number."""
    a, b, c = np.moveaxis(positions[triangles], 1, 0)
    areas = np.cross(b - a, c - a)
    lengths = np.linalg.norm(areas, axis=1, keepdims=True)
    units = np.divide(areas, lengths, out=np.zeros_like(areas), where=lengths > 0)
    corners = triangles.reshape(-1)
    order = np.argsort(corners, kind="stable")
    counts = np.bincount(corners, minlength=len(positions))
    starts = np.concatenate([[0], np.cumsum(counts)])
    most = int(counts.max())
    pairs = []
    for step in range(1, most):  # every corner with the one that many places behind it at the same vertex
        first = np.arange(len(order) - step)
        first = first[first + step < starts[corners[order[first]] + 1]]
        one, other = order[first], order[first + step]
        near = np.einsum("ij,ij->i", units[one // 3], units[other // 3]) >= np.cos(crease) - 1e-9
        pairs.append(np.stack([one[near], other[near]], axis=1))
    shared = _components(np.concatenate([np.zeros((0, 2), np.int64), *pairs]), len(corners))
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
    shares: NDArray[Any],
    came_from: NDArray[Any],
    crease: float,
) -> Mesh:
    shared, normals = _corner_normals(positions, triangles, crease)
    ends = np.array([part.triangles.stop for part in mesh.parts])
    part_of = np.searchsorted(ends, came_from, side="right")
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
        shares[rows[:, 1]],
        normals=normals[rows[:, 3]],
        uvs=None if mesh.uvs is None else mesh.uvs[rows[:, 2]],
        parts=parts,
    )
