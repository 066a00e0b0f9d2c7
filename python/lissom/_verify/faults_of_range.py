# SPDX-License-Identifier: MIT
"""Faults of joints whose places are stored within a box that is too small for them."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from lissom._verify.evidence import Evidence
from lissom._verify.explanation import Explanation, Hypothesis
from lissom.skinning import skin_linear

__all__ = ["RANGE"]


def _cut(evidence: Evidence) -> Iterator[Explanation]:
    """Rows with a number at an end of what is stored take their translations of the source's."""
    cut_at, palettes, source = evidence.found.cut, evidence.palettes, evidence.source_palettes
    if cut_at is None or palettes is None or source is None or palettes.shape != source.shape:
        return
    cut = cut_at(evidence.frames)
    if cut.sum() < 2:
        return
    whole = np.where(cut[..., None], source[..., :3, 3], palettes[..., :3, 3])
    undone = palettes.copy()
    undone[..., :3, 3] = whole
    vertices = skin_linear(evidence.found.mesh, undone.astype(np.float32))
    rows = np.flatnonzero(cut.any(axis=0))
    yield Explanation(
        "clamped_range",
        f"places of joints are cut off at the ends of their box, those of {evidence.row_names[rows[0]]!r} and"
        f" {len(rows) - 1} more; widen the box, or store numbers up to its ends",
        evidence.largest(evidence.some(vertices)),
        int(cut.sum()),
    )


RANGE: tuple[Hypothesis, ...] = (_cut,)
