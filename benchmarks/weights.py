# SPDX-License-Identifier: MIT
"""How long do bounded biharmonic weights take, and how exact are they, beside libigl?

One thread, processor time of the whole call. Bars of cubes, each cut into six tetrahedra, with five bones
along the axis: 7 381 nodes and 36 000 tetrahedra, 19 125 and 98 784. The error is the largest difference to
the exact solution (polish=True), whose conditions of optimality the solver checks. libigl solves exactly: it
has no tolerance to be faster by, and so it is beside our exact solution, and beside the default with its
error. It takes 5 s and 73 s: the second only with --big-igl. The bars: 0.8 s and 5 s to 1e-3.
"""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np

from _bench import Bench
from _measure import Run
from lissom.weights._constraints import find_constraints
from lissom.weights._inputs import as_cage_faces, as_handles
from lissom.weights._solve import solve

TOLERANCE = 1e-3
IGL = 2e-3  # libigl stops early
BONES = 5


def bar(x: int, y: int, z: int) -> tuple[Any, Any]:
    nodes = np.indices((z + 1, y + 1, x + 1)).reshape(3, -1)[::-1].T.astype(float)
    strides = np.array([1, x + 1, (x + 1) * (y + 1)])
    cells = np.indices((z, y, x)).reshape(3, -1)[::-1].T @ strides
    tets = [cells[:, None] + np.cumsum([0, *strides[list(order)]]) for order in permutations(range(3))]
    return np.ascontiguousarray(nodes), np.concatenate(tets).astype(np.int32)


def measure(bench: Bench, sides: tuple[int, int, int], claim: float, with_igl: bool) -> None:
    nodes, tets = bar(*sides)
    x, y, z = sides
    bones = [[(x / 2, y / 2, z * k / BONES), (x / 2, y / 2, z * (k + 1) / BONES)] for k in range(BONES)]
    handles = as_handles(bones, "bones")
    fixed, rows, _ = find_constraints(nodes, handles, as_cage_faces(None, handles, "bones"), 1e-5)
    title = f"{len(nodes)} nodes, {len(tets)} tetrahedra, {BONES} bones"
    weights, facts = solve(nodes, tets, fixed, rows)
    exact, polished = solve(nodes, tets, fixed, rows, polish=True)
    assert polished["polished"]
    error = float(np.abs(weights - exact).max())
    assert error <= TOLERANCE
    runs = {
        "lissom, polished": Run(lambda: solve(nodes, tets, fixed, rows, polish=True), note="exact"),
        "lissom": Run(lambda: solve(nodes, tets, fixed, rows), note=f"error {error:.1e}"),
    }
    if with_igl and bench.has("igl"):
        import igl

        wide, column = tets.astype(np.int64), np.asfortranarray(rows)

        def by_igl() -> Any:
            found = igl.bbw(nodes, wide, fixed.astype(np.int64), column)
            return found[1] if isinstance(found, tuple) else found

        theirs = by_igl()
        apart = float(np.abs(theirs / theirs.sum(axis=1, keepdims=True) - exact).max())
        assert apart <= IGL
        runs["libigl"] = Run(by_igl, note=f"error {apart:.1e}")
    table = bench.table(title, runs, 1, "")
    bench.number("iterations", facts["iterations"], table=title)
    for which in (0, 1):
        bench.number(f"{('smallest', 'largest')[which]} sum of a row", facts["row_sums"][which], table=title)
    table.judge("lissom", claim, 1, "s")


def main(bench: Bench) -> None:
    bench.one_thread()
    if bench.quick:
        measure(bench, (6, 6, 30), 0.8, True)
        return
    measure(bench, (10, 10, 60), 0.8, True)
    measure(bench, (14, 14, 84), 5.0, bench.options.big_igl)


if __name__ == "__main__":
    bench = Bench(__file__, __doc__)
    bench.argument("--big-igl", action="store_true", help="libigl on the larger bar, too: minutes")
    bench.run(main)
