# SPDX-License-Identifier: MIT
"""Between keys: steps, lines and splines against what they are by definition, and against the twin."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import lissom
from lissom.clip import CUBICSPLINE, LINEAR, ROTATION, STEP, TRANSLATION, Loop
from random_rigs import random_clip, random_quats, random_skeleton
from reference import sampling
from short_clips import TOLERANCE, about_z, assert_poses_close, one_track, z_angle


def test_a_step_takes_the_key_at_exactly_its_time() -> None:
    clip = one_track(TRANSLATION, STEP, [0.0, 0.1, 0.2], [[1, 0, 0], [2, 0, 0], [3, 0, 0]], dtype=np.float32)
    second = float(clip.keys[1])
    got = clip.sample([0.0, np.nextafter(second, 0), second, np.nextafter(second, 1), 0.15, clip.end])
    assert got[:, 0, 0].tolist() == [1, 1, 2, 2, 2, 3]


def test_a_line_is_exact_at_its_keys_and_straight_between() -> None:
    clip = one_track(
        TRANSLATION, LINEAR, [1, 2, 4], [[0.1, 5, 0], [0.3, 5, 1], [0.7, 5, -1]], dtype=np.float32
    )
    np.testing.assert_array_equal(clip.sample([1, 2, 4])[:, 0, :3], clip.keys[3:].reshape(3, 3))
    np.testing.assert_allclose(clip.sample([1.25, 3])[:, 0, :3], [[0.15, 5, 0.25], [0.5, 5, 0]], atol=1e-7)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_slerp_turns_at_constant_speed(dtype: type) -> None:
    times = np.linspace(0, 1, 101)
    for angle in (1e-6, 1e-3, 0.1, 1, 2, 3, 3.14):
        clip = one_track(ROTATION, LINEAR, [0, 1], [about_z(0), about_z(angle)], dtype=dtype)
        want = times * float(z_angle(clip.sample(1.0)))
        np.testing.assert_allclose(z_angle(clip.sample(times)), want, rtol=1e-6, atol=TOLERANCE[dtype])


def test_rotations_take_the_short_way() -> None:
    q = about_z(1)
    for other in (about_z(2), [-x for x in about_z(2)]):
        clip = one_track(ROTATION, LINEAR, [0, 1], [q, other])
        np.testing.assert_allclose(z_angle(clip.sample([0.25, 0.5])), [1.25, 1.5], atol=1e-14)
    same = one_track(ROTATION, LINEAR, [0, 1], [q, [-x for x in q]])
    np.testing.assert_allclose(
        z_angle(same.sample([0.0, 0.5, 1.0]) * np.sign(same.sample(0.5)[0, 6])), 1, atol=1e-14
    )


def test_keys_that_are_not_unit_turn_alike() -> None:
    clip = one_track(
        ROTATION, LINEAR, [0, 1], [about_z(0.5), np.multiply(1.01, about_z(1.5))], dtype=np.float32
    )
    got = clip.sample([0.0, 0.5, 1.0])
    np.testing.assert_allclose(z_angle(got), [0.5, 1, 1.5], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(got[:, 0, 3:7], axis=1), 1, atol=2e-7)


def test_a_spline_reproduces_a_cubic() -> None:
    # p(t) = t^3 - 2 t: with its derivatives as tangents, per second, over intervals that are not one second.
    times = np.array([0.5, 2.5, 3.0])

    def point(t: np.ndarray) -> np.ndarray:
        return np.stack([t**3 - 2 * t, t, 0 * t], axis=-1)

    slopes = np.stack([3 * times**2 - 2, np.ones(3), np.zeros(3)], axis=-1)
    clip = one_track(
        TRANSLATION, CUBICSPLINE, times.tolist(), np.stack([slopes, point(times), slopes], axis=1)
    )
    seconds = np.linspace(0.5, 3, 57)
    np.testing.assert_allclose(clip.sample(seconds)[:, 0, :3], point(seconds), atol=1e-13)


def test_a_spline_of_rotations_is_normalised_afterwards() -> None:
    zero = [0.0, 0, 0, 0]
    values = [[zero, about_z(0), zero], [zero, about_z(2), zero]]
    clip = one_track(ROTATION, CUBICSPLINE, [0, 2], values)
    got = clip.sample([0.0, 0.5, 1.0, 2.0])
    np.testing.assert_allclose(np.linalg.norm(got[:, 0, 3:7], axis=1), 1, atol=1e-15)
    weight = 3 / 16 - 2 / 64
    middle = (1 - weight) * np.array(about_z(0)) + weight * np.array(about_z(2))
    np.testing.assert_allclose(got[1, 0, 3:7], middle / np.linalg.norm(middle), atol=1e-15)
    np.testing.assert_allclose(z_angle(got)[[0, 2, 3]], [0, 1, 2], atol=1e-14)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_spline_through_zero_keeps_the_key_before(dtype: type) -> None:
    zero = [0.0, 0, 0, 0]
    values = [[zero, [1, 0, 0, 0], zero], [zero, [-1, 0, 0, 0], zero]]
    clip = one_track(ROTATION, CUBICSPLINE, [0, 1], values, dtype=dtype)
    np.testing.assert_array_equal(clip.sample(0.5)[0, 3:7], [1, 0, 0, 0])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("loop", [False, True, "ping_pong"])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("count", [1, 3, 24, 41])
def test_sampling_equals_the_twin(dtype: type, loop: Loop, shared: bool, count: int) -> None:
    rng = np.random.default_rng([count, len(str(loop)), shared])
    skeleton = random_skeleton(rng, count, scaled=True)
    for _ in range(3):
        clip = random_clip(rng, skeleton, dtype, loop, shared)
        inside = rng.uniform(clip.start - 0.5, clip.end + 0.5, size=40)
        at_keys = clip.keys[clip.tracks["times"]][:20].astype(np.float64)
        times = np.concatenate([inside, at_keys, [clip.start, clip.end]])
        got = clip.sample(times)
        assert got.dtype == dtype
        want = np.stack([sampling.clip_at(skeleton.rest, clip.keys, clip.tracks, t, loop) for t in times])
        assert_poses_close(got, want, TOLERANCE[dtype])


def test_threads_change_nothing() -> None:
    rng = np.random.default_rng(6)
    clip = random_clip(rng, random_skeleton(rng, 60))
    times = rng.uniform(clip.start, clip.end, size=5000)
    threads = lissom.thread_count()
    try:
        lissom.set_thread_count(1)
        alone = clip.sample(times)
        lissom.set_thread_count(4)
        np.testing.assert_array_equal(clip.sample(times), alone)
    finally:
        lissom.set_thread_count(threads)


def test_rotations_come_out_unit() -> None:
    rng = np.random.default_rng(10)
    skeleton = random_skeleton(rng, 40)
    clip = random_clip(rng, skeleton)
    poses = clip.sample(rng.uniform(clip.start, clip.end, 500))
    np.testing.assert_allclose(np.linalg.norm(poses[..., 3:7].astype(float), axis=-1), 1, atol=5e-7)


def test_flipping_the_sign_of_a_key_changes_nothing_but_a_sign() -> None:
    rng = np.random.default_rng(11)
    quats = random_quats(rng, 9)
    flipped = quats * np.where(rng.random(9) < 0.5, -1, 1)[:, None]
    times = np.linspace(0, 8, 65)
    a = one_track(ROTATION, LINEAR, list(range(9)), quats).sample(times)
    b = one_track(ROTATION, LINEAR, list(range(9)), flipped).sample(times)
    assert_poses_close(a, b, 1e-14)


SAMPLE_ALL = """
import sys
import numpy as np
import lissom
from random_rigs import random_clip, random_skeleton
rng = np.random.default_rng(12)
skeleton = random_skeleton(rng, 37, scaled=True)
clip = random_clip(rng, skeleton, shared=True)
times = rng.uniform(clip.start, clip.end, 45)
poses = clip.sample(times)
for each in (clip, random_clip(rng, skeleton)):  # how many times are sampled together changes no bit
    np.testing.assert_array_equal(np.stack([each.sample(t) for t in times]), each.sample(times))
np.savez(sys.argv[1], poses=poses, model=skeleton.model_matrices(poses))
"""


def test_instruction_sets_agree(tmp_path: Path) -> None:
    # Fused multiply-add exists in some of them only, so they agree as float32 does, not to the bit.
    results = []
    for isa in lissom._core.runnable_isas():
        file = tmp_path / f"{isa}.npz"
        environment = {**os.environ, "LISSOM_ISA": isa, "PYTHONPATH": str(Path(__file__).parents[1])}
        subprocess.run([sys.executable, "-c", SAMPLE_ALL, str(file)], env=environment, check=True)
        with np.load(file) as arrays:
            results.append((arrays["poses"], arrays["model"]))
    for poses, model in results[1:]:
        assert_poses_close(poses, results[0][0], TOLERANCE[np.float32])
        np.testing.assert_allclose(model, results[0][1], rtol=0, atol=2e-6 * np.abs(model).max())
