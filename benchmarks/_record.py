# SPDX-License-Identifier: MIT
"""What a run of a benchmark leaves: one JSON file, how it is read, and how it is printed.

    python benchmarks/_record.py     # the folder where `make bench` puts the files of one run of all

A file says which benchmark it is, when and where it ran, and then in rows what it found. A row of `rows` was
timed: `seconds` of one item at the least; `spread`, the median over the least; `ratio`, of a rival, its time
over that of the first row of lissom in its table; of a row of lissom, the time of the rival that `beside`
names over its own. So above 1 lissom is faster. `share` is of the rate at which memory copies the same bytes,
`fma_share` of the rate of multiply-adds.
"""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from _machine import ROOT, revision

FORMAT, VERSION = "lissom-benchmark", 1
BUILT = ROOT / "build" / "bench"
KEYS = {"benchmark": str, "date": str, "machine": dict, "versions": dict, "rows": list}
ROW_KEYS = {"table": str, "name": str, "kind": str, "unit": str, "seconds": float, "spread": float}

Record = dict[str, Any]


class RecordError(Exception):
    """A file is no record of a benchmark; one sentence says why."""


def read(path: Path) -> Record:
    """Read the file of one run."""
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise RecordError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise RecordError(f"{path} is not JSON; name files that a benchmark wrote by --json") from None
    told = record.get("format") if isinstance(record, dict) else None
    if told != FORMAT:
        raise RecordError(f"{path} is no record of a benchmark: its format must be {FORMAT!r}, got {told!r}")
    if record.get("version") != VERSION:
        raise RecordError(
            f"{path} must have version {VERSION} of the format, got {record.get('version')!r}; "
            "run the benchmark anew"
        )
    wrong = _wrong(record, KEYS)
    wrong = wrong or next(filter(None, (_wrong(row, ROW_KEYS) for row in record["rows"])), None)
    if wrong:
        raise RecordError(f"{path} is no record of a benchmark: {wrong}")
    return record


def _wrong(entry: Any, keys: dict[str, type]) -> str | None:
    if not isinstance(entry, dict):
        return f"a row must be an object, got {entry!r}"
    for key, kind in keys.items():
        value = entry.get(key)
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if kind is float and is_number and 0 < value < math.inf:
            continue
        if not isinstance(value, kind) or kind is float:
            return f"{key!r} must be a {kind.__name__}{' above 0' * (kind is float)}, got {value!r}"
    return None


def read_all(path: Path) -> dict[str, Record]:
    """Read a file, or all that lie in a folder, by the benchmark."""
    if not path.exists():
        raise RecordError(
            f"{path} is not there; name a file or a folder of runs, as `make bench` writes them"
        )
    files = sorted(path.glob("*.json")) if path.is_dir() else [path]
    if not files:
        raise RecordError(f"{path} holds no JSON files; name a folder of runs, as `make bench` writes them")
    return {record["benchmark"]: record for record in map(read, files)}


def write(record: Record, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


def folder_of_today() -> Path:
    return BUILT / "-".join([datetime.date.today().isoformat(), revision() or "unversioned"])


# ---- As text ----


def printed(record: Record) -> Iterator[str]:
    """Write a run for people, line by line: what one must know to read it, then all tables."""
    machine = record["machine"]
    names = [f"{name} {number}" for name, number in record["versions"].items()]
    yield (
        f"{machine['processor']}, {machine['cores']} cores, instruction set {machine['instruction_set']}; "
        f"load average before it {record['load']}"
    )
    lissom = f"lissom {record['lissom']} ({record['revision'] or 'no revision'})"
    yield f"{record['date'][:10]}, {lissom}, {machine['system']}"
    yield ", ".join(names)
    if record.get("fma_rate"):
        rate = record["fma_rate"] / 1e9
        yield f"multiply-adds alone, one thread: {rate:.0f} billion products and sums a second"
    for table in record["tables"]:
        yield ""
        yield from printed_table(record, table)
    yield from record["missing"]


def printed_table(record: Record, table: str) -> Iterator[str]:
    if any(row["table"] == table for row in record["rows"]):
        yield from printed_rows(record, table)
    elif table:
        yield table
    for kind in ("numbers", "bars", "notes"):
        for entry in record[kind]:
            if entry["table"] == table:
                yield f"  {text_of(kind, entry)}"


def printed_rows(record: Record, table: str) -> Iterator[str]:
    rows = [row for row in record["rows"] if row["table"] == table]
    shares = [("share", "memcpy"), ("fma_share", "FMA")]
    has = [(key, head) for key, head in shares if any(row.get(key) for row in rows)]
    heads = "".join(f"{head:>8}" for _, head in has)
    yield f"{table:<66}{'ratio':>10}{heads}{'spread':>8}"
    for row in rows:
        yield printed_row(row, [key for key, _ in has])


def printed_row(row: dict[str, Any], shares: list[str]) -> str:
    ratio = times(row["ratio"]) if row.get("ratio") else ""
    if row["kind"] == "ours" and ratio:
        ratio = f"({ratio})"  # of the rival that comes first
    columns = "".join(f"{row[key]:8.0%}" if row.get(key) else " " * 8 for key in shares)
    remarks = [row["note"], f"without {row['lacks']}" if row["lacks"] else ""]
    words = "; ".join(filter(None, remarks))
    label = f"  {row['name']:<44}{in_unit(row['seconds'], row['unit']):>20}"
    return f"{label}{ratio:>10}{columns}{row['spread']:8.2f}  {words}".rstrip()


def times(ratio: float) -> str:
    return f"{ratio:.2f}x" if ratio < 10 else f"{ratio:.1f}x" if ratio < 100 else f"{ratio:.0f}x"


def in_unit(seconds: float, unit: str) -> str:
    """Seconds in a unit with one to four digits before the point, such as 4.78 ns/vertex."""
    for factor, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns")):
        if seconds >= 0.9995 * factor or name == "ns":
            break
    value = seconds / factor
    digits = 2 if value < 10 else 1 if value < 100 else 0
    return f"{value:.{digits}f} {name}/{unit}" if unit else f"{value:.{digits}f} {name}"


def text_of(kind: str, entry: dict[str, Any]) -> str:
    if kind == "notes":
        return str(entry["text"])
    unit = f" {entry['unit']}" if entry["unit"] else ""
    if kind == "numbers":
        return f"{entry['name']}: {entry['value']:.4g}{unit}"
    bar, got = entry["bar"], entry["got"]
    over = (bar / got if entry["at_most"] else got / bar) if got and bar else 1.0
    verdict = f"met {over:.2f} times over" if entry["met"] else f"MISSED by a factor of {1 / over:.2f}"
    least = "at most" if entry["at_most"] else "at least"
    return f"bar: {entry['name']} {least} {bar:g}{unit}, got {got:.4g}: {verdict}"


if __name__ == "__main__":
    print(folder_of_today())
