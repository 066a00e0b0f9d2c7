# SPDX-License-Identifier: MIT
"""The work of ``lissom export``: bake clips, and write them as folders for another engine."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lissom._base.names import counted
from lissom._formats.kind import MODEL_SUFFIXES
from lissom._jobs.export_job import ExportJob
from lissom._jobs.records import Record
from lissom._jobs.run_many import run_many
from lissom.cli import output
from lissom.cli.job_run import JobRun
from lissom.cli.planned import Planned, expanded, named_apart, named_job_file, refuse_field

__all__ = ["export"]


def export(
    sources: Sequence[str],
    out: Path | None,
    options: dict[str, Any],
    workers: int | None,
    resume: bool,
    as_json: bool,
) -> int:
    """Export each source and return the exit code."""
    run = _Exports(_plan(sources, out, options), as_json)
    run.require_folders(out)
    return run.run(run_many, workers, resume)


def _plan(sources: Sequence[str], out: Path | None, options: dict[str, Any]) -> list[Planned]:
    """Return the jobs: one file goes into the folder itself, several into folders in it."""
    jobs = named_job_file(sources, out, options, ExportJob, "IN")
    if jobs is None:
        if out is None:
            output.misuse("-o", "is required: the folder to write")
        if "form" not in options:
            output.misuse("--form", "is required: three, babylon, godot, ...")
        place: dict[str, Any] = {"output": str(out)}
        named = {"output": "-o"}
        if len(sources) == 1 and not Path(sources[0]).is_dir():
            whole = out if out.name not in ("", "..") else Path(os.path.abspath(out))  # "." and ".."
            place = {"output": str(whole.parent), "name": whole.name, "keyed": False}
            named["name"] = "-o"
        try:
            jobs = [ExportJob(source, **options, **place) for source in sources]
        except ValueError as error:
            refuse_field(error, ExportJob, "IN", named)
    return named_apart([planned for job in jobs for planned in expanded(job, MODEL_SUFFIXES)])


class _Exports(JobRun):
    """A run in which each source becomes a folder."""

    def facts(self, record: Record) -> str:
        report = _report(record)
        size = f"{report['file_bytes'] / 1024:,.0f} KiB"
        clips = counted(len(report["clips"]), "clip")
        return f"{clips:>9}  {report['form']}  {size:>11}  max error {report['max_relative']:>8.3%}"

    def without_clips(self, item: Planned) -> str:
        return f"{item.job.source}: has no clips to export"

    def write_report(self, record: Record) -> None:
        """Write the path of the only folder, and the errors of its clips."""
        report, console = _report(record), output.stdout()
        size = f"{report['file_bytes'] / 1024:,.0f} KiB"
        facts = f"  {report['form']}, {counted(len(report['files']), 'file')}, {size}, {report['axes']}"
        console.print(output.Line.assemble((str(record.path), "bold"), facts), soft_wrap=True)
        table = output.table("clip", "largest", "of the size", "99 % below", "rms")
        for name, error in report["clips"].items():
            numbers = (f"{error[key]:.3g}" for key in ("max", "p99", "rms"))
            largest, p99, rms = numbers
            table.add_row(name, largest, f"{error['max_relative']:.3%}", p99, rms)
        console.print(table)


def _report(record: Record) -> dict[str, Any]:
    assert record.report is not None
    return record.report
