# SPDX-License-Identifier: MIT
"""Pages of texels that are on the GPU, the least recently used of which make room for others."""

from __future__ import annotations

from collections import OrderedDict
from typing import TYPE_CHECKING

from lissom._pages.layout import BLOCK, TEXEL_BYTES, WIDTH
from lissom.errors import GpuError
from lissom.gpu._pose_pages import PosePages, longest_side

if TYPE_CHECKING:
    from collections.abc import Iterable

    from lissom._pages.pages import Pages
    from lissom.gpu._context import GlContext

__all__ = ["PageCache"]

LEAST_LAYERS = 2
"""A fade reads two clips."""

MOST_BLOCKS = 1 << 24
"""Blocks that float32 numbers in the records of instances can tell apart."""


class PageCache:
    """An array texture with a layer for each of as many pages as fit into `memory` bytes."""

    def __init__(self, pages: Pages, memory: int, context: GlContext) -> None:
        self._pages = pages
        self.page_bytes = pages.side * WIDTH * TEXEL_BYTES
        self.layers = min(memory // self.page_bytes, max(len(pages.files), LEAST_LAYERS))
        self.page_blocks = pages.side * WIDTH // BLOCK
        if self.layers < LEAST_LAYERS:
            raise ValueError(
                f"CrowdLibrary: memory must hold two pages of {self.page_bytes} bytes, "
                f"{LEAST_LAYERS * self.page_bytes}, got {memory}"
            )
        if self.layers * self.page_blocks > MOST_BLOCKS:
            most = MOST_BLOCKS // self.page_blocks * self.page_bytes
            raise ValueError(f"CrowdLibrary: memory must be at most {most} bytes, got {memory}")
        with context as gl:
            if pages.side > longest_side(gl):
                raise GpuError(
                    f"CrowdLibrary: pages of {pages.side} lines are longer than this driver allows, "
                    f"{longest_side(gl)}; pack them with a smaller side"
                )
            self.texels = PosePages(
                gl, self.layers * pages.side * WIDTH, "float16", pages.side, "pass less memory"
            )
        self._slots: OrderedDict[int, int] = OrderedDict()  # layer of each page, the latest used last
        self._free = list(reversed(range(self.layers)))
        self.loads = 0
        self._released = False

    def require(self, pages: Iterable[int]) -> dict[int, int]:
        """Return the layers of pages, at most `layers` of them, loaded if need be; in the context."""
        if self._released:
            raise GpuError("CrowdLibrary: the library of this crowd was released; make new ones to draw")
        wanted = list(pages)
        for page in wanted:
            if page in self._slots:
                self._slots.move_to_end(page)
        for page in wanted:
            if page not in self._slots:
                texels = self._pages.page(page)
                if not self._free:
                    self._free.append(self._slots.popitem(last=False)[1])
                # A layer whose page cannot be written stays free.
                self.texels.write(texels, self._free[-1] * self._pages.side * WIDTH)
                self._slots[page] = self._free.pop()
                self.loads += 1
        return {page: self._slots[page] for page in wanted}

    @property
    def resident(self) -> tuple[int, ...]:
        """Pages on the GPU, the least recently used first."""
        return tuple(self._slots)

    def release(self) -> None:
        """Free the texture; the context must be current."""
        self._released = True
        self.texels.release()
