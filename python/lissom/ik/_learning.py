# SPDX-License-Identifier: MIT
"""Limits learned from motion: the smallest that hold all rotations of a joint in clips."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom import quat
from lissom._base.distinct import distinct
from lissom._base.names import counted
from lissom._base.numbers import check_number
from lissom._base.vectors import lengths
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint, each_joint
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom._roles.given import Hints, given_roles
from lissom._roles.limb_names import joints_named
from lissom.clip._frames import checked_interval_count
from lissom.ik._axes import Floats
from lissom.ik._excess import excess_about
from lissom.ik._fitting import STILL, cone_about, hinge_about, nearest_axis, positive_at_largest
from lissom.ik._joint_rotations import ROUNDING, relative_to_rest, swing_and_twist
from lissom.ik._limb import Limb, limb_at
from lissom.ik._limits import Hinge, Limit, SwingTwist

if TYPE_CHECKING:
    from lissom.clip import Clip


class LearnedLimits(dict[str, Limit]):
    """Limits by the names of joints, and how far the motion lies outside of them.

    Attributes
    ----------
    outside : dict of str to float
        How far the poses that a limit was learned from lie outside of it, radians: the rotation of a hinge's
        joint off its axis. 0 for other limits.

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
    roles: Hints = None,
) -> LearnedLimits:
    """Learn limits of joints from clips: a `Hinge` where one axis explains the motion, else a `SwingTwist`.

    Each limit is the smallest of its kind about the rest pose that holds all poses of the clips, at their
    keys and `rate` times a second between. It allows nothing that no clip does: learn from clips that show
    the whole range of motion, or pass a `margin`.

    Parameters
    ----------
    skeleton : Skeleton
    clips : Clip, iterable of them, or mapping such as ``character.clips``
        Clips of this skeleton, not additive.
    joints : iterable of str or int, optional
        Joints to learn limits for, by name, index, or by `lissom.roles`: a role such as "leftLowerLeg", or
        the joints along a limb such as "leftLeg" or "arms", from its first to the hand or foot. A joint of
        that name wins. If omitted, all that have a parent and that a clip rotates. A joint that is named here
        and never rotates is locked in its rotation.
    margin : float
        Added to all bounds, radians, at least 0.
    hinge_within : float
        A joint is a hinge where its rotations stay within this angle of one axis, radians.
    rate : float
        Poses per second that are sampled between keys.
    roles : Roles, mapping of str to str, or path, optional
        For names of roles and limbs: what `lissom.roles` returned of this skeleton or its character, or hints
        to it.

    Returns
    -------
    LearnedLimits
        A dict of limits by names of joints, for ``Chain(limits=)`` when `joints` are those of a chain.
        ``.outside`` says how far the poses lie outside of each.

    Raises
    ------
    TypeError, ValueError
        If a clip is of other joints or additive, there is no clip or joint, no joint plays a role, or a
        number is negative.

    See Also
    --------
    Hinge.from_poses, SwingTwist.from_poses, BallSocket.from_poses : one joint, of a kind that you choose.
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
    margin = check_number(margin, f"{what}: margin", least=0)
    hinge_within = check_number(hinge_within, f"{what}: hinge_within", least=0)
    rotations = _rotations_of(what, skeleton, clips, check_number(rate, f"{what}: rate", above_zero=True))
    limits: dict[str, Limit] = {}
    outside: dict[str, float] = {}
    for joint in range(len(skeleton)) if joints is None else _each(what, skeleton, joints, roles):
        index = skeleton._index_of(joint, what)
        if joints is None and (int(skeleton.parents[index]) < 0 or _is_still(rotations[index])):
            continue
        limb = limb_at(what, skeleton, index, None)
        relative = relative_to_rest(what, limb, rotations[limb.joint].astype(np.float64))
        limits[limb.name], outside[limb.name] = _limit_of(limb, relative, margin, hinge_within)
    return LearnedLimits(limits, outside)


def _each(what: str, skeleton: Skeleton, joints: Joint | Iterable[Joint], hints: Hints) -> list[Joint]:
    """Return joints with those of roles and limbs in their places."""
    found = None if hints is None else given_roles(what, skeleton, hints)
    result: list[Joint] = []
    for joint in each_joint(joints):
        if isinstance(joint, str) and joint not in skeleton.names:
            found = found or given_roles(what, skeleton, None)
            result += joints_named(found, joint, what)
        else:
            result.append(joint)
    return result


def _is_still(rotations: NDArray[Any]) -> bool:
    """Return whether unit quaternions (F, 4) are all one rotation."""
    if (rotations == rotations[0]).all():
        return True
    doubles = rotations.astype(np.float64)
    return bool(quat.angle_between(doubles, doubles[:1]).max() < STILL)


def _limit_of(limb: Limb, relative: Floats, margin: float, hinge_within: float) -> tuple[Limit, float]:
    """Return a hinge where one axis explains the motion, else an elliptic cone; and what poses exceed."""
    axis = nearest_axis(relative)
    if axis is not None:
        swing, twist = swing_and_twist(relative, axis)
        axis, twist = positive_at_largest(axis, twist)
        if lengths(swing).max() <= hinge_within:
            hinge = Hinge(*hinge_about(axis, twist, margin + ROUNDING))
            return hinge, float(excess_about(hinge, swing, twist).max())
    about = limb.bone
    if about is None:
        about = axis if axis is not None else np.array([0.0, 1.0, 0.0])
    swing, twist = swing_and_twist(relative, about)
    cone = SwingTwist(*cone_about(about, swing, twist, margin + ROUNDING))
    return cone, float(excess_about(cone, swing, twist).max())


def _rotations_of(
    what: str, skeleton: Skeleton, clips: Clip | Iterable[Clip] | Mapping[str, Clip], rate: float
) -> NDArray[np.floating]:
    """Return all rotations of clips at their keys and between, shape (J, F, 4)."""
    from lissom.clip import Clip as ClipType

    each_clip = [clips] if isinstance(clips, ClipType) else clips
    if isinstance(each_clip, Mapping):
        each_clip = each_clip.values()
    if not isinstance(each_clip, Iterable):
        raise TypeError(f"{what}: clips must be Clips, got {type(clips).__name__}")
    parts = []
    for clip in each_clip:
        if not isinstance(clip, ClipType):
            raise TypeError(f"{what}: clips must be Clips, got {type(clip).__name__}")
        if clip.additive:
            raise ValueError(f"{what}: clip {clip.name!r} must hold poses, got an additive clip")
        check_same_skeleton(skeleton, clip.skeleton, f"{what}: clip {clip.name!r}")
        checked_interval_count(what, clip, rate)
        frames = max(int(np.ceil(clip.duration * rate)) + 1, 1)
        # Tracks share their times, most often.
        of_tracks = set(zip(clip.tracks["times"].tolist(), clip.tracks["key_count"].tolist(), strict=True))
        times = [np.linspace(clip.start, clip.end, frames)]
        times += [clip.keys[begin : begin + count].astype(np.float64) for begin, count in sorted(of_tracks)]
        poses = clip.sample(distinct(np.concatenate(times)), loop=False)
        parts.append(np.ascontiguousarray(poses[..., 3:7].transpose(1, 0, 2)))
    if not parts:
        raise ValueError(f"{what}: clips must hold at least one clip, got none")
    return np.concatenate(parts, axis=1)
