# SPDX-License-Identifier: MIT
"""Nothing is done twice: what a run takes over from earlier ones."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import lissom
from batch_files import by_name, contents, copied, jobs, with_own_children
from lissom._jobs import guard as guards
from lissom._jobs import manifest


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
    from lissom._formats import atomic

    host = atomic._host()
    for name in (".model_0-abc.safetensors", "more/.model_1-abc.json"):
        (output / f"{name}.{gone.pid}.{host}.abcd.part").touch()
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
