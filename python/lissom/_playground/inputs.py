# SPDX-License-Identifier: MIT
"""Checks of a playground's arguments: chains, a pose, positions of targets and poles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom._base.names import unknown_name
from lissom._base.numbers import refuse_larger
from lissom._base.pose_batch import as_poses, not_finite_at
from lissom._rig.skeleton_fit import is_same_skeleton
from lissom._roles.given import Hints, given_roles
from lissom._roles.limb_ends import limbs_meant
from lissom.ik._chain import Chain

if TYPE_CHECKING:
    from lissom._character.character import Character

Positions: TypeAlias = ArrayLike | Mapping[str, ArrayLike]


def chains_of(character: Character, chains: object, hints: Hints) -> tuple[tuple[Chain, ...], dict[str, int]]:
    """Return chains of the character, and their numbers by the names that targets may have.

    A name becomes the limb that ends at that effector, or those that it means by roles.
    """
    listed = [chains] if isinstance(chains, (Chain, str)) else chains
    required = "ik.Playground: chains must be an ik.Chain, the name of an effector or a list of them"
    if not isinstance(listed, Sequence) or not listed:
        raise TypeError(f"{required}, got {chains!r}")
    result: list[Chain] = []
    numbers: dict[str, int] = {}
    found = None if hints is None else given_roles("ik.Playground", character, hints)
    for chain in listed:
        if isinstance(chain, str):
            found = found or given_roles("ik.Playground", character, None)
            limbs = limbs_meant(found, chain, "ik.Playground")
            if len(limbs) == 1:
                numbers[chain] = len(result)
            result += [
                Chain(found.skeleton, bending[0], bending[-1], fixed=still) for bending, still in limbs
            ]
            continue
        if not isinstance(chain, Chain):
            raise TypeError(f"{required}, got a list with {type(chain).__name__} in it")
        if not is_same_skeleton(character.skeleton, chain.skeleton, rest=True):
            raise ValueError(
                f"ik.Playground: chains must be of the skeleton of {character.name!r}, got one of another; "
                "make it of character.skeleton"
            )
        if len(chain.joints) < 2:
            raise ValueError(
                f"ik.Playground: chains must have a bone, got one of {chain.names[0]!r} alone, which no "
                "target moves; begin it at a joint above"
            )
        result.append(chain)
    effectors = [chain.names[-1] for chain in result]
    for name in effectors:
        if effectors.count(name) > 1:
            raise ValueError(f"ik.Playground: chains must have different effectors, got {name!r} twice")
    by_name = {name: number for number, name in enumerate(effectors)}
    played = {} if found is None else found.joints
    by_role = {role: by_name[joint] for role, joint in played.items() if joint in by_name}
    return tuple(result), by_role | numbers | by_name


def base_pose(character: Character, pose: ArrayLike | None) -> NDArray[Any]:
    """Return a copy of the input pose of all solves, shape (J, 10); the rest pose for None."""
    if pose is None:
        return character.skeleton.rest
    array = as_poses(pose, "ik.Playground: pose")
    shape = (len(character.skeleton), 10)
    if array.shape != shape:
        raise ValueError(f"ik.Playground: pose must have shape {shape}, one pose, got {array.shape}")
    place = not_finite_at(array, character.skeleton.names)
    if place is not None:
        raise ValueError(f"ik.Playground: pose must be finite, got NaN or infinity at {place}")
    refuse_larger(array, "ik.Playground: pose")
    return array.copy()


def position_of(what: str, value: ArrayLike) -> NDArray[Any]:
    """Return one position, shape (3,); `what` names function and argument in errors."""
    array = as_numbers(value, what)
    if array.shape != (3,):
        raise ValueError(f"{what} must have shape (3,), got {array.shape}")
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must be finite, got {array.tolist()}")
    refuse_larger(array, what)
    return array


def rows_of(
    what: str,
    numbers: Mapping[str, int],
    value: Positions | None,
    before: NDArray[Any],
    may_miss: bool = False,
) -> NDArray[Any]:
    """Return a row for each chain, such as a position (E, 3), in the precision of `before`, the defaults.

    `numbers` are those of chains by names, the effector's last; `what` names function and argument in errors;
    `may_miss` allows rows of NaN.
    """
    effectors = {number: name for name, number in numbers.items()}
    rows = before.copy()
    length = before.shape[1]
    if isinstance(value, Mapping):
        for name, position in value.items():
            if name not in numbers:
                raise ValueError(f"{what}: {unknown_name('effector', str(name), effectors.values())}")
            row = as_numbers(position, f"{what} of {name!r}")
            if row.shape != (length,):
                raise ValueError(f"{what} of {name!r} must have shape ({length},), got {row.shape}")
            rows[numbers[name]] = row
    elif value is not None:
        array = as_numbers(value, what)
        shapes = [(len(rows), length)] + [(length,)] * (len(rows) == 1)
        if array.shape not in shapes:
            raise ValueError(f"{what} must have shape {shapes[-1]}, got {array.shape}")
        rows[:] = array
    fits = np.isfinite(rows).all(axis=1)
    if may_miss:
        fits |= np.isnan(rows).all(axis=1)
    for bad in np.flatnonzero(~fits)[:1].tolist():
        raise ValueError(f"{what} must be finite, got {rows[bad].tolist()} for {effectors[bad]!r}")
    return rows
