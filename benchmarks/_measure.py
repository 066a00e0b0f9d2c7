# SPDX-License-Identifier: MIT
"""The one way to measure: everybody by turns, round by round, in blocks of calls; the least time counts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

# What a row is: one of lissom, of a rival, a copy of as many bytes, or a part of what others of the table do.
OURS, RIVAL, COPY, PART = "ours", "rival", "copy", "part"
LEAST_ROUNDS = 3
Clock = Callable[[], float]


@dataclass(frozen=True)
class Run:
    """One that is timed: a call, and what a reader must know of it.

    `items` is how many things a call treats, where that is not what the others of its table do. `lacks` says
    what a rival leaves out, `note` what else belongs to it, such as how often it succeeds. One with a clock
    of its own, such as a script of node, has a `block` instead of a call: it does so many and gives the
    seconds of all.
    """

    call: Callable[[], Any] | None = None
    items: int | None = None
    lacks: str = ""
    note: str = ""
    kind: str = ""
    beside: str = ""  # the row that its ratio is to, where that is not the first of the others
    bytes: float = 1.0  # times those of an item of the table
    block: Callable[[int], float] | None = None
    clock: Clock | None = None  # where it is not that of the table: on the wall, for many threads

    def in_block(self, count: int, clock: Clock) -> float:
        """Seconds of one of `count` calls in a row."""
        if self.block is not None:
            return self.block(count) / count
        assert self.call is not None
        if count > 1:
            self.call()  # the caches are those of this run again, not of the one before
        clock = self.clock or clock
        begin = clock()
        for _ in range(count):
            self.call()
        return (clock() - begin) / count


@dataclass(frozen=True)
class Timing:
    """Seconds of a call at its least and at its median over the rounds, and how many rounds there were."""

    least: float
    median: float
    rounds: int


def by_turns(
    runs: Mapping[str, Run],
    rounds: int = 100,
    block: float = 0.002,
    budget: float = 1.5,
    clock: Clock = time.perf_counter,
) -> dict[str, Timing]:
    """Time all runs in turn: what else the machine does falls on all alike.

    A block is as many calls as last for `block` seconds. Many short blocks rather than a few long ones: on a
    busy machine some of them are left alone. What is one thread alone is timed best by `time.process_time`,
    which stands while others have the processor. A run whose blocks last longer takes part in as many rounds
    as `budget` seconds allow, but three, spread over all of them. Each round begins with another run.
    """
    rounds, names = max(LEAST_ROUNDS, rounds), list(runs)
    counts, shares = {}, {}
    for name, run in runs.items():
        run.in_block(1, clock)  # what is made at the first call
        once = max(run.in_block(1, clock), 1e-9)
        counts[name] = max(1, int(block / once))
        shares[name] = min(rounds, max(LEAST_ROUNDS, int(budget / (once * counts[name]))))
    times: dict[str, list[float]] = {name: [] for name in names}
    for number in range(rounds):
        first = number % len(names)
        for name in names[first:] + names[:first]:
            share = shares[name]
            if (number + 1) * share // rounds > number * share // rounds:
                times[name].append(runs[name].in_block(counts[name], clock))
    return {name: Timing(min(each), statistics.median(each), len(each)) for name, each in times.items()}
