# SPDX-License-Identifier: MIT
"""The key of a bake: contents, options, code, and nothing else."""

import json
import os
import re
import shutil
from pathlib import Path

import lissom
from batch_files import copied, jobs
from gltf_files import triangle
from lissom._jobs import key as keys
from lissom._jobs.bake_job import BAKES
from lissom._jobs.export_job import EXPORTS


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
    assert lissom.BakeJob(path, tmp_path, tags=("x",)).key() == key
    for name, value in (
        ("_package_digest", lambda kind: "another"),
        ("np", type("", (), {"__version__": "0"})),
        ("_core", type("", (), {"isa": staticmethod(lambda: "v9"), "__version__": lissom.__version__})),
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
    keys._package_digest.__wrapped__(BAKES)
    names = {path.name for path in covered}
    assert {"bake.py", "job.py", "reader.py", Path(lissom._core.__file__).name} <= names
    package = Path(lissom.__file__).parent  # which may itself lie in a folder of such a name
    rooms = {path.relative_to(package).parts[0] for path in covered if path.is_relative_to(package)}
    assert not rooms & {"gpu", "cli"}


def test_the_digest_of_exports_covers_what_they_copy(monkeypatch, tmp_path):
    shutil.copytree(keys.resources.files("lissom") / "packages", tmp_path / "packages")
    monkeypatch.setattr(keys.resources, "files", lambda package: tmp_path)
    before, bakes = keys._package_digest.__wrapped__(EXPORTS), keys._package_digest.__wrapped__(BAKES)
    assert keys._package_digest.__wrapped__(EXPORTS) == before
    for name in ("three/crowd.js", "babylon/page.html", "unreal/lissom_unreal.py.editor"):
        (tmp_path / "packages" / name).write_text("changed")
        after = keys._package_digest.__wrapped__(EXPORTS)
        assert after != before, name
        before = after
    assert keys._package_digest.__wrapped__(BAKES) == bakes


def test_no_room_that_exports_use_is_left_out_of_their_digest():
    package = Path(lissom.__file__).parent
    texts = [path.read_text("utf-8") for path in (package / "_export").rglob("*.py")]
    used = {room for text in texts for room in re.findall(r"(?:from|import) lissom\.(\w+)", text)}
    assert {"_lod", "_rig", "pose_texture"} <= used
    assert not used & set(EXPORTS.unused)


def test_in_deterministic_mode_the_instruction_set_is_no_part_of_the_key(folder, monkeypatch):
    job = jobs(folder, Path())[0]
    fixed = keys.digest(keys.key_inputs(job, True))
    assert fixed != job.key()
    monkeypatch.setattr(keys._core, "isa", lambda: "v9")
    assert keys.digest(keys.key_inputs(job, True)) == fixed


def test_a_file_of_many_names_is_read_once(tmp_path, monkeypatch):
    (tmp_path / "b").mkdir()
    (tmp_path / "c.bin").symlink_to("a.bin")
    names = ["./" * n + "a.bin" for n in range(90)]
    names += [".//" * n + "%61%2Ebin" for n in range(90)]
    names += ["./" * n + "c.bin" for n in range(20)]
    file = triangle()
    (tmp_path / "a.bin").write_bytes(bytes(file.binary))
    file.json["buffers"] = [{"uri": name, "byteLength": len(file.binary)} for name in names]
    path = tmp_path / "model.gltf"
    path.write_text(file.text())
    opened = []
    opens = os.open

    def counted(path, *args, **options):
        opened.append(Path(path).name)
        return opens(path, *args, **options)

    monkeypatch.setattr(os, "open", counted)
    before = lissom.BakeJob(path).key()
    assert opened.count("a.bin") == 1
    opened.clear()
    assert lissom.load(path, strict=True).mesh is not None
    assert opened == ["model.gltf", "a.bin"]
    (tmp_path / "a.bin").write_bytes(bytes(file.binary) + b"1")
    assert lissom.BakeJob(path).key() != before
