# SPDX-License-Identifier: MIT
"""Videos, by PyAV, which brings FFmpeg."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from lissom._base.extras import require
from lissom._formats.films.forms import FORMS
from lissom._formats.films.scheduling import kept_scheduling

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CODECS", "check_video", "write_video"]

# FFmpeg's encoders, and what asks them for a picture in which nothing is seen to be lost.
CODECS: dict[str, tuple[str, dict[str, str]]] = {
    "vp9": ("libvpx-vp9", {"crf": "24", "b": "0", "deadline": "good", "cpu-used": "4", "row-mt": "1"}),
    "av1": ("libsvtav1", {"crf": "26", "preset": "8"}),
    "h264": ("libx264", {"crf": "18", "preset": "medium"}),
}

SVT = "SVT_LOG"  # the variable that SVT-AV1 asks how much to write
BT709 = 1  # FFmpeg's number: primaries, transfer and matrix of what screens show


LEAST_SIDE = 16  # pixels: below it encoders refuse


def check_video(caller: str, suffix: str, codec: str | None, width: int, height: int, rate: float) -> str:
    """Return the codec to write with; say why there can be none before anything is drawn.

    Raises
    ------
    ValueError
        If the container or this PyAV has no such codec, a side is small, or the rate beyond what it
        can tell.
    ImportError
        Without PyAV, naming the extra.
    """
    av = require("av", "film", "saving a video")
    form = FORMS[suffix]
    known = form.codecs
    if codec is not None and codec not in known:
        names = ", ".join(map(repr, known))
        raise ValueError(f"{caller}: codec must be one of {names} for a {suffix} file, got {codec!r}")
    if min(width, height) < LEAST_SIDE:
        raise ValueError(
            f"{caller}: a video needs at least {LEAST_SIDE} x {LEAST_SIDE} pixels, got {width} x {height}"
        )
    if not form.slowest <= rate <= form.fastest:
        raise ValueError(
            f"{caller}: a video shows between {form.slowest:g} and {form.fastest:g} pictures per second, got "
            f"{rate:g}"
        )
    there = [name for name in known if CODECS[name][0] in av.codecs_available]
    if codec is None and there:
        return there[0]
    chosen = codec or known[0]
    if chosen not in there:
        rest = f"; choose codec={there[0]!r}" if there else "; save as .webp"
        raise ValueError(
            f"{caller}: codec: this PyAV has no encoder {CODECS[chosen][0]!r} for {chosen!r}{rest}"
        )
    return chosen


def write_video(
    file: BinaryIO, pictures: Iterable[NDArray[np.uint8]], rate: float, suffix: str, codec: str
) -> None:
    """Write pictures of one size as a video file, ``yuv420p``, BT.709.

    Parameters
    ----------
    file : binary file
        That can seek.
    pictures : iterable of ndarray of uint8, shape (height, width, 3)
        sRGB; taken one by one. ``yuv420p`` has one colour for 2 x 2 pixels: of an odd size the last row or
        column is shown twice, in which no edge is seen, whatever is in the picture.
    rate : float
        Pictures per second: kept as a fraction of at most 1 000 000.
    suffix : {".mp4", ".webm"}
        The container.
    codec : str
        As `check_video` returns it.
    """
    av = require("av", "film", "saving a video")
    encoder, options = CODECS[codec]
    exact = Fraction(rate).limit_denominator(1_000_000)
    with QUIET.kept(av), av.open(file, "w", format=suffix[1:]) as container:
        stream: Any = None
        for number, picture in enumerate(pictures):
            height, width = picture.shape[:2]
            if height % 2 or width % 2:
                picture = np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
            if stream is None:
                stream = container.add_stream(encoder, rate=exact, options=options)
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt, stream.time_base = "yuv420p", 1 / exact
                context = stream.codec_context
                context.color_range, context.colorspace = 1, BT709  # limited, as players expect of video
                context.color_primaries, context.color_trc = BT709, BT709
                with kept_scheduling():
                    context.open()
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(picture), format="rgb24")
            frame = frame.reformat(format="yuv420p", dst_colorspace="ITU709", dst_color_range="MPEG")
            frame.pts, frame.time_base = number, 1 / exact
            container.mux(stream.encode(frame))
        container.mux(stream.encode())


class _Quiet:
    """Keeps encoders from writing to standard error while any thread writes a video."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._writers = 0
        self._before: tuple[int | None, str | None] = None, None

    @contextmanager
    def kept(self, av: Any) -> Iterator[None]:
        """Be quiet meanwhile; the last of several writers restores what the first one found."""
        with self._lock:
            self._writers += 1
            if self._writers == 1:
                self._before = av.logging.get_level(), os.environ.get(SVT)
                os.environ.setdefault(SVT, "1")  # errors alone
                av.logging.set_level(av.logging.PANIC)
        try:
            yield
        finally:
            with self._lock:
                self._writers -= 1
                if not self._writers:
                    level, told = self._before
                    av.logging.set_level(level)
                    if told is None:
                        os.environ.pop(SVT, None)


QUIET = _Quiet()
