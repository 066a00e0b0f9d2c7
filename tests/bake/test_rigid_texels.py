# SPDX-License-Identifier: MIT
"""Texels of rigid clips in one pass, beside the jobs in turn and the float64 twins."""

from collections.abc import Iterator

import numpy as np
import pytest

import bake_rigs
import lissom
from lissom import _core, quat
from lissom._bake.frame_sampler import FrameSampler
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, SCALE, STEP, TRACK_DTYPE, Clip
from lissom.clip._frames import frame_times
from lissom.pose_texture._layouts import LAYOUTS, ClipSource, Source, Texels
from random_rigs import random_quats, random_skeleton
from reference import palette as palette_twin
from reference import sampling
from reference.model_pose import model_matrices

LAYOUT = LAYOUTS["dual_quat"]
FLOAT, HALF = np.dtype(np.float32), np.dtype(np.float16)
# Two ways through the same formulas: products and sums are fused differently. Dual parts are a few metres.
ROUNDING = 4e-6
# Dual quaternions of float32 poses from exact ones, of chains of up to 30 joints about one unit apart.
TWIN = 3e-5


@pytest.fixture
def restored() -> Iterator[None]:
    yield
    lissom.set_deterministic(False)
    lissom.set_thread_count(0)


def turning_clip(
    rng: np.random.Generator, skeleton: lissom.Skeleton, most_keys: int, scale: float = 1.0
) -> Clip:
    """Rotations that turn slowly and some translations, of all interpolations, keys signed at random."""
    parts, tracks, offset = [], [], 0
    for joint in range(len(skeleton)):
        for path in range(3):
            if rng.random() < 0.3 or (path == SCALE and scale == 1.0 and rng.random() < 0.5):
                continue
            interpolation = int(rng.choice([STEP, LINEAR, LINEAR, LINEAR, CUBICSPLINE]))
            count = int(rng.integers(2, most_keys))
            times = np.cumsum(rng.uniform(0.5, 1.5, count)).astype(np.float32)
            times = (times - times[0]) / (times[-1] - times[0]) * np.float32(rng.uniform(0.7, 2.0))
            if path == ROTATION:
                turns = np.cumsum(rng.normal(scale=0.3 / np.sqrt(count), size=(count, 4)), axis=0)
                points = random_quats(rng, 1) + turns
                points /= np.linalg.norm(points, axis=1, keepdims=True)
                points *= rng.choice([-1, 1], (count, 1)) if interpolation == LINEAR else 1
            elif path == SCALE:
                points = np.full((count, 3), scale) + 1e-6 * rng.normal(size=(count, 3))
            else:
                points = rng.normal(size=(count, 3))
            if interpolation == CUBICSPLINE:
                points = np.stack([0 * points, points, 0 * points], axis=1)
            tracks.append((joint, path, interpolation, count, offset, offset + count))
            parts += [times, points.astype(np.float32).ravel()]
            offset += count + points.size
    return Clip("turning", skeleton, np.concatenate(parts), np.array(tracks, TRACK_DTYPE))


def skin_of(rng: np.random.Generator, skeleton: lissom.Skeleton, rows: int) -> lissom.Skin:
    """Rows of some joints in any order, joints twice, bound where they rest or turned away from it."""
    bind = np.linalg.inv(skeleton.model_matrices(skeleton.rest.astype(np.float64)))
    joints = rng.integers(0, len(skeleton), rows)
    away = np.tile(np.eye(4), (rows, 1, 1))
    away[:, :3, :3] = quat.to_matrix(random_quats(rng, rows))
    return lissom.Skin(joints, (bind[joints] @ away).astype(np.float32))


def in_turn(source: ClipSource, dtype: np.dtype) -> np.ndarray:
    """The texels of the same frames by way of poses, matrices and rows."""
    poses = source.clip.sample(source.times, loop=False)
    rows = LAYOUT.rows(
        staged := Source(source.skeleton, source.skin, poses, "turning", 1.0), LAYOUT.plan(staged)
    )
    return Texels.of(rows, LAYOUT.form(2, rows.shape[1]), dtype).array


def random_source(seed: int, frames: int) -> ClipSource:
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, int(rng.integers(1, 30)))
    clip = turning_clip(rng, skeleton, int(rng.choice([4, 12, 60])))
    skin = skin_of(rng, skeleton, int(rng.integers(1, 24)))
    return ClipSource(skeleton, skin, clip, np.linspace(-0.1, 2.1, frames), 1.0)


@pytest.mark.usefixtures("restored")
@pytest.mark.parametrize("frames", [1, 2, 3, 7, 8, 15, 16, 17, 31, 100, 128, 129, 300])
@pytest.mark.parametrize("dtype", [FLOAT, HALF])
def test_one_pass_gives_what_the_jobs_in_turn_give(frames: int, dtype: np.dtype) -> None:
    passed = 0
    for seed in range(6):
        source = random_source(100 * frames + seed, frames)
        expected = in_turn(source, dtype)
        found = source.rigid_texels(dtype)
        if found is None:  # few frames of moving joints: they jump
            assert frames < 31
            continue
        passed += 1
        tolerance = ROUNDING if dtype == FLOAT else 1e-3 * np.maximum(np.abs(expected.astype(float)), 0.1)
        assert np.all(np.abs(found.astype(float) - expected) <= tolerance)
        lissom.set_deterministic(True)
        for threads in (1, 2):
            lissom.set_thread_count(threads)
            again = ClipSource(source.skeleton, source.skin, source.clip, source.times, 1.0).rigid_texels(
                dtype
            )
            assert again is not None
            assert again.tobytes() == in_turn(source, dtype).tobytes()
        lissom.set_deterministic(False)
    assert passed > 0


@pytest.mark.parametrize("seed", range(8))
def test_one_pass_agrees_with_the_twins(seed: int) -> None:
    source = random_source(seed, 40)
    found = source.rigid_texels(FLOAT)
    assert found is not None
    clip, skin = source.clip, source.skin
    for frame, time in enumerate(source.times):
        pose = sampling.clip_at(clip.skeleton.rest, clip.keys, clip.tracks, time, False)
        model = model_matrices(clip.skeleton.parents, pose)
        dual_quats, _ = palette_twin.decompose(skin.joints, skin.joint_from_bind, model)
        texels = found[frame].reshape(-1, 8).astype(np.float64)
        signs = np.sign((texels[:, :4] * dual_quats[:, :4]).sum(axis=1, keepdims=True))
        np.testing.assert_allclose(signs * texels, dual_quats, atol=TWIN)


def test_signs_are_coherent_across_sections() -> None:
    """A root that goes round: the sign turns several times, also where other threads begin."""
    bones = bake_rigs.skeleton()
    clip = bake_rigs.spinning_clip(bones, turns=7.0, key_count=90)
    texels = ClipSource(bones, bake_rigs.skin(bones), clip, frame_times(clip, 400), 1.0).rigid_texels(FLOAT)
    assert texels is not None
    real = texels[:, :, 0]
    assert (real[0, :, 3] >= 0).all()
    assert ((real[1:] * real[:-1]).sum(axis=-1) > 0.9).all()
    assert (real[..., 3] < -0.9).any()  # raw rows have w >= 0


def source_of(clip: Clip, frames: int = 50, skin: lissom.Skin | None = None) -> ClipSource:
    bones = clip.skeleton
    return ClipSource(bones, skin or bake_rigs.skin(bones), clip, frame_times(clip, frames - 1), 2.0)


def test_what_is_not_surely_rigid_is_left_to_the_jobs() -> None:
    bones = bake_rigs.skeleton()
    waving = bake_rigs.waving_clip(bones)
    assert source_of(waving).rigid_texels(FLOAT) is not None
    growing = bake_rigs.waving_clip(bones, scale=np.tile([1.01, 1.0, 1.0], (5, 1)))
    assert source_of(growing).rigid_texels(FLOAT) is None
    mirrored = bake_rigs.waving_poses(bones)
    mirrored[:, 2, 7:] = -1.0
    assert source_of(Clip.from_poses(bones, np.arange(31.0), mirrored)).rigid_texels(FLOAT) is None
    assert source_of(bake_rigs.leaping_clip(bones), 300).rigid_texels(FLOAT) is not None
    assert source_of(bake_rigs.spinning_clip(bones, turns=40.0), 81).rigid_texels(FLOAT) is None  # jumps


def test_a_palette_mirrored_twice_is_rigid() -> None:
    bones = bake_rigs.skeleton()
    poses = bake_rigs.waving_poses(bones)
    poses[:, 0, 7:] = -1.0
    bind = np.linalg.inv(bones.model_matrices(poses[0].astype(np.float64)))
    source = source_of(Clip.from_poses(bones, np.arange(31.0), poses), skin=lissom.Skin(np.arange(5), bind))
    found = source.rigid_texels(FLOAT)
    assert found is not None
    np.testing.assert_allclose(found, in_turn(source, FLOAT), atol=ROUNDING)


def test_what_a_type_does_not_hold_is_left_to_the_jobs() -> None:
    bones = bake_rigs.skeleton()
    poses = bake_rigs.waving_poses(bones)
    poses[:, 0, 0] = 2.2e5
    far = Clip.from_poses(bones, np.arange(31.0), poses)
    assert source_of(far).rigid_texels(FLOAT) is not None
    assert source_of(far).rigid_texels(HALF) is None
    with pytest.raises(lissom.BakeError, match="float16 ends at 65504"):
        lissom.bake(bake_rigs.character(far), rate=1)


def test_other_clips_are_left_to_the_jobs() -> None:
    bones = bake_rigs.skeleton()
    clip = bake_rigs.waving_clip(bones)
    narrow = source_of(clip)
    wide = Clip.from_poses(bones, np.linspace(0, 1, 31), bake_rigs.waving_poses(bones).astype(np.float64))
    assert wide.keys.dtype == np.float64
    for other in (wide, clip.resampled(30)):
        assert source_of(other).rigid_texels(FLOAT) is None
        assert lissom.bake(bake_rigs.character(other), rate=20).texels.shape == (21, 5, 2, 4)
    backwards = ClipSource(bones, narrow.skin, clip, narrow.times[::-1].copy(), 2.0)
    assert backwards.rigid_texels(FLOAT) is None


def test_the_job_checks_its_sizes() -> None:
    bones = bake_rigs.skeleton()
    clip, skin = bake_rigs.waving_clip(bones), bake_rigs.skin(bones)
    out = np.empty((3, 5, 8), np.float32)

    def write(times=(0.0, 0.5, 1.0), parents=bones.parents, skin=skin, out=out) -> None:
        _core.rigid_texels_f32(
            clip._ready(), _core.Parents(np.int32(parents)), skin._bind, np.array(times), 0.7, out
        )

    write()
    with pytest.raises(
        ValueError, match=r"parents must hold one number for each of the clip's 5 joints, got 2"
    ):
        write(parents=[-1, 0])
    with pytest.raises(ValueError, match=r"skin must use joints of the clip's 5, got joint 7"):
        write(skin=lissom.Skin([0, 1, 2, 3, 7], skin.joint_from_bind))
    with pytest.raises(ValueError, match=r"times must be finite, got nan at element 1"):
        write(times=(0.0, np.nan, 1.0))
    with pytest.raises(ValueError, match="out"):
        write(out=np.empty((2, 5, 8), np.float32))


@pytest.mark.parametrize("dtype", ["float16", "float32", "uint8"])
def test_a_bake_takes_the_pass(dtype: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of a bake is the same whether its frames are made in one pass or in turn."""
    character = bake_rigs.character(bake_rigs.waving_clip(bake_rigs.skeleton()))
    found = lissom.bake(character, dtype=dtype)
    monkeypatch.setattr(ClipSource, "rigid_texels", lambda *_: None)
    expected = lissom.bake(character, dtype=dtype)
    assert found.texels.dtype == expected.texels.dtype
    difference = np.abs(found.texels.astype(float) - expected.texels.astype(float)).max()
    assert difference <= (1 if dtype == "uint8" else 1e-3 if dtype == "float16" else ROUNDING)
    assert found.report.max_relative == pytest.approx(expected.report.max_relative, rel=1e-2)


def test_frames_are_sampled_when_they_are_used() -> None:
    bones = bake_rigs.skeleton()
    sampler = FrameSampler(bones, bake_rigs.skin(bones), 2.0)
    source = sampler.at_rate(bake_rigs.waving_clip(bones), 20)
    assert "poses" not in vars(source)
    np.testing.assert_array_equal(source.poses, source.clip.sample(source.times, loop=False))
