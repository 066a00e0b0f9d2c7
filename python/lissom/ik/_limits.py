# SPDX-License-Identifier: MIT
"""Limits of joints about their own rest frames: BallSocket, Hinge, SwingTwist."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from lissom import quat
from lissom._base.vectors import lengths
from lissom.ik._angles import Range, angle_range, as_text, half_angle, number_text, optional_range, two_of
from lissom.ik._axes import Floats, Vector, three_numbers, unit_axis
from lissom.ik._fitting import cone_about, enclosing_range, hinge_about, nearest_axis, positive_at_largest
from lissom.ik._joint_rotations import observed, swing_and_twist
from lissom.ik._limb import Limb

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skeleton_arrays import Joint
    from lissom.clip import Clip

# As the core takes it: kind, axes (joint_from_limit, x y z w), half angles, low, high.
Prepared: TypeAlias = tuple[int, tuple[float, float, float, float], Range, float, float]

_HINGE, _CONE = 1, 2
_UNBOUNDED = (-4.0, 4.0)  # radians: a range that holds the whole circle
_Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class BallSocket:
    """A round cone: the joint swings by up to an angle in every direction.

    With q the local rotation and ``q = rest * d``, the swing of d, which moves the child's direction, and the
    twist about that direction are bounded separately.

    Parameters
    ----------
    half_angle : float
        Largest angle between the direction to the chain's next joint and that direction in the rest pose,
        radians, at least 0. From pi on all directions are allowed.
    twist : (float, float), optional
        Lowest and highest angle of rotation about that direction, radians, relative to the rest pose.
        Unbounded if omitted.

    Raises
    ------
    TypeError, ValueError
        If an angle is not a finite number or beyond two turns, `half_angle` is negative, or the lowest twist
        is above the highest.

    Examples
    --------
    >>> shoulder = lissom.ik.BallSocket(1.5, twist=(-1.0, 1.0))
    >>> shoulder
    BallSocket(half_angle=1.5, twist=(-1, 1))
    """

    half_angle: float
    twist: Range | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "half_angle", half_angle("BallSocket: half_angle", self.half_angle))
        object.__setattr__(self, "twist", optional_range("BallSocket: twist", self.twist))

    @classmethod
    def from_poses(
        cls,
        skeleton: Skeleton,
        joint: Joint,
        poses: ArrayLike,
        *,
        child: Joint | None = None,
        margin: float = 0.0,
    ) -> BallSocket:
        """Return the smallest limit of this kind that holds the rotations of a joint in poses.

        Parameters
        ----------
        skeleton : Skeleton
        joint : str or int
        poses : array_like of float, shape (..., J, 10)
            Local trs, at least one pose.
        child : str or int, optional
            The next joint of the chain, which the cone opens to; the child with most descendants if omitted.
        margin : float
            Added to all bounds, radians, at least 0.

        Returns
        -------
        BallSocket
            Its cone is round and about the rest pose, so it may be much wider than the motion:
            `SwingTwist.from_poses` fits closer.

        Raises
        ------
        TypeError, ValueError
            If there is no such joint, a shape is wrong, a pose is not finite, or the bone has no length.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> walk = hero.clips["walk"].sample(np.linspace(0, 1, 60))
        >>> lissom.ik.BallSocket.from_poses(hero.skeleton, "UpperLeg.L", walk, margin=0.1)
        BallSocket(half_angle=0.6601, twist=(-0.1166, 0.1128))
        """
        what = "BallSocket.from_poses"
        limb, relative, slack = observed(what, skeleton, joint, poses, child, margin)
        swing, twist = swing_and_twist(relative, limb.direction(what))
        return cls(float(lengths(swing).max()) + slack, enclosing_range(twist, slack))

    def __repr__(self) -> str:
        more = f", twist={as_text(self.twist)}" if self.twist else ""
        return f"BallSocket(half_angle={number_text(self.half_angle)}{more})"

    def _resolve(self, limb: Limb, what: str) -> BallSocket:
        """Return this limit for a joint, with all axes filled in. `what` begins messages."""
        limb.direction(what)
        return self

    def _prepare(self, limb: Limb, what: str) -> Prepared:
        """Return this limit for a joint as the core takes it."""
        axes = quat.from_to(_Z, limb.direction(what))
        low, high = self.twist or _UNBOUNDED
        return _CONE, _unit_quat(axes), (self.half_angle, self.half_angle), low, high


@dataclass(frozen=True)
class Hinge:
    """One axis: the joint rotates about it and no other.

    With q the local rotation, ``q = rest * d``, d rotates about `axis` by an angle within the range.

    Parameters
    ----------
    axis : array_like of float, shape (3,), or None
        In the joint's own frame; of any length except zero. None: the chain determines it, see `from_rest`.
    low, high : float
        Lowest and highest angle, radians, right-handed about the axis.
    zero : {"rest", "straight"}
        Pose of angle 0: the rest pose, or the straight limb.
    clip : Clip, optional
        A clip that bends the joint, where `axis` is None and the rest pose is straight.

    Raises
    ------
    TypeError, ValueError
        If an angle is not a finite number or beyond two turns, `low` is above `high`, the axis is zero or not
        three finite numbers, or both an axis and a clip are passed.

    Examples
    --------
    >>> elbow = lissom.ik.Hinge((0, 1, 0), 0.0, 2.5)
    >>> elbow
    Hinge(axis=(0.0, 1.0, 0.0), low=0, high=2.5)
    """

    axis: Vector | None
    low: float
    high: float
    zero: Literal["rest", "straight"] = "rest"
    clip: Clip | None = None

    def __post_init__(self) -> None:
        low, high = angle_range("Hinge: low and high", (self.low, self.high))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        if self.axis is not None:
            object.__setattr__(self, "axis", unit_axis("Hinge: axis", self.axis))
        if self.zero not in ("rest", "straight"):
            raise ValueError(f"Hinge: zero must be 'rest' or 'straight', got {self.zero!r}")
        if self.clip is not None:
            from lissom.clip import Clip

            if not isinstance(self.clip, Clip):
                raise TypeError(f"Hinge: clip must be a Clip, got {type(self.clip).__name__}")
            if self.axis is not None:
                raise ValueError("Hinge: axis must be None beside a clip, which determines it, got both")

    @classmethod
    def from_rest(
        cls,
        low: float,
        high: float,
        *,
        zero: Literal["rest", "straight"] = "rest",
        clip: Clip | None = None,
    ) -> Hinge:
        """Return a hinge about the axis that the limb is bent about; positive angles bend it further.

        Parameters
        ----------
        low, high : float
            Lowest and highest angle, radians.
        zero : "rest" or "straight"
            Pose of angle 0: the rest pose, or the straight limb, so that ``(0.0, 2.6)`` is the range of a
            knee however far the rest pose bends it.
        clip : Clip, optional
            A clip that bends the joint, where the rest pose is straight. Its largest bend is positive.

        Returns
        -------
        Hinge
            Its axis is None; `Chain.limits` has the one that the chain determined.

        Raises
        ------
        TypeError, ValueError
            As for `Hinge`; and when the chain is made, if neither the rest pose nor the clip bends the
            joint.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> knee = lissom.ik.Hinge.from_rest(0.0, 2.6, zero="straight")
        >>> leg = lissom.ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L", limits={"LowerLeg.L": knee})
        >>> leg.limits  # the rest pose is bent by 0.0886 radians
        (None, Hinge(axis=(0.999, 0.0125, -0.0439), low=-0.0886, high=2.511), None)
        """
        return cls(None, low, high, zero, clip)

    @classmethod
    def from_poses(
        cls,
        skeleton: Skeleton,
        joint: Joint,
        poses: ArrayLike,
        *,
        axis: ArrayLike | None = None,
        margin: float = 0.0,
    ) -> Hinge:
        """Return the hinge that holds the rotations of a joint in poses most closely.

        Parameters
        ----------
        skeleton : Skeleton
        joint : str or int
        poses : array_like of float, shape (..., J, 10)
            Local trs, at least one pose.
        axis : array_like of float, shape (3,), optional
            In the joint's own frame. If omitted, the axis that the rotations deviate from least; the largest
            angle about it is positive.
        margin : float
            Added to both bounds, radians, at least 0.

        Returns
        -------
        Hinge
            The range holds all poses. No hinge holds rotations off its axis: `excess` measures them.

        Raises
        ------
        TypeError, ValueError
            If there is no such joint, a shape is wrong, a pose is not finite, or the poses do not rotate the
            joint away from rest and no axis is passed.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> walk = hero.clips["walk"].sample(np.linspace(0, 1, 60))
        >>> lissom.ik.Hinge.from_poses(hero.skeleton, "LowerLeg.L", walk)
        Hinge(axis=(0.998, 0.0129, -0.0626), low=0.0577, high=0.9736)
        """
        what = "Hinge.from_poses"
        limb, relative, slack = observed(what, skeleton, joint, poses, None, margin)
        fitted = nearest_axis(relative) if axis is None else np.array(unit_axis(f"{what}: axis", axis))
        if fitted is None:
            raise ValueError(
                f"{what}: poses must rotate joint {limb.name!r} to determine an axis, got none that do; pass "
                "axis="
            )
        twist = swing_and_twist(relative, fitted)[1]
        if axis is None:
            fitted, twist = positive_at_largest(fitted, twist)
        return cls(*hinge_about(fitted, twist, slack))

    def _resolve(self, limb: Limb, what: str) -> Hinge:
        """Return this limit for a joint, with all axes filled in. `what` begins messages."""
        axis: Floats = limb.bend_axis(what, self.clip) if self.axis is None else np.array(self.axis)
        shift = limb.bend_angle(axis) if self.zero == "straight" else 0.0
        return Hinge(three_numbers(axis), self.low - shift, self.high - shift)

    def _prepare(self, limb: Limb, what: str) -> Prepared:
        """Return this limit for a joint as the core takes it."""
        resolved = self._resolve(limb, what)
        axes = quat.from_to(_Z, np.array(resolved.axis))
        return _HINGE, _unit_quat(axes), (0.0, 0.0), resolved.low, resolved.high

    def __repr__(self) -> str:
        zero = f", zero={self.zero!r}" if self.zero != "rest" else ""
        if self.axis is not None:
            x, y, z = (round(number, 4) + 0.0 for number in self.axis)
            low, high = number_text(self.low), number_text(self.high)
            return f"Hinge(axis=({x}, {y}, {z}), low={low}, high={high}{zero})"
        clip = f", clip={self.clip.name!r}" if self.clip is not None else ""
        return f"Hinge.from_rest({self.low:g}, {self.high:g}{zero}{clip})"


@dataclass(frozen=True)
class SwingTwist:
    """An elliptic cone and a range of twist.

    With q the local rotation and ``q = rest * d``, d = swing * twist: the twist rotates about `axis`, the
    swing about a direction perpendicular to it. The swing's rotation vector (its axis times its angle) must
    lie within the ellipse whose half axes are the half angles.

    Parameters
    ----------
    half_angles : (float, float)
        Largest swing about `across`, and about ``cross(axis, across)``; radians, at least 0.
    twist : (float, float), optional
        Lowest and highest angle about `axis`, radians. Unbounded if omitted.
    axis : array_like of float, shape (3,), optional
        In the joint's own frame. The direction to the chain's next joint in the rest pose if omitted.
    across : array_like of float, shape (3,), optional
        In the joint's own frame; its part perpendicular to `axis` counts. If omitted, the x axis or the y
        axis, whichever is farther from `axis`.

    Raises
    ------
    TypeError, ValueError
        If an angle is not a finite number or beyond two turns, a half angle is negative, the lowest twist is
        above the highest, an axis is zero or not three finite numbers, or the two are parallel.

    Examples
    --------
    >>> hip = lissom.ik.SwingTwist((1.9, 0.8), twist=(-0.6, 0.6), across=(1, 0, 0))
    >>> hip
    SwingTwist(half_angles=(1.9, 0.8), twist=(-0.6, 0.6), across=(1, 0, 0))
    """

    half_angles: Range
    twist: Range | None = None
    axis: Vector | None = None
    across: Vector | None = None

    def __post_init__(self) -> None:
        what = "SwingTwist: half_angles"
        first, second = (
            half_angle(what, angle) for angle in two_of(f"{what} must be two numbers", self.half_angles)
        )
        object.__setattr__(self, "half_angles", (first, second))
        object.__setattr__(self, "twist", optional_range("SwingTwist: twist", self.twist))
        for name in ("axis", "across"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, unit_axis(f"SwingTwist: {name}", getattr(self, name)))
        if self.axis is not None and self.across is not None:
            _across(np.array(self.axis), self.across)

    @classmethod
    def from_poses(
        cls,
        skeleton: Skeleton,
        joint: Joint,
        poses: ArrayLike,
        *,
        axis: ArrayLike | None = None,
        child: Joint | None = None,
        margin: float = 0.0,
    ) -> SwingTwist:
        """Return the smallest elliptic cone and twist that hold the rotations of a joint in poses.

        Parameters
        ----------
        skeleton : Skeleton
        joint : str or int
        poses : array_like of float, shape (..., J, 10)
            Local trs, at least one pose.
        axis : array_like of float, shape (3,), optional
            Axis of the twist, in the joint's own frame; that of the bone in the rest pose if omitted.
        child : str or int, optional
            The joint at the other end of the bone; the child with most descendants if omitted.
        margin : float
            Added to all bounds, radians, at least 0.

        Returns
        -------
        SwingTwist
            About the rest pose; the first half angle is the larger.

        Raises
        ------
        TypeError, ValueError
            If there is no such joint, a shape is wrong, a pose is not finite, or the bone has no length and
            no axis is passed.

        Notes
        -----
        The ellipse is the smallest in area about 0 [1]_.

        References
        ----------
        .. [1] D. Titterington, "Algorithms for computing D-optimal designs on a finite design space", 1976.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> walk = hero.clips["walk"].sample(np.linspace(0, 1, 60))
        >>> arm = lissom.ik.SwingTwist.from_poses(hero.skeleton, "UpperArm.L", walk)
        >>> print([f"{np.degrees(angle):.0f} degrees" for angle in arm.half_angles])
        ['39 degrees', '31 degrees']
        """
        what = "SwingTwist.from_poses"
        limb, relative, slack = observed(what, skeleton, joint, poses, child, margin)
        about = limb.direction(what) if axis is None else np.array(unit_axis(f"{what}: axis", axis))
        return cls(*cone_about(about, *swing_and_twist(relative, about), slack))

    def __repr__(self) -> str:
        more = "".join(
            f", {name}={as_text(getattr(self, name))}"
            for name in ("twist", "axis", "across")
            if getattr(self, name) is not None
        )
        return f"SwingTwist(half_angles={as_text(self.half_angles)}{more})"

    def _resolve(self, limb: Limb, what: str) -> SwingTwist:
        """Return this limit for a joint, with all axes filled in. `what` begins messages."""
        axis = limb.direction(what) if self.axis is None else np.array(self.axis)
        return SwingTwist(
            self.half_angles, self.twist, three_numbers(axis), three_numbers(_across(axis, self.across))
        )

    def _prepare(self, limb: Limb, what: str) -> Prepared:
        """Return this limit for a joint as the core takes it."""
        resolved = self._resolve(limb, what)
        z, x = np.array(resolved.axis), np.array(resolved.across)
        axes = quat.from_matrix(np.stack([x, np.cross(z, x), z], axis=-1))
        low, high = self.twist or _UNBOUNDED
        return _CONE, _unit_quat(axes), self.half_angles, low, high


Limit: TypeAlias = BallSocket | Hinge | SwingTwist


def _across(axis: Floats, across: Vector | None) -> Floats:
    """Return the unit part of `across`, or of the farther of x and y, that is perpendicular to `axis`."""
    farther = np.eye(3)[0 if abs(axis[0]) <= abs(axis[1]) else 1]
    preferred = farther if across is None else np.array(across)
    part = preferred - (preferred @ axis) * axis
    length = np.linalg.norm(part)
    if length < 1e-6:
        raise ValueError(
            f"SwingTwist: across must not be parallel to axis {three_numbers(axis)}, got {across}"
        )
    return np.asarray(part / length)


def _unit_quat(rotation: Floats) -> tuple[float, float, float, float]:
    x, y, z, w = (rotation / math.sqrt(float(rotation @ rotation))).tolist()
    return x, y, z, w
