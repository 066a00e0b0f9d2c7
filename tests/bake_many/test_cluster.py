# SPDX-License-Identifier: MIT
"""Bakes on dask workers that share nothing but a bucket: equal bytes, whoever is killed, whatever fails."""

import contextlib
import dataclasses
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import lissom
from batch_files import jobs
from batch_processes import wait_until
from lissom._jobs import run_stored
from lissom._store import open_store
from object_server import BUCKET, ObjectServer, OneInTen, object_server, sound

pytest.importorskip("distributed")

SCHEDULER = "import sys; from distributed.cli.dask_scheduler import main; main()"
WORKER = "import sys; from distributed.cli.dask_worker import main; main()"
DRIVER = (
    "import sys, lissom\n"
    "if __name__ == '__main__':\n"
    "    pairs = [(path, rate) for path in sys.argv[3:] for rate in (11, 12, 13, 14)]\n"
    "    jobs = [lissom.BakeJob(path, rate=rate, name=f'{path[1:]}-{rate}') for path, rate in pairs]\n"
    "    for record in lissom.bake_many(jobs, sys.argv[1], store=sys.argv[2], window=4):\n"
    "        print(record.status, flush=True)\n"
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

    def worker(self, name: str) -> subprocess.Popen:
        options = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        process = self.start(WORKER, name, self.tcp, *options)
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


@pytest.fixture(scope="module")
def bucket_server() -> Iterator[ObjectServer]:
    with object_server() as server:
        yield server


@pytest.fixture
def server(bucket_server):
    yield bucket_server
    bucket_server.fault = sound


@pytest.fixture(scope="module")
def cluster(bucket_server, tmp_path_factory):
    with running(tmp_path_factory.mktemp("cluster")) as cluster:
        cluster.worker("one")
        cluster.worker("two")
        yield cluster


def many(folder: Path) -> list[lissom.BakeJob]:
    """Jobs enough that a process may be killed in their midst."""
    return [
        lissom.BakeJob(job.source, name=f"{job.source[1:]}-{rate}", rate=rate)
        for job in jobs(folder, "any")
        for rate in (11, 12, 13, 14)
    ]


@pytest.fixture(scope="module")
def expected(folder, tmp_path_factory):
    """What one process bakes, by keys."""
    store = open_store(tmp_path_factory.mktemp("alone"))
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("LISSOM_CACHE", str(tmp_path_factory.mktemp("cache")))
        records = list(lissom.bake_many(many(folder), store=store.url, workers=1))
    assert {record.status for record in records} == {"baked"}
    return {record.key: store.read(f"bakes/{record.key}.safetensors") for record in records}


def assert_whole(store, expected):
    """Each bake is there once, with its record, in the bytes of one process; nothing else is."""
    assert {key[6:-12]: store.read(key) for key in store.keys("bakes/")} == expected
    assert {key[8:-5] for key in store.keys("records/")} == expected.keys()
    assert list(store.keys("faults/")) == list(store.keys("tries/")) == []
    for key in store.keys("records/"):
        assert json.loads(store.read(key))["key"] == key[8:-5]


def test_two_workers_without_a_common_disk_bake_what_one_process_does(server, cluster, folder, expected):
    server.fault = OneInTen()
    store = open_store(f"s3://{BUCKET}/two")
    summary = lissom.BakeSummary()
    records = list(lissom.bake_many(many(folder), cluster.address, store=store.url))
    for record in records:
        summary.add(record)
    assert server.fault.failed >= 3  # before it was stored, and after
    assert [(record.status, record.reused) for record in records] == [("baked", False)] * len(expected)
    assert_whole(store, expected)
    workers = summary.to_dict()["workers"]
    assert len(workers) == 2
    assert all(worker["tasks"] > 0 for worker in workers.values())
    for name in ("one", "two"):  # each fetched what it baked, into its own folder
        assert len(list((cluster.folder / name / "sources").rglob("*.glb"))) > 0
    again = list(lissom.bake_many(many(folder), cluster.address, store=store.url))
    assert all(record.reused for record in again)


def test_a_killed_worker_loses_nothing_and_doubles_nothing(server, cluster, folder, expected):
    store = open_store(f"s3://{BUCKET}/killed")
    third = cluster.worker("third")
    found = []
    for record in lissom.bake_many(many(folder), cluster.address, store=store.url):
        found.append(record)
        if len(found) == 2:
            os.kill(third.pid, signal.SIGKILL)
    assert sorted(record.key for record in found) == sorted(expected)
    assert {record.status for record in found} == {"baked"}
    assert_whole(store, expected)


def test_a_killed_driver_is_taken_over(server, cluster, folder, expected):
    store = open_store(f"s3://{BUCKET}/driver")
    sources = [job.source for job in jobs(folder, "any")]
    command = [sys.executable, "-c", DRIVER, cluster.address, store.url, *sources]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as driver:
        assert driver.stdout.readline() == b"baked\n"
        driver.kill()
    records = list(lissom.bake_many(many(folder), cluster.address, store=store.url))
    assert any(record.reused for record in records)
    assert {record.status for record in records} == {"baked"}
    assert_whole(store, expected)


def test_two_drivers_leave_one_result(server, cluster, folder, expected):
    store = open_store(f"s3://{BUCKET}/drivers")
    found = {}

    def drive(name):
        todo = many(folder) if name == "a" else many(folder)[::-1]
        found[name] = list(lissom.bake_many(todo, cluster.address, store=store.url))

    threads = [threading.Thread(target=drive, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [{record.status for record in found[name]} for name in "ab"] == [{"baked"}] * 2
    assert_whole(store, expected)


def test_workers_of_another_build_are_refused_before_they_get_jobs(server, cluster, folder, monkeypatch):
    settings_of = run_stored.settings_of

    def other(*args):
        settings = settings_of(*args)
        return dataclasses.replace(settings, code={**settings.code, "digest": "0123456789abcdef"})

    monkeypatch.setattr("lissom._jobs.bake_many.settings_of", other)
    store = open_store(f"s3://{BUCKET}/another")
    records = lissom.bake_many(many(folder), cluster.address, store=store.url)
    with pytest.raises(ValueError, match=r"^bake_many: tcp://127\.0\.0\.1:\d+: worker .* has another build"):
        next(records)
    assert list(store.keys("")) == []
