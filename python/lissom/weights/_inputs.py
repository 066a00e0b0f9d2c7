# SPDX-License-Identifier: MIT
"""What users pass to the functions of weights, checked once for all of them and in one form each.

`what` names function and argument in errors, `function` the function alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers, quads_advice, refuse_masked
from lissom._rig.mesh import Mesh
from lissom._rig.skeleton import Skeleton
from lissom.weights._bones import Bones
from lissom.weights._report import called

__all__ = [
    "Floats",
    "Handles",
    "HandlesLike",
    "Indices",
    "SurfaceLike",
    "Triangles",
    "as_cage_faces",
    "as_handles",
    "as_indices",
    "as_points",
    "as_surface",
    "as_weights",
]

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]
Triangles = NDArray[np.uint32]

SurfaceLike = tuple[ArrayLike, ArrayLike] | Mesh
"""How functions take a surface: positions (V, 3) and triangles (F, 3), or a mesh."""

HandlesLike = Sequence[ArrayLike] | NDArray[Any] | Bones
"""How functions take handles: points (3,) and bones (2, 3) in any order, or what `bones` gives."""

_SUM_SLACK = 1e-3
"""How far a row of weights may be from 1 before it is a mistake rather than rounding; as `Mesh` has it."""

_FLAT = 1e-9
"""Twice the area of a cage face without one, of the square of its longest side: rounding."""


@dataclass(frozen=True)
class Handles:
    """All handles as segments; a point has equal ends.

    Attributes
    ----------
    heads, tails : ndarray of float64, shape (H, 3)
    is_point : ndarray of bool, shape (H,)
        Also of bones without length.
    names : tuple of str
        Of the joint that each belongs to, where a skeleton's bones were given; else empty.
    """

    heads: Floats
    tails: Floats
    is_point: NDArray[np.bool_]
    names: tuple[str, ...] = ()

    @property
    def segments(self) -> Floats:
        """Heads and tails as the core takes them, shape (H, 2, 3)."""
        return np.stack([self.heads, self.tails], axis=1)

    def called(self, handle: int) -> str:
        """Return the label of a handle in messages: its number, and its joint where that is known."""
        return called(handle, self.names)

    def __len__(self) -> int:
        return len(self.heads)


def as_points(value: ArrayLike, what: str, noun: str = "vertex", letter: str = "V") -> Floats:
    """Return points (V, 3), at least one of them, all finite."""
    array = as_numbers(value, what)
    if array.size == 0 and (array.ndim == 1 or array.shape[-1:] == (3,)):
        raise ValueError(f"{what} must hold at least one {noun}, got none")
    if array.ndim != 2 or array.shape[1] != 3:
        raise ValueError(f"{what} must have shape ({letter}, 3), got {array.shape}")
    points = np.require(array, np.float64, ["C", "A"])
    is_finite = np.isfinite(points)
    if not is_finite.all():
        row, column = np.argwhere(~is_finite)[0].tolist()
        raise ValueError(
            f"{what} must be finite, got {points[row, column]} in {noun} {row}; remove or repair it"
        )
    return points


def as_indices(
    value: ArrayLike, what: str, shape: tuple[str, int], noun: str, count: int, of: str
) -> Indices:
    """Return rows of indices below `count`, the number of things that `of` names; there may be none."""
    refuse_masked(value, what)
    letter, width = shape
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise ValueError(f"{what} must be an array of equally long rows ({error})") from None
    if array.size == 0:
        return np.empty((0, width), np.int64)
    if array.dtype.kind not in "iu":
        raise TypeError(f"{what} must be an array of integers, got {array.dtype}")
    if array.ndim != 2 or array.shape[1] != width:
        advice = quads_advice(array.shape) if width == 3 else ""
        raise ValueError(f"{what} must have shape ({letter}, {width}), got {array.shape}{advice}")
    if array.min() < 0 or array.max() >= count:
        row = int(np.argwhere((array < 0) | (array >= count))[0, 0])
        raise ValueError(
            f"{what} must be in [0, {count}), the number of {of}, got {array[row].tolist()} in {noun} {row}"
        )
    return np.ascontiguousarray(array, np.int64)


def as_surface(
    surface: SurfaceLike, function: str, name: str = "surface", *, needs_triangles: bool = False
) -> tuple[Floats, Triangles]:
    """Return positions (V, 3) and triangles (F, 3) of a surface as the core takes them."""
    pair: tuple[Any, Any]
    if isinstance(surface, Mesh):
        pair = surface.positions, surface.triangles
    else:
        try:
            positions, triangles = surface
        except (TypeError, ValueError):
            advice = "; pass its .mesh" if hasattr(surface, "mesh") else ""
            raise TypeError(
                f"{function}: {name} must be a pair (positions, triangles) or a Mesh, "
                f"got {type(surface).__name__}{advice}"
            ) from None
        pair = positions, triangles
    points = as_points(pair[0], f"{function}: {name} positions")
    what = f"{function}: {name} triangles"
    faces = as_indices(pair[1], what, ("F", 3), "triangle", len(points), "vertices")
    if needs_triangles and not len(faces):
        raise ValueError(f"{what} must hold at least one triangle, got none")
    return points, faces.astype(np.uint32)


def as_handles(handles: HandlesLike, function: str) -> Handles:
    """Return points (3,) and bones (2, 3) as segments."""
    try:
        each = None if isinstance(handles, (str, bytes, Skeleton)) else list(handles)
    except TypeError:
        each = None
    if each is None:
        is_rig = isinstance(handles, Skeleton) or hasattr(handles, "skeleton")
        advice = "; pass lissom.weights.bones(skeleton)" if is_rig else ""
        raise TypeError(
            f"{function}: handles must be a sequence of points (3,) and bones (2, 3), "
            f"got {type(handles).__name__}{advice}"
        )
    if not each:
        raise ValueError(f"{function}: handles must hold at least one point or bone, got none")
    segments = np.empty((len(each), 2, 3))
    for index, handle in enumerate(each):
        what = f"{function}: handle {index}"
        array = as_numbers(handle, what)
        if array.shape not in ((3,), (2, 3)):
            advice = "; put a single point into a list" if array.shape == () else ""
            raise ValueError(f"{what} must be a point (3,) or a bone (2, 3), got shape {array.shape}{advice}")
        if not np.isfinite(array).all():
            raise ValueError(f"{what} must be finite, got {array.tolist()}")
        segments[index] = array
    heads, tails = segments[:, 0].copy(), segments[:, 1].copy()
    names: tuple[str, ...] = ()
    if isinstance(handles, Bones):
        names = tuple(handles.skeleton.names[joint] for joint in handles.joints.tolist())
    return Handles(heads, tails, (heads == tails).all(axis=1), names)


def as_cage_faces(faces: ArrayLike | None, handles: Handles, function: str) -> Indices:
    """Return cage faces (K, 3): triangles between point handles."""
    if faces is None:
        return np.empty((0, 3), np.int64)
    what = f"{function}: cage_faces"
    corners = as_indices(faces, what, ("K", 3), "face", len(handles), "handles")
    for row, corner in enumerate(corners):
        if not handles.is_point[corner].all():
            bone = int(corner[~handles.is_point[corner]][0])
            raise ValueError(f"{what} must join point handles, got bone {handles.called(bone)} in face {row}")
        a, b, c = handles.heads[corner]
        longest = max(np.linalg.norm(b - a), np.linalg.norm(c - a), np.linalg.norm(c - b))
        if not np.linalg.norm(np.cross(b - a, c - a)) > _FLAT * longest**2:
            raise ValueError(f"{what} must have an area, got {corner.tolist()} in face {row}")
    return corners


def as_weights(value: ArrayLike, what: str) -> Floats:
    """Return weights (V, H) whose rows sum to 1; refuse anything else."""
    array = as_numbers(value, what)
    if array.ndim != 2 or not array.size:
        raise ValueError(f"{what} must have shape (V, H), at least one of each, got {array.shape}")
    if array.shape[1] > 1 << 16:
        raise ValueError(f"{what} must have at most 65536 columns, got {array.shape[1]}")
    array = np.require(array, np.float64, ["C", "A"])
    bad = ~(np.isfinite(array) & (array >= 0))
    if bad.any():
        row, column = np.argwhere(bad)[0].tolist()
        raise ValueError(
            f"{what} must be finite and not negative, got {array[row, column]} for vertex {row}, "
            f"handle {column}"
        )
    sums = array.sum(axis=1)
    off = np.abs(sums - 1) > _SUM_SLACK
    if off.any():
        row = int(np.argmax(off))
        raise ValueError(f"{what} must have rows that sum to 1, got {sums[row]:.6g} for vertex {row}")
    return np.ascontiguousarray(array / sums[:, None])
