# SPDX-License-Identifier: MIT
"""The work of ``lissom bake``: bake clips into float textures, and report their errors."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

import lissom
from lissom._bake_many.bake_many import core_count
from lissom._bake_many.manifest import MANIFEST
from lissom._base.names import counted
from lissom._formats.kind import BAKE_SUFFIX
from lissom.cli import bake_pictures, output
from lissom.cli.bake_jobs import Planned, plan
from lissom.cli.show import page_beside

__all__ = ["INTERRUPTED", "bake", "clip_table"]

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells define it."""

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
    """Bake each source and return the exit code. A faulty source is reported on stderr and skipped."""
    planned = plan(sources, out, options)
    for folder in dict.fromkeys(item.job.path("").parent for item in planned):
        output.require_folder("output" if out is None else "-o", folder)
    if report is not None:
        bake_pictures.check_output(report, len(planned))
    run = _Run(planned, as_json, report, has_pages)
    try:
        run.bake(min(workers or core_count(), len(planned)), resume)
    except KeyboardInterrupt:
        done = f"{len(run.records)} of {len(planned)} are done"
        output.say(f"interrupted: {done}; run the same command again to continue")
        return INTERRUPTED
    except OSError as error:  # the manifest could not be written, after everything else
        if len(run.records) < len(planned):
            raise
        run.faults.append(output.sentence(error))
    run.conclude()
    return 0 if run.is_ok() else 1


OutputName = tuple[str, str]  # folder and name: no two jobs of a run have the same


class _Run:
    """The records of a run, reported as they arrive."""

    def __init__(self, planned: list[Planned], as_json: bool, report: Path | None, has_pages: bool) -> None:
        self.planned = planned
        self.has_pages = has_pages
        self.report = report
        self.as_json = as_json
        self.records: dict[OutputName, lissom.BakeRecord] = {}
        self.with_page: set[OutputName] = set()
        self.faults: list[str] = []  # of pages and pictures
        self.is_single = len(planned) == 1
        self._name_width = max(len(item.job.title) for item in planned)
        self._started = time.perf_counter()

    def bake(self, workers: int, resume: bool) -> None:
        items = {_output_name(item.job): item for item in self.planned}
        # Large files first: then all workers end at about the same time.
        jobs = sorted((item.job for item in self.planned), key=lambda job: -_size(job.source))
        with output.progress() as bar:
            if not self.is_single:
                bar(0, len(jobs), "")

            def clip_done(job: lissom.BakeJob, done: int, total: int, clip: str) -> None:
                if self.is_single:
                    bar(done, total, clip)
                else:
                    bar(len(self.records), len(jobs), f"{job.title}: {clip}")

            for record in lissom.bake_many(jobs, workers=workers, resume=resume, progress=clip_done):
                name = record.output, record.name
                self.records[name] = record
                if not self.as_json and not self.is_single:
                    output.stdout().print(self._line(items[name], record), soft_wrap=True)
                self._write_beside(record)
                if not self.is_single:
                    bar(len(self.records), len(jobs), record.name)

    def _write_beside(self, record: lissom.BakeRecord) -> None:
        """Write the picture and the page of a bake; note a fault and go on where they cannot be written."""
        if record.path is None:
            return
        try:
            if self.report is not None:
                bake_pictures.draw(Path(record.path), record.name, self.report)
            if self.has_pages:
                title = record.name.removesuffix(BAKE_SUFFIX)
                page_beside(Path(record.path), title, is_kept=record.reused)
                self.with_page.add((record.output, record.name))
        except OSError as error:
            self.faults.append(output.sentence(error))

    def conclude(self) -> None:
        """Write the JSON document, the table of a single file or the totals of several; then the faults."""
        if self.as_json:
            output.write_json(
                [_document(item, self.record(item), self._has_page(item)) for item in self.planned]
            )
        elif self.is_single:
            (item,) = self.planned
            _write_single(item, self.record(item), self._has_page(item))
        else:
            self._write_totals()
        for item in self.planned:
            if not _is_ok(item, self.record(item)):
                output.say(_sentence(item, self.record(item)))
        for fault in self.faults:
            output.say(fault)

    def is_ok(self) -> bool:
        """Return whether everything was baked and written."""
        return not self.faults and all(_is_ok(item, self.record(item)) for item in self.planned)

    def record(self, item: Planned) -> lissom.BakeRecord:
        """Return the record of a job."""
        return self.records[_output_name(item.job)]

    def _has_page(self, item: Planned) -> bool:
        return _output_name(item.job) in self.with_page

    def _line(self, item: Planned, record: lissom.BakeRecord) -> Text:
        name = output.Line(f"{record.name:<{self._name_width}}  ")
        if not _is_ok(item, record):
            return name.append(record.status, "red")
        if record.report is None:
            return name.append("no clips, skipped")
        report = record.report
        size = f"{report['file_bytes'] / 1024:,.0f} KiB"
        clips = counted(len(report["clips"]), "clip")
        state = "unchanged" if record.reused else f"{record.seconds:.1f} s"
        error = f"{report['max_relative']:.3%}"
        return name.append(f"{clips:>9}  {report['dtype']}  {size:>11}  max error {error:>8}  {state:>9}")

    def _write_totals(self) -> None:
        records = [(item, self.record(item)) for item in self.planned]
        good = [record for item, record in records if _is_ok(item, record)]
        totals = {
            "baked": sum(record.report is not None and not record.reused for record in good),
            "unchanged": sum(record.report is not None and record.reused for record in good),
            "without clips": sum(record.report is None for record in good),
            "failed": len(records) - len(good),
        }
        counts = ", ".join(f"{count} {what}" for what, count in totals.items() if count)
        console = output.stdout()
        seconds = time.perf_counter() - self._started
        manifests = sorted({Path(item.job.output, MANIFEST) for item in self.planned})
        where = ", ".join(str(path) for path in manifests if path.exists())
        pages = "; a page beside each bake plays it" if self.with_page else ""
        console.print(
            output.Line(f"{counts} in {seconds:.1f} s{': ' if where else ''}{where}{pages}"), soft_wrap=True
        )
        hints = [len(record.report["hints"]) for record in good if record.report and record.report["hints"]]
        if hints:
            clips = counted(sum(hints), "clip")
            files = counted(len(hints), "file")
            what = f"error above 0.5 % of the size in {clips} of {files}"
            advice = "; --max-error 0.005 or less limits it, --json lists the clips and the reasons"
            console.print(output.Line.assemble(("hint: ", "yellow"), what, advice), soft_wrap=True)


def _output_name(job: lissom.BakeJob) -> OutputName:
    return job.output, job.title


def _size(source: str) -> int:
    try:
        return Path(source).stat().st_size
    except OSError:
        return 0


def _is_ok(item: Planned, record: lissom.BakeRecord) -> bool:
    """Return whether a job succeeded; a model without clips is a fault only where it was named."""
    return record.status == "baked" or (record.status == "no clips" and item.is_found)


def _sentence(item: Planned, record: lissom.BakeRecord) -> str:
    if record.status == "no clips":
        return f"{item.job.source}: has no clips to bake; `lissom show` makes a page of its rest pose"
    is_old = record.status == "failed" and record.reused
    return record.message + (" (in an earlier run; --anew tries again)" if is_old else "")


def _document(item: Planned, record: lissom.BakeRecord, has_page: bool) -> dict[str, Any]:
    """Return the JSON document of a job."""
    is_ok = _is_ok(item, record)
    facts: dict[str, Any] = {"file": record.source, "ok": is_ok}
    if is_ok:
        facts["skipped"] = record.status == "no clips"
    if not is_ok:
        facts["message"] = _sentence(item, record)
    elif record.report is None:
        facts["message"] = "no clips, skipped"
    facts.update(name=record.name, status=record.status, reused=record.reused, key=record.key)
    if record.report is not None:
        facts.update(output=record.path, seconds=record.seconds, **record.report)
        if has_page and record.path is not None:
            facts["page"] = str(Path(record.path).with_suffix(".html"))
    return facts


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


def _write_single(item: Planned, record: lissom.BakeRecord, has_page: bool) -> None:
    """Write the table of clips of the only file that was baked, and the path of its page."""
    console = output.stdout()
    if not _is_ok(item, record):
        return
    if record.report is None:
        console.print(output.Line(f"{record.source}: no clips, skipped"), soft_wrap=True)
        return
    report = record.report
    size = f"{report['file_bytes'] / 1024:,.0f} KiB"
    state = ", unchanged" if record.reused else ""
    head = (str(record.path), "bold"), f"  {report['dtype']}, {report['frames']} frames, {size}{state}"
    console.print(output.Line.assemble(*head), soft_wrap=True)
    clips = dict(sorted(report["clips"].items(), key=lambda item: -item[1]["error"]["max_relative"]))
    shown = report["clips"] if len(clips) <= MOST_ROWS else dict(list(clips.items())[:MOST_ROWS])
    console.print(clip_table(shown))
    if len(shown) < len(clips):
        within = list(clips.values())[MOST_ROWS]["error"]["max_relative"]
        rest = f"and {len(clips) - len(shown)} clips with at most {within:.2e} of the size; --json lists them"
        console.print(output.Line(rest), soft_wrap=True)
    for note in report["notes"]:
        console.print(output.Line(note), soft_wrap=True)
    for hint in report["hints"]:
        console.print(output.Line.assemble(("hint: ", "yellow"), hint), soft_wrap=True)
    if has_page:
        page = str(Path(str(record.path)).with_suffix(".html"))
        console.print(
            output.Line.assemble((page, "bold"), "  plays it: open this in a browser"), soft_wrap=True
        )
    sys.stdout.flush()
