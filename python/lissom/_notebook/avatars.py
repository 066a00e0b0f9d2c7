# SPDX-License-Identifier: MIT
"""HTML of what avatars have besides a rig: where they look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._notebook.builder import Html, card, details, number, table

if TYPE_CHECKING:
    from lissom._gaze.look_at import LookAt

__all__ = ["look_at"]


def look_at(shown: LookAt) -> Html:
    turns = shown.kind == "bone"
    facts = [
        ("moved by", "joints" if turns else "expressions"),
        ("head", shown.head),
        ("eyes", ", ".join(shown.eyes) or "no joints"),
        ("point between the eyes", ", ".join(number(each) for each in shown.offset)),
    ]
    unit = np.degrees(1.0) if turns else 1.0
    sign = "°" if turns else ""
    rows = []
    for name, each in shown.ranges.items():
        curve = "" if each.curve is None else "curve"
        rows.append(
            (name, f"{number(np.degrees(each.input))}°", f"{number(unit * each.output)}{sign}", curve)
        )
    head = ("direction", "target at", "turns" if turns else "weight", "")
    return card("LookAt", "", facts, details("ranges", table(rows, head), is_open=True))
