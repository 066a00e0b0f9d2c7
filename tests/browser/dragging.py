# SPDX-License-Identifier: MIT
"""Where things of a playground are in a page, and how the mouse drags them."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
from PIL import Image

from lissom.gpu import Camera

STEPS = 4  # of a drag: a press, so many moves, a release


def camera_of(page: Any) -> tuple[Camera, dict[str, float]]:
    """Return the player's camera, and the box of its canvas in the page."""
    state = page.evaluate("document.querySelector('.lissom-playground').playground.player.state.camera")
    camera = Camera(
        tuple(state["target"]),
        state["distance"],
        state["azimuth"],
        state["elevation"],
        state["field_of_view"],
    )
    return camera, page.locator(".lissom-playground canvas").bounding_box()


def pixel_of(point: Any, camera: Camera, box: dict[str, float]) -> np.ndarray:
    """Return where a world point is in the page."""
    clip = camera.clip_from_world(box["width"] / box["height"], 0.1, 100) @ np.append(point, 1.0)
    x, y = clip[:2] / clip[3]
    return np.array([box["x"] + (0.5 + 0.5 * x) * box["width"], box["y"] + (0.5 - 0.5 * y) * box["height"]])


def drag(page: Any, point: Any, by: tuple[float, float]) -> None:
    """Drag what is at a world point by so many pixels to the right and down."""
    x, y = pixel_of(point, *camera_of(page))
    page.mouse.move(x, y)
    page.mouse.down()
    for step in range(1, STEPS + 1):
        page.mouse.move(x + by[0] * step / STEPS, y + by[1] * step / STEPS)
    page.mouse.up()


def pixels_of(page: Any) -> np.ndarray:
    """Return the picture as the page shows it, shape (height, width, 3)."""
    shot = page.locator(".lissom-playground canvas").screenshot()
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"))
