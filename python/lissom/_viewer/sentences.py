# SPDX-License-Identifier: MIT
"""Sentences about files, as the page of a viewer says them."""

from __future__ import annotations

import re

__all__ = ["ENDED", "of_dropped", "of_page"]

ENDED = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>No viewer here</title>
</head>
<body>
<main>
<h1>There is no viewer at this address</h1>
<p>It is of a viewer that has ended, or it was not copied whole. Run <code>lissom view</code> again, and open
the address that it prints.</p>
</main>
</body>
</html>
"""
"""What every address says that is not of this viewer: the same, whatever is wrong with it."""

_CODE = re.compile(r" \[[A-Z][A-Z0-9_]*\]$")


def of_page(fault: str) -> str:
    """Return a fault without the code at its end, which is for programs."""
    return _CODE.sub("", fault)


def of_dropped(fault: str) -> str:
    """Return the fault of a file that was dropped, which comes without those beside it."""
    if not fault.endswith(" is not beside the file [IO_ERROR]"):
        return of_page(fault)
    return f"{of_page(fault)}: a dropped file comes alone; lissom view opens it from its place"
