# SPDX-License-Identifier: MIT
"""The solver of all legs of a character."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.ik._axes import Floats
from lissom.ik._fabrik import fabrik
from lissom.ik._feet.folded_legs import solve_folded
from lissom.ik._feet.foot_rig import FootRig
from lissom.ik._feet.leg_chain import leg_chain
from lissom.ik._two_bone import two_bone

EXACT = 1e-5  # of a leg's length: tolerance of the iterative solver
MAX_ITERATIONS = 60
REACHED = 1e-4  # of a leg's length


@dataclass(frozen=True, eq=False)
class SolvedLegs:
    """Poses, and the distances of ankles from their targets."""

    poses: Floats  # (F, J, 10)
    residuals: Floats  # (F, L)
    reached: NDArray[np.bool_]  # (F, L)


class LegSolver:
    """The legs of a character: with one knee solved by `two_bone`, with more folded as the animation does.

    A leg that cannot fold so far in that way is folded on by `fabrik`.
    """

    def __init__(self, rig: FootRig) -> None:
        self._rig = rig
        chains = [leg_chain(rig.skeleton, leg) for leg in rig.joints]
        self._limbs = [index for index, leg in enumerate(rig.joints) if len(leg.bends) == 2]
        self._others = [index for index, leg in enumerate(rig.joints) if len(leg.bends) != 2]
        self.limb_chains = [chains[index] for index in self._limbs]
        self._other_chains = [chains[index] for index in self._others]

    def solve(self, poses: Floats, ankles_model: Floats, rotations_model: Floats) -> SolvedLegs:
        """Move ankles to positions (F, L, 3) and rotations (F, L, 4) in model space."""
        residuals = np.empty(ankles_model.shape[:2])
        if self._limbs:
            done = two_bone(
                self.limb_chains, poses, ankles_model[:, self._limbs], rotations_model[:, self._limbs]
            )
            poses, residuals[:, self._limbs] = done.pose, done.residual
        for index, chain in zip(self._others, self._other_chains, strict=True):
            leg, goal, rotation = self._rig.joints[index], ankles_model[:, index], rotations_model[:, index]
            poses, residual = solve_folded(self._rig.skeleton, leg, poses, goal, rotation)
            left = np.flatnonzero(residual > REACHED * self._rig.lengths[index])
            if len(left):
                done = fabrik(
                    chain,
                    poses[left],
                    goal[left],
                    rotation[left],
                    tolerance=EXACT,
                    max_iterations=MAX_ITERATIONS,
                )
                poses[left], residual[left] = done.pose, done.residual
            residuals[:, index] = residual
        return SolvedLegs(poses, residuals, residuals <= REACHED * self._rig.lengths)
