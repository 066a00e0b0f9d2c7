# SPDX-License-Identifier: MIT
"""The demo's report: the same facts as Markdown for people and as JSON for scripts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from lissom.cli import output

__all__ = ["JSON", "MARKDOWN", "summary", "write"]

MARKDOWN = "report.md"
JSON = "report.json"


def write(folder: Path, facts: dict[str, Any]) -> None:
    """Write both forms, each atomically; Markdown last."""
    for name, text in ((JSON, output.json_text(facts)), (MARKDOWN, markdown(facts))):
        part = folder / f".{name}.{os.getpid()}"
        part.write_text(text, encoding="utf-8")
        part.replace(folder / name)


def markdown(facts: dict[str, Any]) -> str:
    """Return the report as a page that shows the pictures beside it."""
    config, hero, bake = facts["config"], facts["humanoid"], facts["bake"]
    lines = ["# What lissom made", ""]
    for picture in facts["pictures"]:
        lines += [f"## {picture['title']}", "", f"![{picture['title']}]({picture['file']})", ""]
    lines += ["## Two methods, in numbers", ""]
    lines += _table(["character", "size", "max", "p99", "rms", "max / size", "rms / size"], _distances(facts))
    lines += ["", "Distances between the vertices of linear and dual quaternion skinning, in model units."]
    lines += ["", "## The bake", ""]
    lines.append(
        f"`{bake['file']}`: {bake['file_bytes'] / 1024:,.0f} KiB, {bake['dtype']}. The error is measured on "
        f"{bake['vertex_count']:,} {bake['measured']} by {bake['method']} skinning, at frames and between "
        f"them, in units of a character of size {bake['size']:.4g}. Requested: at most "
        f"{bake['max_error']:g} of the size."
    )
    lines += ["", *_table(["clip", "frames", "rate", "max", "p99", "rms", "max / size"], _errors(bake))]
    if bake["notes"]:
        lines += ["", *(f"- {note}" for note in bake["notes"])]
    page = facts["page"]
    lines += [
        "",
        f"[{page['file']}]({page['file']}), {page['file_bytes'] / 1024:,.0f} KiB, plays it in a browser.",
    ]
    lines += ["", "## Times", ""]
    lines.append(
        f"The humanoid has {hero['joints']} joints, {hero['vertices']:,} vertices with up to "
        f"{hero['influences']} influences, and {len(hero['clips'])} clips. The first drawing includes "
        f"one-time set-up. lissom {config['lissom']}, Python {config['python']}, {config['platform']}, "
        f"{config['threads']} threads."
    )
    lines += ["", *_table(["step", "milliseconds"], _milliseconds(facts["seconds"])), ""]
    return "\n".join(lines)


def summary(folder: Path, facts: dict[str, Any]) -> str:
    """Return a few lines that name the files to look at."""
    worst = max(clip["error"]["max_relative"] for clip in facts["bake"]["clips"].values())
    lines = [f"{folder / picture['file']}  {picture['title']}" for picture in facts["pictures"]]
    lines.append(f"{folder / facts['bake']['file']}  the bake; error at most {worst:.1e} of the size")
    lines.append(f"{folder / facts['page']['file']}  plays it: open this in a browser")
    lines.append(f"{folder / MARKDOWN}  the numbers")
    return "\n".join(lines)


def _distances(facts: dict[str, Any]) -> list[list[str]]:
    rows = []
    for name, numbers in facts["comparisons"].items():
        values = [f"{numbers[key]:.4g}" for key in ("size", "max", "p99", "rms")]
        rows.append([name, *values, f"{numbers['max_relative']:.2%}", f"{numbers['rms_relative']:.2%}"])
    return rows


def _errors(bake: dict[str, Any]) -> list[list[str]]:
    rows = []
    for name, clip in bake["clips"].items():
        error = clip["error"]
        values = [f"{error[key]:.2e}" for key in ("max", "p99", "rms", "max_relative")]
        rows.append([name, str(clip["frame_count"]), f"{clip['rate']:.4g}", *values])
    return rows


def _milliseconds(seconds: dict[str, float]) -> list[list[str]]:
    return [[name, f"{value * 1e3:,.2f}"] for name, value in seconds.items()]


def _table(head: list[str], rows: list[list[str]]) -> list[str]:
    lines = [f"| {' | '.join(head)} |", f"| {' | '.join(['---'] + ['---:'] * (len(head) - 1))} |"]
    return lines + [f"| {' | '.join(row)} |" for row in rows]
