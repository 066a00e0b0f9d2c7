# SPDX-License-Identifier: MIT
"""HTML of the reports of computed weights."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._base.names import counted
from lissom._notebook.builder import MOST_ROWS, Html, bullets, card, details, number, percent, table

if TYPE_CHECKING:
    from lissom.weights._report import WeightReport

__all__ = ["weight_report"]


def weight_report(shown: WeightReport) -> Html:
    residuals = ", ".join(f"{name} {value:.2g}" for name, value in shown.residuals.items())
    state = "converged" if shown.converged else "NOT converged"
    facts = [
        ("vertices", number(shown.vertex_count)),
        ("handles", number(shown.handle_count)),
        ("volume", _volume(shown) if shown.node_count else None),
        ("solver", f"{state}, {counted(shown.iterations, 'iteration')}" if shown.iterations else None),
        ("residuals", residuals or None),
        ("raw weights", f"{number(shown.lowest)} to {number(shown.highest)}"),
        ("raw row sums", f"{number(shown.row_sums[0])} to {number(shown.row_sums[1])}"),
        ("unreached", counted(n, "vertex") if (n := len(shown.unreached_vertices)) else None),
        ("parts without handle", shown.components_without_handle or None),
        ("handles moved", number(len(shown.moved_handles)) if shown.moved_handles else None),
        ("handles outside", number(len(shown.outside_handles)) if shown.outside_handles else None),
        ("seconds", ", ".join(f"{stage} {time:.2f}" for stage, time in shown.seconds.items()) or None),
    ]
    shares = table(
        ((f"more than {count}", percent(share)) for count, share in shown.influence_shares.items()),
        ("handles", "share of vertices"),
    )
    notes = bullets(shown.notes[:MOST_ROWS], more=max(0, len(shown.notes) - MOST_ROWS))
    return card(
        "WeightReport",
        shown.method,
        facts,
        details("influences", shares, is_open=True),
        details(counted(len(shown.notes), "note"), notes, is_open=True),
    )


def _volume(shown: WeightReport) -> str:
    cells = "" if shown.cell is None else f", cells of {number(shown.cell)}"
    return f"{counted(shown.node_count, 'node')}, {number(shown.tetrahedron_count)} tetrahedra{cells}"
