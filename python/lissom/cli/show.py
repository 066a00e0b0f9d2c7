# SPDX-License-Identifier: MIT
"""``lissom show``, and ``lissom bake --html``: pages that play in any browser."""

from __future__ import annotations

import webbrowser
from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

import lissom
from lissom.cli import inputs, output

__all__ = ["page_beside", "show"]

HEAD = 2000
"""Characters of a page that hold its policy, which names its script by its hash."""


def show(
    source: str,
    out: Path | None,
    clips: Sequence[str],
    without: Sequence[str],
    method: str | None,
    is_opened: bool,
) -> None:
    """Write a page of a model or a bake, in this folder where no name is given."""
    title = Path(source.removeprefix(inputs.SAMPLE_PREFIX)).stem
    target = Path(f"{title}.html") if out is None else out
    output.require_file("-o", target)
    if inputs.is_bake(source):
        for option, given in (("--clips", clips), ("--without", without)):
            if given:
                output.misuse(option, f"{source} is a bake; choose when it is baked")
        bake = lissom.load_bake(source)
        player = bake.show(title=title, method=_method(method, bake.methods))
    else:
        character = inputs.without(source, inputs.load(source), without)
        wanted = [inputs.clip_name(source, name, character.clips) for name in clips]
        player = character.show(wanted or None, title=title, method=method)
    target.parent.mkdir(parents=True, exist_ok=True)
    player.save(target)
    output.stdout().print(Text(str(target)), soft_wrap=True)
    if is_opened:
        webbrowser.open(target.resolve().as_uri())


def _method(method: str | None, methods: Sequence[str]) -> str | None:
    """Refuse a method that the bake's layout does not drive."""
    if len(methods) == 1 and method not in (None, *methods):
        output.misuse("--method", f"this bake's layout drives {methods[0]} alone")
    return method


def page_beside(bake: Path, title: str, *, is_kept: bool) -> Path:
    """Write the page of a bake beside it, unless it is kept: one of this very bake, and by the same player.

    The name of a bake tells what is in it, so a page of that name shows that bake.
    """
    page = bake.with_suffix(".html")
    if not (is_kept and _is_current(page)):
        lissom.load_bake(bake, verify=False).show(title=title).save(page)
    return page


def _is_current(page: Path) -> bool:
    """Whether a page plays by the player of this lissom."""
    from lissom.player._page import script_hash

    try:
        with page.open(encoding="utf-8", errors="replace") as file:
            return f"'sha256-{script_hash()}'" in file.read(HEAD)
    except FileNotFoundError:
        return False
