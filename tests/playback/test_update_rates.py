# SPDX-License-Identifier: MIT
"""The error that is stated of poses that are kept is at least what float64 vertices show."""

import copy
import gc
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from conftest import asset_files, asset_id, each_asset
from gpu.faces import with_face
from lissom import BlendSpace1D, BlendSpace2D, Character, Clip, Players, UpdateRates

DT = 1 / 60
ROUNDING = 2e-5  # of the character's size: poses are float32


def moved(
    character: Character, players: Players, shown: Any, exact: Any, method: str = "linear"
) -> np.ndarray[Any, Any]:
    """How far the farthest vertex of each is from its place, (N,), in float64."""
    morphs = [None, None]
    if character.mesh is not None and character.mesh.morphs is not None and shown[1].shape[1]:
        morphs = [shown[1], exact[1]]
    places = [
        np.asarray(character.deform(np.asarray(poses, np.float64), method, morphs=weights))
        for (poses, _), weights in zip((shown, exact), morphs, strict=True)
    ]
    return np.asarray(np.linalg.norm(places[0] - places[1], axis=-1).max(axis=-1))


def try_rates(
    character: Character,
    players: Players,
    per_unit: Any,
    steps: int = 24,
    method: str = "linear",
    change: Any = lambda players, step: None,
) -> float:
    """Step players by their rates, beside others that are stepped whole; return the share that was due."""
    rates, whole = UpdateRates(character), copy.copy(players)
    for each in (players, whole):
        each.step(DT)
    shares, tightest = [], np.inf
    for step in range(steps):
        for each in (players, whole):
            change(each, step)
        exact = whole.step(DT), whole.morphs
        shown = players.step(DT, due=rates.due(players, DT, per_unit)), players.morphs
        stated = rates.errors(players)
        measured = moved(character, players, shown, exact, method)
        assert (measured <= stated + ROUNDING * character.size).all()
        assert (stated * per_unit <= 0.5).all()
        shares.append(players.is_posed.mean())
        kept = ~players.is_posed & (measured > ROUNDING * character.size)
        if kept.any():
            tightest = min(tightest, float((stated[kept] / measured[kept]).min()))
    assert np.isinf(tightest) or tightest < 6
    return float(np.mean(shares[1:]))


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_clips_of_a_humanoid(method: str) -> None:
    hero, rng = lissom.samples.humanoid(), np.random.default_rng(1)
    players = Players(hero.skeleton, 15)
    for k, name in enumerate(("idle", "walk", "run", "wave", "lean")):
        players.play(players.ids[k::5], hero.clips[name], at=rng.uniform(0, 3, 3), speed=rng.uniform(0, 2, 3))
    per_unit = np.geomspace(1, 30, 15)
    assert 0.1 < try_rates(hero, players, per_unit, method=method) < 0.7
    assert try_rates(hero, players, 1e5, 3) == 1
    players.state["layers"]["speed"] = 1.0
    assert try_rates(hero, players, 1e-3) < 0.1


def test_clips_in_all_loop_modes() -> None:
    hero, rng = lissom.samples.humanoid(), np.random.default_rng(2)
    players = Players(hero.skeleton, 12)
    lean = hero.clips["lean"]
    loops: tuple[Any, ...] = (True, False, "ping_pong")
    for k, loop in enumerate(loops):
        clip = Clip(f"clip {k}", lean.skeleton, lean.keys, lean.tracks, loop=loop)  # whose seam jumps
        players.play(players.ids[k::3], clip, at=rng.uniform(-1, clip.duration, 4))
    assert 0.02 < try_rates(hero, players, 30.0, 40) < 0.8


def test_blend_spaces_whose_parameters_change() -> None:
    hero, rng = lissom.samples.humanoid(), np.random.default_rng(3)
    clips = hero.clips
    line = BlendSpace1D([clips[name] for name in ("idle", "walk", "run")], [0, 1.4, 3])
    plane = BlendSpace2D([clips[name] for name in ("idle", "walk", "run")], [[0, 0], [1, 0], [0, 1]])
    players = Players(hero.skeleton, 24)
    players.play(players.ids[:12], line, at=rng.uniform(0, 1, 12), parameter=rng.uniform(-1, 4, 12))
    players.play(players.ids[12:], plane, at=rng.uniform(0, 1, 12), parameter=rng.uniform(-0.2, 1.2, (12, 2)))
    values, points = rng.uniform(-1, 4, 12), rng.uniform(-0.2, 1.2, (12, 2))
    slopes, speeds = rng.choice([0, 0.01, 0.1], 12), rng.choice([0, 0.002, 0.02], (12, 2))

    def change(players: Players, step: int) -> None:
        players.move(players.ids[:12], values + step * slopes, line)
        players.move(players.ids[12:], points + step * speeds, plane)

    assert 0.1 < try_rates(hero, players, 4.0, 30, change=change) < 0.9


def test_faces() -> None:
    hero, rng = lissom.samples.humanoid(), np.random.default_rng(4)
    character = with_face(hero, defaults=[0.2, 0.0, 0.7])
    assert character.mesh is not None
    morphs = character.mesh.morphs
    still = np.tile(hero.skeleton.rest, (9, 1, 1))
    curves = dict(zip(morphs.names, rng.uniform(0, 1, (len(morphs), 9)), strict=True))
    face = Clip.from_poses(hero.skeleton, np.linspace(0, 2, 9), still, morphs=curves)
    players = Players(hero.skeleton, 10)
    players.play(players.ids, face, at=rng.uniform(0, 2, 10))
    assert 0.1 < try_rates(character, players, 20.0) < 0.9


@pytest.mark.parametrize("path", each_asset(asset_files("characters")[::6], "characters"), ids=asset_id)
def test_characters_of_others(path: Path) -> None:
    character, rng = lissom.load(path), np.random.default_rng(5)
    if character.mesh is None or not character.clips:
        pytest.skip("without a mesh or clips")
    clips = list(character.clips.values())[:3]
    players = Players(character.skeleton, 6)
    for k, clip in enumerate(clips):
        players.play(
            players.ids[k :: len(clips)], clip, at=rng.uniform(0, 2, len(players.ids[k :: len(clips)]))
        )
    for method in ("linear", "dual_quat"):
        share = try_rates(character, players, 4 / character.size, 16, method)
    assert share < 1


def test_what_begins_is_due() -> None:
    hero = lissom.samples.humanoid()
    clips = hero.clips
    players, rates = Players(hero.skeleton, 8), UpdateRates(hero)
    players.play(players.ids[:7], clips["walk"])
    gait = BlendSpace1D([clips["idle"], clips["walk"], clips["run"]], [0, 1, 2])
    players.play([6], gait, parameter=0.5)
    arms = players.layer("arms")
    arms.play([4], clips["wave"])
    far = 1e-6
    assert rates.due(players, DT, far).all()  # nobody has a pose yet
    players.step(DT)
    assert rates.due(players, DT, far).all()  # nor is it known what was written

    def due() -> list[int]:
        chosen = rates.due(players, DT, far)
        players.step(DT, due=chosen)
        return np.flatnonzero(chosen).tolist()

    due()
    assert due() == [7]  # who plays nothing: nothing is known, and nothing costs
    players.play([0], clips["run"])
    players.fade_to([1], clips["run"], 2 * DT)
    players.fade_to([2], clips["run"], 2 * DT, method="spring")
    players.state["layers"]["time"][3] = 40.0
    arms.weigh([4], 1.0, 0.1)
    players.move([6], 1.5)
    assert due() == [0, 1, 2, 3, 4, 6, 7]
    players.move([6], 1.6)
    assert due() == [1, 2, 4, 7]
    assert due() == [4, 7]
    arms.weigh([4], 0.0)
    assert due()[-2:] == [4, 7]
    for _ in range(3):
        due()
    assert due() == [7]
    players.state["layers"]["time"][5] = 0.0
    assert 5 in due()
    assert rates.due(players, 0.3, far).all()  # longer than is known
    assert rates.due(players, DT, 0.0).sum() == 0
    assert rates.due(players, DT, np.inf).all()
    assert np.isinf(rates.errors(players)[~players.is_posed]).sum() == 0


def slow(name: str, seconds: float) -> Clip:
    """A walk that hardly moves, as long as told."""
    hero = lissom.samples.humanoid()
    poses = hero.clips["walk"].sample(np.linspace(0, 0.01, 9))
    return Clip.from_poses(hero.skeleton, np.linspace(0, seconds, 9), poses, name=name, loop=True)


@pytest.mark.parametrize("seconds", [60.0, 1800.0])
def test_poses_of_long_clips_are_not_kept_for_longer(seconds: float) -> None:
    hero = lissom.samples.humanoid()
    players, rates = Players(hero.skeleton, 3), UpdateRates(hero)
    players.play([0], slow("long", seconds), at=7.0)
    players.play([1], BlendSpace1D([slow("one", seconds), slow("two", 0.5 * seconds)], [0, 1]), parameter=0.3)
    ended = slow("ended", seconds)
    ended.loop = False
    players.play([2], ended, at=seconds + 1.0)
    players.step(DT, due=players.ids)
    kept, longest = np.zeros(3), np.zeros(3)
    for _ in range(60):
        players.step(DT, due=rates.due(players, DT, 1e-6))
        kept = np.where(players.is_posed, 0.0, kept + DT)
        longest = np.maximum(longest, kept)
    assert (longest[:2] <= 0.25 + 1e-9).all()
    assert longest[0] > 0.2 or seconds > 60
    assert longest[2] > 0.9  # nothing moves any more


def test_clips_that_nobody_plays_any_more_are_forgotten() -> None:
    hero = lissom.samples.humanoid()
    walk, run = hero.clips["walk"], hero.clips["run"]
    players, others, rates = Players(hero.skeleton, 1), Players(hero.skeleton, 1), UpdateRates(hero)
    players.play([0], walk)
    others.play([0], run)
    for each in (players, others):
        rates.due(each, DT, 1.0)
    known = dict(rates._measured)
    assert len(known) == 2
    for each in (players, others):  # by turns, nothing is measured again
        rates.due(each, DT, 1.0)
    assert all(rates._measured[number] is each for number, each in known.items())
    del others, each
    gc.collect()
    rates.due(players, DT, 1.0)
    assert list(rates._measured) == [id(walk)]


def test_loop_modes_that_change_are_measured_again() -> None:
    hero = lissom.samples.humanoid()
    lean = hero.clips["lean"]
    clip = Clip("leaning", lean.skeleton, lean.keys, lean.tracks, loop=False)
    players, rates = Players(hero.skeleton, 1), UpdateRates(hero)
    players.play([0], clip, at=clip.end)
    for _ in range(3):
        players.step(DT, due=rates.due(players, DT, 50.0))
    assert not players.is_posed.any()
    assert rates.errors(players)[0] < 5e-3  # it may have been aside of the end
    clip.loop = True
    assert rates.due(players, DT, 50.0).all()


def test_pickles_copies_and_words() -> None:
    hero = lissom.samples.humanoid()
    players, rates = Players(hero.skeleton, 2), UpdateRates(hero, pixels=0.25)
    players.play(players.ids, hero.clips["idle"])
    players.step(DT, due=rates.due(players, DT, 1.0))
    assert repr(rates) == "<UpdateRates: at most 0.25 pixels, 1 clip measured>"
    for other in (pickle.loads(pickle.dumps(rates)), copy.copy(rates), copy.deepcopy(rates)):
        assert other.pixels == 0.25
        np.testing.assert_array_equal(other.due(players, DT, [1.0, 1e6]), [False, True])
    rates.pixels = 1e9
    assert not rates.due(players, DT, 1e6).any()


def test_bad_input() -> None:
    hero, bar = lissom.samples.humanoid(), lissom.samples.twisted_bar()
    players, rates = Players(hero.skeleton, 2), UpdateRates(hero)
    bare = Character("bare", hero.skeleton, None, None)
    parents = hero.skeleton.parents.copy()
    parents[-1] = 0
    regrown = Players(lissom.Skeleton(hero.skeleton.names, parents, hero.skeleton.rest), 2)
    other: Any = hero.skeleton
    nothing: Any = None
    for error, message, call in (
        (
            TypeError,
            "UpdateRates: character must be a Character, got Skeleton",
            lambda: UpdateRates(other),
        ),
        (ValueError, "UpdateRates: character must have a mesh, got 'bare'", lambda: UpdateRates(bare)),
        (ValueError, "UpdateRates: pixels must be", lambda: UpdateRates(hero, pixels=0)),
        (ValueError, "UpdateRates: pixels must be", lambda: UpdateRates(hero, pixels=float("nan"))),
        (TypeError, "UpdateRates.due: players must be Players, got None", lambda: rates.due(nothing, DT, 1)),
        (TypeError, "UpdateRates.errors: players must be Players, got None", lambda: rates.errors(nothing)),
        (
            ValueError,
            "players must be of the character's skeleton",
            lambda: UpdateRates(bar).due(players, DT, 1),
        ),
        (
            ValueError,
            "character's skeleton, 34 joints, got 34 joints of other names or parents",
            lambda: rates.due(regrown, DT, 1),
        ),
        (ValueError, "UpdateRates.due: dt must be", lambda: rates.due(players, -1, 1)),
        (ValueError, "UpdateRates.due: dt must be", lambda: rates.due(players, np.nan, 1)),
        (ValueError, r"one for each of 2 players, got \(3,\)", lambda: rates.due(players, DT, [1, 2, 3])),
        (ValueError, "pixels_per_unit must be at least 0, got -1", lambda: rates.due(players, DT, [1, -1])),
        (ValueError, "pixels_per_unit must be at least 0, got nan", lambda: rates.due(players, DT, np.nan)),
        (TypeError, "pixels_per_unit", lambda: rates.due(players, DT, "far")),
    ):
        with pytest.raises(error, match=message):
            call()
    assert rates.due(players, DT, 1.0).all()
    assert UpdateRates(hero).due(Players(hero.skeleton), DT, 1.0).shape == (0,)
