# SPDX-License-Identifier: MIT
"""What notebooks show of characters, clips, bakes and reports: classes take `as_html`, drawn ones `as_png`.

No script, no OpenGL, no matplotlib. Names come from files, so all text is escaped; colours are left to the
page, be it light or dark. What cannot be shown is shown as its text: no notebook cell fails over a picture.

A front end without HTML, such as the Qt console, shows the PNG in place of the text. No kernel knows to which
front end it talks, so Jupyter asks for both and a notebook keeps both. Therefore the PNG is smaller: at most
8 kB, of a comparison 32 kB. What is tables alone, such as most reports, has none: there its text says more.
"""

from __future__ import annotations

__all__ = ["as_html", "as_png"]


def as_html(self: object) -> str:
    """Show it in a notebook; Jupyter calls this."""
    from lissom._html._shown import html_of

    return html_of(self)


def as_png(self: object) -> bytes | None:
    """Show it where there is no HTML; Jupyter calls this. None where there is nothing to draw."""
    from lissom._html._drawn import png_of

    return png_of(self)
