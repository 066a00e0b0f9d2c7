# SPDX-License-Identifier: MIT
"""The picture of each class, `side` pixels high: for its HTML, and smaller as a PNG alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._notebook.builder import MOST_ROWS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._character.character import Character
    from lissom._formats.picture import Picture
    from lissom._pictures.compare import Comparison
    from lissom._rig.mesh import Mesh
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip
    from lissom.ik import Contacts
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["character", "clip", "comparison", "contacts", "mesh", "pose_texture", "skeleton"]

MOMENTS = 5  # of a clip, side by side
FRAME = (0.48, 0.66)  # width and height of a moment, in sides of a thumbnail
COMPARED = 720  # pixels: largest width of a comparison, whose numbers can be read at half their size
TIMELINE = 16  # pixels: height of a foot's curve
LINE = 36  # pixels: height of a foot's name and curve
EDGE = 8  # pixels: margin
COLOR = (70, 110, 160)


def character(shown: Character, side: int) -> Picture | None:
    visible = shown.mesh is None or len(shown.mesh.triangles)
    return _sketched(shown, side) if visible and len(shown.skeleton) else None


def skeleton(shown: Skeleton, side: int) -> Picture | None:
    return _sketched(shown, side) if len(shown) else None


def mesh(shown: Mesh, side: int) -> Picture | None:
    return _sketched(shown, side) if len(shown.triangles) else None


def pose_texture(shown: PoseTexture, side: int) -> Picture | None:
    """Draw the mesh posed by the texels in the middle of the first clip."""
    if shown.mesh is None or not len(shown.mesh.triangles):
        return None
    return _sketched(shown.mesh, side, _posed(shown))


def clip(shown: Clip, side: int) -> Picture | None:
    """Draw bones at some moments side by side; None for an additive clip, whose poses are differences."""
    from lissom._formats.picture import Picture
    from lissom._sketch.sketch import sketch
    from lissom._view.camera import Camera
    from lissom._view.front import azimuth_before

    if shown.additive or not len(shown.skeleton):
        return None
    moments = MOMENTS if shown.duration > 0 else 1
    # The end of a loop equals its beginning.
    phases = np.linspace(0, 1, moments, endpoint=shown.loop is not True)
    places = shown.skeleton.positions(shown.at(phases).astype(np.float64))
    width, height = (round(share * side) for share in FRAME)
    azimuth = azimuth_before(shown.skeleton)
    camera = Camera.framing(places.reshape(-1, 3), width / height, azimuth=azimuth, margin=0.16)
    low = float(places[..., 1].min())
    view: Any = {"camera": camera, "width": width, "height": height, "ground_height": low}
    return Picture(np.concatenate([sketch(shown.skeleton, at, **view).array for at in places], axis=1))


def comparison(shown: Comparison, side: int) -> Picture:
    """Return the picture of a comparison, reduced by a whole factor."""
    from lissom._notebook.small_png import smaller

    return smaller(shown.picture, -(-shown.picture.width // COMPARED))


def contacts(shown: Contacts, side: int) -> Picture | None:
    """Draw the contact of each foot over time below its name; needs Pillow for the names."""
    from lissom._formats.picture import Picture
    from lissom._view.labels import PAPER, Sheet

    names, times = shown.names[:MOST_ROWS], shown.times
    if not names or not len(times):
        return None
    width = 2 * side
    pixels = np.full((EDGE + LINE * len(names) + LINE // 2, width, 3), PAPER, np.uint8)
    moments = np.linspace(times[0], times[-1], width - 2 * EDGE)
    below = np.arange(TIMELINE)[::-1, None]
    for i in range(len(names)):
        curve = np.interp(moments, times, np.nan_to_num(shown.curves[:, i]))
        foot = EDGE + LINE * (i + 1) - 3
        area = pixels[foot - TIMELINE : foot, EDGE : width - EDGE]
        area[below < np.rint(TIMELINE * curve)] = COLOR
        pixels[foot, EDGE : width - EDGE] = COLOR
    sheet = Sheet(pixels, unit=15.0)
    for i, name in enumerate(names):
        sheet.text((EDGE, EDGE + LINE * i), name, faint=True, max_width=width - 2 * EDGE)
    foot = EDGE + LINE * len(names)
    sheet.text((EDGE, foot), f"{times[0]:.3g} s", faint=True)
    sheet.text((width - EDGE, foot), f"{times[-1]:.3g} s", faint=True, anchor="right")
    return Picture(sheet.pixels())


def _sketched(source: Any, side: int, *positions: Any) -> Picture:
    from lissom._sketch.sketch import sketch

    return sketch(source, *positions, width=side, height=side)


def _posed(shown: PoseTexture) -> NDArray[Any]:
    from lissom.skinning._deform import deform

    assert shown.mesh is not None
    if not shown.clips:
        return shown.mesh.positions
    name, first = next(iter(shown.clips.items()))
    palette: Any = shown.sample(name, first.start + first.duration / 2)
    method = shown.method if shown.method in shown.methods else shown.methods[0]
    return np.asarray(deform(shown.mesh, palette, method))
