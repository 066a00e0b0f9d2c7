# SPDX-License-Identifier: MIT
"""The roles that a function goes by: those it is given, or those that are found."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom._roles.roles import Roles, roles_of

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["Hints", "given_roles"]

Hints: TypeAlias = Roles | Mapping[str, str | None] | str | os.PathLike[str] | None
"""How functions take roles: whole, or as hints to what is found."""


def given_roles(function: str, body: Character | Skeleton, given: Hints) -> Roles:
    """Return roles of a body; ValueError, which names the `function`, for those of another skeleton."""
    if isinstance(given, Roles):
        skeleton = body if isinstance(body, Skeleton) else body.skeleton
        check_same_skeleton(skeleton, given.skeleton, f"{function}: roles")
        return given
    return roles_of(function, body, given)
