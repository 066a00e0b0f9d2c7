# SPDX-License-Identifier: MIT
"""A clip carried over: its poses at regular times, markers, loop and root motion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._base.numbers import check_number
from lissom._retarget import limbs as limb_table
from lissom._retarget.feet import both_stand
from lissom._retarget.posed import Floats
from lissom._retarget.stances import between_stances, held_offsets, spans
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip import Clip
from lissom.clip._frames import checked_interval_count
from lissom.clip._root_motion import RootMotion
from lissom.ik._feet.contacts import Contacts, find_contacts

if TYPE_CHECKING:
    from lissom._retarget.retarget import Retarget
    from lissom._retarget.setup import Setup

__all__ = ["CarriedClip", "carry_clip"]

RATE = 60.0  # keys a second of the result, where those of the clip are irregular or fewer than LEAST
LEAST, MOST = 24.0, 240.0
PASSES = 3
STEP = 0.1  # of a leg: stances higher or lower than others by more are those on steps


class CarriedClip(NamedTuple):
    """A clip that was carried over, with what its report is made of."""

    source_clip: Clip
    clip: Clip
    times: Floats
    source_poses: NDArray[Any]
    poses: NDArray[Any]
    beyond: NDArray[Any] | None
    contacts: Contacts | None


def carry_clip(retarget: Retarget, clip: Clip, rate: float | None) -> CarriedClip:
    """Carry a clip over; refuse one that is additive or of another skeleton."""
    what = "Retarget.clip"
    if not isinstance(clip, Clip):
        raise TypeError(
            f"{what}: clip must be a Clip, got {type(clip).__name__}; Retarget.poses takes arrays"
        )
    setup = retarget._setup
    check_same_skeleton(setup.source.skeleton, clip.skeleton, f"{what}: {clip.name!r}")
    if clip.additive:
        raise ValueError(f"{what}: clip must not be additive, got {clip.name!r}; add it to a pose first")
    count = checked_interval_count(what, clip, _rate(what, clip, rate)) if clip.duration > 0 else 0
    times = np.linspace(clip.start, clip.end, count + 1)
    source_poses = clip.sample(times, loop=False)
    contacts = offsets = None
    is_flat = False
    if setup.leg_names:
        if clip.duration > 0 and len(times) > 2:
            contacts = _contacts(setup, clip, float(count / clip.duration))
            source_poses, is_flat = _on_ground(setup, clip, times, source_poses, contacts)
        headings = retarget._carried(source_poses, None)[2]
        assert headings is not None
        offsets = _offsets(setup, clip, times, headings, contacts).astype(source_poses.dtype)
    poses, beyond, _ = retarget._carried(source_poses, offsets)
    motion = None if clip.root_motion is None else _root_motion(setup, clip.root_motion, times)
    result = _made(setup, clip, times, poses, motion)
    for _ in range(PASSES):
        if contacts is None or offsets is None:
            break
        more = _corrections(setup, clip, result, times, source_poses, poses, contacts, is_flat)
        offsets = (offsets + more).astype(source_poses.dtype)
        poses, beyond, _ = retarget._carried(source_poses, offsets)
        result = _made(setup, clip, times, poses, motion)
    return CarriedClip(clip, result, times, source_poses, poses, beyond, contacts)


def _on_ground(
    setup: Setup, clip: Clip, times: Floats, poses: NDArray[Any], contacts: Contacts
) -> tuple[NDArray[Any], bool]:
    """Return poses of the source lifted so that its stances are on its ground, and whether they are level.

    The height of the ground is a guess, above all where no mesh shows how thick soles are. Stances that are a
    step above or below each other are left where they are.
    """
    feet = setup.feet[0]
    lowest = feet.steps(poses, clip, times, contacts.ground_velocity).lowest
    levels = [
        float(np.median(lowest[np.arange(first, last + 1) % len(contacts.times), column]))
        for column, name in enumerate(setup.leg_names)
        for first, last in spans(
            contacts.curves[:, contacts.names.index(name)] >= 1, contacts.period is not None
        )
    ]
    step = STEP * float(feet.lengths.mean())
    if not levels or max(levels) - min(levels) > step:
        return poses, False
    level = float(np.median(levels))
    if abs(level) > step:
        return poses, False
    lifted = poses.copy()
    roots = np.flatnonzero(setup.source.skeleton.parents < 0)
    lifted[:, roots, :3] -= (level * setup.source.frame[:, 1]).astype(poses.dtype)
    return lifted, True


def _made(setup: Setup, clip: Clip, times: Floats, poses: NDArray[Any], motion: RootMotion | None) -> Clip:
    result = Clip.from_poses(setup.target.skeleton, times, poses, name=clip.name, loop=clip.loop)
    return result._edited(markers=clip.markers, root_motion=motion)


def _corrections(
    setup: Setup,
    clip: Clip,
    result: Clip,
    times: Floats,
    source_poses: NDArray[Any],
    poses: NDArray[Any],
    contacts: Contacts,
    is_flat: bool,
) -> Floats:
    """Return what is added to offsets (F, E, 3) so that the soles themselves move as the source's do.

    The goals know three points of a sole. What the soles then slide in a stance beyond the source's scaled
    slide is taken back, its mean left out, and fades until the next stance; what is in the ground is lifted,
    where that is not flat out of what the source's sole is not in.
    """
    ground = contacts.ground_velocity
    own = setup.feet[0].steps(source_poses, clip, times, ground)
    their = setup.feet[1].steps(poses, result, times, setup.ratio * setup.align @ ground)
    excess = their.moves - setup.ratio * own.moves @ setup.align.T
    stands = both_stand(contacts, setup.leg_names, len(times))
    up = setup.target.frame[:, 1]
    allowed = 0.0 if is_flat else np.minimum(setup.ratio * own.lowest, 0)
    depth = np.minimum(their.lowest - allowed, 0)
    added = np.zeros((len(times), len(setup.limbs), 3))
    frames = len(contacts.times)
    loops = contacts.period is not None
    for column, name in enumerate(setup.leg_names):
        limb = setup.limbs.index(name)
        slid = np.concatenate(
            [np.zeros((1, 3)), np.cumsum(excess[:, column] * stands[:, column, None], axis=0)]
        )
        correction, known = np.zeros((frames, 3)), np.zeros(frames, bool)
        for first, last in spans(contacts.curves[:, contacts.names.index(name)] >= 1, loops):
            rows = np.arange(first, last + 1)
            laps = rows // frames
            path = slid[rows % frames] + laps[:, None] * slid[-1]
            correction[rows % frames] = path.mean(axis=0) - path
            known[rows % frames] = True
        added[:, limb] = between_stances(correction, known, loops, len(times))
    if result.root_motion is not None:
        back = quat.conjugate(result.root_motion.at(times, loop=False)[:, 3:7])
        added = np.asarray(quat.rotate(back[:, None], added))
    for column, name in enumerate(setup.leg_names):
        added[:, setup.limbs.index(name)] -= depth[:, column, None] * up
    return added


def _rate(what: str, clip: Clip, rate: float | None) -> float:
    if rate is not None:
        return check_number(rate, f"{what}: rate", above_zero=True)
    own = clip.key_rate
    return min(own, MOST) if own is not None and own >= LEAST else RATE


def _contacts(setup: Setup, clip: Clip, rate: float) -> Contacts:
    """Find when the feet of the source stand."""
    source = setup.source
    legs = [limb_table.leg_of(source.roles, limb) for limb in source.legs if limb.name in setup.limbs]
    return find_contacts(
        clip, legs, character=source.owner, rate=rate, stance=source.pose, up=source.frame[:, 1]
    )


def _offsets(
    setup: Setup, clip: Clip, times: Floats, headings: NDArray[Any], contacts: Contacts | None
) -> Floats:
    """Return sideways offsets in the target's model space."""
    motion, rotation = clip.root_motion, setup.rotation
    if motion is None:
        return held_offsets(setup.sideways, headings, contacts, setup.limbs, len(times))
    turn = quat.multiply(
        quat.multiply(rotation, motion.at(times, loop=False)[:, 3:7]), quat.conjugate(rotation)
    )
    world = np.asarray(quat.multiply(turn, headings))
    offsets = held_offsets(setup.sideways, world, contacts, setup.limbs, len(times))
    return np.asarray(quat.rotate(quat.conjugate(turn)[:, None], offsets))


def _root_motion(setup: Setup, motion: RootMotion, times: Floats) -> RootMotion:
    """Return root motion in the axes and lengths of the target.

    With X(p) = r A p + c from source to target, a transform T becomes X T X^-1.
    """
    rotation, ratio, shift = setup.rotation, setup.ratio, setup.shift
    moves = motion.at(times, loop=False)
    moved = np.zeros((len(times), 1, 10))
    moved[:, 0] = moves
    moved[:, 0, 3:7] = quat.multiply(quat.multiply(rotation, moves[:, 3:7]), quat.conjugate(rotation))
    moved[:, 0, :3] = (
        ratio * quat.rotate(rotation, moves[:, :3]) + shift - quat.rotate(moved[:, 0, 3:7], shift)
    )
    track = Clip.from_poses(motion.track.skeleton, times, moved, name=motion.track.name, loop=motion.loop)
    return RootMotion(track, (), motion.error * ratio)
