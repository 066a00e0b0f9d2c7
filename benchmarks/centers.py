# SPDX-License-Identifier: MIT
"""How long do optimised centres of rotation take to precompute?

A long tube of smooth weights, four joints per vertex, no two rows of weights alike: the hardest kind of
character. The rival is the same sum in NumPy, over the pairs of joints that a vertex has, on a sample of the
vertices; it also checks the answer.
"""

from __future__ import annotations

import time

import numpy as np

import lissom
from _bench import Bench
from _measure import Run

SIGMA = 0.1
JOINTS = 25
TOLERANCE = 1e-6  # of coordinates up to 10, in float32


def snake(vertex_count: int) -> lissom.Mesh:
    """Return a tube of length 10 along x on JOINTS joints in a row, no two rows of weights alike."""
    sides = max(8, round((vertex_count / 8) ** 0.5))
    rings = vertex_count // sides
    rng = np.random.default_rng(0)
    x = np.repeat(np.linspace(0, 10, rings), sides) + rng.uniform(-0.002, 0.002, rings * sides)
    angle = np.tile(2 * np.pi * np.arange(sides) / sides, rings)
    positions = np.stack([x, 0.4 * np.cos(angle), 0.4 * np.sin(angle)], axis=-1)
    i, k = np.meshgrid(np.arange(rings - 1), np.arange(sides), indexing="ij")
    a, b = (i * sides + k).ravel(), (i * sides + (k + 1) % sides).ravel()
    triangles = np.concatenate([np.stack([a, b, b + sides], -1), np.stack([a, b + sides, a + sides], -1)])
    joint_x = np.linspace(0, 10, JOINTS)
    closeness = np.exp(-(((x[:, None] - joint_x) / 0.4) ** 2)) + 1e-6
    nearest = np.sort(np.argpartition(-closeness, 4, axis=1)[:, :4], axis=1)
    weights = np.take_along_axis(closeness, nearest, 1)
    return lissom.Mesh(positions, triangles, nearest, weights / weights.sum(axis=1, keepdims=True))


def numpy_centers(mesh: lissom.Mesh, chosen: np.ndarray) -> np.ndarray:
    """Return the centres of some vertices, from the formula; no edge of the mesh needs dividing."""
    dense = np.zeros((mesh.vertex_count, JOINTS))
    np.add.at(dense, (np.arange(mesh.vertex_count)[:, None], mesh.indices.astype(np.int64)), mesh.weights)
    corners = mesh.positions.astype(np.float64)[mesh.triangles]
    means = dense[mesh.triangles].mean(axis=1)
    areas = np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1) / 2
    centroids = corners.mean(axis=1)
    edges = dense[mesh.triangles] - dense[np.roll(mesh.triangles, 1, axis=1)]
    assert np.linalg.norm(edges, axis=-1).max() <= 0.1
    centers = np.empty((len(chosen), 3))
    for row, vertex in enumerate(chosen):
        joints = np.flatnonzero(dense[vertex])
        share = np.zeros(len(means))
        for i, j in enumerate(joints):
            for k in joints[:i]:
                p, q, x, y = dense[vertex, j], dense[vertex, k], means[:, j], means[:, k]
                share += 2 * p * q * x * y * np.exp(-(((p * y - q * x) / SIGMA) ** 2))
        share *= areas
        centers[row] = share @ centroids / share.sum()
    return centers


def main(bench: Bench) -> None:
    tube = snake(bench.options.vertices)
    chosen = np.random.default_rng(1).choice(tube.vertex_count, bench.options.sample, replace=False)
    expected = numpy_centers(tube, chosen)
    error = np.abs(tube.centers_of_rotation(SIGMA)[chosen] - expected).max()
    assert error < TOLERANCE, f"off by {error:g}"

    def run(mesh: lissom.Mesh, threads: int) -> Run:
        def call() -> None:
            lissom.set_thread_count(threads)
            mesh.centers_of_rotation(sigmas.pop())

        # A sigma that is not kept, so that each call computes.
        sigmas = list(SIGMA * (1 + 1e-9 * np.arange(1, 10_000)))
        return Run(call, clock=time.process_time if threads else time.perf_counter)

    for name, mesh in (("smooth tube, 4 joints", tube), ("sample:humanoid", lissom.samples.humanoid().mesh)):
        runs = {"lissom": run(mesh, 1), "lissom, all threads": run(mesh, 0)}
        if mesh is tube:
            runs["NumPy, a sample of the vertices"] = Run(
                lambda: numpy_centers(tube, chosen), items=len(chosen), clock=time.process_time
            )
        title = f"{name}, {mesh.vertex_count} vertices"
        bench.table(title, runs, mesh.vertex_count, "vertex")
    lissom.set_thread_count(0)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--vertices", type=int, default=13_000)
    bench.argument("--sample", type=int, default=20, help="vertices that NumPy computes")
    bench.run(main)
