# SPDX-License-Identifier: MIT
"""Random morph targets, a face on a built-in character, and their float64 twin."""

import dataclasses

import numpy as np

import lissom
from lissom import Morphs


def random_morphs(seed, vertex_count, *, targets=7, share=0.2, normals=True, defaults=False):
    """Sparse targets, one of them empty, one of a single vertex, one of all."""
    rng = np.random.default_rng(seed)
    moved = [np.flatnonzero(rng.uniform(size=vertex_count) < share) for _ in range(targets)]
    moved[1], moved[2], moved[-1] = moved[1][:0], np.array([vertex_count - 1]), np.arange(vertex_count)
    offsets = np.cumsum([0, *map(len, moved)])
    shape = offsets[-1], 3
    return Morphs(
        [f"node {i % 2}/target {i}" for i in range(targets)],
        offsets,
        np.concatenate(moved),
        rng.normal(scale=0.1, size=shape),
        rng.normal(scale=0.3, size=shape) if normals else None,
        defaults=rng.uniform(-0.5, 1, targets) if defaults else None,
    )


def shaped(morphs, weights, positions, normals):
    """Positions and normals, not unit, in float64: glTF 2.0, section 3.7.2.2, one row at a time."""
    positions, normals = positions.astype(np.float64), normals.astype(np.float64)
    for target, weight in enumerate(np.asarray(weights, np.float64)):
        for row in range(morphs.offsets[target], morphs.offsets[target + 1]):
            positions[morphs.vertices[row]] += weight * morphs.positions[row]
            if morphs.normals is not None:
                normals[morphs.vertices[row]] += weight * morphs.normals[row]
    return positions, normals


def shaped_rig(rig, morphs, weights):
    """The random rig with its bind pose morphed: its twin is what drawing it with weights must give."""
    positions, normals = shaped(morphs, weights, rig.positions, rig.normals)
    return dataclasses.replace(rig, positions=positions, normals=normals)


def mesh_with(mesh, morphs):
    """The same mesh with morph targets."""
    arrays = {name: getattr(mesh, name) for name in ("normals", "tangents", "uvs", "colors", "parts")}
    return lissom.Mesh(mesh.positions, mesh.triangles, mesh.indices, mesh.weights, morphs=morphs, **arrays)


def with_face(character, targets=("smile", "frown", "puff"), defaults=None):
    """The character with targets that move vertices of the upper fifth, each in a way of its own."""
    mesh = character.mesh
    low, high = mesh.bounds
    height = (mesh.positions[:, 1] - low[1]) / (high[1] - low[1])
    upper = np.flatnonzero(height > 0.8)
    rng = np.random.default_rng(len(targets))
    size = float(np.linalg.norm(high - low))
    count = len(targets)
    moves = 0.02 * size * rng.normal(size=(count, 1, 3)) * rng.uniform(0.2, 1, (count, len(upper), 1))
    turns = 0.2 * rng.normal(size=(count, len(upper), 3))
    morphs = Morphs(
        [f"face/{name}" for name in targets],
        np.arange(count + 1) * len(upper),
        np.tile(upper, count),
        moves.reshape(-1, 3),
        turns.reshape(-1, 3),
        defaults=defaults,
    )
    mesh = mesh_with(mesh, morphs)
    return lissom.Character(character.name, character.skeleton, mesh, character.skin, character.clips)
