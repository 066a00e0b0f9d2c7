# SPDX-License-Identifier: MIT
"""Checks of the arguments of fades."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from lissom._base.easing import Ease, ease_function
from lissom._base.numbers import check_number
from lissom._playback.play_head import Playable, is_cycle

__all__ = ["METHODS", "Method", "check_fade", "check_fades"]

Method = Literal["blend", "inertialize", "spring"]
METHODS: tuple[Method, ...] = get_args(Method)


def check_fade(
    clip: Playable,
    showing: Playable,
    duration: float,
    ease: Ease,
    method: Method,
    sync: bool,
    at: float | None,
) -> None:
    """Refuse arguments of `CrossFade.fade_to` that do not fit, for a fade from `showing` to `clip`."""
    check_number(duration, "CrossFade.fade_to: duration", least=0)
    check_fades("CrossFade.fade_to", clip, [showing], ease, method, sync, at)


def check_fades(
    function: str,
    clip: Playable,
    showing: Iterable[Playable],
    ease: Ease,
    method: Method,
    sync: bool,
    at: object,
) -> None:
    """Refuse arguments that do not fit, for fades from `showing` to `clip`, in the name of `function`."""
    ease_function(ease, function)
    if method not in METHODS:
        known = ", ".join(map(repr, METHODS))
        raise ValueError(f"{function}: method must be one of {known}, got {method!r}")
    if sync and at is not None:
        raise ValueError(
            f"{function}: at must be None with sync, which begins at the present phase, got {at}; "
            "omit one of them"
        )
    if sync and not is_cycle(clip):
        raise ValueError(
            f"{function}: with sync, clip must loop and have a duration, got {clip.name!r}; set its "
            "loop to True if it is a cycle"
        )
    for shown in showing:
        if _is_additive(clip) == _is_additive(shown):
            continue
        one, other = (clip, shown) if _is_additive(clip) else (shown, clip)
        raise ValueError(
            f"{function}: clips must both be additive or neither, got {one.name!r}, which is, and "
            f"{other.name!r}; play differences in a CrossFade of their own and add them with add_layer, "
            "or in a layer of Players with additive=True"
        )


def _is_additive(clip: Playable) -> bool:
    return bool(getattr(clip, "additive", False))
