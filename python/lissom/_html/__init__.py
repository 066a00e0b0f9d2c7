# SPDX-License-Identifier: MIT
"""What notebooks show of characters, clips, bakes and reports: classes take `as_html`.

No script, no OpenGL, no matplotlib. Names come from files, so all text is escaped; colours are left to the
page, be it light or dark. What cannot be shown is shown as its text: no notebook cell fails over a picture.

There is no `_repr_png_` beside it: Jupyter asks for both, so each picture would be drawn and stored twice. A
front end without HTML, such as the Qt console, shows the text, and `lissom.sketch` there as everywhere.
"""

from __future__ import annotations

__all__ = ["as_html"]


def as_html(self: object) -> str:
    """Show it in a notebook; Jupyter calls this."""
    from lissom._html._shown import html_of

    return html_of(self)
