# SPDX-License-Identifier: MIT
"""The ground of a sketch: its colour, the grid, and the shadows of the key light and of contact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom._base.easing import smooth
from lissom._sketch.light import contact_shade, encoded, ground_light, light_under
from lissom._sketch.raster import enlarged, fragments, interpolated, planes_of
from lissom._view.ground_grid import FADE_RADII, round_step
from lissom._view.light import CONTACT_DEVIATION, KEY_DEVIATION

if TYPE_CHECKING:
    from lissom._view.camera import Camera

__all__ = ["drawn_ground"]

Floats = NDArray[np.float64]
SIDE = 160  # texels: width and height of the shadow map


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
    """Draw horizontal ground and the shadows on it.

    Parameters
    ----------
    points : ndarray of float64, shape (V, 3)
        World space, at least one.
    every : int
        Number of original triangles for each of the triangles.
    low, reach : float
        World y of the ground, and the height above it from which there is no contact shadow.
    to_key : ndarray, shape (3,)
        Unit direction to the key light, world space.
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
    slope_x = (2 * (np.arange(width) + 0.5) / width - 1) * lens * width / height
    slope_y = (1 - 2 * (np.arange(height) + 0.5) / height) * lens
    rays = slope_x[None, :, None] * right + slope_y[:, None, None] * up - back
    hits = rays[..., 1] < -1e-6
    depth = np.divide(low - camera.eye[1], rays[..., 1], out=np.zeros(rays.shape[:2]), where=hits)
    x = camera.eye[0] + depth * rays[..., 0]
    z = camera.eye[2] + depth * rays[..., 2]

    box = points.min(axis=0), points.max(axis=0)
    center = (box[0] + box[1]) / 2
    radius = float(np.linalg.norm(box[1] - box[0])) / 2 or 1.0
    distance = np.hypot(x - center[0], z - center[2]) / (FADE_RADII * radius)
    share = np.clip((distance - 0.1) / 0.6, 0, 1)
    fade = np.where(hits, 1 - smooth(share), 0.0)
    step = round_step(radius / 2)
    light = 1 - 0.14 * fade * np.maximum(
        0.5 * _grid(x / step, z / step, 1.0), _grid(x / step / 5, z / step / 5, 1.3)
    )
    colors = background * light[..., None]
    shade = _shadows(points, triangles, every, low, reach, to_key, x, z)
    shaded = np.flatnonzero(hits & (shade > 0).any(axis=0))
    key, contact = shade.reshape(2, -1)[:, shaded]
    colors.reshape(-1, 3)[shaded] *= ground_light(to_key, key) * light_under(contact)[:, None]
    return encoded(colors)


def _grid(x: Floats, z: Floats, line_pixels: float) -> Floats:
    """Return the share of each pixel that grid lines at whole numbers cover, as in grid.glsl."""
    cover = []
    for at in (x, z):
        width = np.maximum(_change(at, 1) + _change(at, 0), 1e-6)
        distance = np.abs((at - 0.5) % 1.0 - 0.5) / width
        cover.append(np.clip(line_pixels * 0.5 + 0.5 - distance, 0, 1) * np.clip(1.5 - 3 * width, 0, 1))
    return np.maximum(*cover)


def _change(values: Floats, axis: int) -> Floats:
    """Return the absolute difference from each pixel to the next."""
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
    """Return the key shadow and the contact shadow at points of the ground, 0 to 1, ``(2, ...)``."""
    height = points[:, 1] - low
    slope = to_key[[0, 2]] / to_key[1]
    below = points[:, [0, 2]]
    cast = below - slope * np.maximum(height, 0)[:, None]
    margin = 3 * CONTACT_DEVIATION * reach
    corner = np.minimum(below.min(axis=0), cast.min(axis=0)) - margin
    extent = float(np.max(np.maximum(below.max(axis=0), cast.max(axis=0)) + margin - corner))
    texel = extent / SIDE
    key, contact = np.zeros((SIDE, SIDE)), np.zeros((SIDE, SIDE))
    covered = fragments(enlarged(((cast - corner) / texel).T[:, triangles.T], every), SIDE, SIDE)
    key[covered.y, covered.x] = 1.0
    heights = height[triangles.T] / reach
    near = np.flatnonzero((heights < 1).any(axis=0))
    corners = enlarged(((below - corner) / texel).T[:, triangles[near].T], every)
    covered = fragments(corners, SIDE, SIDE)
    shade = contact_shade(interpolated(planes_of(corners, heights[:, near]), covered))
    np.maximum.at(contact.reshape(-1), covered.y * SIDE + covered.x, shade)
    soft = [
        _blurred(values, deviation * reach / texel)
        for values, deviation in ((key, KEY_DEVIATION), (contact, CONTACT_DEVIATION))
    ]
    result = np.zeros((2, *x.shape))
    u, v = (x - corner[0]) / texel, (z - corner[1]) / texel
    inside = np.flatnonzero((u > 0) & (u < SIDE) & (v > 0) & (v < SIDE))
    u, v = u.reshape(-1)[inside], v.reshape(-1)[inside]
    result.reshape(2, -1)[:, inside] = _bilinear(np.stack(soft), u - 0.5, v - 0.5)
    return result


def _blurred(values: Floats, deviation: float) -> Floats:
    """Blur by a Gaussian of a standard deviation in texels, cut off at three deviations."""
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


def _bilinear(values: Floats, x: Floats, y: Floats) -> Floats:
    """Return values interpolated bilinearly between texels; 0 outside."""
    flat = np.pad(values, ((0, 0), (1, 1), (1, 1))).reshape(len(values), -1)
    row, column = (y + 1).astype(np.intp), (x + 1).astype(np.intp)
    v, u = y + 1 - row, x + 1 - column
    at = row * (SIDE + 2) + column
    upper = (1 - u) * flat[:, at] + u * flat[:, at + 1]
    lower = (1 - u) * flat[:, at + SIDE + 2] + u * flat[:, at + SIDE + 3]
    return np.asarray((1 - v) * upper + v * lower)
