# SPDX-License-Identifier: MIT
"""How long does a character take to load and to save, beside a bare reader and pygltflib?

Usage: python benchmarks/loading.py [FILE ...]

three.js is its GLTFLoader in node, on the bytes of the file, whose textures stay as they are. The bare reader
decodes JSON with msgspec into typed structs and views each accessor with np.frombuffer: no checks, no
hierarchy, no merging. It is what any reader in Python has to do at least. pygltflib is measured where it is
installed; its save only joins what it has loaded, and decodes nothing. Nobody decodes an image. Answers are
compared before they are timed.

Then the same of motion capture: BVH beside np.fromstring of its numbers alone, which is as fast as NumPy
reads text and gives neither skeleton nor rotations, and beside pymotion (`upc-pymotion`), where it is
installed, which gives quaternions as we do.
"""

import struct
import warnings
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

import lissom
from _bench import Bench
from _measure import Run
from _node import NodeRival

ASSETS = Path(__file__).resolve().parents[2] / "shared" / "assets" / "characters"
MOTION = ASSETS.parent / "bvh"
MOTION_FILES = ["jumping_jacks.bvh", "zombie.bvh", "01_01.bvh"]
FILES = ["khronos/Fox.glb", "quaternius/animals_pack/Wolf.glb", "kaykit/Knight.glb"]
DTYPES = {5120: "<i1", 5121: "<u1", 5122: "<i2", 5123: "<u2", 5125: "<u4", 5126: "<f4"}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
PATHS = {"translation": 0, "rotation": 1, "scale": 2}


class Accessor(msgspec.Struct):
    componentType: int
    count: int
    type: str
    bufferView: int
    byteOffset: int = 0


class View(msgspec.Struct):
    byteLength: int
    byteOffset: int = 0


class Target(msgspec.Struct):
    path: str
    node: int


class Channel(msgspec.Struct):
    sampler: int
    target: Target


class Sampler(msgspec.Struct):
    input: int
    output: int


class Animation(msgspec.Struct):
    name: str
    channels: list[Channel]
    samplers: list[Sampler]


class Primitive(msgspec.Struct):
    attributes: dict[str, int]
    indices: int = -1


class Mesh(msgspec.Struct):
    primitives: list[Primitive]


class Document(msgspec.Struct):
    accessors: list[Accessor]
    bufferViews: list[View]
    animations: list[Animation]
    meshes: list[Mesh]


def bare(path: Path) -> dict[str, dict[tuple[int, str], tuple[np.ndarray, np.ndarray]]]:
    """Clips as times and values by node and path; geometry is viewed and dropped."""
    data = path.read_bytes()
    (length,) = struct.unpack_from("<I", data, 12)
    document = msgspec.json.decode(data[20 : 20 + length], type=Document)
    binary = memoryview(data)[28 + length :]
    arrays = []
    for accessor in document.accessors:
        width = WIDTHS[accessor.type]
        offset = document.bufferViews[accessor.bufferView].byteOffset + accessor.byteOffset
        array = np.frombuffer(binary, DTYPES[accessor.componentType], accessor.count * width, offset)
        arrays.append(array.reshape(-1, width))
    return {
        animation.name: {
            (channel.target.node, channel.target.path): (
                arrays[animation.samplers[channel.sampler].input],
                arrays[animation.samplers[channel.sampler].output],
            )
            for channel in animation.channels
        }
        for animation in document.animations
    }


def with_pygltflib(path: Path) -> int:
    import pygltflib

    file = pygltflib.GLTF2().load(str(path))
    blob = file.binary_blob()
    arrays = []
    for accessor in file.accessors:
        offset = file.bufferViews[accessor.bufferView].byteOffset + (accessor.byteOffset or 0)
        count = accessor.count * WIDTHS[accessor.type]
        arrays.append(np.frombuffer(blob, DTYPES[accessor.componentType], count, offset))
    return len(arrays)


def pygltflib_saver(path: Path) -> Callable[[], object]:
    import pygltflib

    file = pygltflib.GLTF2().load(str(path))
    return lambda: b"".join(file.save_to_bytes())


def check_saved(character: lissom.Character) -> None:
    """The same poses and vertices, from the saved file."""
    again = lissom.load(lissom.save_glb(character))
    np.testing.assert_array_equal(again.mesh.positions, character.mesh.positions)
    for name, clip in character.clips.items():
        np.testing.assert_array_equal(again.clips[name].at(0.4), clip.at(0.4))


def check(path: Path) -> None:
    """The same keys, read both ways."""
    character, expected = lissom.load(path), bare(path)
    assert set(character.clips) == set(expected)
    for name, clip in character.clips.items():
        assert len(clip.tracks) == len(expected[name])
        keyed = {(node, PATHS[kind]): keys for (node, kind), keys in expected[name].items()}
        for track in clip.tracks:
            times, values = keyed[int(character.skeleton.source_nodes[track["joint"]]), int(track["path"])]
            start, first, count = int(track["times"]), int(track["values"]), int(track["key_count"])
            np.testing.assert_array_equal(clip.keys[start : start + count], times[:, 0])
            np.testing.assert_array_equal(clip.keys[first : first + values.size], values.reshape(-1))


def numbers_alone(text: str) -> np.ndarray:
    """The frames of a BVH file's text, flat."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        return np.fromstring(text[text.index("\n", text.index("Frame Time")) :], sep=" ")


def with_pymotion(path: Path) -> np.ndarray:
    """Quaternions w, x, y, z, shape (F, J, 4), of joints without end sites."""
    from pymotion.io.bvh import BVH

    file = BVH()
    file.load(str(path))
    return file.get_data()[0]


def check_motion(path: Path, has_pymotion: bool) -> None:
    """The same numbers, and the same rotations."""
    text = path.read_text()
    character = lissom.load_bvh(path, units=1.0, up="y")  # as the numbers are
    (clip,) = character.clips.values()
    frames = numbers_alone(text)
    count = int(clip.tracks["key_count"].max())
    poses = clip.sample(clip.keys[:count], loop=False)
    np.testing.assert_array_equal(poses[:, 0, :3], frames.reshape(count, -1)[:, :3].astype(np.float32))
    if has_pymotion:
        joints = [i for i, name in enumerate(character.skeleton.names) if not name.endswith("_end")]
        theirs = np.roll(with_pymotion(path), -1, axis=-1)
        likeness = np.abs(np.sum(poses[:, joints, 3:7] * theirs, axis=-1))
        assert likeness.min() > 1 - 1e-6, likeness.min()  # theirs are 1e-8 short


def files(bench: Bench, path: Path) -> None:
    """Time loading and saving of one file."""
    check(path)
    character = lissom.load(path)
    check_saved(character)
    loading: dict[str, Any] = {"lissom": lambda: lissom.load(path)}
    saving: dict[str, Any] = {"lissom": lambda: lissom.save_glb(character)}
    with ExitStack() as stack:
        if bench.has("three"):
            three = stack.enter_context(NodeRival("_loading_three.mjs", {"file": str(path)}))
            check_three(character, three.answer)
            loading["three.js GLTFLoader"] = three.run(lacks="checks, merged meshes")
        if bench.has("pygltflib"):
            loading["pygltflib"] = Run(
                lambda: with_pygltflib(path), lacks="checks, hierarchy, clips, merged meshes"
            )
            saving["pygltflib"] = Run(pygltflib_saver(path), lacks="encoding: it joins what it has loaded")
        loading["a bare reader, msgspec and NumPy"] = Run(
            lambda: bare(path), lacks="checks, hierarchy, merged meshes, materials"
        )
        bench.table(f"loading {path.name}", loading, 1, "file")
    bench.table(f"saving {path.name}", saving, 1, "file")


def check_three(character: lissom.Character, answer: dict[str, Any]) -> None:
    """The same clips, as long, and as many vertices."""
    assert set(answer["clips"]) == set(character.clips)
    for name, end in answer["clips"].items():
        assert abs(end - character.clips[name].end) < 1e-4, name
    assert answer["vertices"] == character.mesh.vertex_count


def motion(bench: Bench) -> None:
    paths = [MOTION / name for name in MOTION_FILES]
    if not all(path.is_file() for path in paths):
        bench.note(f"no motion capture in {MOTION}: left out")
        return
    has_pymotion = bench.has("pymotion")
    for path in paths:
        check_motion(path, has_pymotion)
        text = path.read_text()
        runs: dict[str, Any] = {"lissom": lambda path=path: lissom.load_bvh(path, units=1.0, up="y")}
        if has_pymotion:
            runs["pymotion"] = lambda path=path: with_pymotion(path)
        runs["np.fromstring of its numbers"] = Run(
            lambda text=text: numbers_alone(text), lacks="skeleton and rotations"
        )
        bench.table(f"loading {path.name}", runs, 1, "file")


def main(bench: Bench) -> None:
    paths = bench.files([ASSETS / name for name in FILES])
    bench.one_thread()
    for path in paths:
        files(bench, path)
    motion(bench)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("files", nargs="*", metavar="FILE")
    bench.run(main)
