# SPDX-License-Identifier: MIT
"""A clip carried over: its poses at regular times, markers, loop and root motion."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._base.numbers import check_number
from lissom._retarget.posed import Floats
from lissom._retarget.stances import both_stand, held_offsets, held_still, spans
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip import WEIGHT, Clip
from lissom.clip._bind_morphs import partners_of_morphs
from lissom.clip._cuts import stored_tracks
from lissom.clip._frames import checked_interval_count
from lissom.clip._root_motion import RootMotion
from lissom.clip._tracks import all_tracks
from lissom.ik._feet.contacts import Contacts, find_contacts

if TYPE_CHECKING:
    from lissom._retarget.retarget import Retarget
    from lissom._retarget.setup import Setup
    from lissom.clip._morphs import NamedMorphs

__all__ = ["CarriedClip", "carry_clip", "regular_times", "target_morphs"]

RATE = 60.0  # keys a second of the result, where those of the clip are irregular or fewer than LEAST
LEAST, MOST = 24.0, 240.0
PASSES = 3
STEP = 0.1  # of a leg: stances higher or lower than others by more are those on steps


class CarriedClip(NamedTuple):
    """A clip that was carried over, with what its report is made of; poses have the joints of the rigs."""

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
    check_same_skeleton(setup.source.given_skeleton, clip.skeleton, f"{what}: {clip.name!r}")
    if clip.additive:
        raise ValueError(f"{what}: clip must not be additive, got {clip.name!r}; add it to a pose first")
    times = regular_times(what, clip, rate)
    poses = setup.source.rig.with_added(clip.sample(times, loop=False))
    motion = None if clip.root_motion is None else _root_motion(setup, clip.root_motion, times)
    legs = [setup.source.leg(pair.source, of_rig=False) for pair in setup.limbs if pair.is_leg]
    if not legs or len(times) < 3:
        out, beyond, _ = retarget._carried(poses, None)
        return CarriedClip(clip, _made(setup, clip, times, out, motion), times, poses, out, beyond, None)
    contacts = find_contacts(
        clip,
        legs,
        character=setup.source.given,
        rate=float((len(times) - 1) / clip.duration),
        stance=setup.source.rig.without_added(setup.source.pose),
        up=setup.source.up,
    )
    poses, is_flat = _on_ground(setup, clip, times, poses, contacts)
    _, _, headings = retarget._carried(poses, None)
    assert headings is not None
    offsets = _offsets(setup, clip.root_motion, times, headings.astype(np.float64), contacts)
    out, beyond, _ = retarget._carried(poses, offsets.astype(poses.dtype))
    for _ in range(PASSES):
        offsets += _corrections(setup, clip, motion, times, poses, out, contacts, is_flat)
        out, beyond, _ = retarget._carried(poses, offsets.astype(poses.dtype))
    return CarriedClip(clip, _made(setup, clip, times, out, motion), times, poses, out, beyond, contacts)


def _on_ground(
    setup: Setup, clip: Clip, times: Floats, poses: NDArray[Any], contacts: Contacts
) -> tuple[NDArray[Any], bool]:
    """Return poses of the source lifted so that its stances are on its ground, and whether they are level.

    The height of the ground is a guess, above all where no mesh shows how thick soles are. Stances that are a
    step above or below each other are left where they are, and those a step above the ground: on a platform.
    """
    feet = setup.feet[0]
    lowest = feet.steps(poses, clip.root_motion, times, contacts.ground_velocity).lowest
    levels = [
        float(np.median(lowest[np.arange(first, last + 1) % len(contacts.times), leg]))
        for leg, name in enumerate(setup.leg_columns)
        for first, last in spans(contacts, name)
    ]
    step = STEP * float(feet.lengths.mean())
    if not levels or max(levels) - min(levels) > step:
        return poses, False
    level = float(np.median(levels))
    if level > step:
        return poses, False
    lifted = poses.copy()
    roots = np.flatnonzero(setup.source.skeleton.parents < 0)
    lifted[:, roots, :3] -= (level * setup.source.up).astype(poses.dtype)
    return lifted, True


def _made(setup: Setup, clip: Clip, times: Floats, poses: NDArray[Any], motion: RootMotion | None) -> Clip:
    result = Clip.from_poses(
        setup.target.given_skeleton,
        times,
        setup.target.rig.without_added(poses),
        name=clip.name,
        loop=clip.loop,
    )
    result = result._edited(markers=clip.markers, root_motion=motion)
    return _with_weights(result, clip, target_morphs(setup))


def target_morphs(setup: Setup) -> NamedMorphs | None:
    """Return the morph targets of the target's mesh; None where none, or only its skeleton, was given."""
    mesh = getattr(setup.target.given, "mesh", None)
    return None if mesh is None else getattr(mesh, "morphs", None)


def _with_weights(result: Clip, clip: Clip, morphs: NamedMorphs | None) -> Clip:
    """Add the weights of the source's clip, keys as they are: by name to the target's, where it has some."""
    names, defaults = clip.morph_names, clip.morph_defaults
    weights = [track for track in all_tracks(clip) if track.path == WEIGHT]
    if morphs is not None:
        partners = partners_of_morphs(names, morphs.names)
        weights = [
            replace(track, joint=target) for track in weights for target in partners.get(track.joint, ())
        ]
        names, defaults = morphs.names, morphs.defaults
    tracks = stored_tracks([*all_tracks(result), *weights], result.keys.dtype, "Retarget.clip")
    return result._edited(tracks, morph_names=names, morph_defaults=defaults)


def _corrections(
    setup: Setup,
    clip: Clip,
    motion: RootMotion | None,
    times: Floats,
    source_poses: NDArray[Any],
    poses: NDArray[Any],
    contacts: Contacts,
    is_flat: bool,
) -> Floats:
    """Return what is added to offsets (F, E, 3) so that the soles themselves move as the source's do.

    The goals know three points of a sole. By what the soles then slide in a stance more than the source's,
    scaled, the foot is held back; by what they are deeper in the ground than the source's it is lifted. Where
    all stances are level it is lifted out of the ground altogether.
    """
    ground = contacts.ground_velocity
    own = setup.feet[0].steps(source_poses, clip.root_motion, times, ground)
    their = setup.feet[1].steps(poses, motion, times, setup.similarity.vectors(ground))
    excess = their.moves - setup.similarity.vectors(own.moves)
    excess *= both_stand(contacts, setup.leg_columns, len(times))[..., None]
    allowed = 0.0 if is_flat else np.minimum(setup.similarity.ratio * own.lowest, 0)
    depth = np.minimum(their.lowest - allowed, 0)
    added = np.zeros((len(times), len(setup.limbs), 3))
    frames = len(contacts.times)
    for leg, (name, column) in enumerate(setup.leg_columns.items()):
        slid = np.concatenate([np.zeros((1, 3)), np.cumsum(excess[:, leg], axis=0)])
        added[:, column] = held_still(slid[:frames], slid[-1], contacts, name, len(times))
    if motion is not None:
        back = quat.conjugate(motion.at(times, loop=False)[:, 3:7])
        added = np.asarray(quat.rotate(back[:, None], added))
    added[:, list(setup.leg_columns.values())] -= depth[..., None] * setup.target.up
    return added


def regular_times(what: str, clip: Clip, rate: float | None) -> Floats:
    """Return the times of the keys of a clip that is carried over; a rate that is wrong is refused."""
    count = checked_interval_count(what, clip, _rate(what, clip, rate)) if clip.duration > 0 else 0
    return np.linspace(clip.start, clip.end, count + 1)


def _rate(what: str, clip: Clip, rate: float | None) -> float:
    if rate is not None:
        return check_number(rate, f"{what}: rate", above_zero=True)
    own = clip.key_rate
    return min(own, MOST) if own is not None and own >= LEAST else RATE


def _offsets(
    setup: Setup, motion: RootMotion | None, times: Floats, headings: Floats, contacts: Contacts
) -> Floats:
    """Return sideways offsets in the target's model space."""
    if motion is None:
        return held_offsets(setup, headings, contacts)
    turns = setup.similarity.turns(motion.at(times, loop=False)[:, 3:7])
    offsets = held_offsets(setup, np.asarray(quat.multiply(turns, headings)), contacts)
    return np.asarray(quat.rotate(quat.conjugate(turns)[:, None], offsets))


def _root_motion(setup: Setup, motion: RootMotion, times: Floats) -> RootMotion:
    """Return root motion in the axes and lengths of the target."""
    moves = setup.similarity.motions(motion.at(times, loop=False)[:, None])
    track = Clip.from_poses(motion.track.skeleton, times, moves, name=motion.track.name, loop=motion.loop)
    return RootMotion(track, (), motion.error * setup.similarity.ratio)
