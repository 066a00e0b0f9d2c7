# SPDX-License-Identifier: MIT
"""Transforms of joints, read from a pose texture: for props and attachments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._base.names import unknown_name
from lissom.pose_texture._layouts.layout import JointLayout
from lissom.pose_texture._sampling import rows_at

if TYPE_CHECKING:
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["joint_matrices"]

SINGULAR = 1e-7
"""Determinant up to which joint_from_bind counts as without inverse, as a fraction of its norm cubed: about
the rounding of float32."""


def joint_matrices(
    self: PoseTexture,
    coordinates: npt.ArrayLike,
    joints: str | Sequence[str],
    *,
    next_coordinates: npt.ArrayLike | None = None,
    fades: npt.ArrayLike | None = None,
    interpolate: bool = True,
) -> npt.NDArray[np.float32]:
    """Return `model_from_joint` of named joints at frame coordinates, to attach a sword or a hat to.

    Palette rows are multiplied by the inverse of joint_from_bind; rows of extra joints hold
    `model_from_joint` itself.

    Parameters
    ----------
    coordinates, next_coordinates, fades, interpolate
        As for `sample_frames`.
    joints : str or sequence of str
        Names in `joints`.

    Returns
    -------
    ndarray of float32, shape (..., K, 4, 4), or (..., 4, 4) for one name
        Leading axes are those of `coordinates`.

    Raises
    ------
    TypeError, ValueError
        As for `sample_frames`. If there is no such joint, its joint_from_bind has no inverse, or the bake
        has no skin because its file is of version 1.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
    >>> times = [1.0, 2.0]
    >>> tip = bake.joint_matrices(bake.frame_coordinate("bend", times), "Tip")
    >>> tip.shape
    (2, 4, 4)
    >>> np.degrees(np.arctan2(tip[:, 1, 0], tip[:, 0, 0])).round()  # degrees about z
    array([ 50., 100.], dtype=float32)
    """
    names = [joints] if isinstance(joints, str) else list(joints) if np.iterable(joints) else [joints]
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"PoseTexture.joint_matrices: joints must be names, got {type(name).__name__}")
        if name not in self.joints:
            raise ValueError(f"PoseTexture.joint_matrices: {unknown_name('joint', name, self.joints)}")
    rows = rows_at("PoseTexture.joint_matrices", self, coordinates, next_coordinates, fades, interpolate)
    result = _by_joint(self, rows, names) if self.rig is not None else _by_row(self, rows, names)
    return result[..., 0, :, :] if isinstance(joints, str) else result


def _by_joint(bake: PoseTexture, rows: npt.NDArray[np.float32], names: list[str]) -> npt.NDArray[np.float32]:
    assert isinstance(bake._layout, JointLayout)
    assert bake.rig is not None
    chosen = [bake.joints.index(name) for name in names]
    return np.ascontiguousarray(bake._layout.model(rows, bake.rig)[..., chosen, :, :])


def _by_row(bake: PoseTexture, rows: npt.NDArray[np.float32], names: list[str]) -> npt.NDArray[np.float32]:
    if bake.skin is None:
        raise ValueError(
            "PoseTexture.joint_matrices: the bake must have a skin, got none, since its file is of "
            "version 1; bake it again"
        )
    chosen = [_invertible_row(bake, name) for name in names]
    skin = bake._layout.palette(np.ascontiguousarray(rows[..., chosen, :]), None, None).matrices
    return _product(skin, np.linalg.inv(bake.skin.joint_from_bind[chosen].astype(np.float64)))


def _invertible_row(bake: PoseTexture, name: str) -> int:
    """Return the row whose joint_from_bind is the identity, or else the best conditioned one."""
    assert bake.skin is not None
    bind = bake.skin.joint_from_bind
    candidates = [row for row, joint in enumerate(bake.joints) if joint == name]
    for row in candidates:
        if np.array_equal(bind[row], np.eye(4)):
            return row
    regularities = [_regularity(bind[row]) for row in candidates]
    best = int(np.argmax(regularities))
    if regularities[best] <= SINGULAR:
        raise ValueError(
            f"PoseTexture.joint_matrices: joint_from_bind of {name!r} must have an inverse, got a singular "
            f"matrix; bake with extra_joints=[{name!r}]"
        )
    return candidates[best]


def _regularity(matrix: npt.NDArray[Any]) -> float:
    linear = matrix[:3, :3].astype(np.float64)
    length = float(np.linalg.norm(linear))
    return abs(float(np.linalg.det(linear))) / length**3 if length > 0 else 0.0


def _product(a: npt.NDArray[np.float32], b: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
    """Multiply affine matrices; written out, since how NumPy's own product rounds depends on the machine."""
    result = np.zeros(a.shape, np.float32)
    first = a[..., :3, :].astype(np.float64)
    result[..., :3, :] = sum(first[..., k, None] * b[..., k, None, :] for k in range(4))
    result[..., 3, 3] = 1.0
    return result
