# SPDX-License-Identifier: MIT
"""Which files a film can be written as, said before anything is drawn."""

from __future__ import annotations

from pathlib import PurePath

from lissom._base.extras import require
from lissom._formats.films.forms import FORMS, SUFFIXES
from lissom._formats.films.video import check_video

__all__ = ["check_film"]


def check_film(
    caller: str, name: str, codec: str | None, width: int, height: int, rate: float, channels: int = 3
) -> tuple[str, str | None]:
    """Return the ending of a film's file and, of a video, the codec.

    Parameters
    ----------
    caller : str
        Function or option that errors name.
    name : str
        Of the file.
    codec : str, optional
        Of a video; the first that there is when omitted.
    width, height : int
        Pixels.
    rate : float
        Pictures per second.
    channels : int
        4 with alpha.

    Raises
    ------
    ValueError
        If no film can be written as that: as `Animation.save` says.
    ImportError
        Without Pillow, or PyAV for a video, naming the extra.
    """
    path = PurePath(name)
    suffix = path.suffix.lower()
    if suffix not in SUFFIXES:
        raise ValueError(f"{caller}: path must be a name ending in {', '.join(SUFFIXES)}, got {path.name!r}")
    form = FORMS[suffix]
    if form.codecs and channels == 4:
        raise ValueError(
            f"{caller}: a video has no transparent background, got pictures with alpha; save as .webp, .png "
            "or .gif"
        )
    if form.codecs:
        return suffix, check_video(caller, suffix, codec, width, height, rate)
    if codec is not None:
        raise ValueError(
            f"{caller}: codec must be omitted for a {suffix} file, which is no video, got {codec!r}"
        )
    require("PIL.Image", "gl", "saving an animation")
    if suffix == ".gif" and rate > form.fastest:
        raise ValueError(
            f"{caller}: path: a GIF shows at most {form.fastest:g} pictures per second, got {rate:g}; save "
            "as .png or .webp"
        )
    if not form.slowest <= rate <= form.fastest:
        raise ValueError(
            f"{caller}: a {suffix} file shows between {form.slowest:.3g} and {form.fastest:g} pictures per "
            f"second, got {rate:g}"
        )
    most = form.most_pixels
    if most is not None and max(width, height) > most:
        raise ValueError(
            f"{caller}: a {suffix} file has at most {most} x {most} pixels, got {width} x {height}"
        )
    return suffix, None
