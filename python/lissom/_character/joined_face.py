# SPDX-License-Identifier: MIT
"""The expressions of a character that others became part of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lissom._character.character import Character
from lissom._rig.expressions import Expression, Expressions

if TYPE_CHECKING:
    from lissom._character.joined import Member
    from lissom._rig.morphs import Morphs

__all__ = ["joined_expressions"]


def joined_expressions(morphs: Morphs, members: Sequence[Member]) -> Expressions | None:
    """Return the expressions of all members, each bound to the targets of its own mesh alone.

    The members' prefix stands before the names. None where no member has any.
    """
    found: list[Expression] = []
    for member in members:
        own = member.character
        if not isinstance(own, Character) or own.expressions is None or own.mesh is None:
            continue
        targets = own.mesh.morphs
        if targets is None:
            continue
        for name in own.expressions.names:
            expression = own.expressions[name]
            # By full names: short ones may mean targets of other members, too.
            binds = {
                member.prefix + targets.names[number]: weight
                for bound, weight in expression.binds.items()
                for number in targets.find(bound)
            }
            joined = replace(expression, name=member.prefix + name, binds=binds)
            found.append(joined._grouped(member.prefix + expression._group))  # kinds as before, and apart
    return Expressions(morphs, found) if found else None
