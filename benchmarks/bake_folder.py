# SPDX-License-Identifier: MIT
"""How long does it take to bake a folder of characters, in how much memory, and to see that it is done?

    python benchmarks/bake_folder.py [folder]

1. `lissom bake` with as many workers as cores: seconds, and the largest sum over driver and children of their
proportional set size (memory that processes share is divided among them), looked at each 20 ms; Linux only.
2. The same again, when all is done.
3. Beside it: the same files one after another in this process, with all threads, by `lissom.bake`. The bytes
are compared.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import lissom
from _bench import Bench
from _measure import Run, Timing

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "assets" / "characters"
LIMIT_SECONDS = 60.0
LIMIT_BYTES = 300e6
LIMIT_SECONDS_AGAIN = 3.0  # of processors


def family(root: int) -> list[int]:
    """Numbers of a process and all below it."""
    parents = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[int(path.parent.name)] = int(path.read_text().rpartition(")")[2].split()[1])
        except OSError:
            continue
    found = {root}
    while True:
        more = {child for child, parent in parents.items() if parent in found} - found
        if not more:
            return sorted(found)
        found |= more


def proportional_bytes(process: int) -> int:
    try:
        text = Path(f"/proc/{process}/smaps_rollup").read_text()
    except OSError:
        return 0
    return sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:"))


def processor_seconds() -> float:
    """Of all children that have ended: on a machine with other work, what the clock on the wall is not."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def bake(folder: Path, output: Path) -> tuple[float, float, int, list[dict]]:
    """Run the command; give seconds, those of processors, the peak of its memory, and what it says."""
    used = processor_seconds()
    command = [sys.executable, "-m", "lissom", "bake", folder, "-o", output, "--json"]
    started = time.perf_counter()
    with tempfile.TemporaryFile() as said, tempfile.TemporaryFile() as told:
        with subprocess.Popen(command, stdout=said, stderr=told) as run:
            peak = 0
            while run.poll() is None:
                peak = max(peak, sum(map(proportional_bytes, family(run.pid))))
                time.sleep(0.02)
        seconds = time.perf_counter() - started
        said.seek(0)
        return seconds, processor_seconds() - used, peak, json.load(said)


def main(bench: Bench) -> None:
    folder = bench.options.folder
    if not folder.is_dir():
        bench.skip(f"not measured: {folder} is not there; pass a folder of characters")
    with tempfile.TemporaryDirectory() as output:
        seconds, work, peak, records = bake(folder, Path(output))
        again, work_again, peak_again, known = bake(folder, Path(output))
        baked = [record for record in records if record["status"] == "baked"]
        clips = sum(len(record["clips"]) for record in baked)
        sizes = sum(record["file_bytes"] for record in baked)
        title = f"{len(records)} files, {len(baked)} with {clips} clips"
        assert all(record["reused"] for record in known)
        started = time.perf_counter()
        path = Path(output) / "alone.safetensors"
        for record in baked:
            lissom.bake(lissom.load(record["file"])).save(path)
            assert path.read_bytes() == Path(record["output"]).read_bytes(), record["file"]
        alone = time.perf_counter() - started
    times = {
        f"lissom bake, {os.cpu_count()} workers": seconds,
        "lissom bake, all done": again,
        "lissom.bake one after another, all threads": alone,
    }
    timings = {name: Timing(once, once, 1) for name, once in times.items()}
    bench.add_table(title, dict.fromkeys(times, Run()), timings, 1, "")
    bench.number("baked", sizes / 1e6, "MB", title)
    for label, processors, most in (("", work, peak), (", all done", work_again, peak_again)):
        bench.number(f"processors' time{label}", processors, "s", title)
        bench.number(f"memory at its peak{label}", most / 1e6, "MB", title)
    if folder == DEFAULT:
        bench.judge("seconds", seconds, LIMIT_SECONDS, "s", table=title)
        bench.judge("memory", peak / 1e6, LIMIT_BYTES / 1e6, "MB", table=title)
        bench.judge("processors' time, all done", work_again, LIMIT_SECONDS_AGAIN, "s", table=title)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("folder", nargs="?", type=Path, default=DEFAULT)
    bench.run(main)
