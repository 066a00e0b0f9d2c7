# SPDX-License-Identifier: MIT
"""HTML of any other report: its fields, a line each."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from lissom._notebook.builder import Html, bullets, card, details, number, text

__all__ = ["any_fields"]

MOST_ITEMS = 6  # of a sequence in a line; longer ones are lists


def any_fields(shown: Any) -> Html:
    facts, lists = [], []
    for field in dataclasses.fields(shown):
        value = getattr(shown, field.name)
        words = field.name.replace("_", " ")
        if isinstance(value, (tuple, list)) and len(value) > MOST_ITEMS:
            items = bullets(value[:MOST_ITEMS], more=len(value) - MOST_ITEMS)
            lists.append(details(f"{words}: {len(value)}", items))
        elif value is not None:
            facts.append((words, _text_of(value)))
    return card(type(shown).__name__, "", facts, *lists)


def _text_of(value: Any) -> Html:
    if isinstance(value, np.ndarray) and value.ndim:
        ends = ""
        if value.dtype.kind in "iuf" and (finite := value[np.isfinite(value)]).size:
            ends = f", {number(finite.min())} to {number(finite.max())}"
        return text(f"{value.dtype} {value.shape}{ends}", 200)
    if isinstance(value, (bool, int, float, np.generic, np.ndarray)):
        return text(number(np.asarray(value).item()))
    if isinstance(value, (tuple, list)):
        return text(", ".join(str(item) for item in value) or "none", 200)
    return text(value, 200)
