# SPDX-License-Identifier: MIT
"""Pairs of left and right joints and morph targets, by name or by a map of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lissom._base.names import unknown_name
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint
from lissom.clip._markers import Marker

# Where a name may contain its side. Only a name whose other side exists counts, so words that only resemble
# one ("bright", "roll") do no harm.
_SIDES = [
    re.compile(r"left|right", re.IGNORECASE),  # LeftArm, mixamorig:LeftArm, arm_left
    # hand.L, L_hand, hand-r.001, Bip01 L Hand
    re.compile(r"(?<![A-Za-z0-9])[LR](?![A-Za-z])", re.IGNORECASE),
    re.compile(r"(?<=[a-z0-9])[LR](?![a-z])"),  # HandL, ArmR_end
    re.compile(r"(?:^|(?<=[^A-Za-z0-9]))[lrLR](?=[A-Z])"),  # lShldr, LHipJoint
    re.compile(r"^[lr](?=[a-z]{3})"),  # lhand
]
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}
_NUMBER = re.compile(r"[_.]\d+$")  # some exporters number all nodes: LeftArm_07 and RightArm_012


def partners_by_name(names: Sequence[str]) -> NDArray[np.intp]:
    """Return the index of the name on the other side for each name; its own index without a partner."""
    indices = {name: index for index, name in enumerate(names)}
    same_stem: dict[str, list[int]] = {}  # without exporters' numbers
    for index, name in enumerate(names):
        same_stem.setdefault(_NUMBER.sub("", name), []).append(index)
    unique_stems = {stem: indices[0] for stem, indices in same_stem.items() if len(indices) == 1}
    partners = np.arange(len(names))
    for index, name in enumerate(names):
        partner = _first_of(indices, name)
        if partner is None and same_stem[_NUMBER.sub("", name)] == [index]:
            partner = _first_of(unique_stems, _NUMBER.sub("", name))
        partners[index] = index if partner is None else partner
    mutual = partners[partners] == np.arange(len(names))
    return np.where(mutual, partners, np.arange(len(names)))


def _first_of(indices: Mapping[str, int], name: str) -> int | None:
    known = (indices[other] for other in _other_sides(name) if other != name and other in indices)
    return next(known, None)


def _other_sides(name: str) -> Iterator[str]:
    """Yield candidates for the name on the other side: one side swapped, all of one pattern, or all sides."""
    swapped_all = name
    for side in _SIDES:
        for match in side.finditer(name):
            yield name[: match.start()] + _swapped(match[0]) + name[match.end() :]
        yield side.sub(lambda match: _swapped(match[0]), name)
        swapped_all = side.sub(lambda match: _swapped(match[0]), swapped_all)
    yield swapped_all


def _swapped(side: str) -> str:
    other = _OTHER[side.lower()]
    return other.upper() if side.isupper() else other.title() if side[0].isupper() else other


def partners_of(function: str, skeleton: Skeleton, pairs: Mapping[Joint, Joint] | None) -> NDArray[np.intp]:
    """Return the index of the joint on the other side, (J,): by `pairs`, in both directions, or by name."""
    if pairs is None:
        partners = partners_by_name(skeleton.names)
        if len(skeleton) > 1 and np.array_equal(partners, np.arange(len(skeleton))):
            raise ValueError(
                f"{function}: no joint has a left and a right by its name, as 'hand.L' and 'hand.R' have; "
                "pass pairs={'left hand': 'right hand', ...}, or pairs={} to mirror every joint in place"
            )
        return partners
    if not isinstance(pairs, Mapping):
        raise TypeError(f"{function}: pairs must map joints to joints, got {type(pairs).__name__}")
    partners = np.arange(len(skeleton))
    paired: dict[int, int] = {}
    for left, right in pairs.items():
        a, b = (skeleton._index_of(joint, f"{function}: pairs") for joint in (left, right))
        for one, other in ((a, b), (b, a)):
            if paired.setdefault(one, other) != other:
                raise ValueError(
                    f"{function}: {skeleton.names[one]!r} must have one partner, got "
                    f"{skeleton.names[paired[one]]!r} and {skeleton.names[other]!r}"
                )
            partners[one] = other
    return partners


def morph_partners(function: str, names: Sequence[str], pairs: Mapping[str, str] | None) -> NDArray[np.intp]:
    """Return the number of the morph target on the other side, (M,): by `pairs`, or by name."""
    if pairs is None:
        return partners_by_name(names)
    if not isinstance(pairs, Mapping):
        raise TypeError(f"{function}: morph_pairs must map names to names, got {type(pairs).__name__}")
    numbers = {name: number for number, name in enumerate(names)}
    partners = np.arange(len(names))
    paired: dict[str, str] = {}
    for left, right in pairs.items():
        for one, other in ((left, right), (right, left)):
            if one not in numbers:
                raise ValueError(f"{function}: morph_pairs: {unknown_name('morph target', str(one), names)}")
            if paired.setdefault(one, other) != other:
                raise ValueError(
                    f"{function}: {one!r} must have one partner, got {paired[one]!r} and {other!r}"
                )
            if other in numbers:
                partners[numbers[one]] = numbers[other]
    return partners


def other_side_markers(markers: Sequence[Marker]) -> list[Marker]:
    """Swap the names of markers that are each other's left and right."""
    names = list(dict.fromkeys(name for _, name in markers))
    others = dict(zip(names, (names[other] for other in partners_by_name(names)), strict=True))
    return [Marker(time, others[name]) for time, name in markers]
