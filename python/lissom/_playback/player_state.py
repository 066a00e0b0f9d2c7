# SPDX-License-Identifier: MIT
"""The arrays of many players: their state, which users see, and what their fades remember."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core

__all__ = [
    "GIVEN",
    "NO_CLIP",
    "NO_SYNC",
    "REMEMBERED",
    "STORED",
    "PlayerArrays",
    "state_dtype",
]

# What numbers of the state mean; src/core/players/player_state.h has the same.
NO_CLIP, NO_SYNC = -1, -1
REMEMBERED, STORED = 1, 2  # the pose before the last step
QUINTIC = 1  # a transition
GIVEN = 3  # eases from here on are functions of the user

_LAYER = [
    ("time", "<f8"),
    ("time_before", "<f8"),
    ("phase", "<f8"),
    ("phase_before", "<f8"),
    ("speed", "<f8"),
    ("weight", "<f8"),
    ("fade", "<f8"),
    ("fade_before", "<f8"),
    ("elapsed", "<f8"),
    ("duration", "<f8"),
    ("parameter", "<f8", (2,)),
    ("parameter_shown", "<f8", (2,)),
    ("parameter_before", "<f8", (2,)),
    ("clip", "<i4"),
    ("head", "<i4"),
    ("sync", "<i4"),
    ("ease", "<i4"),
    ("is_fresh", "<i4"),
    ("reserved", "<i4"),
]
_PLAYER = [
    ("id", "<i8"),
    ("layer_count", "<i4"),
    ("covered", "<i4"),
    ("past", "<i4"),
    ("inertia", "<i4"),
    ("dt", "<f8"),
    ("inertia_time", "<f8"),
    ("inertia_time_before", "<f8"),
    ("pose_end", "<f8"),
    ("weights_end", "<f8"),
    ("rate", "<f8"),
]
_CURVE_ROWS, _WEIGHT_CURVE_ROWS = 18, 4


def state_dtype(layers: int) -> np.dtype[np.void]:
    """Return the type of a row: a player and so many layers."""
    return np.dtype([*_PLAYER, ("layers", _LAYER, (layers,))])


def _rounded_up(count: int, block: int) -> int:
    return -(-count // block) * block


class PlayerArrays:
    """Arrays (N, ...) that grow and shrink together; those that few players need are None until then."""

    state: NDArray[np.void]
    points: NDArray[Any]
    held: NDArray[np.uint8]
    differences: NDArray[Any]
    curves: NDArray[np.float64] | None
    weight_curves: NDArray[np.float64] | None
    past: NDArray[Any] | None
    past_weights: NDArray[np.float64] | None
    frozen: NDArray[Any] | None
    frozen_weights: NDArray[np.float64] | None

    def __init__(self, joints: int, dtype: np.dtype[Any], count: int) -> None:
        self.joints, self.dtype, self.morphs, self.layers = joints, dtype, 0, 1
        self._count_strides()
        self._bases: dict[str, NDArray[Any] | None] = {}
        self._set(count, {name: self._empty(name, count) for name in ("state", *_FADES)})

    def _count_strides(self) -> None:
        self.stride = _rounded_up(self.joints, _core.FADE_JOINTS)
        self.curve_stride = _rounded_up(self.joints, _core.CURVE_JOINTS)

    def _kind(self, name: str) -> tuple[tuple[int, ...], Any]:
        """Return the shape of a row, and the type."""
        fades, double = self.layers - 1, np.dtype(np.float64)
        kinds: dict[str, tuple[tuple[int, ...], Any]] = {
            "state": ((), state_dtype(self.layers)),
            "points": ((fades, 2, 4, self.stride), self.dtype),
            "held": ((fades, self.stride), np.dtype(np.uint8)),
            "differences": ((fades, 4, self.stride), self.dtype),
            "curves": ((_CURVE_ROWS, self.curve_stride), double),
            "weight_curves": ((_WEIGHT_CURVE_ROWS, self.morphs), double),
            "past": ((self.joints, 10), self.dtype),
            "past_weights": ((self.morphs,), double),
            "frozen": ((self.joints, 10), self.dtype),
            "frozen_weights": ((self.morphs,), double),
        }
        return kinds[name]

    def _empty(self, name: str, count: int) -> NDArray[Any]:
        shape, dtype = self._kind(name)
        return np.zeros((count, *shape), dtype)

    def _set(self, count: int, bases: dict[str, NDArray[Any] | None]) -> None:
        self._bases.update(bases)
        for name in _ALL:
            base = self._bases.get(name)
            setattr(self, name, None if base is None else base[:count])

    def __len__(self) -> int:
        return len(self.state)

    def for_core(self) -> tuple[Any, ...]:
        """Return the arrays as the core takes them."""
        state = self.state.view(np.uint8).reshape(len(self), self.state.dtype.itemsize)
        curves, frozen = (self.curves, self.weight_curves), (self.frozen, self.frozen_weights)
        return (state, self.points, self.held, self.differences, *curves, *frozen)

    def for_transitions(self) -> tuple[Any, ...]:
        """Return what transitions write, as the core takes it, and the number of joints."""
        return (self.curves, self.weight_curves, self.past, self.past_weights, self.joints)

    def resize(self, count: int) -> None:
        """Keep `count` rows, the first, or add empty ones."""
        capacity = len(self._bases["state"])  # type: ignore[arg-type]
        if count <= capacity:
            old = len(self)
            self._set(count, {})
            for name in _ALL if count > old else ():
                array = getattr(self, name)
                if array is not None:
                    array[old:] = np.zeros((), array.dtype)
            return
        larger: dict[str, NDArray[Any] | None] = {}
        for name, base in self._bases.items():
            if base is not None:
                larger[name] = more = self._empty(name, max(count, capacity + capacity // 2))
                more[: len(self)] = base[: len(self)]
        self._set(count, larger)

    def move(self, sources: NDArray[np.intp], targets: NDArray[np.intp]) -> None:
        """Copy rows over others."""
        for name in _ALL:
            array = getattr(self, name)
            if array is not None:
                array[targets] = array[sources]

    def need_layers(self, count: int) -> None:
        """Make room for so many layers of each player."""
        if count <= self.layers:
            return
        old, self.layers = self.layers, count
        larger: dict[str, NDArray[Any] | None] = {}
        capacity = len(self._bases["state"])  # type: ignore[arg-type]
        for name in ("state", *_FADES):
            base: Any = self._bases[name]
            larger[name] = more = self._empty(name, capacity)
            if name == "state":
                for field in (field for field, _ in _PLAYER):
                    more[field] = base[field]
                more["layers"][:, :old] = base["layers"]
            else:
                more[:, : old - 1] = base
        self._set(len(self), larger)

    def need(self, *names: str) -> None:
        """Make arrays that only some players need."""
        capacity = len(self._bases["state"])  # type: ignore[arg-type]
        made: dict[str, NDArray[Any] | None] = {
            name: self._empty(name, capacity) for name in names if self._bases.get(name) is None
        }
        self._set(len(self), made)

    def know_morphs(self, rest: NDArray[np.float64]) -> None:
        """Take the morph targets of the first clip that has some: what was stored before shows `rest`."""
        self.morphs = len(rest)
        capacity = len(self._bases["state"])  # type: ignore[arg-type]
        made: dict[str, NDArray[Any] | None] = {}
        for name in ("weight_curves", "past_weights", "frozen_weights"):
            if self._bases.get(name) is not None:
                made[name] = base = self._empty(name, capacity)
                if name != "weight_curves":
                    base[:] = rest
        self._set(len(self), made)

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in _ALL}
        names = ("joints", "dtype", "morphs", "layers")
        counts = {name: getattr(self, name) for name in names}
        return {"counts": counts, "arrays": {k: None if v is None else v.copy() for k, v in kept.items()}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for name in ("joints", "dtype", "morphs", "layers"):
            setattr(self, name, state["counts"][name])
        self._count_strides()
        self._bases = {}
        arrays = dict(state["arrays"])
        for name in ("curves", "weight_curves"):
            arrays[name] = _shorter(arrays[name], self._kind(name)[0][0], arrays["state"])
        self._set(len(arrays["state"]), {name: self._taken(name, array) for name, array in arrays.items()})

    def _taken(self, name: str, array: NDArray[Any] | None) -> NDArray[Any] | None:
        """Return a pickled array as it is laid out now: older ones have other fields, or other strides."""
        if array is None or (array.shape[1:], array.dtype) == self._kind(name):
            return array
        made = self._empty(name, len(array))
        if name == "state":
            for field, _ in _PLAYER:
                if field in (array.dtype.names or ()):
                    made[field] = array[field]
            for field in array["layers"].dtype.names or ():
                made["layers"][field] = array["layers"][field]
            return made
        made[..., : self.joints] = array[..., : self.joints]
        if name == "points":
            made[..., 3, self.joints :] = 1  # beyond the joints there is no rotation
        return made


def _shorter(curves: NDArray[Any] | None, rows: int, state: NDArray[np.void]) -> NDArray[Any] | None:
    """Return pickled curves without coefficients that follow from the rest, as older ones had them."""
    if curves is None or curves.shape[1] == rows:
        return curves
    made = curves[:, :rows].copy()  # of springs the first rows: starts and slopes
    quintic = state["inertia"] == QUINTIC
    kinds = rows // 6 or 1  # directions, then six coefficients and the time of each kind
    after = rows - 3 * kinds
    coefficients = curves[quintic, after : after + 6 * kinds]
    made[quintic, after : after + 2 * kinds] = coefficients[:, 4 * kinds :]  # velocities and lengths
    made[quintic, after + 2 * kinds :] = curves[quintic, after + 6 * kinds :]
    return made


_FADES = ("points", "held", "differences")
_ALL = ("state", *_FADES, "curves", "weight_curves", "past", "past_weights", "frozen", "frozen_weights")
