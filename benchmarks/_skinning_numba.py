# SPDX-License-Identifier: MIT
"""Skinning in careful lines of numba: four influences written out, positions and normals in one loop."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def linear(
    positions: Any, normals: Any, indices: Any, weights: Any, rows: Any, out: Any, out_normals: Any
) -> Any:
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
def signed(weight: Any, row: Any, pivot: Any) -> Any:
    dot = row[0] * pivot[0] + row[1] * pivot[1] + row[2] * pivot[2] + row[3] * pivot[3]
    return -weight if dot < 0 else weight


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def dual_quat(
    positions: Any, normals: Any, indices: Any, weights: Any, rows: Any, out: Any, out_normals: Any
) -> Any:
    for v in range(positions.shape[0]):
        w0, w1, w2, w3 = weights[v, 0], weights[v, 1], weights[v, 2], weights[v, 3]
        r0, r1 = rows[indices[v, 0]], rows[indices[v, 1]]
        r2, r3 = rows[indices[v, 2]], rows[indices[v, 3]]
        pivot, most = r0, w0
        if w1 > most:
            pivot, most = r1, w1
        if w2 > most:
            pivot, most = r2, w2
        if w3 > most:
            pivot = r3
        w0, w1 = signed(w0, r0, pivot), signed(w1, r1, pivot)
        w2, w3 = signed(w2, r2, pivot), signed(w3, r3, pivot)
        x = w0 * r0[0] + w1 * r1[0] + w2 * r2[0] + w3 * r3[0]
        y = w0 * r0[1] + w1 * r1[1] + w2 * r2[1] + w3 * r3[1]
        z = w0 * r0[2] + w1 * r1[2] + w2 * r2[2] + w3 * r3[2]
        w = w0 * r0[3] + w1 * r1[3] + w2 * r2[3] + w3 * r3[3]
        dx = w0 * r0[4] + w1 * r1[4] + w2 * r2[4] + w3 * r3[4]
        dy = w0 * r0[5] + w1 * r1[5] + w2 * r2[5] + w3 * r3[5]
        dz = w0 * r0[6] + w1 * r1[6] + w2 * r2[6] + w3 * r3[6]
        dw = w0 * r0[7] + w1 * r1[7] + w2 * r2[7] + w3 * r3[7]
        s = np.float32(2) / (x * x + y * y + z * z + w * w)
        px, py, pz = positions[v, 0], positions[v, 1], positions[v, 2]
        cx, cy, cz = (
            y * pz - z * py + w * px + dx,
            z * px - x * pz + w * py + dy,
            x * py - y * px + w * pz + dz,
        )
        out[v, 0] = px + s * (y * cz - z * cy + w * dx - dw * x)
        out[v, 1] = py + s * (z * cx - x * cz + w * dy - dw * y)
        out[v, 2] = pz + s * (x * cy - y * cx + w * dz - dw * z)
        px, py, pz = normals[v, 0], normals[v, 1], normals[v, 2]
        cx, cy, cz = y * pz - z * py + w * px, z * px - x * pz + w * py, x * py - y * px + w * pz
        out_normals[v, 0] = px + s * (y * cz - z * cy)
        out_normals[v, 1] = py + s * (z * cx - x * cz)
        out_normals[v, 2] = pz + s * (x * cy - y * cx)


def numba_rivals(case: dict[str, np.ndarray]) -> dict[str, Callable[[], Any]]:
    """Calls by the method; each gives positions and normals in arrays of its own."""
    args = [case[name] for name in ("positions", "normals", "indices", "weights")]
    outs = [tuple(np.empty_like(case[name]) for name in ("positions", "normals")) for _ in range(2)]

    def run_linear() -> Any:
        linear(*args, case["matrices"], *outs[0])
        return outs[0]

    def run_dual_quat() -> Any:
        dual_quat(*args, case["dual_quats"], *outs[1])
        return outs[1]

    return {"linear": run_linear, "dual_quat": run_dual_quat}
