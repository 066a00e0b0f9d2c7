# SPDX-License-Identifier: MIT
"""Arguments of `compare`, checked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from lissom._base.methods import METHODS
from lissom._base.names import unknown_name
from lissom._base.numbers import whole_number

if TYPE_CHECKING:
    from lissom._character.blend_argument import Blend
    from lissom._character.character import Character

__all__ = ["LEAST_SIDE", "WORST", "blend_for", "joint_of", "methods_of", "pair_of", "side"]

LEAST_SIDE = 16  # pixels of a picture
WORST = "max"  # focus on the vertex that differs most
HALF = 0.5  # of "blended", where nothing else is said


def methods_of(methods: Sequence[str]) -> tuple[str, ...]:
    """Return the methods as a tuple; refuse fewer than two, and repeated ones."""
    known = ", ".join(METHODS)
    listed = isinstance(methods, Sequence) and not isinstance(methods, str)
    if not listed or len(methods) < 2 or any(method not in METHODS for method in methods):
        raise ValueError(f"compare: methods must be two or more of {known}, got {methods!r}")
    if len(set(methods)) < len(methods):
        raise ValueError(f"compare: methods must be different, got {methods!r}")
    return tuple(methods)


def pair_of(heat: tuple[str, str], methods: tuple[str, ...]) -> tuple[str, str]:
    """Return the two methods of the heat map; refuse others than those that are compared."""
    listed = isinstance(heat, Sequence) and not isinstance(heat, str)
    if not listed or len(heat) != 2 or heat[0] == heat[1] or any(method not in methods for method in heat):
        raise ValueError(f"compare: heat must be two of {', '.join(methods)}, got {heat!r}")
    return heat[0], heat[1]


def blend_for(blend: Blend | None, methods: tuple[str, ...]) -> Blend | None:
    """Return the blend that "blended" is to use; None without it."""
    if "blended" in methods:
        return HALF if blend is None else blend
    if blend is not None:
        raise ValueError(
            f"compare: blend must be omitted without the method 'blended', got methods {', '.join(methods)}"
        )
    return None


def joint_of(focus: str | None, character: Character) -> str | None:
    """Return the joint to come close to, if it is one; refuse what is neither that nor "max"."""
    names = character.skeleton.names
    if focus is None or focus in names:
        return focus
    if focus == WORST:
        return None
    raise ValueError(f"compare: focus: {unknown_name('joint', focus, [WORST, *names])}")


def side(value: int | None, name: str) -> int | None:
    """Refuse a width or height that is not a whole number of pixels, or too few."""
    return None if value is None else whole_number(value, f"compare: {name}", least=LEAST_SIDE)
