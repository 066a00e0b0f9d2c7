# SPDX-License-Identifier: MIT
"""Doors: what classes offer that is made on a higher floor, found when it is called.

Imports of lissom point down only; this is the one module that may point up. A class takes `as_html` and
`as_png` for notebooks, or calls one of the functions below; a package asks `upstairs` in its ``__getattr__``.
Types of public signatures come through here, too.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lissom._character.character import Character as Character
    from lissom._export.report import ExportReport as ExportReport
    from lissom._playground.playground import Playground as Playground
    from lissom._roles.given import Hints as Hints
    from lissom._roles.parts import Part
    from lissom.player import Player as Player

__all__ = [
    "as_html", "as_png", "export_bake", "joint_meant", "joint_of_role", "part_of_body", "role_figure",
    "show_bake", "show_character", "upstairs",
]  # fmt: skip

UPSTAIRS = {"lissom.ik": {"Playground": "lissom._playground.playground"}}
"""Public names of a package that are defined on a higher floor, and where."""


def as_html(self: object) -> str:
    """Show it in a notebook; Jupyter calls this."""
    from lissom._notebook.html import html_of

    return html_of(self)


def as_png(self: object) -> bytes | None:
    """Show it where there is no HTML; Jupyter calls this. None where there is nothing to draw."""
    from lissom._notebook.png import png_of

    return png_of(self)


def export_bake(bake: Any, *how: Any) -> ExportReport:
    """Write a bake in the form of an engine: `PoseTexture.export`."""
    from lissom._export.export import export

    return export(bake, *how)


def joint_of_role(character: Any, role: str) -> str | None:
    """Return the joint that plays a role, as `lissom.roles` finds it: `Character.first_person`."""
    from lissom._roles.roles import roles

    return roles(character).joints.get(role)


def joint_meant(character: Any, name: str, function: str) -> str | None:
    """Return the joint that a name means where none has it, "hand.r" or "rightHand", say: `attach`."""
    from lissom._roles.limb_ends import joint_meant
    from lissom._roles.roles import roles

    return joint_meant(roles(character), name, function)


def part_of_body(skeleton: Any, name: str, function: str, roles: Hints) -> Part:
    """Return a part of the body that a name means: `Skeleton.mask`."""
    from lissom._roles import given, parts

    return parts.part_of_body(given.given_roles(function, skeleton, roles), name, function)


def role_figure(roles: Any) -> str:
    """Return the picture of roles as an SVG file: `Roles.save_svg`."""
    from lissom._sketch.role_figure import role_figure

    return role_figure(roles, alone=True)


def show_bake(bake: Any, **options: Any) -> Player:
    """Return a bake in a player: `PoseTexture.show`."""
    from lissom.player._show import player_of

    return player_of(bake, **options)


def show_character(character: Any, clips: Any, pose: Any, **options: Any) -> Player:
    """Return a character in a player: `Character.show`."""
    from lissom.player._show import bake_of, player_of

    bake = bake_of(character, clips, pose)
    return player_of(bake, "Character.show", character=character, **options)


def upstairs(package: str, name: str) -> object:
    """Return what a package offers from a higher floor; AttributeError where there is no such name."""
    home = UPSTAIRS[package].get(name)
    if home is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return getattr(importlib.import_module(home), name)
