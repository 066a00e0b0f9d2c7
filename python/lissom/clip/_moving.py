# SPDX-License-Identifier: MIT
"""What moves in a clip: its joints whose keys differ, when, and what they hang below."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom.clip._cuts import before
from lissom.clip._tracks import ROTATION, SCALE, STEP, TRANSLATION, packed, unpacked

if TYPE_CHECKING:
    from lissom.clip import Clip

Floats = NDArray[np.float64]

TRAVELS = 1e-4  # of the skeleton's size: less is taken for the rounding of an exporter
FLAT = 1e-9  # of the box that the axes of a matrix span: below it there is no inverse


class Moving:
    """A clip sampled in float64, and those of its joints that move.

    Parameters
    ----------
    function : str
        Who asks, for errors.
    clip : Clip
    """

    def __init__(self, function: str, clip: Clip) -> None:
        self.function = function
        self.clip = clip
        self.skeleton = clip.skeleton
        tracks = unpacked(clip.keys, clip.tracks)  # the keys may be a file's buffer, with other things in it
        keys, table = packed(tracks, np.dtype(np.float64))
        self._exact = type(clip)(clip.name, clip.skeleton, keys, table, loop=False, uniform=clip.uniform)
        self._tracks = [track for track in tracks if (track.values != track.points[0]).any()]
        self._above: list[list[int]] = []  # of each joint, nearest first
        self._below = np.ones(len(self.skeleton), int)  # joints from here down
        for parent in self.skeleton.parents.tolist():
            self._above.append([] if parent < 0 else [parent, *self._above[parent]])
        for joint in range(len(self.skeleton)):
            self._below[self._above[joint]] += 1

    @cached_property
    def size(self) -> float:
        """The unit of errors: the skeleton's size; where all joints are at one place, how far they get."""
        if self.skeleton.size > 0 or not len(self.skeleton):
            return self.skeleton.size or 1.0
        times = np.unique(np.concatenate([[self.clip.start], *(track.times for track in self._tracks)]))
        places = self.skeleton.positions(self.poses(times.astype(np.float64)))
        return float(np.linalg.norm(np.ptp(places, axis=(0, 1)))) or 1.0

    def topmost(self) -> int | None:
        """Give the joint that carries the character; None where nothing moves."""
        rest = self.skeleton.model_matrices(self.skeleton.rest.astype(np.float64))
        small = TRAVELS * self.size
        found: dict[int, list[int]] = {TRANSLATION: [], ROTATION: [], SCALE: []}
        for track in self._tracks:
            if track.path == TRANSLATION:
                parent = int(self.skeleton.parents[track.joint])
                points = track.points.astype(np.float64)
                moved = points if parent < 0 else points @ rest[parent, :3, :3].T
                if np.linalg.norm(np.ptp(moved, axis=0)) <= small:
                    continue
            found[track.path].append(track.joint)
        turned = max(found[ROTATION], key=self._rank, default=None)
        moved = max(found[TRANSLATION], key=self._rank, default=turned)
        if moved is None or turned is None or 2 * self._below[moved] >= self._below[turned]:
            return moved
        return turned  # what is moved is a prop, or a finger

    def _rank(self, joint: int) -> tuple[int, int]:
        return int(self._below[joint]), -joint

    def branches(self, joint: int) -> list[int]:
        """Give `joint`, and what hangs beside it, or beside one above it, and moves or carries what moves."""
        moving = {j for track in self._tracks for j in (track.joint, *self._above[track.joint])}
        above = set(self._above[joint])
        beside = [j for j in moving - above - {joint} if above.issuperset(self._above[j][:1])]
        return [joint, *sorted(beside)]

    def times(self, joint: int) -> Floats:
        """Give the key times of a joint's place and turn and of all above it, with the clip's two ends."""
        chosen = [np.array([self.clip.start, self.clip.end])]
        for track in self._tracks:
            if (track.joint == joint and track.path != SCALE) or track.joint in self._above[joint]:
                chosen.append(track.times)
                if track.interpolation == STEP:  # a key just before each jump, so that it stays one
                    chosen.append(before(track.times[1:].astype(np.float64), track.times.dtype))
        return np.unique(np.concatenate(chosen).astype(np.float64))

    def poses(self, times: Floats) -> Floats:
        """Sample in float64, (N, J, 10)."""
        return self._exact.sample(times, loop=False)

    def parent_matrices(self, poses: Floats, joint: int) -> Floats:
        """Give model_from_parent of a joint, (..., 4, 4); refuse those that have no inverse."""
        parent = int(self.skeleton.parents[joint])
        if parent < 0:
            return np.broadcast_to(np.eye(4), (*poses.shape[:-2], 4, 4))
        matrices = self.skeleton.model_matrices(poses)[..., parent, :, :]
        lengths = np.linalg.norm(matrices[..., :3, :3], axis=-2)
        volumes = np.abs(np.linalg.det(matrices[..., :3, :3]))
        if not (volumes > FLAT * lengths.prod(axis=-1)).all():
            raise ValueError(
                f"Clip.{self.function}: joint must hang below joints that have a size, got a scale of zero "
                f"above {self.skeleton.names[joint]!r}; choose a joint further up"
            )
        return matrices
