# SPDX-License-Identifier: MIT
"""The plan of a retarget as the core takes it: src/core/retarget/retarget_plan.h says what each number is."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BODY", "LIMB", "PLACE", "TURN", "TWIST", "dependency_order"]


def _rows(*fields: tuple[Any, ...]) -> np.dtype[np.void]:
    return np.dtype(list(fields), align=True)


F, INT = np.float64, np.int32

TURN = _rows(
    ("first_factor", F, 4),
    ("second_factor", F, 4),
    ("weight", F),
    ("joint", INT),
    ("first", INT),
    ("second", INT),
    ("reserved", INT),
)
TWIST = _rows(
    ("axis", F, 3),
    ("power", F),
    ("rest", F, 4),
    ("base_from_joint", F, 4),
    ("joint", INT),
    ("base", INT),
    ("other", INT),
    ("is_from_above", INT),
)
PLACE = _rows(("offset", F, 3), ("joint", INT), ("from", INT), ("limb", INT), ("reserved", INT))
POINT = _rows(("surplus_foot", F, 3), ("surplus_toes", F, 3), ("source_foot", F, 3), ("source_toes", F, 3))
LIMB = _rows(
    ("origin", F, 3),
    ("sideways", F, 3),
    ("scale", F),
    ("reach", F),
    ("end_factor", F, 4),
    ("toes_factor", F, 4),
    ("contact", F),
    ("lifted", F),
    ("points", POINT, 3),
    ("source_upper", INT),
    ("source_end", INT),
    ("source_toes", INT),
    ("upper", INT),
    ("lower", INT),
    ("end", INT),
    ("is_leg", INT),
    ("reserved", INT),
)
BODY = _rows(
    ("source_from_model", F, 4),
    ("scale", F),
    ("up", F, 3),
    ("origin", F, 3),
    ("heading_factor", F, 4),
    ("most_drop", F),
    ("floor", F),
    ("source_floor", F),
    ("source_hips", INT),
    ("hips", INT),
)


def dependency_order(parents: NDArray[np.int32], needs: dict[int, list[int]]) -> NDArray[np.int32]:
    """Return all joints, each after its parent and after those that `needs` lists for it.

    Raises ValueError where joints need each other.
    """
    order: list[int] = []
    state = [0] * len(parents)  # 1 while waiting for others, 2 once placed
    for joint in range(len(parents)):
        waiting = [joint]
        while waiting:
            top = waiting[-1]
            above = [*([int(parents[top])] if parents[top] >= 0 else []), *needs.get(top, [])]
            missing = [other for other in above if state[other] != 2]
            if state[top] == 2:
                waiting.pop()
            elif not missing:
                state[top] = 2
                order.append(waiting.pop())
            elif any(state[other] == 1 for other in missing):
                raise ValueError(f"joints need each other's places: {top} and {missing[0]}")
            else:
                state[top] = 1
                waiting.extend(missing)
    return np.array(order, np.int32)
