# SPDX-License-Identifier: MIT
"""What all benchmarks share: the time of a call at its best, and rows of a table."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def best(
    call: Callable[[], Any],
    repeats: int = 60,
    at_least: float = 0.002,
    clock: Callable[[], float] = time.perf_counter,
) -> float:
    """Seconds of one `call`, at its best of `repeats` runs of about `at_least` seconds each.

    Many short runs rather than a few long ones: on a busy machine some of them are left alone. Calls that are
    too long for that are timed by the clock of the process, ``time.process_time``.
    """
    call()
    begin = clock()
    call()
    once = clock() - begin
    count = max(1, int(at_least / max(once, 1e-9)))
    times = []
    for _ in range(repeats):
        begin = clock()
        for _ in range(count):
            call()
        times.append((clock() - begin) / count)
    return min(times)


def by_turns(runs: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Seconds of each at its best, all in turn: the machine's moods fall on all alike."""
    least = dict.fromkeys(runs, float("inf"))
    for run in runs.values():
        run()
    for _ in range(rounds):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            least[name] = min(least[name], time.perf_counter() - start)
    return least


def row(label: str, seconds: float, items: int, unit: str, rival: float | None = None) -> None:
    """Print nanoseconds per item, and how many times the first rival's time that is."""
    ratio = "" if rival is None else f"{rival / seconds:9.1f}x"
    print(f"{label:<44}{seconds / items * 1e9:10.2f} ns/{unit}{ratio}")
