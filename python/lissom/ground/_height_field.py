# SPDX-License-Identifier: MIT
"""A ground of heights on a grid."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers, read_only
from lissom._base.numbers import refuse_larger
from lissom.ground._rays import Floats, finite, vector
from lissom.ground._surface import Surface, hits_towards
from lissom.ground._triangle_mesh import TriangleMesh

__all__ = ["HeightField"]


class HeightField(Surface):
    """Heights on a regular grid over x and z.

    Each cell is two flat triangles, split along the diagonal from the corner of lowest x and z to that of
    highest x and z: rays hit the very triangles that `triangles` returns. (A bilinear patch would be smooth
    inside a cell only, and could not be drawn.) Rays straight down or up take the same time whatever the size
    of the grid; the first ray in another direction builds a `TriangleMesh`. The field has two sides, and
    ends at the outermost heights.

    Parameters
    ----------
    heights : array_like, shape (nz, nx)
        ``heights[i, j]`` is the height (y, relative to that of `origin`) at x ``origin[0] + j * spacing`` and
        z ``origin[2] + i * spacing``. At least 2 by 2. Stored as float64.
    spacing : float or pair of float
        Distance of neighbouring heights, above zero: one for both axes, or (in x, in z).
    origin : array_like, shape (3,)
        Position of ``heights[0, 0]`` if that is 0.

    Attributes
    ----------
    heights : ndarray of float64, shape (nz, nx)
        Read-only.
    spacing : tuple of 2 float
        In x and in z.
    origin : ndarray of float64, shape (3,)
        Read-only.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers.
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
        for axis, coordinates in (("x", self._xs), ("z", self._zs)):
            if not (np.isfinite(coordinates[-1]) and (np.diff(coordinates) > 0).all()):
                raise ValueError(
                    f"HeightField: spacing must keep neighbours at different, finite coordinates, got {axis} "
                    f"from {coordinates[0]} to {coordinates[-1]}; bring the origin nearer"
                )

    @property
    def heights(self) -> Floats:
        """Heights relative to the origin, shape (nz, nx), read-only."""
        return self._heights

    @property
    def spacing(self) -> tuple[float, float]:
        """Distance of neighbouring heights, in x and in z."""
        return self._spacing

    @property
    def origin(self) -> Floats:
        """Position of ``heights[0, 0]`` if that is 0, shape (3,), read-only."""
        return self._origin

    def triangles(self) -> tuple[Floats, NDArray[np.uint32]]:
        """Return the two triangles of each cell, for drawing.

        Returns
        -------
        positions : ndarray of float64, shape (nz * nx, 3)
            Row by row.
        triangles : ndarray of uint32, shape (2 * (nz - 1) * (nx - 1), 3)
            Counter-clockwise seen from above, the two of a cell next to each other.

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
        # The corners of a cell, by their steps in z and x.
        c00, c01, c10, c11 = first, first + 1, first + columns, first + columns + 1
        cells = np.stack([c00, c10, c11, c00, c11, c01], axis=1)
        return positions.reshape(-1, 3), cells.reshape(-1, 3).astype(np.uint32)

    def _cast(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
        vertical = (directions[:, 0] == 0) & (directions[:, 2] == 0)
        if vertical.all():
            return self._cast_vertical(origins, directions)
        distances, normals = np.full(len(origins), np.inf), np.zeros((len(origins), 3))
        for selected, cast in ((vertical, self._cast_vertical), (~vertical, self._cast_slanted)):
            if selected.any():
                distances[selected], normals[selected] = cast(origins[selected], directions[selected])
        return distances, normals

    def _cast_vertical(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
        x, y, z = origins.T
        inside = (x >= self._xs[0]) & (x <= self._xs[-1]) & (z >= self._zs[0]) & (z <= self._zs[-1])
        column, u = _cell(x, self._xs)
        row, v = _cell(z, self._zs)
        h00, h01 = self._heights[row, column], self._heights[row, column + 1]
        h10, h11 = self._heights[row + 1, column], self._heights[row + 1, column + 1]
        is_first = u >= v  # the triangle 00, 11, 01
        rise_x = np.where(is_first, h01 - h00, h11 - h10)
        rise_z = np.where(is_first, h11 - h01, h10 - h00)
        height = self._origin[1] + (h00 + (u * rise_x + v * rise_z))
        width_x = self._xs[column + 1] - self._xs[column]
        width_z = self._zs[row + 1] - self._zs[row]
        normals = np.stack([-rise_x / width_x, np.ones_like(x), -rise_z / width_z], axis=1)
        normals /= np.sqrt(np.einsum("ij,ij->i", normals, normals))[:, None]
        distances = (height - y) * directions[:, 1]  # which is 1 or -1
        return hits_towards(directions, distances, normals, inside & (distances >= 0))

    def _cast_slanted(self, origins: Floats, directions: Floats) -> tuple[Floats, Floats]:
        if self._mesh is None:  # two threads may build one each: the meshes are equal
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
    refuse_larger(array, "HeightField: spacing")
    x, z = np.broadcast_to(np.asarray(array, np.float64), 2).tolist()
    return x, z


def _cell(points: Floats, edges: Floats) -> tuple[NDArray[np.intp], Floats]:
    """Return the cell of each point on one axis, and the fraction of it from 0 to 1.

    Points outside the `edges` get the first or last cell.
    """
    width = (edges[-1] - edges[0]) / (len(edges) - 1)
    with np.errstate(over="ignore", invalid="ignore"):
        guess = np.clip((points - edges[0]) / width, 0, len(edges) - 2)
    cell = guess.astype(np.intp)
    # Rounding may miss by one at an edge, where the two cells agree: the fraction is clamped to [0, 1].
    fraction = (points - edges[cell]) / (edges[cell + 1] - edges[cell])
    return cell, np.clip(fraction, 0.0, 1.0)
