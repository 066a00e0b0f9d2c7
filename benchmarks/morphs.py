# SPDX-License-Identifier: MIT
"""What do morph targets cost on top of skinning, beside numba, NumPy and three.js?

A face: 20 000 vertices with 4 influences each, 52 targets of which 8 are active, each moving 1 000 vertices,
skinned linearly with normals, float32, one thread, from Python. Then denser ones, up to every target moving
every vertex. The ratio is to the same call without targets, in one run. Numba adds the rows of active targets
(sparse) to a copy of the bind arrays, and skins with four influences written out; NumPy likewise by fancy
indexing; three.js is its SkinnedMesh.getVertexPosition, which reads every active target for every vertex,
positions alone. All answers are asserted. Memory is that of `Morphs` against the differences that are not
zero, their vertex numbers counted. Run: make bench."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import lissom
from _measure import by_turns
from _sampling_rivals import THREE, why_no_three

try:
    from numba import njit
except ImportError:
    sys.exit("this benchmark needs numba: uv pip install --group bench")

SCRIPT = Path(__file__).with_name("_morphs_three.mjs")
VERTICES, ROWS, TARGETS, ACTIVE = 20_000, 64, 52, 8
LIMIT = 1.6  # of skinning alone: what the project promises for the face
MEMORY = 1.2  # of the differences that are not zero
TOLERANCE = 2e-5  # of answers about 2 units in size, accumulated in float32


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_skin(positions, normals, indices, weights, rows, out, out_normals):  # type: ignore[no-untyped-def]
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


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_morph(positions, normals, offsets, vertices, deltas, turns, morphs, out, out_normals):  # type: ignore[no-untyped-def]
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
        first = np.arange(VERTICES) * (ROWS - 8) // VERTICES
        eight = rng.permuted(np.tile(np.arange(8), (VERTICES, 1)), axis=1)[:, :4]
        weights = rng.random((VERTICES, 4)) + 0.05
        normals = rng.normal(size=(VERTICES, 3))
        vertices = [np.sort(rng.choice(VERTICES, moved, replace=False)) for _ in range(TARGETS)]
        self.morphs = lissom.Morphs(
            [f"face/{number}" for number in range(TARGETS)],
            np.arange(TARGETS + 1) * moved,
            np.concatenate(vertices),
            rng.normal(size=(TARGETS * moved, 3)) * 0.05,
            rng.normal(size=(TARGETS * moved, 3)) * 0.05,
        )
        arrays: dict[str, Any] = {
            "positions": rng.uniform(-0.5, 0.5, (VERTICES, 3)),
            "triangles": np.zeros((0, 3), int),
            "indices": first[:, None] + eight,
            "weights": weights / weights.sum(axis=1, keepdims=True),
            "normals": normals / np.linalg.norm(normals, axis=1, keepdims=True),
        }
        self.plain = lissom.Mesh(**arrays)
        self.mesh = lissom.Mesh(**arrays, morphs=self.morphs)
        self.values = np.zeros(TARGETS, np.float32)
        self.values[rng.choice(TARGETS, ACTIVE, replace=False)] = rng.uniform(0.2, 1, ACTIVE)
        quats = lissom.quat.normalize(rng.normal(size=(ROWS, 4)))
        trs = lissom.trs.from_parts(translation=rng.uniform(-0.5, 0.5, (ROWS, 3)), rotation=quats)
        self.matrices = lissom.trs.to_matrix(trs).astype(np.float32)

    def memory_ratio(self) -> float:
        """Return the bytes of the targets to those of the differences that are not zero."""
        morphs = self.morphs
        assert morphs.normals is not None
        held = (morphs.offsets, morphs.vertices, morphs.positions, morphs.normals)
        moving = np.count_nonzero(morphs.positions.any(axis=1) | morphs.normals.any(axis=1))
        return sum(array.nbytes for array in held) / (moving * (4 + 12 + 12))


def numpy_skin(mesh: lissom.Mesh, positions: Any, normals: Any, matrices: Any) -> tuple[Any, Any]:
    blend = np.einsum("vk,vkij->vij", mesh.weights, matrices[mesh.indices, :3])
    turned = np.einsum("vij,vj->vi", blend[:, :, :3], normals)
    moved = np.einsum("vij,vj->vi", blend[:, :, :3], positions) + blend[:, :, 3]
    return moved, turned / np.linalg.norm(turned, axis=1, keepdims=True)


def numpy_morphed(face: Face) -> tuple[Any, Any]:
    morphs, mesh = face.morphs, face.mesh
    assert morphs.normals is not None
    assert mesh.normals is not None
    positions, normals = mesh.positions.copy(), mesh.normals.copy()
    for target in np.flatnonzero(face.values):
        rows = morphs.rows(int(target))
        positions[morphs.vertices[rows]] += face.values[target] * morphs.positions[rows]
        normals[morphs.vertices[rows]] += face.values[target] * morphs.normals[rows]
    return numpy_skin(mesh, positions, normals, face.matrices)


def by_three(face: Face) -> dict[str, Any]:
    """Return what three.js makes of it, and its seconds."""
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
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "task.json"
        path.write_text(json.dumps(task))
        done = subprocess.run(
            ["node", SCRIPT, THREE, path], capture_output=True, text=True, check=True, timeout=300
        )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def compare(moved: int, rounds: int, rivals: bool) -> float:
    """Print a table of one face; return the ratio of ours to skinning alone."""
    face = Face(moved)
    mesh, matrices, values = face.mesh, face.matrices, face.values
    outs = [tuple(np.empty((VERTICES, 3), np.float32) for _ in range(2)) for _ in range(4)]
    prepared, plain = mesh.prepare(), face.plain.prepare()
    wanted = numpy_morphed(face)
    arrays = (mesh.indices, mesh.weights, matrices)
    scratch = [np.empty((VERTICES, 3), np.float32) for _ in range(2)]
    rows = (face.morphs.offsets, face.morphs.vertices, face.morphs.positions, face.morphs.normals)

    def numba_both() -> None:
        numba_morph(mesh.positions, mesh.normals, *rows, values, *scratch)
        numba_skin(*scratch, *arrays, *outs[2])

    runs: dict[str, Any] = {
        "skin": lambda: lissom.skin_linear(face.plain, matrices, normals=True, out=outs[0]),
        "morph": lambda: lissom.skin_linear(mesh, matrices, normals=True, out=outs[1], morphs=values),
        "prepared skin": lambda: lissom.skin_linear(plain, matrices, normals=True, out=outs[0]),
        "prepared morph": lambda: lissom.skin_linear(
            prepared, matrices, normals=True, out=outs[3], morphs=values
        ),
    }
    runs["numba skin"] = lambda: numba_skin(mesh.positions, mesh.normals, *arrays, *outs[0])
    runs["numba morph"] = numba_both
    least = {}
    for name in ("", "prepared ", "numba "):  # in pairs, so that none waits for another's arrays
        pair = {key: runs[key] for key in (f"{name}skin", f"{name}morph")}
        least |= by_turns(pair, rounds)
    answers = {"morph": outs[1], "prepared morph": [each[np.argsort(prepared.order)] for each in outs[3]]}
    answers["numba morph"] = outs[2]
    for name, answer in answers.items():
        for mine, its in zip(answer, wanted, strict=True):
            assert np.abs(mine - its).max() < TOLERANCE, name
    if rivals:
        slow = by_turns(
            {
                "numpy skin": lambda: numpy_skin(mesh, mesh.positions, mesh.normals, matrices),
                "numpy morph": lambda: numpy_morphed(face),
            },
            5,
        )
        least |= slow

    def line(label: str, name: str) -> None:
        skin, morph = least[name.replace("morph", "skin")], least[name]
        ratio, share = morph / skin, morph / least["morph"]
        print(f"{label:<44}{skin * 1e6:10.1f}{morph * 1e6:12.1f}{ratio:10.2f}{share:12.1f}")

    line("lissom", "morph")
    line("lissom, prepared mesh", "prepared morph")
    line("numba, sparse, four influences written out", "numba morph")
    if rivals:
        line("NumPy", "numpy morph")
        reason = why_no_three()
        if reason is not None:
            print(f"three.js: {reason}")
        else:
            answer = by_three(face)
            assert np.abs(np.array(answer["positions"]).reshape(-1, 3) - wanted[0]).max() < TOLERANCE
            least |= {"three skin": answer["plain"], "three morph": answer["morphed"]}
            line("three.js, positions alone", "three morph")
    print(f"memory of {TARGETS} targets to differences that are not zero: {face.memory_ratio():.3f}")
    assert face.memory_ratio() <= MEMORY
    return least["morph"] / least["skin"]


def main() -> None:
    lissom.set_thread_count(1)
    ratio = 0.0
    for moved in (1_000, 5_000, 20_000):
        title = f"{TARGETS} targets, {ACTIVE} active, each moving {moved} of {VERTICES} vertices"
        print(f"\n{title}\n{'us':<44}{'skinned':>10}{'and morphed':>12}{'ratio':>10}{'to lissom':>12}")
        measured = compare(moved, 300, rivals=moved == 1_000)
        ratio = ratio or measured
    assert ratio <= LIMIT, f"the face must take at most {LIMIT} x skinning alone, got {ratio:.2f}"


if __name__ == "__main__":
    main()
