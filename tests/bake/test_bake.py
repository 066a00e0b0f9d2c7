# SPDX-License-Identifier: MIT
"""Bakes: what is stored, what is said about it, and that it is true."""

import hashlib

import numpy as np
import pytest

import bake_rigs
import lissom
from lissom._bake import bake_clip as _bake_clip
from lissom._bake.error_metric import BakeErrorMetric
from lissom.clip._frames import default_rate, interval_count
from reference import bake as twin

# What float32 sampling, palettes and skinning add to a distance measured in float64, for a figure of 2 m.
FLOAT32_NOISE = 3e-6


@pytest.fixture
def bones():
    return bake_rigs.skeleton()


# --- rates and frames ---


@pytest.mark.parametrize(
    ("duration", "rate", "intervals"),
    [
        (1.0, 60, 60),
        (0.0, 60, 0),
        (1e-6, 60, 1),
        (np.float32(0.7), 30, 21),  # 0.7 rounds up in float32: no frame more for that
        (1.01, 60, 61),
        (np.float32(1.1), 30, 33),
    ],
)
def test_intervals_hold_the_wanted_rate(duration, rate, intervals):
    assert interval_count(float(duration), rate) == intervals == twin.interval_count(float(duration), rate)


@pytest.mark.parametrize(
    ("key_rate", "expected"), [(30, 60), (24, 72), (25, 75), (60, 60), (100, 100), (20, 60), (59.94, 119.88)]
)
def test_default_rate_is_a_multiple_of_the_keys(bones, key_rate, expected):
    clip = bake_rigs.waving_clip(bones, duration=30 / key_rate, key_count=31)
    assert default_rate(clip) == pytest.approx(expected, rel=1e-4)
    # The poses stand still, so that no rate is doubled.
    still = lissom.Clip.from_poses(bones, np.arange(31) / key_rate, bones.rest[None].repeat(31, 0))
    baked = next(iter(lissom.bake(bake_rigs.character(still)).clips.values()))
    assert baked.rate == pytest.approx(expected, rel=1e-4)


def test_default_rate_of_irregular_keys_is_60(bones):
    rng = np.random.default_rng(0)
    times = np.cumsum(rng.uniform(0.02, 0.09, 31)).astype(np.float32)
    clip = lissom.Clip.from_poses(bones, times, bake_rigs.waving_poses(bones), name="wave")
    assert clip.key_rate is None
    assert default_rate(clip) == 60


def waving(bones, seconds, **options):
    """One wave in so many seconds, its bake, and the bake at the rate before doubling."""
    character = bake_rigs.character(bake_rigs.waving_clip(bones, duration=seconds, **options))
    rate = default_rate(character.clips["wave"])
    return lissom.bake(character), lissom.bake(character, rate=rate)


def test_a_default_rate_is_doubled_where_motion_is_fast(bones):
    bake, before = waving(bones, 0.5, key_count=16)
    assert before.report.max_relative > 1.5e-3
    assert bake.clips["wave"].rate == 2 * before.clips["wave"].rate
    assert bake.report.max_relative < 0.5 * before.report.max_relative
    (note,) = bake.report.notes
    assert note == (
        "The rate of 'wave' was raised from 60 to 120 frames per second "
        "to reach an error of 0.15% of the size."
    )
    assert not before.report.notes


def test_a_default_rate_is_doubled_where_that_is_enough_by_whatever_gain(bones, monkeypatch):
    monkeypatch.setattr(_bake_clip, "DOUBLING_GAIN", 0.0)
    bake, before = waving(bones, 0.5, key_count=16)
    assert bake.clips["wave"].rate == 2 * before.clips["wave"].rate


def test_a_default_rate_is_kept_where_motion_is_slow(bones):
    bake, before = waving(bones, 4.0)
    assert before.report.max_relative <= 1.5e-3
    np.testing.assert_array_equal(bake.texels, before.texels)
    assert bake.clips["wave"].error == before.clips["wave"].error


def test_a_default_rate_is_kept_where_more_frames_do_not_help(bones):
    character = bake_rigs.character(bake_rigs.leaping_clip(bones))
    bake, before = lissom.bake(character), lissom.bake(character, rate=60)
    assert before.report.max_relative > 1.5e-3
    assert bake.clips["leap"].rate == before.clips["leap"].rate
    assert bake.clips["leap"].error == before.clips["leap"].error


def test_a_default_rate_is_kept_where_the_type_is_to_blame(bones, monkeypatch):
    character = bake_rigs.character(bake_rigs.waving_clip(bones, duration=4.0))
    measured = []
    measure = BakeErrorMetric.measure
    monkeypatch.setattr(BakeErrorMetric, "measure", lambda *given: measured.append(given) or measure(*given))
    bake = lissom.bake(character, dtype="uint8")
    assert bake.report.max_relative > 1.5e-3
    assert bake.clips["wave"].rate == default_rate(character.clips["wave"])
    assert len(measured) == 1


def test_wanted_rate_is_rounded_up_to_whole_intervals(bones):
    clip = bake_rigs.waving_clip(bones, duration=0.77)
    baked = lissom.bake(bake_rigs.character(clip), rate=10).clips["wave"]
    assert baked.frame_count == 9
    assert baked.rate == pytest.approx(8 / 0.77)
    assert (baked.start, baked.duration) == (clip.start, clip.duration)


def test_frames_are_the_clip_at_their_times(bones):
    clip = bake_rigs.waving_clip(bones, start=2.0)
    character = bake_rigs.character(clip)
    bake = lissom.bake(character, rate=20, dtype="float32")
    times = 2.0 + np.arange(21) / 20
    rows = character.skin.palette(bones.model_matrices(clip.sample(times, loop=False))).dual_quats
    stored = bake.texels.reshape(21, 5, 8)
    sign = np.sign((rows[..., :4] * stored[..., :4]).sum(axis=-1))[..., None]
    np.testing.assert_allclose(stored * sign, rows, atol=2e-7)


def test_a_clip_of_one_moment_is_one_frame(bones):
    poses = bake_rigs.waving_poses(bones)[8:9]
    clip = lissom.Clip.from_poses(bones, [0.5], poses, name="still")
    bake = lissom.bake(bake_rigs.character(clip))
    still = bake.clips["still"]
    assert (still.frame_count, still.rate, still.duration) == (1, 0.0, 0.0)
    assert still.error.between is None
    for time in (-1.0, 0.5, 7.0):
        np.testing.assert_array_equal(bake.sample("still", time).dual_quats, bake.texels[0].reshape(5, 8))


def test_a_loop_ends_at_its_end_and_not_at_its_start(bones):
    """The last frame is the pose at the end: a seam is never smeared over an interval."""
    poses = bake_rigs.waving_poses(bones)[:-4]  # cut off before it returns
    times = np.linspace(0, 1, len(poses)).astype(np.float32)
    clip = lissom.Clip.from_poses(bones, times, poses, name="cut", loop=True)
    character = bake_rigs.character(clip)
    bake = lissom.bake(character, dtype="float32")
    rows = character.skin.palette(bones.model_matrices(clip.sample([1.0], loop=False))).matrices
    np.testing.assert_allclose(bake.sample_frames(len(bake.texels) - 1).matrices, rows[0], atol=1e-6)
    moved = lissom.deform(bake.mesh, bake.sample("cut", np.linspace(0.9, 0.99999, 60)))
    before_seam = lissom.deform(bake.mesh, character.skin.palette(bones.model_matrices(clip.sample(0.99999))))
    np.testing.assert_allclose(moved[-1], before_seam, atol=1e-4)
    steps = np.abs(np.diff(moved, axis=0)).max(axis=(1, 2))
    assert steps.max() < 3 * np.median(steps)


def test_what_goes_to_and_fro_is_baked_there_and_back(bones):
    half = bake_rigs.waving_clip(bones, start=0.2).trimmed(0.2, 0.5)
    half.loop = "ping_pong"
    hero = bake_rigs.character(half)
    baked = lissom.bake(hero, dtype="float32")
    entry = baked.clips["wave"]
    assert entry.loop is True
    assert entry.duration == pytest.approx(2 * half.duration, rel=1e-6)
    times = half.start + half.duration * np.array([0.0, 0.6, 1.0, 1.3, 1.9, 2.1, 3.5])
    want = hero.skin.palette(bones.model_matrices(half.sample(times))).matrices
    np.testing.assert_allclose(baked.sample("wave", times).matrices, want, atol=entry.error.max + 1e-5)


def test_signs_agree_along_time_through_many_turns(bones):
    bake = lissom.bake(bake_rigs.character(bake_rigs.spinning_clip(bones, turns=3.0)))
    real = bake.texels[:, :, 0].astype(np.float64)
    assert ((real[1:] * real[:-1]).sum(axis=-1) > 0).all()
    assert bake.texels[:, 0, 0, 3].min() < -0.9  # three turns pass w = -1
    assert bake.clips["spin"].error.max_relative < 0.01


def test_flipped_keys_change_nothing(bones):
    poses = bake_rigs.waving_poses(bones)
    flipped = poses.copy()
    flipped[::2, :, 3:7] *= -1
    times = np.linspace(0, 1, len(poses)).astype(np.float32)
    bakes = [
        lissom.bake(
            bake_rigs.character(lissom.Clip.from_poses(bones, times, p, name="wave")), dtype="float32"
        )
        for p in (poses, flipped)
    ]
    np.testing.assert_allclose(bakes[0].texels, bakes[1].texels, atol=1e-6)


def test_several_clips_lie_one_after_another(bones):
    clips = [
        bake_rigs.waving_clip(bones, name=n, duration=d) for n, d in (("a", 0.5), ("b", 1.0), ("c", 0.25))
    ]
    together = lissom.bake(bake_rigs.character(*clips))
    assert list(together.clips) == ["a", "b", "c"]
    first = 0
    for clip in clips:
        alone = lissom.bake(bake_rigs.character(clip))
        baked = together.clips[clip.name]
        assert baked.first_frame == first
        np.testing.assert_array_equal(together.texels[first : first + baked.frame_count], alone.texels)
        assert baked.error == alone.clips[clip.name].error
        first += baked.frame_count
    chosen = lissom.bake(bake_rigs.character(*clips), ["c", clips[0]])
    assert list(chosen.clips) == ["c", "a"]
    assert list(lissom.bake(bake_rigs.character(*clips), "b").clips) == ["b"]


# --- scale, half precision ---


@pytest.mark.parametrize(
    ("scale", "texels"), [((1.5, 1.5, 1.5), 3), ((1.5, 1.2, 1.0), 5), ((1.0, 1.0, 1.0), 2)]
)
def test_scale_is_stored_where_there_is_any(bones, scale, texels):
    scales = np.ones((5, 3))
    scales[4] = scale  # a leaf: scale does not meet the rotations below it
    clips = [bake_rigs.waving_clip(bones), bake_rigs.waving_clip(bones, name="grow", scale=scales)]
    character = bake_rigs.character(*clips)
    bake = lissom.bake(character, dtype="float32")
    assert bake.texels.shape[2] == texels
    times = np.linspace(0, 1, 61)
    for clip in clips:
        expected = character.deform(clip.sample(times, loop=False))
        actual = lissom.deform(bake.mesh, bake.sample(clip.name, times, loop=False), "linear")
        np.testing.assert_allclose(actual, expected, atol=2e-5)


def test_numbers_beyond_half_precision(bones):
    poses = bake_rigs.waving_poses(bones)
    poses[:, 0, 0] += 2e5
    clip = lissom.Clip.from_poses(bones, np.linspace(0, 1, 31), poses, name="far")
    with pytest.raises(lissom.BakeError, match=r"'far' holds the number .* float16 ends at 65504; .*float32"):
        lissom.bake(bake_rigs.character(clip))
    # What float32 leaves of a vertex there. The clip: a lerp, four joints above, the palette, skinning (4).
    # The bake: as far as the palette, its dual quaternion (4), lerp (2), blend (3) and a point moved (5).
    roundings = (1 + 4 + 1 + 4) + (1 + 4 + 1 + 4 + 2 + 3 + 5)
    near = (
        lissom.bake(bake_rigs.character(bake_rigs.waving_clip(bones)), dtype="float32")
        .clips["wave"]
        .error.max
    )
    far = lissom.bake(bake_rigs.character(clip), dtype="float32").clips["far"].error.max
    assert far < near + roundings * 2.0**-24 * 2e5
    promoted = lissom.bake(bake_rigs.character(clip), max_error=0.05)
    assert promoted.texels.dtype == np.float32
    assert "float16 ends at 65504" in promoted.report.notes[0]


def test_loss_by_half_precision_is_said(bones):
    poses = bake_rigs.waving_poses(bones)
    poses[:, 0, 0] += 100.0
    clip = lissom.Clip.from_poses(bones, np.linspace(0, 1, 31), poses, name="far")
    bake = lissom.bake(bake_rigs.character(clip))
    assert bake.clips["far"].error.at_frames.max > 0.01
    assert "float16 alone costs" in bake.report.notes[0]


# --- same input, same bytes ---


def digest(character, tmp_path, **options):
    path = tmp_path / "bake.safetensors"
    lissom.bake(character, **options).save(path)
    return hashlib.sha256(path.read_bytes()).hexdigest()


def test_same_input_same_bytes_for_any_number_of_threads(bones, tmp_path):
    clips = [
        bake_rigs.waving_clip(bones, name=n, duration=d) for n, d in (("a", 0.5), ("b", 3.0), ("c", 7.0))
    ]
    wanted = lissom.thread_count()
    try:
        digests = set()
        for count in (1, 2, 3, 8):
            lissom.set_thread_count(count)
            digests.add(digest(bake_rigs.character(*clips), tmp_path, max_error=5e-4))
    finally:
        lissom.set_thread_count(wanted)
    assert len(digests) == 1


def test_source_hash_follows_the_source(bones):
    def source_hash(**options):
        return lissom.bake(bake_rigs.character(bake_rigs.waving_clip(bones, **options)), rate=10).source_hash

    assert source_hash() == source_hash()
    assert (
        len({source_hash(), source_hash(duration=1.5), source_hash(name="x"), source_hash(loop=False)}) == 4
    )


# --- use ---


def test_progress_is_told_and_may_end_the_bake(bones):
    clips = [bake_rigs.waving_clip(bones, name=name) for name in "abc"]
    told = []
    lissom.bake(bake_rigs.character(*clips), progress=lambda *args: told.append(args))
    assert told == [(1, 3, "a"), (2, 3, "b"), (3, 3, "c")]

    def stop(done, count, name):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lissom.bake(bake_rigs.character(*clips), progress=stop)


def test_rows_are_named_by_their_joints(bones):
    assert lissom.bake(bake_rigs.character()).joints == tuple(f"joint{i}" for i in range(5))


@pytest.mark.parametrize(
    ("options", "error", "sentence"),
    [
        ({"layout": "cubes"}, ValueError, "layout must be one of 'dual_quat', .*, got 'cubes'"),
        ({"layout": None}, ValueError, "layout must be one of 'dual_quat', .*, got None"),
        ({"dtype": "float64"}, ValueError, "dtype must be one of .*'uint8', got 'float64'"),
        ({"dtype": "nonsense"}, ValueError, "dtype must be one of .*'uint8', got 'nonsense'"),
        ({"rate": 0}, ValueError, "rate must be above zero and finite, got 0"),
        ({"rate": float("nan")}, ValueError, "rate must be above zero and finite, got nan"),
        ({"rate": "60"}, TypeError, "rate must be a number, got str"),
        ({"max_error": -1.0}, ValueError, r"max_error must be above zero and finite, got -1\.0"),
        ({"method": "cubes"}, ValueError, "method must be one of 'linear', 'dual_quat', got 'cubes'"),
        ({"clips": ["wav"]}, ValueError, "no clip is named 'wav'; did you mean 'wave'"),
        ({"clips": []}, ValueError, "at least one clip, got none"),
        ({"clips": ["wave", "wave"]}, ValueError, "different names, got 'wave' twice"),
        ({"clips": [3]}, TypeError, "clip must be a name or a Clip, got int"),
    ],
)
def test_errors(options, error, sentence):
    with pytest.raises(error, match=f"^bake: .*{sentence}"):
        lissom.bake(bake_rigs.character(), **options)


def test_a_character_without_joints_is_refused():
    skeleton = lissom.Skeleton([], [], np.empty((0, 10)))
    clip = lissom.Clip("still", skeleton, np.zeros(0, np.float32), np.zeros(0, lissom.clip.TRACK_DTYPE))
    with pytest.raises(ValueError, match="bake: 'ghost' must have joints"):
        lissom.bake(lissom.Character("ghost", skeleton, None, None, [clip]))


def test_a_clip_of_another_skeleton_is_refused(bones):
    other = lissom.Skeleton(["a", "b"], [-1, 0], bones.rest[:2])
    clip = lissom.Clip.from_poses(other, [0, 1], np.repeat(other.rest[None], 2, axis=0), name="other")
    with pytest.raises(ValueError, match=r"must be of the same skeleton, but joint 0 is"):
        lissom.bake(bake_rigs.character(), clip)


# --- real characters ---

REAL = [
    ("kaykit/Knight.glb", "Walking_A"),
    ("khronos/Fox.glb", "Run"),
    ("quaternius/animals_pack/Wolf.glb", "AnimalArmature|Gallop"),
    ("raylib/robot.glb", "Robot_Punch"),
    ("godot/player.glb", "run"),  # uniform scale
    ("quaternius/cute_fish_pack/Piranha.glb", "Fish_Armature|Out_Of_Water"),  # general scale
    ("quaternius/cyberpunk_pack/Enemy_2Legs.glb", "CharacterArmature|Walk"),  # scale along one axis
]


@pytest.mark.parametrize(("file", "name"), REAL, ids=[file.split("/")[-1] for file, _ in REAL])
@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_real_characters(asset, file, name, method):
    """Float32 frames are exact; the report holds at times it has not seen; max_error is kept there too."""
    character = lissom.load(asset(f"characters/{file}"))
    clip = character.clips[name]
    moments = clip.start + np.random.default_rng(1).uniform(0, clip.duration, 60)
    expected = character.deform(clip.sample(moments, loop=False), method=method)
    for options in ({"dtype": "float32"}, {"max_error": 1e-3}):
        bake = lissom.bake(character, name, method=method, **options)
        error = bake.clips[name].error
        if bake.texels.dtype == np.float32:
            assert error.at_frames.max <= 1e-5 * character.size
        actual = lissom.deform(character.mesh, bake.sample(name, moments, loop=False), method)
        found = np.linalg.norm(actual - expected, axis=-1).max()
        assert found <= 1.02 * error.max
        if "max_error" in options:
            assert error.max_relative <= 1e-3
