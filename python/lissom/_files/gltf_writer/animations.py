# SPDX-License-Identifier: MIT
"""Animations: the tracks of clips as samplers and channels; equal arrays of keys are stored once."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.extras import ClipMark, extras_of
from lissom._files.gltf.node_transform import UNIT_TOLERANCE
from lissom._files.gltf.tables import INTERPOLATIONS, PATHS
from lissom._files.gltf_writer.accessors import Pool
from lissom._files.gltf_writer.cubic_rotations import with_unit_keys
from lissom._files.gltf_writer.document import Animation, Channel, Sampler, Target
from lissom._files.gltf_writer.weights import MorphedNodes, weight_tracks
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, SCALE, TRANSLATION, WEIGHT, Clip
from lissom.clip._root_motion_mark import RootMotionMark
from lissom.clip._tracks import Track, unpacked

_PATH_NAMES = {code: name for name, code in PATHS.items()}
_INTERPOLATION_NAMES = {code: name for name, code in INTERPOLATIONS.items()}
_IDENTITY = (0, 0, 0, 1)
_TYPES = {TRANSLATION: "VEC3", ROTATION: "VEC4", SCALE: "VEC3", WEIGHT: "SCALAR"}


def write_clip(name: str, clip: Clip, pool: Pool, morphs: MorphedNodes | None = None) -> Animation:
    """Return the animation of a clip; its keys are added to the pool."""
    clip.sample(clip.start)  # refuses keys that are not finite and times that do not increase
    if clip.start < 0:  # glTF has no times before 0
        clip = clip.shifted(-clip.start)
    timelines: dict[int, int] = {}
    channels: list[Channel] = []
    samplers: list[Sampler] = []
    weights = list(weight_tracks(name, clip, morphs))
    for track in [*_tracks(name, clip, len(weights)), *weights]:
        times = timelines.get(id(track.times))
        if times is None:
            times = timelines[id(track.times)] = pool.add(_times(name, track), "SCALAR", bounded=True)
        kind = _TYPES[track.path]
        values = pool.add(_values(name, clip, track), kind)
        channels.append(Channel(len(samplers), Target(track.joint, _PATH_NAMES[track.path])))
        samplers.append(Sampler(times, values, _INTERPOLATION_NAMES[track.interpolation]))
    motion = None if clip.root_motion is None else RootMotionMark.of(clip.root_motion)
    mark = ClipMark(clip.loop, list(clip.markers), clip.additive, clip.uniform, motion)
    return Animation(name, channels, samplers, extras_of(mark))


def _tracks(name: str, clip: Clip, others: int) -> list[Track]:
    """Return tracks of joints that glTF can hold: no spline with a single key, and unit rotations.

    At least one, unless there are `others`.
    """
    tracks = unpacked(clip.keys, clip.tracks)
    if not tracks and not others:
        rotation = _IDENTITY if clip.additive else clip.skeleton.rest[0, 3:7]
        return [Track(0, ROTATION, LINEAR, np.zeros(1, "<f4"), np.array([rotation], "<f4"))]
    for track in tracks:
        if track.interpolation == CUBICSPLINE and len(track.times) == 1:
            track.values, track.interpolation = track.points, LINEAR
    return [_unit(name, clip, track) if track.path == ROTATION else track for track in tracks]


def _times(clip: str, track: Track) -> NDArray[np.float32]:
    times = track.times
    with np.errstate(over="ignore"):  # infinite times do not increase
        stored = times.astype("<f4", copy=False)
    falls = np.flatnonzero(~(stored[1:] > stored[:-1]))
    if len(falls):
        first = int(falls[0])
        raise ValueError(
            f"save_glb: key times must differ in single precision, glTF's own, got {times[first]!r} "
            f"and {times[first + 1]!r} in clip {clip!r}; resample the clip"
        )
    return stored


def _values(name: str, clip: Clip, track: Track) -> NDArray[np.float32]:
    values = track.values
    # Three elements for each key of a spline; of weights numbers one by one.
    rows = values.reshape(-1, 1 if track.path == WEIGHT else values.shape[-1])
    if rows.dtype == np.float32:
        return rows
    with np.errstate(over="ignore"):
        stored = rows.astype("<f4")
    if not np.isfinite(stored).all():
        what = _label(name, clip, track)
        raise ValueError(f"save_glb: keys must fit single precision, got {np.abs(rows).max():g} in {what}")
    return stored


def _unit(name: str, clip: Clip, track: Track) -> Track:
    """Return a rotation track with unit keys; unchanged where they are within the format's tolerance."""
    lengths = np.sqrt(np.einsum("ij,ij->i", track.points, track.points, dtype=np.float64))
    off = np.abs(lengths - 1) > UNIT_TOLERANCE
    if not off.any():
        return track
    if track.interpolation != CUBICSPLINE:
        return replace(track, values=np.where(off[:, None], track.values / lengths[:, None], track.values))
    unit_track = with_unit_keys(track, off)
    if unit_track is None:
        key = int(off.argmax())
        raise ValueError(
            "save_glb: rotation splines must not pass through zero or close to it where keys are not unit, "
            f"got length {lengths[key]:.6g} at key {key} of {_label(name, clip, track)}; resample the clip"
        )
    return unit_track


def _label(name: str, clip: Clip, track: Track) -> str:
    if track.path == WEIGHT:
        return f"the weights of morph targets in clip {name!r}"
    return f"the {_PATH_NAMES[track.path]} of {clip.skeleton.names[track.joint]!r} in clip {name!r}"
