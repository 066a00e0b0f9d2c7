# SPDX-License-Identifier: MIT
"""What is asked of a bake, checked and brought into one form."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._base.methods import BAKED_METHODS
from lissom._base.names import unknown_name
from lissom._character.clip_choice import clip_of
from lissom.clip import Clip
from lissom.pose_texture._layouts import DTYPES

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.skeleton import Skeleton
    from lissom.clip._root_motion import RootMotion

__all__ = [
    "choose_clips",
    "choose_dtype",
    "choose_method",
    "choose_rates",
    "choose_switch",
    "extra_indices",
    "positive",
    "without_root_motion",
]

TRAVEL = 1e-3
"""Way from a clip's start to its end, as a fraction of the size, and turn in radians, below which it goes
nowhere: a hip that sways and comes back stays in the pose."""


def choose_clips(character: Character, clips: str | Clip | Iterable[str | Clip] | None) -> list[Clip]:
    """Find the clips, each once; those that turn round at their ends are written out."""
    known = character.clips
    if clips is None:
        wanted: list[str | Clip] = list(known)
        if not wanted:
            raise ValueError(f"bake: {character.name!r} has no clips of its own; pass clips=")
    else:
        if not isinstance(clips, str | Clip | Iterable):
            raise TypeError(f"bake: clips must be names or Clip objects, got {type(clips).__name__}")
        wanted = [clips] if isinstance(clips, str | Clip) else list(clips)
        if not wanted:
            raise ValueError("bake: clips must hold at least one clip, got none; omit it to bake all")
    chosen: dict[str, Clip] = {}
    for item in wanted:
        clip = clip_of(character, item, "bake")
        if clip.additive:
            raise ValueError(
                f"bake: clip {clip.name!r} is additive, a difference and no pose; bake what it is put upon"
            )
        if clip.name in chosen:
            raise ValueError(f"bake: clips must have different names, got {clip.name!r} twice")
        # A texture wraps or ends: what turns round at its ends is written out.
        turns_round = clip.loop == "ping_pong" and clip.duration > 0
        chosen[clip.name] = clip.there_and_back() if turns_round else clip
    return list(chosen.values())


def choose_method(method: str | None, character: Character) -> str:
    """Find the method that the report skins by."""
    chosen = character.method if method is None else method
    if not isinstance(chosen, str) or chosen not in BAKED_METHODS:
        whose = f" from {character.name!r}; pass method=" if method is None else ""
        raise ValueError(
            f"bake: method must be one of {', '.join(map(repr, BAKED_METHODS))}, got {chosen!r}{whose}"
        )
    return chosen


def choose_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Find the type of the stored numbers."""
    try:
        chosen = np.dtype(dtype)
    except TypeError:
        chosen = None
    if chosen is None or chosen.name not in DTYPES:
        raise ValueError(f"bake: dtype must be one of {', '.join(map(repr, DTYPES))}, got {dtype!r}")
    return chosen.newbyteorder("=")


def choose_rates(rate: float | Mapping[str, float] | None, clips: Iterable[Clip]) -> dict[str, float | None]:
    """Give the rate asked for of each clip by its name, None where there is none."""
    names = [clip.name for clip in clips]
    if not isinstance(rate, Mapping):
        return dict.fromkeys(names, positive("rate", rate))
    for name in rate:
        if name not in names:
            raise ValueError(f"bake: rate: {unknown_name('baked clip', str(name), names)}")
    return {name: positive(f"rate of {name!r}", rate.get(name)) for name in names}


def choose_switch(argument: str, value: object) -> bool:
    """Give a bool; TypeError for anything else."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"bake: {argument} must be True or False, got {type(value).__name__}")
    return bool(value)


def positive(argument: str, value: float | None) -> float | None:
    """Give a number above 0, or None."""
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"bake: {argument} must be a number, got {type(value).__name__}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 < number < math.inf:
        raise ValueError(f"bake: {argument} must be finite and above 0, got {value}")
    return number


def extra_indices(skeleton: Skeleton, joints: Iterable[str | int]) -> list[int]:
    """Find the joints of `extra_joints`, each once."""
    if isinstance(joints, str | bytes) or not isinstance(joints, Iterable):
        raise TypeError(
            f"bake: extra_joints must be a sequence of names or indices, got {type(joints).__name__}"
        )
    found: list[int] = []
    for joint in joints:
        if isinstance(joint, str):
            if joint not in skeleton.names:
                raise ValueError(f"bake: extra_joints: {unknown_name('joint', joint, skeleton.names)}")
            index = skeleton.index(joint)
        elif isinstance(joint, int | np.integer) and not isinstance(joint, bool):
            index = int(joint)
            if not 0 <= index < len(skeleton):
                raise ValueError(
                    f"bake: extra_joints must be at least 0 and below {len(skeleton)}, got {index}"
                )
        else:
            raise TypeError(f"bake: extra_joints must be names or indices, got {type(joint).__name__}")
        if index in found:
            raise ValueError(
                f"bake: extra_joints must name each joint once, got {skeleton.names[index]!r} twice"
            )
        found.append(index)
    return found


def without_root_motion(clip: Clip, size: float) -> tuple[Clip, float]:
    """Take root motion out of a clip that goes anywhere.

    Returns
    -------
    clip : Clip
        In place, or as it was where it has root motion already, or ends where it starts.
    error : float
        How far clip in place and root motion together are from what was given, model units.
    """
    if clip.root_motion is not None or clip.duration <= 0:
        return clip, 0.0
    try:
        in_place = clip.extract_root_motion()
    except ValueError as error:
        raise ValueError(f"bake: root_motion of clip {clip.name!r}: {error}") from None
    motion = in_place.root_motion
    if motion is None or not _travels(motion, size):
        return clip, 0.0
    return in_place, float(motion.error)


def _travels(motion: RootMotion, size: float) -> bool:
    return float(np.linalg.norm(motion.cycle[:3])) > TRAVEL * size or abs(motion.turn) > TRAVEL
