# SPDX-License-Identifier: MIT
"""Bounded biharmonic weights on tetrahedra whose fixed nodes are known."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom.weights._inputs import Floats
from lissom.weights._memory import check_memory, memory_limit
from lissom.weights._progress import Progress

__all__ = ["ARRAYS", "DEFAULT_TOLERANCE", "FUNCTION", "ITERATION_LIMIT", "solve"]

FUNCTION = "weights.bounded_biharmonic"
"""As errors call it."""

DEFAULT_TOLERANCE = 1e-3
"""Largest error of a weight: a thousandth of a handle's motion, a quarter of what eight bits tell apart."""

ITERATION_LIMIT = 400
"""Of ADMM. What creeps for longer is solved by active sets: ten times what a bar takes."""

ARRAYS = 7
"""Numbers kept for each node and handle: weights, right-hand sides and five of the iteration."""


def solve(
    nodes: Floats,
    tets: NDArray[np.int32],
    fixed_nodes: NDArray[np.int32],
    fixed_rows: Floats,
    *,
    tolerance: float = DEFAULT_TOLERANCE,
    polish: bool = False,
    memory: float = np.inf,
    progress: Progress | None = None,
) -> tuple[Floats, dict[str, Any]]:
    """Compute the weights of all nodes where those of some are given.

    Parameters
    ----------
    nodes : ndarray of float64, shape (N, 3)
    tets : ndarray of int32, shape (T, 4)
        Of either orientation. Those without volume are left out, counted and warned of.
    fixed_nodes : ndarray of int32, shape (C,)
        None twice.
    fixed_rows : ndarray of float64, shape (C, H)
        Their weights, not negative, with the sum 1 in each row.
    tolerance : float
        Largest error of a weight that is aimed at.
    polish : bool
        Go on to the exact solution.
    memory : float
        Bytes that the solution may take, if the machine has them.
    progress : callable, optional
        Called with the name of the stage and how much of it is done, 0 to 1, a few times a second. What it
        raises stops the solver, as Ctrl-C does.

    Returns
    -------
    weights : ndarray of float64, shape (N, H)
        In [0, 1], rows sum to 1.
    facts : dict
        ``by_multigrid``, ``iterations``, ``set_changes``, ``factorisations``, ``primal_residual``,
        ``change``, ``error_estimate``, ``converged``, ``polished``, ``lowest`` and ``highest`` weight before
        clipping, ``row_sums`` (lowest, highest) before normalising, ``flat_count`` (tetrahedra left out),
        ``unreached`` (N) bool, ``unreached_count``, ``unreached_component_count``, ``factor_entries``,
        ``seconds`` by stage.

    Raises
    ------
    ValueError
        If an array does not fit, as `lissom.weights.bounded_biharmonic` says it.
    MemoryError
        Before anything is allocated that the machine cannot hold.
    """
    nodes = np.require(nodes, np.float64, ["C", "A"])
    tets = np.require(tets, np.int32, ["C", "A"])
    fixed_nodes = np.require(fixed_nodes, np.int32, ["C", "A"])
    fixed_rows = np.require(fixed_rows, np.float64, ["C", "A"])
    handle_count = fixed_rows.shape[1]
    limit = min(memory, memory_limit())
    check_memory(
        8.0 * ARRAYS * len(nodes) * handle_count,
        limit,
        f"{FUNCTION}: {len(nodes)} nodes and {handle_count} handles",
        "pass a coarser volume, fewer handles at a time, or a higher memory_limit",
    )
    weights = np.empty((len(nodes), handle_count))
    unreached = np.zeros(len(nodes), np.uint8)
    facts: dict[str, Any] = _core.bounded_biharmonic(
        nodes,
        tets,
        fixed_nodes,
        fixed_rows,
        tolerance=float(tolerance),
        iteration_limit=ITERATION_LIMIT,
        polish=bool(polish),
        memory_limit=limit,
        progress=progress,
        weights=weights,
        unreached=unreached,
    )
    facts["unreached"] = unreached.astype(bool)
    for sentence in _warnings(facts, tolerance):
        warnings.warn(f"{FUNCTION}: {sentence}", RuntimeWarning, stacklevel=3)
    return weights, facts


def _warnings(facts: dict[str, Any], tolerance: float) -> list[str]:
    found = []
    if not facts["converged"]:
        found.append(
            f"did not converge: after {facts['iterations']} iterations weights may be off by "
            f"{facts['error_estimate']:.2g}, more than the tolerance {tolerance:g}, and active sets did not "
            "settle; look for very flat tetrahedra"
        )
    if facts["flat_count"]:
        found.append(f"{facts['flat_count']} tetrahedra have no volume and were left out")
    if facts["unreached_count"]:
        found.append(
            f"{facts['unreached_count']} nodes in {facts['unreached_component_count']} parts of the volume "
            "hold no handle; each such part got the weights of the handle nearest to it"
        )
    return found
