# SPDX-License-Identifier: MIT
"""How much faster is skinning on a prepared mesh?

The sample character's mesh, repeated to about 100 000 vertices; positions and normals, float32, one thread
and all. The mesh itself, prepared in both orders, numba (`uv pip install --group bench`) and a copy of as
many bytes as prepared skinning reads and writes, all in turn. Answers are asserted. LISSOM_ISA chooses the
instruction set.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import lissom
from _bench import Bench
from _measure import Run
from lissom import samples

TOLERANCE = 2e-5  # of answers about 2 units in size


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
        bench.table(method, runs, count, "vertex", moved=moved, clock=time.process_time)


def repeated(mesh: lissom.Mesh, times: int) -> lissom.Mesh:
    arrays = {
        name: np.tile(getattr(mesh, name), (times, 1))
        for name in ("positions", "indices", "weights", "normals")
    }
    return lissom.Mesh(triangles=np.zeros((0, 3), np.uint32), **arrays)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
