# SPDX-License-Identifier: MIT
"""The collapse of a surface: the smallest determinant of triangles, and of the maps that skin vertices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.doors import as_html
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh
from lissom.metrics import _input
from lissom.metrics._surface import area_normals
from lissom.skinning._blend_weights import checked_blend
from lissom.skinning._deform import deform_as

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from lissom.metrics._input import Ints
    from lissom.skinning._deform import PaletteLike

__all__ = ["Collapse", "blend_collapse", "collapse"]


@dataclass(frozen=True, eq=False)
class Collapse:
    """The smallest determinant of a pose: 1 where nothing shrinks, 0 where a triangle or a volume vanishes.

    Attributes
    ----------
    determinant : float or ndarray, shape (...)
        The smallest determinant.
    at : int or ndarray, shape (...)
        Its triangle for `collapse`, its vertex for `blend_collapse`.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> posed = bar.deform(bar.clips["twist"].sample([0.0, 2.0]))  # by 0 and 179 degrees
    >>> found = lissom.metrics.collapse(posed, bar.mesh.positions, bar.mesh.triangles)
    >>> found.determinant.round(2)
    array([1.  , 0.01])
    """

    determinant: Any
    at: Any

    _repr_html_ = as_html


def collapse(positions: ArrayLike, bind_positions: ArrayLike, triangles: ArrayLike) -> Collapse:
    """Find the triangle whose area shrinks most.

    The deformation gradient of a triangle maps its two edges and its normal in the bind pose to those in the
    pose. Its determinant is the area in the pose over that in the bind pose, at least 0. A sharp bend folds
    the skin on its inside by any method: `blend_collapse` measures the method itself.

    Parameters
    ----------
    positions : array_like, shape (..., V, 3)
        Any length unit; leading axes are poses.
    bind_positions : array_like, shape (V, 3)
    triangles : array_like of int, shape (F, 3)
        Triangles without area in the bind pose are left out.

    Returns
    -------
    Collapse

    Raises
    ------
    TypeError
        If an array holds no numbers, or triangles no integers.
    ValueError
        If a shape does not fit, a number is not finite, an index is out of range, or no triangle has an area
        in the bind pose.

    Examples
    --------
    >>> bind = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    >>> posed = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.5, 0.75, 0]]
    >>> lissom.metrics.collapse(posed, bind, [[0, 1, 2], [1, 3, 2]])
    Collapse(determinant=0.25, at=1)
    """
    bind = _input.vertices(bind_positions, "metrics.collapse: bind_positions", one=True)
    points = _input.vertices(positions, "metrics.collapse: positions", count=len(bind))
    faces = _input.triangles(triangles, "metrics.collapse: triangles", len(bind))
    before = np.linalg.norm(area_normals(bind, faces), axis=-1)
    chosen = np.flatnonzero(before > 0)
    if not len(chosen):
        raise ValueError("metrics.collapse: triangles must have an area in the bind pose, got none that does")
    ratios = np.linalg.norm(area_normals(points, faces[chosen]), axis=-1) / before[chosen]
    return _smallest(ratios, chosen)


def blend_collapse(
    mesh: Mesh | PreparedMesh,
    palette: PaletteLike,
    method: str = "linear",
    *,
    blend: ArrayLike | None = None,
) -> Collapse:
    """Find the vertex at which a skinning method flattens space most.

    With the weights of a vertex held fixed, each method moves points by an affine map. This is the smallest
    determinant of the 3x3 part of that map over all vertices. For linear skinning the map is the weighted
    mean of the matrices, whose determinant falls to 0 where two joints are half a turn apart. For dual
    quaternions it is 1, that of a rotation, times that of the blended scales. Triangles have no influence.

    Parameters
    ----------
    mesh : Mesh or PreparedMesh
        Mesh with the influences; positions have no influence. Vertices are numbered as in the results of
        skinning it.
    palette : Palette
        Palette of poses with any leading axes, as for `lissom.deform`.
    method : str
        One of ``lissom.skinning.METHODS``.
    blend : array_like, shape (V,), optional
        For the method ``"blended"``, as for `lissom.deform`.

    Returns
    -------
    Collapse

    Raises
    ------
    TypeError
        If `mesh` is not a mesh, or `palette` not a palette.
    ValueError
        If the mesh has no vertices; otherwise as `lissom.deform`.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> palette = bar.skin.palette(bar.skeleton.model_matrices(bar.clips["twist"].sample([0.0, 2.0])))
    >>> for method in ("linear", "dual_quat"):
    ...     found = lissom.metrics.blend_collapse(bar.mesh, palette, method)
    ...     print(method, found.determinant.round(2))
    linear [1. 0.]
    dual_quat [1. 1.]
    """
    if isinstance(mesh, PreparedMesh):
        mesh = mesh._results
    if not isinstance(mesh, Mesh):
        raise TypeError(
            "metrics.blend_collapse: mesh must be a lissom.Mesh or a lissom.PreparedMesh, "
            f"got {type(mesh).__name__}"
        )
    count = mesh.vertex_count
    if not count:
        raise ValueError("metrics.blend_collapse: mesh must have at least one vertex, got none")
    # The map of each vertex is found by skinning the origin and the tips of three axes by its weights.
    frame = np.concatenate([np.zeros((1, 3)), np.eye(3)])
    probe = Mesh(
        np.tile(frame, (count, 1)),
        np.zeros((0, 3), np.uint32),
        np.repeat(mesh.indices, 4, axis=0),
        np.repeat(mesh.weights, 4, axis=0),
    )
    options: dict[str, Any] = {}
    if blend is not None:
        what = "metrics.blend_collapse: blend"
        if method != "blended":
            raise ValueError(f"{what} must be None except for method 'blended', got method {method!r}")
        options["blend"] = np.repeat(checked_blend(blend, count, what), 4)
    # A centre of rotation changes the translation alone, which no determinant depends on.
    probed = "dual_quat" if method == "cor" else method
    moved = deform_as("metrics.blend_collapse", probe, palette, probed, **options)
    moved = np.asarray(moved, np.float64).reshape(*moved.shape[:-2], count, 4, 3)
    determinants = np.linalg.det(moved[..., 1:, :] - moved[..., :1, :])
    return _smallest(determinants, np.arange(count))


def _smallest(determinants: Any, indices: Ints) -> Collapse:
    at = determinants.argmin(axis=-1)
    return Collapse(_input.plain(determinants.min(axis=-1)), _input.plain(indices[at]))
