# SPDX-License-Identifier: MIT
"""The command: what it writes, where, with which exit code; no traceback, nothing half-written."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lissom
from lissom.cli import main

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
    ],
)
def test_wrong_usage_is_exit_code_2(run, arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.code == 2
    assert result.err
    assert "Traceback" not in result.err


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
    for command in (("info",), ("render", "-o", tmp_path / "x.png")):
        result = run(*command, tmp_path / "none.glb")
        assert result.code == 1
        assert result.out == ""
        assert result.err.startswith("lissom: ")
        assert "none.glb" in result.err
        assert result.err.count("\n") == 1


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
    assert not list(tmp_path.iterdir())
    assert "Traceback" not in result.err


def test_bake_refuses_two_inputs_for_one_file(run, tmp_path: Path) -> None:
    result = run("bake", TUBE, BAR, "-o", tmp_path / "one.safetensors")
    assert result.code == 1
    assert "give a folder" in result.err
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
    assert "('twist', 'bend'), got 'Dance'" in result.err
    assert run("render", BAR, "-o", tmp_path / "bar.png", "--time", 1).code == 1
    assert not list(tmp_path.iterdir())


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
    assert run("compare", BAR, "-o", out).code == 0


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
        "validate": [(BAR, bad_file)],
        "bake": [(TUBE, bad_file, "-o", tmp_path)],
        "compare": [(BAR, "-o", tmp_path / "compare.png")],
        "doctor": [()],
    }
    (tmp_path / "odd.gltf").write_text('{"asset": {"version": "2.0"}, "nodes": [{}], "cameras": [{}]}')
    found = set()
    for call in arguments[command]:
        found |= keys_of(json.loads(run(command, *call, "--json").out), "", known)
    only_on_other_machines = {"drawing.advice"}
    without_a_mesh = {"mesh"} if command == "info" else set()
    assert found - without_a_mesh == known - only_on_other_machines
