# SPDX-License-Identifier: MIT
"""A dask cluster on this machine, whose workers share nothing: of tests and of a benchmark."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from batch_processes import wait_until

SCHEDULER = "import sys; from distributed.cli.dask_scheduler import main; main()"
WORKER = "import sys; from distributed.cli.dask_worker import main; main()"
OF_ANOTHER_BUILD = (
    f"from lissom._jobs import key\nkey._package_digest = lambda kind: '0123456789abcdef'\n{WORKER}"
)


class Cluster:
    """A scheduler and workers, each a process with one thread and folders of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.processes: list[subprocess.Popen] = []
        where = folder / "scheduler.json"
        options = ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--no-show"]
        self.start(SCHEDULER, "scheduler", *options, "--scheduler-file", str(where))
        wait_until(lambda: where.exists() and where.stat().st_size > 0, "a scheduler")
        self.tcp = json.loads(where.read_text())["address"]
        self.address = self.tcp.replace("tcp://", "dask://")

    def start(self, code: str, name: str, *options: str) -> subprocess.Popen:
        home = self.folder / name
        home.mkdir()
        own = {name: str(home) for name in ("HOME", "TMPDIR", "LISSOM_CACHE", "XDG_CACHE_HOME")}
        with (home / "log").open("wb") as log:
            process = subprocess.Popen(
                [sys.executable, "-c", code, *options], env=os.environ | own, cwd=home, stdout=log, stderr=log
            )
        self.processes.append(process)
        return process

    def worker(self, name: str, code: str = WORKER, threads: int = 1) -> subprocess.Popen:
        options = ["--nthreads", str(threads), "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        process = self.start(code, name, self.tcp, *options)
        log = self.folder / name / "log"
        wait_until(lambda: b"Registered to" in log.read_bytes(), f"the worker {name}")
        return process

    def close(self) -> None:
        for process in self.processes:
            process.kill()
            process.wait()


@contextlib.contextmanager
def running(folder: Path) -> Iterator[Cluster]:
    cluster = Cluster(folder)
    try:
        yield cluster
    finally:
        cluster.close()
