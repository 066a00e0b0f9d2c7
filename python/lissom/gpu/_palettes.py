# SPDX-License-Identifier: MIT
"""Palettes as the texels that ``palette.glsl`` reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom import dual_quat
from lissom._base.arrays import as_numbers
from lissom._base.methods import check_method

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom.skinning._deform import PaletteLike

__all__ = ["palette_texels"]


def palette_texels(palette: PaletteLike, method: str, caller: str = "palette_texels") -> NDArray[np.float32]:
    """Return a palette as the texels of ``palette.glsl``.

    Parameters
    ----------
    palette : Palette
        Of one pose.
    method : {"linear", "dual_quat", "quat_trans", "cor", "blended"}
        The layout.
    caller : str
        Start of errors.

    Returns
    -------
    ndarray of float32, shape (S, stride, 4)
        For ``"linear"`` the 3 rows of ``matrices``; for ``"dual_quat"`` the 2 parts of ``dual_quats``; for
        ``"quat_trans"`` and ``"cor"`` rotation and translation; for ``"blended"`` matrices, then dual
        quaternions. If the palette has ``scales``, their 3 rows follow, except for ``"linear"``.

    Raises
    ------
    TypeError
        If `palette` has no such arrays.
    ValueError
        If the method is unknown, a shape does not fit, a number is not finite, or there are several poses.
    """
    check_method(method, caller)
    layers = []
    if method in ("linear", "blended"):
        layers.append(("matrices", _rows(palette, "matrices", (4, 4), caller)[:, :3, :]))
    if method in ("dual_quat", "blended"):
        layers.append(("dual_quats", _rows(palette, "dual_quats", (8,), caller).reshape(-1, 2, 4)))
    if method in ("quat_trans", "cor"):
        layers.append(("quat_trans", _quat_trans(palette, caller).reshape(-1, 2, 4)))
    if method != "linear" and palette.scales is not None:
        layers.append(("scales", _rows(palette, "scales", (3, 4), caller)))
    first, texels = layers[0]
    for name, layer in layers[1:]:
        if len(layer) != len(texels):
            raise ValueError(
                f"{caller}: palette: {name} must have {len(texels)} rows, like {first}, got {len(layer)}"
            )
    return np.concatenate([layer for _, layer in layers], axis=1)


def _quat_trans(palette: PaletteLike, caller: str) -> NDArray[np.float32]:
    """Return rotations and translations (S, 8), from dual quaternions if the palette has no others."""
    if getattr(palette, "quat_trans", None) is not None:
        return _rows(palette, "quat_trans", (8,), caller)
    rows = _rows(palette, "dual_quats", (8,), caller).astype(np.float64)
    quat_trans = np.zeros_like(rows)
    quat_trans[:, :4] = rows[:, :4]
    quat_trans[:, 4:7] = dual_quat.translation(rows)
    return quat_trans.astype(np.float32)


def _rows(palette: PaletteLike, name: str, shape: tuple[int, ...], caller: str) -> NDArray[np.float32]:
    """Return an array of a palette of one pose, one row of `shape` per palette row."""
    values = getattr(palette, name, None)
    if values is None:
        raise TypeError(
            f"{caller}: palette must be a Palette, got {type(palette).__name__}; "
            "skin.palette(model_matrices) makes one"
        )
    rows = np.asarray(as_numbers(values, f"{caller}: palette: {name}"), np.float32)
    leading = rows.shape[: -len(shape)]
    if rows.shape[len(leading) :] != shape or not leading:
        expected = ", ".join(map(str, ("S", *shape)))
        raise ValueError(f"{caller}: palette: {name} must have shape ({expected}), got {rows.shape}")
    if len(leading) > 1:
        raise ValueError(f"{caller}: palette must be of one pose, got leading axes {leading[:-1]}; pick one")
    bad = np.flatnonzero(~np.isfinite(rows).reshape(len(rows), -1).all(axis=1))
    if len(bad):
        broken = rows[bad[0]][~np.isfinite(rows[bad[0]])][0]
        raise ValueError(f"{caller}: palette: {name} must be finite, got {broken} in row {bad[0]}")
    return rows
