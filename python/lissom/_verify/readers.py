# SPDX-License-Identifier: MIT
"""Bakes by anybody: which form a path holds, and the function that finds its clips."""

from __future__ import annotations

import errno
import os
from collections.abc import Callable, Iterator
from pathlib import Path

from lissom._export.earlier import MARK
from lissom._export.openvat import TABLE
from lissom._formats import safetensors
from lissom._formats.regular_file import open_regular
from lissom._verify.files import json_object
from lissom._verify.found_clip import FoundClip
from lissom._verify.read_babylon import is_babylon, read_babylon
from lissom._verify.read_bake import read_bake
from lissom._verify.read_godot import is_godot, read_godot
from lissom._verify.read_openvat import read_openvat, tables
from lissom._verify.read_unity import SUFFIX as UNITY
from lissom._verify.read_unity import read_unity
from lissom._verify.read_unreal import is_unreal, read_unreal
from lissom._verify.read_vertices import read_vertices
from lissom._verify.request import JUDGE, Request

__all__ = ["READERS", "form_of"]

READERS: dict[str, Callable[[Path, Request], Iterator[FoundClip]]] = {
    "bake": read_bake,
    "three": read_bake,
    "babylon": read_babylon,
    "godot": read_godot,
    "unity": read_unity,
    "unreal": read_unreal,
    "openvat": read_openvat,
    "vertices": read_vertices,
}
"""Function that finds the clips of each form."""


def form_of(path: Path) -> str:
    """Return the form that a file or folder has; ValueError where it is none that is known."""
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, "there is no such file or folder", os.fspath(path))
    if not path.is_dir():
        open_regular(path).close()  # an OSError says what else it is
    form = _form_of_folder(path) if path.is_dir() else _form_of_file(path)
    if form is None:
        raise ValueError(
            f"{JUDGE}: {path} must be a bake of a known form ({', '.join(READERS)}), got another; say"
            " form=... if it is one"
        )
    return form


def _form_of_folder(folder: Path) -> str | None:
    if (folder / MARK).is_file():
        form = json_object(folder / MARK).get("form")
        if form not in READERS:
            raise ValueError(
                f"{JUDGE}: {folder}: form {form!r} is not read; judge the bake that it was made of"
            )
        return str(form)
    if is_unreal(folder):
        return "unreal"
    if any(is_babylon(path) for path in folder.glob("*.json")):
        return "babylon"
    if is_godot(folder):
        return "godot"
    if any(folder.glob(f"*{UNITY}")):
        return "unity"
    if tables(folder):
        return "openvat"
    bakes = sorted(path for path in folder.iterdir() if path.suffix in (".safetensors", ".npz"))
    if len(bakes) > 1:
        names = ", ".join(path.name for path in bakes[:3]) + (", ..." if len(bakes) > 3 else "")
        raise ValueError(
            f"{JUDGE}: {folder} must hold one bake, got {len(bakes)}: {names}; name one of these files"
        )
    return _form_of_file(bakes[0]) if bakes else None


def _form_of_file(path: Path) -> str | None:
    if path.name.endswith(TABLE):
        return "openvat"
    if path.suffix == ".json":
        return "unreal" if is_unreal(path) else "babylon" if is_babylon(path) else None
    if path.suffix == UNITY:
        return "unity"
    if is_godot(path):
        return "godot"
    if path.suffix == ".safetensors":
        return "vertices" if "clips" in safetensors.read(path)[1] else "bake"
    return "vertices" if path.suffix == ".npz" else None
