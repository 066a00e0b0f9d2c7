# SPDX-License-Identifier: MIT
"""How far vertices are apart: two sources of palettes skin one mesh by one method, moment by moment."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom import _core
from lissom._rig.mesh import Mesh
from lissom.clip._error import ClipError, ErrorStats
from lissom.clip._frames import AT_FRAMES, BETWEEN, JUMPING, Moments
from lissom.clip._joint_shells import SHELL, joined, joint_shell, rest_skin, skin_shell, with_joints
from lissom.skinning._deform import deform

if TYPE_CHECKING:
    from lissom._rig.rigged import Rigged

__all__ = ["VertexErrorMetric", "VertexErrors"]

CHUNK_VERTICES = 1 << 18
"""Vertices skinned at a time: two arrays of 3 MiB, which stay in the outer caches."""

Rows = Callable[[slice], Any]
"""Makes the palette of a part of the moments."""

STEADY = [AT_FRAMES, BETWEEN]

GROUPS = len([*STEADY, JUMPING])


@dataclass(frozen=True)
class VertexErrors:
    """What was found out about one clip, jumps left out but for ``error.jumps``."""

    error: ClipError
    bounds: npt.NDArray[np.float32]  # (2, 3) box of the actual vertices over all moments
    vertex: int  # the one farthest away
    moment: int  # when
    joint_max: npt.NDArray[np.float32]  # (S) of the vertices whose heaviest influence a row is; NaN: of none
    joint_rms: npt.NDArray[np.float32]

    def raised(self, amount: float, size: float) -> VertexErrors:
        """Give the same with a distance added to every error: what at most is reached of two in a row."""

        def stats(before: ErrorStats | None) -> Any:
            if before is None:
                return None
            return replace(before, max=before.max + amount, p99=before.p99 + amount, rms=before.rms + amount)

        error = self.error
        worst = None if error.worst is None else replace(error.worst, distance=error.worst.distance + amount)
        largest = error.max + amount
        error = ClipError(
            largest,
            error.p99 + amount,
            error.rms + amount,
            largest / size if size > 0 else largest,
            stats(error.at_frames),
            stats(error.between),
            stats(error.jumps),
            worst,
        )
        added = np.float32(amount)
        return replace(self, error=error, joint_max=self.joint_max + added, joint_rms=self.joint_rms + added)


class _Sums:
    """What was found so far, moment by moment and vertex by vertex."""

    def __init__(self, moment_count: int, vertex_count: int) -> None:
        self.maxima = np.empty(moment_count, dtype=np.float32)
        self.sums = np.zeros((GROUPS, vertex_count), dtype=np.float64)
        self.squares = np.zeros((GROUPS, vertex_count), dtype=np.float32)
        self.histogram = np.zeros((GROUPS, _core.DISTANCE_BIN_COUNT), dtype=np.int64)
        self.bounds = np.array([[np.inf] * 3, [-np.inf] * 3], dtype=np.float32)
        self.vertex, self.moment, self.farthest = 0, 0, 0.0  # jumps left out

    def add(
        self,
        part: slice,
        expected: npt.NDArray[np.float32],
        actual: npt.NDArray[np.float32],
        groups: npt.NDArray[np.int32],
    ) -> None:
        """Compare the vertices of some moments."""
        maxima = self.maxima[part]
        _core.measure_error(
            expected, actual, groups, maxima, self.sums, self.squares, self.histogram, self.bounds
        )
        here = int(np.argmax(np.where(groups == JUMPING, -1, maxima)))
        if groups[here] != JUMPING and maxima[here] > self.farthest:
            self.farthest, self.moment = float(maxima[here]), part.start + here
            away = (actual[here] - expected[here]).astype(np.float64)  # the square of a float32 may be none
            self.vertex = int(np.argmax((away**2).sum(axis=-1)))


class VertexErrorMetric:
    """Skins what two sources of palettes say of one character, and measures the distance.

    Without a mesh, or a skin, every joint (or palette row) carries a shell of four points.
    """

    def __init__(self, character: Rigged, method: str, extra_joints: Sequence[int] = ()) -> None:
        """`extra_joints` get palette rows after those of the skin, and carry shells of their own."""
        self.skeleton = character.skeleton
        self.method = method
        self.size = float(character.size)
        self.skin = character.skin if character.skin else rest_skin(self.skeleton)
        mesh = character.mesh
        self.measured = "skinned vertices"
        if mesh is None or mesh.vertex_count == 0:
            self.measured = "joint shell"
            mesh = skin_shell(self.skin, SHELL * self.size)
        if len(extra_joints):
            first = len(self.skin)
            self.skin = with_joints(self.skin, extra_joints)
            mesh = joined(mesh, joint_shell(self.skeleton, extra_joints, first, SHELL * self.size))
        self.mesh: Mesh = mesh
        self.rows = np.empty(mesh.vertex_count, dtype=np.int32)
        """Palette row of each vertex's heaviest influence."""
        mesh._skinned.heaviest_rows(self.rows)
        self._buffers = np.empty((2, 0, 3), dtype=np.float32)

    def compare(self, moments: Moments, expected_rows: Rows, actual_rows: Rows) -> VertexErrors:
        """Measure the distance of what two sources of rows, given some moments each, move the vertices to."""
        return self._summed(moments, self._run(moments, expected_rows, actual_rows))

    def _summed(self, moments: Moments, found: _Sums) -> VertexErrors:
        moment_count = int((moments.groups != JUMPING).sum())
        joint_max, joint_rms = self._by_row(found.squares[STEADY], found.sums[STEADY], moment_count)
        error = self._error(moments.groups, found)
        return VertexErrors(error, found.bounds, found.vertex, found.moment, joint_max, joint_rms)

    def _run(self, moments: Moments, expected_rows: Rows, actual_rows: Rows, most: float = math.inf) -> _Sums:
        """Go through the moments, until a distance is above `most`."""
        found = _Sums(len(moments.times), self.mesh.vertex_count)
        for part in self._chunks(len(moments.times)):
            if found.farthest > most:
                break
            groups = np.ascontiguousarray(moments.groups[part])
            expected, actual = self._room(len(groups))
            self._deform(expected_rows(part), expected)
            self._deform(actual_rows(part), actual)
            found.add(part, expected, actual, groups)
        found.bounds.flags.writeable = False
        return found

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

    def _error(self, groups: npt.NDArray[np.int32], found: _Sums) -> ClipError:
        def stats(*wanted: int) -> ErrorStats | None:
            inside = np.isin(groups, wanted)
            moments = int(inside.sum())
            if not moments:
                return None
            largest = float(found.maxima[inside].max())
            total = moments * self.mesh.vertex_count
            reached = np.cumsum(found.histogram[list(wanted)].sum(axis=0))
            # The bin that holds the distance which 99 of 100 do not pass; its end, so that it is not
            # understated.
            end = _core.distance_bin_end(int(np.searchsorted(reached, np.ceil(0.99 * total))))
            rms = float(np.sqrt(found.sums[list(wanted)].sum() / total))
            return ErrorStats(largest, min(end, largest), rms, moments)

        at_frames = stats(AT_FRAMES)
        steady = stats(*STEADY)
        assert at_frames is not None
        assert steady is not None
        relative = steady.max / self.size if self.size > 0 else steady.max
        return ClipError(
            steady.max, steady.p99, steady.rms, relative, at_frames, stats(BETWEEN), stats(JUMPING)
        )
