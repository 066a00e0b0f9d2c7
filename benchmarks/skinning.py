# SPDX-License-Identifier: MIT
"""How fast is skinning, beside what else a Python user could run?

    python benchmarks/skinning.py [--vertices 100000] [--rounds 30]

One mesh, 4 influences per vertex, 64 palette rows, positions and normals, float32 in and out, one thread
unless said; times include the Python call. Every instruction set this machine runs is measured in a process
of its own beside the same rivals, all in turn round by round; the least time counts. All answers are
asserted before any is timed.

Rivals: careful lines of numba (fastmath, four influences written out), usd-core's SkinPoints and SkinNormals,
plain NumPy, and a copy of as many bytes as skinning has to read and write (what memory alone would allow):
the last column is the share of that rate. Numba and usd-core come with `uv pip install --group bench`; a
missing one is named.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import lissom

ROWS, INFLUENCES = 64, 4
TOLERANCE = 2e-5  # of answers about 2 units in size; the rivals accumulate in float32 in their own order


def make_case(vertex_count: int) -> dict[str, np.ndarray]:
    """Vertices whose influences lie near each other in the palette, as in a character; random rigid rows."""
    rng = np.random.default_rng(0)
    first = np.arange(vertex_count) * (ROWS - 8) // vertex_count
    indices = first[:, None] + rng.permuted(np.tile(np.arange(8), (vertex_count, 1)), axis=1)[:, :INFLUENCES]
    weights = rng.random((vertex_count, INFLUENCES)) + 0.05
    quats = rng.normal(size=(ROWS, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    translations = rng.uniform(-0.5, 0.5, (ROWS, 3))
    normals = rng.normal(size=(vertex_count, 3))
    case = {
        "positions": rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        "normals": normals / np.linalg.norm(normals, axis=1, keepdims=True),
        "weights": weights / weights.sum(axis=1, keepdims=True),
        "centers": rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        "matrices": matrices(quats, translations),
        "dual_quats": dual_quats(quats, translations),
    }
    case = {name: np.ascontiguousarray(array, np.float32) for name, array in case.items()}
    case["indices"] = indices.astype(np.uint16)
    return case


def matrices(quats: np.ndarray, translations: np.ndarray) -> np.ndarray:
    x, y, z, w = quats.T
    result = np.zeros((len(quats), 4, 4))
    result[:, :3, :3] = np.moveaxis(
        np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        ),
        2,
        0,
    )
    result[:, :3, 3] = translations
    result[:, 3, 3] = 1
    return result


def dual_quats(quats: np.ndarray, translations: np.ndarray) -> np.ndarray:
    vector, scalar = quats[:, :3], quats[:, 3:]
    dual = np.concatenate(
        [
            scalar * translations + np.cross(translations, vector),
            -(translations * vector).sum(1, keepdims=True),
        ],
        1,
    )
    return np.concatenate([quats, 0.5 * dual], axis=1)


def numpy_linear(case: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    blend = np.einsum("vk,vkij->vij", case["weights"], case["matrices"][case["indices"], :3])
    positions = np.einsum("vij,vj->vi", blend[:, :, :3], case["positions"]) + blend[:, :, 3]
    normals = np.einsum("vij,vj->vi", blend[:, :, :3], case["normals"])
    return positions, normals / np.linalg.norm(normals, axis=1, keepdims=True)


def numpy_dual_quat(case: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    rows, indices, weights = case["dual_quats"], case["indices"], case["weights"]
    signs = np.where(rows[:, :4] @ rows[:, :4].T < 0, np.float32(-1), np.float32(1))
    pivots = np.take_along_axis(indices, weights.argmax(axis=1)[:, None], 1)
    b = np.einsum("vk,vki->vi", weights * signs[pivots, indices], rows[indices])
    b /= np.linalg.norm(b[:, :4], axis=1, keepdims=True)
    r, w, d, u = b[:, :3], b[:, 3:4], b[:, 4:7], b[:, 7:]
    p, n = case["positions"], case["normals"]
    positions = p + 2 * (np.cross(r, np.cross(r, p) + w * p + d) + w * d - u * r)
    return positions, n + 2 * np.cross(r, np.cross(r, n) + w * n)


def numpy_cor(case: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    quats, indices, weights = case["dual_quats"][:, :4], case["indices"], case["weights"]
    signs = np.where(quats @ quats.T < 0, np.float32(-1), np.float32(1))
    pivots = np.take_along_axis(indices, weights.argmax(axis=1)[:, None], 1)
    q = np.einsum("vk,vki->vi", weights * signs[pivots, indices], quats[indices])
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    r, w, center = q[:, :3], q[:, 3:], case["centers"]
    carried, _ = numpy_linear(case | {"positions": center})

    def rotated(v: np.ndarray) -> np.ndarray:
        return v + 2 * np.cross(r, np.cross(r, v) + w * v)

    return rotated(case["positions"] - center) + carried, rotated(case["normals"])


COPY = "memcpy of the same bytes"
NUMPY = {"linear": numpy_linear, "dual_quat": numpy_dual_quat, "cor": numpy_cor}


def method_in(name: str) -> str:
    """Return the method of a run by its name; a copy is linear's rival."""
    return next((word for word in name.replace(",", "").split() if word in NUMPY), "linear")


def numba_rivals(case: dict[str, np.ndarray]) -> dict[str, Callable[[], object]]:
    import numba

    # Four influences written out and no array per vertex: 1.5 times as fast as a loop over them.
    @numba.njit(fastmath=True)
    def linear(positions, normals, indices, weights, rows, out, out_normals):
        for v in range(positions.shape[0]):
            w0, w1, w2, w3 = weights[v, 0], weights[v, 1], weights[v, 2], weights[v, 3]
            r0, r1 = rows[indices[v, 0]], rows[indices[v, 1]]
            r2, r3 = rows[indices[v, 2]], rows[indices[v, 3]]
            x, y, z = positions[v, 0], positions[v, 1], positions[v, 2]
            a, b, c = normals[v, 0], normals[v, 1], normals[v, 2]
            square = np.float32(0)
            for i in range(3):
                m0 = w0 * r0[i, 0] + w1 * r1[i, 0] + w2 * r2[i, 0] + w3 * r3[i, 0]
                m1 = w0 * r0[i, 1] + w1 * r1[i, 1] + w2 * r2[i, 1] + w3 * r3[i, 1]
                m2 = w0 * r0[i, 2] + w1 * r1[i, 2] + w2 * r2[i, 2] + w3 * r3[i, 2]
                m3 = w0 * r0[i, 3] + w1 * r1[i, 3] + w2 * r2[i, 3] + w3 * r3[i, 3]
                out[v, i] = m0 * x + m1 * y + m2 * z + m3
                normal = m0 * a + m1 * b + m2 * c
                square += normal * normal
                out_normals[v, i] = normal
            scale = np.float32(1) / np.sqrt(square)
            for i in range(3):
                out_normals[v, i] *= scale

    @numba.njit(fastmath=True)
    def signed(weight, row, pivot):
        dot = row[0] * pivot[0] + row[1] * pivot[1] + row[2] * pivot[2] + row[3] * pivot[3]
        return -weight if dot < 0 else weight

    @numba.njit(fastmath=True)
    def dual_quat(positions, normals, indices, weights, rows, out, out_normals):
        for v in range(positions.shape[0]):
            w0, w1, w2, w3 = weights[v, 0], weights[v, 1], weights[v, 2], weights[v, 3]
            r0, r1 = rows[indices[v, 0]], rows[indices[v, 1]]
            r2, r3 = rows[indices[v, 2]], rows[indices[v, 3]]
            pivot, most = r0, w0
            if w1 > most:
                pivot, most = r1, w1
            if w2 > most:
                pivot, most = r2, w2
            if w3 > most:
                pivot = r3
            w0, w1 = signed(w0, r0, pivot), signed(w1, r1, pivot)
            w2, w3 = signed(w2, r2, pivot), signed(w3, r3, pivot)
            x = w0 * r0[0] + w1 * r1[0] + w2 * r2[0] + w3 * r3[0]
            y = w0 * r0[1] + w1 * r1[1] + w2 * r2[1] + w3 * r3[1]
            z = w0 * r0[2] + w1 * r1[2] + w2 * r2[2] + w3 * r3[2]
            w = w0 * r0[3] + w1 * r1[3] + w2 * r2[3] + w3 * r3[3]
            dx = w0 * r0[4] + w1 * r1[4] + w2 * r2[4] + w3 * r3[4]
            dy = w0 * r0[5] + w1 * r1[5] + w2 * r2[5] + w3 * r3[5]
            dz = w0 * r0[6] + w1 * r1[6] + w2 * r2[6] + w3 * r3[6]
            dw = w0 * r0[7] + w1 * r1[7] + w2 * r2[7] + w3 * r3[7]
            s = np.float32(2) / (x * x + y * y + z * z + w * w)
            px, py, pz = positions[v, 0], positions[v, 1], positions[v, 2]
            cx, cy, cz = (
                y * pz - z * py + w * px + dx,
                z * px - x * pz + w * py + dy,
                x * py - y * px + w * pz + dz,
            )
            out[v, 0] = px + s * (y * cz - z * cy + w * dx - dw * x)
            out[v, 1] = py + s * (z * cx - x * cz + w * dy - dw * y)
            out[v, 2] = pz + s * (x * cy - y * cx + w * dz - dw * z)
            px, py, pz = normals[v, 0], normals[v, 1], normals[v, 2]
            cx, cy, cz = y * pz - z * py + w * px, z * px - x * pz + w * py, x * py - y * px + w * pz
            out_normals[v, 0] = px + s * (y * cz - z * cy)
            out_normals[v, 1] = py + s * (z * cx - x * cz)
            out_normals[v, 2] = pz + s * (x * cy - y * cx)

    args = [case[name] for name in ("positions", "normals", "indices", "weights")]
    linear_out, dual_out = outputs(case), outputs(case)

    def run_linear() -> object:
        linear(*args, case["matrices"], *linear_out)
        return linear_out

    def run_dual_quat() -> object:
        dual_quat(*args, case["dual_quats"], *dual_out)
        return dual_out

    return {"linear": run_linear, "dual_quat": run_dual_quat}


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


def outputs(case: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return np.empty_like(case["positions"]), np.empty_like(case["normals"])


def our_runs(case: dict[str, np.ndarray]) -> dict[str, Callable[[], object]]:
    mesh = lissom.Mesh(
        case["positions"],
        np.zeros((0, 3), np.uint32),
        case["indices"],
        case["weights"],
        normals=case["normals"],
    )
    linear_out, dual_out, cor_out = outputs(case), outputs(case), outputs(case)

    def with_threads(count: int, run: Callable[[], object]) -> Callable[[], object]:
        def call() -> object:
            lissom.set_thread_count(count)
            return run()

        return call

    def linear() -> object:
        return lissom.skin_linear(mesh, case["matrices"], normals=True, out=linear_out)

    def dual_quat() -> object:
        return lissom.skin_dual_quat(mesh, case["dual_quats"], normals=True, out=dual_out)

    def cor() -> object:
        return lissom.skin_cor(mesh, case["dual_quats"], centers=case["centers"], normals=True, out=cor_out)

    runs = {}
    for name, run in (("linear", linear), ("dual_quat", dual_quat), ("cor", cor)):
        runs[f"lissom {name}"] = with_threads(1, run)
        if (os.cpu_count() or 1) > 1:
            runs[f"lissom {name}, all threads"] = with_threads(0, run)
    return runs


def measure(vertex_count: int, rounds: int) -> dict[str, object]:
    """Nanoseconds per vertex of all runs of this process's instruction set, and which rivals are missing."""
    case = make_case(vertex_count)
    expected = {method: run(case) for method, run in NUMPY.items()}
    runs = our_runs(case)
    missing = []
    for name, make in (("numba", numba_rivals), ("usd-core", usd_rivals)):
        try:
            runs |= {f"{name} {method}": run for method, run in make(case).items()}
        except ImportError:
            missing.append(name)
    runs |= {f"NumPy {method}": lambda run=run: run(case) for method, run in NUMPY.items()}

    for name, run in runs.items():
        method = method_in(name)
        for got, wanted in zip(run(), expected[method], strict=True):  # type: ignore[call-overload]
            # USD does not normalise the normals of a blend of matrices.
            if name == "usd-core linear" and wanted is expected[method][1]:
                got = got / np.linalg.norm(got, axis=1, keepdims=True)
            error = float(np.abs(got - wanted).max())
            assert error < TOLERANCE, f"{name} is {error:g} off plain NumPy"

    # What skinning must read (positions, normals, weights, indices) and write (positions, normals), in all.
    read = np.zeros(vertex_count * (24 + 6 * INFLUENCES + 24) // 2, np.uint8)
    written = np.zeros_like(read)
    runs[COPY] = lambda: np.copyto(written, read)

    best = dict.fromkeys(runs, float("inf"))
    for i in range(rounds):
        for name, run in runs.items():
            if i % 10 and name.startswith(("NumPy", "usd")):
                continue  # slow and steady: fewer rounds are enough
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return {
        "isa": lissom.show_config("dicts")["instruction_set"],
        "nanoseconds": {name: seconds / vertex_count * 1e9 for name, seconds in best.items()},
        "missing": missing,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--vertices", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(json.dumps(measure(options.vertices, options.rounds)))
        return

    config = lissom.show_config("dicts")
    print(
        f"lissom {config['lissom']}, {config['platform']}, {options.vertices} vertices, "
        f"{INFLUENCES} influences, "
        f"{ROWS} palette rows, positions + normals; ns per vertex (how many times lissom's time; share of "
        "memcpy's rate)"
    )
    for isa in config["instruction_sets"]:  # type: ignore[attr-defined]
        command = [
            sys.executable,
            __file__,
            "--one",
            f"--vertices={options.vertices}",
            f"--rounds={options.rounds}",
        ]
        run = subprocess.run(
            command, env=os.environ | {"LISSOM_ISA": isa}, stdout=subprocess.PIPE, check=True
        )
        report(json.loads(run.stdout))


def report(result: dict[str, object]) -> None:
    times = result["nanoseconds"]
    copy = times[COPY]  # type: ignore[index]
    print(f"\n{result['isa']}")
    for name, nanoseconds in times.items():  # type: ignore[attr-defined]
        ratio = nanoseconds / times[f"lissom {method_in(name)}"]  # type: ignore[index]
        share = f"{copy / nanoseconds:10.0%}" if name.startswith("lissom") else ""
        print(f"  {name:32} {nanoseconds:8.2f}   {ratio:6.2f} x{share}")
    for name in result["missing"]:  # type: ignore[attr-defined]
        print(f"  {name} is not installed and was left out: uv pip install --group bench")


if __name__ == "__main__":
    main()
