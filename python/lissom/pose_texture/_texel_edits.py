# SPDX-License-Identifier: MIT
"""Reading and writing single rows and texels of a pose texture, by joint and time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lissom._base.arrays import as_numbers
from lissom._base.names import unknown_name
from lissom._base.numbers import check_number, whole_number
from lissom.pose_texture._layouts.texels import bytes_of

if TYPE_CHECKING:
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["StoredRow", "row", "set_row", "set_texel", "texel"]


class StoredRow(NamedTuple):
    """One row of a pose texture as numbers.

    Attributes
    ----------
    frame : int
        Of its clip, from 0.
    values : ndarray of float32, shape (texels_per_row, 4)
        What the texels mean, decoded.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
    >>> bake.row("bend", 0, 0.1).frame
    3
    """

    frame: int
    values: npt.NDArray[np.float32]


def row(self: PoseTexture, clip: str | int, joint: str | int, time: float) -> StoredRow:
    """Read one row at the stored frame that is nearest to a time.

    Parameters
    ----------
    clip : str or int
        Name, or index in the order of `clips`.
    joint : str or int
        Name in `joints`, the first row of that name; or the index of a row. In the layout ``"rotations"``
        the row after all joints is the translation.
    time : float
        The source clip's seconds, wrapped or clamped as for `sample`.

    Returns
    -------
    StoredRow
        ``.frame``, counted within the clip, and ``.values`` (texels_per_row, 4) float32, decoded.

    Raises
    ------
    ValueError
        If there is no such clip or row, or the time is not finite.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
    >>> stored = bake.row("bend", "Tip", 1.01)
    >>> stored.frame, stored.values.shape
    (30, (2, 4))
    >>> stored.values[0, 2:].round(2)  # z and w of the real part: 50 degrees about z
    array([0.42, 0.91], dtype=float32)
    """
    _, place, at = _place("row", self, clip, joint, time)
    first = int(self._time.firsts[_clip("row", self, clip)])
    return StoredRow(place - first, _decoded(self, place, at))


def set_row(
    self: PoseTexture,
    clip: str | int,
    joint: str | int,
    time: float,
    values: npt.ArrayLike,
    *,
    align: bool = True,
) -> int:
    """Write one row at the stored frame that is nearest to a time. Only what `edited` gives can be written.

    Parameters
    ----------
    clip, joint, time
        As for `row`.
    values : array_like, shape (texels_per_row, 4)
        What the texels shall mean; encoded to the type of `texels`.
    align : bool
        Whether quaternions (with what flips with them) take the sign of the frame before, or at a clip's
        first frame the one after: then blending with it takes the short way. False writes the sign as it is.

    Returns
    -------
    int
        The frame written, counted within the clip.

    Raises
    ------
    ValueError
        If the bake is read-only, a number is not finite, does not fit float16 or lies outside the range of
        its byte, or as for `row`.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).edited()
    >>> still = bake.row("bend", "Tip", 0.0).values
    >>> bake.set_row("bend", "Tip", 1.0, still)
    30
    >>> bool(np.array_equal(bake.row("bend", "Tip", 1.0).values, still))
    True
    """
    index, place, at = _place("set_row", self, clip, joint, time)
    _require_writable("set_row", self)
    wanted = as_numbers(values, "PoseTexture.set_row: values").astype(np.float64)
    shape = self.texels.shape[2:]
    if wanted.shape != shape:
        raise ValueError(f"PoseTexture.set_row: values: expected shape {shape}, got {wanted.shape}")
    limit = _limit(self)
    bad = ~(np.abs(wanted) <= limit)
    if bad.any():
        raise ValueError(
            f"PoseTexture.set_row: values: expected finite numbers of magnitude up to {limit:g}, "
            f"got {wanted[bad][0]:g}"
        )
    form = self._texels.form
    first, last = int(self._time.firsts[index]), int(self._time.lasts[index])
    if align and form.quat >= 0 and at < form.signed_rows and last > first:
        beside = _decoded(self, place - 1 if place > first else place + 1, at)[form.quat]
        if float((beside * wanted[form.quat]).sum()) < 0:
            wanted[form.quat : form.quat + form.flipped] *= -1
    self.texels[place, at] = _encoded(self, index, at, wanted.astype(np.float32))
    return place - first


def texel(
    self: PoseTexture, clip: str | int, joint: str | int, frame: int, texel: int = 0
) -> npt.NDArray[Any]:
    """Read one texel as it is stored.

    Parameters
    ----------
    clip, joint
        As for `row`.
    frame : int
        Of the clip, from 0 to its ``frame_count - 1``.
    texel : int
        Of the row, below texels_per_row.

    Returns
    -------
    ndarray of the dtype of `texels`, shape (4,)
        A copy.

    Raises
    ------
    ValueError
        If there is no such clip, row, frame or texel.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
    >>> bake.texel("bend", "Tip", 30)[2:]  # z and w of the real part, as they are stored
    array([0.4226, 0.9062], dtype=float16)
    """
    return np.array(self.texels[_texel("texel", self, clip, joint, frame, texel)])


def set_texel(
    self: PoseTexture,
    clip: str | int,
    joint: str | int,
    frame: int,
    values: npt.ArrayLike,
    texel: int = 0,
) -> None:
    """Write one texel as it shall be stored. Only what `edited` gives can be written.

    Parameters
    ----------
    clip, joint, frame, texel
        As for `texel`.
    values : array_like, shape (4,)
        Numbers of the type of `texels`: bytes are whole numbers from 0 to 255.

    Raises
    ------
    ValueError
        If the bake is read-only, a number does not fit the type of `texels`, or as for `texel`.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).edited()
    >>> bake.set_texel("bend", "Tip", 30, [0, 0, 0, 1])
    >>> bake.texel("bend", "Tip", 30)
    array([0., 0., 0., 1.], dtype=float16)
    """
    place = _texel("set_texel", self, clip, joint, frame, texel)
    _require_writable("set_texel", self)
    wanted = as_numbers(values, "PoseTexture.set_texel: values").astype(np.float64)
    if wanted.shape != (4,):
        raise ValueError(f"PoseTexture.set_texel: values: expected shape (4,), got {wanted.shape}")
    if self.texels.dtype == np.uint8:
        bad = ~((wanted >= 0) & (wanted <= 255) & (wanted == np.rint(wanted)))
        fits = "whole numbers from 0 to 255"
    else:
        limit = _limit(self)
        bad, fits = ~(np.abs(wanted) <= limit), f"finite numbers of magnitude up to {limit:g}"
    if bad.any():
        raise ValueError(f"PoseTexture.set_texel: values: expected {fits}, got {wanted[bad][0]:g}")
    self.texels[place] = wanted


def _require_writable(function: str, bake: PoseTexture) -> None:
    if not bake.texels.flags.writeable:
        raise ValueError(
            f"PoseTexture.{function}: this bake is read-only; write to the copy that edited() gives"
        )


def _clip(function: str, bake: PoseTexture, clip: str | int) -> int:
    index = bake._clip_index(clip)
    if index.ndim:
        raise TypeError(f"PoseTexture.{function}: clip: expected one name or index, got an array")
    return int(index)


def _row(function: str, bake: PoseTexture, joint: str | int) -> int:
    if isinstance(joint, str):
        if joint not in bake.joints:
            raise ValueError(f"PoseTexture.{function}: {unknown_name('joint', joint, bake.joints)}")
        return bake.joints.index(joint)
    return _below(function, "joint", joint, bake.texels.shape[1])


def _below(function: str, argument: str, value: int, end: int) -> int:
    what = f"PoseTexture.{function}: {argument}"
    number = whole_number(value, what)
    if number >= end:
        raise ValueError(f"{what}: expected less than {end}, got {number}")
    return number


def _place(
    function: str, bake: PoseTexture, clip: str | int, joint: str | int, time: float
) -> tuple[int, int, int]:
    """Find clip, frame of the texture and row."""
    index, at = _clip(function, bake, clip), _row(function, bake, joint)
    seconds = check_number(time, f"PoseTexture.{function}: time")
    coordinate = np.atleast_1d(bake.frame_coordinate(index, seconds))
    return index, int(bake._time.places(f"PoseTexture.{function}", coordinate, False).frames[0]), at


def _texel(
    function: str, bake: PoseTexture, clip: str | int, joint: str | int, frame: int, texel: int
) -> tuple[int, int, int]:
    index, at = _clip(function, bake, clip), _row(function, bake, joint)
    first, last = int(bake._time.firsts[index]), int(bake._time.lasts[index])
    place = first + _below(function, "frame", frame, last - first + 1)
    return place, at, _below(function, "texel", texel, bake.texels.shape[2])


def _decoded(bake: PoseTexture, place: int, at: int) -> npt.NDArray[np.float32]:
    """One row of one frame as floats, by the reading that all else goes through."""
    one = np.array([place], np.int32)
    clip = np.searchsorted(bake._time.firsts, one, side="right").astype(np.int32) - 1
    rows = bake._texels.sample(one, one, np.zeros(1, np.float32), clip.astype(np.int32))
    return np.array(rows[0, at].reshape(-1, 4))


def _limit(bake: PoseTexture) -> float:
    """Give the largest number that texels, or what bytes mean, may have."""
    return float(np.finfo(np.float16 if bake.texels.dtype == np.float16 else np.float32).max)


def _encoded(bake: PoseTexture, index: int, at: int, values: npt.NDArray[np.float32]) -> Any:
    if bake.ranges is None:
        return values
    ranges = bake.ranges[index, at]
    low, step = ranges[:, 0].astype(np.float64), ranges[:, 1].astype(np.float64)
    slack = 0.501 * step + 1e-6 * np.abs(low)  # what rounds to an end of the range is inside
    bad = (values < low - slack) | (values > low + 255 * step + slack)
    if bad.any():
        place = tuple(int(axis[0]) for axis in np.nonzero(bad))
        raise ValueError(
            f"PoseTexture.set_row: values: number {place[1]} of texel {place[0]} has bytes from "
            f"{low[place]:g} to {low[place] + 255 * step[place]:g} in this clip, got {values[place]:g}; "
            "bake with dtype='float16'"
        )
    return bytes_of(values, ranges)
