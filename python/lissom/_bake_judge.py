# SPDX-License-Identifier: MIT
"""Measuring a bake: source and bake are skinned by the same method, at frames and between them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom import _core
from lissom._layouts import Source
from lissom.bake_report import ClipError, ErrorStats, WorstVertex
from lissom.clip._frames import AT_FRAMES, BETWEEN, JUMPING, Moments
from lissom.mesh import Mesh
from lissom.skin import Palette, Skin
from lissom.skinning import deform

if TYPE_CHECKING:
    from lissom._layouts import Layout, Rig, Texels
    from lissom.character import Character
    from lissom.clip import Clip
    from lissom.skeleton import Skeleton

__all__ = ["SHELL", "Judge"]

CHUNK_VERTICES = 1 << 18
"""Vertices skinned at a time: two arrays of 3 MiB, which stay in the outer caches."""

SHELL = 0.03
"""Distance of a joint's shell points from it, as a fraction of the size. The metric follows Frechette,
"Measuring Animation Compression Accuracy" (2016): a joint without a mesh is judged by what would
be bound around it."""


STEADY = [AT_FRAMES, BETWEEN]
GROUPS = len([*STEADY, JUMPING])


@dataclass(frozen=True)
class Measured:
    """What was found out about one clip, jumps left out but for ``error.jumps``."""

    error: ClipError
    bounds: npt.NDArray[np.float32]  # (2, 3) box of the actual vertices over all moments
    vertex: int  # the one farthest away
    moment: int  # when
    joint_max: npt.NDArray[np.float32]  # (S) of the vertices whose heaviest influence a row is; NaN: of none
    joint_rms: npt.NDArray[np.float32]


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
        self.rows = np.empty(mesh.vertex_count, dtype=np.int32)
        """Palette row of each vertex's heaviest influence."""
        mesh._skinned.heaviest_rows(self.rows)
        self._buffers = np.empty((2, 0, 3), dtype=np.float32)

    def palette(self, clip: Clip, times: npt.NDArray[np.float64]) -> Palette:
        """Give the source's palette: the clip as it is, not wrapped."""
        return self.source(clip, times).palette

    def source(self, clip: Clip, times: npt.NDArray[np.float64]) -> Source:
        """Give the source's frames: the clip as it is, not wrapped."""
        return Source(self.skeleton, self.skin, clip.sample(times, loop=False), clip.name, self.size)

    def measure(self, clip: Clip, layout: Layout, texels: Texels, rig: Rig | None) -> Measured:
        """Measure one baked clip against its source."""
        intervals = len(texels.array) - 1
        moments = Moments.of_frames(clip, intervals)

        def baked(part: slice) -> Any:
            places = moments.coordinates[part]
            frames = np.minimum(np.floor(places), max(intervals - 1, 0)).astype(np.int32)
            nexts = np.minimum(frames + 1, intervals).astype(np.int32)
            rows = texels.sample(frames, nexts, (places - frames).astype(np.float32))
            return layout.palette(rows, self.skin, rig)

        found = self.compare(moments, lambda part: self.palette(clip, moments.times[part]), baked)
        worst = WorstVertex(
            found.vertex,
            self.skeleton.names[self.skin.joints[self.rows[found.vertex]]],
            float(moments.times[found.moment]),
            float(moments.coordinates[found.moment]),
            found.error.max,
            bool(moments.groups[found.moment] == AT_FRAMES),
        )
        return replace(found, error=replace(found.error, worst=worst))

    def compare(
        self, moments: Moments, expected_rows: Callable[[slice], Any], actual_rows: Callable[[slice], Any]
    ) -> Measured:
        """Measure the distance of what two sources of rows, given some moments each, move the vertices to."""
        vertex_count, count = self.mesh.vertex_count, len(moments.times)
        maxima = np.empty(count, dtype=np.float32)
        sums = np.zeros((GROUPS, vertex_count), dtype=np.float64)
        squares = np.zeros((GROUPS, vertex_count), dtype=np.float32)
        histogram = np.zeros((GROUPS, _core.DISTANCE_BIN_COUNT), dtype=np.int64)
        bounds = np.array([[np.inf] * 3, [-np.inf] * 3], dtype=np.float32)
        steady = moments.groups != JUMPING
        vertex, moment, farthest = 0, 0, -1.0
        for part in self._chunks(count):
            groups = np.ascontiguousarray(moments.groups[part])
            expected, actual = self._room(len(groups))
            self._deform(expected_rows(part), expected)
            self._deform(actual_rows(part), actual)
            _core.measure_error(expected, actual, groups, maxima[part], sums, squares, histogram, bounds)
            here = int(np.argmax(np.where(steady[part], maxima[part], -1)))
            if steady[part][here] and maxima[part][here] > farthest:
                farthest, moment = float(maxima[part][here]), part.start + here
                vertex = int(np.argmax(((actual[here] - expected[here]) ** 2).sum(axis=-1)))
        bounds.flags.writeable = False
        error = self._error(moments.groups, maxima, sums, histogram)
        joint_max, joint_rms = self._by_row(squares[STEADY], sums[STEADY], int(steady.sum()))
        return Measured(error, bounds, vertex, moment, joint_max, joint_rms)

    def _by_row(
        self, squares: npt.NDArray[np.float32], sums: npt.NDArray[np.float64], moment_count: int
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Give the largest distance and the rms of the vertices of each palette row."""
        row_count = len(self.skin)
        counts = np.bincount(self.rows, minlength=row_count)
        highest = np.zeros(row_count, dtype=np.float32)
        np.maximum.at(highest, self.rows, squares.max(axis=0))
        totals = np.bincount(self.rows, weights=sums.sum(axis=0), minlength=row_count)
        means = np.divide(totals, counts * moment_count, out=np.full(row_count, np.nan), where=counts > 0)
        return np.where(counts > 0, np.sqrt(highest), np.float32(np.nan)), np.sqrt(means).astype(np.float32)

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
        maxima: npt.NDArray[np.float32],
        sums: npt.NDArray[np.float64],
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
            rms = float(np.sqrt(sums[list(wanted)].sum() / total))
            return ErrorStats(largest, min(end, largest), rms, moments)

        at_frames = stats(AT_FRAMES)
        steady = stats(*STEADY)
        assert at_frames is not None
        assert steady is not None
        relative = steady.max / self.size if self.size > 0 else steady.max
        return ClipError(
            steady.max, steady.p99, steady.rms, relative, at_frames, stats(BETWEEN), stats(JUMPING)
        )


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
