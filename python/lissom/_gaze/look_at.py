# SPDX-License-Identifier: MIT
"""Eyes and head of a body that look at a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import quat
from lissom._base.arrays import check_out, finite_floats
from lissom._base.doors import as_html
from lissom._base.names import counted, unknown_name
from lissom._base.numbers import check_flag, check_fraction, refuse_larger
from lissom._base.pose_batch import as_poses, common_batch
from lissom._base.set_module import set_module
from lissom._gaze.aimed import chain_of_head, with_exact_eye, with_head
from lissom._gaze.directions import Floats, angles_to, eye_turns, rotations_of
from lissom._gaze.gaze_range import RANGES, GazeRange
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint
from lissom._roles.roles import roles_of
from lissom.ik._axes import three_numbers, unit_axis
from lissom.ik._limits import Limit

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._gaze.stated import StatedLookAt

__all__ = ["LookAt"]

KINDS = ("bone", "expression")
EYES = ("leftEye", "rightEye")


@set_module("lissom")
class LookAt:
    """Eyes that look at a point, and a head that turns to it.

    Eyes turn less than the target is to the side, as drawn faces need: by a range for each direction.
    Where a face has no joints for its eyes, expressions move them, and `expressions` gives their weights.

    Parameters
    ----------
    body : Character or Skeleton
    kind : {"bone", "expression"}, optional
        What moves the eyes. All that is omitted is what the file says: ``lookAt`` of VRM 1, ``firstPerson``
        of VRM 0; "bone" for other files.
    head : str or int, optional
        The joint that carries the eyes; the head of `lissom.roles` for files that say nothing.
    eyes : pair of str or int, optional
        Left and right eye, descendants of the head.
    offset : array_like of float, shape (3,), optional
        The point between the eyes, in the head's frame; for other files, the middle of the eyes at rest.
    front : array_like of float, shape (3,), optional
        Where the face looks at rest, in model space; +z for other files. Heads of VRM 0 look to -z.
    ranges : mapping of str to GazeRange, optional
        How far eyes turn: "inner", to the nose; "outer"; "down"; "up". Those that are left out are the
        file's, or 10 degrees for a target at 90. Expressions go by "outer", "down" and "up".
    limits : mapping of str to ik.SwingTwist, ik.BallSocket or ik.Hinge, optional
        Of the head and of the neck, by joint, for `poses` with a head that turns; 40 degrees to either side
        and 30 up, down and sideways for each if omitted.

    Attributes
    ----------
    skeleton : Skeleton
    kind, head, eyes, offset, front, ranges
        As above; joints are names, `eyes` is empty where there are none.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If no head is found or named, a joint is unknown, an eye is not below the head, or a number is not
        finite.

    See Also
    --------
    ik.aim : any chain of joints that looks at a target.

    Notes
    -----
    Yaw and pitch are those from the head, as it is in the pose, to the target [1]_. VRM's degrees are radians
    here. three-vrm 3.5.5 takes the range "down" for eyes that look up, and the reverse; here, as in the
    specification, each has its own, and curves of VRM 0 count.

    References
    ----------
    .. [1] VRM Consortium, VRMC_vrm 1.0, lookAt.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> gaze = lissom.LookAt(hero)
    >>> gaze
    <LookAt: bone, head 'Head', no eyes>
    >>> pose = gaze.poses(hero.skeleton.rest, [1.0, 1.6, 1.0], head=1.0)
    >>> np.degrees(gaze.angles(hero.skeleton.rest, [1.0, 1.55, 1.0])).round(1)  # to the left, and up
    array([44.6, -0.9])
    """

    def __init__(
        self,
        body: Character | Skeleton,
        *,
        kind: Literal["bone", "expression"] | None = None,
        head: Joint | None = None,
        eyes: Sequence[Joint] | None = None,
        offset: ArrayLike | None = None,
        front: ArrayLike | None = None,
        ranges: Mapping[str, GazeRange] | None = None,
        limits: Mapping[Any, Limit] | None = None,
    ) -> None:
        skeleton = body if isinstance(body, Skeleton) else getattr(body, "skeleton", None)
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"LookAt: body must be a Character or a Skeleton, got {type(body).__name__}")
        stated: StatedLookAt | None = skeleton._stated_look_at
        if kind is not None and kind not in KINDS:
            raise ValueError(f"LookAt: kind must be 'bone' or 'expression', got {kind!r}")
        self._skeleton = skeleton
        self._kind: str = kind or ("bone" if stated is None else stated.kind)
        self._neck: int | None = None
        self._head = self._head_joint(body, head)
        self._eyes = self._eye_joints(eyes)
        rest = skeleton.model_matrices(skeleton.rest.astype(np.float64))
        self._rest_turns = rotations_of(rest)
        if front is None:
            front = (0.0, 0.0, 1.0) if stated is None else stated.front
        self._front = unit_axis("LookAt: front", front)
        if offset is None:
            offset = self._between_eyes(rest) if stated is None or head is not None else stated.offset
        place = finite_floats(offset, "LookAt: offset", (3,))
        refuse_larger(place, "LookAt: offset")
        self._offset = three_numbers(place)
        usual = (GazeRange(),) * 4 if stated is None else stated.ranges
        self._ranges = dict(zip(RANGES, usual, strict=True)) | _checked_ranges(ranges)
        self._limits = limits
        self._head_chain = chain_of_head(skeleton, self._head, self._neck, self._rest_turns, limits)

    def __reduce__(self) -> tuple[Any, ...]:
        made_of = (self._skeleton, self._kind, self._head, self._eyes, self._offset, self._front)
        state = {"_neck": self._neck, "_head_chain": self._head_chain}
        return _restored, (type(self), *made_of, self._ranges, self._limits), state

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the poses."""
        return self._skeleton

    @property
    def kind(self) -> str:
        """What moves the eyes: "bone" or "expression"."""
        return self._kind

    @property
    def head(self) -> str:
        """The joint that carries the eyes."""
        return self._skeleton.names[self._head]

    @property
    def eyes(self) -> tuple[str, ...]:
        """Left and right eye; empty where there are none."""
        return tuple(self._skeleton.names[eye] for eye in self._eyes)

    @property
    def offset(self) -> tuple[float, float, float]:
        """The point between the eyes, in the head's frame."""
        return self._offset

    @property
    def front(self) -> tuple[float, float, float]:
        """Where the face looks at rest, in model space; unit."""
        return self._front

    @property
    def ranges(self) -> Mapping[str, GazeRange]:
        """How far eyes turn: "inner", "outer", "down", "up". Read-only."""
        return MappingProxyType(self._ranges)

    _repr_html_ = as_html

    def __repr__(self) -> str:
        eyes = counted(len(self._eyes), "eye") if self._eyes else "no eyes"
        return f"<LookAt: {self._kind}, head {self.head!r}, {eyes}>"

    def angles(self, poses: ArrayLike, targets: ArrayLike) -> NDArray[np.float64]:
        """Return the directions from the eyes to targets.

        Parameters
        ----------
        poses : array_like of float, shape (..., J, 10)
            Local trs. Leading axes broadcast with those of `targets`.
        targets : array_like of float, shape (..., 3)
            Positions in model space.

        Returns
        -------
        ndarray of float64, shape (..., 2)
            Yaw and pitch from where the head faces, radians: positive to the left and below.

        Raises
        ------
        TypeError, ValueError
            If an argument is of another type or shape, or not finite.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> eye = hero.skeleton.positions(hero.skeleton.rest)[hero.skeleton.index("Head")]
        >>> gaze = lissom.LookAt(hero)
        >>> np.degrees(gaze.angles(hero.skeleton.rest, eye + [[0, 0, 1], [1, 0, 1]])).round(3) + 0.0
        array([[ 0.,  0.],
               [45.,  0.]])
        """
        what = "LookAt.angles"
        given, points, _ = self._given(what, poses, targets)
        yaw, pitch = self._angles(what, given, points)
        return np.stack(np.broadcast_arrays(yaw, pitch), axis=-1)

    def poses(
        self,
        poses: ArrayLike,
        targets: ArrayLike,
        *,
        head: float = 0.0,
        exact: bool = False,
        out: NDArray[Any] | None = None,
    ) -> NDArray[Any]:
        """Return poses whose eyes look at targets.

        Parameters
        ----------
        poses : array_like of float, shape (..., J, 10)
            Local trs with unit rotations. Leading axes broadcast with those of `targets`.
        targets : array_like of float, shape (..., 3)
            Positions to look at, in model space.
        head : float
            From 0, eyes alone, to 1: neck and head turn to the target as far as their limits allow, by
            `ik.aim`; then the eyes.
        exact : bool
            Whether lines of sight meet the target, each eye by `ik.aim` within an ellipse of the largest
            angles of `ranges`. If False, both eyes turn alike, by `ranges`, as VRM says.
        out : ndarray, shape (..., J, 10), optional
            Written in place and returned; of the type of the poses, in any memory order.

        Returns
        -------
        ndarray, shape (..., J, 10)
            Rotations of eyes, and with `head` those of neck and head, are replaced. float64 for float64
            poses, else float32.

        Raises
        ------
        TypeError, ValueError
            If an argument is of another type or shape, or not finite; or there is nothing to turn: no eyes,
            or eyes that expressions move, and `head` is 0. Nothing is written then.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> gaze = lissom.LookAt(hero)
        >>> walk = hero.clips["walk"].sample([0.0, 0.3])
        >>> gaze.poses(walk, [1.0, 1.5, 2.0], head=0.7).shape
        (2, 34, 10)
        """
        what = "LookAt.poses"
        share = check_fraction(head, f"{what}: head")
        is_exact = check_flag(exact, f"{what}: exact")
        turns_eyes = self._kind == "bone" and bool(self._eyes)
        if not turns_eyes and not share:
            reason = (
                "expressions move the eyes of this body: LookAt.expressions gives their weights"
                if self._kind == "expression"
                else "this body has no joints of eyes: LookAt(eyes=) names them"
            )
            raise ValueError(f"{what}: head must be above 0 here, got {head}; {reason}")
        given, points, batch = self._given(what, poses, targets)
        shape = (*batch, len(self._skeleton), 10)
        if out is not None:
            check_out(out, f"{what}: out", shape, given.dtype, contiguous=False)
        result = np.array(np.broadcast_to(given, shape))
        if share:
            head_turn = self._rest_turns[self._head]
            result = with_head(self._head_chain, head_turn, self._front, self._offset, result, points, share)
        if turns_eyes and is_exact:
            for eye in self._eyes:
                turn = self._rest_turns[eye]
                result = with_exact_eye(self._skeleton, eye, turn, self._front, self._ranges, result, points)
        elif turns_eyes:
            for eye, turn in self._eyes_turned(*self._angles(what, result, points)).items():
                result[..., eye, 3:7] = turn
        if out is None:
            return result
        out[...] = result
        return out

    def expressions(self, poses: ArrayLike, targets: ArrayLike) -> dict[str, NDArray[np.float64]]:
        """Return the weights of the expressions that move the eyes.

        Parameters
        ----------
        poses : array_like of float, shape (..., J, 10)
            Local trs. Leading axes broadcast with those of `targets`.
        targets : array_like of float, shape (..., 3)
            Positions to look at, in model space.

        Returns
        -------
        dict of str to ndarray of float64, shape (...)
            "lookLeft", "lookRight", "lookUp" and "lookDown", from 0 to 1.

        Raises
        ------
        TypeError, ValueError
            If an argument is of another type or shape, or not finite; or joints move the eyes.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> to_90 = lissom.GazeRange(np.radians(90), 1.0)
        >>> gaze = lissom.LookAt(hero, kind="expression", ranges={"outer": to_90, "up": to_90, "down": to_90})
        >>> weights = gaze.expressions(hero.skeleton.rest, [1.0, 1.53, 1.0])
        >>> {name: round(float(weight), 2) for name, weight in weights.items()}
        {'lookLeft': 0.5, 'lookRight': 0.0, 'lookUp': 0.0, 'lookDown': 0.0}
        """
        what = "LookAt.expressions"
        if self._kind != "expression":
            raise ValueError(f"{what}: joints move the eyes of this body; LookAt.poses turns them")
        given, points, _ = self._given(what, poses, targets)
        yaw, pitch = self._angles(what, given, points)
        return expression_weights(self, yaw, pitch)

    def _given(
        self, what: str, poses: ArrayLike, targets: ArrayLike
    ) -> tuple[NDArray[Any], Floats, tuple[int, ...]]:
        given = as_poses(poses, f"{what}: poses")
        self._skeleton._require_poses(given, what)
        if not np.isfinite(given).all():
            raise ValueError(f"{what}: poses must be finite, got NaN or infinity")
        points = finite_floats(targets, f"{what}: targets")
        if points.ndim < 1 or points.shape[-1] != 3:
            raise ValueError(f"{what}: targets must have shape (..., 3), got {points.shape}")
        refuse_larger(points, f"{what}: targets")
        return given, points, common_batch(what, (given.shape[:-2], points.shape[:-1]))

    def _angles(self, what: str, poses: NDArray[Any], points: Floats) -> tuple[Floats, Floats]:
        matrices = self._skeleton.model_matrices(poses)[..., self._head, :, :].astype(np.float64)
        if not np.isfinite(matrices).all():
            raise ValueError(f"{what}: poses must be of numbers that {poses.dtype} can multiply")
        eye = matrices[..., :3, :3] @ np.array(self._offset) + matrices[..., :3, 3]
        # From the head as it is to the head at rest, where the front is known.
        back = quat.multiply(self._rest_turns[self._head], quat.conjugate(rotations_of(matrices)))
        return angles_to(np.asarray(quat.rotate(back, points - eye)), np.array(self._front))

    def _eyes_turned(self, yaw: Floats, pitch: Floats) -> dict[int, Floats]:
        """Return local rotations (..., 4) of both eyes, by joint; none where there are no eyes."""
        sides = (("outer", "inner"), ("inner", "outer"))
        return {
            eye: self._eye_rotations(eye, yaw, pitch, *side)
            for eye, side in zip(self._eyes, sides[: len(self._eyes)], strict=True)
        }

    def _eye_rotations(self, eye: int, yaw: Floats, pitch: Floats, to_left: str, to_right: str) -> Floats:
        """Return local rotations (..., 4) of an eye; ranges are named for turns to the left and the right."""
        turned = eye_turns(
            np.where(yaw < 0, -self._ranges[to_right].map(-yaw), self._ranges[to_left].map(yaw)),
            np.where(pitch < 0, -self._ranges["up"].map(-pitch), self._ranges["down"].map(pitch)),
            np.array(self._front),
        )
        above = int(self._skeleton.parents[eye])
        rest = self._rest_turns[above] if above >= 0 else np.array([0.0, 0, 0, 1])
        local = quat.multiply(quat.conjugate(rest), quat.multiply(turned, rest))
        return np.asarray(
            quat.multiply(local, quat.normalize(self._skeleton.rest[eye, 3:7].astype(np.float64)))
        )

    def _head_joint(self, body: Character | Skeleton, given: Joint | None) -> int:
        names = self._skeleton.names
        found = dict(self._skeleton._stated_roles)
        if "head" not in found:
            found = roles_of("LookAt", body, None).joints
        if given is None and "head" not in found:
            raise ValueError("LookAt: head must be named, as no joint is one by its name or place")
        head = self._skeleton._index_of(found["head"] if given is None else given, "LookAt: head")
        neck = found.get("neck")
        if neck is not None and neck != names[head] and self._skeleton.is_in_hierarchy(head, neck):
            self._neck = self._skeleton.index(neck)
        return head

    def _eye_joints(self, given: Sequence[Joint] | None) -> tuple[int, ...]:
        what = "LookAt: eyes"
        if given is None:
            stated = self._skeleton._stated_roles
            given = [stated[role] for role in EYES if role in stated]
            given = given if len(given) == len(EYES) else ()
        if isinstance(given, str) or not isinstance(given, Sequence):
            raise TypeError(f"{what} must be a pair of joints, left and right, got {type(given).__name__}")
        if len(given) not in (0, len(EYES)):
            raise ValueError(f"{what} must be a pair of joints, left and right, got {len(given)}")
        eyes = tuple(self._skeleton._index_of(eye, what) for eye in given)
        for eye in eyes:
            if eye == self._head or not self._skeleton.is_in_hierarchy(eye, self._head):
                raise ValueError(
                    f"{what} must be below the head {self.head!r}, got {self._skeleton.names[eye]!r}"
                )
        return eyes

    def _between_eyes(self, rest: Floats) -> Floats:
        """Return the middle of the eyes in the head's frame; its origin where there are none."""
        frame = rest[self._head]
        if not self._eyes or np.linalg.det(frame[:3, :3]) == 0:
            return np.zeros(3)
        middle = rest[list(self._eyes), :3, 3].mean(axis=0)
        return np.asarray(np.linalg.solve(frame[:3, :3], middle - frame[:3, 3]))


def expression_weights(look_at: LookAt, yaw: Floats, pitch: Floats) -> dict[str, Floats]:
    """Return weights, (...) each, of the expressions that look to yaw and pitch."""
    ranges = look_at.ranges
    weights = {
        "lookLeft": ranges["outer"].map(yaw),
        "lookRight": ranges["outer"].map(-yaw),
        "lookUp": ranges["up"].map(-pitch),
        "lookDown": ranges["down"].map(pitch),
    }
    sides = {"lookLeft": yaw >= 0, "lookRight": yaw < 0, "lookUp": pitch < 0, "lookDown": pitch >= 0}
    return {name: np.clip(np.where(sides[name], weight, 0), 0, 1) for name, weight in weights.items()}


def _checked_ranges(ranges: Mapping[str, GazeRange] | None) -> dict[str, GazeRange]:
    if ranges is None:
        return {}
    if not isinstance(ranges, Mapping):
        raise TypeError(f"LookAt: ranges must be a mapping of GazeRange, got {type(ranges).__name__}")
    for name, each in ranges.items():
        if name not in RANGES:
            raise ValueError(f"LookAt: ranges: {unknown_name('range', str(name), RANGES)}")
        if not isinstance(each, GazeRange):
            raise TypeError(f"LookAt: ranges must be a mapping of GazeRange, got {type(each).__name__}")
    return dict(ranges)


def _restored(
    cls: type[LookAt], skeleton: Skeleton, kind: Any, head: int, eyes: Any, offset: Any, *rest: Any
) -> LookAt:
    front, ranges, limits = rest
    return cls(
        skeleton, kind=kind, head=head, eyes=eyes, offset=offset, front=front, ranges=ranges, limits=limits
    )
