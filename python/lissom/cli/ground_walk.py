# SPDX-License-Identifier: MIT
"""A walk over uneven ground: a clip repeated along the way, and feet that are put on the ground."""

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
    from lissom.ground import Ground, TriangleMesh
    from lissom.ik import Leg

__all__ = ["GROUNDS", "Walk", "ground_for", "legs_of", "placed", "walk_over"]

Floats = NDArray[np.float64]

GROUNDS = {"uneven": "uneven_ground", "stair": "stair", "slope": "slope", "rubble": "rubble"}
LEG = 0.8376  # metres from hip to ankle of the adult humanoid, whom the grounds are made for
STILL = 0.05  # sizes per second: who is slower stands
STRAIGHT = 0.1  # radians of turn in a cycle: a walk that turns more is led straight on
STOP = 0.45  # leg lengths before the ground ends
LONGEST = 600.0  # seconds: poses of all of them are held at once
SMOOTH = 0.5  # of a step: how far around it the height of the way is averaged (standard deviation)


@dataclass(frozen=True)
class Walk:
    """A character on its way along +z.

    Attributes
    ----------
    times : ndarray, shape (F,)
        Seconds from 0.
    poses : ndarray, shape (F, J, 10)
        Local trs of the clip in place.
    moves : ndarray, shape (F, 10)
        Where the character stands, rigid trs, as if the ground were level at y = 0.
    contacts : ndarray, shape (F, L)
        How much each foot stands, 0 to 1.
    places : ndarray, shape (F, 3)
        World points that pass evenly below the character, on the ground made smooth.
    roots : ndarray, shape (R,)
        The joints without a parent.
    """

    times: Floats
    poses: Floats
    moves: Floats
    contacts: Floats
    places: Floats
    roots: NDArray[np.intp]

    def carried(self, poses: Floats) -> Floats:
        """Return poses (F, J, 10), of the character in place, carried along the way."""
        return self._moved(poses, self.moves)

    def raised(self) -> Floats:
        """Return the clip's poses (F, J, 10) carried along, up and down with the ground, feet as they are."""
        moves = self.moves.copy()
        moves[:, 1] += self.places[:, 1]
        return self._moved(self.poses, moves)

    def _moved(self, poses: Floats, moves: Floats) -> Floats:
        result = poses.copy()
        result[:, self.roots] = trs.compose(moves[:, None], poses[:, self.roots])
        return result


def legs_of(character: Character, given: Sequence[str]) -> tuple[Leg, ...]:
    """Return the legs named as ``"hip,knee,ankle"`` or ``"hip,knee,ankle,toe"``, or those that are found.

    Raises
    ------
    ValueError
        If one is named otherwise, or none is found.
    """
    from lissom.ik import Leg

    if not given:
        return Leg.find(character)
    legs = []
    for text in given:
        names = [name.strip() for name in text.split(",")]
        if len(names) not in (3, 4) or not all(names):
            raise ValueError(f"--leg: expected HIP,KNEE,ANKLE or HIP,KNEE,ANKLE,TOE, got {text!r}")
        legs.append(Leg(*names))
    return tuple(legs)


def ground_for(name: str, character: Character, legs: Sequence[Leg]) -> TriangleMesh:
    """Return a sample ground as large beside the character as it is beside the adult humanoid."""
    from lissom import samples

    make = getattr(samples, GROUNDS[name])
    ground: TriangleMesh = make(scale=_leg_length(character, legs) / LEG)
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
    """Repeat a clip along a ground, from the origin to shortly before its end.

    Parameters
    ----------
    character : Character
    clip : Clip
        A cycle, in place, with its root motion, or with its travel still in it.
    ground : TriangleMesh
        Lies along +z.
    legs : sequence of Leg
        For a clip that does not say how it travels: they tell, where they stand.
    rate : float
        Poses per second.
    speed : float, optional
        Model units per second; the clip's own when omitted.
    seconds : float, optional
        To stop earlier.

    Raises
    ------
    ValueError
        If the clip takes no time, how fast it walks is not to be found out, or it would walk for more than
        ten minutes.
    """
    from lissom.ik import find_contacts

    if not clip.duration > 0:
        raise ValueError(f"{clip.name!r} holds a single pose and does not walk")
    cycle, motion, own = _pace(character, clip, legs)
    if speed is None and own is None:
        raise ValueError(
            f"{clip.name!r} does not tell how fast it walks: it has no root motion, and no foot that stands "
            "and is carried back; give --speed"
        )
    pace = float(np.linalg.norm(own)) if own is not None else 0.0
    wanted = pace if speed is None else speed
    positions, _ = ground.triangles()
    length = float(positions[:, 2].max()) - STOP * _leg_length(character, legs)
    duration = length / wanted if seconds is None else min(seconds, length / wanted)
    if duration > LONGEST:
        raise ValueError(
            f"it would walk for {duration:.0f} seconds, and {LONGEST:.0f} is the most; give a higher "
            "--speed, or --seconds to stop earlier"
        )
    times = np.arange(int(duration * rate) + 1) / rate

    # The way goes along +z, wherever the clip goes.
    heading = np.arctan2(own[0], own[2]) if own is not None else 0.0
    turn = trs.from_parts(rotation=[0.0, -np.sin(heading / 2), 0.0, np.cos(heading / 2)])
    if motion is not None and abs(motion.turn) < STRAIGHT and speed is None:
        moves = motion.at(cycle.start + times, loop=True)
        moves[:, 1] = 0.0
        moves = trs.compose(turn, moves)
    else:
        moves = np.tile(turn, (len(times), 1))
        moves[:, 2] = wanted * times
    places = np.zeros((len(times), 3))
    places[:, 2] = wanted * times
    places[:, 1] = _smooth_heights(ground, places[:, 2], SMOOTH * wanted * cycle.duration / 2)
    return Walk(
        times,
        cycle.sample(cycle.start + times, loop=True).astype(np.float64),
        moves,
        find_contacts(cycle, legs, character=character).sample(cycle.start + times % cycle.duration),
        places,
        np.flatnonzero(np.asarray(character.skeleton.parents) < 0),
    )


def placed(character: Character, legs: Sequence[Leg], ground: Ground, walk: Walk) -> Floats:
    """Return the poses (F, J, 10) of a walk, carried along, with its feet on the ground."""
    from lissom.ik import FootPlacement

    feet = FootPlacement(character, legs, ground)
    done = feet.apply((walk.times, walk.poses), walk.contacts, walk.moves)
    return walk.carried(np.asarray(done.poses))


def _pace(
    character: Character, clip: Clip, legs: Sequence[Leg]
) -> tuple[Clip, RootMotion | None, Floats | None]:
    """Return the clip in place, its root motion, and its mean velocity in model space, where it has them."""
    slow = STILL * character.size
    if clip.root_motion is None and not clip.additive:
        try:
            taken = clip.extract_root_motion(steady=True)
        except ValueError:  # below joints that scale unevenly, say: the feet tell, too
            taken = clip
        if taken.root_motion is not None and taken.root_motion.speed > slow:
            clip = taken
    motion = clip.root_motion
    if motion is not None and motion.speed > slow:
        way = motion.cycle[:3] * [1, 0, 1]
        return clip, motion, way / (float(np.linalg.norm(way)) or 1.0) * motion.speed
    from lissom.ik import find_contacts

    velocity = -np.asarray(find_contacts(clip, legs, character=character).ground_velocity)
    return clip, None, velocity if np.linalg.norm(velocity) > slow else None


def _leg_length(character: Character, legs: Sequence[Leg]) -> float:
    """Return the length of the longest leg, hip to ankle along its joints, model units."""
    from lissom.ik import Chain

    return max(Chain(character.skeleton, leg.hip, leg.ankle).length for leg in legs)


def _smooth_heights(ground: TriangleMesh, along: Floats, deviation: float) -> Floats:
    """Return the height of the ground at places along z, averaged with a Gaussian around each."""
    positions, _ = ground.triangles()
    low, high = positions.min(axis=0), positions.max(axis=0)
    z = np.linspace(float(low[2]), float(high[2]), 1024)[1:-1]
    origins = np.stack([np.zeros_like(z), np.full_like(z, float(high[1]) + 1.0), z], axis=1)
    distances, _ = ground(origins, np.broadcast_to([0.0, -1.0, 0.0], origins.shape))
    hit = np.isfinite(distances)
    heights, z = origins[hit, 1] - distances[hit], z[hit]
    weights = np.exp(-0.5 * ((along[:, None] - z) / deviation) ** 2)
    return np.asarray(weights @ heights / weights.sum(axis=1))
