# SPDX-License-Identifier: MIT
"""How fast are the weights of morph targets sampled, beside ten lines of numba and of NumPy?

One thread, float32, arrays in and out, the Python call included; every answer is compared before it is timed.
A face of 52 targets is keyed at 30 Hz for ten seconds, all targets on one timeline as files have them. Rivals
search each time once for all targets.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

import lissom
from _bench import Bench, require
from lissom import Clip

require("numba")
from numba import njit  # noqa: E402

TARGETS, KEYS, RATE = 52, 301, 30.0
TIMES = 1024
CLOSE = 1e-6  # what float32 leaves of weights of size 1


@njit(cache=True, fastmath=True)
def numba_morphs(keys: Any, weights: Any, times: Any, out: Any) -> None:
    for i in range(len(times)):
        at = min(max(np.searchsorted(keys, times[i], side="right") - 1, 0), len(keys) - 2)
        share = (times[i] - keys[at]) / (keys[at + 1] - keys[at])
        share = np.float32(min(max(share, 0.0), 1.0))
        for j in range(weights.shape[1]):
            out[i, j] = (np.float32(1) - share) * weights[at, j] + share * weights[at + 1, j]


def numpy_morphs(keys: Any, weights: Any, times: Any, out: Any) -> None:
    at = (np.searchsorted(keys, times, side="right") - 1).clip(0, len(keys) - 2)
    share = ((times - keys[at]) / (keys[at + 1] - keys[at])).clip(0, 1).astype(np.float32)[:, None]
    np.add((1 - share) * weights[at], share * weights[at + 1], out=out)


def main(bench: Bench) -> None:
    bench.one_thread()
    rng = np.random.default_rng(1)
    keys = np.arange(KEYS, dtype=np.float32) / np.float32(RATE)
    weights = rng.random((KEYS, TARGETS), np.float32)
    skeleton = lissom.samples.humanoid().skeleton
    names = [f"face/{i}" for i in range(TARGETS)]
    still = np.tile(skeleton.rest, (KEYS, 1, 1))
    clip = Clip.from_poses(skeleton, keys, still, morphs=weights, morph_names=names, loop=False)
    uniform = clip._edited(uniform=True)
    random = rng.uniform(clip.start, clip.end, TIMES)
    for label, times in (
        ("random times", random),
        ("ordered times", np.sort(random)),
        ("one time", random[:1]),
    ):
        out = np.empty((len(times), TARGETS), np.float32)
        want = np.empty_like(out)
        numba_morphs(keys, weights, times, want)
        numpy_morphs(keys, weights, times, out)
        assert np.abs(out - want).max() < CLOSE
        for ours in (clip, uniform):
            assert np.abs(ours.morphs(times, out=out) - want).max() < (CLOSE if ours is clip else 2e-5)
        bench.table(
            f"{TARGETS} targets, {KEYS} keys, {label}",
            {
                "lissom": partial(clip.morphs, times, out=out),
                "lissom, uniform": partial(uniform.morphs, times, out=out),
                "numba": partial(numba_morphs, keys, weights, times, want),
                "NumPy": partial(numpy_morphs, keys, weights, times, want),
            },
            len(times) * TARGETS,
            "weight",
            moved=12,
        )


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
