# SPDX-License-Identifier: MIT
"""The ground under a sketch: the background's colour, the grid, and both shadows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom._sketch.light import contact_shade, encoded_plainly, ground_light, light_under
from lissom._sketch.raster import enlarged, fragments, interpolated, planes_of
from lissom._view.ground_grid import FADE_RADII, round_step
from lissom._view.light import CONTACT_DEVIATION, KEY_DEVIATION

if TYPE_CHECKING:
    from lissom._view.camera import Camera

__all__ = ["drawn_ground"]

Floats = NDArray[np.float64]
SIDE = 160  # texels of the map that shadows are drawn in


def drawn_ground(
    points: Floats,
    triangles: NDArray[np.intp],
    every: int,
    low: float,
    reach: float,
    camera: Camera,
    to_key: Floats,
    background: Floats,
    size: tuple[int, int],
) -> NDArray[np.uint8]:
    """Draw a level ground and what falls on it.

    Parameters
    ----------
    points : ndarray of float64, shape (V, 3)
        World space, at least one.
    every : int
        Each of the triangles stands for so many.
    low, reach : float
        World y of the plane, and how far above it nothing casts a shadow of contact.
    background : ndarray, shape (3,)
        Linear light.
    size : tuple of int
        Width and height of the picture.

    Returns
    -------
    ndarray of uint8, shape (height, width, 3)
    """
    width, height = size
    right, up, back = camera.axes
    lens = np.tan(np.radians(camera.field_of_view) / 2)
    across = (2 * (np.arange(width) + 0.5) / width - 1) * lens * width / height
    along = (1 - 2 * (np.arange(height) + 0.5) / height) * lens
    rays = across[None, :, None] * right + along[:, None, None] * up - back
    falls = rays[..., 1] < -1e-6
    far = np.divide(low - camera.eye[1], rays[..., 1], out=np.zeros(rays.shape[:2]), where=falls)
    x = camera.eye[0] + far * rays[..., 0]
    z = camera.eye[2] + far * rays[..., 2]

    box = points.min(axis=0), points.max(axis=0)
    center = (box[0] + box[1]) / 2
    radius = float(np.linalg.norm(box[1] - box[0])) / 2 or 1.0
    away = np.hypot(x - center[0], z - center[2]) / (FADE_RADII * radius)
    share = np.clip((away - 0.1) / 0.6, 0, 1)
    fade = np.where(falls, 1 - share * share * (3 - 2 * share), 0.0)
    step = round_step(radius / 2)
    light = 1 - 0.14 * fade * np.maximum(
        0.5 * _grid(x / step, z / step, 1.0), _grid(x / step / 5, z / step / 5, 1.3)
    )
    colors = background * light[..., None]
    shade = _shadows(points, triangles, every, low, reach, to_key, x, z)
    shaded = np.flatnonzero(falls & (shade > 0).any(axis=0))
    key, contact = shade.reshape(2, -1)[:, shaded]
    colors.reshape(-1, 3)[shaded] *= ground_light(to_key, key) * light_under(contact)[:, None]
    return encoded_plainly(colors)


def _grid(x: Floats, z: Floats, line_pixels: float) -> Floats:
    """Give how much of each pixel lines at whole numbers cover, as grid.glsl does."""
    cover = []
    for at in (x, z):
        width = np.maximum(_change(at, 1) + _change(at, 0), 1e-6)
        away = np.abs((at - 0.5) % 1.0 - 0.5) / width
        cover.append(np.clip(line_pixels * 0.5 + 0.5 - away, 0, 1) * np.clip(1.5 - 3 * width, 0, 1))
    return np.maximum(*cover)


def _change(values: Floats, axis: int) -> Floats:
    """Give how much values differ from one pixel to the next."""
    if values.shape[axis] < 2:
        return np.zeros_like(values)
    steps = np.abs(np.diff(values, axis=axis))
    return np.concatenate([steps, steps.take([-1], axis=axis)], axis=axis)


def _shadows(
    points: Floats,
    triangles: NDArray[np.intp],
    every: int,
    low: float,
    reach: float,
    to_key: Floats,
    x: Floats,
    z: Floats,
) -> Floats:
    """Give the shadow of the key light and that of contact at places of the ground, 0 to 1, ``(2, ...)``."""
    over = points[:, 1] - low
    slope = to_key[[0, 2]] / to_key[1]
    under = points[:, [0, 2]]
    cast = under - slope * np.maximum(over, 0)[:, None]
    margin = 3 * CONTACT_DEVIATION * reach
    corner = np.minimum(under.min(axis=0), cast.min(axis=0)) - margin
    extent = float(np.max(np.maximum(under.max(axis=0), cast.max(axis=0)) + margin - corner))
    texel = extent / SIDE
    key, contact = np.zeros((SIDE, SIDE)), np.zeros((SIDE, SIDE))
    found = fragments(enlarged(((cast - corner) / texel).T[:, triangles.T], every), SIDE, SIDE)
    key[found.y, found.x] = 1.0
    height = over[triangles.T] / reach
    near = np.flatnonzero((height < 1).any(axis=0))
    corners = enlarged(((under - corner) / texel).T[:, triangles[near].T], every)
    height = height[:, near]
    found = fragments(corners, SIDE, SIDE)
    shade = contact_shade(interpolated(planes_of(corners, height), found))
    np.maximum.at(contact.reshape(-1), found.y * SIDE + found.x, shade)
    soft = [
        _blurred(values, deviation * reach / texel)
        for values, deviation in ((key, KEY_DEVIATION), (contact, CONTACT_DEVIATION))
    ]
    result = np.zeros((2, *x.shape))
    u, v = (x - corner[0]) / texel, (z - corner[1]) / texel
    inside = np.flatnonzero((u > 0) & (u < SIDE) & (v > 0) & (v < SIDE))
    u, v = u.reshape(-1)[inside], v.reshape(-1)[inside]
    result.reshape(2, -1)[:, inside] = _looked_up(np.stack(soft), u - 0.5, v - 0.5)
    return result


def _blurred(values: Floats, deviation: float) -> Floats:
    """Blur by a Gaussian of a deviation in texels, over three of them to each side."""
    count = int(np.ceil(3 * deviation))
    if count < 1:
        return values
    weights = np.exp(-0.5 * (np.arange(-count, count + 1) / deviation) ** 2)
    weights /= weights.sum()
    for _ in range(2):
        padded = np.pad(values, ((count, count), (0, 0)))
        blurred = np.zeros_like(values)
        for i, weight in enumerate(weights.tolist()):
            blurred += weight * padded[i : i + SIDE]
        values = blurred.T
    return values


def _looked_up(values: Floats, x: Floats, y: Floats) -> Floats:
    """Give values between texels; 0 outside."""
    flat = np.pad(values, ((0, 0), (1, 1), (1, 1))).reshape(len(values), -1)
    row, column = (y + 1).astype(np.intp), (x + 1).astype(np.intp)
    v, u = y + 1 - row, x + 1 - column
    at = row * (SIDE + 2) + column
    upper = (1 - u) * flat[:, at] + u * flat[:, at + 1]
    lower = (1 - u) * flat[:, at + SIDE + 2] + u * flat[:, at + SIDE + 3]
    return np.asarray((1 - v) * upper + v * lower)
