# SPDX-License-Identifier: MIT
"""Error metrics of edited clips: distances of joint shells, or of the vertices of a character."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._rig.rigged import Rigged
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom._rig.skin import Palette
from lissom.clip._additive import add_layer
from lissom.clip._frames import JUMPING, Moments
from lissom.clip._joint_shells import SHELL, mesh_and_size
from lissom.clip._report import ClipReport
from lissom.clip._tracks import all_tracks
from lissom.clip._vertex_error import MorphSource, PaletteSource, VertexErrorMetric

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

CHUNK_JOINTS = 1 << 14
"""Joints measured at a time: their matrices are 2 MiB."""

BOUND = 0.25  # of a vertex's weights: a joint's shell encloses vertices from this weight on

COLLAPSED = 1e-6  # rest scales below this count as 1: no offset along a collapsed axis has a length


@dataclass(frozen=True)
class ClipDistances:
    """Statistics of the distances between two clips, in model units."""

    max: float
    p99: float
    rms: float
    worst: str | int
    worst_time: float
    jumps: float | None
    weights: float = 0.0
    """Largest difference of a weight of a morph target."""


def metric_of(clip: Clip, character: Rigged | None, function: str) -> Metric:
    """Choose the error metric: vertices of a character whose mesh is a measure, else joint shells."""
    if character is None:
        return JointShellMetric(clip.skeleton, clip.skeleton.size)
    if not isinstance(character, Rigged):
        raise TypeError(f"{function}: character must be a Character, got {type(character).__name__}")
    check_same_skeleton(clip.skeleton, character.skeleton, f"{function}: {character.name!r}")
    mesh, size = mesh_and_size(character)
    return JointShellMetric(clip.skeleton, size) if mesh is None else VertexMetric(character, clip)


def report_of(
    before: Clip, after: Clip, measured: ClipDistances, metric: Metric, rate: float | None
) -> ClipReport:
    """Make the report of an edit, with what was measured and saved."""
    return ClipReport(
        measured.max,
        measured.p99,
        measured.rms,
        relative(measured, metric),
        metric.size,
        metric.measured,
        measured.worst,
        measured.worst_time,
        measured.jumps,
        rate,
        int(before._table["key_count"].sum()),
        int(after._table["key_count"].sum()),
        _byte_count(before),
        _byte_count(after),
        measured.weights,
    )


def relative(measured: ClipDistances, metric: Metric) -> float:
    """Return the largest distance as a fraction of the size; the distance itself where the size is 0."""
    return measured.max / metric.size if metric.size > 0 else measured.max


def excess(measured: ClipDistances, metric: Metric) -> float:
    """Return what a bound in fractions of the size holds for: distances, and weights, whose 1 is a size.

    Weights count in distances alone where the metric morphs the vertices that it measures.
    """
    share = relative(measured, metric)
    return share if metric.morph_reach is not None else max(share, measured.weights)


def weight_error(before: Clip, after: Clip, moments: Moments) -> float:
    """Return the largest difference of a weight of a morph target, but where STEP tracks jump."""
    if not (len(before.weight_tracks) or len(after.weight_tracks)):
        return 0.0
    times = moments.times[moments.groups != JUMPING]
    worst = 0.0
    for part in _chunks(len(times), len(before.morph_names)):
        weights = (clip.morphs(times[part], loop=False).astype(np.float64) for clip in (before, after))
        worst = max(worst, float(np.abs(np.subtract(*weights)).max(initial=0.0)))
    return worst


class JointShellMetric:
    """Measures each joint at four points: its origin, and one point along each of its axes.

    The distance of the points from the origin (`radii`) is that to the farthest child, at least 3 % of the
    size, in model space at rest, so that scales of parents do not shrink it; the metric follows Frechette,
    "Measuring Animation Compression Accuracy" (2016). The error of a joint is the largest distance of its
    four points in model space, computed in float64, so the errors of its parents count.
    """

    measured = "joint shell"
    morph_reach: NDArray[np.float64] | None = None

    def __init__(self, skeleton: Skeleton, size: float, min_radii: NDArray[np.float64] | None = None) -> None:
        """`min_radii`, (J,), are lower bounds of the radii, in model units."""
        self.skeleton = skeleton
        self.size = float(size)
        rest = skeleton.rest.astype(np.float64)
        scales = rest[:, 7:]
        scales[np.abs(scales) < COLLAPSED] = 1
        model = skeleton.model_matrices(rest)
        self.radii = np.full(len(rest), SHELL * self.size)
        children = np.flatnonzero(skeleton.parents >= 0)
        parents = skeleton.parents[children]
        bone_lengths = np.linalg.norm(model[children, :3, 3] - model[parents, :3, 3], axis=1)
        np.maximum.at(self.radii, parents, bone_lengths)
        if min_radii is not None:
            np.maximum(self.radii, min_radii, out=self.radii)
        axis_lengths = np.linalg.norm(model[:, :3, :3], axis=1)  # (J, 3)
        self.offsets = self.radii[:, None] / axis_lengths  # (J, 3) along each axis, in the joint's own space

    def errors(
        self, before: Clip, after: Clip, times: NDArray[np.float64]
    ) -> Iterator[tuple[slice, NDArray[np.float64]]]:
        """Yield parts of the times, and the error (n, J) of each joint at each of them, in model units."""
        for part in _chunks(len(times), len(self.skeleton)):
            yield part, self.pose_errors(posed(before, times[part]), posed(after, times[part]))

    def pose_errors(self, before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.float64]:
        """Return the error (N, J) of each joint of local poses (N, J, 10)."""
        result = np.empty(before.shape[:-1])
        _core.joint_distances(self.skeleton.parents, self.offsets, before, after, result)
        return result

    def measure(self, before: Clip, after: Clip, moments: Moments) -> ClipDistances:
        """Return the statistics of the errors at some moments, each joint counted once."""
        steady_count = int((moments.groups != JUMPING).sum()) * len(self.skeleton)
        rank = int(np.ceil(0.99 * steady_count)) - 1
        highest = Highest(steady_count - rank)
        worst, worst_joint, worst_time, squares, jumps = 0.0, 0, before.start, 0.0, None
        for part, errors in self.errors(before, after, moments.times):
            jumping = moments.groups[part] == JUMPING
            if jumping.any():
                jumps = max(jumps or 0.0, float(errors[jumping].max(initial=0)))
            steady, times = errors[~jumping], moments.times[part][~jumping]
            if not steady.size:
                continue
            time, joint = np.unravel_index(np.argmax(steady), steady.shape)
            if steady[time, joint] > worst or not squares:
                worst, worst_joint, worst_time = float(steady[time, joint]), int(joint), float(times[time])
            squares += float(np.sum(steady**2))
            highest.add(steady)
        weights = weight_error(before, after, moments)
        if not steady_count:
            return ClipDistances(0.0, 0.0, 0.0, "", before.start, None, weights)
        return ClipDistances(
            worst,
            highest.least(),
            float(np.sqrt(squares / steady_count)),
            self.skeleton.names[worst_joint],
            worst_time,
            jumps,
            weights,
        )


class Highest:
    """The highest of many numbers, of which few are kept at a time."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.numbers = np.empty(0)
        self.bar = -np.inf  # as many as are kept reach it

    def add(self, numbers: NDArray[np.float64]) -> None:
        """Add numbers, of any shape."""
        self.numbers = np.concatenate([self.numbers, numbers[numbers > self.bar]])
        if len(self.numbers) > 2 * self.count:
            self._prune()

    def least(self) -> float:
        """Return the lowest of the highest."""
        self._prune()
        return float(self.bar)

    def _prune(self) -> None:
        if len(self.numbers) >= self.count:
            self.numbers = np.partition(self.numbers, len(self.numbers) - self.count)[-self.count :]
            self.bar = self.numbers.min()


class VertexMetric:
    """Measures the vertices of a character, both clips skinned by its method.

    Attributes
    ----------
    morph_reach : ndarray, shape (M,), or None
        How far a weight of 1 of each morph target moves a vertex at most, in model units; vertices are
        morphed then. None where the mesh has not the morph targets of the clip.
    """

    measured = "vertices"

    def __init__(self, character: Rigged, clip: Clip) -> None:
        self.character = character
        self.vertex_metric = VertexErrorMetric(character, character.method)
        self.size = self.vertex_metric.size
        morphs = self.vertex_metric.mesh.morphs
        self.morph_reach: NDArray[np.float64] | None = None
        if morphs is not None and morphs.names == clip.morph_names:
            lengths = np.linalg.norm(morphs.positions.astype(np.float64), axis=1)
            target = np.repeat(np.arange(len(morphs)), np.diff(morphs.offsets))
            self.morph_reach = np.zeros(len(morphs))
            np.maximum.at(self.morph_reach, target, lengths)

    def measure(self, before: Clip, after: Clip, moments: Moments) -> ClipDistances:
        """Return the statistics of the distances at some moments."""

        def palettes(clip: Clip) -> PaletteSource:
            return lambda part: self._palette(clip, moments.times[part])

        def weights(clip: Clip) -> MorphSource:
            return lambda part: posed_weights(clip, moments.times[part]).astype(np.float32)

        morphs = None if self.morph_reach is None else (weights(before), weights(after))
        errors = self.vertex_metric.compare(moments, palettes(before), palettes(after), morphs)
        error = errors.error
        return ClipDistances(
            error.max,
            error.p99,
            error.rms,
            errors.worst_vertex,
            float(moments.times[errors.worst_moment]),
            None if error.jumps is None else error.jumps.max,
            weight_error(before, after, moments),
        )

    def shells(self) -> JointShellMetric:
        """Return joint shells that enclose the vertices bound to each joint, which weigh joints by them."""
        skeleton, skin, mesh = self.character.skeleton, self.vertex_metric.skin, self.vertex_metric.mesh
        rest = skeleton.rest.astype(np.float64)
        vertices = self.character.deform(rest, method="linear")
        joints = skin.joints[mesh.indices]  # (V, K)
        distances = np.linalg.norm(vertices[:, None] - skeleton.positions(rest)[joints], axis=-1)
        radii = np.zeros(len(skeleton))
        np.maximum.at(radii, joints, np.where(mesh.weights >= BOUND, distances, 0))
        return JointShellMetric(skeleton, self.size, radii)

    def _palette(self, clip: Clip, times: NDArray[np.float64]) -> Any:
        return Palette._of_poses(self.vertex_metric.skin, clip.skeleton, posed(clip, times))


Metric = JointShellMetric | VertexMetric


def posed(clip: Clip, times: NDArray[np.float64]) -> NDArray[Any]:
    """Sample poses to measure: those of an additive clip are added to the rest pose."""
    poses = clip.sample(times, loop=False)
    return add_layer(clip.skeleton.rest, poses) if clip.additive else poses


def posed_weights(clip: Clip, times: NDArray[np.float64]) -> NDArray[Any]:
    """Sample weights to measure: those of an additive clip are added to the defaults."""
    weights = clip.morphs(times, loop=False)
    return weights + clip.morph_defaults if clip.additive else weights


def _chunks(count: int, joint_count: int) -> Iterator[slice]:
    step = max(1, CHUNK_JOINTS // max(joint_count, 1))
    return (slice(begin, min(begin + step, count)) for begin in range(0, count, step))


def _byte_count(clip: Clip) -> int:
    """Return the bytes that the clip alone stores: many clips of a file may share one array of keys."""
    timelines = np.unique(clip._table[["times", "key_count"]])  # stored once where tracks share them
    values = sum(track.values.size for track in all_tracks(clip))
    return (int(timelines["key_count"].sum()) + values) * clip.keys.itemsize + clip._table.nbytes
