# SPDX-License-Identifier: MIT
"""The arguments of `bake`, checked and brought into one form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._base.methods import BAKED_METHODS
from lissom._base.names import name_meant, unknown_name
from lissom._base.numbers import check_number
from lissom._character.character import Character
from lissom._character.clip_choice import clip_of
from lissom.clip import Clip
from lissom.pose_texture._layouts import DTYPES

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom.clip._root_motion import RootMotion

__all__ = [
    "above_zero",
    "as_clips",
    "as_dtype",
    "as_indices",
    "as_method",
    "as_rates",
    "without_root_motion",
]

STILL = 1e-3
"""Displacement from a clip's start to its end, as a fraction of the size, and rotation in radians, up to
which it has no root motion: a hip that sways and comes back stays in the pose."""


def as_clips(
    character: Character, clips: str | Clip | Iterable[str | Clip] | None, function: str
) -> list[Clip]:
    """Return the clips to bake, each once; ping-pong clips there and back.

    `function` was called by the user, for messages.
    """
    if clips is None:
        requested: list[str | Clip] = list(character.clips)
        if not requested:
            raise ValueError(
                f"{function}: {character.name!r} has no clips of its own; pass clips=, such as "
                "lissom.Clip.from_poses(skeleton, [0.0], skeleton.rest[None])"
            )
    else:
        if not isinstance(clips, str | Clip | Iterable):
            advice = ""
            if isinstance(clips, Character):
                advice = "; lissom.show(a, b) shows several characters, and lissom.merge makes one of them"
            raise TypeError(
                f"{function}: clips must be names or Clip objects, got {type(clips).__name__}{advice}"
            )
        requested = [clips] if isinstance(clips, str | Clip) else list(clips)
        if not requested:
            raise ValueError(f"{function}: clips must hold at least one clip, got none; omit it for all")
    chosen: dict[str, Clip] = {}
    for item in requested:
        clip = clip_of(character, item, function)
        if clip.additive:
            raise ValueError(
                f"{function}: clip {clip.name!r} must hold poses, got an additive clip; "
                "pass what it is added to"
            )
        _check_morphs(character, clip, function)
        if clip.name in chosen:
            raise ValueError(f"{function}: clips must have different names, got {clip.name!r} twice")
        # A texture wraps or clamps, and nothing else.
        is_ping_pong = clip.loop == "ping_pong" and clip.duration > 0
        chosen[clip.name] = clip.there_and_back() if is_ping_pong else clip
    return list(chosen.values())


def _check_morphs(character: Character, clip: Clip, function: str) -> None:
    """Refuse a clip of the morph targets of another mesh. One that knows of none has the mesh's defaults."""
    morphs = None if character.mesh is None else character.mesh.morphs
    if morphs and clip.morph_names and clip.morph_names != morphs.names:
        other = next((name for name in clip.morph_names if name not in morphs.names), clip.morph_names[0])
        raise ValueError(
            f"{function}: clip {clip.name!r} must move the morph targets of {character.name!r}, got "
            f"{len(clip.morph_names)} others, such as {other!r}; Clip.bind with morphs= binds them by name"
        )


def as_method(method: str | None, character: Character) -> str:
    """Return the method that errors are measured by."""
    chosen = character.method if method is None else method
    if not isinstance(chosen, str) or chosen not in BAKED_METHODS:
        whose = f" from {character.name!r}; pass method=" if method is None else ""
        raise ValueError(
            f"bake: method must be one of {', '.join(map(repr, BAKED_METHODS))}, got {chosen!r}{whose}"
        )
    return chosen


def as_dtype(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Return the type of the stored numbers, in the machine's byte order."""
    try:
        chosen = np.dtype(dtype)
    except TypeError:
        chosen = None
    if chosen is None or chosen.name not in DTYPES:
        raise ValueError(f"bake: dtype must be one of {', '.join(map(repr, DTYPES))}, got {dtype!r}")
    return chosen.newbyteorder("=")


def as_rates(rate: float | Mapping[str, float] | None, clips: Iterable[Clip]) -> dict[str, float | None]:
    """Return the rate requested of each clip by its name, None where there is none."""
    names = [clip.name for clip in clips]
    if not isinstance(rate, Mapping):
        return dict.fromkeys(names, above_zero("rate", rate))
    rates: dict[str, float | None] = {}
    for name in rate:
        meant = name_meant(str(name), names)
        if meant is None:
            raise ValueError(f"bake: rate: {unknown_name('baked clip', str(name), names)}")
        if meant in rates:
            raise ValueError(f"bake: rate must name each clip once, got {meant!r} twice")
        rates[meant] = above_zero(f"rate of {name!r}", rate[name])
    return {name: rates.get(name) for name in names}


def as_indices(skeleton: Skeleton, joints: Iterable[str | int]) -> list[int]:
    """Return the indices of `extra_joints`, each once."""
    if isinstance(joints, str | bytes) or not isinstance(joints, Iterable):
        raise TypeError(
            f"bake: extra_joints must be a sequence of names or indices, got {type(joints).__name__}"
        )
    indices: list[int] = []
    for joint in joints:
        index = skeleton._index_of(joint, "bake: extra_joints")
        if index in indices:
            raise ValueError(
                f"bake: extra_joints must name each joint once, got {skeleton.names[index]!r} twice"
            )
        indices.append(index)
    return indices


def without_root_motion(clip: Clip, size: float) -> tuple[Clip, float]:
    """Take root motion out of a clip that travels or rotates.

    Returns
    -------
    clip : Clip
        In place; unchanged where it has root motion already, or ends where it starts.
    error : float
        Distance of the clip in place, moved by its root motion, from the clip given, model units.
    """
    if clip.root_motion is not None or clip.duration <= 0:
        return clip, 0.0
    try:
        in_place = clip.extract_root_motion()
    except ValueError as error:
        raise ValueError(f"bake: root_motion of clip {clip.name!r}: {error}") from None
    motion = in_place.root_motion
    if motion is None or not _moves(motion, size):
        return clip, 0.0
    return in_place, float(motion.error)


def _moves(motion: RootMotion, size: float) -> bool:
    return float(np.linalg.norm(motion.cycle[:3])) > STILL * size or abs(motion.turn) > STILL


def above_zero(argument: str, value: float | None) -> float | None:
    """Return a number above zero, or None."""
    return None if value is None else check_number(value, f"bake: {argument}", above_zero=True)
