# SPDX-License-Identifier: MIT
"""A hash of what a bake was made of."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._rig.skin import Skin
    from lissom.clip import Clip

__all__ = ["source_hash"]


def source_hash(character: Character, skin: Skin, clips: Iterable[Clip]) -> str:
    """Return the SHA-256 of all that a bake depends on, arrays led by their types and shapes."""
    digest = hashlib.sha256()

    def add(*things: object) -> None:
        for thing in things:
            if isinstance(thing, np.ndarray):
                digest.update(f"{thing.dtype.str}{thing.shape}".encode())
                digest.update(np.ascontiguousarray(thing).tobytes())
            else:
                digest.update(f"{thing!r};".encode())

    skeleton, mesh = character.skeleton, character.mesh
    add(skeleton.names, skeleton.parents, skeleton.rest, skin.joints, skin.joint_from_bind)
    if mesh is not None:
        add(mesh.positions, mesh.triangles, mesh.indices, mesh.weights)
        if mesh.morphs:
            add(mesh.morphs.names, mesh.morphs.offsets, mesh.morphs.vertices, mesh.morphs.positions)
            add(mesh.morphs.defaults)
    seen: dict[tuple[int, int], int] = {}  # clips of one file share their keys
    for clip in clips:
        memory = (clip.keys.ctypes.data, clip.keys.nbytes)
        if memory not in seen:
            seen[memory] = len(seen)
            add(clip.keys)
        add(clip.name, clip.loop is True, clip._table, seen[memory])
        if clip.morph_names:
            add(clip.morph_names, clip.morph_defaults)
        if clip.markers:
            add(clip.markers)
        if clip.root_motion is not None:
            add(clip.root_motion.track.keys, clip.root_motion.track.tracks)
    return digest.hexdigest()
