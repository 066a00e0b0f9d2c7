# SPDX-License-Identifier: MIT
"""What others sample a clip with: every channel with its own keys and its own search, as files have them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba import njit

from _node import NodeRival
from lissom import Clip
from lissom.clip._tracks import COLUMNS, LINEAR, ROTATION


@dataclass
class Channels:
    """LINEAR tracks as flat arrays: each channel with times of its own."""

    times: Any  # all channels' key times, one after another
    begins: Any  # where those of a channel begin, and where the last ends
    values: Any  # four numbers per key, one channel after another
    joints: Any
    paths: Any


def channels_of(clip: Clip) -> Channels:
    times, values, begins = [], [], [0]
    for track in clip.tracks:
        assert track["interpolation"] == LINEAR
        count, width = int(track["key_count"]), 4 if track["path"] == ROTATION else 3
        times.append(clip.keys[track["times"] : track["times"] + count])
        points = clip.keys[track["values"] : track["values"] + count * width].reshape(count, width)
        values.append(np.pad(points, ((0, 0), (0, 4 - width))))
        begins.append(begins[-1] + count)
    return Channels(
        np.concatenate(times),
        np.array(begins),
        np.concatenate(values),
        clip.tracks["joint"].copy(),
        clip.tracks["path"].copy(),
    )


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def _numba(
    times: Any, begins: Any, values: Any, joints: Any, paths: Any, shared: bool, seconds: Any, out: Any
) -> None:
    one = np.float32(1)
    for n in range(len(seconds)):
        time = seconds[n]
        key, step, t = 0, 0, np.float32(0)
        for c in range(len(joints)):
            low, high = begins[c] + key, begins[c] + key + step
            if c == 0 or not shared:
                low, high = begins[c], begins[c + 1] - 1
                while high - low > 1:
                    middle = (low + high) // 2
                    if times[middle] <= time:
                        low = middle
                    else:
                        high = middle
                t = (time - times[low]) / (times[high] - times[low]) if high > low else np.float32(0)
                t = min(max(t, np.float32(0)), one)
                key, step = low - begins[c], high - low
            s = one - t
            a, b, to = values[low], values[high], out[n, joints[c]]
            if paths[c] == 1:
                dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
                sign = -one if dot < 0 else one
                dot *= sign
                u, v = s, t
                if dot < np.float32(0.99999):
                    angle = math.acos(dot)
                    scale = one / math.sin(angle)
                    u, v = math.sin(s * angle) * scale, math.sin(t * angle) * scale
                v *= sign
                for i in range(4):
                    to[3 + i] = u * a[i] + v * b[i]
            else:
                first = 0 if paths[c] == 0 else 7
                for i in range(3):
                    to[first + i] = s * a[i] + t * b[i]


def with_numba(channels: Channels, seconds: Any, out: Any, shared: bool = False) -> None:
    """Search the keys of every channel, or those of the first alone, which all share."""
    c = channels
    _numba(c.times, c.begins, c.values, c.joints, c.paths, shared, seconds, out)


def share_times(channels: Channels) -> bool:
    """Whether all channels have the same key times."""
    keys = channels.times.reshape(len(channels.joints), -1) if np.ptp(np.diff(channels.begins)) == 0 else []
    return len(keys) > 0 and bool((keys == keys[0]).all())


def with_numpy(channels: Channels, seconds: Any, out: Any) -> None:
    for c, (joint, path) in enumerate(zip(channels.joints, channels.paths, strict=True)):
        keys = slice(channels.begins[c], channels.begins[c + 1])
        times, values = channels.times[keys], channels.values[keys]
        k = np.clip(np.searchsorted(times, seconds, side="right") - 1, 0, max(len(times) - 2, 0))
        after = np.minimum(k + 1, len(times) - 1)
        t = np.clip((seconds - times[k]) / np.maximum(times[after] - times[k], np.float32(1e-9)), 0, 1)[
            :, None
        ]
        a, b = values[k], values[after]
        if path == ROTATION:
            dot = np.sum(a * b, axis=1, keepdims=True)
            angle = np.maximum(np.arccos(np.minimum(np.abs(dot), 1)), np.float32(1e-4))
            q = np.sin((1 - t) * angle) * a + np.sin(t * angle) * np.where(dot < 0, -1, 1) * b
            out[:, joint, 3:7] = q / np.linalg.norm(q, axis=1, keepdims=True)
        else:
            out[:, joint, COLUMNS[int(path)]] = ((1 - t) * a + t * b)[:, :3]


def with_scipy(channels: Channels, seconds: Any, out: Any) -> None:
    from scipy.spatial.transform import Rotation, Slerp

    for c, (joint, path) in enumerate(zip(channels.joints, channels.paths, strict=True)):
        keys = slice(channels.begins[c], channels.begins[c + 1])
        times, values = channels.times[keys], channels.values[keys]
        if path == ROTATION:
            inside = np.clip(seconds, times[0], times[-1])
            out[:, joint, 3:7] = Slerp(times, Rotation.from_quat(values))(inside).as_quat()
        else:
            for i, column in enumerate(range(*COLUMNS[int(path)].indices(10))):
                out[:, joint, column] = np.interp(seconds, times, values[:, i])


def with_three(channels: Channels, joints: int, seconds: Any, shown: int) -> NodeRival:
    """three.js in node, whose answer is the first poses; a call of it is one time."""
    tracks = [
        {
            "joint": int(joint),
            "path": int(path),
            "times": channels.times[begin:end].tolist(),
            "values": channels.values[begin:end, : 4 if path == ROTATION else 3].ravel().tolist(),
        }
        for joint, path, begin, end in zip(
            channels.joints, channels.paths, channels.begins[:-1], channels.begins[1:], strict=True
        )
    ]
    task = {"tracks": tracks, "joints": joints, "seconds": seconds.tolist(), "shown": shown}
    return NodeRival("_sampling_three.mjs", task)
