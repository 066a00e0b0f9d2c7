# SPDX-License-Identifier: MIT
"""Expressions, which glTF has no property for: marks of them."""

from __future__ import annotations

from lissom._files.gltf.extras import ExpressionMark
from lissom._rig.expressions import Expressions

__all__ = ["expression_marks"]


def expression_marks(expressions: Expressions | None) -> list[ExpressionMark] | None:
    """Return the marks of expressions; None where there are none."""
    if expressions is None:
        return None
    marks = []
    for name in expressions:
        one = expressions[name]
        marks.append(
            ExpressionMark(
                name,
                expressions._binds_of(name),
                one.binary,
                one.override_blink,
                one.override_look_at,
                one.override_mouth,
                one._group,
            )
        )
    return marks
