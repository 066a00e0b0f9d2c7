# SPDX-License-Identifier: MIT
"""What was dragged, as a clip: states with the times at which they were shown."""

from __future__ import annotations

from bisect import bisect_right

import numpy as np

from lissom._playground.state import State
from lissom._rig.skeleton import Skeleton
from lissom.clip import Clip

MOST_STATES = 36_000  # ten minutes at 60 per second: then a recording ends
LEAST = 1e-3  # seconds: of states closer to each other than this, the last counts
# A state that the next one follows later than this was held meanwhile, until one step before it. Seconds.
HELD = 0.1
STEP = 1 / 30


class Recording:
    """States in the order in which they were shown, in seconds from the first."""

    def __init__(self, state: State, now: float) -> None:
        self._begin = now
        self._times, self._states = [0.0], [state]
        self._end: float | None = None

    @property
    def is_on(self) -> bool:
        """Whether states are still added."""
        return self._end is None

    @property
    def duration(self) -> float:
        """Seconds to its end, or to the last state while it is on."""
        return self._times[-1] if self._end is None else self._end

    def add(self, state: State, now: float) -> None:
        """Add a state that is shown from now on."""
        seconds = now - self._begin
        if len(self._states) == 1:
            seconds = max(seconds, LEAST)  # what was there before is kept
        if seconds < self._times[-1] + LEAST:
            self._states[-1] = state
        else:
            self._times.append(seconds)
            self._states.append(state)
        if len(self._states) >= MOST_STATES:
            self.end(now)

    def end(self, now: float) -> None:
        """End it: the last state is held until now."""
        if self._end is None:
            self._end = max(now - self._begin, self._times[-1])

    def at(self, seconds: float) -> State:
        """Return the state that was shown at a time."""
        return self._states[max(0, bisect_right(self._times, seconds) - 1)]

    def clip(self, skeleton: Skeleton, name: str, rate: float | None) -> Clip:
        """Return the poses as a clip: at the times at which they were shown, or at a rate."""
        times, poses = [], []
        ends = [*self._times[1:], self.duration]
        last = len(ends) - 1  # not the last state, which undo and redo may have shown before
        for index, (state, begin, end) in enumerate(zip(self._states, self._times, ends, strict=True)):
            times.append(begin)
            poses.append(state.result.pose)
            if end - begin > HELD:
                times.append(end if index == last else end - STEP)
                poses.append(state.result.pose)
        clip = Clip.from_poses(skeleton, times, np.stack(poses), name=name, loop=False)
        return clip if rate is None else clip.resampled(rate)
