# SPDX-License-Identifier: MIT
"""The command: what it writes, where, with which exit code; no traceback, nothing half-written."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import bvh_files
import lissom
from lissom.cli import gathering, inputs, main

TUBE = "sample:two_bone_tube"  # the smallest sample
BAR = "sample:twisted_bar"


class Result:
    """What a command left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Run the command in this process."""

    def call(*arguments: object) -> Result:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return Result(left.value.code, captured.out, captured.err)

    return call


def is_png(path: Path) -> bool:
    return path.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def bad_file(tmp_path: Path) -> Path:
    path = tmp_path / "bad.glb"
    path.write_bytes(b"glTF\2\0\0\0\x20\0\0\0 not a chunk")
    return path


def test_version_and_help_name_every_command(run) -> None:
    assert run("--version").out == f"lissom {lissom.__version__}\n"
    text = run("--help")
    assert text.code == 0
    for command in ("demo", "info", "validate", "bake", "render", "compare", "crowd", "doctor"):
        assert command in text.out
        assert run(command, "--help").code == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("info",),
        ("dance",),
        ("render", TUBE),
        ("bake", TUBE, "-o", "x", "--dtype", "int8"),
        ("render", TUBE, "-o", "x.jpg"),
        ("render", TUBE, "-o", "x.png", "--time", 1),
        ("compare", TUBE, "-o", "x.png", "--time", 1),
        ("bake", TUBE, "-o", "x.bin"),
        ("bake", TUBE, BAR, "-o", "x.safetensors"),
    ],
)
def test_wrong_usage_is_exit_code_2(
    run, arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert result.code == 2
    assert result.err
    assert "Traceback" not in result.err
    assert not list(tmp_path.iterdir())


def words(text: str) -> str:
    """Give the text of a frame of lines and corners as one line."""
    return " ".join("".join(c for c in text if c not in "╭╮╰╯│─").split())


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("render", TUBE, "-o", "x.png", "--time", 1), "'--time': needs --clip"),
        (
            ("bake", TUBE, "-o", "x.bin"),
            "'-o': x.bin is neither a folder nor a name that ends in .safetensors",
        ),
        (
            ("render", TUBE, "-o", "x.png", "--method", "dualquat"),
            "there are linear, dual_quat, quat_trans, cor, not 'dualquat'",
        ),
    ],
)
def test_wrong_usage_speaks_of_options(
    run, arguments: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sentence in words(run(*arguments).err)


def test_info_shows_tree_clips_and_parts(run) -> None:
    result = run("info", TUBE)
    tube = lissom.samples.two_bone_tube()
    assert result.code == 0
    for name in (*tube.skeleton.names, *tube.clips, *(part.name for part in tube.mesh.parts)):
        assert name in result.out


def test_info_json_holds_the_facts(run) -> None:
    facts = json.loads(run("info", BAR, "--json").out)
    bar = lissom.samples.twisted_bar()
    assert [joint["name"] for joint in facts["joints"]] == list(bar.skeleton.names)
    assert [joint["parent"] for joint in facts["joints"]] == bar.skeleton.parents.tolist()
    assert facts["mesh"]["vertices"] == bar.mesh.vertex_count
    assert {clip["name"]: clip["duration"] for clip in facts["clips"]} == pytest.approx(
        {name: clip.duration for name, clip in bar.clips.items()}
    )
    assert facts["size"] == pytest.approx(bar.size)


def test_info_of_every_real_character(run, assets: Path) -> None:
    for path in sorted((assets / "characters").rglob("*.glb"))[:6]:
        result = run("info", path)
        assert result.code == 0, result.err
        assert " joints, " in result.out


def test_missing_file_is_one_sentence(run, tmp_path: Path) -> None:
    picture = ("-o", tmp_path / "x.png")
    commands = (
        ("info",),
        ("bake", "-o", tmp_path),
        ("render", *picture),
        ("compare", *picture),
        ("crowd", *picture),
    )
    for command in commands:
        result = run(*command, tmp_path / "none.glb")
        assert result.code == 1
        assert result.out == ""
        assert result.err == f"lissom: {tmp_path / 'none.glb'}: there is no such file\n"


def test_validate_says_that_a_file_is_missing(run, tmp_path: Path) -> None:
    missing = tmp_path / "none.glb"
    (record,) = json.loads(run("validate", missing, "--json").out)
    assert (record["code"], record["message"]) == ("IO_ERROR", "there is no such file")
    assert run("validate", missing).out == f"bad {missing}: there is no such file [IO_ERROR]\n"


def test_what_is_no_model_is_named(run, tmp_path: Path) -> None:
    text, picture, bake = tmp_path / "notes.txt", tmp_path / "hero.png", tmp_path / "hero.safetensors"
    text.write_text("not a model")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    bake.write_bytes(b"")
    sentences = {
        text: "is not a glTF, GLB or BVH file",
        picture: "is a PNG picture, not a glTF or GLB file",
        bake: "is a bake, not a glTF or GLB file (`lissom info` shows it, `lissom crowd` draws it)",
        tmp_path: "is a folder, give one file of it (`lissom validate` and `lissom bake` take folders)",
    }
    for path, sentence in sentences.items():
        result = run("render", path, "-o", tmp_path / "x.png")
        assert (result.code, result.err) == (1, f"lissom: {path}: {sentence}\n")


def test_bad_file_is_one_sentence(run, bad_file: Path) -> None:
    result = run("info", bad_file)
    assert (result.code, result.out) == (1, "")
    assert result.err.count("\n") == 1
    assert str(bad_file) in result.err


def test_unknown_sample_names_the_known(run) -> None:
    result = run("info", "sample:dog")
    assert result.code == 1
    assert "humanoid, twisted_bar, two_bone_tube" in result.err


def test_validate_tells_good_from_bad(run, bad_file: Path) -> None:
    assert run("validate", TUBE, BAR).code == 0
    result = run("validate", TUBE, bad_file)
    assert result.code == 1
    good, bad = result.out.splitlines()
    assert good.startswith("ok ")
    assert bad.startswith("bad ")
    assert str(bad_file) in bad


def test_validate_json_has_one_record_per_file(run, bad_file: Path) -> None:
    result = run("validate", TUBE, bad_file, "--json")
    assert result.code == 1
    good, bad = json.loads(result.out)
    assert (good["ok"], bad["ok"]) == (True, False)
    assert bad["code"]
    assert bad["message"]


def noted_file(folder: Path) -> Path:
    """Write a sound file with a camera, which is left out and noted."""
    path = folder / "camera.gltf"
    camera = {"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}
    nodes = [{"name": "eye", "camera": 0}]
    path.write_text(json.dumps({"asset": {"version": "2.0"}, "cameras": [camera], "nodes": nodes}))
    return path


def test_validate_counts_notes_and_lists_them_when_asked(run, tmp_path: Path) -> None:
    path = noted_file(tmp_path)
    notes = lissom.load(path, strict=True).repairs
    assert len(notes) == 2
    result = run("validate", path)
    assert result.code == 0
    (line,) = result.out.splitlines()
    assert line.startswith("ok ")
    assert line.endswith(", 2 notes")
    _, *listed = run("validate", path, "-v").out.splitlines()
    assert all(note.message in line for note, line in zip(notes, listed, strict=True))
    (record,) = json.loads(run("validate", path, "--json").out)
    assert record["notes"] == [
        {"code": note.code, "pointer": note.pointer, "message": note.message} for note in notes
    ]
    assert "note" not in run("validate", TUBE).out


def test_validate_takes_a_folder(run, bad_file: Path, tmp_path: Path) -> None:
    result = run("validate", tmp_path, "--json")
    assert [record["file"] for record in json.loads(result.out)] == [str(bad_file)]
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "no .glb or .gltf" in run("validate", empty).err


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


def test_bake_goes_on_after_a_bad_file(run, bad_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "baked"
    result = run("bake", bad_file, TUBE, "-o", out)
    assert result.code == 1
    assert str(bad_file) in result.err
    assert result.err.count("\n") == 1
    assert [path.name for path in out.iterdir()] == ["two_bone_tube.safetensors"]
    for word in ("max error", *lissom.samples.two_bone_tube().clips):
        assert word in result.out


def test_bake_honours_max_error(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    result = run("bake", BAR, "-o", out, "--max-error", 1e-4, "--clips", "bend", "--json")
    assert result.code == 0, result.err
    (record,) = json.loads(result.out)
    assert list(record["clips"]) == ["bend"]
    assert record["clips"]["bend"]["error"]["max_relative"] <= 1e-4


def test_unreachable_max_error_leaves_no_file(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    result = run("bake", BAR, "-o", out, "--max-error", 1e-12)
    assert result.code == 1
    assert result.err.startswith(f"lissom: {BAR}: --max-error 1e-12 is out of reach: '")
    assert not list(tmp_path.iterdir())
    assert "Traceback" not in result.err


def test_bake_refuses_two_inputs_for_one_file(run, tmp_path: Path) -> None:
    result = run("bake", TUBE, BAR, "-o", tmp_path / "one.safetensors")
    assert result.code == 2
    assert "give a folder" in words(result.err)
    (tmp_path / "a").mkdir()
    for path in (tmp_path / "x.glb", tmp_path / "a" / "x.glb"):
        path.write_bytes(b"")
    result = run("bake", tmp_path, "-o", tmp_path / "out")
    assert result.code == 1
    assert "would both be written" in result.err
    assert not (tmp_path / "out").exists()


@pytest.mark.gl
def test_render_writes_a_picture(run, tmp_path: Path) -> None:
    out = tmp_path / "deep" / "tube.png"
    result = run("render", TUBE, "-o", out, "--width", 64, "--height", 48)
    assert result.code == 0, result.err
    assert is_png(out)


@pytest.mark.gl
def test_render_names_the_clips_there_are(run, tmp_path: Path) -> None:
    result = run("render", BAR, "-o", tmp_path / "bar.png", "--clip", "Dance")
    assert result.code == 1
    assert result.err == f"lissom: {BAR}: no clip is named 'Dance'; there are: 'twist', 'bend'\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.gl
def test_render_without_time_is_that_of_the_library(run, tmp_path: Path) -> None:
    out, same = tmp_path / "cli.png", tmp_path / "library.png"
    assert run("render", BAR, "-o", out, "--clip", "TWIST", "--width", 64, "--height", 48).code == 0
    bar = lissom.samples.twisted_bar()
    lissom.render(bar, clip="twist", width=64, height=48).save(same)
    assert out.read_bytes() == same.read_bytes()
    lissom.render(bar, bar.clips["twist"].at(0.5), width=64, height=48).save(same)
    assert out.read_bytes() == same.read_bytes()


def test_a_clip_is_found_by_what_people_call_it() -> None:
    known = ["Rig|Walk", "Rig|Run", "Other|Run", "Running_A", "wave", "Wave"]
    assert inputs.clip_name("hero.glb", "Rig|Walk", known) == "Rig|Walk"
    assert inputs.clip_name("hero.glb", "walk", known) == "Rig|Walk"
    assert inputs.clip_name("hero.glb", "running_a", known) == "Running_A"
    assert inputs.clip_name("hero.glb", "wave", known) == "wave"
    with pytest.raises(ValueError, match=r"did you mean 'Rig\|Run', 'Other\|Run' or 'Running_A'\?"):
        inputs.clip_name("hero.glb", "Run", known)
    with pytest.raises(ValueError, match="no clip is named 'WAVE'; did you mean"):
        inputs.clip_name("hero.glb", "WAVE", known)
    many = [f"Clip_{i}" for i in range(76)]
    with pytest.raises(ValueError, match="'swim'") as refused:
        inputs.clip_name("hero.glb", "swim", many)
    assert str(refused.value) == (
        "hero.glb: no clip is named 'swim'; there are 76, such as 'Clip_0', 'Clip_1', 'Clip_2' "
        "(`lissom info hero.glb` lists them)"
    )


def test_info_of_a_bake(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    (record,) = json.loads(run("bake", BAR, "-o", out, "--json").out)
    bake = lissom.load_bake(out)
    facts = json.loads(run("info", out, "--json").out)
    assert facts["joints"] == list(bake.joints)
    assert set(facts) == set(record) - {"file", "ok", "skipped", "output", "hints"} | {"joints", "mesh"}
    assert facts["mesh"] == {"vertices": bake.mesh.vertex_count, "triangles": len(bake.mesh.triangles)}
    assert facts["clips"]["twist"]["error"]["max"] == bake.clips["twist"].error.max
    assert (facts["layout"], facts["dtype"], facts["frames"]) == ("dual_quat", "float16", len(bake.texels))
    text = run("info", out)
    assert text.code == 0
    for word in ("dual_quat", *bake.clips, *bake.joints, f"{bake.mesh.vertex_count:,} vertices"):
        assert word in text.out


def test_bake_hints_at_max_error(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.safetensors"
    result = run("bake", BAR, "-o", out, "--rate", 2, "--clips", "twist", "--json")
    (hint,) = json.loads(result.out)[0]["hints"]
    assert hint.startswith("'twist' is off by up to ")
    assert "2 frames per second are few for it; pass --max-error 0.005" in hint
    assert "hint: 'twist'" in run("bake", BAR, "-o", out, "--rate", 2).out
    assert "hint: " not in run("bake", BAR, "-o", out).out
    assert "hint: " not in run("bake", BAR, "-o", out, "--rate", 2, "--max-error", 0.01).out


def test_bake_skips_props_of_a_folder(run, tmp_path: Path) -> None:
    prop = noted_file(tmp_path)
    result = run("bake", tmp_path, "-o", tmp_path / "out")
    assert (result.code, result.out, result.err) == (0, f"{prop}: no clips, skipped\n", "")
    result = run("bake", prop, "-o", tmp_path / "out")
    assert (result.code, result.err) == (1, f"lissom: {prop}: has no clips to bake\n")


def test_bake_takes_parts_away_and_sets_loops(run, tmp_path: Path) -> None:
    out = tmp_path / "person.safetensors"
    person = lissom.samples.humanoid()
    part = person.mesh.parts[0].name
    clips = ("--clips", "walk", "--clips", "wave", "--no-loop", "walk", "--loop", "wave")
    assert run("bake", "sample:humanoid", "-o", out, "--rate", 5, "--without", part, *clips).code == 0
    bake = lissom.load_bake(out)
    assert {name: clip.loop for name, clip in bake.clips.items()} == {"walk": False, "wave": True}
    assert bake.mesh.vertex_count == person.without(part).mesh.vertex_count
    assert lissom.samples.humanoid().clips["walk"].loop  # samples are kept: theirs is not changed
    result = run("bake", "sample:humanoid", "-o", out, "--without", "tail")
    assert result.code == 1
    assert "no part is named 'tail'; " in result.err


@pytest.mark.gl
@pytest.mark.parametrize("count", [1, 7, 300])
def test_a_crowd_fills_the_picture_and_is_inside(count: int) -> None:
    bake = lissom.bake(lissom.samples.humanoid(), "walk", rate=5)
    aspect = 2.0
    picture = gathering.draw_alike(bake, (), count, 400, 200).array.astype(int)
    # Clothes and skin are dark in some colour; ground, sky and shadows are not.
    drawn = picture.min(axis=2) < 150
    rows, columns = drawn.any(axis=1), drawn.any(axis=0)
    assert not rows[[0, -1]].any()
    assert not columns[[0, -1]].any()
    assert np.ptp(np.flatnonzero(rows)) > 0.65 * 200
    if count > 1:
        assert np.ptp(np.flatnonzero(columns)) > 0.75 * 200 * aspect


@pytest.mark.gl
def test_crowd_plays_the_clips_that_are_named(run, tmp_path: Path) -> None:
    size = ("--count", 9, "--width", 96, "--height", 64)
    bend = tmp_path / "bend.safetensors"
    assert run("bake", BAR, "-o", bend, "--clips", "bend").code == 0
    assert run("crowd", BAR, "-o", tmp_path / "a.png", "--clips", "Bend", *size).code == 0
    assert run("crowd", bend, "-o", tmp_path / "b.png", "--clips", "bend", *size).code == 0
    assert run("crowd", BAR, "-o", tmp_path / "c.png", *size).code == 0
    named, alone, all_of_them = ((tmp_path / f"{name}.png").read_bytes() for name in "abc")
    assert named == alone
    assert named != all_of_them
    assert run("crowd", bend, "-o", tmp_path / "d.png", "--without", "bar").code == 2


@pytest.mark.gl
def test_compare_gives_picture_and_numbers(run, tmp_path: Path) -> None:
    out = tmp_path / "bar.png"
    result = run("compare", BAR, "-o", out, "--clip", "twist", "--json")
    assert result.code == 0, result.err
    assert is_png(out)
    record = json.loads(result.out)
    bar = lissom.samples.twisted_bar()
    pose = bar.clips["twist"].at(0.5)
    assert record["numbers"] == json.loads(json.dumps(lissom.compare(bar, pose).numbers, default=float))
    shown = run("compare", BAR, "-o", out, "--clip", "twist")
    assert shown.code == 0
    assert re.search(r"against bind +linear +dual_quat\n", shown.out)
    assert re.search(r"volume +-50\.0 % +-0\.3. %\n", shown.out)
    assert re.search(r"smallest determinant +0\.00 +1\.00\n", shown.out)
    assert re.search(
        r"linear to dual_quat: max 16\.5 %, .* of the size, 4\.243; max at vertex \d+\n", shown.out
    )


@pytest.mark.gl
def test_compare_bends_and_twists_the_figures(run, tmp_path: Path) -> None:
    size = ("-o", tmp_path / "x.png", "--width", 96, "--height", 32, "--json")

    def numbers(*arguments: object) -> dict:
        result = run("compare", *arguments, *size)
        assert result.code == 0, result.err
        return json.loads(result.out)["numbers"]

    tube = lissom.samples.two_bone_tube()
    pose = tube.skeleton.rest.astype(float)
    turns = (([0, 0, 1.0], 40), ([1.0, 0, 0], 70))
    pose[1, 3:7] = lissom.quat.multiply(
        *(lissom.quat.from_axis_angle(axis, np.radians(degrees)) for axis, degrees in turns)
    )
    expected = lissom.compare(tube, pose, ("dual_quat", "linear"), width=96, height=32).numbers
    found = numbers("tube", "--bend", 40, "--twist", 70, "--methods", "dual_quat,linear")
    assert found == json.loads(json.dumps(expected))
    assert found["bend"]["angle"] == pytest.approx(np.radians(40))
    assert numbers("tube")["bend"]["angle"] == pytest.approx(np.pi / 2)
    assert numbers("tube", "--twist", 70)["bend"] is None
    # A square column twisted by a linearly keeps (2 + cos a) / 3 of the volume between its ends.
    linear = numbers("bar")["by_method"]["linear"]["volume_change"]
    assert linear == pytest.approx(0.75 * ((2 + np.cos(np.radians(150))) / 3 - 1), abs=1e-3)
    assert numbers("sample:twisted_bar", "--twist", 0)["max"] == pytest.approx(0, abs=1e-6)
    assert numbers("humanoid", "--heat", "dual_quat,linear")["between"] == ["dual_quat", "linear"]


def test_compare_knows_the_methods_there_are() -> None:
    from lissom.cli import app

    assert set(lissom.skinning.METHODS) <= set(app.SKINNING)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("tube", "--methods", "linear,dance"), "there are linear, dual_quat"),
        (("tube", "--methods", "linear"), "needs two or more of linear, dual_quat"),
        (("tube", "--heat", "linear"), "needs two of linear, dual_quat, with a comma between"),
        (("tube", "--heat", "linear,cor"), "needs two of linear, dual_quat, with a comma between"),
        (("humanoid", "--bend", 20), "is for the bar and the tube; give --clip and --time"),
        (("bar", "--twist", 20, "--clip", "twist"), "is a pose of its own; leave out --clip"),
        (("bar", "--twist", "nan"), "needs a finite number of degrees, not nan"),
    ],
)
def test_compare_refuses_what_does_not_go_together(run, tmp_path: Path, arguments, words: str) -> None:
    result = run("compare", *arguments, "-o", tmp_path / "x.png")
    assert (result.code, result.out) == (2, "")
    assert words in " ".join(result.err.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


def test_short_names_are_samples_unless_there_is_such_a_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert inputs.sample_meant("bar") == BAR
    assert inputs.sample_meant("tube") == TUBE
    (tmp_path / "bar").touch()
    assert inputs.sample_meant("bar") == "bar"
    assert inputs.sample_meant("hero.glb") == "hero.glb"


@pytest.mark.gl
def test_crowd_draws_a_model_and_its_bake_alike(run, tmp_path: Path) -> None:
    size = ("--count", 20, "--width", 96, "--height", 64, "--seed", 3)
    assert run("crowd", TUBE, "-o", tmp_path / "a.png", *size).code == 0
    assert run("bake", TUBE, "-o", tmp_path / "tube.safetensors").code == 0
    assert run("crowd", tmp_path / "tube.safetensors", "-o", tmp_path / "b.png", *size).code == 0
    assert (tmp_path / "a.png").read_bytes() == (tmp_path / "b.png").read_bytes()


@pytest.mark.gl
def test_doctor_names_the_renderer(run) -> None:
    result = run("doctor", "--json")
    facts = json.loads(result.out)
    assert facts["drawing"]["state"] == "ok", facts
    assert facts["instruction_set"] in facts["instruction_sets"]
    assert result.code == 0
    text = run("doctor")
    assert facts["drawing"]["renderer"] in text.out
    assert facts["packages"]["numpy"] in text.out


def test_doctor_explains_a_machine_without_gl() -> None:
    code = (
        "import sys; sys.modules['moderngl'] = None\nfrom lissom.cli import main\nmain(['doctor', '--json'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    drawing = json.loads(done.stdout)["drawing"]
    assert drawing["state"] == "not installed"
    assert 'pip install "lissom[gl]"' in drawing["advice"]


@pytest.mark.gl
def test_demo_writes_everything_it_lists(run, tmp_path: Path) -> None:
    result = run("demo", "-o", tmp_path / "demo", "--count", 30)
    assert result.code == 0, result.err
    facts = json.loads((tmp_path / "demo" / "report.json").read_text())
    names = {picture["file"] for picture in facts["pictures"]}
    assert names == {"humanoid.png", "twisted_bar.png", "compare.png", "crowd.png"}
    assert all(is_png(tmp_path / "demo" / name) for name in names)
    bake = lissom.load_bake(tmp_path / "demo" / facts["bake"]["file"])
    assert set(bake.clips) == {"idle", "walk", "run", "wave"}
    assert max(clip.error.max_relative for clip in bake.clips.values()) <= 1e-3
    assert {path.name for path in (tmp_path / "demo").iterdir()} == {
        *names, facts["bake"]["file"], "report.json", "report.md",
    }  # fmt: skip
    page = (tmp_path / "demo" / "report.md").read_text()
    assert all(f"({name})" in page for name in names)
    assert "\n\n\n" not in page


def test_a_pipe_that_closes_is_no_traceback() -> None:
    command = f"{sys.executable} -m lissom info {BAR} --json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr


DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "howto" / "json.md"


def documented_keys(command: str) -> set[str]:
    """The keys in the table of a command."""
    table = re.search(rf"key of `lissom {command}\b.*?(?=\n\n)", DOCUMENT.read_text(), re.DOTALL)
    assert table is not None
    first_column = [line.split("|")[1] for line in table[0].splitlines()[2:]]
    return {key for cell in first_column for key in re.findall(r"`([^`]+)`", cell)}


def keys_of(value: object, path: str, known: set[str]) -> set[str]:
    """Paths to everything in a document; below what is documented as a whole nothing is looked at."""
    if path not in known and isinstance(value, dict):
        named = any(key.startswith(f"{path}.*") for key in known)
        inner = [(f"{path}.{'*' if named else key}".lstrip("."), part) for key, part in value.items()]
        return set().union(*(keys_of(part, name, known) for name, part in inner))
    if path not in known and isinstance(value, list):
        return set().union(*(keys_of(part, f"{path}[]", known) for part in value))
    return {path}


@pytest.mark.gl
@pytest.mark.parametrize("command", ["info", "validate", "bake", "compare", "doctor"])
def test_json_has_the_documented_keys(run, command: str, bad_file: Path, tmp_path: Path) -> None:
    known = documented_keys(command)
    arguments = {
        "info": [(bad_file.with_name("odd.gltf"),), (BAR,)],
        "validate": [(BAR, bad_file, noted_file(tmp_path))],
        "bake": [(TUBE, bad_file, "-o", tmp_path)],
        "compare": [(TUBE, "-o", tmp_path / "compare.png")],
        "doctor": [()],
    }
    (tmp_path / "odd.gltf").write_text('{"asset": {"version": "2.0"}, "nodes": [{}], "cameras": [{}]}')
    found = set()
    for call in arguments[command]:
        found |= keys_of(json.loads(run(command, *call, "--json").out), "", known)
    only_on_other_machines = {"drawing.advice"}
    without_a_mesh = {"mesh"} if command == "info" else set()
    assert found - without_a_mesh == known - only_on_other_machines


def test_info_takes_motion_capture(run, tmp_path: Path) -> None:
    path = tmp_path / "walk.bvh"
    path.write_text(bvh_files.GOOD)
    facts = json.loads(run("info", path, "--json").out)
    assert [joint["name"] for joint in facts["joints"]] == ["Hips", "Leg", "Leg_end"]
    assert [(clip["name"], clip["duration"], clip["key_rate"]) for clip in facts["clips"]] == [
        ("walk", 0.5, 4.0)
    ]
    path.write_text("HIERARCHY\n")
    result = run("info", path)
    assert (result.code, result.err) == (
        1,
        f"lissom: {path}: line 2: the file ends before its MOTION section\n",
    )
