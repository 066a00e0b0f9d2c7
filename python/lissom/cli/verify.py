# SPDX-License-Identifier: MIT
"""The work of ``lissom verify``: a bake beside its source, as lines, JSON and a picture."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from lissom._jobs.sources import load
from lissom.cli import output

__all__ = ["verify"]


def verify(source: str, bake: Path, options: dict[str, Any], picture: Path | None, as_json: bool) -> bool:
    """Judge a bake, write what was found, and return whether it is sound."""
    import lissom

    if picture is not None:
        output.require_file("-o", picture)
    report = lissom.verify(load(source), bake, **options)
    if picture is not None:
        report.picture().save(picture)
    if as_json:
        output.write_json(report.to_dict())
        return report.ok
    console = output.stdout()
    for line in str(report).splitlines():
        console.print(output.Line(line), soft_wrap=True)
    if picture is not None:
        console.print(output.Line(str(picture)), soft_wrap=True)
    return report.ok
