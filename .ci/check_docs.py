# SPDX-License-Identifier: MIT
"""Check the built documentation: names have anchors, links lead somewhere, no markup is unread."""

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import lissom

BUILT = Path(__file__).resolve().parents[1] / "docs" / "_build"
# What docstrings look like where they were copied instead of rendered, and what Sphinx says of a failure.
UNREAD = ("processed by numpydoc", ":Parameters:", ":Returns:", ":param ", "Alias for field", ".. rubric::")
# Public modules stand for themselves in the table of the package.
MODULES = [name for name, home in lissom._HOMES.items() if home == f"lissom.{name}"]


class Page(HTMLParser):
    """Collects the ids of a page, what it links to or shows, and its text."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: set[str] = set()
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Keep the id of an element, and where it points."""
        found = dict(attrs)
        self.ids |= {value for name in ("id", "name") if (value := found.get(name))}
        self.links |= {value for name in ("href", "src") if (value := found.get(name))}

    def handle_data(self, data: str) -> None:
        """Keep what a reader sees."""
        self.text += data


def wanted() -> set[str]:
    """Return the anchor of each public name; an object has one, under the shortest of its names."""
    names = set()
    for name in lissom.__all__:
        names.add(f"module-lissom.{name}" if name in MODULES else f"lissom.{name}")
    for module in MODULES:
        for name, value in (
            (n, getattr(getattr(lissom, module), n)) for n in getattr(lissom, module).__all__
        ):
            home = str(getattr(value, "__module__", ""))  # another public module describes what is its own
            is_elsewhere = home != f"lissom.{module}" and home.removeprefix("lissom.") in MODULES
            if name not in lissom.__all__ and not is_elsewhere:
                names.add(f"lissom.{module}.{name}")
    return names


def broken(place: Path, link: str, pages: dict[Path, Page]) -> str | None:
    """Say what is wrong with a link: within the docs it must lead somewhere, else be well formed."""
    if link.startswith(("data:", "mailto:", "javascript:")):
        return None
    try:
        parts = urlsplit(link)
    except ValueError as error:
        return str(error)
    if parts.scheme or parts.netloc:
        well_formed = parts.scheme in ("http", "https") and "." in parts.netloc and " " not in link
        return None if well_formed else "is no address"
    target = (place.parent / unquote(parts.path)).resolve() if parts.path else place
    if not target.is_file():
        return "there is no such file"
    anchor = unquote(parts.fragment)
    if anchor and target in pages and anchor not in pages[target].ids:
        return "there is no such place on that page"
    return None


pages = {path: Page(path) for path in sorted(BUILT.rglob("*.html"))}
faults = []
for path, page in pages.items():
    name = path.relative_to(BUILT)
    faults += [f"{name}: holds {mark!r}" for mark in UNREAD if mark in page.text]
    for link in sorted(page.links):
        fault = broken(path, link, pages)
        faults += [f"{name}: {link}: {fault}"] if fault else []
ids = set().union(*(page.ids for page in pages.values()))
faults += [f"no page describes {name.removeprefix('module-')}" for name in sorted(wanted() - ids)]
for fault in faults:
    print(f"docs: {fault}", file=sys.stderr)
sys.exit(bool(faults))
