# SPDX-License-Identifier: MIT
"""Weights of three bones along a tube, by each method."""

import numpy as np
from charts import COLORS, FAINT, GRID
from numpy.typing import NDArray
from overlay import Overlay

import lissom

BONES = [((0.05, 0, 0), (1.3, 0, 0)), ((1.3, 0, 0), (2.7, 0, 0)), ((2.7, 0, 0), (3.95, 0, 0))]


def methods(width: int, height: int) -> NDArray[np.uint8]:
    """One panel for each method: what each bone has of a vertex, by where it stands along the tube."""
    mesh = lissom.samples.two_bone_tube().mesh
    surface = (mesh.positions, mesh.triangles)
    sheet = Overlay.blank(width, height)
    panel = width / 3
    found = (
        ("heat", lissom.weights.heat(surface, BONES)),
        ("bounded_biharmonic", lissom.weights.bounded_biharmonic(surface, BONES, cells=32)),
        ("inverse_distance", lissom.weights.inverse_distance(surface, BONES)),
    )
    top = mesh.positions[:, 1] > 0.39  # a line along the tube
    for i, (name, weights) in enumerate(found):
        left, right, high, low = i * panel + 40, (i + 1) * panel - 18, 52.0, height - 62.0

        def at(x: float, w: float, left: float = left, right: float = right) -> tuple[float, float]:
            return left + (right - left) * x / 4, low - (low - high) * w  # noqa: B023

        sheet.text((i * panel + 20, 22), name, size=16, halo=False)
        for w in (0.0, 0.5, 1.0):
            sheet.line([at(0, w), at(4, w)], GRID, 1.0)
            sheet.text((left - 6, at(0, w)[1]), f"{w:g}", color=FAINT, anchor="rm", size=12, halo=False)
        order = np.argsort(mesh.positions[top, 0])
        x, rows = mesh.positions[top, 0][order], np.asarray(weights)[top][order]
        for k, color in enumerate(COLORS):
            sheet.line([at(float(a), float(b)) for a, b in zip(x, rows[:, k], strict=True)], color, 2.4)
            (first, *_), (last, *_) = BONES[k]
            sheet.line([at(first + 0.04, 0), at(last - 0.04, 0)], GRID, 0.5)
            y = low + 26
            sheet.line([(at(first + 0.06, 0)[0], y), (at(last - 0.06, 0)[0], y)], color, 5.0)
        sheet.text((left, low + 46), "bones", color=FAINT, size=12, halo=False)
    return sheet.pixels()
