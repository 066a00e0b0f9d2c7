# SPDX-License-Identifier: MIT
"""Blend spaces of players show what as many cross-fades show, to the last bit."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import BlendSpace1D, BlendSpace2D, Clip, CrossFade, Players, Skeleton
from random_rigs import random_skeleton
from test_players import Twins, ask_at_random, moving_clips
from wild_clips import wild_clips

Space = BlendSpace1D | BlendSpace2D


def twin_of(space: Space) -> Space:
    """The same space, with a parameter of its own."""
    if isinstance(space, BlendSpace1D):
        return BlendSpace1D(space.clips, space.values, value=space.value)
    return BlendSpace2D(space.clips, space.points, point=space.point)


def put(space: Space, parameter: Any) -> None:
    if isinstance(space, BlendSpace1D):
        space.value = float(parameter)
    else:
        space.point = parameter


class SpaceTwins(Twins):
    """Twins whose spaces are moved alike: the cross-fade of each player has spaces of its own."""

    def __init__(self, skeleton: Skeleton, count: int, dtype: Any = np.float32, seed: int = 0) -> None:
        super().__init__(skeleton, count, dtype)
        self.rng = np.random.default_rng(seed)
        self.spaces: dict[tuple[int, int], Space] = {}
        self.originals: dict[int, Space] = {}

    def own(self, player: int, space: Space) -> Space:
        own = self.spaces.setdefault((player, id(space)), twin_of(space))
        self.originals[id(own)] = space
        return own

    def parameter(self, space: Space) -> Any:
        if isinstance(space, BlendSpace1D):
            if self.rng.random() < 0.3:
                return float(self.rng.choice(space.values))
            return float(self.rng.uniform(space.values.min() - 0.3, space.values.max() + 0.3))
        if self.rng.random() < 0.3:
            return self.rng.permutation(space.points)[0]
        return self.rng.uniform(space.points.min(axis=0) - 0.3, space.points.max(axis=0) + 0.3)

    def options(self, player: int, space: Space) -> dict[str, Any]:
        own = self.own(player, space)
        if self.rng.random() < 0.6:
            parameter = self.parameter(space)
            put(own, parameter)
            return {"parameter": parameter}
        if not any(playing.clip is own for playing in self.fades[player].playing):
            put(own, space.value if isinstance(space, BlendSpace1D) else space.point)
        return {}

    def play(self, player: int, clip: Any, **options: Any) -> None:
        if isinstance(clip, Clip):
            return super().play(player, clip, **options)
        more = self.options(player, clip)
        self.players.play([player], clip, **options, **more)
        return self.fades[player].play(self.own(player, clip), **options)

    def fade_to(self, player: int, clip: Any, *args: Any, **options: Any) -> None:
        if isinstance(clip, Clip):
            return super().fade_to(player, clip, *args, **options)
        more = self.options(player, clip)
        self.players.fade_to([player], clip, *args, **{**options, **more})
        return self.fades[player].fade_to(self.own(player, clip), *args, **options)

    def move(self, player: int, space: Space) -> None:
        parameter = self.parameter(space)
        self.players.move([player], parameter, space)
        own = self.own(player, space)
        if any(playing.clip is own for playing in self.fades[player].playing):
            put(own, parameter)

    def original(self, source: Any) -> Any:
        return self.originals.get(id(source), source)


def spaces_of(rng: np.random.Generator, clips: list[Clip]) -> list[Space]:
    """Spaces of clips that agree in how they loop, of one and two dimensions."""
    spaces: list[Space] = []
    for loop in (True, False, "ping_pong"):
        of = [clip for clip in clips if clip.loop == loop and clip.duration > 0]
        if len(of) >= 3:
            spaces.append(BlendSpace1D(of[:3], rng.permutation([-1.0, 0.25, 2.0])))
            points = rng.normal(size=(min(len(of), 6), 2))
            spaces.append(BlendSpace2D(of[: len(points)], points, point=points[-1]))
        if len(of) >= 2:
            spaces.append(BlendSpace1D(of[-2:], [1.0, 0.0], value=0.4))
    return spaces


def run(twins: SpaceTwins, pool: list[Any], seed: int, steps: int = 8) -> None:
    rng = np.random.default_rng(seed)
    choices = {player: [pool[i] for i in rng.integers(len(pool), size=3)] for player in twins.fades}
    for player, sources in choices.items():
        twins.play(player, sources[0], at=float(rng.uniform(-1, 3)), speed=float(rng.uniform(0, 2)))
    pace = float(rng.choice([0.005, 1 / 60, 0.1]))
    for _ in range(steps):
        for player, sources in choices.items():
            for _ in range(int(rng.choice([0, 1, 2], p=[0.6, 0.35, 0.05]))):
                ask_at_random(rng, twins, player, sources, pace)
            for source in sources:
                if not isinstance(source, Clip) and rng.random() < 0.5:
                    twins.move(player, source)
        twins.check()
        twins.step(float(rng.choice([0, rng.uniform(0, 2 * pace), pace, pace])))


def space_twins(count: int, dtype: Any, keys: Any, joints: int = 3, seed: int = 0) -> tuple[Any, list[Any]]:
    rng = np.random.default_rng(2018)
    skeleton = random_skeleton(rng, joints)
    clips = [
        Clip(
            clip.name, skeleton, clip.keys.astype(keys if i % 5 else np.float64), clip.tracks, loop=clip.loop
        )
        for i, clip in enumerate(wild_clips(rng, skeleton, 40))
    ]
    spaces = spaces_of(rng, clips) + spaces_of(rng, clips[::-1])
    return SpaceTwins(skeleton, count, dtype, seed), [*spaces, *clips[:6]]


@pytest.mark.parametrize("players", [40, pytest.param(1_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("keys", [np.float32, np.float64])
def test_random_sequences_are_those_of_cross_fades(players: int, dtype: Any, keys: Any) -> None:
    for seed in range(3):
        twins, pool = space_twins(players, dtype, keys, seed=seed)
        run(twins, pool, seed)


@pytest.mark.parametrize("joints", [1, 17, 34])
def test_skeletons_of_any_size(joints: int) -> None:
    twins, pool = space_twins(20, np.float32, np.float32, joints)
    run(twins, pool, 7, 6)


def test_deterministic_mode_has_the_same_bits() -> None:
    lissom.set_deterministic(True)
    try:
        twins, pool = space_twins(30, np.float32, np.float32, 9)
        run(twins, pool, 3)
    finally:
        lissom.set_deterministic(False)


def test_events_and_root_motion_are_those_of_cross_fades() -> None:
    rng = np.random.default_rng(11)
    skeleton = random_skeleton(rng, 2)
    clips = moving_clips(rng, skeleton)
    seen = 0
    for seed in range(3):
        twins = SpaceTwins(skeleton, 25, seed=seed)
        run(twins, [*spaces_of(rng, clips), *clips[:3]], seed, 10)
        twins.step(0.3)
        seen += len(twins.players.events)
        twins.step(400.0)  # the last 100 cycles
    assert seen > 20


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_morph_weights_are_blended_too(dtype: Any) -> None:
    """Some clips of a space know of the morph targets, others do not."""
    rng = np.random.default_rng(4)
    skeleton = random_skeleton(rng, 3)
    names = ["face/smile", "face/blink"]
    clips = []
    for i in range(8):
        times, poses = np.linspace(0, 1 + i / 8, 5), np.tile(skeleton.rest, (5, 1, 1))
        morphs: dict[str, Any] = (
            {} if i % 3 == 1 else {"morphs": rng.normal(size=(5, 2)), "morph_names": names}
        )
        made = Clip.from_poses(skeleton, times, poses, loop=True, **morphs)
        clips.append(made._edited(morph_defaults=[0.25, -1]) if morphs else made)
    spaces = [*spaces_of(rng, clips), BlendSpace1D([clips[1], clips[4]], [0, 1])]
    twins = SpaceTwins(skeleton, 30, dtype)
    for player in twins.fades:  # every fade is told of the morph targets, as players share theirs
        twins.play(player, clips[0])
    run(twins, [*spaces, clips[1]], 5, 8)
    assert np.ptp(twins.players.morphs) > 0.5


@pytest.mark.parametrize("way", ["pickle", "copy", "deepcopy"])
def test_copies_play_on(way: str) -> None:
    twins, pool = space_twins(20, np.float32, np.float32)
    run(twins, pool, 5, 5)
    players = twins.players
    ways = {"pickle": lambda p: pickle.loads(pickle.dumps(p)), "copy": copy.copy, "deepcopy": copy.deepcopy}
    other = ways[way](players)
    for _ in range(3):
        for each in (players, other):
            each.move(each.ids, 0.5)
        np.testing.assert_array_equal(other.step(0.02), players.step(0.02))


def gait(values: tuple[float, ...] = (0.0, 1.4, 3.0)) -> BlendSpace1D:
    clips = lissom.samples.humanoid().clips
    return BlendSpace1D([clips["idle"], clips["walk"], clips["run"]], values)


def test_everybody_walks_at_a_speed_of_their_own() -> None:
    space = gait()
    players = Players(space.skeleton, 3)
    players.play(players.ids, space, parameter=[0.7, 1.4, 2.2])
    assert players.clips == (*space.clips, space)
    poses = players.step(0.25)
    for row, value in enumerate((0.7, 1.4, 2.2)):
        space.value = value
        np.testing.assert_array_equal(poses[row], space.sample(0.25))
    players.state["layers"]["parameter"][1, 0, 0] = 3.0  # edited
    poses = players.step(0.0)
    space.value = 3.0
    phase = players.state["layers"]["phase"][1, 0]
    np.testing.assert_array_equal(poses[1], space.sample(phase * space.duration))


def test_move_finds_what_plays() -> None:
    space, clips = gait(), lissom.samples.humanoid().clips
    plane = BlendSpace2D([clips["idle"], clips["walk"], clips["run"]], [[0, 0], [1, 0], [0, 1]])
    players = Players(space.skeleton, 3)
    players.play([0, 1], space)
    players.play([2], plane)
    players.fade_to([1], clips["wave"], 1.0)
    players.move(players.ids, 2.0)  # of the line alone
    players.move(players.ids, [[0.1, 0.2]] * 3)
    assert players.state["layers"]["parameter"][:, 0].tolist() == [[2, 0], [2, 0], [0.1, 0.2]]
    players.move(players.ids, [[0.3, 0.3]] * 3, plane)
    players.move([0], 2.5, gait())  # of a space that nobody plays
    assert players.state["layers"]["parameter"][:, 0].tolist() == [[2, 0], [2, 0], [0.3, 0.3]]
    players.fade_to([0], space, 0.2)  # plays already: moved by `parameter` alone
    assert players.state["layer_count"][0] == 1
    players.fade_to([0], space, 0.2, parameter=0.5)
    assert players.state["layers"]["parameter"][0, 0, 0] == 0.5


def test_threads_do_not_change_a_bit() -> None:
    results, count, space = [], lissom.thread_count(), gait()
    try:
        for threads in (1, 3):
            lissom.set_thread_count(threads)
            players = Players(space.skeleton, 600)
            players.play(players.ids, space, parameter=np.linspace(-1, 4, 600))
            for _ in range(3):
                poses = players.step(0.04)
            results.append(poses)
    finally:
        lissom.set_thread_count(count)
    np.testing.assert_array_equal(results[0], results[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda p, s, c: p.play(p.ids, c, parameter=1.0),
            "parameter must be omitted for a clip, got one for",
        ),
        (lambda p, s, c: p.play(p.ids, s, parameter=np.nan), "parameter must be"),
        (lambda p, s, c: p.play(p.ids, s, parameter=[1, 2, 3]), "one for each of 2 players"),
        (lambda p, s, c: p.fade_to(p.ids, s, 0.1, parameter=1e80), "parameter must"),
        (lambda p, s, c: p.move(p.ids, [1, 2, 3]), "Players.move: parameter must be one number, or one for"),
        (lambda p, s, c: p.move([7], 1.0), "ids must be among"),
    ],
)
def test_what_cannot_be_is_refused(call: Any, message: str) -> None:
    space = gait()
    players = Players(space.skeleton, 2)
    players.play(players.ids, space, parameter=1.0)
    before = players.state.copy()
    with pytest.raises(ValueError, match=message):
        call(players, space, space.clips[0])
    np.testing.assert_array_equal(players.state, before)


def test_of_other_types_are_refused() -> None:
    space = gait()
    players = Players(space.skeleton, 2)
    with pytest.raises(TypeError, match=r"Players\.play: clip must be a Clip or a blend space, got Cross"):
        players.play(players.ids, CrossFade(space.skeleton))  # type: ignore[arg-type]
    players.play(players.ids, space)
    with pytest.raises(TypeError, match=r"Players\.move: space must be a blend space, got Clip"):
        players.move(players.ids, 1.0, space.clips[0])  # type: ignore[arg-type]
    players.state["layers"]["parameter"][1, 0, 0] = np.inf
    with pytest.raises(ValueError, match=r"state of row 1: layers\[0\].parameter must be finite"):
        players.step(0.1)


def test_layers_play_spaces() -> None:
    space = gait()
    hero = lissom.samples.humanoid()
    players = Players(hero.skeleton, 2)
    players.play(players.ids, hero.clips["wave"])
    legs = players.layer("legs", mask=1 - hero.skeleton.mask("Chest"))
    legs.play(players.ids, space, parameter=[0.5, 2.0])
    legs.move([0], 1.0)
    legs.weigh(players.ids, 1.0)
    poses = players.step(0.2)
    for row, value in enumerate((1.0, 2.0)):
        space.value = value
        upper = hero.clips["wave"].sample(0.2)
        phase = legs.state["layers"]["phase"][row, 0]
        expected = lissom.blend(upper, space.sample(phase * space.duration), 1.0, legs.mask)
        np.testing.assert_allclose(poses[row], expected, atol=1e-6)


def test_loop_modes_are_those_of_now() -> None:
    rng = np.random.default_rng(6)
    skeleton = random_skeleton(rng, 5)
    clip = next(clip for clip in wild_clips(rng, skeleton, 20) if clip.loop is True and clip.duration > 0)
    parts = [clip, clip.reversed()]
    space = BlendSpace1D(parts, [0, 1], value=0.25)
    players, fades = Players(skeleton, 2), [CrossFade(skeleton) for _ in range(2)]
    sources: list[Any] = [clip, space]
    for player, source in enumerate(sources):
        players.play([player], source)
        fades[player].play(source)
    for loop in (True, False, "ping_pong"):
        for part in parts:
            part.loop = loop
        for _ in range(3):
            poses = players.step(0.4 * clip.duration)
            for player, fade in enumerate(fades):
                np.testing.assert_array_equal(poses[player], fade.update(0.4 * clip.duration))


@pytest.mark.parametrize("far", [np.nan, np.inf, -1e71])
def test_points_have_to_be_near(far: float) -> None:
    twins, pool = space_twins(2, np.float32, np.float32)
    plane = next(source for source in pool if isinstance(source, BlendSpace2D))
    players = twins.players
    players.play([0, 1], plane)
    for call in (players.play, lambda ids, space, parameter: players.move(ids, parameter, space)):
        with pytest.raises(
            ValueError, match=r"parameter must be finite and within 1e\+70, got (nan|inf|-1e\+71)$"
        ):
            call([0, 1], plane, parameter=[[0, 0], [0.5, far]])
    np.testing.assert_array_equal(players.state["layers"]["parameter"][:, 0], [plane.point] * 2)
