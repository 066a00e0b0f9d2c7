# SPDX-License-Identifier: MIT
"""How far eyes turn, by how far to the side the target is."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers, finite_floats, read_only
from lissom._base.numbers import LARGEST, check_number, refuse_larger
from lissom._base.set_module import set_module

__all__ = ["RANGES", "GazeRange"]

RANGES = ("inner", "outer", "down", "up")
"""Directions of an eye: to the nose, away from it, down and up."""


@set_module("lissom")
@dataclass(frozen=True, eq=False)
class GazeRange:
    """How far eyes turn in one direction: less than the target is to the side, and not for ever.

    Parameters
    ----------
    input : float
        Radians to the target from which on eyes turn no further, above zero.
    output : float
        What they turn by there: radians, or the weight of an expression.
    curve : array_like of float, shape (N, 4), optional
        Between the two: rows of (share of `input`, share of `output`, slope before, slope after), shares of
        input rising; a straight line if omitted. Files of VRM 0 have such curves.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If a number is not finite or beyond 1e9, `input` is not above zero, or the curve does not rise.

    See Also
    --------
    LookAt : which has one for each direction.

    References
    ----------
    .. [1] VRM Consortium, VRMC_vrm 1.0, lookAt: ``inputMaxValue`` and ``outputScale`` of a range map, which
       are degrees there; VRM 0, firstPerson: ``xRange``, ``yRange`` and ``curve`` of a degree map.

    Examples
    --------
    >>> sideways = lissom.GazeRange(np.radians(90), np.radians(10))
    >>> np.degrees(sideways.map(np.radians([0, 45, 90, 120]))).round(3)
    array([ 0.,  5., 10., 10.])
    """

    input: float = pi / 2
    output: float = pi / 18
    curve: ArrayLike | None = None

    def __post_init__(self) -> None:
        most = check_number(self.input, "GazeRange: input", above_zero=True, largest=LARGEST)
        object.__setattr__(self, "input", most)
        object.__setattr__(self, "output", check_number(self.output, "GazeRange: output", largest=LARGEST))
        object.__setattr__(self, "curve", None if self.curve is None else _checked_curve(self.curve))

    def map(self, angles: ArrayLike) -> NDArray[np.float64]:
        """Return what eyes turn by for angles to the target.

        Parameters
        ----------
        angles : array_like of float, shape (...)
            Radians; those below zero count as zero.

        Returns
        -------
        ndarray of float64, shape (...)
            Radians, or weights.

        Raises
        ------
        TypeError
            If `angles` are no numbers.

        Examples
        --------
        >>> lissom.GazeRange(1.0, 0.5).map([0.5, 2.0])
        array([0.25, 0.5 ])
        """
        given = as_numbers(angles, "GazeRange.map: angles").astype(np.float64)
        with np.errstate(over="ignore"):  # of what is far beyond a narrow range
            share = np.clip(given / self.input, 0, 1)
        return np.asarray(self.output * (share if self.curve is None else _on_curve(self._rows, share)))

    @property
    def most(self) -> float:
        """The largest that `map` returns without a curve: `output`; with one, the largest of its keys."""
        return self.output if self.curve is None else self.output * float(self._rows[:, 1].max())

    @property
    def _rows(self) -> NDArray[np.float64]:
        return np.asarray(self.curve, np.float64)

    def __repr__(self) -> str:
        more = "" if self.curve is None else f", curve of {len(self._rows)} keys"
        return f"GazeRange({self.input:.4g}, {self.output:.4g}{more})"


def _checked_curve(value: ArrayLike) -> NDArray[np.float64]:
    what = "GazeRange: curve"
    curve = finite_floats(value, what)
    if curve.ndim != 2 or curve.shape[1] != 4 or not len(curve):
        raise ValueError(f"{what} must have shape (N, 4), at least one row, got {curve.shape}")
    refuse_larger(curve, what)
    if (np.diff(curve[:, 0]) <= 0).any():
        raise ValueError(f"{what} must have shares of input that rise, got {curve[:, 0].tolist()}")
    return read_only(curve)


def _on_curve(rows: NDArray[np.float64], share: NDArray[Any]) -> NDArray[np.float64]:
    """Return cubic Hermite segments between keys, and their ends outside, as Unity's AnimationCurve does."""
    if len(rows) == 1:
        return np.full(share.shape, rows[0, 1])
    at = np.clip(np.searchsorted(rows[:, 0], share, side="right") - 1, 0, len(rows) - 2)
    first, second = rows[at], rows[at + 1]
    width = second[..., 0] - first[..., 0]
    t = np.clip((share - first[..., 0]) / width, 0, 1)
    rise, leave, arrive = second[..., 1] - first[..., 1], first[..., 3] * width, second[..., 2] * width
    # y0 + (3 t^2 - 2 t^3) (y1 - y0) + (t - 2 t^2 + t^3) m0 + (t^3 - t^2) m1
    return np.asarray(
        first[..., 1] + t * (leave + t * (3 * rise - 2 * leave - arrive + t * (leave + arrive - 2 * rise)))
    )
