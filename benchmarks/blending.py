# SPDX-License-Identifier: MIT
"""How fast are poses blended, beside twenty lines of numba and plain NumPy?

One thread, float32, arrays in and out, the Python call included; every answer is compared before it is timed.
The rows of a claim: 2 poses at most 2.2 ns per joint, 4 layers at most 4.4 on a machine with AVX-512 at 3.7
GHz, which is what ozz-animation needs there for one pose (BlendingJob, 64 joints: 2.2 and 4.4 ns per joint,
published measurement with ozz-animation 0.16; printed below as text, as it has no Python to be timed here).
Run: make bench."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

import lissom
from _measure import best, row
from _rigs import make_poses
from lissom import _core

try:
    from numba import njit
except ImportError:
    sys.exit("this benchmark needs numba: uv pip install --group bench")

JOINTS = 64
TOLERANCE = 2e-6  # what float32 leaves, here of unit-sized numbers


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_layers(poses: Any, weights: Any, mask: Any, out: Any) -> None:
    heaviest = np.argmax(weights)
    for n in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = np.float32(0)
            for c in range(10):
                out[n, j, c] = np.float32(0)
            p = poses[heaviest, n, j]
            for i in range(len(weights)):
                q = poses[i, n, j]
                w = weights[i] * mask[j]
                total += w
                dot = p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6]
                s = -w if dot < 0 else w
                for c in range(3):
                    out[n, j, c] += w * q[c]
                    out[n, j, 7 + c] += w * q[7 + c]
                for c in range(3, 7):
                    out[n, j, c] += s * q[c]
            o = out[n, j]
            inverse = np.float32(1) / total
            length = np.float32(1) / np.sqrt(o[3] * o[3] + o[4] * o[4] + o[5] * o[5] + o[6] * o[6])
            for c in range(3):
                o[c] *= inverse
                o[7 + c] *= inverse
            for c in range(3, 7):
                o[c] *= length


def numpy_layers(poses: Any, weights: Any, mask: Any) -> Any:
    share = (weights / weights.sum())[:, None, None, None]
    side = poses[np.argmax(weights)][None, ..., 3:7]
    sign = np.where(np.sum(poses[..., 3:7] * side, axis=-1, keepdims=True) < 0, -1, 1).astype(np.float32)
    out = np.sum(share * poses, axis=0)
    quats = np.sum(share * sign * poses[..., 3:7], axis=0)
    out[..., 3:7] = quats / np.linalg.norm(quats, axis=-1, keepdims=True)
    return out


def main() -> None:
    lissom.set_thread_count(1)
    rng = np.random.default_rng(1)
    print(f"{JOINTS} joints; one thread; kernels {_core.isa()}")
    print("ozz-animation 0.16, published: 2 poses 2.2 ns/joint, 4 poses 4.4 ns/joint, at 3.7 GHz")
    ones = np.ones(JOINTS, np.float32)
    mask = rng.uniform(0.1, 1, JOINTS).astype(np.float32)
    for count in (1, 256, 4096):
        poses = make_poses(rng, 4, count, JOINTS)
        items = count * JOINTS
        out = np.empty_like(poses[0])
        for layers in (2, 4):
            weights = np.float32([0.3, 0.7, 0.4, 0.6][:layers])
            some = poses[:layers]
            numba_layers(some, weights, ones, out)
            plain = numpy_layers(some, weights, ones)
            got = lissom.blend_layers(some, weights)
            two = lissom.blend(some[0], some[1], 0.7) if layers == 2 else got
            for other in (plain, got, two):
                sign = np.sign(np.sum(other[..., 3:7] * out[..., 3:7], axis=-1, keepdims=True))
                other[..., 3:7] *= sign
                # A short sum of rotations has fewer digits.
                assert np.quantile(np.abs(other - out), 0.999) < TOLERANCE
                assert np.abs(other - out).max() < 1e3 * TOLERANCE
            label = f"{layers} poses, {count} times"
            numba = best(lambda: numba_layers(some, weights, ones, out))  # noqa: B023
            row(f"{label}: numba", numba, items, "joint")
            row(f"{label}: NumPy", best(lambda: numpy_layers(some, weights, ones), 3), items, "joint", numba)  # noqa: B023
            if layers == 2:
                ours = best(lambda: lissom.blend(some[0], some[1], 0.7, out=out))  # noqa: B023
                row(f"{label}: lissom.blend", ours, items, "joint", numba)
                ours = best(lambda: lissom.blend(some[0], some[1], 0.7, mask, out=out))  # noqa: B023
                row(f"{label}: lissom.blend, masked", ours, items, "joint", numba)
            ours = best(lambda: lissom.blend_layers(some, weights, out=out))  # noqa: B023
            row(f"{label}: lissom.blend_layers", ours, items, "joint", numba)
        ours = best(lambda: lissom.add_layer(poses[0], poses[1], 0.7, out=out))  # noqa: B023
        row(f"add_layer, {count} times: lissom", ours, items, "joint")
    # Without a joint the call is all that is left.
    none = np.zeros((0, 10), np.float32)
    result = np.zeros((0, 10), np.float32)
    pair = [none, none]
    row("the call itself: lissom.blend", best(lambda: lissom.blend(none, none, 0.5, out=result)), 1, "call")
    call = best(lambda: lissom.blend_layers(pair, [1, 2], out=result))
    row("the call itself: lissom.blend_layers of 2", call, 1, "call")


if __name__ == "__main__":
    main()
