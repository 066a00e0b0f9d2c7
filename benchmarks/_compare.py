# SPDX-License-Identifier: MIT
"""Say which rows of benchmarks got slower by more than 5 %, and which got faster.

    python benchmarks/_compare.py OLD NEW     # two files that `--json` wrote, or two folders of `make bench`

Rows of lissom are matched by benchmark, table and name. Where both runs are of one machine, times are
compared; where machines differ, only ratios to the rival of the same run. A change that is smaller than what
one of the runs varied by itself is told as such: run again. The exit status is 1 where something got slower,
2 where the files are no records.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from _record import Record, RecordError, in_unit, read_all

LIMIT = 0.05
SAME = ("processor", "cores", "system", "instruction_set")  # of a machine: one, as far as a record tells


class Change(NamedTuple):
    """A row in both runs: how many times as long it takes now, which above 1 is slower."""

    place: str
    factor: float
    told: str  # from what to what
    doubt: str  # why it may be chance


def changes(old: Record, new: Record) -> Iterator[Change]:
    """Compare rows of lissom that both runs of a benchmark have."""
    same_machine = is_same_machine(old, new)
    before = {key(row): row for row in old["rows"]}
    for row in new["rows"]:
        was = before.get(key(row))
        if was is None or row["kind"] != "ours":
            continue
        place = " | ".join(filter(None, (new["benchmark"], row["table"], row["name"])))
        if same_machine:
            factor = row["seconds"] / was["seconds"]
            told = f"{in_unit(was['seconds'], was['unit'])} to {in_unit(row['seconds'], row['unit'])}"
        elif row.get("ratio") and was.get("ratio") and row.get("beside") == was.get("beside"):
            factor = was["ratio"] / row["ratio"]
            told = f"{was['ratio']:.2f} to {row['ratio']:.2f} times as fast as {row['beside']}"
        else:
            continue
        spread = max(was["spread"], row["spread"]) - 1
        doubt = f"within the spread of {spread:.0%}: run again" if spread > abs(factor - 1) else ""
        yield Change(place, factor, told, doubt)


def key(row: dict[str, Any]) -> tuple[str, str]:
    return row["table"], row["name"]


def is_same_machine(old: Record, new: Record) -> bool:
    return all(old["machine"].get(name) == new["machine"].get(name) for name in SAME)


def is_busy(record: Record) -> bool:
    """Whether as many processes waited before the run as the machine has cores."""
    load, cores = record.get("load"), record["machine"].get("cores")
    return isinstance(load, int | float) and isinstance(cores, int) and load >= cores


def report(old: dict[str, Record], new: dict[str, Record]) -> tuple[list[str], bool]:
    """Say in lines what changed, and whether something got slower."""
    lines, found = [], []
    for name in sorted(old.keys() & new.keys()):
        if not is_same_machine(old[name], new[name]):
            machines = [
                f"{run['machine'].get('processor')}, {run['machine'].get('instruction_set')}"
                for run in (old[name], new[name])
            ]
            lines.append(
                f"{name}: the machines differ ({machines[0]} and {machines[1]}): "
                "only ratios to rivals of the same run are compared"
            )
        found += changes(old[name], new[name])
    for which, runs in (("old", old), ("new", new)):
        busy = [name for name, record in sorted(runs.items()) if is_busy(record)]
        if busy:
            lines.append(
                f"others worked on the machine of the {which} run, too (load average): {', '.join(busy)}"
            )
    for runs, others, where in ((old, new, "new"), (new, old, "old")):
        for name, record in sorted(runs.items()):
            theirs = {key(row) for row in others[name]["rows"]} if name in others else set()
            gone = [row for row in record["rows"] if row["kind"] == "ours" and key(row) not in theirs]
            if name not in others:
                lines.append(f"{name}: not in the {where} run")
            elif gone:
                lines.append(
                    f"{name}: {len(gone)} rows are not in the {where} run, first {' | '.join(key(gone[0]))}"
                )
    slower = sorted((c for c in found if c.factor > 1 + LIMIT), key=lambda c: -c.factor)
    faster = sorted((c for c in found if c.factor < 1 / (1 + LIMIT)), key=lambda c: c.factor)
    for title, some in (("slower", slower), ("faster", faster)):
        lines.append(f"{len(some)} of {len(found)} rows are {title} by more than {LIMIT:.0%}")
        for change in some:
            times = change.factor if title == "slower" else 1 / change.factor
            doubt = f" ({change.doubt})" if change.doubt else ""
            lines.append(f"  {change.place}: {times:.2f} times {title}, {change.told}{doubt}")
    if not found:
        raise RecordError("the two runs have no row of lissom in common that can be compared")
    return lines, bool(slower)


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    options = parser.parse_args(words)
    try:
        lines, got_slower = report(read_all(options.old), read_all(options.new))
    except RecordError as error:
        print(f"bench-compare: {error}", file=sys.stderr)
        return 2
    print("\n".join(lines))
    return int(got_slower)


if __name__ == "__main__":
    sys.exit(main())
