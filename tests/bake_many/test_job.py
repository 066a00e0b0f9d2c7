# SPDX-License-Identifier: MIT
"""Jobs and their fields, wrong use, and where children find their modules."""

import errno
import os
import pickle
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import lissom
from batch_files import jobs, with_own_children
from gltf_files import arm

posix = pytest.mark.skipif(os.name != "posix", reason="signals")


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


KNOWN = "a file, a sample or an address, s3://BUCKET/KEY, gs://BUCKET/KEY, az://CONTAINER/KEY or file:///PATH"


@pytest.mark.parametrize(
    ("source", "meant"),
    [
        ("s3:/bucket/x.glb", "s3://bucket/x.glb, or for a file of that name ./s3:/bucket/x.glb"),
        ("GS//bucket/x.glb", "gs://bucket/x.glb, or for a file of that name ./GS//bucket/x.glb"),
        ("file:x.glb", "file:///x.glb, or for a file of that name ./file:x.glb"),
        ("https:/host/x.glb", KNOWN),
        ("https://host/x.glb", KNOWN),
        ("htps://host/x.glb", KNOWN),
        ("s3:///x.glb", KNOWN),
        ("s3://bucket", KNOWN),
        ("s3://[x/y.glb", KNOWN),
    ],
)
def test_a_source_that_reads_like_an_address_is_refused(source, meant):
    sentence = f"BakeJob: source must be {meant}, got {source!r}"
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
        lissom.BakeJob(source)


@posix
def test_a_file_goes_before_a_miswritten_address(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("s3:x.glb").touch()
    assert lissom.BakeJob("s3:x.glb").source == "s3:x.glb"
    assert lissom.BakeJob("./gs:x.glb").source == "./gs:x.glb"
    assert lissom.BakeJob("s3://bucket/x.glb").source == "s3://bucket/x.glb"


def test_an_address_without_a_store_says_what_it_is_for(tmp_path):
    (record,) = lissom.bake_many([lissom.BakeJob("s3://bucket/x.glb", tmp_path)], workers=1)
    assert (record.status, record.message) == (
        "unfinished",
        "s3://bucket/x.glb: an address is fetched by bakes into a store alone; bake into one, or fetch the "
        "file first",
    )
    assert list(tmp_path.iterdir()) == []


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
        ({"rate": "fast"}, TypeError, "BakeJob: rate must be float | mapping | null, got str"),
        ({"clips": [1]}, TypeError, "BakeJob: clips must be str, got int - at $[0]"),
        ({"rate": {"Walk": "x"}}, TypeError, "BakeJob: rate must be float, got str - at $[...]"),
        ({"clips": 3.0}, TypeError, "BakeJob: clips must be sequence, got float"),
        ({"layout": "cube"}, ValueError, "BakeJob: layout must be one of 'dual_quat', "),
        ({"dtype": "int8"}, ValueError, "BakeJob: dtype must be one of 'float32', 'float16', 'uint8', got"),
        ({"method": "cor"}, ValueError, "BakeJob: method must be one of 'linear', 'dual_quat', got 'cor'"),
        ({"rate": 0}, ValueError, "BakeJob: rate must be above zero and finite, got 0"),
        ({"rate": {"Walk": -1}}, ValueError, "BakeJob: rate must be above zero and finite, got -1"),
        ({"max_error": float("nan")}, ValueError, "BakeJob: max_error must be above zero and finite"),
        ({"source": "a\0b", "name": "x"}, ValueError, "BakeJob: source must be the name of a file, got 'a"),
        ({"source": b"x"}, TypeError, "BakeJob: source must be str, got bytes"),
        (
            {"name": "../x"},
            ValueError,
            "BakeJob: name must be relative, such as 'animals/fox', got '../x'",
        ),
        ({"name": "/x"}, ValueError, "got '/x'; pass the folder as output"),
        (
            {"name": "a\\b"},
            ValueError,
            r"name must hold no backslash and no null character, got 'a\\b'; a /",
        ),
        ({"name": ""}, ValueError, "got ''"),
        ({"name": "a/"}, ValueError, "got 'a/'"),
        (
            {"name": f"a/{'n' * 300}/b"},
            ValueError,
            "name must have at most 230 bytes in each part, got 300 in",
        ),
        (
            {"name": "\u00e9" * 116},
            ValueError,
            "name must have at most 230 bytes in each part, got 232 in 'é",
        ),
        (
            {"name": "a\x1b[31m"},
            ValueError,
            r"BakeJob: name must have no control characters or halves of surrogate pairs, got 'a\x1b[31m'",
        ),
        (
            {"name": "\ud800"},
            ValueError,
            r"name must have no control characters or halves of surrogate pairs, got",
        ),
        ({"source": "\ud800.glb"}, ValueError, r"source must be the name of a file, got '\ud800.glb'"),
        ({"source": "\udfff/x.glb"}, ValueError, r"source must be the name of a file, got '\udfff/x.glb'"),
        ({"output": "\ud800"}, ValueError, r"BakeJob: output must be the name of a folder, got '\ud800'"),
        (
            {"name": "a\u202eb"},
            ValueError,
            r"name must have no control characters or halves of surrogate pairs, got 'a\u202eb'",
        ),
    ],
)
def test_a_wrong_job_is_refused(fields, error, sentence):
    with pytest.raises(error) as caught:
        lissom.BakeJob(**{"source": "x.glb", **fields})
    assert type(caught.value) is error
    assert sentence in str(caught.value)


@pytest.mark.skipif(os.name != "posix", reason="names of files that are bytes")
def test_names_of_files_that_are_not_utf_8_may_be_baked():
    source = os.fsdecode(b"L\xe4ufer.glb")
    assert lissom.BakeJob(source, os.fsdecode(b"\xff")).title == os.fsdecode(b"L\xe4ufer")


def test_wrong_use_is_refused_at_once(tmp_path):
    with ThreadPoolExecutor(1) as pool:
        for name in ("workers", "progress"):
            with pytest.raises(ValueError, match=f"bake_many: {name} must be None with an executor"):
                lissom.bake_many([], pool, **{name: 1})
    for name in ("workers", "threads", "window"):
        with pytest.raises(ValueError, match=f"bake_many: {name} must be at least 1, got 0"):
            lissom.bake_many([], **{name: 0})
    with pytest.raises(
        TypeError, match="bake_many: executor must be an object with submit, or an address, got int"
    ):
        lissom.bake_many([], 3)
    with pytest.raises(TypeError, match="bake_many: jobs must be BakeJob objects, got str"):
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


def test_the_name_of_a_source_becomes_one_that_a_file_can_have(tmp_path):
    long = tmp_path / f"{'n' * 251}.glb"
    wild = tmp_path / "a\x1b[31m\n\u202e<b>.glb"
    for source in (long, wild):
        source.write_bytes(arm().glb())
    jobs = [lissom.BakeJob(source, tmp_path / "out", rate=5) for source in (long, wild)]
    assert [job.title for job in jobs] == ["n" * 230, "a_[31m__<b>"]
    records = list(lissom.bake_many(jobs, workers=1))
    assert [record.status for record in records] == ["baked", "baked"]
    assert sorted(len(Path(record.path).name) for record in records) == [36, 255]


def test_a_path_that_is_too_long_fails_for_good(tmp_path):
    output = tmp_path.joinpath(*["d" * 200] * 25)
    (record,) = lissom.bake_many([lissom.BakeJob("sample:twisted_bar", output, rate=5)], workers=1)
    assert record.status == "failed"
    assert os.strerror(errno.ENAMETOOLONG)[1:] in record.message
