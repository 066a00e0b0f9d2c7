# SPDX-License-Identifier: MIT
"""How vertices are sorted into blocks that share palette rows, as the rule reads."""

from __future__ import annotations

import numpy as np

BLOCK, REGISTER, OPEN, MOVE = 16, 8, 64, 6


def order_of(indices, weights) -> tuple[np.ndarray, int, int]:
    """The prepared order of a mesh without parts, its blocks and the rows of all of them."""
    by_pivot: dict[int, dict[tuple[int, ...], list[int]]] = {}
    for vertex, (rows, shares) in enumerate(zip(indices.tolist(), weights.tolist(), strict=True)):
        pivot, others = _set_of(rows, shares)
        by_pivot.setdefault(pivot, {}).setdefault(others, []).append(vertex)
    blocks: list[tuple[set[int], list[int]]] = []
    for sets in by_pivot.values():
        rare = []
        for others in sorted(sets):
            vertices = sets[others]
            whole = len(vertices) // BLOCK * BLOCK
            blocks += [(set(others), vertices[i : i + BLOCK]) for i in range(0, whole, BLOCK)]
            if vertices[whole:]:
                rare.append((set(others), vertices[whole:]))
        rare.sort(key=lambda one: -len(one[0]))
        blocks += _joined(rare)
    blocks = sorted((sorted(vertices), len(others) + 1) for others, vertices in blocks)
    order = np.array([vertex for vertices, _ in blocks for vertex in vertices], np.uint32)
    return order, len(blocks), sum(count for _, count in blocks)


def _set_of(rows: list[int], shares: list[float]) -> tuple[int, tuple[int, ...]]:
    total: dict[int, np.float32] = {}
    for row, share in zip(rows, shares, strict=True):
        total[row] = np.float32(total.get(row, np.float32(0)) + np.float32(share))
    pivot = min(total, key=lambda row: (-total[row], row))
    return pivot, tuple(sorted(row for row in total if total[row] > 0 and row != pivot))


def _joined(rare) -> list[tuple[set[int], list[int]]]:
    def cost(count: int, others: set[int]) -> int:
        return -(-count // REGISTER) * (MOVE + 1 + len(others))

    closed, open_blocks = [], []
    for others, vertices in rare:
        best, least = None, cost(len(vertices), others)
        for block in open_blocks:
            count = len(block[1]) + len(vertices)
            added = cost(count, block[0] | others) - cost(len(block[1]), block[0])
            if count <= BLOCK and added < least:
                best, least = block, added
        if best is None:
            if len(open_blocks) == OPEN:
                closed.append(open_blocks.pop(0))
            best = (set(), [])
            open_blocks.append(best)
        best[0].update(others)
        best[1].extend(vertices)
    return closed + open_blocks
