# SPDX-License-Identifier: MIT
"""Clips of real characters, against the float64 twins."""

import numpy as np
import pytest

import lissom
from reference import model_pose, sampling

# One of each exporter, of each interpolation, the longest keys and the deepest chain.
FILES = [
    "characters/kaykit/Knight.glb",
    "characters/kaykit/Med_General.glb",
    "characters/khronos/Fox.glb",
    "characters/khronos/CesiumMan.glb",
    "characters/quaternius/animals_pack/Stag.glb",
    "characters/raylib/robot.glb",
    "characters/sharpgltf/InfiniteSkinnedTentacle.glb",
    "characters/kenney/character.glb",
    "features/khronos/interpolation_test.gltf",
    "features/blender-io/01_cs_rotate/01_cs_rotate.gltf",
]
CLIPS, TIMES = 3, 6  # of each file, the clips spread over all of them
ROTATION_TOLERANCE = 1e-6
POSITION_TOLERANCE = 2e-6  # of the size of what is drawn


@pytest.mark.parametrize("name", FILES)
def test_real_clips_equal_the_twin(asset, name: str) -> None:
    character = lissom.load(asset(name))
    skeleton = character.skeleton
    rng = np.random.default_rng(1)
    clips = list(character.clips.values())
    for clip in clips[:: max(1, len(clips) // CLIPS)]:
        inner = rng.uniform(clip.start, clip.end, TIMES)
        for time in (*inner, clip.start, clip.end):
            pose = clip.sample(time, loop=False)
            want = sampling.clip_at(skeleton.rest, clip.keys, clip.tracks, time, loop=False)
            rotations = np.sum(pose[:, 3:7] * want[:, 3:7], axis=1, keepdims=True)
            flipped = np.where(rotations < 0, -1, 1) * pose[:, 3:7]
            # Rotations that no track moves are the rest's, unit only as well as the file has them.
            moved = np.unique(clip.tracks["joint"][clip.tracks["path"] == 1])
            np.testing.assert_allclose(flipped[moved], want[moved, 3:7], rtol=0, atol=ROTATION_TOLERANCE)
            model = skeleton.model_matrices(pose)
            want_model = model_pose.model_matrices(skeleton.parents, want)
            # The file's lengths may be large beside the joints' box: float32 is relative to where things are.
            size = max(skeleton.size, float(np.abs(want_model[:, :3, 3]).max()))
            difference = np.linalg.norm(model[:, :3, 3] - want_model[:, :3, 3], axis=1)
            assert difference.max() <= POSITION_TOLERANCE * size, (clip.name, time)


def test_characters_name_what_loops(asset) -> None:
    clips = lissom.load(asset("characters/kaykit/Knight.glb")).clips
    assert [clips[name].loop for name in ("Walking_A", "Running_A", "Idle")] == [True, True, True]
    once = [clips[name] for name in ("Death_A", "Dodge_Left", "Sit_Chair_Down") if name in clips]
    assert not any(clip.loop for clip in once)
    assert {clip.key_rate for clip in clips.values() if clip.duration > 0} == {30.0}
