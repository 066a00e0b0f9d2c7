# SPDX-License-Identifier: MIT
"""One HTML file that plays a bundle, without network, and shows a still where WebGL 2 is missing."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

from lissom._base.printable import printable
from lissom.player._packing import packed
from lissom.player._source import player_css, player_script

__all__ = ["page", "script_hash", "still_tag"]

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<title>{title}</title>
<style>
{css}
</style>
</head>
<body class="lissom-page">
<main id="lissom"><h1>{title}</h1>
{still}<noscript><p>This page plays in 3D where scripts are allowed.</p></noscript></main>
<script type="text/plain" id="bundle">{bundle}</script>
<script type="application/json" id="options">{options}</script>
<script>{script}</script>
</body>
</html>
"""

# The page can fetch nothing, and runs no script but its own, in a worker as well; pictures are embedded.
_POLICY = (
    "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; img-src data: blob:; "
    "worker-src blob:; "
    "base-uri 'none'; form-action 'none'"
)


def page(bundle: bytes, *, title: str = "", options: Mapping[str, Any] = {}, still: bytes = b"") -> str:
    """Return a page that plays a bundle.

    Parameters
    ----------
    bundle : bytes
        From `lissom.player.bundle`.
    title : str
        Title of the window.
    options : mapping
        Options of ``createPlayer``, such as its state; JSON values.
    still : bytes
        A JPEG or PNG picture, shown until the player has started and where WebGL 2 is missing.

    Returns
    -------
    str
        HTML, to be encoded as UTF-8.
    """
    return _PAGE.format(
        policy=_POLICY.format(hash=script_hash()),
        title=escaped_title(title),
        css=player_css("page.css"),
        still=still_tag(still, title),
        bundle=packed(bundle),
        options=json.dumps(options, allow_nan=False).replace("<", "\\u003c"),
        script=_script(),
    )


def escaped_title(title: str) -> str:
    """Return a title for HTML, also within quotation marks."""
    return html.escape(printable(title or "lissom"))


def still_tag(still: bytes, title: str, style: str = "") -> str:
    """Return an ``img`` element that embeds a picture; an empty string without one."""
    if not still:
        return ""
    kind = "png" if still.startswith(b"\x89PNG") else "jpeg"
    data = base64.b64encode(still).decode()
    styled = f'style="{style}" ' if style else ""
    return f'<img alt="{escaped_title(title)}" {styled}src="data:image/{kind};base64,{data}">'


@cache
def script_hash() -> str:
    """Return the SHA-256 of the script of pages in base64, which identifies the player of a page."""
    return base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()


@cache
def _script() -> str:
    return without_end_tags(f"{player_script('drop.js', 'page.js')}\nlissom.startPage();")


def without_end_tags(script: str) -> str:
    """Return a script with the text that would end its element escaped by backslashes."""
    return re.sub("<!--", r"<\\!--", re.sub("</(?=script)", r"<\\/", script, flags=re.IGNORECASE))
