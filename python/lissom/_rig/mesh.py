# SPDX-License-Identifier: MIT
"""Meshes: what is drawn and skinned, in the bind space of its character."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.doors import as_html, as_png
from lissom._base.names import counted
from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom._rig.mesh_arrays import color_rows, float_rows, frozen, influence_rows, triangle_rows
from lissom._rig.morphs import Morphs
from lissom._rig.normals import face_normals
from lissom._rig.part import Part, checked_parts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.prepared_mesh import PreparedMesh

__all__ = ["Mesh"]

# The paper's, and the one whose centres of rotation are kept.
_DEFAULT_SIGMA = 0.1


@set_module("lissom")
class Mesh:
    """Triangles with influences: what skinning moves.

    All arrays are checked once, here, and are read-only afterwards; skinning trusts them. An array that
    nobody can ever write (a view of a file's `bytes`) is kept as it is, any other is copied.

    Parameters
    ----------
    positions : array_like, shape (V, 3)
        Bind space, in the file's units. Kept as float32, the precision of model files.
    triangles : array_like of int, shape (F, 3)
        Vertex indices, counter-clockwise seen from outside.
    indices : array_like of int, shape (V, K), optional
        Palette rows of each vertex's influences, any number K of them. Kept as uint16 (uint32 where a row
        needs it); an array of uint8 stays one for the kernels. A slot of weight 0 may name any row of the
        palette. Without it every vertex follows row 0.
    weights : array_like, shape (V, K), optional
        Weights of the influences, not negative. Each row must sum to 1 within 1e-3 and is then normalised.
        An array of uint8 counts in 255ths and one of uint16 in 65 535ths, as normalised integers of glTF do:
        its rows must sum to 255 or 65 535, and the kernels read it as it is, a quarter or half of the bytes.
    normals : array_like, shape (V, 3), optional
        Unit normals in bind space.
    tangents : array_like, shape (V, 4), optional
        Unit tangents, and the sign of the bitangent as the fourth component (as glTF).
    uvs : array_like, shape (V, 2), optional
        Texture coordinates, origin in the upper left corner (as glTF).
    colors : array_like, shape (V, 4), optional
        Red, green, blue and alpha of each vertex in [0, 1], linear light, not sRGB. They multiply the base
        colour and the texture of the vertex's part.
    parts : sequence of Part, optional
        How the mesh is put together; one part that holds everything when omitted.
    morphs : Morphs, optional
        Morph targets: what weights add to positions, normals and tangents before skinning.

    Attributes
    ----------
    positions : ndarray of float32, shape (V, 3)
    normals, tangents, uvs, colors : ndarray of float32, or None
        As above; None where not given.
    triangles : ndarray of uint32, shape (F, 3)
    indices : ndarray of uint16 or uint32, shape (V, K)
    weights : ndarray of float32, shape (V, K)
        Where none were given, K is 1: zeros in `indices` and ones in `weights`.
    parts : tuple of Part
    morphs : Morphs or None

    Raises
    ------
    TypeError
        If an array cannot be converted: a float where indices are expected, or no numbers at all.
    ValueError
        If a shape is wrong, a value is not finite, an index or a colour is out of range, a row of weights
        does not sum to 1, or a morph target moves a vertex that is not there.

    Examples
    --------
    >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    >>> weights = [[1, 0], [1, 0], [0.5, 0.5], [0.5, 0.5]]
    >>> square = lissom.Mesh(corners, [[0, 1, 2], [1, 3, 2]], [[0, 1]] * 4, weights)
    >>> square
    Mesh(4 vertices, 2 triangles, 2 influences, 1 part)
    >>> square.bounds[1], square.row_count
    (array([1., 1., 0.], dtype=float32), 2)
    """

    __slots__ = (
        "__weakref__",
        "_centers_made",
        "_faces_made",
        "_normals_made",
        "_skinned",
        "colors",
        "indices",
        "morphs",
        "normals",
        "parts",
        "positions",
        "tangents",
        "triangles",
        "uvs",
        "weights",
    )

    positions: NDArray[np.float32]
    triangles: NDArray[np.uint32]
    indices: NDArray[np.uint16] | NDArray[np.uint32]
    weights: NDArray[np.float32]
    normals: NDArray[np.float32] | None
    tangents: NDArray[np.float32] | None
    uvs: NDArray[np.float32] | None
    colors: NDArray[np.float32] | None
    parts: tuple[Part, ...]
    morphs: Morphs | None
    _skinned: _core.SkinnedMesh
    _normals_made: NDArray[np.float32] | None
    _faces_made: _core.VertexFaces | None
    _centers_made: NDArray[np.float32] | None

    def __init__(
        self,
        positions: ArrayLike,
        triangles: ArrayLike,
        indices: ArrayLike | None = None,
        weights: ArrayLike | None = None,
        *,
        normals: ArrayLike | None = None,
        tangents: ArrayLike | None = None,
        uvs: ArrayLike | None = None,
        colors: ArrayLike | None = None,
        parts: Sequence[Part] | None = None,
        morphs: Morphs | None = None,
    ) -> None:
        fields: dict[str, Any] = {"positions": float_rows("positions", positions, None, 3)}
        count = len(fields["positions"])
        fields["triangles"] = triangle_rows(triangles, count)
        fields["indices"], fields["weights"], *compact = influence_rows(indices, weights, count)
        for name, values, width in (("normals", normals, 3), ("tangents", tangents, 4), ("uvs", uvs, 2)):
            fields[name] = None if values is None else float_rows(name, values, count, width)
        fields["colors"] = None if colors is None else color_rows(colors, count)
        fields["parts"] = checked_parts(parts, count, len(fields["triangles"]))
        fields["morphs"] = _checked_morphs(morphs, count)
        # The core checks positions and weights once more, and holds what skinning reads.
        held = fields["_skinned"] = _core.SkinnedMesh(fields["positions"], *compact)
        held.keep_normals(fields["normals"])
        held.is_morphed = bool(morphs is not None and morphs.defaults.any())
        fields["_normals_made"] = fields["_faces_made"] = fields["_centers_made"] = None
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(
            f"Mesh.{name} cannot be set: a mesh is checked once, when it is made; make a new Mesh"
        )

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"Mesh.{name} cannot be deleted")

    @property
    def vertex_count(self) -> int:
        """Number of vertices, V."""
        return len(self.positions)

    @property
    def triangle_count(self) -> int:
        """Number of triangles, F."""
        return len(self.triangles)

    @property
    def influence_count(self) -> int:
        """Influences per vertex, K: the columns of `indices` and `weights`."""
        return int(self.indices.shape[1])

    @property
    def row_count(self) -> int:
        """Rows that a palette must have at least: one more than the highest index."""
        return int(self._skinned.row_count)

    @property
    def bounds(self) -> NDArray[np.float32]:
        """Lower and upper corner of the bind positions, shape (2, 3); zeros for an empty mesh."""
        if not self.vertex_count:
            return np.zeros((2, 3), np.float32)
        return np.stack([self.positions.min(axis=0), self.positions.max(axis=0)])

    def computed_normals(self) -> NDArray[np.float32]:
        """Vertex normals from the triangles: the mean of the adjacent faces' normals, weighted by their area.

        Computed in float64 when first asked for, then kept.

        Returns
        -------
        ndarray of float32, shape (V, 3)
            Unit, read-only. A vertex without a triangle of non-zero area gets zeros.

        Notes
        -----
        Vertices that a file splits (at texture seams, hard edges) do not share normals: nothing is welded.

        Examples
        --------
        >>> square = lissom.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], [[0, 1, 2], [1, 3, 2]])
        >>> square.computed_normals()[0]  # +z: from there the corners run counter-clockwise
        array([0., 0., 1.], dtype=float32)
        """
        if self._normals_made is None:
            object.__setattr__(self, "_normals_made", frozen(face_normals(self, self.positions)))
            if self.normals is None:
                self._skinned.keep_normals(self._normals_made)
        assert self._normals_made is not None
        return self._normals_made

    def normals_of(self, positions: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Vertex normals of the mesh's triangles with their vertices elsewhere, in a pose say.

        As `computed_normals` are: the mean of the adjacent faces' normals, weighted by their area. Dearer
        than moving normals with the vertices, and right where skinning shears or bulges the surface.

        Parameters
        ----------
        positions : array_like, shape (..., V, 3)
            Finite, in any space; leading axes are poses. float64 keeps its type, all else is taken as
            float32.
        out : ndarray, optional
            Where to write: C-contiguous, shape and dtype of `positions`, apart from them.

        Returns
        -------
        ndarray, shape (..., V, 3)
            Unit, computed in float64 for either type. A vertex without a triangle of non-zero area gets
            zeros.

        Raises
        ------
        TypeError
            If `out` has another dtype or layout.
        ValueError
            If a shape does not fit, or a position is not finite.

        Notes
        -----
        Vertices that a file splits (at texture seams, hard edges) do not share normals: nothing is welded.

        Examples
        --------
        >>> bar = lissom.samples.twisted_bar()
        >>> posed = bar.deform(bar.clips["bend"].sample(2.0))  # the tip is bent to 100 degrees
        >>> end = bar.mesh.normals[:, 0] > 0.9  # what faced +x at rest
        >>> bar.mesh.normals_of(posed)[end][0, :2].round(3)
        array([-0.174,  0.985], dtype=float32)
        """
        return face_normals(self, positions, out)

    def centers_of_rotation(self, sigma: float = _DEFAULT_SIGMA) -> NDArray[np.float32]:
        r"""Optimised centres of rotation: what each vertex rotates about when joints bend, for method "cor".

        The centre of a vertex is the mean of the surface, weighted by how similarly it is bound; with p and v
        two rows of weights

        .. math:: s(p, v) = \sum_{j \ne k} p_j p_k v_j v_k e^{-(p_j v_k - p_k v_j)^2 / \sigma^2}

        Computed when first asked for, then kept for the default `sigma`. A character of 10 000 vertices takes
        from a millisecond to some tenths of a second; Ctrl-C ends it.

        Parameters
        ----------
        sigma : float
            How different weights may be and still count as similar, positive. 0.1 is the paper's.

        Returns
        -------
        ndarray of float32, shape (V, 3)
            Bind space, read-only. A vertex with one influence, or to which no part of the surface is similar,
            has no centre and gets its own position: it moves as the linear blend of its joints' rigid
            motions.

        Raises
        ------
        TypeError
            If `sigma` is no number.
        ValueError
            If `sigma` is not positive, or the mesh has no triangle with an area.

        Notes
        -----
        The integral over the surface is a sum over triangles, cut so small that no edge changes the weights
        by more than 0.1 (Euclidean distance): how finely the surface is meshed hardly matters. The bits are
        the same on every machine, with any number of threads.

        Morph targets do not count: the centres are those of the mesh's own positions, and serve all weights.

        References
        ----------
        .. [1] Le, Hodgins, Real-time Skeletal Skinning with Optimized Centers of Rotation, ACM TOG 35(4) art.
           37, 2016.

        Examples
        --------
        >>> mesh = lissom.samples.two_bone_tube().mesh
        >>> middle = np.abs(mesh.positions[:, 0] - 2) < 0.1  # where both joints have a say
        >>> centers = mesh.centers_of_rotation()[middle]
        >>> bool(np.linalg.norm(centers[:, 1:], axis=1).max() < 0.01)  # on the axis of the tube
        True
        """
        sigma = check_number(sigma, "Mesh.centers_of_rotation: sigma", above_zero=True)
        if sigma == _DEFAULT_SIGMA and self._centers_made is not None:
            return self._centers_made
        centers = np.empty((self.vertex_count, 3), np.float32)
        indices = self.indices.astype(np.uint32)
        _core.centers_of_rotation(self.positions, indices, self.weights, self.triangles, sigma, centers)
        centers = frozen(centers)
        if sigma == _DEFAULT_SIGMA:
            object.__setattr__(self, "_centers_made", centers)
        return centers

    def with_weights(self, indices: ArrayLike, weights: ArrayLike) -> Mesh:
        """Return the same mesh with other influences; all else stays: colours, textures, parts, morphs.

        Parameters
        ----------
        indices : array_like of int, shape (V, K)
            Palette rows, as `Mesh` takes them.
        weights : array_like, shape (V, K)
            Their weights.

        Returns
        -------
        Mesh
            Its parts are `rigid` where they were and still follow a single row.

        Raises
        ------
        TypeError, ValueError
            As `Mesh` does.

        Examples
        --------
        >>> sample = lissom.samples.humanoid()
        >>> bones = lissom.weights.bones(sample.skeleton)
        >>> per_joint = bones.per_joint(lissom.weights.heat(sample.mesh, bones))
        >>> indices, weights, _ = lissom.weights.reduce(per_joint, 4)
        >>> mesh = sample.mesh.with_weights(indices, weights)
        >>> hero = lissom.Character("hero", sample.skeleton, mesh, bones.skin)
        >>> len(hero.mesh.parts) == len(sample.mesh.parts)
        True
        """
        bound = Mesh(
            self.positions,
            self.triangles,
            indices,
            weights,
            normals=self.normals,
            tangents=self.tangents,
            uvs=self.uvs,
            colors=self.colors,
            parts=self.parts,
            morphs=self.morphs,
        )
        parts = tuple(replace(part, rigid=part.rigid and bound._is_rigid(part)) for part in self.parts)
        object.__setattr__(bound, "parts", parts)
        return bound

    def _is_rigid(self, part: Part) -> bool:
        """Whether all vertices of a part follow one row alone."""
        indices, weights = self.indices[part.vertices], self.weights[part.vertices]
        rows = indices[weights > 0]
        return len(rows) == len(indices) and bool((rows == rows[:1]).all())

    def prepare(self, original_order: bool = False) -> PreparedMesh:
        """Sort the vertices for the fastest skinning: once, where a mesh is skinned again and again.

        Parameters
        ----------
        original_order : bool
            Whether skinning gives its results in this mesh's order. That takes longer than the prepared
            order, which comes with triangles of its own; never longer than this mesh itself.

        Returns
        -------
        PreparedMesh
            What `deform` and the ``skin_*`` functions take in place of this mesh.

        Raises
        ------
        TypeError
            If `original_order` is no bool.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> prepared = hero.mesh.prepare()
        >>> palette = hero.skin.palette(hero.skeleton.model_matrices(hero.clips["walk"].sample(0.3)))
        >>> fast, plain = lissom.deform(prepared, palette), lissom.deform(hero.mesh, palette)
        >>> np.allclose(fast, plain[prepared.order], atol=1e-6)
        True
        """
        from lissom._rig.prepared_mesh import PreparedMesh

        return PreparedMesh(self, original_order)

    def _vertex_faces(self) -> _core.VertexFaces:
        """Which triangles meet at each vertex, made when first asked for."""
        if self._faces_made is None:
            object.__setattr__(self, "_faces_made", _core.VertexFaces(self.triangles, self.vertex_count))
        assert self._faces_made is not None
        return self._faces_made

    _repr_html_ = as_html
    _repr_png_ = as_png

    def __repr__(self) -> str:
        extras = [
            name for name in ("normals", "tangents", "uvs", "colors") if getattr(self, name) is not None
        ]
        if self.morphs is not None:
            extras.append(counted(len(self.morphs), "morph"))
        return (
            f"Mesh({self.vertex_count} vertices, {self.triangle_count} triangles, "
            f"{self.influence_count} influences, {counted(len(self.parts), 'part')}"
            f"{''.join(f', {name}' for name in extras)})"
        )

    def __reduce__(self) -> tuple[Callable[..., Mesh], tuple[dict[str, Any]]]:
        names = (name for name in self.__slots__ if not name.startswith("_"))
        return _rebuild, ({name: getattr(self, name) for name in names},)


def _checked_morphs(morphs: Morphs | None, vertex_count: int) -> Morphs | None:
    if morphs is None:
        return None
    if not isinstance(morphs, Morphs):
        raise TypeError(f"Mesh: morphs must be lissom.Morphs or None, got {type(morphs).__name__}")
    if len(morphs.vertices) and morphs.vertices.max() >= vertex_count:
        row = int((morphs.vertices >= vertex_count).argmax())
        target = int(np.searchsorted(morphs.offsets, row, "right")) - 1
        raise ValueError(
            f"Mesh: morphs must move vertices in [0, {vertex_count}), got {morphs.vertices[row]} in"
            f" {morphs.names[target]!r}"
        )
    return morphs


def _rebuild(fields: dict[str, Any]) -> Mesh:
    return Mesh(**fields)
