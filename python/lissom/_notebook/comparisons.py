# SPDX-License-Identifier: MIT
"""Comparisons of skinning methods: their picture as it is, and the numbers as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._notebook.builder import Html, details, image, number, percent, table, text

if TYPE_CHECKING:
    from lissom._pictures.compare import Comparison

__all__ = ["comparison"]

# Of each method, against bind: as in Comparison.numbers.
_MEASURES = (
    ("volume", "volume_change", percent),
    ("edge length, rms", "edge_length_rms", percent),
    ("corner angle, radians", "corner_angle_change", number),
    ("smallest area", "smallest_area", number),
    ("bulge", "bulge", percent),
)


def comparison(shown: Comparison) -> Html:
    numbers = shown.numbers
    rows = []
    for method, measured in numbers["by_method"].items():
        values = [(measured.get(name), form) for _, name, form in _MEASURES]
        rows.append((method, *("" if value is None else form(value) for value, form in values)))
    measures = table(rows, ("against bind", *(name for name, _, _ in _MEASURES)))
    first, second = numbers["between"]
    apart = ", ".join(f"{name} {percent(numbers[f'{name}_relative'])}" for name in ("max", "p99", "rms"))
    said = f"{first} to {second}: {apart} of size"
    return Html(
        f"<div><div><b>Comparison</b> {text(shown.summary, 200)}</div>"
        f"{image(shown.picture, shown.summary, exact=True)}{details(said, measures)}</div>"
    )
