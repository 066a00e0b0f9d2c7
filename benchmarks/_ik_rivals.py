# SPDX-License-Identifier: MIT
"""What others solve chains with: FABRIK and CCD written out in NumPy and numba, and the solvers of packages.

The loops in NumPy, and numba's first, are given the joints' positions and give positions; numba's other two
read local transforms and write local rotations, as lissom does. All of them stop by themselves where the
effector is as near as asked.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import njit


def numpy_fabrik(points: Any, lengths: Any, target: Any, near: float, iterations: int) -> Any:
    """One chain, joint by joint, each a vector (Aristidou & Lasenby 2011)."""
    p = list(points)
    root, last = p[0], len(p) - 1
    for _ in range(iterations):
        d = p[last] - target
        if d @ d <= near * near:
            break
        p[last] = target
        for j in range(last - 1, -1, -1):
            d = p[j] - p[j + 1]
            p[j] = p[j + 1] + d * (lengths[j] / math.sqrt(d @ d))
        p[0] = root
        for j in range(last):
            d = p[j + 1] - p[j]
            p[j + 1] = p[j] + d * (lengths[j] / math.sqrt(d @ d))
    return p


def numpy_fabrik_batch(points: Any, lengths: Any, targets: Any, near: float, iterations: int) -> Any:
    """All chains at once, those that are done left out: the strongest that NumPy has. (J, 3, N) float32."""
    out, last = points.copy(), len(points) - 1
    p, goal, at = points.copy(), targets, np.arange(points.shape[2])
    root = p[0].copy()
    near2 = np.float32(near * near)

    def place(j: int, from_: int, length: Any) -> None:
        d = p[j] - p[from_]
        d *= length / np.sqrt(np.einsum("kn,kn->n", d, d))
        np.add(p[from_], d, out=p[j])

    for _ in range(iterations):
        d = p[last] - goal
        open_ = np.einsum("kn,kn->n", d, d) > near2
        if not open_.all():
            out[..., at] = p
            p, goal, at, root = p[..., open_], goal[:, open_], at[open_], root[:, open_]
        if not len(at):
            break
        p[last] = goal
        for j in range(last - 1, -1, -1):
            place(j, j + 1, lengths[j])
        p[0] = root
        for j in range(last):
            place(j + 1, j, lengths[j])
    out[..., at] = p
    return out


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_fabrik(points: Any, lengths: Any, targets: Any, near: Any, iterations: int) -> None:
    """Positions (N, J, 3), in place."""
    last = points.shape[1] - 1
    for n in range(len(points)):
        p, t = points[n], targets[n]
        rx, ry, rz = p[0, 0], p[0, 1], p[0, 2]
        for _ in range(iterations):
            x, y, z = p[last, 0] - t[0], p[last, 1] - t[1], p[last, 2] - t[2]
            if x * x + y * y + z * z <= near * near:
                break
            p[last, 0], p[last, 1], p[last, 2] = t[0], t[1], t[2]
            for i in range(2 * last):
                j, k = (last - 1 - i, last - i) if i < last else (i - last + 1, i - last)
                if i == last:
                    p[0, 0], p[0, 1], p[0, 2] = rx, ry, rz
                x, y, z = p[j, 0] - p[k, 0], p[j, 1] - p[k, 1], p[j, 2] - p[k, 2]
                s = lengths[min(j, k)] / np.sqrt(x * x + y * y + z * z)
                p[j, 0], p[j, 1], p[j, 2] = p[k, 0] + s * x, p[k, 1] + s * y, p[k, 2] + s * z


@njit(cache=True, fastmath=True, inline="always")  # type: ignore[misc]
def _times(ax: Any, ay: Any, az: Any, aw: Any, b: Any) -> Any:
    x = aw * b[0] + ax * b[3] + ay * b[2] - az * b[1]
    y = aw * b[1] - ax * b[2] + ay * b[3] + az * b[0]
    z = aw * b[2] + ax * b[1] - ay * b[0] + az * b[3]
    return x, y, z, aw * b[3] - ax * b[0] - ay * b[1] - az * b[2]


@njit(cache=True, fastmath=True, inline="always")  # type: ignore[misc]
def _turned(x: Any, y: Any, z: Any, w: Any, vx: Any, vy: Any, vz: Any) -> Any:
    two = np.float32(2)
    ux, uy, uz = two * (y * vz - z * vy), two * (z * vx - x * vz), two * (x * vy - y * vx)
    return vx + w * ux + y * uz - z * uy, vy + w * uy + z * ux - x * uz, vz + w * uz + x * uy - y * ux


@njit(cache=True, fastmath=True, inline="always")  # type: ignore[misc]
def _from_to(ax: Any, ay: Any, az: Any, bx: Any, by: Any, bz: Any) -> Any:
    x, y, z = ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx
    w = ax * bx + ay * by + az * bz
    w += np.sqrt((ax * ax + ay * ay + az * az) * (bx * bx + by * by + bz * bz))
    s = np.float32(1) / np.sqrt(x * x + y * y + z * z + w * w)
    return s * x, s * y, s * z, s * w


@njit(cache=True, fastmath=True, inline="always")  # type: ignore[misc]
def _place(pose: Any, places: Any, turns: Any) -> None:
    for c in range(3):
        places[0, c] = pose[0, c]
    for c in range(4):
        turns[0, c] = pose[0, 3 + c]
    for j in range(1, len(pose)):
        q, v = turns[j - 1], pose[j]
        x, y, z = _turned(q[0], q[1], q[2], q[3], v[0], v[1], v[2])
        places[j, 0], places[j, 1], places[j, 2] = (
            places[j - 1, 0] + x,
            places[j - 1, 1] + y,
            places[j - 1, 2] + z,
        )
        turns[j] = _times(q[0], q[1], q[2], q[3], v[3:7])


@njit(cache=True, fastmath=True, inline="always")  # type: ignore[misc]
def _write_back(turns: Any, old: Any, out: Any) -> None:
    """Local rotations of turned joints; the effector keeps its own."""
    out[...] = old
    out[0, 3:7] = turns[0]
    for j in range(1, len(out) - 1):
        q = turns[j - 1]
        x, y, z, w = _times(-q[0], -q[1], -q[2], q[3], turns[j])
        out[j, 3], out[j, 4], out[j, 5], out[j, 6] = x, y, z, w


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_fabrik_poses(poses: Any, lengths: Any, targets: Any, near: Any, iterations: int, out: Any) -> None:
    """Poses (N, J, 10) to poses: the positions above, and one shortest rotation per joint."""
    joints = poses.shape[1]
    places, turns = np.empty((1, joints, 3), np.float32), np.empty((joints, 4), np.float32)
    old = np.empty((joints, 3), np.float32)
    for n in range(len(poses)):
        _place(poses[n], places[0], turns)
        old[...] = places[0]
        numba_fabrik(places, lengths, targets[n : n + 1], near, iterations)
        p = places[0]
        for j in range(joints - 1):
            qx, qy, qz, qw = _from_to(
                old[j + 1, 0] - old[j, 0], old[j + 1, 1] - old[j, 1], old[j + 1, 2] - old[j, 2],
                p[j + 1, 0] - p[j, 0], p[j + 1, 1] - p[j, 1], p[j + 1, 2] - p[j, 2],
            )  # fmt: skip
            x, y, z, w = _times(qx, qy, qz, qw, turns[j])
            turns[j, 0], turns[j, 1], turns[j, 2], turns[j, 3] = x, y, z, w
        _write_back(turns, poses[n], out[n])


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_ccd_poses(poses: Any, targets: Any, near: Any, iterations: int, out: Any) -> None:
    """Poses (N, J, 10) to poses. On the way to the root only the effector moves: one pass over the joints."""
    joints = poses.shape[1]
    places, turns = np.empty((joints, 3), np.float32), np.empty((joints, 4), np.float32)
    deltas = np.empty((joints, 4), np.float32)
    last = joints - 1
    for n in range(len(poses)):
        _place(poses[n], places, turns)
        p, t = places, targets[n]
        for _ in range(iterations):
            ex, ey, ez = p[last, 0], p[last, 1], p[last, 2]
            x, y, z = ex - t[0], ey - t[1], ez - t[2]
            if x * x + y * y + z * z <= near * near:
                break
            for j in range(last - 1, -1, -1):
                px, py, pz = p[j, 0], p[j, 1], p[j, 2]
                x, y, z = ex - px, ey - py, ez - pz
                qx, qy, qz, qw = _from_to(x, y, z, t[0] - px, t[1] - py, t[2] - pz)
                deltas[j, 0], deltas[j, 1], deltas[j, 2], deltas[j, 3] = qx, qy, qz, qw
                x, y, z = _turned(qx, qy, qz, qw, x, y, z)
                ex, ey, ez = px + x, py + y, pz + z
            # What has turned a joint: its parents' deltas before its own, as it was turned first.
            x, y, z, w = np.float32(0), np.float32(0), np.float32(0), np.float32(1)
            fx, fy, fz = p[0, 0], p[0, 1], p[0, 2]
            for j in range(last):
                x, y, z, w = _times(x, y, z, w, deltas[j])
                vx, vy, vz = p[j + 1, 0] - fx, p[j + 1, 1] - fy, p[j + 1, 2] - fz
                fx, fy, fz = p[j + 1, 0], p[j + 1, 1], p[j + 1, 2]
                vx, vy, vz = _turned(x, y, z, w, vx, vy, vz)
                p[j + 1, 0], p[j + 1, 1], p[j + 1, 2] = p[j, 0] + vx, p[j, 1] + vy, p[j, 2] + vz
                gx, gy, gz, gw = _times(x, y, z, w, turns[j])
                turns[j, 0], turns[j, 1], turns[j, 2], turns[j, 3] = gx, gy, gz, gw
        _write_back(turns, poses[n], out[n])
