# SPDX-License-Identifier: MIT
"""What tests of clip edits share: clips of all kinds, and poses compared as what they do."""

import numpy as np

from lissom import Clip, quat
from lissom.clip import CUBICSPLINE, ROTATION
from random_rigs import random_clip, random_poses, random_skeleton

# Edits compute in float64 and store in the clip's type. float32: keys up to 3, slopes up to 3 a second, and
# times of a few seconds rounded to 2e-7 where values change by tens a second.
TOLERANCE = {np.float32: 2e-5, np.float64: 1e-9}

# Of random clips: type of the numbers, and whether all tracks share their times.
KINDS = [(np.float32, False), (np.float32, True), (np.float64, False), (np.float64, True)]


def any_clip(seed: int, dtype: type, shared: bool, joints: int = 10) -> Clip:
    """STEP, LINEAR and CUBICSPLINE tracks; of shared ones at least two keys, so that the clip lasts."""
    rng = np.random.default_rng(seed)
    while True:
        clip = random_clip(rng, random_skeleton(rng, joints), dtype, False, shared)
        if clip.duration > 0.3:
            return clip


def uniform_clip(seed: int, dtype: type, joints: int = 6, frames: int = 9) -> Clip:
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, joints)
    times = np.arange(frames) / 8.0  # exact in float32
    clip = Clip.from_poses(skeleton, times, random_poses(rng, frames, joints).astype(dtype))
    return clip._edited(uniform=True)


def uniform_poses(clip: Clip, times: np.ndarray) -> np.ndarray:
    """Poses of a uniform clip by its rule: numbers go straight between frames, rotations are normalised."""
    begin, count = clip.tracks[0]["times"], clip.tracks[0]["key_count"]
    frames = clip.keys[begin : begin + count].astype(np.float64)
    poses = clip.sample(frames, loop=False).astype(np.float64)
    poses[..., 3:7] = quat.align(poses[..., 3:7])
    left = (np.searchsorted(frames, times, side="right") - 1).clip(0, count - 2)
    share = ((times - frames[left]) / (frames[left + 1] - frames[left]))[:, None, None]
    result = (1 - share) * poses[left] + share * poses[left + 1]
    result[..., 3:7] = quat.normalize(result[..., 3:7])
    return result


def inner_times(
    clip: Clip, count: int = 60, start: float | None = None, end: float | None = None
) -> np.ndarray:
    """Random times away from keys: what a STEP track shows at a key hangs on the rounding of its time."""
    rng = np.random.default_rng(len(clip.tracks))
    times = rng.uniform(clip.start if start is None else start, clip.end if end is None else end, 4 * count)
    tracks = np.concatenate([clip.tracks, clip.weight_tracks])
    keys = np.concatenate([clip.keys[t["times"] : t["times"] + t["key_count"]] for t in tracks])
    away = np.abs(times[:, None] - keys.astype(np.float64)).min(axis=1) > 1e-5
    return times[away][:count]


def assert_same_poses(got: np.ndarray, want: np.ndarray, tolerance: float) -> None:
    """Equal numbers, rotations up to sign."""
    got, want = np.array(got, np.float64), np.asarray(want, np.float64)
    sign = np.where(np.sum(got[..., 3:7] * want[..., 3:7], axis=-1, keepdims=True) < 0, -1, 1)
    got[..., 3:7] *= sign
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance)


def is_wild(clip: Clip) -> bool:
    """Whether a spline of rotations comes near zero, where its direction hangs on rounding."""
    from lissom.clip._cuts import between_keys
    from lissom.clip._tracks import unpacked

    for track in unpacked(clip.keys, clip.tracks):
        if track.path == ROTATION and track.interpolation == CUBICSPLINE:
            values, _ = between_keys(track, np.linspace(clip.start, clip.end, 500))
            if np.linalg.norm(values, axis=1).min() < 0.1:
                return True
    return False


def count_timelines(clip: Clip) -> int:
    return len({(int(t["times"]), int(t["key_count"])) for t in clip.tracks})
