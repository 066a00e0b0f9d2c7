# SPDX-License-Identifier: MIT
"""Building blocks of HTML for notebooks: escaped text, tables, lists, pictures, and cards of them."""

from __future__ import annotations

import base64
import html
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from lissom._base.printable import printable
from lissom._formats.png import png_bytes
from lissom._notebook.small_png import small_png

if TYPE_CHECKING:
    from lissom._formats.picture import Picture

__all__ = ["Html", "bullets", "card", "details", "image", "number", "percent", "table", "text"]

LONGEST = 60  # characters of a name: longer ones end in an ellipsis
THUMBNAIL_BYTES = 12_000  # of a thumbnail's PNG; base64 adds a third
MOST_ROWS = 10  # of a table: further rows are counted

# A border that is visible on white and on black, since the page's colours are unknown.
_RULE = "1px solid rgba(128,128,128,.35)"
_CELL = "text-align:{};padding:1px 10px 1px 0"
_PLAIN_TABLE = "border-collapse:collapse;border:0;margin:2px 0;font-size:90%"


class Html(str):
    """A string that is HTML, not to be escaped."""

    __slots__ = ()


def text(value: object, longest: int = LONGEST) -> Html:
    """Shorten and escape a text, unless it is `Html`."""
    if isinstance(value, Html):
        return value
    plain = str(value)
    if len(plain) > longest:
        plain = f"{plain[: longest - 1]}…"
    # A lone surrogate cannot be encoded, and a mark of text direction would affect the text after it.
    return Html(html.escape(printable(plain)))


def number(value: object, digits: int = 4) -> str:
    """Format a number with few digits, a bool as yes or no."""
    if isinstance(value, (bool, np.bool_)):
        return "yes" if value else "no"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    return f"{float(value):.{digits}g}"  # type: ignore[arg-type]


def percent(fraction: float) -> str:
    """Format a fraction in percent, without exponent."""
    value = 100.0 * float(fraction)
    if value == 0 or not np.isfinite(value):
        return f"{value:g} %"
    if abs(value) < 1e-4:
        return "< 0.0001 %"
    return f"{np.format_float_positional(value, precision=3, fractional=False, trim='-')} %"


def table(rows: Iterable[Sequence[object]], head: Sequence[object] = (), *, more: int = 0) -> Html:
    """Make a table.

    Parameters
    ----------
    rows : iterable of sequences
        Cells; all but `Html` is escaped. The first column is left-aligned; with a head, the others are
        right-aligned as numbers.
    head : sequence, optional
        Names of the columns.
    more : int
        Rows that were left out.
    """
    right = "right" if head else "left"

    def line(cells: Sequence[object], tag: str) -> str:
        return "".join(
            f'<{tag} style="{_CELL.format(right if i else "left")}">{text(cell)}</{tag}>'
            for i, cell in enumerate(cells)
        )

    body = "".join(f"<tr>{line(row, 'td')}</tr>" for row in rows)
    if more:
        body += (
            f'<tr><td style="{_CELL.format("left")}" colspan="{max(1, len(head))}">… {more} more</td></tr>'
        )
    top = f'<thead style="border-bottom:{_RULE}"><tr>{line(head, "th")}</tr></thead>' if head else ""
    return Html(f'<table style="{_PLAIN_TABLE}">{top}<tbody>{body}</tbody></table>' if body else "")


def bullets(items: Iterable[object], *, more: int = 0) -> Html:
    """Make a list; items may be whole sentences."""
    lines = "".join(f"<li>{text(item, 300)}</li>" for item in items)
    lines += f"<li>… {more} more</li>" if more else ""
    return Html(f'<ul style="margin:2px 0;padding-left:1.4em;font-size:90%">{lines}</ul>' if lines else "")


def details(title: object, body: Html, *, is_open: bool = False) -> Html:
    """Make a collapsible block; an empty string without a body."""
    if not body:
        return Html("")
    return Html(f"<details{' open' if is_open else ''}><summary>{text(title, 120)}</summary>{body}</details>")


def image(picture: Picture, alt: object, *, exact: bool = False) -> Html:
    """Embed a picture, in as few colours as `THUMBNAIL_BYTES` requires unless `exact`."""
    file = png_bytes(picture.array, 9) if exact else small_png(picture, THUMBNAIL_BYTES)
    data = base64.b64encode(file).decode()
    return Html(
        f'<img alt="{text(alt)}" width="{picture.width}" height="{picture.height}" '
        f'style="max-width:100%;height:auto;border-radius:4px" src="data:image/png;base64,{data}">'
    )


def card(
    kind: str, name: object, facts: Sequence[tuple[str, object]], *more: Html, picture: str = ""
) -> Html:
    """Make the representation of one object.

    Parameters
    ----------
    kind : str
        Name of its class.
    name : object
        Its own name, or a short description; may be empty.
    facts : sequence of (str, object)
        Names and values, a line each. A value of None is omitted.
    *more : Html
        Blocks below the facts.
    picture : str
        HTML of a picture, on the left.
    """
    known = table((Html(f'<span style="opacity:.7">{text(k)}</span>'), v) for k, v in facts if v is not None)
    title = f" {text(name)}" if str(name) else ""
    side = f"<div>{picture}</div>" if picture else ""
    return Html(
        f'<div style="display:flex;flex-wrap:wrap;gap:14px;align-items:flex-start">{side}'
        f'<div style="min-width:16em"><div><b>{text(kind)}</b>{title}</div>{known}{"".join(more)}</div></div>'
    )
