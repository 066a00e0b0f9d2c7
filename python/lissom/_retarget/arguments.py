# SPDX-License-Identifier: MIT
"""The roles that a user gives, or does not, for two bodies."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias

from lissom._base.names import unknown_name
from lissom._roles.given import Hints, given_roles
from lissom._roles.hints import KNOWN
from lissom._roles.roles import Roles, roles_of
from lissom.ik._feet.rig import rig_of

__all__ = ["RolesOfBoth", "both_roles"]

RolesOfBoth: TypeAlias = tuple[Hints, Hints] | Mapping[str, Any] | None


def both_roles(source: Any, target: Any, given: RolesOfBoth) -> tuple[Roles, Roles]:
    """Return the roles of source and target: those that are given, and what is found for the rest."""
    if isinstance(given, Mapping):
        first, second = _pairs(given)
        return _exactly("source", source, first), _exactly("target", target, second)
    if given is None:
        given = (None, None)
    if not isinstance(given, (tuple, list)) or len(given) != 2:
        raise TypeError(
            "Retarget: roles must be a mapping of roles to pairs of joints, or a pair (of the source, of the "
            f"target), got {type(given).__name__}"
        )
    return _found("source", source, given[0]), _found("target", target, given[1])


def _found(which: str, body: Any, hints: Hints) -> Roles:
    result = given_roles(f"Retarget: {which}", body, hints)
    if "hips" not in result:
        why = result.missing.get("hips", "its joints are not those of a body, by name or place")
        raise ValueError(f"Retarget: no hips were found in the {which} ({why}); name its joints by roles")
    return result


def _pairs(given: Mapping[str, Any]) -> tuple[dict[str, str], dict[str, str]]:
    first: dict[str, str] = {}
    second: dict[str, str] = {}
    for role, pair in given.items():
        if role not in KNOWN:
            raise ValueError(f"Retarget: roles: {unknown_name('role', role, KNOWN)}")
        joints = (pair, pair) if isinstance(pair, str) else pair
        if (
            not isinstance(joints, (tuple, list))
            or len(joints) != 2
            or not all(isinstance(j, str) for j in joints)
        ):
            raise ValueError(
                f"Retarget: roles: {role} must be a pair of joints (source, target), got {pair!r}"
            )
        first[role], second[role] = joints
    return first, second


def _exactly(which: str, body: Any, joints: dict[str, str]) -> Roles:
    """Return roles of these joints and no others, checked as hints are."""
    skeleton = rig_of("Retarget", body, which).skeleton
    checked = roles_of(f"Retarget: {which}", skeleton, joints)
    if "hips" not in joints:
        raise ValueError(f"Retarget: roles must name the hips, got {', '.join(joints) or 'none'}")
    kind = "quadruped" if any("Hind" in role or "Fore" in role for role in joints) else "humanoid"
    return Roles(
        skeleton, kind, {role: name for role, name in checked.joints.items() if role in joints}, {}, {}
    )
