# SPDX-License-Identifier: MIT
"""The solvers of a playground, which of them take given chains, and default poles."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from lissom.ik._ccd import ccd
from lissom.ik._chain import Chain
from lissom.ik._damped_least_squares import damped_least_squares
from lissom.ik._fabrik import fabrik
from lissom.ik._result import IkResult
from lissom.ik._solve import Chains
from lissom.ik._two_bone import two_bone

Solver = Callable[..., IkResult]

SOLVERS: dict[str, Solver] = {
    "two_bone": two_bone,
    "ccd": ccd,
    "fabrik": fabrik,
    "damped_least_squares": damped_least_squares,
}
# The solver that takes poles. It is analytic: its answer does not depend on a start pose.
WITH_POLES = "two_bone"


def solvers_for(chains: Sequence[Chain]) -> tuple[str, ...]:
    """Return the names of the solvers that do not refuse these chains."""
    rest = chains[0].skeleton.rest
    targets = chains[0].skeleton.positions(rest)[[int(chain.joints[-1]) for chain in chains]]
    names = []
    for name, solver in SOLVERS.items():
        try:
            solver(as_argument(chains), rest, targets if len(chains) > 1 else targets[0], max_iterations=0)
        except ValueError:
            if name != WITH_POLES:
                raise
            continue  # chains that do not have two bones, or that share joints
        names.append(name)
    return tuple(names)


def as_argument(chains: Sequence[Chain]) -> Chains:
    """Return chains as arguments of a solver: one alone, or a list."""
    return chains[0] if len(chains) == 1 else list(chains)


def poles_for(chains: Sequence[Chain], pose: np.ndarray) -> np.ndarray:
    """Return a pole for each limb, shape (E, 3), that keeps the plane in which it is bent.

    It lies in front of the middle joint, at the distance of the limb's length. NaN for other chains.
    """
    skeleton = chains[0].skeleton
    positions = np.asarray(skeleton.positions(pose), np.float64)
    model = np.asarray(skeleton.model_matrices(pose), np.float64)
    poles = np.full((len(chains), 3), np.nan)
    for row, chain in zip(poles, chains, strict=True):
        moving = [index for index, joint in enumerate(chain.joints.tolist()) if joint not in chain.fixed]
        if len(moving) != 3:
            continue
        root, middle, effector = (positions[chain.joints[index]] for index in moving)
        line = (effector - root) / (np.linalg.norm(effector - root) or 1.0)
        outwards = middle - root - ((middle - root) @ line) * line
        if np.linalg.norm(outwards) < 0.02 * chain.length:  # straight: the side it would bend to
            axis_model = model[chain.joints[moving[1]], :3, :3] @ chain.bend_axes[moving[1]]
            outwards = np.cross(line, axis_model)
        row[:] = middle + outwards * (chain.length / (np.linalg.norm(outwards) or 1.0))
    return poles
