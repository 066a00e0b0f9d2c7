# SPDX-License-Identifier: MIT
"""Players show what as many cross-fades show, to the last bit."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest

import lissom
from lissom import Clip, CrossFade, Players, Skeleton
from random_rigs import random_skeleton
from wild_clips import there_and_back, wild_clips

STEPS = 8
METHODS = ("blend", "blend", "blend", "blend", "inertialize", "spring")
EASES = ("linear", "smooth", "smoother", there_and_back)


class Twins:
    """Players, and a cross-fade for each of them, of which the same is asked."""

    def __init__(self, skeleton: Skeleton, count: int, dtype: Any = np.float32, fades: int = 64) -> None:
        self.players = Players(skeleton, count, dtype=dtype, fades=fades)
        self.fades = {i: CrossFade(skeleton, dtype=dtype) for i in self.players.ids.tolist()}
        self.skeleton, self.dtype = skeleton, dtype

    def add(self) -> int:
        (added,) = self.players.add().tolist()
        self.fades[added] = CrossFade(self.skeleton, dtype=self.dtype)
        return added

    def remove(self, leaving: int) -> None:
        self.players.remove([leaving])
        del self.fades[leaving]

    def play(self, player: int, clip: Clip, **options: Any) -> None:
        self.players.play([player], clip, **options)
        self.fades[player].play(clip, **options)

    def fade_to(self, player: int, clip: Clip, *args: Any, **options: Any) -> None:
        self.players.fade_to([player], clip, *args, **options)
        self.fades[player].fade_to(clip, *args, **options)

    def step(self, dt: float) -> None:
        poses = self.players.step(dt)
        for row, player in enumerate(self.players.ids.tolist()):
            np.testing.assert_array_equal(poses[row], self.fades[player].update(dt))
        self.check()

    def original(self, source: Any) -> Any:
        """What players play where a cross-fade plays this."""
        return source

    def check(self) -> None:
        """What is known of both between steps is the same, too."""
        players = self.players
        poses, morphs, fading = players.poses, players.morphs, players.is_fading
        for row, player in enumerate(players.ids.tolist()):
            fade, state = self.fades[player], players.state[row]
            np.testing.assert_array_equal(poses[row], fade.pose)
            if fade.morph_names:
                np.testing.assert_array_equal(morphs[row], fade.morphs)
            assert fading[row] == fade.is_fading
            layers = state["layers"][state["covered"] : state["layer_count"]]
            owners = list(dict.fromkeys(layers["head"].tolist()))
            heads = [state["layers"][owner] for owner in owners]
            shown = [(players.clips[h["clip"]], h["time"], h["weight"], h["speed"]) for h in heads]
            playing = [(self.original(p.clip), p.time, p.weight, p.speed) for p in fade.playing]
            assert shown == playing
        self.check_moves()

    def check_moves(self) -> None:
        players = self.players
        events = [
            (
                players.clips[e["clip"]],
                players.clips[e["clip"]].markers[e["marker"]].name,
                e["time"],
                e["weight"],
            )
            for e in players.events
        ]
        wanted = [e for player in players.ids.tolist() for e in self.fades[player].events]
        assert events == [(e.clip, e.marker.name, e.marker.time, e.weight) for e in wanted]
        of = [player for player in players.ids.tolist() for _ in self.fades[player].events]
        assert players.events["player"].tolist() == of
        for row, player in enumerate(players.ids.tolist()):
            move = self.fades[player].root_motion
            still = lissom.trs.identity(dtype=np.float64)
            np.testing.assert_array_equal(players.root_motion[row], still if move is None else move)


def ask_at_random(
    rng: np.random.Generator, twins: Twins, player: int, clips: list[Clip], pace: float
) -> None:
    clip = clips[int(rng.integers(len(clips)))]
    if rng.random() < 0.05:
        twins.play(player, clip, at=float(rng.uniform(-1, 3)), speed=float(rng.uniform(0, 2)))
        return
    sync = bool(clip.loop is True and rng.random() < 0.4)
    twins.fade_to(
        player,
        clip,
        0.0 if rng.random() < 0.05 else float(rng.uniform(0.01, 12) * pace),
        EASES[int(rng.integers(len(EASES)))],
        METHODS[int(rng.integers(len(METHODS)))],
        sync=sync,
        at=None if sync or rng.random() < 0.7 else float(rng.uniform(0, 2)),
        speed=None if rng.random() < 0.7 else float(rng.uniform(0, 2)),
    )


def run(twins: Twins, pool: list[Clip], seed: int, steps: int = STEPS) -> None:
    rng = np.random.default_rng(seed)
    choices = {player: [pool[i] for i in rng.integers(len(pool), size=3)] for player in twins.fades}
    for player, clips in choices.items():
        twins.play(player, clips[0], at=float(rng.uniform(-1, 3)), speed=float(rng.uniform(0, 2)))
    pace = float(rng.choice([0.005, 1 / 60, 0.1]))
    for _ in range(steps):
        for player, clips in choices.items():
            for _ in range(int(rng.choice([0, 1, 2], p=[0.6, 0.35, 0.05]))):
                ask_at_random(rng, twins, player, clips, pace)
        twins.check()
        twins.step(float(rng.choice([0, rng.uniform(0, 2 * pace), pace, pace])))


def _with_keys(clip: Clip, dtype: Any) -> Clip:
    return Clip(clip.name, clip.skeleton, clip.keys.astype(dtype), clip.tracks, loop=clip.loop)


def wild_twins(count: int, dtype: Any, keys: Any, joints: int = 3) -> tuple[Twins, list[Clip]]:
    rng = np.random.default_rng(2018)
    skeleton = random_skeleton(rng, joints)
    pool = wild_clips(rng, skeleton, 60)
    pool = [_with_keys(clip, keys) for clip in pool]
    return Twins(skeleton, count, dtype), pool


@pytest.mark.parametrize("players", [60, pytest.param(1_000, marks=pytest.mark.soak)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("keys", [np.float32, np.float64])
def test_random_sequences_are_those_of_cross_fades(players: int, dtype: Any, keys: Any) -> None:
    for seed in range(5):
        twins, pool = wild_twins(players, dtype, keys)
        run(twins, pool, seed)


@pytest.mark.parametrize("joints", [1, 15, 16, 17, 40])
def test_skeletons_of_any_size(joints: int) -> None:
    twins, pool = wild_twins(20, np.float32, np.float32, joints)
    run(twins, pool, 7, 6)


def test_deterministic_mode_has_the_same_bits() -> None:
    lissom.set_deterministic(True)
    try:
        twins, pool = wild_twins(40, np.float32, np.float32, 9)
        run(twins, pool, 3)
    finally:
        lissom.set_deterministic(False)


def test_velocities_know_of_joints_that_a_fade_held_to_its_end() -> None:
    """A transition begins in the step after a fade ended, whose joints had been held in the one before."""
    rng = np.random.default_rng(20)
    skeleton = random_skeleton(rng, 16)
    pool = wild_clips(rng, skeleton, 6)
    twins = Twins(skeleton, 60)
    for player in twins.fades:
        twins.play(player, pool[int(rng.integers(6))], at=float(rng.uniform(0, 2)))
    held = 0
    for dt in (0.02, 0.02, 0.05, 0.02) * 2:
        for player, state in zip(twins.fades, twins.players.state, strict=True):
            fades = twins.players._stage.arrays.held[player]  # 1: since its last step
            held += int(state["covered"] > 0 and (fades[: state["covered"]] == 1).any())
            if rng.random() < 0.5:
                method: Any = METHODS[3 + int(rng.integers(3))]
                twins.fade_to(player, pool[int(rng.integers(6))], 0.05, method=method)
        twins.step(dt)
    assert held > 4


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_morph_weights_step_beside_the_poses(dtype: Any) -> None:
    """Some clips have them, some know nothing of them, and the first that has comes late."""
    rng = np.random.default_rng(4)
    skeleton = random_skeleton(rng, 3)
    pool = wild_clips(rng, skeleton, 12)
    names = ["face/smile", "face/blink", "face/frown"]
    for i, clip in enumerate(pool[:6]):
        times = np.linspace(clip.start, clip.end, 9)
        morphs = rng.normal(size=(9, 3))
        keys = clip.sample(times)
        made = Clip.from_poses(skeleton, times, keys, loop=clip.loop, morphs=morphs, morph_names=names)
        pool[i] = made._edited(morph_defaults=[0.25, -1, 0.5])
    twins = Twins(skeleton, 40, dtype)
    for player in twins.fades:
        twins.play(player, pool[-1], at=0.1)
        if player % 2:
            twins.fade_to(player, pool[-2], 0.2, method=METHODS[2 + player % 4])
    twins.step(0.05)
    assert twins.players.morph_names == ()
    # Every fade is told of the morph targets, as players share theirs.
    for player in twins.fades:
        twins.fade_to(player, pool[player % 6], 0.3, method=METHODS[player % 6])
    assert twins.players.morph_names == tuple(names)
    choices = {player: [pool[i] for i in rng.integers(len(pool), size=3)] for player in twins.fades}
    for _ in range(10):
        twins.step(0.02)
        for player, clips in choices.items():
            if rng.random() < 0.4:
                ask_at_random(rng, twins, player, clips, 0.02)
    assert np.ptp(twins.players.morphs) > 0.5
    idle = Players(skeleton, 1)
    idle.play(0, pool[0])
    (silent,) = idle.add()
    np.testing.assert_array_equal(idle.step(0.1)[1], skeleton.rest)
    np.testing.assert_array_equal(idle.morphs[idle.rows([silent])[0]], np.float32([0.25, -1, 0.5]))


def test_players_come_and_leave() -> None:
    twins, pool = wild_twins(12, np.float32, np.float32)
    rng = np.random.default_rng(9)
    run(twins, pool, 9, 4)
    given = set(twins.fades)
    for _ in range(40):
        if rng.random() < 0.5 and len(twins.fades) > 2:
            twins.remove(int(rng.choice(list(twins.fades))))
        else:
            added = twins.add()
            assert added not in given  # never again
            given.add(added)
            twins.play(added, pool[int(rng.integers(60))])
        for player in twins.fades:
            if rng.random() < 0.3:
                ask_at_random(rng, twins, player, pool, 0.05)
        assert sorted(twins.players.ids.tolist()) == sorted(twins.fades)
        twins.step(0.03)
    twins.players.remove(twins.players.ids)
    assert len(twins.players) == 0
    assert twins.players.step(0.1).shape == (0, 3, 10)


@pytest.mark.parametrize("way", ["pickle", "copy", "deepcopy"])
def test_copies_play_on(way: str) -> None:
    twins, pool = wild_twins(20, np.float32, np.float32)
    run(twins, pool, 5, 5)
    players = twins.players
    ways = {"pickle": lambda p: pickle.loads(pickle.dumps(p)), "copy": copy.copy, "deepcopy": copy.deepcopy}
    try:
        other = ways[way](players)
    except (pickle.PicklingError, AttributeError):
        pytest.fail("functions of a module can be pickled")
    for _ in range(3):
        np.testing.assert_array_equal(other.step(0.02), players.step(0.02))
    a, b = players.clips[0], other.clips[0]
    assert (a is b) == (way == "copy")
    for each, clip in ((players, a), (other, b)):
        each.fade_to(each.ids[:5], clip, 0.1, "linear")
    for _ in range(4):
        np.testing.assert_array_equal(other.step(0.02), players.step(0.02))
    before = other.poses.copy()
    players.remove([3])
    players.step(0.5)
    assert len(other) == 20
    np.testing.assert_array_equal(other.poses, before)


def test_the_lowest_clips_freeze_where_fades_are_too_many() -> None:
    rng = np.random.default_rng(3)
    skeleton = random_skeleton(rng, 5)
    pool = wild_clips(rng, skeleton, 9)
    players = Players(skeleton, 3, dtype=np.float64, fades=2)
    free = CrossFade(skeleton, dtype=np.float64)
    players.play(players.ids, pool[0])
    free.play(pool[0])
    for number, clip in enumerate(pool[1:]):
        shown = players.step(0.01).copy()
        free.update(0.01)
        players.fade_to([1, 2], clip, 5.0, "linear")
        free.fade_to(clip, 5.0, "linear")
        np.testing.assert_allclose(players.poses, shown, atol=1e-12)  # nothing pops
        live = players.state["layer_count"] - players.state["covered"]
        assert live.tolist() == [1, min(number + 2, 3), min(number + 2, 3)]
        assert (players.state["layers"]["clip"][1:, 0] == -2).all() == (number >= 2)
        if number < 2:
            np.testing.assert_array_equal(players.poses[1], free.pose)
    weights = players.state["layers"]["weight"]
    np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-12)
    time = players.state["layers"]["time"][0, 0]
    np.testing.assert_array_equal(players.poses[0], pool[0].sample(time))
    for _ in range(520):
        players.step(0.01)
    np.testing.assert_array_equal(players.poses[1], pool[-1].sample(players.state["layers"]["time"][1, -1]))
    assert not players.is_fading.any()


def test_the_state_may_be_edited() -> None:
    hero = lissom.samples.humanoid()
    walk = hero.clips["walk"]
    players = Players(hero.skeleton, 3)
    players.play(players.ids, walk)
    players.state["layers"]["speed"][1] = 0
    players.state["layers"]["time"][2] = 0.5
    poses = players.step(0.25)
    for pose, time in zip(poses, (0.25, 0, 0.75), strict=True):
        np.testing.assert_array_equal(pose, walk.sample(time))
    assert players.state["id"].tolist() == [0, 1, 2]
    assert players.state["dt"].tolist() == [0.25] * 3


def test_threads_do_not_change_a_bit() -> None:
    results = []
    count = lissom.thread_count()
    try:
        for threads in (1, 2, 3):
            lissom.set_thread_count(threads)
            twins, pool = wild_twins(0, np.float32, np.float32, 20)
            players = twins.players
            players.add(600)
            for i, clip in enumerate(pool):
                players.play(players.ids[i::60], clip)
                players.fade_to(players.ids[i::60], pool[i - 7], 0.5)
            for _ in range(3):
                poses = players.step(0.04)
            results.append(poses)
    finally:
        lissom.set_thread_count(count)
    for other in results[1:]:
        np.testing.assert_array_equal(other, results[0])


def moving_clips(rng: np.random.Generator, skeleton: Skeleton) -> list[Clip]:
    """Some with markers, at both ends too, some with root motion, in all loop modes."""
    clips = []
    for i, clip in enumerate(wild_clips(rng, skeleton, 30)):
        if i % 3:
            times = [clip.start, clip.end, *rng.uniform(clip.start, clip.end, 3)]
            clip = clip.with_markers([(time, f"m{k}") for k, time in enumerate(times[i % 2 :])])
        if i % 4:
            turns = lissom.quat.from_rotation_vector(np.outer(rng.uniform(-1, 1, 4), [0, 1, 0]))
            moves = lissom.trs.identity(4, dtype=np.float64)
            moves[:, [0, 2]], moves[:, 3:7] = rng.normal(size=(4, 2)), turns
            motion = lissom.RootMotion.from_moves(np.linspace(clip.start, clip.end, 4), moves, loop=clip.loop)
            clip = clip._edited(root_motion=motion)
        clips.append(clip)
    return clips


def test_events_and_root_motion_are_those_of_cross_fades() -> None:
    rng = np.random.default_rng(11)
    skeleton = random_skeleton(rng, 2)
    pool = moving_clips(rng, skeleton)
    seen = 0
    for seed in range(4):
        twins = Twins(skeleton, 25)
        run(twins, pool, seed, 12)
        twins.step(0.3)
        seen += len(twins.players.events)
        twins.remove(3)
        twins.play(twins.add(), pool[2])
        twins.check_moves()
        twins.play(20, pool[4])
        twins.fade_to(21, pool[5], 0.2, method="inertialize")
        twins.check_moves()
        twins.step(0.0)
        assert not len(twins.players.events)
        twins.step(400.0)  # the last 100 cycles
    assert seen > 50


def test_half_way_between_a_walk_and_a_run() -> None:
    hero = lissom.samples.humanoid()
    players = Players(hero.skeleton, 2)
    players.play([0, 1], hero.clips["walk"].with_markers({"left": 0.0, "right": 0.55}))
    players.fade_to([1], hero.clips["run"], 0.5, sync=True)
    places = lissom.trs.identity(2, dtype=np.float64)
    heard = []
    for _ in range(66):
        players.step(1 / 60)
        places = lissom.trs.compose(places, players.root_motion)
        heard += [
            players.clips[e["clip"]].markers[e["marker"]].name for e in players.events if not e["player"]
        ]
    assert heard == ["left", "right"]
    np.testing.assert_allclose(places[0, 2], hero.clips["walk"].root_motion.distance, atol=1e-6)
    assert places[1, 2] > 1.5 * places[0, 2]


def test_layers_are_a_batch_call_on_top() -> None:
    """With masks and differences, as for as many cross-fades one by one."""
    hero = lissom.samples.humanoid()
    lean = lissom.make_additive(hero.clips["lean"], hero.clips["idle"])
    twins = [Twins(hero.skeleton, 5) for _ in range(3)]
    mask, weights = hero.skeleton.mask("Chest"), np.float32([0, 0.25, 0.5, 0.75, 1])
    for each, clip in zip(twins, (hero.clips["walk"], hero.clips["wave"], lean), strict=True):
        for player in range(5):
            each.play(player, clip, at=0.1 * player)
    twins[0].fade_to(2, hero.clips["run"], 0.2, sync=True)
    for _ in range(3):
        for each in twins:
            each.step(0.05)
    legs, arms, more = (each.players.poses for each in twins)
    shown = lissom.add_layer(lissom.blend(legs, arms, weights, mask), more, weights[::-1])
    for player in range(5):
        below, upper, added = (each.fades[player].pose for each in twins)
        alone = lissom.blend(below, upper, weights[player], mask)
        alone = lissom.add_layer(alone, added, weights[4 - player])
        np.testing.assert_array_equal(shown[player], alone)


def with_coefficients(curves: Any, kinds: int, state: Any) -> Any:
    """Curves as they were kept before: with the coefficients of quintics, and the remainders of springs."""
    quintic, directions = state["inertia"] == 1, curves.shape[1] - 3 * kinds
    wide = np.zeros((len(curves), directions + 7 * kinds, curves.shape[2]))
    wide[:, : curves.shape[1]] = curves
    v0, x0, times = (curves[quintic, directions + i * kinds :][:, :kinds] for i in range(3))
    a0 = np.maximum(0, -8 * v0 - 20 * x0)
    high = [-(a0 + 6 * v0 + 12 * x0), 3 * a0 + 16 * v0 + 30 * x0, -(3 * a0 + 12 * v0 + 20 * x0), a0]
    wide[quintic, directions:] = np.concatenate([*(x / 2 for x in high), v0, x0, times], axis=1)
    return wide


def older(players: Players) -> Players:
    """What a pickle of before gives: other strides and curves, and one dictionary of everything."""
    stage = players._stage
    arrays = stage.arrays.__getstate__()
    for name in ("points", "held", "differences"):
        array = arrays["arrays"][name]
        wide = np.zeros((*array.shape[:-1], 16), array.dtype)
        wide[..., : array.shape[-1]] = array
        arrays["arrays"][name] = wide
    arrays["counts"]["stride"] = 16
    for name, kinds in (("curves", 3), ("weight_curves", 1)):
        if arrays["arrays"][name] is not None:
            arrays["arrays"][name] = with_coefficients(arrays["arrays"][name], kinds, stage.state)
    kept = object.__new__(type(stage.arrays))
    kept.__setstate__(arrays)
    state = {
        "_skeleton": stage.skeleton,
        "_dtype": stage.dtype,
        "_fades": stage.most_fades,
        "_clips": stage.clips,
        "_arrays": kept,
        "_functions": stage.eases.functions,
        "_ids": players._ids,
        "_lock": None,
        **{f"_{name}": None for name in ("poses", "morphs", "events", "root_motion")},
        "_has_stepped": stage._has_stepped,
        "_last": stage._last,
    }
    made = object.__new__(Players)
    made.__setstate__(copy.deepcopy(state))
    return made


def test_older_pickles_play_on() -> None:
    twins, _ = wild_twins(20, np.float32, np.float32)
    pool = wild_clips(np.random.default_rng(1), twins.skeleton, 6)
    run(twins, pool, 5, 5)
    for player in twins.fades:
        twins.fade_to(player, pool[player % 6], 0.5, method=METHODS[3 + player % 3], at=0.25)
    twins.step(0.02)
    other = older(twins.players)
    assert set(twins.players.state["inertia"].tolist()) == {0, 1, 2}
    for _ in range(4):
        np.testing.assert_array_equal(other.step(0.02), twins.players.step(0.02))
    assert other.ids.tolist() == twins.players.ids.tolist()
