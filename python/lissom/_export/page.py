# SPDX-License-Identifier: MIT
"""Pages of packages, filled in for one export."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from importlib import resources
from urllib.parse import quote

__all__ = ["address", "filled_page"]


def address(name: str) -> str:
    """Return the address of a file beside a page: "#", "?" and "%" of its name mean others there."""
    return quote(name, safe="")


def filled_page(package: str, title: str, settings: Mapping[str, object]) -> str:
    """Return the page of a package with another title, and settings in place of its own."""
    page = (resources.files("lissom") / "packages" / package / "page.html").read_text(encoding="utf-8")
    text = json.dumps(settings).replace("<", "\\u003c")
    page = re.sub(r'(?<=id="settings">).*?(?=</script>)', lambda _: text, page)
    return page.replace("<title>hero</title>", f"<title>{escape(title)}</title>")
