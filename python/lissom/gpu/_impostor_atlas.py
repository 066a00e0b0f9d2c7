# SPDX-License-Identifier: MIT
"""The atlas of impostors: a baked character drawn small, clip by clip, phase by phase, from all sides."""

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

LEVELS = 3  # halvings of a cell, itself one of them
FINER = 4  # pixels drawn per texel and side
ATLAS_WIDTH = 4096  # texels at most, where not a single phase is wider


class Atlas(NamedTuple):
    """Pictures of a bake, small.

    Attributes
    ----------
    base, normal : tuple of ndarray of uint8, shape (height, width, 4)
        Level by level, the first line at the bottom. Base colour is linear light as its square root, with the
        coverage; the normal is in model space, 0 to 255 for -1 to 1.
    widths : ndarray of int, shape (clips,)
        Of one picture at the first level, texels.
    origins : ndarray of int, shape (clips, phases, views, 2)
        Lower left texel of each picture.
    centers : ndarray of float64, shape (clips, phases, 3)
        Model space: the middle of each picture.
    halves : ndarray of float64, shape (clips, 2)
        Half the width and height of a picture, model units, as an upright square shows it.
    """

    base: tuple[NDArray[np.uint8], ...]
    normal: tuple[NDArray[np.uint8], ...]
    widths: NDArray[np.int64]
    origins: NDArray[np.int64]
    centers: NDArray[np.float64]
    halves: NDArray[np.float64]


def phase_times(bake: PoseTexture, clip: int, phases: int) -> NDArray[np.float64]:
    """Return the times of a clip's phases, seconds: all of a loop but its end, of others first to last."""
    of = list(bake.clips.values())[clip]
    return of.start + of.duration * np.arange(phases) / (phases if of.loop else max(1, phases - 1))


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
    """Draw the atlas, on the GPU that draws all else.

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
    # A texel free at every edge, and texels that are square.
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
    return Atlas(
        tuple(_encoded_base(level) for level in _halved(base)),
        tuple(_encoded_normal(level) for level in _halved(normal)),
        widths,
        origins,
        centers,
        halves * upright,
    )


def _laid_out(
    widths: NDArray[np.int64], phases: int, views: int, pixels: int
) -> tuple[NDArray[np.int64], tuple[int, int]]:
    """Return where pictures lie, (clips, phases, views, 2), and the size of it all."""
    origins = np.zeros((len(widths), phases, views, 2), np.int64)
    columns = lines = 0
    for c, width in enumerate(widths.tolist()):
        per_line = min(phases, max(1, ATLAS_WIDTH // (width * views)))
        phase = np.arange(phases)
        origins[c, :, :, 0] = (phase % per_line * width * views)[:, None] + width * np.arange(views)
        origins[c, :, :, 1] = ((lines + phase // per_line) * pixels)[:, None]
        lines += -(-phases // per_line)
        columns = max(columns, per_line * width * views)
    return origins, (columns, lines * pixels)


def _palette(bake: PoseTexture, clip: int, times: Any) -> PaletteLike:
    """Return sampled rows as what a palette is to the methods that bakes have: no other array is read."""
    return cast("PaletteLike", bake.sample(clip, times))


def _framed(vertices: NDArray[Any], axes: NDArray[np.float64]) -> tuple[NDArray[Any], NDArray[np.float64]]:
    """Return the centres (phases, 3) of pictures and half of what the largest must show, (2,)."""
    corners = np.stack([vertices.min(axis=1), vertices.max(axis=1)]).astype(np.float64)
    centers = corners.mean(axis=0)
    seen = np.abs((vertices - centers[:, None]).reshape(-1, 3) @ axes[:, :2].reshape(-1, 3).T)
    return centers, seen.reshape(len(seen), -1, 2).max(axis=(0, 1), initial=1e-6)


class _Studio:
    """A target in which a model is drawn from all sides at once, each side beside the other.

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
        self._size = cell[0] * len(axes) * FINER, cell[1] * FINER

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
        """Return base colours and normals, each (height, views * width, 4), premultiplied by the coverage."""
        moderngl = require("moderngl", "gl", "drawing")
        width, height = self._cell[0] * FINER, self._cell[1] * FINER
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
        base, normal = (_averaged(p.reshape(self._size[1], self._size[0], 4), FINER) for p in pictures)
        return base, normal


def _averaged(pixels: NDArray[Any], count: int) -> NDArray[np.float32]:
    """Return the means of squares of count by count pixels."""
    height, width, _ = pixels.shape
    squares = pixels.astype(np.float32).reshape(height // count, count, width // count, count, 4)
    return np.asarray(squares.mean(axis=(1, 3)))


def _halved(texels: NDArray[np.float32]) -> list[NDArray[np.float32]]:
    levels = [texels]
    for _ in range(LEVELS - 1):
        levels.append(_averaged(levels[-1], 2))
    return levels


def _encoded_base(texels: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return the coverage as it is; colours as of full coverage, for a texel is shown whole or not at all."""
    encoded = np.zeros(texels.shape, np.float32)
    covered = np.maximum(texels[..., 3:], 1e-6)
    encoded[..., :3] = np.sqrt(np.clip(texels[..., :3] / covered, 0, 1))
    encoded[..., 3] = texels[..., 3]
    return np.rint(255 * encoded).astype(np.uint8)


def _encoded_normal(texels: NDArray[np.float32]) -> NDArray[np.uint8]:
    lengths = np.linalg.norm(texels[..., :3], axis=-1, keepdims=True)
    units = np.divide(texels[..., :3], lengths, out=np.zeros_like(texels[..., :3]), where=lengths > 0)
    encoded = np.zeros(texels.shape, np.float32)
    encoded[..., :3] = 0.5 + 0.5 * units
    return np.rint(255 * encoded).astype(np.uint8)
