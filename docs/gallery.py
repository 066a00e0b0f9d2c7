# SPDX-License-Identifier: MIT
"""A Sphinx extension: the executed notebooks become pages, and their pictures a gallery.

Copies of build/notebooks (`make notebooks`) go to docs/notebooks, with an index; git knows neither. Where
there are none, the index says so and the rest is built all the same.
"""

import base64
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image
from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parents[1]
EXECUTED = ROOT / "build" / "notebooks"
PAGES = ROOT / "docs" / "notebooks"
THUMBNAIL = (640, 400)  # pixels at most
KINDS = ("image/png", "text/html", "text/plain")
EMBEDDED = re.compile(r'src="data:image/(?:png|jpeg);base64,([^"]+)"')
INTRODUCTION = """# Notebooks

<!-- Made by docs/gallery.py. -->

Each one runs from top to bottom without a GPU, in less than 20 seconds, and shows what it did when it was
run for these pages. They lie in `notebooks/`: open them with `jupyter lab notebooks`, change a number, and
run the cell again.
"""
NONE_YET = "\nNone has been run yet: `make notebooks` does it, and `make docs` shows them here.\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Copy before Sphinx looks for pages."""
    app.connect("config-inited", lambda app, config: make(EXECUTED, PAGES))
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def make(executed: Path, pages: Path) -> None:
    """Write the pages and their index; remove pages of notebooks that are gone."""
    pages.mkdir(exist_ok=True)
    names, cards = [], []
    for path in sorted(executed.glob("*.ipynb")):
        notebook = json.loads(path.read_text())
        for cell in notebook["cells"]:
            if cell["cell_type"] == "markdown":
                cell["source"] = moved_links("".join(cell["source"]))
            # No kernel runs behind a page: the picture stands for a widget.
            for output in cell.get("outputs", ()):
                output.get("data", {}).pop("application/vnd.jupyter.widget-view+json", None)
        notebook["metadata"].pop("widgets", None)
        write(pages / path.name, json.dumps(notebook))
        names.append(path.name)
        cards.append(card(path.stem, notebook, pages))
    kept = {*names, *(Path(name).with_suffix(".png").name for name in names)}
    for path in [*pages.glob("*.ipynb"), *pages.glob("*.png")]:
        if path.name not in kept:
            path.unlink()
    toctree = "".join(f"{Path(name).stem}\n" for name in names)
    shown = f"\n::::{{container}} cards\n{''.join(cards)}::::\n\n```{{toctree}}\n:hidden:\n\n{toctree}```\n"
    write(pages / "index.md", INTRODUCTION + (shown if names else NONE_YET))


def moved_links(text: str) -> str:
    """Links of a page one folder deeper: out of notebooks/ into docs/notebooks/."""
    return re.sub(r"\]\(\.\./(docs/)?", lambda found: "](../" if found[1] else "](../../", text)


def card(stem: str, notebook: dict[str, Any], pages: Path) -> str:
    """Return the entry of a notebook: its first picture, title and opening sentence."""
    name = title_of(notebook, stem)
    lines = [f"**[{name}]({stem}.ipynb)**", opening(words_of(notebook))]
    picture = next(pictures(notebook), None)
    if picture is not None:
        write(pages / f"{stem}.png", thumbnail(picture))
        lines.insert(0, f"[![{name}]({stem}.png)]({stem}.ipynb)")
    return ":::{container} card\n" + "\n\n".join(lines) + "\n:::\n\n"


def words_of(notebook: dict[str, Any]) -> str:
    """Return the prose of a notebook."""
    cells = (cell["source"] for cell in notebook["cells"] if cell["cell_type"] == "markdown")
    return "\n\n".join("".join(source) for source in cells)


def title_of(notebook: dict[str, Any], stem: str) -> str:
    """Return the first heading of a notebook; its file's name where there is none."""
    title = re.search(r"^# +(.+)$", words_of(notebook), re.MULTILINE)
    return plain(title[1]) if title else stem


def opening(words: str) -> str:
    """Return the first paragraph of a page below its title, without the words that all of them begin with."""
    paragraphs = (
        plain(part) for part in words.split("\n\n") if not part.lstrip().startswith(("#", "<", "!"))
    )
    text = next(filter(None, paragraphs), "").removeprefix("You will learn ")
    return text[:1].upper() + text[1:]


def plain(text: str) -> str:
    """Take the markup out of a sentence."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)
    return " ".join(re.sub(r"[*`]", "", text).split())


def pictures(notebook: dict[str, Any]) -> Iterator[bytes]:
    """All pictures that cells have put out, from top to bottom; charts and small ones come last."""
    first, last = [], []
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            data = {kind: "".join(value) for kind, value in output.get("data", {}).items() if kind in KINDS}
            embedded = EMBEDDED.search(data.get("text/html", ""))
            encoded = filter(None, (data.get("image/png"), embedded and embedded[1]))
            # Where HTML has a picture, the PNG beside it is a smaller one for front ends without HTML.
            picture = max(map(base64.b64decode, encoded), key=width, default=None)
            if picture is not None:
                small = width(picture) < THUMBNAIL[0] // 2
                chart = data.get("text/plain", "").startswith("<Figure ")  # matplotlib's
                (last if small or chart else first).append(picture)
    yield from first + last


def width(picture: bytes) -> int:
    """Return the pixels across a picture."""
    return Image.open(io.BytesIO(picture)).width


def thumbnail(picture: bytes) -> bytes:
    """Make a picture small: the gallery shows many."""
    image = Image.open(io.BytesIO(picture)).convert("RGB")
    image.thumbnail(THUMBNAIL, Image.Resampling.LANCZOS)
    out = io.BytesIO()
    image.save(out, "PNG", optimize=True)
    return out.getvalue()


def write(path: Path, content: str | bytes) -> None:
    """Write what has changed: an untouched page is not read again."""
    data = content.encode() if isinstance(content, str) else content
    if not path.is_file() or path.read_bytes() != data:
        path.write_bytes(data)
