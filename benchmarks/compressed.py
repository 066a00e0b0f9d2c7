# SPDX-License-Identifier: MIT
"""How much longer does a compressed character take to load than its decoder alone?

Usage: python benchmarks/compressed.py [FILE ...]

Each file becomes a large character: its mesh several times, side by side, with the same skin and clips. Twins
of it are loaded: as it is; as gltfpack writes it without compression, and with (meshopt; tests/node has it);
with its vertices compressed by DracoPy, as hard as glTF-Transform does. Beside them stand the decoders alone,
in one run on the same streams: lissom's own calls of meshoptimizer, the npm package in node, and DracoPy.
Times of loading are of the processor.

Two bars. Draco: loading takes at most 1.5 times as long as the decoder alone, which does most of the work.
meshopt: its decoders take a fifteenth of the time, and the rest (clips, skins, arrays) is that of a file
without compression, so no multiple of the decoders alone can be a bar. What compression may add can: loading
takes at most 1.2 times as long as the plain twin and the decoders together.

Answers are compared before they are timed. Without node, gltfpack or
DracoPy the tables that need them are left out.
"""

from __future__ import annotations

import base64
import json
import struct
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lissom
from _bench import Bench
from _measure import PART, Run
from _node import NodeRival
from lissom import _core

ROOT = Path(__file__).resolve().parents[1]
NODE = ROOT / "tests" / "node"
ASSETS = ROOT.parent / "shared" / "assets" / "characters"
FILES = ["quaternius/cyberpunk_pack/Character.glb", "kaykit/Knight.glb"]
VERTICES = 100_000
DRACO_BAR = 1.5  # of the decoder alone
MESHOPT_BAR = 1.2  # of the plain twin and the decoders together
EXT = "EXT_meshopt_compression"
DRACO = "KHR_draco_mesh_compression"


def enlarged(path: Path, vertices: int) -> lissom.Character:
    """The character with its mesh several times, side by side, until it has enough vertices."""
    hero = lissom.load(path)
    mesh = hero.mesh
    copies = -(-vertices // mesh.vertex_count)
    shift = np.arange(copies)[:, None, None] * np.float32([0.01 * hero.size, 0, 0])
    starts = np.arange(copies, dtype=np.uint32)[:, None, None] * np.uint32(mesh.vertex_count)
    large = lissom.Mesh(
        (mesh.positions + shift).reshape(-1, 3).astype(np.float32),
        (mesh.triangles + starts).reshape(-1, 3),
        np.tile(mesh.indices, (copies, 1)),
        np.tile(mesh.weights, (copies, 1)),
        normals=np.tile(mesh.normals, (copies, 1)),
        uvs=None if mesh.uvs is None else np.tile(mesh.uvs, (copies, 1)),
    )
    return lissom.Character(path.stem, hero.skeleton, large, hero.skin, list(hero.clips.values()))


def split(data: bytes) -> tuple[dict[str, Any], bytes]:
    length = struct.unpack_from("<I", data, 12)[0]
    return json.loads(data[20 : 20 + length]), data[28 + length :]


def joined(root: dict[str, Any], binary: bytes) -> bytes:
    text = json.dumps(root).encode()
    text += b" " * (-len(text) % 4)
    binary += bytes(-len(binary) % 4)
    chunks = (
        struct.pack("<II", len(text), 0x4E4F534A)
        + text
        + struct.pack("<II", len(binary), 0x004E4942)
        + binary
    )
    return struct.pack("<4sII", b"glTF", 2, 12 + len(chunks)) + chunks


def gltfpack(source: Path, target: Path, *options: str) -> bytes:
    script = NODE / "node_modules" / "gltfpack" / "cli.js"
    subprocess.run(["node", script, "-i", source, "-o", target, "-kn", *options], check=True, stdout=-3)
    return target.read_bytes()


def meshopt_tasks(data: bytes) -> list[dict[str, Any]]:
    root, binary = split(data)
    tasks = []
    for view in root["bufferViews"]:
        told = view.get("extensions", {}).get(EXT)
        if told:
            start = told.get("byteOffset", 0)
            stream = np.frombuffer(binary[start : start + told["byteLength"]], np.uint8)
            place = (told["mode"], told.get("filter", "NONE"), told["count"], told["byteStride"])
            tasks.append({"stream": stream, "place": place})
    return tasks


def decode_all(tasks: list[dict[str, Any]], outs: list[np.ndarray]) -> None:
    for task, out in zip(tasks, outs, strict=True):
        assert _core.meshopt_decode(task["stream"], *task["place"], out) == ""


def in_node(tasks: list[dict[str, Any]]) -> NodeRival:
    """The npm decoder, whose call decodes all streams; the answer: what it decodes them to."""
    said = [
        {
            "stream": base64.b64encode(task["stream"].tobytes()).decode(),
            **dict(zip(("mode", "filter", "count", "stride"), task["place"], strict=True)),
        }
        for task in tasks
    ]
    return NodeRival("_compressed_meshopt.mjs", {"streams": said})


def elements(root: dict[str, Any], binary: bytes, index: int) -> np.ndarray:
    one = root["accessors"][index]
    view = root["bufferViews"][one["bufferView"]]
    dtype = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[one["componentType"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[one["type"]]
    start = view.get("byteOffset", 0) + one.get("byteOffset", 0)
    return np.frombuffer(binary, dtype, one["count"] * width, start).reshape(-1, width)


def draco_twin(data: bytes) -> tuple[bytes, bytes]:
    """The file with its one primitive in a Draco stream, and the stream."""
    import DracoPy

    root, binary = split(data)
    (primitive,) = root["meshes"][0]["primitives"]
    arrays = {name: elements(root, binary, index) for name, index in primitive["attributes"].items()}
    generic = [name for name in arrays if name.startswith(("JOINTS", "WEIGHTS"))]
    stream = DracoPy.encode(
        arrays["POSITION"],
        elements(root, binary, primitive["indices"]).reshape(-1, 3).astype(np.uint32),
        quantization_bits=14,
        normals=arrays["NORMAL"].astype(float),
        tex_coord=arrays["TEXCOORD_0"].astype(float) if "TEXCOORD_0" in arrays else None,
        compression_level=5,  # as glTF-Transform writes
        generic_attributes={number: arrays[name] for number, name in enumerate(generic)},
    )
    kinds = {0: "POSITION", 1: "NORMAL", 3: "TEXCOORD_0"}
    decoded = DracoPy.decode(stream)
    numbers = {name: number for number, name in enumerate(generic)}
    numbers |= {
        kinds[a["attribute_type"]]: a["unique_id"] for a in decoded.attributes if a["attribute_type"] in kinds
    }
    for name in numbers:
        one = root["accessors"][primitive["attributes"][name]]
        one["count"] = len(decoded.points)
        del one["bufferView"]
        one.pop("byteOffset", None)
    indices = root["accessors"][primitive["indices"]]
    indices["count"] = decoded.faces.size
    del indices["bufferView"]
    used = {one["bufferView"] for one in root["accessors"] if "bufferView" in one}
    kept = bytearray()
    for number, view in enumerate(root["bufferViews"]):  # without the data that the stream replaces
        start, length = view.get("byteOffset", 0), view["byteLength"] if number in used else 4
        view |= {"byteOffset": len(kept), "byteLength": length}
        kept += binary[start : start + length] + bytes(-length % 4)
    binary = bytes(kept)
    root["bufferViews"].append({"buffer": 0, "byteOffset": len(binary), "byteLength": len(stream)})
    root["buffers"][0]["byteLength"] = len(binary) + len(stream)
    primitive["extensions"] = {DRACO: {"bufferView": len(root["bufferViews"]) - 1, "attributes": numbers}}
    root["extensionsUsed"] = root["extensionsRequired"] = [DRACO]
    return joined(root, binary + stream), stream


def same(one: lissom.Character, other: lissom.Character, tolerance: float) -> None:
    """Both move alike: their boxes and middles in one pose."""
    clip = next(iter(one.clips.values()))
    poses = [hero.clips[clip.name].sample((clip.start + clip.end) / 2) for hero in (one, other)]
    first, second = one.deform(poses[0]), other.deform(poses[1])
    for reduce in (np.min, np.max):
        np.testing.assert_allclose(reduce(first, 0), reduce(second, 0), atol=tolerance * one.size)


def report(bench: Bench, path: Path, folder: Path) -> None:
    hero = enlarged(path, 20_000 if bench.quick else VERTICES)
    source = folder / "large.glb"
    lissom.save_glb(hero, source)
    bench.note(
        f"{path.stem}: {hero.mesh.vertex_count} vertices, {len(hero.clips)} clips, "
        f"{source.stat().st_size >> 10} KiB"
    )
    if bench.has("gltfpack", "meshoptimizer"):
        with_meshopt(bench, path.stem, hero, source)
    if bench.has("DracoPy"):
        with_draco(bench, path.stem, hero, source.read_bytes())


def with_meshopt(bench: Bench, name: str, hero: lissom.Character, source: Path) -> None:
    plain = gltfpack(source, source.with_name("quantised.glb"), "-af", "0")
    packed = gltfpack(source, source.with_name("packed.glb"), "-af", "0", "-cc")
    same(hero, lissom.load(packed), 2e-3)
    tasks = meshopt_tasks(packed)
    outs = [np.empty(task["place"][2] * task["place"][3], np.uint8) for task in tasks]
    decode_all(tasks, outs)
    size = sum(len(out) for out in outs)
    with in_node(tasks) as node:
        for out, theirs in zip(outs, node.answer, strict=True):
            assert out.tobytes() == base64.b64decode(theirs)
        bench.table(
            f"{name}: the streams of meshopt alone",
            {
                "lissom's decoders": lambda: decode_all(tasks, outs),
                "meshoptimizer of npm, in node": node.run(),
            },
            size,
            "byte",
        )
    whole = source.read_bytes()
    load(bench, f"{name}: meshopt", plain, packed, lambda: decode_all(tasks, outs), whole)


def with_draco(bench: Bench, name: str, hero: lissom.Character, data: bytes) -> None:
    import DracoPy

    twin, stream = draco_twin(data)
    same(hero, lissom.load(twin), 1e-3)
    load(bench, f"{name}: Draco", data, twin, lambda: DracoPy.decode(stream).faces)


def load(
    bench: Bench,
    title: str,
    plain: bytes,
    packed: bytes,
    decode: Callable[[], object],
    whole: bytes | None = None,
) -> None:
    """Time loading beside the plain twin and the decoder alone, of which it should be the sum.

    `whole` is the character before gltfpack quantised it, where the plain twin is quantised, too.
    """
    decoder, twin, before = "the decoder alone", "lissom, the plain twin", "lissom, before gltfpack"
    runs: dict[str, Any] = {
        "lissom": lambda: lissom.load(packed),
        twin: lambda: lissom.load(plain),
        decoder: Run(decode, kind=PART),
    }
    if whole is not None:
        runs[before] = lambda: lissom.load(whole)
    table = bench.table(f"{title}, loading", runs, 1, "file")
    total = table.seconds(twin) + table.seconds(decoder)
    sizes = (len(data) / 1024 for data in (plain, packed))
    for which, size in zip(("plain", "compressed"), sizes, strict=True):
        bench.number(f"file, {which}", size, "KiB", table.title)
    added = table.seconds("lissom") / total
    if whole is None:
        bench.number("load / (plain twin + decoder)", added, "", table.title)
    else:
        bench.judge("load / (plain twin + decoder)", added, MESHOPT_BAR, "x", table=table.title)
    if whole is not None:
        total = table.seconds(before) + table.seconds(decoder)
        share = table.seconds("lissom") / total
        bench.number("load / (before gltfpack + decoder)", share, "", table.title)
    ratio = table.ratio("lissom", decoder)
    if whole is None:
        bench.judge("load / decoder", ratio, DRACO_BAR, "x", table=table.title)
    else:
        bench.number("load / decoder", ratio, "", table.title)


def main(bench: Bench) -> None:
    paths = bench.files([ASSETS / name for name in FILES])
    bench.one_thread()
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            report(bench, path, Path(folder))


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("files", nargs="*", metavar="FILE")
    bench.run(main)
