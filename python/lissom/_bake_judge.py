# SPDX-License-Identifier: MIT
"""Measuring a bake: source and bake are skinned by the same method, at frames and between them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
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


Rows = Callable[[slice], Any]
"""Makes the palette of a part of the moments."""

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

    def raised(self, amount: float, size: float) -> Measured:
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


class _Found:
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


class Judge:
    """Skins source clips and bakes of one character and measures the distance.

    Without a mesh, or a skin, every joint (or palette row) carries a shell of four points.
    """

    def __init__(self, character: Character, method: str, extra_joints: Sequence[int] = ()) -> None:
        """`extra_joints` get palette rows after those of the skin, and carry shells of their own."""
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
        if len(extra_joints):
            first = len(self.skin)
            self.skin = _with_joints(self.skin, extra_joints)
            mesh = _joined(mesh, _joint_shell(self.skeleton, extra_joints, first, SHELL * self.size))
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
        measured = self.measure_up_to(math.inf, clip, layout, texels, rig)
        assert measured is not None
        return measured

    def measure_up_to(
        self, most: float, clip: Clip, layout: Layout, texels: Texels, rig: Rig | None
    ) -> Measured | None:
        """Measure one baked clip against its source; None as soon as a distance is above `most`."""
        moments = Moments.of_frames(clip, len(texels.array) - 1)
        distances = self._run(moments, *self._rows(moments, clip, layout, texels, rig), most)
        if distances.farthest > most:
            return None
        found = self._summed(moments, distances)
        worst = WorstVertex(
            found.vertex,
            self.skeleton.names[self.skin.joints[self.rows[found.vertex]]],
            float(moments.times[found.moment]),
            float(moments.coordinates[found.moment]),
            found.error.max,
            bool(moments.groups[found.moment] == AT_FRAMES),
        )
        return replace(found, error=replace(found.error, worst=worst))

    def loss_at_frames(self, clip: Clip, layout: Layout, texels: Texels, rig: Rig | None, most: int) -> float:
        """Give the largest distance at some of the frames: what the stored type costs."""
        moments = Moments.of_frames(clip, len(texels.array) - 1).frames(most)
        return self._run(moments, *self._rows(moments, clip, layout, texels, rig)).farthest

    def largest_near(
        self, clip: Clip, layout: Layout, texels: Texels, rig: Rig | None, times: Sequence[float]
    ) -> float:
        """Give the largest distance within one interval of any of the times, jumps left out."""
        intervals = len(texels.array) - 1
        moments = Moments.of_frames(clip, intervals).near(times, clip.duration / max(intervals, 1))
        return self._run(moments, *self._rows(moments, clip, layout, texels, rig)).farthest

    def _rows(
        self, moments: Moments, clip: Clip, layout: Layout, texels: Texels, rig: Rig | None
    ) -> tuple[Rows, Rows]:
        """Give what makes palettes of the source and of the bake at some of the moments."""
        intervals = len(texels.array) - 1

        def baked(part: slice) -> Any:
            places = moments.coordinates[part]
            frames = np.minimum(np.floor(places), max(intervals - 1, 0)).astype(np.int32)
            nexts = np.minimum(frames + 1, intervals).astype(np.int32)
            rows = texels.sample(frames, nexts, (places - frames).astype(np.float32))
            return layout.palette(rows, self.skin, rig)

        return (lambda part: self.palette(clip, moments.times[part])), baked

    def compare(self, moments: Moments, expected_rows: Rows, actual_rows: Rows) -> Measured:
        """Measure the distance of what two sources of rows, given some moments each, move the vertices to."""
        return self._summed(moments, self._run(moments, expected_rows, actual_rows))

    def _summed(self, moments: Moments, found: _Found) -> Measured:
        moment_count = int((moments.groups != JUMPING).sum())
        joint_max, joint_rms = self._by_row(found.squares[STEADY], found.sums[STEADY], moment_count)
        error = self._error(moments.groups, found)
        return Measured(error, found.bounds, found.vertex, found.moment, joint_max, joint_rms)

    def _run(
        self, moments: Moments, expected_rows: Rows, actual_rows: Rows, most: float = math.inf
    ) -> _Found:
        """Go through the moments, until a distance is above `most`."""
        found = _Found(len(moments.times), self.mesh.vertex_count)
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

    def _error(self, groups: npt.NDArray[np.int32], found: _Found) -> ClipError:
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


def _rest_skin(skeleton: Skeleton) -> Skin:
    """Make the skin of a character that has none: every joint, bound at rest."""
    model = skeleton.model_matrices(skeleton.rest.astype(np.float64))
    return Skin(np.arange(len(skeleton)), _inverses(model).astype(np.float32))


def _with_joints(skin: Skin, joints: Sequence[int]) -> Skin:
    """Append rows that are `model_from_joint` themselves."""
    identities = np.repeat(np.eye(4, dtype=skin.joint_from_bind.dtype)[None], len(joints), axis=0)
    return Skin(
        np.concatenate([skin.joints, np.asarray(joints, skin.joints.dtype)]),
        np.concatenate([skin.joint_from_bind, identities]),
    )


def _joint_shell(skeleton: Skeleton, joints: Sequence[int], first_row: int, distance: float) -> Mesh:
    """Make the shells of joints in their own space, at the distance in model space at rest."""
    axes = skeleton.model_matrices(skeleton.rest.astype(np.float64))[list(joints), :3, :3]
    lengths = np.linalg.norm(axes, axis=1)
    reach = np.divide(distance, lengths, out=np.zeros_like(lengths), where=lengths > 0)
    offsets = np.concatenate([np.zeros((len(axes), 1, 3)), reach[:, :, None] * np.eye(3)], axis=1)
    return _points(offsets.reshape(-1, 3), first_row + np.repeat(np.arange(len(axes)), 4))


def _joined(mesh: Mesh, points: Mesh) -> Mesh:
    """Append points to a mesh's vertices."""
    wider = ((0, 0), (0, mesh.influence_count - 1))
    return Mesh(
        np.concatenate([mesh.positions, points.positions]),
        mesh.triangles,
        np.concatenate([mesh.indices, np.pad(points.indices, wider)]),
        np.concatenate([mesh.weights, np.pad(points.weights, wider)]),
        parts=(),
    )


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
    return _points(points, np.repeat(np.arange(len(skin)), 4))


def _points(positions: npt.NDArray[Any], rows: npt.NDArray[np.integer[Any]]) -> Mesh:
    """Make a mesh of points alone, each moved by one palette row."""
    weights = np.ones((len(rows), 1), dtype=np.float32)
    return Mesh(positions, np.empty((0, 3), np.uint32), rows[:, None], weights, parts=())
