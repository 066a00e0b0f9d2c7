# SPDX-License-Identifier: MIT
"""Every clip of every real character: dual quaternions are signed as the float64 twin signs them.

A wrong sign moves a vertex by a good part of the character, so agreement within rounding means the right
side for every influence. Left out, by name, are vertices with a pair of rotations within 1e-4 of a right
angle between their quaternions: half a turn apart, where rounding decides.
"""

from pathlib import Path

import numpy as np
import pytest

import lissom
from conftest import asset_files, asset_id
from reference import skinning

POSITIONS = 2e-6  # of the character's size, float32 against the twin on the same palette
PHASES = (0.13, 0.45, 0.81)
#: Clips that turn a joint by exactly half a turn at one of the phases, by file.
HALF_TURNS: dict[str, set[str]] = {}

FILES = asset_files("characters")


@pytest.mark.parametrize("path", FILES, ids=asset_id)
def test_every_influence_is_on_the_right_side(path: Path) -> None:
    character = lissom.load(path)
    mesh, skin = character.mesh, character.skin
    if mesh is None or skin is None:  # clips alone: nothing is skinned
        assert len(character.clips) > 0
        return
    half_turns = set()
    sampled = {
        name: clip.sample(clip.start + clip.duration * np.array(PHASES), loop=False)
        for name, clip in character.clips.items()
    }
    for name, poses in (sampled or {"at rest": character.skeleton.rest[None]}).items():
        palette = skin.palette(character.skeleton.model_matrices(poses))
        moved = lissom.skin_dual_quat(mesh, palette.dual_quats)
        for i in range(len(poses)):
            rows = palette.dual_quats[i]
            unstable = skinning.unstable(mesh.indices, mesh.weights, rows)
            if unstable.any():
                half_turns.add(name)
            assert unstable.mean() < 0.01
            expected, _ = skinning.dual_quat(mesh.positions, mesh.positions, mesh.indices, mesh.weights, rows)
            size = max(character.size, float(np.linalg.norm(np.ptp(expected, axis=0))))
            difference = np.abs(moved[i] - expected).max(axis=1)
            assert difference[~unstable].max(initial=0) <= POSITIONS * size, name
    assert half_turns == HALF_TURNS.get(path.name, set())
