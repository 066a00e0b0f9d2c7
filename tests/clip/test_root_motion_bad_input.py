# SPDX-License-Identifier: MIT
"""Root motion that cannot be taken or put back is refused, each by its sentence."""

import numpy as np
import pytest

import lissom
from lissom import Clip, RootMotion, Skeleton, quat, samples
from root_motion_laws import bend, check_law, trs_of, walk_in_an_arc


@pytest.fixture
def bow():
    return walk_in_an_arc()


def test_errors_say_what_to_do(bow):
    place = bow.extract_root_motion()
    with pytest.raises(ValueError, match="clip 'walk' has root motion already; put it back first"):
        place.extract_root_motion()
    with pytest.raises(ValueError, match="clip 'walk' has no root motion to put back"):
        bow.restore_root_motion()
    with pytest.raises(ValueError, match="the clip is additive; extract before make_additive"):
        bow._edited(additive=True).extract_root_motion()
    with pytest.raises(ValueError, match="at least one of translation, yaw and height"):
        bow.extract_root_motion(translation=False, yaw=False)
    with pytest.raises(ValueError, match="reference must be 'start' or 'rest', got 'end'"):
        bow.extract_root_motion(reference="end")
    with pytest.raises(ValueError, match="no joint is named 'Pelvs'; did you mean 'Pelvis'"):
        bow.extract_root_motion("Pelvs")
    for bad in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match="max_error must be above zero and finite"):
            bow.extract_root_motion(max_error=bad)
    stranger = place.with_root_motion(RootMotion(place.root_motion.track, ["Hip"]))
    with pytest.raises(ValueError, match="no joint is named 'Hip'"):
        stranger.restore_root_motion()


def test_root_motion_by_hand_must_fit_the_clip():
    clip = samples.humanoid().clips["idle"]
    motion = bend(clip)
    assert clip.with_root_motion(motion).root_motion.loop is True
    assert clip.with_root_motion(motion).with_root_motion(None).root_motion is None
    with pytest.raises(
        ValueError, match=r"motion must last from 0 s to 4 s like the clip, got 0 s to 1\.1 s"
    ):
        clip.with_root_motion(samples.humanoid().clips["walk"].root_motion)
    with pytest.raises(TypeError, match="motion must be a RootMotion or None, got Clip"):
        clip.with_root_motion(motion.track)
    with pytest.raises(
        ValueError, match=r"must hold poses, got .*, which is additive: differences do not travel"
    ):
        lissom.make_additive(clip).with_root_motion(motion)


def test_uneven_scales_above_bear_no_turn():
    uneven = trs_of() * np.append(np.ones(7), [1, 2, 1])
    rest = np.stack([uneven, trs_of([0, 1, 0])])
    skeleton = Skeleton(["Armature", "Hips"], [-1, 0], rest)
    poses = np.tile(rest, (11, 1, 1))
    poses[:, 0, 3:7] = quat.from_axis_angle(np.float64([0, 0, 1]), 0.4)
    poses[:, 1, 0] = np.linspace(0, 1, 11)
    poses[:, 1, 3:7] = quat.from_axis_angle(np.float64([0, 1, 0]), np.linspace(0, 1, 11))
    clip = Clip.from_poses(skeleton, np.arange(11) / 10, poses)
    with pytest.raises(
        ValueError, match="joints above 'Hips' whose scale is the same along all axes; pass yaw=False"
    ):
        clip.extract_root_motion("Hips")
    check_law(clip, clip.extract_root_motion("Hips", yaw=False))


def test_joints_without_size_above_are_refused():
    rest = np.stack([trs_of(), trs_of([0, 1, 0])])
    skeleton = Skeleton(["Armature", "Hips"], [-1, 0], rest)
    poses = np.tile(rest, (3, 1, 1))
    poses[:, 1, 0] = [0, 1, 2]
    poses[2, 0, 7:] = 0
    clip = Clip.from_poses(skeleton, [0, 1, 2], poses)
    with pytest.raises(ValueError, match="got a scale of zero above 'Hips'; choose a joint further up"):
        clip.extract_root_motion("Hips")
