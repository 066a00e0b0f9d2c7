# SPDX-License-Identifier: MIT
"""Feet that do not slide, judged apart from what locks them: contacts and soles of the answer, found anew."""

from pathlib import Path

import numpy as np
import pytest

import lissom
from conftest import ASSETS, HAS_ALL, asset
from doc_tables import rows_of, script_of
from lissom import samples
from slide_judge import slides

HELD = 0.1  # percent of the size
ROUNDED = 0.006  # of two decimals


@pytest.fixture(scope="module")
def script():
    return script_of("foot_slides")


def stated(script):
    """The numbers of the page by file and clip: before, after, where contacts agree; NaN for a dash."""
    numbers = {(row[0], row[1].replace("\\|", "|")): row[2:] for row in rows_of(script)}
    return {key: [np.nan if v == "-" else float(v) for v in row] for key, row in numbers.items()}


def check_row(script, file, name):
    row = script.measured(ASSETS, file, name)
    said = stated(script)[Path(file).stem, name]
    np.testing.assert_allclose([row.before, row.after, row.agreed], said, atol=ROUNDED)


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("characters/kaykit/Knight.glb", "Walking_A"),
        ("characters/quaternius/animals_pack/Horse.glb", "AnimalArmature|Walk"),
        ("characters/quaternius/single_knight_pack/KnightCharacter.glb", "HumanArmature|Walking"),
        ("wild/retarget/bvh/AV_8Walk_Meredith_HVHA_Rep1.bvh", "AV_8Walk_Meredith_HVHA_Rep1"),
    ],
)
def test_feet_hold_what_the_page_says(script, file, name):
    asset(file)
    check_row(script, file, name)


@pytest.mark.soak
def test_the_page_says_what_measuring_says(script):
    if not HAS_ALL:
        pytest.skip("the assets are not all here")
    assert set(stated(script)) == {(Path(file).stem, name) for file, name in script.CASES}
    for file, name in script.CASES:
        check_row(script, file, name)


def test_the_page_names_what_is_not_held(script):
    rows = stated(script)
    assert len(rows) == len(script.CASES) >= 10
    meshes = {Path(file).stem for file, _ in script.CASES if not file.endswith(".bvh")}
    page = script.PAGE.read_text(encoding="utf-8")
    rest = page[page.index(script.END) :]
    for (name, _), (_, after, agreed) in rows.items():
        assert max(after, agreed) <= HELD or name in rest, name
        assert name not in meshes or agreed <= HELD or name == "Trex"


def test_the_ground_stands_still_below_a_clip_that_travels():
    """Low feet that swing say nothing of it: only what is slow stands."""
    hero = samples.humanoid()
    legs = lissom.ik.Leg.find(hero)
    walk = hero.clips["walk"].restore_root_motion()
    contacts = lissom.ik.find_contacts(walk, legs, character=hero)
    np.testing.assert_array_equal(contacts.ground_velocity, 0)
    swing = np.quantile(contacts.speeds, 0.95)
    assert contacts.speeds[contacts.curves == 1].max() <= 0.26 * swing


@pytest.mark.parametrize("percent", [0.0, 1.0, 0.1])
def test_the_judge_sees_a_slide_that_is_known(percent):
    """The left foot slides amid a stance, swings forward high above the ground and stands again."""
    hero = samples.humanoid()
    skeleton, legs = hero.skeleton, lissom.ik.Leg.find(hero)
    seconds = np.arange(121) / 60
    slide = percent / 100 * hero.size * np.clip((seconds - 0.3) / 0.3, 0, 1)
    swing = np.clip((seconds - 1.0) / 0.4, 0, 1)
    path = np.zeros((len(seconds), 3))
    path[:, 1] = 0.15 * np.sin(np.pi * swing)
    path[:, 2] = 0.6 * swing
    path[:, 0] = slide
    poses = np.repeat(skeleton.rest[None].astype(np.float64), len(seconds), axis=0)
    left = next(leg for leg in legs if leg.ankle.endswith(".L"))
    ankle = skeleton.index(left.ankle)
    shin = skeleton.model_matrices(skeleton.rest)[skeleton.parents[ankle]]
    poses[:, ankle, :3] += path @ np.linalg.inv(shin[:3, :3]).T
    clip = lissom.Clip.from_poses(skeleton, seconds, poses, name="sled")
    judged = dict(zip(legs, slides(hero, clip, legs), strict=True))
    assert judged.pop(left) == pytest.approx(percent / 100, abs=2e-6)
    assert list(judged.values()) == pytest.approx([0], abs=2e-6)
