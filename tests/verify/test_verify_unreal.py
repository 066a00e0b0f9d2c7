# SPDX-License-Identifier: MIT
"""The judge of folders in the form "unreal": planted faults are named, sound ones are not accused."""

import json

import numpy as np
import pytest

import lissom
from conftest import asset

pytest.importorskip("OpenImageIO", reason="OpenImageIO is not installed")

from lissom._export.float_images import read_image
from lissom._verify import read_unreal
from verify import planted_joints
from verify.planted_unreal import PLANTED, Subject, UnrealFolder

SUBJECTS = {
    "Fox": ("characters/khronos/Fox.glb", "Run"),
    "Dolphin": ("characters/quaternius/fish_pack/Dolphin.glb", 0),
}
MORE = {
    "humanoid run": (lissom.samples.humanoid, "run"),
    "humanoid wave": (lissom.samples.humanoid, "wave"),
    "CesiumMan": ("characters/khronos/CesiumMan.glb", 0),
    "Knight": ("characters/kaykit/Knight.glb", "Walking_A"),
    "Wolf": ("characters/quaternius/animals_pack/Wolf.glb", "AnimalArmature|Gallop"),
    "gdbot": ("characters/gdquest/gdbot.glb", "run"),
    "Bee": ("characters/quaternius/platformer_game_pack/Bee.glb", 0),
    "Kenney": ("characters/kenney/character.glb", "walk"),
}
"""Characters of soaks."""

AXES = {"axes", "handedness"}


@pytest.fixture(
    scope="module", params=[*SUBJECTS, *(pytest.param(name, marks=pytest.mark.soak) for name in MORE)]
)
def subject(request, tmp_path_factory):
    source, clip = {**SUBJECTS, **MORE}[request.param]
    character = source() if callable(source) else lissom.load(asset(source))
    name = list(character.clips)[clip] if isinstance(clip, int) else clip
    return Subject(character, name, tmp_path_factory.mktemp("subject"))


@pytest.fixture(scope="module")
def bar(tmp_path_factory):
    return Subject(lissom.samples.twisted_bar(), "bend", tmp_path_factory.mktemp("bar"))


@pytest.fixture
def here(monkeypatch):
    """Ours need no process of their own, which takes half a second."""
    monkeypatch.setattr(read_unreal, "read_apart", read_image)


@pytest.mark.parametrize("fault", PLANTED)
@pytest.mark.usefixtures("here")
def test_a_planted_fault_is_named(subject, fault):
    character, folder = PLANTED[fault](subject)
    report = lissom.verify(character, folder)
    (found,) = report.faults
    assert not report.ok
    assert found.name == fault or {found.name, fault} <= AXES, found
    assert found.clip == subject.clip


@pytest.mark.parametrize("kind", ["transposed", "units", "joint_order"])
@pytest.mark.usefixtures("here")
def test_faults_of_joints_are_named(tmp_path, kind):
    subject = planted_joints.JointBake(lissom.load(asset("characters/khronos/Fox.glb")), ["Run"])
    getattr(planted_joints, kind)(subject).export("unreal", tmp_path / "out")
    (fault,) = lissom.verify(subject.character, tmp_path / "out").faults
    assert fault.name == kind


@pytest.mark.parametrize("options", [{}, {"bits": 8}], ids=["16 bits", "8 bits"])
@pytest.mark.parametrize("method", ["linear", "dual_quat"])
@pytest.mark.usefixtures("here")
def test_a_sound_folder_is_not_accused(subject, tmp_path, options, method):
    bake = lissom.bake(subject.character, subject.clip, rate=30, method=method)
    stated = bake.export("unreal", tmp_path / "out", source=subject.character, **options).error
    character = lissom.Character(
        subject.character.name, subject.character.skeleton, subject.character.mesh, subject.character.skin,
        subject.character.clips.values(),
    )  # fmt: skip
    report = lissom.verify(character, tmp_path / "out")
    assert report.form == "unreal"
    assert report.faults == ()
    assert report.error.max == pytest.approx(stated.max, rel=0.05, abs=1e-5 * bake.size)


@pytest.mark.usefixtures("here")
def test_a_character_far_from_the_origin_is_too_coarse(tmp_path):
    hero = lissom.samples.humanoid()
    clip = hero.clips["run"]
    times = np.linspace(clip.start, clip.end, 21)
    poses = clip.sample(times, loop=False)
    poses[:, 0, :3] += [150 * hero.size, 0, 0]
    away = lissom.Clip.from_poses(hero.skeleton, times, poses, name="run", loop=False)
    far = lissom.Character("far", hero.skeleton, hero.mesh, hero.skin, [away])
    lissom.bake(far, "run", rate=30, dtype="float32").export("unreal", tmp_path / "far")
    (fault,) = lissom.verify(far, tmp_path / "far").faults
    assert fault.name == "far_from_origin"


@pytest.mark.usefixtures("here")
def test_a_folder_of_a_stranger_is_found_and_read(bar):
    """A table without what lissom adds: the clip is told, and mesh and weights are the source's."""

    def stranger(folder):
        for key in ("lissom", "StaticMesh", "BoneWeightTexture"):
            del folder.told[key]
        (folder.folder / "lissom-export.json").unlink()

    character, folder = bar.changed(stranger)
    report = lissom.verify(character, folder, clip="bend")
    assert (report.form, report.faults) == ("unreal", ())
    assert lissom.verify(character, next(folder.glob("*.json")), clip="bend").form == "unreal"

    def two(folder):
        stranger(folder)
        folder.told["Animations"] *= 5

    character, folder = bar.changed(two)
    with pytest.raises(
        ValueError, match=r"must say the names of its 5 clips, in lissom.clips, since source has"
    ):
        lissom.verify(character, folder, clip="bend")


@pytest.mark.parametrize("kind", ["axis", "order"])
@pytest.mark.usefixtures("here")
def test_rotations_of_another_kind_are_named(subject, kind):
    """What the four numbers are is not public: other kinds are tried, and named."""

    def change(shares):
        q = 2 * shares - 1
        if kind == "order":
            return 0.5 + 0.5 * np.roll(q, 1, axis=-1)
        q = q * np.where(q[..., 3:] < 0, -1, 1)
        sine = np.maximum(np.linalg.norm(q[..., :3], axis=-1, keepdims=True), 1e-9)
        angle = 2 * np.arctan2(sine, q[..., 3:])
        return np.concatenate([0.5 + 0.5 * q[..., :3] / sine, angle / np.pi], axis=-1)

    character, folder = subject.changed(lambda it: it.change(change, which=(1,)))
    (fault,) = lissom.verify(character, folder).faults
    assert fault.name == {"axis": "rotation_kind", "order": "quaternion_order"}[kind]
    assert "0 to 180 degrees" in fault.sentence or kind == "order"


@pytest.mark.usefixtures("here")
def test_what_cannot_be_read_is_told_in_a_sentence(bar):
    def told(**values):
        return lambda it: it.told.update(values)

    def ours(**values):
        return lambda it: it.told["lissom"].update(values)

    def lost(key):
        return lambda it: (it.folder / it.told[key]).unlink()

    def short(it):
        it.told["NumFrames"] = 4000

    cases = [
        (told(Mode="Vertex"), "Mode must be 'Bone': textures of vertices are not read, got Vertex"),
        (told(NumBones=0), "NumBones must be a whole number from 1, got 0"),
        (told(NumBones=True), "NumBones must be a whole number from 1, got True"),
        (told(NumBones=1), "below them palette rows under 1, got"),
        (told(Precision="Half"), "Precision must be EightBits or SixteenBits, got Half"),
        (told(BoneMinBBox=[0, 1]), r"BoneMinBBox must be three finite numbers, got \[0, 1\]"),
        (told(BoneSizeBBox=[0, 1, float("nan")]), "BoneSizeBBox must be three finite numbers"),
        (told(SampleRate=0), "SampleRate must be a number above 0, got 0"),
        (told(BonePositionTexture="../x.png"), "BonePositionTexture must be the name of a file beside it"),
        (told(Animations=[]), "Animations must be a list of clips"),
        (told(Animations=[{"StartFrame": 9, "EndFrame": 3}]), "must end at its first frame or later"),
        (told(Animations=[{"StartFrame": 1, "EndFrame": 9999}]), "EndFrame must be a frame, 0 to"),
        (told(lissom=3), "lissom must be an object with the names of the clips, got 3"),
        (ours(clips=[]), "lissom.clips must have 1 clips, got 0"),
        (ours(clips=[{"name": "bend", "play_rate": -1}]), "play_rate must be a number above 0, got -1"),
        (ours(method="cor"), "method must be linear or dual_quat, got cor"),
        (lost("StaticMesh"), "names the file '.*glb', which is not beside it"),
        (short, "must hold 4000 frames of 2 palette rows in 1 rows of pixels each, got 2 x"),
        (told(BoneWeightRowsPerFrame=1), "must hold weights with the sum 1, and below them palette rows"),
        (told(BoneWeightRowsPerFrame=1 << 20), r"must hold 1048576 rows of weights, .*, got \d+ rows"),
    ]  # fmt: skip
    for change, words in cases:
        character, folder = bar.changed(change)
        with pytest.raises(ValueError, match=words):
            lissom.verify(character, folder)
    character, folder = bar.changed(lambda it: None)
    other = lissom.samples.humanoid()
    with pytest.raises(ValueError, match="the bake holds a clip that source has not"):
        lissom.verify(other, folder)


def test_pictures_that_are_damaged_or_tagged_are_told(bar):
    def damaged(it):
        it.paths[0].write_bytes(it.paths[0].read_bytes()[:200])

    def tagged(it):
        data = it.paths[1].read_bytes()
        it.paths[1].write_bytes(data[:33] + b"\0\0\0\1sRGB\0\xae\xce\x1c\xe9" + data[33:])

    character, folder = bar.changed(damaged)
    with pytest.raises(ValueError, match=r"BonePosition.png must be"):
        lissom.verify(character, folder)
    character, folder = bar.changed(tagged)
    (fault,) = lissom.verify(character, folder).faults
    assert fault.name == "gamma"
    assert "tagged as one of colours" in fault.sentence


@pytest.mark.parametrize("text", ["[" * 100_000, '{"BonePositionTexture": [' + "{}," * 2_000_000 + "{}]}"])
def test_json_that_would_take_all_memory_is_none(bar, text):
    character, folder = bar.changed(lambda it: None)
    next(path for path in folder.glob("*.json") if path.name != "lissom-export.json").write_text(text)
    with pytest.raises(
        ValueError, match=r"must hold one JSON of the properties of a data asset, .*, got none"
    ):
        lissom.verify(character, folder)


def test_numbers_are_those_of_the_table(bar):
    """The helper that plants writes what it read."""
    _, folder = bar.changed(lambda it: it.change(lambda shares: shares))
    again = UnrealFolder(folder)
    assert json.loads(again.table.read_text()) == json.loads(UnrealFolder(bar.sound).table.read_text())
    for one, other in zip(again.paths, UnrealFolder(bar.sound).paths, strict=True):
        np.testing.assert_array_equal(read_image(one, "test"), read_image(other, "test"))


@pytest.mark.usefixtures("here")
def test_joints_beside_a_source_that_stands_still_are_in_no_other_order(bar):
    """At an absurd rate all frames are those of one pose, which each still row is like."""
    character, folder = bar.changed(lambda it: it.told.update(SampleRate=1e8))
    assert [fault.name for fault in lissom.verify(character, folder).faults] == ["frame_count"]
