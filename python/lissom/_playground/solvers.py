# SPDX-License-Identifier: MIT
"""The solvers to choose among where a target is dragged, and which of them chains can be given to."""

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
# One that takes poles, and answers at once from the pose it is given: it has no start to go on from.
WITH_POLES = "two_bone"


def solvers_for(chains: Sequence[Chain]) -> tuple[str, ...]:
    """Give the names of the solvers that take these chains: each solver knows what it is for."""
    rest = chains[0].skeleton.rest
    targets = chains[0].skeleton.positions(rest)[[int(chain.joints[-1]) for chain in chains]]
    found = []
    for name, solver in SOLVERS.items():
        try:
            solver(as_given(chains), rest, targets if len(chains) > 1 else targets[0], max_iterations=0)
        except ValueError:
            if name != WITH_POLES:
                raise
            continue  # chains of other than two bones, or that share joints
        found.append(name)
    return tuple(found)


def as_given(chains: Sequence[Chain]) -> Chains:
    """Give chains as one calls a solver: one alone, or a list."""
    return chains[0] if len(chains) == 1 else list(chains)


def poles_for(chains: Sequence[Chain], pose: np.ndarray) -> np.ndarray:
    """Give a pole for each limb, shape (E, 3), that leaves it bent the way it is.

    It lies before the middle joint, a length of the limb from the line between root and effector.
    """
    skeleton = chains[0].skeleton
    places = np.asarray(skeleton.positions(pose), np.float64)
    model = np.asarray(skeleton.model_matrices(pose), np.float64)
    poles = np.full((len(chains), 3), np.nan)
    for row, chain in zip(poles, chains, strict=True):
        moving = [place for place, joint in enumerate(chain.joints.tolist()) if joint not in chain.fixed]
        if len(moving) != 3:
            continue
        root, middle, effector = (places[chain.joints[place]] for place in moving)
        line = (effector - root) / (np.linalg.norm(effector - root) or 1.0)
        out = middle - root - ((middle - root) @ line) * line
        if np.linalg.norm(out) < 0.02 * chain.length:  # straight: where it would bend to
            axis = model[chain.joints[moving[1]], :3, :3] @ chain.bend_axes[moving[1]]
            out = np.cross(line, axis)
        row[:] = middle + out * (chain.length / (np.linalg.norm(out) or 1.0))
    return poles
