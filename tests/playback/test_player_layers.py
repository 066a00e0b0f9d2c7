# SPDX-License-Identifier: MIT
"""Layers of players show what a cross-fade for each player and layer shows, blended one by one."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import CrossFade, PlayerLayer, Players

HERO = lissom.samples.humanoid()
WALK, RUN, WAVE, IDLE = (HERO.clips[name] for name in ("walk", "run", "wave", "idle"))
LEAN = lissom.make_additive(HERO.clips["lean"], IDLE)
NOD = lissom.make_additive(WAVE, IDLE)
MASK = HERO.skeleton.mask("Chest")
EASES: dict[str, Callable[[float], float]] = {
    "linear": lambda u: u,
    "smooth": lambda u: u * u * (3.0 - 2.0 * u),
    "smoother": lambda u: u * u * u * (u * (6.0 * u - 15.0) + 10.0),
}


class Twin:
    """One player: a cross-fade for itself and for each layer, and the weights of those."""

    def __init__(self) -> None:
        self.fades: dict[str, CrossFade] = {name: CrossFade(HERO.skeleton) for name in ("", "arms", "more")}
        self.plays: set[str] = set()
        self.weights = {name: [0.0, 0.0, 0.0, 0.0, "linear"] for name in ("arms", "more")}

    def weigh(self, name: str, goal: float, duration: float, ease: str) -> None:
        now: Any = self.weights[name][0]
        self.weights[name] = [goal if duration == 0 else now, now, goal, 0.0, ease]
        self.seconds = {**getattr(self, "seconds", {}), name: duration}

    def step(self, dt: float) -> Any:
        pose = self.fades[""].update(dt)
        for name in ("arms", "more"):
            record: Any = self.weights[name]
            duration = getattr(self, "seconds", {}).get(name, 0.0)
            record[3] += dt
            if record[3] >= duration:
                record[0] = record[2]
            else:
                share = EASES[record[4]](record[3] / duration)
                record[0] = record[1] + share * (record[2] - record[1])
            if name not in self.plays:
                continue
            top = self.fades[name].update(dt)
            weight = np.float32(record[0])
            if name == "arms":
                pose = lissom.blend(pose, top, weight, MASK)
            else:
                pose = lissom.add_layer(pose, top, weight)
        return pose


def layered(count: int) -> tuple[Players, PlayerLayer, PlayerLayer]:
    players = Players(HERO.skeleton, count)
    players.play(players.ids, WALK, at=np.linspace(0, 1, count))
    arms, more = players.layer("arms", mask=MASK), players.layer("more", additive=True)
    return players, arms, more


def test_random_sequences_are_those_of_cross_fades_blended_one_by_one() -> None:
    rng = np.random.default_rng(5)
    players, arms, more = layered(30)
    twins = {player: Twin() for player in players.ids.tolist()}
    for player, at in zip(twins, np.linspace(0, 1, 30), strict=True):
        twins[player].fades[""].play(WALK, at=float(at))
    layers: dict[str, tuple[PlayerLayer, Any]] = {
        "arms": (arms, [WAVE, IDLE, RUN]),
        "more": (more, [LEAN, NOD]),
    }
    for step in range(25):
        for player, twin in twins.items():
            if rng.random() < 0.1:
                clip = [WALK, RUN][int(rng.integers(2))]
                players.fade_to([player], clip, 0.2, sync=True)
                twin.fades[""].fade_to(clip, 0.2, sync=True)
            for name, (layer, clips) in layers.items():
                clip = clips[int(rng.integers(len(clips)))]
                if rng.random() < 0.15:
                    layer.play([player], clip, at=0.25)
                    twin.fades[name].play(clip, at=0.25)
                    twin.plays.add(name)
                elif name in twin.plays and rng.random() < 0.2:
                    method: Any = ("blend", "inertialize", "spring")[int(rng.integers(3))]
                    layer.fade_to([player], clip, 0.1, method=method)
                    twin.fades[name].fade_to(clip, 0.1, method=method)
                if rng.random() < 0.2:
                    goal, seconds = float(rng.choice([0, 0.5, 1])), float(rng.choice([0, 0.1]))
                    ease = str(rng.choice(list(EASES)))
                    layer.weigh([player], goal, seconds, ease)
                    twin.weigh(name, goal, seconds, ease)
        if step == 12:  # others leave, and new ones come
            players.remove([3, 7, 29])
            for player in (3, 7, 29):
                del twins[player]
            (new,) = players.add(1).tolist()
            twins[new] = Twin()
            players.play([new], RUN)
            twins[new].fades[""].play(RUN)
        dt = float(rng.choice([0.02, 0.05]))
        poses = players.step(dt)
        for row, player in enumerate(players.ids.tolist()):
            np.testing.assert_array_equal(poses[row], twins[player].step(dt))
            assert arms.weights[row] == twins[player].weights["arms"][0]
        assert len(arms.state) == len(more.fades) == len(players)
    assert 0 < np.count_nonzero(arms.weights) < len(players)


def test_poses_between_steps_have_the_layers_too() -> None:
    players, arms, _ = layered(4)
    arms.play([1], WAVE, at=1.0)
    arms.weigh([1], 1.0)
    poses = players.poses
    np.testing.assert_array_equal(
        poses[1], lissom.blend(WALK.sample(1 / 3), WAVE.sample(1.0), np.float32(1), MASK)
    )
    np.testing.assert_array_equal(poses[2], WALK.sample(2 / 3))


@pytest.mark.parametrize("way", ["pickle", "copy", "deepcopy"])
def test_copies_play_on(way: str) -> None:
    players, arms, more = layered(6)
    arms.play(players.ids, WAVE)
    more.play(players.ids, LEAN)
    arms.weigh(players.ids, 1.0, 0.3)
    more.weigh(players.ids, 0.5)
    players.step(0.1)
    ways: dict[str, Callable[[Players], Players]] = {
        "pickle": lambda p: pickle.loads(pickle.dumps(p)),
        "copy": copy.copy,
        "deepcopy": copy.deepcopy,
    }
    other = ways[way](players)
    assert [layer.name for layer in other.layers] == ["arms", "more"]
    for _ in range(4):
        np.testing.assert_array_equal(other.step(0.1), players.step(0.1))
    before = players.poses.copy()
    other.layers[0].weigh(other.ids, 0.0)
    other.step(0.1)
    np.testing.assert_array_equal(players.poses, before)
    assert arms.weights.tolist() == [1] * 6


def test_events_of_a_layer_have_the_ids_of_players_and_its_weight() -> None:
    players, arms, _ = layered(3)
    players.remove([0])
    arms.play([1], WAVE.with_markers({"hello": WAVE.start + 0.05}))
    arms.weigh([1], 0.25)
    players.step(0.1)
    assert arms.events[["player", "weight"]].tolist() == [(1, 0.25)]
    assert len(players.events) == 0


def edited(**fields: Any) -> Callable[[Players, PlayerLayer, PlayerLayer], object]:
    def edit(players: Players, arms: PlayerLayer, _: PlayerLayer) -> object:
        for name, value in fields.items():
            (arms.fades[name] if name in arms.fades.dtype.names else arms.state[name])[1] = value
        return players.step(0.1)

    return edit


CASES: list[tuple[Callable[[Players, PlayerLayer, PlayerLayer], object], type[Exception], str]] = [
    (lambda p, a, m: p.layer(7), TypeError, r"^Players\.layer: name must be a str, got int"),
    (lambda p, a, m: p.layer(""), ValueError, r"^Players\.layer: name must have at least one char.* got ''$"),
    (
        lambda p, a, m: p.layer("x", mask="Chest"),
        TypeError,
        r"^Players\.layer: mask must be an array of one .* got a str; skeleton\.mask\('Chest'\) makes one$",
    ),
    (lambda p, a, m: p.layer("arms"), ValueError, r"name must be one that no layer has, got 'arms'"),
    (lambda p, a, m: p.layer("x", additive=1), TypeError, r"additive must be True or False, got 1"),
    (lambda p, a, m: p.layer("x", mask=[1.0]), ValueError, r"mask must have shape \(34,\), .* got \(1,\)"),
    (lambda p, a, m: p.layer("x", mask=MASK * np.nan), ValueError, r"mask must lie in \[0, 1\], got nan"),
    (lambda p, a, m: a.play([9], WAVE), ValueError, r"^PlayerLayer\.play: ids must be among .* got 9"),
    (
        lambda p, a, m: a.play([1, 1], WAVE),
        ValueError,
        r"^PlayerLayer\.play: ids must be different, got 1 twice",
    ),
    (
        lambda p, a, m: a.play([1], "wave"),
        TypeError,
        r"^PlayerLayer\.play: clip must be a Clip or a blend space, got str",
    ),
    (lambda p, a, m: a.play([1], LEAN), ValueError, r"clip must not be additive, as the layer 'arms'"),
    (lambda p, a, m: m.play([1], WAVE), ValueError, r"clip must be additive, as the layer 'more' is made"),
    (
        lambda p, a, m: a.fade_to([2], IDLE, 1.0),
        ValueError,
        r"^PlayerLayer\.fade_to: ids .* got 2, which plays",
    ),
    (lambda p, a, m: a.weigh([1], 2.0), ValueError, r"^PlayerLayer\.weigh: weight must be .*, got 2"),
    (lambda p, a, m: a.weigh([1], np.nan), ValueError, r"^PlayerLayer\.weigh: weight must be .*, got nan"),
    (lambda p, a, m: a.weigh([1], None), TypeError, r"weight and duration must be numbers, got None"),
    (lambda p, a, m: a.weigh([1], [1, 0]), ValueError, r"one for each of 1 players, got \(2,\)"),
    (lambda p, a, m: a.weigh([1], 1, -1), ValueError, r"^PlayerLayer\.weigh: duration must be .*, got -1"),
    (lambda p, a, m: a.weigh([1], 1, 1, "soft"), ValueError, r"^PlayerLayer\.weigh: ease must be one of"),
    (
        edited(weight=np.nan),
        ValueError,
        r"fades of layer 'arms', row 1: weight must lie in \[0, 1\], got nan",
    ),
    (edited(ease=3), ValueError, r"fades of layer 'arms', row 1: ease must be 0, 1 or 2, got 3$"),
    (
        edited(layer_count=9),
        ValueError,
        r"^Players\.step: layer 'arms': state of row 1: layer_count must lie",
    ),
    (
        lambda p, a, m: (a.play([1], WAVE, at=1e9, speed=1e6), p.step(1e9)),
        ValueError,
        r"'arms': .* after this",
    ),
    (lambda p, a, m: a.play([1], WAVE, at=np.nan), ValueError, r"^PlayerLayer\.play: at must be .*, got nan"),
]


@pytest.mark.parametrize(("call", "error", "sentence"), CASES)
def test_it_is_refused(
    call: Callable[[Players, PlayerLayer, PlayerLayer], object], error: type[Exception], sentence: str
) -> None:
    players, arms, more = layered(3)
    arms.play([0, 1], WAVE)
    players.step(0.1)
    time = players.state["layers"]["time"].copy()
    with pytest.raises(error, match=sentence) as raised:
        call(players, arms, more)
    assert "\n" not in str(raised.value)
    np.testing.assert_array_equal(players.state["layers"]["time"], time)  # nobody was stepped
    assert [layer.name for layer in players.layers] == ["arms", "more"]
    assert arms.weights.tolist() == [0, 0, 0] or np.isnan(arms.weights[1])


def test_a_function_that_raises_steps_nobody() -> None:
    players, arms, _ = layered(2)
    arms.play([0], WAVE)
    arms.fade_to([0], IDLE, 1.0, lambda u: u if abs(u - 0.42031) > 1e-6 else 1 // 0)
    players.step(0.25)
    time = players.state["layers"]["time"].copy()
    with pytest.raises(ZeroDivisionError):
        players.step(0.17031)
    np.testing.assert_array_equal(players.state["layers"]["time"], time)


def test_events_have_the_weights_of_their_step() -> None:
    players = Players(HERO.skeleton, 3)
    players.play(players.ids, WALK)
    arms = players.layer("arms")
    arms.play([2], WAVE.with_markers({"clap": WAVE.start + 0.5}))
    arms.weigh([2], 0.5)
    players.step(0.6)
    before = arms.events["weight"].copy()
    arms.weigh([2], 0.0)
    np.testing.assert_array_equal(arms.events["weight"], before)
    players.remove([0])  # the last row moves into the gap
    np.testing.assert_array_equal(arms.events["weight"], before)
    assert before.tolist() == [0.5]


def test_layers_of_nobody() -> None:
    players = Players(HERO.skeleton)
    arms = players.layer("arms")
    arms.play([], WAVE)
    arms.weigh([], 1.0)
    assert players.step(0.1).shape == (0, 34, 10)
    players.add(2)
    assert arms.weights.tolist() == [0, 0]
