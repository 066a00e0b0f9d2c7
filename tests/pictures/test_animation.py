# SPDX-License-Identifier: MIT
"""Animations: what they write is read back by Pillow with the pictures and times that went in."""

import base64
import io
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from lissom import Animation, Picture
from lissom._formats.films import inline
from lissom._formats.films.video import write_video

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


def test_a_notebook_plays_it_or_shows_moments(monkeypatch):
    animation = Animation(frames(), rate=20)
    with images.open(io.BytesIO(animation._repr_png_())) as image:
        assert image.size == (4 * WIDTH, HEIGHT)
    with images.open(io.BytesIO(Animation(frames(1))._repr_png_())) as image:
        assert image.size == (WIDTH, HEIGHT)
    for needs, head in (("av", b"\x1aE\xdf\xa3"), ("PIL", b"RIFF")):  # a WebM where PyAV is there; a WebP
        pytest.importorskip(needs)
        html = animation._repr_html_()
        assert ("<video " in html) == (needs == "av")
        assert base64.b64decode(html.partition("base64,")[2].partition('"')[0]).startswith(head)
        assert f'width="{WIDTH}"' in html
        monkeypatch.setitem(sys.modules, "av", None)
    monkeypatch.setattr(inline, "MOST_BYTES", 100)
    assert animation._repr_html_() is None
    monkeypatch.setattr(inline, "MOST_PIXELS", 100)
    monkeypatch.setattr(Animation, "_write", lambda *_: pytest.fail("drawn"))
    assert animation._repr_html_() is None


def with_alpha():
    """The square alone, half of it seen through."""
    result = []
    for picture in frames():
        alpha = np.where(np.ptp(picture, axis=2) > 0, np.uint8(255), np.uint8(0))
        alpha[15:20] //= 3
        result.append(np.dstack([picture, alpha]))
    return result


@pytest.mark.parametrize("suffix", [".png", ".webp", ".gif"])
def test_alpha_comes_back(tmp_path, suffix):
    given = with_alpha()
    path = Animation(given, rate=20).save(tmp_path / f"a{suffix}")
    with images.open(path) as image:
        assert image.n_frames == COUNT
        for i, picture in enumerate(given):
            image.seek(i)
            got = np.asarray(image.convert("RGBA"))
            alpha = np.where(picture[..., 3] < 128, 0, 255) if suffix == ".gif" else picture[..., 3]
            np.testing.assert_allclose(got[..., 3], alpha, atol=0 if suffix != ".webp" else 3)
            solid = picture[..., 3] == 255
            assert np.abs(got[solid].astype(int) - picture[solid])[:, :3].mean() < 14  # blurred by WebP


def test_alpha_is_no_video(tmp_path):
    with pytest.raises(
        ValueError, match=r"^Animation.save: a video has no transparent background, .* \.webp"
    ):
        Animation(with_alpha()).save(tmp_path / "a.mp4")
    with pytest.raises(ValueError, match="must all be of one size"):
        Animation([frames(1)[0], with_alpha()[0]])


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
    with pytest.raises(ValueError, match=r"path must be a name ending in \.gif, .*, \.webm, got 'a\.avi'"):
        Animation([one]).save(tmp_path / "a.avi")
    with pytest.raises(ValueError, match=r"a GIF shows at most 50 pictures .*, got 60; save as \.png"):
        Animation([one, one], 60).save(tmp_path / "a.gif")
    with pytest.raises(FileNotFoundError):
        Animation([one]).save(tmp_path / "none" / "a.gif")
    assert not list(tmp_path.iterdir())


def test_without_pillow_the_extra_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(ImportError, match=r'saving an animation needs Pillow, .* "gl": pip install'):
        Animation(frames(2)).save(tmp_path / "a.gif")


@pytest.mark.parametrize(
    ("suffix", "codec", "name"),
    [
        (".mp4", None, "vp9"),
        (".mp4", "av1", "av1"),
        (".mp4", "h264", "h264"),
        (".webm", None, "vp9"),
        (".webm", "av1", "av1"),
    ],
)
@pytest.mark.parametrize("rate", [30, 23.976])
def test_a_video_has_the_pictures_at_their_times(tmp_path, suffix, codec, name, rate, capfd):
    av = pytest.importorskip("av", reason="PyAV writes and reads videos")
    if codec == "h264" and "libx264" not in av.codecs_available:
        pytest.skip("this PyAV has no x264")
    given = frames(30, 120, 240)
    path = Animation(given, rate=rate).save(tmp_path / f"walk{suffix}", codec=codec)
    pixels, times = [], []
    with av.open(str(path)) as container:
        (stream,) = container.streams.video
        assert stream.codec.canonical_name == name
        assert stream.codec_context.pix_fmt == "yuv420p"
        for frame in container.decode(stream):
            times.append(float(frame.pts * frame.time_base))
            pixels.append(frame.to_ndarray(format="rgb24"))
    np.testing.assert_allclose(times, np.arange(30) / rate, atol=1e-3 if suffix == ".webm" else 1e-6)
    for got, picture in zip(pixels, given, strict=True):
        assert got.shape == picture.shape
        apart = np.abs(got.astype(int) - picture)
        assert apart.mean() < 3
        assert np.abs(got[60:, :, :].astype(int).mean(axis=(0, 1)) - picture[60:].mean(axis=(0, 1))).max() < 2
        x = int(np.argmax(picture[15, :, 0].astype(int) - picture[15, :, 1]))
        assert got[15, x + 3, 0] > got[15, x + 3, 1] + 80  # the red square, where it was
    assert capfd.readouterr().err == ""  # encoders talk


@pytest.mark.skipif(not hasattr(os, "sched_getscheduler"), reason="the system does not tell how it schedules")
@pytest.mark.parametrize("codec", ["vp9", "av1"])
def test_encoders_take_no_real_time_priority(codec):
    """SVT-AV1 does so where it is let, as root is: tests after this one would starve each other."""
    pytest.importorskip("av")
    seen = set()

    def pictures():
        for picture in frames():
            yield picture
            seen.update(os.sched_getscheduler(int(thread)) for thread in os.listdir("/proc/self/task"))

    before = {os.sched_getscheduler(int(thread)) for thread in os.listdir("/proc/self/task")}
    write_video(io.BytesIO(), pictures(), 10, ".webm", codec)
    assert seen <= before


@pytest.mark.parametrize("codec", ["vp9", "av1", "h264"])
def test_of_an_odd_size_the_last_row_and_column_are_shown_twice(tmp_path, codec):
    av = pytest.importorskip("av", reason="PyAV writes and reads videos")
    y, x = np.mgrid[:35, :65]
    picture = np.stack([3 * x, 6 * y, 255 - 3 * x], axis=2).astype(np.uint8)
    film = Animation([picture] * 3, rate=10)
    with av.open(str(film.save(tmp_path / "a.mp4", codec=codec))) as container:
        shown = [frame.to_ndarray(format="rgb24").astype(int) for frame in container.decode(video=0)]
    assert [frame.shape for frame in shown] == [(36, 66, 3)] * 3
    assert np.abs(shown[0][:35, :65] - picture).mean() < 4
    assert np.abs(shown[0][35, :65] - picture[34]).mean() < 6
    assert np.abs(shown[0][:35, 65] - picture[:, 64]).mean() < 6
    assert 'width="66" height="36"' in film._repr_html_()  # a pixel of the film is one of the page


def test_what_is_no_video_is_refused_in_a_sentence(tmp_path, monkeypatch):
    av = pytest.importorskip("av", reason="PyAV writes videos")
    even = Animation(frames(2))
    for animation, name, codec, message in (
        (even, "a.webm", "h264", "codec must be one of 'vp9', 'av1' for a .webm file, got 'h264'"),
        (Animation(frames(2, 14, 64)), "a.mp4", None, "a video needs at least 16 x 16 pixels, got 64 x 14"),
        (
            Animation(frames(2), 1e-6),
            "a.mp4",
            None,
            "a video shows between 0.01 and 1000 pictures per second",
        ),
        (even, "a.gif", "vp9", "codec must be omitted for a .gif file, which is no video, got 'vp9'"),
        (
            even,
            "a.avi",
            None,
            "path must be a name ending in .gif, .png, .apng, .webp, .mp4, .webm, got 'a.avi'",
        ),
    ):
        with pytest.raises(ValueError, match=f"^Animation.save: {message}"):
            animation.save(tmp_path / name, codec=codec)
    monkeypatch.setattr(av, "codecs_available", {"libvpx-vp9"})
    with pytest.raises(ValueError, match="no encoder 'libx264' for 'h264'; choose codec='vp9'"):
        even.save(tmp_path / "a.mp4", codec="h264")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(("suffix", "slowest"), [(".png", 0.01525903), (".apng", 0.01525903), (".gif", 0.01)])
def test_the_slowest_rate_can_be_written_and_a_slower_one_is_refused_first(tmp_path, suffix, slowest):
    """A delay of PNG is 16 bits over 1000: 65.535 s, which is 0.015259022 pictures per second."""
    path = Animation(frames(3), slowest).save(tmp_path / f"a{suffix}")
    _, times = read(path)
    np.testing.assert_allclose(times, 1000 / slowest, atol=10)
    pictures = frames(3)
    slower = Animation(pictures, 0.99 * slowest)
    with pytest.raises(ValueError, match=rf"Animation\.save: a {suffix} file shows between 0\.01\S* and"):
        slower.save(tmp_path / f"slow{suffix}")
    assert [each.name for each in tmp_path.iterdir()] == [path.name]


def test_threads_that_write_videos_restore_what_they_found(tmp_path, monkeypatch):
    """The second begins while the first writes, and ends after it."""
    av = pytest.importorskip("av", reason="PyAV writes videos")
    monkeypatch.delenv("SVT_LOG", raising=False)
    level = av.logging.get_level()
    began, joined, ended = threading.Event(), threading.Event(), threading.Event()
    picture = frames(1)[0]
    levels = []

    def first():
        yield picture
        began.set()
        assert joined.wait(30)
        yield picture

    def second():
        joined.set()
        yield picture
        assert ended.wait(30)
        levels.append(av.logging.get_level())
        yield picture

    with ThreadPoolExecutor(2) as threads:
        one = threads.submit(write_video, io.BytesIO(), first(), 10.0, ".webm", "vp9")
        assert began.wait(30)
        other = threads.submit(write_video, io.BytesIO(), second(), 10.0, ".webm", "vp9")
        one.result(30)
        ended.set()
        other.result(30)
    assert levels == [av.logging.PANIC]  # quiet while one writes
    assert av.logging.get_level() == level
    assert "SVT_LOG" not in os.environ


def test_apng_is_an_animated_png(tmp_path):
    path = Animation(frames(), rate=20).save(tmp_path / "walk.apng")
    pixels, times = read(path)
    assert (len(pixels), times[0]) == (COUNT, 50)
