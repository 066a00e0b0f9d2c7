# SPDX-License-Identifier: MIT
"""Animations: what they write is read back by Pillow with the pictures and times that went in."""

import io
import sys

import numpy as np
import pytest

from lissom import Animation, Picture

images = pytest.importorskip("PIL.Image", reason="Pillow writes and reads the files")

COUNT, HEIGHT, WIDTH = 12, 36, 64


def frames(count=COUNT, height=HEIGHT, width=WIDTH):
    """A square that walks over a shaded ground."""
    shade = np.linspace(150, 230, width).astype(np.uint8)
    made = np.broadcast_to(shade[None, :, None], (height, width, 3))
    result = []
    for i in range(count):
        picture = made.copy()
        picture[10:20, 4 * i : 4 * i + 8] = [200, 40, 20]
        result.append(picture)
    return result


def read(path):
    """Pictures, and how long each is shown in milliseconds."""
    pixels, times = [], []
    with images.open(path) as image:
        for i in range(image.n_frames):
            image.seek(i)
            pixels.append(np.asarray(image.convert("RGB")))
            times.append(image.info["duration"])
        assert image.info.get("loop") == 0
    return pixels, times


@pytest.mark.parametrize(("suffix", "off"), [(".gif", 6), (".png", 0), (".webp", 12)])
def test_pictures_and_times_come_back(tmp_path, suffix, off):
    given = frames()
    path = Animation(given, rate=20).save(tmp_path / f"walk{suffix}")
    pixels, times = read(path)
    assert len(pixels) == COUNT
    assert times == [50] * COUNT
    for got, picture in zip(pixels, given, strict=True):
        assert got.shape == picture.shape
        apart = np.abs(got.astype(int) - picture)
        assert apart.mean() <= off / 4
        assert np.quantile(apart, 0.9) <= off  # WebP halves colour, not brightness: edges of red bleed


@pytest.mark.parametrize(("suffix", "unit"), [(".gif", 10), (".png", 1), (".webp", 1)])
def test_rounding_of_times_does_not_add_up(tmp_path, suffix, unit):
    count = 15
    _, times = read(Animation(frames(count), rate=30).save(tmp_path / f"a{suffix}"))
    ends = np.cumsum(times)
    np.testing.assert_allclose(ends, np.arange(1, count + 1) * 1000 / 30, atol=unit / 2 + 1e-9)


def test_pictures_that_stay_keep_their_time(tmp_path):
    still = frames(1) * 5
    with images.open(Animation([*still, *frames(2)[1:]], rate=10).save(tmp_path / "a.gif")) as image:
        total = 0
        for i in range(image.n_frames):
            image.seek(i)
            total += image.info["duration"]
    assert total == 600


def test_five_seconds_of_a_moving_picture_are_a_small_gif(tmp_path):
    rng = np.random.default_rng(3)
    x, y = np.meshgrid(np.linspace(0, 9, 480), np.linspace(0, 6, 270))
    pictures = []
    for i in range(75):  # soft shades that all move, as a camera that follows somebody shows them
        shade = 190 + 30 * np.sin(x + 0.1 * i) * np.cos(y - 0.07 * i)
        pictures.append(np.repeat(np.rint(shade + rng.uniform(0, 1)).astype(np.uint8)[..., None], 3, axis=2))
    path = Animation(pictures, rate=15).save(tmp_path / "a.gif")
    assert path.stat().st_size < 4 << 20


def test_a_strip_shows_the_first_the_last_and_what_lies_between():
    given = frames()
    strip = Animation(given).strip(4)
    assert isinstance(strip, Picture)
    shown = np.split(strip.array, 4, axis=1)
    for got, index in zip(shown, (0, 4, 7, 11), strict=True):
        np.testing.assert_array_equal(got, given[index])
    assert Animation(given).strip(100).width == COUNT * WIDTH
    np.testing.assert_array_equal(Animation(given).strip(1).array, given[0])
    with pytest.raises(ValueError, match=r"Animation\.strip: count must be at least 1, got 0"):
        Animation(given).strip(0)


def test_a_notebook_shows_an_animated_png():
    animation = Animation(frames(), rate=20)
    with images.open(io.BytesIO(animation._repr_png_())) as image:
        assert image.n_frames == COUNT
    with images.open(io.BytesIO(Animation(frames(1))._repr_png_())) as image:
        assert image.size == (WIDTH, HEIGHT)


def test_it_is_a_sequence_that_says_what_it_is():
    animation = Animation((Picture(picture) for picture in frames()), rate=24)
    assert len(animation) == COUNT
    assert animation[-1] is list(animation)[-1]
    assert animation.duration == pytest.approx(0.5)
    assert (animation.width, animation.height) == (WIDTH, HEIGHT)
    assert repr(animation) == "Animation(12 pictures, 64 x 36, 0.50 s)"
    assert repr(Animation(frames(1), 2)) == "Animation(1 picture, 64 x 36, 0.50 s)"


def test_misuse_is_refused_in_a_sentence(tmp_path):
    one, other = frames(1)[0], np.zeros((3, 4, 3), np.uint8)
    for arguments, error, sentence in (
        (([],), ValueError, "Animation: pictures must hold at least one, got none"),
        (([one, other],), ValueError, "pictures must all be of one size, got 64 x 36 and, at 1, 4 x 3"),
        ((["a.png"],), TypeError, "pictures must be Pictures or arrays, got str at 0"),
        (
            ([one.astype(float)],),
            ValueError,
            r"pictures must be uint8 arrays .*, got float64 \(36, 64, 3\) at 0",
        ),
        (([one[..., 0]],), ValueError, r"got uint8 \(36, 64\) at 0"),
        (([one], 0), ValueError, "Animation: rate must be above zero and finite, got 0"),
        (([one], "fast"), TypeError, "Animation: rate must be a number, got str"),
    ):
        with pytest.raises(error, match=sentence):
            Animation(*arguments)
    with pytest.raises(ValueError, match=r"path must be a name ending in \.gif, \.png, \.webp, got 'a\.mp4'"):
        Animation([one]).save(tmp_path / "a.mp4")
    with pytest.raises(ValueError, match=r"a GIF shows at most 50 pictures .*, got 60; save as \.png"):
        Animation([one, one], 60).save(tmp_path / "a.gif")
    with pytest.raises(FileNotFoundError):
        Animation([one]).save(tmp_path / "none" / "a.gif")
    assert not list(tmp_path.iterdir())


def test_without_pillow_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=r'saving an animation needs PIL, .* "gl": pip install'):
        Animation(frames(2)).save(tmp_path / "a.gif")
