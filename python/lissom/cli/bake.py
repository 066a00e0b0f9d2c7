# SPDX-License-Identifier: MIT
"""The work of ``lissom bake``: bake clips into float textures, and report their errors."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import lissom
from lissom._base.names import counted
from lissom._formats.kind import BAKE_SUFFIX
from lissom.cli import bake_pictures, output
from lissom.cli.bake_jobs import plan
from lissom.cli.job_run import JobRun
from lissom.cli.planned import Planned
from lissom.cli.show import page_beside

__all__ = ["bake", "clip_table"]

MOST_ROWS = 24
"""Most clips in a table; of more, those with the largest errors are shown."""


def bake(
    sources: Sequence[str],
    out: Path | None,
    options: dict[str, Any],
    workers: int | None,
    resume: bool,
    report: Path | None,
    has_pages: bool,
    as_json: bool,
) -> int:
    """Bake each source and return the exit code."""
    planned = plan(sources, out, options)
    run = _Bakes(planned, as_json, report, has_pages)
    run.require_folders(out)
    if report is not None:
        bake_pictures.check_output(report, len(planned))
    return run.run(lissom.bake_many, workers, resume)


class _Bakes(JobRun):
    """A run that bakes, with a picture and a page of each bake."""

    def __init__(self, planned: list[Planned], as_json: bool, report: Path | None, has_pages: bool) -> None:
        super().__init__(planned, as_json)
        self.has_pages = has_pages
        self.report = report
        self.with_page: set[str] = set()  # paths of bakes

    def write_beside(self, record: lissom.BakeRecord) -> None:
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

    def facts(self, record: lissom.BakeRecord) -> str:
        report = _report(record)
        size = f"{report['file_bytes'] / 1024:,.0f} KiB"
        clips = counted(len(report["clips"]), "clip")
        error = f"{report['max_relative']:.3%}"
        return f"{clips:>9}  {report['dtype']}  {size:>11}  max error {error:>8}"

    def where(self) -> str:
        return "; a page beside each bake plays it" if self.with_page else ""

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
