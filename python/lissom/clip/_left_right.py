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
from lissom.clip._bind_morphs import bare_names
from lissom.clip._markers import Marker

# Where a name may contain its side. Only a name whose other side exists counts, so words that only resemble
# one ("bright", "roll") do no harm.
_SIDES = (
    re.compile(r"left|right", re.IGNORECASE),  # LeftArm, mixamorig:LeftArm, arm_left
    # hand.L, L_hand, hand-r.001, Bip01 L Hand
    re.compile(r"(?<![A-Za-z0-9])[LR](?![A-Za-z])", re.IGNORECASE),
    re.compile(r"(?<=[a-z0-9])[LR](?![a-z])"),  # HandL, ArmR_end
    re.compile(r"(?:^|(?<=[^A-Za-z0-9]))[lrLR](?=[A-Z])"),  # lShldr, LHipJoint
    re.compile(r"^[lr](?=[a-z]{3})"),  # lhand
)
# Of morph targets, too: h_expressions.LsmileOpen, RRbrowUp, h_teeth.LLL_In, further out by each letter. Not
# of joints, which are called Lower and Leg.
_MORPH_SIDES = (*_SIDES, re.compile(r"(?<![A-Za-z0-9])(?:L+|R+)(?![A-Z])"))
# A name with one of these has a side for sure, whether or not the other one is there.
_SURE = re.compile(
    r"(?<![A-Za-z])(?:left|right)(?![a-z])|(?:Left|Right)(?![a-z])|(?<![A-Za-z])(?:LEFT|RIGHT)(?![A-Za-z])"
    r"|(?<=[^A-Za-z0-9])[LRlr](?![A-Za-z0-9])|^[LRlr](?=[^A-Za-z0-9])"
)
_OTHER = {"left": "right", "right": "left", "l": "r", "r": "l"}
_NUMBER = re.compile(r"[_.]\d+$")  # some exporters number all nodes: LeftArm_07 and RightArm_012


def partners_by_name(names: Sequence[str], sides: Sequence[re.Pattern[str]] = _SIDES) -> NDArray[np.intp]:
    """Return the index of the name on the other side for each name; its own index without a partner."""
    indices = {name: index for index, name in enumerate(names)}
    same_stem: dict[str, list[int]] = {}  # without exporters' numbers
    for index, name in enumerate(names):
        same_stem.setdefault(_NUMBER.sub("", name), []).append(index)
    unique_stems = {stem: indices[0] for stem, indices in same_stem.items() if len(indices) == 1}
    partners = np.arange(len(names))
    for index, name in enumerate(names):
        partner = _first_of(indices, name, sides)
        if partner is None and same_stem[_NUMBER.sub("", name)] == [index]:
            partner = _first_of(unique_stems, _NUMBER.sub("", name), sides)
        partners[index] = index if partner is None else partner
    mutual = partners[partners] == np.arange(len(names))
    return np.where(mutual, partners, np.arange(len(names)))


def _first_of(indices: Mapping[str, int], name: str, sides: Sequence[re.Pattern[str]]) -> int | None:
    known = (indices[other] for other in _other_sides(name, sides) if other != name and other in indices)
    return next(known, None)


def _other_sides(name: str, sides: Sequence[re.Pattern[str]]) -> Iterator[str]:
    """Yield candidates for the name on the other side: one side swapped, all of one pattern, or all sides."""
    swapped_all = name
    for side in sides:
        for match in side.finditer(name):
            yield name[: match.start()] + _swapped(match[0]) + name[match.end() :]
        yield side.sub(lambda match: _swapped(match[0]), name)
        swapped_all = side.sub(lambda match: _swapped(match[0]), swapped_all)
    yield swapped_all


def _swapped(side: str) -> str:
    other = _OTHER.get(side.lower()) or _OTHER[side[0].lower()] * len(side)
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
    """Return the number of the morph target on the other side, (M,): by `pairs`, or by name.

    A name that several nodes share means the targets of all of them, each paired on its own node.
    """
    if pairs is None:
        return partners_by_name(names, _MORPH_SIDES)
    if not isinstance(pairs, Mapping):
        raise TypeError(f"{function}: morph_pairs must map names to names, got {type(pairs).__name__}")
    partners = np.arange(len(names))
    paired: dict[int, int] = {}
    for left, right in pairs.items():
        for one, other in _same_node_pairs(f"{function}: morph_pairs", names, left, right):
            for a, b in ((one, other), (other, one)):
                if paired.setdefault(a, b) != b:
                    raise ValueError(
                        f"{function}: {names[a]!r} must have one partner, got {names[paired[a]]!r} and "
                        f"{names[b]!r}"
                    )
                partners[a] = b
    return partners


def _same_node_pairs(what: str, names: Sequence[str], left: str, right: str) -> list[tuple[int, int]]:
    """Return the numbers of the targets that two names mean, two on a node each."""
    lefts, rights = (_meant(what, names, name) for name in (left, right))
    if len(lefts) == len(rights) == 1:
        return [(lefts[0], rights[0])]
    pairs = [(a, b) for a in lefts for b in rights if _node(names[a], left) == _node(names[b], right)]
    for meant, name, other, side in ((lefts, left, right, 0), (rights, right, left, 1)):
        alone = set(meant) - {pair[side] for pair in pairs}
        # Of a name in full, one partner is enough: that of its node.
        if alone and not (other in names and pairs):
            raise ValueError(
                f"{what}: {name!r} must have its partner on each node that has it, got none for "
                f"{names[min(alone)]!r}; pass names in full"
            )
    return pairs


def _meant(what: str, names: Sequence[str], name: str) -> list[int]:
    """Return the numbers of the targets that a name means: in full, else all that share it."""
    if not isinstance(name, str):
        raise TypeError(f"{what} must map names to names, got {type(name).__name__} in it")
    if name in names:
        return [names.index(name)]
    found = [number for number, each in enumerate(names) if name in bare_names(each)]
    if not found:
        known = (
            names if "/" in name else list(dict.fromkeys(each.rpartition("/")[2] or each for each in names))
        )
        raise ValueError(f"{what}: {unknown_name('morph target', name, known)}")
    return found


def _node(name: str, asked: str) -> str:
    """Return what stands before a target's name in full."""
    return name.rpartition("/")[0] if name == asked else name[: -len(asked) - 1]


def without_partner(names: Sequence[str], partners: NDArray[np.intp]) -> list[int]:
    """Return the numbers of those that have a side by their name and no partner."""
    own = np.flatnonzero(partners == np.arange(len(names)))
    return [number for number in own.tolist() if _SURE.search(names[number].rpartition("/")[2])]


def other_side_markers(markers: Sequence[Marker]) -> list[Marker]:
    """Swap the names of markers that are each other's left and right."""
    names = list(dict.fromkeys(name for _, name in markers))
    others = dict(zip(names, (names[other] for other in partners_by_name(names)), strict=True))
    return [Marker(time, others[name]) for time, name in markers]
