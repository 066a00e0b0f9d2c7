# SPDX-License-Identifier: MIT
"""A crowd whose clips are loaded page by page, as its instances come to play them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._pages.layout import BLOCK
from lissom.errors import GpuError
from lissom.gpu._crowd import Crowd
from lissom.gpu._crowd_drawing import Moments, has_float_targets
from lissom.gpu._pose_upload import LAYOUT_NUMBERS, constants, rig_texels

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from lissom._pages.layout import Place
    from lissom.gpu._crowd_batch import CrowdBatch
    from lissom.gpu._page_cache import PageCache
    from lissom.gpu._stage import Stage
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["PagedCrowd"]


class _PagedPoses:
    """The pages of a library as a crowd binds them, and the rig of its bake."""

    def __init__(self, bake: PoseTexture, cache: PageCache, crowd: PagedCrowd) -> None:
        self._bake, self._cache = bake, cache
        with crowd.context as gl:
            self._rig = None if bake.rig is None else constants(gl, rig_texels(bake), "the rig")

    @property
    def defines(self) -> dict[str, int]:
        return {
            "POSE_LAYOUT": LAYOUT_NUMBERS[self._bake.layout],
            "POSE_TEXELS": int(self._bake.texels.shape[2]),
            "POSE_PAGED": 1,
        }

    @property
    def uniforms(self) -> dict[str, int]:
        frame_count, row_count, _, _ = self._bake.texels.shape
        line_bits = self._cache.texels.line_bits
        return {"pose_row_count": row_count, "frame_count": frame_count, "line_bits": line_bits}

    def use(self, unit: int, ranges: int | None = None, rig: int | None = None) -> None:
        self._cache.texels.texture.use(unit)
        if self._rig is not None and rig is not None:
            self._rig.use(rig)

    def release(self) -> None:
        if self._rig is not None:
            self._rig.release()


class PagedCrowd(Crowd):
    """A crowd that reads the clips of its bake from pages; `CrowdLibrary.crowd` makes it."""

    def __init__(
        self,
        bake: PoseTexture,
        count: int,
        cache: PageCache,
        places: Sequence[Place],
        stage: Stage | None,
        **options: Any,
    ) -> None:
        if options.get("direct"):
            raise ValueError(
                "CrowdLibrary.crowd: direct must be omitted: palettes are made while the pages of their "
                "clips are loaded, before any vertex is"
            )
        self._cache = cache
        self._page = np.array([place.page for place in places], np.int64)
        self._block = np.array([place.texel // BLOCK for place in places], np.int64)
        self._order: NDArray[np.intp] | None = None
        super().__init__(bake, count, stage=stage, **{**options, "direct": False})
        if not has_float_targets(self._context):
            raise GpuError(
                "CrowdLibrary.crowd: this driver cannot draw into float textures, as palettes need"
            )

    def deformed(self) -> NDArray[np.float32]:
        """Return the skinned vertices of all instances that are not hidden: see `Crowd.deformed`."""
        vertices = super().deformed()
        if self._order is None:
            return vertices
        result = np.empty_like(vertices)
        result[self._order] = vertices
        return result

    def _uploaded(self, stage: Stage | None) -> _PagedPoses:
        return _PagedPoses(self._bake, self._cache, self)

    def _moments(self, which: NDArray[np.intp]) -> Moments:
        # Coordinates count from the clip's first frame: float32 holds more of their fractions, too.
        moments = super()._moments(which)
        instances = self.instances[which]
        frames = self._own_frames(moments.clips, instances["time"])
        fading = moments.fades > 0
        times = np.where(fading, instances["next_time"], instances["time"])
        next_frames = np.where(fading, self._own_frames(moments.next_clips, times), frames)
        return moments._replace(
            frames=frames,
            next_frames=next_frames,
            next_clips=np.where(fading, moments.next_clips, moments.clips),
        )

    def _weights(self, which: NDArray[np.intp], moments: Moments) -> NDArray[np.float32] | None:
        # Those of morph targets are few numbers, and are not in the pages: frames are those of the bake.
        firsts = self._bake._time.firsts.astype(np.float32)
        return super()._weights(
            which,
            moments._replace(
                frames=moments.frames + firsts[moments.clips],
                next_frames=moments.next_frames + firsts[moments.next_clips],
            ),
        )

    def _own_frames(self, clips: NDArray[Any], times: NDArray[Any]) -> NDArray[np.float32]:
        firsts = self._bake._time.firsts[clips]
        return self._shown_frames(self._bake.frame_coordinate(clips, times) - firsts)

    def _batched(self, moments: Moments, most: int) -> Iterator[Any]:
        """Yield instances whose pages fit into the cache together: by pages, where not all of them do."""
        pages = np.stack([self._page[moments.clips], self._page[moments.next_clips]], axis=1)
        self._order = None
        if len(np.unique(pages)) <= self._cache.layers:
            yield from super()._batched(moments, most)
            return
        order = np.lexsort((pages[:, 1], pages[:, 0]))
        self._order = order
        pairs, starts = np.unique(pages[order], axis=0, return_index=True)
        held: set[int] = set()
        begin = 0
        for pair, start in zip(pairs.tolist(), starts.tolist(), strict=True):
            if len(held.union(pair)) > self._cache.layers:
                yield from self._cut(order[begin:start], most)
                held, begin = set(), start
            held.update(pair)
        yield from self._cut(order[begin:], most)

    @staticmethod
    def _cut(order: NDArray[np.intp], most: int) -> Iterator[NDArray[np.intp]]:
        for first in range(0, len(order), most):
            yield order[first : first + most]

    def _loaded(
        self, records: NDArray[np.float32], attributes: NDArray[Any], lists: NDArray[np.uint32] | None
    ) -> CrowdBatch:
        clips = records[:, 1, :2].astype(np.int64)
        pages, where = np.unique(self._page[clips], return_inverse=True)
        layers = self._cache.require(pages.tolist())
        slots = np.array(list(layers.values()), np.int64)[where.reshape(clips.shape)]
        records = records.copy()
        records[:, 1, :2] = slots * self._cache.page_blocks + self._block[clips]
        return super()._loaded(records, attributes, lists)
