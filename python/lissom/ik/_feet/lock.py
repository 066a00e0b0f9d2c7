# SPDX-License-Identifier: MIT
"""Clips without sliding feet."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lissom._base.numbers import check_number
from lissom.ik._axes import Floats
from lissom.ik._feet.clip_feet import ClipFeet
from lissom.ik._feet.contacts import Contacts
from lissom.ik._feet.legs import Leg
from lissom.ik._feet.locked_legs import STILL, solved_legs

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Clip

__all__ = ["foot_slide", "lock_feet"]

ROUNDS = 4  # of correcting the slides that remain: soles weighted to shins move with them
LONGEST_BLEND = 60.0  # seconds: more is no blend of steps, and would fill the memory
ALLOWED = 5e-4  # of the size: larger slides are warned of


def lock_feet(
    clip: Clip,
    legs: Sequence[Leg],
    *,
    contacts: Contacts | None = None,
    character: Character | Skeleton | None = None,
    rate: float = 240.0,
    blend: float = 0.2,
    lower: float = 0.03,
    up: ArrayLike = (0.0, 1.0, 0.0),
) -> Clip:
    """Return a clip whose feet do not slide: the supporting part of a sole stays in place during a stance.

    In a stance a foot rolls, from the heel to the toes: the part of the sole that supports it changes, and
    that part does not move over the ground. It is held, and the foot keeps its tilt and its height; it is
    moved and rotated in the plane of the ground only, as little as the stance allows. Between stances the
    foot passes from one correction to the next without a jump in place or speed. Legs follow by `two_bone`,
    so knees keep their direction; where a leg is too short, the body is lowered a little, smoothly.

    Feet are held within 0.05 % of the size, in `contacts` and by the soles of the character. By a judge with
    contacts and soles of its own, feet of 14 of 15 characters slide by at most 0.1 % where both say that they
    stand; :doc:`/howto/feet` has a table of real clips, and says where it is more.

    The ground moves with the clip's root motion; for a walk on the spot without root motion, at the velocity
    that `find_contacts` measures. Root motion, markers and name stay, and loops stay loops.

    Parameters
    ----------
    clip : Clip
    legs : sequence of Leg
    contacts : Contacts, optional
        Stances of the feet: where their curves are 1. Found by `find_contacts` if omitted.
    character : Character or Skeleton, optional
        The character of the clip: with a mesh its soles are measured; without, they are guessed from the
        joints.
    rate : float
        Keys per second of the joints that are changed. The others keep theirs.
    blend : float
        Seconds in which a foot loses its correction after a stance, and gains the next before one. Where
        stances are less than twice that apart, it passes directly from one to the other. At most 60.
    lower : float
        Largest distance by which the body is lowered, a fraction of the character's size. Where that is not
        enough, the foot slides.
    up : array_like, shape (3,)
        The up axis in model space.

    Returns
    -------
    Clip
        With LINEAR keys of the legs' joints, and of the joint above the hips where that is lowered.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If joints do not exist or are not in line, contacts are of other legs, the clip is additive, or a
        number is out of range.

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
    feet = ClipFeet.of("lock_feet", clip, legs, contacts, character, rate, up)
    blend_seconds = check_number(blend, "lock_feet: blend", least=0, largest=LONGEST_BLEND)
    lower = check_number(lower, "lock_feet: lower", least=0)
    blend_frames = max(round(blend_seconds * feet.rate), 1)
    if not feet.stands.any() or len(feet.path.times) < 2:
        return clip._edited()
    corrections = [np.zeros((len(feet.poses), 4)) for _ in feet.joints]
    poses, slides = feet.poses, np.full(len(feet.joints), np.inf)
    reached = [True] * len(feet.joints)
    for _ in range(ROUNDS):
        steps = feet.corrections(poses)
        # A foot out of reach is not corrected further: it would be lifted until it no longer slides.
        corrections = [a + b if able else a for a, b, able in zip(corrections, steps, reached, strict=True)]
        corrections = [
            feet.between_stances(leg, correction, blend_frames) for leg, correction in enumerate(corrections)
        ]
        new_poses, reached = solved_legs(feet, corrections, lower, blend_frames)
        new_slides = feet.slides(new_poses)
        if new_slides.sum() >= slides.sum():
            break
        poses, slides = new_poses, new_slides
        if slides.max() <= STILL * feet.path.size:
            break
    is_sliding = slides > ALLOWED * feet.path.size
    if is_sliding.any():
        names = ", ".join(repr(feet.joints[leg].name) for leg in np.flatnonzero(is_sliding))
        warnings.warn(
            f"lock_feet: {names} still slide by up to {slides.max():.3g} in clip {clip.name!r}, since legs "
            "cannot reach; a larger lower= lowers the body farther",
            stacklevel=2,
        )
    return feet.written(clip, poses)


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
        As for `lock_feet`. Contacts found in a clip depend on how its feet slide: pass the same contacts to
        compare two clips.
    rate : float
        Samples per second of the clip, between its keys, too.

    Returns
    -------
    ndarray of float64, shape (L,)
        For each leg, in model units, the largest distance between two places of its supporting points in one
        stance. A foot that rolls from the heel to the toes does not slide.

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
    feet = ClipFeet.of("foot_slide", clip, legs, contacts, character, rate, up)
    return feet.slides(feet.poses)
