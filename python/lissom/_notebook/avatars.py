# SPDX-License-Identifier: MIT
"""HTML of what avatars have besides a rig: expressions, and where they look."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom._base.names import counted
from lissom._notebook.builder import Html, card, details, number, table

if TYPE_CHECKING:
    from lissom._gaze.look_at import LookAt
    from lissom._rig.expressions import Expressions

__all__ = ["expressions", "look_at"]


MOST_SHOWN = 60


def expressions(shown: Expressions) -> Html:
    rows = []
    for name in shown.names[:MOST_SHOWN]:
        one = shown[name]
        said = {"blink": one.override_blink, "gaze": one.override_look_at, "mouth": one.override_mouth}
        overrides = ", ".join(f"{value}s {kind}" for kind, value in said.items() if value != "none")
        rows.append((name, len(one.binds), "yes" if one.binary else "", overrides))
    head = ("expression", "morph targets", "binary", "overrides")
    facts = [("morph targets", number(len(shown.morph_names)))]
    return card(
        "Expressions",
        counted(len(shown), "expression"),
        facts,
        table(rows, head, more=max(0, len(shown) - MOST_SHOWN)),
    )


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
