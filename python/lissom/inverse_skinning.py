# SPDX-License-Identifier: MIT
"""Inverse skinning: where posed vertices lie in bind space."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from lissom import _core
from lissom._arrays import as_floats
from lissom._numbers import check_number
from lissom.mesh import Mesh
from lissom.skinning import Deformed, PaletteLike

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Output = NDArray[Any] | tuple[NDArray[Any], NDArray[Any]] | None
    Singular = Literal["nan", "raise"]

__all__ = ["undeform", "unskin_dual_quat", "unskin_linear"]

#: What `undeform` can undo, by name.
METHODS = ("linear", "dual_quat")


def undeform(
    mesh: Mesh,
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

    Parameters
    ----------
    mesh : Mesh
        Its influences and weights are used, its own positions are not.
    palette : Palette
        Or anything with its arrays `matrices`, `dual_quats` and `scales`: of the pose that the vertices are
        in.
    positions : array_like, shape (..., V, 3)
        Model space, finite. Leading axes broadcast against those of the palette.
    method : {"linear", "dual_quat"}
        What skinned the vertices, or what is to skin the answer.
    normals : array_like, shape (..., V, 3), optional
        Model space, finite, of any length.
    out : ndarray or tuple of two ndarray, optional
        Where to write; see `unskin_linear`.
    max_condition, singular
        What becomes of vertices that have no answer; see `unskin_linear`.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed
        Positions in bind space; a named tuple (positions, normals) where `normals` are given.

    Raises
    ------
    TypeError, ValueError
        As `unskin_linear` and `unskin_dual_quat` do; ValueError for another method, with the names there are.

    Warns
    -----
    RuntimeWarning
        Where vertices have no answer, with their number and the first.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> pose = hero.clips["walk"].sample(0.4)
    >>> palette = hero.skin.palette(hero.skeleton.model_matrices(pose))
    >>> bind = lissom.undeform(hero.mesh, palette, hero.deform(pose))
    >>> bool(np.abs(bind - hero.mesh.positions).max() < 1e-5 * hero.size)
    True
    """
    options: dict[str, Any] = {"max_condition": max_condition, "singular": singular}
    if method == "linear":
        return _linear("undeform", mesh, palette.matrices, positions, normals, out, **options)
    if method == "dual_quat":
        return _dual_quat(
            "undeform", mesh, palette.dual_quats, palette.scales, positions, normals, out, **options
        )
    known = ", ".join(map(repr, METHODS))
    raise ValueError(f"undeform: method must be one of {known}, got {method!r}")


def unskin_linear(
    mesh: Mesh,
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
    mesh : Mesh
        Its influences and weights are used, its own positions are not.
    matrices : array_like, shape (..., S, 4, 4)
        Palette model_from_bind, as `skin_linear` takes it.
    positions : array_like, shape (..., V, 3)
        Model space, finite. Leading axes broadcast against those of `matrices`. float64 where either is
        float64, else float32; computed in float64.
    normals : array_like, shape (..., V, 3), optional
        Model space, finite, of any length: turned by the inverse of the blend's 3x3 part and normalised,
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
        If an array holds no numbers, `out` has another dtype or layout, or `mesh` is no Mesh.
    ValueError
        If a shape does not fit, a value is not finite, the palette has fewer rows than the mesh names, or,
        with ``singular="raise"``, a vertex has no answer.

    Warns
    -----
    RuntimeWarning
        Where vertices have no answer, with their number and the first.
    """
    return _linear(
        "unskin_linear",
        mesh,
        matrices,
        positions,
        normals,
        out,
        max_condition=max_condition,
        singular=singular,
    )


def unskin_dual_quat(
    mesh: Mesh,
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
    mesh : Mesh
        Its influences and weights are used, its own positions are not.
    dual_quats : array_like, shape (..., S, 8)
        Rigid part of the palette, model_from_bind, as `skin_dual_quat` takes it. q and -q give the same.
    scales : array_like, shape (..., S, 3, 4), or None
        What scaled before the rigid part moved; None where every row is rigid.
    positions, out, max_condition, singular
        As of `unskin_linear`; the condition is that of the blended scales.
    normals : array_like, shape (..., V, 3), optional
        Model space, finite, of any length: turned back, then by the inverse of the cofactor of the blended
        scale, then normalised.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed
        Positions in bind space; a named tuple (positions, normals) where `normals` are given. `out` where
        given.

    Raises
    ------
    TypeError, ValueError
        As `unskin_linear` does; ValueError if a real part is zero.

    Warns
    -----
    RuntimeWarning
        Where vertices have no answer, with their number and the first.
    """
    return _dual_quat(
        "unskin_dual_quat",
        mesh,
        dual_quats,
        scales,
        positions,
        normals,
        out,
        max_condition=max_condition,
        singular=singular,
    )


def _linear(
    function: str,
    mesh: Mesh,
    matrices: ArrayLike,
    positions: ArrayLike,
    normals: ArrayLike | None,
    out: Output,
    **options: Any,
) -> NDArray[Any] | Deformed:
    palette = {"matrices": (as_floats(matrices, f"{function}: matrices"), 3)}
    return _bring_back(function, mesh, palette, positions, normals, out, **options)


def _dual_quat(
    function: str,
    mesh: Mesh,
    dual_quats: ArrayLike,
    scales: ArrayLike | None,
    positions: ArrayLike,
    normals: ArrayLike | None,
    out: Output,
    **options: Any,
) -> NDArray[Any] | Deformed:
    palette = {"dual_quats": (as_floats(dual_quats, f"{function}: dual_quats"), 2)}
    if scales is not None:
        palette["scales"] = (as_floats(scales, f"{function}: scales"), 3)
    return _bring_back(function, mesh, palette, positions, normals, out, **options)


def _bring_back(
    function: str,
    mesh: Mesh,
    palette: dict[str, tuple[NDArray[Any], int]],
    positions: ArrayLike,
    normals: ArrayLike | None,
    out: Output,
    *,
    max_condition: float | None,
    singular: Singular,
) -> NDArray[Any] | Deformed:
    """Broadcast, run, and say what had no answer. `palette` has arrays and their axes after the batch."""
    if not isinstance(mesh, Mesh):
        raise TypeError(f"{function}: mesh must be a lissom.Mesh, got {type(mesh).__name__}")
    if singular not in ("nan", "raise"):
        raise ValueError(f"{function}: singular must be one of 'nan', 'raise', got {singular!r}")
    given = dict(palette)
    given["positions"] = (as_floats(positions, f"{function}: positions"), 2)
    if normals is not None:
        given["normals"] = (as_floats(normals, f"{function}: normals"), 2)
    dtype = np.result_type(*(array for array, _ in given.values()))
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
            stacklevel=4,
        )
    return target


def _broadcast(
    function: str, given: dict[str, tuple[NDArray[Any], int]], dtype: np.dtype[Any]
) -> tuple[dict[str, NDArray[Any]], tuple[int, ...]]:
    """Give all arrays the same leading axes and type; `given` says how many axes come after those."""
    sides = {name: array.shape[: max(array.ndim - axes, 0)] for name, (array, axes) in given.items()}
    try:
        batch = np.broadcast_shapes(*sides.values())
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, (array, _) in given.items())
        raise ValueError(f"{function}: leading axes must broadcast, got {shapes}") from None
    arrays = {}
    for name, (array, axes) in given.items():
        rows = array.shape[max(array.ndim - axes, 0) :]
        arrays[name] = np.ascontiguousarray(np.broadcast_to(array, batch + rows), dtype)
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
