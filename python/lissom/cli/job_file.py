# SPDX-License-Identifier: MIT
"""Job files: TOML with ``[defaults]`` and ``[[job]]`` tables, whose keys are fields of a class of jobs."""

from __future__ import annotations

import dataclasses
import re
import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn

from lissom._base.names import unknown_name
from lissom._formats.budget import Budget
from lissom._formats.regular_file import read_regular
from lissom._jobs.job import Job
from lissom._jobs.sources import SAMPLE_PREFIX, sample_meant
from lissom._store.open_store import is_url, meant_address

__all__ = ["SUFFIX", "read"]

SUFFIX = ".toml"

JOB_ONLY = ("source", "name")  # not in [defaults]
TABLES = ("defaults", "job")
MODELS = {  # what a job must have, and what it may be
    "source": "a source: a file, a folder or a sample",
    "target": "a target: a file or a sample, set here or in [defaults]",
}

# What costs memory once it is read, and what begins a string or a comment. A long word may be a number, for
# which tomllib's expressions take up to 140 bytes a digit.
MARK = re.compile(r"""\"{3}|'{3}|(?<![\w+-])[\w+-]{1000,}|["'#=[{.,]""")

# What ends a string or a comment, as a group; and what would end it without the backslash before it. Strings
# of one line end with it, closed or not; those of several may have one or two quotation marks before the end.
END = {
    mark: re.compile(end, re.DOTALL)
    for mark, end in {
        '"""': r'\\.|("{3,5})',
        "'''": r"('{3,5})",
        '"': r'\\.|(["\n])',
        "'": r"(['\n])",
        "#": r"(\n)",
    }.items()
}

HEADER = re.compile(r"\s*\[{1,2}\s*([\w.\"'-]+)\s*\]{1,2}\s*(#.*)?")


def read(path: Path, output: Path | None, kind: type[Job], otherwise: Path | None = None) -> list[Job]:
    """Read a job file with jobs of a class; a source may be a folder.

    Paths are relative to the file, outputs to `otherwise` where it is given, which is that of jobs for which
    the file says none. `output` replaces the outputs that the file says.

    Raises
    ------
    ValueError
        If the file is not TOML, or a key or a value is wrong: one sentence with the line.
    OSError
        If it cannot be read.
    """
    data = read_regular(path)
    budget = Budget.of_file(path, len(data))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"{path}: must be a TOML file: {error}") from None
    _spend_text(text, budget)
    try:
        tables = tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"{path}: must be a TOML file: it nests too many levels deep") from None
    except ValueError as error:  # tomllib's own, and of numbers of thousands of digits
        raise ValueError(f"{path}: must be a TOML file: {error}") from None
    file = _File(path, text, output, budget, kind, otherwise)
    fields = [field.name for field in dataclasses.fields(kind)]
    for name in tables:
        if name not in TABLES:
            file.refuse("", 0, name, unknown_name("table", name, TABLES))
    defaults = tables.get("defaults", {})
    jobs = tables.get("job", [])
    if not isinstance(defaults, dict):
        file.refuse("", 0, "defaults", f"defaults must be a table, [defaults], got {type(defaults).__name__}")
    if not isinstance(jobs, list) or not all(isinstance(job, dict) for job in jobs):
        file.refuse("", 0, "job", "job must be a list of tables, each headed [[job]]")
    if not jobs:
        raise ValueError(f"{path}: must hold a [[job]] table, got none; write one for each file or folder")
    file.check_names("defaults", 0, defaults, [name for name in fields if name not in JOB_ONLY])
    for number, table in enumerate(jobs):
        file.check_names("job", number, table, fields)
    return [file.job(number, table, defaults) for number, table in enumerate(jobs)]


def _spend_text(text: str, budget: Budget) -> None:
    """Charge what tomllib makes of a text, while nothing but its marks is known."""
    budget.spend(2 * sys.getsizeof(text), "", "its text is too long")  # with its strings, or its lines
    marks = _marks(text)
    costs = {"=": 400, "[": 500, "{": 500, ".": 900, ",": 100}  # bytes that tomllib takes for each
    spent = sum(cost * marks[mark] for mark, cost in costs.items())
    # A key of many parts takes memory with the square of them.
    spent += sum(5 * line.count(".") ** 2 for line in text.split("\n"))
    budget.spend(spent, "", "it holds too many keys and tables")
    budget.spend(140 * marks["long"], "", "its numbers are too long")


def _copied(value: object) -> int:
    """Bytes of what a job keeps of a value for itself: strings in lists and tables are shared."""
    if isinstance(value, list):
        return 8 * len(value)
    return 100 * len(value) if isinstance(value, dict) else sys.getsizeof(value)


def _marks(text: str) -> Counter[str]:
    """Count the marks outside strings and comments, and the characters of long words as "long".

    In one pass and without a copy of the text.
    """
    counts: Counter[str] = Counter()
    place = 0
    while (found := MARK.search(text, place)) is not None:
        begin, place = found.span()
        if place - begin > len('"""'):  # the longest of the other marks
            counts["long"] += place - begin
            counts["."] += text.count(".", begin, place)
            continue
        mark = found[0]
        counts[mark] += 1
        if mark in END:
            ends = (end.end() for end in END[mark].finditer(text, place) if end[1])
            place = next(ends, len(text))
    return counts


class _File:
    """A job file that reports its faults with their lines."""

    def __init__(
        self,
        path: Path,
        text: str,
        output: Path | None,
        budget: Budget,
        kind: type[Job],
        otherwise: Path | None,
    ) -> None:
        self.path = path
        self.lines = text.splitlines()
        self.output = output
        self.budget = budget
        self.kind = kind
        self.otherwise = otherwise

    def job(self, number: int, table: dict[str, Any], defaults: dict[str, Any]) -> Job:
        """Return the job of a table and the defaults."""
        values = {**defaults, **table}
        for field in self.kind._models:
            if field not in values:
                self.refuse("job", number, "", f"job {number + 1} must have {MODELS[field]}")
        if self.output is not None:
            values["output"] = str(self.output)
        elif "output" not in values and self.otherwise is not None:
            values["output"] = str(self.otherwise)
        elif "output" not in values:
            self.refuse(
                "job",
                number,
                "",
                f"job {number + 1} must have an output: a folder, set here, in [defaults] or by -o",
            )
        elif isinstance(values["output"], str):
            values["output"] = str((self.otherwise or self.path.parent) / values["output"])
        for field in self.kind._places:
            place = values.get(field)
            if field in ("output", "name") or not isinstance(place, str) or not place:
                continue
            meant = sample_meant(place) if field in self.kind._models else place
            here = self.path.parent / meant
            is_elsewhere = meant.startswith(SAMPLE_PREFIX) or is_url(meant)
            is_miswritten = meant_address(meant) is not None and not here.exists()  # which the job refuses
            values[field] = meant if is_elsewhere or is_miswritten else str(here)
        self.budget.spend(
            sum(map(_copied, values.values())), "", "its defaults and paths are too long for so many jobs"
        )
        try:
            return self.kind(**values)
        except (TypeError, ValueError) as error:
            fault = str(error).removeprefix(f"{self.kind.__name__}: ")
            fault = fault.replace(" | null", "").replace("mapping", "table")
            name = re.split(r"\W", fault, maxsplit=1)[0]
            where = ("job", number) if name in table else ("defaults", 0)
            self.refuse(*where, name, fault)

    def check_names(self, table: str, number: int, values: dict[str, Any], known: Any) -> None:
        """Refuse unknown keys, and those of jobs in [defaults]."""
        for name in values:
            if name not in known:
                what = unknown_name("option", name, known)
                if name in JOB_ONLY:
                    what = f"{name!r} must be set in a [[job]], got it in [defaults]"
                self.refuse(table, number, name, what)

    def refuse(self, table: str, number: int, key: str, what: str) -> NoReturn:
        """Raise ValueError with the line of a key, or of the table's header where `key` is empty."""
        line = self._line(table, number, key)
        place = "" if line is None else f"line {line}: "
        raise ValueError(f"{self.path}: {place}{what}")

    def _line(self, table: str, number: int, key: str) -> int | None:
        pattern = re.compile(rf"\s*[\"']?{re.escape(key)}[\"']?\s*[=.]") if key else None
        current, count, jobs = "", -1, 0
        for index, line in enumerate(self.lines, 1):
            header = HEADER.fullmatch(line)
            if header is not None:
                name = header[1].strip("\"'")
                if not table and name.partition(".")[0] == key:
                    return index
                count = jobs if name == "job" else 0
                jobs += name == "job"
                current = name
            is_inside = current == table and (table != "job" or count == number)
            if is_inside and (pattern is None or pattern.match(line)):
                return index
        return None
