# SPDX-License-Identifier: MIT
"""What does a step of playing cost, beside the samples it needs and a plain blend of them in NumPy?

One thread, 43 joints, float32 poses into `out`, the Python call included. The plain blend interpolates the
same two samples the short way, and so pops; where nothing crosses, it is the answer.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import lissom
from _bench import Bench
from _measure import Run
from lissom import Clip, CrossFade, Skeleton

JOINTS, KEYS = 43, 33
DT = 1 / 60
WEIGHT = 0.5
TOLERANCE = 2e-6  # what float32 leaves of unit-sized numbers


def make_clips(rng: np.random.Generator, count: int) -> list[Clip]:
    rest = np.zeros((JOINTS, 10))
    rest[:, 6:] = 1
    skeleton = Skeleton([f"joint {i}" for i in range(JOINTS)], [-1, *range(JOINTS - 1)], rest)
    clips = []
    for _ in range(count):
        poses = np.tile(rest, (KEYS, 1, 1))
        poses[..., :3] = 0.3 * rng.normal(size=(KEYS, JOINTS, 3))
        poses[..., 3:7] += 0.2 * rng.normal(size=(KEYS, JOINTS, 4))
        poses[..., 3:7] /= np.linalg.norm(poses[..., 3:7], axis=-1, keepdims=True)
        clips.append(Clip.from_poses(skeleton, np.linspace(0, 1, KEYS), poses.astype(np.float32), loop=True))
    return clips


def plain_blend(a: NDArray[Any], b: NDArray[Any], weight: float, out: NDArray[Any]) -> NDArray[Any]:
    out[:] = a + weight * (b - a)
    p, q = a[:, 3:7], b[:, 3:7]
    dot = np.sum(p * q, axis=-1, keepdims=True)
    q = np.where(dot < 0, -q, q)
    angle = np.arccos(np.clip(np.abs(dot), 0, 1))
    sine = np.maximum(np.sin(angle), 1e-9)
    near = angle < 1e-4
    u = np.where(near, 1 - weight, np.sin((1 - weight) * angle) / sine)
    v = np.where(near, weight, np.sin(weight * angle) / sine)
    rotation = u * p + v * q
    out[:, 3:7] = rotation / np.linalg.norm(rotation, axis=-1, keepdims=True)
    return out


def half_way(clips: list[Clip], count: int, method: Any = "blend") -> CrossFade:
    """Fades that stay where they are, however many steps are timed."""
    fade = CrossFade(clips[0].skeleton)
    fade.play(clips[0])
    fade.update(DT)
    fade.update(DT)
    for clip in clips[1:count]:
        fade.fade_to(clip, 1e9, lambda x: x if x in (0, 1) else WEIGHT, method)
    return fade


def main(bench: Bench) -> None:
    bench.one_thread()
    clips = make_clips(np.random.default_rng(1), 3)
    out = np.empty((JOINTS, 10), np.float32)
    single = np.empty_like(out)

    fade = half_way(clips, 2)
    fade.update(DT, out)
    times = [playing.time for playing in fade.playing]
    parts = [clip.sample(time).astype(np.float64) for clip, time in zip(clips, times, strict=False)]
    error = np.abs(plain_blend(*parts, WEIGHT, np.empty((JOINTS, 10))) - out)[:, [0, 1, 2, 7, 8, 9]].max()
    turn = lissom.quat.angle_between(plain_blend(*parts, WEIGHT, np.empty((JOINTS, 10)))[:, 3:7], out[:, 3:7])
    assert max(error, turn.max()) < TOLERANCE

    def plainly() -> NDArray[Any]:
        return plain_blend(clips[0].sample(0.3), clips[1].sample(0.4), WEIGHT, single)

    labels = {
        "lissom.CrossFade, one clip": (1, "blend"),
        "lissom.CrossFade, two clips": (2, "blend"),
        "lissom.CrossFade, three clips, two fades": (3, "blend"),
        "lissom.CrossFade, inertialized": (2, "inertialize"),
    }
    fades = {label: half_way(clips, *which) for label, which in labels.items()}
    runs: dict[str, Any] = {label: (lambda fade=fade: fade.update(DT, out)) for label, fade in fades.items()}
    lacks = "the way that the fade has taken, and so pops"
    runs["two samples and a plain blend in NumPy"] = Run(plainly, lacks=lacks)
    bench.table(f"a step, {JOINTS} joints", runs, 1, "step")
    for label, fade in fades.items():
        assert fade.is_fading == (labels[label][0] > 1)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
