# SPDX-License-Identifier: MIT
"""Root motion of real clips: those that travel, and those whose rigs are unlike."""

import numpy as np
import pytest

import lissom
from conftest import HAS_ALL
from root_motion_laws import BETWEEN, apart, bend, check_law, differ, key_times, spread


def travels(name, clip, motion=None):
    return pytest.param(name, clip, id=f"{name.split('/')[-1]}-{clip}")


REAL = [
    travels("characters/kaykit/Knight.glb", "Dodge_Left"),  # by the root
    travels("characters/kaykit/Knight.glb", "Death_A"),  # by the hips, with controls beside them
    travels("characters/kaykit/Med_Special.glb", "Rig_Medium|Skeletons_Death"),
    travels("characters/quaternius/dinosaurs_pack/Trex.glb", "Armature|TRex_Death"),  # below a factor of 100
    travels("characters/quaternius/mech_pack/George.glb", "Death"),
]
IN_PLACE = [
    travels("characters/khronos/CesiumMan.glb", "clip_0"),  # below matrix nodes that turn z up into y up
    travels("characters/khronos/Fox.glb", "Run"),
    travels("characters/quaternius/animals_pack/Wolf.glb", "AnimalArmature|Gallop"),  # a factor of 100
    travels("characters/raylib/robot.glb", "Robot_Walking"),
    travels("characters/kaykit/Barbarian.glb", "Running_A"),
]


def clip_of(asset, name, clip):
    return lissom.load(asset(name)).clips[clip]


@pytest.mark.parametrize(("name", "clip"), REAL + IN_PLACE)
@pytest.mark.parametrize("options", [{}, {"steady": True}, {"reference": "rest"}, {"height": True}], ids=str)
def test_real_clips_come_to_a_stand_and_are_put_back(asset, name, clip, options):
    real = clip_of(asset, name, clip)
    check_law(real, real.extract_root_motion(**options))


@pytest.mark.parametrize(("name", "clip"), REAL)
def test_real_clips_travel(asset, name, clip):
    real = clip_of(asset, name, clip)
    motion = real.extract_root_motion().root_motion
    assert np.linalg.norm(motion.cycle[:3]) > 0.15 * real.skeleton.size


@pytest.mark.parametrize(("name", "clip"), IN_PLACE)
def test_real_clips_sent_along_a_bend_come_back(asset, name, clip):
    """Put a bend under a clip in place, take it out by another joint's measure, and find the bend."""
    real = clip_of(asset, name, clip)
    size = real.skeleton.size
    sent = real.with_root_motion(bend(real, turn=2.0, step=3 * size, start=(size, 0, -2 * size)))
    clip = sent.restore_root_motion()
    place = clip.extract_root_motion(steady=True, reference="rest")
    check_law(clip, place, between=2.1e-4)
    motion = place.root_motion
    # What the first and the last pose of the clip differ by is taken, too.
    step = real.extract_root_motion(steady=True).root_motion
    assert motion.turn == pytest.approx(2.0 + step.turn, abs=1e-3)
    assert motion.distance == pytest.approx(3 * size, rel=0.15)


@pytest.mark.parametrize("name", ["01_01", "dab", "jumping", "jumping_jacks", "zombie"])
@pytest.mark.parametrize("options", [{}, {"steady": True}, {"reference": "rest"}], ids=str)
def test_motion_capture_comes_to_a_stand(asset, name, options):
    """Three of them have z up: their hips lie on their backs all the time, where a turn is hard to tell."""
    clip = next(iter(lissom.load_bvh(asset(f"bvh/{name}.bvh"), up="y").clips.values()))
    place = clip.extract_root_motion(**options)
    check_law(clip, place)
    assert len(place.keys) < 1.2 * len(clip.keys)
    if not options:
        assert spread(place, "Hips", key_times(clip)[::10])[0] < 1e-9 * clip.skeleton.size


def test_every_real_clip_is_put_back(asset):
    """Of each character some clips: what moves and what does not, at its keys and between."""
    files = sorted(asset("characters").rglob("*.gl*"))
    checked, worst = 0, 0.0
    for file in files[:: 3 if HAS_ALL else 1]:
        try:
            clips = list(lissom.load(file).clips.values())
        except lissom.GltfError:  # compressed
            continue
        for clip in clips[:: max(1, len(clips) // 3)]:
            if not clip.skeleton.size:
                continue
            try:
                place = clip.extract_root_motion()
            except ValueError as refusal:  # of a clip that lets its character grow out of a point
                if "a scale of zero above" not in str(refusal):
                    raise
                continue
            times = np.linspace(clip.start, clip.end, 101)
            back = place.restore_root_motion()
            worst = max(worst, differ(clip, back, times))
            assert apart(clip, place, times) < BETWEEN
            checked += 1
    assert checked > 20
    assert worst < 2e-6
