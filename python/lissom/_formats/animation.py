# SPDX-License-Identifier: MIT
"""An animation: pictures one after the other, saved as an animated GIF, PNG or WebP, or as a video."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, overload

import numpy as np

from lissom._base.names import counted
from lissom._base.numbers import check_number, whole_number
from lissom._base.set_module import set_module
from lissom._formats.atomic import atomic_file
from lissom._formats.films.apng import write_apng
from lissom._formats.films.endings import check_film
from lissom._formats.films.gif import write_gif
from lissom._formats.films.inline import html_of
from lissom._formats.films.video import write_video
from lissom._formats.films.webp import write_webp
from lissom._formats.picture import Picture
from lissom._formats.picture_sequences import DrawnPictures, PlayedPictures, pictures_at

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Animation", "Progress"]

SHOWN = 4  # moments where there is no HTML that plays it

Progress = Callable[[int, int, str], object]
"""Called as ``progress(pictures_done, picture_count, "pictures")`` after each picture."""


@set_module("lissom")
@dataclass(frozen=True, eq=False, init=False)
class Animation:
    """Pictures of one size, shown one after the other, again and again.

    Those that `lissom.render` and `Stage.film` return draw a picture when it is asked for, and keep none, so
    that a long film needs no more memory than a short one.

    Parameters
    ----------
    pictures : iterable of Picture or ndarray of uint8, shape (height, width, 3) or (height, width, 4)
        At least one; all of one size, and either all with alpha or none.
    rate : float
        Pictures per second.

    Attributes
    ----------
    pictures : sequence of Picture
        A tuple, or what draws them.
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

    pictures: Sequence[Picture]
    rate: float

    def __init__(self, pictures: Iterable[Picture | NDArray[np.uint8]], rate: float = 25.0) -> None:
        taken = pictures if isinstance(pictures, (DrawnPictures, PlayedPictures)) else _taken(pictures)
        object.__setattr__(self, "pictures", taken)
        object.__setattr__(self, "rate", check_number(rate, "Animation: rate", above_zero=True))

    @property
    def width(self) -> int:
        """Pixels across."""
        return self._shape[1]

    @property
    def height(self) -> int:
        """Pixels down."""
        return self._shape[0]

    @property
    def duration(self) -> float:
        """Seconds of one pass through all pictures."""
        return len(self.pictures) / self.rate

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        codec: str | None = None,
        loop: bool = True,
        progress: Progress | None = None,
    ) -> Path:
        """Write an animated file or a video, replacing an old one only when all is written.

        GIF has 255 colours for all pictures together, and is shown everywhere. PNG is exact and large. WebP
        is small, and its pictures are a little blurred. All three start again at their end. MP4 and WebM are
        videos, the smallest, with half the resolution of colours (``yuv420p``) and the very rate; their width
        and height are even: of an odd one the last column or row is shown twice. Equal pictures in succession
        are stored once, with the time of all of them; times are rounded to hundredths (GIF) or thousandths of
        a second, so that the errors do not add up. Pictures are taken one by one, each once. Alpha is kept by
        PNG and WebP; GIF draws what has at least half of it.

        Parameters
        ----------
        path : path-like
            Ends in ``.gif``, ``.png``, ``.apng``, ``.webp``, ``.mp4`` or ``.webm``.
        codec : {"vp9", "av1", "h264"}, optional
            Of a video: VP9 when omitted. H.264 (in MP4 alone) plays in the oldest players; its encoder x264
            is under the GPL, and patents on it may apply to you.
        loop : bool
            Whether GIF, PNG and WebP start again at their end. Of a video, players decide.
        progress : callable, optional
            Called as ``progress(pictures_done, picture_count, "pictures")`` after each picture. An exception
            that it raises ends the call; nothing is written then.

        Returns
        -------
        Path
            `path`.

        Raises
        ------
        TypeError
            If `progress` cannot be called.
        ValueError
            On another ending, for a rate that the file cannot tell, such as a GIF of more than 50 pictures
            per second, which players slow down, or a PNG of less than 0.0153, for a video with
            alpha, or a codec that the file or this machine has not. It is raised before anything is drawn.
        ImportError
            Without Pillow, or PyAV for a video, naming the extra.
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
        height, width, channels = self._shape
        suffix, codec = check_film("Animation.save", target.name, codec, width, height, self.rate, channels)
        if progress is not None and not callable(progress):
            raise TypeError(
                f"Animation.save: progress must be callable or None, got {type(progress).__name__}"
            )
        with atomic_file(path) as file:
            self._write(file, suffix, codec, loop=loop, progress=progress)
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
        shown = pictures_at(self.pictures, chosen.tolist())
        return Picture(np.concatenate([picture.array for picture in shown], axis=1))

    @property
    def _shape(self) -> tuple[int, ...]:
        if isinstance(self.pictures, (DrawnPictures, PlayedPictures)):
            return self.pictures.shape
        return self.pictures[0].shape

    def _write(
        self,
        file: BinaryIO,
        suffix: str,
        codec: str | None = None,
        *,
        loop: bool = True,
        progress: Progress | None = None,
    ) -> None:
        """Write it as a file of that ending."""
        arrays, count = self._arrays(progress), len(self)
        if codec is not None:
            write_video(file, arrays, self.rate, suffix, codec)
        elif suffix == ".gif":
            write_gif(file, arrays, count, self.rate, loop=loop)
        elif suffix == ".webp":
            write_webp(file, arrays, count, self.rate, loop=loop)
        elif count == 1:
            file.write(Picture(next(arrays))._repr_png_())
        else:
            write_apng(file, arrays, count, self.rate, loop=loop)
        next(arrays, None)  # tells of the last one

    def _arrays(self, progress: Progress | None) -> Iterator[NDArray[np.uint8]]:
        """Yield the pictures; say how many were taken when the next is asked for."""
        for done, picture in enumerate(self.pictures, start=1):
            yield picture.array
            if progress is not None:
                progress(done, len(self), "pictures")

    def __len__(self) -> int:
        return len(self.pictures)

    def __iter__(self) -> Iterator[Picture]:
        return iter(self.pictures)

    @overload
    def __getitem__(self, index: int) -> Picture: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Picture]: ...
    def __getitem__(self, index: int | slice) -> Picture | Sequence[Picture]:
        return self.pictures[index]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (tuple(self.pictures), self.rate)

    def _repr_html_(self) -> str | None:
        return html_of(self)

    def _repr_png_(self) -> bytes:
        return self.strip(SHOWN)._repr_png_()

    def __repr__(self) -> str:
        pictures = counted(len(self), "picture")
        return f"Animation({pictures}, {self.width} x {self.height}, {self.duration:.2f} s)"


def _taken(pictures: Iterable[Picture | NDArray[np.uint8]]) -> tuple[Picture, ...]:
    """Return pictures that are there already, checked."""
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
    return taken


def _picture(index: int, picture: object) -> Picture:
    if isinstance(picture, Picture):
        return picture
    if not isinstance(picture, np.ndarray):
        raise TypeError(
            f"Animation: pictures must be Pictures or arrays, got {type(picture).__name__} at {index}"
        )
    if picture.dtype != np.uint8 or picture.ndim != 3 or picture.shape[2] not in (3, 4) or not picture.size:
        raise ValueError(
            f"Animation: pictures must be uint8 arrays (height, width, 3 or 4), got {picture.dtype} "
            f"{picture.shape} at {index}"
        )
    return Picture(picture)
