# SPDX-License-Identifier: MIT
"""The regular rate of the keys of a clip."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.distinct import distinct

# Times closer than this are one time: no clip is keyed at 10 kHz.
SAME_TIME = 1e-4  # seconds
# How far a key may lie off the grid: files hold float32 times, some rounded to a millisecond as text.
KEY_JITTER = 0.02  # of an interval
# Tracks may leave keys out, so the smallest gap may be a few intervals of the grid.
MAX_GAP = 4  # intervals


def key_rate(keys: NDArray[Any], tracks: NDArray[np.void]) -> float | None:
    """Return the keys per second of the coarsest regular grid that contains all key times, or None."""
    ranges = {(track[4], track[3]) for track in tracks.tolist()}  # (times, key_count)
    if not ranges:
        return None
    times = distinct(np.concatenate([keys[begin : begin + count] for begin, count in ranges])).astype(
        np.float64
    )
    times = times[np.concatenate([[True], np.diff(times) > SAME_TIME])]
    if len(times) < 2:
        return None
    gaps = np.diff(times)
    for intervals in range(1, MAX_GAP + 1):
        rate = _rate_of_grid(times, gaps / (gaps.min() / intervals))
        if rate is not None:
            return rate
    return None


def _rate_of_grid(times: NDArray[np.float64], gaps: NDArray[np.float64]) -> float | None:
    """Return the rate of the grid on which consecutive times are about `gaps` intervals apart, or None."""
    # Each gap is rounded by itself, so that noise of single gaps does not add up over a long clip.
    frames = np.concatenate([[0.0], np.cumsum(np.rint(gaps))])
    seconds = times - times[0]
    rate = float(frames[-1] / seconds[-1])

    def error(candidate: float) -> float:
        return float(np.abs(seconds * candidate - frames).max())

    if error(rate) > KEY_JITTER:
        return None
    whole = float(round(rate))
    storage = 2 * float(np.spacing(np.float32(np.abs(times).max())))
    return whole if whole > 0 and error(whole) <= storage * whole + 1e-5 else rate
