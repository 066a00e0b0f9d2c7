# SPDX-License-Identifier: MIT
"""The work of one export in the calling process: load, bake, write the folder and report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom._formats.faults import make_folder
from lissom._jobs.bake_work import baked_of

if TYPE_CHECKING:
    from lissom._jobs.export_job import ExportJob

__all__ = ["export_to"]


def export_to(
    job: ExportJob, target: Path, progress: Callable[[int, int, str], None] | None = None
) -> dict[str, Any] | None:
    """Write the folder of a job; return its report as plain values, or None for a model without clips."""
    made = baked_of(job, progress)
    if made is None:
        return None
    character, baked = made
    make_folder(target.parent)
    report = baked.export(
        job.form,
        target,
        name=Path(job.title).name,
        rate=job.vertex_rate,
        source=character,
        **job.form_options,
    )
    told = report.to_dict()
    return {**told, "file_bytes": sum(report.files.values()), "max_relative": report.error.max_relative}
