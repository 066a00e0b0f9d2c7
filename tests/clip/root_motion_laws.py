# SPDX-License-Identifier: MIT
"""What root motion must keep, measured: root and clip in place together are the clip."""

import numpy as np

from lissom import RootMotion, quat, samples, trs
from lissom.clip._tracks import unpacked

KEYS = {np.float32: 1e-6, np.float64: 1e-12}  # of the skeleton's size, at keys: rounding of what is stored
BETWEEN = 1.05e-4  # of its size, between keys: max_error, here at other times than those it was kept at


def key_times(clip, joints=None):
    tracks = [t for t in unpacked(clip.keys, clip.tracks) if joints is None or t.joint in joints]
    return np.unique(np.concatenate([t.times for t in tracks])).astype(np.float64)


def places(skeleton, poses):
    """Joints and points half a unit along their axes, in model space: (N, J, 4, 3)."""
    matrices = skeleton.model_matrices(poses.astype(np.float64))
    lengths = np.linalg.norm(matrices[..., :3, :3], axis=-2, keepdims=True)
    axes = matrices[..., :3, :3] / np.where(lengths > 0, lengths, 1)
    origins = matrices[..., None, :3, 3]
    return np.concatenate([origins, origins + 0.1 * skeleton.size * np.swapaxes(axes, -1, -2)], axis=-2)


def apart(clip, place, times):
    """How far root motion and clip in place are from the clip, of its size."""
    skeleton, motion = clip.skeleton, place.root_motion
    wanted = places(skeleton, clip.sample(times, loop=False))
    moved = [j for j in range(len(skeleton)) if any(skeleton.is_in_hierarchy(j, n) for n in motion.joints)]
    root = motion.track.sample(times, loop=False)[:, 0]
    got = trs.transform_point(root[:, None, None], places(skeleton, place.sample(times, loop=False)))
    return np.linalg.norm((wanted - got)[:, moved], axis=-1).max(initial=0) / skeleton.size


def differ(a, b, times):
    """How far two clips are apart in model space, of their skeleton's size."""
    one, other = (places(a.skeleton, clip.sample(times, loop=False)) for clip in (a, b))
    return np.linalg.norm(one - other, axis=-1).max(initial=0) / a.skeleton.size


def check_law(clip, place, between=BETWEEN):
    at_keys = KEYS[clip.keys.dtype.type] * (1 + np.abs(clip.sample(clip.end)[..., :3]).max())
    times = np.linspace(clip.start, clip.end, 501)
    joints = [clip.skeleton.index(name) for name in place.root_motion.joints]
    keys = key_times(clip, [j for j in range(max(joints) + 1) if clip.skeleton.is_in_hierarchy(joints[0], j)])
    assert apart(clip, place, keys) < at_keys
    assert apart(clip, place, times) < between
    assert apart(clip, place, times) < place.root_motion.error / clip.skeleton.size * 1.1 + 2 * at_keys
    back = place.restore_root_motion()
    assert back.root_motion is None
    assert differ(clip, back, key_times(clip)) < at_keys
    assert differ(clip, back, times) < between


def spread(clip, joint, times=None):
    """How far a joint gets over the ground, and how far it turns about y, radians."""
    times = np.linspace(clip.start, clip.end, 301) if times is None else times
    matrices = clip.skeleton.model_matrices(clip.sample(times, loop=False).astype(np.float64))
    joint = clip.skeleton.index(joint)
    rest = clip.skeleton.model_matrices(clip.skeleton.rest.astype(np.float64))[joint, :3, :3]
    ground = matrices[:, joint, :3, 3][:, [0, 2]]
    turned = np.zeros((len(times), 4, 4))
    turned[:, :3, :3] = matrices[:, joint, :3, :3] @ np.linalg.inv(rest)
    turned[:, 3, 3] = 1
    rotation = trs.from_matrix(turned)[:, 3:7]
    yaw = np.unwrap(2 * np.arctan2(rotation[:, 1], rotation[:, 3]))
    return np.linalg.norm(ground - ground[0], axis=1).max(), np.ptp(yaw)


def bend(clip, turn=1.0, step=1.4, start=(0.0, 0.0, 0.0), count=23):
    """Root motion on an arc over a clip."""
    share = np.linspace(0, 1, count)
    moves = trs.identity(count, np.float64)
    moves[:, 3:7] = quat.from_axis_angle(np.float64([0, 1, 0]), turn * share)
    moves[:, 0] = step / turn * (1 - np.cos(turn * share))
    moves[:, 2] = step / turn * np.sin(turn * share)
    moves[:, :3] += start
    return RootMotion.from_moves(np.linspace(clip.start, clip.end, count), moves)


def trs_of(translation=(0, 0, 0), turn=(0, 0, 0), scale=1.0):
    return trs.from_parts(
        np.float64(translation), quat.from_rotation_vector(np.float64(turn)), np.full(3, scale)
    )


def walk_in_an_arc():
    """The sample walk along an arc to the left, in the tracks."""
    walk = samples.humanoid().clips["walk"]
    return walk.with_root_motion(bend(walk)).restore_root_motion(max_error=1e-6)
