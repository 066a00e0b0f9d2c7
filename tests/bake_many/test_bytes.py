# SPDX-License-Identifier: MIT
"""The same bytes whoever does the work, and what stands beside the bakes."""

import json
import multiprocessing
import random
import threading
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor

import pytest

import lissom
from batch_files import contents, jobs, with_own_children
from lissom._jobs import key as keys


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
