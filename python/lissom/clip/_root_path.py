# SPDX-License-Identifier: MIT
"""Where a character stands, by the joint that carries it: a place on the ground and a turn about y."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom.clip._moving import Moving

Floats = NDArray[np.float64]

# Of (y, w) of the quaternion: below it a joint is within 23 degrees of hanging upside down, where the twist
# about y turns fast with it and at last is not defined.
UPSIDE_DOWN = 0.2
CLOSED = 1e-3  # sine of half the turn: full circles that end elsewhere are no even arc


@dataclass(frozen=True)
class RootPath:
    """The root of a clip over time.

    Attributes
    ----------
    moving : Moving
    joint : int
        That carries the character.
    translation, yaw, height, steady : bool
    reference : {"start", "rest"}
        As for `extract_root_motion`.
    """

    moving: Moving
    joint: int
    translation: bool
    yaw: bool
    height: bool
    steady: bool
    reference: str

    def moves(self, times: Floats) -> Floats:
        """Give the rigid transforms, (N, 10), from the character's frame to model space."""
        if not self.steady:
            matrices = self._poses(times)
            return self._root(self._places(matrices), self._turns(times, matrices))
        clip = self.moving.clip
        share = (times - clip.start) / clip.duration if clip.duration > 0 else np.zeros(len(times))
        places, turns = self._ends
        return self._root(*_even(share, places, turns))

    @property
    def origin(self) -> Floats:
        """Where the character in place stands, (3,)."""
        return self._origin[0]

    @cached_property
    def _rest(self) -> Floats:
        """Give the joint at rest in model space, (1, 4, 4)."""
        return self._matrices(self.moving.skeleton.rest.astype(np.float64)[None])

    @cached_property
    def _keys(self) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Give the key times (K,), turns there (K,), unwrapped, and at which the joint is upright (K,)."""
        times = self.moving.times(self.joint)
        turns, upright = self._twists(self._poses(times))
        if upright.any():
            known = np.unwrap(turns[upright], period=2 * np.pi)
            turns = np.asarray(np.interp(times, times[upright], known))
        else:
            turns = np.zeros(len(times))
        return times, turns, upright

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """Give places (2, 3) and turns (2,) at start and end, full turns between them counted."""
        times, turns, _ = self._keys
        return self._places(self._poses(times[[0, -1]])), turns[[0, -1]] * self.yaw

    @cached_property
    def _origin(self) -> tuple[Floats, float]:
        """Give the place and turn at which the character in place stands."""
        if self.reference == "rest":
            return self._places(self._rest)[0], 0.0
        places, turns = self._ends
        return places[0], float(turns[0])

    @cached_property
    def _still(self) -> Floats:
        """Give the place, (3,), at which stays what is not taken of places."""
        start = np.array([self.moving.clip.start])
        matrices = self._rest if self.reference == "rest" else self._poses(start)
        return np.asarray(matrices[0, :3, 3])

    def _root(self, places: Floats, turns: Floats) -> Floats:
        origin, angle = self._origin
        result = np.zeros((len(turns), 10))
        result[:, 7:] = 1
        result[:, 4], result[:, 6] = np.sin((turns - angle) / 2), np.cos((turns - angle) / 2)
        result[:, :3] = places - _turned(turns - angle, origin)
        return result

    def _poses(self, times: Floats) -> Floats:
        return self._matrices(self.moving.poses(times))

    def _matrices(self, poses: Floats) -> Floats:
        """Give the joint in model space, (N, 4, 4), without its own scale: that may be zero."""
        parents = self.moving.parent_matrices(poses, self.joint)
        local = poses[:, self.joint].copy()
        local[:, 7:] = 1
        return np.asarray(parents @ trs.to_matrix(local))

    def _places(self, matrices: Floats) -> Floats:
        taken = np.array([self.translation, self.height, self.translation])
        return np.where(taken, matrices[:, :3, 3], self._still)

    def _turns(self, times: Floats, matrices: Floats) -> Floats:
        """Give turns about y since the rest pose, radians, (N,), unwrapped.

        Between keys at one of which the joint is not upright they are interpolated.
        """
        if not self.yaw:
            return np.zeros(len(times))
        keys, known, upright = self._keys
        even = np.interp(times, keys, known)
        if len(keys) < 2:
            return np.asarray(even)
        after = np.clip(np.searchsorted(keys, times, side="right"), 1, len(keys) - 1)
        exact, _ = self._twists(matrices)
        exact += 2 * np.pi * np.round((even - exact) / (2 * np.pi))
        return np.where(upright[after - 1] & upright[after], exact, even)

    def _twists(self, matrices: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Give turns about y in (-2 pi, 2 pi], (N,), and whether the joint is upright enough to have one."""
        turned = np.zeros(matrices.shape)
        turned[:, :3, :3] = matrices[:, :3, :3] @ np.linalg.inv(self._rest[0, :3, :3])
        turned[:, 3, 3] = 1
        y, w = trs.from_matrix(turned)[:, [4, 6]].T
        return 2 * np.arctan2(y, w), np.hypot(y, w) >= UPSIDE_DOWN


def _even(share: Floats, places: Floats, turns: Floats) -> tuple[Floats, Floats]:
    """Give frames on the way from the first of two to the second, on an arc, at shares of it (N,)."""
    way, turn = places[1] - places[0], turns[1] - turns[0]
    sine = np.sin(turn / 2)
    if turn == 0 or (abs(sine) < CLOSED and abs(turn) > 1):
        along = share[:, None] * way
    else:  # chords of a circle: from its first point, as long as the sine of half the angle
        across = np.sin(share * turn / 2) / sine
        along = across[:, None] * _turned((share - 1) * turn / 2, way * [1, 0, 1])
        along[:, 1] = share * way[1]
    return places[0] + along, turns[0] + share * turn


def _turned(angles: Floats, point: Floats) -> Floats:
    """Turn a point about y by angles (N,)."""
    sine, cosine = np.sin(angles), np.cos(angles)
    x, y, z = point
    return np.stack([cosine * x + sine * z, np.full(len(angles), y), cosine * z - sine * x], axis=1)
