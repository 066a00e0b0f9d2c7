# SPDX-License-Identifier: MIT
"""Faults that put vertices elsewhere: other axes, units or rest, a lost joint, root motion."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from lissom._base.vectors import lengths
from lissom._rig.row_parents import row_parents
from lissom._verify.evidence import Evidence
from lissom._verify.explanation import Explanation, Hypothesis
from lissom._verify.signed_axes import AXES
from lissom._verify.units import UNITS

__all__ = ["PLACES"]

SUSPECTS = 6
"""Joints that are looked at as lost ones."""


def _axes(evidence: Evidence) -> Iterator[Explanation]:
    """Vertices, or their offsets from rest alone, in other axes."""
    actual, rest = evidence.actual, evidence.rest
    for matrix, words in AXES:
        is_mirror = np.linalg.det(matrix) < 0
        fault = "handedness" if is_mirror else "axes"
        advice = "; mirror one axis and swap two corners of each triangle" if is_mirror else ""
        yield Explanation(
            fault,
            f"its vertices are in other axes: what should be (x, y, z) is ({words}) of them{advice}",
            evidence.largest(actual @ matrix.T),
        )
        yield Explanation(
            fault,
            f"its offsets from rest are in other axes than its mesh: (x, y, z) should be ({words}) of them",
            evidence.largest(rest + (actual - rest) @ matrix.T),
        )


def _units(evidence: Evidence) -> Iterator[Explanation]:
    """Vertices in other units."""
    for factor, words in UNITS.items():
        yield Explanation(
            "units",
            f"it is {max(factor, 1 / factor):g} times too {'large' if factor > 1 else 'small'}: in {words};"
            f" scale it by {1 / factor:g}",
            evidence.largest(evidence.actual / factor),
        )
        yield Explanation(
            "units",
            f"its offsets from rest are {max(factor, 1 / factor):g} times too"
            f" {'large' if factor > 1 else 'small'} for its mesh: in {words}; scale them by {1 / factor:g}",
            evidence.largest(evidence.rest + (evidence.actual - evidence.rest) / factor),
        )


def _wrong_bind(evidence: Evidence) -> Iterator[Explanation]:
    """Vertices that are off by the same at all frames: offsets that belong to another mesh at rest."""
    if len(evidence.frames) < 2:
        return
    gaps = evidence.actual - evidence.expected
    constant = gaps.mean(axis=0)
    yield Explanation(
        "wrong_bind",
        f"each vertex is off by the same at all frames, by up to {np.linalg.norm(constant, axis=1).max():.3g}"
        ": its mesh at rest is not the one that offsets were taken from; export both together",
        evidence.largest(evidence.actual - constant),
        constant.size,
    )


def _moved_as_a_whole(evidence: Evidence) -> Iterator[Explanation]:
    """All vertices of a frame off by the same: by the same at all frames, or by the motion of the root."""
    gaps = evidence.actual - evidence.expected
    common = gaps.mean(axis=1, keepdims=True)
    offset = common.mean(axis=0)[0]
    distance = float(np.linalg.norm(offset))
    yield Explanation(
        "offset",
        f"it stands {distance:.4g} m{_along(offset)} of where the source does, at all frames; take off"
        f" ({_rounded(offset)}), or mend where the origin is",
        evidence.largest(evidence.actual - offset),
        3,
    )
    yield Explanation(
        "root_motion",
        f"at each frame all vertices are off by the same, up to {np.linalg.norm(common, axis=-1).max():.3g}"
        " m: one has the motion of the root, the other has none; judge it against clips like its own",
        evidence.largest(evidence.actual - common),
        3 * len(gaps),
    )


def _along(offset: NDArray[np.float64]) -> str:
    """Return the axis that an offset goes along, if it does."""
    axis = int(np.abs(offset).argmax())
    is_straight = np.abs(offset[axis]) > 0.99 * np.linalg.norm(offset)
    return f" along {'-' if offset[axis] < 0 else '+'}{'xyz'[axis]}" if is_straight else ""


def _rounded(offset: NDArray[np.float64]) -> str:
    """Return three numbers, those without weight as 0."""
    least = 1e-3 * np.abs(offset).max()
    return ", ".join(f"{value:.4g}" if abs(value) > least else "0" for value in offset)


def _lost_joint(evidence: Evidence) -> Iterator[Explanation]:
    """One palette row that stays at rest, or is that of its parent, by what linear skinning makes of it."""
    character, palettes = evidence.character, evidence.source_palettes
    if character is None or palettes is None or character.mesh is None or character.skin is None:
        return
    mesh, skin, skeleton = character.mesh, character.skin, character.skeleton
    of = evidence.partners[evidence.vertices]
    rest = mesh.positions[of].astype(np.float64)
    distances = lengths(evidence.actual - evidence.expected).max(axis=0)
    parents = row_parents(skin, skeleton.parents)
    for row in _most_wrong(mesh.indices[of], mesh.weights[of], distances):
        weight = np.where(mesh.indices[of] == row, mesh.weights[of], 0.0).sum(axis=1)[:, None]
        own = _moved(palettes[:, row], rest)
        kept = {"stays at rest": rest}
        if parents[row] >= 0:
            kept["moves as its parent does"] = _moved(palettes[:, parents[row]], rest)
        for words, instead in kept.items():
            yield Explanation(
                "lost_joint",
                f"joint {skeleton.names[skin.joints[row]]!r} {words}: its row, or its weights, are missing",
                evidence.largest(evidence.actual, evidence.expected + weight * (instead - own)),
            )


def _most_wrong(
    indices: NDArray[np.integer], weights: NDArray[np.floating], distances: NDArray[np.float64]
) -> list[int]:
    """Return the palette rows whose vertices are off the most, by weight."""
    rows = np.unique(indices[weights > 0])
    sums = [float((np.where(indices == row, weights, 0.0).max(axis=1) * distances).max()) for row in rows]
    return [int(rows[i]) for i in np.argsort(sums)[::-1][:SUSPECTS]]


def _moved(matrices: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points (V, 3) by each of some matrices (F, 4, 4): (F, V, 3)."""
    return points @ np.swapaxes(matrices[:, :3, :3], 1, 2) + matrices[:, None, :3, 3]


PLACES: tuple[Hypothesis, ...] = (_units, _axes, _wrong_bind, _moved_as_a_whole, _lost_joint)
