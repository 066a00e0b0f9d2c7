# SPDX-License-Identifier: MIT
"""Functions of users as eases of many players: the core takes the weights that they give."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lissom._base.easing import Ease
from lissom._playback.player_numbers import EASES
from lissom._playback.player_state import GIVEN, PlayerArrays

__all__ = ["PlayerEases"]


class PlayerEases:
    """The functions, by their numbers in a state, which begin at `GIVEN`."""

    def __init__(self) -> None:
        self.functions: list[Callable[[float], float]] = []

    def number(self, ease: Ease, state: NDArray[np.void]) -> int:
        """Return the number of an ease; a function takes that of one which no fade of `state` needs."""
        if isinstance(ease, str):
            return EASES.index(ease)
        for number, known in enumerate(self.functions):
            if known is ease:
                return GIVEN + number
        used = set(np.unique(state["layers"]["ease"]).tolist())
        for number in range(len(self.functions)):
            if GIVEN + number not in used:
                self.functions[number] = ease
                return GIVEN + number
        self.functions.append(ease)
        return GIVEN + len(self.functions) - 1

    def check(self, state: NDArray[np.void], where: str) -> None:
        """Refuse fades whose ease is the number of no function; `where` is as of `Players.step`."""
        layers = state["layers"]
        known = GIVEN + len(self.functions)
        if not len(state) or layers["ease"].max() < known:
            return
        index = np.arange(layers.shape[1])
        live = (index > state["covered"][:, None]) & (index < state["layer_count"][:, None])
        wrong = np.argwhere(live & (layers["ease"] >= known))
        if not len(wrong):
            return
        row, layer = wrong[0].tolist()
        others = f", or below {known} for the functions that were passed" if self.functions else ""
        raise ValueError(
            f"{where}: state of row {row}: layers[{layer}].ease must be 0, 1 or 2{others}, got "
            f"{layers['ease'][row, layer]}; pass a function as ease of fade_to"
        )

    def weights(self, arrays: PlayerArrays, dt: float) -> NDArray[np.float64] | None:
        """Return the weights of fades whose ease is a function, after a step: None where there is none.

        (N, layers), by layers after covered ones were dropped.
        """
        if not self.functions:
            return None
        state = arrays.state
        layers, index = state["layers"], np.arange(arrays.layers)
        live = (index > state["covered"][:, None]) & (index < state["layer_count"][:, None])
        given = np.zeros(layers.shape)
        for row, layer in np.argwhere(live & (layers["ease"] >= GIVEN)).tolist():
            number, elapsed = int(layers["ease"][row, layer]) - GIVEN, float(layers["elapsed"][row, layer])
            duration = float(layers["duration"][row, layer])
            if elapsed + dt < duration:
                place = layer - int(state["covered"][row]) if dt > 0 else layer
                given[row, place] = self.functions[number]((elapsed + dt) / duration)
        return given

    def __copy__(self) -> PlayerEases:
        other = PlayerEases()
        other.functions = list(self.functions)
        return other
