# SPDX-License-Identifier: MIT
"""A Sphinx extension: figures that play. ``{live} NAME`` puts a page of the player into a page.

The pages are made anew with the docs, into ``_static/live``. Each is whole: it asks no network for anything,
so figures play from a disk as well, and each is loaded when it comes into view.
"""

import html
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

import lissom
from lissom.player import Player

FOLDER = "_static/live"


def hero() -> Player:
    """A person that walks, runs and waves."""
    return lissom.samples.humanoid().show(
        ["walk", "run", "wave"], title="A person that walks, runs and waves"
    )


def bend() -> Player:
    """A tube that bends and twists, both methods and how far they are apart."""
    tube = lissom.samples.two_bone_tube()
    return tube.show(clip="twist", time=1.5, method="side_by_side", title="A tube, skinned both ways")


def crowd() -> Player:
    """A crowd, with the slider of how many."""
    people = lissom.samples.humanoid()
    return people.show(["walk", "run", "idle"], clip="walk", count=60, title="A crowd from one bake")


FIGURES: dict[str, Callable[[], Player]] = {"hero": hero, "bend": bend, "crowd": crowd}


class Live(SphinxDirective):
    """The figure of a name; the content is its caption."""

    required_arguments = 1
    has_content = True
    option_spec: ClassVar[dict[str, Any]] = {"height": directives.positive_int}

    def run(self) -> list[nodes.Node]:
        name = self.arguments[0]
        if name not in FIGURES:
            raise self.error(f"there is no live figure {name!r}: there are {', '.join(FIGURES)}")
        root = "../" * self.env.docname.count("/")
        title = html.escape((FIGURES[name].__doc__ or name).strip().rstrip("."))
        frame = (
            f'<iframe class="live" title="{title}" src="{root}{FOLDER}/{name}.html" loading="lazy" '
            f'style="height:{self.options.get("height", 440)}px"></iframe>'
        )
        caption = nodes.container(classes=["live-caption"])
        self.state.nested_parse(self.content, self.content_offset, caption)
        return [nodes.raw("", frame, format="html"), caption]


def write(app: Sphinx, exception: Exception | None) -> None:
    """Write the pages behind what Sphinx has copied."""
    if exception is not None or app.builder.format != "html":
        return
    folder = Path(app.outdir, FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in FIGURES.items():
        make().save(folder / f"{name}.html")


def setup(app: Sphinx) -> dict[str, Any]:
    """Have the directive read, and the pages written at the end."""
    app.add_directive("live", Live)
    app.add_css_file("live.css")
    app.connect("build-finished", write)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
