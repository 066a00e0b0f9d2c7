# SPDX-License-Identifier: MIT
"""What a bake says of itself, found again apart from it: any time, across seams, in bytes and in memory."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import bake_rigs
import lissom
from conftest import ASSETS, asset_files, asset_id
from lissom.clip._frames import jump_times

# Float32 poses, palettes and vertices, of a figure of 2 m.
NOISE = 3e-6
# Of the stated maximum: between frames its peaks are looked for, and found within half a percent.
HELD = 1.005
VERSION_1 = Path(__file__).parents[1] / "data" / "pose_texture_v1.safetensors"


def bvh_files():
    return sorted(path for folder in ("bvh", "wild") for path in (ASSETS / folder).rglob("*.bvh"))


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
    assert largest(humanoid, baked, name, times, False) <= HELD * baked.clips[name].error.max


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
        assert found <= HELD * bake.clips["wild"].error.max
        assert found > NOISE


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("quaternius/cute_fish_pack/Piranha.glb", "Fish_Armature|Death"),  # 2.0 % above the quarters' largest
        ("kaykit/Barbarian.glb", "1H_Ranged_Reload"),  # 2.7 %
        ("kaykit/Knight.glb", "Sit_Chair_Down"),  # 1.5 %
    ],
)
def test_no_random_time_of_real_clips_is_worse_than_stated(asset, file, name):
    character = lissom.load(asset(f"characters/{file}"))
    assert_truth(character, lissom.bake(character, name), character.clips[name], 500)


@pytest.mark.soak
@pytest.mark.parametrize("file", asset_files("characters", "wild") + bvh_files(), ids=asset_id)
def test_no_time_of_any_clip_is_worse_than_stated(file):
    """2000 random times of each clip of all files."""
    try:
        character = lissom.load(file)
    except lissom.GltfError as error:
        pytest.skip(error.code)
    if not any(clip.duration > 0 for clip in character.clips.values()):
        pytest.skip("no clip that moves")
    bake = lissom.bake(character)
    for clip in character.clips.values():
        assert_truth(character, bake, clip, 2000)


def assert_truth(character, bake, clip, count):
    """No random time is worse than stated, except for jumps of the source, which are stated apart."""
    entry = bake.clips[clip.name]
    times = clip.start + np.random.default_rng(1).uniform(0, clip.duration, count)
    if entry.error.jumps is not None:
        away = np.abs(times[:, None] - jump_times(clip)).min(axis=1)
        times = times[away > 1.01 / entry.rate]
    skin, mesh = skin_and_points(character)
    allowed = HELD * entry.error.max + 1e-6 * character.size
    for part in np.array_split(times, 1 + count * mesh.vertex_count // (1 << 19)):
        source = skin.palette(character.skeleton.model_matrices(clip.sample(part, loop=False)))
        expected = lissom.deform(mesh, source, bake.method)
        actual = lissom.deform(mesh, bake.sample(clip.name, part, loop=False), bake.method)
        assert np.linalg.norm(expected - actual, axis=-1).max(initial=0) <= allowed, clip.name


def skin_and_points(character):
    """The skin, or all joints at rest, and the mesh, or each joint with three points at 3 % of the size."""
    skin = character.skin
    if not skin:
        rest = character.skeleton.model_matrices(character.skeleton.rest.astype(np.float64))
        skin = lissom.Skin(np.arange(len(character.skeleton)), np.linalg.inv(rest).astype(np.float32))
    if character.mesh is not None and character.mesh.vertex_count:
        return skin, character.mesh
    bind_from_joint = np.linalg.inv(skin.joint_from_bind.astype(np.float64))
    axes = bind_from_joint[:, :3, :3].swapaxes(1, 2)
    axes *= 0.03 * character.size / np.linalg.norm(axes, axis=2, keepdims=True)
    offsets = np.concatenate([np.zeros((len(axes), 1, 3)), axes], axis=1)
    points = (bind_from_joint[:, None, :3, 3] + offsets).reshape(-1, 3)
    rows = np.repeat(np.arange(len(axes)), 4)[:, None]
    return skin, lissom.Mesh(points, np.empty((0, 3), np.uint32), rows, np.ones(rows.shape, np.float32))


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
