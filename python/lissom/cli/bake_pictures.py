# SPDX-License-Identifier: MIT
"""``lissom bake --report``: pictures of the errors of bakes."""

from __future__ import annotations

from pathlib import Path

import lissom
from lissom._base.extras import require
from lissom._formats.faults import make_folder
from lissom._formats.kind import BAKE_SUFFIX
from lissom.cli import output

__all__ = ["check", "draw"]


def check(report: Path, count: int) -> None:
    """Refuse a place that cannot take the pictures of so many bakes, and a lack of what draws them."""
    if not _is_picture(report):
        output.require_folder("--report", report)
    elif count > 1:
        output.misuse("--report", f"{report} is one picture for {count} inputs; give a folder")
    else:
        output.require_file("--report", report)
    require("PIL", "gl", "--report")


def draw(bake: Path, name: str, report: Path) -> None:
    """Draw the report of a bake into a picture, or under its name into a folder."""
    picture = report if _is_picture(report) else report / f"{name.removesuffix(BAKE_SUFFIX)}.png"
    make_folder(picture.parent)
    lissom.load_bake(bake, verify=False).report.picture().save(picture)


def _is_picture(report: Path) -> bool:
    return report.suffix.lower() == ".png"
