# SPDX-License-Identifier: MIT
"""Clips at other speeds."""

import numpy as np
import pytest

from random_rigs import random_clip, random_skeleton

TOLERANCE = 1e-9  # float64 clips: the times move by a rounding, the keys do not


@pytest.mark.parametrize("factor", [0.5, 1.0, 3.0])
def test_at_speed_plays_the_same_poses_at_other_times(factor: float) -> None:
    rng = np.random.default_rng(3)
    clip = random_clip(rng, random_skeleton(rng, 8), np.float64, False, False)
    quick = clip.at_speed(factor)
    assert quick.start == clip.start
    assert quick.duration == pytest.approx(clip.duration / factor)
    phases = rng.uniform(size=50)  # between keys: what a STEP track shows at a key hangs on the rounding
    got = quick.sample(quick.start + phases * quick.duration)
    np.testing.assert_allclose(got, clip.sample(clip.start + phases * clip.duration), atol=TOLERANCE)


def test_at_speed_takes_markers_along() -> None:
    rng = np.random.default_rng(4)
    clip = random_clip(rng, random_skeleton(rng, 2), np.float64, False, True)
    marked = clip._edited(markers=[(clip.start + 0.5, "left"), (clip.start, "begin")])
    assert marked.at_speed(2).markers == ((clip.start, "begin"), (clip.start + 0.25, "left"))


@pytest.mark.parametrize("factor", [0.0, -1.0, np.nan, np.inf])
def test_a_speed_is_above_zero(factor: float) -> None:
    rng = np.random.default_rng(5)
    clip = random_clip(rng, random_skeleton(rng, 2), np.float32, False, True)
    with pytest.raises(ValueError, match=r"Clip.at_speed: factor must be above zero and finite, got"):
        clip.at_speed(factor)
