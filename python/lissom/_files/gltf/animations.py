# SPDX-License-Identifier: MIT
"""Animations: channels and samplers as tracks on one flat array of keys, without a loop over keys."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.numbers import LARGEST
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.channels import Channels
from lissom._files.gltf.extras import ClipMark
from lissom._files.gltf.hierarchy import Hierarchy, unique_names
from lissom._files.gltf.key_checks import KeyChecks, Storage
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.morph_targets import MorphTargets, target_count
from lissom._files.gltf.node_transform import UNIT_TOLERANCE
from lissom._files.gltf.schema import Document
from lissom._files.gltf.tables import Table
from lissom.clip import CUBICSPLINE, TRACK_DTYPE, WEIGHT

Tracks: TypeAlias = NDArray[np.void]
Keys: TypeAlias = NDArray[np.float32]

# The key array of an animation, the tracks of all, and where those of each end, from 0 on.
_Found: TypeAlias = tuple[Callable[[int], Keys], Tracks, list[int]]

# A row of the table of tracks, of those of one clip, and what sampling makes of them.
_BYTES_PER_TRACK = 128


def read_clips(
    document: Document,
    channels: Channels,
    accessors: Accessors,
    hierarchy: Hierarchy,
    targets: MorphTargets,
    log: Log,
) -> dict[str, tuple[Keys, Tracks, ClipMark]]:
    """Return keys, tracks and mark of each clip, by name; clips without a track are left out."""
    count = len(document.animations)
    keys_of, tracks, ends = _plain_tracks(count, channels, accessors, hierarchy) or _checked_tracks(
        document, channels, accessors, hierarchy, targets, log
    )
    numbers = [number for number in range(count) if ends[number] < ends[number + 1]]
    for number in sorted(set(range(count)) - set(numbers)):
        log.note(
            "CLIP_LEFT_OUT",
            f"/animations/{number}",
            "the animation animates nothing of the character; left out",
        )
    stored = [document.animations[number].name for number in numbers]
    names = unique_names(stored, "clip", numbers, "/animations", log, accessors.budget)
    return {
        name: (
            keys_of(number),
            tracks[ends[number] : ends[number + 1]],
            hierarchy.marks.clips.get(number) or ClipMark(),
        )
        for name, number in zip(names, numbers, strict=True)
    }


def _plain_tracks(
    count: int, channels: Channels, accessors: Accessors, hierarchy: Hierarchy
) -> _Found | None:
    """Return what `_checked_tracks` does, where nothing is odd and all keys lie in one buffer."""
    first = channels.output[0] if len(channels) else len(accessors)
    if first >= len(accessors):
        return None
    buffer = int(accessors.buffer[first])
    keys = accessors.floats_at_hand(buffer)
    if keys is None:
        return None
    tracks, ends = np.empty(len(channels), TRACK_DTYPE), np.empty(count + 1, np.int64)
    is_plain = _core.plain_channel_tracks(
        channels.animation,
        channels.node,
        channels.path,
        channels.input,
        channels.output,
        channels.interpolation,
        hierarchy.joint_of_node,
        accessors.count,
        accessors.type,
        accessors.start,
        accessors.buffer,
        accessors.is_plain,
        buffer,
        keys,
        LARGEST,
        UNIT_TOLERANCE,
        tracks,
        ends,
    )
    if is_plain is None:
        return None
    accessors.budget.spend(_BYTES_PER_TRACK * len(tracks), "/animations")
    tracks.flags.writeable = False
    return lambda _: keys, tracks, ends.tolist()


def _checked_tracks(
    document: Document,
    channels: Channels,
    accessors: Accessors,
    hierarchy: Hierarchy,
    targets: MorphTargets,
    log: Log,
) -> _Found:
    """Check channels one property after the other, refuse or record what is wrong, and store their keys."""
    _keep_weights_of_targets(document, channels, targets, log)
    joints = hierarchy.joint_of_node[channels.node] if len(channels) else channels.node
    # A channel of weights moves all morph targets of its node, which stands for a joint until it has tracks.
    counts = np.zeros(len(channels), np.int64)
    for row in np.flatnonzero(channels.path == WEIGHT).tolist():
        joints[row] = channels.node[row]
        counts[row] = len(targets.numbers[int(joints[row])])
    joints, counts = _without_missing(channels, joints, counts, accessors, log)
    outside = joints < 0
    if outside.any():
        log.note(
            "CHANNEL_LEFT_OUT",
            "/animations",
            f"{np.count_nonzero(outside)} channels animate nodes outside the scene; left out",
        )
        channels.keep(~outside)
        joints, counts = joints[~outside], counts[~outside]
    order = np.lexsort((channels.path, joints, channels.animation))
    channels.keep(order)
    joints, counts = joints[order], counts[order]
    _refuse_duplicates(channels, joints)
    storage = KeyChecks(channels, accessors, log, counts).store()
    channel, tracks = _tracks(channels, joints, counts, targets, storage, accessors)
    ends = np.searchsorted(channels.animation[channel], np.arange(len(document.animations) + 1))
    return storage.keys, tracks, ends.tolist()


def _keep_weights_of_targets(document: Document, channels: Channels, targets: MorphTargets, log: Log) -> None:
    """Leave out channels of weights of nodes without morph targets."""
    kept = np.ones(len(channels), bool)
    for row in np.flatnonzero(channels.path == WEIGHT).tolist():
        node = int(channels.node[row])
        if node in targets.numbers:
            continue
        kept[row] = False
        pointer = f"/animations/{channels.animation[row]}/channels/{channels.number[row]}/target"
        mesh = document.nodes[node].mesh
        if 0 <= mesh < len(document.meshes) and target_count(document.meshes[mesh]):
            log.note("CHANNEL_LEFT_OUT", pointer, "the channel was left out: its node is outside the scene")
        else:
            log.mend(
                "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS",
                f"{pointer}/path",
                f"node {node} must have morph targets, as its weights are animated; the channel was left out",
            )
    channels.keep(kept)


def _tracks(
    channels: Channels,
    joints: Table,
    counts: Table,
    targets: MorphTargets,
    storage: Storage,
    accessors: Accessors,
) -> tuple[Table, Tracks]:
    """Return the channel of each track, and the tracks: one a channel, of weights one for each target."""
    per_channel = np.maximum(counts, 1)
    accessors.budget.spend(_BYTES_PER_TRACK * int(per_channel.sum()), "/animations")
    channel = np.repeat(np.arange(len(channels)), per_channel)
    place = np.arange(len(channel)) - np.repeat(np.cumsum(per_channel) - per_channel, per_channel)
    tracks = np.empty(len(channel), TRACK_DTYPE)
    tracks["path"], tracks["interpolation"] = channels.path[channel], channels.interpolation[channel]
    tracks["joint"] = joints[channel]
    is_weight = tracks["path"] == WEIGHT
    moved = [targets.numbers[int(joints[row])] for row in np.flatnonzero(channels.path == WEIGHT)]
    tracks["joint"][is_weight] = np.concatenate([np.zeros(0, np.int64), *moved])
    keys = accessors.count[channels.input] if len(channels) else np.zeros(0, np.int64)
    values_per_track = keys * np.where(channels.interpolation == CUBICSPLINE, 3, 1)
    tracks["key_count"] = keys[channel]
    tracks["times"] = storage.times[channel]
    tracks["values"] = storage.values[channel] + place * values_per_track[channel]
    # Parts that lissom saved may share a target, whose weights are then in the channels of several nodes.
    rows = np.flatnonzero(is_weight)
    weight = channels.animation[channel[rows]] << 32 | tracks["joint"][rows]
    _, first = np.unique(weight, return_index=True)
    kept = ~is_weight
    kept[rows[first]] = True
    channel, tracks = channel[kept], tracks[kept]
    tracks.flags.writeable = False
    return channel, tracks


def _without_missing(
    channels: Channels, joints: Table, counts: Table, accessors: Accessors, log: Log
) -> tuple[Table, Table]:
    """Leave out channels whose buffer has no data; return the joints and counts of the others."""
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
    return joints[~missing], counts[~missing]


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
