# SPDX-License-Identifier: MIT
"""Checks of the arguments of foot placement."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers
from lissom._base.numbers import check_fractions, check_number, refuse_larger
from lissom.ik._axes import Floats

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom.ik._feet.foot_rig import FootRig

SHEAR = 1e-3  # largest cosine between the axes of a frame without shear


def checked_world(what: str, value: ArrayLike, shape: tuple[int, ...], each: str = "frame") -> Floats:
    """Return rigid trs of a shape, (10,) or (N, 10), their rotations unit; `each` is what has a row."""
    argument = f"{what}: world_from_model"
    world = as_numbers(value, argument).astype(np.float64)
    if world.shape != shape:
        raise ValueError(f"{argument} must have shape {shape}, got {world.shape}")
    rows = world.reshape(-1, 10)

    def at(row: int) -> str:
        return f" in {each} {row}" if len(rows) > 1 else ""

    finite = np.isfinite(rows)
    if not finite.all():
        row, column = np.argwhere(~finite)[0].tolist()
        raise ValueError(f"{argument} must be finite, got {rows[row, column]}{at(row)}")
    scaled = (np.abs(rows[:, 7:] - 1) > 1e-6).any(axis=1)
    if scaled.any():
        raise ValueError(f"{argument} must be rigid, got a scale other than 1{at(int(scaled.argmax()))}")
    lengths = np.linalg.norm(rows[:, 3:7], axis=1)
    wrong = np.abs(lengths - 1) > 1e-3
    if wrong.any():
        row = int(wrong.argmax())
        raise ValueError(f"{argument} must hold unit rotations, got length {lengths[row]:.4g}{at(row)}")
    rows[:, 3:7] /= lengths[:, None]
    return rows.reshape(shape)


def checked_contacts(what: str, legs: int, value: Any, frames: tuple[int, ...]) -> Floats | None:
    """Return contact curves with an axis of frames; None for None."""
    if value is None:
        return None
    shape = (*frames, legs)
    curves = as_numbers(value, f"{what}: contacts").astype(np.float64)
    if curves.shape != shape:
        raise ValueError(f"{what}: contacts must have shape {shape} for {legs} legs, got {curves.shape}")
    check_fractions(curves, f"{what}: contacts")
    return curves.reshape(-1, legs)


def refuse_not_finite(what: str, skeleton: Skeleton, poses: NDArray[Any], each: str = "frame") -> None:
    """Refuse poses (F, J, 10) that hold NaN or infinity, and say where; and numbers that are too large.

    `each` is what has a pose, in errors: a frame, or a row of players.
    """
    if np.isfinite(poses).all():
        refuse_larger(poses, f"{what}: poses")
        return
    frame, joint = np.argwhere(~np.isfinite(poses))[0, :2].tolist()
    raise ValueError(
        f"{what}: poses must be finite, got NaN or infinity at joint {skeleton.names[joint]!r}"
        + (f" of {each} {frame}" if len(poses) > 1 else "")
    )


def refuse_distorted(what: str, rig: FootRig, model: Floats, each: str = "frame") -> None:
    """Refuse model matrices (F, J, 4, 4) in which a foot cannot rotate: scaled to zero, or sheared."""
    parents = rig.skeleton.parents
    joints = {leg.ankle for leg in rig.joints}
    joints |= {int(parents[leg.toe]) for leg in rig.joints if leg.toe is not None}
    joints |= {joint for leg in rig.joints if leg.is_detached for joint in (leg.foot, int(parents[leg.foot]))}
    rows = sorted(joint for joint in joints if joint >= 0)
    linear = model[:, rows, :3, :3]
    square = np.swapaxes(linear, -1, -2) @ linear
    lengths = np.sqrt(np.diagonal(square, axis1=-2, axis2=-1))
    if not (lengths > 0).all():
        raise ValueError(
            f"{what}: poses must not scale feet to zero, got that at "
            f"{_named(rig.skeleton, rows, ~(lengths > 0).all(axis=-1), each)}"
        )
    cosines = square / (lengths[..., None] * lengths[..., None, :]) - np.eye(3)
    sheared = np.any(np.abs(cosines) > SHEAR, axis=(-1, -2))
    if sheared.any():
        joint = _named(rig.skeleton, rows, sheared, each)
        raise ValueError(
            f"{what}: poses must not shear feet, got ancestors of {joint} that are "
            "scaled differently along their axes; scale them uniformly"
        )


def _named(skeleton: Skeleton, joints: list[int], bad: ArrayLike, each: str) -> str:
    frame, row = np.argwhere(bad)[0].tolist()
    return f"joint {skeleton.names[joints[row]]!r}" + (f" of {each} {frame}" if np.shape(bad)[0] > 1 else "")


def checked_angle(what: str, value: float) -> float:
    """Return an angle in radians, at most a right angle."""
    angle = check_number(value, what, least=0)
    if angle > math.pi / 2:
        raise ValueError(
            f"{what} must be an angle in radians up to pi / 2, got {value}; np.radians(...) converts degrees"
        )
    return angle
