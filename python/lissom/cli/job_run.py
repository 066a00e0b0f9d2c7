# SPDX-License-Identifier: MIT
"""Running the jobs of a command: progress, a line for each record, totals, faults and the exit code."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from rich.text import Text

from lissom._jobs.records import Record
from lissom._jobs.run_many import core_count
from lissom.cli import output
from lissom.cli.planned import Planned

__all__ = ["INTERRUPTED", "JobRun"]

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells define it."""

STATES = {"failed": "failed", "unfinished": "are unfinished"}
"""What is said of jobs that did not succeed, by what became of them."""

OutputName = tuple[str, str]  # folder and name: no two jobs of a run have the same
RunMany = Callable[..., Iterator[Any]]


class JobRun:
    """The records of a run, reported as they arrive. What is said of each kind of jobs is in subclasses."""

    def __init__(self, planned: list[Planned], as_json: bool) -> None:
        self.planned = planned
        self.as_json = as_json
        self.records: dict[OutputName, Any] = {}
        self.has_manifests = True
        self.faults: list[str] = []  # of what is written beside the outputs
        self.left: set[str] = set()  # why jobs are unfinished
        self.is_single = len(planned) == 1
        self._name_width = max(len(item.job.title) for item in planned)
        self._started = time.perf_counter()

    def require_folders(self, out: Path | None) -> None:
        """Refuse outputs that cannot be written, before any work is done; `out` is the option -o."""
        for folder in dict.fromkeys(item.job.path("").parent for item in self.planned):
            output.require_folder("output" if out is None else "-o", folder)

    def run(self, run_many: RunMany, workers: int | None, resume: bool) -> int:
        """Do the jobs and return the exit code. A faulty source is reported on stderr and skipped.

        `run_many` is `lissom.bake_many`, or one like it for another kind of jobs.
        """
        try:
            self._run(run_many, min(workers or core_count(), len(self.planned)), resume)
        except KeyboardInterrupt:
            done = f"{len(self.records)} of {len(self.planned)} are done"
            output.say(f"interrupted: {done}; run the same command again to continue")
            return INTERRUPTED
        except OSError as error:  # the manifest could not be written, after everything else
            if len(self.records) < len(self.planned):
                raise
            self.faults.append(output.sentence(error))
        self._conclude()
        return 0 if not self.faults and all(map(self._is_ok, self.planned)) else 1

    def _run(self, run_many: RunMany, workers: int, resume: bool) -> None:
        items = {_output_name(item.job): item for item in self.planned}
        # Large files first: then all workers end at about the same time.
        jobs = sorted((item.job for item in self.planned), key=lambda job: -_size(job.source))
        with output.progress() as bar:
            if not self.is_single:
                bar(0, len(jobs), "")

            def clip_done(job: Any, done: int, total: int, clip: str) -> None:
                if self.is_single:
                    bar(done, total, clip)
                else:
                    bar(len(self.records), len(jobs), f"{job.title}: {clip}")

            for record in run_many(jobs, workers=workers, resume=resume, progress=clip_done):
                name = record.output, record.name
                self.records[name] = self.kept(record)
                if not self.as_json and not self.is_single and not self._is_left_as_others(record):
                    output.stdout().print(self._line(items[name], record), soft_wrap=True)
                self.write_beside(record)
                if not self.is_single:
                    bar(len(self.records), len(jobs), record.name)

    def _conclude(self) -> None:
        """Write the JSON document, the table of a single file or the totals of several; then the faults."""
        if self.as_json:
            output.write_json([self._document(item) for item in self.planned])
        elif self.is_single:
            self._write_single(self.planned[0])
        else:
            self._write_totals()
        self.write_last()
        bad = [item for item in self.planned if not self._is_ok(item)]
        counts = Counter((self._sentence(item), self._state(item)) for item in bad)
        for (sentence, state), count in counts.items():
            many = f"{count} of {len(self.planned)} jobs {STATES[state]}: " if count > 1 else ""
            output.say(f"{many}{sentence}")
        for fault in self.faults:
            output.say(fault)

    def record(self, item: Planned) -> Any:
        """Return the record of a job."""
        return self.records[_output_name(item.job)]

    def kept(self, record: Any) -> Any:
        """Return what is kept of a record until all are done."""
        return record

    def write_beside(self, record: Any) -> None:
        """Write what belongs beside an output; add to `faults` what cannot be written."""

    def facts(self, record: Any) -> str:
        """Return the part of a line that says what was measured."""
        raise NotImplementedError

    def remark(self, record: Any) -> str:
        """Return what a line says at its end, beyond what all lines do."""
        return ""

    def write_report(self, record: Any) -> None:
        """Write the report of the only file."""
        raise NotImplementedError

    def write_hints(self, records: list[Any]) -> None:
        """Write what is to be said of all good records, after the totals."""

    def write_last(self) -> None:
        """Write what is to be said of all records, before the faults."""

    def without_clips(self, item: Planned) -> str:
        """Return the sentence of a file that was named and has no clips."""
        raise NotImplementedError

    def document(self, record: Any) -> dict[str, Any]:
        """Return facts for the JSON document beside those of the record and its report."""
        return {}

    def where(self) -> str:
        """Return what is said after the manifests."""
        return ""

    def _is_ok(self, item: Planned) -> bool:
        """Return whether a job succeeded; a model without clips is a fault only where it was named."""
        record = self.record(item)
        return record.report is not None or (record.status == "no clips" and item.is_found)

    def _state(self, item: Planned) -> str:
        """Return what became of a job that did not succeed."""
        return "unfinished" if self.record(item).status == "unfinished" else "failed"

    def _is_left_as_others(self, record: Record) -> bool:
        """Return whether a job is unfinished for a reason that others have had: they may be thousands."""
        if record.status != "unfinished":
            return False
        is_known = record.message in self.left
        self.left.add(record.message)
        return is_known

    def _sentence(self, item: Planned) -> str:
        record: Record = self.record(item)
        if record.status == "no clips":
            return self.without_clips(item)
        is_old = record.status == "failed" and record.reused
        return record.message + (" (in an earlier run; --anew tries again)" if is_old else "")

    def _line(self, item: Planned, record: Record) -> Text:
        name = output.Line(f"{record.name:<{self._name_width}}  ")
        if not self._is_ok(item):
            return name.append(record.status, "red")
        if record.report is None:
            return name.append("no clips, skipped")
        state = "unchanged" if record.reused else f"{record.seconds:.1f} s"
        remark = self.remark(record)
        return name.append(f"{self.facts(record)}  {state:>9}{'  ' if remark else ''}{remark}")

    def _write_single(self, item: Planned) -> None:
        record = self.record(item)
        if not self._is_ok(item):
            return
        if record.report is None:
            output.stdout().print(output.Line(f"{record.source}: no clips, skipped"), soft_wrap=True)
            return
        self.write_report(record)

    def _write_totals(self) -> None:
        kind = self.planned[0].job._kind
        good = [self.record(item) for item in self.planned if self._is_ok(item)]
        states = Counter(self._state(item) for item in self.planned if not self._is_ok(item))
        totals = {
            kind.participle: sum(record.report is not None and not record.reused for record in good),
            "unchanged": sum(record.report is not None and record.reused for record in good),
            "without clips": sum(record.report is None for record in good),
            "failed": states["failed"],
            "unfinished": states["unfinished"],
        }
        counts = ", ".join(f"{count} {what}" for what, count in totals.items() if count)
        seconds = time.perf_counter() - self._started
        manifests = sorted({Path(item.job.output, kind.manifest_file) for item in self.planned})
        where = ", ".join(str(path) for path in manifests if self.has_manifests and path.exists())
        text = f"{counts} in {seconds:.1f} s{': ' if where else ''}{where}{self.where()}"
        output.stdout().print(output.Line(text), soft_wrap=True)
        self.write_hints(good)

    def _document(self, item: Planned) -> dict[str, Any]:
        """Return the JSON document of a job."""
        record: Record = self.record(item)
        is_ok = self._is_ok(item)
        facts: dict[str, Any] = {"file": record.source, "ok": is_ok}
        if is_ok:
            facts["skipped"] = record.status == "no clips"
        if not is_ok:
            facts["message"] = self._sentence(item)
        elif record.report is None:
            facts["message"] = "no clips, skipped"
        facts.update(name=record.name, status=record.status, reused=record.reused, key=record.key)
        if record.report is not None:
            facts.update(output=record.path, seconds=record.seconds, **record.report)
            facts.update(self.document(record))
        return facts


def _output_name(job: Any) -> OutputName:
    return job.output, job.title


def _size(source: str) -> int:
    try:
        return Path(source).stat().st_size
    except OSError:
        return 0
