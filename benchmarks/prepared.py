# SPDX-License-Identifier: MIT
"""How much faster is skinning on a prepared mesh?

The sample character's mesh, repeated to about 100 000 vertices; positions and normals, float32, one thread
and all. The mesh itself, prepared in both orders, numba (`uv pip install --group bench`) and a copy of as
many bytes as prepared skinning reads and writes, all in turn. Answers are asserted. LISSOM_ISA chooses the
instruction set. How long preparing takes, too, of that mesh and of one whose vertices choose their influences
at random, beside NumPy, which sorts the sets of influences alone.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import lissom
from _bench import Bench
from _measure import Run
from _skinning_case import make_case
from lissom import samples

TOLERANCE = 2e-5  # of answers about 2 units in size
FASTEST = 1.0  # ns of skinning a vertex linearly
MOST = {"the character repeated": 60, "random sets": 60}  # ns of preparing a vertex


def main(bench: Bench) -> None:
    character = samples.humanoid()
    mesh = repeated(character.mesh, max(1, round(100_000 / character.mesh.vertex_count)))
    count = mesh.vertex_count
    clip = next(iter(character.clips.values()))
    palette = character.skin.palette(character.skeleton.model_matrices(clip.sample(0.4)))
    case = {
        "positions": mesh.positions,
        "normals": mesh.normals,
        "indices": mesh.indices,
        "weights": mesh.weights,
        "matrices": np.ascontiguousarray(palette.matrices, np.float32),
        "dual_quats": np.ascontiguousarray(palette.dual_quats, np.float32),
    }
    skins = {"linear": lissom.skin_linear, "dual_quat": lissom.skin_dual_quat}
    rows = {"linear": case["matrices"], "dual_quat": case["dual_quats"]}
    forms = {
        "lissom, prepared": mesh.prepare(),
        "lissom, prepared, original order": mesh.prepare(original_order=True),
        "lissom, mesh as it is": mesh,
    }
    prepared = forms["lissom, prepared"]
    bench.note(f"{count} vertices; {prepared!r}")
    out = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
    rivals: dict[str, Any] = {}
    if bench.has("numba"):
        from _skinning_numba import numba_rivals

        rivals = numba_rivals(case)
    # Positions, normals and weights read, positions and normals written.
    moved = 24 + 4 * prepared.rows_per_block / prepared.fill + 24
    for method, skin in skins.items():
        runs: dict[str, Any] = {}
        expected = skin(mesh, rows[method], normals=True)
        for threads in (1, 0):
            for name, form in forms.items():
                order = form.order if name == "lissom, prepared" else slice(None)
                for got, wanted in zip(skin(form, rows[method], normals=True), expected, strict=True):
                    assert np.abs(got - wanted[order]).max() < TOLERANCE, name

                def run(skin=skin, form=form, method=method, threads=threads):
                    lissom.set_thread_count(threads)
                    skin(form, rows[method], normals=True, out=out)

                clock = time.process_time if threads else time.perf_counter
                runs[name if threads else f"{name}, all threads"] = Run(run, clock=clock)
        if rivals:
            for got, wanted in zip(rivals[method](), expected, strict=True):
                assert np.abs(got - wanted).max() < TOLERANCE, "numba"
            runs["numba, mesh as it is"] = rivals[method]
        # Rows blended to a matrix, a position and a normal moved by it, the normal's length made 1.
        operations = 24 * prepared.rows_per_block + 18 + 15 + 9 if method == "linear" else 0
        table = bench.table(
            method, runs, count, "vertex", moved=moved, operations=operations, clock=time.process_time
        )
        if method == "linear":
            table.judge("lissom, prepared", FASTEST)
    lissom.set_thread_count(1)
    for name, one in {"the character repeated": mesh, "random sets": random_sets(count)}.items():
        bench.note(repr(one.prepare()), f"preparing, {name}")
        runs = {"lissom": one.prepare, "NumPy": Run(numpy_sets(one), lacks="blocks and packed arrays")}
        table = bench.table(f"preparing, {name}", runs, count, "vertex", clock=time.process_time)
        table.judge("lissom", MOST[name])


def random_sets(vertex_count: int) -> lissom.Mesh:
    case = make_case(vertex_count)
    return lissom.Mesh(case["positions"], [], case["indices"], case["weights"], normals=case["normals"])


def numpy_sets(mesh: lissom.Mesh) -> Callable[[], np.ndarray]:
    """Return a call that sorts vertices by their sets."""
    bits = int(mesh.row_count).bit_length()

    def sort() -> np.ndarray:
        rows = np.sort(np.where(mesh.weights > 0, mesh.indices + np.uint64(1), 0), axis=1)
        keys = rows[:, 0]
        for column in rows.T[1:]:
            keys = keys << bits | column
        return np.argsort(keys, kind="stable")

    return sort


def repeated(mesh: lissom.Mesh, times: int) -> lissom.Mesh:
    arrays = {
        name: np.tile(getattr(mesh, name), (times, 1))
        for name in ("positions", "indices", "weights", "normals")
    }
    return lissom.Mesh(triangles=np.zeros((0, 3), np.uint32), **arrays)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
