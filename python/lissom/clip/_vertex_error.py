# SPDX-License-Identifier: MIT
"""The vertex error metric: distances of vertices that one mesh has by two sources of palettes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom import _core
from lissom._rig.distinct_vertices import distinct_vertices, points_of
from lissom._rig.mesh import Mesh
from lissom.clip._error import ClipError, ErrorStats
from lissom.clip._frames import AT_FRAMES, BETWEEN, JUMPING, Moments
from lissom.clip._joint_shells import (
    SHELL,
    append_points,
    joint_shell,
    mesh_and_size,
    rest_skin,
    skin_shell,
    with_joints,
)
from lissom.skinning._deform import deform

if TYPE_CHECKING:
    from lissom._rig.rigged import Rigged

__all__ = [
    "DistanceSums",
    "MorphSource",
    "PaletteSource",
    "VertexErrorMetric",
    "VertexErrors",
    "both",
    "clip_error",
    "farther",
]

CHUNK_VERTICES = 1 << 18
"""Vertices skinned at a time: two arrays of 3 MiB, which stay in the outer caches."""

PaletteSource = Callable[[slice], Any]
"""A function that returns the palette at a slice of the moments."""

MorphSource = Callable[[slice], npt.NDArray[np.float32]]
"""A function that returns the weights of the morph targets, (N, M), at a slice of the moments."""

STEADY = [AT_FRAMES, BETWEEN]
"""Groups of moments that errors are taken from; those where the source jumps are reported apart."""

GROUP_COUNT = len([*STEADY, JUMPING])


def farther(error: ClipError, distance: float, size: float) -> ClipError:
    """Return upper bounds of an error against a source that is up to `distance` from the one measured.

    By the triangle inequality no distance, and so no statistic of them, grows by more.
    """

    def stats(before: ErrorStats | None) -> Any:
        if before is None:
            return None
        return replace(
            before, max=before.max + distance, p99=before.p99 + distance, rms=before.rms + distance
        )

    largest = error.max + distance
    return ClipError(
        largest,
        error.p99 + distance,
        error.rms + distance,
        largest / size if size > 0 else largest,
        stats(error.at_frames),
        stats(error.between),
        stats(error.jumps),
        error.worst and replace(error.worst, distance=error.worst.distance + distance),
    )


def both(error: ClipError, own: ClipError, size: float) -> ClipError:
    """Return upper bounds of an error against a source whose distance from the one measured is known.

    Distances add up at most, so do the largest and the roots of mean squares (Minkowski); of sums 99 % are
    below the one's 99th percentile plus the other's largest.
    """

    def stats(measured: ErrorStats | None, before: ErrorStats | None) -> Any:
        if measured is None:
            return None
        added = before or ErrorStats(own.max, own.max, own.max, 0)
        p99 = min(measured.p99 + added.max, measured.max + added.p99)
        return replace(measured, max=measured.max + added.max, p99=p99, rms=measured.rms + added.rms)

    bound = farther(error, own.max, size)
    return replace(
        bound,
        p99=min(error.p99 + own.max, error.max + own.p99),
        rms=error.rms + own.rms,
        at_frames=stats(error.at_frames, own.at_frames),
        between=stats(error.between, own.between),
        jumps=stats(error.jumps, own.jumps),
    )


@dataclass(frozen=True)
class VertexErrors:
    """The measured errors of one clip, without jumps except for ``error.jumps``."""

    error: ClipError
    bounds: npt.NDArray[np.float32]  # (2, 3) box of the actual vertices over all moments
    worst_vertex: int
    worst_moment: int
    joint_max: npt.NDArray[
        np.float32
    ]  # (S) of the vertices whose heaviest influence a row is; NaN without any
    joint_rms: npt.NDArray[np.float32]

    def plus(self, distance: float, size: float) -> VertexErrors:
        """Return upper bounds of the errors against a source up to `distance` from the one measured."""
        error = farther(self.error, distance, size)
        added = np.float32(distance)
        return replace(self, error=error, joint_max=self.joint_max + added, joint_rms=self.joint_rms + added)


class DistanceSums:
    """Distances of vertices, summed up chunk by chunk: for each moment, each vertex and each group."""

    def __init__(
        self,
        moment_count: int,
        order: npt.NDArray[np.uint32],
        copies: npt.NDArray[np.uint32] | None = None,
    ) -> None:
        """`order` are the vertices of the mesh in the order of the arrays that are added.

        `copies` are how many vertices each of these stands for, one when omitted.
        """
        vertex_count = len(order)
        self._order = order
        self.copies = np.ones(vertex_count, dtype=np.uint32) if copies is None else copies
        self.moment_max = np.empty(moment_count, dtype=np.float32)
        self.square_sums = np.zeros((GROUP_COUNT, vertex_count), dtype=np.float64)
        self.square_max = np.zeros((GROUP_COUNT, vertex_count), dtype=np.float32)
        self.histogram = np.zeros((GROUP_COUNT, _core.DISTANCE_BIN_COUNT), dtype=np.int64)
        self.bounds = np.array([[np.inf] * 3, [-np.inf] * 3], dtype=np.float32)
        # The largest distance at steady moments, and where it is: a vertex of the mesh.
        self.worst_vertex, self.worst_moment, self.worst_distance = 0, 0, 0.0

    def add(
        self,
        part: slice,
        expected: npt.NDArray[np.float32],
        actual: npt.NDArray[np.float32],
        groups: npt.NDArray[np.int32],
    ) -> None:
        """Add the distances of the vertices at some moments."""
        moment_max = self.moment_max[part]
        _core.measure_error(
            expected,
            actual,
            groups,
            self.copies,
            moment_max,
            self.square_sums,
            self.square_max,
            self.histogram,
            self.bounds,
        )
        here = int(np.argmax(np.where(groups == JUMPING, -1, moment_max)))
        if groups[here] != JUMPING and moment_max[here] > self.worst_distance:
            self.worst_distance, self.worst_moment = float(moment_max[here]), part.start + here
            # In float64: the square of a small float32 underflows.
            offsets = (actual[here] - expected[here]).astype(np.float64)
            squares = (offsets**2).sum(axis=-1)
            self.worst_vertex = int(self._order[squares == squares.max()].min())  # of equals the mesh's first

    def raise_to(self, others: DistanceSums, first_moment: int) -> None:
        """Raise the largest distances to those of others, whose moments count from `first_moment`."""
        np.maximum(self.square_max, others.square_max, out=self.square_max)
        if others.worst_distance > self.worst_distance:
            self.worst_distance, self.worst_vertex = others.worst_distance, others.worst_vertex
            self.worst_moment = first_moment + others.worst_moment


class VertexErrorMetric:
    """Skins one character by two sources of palettes, and measures the distances of its vertices.

    Without a mesh, or with a stub of one, every joint (or palette row) has a shell of four points instead.
    """

    def __init__(self, character: Rigged, method: str, extra_joints: Sequence[int] = ()) -> None:
        """`extra_joints` get palette rows after those of the skin, and shells of their own."""
        self.skeleton = character.skeleton
        self.method = method
        mesh, self.size = mesh_and_size(character)
        self.skin = character.skin if character.skin else rest_skin(self.skeleton)
        self.measured = "skinned vertices"
        self.stub_size = float(character.size) if mesh is None and self.size > character.size else None
        """Size of a mesh that is too small to be measured, model units."""
        if mesh is None:
            self.measured = "joint shell"
            mesh = skin_shell(self.skin, SHELL * self.size)
        if len(extra_joints):
            first = len(self.skin)
            self.skin = with_joints(self.skin, extra_joints)
            mesh = append_points(mesh, joint_shell(self.skeleton, extra_joints, first, SHELL * self.size))
        self.mesh: Mesh = mesh
        self.rows = np.empty(mesh.vertex_count, dtype=np.int32)
        """Palette row of each vertex's heaviest influence."""
        mesh._skinned.heaviest_rows(self.rows)
        # What moves as one is skinned once, and in the order that takes a third of the time.
        kinds, copies = distinct_vertices(mesh)
        self._prepared = (mesh if len(kinds) == mesh.vertex_count else points_of(mesh, kinds)).prepare()
        self._order = kinds[self._prepared.order].astype(np.uint32)
        self._copies = copies[self._prepared.order]
        self._prepared_rows = self.rows[self._order]
        self._row_counts = np.bincount(self.rows, minlength=len(self.skin))
        self._buffers = np.empty((2, 0, 3), dtype=np.float32)

    def compare(
        self,
        moments: Moments,
        expected: PaletteSource,
        actual: PaletteSource,
        morphs: tuple[MorphSource, MorphSource] | None = None,
    ) -> VertexErrors:
        """Measure the distances between the vertices that two sources skin, at all moments.

        `morphs` are the weights that go with both, the mesh's defaults when omitted.
        """
        return self._errors(moments, self._distances(moments, expected, actual, morphs=morphs))

    def _distances(
        self,
        moments: Moments,
        expected: PaletteSource,
        actual: PaletteSource,
        stop_above: float = math.inf,
        morphs: tuple[MorphSource, MorphSource] | None = None,
    ) -> DistanceSums:
        """Sum up distances over the moments, until one is above `stop_above`.

        `morphs` are the weights that go with `expected` and `actual`, the mesh's defaults when omitted.
        """
        sums = DistanceSums(len(moments.times), self._order, self._copies)
        for part in self._chunks(len(moments.times)):
            if sums.worst_distance > stop_above:
                break
            groups = np.ascontiguousarray(moments.groups[part])
            expected_vertices, actual_vertices = self._vertex_buffers(len(groups))
            expected_weights, actual_weights = (each(part) for each in morphs) if morphs else (None, None)
            self._deform(expected(part), expected_vertices, expected_weights)
            self._deform(actual(part), actual_vertices, actual_weights)
            sums.add(part, expected_vertices, actual_vertices, groups)
        sums.bounds.flags.writeable = False
        return sums

    def _errors(self, moments: Moments, sums: DistanceSums) -> VertexErrors:
        """Return the statistics of distances that were summed up over all moments."""
        joint_max, joint_rms = self._by_row(sums, int((moments.groups != JUMPING).sum()))
        error = clip_error(moments.groups, sums, self.mesh.vertex_count, self.size)
        return VertexErrors(error, sums.bounds, sums.worst_vertex, sums.worst_moment, joint_max, joint_rms)

    def _by_row(
        self, sums: DistanceSums, moment_count: int
    ) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """Return the largest distance and the rms of the vertices of each palette row."""
        row_count = len(self.skin)
        rows = self._prepared_rows
        counts = self._row_counts
        largest = np.zeros(row_count, dtype=np.float32)
        np.maximum.at(largest, rows, sums.square_max[STEADY].max(axis=0))
        squares = sums.square_sums[STEADY].sum(axis=0) * sums.copies
        totals = np.bincount(rows, weights=squares, minlength=row_count)
        means = np.divide(totals, counts * moment_count, out=np.full(row_count, np.nan), where=counts > 0)
        return np.where(counts > 0, np.sqrt(largest), np.float32(np.nan)), np.sqrt(means).astype(np.float32)

    def _chunks(self, count: int) -> Iterator[slice]:
        step = max(1, CHUNK_VERTICES // self._prepared.vertex_count)
        return (slice(begin, min(begin + step, count)) for begin in range(0, count, step))

    def _vertex_buffers(self, moment_count: int) -> npt.NDArray[np.float32]:
        """Return two arrays of vertices, reused by all chunks: fresh pages would cost as much as skinning."""
        count = self._prepared.vertex_count
        row_count = moment_count * count
        if self._buffers.shape[1] < row_count:
            self._buffers = np.empty((2, row_count, 3), dtype=np.float32)
        return self._buffers[:, :row_count].reshape(2, moment_count, count, 3)

    def _deform(
        self, palette: Any, out: npt.NDArray[np.float32], morphs: npt.NDArray[np.float32] | None
    ) -> None:
        rows = palette.matrices if self.method == "linear" else palette.dual_quats
        if rows.dtype == np.float32:
            deform(self._prepared, palette, self.method, out=out, morphs=morphs)
        else:
            out[...] = deform(self._prepared, palette, self.method, morphs=morphs)


def clip_error(
    groups: npt.NDArray[np.int32], sums: DistanceSums, vertex_count: int, size: float
) -> ClipError:
    """Return the statistics of distances of vertices that were summed up over all moments."""

    def stats(*chosen: int) -> ErrorStats | None:
        moment_count = sum(int(np.count_nonzero(groups == group)) for group in chosen)
        if not moment_count:
            return None
        largest = float(np.sqrt(sums.square_max[list(chosen)].max()))
        total = moment_count * vertex_count
        counts_up_to = np.cumsum(sums.histogram[list(chosen)].sum(axis=0))
        # The upper end of the bin of the 99th percentile, so that it is not understated.
        end = _core.distance_bin_end(int(np.searchsorted(counts_up_to, np.ceil(0.99 * total))))
        squares = sums.square_sums[list(chosen)].sum(axis=0) * sums.copies
        rms = float(np.sqrt(squares.sum() / total))
        return ErrorStats(largest, min(end, largest), rms, moment_count)

    at_frames = stats(AT_FRAMES)
    steady = stats(*STEADY)
    assert at_frames is not None
    assert steady is not None
    relative = steady.max / size if size > 0 else steady.max
    return ClipError(steady.max, steady.p99, steady.rms, relative, at_frames, stats(BETWEEN), stats(JUMPING))
