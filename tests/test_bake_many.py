# SPDX-License-Identifier: MIT
"""Many files: the same bytes whoever does the work, nothing done twice, a failure costs its file alone."""

import concurrent.futures
import contextlib
import json
import multiprocessing
import os
import pickle
import random
import shutil
import signal
import subprocess
import sys
import threading
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import pytest

import batch_files
import lissom
from batch_files import WarmThreads, contents, jobs, with_failing_workers, with_own_children
from batch_processes import wait_until
from lissom import _bake_many
from lissom._batch import guard as guards
from lissom._batch import key as keys
from lissom._batch import manifest, task

posix = pytest.mark.skipif(os.name != "posix", reason="signals")


@pytest.fixture(scope="module", autouse=True)
def warm_children():
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(_bake_many, "_GuardedThreads", WarmThreads)
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("many") / "models"
    batch_files.models(folder)
    return folder


@pytest.fixture(scope="module")
def whole(folder, tmp_path_factory):
    """The output of one worker."""
    output = tmp_path_factory.mktemp("whole") / "out"
    records = list(lissom.bake_many(jobs(folder, output), workers=1))
    assert [record.status for record in records] == ["baked"] * 4
    return output


def copied(folder, tmp_path, *names):
    """A folder of models of these names."""
    source = next(folder.glob("*.glb"))
    models = tmp_path / "models"
    models.mkdir()
    for name in names:
        shutil.copy(source, models / f"{name}.glb")
    return models


def by_name(records):
    return {record.name: record for record in records}


# --- the same bytes ---


def test_a_bake_has_the_bytes_that_bake_and_save_give(folder, whole, tmp_path):
    for job in jobs(folder, whole):
        path = tmp_path / "alone.safetensors"
        lissom.bake(lissom.load(job.source)).save(path)
        assert job.path(job.key()).read_bytes() == path.read_bytes()


class ByHand:
    """An executor that does the work when it is asked for it, in a thread of each job's own."""

    def submit(self, fn, /, *args):
        future = Future()

        def work():
            future.set_result(fn(*args))

        threading.Thread(target=work).start()
        return future


@pytest.mark.parametrize("workers", [2, 3])
def test_any_number_of_workers_gives_the_same_bytes(folder, whole, tmp_path, monkeypatch, workers):
    with_own_children(monkeypatch)
    shuffled = jobs(folder, tmp_path / "out")
    random.Random(workers).shuffle(shuffled)
    list(lissom.bake_many(shuffled, workers=workers))
    assert contents(tmp_path / "out") == contents(whole)


@pytest.mark.parametrize("kind", ["threads", "processes", "by hand"])
def test_any_executor_gives_the_same_bytes(folder, whole, tmp_path, kind):
    make = {
        "threads": lambda: ThreadPoolExecutor(2),
        "processes": lambda: ProcessPoolExecutor(1, multiprocessing.get_context("spawn")),
        "by hand": lambda: None,
    }
    with make[kind]() or ThreadPoolExecutor(1) as executor:
        records = lissom.bake_many(
            jobs(folder, tmp_path / "out"), ByHand() if kind == "by hand" else executor
        )
        assert {record.status for record in records} == {"baked"}
    assert contents(tmp_path / "out") == contents(whole)


def test_any_split_into_runs_gives_the_same_bytes(folder, whole, tmp_path):
    rng = random.Random(5)
    shuffled = jobs(folder, tmp_path / "out")
    rng.shuffle(shuffled)
    for part in (shuffled[:1], shuffled[1:3], shuffled[2:]):
        list(lissom.bake_many(part, workers=2))
    assert contents(tmp_path / "out") == contents(whole)


def test_the_manifest_lists_what_is_there_without_times(whole):
    text = (whole / "bakes.json").read_text()
    manifest = json.loads(text)
    names = [entry["name"] for entry in manifest["bakes"]]
    assert names == sorted(names) == ["model_0", "model_2", "more/model_1", "more/model_3"]
    for entry in manifest["bakes"]:
        path = whole / entry["file"]
        assert keys.file_digest(path) == entry["sha256"]
        assert path.stat().st_size == entry["file_bytes"]
        bake = lissom.load_bake(path)
        assert list(bake.clips) == entry["clips"]
        assert entry["max_relative"] == pytest.approx(bake.report.max_relative)
    assert "seconds" not in text
    assert "time" not in text


def test_a_record_holds_what_its_key_was_made_of(whole):
    for path in whole.rglob("*-*.json"):
        record = json.loads(path.read_text())
        assert keys.digest(record["inputs"]) == record["key"]
        assert path.stem.endswith(record["key"][:12])
        assert record["seconds"] > 0
        assert record["report"]["clips"]


# --- nothing twice ---


def copy_of(whole, tmp_path):
    output = tmp_path / "out"
    shutil.copytree(whole, output)
    return output


def test_what_is_done_is_not_done_again(folder, whole, tmp_path, monkeypatch):
    with_own_children(monkeypatch)
    output = copy_of(whole, tmp_path)
    monkeypatch.setattr(guards, "_start", None)  # a child would be an error
    records = list(lissom.bake_many(jobs(folder, output)))
    assert len(records) == 4
    for record in records:
        assert record.ok
        assert record.reused
        assert record.report["clips"].keys() == lissom.load_bake(record.path).clips.keys()
    assert contents(output) == contents(whole)


DAMAGES = {
    "a flipped byte": lambda bake: bake.write_bytes(bake.read_bytes()[:-1] + b"\x55"),
    "cut off": lambda bake: os.truncate(bake, 1000),
    "removed": lambda bake: bake.unlink(),
    "record removed": lambda bake: bake.with_suffix(".json").unlink(),
    "record cut off": lambda bake: os.truncate(bake.with_suffix(".json"), 100),
    "record of a later version": lambda bake: bake.with_suffix(".json").write_text(
        bake.with_suffix(".json").read_text().replace('"version": 1', '"version": 2')
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_output_alone_is_done_again(folder, whole, tmp_path, damage):
    output = copy_of(whole, tmp_path)
    bake = next(output.glob("model_2-*.safetensors"))
    DAMAGES[damage](bake)
    records = by_name(lissom.bake_many(jobs(folder, output), workers=1))
    assert {name for name, record in records.items() if not record.reused} == {"model_2"}
    assert contents(output) == contents(whole)


def test_without_resume_all_is_done_again(folder, whole, tmp_path):
    output = copy_of(whole, tmp_path)
    records = list(lissom.bake_many(jobs(folder, output), resume=False))
    assert not any(record.reused for record in records)
    assert contents(output) == contents(whole)


def test_leftovers_of_killed_runs_are_swept(folder, whole, tmp_path):
    output = copy_of(whole, tmp_path)
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        pass
    from lissom.files import atomic

    place = atomic._place()
    for name in (".model_0-abc.safetensors", "more/.model_1-abc.json"):
        (output / f"{name}.{gone.pid}.{place}.abcd.part").touch()
    list(lissom.bake_many(jobs(folder, output)))
    assert contents(output) == contents(whole)


def test_a_changed_input_gets_another_file_and_its_place_in_the_manifest(folder, tmp_path):
    models = copied(folder, tmp_path, "a")
    output = tmp_path / "out"
    (first,) = lissom.bake_many(jobs(models, output))
    lissom.save_glb(lissom.samples.twisted_bar(), models / "a.glb")
    (second,) = lissom.bake_many(jobs(models, output))
    assert not second.reused
    assert Path(first.path).exists()
    assert first.path != second.path
    (entry,) = json.loads((output / "bakes.json").read_text())["bakes"]
    assert entry["key"] == second.key
    # As it was: nothing to bake, and the older file is the one that counts.
    shutil.copy(next(folder.glob("*.glb")), models / "a.glb")
    (third,) = lissom.bake_many(jobs(models, output))
    assert third.reused
    (entry,) = json.loads((output / "bakes.json").read_text())["bakes"]
    assert entry["key"] == first.key
    # A run that has nothing to do with it leaves that as it is.
    lissom.save_glb(lissom.samples.twisted_bar(), models / "b.glb")
    list(lissom.bake_many(jobs(models, output)[1:]))
    entries = json.loads((output / "bakes.json").read_text())["bakes"]
    assert [entry["name"] for entry in entries] == ["a", "b"]
    assert entries[0]["key"] == first.key


def test_a_manifest_knows_of_the_run_that_ended_while_it_was_written(folder, whole, tmp_path, monkeypatch):
    output = tmp_path / "out"
    shutil.copytree(whole, output, ignore=shutil.ignore_patterns("model_2-*", "bakes.json"))
    write = manifest.write_atomically

    def other_ends_first(path, chunks):
        for late in whole.glob("model_2-*"):
            shutil.copy(late, output)
        write(path, chunks)

    monkeypatch.setattr(manifest, "write_atomically", other_ends_first)
    list(lissom.bake_many(jobs(folder, output)[:1]))
    assert contents(output) == contents(whole)


# --- the key ---


def test_the_key_covers_contents_options_and_code(folder, tmp_path, monkeypatch):
    (path,) = copied(folder, tmp_path, "a").glob("*.glb")
    job = lissom.BakeJob(path, tmp_path)
    key = job.key()
    assert len(key) == 64
    seen = {key}
    changes = {
        **dict.fromkeys(("clips", "without", "loop", "no_loop", "extra_joints"), "x"),
        "layout": "matrix",
        "method": "linear",
        "root_motion": True,
        "rate": 30,
        "max_error": 0.1,
        "dtype": "float32",
        "include_mesh": False,
    }
    assert changes.keys() == job.options.keys()
    for name, value in changes.items():
        seen.add(lissom.BakeJob(path, tmp_path, **{name: value}).key())
    assert len(seen) == 1 + len(changes)
    for name, value in (
        ("_package_digest", lambda: "another"),
        ("np", type("", (), {"__version__": "0"})),
        ("_core", type("", (), {"isa": staticmethod(lambda: "v9")})),
    ):
        with monkeypatch.context() as patched:
            patched.setattr(keys, name, value)
            seen.add(job.key())
    with monkeypatch.context() as patched:
        patched.setattr(keys.pose_texture, "VERSION", 99)
        seen.add(job.key())
    path.write_bytes(path.read_bytes() + b"\0")
    seen.add(job.key())
    assert len(seen) == 6 + len(changes)


def test_the_key_is_the_same_wherever_files_lie(folder, tmp_path):
    (path,) = copied(folder, tmp_path, "a").glob("*.glb")
    elsewhere = tmp_path / "elsewhere" / "a.glb"
    elsewhere.parent.mkdir()
    shutil.copy(path, elsewhere)
    first = lissom.BakeJob(path, tmp_path, rate=30)
    second = lissom.BakeJob(elsewhere, "other", name="b", rate=30.0)
    assert first.key() == second.key()


def test_the_key_covers_the_files_that_a_gltf_names(tmp_path):
    document = {
        "asset": {"version": "2.0"},
        "buffers": [
            {"uri": "data%20one.bin", "byteLength": 4},
            {"uri": "data:;base64,AAAA", "byteLength": 3},
        ],
        "images": [{"uri": "picture.png"}, {"bufferView": 0}, {"uri": "../outside.png"}],
    }
    path = tmp_path / "a" / "model.gltf"
    path.parent.mkdir()
    path.write_text(json.dumps(document))
    (tmp_path / "outside.png").write_bytes(b"1")
    job = lissom.BakeJob(path)
    found = [job.key()]
    for name, data in (("data one.bin", b"1234"), ("picture.png", b"1"), ("picture.png", b"2")):
        (path.parent / name).write_bytes(data)
        found.append(job.key())
    assert len(set(found)) == 4
    (tmp_path / "outside.png").write_bytes(b"2")  # which loading does not read, either
    assert job.key() == found[-1]
    for text in ("{", '{"x":' + "[" * 100_000):
        path.write_text(text)
        assert job.key() not in found


def test_the_digest_of_the_code_covers_what_bakes(monkeypatch):
    covered = []
    file_digest = keys.file_digest
    monkeypatch.setattr(keys, "file_digest", lambda path: covered.append(Path(path)) or file_digest(path))
    keys._package_digest.__wrapped__()
    names = {path.name for path in covered}
    assert {"_bake.py", "job.py", "reader.py", Path(lissom._core.__file__).name} <= names
    assert not any("gpu" in path.parts or "cli" in path.parts for path in covered)


def test_in_deterministic_mode_the_instruction_set_is_no_part_of_the_key(folder, monkeypatch):
    job = jobs(folder, Path())[0]
    fixed = keys.digest(keys.key_inputs(job, True))
    assert fixed != job.key()
    monkeypatch.setattr(keys._core, "isa", lambda: "v9")
    assert keys.digest(keys.key_inputs(job, True)) == fixed


# --- failures ---


@posix
@pytest.mark.parametrize("kind", ["own", "threads", "processes"])
def test_a_crash_costs_one_file(folder, tmp_path, monkeypatch, kind):
    with_failing_workers(monkeypatch)
    models = copied(folder, tmp_path, "SIGSEGV_1", "a", "SIGKILL_1")
    output = tmp_path / "out"
    make = {
        "own": lambda: None,
        "threads": lambda: ThreadPoolExecutor(2),
        "processes": lambda: ProcessPoolExecutor(1, multiprocessing.get_context("spawn")),
    }
    executor = make[kind]()
    try:
        records = by_name(lissom.bake_many(jobs(models, output), executor))
    finally:
        if executor is not None:
            executor.shutdown()
    told = {name: (record.status, record.message) for name, record in records.items()}
    assert told == {
        "a": ("baked", ""),
        "SIGSEGV_1": ("failed", f"{models}/SIGSEGV_1.glb: crash: SIGSEGV"),
        "SIGKILL_1": ("unfinished", f"{models}/SIGKILL_1.glb: killed: SIGKILL"),
    }
    recorded = {path.name.partition("-")[0] for path in output.glob("*-*.json")}
    assert recorded == {"a", "SIGSEGV_1"}
    if kind != "own":
        return
    # What was killed is done by the next run; what crashed is not tried again.
    monkeypatch.delenv("PYTHONPATH")
    again = by_name(lissom.bake_many(jobs(models, output)))
    assert {name for name, record in again.items() if not record.reused} == {"SIGKILL_1"}
    assert again["SIGKILL_1"].ok
    assert again["SIGSEGV_1"].message == records["SIGSEGV_1"].message
    assert by_name(lissom.bake_many(jobs(models, output), resume=False))["SIGSEGV_1"].ok


@posix
@pytest.mark.parametrize(
    ("code", "reason", "may_help"),
    [
        (-signal.SIGABRT, "crash: SIGABRT", False),
        (-signal.SIGTERM, "killed: SIGTERM", True),
        (-99, "crash: signal 99", False),
        (7, "crash: exit code 7", False),
        (0xC0000005, "crash: access violation (0xC0000005)", False),
    ],
)
def test_how_a_child_ended_is_told(code, reason, may_help):
    death = guards.WorkerDied(code)
    assert (death.reason, death.may_help) == (reason, may_help)


def test_a_child_that_does_not_start_is_no_fault_of_the_file(folder, tmp_path, monkeypatch):
    with_own_children(monkeypatch)
    monkeypatch.setattr(guards, "START", "raise SystemExit(3)")
    (record,) = lissom.bake_many(jobs(folder, tmp_path / "out")[:1])
    assert record.status == "unfinished"
    assert record.message == f"{record.source}: the worker did not start: exit code 3"
    assert not list((tmp_path / "out").rglob("*"))


@posix
def test_a_crash_leaves_no_temporary_file(folder, tmp_path, monkeypatch):
    with_failing_workers(monkeypatch)
    models = copied(folder, tmp_path, "partial_1")
    guard = guards.Guard(1, False)
    with pytest.raises(guards.WorkerDied, match="crash: SIGSEGV"):
        guard.bake(jobs(models, tmp_path / "out")[0], tmp_path / "out" / "x.safetensors")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["x.safetensors"]


def test_what_memory_and_disks_lack_is_no_final_failure(folder, tmp_path, monkeypatch):
    with_failing_workers(monkeypatch)
    models = copied(folder, tmp_path, "memory_1", "disk_1", "fault_1", "touch_1")
    output = tmp_path / "out"
    records = by_name(lissom.bake_many(jobs(models, output)))
    assert {name: record.status for name, record in records.items()} == {
        "memory_1": "unfinished", "disk_1": "unfinished", "touch_1": "unfinished", "fault_1": "failed",
    }  # fmt: skip
    assert (
        records["memory_1"].message
        == f"{models}/memory_1.glb: out of memory; give it to fewer workers at a time"
    )
    assert records["disk_1"].message.endswith(
        "disk_1-" + records["disk_1"].key[:12] + ".safetensors: no space left on device"
    )
    assert records["fault_1"].message == f"{models}/fault_1.glb: RuntimeError: a wheel is missing"
    assert records["touch_1"].message == f"{models}/touch_1.glb: it changed while it was baked"
    assert [path.name.partition("-")[0] for path in output.glob("*-*.json")] == ["fault_1"]


@pytest.mark.skipif(sys.platform != "linux", reason="names that are any bytes")
def test_any_name_is_baked_and_known_again(folder, tmp_path):
    names = [os.fsdecode(b"m\xff"), "ü 'x'", "a.b.c", "-dash", "%s {x}"]
    models = copied(folder, tmp_path, *names)
    for reused in (False, True):
        records = list(lissom.bake_many(jobs(models, tmp_path / "out")))
        assert {(record.name, record.status, record.reused) for record in records} == {
            (name, "baked", reused) for name in names
        }
    manifest = json.loads((tmp_path / "out" / "bakes.json").read_text())
    assert [entry["name"] for entry in manifest["bakes"]] == sorted(names)


def test_bad_files_are_told_and_remembered(folder, tmp_path):
    models = copied(folder, tmp_path, "a")
    (models / "bad.glb").write_bytes(b"glTF\2\0\0\0")
    lissom.save_glb(_prop(), models / "prop.glb")
    output = tmp_path / "out"
    todo = [*jobs(models, output), lissom.BakeJob(models / "none.glb", output)]
    todo += [lissom.BakeJob(models / "a.glb", output, name="part", without="tail")]
    todo += [lissom.BakeJob(models / "a.glb", output, name="sharp", max_error=1e-12)]
    for reused in (False, True):
        records = by_name(lissom.bake_many(todo))
        told = {name: (record.status, record.reused) for name, record in records.items()}
        assert told == {
            "a": ("baked", reused),
            "bad": ("failed", reused),
            "prop": ("no clips", reused),
            "none": ("unfinished", False),
            "part": ("failed", reused),
            "sharp": ("failed", reused),
        }
        assert records["none"].message == f"{models}/none.glb: there is no such file"
        assert records["none"].key is None
        assert "[GLB_UNEXPECTED_END_OF_HEADER]" in records["bad"].message
        assert "no part is named 'tail'" in records["part"].message
        assert f"{models}/a.glb: a max_error of 1e-12 is out of reach: " in records["sharp"].message
    names = [entry["name"] for entry in json.loads((output / "bakes.json").read_text())["bakes"]]
    assert names == ["a", "bad", "part", "prop", "sharp"]


def _prop():
    """A model without clips."""
    tube = lissom.samples.two_bone_tube()
    return lissom.Character(tube.name, tube.skeleton, mesh=tube.mesh, skin=tube.skin)


def test_a_child_that_ended_idle_is_started_anew(folder, tmp_path, monkeypatch):
    with_failing_workers(monkeypatch)
    models = copied(folder, tmp_path, "idle_1")
    monkeypatch.setattr(task, "_stamps", lambda job: [])
    (record,) = lissom.bake_many(jobs(models, tmp_path / "out"))
    assert record.message == f"{models}/idle_1.glb: there is no such file"  # the second child looked for it


# --- executors ---


def test_jobs_are_taken_as_they_are_needed(folder, tmp_path):
    taken = []
    waiting = []

    class Lazy:
        def submit(self, fn, /, *args):
            waiting.append(len(taken))
            future = Future()
            future.set_result(task.unfinished(args[0], "not today"))
            return future

    def endless():
        for i in range(1000):
            taken.append(i)
            yield lissom.BakeJob("sample:humanoid", tmp_path, name=f"n{i}")

    records = lissom.bake_many(endless(), Lazy(), window=5)
    assert taken == []  # nothing before it is iterated
    next(records)
    assert len(taken) == 5
    assert sum(1 for _ in records) == 999


def test_a_pool_that_is_broken_leaves_its_jobs_unfinished(folder, tmp_path):
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(concurrent.futures.process.BrokenProcessPool):
            pool.submit(os._exit, 1).result()
        records = list(lissom.bake_many(jobs(folder, tmp_path / "out"), pool))
    assert {record.status for record in records} == {"unfinished"}
    assert all("the executor refused it: BrokenProcessPool" in record.message for record in records)


def test_a_pool_that_breaks_on_the_way_leaves_its_jobs_unfinished(folder, tmp_path):
    class Breaking:
        def submit(self, fn, /, *args):
            future = Future()
            if args[0].name == "model_2":
                future.cancel()
                future.set_running_or_notify_cancel()
            else:
                future.set_exception(concurrent.futures.BrokenExecutor("a process\ndied"))
            return future

    records = by_name(lissom.bake_many(jobs(folder, tmp_path / "out"), Breaking()))
    assert len(records) == 4
    assert records["model_0"].message.endswith("the executor lost it: BrokenExecutor: a process died")
    assert "CancelledError" in records["model_2"].message
    assert not (tmp_path / "out").exists()


def children(parent=None):
    """Process numbers of the child processes that bake."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
            parents = (path.parent / "status").read_text()
        except OSError:
            continue
        if b"lissom._bake_worker" in words and f"\nPPid:\t{parent or os.getpid()}\n" in parents:
            found.append(int(path.parent.name))
    return found


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_leaving_the_loop_ends_the_children(folder, tmp_path, monkeypatch):
    with_failing_workers(monkeypatch)
    models = copied(folder, tmp_path, "a", "hang_1", "hang_2")
    before = set(children())
    with contextlib.closing(lissom.bake_many(jobs(models, tmp_path / "out"), workers=3)) as records:
        assert next(records).name == "a"
        wait_until(lambda: len(list(models.glob("*.hangs"))) == 2, "two children in the midst of a job")
        assert set(children()) > before
    assert set(children()) <= before
    assert {path.name.partition("-")[0] for path in (tmp_path / "out").iterdir()} == {"a"}


def test_progress_tells_each_clip(folder, tmp_path, monkeypatch):
    with_own_children(monkeypatch)
    told = []
    todo = jobs(folder, tmp_path / "out")[:1]
    list(lissom.bake_many(todo, workers=1, progress=lambda *news: told.append(news)))
    names = list(lissom.load(todo[0].source).clips)
    assert told == [(todo[0], i + 1, len(names), name) for i, name in enumerate(names)]


# --- use ---


def test_a_job_is_small_frozen_and_travels():
    job = lissom.BakeJob(Path("a/hero.glb"), Path("out"), clips=["Walk"], rate=30)
    assert pickle.loads(pickle.dumps(job)) == job
    assert (job.source, job.output, job.clips, job.rate) == (
        os.path.join("a", "hero.glb"),
        "out",
        ("Walk",),
        30.0,
    )
    assert job.title == "hero"
    assert job.path("0123456789abcdef") == Path("out", "hero-0123456789ab.safetensors")
    assert lissom.BakeJob("a", name="b/c.safetensors").path("012") == Path("b", "c.safetensors")
    with pytest.raises(AttributeError):
        job.rate = 3


def test_a_name_of_ones_own_is_baked_each_time_and_leaves_nothing_else(tmp_path):
    job = lissom.BakeJob("sample:two_bone_tube", tmp_path, name="tube.safetensors", rate=10)
    for _ in range(2):
        (record,) = lissom.bake_many([job])
        assert not record.reused
        assert record.path == str(tmp_path / "tube.safetensors")
        assert [path.name for path in tmp_path.iterdir()] == ["tube.safetensors"]


@pytest.mark.parametrize(
    ("fields", "error", "sentence"),
    [
        ({"rate": "fast"}, TypeError, "BakeJob: rate: expected float | mapping | null, got str"),
        ({"clips": [1]}, TypeError, "BakeJob: clips: expected str, got int - at $[0]"),
        ({"rate": {"Walk": "x"}}, TypeError, "BakeJob: rate: expected float, got str - at $[...]"),
        ({"clips": 3.0}, TypeError, "BakeJob: clips: expected sequence, got float"),
        ({"layout": "cube"}, ValueError, "BakeJob: layout: expected one of 'dual_quat', "),
        ({"dtype": "int8"}, ValueError, "BakeJob: dtype: expected one of 'float32', 'float16', 'uint8', got"),
        ({"method": "cor"}, ValueError, "BakeJob: method: expected one of 'linear', 'dual_quat', got 'cor'"),
        ({"rate": 0}, ValueError, "BakeJob: rate: expected a finite number above 0, got 0"),
        ({"rate": {"Walk": -1}}, ValueError, "BakeJob: rate: expected a finite number above 0, got -1"),
        ({"max_error": float("nan")}, ValueError, "BakeJob: max_error: expected a finite number above 0"),
        ({"source": "a\0b", "name": "x"}, ValueError, "BakeJob: source: expected a file's name, got 'a"),
        ({"source": b"x"}, TypeError, "BakeJob: source: expected str, got bytes"),
        (
            {"name": "../x"},
            ValueError,
            "BakeJob: name: expected a relative name such as 'animals/fox', got '../x'",
        ),
        ({"name": "/x"}, ValueError, "got '/x'; give the folder as output"),
        ({"name": ""}, ValueError, "got ''"),
        ({"name": "a/"}, ValueError, "got 'a/'"),
    ],
)
def test_a_wrong_job_is_refused(fields, error, sentence):
    with pytest.raises(error) as caught:
        lissom.BakeJob(**{"source": "x.glb", **fields})
    assert sentence in str(caught.value)


def test_wrong_use_is_refused_at_once(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        for name in ("workers", "progress"):
            with pytest.raises(ValueError, match=f"bake_many: {name}: expected none beside an executor"):
                lissom.bake_many([], pool, **{name: 1})
    for name in ("workers", "threads", "window"):
        with pytest.raises(ValueError, match=f"bake_many: {name}: expected at least 1, got 0"):
            lissom.bake_many([], **{name: 0})
    with pytest.raises(TypeError, match="bake_many: executor: expected an object with submit, got int"):
        lissom.bake_many([], 3)
    with pytest.raises(TypeError, match="bake_many: jobs: expected BakeJob objects, got str"):
        list(lissom.bake_many(["hero.glb"]))
    assert list(lissom.bake_many([])) == []


def test_importing_lissom_imports_nothing_of_this():
    heavy = {"subprocess", "tomllib", "concurrent.futures", "msgspec"}
    code = f"import sys, lissom; print({heavy} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_modules_of_the_current_folder_are_not_taken_for_pythons(folder, tmp_path, monkeypatch):
    with_own_children(monkeypatch)
    (tmp_path / "queue.py").write_text("raise SystemExit('the wrong module')")
    monkeypatch.chdir(tmp_path)
    (record,) = lissom.bake_many(jobs(folder, tmp_path / "out")[:1])
    assert record.ok


@posix
@pytest.mark.parametrize("flags", [[], ["-I"]])
def test_children_find_lissom_where_their_parent_does(folder, tmp_path, flags):
    """Also where a program has put folders into sys.path itself, as those that bring their own Python do."""
    moved = tmp_path / "lib"
    package = shutil.copytree(Path(lissom.__file__).parent, moved / "lissom")
    shutil.copy(lissom._core.__file__, package)
    others = [path for path in sys.path if path]
    job = jobs(folder, tmp_path / "out")[0]
    code = f"""
import sys
sys.path[:0] = [{os.fspath(moved)!r}]
sys.path += {others!r}
import lissom
assert lissom.__file__.startswith({os.fspath(moved)!r}), lissom.__file__
(record,) = lissom.bake_many([lissom.BakeJob({job.source!r}, {job.output!r})])
print(record.status, record.message)
"""
    python = getattr(sys, "_base_executable", sys.executable)  # which knows nothing of this environment
    done = subprocess.run([python, *flags, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout == "baked \n", done.stderr
