# SPDX-License-Identifier: MIT
"""HTML of comparisons of skinning methods: the unchanged picture, and the numbers as text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lissom._notebook.builder import Html, details, image, number, percent, table, text

if TYPE_CHECKING:
    from lissom._pictures.compare import Comparison

__all__ = ["comparison"]

# Label, key in Comparison.numbers and format of each measure of a method against the bind pose.
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
        values = [(measured.get(key), form) for _, key, form in _MEASURES]
        rows.append((method, *("" if value is None else form(value) for value, form in values)))
    measures = table(rows, ("against bind pose", *(name for name, _, _ in _MEASURES)))
    first, second = numbers["between"]
    distances = ", ".join(f"{name} {percent(numbers[f'{name}_relative'])}" for name in ("max", "p99", "rms"))
    title = f"{first} to {second}: {distances} of size"
    return Html(
        f"<div><div><b>Comparison</b> {text(shown.summary, 200)}</div>"
        f"{image(shown.picture, shown.summary, exact=True)}{details(title, measures)}</div>"
    )
