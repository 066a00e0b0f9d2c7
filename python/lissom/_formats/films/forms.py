# SPDX-License-Identifier: MIT
"""What each kind of film file can hold: the one table of endings, rates, sides and codecs."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["CODEC_NAMES", "FORMS", "IMAGES", "MOVING", "RATES", "SUFFIXES", "VIDEOS", "FilmForm"]


@dataclass(frozen=True)
class FilmForm:
    """Bounds of a kind of file.

    Attributes
    ----------
    slowest, fastest : float
        Pictures per second.
    most_pixels : int or None
        Of a side; None where nothing that can be drawn is too large.
    codecs : tuple of str
        Of a video, the default first; none of images.
    """

    slowest: float = 0.01
    fastest: float = 1000.0
    most_pixels: int | None = None
    codecs: tuple[str, ...] = ()


PNG = FilmForm(slowest=1000 / 65535)  # a delay is at most 65 535 thousandths of a second
FORMS = {
    ".gif": FilmForm(fastest=50.0, most_pixels=65535),  # players slow down what is faster
    ".png": PNG,
    ".apng": PNG,
    ".webp": FilmForm(most_pixels=16383),
    ".mp4": FilmForm(codecs=("vp9", "av1", "h264")),
    ".webm": FilmForm(codecs=("vp9", "av1")),
}
"""What can be written, by its ending."""

SUFFIXES = tuple(FORMS)
IMAGES = tuple(suffix for suffix, form in FORMS.items() if not form.codecs)
VIDEOS = tuple(suffix for suffix, form in FORMS.items() if form.codecs)
MOVING = (*VIDEOS, *(suffix for suffix in IMAGES if suffix != ".png"))
"""Endings that say that a film is meant; a ``.png`` may be a picture."""
CODEC_NAMES = tuple(dict.fromkeys(codec for form in FORMS.values() for codec in form.codecs))
RATES = min(form.slowest for form in FORMS.values()), max(form.fastest for form in FORMS.values())
"""Pictures per second that a film may have: what some kind of file holds."""
