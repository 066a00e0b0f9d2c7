# SPDX-License-Identifier: MIT
"""When the keys of a clip are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lissom.clip import Clip

__all__ = ["key_times"]


def key_times(clip: Clip, joint: int | None = None, path: int | None = None) -> NDArray[np.float64]:
    """Give the key times of all tracks, or of one, sorted, each once."""
    places = {
        (int(track["times"]), int(track["key_count"]))
        for track in clip.tracks
        if joint is None or (track["joint"] == joint and track["path"] == path)
    }
    found = [clip.keys[first : first + count] for first, count in places]
    return np.unique(np.concatenate([np.zeros(0), *found]))
