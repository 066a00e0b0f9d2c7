# SPDX-License-Identifier: MIT
"""``lissom bake``: clips into float textures, with a report of their errors."""

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
from lissom._bake_many.work import describe
from lissom._base.names import counted
from lissom._formats.kind import BAKE_SUFFIX
from lissom.cli import bake_jobs as bake_plan
from lissom.cli import bake_pictures, output
from lissom.cli.bake_jobs import Planned
from lissom.cli.show import page_beside

__all__ = ["INTERRUPTED", "bake", "clip_table", "describe"]

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""

MOST_ROWS = 24
"""Clips in a table; of more, those with the largest errors."""


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
    """Bake each source; give the exit code. A bad one is told on stderr and passed over."""
    planned = bake_plan.plan(sources, out, options)
    for folder in dict.fromkeys(item.job.path("").parent for item in planned):
        output.require_folder("output" if out is None else "-o", folder)
    if report is not None:
        bake_pictures.check(report, len(planned))
    run = _Run(planned, as_json, report, has_pages)
    try:
        run.bake(min(workers or core_count(), len(planned)), resume)
    except KeyboardInterrupt:
        done = f"{len(run.records)} of {len(planned)} are done"
        output.say(f"interrupted: {done}; the same command goes on from there")
        return INTERRUPTED
    run.conclude()
    return 0 if run.is_ok() else 1


Place = tuple[str, str]  # output folder and name


class _Run:
    """The records of a run, told as they come."""

    def __init__(self, planned: list[Planned], as_json: bool, report: Path | None, has_pages: bool) -> None:
        self.planned = planned
        self.has_pages = has_pages
        self.report = report
        self.as_json = as_json
        self.records: dict[Place, lissom.BakeRecord] = {}
        self.paged: set[Place] = set()  # who has a page beside it
        self.faults: list[str] = []  # of what is written beside bakes
        self.is_single = len(planned) == 1
        self._wide = max(len(item.job.title) for item in planned)
        self._started = time.perf_counter()

    def bake(self, workers: int, resume: bool) -> None:
        items = {_place(item.job): item for item in self.planned}
        # Large files first: the last worker to end then ends soon after the others.
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
                place = record.output, record.name
                self.records[place] = record
                if not self.as_json and not self.is_single:
                    output.stdout().print(self._line(items[place], record), soft_wrap=True)
                self._write_beside(record)
                if not self.is_single:
                    bar(len(self.records), len(jobs), record.name)

    def _write_beside(self, record: lissom.BakeRecord) -> None:
        """Write the picture and the page of a bake; one that cannot be written costs no other bake."""
        if record.path is None:
            return
        try:
            if self.report is not None:
                bake_pictures.draw(Path(record.path), record.name, self.report)
            if self.has_pages:
                title = record.name.removesuffix(BAKE_SUFFIX)
                page_beside(Path(record.path), title, is_kept=record.reused)
                self.paged.add((record.output, record.name))
        except OSError as error:
            self.faults.append(output.sentence(error))

    def conclude(self) -> None:
        """Write what is told at the end: JSON, or the table of a single file; and what went wrong."""
        if self.as_json:
            documents = [
                _document(item, self.record(item), _place(item.job) in self.paged) for item in self.planned
            ]
            output.write_json(documents)
        elif self.is_single:
            (item,) = self.planned
            _write_single(item, self.record(item), _place(item.job) in self.paged)
        else:
            self._write_sums()
        for item in self.planned:
            if not _is_ok(item, self.record(item)):
                output.say(_sentence(item, self.record(item)))
        for fault in self.faults:
            output.say(fault)

    def is_ok(self) -> bool:
        """Whether all was baked and written."""
        return not self.faults and all(_is_ok(item, self.record(item)) for item in self.planned)

    def record(self, item: Planned) -> lissom.BakeRecord:
        """Give what came of a job."""
        return self.records[_place(item.job)]

    def _line(self, item: Planned, record: lissom.BakeRecord) -> Text:
        name = Text(f"{record.name:<{self._wide}}  ")
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

    def _write_sums(self) -> None:
        records = [(item, self.record(item)) for item in self.planned]
        good = [record for item, record in records if _is_ok(item, record)]
        sums = {
            "baked": sum(record.report is not None and not record.reused for record in good),
            "unchanged": sum(record.report is not None and record.reused for record in good),
            "without clips": sum(record.report is None for record in good),
            "failed": len(records) - len(good),
        }
        said = ", ".join(f"{count} {what}" for what, count in sums.items() if count)
        console = output.stdout()
        seconds = time.perf_counter() - self._started
        manifests = sorted({Path(item.job.output, MANIFEST) for item in self.planned})
        where = ", ".join(str(path) for path in manifests if path.exists())
        pages = "; beside each bake a page that plays it" if self.paged else ""
        console.print(Text(f"{said} in {seconds:.1f} s{': ' if where else ''}{where}{pages}"), soft_wrap=True)
        hints = [len(record.report["hints"]) for record in good if record.report and record.report["hints"]]
        if hints:
            clips = counted(sum(hints), "clip")
            files = counted(len(hints), "file")
            what = f"off by more than 0.5 % of the size: {clips} of {files}"
            advice = "; --max-error 0.005 or less mends that, --json tells which and why"
            console.print(Text.assemble(("hint: ", "yellow"), what, advice), soft_wrap=True)


def _place(job: lissom.BakeJob) -> Place:
    return job.output, job.title


def _size(source: str) -> int:
    try:
        return Path(source).stat().st_size
    except OSError:
        return 0


def _is_ok(item: Planned, record: lissom.BakeRecord) -> bool:
    """Whether nothing is wrong: a model without clips is, where it was asked for by its name."""
    return record.status == "baked" or (record.status == "no clips" and item.is_found)


def _sentence(item: Planned, record: lissom.BakeRecord) -> str:
    if record.status == "no clips":
        return f"{item.job.source}: has no clips to bake; `lissom show` makes a page of it as it stands"
    again = {"failed": " (as before; --anew tries again)" if record.reused else "", "unfinished": ""}
    return record.message + again.get(record.status, "")


def _document(item: Planned, record: lissom.BakeRecord, has_page: bool) -> dict[str, Any]:
    """Give what ``--json`` says of a job."""
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
    """Return the table of a report's clips, as `BakeReport.to_dict` gives them."""
    rows = output.table("clip", "frames", "rate", "loop", "max error", "p99", "rms", "max / size")
    for name, clip in clips.items():
        error = clip["error"]
        rows.add_row(
            Text(name),
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
    """Write the table of clips of the one file that was baked, and last where the page is."""
    console = output.stdout()
    if not _is_ok(item, record):
        return
    if record.report is None:
        console.print(Text(f"{record.source}: no clips, skipped"), soft_wrap=True)
        return
    report = record.report
    size = f"{report['file_bytes'] / 1024:,.0f} KiB"
    state = ", unchanged" if record.reused else ""
    head = (str(record.path), "bold"), f"  {report['dtype']}, {report['frames']} frames, {size}{state}"
    console.print(Text.assemble(*head), soft_wrap=True)
    clips = dict(sorted(report["clips"].items(), key=lambda item: -item[1]["error"]["max_relative"]))
    shown = report["clips"] if len(clips) <= MOST_ROWS else dict(list(clips.items())[:MOST_ROWS])
    console.print(clip_table(shown))
    if len(shown) < len(clips):
        within = list(clips.values())[MOST_ROWS]["error"]["max_relative"]
        rest = f"and {len(clips) - len(shown)} clips within {within:.2e} of the size; --json lists them"
        console.print(Text(rest), soft_wrap=True)
    for note in report["notes"]:
        console.print(Text(note), soft_wrap=True)
    for hint in report["hints"]:
        console.print(Text.assemble(("hint: ", "yellow"), hint), soft_wrap=True)
    if has_page:
        page = str(Path(str(record.path)).with_suffix(".html"))
        console.print(Text.assemble((page, "bold"), "  plays it: open this in a browser"), soft_wrap=True)
    sys.stdout.flush()
