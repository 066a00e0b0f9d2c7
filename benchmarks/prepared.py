# SPDX-License-Identifier: MIT
"""How much faster is skinning on a prepared mesh?

    python benchmarks/prepared.py [--seconds 10]

The sample character's mesh, repeated to about 100 000 vertices; positions and normals, float32, one thread
and all. The mesh itself, prepared in both orders, numba (`uv pip install --group bench`) and a copy of as
many bytes as prepared skinning reads and writes, all in turn; the least time counts. Answers are asserted.
LISSOM_ISA chooses the instruction set.
"""

import argparse
import time

import numpy as np

import lissom
from lissom import samples
from skinning import numba_rivals

TOLERANCE = 2e-5  # of answers about 2 units in size


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=10)
    seconds = parser.parse_args().seconds
    character = samples.humanoid()
    mesh = repeated(character.mesh, max(1, round(100_000 / character.mesh.vertex_count)))
    count = mesh.vertex_count
    clip = next(iter(character.clips.values())) if hasattr(character.clips, "values") else character.clips[0]
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
    forms = {"mesh": mesh, "prepared": mesh.prepare(), "to original order": mesh.prepare(original_order=True)}
    print(lissom.show_config("dicts")["instruction_set"], forms["prepared"])
    out = np.empty((count, 3), np.float32), np.empty((count, 3), np.float32)
    runs = {}
    for method, skin in skins.items():
        expected = skin(mesh, rows[method], normals=True)
        for name, form in forms.items():
            order = form.order if name == "prepared" else slice(None)
            for got, wanted in zip(skin(form, rows[method], normals=True), expected, strict=True):
                assert np.abs(got - wanted[order]).max() < TOLERANCE, name
            for threads in (1, 0):

                def run(skin=skin, form=form, method=method, threads=threads):
                    lissom.set_thread_count(threads)
                    skin(form, rows[method], normals=True, out=out)

                runs[f"{method}, {name}, {'one thread' if threads else 'all threads'}"] = run
    try:
        runs |= {f"{method}, numba": run for method, run in numba_rivals(case).items()}
    except ImportError:
        print("numba is not installed and was left out")
    # Positions, normals and weights read, positions and normals written.
    prepared = forms["prepared"]
    per_vertex = 24 + 4 * prepared.rows_per_block / prepared.fill + 24
    read = np.zeros(int(count * per_vertex / 2), np.uint8)
    written = np.zeros_like(read)
    runs[f"copy of {per_vertex:.0f} bytes per vertex"] = lambda: np.copyto(written, read)

    best = dict.fromkeys(runs, float("inf"))
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        for name, run in runs.items():
            begin = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - begin)
    for name, least in best.items():
        print(f"{name:44}{least / count * 1e9:8.2f} ns/vertex")


def repeated(mesh: lissom.Mesh, times: int) -> lissom.Mesh:
    arrays = {
        name: np.tile(getattr(mesh, name), (times, 1))
        for name in ("positions", "indices", "weights", "normals")
    }
    return lissom.Mesh(triangles=np.zeros((0, 3), np.uint32), **arrays)


if __name__ == "__main__":
    main()
