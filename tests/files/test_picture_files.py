# SPDX-License-Identifier: MIT
"""A picture as PNG, WebP and JPEG, read back by Pillow."""

import sys
from pathlib import Path

import numpy as np
import pytest

from lissom import Picture

images = pytest.importorskip("PIL.Image", reason="Pillow writes and reads the files")

NEAR = 40.0  # decibels of the peak to the error: no eye tells the two apart
NARROW = {"a.webp": 16384, "a.jpg": 65501}  # pixels, one more than the format's own bound


def drawing() -> np.ndarray:
    """A ramp of colours with a red square on it, whose edge JPEG would smear without all colours."""
    y, x = np.mgrid[:96, :128]
    pixels = np.stack([x * 2, y * 2, 255 - x], axis=2).astype(np.uint8)
    pixels[31:64, 31:64] = 255, 0, 0
    return pixels


def read(path: Path) -> tuple[str, np.ndarray]:
    with images.open(path) as image:
        return image.format, np.asarray(image)


def decibels(a: np.ndarray, b: np.ndarray) -> float:
    return float(10 * np.log10(255**2 / np.mean((a.astype(float) - b) ** 2)))


@pytest.mark.parametrize(("name", "form"), [("a.webp", "WEBP"), ("a.jpg", "JPEG"), ("A.JPEG", "JPEG")])
def test_the_ending_is_the_form(tmp_path: Path, name: str, form: str) -> None:
    pixels = drawing()
    assert Picture(pixels).save(tmp_path / name) == tmp_path / name
    found, shown = read(tmp_path / name)
    assert (found, shown.shape) == (form, pixels.shape)
    assert decibels(shown[:16], pixels[:16]) > NEAR
    assert (tmp_path / name).stat().st_size < pixels.size / 5


def test_a_jpeg_keeps_colours_of_edges(tmp_path: Path) -> None:
    """With half the resolution of colours the red square reaches a pixel beyond its edge."""
    pixels = drawing()
    _, shown = read(Picture(pixels).save(tmp_path / "a.jpg"))
    inside, outside = shown[32:63, 31].astype(int), shown[32:63, 30].astype(int)
    assert np.abs(inside - pixels[32:63, 31]).mean() < 10
    assert np.abs(outside - pixels[32:63, 30]).mean() < 10


def test_a_webp_keeps_alpha(tmp_path: Path) -> None:
    pixels = np.dstack([drawing(), np.full((96, 128), 255, np.uint8)])
    pixels[:48, :, 3] = np.arange(128)
    _, shown = read(Picture(pixels).save(tmp_path / "a.webp"))
    np.testing.assert_array_equal(shown[..., 3], pixels[..., 3])


def test_what_the_file_cannot_hold_is_refused(tmp_path: Path) -> None:
    clear, one = Picture(np.zeros((2, 2, 4), np.uint8)), Picture(np.zeros((1, 1, 3), np.uint8))
    with pytest.raises(ValueError, match=r"must end in \.png, \.jpg, \.jpeg or \.webp, got 'a\.bmp'$"):
        one.save(tmp_path / "a.bmp")
    with pytest.raises(ValueError, match=r"a JPEG has no transparent background, got .* 'a\.jpg'; save as"):
        clear.save(tmp_path / "a.jpg")
    for name, width in NARROW.items():
        with pytest.raises(ValueError, match=f"pixels, got {width} x 1; save as .png"):
            Picture(np.zeros((1, width, 3), np.uint8)).save(tmp_path / name)
    with pytest.raises(TypeError, match="Picture: array must be of uint8 or uint16, got float64"):
        Picture(np.zeros((1, 1, 3))).save(tmp_path / "a.png")
    with pytest.raises(TypeError, match=r"Picture: array must be of uint8 for a \.webp file, got uint16"):
        Picture(np.zeros((1, 1, 3), np.uint16)).save(tmp_path / "a.webp")
    assert not list(tmp_path.iterdir())


def test_without_pillow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL", None)
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    picture = Picture(np.zeros((1, 1, 3), np.uint8))
    picture.save(tmp_path / "a.png")
    with pytest.raises(ImportError, match=r'saving a \.webp file needs Pillow, which is in the extra "gl"'):
        picture.save(tmp_path / "a.webp")
