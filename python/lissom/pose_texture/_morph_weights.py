# SPDX-License-Identifier: MIT
"""The weights of morph targets in a pose texture: a row of numbers for each frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._base.arrays import as_numbers, read_only, refuse_masked
from lissom._base.names import unknown_name
from lissom._base.numbers import check_fractions
from lissom.pose_texture._sampling import clip_index

if TYPE_CHECKING:
    from lissom._rig.mesh import Mesh
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = [
    "WeightArray",
    "between",
    "checked_weights",
    "morph_texels",
    "sample_morph_frames",
    "sample_morphs",
    "set_morphs",
    "weight_fault",
]

WeightArray = npt.NDArray[np.float16] | npt.NDArray[np.float32]

_NUMBERS_AT_ONCE = 1 << 20  # that are looked at: a few MB beside any bake


def sample_morphs(
    self: PoseTexture,
    clip: str | int | npt.ArrayLike,
    times: npt.ArrayLike,
    loop: bool | None = None,
    *,
    interpolate: bool = True,
) -> npt.NDArray[np.float32]:
    """Read the weights of the morph targets at any times, in the arithmetic of the shader.

    Parameters
    ----------
    clip, times, loop
        As `sample` takes them; leading axes of the result are those of `times`.
    interpolate : bool
        Whether to blend the two neighbouring frames, or take the nearer one.

    Returns
    -------
    ndarray of float32, shape (..., M)
        One for each of `morph_names`: what ``deform(..., morphs=)`` takes. M is 0 without morph targets.

    Raises
    ------
    ValueError
        If there is no such clip or a time is not finite.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> taller = np.where(bar.mesh.positions[:, 1:2] > 1, [0, 0.1, 0], 0)
    >>> morphs = lissom.Morphs.from_dense(["bar/taller"], taller[None], defaults=[0.5])
    >>> mesh = lissom.Mesh(
    ...     bar.mesh.positions, bar.mesh.triangles, bar.mesh.indices, bar.mesh.weights, morphs=morphs
    ... )
    >>> tall = lissom.Character("tall", bar.skeleton, mesh, bar.skin, bar.clips)
    >>> lissom.bake(tall, "bend", rate=30).sample_morphs("bend", [0.0, 1.0])
    array([[0.5],
           [0.5]], dtype=float32)
    """
    function = "PoseTexture.sample_morphs"
    coordinates = self._time.coordinate(function, clip_index(function, self, clip), times, loop)
    return sample_morph_frames(self, coordinates, interpolate=interpolate)


def sample_morph_frames(
    self: PoseTexture,
    coordinates: npt.ArrayLike,
    *,
    next_coordinates: npt.ArrayLike | None = None,
    fades: npt.ArrayLike | None = None,
    interpolate: bool = True,
) -> npt.NDArray[np.float32]:
    """Read the weights of the morph targets at frame coordinates, as `sample_frames` reads palettes.

    Between two frames, and between the two coordinates of a cross-fade, ``a * (1 - t) + b * t`` is computed
    in float32.

    Parameters
    ----------
    coordinates, next_coordinates, fades, interpolate
        As for `sample_frames`.

    Returns
    -------
    ndarray of float32, shape (..., M)

    Raises
    ------
    TypeError, ValueError
        As for `sample_frames`.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
    >>> bake.sample_morph_frames([0.0, 1.5]).shape  # without morph targets
    (2, 0)
    """
    function = "PoseTexture.sample_morph_frames"
    if (next_coordinates is None) != (fades is None):
        raise TypeError(f"{function}: next_coordinates and fades must be passed together, got one of them")
    first = as_numbers(coordinates, f"{function}: coordinates").astype(np.float64)
    if next_coordinates is None or fades is None:
        return _read(function, self, first, interpolate)
    second = as_numbers(next_coordinates, f"{function}: next_coordinates").astype(np.float64)
    first, second, shares = np.broadcast_arrays(
        first, second, as_numbers(fades, f"{function}: fades").astype(np.float64)
    )
    check_fractions(shares, f"{function}: fades")
    from_clip, to_clip = (_read(function, self, side, interpolate) for side in (first, second))
    return _mixed(from_clip, to_clip, shares.astype(np.float32))


def _read(
    function: str, bake: PoseTexture, coordinates: npt.NDArray[np.float64], interpolate: bool
) -> npt.NDArray[np.float32]:
    places = bake._time.places(function, coordinates.reshape(-1), interpolate)
    if bake.weights is None:
        return np.zeros((*coordinates.shape, 0), np.float32)
    rows = between(bake.weights, places.frames, places.nexts, places.fractions)
    return rows.reshape(*coordinates.shape, rows.shape[-1])


def between(
    weights: WeightArray,
    frames: npt.NDArray[np.int32],
    nexts: npt.NDArray[np.int32],
    fractions: npt.NDArray[np.float32],
) -> npt.NDArray[np.float32]:
    """Return the weights (N, M) between two frames each: the twin of the shader."""
    return _mixed(weights[frames].astype(np.float32), weights[nexts].astype(np.float32), fractions)


def _mixed(
    first: npt.NDArray[np.float32], second: npt.NDArray[np.float32], shares: npt.NDArray[np.float32]
) -> npt.NDArray[np.float32]:
    t = shares[..., None]
    return np.asarray(first * (np.float32(1) - t) + second * t, np.float32)


def set_morphs(
    self: PoseTexture, clip: str | int, time: float, weights: Mapping[str, float] | npt.ArrayLike
) -> int:
    """Write weights of morph targets at the stored frame that is nearest to a time, in a copy from `edited`.

    Parameters
    ----------
    clip, time
        As for `row`.
    weights : mapping of str to float, or array_like, shape (M,)
        Weights by name in `morph_names`, others stay; or all of them.

    Returns
    -------
    int
        The frame written, within the clip.

    Raises
    ------
    TypeError, ValueError
        If there is no such clip or morph target, the bake is read-only or has no morph targets, or a number
        is not finite or does not fit the type of `weights`.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> taller = np.where(bar.mesh.positions[:, 1:2] > 1, [0, 0.1, 0], 0)
    >>> morphs = lissom.Morphs.from_dense(["bar/taller"], taller[None])
    >>> mesh = lissom.Mesh(
    ...     bar.mesh.positions, bar.mesh.triangles, bar.mesh.indices, bar.mesh.weights, morphs=morphs
    ... )
    >>> tall = lissom.Character("tall", bar.skeleton, mesh, bar.skin, bar.clips)
    >>> bake = lissom.bake(tall, "bend", rate=30).edited()
    >>> bake.set_morphs("bend", 1.0, {"bar/taller": 0.25})
    30
    >>> bake.sample_morphs("bend", 1.0)
    array([0.25], dtype=float32)
    """
    from lissom.pose_texture._texel_edits import nearest_frame

    function = "PoseTexture.set_morphs"
    index, frame = nearest_frame(function, self, clip, time)
    if self.weights is None:
        raise ValueError(f"{function}: the bake must have morph targets, got one without")
    if not self.weights.flags.writeable:
        raise ValueError(
            f"{function}: weights must be writeable, got a read-only bake; write to its edited()"
        )
    stored = self.weights[frame].astype(np.float64)
    if isinstance(weights, Mapping):
        for name, value in weights.items():
            if name not in self.morph_names:
                raise ValueError(f"{function}: {unknown_name('morph target', str(name), self.morph_names)}")
            stored[self.morph_names.index(name)] = float(as_numbers(value, f"{function}: weights[{name!r}]"))
    else:
        numbers = as_numbers(weights, f"{function}: weights").astype(np.float64)
        if numbers.shape != stored.shape:
            raise ValueError(f"{function}: weights must have shape {stored.shape}, got {numbers.shape}")
        stored = numbers
    limit = float(np.finfo(self.weights.dtype).max)
    bad = ~(np.abs(stored) <= limit)
    if bad.any():
        raise ValueError(
            f"{function}: weights must be finite, with a magnitude up to {limit:g}, got {stored[bad][0]:g}"
        )
    self.weights[frame] = stored
    return frame - int(self._time.firsts[index])


def morph_texels(weights: WeightArray) -> WeightArray:
    """Return weights (F, M) as texels, shape (F, ceil(M / 4), 4); what is left over of the last is zero."""
    frames, count = weights.shape
    texels: Any = np.zeros((frames, -(-count // 4), 4), weights.dtype)
    texels.reshape(frames, -1)[:, :count] = weights
    return texels  # type: ignore[no-any-return]


def checked_weights(
    weights: npt.NDArray[Any] | None, names: Sequence[str], mesh: Mesh | None, frame_count: int
) -> tuple[WeightArray | None, tuple[str, ...]]:
    """Return the weights, read-only, and the names of the morph targets; None and () without any."""
    refuse_masked(weights, "PoseTexture: weights")
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise TypeError("PoseTexture: morph_names must be a sequence of str, got others")
    known = tuple(names)
    if len(set(known)) < len(known):
        raise ValueError("PoseTexture: morph_names must be different, got one twice")
    if mesh is not None and known != (() if mesh.morphs is None else mesh.morphs.names):
        own = 0 if mesh.morphs is None else len(mesh.morphs)
        raise ValueError(
            f"PoseTexture: morph_names must be those of the mesh, of {own} targets, got {len(known)} others"
        )
    if weights is None:
        if known:
            raise ValueError(f"PoseTexture: weights of {len(known)} morph targets must be an array, got None")
        return None, ()
    if not isinstance(weights, np.ndarray) or str(weights.dtype) not in ("float16", "float32"):
        got = weights.dtype if isinstance(weights, np.ndarray) else type(weights).__name__
        raise TypeError(f"PoseTexture: weights must be a float16 or float32 array, got {got}")
    if not known or weights.shape != (frame_count, len(known)):
        raise ValueError(
            f"PoseTexture: weights must have shape ({frame_count} frames, {len(known)} morph targets), got "
            f"{weights.shape}"
        )
    frozen: Any = read_only(np.ascontiguousarray(weights))
    return frozen, known


def weight_fault(bake: PoseTexture) -> str | None:
    """Say where a weight is not finite."""
    if bake.weights is None:
        return None
    step = max(1, _NUMBERS_AT_ONCE // max(1, len(bake.morph_names)))
    for first in range(0, len(bake.weights), step):
        finite = np.isfinite(bake.weights[first : first + step])
        if not finite.all():
            frame, target = np.argwhere(~finite)[0]
            got = bake.weights[first + frame, target]
            return f"weights must be finite, got {got} at frame {first + frame}, morph target {target}"
    return None
