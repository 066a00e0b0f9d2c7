# SPDX-License-Identifier: MIT
"""The solvers of `lissom.ik` as tests call them: all those that exist, with what each promises."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from lissom import ik
from random_chains import COUNTS, Chains, as_lissom

# Numbers in model units that float leaves of positions, as a share of how far joints are from the origin.
ROUNDING = {np.float32: 4e-6, np.float64: 1e-13}


@dataclass(frozen=True)
class Solver:
    """A solver, and what chains it is for."""

    name: str
    function: Callable[..., ik.IkResult]
    options: dict[str, Any] = field(default_factory=dict)
    iterates: bool = True  # takes tolerance, max_iterations, start, continuous
    counts: tuple[int, ...] = COUNTS  # joints of the chains it takes

    def __call__(self, chain: Any, poses: Any, targets: Any, *args: Any, **options: Any) -> ik.IkResult:
        return self.function(chain, poses, targets, *args, **(self.options | options))


def _found() -> dict[str, Solver]:
    found = [Solver(name, getattr(ik, name)) for name in ("ccd", "fabrik") if hasattr(ik, name)]
    if hasattr(ik, "damped_least_squares"):
        found += [
            Solver("damped_least_squares", ik.damped_least_squares),
            Solver("selectively damped", ik.damped_least_squares, {"method": "selective"}),
        ]
    if hasattr(ik, "two_bone"):
        found.append(Solver("two_bone", ik.two_bone, iterates=False, counts=(3,)))
    return {solver.name: solver for solver in found}


SOLVERS = _found()
ITERATIVE = {name: solver for name, solver in SOLVERS.items() if solver.iterates}

each_solver = pytest.mark.parametrize("solver", SOLVERS.values(), ids=lambda solver: solver.name)
each_iterative = pytest.mark.parametrize("solver", ITERATIVE.values(), ids=lambda solver: solver.name)
each_dtype = pytest.mark.parametrize("dtype", [np.float32, np.float64], ids=["float32", "float64"])


def chain_of(chains: Chains) -> ik.Chain:
    """The chain that a user makes of random ones."""
    joints = chains.joints.tolist()
    return ik.Chain(chains.skeleton, joints[0], joints[-1], as_lissom(chains.limits))


def solve(solver: Solver, chains: Chains, dtype: type = np.float64, **options: Any) -> ik.IkResult:
    """What the solver answers, in the precision asked for."""
    poses, targets = chains.poses.astype(dtype), chains.targets.astype(dtype)
    return solver(chain_of(chains), poses, targets, **options)
