# SPDX-License-Identifier: MIT
"""What do the same bits everywhere cost, stage by stage?

Each stage in deterministic mode beside the fast kernels. One thread, float32, the sample humanoid, arrays in
and out, the Python call included; the two answers are compared before they are timed. The ratio depends on
the machine: the mode is 128 bits wide everywhere.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import lissom
from _bench import Bench
from lissom.skinning import METHODS

TIMES = 256
TOLERANCE = 1e-5  # of numbers about one: what float32 leaves after all stages


def compared(bench: Bench, name: str, stage: Callable[[], Any]) -> None:
    answers = []

    def in_mode(on: bool) -> Any:
        lissom.set_deterministic(on)
        return stage()

    for on in (False, True):
        answers.append(np.array(in_mode(on)))
    apart = np.abs(answers[0] - answers[1]).max() / max(1.0, np.abs(answers[0]).max())
    assert apart < TOLERANCE, (name, apart)
    runs = {"lissom": partial(in_mode, False), "lissom, the same bits everywhere": partial(in_mode, True)}
    table = bench.table(name, runs)
    bench.number("cost of the same bits", table.ratio(*reversed(runs)), "x", name)


def main(bench: Bench) -> None:
    bench.one_thread()
    rng = np.random.default_rng(1)
    figure = lissom.samples.humanoid()
    skeleton, skin, mesh, clip = figure.skeleton, figure.skin, figure.mesh, figure.clips["walk"]
    assert skin is not None
    assert mesh is not None
    bench.note(f"{mesh.vertex_count} vertices, {len(skeleton)} joints, {TIMES} times; one thread")
    times = clip.start + clip.duration * rng.random(TIMES)
    grid = clip.resampled()
    poses, other = clip.sample(times), clip.sample(times[::-1])
    difference = lissom.make_additive(other, reference=skeleton.rest)
    model = skeleton.model_matrices(poses)
    palette = skin.palette(model)
    dual_quats, blend = palette.dual_quats[:4], rng.random(mesh.vertex_count).astype(np.float32)
    rows = skin.palette(model[:4])
    out = np.empty_like(poses)
    moved = tuple(np.empty((4, mesh.vertex_count, 3), np.float32) for _ in range(2))
    centers = mesh.positions

    compared(bench, "sample", lambda: clip.sample(times, out=out))
    compared(bench, "sample a uniform clip", lambda: grid.sample(times, out=out))
    compared(bench, "blend two poses", lambda: lissom.blend(poses, other, 0.3, out=out))
    compared(
        bench, "blend four poses", lambda: lissom.blend_layers([poses, other] * 2, [1, 2, 3, 4], out=out)
    )
    compared(bench, "add a layer", lambda: lissom.add_layer(poses, difference, 0.5, out=out))
    compared(bench, "model matrices", lambda: skeleton.model_matrices(poses))
    compared(bench, "palette of matrices", lambda: skin.palette(model).matrices)
    compared(bench, "palette of dual quaternions", lambda: skin.palette(model).dual_quats)
    for method in METHODS:

        def skinned(method: str = method) -> Any:
            if method == "cor":
                lissom.skin_cor(mesh, dual_quats, centers=centers, normals=True, out=moved)
            else:
                extra: dict[str, Any] = {"blend": blend} if method == "blended" else {}
                lissom.deform(mesh, rows, method, normals=True, out=moved, **extra)
            return moved

        compared(bench, f"skin, {method}", skinned)
    compared(bench, "bake a clip", lambda: lissom.bake(figure, clip, dtype="float32", method="linear").texels)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
