# SPDX-License-Identifier: MIT
"""Bakes in a store: the bytes of a folder, by keys; what is done, what is wrong, what is tried again."""

import contextlib
import errno
import hashlib
import json
import os
import re
import shutil
import threading
import types
from concurrent.futures import BrokenExecutor, CancelledError, Future, ThreadPoolExecutor
from pathlib import Path

import pytest

import lissom
from batch_files import (
    by_name,
    copied,
    jobs,
    of_another_build,
    with_failing_workers,
    with_own_children,
)
from lissom._jobs import key
from lissom._jobs.builds import Refused
from lissom._jobs.pending import Died, at_executor
from lissom._jobs.processes import Processes
from lissom._jobs.task import unfinished
from lissom._jobs.worker_name import worker_name
from lissom._store import open_store
from object_server import BUCKET, object_server, without_conditions


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LISSOM_CACHE", str(tmp_path / "cache"))


def by_key(output: Path) -> dict[str, bytes]:
    """The bakes of a folder by the keys of their jobs."""
    keys = {path: json.loads(path.read_text())["key"] for path in output.rglob("*-*.json")}
    return {key: path.with_suffix(".safetensors").read_bytes() for path, key in keys.items()}


def stored(store) -> dict[str, bytes]:
    """The bakes of a store by the keys of their jobs, all of which have records."""
    bakes = {key[6:-12]: store.read(key) for key in store.keys("bakes/")}
    assert {key[8:-5] for key in store.keys("records/")} == set(bakes)
    return bakes


def test_a_store_gets_the_bytes_of_a_folder(folder, whole, tmp_path):
    store = open_store(tmp_path / "store")
    records = list(lissom.bake_many(jobs(folder, "any"), store=store.url, workers=2))
    assert [record.status for record in records] == ["baked"] * 4
    assert stored(store) == by_key(whole)
    for record in records:
        assert Path(record.path).read_bytes() == stored(store)[record.key]
        assert not record.reused
        assert record.worker
    again = by_name(lissom.bake_many(jobs(folder, "any"), store=store.url, workers=2))
    assert all(record.reused for record in again.values())
    facts = ("key", "path", "worker")
    assert {record.name: [getattr(record, fact) for fact in facts] for record in records} == {
        name: [getattr(record, fact) for fact in facts] for name, record in again.items()
    }


def test_a_record_says_what_others_build_on(folder, tmp_path):
    store = open_store(tmp_path / "store")
    (record,) = lissom.bake_many(jobs(folder, "any")[:1], store=store.url, workers=1)
    document = json.loads(store.read(f"records/{record.key}.json"))
    data = store.read(document["output"])
    report = lissom.load_bake(record.path).report
    assert document["source"] == record.source
    assert document["source_hash"] == hashlib.sha256(Path(record.source).read_bytes()).hexdigest()
    assert document["hash"] == hashlib.sha256(data).hexdigest()
    assert document["bytes"] == len(data)
    assert document["lissom"] == lissom.__version__
    assert document["seconds"] > 0
    assert [clip["name"] for clip in document["clips"]] == list(report.clips)
    for clip in document["clips"]:
        told = report.clips[clip["name"]]
        assert (clip["frames"], clip["rate"], clip["loop"]) == (told.frame_count, told.rate, told.loop)
        assert clip["duration"] == told.duration
        assert clip["error"]["max"] == told.error.max
        assert clip["error"]["p99"] == told.error.p99
        assert clip["error"]["rms"] == told.error.rms
        assert clip["worst_joint"] == told.error.worst.joint


def test_a_reused_record_has_the_report_of_the_first(folder, tmp_path):
    todo = jobs(folder, "any")[:1]
    (first,) = lissom.bake_many(todo, store=tmp_path / "store", workers=1)
    (again,) = lissom.bake_many(todo, store=tmp_path / "store", workers=1)
    assert again.reused
    left_out = ("joints", "joint_max", "joint_rms")
    report = {name: value for name, value in first.report.items() if name not in left_out}
    report["clips"] = {
        name: {fact: value for fact, value in clip.items() if fact not in left_out}
        for name, clip in report["clips"].items()
    }
    assert again.report == json.loads(json.dumps(report))


def test_resuming_needs_the_record_and_the_bake_of_its_size(folder, tmp_path):
    todo = jobs(folder, "any")
    store = open_store(tmp_path / "store")
    records = list(lissom.bake_many(todo, store=store.url, workers=1))
    bakes = stored(store)
    kept, short, gone, without_record = records
    Path(short.path).write_bytes(b"")
    Path(gone.path).unlink()
    (tmp_path / "store" / "records" / f"{without_record.key}.json").unlink()
    again = by_name(lissom.bake_many(todo, store=store.url, workers=1))
    assert [name for name, record in again.items() if record.reused] == [kept.name]
    assert stored(store) == bakes


def named(store) -> dict[str, str]:
    """The keys that names lead to, by the keys of the names."""
    return {key[6:-5]: json.loads(store.read(key))["key"] for key in store.keys("names/")}


ODD_NAMES = {
    ("out", "a b"): "out/a b",
    ("..", "bar"): "%2E%2E/bar",
    ("/srv/ü", "%2E"): "%2F/srv/ü/%252E",
    ("a:b*", "x/y?"): "a%3Ab%2A/x/y%3F",
    ("a\\b", "bar#1"): "a%5Cb/bar#1",
}


def test_names_lead_to_bakes_and_are_keys(tmp_path):
    store = open_store(tmp_path / "store")
    todo = [
        lissom.BakeJob("sample:twisted_bar", output, name, rate=10 + i)
        for i, (output, name) in enumerate(ODD_NAMES)
    ]
    records = list(lissom.bake_many(todo, store=store.url, workers=1))
    keys = {(record.output, record.name): record.key for record in records}
    expected = {key: keys[names] for names, key in ODD_NAMES.items()}
    assert named(store) == expected
    document = json.loads(store.read("names/out/a b.json"))
    assert (document["name"], document["source"]) == ("out/a b", "sample:twisted_bar")
    assert document["bake"] == f"bakes/{keys['out', 'a b']}.safetensors"
    # What a killed run did not come to, the next makes up.
    store.delete("names/out/a b.json")
    assert all(record.reused for record in lissom.bake_many(todo, store=store.url, workers=1))
    assert named(store) == expected


def test_a_name_is_not_written_again_for_nothing(tmp_path, monkeypatch):
    todo = [lissom.BakeJob("sample:twisted_bar", rate=10)]
    list(lissom.bake_many(todo, store="memory://once", workers=1))

    def refuse(store, key, data):
        raise AssertionError(key)

    monkeypatch.setattr("lissom._store.objects.Objects.write", refuse)
    (record,) = lissom.bake_many(todo, store="memory://once", workers=1)
    assert (record.status, record.reused) == ("baked", True)


def test_a_name_that_no_key_can_be_is_refused_before_work(tmp_path):
    job = lissom.BakeJob("sample:twisted_bar", "/".join(["x" * 200] * 6))
    executor = Faulty()
    (record,) = lissom.bake_many([job], executor, store=tmp_path / "store")
    assert (record.status, executor.tasks) == ("failed", 0)
    assert record.message.startswith(
        "sample:twisted_bar: its output and name must be a key of the store: key must have at most 1024 bytes"
    )


def test_a_second_run_replaces_no_record(folder, tmp_path):
    todo = jobs(folder, "any")[:1]
    store = open_store(tmp_path / "store")
    (first,) = lissom.bake_many(todo, store=store.url, workers=1)
    document = store.read(f"records/{first.key}.json")
    (second,) = lissom.bake_many(todo, store=store.url, workers=1, resume=False)
    assert not second.reused
    assert second.seconds != first.seconds
    assert store.read(f"records/{first.key}.json") == document


def test_faults_are_kept_apart_and_not_tried_again(folder, tmp_path):
    (tmp_path / "broken.glb").write_bytes(b"glTF\2\0\0\0")
    todo = [lissom.BakeJob(tmp_path / "broken.glb"), lissom.BakeJob("sample:twisted_bar", clips=("jump",))]
    for is_again in (False, True):
        records = list(lissom.bake_many(todo, store=tmp_path / "store", workers=1))
        assert [(record.status, record.reused) for record in records] == [("failed", is_again)] * 2
        assert all(record.message.startswith(record.source) for record in records)
    store = open_store(tmp_path / "store")
    assert len(list(store.keys("faults/"))) == 2
    assert list(store.keys("records/")) == list(store.keys("bakes/")) == []


def as_gltf(model: Path, folder: Path) -> Path:
    """Write a GLB file as glTF with its buffer in a file of a subfolder."""
    data = model.read_bytes()
    length = int.from_bytes(data[12:16], "little")
    document = json.loads(data[20 : 20 + length])
    document["buffers"][0]["uri"] = "parts/data%20one.bin"
    (folder / "parts").mkdir(parents=True)
    (folder / "parts" / "data one.bin").write_bytes(data[28 + length :])
    path = folder / "model.gltf"
    path.write_text(json.dumps(document))
    return path


def test_a_file_that_names_others_comes_whole(folder, tmp_path):
    path = as_gltf(next(folder.glob("*.glb")), tmp_path / "models")
    store = open_store(tmp_path / "store")
    (folder_record,) = lissom.bake_many([lissom.BakeJob(path, tmp_path / "out")], workers=1)
    (record,) = lissom.bake_many([lissom.BakeJob(path)], store=store.url, workers=1)
    assert (record.status, record.key) == ("baked", folder_record.key)
    assert Path(record.path).read_bytes() == Path(folder_record.path).read_bytes()
    address = open_store(path.parent).url
    shutil.rmtree(tmp_path / "cache")
    (fetched,) = lissom.bake_many(
        [lissom.BakeJob(f"file://{address}/{path.name}")], store=tmp_path / "other", workers=1
    )
    assert (fetched.status, fetched.key) == ("baked", folder_record.key)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    for place in (tmp_path / "out", store.url, tmp_path / "other"):  # one rule: of the file itself
        catalog = lissom.Catalog.build(place, tmp_path / "bakes.parquet")
        assert set(catalog.arrays(["source_hash"])["source_hash"]) == {digest}


def test_a_damaged_cache_is_mended(folder, tmp_path):
    todo = jobs(folder, "any")[:1]
    (first,) = lissom.bake_many(todo, store=tmp_path / "store", workers=1)
    (copy,) = (path for path in (tmp_path / "cache").rglob("*.glb"))
    copy.write_bytes(b"another")
    (second,) = lissom.bake_many(todo, store=tmp_path / "store", workers=1, resume=False)
    assert (second.status, second.key) == ("baked", first.key)


def test_a_cache_may_be_deleted_during_a_run(folder, tmp_path):
    source = jobs(folder, "any")[0].source
    todo = [lissom.BakeJob(Path(source).as_uri(), name=f"at/{rate}", rate=rate) for rate in (11, 12)]
    statuses = []
    for record in lissom.bake_many(todo, Faulty(), store=tmp_path / "store", window=1):
        statuses.append(record.status)
        shutil.rmtree(tmp_path / "cache")
    assert statuses == ["baked"] * 2


@pytest.mark.parametrize("name", ["x y.glb", "h[1].glb", "ü.glb", "100%25.glb"])
def test_an_address_of_a_file_is_that_of_its_path(folder, tmp_path, name):
    shutil.copy(jobs(folder, "any")[0].source, tmp_path / name)
    job = lissom.BakeJob((tmp_path / name).as_uri(), name="one")
    (record,) = lissom.bake_many([job], Faulty(), store=tmp_path / "store")
    assert (record.status, record.message) == ("baked", "")


def test_a_damaged_source_of_a_store_is_named_and_not_tried_again(folder, tmp_path):
    (job,) = jobs(folder, "any")[:1]
    store = open_store(tmp_path / "store")
    list(lissom.bake_many([job], Faulty(), store=store.url))
    (key,) = store.keys("sources/")
    store.write(key, b"damaged")
    shutil.rmtree(tmp_path / "cache")
    executor = Faulty()
    (record,) = lissom.bake_many([job], executor, store=store.url, resume=False)
    assert (record.status, executor.tasks) == ("unfinished", 1)
    assert record.message.endswith(
        f"its SHA-256 is not {key.split('/')[1]}: remove sources/ of that name from {store.url}"
    )


def test_two_jobs_of_one_name_are_refused(folder, tmp_path):
    todo = [lissom.BakeJob("sample:twisted_bar", "out", "bar", rate=rate) for rate in (15, 30)]
    first, second = sorted(
        lissom.bake_many(todo, store=tmp_path / "store", workers=1), key=lambda r: r.status
    )
    assert first.status == "baked"
    assert second.status == "failed"
    assert second.message == (
        "sample:twisted_bar: another job of this run is named 'out/bar', too; set names apart"
    )


class Faulty:
    """An executor in this thread, whose tasks fail as a test says before they are done."""

    def __init__(self, *faults):
        self.faults = list(faults)
        self.tasks = 0

    def submit(self, fn, /, *args):
        self.tasks += 1
        future = Future()
        fault = self.faults.pop(0) if self.faults else None
        if fault is None:
            try:
                future.set_result(fn(*args))
            except Exception as error:
                future.set_exception(error)
        else:
            future.set_exception(fault)
        return future


def test_what_died_is_tried_again_and_what_is_wrong_is_not(folder, tmp_path):
    (job,) = jobs(folder, "any")[:1]
    died = [BrokenExecutor("a node is gone"), Died(f"{job.source}: killed: SIGKILL")]
    executor = Faulty(*died)
    (record,) = lissom.bake_many([job], executor, store=tmp_path / "store")
    assert (record.status, executor.tasks) == ("baked", 3)
    executor = Faulty(*died, BrokenExecutor("again"))
    (record,) = lissom.bake_many([job], executor, store=tmp_path / "store")
    assert (record.status, executor.tasks) == ("unfinished", 3)
    assert record.message == f"{job.source}: the executor lost it: BrokenExecutor: again (3 times)"
    for wrong in (ModuleNotFoundError("No module named 'lissom'"), KeyError("rate"), AssertionError()):
        executor = Faulty(wrong)
        (record,) = lissom.bake_many([job], executor, store=tmp_path / "store")
        assert (record.status, executor.tasks) == ("unfinished", 1)
    executor = Faulty()
    (record,) = lissom.bake_many([lissom.BakeJob(tmp_path / "none.glb")], executor, store=tmp_path / "store")
    assert (record.status, executor.tasks) == ("unfinished", 0)
    assert record.message.endswith("none.glb: there is no such file")


@pytest.mark.parametrize(
    ("number", "tasks"), [("ENOSPC", 1), ("EDQUOT", 1), ("EROFS", 1), ("ENOTDIR", 1), ("EIO", 3)]
)
def test_a_full_store_is_not_tried_again_and_one_that_fails_is(folder, tmp_path, monkeypatch, number, tasks):
    def refuse(store, key, data):
        code = getattr(errno, number)
        raise OSError(code, os.strerror(code), f"{store.url}/{key}")

    (job,) = jobs(folder, "any")[:1]
    (_,) = lissom.bake_many([job], Faulty(), store=tmp_path / "store")  # sends the source
    monkeypatch.setattr("lissom._store.folder.Folder.write", refuse)
    executor = Faulty()
    (record,) = lissom.bake_many([job], executor, store=tmp_path / "store", resume=False)
    assert (record.status, executor.tasks) == ("unfinished", tasks)
    assert os.strerror(getattr(errno, number)).casefold() in record.message.casefold()


def test_the_last_word_of_dask_and_a_lost_connection_are_told_apart(folder, tmp_path):
    comm = pytest.importorskip("distributed.comm")
    scheduler = pytest.importorskip("distributed.scheduler")
    (job,) = jobs(folder, "any")[:1]
    lost = comm.CommClosedError("gone"), ConnectionResetError("gone"), CancelledError()
    executor = Faulty(*lost[:2])
    (record,) = lissom.bake_many([job], executor, store=tmp_path / "store")
    assert (record.status, executor.tasks) == ("baked", 3)
    executor = Faulty(lost[2])
    (record,) = lissom.bake_many([job], executor, store=tmp_path / "store")
    assert (record.status, executor.tasks) == ("baked", 2)
    executor = Faulty(scheduler.KilledWorker("task", types.SimpleNamespace(address="tcp://10.0.0.2:9"), 3))
    (record,) = lissom.bake_many([job], executor, store=tmp_path / "store")
    assert (record.status, executor.tasks) == ("unfinished", 1)


@pytest.mark.parametrize(
    ("fact", "words"), [("digest", "build of lissom"), ("instruction_set", "instruction set")]
)
def test_a_worker_with_another_build_is_refused_by_its_hash(folder, tmp_path, monkeypatch, fact, words):
    own = key.code(jobs(folder, "any")[0]._kind, None)[fact][:12]
    of_another_build(monkeypatch, fact)
    executor = Faulty()
    with pytest.raises(
        ValueError, match=rf"^bake_many: worker .* has another {words}, {own}; the driver"
    ) as e:
        next(lissom.bake_many(jobs(folder, "any"), executor, store=tmp_path / "store", window=1))
    assert "; the driver has 0123456789ab: " in str(e.value)
    assert executor.tasks == 1
    assert not (tmp_path / "store" / "records").exists()


def test_a_worker_with_another_build_is_refused_without_a_store_too(folder, tmp_path, monkeypatch):
    code = key.code(jobs(folder, "any")[0]._kind, None)
    monkeypatch.setattr("lissom._jobs.run_many.code", lambda *_: {**code, "digest": "0123456789abcdef"})
    with pytest.raises(ValueError, match=r"^bake_many: worker .* has another build of lissom"):
        next(lissom.bake_many(jobs(folder, tmp_path / "out"), Faulty()))
    assert not (tmp_path / "out").exists()


class Joined(Faulty):
    """An executor that asks its workers, one of which joins late and is of another build."""

    def __init__(self, refusing):
        super().__init__(*[Refused("worker late:1 has another build")] * refusing)
        self.asked = 0

    def require(self, fn, /, *args):
        assert fn(*args) == ""

    def ask_again(self):
        self.asked += 1


def test_what_a_late_worker_of_another_build_refuses_is_done_by_others(folder, tmp_path):
    executor = Joined(refusing=5)  # more often than what died is tried
    records = list(lissom.bake_many(jobs(folder, "any"), executor, store=tmp_path / "store", window=1))
    assert {record.status for record in records} == {"baked"}
    assert (executor.tasks, executor.asked) == (4 + 5, 5)
    with pytest.raises(ValueError, match=r"^bake_many: worker late:1 has another build"):
        next(lissom.bake_many(jobs(folder, "any"), Joined(refusing=99), store=tmp_path / "store"))


class Wrapped(Exception):
    """An error as Ray raises it: it holds that of the worker, and says a traceback."""

    def __init__(self, cause):
        super().__init__("ray::_called() (pid=1)\n  File worker.py, line 7\nRefused: worker ...")
        self.cause = cause


def test_errors_that_an_executor_wraps_are_told_as_the_worker_raised_them(folder, tmp_path):
    (job,) = jobs(folder, "any")[:1]
    executor = Faulty(Wrapped(Refused("worker far:1 has another build: install the same")))
    with pytest.raises(ValueError, match=r"^bake_many: worker far:1 has another build: install the same$"):
        next(lissom.bake_many([job], executor, store=tmp_path / "store"))


def test_two_drivers_at_once_leave_one_result(folder, whole, tmp_path):
    found = {}

    def drive(name):
        found[name] = list(lissom.bake_many(jobs(folder, "any"), store=tmp_path / "store", workers=1))

    threads = [threading.Thread(target=drive, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(record.ok for records in found.values() for record in records)
    assert stored(open_store(tmp_path / "store")) == by_key(whole)


def test_memory_is_for_threads_alone(folder, whole):
    records = list(lissom.bake_many(jobs(folder, "any"), store="memory://bakes", workers=1))
    assert {record.status for record in records} == {"baked"}
    assert stored(open_store("memory://bakes")) == by_key(whole)
    (record,) = lissom.bake_many(jobs(folder, "any")[:1], "processes", store="memory://other", workers=1)
    assert record.status == "unfinished"
    assert "memory://other is the driver's own memory; pass a folder or a bucket" in record.message


def test_a_careless_server_is_refused_before_any_work(folder):
    with object_server() as server:
        server.fault = without_conditions
        records = lissom.bake_many(jobs(folder, "any"), store=f"s3://{BUCKET}/x", workers=1)
        with pytest.raises(ValueError, match=f"s3://{BUCKET}/x replaces a key that exists"):
            next(records)
        assert not list(open_store(f"s3://{BUCKET}/x").keys(""))


ADDRESSES = ["dask", "dask://", "dask://host", "ray://host:x", "slurm://a:1", "processes://", ""]


@pytest.mark.parametrize("on", ADDRESSES)
def test_an_address_of_no_engine_is_refused_at_once(on):
    with pytest.raises(
        ValueError, match="executor must be processes, dask://HOST:PORT or ray://HOST:PORT, got"
    ):
        lissom.bake_many([], on)


def test_a_job_that_kills_its_process_takes_no_other_along():
    names = ["poison", "a", "b", "c"]
    todo = [lissom.BakeJob("sample:twisted_bar", name=name) for name in names]
    calls = [(job, (os._exit, 3) if job.name == "poison" else (str, "done")) for job in todo]
    pool = Processes(1)
    try:
        found = {job.name: record for job, record in at_executor(calls, pool, lambda: 8, 3, unfinished)}
    finally:
        pool.stop()
    assert found.keys() == set(names)
    dead = found.pop("poison")
    assert set(found.values()) == {"done"}
    assert dead.status == "unfinished"
    assert dead.message.startswith("sample:twisted_bar: the executor lost it: BrokenProcessPool: ")
    assert dead.message.endswith(" (3 times)")


def test_a_full_disk_of_a_worker_is_no_death(folder, tmp_path, monkeypatch):
    with_failing_workers(monkeypatch)
    models = copied(folder, tmp_path, "disk_1", "memory_1")
    told = []
    with ThreadPoolExecutor(1) as pool:  # with a child of its own
        executor = types.SimpleNamespace(
            submit=lambda fn, *args: told.append(args[0]) or pool.submit(fn, *args)
        )
        records = by_name(lissom.bake_many(jobs(models, "any"), executor, store=tmp_path / "store"))
    assert {record.status for record in records.values()} == {"unfinished"}
    assert sorted(job.name for job in told) == ["disk_1"] + ["memory_1"] * 3  # which may be there again
    assert re.search(
        rf"/lissom-\w+/bake\.safetensors: no space left on device, on {worker_name()}$",
        records["disk_1"].message,
    )
    assert records["memory_1"].message.endswith("(3 times)")


def test_progress_tells_each_clip_of_a_stored_bake(folder, tmp_path, monkeypatch):
    with_own_children(monkeypatch)
    told = []
    todo = jobs(folder, "any")[:1]
    list(lissom.bake_many(todo, store=tmp_path / "s", workers=1, progress=lambda *news: told.append(news)))
    names = list(lissom.load(todo[0].source).clips)
    assert told == [(todo[0], i + 1, len(names), name) for i, name in enumerate(names)]


def test_a_summary_counts_by_worker_and_by_fault(folder, tmp_path):
    summary = lissom.BakeSummary()
    models = copied(folder, tmp_path, "a", "b")
    (models / "c.glb").write_bytes(b"no model")
    (models / "d.glb").write_bytes(b"nor this")
    records = list(lissom.bake_many(jobs(models, "any"), store=tmp_path / "s", workers=1))
    for record in records:
        summary.add(record)
    facts = summary.to_dict()
    assert facts["statuses"] == {"baked": 2, "failed": 2}
    ((worker, done),) = facts["workers"].items()
    assert worker == worker_name()
    sizes = sum(path.stat().st_size for path in (tmp_path / "s" / "bakes").iterdir())
    assert (done["tasks"], done["bytes"]) == (4, sizes)
    assert done["seconds"] == pytest.approx(sum(record.seconds for record in records))
    ((_, fault),) = facts["faults"].items()
    assert fault["count"] == 2
    assert json.loads(json.dumps(facts)) == facts
    assert "2 baked, 2 failed" in str(summary)
    for record in lissom.bake_many(jobs(models, "any"), store=tmp_path / "s", workers=1):
        summary.add(record)
    assert summary.statuses == {"baked": 2, "failed": 2, "reused": 4}
    assert summary.to_dict()["tasks"] == 4


def test_faults_that_differ_by_a_key_alone_are_of_one_kind():
    summary = lissom.BakeSummary()
    for digits in ("0f3a", "ab7c", "deadbee5", "42"):
        message = f"s3://b/bakes/{digits}.json: full"
        summary.add(lissom.BakeRecord("hero.glb", ".", "hero", "unfinished", message=message))
    assert [fault["count"] for fault in summary.faults.values()] == [4]


def test_distinct_names_are_told_apart_in_little_memory():
    import tracemalloc

    from lissom._jobs.distinct import Distinct

    names = Distinct()
    tracemalloc.start()
    try:
        assert all(names.add(f"name {i}") for i in range(40_000))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert not any(names.add(f"name {i}") for i in range(0, 40_000, 997))
    assert names.add("name 40000")
    assert peak < 2.5e6  # a set of such names takes 5 million


def test_leaving_the_loop_of_a_store_ends_it(folder, tmp_path):
    with contextlib.closing(
        lissom.bake_many(jobs(folder, "any"), store=tmp_path / "s", workers=1)
    ) as records:
        assert next(records).ok
    assert all(record.ok for record in lissom.bake_many(jobs(folder, "any"), store=tmp_path / "s", workers=1))
