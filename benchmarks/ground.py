# SPDX-License-Identifier: MIT
"""How fast are rays cast onto triangles, beside Embree (embreex) and trimesh's own rtree?

One thread, processor time, the Python call included; every answer is compared before it is timed. Embree
computes in float32; it is asked for distances and normals, as lissom gives them in float64, and for the index
of the triangle alone, which spares it writing them. rtree gives indices alone. The rays go straight
down onto a terrain of 100 352 triangles, in the order of a grid, then shuffled; then at any slant into one of
999 698 (without rtree, whose tree of that many takes half a minute). The bars: ahead of embreex in each of
them, and in the order of a grid a hundred times rtree."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from _bench import Bench, require
from _measure import Run
from lissom.ground import HeightField, TriangleMesh

require("embreex", "trimesh", "rtree")
import trimesh  # noqa: E402
from embreex.mesh_construction import TriangleMesh as EmbreeMesh  # noqa: E402
from embreex.rtcore_scene import EmbreeScene  # noqa: E402
from trimesh.ray.ray_triangle import RayMeshIntersector  # noqa: E402

LACKS = "distances and normals"
SIDE = 20.0  # metres
TOLERANCE = 2e-5  # metres: what Embree's float32 leaves at this size
RAYS = 100_000
SLOW_RAYS = 300  # for the rival that is measured in milliseconds each


def make_terrain(rng: np.random.Generator, count: int) -> HeightField:
    places = np.linspace(0, SIDE, count)
    hills = np.sin(places)[:, None] * np.cos(1.3 * places) + 0.02 * rng.normal(size=(count, count))
    return HeightField(hills, SIDE / (count - 1))


def rays_down(rng: np.random.Generator, count: int) -> tuple[Any, Any]:
    places = np.linspace(0.1, SIDE - 0.1, int(count**0.5))
    xs, zs = np.meshgrid(places, places)
    origins = np.stack([xs, np.full_like(xs, 5.0), zs], axis=-1).reshape(-1, 3)
    return origins, np.tile([0.0, -1.0, 0.0], (len(origins), 1))


def rays_slanted(rng: np.random.Generator, count: int) -> tuple[Any, Any]:
    origins = rng.uniform([0, 2, 0], [SIDE, 4, SIDE], (count, 3))
    ways = rng.normal(size=(count, 3))
    ways[:, 1] = -np.abs(ways[:, 1])
    return origins, ways / np.linalg.norm(ways, axis=1, keepdims=True)


def seconds_of(call: Any) -> float:
    begin = time.process_time()
    call()
    return time.process_time() - begin


def distances_of(corners: Any, hits: Any, origins: Any, ways: Any) -> Any:
    """Work out how far the planes of the triangles that were hit are; inf where none was."""
    a, b, c = np.moveaxis(corners[hits], 1, 0)
    faces = np.cross(b - a, c - a)
    with np.errstate(divide="ignore", invalid="ignore"):
        far = np.einsum("ij,ij->i", faces, a - origins) / np.einsum("ij,ij->i", faces, ways)
    return np.where(hits >= 0, far, np.inf)


def compared(what: str, ours: Any, theirs: Any) -> None:
    same = np.isfinite(ours) == np.isfinite(theirs)
    assert same.mean() > 0.9999, what  # except for rays that graze the border, or a hill, in float32
    found = np.isfinite(ours) & np.isfinite(theirs)
    off = np.abs(ours[found] - theirs[found]) > TOLERANCE
    assert off.mean() < 1e-3, (what, off.mean())


def measure(
    bench: Bench, label: str, field: HeightField, rays: list[tuple[str, Any, Any]], with_rtree: bool
) -> None:
    positions, triangles = field.triangles()
    narrow = positions.astype(np.float32)
    corners = narrow.astype(float)[triangles]

    def embree() -> Any:
        scene = EmbreeScene()
        EmbreeMesh(scene, narrow, triangles.astype(np.int32))
        scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))  # which builds its tree
        return scene

    bench.table(
        f"{label}, {len(triangles)} triangles: making the tree",
        {"lissom": lambda: TriangleMesh(narrow, triangles), "embreex": embree},
        len(triangles),
        "triangle",
    )
    scene, mesh = embree(), TriangleMesh(narrow, triangles)
    for name, origins, ways in rays:
        points, units = origins.astype(np.float32), ways.astype(np.float32)
        ours = mesh(origins, ways)[0]
        compared(name, ours, distances_of(corners, scene.run(points, units), origins, ways))
        told = scene.run(points, units, output=True)
        compared(name, ours, np.where(told["primID"] >= 0, told["tfar"], np.inf))
        runs: dict[str, Any] = {
            "lissom": lambda origins=origins, ways=ways: mesh(origins, ways),
            "embreex": lambda points=points, units=units: scene.run(points, units, output=True),
            "embreex, indices alone": Run(
                lambda points=points, units=units: scene.run(points, units), lacks=LACKS
            ),
        }
        if name.startswith("down"):
            runs["lissom.HeightField"] = lambda origins=origins, ways=ways: field(origins, ways)
        if with_rtree:
            rtree = RayMeshIntersector(trimesh.Trimesh(narrow, triangles, process=False))
            few = slice(None, None, len(origins) // SLOW_RAYS)
            which = rtree.intersects_first(origins[few], ways[few])  # which builds its tree
            compared(name, ours[few], distances_of(corners, which, origins[few], ways[few]))
            runs["trimesh with rtree"] = Run(
                lambda rtree=rtree, part=(origins[few], ways[few]): rtree.intersects_first(*part),
                items=len(which),
                lacks=LACKS,
            )
        title = f"{label}, {len(triangles)} triangles: {name}"
        table = bench.table(title, runs, len(origins), "ray")
        table.judge_ratio("embreex", "lissom", 1)
        if with_rtree and name == "down":
            table.judge_ratio("trimesh with rtree", "lissom", 100)


def main(bench: Bench) -> None:
    bench.one_thread()
    rng = np.random.default_rng(1)
    count = 10_000 if bench.quick else RAYS
    down = rays_down(rng, count)
    order = rng.permutation(len(down[0]))
    shuffled = down[0][order], down[1][order]
    measure(bench, "terrain", make_terrain(rng, 225), [("down", *down), ("down, shuffled", *shuffled)], True)
    side = 250 if bench.quick else 708
    measure(bench, "large terrain", make_terrain(rng, side), [("slanted", *rays_slanted(rng, count))], False)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
