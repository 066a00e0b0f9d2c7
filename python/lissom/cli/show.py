# SPDX-License-Identifier: MIT
"""The work of ``lissom show``, and of ``lissom bake --html``: pages that play in any browser."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import lissom
from lissom._base.printable import file_name
from lissom._formats.regular_file import open_regular
from lissom._jobs import sources
from lissom.cli import inputs, output

if TYPE_CHECKING:
    from lissom.player import Player

__all__ = ["page_beside", "show"]

HEAD = 2000
"""Characters at the beginning of a page that hold its policy, and in that the hash of its script."""

MOST_NAME = 250
"""Bytes of a page's name before the suffix: file systems allow 255."""


def show(
    files: Sequence[str],
    out: Path | None,
    clips: Sequence[str],
    without: Sequence[str],
    method: str | None,
    is_opened: bool,
    equal_size: bool,
) -> None:
    """Write a page of models or a bake, by default into the working folder."""
    source = files[0]
    title = Path(source.removeprefix(sources.SAMPLE_PREFIX)).stem
    target = Path(file_name(title, MOST_NAME) + ".html") if out is None else out
    output.require_file("-o", target)
    if len(files) > 1:
        player = _several(files, clips, without, method, equal_size)
    elif equal_size:
        output.misuse("--equal-size", "needs several files")
    elif inputs.is_bake(source):
        for option, given in (("--clips", clips), ("--without", without)):
            if given:
                output.misuse(option, f"must be left out for a bake, got {source}; choose when baking it")
        bake = lissom.load_bake(source)
        player = bake.show(title=title, method=_method(method, bake.methods))
    else:
        character = sources.without(source, sources.load(source), without)
        chosen = [sources.clip_name(source, name, character.clips) for name in clips]
        player = character.show(chosen or None, title=title, method=method)
    target.parent.mkdir(parents=True, exist_ok=True)
    player.save(target)
    output.stdout().print(output.Line(str(target)), soft_wrap=True)
    if is_opened:
        webbrowser.open(target.resolve().as_uri())


def _several(
    files: Sequence[str],
    clips: Sequence[str],
    without: Sequence[str],
    method: str | None,
    equal_size: bool,
) -> Player:
    """Return the page of several models beside each other."""
    for source in files:
        if inputs.is_bake(source):
            output.misuse("FILE", f"must be one bake alone, or models, got {source} among several")
    if without:
        output.misuse("--without", "needs a single file")
    characters = [sources.load(source) for source in files]
    for source, character in zip(files, characters, strict=True):
        for name in clips:
            sources.clip_name(source, name, character.clips)
    return lissom.show(*characters, clips=list(clips) or None, equal_size=equal_size, method=method)


def _method(method: str | None, methods: Sequence[str]) -> str | None:
    """Return the method; refuse one that the bake's layout does not support."""
    if len(methods) == 1 and method not in (None, *methods):
        output.misuse("--method", f"must be {methods[0]} for the layout of this bake, got {method!r}")
    return method


def page_beside(bake: Path, title: str, *, is_kept: bool) -> Path:
    """Write the page of a bake beside it; keep an old one if the bake is kept and the player is the same.

    The key in a bake's name identifies its contents, so a page of that name shows that bake.
    """
    page = bake.with_suffix(".html")
    if not (is_kept and _is_current(page)):
        lissom.load_bake(bake, verify=False).show(title=title).save(page)
    return page


def _is_current(page: Path) -> bool:
    """Return whether a page holds the player of this version."""
    from lissom.player._page import script_hash

    try:
        with open_regular(page) as file:
            return f"'sha256-{script_hash()}'".encode() in file.read(HEAD)
    except OSError:
        return False
