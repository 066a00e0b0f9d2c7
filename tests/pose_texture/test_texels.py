# SPDX-License-Identifier: MIT
"""Rows of floats as texels: halves and bytes, signs along time, what the layout dual_quat writes."""

import numpy as np
import pytest

import bake_rigs
import lissom
from baked_textures import baked_clip, random_texels, texture
from lissom import _core
from lissom.pose_texture._layouts import LAYOUTS, Source, Texels

MATRIX_TOLERANCE = 2e-6  # about twenty operations in float32 on numbers up to 2


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


# --- rows that jump ---


@pytest.mark.parametrize("shape", [(40, 30, 8), (1, 3, 8), (2, 1, 4), (5, 0, 8)])
def test_rows_that_jump_are_those_of_the_twin(shape):
    rotations = np.random.default_rng(3).normal(size=shape)
    rotations /= np.linalg.norm(rotations[..., :4], axis=-1, keepdims=True)
    if shape[1] > 2:
        rotations[:, 0] = rotations[:1, 0]  # still
        rotations[::2, 1] = -rotations[:1, 1]  # the same with both signs
        rotations[1::2, 1] = rotations[:1, 1]
    rotations = rotations.astype(np.float32)
    dots = np.abs((rotations[1:, :, :4].astype(np.float64) * rotations[:-1, :, :4]).sum(axis=-1))
    found = np.full(shape[1], 7, np.uint8)
    _core.rotation_jumps(rotations, np.sqrt(0.5), found)
    assert found.tolist() == (dots < np.sqrt(0.5)).any(axis=0).tolist()


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
    plain, bytewise = (lissom.bake(character, dtype=dtype, rate=120) for dtype in ("float32", "uint8"))
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
