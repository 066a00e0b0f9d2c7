# SPDX-License-Identifier: MIT
"""The work of ``lissom bake``: bake clips into float textures, and report their errors."""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import lissom
from lissom._base.names import counted
from lissom._formats.atomic import write_atomically
from lissom._formats.faults import make_folder
from lissom._formats.kind import BAKE_SUFFIX
from lissom._jobs.engines import check_address
from lissom._jobs.summary import worker_lines
from lissom._store import open_store
from lissom.cli import bake_pictures, output
from lissom.cli.bake_jobs import plan
from lissom.cli.job_run import JobRun
from lissom.cli.planned import Planned
from lissom.cli.raised_rates import raised_rates
from lissom.cli.show import page_beside

__all__ = ["Where", "bake", "clip_table"]

MOST_ROWS = 24
"""Most clips in a table; of more, those with the largest errors are shown."""


class Where(NamedTuple):
    """Who bakes, where bakes go other than a folder, and where the summary of that is written."""

    on: str | None = None
    store: str | None = None
    summary: Path | None = None

    @property
    def is_usual(self) -> bool:
        """Whether threads of this process bake into folders."""
        return self.on is None and self.store is None

    def check(self, out: Path | None, beside: dict[str, object]) -> None:
        """Refuse options that do not go together; `beside` are those of what is written beside a bake."""
        if self.on is not None:
            try:
                check_address(self.on)
            except ValueError as error:
                output.misuse("--on", str(error).removeprefix("bake_many: executor "))
        if self.store is not None:
            if self.store.lower().startswith("memory:"):
                output.misuse(
                    "--store",
                    f"must be a folder or a bucket, got {self.store}, which would be gone with this command; "
                    "memory is for lissom.bake_many in Python",
                )
            if out is not None:
                output.misuse("-o", "must be left out with --store, where bakes are named by their keys")
            for option, value in beside.items():
                if value:
                    output.misuse(option, "must be left out with --store; draw what you fetch from there")
            try:
                open_store(self.store)
            except ValueError as error:
                output.misuse("--store", str(error).removeprefix("store: ").removeprefix("url "))
        if self.summary is not None:
            if self.is_usual:
                output.misuse("--summary", "must come with --on or --store")
            output.require_file("--summary", self.summary)

    def bake_many(
        self, jobs: list[lissom.BakeJob], *, workers: int, resume: bool, progress: Any
    ) -> Iterator[lissom.BakeRecord]:
        """Bake as `lissom.bake_many` does."""
        if self.on is None:
            options = {"workers": workers, "progress": progress}
        else:
            options = {"workers": workers if self.on == "processes" else None}
        return lissom.bake_many(jobs, self.on, store=self.store, resume=resume, **options)


def bake(
    sources: Sequence[str],
    out: Path | None,
    options: dict[str, Any],
    workers: int | None,
    resume: bool,
    report: Path | None,
    has_pages: bool,
    as_json: bool,
    where: Where,
) -> int:
    """Bake each source and return the exit code."""
    where.check(out, {"--report": report, "--html": has_pages})
    planned = plan(sources, out, options, None if where.store is None else Path())
    run = _Bakes(planned, as_json, report, has_pages, where)
    if where.store is None:
        run.require_folders(out)
    if report is not None:
        bake_pictures.check_output(report, len(planned))
    return run.run(where.bake_many, workers, resume)


class _Bakes(JobRun):
    """A run that bakes, with a picture and a page of each bake."""

    def __init__(
        self, planned: list[Planned], as_json: bool, report: Path | None, has_pages: bool, place: Where
    ) -> None:
        super().__init__(planned, as_json)
        self.place = place
        self.summary = lissom.BakeSummary()
        self.has_manifests = place.store is None
        self.has_pages = has_pages
        self.report = report
        self.with_page: set[str] = set()  # paths of bakes

    def write_beside(self, record: lissom.BakeRecord) -> None:
        self.summary.add(record)
        if record.path is None:
            return
        try:
            if self.report is not None:
                bake_pictures.draw(Path(record.path), record.name, self.report)
            if self.has_pages:
                title = record.name.removesuffix(BAKE_SUFFIX)
                page_beside(Path(record.path), title, is_kept=record.reused)
                self.with_page.add(record.path)
        except OSError as error:
            self.faults.append(output.sentence(error))

    def kept(self, record: lissom.BakeRecord) -> lissom.BakeRecord:
        if self.place.store is None or self.as_json or self.is_single or record.report is None:
            return record
        # The store has the report. Kept for a million jobs, they would take tens of gigabytes.
        return dataclasses.replace(record, report={"hints": record.report["hints"]})

    def facts(self, record: lissom.BakeRecord) -> str:
        report = _report(record)
        size = f"{report['file_bytes'] / 1024:,.0f} KiB"
        clips = counted(len(report["clips"]), "clip")
        error = f"{report['max_relative']:.3%}"
        return f"{clips:>9}  {report['dtype']}  {size:>11}  max error {error:>8}"

    def remark(self, record: lissom.BakeRecord) -> str:
        return raised_rates(_report(record))

    def where(self) -> str:
        if self.place.store is not None:
            return f": {self.place.store}, by names/"
        return "; a page beside each bake plays it" if self.with_page else ""

    def write_last(self) -> None:
        if self.place.is_usual:
            return
        if not self.as_json:
            for line in worker_lines(self.summary):
                output.stdout().print(output.Line(line), soft_wrap=True)
        if self.place.summary is not None:
            make_folder(self.place.summary.parent)
            write_atomically(self.place.summary, [output.json_text(self.summary.to_dict()).encode()])

    def write_hints(self, records: list[lissom.BakeRecord]) -> None:
        reports = [record.report for record in records if record.report is not None]
        hints = [len(report["hints"]) for report in reports if report["hints"]]
        if hints:
            clips = counted(sum(hints), "clip")
            files = counted(len(hints), "file")
            what = f"error above 0.5 % of the size in {clips} of {files}"
            advice = "; --max-error 0.005 or less limits it, --json lists the clips and the reasons"
            line = output.Line.assemble(("hint: ", "yellow"), what, advice)
            output.stdout().print(line, soft_wrap=True)

    def without_clips(self, item: Planned) -> str:
        return f"{item.job.source}: has no clips to bake; `lissom show` makes a page of its rest pose"

    def document(self, record: lissom.BakeRecord) -> dict[str, Any]:
        has_page = record.path is not None and record.path in self.with_page
        return {"page": str(_page(record))} if has_page else {}

    def write_report(self, record: lissom.BakeRecord) -> None:
        """Write the table of clips of the only file that was baked, and the path of its page."""
        report, console = _report(record), output.stdout()
        size = f"{report['file_bytes'] / 1024:,.0f} KiB"
        state = ", unchanged" if record.reused else ""
        head = (str(record.path), "bold"), f"  {report['dtype']}, {report['frames']} frames, {size}{state}"
        console.print(output.Line.assemble(*head), soft_wrap=True)
        clips = dict(sorted(report["clips"].items(), key=lambda item: -item[1]["error"]["max_relative"]))
        shown = report["clips"] if len(clips) <= MOST_ROWS else dict(list(clips.items())[:MOST_ROWS])
        console.print(clip_table(shown))
        if len(shown) < len(clips):
            within = list(clips.values())[MOST_ROWS]["error"]["max_relative"]
            count = len(clips) - len(shown)
            rest = f"and {count} clips with at most {within:.2e} of the size; --json lists them"
            console.print(output.Line(rest), soft_wrap=True)
        for note in report["notes"]:
            console.print(output.Line(note), soft_wrap=True)
        for hint in report["hints"]:
            console.print(output.Line.assemble(("hint: ", "yellow"), hint), soft_wrap=True)
        if record.path in self.with_page:
            line = output.Line.assemble((str(_page(record)), "bold"), "  plays it: open this in a browser")
            console.print(line, soft_wrap=True)
        sys.stdout.flush()


def _report(record: lissom.BakeRecord) -> dict[str, Any]:
    assert record.report is not None
    return record.report


def _page(record: lissom.BakeRecord) -> Path:
    return Path(str(record.path)).with_suffix(".html")


def clip_table(clips: dict[str, Any]) -> Any:
    """Return the table of a report's clips, as in `BakeReport.to_dict`."""
    rows = output.table("clip", "frames", "rate", "loop", "max error", "p99", "rms", "max / size")
    for name, clip in clips.items():
        error = clip["error"]
        rows.add_row(
            output.Line(name),
            str(clip["frame_count"]),
            f"{clip['rate']:.4g}",
            "yes" if clip["loop"] else "no",
            f"{error['max']:.3g}",
            f"{error['p99']:.3g}",
            f"{error['rms']:.3g}",
            f"{error['max_relative']:.2e}",
        )
    return rows
