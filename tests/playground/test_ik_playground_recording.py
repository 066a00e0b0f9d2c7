# SPDX-License-Identifier: MIT
"""What is remembered: recordings as clips, moments of them, residuals over time, undo and redo."""

import numpy as np
import pytest

import lissom
from lissom import ik, samples
from lissom._playground import moves, recording, state

HERO = samples.humanoid()
REST = HERO.skeleton.rest


class Watch:
    """Seconds that pass only when they are told to."""

    def __init__(self):
        self.seconds = 100.0

    def monotonic(self):
        return self.seconds


@pytest.fixture
def watch(monkeypatch):
    made = Watch()
    monkeypatch.setattr("lissom._playground.playground.time.monotonic", made.monotonic)
    return made


def at(clip, seconds):
    return clip.sample(seconds, loop=False)


def dragged(made, watch, steps):
    """Drag the foot to heights at times after the last one; return the poses."""
    poses = []
    for wait, height in steps:
        watch.seconds += wait
        poses.append(made.solve([0.1, height, 0.2]).pose)
    return poses


def test_what_is_dragged_is_recorded_at_the_times_at_which_it_was_shown(watch):
    made = ik.Playground(HERO, "Foot.L")
    made.record()
    poses = dragged(made, watch, [(0.05, 0.2), (0.02, 0.3), (0.03, 0.4)])
    made.stop()
    clip = made.recorded(name="kick")
    assert (clip.name, clip.start, clip.loop) == ("kick", 0.0, False)
    assert clip.end == pytest.approx(0.1)
    for seconds, pose in zip((0.0, 0.05, 0.07, 0.1), (REST, *poses), strict=True):
        np.testing.assert_allclose(at(clip, seconds), pose, atol=2e-5)


def test_what_is_held_stays_still_until_the_next_drag_and_to_the_end(watch):
    made = ik.Playground(HERO, "Foot.L")
    made.record()
    first, second = dragged(made, watch, [(0.05, 0.2), (2.0, 0.5)])
    watch.seconds += 1.0
    made.stop()
    watch.seconds += 5.0
    clip = made.recorded()
    assert clip.end == pytest.approx(3.05)
    np.testing.assert_allclose(at(clip, 1.9), first, atol=1e-6)
    np.testing.assert_allclose(at(clip, 2.05), second, atol=2e-5)
    np.testing.assert_allclose(at(clip, 3.0), second, atol=1e-6)


def test_a_recording_at_a_rate_is_regular_and_can_be_baked(watch):
    made = ik.Playground(HERO, "Foot.L")
    made.record()
    dragged(made, watch, [(0.1 / 3, 0.1 + 0.01 * step) for step in range(30)])
    clip = made.recorded(30)
    assert clip.uniform
    assert clip.key_rate == pytest.approx(30, rel=0.02)
    bake = lissom.bake(HERO, clip)
    np.testing.assert_allclose(bake.clips["recorded"].duration, clip.duration, atol=1e-6)


def test_a_recording_is_of_the_body_that_moved_and_of_undo_as_well(watch):
    made = ik.Playground(HERO, "body", solver="damped_least_squares")
    made.record()
    watch.seconds += 0.05
    lower = made.body - np.float32([0, 0.1, 0])
    made.solve(body=lower)
    watch.seconds += 0.05
    made.undo()
    clip = made.recorded()
    hips = HERO.skeleton.index("Pelvis")
    np.testing.assert_allclose(HERO.skeleton.positions(at(clip, 0.05))[hips], lower, atol=1e-4)
    np.testing.assert_allclose(at(clip, 0.1), made.pose, atol=1e-6)


def test_a_moment_is_shown_with_its_targets_and_gone_on_from(watch):
    made = ik.Playground(HERO, "Foot.L")
    made.record()
    first, _ = dragged(made, watch, [(0.05, 0.2), (0.05, 0.4)])
    last = made.result
    done = made.seek(0.07)
    assert done.pose is first
    np.testing.assert_allclose(made.targets, [0.1, 0.2, 0.2], atol=1e-6)
    assert not made._recording.is_on
    made.solve([0.1, 0.6, 0.2])
    assert made.recorded().end == pytest.approx(0.1), "it has ended"
    assert made.seek(9.0) is last
    np.testing.assert_array_equal(made.seek(-1.0).pose, made._first.result.pose)


def test_all_seeks_of_a_recording_are_undone_at_once(watch):
    made = ik.Playground(HERO, "Foot.L")
    made.record()
    dragged(made, watch, [(0.05, 0.2), (0.05, 0.4)])
    now = made.result
    for seconds in (0.0, 0.03, 0.06):
        made.seek(seconds)
    assert made.undo() is now


def test_states_in_the_same_moment_count_once_and_a_recording_ends(watch, monkeypatch):
    made = ik.Playground(HERO, "Foot.L")
    made.record()
    poses = dragged(made, watch, [(0.05, 0.2), (0.0, 0.3)])
    clip = made.recorded()
    np.testing.assert_allclose(at(clip, clip.end), poses[1], atol=1e-6)
    assert len(made._recording._states) == 2
    monkeypatch.setattr(recording, "MOST_STATES", 4)
    dragged(made, watch, [(0.05, 0.2), (0.05, 0.3), (0.05, 0.4)])
    assert not made._recording.is_on
    assert len(made._recording._states) == 4


def test_drags_are_at_the_times_at_which_they_were_asked_for(watch):
    made = ik.Playground(HERO, "Foot.L")
    made.record()
    watch.seconds += 0.5
    moves.move(made, {"target:0": [0.1, 0.3, 0.2]}, "drag", made._now() - 0.2)
    assert made._recording._times == pytest.approx([0.0, 0.3])
    assert made.residuals[-1, 0] == pytest.approx(0.3)


def test_without_a_recording_there_is_no_clip():
    made = ik.Playground(HERO, "Foot.L")
    with pytest.raises(
        ValueError, match=r"recorded: there must be a recording, got none; call record\(\) first"
    ):
        made.recorded()
    with pytest.raises(ValueError, match="seek: there must be a recording"):
        made.seek(0.0)
    made.stop()
    made.record()
    assert made.recorded().duration == 0
    for rate, error in ((0, ValueError), (-3.0, ValueError), (np.inf, ValueError), ("x", TypeError)):
        with pytest.raises(error, match="recorded: rate must be"):
            made.recorded(rate)
    with pytest.raises(TypeError, match="recorded: name must be a string, got int"):
        made.recorded(name=3)
    with pytest.raises(ValueError, match="seek: seconds must be finite"):
        made.seek(np.nan)


def test_residuals_are_kept_with_their_times(watch):
    made = ik.Playground(HERO, ["Foot.L", "Hand.R"])
    watch.seconds += 1.5
    done = made.solve({"Foot.L": [0.1, 3.0, 0.2]})
    assert made.residuals.shape == (2, 3)
    np.testing.assert_allclose(made.residuals[1], [1.5, *done.residual.tolist()], rtol=1e-6)
    for _ in range(state.MOST_RESIDUALS):
        made.solve()
    assert len(made.residuals) == state.MOST_RESIDUALS


def test_undo_and_redo_go_through_what_was_done_and_drop_what_was_undone():
    made = ik.Playground(HERO, "Foot.L")
    begun = made.result
    assert made.undo() is begun
    first = made.solve([0.1, 0.3, 0.2])
    made.solver = "ccd"
    second = made.result
    assert made.undo() is first
    assert made.solver == "fabrik"
    assert made.redo() is second
    assert made.solver == "ccd"
    assert made.redo() is second
    made.undo()
    third = made.solve([0.1, 0.6, 0.2])
    assert made.redo() is third
    assert made.undo() is first
    assert made.undo() is begun


def test_a_drag_is_undone_at_once_and_the_next_one_apart():
    made = ik.Playground(HERO, "Foot.L")
    begun = made.result
    for height in (0.2, 0.3):
        moves.move(made, {"target:0": [0.1, height, 0.2]}, "drag 1", 0.0)
    first = made.result
    for height in (0.4, 0.5):
        moves.move(made, {"target:0": [0.1, height, 0.2]}, "drag 2", 0.0)
    assert made.undo() is first
    assert made.undo() is begun


def test_only_so_many_steps_are_kept(monkeypatch):
    made = ik.Playground(HERO, "Foot.L")
    for step in range(state.MOST_UNDONE + 5):
        made.solve([0.1, 0.3 + 0.001 * step, 0.2])
    for _ in range(state.MOST_UNDONE + 5):
        made.undo()
    np.testing.assert_allclose(made.targets[1], 0.304, atol=1e-6)
    assert made._history.directions == (False, True)


def test_states_that_are_shown_again_and_held_are_recorded(watch):
    made = ik.Playground(HERO, "Foot.L")
    made.record()
    watch.seconds += 0.5
    second = made.solve([0.1, 0.3, 0.2]).pose
    watch.seconds += 0.5
    made.undo()
    watch.seconds += 0.5
    made.redo()
    watch.seconds += 0.5
    made.undo()
    watch.seconds += 0.5
    clip = made.recorded()
    assert clip.end == pytest.approx(2.0)
    made.stop()
    clip = made.recorded()
    assert clip.end == pytest.approx(2.5)
    for seconds, pose in ((0.4, REST), (0.9, second), (1.4, REST), (1.9, second), (2.4, REST)):
        np.testing.assert_allclose(at(clip, seconds), pose, atol=1e-6)
