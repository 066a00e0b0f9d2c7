# SPDX-License-Identifier: MIT
"""How long do bounded biharmonic weights take, and how exact are they, beside libigl?

One thread, processor time of the whole call. Bars of cubes, each cut into six tetrahedra, with five bones
along the axis: 7 381 nodes and 36 000 tetrahedra, 19 125 and 98 784. The error is the largest difference to
the exact solution (polish=True), whose conditions of optimality the solver checks. libigl takes 5 s and 73 s:
the second only with --big-igl. The claims: 0.8 s and 5 s to 1e-3.
Run: make bench."""

from __future__ import annotations

import sys
import time
from itertools import permutations
from typing import Any

import numpy as np

import lissom
from lissom.weights._constraints import find_constraints
from lissom.weights._inputs import as_cage_faces, as_handles
from lissom.weights._solve import solve

try:
    import igl
except ImportError:
    sys.exit("this benchmark needs libigl: uv pip install --group bench")

TOLERANCE = 1e-3
IGL = 2e-3  # libigl stops early
BONES = 5


def bar(x: int, y: int, z: int) -> tuple[Any, Any]:
    nodes = np.indices((z + 1, y + 1, x + 1)).reshape(3, -1)[::-1].T.astype(float)
    strides = np.array([1, x + 1, (x + 1) * (y + 1)])
    cells = np.indices((z, y, x)).reshape(3, -1)[::-1].T @ strides
    tets = [cells[:, None] + np.cumsum([0, *strides[list(order)]]) for order in permutations(range(3))]
    return np.ascontiguousarray(nodes), np.concatenate(tets).astype(np.int32)


def processor_seconds(call: Any) -> tuple[float, Any]:
    begin = time.process_time()
    result = call()
    return time.process_time() - begin, result


def measure(sides: tuple[int, int, int], claim: float, with_igl: bool) -> None:
    nodes, tets = bar(*sides)
    x, y, z = sides
    bones = [[(x / 2, y / 2, z * k / BONES), (x / 2, y / 2, z * (k + 1) / BONES)] for k in range(BONES)]
    handles = as_handles(bones, "bones")
    fixed, rows, _ = find_constraints(nodes, handles, as_cage_faces(None, handles, "bones"), 1e-5)
    print(f"{len(nodes)} nodes, {len(tets)} tetrahedra, {BONES} bones")
    seconds, (weights, facts) = min(
        (processor_seconds(lambda: solve(nodes, tets, fixed, rows)) for _ in range(3)), key=lambda run: run[0]
    )
    slow, (exact, polished) = processor_seconds(lambda: solve(nodes, tets, fixed, rows, polish=True))
    assert polished["polished"]
    error = float(np.abs(weights - exact).max())
    print(
        f"  lissom           {seconds:7.2f} s   error {error:.1e}   {facts['iterations']} iterations, "
        f"row sums {facts['row_sums'][0]:.4f} to {facts['row_sums'][1]:.4f}"
    )
    print(f"  lissom, polished {slow:7.2f} s   exact")
    assert error <= TOLERANCE
    assert seconds <= claim
    if not with_igl:
        return
    theirs_seconds, theirs = processor_seconds(
        lambda: igl.bbw(nodes, tets.astype(np.int64), fixed.astype(np.int64), np.asfortranarray(rows))
    )
    theirs = theirs[1] if isinstance(theirs, tuple) else theirs
    theirs = theirs / theirs.sum(axis=1, keepdims=True)
    apart = float(np.abs(theirs - exact).max())
    ratio = theirs_seconds / seconds
    print(f"  libigl           {theirs_seconds:7.2f} s   {apart:.1e} from the exact   {ratio:.1f}x")
    assert apart <= IGL


def main() -> None:
    lissom.set_thread_count(1)
    measure((10, 10, 60), 0.8, True)
    measure((14, 14, 84), 5.0, "--big-igl" in sys.argv)


if __name__ == "__main__":
    main()
