# SPDX-License-Identifier: MIT
"""The layers on top of many players: how one is made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom._playback.player_layer import PlayerLayer
from lissom._playback.player_stage import PlayerStage
from lissom._rig.skeleton import Skeleton

if TYPE_CHECKING:
    from lissom._playback.players import Players

__all__ = ["layer"]


def layer(self: Players, name: str, *, mask: ArrayLike | None = None, additive: bool = False) -> PlayerLayer:
    """Make a layer on top of all players, which each step steps and blends, too.

    Layers are put on in the order in which they were made. Nothing plays in a new one, and all weights
    are 0.

    Parameters
    ----------
    name : str
        Which no other layer has.
    mask : array_like of float, shape (J,), optional
        Weight of each joint in [0, 1]; 1 everywhere if omitted. See `Skeleton.mask`.
    additive : bool
        Whether its clips are differences, to be added by `add_layer`; else they are blended by `blend`.

    Returns
    -------
    PlayerLayer

    Raises
    ------
    TypeError
        If `name` or `additive` is of another type.
    ValueError
        If there is a layer of that name, or `mask` has another shape or numbers.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> crowd = lissom.Players(hero.skeleton, 3)
    >>> crowd.play(crowd.ids, hero.clips["walk"])
    >>> arms = crowd.layer("arms", mask=hero.skeleton.mask("Chest"))
    >>> arms.play(crowd.ids, hero.clips["wave"])
    >>> arms.weigh(crowd.ids, [0, 0.5, 1])
    >>> crowd.step(1 / 60).shape
    (3, 34, 10)
    """
    if not isinstance(name, str):
        raise TypeError(f"Players.layer: name must be a str, got {type(name).__name__}")
    if not isinstance(additive, (bool, np.bool_)):
        raise TypeError(f"Players.layer: additive must be True or False, got {additive!r}")
    with self._call("Players.layer"):
        if name in self._layers:
            raise ValueError(f"Players.layer: name must be one that no layer has, got {name!r}")
        weights = None if mask is None else _checked_mask(mask, self.skeleton, self.dtype)
        stage = PlayerStage(self.skeleton, self.dtype, self._stage.most_fades, self._ids.of_rows)
        self._layers[name] = made = PlayerLayer(self, name, weights, bool(additive), stage)
        return made


def _checked_mask(mask: ArrayLike, skeleton: Skeleton, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the mask of `Players.layer`, (J,)."""
    weights = as_numbers(mask, "Players.layer: mask").astype(np.float64)
    if weights.shape != (len(skeleton),):
        raise ValueError(
            f"Players.layer: mask must have shape ({len(skeleton)},), one number per joint, got "
            f"{weights.shape}"
        )
    wrong = ~((weights >= 0) & (weights <= 1))
    if wrong.any():
        raise ValueError(f"Players.layer: mask must lie in [0, 1], got {weights[wrong][0]:g}")
    return weights.astype(dtype)
