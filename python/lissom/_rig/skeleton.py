# SPDX-License-Identifier: MIT
"""The joints of a character: their names, their tree and where they rest."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import as_floats, read_only
from lissom._base.doors import as_html, as_png, part_of_body
from lissom._base.names import unknown_name
from lissom._base.numbers import LARGEST, check_number, whole_number
from lissom._base.set_module import set_module
from lissom._rig.rotate import rotate
from lissom._rig.skeleton_arrays import (
    Joint,
    checked_rest,
    each_joint,
    index_array,
    unique_indices,
)

if TYPE_CHECKING:
    from lissom._base.doors import Hints

__all__ = ["Skeleton"]


@set_module("lissom")
class Skeleton:
    """A tree of named joints and its rest pose.

    Parents come before their children: ``parents[i] < i``. A skeleton does not change once it is made, and
    one skeleton is shared by a character, its clips and its solvers.

    Parameters
    ----------
    names : sequence of str, length J
        The joints, each name once.
    parents : array_like of int, shape (J,)
        Index of each joint's parent, smaller than the joint's own; -1 at a root.
    rest : array_like of float, shape (J, 10)
        The rest pose: the transform of each joint relative to its parent, as translation 3 (the file's
        lengths), rotation x, y, z, w (unit within 1e-4, then normalised) and scale 3. Kept as float32.
    source_nodes : array_like of int, shape (J,), optional
        Index of the node of the source file that each joint came from, -1 for none.

    Raises
    ------
    TypeError
        If a name is not a string.
    ValueError
        If a name appears twice, a parent does not come before its child, a shape is wrong, or the rest pose
        is not finite or holds a quaternion that is not unit.

    Examples
    --------
    >>> rest = np.tile(np.float32([0, 1, 0, 0, 0, 0, 1, 1, 1, 1]), (2, 1))
    >>> arm = Skeleton(["upper", "lower"], [-1, 0], rest)
    >>> arm.positions(arm.rest)[1]
    array([0., 2., 0.], dtype=float32)
    """

    def __init__(
        self,
        names: Sequence[str],
        parents: ArrayLike,
        rest: ArrayLike,
        source_nodes: ArrayLike | None = None,
    ) -> None:
        self._names = tuple(names)
        self._indices = unique_indices(self._names)
        count = len(self._names)
        self._parents = index_array("parents", parents, count)
        self._held_parents = _core.Parents(self._parents)
        self._rest = checked_rest(rest, count)
        none = np.full(count, -1, np.int32)
        self._source_nodes = (
            read_only(none) if source_nodes is None else index_array("source_nodes", source_nodes, count)
        )
        self._stated_roles: dict[str, str] = {}  # joints by role, where the file says so, as those of VRM do
        self._stated_springs: tuple[Any, ...] = ()  # SpringChains that the file says
        self._stated_look_at: Any = None  # the StatedLookAt of the file
        self._stated_motion: Any = None  # the StatedMotion of a VRM animation

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the joints, in order."""
        return self._names

    @property
    def parents(self) -> NDArray[np.int32]:
        """Index of each joint's parent, shape (J,), -1 at a root. Read-only."""
        return self._parents

    @property
    def rest(self) -> NDArray[np.float32]:
        """The rest pose, local trs, shape (J, 10). Read-only."""
        return self._rest

    @property
    def source_nodes(self) -> NDArray[np.int32]:
        """Node of the source file behind each joint, shape (J,), -1 for none. Read-only."""
        return self._source_nodes

    @cached_property
    def size(self) -> float:
        """Diagonal of the box around the joints in the rest pose, in the file's lengths."""
        if not self._names:
            return 0.0
        positions = self.positions(self._rest.astype(np.float64))
        return float(np.linalg.norm(positions.max(axis=0) - positions.min(axis=0)))

    def __len__(self) -> int:
        return len(self._names)

    _repr_html_ = as_html
    _repr_png_ = as_png

    def __repr__(self) -> str:
        roots = [self._names[i] for i in np.flatnonzero(self._parents < 0)]
        shown = ", ".join(map(repr, roots[:3])) + (", ..." if len(roots) > 3 else "")
        return f"<Skeleton: {len(self)} joints below {shown}>" if roots else "<Skeleton: no joints>"

    def __reduce__(self) -> tuple[type[Skeleton], tuple[Any, ...], dict[str, Any]]:
        made_of = (self._names, self._parents, self._rest, self._source_nodes)
        return (
            type(self),
            made_of,
            {
                "_stated_roles": self._stated_roles,
                "_stated_springs": self._stated_springs,
                "_stated_look_at": self._stated_look_at,
                "_stated_motion": self._stated_motion,
            },
        )

    def __copy__(self) -> Skeleton:
        return self  # it never changes

    def __deepcopy__(self, memo: dict[int, Any]) -> Skeleton:
        return self

    def index(self, joint: Joint) -> int:
        """Index of a joint, given by name or by index.

        Parameters
        ----------
        joint : str or int
            A name, or an index in [0, J), which is checked and returned.

        Returns
        -------
        int

        Raises
        ------
        ValueError
            If there is no such joint; the message suggests names that are near.
        TypeError
            If `joint` is neither a string nor an integer.

        Examples
        --------
        >>> skeleton = lissom.samples.humanoid().skeleton
        >>> skeleton.names[skeleton.index("Head")]
        'Head'
        >>> skeleton.index("Hed")
        Traceback (most recent call last):
            ...
        ValueError: Skeleton.index: no joint is named 'Hed'; did you mean 'Head'?
        """
        return self._index_of(joint, "Skeleton.index")

    def _index_of(self, joint: Joint, what: str) -> int:
        """Return the index of a joint; `what` names function, or function and argument, in errors."""
        if isinstance(joint, str):
            found = self._indices.get(joint)
            if found is None:
                raise ValueError(f"{what}: {unknown_name('joint', joint, self._names)}")
            return found
        # A protocol is slow to ask, and most joints are numbers.
        is_index = type(joint) is int or (not isinstance(joint, bool) and isinstance(joint, SupportsIndex))
        if not is_index:
            raise TypeError(f"{what}: a joint must be given by name or index, got {type(joint).__name__}")
        index = operator.index(joint)
        if not 0 <= index < len(self._names):
            raise ValueError(
                f"{what}: a joint's index must be at least 0 and below {len(self._names)}, got {index}"
            )
        return index

    def chain(self, root: Joint, effector: Joint) -> NDArray[np.int32]:
        """Joints from `root` down to `effector`, both included.

        Parameters
        ----------
        root, effector : str or int
            `effector` is a descendant of `root`, or `root` itself.

        Returns
        -------
        ndarray of int32, shape (N,)
            Parents first.

        Raises
        ------
        ValueError
            If `effector` is not a descendant of `root`.

        Examples
        --------
        >>> skeleton = lissom.samples.humanoid().skeleton
        >>> [skeleton.names[joint] for joint in skeleton.chain("UpperArm.L", "Hand.L")]
        ['UpperArm.L', 'LowerArm.L', 'Hand.L']
        """
        return self._chain(root, effector, "Skeleton.chain")

    def _chain(self, root: Joint, effector: Joint, function: str) -> NDArray[np.int32]:
        """As `chain`, with errors that name the `function` that was called."""
        first, joint = self._index_of(root, function), self._index_of(effector, function)
        last = joint
        path = [joint]
        while joint > first:
            joint = int(self._parents[joint])
            path.append(joint)
        if joint != first:
            above = first
            while above > last:
                above = int(self._parents[above])
            advice = "; it is the other way round, so exchange them" if above == last else ""
            raise ValueError(
                f"{function}: {self._names[last]!r} must be a descendant of {self._names[first]!r}, "
                f"which is not among its ancestors{advice}"
            )
        return np.array(path[::-1], np.int32)

    def is_in_hierarchy(self, joint: Joint, root: Joint) -> bool:
        """Whether `joint` is `root` or a descendant of it.

        Parameters
        ----------
        joint, root : str or int

        Returns
        -------
        bool

        Raises
        ------
        ValueError, TypeError
            As `index` does.

        Examples
        --------
        >>> skeleton = lissom.samples.humanoid().skeleton
        >>> skeleton.is_in_hierarchy("Hand.L", "UpperArm.L")
        True
        >>> skeleton.is_in_hierarchy("Hand.L", "UpperArm.R")
        False
        """
        function = "Skeleton.is_in_hierarchy"
        first, index = self._index_of(root, function), self._index_of(joint, function)
        while index > first:
            index = int(self._parents[index])
        return index == first

    def mask(
        self,
        root: Joint | Iterable[Joint],
        value: float = 1.0,
        falloff: int = 0,
        *,
        roles: Hints = None,
    ) -> NDArray[np.float32]:
        """Per-joint weights: `value` at `root` and all its descendants, 0 elsewhere.

        Parameters
        ----------
        root : str or int, or a sequence of them
            Where the masked part begins. A root may be a descendant of another: the upper one counts. Or a
            part of the body, found by `lissom.roles` of this skeleton: "arms", "legs", "leftArm",
            "rightArm", "leftLeg", "rightLeg", "hands", "feet", "upperBody", "lowerBody" (the hips without
            the upper body), of animals "foreLegs", "leftForeLeg", "hindLegs" and so on; or a role such as
            "head". Arms begin at the shoulders where there are any. Feet that are no descendants of their
            legs, as in rigs exported with their controls, belong to the legs nevertheless. A joint of that
            name wins.
        value : float
            Weight of that part. `blend` takes masks from 0 to 1, `blend_layers` at least 0, `add_layer` any.
        falloff : int
            Over how many generations of joints the weight rises, from `root` on, in equal steps from 0 above
            it: a soft edge. With 2, a root has a third of `value`, its children two thirds, those below them
            all of it. At 0 the edge is hard.
        roles : Roles, mapping of str to str, or path, optional
            For parts of the body: what `lissom.roles` returned of this skeleton or its character, or hints
            to it.

        Returns
        -------
        ndarray of float32, shape (J,)
            A new array: change it, or combine masks with ``np.maximum``.

        Raises
        ------
        TypeError, ValueError
            If there is no such joint and no such part of the body, `value` is no number from -1e9 to 1e9,
            `falloff` is no integer or negative, or `roles` are of another skeleton.

        Examples
        --------
        >>> skeleton = lissom.samples.humanoid().skeleton
        >>> upper_body = skeleton.mask("Spine", falloff=2)
        >>> for name in ("Pelvis", "Spine", "Chest", "Head"):
        ...     print(name, upper_body[skeleton.index(name)].round(2))
        Pelvis 0.0
        Spine 0.33
        Chest 0.67
        Head 1.0
        >>> legs = skeleton.mask("legs")
        >>> [name for name in skeleton.names if legs[skeleton.index(name)]][:3]
        ['UpperLeg.L', 'LowerLeg.L', 'Foot.L']
        """
        steps = whole_number(falloff, "Skeleton.mask: falloff") + 1
        begins: dict[int, int] = {}
        ends: set[int] = set()
        for joint in each_joint(root):
            if isinstance(joint, str) and joint not in self._indices:
                part = part_of_body(self, joint, "Skeleton.mask", roles)
                begins = part.begins | begins
                ends |= part.ends
            else:
                begins[self._index_of(joint, "Skeleton.mask")] = 1
        # Generations from the uppermost root down, that one counted; 0 outside.
        depth = [0] * len(self)
        for joint, parent in enumerate(self._parents.tolist()):
            above = depth[parent] if parent >= 0 and joint not in ends else 0
            depth[joint] = above + 1 if above else begins.get(joint, 0)
        share = np.minimum(np.array(depth, np.float64) / steps, 1)
        return (check_number(value, "Skeleton.mask: value", largest=LARGEST) * share).astype(np.float32)

    def model_matrices(self, poses: ArrayLike, out: NDArray[Any] | None = None) -> NDArray[Any]:
        """Compute the transforms from joint space to model space.

        ``model_from_joint[i] = model_from_joint[parents[i]] @ parent_from_joint[i]``. Composed as matrices:
        non-uniform scale shears its descendants.

        Parameters
        ----------
        poses : array_like of float, shape (..., J, 10)
            Local trs. float32 and float64 keep their type, anything else is taken as float32. Rotations are
            taken as unit.
        out : ndarray, shape (..., J, 4, 4), optional
            Where to write, of the type of `poses`, C-contiguous; allocated when omitted.

        Returns
        -------
        ndarray, shape (..., J, 4, 4)
            Row-major, translation in ``[..., :3, 3]``. NaN in a pose passes through, and a product that does
            not fit the type is infinite: the numbers of a pose are not looked at one by one.

        Raises
        ------
        TypeError, ValueError
            If `out` has the wrong type or layout, or a shape does not match.

        Examples
        --------
        >>> bar = lissom.samples.twisted_bar()
        >>> model = bar.skeleton.model_matrices(bar.clips["bend"].sample([0.0, 2.0]))
        >>> model.shape
        (2, 2, 4, 4)
        >>> model[1, 1, :3, 3]  # where the tip joint stands
        array([2., 0., 0.], dtype=float32)
        >>> np.degrees(np.arctan2(model[:, 1, 1, 0], model[:, 1, 0, 0])).round(2)  # and its bend
        array([  0., 100.], dtype=float32)
        """
        found: NDArray[Any] | None = _core.plain_model_matrices(self._held_parents, poses, out)
        if found is not None:
            return found
        poses = as_floats(poses, "Skeleton.model_matrices: poses")
        if out is None:
            out = np.empty((*poses.shape[:-2], len(self._names), 4, 4), poses.dtype)
        try:
            _core.model_matrices(self._parents, poses, out)
        except ValueError:
            self._require_poses(poses, "Skeleton.model_matrices")  # says it in words of this skeleton
            raise
        return out

    def positions(self, poses: ArrayLike) -> NDArray[Any]:
        """Joint positions in model space.

        Parameters
        ----------
        poses : array_like of float, shape (..., J, 10)
            Local trs.

        Returns
        -------
        ndarray, shape (..., J, 3)
            Of the type of `poses`.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> joints = hero.skeleton.positions(hero.clips["walk"].sample([0.0, 0.1]))
        >>> joints.shape
        (2, 34, 3)
        >>> joints[:, hero.skeleton.index("Pelvis"), 1].round(3)  # metres above the ground
        array([0.919, 0.926], dtype=float32)
        """
        found: NDArray[Any] | None = _core.plain_positions(self._held_parents, poses)
        if found is not None:
            return found
        return np.ascontiguousarray(self.model_matrices(poses)[..., :3, 3])

    rotate = rotate

    def _require_poses(self, poses: NDArray[Any], function: str) -> None:
        count = len(self._names)
        if poses.shape[-2:] == (count, 10):
            return
        is_foreign = poses.ndim > 1 and poses.shape[-1] == 10
        advice = "; poses of another skeleton do not fit (Clip.bind plays a clip on this one)"
        raise ValueError(
            f"{function}: poses must have shape (..., {count}, 10) for the {count} joints of this skeleton, "
            f"got {poses.shape}{advice if is_foreign else ''}"
        ) from None
