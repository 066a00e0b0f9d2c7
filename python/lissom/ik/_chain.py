# SPDX-License-Identifier: MIT
"""A chain of joints, prepared for solving."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core, quat
from lissom._base.arrays import read_only
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint, each_joint
from lissom._rig.skeleton_fit import is_same_skeleton
from lissom.ik._axes import perpendicular_to, unit_axis
from lissom.ik._limb import Limb, limbs_of
from lissom.ik._limits import BallSocket, Hinge, Limit, SwingTwist


class Chain:
    """Joints from a root to an effector, prepared once and solved many times.

    Parameters
    ----------
    skeleton : Skeleton
    root, effector : str or int
        The first joint that rotates, and the joint whose position meets the target, a descendant of the root.
    limits : mapping of joint to BallSocket, Hinge or SwingTwist, optional
        Limits of joints of the chain, by name or index, about their own rest frames; the others rotate
        freely. That of the effector counts where an orientation is requested.
    fixed : iterable of str or int
        Joints of the chain that keep their local rotation, such as twist joints in line.
    bend_axis : array_like of float, shape (3,), optional
        Axis that the limb bends about, in the frame of its middle joint; a straight limb starts to bend by
        positive angles about it. Taken from hinges or the rest pose if omitted.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If a joint is unknown, `effector` does not descend from `root`, a limit or a fixed joint is not in the
        chain, or a limit cannot be prepared, such as `Hinge.from_rest` for a joint that the rest pose does
        not bend. If the rest pose scales an ancestor of a joint to zero.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> leg = lissom.ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L")
    >>> leg.names
    ('UpperLeg.L', 'LowerLeg.L', 'Foot.L')
    """

    def __init__(
        self,
        skeleton: Skeleton,
        root: Joint,
        effector: Joint,
        limits: Mapping[Any, Limit] | None = None,
        *,
        fixed: Iterable[Joint] = (),
        bend_axis: ArrayLike | None = None,
    ) -> None:
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"ik.Chain: skeleton must be a Skeleton, got {type(skeleton).__name__}")
        self._skeleton = skeleton
        self._joints = read_only(skeleton._chain(root, effector, "ik.Chain"))
        self._fixed = tuple(sorted({self._own(joint, "fixed") for joint in each_joint(fixed)}))
        self._given = _mapping(limits)
        moving = [joint for joint in self._joints.tolist() if joint not in self._fixed]
        limbs = dict(zip(moving, limbs_of("ik.Chain", skeleton, moving), strict=True)) if moving else {}
        by_joint = {self._own(joint, "limits"): _checked(limit) for joint, limit in self._given.items()}
        if len(by_joint) < len(self._given):
            raise ValueError("ik.Chain: limits must name each joint once, got one by its name and its index")
        for joint in by_joint:
            if joint not in limbs:
                raise ValueError(
                    f"ik.Chain: limits must not name fixed joints, got {skeleton.names[joint]!r}, which is "
                    "in fixed="
                )
        what = "ik.Chain"
        self._by_joint = {joint: limit._resolve(limbs[joint], what) for joint, limit in by_joint.items()}
        self._prepared = [
            (joint, *limit._prepare(limbs[joint], what)) for joint, limit in self._by_joint.items()
        ]
        self._bend_axis = None if bend_axis is None else unit_axis("ik.Chain: bend_axis", bend_axis)
        self._made_tree: _core.IkTree | None = None  # _tree, once it has been asked for
        self._kept_axes: dict[Any, Any] = {}  # what ik.aim made of axes before
        self._bends = _bend_axes(limbs, self._by_joint, self._bend_axis)

    def _own(self, joint: Joint, argument: str) -> int:
        index = self._skeleton._index_of(joint, f"ik.Chain: {argument}")
        if index not in self._joints:
            names = self._skeleton.names
            raise ValueError(
                f"ik.Chain: {argument} must name joints of the chain from {self.names[0]!r} to "
                f"{self.names[-1]!r}, got {names[index]!r}"
            )
        return index

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton that the chain is part of."""
        return self._skeleton

    @property
    def joints(self) -> NDArray[np.int32]:
        """Indices from root to effector, shape (N,). Read-only."""
        return self._joints

    @property
    def names(self) -> tuple[str, ...]:
        """Names from root to effector."""
        return tuple(self._skeleton.names[joint] for joint in self._joints.tolist())

    @property
    def fixed(self) -> tuple[int, ...]:
        """Joints that keep their local rotation."""
        return self._fixed

    @property
    def limits(self) -> tuple[Limit | None, ...]:
        """Limit of each joint, root to effector, axes filled in; None where it rotates freely."""
        return tuple(self._by_joint.get(joint) for joint in self._joints.tolist())

    @property
    def bend_axes(self) -> NDArray[np.float64]:
        """Unit axes that joints bend about, shape (N, 3), in their own frames; zero where fixed."""
        return np.array([self._bends.get(joint, np.zeros(3)) for joint in self._joints.tolist()])

    @cached_property
    def length(self) -> float:
        """Sum of the bones' lengths in the rest pose, model units."""
        positions = self._skeleton.positions(self._skeleton.rest.astype(np.float64))[self._joints]
        return float(np.linalg.norm(np.diff(positions, axis=0), axis=1).sum())

    def __repr__(self) -> str:
        shown = " > ".join(
            self.names if len(self._joints) <= 5 else (*self.names[:2], "...", *self.names[-2:])
        )
        limited = f", {len(self._by_joint)} limits" if self._by_joint else ""
        return f"<Chain: {shown}, length {self.length:.4g}{limited}>"

    def __reduce__(self) -> tuple[Any, ...]:
        joints = self._joints.tolist()
        return _rebuilt, (self._skeleton, joints[0], joints[-1], self._given, self._fixed, self._bend_axis)

    def __copy__(self) -> Chain:
        return self  # it never changes

    def __deepcopy__(self, memo: dict[int, Any]) -> Chain:
        return self

    @cached_property
    def _tree(self) -> _core.IkTree:
        self._made_tree = tree_of((self,))
        return self._made_tree


def tree_of(chains: tuple[Chain, ...]) -> _core.IkTree:
    """Return chains of one skeleton as the core takes them, prepared to be solved together.

    Messages begin with "ik: ", as those of the core do: `lissom.ik._solve.prepared` names the solver instead.
    """
    skeleton = chains[0].skeleton
    limits: dict[int, Any] = {}
    bends: dict[int, NDArray[np.float64]] = {}
    for chain in chains:
        if not is_same_skeleton(skeleton, chain.skeleton, rest=True):
            raise ValueError(
                "ik: chains must be of one skeleton, got some whose joints or rest poses differ; make all of "
                "them from the skeleton of the poses"
            )
        for prepared in chain._prepared:
            if limits.setdefault(prepared[0], prepared) != prepared:
                name = skeleton.names[prepared[0]]
                raise ValueError(
                    f"ik: chains that share joint {name!r} must hold the same limit for it, got two that "
                    "differ"
                )
        for joint, axis in chain._bends.items():
            bends.setdefault(joint, axis)
    fixed = set().union(*(chain.fixed for chain in chains))
    for joint in sorted(fixed & limits.keys()):
        raise ValueError(
            f"ik: chains must agree about joint {skeleton.names[joint]!r}, got one in which it is fixed and "
            "one in which it has a limit; fix it in all of them or in none"
        )
    return _core.IkTree(
        skeleton.parents,
        skeleton.rest,
        list(skeleton.names),
        [chain.joints.tolist() for chain in chains],
        sorted(fixed),
        list(limits.values()),
        [(joint, axis.tolist()) for joint, axis in bends.items()],
    )


@lru_cache(maxsize=64)
def cached_tree(chains: tuple[Chain, ...]) -> _core.IkTree:
    """Return `tree_of` chains, cached for the last few lists of chains that were solved."""
    return tree_of(chains)


def _mapping(limits: object) -> dict[Any, Limit]:
    if limits is None:
        return {}
    if not isinstance(limits, Mapping):
        raise TypeError(
            f"ik.Chain: limits must be a mapping of joints to limits, got {type(limits).__name__}; "
            "pass {'LowerLeg.L': Hinge(...)}"
        )
    return dict(limits)


def _checked(limit: object) -> Limit:
    if not isinstance(limit, (BallSocket, Hinge, SwingTwist)):
        raise TypeError(
            f"ik.Chain: limits must be BallSocket, Hinge or SwingTwist, got {type(limit).__name__}"
        )
    return limit


def _bend_axes(
    limbs: Mapping[int, Limb], limits: Mapping[int, Limit], given: Sequence[float] | None
) -> dict[int, NDArray[np.float64]]:
    """Return the axis that each rotating joint bends about, in its own frame.

    In order of preference: `given`, a hinge's axis, the bend of the rest pose, the axis of the nearest joint
    that has one, and the perpendicular to the bone nearest to the model's x axis, since limbs mostly bend
    forwards and backwards.
    """
    joints = list(limbs)
    known: dict[int, NDArray[np.float64]] = {}
    for joint, limb in limbs.items():
        limit = limits.get(joint)
        axis = np.array(limit.axis) if isinstance(limit, Hinge) and limit.axis else limb.rest_bend()
        if axis is not None:
            known[joint] = axis
    if given is not None and joints:
        known = {joints[len(joints) // 2]: np.array(given)} | {
            joint: axis for joint, axis in known.items() if isinstance(limits.get(joint), Hinge)
        }
    if not joints:
        return {}
    skeleton = next(iter(limbs.values())).skeleton
    rotations = _model_rotations(skeleton)
    result = {}
    for index, joint in enumerate(joints):
        if joint in known:
            result[joint] = known[joint]
            continue
        axis_model = np.array([1.0, 0.0, 0.0])
        if known:
            nearest = min(known, key=lambda other: abs(joints.index(other) - index))
            axis_model = quat.rotate(rotations[nearest], known[nearest])
        axis_joint = quat.rotate(quat.conjugate(rotations[joint]), axis_model)
        bone = limbs[joint].bone
        result[joint] = axis_joint if bone is None else perpendicular_to(bone, axis_joint)
    return result


def _model_rotations(skeleton: Skeleton) -> NDArray[np.float64]:
    """Return the products of local rotations from the root down, in the rest pose, shape (J, 4)."""
    rest = quat.normalize(skeleton.rest[:, 3:7].astype(np.float64))
    result = rest.copy()
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent >= 0:
            result[joint] = quat.multiply(result[parent], rest[joint])
    return result


def _rebuilt(
    skeleton: Skeleton,
    root: int,
    effector: int,
    limits: Mapping[Any, Limit],
    fixed: Sequence[int],
    bend_axis: Sequence[float] | None,
) -> Chain:
    return Chain(skeleton, root, effector, limits, fixed=fixed, bend_axis=bend_axis)
