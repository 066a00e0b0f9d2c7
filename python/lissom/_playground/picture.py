# SPDX-License-Identifier: MIT
"""A playground as a still: the character with its targets and limits drawn over it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._formats.picture import Picture
from lissom.errors import GpuError

if TYPE_CHECKING:
    from lissom._playground.playground import Playground
    from lissom.gpu import Camera

Floats = NDArray[np.float64]

FINE = 2  # supersampling: fine pixels per pixel, in width and in height
LINE_WIDTH = 2.0  # pixels
SIDES = 32  # of the polygon that a handle is drawn as
RING = 0.25  # of a handle's radius: its white edge
LEAST_RADIUS = 4.0  # pixels: smallest radius of a handle, however far away


def drawn(playground: Playground, width: int, height: int) -> Picture:
    """Draw a playground's last solve, by OpenGL if available."""
    from lissom._pictures.render import render
    from lissom._sketch.sketch import sketch
    from lissom._view.camera import Camera
    from lissom._view.front import azimuth_before

    character, pose = playground.character, playground.pose
    model = playground._model_matrices()
    handles = playground._handles()
    camera = playground.camera
    if camera is None:
        body = model[:, :3, 3] if character.mesh is None else character.deform(pose, "linear")
        targets = np.atleast_2d(playground.targets)  # without poles, which may be far away
        azimuth = azimuth_before(character.skeleton)
        camera = Camera.framing(np.concatenate([body, targets]), width / height, azimuth=azimuth)
    options: dict[str, Any] = {"width": width, "height": height, "camera": camera}
    try:
        picture = render(character, pose, method=playground.method, **options)
    except (ImportError, GpuError):
        picture = sketch(character, pose=pose, **options)
    canvas = _Canvas(picture.array, camera)
    overlay = playground._overlay(model)
    for triangle in overlay.triangles.astype(np.float64):
        canvas.polygon(canvas.projected(triangle[:, :3]), triangle[0, 3:6], triangle[0, 6])
    for line in overlay.lines.astype(np.float64):
        canvas.line(canvas.projected(line[:, :3]), line[0, 3:6], line[0, 6])
    for handle in handles:
        canvas.disc(np.array(handle.position), handle.radius, np.array(handle.color))
    return Picture(canvas.picture())


class _Canvas:
    """A picture to draw translucent shapes over, by its camera; without depth test."""

    def __init__(self, array: NDArray[np.uint8], camera: Camera) -> None:
        self._fine = np.repeat(np.repeat(array.astype(np.float32), FINE, axis=0), FINE, axis=1)
        self._camera = camera
        height, width = array.shape[:2]
        self._clip_from_world = camera.clip_from_world(width / height, 0.01, 100.0)

    def projected(self, points: Floats) -> Floats:
        """Return fine pixels (N, 2) of world points; NaN behind the eye."""
        height, width = self._fine.shape[:2]
        x, y, _, w = self._clip_from_world @ np.append(points, np.ones((len(points), 1)), axis=1).T
        w = np.where(w > 0, w, np.nan)
        return np.stack([(0.5 + 0.5 * x / w) * width, (0.5 - 0.5 * y / w) * height], axis=1)

    def polygon(self, points: Floats, color: Floats, opacity: float) -> None:
        """Fill a convex polygon (N, 2) of fine pixels."""
        from lissom._sketch.raster import fragments

        if not np.isfinite(points).all():
            return
        height, width = self._fine.shape[:2]
        count = len(points) - 2
        fan = np.stack([np.repeat(points[:1], count, axis=0), points[1:-1], points[2:]])
        covered = fragments(np.moveaxis(fan, 2, 0), width, height)
        below = self._fine[covered.y, covered.x]
        self._fine[covered.y, covered.x] = below + opacity * (255 * color - below)

    def line(self, ends: Floats, color: Floats, opacity: float) -> None:
        """Draw a line between two fine pixels."""
        difference = ends[1] - ends[0]
        length = float(np.linalg.norm(difference))
        if length > 1e-6:
            side = np.array([-difference[1], difference[0]]) * (0.5 * FINE * LINE_WIDTH / length)
            self.polygon(
                np.stack([ends[0] - side, ends[1] - side, ends[1] + side, ends[0] + side]), color, opacity
            )

    def disc(self, position: Floats, radius: float, color: Floats) -> None:
        """Draw a handle: a disc with a white edge."""
        middle, top = self.projected(np.stack([position, position + radius * self._camera.axes[1]]))
        fine_radius = max(float(np.linalg.norm(top - middle)), FINE * LEAST_RADIUS)
        angles = np.linspace(0, 2 * np.pi, SIDES, endpoint=False)
        circle = np.stack([np.cos(angles), np.sin(angles)], axis=1)
        self.polygon(middle + fine_radius * circle, np.ones(3), 1.0)
        self.polygon(middle + (1 - RING) * fine_radius * circle, color, 1.0)

    def picture(self) -> NDArray[np.uint8]:
        """Return the picture in its original resolution: means of fine pixels."""
        height, width = (side // FINE for side in self._fine.shape[:2])
        mean = self._fine.reshape(height, FINE, width, FINE, 3).mean(axis=(1, 3))
        return np.asarray(np.rint(mean).clip(0, 255), np.uint8)
