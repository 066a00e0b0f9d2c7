# SPDX-License-Identifier: MIT
"""Clip sampling in plain float64 NumPy, one key at a time: the twin that the core is compared with.

Source: Khronos, glTF 2.0 specification, section 3.11 "Animations" and appendix C "Animation sampler
interpolation modes". Quaternions are x, y, z, w. The only rule that is not in there is how a clip wraps: all
tracks together, into [start, end).
"""

import numpy as np

COLUMNS = {0: slice(0, 3), 1: slice(3, 7), 2: slice(7, 10)}  # of a path in a pose's ten numbers
WIDTHS = {0: 3, 1: 4, 2: 3, 3: 1}  # numbers in a value; 3 is the weight of a morph target


def slerp(a, b, s):
    """Appendix C.3: the arc between the unit quaternions a and b, the shorter one."""
    cosine = float(a @ b)
    if cosine < 0:
        b = -b
    # acos(|cosine|), but accurate for small angles as well.
    angle = 2 * np.arctan2(np.linalg.norm(b - a), np.linalg.norm(b + a))
    if angle < 1e-12:
        return a
    return np.sin((1 - s) * angle) / np.sin(angle) * a + np.sin(s * angle) / np.sin(angle) * b


def unit(q):
    return q / np.linalg.norm(q)


def track_at(times, values, interpolation, path, time):
    """One track: values (K, width), for interpolation 2 (K, 3, width), at one time."""
    rotates = path == 1
    points = values[:, 1] if interpolation == 2 else values
    if time <= times[0] or time >= times[-1]:
        point = points[0] if time < times[-1] or len(times) == 1 else points[-1]
        return unit(point) if rotates else point
    k = int(np.flatnonzero(times <= time)[-1])
    if interpolation == 0:
        return unit(points[k]) if rotates else points[k]
    td = times[k + 1] - times[k]
    t = (time - times[k]) / td
    if interpolation == 1:
        if rotates:
            return slerp(unit(points[k]), unit(points[k + 1]), t)
        return (1 - t) * points[k] + t * points[k + 1]
    out_tangent, in_tangent = values[k, 2], values[k + 1, 0]
    value = (
        (2 * t**3 - 3 * t**2 + 1) * points[k]
        + td * (t**3 - 2 * t**2 + t) * out_tangent
        + (-2 * t**3 + 3 * t**2) * points[k + 1]
        + td * (t**3 - t**2) * in_tangent
    )
    return unit(value) if rotates else value


def moment_of(keys, tracks, time, loop):
    """The time that a loop maps one to: all tracks together, those of weights too."""
    spans = [(float(keys[t["times"]]), float(keys[t["times"] + t["key_count"] - 1])) for t in tracks]
    start = min((first for first, _ in spans), default=0.0)
    end = max((last for _, last in spans), default=0.0)
    if loop is True and not start <= time < end:
        time = start + (time - start) % (end - start) if end > start else start
        time = start if time >= end else time
    if loop == "ping_pong" and not start <= time <= end:  # there and back again: a triangle wave
        turn = abs(time - start) % (2 * (end - start)) if end > start else 0.0
        time = start + min(turn, 2 * (end - start) - turn)
    return time


def track_keys(keys, track):
    """Times (K,) and values of a track: (K, width), of a spline (K, 3, width)."""
    count, width = int(track["key_count"]), WIDTHS[int(track["path"])]
    times = keys[track["times"] : track["times"] + count].astype(np.float64)
    spline = track["interpolation"] == 2
    values = keys[track["values"] : track["values"] + count * width * (3 if spline else 1)]
    return times, values.astype(np.float64).reshape((count, 3, width) if spline else (count, width))


def clip_at(rest, keys, tracks, time, loop):
    """The pose (J, 10) of a clip in the storage of lissom.clip, at one time."""
    pose = np.array(rest, np.float64)
    time = moment_of(keys, tracks, time, loop)
    for track in tracks:
        path = int(track["path"])
        if path in COLUMNS:
            times, values = track_keys(keys, track)
            pose[track["joint"], COLUMNS[path]] = track_at(times, values, track["interpolation"], path, time)
    return pose


def weights_at(defaults, keys, tracks, time, loop):
    """The weights (M,) of morph targets at one time, of the same tracks: path 3, `joint` their number."""
    weights = np.array(defaults, np.float64)
    time = moment_of(keys, tracks, time, loop)
    for track in tracks:
        if track["path"] == 3:
            times, values = track_keys(keys, track)
            weights[track["joint"]] = track_at(times, values, track["interpolation"], 3, time)[0]
    return weights


def uniform_at(rest, keys, tracks, time, loop):
    """The pose (J, 10) of a uniform clip: everything lerps, rotations along the shorter arc, then normalised.

    The grid is regular between the first and the last time; the last frame has no next one.
    """
    pose = np.array(rest, np.float64)
    if len(tracks) == 0:
        return pose
    count = int(tracks[0]["key_count"])
    times = keys[tracks[0]["times"] : tracks[0]["times"] + count].astype(np.float64)
    start, end = times[0], times[-1]
    if loop is True and not start <= time < end:
        time = start + (time - start) % (end - start) if end > start else start
        time = start if time >= end else time
    if loop == "ping_pong" and not start <= time <= end:
        turn = abs(time - start) % (2 * (end - start)) if end > start else 0.0
        time = start + min(turn, 2 * (end - start) - turn)
    time = min(max(time, start), end)
    position = (time - start) / (end - start) * (count - 1) if end > start else 0.0
    k = min(int(position), max(count - 2, 0))
    t = position - k
    for track in tracks:
        path = int(track["path"])
        width = 4 if path == 1 else 3
        values = keys[track["values"] : track["values"] + count * width]
        values = values.astype(np.float64).reshape(count, width)
        a, b = values[k], values[min(k + 1, count - 1)]
        if path == 1:
            a, b = unit(a), unit(b)
            b = -b if a @ b < 0 else b
        value = (1 - t) * a + t * b
        pose[track["joint"], COLUMNS[path]] = unit(value) if path == 1 else value
    return pose
