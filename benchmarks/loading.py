# SPDX-License-Identifier: MIT
"""How long does a character take to load and to save, beside a bare reader and pygltflib?

Usage: python benchmarks/loading.py [FILE ...]

The bare reader decodes JSON with msgspec into typed structs and views each accessor with np.frombuffer: no
checks, no hierarchy, no merging. It is what any reader in Python has to do at least. pygltflib is measured
where it is installed; its save only joins what it has loaded, and decodes nothing. All others decode all
geometry, skins and samplers; images stay encoded. Answers are compared before they are timed.
"""

import struct
import sys
import time
from collections.abc import Callable
from pathlib import Path

import msgspec
import numpy as np

import lissom

ASSETS = Path(__file__).resolve().parents[2] / "shared" / "assets" / "characters"
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


def best(function: Callable[[], object], seconds: float = 1.5) -> float:
    """Milliseconds of the fastest call, once warm."""
    function()
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 3:
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return 1e3 * min(times)


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or [ASSETS / name for name in FILES]
    missing = [str(path) for path in paths if not path.is_file()]
    if missing:
        sys.exit(f"not there: {', '.join(missing)}; name GLB files to load instead")
    try:
        import pygltflib  # noqa: F401
    except ImportError:
        others = {}
        print("pygltflib is not installed: left out")
    else:
        others = {"pygltflib": (with_pygltflib, pygltflib_saver)}
    print(
        f"{'file':16} {'lissom ms':>10} {'bare ms':>9} {'ratio':>7} {'save ms':>9}",
        *(f"{name:>14} {'its save':>14}" for name in others),
    )
    for path in paths:
        check(path)
        ours = best(lambda path=path: lissom.load(path))
        theirs = best(lambda path=path: bare(path))
        character = lissom.load(path)
        check_saved(character)
        save = best(lambda character=character: lissom.save_glb(character))
        rest = []
        for read, saver in others.values():
            rest.append(best(lambda path=path, read=read: read(path)) / ours)
            rest.append(best(saver(path)) / save)
        print(
            f"{path.stem:16} {ours:10.2f} {theirs:9.2f} {ours / theirs:6.2f}x {save:9.2f}",
            *(f"{ratio:9.1f}x ours" for ratio in rest),
        )


if __name__ == "__main__":
    main()
