# SPDX-License-Identifier: MIT
"""A fault of a bake that was found and named."""

from __future__ import annotations

from dataclasses import dataclass

from lissom._base.set_module import set_module

__all__ = ["BakeFault"]


@set_module("lissom")
@dataclass(frozen=True)
class BakeFault:
    """What is wrong with a bake, as `verify` found it.

    Attributes
    ----------
    name : str
        One of a few short names, such as ``"row_off_by_one"``: :doc:`/howto/judge-a-bake` has them all.
    clip : str
        Clip in which it was found.
    sentence : str
        What was found, with numbers, and what to do.
    error_without : float
        Largest error at frames that is left once the fault is undone, as a fraction of the size; as it is
        where nothing was undone: a tag, a length, or what is unexplained.

    Examples
    --------
    >>> fault = lissom.BakeFault("gamma", "walk", "its numbers were made brighter", 0.001)
    >>> print(fault)
    gamma in walk: its numbers were made brighter
    """

    name: str
    clip: str
    sentence: str
    error_without: float

    def __str__(self) -> str:
        return f"{self.name} in {self.clip}: {self.sentence}"
