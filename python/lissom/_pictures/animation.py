# SPDX-License-Identifier: MIT
"""An animation: pictures one after the other, saved as an animated GIF, PNG or WebP."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.extras import require
from lissom._base.names import counted
from lissom._base.numbers import check_number, whole_number
from lissom._base.set_module import set_module
from lissom._formats.atomic import write_atomically
from lissom._formats.picture import Picture

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Animation"]

FASTEST_GIF = 50.0  # pictures per second: players slow down what is faster
PALETTE_PIXELS = 1 << 20  # looked at for the colours of a GIF, which all its pictures share
SUFFIXES = (".gif", ".png", ".webp")


@set_module("lissom")
@dataclass(frozen=True, eq=False, init=False)
class Animation:
    """Pictures of one size, shown one after the other, again and again.

    Parameters
    ----------
    pictures : iterable of Picture or ndarray of uint8, shape (height, width, 3)
        At least one; all of one size.
    rate : float
        Pictures per second.

    Attributes
    ----------
    pictures : tuple of Picture
    rate : float

    Raises
    ------
    TypeError
        If something is no picture, or `rate` no number.
    ValueError
        If there is none, sizes differ, or `rate` is not finite and above zero.

    Examples
    --------
    >>> shades = [np.full((90, 160, 3), shade, np.uint8) for shade in range(0, 250, 25)]
    >>> fading = lissom.Animation(shades, rate=20)
    >>> fading
    Animation(10 pictures, 160 x 90, 0.50 s)
    >>> fading.strip(4)
    Picture(640 x 90)
    """

    pictures: tuple[Picture, ...]
    rate: float

    def __init__(self, pictures: Iterable[Picture | NDArray[np.uint8]], rate: float = 25.0) -> None:
        taken = tuple(_picture(i, picture) for i, picture in enumerate(pictures))
        if not taken:
            raise ValueError("Animation: pictures must hold at least one, got none")
        for i, picture in enumerate(taken):
            if picture.shape != taken[0].shape:
                first = taken[0]
                raise ValueError(
                    f"Animation: pictures must all be of one size, got {first.width} x {first.height} and, "
                    f"at {i}, {picture.width} x {picture.height}"
                )
        object.__setattr__(self, "pictures", taken)
        object.__setattr__(self, "rate", check_number(rate, "Animation: rate", above_zero=True))

    @property
    def width(self) -> int:
        """Pixels across."""
        return self.pictures[0].width

    @property
    def height(self) -> int:
        """Pixels down."""
        return self.pictures[0].height

    @property
    def duration(self) -> float:
        """Seconds of one pass through all pictures."""
        return len(self.pictures) / self.rate

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write an animated file, replacing an old one only when all is written.

        GIF has 255 colours for all pictures together, and is shown everywhere. PNG is exact and large. WebP
        is small, and its pictures are a little blurred. All three start again at their end.
        Equal pictures in succession are stored once, with the time of all of them; times are rounded to
        hundredths (GIF) or thousandths of a second, so that the errors do not add up.

        Parameters
        ----------
        path : path-like
            Ends in ``.gif``, ``.png`` or ``.webp``.

        Returns
        -------
        Path
            `path`.

        Raises
        ------
        ValueError
            On another ending, or for a GIF of more than 50 pictures per second, which players slow down.
        ImportError
            Without Pillow, naming the extra.
        OSError
            If the file cannot be written; an old one is still there.

        Examples
        --------
        >>> import tempfile
        >>> shades = [np.full((90, 160, 3), shade, np.uint8) for shade in range(0, 250, 25)]
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = lissom.Animation(shades, rate=20).save(f"{folder}/fading.gif")
        ...     print(path.name, path.read_bytes()[:6])
        fading.gif b'GIF89a'
        """
        target = Path(path)
        suffix = target.suffix.lower()
        if suffix not in SUFFIXES:
            raise ValueError(
                f"Animation.save: path must be a name ending in {', '.join(SUFFIXES)}, got {target.name!r}"
            )
        write_atomically(path, [self._bytes(suffix)])
        return target

    def strip(self, count: int = 6) -> Picture:
        """Return some of the pictures beside each other, from the first to the last.

        Parameters
        ----------
        count : int
            How many, evenly spaced in time; fewer where there are fewer.

        Returns
        -------
        Picture
            `count` times as wide.

        Raises
        ------
        ValueError
            If `count` is less than one.

        Examples
        --------
        >>> shades = [np.full((90, 160, 3), shade, np.uint8) for shade in range(0, 250, 25)]
        >>> strip = lissom.Animation(shades, rate=20).strip(4)
        >>> strip
        Picture(640 x 90)
        >>> strip.array[0, ::160, 0]  # the first, the last and two between
        array([  0,  75, 150, 225], dtype=uint8)
        """
        count = min(whole_number(count, "Animation.strip: count", least=1), len(self.pictures))
        chosen = np.rint(np.linspace(0, len(self.pictures) - 1, count)).astype(int)
        return Picture(np.concatenate([self.pictures[i].array for i in chosen], axis=1))

    def _bytes(self, suffix: str) -> bytes:
        images = require("PIL.Image", "gl", "saving an animation")
        frames: list[Any] = [images.fromarray(picture.array) for picture in self.pictures]
        options: dict[str, Any] = {"duration": self._milliseconds(10 if suffix == ".gif" else 1), "loop": 0}
        if suffix == ".gif":
            if self.rate > FASTEST_GIF:
                raise ValueError(
                    f"Animation.save: path: a GIF shows at most {FASTEST_GIF:g} pictures per second, got "
                    f"{self.rate:g}; save as .png or .webp"
                )
            palette = self._palette(images)
            frames = [frame.quantize(palette=palette, dither=images.Dither.NONE) for frame in frames]
            options["optimize"] = False  # which would give each picture colours of its own
        elif suffix == ".webp":
            options |= {"quality": 85, "method": 4}
        if len(frames) == 1:
            options = {} if suffix != ".webp" else {"quality": 85}
        else:
            options |= {"save_all": True, "append_images": frames[1:]}
        file = io.BytesIO()
        frames[0].save(file, suffix[1:].upper(), **options)
        return file.getvalue()

    def _milliseconds(self, unit: int) -> list[int]:
        """Return how long each picture is shown, in whole units of so many milliseconds."""
        ends = np.rint(np.arange(len(self.pictures) + 1) * (1000 / unit / self.rate)).astype(int)
        return [int(span) * unit for span in np.diff(ends)]

    def _palette(self, images: Any) -> Any:
        """Find the 255 colours that all pictures share; Pillow keeps one for what does not change."""
        step = int(np.ceil(np.sqrt(len(self.pictures) * self.width * self.height / PALETTE_PIXELS)))
        # Rows of all pictures above each other: every picture has its say.
        seen = [picture.array[i % step :: step, ::step] for i, picture in enumerate(self.pictures)]
        return images.fromarray(np.concatenate(seen)).quantize(255, method=images.Quantize.MEDIANCUT)

    def __len__(self) -> int:
        return len(self.pictures)

    def __iter__(self) -> Iterator[Picture]:
        return iter(self.pictures)

    def __getitem__(self, index: int) -> Picture:
        return self.pictures[index]

    def _repr_png_(self) -> bytes:
        return self._bytes(".png")

    def __repr__(self) -> str:
        pictures = counted(len(self), "picture")
        return f"Animation({pictures}, {self.width} x {self.height}, {self.duration:.2f} s)"


def _picture(index: int, picture: object) -> Picture:
    if isinstance(picture, Picture):
        return picture
    if not isinstance(picture, np.ndarray):
        raise TypeError(
            f"Animation: pictures must be Pictures or arrays, got {type(picture).__name__} at {index}"
        )
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] != 3 or not picture.size:
        raise ValueError(
            f"Animation: pictures must be uint8 arrays (height, width, 3), got {picture.dtype} "
            f"{picture.shape} at {index}"
        )
    return Picture(picture)
