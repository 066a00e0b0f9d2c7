# SPDX-License-Identifier: MIT
"""The layers on top of many players: how one is made, and taken away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number
from lissom._playback.player_layer import PlayerLayer
from lissom._playback.player_stage import PlayerStage
from lissom._rig.skeleton import Skeleton

if TYPE_CHECKING:
    from lissom._playback.players import Players

__all__ = ["layer", "remove_layer"]


def layer(
    self: Players,
    name: str,
    *,
    mask: ArrayLike | None = None,
    additive: bool = False,
    morphs: bool | Mapping[str, float] | None = None,
) -> PlayerLayer:
    """Make a layer on top of all players, which each step steps and blends, too.

    Layers are put on in the order in which they were made. Nothing plays in a new one, and all weights
    are 0.

    Parameters
    ----------
    name : str
        Which no other layer has, at least one character.
    mask : array_like of float, shape (J,), optional
        Weight of each joint in [0, 1]; 1 everywhere if omitted. See `Skeleton.mask`.
    additive : bool
        Whether its clips are differences, to be added by `add_layer`; else they are blended by `blend`.
    morphs : bool or mapping of str to float, optional
        True puts weights of morph targets on top, too, in a straight line; a clip that knows of none shows
        their defaults, in an additive layer none. The mask is of joints alone: here a mapping has the weight
        of each target in [0, 1], and those that it does not name stay. False leaves the weights of clips out.
        If omitted, clips with morph targets are refused.

    Returns
    -------
    PlayerLayer

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If `name` is empty or another layer's, `mask` has another shape or numbers, or `morphs` a name that
        the clips before do not know, or a number out of its range.

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
    if not name:
        raise ValueError("Players.layer: name must have at least one character, got ''")
    if not isinstance(additive, (bool, np.bool_)):
        raise TypeError(f"Players.layer: additive must be True or False, got {additive!r}")
    with self._call("Players.layer"):
        if name in self._layers:
            raise ValueError(f"Players.layer: name must be one that no layer has, got {name!r}")
        weights = None if mask is None else _checked_mask(mask, self.skeleton, self.dtype)
        targets = _checked_targets(morphs)
        # Where clips with morph targets are refused, there are none to know.
        knows = targets is not None and targets is not False
        stage = PlayerStage(self.skeleton, self.dtype, self._stage.most_fades, self._ids.of_rows, knows)
        made = PlayerLayer(self, name, weights, bool(additive), targets, stage)
        made._check_targets(self.morph_names, "Players.layer: morphs")
        self._layers[name] = made
        self._share_morphs()
        return made


def remove_layer(self: Players, name: str) -> None:
    """Take a layer away: from now on nothing plays on top of what was below it.

    The removed layer refuses its calls, and to tell what it played.

    Parameters
    ----------
    name : str
        Of one of `layers`. Another one may have it then.

    Raises
    ------
    TypeError
        If `name` is no str.
    ValueError
        If no layer has it.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> crowd = lissom.Players(hero.skeleton, 3)
    >>> arms = crowd.layer("arms")
    >>> crowd.remove_layer("arms")
    >>> crowd.layers
    ()
    """
    if not isinstance(name, str):
        raise TypeError(f"Players.remove_layer: name must be a str, got {type(name).__name__}")
    with self._call("Players.remove_layer"):
        if name not in self._layers:
            known = ", ".join(map(repr, self._layers)) or "none"
            raise ValueError(f"Players.remove_layer: name must be one of the layers' ({known}), got {name!r}")
        del self._layers[name]
        self._forget()


def _checked_targets(morphs: object) -> bool | dict[str, float] | None:
    """Return what `Players.layer` is to do with morph targets."""
    if morphs is None or isinstance(morphs, (bool, np.bool_)):
        return None if morphs is None else bool(morphs)
    if not isinstance(morphs, Mapping):
        raise TypeError(
            "Players.layer: morphs must be True, False or a mapping of names to weights, got "
            f"{type(morphs).__name__}"
        )
    weights: dict[str, float] = {}
    for name, weight in morphs.items():
        if not isinstance(name, str):
            raise TypeError(f"Players.layer: morphs must have names as keys, got {name!r}")
        weights[name] = check_number(weight, f"Players.layer: morphs[{name!r}]", least=0, largest=1)
    return weights


def _checked_mask(mask: ArrayLike, skeleton: Skeleton, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Return the mask of `Players.layer`, (J,)."""
    if isinstance(mask, str):
        raise TypeError(
            "Players.layer: mask must be an array of one number per joint, got a str; "
            f"skeleton.mask({mask!r}) makes one"
        )
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
