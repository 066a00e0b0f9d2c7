# SPDX-License-Identifier: MIT
"""A ground of heights on a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers, read_only
from lissom.ground._rays import Floats, finite, vector
from lissom.ground._surface import Surface, faced
from lissom.ground._triangle_mesh import TriangleMesh

__all__ = ["HeightField"]


class HeightField(Surface):
    """Heights on a regular grid over x and z.

    Each cell is two flat triangles, split from the corner of lowest x and z to that of the highest: what
    `triangles` gives to draw is what rays hit. (A bilinear patch would be smooth inside a cell only, and
    could not be drawn.) Rays straight down or up take the same time whatever the size of the grid; the first
    other one makes a `TriangleMesh` of it. It has two sides, and ends at the outermost heights.

    Parameters
    ----------
    heights : array_like, shape (nz, nx)
        ``heights[i, j]`` is the height (y, above that of `origin`) at x ``origin[0] + j * spacing`` and z
        ``origin[2] + i * spacing``. At least 2 by 2. Kept as float64.
    spacing : float or pair of float
        Between neighbouring heights, above zero: the same for both, or (along x, along z).
    origin : array_like, shape (3,)
        Where ``heights[0, 0]`` stands if it is 0.

    Attributes
    ----------
    heights : ndarray of float64, shape (nz, nx)
        Read-only.
    spacing : tuple of 2 float
        Along x and along z.
    origin : ndarray of float64, shape (3,)
        Read-only.

    Raises
    ------
    TypeError
        If an argument is no real numbers.
    ValueError
        If heights are not 2-D or fewer than 2 by 2, a number is not finite, or the spacing is not above zero.

    Examples
    --------
    >>> ramp = lissom.ground.HeightField([[0, 1], [0, 1]], spacing=2)
    >>> distances, normals = ramp([[1, 3, 0.5], [5, 3, 0.5]], (0, -1, 0))
    >>> distances
    array([2.5, inf])
    >>> normals[0].round(4)
    array([-0.4472,  0.8944,  0.    ])
    """

    __slots__ = ("_heights", "_mesh", "_origin", "_spacing", "_xs", "_zs")

    def __init__(
        self,
        heights: ArrayLike,
        spacing: float | tuple[float, float] = 1.0,
        origin: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        array = as_numbers(heights, "HeightField: heights")
        if array.ndim != 2 or min(array.shape) < 2:
            raise ValueError(
                f"HeightField: heights must have shape (nz, nx), both at least 2, got {array.shape}"
            )
        self._heights = read_only(finite("HeightField: heights", array).copy())
        self._spacing = _spacing(spacing)
        self._origin = vector("HeightField: origin", origin)
        self._mesh: TriangleMesh | None = None
        rows, columns = array.shape
        self._xs = self._origin[0] + self._spacing[0] * np.arange(columns)
        self._zs = self._origin[2] + self._spacing[1] * np.arange(rows)
        for name, places in (("x", self._xs), ("z", self._zs)):
            if not (np.isfinite(places[-1]) and (np.diff(places) > 0).all()):
                raise ValueError(
                    f"HeightField: spacing must tell neighbours apart at the origin, got {name} from "
                    f"{places[0]} to {places[-1]}; bring the origin nearer"
                )

    @property
    def heights(self) -> Floats:
        """Heights above the origin, shape (nz, nx), read-only."""
        return self._heights

    @property
    def spacing(self) -> tuple[float, float]:
        """Between neighbouring heights, along x and along z."""
        return self._spacing

    @property
    def origin(self) -> Floats:
        """Where ``heights[0, 0]`` stands if it is 0, shape (3,), read-only."""
        return self._origin

    def triangles(self) -> tuple[Floats, NDArray[np.uint32]]:
        """Give the two triangles of each cell, to draw.

        Returns
        -------
        positions : ndarray of float64, shape (nz * nx, 3)
            Row by row.
        triangles : ndarray of uint32, shape (2 * (nz - 1) * (nx - 1), 3)
            Counter-clockwise seen from above, the two of a cell one after the other.

        Examples
        --------
        >>> positions, triangles = lissom.ground.HeightField(np.zeros((3, 4))).triangles()
        >>> positions.shape, triangles.shape
        ((12, 3), (12, 3))
        """
        rows, columns = self._heights.shape
        positions = np.empty((rows, columns, 3))
        positions[..., 0] = self._xs
        positions[..., 1] = self._origin[1] + self._heights
        positions[..., 2] = self._zs[:, None]
        first = (np.arange(rows - 1)[:, None] * columns + np.arange(columns - 1)).ravel()
        # Corners of a cell: itself, one along x, one along z, both.
        own, right, ahead, both = first, first + 1, first + columns, first + columns + 1
        cells = np.stack([own, ahead, both, own, both, right], axis=1)
        return positions.reshape(-1, 3), cells.reshape(-1, 3).astype(np.uint32)

    def _cast(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
        upright = (directions[:, 0] == 0) & (directions[:, 2] == 0)
        if upright.all():
            return self._cast_upright(origins, directions)
        distances, normals = np.full(len(origins), np.inf), np.zeros((len(origins), 3))
        for which, how in ((upright, self._cast_upright), (~upright, self._cast_slanted)):
            if which.any():
                distances[which], normals[which] = how(origins[which], directions[which])
        return distances, normals

    def _cast_upright(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
        x, y, z = origins.T
        inside = (x >= self._xs[0]) & (x <= self._xs[-1]) & (z >= self._zs[0]) & (z <= self._zs[-1])
        column, u = _cell(x, self._xs)
        row, v = _cell(z, self._zs)
        own, right = self._heights[row, column], self._heights[row, column + 1]
        ahead, both = self._heights[row + 1, column], self._heights[row + 1, column + 1]
        near_x = u >= v  # the triangle own, both, right
        along_x = np.where(near_x, right - own, both - ahead)
        along_z = np.where(near_x, both - right, ahead - own)
        height = self._origin[1] + (own + (u * along_x + v * along_z))
        width_x = self._xs[column + 1] - self._xs[column]
        width_z = self._zs[row + 1] - self._zs[row]
        normals = np.stack([-along_x / width_x, np.ones_like(x), -along_z / width_z], axis=1)
        normals /= np.sqrt(np.einsum("ij,ij->i", normals, normals))[:, None]
        distances = (height - y) * directions[:, 1]  # which is 1 or -1
        return faced(distances, normals, directions, inside & (distances >= 0))

    def _cast_slanted(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
        if self._mesh is None:  # two threads may make one each: they are the same
            self._mesh = TriangleMesh(*self.triangles())
        return self._mesh._cast(origins, directions)

    def __repr__(self) -> str:
        rows, columns = self._heights.shape
        x, z = self._spacing
        low, high = self._heights.min(), self._heights.max()
        return (
            f"HeightField({rows} x {columns} heights from {low:.6g} to {high:.6g}, "
            f"spacing {f'{x:.6g}' if x == z else f'({x:.6g}, {z:.6g})'}, "
            f"origin ({', '.join(f'{value:.6g}' for value in self._origin.tolist())}))"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return HeightField, (self._heights, self._spacing, self._origin)


def _spacing(value: Any) -> tuple[float, float]:
    array = as_numbers(value, "HeightField: spacing")
    if array.shape not in ((), (2,)):
        raise ValueError(f"HeightField: spacing must be a number or two, (x, z), got shape {array.shape}")
    if not (np.isfinite(array).all() and (array > 0).all()):
        raise ValueError(f"HeightField: spacing must be above zero and finite, got {array.tolist()}")
    x, z = np.broadcast_to(np.asarray(array, np.float64), 2).tolist()
    return x, z


def _cell(place: Floats, places: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Give the cell along one axis, and where in it from 0 to 1; the first or last for places outside."""
    width = (places[-1] - places[0]) / (len(places) - 1)
    with np.errstate(over="ignore", invalid="ignore"):
        guess = np.clip((place - places[0]) / width, 0, len(places) - 2)
    cell = guess.astype(np.intp)
    # Rounding may miss by one at a border, where the two cells agree: the fraction is held in [0, 1].
    fraction = (place - places[cell]) / (places[cell + 1] - places[cell])
    return cell, np.clip(fraction, 0.0, 1.0)
