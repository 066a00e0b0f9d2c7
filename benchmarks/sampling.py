# SPDX-License-Identifier: MIT
"""How fast is a clip sampled, beside fifteen lines of numba, NumPy, SciPy and three.js?

One thread, float32, arrays in and out, the Python call included; every answer is compared before it is timed.
The clips move translation, rotation and scale of 41 joints: a generated one whose every key is another, with
the same times for all channels (as most files have them) and with others for each, and a walk of the KayKit
Knight where the assets are. Rivals search the keys of every channel by itself, but numba, which searches once
where all channels have the same times; three.js writes into its objects instead of an array.
NumPy and SciPy, whose calls are dear, get many times.
"""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import lissom
from _bench import Bench, require
from _measure import Run
from lissom import Clip, Skeleton
from lissom.clip._tracks import Track, packed, unpacked

require("numba", "scipy")
from numba import njit  # noqa: E402

from _sampling_rivals import channels_of, share_times, with_numba, with_numpy, with_scipy, with_three  # noqa: E402

KNIGHT = Path(__file__).parent.parent.parent / "shared/assets/characters/kaykit/Knight.glb"

JOINTS, KEYS, RATE = 41, 33, 30.0  # a walk of about a second, as game characters have it
# Few enough that a call is shorter than the time slices of a busy machine; many where calls are dear.
TIMES, MANY = 1024, 10_000
# What float32 leaves of unit-sized numbers; of rotations it is mostly what numba's arc cosine loses.
BARS = {"ordered": 9.0, "random": 20.0}  # ns per joint
RATIOS = {"numba": 3.0, "NumPy": 10.0, "SciPy": 25.0, "three.js": 8.0}  # times our time, at least
ANGLE, POSITION = 4e-6, 4e-6


def make_clip(rng: np.random.Generator) -> Clip:
    rest = np.zeros((JOINTS, 10))
    rest[:, 6:] = 1
    parents = [-1, *(int(rng.integers(max(0, i - 4), i)) for i in range(1, JOINTS))]
    skeleton = Skeleton([f"joint {i}" for i in range(JOINTS)], parents, rest)
    poses = np.tile(rest, (KEYS, 1, 1))
    poses[..., :3] = 0.3 * rng.normal(size=(KEYS, JOINTS, 3))
    steps = np.cumsum(0.15 * rng.normal(size=(KEYS, JOINTS, 4)), axis=0) + rng.normal(size=(JOINTS, 4))
    poses[..., 3:7] = steps / np.linalg.norm(steps, axis=-1, keepdims=True)
    poses[..., 7:] = rng.uniform(0.9, 1.1, size=(KEYS, JOINTS, 3))
    return Clip.from_poses(skeleton, np.arange(KEYS) / RATE, poses.astype(np.float32), loop=False)


def assert_same_poses(got: Any, want: Any) -> None:
    sign = np.sign(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True))
    assert np.abs(sign * got[..., 3:7] - want[..., 3:7]).max() < ANGLE
    assert np.abs(np.delete(got - want, range(3, 7), axis=-1)).max() < POSITION


def with_own_times(rng: np.random.Generator, clip: Clip) -> Clip:
    """Keys of every track moved by up to a third of their distance, the ends apart."""
    tracks = []
    for track in unpacked(clip.keys, clip.tracks):
        times = track.times.copy()
        times[1:-1] += rng.uniform(-0.3, 0.3, len(times) - 2).astype(np.float32) / np.float32(RATE)
        tracks.append(Track(track.joint, track.path, track.interpolation, times, track.values))
    return Clip("own times", clip.skeleton, *packed(tracks, clip.keys.dtype), loop=False)


def compare_keyframes(bench: Bench, label: str, clip: Clip, rng: np.random.Generator) -> None:
    """Sample at random and at ordered times, by everyone."""
    channels = channels_of(clip)
    moved = np.unique(clip.tracks["joint"])
    # float32 times, which rivals search among float32 keys; ours are the same numbers in double.
    seconds = rng.uniform(clip.start, clip.end, MANY).astype(np.float32)

    def poses(count: int) -> Any:
        return np.broadcast_to(clip.skeleton.rest, (count, *clip.skeleton.rest.shape)).copy()

    with ExitStack() as stack:
        for order, times in (("ordered", np.sort(seconds[:TIMES])), ("random", seconds[:TIMES])):
            out, want, doubles = poses(TIMES), poses(TIMES), times.astype(np.float64)
            clip.sample(doubles, loop=False, out=out)
            with_numba(channels, times, want)
            assert_same_poses(out, want)
            together = share_times(channels)
            if together:
                with_numba(channels, times, want, shared=True)
                assert_same_poses(out, want)
            runs: dict[str, Any] = {
                "lissom": lambda doubles=doubles, out=out: clip.sample(doubles, loop=False, out=out),
                "numba": partial(with_numba, channels, times, want, together),
            }
            if together:
                runs["numba, a search for each channel"] = partial(with_numba, channels, times, want)
            if order == "random":
                many = MANY * len(moved)
                wanted = clip.sample(seconds.astype(np.float64), loop=False)
                for name, rival in (("NumPy", with_numpy), ("SciPy", with_scipy)):
                    got = poses(MANY)
                    rival(channels, seconds, got)
                    assert_same_poses(wanted, got)
                    runs[name] = Run(lambda rival=rival, got=got: rival(channels, seconds, got), items=many)
                if bench.has("three"):
                    three = stack.enter_context(with_three(channels, len(clip.skeleton), seconds, 64))
                    shown = np.reshape(three.answer, (64, -1, 10))
                    assert_same_poses(wanted[:64, moved], shown[:, moved])
                    runs["three.js"] = three.run(items=len(moved))
            title = f"keys, {label}, {order} times"
            table = bench.table(title, runs, TIMES * len(moved), "joint", moved=40 + 2 * 40)
            table.judge("lissom", BARS[order])
            for name in RATIOS.keys() & table.rows.keys():
                table.judge_ratio(name, "lissom", RATIOS[name])


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_uniform(frames: Any, start: float, rate: float, times: Any, out: Any) -> None:
    """Frames whose rotations' signs agree already."""
    last = len(frames) - 2
    for n in range(len(times)):
        position = (times[n] - start) * rate
        k = min(max(int(position), 0), last)
        t = np.float32(position - k)
        s = np.float32(1) - t
        for j in range(frames.shape[1]):
            a, b, to = frames[k, j], frames[k + 1, j], out[n, j]
            for c in range(10):
                to[c] = s * a[c] + t * b[c]
            scale = np.float32(1) / np.sqrt(to[3] * to[3] + to[4] * to[4] + to[5] * to[5] + to[6] * to[6])
            for c in range(3, 7):
                to[c] *= scale


def compare_uniform(bench: Bench, clip: Clip, rng: np.random.Generator) -> None:
    """Sample a uniform clip at random times: 256 poses, which stay in the second cache, and many more."""
    uniform = Clip("uniform", clip.skeleton, clip.keys, clip.tracks, loop=False, uniform=True)
    frames = clip.sample(clip.keys[:KEYS].astype(np.float64))
    for k in range(1, KEYS):
        dots = np.sum(frames[k, :, 3:7] * frames[k - 1, :, 3:7], axis=1, keepdims=True)
        frames[k, :, 3:7] *= np.where(dots < 0, -1, 1)
    rate = (KEYS - 1) / clip.duration
    for count in (256, 2048):
        times = rng.uniform(clip.start, clip.end, count)
        out, want = np.empty((2, count, JOINTS, 10), np.float32)
        numba_uniform(frames, clip.start, rate, times, want)
        assert_same_poses(uniform.sample(times, out=out), want)
        table = bench.table(
            f"uniform, {count} random times",
            {
                "lissom": lambda times=times, out=out: uniform.sample(times, out=out),
                "numba": lambda times=times, want=want: numba_uniform(frames, clip.start, rate, times, want),
            },
            count * JOINTS,
            "joint",
            moved=40 + 2 * 40,  # two frames are read, a pose is written
        )
        if count == 256:
            table.judge("lissom", 0.9)
            table.judge_ratio("numba", "lissom", 3.0)


def compare_one_pose(bench: Bench, label: str, clip: Clip) -> None:
    out = np.empty((JOINTS, 10), np.float32)
    times = {"float": 0.5, "int": 0, "np.float32": np.float32(0.5), "array": np.array(0.5)}
    table = bench.table(
        f"one pose, {label}",
        {f"lissom, time is {kind}": lambda at=at: clip.sample(at, out=out) for kind, at in times.items()},
    )
    for kind in times:
        table.judge(f"lissom, time is {kind}", 3.0, 1e6, "us")


def main(bench: Bench) -> None:
    bench.one_thread()
    rng = np.random.default_rng(1)
    clip = make_clip(rng)
    own = with_own_times(rng, clip)
    bench.note(f"{JOINTS} joints, {KEYS} keys, all tracks moving; one thread")
    compare_keyframes(bench, "same times", clip, rng)
    compare_keyframes(bench, "own times", own, rng)
    if KNIGHT.exists():
        compare_keyframes(bench, "Knight", lissom.load(KNIGHT).clips["Walking_A"], rng)
    else:
        bench.note("the Knight was left out: no ../shared/assets")
    compare_uniform(bench, clip, rng)
    compare_one_pose(bench, "same times", clip)
    compare_one_pose(bench, "own times", own)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
