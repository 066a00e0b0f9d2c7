# SPDX-License-Identifier: MIT
"""Inertialization: differences that die away."""

import copy
import math
import pickle
from typing import Any

import numpy as np
import pytest

import lissom
from fade_recorder import angles, distances
from lissom import Inertializer, Skeleton
from random_rigs import random_poses, random_skeleton

ROUNDING = 1e-12  # float64
KINDS = ("quintic", "spring")
COUNT = 40


@pytest.fixture(scope="module")
def skeleton() -> Skeleton:
    return random_skeleton(np.random.default_rng(0), COUNT)


def moved(pose: np.ndarray, velocity: np.ndarray, seconds: float) -> np.ndarray:
    """A pose that went on for some time: velocity (J, 9), turning about the joints' own axes."""
    result = pose + 0.0
    result[:, :3] += seconds * velocity[:, :3]
    turn = lissom.quat.from_rotation_vector(seconds * velocity[:, 3:6])
    result[:, 3:7] = lissom.quat.multiply(pose[:, 3:7], turn)
    result[:, 7:] += seconds * velocity[:, 6:]
    return result


def bollo(x0: float, v0: float, t1: float, t: float) -> float:
    """Twin of the quintic, one number at a time, in the order of the slides."""
    assert x0 >= 0
    v0 = min(v0, 0.0)
    if v0 < 0:
        t1 = min(t1, -5 * x0 / v0)
    if t >= t1:
        return 0.0
    a0 = max(0.0, (-8 * v0 * t1 - 20 * x0) / t1**2)
    a = -(a0 * t1**2 + 6 * v0 * t1 + 12 * x0) / (2 * t1**5)
    b = (3 * a0 * t1**2 + 16 * v0 * t1 + 30 * x0) / (2 * t1**4)
    c = -(3 * a0 * t1**2 + 12 * v0 * t1 + 20 * x0) / (2 * t1**3)
    return a * t**5 + b * t**4 + c * t**3 + a0 / 2 * t**2 + v0 * t + x0


@pytest.mark.parametrize("kind", KINDS)
def test_it_starts_at_the_pose_that_shows(skeleton: Skeleton, kind: Any) -> None:
    rng = np.random.default_rng(1)
    pose, target = random_poses(rng, 2, COUNT)
    change = Inertializer(skeleton, kind=kind)
    change.transition(pose, target)
    assert distances(change.apply(target, 0), pose).max() <= ROUNDING
    assert change.is_active


@pytest.mark.parametrize(
    "options", [{"kind": "quintic", "duration": 0.5}, {"kind": "spring", "duration": 0.5},
                {"kind": "spring", "halflife": 0.025}]
)  # fmt: skip
def test_it_ends_at_the_target_to_the_last_bit(skeleton: Skeleton, options: dict[str, Any]) -> None:
    rng = np.random.default_rng(2)
    pose, previous, target, before = random_poses(rng, 4, COUNT)
    change = Inertializer(skeleton, **options)
    change.transition(pose, target, previous=previous, target_previous=before, dt=0.1)
    change.apply(target, 0.49)
    assert change.is_active
    np.testing.assert_array_equal(change.apply(target, 0.02), target)
    assert not change.is_active
    assert not change.offset.any()


@pytest.mark.parametrize("kind", KINDS)
def test_without_velocity_it_decays_and_never_overshoots(skeleton: Skeleton, kind: Any) -> None:
    rng = np.random.default_rng(3)
    pose, target = random_poses(rng, 2, COUNT)
    times = {"duration": 0.3} if kind == "quintic" else {"halflife": 0.1}
    change = Inertializer(skeleton, kind=kind, **times)
    change.transition(pose, target)
    first = change.offset
    sizes = []
    for _ in range(200):
        change.apply(target, 0.002)
        offset = change.offset
        parts, firsts = offset.reshape(-1, 3, 3), first.reshape(-1, 3, 3)
        assert (np.sum(parts * firsts, axis=-1) >= 0).all()  # on its side of the target
        sizes.append(np.linalg.norm(parts, axis=-1))
    assert (np.diff(sizes, axis=0) <= ROUNDING).all()
    half = sizes[49] / np.linalg.norm(first.reshape(-1, 3, 3), axis=-1)  # after 0.1 s
    np.testing.assert_allclose(half, 0.5 if kind == "spring" else bollo(1, 0, 0.3, 0.1), atol=1e-9)


def test_the_quintic_is_that_of_the_paper(skeleton: Skeleton) -> None:
    rng = np.random.default_rng(4)
    pose, target = random_poses(rng, 2, COUNT)
    velocity = rng.normal(size=(COUNT, 9)) * rng.choice([0.1, 3, 30], size=(COUNT, 1))
    dt = 1e-6
    change = Inertializer(skeleton, duration=0.4)
    change.transition(pose, target)
    x0 = np.linalg.norm(change.offset.reshape(-1, 3, 3), axis=-1)
    directions = change.offset.reshape(-1, 3, 3) / x0[..., None]
    previous = moved(pose, velocity, -dt)
    change.transition(pose, target, previous=previous, dt=dt)
    # The speed along the difference; of a rotation, that of the angle.
    v0 = np.sum(velocity.reshape(-1, 3, 3) * directions, axis=-1)
    assert (v0 < 0).any()
    assert (-5 * x0 / v0 < 0.4)[v0 < 0].any()  # some end before
    for t in (0.01, 0.05, 0.1, 0.2, 0.3, 0.39):
        change.apply(target, t - change.elapsed)
        got = np.linalg.norm(change.offset.reshape(-1, 3, 3), axis=-1)
        expected = [
            [bollo(x, v, 0.4, t) for x, v in zip(*row, strict=True)] for row in zip(x0, v0, strict=True)
        ]
        np.testing.assert_allclose(got, expected, atol=1e-4)  # dt of the velocity


def test_a_spring_of_a_duration_has_a_thousandth_to_take_off(skeleton: Skeleton) -> None:
    """Against the free spring, whose half-life is such that it would have 0.1 % left at the end."""
    rng = np.random.default_rng(10)
    pose, target = random_poses(rng, 2, COUNT)
    duration = 0.5
    change = Inertializer(skeleton, kind="spring", duration=duration)
    change.transition(pose, target)
    first = change.offset
    last = first
    for step in range(1, 1001):
        change.apply(target, 0.0005)
        share = step / 1000
        s = 9.233413476451586 * share
        free = (1 + s) * math.exp(-s)
        np.testing.assert_allclose(change.offset, (free - 0.001 * share**3) * first, rtol=0, atol=1e-9)
        assert (
            np.abs(change.offset - last).max() <= 0.0035 * np.abs(first).max()
        )  # no step, the last included
        last = change.offset
    assert not change.is_active
    assert (1 + s) * math.exp(-s) == pytest.approx(0.001, rel=1e-12)


def test_a_duration_of_any_size_will_do(skeleton: Skeleton) -> None:
    rng = np.random.default_rng(11)
    pose, previous, target = random_poses(rng, 3, COUNT)
    for kind in KINDS:
        for duration in (1e-100, 1e-9, 1e9, 1e100):
            change = Inertializer(skeleton, kind=kind, duration=duration)
            change.transition(pose, target, previous=previous, dt=0.01)
            assert distances(change.apply(target, 0), pose).max() <= ROUNDING
            assert np.isfinite(change.apply(target, 0.5 * duration)).all()
            np.testing.assert_array_equal(change.apply(target, 0.6 * duration), target)


def test_a_spring_keeps_the_velocity_in_all_directions(skeleton: Skeleton) -> None:
    rng = np.random.default_rng(5)
    pose, target = random_poses(rng, 2, COUNT)
    velocity, goal_velocity = rng.normal(size=(2, COUNT, 9))
    dt = 1e-5
    change = Inertializer(skeleton, kind="spring", halflife=0.1)
    change.transition(
        pose,
        target,
        previous=moved(pose, velocity, -dt),
        target_previous=moved(target, goal_velocity, -dt),
        dt=dt,
    )
    got = change.apply(moved(target, goal_velocity, dt), dt)
    # It continues as before: the difference is its acceleration over dt squared.
    assert distances(got, moved(pose, velocity, dt)).max() <= 3e3 * dt**2


def test_a_quintic_keeps_the_speed_towards_the_target(skeleton: Skeleton) -> None:
    rng = np.random.default_rng(6)
    target = random_poses(rng, COUNT)
    way = rng.normal(size=(COUNT, 9))
    dt = 1e-5
    pose = moved(target, way, 0.1)
    change = Inertializer(skeleton, duration=0.5)
    # Approaches along the difference, so that it would be there in 0.2 s.
    change.transition(pose, target, previous=moved(target, way, 0.1 + 0.5 * dt), dt=dt)
    got = change.apply(target, dt)
    assert distances(got, moved(target, way, 0.1 - 0.5 * dt)).max() <= 3e3 * dt**2


def test_a_difference_of_half_a_turn_has_no_leap_for_a_velocity(skeleton: Skeleton) -> None:
    target = np.tile([0, 0, 0, 0, 0, 0, 1.0, 1, 1, 1], (COUNT, 1))
    spin = np.zeros((COUNT, 9))
    spin[:, 4] = 1  # radian per second
    previous, pose = moved(target, spin, math.pi - 0.005), moved(target, spin, math.pi + 0.005)
    change = Inertializer(skeleton, kind="spring", halflife=0.1)
    change.transition(pose, target, previous=previous, dt=0.01)
    got = change.apply(target, 1e-5)
    np.testing.assert_allclose(angles(got[:, 3:7], pose[:, 3:7]), 1e-5, rtol=0.01)  # it speeds up a little


def test_float32_poses_stay_float32_and_out_may_be_the_pose(skeleton: Skeleton) -> None:
    rng = np.random.default_rng(7)
    pose, target = random_poses(rng, 2, COUNT).astype(np.float32)
    change = Inertializer(skeleton)
    change.transition(pose, target)
    expected = change.apply(target, 0.1)
    assert expected.dtype == np.float32
    change.transition(pose, target)
    assert change.apply(target, 0.1, out=target) is target
    np.testing.assert_array_equal(target, expected)


def test_reset_copies_and_repr(skeleton: Skeleton) -> None:
    rng = np.random.default_rng(8)
    pose, target = random_poses(rng, 2, COUNT)
    change = Inertializer(skeleton, duration=0.5)
    assert repr(change) == "<Inertializer of 40 joints: quintic, 0.5 s, at rest>"
    change.transition(pose, target)
    change.apply(target, 0.1)
    assert repr(change) == "<Inertializer of 40 joints: quintic, 0.5 s, 0.100 s into a transition>"
    spring = Inertializer(skeleton, kind="spring", duration=0.5)
    assert repr(spring) == "<Inertializer of 40 joints: spring, half-life 0.0909 s, at rest>"
    others = [copy.deepcopy(change), pickle.loads(pickle.dumps(change)), copy.copy(change)]
    expected = change.apply(target, 0.1)
    for other in others:
        np.testing.assert_array_equal(other.apply(target, 0.1), expected)
    change.reset()
    np.testing.assert_array_equal(change.apply(target, 0.1), target)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"kind": "cubic"}, "kind must be 'quintic' or 'spring', got 'cubic'"),
        ({"duration": 0}, "duration must be above zero and finite, got 0"),
        (
            {"halflife": 0.1},
            "halflife must be None for kind 'quintic', got 0.1; pass kind='spring', or duration",
        ),
        ({"kind": "spring", "halflife": math.nan}, "halflife must be above zero and finite, got nan"),
    ],
)
def test_options_are_checked(skeleton: Skeleton, options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match="Inertializer: " + message):
        Inertializer(skeleton, **options)


def test_poses_are_checked(skeleton: Skeleton) -> None:
    rng = np.random.default_rng(9)
    pose, target = random_poses(rng, 2, COUNT)
    change = Inertializer(skeleton)
    with pytest.raises(ValueError, match=r"transition: target must have shape \(40, 10\), got \(39, 10\)"):
        change.transition(pose, target[1:])
    with pytest.raises(ValueError, match=r"transition: pose must be finite"):
        change.transition(pose * np.nan, target)
    with pytest.raises(ValueError, match=r"dt must be the seconds from previous to pose, above zero, got 0"):
        change.transition(pose, target, previous=pose, dt=0)
    with pytest.raises(ValueError, match=r"previous must be passed with target_previous, got None"):
        change.transition(pose, target, target_previous=pose, dt=0.1)
    with pytest.raises(ValueError, match=r"apply: pose must have shape \(40, 10\), got \(10,\)"):
        change.apply(pose[0], 0.1)
    with pytest.raises(ValueError, match=r"apply: dt must be finite and at least 0, got -1"):
        change.apply(pose, -1)
    with pytest.raises(TypeError, match=r"apply: out must be an array of float64, got float32"):
        change.apply(pose, 0, out=np.empty((40, 10), np.float32))
    with pytest.raises(ValueError, match=r"apply: out must have shape \(40, 10\), got \(4, 10\)"):
        change.apply(pose, 0, out=np.empty((4, 10)))
    with pytest.raises(TypeError, match=r"apply: out must be an array of float64, got list"):
        change.apply(pose, 0, out=pose.tolist())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"apply: dt must be a number, got str"):
        change.apply(pose, "0.1")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Inertializer: duration must be a number, got str"):
        Inertializer(skeleton, duration="0.3")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Inertializer: skeleton must be a Skeleton, got int"):
        Inertializer(3)  # type: ignore[arg-type]
