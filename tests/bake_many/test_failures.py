# SPDX-License-Identifier: MIT
"""A failure costs its file alone, and is told and remembered."""

import errno
import json
import multiprocessing
import os
import signal
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import lissom
from batch_files import by_name, copied, jobs, with_failing_workers, with_own_children
from lissom._jobs import guard as guards
from lissom._jobs import task

posix = pytest.mark.skipif(os.name != "posix", reason="signals")


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
        guard.do(jobs(models, tmp_path / "out")[0], tmp_path / "out" / "x.safetensors")
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["x.safetensors"]


def test_what_memory_and_disks_lack_is_no_final_failure(folder, tmp_path, monkeypatch):
    with_failing_workers(monkeypatch)
    models = copied(folder, tmp_path, "memory_1", "disk_1", "fault_1", "touch_1")
    output = tmp_path / "out"
    records = by_name(lissom.bake_many(jobs(models, output)))
    assert {name: record.status for name, record in records.items()} == {
        "memory_1": "unfinished", "disk_1": "unfinished", "touch_1": "unfinished", "fault_1": "failed",
    }  # fmt: skip
    assert records["memory_1"].message == (
        f"{models}/memory_1.glb: out of memory; bake fewer files at a time, or at a lower rate"
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


@posix
def test_a_full_disk_under_the_manifest_keeps_everything_else(folder, tmp_path):
    """The file size limit of the process stands for the disk: bakes and records are there already."""
    import resource

    models, output, other = copied(folder, tmp_path, "a", "b"), tmp_path / "out", tmp_path / "other"
    work = [
        *jobs(models, output),
        *(lissom.BakeJob(job.source, other, rate=5) for job in jobs(models, other)),
    ]
    done = by_name(lissom.bake_many(work))
    assert all(record.ok for record in done.values())
    (other / "bakes.json").unlink()
    # Four hundred bakes of earlier runs: their manifest is larger than any bake here.
    record = next(output.rglob("a-*.json"))
    stored = json.loads(record.read_text())
    for number in range(400):
        stored["name"] = f"copy{number}"
        record.with_name(f"copy{number}-{number:012x}.json").write_text(json.dumps(stored))
    before = {path: path.read_bytes() for path in output.rglob("*") if path.is_file()}
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, hard))
    again = []
    try:
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as caught:
            again.extend(lissom.bake_many(work))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert len(again) == len(work)
    assert all(record.reused for record in again)
    assert caught.value.filename == str(output / "bakes.json")
    assert {path: path.read_bytes() for path in before} == before
    assert (other / "bakes.json").exists()  # which came after it
    assert not list(output.glob(".*.part"))
