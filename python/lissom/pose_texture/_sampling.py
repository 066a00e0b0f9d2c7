# SPDX-License-Identifier: MIT
"""Reading palette rows from a pose texture, at times and at frame coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom._base.arrays import as_numbers, refuse_masked
from lissom._base.names import name_meant, unknown_name
from lissom._base.numbers import check_fractions
from lissom.pose_texture._layouts import SampledPalette

if TYPE_CHECKING:
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["clip_index", "frame_coordinate", "rows_at", "sample", "sample_frames"]


def frame_coordinate(
    self: PoseTexture, clip: str | int | npt.ArrayLike, times: npt.ArrayLike, loop: bool | None = None
) -> npt.NDArray[np.float64]:
    """Compute the frame coordinates of times: the one rule of time, in double precision.

    Parameters
    ----------
    clip : str, int or array of int
        A clip's name, or its index in the order of `clips`; an array of indices is broadcast with
        `times`.
    times : array_like of float
        The source clip's seconds. A looping clip wraps them, half open: its end is its start. Others
        clamp.
    loop : bool, optional
        Wrap or clamp; as the clip does when omitted.

    Returns
    -------
    ndarray of float64
        Frame index within `texels`, with a fraction. The integer part is the frame to read, its neighbour
        the other; on the last frame of a clip the frame before is read with the fraction 1.

    Raises
    ------
    ValueError
        If there is no such clip, or a time is not finite.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
    >>> bake.clips["bend"].first_frame
    121
    >>> bake.frame_coordinate("bend", [0.0, 0.05, 4.0])  # the end of a loop is its start
    array([121. , 122.5, 121. ])
    """
    function = "PoseTexture.frame_coordinate"
    return self._time.coordinate(function, clip_index(function, self, clip), times, loop)


def sample(
    self: PoseTexture,
    clip: str | int | npt.ArrayLike,
    times: npt.ArrayLike,
    loop: bool | None = None,
    *,
    interpolate: bool = True,
) -> SampledPalette:
    """Read palette rows at any times, in the arithmetic of the shader.

    Parameters
    ----------
    clip, times, loop
        As `frame_coordinate` takes them; leading axes of the result are those of `times`.
    interpolate : bool
        Whether to blend the two neighbouring frames, or take the nearer one.

    Returns
    -------
    SampledPalette
        ``.dual_quats`` (..., S, 8) float32 not normalised, ``.scales`` (..., S, 3, 4) or None,
        ``.matrices`` (..., S, 4, 4). Functions that take a palette take it.

    Raises
    ------
    ValueError
        If there is no such clip or a time is not finite.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> bake = lissom.bake(bar, "bend", rate=30)
    >>> palette = bake.palette("bend", [0.0, 0.51, 2.0])
    >>> baked = lissom.deform(bar.mesh, palette, "dual_quat")
    >>> truth = bar.deform(bar.clips["bend"].sample([0.0, 0.51, 2.0]), "dual_quat")
    >>> bool(lissom.metrics.distance(baked, truth, bar.size).max_relative.max() < 0.001)
    True
    """
    place = self._time.plain_place(clip, times, loop, interpolate)
    if place is not None:
        rows = self._texels.plain_sample(*place)
        if rows is not None:
            return self._layout.palette(rows, self.skin, self.rig)
    function = "PoseTexture.sample"
    coordinates = self._time.coordinate(function, clip_index(function, self, clip), times, loop)
    return self.sample_frames(coordinates, interpolate=interpolate)


def sample_frames(
    self: PoseTexture,
    coordinates: npt.ArrayLike,
    *,
    next_coordinates: npt.ArrayLike | None = None,
    fades: npt.ArrayLike | None = None,
    interpolate: bool = True,
) -> SampledPalette:
    """Read palette rows at frame coordinates, as a shader does that is handed them.

    Two neighbouring frames are fetched, the second is signed to the first, and
    ``a * (1 - t) + b * t`` is computed in float32, ``t`` being the coordinate's fraction rounded to
    float32. A cross-fade does so at two coordinates and mixes both rows by the same rule; the palette is
    made from the mixed rows.

    Parameters
    ----------
    coordinates : array_like of float
        From `frame_coordinate`. Float32 coordinates are used unchanged, so that those of a shader can be
        reproduced.
    next_coordinates, fades : array_like of float, optional
        Coordinates in the clip that is faded to, and its share of the result, 0 to 1. Both are broadcast
        with `coordinates`.
    interpolate : bool
        Whether to blend neighbouring frames, or take the nearer one.

    Returns
    -------
    SampledPalette
        As from `palette`; its leading axes are those of the arguments, broadcast.

    Raises
    ------
    TypeError
        If only one of `next_coordinates` and `fades` is given.
    ValueError
        If a coordinate is not finite or outside the texture, or a fade is outside [0, 1].

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
    >>> twist, bend = (bake.frame_coordinate(name, 1.0) for name in bake.clips)
    >>> palette = bake.sample_frames(twist, next_coordinates=bend, fades=[0.0, 0.5, 1.0])
    >>> palette.matrices.shape
    (3, 2, 4, 4)
    """
    rows = rows_at("PoseTexture.sample_frames", self, coordinates, next_coordinates, fades, interpolate)
    return self._layout.palette(rows, self.skin, self.rig)


def rows_at(
    function: str,
    bake: PoseTexture,
    coordinates: npt.ArrayLike,
    next_coordinates: npt.ArrayLike | None,
    fades: npt.ArrayLike | None,
    interpolate: bool,
) -> npt.NDArray[np.float32]:
    """Read row floats (..., R, 4 T), mixed where there are fades."""
    if (next_coordinates is None) != (fades is None):
        raise TypeError(f"{function}: next_coordinates and fades must be passed together, got one of them")

    def read(flat: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        return bake._texels.sample(*bake._time.places(function, flat, interpolate))

    first = as_numbers(coordinates, f"{function}: coordinates")
    if next_coordinates is None or fades is None:
        rows = read(first.astype(np.float64).reshape(-1))
        return rows.reshape(*first.shape, *rows.shape[1:])
    second = as_numbers(next_coordinates, f"{function}: next_coordinates")
    weights = as_numbers(fades, f"{function}: fades")
    first, second, weights = np.broadcast_arrays(first, second, weights)
    with np.errstate(over="ignore"):  # infinite ones are refused below
        weights = np.ascontiguousarray(weights, np.float32).reshape(-1)
    check_fractions(weights, f"{function}: fades")
    first_rows, second_rows = (read(side.astype(np.float64).reshape(-1)) for side in (first, second))
    rows = bake._texels.form.mix(first_rows, second_rows, weights)
    return rows.reshape(*first.shape, *rows.shape[1:])


def clip_index(function: str, bake: PoseTexture, clip: str | int | npt.ArrayLike) -> npt.NDArray[np.intp]:
    """Return the indices of clips in the order of the texture."""
    if isinstance(clip, str):
        names = list(bake.clips)
        meant = name_meant(clip, names)
        if meant is None:
            raise ValueError(f"{function}: {unknown_name('clip', clip, names)}")
        return np.asarray(names.index(meant))
    refuse_masked(clip, f"{function}: clip")
    index = np.asarray(clip)
    if index.dtype.kind not in "iu":
        raise TypeError(f"{function}: clip must be a name, an index or an array of indices, got {clip!r}")
    if index.size and (index.min() < 0 or index.max() >= len(bake.clips)):
        raise ValueError(
            f"{function}: clip must be at least 0 and below {len(bake.clips)}, "
            f"got {index.min() if index.min() < 0 else index.max()}"
        )
    return index.astype(np.intp)
