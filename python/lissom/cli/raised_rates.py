# SPDX-License-Identifier: MIT
"""Which rates of a bake are other than those asked for, as `max_error` raised or chose them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from lissom._base.names import counted
from lissom.clip._frames import interval_count

__all__ = ["raised_rates"]


def raised_rates(report: dict[str, Any]) -> str:
    """Say at which rates the clips of a report are, and why; empty where they are at those asked for.

    Where a job asked for rates of some clips alone, these are told.
    """
    if report["max_error"] is None:
        return ""
    clips = list(report["clips"].values())
    raised = list(filter(_is_raised, clips))
    chosen = [clip for clip in clips if clip.get("asked_rate") is None and clip["frame_count"] > 1]
    told = raised or chosen
    if not told:
        return ""
    instead = f" instead of {_range(clip['asked_rate'] for clip in raised)}" if raised else ""
    which = "" if len(told) == len(clips) else f" in {len(told)} of {counted(len(clips), 'clip')}"
    used = _range(clip["rate"] for clip in told)
    return f"rate {used}{instead}{which}, to keep max_error {report['max_error']:g}"


def _is_raised(clip: dict[str, Any]) -> bool:
    """Whether a clip has more frames than the rate asked for makes."""
    asked = clip.get("asked_rate")
    # Counted in frames: of a clip that is no whole number of intervals the rate is above the one asked for.
    return asked is not None and clip["frame_count"] - 1 > interval_count(clip["duration"], asked)


def _range(rates: Iterable[float]) -> str:
    """Return the lowest and the highest of rates, or the one that they are."""
    texts = [f"{rate:.4g}" for rate in sorted(rates)]
    return " to ".join(dict.fromkeys((texts[0], texts[-1])))
