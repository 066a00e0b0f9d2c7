# SPDX-License-Identifier: MIT
"""Feet on the ground, whatever the ground is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat, trs
from lissom._arrays import as_floats, as_numbers
from lissom._numbers import check_number
from lissom.ground import Ground
from lissom.ik._contacts import Contacts, checked_motion, require_skeleton, unit_axis
from lissom.ik._foot_lift import edges_of, needed_lift, turned_soles
from lissom.ik._foot_look import Gait, flattened, gait_of, level, level2, look, tilts_of
from lissom.ik._foot_pose import Goals, Posed, posed
from lissom.ik._foot_result import FootResult
from lissom.ik._foot_rig import STRAIGHT, Floats, foot_rig
from lissom.ik._foot_slide import SlideState, moves_of
from lissom.ik._foot_steps import BodyState, Lifts, Ways, follow_heights, follow_tilts
from lissom.ik._leg_solver import LegSolver
from lissom.ik._legs import Leg
from lissom.ik._sole_paths import moved
from lissom.ik._soles import Sole, rig_of
from lissom.ik._springs import rate_of
from lissom.skeleton import Joint

if TYPE_CHECKING:
    from lissom.character import Character
    from lissom.clip import Clip
    from lissom.skeleton import Skeleton

__all__ = ["FootPlacement"]

HORIZON = 0.2  # seconds: how far swinging feet look ahead
SWING_TIME = 0.11  # seconds in which the height of a swinging foot has covered 9/10 of a step
TILT_TIME = 0.15
BLEND_TIME = 0.25
RELEASE = 0.08  # seconds in which a foot that was held returns to e^-1 of the distance
FOLDED = 0.35  # of a leg's length: bodies are raised so that legs need not be shorter
STRIDE = 0.6  # of a leg's length: half the way looked at below the body
FOOT_SPEED = 4.0  # leg lengths per second: feet are not raised or lowered faster
SUNK = 0.002  # of the size: as deep as the animation has feet in level ground they are left
NEAR, OFF = 0.004, 0.012  # of the size: a foot lower than this stands, a higher one does not, if nobody says


class FootPlacement:
    """Puts the feet of a character on the ground: on stairs, slopes and rubble.

    Rays are cast down from hip height at every point of a sole, and ahead of swinging feet. A foot is raised
    or lowered until its lowest point is as high over this ground as it is over level ground in the animation;
    while it stands it is laid on the slope. The body follows the lowest standing foot, and the ground along
    its way, on a critically damped spring. The legs are then solved, knees where they were.

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
        Which way is up, in world space and, for the animation's own ground, in model space.
    floor : float, optional
        Height in model space of the ground that the animation was made for; where the soles are in the
        stance, if omitted.
    max_angle : float
        Radians: feet are laid on slopes up to this; on steeper ones they are turned so far only.
    max_slope : float
        Radians: steeper ground carries no foot; it is left to the animation.
    max_up, max_down : float
        How much higher or lower than the ground that the body goes by a foot may step, fractions of the leg's
        length. What is farther is left to the animation.
    ray_height : float
        How far over the animation's ground rays start, fractions of the leg's length: what hangs over the
        character lower than that would be taken for ground.
    body_time : float
        Seconds in which the body has covered nine tenths of a step; 0 follows at once.
    lock : float
        How much feet that stand are held where they stand, 0 to 1. Feet that travel faster than half a leg's
        length per second are not.
    lock_radius : float
        How far, at most, fractions of the leg's length.
    stance : array_like, shape (J, 10), optional
        A pose in which the feet stand flat; the rest pose if omitted.
    body : str or int, optional
        The joint that is raised and lowered. If omitted, the lowest that all legs and the mesh hang below.

    Attributes
    ----------
    legs : tuple of Leg
    soles : tuple of Sole
    skeleton : Skeleton
    ground : Ground
        May be set to another.

    Raises
    ------
    TypeError
        If an argument has the wrong type.
    ValueError
        If joints are not there or not in line, legs share joints, or a number is out of range.

    Notes
    -----
    `apply` and `update` are the same steps: what only looks is done for all frames at once, what follows is
    done frame by frame, and the same frames give the same bits. The spring's step is exact for a target that
    stands still during it, so steps of different length agree as they get short.

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
    <FootResult: 68 frames, 2 feet; 100.0 % of feet reached; body moved -0.0736 to 0.242>
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
        stance: ArrayLike | None = None,
        body: Joint | None = None,
    ) -> None:
        name = "FootPlacement"
        rig = rig_of(name, character)
        if not callable(ground):
            raise TypeError(
                f"{name}: ground must be callable as ground(origins, directions), "
                f"got {type(ground).__name__}; see lissom.ground.Ground"
            )
        self.ground = ground
        self._up = unit_axis(f"{name}: up", up)
        level_at = None if floor is None else check_number(floor, f"{name}: floor")
        self._rig = foot_rig(name, rig, legs, stance, self._up, level_at, body)
        self._solver = LegSolver(self._rig)
        angles = (("max_angle", max_angle), ("max_slope", max_slope))
        self._max_angle, self._max_slope = (_angle(f"{name}: {key}", value) for key, value in angles)
        length = float(self._rig.lengths.mean())
        self._above = length * check_number(ray_height, f"{name}: ray_height", above_zero=True)
        self._body_time = check_number(body_time, f"{name}: body_time", least=0)
        self._lock = _share(f"{name}: lock", lock)
        self._lock_radius = check_number(lock_radius, f"{name}: lock_radius", least=0)
        self._ways = Ways(
            reach_up=length * check_number(max_up, f"{name}: max_up", least=0),
            reach_down=length * check_number(max_down, f"{name}: max_down", least=0),
            swing_rate=rate_of(SWING_TIME),
            tilt_rate=rate_of(TILT_TIME),
            blend_rate=rate_of(BLEND_TIME),
            body_rate=rate_of(self._body_time),
            foot_speed=FOOT_SPEED * length,
            sunk=SUNK * rig.size,
        )
        self.reset()

    @property
    def legs(self) -> tuple[Leg, ...]:
        """The legs."""
        return self._rig.legs

    @property
    def soles(self) -> tuple[Sole, ...]:
        """What was measured of their feet."""
        return self._rig.soles

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton that the legs are of."""
        return self._rig.skeleton

    def reset(self) -> None:
        """Forget the frames before, as after a jump to another place: the next `update` begins anew."""
        self._state = _State(len(self._rig.legs))

    def update(
        self,
        poses: ArrayLike,
        dt: float,
        contacts: ArrayLike | None = None,
        world_from_model: ArrayLike | None = None,
    ) -> FootResult:
        """Put the feet of one pose on the ground, a time after the one before.

        Parameters
        ----------
        poses : array_like, shape (J, 10)
            Local trs, from the animation: without what foot placement did to it before.
        dt : float
            Seconds since the last update, at least 0; does not matter for the first.
        contacts : array_like, shape (L,), optional
            How much each foot stands, 0 to 1, such as ``find_contacts(...).sample(time)``. If omitted, feet
            that are low stand.
        world_from_model : array_like, shape (10,), optional
            Where the character stands: a rigid trs. At the origin if omitted.

        Returns
        -------
        FootResult
            Without an axis of frames.

        Raises
        ------
        TypeError
            If something is no number.
        ValueError
            If a shape does not fit, a value is not finite or out of range, `dt` is negative, or the ground
            answers with the wrong shapes.
        """
        what = "FootPlacement.update"
        seconds = check_number(dt, f"{what}: dt", least=0)
        given = as_floats(poses, f"{what}: poses")
        count = len(self.skeleton)
        if given.shape != (count, 10):
            raise ValueError(f"{what}: poses must have shape ({count}, 10), got {given.shape}")
        world = None if world_from_model is None else self._checked_world(what, world_from_model, (10,))[None]
        result = self._run(
            what,
            self._state,
            given[None],
            np.array([seconds]),
            self._checked_contacts(what, contacts, ()),
            world,
        )
        return result.step(self.skeleton)

    def apply(
        self,
        motion: Clip | tuple[ArrayLike, ArrayLike],
        contacts: ArrayLike | Contacts | None = None,
        world_from_model: ArrayLike | None = None,
        *,
        times: ArrayLike | None = None,
        rate: float = 60.0,
    ) -> FootResult:
        """Put the feet of a whole movement on the ground.

        Begins anew, and leaves what `update` remembers alone.

        Parameters
        ----------
        motion : Clip, or pair of times (F,) and poses (F, J, 10)
            A clip is sampled at `times`.
        contacts : array_like, shape (F, L), or Contacts, optional
            How much each foot stands at each time, as from `find_contacts`. If omitted, feet that are low
            stand.
        world_from_model : array_like, shape (10,) or (F, 10), optional
            Where the character stands, rigid trs: at each time, or where it begins, from where the root
            motion of a clip moves it on.
        times : array_like, shape (F,), optional
            Seconds, for a clip: loops go on. From its start to its end, `rate` times a second, if omitted.
        rate : float
            See `times`.

        Returns
        -------
        FootResult

        Raises
        ------
        TypeError
            If something is no number, or `motion` is neither.
        ValueError
            As for `update`; if times do not increase, or the clip is of another skeleton.
        """
        what = "FootPlacement.apply"
        seconds, poses, world = self._motion(what, motion, world_from_model, times, rate)
        if isinstance(contacts, Contacts):
            names = tuple(leg.name for leg in self.legs)
            if contacts.names != names:
                raise ValueError(
                    f"{what}: contacts must be of the legs {', '.join(names)}, "
                    f"got {', '.join(contacts.names)}"
                )
            contacts = contacts.sample(seconds)
        curves = self._checked_contacts(what, contacts, (len(seconds),))
        dt = np.diff(seconds, prepend=seconds[:1])
        result = self._run(what, _State(len(self.legs)), poses, dt, curves, world)
        return result.whole(self.skeleton, seconds, world)

    def _motion(
        self, what: str, motion: Any, world_from_model: Any, times: Any, rate: float
    ) -> tuple[Floats, NDArray[Any], Floats | None]:
        from lissom.clip import Clip

        root = None
        if isinstance(motion, Clip):
            require_skeleton(what, self.skeleton, motion)
            if times is None:
                per_second = check_number(rate, f"{what}: rate", above_zero=True)
                count = max(math.ceil(motion.duration * per_second - 1e-6), 1)
                seconds = motion.start + motion.duration * np.arange(count + 1) / count
                seconds = seconds if motion.duration > 0 else seconds[:1]
                poses = motion.sample(seconds, loop=False)
            else:
                seconds = as_numbers(times, f"{what}: times").astype(np.float64)
                if seconds.ndim != 1 or not len(seconds):
                    raise ValueError(f"{what}: times must have shape (F,), got {seconds.shape}")
                poses = motion.sample(seconds)
            seconds, poses = checked_motion(what, (seconds, poses), self.skeleton)
            if motion.root_motion is not None:
                root = motion.root_motion.at(seconds, loop=False if times is None else None)
        elif isinstance(motion, tuple) and len(motion) == 2:
            if times is not None:
                raise ValueError(f"{what}: times are for clips; poses come with theirs")
            seconds, poses = checked_motion(what, motion, self.skeleton)
        else:
            raise TypeError(
                f"{what}: motion must be a Clip or a pair (times, poses), got {type(motion).__name__}"
            )
        poses = as_floats(poses, f"{what}: poses")
        if world_from_model is None:
            return seconds, poses, root
        shape = np.shape(world_from_model)
        world = self._checked_world(what, world_from_model, (len(seconds), 10) if len(shape) > 1 else (10,))
        if world.ndim == 1:
            world = np.broadcast_to(world, (len(seconds), 10)) if root is None else trs.compose(world, root)
        return seconds, poses, np.ascontiguousarray(world)

    def _checked_world(self, what: str, value: ArrayLike, shape: tuple[int, ...]) -> Floats:
        world = as_numbers(value, f"{what}: world_from_model").astype(np.float64)
        if world.shape != shape:
            raise ValueError(f"{what}: world_from_model must have shape {shape}, got {world.shape}")
        if not np.isfinite(world).all():
            raise ValueError(f"{what}: world_from_model must be finite, got NaN or infinity")
        if (np.abs(world[..., 7:] - 1) > 1e-6).any():
            raise ValueError(f"{what}: world_from_model must be rigid, got a scale that is not 1")
        length = np.linalg.norm(world[..., 3:7], axis=-1, keepdims=True)
        if (np.abs(length - 1) > 1e-3).any():
            raise ValueError(
                f"{what}: world_from_model must hold unit rotations, got length {length.flat[0]:.4g}"
            )
        world[..., 3:7] /= length
        return world

    def _checked_contacts(self, what: str, value: Any, frames: tuple[int, ...]) -> Floats | None:
        if value is None:
            return None
        shape = (*frames, len(self.legs))
        curves = as_numbers(value, f"{what}: contacts").astype(np.float64)
        if curves.shape != shape:
            raise ValueError(
                f"{what}: contacts must have shape {shape} for {len(self.legs)} legs, got {curves.shape}"
            )
        bad = ~((curves >= 0) & (curves <= 1))
        if bad.any():
            raise ValueError(f"{what}: contacts must lie in [0, 1], got {curves[bad][0]}")
        return curves.reshape(-1, len(self.legs))

    def _run(
        self,
        what: str,
        state: _State,
        given: NDArray[Any],
        dt: Floats,
        contacts: Floats | None,
        world: Floats | None,
    ) -> _Run:
        if not np.isfinite(given).all():
            frame, joint = np.argwhere(~np.isfinite(given))[0, :2].tolist()
            raise ValueError(
                f"{what}: poses must be finite, got NaN or infinity at joint {self.skeleton.names[joint]!r}"
                + (f" of frame {frame}" if len(given) > 1 else "")
            )
        rig, up = self._rig, self._up
        poses = given.astype(np.float64)
        gait = gait_of(rig, poses, world, up)
        trusted = contacts is not None
        pins = np.zeros_like(gait.lowest) if contacts is None else (contacts * contacts) ** 2
        if contacts is None:
            u = np.clip((gait.lowest / rig.rig.size - NEAR) / (OFF - NEAR), 0.0, 1.0)
            contacts = 1.0 - u * u * (3.0 - 2.0 * u)
        moves = moves_of(
            rig, state.slide, gait, contacts, dt, up, self._lock, self._lock_radius, RELEASE, trusted
        )
        length = float(rig.lengths.mean())
        lead = 0.0 if self._body_time == 0 else 2.0 / rate_of(self._body_time)
        seen = look(
            rig, gait, moves.slides, moves.pace, moves.way, self.ground, up, self._above,
            HORIZON, STRIDE * length, lead,
        )  # fmt: skip
        tilts = tilts_of(rig, gait, seen, up, rig.rig.size, self._max_angle, self._max_slope)
        steps = dt.tolist()
        lying = np.concatenate([tilts.foot, tilts.toes], axis=-1) * contacts[..., None]
        followed = follow_tilts(state.body, lying.tolist(), steps, self._ways)
        turns = quat.from_rotation_vector(followed.reshape(*contacts.shape, 2, 3))
        places = gait.points + moves.slides[:, rig.points.legs]
        edges = edges_of(rig, gait, seen, places, self.ground, up, self._above)
        lying_points = turned_soles(rig, gait, turns)
        needed = needed_lift(rig, seen, edges, lying_points, lying_points - gait.points, up)
        room, fold = self._room(gait, moves.slides)
        heights = follow_heights(
            state.body,
            Lifts(
                needed=needed.tolist(),
                ahead=(seen.ahead - gait.floor[:, None]).tolist(),
                lowest=gait.lowest.tolist(),
                contacts=contacts.tolist(),
                pins=pins.tolist(),
                standable=(~tilts.steep).tolist(),
                room=room.tolist(),
                fold=fold.tolist(),
                path=(seen.path - gait.floor).tolist(),
                hurry=_hurry(moves.way, length).tolist(),
            ),
            steps,
            self._ways,
        )
        turn = gait.turn[:, None]
        back = quat.conjugate(turn)
        blended = quat.from_rotation_vector(
            followed.reshape(*contacts.shape, 2, 3) * heights.blends[..., None, None]
        )
        body_turns = quat.multiply(back[:, :, None], quat.multiply(blended, turn[:, :, None]))

        def solved(offsets: Floats) -> tuple[Floats, Posed]:
            lifted = moves.slides * heights.blends[..., None] + offsets[..., None] * up
            goals = Goals(gait.up_model, heights.body, quat.rotate(back, lifted), body_turns)
            return lifted, posed(rig, self._solver, gait, poses, goals)

        lifted, done = solved(heights.offsets)
        if rig.is_soft:
            # Skin between shin and foot moves with the shin, too, which is known only now.
            soles = rig.points.at(rig.skeleton.model_matrices(done.poses))
            soles = soles if world is None else moved(trs.to_matrix(world)[:, None], soles)
            edges = edges_of(rig, gait, seen, soles, self.ground, up, self._above)
            left = needed_lift(rig, seen, edges, soles, soles - places, up)
            with np.errstate(invalid="ignore"):  # over nothing
                error = np.where(np.isfinite(left), left - (needed - heights.offsets), 0.0)
            lifted, done = solved(heights.offsets + error * heights.blends)
        carried = gait.floor[:, None] + needed + gait.lowest
        return _Run(
            poses=done.poses.astype(given.dtype, copy=False),
            contacts=contacts,
            targets=gait.ankles + lifted,
            ground_heights=np.where(tilts.missing, np.nan, carried),
            normals=tilts.normals,
            offsets=heights.offsets,
            body_offset=heights.body,
            weights=heights.blends,
            residuals=done.residuals,
            reached=done.reached,
            airborne=heights.airborne,
            too_far=heights.too_far,
        )

    def _room(self, gait: Gait, slides: Floats) -> tuple[Floats, Floats]:
        """Give how much higher than its foot the body may be raised, and must be, for each leg, (F, L)."""
        arm = gait.hips - gait.ankles
        length = np.sqrt(level2(arm))
        beside = level2(flattened(arm - slides, self._up))
        drop = level(arm, self._up)
        most, least = (
            np.maximum(STRAIGHT * self._rig.lengths, length),
            np.minimum(FOLDED * self._rig.lengths, length),
        )
        return (
            np.sqrt(np.maximum(most * most - beside, 0.0)) - drop,
            np.sqrt(np.maximum(least * least - beside, 0.0)) - drop,
        )

    def __repr__(self) -> str:
        legs = ", ".join(leg.name for leg in self.legs)
        ground = getattr(self.ground, "__qualname__", None) or repr(self.ground)
        return f"<FootPlacement: {legs} on {ground}>"


class _State:
    """What is remembered between frames."""

    def __init__(self, legs: int) -> None:
        self.slide = SlideState()
        self.body = BodyState(legs)


class _Run:
    """The arrays of a result, all with an axis of frames."""

    def __init__(self, **arrays: Any) -> None:
        self.arrays = arrays

    def whole(self, skeleton: Skeleton, times: Floats, world: Floats | None) -> FootResult:
        return FootResult(**self.arrays, skeleton=skeleton, times=times, world_from_model=world)

    def step(self, skeleton: Skeleton) -> FootResult:
        return FootResult(**{name: array[0] for name, array in self.arrays.items()}, skeleton=skeleton)


def _hurry(way: Floats, length: float) -> Floats:
    """Give 1 where the body travels faster than 0.4 leg lengths a second, 0 where it stands, (F,)."""
    u = np.clip((np.sqrt(level2(way)) / length - 0.1) / 0.3, 0.0, 1.0)
    return np.asarray(u * u * (3.0 - 2.0 * u))


def _share(what: str, value: float) -> float:
    share = check_number(value, what, least=0)
    if share > 1:
        raise ValueError(f"{what} must lie in [0, 1], got {value}")
    return share


def _angle(what: str, value: float) -> float:
    angle = check_number(value, what, least=0)
    if angle > math.pi / 2:
        raise ValueError(f"{what} must be an angle in radians up to a right angle, got {value}")
    return angle
