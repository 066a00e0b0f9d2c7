# SPDX-License-Identifier: MIT
"""Limits learned from motion: the smallest that hold what a joint was seen to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._base.arrays import as_numbers
from lissom._base.names import counted
from lissom._base.numbers import check_number
from lissom._rig.skeleton import Joint, Skeleton, each_joint
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.ik._excess import Floats, excess_of, limb_at, swing_and_twist, turns_of
from lissom.ik._limb import Limb
from lissom.ik._limits import BallSocket, Hinge, Limit, Range, SwingTwist, three_numbers, unit_axis

if TYPE_CHECKING:
    from lissom.clip import Clip

# Turns by less than this are rounding of float32 keys and of the rest pose; radians.
STILL = 1e-4
# What a limit is wider than what was seen, so that rounding cannot put a pose outside; radians.
ROUNDING = 1e-7
_STEPS = 200


class LearnedLimits(dict[str, Limit]):
    """Limits by the names of joints, and what they leave outside.

    Attributes
    ----------
    outside : dict of str to float
        How far the poses that a limit was learned from go outside of it, radians: what a hinge's joint turns
        off its axis. 0 for the others.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> joints = ["UpperLeg.L", "LowerLeg.L"]
    >>> limits = lissom.ik.learn_limits(hero.skeleton, hero.clips["walk"], joints)
    >>> {name: type(limit).__name__ for name, limit in limits.items()}
    {'UpperLeg.L': 'SwingTwist', 'LowerLeg.L': 'Hinge'}
    >>> bool(np.degrees(limits.outside["LowerLeg.L"]) < 1)  # the knee hardly leaves its axis
    True
    """

    def __init__(self, limits: Mapping[str, Limit], outside: Mapping[str, float]) -> None:
        super().__init__(limits)
        self.outside = dict(outside)

    def __reduce__(self) -> tuple[type[LearnedLimits], tuple[dict[str, Limit], dict[str, float]]]:
        return type(self), (dict(self), self.outside)

    def __repr__(self) -> str:
        hinges = sum(isinstance(limit, Hinge) for limit in self.values())
        worst = max(self.outside, key=lambda name: self.outside[name], default=None)
        note = (
            ", which hold all poses"
            if worst is None or self.outside[worst] <= STILL
            else f"; poses go up to {np.degrees(self.outside[worst]):.2g} degrees outside, at {worst!r}"
        )
        return f"<LearnedLimits: {counted(len(self), 'joint')}, {counted(hinges, 'hinge')}{note}>"


def learn_limits(
    skeleton: Skeleton,
    clips: Clip | Iterable[Clip] | Mapping[str, Clip],
    joints: Iterable[Joint] | None = None,
    *,
    margin: float = 0.0,
    hinge_within: float = 0.05,
    rate: float = 60.0,
) -> LearnedLimits:
    """Learn limits of joints from clips: a `Hinge` where one axis explains the motion, else a `SwingTwist`.

    Each limit is the smallest of its kind about the rest pose that holds all poses of the clips, at their
    keys and `rate` times a second between. What no clip does is not allowed by it: learn from clips that do
    all that a character shall do, or give a `margin`.

    Parameters
    ----------
    skeleton : Skeleton
    clips : Clip, iterable of them, or mapping such as ``character.clips``
        Of this skeleton. Additive clips hold no poses and are refused.
    joints : iterable of str or int, optional
        Which joints. If omitted all that have a parent and that a clip turns: of the others nothing is
        known. A joint that is named and never turned is locked where it stands.
    margin : float
        Added at all bounds, radians, at least 0.
    hinge_within : float
        A joint is a hinge where its turns stay within this angle of one axis, radians.
    rate : float
        Poses a second that are looked at between keys.

    Returns
    -------
    LearnedLimits
        A dict of limits by name, for ``Chain(limits=)`` when `joints` are those of a chain. ``.outside`` says
        how far the poses go outside of each.

    Raises
    ------
    TypeError, ValueError
        If a clip is of other joints or additive, there is no clip or joint, or a number is negative.

    See Also
    --------
    Hinge.from_poses, SwingTwist.from_poses, BallSocket.from_poses : one joint, of the kind you choose.
    excess : how far poses lie outside of a limit.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> leg = hero.skeleton.chain("UpperLeg.L", "LowerLeg.L")
    >>> limits = lissom.ik.learn_limits(hero.skeleton, hero.clips["walk"], leg)
    >>> limits
    <LearnedLimits: 2 joints, 1 hinge; poses go up to 0.073 degrees outside, at 'LowerLeg.L'>
    >>> low, high = np.degrees([limits["LowerLeg.L"].low, limits["LowerLeg.L"].high])
    >>> print(f"the knee goes from {low:.0f} to {high:.0f} degrees")
    the knee goes from 3 to 56 degrees
    >>> chain = lissom.ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L", limits=limits)
    """
    what = "ik.learn_limits"
    if not isinstance(skeleton, Skeleton):
        raise TypeError(f"{what}: skeleton must be a Skeleton, got {type(skeleton).__name__}")
    wide = check_number(margin, f"{what}: margin", least=0)
    bent = check_number(hinge_within, f"{what}: hinge_within", least=0)
    poses = _poses_of(what, skeleton, clips, check_number(rate, f"{what}: rate", above_zero=True))
    limits: dict[str, Limit] = {}
    outside: dict[str, float] = {}
    named = joints is not None
    for joint in each_joint(joints) if joints is not None else range(len(skeleton)):
        limb = limb_at(what, skeleton, joint, None)
        turns = turns_of(what, limb, poses)
        is_still = quat.angle_between(turns, turns[:1]).max() < STILL
        if not named and (is_still or int(skeleton.parents[limb.joint]) < 0):
            continue
        limit = _limit_of(limb, turns, wide, bent)
        limits[limb.name] = limit
        outside[limb.name] = float(np.max(excess_of(limit, limb, turns)))
    return LearnedLimits(limits, outside)


def ball_socket(
    skeleton: Skeleton, joint: Joint, poses: ArrayLike, child: Joint | None, margin: float
) -> BallSocket:
    """Do what `BallSocket.from_poses` says."""
    what = "BallSocket.from_poses"
    limb, turns, wide = _seen(what, skeleton, joint, poses, child, margin)
    swing, twist = swing_and_twist(turns, limb.direction(what))
    return BallSocket(float(np.linalg.norm(swing, axis=-1).max()) + wide, _arc(twist, wide))


def hinge(skeleton: Skeleton, joint: Joint, poses: ArrayLike, axis: ArrayLike | None, margin: float) -> Hinge:
    """Do what `Hinge.from_poses` says."""
    what = "Hinge.from_poses"
    limb, turns, wide = _seen(what, skeleton, joint, poses, None, margin)
    if axis is not None:
        return _hinge_about(np.array(unit_axis(f"{what}: axis", axis)), turns, wide)
    found = _axis_of(turns)
    if found is None:
        raise ValueError(f"{what}: poses do not turn joint {limb.name!r}, so tell no axis; pass axis=")
    return _hinge_about(found, turns, wide)


def swing_twist(
    skeleton: Skeleton,
    joint: Joint,
    poses: ArrayLike,
    axis: ArrayLike | None,
    child: Joint | None,
    margin: float,
) -> SwingTwist:
    """Do what `SwingTwist.from_poses` says."""
    what = "SwingTwist.from_poses"
    limb, turns, wide = _seen(what, skeleton, joint, poses, child, margin)
    along = limb.direction(what) if axis is None else np.array(unit_axis(f"{what}: axis", axis))
    return _cone_about(along, turns, wide)


def _seen(
    what: str, skeleton: Skeleton, joint: Joint, poses: ArrayLike, child: Joint | None, margin: float
) -> tuple[Limb, Floats, float]:
    limb = limb_at(what, skeleton, joint, child)
    turns = turns_of(what, limb, as_numbers(poses, f"{what}: poses")).reshape(-1, 4)
    if not len(turns):
        raise ValueError(f"{what}: poses must hold at least one pose, got none")
    if not np.isfinite(turns).all():
        raise ValueError(f"{what}: poses must hold finite rotations of {limb.name!r}, got nan or infinity")
    return limb, turns, check_number(margin, f"{what}: margin", least=0) + ROUNDING


def _limit_of(limb: Limb, turns: Floats, margin: float, hinge_within: float) -> Limit:
    """Give a hinge where one axis explains the motion, else an elliptic cone."""
    axis = _axis_of(turns)
    if axis is not None:
        off = np.linalg.norm(swing_and_twist(turns, axis)[0], axis=-1).max()
        if off <= hinge_within:
            return _hinge_about(axis, turns, margin + ROUNDING)
    along = limb.bone_out if limb.bone_out is not None else limb.bone_in
    if along is None:
        along = axis if axis is not None else np.array([0.0, 1.0, 0.0])
    return _cone_about(along, turns, margin + ROUNDING)


def _hinge_about(axis: Floats, turns: Floats, margin: float) -> Hinge:
    low, high = _arc(swing_and_twist(turns, axis)[1], margin)
    return Hinge(three_numbers(axis), low, high)


def _cone_about(axis: Floats, turns: Floats, margin: float) -> SwingTwist:
    swing, twist = swing_and_twist(turns, axis)
    first = np.eye(3)[np.argmin(np.abs(axis))]
    first = first - (first @ axis) * axis
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    half, (x, y) = _ellipse_around(np.stack([swing @ first, swing @ second], axis=-1))
    across = x * first + y * second
    one, other = (min(float(angle) + margin, np.pi) for angle in half)
    return SwingTwist((one, other), _arc(twist, margin), three_numbers(axis), three_numbers(across))


def _axis_of(turns: Floats) -> Floats | None:
    """Give the axis that turns stay nearest to, positive to the larger of them; None where they do not turn.

    The largest angle off the axis counts: least squares with weights that grow where it is large (C. Lawson's
    way to the least maximum, 1961), and the best axis on the way.
    """
    signed = np.where(turns[:, 3:] < 0, -turns, turns)
    parts = signed[:, :3]
    if 2 * np.arcsin(min(np.linalg.norm(parts, axis=1).max(), 1.0)) < STILL:
        return None
    weights = np.full(len(parts), 1.0 / len(parts))
    best, least = None, np.inf
    for _ in range(_STEPS):
        axis = np.linalg.eigh((parts.T * weights) @ parts).eigenvectors[:, -1]
        # Of q = (v, w): the sine of half the swing is the part of v across the axis.
        off = np.linalg.norm(parts - (parts @ axis)[:, None] * axis, axis=1)
        if off.max() < 0.999 * least:
            best, least = axis, off.max()
        if off.max() < 1e-9:
            break
        weights = weights * (off + 1e-3 * off.max())
        weights /= weights.sum()
    assert best is not None
    twist = swing_and_twist(turns, best)[1]
    return np.asarray(best if twist.max() >= -twist.min() else -best)


def _arc(angles: Floats, margin: float) -> Range:
    """Give the smallest range that holds angles on the circle, its middle within half a turn of 0."""
    ordered = np.sort(np.unique(angles))
    gaps = np.diff(np.append(ordered, ordered[0] + 2 * np.pi))
    widest = int(np.argmax(gaps))
    low = float(ordered[(widest + 1) % len(ordered)])
    high = low + 2 * np.pi - float(gaps[widest])
    turn = 2 * np.pi * round((low + high) / (4 * np.pi))
    return low - turn - margin, high - turn + margin


def _ellipse_around(points: Floats) -> tuple[tuple[float, float], Floats]:
    """Give half axes and the direction of the first of the smallest ellipse about 0 that holds points (N, 2).

    Weights of the points are multiplied by what they lack until M = sum w p p^T is that of the ellipse
    p^T M^-1 p = 2 (D. Titterington's algorithm for D-optimal designs, 1976); at last all are held exactly.
    """
    flat = 1e-7  # radians: points in a line are given this width
    held = np.concatenate([points, flat * np.eye(2)])
    weights = np.full(len(held), 1.0 / len(held))
    for _ in range(_STEPS):
        moment = (held.T * weights) @ held
        lack = np.sum((held @ np.linalg.inv(moment)) * held, axis=1) / 2
        if lack.max() < 1 + 1e-6:
            break
        weights = weights * lack
    moment = (held.T * weights) @ held
    values, axes = np.linalg.eigh(moment)
    square = np.max(np.sum((held @ axes) ** 2 / values, axis=1))
    short, long = np.sqrt(values * square)
    return (float(long), float(short)), np.asarray(axes[:, 1])


def _poses_of(
    what: str, skeleton: Skeleton, clips: Clip | Iterable[Clip] | Mapping[str, Clip], rate: float
) -> NDArray[np.float64]:
    """Give all poses of clips at their keys and between, shape (F, J, 10)."""
    from lissom.clip import Clip as ClipType

    given = [clips] if isinstance(clips, ClipType) else clips
    if isinstance(given, Mapping):
        given = given.values()
    if not isinstance(given, Iterable):
        raise TypeError(f"{what}: clips must be Clips, got {type(clips).__name__}")
    parts = []
    for clip in given:
        if not isinstance(clip, ClipType):
            raise TypeError(f"{what}: clips must be Clips, got {type(clip).__name__}")
        if clip.additive:
            raise ValueError(f"{what}: clip {clip.name!r} is additive: it holds differences, no poses")
        check_same_skeleton(skeleton, clip.skeleton, f"{what}: clip {clip.name!r}")
        frames = max(int(np.ceil(clip.duration * rate)) + 1, 1)
        times = [np.linspace(clip.start, clip.end, frames)]
        times += [clip.keys[t["times"] : t["times"] + t["key_count"]].astype(np.float64) for t in clip.tracks]
        parts.append(clip.sample(np.unique(np.concatenate(times)), loop=False).astype(np.float64))
    if not parts:
        raise ValueError(f"{what}: clips must hold at least one clip, got none")
    return np.concatenate(parts)
