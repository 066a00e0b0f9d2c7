# SPDX-License-Identifier: MIT
"""The pictures of ``lissom bake --report``: the errors of bakes."""

from __future__ import annotations

from pathlib import Path

import lissom
from lissom._base.extras import require
from lissom._formats.faults import make_folder
from lissom._formats.kind import BAKE_SUFFIX
from lissom._formats.picture_files import PICTURES
from lissom.cli import output

__all__ = ["check_output", "draw"]


def check_output(report: Path, count: int) -> None:
    """Refuse a path that cannot hold the pictures of `count` bakes; raise ImportError without Pillow."""
    if not _is_picture(report):
        output.require_folder("--report", report)
    elif count > 1:
        output.misuse("--report", f"must be a folder for {count} inputs, got the picture {report}")
    else:
        output.require_file("--report", report)
    require("PIL", "gl", "--report")


def draw(bake: Path, name: str, report: Path) -> None:
    """Draw the report of a bake into the picture `report`, or into that folder under the bake's name."""
    picture = report if _is_picture(report) else report / f"{name.removesuffix(BAKE_SUFFIX)}.png"
    make_folder(picture.parent)
    lissom.load_bake(bake, verify=False).report.picture().save(picture)


def _is_picture(report: Path) -> bool:
    return report.suffix.lower() in PICTURES
