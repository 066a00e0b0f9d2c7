# SPDX-License-Identifier: MIT
"""Rotating one joint of a pose: a method of `Skeleton`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_floats, as_numbers
from lissom.quat import multiply, normalize

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom._rig.skeleton_arrays import Joint

__all__ = ["rotate"]


def rotate(
    self: Skeleton,
    poses: ArrayLike,
    joint: Joint,
    quat: ArrayLike,
    space: Literal["local", "parent", "model"] = "local",
    *,
    scalar_first: bool = False,
) -> NDArray[Any]:
    """Rotate one joint, and with it all its descendants.

    Parameters
    ----------
    poses : array_like of float, shape (..., J, 10)
        Local trs; not changed.
    joint : str or int
    quat : array_like of float, shape (..., 4)
        The rotation, x, y, z, w; normalised here. Leading axes broadcast with those of `poses`.
    space : {"local", "parent", "model"}
        Whose axes `quat` is about: the joint's own, its parent's, or the model's. The joint stays where
        it is in all three.
    scalar_first : bool
        Whether `quat` is w, x, y, z. Poses are x, y, z, w always.

    Returns
    -------
    ndarray, shape (..., J, 10)
        New poses, of the type of `poses`. NaN in a pose passes through.

    Raises
    ------
    ValueError
        If a shape is wrong, `quat` is zero or not finite, a pose's rotation of the joint is zero, or
        `space` is unknown.

    Notes
    -----
    Below a parent with non-uniform scale a rotation about model axes is not a rotation of the joint: the
    nearest one is taken.

    Examples
    --------
    >>> skeleton = lissom.samples.twisted_bar().skeleton
    >>> quarter = lissom.quat.from_axis_angle([0, 0, 1], np.pi / 2)
    >>> pose = skeleton.rotate(skeleton.rest, "Base", quarter)
    >>> np.allclose(skeleton.positions(pose)[1], [0, 2, 0], atol=1e-6)  # "Tip" stood at x = 2
    True
    """
    poses = as_floats(poses, "Skeleton.rotate: poses")
    self._require_poses(poses, "Skeleton.rotate")
    rotation = as_numbers(quat, "Skeleton.rotate: quat").astype(np.float64)
    if rotation.shape[-1:] != (4,):
        raise ValueError(f"Skeleton.rotate: quat must have shape (..., 4), got {rotation.shape}")
    largest = np.abs(rotation).max(axis=-1, keepdims=True)
    if not np.all((largest > 0) & np.isfinite(largest)):
        raise ValueError("Skeleton.rotate: quat must be finite and not zero")
    rotation = rotation / largest  # whose squares neither overflow nor vanish
    rotation = rotation / np.linalg.norm(rotation, axis=-1, keepdims=True)
    if scalar_first:
        rotation = np.roll(rotation, -1, axis=-1)
    index = self._index_of(joint, "Skeleton.rotate")
    old = poses[..., index, 3:7].astype(np.float64)
    if space == "local":
        new = multiply(old, rotation)
    elif space == "parent":
        new = multiply(rotation, old)
    elif space == "model":
        new = multiply(_in_parent_space(self, poses, index, rotation), old)
    else:
        raise ValueError(f"Skeleton.rotate: space must be 'local', 'parent' or 'model', got {space!r}")
    if not np.any(new, axis=-1).all():
        raise ValueError(f"Skeleton.rotate: poses must hold a rotation of {self.names[index]!r}, got zero")
    batch = np.broadcast_shapes(poses.shape[:-2], rotation.shape[:-1])
    result = np.array(np.broadcast_to(poses, batch + poses.shape[-2:]))
    result[..., index, 3:7] = normalize(new)
    return result


def _in_parent_space(
    self: Skeleton, poses: NDArray[Any], joint: int, rotation: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return a rotation about model axes as one about the axes of the parent of `joint`."""
    parent = int(self._parents[joint])
    if parent < 0:
        return rotation
    linear = self.model_matrices(poses.astype(np.float64))[..., parent, :3, :3]
    # With M = U D V^T, the rotation nearest to M^-1 is that of U V^T (a mirror included): D cancels
    # where the scale is uniform.
    broken = ~np.isfinite(linear).all(axis=(-1, -2))
    left, _, right = np.linalg.svd(np.where(broken[..., None, None], 0, linear))  # it refuses NaN
    model_from_parent = left @ right
    sign = np.where(broken, np.nan, np.sign(np.linalg.det(model_from_parent)))[..., None]
    # An improper P = -R moves an axis by R and back: the rotation about it keeps its angle, its axis is
    # mirrored, and an axis is a pseudo-vector, so it takes the determinant's sign.
    axis = sign * np.einsum("...ji,...j->...i", model_from_parent, rotation[..., :3])
    w = np.broadcast_to(rotation[..., 3:], (*axis.shape[:-1], 1))
    return np.concatenate([axis, w], axis=-1)
