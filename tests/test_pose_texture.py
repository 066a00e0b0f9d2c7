# SPDX-License-Identifier: MIT
"""Pose textures: the rule of time, sampling against its float64 twin, files."""

import json
import struct
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import bake_rigs
import lissom
from lissom import _core
from lissom._layouts import LAYOUTS, Source, Texels
from lissom.bake_report import BakedClip, BakeReport, ClipError, ErrorStats
from lissom.files import safetensors
from reference import bake as twin

SAMPLE_TOLERANCE = 4e-7  # a lerp of unit rows in float32: three roundings of 6e-8 on numbers up to 2
MATRIX_TOLERANCE = 2e-6  # their matrices: about twenty operations more


def baked_clip(first, count, *, loop=False, start=0.0, duration=1.0):
    stats = ErrorStats(0.25, 0.125, 0.0625, count)
    error = ClipError(0.25, 0.125, 0.0625, 0.1, stats, stats)
    bounds = np.array([[-1, -1, -1], [1, 1, 1]], np.float32)
    rate = (count - 1) / duration if duration else 0.0
    return BakedClip(first, count, rate, loop, start, duration, bounds, error)


def texture(texels, clips=None, **options):
    clips = clips or {"clip": baked_clip(0, len(texels), duration=len(texels) - 1.0)}
    report = BakeReport(clips, 2.5, "dual_quat", "linear", texels.dtype.name, "skinned vertices", 3)
    return lissom.PoseTexture(texels, clips, [f"row{i}" for i in range(texels.shape[1])], report, **options)


def random_texels(rng, frames=6, rows=4, texels=2, dtype=np.float16):
    values = rng.normal(size=(frames, rows, texels, 4))
    values[:, :, 0] /= np.linalg.norm(values[:, :, 0], axis=-1, keepdims=True)
    return values.astype(dtype)


def encode(rows, texels=2, dtype=np.float32):
    """Row floats (F, R, 4 T) as texels, into memory that held NaN."""
    out = np.full(rows.shape, np.nan, dtype)
    write = _core.write_texels_f16 if dtype == np.float16 else _core.write_texels_f32
    signs = LAYOUTS["dual_quat"].form(texels, rows.shape[1]).signs
    write(rows, *signs, out.view(np.uint16) if dtype == np.float16 else out)
    return out.reshape(*rows.shape[:2], texels, 4)


# --- halves ---


def test_halves_round_as_numpy_does():
    """Every exponent, ties, subnormals, both signs; NumPy rounds to nearest, ties to even (IEEE 754)."""
    rng = np.random.default_rng(1)
    bits = np.concatenate([rng.integers(0, 2**32, 80_000), np.arange(0x7F80) << 16, np.arange(2**15) << 13])
    values = bits.astype(np.uint32).view(np.float32)
    ties = np.arange(0x7BFF, dtype=np.uint16).view(np.float16).astype(np.float32) * np.float32(1 + 2**-11)
    values = np.concatenate([values, ties, ties * np.float32(1 + 2**-20)])
    values = values[np.isfinite(values) & (np.abs(values) <= 65504)]
    values = values[: len(values) // 8 * 8].reshape(1, -1, 8).copy()
    values[..., 3] = np.abs(values[..., 3])  # the first frame is written with w >= 0
    np.testing.assert_array_equal(
        encode(values, dtype=np.float16).view(np.uint16).ravel(),
        values.astype(np.float16).view(np.uint16).ravel(),
    )


def test_every_half_is_read_exactly():
    halves = np.arange(2**16, dtype=np.uint16)
    halves = halves[np.isfinite(halves.view(np.float16))]
    halves = halves[: len(halves) // 8 * 8].view(np.float16).reshape(1, -1, 2, 4)
    read = texture(halves, {"still": baked_clip(0, 1, duration=0.0)}).sample("still", 0.0).dual_quats
    np.testing.assert_array_equal(read.ravel(), halves.astype(np.float32).ravel())


# --- writing ---


def test_signs_are_aligned_along_time_and_the_first_frame_has_w_positive():
    half = np.linspace(0, 2 * np.pi, 40)  # two full turns: w changes its sign twice
    rows = np.zeros((40, 2, 8), np.float32)
    rows[:, 0, 1], rows[:, 0, 3] = np.sin(half), np.cos(half)
    rows[:, 1] = -rows[:, 0]
    rows[1::2] *= -1  # as unaligned as can be
    texels = encode(rows)
    real = texels[:, :, 0]
    assert (real[0, :, 3] >= 0).all()
    assert ((real[1:] * real[:-1]).sum(axis=-1) > 0).all()
    np.testing.assert_array_equal(np.abs(texels.reshape(rows.shape)), np.abs(rows))
    same = np.sign((real * rows[..., :4]).sum(axis=-1))[..., None] * rows
    np.testing.assert_array_equal(texels.reshape(rows.shape), same)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("texels", [2, 3, 5])
def test_every_texel_is_written(dtype, texels):
    """Whatever the memory held before: the same bytes from NaN and from zero."""
    rows = np.random.default_rng(3).normal(size=(5, 11, 4 * texels)).astype(np.float32)
    assert np.isfinite(encode(rows, texels, dtype)).all()


def source(growth):
    """Three frames of the tube, its joints grown so many times along x, y and z."""
    bones = bake_rigs.skeleton()
    poses = bake_rigs.waving_poses(bones, 3)
    poses[1:, :, 7:] = growth
    return Source(bones, bake_rigs.skin(bones), poses, "wave", 2.0)


def test_scale_missing_in_one_clip_is_the_identity():
    layout = LAYOUTS["dual_quat"]
    rigid, uniform, general = source(1.0), source(1.2), source([1.2, 1.0, 1.0])
    plan = layout.plan(rigid)
    assert plan.texels == 2
    plan = layout.plan(uniform, plan)
    assert layout.plan(rigid, plan) is plan
    rows = layout.rows(rigid, plan)
    np.testing.assert_array_equal(rows[..., 8:], np.broadcast_to([0, 0, 0, 1], (3, 5, 4)))
    plan = layout.plan(general, plan)
    assert plan.texels == 5
    rows = layout.rows(rigid, plan)
    np.testing.assert_array_equal(rows[0, 0, 8:].reshape(3, 4), np.eye(4)[:3])


@pytest.mark.parametrize("growth", [1.0, 1.2, [1.2, 1.0, 0.9]])
def test_row_floats_of_a_clip_are_its_palette(growth):
    frames, layout = source(growth), LAYOUTS["dual_quat"]
    rows = layout.rows(frames, layout.plan(frames))
    assert (rows is frames.palette.dual_quats) == (growth == 1.0)  # no copy where there is no scale
    palette = layout.palette(rows, None, None)
    np.testing.assert_array_equal(palette.dual_quats, frames.palette.dual_quats)
    np.testing.assert_allclose(palette.matrices, frames.palette.matrices, atol=MATRIX_TOLERANCE)


def test_what_cannot_be_written_is_refused():
    rows = np.zeros((2, 3, 8), np.float32)
    rows[1, 2, 5] = 7e4
    with pytest.raises(ValueError, match=r'fit half precision .* got 70000.* at frame 1, row 2; .*"float32"'):
        encode(rows, dtype=np.float16)
    assert encode(rows, dtype=np.float32)[1, 2, 1, 1] == np.float32(7e4)
    rows[0, 1, 0] = np.nan
    with pytest.raises(ValueError, match="rows must be finite, got nan at frame 0, row 1"):
        encode(rows)
    wide = np.zeros((2, 1, 8), np.float32)
    wide[:, 0, 5] = -3e38, 3e38
    with pytest.raises(ValueError, match=r"span less than the largest float32, got 6e\+38"):
        Texels.of(wide, LAYOUTS["dual_quat"].form(2, 1), np.uint8)


# --- bytes ---


def test_bytes_come_back_within_half_a_step_of_their_range():
    rows = random_texels(np.random.default_rng(12), 9, 4, 3, np.float32).reshape(9, 4, 12)
    rows[:, 1, 9] = 0.3  # constant: exact
    form = LAYOUTS["dual_quat"].form(3, 4)
    aligned = Texels.of(rows, form, np.float32).array.reshape(rows.shape)
    texels = Texels.of(rows, form, np.uint8)
    assert texels.array.dtype == np.uint8
    assert texels.ranges.shape == (1, 4, 3, 2, 4)
    every = np.arange(9, dtype=np.int32)
    read = texels.sample(every, every, np.zeros(9, np.float32))
    span = aligned.max(axis=0) - aligned.min(axis=0)
    assert (np.abs(read - aligned) <= span / 510 + 1e-6).all()
    assert np.abs(read - aligned).max() > 1e-4
    np.testing.assert_array_equal(read[:, 1, 9], np.float32(0.3))
    np.testing.assert_array_equal(texels.array.min(axis=0), 0)


def test_bytes_of_each_clip_are_read_by_its_own_ranges():
    bones = bake_rigs.skeleton()
    clips = [bake_rigs.waving_clip(bones), bake_rigs.waving_clip(bones, name="high", duration=0.5)]
    clips[1] = clips[1].at_speed(2.0)
    character = bake_rigs.character(*clips)
    plain, bytewise = (lissom.bake(character, dtype=dtype) for dtype in ("float32", "uint8"))
    assert bytewise.ranges.shape == (2, 5, 2, 2, 4)
    for index, (name, clip) in enumerate(bytewise.clips.items()):
        frames = slice(clip.first_frame, clip.first_frame + clip.frame_count)
        stored = bytewise.texels[frames].astype(np.float64)
        low, step = np.moveaxis(bytewise.ranges[index].astype(np.float64), -2, 0)
        np.testing.assert_allclose(low + step * stored, plain.texels[frames], atol=step.max())
        times = np.linspace(clip.start, clip.end, 7, endpoint=False)
        found = bytewise.sample(name, times).dual_quats
        np.testing.assert_allclose(found, plain.sample(name, times).dual_quats, atol=1.01 * step.max())
    assert bytewise.report.max_relative < 0.02


# --- the rule of time ---


def test_frame_coordinates_of_a_clip_that_clamps():
    bake = texture(
        random_texels(np.random.default_rng(0), 12),
        {"a": baked_clip(0, 7, start=2.0, duration=3.0), "b": baked_clip(7, 5, start=-1.0, duration=0.5)},
    )
    np.testing.assert_array_equal(
        bake.frame_coordinate("a", [1.0, 2.0, 2.25, 3.5, 5.0, 9.0]), [0, 0, 0.5, 3, 6, 6]
    )
    np.testing.assert_array_equal(
        bake.frame_coordinate("b", [-2.0, -1.0, -0.75, -0.5, 0.0]), [7, 7, 9, 11, 11]
    )
    assert bake.frame_coordinate("a", 2.5).dtype == np.float64


def test_frame_coordinates_of_a_loop_are_half_open():
    bake = texture(
        random_texels(np.random.default_rng(0), 9),
        {"a": baked_clip(0, 9, loop=True, start=1.0, duration=2.0)},
    )
    times = np.array([1.0, 1.5, 3.0, 3.5, 0.5, -1.0, 1e6 + 1.25])
    np.testing.assert_array_equal(bake.frame_coordinate("a", times), [0, 2, 0, 2, 6, 0, 1])
    assert bake.frame_coordinate("a", 3.0, loop=False) == 8.0
    other = texture(random_texels(np.random.default_rng(0), 3), {"a": baked_clip(0, 3, duration=2.0)})
    assert other.frame_coordinate("a", 2.5, loop=True) == 0.5
    # Just below a wrap the remainder rounds up to the duration itself, which is the start again.
    assert np.mod(-1e-300, 2.0) == 2.0
    assert other.frame_coordinate("a", -1e-300, loop=True) == 0.0


def test_time_is_held_in_double():
    """After a day a float32 second is 1/128 s wide; a loop must still be played to the microsecond."""
    bake = texture(random_texels(np.random.default_rng(0), 9), {"a": baked_clip(0, 9, loop=True)})
    times = 86400.0 + np.linspace(0, 0.9, 10)
    np.testing.assert_allclose(bake.frame_coordinate("a", times), 8 * np.linspace(0, 0.9, 10), atol=1e-9)


def test_clips_of_many_instances_at_once():
    rng = np.random.default_rng(0)
    clips = {
        "a": baked_clip(0, 5, loop=True, start=1.0, duration=2.0),
        "still": baked_clip(5, 1, duration=0.0),
        "b": baked_clip(6, 6, duration=0.5),
    }
    bake = texture(random_texels(rng, 12), clips)
    index, times = rng.integers(0, 3, (40, 3)), rng.uniform(-5, 5, (40, 3))
    together = bake.frame_coordinate(index, times)
    for i, name in enumerate(clips):
        np.testing.assert_array_equal(together[index == i], bake.frame_coordinate(name, times[index == i]))
    assert bake.frame_coordinate(1, 3.0) == 5.0
    assert bake.sample(index, times).dual_quats.shape == (40, 3, 4, 8)


# --- sampling ---


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("texels", [2, 3, 5])
def test_sample_equals_the_twin(dtype, texels):
    rng = np.random.default_rng(5)
    stored = random_texels(rng, 9, 7, texels, dtype)
    clips = {"a": baked_clip(0, 4, duration=3.0), "b": baked_clip(4, 5, duration=4.0)}
    bake = texture(stored, clips)
    for name, first in (("a", 0), ("b", 4)):
        times = rng.uniform(0, clips[name].duration, (3, 5))
        rows = bake.sample(name, times)
        assert rows.dual_quats.shape == (3, 5, 7, 8)
        assert rows.dual_quats.dtype == np.float32
        assert (rows.scales is None) == (texels == 2)
        for index in np.ndindex(times.shape):
            frame = int(times[index])
            expected, scales = twin.rows(stored, first + frame, first + frame + 1, times[index] % 1)
            size = np.abs(stored.astype(np.float64)).max()
            np.testing.assert_allclose(rows.dual_quats[index], expected, atol=SAMPLE_TOLERANCE * size, rtol=0)
            if scales is not None:
                np.testing.assert_allclose(rows.scales[index], scales, atol=SAMPLE_TOLERANCE * size, rtol=0)


@pytest.mark.parametrize("texels", [2, 3, 5])
def test_matrices_of_a_sample_equal_the_twin(texels):
    rng = np.random.default_rng(6)
    aligned = random_texels(rng, 2, 50, texels, np.float32)
    aligned[1] = aligned[0] + 0.2 * rng.normal(size=aligned[0].shape)
    rows = texture(aligned).sample("clip", 0.3)
    expected = twin.matrices(*twin.rows(aligned, 0, 1, 0.3))
    np.testing.assert_allclose(
        rows.matrices, expected, atol=MATRIX_TOLERANCE * np.abs(expected).max(), rtol=0
    )


def test_at_frames_the_stored_rows_come_back():
    stored = random_texels(np.random.default_rng(8), 6)
    stored[:, :, 0] = np.abs(stored[:, :, 0])  # so that signs agree along time
    bake = texture(stored)
    np.testing.assert_array_equal(
        bake.sample("clip", np.arange(6.0)).dual_quats, stored.reshape(6, 4, 8).astype(np.float32)
    )


def test_between_frames_the_neighbours_are_blended():
    """Never the frame some time later, and never one frame alone: a third of the way is a third."""
    real = np.array([0.0, 0.0, 0.0, 1.0])
    stored = np.zeros((4, 1, 2, 4), np.float32)
    stored[:, 0, 0] = real
    stored[:, 0, 1, 0] = [0.0, 3.0, 30.0, 300.0]
    rows = texture(stored).sample("clip", [1 / 3, 2 / 3, 1 + 1 / 3, 2.5]).dual_quats[:, 0, 4]
    np.testing.assert_allclose(rows, [1.0, 2.0, 12.0, 165.0], rtol=1e-6)


def test_never_blends_across_clips():
    stored = np.zeros((4, 1, 2, 4), np.float32)
    stored[:, 0, 0, 3] = 1
    stored[:, 0, 1, 0] = [1.0, 2.0, 1000.0, 1000.0]
    clips = {"a": baked_clip(0, 2, loop=True), "b": baked_clip(2, 2)}
    bake = texture(stored, clips)
    times = np.linspace(-3, 3, 4001)
    assert bake.sample("a", times).dual_quats[..., 4].max() <= 2.0001
    assert bake.sample("b", times).dual_quats[..., 4].min() >= 999.9
    # The shader is handed float32 coordinates, which may round up to the clip's last frame.
    assert bake.sample_frames(np.float32([0.99999999, 1.0])).dual_quats[..., 4].max() <= 2.0


def test_the_sign_of_a_texel_changes_nothing():
    rng = np.random.default_rng(9)
    stored = random_texels(rng, 6, 30, 2, np.float32)
    flipped = stored * rng.choice([-1, 1], (6, 30, 1, 1)).astype(np.float32)
    times = rng.uniform(0, 5, 100)
    plain, turned = (texture(t).sample("clip", times) for t in (stored, flipped))
    np.testing.assert_allclose(turned.matrices, plain.matrices, atol=1e-4)
    sign = np.sign((plain.dual_quats[..., :4] * turned.dual_quats[..., :4]).sum(axis=-1))[..., None]
    np.testing.assert_array_equal(turned.dual_quats * sign, plain.dual_quats)


def test_float32_coordinates_are_taken_as_they_are():
    stored = random_texels(np.random.default_rng(8), 6, dtype=np.float32)
    bake = texture(stored)
    coordinate = np.float32(3.3)
    expected, _ = twin.rows(stored, 3, 4, float(coordinate) - 3.0)
    np.testing.assert_allclose(bake.sample_frames(coordinate).dual_quats, expected, atol=2e-6)


def test_a_cross_fade_mixes_rows_by_the_same_rule():
    rng = np.random.default_rng(15)
    stored = random_texels(rng, 9, 7, 3, np.float32)
    clips = {"a": baked_clip(0, 4, duration=3.0), "b": baked_clip(4, 5, duration=4.0)}
    bake = texture(stored, clips)
    here, there = rng.uniform(0, 2.99, (4, 6)), rng.uniform(4, 7.99, (4, 6))
    fades = rng.uniform(0, 1, (4, 6)).astype(np.float32)
    mixed = bake.sample_frames(here, next_coordinates=there, fades=fades)
    assert mixed.dual_quats.shape == (4, 6, 7, 8)
    for index in np.ndindex(here.shape):
        rows = [twin.row_floats(stored, int(c), int(c) + 1, c % 1) for c in (here[index], there[index])]
        expected = twin.mixed(*rows, fades[index])
        np.testing.assert_allclose(mixed.dual_quats[index], expected[:, :2].reshape(7, 8), atol=2e-6)
        np.testing.assert_allclose(mixed.scales[index][:, :, 3], expected[:, 2, :3], atol=2e-6)
    for fade, coordinates in ((0.0, here), (1.0, there)):
        alone = bake.sample_frames(coordinates).matrices
        ended = bake.sample_frames(here, next_coordinates=there, fades=fade).matrices
        np.testing.assert_allclose(ended, alone, atol=1e-5 * np.abs(alone).max())
    with pytest.raises(TypeError, match="go together, got one"):
        bake.sample_frames(here, fades=fades)
    with pytest.raises(ValueError, match=r"fades must lie in \[0, 1\], got nan"):
        bake.sample_frames(here, next_coordinates=there, fades=np.nan)


def test_without_interpolation_the_nearer_frame_is_read():
    stored = random_texels(np.random.default_rng(16), 9, dtype=np.float32)
    stored[:, :, 0] = np.abs(stored[:, :, 0])
    bake = texture(stored, {"a": baked_clip(0, 4, duration=3.0), "b": baked_clip(4, 5, duration=4.0)})
    read = bake.sample("a", [0.0, 0.49, 0.5, 1.2, 2.9, 3.0], interpolate=False).dual_quats
    np.testing.assert_array_equal(read, stored[[0, 0, 1, 1, 3, 3]].reshape(6, 4, 8))
    read = bake.sample_frames([3.0, 4.0, 8.0], interpolate=False).dual_quats
    np.testing.assert_array_equal(read, stored[[3, 4, 8]].reshape(3, 4, 8))


def test_sampled_rows_are_an_array_and_a_palette():
    bake = lissom.bake(bake_rigs.character())
    rows = bake.sample("wave", [0.1, 0.2])
    assert np.asarray(rows).shape == (2, 5, 8)
    linear = lissom.deform(bake.mesh, rows, "linear")
    dual = lissom.deform(bake.mesh, rows, "dual_quat")
    assert linear.shape == dual.shape == (2, 240, 3)
    assert np.abs(linear - dual).max() > 1e-4  # one storage, two deformers
    assert bake.palette("wave", 0.1).dual_quats.shape == (5, 8)
    assert bake.palette_row_count == len(bake.skin) == len(rows) == 5


def test_arrays_cannot_be_changed():
    bake = texture(random_texels(np.random.default_rng(0)))
    with pytest.raises(ValueError, match="read-only"):
        bake.texels[0] = 0
    with pytest.raises(TypeError):
        bake.clips["x"] = None


def test_errors_of_use():
    bake = texture(random_texels(np.random.default_rng(0)), None)
    with pytest.raises(ValueError, match="no clip is named 'clop'; did you mean 'clip'"):
        bake.sample("clop", 0)
    with pytest.raises(ValueError, match="at least 0 and below 1, got 3"):
        bake.sample([0, 3], 0)
    with pytest.raises(TypeError, match="name, an index or an array of indices"):
        bake.sample(0.5, 0)
    for bad in (np.nan, np.inf):
        with pytest.raises(ValueError, match=r"finite and in \[0, 5\], got"):
            bake.sample_frames([0, bad])
    with pytest.raises(ValueError, match="got nan"):
        bake.sample("clip", np.nan)
    with pytest.raises(ValueError, match=r"got 5\.5"):
        bake.sample_frames(5.5)


def test_errors_of_making():
    texels = random_texels(np.random.default_rng(0))
    with pytest.raises(TypeError, match="float16, float32 or uint8 array, got float64"):
        texture(texels.astype(np.float64))
    with pytest.raises(ValueError, match="layout 'dual_quat' must have 2, 3 or 5 texels, got 4"):
        texture(np.zeros((6, 4, 4, 4), np.float32))
    with pytest.raises(ValueError, match="must start at frame 3"):
        texture(texels, {"a": baked_clip(0, 3), "b": baked_clip(4, 2)})
    with pytest.raises(ValueError, match="must fill all 6 frames, got 5"):
        texture(texels, {"a": baked_clip(0, 5)})
    with pytest.raises(ValueError, match="at least one clip"):
        lissom.PoseTexture(texels, {}, ["a"] * 4, texture(texels).report)
    with pytest.raises(ValueError, match=r"must have the rate 5\.0 .* got 4\.0"):
        texture(texels, {"a": replace(baked_clip(0, 6), rate=4.0)})
    with pytest.raises(ValueError, match="each of the 4 rows, got 1 names"):
        lissom.PoseTexture(texels, texture(texels).clips, ["a"], texture(texels).report)


# --- files ---


@pytest.fixture(scope="module")
def bake():
    bones = bake_rigs.skeleton()
    return lissom.bake(
        bake_rigs.character(
            bake_rigs.waving_clip(bones),
            bake_rigs.waving_clip(bones, name="grow", start=1.5, scale=np.full((5, 3), 1.2)),
            bake_rigs.waving_clip(bones, name="Ünï", duration=0.5, loop=False),
        )
    )


def test_file_comes_back_whole(bake, tmp_path):
    path = tmp_path / "tube.safetensors"
    bake.save(path)
    back = lissom.load_bake(path)
    assert back.texels.dtype == bake.texels.dtype
    np.testing.assert_array_equal(back.texels, bake.texels)
    assert list(back.clips) == list(bake.clips) == ["wave", "grow", "Ünï"]
    for name, clip in bake.clips.items():
        for field in ("first_frame", "frame_count", "rate", "loop", "start", "duration", "error", "markers"):
            assert getattr(back.clips[name], field) == getattr(clip, field)
        np.testing.assert_array_equal(back.clips[name].bounds, clip.bounds)
    for field in ("layout", "method", "size", "joints", "source_hash"):
        assert getattr(back, field) == getattr(bake, field)
    assert back.report.to_dict() == bake.report.to_dict()
    np.testing.assert_array_equal(back.skin.joints, bake.skin.joints)
    np.testing.assert_array_equal(back.skin.joint_from_bind, bake.skin.joint_from_bind)
    assert back.methods == bake.methods == ("linear", "dual_quat")
    for field in ("positions", "normals", "uvs", "triangles", "indices", "weights", "tangents"):
        ours, theirs = getattr(bake.mesh, field), getattr(back.mesh, field)
        assert (ours is None) == (theirs is None)
        if ours is not None:
            assert ours.dtype == theirs.dtype
            np.testing.assert_array_equal(ours, theirs)
    for ours, theirs in zip(bake.mesh.parts, back.mesh.parts, strict=True):
        assert (ours.name, ours.rigid, ours.texture) == (theirs.name, theirs.rigid, theirs.texture)
        assert (ours.vertices, ours.triangles) == (theirs.vertices, theirs.triangles)
        assert tuple(ours.base_color) == theirs.base_color
        np.testing.assert_array_equal(ours.model_from_source, theirs.model_from_source)
    again = tmp_path / "again.safetensors"
    back.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_markers_and_root_motion_come_back(bake, tmp_path):
    moves = lissom.trs.from_parts(
        translation=[[0, 0, 0], [0, 0.1, 1.5]], rotation=[[0, 0, 0, 1], [0, 0.6, 0, 0.8]]
    )
    motion = lissom.RootMotion.from_moves([1.5, 2.5], moves, loop=True)
    motion = lissom.RootMotion(motion.track, ["Hips"], 0.25)
    markers = (lissom.Marker(1.5, "left"), lissom.Marker(2.25, "réchts"))
    clips = dict(bake.clips)
    clips["grow"] = replace(clips["grow"], markers=markers, root_motion=motion)
    report = replace(bake.report, clips=clips)
    path = tmp_path / "moving.safetensors"
    lissom.PoseTexture(bake.texels, clips, bake.joints, report, skin=bake.skin).save(path)
    back = lissom.load_bake(path)
    found = back.clips["grow"]
    assert found.markers == markers
    assert (found.root_motion.joints, found.root_motion.error, found.root_motion.loop) == (
        ("Hips",),
        0.25,
        True,
    )
    times = np.linspace(0, 5, 40)
    np.testing.assert_array_equal(found.root_motion.at(times), motion.at(times))
    assert back.clips["wave"].markers == ()
    assert back.clips["wave"].root_motion is None
    again = tmp_path / "again.safetensors"
    back.save(again)
    assert again.read_bytes() == path.read_bytes()


def test_file_without_mesh(tmp_path):
    path = tmp_path / "tube.safetensors"
    lissom.bake(bake_rigs.character(), include_mesh=False, dtype="float32").save(path)
    back = lissom.load_bake(path)
    assert back.mesh is None
    assert back.texels.dtype == np.float32


def test_file_is_a_plain_safetensors_file(bake, tmp_path):
    path = tmp_path / "tube.safetensors"
    bake.save(path)
    arrays, metadata = safetensors.read(path)
    np.testing.assert_array_equal(arrays["texels"], bake.texels)
    assert metadata["format"] == "lissom.pose_texture"
    assert json.loads(metadata["tables"])["joints"] == list(bake.joints)
    assert "x y z w" in metadata["conventions"]


def test_numbers_that_look_like_text_do_not_shift_the_data(tmp_path):
    """A header that runs into the data is misread where the first byte of the data is a digit."""
    path = tmp_path / "digits.safetensors"
    for digit in b'0123456789 \n{"':
        stored = np.frombuffer(bytes([digit]) * (2 * 8), np.float16).reshape(1, 1, 2, 4)
        texture(stored, {"still": baked_clip(0, 1, duration=0.0)}).save(path)
        np.testing.assert_array_equal(lissom.load_bake(path).texels, stored)


def test_every_changed_byte_is_noticed(bake, tmp_path):
    path, broken = tmp_path / "tube.safetensors", tmp_path / "broken.safetensors"
    bake.save(path)
    data = path.read_bytes()
    rng = np.random.default_rng(4)
    (length,) = struct.unpack("<Q", data[:8])
    spots = [*range(8), *rng.integers(8, 8 + length, 150), *rng.integers(8 + length, len(data), 150)]
    padding = len(data[8 : 8 + length].rstrip(b" ")) + 8
    for spot in spots:
        if padding <= spot < 8 + length:
            continue  # white space between header and data says nothing
        changed = bytearray(data)
        changed[spot] ^= 1 << int(rng.integers(0, 8))
        broken.write_bytes(changed)
        with pytest.raises(ValueError, match=r"broken\.safetensors") as caught:
            lissom.load_bake(broken)
        assert "\n" not in str(caught.value)


def rewritten(bake, path, change):
    """Save a bake with changed arrays or metadata and the checksum that fits them."""
    from lissom.files import pose_texture as file

    bake.save(path)
    arrays, metadata = safetensors.read(path)
    tables = json.loads(metadata["tables"])
    change(arrays, metadata, tables)
    metadata["tables"] = tables if isinstance(tables, str) else json.dumps(tables)
    metadata["checksum"] = file._checksum(arrays, metadata)
    safetensors.write(path, arrays, metadata)
    return path


def put(where, key, value):
    where[key] = value


CHANGES = {
    "format": (lambda a, m, t: put(m, "format", "other"), "not a bake: its format must be"),
    "no format": (lambda a, m, t: m.pop("format"), "got None"),
    "version": (lambda a, m, t: put(m, "version", "x"), "whole number as version, got 'x'"),
    "tables": (lambda a, m, t: t.clear(), "tables that cannot be read"),
    "field type": (lambda a, m, t: put(t["clips"][0], "rate", "fast"), "tables that cannot be read"),
    "field more": (lambda a, m, t: put(t, "more", 1), "tables that cannot be read"),
    "field less": (lambda a, m, t: t.pop("joints"), "tables that cannot be read"),
    "rate": (lambda a, m, t: put(t["clips"][0], "rate", 61.0), "must have the rate"),
    "frames": (lambda a, m, t: put(t["clips"][0], "frame_count", 10**12), "must have the rate"),
    "first": (lambda a, m, t: put(t["clips"][1], "first_frame", 0), "must start at frame 61"),
    "name twice": (
        lambda a, m, t: put(t["clips"][1], "name", "wave"),
        "each clip must have a name of its own",
    ),
    "bounds": (lambda a, m, t: put(t["clips"][1], "bounds", [[1.0]]), "bounds of shape"),
    "ragged": (lambda a, m, t: put(t["clips"][1], "bounds", [[1.0], []]), "does not fit together"),
    "joints": (lambda a, m, t: t["joints"].pop(), "name each of the 5 rows, got 4"),
    "layout": (lambda a, m, t: put(t, "layout", "cubes"), "'trs', 'rotations', got 'cubes'"),
    "texels": (lambda a, m, t: a.pop("texels"), "array 'texels' is missing"),
    "texel type": (
        lambda a, m, t: put(a, "texels", a["texels"].astype(np.int16)),
        "float16, float32 or uint8 array",
    ),
    "texel shape": (lambda a, m, t: put(a, "texels", a["texels"][0]), "must have shape"),
    "texel nan": (
        lambda a, m, t: put(a, "texels", a["texels"] * np.float16(np.nan)),
        "texels must be finite",
    ),
    "mesh": (lambda a, m, t: a.pop("mesh.positions"), "'mesh.positions' is missing"),
    "index": (
        lambda a, m, t: put(a, "mesh.indices", a["mesh.indices"] + np.uint16(3)),
        "mesh.indices must be below",
    ),
    "part": (lambda a, m, t: put(t["parts"][0], "vertices", [0, 10**6]), "does not fit together"),
    "picture": (lambda a, m, t: put(t["parts"][0], "texture", 1), "must refer to one of 1 textures"),
    "rest": (lambda a, m, t: put(a, "more", np.zeros(3)), "nothing refers to: more"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_content_that_does_not_fit_is_refused(bake, tmp_path, name):
    change, sentence = CHANGES[name]
    path = rewritten(bake, tmp_path / "bad.safetensors", change)
    with pytest.raises(ValueError, match=r"^load_bake: .*bad\.safetensors ") as caught:
        lissom.load_bake(path)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_future_version_says_what_it_needs(bake, tmp_path):
    def change(arrays, metadata, tables):
        metadata.update(version="3", made_by="lissom 9.1.0", needs="lissom 9.0.0")

    path = rewritten(bake, tmp_path / "bad.safetensors", change)
    with pytest.raises(
        ValueError, match=r"is made by lissom 9\.1\.0, needs lissom 9\.0\.0 or later, this is lissom"
    ):
        lissom.load_bake(path)


def test_a_failed_save_leaves_the_old_file(bake, tmp_path, monkeypatch):
    path = tmp_path / "tube.safetensors"
    bake.save(path)
    old = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr("os.replace", fail)
    with pytest.raises(OSError, match="disk full"):
        lissom.bake(bake_rigs.character()).save(path)
    assert path.read_bytes() == old
    assert list(tmp_path.iterdir()) == [path]


def test_a_missing_file_is_an_oserror(tmp_path):
    with pytest.raises(FileNotFoundError):
        lissom.load_bake(tmp_path / "none")


def test_a_file_of_the_first_version_loads():
    """Made by lissom 0.1.0 from the tube of bake_rigs; every later release must read it to the same rows."""
    bake = lissom.load_bake(Path(__file__).parent / "data" / "pose_texture_v1.safetensors")
    assert list(bake.clips) == ["wave", "grow"]
    assert (bake.skin, bake.rig, bake.ranges) == (None, None, None)
    assert bake.palette_row_count == 5
    assert bake.mesh.vertex_count == 240
    bones = bake_rigs.skeleton()
    clip = bake_rigs.waving_clip(bones, name="grow", key_count=5, start=1.5, scale=np.full((5, 3), 1.2))
    palette = bake_rigs.skin(bones).palette(bones.model_matrices(clip.sample([1.75, 2.0])))
    np.testing.assert_allclose(bake.sample("grow", [1.75, 2.0]).matrices, palette.matrices, atol=4e-3)
