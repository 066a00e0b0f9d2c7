# SPDX-License-Identifier: MIT
"""Differences between poses, and poses with differences on top."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core, quat
from lissom._base.arrays import finite_floats
from lissom._base.pose_batch import as_poses, two_poses
from lissom._base.set_module import set_module
from lissom._rig.skeleton_arrays import UNIT_TOLERANCE
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip._clip import Clip
from lissom.clip._morphs import common_morphs
from lissom.clip._tracks import COLUMNS, CUBICSPLINE, LINEAR, ROTATION, WEIGHT, Track, all_tracks

__all__ = ["add_layer", "make_additive"]

_ADD_LAYER = ("add_layer: base", "add_layer: additive", "add_layer: weight", "add_layer: mask")


@overload
def make_additive(
    pose_or_clip: Clip, reference: ArrayLike | Clip | None = None, *, morphs: ArrayLike | None = None
) -> Clip: ...
@overload
def make_additive(pose_or_clip: ArrayLike, reference: ArrayLike | Clip | None = None) -> NDArray[Any]: ...


@set_module("lissom")
def make_additive(
    pose_or_clip: ArrayLike | Clip,
    reference: ArrayLike | Clip | None = None,
    *,
    morphs: ArrayLike | None = None,
) -> NDArray[Any] | Clip:
    """Take the difference between poses, or a clip, and a reference pose.

    Translation ``b - r``, rotation ``conj(r) * b``, scale ``b - r``: `add_layer` puts it on top of any pose,
    and on top of the reference it restores ``b``.

    Parameters
    ----------
    pose_or_clip : Clip, or array_like of float, shape (..., J, 10)
        Clips keep their kind of storage: each key is transformed, tangents too. The map is linear in each
        track, so poses between keys are exactly the differences of the poses there.
    reference : array_like of float, shape (J, 10), or Clip
        Local trs; of a clip its pose at its start. If omitted, a clip's own start; poses need a reference.
    morphs : array_like of float, shape (M,), optional
        The weights of morph targets to subtract from a clip's. If omitted those of the reference clip at its
        start, where it has morph targets, else the defaults.

    Returns
    -------
    Clip or ndarray, shape (..., J, 10)
        A clip has ``additive`` True; its loop and markers stay. A joint that it does not move, but whose
        reference is not at rest, gets a track of one value, and so does a morph target. Root motion is
        left out: a difference does not travel. Arrays are float64 where one of the two is, else float32;
        clips keep their type.

    Raises
    ------
    ValueError
        If the reference is missing, not finite or not unit, has other joints or morph targets, or one of the
        clips is additive already.

    See Also
    --------
    add_layer : put the result on top of poses.

    Notes
    -----
    An array of differences looks like one of poses, and no check can distinguish them: name them well.

    Weights of morph targets add: of an additive clip ``clip.morphs(times)`` are differences, and
    ``weights + w * clip.morphs(times)`` puts them on top of others.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> lean = lissom.make_additive(hero.clips["lean"])
    >>> walk = hero.clips["walk"].at(0.5)
    >>> leaning = lissom.add_layer(walk, lean.at(0.25), 0.5)
    >>> head = hero.skeleton.index("Head")
    >>> for pose in (walk, leaning):
    ...     print(hero.skeleton.positions(pose)[head, 0].round(2))  # metres to the left
    0.01
    0.06
    """
    if isinstance(pose_or_clip, Clip):
        return _additive_clip(pose_or_clip, reference, morphs)
    if morphs is not None:
        raise TypeError("make_additive: morphs must be left out where poses are passed; subtract weights")
    poses = as_poses(pose_or_clip, "make_additive: pose_or_clip")
    if reference is None:
        raise ValueError(
            "make_additive: reference must be a pose to subtract from poses, got None; pass one, such as "
            "skeleton.rest"
        )
    base = _reference_pose(reference, poses.shape[-2])
    dtype = np.result_type(poses, base)
    result = np.empty(poses.shape, dtype)
    exact = base.astype(np.float64)
    result[..., :3] = poses[..., :3] - exact[:, :3]
    result[..., 3:7] = quat.multiply(_inverse_rotations(exact), poses[..., 3:7])
    result[..., 7:] = poses[..., 7:] - exact[:, 7:]
    return result


@set_module("lissom")
def add_layer(
    base: ArrayLike,
    additive: ArrayLike,
    weight: ArrayLike = 1.0,
    mask: ArrayLike | None = None,
    *,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Put differences on top of poses, joint by joint in local space.

    Translation ``t + w d``, rotation ``q * delta**w``, scale ``s + w d``, with w the weight times the mask.

    Parameters
    ----------
    base : array_like of float, shape (..., J, 10)
        Local trs; rotations unit. Leading axes broadcast, with those of the other arguments too. The result
        is float64 where `base` or `additive` is, else float32.
    additive : array_like of float, shape (..., J, 10)
        Differences: the result of `make_additive`, or samples of an additive clip.
    weight : array_like of float, shape (...)
        0 returns `base` to the bit, 1 adds the whole difference. Any finite number: 2 adds it twice, -1
        undoes 1.
    mask : array_like of float, shape (J,) or (..., J), optional
        Multiplies `weight`, joint by joint; finite. 1 everywhere if omitted. See `Skeleton.mask`.
    out : ndarray, shape (..., J, 10), optional
        Where to write, of the type of the result, C-contiguous; allocated when omitted. Not one of the
        inputs.

    Returns
    -------
    ndarray, shape (..., J, 10)
        Rotations are unit. NaN propagates.

    Raises
    ------
    TypeError
        If an argument does not hold real numbers, or `out` has another type or layout.
    ValueError
        If shapes do not match, the poses have different numbers of joints, or a weight or mask is not finite.

    See Also
    --------
    make_additive : the difference to a reference.
    blend : between two poses.

    Notes
    -----
    The delta multiplies the base on the right, so it rotates about the joint's own axes as the base has
    rotated them: a finger curls about its own hinge. On the left it would rotate about the axes of the
    parent. Unity and, since version 0.15, ozz-animation [1]_ multiply on the right, too; Unreal multiplies on
    the left and makes its deltas ``b * conj(r)``. Deltas made for one order are wrong in the other. Scales
    are differences, where ozz-animation and Unreal have ratios: a ratio cannot be made from a reference of
    zero.

    A power follows the shorter arc at constant speed (slerp from the identity): half the weight is half the
    angle, and weights of one difference add up.

    References
    ----------
    .. [1] guillaumeblanc/ozz-animation, pull request 152, "Additive rotation fix", 2022.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> rest, wave = hero.skeleton.rest, hero.clips["wave"].at(0.5)
    >>> difference = lissom.make_additive(wave, rest)
    >>> bool(np.allclose(lissom.add_layer(rest, difference)[:, :3], wave[:, :3], atol=1e-6))
    True
    """
    found: NDArray[Any] | None = _core.plain_add_layer(base, additive, weight, mask, out)
    if found is not None:
        return found
    arguments = two_poses(_ADD_LAYER, base, additive, weight, mask, out)
    _core.add_layer(*arguments)
    return arguments[-1]


def _reference_pose(reference: ArrayLike | Clip, joint_count: int) -> NDArray[Any]:
    """Return the pose (J, 10) to subtract, checked."""
    if isinstance(reference, Clip):
        if reference.additive:
            raise ValueError("make_additive: reference must be a pose, got an additive clip")
        reference = reference.sample(reference.start, loop=False)
    pose = as_poses(reference, "make_additive: reference", joint_count)
    if pose.ndim != 2:
        raise ValueError(f"make_additive: reference must have shape ({joint_count}, 10), got {pose.shape}")
    if not np.isfinite(pose).all():
        joint = int(np.argwhere(~np.isfinite(pose))[0, 0])
        raise ValueError(f"make_additive: reference must be finite, got NaN or infinity at joint {joint}")
    with np.errstate(over="ignore"):  # infinitely long is not unit, either
        length = np.linalg.norm(pose[:, 3:7].astype(np.float64), axis=1)
    wrong = np.flatnonzero(np.abs(length - 1) > UNIT_TOLERANCE)
    if wrong.size:
        joint = int(wrong[0])
        raise ValueError(
            f"make_additive: reference rotations must be unit within {UNIT_TOLERANCE}, got length "
            f"{length[joint]:.6g} at joint {joint}"
        )
    return pose


def _inverse_rotations(reference: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return conj(r) of each joint, exactly unit."""
    return quat.conjugate(quat.normalize(reference[:, 3:7]))


def _reference_weights(
    clip: Clip, reference: ArrayLike | Clip | None, morphs: ArrayLike | None
) -> NDArray[np.float64]:
    """Return the weights (M,) to subtract, checked."""
    count = len(clip.morph_names)
    if morphs is not None:
        return finite_floats(morphs, "make_additive: morphs", (count,))
    if isinstance(reference, Clip):
        common_morphs("make_additive", [clip, reference])
        source = reference if reference.morph_names else None
    else:
        source = clip if reference is None else None
    weights = clip.morph_defaults if source is None else source.morphs(source.start, loop=False)
    result: NDArray[np.float64] = np.asarray(weights, np.float64)
    return result


def _additive_clip(clip: Clip, reference: ArrayLike | Clip | None, morphs: ArrayLike | None) -> Clip:
    if clip.additive:
        raise ValueError(f"make_additive: pose_or_clip must hold poses, got {clip.name!r}, additive already")
    skeleton = clip.skeleton
    if isinstance(reference, Clip):
        check_same_skeleton(skeleton, reference.skeleton, "make_additive: reference")
    pose = _reference_pose(clip if reference is None else reference, len(skeleton)).astype(np.float64)
    inverse = _inverse_rotations(pose)
    weights = _reference_weights(clip, reference, morphs)

    def difference(joint: int, path: int, points: NDArray[Any]) -> NDArray[Any]:
        if path == WEIGHT:
            return np.asarray(points - weights[joint])
        if path == ROTATION:
            return quat.multiply(inverse[joint], points.astype(np.float64))
        return points - pose[joint, COLUMNS[path]]

    dtype = clip.keys.dtype
    tracks = []
    for track in all_tracks(clip):
        values = difference(track.joint, track.path, track.values)
        if track.interpolation == CUBICSPLINE and track.path != ROTATION:
            values[:, [0, 2]] = track.values[
                :, [0, 2]
            ]  # tangents are derivatives: a constant does not change them
        tracks.append(replace(track, values=values.astype(dtype)))
    # A joint without a track is at rest: that is a difference where the reference is not.
    times = tracks[0].times if clip.uniform and tracks else np.array([clip.start], dtype)
    moved = {(track.joint, track.path) for track in tracks}
    rest = skeleton.rest.astype(np.float64)
    for path, columns in COLUMNS.items():
        for joint in np.flatnonzero((rest[:, columns] != pose[:, columns]).any(axis=1)).tolist():
            if (joint, path) not in moved:
                value = difference(joint, path, rest[joint, columns]).astype(dtype)
                tracks.append(Track(joint, path, LINEAR, times, np.tile(value, (len(times), 1))))
    still = clip.morph_defaults.astype(np.float64) - weights
    for morph in np.flatnonzero(still).tolist():
        if (morph, WEIGHT) not in moved:
            tracks.append(Track(morph, WEIGHT, LINEAR, times, np.full((len(times), 1), still[morph], dtype)))
    return clip._edited(tracks, additive=True, uniform=clip.uniform, loop=clip.loop, root_motion=None)
