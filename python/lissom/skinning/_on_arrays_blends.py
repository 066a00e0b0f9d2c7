# SPDX-License-Identifier: MIT
"""Skinning on bare arrays: about centres of rotation, and a blend of both by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from lissom._base.set_module import set_module
from lissom.skinning._call import Deformed, DeformedFrames, Normals, SkinCall

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.prepared_mesh import PreparedMesh
    from lissom.skinning._call import Output

__all__ = ["skin_blended", "skin_cor"]


@overload
def skin_cor(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    centers: ArrayLike | None = ...,
    normals: Literal[False] = ...,
    out: NDArray[Any] | None = ...,
    tangents: Literal[False] = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any]: ...


@overload
def skin_cor(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    centers: ArrayLike | None = ...,
    normals: Literal[True, "rotate", "cofactor", "faces"],
    out: tuple[NDArray[Any], ...] | None = ...,
    tangents: Literal[False] = ...,
    morphs: ArrayLike | None = ...,
) -> Deformed: ...


@overload
def skin_cor(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    centers: ArrayLike | None = ...,
    normals: Normals = ...,
    out: Output = ...,
    tangents: bool = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any] | Deformed | DeformedFrames: ...


@set_module("lissom")
def skin_cor(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = None,
    *,
    centers: ArrayLike | None = None,
    normals: Normals = False,
    out: Output = None,
    tangents: bool = False,
    morphs: ArrayLike | None = None,
) -> NDArray[Any] | Deformed | DeformedFrames:
    """Skin vertices about their optimised centres of rotation.

    Each vertex is rotated about its centre by the normalised weighted sum of its influences' rotations, each
    signed against that of the largest weight; the centre is moved by the weighted mean of the rigid
    transforms. With `scales` vertex and centre are first moved by the weighted mean of those.

    Parameters
    ----------
    mesh : Mesh or PreparedMesh
    dual_quats : array_like, shape (..., S, 8)
        Rigid part of the palette, model_from_bind: unit dual quaternions, real x, y, z, w, then dual x, y, z,
        w. At least ``mesh.row_count`` rows. float32 is the fast path; float64 is
        computed in float64.
    scales : array_like, shape (..., S, 3, 4), optional
        What scales before the rigid part moves, bind from bind; None where every row is rigid.
    centers : array_like, shape (V, 3), optional
        Centres of rotation, bind space; ``mesh.centers_of_rotation()`` when omitted.
    normals, out, tangents, morphs
        See `deform`.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed, or DeformedFrames
        Positions in model space, with what else was asked for; `out` where given.

    Raises
    ------
    TypeError
        If an array holds no numbers, `out` has another dtype or layout, or `mesh` is no mesh.
    ValueError
        If a shape does not fit, the palette has fewer rows than the mesh names, a value is not finite, or a
        real part is zero.

    References
    ----------
    .. [1] Le and Hodgins, Real-time skeletal skinning with optimized centers of rotation, ACM TOG 35(4)
       art. 37, 2016.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> palette = bar.skin.palette(bar.skeleton.model_matrices(bar.clips["twist"].sample(2.0)))
    >>> moved = lissom.skin_cor(bar.mesh, palette.dual_quats)
    >>> middle = np.abs(bar.mesh.positions[:, 0] - 2) < 0.01
    >>> print(np.linalg.norm(moved[middle, 1:], axis=1).max().round(2))  # from the axis, as at rest
    0.71
    """
    call = SkinCall("skin_cor", "cor", mesh, normals, tangents, out, morphs)
    return call.run({"dual_quats": dual_quats, "scales": scales}, centers=centers)


@overload
def skin_blended(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    blend: ArrayLike,
    normals: Literal[False] = ...,
    out: NDArray[Any] | None = ...,
    tangents: Literal[False] = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any]: ...


@overload
def skin_blended(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    blend: ArrayLike,
    normals: Literal[True, "rotate", "cofactor", "faces"],
    out: tuple[NDArray[Any], ...] | None = ...,
    tangents: Literal[False] = ...,
    morphs: ArrayLike | None = ...,
) -> Deformed: ...


@overload
def skin_blended(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    blend: ArrayLike,
    normals: Normals = ...,
    out: Output = ...,
    tangents: bool = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any] | Deformed | DeformedFrames: ...


@set_module("lissom")
def skin_blended(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = None,
    *,
    blend: ArrayLike,
    normals: Normals = False,
    out: Output = None,
    tangents: bool = False,
    morphs: ArrayLike | None = None,
) -> NDArray[Any] | Deformed | DeformedFrames:
    """Skin vertices linearly and by dual quaternions, and mix the two vertex by vertex.

    Parameters
    ----------
    mesh : Mesh or PreparedMesh
    matrices : array_like, shape (..., S, 4, 4)
        As for `skin_linear`.
    dual_quats : array_like, shape (..., S, 8)
        Rigid part of the palette, model_from_bind: unit dual quaternions, real x, y, z, w, then dual x, y, z,
        w. At least ``mesh.row_count`` rows. float32 is the fast path; float64 is
        computed in float64.
    scales : array_like, shape (..., S, 3, 4), optional
        What scales before the rigid part moves, bind from bind; None where every row is rigid.
    blend : float or array_like, shape (V,)
        0 where a vertex is skinned linearly, 1 where by dual quaternions; one number for all, or one per
        vertex.
    normals, out, tangents, morphs
        See `deform`.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed, or DeformedFrames
        Positions in model space, with what else was asked for; `out` where given.

    Raises
    ------
    TypeError
        If an array holds no numbers, `out` has another dtype or layout, or `mesh` is no mesh.
    ValueError
        If a shape does not fit, the palette has fewer rows than the mesh names, a value is not finite, a real
        part is zero, or `blend` leaves [0, 1].

    Notes
    -----
    Normals and tangents are mixed as unit vectors.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> palette = bar.skin.palette(bar.skeleton.model_matrices(bar.clips["twist"].sample(2.0)))
    >>> moved = lissom.skin_blended(bar.mesh, palette.matrices, palette.dual_quats, blend=0.5)
    >>> middle = np.abs(bar.mesh.positions[:, 0] - 2) < 0.01
    >>> print(np.linalg.norm(moved[middle, 1:], axis=1).max().round(2))  # between 0.01 and 0.71
    0.36
    """
    call = SkinCall("skin_blended", "blended", mesh, normals, tangents, out, morphs)
    return call.run({"matrices": matrices, "dual_quats": dual_quats, "scales": scales}, blend=blend)
