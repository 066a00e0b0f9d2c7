# SPDX-License-Identifier: MIT
"""What do morph targets cost on top of skinning, beside numba, NumPy and three.js?

A face: 20 000 vertices with 4 influences each, 52 targets of which 8 are active, each moving 1 000 vertices,
skinned linearly with normals, float32, one thread, from Python. Then denser ones, up to every target moving
every vertex. The ratio is to the same call without targets, in one run. Numba adds the rows of active targets
(sparse) to a copy of the bind arrays, and skins with four influences written out; NumPy likewise by fancy
indexing; three.js is its SkinnedMesh.getVertexPosition, which reads every active target for every vertex,
positions alone. All answers are asserted. Memory is that of `Morphs` against the differences that are not
zero, their vertex numbers counted."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import lissom
from _bench import Bench, require
from _measure import Run
from _node import NodeRival
from _skinning_case import TOLERANCE, make_case, numpy_linear

require("numba")
from numba import njit  # noqa: E402

from _skinning_numba import linear  # noqa: E402

VERTICES, TARGETS, ACTIVE = 20_000, 52, 8
ALONE = ", skinned alone"
LIMIT = 1.6  # of skinning alone: what the project promises for the face
MEMORY = 1.2  # of the differences that are not zero


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_morph(
    positions: Any,
    normals: Any,
    offsets: Any,
    vertices: Any,
    deltas: Any,
    turns: Any,
    morphs: Any,
    out: Any,
    out_normals: Any,
) -> None:
    out[:] = positions
    out_normals[:] = normals
    for target in range(len(morphs)):
        weight = morphs[target]
        if weight == 0:
            continue
        for row in range(offsets[target], offsets[target + 1]):
            v = vertices[row]
            out[v, 0] += weight * deltas[row, 0]
            out[v, 1] += weight * deltas[row, 1]
            out[v, 2] += weight * deltas[row, 2]
            out_normals[v, 0] += weight * turns[row, 0]
            out_normals[v, 1] += weight * turns[row, 1]
            out_normals[v, 2] += weight * turns[row, 2]


class Face:
    """A mesh with targets of `moved` vertices each, weights of which `ACTIVE` are not 0, and a palette."""

    def __init__(self, moved: int) -> None:
        rng = np.random.default_rng(0)
        self.case = make_case(VERTICES)
        vertices = [np.sort(rng.choice(VERTICES, moved, replace=False)) for _ in range(TARGETS)]
        self.morphs = lissom.Morphs(
            [f"face/{number}" for number in range(TARGETS)],
            np.arange(TARGETS + 1) * moved,
            np.concatenate(vertices),
            rng.normal(size=(TARGETS * moved, 3)) * 0.05,
            rng.normal(size=(TARGETS * moved, 3)) * 0.05,
        )
        arrays: dict[str, Any] = {
            name: self.case[name] for name in ("positions", "indices", "weights", "normals")
        }
        arrays["triangles"] = np.zeros((0, 3), int)
        self.plain = lissom.Mesh(**arrays)
        self.mesh = lissom.Mesh(**arrays, morphs=self.morphs)
        self.values = np.zeros(TARGETS, np.float32)
        self.values[rng.choice(TARGETS, ACTIVE, replace=False)] = rng.uniform(0.2, 1, ACTIVE)
        self.matrices = self.case["matrices"]

    def memory_ratio(self) -> float:
        """Return the bytes of the targets to those of the differences that are not zero."""
        morphs = self.morphs
        assert morphs.normals is not None
        held = (morphs.offsets, morphs.vertices, morphs.positions, morphs.normals)
        moving = np.count_nonzero(morphs.positions.any(axis=1) | morphs.normals.any(axis=1))
        return sum(array.nbytes for array in held) / (moving * (4 + 12 + 12))


def numpy_morphed(face: Face) -> tuple[Any, Any]:
    morphs, mesh = face.morphs, face.mesh
    assert morphs.normals is not None
    assert mesh.normals is not None
    positions, normals = mesh.positions.copy(), mesh.normals.copy()
    for target in np.flatnonzero(face.values):
        rows = morphs.rows(int(target))
        positions[morphs.vertices[rows]] += face.values[target] * morphs.positions[rows]
        normals[morphs.vertices[rows]] += face.values[target] * morphs.normals[rows]
    return numpy_linear(face.case | {"positions": positions, "normals": normals})


def by_three(face: Face) -> NodeRival:
    """three.js in node: calls of it skin all vertices, without the weights and with them."""
    morphs = face.morphs
    task = {
        "positions": face.mesh.positions.ravel().tolist(),
        "indices": face.mesh.indices.ravel().tolist(),
        "weights": face.mesh.weights.ravel().tolist(),
        "matrices": face.matrices.reshape(-1, 16).tolist(),
        "morphs": face.values.tolist(),
        "targets": [
            {
                "vertices": morphs.vertices[morphs.rows(target)].tolist(),
                "rows": morphs.positions[morphs.rows(target)].ravel().tolist(),
            }
            for target in range(TARGETS)
        ],
    }
    return NodeRival("_morphs_three.mjs", task)


def compare(bench: Bench, moved: int, rivals: bool) -> None:
    """Time one face: with targets, then without, so that each pair has a ratio."""
    face = Face(moved)
    mesh, matrices, values = face.mesh, face.matrices, face.values
    outs = [tuple(np.empty((VERTICES, 3), np.float32) for _ in range(2)) for _ in range(6)]
    prepared, plain = mesh.prepare(), face.plain.prepare()
    wanted = numpy_morphed(face)
    arrays = (mesh.indices, mesh.weights, matrices)
    scratch = [np.empty((VERTICES, 3), np.float32) for _ in range(2)]
    rows = (face.morphs.offsets, face.morphs.vertices, face.morphs.positions, face.morphs.normals)

    def numba_both() -> None:
        numba_morph(mesh.positions, mesh.normals, *rows, values, *scratch)
        linear(*scratch, *arrays, *outs[2])

    morphed: dict[str, Any] = {
        "lissom": lambda: lissom.skin_linear(mesh, matrices, normals=True, out=outs[1], morphs=values),
        "lissom, prepared mesh": lambda: lissom.skin_linear(
            prepared, matrices, normals=True, out=outs[3], morphs=values
        ),
        "numba, sparse": numba_both,
    }
    skinned: dict[str, Any] = {
        "lissom": lambda: lissom.skin_linear(face.plain, matrices, normals=True, out=outs[0]),
        "lissom, prepared mesh": lambda: lissom.skin_linear(plain, matrices, normals=True, out=outs[4]),
        "numba, sparse": lambda: linear(mesh.positions, mesh.normals, *arrays, *outs[5]),
    }
    for call in morphed.values():
        call()
    answers = {"lissom": outs[1], "prepared": [each[np.argsort(prepared.order)] for each in outs[3]]}
    answers["numba"] = outs[2]
    for name, answer in answers.items():
        for mine, its in zip(answer, wanted, strict=True):
            assert np.abs(mine - its).max() < TOLERANCE, name
    bench.number("bytes of targets, over those of differences that are not zero", face.memory_ratio())
    assert face.memory_ratio() <= MEMORY
    title = f"{TARGETS} targets, {ACTIVE} active, each moving {moved} of {VERTICES} vertices"
    if not rivals:
        told(bench, title, morphed, skinned)
        return
    morphed["NumPy"] = lambda: numpy_morphed(face)
    skinned["NumPy"] = lambda: numpy_linear(face.case)
    if not bench.has("three"):
        told(bench, title, morphed, skinned)
        return
    with by_three(face) as three:
        assert np.abs(np.reshape(three.answer, (-1, 3)) - wanted[0]).max() < TOLERANCE
        morphed["three.js"] = three.run("morphed", lacks="normals")
        skinned["three.js"] = three.run("plain", lacks="normals")
        told(bench, title, morphed, skinned)


def told(bench: Bench, title: str, morphed: dict[str, Any], skinned: dict[str, Any]) -> None:
    """Time all by turns, and say how many times as long each takes as without targets."""
    every = {name: run if isinstance(run, Run) else Run(run) for name, run in morphed.items()}
    for name, run in skinned.items():
        run = run if isinstance(run, Run) else Run(run)
        other = "numba, sparse" if name.startswith("lissom") else "lissom"
        every[f"{name}{ALONE}"] = replace(run, beside=f"{other}{ALONE}")
    table = bench.table(title, every, VERTICES, "vertex")
    costs = {name: table.ratio(name, f"{name}{ALONE}") for name in morphed}
    for name, cost in costs.items():
        bench.number(f"{name}, over skinned alone", cost, "x", title)
    if "three.js" in costs or "NumPy" in costs:
        for name in ("lissom", "lissom, prepared mesh"):
            bench.judge(f"{name}, over skinned alone", costs[name], LIMIT, "x", table=title)


def main(bench: Bench) -> None:
    bench.one_thread()
    for moved in (1_000, 5_000, 20_000):
        compare(bench, moved, rivals=moved == 1_000)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
