# SPDX-License-Identifier: MIT
"""Texture: which pictures are decoded, how large ones, and what is left out of them."""

import contextlib
import io
from typing import Any

import numpy as np
import pytest

import lissom


@pytest.mark.parametrize("kind", ["EPS", "TIFF", "GIF"])  # Pillow hands EPS to Ghostscript
def test_pictures_that_gltf_does_not_have_reach_no_reader_of_pillows(kind: str) -> None:
    image_module = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image_module.new("RGB", (4, 2), "red").save(file, kind)
    sentence = (
        r"^Texture\.decode: data must be a PNG, JPEG, WebP or AVIF picture, got \d+ bytes of unknown type "
        r"named 'skin' that cannot be read \(its first bytes are those of another format\)"
    )
    with pytest.raises(ValueError, match=sentence):
        lissom.Texture(file.getvalue(), "", "skin").decode()


def test_a_picture_that_declares_too_many_pixels_is_not_decoded() -> None:
    image_module = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    image_module.new("1", (100, 50)).save(file, "PNG")
    texture = lissom.Texture(file.getvalue(), "image/png", "wall")
    assert texture.decode(max_decoded=20_000).shape == (50, 100, 4)
    with pytest.raises(
        ValueError, match=r"'wall' must take at most 19999 bytes, got 100 x 50 pixels of 4; pass a larger"
    ):
        texture.decode(max_decoded=19_999)
    with pytest.raises(TypeError, match=r"Texture\.decode: max_decoded must be a whole number, got float"):
        texture.decode(max_decoded=1e9)  # type: ignore[arg-type]


def encoded(kind: str, **options: Any) -> bytes:
    """A picture of 8 x 8 pixels that are all different, in one of Pillow's modes."""
    image_module = pytest.importorskip("PIL.Image")
    pixels = np.random.default_rng(0).integers(0, 256, (8, 8, 4), np.uint8)
    file = io.BytesIO()
    mode = options.pop("mode", "RGB")
    image_module.fromarray(pixels).convert(mode).save(file, kind, **options)
    return file.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "AVIF"])
def test_pictures_beyond_pillows_limit_are_decoded(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    texture = lissom.Texture(encoded(kind))
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 10)
    assert texture.decode(max_decoded=256).shape == (8, 8, 4)


def test_a_webp_beyond_pillows_limit_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    texture = lissom.Texture(encoded("WEBP"), "image/webp", "wall")
    monkeypatch.setattr("PIL.Image.MAX_IMAGE_PIXELS", 10)
    sentence = (
        r"^Texture\.decode: the picture named 'wall' must have no more pixels than Pillow reads, twice "
        r"PIL\.Image\.MAX_IMAGE_PIXELS \(Image size \(64 pixels\) .*\); set that higher where the file is "
        r"trusted$"
    )
    with pytest.raises(ValueError, match=sentence):
        texture.decode()


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    "exif",
    [
        b"Exif\0\0",
        b"Exif\0\0II*\0\x08\0\0\0\xff\0",
        b"Exif\0\0MM\0*\0\0\0\x08\0\1\1\x1a\0\5\0\0\xff\xff\0\0\0\x1a",
    ],
    ids=["empty", "cut off", "tag beyond the end"],
)
@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_faults_of_exif_neither_warn_nor_matter(kind: str, exif: bytes) -> None:
    plain = lissom.Texture(encoded(kind)).decode()
    assert np.array_equal(lissom.Texture(encoded(kind, exif=exif)).decode(), plain)


@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("PNG", {"mode": "P", "transparency": 3}),
        ("PNG", {"mode": "L", "transparency": 3}),
        ("PNG", {"save_all": True, "append_images": ["another"]}),
        ("JPEG", {"mode": "CMYK"}),
        ("JPEG", {"progressive": True, "comment": b"by hand", "icc_profile": bytes(200)}),
        ("WEBP", {"lossless": True, "icc_profile": bytes(200)}),
        ("AVIF", {"quality": 90, "icc_profile": bytes(200)}),
        ("AVIF", {"mode": "RGBA"}),
    ],
)
def test_pixels_are_those_that_pillow_finds_in_the_whole_file(kind: str, options: dict[str, Any]) -> None:
    image_module = pytest.importorskip("PIL.Image")
    if "append_images" in options:
        options = {**options, "append_images": [image_module.new("RGB", (8, 8), "red")]}
    data = encoded(kind, **options)
    with image_module.open(io.BytesIO(data)) as image:
        assert np.array_equal(lissom.Texture(data).decode(), image.convert("RGBA"))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "AVIF"])
def test_a_picture_that_is_cut_off_gives_pixels_or_a_value_error(kind: str) -> None:
    """Without a change to the bytes, so that no sum of them is wrong."""
    data = encoded(kind)
    for end in range(len(data)):
        with contextlib.suppress(ValueError):
            assert lissom.Texture(data[:end]).decode().shape == (8, 8, 4)


def test_an_avif_that_declares_too_many_pixels_is_not_decoded() -> None:
    data = encoded("AVIF")
    place = data.index(b"ispe") + 8
    sizes = {12_000: "'sky' must take at most 20000000 bytes, got 12000 x 12000", 20_000: "cannot be read"}
    for side, words in sizes.items():  # libavif has a limit of its own
        large = data[:place] + side.to_bytes(4, "big") * 2 + data[place + 8 :]
        with pytest.raises(ValueError, match=words):
            lissom.Texture(large, "image/avif", "sky").decode(max_decoded=20_000_000)
    with pytest.raises(ValueError, match=r"must take at most 255 bytes, got 8 x 8 pixels of 4"):
        lissom.Texture(data).decode(max_decoded=255)


@pytest.mark.filterwarnings("error")
def test_faults_of_exif_in_an_avif_do_not_matter() -> None:
    plain = lissom.Texture(encoded("AVIF")).decode()
    tags = b"II*\0\x08\0\0\0\1\0\x28\1\3\0\1\0\0\0\2\0\0\0\0\0\0\0"
    data = encoded("AVIF", exif=b"Exif\0\0" + tags)
    assert tags in data
    for broken in (tags[:4] + b"\xff" * 4, tags[:8] + b"\xff\0"):
        changed = data.replace(tags, broken + bytes(len(tags) - len(broken)))
        assert np.array_equal(lissom.Texture(changed).decode(), plain)
