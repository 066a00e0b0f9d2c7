# SPDX-License-Identifier: MIT
"""Clips without sliding feet."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._base.numbers import check_number
from lissom.ik._axes import unit_axis
from lissom.ik._ccd import ccd
from lissom.ik._chain import Chain
from lissom.ik._feet.contacts import Contacts, find_contacts
from lissom.ik._feet.given_motion import require_poses_of
from lissom.ik._feet.joint_frames import frame_of, mirrored
from lissom.ik._feet.legs import Leg, LegJoints, checked_legs
from lissom.ik._feet.pose import in_parent
from lissom.ik._feet.rig import bodies_of
from lissom.ik._feet.sliding import SPREAD, GroundPath, Moves, closed, hermite, holding, slides, stances
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.soles import measured_soles, rig_of
from lissom.ik._result import IkResult
from lissom.ik._two_bone import two_bone

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

__all__ = ["foot_slide", "lock_feet"]

Floats = NDArray[np.float64]

ROUNDS = 4  # of holding what still slides: soles on shins turn with them
STILL = 1e-5  # of the size: a slide that needs no other round
ALLOWED = 5e-4  # of the size: a slide that is told of
STRETCH = 0.998  # of a leg's length: as far as a leg that was bent may be stretched
NEAR = 1e-4  # of a leg's length: an ankle so far from its target is there
STANDS = 1 - 1e-6  # of a contact curve


def lock_feet(
    clip: Clip,
    legs: Sequence[Leg],
    *,
    contacts: Contacts | None = None,
    character: Character | Skeleton | None = None,
    rate: float = 120.0,
    blend: float = 0.2,
    lower: float = 0.03,
    up: ArrayLike = (0.0, 1.0, 0.0),
) -> Clip:
    """Remove the sliding of feet: what carries a foot stays where it is while the foot stands.

    A foot that stands rolls, from the heel to the toes: which part of the sole carries it changes, and what
    carries it does not move over the ground. So that is what is held, and the foot keeps its tilt and its
    height; it is moved and turned within the plane of the ground only, as little as a stance allows. Between
    stances the foot goes from one correction to the next without a jump in place or speed. Legs follow by
    `two_bone`, so knees keep their direction; where a leg would be too short, the body is lowered a little,
    smoothly.

    The ground moves with the clip's root motion; of a walk on the spot without, at the velocity that
    `find_contacts` measures. Root motion, markers and name stay, and loops stay loops.

    Parameters
    ----------
    clip : Clip
    legs : sequence of Leg
    contacts : Contacts, optional
        When which foot stands: where its curve is 1. Found by `find_contacts` if omitted.
    character : Character or Skeleton, optional
        What the clip moves: with a mesh the soles are its own; without, they are guessed from the joints.
    rate : float
        Keys per second of the joints that are changed. The others keep theirs.
    blend : float
        Seconds in which a foot loses its correction after it was lifted, and gets the next before it is put
        down. Where it is in the air for less than twice that, it goes from one to the other.
    lower : float
        How far at most the body may be lowered, a fraction of the character's size. Where that is not
        enough, the foot gives way.
    up : array_like, shape (3,)
        Which way is up in model space.

    Returns
    -------
    Clip
        With LINEAR keys of the legs' joints, and of the one that carries the hips where it is lowered.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If joints are not there or not in line, contacts are of other legs, the clip is additive, or a number
        is out of range.

    Warns
    -----
    UserWarning
        Where a foot still slides by more than 0.05 % of the size, because its leg cannot reach.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> legs = lissom.ik.Leg.find(hero)
    >>> walk = hero.clips["walk"]
    >>> contacts = lissom.ik.find_contacts(walk, legs, character=hero)
    >>> still = lissom.ik.lock_feet(walk, legs, contacts=contacts, character=hero)
    >>> slides = lissom.ik.foot_slide(still, legs, contacts=contacts, character=hero)
    >>> bool((slides < 5e-4 * hero.size).all())
    True
    """
    motion = _Motion.of("lock_feet", clip, legs, contacts, character, rate, up)
    blend_seconds = check_number(blend, "lock_feet: blend", least=0)
    deepest = check_number(lower, "lock_feet: lower", least=0)
    blend_frames = max(round(blend_seconds * motion.rate), 1)
    if not motion.stands.any() or len(motion.path.times) < 2:
        return clip._edited()
    moves = [np.zeros((len(motion.poses), 4)) for _ in motion.joints]
    poses, best = motion.poses, np.full(len(motion.joints), np.inf)
    reach = [True] * len(motion.joints)
    for _ in range(ROUNDS):
        steps = motion.corrections(poses)
        # A foot out of reach would be lifted to where it no longer slides.
        moves = [a + b if able else a for a, b, able in zip(moves, steps, reach, strict=True)]
        moves = [motion.between_stances(leg, each, blend_frames) for leg, each in enumerate(moves)]
        tried, reach = motion.solved(moves, deepest, blend_frames)
        left = motion.slides(tried)
        if left.sum() >= best.sum():
            break
        poses, best = tried, left
        if best.max() <= STILL * motion.path.size:
            break
    sliding = best > ALLOWED * motion.path.size
    if sliding.any():
        names = ", ".join(repr(name) for name, is_one in zip(motion.names, sliding, strict=True) if is_one)
        warnings.warn(
            f"lock_feet: {names} still slide by up to {best.max():.3g} in clip {clip.name!r}, for legs "
            "cannot reach; a larger lower= lets the body down farther",
            stacklevel=2,
        )
    return motion.written(clip, poses)


def foot_slide(
    clip: Clip,
    legs: Sequence[Leg],
    *,
    contacts: Contacts | None = None,
    character: Character | Skeleton | None = None,
    rate: float = 240.0,
    up: ArrayLike = (0.0, 1.0, 0.0),
) -> Floats:
    """Measure how far feet slide while they stand.

    Parameters
    ----------
    clip, legs, contacts, character, up
        As for `lock_feet`. What slides tells of no contact, and what is blended in tells of more: pass the
        same contacts to compare two clips.
    rate : float
        Times per second at which the clip is looked at, between its keys, too.

    Returns
    -------
    ndarray of float64, shape (L,)
        Of each leg, in the file's lengths: how far apart the places are to which what carries the foot
        slides in one stance, at most. A foot that rolls from the heel to the toes does not slide.

    Raises
    ------
    TypeError, ValueError
        As for `lock_feet`.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> legs = lissom.ik.Leg.find(hero)
    >>> slides = lissom.ik.foot_slide(hero.clips["walk"], legs, character=hero)
    >>> bool((slides < 0.03 * hero.size).all())
    True
    """
    motion = _Motion.of("foot_slide", clip, legs, contacts, character, rate, up)
    return motion.slides(motion.poses)


@dataclass(frozen=True, eq=False)
class _Motion:
    """A clip at regular frames, what its feet stand with, and when."""

    skeleton: Skeleton
    joints: list[LegJoints]
    names: tuple[str, ...]
    soles: SolePoints
    poses: Floats  # (F, J, 10) without the end of a loop
    stands: NDArray[np.bool_]  # (F, L)
    path: GroundPath
    axis: Floats
    rate: float
    bodies: tuple[int, ...]  # the joints that are lowered to lower the body

    @classmethod
    def of(
        cls,
        function: str,
        clip: Clip,
        legs: Sequence[Leg],
        contacts: Contacts | None,
        character: Character | Skeleton | None,
        rate: float,
        up: ArrayLike,
    ) -> _Motion:
        from lissom.clip import Clip as ClipType

        if not isinstance(clip, ClipType):
            raise TypeError(f"{function}: clip must be a Clip, got {type(clip).__name__}")
        rig = rig_of(function, clip.skeleton if character is None else character)
        require_poses_of(function, rig.skeleton, clip)
        given, joints = checked_legs(function, clip.skeleton, legs)
        axis = np.array(unit_axis(f"{function}: up", up))
        per_second = check_number(rate, f"{function}: rate", above_zero=True)
        if contacts is None:
            contacts = find_contacts(clip, given, character=character, rate=per_second, up=axis)
        elif not isinstance(contacts, Contacts):
            raise TypeError(f"{function}: contacts must be Contacts, got {type(contacts).__name__}")
        names = tuple(leg.name for leg in given)
        if contacts.names != names:
            raise ValueError(
                f"{function}: contacts must be of the legs {', '.join(names)}, "
                f"got {', '.join(contacts.names)}"
            )
        loops = clip.loop is True and clip.duration > 0
        intervals = _intervals(clip, contacts, per_second, loops)
        count = intervals if loops else intervals + 1 if clip.duration > 0 else 1
        seconds = clip.start + clip.duration * np.arange(2 * intervals + 1) / intervals
        world = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (len(seconds), 1))
        if clip.root_motion is not None:
            world = clip.root_motion.at(seconds, loop=loops)
        else:
            world[:, :3] = -np.outer(seconds - clip.start, contacts.ground_velocity)
        first = np.eye(3)[int(np.argmin(np.abs(axis)))]
        first = first - (first @ axis) * axis
        first /= np.linalg.norm(first)
        times = seconds[:count]
        path = GroundPath(
            times, clip.duration if loops else None, world, (first, np.cross(axis, first)), rig.size
        )
        return cls(
            clip.skeleton,
            joints,
            names,
            SolePoints.of(measured_soles(function, rig, given, None, axis)),
            clip.sample(times, loop=False).astype(np.float64),
            contacts.sample(times) >= STANDS,
            path,
            axis,
            intervals / clip.duration if clip.duration > 0 else per_second,
            bodies_of(function, rig, joints, None),
        )

    def slides(self, poses: Floats) -> Floats:
        points = self.soles.at(self.skeleton.model_matrices(poses))
        return slides(self.path, self.soles, points, points @ self.axis, self.stands)

    def corrections(self, poses: Floats) -> list[Floats]:
        """Give for each leg, in stances, how its ankle is to be moved: a vector of model space and a turn."""
        model = self.skeleton.model_matrices(poses)
        points = self.soles.at(model)
        weights = self.soles.support(points @ self.axis, self.path.size)
        count, result = len(poses), []
        for leg, joints in enumerate(self.joints):
            own, moves = self.soles.legs == leg, np.zeros((count, 4))
            carrier = model[:, joints.ankle, :3, 3]
            for first, last in stances(self.stands[:, leg], self.path):
                frames = np.arange(first, last + 1)
                held = holding(
                    self.path.at(frames, points[:, own]),
                    weights[frames % count][:, own],
                    SPREAD * self.path.size,
                )
                if last - first == count:  # it stands all around the loop
                    held, frames = _without_last(closed(held)), frames[:-1]
                ways = self.path.of_plane(held.of(self.path.at(frames, carrier)))
                at = frames % count
                moves[at, :3] = self.path.turned(frames, ways, back=True)
                moves[at, 3] = np.angle(held.turns)
            result.append(moves)
        return result

    def between_stances(self, leg: int, moves: Floats, blend: int) -> Floats:
        """Lead the moves of a foot from one stance to the next without a jump in place or speed."""
        spans, count = stances(self.stands[:, leg], self.path), len(moves)
        result = moves.copy()
        result[~self.stands[:, leg]] = 0
        if not spans or spans == ((0, count),):
            return result
        loops = self.path.period is not None
        still = np.zeros(4)
        for index, (_, last) in enumerate(spans):
            following = spans[(index + 1) % len(spans)][0]
            if index + 1 == len(spans):
                following = following + count if loops else count + 2 * blend
            gap = following - last
            end, end_step = self._in_world(moves, last, -1, last - spans[index][0])
            if gap > 2 * blend:
                self._put(result, last, hermite(blend, end, still, end_step, still))
            elif gap > 1:
                after = spans[(index + 1) % len(spans)]
                begin, begin_step = self._in_world(moves, following, 1, after[1] - after[0])
                self._put(result, last, hermite(gap, end, begin, end_step, begin_step))
        for index, (first, last) in enumerate(spans):
            before = spans[index - 1][1] - (count if index == 0 else 0)
            if index == 0 and not loops:
                before = -2 * blend - 1
            if first - before <= 2 * blend:
                continue
            lap = first + count if loops else first
            begin, begin_step = self._in_world(moves, lap, 1, last - first)
            self._put(result, lap - blend, hermite(blend, still, begin, still, begin_step))
        return result

    def _in_world(self, moves: Floats, frame: int, side: int, length: int) -> tuple[Floats, Floats]:
        """Give the move at the edge of a stance, and its step per frame inside, in the world."""
        frames = np.array([frame, frame + side if length else frame])
        rows = moves[frames % len(moves)].copy()
        rows[:, :3] = self.path.turned(frames, rows[:, :3])
        return rows[0], side * (rows[1] - rows[0])

    def _put(self, result: Floats, before: int, rows: Floats) -> None:
        """Write moves of the world to the frames after `before`."""
        frames = before + 1 + np.arange(len(rows))
        if self.path.period is None:
            inside = (frames >= 0) & (frames < len(result))
            frames, rows = frames[inside], rows[inside]
        rows = rows.copy()
        rows[:, :3] = self.path.turned(frames, rows[:, :3], back=True)
        result[frames % len(result)] = rows

    def solved(self, moves: Sequence[Floats], lower: float, blend: int) -> tuple[Floats, list[bool]]:
        """Give poses whose feet are moved so, and whether each leg reaches all along."""
        model = self.skeleton.model_matrices(self.poses)
        targets = [
            model[:, joints.ankle, :3, 3] + each[:, :3]
            for joints, each in zip(self.joints, moves, strict=True)
        ]
        poses, reach = self._lowered(model, targets, lower, blend), []
        for joints, target, each in zip(self.joints, targets, moves, strict=True):
            turn = quat.from_axis_angle(self.axis, each[:, 3])
            wanted = quat.multiply(turn, frame_of(self.skeleton, self.poses, joints.ankle)[0])
            chain = Chain(self.skeleton, joints.chain[0], joints.ankle, fixed=joints.fixed)
            if len(joints.bends) == 2:
                done = two_bone(chain, poses, target, wanted)
            else:
                done = self._followed(chain, poses, target, wanted)
            poses = done.pose
            reach.append(bool((done.residual <= NEAR * chain.length).all()))
            if joints.is_detached:
                poses = self._placed(poses, model, joints.foot, each, turn)
        return poses, reach

    def _followed(self, chain: Chain, poses: Floats, targets: Floats, wanted: Floats) -> IkResult:
        """Solve for a leg that bends more than once: each frame from the one before, a loop from its end."""
        loops = self.path.period is not None
        laps = [np.concatenate([array, array]) if loops else array for array in (poses, targets, wanted)]
        done = ccd(chain, *laps, tolerance=1e-6, max_iterations=300, continuous=True)
        last = slice(-len(poses), None)
        return replace(done, pose=done.pose[last], residual=done.residual[last])

    def _placed(self, poses: Floats, before: Floats, joint: int, moves: Floats, turn: Floats) -> Floats:
        """Move a foot that stands beside its leg along with the ankle's move."""
        parent = int(self.skeleton.parents[joint])
        # The ankle's turn is about the ankle; the foot's own place turns with it where they stand together.
        place = before[:, joint, :3, 3] + moves[:, :3]
        poses, model = poses.copy(), self.skeleton.model_matrices(poses)
        poses[:, joint, :3] += in_parent(model, parent, place - model[:, joint, :3, 3])
        rotation, signs = frame_of(self.skeleton, poses, parent)
        wanted = quat.multiply(turn, frame_of(self.skeleton, self.poses, joint)[0])
        poses[:, joint, 3:7] = mirrored(signs, quat.multiply(quat.conjugate(rotation), wanted))
        return poses

    def _lowered(self, model: Floats, targets: Sequence[Floats], lower: float, blend: int) -> Floats:
        """Give poses with the body so low that standing legs reach, as far as that is allowed."""
        need = np.zeros(len(model))
        for joints, target in zip(self.joints, targets, strict=True):
            places = model[:, [*joints.bends, joints.ankle]][..., :3, 3]
            whole = np.linalg.norm(np.diff(places, axis=1), axis=2)
            before = np.linalg.norm(places[:, -1] - places[:, 0], axis=1)
            reach = np.maximum(STRETCH * whole.sum(axis=1), before)
            way = target - places[:, 0]
            height = way @ self.axis
            beside = np.sum(way * way, axis=1) - height**2
            drop = -height - np.sqrt(np.maximum(reach**2 - beside, 0.0))
            need = np.maximum(need, drop)
        need = np.minimum(need, lower * self.path.size)
        if need.max() <= STILL * self.path.size:
            return self.poses.copy()
        drop = _smooth(need, blend, loops=self.path.period is not None)
        poses, down = self.poses.copy(), -drop[:, None] * self.axis
        for body in self.bodies:
            poses[:, body, :3] += in_parent(model, int(self.skeleton.parents[body]), down)
        return poses

    def written(self, clip: Clip, poses: Floats) -> Clip:
        """Give the clip with keys of what is not as it was."""
        from lissom.clip import LINEAR, ROTATION, TRANSLATION
        from lissom.clip._tracks import COLUMNS, Track, unpacked

        loops = self.path.period is not None
        times = np.append(self.path.times, clip.end) if loops else self.path.times.copy()
        times[-1] = clip.end
        keys = times.astype(clip.keys.dtype)
        tracks = {(track.joint, track.path): track for track in unpacked(clip.keys, clip.tracks)}
        for path in (TRANSLATION, ROTATION):
            changed = (poses[..., COLUMNS[path]] != self.poses[..., COLUMNS[path]]).any(axis=(0, 2))
            for joint in np.flatnonzero(changed).tolist():
                values = poses[:, joint, COLUMNS[path]]
                values = np.concatenate([values, values[:1]]) if loops else values
                values = quat.align(values) if path == ROTATION else values
                tracks[joint, path] = Track(joint, path, LINEAR, keys, values.astype(keys.dtype))
        return clip._edited([tracks[key] for key in sorted(tracks)])


def _intervals(clip: Clip, contacts: Contacts, rate: float, loops: bool) -> int:
    """Give how many intervals make the rate, so that those of the contacts are whole numbers of them.

    Then stances begin and end at keys. Contacts at other times than regular ones of this clip are met nearly.
    """
    wanted = max(clip.duration * rate - 1e-6, 1.0)
    own = len(contacts.times) if loops else len(contacts.times) - 1
    if own < 1 or not np.allclose(
        contacts.times[:own],
        clip.start + clip.duration * np.arange(own) / own,
        rtol=0,
        atol=1e-3 * clip.duration / own,
    ):
        return int(np.ceil(wanted))
    return own * int(np.ceil(wanted / own - 1e-6))


def _without_last(moves: Moves) -> Moves:
    return replace(moves, turns=moves.turns[:-1], ways=moves.ways[:-1])


def _smooth(need: Floats, blend: int, *, loops: bool) -> Floats:
    """Give a smooth curve that is nowhere below `need`: its greatest nearby, weighed by a window as wide."""
    padded = np.pad(need, 2 * blend, mode="wrap" if loops else "edge")
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * blend + 1)
    highest = windows.max(axis=-1)
    weights = np.hanning(2 * blend + 3)[1:-1]
    return np.asarray(np.convolve(highest, weights / weights.sum(), mode="valid"))
