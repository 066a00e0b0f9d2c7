# SPDX-License-Identifier: MIT
"""The beginnings of names of files that every file system and engine takes."""

from __future__ import annotations

import re

__all__ = ["file_stem"]


def file_stem(name: str) -> str:
    """Return how files begin: of letters, digits, "-" and "_" alone."""
    return re.sub(r"[^\w-]+", "_", name, flags=re.ASCII)
