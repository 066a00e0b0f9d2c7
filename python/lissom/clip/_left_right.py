# SPDX-License-Identifier: MIT
"""Which joints are each other's left and right, by name or by a map of names."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from lissom._rig.skeleton import Joint, Skeleton
from lissom.clip._markers import Marker

# Where a name may say its side. Only a name whose other side exists counts, so words that merely look so
# ("bright", "roll") do no harm.
_SIGNS = [
    re.compile(r"left|right", re.IGNORECASE),  # LeftArm, mixamorig:LeftArm, arm_left
    re.compile(
        r"(?<![A-Za-z0-9])[LR](?![A-Za-z])", re.IGNORECASE
    ),  # hand.L, L_hand, hand-r.001, Bip01 L Hand
    re.compile(r"(?<=[a-z0-9])[LR](?![a-z])"),  # HandL, ArmR_end
    re.compile(r"(?:^|(?<=[^A-Za-z0-9]))[lrLR](?=[A-Z])"),  # lShldr, LHipJoint
    re.compile(r"^[lr](?=[a-z]{3})"),  # lhand
]
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}
_NUMBER = re.compile(r"[_.]\d+$")  # some exporters number all nodes: LeftArm_07 and RightArm_012


def partners_by_name(names: Sequence[str]) -> NDArray[np.intp]:
    """Index of the name on the other side, for each name; its own where there is none."""
    indices = {name: index for index, name in enumerate(names)}
    bare: dict[str, list[int]] = {}
    for index, name in enumerate(names):
        bare.setdefault(_NUMBER.sub("", name), []).append(index)
    alone = {name: indices[0] for name, indices in bare.items() if len(indices) == 1}
    partners = np.arange(len(names))
    for index, name in enumerate(names):
        found = _first_of(indices, name)
        if found is None and bare[_NUMBER.sub("", name)] == [index]:
            found = _first_of(alone, _NUMBER.sub("", name))
        partners[index] = index if found is None else found
    mutual = partners[partners] == np.arange(len(names))
    return np.where(mutual, partners, np.arange(len(names)))


def _first_of(indices: Mapping[str, int], name: str) -> int | None:
    found = (indices[other] for other in _other_sides(name) if other != name and other in indices)
    return next(found, None)


def _other_sides(name: str) -> Iterator[str]:
    """Give what the name may be on the other side: one of its signs swapped, all of a kind, or all of all."""
    swapped_all = name
    for sign in _SIGNS:
        for place in sign.finditer(name):
            yield name[: place.start()] + _swapped(place[0]) + name[place.end() :]
        yield sign.sub(lambda place: _swapped(place[0]), name)
        swapped_all = sign.sub(lambda place: _swapped(place[0]), swapped_all)
    yield swapped_all


def _swapped(side: str) -> str:
    other = _OTHER[side.lower()]
    return other.upper() if side.isupper() else other.title() if side[0].isupper() else other


def partners_of(function: str, skeleton: Skeleton, pairs: Mapping[Joint, Joint] | None) -> NDArray[np.intp]:
    """Index of the joint on the other side, (J,): by `pairs`, each of which holds both ways, or by name."""
    if pairs is None:
        partners = partners_by_name(skeleton.names)
        if len(skeleton) > 1 and np.array_equal(partners, np.arange(len(skeleton))):
            raise ValueError(
                f"{function}: no joint has a left and a right by its name, as 'hand.L' and 'hand.R' have; "
                "pass pairs={'left hand': 'right hand', ...}, or pairs={} to mirror every joint in its place"
            )
        return partners
    if not isinstance(pairs, Mapping):
        raise TypeError(f"{function}: pairs must map joints to joints, got {type(pairs).__name__}")
    partners = np.arange(len(skeleton))
    given: dict[int, int] = {}
    for left, right in pairs.items():
        a, b = skeleton.index(left), skeleton.index(right)
        for one, other in ((a, b), (b, a)):
            if given.setdefault(one, other) != other:
                raise ValueError(
                    f"{function}: {skeleton.names[one]!r} must have one partner, got "
                    f"{skeleton.names[given[one]]!r} and {skeleton.names[other]!r}"
                )
            partners[one] = other
    return partners


def other_side_markers(markers: Sequence[Marker]) -> list[Marker]:
    """Swap the names of markers that are each other's left and right."""
    names = list(dict.fromkeys(name for _, name in markers))
    others = dict(zip(names, (names[other] for other in partners_by_name(names)), strict=True))
    return [Marker(time, others[name]) for time, name in markers]
