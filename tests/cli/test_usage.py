# SPDX-License-Identifier: MIT
"""The command as such: options, exit codes, one sentence for what is wrong, no traceback."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import typer.main

import lissom
from cli.files import BAR, TUBE, is_png, words
from lissom._jobs import sources
from lissom.cli.app import app


def test_version_and_help_name_every_command(run) -> None:
    assert run("--version").out == f"lissom {lissom.__version__}\n"
    text = run("--help")
    assert text.code == 0
    for command in (
        "demo",
        "info",
        "validate",
        "bake",
        "export",
        "verify",
        "retarget",
        "view",
        "show",
        "render",
        "compare",
        "crowd",
        "doctor",
    ):
        assert command in text.out
        assert run(command, "--help").code == 0


@pytest.mark.parametrize("columns", [80, 100, 160])
def test_help_breaks_lines_at_blanks_alone(run, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    commands = typer.main.get_command(app)
    for name, command in vars(commands)["commands"].items():
        shown = set(re.split(r"[\s│]+", run(name, "--help").out))
        for parameter in command.params:
            told = f"{parameter.metavar or ''} {getattr(parameter, 'help', None) or ''}"
            broken = [word for word in told.split() if len(word) > 10 and word not in shown]
            assert broken == [], f"{name} {parameter.opts[0]} at {columns} columns"
    assert {"processes,", "dask://HOST:PORT", "ray://HOST:PORT."} <= set(words(run("bake", "-h").out).split())


@pytest.mark.parametrize(
    "arguments",
    [
        ("info",),
        ("dance",),
        ("render", TUBE),
        ("bake", TUBE, "-o", "x", "--dtype", "int8"),
        ("render", TUBE, "-o", "x.bmp"),
        ("render", TUBE, "-o", "x.png", "--time", 1),
        ("compare", TUBE, "-o", "x.png", "--time", 1),
        ("bake", TUBE, "-o", "x.bin"),
        ("show", TUBE, "-o", "x.png"),
        ("show", TUBE, "--method", "cor"),
        ("bake", TUBE, BAR, "-o", "x.safetensors"),
        ("verify", TUBE),
        ("export", TUBE, "--form", "three"),
        ("export", TUBE, "-o", "x"),
        ("export", TUBE, "-o", "x", "--form", "vat"),
        ("export", TUBE, "-o", "x", "--form", "three", "--option", "count"),
        ("verify", TUBE, "x.safetensors", "-o", "x.bmp"),
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


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("render", TUBE, "-o", "x.png", "--time", 1), "'--time': needs --clip"),
        (
            ("bake", TUBE, "-o", "x.bin"),
            "'-o': must be a folder, or end in .safetensors, got x.bin",
        ),
        (
            ("render", TUBE, "-o", "x.png", "--method", "dualquat"),
            "must be one of linear, dual_quat, quat_trans, cor, blended, got 'dualquat'",
        ),
    ],
)
def test_wrong_usage_speaks_of_options(
    run, arguments: tuple[str, ...], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sentence in words(run(*arguments).err)


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


def test_what_is_no_model_is_named(run, tmp_path: Path) -> None:
    text, picture, bake = tmp_path / "notes.txt", tmp_path / "hero.png", tmp_path / "hero.safetensors"
    text.write_text("not a model")
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    bake.write_bytes(b"")
    sentences = {
        text: "is not a glTF, GLB or BVH file",
        picture: "is a PNG picture, not a glTF or GLB file",
        bake: "is a bake, not a glTF or GLB file (`lissom info` shows it, `lissom crowd` draws it)",
        tmp_path: "is a folder, pass one file of it (`lissom validate` and `lissom bake` take folders)",
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
    assert "humanoid, child, giant, twisted_bar, two_bone_tube" in result.err


@pytest.mark.parametrize(("sample", "height"), [("humanoid", 1.75), ("child", 1.2), ("giant", 2.6)])
def test_samples_are_builds_of_the_humanoid(sample: str, height: float) -> None:
    mesh = sources.load(f"sample:{sample}").mesh
    assert np.ptp(mesh.positions[:, 1]) == pytest.approx(height, rel=0.03)


def test_a_clip_is_found_by_what_people_call_it() -> None:
    known = ["Rig|Walk", "Rig|Run", "Other|Run", "Running_A", "wave", "Wave"]
    assert sources.clip_name("hero.glb", "Rig|Walk", known) == "Rig|Walk"
    assert sources.clip_name("hero.glb", "walk", known) == "Rig|Walk"
    assert sources.clip_name("hero.glb", "running_a", known) == "Running_A"
    assert sources.clip_name("hero.glb", "wave", known) == "wave"
    with pytest.raises(ValueError, match=r"did you mean 'Rig\|Run', 'Other\|Run' or 'Running_A'\?"):
        sources.clip_name("hero.glb", "Run", known)
    with pytest.raises(ValueError, match="no clip is named 'WAVE'; did you mean"):
        sources.clip_name("hero.glb", "WAVE", known)
    many = [f"Clip_{i}" for i in range(76)]
    with pytest.raises(ValueError, match="'swim'") as refused:
        sources.clip_name("hero.glb", "swim", many)
    assert str(refused.value) == (
        "hero.glb: no clip is named 'swim'; there are 76, such as 'Clip_0', 'Clip_1', 'Clip_2' "
        "(`lissom info hero.glb` lists them)"
    )


def test_short_names_are_samples_unless_there_is_such_a_file(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert sources.sample_meant("bar") == sources.sample_meant("sample:bar") == BAR
    assert sources.sample_meant("tube") == sources.sample_meant("two_bone_tube") == TUBE
    assert sources.sample_meant("humanoid") == "sample:humanoid"
    (tmp_path / "bar").touch()
    assert sources.sample_meant("bar") == "bar"
    assert sources.sample_meant("sample:bar") == BAR
    assert sources.sample_meant("hero.glb") == "hero.glb"
    assert sources.sample_meant("sample:hero") == "sample:hero"


@pytest.mark.gl
def test_every_command_reads_the_names_of_samples(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    size = ("--width", 32, "--height", 32)
    for arguments in (
        ("info", "tube"),
        ("validate", "tube", "bar"),
        ("bake", "tube", "-o", "out"),
        ("show", "tube"),
        ("render", "sample:tube", "-o", "new/x.png", *size),
        ("render", "tube", "-o", "x.png", "--method", "blended", "--blend", "bend", *size),
        ("compare", "sample:bar", "-o", "new/er/x.png", *size),
        ("crowd", "tube", "-o", "x.png", "--count", 2, *size),
    ):
        result = run(*arguments)
        assert result.code == 0, (arguments, result.err)
    assert list((tmp_path / "out").glob("two_bone_tube-*.safetensors"))
    assert is_png(tmp_path / "new" / "er" / "x.png")
    assert (tmp_path / "two_bone_tube.html").is_file()
    missing = run("info", "tub")
    assert (missing.code, missing.err) == (1, "lissom: tub: there is no such file\n")


def test_a_pipe_that_closes_is_no_traceback() -> None:
    command = f"{sys.executable} -m lissom info {BAR} --json | head -c 10"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_fault(closed: str) -> None:
    command = f"{sys.executable} -m lissom info {BAR} {closed}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")
