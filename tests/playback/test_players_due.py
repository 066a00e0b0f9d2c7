# SPDX-License-Identifier: MIT
"""Players whose poses are not due keep them, while their time, events and root motion go on."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import BlendSpace1D, Clip, Players, trs
from test_players import wild_twins
from wild_clips import there_and_back

DT = 1 / 60


def walkers(count: int = 12, **options: Any) -> Players:
    hero = lissom.samples.humanoid()
    players = Players(hero.skeleton, count, **options)
    players.play(players.ids, hero.clips["walk"], at=np.linspace(0, 1, count), speed=np.linspace(0, 2, count))
    return players


def with_everything(seed: int) -> Players:
    """Clips and spaces, fades of all kinds, a layer, morph weights."""
    rng = np.random.default_rng(seed)
    hero = lissom.samples.humanoid()
    clips = hero.clips
    players = walkers(12)
    gait = BlendSpace1D([clips[name] for name in ("idle", "walk", "run")], [0, 1.4, 3])
    players.play(players.ids[:4], gait, parameter=rng.uniform(0, 3, 4))
    arms = players.layer("arms", mask=hero.skeleton.mask("Chest"))
    arms.play(players.ids[::2], clips["wave"])
    arms.weigh(players.ids[::3], 0.7, 0.1)
    still = np.tile(hero.skeleton.rest, (2, 1, 1))
    face = Clip.from_poses(hero.skeleton, [0, 1], still, morphs={"face/smile": [0.0, 1.0]})
    players.play(players.ids[6:8], face)
    for k, method in enumerate(("blend", "inertialize", "spring")):
        players.fade_to(players.ids[k::3], clips["run"], 0.2, there_and_back, method)  # type: ignore[arg-type]
    return players


def same(a: Players, b: Players) -> None:
    np.testing.assert_array_equal(a.poses, b.poses)
    np.testing.assert_array_equal(a.morphs, b.morphs)
    moved_alike(a, b)


def moved_alike(a: Players, b: Players) -> None:
    assert a.state.tobytes() == b.state.tobytes()
    np.testing.assert_array_equal(a.events, b.events)
    np.testing.assert_array_equal(a.root_motion, b.root_motion)


@pytest.mark.parametrize("kind", ["mask", "ids"])
def test_a_step_where_all_are_due_is_a_step(kind: str) -> None:
    a, b = with_everything(1), with_everything(1)
    out = np.empty((12, len(a.skeleton), 10), np.float32)
    for k in range(30):
        due = np.ones(len(b), bool) if kind == "mask" else b.ids[::-1]
        a.step(DT)
        assert b.step(DT, out[: len(b)], due=due) is b.poses
        same(a, b)
        if k == 10:
            for players in (a, b):
                players.remove(players.ids[[1, 7]])
                players.play(players.add(2), players.clips[0])
    assert b.is_posed.all()


def test_random_fades_where_all_are_due() -> None:
    twins, pool = wild_twins(20, np.float32, np.float64)
    rng = np.random.default_rng(3)
    a, b = twins.players, copy.copy(twins.players)
    for players in (a, b):
        players.play(players.ids, pool[0])
    for _ in range(20):
        chosen, clip = rng.permutation(a.ids)[:8], pool[int(rng.integers(len(pool)))]
        for players in (a, b):
            players.fade_to(chosen, clip, 0.1)
        a.step(DT)
        b.step(DT, due=b.ids)
        same(a, b)


def test_others_keep_their_pose_while_their_time_goes_on() -> None:
    rng = np.random.default_rng(5)
    a, b = walkers(), walkers()
    a.step(DT)
    poses = b.step(DT)
    for k in range(40):
        due, before = rng.random(len(b)) < 0.3, poses.copy()
        exact = a.step(DT)
        poses = b.step(DT, poses if k % 3 else None, due=due)
        np.testing.assert_array_equal(poses[due], exact[due])
        np.testing.assert_array_equal(poses[~due], before[~due])
        np.testing.assert_array_equal(b.is_posed, due)
        moved_alike(a, b)
    np.testing.assert_array_equal(b.step(DT, due=b.ids), a.step(DT))


def test_fades_layers_and_transitions_go_on_unseen() -> None:
    a, b = with_everything(2), with_everything(2)
    a.step(DT)
    b.step(DT)
    before = b.poses.copy(), b.morphs.copy()
    for _ in range(8):
        a.step(DT)
        poses = b.step(DT, due=[])
        moved_alike(a, b)
        np.testing.assert_array_equal(poses, before[0])
        np.testing.assert_array_equal(b.morphs, before[1])
    a.step(DT)
    np.testing.assert_allclose(b.step(DT, due=b.ids), a.poses, atol=1e-6)
    np.testing.assert_array_equal(b.morphs, a.morphs)
    before = b.poses.copy(), b.morphs.copy()
    b.step(DT, due=[])
    b.play(b.ids[:1], b.clips[0])  # of other poses than are kept, `poses` is made anew
    np.testing.assert_array_equal(b.poses[1:], copy.copy(b).poses[1:])
    np.testing.assert_array_equal(b.step(DT, due=b.ids[:1])[1:], before[0][1:])


def test_events_and_root_motion_come_in_each_step() -> None:
    hero = lissom.samples.humanoid()
    walk = hero.clips["walk"]
    clip = walk.with_markers({"left": walk.start + 0.2, "right": walk.start + 0.7})
    players = Players(hero.skeleton, 3)
    players.play(players.ids, clip)
    players.step(0.0)
    heard, places = [], trs.identity(3, dtype=np.float64)
    for k in range(120):
        players.step(DT, due=players.ids[:1] if k % 40 == 0 else [])
        heard += [(int(e["player"]), clip.markers[e["marker"]].name) for e in players.events]
        places = trs.compose(places, players.root_motion)
    cycles = 120 * DT / clip.duration
    times = np.add.outer(np.arange(9), np.array([0.2, 0.7]) / clip.duration)
    wanted = ["left", "right"] * 9
    for player in range(3):
        assert [name for of, name in heard if of == player] == wanted[: int((times < cycles).sum())]
    assert clip.root_motion is not None
    whole = clip.root_motion.between(clip.start, clip.start + 120 * DT, loop=clip.loop)
    np.testing.assert_allclose(places, np.tile(whole, (3, 1)), atol=1e-6)


def test_new_players_are_due_and_others_keep_theirs_in_other_rows() -> None:
    players = walkers(6)
    poses = players.step(DT).copy()
    players.play(players.add(2), players.clips[0], at=0.3)
    players.remove(players.ids[[0, 3]])
    assert players.ids.tolist() == [6, 1, 2, 7, 4, 5]
    assert players.is_posed.tolist() == [False, True, True, False, True, True]
    now = players.step(DT, due=[])
    assert players.is_posed.tolist() == [True, False, False, True, False, False]
    np.testing.assert_array_equal(now[[1, 2, 4, 5]], poses[[1, 2, 4, 5]])
    new = players.clips[0].sample(0.3 + DT)
    np.testing.assert_array_equal(now[[0, 3]], [new, new])
    kept = now.copy()
    players.remove([6])
    out = now[:5]  # the array that `now` is, with rows of others
    np.testing.assert_array_equal(players.step(DT, out, due=[]), kept[[5, 1, 2, 3, 4]])
    larger = np.zeros((6, *out.shape[1:]), np.float32)
    for part in (larger[:5], larger[1:]):  # which overlap
        np.testing.assert_array_equal(players.step(DT, part, due=[]), kept[[5, 1, 2, 3, 4]])


def test_a_first_step_poses_everybody() -> None:
    a, b = walkers(), walkers()
    np.testing.assert_array_equal(b.step(DT, due=[3]), a.step(DT))
    assert b.is_posed.all()
    assert Players(a.skeleton).step(DT, due=[]).shape == (0, 34, 10)
    assert Players(a.skeleton).step(DT, due=np.zeros(0, bool)).shape == (0, 34, 10)


@pytest.mark.parametrize("again", [copy.copy, lambda p: pickle.loads(pickle.dumps(p))])
def test_copies_and_pickles_pose_everybody_first(again: Any) -> None:
    a, b = walkers(), walkers()
    for players in (a, b):
        players.step(DT)
    b.step(DT, due=[])
    other = again(b)
    a.step(DT)
    np.testing.assert_array_equal(other.step(DT, due=[2]), a.step(DT))
    assert other.is_posed.all()


def test_clips_with_morph_targets_that_come_later_pose_everybody() -> None:
    hero = lissom.samples.humanoid()
    players = walkers(3)
    players.step(DT)
    still = np.tile(hero.skeleton.rest, (2, 1, 1))
    face = Clip.from_poses(hero.skeleton, [0, 1], still, morphs={"face/smile": [0.0, 1.0]})
    players.play([0], face, at=0.5)
    players.step(0.0, due=[])
    assert players.is_posed.all()
    np.testing.assert_array_equal(players.morphs, [[0.5], [0.0], [0.0]])
    players.step(0.25, due=[1])
    np.testing.assert_array_equal(players.morphs, [[0.5], [0.0], [0.0]])
    players.step(0.0, due=[0])
    np.testing.assert_array_equal(players.morphs, [[0.75], [0.0], [0.0]])


@pytest.mark.parametrize(
    ("due", "error", "message"),
    [
        (np.ones(3, bool), ValueError, r"due must hold ids, or be a mask of shape \(4,\), got \(3,\)"),
        (np.ones((4, 1), bool), ValueError, r"due must hold ids, or be a mask of shape \(4,\), got \(4, 1\)"),
        (True, ValueError, r"due must hold ids, or be a mask of shape \(4,\), got \(\)"),
        ([9], ValueError, "due must be among Players.ids, those of 4 players that are left, got 9"),
        ([-1], ValueError, "due must be among Players.ids"),
        ([1, 2, 1], ValueError, "due must be different, got 1 twice"),
        ([0.5], TypeError, "due must be whole numbers, one or a list of them, got float64"),
        ("all", TypeError, "due must be whole numbers"),
        (np.ma.array([1, 2], mask=[False, True]), TypeError, "due"),
    ],
)
def test_what_is_not_due_is_refused(due: Any, error: type[Exception], message: str) -> None:
    players = walkers(4)
    players.step(DT)
    state, poses = players.state.copy(), players.poses.copy()
    with pytest.raises(error, match=f"^Players.step: {message}"):
        players.step(DT, due=due)
    assert players.state.tobytes() == state.tobytes()
    np.testing.assert_array_equal(players.poses, poses)


def test_a_refused_step_keeps_the_poses() -> None:
    players = walkers(4)
    kept = players.step(DT)
    before = kept.copy()
    players.state["layers"]["speed"][2] = -1
    out = np.zeros_like(kept)
    with pytest.raises(ValueError, match=r"row 2: layers\[0\].speed must be at least 0"):
        players.step(DT, out, due=[0])
    players.state["layers"]["speed"][2] = 1
    assert not out.any()
    np.testing.assert_array_equal(players.step(DT, out, due=[0])[1:], before[1:])
