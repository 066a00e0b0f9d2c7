# SPDX-License-Identifier: MIT
"""A film inside a page: HTML that plays it, of bounded size."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from lissom._formats.films.endings import check_film

if TYPE_CHECKING:
    from lissom._formats.animation import Animation

__all__ = ["MOST_BYTES", "MOST_PIXELS", "html_of"]

# Of all pictures: 15 s at 1 280 x 720 and 30 per second, which two cores without a GPU draw and encode in two
# or three minutes.
MOST_PIXELS = 400 << 20
MOST_BYTES = 8 << 20  # of the film in the page


def html_of(film: Animation) -> str | None:
    """Return HTML that plays a film: a video where PyAV is there, a WebP where not; None if it is too large.

    Nothing is drawn of a film of too many pixels.
    """
    if len(film) * film.width * film.height > MOST_PIXELS:
        return None
    height, width, channels = film._shape
    for suffix in (".webm", ".webp"):
        try:  # what is not there, or cannot be a video, is a WebP
            _, codec = check_film("Animation", "a" + suffix, None, width, height, film.rate, channels)
        except (ValueError, ImportError):
            continue
        file = io.BytesIO()
        film._write(file, suffix, codec)
        if file.tell() > MOST_BYTES:
            return None
        data = base64.b64encode(file.getvalue()).decode()
        if suffix == ".webm":  # which is of an even size
            width, height = width + width % 2, height + height % 2
        size = f'width="{width}" height="{height}" style="max-width: 100%; height: auto"'
        if suffix == ".webm":
            plays = "autoplay loop muted playsinline controls"
            return f'<video {size} {plays} src="data:video/webm;base64,{data}"></video>'
        return f'<img {size} alt="{film!r}" src="data:image/webp;base64,{data}">'
    return None
