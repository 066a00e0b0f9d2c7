# SPDX-License-Identifier: MIT
"""What a bake says of itself, found again apart from it: any time, across seams, in bytes and in memory."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import bake_rigs
import lissom

# Float32 poses, palettes and vertices, of a figure of 2 m.
NOISE = 3e-6
VERSION_1 = Path(__file__).parents[1] / "data" / "pose_texture_v1.safetensors"


@pytest.fixture(scope="module")
def humanoid():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def baked(humanoid):
    return lissom.bake(humanoid)


def largest(character, bake, name, times, loop):
    """Largest distance of baked and source vertices at some times."""
    expected = character.deform(character.clips[name].sample(times, loop=loop), method=bake.method)
    actual = lissom.deform(character.mesh, bake.sample(name, times, loop=loop), bake.method)
    return float(np.linalg.norm(expected - actual, axis=-1).max())


@pytest.mark.parametrize("name", ["idle", "walk", "run", "wave", "lean"])
def test_no_random_time_is_worse_than_stated(humanoid, baked, name):
    clip = humanoid.clips[name]
    times = clip.start + np.random.default_rng(0).uniform(0, clip.duration, 200)
    assert largest(humanoid, baked, name, times, False) <= 1.1 * baked.clips[name].error.max


@pytest.mark.parametrize("seed", range(4))
def test_no_random_time_of_wild_clips_is_worse_than_stated(seed):
    """Irregular keys, splines that overshoot and fast turns: 200 times each."""
    rng = np.random.default_rng(seed)
    bones = bake_rigs.skeleton()
    times = np.cumsum(rng.uniform(0.01, 0.2, 20)).astype(np.float32)
    poses = np.repeat(bones.rest[None], 20, axis=0)
    turns = rng.normal(size=(20, 5, 3)) * 0.4
    poses[..., 3:7] = lissom.quat.exp(np.concatenate([turns, np.zeros((20, 5, 1))], axis=-1))
    clip = lissom.Clip.from_poses(bones, times, poses, name="wild", loop=False)
    character = bake_rigs.character(clip)
    for rate in (None, 13):
        bake = lissom.bake(character, rate=rate)
        moments = rng.uniform(clip.start, clip.end, 200)
        found = largest(character, bake, "wild", moments, False)
        assert found <= 1.1 * bake.clips["wild"].error.max
        assert found > NOISE


@pytest.mark.parametrize("name", ["idle", "walk", "run"])
def test_a_seam_is_no_worse_than_the_clip(humanoid, baked, name):
    clip, entry = humanoid.clips[name], baked.clips[name]
    assert clip.loop is True
    aside = np.linspace(1e-3, 1.5, 16) / entry.rate
    times = clip.end + np.concatenate([-aside, [0], aside])
    assert largest(humanoid, baked, name, times, True) <= entry.error.max + NOISE


def test_a_seam_that_jumps_is_no_worse_than_the_clip():
    """Cut off before it returns: the source jumps at the seam, and so does the bake."""
    bones = bake_rigs.skeleton()
    poses = bake_rigs.waving_poses(bones)[:-6]
    times = np.linspace(0, 1, len(poses)).astype(np.float32)
    character = bake_rigs.character(lissom.Clip.from_poses(bones, times, poses, name="cut", loop=True))
    bake = lissom.bake(character)
    aside = np.linspace(1e-3, 1.5, 16) / bake.clips["cut"].rate
    moments = 1.0 + np.concatenate([-aside, [0], aside])
    assert largest(character, bake, "cut", moments, True) <= bake.clips["cut"].error.max + NOISE
    jump = character.deform(character.clips["cut"].sample([0.9999, 1.0]))
    assert np.linalg.norm(np.diff(jump, axis=0), axis=-1).max() > 0.1


def test_ten_clips_of_two_seconds_take_a_megabyte():
    """65 joints at 60 frames per second: 10 x 121 frames x 65 rows x 16 bytes."""
    joint_count = 65
    rest = np.zeros((joint_count, 10), np.float32)
    rest[:, 6:] = 1
    rest[1:, 1] = 0.05
    bones = lissom.Skeleton([f"j{i}" for i in range(joint_count)], range(-1, joint_count - 1), rest)
    poses = np.repeat(rest[None], 61, axis=0)
    half = 0.05 * np.sin(np.linspace(0, 2 * np.pi, 61))[:, None] * np.ones(joint_count)
    poses[..., 3], poses[..., 6] = np.sin(half), np.cos(half)
    clips = [lissom.Clip.from_poses(bones, np.linspace(0, 2, 61), poses, name=f"{i}") for i in range(10)]
    bind = np.linalg.inv(bones.model_matrices(rest.astype(np.float64)))
    skin = lissom.Skin(np.arange(joint_count), bind.astype(np.float32))
    bake = lissom.bake(lissom.Character("worm", bones, None, skin, clips), rate=60)
    assert {clip.rate for clip in bake.clips.values()} == {60.0}
    assert bake.texels.nbytes == 10 * 121 * 65 * 16 <= 1.3e6


def test_measuring_a_long_clip_of_a_large_mesh_takes_little_memory():
    """Two minutes and 60 000 vertices: all of them at all moments would be twenty gigabytes."""
    bones = bake_rigs.skeleton()
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 5, (60_000, 1))
    mesh = lissom.Mesh(rng.normal(size=(60_000, 3)), [[0, 1, 2]], rows, np.ones(rows.shape))
    clip = bake_rigs.waving_clip(bones, duration=120.0)
    character = lissom.Character("crowd", bones, mesh, bake_rigs.skin(bones), {"wave": clip})
    lissom.bake(character, rate=0.1)  # what is made once
    tracemalloc.start()
    try:
        bake = lissom.bake(character, rate=2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    moments = bake.clips["wave"].error.at_frames.moment_count + bake.clips["wave"].error.between.moment_count
    assert 2 * moments * 60_000 * 12 > 1e9
    assert peak < 30e6


def test_files_of_version_1_have_no_errors_of_joints():
    report = lissom.load_bake(VERSION_1).report
    assert report.joint_max is None
    assert report.joint_rms is None
    assert all(clip.error.worst is None for clip in report.clips.values())
    clip = next(iter(report.to_dict()["clips"].values()))
    assert clip["joint_max"] is clip["error"]["worst"] is None
    assert report.picture().height > 100
