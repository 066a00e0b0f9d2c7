# SPDX-License-Identifier: MIT
"""What does a step of a thousand live characters cost, beside a loop of cross-fades, and bare samples?
And a call that starts fades of ten thousand?

34 joints (the sample's), all half way between two clips, float32 poses into `out`, the Python call included.
Two batch calls of `Clip.sample` and one of `blend` do the least that a step needs: the poses of one moment,
without time, signs or state.
"""

from __future__ import annotations

import copy
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lissom
from _bench import Bench
from _measure import Run
from lissom import BlendSpace1D, BlendSpace2D, Character, Clip, CrossFade, Players, UpdateRates

DT = 1 / 60
FAR = 1e6  # seconds of a fade: it stays where it is, however many steps are timed
WEIGHT = 0.5
LOOPED = 100  # cross-fades in the loop
TOLERANCE = 2e-6  # what float32 leaves of unit-sized numbers
WEIGHTS_OF_MOMENTS = "times, signs and state"


def mid_fade(clips: list[Clip], count: int, times: NDArray[Any]) -> Players:
    players = Players(clips[0].skeleton, count)
    players.play(players.ids, clips[0], at=times)
    players.step(DT)
    players.fade_to(players.ids, clips[1], FAR, "linear")
    players.state["layers"]["elapsed"][:, 1] = WEIGHT * FAR
    return players


def loop_of(clips: list[Clip], times: NDArray[Any]) -> list[CrossFade]:
    fades = []
    for time in times:
        fade = CrossFade(clips[0].skeleton)
        fade.play(clips[0], at=float(time))
        fade.update(DT)
        fade.fade_to(clips[1], FAR, "linear")
        fade._layers[-1].fade.elapsed = WEIGHT * FAR  # type: ignore[union-attr]
        fades.append(fade)
    return fades


def fades_of_all(bench: Bench, clips: list[Clip], count: int, times: NDArray[Any]) -> None:
    """Single calls that change many players, from one state on, whose bytes are copied back, too."""
    players = Players(clips[0].skeleton, count)
    players.play(players.ids, clips[0], at=times)
    players.fade_to(players.ids, clips[1], FAR, "linear")
    players.step(DT)
    state, ids = players.state.copy(), players.ids
    players.fade_to(ids, clips[0], 1.0, at=0.5)  # with room for one more
    players.state[:] = state
    kept = players.state.view(np.uint8).copy()
    fade = loop_of(clips, times[:1])[0]
    runs: dict[str, Any] = {}
    for method in ("blend", "inertialize", "spring"):

        def start(method: Any = method) -> None:
            players.state.view(np.uint8)[:] = kept
            players.fade_to(ids, clips[0], 1.0, method=method, at=0.5)

        start()
        runs[f"fade_to, {method}"] = start

    def play() -> None:
        players.state.view(np.uint8)[:] = kept
        players.play(ids, clips[0])

    def looped() -> None:
        for _ in range(LOOPED):
            fade.play(clips[0])
            fade.fade_to(clips[1], 1.0, method="inertialize")

    runs["play"] = play
    runs["a loop of CrossFade.play and fade_to, inertialize"] = Run(looped, items=LOOPED, kind="rival")
    table = bench.table(f"a call for {count} players, {len(clips[0].skeleton)} joints", runs, count, "player")
    table.judge("fade_to, blend", 1.0, 1e6, "us")
    table.judge("fade_to, inertialize", 3.0, 1e6, "us")
    table.judge("fade_to, spring", 3.0, 1e6, "us")


def at_rates(hero: Character, bench: Bench) -> None:
    """Nine tenths far away, on a picture 1080 high of 45 degrees; the choice of who is due included."""
    count, joints, rng = 10_000, len(hero.skeleton), np.random.default_rng(4)
    distance = np.where(np.arange(count) % 10 == 0, rng.uniform(5, 50, count), rng.uniform(200, 600, count))
    per_unit = 540 / np.tan(np.radians(22.5)) / distance
    clips = [hero.clips[name] for name in ("walk", "run", "idle")]
    rates = UpdateRates(hero)
    crowds, poses = {}, {}
    for label in ("lissom.Players", "lissom.Players, by UpdateRates"):
        crowds[label] = players = Players(hero.skeleton, count)
        for k, clip in enumerate(clips):
            players.play(players.ids[k::3], clip, at=rng.uniform(0, 1, len(players.ids[k::3])))
        poses[label] = players.step(DT)

    def by_rates(players: Players = players, out: NDArray[Any] = poses[label]) -> None:
        players.step(DT, out, due=rates.due(players, DT, per_unit))

    for _ in range(20):
        by_rates()
    exact = copy.copy(players).step(0.0)
    apart = np.linalg.norm(hero.skeleton.positions(exact) - hero.skeleton.positions(poses[label]), axis=-1)
    assert (apart.max(axis=1) * per_unit).max() < 0.5  # of joints, at least
    bench.note(f"{players.is_posed.mean():.0%} of {count} players are due in a step, nine tenths of them far")
    whole = "lissom.Players"
    runs: dict[str, Any] = {
        whole: lambda: crowds[whole].step(DT, poses[whole]),
        label: by_rates,
        "who is due alone": Run(lambda: rates.due(players, DT, per_unit), lacks="the step", kind="part"),
    }
    bench.table(f"a step of {count} players, nine tenths far, {joints} joints", runs, count, "player")


def on_two_threads(clips: list[Clip], bench: Bench) -> None:
    """The same step on one thread and on two, by the clock on the wall: of use where nothing else runs."""
    count, joints = 10_000, len(clips[0].skeleton)
    players = mid_fade(clips, count, np.random.default_rng(1).uniform(0, 1, count))
    out = np.empty((count, joints, 10), np.float32)
    runs: dict[str, Any] = {}
    for threads in (2, 1):

        def step(threads: int = threads) -> None:
            lissom.set_thread_count(threads)
            players.step(DT, out)

        runs[f"lissom.Players, threads: {threads}"] = step
    title = f"a step of {count} players mid-fade on two threads, {joints} joints"
    table = bench.table(title, runs, count, "player", clock=perf_counter)
    table.judge_ratio("lissom.Players, threads: 1", "lissom.Players, threads: 2", 1.8)
    bench.one_thread()


def in_spaces(clips: list[Clip], bench: Bench) -> None:
    """Everybody at a parameter of its own, where two clips of three have a share, or all three."""
    line = BlendSpace1D(clips, [0.0, 1.4, 3.0])
    plane = BlendSpace2D(clips, [[0, 0], [1, 0], [0, 1]])
    joints, rng = len(line.skeleton), np.random.default_rng(2)
    for count in (1_000, 10_000):
        times, values = rng.uniform(0, 1, count), rng.uniform(0, 3, count)
        players = {name: Players(line.skeleton, count) for name in ("1-D", "2-D")}
        players["1-D"].play(players["1-D"].ids, line, at=times, parameter=values)
        points = rng.dirichlet([1, 1, 1], count)[:, 1:]
        players["2-D"].play(players["2-D"].ids, plane, at=times, parameter=points)
        players["fades"] = mid_fade(clips[1:], count, times)
        fades = []
        for time, value in zip(times[:LOOPED].tolist(), values.tolist(), strict=False):
            fades.append(CrossFade(line.skeleton))
            fades[-1].play(BlendSpace1D(clips, line.values, value=value), at=time)
        out, single = np.empty((count, joints, 10), np.float32), np.empty((joints, 10), np.float32)
        for player, fade in zip(players["1-D"].step(DT), fades, strict=False):
            np.testing.assert_array_equal(player, fade.update(DT, single))

        def looped(fades: list[CrossFade] = fades, single: NDArray[Any] = single) -> None:
            for fade in fades:
                fade.update(DT, single)

        runs: dict[str, Any] = {
            f"lissom.Players, {label}": (lambda each=each, out=out: each.step(DT, out))
            for label, each in players.items()
        }
        runs["a loop of CrossFade.update, 1-D"] = Run(looped, items=LOOPED, kind="rival")
        bench.table(f"a step of {count} players in blend spaces, {joints} joints", runs, count, "player")


def with_layers(hero: Any, bench: Bench) -> None:
    """A layer of the upper body and an additive one, which everybody shows, or nobody."""
    walk, idle, skeleton = hero.clips["walk"], hero.clips["idle"], hero.skeleton
    wave, lean = hero.clips["wave"], lissom.make_additive(hero.clips["lean"], idle)
    mask, joints = skeleton.mask("Chest"), len(skeleton)
    for count in (1_000, 10_000):
        rng = np.random.default_rng(3)
        times, weights = rng.uniform(0, 1, (3, count)), rng.uniform(0.1, 1, (2, count)).astype(np.float32)
        players = {name: Players(skeleton, count) for name in ("all", "nobody", "none")}
        for name, each in players.items():
            each.play(each.ids, walk, at=times[0])
            for k, clip in enumerate((wave, lean) if name != "none" else ()):
                layer = each.layer(clip.name, mask=None if k else mask, additive=bool(k))
                layer.play(each.ids, clip, at=times[1 + k])
                layer.weigh(each.ids, weights[k] if name == "all" else 0.0)
        fades = []
        for at in times[:, :LOOPED].T.tolist():
            fades.append([CrossFade(skeleton) for _ in range(3)])
            for fade, clip, begin in zip(fades[-1], (walk, wave, lean), at, strict=True):
                fade.play(clip, at=begin)
        out, a, b = (np.empty((count, joints, 10), np.float32) for _ in range(3))

        def looped(fades: Any = fades, weights: NDArray[Any] = weights) -> list[NDArray[Any]]:
            poses = []
            for i, (below, arms, more) in enumerate(fades):
                pose = lissom.blend(below.update(DT), arms.update(DT), weights[0, i], mask)
                poses.append(lissom.add_layer(pose, more.update(DT), weights[1, i]))
            return poses

        def plainly(
            times: Any = times, weights: NDArray[Any] = weights, out: Any = out, a: Any = a, b: Any = b
        ) -> NDArray[Any]:
            lissom.blend(
                walk.sample(times[0], out=out), wave.sample(times[1], out=a), weights[0], mask, out=b
            )
            return lissom.add_layer(b, lean.sample(times[2], out=a), weights[1], out=out)

        for player, pose in zip(players["all"].step(DT), looped(), strict=False):
            np.testing.assert_array_equal(player, pose)
        labels = {"all": "both layers", "nobody": "layers of weight 0", "none": "no layer"}
        runs: dict[str, Any] = {
            f"lissom.Players, {labels[name]}": (lambda each=each, out=out: each.step(DT, out))
            for name, each in players.items()
        }
        runs["a loop of CrossFade.update, blend and add_layer"] = Run(looped, items=LOOPED, kind="rival")
        runs["three batch samples, a blend and add_layer"] = Run(
            plainly, lacks=WEIGHTS_OF_MOMENTS, kind="part"
        )
        bench.table(f"a step of {count} players with two layers, {joints} joints", runs, count, "player")


def main(bench: Bench) -> None:
    bench.one_thread()
    hero = lissom.samples.humanoid()
    keyed = [hero.clips["walk"], hero.clips["run"]]
    frames = [clip.resampled(60) for clip in keyed]
    joints = len(hero.skeleton)
    for count in (1_000, 10_000):
        times = np.random.default_rng(1).uniform(0, 1, count)
        out = np.empty((count, joints, 10), np.float32)
        a, b = np.empty_like(out), np.empty_like(out)
        players = {
            "lissom.Players": mid_fade(keyed, count, times),
            "lissom.Players, uniform clips": mid_fade(frames, count, times),
        }
        fades = loop_of(keyed, times[:LOOPED])
        single = np.empty((joints, 10), np.float32)
        for player, fade in zip(players["lissom.Players"].step(DT), fades, strict=False):
            np.testing.assert_array_equal(player, fade.update(DT, single))

        def looped(fades: list[CrossFade] = fades, single: NDArray[Any] = single) -> None:
            for fade in fades:
                fade.update(DT, single)

        def plainly(
            times: NDArray[Any] = times, a: Any = a, b: Any = b, out: NDArray[Any] = out
        ) -> NDArray[Any]:
            keyed[0].sample(times, out=a)
            keyed[1].sample(times, out=b)
            return lissom.blend(a, b, WEIGHT, out=out)

        clip_times = players["lissom.Players"].state["layers"]["time"]
        exact = lissom.blend(keyed[0].sample(clip_times[:, 0]), keyed[1].sample(clip_times[:, 1]), WEIGHT)
        turns = lissom.quat.angle_between(exact[..., 3:7], players["lissom.Players"].poses[..., 3:7])
        assert turns.max() < 0.02  # blend is nlerp: that far from slerp between a walk and a run
        runs: dict[str, Any] = {
            label: (lambda each=each, out=out: each.step(DT, out)) for label, each in players.items()
        }
        runs["a loop of CrossFade.update"] = Run(looped, items=LOOPED, kind="rival")
        runs["two batch samples and a blend"] = Run(plainly, lacks=WEIGHTS_OF_MOMENTS, kind="part")
        # Whatever computes it: rows and signs are read and written, poses are written.
        arrays = players["lissom.Players"]._stage.arrays
        moved = (
            2 * arrays.state.itemsize + 2 * arrays.points[0].nbytes + arrays.held[0].nbytes + out[0].nbytes
        )
        title = f"a step of {count} players mid-fade, {joints} joints"
        table = bench.table(title, runs, count, "player", moved=moved)
        for label in players:
            table.judge(label, 0.5, 1e6, "us")
    at_rates(hero, bench)
    on_two_threads(keyed, bench)
    with_layers(hero, bench)
    in_spaces([hero.clips["idle"], *keyed], bench)
    fades_of_all(bench, keyed, 10_000, np.random.default_rng(1).uniform(0, 1, 10_000))


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
