# SPDX-License-Identifier: MIT
"""What a playground is given, checked: chains, a pose, positions of targets and poles."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom._base.names import unknown_name
from lissom._base.pose_batch import as_poses
from lissom.ik._chain import Chain

if TYPE_CHECKING:
    from lissom._character.character import Character

Positions: TypeAlias = ArrayLike | Mapping[str, ArrayLike]


def chains_of(character: Character, chains: object) -> tuple[Chain, ...]:
    """Give chains of the character; those that are named by their effector are made."""
    listed = [chains] if isinstance(chains, (Chain, str)) else chains
    if not isinstance(listed, Sequence) or not listed:
        raise TypeError(
            "ik.Playground: chains: expected an ik.Chain, the name of an effector or a list of them, "
            f"got {chains!r}"
        )
    result = []
    for chain in listed:
        if isinstance(chain, str):
            chain = _limb(character, chain)
        if not isinstance(chain, Chain):
            raise TypeError(
                "ik.Playground: chains: expected an ik.Chain, the name of an effector or a list of them, "
                f"got a list with {type(chain).__name__} in it"
            )
        if chain.skeleton.names != character.skeleton.names:
            raise ValueError(
                f"ik.Playground: chains: expected chains of the skeleton of {character.name!r}, got one of "
                "another; make it of character.skeleton"
            )
        result.append(chain)
    if len({chain.names[-1] for chain in result}) < len(result):
        raise ValueError("ik.Playground: chains: expected one for each effector, got two that end alike")
    return tuple(result)


def _limb(character: Character, effector: str) -> Chain:
    """Give the chain of two bones, or of what there is, that ends at a joint."""
    skeleton = character.skeleton
    root = skeleton.index(effector)
    for _ in range(2):
        parent = int(skeleton.parents[root])
        root = root if parent < 0 else parent
    return Chain(skeleton, root, effector)


def base_pose(character: Character, pose: ArrayLike | None) -> NDArray[Any]:
    """Give the one pose that targets are met from, the playground's own."""
    if pose is None:
        return character.skeleton.rest
    given = as_poses(pose, "ik.Playground: pose")
    expected = (len(character.skeleton), 10)
    if given.shape != expected:
        raise ValueError(f"ik.Playground: pose: expected shape {expected}, one pose, got {given.shape}")
    if not np.isfinite(given).all():
        raise ValueError("ik.Playground: pose: expected finite numbers, got some that are not")
    return given.copy()


def rows_of(
    what: str,
    chains: Sequence[Chain],
    value: Positions | None,
    before: NDArray[Any],
    may_miss: bool = False,
) -> NDArray[Any]:
    """Give a position for each chain (E, 3), what is not given as in `before`, in its precision.

    `what` names function and argument in errors; `may_miss` allows rows of NaN.
    """
    effectors = [chain.names[-1] for chain in chains]
    rows = before.copy()
    if isinstance(value, Mapping):
        for name, position in value.items():
            if name not in effectors:
                raise ValueError(f"{what}: {unknown_name('effector', str(name), effectors)}")
            given = as_numbers(position, f"{what}: {name}")
            if given.shape != (3,):
                raise ValueError(f"{what}: {name}: expected shape (3,), got {given.shape}")
            rows[effectors.index(name)] = given
    elif value is not None:
        given = as_numbers(value, what)
        shapes = [(len(chains), 3)] + [(3,)] * (len(chains) == 1)
        if given.shape not in shapes:
            raise ValueError(f"{what}: expected shape {shapes[-1]}, got {given.shape}")
        rows[:] = given
    fits = np.isfinite(rows).all(axis=1)
    if may_miss:
        fits |= np.isnan(rows).all(axis=1)
    for bad in np.flatnonzero(~fits)[:1].tolist():
        got = rows[bad].tolist()
        raise ValueError(f"{what}: expected finite numbers for {effectors[bad]!r}, got {got}")
    return rows
