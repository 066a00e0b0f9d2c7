# SPDX-License-Identifier: MIT
"""A picture: an array of pixels that knows how to be saved and how to show itself in a notebook."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lissom._base.set_module import set_module
from lissom._formats.atomic import write_atomically
from lissom._formats.png import png_bytes

__all__ = ["Picture"]


@set_module("lissom")
@dataclass(frozen=True, eq=False)
class Picture:
    """A drawn picture.

    Attributes
    ----------
    array : ndarray of uint8, shape (height, width, 3)
        sRGB, first row on top.

    Examples
    --------
    >>> gray = lissom.Picture(np.full((90, 160, 3), 128, np.uint8))
    >>> gray
    Picture(160 x 90)
    >>> np.asarray(gray)[0, 0]
    array([128, 128, 128], dtype=uint8)
    """

    array: NDArray[np.uint8]

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array: height, width, 3."""
        return self.array.shape

    @property
    def width(self) -> int:
        """Pixels across."""
        return int(self.array.shape[1])

    @property
    def height(self) -> int:
        """Pixels down."""
        return int(self.array.shape[0])

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture as a PNG file, replacing an old one only when all is written.

        Parameters
        ----------
        path : path-like
            Ends in ``.png``.

        Returns
        -------
        Path
            `path`.

        Raises
        ------
        ValueError
            On another ending: only PNG is written.
        FileNotFoundError
            If the folder does not exist.
        OSError
            If the file cannot be written; an old one is still there.

        Examples
        --------
        >>> import tempfile
        >>> gray = lissom.Picture(np.full((90, 160, 3), 128, np.uint8))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = gray.save(f"{folder}/gray.png")
        ...     print(path.name, path.read_bytes()[1:4])
        gray.png b'PNG'
        """
        target = Path(path)
        if target.suffix.lower() != ".png":
            raise ValueError(f"Picture.save: path: expected a name ending in .png, got {target.name!r}")
        write_atomically(path, [self._repr_png_()])
        return target

    def _repr_png_(self) -> bytes:
        return png_bytes(self.array)

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> NDArray[np.uint8]:
        return np.array(self.array, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"Picture({self.width} x {self.height})"
