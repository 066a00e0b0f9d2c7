# SPDX-License-Identifier: MIT
"""Alpha: what of masked and blended parts is drawn, over what is behind, each pixel in its own order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom._sketch.raster import Fragments, bands_of, fragments, interpolated, nearest, planes_of
from lissom._view.alpha import CLEAR, HALF

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._sketch.surface import Surface

__all__ = ["Coverings", "Shaded", "coverings", "layered"]


class Coverings(NamedTuple):
    """What alpha does to triangles, ``(T,)`` each.

    Attributes
    ----------
    covered : ndarray of bool
        Whether it does something.
    least : ndarray of float32
        Alpha below which nothing is drawn.
    blended, one_sided : ndarray of bool
    """

    covered: NDArray[np.bool_]
    least: NDArray[np.float32]
    blended: NDArray[np.bool_]
    one_sided: NDArray[np.bool_]


class Shaded(NamedTuple):
    """Colours of pixels, sRGB ``(P, 3)`` uint8, and their alpha, ``(P,)``."""

    color: NDArray[np.uint8]
    alpha: NDArray[np.float32]


def coverings(surface: Surface, triangles: NDArray[np.intp]) -> Coverings | None:
    """Return what alpha does to some triangles of a surface; None where it does nothing."""
    mesh = surface.mesh
    if surface.alphas is None or mesh is None:
        return None
    number = triangles * surface.every
    result = Coverings(
        np.zeros(len(number), np.bool_),
        np.zeros(len(number), np.float32),
        np.zeros(len(number), np.bool_),
        np.zeros(len(number), np.bool_),
    )
    for part in mesh.parts:
        if part.alpha_mode == "opaque":
            continue
        own = (number >= part.triangles.start) & (number < part.triangles.stop)
        is_blended = part.alpha_mode == "blend" and surface.heat is None
        result.covered[own] = True
        # Above 1 nothing is drawn, whatever float32 makes of it.
        cutoff = min(part.alpha_cutoff, 2.0)
        least = cutoff if part.alpha_mode == "mask" else CLEAR if is_blended else HALF
        result.least[own] = least
        result.blended[own] = is_blended
        result.one_sided[own] = is_blended and not part.double_sided
    return result


def layered(
    corners: NDArray[np.float64],
    near: NDArray[np.float64],
    size: tuple[int, int],
    covering: Coverings,
    shaded: Callable[[NDArray[np.intp], NDArray[np.intp]], Shaded],
) -> tuple[NDArray[np.intp], NDArray[np.float32], NDArray[np.float32]]:
    """Draw opaque triangles, and the others over them, the farthest first at each pixel.

    Parameters
    ----------
    corners : ndarray of float64, shape (2, 3, T)
    near : ndarray of float64, shape (3, T)
        As for `nearest`.
    size : tuple of int
        Width and height of the picture.
    covering : Coverings
        Of the triangles.
    shaded : callable
        Returns what pixels look like, each of a triangle.

    Returns
    -------
    pixel, color, cover
        As for `drawn`.
    """
    width, height = size
    color, cover = np.zeros((width * height, 3), np.float32), np.zeros(width * height, np.float32)
    depth = np.zeros(width * height)  # as nearness, of what hides all behind it
    solid = np.flatnonzero(~covering.covered)
    pixel, winner = nearest(corners[:, :, solid], near[:, solid], width, height)
    planes = planes_of(corners, near)
    color[pixel], cover[pixel] = shaded(pixel, solid[winner]).color, 1.0
    depth[pixel] = _nearness(planes, pixel, solid[winner], width)
    others = np.flatnonzero(covering.covered & ~(covering.one_sided & (_areas(corners) > 0)))
    others = others[np.argsort(near[:, others].mean(axis=0), kind="stable")]
    low, high = corners[1][:, others].min(axis=0), corners[1][:, others].max(axis=0)
    # Band by band: the layers of a pixel are sorted together.
    for band in bands_of(corners[:, :, others], width, height):
        own = others[(low < band.stop) & (high > band.start)]
        below = corners[:, :, own] - np.array([0, band.start])[:, None, None]
        found = fragments(below, width, band.stop - band.start)
        pixel, triangle = (found.y + band.start) * width + found.x, own[found.triangle]
        nearness = _nearness(planes, pixel, triangle, width)
        seen = np.flatnonzero(nearness >= depth[pixel])
        pixel, triangle, nearness = pixel[seen], triangle[seen], nearness[seen]
        look = shaded(pixel, triangle)
        shown = look.alpha >= covering.least[triangle]
        alpha = np.where(covering.blended[triangle], look.alpha, 1.0)
        order = np.lexsort([nearness, pixel])
        order = order[shown[order]]
        # The nth layer of each pixel together: few layers, of many pixels.
        place = _places_in_runs(pixel[order])
        for layer in range(int(place.max(initial=-1)) + 1):
            some = order[place == layer]
            at, share = pixel[some], alpha[some].astype(np.float32)
            color[at] = share[:, None] * look.color[some] + (1 - share)[:, None] * color[at]
            cover[at] = share + (1 - share) * cover[at]
    covered = np.flatnonzero(cover)
    return covered, color[covered], cover[covered]


def _nearness(
    planes: tuple[Any, ...], pixel: NDArray[np.intp], triangle: NDArray[np.intp], width: int
) -> NDArray[np.float64]:
    return interpolated(planes, Fragments(triangle, pixel % width, pixel // width))


def _areas(corners: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return twice the areas of triangles in the picture, negative for front faces, as y points down."""
    (ax, ay), (bx, by) = (corners[:, i] - corners[:, 0] for i in (1, 2))
    return np.asarray(ax * by - ay * bx)


def _places_in_runs(values: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the place of each value in its run of equal ones."""
    begins = np.flatnonzero(np.diff(values, prepend=-1))
    return np.arange(len(values)) - np.repeat(begins, np.diff([*begins, len(values)]))
