# SPDX-License-Identifier: MIT
"""Limits changed by hand: their bounds as numbers, other kinds, and chains that hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from lissom._base.names import unknown_name
from lissom.ik._chain import Chain
from lissom.ik._limits import BallSocket, Hinge, Limit, SwingTwist

KINDS = ("BallSocket", "Hinge", "SwingTwist")
# Bounds of limits that are added; radians.
SWING, BEND, TWIST = 1.0, (-0.2, 2.2), (-0.5, 0.5)
CIRCLE = 2 * np.pi
DIGITS = 4  # of radians, in bounds that are edited by hand

Bounds = Mapping[str, float | None]


class LimitRow(NamedTuple):
    """One joint that may have a limit, as the page lists it.

    Attributes
    ----------
    joint : int
    name : str
    kind : str
        One of `KINDS`; empty without a limit.
    bounds : list of (name, label, degrees or None)
        None: unbounded.
    """

    joint: int
    name: str
    kind: str
    bounds: list[tuple[str, str, float | None]]


def limit_rows(chains: Sequence[Chain], oriented: Sequence[bool]) -> list[LimitRow]:
    """Return the joints that rotate, each once; effectors where an orientation is requested."""
    rows: dict[int, LimitRow] = {}
    for chain, has_orientation in zip(chains, oriented, strict=True):
        limits = dict(zip(chain.joints.tolist(), chain.limits, strict=True))
        moving = [joint for joint in chain.joints.tolist() if joint not in chain.fixed]
        for joint in moving if has_orientation else [j for j in moving if j != chain.joints[-1]]:
            limit = limits[joint]
            row = LimitRow(joint, chain.skeleton.names[joint], kind_of(limit), _listed(limit))
            rows.setdefault(joint, row)
    return [rows[joint] for joint in sorted(rows)]


def kind_of(limit: Limit | None) -> str:
    """Return one of `KINDS`, or an empty string for None."""
    return "" if limit is None else type(limit).__name__


def bounds_of(limit: Limit | None) -> dict[str, float | None]:
    """Return the bounds of a limit by name, radians; None for a twist without bounds."""
    if limit is None:
        return {}
    if isinstance(limit, Hinge):
        return {"low": limit.low, "high": limit.high}
    low, high = limit.twist or (None, None)
    twist = {"twist_low": low, "twist_high": high}
    if isinstance(limit, BallSocket):
        return {"half_angle": limit.half_angle, **twist}
    return {"first": limit.half_angles[0], "second": limit.half_angles[1], **twist}


LABELS = {
    "low": "from",
    "high": "to",
    "half_angle": "swing",
    "first": "swing, first",
    "second": "swing, second",
    "twist_low": "twist from",
    "twist_high": "to",
}


def bounded(given: Limit, resolved: Limit, bounds: Bounds) -> Limit:
    """Return a limit with other bounds, in the words in which it was given.

    `resolved` is the one that the chain made of it, whose bounds are relative to the rest pose, as `bounds`
    are. A range whose ends cross stays at the end that is not named. A twist of which one end is set free is
    free; one that was free begins with `TWIST`, from or to the end that is named.
    """
    rounded = {name: None if angle is None else round(angle, DIGITS) for name, angle in bounds.items()}
    both = bounds_of(resolved) | rounded
    if isinstance(given, Hinge):
        assert isinstance(resolved, Hinge)
        low, high = _ordered(both, bounds, "low", "high")
        shift = given.low - resolved.low  # to the straight limb, where that is the zero
        return replace(
            given,
            low=round(low + shift, DIGITS) if "low" in bounds else given.low,
            high=round(high + shift, DIGITS) if "high" in bounds else given.high,
        )
    twist = _twist(both, bounds)
    if isinstance(given, BallSocket):
        return replace(given, half_angle=_number(both, "half_angle"), twist=twist)
    return replace(given, half_angles=(_number(both, "first"), _number(both, "second")), twist=twist)


def limit_of_kind(kind: str, chain: Chain, joint: int, before: Limit | None) -> Limit | None:
    """Return a limit to begin with, which keeps what it can of the one before; None for an empty kind."""
    if not kind:
        return None
    if kind not in KINDS:
        raise ValueError(f"ik.Playground: {unknown_name('limit', kind, KINDS)}")
    if kind == "Hinge":
        axis = chain.bend_axes[chain.joints.tolist().index(joint)]
        return Hinge(tuple(axis.tolist()), *BEND)
    swings, twist = (SWING, SWING), TWIST
    if isinstance(before, BallSocket):
        swings, twist = (before.half_angle,) * 2, before.twist or TWIST
    elif isinstance(before, SwingTwist):
        swings, twist = before.half_angles, before.twist or TWIST
    return BallSocket(max(swings), twist) if kind == "BallSocket" else SwingTwist(swings, twist)


def with_limit(chains: Sequence[Chain], joint: int, limit: Limit | None) -> tuple[Chain, ...]:
    """Return chains that hold a limit for a joint, or none; those that change in nothing as they are."""
    return tuple(
        _holding(chain, joint, limit)
        if joint in chain.joints and given_limit(chain, joint) != limit
        else chain
        for chain in chains
    )


def given_limit(chain: Chain, joint: int) -> Limit | None:
    """Return the limit of a joint as it was passed."""
    for key, limit in chain._given.items():
        if chain.skeleton.index(key) == joint:
            return limit
    return None


def _holding(chain: Chain, joint: int, limit: Limit | None) -> Chain:
    skeleton = chain.skeleton
    limits = {key: held for key, held in chain._given.items() if skeleton.index(key) != joint}
    if limit is not None:
        limits[skeleton.names[joint]] = limit
    root, effector = chain.joints[[0, -1]].tolist()
    return Chain(skeleton, root, effector, limits, fixed=chain.fixed, bend_axis=chain._bend_axis)


def _listed(limit: Limit | None) -> list[tuple[str, str, float | None]]:
    return [
        (name, LABELS[name], None if angle is None else float(np.degrees(angle)))
        for name, angle in bounds_of(limit).items()
    ]


def _ordered(both: Bounds, moved: Bounds, low_name: str, high_name: str) -> tuple[float, float]:
    """Return a range of at most a circle; an end that alone was moved stops at the other."""
    low, high = _number(both, low_name), _number(both, high_name)
    if low_name in moved and high_name not in moved:
        low = min(max(low, high - CIRCLE), high)
    elif high_name in moved and low_name not in moved:
        high = max(min(high, low + CIRCLE), low)
    return low, high


def _twist(both: Bounds, moved: Bounds) -> tuple[float, float] | None:
    """Return the range of a twist, of which `moved` are new, or None: free."""
    low, high = both["twist_low"], both["twist_high"]
    if low is not None and high is not None:
        return _ordered(both, moved, "twist_low", "twist_high")
    if None in (moved.get("twist_low", 0.0), moved.get("twist_high", 0.0)):
        return None
    if low is not None:
        return low, min(max(low, TWIST[1]), low + CIRCLE)
    if high is not None:
        return max(min(high, TWIST[0]), high - CIRCLE), high
    return None


def _number(bounds: Bounds, name: str) -> float:
    value = bounds[name]
    if value is None:
        raise ValueError(f"ik.Playground: {LABELS[name]} of the limit must be a number of degrees, got none")
    return value
