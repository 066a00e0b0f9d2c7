# SPDX-License-Identifier: MIT
"""Every command shows names of files as escapes, on the terminal and in what it writes."""

import json
from pathlib import Path

import pytest

pytest.importorskip("PIL")
from wild_names import FILE, SCRIPT, WILD, unsafe, wild, written


def seen(result, folder: Path) -> str:
    """Return what a command printed, after a look at it, at all texts and at all names in the folder."""
    for stream in (result.out, result.err):
        assert not unsafe(stream)
        assert "\r" not in stream
    for path in folder.rglob("*"):
        # The files that were there keep their names; all others are ours.
        assert path.stem == FILE or not unsafe(path.name)
        if path.suffix in {".html", ".md"}:
            assert SCRIPT not in path.read_text("utf-8")
    return result.out + result.err


COMMANDS = {
    "info": ("info", "{model}"),
    "info as JSON": ("info", "{model}", "--json"),
    "info of a bake": ("info", "{bake}"),
    "validate": ("validate", "{model}", "-v"),
    "validate a folder": ("validate", "{folder}", "-v"),
    "bake": ("bake", "{model}", "-o", "{out}", "--anew", "--rate", "10"),
    "bake a folder": ("bake", "{folder}", "-o", "{out}", "--rate", "10", "--html"),
    "bake as JSON": ("bake", "{model}", "-o", "{out}", "--json", "--rate", "10"),
    "bake an unknown clip": ("bake", "{model}", "-o", "{out}", "--clips", "\x1b[31mWalk"),
    "bake within what is out of reach": ("bake", "{model}", "-o", "{out}", "--max-error", "1e-12"),
    "bake a file that is none": ("bake", "{broken}", "-o", "{out}"),
    "info of a file that is none": ("info", "{broken}"),
    "a job file": ("bake", "{jobs}"),
    "show": ("show", "{model}", "-o", "{out}/page.html"),
    "show a bake": ("show", "{bake}", "-o", "{out}/page.html"),
    "render an unknown clip": ("render", "{model}", "--clip", "Walk", "-o", "{out}/a.png"),
    "a missing file": ("info", "{folder}/\x1b[0m\u202e.glb"),
}
FAILING = {
    "validate",  # the weights are not normalised
    "validate a folder",
    "bake an unknown clip",
    "bake within what is out of reach",
    "bake a file that is none",
    "info of a file that is none",
    "a job file",
    "render an unknown clip",
    "a missing file",
}
DRAWING = {
    "render": (
        "render",
        "{model}",
        "--clip",
        WILD,
        "--time",
        "0.5",
        "--width",
        "64",
        "--height",
        "64",
        "-o",
        "{out}/a.png",
    ),
    "compare": ("compare", "{model}", "--clip", WILD, "--time", "0.5", "-o", "{out}/a.png"),
    "crowd": ("crowd", "{bake}", "--count", "2", "-o", "{out}/a.png"),
    "bake with pictures": ("bake", "{model}", "-o", "{out}", "--rate", "10", "--report", "{out}"),
}


@pytest.fixture(scope="module")
def places(tmp_path_factory) -> dict[str, Path]:
    import lissom

    base = tmp_path_factory.mktemp("wild")
    folder = base / "models"
    folder.mkdir()
    model = written(folder)
    (folder / "more\x1b[32m").mkdir()
    (folder / "more\x1b[32m" / "b\u202e.glb").write_bytes(wild().glb())
    broken = base / f"{FILE}.gltf"
    broken.write_bytes(b"{\x1b")
    bake = base / f"{FILE}.safetensors"
    lissom.bake(lissom.load(model), rate=10).save(bake)
    jobs = base / f"{FILE}.toml"
    jobs.write_text(
        f"[[job]]\nsource = {json.dumps(f'models/{model.name}')}\noutput = 'jobs'\nclips = ['Walk']\n"
    )
    return {"model": model, "folder": folder, "broken": broken, "bake": bake, "jobs": jobs}


def called(run, name: str, words: tuple[str, ...], places: dict[str, Path], out: Path) -> str:
    values = {**places, "out": out}
    result = run(*(word if word == WILD else word.format(**values) for word in words))
    assert result.code == (1 if name in FAILING else 0), result.err
    return seen(result, out)


@pytest.mark.parametrize("name", COMMANDS)
def test_commands(run, name, places, tmp_path) -> None:
    assert called(run, name, COMMANDS[name], places, tmp_path)


@pytest.mark.gl
@pytest.mark.parametrize("name", DRAWING)
def test_commands_that_draw(run, name, places, tmp_path) -> None:
    assert called(run, name, DRAWING[name], places, tmp_path)
