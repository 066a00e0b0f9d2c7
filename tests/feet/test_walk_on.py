# SPDX-License-Identifier: MIT
"""``lissom render --walk-on``: films, stills and the motion of walks, and how these are made."""

import re
import sys

import numpy as np
import pytest

import lissom
from lissom import trs
from lissom.cli import ground_walk, main

HERO = "sample:humanoid"
SMALL = ("--width", 128, "--height", 64, "--rate", 10, "--seconds", 1)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]):
    """Run the command in this process: exit code, stdout, and stderr as one line without frames."""

    def call(*arguments: object) -> tuple[int, str, str]:
        capsys.readouterr()
        with pytest.raises(SystemExit) as left:
            main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        err = " ".join(re.sub("[╭╮╰╯│─]", "", captured.err).split())
        return left.value.code, captured.out.strip(), err

    return call


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def legs(hero):
    return ground_walk.legs_of(hero, ())


# How the walk is made


def test_a_walk_goes_along_z_as_its_root_motion_does(hero, legs):
    ground = ground_walk.ground_for("stair", hero, legs)
    clip = hero.clips["walk"]
    walk = ground_walk.walk_over(hero, clip, ground, legs, rate=30)
    np.testing.assert_allclose(np.diff(walk.times), 1 / 30)
    speed = clip.root_motion.speed
    np.testing.assert_allclose(walk.path_world[:, 2], speed * walk.times, rtol=1e-6)
    assert walk.path_world[-1, 2] == pytest.approx(float(ground.positions[:, 2].max()), abs=0.5)
    expected = clip.sample(walk.times, loop=True).astype(np.float64)
    expected[:, 0] = trs.compose(clip.root_motion.at(walk.times), expected[:, 0])
    np.testing.assert_allclose(walk.in_world(walk.poses), expected, atol=1e-6)


def test_the_path_is_smooth_and_as_high_as_the_ground(hero, legs):
    walk = ground_walk.walk_over(
        hero, hero.clips["walk"], ground_walk.ground_for("stair", hero, legs), legs, rate=60
    )
    heights = walk.path_world[:, 1]
    assert heights.min() > -1e-9
    assert 0.35 < heights.max() < 0.45
    assert np.abs(np.diff(heights)).max() < 0.02  # no step of 0.15 is left
    raised, level = walk.without_placement(), walk.in_world(walk.poses)
    np.testing.assert_allclose(raised[:, 0, 1] - level[:, 0, 1], heights)
    np.testing.assert_array_equal(raised[:, 1:], level[:, 1:])


@pytest.mark.parametrize("quarter", range(4))
def test_a_clip_in_any_direction_walks_along_z(hero, legs, quarter):
    angle = quarter * np.pi / 2
    turn = trs.from_parts(rotation=[0, np.sin(angle / 2), 0, np.cos(angle / 2)])
    travelling = hero.clips["walk"].restore_root_motion()
    times = np.linspace(travelling.start, travelling.end, 34)
    poses = travelling.sample(times, loop=False).astype(np.float64)
    poses[:, 0] = trs.compose(turn, poses[:, 0])
    turned = lissom.Clip.from_poses(hero.skeleton, times, poses, name="turned")
    ground = ground_walk.ground_for("slope", hero, legs)
    walk = ground_walk.walk_over(hero, turned, ground, legs, rate=20, seconds=2)
    level = walk.in_world(walk.poses)
    pelvis = hero.skeleton.positions(level)[:, 0]
    speed = hero.clips["walk"].root_motion.speed
    np.testing.assert_allclose(pelvis[:, 2], speed * walk.times, atol=0.06)
    np.testing.assert_allclose(pelvis[:, 0], 0, atol=0.06)
    facing = trs.to_matrix(level[:, 0])[:, :3, 2]
    assert (facing[:, 2] > 0.9).all()


def test_feet_tell_how_fast_a_walk_on_the_spot_is(hero, legs):
    spot = hero.clips["walk"].with_root_motion(None)
    walk = ground_walk.walk_over(hero, spot, ground_walk.ground_for("slope", hero, legs), legs, rate=20)
    speed = lissom.samples.WALK_SPEED["adult"]
    assert walk.path_world[-1, 2] / walk.times[-1] == pytest.approx(speed, rel=0.05)


def test_a_speed_that_is_given_counts(hero, legs):
    ground = ground_walk.ground_for("slope", hero, legs)
    walk = ground_walk.walk_over(hero, hero.clips["walk"], ground, legs, rate=20, speed=0.5, seconds=3)
    np.testing.assert_allclose(walk.path_world[:, 2], 0.5 * walk.times)
    assert walk.times[-1] == pytest.approx(3, abs=0.05)
    with pytest.raises(
        ValueError, match=r"'idle' must tell its walking speed by .*, got neither; set --speed"
    ):
        ground_walk.walk_over(hero, hero.clips["idle"], ground, legs, rate=20)


def test_the_ground_is_as_large_beside_a_giant_as_beside_an_adult(hero, legs):
    giant = lissom.samples.humanoid("giant")
    large = ground_walk.ground_for("stair", giant, ground_walk.legs_of(giant, ()))
    ratio = large.positions.max() / ground_walk.ground_for("stair", hero, legs).positions.max()
    assert 1.3 < ratio < 1.7
    assert ground_walk.ground_for("stair", hero, legs).positions[:, 1].max() == pytest.approx(0.45, rel=1e-3)


def test_legs_can_be_named(hero):
    named = ground_walk.legs_of(
        hero, ["UpperLeg.L, LowerLeg.L, Foot.L, Toes.L", "UpperLeg.R,LowerLeg.R,Foot.R"]
    )
    assert [(leg.hip, leg.ankle, leg.toe) for leg in named] == [
        ("UpperLeg.L", "Foot.L", "Toes.L"),
        ("UpperLeg.R", "Foot.R", None),
    ]


@pytest.mark.parametrize("name", ["stair", "slope", "rubble"])
def test_placed_feet_stand_on_the_ground_and_the_others_sink_into_it(hero, legs, name):
    ground = ground_walk.ground_for(name, hero, legs)
    walk = ground_walk.walk_over(hero, hero.clips["walk"], ground, legs, rate=30)
    soles = next(part.vertices for part in hero.mesh.parts if part.name == "Soles")
    lowest = {}
    for poses in (ground_walk.with_foot_placement(hero, legs, ground, walk), walk.without_placement()):
        points = hero.deform(poses)[:, soles].astype(np.float64)
        above = np.add(points, (0, 3, 0))
        distances, _ = ground(above, (0, -1, 0))
        lowest[len(lowest)] = (distances - 3).min(axis=1)  # of both soles, over what is below them
    assert lowest[0].min() > -0.0025 * hero.size
    assert lowest[0].max() < 0.0125 * hero.size  # feet on stones that step over joints
    assert lowest[1].min() < -0.0175 * hero.size


def test_a_body_on_a_ramp_rises_evenly_and_feet_stay_on_the_stair(hero, legs):
    ground = ground_walk.ground_for("stair", hero, legs)
    walk = ground_walk.walk_over(hero, hero.clips["walk"], ground, legs, rate=30)
    ramp = ground_walk.ramp_over(ground, walk)
    below, _ = ramp(np.add(walk.path_world, (0, 2, 0)), (0, -1, 0))
    np.testing.assert_allclose(below, 2.0, atol=1e-3)  # it is the smoothed ground, of the body's path
    placed = ground_walk.with_foot_placement(hero, legs, ground, walk, ramp)
    alone = ground_walk.with_foot_placement(hero, legs, ground, walk)
    soles = next(part.vertices for part in hero.mesh.parts if part.name == "Soles")
    points = hero.deform(placed)[:, soles].astype(np.float64)
    distances, _ = ground(np.add(points, (0, 3, 0)), (0, -1, 0))
    assert (distances - 3).min() > -0.0025 * hero.size
    assert np.abs(placed - alone).max() > 0.01  # metres: the body is elsewhere


# What the command writes


@pytest.mark.gl
@pytest.mark.parametrize("suffix", [".gif", ".webp"])
def test_a_film_opens_with_as_many_pictures_as_asked_for(run, tmp_path, suffix):
    images = pytest.importorskip("PIL.Image")
    out = tmp_path / "films" / f"walk{suffix}"
    assert run("render", HERO, "--walk-on", "stair", "-o", out, *SMALL) == (0, str(out), "")
    with images.open(out) as film:
        assert film.size == (128, 64)
        assert 10 <= film.n_frames <= 11
        film.seek(film.n_frames - 1)
        halves = np.split(np.asarray(film.convert("RGB")).astype(int), 2, axis=1)
        assert film.info["duration"] == 100
    assert np.abs(halves[0] - halves[1]).max() > 20  # with, and without


@pytest.mark.gl
def test_png_holds_stills_in_a_row_for_each(run, tmp_path):
    images = pytest.importorskip("PIL.Image")
    for options, size in (((), (6 * 64, 2 * 64)), (("--no-both",), (6 * 128, 64))):
        out = tmp_path / "walk.png"
        assert run("render", HERO, "--walk-on", "rubble", "-o", out, *SMALL, *options)[0] == 0
        with images.open(out) as picture:
            assert picture.size == size


def test_a_ramp_is_of_walks_and_changes_them(run, tmp_path):
    motions = []
    for options in ((), ("--ramp",)):
        out = tmp_path / "walk.glb"
        arguments = ("--walk-on", "stair", "--no-both", "--seconds", 2, "-o", out)
        assert run("render", HERO, *arguments, *options)[0] == 0
        motions.append(lissom.load(out).clips["walk on stair"].sample(1.5))
    assert np.abs(motions[0] - motions[1]).max() > 0.005
    code, _, err = run("render", HERO, "--ramp", "-o", tmp_path / "x.png")
    assert (code, "'--ramp': needs --walk-on" in err) == (2, True)


def test_glb_holds_the_motion_and_the_ground(run, tmp_path, hero):
    out = tmp_path / "walk.glb"
    assert run("render", HERO, "--walk-on", "slope", "-o", out, "--seconds", 2)[0] == 0
    walked = lissom.load(out)
    assert list(walked.clips) == ["walk on slope", "walk on slope without foot placement"]
    assert walked.mesh.parts[-1].name == "Ground"
    assert walked.skeleton.names[-1] == "Ground"
    assert walked.clips["walk on slope"].duration == pytest.approx(2, abs=0.02)
    still = walked.deform(walked.clips["walk on slope"].sample([0.0, 1.9]))[:, walked.mesh.parts[-1].vertices]
    np.testing.assert_array_equal(still[0], still[1])
    positions, _ = lissom.samples.slope().triangles()
    np.testing.assert_allclose(still[0].max(axis=0), positions.max(axis=0), rtol=1e-3)
    moved = walked.skeleton.positions(walked.clips["walk on slope"].sample([0.0, 1.9]))[:, 0]
    assert moved[1, 2] - moved[0, 2] == pytest.approx(1.9 * hero.clips["walk"].root_motion.speed, abs=0.1)


WALKERS = [("kaykit/Knight.glb", "Walking_A"), ("godot/player.glb", "walk"), ("khronos/CesiumMan.glb", None)]


@pytest.mark.parametrize(("name", "clip"), WALKERS)
def test_real_characters_walk(run, tmp_path, asset, name, clip):
    path = asset(f"characters/{name}")
    loaded = lissom.load(path)
    clip = clip or next(iter(loaded.clips))
    out = tmp_path / "walk.glb"
    code, _, err = run("render", path, "--clip", clip, "--walk-on", "stair", "--no-both", "-o", out)
    assert (code, err) == (0, "")
    walked = lissom.load(out)
    motion = walked.clips[f"{clip} on stair"]
    roots = walked.skeleton.positions(motion.sample([motion.start, motion.end], loop=False))[:, 0]
    ground = ground_walk.ground_for("stair", loaded, ground_walk.legs_of(loaded, ()))
    assert roots[1, 2] - roots[0, 2] > 0.9 * ground.positions[:, 2].max()


# What it refuses


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--walk-on", "lava", "-o", "a.gif"), "must be one of uneven, stair, slope, rubble, got 'lava'"),
        (("-o", "a.gif"), "'-o': a film needs --clip or --turn"),
        (("--walk-on", "stair", "-o", "a.avi"), "or for a walk in .glb, got 'a.avi'"),
        (("--walk-on", "stair", "-o", "a.gif", "--time", 1), "'--time': must be left out beside --walk-on"),
        (
            ("--walk-on", "stair", "-o", "a.gif", "--speed", 0),
            "'--speed': must be above zero and finite, got 0",
        ),
        (("--walk-on", "stair", "-o", "a.gif", "--speed", -1), "'--speed': must be above zero and finite"),
        (("--walk-on", "stair", "-o", "a.gif", "--speed", "nan"), "'--speed': must be above zero and finite"),
        (("--walk-on", "stair", "-o", "a.gif", "--speed", "inf"), "must be above zero and finite, got inf"),
        (("--speed", 1, "-o", "a.png"), "'--speed': needs --walk-on"),
        (("--leg", "a,b,c", "-o", "a.png"), "'--leg': needs --walk-on"),
        (("--seconds", 1, "-o", "a.png"), "'--seconds': needs a film"),
    ],
)
def test_wrong_usage_is_exit_code_2(run, tmp_path, monkeypatch, arguments, sentence):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("render", HERO, *arguments)
    assert code == 2
    assert sentence in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("source", "arguments", "sentence"),
    [
        (
            "sample:twisted_bar",
            ("--clip", "bend"),
            "twisted_bar: Leg.find: character must have a leg, a branch of three joints",
        ),
        (HERO, ("--leg", "UpperLeg.L,Foot.L"), "--leg must be HIP,KNEE,ANKLE or HIP,KNEE,ANKLE,TOE, got"),
        (HERO, ("--leg", "UpperLeg.L,Knee.L,Foot.L"), "'Knee.L'"),
        (HERO, ("--clip", "idle"), "'idle' must tell its walking speed"),
        (HERO, ("--speed", 1e-9), "must take at most 600 seconds, got"),
        (HERO, ("--clip", "jump"), "no clip is named 'jump'"),
        ("sample:two_bone_tube", (), "no clip is named 'walk'"),
    ],
)
def test_what_cannot_walk_is_one_sentence(run, tmp_path, source, arguments, sentence):
    code, out, err = run("render", source, *arguments, "--walk-on", "stair", "-o", tmp_path / "a.glb")
    assert (code, out) == (1, "")
    assert sentence in err
    assert err.count("lissom: ") == 1
    assert not list(tmp_path.iterdir())


@pytest.mark.gl
def test_without_pillow_the_extra_is_named(run, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL.ImageDraw", None)
    code, _, err = run("render", HERO, "--walk-on", "stair", "-o", tmp_path / "a.gif", *SMALL)
    assert code == 1
    assert 'is in the extra "gl": pip install "lissom[gl]"' in err
