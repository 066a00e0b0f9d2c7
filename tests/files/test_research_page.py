# SPDX-License-Identifier: MIT
"""What the page about motion from research shows does what it says."""

import re
from pathlib import Path

import numpy as np
import pytest

import lissom
import research_motion

PAGE = Path(__file__).resolve().parents[2] / "docs" / "howto" / "motion-from-research.md"


@pytest.fixture
def page(tmp_path, monkeypatch) -> dict[str, object]:
    """The names that the page's code defines, run where its files are; drawing is left to its own test."""
    research_motion.write_all(tmp_path)
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL))
    names: dict[str, object] = {}
    exec("\n".join(line for line in code.splitlines() if not line.startswith("lissom.render")), names)
    return names


def test_features_are_the_places_they_were_made_of(page) -> None:
    joints = research_motion.places(seed=7)
    joints[:, :, [0, 2]] -= joints[0, 0, [0, 2]]  # their root begins at the origin
    facing = np.concatenate([[0], np.cumsum(np.random.default_rng(3).normal(0, 0.4, len(joints) - 1))])
    found = page["places_of"](research_motion.features(joints, facing))
    np.testing.assert_allclose(found, joints, atol=1e-12)


def test_poses_of_places_have_bones_that_point_as_they_do(page) -> None:
    """Of single bones exactly; and all places are met where they are those of a pose of the figure."""
    actor, joints = page["actor"], research_motion.places(seed=8)
    skeleton = actor.skeleton
    found = skeleton.positions(page["poses_of"](joints, skeleton))[:, :22]
    parents = skeleton.parents[:22]
    for child in range(1, 22):
        if (parents == parents[child]).sum() == 1:
            bones = [each[:, child] - each[:, parents[child]] for each in (found, joints)]
            one, other = (bone / np.linalg.norm(bone, axis=1, keepdims=True) for bone in bones)
            np.testing.assert_allclose(one, other, atol=1e-6)  # rest lengths are float32
    meant = skeleton.positions(actor.clips["jump_poses"].sample(np.arange(12) / 20))[:, :22]
    again = skeleton.positions(page["poses_of"](meant.astype(np.float64), skeleton))[:, :22]
    np.testing.assert_allclose(
        again, meant, atol=1e-5
    )  # places in float32, each of them the sum of ten bones


def test_the_clip_plays(page) -> None:
    made = page["made"]
    assert (made.key_rate, made.duration) == (pytest.approx(20), pytest.approx(11 / 20))
    assert isinstance(page["clip"], lissom.Clip)
