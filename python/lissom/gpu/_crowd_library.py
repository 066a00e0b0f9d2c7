# SPDX-License-Identifier: MIT
"""Crowds of many characters whose clips are loaded as they are played, within a bound of memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lissom._base.names import counted
from lissom._base.numbers import whole_number
from lissom._pages.pages import Pages
from lissom.errors import GpuError
from lissom.gpu._arguments import context_of
from lissom.gpu._page_cache import PageCache
from lissom.gpu._paged_crowd import PagedCrowd

if TYPE_CHECKING:
    from lissom.gpu._crowd import Crowd
    from lissom.gpu._stage import Stage

__all__ = ["CrowdLibrary"]

MEMORY = 256 << 20


class CrowdLibrary:
    """Crowds that play the clips of `lissom.Pages`, of which only so many are on the GPU at a time.

    A page is loaded when an instance that is in the picture plays one of its clips, and then takes the place
    of the one that was used least recently. What a crowd plays need not fit: it is then drawn in several
    parts, one after another. All crowds of a library share its memory.

    Parameters
    ----------
    pages : Pages
        The clips; `Catalog.pack` makes them.
    memory : int
        Bytes of the GPU for pages, at least two of them, since a fade reads two clips. Meshes and palettes
        are beside that.
    stage : Stage, optional
        Whose context holds the pages; the process's own when omitted.

    Attributes
    ----------
    pages : Pages
        The clips.

    Raises
    ------
    TypeError
        If `pages` are no Pages.
    ValueError
        If `memory` does not hold two pages, or more than 4 GiB.
    GpuError
        If the driver does not have textures of that size.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
    ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
    ...     with lissom.gpu.CrowdLibrary(catalog.pack(f"{folder}/pages", side=1)) as library:
    ...         with library.crowd("bar", 20) as crowd, lissom.gpu.Stage(320, 180) as stage:
    ...             picture = stage.render(crowd)
    ...         print(picture, library)
    Picture(320 x 180) CrowdLibrary(1 of 1 page, 32768 bytes at most, 1 load)
    """

    def __init__(self, pages: Pages, *, memory: int = MEMORY, stage: Stage | None = None) -> None:
        if not isinstance(pages, Pages):
            raise TypeError(
                f"CrowdLibrary: pages must be Pages, got {type(pages).__name__}; Catalog.pack makes them"
            )
        self.pages = pages
        self._stage = stage
        self._context = context_of(stage, "CrowdLibrary")
        self._cache = PageCache(pages, whole_number(memory, "CrowdLibrary: memory"), self._context)
        self._released = False

    def __enter__(self) -> CrowdLibrary:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        state = ", released" if self._released else ""
        return (
            f"CrowdLibrary({len(self.resident)} of {counted(len(self.pages.files), 'page')}, "
            f"{self.nbytes} bytes at most, {counted(self.loads, 'load')}{state})"
        )

    @property
    def nbytes(self) -> int:
        """Bytes of the texture of pages: at most `memory`, and constant."""
        return self._cache.layers * self._cache.page_bytes

    @property
    def resident(self) -> tuple[int, ...]:
        """Pages on the GPU, as indices, the least recently used first."""
        return self._cache.resident

    @property
    def loads(self) -> int:
        """How many pages were loaded so far, each as often as it was."""
        return self._cache.loads

    def crowd(self, name: str, count: int, **options: Any) -> Crowd:
        """Make a crowd of one of the bakes.

        Parameters
        ----------
        name : str
            One of ``pages.names``.
        count : int
            Number of instances.
        **options
            As for `Crowd`, except for `stage` and `direct`.

        Returns
        -------
        Crowd
            It plays all clips of the bake that are in the pages: the others are refused. It draws what a
            crowd of the bake itself draws. Where its clips do not fit into the memory together, what is
            blended may be drawn in another order.

        Raises
        ------
        TypeError, ValueError
            If there is no such bake, not all of its clips are in the pages, or an option does not fit.
        OSError
            If the file of the bake is not there any more.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     with lissom.gpu.CrowdLibrary(catalog.pack(f"{folder}/pages", side=64)) as library:
        ...         library.crowd("bar", 3, seed=1).deformed().shape[0]
        3
        """
        if self._released:
            raise GpuError("CrowdLibrary: this library was released; make a new one")
        bake = self.pages.bake(name)
        present = self.pages.clips(name)
        for clip in bake.clips:
            if clip not in present:
                raise ValueError(
                    f"CrowdLibrary.crowd: all clips of {name!r} must be in the pages, which lack {clip!r}; "
                    "pack them without that filter, or bake the clips that you want"
                )
        places = [self.pages._place("CrowdLibrary.crowd", name, clip) for clip in bake.clips]
        return PagedCrowd(bake, count, self._cache, places, self._stage, **options)

    def release(self) -> None:
        """Free the texture. Crowds of the library cannot be drawn any more.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     library = lissom.gpu.CrowdLibrary(catalog.pack(f"{folder}/pages", side=64))
        >>> library.release()
        >>> library.crowd("bar", 1)
        Traceback (most recent call last):
            ...
        lissom.errors.GpuError: CrowdLibrary: this library was released; make a new one
        """
        if self._released:
            return
        self._released = True
        if not self._context.is_in_reach:
            return
        with self._context:
            self._cache.release()
