# SPDX-License-Identifier: MIT
"""The jobs of ``lissom bake``: one for each file named, found in a folder or listed in a job file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lissom
from lissom._base.names import counted
from lissom._formats.kind import BAKE_SUFFIX, MODEL_SUFFIXES, MOTION_SUFFIX
from lissom.cli import inputs, output
from lissom.cli.planned import Planned, expanded, named_apart, named_job_file, output_fields, refuse_field

__all__ = ["plan"]


def plan(
    sources: Sequence[str], out: Path | None, options: dict[str, Any], otherwise: Path | None = None
) -> list[Planned]:
    """Return the jobs, no two of which write the same file.

    Parameters
    ----------
    sources : sequence of str
        Files, folders and samples, or one job file.
    out : Path, optional
        Folder or file to write; a job file may say it instead.
    options : dict
        Fields of every `lissom.BakeJob`.
    otherwise : Path, optional
        Folder of jobs that have none from `out` or a job file; they are refused when omitted.
    """
    jobs = named_job_file(sources, out, options, lissom.BakeJob, "IN", otherwise)
    if jobs is None:
        out = out or otherwise
        if out is None:
            output.misuse("-o", "is required: a folder, or for one input a .safetensors file")
        options = {**options, **output_fields(sources, out, BAKE_SUFFIX)}
        try:
            jobs = [lissom.BakeJob(source, **options) for source in sources]
        except ValueError as error:
            refuse_field(error, lissom.BakeJob, "IN")
    for source in dict.fromkeys(job.source for job in jobs):
        _report_recordings(source)
    return named_apart([planned for job in jobs for planned in expanded(job, MODEL_SUFFIXES)])


def _report_recordings(source: str) -> None:
    """Report how many files of a folder are not baked although lissom reads them."""
    if not Path(source).is_dir():
        return
    found = len(inputs.files_below(Path(source), (MOTION_SUFFIX,)))
    if found:
        files = counted(found, f"{MOTION_SUFFIX} file")
        output.say(f"{source}: skipped {files}: a recording has no mesh; name it to bake it, too")
