# SPDX-License-Identifier: MIT
"""The page of a viewer, which asks its server for all that it shows."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache

from lissom._viewer.drop_names import MOST_UPLOAD
from lissom._viewer.shelf import SUFFIXES
from lissom.player._page import escaped_title, without_end_tags
from lissom.player._source import player_css, player_script

__all__ = ["viewer_page"]

_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{css}
</style>
</head>
<body class="view">
<main id="lissom"><noscript><p>This page shows files in 3D where scripts are allowed.</p></noscript></main>
<script>{script}</script>
</body>
</html>
"""

# The page asks its own server alone, is shown in no frame, and runs no script but its own.
_POLICY = (
    "default-src 'none'; script-src 'sha256-{hash}'; style-src 'unsafe-inline'; img-src data: blob:; "
    "worker-src blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def viewer_page(title: str) -> tuple[bytes, str]:
    """Return the page and its content security policy."""
    text = _PAGE.format(title=escaped_title(title), css=player_css("view.css"), script=_script())
    digest = base64.b64encode(hashlib.sha256(_script().encode()).digest()).decode()
    return text.encode(), _POLICY.format(hash=digest)


@cache
def _script() -> str:
    options = json.dumps({"mostUpload": MOST_UPLOAD, "suffixes": SUFFIXES})
    return without_end_tags(f"{player_script('drop.js', 'view.js')}\nlissom.startViewer({options});")
