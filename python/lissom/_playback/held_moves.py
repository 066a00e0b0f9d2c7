# SPDX-License-Identifier: MIT
"""How far vertices move at most while a pose of a clip is held, measured on a grid of times."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import combinations, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom._playback.blend_space import BlendSpace1D, BlendSpace2D
from lissom._playback.player_space import BlendSpace
from lissom._rig.mesh import Mesh
from lissom._rig.morphs import Morphs
from lissom._rig.skeleton import Skeleton
from lissom._rig.skin import Skin
from lissom.clip import Clip
from lissom.clip._loop import pass_seconds

__all__ = ["HeldMoves", "JointBoxes", "moves_of_clip", "moves_of_space"]

CELL = 1 / 240  # seconds between grid points, of clips that are not longer than MOST_STEPS of them
MOST_STEPS = 4800
TOGETHER = 240  # steps: some megabytes
LAGS = 61  # the longest hold is so many cells less one
ROUNDING = 1e-5  # of the character's reach: poses and matrices are float32

Floats = NDArray[np.float32]
Places = tuple[
    Floats, Floats
]  # of box corners (3, C, T), and weights of morph targets times their reach (M, T)


class HeldMoves(NamedTuple):
    """As the core takes it: see ``HeldMoves`` in src/core/players/player_rates.h."""

    clips: list[int]
    moves: Floats  # (steps, lags)
    start: float
    cell: float
    wraps: bool
    change: float


class JointBoxes:
    """The boxes, each in the space of a joint, of the vertices that it moves.

    Linear skinning leaves each vertex between the places of its influences. Each of those moves no farther
    than a corner of its joint's box, as an affine map moves none of a box's points farther than a corner.
    """

    def __init__(self, skeleton: Skeleton, mesh: Mesh, skin: Skin) -> None:
        self.skeleton = skeleton
        self._morphs: Morphs | None = mesh.morphs
        used = mesh.weights > 0
        rows = mesh.indices[used].astype(np.int64)
        vertices = np.repeat(np.arange(mesh.vertex_count), used.sum(axis=1))
        from_bind = np.asarray(skin.joint_from_bind, np.float64)
        places = np.einsum("nrc,nc->nr", from_bind[rows, :3, :3], mesh.positions[vertices])
        places += from_bind[rows, :3, 3]
        joints = skin.joints[rows].astype(np.int64)
        low = np.full((len(skeleton), 3), np.inf)
        high = -low
        np.minimum.at(low, joints, places)
        np.maximum.at(high, joints, places)
        self._joints = np.flatnonzero(low[:, 0] <= high[:, 0])
        self._low, self._high = low[self._joints], high[self._joints]
        stretch = float(np.linalg.norm(from_bind[:, :3, :3], 2, axis=(1, 2)).max(initial=0.0))
        self._reach = np.zeros(0)  # of each target at weight 1, in joint space
        if mesh.morphs is not None:
            lengths = np.linalg.norm(np.asarray(mesh.morphs.positions, np.float64), axis=1)
            targets = [lengths[mesh.morphs.rows(k)] for k in range(len(mesh.morphs))]
            self._reach = stretch * np.array([each.max(initial=0.0) for each in targets])

    def morphs(self, source: Clip | BlendSpace, times: NDArray[Any]) -> NDArray[Any] | None:
        """Return the weights (T, M) that move the mesh; None where it has the defaults of its targets."""
        if self._morphs is None or self._morphs.names != source.morph_names:
            return None
        return source.morphs(times)

    def places(self, poses: NDArray[Any], morphs: NDArray[Any] | None) -> Places:
        """Return where the corners are in poses (T, J, 10), and what weights (T, M) of morph targets move."""
        model = np.asarray(self.skeleton.model_matrices(poses)[:, self._joints], np.float64)
        shifts = np.zeros((len(poses), len(self._reach)))
        if len(self._reach):
            assert self._morphs is not None
            weights = self._morphs.defaults if morphs is None else morphs
            shifts[:] = weights * self._reach
        beyond = np.abs(shifts).sum(axis=1).max(initial=0.0)  # targets move vertices out of their boxes
        ends = np.stack([self._low - beyond, self._high + beyond])
        corners = np.stack([ends[list(k), :, [0, 1, 2]].T for k in np.ndindex(2, 2, 2)], axis=-1)
        places = model[..., :3, :3] @ corners + model[..., :3, 3:]
        stretch = np.linalg.norm(model[..., :3, :3], axis=(-2, -1)).max(axis=1, initial=0.0)
        moved = shifts * stretch.max(initial=0.0)
        # The long axis last, with which NumPy is fastest.
        flat = places.transpose(2, 1, 3, 0).reshape(3, -1, len(poses))
        return flat.astype(np.float32), np.ascontiguousarray(moved.T, np.float32)


def moves_of_clip(boxes: JointBoxes, clip: Clip) -> HeldMoves:
    """Measure a clip, in seconds of its time line."""
    step_count, duration, wraps = _grid(clip)
    cell = duration / max(1, step_count)
    steps = step_count if wraps else step_count + 1

    def places(steps: NDArray[Any]) -> Places:
        times = clip.start + steps * cell
        return boxes.places(clip.sample(times), boxes.morphs(clip, times))

    return HeldMoves([], _moves(places, steps), clip.start, cell or 1.0, wraps, 0.0)


def moves_of_space(boxes: JointBoxes, space: BlendSpace) -> list[HeldMoves]:
    """Measure a space, in cycles: each part of it between clips, at those clips and half way between two."""
    clips = space.clips
    parts = _parts(space)
    longest = max(clips, key=lambda clip: clip.duration)
    step_count, period, wraps = _grid(longest)
    cycles = period / longest.duration if longest.duration > 0 else 1.0
    cell = cycles / max(1, step_count)
    steps = step_count if wraps else step_count + 1
    known: dict[tuple[int, ...], tuple[Floats, Places]] = {}

    def of_node(node: tuple[int, ...]) -> tuple[Floats, Places]:
        """Return the moves, and where corners are at each step, of one clip or half way between two."""
        if node not in known:
            chosen = [clips[i] for i in node]
            blended = BlendSpace1D(chosen, range(len(chosen)), value=0.5 * (len(chosen) - 1))

            def places(at: NDArray[Any]) -> Places:
                seconds = at * cell * blended.duration
                return boxes.places(blended.sample(seconds), boxes.morphs(blended, seconds))

            known[node] = _moves(places, steps), places(np.arange(steps))
        return known[node]

    result = []
    for members in parts:
        nodes = [(i,) for i in members] + list(combinations(members, 2))
        moves = np.max([of_node(node)[0] for node in nodes], axis=0)
        change = 0.0
        for pair in combinations(members, 2):
            for end in pair:
                change = max(change, 2 * float(_apart(of_node(pair)[1], of_node((end,))[1]).max(initial=0.0)))
        result.append(HeldMoves(members, np.ascontiguousarray(moves), 0.0, cell, wraps, change))
    return result


def _grid(clip: Clip) -> tuple[int, float, bool]:
    """Return into how many steps to divide what, in seconds, and whether it begins anew after them."""
    if not clip.duration > 0:
        return 0, 0.0, False
    seconds = pass_seconds(clip)
    return min(MOST_STEPS, math.ceil(seconds / CELL)), seconds, clip.loop is not False


def _parts(space: BlendSpace) -> list[list[int]]:
    """Return the clips of each part of a space, between which it blends."""
    if isinstance(space, BlendSpace2D):
        return [sorted(triangle) for triangle in space.triangles.tolist()]
    order = np.argsort(space.values, kind="stable").tolist()
    if len(order) == 1:
        return [order]
    return [sorted(pair) for pair in pairwise(order)]


def _apart(a: Places, b: Places) -> Floats:
    """Return how far vertices may be apart, (T,), in two rows of poses."""
    apart = a[0] - b[0]
    np.multiply(apart, apart, out=apart)
    squares = apart[0]
    squares += apart[1]
    squares += apart[2]
    return np.asarray(np.sqrt(squares.max(axis=0, initial=0)) + np.abs(a[1] - b[1]).sum(axis=0))


def _part(places: Places, first: int, count: int) -> Places:
    return places[0][..., first : first + count], places[1][:, first : first + count]


def _moves(places: Callable[[NDArray[Any]], Places], step_count: int) -> Floats:
    """Return the moves (steps, lags): from anywhere nearest to a step to anywhere nearest to another.

    Between grid points, nothing is taken to move farther than half way to the next one.
    """
    moves = np.empty((step_count, LAGS), np.float32)
    for first in range(0, step_count, TOGETHER):
        count = min(TOGETHER, step_count - first)
        steps = first + np.arange(count + LAGS - 1)
        on, halves = places(steps), places(np.append(steps, steps[-1] + 1) - 0.5)
        before, after = (_part(halves, k, len(steps)) for k in (0, 1))
        aside = np.maximum(_apart(on, before), _apart(on, after)) + ROUNDING * np.abs(on[0]).max(initial=0)
        begin = _part(on, 0, count)
        for lag in range(LAGS):
            end = _part(on, lag, count)
            moves[first : first + count, lag] = _apart(end, begin) + aside[lag : lag + count]
        block = moves[first : first + count]
        np.maximum.accumulate(block, axis=1, out=block)
        block += aside[:count, None]
    return moves
