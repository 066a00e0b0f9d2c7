# SPDX-License-Identifier: MIT
"""Clips that several members of one character play at the same time, as one clip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from lissom._character.joined_clips import Seat, carried_clip, own_morph_names
from lissom.clip import Clip
from lissom.clip._cuts import stored_tracks, with_end_keys
from lissom.clip._loop import pass_seconds
from lissom.clip._tracks import WEIGHT, Track, all_tracks, packed

__all__ = ["check_poses", "together"]

WHOLE = 1e-3  # of a loop: what is missing of the last one below this counts as rounding


def together(function: str, name: str, seats: Sequence[Seat], clips: Sequence[Clip | None]) -> Clip:
    """Return one clip in which each member plays its own, from 0 s to the end of the longest.

    Shorter ones that loop are repeated, cut at the end; others hold their last pose. Members without a clip
    rest. It loops where all do, a whole number of times.
    """
    check_poses(function, clips)
    played = [(seat, clip) for seat, clip in zip(seats, clips, strict=True) if clip is not None]
    length = max((pass_seconds(clip) for _, clip in played), default=0.0)
    tracks: list[Track] = []
    defaults = seats[0].morph_defaults.copy()
    markers: list[tuple[float, str]] = []
    dtype = np.result_type(*(clip.keys for _, clip in played)) if played else np.dtype(np.float32)
    for seat, clip in played:
        own = carried_clip(seat, _repeated(clip, length))
        known = len(seat.morph_names)
        tracks += [track for track in all_tracks(own) if track.path != WEIGHT or track.joint < known]
        mine = slice(seat.morph, seat.morph + len(own_morph_names(seat.member)))
        defaults[mine] = own.morph_defaults[mine]
        markers += [(time, seat.member.prefix + label) for time, label in own.markers]
    keys, table = packed(
        stored_tracks(with_end_keys(tracks, np.array([0.0, length])), dtype, function), dtype
    )
    first = seats[0]
    return Clip(
        name,
        first.skeleton,
        keys,
        table,
        loop=bool(played) and all(_is_whole(clip, length) for _, clip in played),
        markers=markers,
        morph_names=first.morph_names,
        morph_defaults=defaults,
    )


def check_poses(function: str, clips: Sequence[Clip | None]) -> None:
    """Refuse additive clips, which have no poses of their own."""
    for clip in clips:
        if clip is not None and clip.additive:
            raise ValueError(
                f"{function}: clips must hold poses, got {clip.name!r}, which is additive; add it to one "
                "first"
            )


def _is_whole(clip: Clip, length: float) -> bool:
    """Return whether a clip loops a whole number of times within a length."""
    once = pass_seconds(clip)
    return not once or (bool(clip.loop) and abs(length / once - round(length / once)) < WHOLE)


def _repeated(clip: Clip, length: float) -> Clip:
    """Return a clip from 0 s on without root motion, repeated to a length where it loops."""
    clip = clip._edited(root_motion=None, loop=clip.loop)
    if clip.loop == "ping_pong" and clip.duration:
        clip = clip.there_and_back()
    clip = clip.shifted(-clip.start) if clip.start else clip
    if not (clip.loop and clip.duration):
        return clip
    count = int(np.ceil(length / clip.duration - WHOLE))
    if count > 1:
        clip = clip.concatenated(*[clip] * (count - 1))
    return clip.trimmed(0.0, length) if clip.end > length else clip
