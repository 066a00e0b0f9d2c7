# SPDX-License-Identifier: MIT
"""Check the built documentation: every public name has its anchor, and no markup was left unread."""

import sys
from html.parser import HTMLParser
from pathlib import Path

import lissom

BUILT = Path(__file__).resolve().parents[1] / "docs" / "_build"
# What docstrings look like where they were copied instead of rendered, and what Sphinx says of a failure.
UNREAD = ("processed by numpydoc", ":Parameters:", ":Returns:", ":param ", "Alias for field", ".. rubric::")
MODULES = (
    "quat",
    "dual_quat",
    "trs",
    "gpu",
    "samples",
    "errors",
    "ground",
    "ik",
    "metrics",
    "player",
    "skinning",
    "weights",
)


class Anchors(HTMLParser):
    """Collects the ids of a page and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the id of an element."""
        self.ids |= {value for name, value in attrs if name == "id" and value}

    def handle_data(self, data: str) -> None:
        """Keep what a reader sees."""
        self.text += data


def wanted() -> set[str]:
    """Return the anchor of each public name; an object has one, under the shortest of its names."""
    names = set()
    for name in lissom.__all__:
        names.add(f"module-lissom.{name}" if name in MODULES else f"lissom.{name}")
    for module in MODULES:
        for name in getattr(lissom, module).__all__:
            if name not in lissom.__all__:
                names.add(f"lissom.{module}.{name}")
    return names


faults, found = [], set()
for path in sorted(BUILT.rglob("*.html")):
    page = Anchors()
    page.feed(path.read_text(encoding="utf-8"))
    found |= page.ids
    faults += [f"{path.relative_to(BUILT)}: holds {mark!r}" for mark in UNREAD if mark in page.text]
faults += [f"no page describes {name.removeprefix('module-')}" for name in sorted(wanted() - found)]
for fault in faults:
    print(f"docs: {fault}", file=sys.stderr)
sys.exit(bool(faults))
