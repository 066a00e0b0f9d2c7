# SPDX-License-Identifier: MIT
"""Files of a bake: the path that was given, the one file of a folder, and JSON in it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lissom._formats.budget import Budget, JsonExtent
from lissom._formats.regular_file import open_regular, read_regular
from lissom._verify.request import JUDGE

__all__ = ["checked_path", "json_object", "json_or_none", "only_file"]


def checked_path(path: object) -> Path:
    """Return a path; TypeError or ValueError where it is none."""
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"{JUDGE}: path must be a str or a path, got {type(path).__name__}")
    if not os.fspath(path):
        raise ValueError(f"{JUDGE}: path must name a file or a folder, got ''")
    return Path(path)


def only_file(path: Path, *suffixes: str) -> Path:
    """Return a file, or the only one with these endings in a folder; OSError where it is neither."""
    if not path.is_dir():
        open_regular(path).close()
        return path
    found = sorted(file for file in path.iterdir() if file.suffix in suffixes)
    if len(found) != 1:
        got = ", ".join(file.name for file in found) or "none"
        raise ValueError(f"{JUDGE}: {path} must hold one file {' or '.join(suffixes)}, got {got}")
    return found[0]


def json_or_none(path: Path) -> Mapping[str, Any] | None:
    """Return the object in a JSON file; None for other text, and for what cannot be read, such as pipes."""
    try:
        return _object(read_regular(path), path)
    except OSError:
        return None


def json_object(path: Path) -> Mapping[str, Any]:
    """Return the object in a JSON file; ValueError for other text."""
    found = _object(read_regular(path), path)
    if found is None:
        raise ValueError(f"{JUDGE}: {path} must be a JSON object, got other text")
    return found


def _object(data: bytes, path: Path) -> Mapping[str, Any] | None:
    try:
        Budget.of_file(f"{JUDGE}: {path}", len(data)).spend(JsonExtent.of(data).plain_bytes)
        found = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None
