# SPDX-License-Identifier: MIT
"""Meshes without a skin become characters: weights, influences, a file that Khronos' validator accepts."""

import ast
import contextlib
import json
import re
import shutil
import subprocess
import warnings
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import lissom
from conftest import ASSETS, HAS_ALL, not_committed
from glb_contents import unskinned
from saved_characters import CASES

NODE = Path(__file__).parents[1] / "node"
# One of each body: the others are these at another resolution.
MESHES = [
    path
    for path in sorted((ASSETS / "meshes").glob("*.obj"))
    if path.stem not in ("penguin", "spot_control_mesh")
]
PAGE = Path(__file__).parents[2] / "docs" / "howto" / "rig-a-mesh.md"
METHODS = {
    "heat": {},
    "inverse_distance": {},
    # Coarse: the mesh is what is tried here. A skeleton of a human does not stand inside a penguin.
    "bounded_biharmonic": {"cells": 12, "tolerance": 0.01, "outside": "move"},
}
MANY_VERTICES = 3000  # from here on a mesh is not weighed by distances, which know nothing of its triangles
# Of severity "information": remarks on the mesh itself, or on joints that carry nothing.
REMARKS = {"ACCESSOR_INDEX_TRIANGLE_DEGENERATE", "NODE_EMPTY"}


def read_obj(path):
    """Positions and triangles of a Wavefront file; polygons become fans."""
    positions, triangles = [], []
    for line in path.read_text().splitlines():
        words = line.split()
        if words[:1] == ["v"]:
            positions.append([float(word) for word in words[1:4]])
        elif words[:1] == ["f"]:
            corners = [int(word.split("/")[0]) - 1 for word in words[1:]]
            triangles += [[corners[0], b, c] for b, c in pairwise(corners[1:])]
    return np.array(positions), np.array(triangles)


def run_page(folder):
    """Run docs/howto/rig-a-mesh.md except for its pictures; return what it defines."""
    text = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE))
    assert text.count("cells=48") == 1
    code = ast.parse(text.replace("cells=48", "cells=16"))  # a picture wants 48
    code.body = [step for step in code.body if "lissom.render" not in ast.unparse(step)]
    names = {}
    (folder / "unskinned.glb").write_bytes(unskinned(lissom.save_glb(lissom.samples.humanoid())))
    with contextlib.chdir(folder):
        exec(compile(code, PAGE.name, "exec"), names)
    return names


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """What the page makes of the sample, and real meshes rigged with the sample's skeleton, saved."""
    folder = tmp_path_factory.mktemp("rigged")
    page = run_page(folder)
    sample = lissom.samples.humanoid()
    surfaces = {}
    for path in MESHES:
        positions, triangles = read_obj(path)
        surfaces[path.stem] = (page["fitted"](positions, sample.skeleton), triangles)
    walking = sample.clips["walk"].sample([0.1, 0.4])
    saved = {folder / f"{name}.glb": (page[name], walking) for name in ("hero", "smooth")}
    saved[folder / "starfish.glb"] = page["star"], page["pose"][None]
    for name, surface in surfaces.items():
        for method, options in METHODS.items():
            if method == "inverse_distance" and len(surface[0]) > MANY_VERTICES:
                continue
            compute = getattr(lissom.weights, method)
            with warnings.catch_warnings():  # a human hardly stands inside a scorpion
                warnings.filterwarnings("ignore", "weights.heat: .* vertices see no bone", RuntimeWarning)
                hero, _, _ = page["rigged"](name, lissom.Mesh(*surface), sample.skeleton, compute, **options)
            path = folder / f"{name}_{method}.glb"
            lissom.save_glb(hero, path, clips=[sample.clips["walk"]])
            saved[path] = hero, walking
    return saved


def test_rigged_meshes_rest_where_they_were_and_move(files) -> None:
    for path, (hero, poses) in files.items():
        rest = hero.deform(hero.skeleton.rest)
        np.testing.assert_allclose(rest, hero.mesh.positions, atol=2e-6 * hero.size, err_msg=path.stem)
        moved = hero.deform(poses)
        assert np.isfinite(moved).all()
        assert np.linalg.norm(moved - rest, axis=-1).max() > 0.05 * hero.size, path.stem


def test_files_load_again_with_the_same_influences(files) -> None:
    for path, (hero, poses) in files.items():
        again = lissom.load(path)
        expected = hero.deform(poses)  # by the method that the file keeps
        np.testing.assert_allclose(again.deform(poses), expected, atol=1e-5 * hero.size)
        count = {"hero": 5, "smooth": 5, "starfish": 0}.get(
            path.stem, 1
        )  # the page saves all of the sample's
        assert len(again.clips) == count, path.stem


@pytest.mark.skipif(not HAS_ALL, reason=not_committed("meshes"))
def test_real_meshes_are_there(files) -> None:
    assert len(MESHES) >= 4
    made = [path.stem for path in files]
    for path in MESHES:
        assert {f"{path.stem}_heat", f"{path.stem}_bounded_biharmonic"} <= set(made)
    assert sum(name.endswith("_inverse_distance") for name in made) >= 2


def test_a_file_without_a_skin_keeps_its_looks() -> None:
    """Textures, their coordinates, normals and parts go from the file into the rigged one."""
    textured = CASES["textured"]()
    loaded = lissom.load(unskinned(lissom.save_glb(textured))).mesh
    np.testing.assert_allclose(loaded.positions, textured.mesh.positions, atol=1e-6)
    count = loaded.vertex_count
    bound = loaded.with_weights(np.tile([0, 1], (count, 1)), np.full((count, 2), 0.5))
    hero = lissom.Character("hero", textured.skeleton, bound, textured.skin)
    again = lissom.load(lissom.save_glb(hero), strict=True).mesh
    assert [part.texture for part in again.parts] == [part.texture for part in textured.mesh.parts]
    assert not any(part.rigid for part in again.parts)
    for name in ("triangles", "uvs"):
        np.testing.assert_array_equal(getattr(again, name), getattr(textured.mesh, name))
    for name in ("normals", "tangents"):
        np.testing.assert_allclose(getattr(again, name), getattr(textured.mesh, name), atol=1e-6)


@pytest.mark.tree
@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed: apt-get install nodejs npm")
@pytest.mark.skipif(not (NODE / "node_modules").is_dir(), reason="no tests/node/node_modules; run: make test")
def test_the_validator_accepts_them(files) -> None:
    names = "\n".join(map(str, files))
    done = subprocess.run(["node", "validate.js", "-"], cwd=NODE, input=names, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    reports = json.loads(done.stdout)
    assert len(reports) == len(files)
    faults = {
        name: [issue for issue in issues if issue["code"] not in REMARKS or issue["severity"] < 2][:3]
        for name, issues in reports.items()
    }
    assert not {name: issues for name, issues in faults.items() if issues}


def test_heat_tells_the_legs_of_the_sample_apart(files) -> None:
    """The rigged sample's trousers: what the left leg moves lies on the left."""
    hero, _ = next(saved for path, saved in files.items() if path.stem == "hero")
    trousers = next(part for part in lissom.samples.humanoid().mesh.parts if part.name == "Trousers").vertices
    row = list(hero.skin.joints).index(hero.skeleton.index("LowerLeg.L"))
    shares = (hero.mesh.weights * (hero.mesh.indices == row)).sum(axis=1)[trousers]
    assert hero.mesh.positions[trousers][shares > 0.05, 0].min() > 0
    assert shares.max() > 0.95


def test_computed_weights_are_near_the_authored_ones(files) -> None:
    """The sample's own weights, made from its anatomy: the same joints where it matters, in this order."""
    hero = lissom.samples.humanoid()
    bones = lissom.weights.bones(hero.skeleton)
    authored = np.zeros((hero.mesh.vertex_count, len(bones.skin_joints)))
    np.add.at(authored, (np.arange(len(authored))[:, None], hero.mesh.indices), hero.mesh.weights)
    apart = {}
    for method in METHODS:
        options = {"cells": 40} if method == "bounded_biharmonic" else {}
        computed = bones.per_joint(getattr(lissom.weights, method)(hero.mesh, bones, **options))
        apart[method] = 0.5 * np.abs(computed - authored).sum(axis=1).mean()
    assert apart["bounded_biharmonic"] < 0.18
    assert apart["heat"] < 0.25
    assert apart["heat"] < 0.9 * apart["inverse_distance"]
