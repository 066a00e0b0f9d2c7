# SPDX-License-Identifier: MIT
"""Foot placement on any ground."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import trs
from lissom._base.arrays import as_floats, as_numbers
from lissom._base.numbers import LARGEST, check_fraction, check_number
from lissom._rig.skeleton_arrays import Joint
from lissom.ground import Ground
from lissom.ik._axes import Floats, unit_axis
from lissom.ik._feet.checks import (
    checked_angle,
    checked_contacts,
    checked_world,
    refuse_not_finite,
)
from lissom.ik._feet.contacts import Contacts, check_legs_of
from lissom.ik._feet.foot_rig import foot_rig
from lissom.ik._feet.given_motion import checked_motion, regular_times, require_poses_of
from lissom.ik._feet.lean import Lean
from lissom.ik._feet.leg_solver import LegSolver
from lissom.ik._feet.legs import Leg
from lissom.ik._feet.pipeline import FootState, Setting, place_feet
from lissom.ik._feet.result import FootResult
from lissom.ik._feet.rig import rig_of
from lissom.ik._feet.smoothing import SmoothingSettings
from lissom.ik._feet.soles import Sole
from lissom.ik._feet.springs import rate_of

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

__all__ = ["FootPlacement"]

SWING_TIME = 0.11  # seconds in which the height of a swinging foot covers nine tenths of a step
TILT_TIME = 0.15
BLEND_TIME = 0.25
FOOT_SPEED = 4.0  # leg lengths per second: feet are not raised or lowered faster
SINK = 0.002  # of the size: feet may stay this deep in the ground where the animation has them so


class FootPlacement:
    """Place the feet of a character on the ground: on stairs, slopes and rubble.

    Rays are cast down at every point of a sole, and ahead of swinging feet. A foot is raised or lowered until
    its lowest point is as high over this ground as it is over flat ground in the animation; during a stance
    it is aligned with the slope. The body (pelvis) follows the feet where it stands and the ground along its
    path where it travels, within reach of the legs, by a critically damped spring, and leans with the slope.
    The heels of trailing feet rise for what the legs do not reach. The legs are then solved, with knees in
    their original direction.

    Parameters
    ----------
    character : Character or Skeleton
        With a mesh its soles are measured, see `Leg.measure`.
    legs : sequence of Leg
        `Leg.find` guesses them.
    ground : Ground
        In world space: a ground of `lissom.ground`, or a callable ``ground(origins, directions) ->
        (distances, normals)``.
    up : array_like, shape (3,)
        The up axis, in world space and, for the animation's own ground, in model space.
    floor : float, optional
        Height in model space of the ground that the animation was made for; that of the soles in the stance
        if omitted.
    max_angle : float
        Radians: largest angle by which feet are rotated onto a slope.
    max_slope : float
        Radians: feet do not stand on steeper ground and are left to the animation.
    max_up, max_down : float
        Largest height of a foot's ground above and below the ground that the body follows, fractions of the
        leg's length. Beyond, the foot is left to the animation.
    ray_height : float
        Height over the animation's ground at which rays start, fractions of the leg's length: anything above
        the character that is lower than this counts as ground.
    body_time : float
        Seconds in which the body covers nine tenths of a step; 0 follows at once.
    lock : float
        How much standing feet are locked in place, 0 to 1. Without contacts, feet faster than half a leg's
        length per second are locked less, and faster than one not at all.
    lock_radius : float
        Largest displacement of a locked foot, fractions of the leg's length.
    lean : float, optional
        How much of the slope below it the body is rotated by, about the middle of the hips: 1 keeps it as it
        is to level ground, 0 upright, and less leans into the slope. If omitted -0.2 for two legs; 1 for
        more, as far as hips are apart along the slope beside the length of the legs.
    body_ground : Ground, optional
        What the body travels and leans along where that is simpler than what feet stand on and one sees, such
        as the ramp that a game collides with in place of a stair. That of the feet if omitted.
    stance : array_like, shape (J, 10), optional
        A pose in which the feet stand flat; the rest pose if omitted.
    body : str or int, optional
        The joint that is raised and lowered. If omitted, the lowest from which all legs and the mesh descend.

    Attributes
    ----------
    legs : tuple of Leg
    soles : tuple of Sole
    skeleton : Skeleton
    ground : Ground
        Can be set to another.
    body_ground : Ground or None
        Can be set to another; None for that of the feet.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If joints do not exist or are not in line, legs share joints, or a number is out of range.

    Notes
    -----
    `apply` and `update` make the same steps: those without a state for all frames at once, those with one
    frame by frame, and the same frames have the same bits. The spring's step is exact for a target that is
    constant during it, so steps of different length converge as they get short.

    References
    ----------
    .. [1] ozz-animation, foot_ik sample: ray from the ankle, ankle offset along the slope, lowered pelvis.
    .. [2] Holden, Spring-It-On, theorangeduck.com, 2021: exact critically damped springs.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> slope = lissom.ground.Plane(normal=(0, 1, -0.25))
    >>> feet = lissom.ik.FootPlacement(hero, lissom.ik.Leg.find(hero), slope)
    >>> feet.apply(hero.clips["walk"])
    <FootResult: 68 frames, 2 feet; 100.0 % of feet reached; body moved -0.0373 to 0.299>
    """

    def __init__(
        self,
        character: Character | Skeleton,
        legs: Sequence[Leg],
        ground: Ground,
        *,
        up: ArrayLike = (0.0, 1.0, 0.0),
        floor: float | None = None,
        max_angle: float = math.radians(40.0),
        max_slope: float = math.radians(60.0),
        max_up: float = 0.8,
        max_down: float = 0.8,
        ray_height: float = 2.0,
        body_time: float = 0.4,
        lock: float = 1.0,
        lock_radius: float = 0.4,
        lean: float | None = None,
        body_ground: Ground | None = None,
        stance: ArrayLike | None = None,
        body: Joint | None = None,
    ) -> None:
        name = "FootPlacement"
        rig = rig_of(name, character)
        for argument, given in (("ground", ground), ("body_ground", body_ground)):
            if not callable(given) and not (argument == "body_ground" and given is None):
                raise TypeError(
                    f"{name}: {argument} must be callable as ground(origins, directions), "
                    f"got {type(given).__name__}; see lissom.ground.Ground"
                )
        self.ground, self.body_ground = ground, body_ground
        axis = np.array(unit_axis(f"{name}: up", up))
        floor = None if floor is None else check_number(floor, f"{name}: floor", largest=LARGEST)
        legs_of_rig = foot_rig(name, rig, legs, stance, axis, floor, body)
        length = float(legs_of_rig.lengths.mean())
        body_time = check_number(body_time, f"{name}: body_time", least=0)
        self._skeleton = rig.skeleton
        self._setting = Setting(
            rig=legs_of_rig,
            solver=LegSolver(legs_of_rig),
            up=axis,
            smoothing=SmoothingSettings(
                max_step_up=length * check_number(max_up, f"{name}: max_up", least=0),
                max_step_down=length * check_number(max_down, f"{name}: max_down", least=0),
                swing_rate=rate_of(SWING_TIME),
                tilt_rate=rate_of(TILT_TIME),
                blend_rate=rate_of(BLEND_TIME),
                body_rate=rate_of(body_time),
                foot_speed=FOOT_SPEED * length,
                sink=SINK * rig.size,
            ),
            max_angle=checked_angle(f"{name}: max_angle", max_angle),
            max_slope=checked_angle(f"{name}: max_slope", max_slope),
            ray_height=length * check_number(ray_height, f"{name}: ray_height", above_zero=True),
            body_time=body_time,
            lock=check_fraction(lock, f"{name}: lock"),
            lock_radius=check_number(lock_radius, f"{name}: lock_radius", least=0),
            lean=Lean.of(
                legs_of_rig, lean if lean is None else check_number(lean, f"{name}: lean", largest=1)
            ),
        )
        self.reset()

    @property
    def legs(self) -> tuple[Leg, ...]:
        """The legs."""
        return self._setting.rig.legs

    @property
    def soles(self) -> tuple[Sole, ...]:
        """The measured soles of the legs."""
        return self._setting.rig.soles

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the character."""
        return self._skeleton

    def reset(self) -> None:
        """Reset the state, as after a jump to another place: the next `update` is a first one.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> feet = lissom.ik.FootPlacement(hero, lissom.ik.Leg.find(hero), lissom.ground.Plane())
        >>> first = feet.update(hero.clips["idle"].sample(0.0), 1 / 60)
        >>> feet.reset()
        >>> again = feet.update(hero.clips["idle"].sample(0.0), 1 / 60)
        >>> bool(np.array_equal(first.poses, again.poses))
        True
        """
        self._state = FootState(len(self._setting.rig.legs))

    def update(
        self,
        poses: ArrayLike,
        dt: float,
        contacts: ArrayLike | None = None,
        world_from_model: ArrayLike | None = None,
    ) -> FootResult:
        """Place the feet of one pose on the ground, some time after the pose before.

        Parameters
        ----------
        poses : array_like, shape (J, 10)
            Local trs of the animation, not of an earlier result.
        dt : float
            Seconds since the last update, at least 0; ignored in the first.
        contacts : array_like, shape (L,), optional
            How much each foot stands, 0 to 1, such as ``find_contacts(...).sample(time)``. If omitted, feet
            that are low stand.
        world_from_model : array_like, shape (10,), optional
            Rigid trs that places the character in the world; at the origin if omitted.

        Returns
        -------
        FootResult
            Without an axis of frames.

        Raises
        ------
        TypeError
            If an argument does not hold numbers.
        ValueError
            If a shape does not fit, a value is not finite or out of range, `dt` is negative, the ground
            returns arrays of the wrong shapes, or the frame of a foot is scaled to zero or sheared. The state
            then stays as it was.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> higher = lissom.ground.Plane((0, 0.2, 0))
        >>> feet = lissom.ik.FootPlacement(hero, lissom.ik.Leg.find(hero), higher)
        >>> for frame in range(30):  # half a second at 60 pictures per second
        ...     done = feet.update(hero.clips["idle"].sample(frame / 60), 1 / 60)
        >>> float(done.body_offset.round(2)), done.reached
        (0.2, array([ True,  True]))
        """
        what = "FootPlacement.update"
        seconds = check_number(dt, f"{what}: dt", least=0)
        pose = as_floats(poses, f"{what}: poses")
        count = len(self.skeleton)
        if pose.shape != (count, 10):
            raise ValueError(f"{what}: poses must have shape ({count}, 10), got {pose.shape}")
        world = None if world_from_model is None else checked_world(what, world_from_model, (10,))[None]
        curves = checked_contacts(what, len(self.legs), contacts, ())
        refuse_not_finite(what, self.skeleton, pose[None])
        state = self._state.copy()
        dts = np.array([seconds])
        arrays = place_feet(what, self._setting, *self._grounds(), state, pose[None], dts, curves, world)
        self._state = state
        return FootResult(**{name: array[0] for name, array in arrays.items()}, skeleton=self.skeleton)

    def apply(
        self,
        motion: Clip | tuple[ArrayLike, ArrayLike],
        contacts: ArrayLike | Contacts | None = None,
        world_from_model: ArrayLike | None = None,
        *,
        times: ArrayLike | None = None,
        rate: float = 60.0,
    ) -> FootResult:
        """Place the feet of a whole motion on the ground.

        Starts with a state of its own, and does not change that of `update`.

        Parameters
        ----------
        motion : Clip, or pair of times (F,) and poses (F, J, 10)
            A clip is sampled at `times`.
        contacts : array_like, shape (F, L), or Contacts, optional
            How much each foot stands at each time, as from `find_contacts`. If omitted, feet that are low
            stand.
        world_from_model : array_like, shape (10,) or (F, 10), optional
            Rigid trs that place the character in the world: at each time, or at the begin, from which the
            root motion of a clip continues.
        times : array_like, shape (F,), optional
            Seconds, for a clip; loops repeat. If omitted, from its start to its end, `rate` times a second.
        rate : float
            See `times`.

        Returns
        -------
        FootResult

        Raises
        ------
        TypeError
            If an argument does not hold numbers, or `motion` is neither a clip nor a pair.
        ValueError
            As for `update`; if times do not increase, or the clip is additive or of another skeleton.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> feet = lissom.ik.FootPlacement(hero, lissom.ik.Leg.find(hero), lissom.samples.stair())
        >>> contacts = lissom.ik.find_contacts(hero.clips["walk"], feet.legs, character=hero)
        >>> done = feet.apply(hero.clips["walk"], contacts, times=np.linspace(0, 3.3, 100))
        >>> print(done.ground_heights.max().round(2))  # metres: three steps of 0.15
        0.45
        """
        what = "FootPlacement.apply"
        seconds, poses, world = self._motion(what, motion, world_from_model, times, rate)
        if isinstance(contacts, Contacts):
            check_legs_of(what, contacts, self.legs)
            contacts = contacts.sample(seconds)
        curves = checked_contacts(what, len(self.legs), contacts, (len(seconds),))
        dt = np.diff(seconds, prepend=seconds[:1])
        state = FootState(len(self.legs))
        arrays = place_feet(what, self._setting, *self._grounds(), state, poses, dt, curves, world)
        return FootResult(**arrays, skeleton=self.skeleton, times=seconds, world_from_model=world)

    def _grounds(self) -> tuple[Ground, Ground]:
        """Return what feet stand on, and what the body is along."""
        return self.ground, self.ground if self.body_ground is None else self.body_ground

    def _motion(
        self, what: str, motion: Any, world_from_model: Any, times: Any, rate: float
    ) -> tuple[Floats, NDArray[Any], Floats | None]:
        from lissom.clip import Clip

        root = None
        if isinstance(motion, Clip):
            require_poses_of(what, self.skeleton, motion)
            if times is None:
                per_second = check_number(rate, f"{what}: rate", above_zero=True)
                seconds = regular_times(what, motion, per_second)
                poses = motion.sample(seconds, loop=False)
            else:
                seconds = as_numbers(times, f"{what}: times").astype(np.float64)
                if seconds.ndim != 1 or not len(seconds):
                    raise ValueError(f"{what}: times must have shape (F,), F at least 1, got {seconds.shape}")
                poses = motion.sample(seconds)
            seconds, poses = checked_motion(what, (seconds, poses), self.skeleton)
            if motion.root_motion is not None:
                root = motion.root_motion.at(seconds, loop=False if times is None else None)
        elif isinstance(motion, tuple) and len(motion) == 2:
            if times is not None:
                raise ValueError(f"{what}: times must be None where motion is a pair that has them, got both")
            seconds, poses = checked_motion(what, motion, self.skeleton)
        else:
            raise TypeError(
                f"{what}: motion must be a Clip or a pair (times, poses), got {type(motion).__name__}"
            )
        poses = as_floats(poses, f"{what}: poses")
        if world_from_model is None:
            return seconds, poses, root
        shape = np.shape(world_from_model)
        world = checked_world(what, world_from_model, (len(seconds), 10) if len(shape) > 1 else (10,))
        if world.ndim == 1:
            world = np.broadcast_to(world, (len(seconds), 10)) if root is None else trs.compose(world, root)
        return seconds, poses, np.ascontiguousarray(world)

    def __repr__(self) -> str:
        legs = ", ".join(leg.name for leg in self.legs)
        ground = getattr(self.ground, "__qualname__", None) or repr(self.ground)
        return f"<FootPlacement: {legs} on {ground}>"
