# SPDX-License-Identifier: MIT
"""Films of lissom.render and Stage.film: which moments they show, from where, and what is refused."""

import pickle

import numpy as np
import pytest

import lissom
from lissom.gpu import Camera, SkinnedModel, Stage

SIZE = {"width": 96, "height": 54}


@pytest.fixture(scope="module")
def bar():
    return lissom.samples.twisted_bar()


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


def with_length(clip, duration, loop):
    """A clip of another length, which loops or not."""
    poses = clip.sample(np.linspace(clip.start, clip.end, 21), loop=False)
    return lissom.Clip.from_poses(clip.skeleton, np.linspace(2.0, 2.0 + duration, 21), poses, loop=loop)


def test_a_picture_is_what_render_draws_of_its_moment(context, bar):
    clip = with_length(bar.clips["bend"], 1.0, loop=True)
    camera = Camera((0.0, 0.0, 0.0), 4.0)
    view = {"camera": camera, "ground_height": -1.0, **SIZE}
    film = lissom.render(bar, clip=clip, rate=10, **view)
    assert (len(film), film.rate, film.duration) == (10, 10.0, 1.0)
    for i in (7, 0, 3, -1):  # in any order
        still = lissom.render(bar, clip=clip, time=2.0 + i % 10 / 10, **view)
        np.testing.assert_array_equal(film[i].array, still.array)
    assert [picture.shape for picture in film[2:9:3]] == [(54, 96, 3)] * 3
    np.testing.assert_array_equal(film[2:9:3][1].array, film[5].array)


@pytest.mark.parametrize(
    ("duration", "rate", "count", "shown"),  # worked out by hand: the whole pictures, and how fast they go
    [
        (1.0, 30.0, 30, 30.0),
        (0.7, 30.0, 21, 30.0),
        (1.1 + 2e-8, 30.0, 33, 30.0),  # keys in float32 end beside it
        (1.037, 30.0, 31, 29.893925),  # of 31.11
        (1.0, 12.5, 12, 12.0),  # of 12.5
        (0.7, 12.5, 8, 11.428571),  # of 8.75
        (1.1, 12.5, 13, 11.818182),  # of 13.75
        (1.158333, 50.0, 57, 49.208647),  # of 57.92: never more than the 50 that a GIF can
        (0.01, 30.0, 1, 30.0),
        (0.0009, 30.0, 1, 30.0),
    ],
)
def test_a_loop_has_whole_pictures_and_its_own_speed(context, bar, tmp_path, duration, rate, count, shown):
    clip = with_length(bar.clips["bend"], duration, loop=True)
    film = lissom.render(bar, clip=clip, rate=rate, **SIZE)
    assert len(film) == count
    assert film.rate == pytest.approx(shown, rel=1e-6)
    assert film.rate <= rate
    if count == 1 or rate == 50:
        assert film.save(tmp_path / "loop.gif").stat().st_size > 100


def test_there_and_back_is_one_pass(context, bar):
    """1 s there and 1 s back at 10 per second: 20 pictures, the turn and the beginning once each."""
    bend = bar.clips["bend"]
    half = bend.trimmed(bend.start, bend.start + bend.duration / 2)  # it bends, and the rest is the way back
    clip = with_length(half, 1.0, loop="ping_pong")
    view = {"camera": Camera((0.0, 0.0, 0.0), 4.0), "ground": False, **SIZE}
    film = lissom.render(bar, clip=clip, rate=10, **view)
    assert (len(film), film.rate, film.duration) == (20, 10.0, 2.0)
    for there, back in ((1, 19), (5, 15), (9, 11)):
        apart = np.abs(film[there].array.astype(int) - film[back].array)
        assert np.count_nonzero(apart > 8) < 10  # edges: times differ by rounding
    still = lissom.render(bar, clip.sample(clip.end, loop=False), **view)
    np.testing.assert_array_equal(film[10].array, still.array)
    assert (film[10].array != film[0].array).any()
    loop = with_length(bar.clips["bend"], 1.5, loop=True)
    both = lissom.render([bar, bar], clip=[loop, clip], rate=10, **SIZE)
    assert len(both) == 20  # as long as both ways of the shorter
    row = lissom.contact_sheet(bar, [clip], moments=4, size=64, ground=False).array[:64]
    start, there, end, back = np.split(row, 4, axis=1)
    assert np.abs(there.astype(int) - back).mean() < 0.5 < np.abs(start.astype(int) - end).mean()


def test_a_film_keeps_the_background_it_began_with(context, bar, tmp_path):
    with Stage(96, 54) as stage:
        film = stage.film(bar, turn=1, rate=1)
        before = film[1].array
        for other in (None, (0.5, 0.0, 0.0)):
            stage.background = other
            np.testing.assert_array_equal(film[1].array, before)
        assert film.save(tmp_path / "a.webp").stat().st_size > 100


def test_a_clip_that_ends_is_shown_to_its_end(context, bar):
    clip = with_length(bar.clips["twist"], 1.0, loop=False)
    view = {"camera": Camera((0.0, 0.0, 0.0), 4.0), "ground": False, **SIZE}
    film = lissom.render(bar, clip=clip, rate=10, **view)
    assert (len(film), film.rate) == (11, 10)
    np.testing.assert_array_equal(
        film[-1].array, lissom.render(bar, clip.sample(clip.end, loop=False), **view).array
    )
    assert len(lissom.render(bar, clip=clip, rate=7.4, **view)) == 8  # at 0, ..., 7 / 7.4


def test_seconds_repeat_a_loop_at_the_very_rate_and_hold_an_end(context, bar):
    view = {"camera": Camera((0.0, 0.0, 0.0), 4.0), "ground": False, **SIZE}
    loop = lissom.render(bar, clip=with_length(bar.clips["bend"], 0.73, True), rate=10, seconds=2, **view)
    assert (len(loop), loop.rate) == (20, 10)
    ends = lissom.render(bar, clip=with_length(bar.clips["twist"], 0.5, False), rate=10, seconds=2, **view)
    np.testing.assert_array_equal(ends[5].array, ends[19].array)
    assert (ends[4].array != ends[5].array).any()


def test_a_turntable_turns_evenly_and_ends_before_its_beginning(context, bar):
    film = lissom.render(bar, turn=-2, rate=8, seconds=2, azimuth=10, **SIZE)
    assert (len(film), film.rate) == (16, 8)
    np.testing.assert_array_equal(film[0].array, film[8].array)  # one turn is half of it
    camera = Camera((0.1, 0.0, 0.0), 5.0, azimuth=10.0)
    turned = lissom.render(bar, turn=1, rate=4, seconds=1, camera=camera, **SIZE)
    other = lissom.render(bar, camera=Camera((0.1, 0.0, 0.0), 5.0, azimuth=100.0), **SIZE)
    np.testing.assert_array_equal(turned[1].array, other.array)
    assert len(lissom.render(bar, turn=1.5)) == 180  # 4 s for each turn
    assert isinstance(lissom.render(bar, clip="bend", time=1.0, turn=1, **SIZE), lissom.Animation)


def covered(picture):
    """Whether each pixel shows more than the background."""
    return (np.abs(picture.array.astype(int) - picture.array[0, 0]) > 12).any(axis=2)


@pytest.mark.parametrize("turn", [None, 1.0])
def test_all_of_the_motion_is_in_the_picture(context, bar, turn):
    skeleton = bar.skeleton
    poses = np.repeat(skeleton.rest[None], 9, axis=0)
    poses[:, 0, 0] += np.linspace(0, 6, 9)  # it moves aside by several times its length
    poses[:, 0, 1] += np.linspace(0, 3, 9)
    clip = lissom.Clip.from_poses(skeleton, np.linspace(0, 1, 9), poses, name="away", loop=False)
    film = lissom.render(bar, clip=clip, rate=6, turn=turn, ground=False, **SIZE)
    seen = np.any([covered(picture) for picture in film], axis=0)
    assert not np.concatenate([seen[0], seen[-1], seen[:, 0], seen[:, -1]]).any()
    if turn is None:  # and it is no smaller than it must be: a margin of 7 % at one pair of edges
        rows, columns = np.flatnonzero(seen.any(axis=1)), np.flatnonzero(seen.any(axis=0))
        assert max(np.ptp(rows) / 54, np.ptp(columns) / 96) > 0.8
    assert all(covered(picture).sum() > 10 for picture in film)


def test_the_ground_stays_where_the_lowest_of_all_poses_stands(context, bar):
    skeleton = bar.skeleton
    poses = np.repeat(skeleton.rest[None], 3, axis=0)
    poses[1, 0, 1] += 2.0  # a jump
    clip = lissom.Clip.from_poses(skeleton, [0, 0.5, 1], poses, name="jump", loop=False)
    view = {"camera": Camera((0.0, 1.0, 0.0), 8.0), **SIZE}
    film = lissom.render(bar, clip=clip, rate=2, **view)
    low = float(bar.mesh.positions[:, 1].min())
    np.testing.assert_array_equal(
        film[1].array, lissom.render(bar, poses[1], ground_height=low, **view).array
    )


def test_heat_and_blend_go_with_the_film(context, hero):
    heat = hero.mesh.positions[:, 1] - hero.mesh.positions[:, 1].min()
    view = {
        "camera": Camera((0.0, 0.9, 0.0), 5.0),
        "ground": False,
        "heat": heat,
        "width": 192,
        "height": 128,
    }
    film = lissom.render(hero, clip="walk", **view)
    still = lissom.render(hero, clip="walk", time=0.2, **view)  # with its scale
    np.testing.assert_array_equal(film[6].array, still.array)
    blended = lissom.render(hero, clip="walk", method="blended", blend="bend", **SIZE)
    assert blended[3].shape == (54, 96, 3)


def test_nothing_is_drawn_before_it_is_asked_for(context, bar, monkeypatch):
    drawn = []
    render = Stage._render
    monkeypatch.setattr(Stage, "_render", lambda self, *how: drawn.append(1) or render(self, *how))
    film = lissom.render(bar, clip="bend", **SIZE)
    assert (film.width, film.height, len(film), repr(film)) == (
        96,
        54,
        120,
        "Animation(120 pictures, 96 x 54, 4.00 s)",
    )
    assert not drawn
    assert film.strip(3).width == 288
    assert len(drawn) == 3
    copy = pickle.loads(pickle.dumps(lissom.Animation(film[::40], 2)))
    assert len(copy) == 3


def test_films_are_drawn_after_many_other_stages(context, bar):
    film = lissom.render(bar, clip="bend", **SIZE)
    before = film[60].array
    for side in range(20, 28):  # more than are kept
        lissom.render(bar, width=side, height=side)
    np.testing.assert_array_equal(film[60].array, before)


def test_a_film_of_ones_own_things(context, bar, tmp_path):
    asked = []
    with Stage(96, 54) as stage, SkinnedModel(bar) as model:

        def pose(time):
            asked.append(time)
            model.set_pose(bar.clips["bend"].sample(time))

        film = stage.film(model, pose=pose, seconds=1.0, rate=8)
        assert not asked
        film.save(tmp_path / "own.webp")
        assert asked[-8:] == [i / 8 for i in range(8)]
        camera = Camera((0.0, 0.0, 0.0), 5.0)
        moved = stage.film(model, pose=lambda time: Camera((time, 0.0, 0.0), 5.0), seconds=2, rate=1)
        np.testing.assert_array_equal(moved[0].array, stage.render(model, camera=camera, ground=True).array)
        assert (moved[0].array != moved[1].array).any()
        plain = stage.film(bar, turn=1, rate=2)
        assert len(plain) == 8
        assert plain[0].shape == (54, 96, 3)
    with pytest.raises(lissom.GpuError, match=r"^Stage\.film: this stage was released; make a new one"):
        film[0]


def test_what_is_no_film_is_refused_before_anything_is_drawn(context, bar, tmp_path, monkeypatch):
    rest = lissom.Clip.from_poses(bar.skeleton, [0.0], bar.skeleton.rest[None], name="rest")
    with Stage(96, 54) as stage:
        monkeypatch.setattr(Stage, "_draw", lambda *_, **__: pytest.fail("drawn"))
        for film, error, message in (
            (
                lambda: lissom.render(bar, clip=rest),
                ValueError,
                "render: clip 'rest' must have a duration for",
            ),
            (lambda: lissom.render(bar, clip=rest, seconds=2), ValueError, "render: clip 'rest' must have"),
            (
                lambda: lissom.render(bar, clip="bend", rate=0),
                ValueError,
                "render: rate must be at most 1000",
            ),
            (lambda: lissom.render(bar, clip="bend", rate="x"), TypeError, "render: rate must be a number"),
            (
                lambda: lissom.render(bar, clip="bend", rate=1e4),
                ValueError,
                "render: rate must be at most 1000",
            ),
            (
                lambda: lissom.render(bar, clip="bend", seconds=-1),
                ValueError,
                "render: seconds must be above",
            ),
            (
                lambda: lissom.render(bar, clip="bend", seconds=1e9),
                ValueError,
                "render: a film must have at most",
            ),
            (
                lambda: lissom.render(bar, seconds=1),
                ValueError,
                "render: seconds must come with turn, or with a",
            ),
            (lambda: lissom.render(bar, turn=0), ValueError, "render: turn must not be 0 for a film of one"),
            (
                lambda: lissom.render(bar, clip="bend", time=0, turn=0.0),
                ValueError,
                "render: turn must not be 0 for a film of one",
            ),
            (lambda: stage.film(bar, turn=0), ValueError, "Stage.film: seconds must be passed where turn"),
            (lambda: lissom.render(bar, turn=np.nan), ValueError, "render: turn must be finite"),
            (lambda: lissom.render(bar, clip="bend", camera=3), TypeError, "render: camera must be a Camera"),
            (lambda: lissom.render(bar, clip="bend", ground=3), TypeError, "render: ground must be True"),
            (
                lambda: lissom.render(bar, clip="bend", method="x"),
                ValueError,
                "render: method must be one of",
            ),
            (
                lambda: lissom.render(bar, bar.skeleton.rest, clip="bend"),
                ValueError,
                "render: pose must be omi",
            ),
            (lambda: stage.film(bar), ValueError, "Stage.film: seconds must be passed where turn is not"),
            (lambda: stage.film(bar, pose=3, seconds=1), TypeError, "Stage.film: pose must be callable"),
            (lambda: stage.film(3, seconds=1), TypeError, "Stage.film: things must be SkinnedModel"),
        ):
            with pytest.raises(error, match=f"^{message}"):
                film()
        fast = lissom.render(bar, clip="bend", rate=60, **SIZE)
        pytest.importorskip("av")
        for film, name, message in (
            (fast, "a.gif", "path: a GIF shows at most 50 pictures"),
            (fast, "a.xyz", "path must be a name ending in"),
        ):
            with pytest.raises(ValueError, match=f"^Animation.save: {message}"):
                film.save(tmp_path / name)
        with pytest.raises(FileNotFoundError):
            fast.save(tmp_path / "none" / "a.webp")
    assert not list(tmp_path.iterdir())


def test_a_transparent_background_goes_before_any_other(context, bar, hero):
    """Over another background it is what is drawn over that one, shadows and edges included."""
    other = (0.2, 0.5, 0.1)
    for character, view in ((hero, {"azimuth": 20.0}), (bar, {"ground": False})):
        clear = lissom.render(character, background=None, width=192, height=108, **view)
        assert clear.shape == (108, 192, 4)
        drawn = lissom.render(character, background=other, width=192, height=108, **view).array.astype(float)
        alpha = clear.array[..., 3:] / 255
        behind = lissom.render(character, background=other, width=192, height=108, ground=False).array[0, 0]
        over = clear.array[..., :3] * alpha + behind * (1 - alpha)
        if not view.get("ground", True):
            np.testing.assert_allclose(over, drawn, atol=2)  # of 255: four are rounded
        assert clear.array[0, 0, 3] == 0
        solid = clear.array[..., 3] == 255
        assert solid.sum() > 100
        np.testing.assert_allclose(clear.array[solid][:, :3], drawn[solid], atol=1.5)
    shadow = (clear.array[..., 3] > 20) & (clear.array[..., 3] < 235)
    assert shadow.any()
    with Stage(96, 54, background=None) as stage:
        film = stage.film(bar, turn=1, rate=1)
        assert film[0].shape == (54, 96, 4)
    for wrong in ((0.5, 0.5), "rgb", "", "#ffffff80", (2, 0, 0), (np.nan, 0, 0), 3):
        with pytest.raises((TypeError, ValueError), match=r"^render: background must"):
            lissom.render(bar, background=wrong)
    with pytest.raises(ValueError, match=r"from 0 to 1, got 255; divide by 255, or write it as in web pages"):
        lissom.render(bar, background=(255, 0, 0))


def test_a_background_may_be_written_as_in_web_pages(context, bar):
    for color, wanted in (("white", (255,) * 3), ("#ff8000", (255, 128, 0)), ("#FFF", (255,) * 3)):
        picture = lissom.render(bar, background=color, ground=False, width=32, height=32)
        assert tuple(picture.array[0, 0]) == wanted
