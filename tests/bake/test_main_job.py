# SPDX-License-Identifier: MIT
"""From a file to moved vertices: the float32 job against the float64 twins of every step, one after another.

The twins never see what the library made of a step: a difference in sampling, composing, palettes or skinning
shows here whatever the tests of the single steps let pass.
"""

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import lissom
from conftest import HAS_ALL, asset_files, asset_id
from reference import model_pose, morphs, palette, sampling, skinning

# Of the character's size: the promise of the package. The worst of all characters measured 4.4e-7.
POSITIONS = 2e-6
# What a palette leaves away: joints whose scale differs from 1 by less count as rigid.
RIGID = 1e-4
CLIPS = 3
# Not the middle: twists made for tests stand there at exactly half a turn, where no sign is stable.
PHASE = 0.45

FILES = asset_files("characters", "features")
SAMPLES = {
    "adult": lambda: lissom.samples.humanoid("adult"),
    "twisted_bar": lissom.samples.twisted_bar,
    "two_bone_tube": lissom.samples.two_bone_tube,
}

Pose = NDArray[np.float64]


def _moments(character: lissom.Character) -> list[tuple[NDArray[np.float32], Pose]]:
    """Poses at rest and within some clips: the library's, and the twin's."""
    rest = character.skeleton.rest
    moments = [(rest, rest.astype(np.float64))]
    for clip in list(character.clips.values())[:CLIPS]:
        time = clip.start + PHASE * clip.duration
        twin = sampling.clip_at(rest, clip.keys, clip.tracks, time, False)
        moments.append((clip.sample(time, loop=False), twin))
    return moments


def _expect(character: lissom.Character) -> None:
    mesh, skin = character.mesh, character.skin
    if mesh is None or skin is None:
        with pytest.raises(ValueError, match="has no mesh"):
            character.deform(character.skeleton.rest)
        return
    for pose, twin in _moments(character):
        model = model_pose.model_matrices(character.skeleton.parents, twin)
        matrices = palette.matrices(skin.joints, skin.joint_from_bind, model)
        shape = mesh.positions
        if mesh.morphs:
            deltas = morphs.dense(mesh.morphs, mesh.vertex_count)
            shape = morphs.morphed(shape, deltas, mesh.morphs.defaults)
        bind = (shape, shape, mesh.indices, mesh.weights)
        linear, _ = skinning.linear(*bind, matrices)
        _agree(character, pose, "linear", linear, np.zeros(mesh.vertex_count, bool))
        dual_quats, scales = palette.decompose(skin.joints, skin.joint_from_bind, model)
        rigid = np.abs(scales[..., :3] - np.eye(3)).max() < RIGID
        rotated, _ = skinning.dual_quat(*bind, dual_quats, None if rigid else scales)
        # Vertices between joints half a turn apart have no sign that rounding could not turn.
        unstable = skinning.unstable(mesh.indices, mesh.weights, dual_quats)
        _agree(character, pose, "dual_quat", rotated, unstable)


def _agree(
    character: lissom.Character,
    pose: NDArray[np.float32],
    method: str,
    expected: NDArray[np.float64],
    left_out: NDArray[np.bool_],
) -> None:
    moved = character.deform(pose, method=method)
    assert moved.dtype == np.float32
    assert left_out.mean() < 0.01
    difference = np.abs(moved - expected).max(axis=1)[~left_out].max(initial=0)
    assert difference <= POSITIONS * character.size, method


@pytest.mark.parametrize("path", FILES, ids=asset_id)
def test_real_characters(path: Path) -> None:
    _expect(lissom.load(path))


@pytest.mark.parametrize("name", SAMPLES)
def test_samples(name: str) -> None:
    _expect(SAMPLES[name]())


def test_the_assets_are_there() -> None:
    assert len(FILES) > (70 if HAS_ALL else 9)
