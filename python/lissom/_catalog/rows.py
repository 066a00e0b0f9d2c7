# SPDX-License-Identifier: MIT
"""The rows of one bake: from the report in its record, or from the bake itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from lissom._jobs.key import file_digest
from lissom.pose_texture._file import load_bake

__all__ = ["Row", "rows_of", "rows_of_file"]

Row = dict[str, Any]
"""Values of a row by column; columns that it lacks are null."""

TEXEL_NUMBERS = 4


def rows_of(report: Mapping[str, Any], facts: Mapping[str, Any], place: str) -> list[Row]:
    """Return a row for each clip of a report as `BakeReport.to_dict` makes it, with the facts of the bake.

    ValueError that names `place` where the report is none.
    """
    try:
        return _rows(report, facts)
    except (KeyError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(f"{place} has a report that cannot be read: {error!r}") from None


def _rows(report: Mapping[str, Any], facts: Mapping[str, Any]) -> list[Row]:
    layout = {name: report[name] for name in ("layout", "dtype", "rows", "texels_per_row", "size")}
    frame_bytes = (
        report["rows"] * report["texels_per_row"] * TEXEL_NUMBERS * np.dtype(report["dtype"]).itemsize
    )
    size = report["size"]
    result = []
    first = 0
    for name, clip in report["clips"].items():
        error, worst = clip["error"], clip["error"].get("worst")
        frames = clip["frame_count"]
        result.append(
            {
                **facts,
                **layout,
                "clip": name,
                "first_frame": first,
                "frames": frames,
                "rate": _exact_rate(clip["rate"], frames - 1, clip["start"], clip["duration"]),
                "asked_rate": clip.get("asked_rate"),
                **{fact: clip[fact] for fact in ("start", "duration", "loop")},
                "bytes": frames * frame_bytes,
                "max_relative": error["max_relative"],
                "p99_relative": _share(error["p99"], size),
                "rms_relative": _share(error["rms"], size),
                "worst_joint": None if worst is None else worst["joint"],
                "worst_time": None if worst is None else worst["time"],
            }
        )
        first += frames
    return result


def _exact_rate(rate: float, intervals: int, start: float, duration: float) -> float:
    """Return a rate without what it has from times that files round to float32, such as 30 for 29.9999993.

    That is the one of the fewest decimals, three at most, whose duration is within that rounding.
    """
    rounding = float(np.spacing(np.float32(max(abs(start), abs(start + duration)))))
    for decimals in range(4):
        exact = round(rate, decimals)
        if exact > 0 and abs(intervals / exact - duration) <= rounding:
            return exact
    return rate


def rows_of_file(path: Path, output: str) -> list[Row]:
    """Return the rows of a bake without a record; its tables are checked and its texels are not.

    ValueError or OSError where it is no bake.
    """
    bake = load_bake(path, verify=False)
    _, rows, texels, _ = bake.texels.shape
    report = {**bake.report.to_dict(), "rows": rows, "texels_per_row": texels}
    facts = {
        "name": Path(output).with_suffix("").as_posix(),
        "output": output,
        "source_hash": bake.source_hash or None,
        "hash": file_digest(path),
    }
    return rows_of(report, facts, str(path))


def _share(distance: float, size: float) -> float:
    return distance / size if size > 0 else 0.0
