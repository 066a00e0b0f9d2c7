# SPDX-License-Identifier: MIT
"""What others say of saved files: Khronos' validator, and three.js by where and how it puts the joints."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from conftest import ASSETS, HAS_ALL, asset, asset_files, asset_id
from lissom.errors import GltfError
from saved_characters import CASES

NODE = Path(__file__).parents[1] / "node"
pytestmark = [
    pytest.mark.tree,
    pytest.mark.skipif(
        shutil.which("node") is None, reason="node is not installed: apt-get install nodejs npm"
    ),
    pytest.mark.skipif(
        not (NODE / "node_modules").is_dir(), reason="no tests/node/node_modules; run: make test"
    ),
]

# Of severity "information": true of the characters themselves, and nothing a writer could mend.
REMARKS = {
    "ACCESSOR_INDEX_TRIANGLE_DEGENERATE",  # triangles with two equal corners
    "IMAGE_NPOT_DIMENSIONS",
    "NODE_EMPTY",  # joints that carry nothing and have no children
    "UNUSED_MESH_TANGENT",  # tangents without a normal map
    "UNUSED_OBJECT",  # texture coordinates without a texture; the skin of a skeleton without a mesh
}
# Warnings of pictures, whose bytes are those of the file that was loaded: colour profiles, say.
OF_PICTURES = {"IMAGE_FEATURES_UNSUPPORTED"}
# three.js plays these: no textures, which need a browser; additive clips are no poses, grids nlerp.
PLAYED = ("humanoid", "twisted_bar", "two_bone_tube", "no_mesh", "many_joints", "odd_names", "mirrored",
          "flat", "repeated_rows", "all_tracks")  # fmt: skip
PLAYED_ASSETS = ("khronos/Fox.glb", "godot/player.glb", "kaykit/Med_General.glb", "raylib/robot.glb",
                 "quaternius/animals_pack/Wolf.glb", "khronos/CesiumMan.glb")  # fmt: skip


def run(script: str, stdin: str) -> Any:
    """Run a script of tests/node; give the JSON it prints."""
    done = subprocess.run(["node", script, "-"], cwd=NODE, input=stdin, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def saved_assets() -> dict[str, bytes]:
    """All real files that load, saved again."""
    result = {}
    for path in asset_files("characters", "features", "robustness"):
        try:
            character = lissom.load(path)
        except GltfError:
            continue
        if len(character.skeleton):
            result[asset_id(path)] = lissom.save_glb(character)
    return result


@pytest.fixture(scope="session")
def reports(tmp_path_factory) -> dict[str, list[dict[str, Any]]]:
    """What the validator says of each file, in one run."""
    folder = tmp_path_factory.mktemp("saved")
    files = {name: lissom.save_glb(make()) for name, make in CASES.items()} | saved_assets()
    files["broken"] = files["humanoid"].replace(b'"LINEAR"', b'"LINEAR!"').replace(b'"VEC4"', b'"VEC5"')
    paths = {}
    for number, (name, data) in enumerate(files.items()):
        path = folder / f"{number}.glb"
        path.write_bytes(data)
        paths[str(path)] = name
    return {paths[path]: issues for path, issues in run("validate.js", "\n".join(paths)).items()}


def _is_true_of_the_character(issue: dict[str, Any]) -> bool:
    if issue["code"] in OF_PICTURES:
        return issue["pointer"].startswith("/images/")
    return issue["code"] in REMARKS and issue["severity"] >= 2


def test_the_validator_finds_no_fault(reports):
    faults = {
        name: [issue for issue in issues if not _is_true_of_the_character(issue)][:3]
        for name, issues in reports.items()
        if name != "broken"
    }
    assert not {name: issues for name, issues in faults.items() if issues}
    assert len(reports) > len(CASES)
    if HAS_ALL:
        assert len(reports) > 120


def test_the_validator_would_find_one(reports):
    assert any(issue["severity"] == 0 for issue in reports["broken"])


def clips_of(name: str) -> lissom.Character:
    """A character that is played; of a real one skeleton and clips alone, for it has textures."""
    if name in CASES:
        return CASES[name]()
    whole = lissom.load(ASSETS / "characters" / name)
    return lissom.Character(name, whole.skeleton, None, None, whole.clips)


@pytest.fixture(scope="session")
def played(tmp_path_factory) -> dict[str, tuple[lissom.Character, dict[str, Any], dict[str, Any]]]:
    """Characters, the times at which three.js played their clips, and where it put the joints; in one run."""
    folder = tmp_path_factory.mktemp("played")
    tasks, characters = [], {}
    assets = [name for name in PLAYED_ASSETS if (ASSETS / "characters" / name).is_file()]
    for number, name in enumerate([*PLAYED, *assets]):
        character = clips_of(name)
        path = folder / f"{number}.glb"
        lissom.save_glb(character, path)
        times = {
            clip.name: (clip.start + clip.duration * np.array([0.1, 0.43, 0.92])).tolist()
            for clip in character.clips.values()
            if not clip.additive
        }
        tasks.append({"file": str(path), "count": len(character.skeleton), "times": times})
        characters[str(path)] = (name, character, times)
    answers = run("play.js", json.dumps(tasks))
    return {name: (character, times, answers[path]) for path, (name, character, times) in characters.items()}


@pytest.mark.parametrize("name", PLAYED + PLAYED_ASSETS)
def test_three_js_puts_the_joints_where_we_do(played, name):
    if name in PLAYED_ASSETS:
        asset(f"characters/{name}")  # or the test is skipped
    character, times, answers = played[name]
    assert set(answers) == set(times)
    moved = 0.0
    for clip, seconds in times.items():
        poses = character.clips[clip].sample(np.array(seconds), loop=False).astype(np.float64)
        expected = character.skeleton.model_matrices(poses)
        got = np.array(answers[clip]).reshape(expected.shape).swapaxes(-1, -2)
        places, axes = (..., slice(0, 3), 3), (..., slice(0, 3), slice(0, 3))
        for part, size in ((places, character.skeleton.size), (axes, np.abs(expected[axes]).max())):
            np.testing.assert_allclose(got[part], expected[part], rtol=0, atol=1e-4 * size, err_msg=clip)
        moved = max(moved, np.ptp(expected, axis=0).max())
    assert moved > 0 or not times
