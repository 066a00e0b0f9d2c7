# SPDX-License-Identifier: MIT
"""The moving joints of a clip: those whose keys differ, their times, and their ancestors."""

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

SAME_SCALE = 1e-4  # relative: scales along axes that differ by less are equal
TRAVELS = 1e-4  # of the skeleton's size: translations that vary less are rounding of an exporter
FLAT = 1e-9  # of the volume of a box with the lengths of the axes: a matrix below it counts as singular


class Moving:
    """A clip sampled in float64, and those of its joints that move.

    Parameters
    ----------
    function : str
        The method of `Clip` that the user called, for errors.
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
        self._ancestors: list[list[int]] = []  # of each joint, nearest first
        self._subtree_sizes = np.ones(len(self.skeleton), int)
        for parent in self.skeleton.parents.tolist():
            self._ancestors.append([] if parent < 0 else [parent, *self._ancestors[parent]])
        for joint in range(len(self.skeleton)):
            self._subtree_sizes[self._ancestors[joint]] += 1

    @cached_property
    def size(self) -> float:
        """The unit of errors: the skeleton's size; where all joints coincide, the box that they move in."""
        if self.skeleton.size > 0 or not len(self.skeleton):
            return self.skeleton.size or 1.0
        times = np.unique(np.concatenate([[self.clip.start], *(track.times for track in self._tracks)]))
        positions = self.skeleton.positions(self.poses(times.astype(np.float64)))
        return float(np.linalg.norm(np.ptp(positions, axis=(0, 1)))) or 1.0

    def topmost(self) -> int | None:
        """Return the joint that carries the character; None where nothing moves."""
        rest = self.skeleton.model_matrices(self.skeleton.rest.astype(np.float64))
        small = TRAVELS * self.size
        moving: dict[int, list[int]] = {TRANSLATION: [], ROTATION: [], SCALE: []}
        for track in self._tracks:
            if track.path == TRANSLATION:
                parent = int(self.skeleton.parents[track.joint])
                points = track.points.astype(np.float64)
                points_model = points if parent < 0 else points @ rest[parent, :3, :3].T
                if np.linalg.norm(np.ptp(points_model, axis=0)) <= small:
                    continue
            moving[track.path].append(track.joint)
        rotated = max(moving[ROTATION], key=self._rank, default=None)
        translated = max(moving[TRANSLATION], key=self._rank, default=rotated)
        if translated is None or rotated is None:
            return translated
        if 2 * self._subtree_sizes[translated] >= self._subtree_sizes[rotated]:
            return translated
        return rotated  # the translated joint is a prop, or a finger

    def _rank(self, joint: int) -> tuple[int, int]:
        return int(self._subtree_sizes[joint]), -joint

    def branches(self, joint: int) -> list[int]:
        """Return `joint`, and siblings of it and of its ancestors that move or have moving descendants."""
        moving = {j for track in self._tracks for j in (track.joint, *self._ancestors[track.joint])}
        ancestors = set(self._ancestors[joint])
        siblings = [j for j in moving - ancestors - {joint} if ancestors.issuperset(self._ancestors[j][:1])]
        return [joint, *sorted(siblings)]

    def times(self, joint: int) -> Floats:
        """Return the times of the keys of a joint and its ancestors that move it, and the clip's two ends."""
        chosen = [np.array([self.clip.start, self.clip.end])]
        for track in self._tracks:
            if (track.joint == joint and track.path != SCALE) or track.joint in self._ancestors[joint]:
                chosen.append(track.times)
                if track.interpolation == STEP:  # a key just before each jump, so that it stays one
                    chosen.append(before(track.times[1:].astype(np.float64), track.times.dtype))
        return np.unique(np.concatenate(chosen).astype(np.float64))

    def poses(self, times: Floats) -> Floats:
        """Sample in float64, (N, J, 10)."""
        return self._exact.sample(times, loop=False)

    def parent_matrices(self, poses: Floats, joint: int) -> Floats:
        """Return model_from_parent of a joint, (..., 4, 4); refuse singular ones."""
        parent = int(self.skeleton.parents[joint])
        if parent < 0:
            return np.broadcast_to(np.eye(4), (*poses.shape[:-2], 4, 4))
        matrices = self.skeleton.model_matrices(poses)[..., parent, :, :]
        lengths = np.linalg.norm(matrices[..., :3, :3], axis=-2)
        volumes = np.abs(np.linalg.det(matrices[..., :3, :3]))
        if not (volumes > FLAT * lengths.prod(axis=-1)).all():
            raise ValueError(
                f"Clip.{self.function}: joint must have ancestors of a scale above zero, got a scale of zero "
                f"above {self.skeleton.names[joint]!r}; choose a joint further up"
            )
        return matrices
