# SPDX-License-Identifier: MIT
"""Labels of a picture of roles: two columns, and lines to their joints that do not cross."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from lissom._roles.bones import SIDES

__all__ = ["Label", "columns"]

Point = tuple[float, float]
ROUNDS = 200  # of exchanges: each shortens the lines, and twenty labels need a few


class Label(NamedTuple):
    """A label of a joint: its role, the joint's place in the picture, and that where the line ends."""

    role: str
    joint: Point
    anchor: Point


def columns(points: dict[str, Point], by_side: bool, x: Point, middle: float, step: float) -> list[Label]:
    """Return the labels of joints by role, sorted by height in a column on the left and one on the right.

    `points` are pixels, y down; `x` has the columns' inner edges, `middle` their centre, `step` the height of
    a line. With `by_side`, left roles go right and right ones left, as the body faces the viewer, and those
    of the trunk where there are fewer; without, each goes to the nearer column.
    """
    left: list[str] = []
    right: list[str] = []
    rest = []
    for role in points:
        if by_side and role.startswith(SIDES):
            (right if role.startswith(SIDES[0]) else left).append(role)
        else:
            rest.append(role)
    for role in sorted(rest, key=lambda each: points[each][1]):
        if by_side:
            (left if len(left) <= len(right) else right).append(role)
        else:
            (left if points[role][0] < sum(x) / 2 else right).append(role)
    return [
        label
        for edge, roles in zip(x, (left, right), strict=True)
        for label in _column(points, roles, edge, middle - (len(roles) - 1) * step / 2, step)
    ]


def _column(points: dict[str, Point], roles: list[str], x: float, top: float, step: float) -> list[Label]:
    order = sorted(roles, key=lambda role: (points[role][1], abs(points[role][0] - x)))
    anchors = [(x, top + i * step) for i in range(len(order))]
    for _ in range(ROUNDS):
        crossing = next(
            (
                (i, j)
                for i, j in combinations(range(len(order)), 2)
                if _cross(points[order[i]], anchors[i], points[order[j]], anchors[j])
            ),
            None,
        )
        if crossing is None:
            break
        i, j = crossing
        order[i], order[j] = order[j], order[i]
    return [Label(role, points[role], anchor) for role, anchor in zip(order, anchors, strict=True)]


def _cross(a: Point, b: Point, c: Point, d: Point) -> bool:
    """Return whether two lines, from `a` to `b` and from `c` to `d`, cross."""

    def turn(p: Point, q: Point, r: Point) -> float:
        return (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])

    return turn(a, b, c) * turn(a, b, d) < 0 and turn(c, d, a) * turn(c, d, b) < 0
