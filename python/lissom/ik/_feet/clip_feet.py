# SPDX-License-Identifier: MIT
"""The feet of a clip at regular frames: when they stand, how they slide, and corrections of that.

A correction of a foot, (F, 4), is a displacement of its ankle in model space and an angle about up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._base.numbers import check_number
from lissom._base.vectors import perpendicular_axes
from lissom.clip._frames import checked_interval_count
from lissom.ik._axes import Floats, unit_axis
from lissom.ik._feet.contacts import Contacts, check_legs_of, find_contacts
from lissom.ik._feet.foot_rig import body_joints
from lissom.ik._feet.given_motion import require_poses_of
from lissom.ik._feet.leg_joints import LegJoints
from lissom.ik._feet.legs import Leg, checked_legs
from lissom.ik._feet.rig import Rig, rig_of
from lissom.ik._feet.sliding import (
    HELD,
    SPREAD,
    GroundPath,
    closed_loop,
    frames_between,
    holding_motions,
    slide_distances,
    stances_of,
)
from lissom.ik._feet.sole_points import SolePoints
from lissom.ik._feet.soles import measured_soles

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

STANDS = 1 - 1e-6  # a contact curve from which a foot stands


@dataclass(frozen=True, eq=False)
class ClipFeet:
    """A clip at regular frames, with the soles and stances of its feet."""

    rig: Rig
    joints: list[LegJoints]
    soles: SolePoints
    poses: Floats  # (F, J, 10) without the end of a loop
    stands: NDArray[np.bool_]  # (F, L)
    path: GroundPath
    up: Floats
    rate: float
    bodies: tuple[int, ...]  # the joints that are lowered to lower the body

    @property
    def skeleton(self) -> Skeleton:
        return self.rig.skeleton

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
    ) -> ClipFeet:
        """Sample a clip; `function` is the name that messages begin with."""
        from lissom.clip import Clip as ClipType

        if not isinstance(clip, ClipType):
            raise TypeError(f"{function}: clip must be a Clip, got {type(clip).__name__}")
        rig = rig_of(function, clip.skeleton if character is None else character)
        require_poses_of(function, rig.skeleton, clip)
        rig, leg_tuple, joints = checked_legs(function, rig, legs)
        axis = np.array(unit_axis(f"{function}: up", up))
        per_second = check_number(rate, f"{function}: rate", above_zero=True)
        checked_interval_count(function, clip, per_second)
        if contacts is None:
            contacts = find_contacts(clip, leg_tuple, character=character, rate=per_second, up=axis)
        elif not isinstance(contacts, Contacts):
            raise TypeError(f"{function}: contacts must be Contacts, got {type(contacts).__name__}")
        check_legs_of(function, contacts, leg_tuple)
        loops = clip.loop is True and clip.duration > 0
        intervals = _intervals(clip, contacts, per_second, loops)
        count = intervals if loops else intervals + 1 if clip.duration > 0 else 1
        seconds = clip.start + clip.duration * np.arange(2 * intervals + 1) / intervals
        world_from_model = np.tile([0.0, 0, 0, 0, 0, 0, 1, 1, 1, 1], (len(seconds), 1))
        if clip.root_motion is not None:
            world_from_model = clip.root_motion.at(seconds, loop=loops)
        else:
            world_from_model[:, :3] = -np.outer(seconds - clip.start, contacts.ground_velocity)
        times = seconds[:count]
        path = GroundPath(
            times,
            clip.duration if loops else None,
            world_from_model,
            perpendicular_axes(axis),
            rig.size,
        )
        return cls(
            rig,
            joints,
            SolePoints.of(measured_soles(function, rig, joints, None, axis)),
            rig.with_added(clip.sample(times, loop=False).astype(np.float64)),
            contacts.sample(times) >= STANDS,
            path,
            axis,
            intervals / clip.duration if clip.duration > 0 else per_second,
            body_joints(function, rig, joints, None),
        )

    def slides(self, poses: Floats) -> Floats:
        """Return how far each foot slides in its worst stance, (L,)."""
        points_model = self.soles.at(self.skeleton.model_matrices(poses))
        return slide_distances(self.path, self.soles, points_model, points_model @ self.up, self.stands)

    def corrections(self, poses: Floats) -> list[Floats]:
        """Return the correction of each leg that stops its sliding; 0 between stances."""
        model_from_joint = self.skeleton.model_matrices(poses)
        points_model = self.soles.at(model_from_joint)
        weights = self.soles.support(points_model @ self.up, self.path.size, HELD)
        count, result = len(poses), []
        for leg, joints in enumerate(self.joints):
            own, correction = self.soles.legs == leg, np.zeros((count, 4))
            ankles_model = model_from_joint[:, joints.ankle, :3, 3]
            for first, last in stances_of(self.stands[:, leg], self.path):
                frames = np.arange(first, last + 1)
                motions = holding_motions(
                    self.path.on_ground(frames, points_model[:, own]),
                    weights[frames % count][:, own],
                    SPREAD * self.path.size,
                )
                if last - first == count:  # it stands all around the loop
                    motions, frames = closed_loop(motions), frames[:-1]
                displacements_plane = motions.displacements(self.path.on_ground(frames, ankles_model))
                rows = frames % count
                correction[rows, :3] = self.path.to_model(frames, self.path.from_plane(displacements_plane))
                correction[rows, 3] = np.angle(motions.rotations)
            result.append(correction)
        return result

    def between_stances(self, leg: int, correction: Floats, blend: int) -> Floats:
        """Return a correction that passes from one stance to the next without a jump in place or speed.

        `blend` is the number of frames in which it fades beside a stance.
        """
        spans, count = stances_of(self.stands[:, leg], self.path), len(correction)
        result = correction.copy()
        result[~self.stands[:, leg]] = 0
        if not spans or spans == ((0, count),):
            return result
        loops = self.path.period is not None
        none = np.zeros(4)
        for index, (first, last) in enumerate(spans):
            following = spans[(index + 1) % len(spans)]
            next_first = following[0]
            if index + 1 == len(spans):
                next_first = next_first + count if loops else count + 2 * blend
            gap = next_first - last
            end_world, end_step = self._at_edge(correction, last, -1, last - first)
            if gap > 2 * blend:
                self._write(result, last, frames_between(blend, end_world, none, end_step, none))
            elif gap > 1:
                begin_world, begin_step = self._at_edge(
                    correction, next_first, 1, following[1] - following[0]
                )
                self._write(result, last, frames_between(gap, end_world, begin_world, end_step, begin_step))
        for index, (first, last) in enumerate(spans):
            previous_last = spans[index - 1][1] - (count if index == 0 else 0)
            if index == 0 and not loops:
                previous_last = -2 * blend - 1
            if first - previous_last <= 2 * blend:
                continue
            lap_first = first + count if loops else first
            begin_world, begin_step = self._at_edge(correction, lap_first, 1, last - first)
            self._write(result, lap_first - blend, frames_between(blend, none, begin_world, none, begin_step))
        return result

    def _at_edge(self, correction: Floats, frame: int, side: int, length: int) -> tuple[Floats, Floats]:
        """Return the correction at the edge of a stance, and its step per frame inside, in world space."""
        frames = np.array([frame, frame + side if length else frame])
        rows_world = correction[frames % len(correction)].copy()
        rows_world[:, :3] = self.path.to_world(frames, rows_world[:, :3])
        return rows_world[0], side * (rows_world[1] - rows_world[0])

    def _write(self, result: Floats, frame: int, rows: Floats) -> None:
        """Write corrections in world space to the frames after `frame`."""
        frames = frame + 1 + np.arange(len(rows))
        if self.path.period is None:
            inside = (frames >= 0) & (frames < len(result))
            frames, rows = frames[inside], rows[inside]
        rows = rows.copy()
        rows[:, :3] = self.path.to_model(frames, rows[:, :3])
        result[frames % len(result)] = rows

    def written(self, clip: Clip, poses: Floats) -> Clip:
        """Return the clip with new keys where poses differ from it."""
        from lissom.clip import LINEAR, ROTATION, TRANSLATION
        from lissom.clip._tracks import COLUMNS, Track, all_tracks

        own, before = self.rig.without_added(poses), self.rig.without_added(self.poses)
        loops = self.path.period is not None
        times = np.append(self.path.times, clip.end) if loops else self.path.times.copy()
        times[-1] = clip.end
        keys = times.astype(clip.keys.dtype)
        tracks = {(track.joint, track.path): track for track in all_tracks(clip)}
        for path in (TRANSLATION, ROTATION):
            changed = (own[..., COLUMNS[path]] != before[..., COLUMNS[path]]).any(axis=(0, 2))
            for joint in np.flatnonzero(changed).tolist():
                values = own[:, joint, COLUMNS[path]]
                values = np.concatenate([values, values[:1]]) if loops else values
                values = quat.align(values) if path == ROTATION else values
                tracks[joint, path] = Track(joint, path, LINEAR, keys, values.astype(keys.dtype))
        return clip._edited([tracks[key] for key in sorted(tracks)])


def _intervals(clip: Clip, contacts: Contacts, rate: float, loops: bool) -> int:
    """Return the number of intervals for a rate, a multiple of those of the contacts.

    Then stances begin and end at keys. Contacts at irregular times of the clip are met approximately.
    """
    least = max(clip.duration * rate - 1e-6, 1.0)
    own = len(contacts.times) if loops else len(contacts.times) - 1
    if own < 1 or not np.allclose(
        contacts.times[:own],
        clip.start + clip.duration * np.arange(own) / own,
        rtol=0,
        atol=1e-3 * clip.duration / own,
    ):
        return int(np.ceil(least))
    return own * int(np.ceil(least / own - 1e-6))
