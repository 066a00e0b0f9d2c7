# SPDX-License-Identifier: MIT
"""Animations: channels and samplers as tracks on one flat array of keys, without a loop over keys."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom._files.gltf.accessors import Accessors, Table
from lissom._files.gltf.channels import Channels
from lissom._files.gltf.extras import ClipMark
from lissom._files.gltf.hierarchy import Hierarchy, unique_names
from lissom._files.gltf.key_checks import KeyChecks
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.schema import Document
from lissom.clip import TRACK_DTYPE

Tracks: TypeAlias = NDArray[np.void]
Keys: TypeAlias = NDArray[np.float32]


def read_clips(
    document: Document, channels: Channels, accessors: Accessors, hierarchy: Hierarchy, log: Log
) -> dict[str, tuple[Keys, Tracks, ClipMark]]:
    """Return keys, tracks and mark of each clip, by name; clips without a track are left out."""
    joints = hierarchy.joint_of_node[channels.node] if len(channels) else channels.node
    joints = _without_missing(channels, joints, accessors, log)
    outside = joints < 0
    if outside.any():
        log.note(
            "CHANNEL_LEFT_OUT",
            "/animations",
            f"{np.count_nonzero(outside)} channels animate nodes outside the scene; left out",
        )
        channels.keep(~outside)
        joints = joints[~outside]
    order = np.lexsort((channels.path, joints, channels.animation))
    channels.keep(order)
    joints = joints[order]
    _refuse_duplicates(channels, joints)
    storage = KeyChecks(channels, accessors, log).store()

    tracks = np.empty(len(channels), TRACK_DTYPE)
    tracks["joint"], tracks["path"], tracks["interpolation"] = joints, channels.path, channels.interpolation
    tracks["key_count"] = accessors.count[channels.input] if len(channels) else 0
    tracks["times"], tracks["values"] = storage.times, storage.values
    tracks.flags.writeable = False
    ends = np.searchsorted(channels.animation, np.arange(len(document.animations) + 1))
    numbers = [number for number in range(len(document.animations)) if ends[number] < ends[number + 1]]
    for number in sorted(set(range(len(document.animations))) - set(numbers)):
        log.note("CLIP_LEFT_OUT", f"/animations/{number}", "the animation animates no joint; left out")
    stored = [document.animations[number].name for number in numbers]
    names = unique_names(stored, "clip", numbers, "/animations", log, accessors.budget)
    return {
        name: (
            storage.keys(number),
            tracks[ends[number] : ends[number + 1]],
            hierarchy.marks.clips.get(number, ClipMark()),
        )
        for name, number in zip(names, numbers, strict=True)
    }


def _without_missing(channels: Channels, joints: Table, accessors: Accessors, log: Log) -> Table:
    """Leave out channels whose buffer has no data; return the joints of the others."""
    known = (channels.input < len(accessors)) & (channels.output < len(accessors))
    missing = np.zeros(len(channels), bool)
    is_missing = accessors.is_missing
    missing[known] = is_missing[channels.input[known]] | is_missing[channels.output[known]]
    if missing.any():
        count = np.count_nonzero(missing)
        log.note(
            "BUFFER_WITHOUT_DATA", "/animations", f"{count} channels have a buffer without data; left out"
        )
        channels.keep(~missing)
    return joints[~missing]


def _refuse_duplicates(channels: Channels, joints: Table) -> None:
    """Refuse two channels for one joint and path; they are adjacent, since channels are sorted."""
    same = (
        (channels.animation[1:] == channels.animation[:-1])
        & (joints[1:] == joints[:-1])
        & (channels.path[1:] == channels.path[:-1])
    )
    for row in np.flatnonzero(same):
        numbers = sorted((int(channels.number[row]), int(channels.number[row + 1])))
        refuse(
            "ANIMATION_DUPLICATE_TARGETS",
            f"/animations/{channels.animation[row]}/channels/{numbers[0]}/target",
            f"channels must animate different properties, got {numbers[0]} and {numbers[1]} for the same one"
            f" of node {channels.node[row]}",
        )
