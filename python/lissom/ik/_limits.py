# SPDX-License-Identifier: MIT
"""What a joint may do: limits about its own rest frame."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_number
from lissom.ik._limb import Limb

if TYPE_CHECKING:
    from lissom._rig.skeleton import Joint, Skeleton
    from lissom.clip import Clip

Vector: TypeAlias = tuple[float, float, float]
Range: TypeAlias = tuple[float, float]
# As the core takes it: kind, axes (joint_from_limit, x y z w), half angles, low, high.
Prepared: TypeAlias = tuple[int, tuple[float, float, float, float], Range, float, float]

_HINGE, _CONE = 1, 2
_TURNS = 4 * math.pi  # farther is no turn of a joint: degrees were given for radians
_UNBOUNDED = (-4.0, 4.0)  # beyond half a turn each way
_Z = np.array([0.0, 0.0, 1.0])


@dataclass(frozen=True)
class BallSocket:
    """A round cone: the joint swings by up to an angle in every direction.

    With q the local rotation and ``q = rest * d``, the swing of d, which moves the child's direction, and the
    twist about that direction are bounded apart.

    Parameters
    ----------
    half_angle : float
        How far the direction to the chain's next joint may lie from where the rest pose has it, radians, at
        least 0. From pi on everything is allowed.
    twist : (float, float), optional
        Lowest and highest turn about that direction, radians, relative to the rest pose. Unbounded if
        omitted.

    Raises
    ------
    TypeError, ValueError
        If an angle is no finite number or beyond two turns, `half_angle` is negative, or the lowest turn is
        above the highest.

    Examples
    --------
    >>> shoulder = lissom.ik.BallSocket(1.5, twist=(-1.0, 1.0))
    >>> shoulder
    BallSocket(half_angle=1.5, twist=(-1, 1))
    """

    half_angle: float
    twist: Range | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "half_angle", _half_angle("BallSocket: half_angle", self.half_angle))
        object.__setattr__(self, "twist", _twist("BallSocket: twist", self.twist))

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
        """Give the smallest that holds what a joint does in poses.

        Parameters
        ----------
        skeleton : Skeleton
        joint : str or int
        poses : array_like of float, shape (..., J, 10)
            Local trs, at least one pose.
        child : str or int, optional
            The next joint of the chain, which the cone opens to; the child with most joints below it if
            omitted.
        margin : float
            Added at all bounds, radians, at least 0.

        Returns
        -------
        BallSocket
            Its cone is round and about the rest pose, so it may be much wider than what was seen:
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
        from lissom.ik import _learning

        return _learning.ball_socket(skeleton, joint, poses, child, margin)

    def __repr__(self) -> str:
        more = f", twist={_shown(self.twist)}" if self.twist else ""
        return f"BallSocket(half_angle={_number(self.half_angle)}{more})"

    def _resolve(self, limb: Limb) -> BallSocket:
        """Give this limit as it holds for a joint: nothing is left to be inferred."""
        limb.direction("BallSocket")
        return self

    def _prepare(self, limb: Limb) -> Prepared:
        """Give this limit for a joint as the core takes it."""
        axes = quat.from_to(_Z, limb.direction("BallSocket"))
        low, high = self.twist or _UNBOUNDED
        return _CONE, _four(axes), (self.half_angle, self.half_angle), low, high


@dataclass(frozen=True)
class Hinge:
    """One axis: the joint turns about it and no other.

    With q the local rotation, ``q = rest * d``, d is a turn about `axis` by an angle within the range.

    Parameters
    ----------
    axis : array_like of float, shape (3,), or None
        In the joint's own frame; of any length but zero. None: the chain finds it, see `from_rest`.
    low, high : float
        Lowest and highest angle, radians, right-handed about the axis.
    zero : {"rest", "straight"}
        Where angles count from: the rest pose, or the straight limb.
    clip : Clip, optional
        Where `axis` is None and the rest pose straight: a clip that bends the joint.

    Raises
    ------
    TypeError, ValueError
        If an angle is no finite number or beyond two turns, `low` is above `high`, or the axis is zero or not
        three finite numbers, or an axis is given beside a clip.

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
        low, high = _range("Hinge: low and high", (self.low, self.high))
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
                raise ValueError("Hinge: clip finds the axis, so expects None for axis, got both")

    @classmethod
    def from_rest(
        cls,
        low: float,
        high: float,
        *,
        zero: Literal["rest", "straight"] = "rest",
        clip: Clip | None = None,
    ) -> Hinge:
        """Let the chain find the axis: what the limb is bent about, positive the way it bends further.

        Parameters
        ----------
        low, high : float
            Lowest and highest angle, radians.
        zero : "rest" or "straight"
            Where angles count from: the rest pose, or the straight limb, which makes ``(0.0, 2.6)`` all
            that a knee can do however far the rest pose bends it.
        clip : Clip, optional
            Where the rest pose is straight: a clip that bends the joint, whose largest bend is positive.

        Returns
        -------
        Hinge
            Without an axis until a `Chain` is made with it: `Chain.limits` has it.

        Raises
        ------
        TypeError, ValueError
            As for `Hinge`; and when the chain is made, where neither the rest pose nor the clip bends the
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
        """Give the axis and range that hold most closely what a joint does in poses.

        Parameters
        ----------
        skeleton : Skeleton
        joint : str or int
        poses : array_like of float, shape (..., J, 10)
            Local trs, at least one pose.
        axis : array_like of float, shape (3,), optional
            In the joint's own frame. If omitted the one that the turns stay nearest to, positive to the
            larger of them.
        margin : float
            Added at both ends, radians, at least 0.

        Returns
        -------
        Hinge
            The range holds all poses. What they turn off the axis no hinge holds: `excess` says how much
            that is.

        Raises
        ------
        TypeError, ValueError
            If there is no such joint, a shape is wrong, a pose is not finite, or the poses do not turn the
            joint away from rest and no axis is given.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> walk = hero.clips["walk"].sample(np.linspace(0, 1, 60))
        >>> lissom.ik.Hinge.from_poses(hero.skeleton, "LowerLeg.L", walk)
        Hinge(axis=(0.998, 0.0129, -0.0626), low=0.0577, high=0.9736)
        """
        from lissom.ik import _learning

        return _learning.hinge(skeleton, joint, poses, axis, margin)

    def _resolve(self, limb: Limb) -> Hinge:
        """Give this limit as it holds for a joint: nothing is left to be inferred."""
        axis: NDArray[np.float64] = (
            limb.bend_axis("Hinge.from_rest", self.clip) if self.axis is None else np.array(self.axis)
        )
        shift = limb.bend_angle(axis) if self.zero == "straight" else 0.0
        return Hinge(three_numbers(axis), self.low - shift, self.high - shift)

    def _prepare(self, limb: Limb) -> Prepared:
        """Give this limit for a joint as the core takes it."""
        resolved = self._resolve(limb)
        axes = quat.from_to(_Z, np.array(resolved.axis))
        return _HINGE, _four(axes), (0.0, 0.0), resolved.low, resolved.high

    def __repr__(self) -> str:
        zero = f", zero={self.zero!r}" if self.zero != "rest" else ""
        if self.axis is not None:
            x, y, z = (round(number, 4) + 0.0 for number in self.axis)
            return f"Hinge(axis=({x}, {y}, {z}), low={_number(self.low)}, high={_number(self.high)}{zero})"
        clip = f", clip={self.clip.name!r}" if self.clip is not None else ""
        return f"Hinge.from_rest({self.low:g}, {self.high:g}{zero}{clip})"


@dataclass(frozen=True)
class SwingTwist:
    """An elliptic cone and a range of twist.

    With q the local rotation and ``q = rest * d``, d = swing * twist: the twist turns about `axis`, the
    swing about a direction across it. The swing's rotation vector (its direction times its angle) must lie
    within the ellipse whose half axes are the half angles.

    Parameters
    ----------
    half_angles : (float, float)
        How far it may swing about `across`, and about ``cross(axis, across)``; radians, at least 0.
    twist : (float, float), optional
        Lowest and highest turn about `axis`, radians. Unbounded if omitted.
    axis : array_like of float, shape (3,), optional
        In the joint's own frame. The rest direction of the chain's next joint if omitted.
    across : array_like of float, shape (3,), optional
        In the joint's own frame; its part at a right angle to `axis` counts. The x axis if omitted, or y,
        where that is farther from `axis`.

    Raises
    ------
    TypeError, ValueError
        If an angle is no finite number or beyond two turns, a half angle is negative, the lowest twist is
        above the highest, or an axis is zero, not three finite numbers, or along the other.

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
            _half_angle(what, angle) for angle in _two(f"{what} must be two numbers", self.half_angles)
        )
        object.__setattr__(self, "half_angles", (first, second))
        object.__setattr__(self, "twist", _twist("SwingTwist: twist", self.twist))
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
        """Give the smallest elliptic cone and range of twist that hold what a joint does in poses.

        Parameters
        ----------
        skeleton : Skeleton
        joint : str or int
        poses : array_like of float, shape (..., J, 10)
            Local trs, at least one pose.
        axis : array_like of float, shape (3,), optional
            Of the twist, in the joint's own frame; that of the bone in the rest pose if omitted.
        child : str or int, optional
            Where the bone leads; the child with most joints below it if omitted.
        margin : float
            Added at all bounds, radians, at least 0.

        Returns
        -------
        SwingTwist
            About the rest pose; the first half angle is the larger.

        Raises
        ------
        TypeError, ValueError
            If there is no such joint, a shape is wrong, a pose is not finite, or the bone has no length and
            no axis is given.

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
        from lissom.ik import _learning

        return _learning.swing_twist(skeleton, joint, poses, axis, child, margin)

    def __repr__(self) -> str:
        more = "".join(
            f", {name}={_shown(getattr(self, name))}"
            for name in ("twist", "axis", "across")
            if getattr(self, name) is not None
        )
        return f"SwingTwist(half_angles={_shown(self.half_angles)}{more})"

    def _resolve(self, limb: Limb) -> SwingTwist:
        """Give this limit as it holds for a joint: nothing is left to be inferred."""
        axis = limb.direction("SwingTwist") if self.axis is None else np.array(self.axis)
        return SwingTwist(
            self.half_angles, self.twist, three_numbers(axis), three_numbers(_across(axis, self.across))
        )

    def _prepare(self, limb: Limb) -> Prepared:
        """Give this limit for a joint as the core takes it."""
        resolved = self._resolve(limb)
        z, x = np.array(resolved.axis), np.array(resolved.across)
        axes = quat.from_matrix(np.stack([x, np.cross(z, x), z], axis=-1))
        low, high = self.twist or _UNBOUNDED
        return _CONE, _four(axes), self.half_angles, low, high


Limit: TypeAlias = BallSocket | Hinge | SwingTwist


def unit_axis(what: str, value: ArrayLike) -> Vector:
    """Give an axis as three numbers of length 1."""
    axis = as_numbers(value, what).astype(np.float64)
    if axis.shape != (3,) or not np.isfinite(axis).all():
        raise ValueError(f"{what} must be three finite numbers, got {value!r}")
    largest = np.abs(axis).max()
    if largest == 0:
        raise ValueError(f"{what} must not be zero: it has no direction")
    axis /= largest
    return three_numbers(axis / np.linalg.norm(axis))


def _across(axis: NDArray[np.float64], across: Vector | None) -> NDArray[np.float64]:
    farther = np.eye(3)[0 if abs(axis[0]) <= abs(axis[1]) else 1]
    wanted = farther if across is None else np.array(across)
    part = wanted - (wanted @ axis) * axis
    length = np.linalg.norm(part)
    if length < 1e-6:
        raise ValueError(f"SwingTwist: across must not lie along axis {three_numbers(axis)}, got {across}")
    return np.asarray(part / length)


def _two(what: str, value: object) -> Sequence[object]:
    """Give a pair as it is, of an array its numbers; `what` says what it must be."""
    pair = value.tolist() if isinstance(value, np.ndarray) else value
    if isinstance(pair, (str, bytes)) or not isinstance(pair, Sequence) or len(pair) != 2:
        raise ValueError(f"{what}, got {value!r}")
    return pair


def _half_angle(what: str, value: object) -> float:
    return _radians(what, check_number(value, what, least=0))


def _radians(what: str, angle: float) -> float:
    if abs(angle) > _TURNS:
        raise ValueError(f"{what} must be in radians, got {angle:g}; np.radians(...) makes them of degrees")
    return angle


def _range(what: str, value: object) -> Range:
    pair = _two(f"{what} must be two numbers, the lowest and the highest", value)
    low, high = (_radians(what, check_number(number, what)) for number in pair)
    if low > high:
        raise ValueError(f"{what}: the lowest must not be above the highest, got {low} and {high}")
    return low, high


def _twist(what: str, value: object) -> Range | None:
    return None if value is None else _range(what, value)


def _shown(numbers: Sequence[float]) -> str:
    return "(" + ", ".join(map(_number, numbers)) + ")"


def _number(number: float) -> str:
    return f"{round(number, 4) + 0.0:.4g}"


def three_numbers(vector: NDArray[np.float64]) -> Vector:
    """Give a vector as limits hold it."""
    x, y, z = vector.tolist()
    return x, y, z


def _four(rotation: NDArray[np.float64]) -> tuple[float, float, float, float]:
    x, y, z, w = (rotation / math.sqrt(float(rotation @ rotation))).tolist()
    return x, y, z, w
