# SPDX-License-Identifier: MIT
"""The joints of a leg by index."""

from __future__ import annotations

from dataclasses import dataclass

from lissom.ik._axes import Floats


@dataclass(frozen=True, eq=False)
class LegJoints:
    """A leg in one skeleton, by index."""

    name: str
    chain: tuple[int, ...]
    """All joints from hip to ankle, also those that keep their local rotation."""
    bends: tuple[int, ...]
    """Hip and knees: the joints that rotate."""
    ankle: int
    toe: int | None
    foot: int
    """The joint that carries the foot: the ankle, or one beside the leg."""
    sole: Floats | None = None
    """Points of the sole in the frame of `foot`, (K, 3), where the user passed them."""

    @property
    def fixed(self) -> tuple[int, ...]:
        return tuple(joint for joint in self.chain[:-1] if joint not in self.bends)

    @property
    def is_detached(self) -> bool:
        return self.foot != self.ankle
