# SPDX-License-Identifier: MIT
"""pose_texture and pose_palette.glsl against float64 NumPy: pages, frames, cross-fades, bytes."""

import numpy as np
import pytest

FRAMES, ROWS = 70, 31
MIXED = 4e-6  # float32 sums of at most four numbers near 1


def moments(rng, count):
    """Frame coordinates, both, with ends, and fades with ends."""
    frames = rng.uniform(0, FRAMES - 1, (2, count)).astype(np.float32)
    frames[:, 0], frames[:, 1] = 0, FRAMES - 1
    fades = rng.uniform(0, 1, count).astype(np.float32)
    fades[2:4] = 0, 1
    return frames[0], frames[1], fades


def between(texels, frames, rows, quat):
    """Rows (N, T, 4) of two neighbouring frames mixed, the second signed to the first by texel `quat`."""
    first = np.floor(frames).astype(int)
    t = (frames - first.astype(np.float32)).astype(float)[:, None, None]
    a, b = texels[first, rows].astype(float), texels[np.minimum(first + 1, FRAMES - 1), rows].astype(float)
    return mix(a, b, t, quat)


def mix(a, b, t, quat):
    """Plain and turning sums, (N, T, 4) each."""
    sign = 1.0
    if quat is not None:
        sign = np.where((a[:, quat] * b[:, quat]).sum(-1) < 0, -1.0, 1.0)[:, None, None]
    return (1 - t) * a + t * b, (1 - t) * a + t * sign * b


def test_paged_texels_lie_page_behind_page(glsl):
    i = np.array([0, 1, 2047, 2048, 4095, 4096, 8191, 8192, 100_000, 5_000_000])
    (at,) = glsl(["texel.glsl"], "at = vec3(paged_texel(int(i), 2));", {"i": i}, {"at": 3})
    np.testing.assert_array_equal(at, np.stack([i % 2048, i // 2048 % 4, i // 8192], axis=1))
    (at,) = glsl(["texel.glsl"], "at = vec3(paged_texel(int(i), 14));", {"i": i}, {"at": 3})
    np.testing.assert_array_equal(at, np.stack([i % 2048, i // 2048, 0 * i], axis=1))


@pytest.mark.parametrize("line_bits", [0, 1, 14])
@pytest.mark.parametrize(("quat", "texel_count"), [(None, 3), (0, 2), (0, 3), (0, 5), (1, 3)])
def test_a_row_is_frames_and_clips_mixed(glsl, quat, texel_count, line_bits):
    rng = np.random.default_rng(10)
    texels = rng.normal(size=(FRAMES, ROWS, texel_count, 4)).astype(np.float16).astype(np.float32)
    frame, following, fade = moments(rng, 300)
    row = rng.integers(0, ROWS, 300)
    at = (
        "pose_plain_row(pose, moment, int(row))"
        if quat is None
        else f"pose_signed_row(poses, poses_2, pose, moment, int(row), {quat})"
    )
    last = texel_count - 1
    plain, turning, quaternion = glsl(
        ["pose_texture.glsl"],
        f"PoseTexture pose = PoseTexture({ROWS}, {FRAMES}, {line_bits});"
        "PoseMoment moment = PoseMoment(frame, following, fade, ivec2(0));"
        f"PoseRow at = {at}; quaternion = at.quaternion;"
        f"plain = pose_texel(poses, poses_2, pose, at, {last});"
        f"turning = pose_turning_texel(poses, poses_2, pose, at, {last});",
        {"frame": frame, "following": following, "fade": fade, "row": row},
        {"plain": 4, "turning": 4, "quaternion": 4},
        textures={"poses_2": np.zeros((1, 4))},
        pages={"poses": (texels.reshape(-1, 4), min(1 << line_bits, 16))},
        defines={"POSE_TEXELS": texel_count},
    )
    plain_a, turning_a = between(texels, frame, row, quat)
    plain_b, turning_b = between(texels, following, row, quat)
    t = fade.astype(float)[:, None, None]
    np.testing.assert_allclose(plain, mix(plain_a, plain_b, t, None)[0][:, last], atol=MIXED)
    expected = mix(turning_a, turning_b, t, quat)[1]
    if quat is not None:
        np.testing.assert_allclose(quaternion, expected[:, quat], atol=MIXED)
        np.testing.assert_allclose(turning, expected[:, last], atol=MIXED)


def test_bytes_are_read_by_the_ranges_of_their_own_clip(glsl):
    rng = np.random.default_rng(11)
    stored = rng.integers(0, 256, (FRAMES, ROWS, 2, 4))
    ranges = rng.uniform(0.1, 1, (3, ROWS, 2, 2, 4)).astype(np.float32)
    frame, following, fade = moments(rng, 300)
    row, clip, other = rng.integers(0, [[ROWS], [3], [3]], (3, 300))
    real, dual = glsl(
        ["pose_texture.glsl"],
        f"PoseTexture pose = PoseTexture({ROWS}, {FRAMES}, 14);"
        "PoseMoment moment = PoseMoment(frame, following, fade, ivec2(clip, other));"
        "PoseRow at = pose_signed_row(poses, ranges, pose, moment, int(row), 0); real = at.quaternion;"
        "dual = pose_turning_texel(poses, ranges, pose, at, 1);",
        {"frame": frame, "following": following, "fade": fade, "row": row, "clip": clip, "other": other},
        {"real": 4, "dual": 4},
        textures={"ranges": ranges.reshape(-1, 4)},
        pages={"poses": ((stored / 255).astype(np.float32).reshape(-1, 4), 4)},
        defines={"POSE_TEXELS": 2, "POSE_BYTES": 1},
    )

    def read(coordinates, clips):
        low, step = np.moveaxis(ranges.astype(float)[clips, row], 2, 0)
        first = np.floor(coordinates).astype(int)
        t = (coordinates - first.astype(np.float32)).astype(float)[:, None, None]
        a = low + step * stored[first, row]
        b = low + step * stored[np.minimum(first + 1, FRAMES - 1), row]
        return mix(a, b, t, 0)[1]

    expected = mix(read(frame, clip), read(following, other), fade.astype(float)[:, None, None], 0)[1]
    size = np.abs(expected).max()
    assert size > 100
    np.testing.assert_allclose(np.stack([real, dual], axis=1), expected, atol=1e-6 * size)
