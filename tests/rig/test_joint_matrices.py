# SPDX-License-Identifier: MIT
"""Where joints are, read from a pose texture."""

import numpy as np
import pytest

import bake_rigs
import lissom
from layout_rigs import PARENTS, pose_texture, rig
from lissom.pose_texture._layouts import LAYOUTS, Source
from reference import bake as twin

TOLERANCE = 3e-5  # float32 down four joints, times joint_from_bind and its inverse


def with_extra(source, *joints):
    """The same frames with rows of extra joints, bound at the origin."""
    bind = np.concatenate(
        [source.skin.joint_from_bind, np.tile(np.eye(4, dtype=np.float32), (len(joints), 1, 1))]
    )
    skin = lissom.Skin([*source.skin.joints, *joints], bind)
    return Source(source.skeleton, skin, source.poses, source.name, source.size)


@pytest.mark.parametrize("kind", ["plain", "small", "large"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_joints_are_where_the_clip_has_them(layout, kind):
    source = rig(kind)
    bake = pose_texture(source, layout)
    names = ["joint4", "joint0", "joint5"]
    found = bake.joint_matrices(np.arange(9.0).reshape(3, 3), names)
    assert found.shape == (3, 3, 3, 4, 4)
    assert found.dtype == np.float32
    for frame in range(9):
        model = twin.model_matrices(PARENTS, source.poses[frame].astype(np.float64))[[4, 0, 5]]
        size = np.abs(model).max()
        np.testing.assert_allclose(found[frame // 3, frame % 3], model, atol=TOLERANCE * size, rtol=0)
    one = bake.joint_matrices(3.5, "joint4")
    assert one.shape == (4, 4)
    np.testing.assert_array_equal(one, bake.joint_matrices([3.5], ["joint4"])[0, 0])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_palette_is_the_joint_times_joint_from_bind(layout):
    """Between frames, in a cross-fade and without interpolation: whatever is sampled, props are in place."""
    bake = pose_texture(rig("plain"), layout)
    for options in (
        {},
        {"interpolate": False},
        {"next_coordinates": np.full(4, 6.75), "fades": np.linspace(0, 1, 4)},
    ):
        places = np.array([0.3, 1.6, 4.5, 7.9])
        palette = bake.sample_frames(places, **options).matrices
        names = [bake.joints[joint] for joint in bake.skin.joints]
        joints = bake.joint_matrices(places, names, **options)
        rows = [0, 1, 2, 3, 4, 6]  # row 5 is joint4 again, bound elsewhere: it is blended about there
        away = (joints @ bake.skin.joint_from_bind - palette)[:, rows]
        np.testing.assert_allclose(away, 0, atol=TOLERANCE)


@pytest.mark.parametrize("layout", ["dual_quat", "matrix", "trs"])
def test_an_extra_joint_is_read_as_it_is(layout):
    source = rig("growing")
    bind = source.skin.joint_from_bind.copy()
    bind[[2, 3, 5], :3, :3] = np.eye(3)  # as regular as can be, were it not for where they are
    source.skin = lissom.Skin(source.skin.joints, bind)
    source = with_extra(source, 1, 4)
    bake = pose_texture(source, layout)
    found = bake.joint_matrices([2.0], ["joint1", "joint4"])[0]
    model = twin.model_matrices(PARENTS, source.poses[2].astype(np.float64))
    np.testing.assert_allclose(found, model[[1, 4]], atol=TOLERANCE)
    if layout != "trs":  # not by way of another row and its inverse
        np.testing.assert_array_equal(found, bake.sample_frames(2.0).matrices[-2:])


def test_of_several_rows_the_most_regular_is_read():
    source = rig("plain")
    bind = source.skin.joint_from_bind.copy()
    first = list(source.skin.joints).index(4)
    bind[first, :3, :3] = 0  # one of the two skins has lost this joint
    source = Source(source.skeleton, lissom.Skin(source.skin.joints, bind), source.poses, "wave", 2.0)
    bake = pose_texture(source, "matrix")
    found = bake.joint_matrices(1.0, "joint4")
    model = twin.model_matrices(PARENTS, source.poses[1].astype(np.float64))
    np.testing.assert_allclose(found, model[4], atol=TOLERANCE)


def test_a_baked_character_holds_a_prop():
    character = bake_rigs.character()
    bake = lissom.bake(character, dtype="float32")
    times = np.linspace(0, 0.9, 5)
    found = bake.joint_matrices(bake.frame_coordinate("wave", times), joints="joint3")
    model = character.skeleton.model_matrices(character.clips["wave"].sample(times))[:, 3]
    np.testing.assert_allclose(found, model, atol=2e-3)


def test_errors():
    source = rig("plain")
    bake = pose_texture(source, "dual_quat")
    with pytest.raises(ValueError, match="joint_matrices: no joint is named 'joint9'; did you mean"):
        bake.joint_matrices(0.0, ["joint9"])
    with pytest.raises(TypeError, match="joint_matrices: next_coordinates and fades must be passed together"):
        bake.joint_matrices(0.0, "joint1", fades=0.5)
    bind = source.skin.joint_from_bind.copy()
    bind[list(source.skin.joints).index(2), :3, :3] = np.diag([1.0, 1.0, 0.0])
    flat = Source(source.skeleton, lissom.Skin(source.skin.joints, bind), source.poses, "wave", 2.0)
    with pytest.raises(
        ValueError, match=r"of 'joint2' must have an inverse, got a singular matrix; bake with extra_joints"
    ):
        pose_texture(flat, "matrix").joint_matrices(0.0, "joint2")
    old = lissom.PoseTexture(bake.texels, bake.clips, bake.joints, bake.report)
    assert old.palette_row_count == 7
    with pytest.raises(ValueError, match="got none, since its file is of version 1; bake it again"):
        old.joint_matrices(0.0, "joint2")
