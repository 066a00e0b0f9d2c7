# SPDX-License-Identifier: MIT
"""How fast is a clip sampled, beside fifteen lines of numba, NumPy, SciPy and three.js?

One thread, float32, arrays in and out, the Python call included; every answer is compared before it is timed.
The clips move translation, rotation and scale of 41 joints: a generated one whose every key is another, with
the same times for all channels (as most files have them) and with others for each, and a walk of the KayKit
Knight where the assets are. Rivals search the keys of every channel by itself. Run: make bench.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import lissom
from _measure import best, row
from lissom import Clip, Skeleton, _core

try:
    from numba import njit
except ImportError:
    sys.exit("this benchmark needs numba: uv pip install --group bench")

from _sampling_rivals import channels_of, why_no_three, with_numba, with_numpy, with_scipy, with_three
from lissom.clip._tracks import Track, packed, unpacked

KNIGHT = Path(__file__).parent.parent.parent / "shared/assets/characters/kaykit/Knight.glb"

JOINTS, KEYS, RATE = 41, 33, 30.0  # a walk of about a second, as game characters have it
# Few enough that a call is shorter than the time slices of a busy machine; many where calls are dear.
TIMES, MANY = 1024, 10_000
# What float32 leaves of unit-sized numbers; of rotations it is mostly what numba's arc cosine loses.
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


def judge(what: str, got: float, bar: float, unit: str) -> None:
    """Print what was aimed at: bars are for a quiet machine with AVX-512."""
    met = f"met {bar / got:.2f} times over" if got <= bar else f"missed by a factor of {got / bar:.2f}"
    print(f"    {what}: {got:.2f} {unit}, bar {bar:g}: {met}")


def compare_keyframes(label: str, clip: Clip, rng: np.random.Generator) -> None:
    """Sample at random and at ordered times, by everyone."""
    channels = channels_of(clip)
    moved = np.unique(clip.tracks["joint"])
    # float32 times, which rivals search among float32 keys; ours are the same numbers in double.
    seconds = rng.uniform(clip.start, clip.end, MANY).astype(np.float32)

    def poses(count: int) -> Any:
        return np.broadcast_to(clip.skeleton.rest, (count, *clip.skeleton.rest.shape)).copy()

    def per_joint(took: float, count: int) -> float:
        return 1e9 * took / count / len(moved)

    rivals: dict[str, tuple[float, float]] = {}  # ns per joint, and how many times faster to be
    for order, bar, times in (("ordered", 9, np.sort(seconds[:TIMES])), ("random", 20, seconds[:TIMES])):
        out, want, doubles = poses(TIMES), poses(TIMES), times.astype(np.float64)
        clip.sample(doubles, loop=False, out=out)
        with_numba(channels, times, want)
        assert_same_poses(out, want)
        numba = best(lambda: with_numba(channels, times, want))  # noqa: B023
        ours = best(lambda: clip.sample(doubles, loop=False, out=out))  # noqa: B023
        row(f"{label}, {order}: numba", numba, TIMES * len(moved), "joint")
        row(f"{label}, {order}: lissom", ours, TIMES * len(moved), "joint", numba)
        judge("keyframes", per_joint(ours, TIMES), bar, "ns/joint")
        rivals["numba"] = per_joint(numba, TIMES), 3.0
    want = clip.sample(seconds.astype(np.float64), loop=False)
    for name, rival, factor in (("NumPy", with_numpy, 10.0), ("SciPy", with_scipy, 25.0)):
        got = poses(MANY)
        rival(channels, seconds, got)
        assert_same_poses(want, got)
        took = best(lambda: rival(channels, seconds, got), 3, clock=time.process_time)  # noqa: B023
        row(f"{label}, random: {name}", took, MANY * len(moved), "joint")
        rivals[name] = per_joint(took, MANY), factor
    if reason := why_no_three():
        print(f"{label}, random: three.js skipped, {reason}")
    else:
        shown = poses(64)
        took = with_three(channels, seconds, shown)
        assert_same_poses(want[:64, moved], shown[:, moved])
        row(f"{label}, random: three.js", took, MANY * len(moved), "joint")
        rivals["three.js"] = per_joint(took, MANY), 8.0
    for name, (took, factor) in rivals.items():
        ratio = took / per_joint(ours, TIMES)
        print(f"    {ratio:.1f}x {name}, bar {factor:g}x: {'met' if ratio >= factor else 'missed'}")


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


def compare_uniform(clip: Clip, rng: np.random.Generator) -> None:
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
        numba = best(lambda: numba_uniform(frames, clip.start, rate, times, want))  # noqa: B023
        copy = best(lambda: np.copyto(want, out))  # noqa: B023
        ours = best(lambda: uniform.sample(times, out=out))  # noqa: B023
        items = count * JOINTS
        row(f"uniform, {count} random times: numba", numba, items, "joint")
        # A copy reads and writes a pose; this reads two frames and writes one, half as much again.
        row(f"uniform, {count} times: copying 1.5 x the result", 1.5 * copy, items, "joint", numba)
        row(f"uniform, {count} random times: lissom", ours, items, "joint", numba)
        if count == 256:
            judge("uniform", 1e9 * ours / items, 0.9, "ns/joint")
            print(f"    {numba / ours:.1f}x numba, bar 3x: {'met' if numba >= 3 * ours else 'missed'}")


def compare_one_pose(label: str, clip: Clip) -> None:
    out = np.empty((JOINTS, 10), np.float32)
    for kind, at in (("float", 0.5), ("int", 0), ("np.float32", np.float32(0.5)), ("array", np.array(0.5))):
        seconds = best(lambda: clip.sample(at, out=out))  # noqa: B023
        row(f"one pose, {label}, time is {kind}: lissom", seconds, 1, "call")
        judge("one pose", 1e6 * seconds, 3, "us")


def main() -> None:
    lissom.set_thread_count(1)
    rng = np.random.default_rng(1)
    clip = make_clip(rng)
    print(f"{JOINTS} joints, {KEYS} keys, all tracks moving; one thread; kernels {_core.isa()}")
    own = with_own_times(rng, clip)
    compare_keyframes("same times", clip, rng)
    compare_keyframes("own times", own, rng)
    if KNIGHT.exists():
        compare_keyframes("Knight", lissom.load(KNIGHT).clips["Walking_A"], rng)
    else:
        print("Knight skipped: no ../shared/assets")
    compare_uniform(clip, rng)
    compare_one_pose("same times", clip)
    compare_one_pose("own times", own)


if __name__ == "__main__":
    main()
