# SPDX-License-Identifier: MIT
"""The camera: a lens, a direction, and a distance that frames any character whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import refuse_masked
from lissom._base.numbers import LARGEST, check_number
from lissom._base.set_module import set_module

__all__ = ["AZIMUTH", "EMPTY_BOX", "Camera", "check_direction"]

AZIMUTH = 35.0
"""Degrees from the front to the eye, where no other direction is asked for."""

EMPTY_BOX = ((-1.0, 0.0, -1.0), (1.0, 2.0, 1.0))
"""Lowest and highest corner of the box that is framed where nothing is drawn."""

FARTHEST = 1e30
"""Of a camera's target and distance: its matrices multiply two of them. What it shows may have any size."""


def check_direction(caller: str, azimuth: float = 0.0, elevation: float = 0.0) -> tuple[float, float]:
    """Return the azimuth and elevation of a camera as floats; refuse what is not a finite number.

    `caller` is named in errors.
    """
    return check_number(azimuth, f"{caller}: azimuth"), check_number(elevation, f"{caller}: elevation")


@set_module("lissom.gpu")
@dataclass(frozen=True)
class Camera:
    """A perspective camera that looks at a point.

    Attributes
    ----------
    target : tuple of float
        World point in the middle of the picture.
    distance : float
        From the target to the eye, world units.
    azimuth : float
        Degrees about y from the front (+z) towards +x: where the eye stands.
    elevation : float
        Degrees above the horizon.
    field_of_view : float
        Vertical opening of the lens, degrees; from 1e-9 to below 180.

    Raises
    ------
    TypeError, ValueError
        If something is no number, a length exceeds 1e9, or the lens is not in its range.

    Examples
    --------
    >>> camera = lissom.gpu.Camera(target=(0.0, 1.0, 0.0), distance=4.0, azimuth=90.0, elevation=0.0)
    >>> camera.eye.round(3)  # 4 away on the side of +x
    array([4., 1., 0.])
    """

    target: tuple[float, float, float]
    distance: float
    azimuth: float = AZIMUTH
    elevation: float = 15.0
    field_of_view: float = 30.0

    def __post_init__(self) -> None:
        for coordinate in self.target:
            check_number(coordinate, "Camera: target", largest=FARTHEST)
        check_number(self.distance, "Camera: distance", largest=FARTHEST)
        check_direction("Camera", self.azimuth, self.elevation)
        _lens("Camera", self.field_of_view)

    @classmethod
    def framing(
        cls,
        points: ArrayLike,
        aspect: float,
        *,
        azimuth: float = AZIMUTH,
        elevation: float = 15.0,
        field_of_view: float = 30.0,
        margin: float | tuple[float, float] | tuple[float, float, float] = 0.14,
    ) -> Camera:
        """Return the nearest camera of a direction that sees every point.

        Parameters
        ----------
        points : array_like, shape (N, 3)
            World points to see, such as vertices; N at least 1. To see a box whole, pass all eight corners.
        aspect : float
            Width of the picture over its height.
        azimuth, elevation, field_of_view : float
            Degrees, as in the class.
        margin : float or tuple of float
            Fraction of the picture to leave empty at its edges. Two numbers: left and right together, above
            and below together; three: left and right together, above, below.

        Returns
        -------
        Camera
            Centred between the margins.

        Raises
        ------
        TypeError, ValueError
            If there is no point or one is not finite, `azimuth` or `elevation` is not a finite number,
            or `aspect` or `field_of_view` not in its range.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> camera = lissom.gpu.Camera.framing(hero.mesh.positions, aspect=16 / 9, azimuth=0.0)
        >>> near = lissom.gpu.Camera.framing(hero.mesh.positions, aspect=16 / 9, azimuth=0.0, margin=0.0)
        >>> near.distance < camera.distance
        True
        """
        azimuth, elevation = check_direction("Camera.framing", azimuth, elevation)
        aspect = _in_range(aspect, "Camera.framing: aspect")
        lens = _lens("Camera.framing", field_of_view)
        refuse_masked(points, "Camera.framing: points")
        world = np.asarray(points, dtype=np.float64).reshape(-1, 3)
        if not len(world):
            raise ValueError("Camera.framing: points must hold at least one point, got none")
        bad = np.flatnonzero(~np.isfinite(world).all(axis=1))
        if len(bad):
            raise ValueError(f"Camera.framing: points must be finite, got {world[bad[0]]} at point {bad[0]}")
        right, up, back = axes = _axes(azimuth, elevation)
        x, y, z = axes @ world.T
        sides, *ends = margin if isinstance(margin, tuple) else (margin, margin)
        above, below = ends if len(ends) == 2 else (ends[0] / 2, ends[0] / 2)
        slope_x, slope_y = lens * aspect * (1 - sides), lens * (1 - above - below)
        # Height of the middle between the margins above the middle of the picture, at depth 1. A shear moves
        # one to the other, and keeps depths, which `_nearest` compares with.
        lift = lens * (below - above)
        y = y + lift * z
        extent = float(np.ptp(world, axis=0).max())
        middle = (z.max() + z.min()) / 2
        eye_z = max(_nearest(x, z, slope_x)[0], _nearest(y, z, slope_y)[0], z.max() + 1e-3 * extent)
        ex, ey = _centre(x, z, eye_z, slope_x), _centre(y, z, eye_z, slope_y)
        distance = eye_z - middle
        if not distance > 0:  # a single point
            distance = 1.0
        target = ex * right + (ey - lift * eye_z) * up + middle * back
        return cls(
            (float(target[0]), float(target[1]), float(target[2])),
            float(distance),
            azimuth,
            elevation,
            field_of_view,
        )

    @property
    def eye(self) -> NDArray[np.float64]:
        """World position of the eye, ``(3,)``."""
        back: NDArray[np.float64] = _axes(self.azimuth, self.elevation)[2]
        return np.asarray(self.target) + self.distance * back

    @property
    def axes(self) -> NDArray[np.float64]:
        """Unit world directions to the right, upwards and towards the eye, ``(3, 3)``, one per row."""
        return _axes(self.azimuth, self.elevation)

    def eye_from_world(self) -> NDArray[np.float64]:
        """Return the view matrix ``(4, 4)``: x right, y up, the view along -z.

        Returns
        -------
        ndarray of float64, shape (4, 4)
            Row-major.

        Examples
        --------
        >>> camera = lissom.gpu.Camera(target=(0.0, 1.0, 0.0), distance=4.0)
        >>> eye_from_world = camera.eye_from_world()
        >>> np.allclose(eye_from_world @ [0, 1, 0, 1], [0, 0, -4, 1])  # the target, 4 in front of the eye
        True
        """
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes
        matrix[:3, 3] = -self.axes @ self.eye
        return matrix

    def clip_from_world(self, aspect: float, near: float, far: float) -> NDArray[np.float64]:
        """Return projection times view ``(4, 4)``, OpenGL's clip space.

        Parameters
        ----------
        aspect : float
            Width over height.
        near, far : float
            Distances of the clip planes, world units, positive.

        Returns
        -------
        ndarray of float64, shape (4, 4)
            Row-major; what the camera sees has x, y and z in [-w, w].

        Raises
        ------
        TypeError, ValueError
            If an argument is no number from 1e-9 to 1e9, or `far` is not greater than `near`.

        Examples
        --------
        >>> camera = lissom.gpu.Camera(target=(0.0, 1.0, 0.0), distance=4.0)
        >>> x, y, z, w = camera.clip_from_world(16 / 9, near=0.1, far=100.0) @ [0, 1, 0, 1]
        >>> np.allclose([x / w, y / w], 0)  # the target is in the middle of the picture
        True
        """
        function = "Camera.clip_from_world"
        aspect = _in_range(aspect, f"{function}: aspect")
        near, far = _in_range(near, f"{function}: near"), _in_range(far, f"{function}: far")
        if not near < far:
            raise ValueError(f"{function}: far must be greater than near, {near:g}, got {far:g}")
        f = 1 / _lens(function, self.field_of_view)
        clip_from_eye = np.zeros((4, 4))
        clip_from_eye[0, 0] = f / aspect
        clip_from_eye[1, 1] = f
        clip_from_eye[2, 2] = (far + near) / (near - far)
        clip_from_eye[2, 3] = 2 * far * near / (near - far)
        clip_from_eye[3, 2] = -1.0
        return clip_from_eye @ self.eye_from_world()


def _in_range(value: float, what: str) -> float:
    return check_number(value, what, least=1 / LARGEST, largest=LARGEST)


def _lens(caller: str, field_of_view: float) -> float:
    """Return half the height of the picture at depth 1."""
    what = f"{caller}: field_of_view"
    if _in_range(field_of_view, what) >= 180:
        raise ValueError(f"{what} must be below 180 degrees, got {field_of_view}")
    return float(np.tan(np.radians(field_of_view) / 2))


def _axes(azimuth: float, elevation: float) -> NDArray[Any]:
    a, e = np.radians(azimuth), np.radians(elevation)
    right = np.array([np.cos(a), 0.0, -np.sin(a)])
    back = np.array([np.sin(a) * np.cos(e), np.sin(e), np.cos(a) * np.cos(e)])
    return np.stack([right, np.cross(back, right), back])


def _nearest(v: NDArray[Any], z: NDArray[Any], slope: float) -> tuple[float, float]:
    """Return the z and the v of the nearest eye that sees all points (v, z) through an opening of `slope`.

    An eye at (e, eye_z) sees a point if |v - e| <= (eye_z - z) slope. So e + eye_z slope must be at least the
    largest v + z slope, and eye_z slope - e the largest z slope - v; with equality, these two give both.
    """
    above, below = float((z * slope + v).max()), float((z * slope - v).max())
    return (above + below) / (2 * slope), (above - below) / 2


def _centre(v: NDArray[Any], z: NDArray[Any], eye_z: float, slope: float) -> float:
    """Return the v of an eye at `eye_z` that leaves equal space on both sides of all points (v, z)."""
    # Bisect for the smallest opening that sees all from there: the nearest z falls as it grows.
    low, high = 0.0, slope
    for _ in range(50):
        opening = (low + high) / 2
        if _nearest(v, z, opening)[0] > eye_z:
            low = opening
        else:
            high = opening
    return _nearest(v, z, high)[1]
