# SPDX-License-Identifier: MIT
"""Measuring a bake: source and bake are skinned by the same method, at frames and between them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom import _core
from lissom.bake_report import SUBFRAMES, ClipError, ErrorStats
from lissom.mesh import Mesh
from lissom.skin import Palette, Skin
from lissom.skinning import deform

if TYPE_CHECKING:
    from lissom._layouts import DualQuatLayout, TexelArray
    from lissom.character import Character
    from lissom.clip import Clip
    from lissom.skeleton import Skeleton

__all__ = ["Judge", "frame_times", "interval_count"]

CHUNK_VERTICES = 1 << 18
"""Vertices skinned at a time: two arrays of 3 MiB, which stay in the outer caches."""

SHELL = 0.03
"""Distance of a joint's shell points from it, as a fraction of the size. The metric follows Frechette,
"Measuring Animation Compression Accuracy" (2016): a joint without a mesh is judged by what would
be bound around it."""

NEAR = 0.02
"""Keys within this of a measured moment, as a fraction of the interval, are not measured again."""

STEP = 0  # interpolation in Clip.tracks
VALUE_WIDTH = (3, 4, 3)  # numbers per key of translation, rotation, scale

AT_FRAMES, BETWEEN, JUMPING = range(3)  # groups of moments


def interval_count(duration: float, rate: float) -> int:
    """Intervals of a clip at a wanted rate: ``max(1, ceil(duration * rate - 1e-3))``, 0 without duration.

    The slack keeps frames on keys whose times were rounded to float32.
    """
    return max(1, int(np.ceil(duration * rate - 1e-3))) if duration > 0 else 0


def frame_times(clip: Clip, intervals: int) -> npt.NDArray[np.float64]:
    """Moments of a clip's frames: the first at its start, the last exactly at its end."""
    return _times(clip, np.arange(intervals + 1, dtype=np.float64), intervals)


def _times(clip: Clip, coordinates: npt.NDArray[np.float64], intervals: int) -> npt.NDArray[np.float64]:
    times = clip.start + coordinates * (clip.duration / max(intervals, 1))
    return np.where(coordinates >= intervals, clip.end if intervals else clip.start, times)


@dataclass(frozen=True)
class _Moments:
    """When one clip is measured."""

    coordinates: npt.NDArray[np.float64]  # (N) in intervals from the start
    times: npt.NDArray[np.float64]  # (N) seconds
    groups: npt.NDArray[np.int32]  # (N)


class Judge:
    """Skins source clips and bakes of one character and measures the distance.

    Without a mesh, or a skin, every joint (or palette row) carries a shell of four points.
    """

    def __init__(self, character: Character, method: str) -> None:
        self.skeleton = character.skeleton
        self.method = method
        self.size = float(character.size)
        self.skin = character.skin if character.skin else _rest_skin(self.skeleton)
        if not len(self.skeleton):
            raise ValueError(f"bake: {character.name!r} must have joints, got a skeleton without any")
        mesh = character.mesh
        self.measured = "skinned vertices"
        if mesh is None or mesh.vertex_count == 0:
            self.measured = "joint shell"
            mesh = _shell(self.skin, SHELL * self.size)
        self.mesh: Mesh = mesh
        self._buffers = np.empty((2, 0, 3), dtype=np.float32)

    def palette(self, clip: Clip, times: npt.NDArray[np.float64]) -> Palette:
        """Give the source's palette: the clip as it is, not wrapped."""
        return self.skin.palette(self.skeleton.model_matrices(clip.sample(times, loop=False)))

    def measure(
        self, clip: Clip, layout: DualQuatLayout, texels: TexelArray
    ) -> tuple[ClipError, npt.NDArray[np.float32]]:
        """Measure one baked clip against its source.

        Returns
        -------
        error : ClipError
        bounds : ndarray of float32, shape (2, 3)
            Box of the baked vertices over all moments.
        """
        intervals = len(texels) - 1
        moments = _moments(clip, intervals)
        count = len(moments.times)
        sums = np.empty(count, dtype=np.float64)
        maxima = np.empty(count, dtype=np.float32)
        histogram = np.zeros((3, _core.DISTANCE_BIN_COUNT), dtype=np.int64)
        bounds = np.array([[np.inf] * 3, [-np.inf] * 3], dtype=np.float32)
        for part in self._chunks(count):
            places = moments.coordinates[part]
            frames = np.minimum(np.floor(places), max(intervals - 1, 0)).astype(np.int32)
            nexts = np.minimum(frames + 1, intervals).astype(np.int32)
            rows = layout.sample(texels, frames, nexts, (places - frames).astype(np.float32))
            expected, actual = self._room(len(places))
            self._deform(self.palette(clip, moments.times[part]), expected)
            self._deform(rows, actual)
            groups = np.ascontiguousarray(moments.groups[part])
            _core.measure_error(expected, actual, groups, sums[part], maxima[part], histogram, bounds)
        bounds.flags.writeable = False
        return self._error(moments.groups, sums, maxima, histogram), bounds

    def _chunks(self, count: int) -> Iterator[slice]:
        step = max(1, CHUNK_VERTICES // self.mesh.vertex_count)
        return (slice(begin, min(begin + step, count)) for begin in range(0, count, step))

    def _room(self, moments: int) -> npt.NDArray[np.float32]:
        """Two arrays of vertices, kept from chunk to chunk: fresh pages would cost as much as skinning."""
        wanted = moments * self.mesh.vertex_count
        if self._buffers.shape[1] < wanted:
            self._buffers = np.empty((2, wanted, 3), dtype=np.float32)
        return self._buffers[:, :wanted].reshape(2, moments, self.mesh.vertex_count, 3)

    def _deform(self, palette: Any, out: npt.NDArray[np.float32]) -> None:
        rows = palette.matrices if self.method == "linear" else palette.dual_quats
        if rows.dtype == np.float32:
            deform(self.mesh, palette, self.method, out=out)
        else:
            out[...] = deform(self.mesh, palette, self.method)

    def _error(
        self,
        groups: npt.NDArray[np.int32],
        sums: npt.NDArray[np.float64],
        maxima: npt.NDArray[np.float32],
        histogram: npt.NDArray[np.int64],
    ) -> ClipError:
        def stats(*wanted: int) -> ErrorStats | None:
            inside = np.isin(groups, wanted)
            moments = int(inside.sum())
            if not moments:
                return None
            largest = float(maxima[inside].max())
            total = moments * self.mesh.vertex_count
            reached = np.cumsum(histogram[list(wanted)].sum(axis=0))
            # The bin that holds the distance which 99 of 100 do not pass; its end, so that it is not
            # understated.
            end = _core.distance_bin_end(int(np.searchsorted(reached, np.ceil(0.99 * total))))
            rms = float(np.sqrt(sums[inside].sum() / total))
            return ErrorStats(largest, min(end, largest), rms, moments)

        at_frames = stats(AT_FRAMES)
        steady = stats(AT_FRAMES, BETWEEN)
        assert at_frames is not None
        assert steady is not None
        relative = steady.max / self.size if self.size > 0 else steady.max
        return ClipError(
            steady.max, steady.p99, steady.rms, relative, at_frames, stats(BETWEEN), stats(JUMPING)
        )


def _moments(clip: Clip, intervals: int) -> _Moments:
    """Choose the moments: every frame, fixed fractions between, and keys that lie elsewhere."""
    frames = np.arange(intervals + 1, dtype=np.float64)
    between = (frames[:-1, None] + np.array(SUBFRAMES)).reshape(-1)
    keys = _off_grid(_key_times(clip), clip, intervals)
    coordinates = np.concatenate([frames, between, keys])
    groups = np.full(len(coordinates), BETWEEN, dtype=np.int32)
    groups[: len(frames)] = AT_FRAMES
    order = np.argsort(coordinates, kind="stable")
    coordinates, groups = coordinates[order], groups[order]
    jumping = np.isin(np.floor(coordinates), _jump_intervals(clip, intervals))
    groups[jumping & (groups == BETWEEN)] = JUMPING
    return _Moments(coordinates, _times(clip, coordinates, intervals), groups)


def _off_grid(times: npt.NDArray[np.float64], clip: Clip, intervals: int) -> npt.NDArray[np.float64]:
    """Give the coordinates of times inside the clip that are away from all other measured moments."""
    if not intervals:
        return np.empty(0)
    coordinates = (times - clip.start) * (intervals / clip.duration)
    coordinates = coordinates[(coordinates > 0) & (coordinates < intervals)]
    grid = np.array([0.0, *SUBFRAMES, 1.0])
    away = np.abs((coordinates % 1.0)[:, None] - grid).min(axis=1, initial=np.inf) > NEAR
    return np.asarray(coordinates[away])


def _key_times(clip: Clip) -> npt.NDArray[np.float64]:
    """All different key times of a clip. Tracks share times, so the runs are read once each."""
    runs = {(int(track["times"]), int(track["key_count"])) for track in clip.tracks}
    parts = [clip.keys[begin : begin + count] for begin, count in sorted(runs)]
    return np.unique(np.concatenate(parts).astype(np.float64)) if parts else np.empty(0)


def _jump_intervals(clip: Clip, intervals: int) -> npt.NDArray[np.float64]:
    """Find the intervals in which a STEP track changes its value, at their end included."""
    times = []
    for track in clip.tracks[clip.tracks["interpolation"] == STEP]:
        count, width = int(track["key_count"]), VALUE_WIDTH[int(track["path"])]
        begin, values = int(track["times"]), int(track["values"])
        value = clip.keys[values : values + count * width].reshape(count, width)
        changes = np.any(value[1:] != value[:-1], axis=1)
        times.append(clip.keys[begin + 1 : begin + count][changes])
    if not times or not intervals:
        return np.empty(0)
    places = (np.concatenate(times).astype(np.float64) - clip.start) * (intervals / clip.duration)
    # A key on a frame belongs to the interval before it, which moves towards the new value. The rounding of
    # times decides whether the frame already has that value, so near ones count on both sides.
    slack = 1e-3
    return np.unique(np.concatenate([np.ceil(places - slack) - 1.0, np.ceil(places + slack) - 1.0]))


def _rest_skin(skeleton: Skeleton) -> Skin:
    """Make the skin of a character that has none: every joint, bound at rest."""
    model = skeleton.model_matrices(skeleton.rest.astype(np.float64))
    return Skin(np.arange(len(skeleton)), _inverses(model).astype(np.float32))


def _inverses(matrices: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Invert each matrix; the identity stands for those that have no inverse."""
    wide = np.asarray(matrices, dtype=np.float64)
    regular = np.abs(np.linalg.det(wide)) > 1e-30
    safe = np.where(regular[:, None, None], wide, np.eye(4))
    return np.linalg.inv(safe)


def _shell(skin: Skin, distance: float) -> Mesh:
    """Make the points that stand for a mesh: each row's joint, and one point along each of its axes."""
    bind_from_joint = _inverses(skin.joint_from_bind)
    axes = np.swapaxes(bind_from_joint[:, :3, :3], 1, 2)
    lengths = np.linalg.norm(axes, axis=2, keepdims=True)
    axes = np.divide(axes, lengths, out=np.zeros_like(axes), where=lengths > 0)
    offsets = np.concatenate([np.zeros((len(axes), 1, 3)), distance * axes], axis=1)
    points = (bind_from_joint[:, None, :3, 3] + offsets).reshape(-1, 3)
    rows = np.repeat(np.arange(len(skin)), 4)[:, None]
    return Mesh(points, np.empty((0, 3), np.uint32), rows, np.ones_like(rows, dtype=np.float32), parts=())
