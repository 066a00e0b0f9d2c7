# SPDX-License-Identifier: MIT
"""The protocol of grounds, and the function that casts rays onto any of them."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom.ground._rays import Floats, rays, shaped
from lissom.ground._surface import Surface, hits_towards

__all__ = ["Ground", "cast"]

# A normal may be this far from unit length, as float32 and blends of nearly equal normals leave it; it is
# normalised then. A longer or shorter one is not a normal but more likely a slope or a position.
_UNIT_SLACK = 1e-3


class Ground(Protocol):
    """Anything that can be called as a ground: the classes of this module, or a function of one's own.

    It is called as ``ground(origins, directions)`` with two float64 arrays of shape (N, 3): the starts of the
    rays and their directions, at unit length. It returns ``(distances, normals)`` of shapes (N,) and (N, 3):
    distances of at least 0 in the same units, inf or NaN where a ray hits nothing, and unit normals, which
    are ignored where a ray hits nothing. Space and units are those of whoever casts the rays: model or world
    space, y up.

    Examples
    --------
    Waves, as a height over x, for rays that go straight down:

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
    """Cast rays onto any ground, and check what it returns.

    Parameters
    ----------
    ground : Ground
        A ground of this module, or a callable ``ground(origins (N, 3), directions (N, 3)) -> (distances (N,),
        normals (N, 3))``.
    origins : array_like, shape (..., 3)
        Start of each ray, in the space of the ground.
    directions : array_like, shape (..., 3)
        Direction of each ray, of any length except zero: the ground gets them at unit length. The leading
        axes of both broadcast; the ground gets them flattened to one axis.

    Returns
    -------
    distances : ndarray of float64, shape (...)
        At least 0; inf where nothing is hit (the ground returned infinity or NaN).
    normals : ndarray of float64, shape (..., 3)
        Unit, facing the start of the ray; zero where nothing is hit.

    Raises
    ------
    TypeError
        If `ground` cannot be called or does not return two arrays, or rays or results are not real numbers.
    ValueError
        If shapes do not fit, a ray is not finite, a direction is zero, or the ground returns a distance
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
    flat_origins, unit_directions, shape = rays("ground.cast", origins, directions)
    if not len(flat_origins):  # a ground that reduces over rays may not cope with zero of them
        return shaped(np.zeros(0), np.zeros((0, 3)), shape)
    return shaped(*_call(ground, flat_origins, unit_directions), shape)


def _call(ground: Ground, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
    """Call a ground with rays, at least one, and check what it returns."""
    # The ground gets copies: what it writes into them must not change ours.
    returned: Any = ground(origins.copy(), directions.copy())
    what = f"ground.cast: {_name(ground)}"
    if not isinstance(returned, (tuple, list)) or len(returned) != 2:
        got = f"{len(returned)} values" if isinstance(returned, (tuple, list)) else type(returned).__name__
        raise TypeError(f"{what} must return (distances, normals), got {got}")
    count = len(origins)
    pair = []
    for name, value, shape in (("distances", returned[0], (count,)), ("normals", returned[1], (count, 3))):
        array = as_numbers(value, f"{what}: {name}")
        if array.shape != shape:
            raise ValueError(f"{what}: {name} must have shape {shape}, got {array.shape}")
        pair.append(np.asarray(array, np.float64))
    distances, normals = pair
    hit = np.isfinite(distances)
    _refuse(hit & (distances < 0), f"{what}: distances must be at least 0", distances)
    with np.errstate(over="ignore", invalid="ignore"):  # refused below
        lengths = np.sqrt(np.einsum("ij,ij->i", normals, normals))
    off = hit & ~(np.abs(lengths - 1) <= _UNIT_SLACK)
    _refuse(off, f"{what}: normals must be unit, divide them by their length", normals)
    unit_normals = normals / np.where(hit, lengths, 1.0)[:, None]
    return hits_towards(directions, distances, np.where(hit[:, None], unit_normals, 0.0), hit)


def _refuse(bad: NDArray[np.bool_], what: str, values: NDArray[Any]) -> None:
    if bad.any():
        ray = int(np.argmax(bad))
        raise ValueError(f"{what}, got {values[ray].tolist()} for ray {ray}")


def _name(ground: object) -> str:
    """Return the name of a ground for messages: of a function its own, of anything else its class's."""
    name = getattr(ground, "__qualname__", None)
    return f"ground {name if isinstance(name, str) else type(ground).__name__!r}"
