# SPDX-License-Identifier: MIT
"""Skinning on bare arrays: linear, by dual quaternions, by quaternions and translations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, overload

from lissom._base.set_module import set_module
from lissom.skinning._call import Deformed, DeformedFrames, Normals, SkinCall

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.prepared_mesh import PreparedMesh
    from lissom.skinning._call import Output

__all__ = ["skin_dual_quat", "skin_linear", "skin_quat_trans"]


@overload
def skin_linear(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    *,
    normals: Literal[False] = ...,
    out: NDArray[Any] | None = ...,
    tangents: Literal[False] = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any]: ...
@overload
def skin_linear(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    *,
    normals: Literal[True, "rotate", "cofactor", "faces"],
    out: tuple[NDArray[Any], ...] | None = ...,
    tangents: Literal[False] = ...,
    morphs: ArrayLike | None = ...,
) -> Deformed: ...
@overload
def skin_linear(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    *,
    normals: Normals = ...,
    out: Output = ...,
    tangents: bool = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any] | Deformed | DeformedFrames: ...
@set_module("lissom")
def skin_linear(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    *,
    normals: Normals = False,
    out: Output = None,
    tangents: bool = False,
    morphs: ArrayLike | None = None,
) -> NDArray[Any] | Deformed | DeformedFrames:
    """Skin vertices by linear blend skinning.

    Each vertex is moved by the weighted mean of its influences' matrices.

    Parameters
    ----------
    mesh : Mesh or PreparedMesh
    matrices : array_like, shape (..., S, 4, 4)
        Palette model_from_bind, finite, row-major; the last rows are taken to be 0, 0, 0, 1. At least
        ``mesh.row_count`` rows. float32 is the fast path; a float64 array is computed in float64, anything
        else is taken as float32.
    normals, out, tangents, morphs
        See `deform`.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed, or DeformedFrames
        Positions in model space, with what else was asked for; `out` where given. A sum or product that does
        not fit the type, float32 above 3.4e38, is infinite or NaN: kernels do not look at every number.

    Raises
    ------
    TypeError
        If an array holds no numbers, `out` has another dtype or layout, or `mesh` is no mesh.
    ValueError
        If a shape does not fit, the palette has fewer rows than the mesh names, a value is not finite.

    References
    ----------
    .. [1] Magnenat-Thalmann, Laperrière, Thalmann, Graphics Interface 1988; as glTF 2.0 states it.

    Examples
    --------
    >>> corners = [[2, 0, 0], [0, 2, 0], [0, 0, 2]]
    >>> mesh = lissom.Mesh(corners, [[0, 1, 2]], [[0, 1]] * 3, [[0.75, 0.25]] * 3)
    >>> matrices = lissom.trs.to_matrix(lissom.trs.from_parts(translation=[[0, 0, 0], [0, 0, 4]]))
    >>> lissom.skin_linear(mesh, matrices)[0]  # a quarter of the second row's translation
    array([2., 0., 1.])
    """
    return SkinCall("skin_linear", "linear", mesh, normals, tangents, out, morphs).run({"matrices": matrices})


@overload
def skin_dual_quat(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    normals: Literal[False] = ...,
    out: NDArray[Any] | None = ...,
    tangents: Literal[False] = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any]: ...
@overload
def skin_dual_quat(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    normals: Literal[True, "rotate", "cofactor", "faces"],
    out: tuple[NDArray[Any], ...] | None = ...,
    tangents: Literal[False] = ...,
    morphs: ArrayLike | None = ...,
) -> Deformed: ...
@overload
def skin_dual_quat(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    normals: Normals = ...,
    out: Output = ...,
    tangents: bool = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any] | Deformed | DeformedFrames: ...
@set_module("lissom")
def skin_dual_quat(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = None,
    *,
    normals: Normals = False,
    out: Output = None,
    tangents: bool = False,
    morphs: ArrayLike | None = None,
) -> NDArray[Any] | Deformed | DeformedFrames:
    """Skin vertices by dual quaternion blending.

    Each vertex is moved by the normalised weighted sum of its influences' dual quaternions, each signed
    against that of the largest weight (ties: the lowest palette row), so that q and -q give the same. With
    `scales` a vertex is first moved by the weighted mean of those.

    Parameters
    ----------
    mesh : Mesh or PreparedMesh
    dual_quats : array_like, shape (..., S, 8)
        Rigid part of the palette, model_from_bind: unit dual quaternions, real x, y, z, w, then dual x, y, z,
        w. At least ``mesh.row_count`` rows. A real part of another length acts as a weight. float32 is the
        fast path; float64 is computed in float64.
    scales : array_like, shape (..., S, 3, 4), optional
        What scales before the rigid part moves, bind from bind; None where every row is rigid.
    normals, out, tangents, morphs
        See `deform`.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed, or DeformedFrames
        Positions in model space, with what else was asked for; `out` where given. A sum or product that does
        not fit the type, float32 above 3.4e38, is infinite or NaN: kernels do not look at every number.

    Raises
    ------
    TypeError
        If an array holds no numbers, `out` has another dtype or layout, or `mesh` is no mesh.
    ValueError
        If a shape does not fit, the palette has fewer rows than the mesh names, a value is not finite, or a
        real part is zero.

    Notes
    -----
    The sign of an influence has no stable answer where its rotation is 180 degrees from the pivot's: there
    the surface jumps as the joint passes. Spread the twist over two or three joints.

    Normals go by the cofactor of the blended scale, then by the rotation; where the scale leaves nothing of a
    normal it is rotated alone.

    References
    ----------
    .. [1] Kavan, Collins, Zara, O'Sullivan, ACM TOG 27(4) art. 105, 2008, algorithm 1 and section 4.2.

    Examples
    --------
    >>> mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]], [[0, 1]] * 3, [[0.5, 0.5]] * 3)
    >>> turns = lissom.quat.from_axis_angle([0, 0, 1], np.radians([0, 90]))
    >>> dual_quats = lissom.dual_quat.from_quat_translation(turns, [0, 0, 0])
    >>> lissom.skin_dual_quat(mesh, dual_quats)[0].round(3)  # by 45 degrees, as far from the axis
    array([0.707, 0.707, 0.   ])
    >>> matrices = lissom.dual_quat.to_matrix(dual_quats)
    >>> lissom.skin_linear(mesh, matrices)[0].round(3)  # nearer to it
    array([0.5, 0.5, 0. ])
    """
    call = SkinCall("skin_dual_quat", "dual_quat", mesh, normals, tangents, out, morphs)
    return call.run({"dual_quats": dual_quats, "scales": scales})


@overload
def skin_quat_trans(
    mesh: Mesh | PreparedMesh,
    quat_trans: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    normals: Literal[False] = ...,
    out: NDArray[Any] | None = ...,
    tangents: Literal[False] = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any]: ...
@overload
def skin_quat_trans(
    mesh: Mesh | PreparedMesh,
    quat_trans: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    normals: Literal[True, "rotate", "cofactor", "faces"],
    out: tuple[NDArray[Any], ...] | None = ...,
    tangents: Literal[False] = ...,
    morphs: ArrayLike | None = ...,
) -> Deformed: ...
@overload
def skin_quat_trans(
    mesh: Mesh | PreparedMesh,
    quat_trans: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    normals: Normals = ...,
    out: Output = ...,
    tangents: bool = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any] | Deformed | DeformedFrames: ...
@set_module("lissom")
def skin_quat_trans(
    mesh: Mesh | PreparedMesh,
    quat_trans: ArrayLike,
    scales: ArrayLike | None = None,
    *,
    normals: Normals = False,
    out: Output = None,
    tangents: bool = False,
    morphs: ArrayLike | None = None,
) -> NDArray[Any] | Deformed | DeformedFrames:
    """Skin vertices linearly from a palette of quaternions and translations.

    Each row is made a matrix once, then vertices are moved as by `skin_linear`: the palette is half as large,
    the result the same.

    Parameters
    ----------
    mesh : Mesh or PreparedMesh
    quat_trans : array_like, shape (..., S, 8)
        Rigid part of the palette, model_from_bind: quaternion x, y, z, w, longer than 1e-6 and
        normalised here, then translation x, y, z, then a number that is finite and not used. float32 is the
        fast path; float64 is computed in float64.
    scales : array_like, shape (..., S, 3, 4), optional
        What scales before the rigid part moves, bind from bind; None where every row is rigid.
    normals, out, tangents, morphs
        See `deform`.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed, or DeformedFrames
        Positions in model space, with what else was asked for; `out` where given. A sum or product that does
        not fit the type, float32 above 3.4e38, is infinite or NaN: kernels do not look at every number.

    Raises
    ------
    TypeError
        If an array holds no numbers, `out` has another dtype or layout, or `mesh` is no mesh.
    ValueError
        If a shape does not fit, the palette has fewer rows than the mesh names, a value is not finite, or a
        quaternion is zero.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> palette = bar.skin.palette(bar.skeleton.model_matrices(bar.clips["bend"].sample(2.0)))
    >>> moved = lissom.skin_quat_trans(bar.mesh, palette.quat_trans, palette.scales)
    >>> bool(np.allclose(moved, lissom.skin_linear(bar.mesh, palette.matrices), atol=1e-6))
    True
    """
    call = SkinCall("skin_quat_trans", "quat_trans", mesh, normals, tangents, out, morphs)
    return call.run({"quat_trans": quat_trans, "scales": scales})
