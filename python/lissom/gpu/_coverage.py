# SPDX-License-Identifier: MIT
"""Alpha in pictures: in which passes parts are drawn that are masked or blended, and in which order.

Opaque parts come first, then masked ones and those texels of blended parts that hide all behind them, with
depth; last the other texels of blended parts, over what is there, from far to near. So a part that is marked
as blended and hardly is, as hair often is, hides what it should without an order.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from lissom._base.extras import require
from lissom._view.alpha import CLEAR, HALF, SOLID

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import NDArray

    from lissom.gpu._looks import Group, Look

__all__ = ["SAMPLE_ALPHA_TO_COVERAGE", "Blended", "Cover", "alpha_limits", "culling", "is_drawn", "passes"]

Cover = Literal["solid", "holes", "halved", "dithered", "blended"]
"""A pass: see `is_drawn`."""

SAMPLE_ALPHA_TO_COVERAGE = 0x809E  # of OpenGL: soft edges without sorting, where pixels have samples

MOST = 1e30  # above any alpha
MOST_RUNS = 256  # of triangles of one look, drawn one after the other


def passes(fragment: str, is_covered: bool, heated: bool) -> tuple[Cover, ...]:
    """Return the passes in which a fragment program draws a mesh, all but what is blended."""
    if not is_covered:
        return ("solid",)
    if fragment == "impostor_bake.frag":
        return ("solid", "dithered")
    return ("solid", "holes" if fragment == "surface.frag" and not heated else "halved")


def is_drawn(look: Look, cover: Cover | None) -> bool:
    """Return whether a pass draws a look.

    "solid" draws what is opaque; "holes" what is masked, and of what is blended that which hides all behind
    it; "halved" the same with all that is at least half covered; "dithered" as many samples as are covered;
    "blended" the rest of what is blended. None draws all as if it were opaque.
    """
    if cover is None:
        return True
    if look.alpha_mode == "mask" and look.alpha_cutoff > 1:
        return False
    if cover == "blended":
        return look.alpha_mode == "blend"
    return look.is_covered == (cover != "solid")


def alpha_limits(look: Look, cover: Cover, is_sampled: bool = False, number: int = 0) -> dict[str, Any]:
    """Return the uniforms of coverage.glsl.

    `is_sampled`: alpha becomes a share of a pixel's samples. `number` tells groups apart, whose samples
    differ.
    """
    is_mask = look.alpha_mode == "mask"
    return {
        "least_alpha": look.alpha_cutoff if is_mask else {"holes": SOLID, "halved": HALF}.get(cover, CLEAR),
        "most_alpha": SOLID if cover == "blended" else MOST,
        "softened": is_mask and is_sampled,
        "dithered": cover == "dithered" and not is_mask,
        "dither_shift": number,
    }


def culling(
    gl: moderngl.Context, closed: bool, look: Look, two_sided: bool | None, backs_first: bool = False
) -> Iterator[None]:
    """Set which faces are left out, once for each time to draw: see `GpuMesh.draw`.

    `backs_first`: where none are, twice, back faces first.
    """
    moderngl = require("moderngl", "gl", "drawing")
    is_one_sided = look.alpha_mode == "blend" and not look.double_sided
    culls = (closed or is_one_sided) if two_sided is None else not two_sided
    if not culls and not backs_first:
        yield
        return
    gl.front_face = "ccw"
    gl.enable(moderngl.CULL_FACE)
    for left_out in ("back",) if culls else ("front", "back"):
        gl.cull_face = left_out
        yield
    gl.disable(moderngl.CULL_FACE)


class Run(NamedTuple):
    """Triangles of one look, drawn one after the other."""

    look: Look
    first: int
    triangle_count: int


class Blended:
    """The triangles of a mesh through which something shows.

    Parameters
    ----------
    triangles : ndarray of uint32, shape (T, 3)
        All, as `grouped` returns them.
    groups : sequence of Group
    """

    def __init__(self, triangles: NDArray[np.uint32], groups: list[Group]) -> None:
        own = [group for group in groups if group.look.alpha_mode == "blend"]
        spans = [slice(group.first // 3, (group.first + group.index_count) // 3) for group in own]
        self._looks = [group.look for group in own]
        self._triangles = np.concatenate([np.zeros((0, 3), np.uint32), *(triangles[span] for span in spans)])
        self._look = np.repeat(np.arange(len(own)), [span.stop - span.start for span in spans])

    def __len__(self) -> int:
        return len(self._triangles)

    @property
    def has_sides(self) -> bool:
        """Whether it matters which side of a triangle is its front."""
        return any(not look.double_sided for look in self._looks)

    def from_far_to_near(
        self, positions: NDArray[np.float64], eye: NDArray[Any]
    ) -> tuple[NDArray[np.uint32], list[Run]]:
        """Return the triangles by the distance of their centres, and the runs of one look.

        Where looks alternate too often for that, one look after the other, the farthest first.
        """
        nearness = -np.linalg.norm(positions[self._triangles].mean(axis=1) - eye, axis=1)
        order = np.argsort(nearness, kind="stable")
        if np.count_nonzero(np.diff(self._look[order])) >= MOST_RUNS:
            mean = np.bincount(self._look, nearness) / np.bincount(self._look)
            order = np.lexsort([nearness, mean[self._look]])
        look = self._look[order]
        ends = [*(np.flatnonzero(np.diff(look)) + 1).tolist(), len(look)]
        runs = [Run(self._looks[look[first]], first, end - first) for first, end in pairwise([0, *ends])]
        return np.ascontiguousarray(self._triangles[order]), runs
