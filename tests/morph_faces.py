# SPDX-License-Identifier: MIT
"""A small face for the tests of morph targets: a head and its teeth on a neck, and clips that move both."""

import numpy as np

import lissom
from lissom.clip._tracks import CUBICSPLINE, LINEAR, STEP, TRACK_DTYPE

NECK, HEAD = 1.4, 1.55  # metres above the ground
RADIUS = 0.12
WEIGHT = 3  # path of a track


def skeleton():
    rest = np.zeros((2, 10), np.float32)
    rest[:, 6:] = 1
    rest[0, 1], rest[1, 1] = NECK, HEAD - NECK
    return lissom.Skeleton(["Neck", "Head"], [-1, 0], rest)


def ball(center, radius, across, around):
    """Positions (across * around, 3) on a sphere, and triangles that face outwards."""
    polar = np.linspace(0.02, np.pi - 0.02, across)[:, None]
    turn = np.linspace(0, 2 * np.pi, around, endpoint=False)
    unit = np.stack(
        [np.sin(polar) * np.sin(turn), np.cos(polar) + 0 * turn, np.sin(polar) * np.cos(turn)], -1
    )
    row, column = np.divmod(np.arange((across - 1) * around), around)
    a, b = row * around + column, row * around + (column + 1) % around
    triangles = np.concatenate([np.stack([a, a + around, b], 1), np.stack([b, a + around, b + around], 1)])
    return np.asarray(center) + radius * unit.reshape(-1, 3), triangles


def mesh(target_count=6, *, normals=True, seed=5, size=0.3, colors=None):
    """The targets of "face" bulge at places of the head; two more of "teeth" share names with these.

    `size` is the height of a bulge, as a share of the head's radius.
    """
    face, face_triangles = ball((0, HEAD + RADIUS, 0), RADIUS, 20, 24)
    teeth, teeth_triangles = ball((0, HEAD + 0.06, 0.1), 0.04, 8, 10)
    positions = np.concatenate([face, teeth])
    triangles = np.concatenate([face_triangles, len(face) + teeth_triangles])
    rng = np.random.default_rng(seed)
    deltas = np.zeros((target_count, len(positions), 3))
    for target in range(target_count):
        if target < target_count - 2:
            own, center = slice(0, len(face)), face[rng.integers(len(face))]
        else:
            own, center = slice(len(face), None), teeth[rng.integers(len(teeth))]
        share = np.exp(-((positions[own] - center) ** 2).sum(axis=1) / (2 * (0.4 * RADIUS) ** 2))
        deltas[target, own] = np.where(share > 0.1, share, 0)[:, None] * rng.normal(size=3) * size * RADIUS
    names = [f"face/shape{i}" for i in range(target_count - 2)] + ["teeth/shape0", "teeth/shape1"]
    defaults = np.zeros(target_count)
    defaults[1] = 0.25
    extra = 2 * deltas / RADIUS * size if normals else None
    morphs = lissom.Morphs.from_dense(names, deltas, normals=extra, defaults=defaults)
    share = np.clip((positions[:, 1] - HEAD) / RADIUS, 0, 1)
    middle = np.where(np.arange(len(positions))[:, None] < len(face), face.mean(0), teeth.mean(0))
    outward = (positions - middle) / np.linalg.norm(positions - middle, axis=1, keepdims=True)
    return lissom.Mesh(
        positions,
        triangles,
        np.tile([0, 1], (len(positions), 1)),
        np.stack([1 - share, share], axis=1),
        normals=outward,
        morphs=morphs,
        colors=colors,
    )


def track(target, interpolation, times, values):
    """A track of one target's weight: (target, interpolation, times, values), cubic values (K, 3)."""
    return target, interpolation, np.asarray(times, np.float32), np.asarray(values, np.float32)


SMILE = track(0, LINEAR, [0, 0.3, 1], [0, 0.9, 0.2])
OPEN = track(2, CUBICSPLINE, [0, 0.5, 1], [[0, 0, 2], [0, 0.8, 0], [-1, 0.1, 0]])
BLINK = track(3, STEP, [0, 0.4, 0.55], [0, 1, 0])


def clip(bones, morphs, weights=(SMILE, OPEN), *, nods=True, name="talk", **options):
    """A clip of one second: the head nods, unless it does not, and tracks move the weights."""
    times = np.linspace(0, 1, 11).astype(np.float32)
    numbers, rows = [], []

    def add(joint, path, interpolation, seconds, values):
        first = sum(map(len, numbers))
        rows.append((joint, path, interpolation, len(seconds), first, first + len(seconds)))
        numbers.extend([seconds, np.asarray(values, np.float32).reshape(-1)])

    if nods:
        half = 0.05 * np.sin(2 * np.pi * times)
        turn = np.zeros((len(times), 4))
        turn[:, 0], turn[:, 3] = np.sin(half), np.cos(half)
        add(1, 1, LINEAR, times, turn)
    for target, interpolation, seconds, values in weights:
        add(target, WEIGHT, interpolation, seconds, values)
    keys = np.concatenate(numbers).astype(np.float32)
    return lissom.Clip(
        name,
        bones,
        keys,
        np.array(rows, TRACK_DTYPE),
        loop=options.pop("loop", False),
        morph_names=morphs.names,
        morph_defaults=morphs.defaults,
        **options,
    )


def character(weights=(SMILE, OPEN), *, nods=True, more_clips=(), **options):
    bones, head = skeleton(), mesh(**options)
    bind = np.linalg.inv(bones.model_matrices(bones.rest.astype(np.float64))).astype(np.float32)
    clips = [clip(bones, head.morphs, weights, nods=nods), *more_clips]
    return lissom.Character("face", bones, head, lissom.Skin([0, 1], bind), clips)


def morphed(mesh, weights):
    """Positions (V, 3) in float64: glTF 2.0, section 3.7.2.2."""
    positions = mesh.positions.astype(np.float64)
    for target, weight in enumerate(np.asarray(weights, np.float64)):
        rows = mesh.morphs.rows(target)
        positions[mesh.morphs.vertices[rows]] += weight * mesh.morphs.positions[rows].astype(np.float64)
    return positions
