# SPDX-License-Identifier: MIT
"""Joining pieces of tracks into one track."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from lissom.clip._cuts import as_cubic, as_linear, before, with_keys
from lissom.clip._tracks import CUBICSPLINE, LINEAR, ROTATION, STEP, Track

SAME = 16  # epsilons of the type of the keys: values this close are equal


def joined(pieces: Sequence[Track], seams: Sequence[float], dtype: np.dtype[Any], uniform: bool) -> Track:
    """Join pieces of one track that meet at the times of `seams`."""
    if not uniform and all(_is_constant(piece) for piece in pieces):
        values = np.stack([piece.points[0] for piece in pieces])
        if np.all(values == values[0]):
            times = np.array([pieces[0].times[0]])
            return replace(pieces[0], interpolation=LINEAR, times=times, values=values[:1])
    kinds = {piece.interpolation for piece in pieces if not _is_constant(piece)} or {STEP}
    result: Track | None = None
    for i, piece in enumerate(pieces):
        if _is_constant(piece) and not uniform:
            piece = replace(piece, interpolation=STEP, times=piece.times[:1], values=piece.points[:1])
        if CUBICSPLINE in kinds:
            piece = as_cubic(piece, dtype)
        elif LINEAR in kinds:
            piece = as_linear(piece, dtype)
        piece = with_keys(piece, np.array([*seams[max(i - 1, 0) : i], *seams[i : i + 1]]))
        result = piece if result is None else _joined_pair(result, piece, seams[i - 1], dtype)
    assert result is not None
    return result


def _joined_pair(first: Track, second: Track, seam: float, dtype: np.dtype[Any]) -> Track:
    """Join two tracks of one interpolation, both with a key at the seam."""
    times = [first.times.astype(np.float64), second.times.astype(np.float64)]
    values = [first.values.astype(np.float64), second.values.astype(np.float64)]
    if first.path == ROTATION and np.vdot(first.points[-1], second.points[0]) < 0:
        values[1] = -values[1]
    if first.interpolation != STEP:
        if is_same(first.points[-1], second.points[0], dtype, first.path == ROTATION):
            if (
                first.interpolation == CUBICSPLINE
            ):  # the in-tangent of the first, the out-tangent of the second
                values[1] = values[1].copy()
                values[1][0, 0] = values[0][-1, 0]
        else:
            moment = before(np.array([seam]), dtype)
            first = with_keys(replace(first, times=times[0]), moment)
            inside = first.times <= moment
            times[0] = np.append(first.times[inside], seam)
            values[0] = np.concatenate([first.values[inside], values[1][:1]]).astype(np.float64)
    kept = times[0] < seam
    return replace(
        first,
        times=np.concatenate([times[0][kept], times[1]]),
        values=np.concatenate([values[0][kept], values[1]]),
    )


def _is_constant(track: Track) -> bool:
    if np.any(track.points != track.points[0]):
        return False
    return track.interpolation != CUBICSPLINE or len(track.times) == 1 or not track.values[:, ::2].any()


def is_same(a: Any, b: Any, dtype: np.dtype[Any], up_to_sign: bool) -> bool:
    """Return whether values are equal to within the rounding of a type; quaternions up to their sign."""
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    difference = np.abs(a - b).max(initial=0.0)
    if up_to_sign:
        difference = min(difference, np.abs(a + b).max())
    return bool(difference <= SAME * np.finfo(dtype).eps * max(1.0, np.abs(a).max(initial=0.0)))
