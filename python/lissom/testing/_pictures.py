# SPDX-License-Identifier: MIT
"""The assert for pictures: the share of pixels that differ by more than a few levels."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import refuse_masked
from lissom._base.extras import require
from lissom._base.numbers import check_number, whole_number
from lissom._formats.atomic import write_atomically
from lissom._formats.picture import Picture
from lissom._formats.png import png_bytes
from lissom._formats.regular_file import open_regular

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    Pixels = NDArray[np.uint8]

__all__ = ["assert_pictures_close", "read_png"]

FUNCTION = "assert_pictures_close"

# Drivers round differently at edges: of one scene, drawn by llvmpipe and by SwiftShader, 1.2 % of the pixels
# differ by more than 8 levels.
LEVELS = 8
SHARE = 0.02


def assert_pictures_close(
    actual: Picture | ArrayLike | str | os.PathLike[str],
    desired: Picture | ArrayLike | str | os.PathLike[str],
    *,
    share: float = SHARE,
    levels: int = LEVELS,
    save: str | os.PathLike[str] | None = None,
    err_msg: str = "",
) -> None:
    """Raise an AssertionError where too many pixels of two pictures differ by too much.

    Parameters
    ----------
    actual, desired : Picture, array_like of uint8, or path
        Shape (height, width), (height, width, 3) or (height, width, 4); a path names a PNG file.
    share : float
        Fraction of the pixels that may differ by more than `levels`: at least 0, below 1. The default allows
        for different drivers; 0 is right for pictures of one driver, or drawn without OpenGL.
    levels : int
        Difference of a pixel's channels that always passes, 0 to 254.
    save : str or path, optional
        Where to write pictures on failure: ``save="out/walk"`` makes ``out/walk-actual.png``,
        ``-desired.png`` and ``-difference.png``, which shows pixels that differ by more than `levels` in red
        on the darkened desired picture. The folder is made. The message says where they are.
    err_msg : str
        Text to include in the message.

    Raises
    ------
    AssertionError
        If too many pixels differ, or the pictures differ in shape or are empty.
    TypeError, ValueError
        If an argument is wrong, or a file is not PNG.
    ImportError
        If a path is given and Pillow is missing; it comes with ``lissom[gl]``.
    OSError
        If a file cannot be read or written.

    Examples
    --------
    >>> grey = np.full((30, 40, 3), 128, np.uint8)
    >>> lissom.testing.assert_pictures_close(grey + np.uint8(8), grey)
    >>> lissom.testing.assert_pictures_close(grey + np.uint8(9), grey)
    Traceback (most recent call last):
    AssertionError: assert_pictures_close: 100 % of the pixels (1200 of 1200) differ by more than 8 ...
    """
    __tracebackhide__ = True
    a, b = _pixels("actual", actual), _pixels("desired", desired)
    allowed = check_number(share, f"{FUNCTION}: share", least=0)
    most = whole_number(levels, f"{FUNCTION}: levels")
    if allowed >= 1:
        raise ValueError(f"{FUNCTION}: share must be a fraction below 1, got {share}; 2 % are 0.02")
    if most > 254:
        raise ValueError(f"{FUNCTION}: levels must be at most 254, got {most}; all pixels would pass")
    if a.shape != b.shape:
        text = f"shapes differ: actual {a.shape}, desired {b.shape}"
        raise AssertionError(_message(text, err_msg, _saved(save, a, b, None)))
    if not b.size:
        raise AssertionError(_message(f"nothing to compare: both have shape {b.shape}", err_msg, ""))
    difference = np.abs(a.astype(np.int16) - b)
    by_pixel = difference if difference.ndim == 2 else difference.max(axis=-1)
    beyond = by_pixel > most
    if beyond.mean() <= allowed:
        return
    rows, columns = np.nonzero(beyond)
    worst = np.unravel_index(np.argmax(by_pixel), by_pixel.shape)
    text = (
        f"{100 * beyond.mean():.3g} % of the pixels ({beyond.sum()} of {beyond.size}) differ by more than "
        f"{most} levels; {100 * allowed:.3g} % may\n"
        f"  worst: {by_pixel[worst]} levels at row {worst[0]}, column {worst[1]}: actual {a[worst]}, desired "
        f"{b[worst]}; mean difference {difference.mean():.3g}\n"
        f"  they are in rows {rows.min()} to {rows.max()}, columns {columns.min()} to {columns.max()}"
    )
    raise AssertionError(_message(text, err_msg, _saved(save, a, b, by_pixel * beyond)))


def read_png(path: str | os.PathLike[str]) -> Pixels:
    """Read a PNG file as grey, RGB or RGBA, 8 bits."""
    module = require("PIL.Image", "gl", f"{FUNCTION}, which reads {Path(path).name},")
    try:
        with open_regular(path) as file, module.open(file, formats=("PNG",)) as image:
            plain = image if image.mode in ("L", "RGB", "RGBA") else image.convert("RGBA")
            return np.array(plain)
    except module.UnidentifiedImageError as error:
        raise ValueError(f"{FUNCTION}: {os.fspath(path)} must be a PNG file ({error})") from None
    except module.DecompressionBombError as error:
        raise ValueError(f"{FUNCTION}: {os.fspath(path)} cannot be read: {error}") from None


def _pixels(name: str, value: Any) -> Pixels:
    if isinstance(value, (str, os.PathLike)):
        return read_png(value)
    refuse_masked(value, f"{FUNCTION}: {name}")
    pixels = np.asarray(value)
    if pixels.dtype != np.uint8:
        raise TypeError(f"{FUNCTION}: {name} must be a picture of uint8, got {pixels.dtype}")
    if pixels.ndim not in (2, 3) or (pixels.ndim == 3 and pixels.shape[2] not in (1, 3, 4)):
        raise ValueError(
            f"{FUNCTION}: {name} must have shape (height, width[, 3 or 4]), got {pixels.shape}; compare one "
            "picture at a time"
        )
    return pixels


def _message(text: str, err_msg: str, saved: str) -> str:
    first, *rest = text.split("\n")
    return "\n".join(
        [f"{FUNCTION}: {first}", *([err_msg] if err_msg else []), *rest, *([saved] if saved else [])]
    )


def _saved(
    save: str | os.PathLike[str] | None, a: Pixels, b: Pixels, beyond: NDArray[np.int16] | None
) -> str:
    """Write the pictures and return a line that names them.

    `beyond` holds the difference of each pixel beyond the tolerance, 0 for the others; None for two shapes.
    """
    if save is None:
        return ""
    start = Path(save)
    start.parent.mkdir(parents=True, exist_ok=True)
    pictures = {"actual": a, "desired": b}
    if beyond is not None:
        pictures["difference"] = _difference(b, beyond)
    pictures = {name: pixels for name, pixels in pictures.items() if pixels.size}
    for name, pixels in pictures.items():
        write_atomically(start.with_name(f"{start.name}-{name}.png"), [png_bytes(pixels)])
    return f"  saved: {start}-{{{','.join(pictures)}}}.png"


def _difference(desired: Pixels, beyond: NDArray[np.int16]) -> Pixels:
    """Draw differences in red, brighter where larger, on the desired picture in dark grey."""
    grey = desired if desired.ndim == 2 else desired[..., :3].mean(axis=-1)
    picture = np.repeat((grey * 0.3).astype(np.uint8)[..., None], 3, axis=2)
    picture[beyond > 0] = 0
    picture[..., 0] = np.where(beyond > 0, np.minimum(96 + beyond, 255), picture[..., 0])
    return picture
