# SPDX-License-Identifier: MIT
"""The assert for poses: each joint's rotation, translation and scale."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lissom import quat
from lissom._rig.skeleton_arrays import UNIT_TOLERANCE
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip import Clip
from lissom.clip._tracks import all_tracks, key_times
from lissom.testing import _tolerances
from lissom.testing._mismatch import ElementLabel, Measure, find_mismatch
from lissom.testing._pair import as_doubles, numbers_text, require_comparable
from lissom.testing._subject import skeleton_of
from lissom.testing._vertices import check_times

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike

    from lissom._character.character import Character
    from lissom._rig.skeleton import Skeleton
    from lissom.testing._pair import Floats
    from lissom.testing._tolerances import Lengths

__all__ = ["assert_poses_close"]

FUNCTION = "assert_poses_close"

HALF_TOLERANCE = 1e-3
"""Deviation from unit length of a rotation in float16, whose numbers are rounded by up to 2.5e-4 near 1."""

SAME_MOMENT = 1e-6
"""Seconds: the ends of clips that files store in float32 agree to this."""


def assert_poses_close(
    actual: ArrayLike | Clip,
    desired: ArrayLike | Clip,
    *,
    of: Character | Skeleton | Clip | None = None,
    rotation: float = _tolerances.ROTATION,
    share: float | None = None,
    length: float | None = None,
    size: float | None = None,
    scale: float = _tolerances.SCALE,
    times: ArrayLike | None = None,
    err_msg: str = "",
) -> None:
    """Raise an AssertionError where a joint's local transform differs by more than a tolerance.

    Parameters
    ----------
    actual, desired : array_like, shape (..., J, 10), or Clip
        Local trs. Clips are sampled at `times`, or, where both are clips, at all keys of both and midway
        between them.
    of : Character, Skeleton or Clip, optional
        Whose poses these are: the message names joints, and says how far they are apart in model space. The
        clip where one is compared and this is omitted.
    rotation : float
        Tolerance of the angle between rotations, radians. q and -q are the same.
    share : float, optional
        Tolerance of translations as a fraction of the size; 1e-5 when neither this nor `length` is given.
    length : float, optional
        Tolerance of translations in the units of the arrays, instead of `share`.
    size : float, optional
        Length of which `share` is a fraction: when omitted the size of `of`, or without that one unit.
    scale : float
        Tolerance of scales, as a fraction of the joint's largest desired one.
    times : array_like, shape (...), optional
        Seconds of each pose, for the message and for sampling clips, which clamp them.
    err_msg : str
        Text to include in the message.

    Raises
    ------
    AssertionError
        If a joint is beyond a tolerance, a number is not finite, a rotation is not unit (within 1e-4, for
        float16 1e-3), shapes differ or are empty, or clips have different joints, parents or ends.
    TypeError, ValueError
        If an argument is wrong.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> lissom.testing.assert_poses_close(walk.resampled(120), walk, rotation=0.01, share=0.001)
    >>> pose = walk.sample(0.3)
    >>> rotated = walk.skeleton.rotate(pose, "Head", lissom.quat.from_axis_angle([0, 1, 0], 0.1))
    >>> lissom.testing.assert_poses_close(rotated, pose, of=walk)
    Traceback (most recent call last):
    AssertionError: assert_poses_close: 1 of 34 joints are beyond the tolerance
      rotation: 5.73 degrees apart, tolerance 0.00573 degrees, 1 beyond
        worst   joint 'Head' (...
    """
    __tracebackhide__ = True
    if isinstance(actual, Clip) or isinstance(desired, Clip):
        if of is None:
            of = desired if isinstance(desired, Clip) else actual  # type: ignore[assignment]
        else:
            _require_own_joints(of, actual, desired)
        actual, desired, times = _sampled(actual, desired, times)
    skeleton, known = skeleton_of(FUNCTION, of)
    a = as_doubles(FUNCTION, "actual", actual)
    b = as_doubles(FUNCTION, "desired", desired)
    if b.ndim < 2 or b.shape[-1] != 10:
        raise ValueError(f"{FUNCTION}: desired must have shape (..., J, 10), got {b.shape}")
    if skeleton is not None and len(skeleton) != b.shape[-2]:
        raise ValueError(
            f"{FUNCTION}: of must have a skeleton of the {b.shape[-2]} joints of desired, got one of "
            f"{len(skeleton)}"
        )
    label = ElementLabel(_joint_label(skeleton), check_times(FUNCTION, times, b.shape[:-2]))
    limit = _tolerances.lengths(FUNCTION, length, share, size, known)
    largest_angle = _tolerances.angle(FUNCTION, rotation)
    largest_ratio = _tolerances.ratio(FUNCTION, scale)
    require_comparable(FUNCTION, a, b, 1, label)
    _require_unit("actual", a, _unit_tolerance(actual), label)
    _require_unit("desired", b, _unit_tolerance(desired), label)
    measures = [
        _rotations(a, b, largest_angle),
        _translations(a, b, limit),
        _scales(a, b, largest_ratio),
    ]
    mismatch = find_mismatch("joints", measures, label)
    if mismatch is not None:
        more = []
        if skeleton is not None and not (isinstance(of, Clip) and of.additive):
            more = _in_model_space(skeleton, a, b, limit, label)
        raise AssertionError(mismatch.message(FUNCTION, err_msg, more))


def _joint_label(skeleton: Skeleton | None) -> Callable[[int], str]:
    if skeleton is None:
        return lambda joint: f"joint {joint}"
    return lambda joint: f"joint {skeleton.names[joint]!r} ({joint})"


def _unit_tolerance(poses: ArrayLike | Clip) -> float:
    """Return how far from 1 the length of a rotation may be: more in half precision."""
    return HALF_TOLERANCE if getattr(poses, "dtype", None) == np.float16 else UNIT_TOLERANCE


def _require_unit(name: str, poses: Floats, tolerance: float, label: ElementLabel) -> None:
    __tracebackhide__ = True
    with np.errstate(over="ignore"):  # infinitely long is not unit, either
        off = np.abs(np.linalg.norm(poses[..., 3:7], axis=-1) - 1)
    if off.max() > tolerance:
        index = tuple(map(int, np.unravel_index(np.argmax(off), off.shape)))
        raise AssertionError(
            f"{FUNCTION}: {name} holds a rotation that is not unit, at {label(index)}: "
            f"{numbers_text(poses[index][3:7])}"
        )


def _rotations(a: Floats, b: Floats, tolerance: float) -> Measure:
    first, second = np.ascontiguousarray(a[..., 3:7]), np.ascontiguousarray(b[..., 3:7])
    angles = quat.angle_between(first, second)
    return Measure("rotation", angles, tolerance, _tolerances.degrees, first, second)


def _translations(a: Floats, b: Floats, limit: Lengths) -> Measure:
    first, second = a[..., :3], b[..., :3]
    distances = np.linalg.norm(first - second, axis=-1)
    return Measure("translation", distances, limit.tolerance, limit.text, first, second)


def _scales(a: Floats, b: Floats, tolerance: float) -> Measure:
    first, second = a[..., 7:], b[..., 7:]
    largest = np.abs(second).max(axis=-1)
    ratios = np.abs(first - second).max(axis=-1) / np.where(largest > 0, largest, 1)
    return Measure("scale", ratios, tolerance, _tolerances.percent, first, second)


def _in_model_space(
    skeleton: Skeleton, a: Floats, b: Floats, limit: Lengths, label: ElementLabel
) -> list[str]:
    """Return a line with the largest distance of joints in model space."""
    distances = np.linalg.norm(skeleton.positions(a) - skeleton.positions(b), axis=-1)
    index = tuple(map(int, np.unravel_index(np.argmax(distances), distances.shape)))
    text = limit.text(float(distances[index]))
    return [f"  in model space joints are up to {text} apart, at {label(index)}"]


def _sampled(
    actual: ArrayLike | Clip, desired: ArrayLike | Clip, times: ArrayLike | None
) -> tuple[ArrayLike, ArrayLike, ArrayLike]:
    __tracebackhide__ = True
    if isinstance(actual, Clip) and isinstance(desired, Clip):
        _require_same_joints(actual, desired)
        if times is None:
            times = _moments(actual, desired)
    elif times is None:
        raise TypeError(
            f"{FUNCTION}: times must be the seconds of the poses that a clip is compared with, got None"
        )
    return (
        actual.sample(times, loop=False) if isinstance(actual, Clip) else actual,
        desired.sample(times, loop=False) if isinstance(desired, Clip) else desired,
        times,
    )


def _require_own_joints(of: Character | Skeleton | Clip | None, *compared: ArrayLike | Clip) -> None:
    """Refuse an `of` that would name the joints of a clip wrongly."""
    skeleton = skeleton_of(FUNCTION, of)[0]
    for clip in compared:
        if isinstance(clip, Clip) and skeleton is not None:
            check_same_skeleton(clip.skeleton, skeleton, f"{FUNCTION}: of, for clip {clip.name!r},")


def _require_same_joints(actual: Clip, desired: Clip) -> None:
    __tracebackhide__ = True
    try:
        check_same_skeleton(desired.skeleton, actual.skeleton, f"{FUNCTION}: actual")
    except ValueError as error:
        raise AssertionError(str(error)) from None


def _moments(actual: Clip, desired: Clip) -> Floats:
    """Return the times of all keys of both clips, and those midway between them."""
    __tracebackhide__ = True
    if max(abs(actual.start - desired.start), abs(actual.end - desired.end)) > SAME_MOMENT:
        raise AssertionError(
            f"{FUNCTION}: the clips have different ends: actual {actual.start:.6g} to {actual.end:.6g} s, "
            f"desired {desired.start:.6g} to {desired.end:.6g} s; pass times= to compare what they share"
        )
    both = [key_times(all_tracks(clip)) for clip in (actual, desired)]
    keys = np.union1d(*both)
    if not len(keys):
        return np.array([desired.start])
    return np.sort(np.concatenate([keys, (keys[1:] + keys[:-1]) / 2]))
