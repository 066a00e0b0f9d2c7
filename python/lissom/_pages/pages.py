# SPDX-License-Identifier: MIT
"""Pages of clips in a folder, read through maps of their files."""

from __future__ import annotations

import hashlib
import os
from functools import lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lissom._base.extras import require
from lissom._base.names import counted, unknown_name
from lissom._base.set_module import set_module
from lissom._formats.parquet import facts
from lissom._formats.regular_file import check_path
from lissom._pages.layout import FORMAT, TABLE, TEXEL_BYTES, VERSION, WIDTH, Place
from lissom.pose_texture._file import load_bake
from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["Pages"]

MOST_MAPS = 64
"""Files that are open at a time."""


@set_module("lissom")
class Pages:
    """Clips of many bakes in a folder of pages, each of which is a layer of a texture array.

    `Catalog.pack` makes them, and `lissom.gpu.CrowdLibrary` draws them. A page is a file of float16 numbers,
    four a texel, in lines of 2048 texels; it is named by the SHA-256 of its bytes. A clip lies in one page,
    its texels in the order of `PoseTexture.texels`, from a multiple of 256 bytes on, so that ``np.memmap``
    reads it. ``pages.parquet`` says where.

    Parameters
    ----------
    folder : path-like
        The folder.
    verify : bool
        Compare the bytes of all pages with their names: a second for a gigabyte or two. False compares their
        sizes alone.

    Attributes
    ----------
    folder : Path
        The folder.
    side : int
        Lines of a page, a power of two; a file ends with the last line that is used.
    files : tuple of Path
        The pages, in the order of their layers.

    Raises
    ------
    ImportError
        If pyarrow is missing, which the extra ``catalog`` brings.
    ValueError
        If the table is of another version or none, or a page is damaged.
    OSError
        If the table or a page is not there.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30)
    ...     path = bar.save(f"{folder}/bar.safetensors")
    ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
    ...     pages = catalog.pack(f"{folder}/pages", side=64)
    ...     same = np.array_equal(pages.texels("bar", "bend"), bar.texels[121:])
    ...     print(pages, same)
    <Pages: 2 clips of 1 bake in 1 page of 2048 x 64 texels> True
    """

    def __init__(self, folder: str | os.PathLike[str], verify: bool = False) -> None:
        self.folder = Path(check_path(folder, "Pages: folder"))
        pa = require("pyarrow", "catalog", "lissom.Pages")
        pq = require("pyarrow.parquet", "catalog", "lissom.Pages")
        path = self.folder / TABLE
        try:
            with open(path, "rb") as file:
                table = pq.read_table(file)
        except pa.ArrowInvalid:
            raise ValueError(
                f"Pages: {path} must be a Parquet file that Catalog.pack wrote, and is none"
            ) from None
        said = facts("Pages", table.schema, path, FORMAT, VERSION, "table of pages", "Catalog.pack")
        self.side = int(said["side"])
        self._bakes: dict[str, Path] = {}
        self._places: dict[str, dict[str, Place]] = {}
        pages: dict[int, str] = {}
        for row in table.to_pylist():
            place = Place(
                row["layer"],
                row["line"] * WIDTH + row["column"],
                *(row[fact] for fact in ("frames", "rows", "texels")),
            )
            self._places.setdefault(row["name"], {})[row["clip"]] = place
            self._bakes[row["name"]] = self.folder / row["bake"]
            pages[place.page] = row["page"]
        self.files = tuple(self.folder / pages[page] for page in sorted(pages))
        self._check_files(verify)
        self._map = lru_cache(MOST_MAPS)(self._mapped)

    def __len__(self) -> int:
        return sum(map(len, self._places.values()))

    def __repr__(self) -> str:
        return (
            f"<Pages: {counted(len(self), 'clip')} of {counted(len(self._places), 'bake')} in "
            f"{counted(len(self.files), 'page')} of {WIDTH} x {self.side} texels>"
        )

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bakes, in the order of the table."""
        return tuple(self._places)

    def clips(self, name: str) -> tuple[str, ...]:
        """Return the clips of a bake that are in the pages.

        Parameters
        ----------
        name : str
            One of `names`.

        Returns
        -------
        tuple of str
            In the order of the bake.

        Raises
        ------
        ValueError
            If there is no such bake.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     print(catalog.pack(f"{folder}/pages", side=64).clips("bar"))
        ('twist', 'bend')
        """
        return tuple(self._of("Pages.clips", name))

    def texels(self, name: str, clip: str) -> npt.NDArray[np.float16]:
        """Return the texels of a clip, as a view of the page's file.

        Parameters
        ----------
        name : str
            One of `names`.
        clip : str
            One of its `clips`.

        Returns
        -------
        ndarray of float16, shape (frames, rows, texels_per_row, 4), read-only
            Those of the bake.

        Raises
        ------
        ValueError
            If there is no such bake or clip.
        OSError
            If the page is not there any more.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     print(catalog.pack(f"{folder}/pages", side=64).texels("bar", "bend").shape)
        (121, 2, 2, 4)
        """
        place = self._place("Pages.texels", name, clip)
        block = self.page(place.page)[place.texel : place.texel + place.texel_count]
        return block.reshape(place.frames, place.rows, place.texels, 4)

    def bake(self, name: str) -> PoseTexture:
        """Open the bake that clips are of, for its mesh and tables: its texels are read where they are used.

        Parameters
        ----------
        name : str
            One of `names`.

        Returns
        -------
        PoseTexture

        Raises
        ------
        ValueError
            If there is no such bake, or it is another one than when the pages were made.
        OSError
            If its file is not there any more.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     print(catalog.pack(f"{folder}/pages", side=64).bake("bar"))
        PoseTexture(2 clips, 242 frames, 2 rows, dual_quat float16, 7744 bytes, error 0.03% of size)
        """
        places = self._of("Pages.bake", name)
        bake = load_bake(self._bakes[name], verify=False)
        _, rows, texels, _ = bake.texels.shape
        for clip, place in places.items():
            frames = bake.clips[clip].frame_count if clip in bake.clips else 0
            if (place.frames, place.rows, place.texels) != (frames, rows, texels):
                raise ValueError(
                    f"Pages.bake: {self._bakes[name]} was baked anew since {self.folder} was packed: "
                    f"{clip!r} has {frames} frames of {rows} rows there, and {place.frames} of {place.rows} "
                    "here; pack it again"
                )
        return bake

    def page(self, index: int) -> npt.NDArray[np.float16]:
        """Return the texels of a page, as a view of its file.

        Parameters
        ----------
        index : int
            Layer, an index into `files`.

        Returns
        -------
        ndarray of float16, shape (2048 lines, 4), read-only
            As many lines as are used.

        Raises
        ------
        IndexError
            If there is no such page.
        OSError
            If its file is not there any more.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bar = lissom.bake(lissom.samples.twisted_bar(), rate=30).save(f"{folder}/bar.safetensors")
        ...     catalog = lissom.Catalog.build(folder, f"{folder}/bakes.parquet")
        ...     print(catalog.pack(f"{folder}/pages", side=64).page(0).shape)  # one line of 2048 texels
        (2048, 4)
        """
        if not 0 <= index < len(self.files):
            raise IndexError(f"Pages.page: index must be in [0, {len(self.files)}), got {index}")
        return self._map(index)

    def _mapped(self, index: int) -> npt.NDArray[np.float16]:
        return np.memmap(self.files[index], np.float16, "r").reshape(-1, 4)

    def _of(self, caller: str, name: str) -> dict[str, Place]:
        if name not in self._places:
            raise ValueError(f"{caller}: {unknown_name('bake', name, self._places)}")
        return self._places[name]

    def _place(self, caller: str, name: str, clip: str) -> Place:
        places = self._of(caller, name)
        if clip not in places:
            raise ValueError(f"{caller}: {unknown_name('clip', clip, places)}")
        return places[clip]

    def _check_files(self, verify: bool) -> None:
        line = WIDTH * TEXEL_BYTES
        ends = [0] * len(self.files)
        for places in self._places.values():
            for place in places.values():
                ends[place.page] = max(ends[place.page], -(-(place.texel + place.texel_count) // WIDTH))
        for path, lines in zip(self.files, ends, strict=True):
            try:
                size = path.stat().st_size
            except FileNotFoundError:
                raise FileNotFoundError(
                    f"Pages: {path} is missing, a page of {self.folder / TABLE}; pack the catalogue again"
                ) from None
            if size != lines * line:
                raise ValueError(
                    f"Pages: {path} is damaged: it must have {lines * line} bytes, got {size}; remove it and "
                    "pack the catalogue again"
                )
            if verify:
                with open(path, "rb") as file:
                    digest = hashlib.file_digest(file, "sha256").hexdigest()
                if digest != path.stem:
                    raise ValueError(
                        f"Pages: {path} is damaged: its bytes are not those that it is named by; remove it "
                        "and pack the catalogue again"
                    )
