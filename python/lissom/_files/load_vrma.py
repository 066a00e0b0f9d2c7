# SPDX-License-Identifier: MIT
"""``lissom.load_vrma``: a VRM animation on an avatar."""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._base.numbers import check_flag
from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._character.clip_choice import clip_of
from lissom._files.load import load
from lissom._gaze.look_at import LookAt, expression_weights
from lissom._retarget.clip import regular_times
from lissom._retarget.retarget import Retarget
from lissom._roles.bones import NEEDED, TRUNK
from lissom._roles.given import Hints, given_roles
from lissom.clip import Clip
from lissom.clip._tracks import LINEAR, ROTATION, WEIGHT, Track, key_times, packed, unpacked

if TYPE_CHECKING:
    from lissom._files.gltf.vrm_animation import StatedMotion

__all__ = ["load_vrma"]

Floats = NDArray[np.float64]


@set_module("lissom")
def load_vrma(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO,
    avatar: Character,
    *,
    clip: str | None = None,
    roles: Hints = None,
    feet: bool = False,
    rate: float | None = None,
) -> Clip:
    """Load a VRM animation, and carry it over to an avatar.

    Bones are carried over by `Retarget`, by the file's own map of bones and that of the avatar; weights of
    expressions become those of the avatar's morph targets, by `Character.expressions`; the gaze turns eyes,
    or moves the expressions that do, by `LookAt`. A file that moves no bones gives a clip of the face alone.

    Parameters
    ----------
    source : path, bytes or open binary file
        A .vrma: a GLB with the extension VRMC_vrm_animation.
    avatar : Character
        Of a VRM file, or of any other with the bones or the expressions that the animation moves.
    clip : str, optional
        Which animation of the file; the first if omitted.
    roles : Roles, mapping of str to str, or path, optional
        Of the avatar, as `Retarget` takes them.
    feet : bool
        Whether feet and hands are kept where they belong, as `Retarget` does; if False, all bones turn as the
        file says, as in other players of VRM.
    rate : float, optional
        Keys a second of the result; see `Retarget.clip`.

    Returns
    -------
    Clip
        On the avatar's skeleton.

    Raises
    ------
    GltfError
        If the file cannot be read.
    TypeError
        If an argument is of another type.
    ValueError
        If the file is no VRM animation or has no clip of that name, or the avatar lacks bones that VRM
        requires and the animation moves: they are named.
    OSError
        If the path cannot be read.

    Warns
    -----
    UserWarning
        For bones that VRM does not require, and expressions, which the animation moves and the avatar does
        not have: they are left out.

    References
    ----------
    .. [1] VRM Consortium, VRMC_vrm_animation 1.0.

    Examples
    --------
    >>> avatar = lissom.load("avatar.vrm")  # doctest: +SKIP
    >>> greeting = lissom.load_vrma("greeting.vrma", avatar)  # doctest: +SKIP
    >>> avatar.deform(greeting.sample(0.5), morphs=greeting.morphs(0.5))  # doctest: +SKIP
    """
    if not isinstance(avatar, Character):
        raise TypeError(f"load_vrma: avatar must be a Character, got {type(avatar).__name__}")
    feet = check_flag(feet, "load_vrma: feet")
    motion = load(source)
    stated: StatedMotion | None = motion.skeleton._stated_motion
    if stated is None:
        raise ValueError(
            "load_vrma: source must be a VRM animation, with the extension VRMC_vrm_animation; load and "
            "Retarget take other motion"
        )
    if not motion.clips:
        raise ValueError("load_vrma: source must have an animation, got none")
    chosen = clip_of(motion, next(iter(motion.clips)) if clip is None else clip, "load_vrma")
    left_out: list[str] = []
    if _moves_bones(chosen, stated):
        own = given_roles("load_vrma", avatar, roles)
        left_out = _check_roles(chosen, motion.skeleton._stated_roles, set(own.joints))
        # Files of VRM rest in a T-pose, and what differs in it is the avatar's own shape.
        is_vrm = bool(avatar.skeleton._stated_roles)
        retarget = Retarget(
            motion,
            avatar,
            (None, own),
            source_pose="rest",
            target_pose="rest" if is_vrm else None,
            feet=feet,
            align=not is_vrm,
        )
        made = retarget.clip(chosen, rate=rate)
        times = key_times(unpacked(made.keys, made.tracks))
    else:
        times = regular_times("load_vrma", chosen, rate).astype(np.float32).astype(np.float64)  # as keys are
        made = Clip(chosen.name, avatar.skeleton, *packed([], np.dtype(np.float32)), loop=chosen.loop)
    result, unknown = _with_face(made, times, chosen, stated, avatar)
    if left_out or unknown:
        lacks = " and ".join(
            f"no {what} {', '.join(names)}"
            for what, names in (("joints for", left_out), ("expressions", unknown))
            if names
        )
        warnings.warn(f"load_vrma: the avatar has {lacks}; left out", stacklevel=2)
    return result


def _moves_bones(clip: Clip, stated: StatedMotion) -> bool:
    """Whether a clip moves joints that stand for no part of the face."""
    face = {*stated.expressions.values(), stated.look_at}
    return any(clip.skeleton.names[joint] not in face for joint in clip.tracks["joint"].tolist())


def _check_roles(clip: Clip, roles: dict[str, str], own: set[str]) -> list[str]:
    """Return moved roles that the avatar does not have and need not; refuse where it lacks others."""
    needed = NEEDED["humanoid"]
    absent = [role for role in ("hips",) if role not in roles]
    if absent:
        raise ValueError(f"load_vrma: source must have all bones that VRM requires, got none for {absent[0]}")
    moved = {clip.skeleton.names[joint] for joint in np.unique(clip.tracks["joint"]).tolist()}
    lost = [role for role, joint in roles.items() if joint in moved and role not in own]
    missing = [role for role in lost if role in needed]
    if missing:
        raise ValueError(
            f"load_vrma: avatar must have the bones that the animation moves, got no joint for "
            f"{', '.join(missing)}; name them by roles="
        )
    # Bones of the trunk share what those that are missing would bend.
    return [role for role in lost if role not in TRUNK]


def _with_face(
    made: Clip, times: Floats, source: Clip, stated: StatedMotion, avatar: Character
) -> tuple[Clip, list[str]]:
    """Return a clip that moves eyes and morph targets, too, and the expressions that the avatar lacks.

    Those have keys at `times`.
    """
    face = avatar.expressions
    joints = {name: source.skeleton.index(joint) for name, joint in stated.expressions.items()}
    known = {name: joint for name, joint in joints.items() if face is not None and name in face}
    unknown = [name for name in joints if name not in known]
    looks = stated.look_at is not None and avatar.skeleton._stated_look_at is not None
    if not known and not looks:
        return made, unknown
    tracks = unpacked(made.keys, made.tracks)
    poses = source.sample(times, loop=False).astype(np.float64)
    values: dict[str, Floats] = {name: poses[:, joint, 0] for name, joint in known.items()}
    if looks:
        assert stated.look_at is not None
        yaw, pitch = _yaw_pitch(poses[:, source.skeleton.index(stated.look_at), 3:7])
        look_at = LookAt(avatar)
        if look_at.kind == "expression":
            moved = expression_weights(look_at, yaw, pitch)
            values |= {name: weight for name, weight in moved.items() if face is not None and name in face}
        else:
            turned = look_at._eyes_turned(yaw, pitch)
            tracks = [each for each in tracks if each.path != ROTATION or each.joint not in turned]
            keys = times.astype(made.keys.dtype)
            tracks += [
                Track(eye, ROTATION, LINEAR, keys, turn.astype(keys.dtype)) for eye, turn in turned.items()
            ]
    changes = {}
    if values and face is not None and avatar.mesh is not None and avatar.mesh.morphs is not None:
        weights = face.weights(values)
        defaults = avatar.mesh.morphs.defaults
        keys = times.astype(made.keys.dtype)
        tracks += [
            Track(number, WEIGHT, LINEAR, keys, weights[:, number, None].astype(keys.dtype))
            for number in np.flatnonzero((weights != defaults).any(axis=0)).tolist()
        ]
        changes = {"morph_names": face.morph_names, "morph_defaults": defaults}
    return made._edited(tracks, **changes), unknown


def _yaw_pitch(turns: Floats) -> tuple[Floats, Floats]:
    """Return the angles about y, then x, of rotations (..., 4) about y, x and z: of where +z goes."""
    x, y, z = np.moveaxis(np.asarray(quat.rotate(turns, np.array([0.0, 0, 1]))), -1, 0)
    return np.arctan2(x, z), np.arctan2(-y, np.hypot(x, z))
