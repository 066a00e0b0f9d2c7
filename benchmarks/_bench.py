# SPDX-License-Identifier: MIT
"""The runner of every benchmark: its options, what it times and finds, and the record it leaves.

A benchmark is a function of a `Bench`. It asserts answers, then hands runs to `Bench.table`, which times them
by turns and prints them; `python benchmarks/NAME.py` leaves build/bench/NAME.json (or `--json PATH`).
"""

from __future__ import annotations

import argparse
import datetime
import importlib.util
import os
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

import _machine
import _record
import lissom
from _measure import COPY, OURS, RIVAL, Clock, Run, Timing, by_turns
from lissom import _core

COPIED = "copying as many bytes"
INSTALL = "uv pip install --group bench"
INSTALL_NODE = "make tests/node/node_modules/.installed"
# By what each is run where it is not imported, and how it comes.
NODE_PACKAGES = ("three", "meshoptimizer", "gltfpack", "draco3dgltf")


def why_not(name: str) -> str | None:
    """Say in one line what a rival lacks here, and how it is installed; None where it is there."""
    if name in NODE_PACKAGES:
        if shutil.which("node") is None:
            return f"{name} was left out: node is not installed"
        if not (_machine.NODE / "node_modules" / name).is_dir():
            return f"{name} is not installed in tests/node and was left out: {INSTALL_NODE}"
        return None
    if importlib.util.find_spec(name) is not None:
        return None
    return f"{_machine.RIVALS.get(name, name)} is not installed and was left out: {INSTALL}"


def require(*names: str) -> None:
    """End in one line where a package is missing that a benchmark cannot do without."""
    missing = [name for name in names if importlib.util.find_spec(name) is None]
    if missing:
        packages = ", ".join(_machine.RIVALS.get(name, name) for name in missing)
        sys.exit(f"this benchmark needs {packages}: {INSTALL}")


class Table:
    """The rows of one table, in seconds of an item."""

    def __init__(self, bench: Bench, title: str, rows: list[dict[str, Any]]) -> None:
        self.bench, self.title = bench, title
        self.rows = {row["name"]: row for row in rows}

    def seconds(self, name: str) -> float:
        return float(self.rows[name]["seconds"])

    def ratio(self, rival: str, ours: str) -> float:
        """How many times as long a rival takes as one of ours."""
        return self.seconds(rival) / self.seconds(ours)

    def judge(self, name: str, bar: float, scale: float = 1e9, unit: str = "ns") -> None:
        """Say whether a row takes at most so long; `scale` is how many of the unit a second has."""
        unit = f"{unit}/{self.rows[name]['unit']}" if self.rows[name]["unit"] else unit
        self.bench.judge(name, scale * self.seconds(name), bar, unit, table=self.title)

    def judge_ratio(self, rival: str, ours: str, bar: float) -> None:
        """Say whether a rival takes at least so many times as long as one of ours."""
        name = f"{rival} / {ours}"
        self.bench.judge(name, self.ratio(rival, ours), bar, "x", at_most=False, table=self.title)


class Bench:
    """One run of a benchmark."""

    def __init__(self, script: str, text: str) -> None:
        self.name = Path(script).stem
        self.question = text.splitlines()[0]
        self.parser = argparse.ArgumentParser(
            description=text, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        self.parser.add_argument("--rounds", type=int, default=100, help="turns of each run, at most (100)")
        self.parser.add_argument("--quick", action="store_true", help="few turns: does it run at all?")
        self.parser.add_argument("--json", type=Path, help="where the record goes (build/bench/NAME.json)")
        self.argument = self.parser.add_argument
        self.options = argparse.Namespace()
        self.clock: Clock = time.perf_counter
        self.record: dict[str, Any] = {}

    def run(self, main: Callable[[Bench], None]) -> None:
        """Parse the options, run, and write the record."""
        self.options = self.parser.parse_args()
        config = lissom.show_config("dicts")
        self.record = {
            "format": _record.FORMAT,
            "version": _record.VERSION,
            "benchmark": self.name,
            "question": self.question,
            "date": datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            "lissom": config["lissom"],
            "revision": _machine.revision(),
            "machine": {
                "processor": _machine.processor(),
                "cores": os.cpu_count(),
                "system": config["platform"],
                "instruction_set": config["instruction_set"],
            },
            "load": _machine.load(),
            "options": {key: _told(value) for key, value in vars(self.options).items() if key != "json"},
            "versions": {},
            "fma_rate": None,
            "tables": [],
            **{kind: [] for kind in ("rows", "numbers", "bars", "notes", "missing")},
        }
        begin = time.perf_counter()
        main(self)
        self.record["seconds"] = round(time.perf_counter() - begin, 1)
        self.record["versions"] |= _machine.versions()
        path = self.options.json or _record.BUILT / f"{self.name}.json"
        _record.write(self.record, path)
        if not getattr(self.options, "one", False):  # whose record another process takes over
            print(f"\n{path}")

    @staticmethod
    def skip(why: str) -> None:
        """End in one sentence, without a record, where there is nothing to measure."""
        print(why)
        raise SystemExit(0)

    def files(self, usual: list[Path]) -> list[Path]:
        """Return the files that options name, else the usual ones; end where one is not there."""
        named = [Path(name) for name in self.options.files]
        missing = [str(path) for path in named or usual if not path.is_file()]
        if missing:
            why = f"not there: {', '.join(missing)}; name GLB files to load instead"
            if named:
                sys.exit(why)
            self.skip(why)
        return named or usual

    def one_thread(self) -> None:
        """Have lissom compute in one thread, and time by the clock of this process: see `by_turns`."""
        lissom.set_thread_count(1)
        self.clock = time.process_time

    @property
    def quick(self) -> bool:
        return bool(self.options.quick)

    # ---- Timed ----

    def table(
        self,
        title: str,
        runs: Mapping[str, Callable[[], Any] | Run],
        items: int = 1,
        unit: str = "call",
        moved: float = 0,
        operations: float = 0,
        clock: Clock | None = None,
        budget: float = 1.5,
    ) -> Table:
        """Time runs by turns and print them: seconds of an item of so many in a call.

        Rows whose names begin with lissom are ours, all others are rivals', unless a run says what it is.
        `moved` is how many bytes an item reads and writes: copying as many is timed in the same turns.
        `operations` is how many products and sums an item takes.
        """
        assert all(row["table"] != title for row in self.record["rows"]), f"two tables are called {title!r}"
        every = {name: run if isinstance(run, Run) else Run(run) for name, run in runs.items()}
        if moved:
            every[COPIED] = Run(copying(int(moved * items)), kind=COPY)
        settings: dict[str, Any] = {"rounds": self.options.rounds, "budget": budget}
        settings["clock"] = clock or self.clock
        if self.quick:
            settings |= {"rounds": 3, "budget": 0.05, "block": 5e-4}
        return self.add_table(title, every, by_turns(every, **settings), items, unit, operations)

    def add_table(
        self,
        title: str,
        runs: Mapping[str, Run],
        timings: Mapping[str, Timing],
        items: int,
        unit: str,
        operations: float = 0,
    ) -> Table:
        rows = []
        for name, timing in timings.items():
            run = runs[name]
            each = run.items or items
            row = {
                "table": title,
                "name": name,
                "kind": run.kind or (OURS if name.startswith("lissom") else RIVAL),
                "seconds": timing.least / each,
                "items": each,
                "unit": unit,
                "ratio": None,
                "beside": run.beside or None,
                "share": None,
                "fma_share": None,
                "spread": round(timing.median / timing.least, 4),
                "rounds": timing.rounds,
                "bytes": run.bytes,
                "lacks": run.lacks,
                "note": run.note,
            }
            rows.append(row)
        relate(rows)
        if operations:
            rate = self.fma_rate()
            for row in rows:
                if rate is not None and row["kind"] == OURS:
                    row["fma_share"] = round(operations / row["seconds"] / rate, 4)
        self.record["rows"] += rows
        self._show(title)
        return Table(self, title, rows)

    def add_samples(
        self,
        title: str,
        samples: Mapping[str, Any],
        items: int,
        unit: str,
        lacks: Mapping[str, str] | None = None,
    ) -> Table:
        """Add rows of what a browser measured: the median counts, as no two samples are of the same."""
        timings = {}
        for name, seconds in samples.items():
            middle = float(np.median(seconds))
            timings[name] = Timing(middle, middle, len(seconds))
        runs = {name: Run(lacks=(lacks or {}).get(name, "")) for name in samples}
        return self.add_table(title, runs, timings, items, unit)

    def fma_rate(self) -> float | None:
        if self.record["fma_rate"] is None:
            self.record["fma_rate"] = _machine.fma_rate(_core.isa())
            if self.record["fma_rate"] is None:
                self.missing("numba")
        rate: float | None = self.record["fma_rate"]
        return rate

    def absorb(self, path: Path) -> None:
        """Take over what another process found for the same benchmark."""
        other = _record.read(path)
        for kind in ("tables", "rows", "numbers", "bars", "notes"):
            self.record[kind] += other[kind]
        self.record["missing"] += [line for line in other["missing"] if line not in self.record["missing"]]
        self.record["versions"] |= other["versions"]
        self.record["fma_rate"] = other["fma_rate"]  # of the last, and so the widest, instruction set

    # ---- Found ----

    def has(self, *names: str) -> bool:
        """Whether all of these rivals are here; those that are not are named, with how they come."""
        missing = [name for name in names if self.missing(name)]
        return not missing

    def missing(self, name: str) -> str | None:
        why = why_not(name)
        if why is None and name in NODE_PACKAGES:
            self.record["versions"][name] = _machine.node_version(name)
        if why is not None and why not in self.record["missing"]:
            self.record["missing"].append(why)
            print(why, flush=True)
        return why

    def number(self, name: str, value: float, unit: str = "", table: str = "") -> None:
        """Keep and print what is no time: an error, a size, a share."""
        self._add("numbers", {"table": table, "name": name, "value": float(value), "unit": unit})

    def judge(
        self, name: str, got: float, bar: float, unit: str = "", at_most: bool = True, table: str = ""
    ) -> bool:
        """Keep and print whether a bar is met. Of times, that is for a quiet machine: nothing fails."""
        met = bool(got <= bar if at_most else got >= bar)
        numbers = {"got": float(got), "bar": float(bar), "unit": unit}
        self._add("bars", {"table": table, "name": name, **numbers, "at_most": at_most, "met": met})
        return met

    def note(self, text: str, table: str = "") -> None:
        """Keep and print a line."""
        self._add("notes", {"table": table, "text": text})

    def _add(self, kind: str, entry: dict[str, Any]) -> None:
        if entry["table"] not in self.record["tables"]:
            self.record["tables"].append(entry["table"])
            if entry["table"]:
                print(f"\n{entry['table']}")
        self.record[kind].append(entry)
        print(f"  {_record.text_of(kind, entry)}", flush=True)

    def _show(self, title: str) -> None:
        if title not in self.record["tables"]:
            self.record["tables"].append(title)
        print()
        for line in _record.printed_rows(self.record, title):
            print(line, flush=True)


def _told(value: object) -> str:
    """An option as text; paths from the project on, so that a record names no folder of a machine."""
    is_absolute = isinstance(value, Path) and value.is_absolute()
    return Path(os.path.relpath(value, _record.ROOT)).as_posix() if is_absolute else str(value)


def relate(rows: list[dict[str, Any]]) -> None:
    """Write ratios and shares into the rows of one table."""
    named = {row["name"]: row for row in rows}
    ours = [row for row in rows if row["kind"] == OURS]
    rivals = [row for row in rows if row["kind"] == RIVAL]
    copies = [row for row in rows if row["kind"] == COPY]
    for some, others in ((ours, rivals), (rivals, ours)):
        for row in some if others else ():
            other = named[row["beside"]] if row["beside"] else others[0]
            row["beside"] = other["name"]
            over, under = (other, row) if row["kind"] == OURS else (row, other)
            row["ratio"] = over["seconds"] / under["seconds"]
    for row in ours if copies else ():
        row["share"] = round(row["bytes"] * copies[0]["seconds"] / row["seconds"], 4)


def copying(count: int) -> Callable[[], Any]:
    """A call that moves so many bytes: half of them are read, half are written."""
    read = np.ones(max(1, count // 2), np.uint8)
    written = np.zeros_like(read)
    return lambda: np.copyto(written, read)
