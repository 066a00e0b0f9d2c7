# SPDX-License-Identifier: MIT
"""The error of a bake: source and bake are skinned by the same method, at frames and between them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom._bake.frame_sampler import FrameSampler
from lissom._bake.peaks import ROUNDS, expected_peaks
from lissom.clip._error import WorstVertex
from lissom.clip._frames import AT_FRAMES, JUMPING, Moments
from lissom.clip._vertex_error import (
    DistanceSums,
    MorphSource,
    PaletteSource,
    VertexErrorMetric,
    VertexErrors,
)

if TYPE_CHECKING:
    from lissom._bake.stored_clip import StoredClip
    from lissom._character.character import Character
    from lissom._rig.skin import Palette
    from lissom.clip import Clip

__all__ = ["BakeErrorMetric"]


class BakeErrorMetric(VertexErrorMetric):
    """Measures stored clips of one character against their source clips.

    Rows of `extra_joints` come after those of the skin; their joints are measured by shells of points.
    """

    def __init__(self, character: Character, method: str, extra_joints: Sequence[int] = ()) -> None:
        if not len(character.skeleton):
            raise ValueError(f"bake: {character.name!r} must have joints, got a skeleton without any")
        super().__init__(character, method, extra_joints)
        # Where the mesh is too small to be measured its weights are baked nonetheless.
        morphs = None if character.mesh is None else character.mesh.morphs
        self.sampler = FrameSampler(self.skeleton, self.skin, self.size, morphs or None)

    def palette(self, clip: Clip, times: npt.NDArray[np.float64]) -> Palette:
        """Return the palette of the source clip, not wrapped."""
        return self.sampler.at_times(clip, times).palette

    def measure(self, stored: StoredClip) -> VertexErrors:
        """Measure a stored clip against its source."""
        errors = self.measure_up_to(math.inf, stored)
        assert errors is not None
        return errors

    def measure_up_to(self, most: float, stored: StoredClip) -> VertexErrors | None:
        """Measure a stored clip against its source; None as soon as a distance is above `most`."""
        regular = _moments(stored)
        distances = self._measured(regular, stored, most)
        if distances.worst_distance > most:
            return None
        moments = self._add_peaks(regular, distances, stored)
        if distances.worst_distance > most:
            return None
        errors = self._errors(regular, distances)
        worst = WorstVertex(
            errors.worst_vertex,
            self.skeleton.names[self.skin.joints[self.rows[errors.worst_vertex]]],
            float(moments.times[errors.worst_moment]),
            float(moments.coordinates[errors.worst_moment]),
            errors.error.max,
            bool(moments.groups[errors.worst_moment] == AT_FRAMES),
        )
        return replace(errors, error=replace(errors.error, worst=worst))

    def _add_peaks(self, regular: Moments, distances: DistanceSums, stored: StoredClip) -> Moments:
        """Raise the largest distances to the peaks between moments; return these moments and those added.

        Means and percentiles stay those of the regular moments.
        """
        clip, intervals = stored.request.clip, stored.interval_count
        moments, measured = regular, distances.moment_max
        for _ in range(ROUNDS):
            order = np.argsort(moments.coordinates, kind="stable")
            steady = np.where(moments.groups == JUMPING, -np.inf, measured)
            coordinates = expected_peaks(moments.coordinates[order], steady[order], distances.worst_distance)
            if not len(coordinates):
                break
            added = Moments.between_frames(clip, coordinates, intervals)
            found = self._measured(added, stored)
            distances.raise_to(found, len(moments.times))
            moments, measured = moments.and_then(added), np.concatenate([measured, found.moment_max])
        return moments

    def largest_at_frames(self, stored: StoredClip, most: int) -> float:
        """Return the largest distance at up to `most` frames: the error of the stored type alone."""
        moments = _moments(stored).frames(most)
        return self._measured(moments, stored).worst_distance

    def largest_near(self, stored: StoredClip, times: Sequence[float]) -> float:
        """Return the largest distance within one interval of any of the times, except at jumps."""
        interval = stored.request.clip.duration / max(stored.interval_count, 1)
        moments = _moments(stored).near(times, interval)
        return self._measured(moments, stored).worst_distance

    def _measured(self, moments: Moments, stored: StoredClip, stop_above: float = math.inf) -> DistanceSums:
        """Sum up the distances of a stored clip from its source over moments."""
        clip = stored.request.clip
        expected: PaletteSource = lambda part: self.palette(clip, moments.times[part])  # noqa: E731
        actual: PaletteSource = lambda part: stored.palette(moments.coordinates[part], self.skin)  # noqa: E731
        return self._distances(moments, expected, actual, stop_above, self._morph_sources(moments, stored))

    def _morph_sources(self, moments: Moments, stored: StoredClip) -> tuple[MorphSource, MorphSource] | None:
        """Return functions that give the weights of source and bake at a part of the moments.

        None where both are the mesh's defaults throughout, which it is skinned with anyway.
        """
        clip, morphs = stored.request.clip, self.mesh.morphs
        if not morphs or stored.weights is None:
            return None
        if not len(clip.weight_tracks) and (stored.weights == morphs.defaults).all():
            return None
        return (
            lambda part: self.sampler.weights_at_times(clip, moments.times[part]),
            lambda part: stored.morphs(moments.coordinates[part]),
        )


def _moments(stored: StoredClip) -> Moments:
    return Moments.of_frames(stored.request.clip, stored.interval_count)
