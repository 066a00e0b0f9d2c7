# SPDX-License-Identifier: MIT
"""The weights of morph targets in a crowd: given to instances, or of the clips they play."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._rig.morph_weights import morph_weight_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.morphs import Morphs
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["MOST_ACTIVE", "Faces", "largest", "target_reach"]

MOST_ACTIVE = 8  # targets of an instance


class Faces:
    """Weights of the morph targets of a crowd's instances.

    Parameters
    ----------
    mesh : Mesh
        The whole mesh, as drawn.
    bake : PoseTexture
        What the instances play.
    caller : str
        Start of errors.

    Attributes
    ----------
    morphs : Morphs or None
        None for a mesh that no target moves.

    Raises
    ------
    ValueError
        If the bake has weights of other targets than the mesh.
    """

    def __init__(self, mesh: Mesh, bake: PoseTexture, caller: str) -> None:
        self.morphs: Morphs | None = mesh.morphs
        self._bake = bake
        self._weights = bake.weights
        if self.morphs is None:
            return
        if self._weights is not None and self.morphs.names != bake.morph_names:
            raise ValueError(
                f"{caller}: mesh must have the {len(bake.morph_names)} morph targets of the bake, or none, "
                f"got {len(self.morphs)} others"
            )
        self._reach = target_reach(self.morphs)
        played = self.morphs.defaults[None] if self._weights is None else self._weights
        self._played = played.min(axis=0).astype(np.float32), played.max(axis=0).astype(np.float32)
        self._given = np.zeros((0, len(self.morphs)), np.float32)
        self._is_given = np.zeros(0, np.bool_)
        self._beyond_clips = np.zeros(0)

    def give(self, count: int, rows: NDArray[np.intp], weights: ArrayLike | None, what: str) -> None:
        """Set the weights of instances, one set or one for each; None leaves them to the clips."""
        if self.morphs is None:
            raise ValueError(f"{what} must be omitted for a mesh without morph targets")
        self._fit(count)
        if weights is None:
            self._is_given[rows] = False
            self._beyond_clips[rows] = 0
            return
        checked = morph_weight_rows(weights, self.morphs, what)
        if checked.ndim > 1 and checked.shape != (len(rows), len(self.morphs)):
            raise ValueError(
                f"{what} must have shape ({len(self.morphs)},), or ({len(rows)}, {len(self.morphs)}) for "
                f"these instances, got {checked.shape}"
            )
        self._given[rows] = checked
        self._is_given[rows] = True
        shown = largest(np.atleast_2d(checked), self._reach).astype(np.float64)
        away = np.maximum(*(np.abs(shown - played) for played in self._played))
        self._beyond_clips[rows] = away @ self._reach

    def beyond_clips(self, count: int, stretch: Callable[[], float]) -> NDArray[np.float64]:
        """Return how far weights that are set move vertices from where clips have them, ``(count,)``.

        At most, model units: each target's largest difference times the largest difference of its weight,
        summed up. `stretch` is as for `left_out`.
        """
        if self.morphs is None:
            return np.zeros(count)
        self._fit(count)
        return self._beyond_clips * stretch() if self._beyond_clips.any() else self._beyond_clips

    def drawn(
        self,
        count: int,
        which: NDArray[np.intp],
        frames: NDArray[np.float32],
        next_frames: NDArray[np.float32],
        fades: NDArray[np.float32],
    ) -> NDArray[np.float32] | None:
        """Return the weights that instances are drawn with, ``(n, M)``; None where no target is active.

        Frame coordinates and fades are those of ``crowd.glsl``, ``(n,)`` each.
        """
        if self.morphs is None or not len(self.morphs.vertices):
            return None
        self._fit(count)
        given = self._is_given[which]
        if self._weights is None:
            weights = np.tile(self.morphs.defaults, (len(which), 1))
        elif given.all():
            weights = np.empty((len(which), len(self.morphs)), np.float32)
        elif fades.any():
            weights = self._bake.sample_morph_frames(frames, next_coordinates=next_frames, fades=fades)
        else:
            weights = self._bake.sample_morph_frames(frames)
        weights[given] = self._given[which[given]]
        if not weights.any():
            return None
        return largest(weights, self._reach)

    def left_out(self, count: int, is_ended: bool, stretch: Callable[[], float]) -> float:
        """Return how far what is not drawn of faces moves a vertex at most, model units.

        Parameters
        ----------
        count : int
            Of instances.
        is_ended : bool
            Whether there are levels or impostors that are drawn with the default weights.
        stretch : callable
            Returns how much longer skinning makes a difference at most.
        """
        if self.morphs is None or not len(self.morphs.vertices):
            return 0.0
        self._fit(count)
        largest = self._beyond(np.abs(self._given[self._is_given]))
        if self._weights is not None:
            for clip in self._bake.clips.values():
                frames = slice(clip.first_frame, clip.first_frame + clip.frame_count)
                each = np.abs(self._weights[frames].astype(np.float32))
                # Between two frames no weight is larger than the larger of theirs.
                largest = max(largest, self._beyond(np.maximum(each[:-1], each[1:])), self._beyond(each))
        if is_ended:
            played = self.morphs.defaults[None] if self._weights is None else self._weights
            for weights in (self._given[self._is_given], played):
                largest = max(largest, self._farthest(weights))
        return largest * stretch() if largest else 0.0

    def _fit(self, count: int) -> None:
        """Forget all weights where the number of instances has changed."""
        assert self.morphs is not None
        if len(self._is_given) != count:
            self._given = np.zeros((count, len(self.morphs)), np.float32)
            self._is_given = np.zeros(count, np.bool_)
            self._beyond_clips = np.zeros(count)

    def _beyond(self, sizes: NDArray[np.float32]) -> float:
        """Return how far all but the active targets may move a vertex together, of weights without signs."""
        rest = sizes.shape[-1] - MOST_ACTIVE
        if rest <= 0 or not len(sizes):
            return 0.0
        moved = sizes * self._reach
        return float(np.partition(moved, rest - 1, axis=1)[:, :rest].sum(axis=1, dtype=np.float64).max())

    def _farthest(self, weights: NDArray[Any]) -> float:
        """Return how far weights move a vertex from the default shape at most.

        Largest at a frame: between them, and in fades, weights are means.
        """
        morphs = self.morphs
        assert morphs is not None
        off = np.unique(weights.astype(np.float32), axis=0) - morphs.defaults
        bounds = np.abs(off) @ self._reach
        target = np.repeat(np.arange(len(morphs)), np.diff(morphs.offsets))
        moved, number = np.unique(morphs.vertices, return_inverse=True)
        farthest = 0.0
        for row in np.argsort(-bounds):
            if bounds[row] <= farthest:
                break
            shares = off[row, target]
            sums = [
                np.bincount(number, shares * morphs.positions[:, axis], minlength=len(moved))
                for axis in range(3)
            ]
            farthest = max(farthest, float(np.linalg.norm(sums, axis=0).max()))
        return farthest


def target_reach(morphs: Morphs) -> NDArray[np.float32]:
    """Return how far weight 1 of each target moves a vertex at most, ``(M,)``.

    What turns normals alone counts as next to nothing, but is not nothing.
    """
    reach = np.linalg.norm(morphs.positions, axis=1)
    if morphs.normals is not None:
        reach = reach + np.float32(1e-12) * np.abs(morphs.normals).max(axis=1, initial=0)
    result = np.zeros(len(morphs), np.float32)
    target = np.repeat(np.arange(len(morphs)), np.diff(morphs.offsets))
    np.maximum.at(result, target, reach)
    return result


def largest(weights: NDArray[np.float32], reach: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return weights, of which all but those that move most are zero: at most `MOST_ACTIVE` are not.

    Parameters
    ----------
    weights : ndarray of float32, shape (n, M)
    reach : ndarray of float32, shape (M,)
        As from `target_reach`.
    """
    moved = np.abs(weights) * reach
    if weights.shape[1] > MOST_ACTIVE:
        dropped = np.argpartition(moved, -MOST_ACTIVE, axis=1)[:, :-MOST_ACTIVE]
        np.put_along_axis(moved, dropped, 0, axis=1)
    return np.where(moved > 0, weights, np.float32(0))
