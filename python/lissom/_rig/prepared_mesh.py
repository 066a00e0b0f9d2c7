# SPDX-License-Identifier: MIT
"""A mesh in the order in which skinning is fastest."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.numbers import check_flag
from lissom._base.set_module import set_module
from lissom._rig.mesh import Mesh
from lissom._rig.mesh_arrays import frozen
from lissom._rig.morphs import Morphs

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

__all__ = ["PreparedMesh"]

_BLOCK = 16  # vertices that share palette rows at most


@set_module("lissom")
class PreparedMesh:
    """A mesh whose vertices are sorted into blocks that share their palette rows, by `Mesh.prepare`.

    `deform`, `undeform` and the functions beneath them take it in place of a mesh, and so do the models of
    `lissom.gpu`. Their results, and the arrays of vertices that they are given (posed positions, `out`,
    `blend`, `centers`), are in the prepared order: vertex ``i`` is vertex ``order[i]`` of the mesh it was
    made of. With `original_order` they are in that mesh's order.

    Vertices stay in their part: `mesh` has the same parts as the mesh it was made of, and its triangles in
    the same order. It cannot be changed, and can be pickled.

    Parameters
    ----------
    mesh : Mesh
    original_order : bool
        Whether skinning gives its results in the order of `mesh`.

    Attributes
    ----------
    order : ndarray of uint32, shape (V,)
        The original vertex of each prepared one: a permutation, read-only. ``values[prepared.order]`` brings
        numbers of the original vertices into the prepared order.
    original_order : bool
        Whether results are in the original order.
    block_count : int
        Blocks of at most 16 vertices.

    Raises
    ------
    TypeError
        If `mesh` is no Mesh, or `original_order` no bool.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> prepared = hero.mesh.prepare()
    >>> bool((prepared.mesh.positions == hero.mesh.positions[prepared.order]).all())
    True
    >>> prepared.block_count < hero.mesh.vertex_count / 8  # most blocks are more than half full
    True
    """

    __slots__ = ("_blocks", "_mesh", "_morphs", "_source", "block_count", "order", "original_order")

    order: NDArray[np.uint32]
    original_order: bool
    block_count: int
    _blocks: _core.PreparedMesh
    _mesh: Mesh | None
    _morphs: Morphs | None
    _source: Mesh

    def __init__(self, mesh: Mesh, original_order: bool = False) -> None:
        if not isinstance(mesh, Mesh):
            raise TypeError(f"PreparedMesh: mesh must be a lissom.Mesh, got {type(mesh).__name__}")
        original_order = check_flag(original_order, "PreparedMesh: original_order")
        cuts = [end for part in mesh.parts for end in (part.vertices.start, part.vertices.stop)]
        blocks = _core.PreparedMesh(mesh._skinned, np.array(cuts, np.uint32), original_order)
        fields: dict[str, Any] = {
            "_blocks": blocks,
            "_source": mesh,
            "_mesh": None,
            "_morphs": None,
            "order": frozen(blocks.order()),
            "original_order": original_order,
            "block_count": blocks.block_count,
        }
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"PreparedMesh.{name} cannot be set; prepare a new mesh")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"PreparedMesh.{name} cannot be deleted")

    @property
    def vertex_count(self) -> int:
        """Number of vertices, V."""
        return self._source.vertex_count

    @property
    def row_count(self) -> int:
        """Rows that a palette must have at least."""
        return self._source.row_count

    @property
    def fill(self) -> float:
        """Share of the blocks' places that hold a vertex, in [0, 1]; 1 for an empty mesh."""
        return self.vertex_count / (_BLOCK * self.block_count) if self.block_count else 1.0

    @property
    def rows_per_block(self) -> float:
        """Palette rows that a block blends, in the mean; near the influences per vertex if sets are few."""
        return self._blocks.block_row_count / self.block_count if self.block_count else 0.0

    @property
    def triangles(self) -> NDArray[np.uint32]:
        """The mesh's triangles by prepared vertices, uint32, shape (F, 3)."""
        return self.mesh.triangles

    @property
    def mesh(self) -> Mesh:
        """The mesh in the prepared order, with everything it has: what to draw prepared results with.

        Made when first asked for, then kept.
        """
        if self._mesh is None:
            object.__setattr__(self, "_mesh", self._reordered())
        assert self._mesh is not None
        return self._mesh

    def _reordered(self) -> Mesh:
        source, order = self._source, self.order
        place = np.empty(len(order), np.uint32)
        place[order] = np.arange(len(order), dtype=np.uint32)
        arrays = {
            name: values[order]
            for name in ("positions", "indices", "weights", "normals", "tangents", "uvs", "colors")
            if (values := getattr(source, name)) is not None
        }
        return Mesh(
            triangles=place[source.triangles], parts=source.parts, morphs=self._prepared_morphs(), **arrays
        )

    def _prepared_morphs(self) -> Morphs | None:
        """Return the mesh's morph targets by prepared vertices, made when first asked for."""
        source = self._source.morphs
        if self._morphs is None and source is not None:
            object.__setattr__(self, "_morphs", source._taken(self.order))
        return self._morphs

    @property
    def _results(self) -> Mesh:
        """The mesh in the order of the results."""
        return self._source if self.original_order else self.mesh

    def computed_normals(self) -> NDArray[np.float32]:
        """As `Mesh.computed_normals`, in the order of the results.

        Returns
        -------
        ndarray of float32, shape (V, 3)
            Read-only.

        Examples
        --------
        >>> mesh = lissom.samples.twisted_bar().mesh
        >>> prepared = mesh.prepare()
        >>> normals = prepared.computed_normals()
        >>> bool(np.allclose(normals, mesh.computed_normals()[prepared.order], atol=1e-6))
        True
        """
        return self._results.computed_normals()

    def normals_of(self, positions: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """As `Mesh.normals_of`, in the order of the results.

        Parameters
        ----------
        positions, out
            As `Mesh.normals_of` takes them, in the order of the results.

        Returns
        -------
        ndarray, shape (..., V, 3)

        Examples
        --------
        >>> bar = lissom.samples.twisted_bar().prepared()
        >>> posed = bar.deform(bar.clips["bend"].sample(2.0))
        >>> bar.prepared_mesh.normals_of(posed).shape == posed.shape
        True
        """
        return self._results.normals_of(positions, out)

    def centers_of_rotation(self) -> NDArray[np.float32]:
        """As `Mesh.centers_of_rotation`, in the order of the results.

        Returns
        -------
        ndarray of float32, shape (V, 3)
            Bind space, read-only; of the default `sigma`.

        Examples
        --------
        >>> mesh = lissom.samples.twisted_bar().mesh
        >>> prepared = mesh.prepare()
        >>> centers = prepared.centers_of_rotation()
        >>> bool(np.allclose(centers, mesh.centers_of_rotation()[prepared.order], atol=1e-5))
        True
        """
        results = self._results
        if results is not self._source and results._centers_made is None:
            centers = self._source.centers_of_rotation()[self.order]
            object.__setattr__(results, "_centers_made", frozen(centers))
        return results.centers_of_rotation()

    def __repr__(self) -> str:
        order = "original" if self.original_order else "prepared"
        return (
            f"PreparedMesh({self.vertex_count} vertices in {self.block_count} blocks, {self.fill:.0%} full, "
            f"{self.rows_per_block:.2f} rows each; results in the {order} order)"
        )

    def __reduce__(self) -> tuple[Callable[..., PreparedMesh], tuple[Mesh, bool]]:
        return PreparedMesh, (self._source, self.original_order)
