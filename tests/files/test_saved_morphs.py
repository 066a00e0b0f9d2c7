# SPDX-License-Identifier: MIT
"""Morph targets in saved files: what comes back, how large they are, and what three.js makes of them."""

import json
import shutil
import struct

import numpy as np
import pytest

import lissom
from conftest import ASSETS
from lissom import Morphs, save_glb
from morphed_characters import NAMES, faced, with_morphs
from test_save_glb_outside import NODE, run

ARRAYS = ("offsets", "vertices", "positions", "normals", "tangents", "defaults")
TUBE = lissom.samples.two_bone_tube()


def contents(data: bytes) -> dict:
    return json.loads(data[20 : 20 + struct.unpack_from("<I", data, 12)[0]])


def assert_same(got: Morphs, wanted: Morphs) -> None:
    assert got.names == wanted.names
    for name in ARRAYS:
        mine, its = getattr(got, name), getattr(wanted, name)
        assert (mine is None) == (its is None), name
        if its is not None:
            np.testing.assert_array_equal(mine, its, err_msg=name)


@pytest.mark.parametrize("share", [0.02, 0.5, 1.0])
def test_targets_come_back_to_the_bit(share: float) -> None:
    hero = faced(share=share)
    data = save_glb(hero, clips=[])
    again = lissom.load(data, strict=True)
    assert_same(again.mesh.morphs, hero.mesh.morphs)
    pose = hero.skeleton.rest
    np.testing.assert_allclose(again.deform(pose), hero.deform(pose), atol=1e-6)


@pytest.mark.skipif(not (ASSETS / "wild").exists(), reason="the assets of others are not here")
@pytest.mark.parametrize(
    "name", ["wild/morph/quaternius/RobotExpressive.glb", "wild/morph/khronos/MorphStressTest.gltf"]
)
def test_targets_of_others_come_back(name: str) -> None:
    hero = lissom.load(ASSETS / name)
    assert_same(lissom.load(save_glb(hero), strict=True).mesh.morphs, hero.mesh.morphs)


def test_accessors_are_sparse_where_that_is_smaller() -> None:
    few, many = faced(TUBE, share=0.05), faced(TUBE, share=0.95)
    plain = len(save_glb(with_morphs(TUBE, None), clips=[]))
    for hero, sparse in ((few, True), (many, False)):
        data = save_glb(hero, clips=[])
        accessors = contents(data)["accessors"]
        assert any("sparse" in accessor for accessor in accessors) == sparse
        morphs = hero.mesh.morphs
        moved = (4 + 3 * 12) * len(morphs.vertices)
        json_size = struct.unpack_from("<I", data, 12)[0]
        assert len(data) - plain < 1.3 * moved + json_size + 16 * hero.mesh.vertex_count


def test_many_small_targets_load_strictly() -> None:
    """Their checks do not fill them up with zeros: 250 MB, of a file of 2 MB."""
    mesh = lissom.samples.humanoid().mesh
    count = 2000
    rows = np.random.default_rng(1).normal(size=(count, 3))
    names = [f"face/{number}" for number in range(count)]
    morphs = Morphs(names, range(count + 1), np.arange(count) % mesh.vertex_count, rows)
    hero = with_morphs(lissom.samples.humanoid(), morphs)
    assert_same(lissom.load(save_glb(hero, clips=[]), strict=True).mesh.morphs, morphs)


def test_what_other_tools_read() -> None:
    hero = faced()
    root = contents(save_glb(hero, clips=[]))
    for mesh in root["meshes"]:
        targets = mesh["primitives"][0]["targets"]
        names = mesh["extras"]["targetNames"]
        assert len(targets) == len(names)
        assert all(set(target) == {"POSITION", "NORMAL", "TANGENT"} for target in targets)
        assert len(mesh["weights"]) == len(names)
        # "face/smile" and "hair/smile" are both in every part, so they have their whole names
        assert "face/smile" in names
    short = with_morphs(TUBE, Morphs(["tube/bulge"], [0, 1], [0], [[1, 0, 0]], defaults=[0.5]))
    (mesh,) = (mesh for mesh in contents(save_glb(short, clips=[]))["meshes"] if "extras" in mesh)
    assert (mesh["extras"]["targetNames"], mesh["weights"]) == (["bulge"], [0.5])


def test_targets_that_move_nothing_are_kept() -> None:
    morphs = Morphs(["a/x", "b/none"], [0, 1, 1], [3], [[0, 1, 0]], defaults=[0, 0.75])
    hero = with_morphs(TUBE, morphs)
    assert_same(lissom.load(save_glb(hero)).mesh.morphs, morphs)
    idle = with_morphs(TUBE, Morphs(["none"], [0, 0], [], []))
    assert_same(lissom.load(save_glb(idle)).mesh.morphs, idle.mesh.morphs)
    empty = with_morphs(TUBE, Morphs([], [0], [], []))
    assert lissom.load(save_glb(empty)).mesh.morphs is None


def test_a_mesh_without_normals_gets_those_that_differences_need() -> None:
    morphs = Morphs(["a"], [0, 1], [3], [[0, 1, 0]], [[1, 0, 0]])
    again = lissom.load(save_glb(with_morphs(TUBE, morphs, normals=None)), strict=True).mesh
    assert_same(again.morphs, morphs)
    assert again.normals is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda root: root["scenes"][0]["extras"]["lissom"]["morphs"].pop(),
        lambda root: root["scenes"][0]["extras"]["lissom"]["morphs"].append("more"),
        lambda root: root["scenes"][0]["extras"]["lissom"].update(morphs=["a", "a", "b"]),
        lambda root: root["nodes"][-1]["extras"]["lissom"].update(morphs=[7]),
        lambda root: root["nodes"][-1]["extras"]["lissom"].update(morphs=[0, 0]),
    ],
)
def test_marks_that_no_longer_fit_are_not_used(change) -> None:
    morphs = Morphs(["a/x", "b/y", "b/z"], [0, 1, 2, 3], [3, 4, 5], np.eye(3))
    data = save_glb(with_morphs(TUBE, morphs), clips=[])
    root = contents(data)
    change(root)
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    length = struct.unpack_from("<I", data, 12)[0]
    rest = data[20 + length :]
    file = struct.pack("<4sIIII", b"glTF", 2, 20 + len(text) + len(rest), len(text), 0x4E4F534A)
    changed = lissom.load(file + text + rest)
    assert [repair.code for repair in changed.repairs] == ["EXTRAS_IGNORED"]
    assert [name.rpartition("/")[2] for name in changed.mesh.morphs.names] == ["x", "y", "z"]
    np.testing.assert_array_equal(changed.mesh.morphs.positions, morphs.positions)


@pytest.mark.tree
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed: apt-get install nodejs npm")
@pytest.mark.skipif(not (NODE / "node_modules").is_dir(), reason="no tests/node/node_modules; run: make test")
def test_three_js_morphs_and_skins_alike(tmp_path) -> None:
    heroes = {"person": faced(), "tube": faced(TUBE, share=0.9)}
    robot = ASSETS / "wild/morph/quaternius/RobotExpressive.glb"
    if robot.is_file():
        heroes["robot"] = lissom.load(robot)
    tasks, expected = [], {}
    rng = np.random.default_rng(6)
    for name, hero in heroes.items():
        path = tmp_path / f"{name}.glb"
        save_glb(hero, path)
        clip = list(hero.clips.values())[1 % len(hero.clips)]
        time = clip.start + 0.37 * clip.duration
        weights = rng.uniform(-0.5, 1.5, len(hero.mesh.morphs))
        nodes = contents(path.read_bytes())["nodes"]
        parts = [number for number, node in enumerate(nodes) if "mesh" in node]
        by_node = {
            number: weights[nodes[number]["extras"]["lissom"].get("morphs", [])].tolist() for number in parts
        }
        tasks.append({"file": str(path), "weights": by_node, "clip": clip.name, "time": time})
        moved = hero.deform(clip.sample(time, loop=False).astype(np.float64), "linear", morphs=weights)
        shares = {
            str(number): moved[part.vertices] for number, part in zip(parts, hero.mesh.parts, strict=True)
        }
        expected[str(path)] = (hero, shares, clip.name)
    answers = run("morph.js", json.dumps(tasks))
    for path, (hero, parts, clip) in expected.items():
        for number, vertices in parts.items():
            got = np.array(answers[path][number]).reshape(-1, 3)
            # three.js skins in float64 by float32 matrices.
            np.testing.assert_allclose(got, vertices, rtol=0, atol=1e-5 * hero.size, err_msg=f"{path} {clip}")
    assert any(len(hero.mesh.morphs) == len(NAMES) for hero in heroes.values())
