# SPDX-License-Identifier: MIT
"""Root motion as files store it: in the extras of a glTF animation, and in the header of a pose texture."""

from __future__ import annotations

import math
from typing import Literal

import numpy as np
from msgspec import Struct

from lissom.clip._clip import Clip
from lissom.clip._from_moves import root_skeleton
from lissom.clip._root_motion import RootMotion
from lissom.clip._tracks import TRACK_DTYPE, packed, unpacked

__all__ = ["RootMotionMark"]


class RootMotionMark(Struct, omit_defaults=True):
    """A `RootMotion` in plain types.

    Attributes
    ----------
    keys : bytes
        Keys of its track: little-endian float64, in base64.
    tracks : list of (path, interpolation, key_count, times, values)
        As in TRACK_DTYPE.
    loop : bool or "ping_pong"
        Loop mode of its track.
    joints, error
        As in `RootMotion`.
    """

    keys: bytes
    tracks: list[tuple[int, int, int, int, int]]
    loop: bool | Literal["ping_pong"]
    joints: list[str] = []
    error: float = 0.0

    @classmethod
    def of(cls, motion: RootMotion) -> RootMotionMark:
        """Make the mark of a root motion."""
        track = motion.track
        keys, table = packed(unpacked(track.keys, track.tracks), np.dtype("<f8"))
        tracks = [row[1:] for row in table.tolist()]  # without the joint: there is one
        return cls(keys.tobytes(), tracks, track.loop, list(motion.joints), motion.error)

    def motion(self) -> RootMotion:
        """Return the root motion; raise ValueError where the mark does not hold one."""
        try:
            table = np.array([(0, *row) for row in self.tracks], TRACK_DTYPE)
        except OverflowError as error:
            raise ValueError(str(error)) from None
        keys = np.frombuffer(self.keys, "<f8")
        track = Clip("root motion", root_skeleton(), keys, table, loop=self.loop)
        track.sample(track.start)  # checks the keys
        if not (math.isfinite(self.error) and self.error >= 0):
            raise ValueError(f"error must be finite and at least zero, got {self.error}")
        return RootMotion(track, self.joints, self.error)
