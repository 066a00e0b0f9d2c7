# SPDX-License-Identifier: MIT
"""The assert for pictures: shares of pixels and levels, and what is written beside on failure."""

import re

import numpy as np
import pytest

from lissom import Picture
from lissom.testing import assert_pictures_close

images = pytest.importorskip("PIL.Image")


@pytest.fixture
def picture() -> np.ndarray:
    """50 x 40 pixels of colours that leave room for a hundred levels more."""
    return np.random.default_rng(0).integers(0, 150, (40, 50, 3)).astype(np.uint8)


def message(*pictures, **options) -> str:
    with pytest.raises(AssertionError) as caught:
        assert_pictures_close(*pictures, **options)
    return str(caught.value)


def spotted(picture, count, levels, channel=1) -> np.ndarray:
    """A picture with `count` many pixels off in one channel, from row 2 on."""
    other = picture.copy()
    other[2:].reshape(-1, other.shape[-1])[:count, channel] += np.uint8(levels)
    return other


@pytest.mark.parametrize("channels", [None, 1, 3, 4])
def test_equal_pictures_pass(channels) -> None:
    shape = (7, 9) if channels is None else (7, 9, channels)
    pixels = np.random.default_rng(1).integers(0, 256, shape).astype(np.uint8)
    assert_pictures_close(pixels, pixels.copy(), share=0, levels=0)


def test_two_percent_over_eight_levels_is_the_default(picture) -> None:
    assert_pictures_close(picture + np.uint8(8), picture)
    assert_pictures_close(picture, picture + np.uint8(8))
    assert_pictures_close(spotted(picture, 40, 55), picture)  # of 2000
    assert "2.05 % of the pixels (41 of 2000) differ by more than 8 levels; 2 % may" in message(
        spotted(picture, 41, 9), picture
    )
    assert "100 %" in message(picture + np.uint8(9), picture)
    assert "100 %" in message(picture, picture + np.uint8(9))  # no wrapping of unsigned numbers


def test_levels_and_share_are_taken(picture) -> None:
    other = spotted(picture, 1, 20)
    assert_pictures_close(other, picture, share=0, levels=20)
    assert "0.05 % of the pixels (1 of 2000)" in message(other, picture, share=0, levels=19)
    assert "0 % may" in message(other, picture, share=0)


def test_the_worst_pixel_and_the_place_are_named(picture) -> None:
    other = spotted(picture, 70, 30)
    other[3, 5, 2] += 50
    lines = message(other, picture, err_msg="from the left").splitlines()
    assert lines[0].startswith("assert_pictures_close: 3.5 % of the pixels (70 of 2000) differ")
    assert lines[1] == "from the left"
    actual, desired = (re.escape(str(p[3, 5])) for p in (other, picture))
    mean = f"{(70 * 30 + 50) / picture.size:.3g}"
    assert re.fullmatch(
        rf"  worst: 50 levels at row 3, column 5: actual {actual}, desired {desired}; mean difference {mean}",
        lines[2],
    )
    assert lines[3] == "  they are in rows 2 to 3, columns 0 to 49"
    assert len(lines) == 4


def test_other_shapes_and_empty_ones_never_pass(picture) -> None:
    text = "assert_pictures_close: shapes differ: actual (39, 50, 3), desired (40, 50, 3)"
    assert message(picture[1:], picture) == text
    assert "shapes differ" in message(picture[..., 0], picture)
    assert "nothing to compare: both have shape (0, 50, 3)" in message(picture[:0], picture[:0])


def test_pictures_and_files_are_taken(picture, tmp_path) -> None:
    path = Picture(picture).save(tmp_path / "a.png")
    assert_pictures_close(Picture(picture), path, share=0, levels=0)
    assert_pictures_close(str(path), picture, share=0, levels=0)
    images.fromarray(picture).quantize(250).save(tmp_path / "b.png")  # of a palette
    assert "shapes differ: actual (40, 50, 4)" in message(tmp_path / "b.png", picture)


def test_failures_are_written_beside_each_other(picture, tmp_path) -> None:
    other = spotted(picture, 100, 60)
    other[30:, :, 0] += 5  # within the levels: not shown
    start = tmp_path / "new" / "folder" / "walk"
    text = message(other, picture, save=start)
    assert text.splitlines()[-1] == f"  saved: {start}-{{actual,desired,difference}}.png"
    names = ["walk-actual.png", "walk-desired.png", "walk-difference.png"]
    assert sorted(p.name for p in start.parent.iterdir()) == names
    actual, desired, difference = (np.array(images.open(start.parent / name)) for name in names)
    np.testing.assert_array_equal(actual, other)
    np.testing.assert_array_equal(desired, picture)
    red = (difference[..., 1] == 0) & (difference[..., 0] == 96 + 60)
    off = np.zeros((40, 50), bool)
    off[2:4] = True
    np.testing.assert_array_equal(red, off)
    grey = difference[~off]
    assert (grey == grey[:, :1]).all()
    assert grey.max() <= 0.3 * 255


def test_nothing_is_written_on_success_and_no_difference_of_shapes(picture, tmp_path) -> None:
    assert_pictures_close(picture, picture, save=tmp_path / "a")
    assert not list(tmp_path.iterdir())
    text = message(picture[1:], picture, save=tmp_path / "a")
    assert text.endswith(f"saved: {tmp_path / 'a'}-{{actual,desired}}.png")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a-actual.png", "a-desired.png"]


def test_an_empty_picture_is_not_written(picture, tmp_path) -> None:
    text = message(picture[:0], picture, save=tmp_path / "a")
    assert text.endswith(f"saved: {tmp_path / 'a'}-{{desired}}.png")
    assert [p.name for p in tmp_path.iterdir()] == ["a-desired.png"]


def test_grey_pictures_have_a_difference(tmp_path) -> None:
    grey = np.full((4, 6), 100, np.uint8)
    message(grey + np.uint8(20), grey, save=tmp_path / "a")
    assert np.array(images.open(tmp_path / "a-difference.png")).shape == (4, 6, 3)


@pytest.mark.parametrize("kind", ["EPS", "TIFF"])  # Pillow hands EPS to Ghostscript
def test_files_that_are_not_png_are_refused_whatever_their_name(picture, tmp_path, kind) -> None:
    path = tmp_path / "walk.png"
    images.fromarray(picture).save(path, kind)
    with pytest.raises(
        ValueError, match=r"^assert_pictures_close: .*walk\.png must be a PNG file \(cannot iden"
    ):
        assert_pictures_close(path, picture)


def test_wrong_arguments(picture, tmp_path) -> None:
    with pytest.raises(TypeError, match="actual must be a picture of uint8, got float64"):
        assert_pictures_close(picture / 255, picture)
    with pytest.raises(
        ValueError, match=r"desired must have shape .*, got \(2, 40, 50, 3\); compare one picture at"
    ):
        assert_pictures_close(picture, np.stack([picture, picture]))
    with pytest.raises(ValueError, match=r"actual must have shape .*, got \(40, 50, 2\)"):
        assert_pictures_close(picture[..., :2], picture)
    with pytest.raises(ValueError, match="share must be finite and at least 0, got -1"):
        assert_pictures_close(picture, picture, share=-1)
    with pytest.raises(TypeError, match="levels must be a whole number, got float"):
        assert_pictures_close(picture, picture, levels=0.5)
    with pytest.raises(ValueError, match="levels must be at least 0, got -1"):
        assert_pictures_close(picture, picture, levels=-1)
    # What would pass whatever is drawn: percent in place of a fraction, and all levels there are.
    with pytest.raises(ValueError, match=r"share must be a fraction below 1, got 2; 2 % are 0\.02"):
        assert_pictures_close(picture, picture, share=2)
    with pytest.raises(ValueError, match="levels must be at most 254, got 255; all pixels would pass"):
        assert_pictures_close(picture, picture, levels=255)
    with pytest.raises(FileNotFoundError, match=r"missing\.png"):
        assert_pictures_close(tmp_path / "missing.png", picture)
