# SPDX-License-Identifier: MIT
"""What a ground is, and how any of them is asked."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom.ground._rays import Floats, rays, shaped
from lissom.ground._surface import Surface, faced

__all__ = ["Ground", "cast"]

# A normal may be this far from unit length, as float32 and blends of nearly equal normals leave it; it is
# normalised then. A longer or shorter one is no normal, more likely a slope or a position.
_UNIT_SLACK = 1e-3


class Ground(Protocol):
    """Anything that can be called as a ground: the classes of this module, or a function of one's own.

    It is called as ``ground(origins, directions)`` with two float64 arrays of shape (N, 3): where rays start
    and, at unit length, where they go. It returns ``(distances, normals)`` of shapes (N,) and (N, 3):
    distances of at least 0 in the same units, inf or NaN where there is nothing, and unit normals, of which
    those of rays without a hit do not matter. Space and units are those of whoever casts the rays: model or
    world space, y up.

    Examples
    --------
    Waves, as a height for each place, for rays that go straight down:

    >>> def waves(origins, directions):
    ...     x, y, z = origins.T
    ...     slope = np.stack([-0.1 * np.cos(x), np.ones_like(x), np.zeros_like(x)], axis=1)
    ...     distances = np.where(directions[:, 1] == -1, y - 0.1 * np.sin(x), np.inf)
    ...     return distances, slope / np.linalg.norm(slope, axis=1, keepdims=True)
    >>> distances, normals = lissom.ground.cast(waves, [[0, 1, 0], [np.pi / 2, 1, 0]], [0, -1, 0])
    >>> distances
    array([1. , 0.9])
    """

    def __call__(
        self, origins: Floats, directions: Floats, /
    ) -> tuple[ArrayLike, ArrayLike]: ...  # pragma: no cover


def cast(ground: Ground, origins: ArrayLike, directions: ArrayLike) -> tuple[Floats, Floats]:
    """Cast rays onto any ground, and check what it answers.

    Parameters
    ----------
    ground : Ground
        A ground of this module, or a callable ``ground(origins (N, 3), directions (N, 3)) -> (distances (N,),
        normals (N, 3))``.
    origins : array_like, shape (..., 3)
        Where the rays start, in the space of the ground.
    directions : array_like, shape (..., 3)
        Where they go, of any length but zero: the ground gets them at unit length. The leading axes of both
        broadcast; the ground gets them in one row.

    Returns
    -------
    distances : ndarray of float64, shape (...)
        At least 0; inf where the ground has nothing (its distance is infinite or NaN).
    normals : ndarray of float64, shape (..., 3)
        Unit, on the side that the ray comes from; zero where there is nothing.

    Raises
    ------
    TypeError
        If `ground` cannot be called, does not return two arrays, or rays or answers are no real numbers.
    ValueError
        If shapes do not fit, a ray is not finite, a direction is zero, or the ground answers with a distance
        below zero or a normal that is not unit within 1e-3.

    Examples
    --------
    >>> floor = lissom.ground.Plane((0, 0.25, 0))
    >>> distances, normals = lissom.ground.cast(floor, np.full((2, 4, 3), 1.0), (0, -1, 0))
    >>> distances.shape, float(distances[0, 0])
    ((2, 4), 0.75)
    """
    if isinstance(ground, Surface):
        return ground._checked("ground.cast", origins, directions)
    if not callable(ground):
        raise TypeError(
            f"ground.cast: ground must be callable as ground(origins, directions), "
            f"got {type(ground).__name__}; see lissom.ground.Ground"
        )
    flat, ways, shape = rays("ground.cast", origins, directions)
    if not len(flat):  # a function that reduces over rays need not know of none
        return shaped(np.zeros(0), np.zeros((0, 3)), shape)
    # The ground gets arrays of its own: what it writes into them changes nothing here.
    return shaped(*_answer(ground, flat.copy(), ways.copy(), ways), shape)


def _answer(ground: Ground, origins: Floats, given: Floats, ways: Floats) -> tuple[Floats, Floats]:
    count = len(origins)
    answer: Any = ground(origins, given)
    what = f"ground.cast: {_name(ground)}"
    if not isinstance(answer, (tuple, list)) or len(answer) != 2:
        got = f"{len(answer)} values" if isinstance(answer, (tuple, list)) else type(answer).__name__
        raise TypeError(f"{what} must return (distances, normals), got {got}")
    pair = []
    for name, value, wanted in (("distances", answer[0], (count,)), ("normals", answer[1], (count, 3))):
        array = as_numbers(value, f"{what}: {name}")
        if array.shape != wanted:
            raise ValueError(f"{what}: {name} must have shape {wanted}, got {array.shape}")
        pair.append(np.asarray(array, np.float64))
    distances, normals = pair
    hit = np.isfinite(distances)
    _refuse(hit & (distances < 0), f"{what}: distances must be at least 0", distances)
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        lengths = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    off = hit & ~(np.abs(lengths - 1) <= _UNIT_SLACK)
    _refuse(off, f"{what}: normals must be unit, divide them by their length", normals)
    unit_normals = normals / np.where(hit, lengths, 1.0)[:, None]
    return faced(distances, np.where(hit[:, None], unit_normals, 0.0), ways, hit)


def _refuse(bad: NDArray[np.bool_], what: str, values: NDArray[Any]) -> None:
    if bad.any():
        ray = int(np.argmax(bad))
        raise ValueError(f"{what}, got {values[ray].tolist()} for ray {ray}")


def _name(ground: object) -> str:
    """Name a ground: a function by its own name, anything else by its class."""
    name = getattr(ground, "__qualname__", None)
    return f"ground {name if isinstance(name, str) else type(ground).__name__!r}"
