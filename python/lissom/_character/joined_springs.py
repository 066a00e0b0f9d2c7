# SPDX-License-Identifier: MIT
"""What a file says of springs, of a character that became part of another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom._rig.skeleton import Skeleton

__all__ = ["carried_springs"]


def carried_springs(
    skeleton: Skeleton, first: int, prefix: str, place: NDArray[np.float64] | None
) -> list[Any]:
    """Return the spring chains that a skeleton states, for a skeleton that holds its joints from `first` on.

    Lengths are those of the model, so they grow with what moves it: as the cube root of its volume does.
    """
    if not prefix:
        return list(skeleton._stated_springs)
    volume = 1.0 if place is None else abs(float(np.linalg.det(place[:3, :3])))
    factor = float(np.cbrt(volume))

    def joint(value: str | int) -> str | int:
        return prefix + value if isinstance(value, str) else value + first

    def collider(each: Any) -> Any:
        return replace(each, joint=joint(each.joint), radius=factor * each.radius)

    return [
        replace(
            chain,
            joints=tuple(joint(each) for each in chain.joints),
            stiffness=tuple((factor * np.array(chain.stiffness)).tolist()),
            gravity=factor * np.array(chain.gravity),
            radius=tuple((factor * np.array(chain.radius)).tolist()),
            end=factor * chain.end,
            center=None if chain.center is None else joint(chain.center),
            colliders=tuple(collider(each) for each in chain.colliders),
        )
        for chain in skeleton._stated_springs
    ]
