# SPDX-License-Identifier: MIT
"""The PNG writer and the picture: what they write is read back by Pillow, pixel for pixel."""

import io

import numpy as np
import pytest

import lissom
from lissom._formats.picture import Picture
from lissom._formats.png import png_bytes

images = pytest.importorskip("PIL.Image", reason="Pillow reads the files back")


def read(data):
    with images.open(io.BytesIO(data)) as image:
        image.load()
        return image.mode, np.asarray(image)


@pytest.mark.parametrize(
    ("shape", "mode"), [((3, 5), "L"), ((3, 5, 1), "L"), ((7, 2, 3), "RGB"), ((1, 1, 4), "RGBA")]
)
def test_pixels_come_back(shape, mode):
    pixels = np.random.default_rng(1).integers(0, 256, shape, dtype=np.uint8)
    got_mode, got = read(png_bytes(pixels))
    assert got_mode == mode
    np.testing.assert_array_equal(got, pixels.reshape(got.shape))


@pytest.mark.parametrize("shape", [(1, 1, 3), (9, 5, 3), (4, 7, 4), (6, 6)])
def test_numbers_of_16_bits_come_back(shape, tmp_path):
    oiio = pytest.importorskip("OpenImageIO")
    pixels = np.random.default_rng(1).integers(0, 65536, shape, dtype=np.uint16)
    path = tmp_path / "numbers.png"
    path.write_bytes(png_bytes(pixels))
    plain = oiio.ImageSpec()
    plain.attribute("oiio:UnassociatedAlpha", 1)
    got = oiio.ImageInput.open(str(path), plain).read_image("uint16")
    np.testing.assert_array_equal(got.reshape(shape), pixels)


def test_pixels_of_a_palette_come_back():
    random = np.random.default_rng(1)
    palette, pixels = random.integers(0, 256, (9, 3), np.uint8), random.integers(0, 9, (7, 5), np.uint8)
    with images.open(io.BytesIO(png_bytes(pixels, 9, palette))) as image:
        assert image.mode == "P"
        np.testing.assert_array_equal(np.asarray(image.convert("RGB")), palette[pixels])


def test_palettes_that_do_not_hold_the_pixels_are_refused():
    pixels, palette = np.full((2, 2), 4, np.uint8), np.zeros((5, 3), np.uint8)
    assert png_bytes(pixels, 9, palette)
    rgb = np.zeros((2, 2, 3), np.uint8)
    for bad in (
        (pixels, palette[:4]),
        (pixels, palette[:, :2]),
        (rgb, palette),
        (pixels, np.zeros((257, 3))),
    ):
        with pytest.raises(ValueError, match=r"png_bytes: palette must have shape \(N, 3\), with at most"):
            png_bytes(bad[0], 9, bad[1])


def test_views_without_contiguous_rows_are_written_as_they_look():
    pixels = np.arange(60, dtype=np.uint8).reshape(4, 5, 3)
    np.testing.assert_array_equal(read(png_bytes(pixels[::-1]))[1], pixels[::-1])


def test_the_smallest_file_is_what_the_specification_says():
    data = png_bytes(np.array([[[255, 0, 0]]], np.uint8))
    assert data[:8] == bytes([137, 80, 78, 71, 13, 10, 26, 10])
    assert data[12:29] == b"IHDR" + bytes([0, 0, 0, 1, 0, 0, 0, 1, 8, 2, 0, 0, 0])
    assert data[-12:] == bytes([0, 0, 0, 0]) + b"IEND" + bytes([0xAE, 0x42, 0x60, 0x82])


def test_other_types_and_shapes_are_refused():
    with pytest.raises(TypeError, match="png_bytes: pixels must be of uint8 or uint16, got float64"):
        png_bytes(np.zeros((2, 2, 3)))
    for shape in ((2, 2, 2), (4,), (0, 3, 3)):
        with pytest.raises(ValueError, match="png_bytes: pixels must have shape"):
            png_bytes(np.zeros(shape, np.uint8))


def test_a_picture_saves_and_shows_itself(tmp_path):
    pixels = np.random.default_rng(2).integers(0, 256, (6, 4, 3), dtype=np.uint8)
    picture = Picture(pixels)
    assert repr(picture) == "Picture(4 x 6)"
    path = picture.save(tmp_path / "a.png")
    np.testing.assert_array_equal(read(path.read_bytes())[1], pixels)
    assert picture._repr_png_() == path.read_bytes()
    assert picture.shape == (6, 4, 3)
    assert np.shares_memory(np.asarray(picture), pixels)
    np.testing.assert_array_equal(np.asarray(picture), pixels)
    np.testing.assert_array_equal(np.array(picture, np.float32), pixels)
    assert not np.shares_memory(np.array(picture, copy=True), pixels)
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


def test_a_failed_save_leaves_the_old_file(tmp_path, monkeypatch):
    path = Picture(np.zeros((2, 2, 3), np.uint8)).save(tmp_path / "a.png")
    old = path.read_bytes()
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(OSError("full")))
    with pytest.raises(OSError, match="full"):
        Picture(np.ones((2, 2, 3), np.uint8)).save(path)
    assert path.read_bytes() == old
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]


def test_a_save_that_cannot_be_names_the_path_it_was_given(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    picture = Picture(np.zeros((2, 2, 3), np.uint8))
    tube = lissom.samples.two_bone_tube()
    bake = lissom.bake(tube, rate=5)
    for save, name in ((picture.save, "a.png"), (bake.save, "a.safetensors")):
        with pytest.raises(FileNotFoundError, match="the folder nope does not exist: 'nope/") as caught:
            save(f"nope/{name}")
        assert caught.value.filename == f"nope/{name}"
        (tmp_path / name).mkdir()
        with pytest.raises(OSError, match=f"'{name}'$") as caught:
            save(name)
        assert ".part" not in str(caught.value)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.png", "a.safetensors"]
