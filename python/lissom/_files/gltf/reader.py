# SPDX-License-Identifier: MIT
"""The load of a glTF as a whole: from source to Character."""

from __future__ import annotations

import contextlib
from functools import partial

import numpy as np

from lissom._character.character import Character
from lissom._files.gltf import container, json_text
from lissom._files.gltf.accessors import Accessors
from lissom._files.gltf.animations import Keys, Tracks, read_clips
from lissom._files.gltf.avatar_mark import restore_avatar
from lissom._files.gltf.buffers import Buffers
from lissom._files.gltf.channels import Channels
from lissom._files.gltf.expressions import read_expressions
from lissom._files.gltf.extensions import check_extensions, note_left_out
from lissom._files.gltf.extras import ClipMark
from lissom._files.gltf.first_person import read_views
from lissom._files.gltf.hierarchy import read_hierarchy, read_tree
from lissom._files.gltf.humanoid import read_humanoid
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.look_at import read_look_at
from lissom._files.gltf.merge import Merger
from lissom._files.gltf.morph_targets import MorphTargets, read_morph_targets
from lissom._files.gltf.source import Source
from lissom._files.gltf.springs import read_springs
from lissom._files.gltf.strict_data import DataChecks
from lissom._files.gltf.strict_json import check_json
from lissom._files.gltf.vrm_animation import read_vrm_animation
from lissom._formats.budget import Budget
from lissom._rig.expressions import Expressions
from lissom._rig.morphs import Morphs
from lissom._rig.skeleton import Skeleton
from lissom.clip import Clip
from lissom.errors import GltfError

NO_MORPHS = Morphs((), [0], [], np.zeros((0, 3)))


def read_character(opened: Source, is_strict: bool) -> Character:
    """Load a character; errors carry the path of the file."""
    try:
        return _read(opened, Log(is_strict))
    except GltfError as error:
        error.path = opened.path
        raise


def _read(source: Source, log: Log) -> Character:
    parts = container.split(source, log)
    budget = Budget(len(source.data), partial(refuse, "LIMIT_EXCEEDED"))
    document, tables = json_text.decode(parts.text, log, budget)
    root = check_json(parts.text) if log.strict else {}
    check_extensions(document, log)
    buffers = Buffers(source, parts, document, log, budget)
    accessors = Accessors(document, tables, buffers, log)
    buffers.check()
    tree = read_tree(document, budget)
    if log.strict:
        DataChecks(root, document, tables, accessors, tree, log).check()
    channels = Channels(document, tables, log)
    humanoid = read_humanoid(document, log, budget)
    springs = read_springs(document, log, budget)
    used = [*channels.animated_nodes, *humanoid.values(), *springs.nodes]
    hierarchy = read_hierarchy(document, tree, used, log, budget)
    targets = read_morph_targets(document, hierarchy, log, budget)
    merger = Merger(document, accessors, buffers, hierarchy, targets, log)
    mesh, skin = merger.merge(read_views(document, log, budget))
    expressions = read_expressions(document, hierarchy.marks.expressions, targets, log, budget)
    skeleton = Skeleton(hierarchy.names, hierarchy.parents, hierarchy.rest, hierarchy.nodes)
    skeleton._stated_roles = {
        role: skeleton.names[hierarchy.joint_of_node[node]]
        for role, node in humanoid.items()
        if hierarchy.joint_of_node[node] >= 0
    }
    skeleton._stated_look_at = read_look_at(document, skeleton._stated_roles, log, budget)
    joints = hierarchy.joint_of_node
    at = {node: skeleton.names[joint] for joint, node in enumerate(hierarchy.nodes.tolist())}
    skeleton._stated_motion = read_vrm_animation(document, at, log, budget)
    skeleton._stated_springs = springs.chains(
        skeleton, {node: skeleton.names[joints[node]] for node in springs.nodes if joints[node] >= 0}
    )
    restore_avatar(skeleton, document, hierarchy.marks.avatar, log, budget)
    contents = read_clips(document, channels, accessors, hierarchy, targets, log)
    make_clip = partial(_clip, skeleton, targets)
    clips = {name: partial(make_clip, name, *one) for name, one in contents.items()}
    note_left_out(document, log)
    character = Character(source.name, skeleton, mesh, skin, clips, log.repairs)
    character.method, character.blend = hierarchy.marks.method, merger.blend
    if expressions is not None:
        morphs = None if mesh is None else mesh.morphs
        character.expressions = Expressions(NO_MORPHS if morphs is None else morphs, expressions)
    character._compression = tuple(sorted(accessors.compression))
    return character


def _clip(
    skeleton: Skeleton, targets: MorphTargets, name: str, keys: Keys, tracks: Tracks, mark: ClipMark
) -> Clip:
    """Make a clip; `mark` has its attributes beyond the keys."""
    make = partial(
        Clip,
        name,
        skeleton,
        keys,
        tracks,
        loop=mark.loop,
        markers=mark.markers,
        additive=mark.additive,
        root_motion=None if mark.root_motion is None else mark.root_motion.motion(),
        morph_names=targets.names,
        morph_defaults=targets.defaults,
    )
    if mark.uniform:
        with contextlib.suppress(ValueError):  # another tool may have changed a key
            return make(uniform=True)
    return make()
