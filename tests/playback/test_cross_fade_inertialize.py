# SPDX-License-Identifier: MIT
"""Fades that keep velocities: inertialized and by springs."""

from typing import Any

import numpy as np
import pytest

import lissom
from fade_clips import assert_same, bones_to_fade, cycles, exact
from fade_recorder import distances
from lissom import Clip, Skeleton


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return bones_to_fade()


@pytest.fixture(scope="module")
def clips(skeleton: Skeleton) -> list[Clip]:
    return cycles(skeleton)


@pytest.mark.parametrize("method", ["inertialize", "spring"])
def test_inertialize_starts_as_shown_and_keeps_the_velocity(
    skeleton: Skeleton, clips: list[Clip], method: Any
) -> None:
    a, b, _ = clips
    fade = exact(skeleton)
    fade.play(a)
    dt = 1e-3
    fade.update(0.37)
    before = fade.update(dt)
    shown = fade.update(dt)
    fade.fade_to(b, 0.4, method=method)
    assert [p.clip for p in fade.playing] == [b]
    assert fade.is_fading
    assert_same(fade.update(0), shown)
    first = fade.update(dt)
    step = distances(shown, first)
    assert (step <= 3 * distances(before, shown) + 1e-4).all()
    for _ in range(398):
        last = fade.update(dt)
    assert fade.is_fading
    for _ in range(2):
        last = fade.update(dt)
    assert not fade.is_fading
    np.testing.assert_array_equal(last, b.sample(fade.playing[0].time))


@pytest.mark.parametrize("method", ["inertialize", "spring"])
def test_inertialize_counts_both_velocities(skeleton: Skeleton, method: Any) -> None:
    def moving(start: float, speed: float, seconds: float) -> Clip:
        """All joints shift along x by metres and turn about their own z by radians, at `speed`."""
        poses = np.tile(skeleton.rest.astype(np.float64), (2, 1, 1))
        for pose, way in zip(poses, (start, start + speed * seconds), strict=True):
            pose[:, 0] = way
            pose[:, 3:7] = lissom.quat.from_rotation_vector([0, 0, way])
        return Clip.from_poses(skeleton, [0, seconds], poses, loop=False)

    fade = exact(skeleton)
    fade.play(moving(0, 1.0, 1))
    dt = 1e-3
    for _ in range(500):
        fade.update(dt)
    fade.fade_to(moving(2, 0.3, 1), 0.4, method=method)
    pose = fade.update(dt)  # comes at 1 per second, towards what goes away at 0.3
    slack = (
        10 if method == "inertialize" else 500
    ) * dt**2  # a spring accelerates at once, by 9.2 / 0.4 s squared
    np.testing.assert_allclose(pose[:, 0], 0.501, atol=slack)
    turned = lissom.quat.from_rotation_vector([0, 0, 0.501])
    np.testing.assert_allclose(pose[:, 3:7], np.tile(turned, (6, 1)), atol=slack)


def test_a_spring_keeps_what_the_quintic_drops(skeleton: Skeleton) -> None:
    """A velocity away from the target carries the joint on for a while."""
    poses = np.tile(skeleton.rest.astype(np.float64), (2, 1, 1))
    poses[:, :, 0] = [[0], [1]]
    leaving = Clip.from_poses(skeleton, [0.0, 1.0], poses, name="leaving", loop=False)
    still = Clip.from_poses(skeleton, [0.0], poses[:1], name="still")
    places = {}
    for method in ("inertialize", "spring"):
        fade = exact(skeleton)
        fade.play(leaving)
        for _ in range(50):
            fade.update(0.01)
        fade.fade_to(still, 1.0, method=method)  # type: ignore[arg-type]
        places[method] = [fade.update(0.01)[0, 0] for _ in range(100)]
    assert max(places["inertialize"]) <= 0.5
    assert places["spring"][0] == pytest.approx(0.51, abs=3e-3)
    assert max(places["spring"]) > 0.508
    assert places["spring"][-1] == places["inertialize"][-1] == 0


@pytest.mark.parametrize("method", ["inertialize", "spring"])
def test_a_parameter_that_was_set_is_no_velocity(skeleton: Skeleton, clips: list[Clip], method: Any) -> None:
    """A blend space in flight whose value leaps before the fade back to it."""
    steps = []
    for leap in (False, True):
        gait = lissom.BlendSpace1D(clips[:2], [0.0, 1.0])
        fade = exact(skeleton)
        fade.play(gait)
        for _ in range(20):
            fade.update(0.01)
        fade.fade_to(clips[2], 0.5)
        for _ in range(20):
            shown = fade.update(0.01)
        if leap:
            gait.value = 0.5
        fade.fade_to(gait, 0.3, method=method)
        if leap:
            gait.value = 0.0
        steps.append(distances(shown, fade.update(0.001)))
    # The velocities at both values are alike; the leap in 0.01 s would be twenty times as fast.
    assert steps[1].max() <= 3 * steps[0].max()
