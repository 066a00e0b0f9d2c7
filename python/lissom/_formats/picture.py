# SPDX-License-Identifier: MIT
"""A picture: an array of pixels that can be saved, and that notebooks show."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lissom._base.set_module import set_module
from lissom._formats.atomic import write_atomically
from lissom._formats.picture_files import check_picture_name, picture_bytes

__all__ = ["Picture"]


@set_module("lissom")
@dataclass(frozen=True, eq=False)
class Picture:
    """A picture as an array of pixels.

    Attributes
    ----------
    array : ndarray of uint8, shape (height, width, 3) or (height, width, 4)
        sRGB, first row on top; the fourth is alpha, by which the colours are not multiplied.

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
        """Shape of the array: height, width, 3 or 4."""
        return self.array.shape

    @property
    def width(self) -> int:
        """Width in pixels."""
        return int(self.array.shape[1])

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.array.shape[0])

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the picture as a file, which replaces an old one once it is whole.

        PNG is exact. WebP is a sixth of its size or less, JPEG a third: nothing is seen to be lost, and no
        value can be relied upon. PNG and WebP keep alpha.

        Parameters
        ----------
        path : path-like
            Ends in ``.png``, ``.webp``, ``.jpg`` or ``.jpeg``.

        Returns
        -------
        Path
            `path`.

        Raises
        ------
        ValueError
            On another ending, for a JPEG of a picture with alpha, or of more pixels across or down than the
            file can tell (WebP 16 383, JPEG 65 500).
        TypeError
            If the pixels are not of uint8.
        ImportError
            Without Pillow for a WebP or a JPEG, naming the extra.
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
        suffix = check_picture_name("Picture.save", target.name, self.shape)
        write_atomically(path, [picture_bytes(self.array, suffix, "Picture: array")])
        return target

    def _repr_png_(self) -> bytes:
        return picture_bytes(self.array, ".png", "Picture: array")

    def __array__(self, dtype: np.dtype | None = None, copy: bool | None = None) -> NDArray[np.uint8]:
        return np.array(self.array, dtype=dtype, copy=copy)

    def __repr__(self) -> str:
        return f"Picture({self.width} x {self.height})"
