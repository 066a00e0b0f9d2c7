# SPDX-License-Identifier: MIT
"""Several characters on one page."""

import json

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom._character.shared_clips import paired_clips
from lissom.player._container import from_bytes


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def child():
    return lissom.samples.humanoid("child")


def read(player):
    arrays, strings = from_bytes(player.bundle)
    facts = json.loads(strings["player"])
    return arrays, facts, [clip["name"] for clip in facts["clips"]]


def test_a_page_holds_what_merge_makes(hero, child):
    chosen = {"meet": ["wave", "walk"]}
    arrays, facts, clips = read(lissom.show(hero, child, clips=chosen, equal_size=True))
    merged = lissom.merge([hero, child], clips=chosen, equal_size=True)
    points = np.array(facts["low"]) + np.array(facts["step"]) * arrays["positions"]
    assert np.abs(points - merged.mesh.positions).max() < 0.51 * max(facts["step"]) + 1e-6
    assert clips == ["meet"]
    assert facts["clips"][0]["duration"] == pytest.approx(hero.clips["wave"].duration, abs=1e-3)
    assert facts["palette_rows"] == len(merged.skin)


def test_names_mean_the_clip_of_each(hero, child):
    assert read(lissom.show(hero, child, clips=["Walk", "idle"]))[2] == ["Walk", "idle"]
    assert read(lissom.show(hero, child, clips="run"))[2] == ["run"]


def test_by_default_every_clip_of_all_is_there_once(hero):
    fox = lissom.load(asset("characters/khronos/Fox.glb"))
    wolf = lissom.load(asset("characters/quaternius/animals_pack/Wolf.glb"))
    pairs = paired_clips([fox, wolf, hero])
    assert next(iter(pairs)) == "Walk"
    assert pairs["Walk"] == ["Walk", "AnimalArmature|Walk", "walk"]
    for number, character in enumerate((fox, wolf, hero)):
        assert sorted(row[number] for row in pairs.values() if row[number]) == sorted(character.clips)
    rest = list(pairs.values())[1:]
    assert rest[0] == ["Survey", next(name for name in wolf.clips if "Walk" not in name), "idle"]
    assert rest[-1][0] is None  # the fox has none left, and rests
    assert list(pairs)[1] == " + ".join(rest[0])


def test_the_same_names_twice_stay_apart(hero):
    skeleton = hero.skeleton
    clips = [hero.clips["walk"].renamed(name) for name in ("a + b", "a")]
    other = lissom.Character("other", skeleton, hero.mesh, hero.skin, [hero.clips["run"].renamed("b")])
    one = lissom.Character("one", skeleton, hero.mesh, hero.skin, [clips[1], clips[0]])
    assert list(paired_clips([one, other])) == ["a + b", "a + b_2"]


def test_characters_without_clips_rest(hero):
    still = lissom.Character("still", hero.skeleton, hero.mesh, hero.skin)
    assert read(lissom.show(still, still))[2] == ["rest"]
    assert read(lissom.show(hero, still, clips={"a": ["idle", None]}))[2] == ["a"]


def test_rows_are_seen_from_the_front(hero, child):
    assert lissom.show(hero, child, clips="idle").state["camera"] == {"azimuth": 10.0}
    given = lissom.show(hero, child, clips="idle", camera={"azimuth": 50.0}, title="Two", speed=2.0)
    assert (given.state["camera"], given.title, given.state["speed"]) == ({"azimuth": 50.0}, "Two", 2.0)
    assert "camera" not in lissom.show(hero, clips="idle").state


def test_one_that_is_hardly_seen_is_said(hero):
    tiny = [[0, 0, 0], [2, 0, 0]], [1.0, 0.04]
    places = lissom.trs.from_parts(translation=tiny[0], scale=np.repeat(tiny[1], 3).reshape(2, 3))
    with pytest.warns(UserWarning, match=r"^show: 'humanoid_adult' is 1\.75 high and .* hardly seen") as said:
        lissom.show(hero, hero, clips="idle", placements=places)
    assert said[0].filename == __file__
    mouse = lissom.merge([hero], clips={"idle": ["idle"]}, equal_size=0.05, name="mouse")
    with pytest.warns(UserWarning, match="'mouse' 0.05, which is hardly seen beside it; equal_size=True"):
        lissom.show(hero, mouse, clips="idle")
    lissom.show(hero, mouse, clips="idle", equal_size=True)  # warnings are errors
    with pytest.warns(
        UserWarning, match=r"'humanoid_adult' is 1 high and 'mouse' 0\.04, which is hardly seen"
    ):
        lissom.show(hero, mouse, clips="idle", equal_size=1.0, placements=places)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"clips": "wlak"},
            ValueError,
            "show: clips: 'humanoid_adult': no clip is named 'wlak'; did you mean",
        ),
        ({"clips": [1]}, TypeError, "show: clips must be names, or a mapping of names to a clip of each"),
        ({"clips": {"a": ["walk"]}}, ValueError, r"merge: clips\['a'\] must be one for each of 2 characters"),
        ({"placements": [[0, 0, 0]]}, ValueError, "placements must be one for each of 2 characters"),
        ({"clip": "none"}, ValueError, "clip"),
    ],
)
def test_bad_input(hero, child, options, error, message):
    with pytest.raises(error, match=message):
        lissom.show(hero, child, **options)


def test_characters_come_one_by_one(hero):
    with pytest.raises(TypeError, match="show: characters must be passed one by one, got a list; put a"):
        lissom.show([hero, hero])
    with pytest.raises(ValueError, match="show: characters must be one or more, got none"):
        lissom.show()
    with pytest.raises(TypeError, match="show: characters must hold Characters, got str"):
        lissom.show("hero.glb")
