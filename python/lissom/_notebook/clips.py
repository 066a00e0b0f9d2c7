# SPDX-License-Identifier: MIT
"""HTML of clips, the clips of a character, and the reports of edits."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from lissom._base.names import counted
from lissom._notebook.builder import MOST_ROWS, Html, bullets, card, details, number, percent, table, text
from lissom._notebook.png import drawn

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lissom.clip import Clip, ClipReport

__all__ = ["clip", "clip_report", "clip_table", "clips"]

PATHS = ("translation", "rotation", "scale")
INTERPOLATIONS = ("step", "linear", "cubic")
LOOPS = {True: "loops", False: "once", "ping_pong": "ping-pong"}


def clip(shown: Clip) -> Html:
    rate = shown.key_rate
    kinds = [word for word in ("additive", "uniform") if getattr(shown, word)]
    motion = shown.root_motion
    facts = [
        ("seconds", f"{number(shown.duration)} ({number(shown.start)} to {number(shown.end)})"),
        ("plays", LOOPS[shown.loop]),
        ("joints", f"{number(len(np.unique(shown.tracks['joint'])))} of {number(len(shown.skeleton))} move"),
        ("keys per second", "irregular" if rate is None else number(rate)),
        ("kind", ", ".join(kinds) or None),
        ("root motion", None if motion is None else "extracted from the tracks"),
    ]
    marks = [f"{number(mark.time)} s: {mark.name}" for mark in shown.markers[:MOST_ROWS]]
    more = max(0, len(shown.markers) - MOST_ROWS)
    return card(
        "Clip",
        shown.name,
        facts,
        details(counted(len(shown.tracks), "track"), _tracks(shown), is_open=True),
        details(counted(len(shown.markers), "marker"), bullets(marks, more=more)),
        picture=drawn(shown, shown.name),
    )


def clips(shown: Mapping[str, Clip]) -> Html:
    return card("Clips", counted(len(shown), "clip"), [], clip_table(shown, most=40))


def clip_table(shown: Mapping[str, Clip], most: int = MOST_ROWS) -> Html:
    """Return a table of clips; only those shown are decoded."""
    rows: list[tuple[object, ...]] = []
    for name in islice(shown, most):
        try:
            one = shown[name]
            keys = int(one.tracks["key_count"].sum())
            rows.append((name, f"{one.duration:.3g} s", LOOPS[one.loop], len(one.tracks), number(keys)))
        except ValueError as error:  # its keys are broken
            rows.append((name, text(error, 300), "", "", ""))
    head = ("clip", "duration", "plays", "tracks", "keys")
    return table(rows, head, more=max(0, len(shown) - most))


def clip_report(shown: ClipReport) -> Html:
    size = shown.size if shown.size > 0 else 1.0
    where = f"joint {shown.worst}" if shown.judged == "joint shell" else f"vertex {shown.worst}"
    facts = [
        ("max error", f"{percent(shown.max / size)} of size"),
        ("p99, rms", f"{percent(shown.p99 / size)}, {percent(shown.rms / size)}"),
        ("worst", f"{where}, {shown.worst_time:.3f} s"),
        ("jumps", None if shown.jumps is None else percent(shown.jumps / size)),
        ("frames per second", None if shown.rate is None else number(shown.rate)),
        ("keys", f"{number(shown.keys_before)} became {number(shown.keys_after)}"),
        ("bytes", f"{number(shown.bytes_before)} became {number(shown.bytes_after)}"),
        ("measured at", shown.judged),
    ]
    return card("ClipReport", "", facts)


def _tracks(shown: Clip) -> Html:
    """Return a table of the numbers of tracks and keys by path and interpolation."""
    tracks = shown.tracks
    rows = []
    for path, name in enumerate(PATHS):
        for code, kind in enumerate(INTERPOLATIONS):
            chosen = tracks[(tracks["path"] == path) & (tracks["interpolation"] == code)]
            if len(chosen):
                rows.append((f"{name}, {kind}", number(len(chosen)), number(int(chosen["key_count"].sum()))))
    return table(rows, ("tracks", "count", "keys"))
