# SPDX-License-Identifier: MIT
"""Faults of which frame is shown when: shifted, backwards, stretched, or not all there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lissom._base.names import counted
from lissom._verify.evidence import Evidence
from lissom._verify.explanation import EXPLAINS, Explanation, Hypothesis

__all__ = ["TIME", "length_fault"]

SHIFTS = (-2, -1, 1, 2)
"""Frames by which rows are shifted where an index is off by one, or two."""

LEFT_OUT = (*range(-8, 0), *range(1, 9))
"""Frames more or less than a clip has, of one that takes the right time."""

NEAR = 0.25
"""Lengths that differ by less than this part of an interval are equal."""


def length_fault(evidence: Evidence) -> Explanation | None:
    """Say whether a bake whose frames are right has too few, or too many of them."""
    clip = evidence.found.frames
    begin, end = evidence.span
    took = evidence.found.seconds
    # The engine takes some time for a pose, too.
    if took is not None and end > begin and abs(took - (end - begin)) * clip.rate > NEAR:
        sentence = f"the engine takes {took:.4g} s for {end - begin:.4g} s; mend its frames a second"
        return Explanation("frame_count", sentence, evidence.error)
    missing = (end - begin) * clip.rate - (clip.frame_count - 1)
    if clip.frame_count < 2 or abs(missing) < NEAR:
        return None
    count = round(abs(missing))
    if missing > 0:
        fault = "missing_last_frame" if count <= 1 else "frame_count"
        which = "frame is" if count <= 1 else f"{count} frames are"
        sentence = f"its last {which} missing: it ends {missing / clip.rate:.4g} s before the source does"
        return Explanation(fault, f"{sentence}; bake the end, too, of loops as well", evidence.error)
    more, late = counted(max(count, 1), "frame"), -missing / clip.rate
    sentence = f"it has {more} more than the source, and ends {late:.4g} s later"
    return Explanation("frame_count", f"{sentence}; say the number of frames that were baked", evidence.error)


def _shifted(evidence: Evidence) -> Iterator[Explanation]:
    """Frames that are shown too early or too late."""
    frames, last = evidence.frames, evidence.found.frames.frame_count - 1
    inside = frames[(frames >= max(SHIFTS)) & (frames <= last - max(SHIFTS))]
    shown = np.isin(frames, inside)
    if len(inside) < 2:
        return
    for shift in SHIFTS:
        yield Explanation(
            "row_off_by_one",
            f"its frames are {abs(shift)} too {'late' if shift > 0 else 'early'}: frame i shows what the"
            f" source has at frame i {'-' if shift > 0 else '+'} {abs(shift)}; count rows from 0",
            evidence.largest(evidence.actual[shown], evidence.at_frames(inside - shift)),
        )


def _backwards(evidence: Evidence) -> Iterator[Explanation]:
    last = evidence.found.frames.frame_count - 1
    if last > 1:
        yield Explanation(
            "flipped_v",
            "its frames run backwards: the texture is upside down; flip v, or write rows from the other end",
            evidence.largest(evidence.actual, evidence.at_frames(last - evidence.frames)),
        )


def _stretched(evidence: Evidence) -> Iterator[Explanation]:
    """Frames that are right, but spread over another time."""
    clip = evidence.found.frames
    last = clip.frame_count - 1
    begin, end = evidence.span
    if last < 2:
        return
    own = evidence.frames <= last - clip.loop  # the last of a loop may be the first again
    whole = (end - begin) * clip.rate  # intervals that the source has at this rate
    for intervals in (last + change for change in LEFT_OUT) if abs(whole - last) < NEAR else (last,):
        if intervals < 1:
            continue
        seconds = begin + evidence.frames[own] / intervals * (end - begin)
        missing = intervals - last
        if missing == 1:
            fault = "missing_last_frame"
            sentence = "its last frame is missing, and the others are spread over the clip; bake the end, too"
        else:
            fault = "frame_count"
            takes = last / intervals * (end - begin)
            sentence = (
                f"it takes {last / clip.rate:.4g} s for what takes {takes:.4g} s: its {last + 1} frames are"
                f" played at {clip.rate:.4g} a second, and are those of {last / takes:.4g}; mend their"
                " rate, or their number"
            )
        yield Explanation(
            fault, sentence, evidence.largest(evidence.actual[own], evidence.at_seconds(seconds))
        )


def _tail(evidence: Evidence) -> Iterator[Explanation]:
    """Frames at the end that are none of the clip's, or the first again in place of the last."""
    clip, frames = evidence.found.frames, evidence.frames
    last = clip.frame_count - 1
    begin, end = evidence.span
    is_short = abs((end - begin) * clip.rate - last - 1) < NEAR
    for count in (1, 2, 3):
        kept = frames <= last - count
        if kept.sum() < 2:
            return
        left = evidence.largest(evidence.actual[kept], evidence.expected[kept])
        if left > EXPLAINS * evidence.error:
            continue
        if count == 1 and is_short and clip.loop:
            sentence = (
                "its last frame is missing: after the one before, the first is shown; bake the end, too"
            )
            yield Explanation("missing_last_frame", sentence, left)
        else:
            which = "frame is" if count == 1 else f"{count} frames are"
            sentence = f"its last {which} not of this clip; say the number of frames that were baked"
            yield Explanation("frame_count", sentence, left)
        return  # more frames left out leave less, and say less


def _other_clip(evidence: Evidence) -> Iterator[Explanation]:
    """Another clip of the same character."""
    clip = evidence.found.frames
    own = evidence.frames < clip.frame_count - clip.loop  # after the last frame of a loop the first is shown
    local = (evidence.frames[own] - evidence.found.lag) / clip.rate
    for name in evidence.clips:
        if name == evidence.found.name:
            continue
        begin, end = evidence.source.span(name)
        wanted = evidence.some(evidence.source.vertices(name, np.clip(begin + local, begin, end)))
        yield Explanation(
            "wrong_clip",
            f"it shows clip {name!r}: give it that name, or say clip={name!r} for a file that has none",
            evidence.largest(evidence.actual[own], wanted),
        )


TIME: tuple[Hypothesis, ...] = (_shifted, _backwards, _stretched, _tail, _other_clip)
