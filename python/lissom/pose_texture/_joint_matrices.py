# SPDX-License-Identifier: MIT
"""Where joints are, read from a pose texture: what props and attachments hang from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._base.names import unknown_name
from lissom.pose_texture._layouts.layout import JointLayout

if TYPE_CHECKING:
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["joint_matrices"]

SINGULAR = 1e-7
"""Determinant below which joint_from_bind counts as without inverse, as a share of its length cubed: what
float32 leaves of one."""


def joint_matrices(
    self: PoseTexture,
    coordinates: npt.ArrayLike,
    joints: str | Sequence[str],
    *,
    next_coordinates: npt.ArrayLike | None = None,
    fades: npt.ArrayLike | None = None,
    interpolate: bool = True,
) -> npt.NDArray[np.float32]:
    """Give `model_from_joint` of named joints at frame coordinates: where to hang a sword or a hat.

    Rows of palettes are undone by the inverse of joint_from_bind; rows of extra joints hold the joint as it
    is.

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
        knows no skin because its file is of version 1.

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
    rows = self._mixed_rows(coordinates, next_coordinates, fades, interpolate)
    result = _by_joint(self, rows, names) if self.rig is not None else _by_row(self, rows, names)
    return result[..., 0, :, :] if isinstance(joints, str) else result


def _by_joint(bake: PoseTexture, rows: npt.NDArray[np.float32], names: list[str]) -> npt.NDArray[np.float32]:
    assert isinstance(bake._layout, JointLayout)
    assert bake.rig is not None
    wanted = [bake.joints.index(name) for name in names]
    return np.ascontiguousarray(bake._layout.model(rows, bake.rig)[..., wanted, :, :])


def _by_row(bake: PoseTexture, rows: npt.NDArray[np.float32], names: list[str]) -> npt.NDArray[np.float32]:
    if bake.skin is None:
        raise ValueError(
            "PoseTexture.joint_matrices: this bake has no joint_from_bind, since its file is of version 1; "
            "bake it again"
        )
    chosen = [_invertible_row(bake, name) for name in names]
    skin = bake._layout.palette(np.ascontiguousarray(rows[..., chosen, :]), None, None).matrices
    return _product(skin, np.linalg.inv(bake.skin.joint_from_bind[chosen].astype(np.float64)))


def _invertible_row(bake: PoseTexture, name: str) -> int:
    """Find the row that says where a joint is most exactly: bound at the origin, else the most regular."""
    assert bake.skin is not None
    bind = bake.skin.joint_from_bind
    candidates = [row for row, joint in enumerate(bake.joints) if joint == name]
    for row in candidates:
        if np.array_equal(bind[row], np.eye(4)):
            return row
    shares = [_regularity(bind[row]) for row in candidates]
    best = int(np.argmax(shares))
    if shares[best] <= SINGULAR:
        raise ValueError(
            f"PoseTexture.joint_matrices: joint {name!r} has a joint_from_bind without inverse; "
            f"bake with extra_joints=[{name!r}]"
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
