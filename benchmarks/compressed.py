# SPDX-License-Identifier: MIT
"""How much longer does a compressed character take to load than its decoder alone?

Usage: python benchmarks/compressed.py [FILE ...]

Each file becomes a large character: its mesh several times, side by side, with the same skin and clips. Twins
of it are loaded: as it is; as gltfpack writes it without compression, and with (meshopt; tests/node has it);
with its vertices compressed by DracoPy, as hard as glTF-Transform does. Beside them stand the decoders alone,
in one run on the same streams: lissom's own calls of meshoptimizer, the npm package in node, and DracoPy.
All times are of the processor. Answers are compared before they are timed.
"""

import base64
import json
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import DracoPy
import numpy as np

import lissom
from lissom import _core

ROOT = Path(__file__).resolve().parents[1]
NODE = ROOT / "tests" / "node"
ASSETS = ROOT.parent / "shared" / "assets" / "characters"
FILES = ["quaternius/cyberpunk_pack/Character.glb", "kaykit/Knight.glb"]
VERTICES = 100_000
EXT = "EXT_meshopt_compression"
DRACO = "KHR_draco_mesh_compression"

TIMER = """
import { readFileSync } from "node:fs";
import { MeshoptDecoder } from "meshoptimizer";
await MeshoptDecoder.ready;
const tasks = JSON.parse(readFileSync(0, "utf8"));
const streams = tasks.map((task) => new Uint8Array(Buffer.from(task.stream, "base64")));
const targets = tasks.map((task) => new Uint8Array(task.count * task.stride));
let best = Infinity;
for (let run = 0; run < 20; run++) {
  const start = process.cpuUsage();
  tasks.forEach((task, i) =>
    MeshoptDecoder.decodeGltfBuffer(targets[i], task.count, task.stride, streams[i], task.mode, task.filter));
  const spent = process.cpuUsage(start);
  best = Math.min(best, spent.user + spent.system);
}
console.log(best / 1e6);
"""


def seconds(work: Callable[[], Any], runs: int = 9) -> float:
    """The quickest of several runs."""
    best = np.inf
    for _ in range(runs):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def enlarged(path: Path) -> lissom.Character:
    """The character with its mesh several times, side by side, until it has enough vertices."""
    hero = lissom.load(path)
    mesh = hero.mesh
    copies = -(-VERTICES // mesh.vertex_count)
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


def decode_all(tasks: list[dict[str, Any]]) -> None:
    for task in tasks:
        out = np.empty(task["place"][2] * task["place"][3], np.uint8)
        assert _core.meshopt_decode(task["stream"], *task["place"], out) == ""


def in_node(tasks: list[dict[str, Any]]) -> float:
    """Seconds of the npm decoder."""
    said = [
        {
            "stream": base64.b64encode(task["stream"].tobytes()).decode(),
            **dict(zip(("mode", "filter", "count", "stride"), task["place"], strict=True)),
        }
        for task in tasks
    ]
    command = ["node", "--input-type=module", "-e", TIMER]
    done = subprocess.run(
        command, cwd=NODE, input=json.dumps(said), capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def elements(root: dict[str, Any], binary: bytes, index: int) -> np.ndarray:
    one = root["accessors"][index]
    view = root["bufferViews"][one["bufferView"]]
    dtype = {5121: "<u1", 5123: "<u2", 5125: "<u4", 5126: "<f4"}[one["componentType"]]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[one["type"]]
    start = view.get("byteOffset", 0) + one.get("byteOffset", 0)
    return np.frombuffer(binary, dtype, one["count"] * width, start).reshape(-1, width)


def draco_twin(data: bytes) -> tuple[bytes, bytes]:
    """The file with its one primitive in a Draco stream, and the stream."""
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


def report(path: Path, folder: Path) -> None:
    hero = enlarged(path)
    source = folder / "large.glb"
    lissom.save_glb(hero, source)
    size = f"{hero.mesh.vertex_count} vertices, {len(hero.clips)} clips, {source.stat().st_size >> 10} KiB"
    print(f"{path.stem}: {size}")

    plain = gltfpack(source, folder / "quantised.glb", "-af", "0")
    packed = gltfpack(source, folder / "packed.glb", "-af", "0", "-cc")
    same(hero, lissom.load(packed), 2e-3)
    tasks = meshopt_tasks(packed)
    whole, base = seconds(lambda: lissom.load(packed)), seconds(lambda: lissom.load(plain))
    data = source.read_bytes()
    uncompressed = seconds(lambda: lissom.load(data))
    alone, npm = seconds(lambda: decode_all(tasks), 30), in_node(tasks)
    row("meshopt", plain, packed, whole, base, alone)
    print(
        f"    the character before gltfpack {1e3 * uncompressed:.1f} ms; load / (that + decoder)"
        f" {whole / (uncompressed + alone):.2f}"
    )
    print(f"    npm meshoptimizer {1e3 * npm:.2f} ms, {npm / alone:.1f} times as long as the decoders here")

    twin, stream = draco_twin(data)
    same(hero, lissom.load(twin), 1e-3)
    whole, base = seconds(lambda: lissom.load(twin)), seconds(lambda: lissom.load(data))
    alone = seconds(lambda: DracoPy.decode(stream).faces)
    row("Draco", data, twin, whole, base, alone)


def row(name: str, plain: bytes, packed: bytes, whole: float, base: float, alone: float) -> None:
    print(
        f"  {name}: {len(plain) >> 10} to {len(packed) >> 10} KiB; load {1e3 * whole:.1f} ms, plain twin"
        f" {1e3 * base:.1f}, decoder alone {1e3 * alone:.2f}; load / (plain twin + decoder)"
        f" {whole / (base + alone):.2f}; load / decoder alone {whole / alone:.2f}"
    )


def main() -> None:
    paths = [Path(name) for name in sys.argv[1:]] or [ASSETS / name for name in FILES]
    with tempfile.TemporaryDirectory() as folder:
        for path in paths:
            report(path, Path(folder))


if __name__ == "__main__":
    main()
