# SPDX-License-Identifier: MIT
"""Bakes on dask workers that share nothing but a bucket: equal bytes, whoever is killed, whatever fails."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import lissom
from batch_files import contents, jobs, of_another_build
from dask_cluster import OF_ANOTHER_BUILD, running
from lissom._jobs.engines import engine_of
from lissom._jobs.pending import WINDOW
from lissom._store import open_store
from object_server import BUCKET, ObjectServer, OneInTen, object_server, sound

distributed = pytest.importorskip("distributed")

DRIVER = (
    "import sys, lissom\n"
    "if __name__ == '__main__':\n"
    "    pairs = [(path, rate) for path in sys.argv[3:] for rate in (11, 12, 13, 14)]\n"
    "    jobs = [lissom.BakeJob(path, rate=rate, name=f'{path[1:]}-{rate}') for path, rate in pairs]\n"
    "    for record in lissom.bake_many(jobs, sys.argv[1], store=sys.argv[2], window=4):\n"
    "        print(record.status, flush=True)\n"
)


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
    assert list(store.keys("faults/")) == list(store.keys("try-")) == []
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
    of_another_build(monkeypatch)
    store = open_store(f"s3://{BUCKET}/another")
    records = lissom.bake_many(many(folder), cluster.address, store=store.url)
    with pytest.raises(ValueError, match=r"^bake_many: tcp://127\.0\.0\.1:\d+: worker .* has another build"):
        next(records)
    assert list(store.keys("")) == []


def test_a_worker_of_another_build_that_comes_later_does_nothing(
    server, cluster, folder, expected, monkeypatch, caplog
):
    store = open_store(f"s3://{BUCKET}/late")
    summary = lissom.BakeSummary()
    with distributed.Client(cluster.tcp) as client:
        for record in lissom.bake_many(many(folder), client, store=store.url, window=4):
            if not summary.statuses:
                late = cluster.worker("late", OF_ANOTHER_BUILD)
            summary.add(record)
    late.kill()
    assert summary.statuses == {"baked": len(expected)}
    assert_whole(store, expected)
    assert not [name for name in summary.workers if name.endswith(f":{late.pid}")]
    (said,) = [record.getMessage() for record in caplog.records if record.name == "lissom.jobs"]
    assert "gets no jobs done: worker" in said
    assert "has another build of lissom, 0123456789ab; the driver has" in said


def test_what_is_done_stays_where_the_scheduler_ends(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("lissom._jobs.engines.PATIENCE", 0.5)
    (tmp_path / "cluster").mkdir()
    with running(tmp_path / "cluster") as cluster:
        cluster.worker("only")
        found = []
        for record in lissom.bake_many(many(folder), cluster.address, store=tmp_path / "store", window=2):
            found.append(record)
            cluster.processes[0].kill()
    done = [record for record in found if record.status == "baked"]
    left = [record for record in found if record.status == "unfinished"]
    assert 1 <= len(done) <= 3  # what was under way may have been done, and not told
    assert len(done) + len(left) == len(many(folder))
    (said,) = {record.message for record in left}
    assert said == (
        f"{cluster.tcp}: the scheduler has ended, or cannot be reached any more; start it and run the same "
        "again, what is done stays done"
    )
    again = list(lissom.bake_many(many(folder), store=tmp_path / "store", workers=1))
    assert {record.key for record in done} <= {record.key for record in again if record.reused}
    assert all(record.ok for record in again)


def test_a_scheduler_without_workers_is_told(tmp_path, caplog):
    with running(tmp_path) as empty, distributed.Client(empty.tcp) as client:
        assert engine_of(client.get_executor()).window == WINDOW
    (said,) = [record.getMessage() for record in caplog.records if record.name == "lissom.jobs"]
    assert said == f"bake_many: {empty.tcp} has no worker yet; jobs wait for one: dask worker {empty.tcp}"


def test_an_address_where_no_scheduler_answers(folder, tmp_path, monkeypatch):
    monkeypatch.setattr("lissom._jobs.engines.PATIENCE", 0.5)
    with pytest.raises(ConnectionError) as caught:
        next(lissom.bake_many(jobs(folder, tmp_path / "out"), "dask://127.0.0.1:9"))
    assert str(caught.value) == (
        "dask://127.0.0.1:9: no dask scheduler answers within 0.5 s: start one there by `dask scheduler`, "
        "or correct the address"
    )
    assert not (tmp_path / "out").exists()


def test_more_workers_get_more_jobs(cluster):
    with distributed.Client(cluster.tcp) as client:
        executor = client.get_executor()
        assert engine_of(executor).window == WINDOW
        many_threads = cluster.worker("many", threads=40)
        assert engine_of(executor).window == 4 * (2 + 40)
        many_threads.kill()


def test_paths_mean_the_same_in_the_folders_of_workers(cluster, folder, whole, tmp_path, monkeypatch):
    shutil.copytree(folder, tmp_path / "models")
    monkeypatch.chdir(tmp_path)
    todo = jobs(Path("models"), "out")
    records = list(lissom.bake_many(todo, cluster.address))
    assert {(record.source, record.output) for record in records} == {(job.source, "out") for job in todo}
    assert contents(tmp_path / "out").keys() == contents(whole).keys()
    names = [path.relative_to(whole) for path in whole.rglob("*.safetensors")]
    for name in names:
        assert (tmp_path / "out" / name).read_bytes() == (whole / name).read_bytes()
    manifest = json.loads((tmp_path / "out" / "bakes.json").read_text())
    assert len(manifest["bakes"]) == len(names)
