# SPDX-License-Identifier: MIT
"""Skinning on the CPU: a mesh and a palette become moved vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, overload

import numpy as np

from lissom import _core
from lissom._arrays import as_floats
from lissom.mesh import Mesh

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Output = NDArray[Any] | tuple[NDArray[Any], NDArray[Any]] | None

__all__ = ["METHODS", "Deformed", "deform", "skin_dual_quat", "skin_linear"]

#: What `deform` can do, by name.
METHODS = ("linear", "dual_quat")


class PaletteLike(Protocol):
    """What `deform` reads: a `Palette`, or anything that has its three arrays."""

    @property
    def matrices(self) -> NDArray[Any]:
        """Matrices model_from_bind, shape (..., S, 4, 4)."""

    @property
    def dual_quats(self) -> NDArray[Any]:
        """Rigid parts model_from_bind, shape (..., S, 8)."""

    @property
    def scales(self) -> NDArray[Any] | None:
        """What scales before the rigid parts move, shape (..., S, 3, 4); None where all rows are rigid."""


class Deformed(NamedTuple):
    """Moved vertices with their normals.

    Attributes
    ----------
    positions : ndarray, shape (..., V, 3)
        Model space, in the mesh's units.
    normals : ndarray, shape (..., V, 3)
        Model space, unit; zeros where the mesh's normal is zero.
    """

    positions: NDArray[Any]
    normals: NDArray[Any]


@overload
def deform(
    mesh: Mesh,
    palette: PaletteLike,
    method: str = ...,
    normals: Literal[False] = ...,
    out: NDArray[Any] | None = ...,
) -> NDArray[Any]: ...
@overload
def deform(
    mesh: Mesh,
    palette: PaletteLike,
    method: str = ...,
    *,
    normals: Literal[True],
    out: tuple[NDArray[Any], NDArray[Any]] | None = ...,
) -> Deformed: ...
@overload
def deform(
    mesh: Mesh, palette: PaletteLike, method: str = ..., normals: bool = ..., out: Output = ...
) -> NDArray[Any] | Deformed: ...
def deform(
    mesh: Mesh, palette: PaletteLike, method: str = "linear", normals: bool = False, out: Output = None
) -> NDArray[Any] | Deformed:
    """Move a mesh's vertices by a palette.

    Parameters
    ----------
    mesh : Mesh
    palette : Palette
        Or anything with its arrays `matrices`, `dual_quats` and `scales`. From
        ``skin.palette(model_matrices)``, with any leading batch axes.
    method : {"linear", "dual_quat"}
        Linear blend skinning is what glTF and most engines draw; it loses volume at twisted and sharply bent
        joints. Dual quaternion skinning keeps it, and bulges a little at bent ones.
    normals : bool
        Whether to move normals too. Where the mesh has none, its `computed_normals` are moved.
    out : ndarray or tuple of two ndarray, optional
        Where to write; see `skin_linear`.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed
        Positions in model space; a named tuple (positions, normals) with ``normals=True``.

    Raises
    ------
    TypeError, ValueError
        As `skin_linear` and `skin_dual_quat` do; ValueError for another method, with the names there are.
    """
    if method == "linear":
        return skin_linear(mesh, palette.matrices, normals=normals, out=out)
    if method == "dual_quat":
        return skin_dual_quat(mesh, palette.dual_quats, palette.scales, normals=normals, out=out)
    known = ", ".join(map(repr, METHODS))
    raise ValueError(f"deform: method must be one of {known}, got {method!r}")


@overload
def skin_linear(
    mesh: Mesh, matrices: ArrayLike, *, normals: Literal[False] = ..., out: NDArray[Any] | None = ...
) -> NDArray[Any]: ...
@overload
def skin_linear(
    mesh: Mesh,
    matrices: ArrayLike,
    *,
    normals: Literal[True],
    out: tuple[NDArray[Any], NDArray[Any]] | None = ...,
) -> Deformed: ...
@overload
def skin_linear(
    mesh: Mesh, matrices: ArrayLike, *, normals: bool = ..., out: Output = ...
) -> NDArray[Any] | Deformed: ...
def skin_linear(
    mesh: Mesh, matrices: ArrayLike, *, normals: bool = False, out: Output = None
) -> NDArray[Any] | Deformed:
    """Skin vertices by linear blend skinning.

    Each vertex is moved by the weighted mean of its influences' matrices. Normals are rotated by the 3x3 part
    of that mean and normalised.

    Parameters
    ----------
    mesh : Mesh
    matrices : array_like, shape (..., S, 4, 4)
        Palette model_from_bind, finite, row-major; the last rows are taken to be 0, 0, 0, 1. At least
        ``mesh.row_count`` rows. float32 is the fast path; a float64 array is computed in float64, anything
        else is taken as float32.
    normals : bool
        Whether to move normals too. Where the mesh has none, its `computed_normals` are moved.
    out : ndarray or tuple of two ndarray, optional
        Where to write: C-contiguous, dtype of `matrices`, shape (..., V, 3); two of those with
        ``normals=True``.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed
        Positions in model space; a named tuple (positions, normals) with ``normals=True``. `out` where given.

    Raises
    ------
    TypeError
        If `out` has another dtype or layout, or `mesh` is no Mesh.
    ValueError
        If a shape does not fit, the palette has fewer rows than the mesh names, or a matrix is not finite.

    References
    ----------
    .. [1] Magnenat-Thalmann, Laperrière, Thalmann, Graphics Interface 1988; as glTF 2.0 states it.
    """
    _check_mesh("skin_linear", mesh)
    prepared = as_floats(matrices, "skin_linear: matrices")
    target = _outputs("skin_linear", mesh, prepared, 2, normals, out)
    _core.skin_linear(mesh._skinned, _bind_normals(mesh, normals), prepared, *_pair(target))
    return target


@overload
def skin_dual_quat(
    mesh: Mesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    normals: Literal[False] = ...,
    out: NDArray[Any] | None = ...,
) -> NDArray[Any]: ...
@overload
def skin_dual_quat(
    mesh: Mesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    normals: Literal[True],
    out: tuple[NDArray[Any], NDArray[Any]] | None = ...,
) -> Deformed: ...
@overload
def skin_dual_quat(
    mesh: Mesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = ...,
    *,
    normals: bool = ...,
    out: Output = ...,
) -> NDArray[Any] | Deformed: ...
def skin_dual_quat(
    mesh: Mesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None = None,
    *,
    normals: bool = False,
    out: Output = None,
) -> NDArray[Any] | Deformed:
    """Skin vertices by dual quaternion blending.

    Each vertex is moved by the normalised weighted sum of its influences' dual quaternions, each signed
    against that of the largest weight (ties: the lowest palette row), so that q and -q give the same. With
    `scales` a vertex is first moved by the weighted mean of those.

    Parameters
    ----------
    mesh : Mesh
    dual_quats : array_like, shape (..., S, 8)
        Rigid part of the palette, model_from_bind: unit dual quaternions, real x, y, z, w, then dual x, y, z,
        w. At least ``mesh.row_count`` rows. A real part of another length acts as a weight. float32 is the
        fast path; float64 is computed in float64.
    scales : array_like, shape (..., S, 3, 4), optional
        What scales before the rigid part moves, bind from bind; None where every row is rigid.
    normals : bool
        Whether to move normals too: by the cofactor of the blended scale, then by the rotation, then
        normalised. Where the scale leaves nothing of a normal it is rotated alone. Where the mesh has none,
        its `computed_normals` are moved.
    out : ndarray or tuple of two ndarray, optional
        Where to write: C-contiguous, dtype of `dual_quats`, shape (..., V, 3); two of those with
        ``normals=True``.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed
        Positions in model space; a named tuple (positions, normals) with ``normals=True``. `out` where given.

    Raises
    ------
    TypeError
        If `out` has another dtype or layout, or `mesh` is no Mesh.
    ValueError
        If a shape does not fit, the palette has fewer rows than the mesh names, a value is not finite, or a
        real part is zero.

    Notes
    -----
    The sign of an influence has no stable answer where its rotation is 180 degrees from the pivot's: there
    the surface jumps as the joint passes. Spread the twist over two or three joints.

    References
    ----------
    .. [1] Kavan, Collins, Zara, O'Sullivan, ACM TOG 27(4) art. 105, 2008, algorithm 1 and section 4.2.
    """
    _check_mesh("skin_dual_quat", mesh)
    prepared = as_floats(dual_quats, "skin_dual_quat: dual_quats")
    prepared_scales = None
    if scales is not None:
        prepared_scales = as_floats(scales, "skin_dual_quat: scales")
        common = np.result_type(prepared, prepared_scales)
        prepared, prepared_scales = (np.ascontiguousarray(a, common) for a in (prepared, prepared_scales))
    target = _outputs("skin_dual_quat", mesh, prepared, 1, normals, out)
    _core.skin_dual_quat(
        mesh._skinned, _bind_normals(mesh, normals), prepared, prepared_scales, *_pair(target)
    )
    return target


def _check_mesh(function: str, mesh: object) -> None:
    if not isinstance(mesh, Mesh):
        raise TypeError(f"{function}: mesh must be a lissom.Mesh, got {type(mesh).__name__}")


def _bind_normals(mesh: Mesh, normals: bool) -> NDArray[np.float32] | None:
    if not normals:
        return None
    return mesh.computed_normals() if mesh.normals is None else mesh.normals


def _outputs(
    function: str, mesh: Mesh, palette: NDArray[Any], row_axes: int, normals: bool, out: Output
) -> NDArray[Any] | Deformed:
    """Allocate what the caller did not bring. `row_axes` is how many axes one palette row has."""
    batch = palette.shape[: max(palette.ndim - row_axes - 1, 0)]
    if normals:
        if out is None:
            shape = (*batch, mesh.vertex_count, 3)
            return Deformed(np.empty(shape, palette.dtype), np.empty(shape, palette.dtype))
        if not isinstance(out, tuple) or len(out) != 2:
            raise TypeError(
                f"{function}: out must be a tuple (positions, normals) with normals=True, got {_kind(out)}"
            )
        return Deformed(*out)
    if out is None:
        return np.empty((*batch, mesh.vertex_count, 3), palette.dtype)
    if isinstance(out, tuple):
        raise TypeError(f"{function}: out must be one array unless normals=True, got {_kind(out)}")
    return out


def _kind(value: object) -> str:
    return f"a tuple of {len(value)}" if isinstance(value, tuple) else type(value).__name__


def _pair(target: NDArray[Any] | Deformed) -> tuple[NDArray[Any], NDArray[Any] | None]:
    return (target.positions, target.normals) if isinstance(target, Deformed) else (target, None)
