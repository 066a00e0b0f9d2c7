# SPDX-License-Identifier: MIT
"""No pop: whatever is asked of a cross-fade, no joint moves beyond its clips and its weights."""

from typing import Any

import numpy as np
import pytest

import lissom
from fade_recorder import Recorder
from lissom import Clip, CrossFade
from lissom._playback.fade import Fade
from random_rigs import random_skeleton
from wild_clips import there_and_back, wild_clips

TOLERANCE = 1e-9  # float64 throughout; angles near half a turn and their sums round to some 1e-14
TOLERANCE_FLOAT32 = 2e-6  # what is shown is rounded, before and after
STEPS = 6


def play_at_random(rng: np.random.Generator, clips: list[Clip], steps: int, recorder: Recorder) -> None:
    fade = CrossFade(clips[0].skeleton, dtype=np.float64)
    fade.play(clips[int(rng.integers(len(clips)))], at=rng.uniform(-1, 3), speed=rng.uniform(0, 2))
    pace = float(rng.choice([0.005, 1 / 60, 0.1]))  # seconds
    for _ in range(steps):
        if rng.random() < 0.35:
            clip = clips[int(rng.integers(len(clips)))]
            sync = bool(clip.loop is True and rng.random() < 0.3)
            fade.fade_to(
                clip,
                float(rng.uniform(0.01, 12) * pace),
                ("linear", "smooth", "smoother", there_and_back)[int(rng.integers(4))],
                ("inertialize", "spring")[int(rng.integers(2))] if rng.random() < 0.2 else "blend",
                sync=sync,
                at=None if sync or rng.random() < 0.7 else float(rng.uniform(0, 2)),
            )
        recorder.update(fade, float(rng.choice([0, rng.uniform(0, 2 * pace), pace])))


def recorded(sequences: int) -> Recorder:
    rng = np.random.default_rng(2018)
    pool = wild_clips(rng, random_skeleton(rng, 3), 60)
    recorder = Recorder()
    for _ in range(sequences):
        play_at_random(rng, [pool[i] for i in rng.integers(len(pool), size=3)], STEPS, recorder)
    return recorder


@pytest.mark.parametrize("sequences", [1_000, pytest.param(10_000, marks=pytest.mark.soak)])
def test_no_step_of_random_sequences_is_over_the_bound(sequences: int) -> None:
    recorder = recorded(sequences)
    assert len(recorder.shown) == sequences * STEPS
    assert recorder.held_joints > sequences / 10  # what a plain blend gets wrong did occur
    assert len(recorder.died) > sequences / 10  # and inertialization
    assert recorder.excess().max() <= TOLERANCE


def _short_way(self: Fade, below: np.ndarray, target: np.ndarray, out: np.ndarray) -> None:
    """A plain blend: at each step along the shorter arc."""
    out[:] = below + self.weight * (target - below)
    out[:, 3:7] = lissom.quat.nlerp(below[:, 3:7], target[:, 3:7], self.weight)


def _carried_way(self: Fade, below: np.ndarray, target: np.ndarray, out: np.ndarray) -> None:
    """Signs carried, and nothing held."""
    out[:] = below + self.weight * (target - below)
    new = np.stack([below[:, 3:7], target[:, 3:7]])
    new *= np.where(np.vecdot(new, self._points) < 0, -1, 1)[..., None]
    self._points = new
    out[:, 3:7] = lissom.quat.slerp(*new, self.weight, short=False)


@pytest.mark.parametrize("blend", [_short_way, _carried_way])
def test_the_bound_finds_plain_blends(blend: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Fade, "blend", blend)
    assert recorded(300).excess().max() > 0.1  # radians


@pytest.mark.parametrize("method", ["blend", "inertialize", "spring"])
def test_the_bound_holds_for_a_character(method: Any) -> None:
    hero = lissom.samples.humanoid()
    fade = CrossFade(hero.skeleton)
    recorder = Recorder()
    fade.play(hero.clips["idle"])
    rng = np.random.default_rng(5)
    for name in ("walk", "run", "wave", "run", "walk", "lean", "idle"):
        fade.fade_to(hero.clips[name], 0.3, method=method, sync=name in ("walk", "run"))
        for _ in range(int(rng.integers(4, 30))):
            recorder.update(fade, 1 / 60)
    assert recorder.excess().max() <= TOLERANCE_FLOAT32


@pytest.mark.parametrize(("opposed", "held"), [((0.02, 0.02), True), ((0.02, -0.02), False)])
def test_a_pair_that_may_have_passed_a_quarter_within_a_step_is_held(
    opposed: tuple[float, float], held: bool
) -> None:
    """A . B is 0 and A'. B' above 0, but neither pose could have moved first."""
    poses = np.tile([0, 0, 0, 0, 0, 0, 1.0, 1, 1, 1], (4, 1, 1))
    below, target, below_then, target_then = poses
    below[:, 3:7] = [1, 0, 0, 0]
    target[:, 3:7] = [0, 1, 0, 0]
    below_then[:, 3:7] = lissom.quat.normalize([1, -opposed[0], 0.3, 0])
    target_then[:, 3:7] = lissom.quat.normalize([-opposed[1], 1, 0.3, 0])
    assert (below_then * target_then)[:, 3:7].sum() > 0
    fade = Fade(below, target, 1.0, "linear")
    fade.advance(0.5)
    fade.blend(below_then, target_then, np.empty((1, 10)))
    assert fade.held.tolist() == [held]
