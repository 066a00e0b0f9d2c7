# SPDX-License-Identifier: MIT
"""Names of users in the Markdown of READMEs, where they mean nothing but themselves."""

from __future__ import annotations

import re

__all__ = ["cell", "code"]


def cell(text: str) -> str:
    """Return a text for a table's cell, or between words: on one line, its marks escaped.

    Underscores within words mark nothing, and stay as they are.
    """
    return re.sub(r"[\\`*|<>\[\]&~]|(?<![^\W_])_|_(?![^\W_])", r"\\\g<0>", " ".join(text.split()))


def code(text: str) -> str:
    """Return a text as code between words, whatever backticks it has: on one line."""
    line = " ".join(text.split())
    fence = "`" * (1 + max(map(len, re.findall("`+", line)), default=0))
    space = " " if line[:1] == "`" or line[-1:] == "`" else ""
    return f"{fence}{space}{line}{space}{fence}"
