# SPDX-License-Identifier: MIT
"""The local poses of a clip, at times or at fractions of its duration."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_fractions
from lissom.clip._loop import LOOP_CODES, checked_loop

if TYPE_CHECKING:
    from lissom.clip import Clip, Loop


def sample(
    self: Clip, times: ArrayLike, loop: Loop | None = None, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Sample local poses at given times.

    STEP tracks change value at exactly the time of a key. LINEAR rotations slerp along the shorter arc,
    those of a uniform clip nlerp. CUBICSPLINE tracks are Hermite splines, rotations normalised afterwards.
    Before its first key a track has the value of that key, after its last key the value of that one. Joints
    without a track are at rest. Sampled rotations are unit.

    Parameters
    ----------
    times : array_like of float, shape (...)
        Seconds, computed in double; sorted times are the fastest.
    loop : bool or "ping_pong", optional
        ``clip.loop`` if omitted. True wraps times into [start, end), in double; False clamps them.
    out : ndarray, shape (..., J, 10), optional
        Where to write, of the type of ``keys``, C-contiguous; allocated when omitted.

    Returns
    -------
    ndarray, shape (..., J, 10)
        Translation 3, rotation x, y, z, w, scale 3 of each joint relative to its parent.

    Raises
    ------
    TypeError
        If `out` has another type or layout.
    ValueError
        If a time is not finite, or `out` has another shape. At the first call also if a key is not
        finite, the times of a track do not increase, or a rotation has length zero.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> walk.sample([0.0, 0.5, 1.0]).shape
    (3, 34, 10)
    """
    mode = loop if loop is not None else self._guessed_loop if self._loop is None else self._loop
    found: NDArray[Any] | None = _core.plain_sample(self._prepared, times, mode, out)
    if found is not None:
        return found
    seconds = np.asarray(as_numbers(times, "Clip.sample: times"), np.float64, order="C")
    if out is None:
        out = np.empty((*seconds.shape, len(self._skeleton), 10), self._keys.dtype)
    code = LOOP_CODES[self.loop if loop is None else checked_loop(loop, "Clip.sample")]
    (self._prepared or self._ready()).sample(seconds, out, code)
    return out


def at(self: Clip, phase: ArrayLike) -> NDArray[Any]:
    """Sample local poses at fractions of the duration.

    Parameters
    ----------
    phase : array_like of float, shape (...)
        0 is the start, 1 the end; a loop has the same pose at both.

    Returns
    -------
    ndarray, shape (..., J, 10)

    Raises
    ------
    ValueError
        If a phase lies outside [0, 1] or is NaN.

    Examples
    --------
    >>> clips = lissom.samples.humanoid().clips
    >>> phases = np.linspace(0, 1, 5)
    >>> clips["walk"].at(phases).shape == clips["run"].at(phases).shape
    True
    """
    fraction = checked_phase(phase, "Clip.at")
    return self.sample(np.where(fraction < 1, self.start + fraction * self.duration, self.end))


def checked_phase(phase: ArrayLike, function: str) -> NDArray[np.float64]:
    """Return phases in float64; refuse those outside [0, 1] and NaN in the name of `function`."""
    fraction = as_numbers(phase, f"{function}: phase").astype(np.float64)
    check_fractions(fraction, f"{function}: phase", advice="; use sample for times beyond the clip")
    return fraction
