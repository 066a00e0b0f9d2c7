# SPDX-License-Identifier: MIT
"""Names that nothing has: which one was meant, and the one sentence that every lookup says."""

import pickle
from collections.abc import Callable

import pytest

import lissom
from lissom._base.names import either, near_names, only_like, unknown_name

EXPORTED = ["Armature|Walk", "Armature|Walk_Back", "Armature|Walking", "Sidewalk", "Idle"]  # as Blender does


@pytest.mark.parametrize(("words", "said"), [(("a",), "a"), (("a", "b"), "a or b"), ((3, 6, 9), "3, 6 or 9")])
def test_one_of_several_is_said(words: tuple[object, ...], said: str) -> None:
    assert either(words) == either(iter(words)) == said


@pytest.mark.parametrize(
    ("name", "names", "meant"),
    [
        ("Walk", EXPORTED, "Armature|Walk"),
        ("walk", EXPORTED, "Armature|Walk"),
        ("armature|walk", EXPORTED, "Armature|Walk"),
        ("IDLE", EXPORTED, "Idle"),
        ("idle", ["Rig|Idle", "Idle"], "Idle"),  # a whole name goes before the end of one
        ("Walk", ["A|Walk", "B|Walk"], None),
        ("WALK", ["walk", "Walk"], None),
        ("Wal", EXPORTED, None),
        ("", EXPORTED, None),
        ("walk", [], None),
    ],
)
def test_the_only_name_like_one_is_found(name: str, names: list[str], meant: str | None) -> None:
    assert only_like(name, names) == meant
    assert only_like(name, iter(names)) == meant


def test_the_only_name_that_can_be_meant_stands_alone() -> None:
    assert near_names("Walk", EXPORTED) == ["Armature|Walk"]
    assert near_names("Wal", iter(EXPORTED)) == ["Armature|Walk", "Armature|Walking", "Sidewalk"]
    assert unknown_name("clip", "walk", EXPORTED) == (
        "no clip is named 'walk'; did you mean 'Armature|Walk'?"
    )


def test_six_tenths_of_the_letters_make_a_name_near() -> None:
    assert near_names("Cheek", ["Chest"]) == ["Chest"]  # "che": 6 letters of 10
    assert near_names("Arm", ["Area"]) == []  # "ar": 4 of 7, which is 0.57


def test_without_a_near_name_some_are_named() -> None:
    assert unknown_name("clip", "x", []) == "no clip is named 'x'; there are no clips"
    assert unknown_name("clip", "x", ["Run", "Walk"]) == "no clip is named 'x'; there are: 'Run', 'Walk'"
    assert unknown_name("clip", "x", EXPORTED, "see there") == (
        "no clip is named 'x'; there are 5, such as 'Armature|Walk', 'Armature|Walk_Back', "
        "'Armature|Walking' (see there)"
    )


def exported() -> lissom.Character:
    """A character whose clips are named as Blender's exporter names them."""
    bar = lissom.samples.twisted_bar()
    clips = [lissom.Clip(f"Armature|{name}", bar.skeleton, c.keys, c.tracks) for name, c in bar.clips.items()]
    return lissom.Character(bar.name, bar.skeleton, bar.mesh, bar.skin, clips)


LOOKUPS: dict[str, tuple[Callable[[lissom.Character], object], str]] = {
    "bake": (lambda hero: lissom.bake(hero, ["Twis"]), "bake: no clip"),
    "rate": (lambda hero: lissom.bake(hero, rate={"Twis": 3}), "bake: rate: no baked clip"),
    "clips": (lambda hero: hero.clips["Twis"], "no clip"),
    "render": (lambda hero: lissom.render(hero, clip="Twis"), "render: no clip"),
    "compare": (lambda hero: lissom.compare(hero, clip="Twis"), "compare: no clip"),
    "show": (lambda hero: hero.show(["Twis"]), "no clip"),
    "save_glb": (lambda hero: lissom.save_glb(hero, "unwritten.glb", clips=["Twis"]), "save_glb: no clip"),
    "baked clips": (lambda hero: lissom.bake(hero, rate=2).clips["Twis"], "no clip"),
    "report": (lambda hero: lissom.bake(hero, rate=2).report.clips["Twis"], "no clip"),
    "sample": (lambda hero: lissom.bake(hero, rate=2).sample("Twis", 0.0), "PoseTexture.sample: no clip"),
}


@pytest.mark.parametrize("lookup", LOOKUPS)
def test_every_lookup_of_a_clip_says_which_was_meant(lookup: str) -> None:
    look, what = LOOKUPS[lookup]
    with pytest.raises((KeyError, ValueError)) as refused:
        look(exported())
    assert f"{what} is named 'Twis'; did you mean 'Armature|twist'?" in str(refused.value)


def test_baked_clips_are_a_mapping_that_nothing_is_put_into() -> None:
    bake = lissom.bake(lissom.samples.twisted_bar(), rate=2)
    assert bake.clips == bake.report.clips == dict(bake.clips)
    for clips in (bake.clips, bake.report.clips, pickle.loads(pickle.dumps(bake.report)).clips):
        assert list(clips) == clips._ipython_key_completions_() == ["twist", "bend"]
        assert "Twist" in clips
        assert "Twis" not in clips
        assert 0 not in clips
        assert clips.get("Twist") is clips["twist"]  # as all that take names of clips
        assert clips.get("Twis") is None
        assert repr(clips).startswith("ClipsByName({'twist': <BakedClip: ")
        with pytest.raises(TypeError, match="does not support item assignment"):
            clips["new"] = clips["bend"]
        with pytest.raises(KeyError, match="clips go by their names, got 0"):
            clips[0]


def test_a_name_is_in_clips_where_it_finds_one() -> None:
    bar = exported()
    one, other = bar.clips.values()
    twin = lissom.Clip("Other|twist", bar.skeleton, one.keys, one.tracks)
    for clips, known in (
        (bar.clips, {"Armature|twist", "twist", "TWIST", "bend"}),
        (lissom.Character(bar.name, bar.skeleton, bar.mesh, bar.skin, [one, other, twin]).clips, {"bend"}),
    ):
        for name in ("Armature|twist", "twist", "TWIST", "bend", "nothing", ""):
            assert (name in clips) == (clips.get(name) is not None)
        assert all(name in clips for name in known)
    assert "twist" not in clips  # of either armature
    assert list(bar.clips) == ["Armature|twist", "Armature|bend"]


def test_a_joint_is_looked_up_alike() -> None:
    skeleton = lissom.samples.humanoid().skeleton
    with pytest.raises(
        ValueError, match=r"^Skeleton.index: no joint is named 'head'; did you mean 'Head'\?$"
    ):
        skeleton.index("head")
    with pytest.raises(ValueError, match=r"named 'zzz'; there are 34, such as 'Pelvis', 'Spine', 'Chest'$"):
        skeleton.index("zzz")
