# SPDX-License-Identifier: MIT
"""Exports as folders: written whole or not at all, with their numbers beside them; and what is refused."""

import json
import os

import numpy as np
import pytest

import lissom
from lissom._export import vertices_files


@pytest.fixture(scope="module")
def bar():
    return lissom.samples.twisted_bar()


@pytest.fixture(scope="module")
def bake(bar):
    return lissom.bake(bar, "bend", rate=30)


def contents(folder):
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_the_folder_says_its_numbers(bake, tmp_path):
    report = bake.export("vertices", tmp_path / "bar", name="thing")
    files = contents(tmp_path / "bar")
    assert sorted(files) == ["README.md", "lissom-export.json", "thing.safetensors"]
    assert {name: len(files[name]) for name in report.files} == report.files
    told = json.loads(files["lissom-export.json"])
    assert told["form"] == report.form == "vertices"
    assert told["error"]["max"] == report.error.max
    assert told["clips"]["bend"]["max"] == report.clips["bend"].max
    assert f"{report.clips['bend'].max_relative:.3%}" in files["README.md"].decode()
    assert repr(report) == (
        f"<ExportReport: vertices, 1 file, {len(files['thing.safetensors'])} bytes, "
        f"error {report.error.max_relative:.2%} of size>"
    )


def test_an_earlier_export_is_replaced_and_nothing_is_left_over(bake, tmp_path):
    bake.export("vertices", tmp_path / "bar", name="old")
    bake.export("vertices", tmp_path / "bar", name="new")
    assert sorted(contents(tmp_path / "bar")) == ["README.md", "lissom-export.json", "new.safetensors"]
    assert os.listdir(tmp_path) == ["bar"]


def test_equal_bakes_make_equal_bytes(bake, tmp_path):
    for form, options in {"vertices": {}, "openvat": {"texture": "png16"}}.items():
        bake.export(form, tmp_path / "one", name="bar", **options)
        first = contents(tmp_path / "one")
        bake.export(form, tmp_path / "one", name="bar", **options)
        assert contents(tmp_path / "one") == first


def test_a_failed_export_leaves_the_earlier_one(bake, tmp_path, monkeypatch):
    bake.export("vertices", tmp_path / "bar")
    before = contents(tmp_path / "bar")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(vertices_files.safetensors, "write", full)
    with pytest.raises(OSError, match="No space left"):
        bake.export("vertices", tmp_path / "bar")
    assert contents(tmp_path / "bar") == before
    assert os.listdir(tmp_path) == ["bar"]


def test_folders_of_other_files_are_not_replaced(bake, tmp_path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    with pytest.raises(FileExistsError, match="must be new, empty, or an earlier export"):
        bake.export("vertices", tmp_path / "mine")
    with pytest.raises(FileExistsError, match="must be a folder, got a file"):
        bake.export("vertices", tmp_path / "mine" / "notes.txt")
    with pytest.raises(FileNotFoundError, match=r"the folder .* does not exist"):
        bake.export("vertices", tmp_path / "no" / "such")
    assert contents(tmp_path / "mine") == {"notes.txt": b"mine"}


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"form": "opnvat"}, ValueError, "form: no form is named 'opnvat'; .*'openvat'"),
        (
            {"form": "vertices", "texture": "png16"},
            TypeError,
            "has the options file, dtype, normals, got 'texture'",
        ),
        ({"form": "vertices", "file": "zip"}, ValueError, "file must be one of safetensors, npz, got 'zip'"),
        ({"form": "vertices", "dtype": "float64"}, ValueError, "dtype must be one of float32, float16"),
        ({"form": "vertices", "normals": 1}, TypeError, "normals must be True or False, got int"),
        (
            {"form": "openvat", "texture": "jpg"},
            ValueError,
            "texture must be one of exr_half, exr_float",
        ),
        ({"form": "openvat", "normals": "below"}, ValueError, "normals must be separate, packed or None"),
        ({"form": "openvat", "side": 0}, ValueError, "side must be at least 1, got 0"),
        ({"form": "openvat", "rate": 0}, ValueError, "rate must be above zero"),
        ({"form": "openvat", "source": "bar"}, TypeError, "source must be a Character, got str"),
    ],
)
def test_wrong_options_are_refused_before_anything_is_written(bake, tmp_path, options, error, words):
    with pytest.raises(error, match=words):
        bake.export(folder=tmp_path / "bar", **options)
    assert os.listdir(tmp_path) == []


def test_another_character_as_the_source_is_refused(bake, bar, tmp_path):
    with pytest.raises(ValueError, match="source: no clip is named 'bend'"):
        bake.export("vertices", tmp_path / "bar", source=lissom.samples.humanoid())
    small = lissom.Mesh(np.eye(3), [[0, 1, 2]], np.zeros((3, 1), int), np.ones((3, 1)))
    other = lissom.Character("small", bar.skeleton, small, bar.skin, bar.clips)
    with pytest.raises(ValueError, match=r"must be the character of the bake, of \d+ vertices, got one of 3"):
        bake.export("vertices", tmp_path / "bar", source=other)


def test_a_bake_without_a_mesh_is_refused(bar, tmp_path):
    bake = lissom.bake(bar, "bend", rate=30, include_mesh=False)
    with pytest.raises(ValueError, match="must have its mesh, got none; bake with include_mesh=True"):
        bake.export("vertices", tmp_path / "bar")


def test_against_the_bake_its_own_error_is_added(bake, bar, tmp_path):
    alone = bake.export("vertices", tmp_path / "bar")
    known = bake.export("vertices", tmp_path / "bar", source=bar)
    own = bake.clips["bend"].error.max
    assert alone.measured_against == "the bake, with its own error added"
    assert known.measured_against == "the source clips"
    assert alone.error.max >= own
    assert known.error.max <= alone.error.max + 1e-6
