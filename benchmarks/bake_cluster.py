# SPDX-License-Identifier: MIT
"""What does baking on a cluster cost over the bakes themselves, and what memory has its driver?

    python benchmarks/bake_cluster.py [folder] [--bakes 1000]

1. Real bakes (characters x rates x layouts) into a store by workers of one thread each: one, then two, of
dask and of a pool of processes here, and the same again when all is done. Scheduler, driver and store (a
folder, which is flushed to the disk) are on the same cores.
2. A task on dask that does nothing, through the same loop: milliseconds of each.
3. A driver whose tasks are done at once: seconds and peak of memory at 100 000 and 1 000 000 jobs.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import lissom
from _bench import Bench, require
from _measure import Run, Timing
from lissom._jobs.engines import engine
from lissom._jobs.pending import at_executor
from lissom._jobs.task import unfinished

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

from dask_cluster import running

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "assets" / "characters"
RATES = (8, 10, 12, 15, 20, 24, 25, 30, 40, 48, 50, 60)
EVERY_RIG = ("dual_quat", "matrix")  # other layouts refuse joints that scale, shear or move apart
SCALING = 1.7
TASK_MS = 5.0
DRIVER_MB = 200.0

DRY = """
import resource, sys, time
from concurrent.futures import Future
import lissom
from lissom._jobs.task import unfinished

class Instant:
    def submit(self, fn, job, *rest):
        future = Future()
        future.set_result(job._record("baked", key="0" * 64))
        return future

count = int(sys.argv[1])
jobs = (lissom.BakeJob("sample:twisted_bar", name=f"n{i}") for i in range(count))
begin = time.perf_counter()
done = sum(record.status == "baked" for record in lissom.bake_many(jobs, Instant(), store="memory://dry"))
assert done == count
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
sys.stdout.write(f"{time.perf_counter() - begin} {peak}")
"""


@contextlib.contextmanager
def cluster(workers: int) -> Iterator[str]:
    """Run a scheduler and workers of one thread, each with folders of its own; give the address."""
    with tempfile.TemporaryDirectory() as folder, running(Path(folder)) as made:
        for i in range(workers):
            made.worker(f"worker{i}")
        yield made.address


def jobs_of(folder: Path, count: int) -> list[lissom.BakeJob]:
    """Return bakes of characters with clips, the smallest files first, at rates and in layouts."""
    paths = sorted(folder.rglob("*.glb"), key=lambda path: (path.stat().st_size, path.name))
    options = list(itertools.product(RATES, EVERY_RIG))
    found: list[lissom.BakeJob] = []
    for path in paths:
        if len(found) >= count:
            break
        if lissom.load(path).clips:
            name = path.relative_to(folder).with_suffix("").as_posix()
            found += [
                lissom.BakeJob(path, name=f"{name}-{rate}-{layout}", rate=rate, layout=layout)
                for rate, layout in options
            ]
    return found[:count]


def warm(workers: int) -> list[lissom.BakeJob]:
    """Return small jobs, by which all workers have started."""
    return [lissom.BakeJob("sample:twisted_bar", name=f"warm{i}", rate=10 + i) for i in range(2 * workers)]


def timed(records: Iterator[lissom.BakeRecord], count: int) -> tuple[float, dict[str, Any]]:
    """Return the seconds that a run takes, and its summary."""
    begin, summary = time.perf_counter(), lissom.BakeSummary()
    for record in records:
        summary.add(record)
    assert summary.statuses == {"baked": count}, summary
    return time.perf_counter() - begin, summary.to_dict()


def bakes(bench: Bench) -> None:
    folder, count = bench.options.folder, bench.options.bakes if not bench.quick else 4
    if not folder.is_dir():
        bench.note(f"real bakes were not measured: {folder} is not there; pass a folder of characters")
        return
    jobs = jobs_of(folder, count)
    seconds, again, results = {}, 0.0, {}
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as store, cluster(workers) as address:
            # Children start and modules are imported before.
            assert all(record.ok for record in lissom.bake_many(warm(workers), address, store=store))
            seconds[workers], results[workers] = timed(
                lissom.bake_many(jobs, address, store=store), len(jobs)
            )
            begin = time.perf_counter()
            assert all(record.reused for record in lissom.bake_many(jobs, address, store=store))
            again = time.perf_counter() - begin
    pools = {}
    for workers in (1, 2):
        with tempfile.TemporaryDirectory() as store, engine("processes", workers) as pool:
            assert all(record.ok for record in lissom.bake_many(warm(workers), pool, store=store))
            pools[workers], _ = timed(lissom.bake_many(jobs, pool, store=store), len(jobs))
    title = f"{len(jobs)} real bakes"
    times = {
        "dask, 1 worker": seconds[1],
        "dask, 2 workers": seconds[2],
        "dask, 2 workers, all done": again,
        "processes, 1": pools[1],
        "processes, 2": pools[2],
    }
    timings = {name: Timing(once, once, 1) for name, once in times.items()}
    bench.add_table(title, dict.fromkeys(times, Run()), timings, len(jobs), "bake")
    for name, done in results[2]["workers"].items():
        bench.note(f"{name}: {done}")
    work = results[1]["seconds"]
    bench.number("baked", results[2]["bytes"] / 1e6, "MB", title)
    bench.number("dask, a task over its work, 1 worker", 1e3 * (seconds[1] - work) / len(jobs), "ms", title)
    bench.number("dask, work of a bake, 1 worker", 1e3 * work / len(jobs), "ms", title)
    bench.number("records read again", len(jobs) / again, "1/s", title)
    for name, took in (("dask", seconds), ("processes", pools)):
        bench.judge(f"{name}, 2 workers over 1", took[1] / took[2], SCALING, "x", at_most=False, table=title)


def empty_tasks(bench: Bench) -> None:
    count = 100 if bench.quick else 2000
    job = lissom.BakeJob("sample:twisted_bar")
    with cluster(2) as address, engine(address, 1) as executor:
        for part in (100, count):
            begin, worked = time.perf_counter(), time.process_time()
            # A function of lissom, as of real jobs: of one of this file, each task would carry the code.
            calls = ((job, (unfinished, job, "nothing")) for _ in range(part))
            assert (
                sum(1 for _ in at_executor(calls, executor, lambda: executor.window, 1, unfinished)) == part
            )
            seconds, worked = time.perf_counter() - begin, time.process_time() - worked
    title = "tasks on dask that do nothing"
    bench.number("a task", 1e3 * seconds / count, "ms", title)
    bench.number("a task, processors' time of the driver", 1e3 * worked / count, "ms", title)
    bench.judge("a task", 1e3 * seconds / count, TASK_MS, "ms", table=title)


def driver(bench: Bench) -> None:
    title = "a driver whose tasks are done at once"
    for count in (1000,) if bench.quick else (100_000, 1_000_000):
        run = subprocess.run(
            [sys.executable, "-c", DRY, str(count)], capture_output=True, text=True, check=True
        )
        seconds, peak = map(float, run.stdout.split())
        bench.number(f"{count:,} jobs", count / seconds, "1/s", title)
        bench.number(f"peak of memory, {count:,} jobs", peak / 1e6, "MB", title)
    bench.judge("peak of memory", peak / 1e6, DRIVER_MB, "MB", table=title)


def main(bench: Bench) -> None:
    require("distributed", "obstore")
    os.environ.setdefault("LISSOM_CACHE", tempfile.mkdtemp())
    driver(bench)
    empty_tasks(bench)
    bakes(bench)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("folder", nargs="?", type=Path, default=DEFAULT)
    bench.argument("--bakes", type=int, default=1000, help="real bakes (1000)")
    bench.run(main)
