# SPDX-License-Identifier: MIT
"""Meshes without a skin become characters: weights, influences, a file that Khronos' validator accepts."""

import json
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import lissom
from conftest import ASSETS, NO_ASSETS

NODE = Path(__file__).parent / "node"
MESHES = sorted((ASSETS / "meshes").glob("*.obj"))
METHODS = ("heat", "inverse_distance")
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


def rig(name, positions, triangles, skeleton, method, clips=()):
    """As docs/howto/rig-a-mesh.md has it."""
    bones = lissom.weights.bones(skeleton)
    weights = bones.per_joint(getattr(lissom.weights, method)((positions, triangles), bones))
    indices, values, _ = lissom.weights.reduce(weights, 4, surface=(positions, triangles))
    mesh = lissom.Mesh(positions, triangles, indices, values)
    return lissom.Character(name, skeleton, mesh, bones.skin, clips)


def fitted(positions, skeleton):
    """The mesh in the box of the skeleton's joints, as high as that."""
    joints = skeleton.positions(skeleton.rest)
    scale = np.ptp(joints[:, 1]) / np.ptp(positions[:, 1])
    middle = 0.5 * (positions.min(axis=0) + positions.max(axis=0))
    return (positions - middle) * scale + 0.5 * (joints.min(axis=0) + joints.max(axis=0))


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The sample's mesh and the real ones, rigged with the sample's skeleton by each method, saved."""
    folder = tmp_path_factory.mktemp("rigged")
    sample = lissom.samples.humanoid()
    surfaces = {"sample": (sample.mesh.positions, sample.mesh.triangles)}
    for path in MESHES:
        positions, triangles = read_obj(path)
        surfaces[path.stem] = (fitted(positions, sample.skeleton), triangles)
    saved = {}
    for name, surface in surfaces.items():
        for method in METHODS:
            hero = rig(name, *surface, sample.skeleton, method, sample.clips.values())
            path = folder / f"{name}_{method}.glb"
            lissom.save_glb(hero, path, clips=["walk"])
            saved[path] = hero
    return saved


def test_rigged_meshes_rest_where_they_were_and_move(files) -> None:
    for path, hero in files.items():
        rest = hero.deform(hero.skeleton.rest)
        np.testing.assert_allclose(rest, hero.mesh.positions, atol=2e-6 * hero.size, err_msg=path.stem)
        moved = hero.deform(hero.clips["walk"].sample([0.1, 0.4]))
        assert np.isfinite(moved).all()
        assert np.linalg.norm(moved - rest, axis=-1).max() > 0.05 * hero.size, path.stem


def test_files_load_again_with_the_same_influences(files) -> None:
    for path, hero in files.items():
        again = lissom.load(path)
        pose = hero.clips["walk"].sample(0.3)
        np.testing.assert_allclose(
            again.deform(again.clips["walk"].sample(0.3)), hero.deform(pose), atol=1e-5 * hero.size
        )


def test_real_meshes_are_there(files) -> None:
    if not MESHES:
        pytest.skip(NO_ASSETS)
    assert len(files) == len(METHODS) * (1 + len(MESHES))
    assert len(MESHES) >= 6


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
    hero = next(hero for path, hero in files.items() if path.stem == "sample_heat")
    trousers = next(part for part in lissom.samples.humanoid().mesh.parts if part.name == "Trousers").vertices
    row = list(hero.skin.joints).index(hero.skeleton.index("LowerLeg.L"))
    shares = (hero.mesh.weights * (hero.mesh.indices == row)).sum(axis=1)[trousers]
    assert hero.mesh.positions[trousers][shares > 0.05, 0].min() > 0
    assert shares.max() > 0.95


def test_computed_weights_are_near_the_authored_ones() -> None:
    """The sample's own weights, made from its anatomy, against heat: the same joints where it matters."""
    hero = lissom.samples.humanoid()
    bones = lissom.weights.bones(hero.skeleton)
    computed = bones.per_joint(lissom.weights.heat(hero.mesh, bones))
    authored = np.zeros_like(computed)
    np.add.at(authored, (np.arange(len(authored))[:, None], hero.mesh.indices), hero.mesh.weights)
    apart = 0.5 * np.abs(computed - authored).sum(axis=1)
    assert apart.mean() < 0.25
    other = bones.per_joint(lissom.weights.inverse_distance(hero.mesh, bones))
    assert apart.mean() < 0.9 * (0.5 * np.abs(other - authored).sum(axis=1)).mean()
