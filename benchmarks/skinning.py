# SPDX-License-Identifier: MIT
"""How fast is skinning, beside what else a Python user could run?

    python benchmarks/skinning.py [--vertices 100000]

One mesh, 4 influences per vertex, 64 palette rows, positions and normals, float32 in and out, one thread
unless said; times include the Python call. Every instruction set this machine runs is measured in a process
of its own beside the same rivals, all in turn round by round. All answers are asserted before any is timed.

Rivals: careful lines of numba (fastmath, four influences written out), usd-core's SkinPoints and SkinNormals,
which work in place and so on a fresh copy each time, plain NumPy, and a copy of as many bytes as skinning has
to read and write (what memory alone would allow).

1.8 ns a vertex, linear, is out of reach of an AMD EPYC of Zen 4, whose 512-bit operations take two turns: to
load four rows and four weights of each vertex and to sum them up takes 2.0 ns alone, and 2.6 with the
transposition that brings the sums of 16 vertices into lanes; moving and storing comes on top.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import lissom
from _bench import Bench
from _measure import Run
from _skinning_case import INFLUENCES, NUMPY, TOLERANCE, make_case
from lissom import _core

METHODS = ("linear", "dual_quat", "cor")
# Products and sums of an item: the blend of a matrix by four weights, a point, a normal and its length.
OPERATIONS = {"linear": 12 * 7 + 18 + 15 + 9}


def usd_rivals(case: dict[str, np.ndarray]) -> dict[str, Callable[[], object]]:
    from pxr import Gf, UsdSkel, Vt

    # USD multiplies row vectors, so its matrices are the transposed ones. Its calls work in place: each time
    # from a fresh copy, whose cost (two arrays) is a small part.
    palette = Vt.Matrix4dArray.FromNumpy(case["matrices"].transpose(0, 2, 1).astype(np.float64).copy())
    rotations = Vt.Matrix3dArray.FromNumpy(
        case["matrices"][:, :3, :3].transpose(0, 2, 1).astype(np.float64).copy()
    )
    joints = Vt.IntArray.FromNumpy(case["indices"].astype(np.int32).ravel())
    weights = Vt.FloatArray.FromNumpy(case["weights"].ravel())
    points = Vt.Vec3fArray.FromNumpy(case["positions"])
    normals = Vt.Vec3fArray.FromNumpy(case["normals"])
    identity = Gf.Matrix4d(1.0), Gf.Matrix3d(1.0)

    def run(method: object) -> Callable[[], object]:
        def skin() -> object:
            out, out_normals = Vt.Vec3fArray(points), Vt.Vec3fArray(normals)
            assert UsdSkel.SkinPoints(method, identity[0], palette, joints, weights, INFLUENCES, out, True)
            assert UsdSkel.SkinNormals(
                method, identity[1], rotations, joints, weights, INFLUENCES, out_normals, True
            )
            return np.asarray(out), np.asarray(out_normals)

        return skin

    return {
        "linear": run(UsdSkel.Tokens.classicLinear),
        "dual_quat": run(UsdSkel.Tokens.dualQuaternion),
    }


def our_runs(case: dict[str, np.ndarray]) -> dict[str, Callable[[], Any]]:
    mesh = lissom.Mesh(
        case["positions"],
        np.zeros((0, 3), np.uint32),
        case["indices"],
        case["weights"],
        normals=case["normals"],
    )
    outs = {
        method: tuple(np.empty_like(case[name]) for name in ("positions", "normals")) for method in METHODS
    }
    duals, centers = case["dual_quats"], case["centers"]
    return {
        "linear": lambda: lissom.skin_linear(mesh, case["matrices"], normals=True, out=outs["linear"]),
        "dual_quat": lambda: lissom.skin_dual_quat(mesh, duals, normals=True, out=outs["dual_quat"]),
        "cor": lambda: lissom.skin_cor(mesh, duals, centers=centers, normals=True, out=outs["cor"]),
    }


def with_threads(count: int, run: Callable[[], Any]) -> Callable[[], Any]:
    def call() -> Any:
        lissom.set_thread_count(count)
        return run()

    return call


def measure(bench: Bench) -> None:
    """Measure this process's instruction set beside all rivals, method by method."""
    bench.one_thread()
    count = bench.options.vertices
    case = make_case(count)
    ours = our_runs(case)
    rivals: dict[str, dict[str, Callable[[], Any]]] = {}
    if bench.has("numba"):
        from _skinning_numba import numba_rivals

        rivals["numba"] = numba_rivals(case)
    if bench.has("pxr"):
        rivals["usd-core"] = usd_rivals(case)
    rivals["NumPy"] = {method: (lambda run=run: run(case)) for method, run in NUMPY.items()}
    for method in METHODS:
        expected = NUMPY[method](case)
        runs: dict[str, Run] = {"lissom": Run(with_threads(1, ours[method]))}
        if (os.cpu_count() or 1) > 1:
            runs["lissom, all threads"] = Run(with_threads(0, ours[method]), clock=time.perf_counter)
        for name, calls in rivals.items():
            if method in calls:
                lacks = "normals of unit length" if (name, method) == ("usd-core", "linear") else ""
                runs[name] = Run(calls[method], lacks=lacks)
        for name, run in runs.items():
            assert run.call is not None
            for got, wanted in zip(run.call(), expected, strict=True):
                if run.lacks and wanted is expected[1]:
                    got = got / np.linalg.norm(got, axis=1, keepdims=True)
                error = float(np.abs(got - wanted).max())
                assert error < TOLERANCE, f"{name}, {method} is {error:g} off plain NumPy"
        # What skinning must read (positions, normals, weights, indices) and write (positions, normals).
        bench.table(
            f"{method}, {_core.isa()}",
            runs,
            count,
            "vertex",
            moved=24 + 6 * INFLUENCES + 24 + 12 * (method == "cor"),
            operations=OPERATIONS.get(method, 0),
        )


def main(bench: Bench) -> None:
    if bench.options.one:
        measure(bench)
        return
    for isa in lissom.show_config("dicts")["instruction_sets"]:  # type: ignore[attr-defined]
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "one.json")
            command = [sys.executable, __file__, *sys.argv[1:], "--one", "--json", str(path)]
            subprocess.run(command, env=os.environ | {"LISSOM_ISA": isa}, check=True)
            bench.absorb(path)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--vertices", type=int, default=100_000)
    bench.argument("--one", action="store_true", help="this process's instruction set alone")
    bench.run(main)
