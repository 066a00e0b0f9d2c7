# SPDX-License-Identifier: MIT
"""Bones of a skeleton: the handles that weights are computed for, and the joints that these belong to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers, read_only
from lissom._base.numbers import LARGEST, check_number
from lissom._rig.skeleton import Skeleton
from lissom._rig.skeleton_arrays import Joint, each_joint
from lissom._rig.skin import Skin

__all__ = ["Bones", "bones"]

# Of the skeleton's size: a joint this near to another stands where that does.
_SAME_PLACE = 1e-6


@dataclass(frozen=True, eq=False)
class Bones:
    """Bones in model space, as all weight methods take them, and their joints.

    Made by `bones`.

    Attributes
    ----------
    skeleton : Skeleton
    handles : ndarray of float64, shape (H, 2, 3)
        Head and tail of each bone, read-only. A point has both in one place.
    joints : ndarray of int32, shape (H,)
        The joint that each bone belongs to and rotates with, read-only. A joint with several children has
        several bones.
    joint_from_bind : ndarray of float64, shape (J, 4, 4)
        Inverse of where each joint of the skeleton stands, read-only.

    Examples
    --------
    >>> bones = lissom.weights.bones(lissom.samples.twisted_bar().skeleton)
    >>> bones
    <lissom.weights.Bones: 2 bones of 2 joints>
    >>> bones.handles[0]
    array([[0., 0., 0.],
           [2., 0., 0.]])
    """

    skeleton: Skeleton
    handles: NDArray[np.float64]
    joints: NDArray[np.int32]
    joint_from_bind: NDArray[np.float64]

    @cached_property
    def skin_joints(self) -> NDArray[np.int32]:
        """The joints that have bones, each once, in order, shape (S,): the rows of `skin`."""
        return read_only(np.unique(self.joints))

    @cached_property
    def skin(self) -> Skin:
        """A skin of these joints, bound where the skeleton stands: what the reduced weights index."""
        return Skin(self.skin_joints, self.joint_from_bind[self.skin_joints])

    @property
    def boneless(self) -> tuple[str, ...]:
        """Names of the joints without a bone, which move no vertex: excluded ones, and those upon a child."""
        has_none = np.setdiff1d(np.arange(len(self.skeleton)), self.joints)
        return tuple(self.skeleton.names[joint] for joint in has_none)

    def per_joint(self, weights: ArrayLike) -> NDArray[np.float64]:
        """Sum the weights of each joint's bones.

        Parameters
        ----------
        weights : array_like, shape (V, H)
            Of the bones.

        Returns
        -------
        ndarray of float64, shape (V, S)
            Of `skin_joints`; rows sum to what they did.

        Raises
        ------
        TypeError, ValueError
            If weights are no finite numbers, or have not one column for each bone.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> bones = lissom.weights.bones(hero.skeleton)
        >>> weights = lissom.weights.inverse_distance(hero.mesh, bones)
        >>> weights.shape, bones.per_joint(weights).shape
        ((11588, 42), (11588, 34))
        """
        array = np.asarray(as_numbers(weights, "Bones.per_joint: weights"), np.float64)
        if array.ndim != 2 or array.shape[1] != len(self):
            raise ValueError(
                f"Bones.per_joint: weights must have shape (V, {len(self)}), a column for each bone, "
                f"got {array.shape}"
            )
        if not np.isfinite(array).all():
            row, column = np.argwhere(~np.isfinite(array))[0].tolist()
            raise ValueError(
                f"Bones.per_joint: weights must be finite, got {array[row, column]} for vertex {row}, "
                f"bone {column}"
            )
        summed = np.zeros((len(array), len(self.skin_joints)))
        for column, row in enumerate(np.searchsorted(self.skin_joints, self.joints)):
            summed[:, row] += array[:, column]
        return summed

    def __iter__(self) -> Iterator[NDArray[np.float64]]:
        return iter(self.handles)

    def __len__(self) -> int:
        return len(self.joints)

    def __repr__(self) -> str:
        return f"<lissom.weights.Bones: {len(self)} bones of {len(self.skin_joints)} joints>"


def bones(
    skeleton: Skeleton,
    *,
    exclude: Joint | Iterable[Joint] = (),
    leaf: float = 0.5,
    leaf_length: float | None = None,
    pose: ArrayLike | None = None,
) -> Bones:
    """Return the bones of a skeleton at rest: from each joint to each of its children.

    Parameters
    ----------
    skeleton : Skeleton
    exclude : str or int, or a sequence of them
        Joints that get no bone and end none, such as one on the floor, or twist joints: the joint above them
        reaches to those below.
    leaf : float
        Joints without children continue the bone that ends in them by this share of its length, at least 0.
        Where it is 0 they are points.
    leaf_length : float, optional
        A length in the skeleton's units instead of that share.
    pose : array_like, shape (J, 10), optional
        Where the mesh is modelled, if not at the skeleton's rest pose.

    Returns
    -------
    Bones

    Raises
    ------
    TypeError, ValueError
        If there is no such joint, a length is negative or no number, the pose has another shape or puts a
        joint where it cannot be inverted (a scale of zero), or no bone is left.

    Notes
    -----
    A child that stands upon its parent (within 1e-6 of the skeleton's size) ends no bone: both would be as
    near to every vertex. A joint with such children only has none, and `Bones.boneless` names it.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> bones = lissom.weights.bones(hero.skeleton)
    >>> bones
    <lissom.weights.Bones: 42 bones of 34 joints>
    """
    if not isinstance(skeleton, Skeleton):
        raise TypeError(f"weights.bones: skeleton must be a Skeleton, got {type(skeleton).__name__}")
    share = check_number(leaf, "weights.bones: leaf", least=0)
    length = (
        None
        if leaf_length is None
        else check_number(leaf_length, "weights.bones: leaf_length", least=0, largest=LARGEST)
    )
    left_out = {skeleton._index_of(joint, "weights.bones: exclude") for joint in each_joint(exclude)}
    at = skeleton.rest if pose is None else as_numbers(pose, "weights.bones: pose")
    if at.shape != skeleton.rest.shape:
        raise ValueError(f"weights.bones: pose must have shape {skeleton.rest.shape}, got {at.shape}")
    model = skeleton.model_matrices(np.asarray(at, np.float64))
    inverse = _inverted(skeleton, model)
    positions = model[:, :3, 3]
    above, below = _kin(skeleton, left_out)
    near = _SAME_PLACE * float(np.linalg.norm(np.ptp(positions, axis=0))) if len(positions) else 0.0

    ends: list[tuple[NDArray[np.float64], NDArray[np.float64]]] = []
    joints: list[int] = []
    for joint in range(len(skeleton)):
        if joint in left_out:
            continue
        head = positions[joint]
        if below[joint]:
            tails = [positions[child] for child in below[joint]]
            tails = [tail for tail in tails if np.linalg.norm(tail - head) > near]
        else:
            tails = [head + _continued(positions, above, joint, near, share, length)]
        ends += [(head, tail) for tail in tails]
        joints += [joint] * len(tails)
    if not ends:
        raise ValueError("weights.bones: skeleton must have a joint with a bone, got none; exclude fewer")
    return Bones(
        skeleton, read_only(np.array(ends)), read_only(np.array(joints, np.int32)), read_only(inverse)
    )


def _inverted(skeleton: Skeleton, model: NDArray[np.float64]) -> NDArray[np.float64]:
    for joint, matrix in enumerate(model):
        if not np.isfinite(matrix).all() or np.linalg.matrix_rank(matrix[:3, :3]) < 3:
            raise ValueError(
                f"weights.bones: pose must be finite and without scales of zero, got joint "
                f"{skeleton.names[joint]!r} at {matrix[:3].tolist()}"
            )
    return np.asarray(np.linalg.inv(model), np.float64)


def _kin(skeleton: Skeleton, left_out: set[int]) -> tuple[list[int], list[list[int]]]:
    """Return the nearest joint above each, and those below, past what is left out."""
    above: list[int] = []
    below: list[list[int]] = [[] for _ in skeleton.names]
    for joint, parent in enumerate(skeleton.parents.tolist()):
        while parent in left_out:
            parent = above[parent]
        above.append(parent)
        if parent >= 0 and joint not in left_out:
            below[parent].append(joint)
    return above, below


def _continued(
    positions: NDArray[np.float64],
    above: list[int],
    joint: int,
    near: float,
    share: float,
    length: float | None,
) -> NDArray[np.float64]:
    """Return the offset from a leaf joint to the end of its bone: in the direction from its parent."""
    parent = above[joint]
    while parent >= 0 and np.linalg.norm(positions[joint] - positions[parent]) <= near:
        parent = above[parent]
    if parent < 0:
        return np.zeros(3)  # nothing tells a direction: a point
    direction = positions[joint] - positions[parent]
    factor = share if length is None else length / float(np.linalg.norm(direction))
    return np.asarray(factor * direction)
