# SPDX-License-Identifier: MIT
"""Which vertex of the source each vertex of a bake is: exporters split, merge and reorder them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lissom._export.source import Source
from lissom._export.vertex_clip import VertexClip
from lissom._verify.signed_axes import AXES
from lissom.clip._error import ClipError

__all__ = ["SourceOfBake", "partners"]

NEAR = 1e-3
"""Distance at rest, as a fraction of the size, up to which two vertices are one."""

MOST = 0.98
"""Share of the vertices that must have a partner."""

TRIED = 200  # vertices that are looked for before all are
CHUNK = 1 << 22  # distances at a time


def partners(
    rest: npt.NDArray[np.float32], source_rest: npt.NDArray[np.float32], size: float, what: str
) -> npt.NDArray[np.int64]:
    """Return the source's vertex of each vertex of a bake, from both at rest.

    Those of equal number go in their order, unless they are elsewhere and the nearest ones are not.
    """
    is_equal = len(rest) == len(source_rest)
    same = np.arange(len(rest))
    near = NEAR * max(size, 1e-30)
    if is_equal and _are_near(rest, source_rest, near):
        return same
    if is_equal and any(_are_near(rest @ matrix.T, source_rest, near) for matrix, _ in AXES):
        return same  # in other axes: of a symmetric mesh the nearest ones are of the other side
    some = rest[:: max(1, len(rest) // TRIED)]
    distances = _nearest(some, source_rest)[1]
    if (distances <= near).mean() >= MOST:
        nearest, distances = _nearest(rest, source_rest)
        if (distances <= near).mean() >= MOST:
            return nearest
    if is_equal:  # a mesh in other axes, or of another rest: judged as it is
        return same
    raise ValueError(
        f"{what} must be a bake of the source's mesh, of {len(source_rest)} vertices, got one of"
        f" {len(rest)}, of which {(distances > near).mean():.0%} are where the source has none"
    )


def _are_near(points: npt.NDArray[np.floating], others: npt.NDArray[np.float32], near: float) -> bool:
    return bool((np.linalg.norm(points - others, axis=1) <= near).mean() >= MOST)


def _nearest(
    points: npt.NDArray[np.float32], others: npt.NDArray[np.float32]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    indices, distances = np.empty(len(points), np.int64), np.empty(len(points))
    step = max(1, CHUNK // max(len(others), 1))
    for begin in range(0, len(points), step):
        part = slice(begin, begin + step)
        squares = ((points[part, None].astype(np.float64) - others) ** 2).sum(axis=-1)
        indices[part] = squares.argmin(axis=1)
        distances[part] = np.sqrt(squares.min(axis=1))
    return indices, distances


class SourceOfBake:
    """A source whose vertices are in the order of a bake's."""

    def __init__(self, of: Source, rows: npt.NDArray[np.int64]) -> None:
        self.words, self.size = of.words, of.size
        self._of, self._rows = of, rows

    def vertices(self, clip: str, seconds: npt.NDArray[np.float64]) -> npt.NDArray[np.float32]:
        return np.asarray(self._of.vertices(clip, seconds)[:, self._rows])

    def moments(self, clip: str, played: VertexClip) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int32]]:
        return self._of.moments(clip, played)

    def span(self, clip: str) -> tuple[float, float]:
        return self._of.span(clip)

    def own_error(self, clip: str) -> ClipError | None:
        return self._of.own_error(clip)
