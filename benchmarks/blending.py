# SPDX-License-Identifier: MIT
"""How fast are poses blended, beside twenty lines of numba and plain NumPy?

One thread, float32, arrays in and out, the Python call included; every answer is compared before it is timed.
The bars: 2 poses at most 2.2 ns per joint, 4 layers at most 4.4 on a machine with AVX-512 at 3.7 GHz, which
is what ozz-animation 0.16 needs there for one pose (BlendingJob, 64 joints); ozz.py measures it where its
source is. NumPy and numba blend with one mask for all, as lissom does where it is given one; where it is not
given one, they are not."""

from __future__ import annotations

from typing import Any

import numpy as np

import lissom
from _bench import Bench, Table, require
from _rigs import make_poses

require("numba")
from numba import njit  # noqa: E402

JOINTS = 64
BARS = {2: 2.2, 4: 4.4}  # ns per joint, by how many poses
TOLERANCE = 2e-6  # what float32 leaves, here of unit-sized numbers


@njit(cache=True, fastmath=True, inline="always")  # type: ignore[misc]
def _towards(w: Any, p: Any, q: Any) -> Any:
    """The weight of rotation q, so signed that it adds to p."""
    return -w if p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6] < 0 else w


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_four(poses: Any, weights: Any, out: Any) -> None:
    """Four poses, written out; rotations are turned to the side of the heaviest's."""
    one = np.float32(1)
    heaviest = np.argmax(weights)
    scale = one / (weights[0] + weights[1] + weights[2] + weights[3])
    w0, w1, w2, w3 = weights[0] * scale, weights[1] * scale, weights[2] * scale, weights[3] * scale
    for n in range(out.shape[0]):
        for j in range(out.shape[1]):
            a, b, c, d, o = poses[0, n, j], poses[1, n, j], poses[2, n, j], poses[3, n, j], out[n, j]
            p = poses[heaviest, n, j]
            for i in range(3):
                o[i] = w0 * a[i] + w1 * b[i] + w2 * c[i] + w3 * d[i]
                o[7 + i] = w0 * a[7 + i] + w1 * b[7 + i] + w2 * c[7 + i] + w3 * d[7 + i]
            s0, s1, s2, s3 = _towards(w0, p, a), _towards(w1, p, b), _towards(w2, p, c), _towards(w3, p, d)
            x = s0 * a[3] + s1 * b[3] + s2 * c[3] + s3 * d[3]
            y = s0 * a[4] + s1 * b[4] + s2 * c[4] + s3 * d[4]
            z = s0 * a[5] + s1 * b[5] + s2 * c[5] + s3 * d[5]
            w = s0 * a[6] + s1 * b[6] + s2 * c[6] + s3 * d[6]
            length = one / np.sqrt(x * x + y * y + z * z + w * w)
            o[3], o[4], o[5], o[6] = x * length, y * length, z * length, w * length


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_pair(first: Any, second: Any, weight: Any, mask: Any, out: Any) -> None:
    """Two poses and a weight for each joint, written out."""
    one = np.float32(1)
    for n in range(out.shape[0]):
        for j in range(out.shape[1]):
            p, q, o = first[n, j], second[n, j], out[n, j]
            v = weight * mask[j]
            u = one - v
            s = -v if p[3] * q[3] + p[4] * q[4] + p[5] * q[5] + p[6] * q[6] < 0 else v
            for c in range(3):
                o[c] = u * p[c] + v * q[c]
                o[7 + c] = u * p[7 + c] + v * q[7 + c]
            x, y, z, w = u * p[3] + s * q[3], u * p[4] + s * q[4], u * p[5] + s * q[5], u * p[6] + s * q[6]
            length = one / np.sqrt(x * x + y * y + z * z + w * w)
            o[3], o[4], o[5], o[6] = x * length, y * length, z * length, w * length


def numpy_layers(poses: Any, weights: Any) -> Any:
    share = (weights / weights.sum())[:, None, None, None]
    side = poses[np.argmax(weights)][None, ..., 3:7]
    sign = np.where(np.sum(poses[..., 3:7] * side, axis=-1, keepdims=True) < 0, -1, 1).astype(np.float32)
    out = np.sum(share * poses, axis=0)
    quats = np.sum(share * sign * poses[..., 3:7], axis=0)
    out[..., 3:7] = quats / np.linalg.norm(quats, axis=-1, keepdims=True)
    return out


def close(got: Any, want: Any) -> None:
    """Assert that poses are the same, quaternions up to their sign."""
    got = got.copy()
    got[..., 3:7] *= np.sign(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True))
    # A short sum of rotations has fewer digits.
    assert np.quantile(np.abs(got - want), 0.999) < TOLERANCE
    assert np.abs(got - want).max() < 1e3 * TOLERANCE


def blend_pairs(bench: Bench, poses: Any, mask: Any) -> Table:
    count = poses.shape[1]
    out, want, ones = np.empty_like(poses[0]), np.empty_like(poses[0]), np.ones(JOINTS, np.float32)
    some, weights, weight = poses[:2], np.float32([0.3, 0.7]), np.float32(0.7)
    numba_pair(some[0], some[1], weight, mask, want)
    close(lissom.blend(some[0], some[1], 0.7, mask), want)
    numba_pair(some[0], some[1], weight, ones, want)
    for other in (
        lissom.blend(some[0], some[1], 0.7),
        lissom.blend_layers(some, weights),
        numpy_layers(some, weights),
    ):
        close(other, want)
    table = bench.table(
        f"2 poses, {count} times",
        {
            "lissom.blend": lambda: lissom.blend(some[0], some[1], 0.7, out=out),
            "lissom.blend, masked": lambda: lissom.blend(some[0], some[1], 0.7, mask, out=out),
            "lissom.blend_layers": lambda: lissom.blend_layers(some, weights, out=out),
            "numba": lambda: numba_pair(some[0], some[1], weight, mask, want),
            "NumPy": lambda: numpy_layers(some, weights),
        },
        count * JOINTS,
        "joint",
        moved=3 * 40,
        operations=6 * 3 + 4 * 3 + 7 + 1 + 4 * 3 + 8 + 4,
    )
    if count > 1:
        table.judge("lissom.blend", BARS[2])
    return table


def blend_four(bench: Bench, poses: Any) -> None:
    count = poses.shape[1]
    out, want, weights = np.empty_like(poses[0]), np.empty_like(poses[0]), np.float32([0.3, 0.7, 0.4, 0.6])
    numba_four(poses, weights, want)
    close(lissom.blend_layers(poses, weights), want)
    close(numpy_layers(poses, weights), want)
    table = bench.table(
        f"4 poses, {count} times",
        {
            "lissom.blend_layers": lambda: lissom.blend_layers(poses, weights, out=out),
            "numba": lambda: numba_four(poses, weights, want),
            "NumPy": lambda: numpy_layers(poses, weights),
        },
        count * JOINTS,
        "joint",
        moved=5 * 40,
    )
    if count > 1:
        table.judge("lissom.blend_layers", BARS[4])


def main(bench: Bench) -> None:
    bench.one_thread()
    rng = np.random.default_rng(1)
    mask = rng.uniform(0.1, 1, JOINTS).astype(np.float32)
    for count in (1, 256, 512 if bench.quick else 4096):
        poses = make_poses(rng, 4, count, JOINTS)
        blend_pairs(bench, poses, mask)
        blend_four(bench, poses)
        out = np.empty_like(poses[0])
        bench.table(
            f"additive, {count} times",
            {"lissom.add_layer": lambda: lissom.add_layer(poses[0], poses[1], 0.7, out=out)},  # noqa: B023
            count * JOINTS,
            "joint",
            moved=3 * 40,
        )
    # Without a joint the call is all that is left.
    none = np.zeros((0, 10), np.float32)
    result = np.zeros((0, 10), np.float32)
    pair = [none, none]
    bench.table(
        "the call itself, no joints",
        {
            "lissom.blend": lambda: lissom.blend(none, none, 0.5, out=result),
            "lissom.blend_layers of 2": lambda: lissom.blend_layers(pair, [1, 2], out=result),
        },
    )


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
