# SPDX-License-Identifier: MIT
"""How fast are rays cast onto triangles, beside Embree (embreex) and trimesh's own rtree?

One thread, processor time, the Python call included; every answer is compared before it is timed. Embree
computes in float32 and gives the index of the triangle alone: its distances are worked out from that here,
untimed. lissom gives distances and normals in float64. The rays go straight down onto a terrain of 100 352
triangles, in the order of a grid, then shuffled; then at any slant into one of 999 698 (without rtree, whose
tree of that many takes half a minute). The claim: in the order of a grid a hundred times rtree.
Run: make bench."""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import lissom
from _measure import best, row
from lissom.ground import HeightField, TriangleMesh

try:
    import trimesh
    from embreex.mesh_construction import TriangleMesh as EmbreeMesh
    from embreex.rtcore_scene import EmbreeScene
    from trimesh.ray.ray_triangle import RayMeshIntersector
except ImportError:
    sys.exit("this benchmark needs embreex, trimesh and rtree: uv pip install --group bench")

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


def measure(label: str, field: HeightField, rays: list[tuple[str, Any, Any]]) -> None:
    positions, triangles = field.triangles()
    narrow = positions.astype(np.float32)
    corners = narrow.astype(float)[triangles]
    print(f"{label}: {len(triangles)} triangles")

    def embree() -> Any:
        scene = EmbreeScene()
        EmbreeMesh(scene, narrow, triangles.astype(np.int32))
        scene.run(np.zeros((1, 3), np.float32), np.ones((1, 3), np.float32))  # which builds its tree
        return scene

    rival = min(seconds_of(embree) for _ in range(3))
    row("  made: embreex", rival, len(triangles), "triangle")
    mine = min(seconds_of(lambda: TriangleMesh(narrow, triangles)) for _ in range(3))
    row("  made: lissom", mine, len(triangles), "triangle", rival)
    scene, mesh = embree(), TriangleMesh(narrow, triangles)
    rtree = None
    if len(triangles) < 500_000:
        rtree = RayMeshIntersector(trimesh.Trimesh(narrow, triangles, process=False))
        rtree.intersects_first(*(part[:1] for part in rays[0][1:]))  # which builds its tree
    for name, origins, ways in rays:
        points, units = origins.astype(np.float32), ways.astype(np.float32)
        ours = mesh(origins, ways)[0]
        compared(name, ours, distances_of(corners, scene.run(points, units), origins, ways))
        theirs = best(lambda: scene.run(points, units), 5, clock=time.process_time)  # noqa: B023
        row(f"  {name}: embreex", theirs, len(origins), "ray")
        mine = best(lambda: mesh(origins, ways), 5, clock=time.process_time)  # noqa: B023
        row(f"  {name}: lissom", mine, len(origins), "ray", theirs)
        if name.startswith("down"):
            upright = best(lambda: field(origins, ways), 5, clock=time.process_time)  # noqa: B023
            row(f"  {name}: lissom, HeightField", upright, len(origins), "ray", theirs)
        if rtree is not None:
            few = slice(None, None, len(origins) // SLOW_RAYS)
            begin = time.process_time()
            which = rtree.intersects_first(origins[few], ways[few])
            slow = (time.process_time() - begin) * len(origins) / len(which)
            compared(name, ours[few], distances_of(corners, which, origins[few], ways[few]))
            row(f"  {name}: trimesh with rtree", slow, len(origins), "ray", theirs)
            print(f"  {name}: lissom is {slow / mine:.0f} times as fast as rtree")
            assert name != "down" or slow > 100 * mine


def main() -> None:
    lissom.set_thread_count(1)
    rng = np.random.default_rng(1)
    down = rays_down(rng, RAYS)
    order = rng.permutation(len(down[0]))
    shuffled = down[0][order], down[1][order]
    measure("terrain", make_terrain(rng, 225), [("down", *down), ("down, shuffled", *shuffled)])
    measure("large terrain", make_terrain(rng, 708), [("slanted", *rays_slanted(rng, RAYS))])


if __name__ == "__main__":
    main()
