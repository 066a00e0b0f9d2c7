# SPDX-License-Identifier: MIT
"""Palettes become the texels that shaders read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._arrays import as_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom.skinning import PaletteLike

__all__ = ["METHODS", "palette_texels"]

METHODS = ("linear", "dual_quat")


def palette_texels(palette: PaletteLike, method: str, caller: str = "palette_texels") -> NDArray[np.float32]:
    """Return a palette as the texels of ``palette.glsl``.

    Parameters
    ----------
    palette : Palette
        Of one pose.
    method : {"linear", "dual_quat"}
        The layout.
    caller : str
        Named in errors.

    Returns
    -------
    ndarray of float32, shape (S, stride, 4)
        Stride 3: the rows of ``matrices``. Stride 2: ``dual_quats``. Stride 5: those, then the rows of
        ``scales``.

    Raises
    ------
    TypeError
        If `palette` has no such arrays.
    ValueError
        On another method, arrays of other shapes, or a palette of several poses.
    """
    if method not in METHODS:
        raise ValueError(f"{caller}: method: expected one of {', '.join(METHODS)}, got {method!r}")
    if method == "linear":
        return _rows(palette, "matrices", (4, 4), caller)[:, :3, :]
    texels = _rows(palette, "dual_quats", (8,), caller).reshape(-1, 2, 4)
    if palette.scales is None:
        return texels
    scales = _rows(palette, "scales", (3, 4), caller)
    if len(scales) != len(texels):
        raise ValueError(
            f"{caller}: palette: scales: expected {len(texels)} rows, as dual_quats has, got {len(scales)}"
        )
    return np.concatenate([texels, scales], axis=1)


def _rows(palette: PaletteLike, name: str, shape: tuple[int, ...], caller: str) -> NDArray[np.float32]:
    """Return an array of a palette of one pose, one row of `shape` per palette row."""
    values = getattr(palette, name, None)
    if values is None:
        raise TypeError(
            f"{caller}: palette: expected a Palette, got {type(palette).__name__}; "
            "skin.palette(model_matrices) makes one"
        )
    rows = np.asarray(as_numbers(values, f"{caller}: palette: {name}"), np.float32)
    leading = rows.shape[: -len(shape)]
    if rows.shape[len(leading) :] != shape or not leading:
        expected = ", ".join(map(str, ("S", *shape)))
        raise ValueError(f"{caller}: palette: {name}: expected shape ({expected}), got {rows.shape}")
    if len(leading) > 1:
        raise ValueError(f"{caller}: palette: expected one pose, got leading axes {leading[:-1]}; pick one")
    return rows
