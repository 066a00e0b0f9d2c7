# SPDX-License-Identifier: MIT
"""Key reduction: the same motion with fewer keys, within an error bound in model space."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import check_number
from lissom.clip._frames import Moments
from lissom.clip._segments import Segments
from lissom.clip._tracks import (
    COLUMNS,
    CUBICSPLINE,
    LINEAR,
    ROTATION,
    SCALE,
    STEP,
    TRANSLATION,
    WEIGHT,
    Track,
    all_tracks,
)
from lissom.quat import align

if TYPE_CHECKING:
    from lissom._base.doors import Character
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

Floats = NDArray[np.float64]
Kept = list[NDArray[np.intp]]

# The bound holds for the error of all tracks together, so each joint's tracks get a share of it. Shares start
# so large that they hardly ever limit, and shrink where the error of the whole clip is too large.
LARGEST_SHARE = 4.0
WEIGHT_SHARE = 0.999  # of weights, whose errors do not add up: the rest is for rounding
SHRINK = (0.5, 0.9)  # factors on the shares of a joint over the bound and of its ancestors: smallest, largest
SHRINK_POWER = 0.7
MOST_SHRINKS = 40
GROW = 1.3  # factor on the shares that may still grow, once the whole clip is within the bound
MOST_GROWTHS = 16

# Vertices may be farther from a joint than its shell, or nearer, so the bound of the shells is searched, from
# the largest down; as a multiple of the bound of the vertices.
FIRST_SHELL_BOUND = 4.0
MOST_SHELL_BOUNDS = 24

# A track whose error as one key is below this part of the limit becomes one key: no share is that small, and
# tracks that do not move have the most segments to compute.
STILL = 1 / 256

ROUNDING = 4.0  # units of the last place: the error of a component of a pose that max_error=0 allows


def optimized(self: Clip, max_error: float = 1e-3, *, character: Character | None = None) -> Clip:
    """Leave out keys that the motion does not need, within an error measured in model space.

    A key of a LINEAR track is left out where interpolating its neighbours is good enough; a track that hardly
    moves becomes one key, and one that hardly leaves the rest pose is removed. The error is measured on the
    whole clip, at all of its key times and at 1/4, 1/2 and 3/4 between them, and stated in `Clip.report`: a
    joint with many descendants is allowed a smaller error than a finger.

    Parameters
    ----------
    max_error : float
        Largest error allowed, as a fraction of size: 0.001 is a thousandth; a weight of 1 of a morph target
        counts as the size, unless a `character` has it. 0 leaves out only keys that change poses by no more
        than rounding.
    character : Character, optional
        Measure at its vertices, skinned by its method, and relative to its size; where it has the morph
        targets of the clip they are morphed, and weights count by what they move alone. When omitted, or
        without a mesh, at a shell around each joint: see `resampled`.

    Returns
    -------
    Clip
        With a `report`. Start, end, markers, loop, root motion and the values of the keys that stay are
        unchanged; the first and the last key of a track that still moves stay.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If `max_error` is negative or not finite, or the character has other joints.

    Notes
    -----
    STEP tracks lose only keys that repeat the one before. CUBICSPLINE tracks keep all keys, or one where they
    hardly move: their tangents belong to their neighbours. The remaining keys of a uniform clip slerp; where
    that alone exceeds `max_error`, the clip stays uniform and loses only tracks.

    For each track, the error of every segment between two keys is computed once, weighted by how far it moves
    the descendants; the fewest segments within a share of `max_error` are then a shortest path. Shares shrink
    along the chains on which the error of the whole clip is too large, and grow where it is not. The search
    is a heuristic: a slightly larger `max_error` may, rarely, keep a key or two more.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"].optimized(1e-3)
    >>> walk.report.max_relative <= 1e-3, walk.report.keys_kept < 1
    (True, True)
    """
    from lissom.clip._clip_error import JointShellMetric, excess, metric_of, report_of

    max_error = check_number(max_error, "Clip.optimized: max_error", least=0)
    metric = metric_of(self, character, "Clip.optimized")
    moments = Moments.of_keys(self)
    shells = metric if isinstance(metric, JointShellMetric) else metric.shells()
    bound = max_error * (metric.size if metric.size > 0 else 1.0)
    factor = 1.0 if metric is shells else FIRST_SHELL_BOUND
    result = None
    if bound > 0 and len(self._table):
        # An error of a weight counts by how far it moves vertices, or, where that is not known, as the size.
        lever = factor * bound / max_error if metric.morph_reach is None else metric.morph_reach
        reduction = _Reduction(self, moments, shells, LARGEST_SHARE * bound * factor, lever)
        for _ in range(MOST_SHELL_BOUNDS):
            result = reduction.within(factor * bound)
            if result is None:
                break
            measured = metric.measure(self, result, moments)
            over = excess(measured, metric) / max_error
            if over <= 1:
                break
            result = None
            factor *= min(max(over**-SHRINK_POWER, SHRINK[0]), SHRINK[1])
    if result is None:
        result = _Reduction(self, moments, None, ROUNDING * float(np.finfo(self.keys.dtype).eps)).exact()
        measured = metric.measure(self, result, moments)
    result._report = report_of(self, result, measured, metric, None)
    return result


class _Reduction:
    """The data computed once for a clip: its poses, the levers of its joints, the error of every segment.

    Without `shells` the error is the change of each component of a pose, and `limit` the bound on it. An
    error of 1 of a weight counts as `weight_lever`, in model units.
    """

    def __init__(
        self, clip: Clip, moments: Moments, shells: Any, limit: float, weight_lever: float | Floats = 1.0
    ) -> None:
        from lissom.clip._clip_error import posed

        self.clip = clip
        self.times = moments.times
        self.weights = clip.morphs(self.times, loop=False).astype(np.float64)
        self.shells = shells
        self.limit = limit
        self.tracks = all_tracks(clip)
        # Weights of morph targets have no hierarchy: the share after those of all joints is theirs.
        table, joint_count = clip._table, len(clip.skeleton)
        self.joints = np.where(table["path"] == WEIGHT, joint_count, table["joint"])
        self.poses = posed(clip, self.times).astype(np.float64)
        if shells is None:
            same = np.ones(self.poses.shape[:2])
            largest = np.abs(self.poses[..., :3]).max(axis=(0, 2), initial=0)
            levers = {TRANSLATION: same / np.where(largest > 0, largest, 1), ROTATION: same, SCALE: same}
            most = np.abs(self.weights).max(axis=0, initial=0)
            levers[WEIGHT] = np.broadcast_to(1 / np.where(most > 0, most, 1), self.weights.shape)
        else:
            levers = _levers(clip.skeleton, self.poses, shells.offsets)
            levers[WEIGHT] = np.broadcast_to(weight_lever, self.weights.shape)
        self._measure_tracks(levers)
        self.ancestors = _ancestors(clip.skeleton)

    def exact(self) -> Clip:
        """Leave out keys within `limit`; of a uniform clip whole tracks only: fewer keys would slerp."""
        kept = self._kept(np.full(len(self.tracks), self.limit))
        if self.clip.uniform:
            kept = [
                np.arange(len(track.times)) if len(keys) else keys
                for track, keys in zip(self.tracks, kept, strict=True)
            ]
        return self._clip(kept, uniform=self.clip.uniform)

    def within(self, bound: float) -> Clip | None:
        """Leave out as many keys as the search finds within `bound` at all shells; None if it fails."""
        shares = np.full(len(self.clip.skeleton), LARGEST_SHARE)
        low, high = SHRINK
        for _ in range(MOST_SHRINKS):
            clip, excess = self._tried(shares, bound)
            if excess.max(initial=0) <= 1:
                break
            factors = np.where(excess > 1, np.clip(np.maximum(excess, 1) ** -SHRINK_POWER, low, high), 1)
            shares = shares * np.where(self.ancestors, factors[:, None], 1).min(axis=0)
        else:
            return None
        growing = shares < LARGEST_SHARE
        for _ in range(MOST_GROWTHS):
            if not growing.any():
                break
            larger = np.where(growing, np.minimum(GROW * shares, LARGEST_SHARE), shares)
            tried, excess = self._tried(larger, bound)
            if excess.max(initial=0) > 1:
                growing &= ~self.ancestors[excess > 1].any(axis=0)
                continue
            shares = larger
            growing &= shares < LARGEST_SHARE
            if tried._table["key_count"].sum() <= clip._table["key_count"].sum():
                clip = tried
        return clip

    def _tried(self, shares: Floats, bound: float) -> tuple[Clip, Floats]:
        """Return the clip for some shares, and the largest error of each joint as a fraction of the bound."""
        from lissom.clip._clip_error import posed

        clip = self._clip(self._kept(np.append(shares, WEIGHT_SHARE)[self.joints] * bound))
        return clip, self.shells.pose_errors(self.poses, posed(clip, self.times)).max(axis=0) / bound

    def _values(self, track: Track) -> Floats:
        """Return the values of a track at all moments, (N, W)."""
        if track.path == WEIGHT:
            return self.weights[:, track.joint, None]
        return self.poses[:, track.joint, COLUMNS[track.path]]

    def _rest_value(self, track: Track) -> NDArray[Any]:
        """Return what a track's joint or morph target does without it, (W,), in the type of the keys."""
        if track.path == WEIGHT:
            return self.clip._rest_weights()[track.joint, None]
        return self.clip._rest()[track.joint, COLUMNS[track.path]]

    def _measure_tracks(self, levers: dict[int, Floats]) -> None:
        """Compute the error of each track without keys, with one key, and of its segments."""
        rest = self.clip.skeleton.rest.astype(np.float64)  # `posed` adds additive poses to it, too
        self.error_removed = np.full(len(self.tracks), np.inf)
        self.error_one_key = np.full(len(self.tracks), np.inf)
        classes: dict[tuple[bool, int], list[int]] = {}  # padded to a power of two, computed at once
        for i, track in enumerate(self.tracks):
            if track.interpolation == STEP:
                continue
            values, lever = self._values(track), levers[track.path][:, track.joint]
            if track.path == WEIGHT:
                rest_value = self._rest_value(track).astype(np.float64)
            else:
                rest_value = rest[track.joint, COLUMNS[track.path]]
            self.error_removed[i] = (_distances(values, rest_value) * lever).max()
            self.error_one_key[i] = (_distances(values, values[:1]) * lever).max()
            count = len(track.times)
            moves = min(self.error_removed[i], self.error_one_key[i]) > STILL * self.limit
            if track.interpolation == LINEAR and count > 2 and moves:
                classes.setdefault((track.path == ROTATION, (count - 1).bit_length()), []).append(i)
        self.segments = [(np.array(ids), self._segments_of(ids, levers)) for ids in classes.values()]

    def _segments_of(self, ids: Sequence[int], levers: dict[int, Floats]) -> Segments:
        times, values, weights = [], [], []
        for i in ids:
            track = self.tracks[i]
            seconds, points = track.times.astype(np.float64), track.values.astype(np.float64)
            if track.path == ROTATION:
                points = align(points / np.linalg.norm(points, axis=1, keepdims=True))
            times.append(seconds)
            values.append(points)
            weights.append(levers[track.path][np.searchsorted(self.times, seconds), track.joint])
        return Segments(times, values, weights, self.limit)

    def _kept(self, bounds: Floats) -> Kept:
        """Return the keys that each track keeps within its bound; none of a track that is removed."""
        first, none = np.zeros(1, np.intp), np.zeros(0, np.intp)
        kept: Kept = [np.arange(len(track.times)) for track in self.tracks]
        for ids, segments in self.segments:
            for i, keys in zip(ids, segments.kept(bounds[ids]), strict=True):
                kept[i] = keys
        for i, track in enumerate(self.tracks):
            if track.interpolation == STEP:
                changes = (track.values[1:] != track.values[:-1]).any(axis=1)
                kept[i] = np.flatnonzero(np.concatenate([[True], changes]))
                if len(kept[i]) == 1 and (track.values[0] == self._rest_value(track)).all():
                    kept[i] = none
            elif self.error_removed[i] <= bounds[i]:
                kept[i] = none
            elif self.error_one_key[i] <= bounds[i]:
                kept[i] = first
        return self._spanning(kept)

    def _spanning(self, kept: Kept) -> Kept:
        """Ensure that some key remains at the start and some at the end, so that the clip keeps its times."""
        for index, time in ((0, self.clip.start), (-1, self.clip.end)):
            candidates = [i for i, track in enumerate(self.tracks) if track.times[index] == time]
            if any(len(kept[i]) and self.tracks[i].times[kept[i][index]] == time for i in candidates):
                continue
            # Prefer a track that stays anyway, else the one with the fewest keys.
            chosen = min(
                candidates, key=lambda i: (not len(kept[i]), len(self.tracks[i].times)), default=None
            )
            if chosen is not None:
                key = 0 if index == 0 else len(self.tracks[chosen].times) - 1
                kept[chosen] = np.union1d(kept[chosen], [key])
        return kept

    def _clip(self, kept: Kept, uniform: bool = False) -> Clip:
        timelines: dict[tuple[int, bytes], NDArray[Any]] = {}  # tracks that keep the same keys share them
        tracks: list[Track] = []
        for track, keys in zip(self.tracks, kept, strict=True):
            if len(keys):
                times = timelines.setdefault((id(track.times), keys.tobytes()), track.times[keys])
                values = track.values[keys]
                if track.interpolation == CUBICSPLINE and len(keys) < len(track.times):
                    values[:, ::2] = 0
                tracks.append(replace(track, times=times, values=values))
        return self.clip._edited(tracks, loop=self.clip.loop, uniform=uniform)


def _distances(values: Floats, other: Floats) -> Floats:
    """Return the distances of vectors, or 2 sin(angle / 2) of rotations, which is 0 for equal quaternions."""
    if values.shape[-1] != 4:
        return np.asarray(np.linalg.norm(values - other, axis=-1))
    chord = np.minimum(np.linalg.norm(values - other, axis=-1), np.linalg.norm(values + other, axis=-1))
    return np.asarray(2 * chord * np.sqrt(np.maximum(1 - chord**2 / 4, 0)))


def _levers(skeleton: Skeleton, poses: Floats, offsets: Floats) -> dict[int, Floats]:
    """Return bounds of how far an error of 1 in a path of each joint moves its subtree: (N, J) model units.

    The radius is the length of the longest chain of bones, which bent chains do not reach: measuring the
    whole clip corrects that.
    """
    scales = np.abs(poses[..., 7:]).max(axis=-1)
    lengths = np.linalg.norm(poses[..., :3], axis=-1)
    radii = np.tile(offsets.max(axis=1), (len(poses), 1))  # in the joint's own space
    model_scales = np.ones_like(scales)  # of lengths in the parent's space
    for joint in range(len(skeleton) - 1, -1, -1):
        parent = skeleton.parents[joint]
        if parent >= 0:
            radius_in_parent = lengths[:, joint] + scales[:, joint] * radii[:, joint]
            np.maximum(radii[:, parent], radius_in_parent, out=radii[:, parent])
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            model_scales[:, joint] = model_scales[:, parent] * scales[:, parent]
    return {TRANSLATION: model_scales, ROTATION: model_scales * scales * radii, SCALE: model_scales * radii}


def _ancestors(skeleton: Skeleton) -> NDArray[np.bool_]:
    """Return which joints (columns) move each joint (rows): itself and its ancestors."""
    ancestors = np.eye(len(skeleton), dtype=bool)
    for joint, parent in enumerate(skeleton.parents):
        if parent >= 0:
            ancestors[joint] |= ancestors[parent]
    return ancestors
