# SPDX-License-Identifier: MIT
"""How fast is a clip sampled and a pose composed, beside fifteen lines of numba and plain NumPy?

One thread, float32, arrays in and out, the Python call included; every answer is compared before it is timed.
The clip moves every joint's translation, rotation and scale, so nothing can be left out. Run: make bench.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np
from _measure import best, row

import lissom
from lissom import Clip, Skeleton, _core

try:
    from numba import njit
except ImportError:
    sys.exit("this benchmark needs numba: uv pip install --group bench")

JOINTS, KEYS, RATE = 41, 33, 30.0  # a walk of about a second, as game characters have it
TIMES = 4096
ANGLE, POSITION = 2e-6, 4e-6  # what float32 leaves, here of unit-sized numbers


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


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_sample(key_times: Any, keys: Any, times: Any, out: Any) -> None:
    last = len(key_times) - 2
    for n in range(len(times)):
        k = min(max(np.searchsorted(key_times, times[n], side="right") - 1, 0), last)
        t = np.float32((times[n] - key_times[k]) / (key_times[k + 1] - key_times[k]))
        s = np.float32(1) - t
        for j in range(keys.shape[1]):
            a, b = keys[k, j], keys[k + 1, j]
            for c in range(3):
                out[n, j, c] = s * a[c] + t * b[c]
                out[n, j, 7 + c] = s * a[7 + c] + t * b[7 + c]
            dot = a[3] * b[3] + a[4] * b[4] + a[5] * b[5] + a[6] * b[6]
            sign = np.float32(-1) if dot < 0 else np.float32(1)
            dot = min(dot * sign, np.float32(1))
            u, v = s, t
            if dot < np.float32(0.99999):
                angle = math.acos(dot)
                scale = np.float32(1) / math.sin(angle)
                u, v = math.sin(s * angle) * scale, math.sin(t * angle) * scale
            for c in range(3, 7):
                out[n, j, c] = u * a[c] + sign * v * b[c]


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_compose(parents: Any, poses: Any, out: Any) -> None:
    local = np.empty((3, 4), np.float32)
    for n in range(len(poses)):
        for j in range(len(parents)):
            p = poses[n, j]
            x, y, z, w = p[3], p[4], p[5], p[6]
            one, two = np.float32(1), np.float32(2)
            local[0, 0] = (one - two * (y * y + z * z)) * p[7]
            local[0, 1] = two * (x * y - z * w) * p[8]
            local[0, 2] = two * (x * z + y * w) * p[9]
            local[1, 0] = two * (x * y + z * w) * p[7]
            local[1, 1] = (one - two * (x * x + z * z)) * p[8]
            local[1, 2] = two * (y * z - x * w) * p[9]
            local[2, 0] = two * (x * z - y * w) * p[7]
            local[2, 1] = two * (y * z + x * w) * p[8]
            local[2, 2] = (one - two * (x * x + y * y)) * p[9]
            local[0, 3], local[1, 3], local[2, 3] = p[0], p[1], p[2]
            m, k = out[n, j], parents[j]
            for r in range(3):
                for c in range(4):
                    if k < 0:
                        m[r, c] = local[r, c]
                    else:
                        a = out[n, k, r]
                        m[r, c] = a[0] * local[0, c] + a[1] * local[1, c] + a[2] * local[2, c]
                if k >= 0:
                    m[r, 3] += out[n, k, r, 3]
            m[3, 0] = m[3, 1] = m[3, 2] = np.float32(0)
            m[3, 3] = one


def numpy_sample(key_times: Any, keys: Any, times: Any) -> Any:
    k = np.clip(np.searchsorted(key_times, times, side="right") - 1, 0, len(key_times) - 2)
    t = ((times - key_times[k]) / (key_times[k + 1] - key_times[k])).astype(np.float32)[:, None, None]
    a, b = keys[k], keys[k + 1]
    out = (1 - t) * a + t * b
    p, q = a[..., 3:7], b[..., 3:7]
    dot = np.sum(p * q, axis=-1, keepdims=True)
    angle = np.maximum(np.arccos(np.minimum(np.abs(dot), 1)), np.float32(1e-4))
    out[..., 3:7] = np.sin((1 - t) * angle) * p + np.sin(t * angle) * np.sign(dot) * q
    out[..., 3:7] /= np.linalg.norm(out[..., 3:7], axis=-1, keepdims=True)
    return out


def numpy_compose(parents: Any, poses: Any) -> Any:
    x, y, z, w = np.moveaxis(poses[..., 3:7], -1, 0)
    local = np.zeros((*poses.shape[:2], 4, 4), np.float32)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    for r in range(3):
        for c in range(3):
            local[..., r, c] = rows[r][c] * poses[..., 7 + c]
    local[..., :3, 3], local[..., 3, 3] = poses[..., :3], 1
    for j, parent in enumerate(parents.tolist()):
        if parent >= 0:
            local[:, j] = local[:, parent] @ local[:, j]
    return local


def assert_same_poses(got: Any, want: Any) -> None:
    sign = np.sign(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True))
    assert np.abs(sign * got[..., 3:7] - want[..., 3:7]).max() < ANGLE
    assert np.abs(np.delete(got - want, range(3, 7), axis=-1)).max() < POSITION


def main() -> None:
    lissom.set_thread_count(1)
    rng = np.random.default_rng(1)
    clip = make_clip(rng)
    skeleton = clip.skeleton
    key_times = clip.keys[:KEYS].astype(np.float64)
    keys = clip.sample(key_times)
    print(f"{JOINTS} joints, {KEYS} keys, all tracks moving; one thread; kernels {_core.isa()}")

    out = np.empty((TIMES, JOINTS, 10), np.float32)
    orders = {
        "random": rng.uniform(clip.start, clip.end, TIMES),
        "forward": np.linspace(clip.start, clip.end, TIMES),
    }
    for order, times in orders.items():
        got = clip.sample(times)
        numba_sample(key_times, keys, times, out)
        assert_same_poses(got, out)
        assert_same_poses(got, numpy_sample(key_times, keys, times))
        numba = best(lambda times=times: numba_sample(key_times, keys, times, out))  # type: ignore[misc]
        plain = best(lambda times=times: numpy_sample(key_times, keys, times), 3)  # type: ignore[misc]
        ours = best(lambda times=times: clip.sample(times, out=out))  # type: ignore[misc]
        items = TIMES * JOINTS
        row(f"sample {order}: numba", numba, items, "joint")
        row(f"sample {order}: NumPy", plain, items, "joint", numba)
        row(f"sample {order}: lissom", ours, items, "joint", numba)

    one = np.empty((JOINTS, 10), np.float32)
    row("sample one pose: lissom", best(lambda: clip.sample(0.5, out=one)), 1, "call")

    for count in (1, 256, TIMES):
        poses = clip.sample(orders["random"][:count])
        matrices = np.empty((count, JOINTS, 4, 4), np.float32)
        numba_compose(skeleton.parents, poses, matrices)
        got = skeleton.model_matrices(poses)
        size = np.abs(matrices).max()
        assert np.abs(got - matrices).max() < POSITION * size
        assert np.abs(got - numpy_compose(skeleton.parents, poses)).max() < POSITION * size
        numba = best(lambda: numba_compose(skeleton.parents, poses, matrices))  # noqa: B023
        plain = best(lambda: numpy_compose(skeleton.parents, poses), 3)  # noqa: B023
        ours = best(lambda: skeleton.model_matrices(poses, out=matrices))  # noqa: B023
        items = count * JOINTS
        row(f"compose {count} poses: numba", numba, items, "joint")
        row(f"compose {count} poses: NumPy", plain, items, "joint", numba)
        row(f"compose {count} poses: lissom", ours, items, "joint", numba)


if __name__ == "__main__":
    main()
