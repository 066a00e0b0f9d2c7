# SPDX-License-Identifier: MIT
"""Measuring how far two clips of one skeleton are apart: at shells around joints or at skinned vertices."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._rig.rigged import Rigged
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip._additive import add_layer
from lissom.clip._frames import JUMPING, Moments
from lissom.clip._joint_shells import SHELL
from lissom.clip._report import ClipReport
from lissom.clip._tracks import packed, unpacked
from lissom.clip._vertex_error import VertexErrorMetric

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

CHUNK_JOINTS = 1 << 14
"""Joints measured at a time: their matrices are 2 MiB."""

BOUND = 0.25  # of a vertex's weights, from which it stands for what a joint moves

COLLAPSED = 1e-6  # a rest scale below this is no scale to hang a shell on: 1 stands for it


@dataclass(frozen=True)
class ClipDistances:
    """The distances of two clips, in model units."""

    max: float
    p99: float
    rms: float
    worst: str | int
    worst_time: float
    jumps: float | None


def metric_of(clip: Clip, character: Rigged | None, function: str) -> Metric:
    """Choose how a clip is judged: by the vertices of a character that has some, else by joints."""
    if character is None:
        return JointShellMetric(clip.skeleton, clip.skeleton.size)
    if not isinstance(character, Rigged):
        raise TypeError(f"{function}: character must be a Character, got {type(character).__name__}")
    check_same_skeleton(clip.skeleton, character.skeleton, f"{function}: {character.name!r}")
    if character.mesh is None or not character.mesh.vertex_count:
        return JointShellMetric(clip.skeleton, character.size)
    return VertexMetric(character)


def report_of(
    before: Clip, after: Clip, measured: ClipDistances, metric: Metric, rate: float | None
) -> ClipReport:
    """Write down what was measured and saved."""
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
        int(before.tracks["key_count"].sum()),
        int(after.tracks["key_count"].sum()),
        _byte_count(before),
        _byte_count(after),
    )


def relative(measured: ClipDistances, metric: Metric) -> float:
    """Give the largest distance as a fraction of the size; of 1 where there is no size."""
    return measured.max / metric.size if metric.size > 0 else measured.max


class JointShellMetric:
    """Measures each joint by what would be bound around it: itself and three points, one along each axis.

    The points keep their distance (`radii`) in model space at rest, so that scales of parents do not shrink
    them; the metric follows Frechette, "Measuring Animation Compression Accuracy" (2016). It is the distance
    to the farthest child at rest, at least 3 % of the size. The error of a joint is the largest of its four
    points in model space, computed in float64: what its parents do wrong counts.
    """

    measured = "joint shell"

    def __init__(self, skeleton: Skeleton, size: float, reach: NDArray[np.float64] | None = None) -> None:
        """`reach` (J,) is how far the points stand off at least."""
        self.skeleton = skeleton
        self.size = float(size)
        rest = skeleton.rest.astype(np.float64)
        scales = rest[:, 7:]
        scales[np.abs(scales) < COLLAPSED] = 1
        model = skeleton.model_matrices(rest)
        self.radii = np.full(len(rest), SHELL * self.size)
        children = np.flatnonzero(skeleton.parents >= 0)
        parents = skeleton.parents[children]
        bones = np.linalg.norm(model[children, :3, 3] - model[parents, :3, 3], axis=1)
        np.maximum.at(self.radii, parents, bones)
        if reach is not None:
            np.maximum(self.radii, reach, out=self.radii)
        lengths = np.linalg.norm(model[:, :3, :3], axis=1)  # (J, 3) of the axes
        self.offsets = self.radii[:, None] / lengths  # (J, 3) along each axis, in the joint's own space

    def errors(self, before: Clip, after: Clip, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the error (N, J) of each joint at each time, in model units."""
        result = np.empty((len(times), len(self.skeleton)))
        for part in _chunks(len(times), len(self.skeleton)):
            result[part] = self.between(posed(before, times[part]), posed(after, times[part]))
        return result

    def between(self, before: NDArray[Any], after: NDArray[Any]) -> NDArray[np.float64]:
        """Give the error (..., J) of each joint of local poses (..., J, 10)."""
        model = self.skeleton.model_matrices
        apart = model(np.asarray(before, np.float64)) - model(np.asarray(after, np.float64))
        moved = apart[..., :3, 3, None]
        corners = moved + apart[..., :3, :3] * self.offsets[:, None]
        squares = np.maximum((corners**2).sum(axis=-2).max(axis=-1), (moved**2).sum(axis=(-2, -1)))
        return np.asarray(np.sqrt(squares))

    def measure(self, before: Clip, after: Clip, moments: Moments) -> ClipDistances:
        """Give the distances at the given moments, each joint counted once."""
        errors = self.errors(before, after, moments.times)
        jumping = moments.groups == JUMPING
        steady, times = errors[~jumping], moments.times[~jumping]
        if not steady.size:
            return ClipDistances(0.0, 0.0, 0.0, "", before.start, None)
        time, joint = np.unravel_index(np.argmax(steady), steady.shape)
        place = int(np.ceil(0.99 * steady.size)) - 1
        return ClipDistances(
            float(steady[time, joint]),
            float(np.partition(steady, place, axis=None)[place]),
            float(np.sqrt(np.mean(steady**2))),
            self.skeleton.names[joint],
            float(times[time]),
            float(errors[jumping].max()) if jumping.any() else None,
        )


class VertexMetric:
    """Measures by the vertices of a character, both clips skinned by its method."""

    measured = "vertices"

    def __init__(self, character: Rigged) -> None:
        self.character = character
        self.measures = VertexErrorMetric(character, character.method)
        self.size = self.measures.size

    def measure(self, before: Clip, after: Clip, moments: Moments) -> ClipDistances:
        """Give the distances at the given moments."""

        def rows(clip: Clip) -> Any:
            return lambda part: self._palette(clip, moments.times[part])

        found = self.measures.compare(moments, rows(before), rows(after))
        error = found.error
        jumps = None if error.jumps is None else error.jumps.max
        return ClipDistances(
            error.max, error.p99, error.rms, found.vertex, float(moments.times[found.moment]), jumps
        )

    def shells(self) -> JointShellMetric:
        """Give shells that hold what is bound to each joint: they say which joints matter to the vertices."""
        skeleton, skin, mesh = self.character.skeleton, self.measures.skin, self.measures.mesh
        rest = skeleton.rest.astype(np.float64)
        vertices = self.character.deform(rest, method="linear")
        joints = skin.joints[mesh.indices]  # (V, K)
        away = np.linalg.norm(vertices[:, None] - skeleton.positions(rest)[joints], axis=-1)
        reach = np.zeros(len(skeleton))
        np.maximum.at(reach, joints, np.where(mesh.weights >= BOUND, away, 0))
        return JointShellMetric(skeleton, self.size, reach)

    def _palette(self, clip: Clip, times: NDArray[np.float64]) -> Any:
        return self.measures.skin.palette(clip.skeleton.model_matrices(posed(clip, times)))


Metric = JointShellMetric | VertexMetric


def posed(clip: Clip, times: NDArray[np.float64]) -> NDArray[Any]:
    """Sample poses that can be looked at: those of an additive clip are put upon the rest pose."""
    poses = clip.sample(times, loop=False)
    return add_layer(clip.skeleton.rest, poses) if clip.additive else poses


def _chunks(count: int, joint_count: int) -> Iterator[slice]:
    step = max(1, CHUNK_JOINTS // max(joint_count, 1))
    return (slice(begin, min(begin + step, count)) for begin in range(0, count, step))


def _byte_count(clip: Clip) -> int:
    """Count what the clip would store alone: many clips of a file may share one array of keys."""
    keys, tracks = packed(unpacked(clip.keys, clip.tracks), clip.keys.dtype)
    return keys.nbytes + tracks.nbytes
