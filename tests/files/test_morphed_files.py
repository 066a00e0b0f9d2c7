# SPDX-License-Identifier: MIT
"""Files of others with morph targets: morphed and skinned vertices against a reader of its own."""

import base64
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

import lissom
from draco_assets import streams
from draco_files import EXTENSION
from meshopt_streams import EXT
from node_tools import NODE, ask, base64_of
from reference.morphs import File

ASSETS = Path(__file__).resolve().parents[3] / "shared" / "assets"
WILD = ASSETS / "wild" / "wild.json"
# Of the size: what the project promises of skinned vertices in float32.
BOUND = 2e-6
MOST_ACTIVE = 12  # targets of a mesh at once: each is read for all vertices

pytestmark = pytest.mark.skipif(not WILD.exists(), reason="the assets of others are not here")


# Broken on purpose: refused, or of meshes that no node carries. test_gltf_corpus.py has what each does.
BROKEN = ("robustness/gltf-validator/", "robustness/magnum-plugins/")


def files_with_morphs() -> list[str]:
    files = [path for path in sorted(ASSETS.rglob("*.*")) if path.suffix in (".glb", ".gltf", ".vrm")]
    names = [path.relative_to(ASSETS).as_posix() for path in files if b'"targets"' in path.read_bytes()]
    return [name for name in names if not name.startswith(BROKEN)]


FILES = files_with_morphs()


def decode(file: File, path: Path) -> None:
    """Have the decoders of npm decode what is compressed in a file."""
    views = file.json.get("bufferViews", [])
    said = {
        number: view["extensions"][EXT]
        for number, view in enumerate(views)
        if EXT in view.get("extensions", {})
    }
    used = file.json.get("extensionsUsed", [])
    for name, package in ((EXT, "meshoptimizer"), (EXTENSION, "draco3dgltf")):
        if name in used and not (NODE / "node_modules" / package).is_dir():
            pytest.skip(f"no {package} in tests/node/node_modules; run: make test")
    if said:
        tasks = []
        for one in said.values():
            start = one.get("byteOffset", 0)
            stream = file.buffers[one["buffer"]][start : start + one["byteLength"]]
            place = {"mode": one["mode"], "filter": one.get("filter", "NONE"), "count": one["count"]}
            tasks.append({"stream": base64_of(stream), "stride": one["byteStride"], **place})
        for number, answer in zip(said, ask("meshopt.js", tasks), strict=True):
            file.decoded[number] = base64.b64decode(answer["bytes"])
    if EXTENSION in used:
        found = streams(path)
        for (mesh, place), answer in zip(found, ask("draco.js", list(found.values())), strict=True):
            primitive = file.json["meshes"][mesh]["primitives"][place]
            for name, values in answer["values"].items():
                file.elements[primitive["attributes"][name]] = np.reshape(values, (answer["points"], -1))


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
def test_vertices_are_those_of_the_twin(name: str, tmp_path: Path) -> None:
    file = File(ASSETS / name)
    meshes, nodes = file.json["meshes"], dict(enumerate(file.json["nodes"]))
    drawn = {number: meshes[node["mesh"]]["primitives"] for number, node in nodes.items() if "mesh" in node}
    first = next(n for n, primitives in drawn.items() if any("targets" in one for one in primitives))
    path = in_scene(ASSETS / name, first, tmp_path)
    decode(file, path)
    hero = lissom.load(path)
    if any(repair.code == "SCENE_LEFT_OUT" for repair in hero.repairs):
        drawn = {number: each for number, each in drawn.items() if number in hero.skeleton.source_nodes}
    rng = np.random.default_rng(4)
    by_node = {}
    for number, primitives in drawn.items():
        count = max((len(primitive.get("targets", [])) for primitive in primitives), default=0)
        if count:
            values = rng.uniform(-0.5, 1.5, count)
            values[rng.permutation(count)[MOST_ACTIVE:]] = 0
            by_node[number] = values.tolist()
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
            for number, primitives in drawn.items():
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
