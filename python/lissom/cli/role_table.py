# SPDX-License-Identifier: MIT
"""Roles as ``lissom info`` shows them: the trunk, a table of both sides, and what is not certain."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.console import Console

from lissom._roles.bones import SIDES
from lissom.cli import output

if TYPE_CHECKING:
    from lissom._roles.roles import Roles

__all__ = ["describe", "write"]


def describe(roles: Roles) -> dict[str, object]:
    """Return roles as plain values."""
    return {
        "kind": roles.kind or None,
        "joints": roles.joints,
        "missing": roles.missing,
        "ambiguous": roles.ambiguous,
    }


def write(console: Console, roles: Roles) -> None:
    """Write the kind of body, the joints by role, and the reasons why some are missing or ambiguous."""
    console.print(output.Line.assemble(("roles  ", "bold"), roles.kind or "no body found"))
    trunk = [f"{role}: {joint}" for role, joint in roles.joints.items() if not role.startswith(SIDES)]
    if trunk:
        console.print(output.Line(", ".join(trunk)), soft_wrap=True)
    bones = dict.fromkeys(
        role.removeprefix(side) for role in roles.joints for side in SIDES if role.startswith(side)
    )
    if bones:
        table = output.table("role", *SIDES)
        for bone in bones:
            table.add_row(bone, *(roles.joints.get(side + bone, "-") for side in SIDES))
        console.print(table)
    for title, reasons in (("missing", roles.missing), ("ambiguous", roles.ambiguous)):
        for reason, names in _by_reason(reasons).items():
            console.print(output.Line(f"{title}: {', '.join(names)}: {reason}"), soft_wrap=True)


def _by_reason(reasons: Mapping[str, str]) -> dict[str, list[str]]:
    by_reason: dict[str, list[str]] = {}
    for role, reason in reasons.items():
        by_reason.setdefault(reason, []).append(role)
    return by_reason
