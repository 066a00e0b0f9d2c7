# SPDX-License-Identifier: MIT
"""A hypothesis of what went wrong, and what undoing it leaves.

Any error can be explained by a hypothesis of many parameters: those here have none, or one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from lissom._verify.evidence import Evidence

__all__ = ["EXPLAINS", "Explanation", "Hypothesis"]

EXPLAINS = 0.2
"""A hypothesis is believed that leaves at most this share of the error; of several the best one."""


@dataclass(frozen=True)
class Explanation:
    """What undoing one fault leaves.

    Attributes
    ----------
    fault : str
        Its name.
    sentence : str
        What it is, and what to do.
    error : float
        Largest error that is left, as a fraction of the size.
    freedom : int
        How many numbers were chosen to make it small.
    """

    fault: str
    sentence: str
    error: float
    freedom: int = 0


Hypothesis = Callable[[Evidence], Iterator[Explanation]]
