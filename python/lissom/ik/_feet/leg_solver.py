# SPDX-License-Identifier: MIT
"""Letting all legs of a character reach at once."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lissom.ik._chain import Chain
from lissom.ik._fabrik import fabrik
from lissom.ik._feet.rig import Floats, FootRig
from lissom.ik._two_bone import two_bone

EXACT = 1e-5  # of the length of a leg
ROUNDS = 60
REACHED = 1e-4  # of the length of a leg


@dataclass(frozen=True, eq=False)
class Solved:
    """Poses, and how far ankles are from their targets."""

    poses: Floats  # (F, J, 10)
    residuals: Floats  # (F, L)
    reached: NDArray[np.bool_]  # (F, L)


class LegSolver:
    """The chains of a character's legs: those that bend once are solved at once, the others bit by bit."""

    def __init__(self, rig: FootRig) -> None:
        chains = [Chain(rig.skeleton, leg.chain[0], leg.ankle, fixed=leg.fixed) for leg in rig.joints]
        bends = [len(leg.bends) for leg in rig.joints]
        self._lengths = rig.lengths
        self._limbs = [index for index, count in enumerate(bends) if count == 2]
        self._others = [index for index, count in enumerate(bends) if count != 2]
        self._two_bone = [chains[index] for index in self._limbs]
        self._long = [chains[index] for index in self._others]

    def solve(self, poses: Floats, targets: Floats, orientations: Floats) -> Solved:
        """Bring ankles to targets (F, L, 3) and orientations (F, L, 4) in model space."""
        residuals = np.empty(targets.shape[:2])
        if self._limbs:
            done = two_bone(self._two_bone, poses, targets[:, self._limbs], orientations[:, self._limbs])
            poses, residuals[:, self._limbs] = done.pose, done.residual
        for index, chain in zip(self._others, self._long, strict=True):
            done = fabrik(
                chain,
                poses,
                targets[:, index],
                orientations[:, index],
                tolerance=EXACT,
                max_iterations=ROUNDS,
            )
            poses, residuals[:, index] = done.pose, done.residual
        return Solved(poses, residuals, residuals <= REACHED * self._lengths)
