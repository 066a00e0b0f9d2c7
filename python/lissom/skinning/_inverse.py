# SPDX-License-Identifier: MIT
"""Inverse skinning: where posed vertices lie in bind space."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from lissom import _core
from lissom._base.arrays import as_floats
from lissom._base.methods import INVERTIBLE_METHODS
from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh
from lissom.skinning._call import Deformed, palette_forms
from lissom.skinning._deform import PaletteLike

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Output = NDArray[Any] | tuple[NDArray[Any], NDArray[Any]] | None
    Singular = Literal["nan", "raise"]

__all__ = ["undeform", "unskin_dual_quat", "unskin_linear"]

#: How many axes each array has after the leading ones that broadcast.
_AXES = {"matrices": 3, "dual_quats": 2, "scales": 3, "positions": 2, "normals": 2}


@overload
def undeform(
    mesh: Mesh | PreparedMesh,
    palette: PaletteLike,
    positions: ArrayLike,
    method: str = ...,
    normals: None = ...,
    out: NDArray[Any] | None = ...,
    *,
    max_condition: float | None = ...,
    singular: Singular = ...,
) -> NDArray[Any]: ...
@overload
def undeform(
    mesh: Mesh | PreparedMesh,
    palette: PaletteLike,
    positions: ArrayLike,
    method: str = ...,
    *,
    normals: ArrayLike,
    out: tuple[NDArray[Any], NDArray[Any]] | None = ...,
    max_condition: float | None = ...,
    singular: Singular = ...,
) -> Deformed: ...
@set_module("lissom")
def undeform(
    mesh: Mesh | PreparedMesh,
    palette: PaletteLike,
    positions: ArrayLike,
    method: str = "linear",
    normals: ArrayLike | None = None,
    out: Output = None,
    *,
    max_condition: float | None = None,
    singular: Singular = "nan",
) -> NDArray[Any] | Deformed:
    """Bring posed vertices back to where a mesh is bound: the inverse of `deform`.

    Skinning is undone, morph targets are not: vertices come back to where the weights of the pose put them.

    Parameters
    ----------
    mesh, positions, normals, out, max_condition, singular
        As of `unskin_linear`.
    palette : Palette
        Or anything with its arrays `matrices`, or `dual_quats` and `scales`: of the pose that the vertices
        are in.
    method : {"linear", "dual_quat"}
        What skinned the vertices, or what is to skin the answer.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed
        As `unskin_linear` gives.

    Raises
    ------
    TypeError, ValueError
        As `unskin_linear` and `unskin_dual_quat` do; ValueError for another method, with the names there are.

    Warns
    -----
    RuntimeWarning
        Where vertices have no answer.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> pose = hero.clips["walk"].sample(0.4)
    >>> palette = hero.skin.palette(hero.skeleton.model_matrices(pose))
    >>> bind = lissom.undeform(hero.mesh, palette, hero.deform(pose))
    >>> bool(np.abs(bind - hero.mesh.positions).max() < 1e-5 * hero.size)
    True
    """
    if method not in INVERTIBLE_METHODS:
        known = ", ".join(map(repr, INVERTIBLE_METHODS))
        advice = "; 'linear' gives the same" if method == "quat_trans" else ""
        raise ValueError(f"undeform: method must be one of {known}, got {method!r}{advice}")
    rows = palette_forms("undeform", palette, method)
    return _bring_back("undeform", mesh, rows, positions, normals, out, max_condition, singular)


@overload
def unskin_linear(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    positions: ArrayLike,
    *,
    normals: None = ...,
    out: NDArray[Any] | None = ...,
    max_condition: float | None = ...,
    singular: Singular = ...,
) -> NDArray[Any]: ...
@overload
def unskin_linear(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    positions: ArrayLike,
    *,
    normals: ArrayLike,
    out: tuple[NDArray[Any], NDArray[Any]] | None = ...,
    max_condition: float | None = ...,
    singular: Singular = ...,
) -> Deformed: ...
@set_module("lissom")
def unskin_linear(
    mesh: Mesh | PreparedMesh,
    matrices: ArrayLike,
    positions: ArrayLike,
    *,
    normals: ArrayLike | None = None,
    out: Output = None,
    max_condition: float | None = None,
    singular: Singular = "nan",
) -> NDArray[Any] | Deformed:
    """Bring vertices back that linear blend skinning moved: by the inverse of the blend of their matrices.

    Parameters
    ----------
    mesh : Mesh or PreparedMesh
        Its influences and weights are used, its own positions are not. What is given for a prepared mesh is
        in the order of its results, as `deform` gave it, and so is the answer.
    matrices : array_like, shape (..., S, 4, 4)
        Palette model_from_bind, as `skin_linear` takes it.
    positions : array_like, shape (..., V, 3)
        Model space, finite. Leading axes broadcast against those of the palette. float64 where either is
        float64, else float32; computed in float64.
    normals : array_like, shape (..., V, 3), optional
        Model space, finite, of any length: multiplied by the inverse of the blend's 3x3 part and normalised,
        which undoes ``normals=True`` of `deform`. For those of the surface ask `Mesh.normals_of` for the
        result.
    out : ndarray or tuple of two ndarray, optional
        Where to write: C-contiguous, of the result's dtype and shape (..., V, 3); two of those with
        `normals`.
    max_condition : float, optional
        The largest condition of a blend's 3x3 part, ``|M| |M^-1| / 3`` by Frobenius's norms, that still gives
        an answer; rotations and uniform scales have 1. The inverse magnifies the rounding of the pose by as
        much: the default, one over the root of the dtype's epsilon (2896 in float32, 6.7e7 in float64),
        leaves about half of the digits.
    singular : {"nan", "raise"}
        What becomes of vertices beyond it, such as those that a twist by 180 degrees folds to a line: NaN and
        a warning, or an error before anything is written.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed
        Positions in bind space; a named tuple (positions, normals) where `normals` are given. `out` where
        given.

    Raises
    ------
    TypeError
        If an array holds no numbers, `out` has another dtype or layout, or `mesh` is no mesh.
    ValueError
        If a shape does not fit, a value is not finite, the palette has fewer rows than the mesh names, or,
        with ``singular="raise"``, a vertex has no answer.

    Warns
    -----
    RuntimeWarning
        Where vertices have no answer, with their number and the first.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> palette = bar.skin.palette(bar.skeleton.model_matrices(bar.clips["bend"].sample(1.0)))
    >>> posed = lissom.skin_linear(bar.mesh, palette.matrices)
    >>> bind = lissom.unskin_linear(bar.mesh, palette.matrices, posed)
    >>> bool(np.abs(bind - bar.mesh.positions).max() < 1e-5)
    True
    """
    rows: dict[str, ArrayLike | None] = {"matrices": matrices}
    return _bring_back("unskin_linear", mesh, rows, positions, normals, out, max_condition, singular)


@overload
def unskin_dual_quat(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None,
    positions: ArrayLike,
    *,
    normals: None = ...,
    out: NDArray[Any] | None = ...,
    max_condition: float | None = ...,
    singular: Singular = ...,
) -> NDArray[Any]: ...
@overload
def unskin_dual_quat(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None,
    positions: ArrayLike,
    *,
    normals: ArrayLike,
    out: tuple[NDArray[Any], NDArray[Any]] | None = ...,
    max_condition: float | None = ...,
    singular: Singular = ...,
) -> Deformed: ...
@set_module("lissom")
def unskin_dual_quat(
    mesh: Mesh | PreparedMesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None,
    positions: ArrayLike,
    *,
    normals: ArrayLike | None = None,
    out: Output = None,
    max_condition: float | None = None,
    singular: Singular = "nan",
) -> NDArray[Any] | Deformed:
    """Bring vertices back that dual quaternion skinning moved.

    The rigid blend always has an inverse; the blend of the scales is then undone as in `unskin_linear`, and
    only there vertices can be without an answer.

    Parameters
    ----------
    mesh, positions, out, max_condition, singular
        As of `unskin_linear`; the condition is that of the blended scales.
    dual_quats : array_like, shape (..., S, 8)
        Rigid part of the palette, model_from_bind, as `skin_dual_quat` takes it. q and -q give the same.
    scales : array_like, shape (..., S, 3, 4), or None
        What scaled before the rigid part moved; None where every row is rigid.
    normals : array_like, shape (..., V, 3), optional
        Model space, finite, of any length: rotated back, then by the inverse of the cofactor of the blended
        scale, then normalised.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed
        As `unskin_linear` gives.

    Raises
    ------
    TypeError, ValueError
        As `unskin_linear` does; ValueError if a real part is zero.

    Warns
    -----
    RuntimeWarning
        Where vertices have no answer.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> palette = bar.skin.palette(bar.skeleton.model_matrices(bar.clips["twist"].sample(2.0)))
    >>> posed = lissom.skin_dual_quat(bar.mesh, palette.dual_quats)
    >>> bind = lissom.unskin_dual_quat(bar.mesh, palette.dual_quats, palette.scales, posed)
    >>> bool(np.abs(bind - bar.mesh.positions).max() < 1e-5)
    True
    """
    rows = {"dual_quats": dual_quats, "scales": scales}
    return _bring_back("unskin_dual_quat", mesh, rows, positions, normals, out, max_condition, singular)


def _bring_back(
    function: str,
    mesh: Mesh | PreparedMesh,
    rows: dict[str, Any],
    positions: ArrayLike,
    normals: ArrayLike | None,
    out: Output,
    max_condition: float | None,
    singular: Singular,
) -> NDArray[Any] | Deformed:
    """Broadcast, run, and say what had no answer. `rows` are the arrays of the palette."""
    if isinstance(mesh, PreparedMesh):
        mesh = mesh._results
    if not isinstance(mesh, Mesh):
        raise TypeError(
            f"{function}: mesh must be a lissom.Mesh or a lissom.PreparedMesh, got {type(mesh).__name__}"
        )
    if isinstance(normals, (bool, str)):
        raise TypeError(
            f"{function}: normals must be an array of shape (..., V, 3), got {normals!r}; pass the posed "
            "normals themselves (deform alone takes a rule)"
        )
    if singular not in ("nan", "raise"):
        raise ValueError(f"{function}: singular must be one of 'nan', 'raise', got {singular!r}")
    given = {
        name: as_floats(values, f"{function}: {name}")
        for name, values in (rows | {"positions": positions, "normals": normals}).items()
        if values is not None or name not in ("scales", "normals")
    }
    dtype = np.result_type(*given.values())
    arrays, batch = _broadcast(function, given, dtype)
    if max_condition is None:
        limit = float(1 / np.sqrt(np.finfo(dtype).eps))
    else:
        limit = check_number(max_condition, f"{function}: max_condition", least=1)
    target = _target(function, (*batch, mesh.vertex_count, 3), dtype, normals is not None, out)
    into = target if isinstance(target, tuple) else (target, None)
    count, pose, vertex = _core.unskin(
        function,
        mesh._skinned,
        arrays.get("matrices"),
        arrays.get("dual_quats"),
        arrays.get("scales"),
        arrays["positions"],
        arrays.get("normals"),
        limit,
        singular == "raise",
        *into,
    )
    if count:
        where = f" of pose {tuple(map(int, np.unravel_index(pose, batch)))}" if batch else ""
        warnings.warn(
            f"{function}: {count} vertices have no answer and became NaN, the first is vertex {vertex}"
            f"{where}; their blended "
            f"transform has a condition above {limit:.4g}",
            RuntimeWarning,
            stacklevel=3,
        )
    return target


def _broadcast(
    function: str, given: dict[str, NDArray[Any]], dtype: np.dtype[Any]
) -> tuple[dict[str, NDArray[Any]], tuple[int, ...]]:
    """Broadcast all arrays to common leading axes and convert them to one type."""
    ends = {name: max(array.ndim - _AXES[name], 0) for name, array in given.items()}
    try:
        batch = np.broadcast_shapes(*(array.shape[: ends[name]] for name, array in given.items()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in given.items())
        raise ValueError(f"{function}: leading axes must broadcast, got {shapes}") from None
    arrays = {
        name: np.ascontiguousarray(np.broadcast_to(array, batch + array.shape[ends[name] :]), dtype)
        for name, array in given.items()
    }
    return arrays, batch


def _target(
    function: str, shape: tuple[int, ...], dtype: np.dtype[Any], with_normals: bool, out: Output
) -> NDArray[Any] | Deformed:
    if not with_normals:
        if isinstance(out, tuple):
            raise TypeError(f"{function}: out must be one array unless normals are given, got a tuple")
        return np.empty(shape, dtype) if out is None else out
    if out is None:
        return Deformed(np.empty(shape, dtype), np.empty(shape, dtype))
    if not isinstance(out, tuple) or len(out) != 2:
        raise TypeError(
            f"{function}: out must be a tuple (positions, normals) where normals are given, got "
            f"{type(out).__name__}"
        )
    return Deformed(*out)
