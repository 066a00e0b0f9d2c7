# SPDX-License-Identifier: MIT
"""Contacts: when each foot stands on the ground, found from its motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import trs
from lissom._base.arrays import finite_floats, read_only
from lissom._base.doors import as_html, as_png
from lissom._base.names import unknown_name
from lissom._base.numbers import LARGEST, check_number
from lissom.ik._axes import Floats, unit_axis
from lissom.ik._feet.given_motion import checked_motion, regular_times, require_poses_of
from lissom.ik._feet.leg_joints import LegJoints
from lissom.ik._feet.legs import Leg, checked_legs
from lissom.ik._feet.rig import rig_of
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.soles import measured_soles
from lissom.ik._feet.stances import Spans
from lissom.ik._feet.vectors import horizontal

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

__all__ = ["Contacts", "find_contacts"]

STANDING = 0.04  # of the size: a foot that is never this near to the height of the lowest has no contact
LOW = 0.006  # of the size: feet this near to their own lowest height determine the velocity of the ground
MOST = 0.8  # of them are assumed to stand where their velocities differ ...
UNEVEN = (1.25, 1.5)  # ... and stances begin below and end above these multiples of their spread
AGAINST = (0.1, 0.25)  # of the ground's speed: stances begin below and end above this speed against it
SLOWEST = 0.05  # sizes per second: feet slower than this stand, however slow the clip is
LOWEST = 0.02  # quantile of heights that counts as the lowest: recordings dip into the ground for a moment
CUT = 10.0  # sizes per second: feet faster than this were put elsewhere, as after the T-pose of a recording
TRAVELS = 0.5  # of the speed of low feet: hips that travel faster leave the ground where it is
FASTEST = 0.95  # quantile of the feet's speeds that counts as the speed of a swinging foot


@dataclass(frozen=True, eq=False)
class Contacts:
    """When each foot stands: a curve for each, 0 in the air and 1 on the ground.

    Attributes
    ----------
    times : ndarray of float64, shape (F,)
        Seconds, in the time of the clip.
    curves : ndarray of float64, shape (F, L)
        One column for each leg, in [0, 1].
    names : tuple of str
        Names of the legs.
    period : float or None
        Seconds after which a loop repeats; None without a loop.
    heights : ndarray of float64, shape (F, L)
        Heights of the lowest point of each sole over its lowest height in the clip, model units.
    speeds : ndarray of float64, shape (F, L)
        Speeds of the supporting points over the ground, model units per second.
    ground_velocity : ndarray of float64, shape (3,)
        Velocity of the ground in the space of the poses: not zero for a walk on the spot without root motion.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> legs = lissom.ik.Leg.find(hero)
    >>> contacts = lissom.ik.find_contacts(hero.clips["walk"], legs, character=hero)
    >>> contacts.names
    ('Foot.L', 'Foot.R')
    >>> contacts.curves.shape == (len(contacts.times), 2)
    True
    >>> bool((contacts.curves > 0).any(axis=1).all())  # a walk always has a foot on the ground
    True
    """

    times: Floats
    curves: Floats
    names: tuple[str, ...]
    period: float | None
    heights: Floats
    speeds: Floats
    ground_velocity: Floats

    def sample(self, times: ArrayLike) -> Floats:
        """Return the curves at other times.

        Parameters
        ----------
        times : array_like of float, shape (...)
            Seconds; loops wrap, and other curves keep their first and last values beyond the ends.

        Returns
        -------
        ndarray of float64, shape (..., L)
            Linear between `times`.

        Raises
        ------
        TypeError, ValueError
            If a time is not a finite number.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> legs = lissom.ik.Leg.find(hero)
        >>> contacts = lissom.ik.find_contacts(hero.clips["walk"], legs, character=hero)
        >>> contacts.sample([0.3, 0.85])  # the left foot stands, then the right one
        array([[1., 0.],
               [0., 1.]])
        """
        seconds = finite_floats(times, "Contacts.sample: times")
        curves = [np.interp(seconds, self.times, curve, period=self.period) for curve in self.curves.T]
        return np.stack(curves, axis=-1)

    def stances(self, leg: int | str) -> list[tuple[float, float]]:
        """Return the stances of a foot: begin and end, in seconds, of each span in which its curve is 1.

        One across the seam of a loop ends after the end of the clip.

        Parameters
        ----------
        leg : str or int
            The leg's name, or its index in `names`.

        Returns
        -------
        list of (float, float)

        Raises
        ------
        TypeError
            If `leg` is neither.
        ValueError
            If there is no such leg.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> legs = lissom.ik.Leg.find(hero)
        >>> contacts = lissom.ik.find_contacts(hero.clips["walk"], legs, character=hero)
        >>> for start, end in contacts.stances(contacts.names[0]):
        ...     print(f"stands from {start:.1f} to {end:.1f} s")
        stands from 0.0 to 0.7 s
        """
        what = "Contacts.stances"
        if isinstance(leg, str):
            if leg not in self.names:
                raise ValueError(f"{what}: {unknown_name('leg', leg, self.names)}")
            leg = self.names.index(leg)
        if isinstance(leg, bool) or not isinstance(leg, (int, np.integer)):
            raise TypeError(f"{what}: leg must be a name or an index, got {type(leg).__name__}")
        if not 0 <= leg < len(self.names):
            raise ValueError(f"{what}: leg must be in [0, {len(self.names)}), got {leg}")
        spans = Spans.of(self.curves[:, leg] >= 1, self.times, self.period)
        return spans.seconds()

    _repr_html_ = as_html
    _repr_png_ = as_png

    def __repr__(self) -> str:
        shares = ", ".join(
            f"{name} {100 * share:.0f} %"
            for name, share in zip(self.names, (self.curves >= 1).mean(axis=0), strict=True)
        )
        return f"<Contacts: {len(self.times)} times; on the ground: {shares}>"


def find_contacts(
    motion: Clip | tuple[ArrayLike, ArrayLike],
    legs: Sequence[Leg],
    *,
    character: Character | Skeleton | None = None,
    rate: float = 60.0,
    height: tuple[float, float] = (0.006, 0.010),
    speed: tuple[float, float] = (0.15, 0.25),
    min_duration: float = 0.06,
    ramp: float = 0.1,
    stance: ArrayLike | None = None,
    up: ArrayLike = (0.0, 1.0, 0.0),
) -> Contacts:
    """Find out from the motion of the feet when they stand on the ground.

    A foot stands while it is low and its supporting points, the lowest part of its sole, do not move over the
    ground: heels that land and balls that push off count, feet that skim the ground do not. The ground moves
    with the root motion of the clip; for a walk on the spot without root motion, its velocity is that which
    low feet have most of the time. Below a clip that travels without root motion it stands still.

    Parameters
    ----------
    motion : Clip, or pair of times (F,) and poses (F, J, 10)
        Poses are local trs; times are seconds and increase.
    legs : sequence of Leg
    character : Character or Skeleton, optional
        The character of the legs. With a mesh its soles are measured; without, they are guessed from the
        joints of `motion`. Required for poses.
    rate : float
        Samples per second of a clip.
    height : (float, float)
        Height below which a stance begins, and above which it ends, over the lowest height of that foot,
        fractions of the character's size.
    speed : (float, float)
        The same for the speed of the supporting points, fractions of the speed of swinging feet in this
        motion.
    min_duration : float
        Seconds: shorter contacts are removed, and shorter gaps closed.
    ramp : float
        Seconds in which a curve rises before a contact and falls after it; less where two are nearer to each
        other.
    stance : array_like, shape (J, 10), optional
        A pose in which the feet stand flat; the rest pose if omitted.
    up : array_like, shape (3,)
        The up axis in model space.

    Returns
    -------
    Contacts
        At the times of the poses, or at regular times of the clip.

    Raises
    ------
    TypeError
        If `motion` is neither, or an argument is not a number.
    ValueError
        If joints do not exist or are not in line, shapes do not fit, a value is not finite, a clip is
        additive or of another skeleton, or a threshold of entering is above that of leaving.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> lissom.ik.find_contacts(hero.clips["walk"], lissom.ik.Leg.find(hero), character=hero)
    <Contacts: 67 times; on the ground: Foot.L 64 %, Foot.R 66 %>
    """
    function = "find_contacts"
    frames = _frames(function, motion, character, rate)
    rig = rig_of(function, frames.owner)
    rig, leg_tuple, joints = checked_legs(function, rig, legs)
    up_model = np.array(unit_axis(f"{function}: up", up))
    height, speed = _thresholds(f"{function}: height", height), _thresholds(f"{function}: speed", speed)
    shortest = check_number(min_duration, f"{function}: min_duration", least=0)
    ramp = check_number(ramp, f"{function}: ramp", least=0)

    measured = measured_soles(function, rig, joints, stance, up_model)
    soles = SolePoints.of(measured)
    points_world = soles.at(
        rig.skeleton.model_matrices(rig.with_added(frames.poses))
    )  # the model's space, without root motion
    if frames.world_from_model is not None:
        points_world = trs.transform_point(frames.world_from_model[:, None], points_world)
    point_heights = points_world @ up_model
    lowest = soles.lowest(point_heights)
    velocities_world = _support_velocities(soles, points_world, point_heights, frames, up_model, rig.size)
    count = len(frames.times)
    lowest, velocities_world = lowest[:count], velocities_world[:count]
    whole = _longest_whole(points_world[:count], frames.times, rig.size)
    bottom = np.quantile(lowest[whole], LOWEST, axis=0)
    # Over the height of a flat stance: feet that are put down askew may be lower for a moment.
    heights = lowest - np.maximum(bottom, [sole.floor for sole in measured])
    ground_velocity, spread = np.zeros(3), 0.0
    if frames.world_from_model is None:
        ground_velocity, spread = _ground_velocity(heights[whole], velocities_world[whole], rig.size)
        hips = rig.skeleton.positions(rig.with_added(frames.poses[:count][whole]))[:, _hips(joints)]
        speed_of_hips = _travel(hips.mean(axis=1), frames.times[whole], up_model)
        slowest = max(SLOWEST * rig.size, speed_of_hips / TRAVELS)
        if np.linalg.norm(ground_velocity) < slowest:  # the clip travels, or stands
            ground_velocity, spread = np.zeros(3), 0.0
    speeds = np.linalg.norm(velocities_world - ground_velocity, axis=-1)
    swing_speed = float(np.quantile(speeds[whole], FASTEST)) if speeds.size else 0.0
    slow = np.maximum(np.array(speed) * swing_speed, SLOWEST * rig.size)
    slow = np.maximum(slow, np.array(UNEVEN) * spread)
    ground_speed = float(np.linalg.norm(ground_velocity))
    with_ground = np.zeros_like(speeds)  # component of the velocity in the direction of the ground's
    if ground_speed > SLOWEST * rig.size:
        with_ground = velocities_world @ ground_velocity / ground_speed

    may_stand = bottom < bottom.min() + STANDING * rig.size
    curves = np.zeros_like(lowest)
    for leg in np.flatnonzero(may_stand):
        enters = (heights[:, leg] <= height[0] * rig.size) & (speeds[:, leg] <= slow[0])
        leaves = (heights[:, leg] > height[1] * rig.size) | (speeds[:, leg] > slow[1])
        enters &= with_ground[:, leg] >= -AGAINST[0] * ground_speed
        leaves |= with_ground[:, leg] < -AGAINST[1] * ground_speed
        spans = Spans.of(_with_hysteresis(enters, leaves, frames.period), frames.times, frames.period)
        curves[:, leg] = spans.without_gaps(shortest).lasting(shortest).ramps(ramp)
    return Contacts(
        read_only(frames.times),
        read_only(curves),
        tuple(leg.name for leg in leg_tuple),
        frames.period,
        read_only(heights),
        read_only(speeds),
        read_only(ground_velocity),
    )


def check_legs_of(function: str, contacts: Contacts, legs: Sequence[Leg]) -> None:
    """Refuse contacts of other legs."""
    names = tuple(leg.name for leg in legs)
    if contacts.names != names:
        raise ValueError(
            f"{function}: contacts must be of the legs {', '.join(names)}, got {', '.join(contacts.names)}"
        )


@dataclass(frozen=True, eq=False)
class _Frames:
    """The sampled motion. A loop has one pose more than times: the end, which equals its begin."""

    times: Floats
    poses: Floats
    world_from_model: Floats | None
    period: float | None
    owner: Any


def _frames(function: str, motion: Any, character: Any, rate: float) -> _Frames:
    from lissom.clip import Clip

    if isinstance(motion, Clip):
        owner = motion.skeleton if character is None else character
        require_poses_of(function, rig_of(function, owner).skeleton, motion)
        per_second = check_number(rate, f"{function}: rate", above_zero=True)
        loops = motion.loop is True and motion.duration > 0
        seconds = regular_times(function, motion, per_second)
        poses = motion.sample(seconds, loop=False).astype(np.float64)
        root_motion = motion.root_motion
        world_from_model = None if root_motion is None else root_motion.at(seconds, loop=False)
        times = seconds[:-1] if loops else seconds
        return _Frames(times, poses, world_from_model, motion.duration if loops else None, owner)
    if not isinstance(motion, tuple) or len(motion) != 2:
        raise TypeError(
            f"{function}: motion must be a Clip or a pair (times, poses), got {type(motion).__name__}"
        )
    if character is None:
        raise ValueError(
            f"{function}: character must be a Character or Skeleton where motion is a pair, got None"
        )
    times, poses = checked_motion(function, motion, rig_of(function, character).skeleton)
    return _Frames(times, poses.astype(np.float64), None, None, character)


def _thresholds(what: str, value: tuple[float, float]) -> tuple[float, float]:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(f"{what} must be a pair of numbers (enter, leave), got {value!r}")
    enter, leave = (check_number(number, what, least=0, largest=LARGEST) for number in value)
    if enter > leave:
        raise ValueError(f"{what} must have (enter, leave) with enter <= leave, got {enter:g} and {leave:g}")
    return enter, leave


def _support_velocities(
    soles: SolePoints, points_world: Floats, heights: Floats, frames: _Frames, up_model: Floats, size: float
) -> Floats:
    """Return the horizontal velocity of the supporting points of each foot, (F, L, 3)."""
    if len(points_world) < 2:
        return np.zeros((len(points_world), len(soles.starts), 3))
    seconds = frames.times
    if frames.period:
        seconds = np.append(frames.times, frames.times[0] + frames.period)
    steps_world = np.diff(points_world, axis=0) / np.diff(seconds)[:, None, None]
    # At a frame: the mean of the steps before and after it.
    before_world = np.concatenate([steps_world[-1:] if frames.period else steps_world[:1], steps_world])
    rates_world = 0.5 * (before_world + np.concatenate([steps_world, steps_world[-1:]]))
    weights = soles.support(heights, size)
    velocities_world = np.stack([soles.total(weights * rates_world[..., i]) for i in range(3)], axis=-1)
    return horizontal(velocities_world, up_model)


def _longest_whole(points_world: Floats, times: Floats, size: float) -> slice:
    """Return the longest span of frames with no step beside them that puts all feet elsewhere."""
    steps = np.linalg.norm(np.diff(points_world, axis=0), axis=-1).min(axis=1) / np.diff(times)
    is_cut = np.concatenate([[False], steps > CUT * size, [False]])
    ends = np.concatenate([[-1], np.flatnonzero(is_cut[:-1] | is_cut[1:]), [len(times)]])
    longest = int(np.argmax(np.diff(ends)))
    whole = slice(int(ends[longest]) + 1, int(ends[longest + 1]))
    return whole if whole.start < whole.stop else slice(0, len(times))


def _hips(legs: Sequence[LegJoints]) -> list[int]:
    return sorted({leg.chain[0] for leg in legs})


def _travel(places: Floats, times: Floats, up: Floats) -> float:
    """Return the speed from the first of horizontal places (F, 3) to the last."""
    duration = float(times[-1] - times[0])
    return float(np.linalg.norm(horizontal(places[-1] - places[0], up))) / duration if duration > 0 else 0.0


def _ground_velocity(heights: Floats, velocities_world: Floats, size: float) -> tuple[Floats, float]:
    """Return the velocity that low feet have most of the time, and how far most of them differ from it."""
    low_world = velocities_world[heights <= LOW * size]
    if not len(low_world):
        return np.zeros(3), 0.0
    median_world = np.median(low_world, axis=0)
    return median_world, float(np.quantile(np.linalg.norm(low_world - median_world, axis=-1), MOST))


def _with_hysteresis(enters: NDArray[Any], leaves: NDArray[Any], period: float | None) -> NDArray[np.bool_]:
    """Return when a state holds that begins with `enters` and ends with `leaves`."""
    stands = np.zeros(len(enters), bool)
    state = bool(enters[0])
    for _ in range(2 if period else 1):  # a loop begins in the state of its end
        for frame in range(len(enters)):
            state = not leaves[frame] if state else bool(enters[frame])
            stands[frame] = state
    return stands
