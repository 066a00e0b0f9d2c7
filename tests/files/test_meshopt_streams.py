# SPDX-License-Identifier: MIT
"""Streams of meshopt decode to the bytes that meshoptimizer's own JavaScript decoder gives."""

import base64
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import ASSETS, asset_id
from glb_contents import contents
from lissom import _core
from node_tools import ask, base64_of, needs_node

pytestmark = needs_node("meshoptimizer")
RNG = np.random.default_rng(7)


def layout(mode: str, count: int, stride: int, filter: str = "NONE", **more: Any) -> dict[str, Any]:
    return {"mode": mode, "count": count, "stride": stride, "filter": filter, **more}


def vertices() -> list[dict[str, Any]]:
    """Walks, which an encoder makes short, and noise, which it cannot."""
    tasks = []
    for stride in (4, 8, 12, 16, 20, 64, 256):
        for count in (1, 15, 16, 17, 255, 256, 257, 700):
            walk = np.cumsum(RNG.integers(-3, 4, (count, stride // 2)), axis=0).astype("<i2").tobytes()
            noise = RNG.integers(0, 256, count * stride, dtype=np.uint8).tobytes()
            for data in (walk, noise):
                tasks.append(
                    layout("ATTRIBUTES", count, stride, data=base64_of(data), version=len(tasks) % 2)
                )
    return tasks


def indices() -> list[dict[str, Any]]:
    """Corners of a grid, of a grid that begins anew, of noise; as triangles and as sequences."""
    corners = np.arange(2000) // 20 * 21 + np.arange(2000) % 20
    grid = np.stack([corners, corners + 1, corners + 21, corners + 21, corners + 1, corners + 22], 1).ravel()
    lists = [grid, np.concatenate([grid % 900] * 2), RNG.integers(0, 65_000, 3000)]
    return [
        layout(mode, len(each), stride, data=base64_of(each.astype(f"<u{stride}").tobytes()))
        for each in lists
        for mode in ("TRIANGLES", "INDICES")
        for stride in (2, 4)
    ]


def filtered() -> list[dict[str, Any]]:
    """Unit vectors, quaternions, numbers of any size and colours, by filters of all precisions."""
    units = RNG.normal(size=(400, 4)).astype(np.float32)
    normals = units / np.linalg.norm(units[:, :3], axis=1, keepdims=True)
    normals[:, 3] = np.sign(units[:, 3])
    normals[:6, :3] = np.concatenate([np.eye(3), -np.eye(3)])
    turns = units / np.linalg.norm(units, axis=1, keepdims=True)
    turns[:4] = np.eye(4)
    colors = RNG.random((400, 4), dtype=np.float32)
    cases = [("OCTAHEDRAL", normals, stride, bits) for stride, bits in ((4, 8), (4, 5), (8, 16), (8, 12))]
    cases += [("QUATERNION", turns, 8, bits) for bits in (16, 12, 4)]
    cases += [("COLOR", colors, stride, bits) for stride, bits in ((4, 8), (8, 16), (8, 10))]
    for stride, bits in ((4, 24), (12, 15), (16, 4)):
        numbers = RNG.normal(size=(400, stride // 4)) * 10.0 ** RNG.integers(-30, 30, (400, stride // 4))
        numbers[:2] = 0
        cases.append(("EXPONENTIAL", numbers.astype(np.float32), stride, bits))
    return [
        layout("ATTRIBUTES", 400, stride, name, floats=base64_of(values.tobytes()), bits=bits, version=1)
        for name, values, stride, bits in cases
    ]


def decoded(task: dict[str, Any], stream: bytes) -> bytes:
    place = (task["mode"], task["filter"], task["count"], task["stride"])
    source = np.frombuffer(stream, np.uint8)
    assert _core.meshopt_fault(source, *place) == ""
    out = np.empty(task["count"] * task["stride"], np.uint8)
    assert _core.meshopt_decode(source, *place, out) == ""
    return out.tobytes()


def compare(tasks: list[dict[str, Any]]) -> None:
    for task, answer in zip(tasks, ask("meshopt.js", tasks), strict=True):
        assert "error" not in answer, answer
        stream = base64.b64decode(answer["stream"])
        assert decoded(task, stream) == base64.b64decode(answer["bytes"]), layout(
            task["mode"], task["count"], task["stride"], task["filter"]
        )


@pytest.mark.parametrize("kind", [vertices, indices, filtered])
def test_streams_of_the_encoder_decode_to_the_same_bytes(kind: Any) -> None:
    compare(kind())


def meshopt_files() -> list[Path]:
    folders = [ASSETS / "wild" / "compressed", ASSETS / "wild" / "morph" / "valid"]
    files = [path for folder in folders for path in sorted(folder.rglob("*.glb"))]
    return [path for path in files if b"EXT_meshopt_compression" in path.read_bytes()]


@pytest.mark.parametrize("path", meshopt_files() or [Path("none")], ids=asset_id)
def test_views_of_real_files_decode_to_the_same_bytes(path: Path) -> None:
    if not path.is_file():
        pytest.skip(
            "no files compressed by meshopt among the assets; set LISSOM_ASSETS to the folder with all"
        )
    data = path.read_bytes()
    root = contents(data)
    start = 28 + int.from_bytes(data[12:16], "little")  # of the BIN chunk's data
    tasks = []
    for view in root["bufferViews"]:
        told = view.get("extensions", {}).get("EXT_meshopt_compression")
        if told is not None:
            first = start + told.get("byteOffset", 0)
            stream = data[first : first + told["byteLength"]]
            more = {"stream": base64_of(stream)}
            name = told.get("filter", "NONE")
            tasks.append(layout(told["mode"], told["count"], told["byteStride"], name, **more))
    assert tasks
    compare(tasks)
