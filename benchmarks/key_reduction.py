# SPDX-License-Identifier: MIT
"""How long does key reduction take, and what is it made of?

One thread, within a thousandth of the size at joint shells. The clip is 23 s of motion capture at 120 Hz
where `../shared/assets` is, and otherwise as long a walk of the sample, with noise in every joint; no package
at hand reduces keys within a bound in model space, so there is no rival. Beside it stand its parts: the
errors of the segments of all tracks, one choice of keys, and the measurement of the clip for its report.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

import lissom
from _bench import Bench
from _measure import PART, Run
from lissom import Clip
from lissom.clip._clip_error import JointShellMetric
from lissom.clip._frames import Moments
from lissom.clip._key_search import LARGEST_SHARE
from lissom.clip._window_search import WindowSearch

BOUND = 1e-3  # of the size
RATE, FRAMES = 120.0, 2752
CAPTURE = Path(__file__).resolve().parents[2] / "shared" / "assets" / "bvh" / "01_01.bvh"


def captured() -> Clip:
    """Return a clip that is as dense and as restless as motion capture."""
    if CAPTURE.is_file():
        return next(iter(lissom.load_bvh(CAPTURE).clips.values()))
    hero = lissom.samples.humanoid()
    times = np.arange(FRAMES) / RATE
    poses = hero.clips["walk"].sample(times, loop=True)
    noise = np.random.default_rng(1).normal(size=poses[..., 3:6].shape) * 5e-4
    poses[..., 3:6] += noise.astype(np.float32)
    poses[..., 3:7] /= np.linalg.norm(poses[..., 3:7], axis=-1, keepdims=True)
    return Clip.from_poses(hero.skeleton, times, poses, loop=False)


def main(bench: Bench) -> None:
    lissom.set_thread_count(1)
    clip = captured()
    reduced = clip.optimized(BOUND)
    report = reduced.report
    assert report is not None
    assert report.max_relative <= BOUND
    metric = JointShellMetric(clip.skeleton, clip.skeleton.size)
    moments = Moments.of_keys(clip)
    again = metric.measure(clip, reduced, moments)
    assert again.max == report.max
    search = WindowSearch(clip, metric, LARGEST_SHARE * BOUND * metric.size).search
    bounds = np.full(len(clip.tracks), BOUND * metric.size)
    most = np.full(len(clip.tracks), 2, np.int8)
    search._kept(bounds, most)

    def segments() -> None:
        search.__dict__.pop("segments")
        _ = search.segments

    table = bench.table(
        f"{clip.duration:.0f} s at {clip.key_rate:.0f} Hz, {report.keys_before} keys, of which "
        f"{report.keys_after} stay",
        {
            "Clip.optimized": partial(clip.optimized, BOUND),
            "errors of segments": Run(segments, kind=PART),
            "one choice of keys": Run(partial(search._kept, bounds, most), kind=PART),
            "measuring the clip": Run(partial(metric.measure, clip, reduced, moments), kind=PART),
        },
        report.keys_before,
        "key",
    )
    if CAPTURE.is_file():
        bench.judge("seconds of the capture", table.seconds("Clip.optimized") * report.keys_before, 0.4, "s")


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
