# SPDX-License-Identifier: MIT
"""What key reduction computes once for a window of a clip: poses, levers, errors of whole tracks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom.clip._clip_error import JointShellMetric, posed
from lissom.clip._tracks import (
    COLUMNS,
    CUBICSPLINE,
    ROTATION,
    SCALE,
    STEP,
    TRANSLATION,
    WEIGHT,
    Track,
    all_tracks,
)
from lissom.clip._windows import Window

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Measure:
    """What the errors of tracks are measured by, the same in all windows of a clip.

    Attributes
    ----------
    shells : JointShellMetric or None
        None for the change of each component of a pose, relative to `largest`.
    limit : float
        No track is allowed an error above it.
    weight_lever : float or ndarray, shape (M,)
        What an error of 1 of a weight counts as, in model units.
    largest : ndarray, shape (J,)
        Lengths of the longest translations, or 1.
    first, first_weights : ndarray, shapes (J, 10) and (M,)
        Pose and weights at the start of the clip, which tracks of one key have.
    """

    shells: JointShellMetric | None
    limit: float
    weight_lever: float | Floats
    largest: Floats
    first: Floats
    first_weights: Floats


@dataclass(frozen=True)
class TrackErrors:
    """The errors of each track without keys, and with the first of its keys alone, (T,)."""

    removed: Floats
    one_key: Floats

    def over(self, other: TrackErrors) -> TrackErrors:
        """Return the errors over both of two windows."""
        return TrackErrors(np.maximum(self.removed, other.removed), np.maximum(self.one_key, other.one_key))


class Reduction:
    """A window of a clip with its poses and levers."""

    def __init__(self, window: Window, measure: Measure) -> None:
        self.window, self.measure = window, measure
        self.clip: Clip = window.part()
        self.tracks: list[Track] = all_tracks(self.clip)
        self.times = window.keys if _is_largest_at_keys(self.clip, self.tracks) else window.times
        self.poses: NDArray[Any] = posed(self.clip, self.times)
        self.ancestors = _ancestors(self.clip.skeleton)

    @cached_property
    def levers(self) -> dict[int, Floats]:
        """Distances that an error of 1 in each path of each joint causes, (N, J), and of weights, (N, M)."""
        measure = self.measure
        if measure.shells is None:
            same = np.ones(self.poses.shape[:2])
            levers = {TRANSLATION: same / measure.largest, ROTATION: same, SCALE: same}
        else:
            levers = _levers(self.clip.skeleton, self.poses.astype(np.float64), measure.shells.offsets)
        levers[WEIGHT] = np.broadcast_to(measure.weight_lever, (len(self.times), len(self.clip.morph_names)))
        return levers

    def track_errors(self) -> TrackErrors:
        """Return the errors of the tracks in this window; infinite for STEP tracks."""
        weights = self.clip.morphs(self.times, loop=False).astype(np.float64)
        rest = self.clip.skeleton.rest.astype(np.float64)  # `posed` adds additive poses to it, too
        rest_weights = self.clip._rest_weights().astype(np.float64)
        removed, one_key = np.full((2, len(self.tracks)), np.inf)
        for i, track in enumerate(self.tracks):
            if track.interpolation == STEP:
                continue
            if track.path == WEIGHT:
                of_joint: Any = (track.joint, None)
                values, base, first = weights[:, track.joint, None], rest_weights, self.measure.first_weights
            else:
                of_joint = (track.joint, COLUMNS[track.path])
                values = self.poses[:, track.joint, COLUMNS[track.path]].astype(np.float64)
                base, first = rest, self.measure.first
            lever = self.levers[track.path][:, track.joint]
            removed[i] = (_distances(values, base[of_joint]) * lever).max()
            one_key[i] = (_distances(values, first[of_joint]) * lever).max()
        return TrackErrors(removed, one_key)


def _is_largest_at_keys(clip: Clip, tracks: Sequence[Track]) -> bool:
    """Return whether errors are, mostly, largest at keys, so that a search may measure there.

    Not of frames of uniform clips, which are interpolated otherwise, nor of cubic splines, which wave between
    keys. Where a joint grows from nothing at a key, what it carries has errors after it alone.
    """

    def scales(track: Track) -> bool:
        return track.path == SCALE and bool((track.values[1:] != track.values[:-1]).any())

    waves = clip.uniform or (clip._table["interpolation"] == CUBICSPLINE).any()
    return not waves and not any(scales(track) for track in tracks)


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
