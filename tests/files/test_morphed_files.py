# SPDX-License-Identifier: MIT
"""Files of others with morph targets: morphed and skinned vertices against a reader of its own."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import lissom
from reference.morphs import File

ASSETS = Path(__file__).resolve().parents[3] / "shared" / "assets"
WILD = ASSETS / "wild" / "wild.json"
# Of the size: what the project promises of skinned vertices in float32.
BOUND = 2e-6

pytestmark = pytest.mark.skipif(not WILD.exists(), reason="the assets of others are not here")

FILES = [
    "features/blender-io/01_morphed_triangle/01_morphed_triangle.gltf",
    "features/gltf-rs/box_sparse.glb",
    "features/gltf-rs/box_sparse.gltf",
    "features/khronos/AnimatedMorphCube/AnimatedMorphCube.gltf",
    "features/khronos/MorphPrimitivesTest/MorphPrimitivesTest.gltf",
    "features/khronos/SimpleMorph/SimpleMorph.gltf",
    "wild/morph/babylon/morphLoader.glb",
    "wild/morph/blender-io/01_cs_morph/01_cs_morph.gltf",
    "wild/morph/blender-io/01_morphed_cube/01_morphed_cube.gltf",
    "wild/morph/khronos/AnimatedMorphSphere/AnimatedMorphSphere.gltf",
    "wild/morph/khronos/MorphStressTest.gltf",
    "wild/morph/quaternius/RobotExpressive.glb",
    "wild/morph/vrm-addon/modifier_shapekey_vrm0.vrm",
    "wild/morph/vrm-addon/pose_rotation_scale_shape_key_skinned.vrm",
    "wild/vrm/Godette_vrm_v4.vrm",
]


def parts_of(hero: lissom.Character, node: int) -> list[lissom.Part]:
    """Return the parts that a node carries, in the order of its primitives."""
    (joint,) = np.flatnonzero(hero.skeleton.source_nodes == node)
    name = hero.skeleton.names[joint]
    return [part for part in hero.mesh.parts if part.name == name or part.name.startswith(f"{name}/")]


def stated(one: dict, rule: str | None) -> list[float]:
    """Weights of a primitive in a state of the references, which say of many targets by which rule."""
    if not isinstance(one["weights"], str):
        return one["weights"]
    count = one["targets"]
    return {
        "stored": [0.0] * count,
        "first target 1, others 0": [1.0] + [0.0] * (count - 1),
        "target k at ((37 k + 11) mod 100) / 100 / number of targets": [
            (37 * k + 11) % 100 / 100 / count for k in range(count)
        ],
    }[str(rule)]


def weights_of(hero: lissom.Character, by_node: dict[int, list[float]]) -> np.ndarray:
    weights = np.zeros(len(hero.mesh.morphs))
    for node, values in by_node.items():
        (joint,) = np.flatnonzero(hero.skeleton.source_nodes == node)
        name = f"{hero.skeleton.names[joint]}/"
        numbers = [i for i, each in enumerate(hero.mesh.morphs.names) if each.startswith(name)]
        weights[numbers] = values
    return weights


@pytest.mark.parametrize("name", FILES)
def test_vertices_are_those_of_the_twin(name: str) -> None:
    hero, file = lissom.load(ASSETS / name), File(ASSETS / name)
    rng = np.random.default_rng(4)
    meshes = file.json["meshes"]
    by_node = {}
    for number, node in enumerate(file.json["nodes"]):
        targets = meshes[node["mesh"]]["primitives"][0].get("targets") if "mesh" in node else None
        if targets:
            by_node[number] = rng.uniform(-0.5, 1.5, len(targets)).tolist()
    assert sum(map(len, by_node.values())) == len(hero.mesh.morphs)
    poses = [hero.skeleton.rest.astype(np.float64)]
    if len(hero.clips):
        clip = next(iter(hero.clips.values()))
        poses.append(clip.sample(0.4 * clip.start + 0.6 * clip.end).astype(np.float64))
    weights = weights_of(hero, by_node)
    for pose in poses:
        trs = dict(zip(hero.skeleton.source_nodes.tolist(), pose, strict=True))
        for dtype in (np.float64, np.float32):
            got = hero.deform(pose.astype(dtype), normals="cofactor", morphs=weights)
            for number, node in enumerate(file.json["nodes"]):
                if "mesh" not in node:
                    continue
                primitives = meshes[node["mesh"]]["primitives"]
                for part, primitive in zip(parts_of(hero, number), primitives, strict=True):
                    positions, normals = file.part(number, primitive, by_node.get(number, []), trs)
                    np.testing.assert_allclose(
                        got.positions[part.vertices], positions, rtol=0, atol=BOUND * hero.size
                    )
                    if normals is None:
                        continue
                    # Files store unit normals to a few digits; loading makes them unit.
                    turned = np.einsum("vi,vi->v", got.normals[part.vertices], normals)
                    assert (turned[np.linalg.norm(normals, axis=1) > 0] > 1 - 1e-5).all()


def in_scene(path: Path, node: int, folder: Path) -> Path:
    """Return the file, or a copy whose default scene is the one that has this root node."""
    if path.suffix != ".gltf":
        return path
    root = json.loads(path.read_text())
    scenes = [number for number, scene in enumerate(root["scenes"]) if node in scene["nodes"]]
    if not scenes or root.get("scene", 0) in scenes:
        return path
    shutil.copytree(path.parent, folder, dirs_exist_ok=True)
    copied = folder / path.name
    copied.unlink()
    copied.write_text(json.dumps(root | {"scene": scenes[0]}))
    return copied


REFERENCES = []
if WILD.exists():
    for entry in json.loads(WILD.read_text())["files"]:
        REFERENCES += [
            pytest.param(entry["file"], state, id=f"{entry['file']} {number}")
            for number, state in enumerate(entry.get("reference", {}).get("morph", []))
        ]


@pytest.mark.parametrize(("name", "state"), REFERENCES)
def test_reference_positions_are_met(name: str, state: dict, tmp_path: Path) -> None:
    try:
        hero = lissom.load(in_scene(ASSETS / "wild" / name, state["primitives"][0]["node"], tmp_path))
    except lissom.GltfError as error:
        if "DracoPy" in error.message:  # which is an extra
            pytest.skip(str(error))
        raise
    except ImportError as error:
        pytest.skip(str(error))
    pose = hero.skeleton.rest.astype(np.float64)
    if state.get("clip") in hero.clips:
        pose = hero.clips[state["clip"]].sample(state["t"]).astype(np.float64)
    primitives = state["primitives"]
    weights = weights_of(hero, {one["node"]: stated(one, state.get("weights_rule")) for one in primitives})
    vertices = hero.deform(pose, morphs=weights)
    for node in {one["node"] for one in primitives}:
        parts = parts_of(hero, node)
        for one in (one for one in primitives if one["node"] == node):
            moved = vertices[parts[one["primitive"]].vertices]
            assert len(moved) == one["vertices"]
            atol = BOUND * hero.size
            np.testing.assert_allclose(moved.min(axis=0), one["morphed_world"]["min"], rtol=0, atol=atol)
            np.testing.assert_allclose(moved.max(axis=0), one["morphed_world"]["max"], rtol=0, atol=atol)
            np.testing.assert_allclose(
                moved[one["sample_vertices"]], one["sample_positions"], rtol=0, atol=atol
            )
