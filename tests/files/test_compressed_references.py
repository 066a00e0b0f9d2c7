# SPDX-License-Identifier: MIT
"""Compressed files of others decode to the vertices and indices that another reader found in them."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from conftest import ASSETS, not_committed
from lissom._files.gltf import container, json_text
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.buffers import Buffers
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.primitives import PrimitiveReader
from lissom._files.gltf.source import open_source
from lissom._formats.budget import Budget

# Both decode the same numbers; normalised integers become float32 here and float64 there.
DIGITS = 6e-8
SUM = 1e-4
# Of the size: skinning in float32, as in test_load.py.
BOX_TOLERANCE = 1e-5


def records() -> list[dict[str, Any]]:
    table = ASSETS / "wild" / "wild.json"
    if not table.is_file():
        return []
    files = json.loads(table.read_text("utf-8"))["files"]
    return [one for one in files if one.get("reference", {}).get("decoded", {}).get("decoders")]


RECORDS = {one["file"]: one for one in records()}
EACH = list(RECORDS) or [pytest.param("none", marks=pytest.mark.skip(reason=not_committed("wild")))]


def geometries(path: Path) -> dict[tuple[int, int], Any]:
    """All primitives of a file in the space of their mesh, by mesh and primitive."""
    log = Log(False)
    source = open_source(path)
    parts = container.split(source, log)
    budget = Budget(len(source.data), partial(refuse, "LIMIT_EXCEEDED"))
    document, tables = json_text.decode(parts.text, log, budget)
    accessors = Accessors(document, tables, Buffers(source, parts, document, log, budget), log)
    reader = PrimitiveReader(document, accessors, log)
    return {
        (number, place): reader.read(primitive, f"/meshes/{number}/primitives/{place}", 0)
        for number, mesh in enumerate(document.meshes)
        for place, primitive in enumerate(mesh.primitives)
    }


@pytest.mark.parametrize("name", EACH)
def test_primitives_are_those_of_the_reference(name: str) -> None:
    found = geometries(ASSETS / "wild" / name)
    for expected in RECORDS[name]["reference"]["decoded"]["primitives"]:
        geometry = found[expected["mesh"], expected["primitive"]]
        positions = geometry.positions.astype(np.float64)
        assert len(positions) == expected["vertices"]
        assert geometry.triangles.size == expected["indices"]
        assert geometry.triangles.max() == expected["index_max"]
        size = np.ptp(positions, axis=0).max()
        close = partial(np.testing.assert_allclose, rtol=0, atol=DIGITS * max(size, 1))
        close(positions.min(axis=0), expected["min"])
        close(positions.max(axis=0), expected["max"])
        close(positions[expected["sample_vertices"]], expected["sample_positions"])
        if "WEIGHTS_0_sum" in expected:
            sums = geometry.weights.astype(np.float64).sum(axis=1)
            assert [sums.min(), sums.max()] == pytest.approx(expected["WEIGHTS_0_sum"], abs=SUM)


@pytest.mark.parametrize("name", EACH)
def test_vertices_at_rest_lie_in_the_box_of_the_reference(name: str) -> None:
    box = RECORDS[name]["reference"]["skin"]["rest"]["all_mesh_nodes"]
    hero = lissom.load(ASSETS / "wild" / name)
    vertices = hero.deform(hero.skeleton.rest)
    size = np.linalg.norm(np.subtract(box["max"], box["min"]))
    low, high = vertices.min(axis=0), vertices.max(axis=0)
    if any(repair.code == "SCENE_LEFT_OUT" for repair in hero.repairs):  # the box is that of all scenes
        assert (low >= box["min"]).all()
        assert (high <= box["max"]).all()
        return
    for got, expected in ((low, box["min"]), (high, box["max"])):
        np.testing.assert_allclose(got, expected, rtol=0, atol=BOX_TOLERANCE * size)
