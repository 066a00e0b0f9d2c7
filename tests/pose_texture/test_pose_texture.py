# SPDX-License-Identifier: MIT
"""Pose textures: the rule of time, and sampling against its float64 twin."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

import bake_rigs
import lissom
from baked_textures import baked_clip, random_texels, texture
from reference import bake as twin

SAMPLE_TOLERANCE = 4e-7  # a lerp of unit rows in float32: three roundings of 6e-8 on numbers up to 2
MATRIX_TOLERANCE = 2e-6  # their matrices: about twenty operations more


def test_its_line_counts_clips():
    texels = random_texels(np.random.default_rng(0), 4)
    assert repr(texture(texels)).startswith(
        "PoseTexture(1 clip, 4 frames, 4 rows, dual_quat float16, 256 bytes"
    )
    two = {"a": baked_clip(0, 2), "b": baked_clip(2, 2)}
    assert repr(texture(texels, two)).startswith("PoseTexture(2 clips, 4 frames")


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
    with pytest.raises(TypeError, match="must be passed together, got one"):
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


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda bake: pickle.loads(pickle.dumps(bake))])
def test_copies_are_the_same_bake(copied, tmp_path):
    bake = lissom.bake(bake_rigs.character(), rate=10, dtype="uint8", layout="rotations")
    bake.save(tmp_path / "bake.safetensors")
    for original in (bake, bake.edited(), lissom.load_bake(tmp_path / "bake.safetensors")):
        other = copied(original)
        assert other.texels.flags.writeable == original.texels.flags.writeable
        assert not other.ranges.flags.writeable
        original.save(tmp_path / "a.safetensors")
        other.save(tmp_path / "b.safetensors")
        assert (tmp_path / "a.safetensors").read_bytes() == (tmp_path / "b.safetensors").read_bytes()


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
    with pytest.raises(ValueError, match="times must be finite, got inf"):
        bake.frame_coordinate("clip", [0, np.inf])
    with pytest.raises(TypeError, match="times must be an array of real numbers, got complex128"):
        bake.sample("clip", 1j)
    with pytest.raises(TypeError, match="sample_frames: coordinates must be an array of real numbers, got"):
        bake.sample_frames([1j])
    with pytest.raises(TypeError, match="joint_matrices: joints must be names, got int"):
        bake.joint_matrices(0.0, 1)
    with pytest.raises(ValueError, match=r"got 5\.5"):
        bake.sample_frames(5.5)


def test_errors_of_making():
    texels = random_texels(np.random.default_rng(0))
    with pytest.raises(TypeError, match="float16, float32 or uint8 array, got float64"):
        texture(texels.astype(np.float64))
    other = texels.dtype.newbyteorder()
    with pytest.raises(TypeError, match=r"float16, float32 or uint8 array, got [<>]f"):
        texture(texels.astype(other))
    with pytest.raises(ValueError, match="layout 'dual_quat' must have 2, 3 or 5 texels, got 4"):
        texture(np.zeros((6, 4, 4, 4), np.float32))
    bytewise, ranges = texels.astype(np.uint8), np.ones((1, 4, 2, 2, 4), np.float32)
    assert texture(bytewise, ranges=ranges).ranges.shape == ranges.shape
    for bad in (np.nan, -1.0, 1e38):
        ranges[0, 1, 1, 1, 2] = bad
        with pytest.raises(ValueError, match="ranges must be finite, with steps of at least 0"):
            texture(bytewise, ranges=ranges)
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
