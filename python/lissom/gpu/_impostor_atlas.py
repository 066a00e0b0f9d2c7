# SPDX-License-Identifier: MIT
"""The atlas of impostors: small pictures of a baked character, for each clip, phase and view."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from lissom._base.extras import require
from lissom._view.camera import Camera
from lissom.gpu._context import check_texture_size
from lissom.gpu._model import SkinnedModel
from lissom.skinning._deform import deform

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh
    from lissom.gpu._stage import Stage
    from lissom.pose_texture._pose_texture import PoseTexture
    from lissom.skinning._deform import PaletteLike

__all__ = ["LEVELS", "Atlas", "drawn_atlas", "phase_times"]

LEVELS = 3  # mipmap levels
SUPERSAMPLING = 4  # pixels drawn per texel, in each direction
ATLAS_WIDTH = 4096  # largest, texels, unless a single phase is wider


class Atlas(NamedTuple):
    """Small pictures of a bake.

    Attributes
    ----------
    base, normal : tuple of ndarray of uint8, shape (height, width, 4)
        One per mipmap level, the lowest row first. Base colour is the square root of linear light, with the
        coverage as alpha; normals are in model space, 0 to 255 for -1 to 1, with how much of the colour
        shines by itself as alpha.
    widths : ndarray of int, shape (clips,)
        Of one picture at the first level, texels.
    origins : ndarray of int, shape (clips, phases, views, 2)
        Lower left texel of each picture.
    centers : ndarray of float64, shape (clips, phases, 3)
        Of the pictures, model space.
    halves : ndarray of float64, shape (clips, 2)
        Half the width and height of a picture on an upright square, model units.
    """

    base: tuple[NDArray[np.uint8], ...]
    normal: tuple[NDArray[np.uint8], ...]
    widths: NDArray[np.int64]
    origins: NDArray[np.int64]
    centers: NDArray[np.float64]
    halves: NDArray[np.float64]


def phase_times(bake: PoseTexture, clip: int, phases: int) -> NDArray[np.float64]:
    """Return the times of a clip's phases, seconds: evenly spaced, for a loop without its end."""
    played = list(bake.clips.values())[clip]
    intervals = phases if played.loop else max(1, phases - 1)
    return played.start + played.duration * np.arange(phases) / intervals


def drawn_atlas(
    bake: PoseTexture,
    mesh: Mesh,
    stage: Stage | None,
    *,
    method: str,
    views: int,
    phases: int,
    pixels: int,
    elevation: float,
) -> Atlas:
    """Draw the atlas.

    Raises
    ------
    GpuError
        If it is larger than the driver allows.
    """
    axes = np.stack([Camera((0, 0, 0), 1.0, 360 * k / views, elevation).axes for k in range(views)])
    times = [phase_times(bake, c, phases) for c in range(len(bake.clips))]
    placed = [_framed(deform(mesh, _palette(bake, c, times[c]), method), axes) for c in range(len(times))]
    centers = np.stack([center for center, _ in placed])
    extents = np.stack([half for _, half in placed])
    widths = np.clip(4 * np.ceil(pixels * extents[:, 0] / extents[:, 1] / 4), 4, 2 * pixels).astype(np.int64)
    # One empty texel at every edge, and square texels.
    tall = np.maximum(extents[:, 1] * pixels / (pixels - 2), extents[:, 0] * pixels / (widths - 2))
    halves = np.stack([tall * widths / pixels, tall], axis=1)
    origins, size = _laid_out(widths, phases, views, pixels)

    base = np.zeros((size[1], size[0], 4), np.float32)
    normal = np.zeros_like(base)
    with SkinnedModel(mesh, stage=stage, method=method) as model:
        with model.context as gl:
            check_texture_size(gl, *size, "the atlas of impostors")
        for c, width in enumerate(widths.tolist()):
            with _Studio(model, (width, pixels), axes) as studio:
                for p in range(phases):
                    model.set_palette(_palette(bake, c, times[c][p]))
                    x, y = origins[c, p, 0]
                    tile = np.s_[y : y + pixels, x : x + width * views]
                    base[tile], normal[tile] = studio.photograph(centers[c, p], halves[c])
    upright = np.array([1.0, 1 / np.cos(np.radians(elevation))])
    bases, normals = _halved(base), _halved(normal)
    return Atlas(
        tuple(map(_encoded_base, bases)),
        tuple(map(_encoded_normal, normals, bases)),
        widths,
        origins,
        centers,
        halves * upright,
    )


def _laid_out(
    widths: NDArray[np.int64], phases: int, views: int, pixels: int
) -> tuple[NDArray[np.int64], tuple[int, int]]:
    """Return the origins of pictures, (clips, phases, views, 2), and the size of the atlas."""
    origins = np.zeros((len(widths), phases, views, 2), np.int64)
    columns = rows = 0
    for c, width in enumerate(widths.tolist()):
        per_row = min(phases, max(1, ATLAS_WIDTH // (width * views)))
        phase = np.arange(phases)
        origins[c, :, :, 0] = (phase % per_row * width * views)[:, None] + width * np.arange(views)
        origins[c, :, :, 1] = ((rows + phase // per_row) * pixels)[:, None]
        rows += -(-phases // per_row)
        columns = max(columns, per_row * width * views)
    return origins, (columns, rows * pixels)


def _palette(bake: PoseTexture, clip: int, times: Any) -> PaletteLike:
    """Return sampled rows as a palette: the methods of bakes read no other arrays of one."""
    return cast("PaletteLike", bake.sample(clip, times))


def _framed(vertices: NDArray[Any], axes: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the centres (phases, 3) of pictures, and half the width and height that contain all, (2,)."""
    corners = np.stack([vertices.min(axis=1), vertices.max(axis=1)]).astype(np.float64)
    centers = corners.mean(axis=0)
    extents = np.abs((vertices - centers[:, None]).reshape(-1, 3) @ axes[:, :2].reshape(-1, 3).T)
    return centers, extents.reshape(len(extents), -1, 2).max(axis=(0, 1), initial=1e-6)


class _Studio:
    """A render target for one phase: the views of a model side by side.

    Parameters
    ----------
    model : SkinnedModel
        What to draw.
    cell : tuple of int
        Width and height of one picture, texels.
    axes : ndarray, shape (views, 3, 3)
        Of the cameras: right, up and towards the eye.
    """

    def __init__(self, model: SkinnedModel, cell: tuple[int, int], axes: NDArray[np.float64]) -> None:
        self._model = model
        self._cell = cell
        self._axes = axes
        self._size = cell[0] * len(axes) * SUPERSAMPLING, cell[1] * SUPERSAMPLING

    def __enter__(self) -> _Studio:
        with self._model.context as gl:
            check_texture_size(gl, *self._size, "a line of impostors")
            colors = [gl.texture(self._size, 4, dtype="f2") for _ in range(2)]
            self._target = gl.framebuffer(colors, gl.depth_renderbuffer(self._size))
        return self

    def __exit__(self, *exception: object) -> None:
        with self._model.context:
            for attachment in (*self._target.color_attachments, self._target.depth_attachment):
                attachment.release()
            self._target.release()

    def photograph(
        self, center: NDArray[np.float64], half: NDArray[np.float64]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return base colours and normals, each (height, views * width, 4), premultiplied by coverage."""
        moderngl = require("moderngl", "gl", "drawing")
        width, height = self._cell[0] * SUPERSAMPLING, self._cell[1] * SUPERSAMPLING
        with self._model.context as gl:
            self._model.prepare({})
            self._target.use()
            self._target.clear(0.0, 0.0, 0.0, 0.0, depth=1.0)
            gl.enable_only(moderngl.DEPTH_TEST)
            gl.depth_func = "<"
            gl.wireframe = False
            for k, axes in enumerate(self._axes):
                self._target.viewport = k * width, 0, width, height
                scales = 1 / np.array([half[0], half[1], -4 * half.sum()])
                clip = np.eye(4)
                clip[:3, :3] = axes * scales[:, None]
                clip[:3, 3] = -clip[:3, :3] @ center
                self._model.draw("impostor_bake.frag", {"clip_from_world": clip, "to_eye": axes[2]})
            self._target.viewport = 0, 0, *self._size
            pictures = [
                np.frombuffer(self._target.read(attachment=i, components=4, dtype="f2"), np.float16)
                for i in range(2)
            ]
        base, normal = (
            _averaged(p.reshape(self._size[1], self._size[0], 4), SUPERSAMPLING) for p in pictures
        )
        return base, normal


def _averaged(pixels: NDArray[Any], count: int) -> NDArray[np.float32]:
    """Return the means of blocks of count by count pixels."""
    height, width, _ = pixels.shape
    squares = pixels.astype(np.float32).reshape(height // count, count, width // count, count, 4)
    return np.asarray(squares.mean(axis=(1, 3)))


def _halved(texels: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    levels = [texels]
    for _ in range(LEVELS - 1):
        levels.append(_averaged(levels[-1], 2))
    return levels


def _encoded_base(texels: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Encode colours without coverage, since a texel is shown whole or not at all, and coverage as it is."""
    encoded = np.zeros(texels.shape, np.float32)
    covered = np.maximum(texels[..., 3:], 1e-6)
    encoded[..., :3] = np.sqrt(np.clip(texels[..., :3] / covered, 0, 1))
    encoded[..., 3] = texels[..., 3]
    return np.rint(255 * encoded).astype(np.uint8)


def _encoded_normal(texels: NDArray[np.float32], base: NDArray[np.float32]) -> NDArray[np.uint8]:
    lengths = np.linalg.norm(texels[..., :3], axis=-1, keepdims=True)
    units = np.divide(texels[..., :3], lengths, out=np.zeros_like(texels[..., :3]), where=lengths > 0)
    encoded = np.zeros(texels.shape, np.float32)
    encoded[..., :3] = 0.5 + 0.5 * units
    encoded[..., 3] = np.clip(texels[..., 3] / np.maximum(base[..., 3], 1e-6), 0, 1)
    return np.rint(255 * encoded).astype(np.uint8)
