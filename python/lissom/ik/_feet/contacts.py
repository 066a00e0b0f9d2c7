# SPDX-License-Identifier: MIT
"""Finding out when which foot stands on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import trs
from lissom._base.arrays import as_numbers, read_only
from lissom._base.doors import as_html, as_png
from lissom._base.names import unknown_name
from lissom._base.numbers import check_number
from lissom.ik._axes import unit_axis
from lissom.ik._feet.given_motion import checked_motion, regular_times, require_poses_of
from lissom.ik._feet.legs import Leg, checked_legs
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.soles import measured_soles, rig_of
from lissom.ik._feet.stances import Spans

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

__all__ = ["Contacts", "find_contacts"]

Floats = NDArray[np.float64]

STANDING = 0.04  # of the size: a foot that never comes nearer to where the lowest foot stands has no contact
LOW = 0.006  # of the size: feet this much over where they stand tell the velocity of the ground
MOST = 0.8  # of them are taken for standing when their velocities differ ...
UNEVEN = (1.25, 1.5)  # ... and begin and end to stand at these multiples of their spread
AGAINST = (0.1, 0.25)  # of the ground's pace: feet that move against it so fast begin and end to stand
SLOWEST = 0.05  # sizes per second: feet slower than this stand, however slow the clip is
FASTEST = 0.95  # quantile of feet's speeds that stands for the speed of the swinging foot


@dataclass(frozen=True, eq=False)
class Contacts:
    """When which foot stands: a curve for each, 0 in the air and 1 on the ground.

    Attributes
    ----------
    times : ndarray of float64, shape (F,)
        Seconds, those of the clip.
    curves : ndarray of float64, shape (F, L)
        One column for each leg, in [0, 1].
    names : tuple of str
        Of the legs.
    period : float or None
        Seconds after which a loop begins anew; None where it is none.
    heights : ndarray of float64, shape (F, L)
        Of the lowest point of each sole over where it is lowest in the clip, model units.
    speeds : ndarray of float64, shape (F, L)
        At which what carries the foot moves over the ground, model units per second.
    ground_velocity : ndarray of float64, shape (3,)
        Of the ground in the space of the poses: not zero where a walk on the spot has no root motion.

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
        """Give the curves at other times.

        Parameters
        ----------
        times : array_like of float, shape (...)
            Seconds; loops wrap, and others hold what they begin and end with.

        Returns
        -------
        ndarray of float64, shape (..., L)
            Linear between `times`.

        Raises
        ------
        TypeError, ValueError
            If a time is no finite number.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> legs = lissom.ik.Leg.find(hero)
        >>> contacts = lissom.ik.find_contacts(hero.clips["walk"], legs, character=hero)
        >>> contacts.sample([0.3, 0.85])  # the left foot stands, then the right one
        array([[1., 0.],
               [0., 1.]])
        """
        wanted = as_numbers(times, "Contacts.sample: times").astype(np.float64)
        if not np.isfinite(wanted).all():
            raise ValueError(
                f"Contacts.sample: times must be finite, got {wanted[~np.isfinite(wanted)].flat[0]}"
            )
        curves = [np.interp(wanted, self.times, curve, period=self.period) for curve in self.curves.T]
        return np.stack(curves, axis=-1)

    def stances(self, leg: int | str) -> list[tuple[float, float]]:
        """Give when a foot stands: seconds of the beginning and end of each stretch where its curve is 1.

        One across the seam of a loop ends after the end of the clip.

        Parameters
        ----------
        leg : str or int
            The leg's name, or its place among `names`.

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
            raise ValueError(f"{what}: leg must lie in [0, {len(self.names)}), got {leg}")
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
    """Find out from the movement of the feet when they stand on the ground.

    A foot stands while it is low and what carries it, the lowest part of its sole, does not move over the
    ground: so heels that land and balls that push off count, feet that skim the ground do not. The ground
    moves with the root motion of the clip; where a walk on the spot has none, its velocity is that which low
    feet have most of the time.

    Parameters
    ----------
    motion : Clip, or pair of times (F,) and poses (F, J, 10)
        Poses are local trs; times are seconds and increase.
    legs : sequence of Leg
    character : Character or Skeleton, optional
        What the legs belong to. With a mesh the soles are its own; without, they are guessed from the joints
        of `motion`. Needed for poses.
    rate : float
        Times per second at which a clip is looked at.
    height : (float, float)
        How high a foot may be to begin to stand, and from where on it no longer stands, fractions of the
        character's size, over where that foot is lowest.
    speed : (float, float)
        The same for the speed of what carries it, fractions of that of the swinging feet in this motion.
    min_duration : float
        Seconds: shorter contacts and gaps are none.
    ramp : float
        Seconds in which a curve rises before a contact and falls after it; less where the time between two is
        shorter.
    stance : array_like, shape (J, 10), optional
        A pose in which the feet stand flat; the rest pose if omitted.
    up : array_like, shape (3,)
        Which way is up in model space.

    Returns
    -------
    Contacts
        At the times of the poses, or regular ones of the clip.

    Raises
    ------
    TypeError
        If `motion` is neither, or an argument is no number.
    ValueError
        If joints are not there or not in line, shapes do not fit, a value is not finite, a clip is additive
        or of another skeleton, or a limit to begin with lies above the one to leave at.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> lissom.ik.find_contacts(hero.clips["walk"], lissom.ik.Leg.find(hero), character=hero)
    <Contacts: 67 times; on the ground: Foot.L 64 %, Foot.R 66 %>
    """
    function = "find_contacts"
    frames = _frames(function, motion, character, rate)
    rig = rig_of(function, frames.owner)
    skeleton = rig.skeleton
    given, _ = checked_legs(function, skeleton, legs)
    axis = np.array(unit_axis(f"{function}: up", up))
    limits = [_pair(f"{function}: {name}", pair) for name, pair in (("height", height), ("speed", speed))]
    shortest = check_number(min_duration, f"{function}: min_duration", least=0)
    slope = check_number(ramp, f"{function}: ramp", least=0)

    measured = measured_soles(function, rig, given, stance, axis)
    soles = SolePoints.of(measured)
    points = soles.at(skeleton.model_matrices(frames.poses))
    if frames.moves is not None:
        points = trs.transform_point(frames.moves[:, None], points)
    heights = points @ axis
    low = soles.lowest(heights)
    velocity = _support_velocity(soles, points, heights, frames, axis, rig.size)
    count = len(frames.times)
    low, velocity = low[:count], velocity[:count]
    # Where a foot stands flat; feet that are put down askew may be lower for a moment.
    over = low - np.maximum(low.min(axis=0), [sole.floor for sole in measured])
    ground, spread = np.zeros(3), 0.0
    if frames.moves is None:
        ground, spread = _ground_velocity(over, velocity, rig.size)
    slip = np.linalg.norm(velocity - ground, axis=-1)
    swing = float(np.quantile(slip, FASTEST)) if slip.size else 0.0
    slow = np.maximum(np.array(limits[1]) * swing, SLOWEST * rig.size)
    slow = np.maximum(slow, np.array(UNEVEN) * spread)
    pace = float(np.linalg.norm(ground))
    along = velocity @ ground / pace if pace > SLOWEST * rig.size else np.zeros_like(slip)

    near = low.min(axis=0) < low.min() + STANDING * rig.size
    curves = np.zeros_like(low)
    for leg in np.flatnonzero(near):
        enters = (over[:, leg] <= limits[0][0] * rig.size) & (slip[:, leg] <= slow[0])
        leaves = (over[:, leg] > limits[0][1] * rig.size) | (slip[:, leg] > slow[1])
        enters &= along[:, leg] >= -AGAINST[0] * pace
        leaves |= along[:, leg] < -AGAINST[1] * pace
        spans = Spans.of(_with_hysteresis(enters, leaves, frames.period), frames.times, frames.period)
        curves[:, leg] = spans.without_gaps(shortest).lasting(shortest).ramps(slope)
    names = tuple(leg.name for leg in given)
    return Contacts(
        read_only(frames.times),
        read_only(curves),
        names,
        frames.period,
        read_only(over),
        read_only(slip),
        read_only(ground),
    )


@dataclass(frozen=True, eq=False)
class _Frames:
    """What is looked at. A loop has one pose more than times: the end, which is its beginning."""

    times: Floats
    poses: Floats
    moves: Floats | None
    period: float | None
    owner: Any


def _frames(function: str, motion: Any, character: Any, rate: float) -> _Frames:
    from lissom.clip import Clip

    if isinstance(motion, Clip):
        owner = motion.skeleton if character is None else character
        require_poses_of(function, rig_of(function, owner).skeleton, motion)
        per_second = check_number(rate, f"{function}: rate", above_zero=True)
        loops = motion.loop is True and motion.duration > 0
        seconds = regular_times(motion, per_second)
        poses = motion.sample(seconds, loop=False).astype(np.float64)
        moves = None if motion.root_motion is None else motion.root_motion.at(seconds, loop=False)
        times = seconds[:-1] if loops else seconds
        return _Frames(times, poses, moves, motion.duration if loops else None, owner)
    if not isinstance(motion, tuple) or len(motion) != 2:
        raise TypeError(
            f"{function}: motion must be a Clip or a pair (times, poses), got {type(motion).__name__}"
        )
    if character is None:
        raise ValueError(f"{function}: character is needed for poses, got None; pass a Character or Skeleton")
    times, poses = checked_motion(function, motion, rig_of(function, character).skeleton)
    return _Frames(times, poses.astype(np.float64), None, None, character)


def _pair(what: str, value: tuple[float, float]) -> tuple[float, float]:
    if not isinstance(value, (tuple, list)) or len(value) != 2:
        raise TypeError(f"{what} must be a pair of numbers (enter, leave), got {value!r}")
    enter, leave = (check_number(number, what, least=0) for number in value)
    if enter > leave:
        raise ValueError(f"{what} must not begin above where it ends, got {enter:g} and {leave:g}")
    return enter, leave


def _support_velocity(
    soles: SolePoints, points: Floats, heights: Floats, frames: _Frames, axis: Floats, size: float
) -> Floats:
    """Give the level velocity of what carries each foot at each frame, (F, L, 3)."""
    if len(points) < 2:
        return np.zeros((len(points), len(soles.starts), 3))
    span = frames.period or 0.0
    seconds = np.append(frames.times, frames.times[0] + span) if frames.period else frames.times
    steps = np.diff(points, axis=0) / np.diff(seconds)[:, None, None]
    # At a frame: the mean of the steps before and after it.
    first = steps[-1:] if frames.period else steps[:1]
    rates = 0.5 * (np.concatenate([first, steps]) + np.concatenate([steps, steps[-1:]]))
    weights = soles.support(heights, size)
    velocity = np.stack([soles.total(weights * rates[..., i]) for i in range(3)], axis=-1)
    return np.asarray(velocity - (velocity @ axis)[..., None] * axis)


def _ground_velocity(over: Floats, velocity: Floats, size: float) -> tuple[Floats, float]:
    """Give the velocity that low feet have most of the time, and how far most of them are from it."""
    among = velocity[over <= LOW * size]
    if not len(among):
        return np.zeros(3), 0.0
    ground = np.median(among, axis=0)
    return ground, float(np.quantile(np.linalg.norm(among - ground, axis=-1), MOST))


def _with_hysteresis(enters: NDArray[Any], leaves: NDArray[Any], period: float | None) -> NDArray[np.bool_]:
    stands = np.zeros(len(enters), bool)
    state = bool(enters[0])
    for _ in range(2 if period else 1):  # a loop begins as it ends
        for frame in range(len(enters)):
            state = not leaves[frame] if state else bool(enters[frame])
            stands[frame] = state
    return stands
