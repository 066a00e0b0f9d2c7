# SPDX-License-Identifier: MIT
"""Folders of the form "godot", as their shader plays them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from lissom._export.godot_files import bake_of_godot
from lissom._verify.found_clip import FoundClip
from lissom._verify.read_bake import found_engine_bake
from lissom._verify.request import JUDGE, Request

__all__ = ["is_godot", "read_godot"]

POSES = "_poses.res"
ENDS = (POSES, "_clips.res", "_mesh.res", "_crowd.tscn", "_pose.gdshaderinc", ".tscn")
"""Ends of the files by which a folder is named."""


def is_godot(path: Path) -> bool:
    """Whether a folder, or the folder around a file, is one of the form."""
    if path.is_dir():
        return any(path.glob(f"*{POSES}"))
    return _stem(path) is not None and (path.parent / f"{_stem(path)}{POSES}").is_file()


def read_godot(path: Path, request: Request) -> Iterator[FoundClip]:
    """Find the clips of a crowd."""
    if path.is_dir():
        stems = [file.name.removesuffix(POSES) for file in sorted(path.glob(f"*{POSES}"))]
        if len(stems) != 1:
            got = ", ".join(stems) or "none"
            raise ValueError(f"{JUDGE}: {path} must hold one crowd, one file *{POSES}, got {got}")
        folder, stem = path, stems[0]
    else:
        folder, stem = path.parent, _stem(path) or path.stem
    yield from found_engine_bake(bake_of_godot(folder, stem, JUDGE, request.mesh), request, "godot")


def _stem(path: Path) -> str | None:
    return next((path.name.removesuffix(end) for end in ENDS if path.name.endswith(end)), None)
