# SPDX-License-Identifier: MIT
"""How often the solvers reach what can be reached, judged by forward kinematics of the answer.

A few thousand chains of each class; `make soak` judges a hundred thousand, and what else holds.
"""

from functools import lru_cache

import numpy as np
import pytest

from ik_solvers import SOLVERS, each_iterative, solve
from random_chains import COUNTS, LIMITED, many_chains

TOLERANCE = 1e-3  # of the chain's length
TOTAL = 2000  # chains of a class: a share of 95 % is then known to 0.5 %


@lru_cache(maxsize=32)
def sample(name, total, counts):
    return list(many_chains(name, total, counts=counts))


def share_reached(solver, name, most, counts, total=TOTAL, dtype=np.float32):
    """The share of the targets that can be met which the answer meets."""
    met = tried = 0
    for chains in sample(name, total, counts):
        done = solve(solver, chains, dtype, tolerance=TOLERANCE, max_iterations=most)
        away = np.linalg.norm(chains.tips(done.pose) - chains.targets, axis=-1)
        fits = (away <= 1.001 * TOLERANCE * chains.length) & (chains.excess(done.pose) <= 1e-5)
        met += np.count_nonzero(fits & chains.reachable)
        tried += np.count_nonzero(chains.reachable)
    assert tried > total / 5
    return met / tried


@pytest.mark.parametrize(("count", "share"), [(4, 0.98), (6, 0.98), (8, 0.95), (10, 0.90)])
def test_fabrik_reaches_within_15_iterations(count, share):
    assert share_reached(SOLVERS["fabrik"], "reachable", 15, (count,)) >= share


@each_iterative
@pytest.mark.parametrize("name", ["reachable", "in a crowd", "zero length", "duplicate", "below a mirror"])
def test_free_chains_reach_within_60_iterations(solver, name):
    assert share_reached(solver, name, 60, COUNTS) >= 0.99


@each_iterative
def test_collinear_chains_get_out_of_line(solver):
    assert share_reached(solver, "collinear", 60, COUNTS, total=1000) >= 0.99


@each_iterative
@pytest.mark.parametrize("name", LIMITED)
def test_limited_chains_reach_within_100_iterations(solver, name):
    wanted = 0.90 if solver.name in ("ccd", "fabrik") else 0.95
    assert share_reached(solver, name, 100, COUNTS, total=1800) >= wanted
