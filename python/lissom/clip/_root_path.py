# SPDX-License-Identifier: MIT
"""The path of a character by the joint that carries it: position on the ground and rotation about y."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lissom import trs
from lissom.clip._moving import Moving

Floats = NDArray[np.float64]

# Length of (y, w) of the quaternion: below it a joint is within 23 degrees of upside down, where its twist
# about y changes fast, and at upside down is undefined.
UPSIDE_DOWN = 0.2
CLOSED = 1e-3  # sine of half the angle: below it, full circles that end elsewhere are not circular arcs


@dataclass(frozen=True)
class RootPath:
    """The root of a clip over time.

    Attributes
    ----------
    moving : Moving
    joint : int
        The joint that carries the character.
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
        """Return the rigid transforms, (N, 10), from the character's frame to model space."""
        if not self.steady:
            matrices = self._joint_at(times)
            return self._root(self._positions(matrices), self._yaws(times, matrices))
        clip = self.moving.clip
        share = (times - clip.start) / clip.duration if clip.duration > 0 else np.zeros(len(times))
        return self._root(*_arc(share, *self._ends))

    @property
    def origin(self) -> Floats:
        """Position of the character in place, (3,), model space."""
        return self._origin[0]

    @cached_property
    def _rest(self) -> Floats:
        """The model matrix of the joint at rest, (1, 4, 4)."""
        return self._joint_matrices(self.moving.skeleton.rest.astype(np.float64)[None])

    @cached_property
    def _keys(self) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """The key times (K,), yaws there (K,), unwrapped, and whether the joint is upright (K,)."""
        times = self.moving.times(self.joint)
        yaws, upright = self._twists(self._joint_at(times))
        if upright.any():
            known = np.unwrap(yaws[upright], period=2 * np.pi)
            yaws = np.asarray(np.interp(times, times[upright], known))
        else:
            yaws = np.zeros(len(times))
        return times, yaws, upright

    @cached_property
    def _ends(self) -> tuple[Floats, Floats]:
        """Positions (2, 3) and yaws (2,) at start and end, full revolutions between them counted."""
        times, yaws, _ = self._keys
        return self._positions(self._joint_at(times[[0, -1]])), yaws[[0, -1]] * self.yaw

    @cached_property
    def _origin(self) -> tuple[Floats, float]:
        """Position and yaw of the character in place."""
        if self.reference == "rest":
            return self._positions(self._rest)[0], 0.0
        positions, yaws = self._ends
        return positions[0], float(yaws[0])

    @cached_property
    def _fixed_position(self) -> Floats:
        """The position, (3,), whose coordinates the path has on axes that are not extracted."""
        start = np.array([self.moving.clip.start])
        matrices = self._rest if self.reference == "rest" else self._joint_at(start)
        return np.asarray(matrices[0, :3, 3])

    def _root(self, positions: Floats, yaws: Floats) -> Floats:
        origin, angle = self._origin
        result = np.zeros((len(yaws), 10))
        result[:, 7:] = 1
        result[:, 4], result[:, 6] = np.sin((yaws - angle) / 2), np.cos((yaws - angle) / 2)
        result[:, :3] = positions - _rotated(yaws - angle, origin)
        return result

    def _joint_at(self, times: Floats) -> Floats:
        return self._joint_matrices(self.moving.poses(times))

    def _joint_matrices(self, poses: Floats) -> Floats:
        """Return the model matrices of the joint, (N, 4, 4), without its own scale, which may be zero."""
        parents = self.moving.parent_matrices(poses, self.joint)
        local = poses[:, self.joint].copy()
        local[:, 7:] = 1
        return np.asarray(parents @ trs.to_matrix(local))

    def _positions(self, matrices: Floats) -> Floats:
        extracted = np.array([self.translation, self.height, self.translation])
        return np.where(extracted, matrices[:, :3, 3], self._fixed_position)

    def _yaws(self, times: Floats, matrices: Floats) -> Floats:
        """Return rotations about y relative to the rest pose, radians, (N,), unwrapped.

        Between keys at one of which the joint is not upright they are interpolated.
        """
        if not self.yaw:
            return np.zeros(len(times))
        keys, known, upright = self._keys
        interpolated = np.interp(times, keys, known)
        if len(keys) < 2:
            return np.asarray(interpolated)
        after = np.clip(np.searchsorted(keys, times, side="right"), 1, len(keys) - 1)
        exact, _ = self._twists(matrices)
        exact += 2 * np.pi * np.round((interpolated - exact) / (2 * np.pi))
        return np.where(upright[after - 1] & upright[after], exact, interpolated)

    def _twists(self, matrices: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Return twists about y in (-2 pi, 2 pi], (N,), and whether the joint is upright enough for one."""
        from_rest = np.zeros(matrices.shape)
        from_rest[:, :3, :3] = matrices[:, :3, :3] @ np.linalg.inv(self._rest[0, :3, :3])
        from_rest[:, 3, 3] = 1
        y, w = trs.from_matrix(from_rest)[:, [4, 6]].T
        return 2 * np.arctan2(y, w), np.hypot(y, w) >= UPSIDE_DOWN


def _arc(share: Floats, positions: Floats, yaws: Floats) -> tuple[Floats, Floats]:
    """Return positions and yaws at shares, (N,), of a circular arc from the first of two to the second."""
    displacement, angle = positions[1] - positions[0], yaws[1] - yaws[0]
    sine = np.sin(angle / 2)
    if angle == 0 or (abs(sine) < CLOSED and abs(angle) > 1):
        offsets = share[:, None] * displacement
    else:  # chords of a circle from its first point, proportional to the sine of half the angle
        ratio = np.sin(share * angle / 2) / sine
        offsets = ratio[:, None] * _rotated((share - 1) * angle / 2, displacement * [1, 0, 1])
        offsets[:, 1] = share * displacement[1]
    return positions[0] + offsets, yaws[0] + share * angle


def _rotated(angles: Floats, point: Floats) -> Floats:
    """Rotate a point about y by angles (N,)."""
    sine, cosine = np.sin(angles), np.cos(angles)
    x, y, z = point
    return np.stack([cosine * x + sine * z, np.full(len(angles), y), cosine * z - sine * x], axis=1)
