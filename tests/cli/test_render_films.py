# SPDX-License-Identifier: MIT
"""`lissom render`: films by their ending, turntables, moments and contact sheets."""

from pathlib import Path

import numpy as np
import pytest

import lissom
from cli.files import BAR, TUBE

images = pytest.importorskip("PIL.Image", reason="Pillow writes and reads the files")
pytestmark = pytest.mark.gl

SMALL = ("--width", 64, "--height", 48)


def pixels(path: Path) -> np.ndarray:
    with images.open(path) as image:
        return np.asarray(image)


def test_the_ending_makes_a_film(run, tmp_path: Path) -> None:
    av = pytest.importorskip("av", reason="PyAV writes and reads videos")
    out, codec = tmp_path / "deep" / "bend.mp4", ("--codec", "av1")
    result = run("render", BAR, "--clip", "Bend", "-o", out, "--rate", 5, "--seconds", 2, *SMALL, *codec)
    assert (result.code, result.out.strip()) == (0, str(out)), result.err
    with av.open(str(out)) as container:
        (stream,) = container.streams.video
        assert (stream.width, stream.height, stream.average_rate) == (64, 48, 5)
        assert stream.codec.canonical_name == "av1"
        assert len(list(container.decode(stream))) == 10


def test_a_turntable_without_background(run, tmp_path: Path) -> None:
    out = tmp_path / "turn.webp"
    result = run("render", TUBE, "--turn", 1, "--rate", 2, "-o", out, "--transparent", *SMALL)
    assert result.code == 0, result.err
    with images.open(out) as image:
        assert image.n_frames == 8
        assert np.asarray(image.convert("RGBA"))[0, 0, 3] == 0
    still = tmp_path / "still.png"
    assert run("render", TUBE, "-o", still, "--transparent", *SMALL).code == 0
    assert pixels(still).shape == (48, 64, 4)


def test_moments_of_a_loop_are_evenly_spaced(run, tmp_path: Path) -> None:
    out = tmp_path / "row.png"
    result = run("render", BAR, "--clip", "bend", "--moments", 4, "-o", out, *SMALL)
    assert result.code == 0, result.err
    bar = lissom.samples.twisted_bar()
    film = lissom.render(bar, clip="bend", rate=1, width=64, height=48)
    assert len(film) == 4
    np.testing.assert_array_equal(pixels(out), np.concatenate([picture.array for picture in film], axis=1))
    assert run("render", TUBE, "--turn", 1, "--moments", 3, "-o", out, *SMALL).code == 0
    assert pixels(out).shape == (48, 192, 3)


def test_a_sheet_shows_all_clips(run, tmp_path: Path) -> None:
    out = tmp_path / "sheet.png"
    result = run("render", BAR, "--sheet", "--moments", 3, "--height", 48, "-o", out)
    assert result.code == 0, result.err
    same = lissom.contact_sheet(lissom.samples.twisted_bar(), moments=3, size=48)
    np.testing.assert_array_equal(pixels(out), same.array)


@pytest.mark.parametrize(
    ("options", "size", "frames"),
    [
        ((), (64, 48), 1),
        (("--clip", "bend", "--time", 1), (64, 48), 1),
        (("--clip", "bend", "--rate", 2), (64, 48), 8),
        (("--turn", 0.5, "--rate", 2), (64, 48), 4),
        (("--clip", "bend", "--moments", 3), (192, 48), 1),
    ],
)
def test_a_webp_is_a_film_of_what_moves(run, tmp_path: Path, options, size, frames) -> None:
    out = tmp_path / "a.webp"
    result = run("render", BAR, *options, "-o", out, *SMALL)
    assert result.code == 0, result.err
    with images.open(out) as image:
        assert (image.size, image.n_frames) == (size, frames)


@pytest.mark.parametrize("files", [(BAR,), (BAR, TUBE)])
def test_a_jpg_is_a_picture_of_what_moves(run, tmp_path: Path, files) -> None:
    out = tmp_path / "a.jpg"
    result = run("render", *files, "--clip", "bend", "-o", out, *SMALL)
    assert result.code == 0, result.err
    with images.open(out) as image:
        assert (image.format, image.size) == ("JPEG", (64, 48))


@pytest.mark.parametrize(
    ("options", "name", "message"),
    [
        ((), "a.mp4", "a film needs --clip or --turn"),
        (("--clip", "bend", "--time", 1), "a.gif", "a film needs --clip or --turn"),
        (("--rate", 5), "a.webp", "needs a film: --clip without --time, or --turn"),
        (("--moments", 3), "a.png", "a row of moments needs --clip or --turn"),
        (("--turn", 1), "a.png", "for a row in one picture"),
        (("--clip", "bend", "--rate", 5), "a.png", "needs a film"),
        (("--clip", "bend", "--codec", "vp9"), "a.png", "needs a film"),
        (("--clip", "bend", "--moments", 3), "a.gif", "must end in .png, .jpg, .jpeg or .webp"),
        (("--sheet",), "a.gif", "must end in .png, .jpg, .jpeg or .webp"),
        (("--sheet", "--clip", "bend"), "a.png", "which shows all clips"),
        (("--sheet", "--transparent"), "a.png", "takes neither"),
        (("--clip", "bend", "--seconds", 0), "a.gif", "0.01"),
        (("--clip", "bend", "--codec", "mpeg"), "a.mp4", "must be one of vp9, av1, h264"),
        (("--clip", "bend"), "a.glb", "for a walk alone"),
        (("--clip", "bend", "--turn", 1, "--walk-on", "stair"), "a.gif", "must be left out for a walk"),
        (("--clip", "bend"), "a.avi", "must end in .png, .jpg, .jpeg or .webp, for a film in .mp4, .webm"),
    ],
)
def test_what_makes_no_film_is_misuse(run, tmp_path: Path, options, name, message) -> None:
    result = run("render", BAR, *options, "-o", tmp_path / name)
    assert result.code == 2
    assert message in " ".join(result.err.replace("│", " ").split())
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("options", "name", "message"),
    [
        (("--transparent",), "a.webm", "-o: a video has no transparent background"),
        (("--rate", 60), "a.gif", "-o: path: a GIF shows at most 50 pictures"),
        (("--codec", "h264"), "a.webm", "-o: codec must be one of 'vp9', 'av1' for a .webm file"),
        (("--time", 1, "--transparent"), "a.jpg", "-o: a JPEG has no transparent background"),
        (("--moments", 100, "--width", 200), "a.webp", "-o: a .webp file has at most 16383 x 16383 pixels"),
        (("--codec", "vp9"), "a.gif", "-o: codec must be omitted for a .gif file"),
    ],
)
def test_what_cannot_be_written_is_said_first(
    run, tmp_path: Path, monkeypatch, options, name, message
) -> None:
    pytest.importorskip("av", reason="PyAV writes videos")
    monkeypatch.setattr(lissom.gpu.Stage, "_render", lambda *_: pytest.fail("drawn"))
    result = run("render", BAR, "--clip", "bend", "-o", tmp_path / name, *options)
    assert (result.code, result.err.startswith(f"lissom: {message}")) == (1, True), result.err
    assert not list(tmp_path.iterdir())


def test_a_model_without_clips_has_no_sheet(run, tmp_path: Path) -> None:
    path = tmp_path / "still.glb"
    lissom.save_glb(lissom.samples.two_bone_tube(), path, clips=[])
    result = run("render", path, "--sheet", "-o", tmp_path / "a.png")
    assert (result.code, result.err) == (1, f"lissom: {path}: has no clips to draw\n")


def test_the_fastest_gif_of_any_loop_can_be_written(run, tmp_path: Path) -> None:
    """What is checked first holds for the film, too: 1.0158 s are 50.79 pictures at 50 per second."""
    hero = lissom.samples.humanoid()
    walk = hero.clips["walk"]
    times = np.linspace(0.0, 1.0158, 9)
    clip = lissom.Clip.from_poses(
        hero.skeleton, times, walk.sample(np.linspace(walk.start, walk.end, 9)), name="walk", loop=True
    )
    path = tmp_path / "hero.glb"
    lissom.save_glb(hero, path, clips=[clip])
    options = ("--clip", "walk", "--rate", 50, "--width", 64, "--height", 48)
    result = run("render", path, *options, "-o", tmp_path / "a.gif")
    assert result.code == 0, result.err
