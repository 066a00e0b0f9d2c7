# SPDX-License-Identifier: MIT
"""Read and write single rows and texels of a pose texture, by joint and time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from lissom._base.arrays import as_numbers
from lissom._base.names import unknown_name
from lissom._base.numbers import check_number, whole_number
from lissom.pose_texture._layouts.texels import HIGHEST_BYTE, bytes_of
from lissom.pose_texture._sampling import clip_index

if TYPE_CHECKING:
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["StoredRow", "nearest_frame", "row", "set_row", "set_texel", "texel"]


class StoredRow(NamedTuple):
    """One row of a pose texture, decoded.

    Attributes
    ----------
    frame : int
        Frame within the clip, from 0.
    values : ndarray of float32, shape (texels_per_row, 4)
        Decoded numbers.

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
        ``.frame``, within the clip, and ``.values`` (texels_per_row, 4) float32, decoded.

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
    index, frame, row_index = _nearest("PoseTexture.row", self, clip, joint, time)
    return StoredRow(frame - int(self._time.firsts[index]), _decoded(self, frame, row_index))


def set_row(
    self: PoseTexture,
    clip: str | int,
    joint: str | int,
    time: float,
    values: npt.ArrayLike,
    *,
    align: bool = True,
) -> int:
    """Write one row at the stored frame that is nearest to a time, in a copy from `edited`.

    Parameters
    ----------
    clip, joint, time
        As for `row`.
    values : array_like, shape (texels_per_row, 4)
        Numbers to store; encoded to the type of `texels`.
    align : bool
        Whether quaternions (and the texels that change sign with them) take the sign of the frame before, or
        at a clip's first frame of the one after, so that blending with it takes the shorter arc. False keeps
        the sign of `values`.

    Returns
    -------
    int
        The frame written, within the clip.

    Raises
    ------
    ValueError
        As for `row`; if the bake is read-only, or a number is not finite, does not fit float16 or lies
        outside the range of its byte.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).edited()
    >>> still = bake.row("bend", "Tip", 0.0).values
    >>> bake.set_row("bend", "Tip", 1.0, still)
    30
    >>> bool(np.array_equal(bake.row("bend", "Tip", 1.0).values, still))
    True
    """
    function = "PoseTexture.set_row"
    index, frame, row_index = _nearest(function, self, clip, joint, time)
    _require_writable(function, self)
    numbers = _numbers(function, values, self.texels.shape[2:])
    _check_magnitude(function, self, numbers)
    form = self._texels.form
    first, last = int(self._time.firsts[index]), int(self._time.lasts[index])
    if align and form.quat >= 0 and row_index < form.signed_rows and last > first:
        neighbour = _decoded(self, frame - 1 if frame > first else frame + 1, row_index)[form.quat]
        if float((neighbour * numbers[form.quat]).sum()) < 0:
            numbers[form.quat : form.quat + form.flipped] *= -1
    self.texels[frame, row_index] = _encoded(self, index, row_index, numbers.astype(np.float32))
    return frame - first


def texel(
    self: PoseTexture, clip: str | int, joint: str | int, frame: int, texel: int = 0
) -> npt.NDArray[Any]:
    """Read one texel without decoding it.

    Parameters
    ----------
    clip, joint
        As for `row`.
    frame : int
        Frame within the clip, from 0 to its ``frame_count - 1``.
    texel : int
        Texel within the row, from 0 to ``texels_per_row - 1``.

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
    return np.array(self.texels[_texel("PoseTexture.texel", self, clip, joint, frame, texel)])


def set_texel(
    self: PoseTexture,
    clip: str | int,
    joint: str | int,
    frame: int,
    values: npt.ArrayLike,
    texel: int = 0,
) -> None:
    """Write one texel without encoding it, in a copy from `edited`.

    Parameters
    ----------
    clip, joint, frame, texel
        As for `texel`.
    values : array_like, shape (4,)
        Numbers of the type of `texels`: bytes are whole numbers from 0 to 255.

    Raises
    ------
    ValueError
        As for `texel`; if the bake is read-only, or a number does not fit the type of `texels`.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).edited()
    >>> bake.set_texel("bend", "Tip", 30, [0, 0, 0, 1])
    >>> bake.texel("bend", "Tip", 30)
    array([0., 0., 0., 1.], dtype=float16)
    """
    function = "PoseTexture.set_texel"
    index = _texel(function, self, clip, joint, frame, texel)
    _require_writable(function, self)
    numbers = _numbers(function, values, (4,))
    if self.texels.dtype == np.uint8:
        bad = ~((numbers >= 0) & (numbers <= HIGHEST_BYTE) & (numbers == np.rint(numbers)))
        if bad.any():
            raise ValueError(
                f"{function}: values must be whole numbers from 0 to {HIGHEST_BYTE}, got {numbers[bad][0]:g}"
            )
    else:
        _check_magnitude(function, self, numbers)
    self.texels[index] = numbers


def _numbers(function: str, values: npt.ArrayLike, shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    numbers = as_numbers(values, f"{function}: values").astype(np.float64)
    if numbers.shape != shape:
        raise ValueError(f"{function}: values must have shape {shape}, got {numbers.shape}")
    return numbers


def _check_magnitude(function: str, bake: PoseTexture, numbers: npt.NDArray[np.float64]) -> None:
    """Refuse what is not finite or too large for texels, or for what bytes decode to."""
    limit = float(np.finfo(np.float16 if bake.texels.dtype == np.float16 else np.float32).max)
    bad = ~(np.abs(numbers) <= limit)
    if bad.any():
        raise ValueError(
            f"{function}: values must be finite, with a magnitude up to {limit:g}, got {numbers[bad][0]:g}"
        )


def _require_writable(function: str, bake: PoseTexture) -> None:
    if not bake.texels.flags.writeable:
        raise ValueError(f"{function}: texels must be writeable, got a read-only bake; write to its edited()")


def _clip(function: str, bake: PoseTexture, clip: str | int) -> int:
    index = clip_index(function, bake, clip)
    if index.ndim:
        raise TypeError(f"{function}: clip must be one name or index, got an array")
    return int(index)


def _row(function: str, bake: PoseTexture, joint: str | int) -> int:
    if isinstance(joint, str):
        if joint not in bake.joints:
            raise ValueError(f"{function}: {unknown_name('joint', joint, bake.joints)}")
        return bake.joints.index(joint)
    return _below(f"{function}: joint", joint, bake.texels.shape[1])


def _below(what: str, value: int, end: int) -> int:
    number = whole_number(value, what)
    if number >= end:
        raise ValueError(f"{what} must be below {end}, got {number}")
    return number


def _nearest(
    function: str, bake: PoseTexture, clip: str | int, joint: str | int, time: float
) -> tuple[int, int, int]:
    """Return the index of a clip, the frame of the texture nearest to a time, and the row of a joint."""
    row_index = _row(function, bake, joint)
    return *nearest_frame(function, bake, clip, time), row_index


def nearest_frame(function: str, bake: PoseTexture, clip: str | int, time: float) -> tuple[int, int]:
    """Return the index of a clip, and the frame of the texture nearest to a time."""
    index = _clip(function, bake, clip)
    seconds = check_number(time, f"{function}: time")
    coordinates = np.atleast_1d(bake._time.coordinate(function, np.asarray(index), seconds, None))
    return index, int(bake._time.places(function, coordinates, False).frames[0])


def _texel(
    function: str, bake: PoseTexture, clip: str | int, joint: str | int, frame: int, texel: int
) -> tuple[int, int, int]:
    """Return frame of the texture, row and texel."""
    index, row_index = _clip(function, bake, clip), _row(function, bake, joint)
    first, last = int(bake._time.firsts[index]), int(bake._time.lasts[index])
    in_texture = first + _below(f"{function}: frame", frame, last - first + 1)
    return in_texture, row_index, _below(f"{function}: texel", texel, bake.texels.shape[2])


def _decoded(bake: PoseTexture, frame: int, row_index: int) -> npt.NDArray[np.float32]:
    """Return one row of one frame of the texture as floats, read as sampling reads it."""
    one = np.array([frame], np.int32)
    clip = np.searchsorted(bake._time.firsts, one, side="right").astype(np.int32) - 1
    rows = bake._texels.sample(one, one, np.zeros(1, np.float32), clip.astype(np.int32))
    return np.array(rows[0, row_index].reshape(-1, 4))


def _encoded(bake: PoseTexture, index: int, row_index: int, values: npt.NDArray[np.float32]) -> Any:
    """Return numbers of a row of a clip in the type of the texels."""
    if bake.ranges is None:
        return values
    ranges = bake.ranges[index, row_index]
    low, step = ranges[:, 0].astype(np.float64), ranges[:, 1].astype(np.float64)
    high = low + HIGHEST_BYTE * step
    slack = 0.501 * step + 1e-6 * np.abs(low)  # what rounds to an end of the range is inside
    bad = (values < low - slack) | (values > high + slack)
    if bad.any():
        at = tuple(int(axis[0]) for axis in np.nonzero(bad))
        raise ValueError(
            f"PoseTexture.set_row: values: number {at[1]} of texel {at[0]} must lie in the range of this "
            f"clip's bytes, {low[at]:g} to {high[at]:g}, got {values[at]:g}; bake with dtype='float16'"
        )
    return bytes_of(values, ranges)
