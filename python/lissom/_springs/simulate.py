# SPDX-License-Identifier: MIT
"""Clips with springs baked in: steps over the clip, and cycles until a loop closes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core, quat
from lissom._base.numbers import check_flag
from lissom._base.set_module import set_module
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom._springs.world import Floats, motion_of
from lissom.clip import Clip
from lissom.clip._frames import checked_interval_count
from lissom.clip._tracks import LINEAR, ROTATION, Track, all_tracks

__all__ = ["SpringSeam", "simulated"]

RATE = 1 / _core.SPRING_STEP
SETTLED = 1e-7  # radians: what float32 keys cannot tell apart
LONGEST = 60.0  # seconds of cycles, and at least as many cycles as below
FEWEST = 8
FADE = 0.25  # seconds before the end over which what is left is faded


@set_module("lissom")
@dataclass(frozen=True)
class SpringSeam:
    """How a loop with springs was closed.

    Attributes
    ----------
    angle : float
        Degrees by which the joint that was farthest from closed missed where it began, in the last cycle.
    joint : str
        That joint.
    cycles : int
        Cycles that were run.
    faded : float
        Seconds before the end over which the rest was faded out; 0 where nothing was left.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> springs = lissom.Springs(hero, [lissom.SpringChain(["Head"], end=0.2)])
    >>> walk = springs.simulate(hero.clips["walk"])
    >>> springs.seams["walk"].joint
    'Head'
    """

    angle: float
    joint: str
    cycles: int
    faded: float


def simulated(
    skeleton: Skeleton, plan: _core.SpringPlan, joints: NDArray[np.int32], clip: Clip, loop: bool | None
) -> tuple[Clip, SpringSeam | None]:
    """Return a clip with springs baked in, and the seam of one that is to loop."""
    what = "Springs.simulate"
    if not isinstance(clip, Clip):
        raise TypeError(f"{what}: clip must be a Clip, got {type(clip).__name__}; Springs.step takes poses")
    check_same_skeleton(skeleton, clip.skeleton, f"{what}: {clip.name!r}")
    if clip.additive:
        raise ValueError(f"{what}: clip must not be additive, got {clip.name!r}; add it to a pose first")
    closes = clip.loop is True if loop is None else check_flag(loop, f"{what}: loop")
    if closes and clip.loop == "ping_pong":
        raise ValueError(
            f"{what}: clip must not play there and back where it is to loop, got {clip.name!r}; "
            "Clip.there_and_back makes one cycle of both"
        )
    # Whole steps: a cycle that is no multiple of a step is run as if it were.
    checked_interval_count(what, clip, RATE)
    count = max(round(clip.duration * RATE), 1)
    times = np.linspace(clip.start, clip.end, count + 1)
    poses = clip.sample(times, loop=False).astype(np.float64)
    places = None if clip.root_motion is None else clip.root_motion.at(times, loop=False)
    run = _Run(plan, len(joints), poses, places)
    rotations = run.first()
    seam = None
    if closes and len(joints):
        rotations, seam = _closed(run, rotations, [skeleton.names[joint] for joint in joints], clip.duration)
    if not clip.duration > 0:
        times, rotations = times[:1], rotations[-1:]
    kept = [
        track
        for track in all_tracks(clip)
        if track.path != ROTATION or track.joint not in set(joints.tolist())
    ]
    keys = times.astype(clip.keys.dtype)
    made = [Track(int(joint), ROTATION, LINEAR, keys, rotations[:, k]) for k, joint in enumerate(joints)]
    return clip._edited([*kept, *made], loop=closes), seam


class _Run:
    """One character in float64, through the frames of a clip again and again."""

    def __init__(
        self, plan: _core.SpringPlan, count: int, poses: NDArray[Any], places: Floats | None
    ) -> None:
        self._plan, self._count = plan, count
        self._poses = poses[:, None]
        stands = None if places is None else np.concatenate([places[:1], places])[:, None]
        self._moves, self._turns = motion_of(stands, np.float64)
        self._tails: NDArray[Any] | None = None

    def first(self) -> Floats:
        """Return rotations (F, K, 4) from rest in the first pose."""
        return self._steps(slice(None))

    def cycle(self) -> Floats:
        """Return rotations (F - 1, K, 4) of the frames after the first, from where the last run ended."""
        return self._steps(slice(1, None))

    def _steps(self, frames: slice) -> Floats:
        poses = self._poses[frames]
        tails = np.empty((1, self._count, 2, 3))
        rotations = np.empty((len(poses), 1, self._count, 4))
        moves = None if self._moves is None else self._moves[frames]
        turns = None if self._turns is None else self._turns[frames]
        self._plan.step("Springs.simulate", poses, moves, turns, self._tails, tails, rotations)
        self._tails = tails
        return rotations[:, 0]


def _closed(run: _Run, first: Floats, names: list[str], duration: float) -> tuple[Floats, SpringSeam]:
    """Return rotations (F, K, 4) whose last frame is the first, and how far they were from that."""
    steps = len(first) - 1
    before, cycles = first[1:], 1
    while True:
        now = run.cycle()
        cycles += 1
        angles = np.asarray(quat.angle_between(now[-1], before[-1]))
        if angles.max() <= SETTLED or (cycles >= FEWEST and cycles * steps >= LONGEST * RATE):
            break
        before = now
    rotations = np.concatenate([before[-1:], now])
    fading = 0
    if angles.max() > SETTLED:
        # The cycle before ended where this one begins.
        fading = min(round(FADE * RATE), (steps + 1) // 2)
        share = np.arange(1, fading + 1) / fading
        smooth = share * share * (3 - 2 * share)
        rotations[-fading:] = quat.slerp(now[-fading:], before[-fading:], smooth[:, None])
    rotations[-1] = rotations[0]
    worst = int(angles.argmax())
    seconds = fading * duration / steps
    return rotations, SpringSeam(float(np.degrees(angles[worst])), names[worst], cycles, seconds)
