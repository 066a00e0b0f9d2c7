# SPDX-License-Identifier: MIT
"""A skeleton while roles are sought in it: what its names say, where its joints are, what was found."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lissom._rig.skeleton import Skeleton
from lissom._roles.words import Word

__all__ = ["BY_PLACE", "UP", "Body"]

UP = np.array([0.0, 1.0, 0.0])
"""Of model space."""
BY_PLACE = "found by place alone: its name says nothing"
"""Why a role is ambiguous that no name says."""


@dataclass
class Body:
    """Joints by role as far as they are found, and what is not certain.

    Attributes
    ----------
    skeleton : Skeleton
    words : list of Word
        What the name of each joint says.
    rest, bind : ndarray of float64, shape (J, 3)
        Places in model space at rest, and where the mesh is bound to the joint: some files rest amid a step.
    moves : ndarray of bool, shape (J,)
        Whether vertices move with the joint or one below; True for all without a mesh.
    size : float
    joints : dict of str to int
    ambiguous : dict of str to str
        Reasons by role.
    is_quadruped : bool
    vertices : pair of ndarray of float64, shapes (J, 3) and (J,), or None
        Of the vertices of each joint the sum of places in the bind pose by weight, and that of the weights.
    by_place : bool
        Whether the limbs were found without names.
    is_unsided : bool
        Whether limbs were found, and nothing says which are left.
    lacking : dict of str to str
        Roles that no joint plays, with reasons that are better than "no joint is one".
    """

    skeleton: Skeleton
    words: list[Word]
    rest: NDArray[np.float64]
    bind: NDArray[np.float64]
    moves: NDArray[np.bool_]
    size: float
    joints: dict[str, int] = field(default_factory=dict)
    ambiguous: dict[str, str] = field(default_factory=dict)
    is_quadruped: bool = False
    vertices: tuple[NDArray[np.float64], NDArray[np.float64]] | None = None
    by_place: bool = False
    is_unsided: bool = False
    lacking: dict[str, str] = field(default_factory=dict)

    def line_to(self, joint: int) -> list[int]:
        """Return a joint and its ancestors, upwards."""
        line = []
        while joint >= 0:
            line.append(joint)
            joint = int(self.skeleton.parents[joint])
        return line

    def is_below(self, joint: int, other: int) -> bool:
        """Return whether a joint descends from another."""
        first, count = self._below[other]
        return first < self._below[joint][0] < first + count

    @cached_property
    def _below(self) -> list[tuple[int, int]]:
        """Of each joint its place when branches are walked one by one, and the count of its branch."""
        parents = self.skeleton.parents.tolist()
        counts = [1] * len(parents)
        for joint in range(len(parents) - 1, 0, -1):
            if parents[joint] >= 0:
                counts[parents[joint]] += counts[joint]
        places: list[tuple[int, int]] = []
        free = [0] * (len(parents) + 1)  # the next place below each joint; last, of another root
        for joint, parent in enumerate(parents):
            places.append((free[parent], counts[joint]))
            free[joint], free[parent] = free[parent] + 1, free[parent] + counts[joint]
        return places

    def common(self, joints: list[int]) -> int:
        """Return the lowest joint that all of these descend from, or are; -1 where there is none."""
        lines = [self.line_to(joint) for joint in joints]
        return next((each for each in lines[0] if all(each in line for line in lines[1:])), -1)

    def children(self, joint: int) -> list[int]:
        """Return the joints right below one."""
        below: list[int] = np.flatnonzero(self.skeleton.parents == joint).tolist()
        return below
