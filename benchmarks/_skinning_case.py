# SPDX-License-Identifier: MIT
"""What benchmarks of skinning and of morph targets share: a mesh, a palette, and skinning in NumPy."""

from __future__ import annotations

import numpy as np

ROWS, INFLUENCES = 64, 4
TOLERANCE = 2e-5  # of answers about 2 units in size; the rivals accumulate in float32 in their own order


def make_case(vertex_count: int) -> dict[str, np.ndarray]:
    """Vertices whose influences lie near each other in the palette, as in a character; random rigid rows."""
    rng = np.random.default_rng(0)
    first = np.arange(vertex_count) * (ROWS - 8) // vertex_count
    indices = first[:, None] + rng.permuted(np.tile(np.arange(8), (vertex_count, 1)), axis=1)[:, :INFLUENCES]
    weights = rng.random((vertex_count, INFLUENCES)) + 0.05
    quats = rng.normal(size=(ROWS, 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    translations = rng.uniform(-0.5, 0.5, (ROWS, 3))
    normals = rng.normal(size=(vertex_count, 3))
    case = {
        "positions": rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        "normals": normals / np.linalg.norm(normals, axis=1, keepdims=True),
        "weights": weights / weights.sum(axis=1, keepdims=True),
        "centers": rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        "matrices": matrices(quats, translations),
        "dual_quats": dual_quats(quats, translations),
    }
    case = {name: np.ascontiguousarray(array, np.float32) for name, array in case.items()}
    case["indices"] = indices.astype(np.uint16)
    return case


def matrices(quats: np.ndarray, translations: np.ndarray) -> np.ndarray:
    x, y, z, w = quats.T
    result = np.zeros((len(quats), 4, 4))
    result[:, :3, :3] = np.moveaxis(
        np.array(
            [
                [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
            ]
        ),
        2,
        0,
    )
    result[:, :3, 3] = translations
    result[:, 3, 3] = 1
    return result


def dual_quats(quats: np.ndarray, translations: np.ndarray) -> np.ndarray:
    vector, scalar = quats[:, :3], quats[:, 3:]
    dual = np.concatenate(
        [
            scalar * translations + np.cross(translations, vector),
            -(translations * vector).sum(1, keepdims=True),
        ],
        1,
    )
    return np.concatenate([quats, 0.5 * dual], axis=1)


def numpy_linear(case: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    blend = np.einsum("vk,vkij->vij", case["weights"], case["matrices"][case["indices"], :3])
    positions = np.einsum("vij,vj->vi", blend[:, :, :3], case["positions"]) + blend[:, :, 3]
    normals = np.einsum("vij,vj->vi", blend[:, :, :3], case["normals"])
    return positions, normals / np.linalg.norm(normals, axis=1, keepdims=True)


def numpy_dual_quat(case: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    rows, indices, weights = case["dual_quats"], case["indices"], case["weights"]
    signs = np.where(rows[:, :4] @ rows[:, :4].T < 0, np.float32(-1), np.float32(1))
    pivots = np.take_along_axis(indices, weights.argmax(axis=1)[:, None], 1)
    b = np.einsum("vk,vki->vi", weights * signs[pivots, indices], rows[indices])
    b /= np.linalg.norm(b[:, :4], axis=1, keepdims=True)
    r, w, d, u = b[:, :3], b[:, 3:4], b[:, 4:7], b[:, 7:]
    p, n = case["positions"], case["normals"]
    positions = p + 2 * (np.cross(r, np.cross(r, p) + w * p + d) + w * d - u * r)
    return positions, n + 2 * np.cross(r, np.cross(r, n) + w * n)


def numpy_cor(case: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    quats, indices, weights = case["dual_quats"][:, :4], case["indices"], case["weights"]
    signs = np.where(quats @ quats.T < 0, np.float32(-1), np.float32(1))
    pivots = np.take_along_axis(indices, weights.argmax(axis=1)[:, None], 1)
    q = np.einsum("vk,vki->vi", weights * signs[pivots, indices], quats[indices])
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    r, w, center = q[:, :3], q[:, 3:], case["centers"]
    carried, _ = numpy_linear(case | {"positions": center})

    def rotated(v: np.ndarray) -> np.ndarray:
        return v + 2 * np.cross(r, np.cross(r, v) + w * v)

    return rotated(case["positions"] - center) + carried, rotated(case["normals"])


NUMPY = {"linear": numpy_linear, "dual_quat": numpy_dual_quat, "cor": numpy_cor}
