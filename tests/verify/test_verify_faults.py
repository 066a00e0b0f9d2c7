# SPDX-License-Identifier: MIT
"""A hundred planted faults are found and named; a hundred sound bakes are not accused."""

import struct
import zlib

import numpy as np
import pytest

import lissom
from conftest import asset

pytest.importorskip("OpenEXR", reason="OpenEXR is not installed")

from lissom._export.float_images import read_image
from lissom._verify import read_openvat
from verify.planted import MORE, PLANTED, Subject

# Character, clip: ours, and those of many tools, with joints in axes of their own.
SUBJECTS = {
    "humanoid run": (lissom.samples.humanoid, "run"),
    "humanoid wave": (lissom.samples.humanoid, "wave"),
    "Fox": ("characters/khronos/Fox.glb", "Run"),
    "CesiumMan": ("characters/khronos/CesiumMan.glb", 0),
    "Knight": ("characters/kaykit/Knight.glb", "Walking_A"),
    "Wolf": ("characters/quaternius/animals_pack/Wolf.glb", "AnimalArmature|Gallop"),
    "gdbot": ("characters/gdquest/gdbot.glb", "run"),
    "Bee": ("characters/quaternius/platformer_game_pack/Bee.glb", 0),
    "Kenney": ("characters/kenney/character.glb", "walk"),
    "Dolphin": ("characters/quaternius/fish_pack/Dolphin.glb", 0),
}
SOUND = [
    ("bake", {"dtype": "float16"}), ("bake", {"dtype": "float32"}), ("bake", {"dtype": "uint8"}),
    ("babylon", {"player": "lissom"}), ("babylon", {}), ("babylon", {"dtype": "float16"}),
    ("openvat", {}), ("openvat", {"texture": "png16"}), ("vertices", {}), ("vertices", {"rate": 60}),
    ("godot", {}), ("godot", {"dtype": "float32"}), ("unity", {}), ("unity", {"dtype": "float32"}),
]  # fmt: skip
AXES = {"axes", "handedness"}


@pytest.fixture(scope="module", params=SUBJECTS)
def subject(request, tmp_path_factory):
    source, clip = SUBJECTS[request.param]
    character = source() if callable(source) else lissom.load(asset(source))
    name = list(character.clips)[clip] if isinstance(clip, int) else clip
    return Subject(character, name, tmp_path_factory.mktemp("subject"))


@pytest.fixture(autouse=True)
def pictures_are_decoded_here(monkeypatch):
    """Ours need no process of their own, which takes half a second."""
    monkeypatch.setattr(read_openvat, "read_apart", read_image)


@pytest.mark.parametrize("fault", PLANTED)
def test_a_planted_fault_is_named(subject, fault):
    rng = np.random.default_rng([len(fault), len(subject.clip)])
    source, path = PLANTED[fault](subject, rng)
    report = lissom.verify(source, path)
    (found,) = report.faults
    print(found)
    assert not report.ok
    assert found.name == fault or {found.name, fault} <= AXES
    assert found.clip == subject.clip


@pytest.mark.parametrize("fault", MORE)
def test_other_faults_are_named(subject, fault):
    if fault == "wrong_clip" and len(subject.character.clips) == 1:
        pytest.skip("the character has no other clip")
    source, path = MORE[fault](subject, np.random.default_rng(1))
    (found,) = lissom.verify(source, path).faults
    assert found.name == fault, found
    assert fault != "units" or "too large: in centimetres; scale it by 0.01" in found.sentence


@pytest.mark.parametrize(("form", "options"), SOUND, ids=[f"{form}-{i}" for i, (form, _) in enumerate(SOUND)])
def test_a_sound_bake_is_not_accused(subject, form, options, tmp_path):
    if form == "bake":
        bake = lissom.bake(subject.character, subject.clip, rate=30, **options)
        path = bake.save(tmp_path / "bake.safetensors")
        stated = bake.clips[subject.clip].error
    else:
        path = tmp_path / "out"
        stated = subject.bake.export(form, path, source=subject.character, **options).error
    report = lissom.verify(subject.character, path)
    assert report.faults == ()
    assert report.ok
    assert report.error.max == pytest.approx(stated.max, rel=0.05, abs=1e-5 * subject.bake.size)


def _resampled(character, name, before, after):
    """Vertices at one rate, mixed from those at another, as strangers do who bake what they have baked."""
    clip = character.clips[name]
    counts = [round((clip.end - clip.start) * rate) for rate in (before, after)]
    own = character.deform(clip.sample(np.linspace(clip.start, clip.end, counts[0] + 1), loop=False))
    places = np.linspace(0, counts[0], counts[1] + 1)
    first = np.minimum(places.astype(int), counts[0] - 1)
    share = np.float32(places - first)[:, None, None]
    rate = counts[1] / (clip.end - clip.start)
    frames = lissom.VertexClip(0, counts[1] + 1, rate, clip.loop, clip.start)
    return (1 - share) * own[first] + share * own[first + 1], frames


@pytest.mark.parametrize("name", ["walk", "run"])
@pytest.mark.parametrize(("before", "after"), [(15, 30), (24, 30), (24, 60), (30, 24)])
def test_a_resampled_bake_is_not_accused_and_rows_that_are_exchanged_are(name, before, after, tmp_path):
    hero = lissom.samples.humanoid()
    positions, clip = _resampled(hero, name, before, after)
    lissom.VertexAnimation(hero.mesh, positions, {name: clip}).export("vertices", tmp_path / "sound")
    assert lissom.verify(hero, tmp_path / "sound").faults == ()
    positions[[3, 4]] = positions[[4, 3]]
    lissom.VertexAnimation(hero.mesh, positions, {name: clip}).export("vertices", tmp_path / "wrong")
    assert [fault.name for fault in lissom.verify(hero, tmp_path / "wrong").faults] == ["unexplained"]


@pytest.mark.parametrize("row", [3, 40, 101])
def test_exchanged_rows_are_seen_in_a_long_clip_and_a_tagged_picture(row, tmp_path):
    """However few frames are looked at, and whatever else is wrong."""
    hero = lissom.samples.humanoid()
    whole = lissom.VertexAnimation.of_bake(lissom.bake(hero, "walk", rate=120))
    positions = whole.positions.copy()
    positions[[row, row + 1]] = positions[[row + 1, row]]
    changed = lissom.VertexAnimation(hero.mesh, positions, dict(whole.clips))
    changed.export("openvat", tmp_path / "out", texture="png16")
    (picture,) = (tmp_path / "out").rglob("*_vat.png")
    data = picture.read_bytes()
    tag = b"sRGB\0"
    picture.write_bytes(
        data[:33] + struct.pack(">I", 1) + tag + struct.pack(">I", zlib.crc32(tag)) + data[33:]
    )
    assert [fault.name for fault in lissom.verify(hero, tmp_path / "out").faults] == ["gamma", "unexplained"]
