# SPDX-License-Identifier: MIT
"""A walk over uneven ground: a clip repeated along +z, with its feet placed on the ground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lissom import trs

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom.clip import Clip
    from lissom.clip._root_motion import RootMotion
    from lissom.ground import Ground, HeightField, TriangleMesh
    from lissom.ik import Leg

__all__ = ["Walk", "ground_for", "legs_of", "ramp_over", "walk_over", "with_foot_placement"]

Floats = NDArray[np.float64]

ADULT_LEG = 0.8376  # metres from hip to ankle of the adult humanoid, for whom the grounds are made
STILL = 0.05  # sizes per second: below this speed a character stands
STRAIGHT = 0.1  # radians per cycle: a clip whose root rotates more is moved straight at its mean speed
STOP = 0.45  # leg lengths from the end of the ground
RAMP_ROWS = 512  # heights of a ramp along its way
LONGEST = 600.0  # seconds: all poses are in memory at once
SMOOTHING = 0.5  # of a step: standard deviation of the Gaussian that smooths the ground's heights


@dataclass(frozen=True)
class Walk:
    """A character that walks along +z.

    Attributes
    ----------
    times : ndarray, shape (F,)
        Seconds from 0.
    poses : ndarray, shape (F, J, 10)
        Local trs of the clip in place.
    world_from_model : ndarray, shape (F, 10)
        Rigid trs of the character on flat ground at y = 0.
    contacts : ndarray, shape (F, L)
        Contact of each foot with the ground, 0 to 1.
    path_world : ndarray, shape (F, 3)
        Points below the character on the smoothed ground, at constant speed.
    roots : ndarray, shape (R,)
        Root joints.
    smoothing : float
        Standard deviation of the Gaussian that smooths the ground's heights, model units.
    """

    times: Floats
    poses: Floats
    world_from_model: Floats
    contacts: Floats
    path_world: Floats
    roots: NDArray[np.intp]
    smoothing: float

    def in_world(self, poses: Floats) -> Floats:
        """Return poses (F, J, 10) of the character in place moved to world space."""
        return self._moved(poses, self.world_from_model)

    def without_placement(self) -> Floats:
        """Return the clip's poses (F, J, 10) in world space, at the height of the smoothed ground."""
        world_from_model = self.world_from_model.copy()
        world_from_model[:, 1] += self.path_world[:, 1]
        return self._moved(self.poses, world_from_model)

    def _moved(self, poses: Floats, world_from_model: Floats) -> Floats:
        result = poses.copy()
        result[:, self.roots] = trs.compose(world_from_model[:, None], poses[:, self.roots])
        return result


def legs_of(character: Character, given: Sequence[str]) -> tuple[Leg, ...]:
    """Return the legs written as ``"hip,knee,ankle"`` or ``"hip,knee,ankle,toe"``; without any, find them.

    Raises
    ------
    ValueError
        If a leg is written otherwise, or none is found.
    """
    from lissom.ik import Leg

    if not given:
        return Leg.find(character)
    legs = []
    for text in given:
        names = [name.strip() for name in text.split(",")]
        if len(names) not in (3, 4) or not all(names):
            raise ValueError(f"--leg must be HIP,KNEE,ANKLE or HIP,KNEE,ANKLE,TOE, got {text!r}")
        legs.append(Leg(*names))
    return tuple(legs)


def ground_for(name: str, character: Character, legs: Sequence[Leg]) -> TriangleMesh:
    """Return a sample ground, scaled to the character's legs as it is to the adult humanoid's."""
    from lissom import samples

    make = getattr(samples, "uneven_ground" if name == "uneven" else name)
    ground: TriangleMesh = make(scale=_leg_length(character, legs) / ADULT_LEG)
    return ground


def walk_over(
    character: Character,
    clip: Clip,
    ground: TriangleMesh,
    legs: Sequence[Leg],
    *,
    rate: float,
    speed: float | None = None,
    seconds: float | None = None,
) -> Walk:
    """Repeat a clip over a ground, from the origin to shortly before its end.

    Parameters
    ----------
    character : Character
    clip : Clip
        A walk cycle: in place, with root motion, or with its travel in the tracks.
    ground : TriangleMesh
        Extends along +z.
    legs : sequence of Leg
        Their contacts give the speed of a clip that is in place.
    rate : float
        Poses per second.
    speed : float, optional
        Model units per second; the clip's own when omitted.
    seconds : float, optional
        Stop after this time.

    Raises
    ------
    ValueError
        If the clip's duration is 0, it has no speed that can be measured, or the walk would take more than
        ten minutes.
    """
    from lissom.ik import find_contacts

    if not clip.duration > 0:
        raise ValueError(f"{clip.name!r} must last longer than 0 s to walk, got a single pose")
    cycle, motion, velocity_model = _in_place(character, clip, legs)
    own_speed = float(np.linalg.norm(velocity_model)) if velocity_model is not None else None
    pace = own_speed if speed is None else speed
    if pace is None:
        raise ValueError(
            f"{clip.name!r} must tell its walking speed by root motion or by a foot that moves back while it "
            "stands, got neither; set --speed"
        )
    positions, _ = ground.triangles()
    length = float(positions[:, 2].max()) - STOP * _leg_length(character, legs)
    duration = length / pace if seconds is None else min(seconds, length / pace)
    if duration > LONGEST:
        raise ValueError(
            f"the walk must take at most {LONGEST:.0f} seconds, got {duration:.0f}; set a higher --speed, or "
            "--seconds to stop earlier"
        )
    times = np.arange(int(duration * rate) + 1) / rate

    # Rotate the clip's direction of travel to +z.
    heading = np.arctan2(velocity_model[0], velocity_model[2]) if velocity_model is not None else 0.0
    rotation = trs.from_parts(rotation=[0.0, -np.sin(heading / 2), 0.0, np.cos(heading / 2)])
    if motion is not None and abs(motion.turn) < STRAIGHT and speed is None:
        world_from_model = motion.at(cycle.start + times, loop=True)
        world_from_model[:, 1] = 0.0
        world_from_model = trs.compose(rotation, world_from_model)
    else:
        world_from_model = np.tile(rotation, (len(times), 1))
        world_from_model[:, 2] = pace * times
    path_world = np.zeros((len(times), 3))
    path_world[:, 2] = pace * times
    smoothing = SMOOTHING * pace * cycle.duration / 2
    path_world[:, 1] = _smooth_heights(ground, path_world[:, 2], smoothing)
    return Walk(
        times,
        cycle.sample(cycle.start + times, loop=True).astype(np.float64),
        world_from_model,
        find_contacts(cycle, legs, character=character).sample(cycle.start + times % cycle.duration),
        path_world,
        np.flatnonzero(np.asarray(character.skeleton.parents) < 0),
        smoothing,
    )


def ramp_over(ground: TriangleMesh, walk: Walk) -> HeightField:
    """Return the smooth ground of a walk's path, as games have it for collision where a stair is drawn."""
    from lissom.ground import HeightField

    positions, _ = ground.triangles()
    low, high = positions.min(axis=0), positions.max(axis=0)
    z = np.linspace(float(low[2]), float(high[2]), RAMP_ROWS)
    heights = _smooth_heights(ground, z, walk.smoothing)
    spacing = float(high[0] - low[0]), float(z[1] - z[0])
    return HeightField(np.stack([heights, heights], axis=1), spacing, (float(low[0]), 0.0, float(low[2])))


def with_foot_placement(
    character: Character, legs: Sequence[Leg], ground: Ground, walk: Walk, body_ground: Ground | None = None
) -> Floats:
    """Return the poses (F, J, 10) of a walk in world space, with the feet on the ground.

    The body follows `body_ground`, the same ground if omitted.
    """
    from lissom.ik import FootPlacement

    placement = FootPlacement(character, legs, ground, body_ground=body_ground)
    result = placement.apply((walk.times, walk.poses), walk.contacts, walk.world_from_model)
    return walk.in_world(np.asarray(result.poses))


def _in_place(
    character: Character, clip: Clip, legs: Sequence[Leg]
) -> tuple[Clip, RootMotion | None, Floats | None]:
    """Return the clip in place, its root motion or None, and its mean velocity in model space or None."""
    least_speed = STILL * character.size
    if clip.root_motion is None and not clip.additive:
        try:
            extracted = clip.extract_root_motion(steady=True)
        except ValueError:  # such as below joints with uneven scale: use the contacts instead
            extracted = clip
        if extracted.root_motion is not None and extracted.root_motion.speed > least_speed:
            clip = extracted
    motion = clip.root_motion
    if motion is not None and motion.speed > least_speed:
        direction = motion.cycle[:3] * [1, 0, 1]
        return clip, motion, direction / (float(np.linalg.norm(direction)) or 1.0) * motion.speed
    from lissom.ik import find_contacts

    velocity = -np.asarray(find_contacts(clip, legs, character=character).ground_velocity)
    return clip, None, velocity if np.linalg.norm(velocity) > least_speed else None


def _leg_length(character: Character, legs: Sequence[Leg]) -> float:
    """Return the length of the longest leg from hip to ankle, summed over its bones, in model units."""
    skeleton = character.skeleton
    positions = skeleton.positions(skeleton.rest.astype(np.float64))
    lengths = []
    for leg in legs:
        end = leg.foot if leg.ankle is None else leg.ankle
        line = positions[[skeleton.index(joint) for joint in (leg.hip, *leg.knees, end) if joint is not None]]
        lengths.append(float(np.linalg.norm(np.diff(line, axis=0), axis=1).sum()))
    return max(lengths)


def _smooth_heights(ground: TriangleMesh, z_world: Floats, deviation: float) -> Floats:
    """Return the height of the ground at x = 0 and each z, smoothed by a Gaussian along z."""
    positions, _ = ground.triangles()
    low, high = positions.min(axis=0), positions.max(axis=0)
    z = np.linspace(float(low[2]), float(high[2]), 1024)[1:-1]
    origins = np.stack([np.zeros_like(z), np.full_like(z, float(high[1]) + 1.0), z], axis=1)
    distances, _ = ground(origins, np.broadcast_to([0.0, -1.0, 0.0], origins.shape))
    hit = np.isfinite(distances)
    heights, z = origins[hit, 1] - distances[hit], z[hit]
    weights = np.exp(-0.5 * ((z_world[:, None] - z) / deviation) ** 2)
    return np.asarray(weights @ heights / weights.sum(axis=1))
