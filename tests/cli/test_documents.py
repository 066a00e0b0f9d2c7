# SPDX-License-Identifier: MIT
"""`lissom doctor` and `lissom demo`; JSON has the keys that the guide names."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import lissom
from cli.files import BAR, TUBE, is_png, noted_file


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


def test_the_readmes_commands_of_files_run_as_shown(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("characters").mkdir()
    for name in ("hero.glb", "characters/tube.glb"):
        lissom.save_glb(lissom.samples.two_bone_tube(), name)
    Path("job.toml").write_text('[[job]]\nsource = "hero.glb"\noutput = "baked"\n')
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    lines = re.findall(r"^    lissom ((?:info|validate|bake|show) .+?)(?:  |$)", readme, re.MULTILINE)
    assert len(lines) >= 8
    for line in lines:
        result = run(*line.split())
        assert result.code == 0, f"lissom {line}\n{result.err}"


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
        *names, facts["bake"]["file"], facts["page"]["file"], "report.json", "report.md",
    }  # fmt: skip
    page = (tmp_path / "demo" / "report.md").read_text()
    assert all(f"({name})" in page for name in (*names, facts["page"]["file"]))
    assert "\n\n\n" not in page


INTO_A_FOLDER = "retarget SOURCE... TARGET -o FOLDER"
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "howto" / "json.md"


def documented_keys(command: str) -> set[str]:
    """The keys in the table of a command."""
    table = re.search(rf"key of `lissom {re.escape(command)}\b.*?(?=\n\n)", DOCUMENT.read_text(), re.DOTALL)
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


def faulty_bake(folder: Path) -> Path:
    late = lissom.bake(lissom.samples.two_bone_tube(), rate=30).edited()
    late.texels[2:] = late.texels[:-2].copy()
    return late.save(folder / "late.safetensors")


@pytest.mark.gl
@pytest.mark.parametrize(
    "command",
    ["info", "validate", "bake", "export", "verify", "retarget", INTO_A_FOLDER, "compare", "doctor"],
)
def test_json_has_the_documented_keys(run, command: str, bad_file: Path, tmp_path: Path) -> None:
    known = documented_keys(command)
    arguments = {
        "info": [(bad_file.with_name("odd.gltf"),), (BAR,)],
        "validate": [(BAR, bad_file, noted_file(tmp_path))],
        "bake": [(TUBE, bad_file, "-o", tmp_path, "--html")],
        "export": [(TUBE, bad_file, "-o", tmp_path / "web", "--form", "vertices", "--rate", 5)],
        "verify": [(TUBE, faulty_bake(tmp_path), "--max-error", 0.01)],
        "retarget": [("humanoid", "child", "-o", tmp_path / "child.glb", "--clips", "walk")],
        INTO_A_FOLDER: [("humanoid", bad_file, "child", "-o", tmp_path / "moves", "--clips", "walk")],
        "compare": [(TUBE, "-o", tmp_path / "compare.png")],
        "doctor": [()],
    }
    (tmp_path / "odd.gltf").write_text('{"asset": {"version": "2.0"}, "nodes": [{}], "cameras": [{}]}')
    found = set()
    for call in arguments[command]:
        found |= keys_of(json.loads(run(command.split()[0], *call, "--json").out), "", known)
    only_on_other_machines = {"drawing.advice"}
    without_a_mesh = {"mesh"} if command == "info" else set()
    assert found - without_a_mesh == known - only_on_other_machines
