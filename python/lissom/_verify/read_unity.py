# SPDX-License-Identifier: MIT
"""Files of the form "unity", as their shader plays them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lissom._export.unity_bake import bake_of_unity
from lissom._verify.files import only_file
from lissom._verify.found_clip import FoundClip
from lissom._verify.read_bake import found_engine_bake
from lissom._verify.request import JUDGE, Request

__all__ = ["SUFFIX", "read_unity"]

SUFFIX = ".lissom"


def read_unity(path: Path, request: Request) -> Iterator[FoundClip]:
    """Find the clips of a file, or of the only one in a folder."""
    yield from found_engine_bake(bake_of_unity(only_file(path, SUFFIX), JUDGE), request, "unity")
