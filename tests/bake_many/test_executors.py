# SPDX-License-Identifier: MIT
"""Who does the work: executors that are slow or break, children, progress."""

import concurrent.futures
import contextlib
import multiprocessing
import os
import sys
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

import pytest

import lissom
from batch_files import by_name, copied, jobs, with_failing_workers, with_own_children
from batch_processes import wait_until
from lissom._jobs import task


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


def test_what_is_done_at_once_comes_in_the_order_of_the_jobs(tmp_path):
    class AtOnce:
        def submit(self, fn, job, *rest):
            future = concurrent.futures.Future()
            future.set_result(job._record("baked", key="0" * 64))
            return future

    many = [lissom.BakeJob("sample:twisted_bar", tmp_path, f"job {i}") for i in range(40)]
    records = list(lissom.bake_many(many, AtOnce(), window=40))
    assert [record.name for record in records] == [job.name for job in many]


def children(parent=None):
    """Process numbers of the child processes that bake."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
            parents = (path.parent / "status").read_text()
        except OSError:
            continue
        if b"lissom._jobs.worker" in words and f"\nPPid:\t{parent or os.getpid()}\n" in parents:
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
