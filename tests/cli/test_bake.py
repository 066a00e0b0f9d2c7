# SPDX-License-Identifier: MIT
"""`lissom bake`: what it writes, what it skips, how it reads, nothing half-written."""

import json
import os
import re
from pathlib import Path

import pytest

import lissom
from batch_files import contents, models, with_failing_workers
from cli.files import BAR, TUBE, is_png, job_file, noted_file, recording, words


def made(folder: Path) -> list[str]:
    """Names of the files below a folder, keys as KEY."""
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return sorted(re.sub(r"-[0-9a-f]{12}\.", "-KEY.", name) for name in names)


# --- one file ---


def test_bake_writes_a_file_that_loads(run, tmp_path: Path) -> None:
    out = tmp_path / "tube.safetensors"
    result = run("bake", TUBE, "-o", out, "--rate", 30, "--dtype", "float32", "--json")
    assert result.code == 0, result.err
    (record,) = json.loads(result.out)
    bake = lissom.load_bake(out)
    assert bake.texels.dtype == "float32"
    assert set(record["clips"]) == set(bake.clips)
    assert record["file_bytes"] == out.stat().st_size
    for name, clip in bake.clips.items():
        assert record["clips"][name]["frame_count"] == clip.frame_count
        assert record["clips"][name]["error"]["max"] == pytest.approx(clip.error.max)


def test_bake_of_one_file_shows_its_clips(run, tmp_path: Path) -> None:
    result = run("bake", TUBE, "-o", tmp_path)
    assert (result.code, result.err) == (0, "")
    assert made(tmp_path) == ["bakes.json", "two_bone_tube-KEY.json", "two_bone_tube-KEY.safetensors"]
    for word in ("max error", *lissom.samples.two_bone_tube().clips):
        assert word in result.out
    assert "unchanged" not in result.out
    assert "hint: " not in result.out
    assert "KiB, unchanged\n" in run("bake", TUBE, "-o", tmp_path).out


def test_of_many_clips_those_with_the_largest_errors_are_shown(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr("lissom.cli.bake.MOST_ROWS", 2)
    bake = ("bake", "sample:humanoid", "-o", tmp_path, "--rate", 5)
    facts = json.loads(run(*bake, "--json").out)[0]["clips"]
    ranked = sorted(facts, key=lambda name: -facts[name]["error"]["max_relative"])
    lines = run(*bake).out.splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ranked[:2]
    within = facts[ranked[2]]["error"]["max_relative"]
    assert lines[4] == f"and {len(ranked) - 2} clips with at most {within:.2e} of the size; --json lists them"


def test_bake_honours_max_error(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    result = run("bake", BAR, "-o", out, "--max-error", 1e-4, "--clips", "bend", "--json")
    assert result.code == 0, result.err
    (record,) = json.loads(result.out)
    assert list(record["clips"]) == ["bend"]
    assert record["clips"]["bend"]["error"]["max_relative"] <= 1e-4
    assert record["hints"] == []


def test_unreachable_max_error_leaves_no_file(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    result = run("bake", BAR, "-o", out, "--max-error", 1e-12)
    assert result.code == 1
    assert result.err.startswith(f"lissom: {BAR}: a max_error of 1e-12 is out of reach: '")
    assert not list(tmp_path.iterdir())
    assert "Traceback" not in result.err


def test_bake_hints_at_max_error(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    result = run("bake", BAR, "-o", out, "--rate", 2, "--clips", "twist", "--json")
    (hint,) = json.loads(result.out)[0]["hints"]
    assert hint.startswith("'twist' is off by up to ")
    assert "2 frames per second are few for it; a max_error of 0.005 or less mends it" in hint
    several = run("bake", BAR, TUBE, "-o", tmp_path, "--rate", 2).out
    assert re.search(
        r"hint: error above 0.5 % of the size in \d clips of 2 files; --max-error 0.005", several
    )
    assert "hint: 'twist'" in run("bake", BAR, "-o", tmp_path, "--rate", 2).out  # the bake is there already


def test_bake_takes_parts_away_and_sets_loops(run, tmp_path: Path) -> None:
    out = tmp_path / "person.safetensors"
    person = lissom.samples.humanoid()
    part = person.mesh.parts[0].name
    clips = ("--clips", "walk", "--clips", "wave", "--no-loop", "walk", "--loop", "wave")
    assert run("bake", "sample:humanoid", "-o", out, "--rate", 5, "--without", part, *clips).code == 0
    bake = lissom.load_bake(out)
    assert {name: clip.loop for name, clip in bake.clips.items()} == {"walk": False, "wave": True}
    assert bake.mesh.vertex_count == person.without(part).mesh.vertex_count
    result = run("bake", "sample:humanoid", "-o", out, "--without", "tail")
    assert result.code == 1
    assert "no part is named 'tail'; " in result.err


def test_options_of_the_texture_are_passed_on(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    options = ("--no-mesh", "--method", "dual_quat", "--layout", "dual_quat")
    assert run("bake", BAR, "-o", out, *options).code == 0
    bake = lissom.load_bake(out)
    assert (bake.mesh, bake.method, bake.layout) == (None, "dual_quat", "dual_quat")
    tip = lissom.samples.twisted_bar().skeleton.names[-1]
    options = ("--rate", "twist=20", "--rate", "bend=10", "--extra-joint", tip, "--layout", "matrix")
    result = run("bake", BAR, "-o", out, *options, "--dtype", "uint8", "--report", tmp_path / "x" / "bar.png")
    assert result.code == 0, result.err
    assert is_png(tmp_path / "x" / "bar.png")
    bake = lissom.load_bake(out)
    assert (bake.layout, bake.texels.dtype) == ("matrix", "uint8")
    assert bake.clips["twist"].rate == pytest.approx(20)
    assert bake.clips["bend"].rate == pytest.approx(10)
    wrong = {
        "--max-error": 0,
        "--layout": "cube",
        "--method": "cor",
        "--dtype": "int8",
        "--jobs": 0,
        "--rate": "walk=fast",
    }
    for option, value in wrong.items():
        result = run("bake", BAR, "-o", out, option, value)
        assert result.code == 2
        assert option in words(result.err)


# --- folders ---


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    models(tmp_path / "models", 3)
    return tmp_path / "models"


def test_a_folder_keeps_its_folders_and_has_one_line_a_file(run, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    result = run("bake", folder, "-o", out, "-j", 2)
    assert (result.code, result.err) == (0, "")
    names = ["model_0", "model_2", "more/model_1"]
    kinds = (".json", ".safetensors")
    assert made(out) == sorted(["bakes.json", *(f"{name}-KEY{kind}" for name in names for kind in kinds)])
    *lines, last = result.out.splitlines()
    assert sorted(line.split()[0] for line in lines) == names
    assert all(
        re.search(r"\d clips?  float16 .* KiB  max error +[\d.]+%  +[\d.]+ s$", line) for line in lines
    )
    assert re.fullmatch(rf"3 baked in [\d.]+ s: {re.escape(str(out / 'bakes.json'))}", last)
    before = contents(out)
    again = run("bake", folder, "-o", out).out.splitlines()
    assert all(line.endswith("  unchanged") for line in again[:3])
    assert again[-1].startswith("3 unchanged in ")
    assert "3 baked in " in run("bake", folder, "-o", out, "--anew").out
    assert contents(out) == before


@pytest.mark.parametrize(("inside", "source"), [(".", "."), ("more", ".."), (".", "./")])
def test_the_folder_one_is_in_is_baked(
    run, folder: Path, tmp_path: Path, monkeypatch, inside, source
) -> None:
    monkeypatch.chdir(folder / inside)
    result = run("bake", source, "-o", tmp_path / "out", "--json")
    assert result.code == 0, result.err
    assert [record["name"] for record in json.loads(result.out)] == ["model_0", "model_2", "more/model_1"]
    path = job_file(folder / inside, f'[[job]]\nsource = "{source}"\noutput = "{tmp_path / "out"}"\n')
    result = run("bake", path, "--json")
    assert [record["reused"] for record in json.loads(result.out)] == [True] * 3


def test_reports_are_drawn_for_all_that_is_baked_or_was(run, folder: Path, tmp_path: Path) -> None:
    out, pictures = tmp_path / "out", tmp_path / "pictures"
    for _ in range(2):
        assert run("bake", folder, "-o", out, "--rate", 10, "--report", pictures).code == 0
        found = sorted(path.relative_to(pictures).as_posix() for path in pictures.rglob("*.png"))
        assert found == ["model_0.png", "model_2.png", "more/model_1.png"]
        (pictures / "model_0.png").unlink()
    result = run("bake", folder, "-o", out, "--report", tmp_path / "x.png")
    assert (result.code, "must be a folder for 3 inputs, got the picture" in words(result.err)) == (2, True)


def test_bake_goes_on_after_files_that_are_bad_or_crash(
    run, folder: Path, tmp_path: Path, monkeypatch
) -> None:
    with_failing_workers(monkeypatch)
    bad = folder / "bad.glb"
    bad.write_bytes(b"glTF\2\0\0\0\x20\0\0\0 not a chunk")
    (folder / "model_0.glb").rename(folder / "exit_0.glb")
    result = run("bake", folder, "-o", tmp_path / "out")
    assert result.code == 1
    sentences = result.err.splitlines()
    assert sentences[0].startswith(f"lissom: {bad}: ")
    assert sentences[1:] == [f"lissom: {folder}/exit_0.glb: crash: exit code 7"]
    *lines, last = result.out.splitlines()
    assert {line.split()[0] for line in lines if line.endswith("  failed")} == {"bad", "exit_0"}
    assert last.startswith("2 baked, 2 failed in ")
    again = run("bake", folder, "-o", tmp_path / "out")
    assert again.code == 1
    assert all(line.endswith(" (in an earlier run; --anew tries again)") for line in again.err.splitlines())


def test_bake_skips_props_of_a_folder(run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    prop = noted_file(tmp_path / "in")
    for _ in range(2):
        result = run("bake", tmp_path / "in", "-o", tmp_path / "out")
        assert (result.code, result.out, result.err) == (0, f"{prop}: no clips, skipped\n", "")
    for _ in range(2):
        result = run("bake", prop, "-o", tmp_path / "out")
        assert (result.code, result.err) == (
            1,
            f"lissom: {prop}: has no clips to bake; `lissom show` makes a page of its rest pose\n",
        )


def test_bake_names_the_recordings_of_a_folder_that_it_skips(run, folder: Path, tmp_path: Path) -> None:
    walk = recording(folder / "walk.bvh")
    recording(folder / "more" / "run.BVH")
    result = run("bake", folder, "-o", tmp_path / "out", "--rate", 10)
    assert (result.code, "3 baked in " in result.out) == (0, True)
    assert result.err == (
        f"lissom: {folder}: skipped 2 .bvh files: a recording has no mesh; name it to bake it, too\n"
    )
    path = job_file(tmp_path, '[[job]]\nsource = "models"\noutput = "out"\nrate = 10\n')
    result = run("bake", path, "--json")
    assert ([record["reused"] for record in json.loads(result.out)], result.err.count("skipped 2")) == (
        [True] * 3,
        1,
    )
    (record,) = json.loads(run("bake", walk, "-o", tmp_path / "out", "--json").out)
    assert (record["name"], record["status"]) == ("walk", "baked")


def test_a_folder_of_nothing_but_recordings_is_told_so(run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    recording(tmp_path / "in" / "walk.bvh")
    result = run("bake", tmp_path / "in", "-o", tmp_path / "out")
    assert (result.code, result.out) == (1, "")
    skipped, none = result.err.splitlines()
    assert skipped.startswith(f"lissom: {tmp_path / 'in'}: skipped 1 .bvh file: ")
    assert none == f"lissom: {tmp_path / 'in'}: the folder must hold a .glb, .gltf or .vrm file, got none"
    assert not (tmp_path / "out").exists()


def test_json_lists_all_in_the_order_given(run, folder: Path, bad_file: Path, tmp_path: Path) -> None:
    result = run("bake", TUBE, bad_file, folder, "-o", tmp_path / "out", "--json")
    found = [(record["name"], record["status"], record["ok"]) for record in json.loads(result.out)]
    assert found == [
        ("two_bone_tube", "baked", True), ("bad", "failed", False), ("model_0", "baked", True),
        ("model_2", "baked", True), ("more/model_1", "baked", True),
    ]  # fmt: skip


def test_what_cannot_be_told_apart_is_refused(run, tmp_path: Path) -> None:
    result = run("bake", TUBE, BAR, "-o", tmp_path / "one.safetensors")
    assert result.code == 2
    assert "must be a folder for 2 inputs, got the file" in words(result.err)
    for name in ("a/x.glb", "b/X.glb", "c/x.gltf"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_bytes(b"")
    result = run("bake", tmp_path / "a", tmp_path / "b", "-o", tmp_path / "out")
    assert result.code == 1
    assert f"{tmp_path}/a/x.glb and {tmp_path}/b/X.glb would both be named 'X' in " in result.err
    assert not (tmp_path / "out").exists()
    # A .glb and a .gltf of one name keep their endings.
    result = run("bake", tmp_path / "a", tmp_path / "c", "-o", tmp_path / "out", "--json")
    assert [record["name"] for record in json.loads(result.out)] == ["x.glb", "x.gltf"]
    assert run("bake", tmp_path / "a", "-o", tmp_path / "one.safetensors").code == 2
    assert "'-o'" in run("bake", TUBE).err
    # Such a name may be another file's, too.
    (tmp_path / "a" / "x.glb.glb").write_bytes(b"")
    result = run("bake", tmp_path / "a", tmp_path / "c", "-o", tmp_path / "out")
    assert (result.code, "a/x.glb.glb would both be named 'x.glb' in " in result.err) == (1, True)
    path = tmp_path / "a" / "x.glb"
    result = run("bake", path, tmp_path / "b" / ".." / "a" / "x.glb", "-o", tmp_path / "out")
    assert (result.code, result.err.count("is given twice; name it once")) == (1, 1)
    jobs = job_file(
        tmp_path, "".join(f'[[job]]\nsource = "a/x.glb"\noutput = "out"\nname = "{n}"\n' for n in "Aa")
    )
    result = run("bake", jobs)
    assert "a/x.glb: is to be named 'A' and 'a' in" in words(result.err)
    assert "where names must differ in more than case" in words(result.err)
    result = run("bake", "", "-o", tmp_path)
    assert (result.code, "'IN': must be the name of a file, got ''" in words(result.err)) == (2, True)


@pytest.mark.skipif(os.name != "posix", reason="names that Windows does not have")
def test_files_of_a_folder_that_no_output_can_be_named_after_are_baked(
    run, folder: Path, tmp_path: Path
) -> None:
    (folder / "model_0.glb").rename(folder / "a\\b.glb")
    (folder / "model_2.glb").rename(folder / "...glb")
    (folder / "folder.glb").mkdir()  # is no file
    result = run("bake", folder, "-o", tmp_path / "out", "--json")
    assert (result.code, result.err) == (0, "")
    assert {record["name"] for record in json.loads(result.out)} == {"__", "a_b", "more/model_1"}
