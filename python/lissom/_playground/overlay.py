# SPDX-License-Identifier: MIT
"""What is drawn over a picture: lines and triangles, in model space or as shapes and where they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

LINE, FILL = 0.9, 0.22  # opacity of a shape's lines and triangles


class Overlay(NamedTuple):
    """Lines and triangles drawn over a picture: x, y, z in model space, then r, g, b, opacity in [0, 1].

    Attributes
    ----------
    lines : ndarray of float32, shape (N, 2, 7)
    triangles : ndarray of float32, shape (M, 3, 7)
    """

    lines: NDArray[np.float32]
    triangles: NDArray[np.float32]


class Shape(NamedTuple):
    """Lines and triangles in a frame of their own, which no pose changes.

    Attributes
    ----------
    lines : ndarray, shape (N, 2, 3)
    triangles : ndarray, shape (M, 3, 3)
    """

    lines: Floats
    triangles: Floats


class Place(NamedTuple):
    """Where a shape is in a pose.

    Attributes
    ----------
    matrix : ndarray, shape (3, 4)
        To model space, translation last.
    color : tuple of float
        sRGB, in [0, 1].
    """

    matrix: Floats
    color: tuple[float, float, float]


def placed(shapes: Sequence[Shape], places: Sequence[Place]) -> Overlay:
    """Return shapes in model space, each at its place."""

    def moved(points: Floats, place: Place, opacity: float) -> NDArray[np.float32]:
        there = points @ place.matrix[:, :3].T + place.matrix[:, 3]
        return colored(there, np.broadcast_to((*place.color, opacity), (len(points), 4)))

    pairs = zip(shapes, places, strict=True)
    return joined(
        [Overlay(moved(one.lines, place, LINE), moved(one.triangles, place, FILL)) for one, place in pairs]
    )


def shape_rows(shapes: Sequence[Shape]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return corners of lines (N, 2, 5) and triangles (M, 3, 5): x, y, z, opacity, number of the shape."""

    def rows(points: Floats, opacity: float, number: int) -> NDArray[np.float32]:
        result = np.empty((*points.shape[:2], 5), np.float32)
        result[..., :3], result[..., 3], result[..., 4] = points, opacity, number
        return result

    lines = [rows(shape.lines, LINE, number) for number, shape in enumerate(shapes)]
    triangles = [rows(shape.triangles, FILL, number) for number, shape in enumerate(shapes)]
    return (
        np.concatenate([np.zeros((0, 2, 5), np.float32), *lines]),
        np.concatenate([np.zeros((0, 3, 5), np.float32), *triangles]),
    )


def place_rows(places: Sequence[Place]) -> NDArray[np.float32]:
    """Return places as rows (N, 15): the matrix row by row, r, g, b."""
    rows = np.empty((len(places), 15), np.float32)
    for row, (matrix, color) in zip(rows, places, strict=True):
        row[:12], row[12:] = matrix.ravel(), color
    return rows


def joined(overlays: Sequence[Overlay]) -> Overlay:
    """Return several overlays as one."""
    lines = [np.zeros((0, 2, 7), np.float32), *(overlay.lines for overlay in overlays)]
    triangles = [np.zeros((0, 3, 7), np.float32), *(overlay.triangles for overlay in overlays)]
    return Overlay(np.concatenate(lines), np.concatenate(triangles))


def colored(points: Floats, colors: ArrayLike) -> NDArray[np.float32]:
    """Return lines or triangles (N, K, 3) with the colours of their rows (N, 4), as float32 (N, K, 7)."""
    result = np.empty((*points.shape[:2], 7), np.float32)
    result[..., :3] = points
    result[..., 3:] = np.asarray(colors)[:, None]
    return result
