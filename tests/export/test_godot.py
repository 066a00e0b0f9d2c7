# SPDX-License-Identifier: MIT
"""What Godot draws of the form "godot": its own vertices, read back by tests/godot/probe.gd, and pictures."""

import numpy as np
import pytest

import lissom
from drawn_characters import DRAWN, MOST, drawn_error, drawn_subject, drawn_times, drawn_told
from godot_engine import needs_godot, probe, vertices
from lissom._export.surfaces import surfaces_of
from one_armed import DISTANCE, HEIGHT, check_pictures, one_armed
from reference.godot_player import GodotPlayer
from skinned_cases import CASES

pytestmark = needs_godot

# Godot's float32 against the twin's float64, of a figure of 4 m, and half a step of what the probe reads: 16
# metres in 24 bits. The twin reads the same texels: what halves lose is in both.
ROUNDING = 4e-6


def job(name, count, calls, **options):
    return {"path": f"{name}/{name}", "count": count, "calls": calls, "low": -8.0, "span": 16.0} | options


TIMES = (0.0, 0.1234, 0.7, 1.0, 7.3)
FADING = (0.1, 0.75, 0.25)  # time in the first clip and in the last, and how far the fade is


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """All cases, which one start of Godot plays."""
    folder = tmp_path_factory.mktemp("godot")
    jobs, bakes = [], {}
    for name, (character, options) in CASES.items():
        bakes[name] = lissom.bake(character(), rate=30, **options)
        bakes[name].export("godot", folder / name)
        clips = bakes[name].clips
        moments = [(clip, time) for clip in clips for time in TIMES]
        calls = []
        for number, (clip, time) in enumerate([*moments, (next(iter(clips)), FADING[0])]):
            calls += [["set_clip", number, clip, clips[clip].start + time], ["set_speed", number, 0.0]]
        calls.append(
            ["fade_to", len(moments), list(clips)[-1], 1.0, list(clips.values())[-1].start + FADING[1]]
        )
        calls.append(["advance", FADING[2]])  # at speed 0: fades alone go on
        jobs.append(job(name, len(moments) + 1, calls, kinds=[0, 1]))
    probe(folder, jobs)
    return folder, bakes


@pytest.mark.parametrize("name", CASES)
def test_vertices_are_those_of_the_twin(drawn, name):
    folder, bakes = drawn
    player = GodotPlayer(folder / name, name)
    found, told = vertices(folder, list(CASES).index(name))
    low, size = np.array(told["box"]).reshape(2, 3)
    for surface, places in enumerate(found):
        for number, place in enumerate(places[:-1]):
            clip, time = divmod(number, len(TIMES))
            wanted = player.vertices(surface, clip, TIMES[time])
            np.testing.assert_allclose(place, wanted, atol=ROUNDING)
        start, end, fade = FADING
        last = len(bakes[name].clips) - 1
        faded = player.vertices(surface, 0, start, next_clip=last, next_local=end, fade=fade)
        np.testing.assert_allclose(places[-1], faded, atol=ROUNDING)
        assert (places >= low).all()  # nothing is culled that is seen
        assert (places <= low + size).all()
    assert len(found) == len(surfaces_of(bakes[name].mesh))


@pytest.mark.parametrize("name", CASES)
def test_normals_turn_with_the_surface(drawn, name):
    folder, bakes = drawn
    bake = bakes[name]
    found, _ = vertices(folder, list(CASES).index(name), kind=1)
    for surface, normals in zip(surfaces_of(bake.mesh), found, strict=True):
        for number, normal in enumerate(normals[:-1]):
            clip, time = divmod(number, len(TIMES))
            key = list(bake.clips)[clip]
            palette = bake.sample(key, bake.clips[key].start + TIMES[time])
            wanted = lissom.deform(bake.mesh, palette, bake.method, normals=True).normals[surface.vertices]
            np.testing.assert_allclose(normal, wanted, atol=2e-3)  # 16 bits for each of two numbers, folded


def test_clocks_speeds_and_fades(tmp_path):
    bake = lissom.bake(lissom.samples.humanoid(), ["walk", "wave"], rate=30)
    bake.export("godot", tmp_path / "hero")
    walk, wave = bake.clips["walk"], bake.clips["wave"]
    calls = [
        ["set_clip", 0, "walk", 0.25],
        ["set_clip", 1, "walk", 0.25],
        ["set_speed", 1, 0.5],
        ["set_clip", 2, "walk"],
        ["set_clip", 3, "wave", 0.1],
        ["set_clip", 4, "walk", 0.2],
        ["set_clip", 5, "walk", 0.2],
        ["set_clip", 6, "wave"],
        ["set_speed", 6, -1.0],
        ["set_clip", 7, "walk"],
        ["advance", 0.3],
        ["fade_to", 2, "wave", 0.5, 0.1],  # halfway at the end
        ["fade_to", 4, "wave", 0.1, 0.1],  # over at the end
        ["fade_to", 5, "wave", 0.3, 0.1],  # two thirds when the next begins: wave stays
        ["set_time", 7, 0.6],
        ["advance", 0.2],
        ["fade_to", 5, "walk", 0.2, 0.4],
        ["set_speed", 0, 2.0],
        ["advance", 0.05],
        ["fade_to", 6, "wave", 0.0, 0.4],
    ]
    first = job("hero", 8, calls)
    later = job("hero", 8, [*calls, *[["advance", 61.7]] * 50])
    probe(tmp_path, [first, later])
    player = GodotPlayer(tmp_path / "hero", "hero")
    expected = [
        ("walk", 0.25 + 0.5 + 0.1, {}),
        ("walk", 0.25 + 0.5 * 0.55, {}),
        ("wave", 0.1 + 0.25, {"base": (0, 0.55), "fade": 0.5}),
        ("wave", 0.1 + 0.55, {}),
        ("wave", 0.1 + 0.25, {}),
        ("walk", 0.4 + 0.05, {"base": (1, 0.1 + 0.25), "fade": 0.25}),
        ("wave", 0.4, {}),
        ("walk", 0.6 + 0.25, {}),
    ]
    found, told = vertices(tmp_path, 0)
    for number, (clip, time, fading) in enumerate(expected):
        key = ["walk", "wave"].index(clip)
        if fading:
            base, base_time = fading["base"]
            options = {"next_clip": key, "next_local": time, "fade": fading["fade"]}
            wanted = [player.vertices(s, base, base_time, **options) for s in range(len(found))]
        else:
            wanted = [player.vertices(s, key, time) for s in range(len(found))]
        for surface, places in enumerate(found):
            np.testing.assert_allclose(places[number], wanted[surface], atol=ROUNDING, err_msg=str(number))
        state = told["states"][number]
        assert state[0] == clip
        assert state[1] == pytest.approx(time % (walk if clip == "walk" else wave).duration, abs=1e-5)
        assert state[2] == pytest.approx(fading.get("fade", 0.0), abs=1e-5)
    found, told = vertices(tmp_path, 1)
    speeds = [2.0, 0.5, 1.0, 1.0, 1.0, 1.0, -1.0, 1.0]
    for number, (clip, time, _) in enumerate(expected):
        local = time + speeds[number] * 61.7 * 50
        held = min(max(local, 0.0), wave.duration) if clip == "wave" else local
        key = ["walk", "wave"].index(clip)
        for surface, places in enumerate(found):  # an hour later, all fades are over
            wanted = player.vertices(surface, key, held)
            np.testing.assert_allclose(places[number], wanted, atol=2e-4)  # float32 of time, 5 m/s of a hand


@pytest.fixture(scope="module")
def real(tmp_path_factory):
    """Real characters: at random times, and where their bakes say that they are worst."""
    folder = tmp_path_factory.mktemp("godot")
    jobs, told = [], {}
    for name in DRAWN:
        subject = drawn_subject(name)
        if subject is None:
            continue
        hero, clip, bake = subject
        report = bake.export("godot", folder / name, source=hero)
        span = float(2 * np.abs(bake.clips[clip].bounds).max())
        times = drawn_times(report, bake, clip)
        calls = [["set_clip", number, clip, time] for number, time in enumerate(times)]
        told[name] = hero, clip, bake, report, times, len(jobs), span
        jobs.append(job(name, len(calls), calls, low=-span, span=2 * span))
    probe(folder, jobs)
    return folder, told


@pytest.mark.parametrize("name", DRAWN)
def test_real_characters_are_as_wrong_as_stated(real, name, record_property):
    folder, told = real
    if name not in told:
        pytest.skip("this character is not among the assets here")
    hero, clip, bake, report, times, number, span = told[name]
    found, _ = vertices(folder, number)
    drawn = np.empty((len(times), bake.mesh.vertex_count, 3))
    for surface, places in zip(surfaces_of(bake.mesh), found, strict=True):
        drawn[:, surface.vertices] = places
    worst = drawn_error(hero, clip, times, drawn)
    record_property("drawn", drawn_told("Godot", name, worst, report, bake))
    assert 0.95 * report.error.max - 1e-6 * span <= worst <= MOST * report.error.max + 1e-6 * span


def test_a_multimesh_of_the_user_is_kept_and_wrong_calls_are_told(tmp_path):
    bake = lissom.bake(lissom.samples.twisted_bar(), ["bend", "twist"], rate=30)
    bake.export("godot", tmp_path / "bar")
    wrong = [
        ["set_clip", 3, "bend"],
        ["set_clip", 0, "bnd"],
        ["fade_to", -1, "bend", 0.2],
        ["set_speed", 9, 1.0],
    ]
    calls = [["set_clip", 2, "twist", 0.5], *wrong]
    said = probe(tmp_path, [job("bar", 1, calls, places=3)], faults=True)
    for words in (
        "set_clip: i must be at least 0 and below 3, got 3",
        "set_clip: clip must be one of bend, twist, got bnd",
        "fade_to: i must be at least 0 and below 3, got -1",
        "set_speed: i must be at least 0 and below 3, got 9",
    ):
        assert words in said
    found, told = vertices(tmp_path, 0)
    assert [state[0] for state in told["states"]] == ["bend", "bend", "twist"]
    player = GodotPlayer(tmp_path / "bar", "bar")
    np.testing.assert_allclose(found[0][2], player.vertices(0, 1, 0.5), atol=ROUNDING)


@pytest.mark.parametrize("renderer", ["forward_plus", "mobile"])
def test_other_renderers_draw_the_same(tmp_path, renderer):
    name = "along_dual_quat"
    character, options = CASES[name]
    bake = lissom.bake(character(), rate=30, **options)
    bake.export("godot", tmp_path / name)
    calls = [["set_clip", number, "grow", time] for number, time in enumerate(TIMES)]
    probe(tmp_path, [job(name, len(calls), calls)], renderer=renderer)
    player = GodotPlayer(tmp_path / name, name)
    found, _ = vertices(tmp_path, 0)
    for surface, places in enumerate(found):
        for place, time in zip(places, TIMES, strict=True):
            np.testing.assert_allclose(place, player.vertices(surface, 0, time), atol=ROUNDING)


def test_a_picture_shows_fronts_colours_and_the_raised_arm(tmp_path):
    """Seen from where it looks to, the flag of the one-armed figure is on the left, and up."""
    from PIL import Image

    lissom.bake(one_armed(), rate=10).export("godot", tmp_path / "board")
    view = {"size": [300, 300], "at": [0, HEIGHT, 0]}
    jobs = [
        job(
            "board",
            1,
            [["set_clip", 0, "raise", time]],
            picture=f"{name}.png",
            **{"from": [0, HEIGHT, z]},
            **view,
        )
        for name, time, z in (("down", 0.0, DISTANCE), ("up", 1.0, DISTANCE), ("behind", 1.0, -DISTANCE))
    ]
    probe(tmp_path, jobs)
    pictures = [Image.open(tmp_path / f"{name}.png").convert("RGB") for name in ("down", "up", "behind")]
    check_pictures(*pictures, fov=30)
