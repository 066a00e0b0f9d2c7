# SPDX-License-Identifier: MIT
"""Single rows and texels, read and written by joint and time."""

import numpy as np
import pytest

import bake_rigs
import lissom
from layout_rigs import pose_texture, rig
from lissom.pose_texture._layouts import LAYOUTS

DTYPES = [np.float32, np.float16, np.uint8]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_a_row_is_the_nearest_frame_decoded(layout, dtype):
    bake = pose_texture(rig("plain"), layout, dtype)
    for time, frame in ((0.0, 0), (2.4, 2), (2.5, 3), (7.9, 8), (99.0, 8), (-1.0, 0)):
        row = bake.row("wave", "joint4", time)
        assert row.frame == frame
        assert row.values.dtype == np.float32
        at = bake.joints.index("joint4")
        expected = bake.texels[frame, at].astype(np.float64)
        if bake.ranges is not None:
            expected = bake.ranges[0, at, :, 0] + bake.ranges[0, at, :, 1].astype(np.float64) * expected
        np.testing.assert_allclose(row.values, expected, atol=1e-6)
        np.testing.assert_array_equal(row.values, bake.row(0, at, time).values)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_is_read(layout, dtype):
    bake = pose_texture(rig("plain"), layout, dtype)
    copy = bake.edited()
    wanted = (bake.row("wave", "joint4", 3.0).values + bake.row("wave", "joint4", 4.0).values) / 2
    assert copy.set_row("wave", "joint4", 4.2, wanted) == 4
    row = copy.row("wave", "joint4", 4.0)
    step = 0.0 if bake.ranges is None else bake.ranges[..., 1, :].max()
    np.testing.assert_allclose(row.values, wanted, atol=max({np.float16: 1e-3}.get(dtype, 0), 0.51 * step))
    others = np.ones(bake.texels.shape[:2], bool)
    others[4, bake.joints.index("joint4")] = False
    np.testing.assert_array_equal(copy.texels[others], bake.texels[others])
    assert not np.array_equal(copy.texels, bake.texels)
    # What is sampled goes through what was written.
    frame = copy.sample_frames(4.0).matrices
    assert not np.array_equal(frame, bake.sample_frames(4.0).matrices)


@pytest.mark.parametrize("layout", ["dual_quat", "quat_trans", "trs", "rotations"])
def test_signs_follow_the_frame_before_unless_told_otherwise(layout):
    copy = pose_texture(rig("plain"), layout).edited()
    form = copy._texels.form
    flipped = slice(form.quat, form.quat + form.flipped)
    for time in (0.0, 5.0):
        before = copy.row("wave", "joint4", time).values
        turned = before.copy()
        turned[flipped] *= -1
        copy.set_row("wave", "joint4", time, turned)
        np.testing.assert_array_equal(copy.row("wave", "joint4", time).values, before)
        copy.set_row("wave", "joint4", time, turned, align=False)
        np.testing.assert_array_equal(copy.row("wave", "joint4", time).values, turned)
        copy.set_row("wave", "joint4", time, turned)  # by its neighbour, whatever it was itself
        np.testing.assert_array_equal(copy.row("wave", "joint4", time).values, before)


def test_the_translation_of_rotations_is_the_row_after_all_joints():
    copy = pose_texture(rig("plain"), "rotations").edited()
    row = copy.row("wave", 6, 3.0)
    moved = row.values + np.float32([[0, 1, 0, 0]])
    before = copy.joint_matrices(3.0, "joint4")
    copy.set_row("wave", 6, 3.0, -moved)
    np.testing.assert_array_equal(copy.row("wave", 6, 3.0).values, -moved)  # it has no sign to choose
    copy.set_row("wave", 6, 3.0, moved)
    after = copy.joint_matrices(3.0, "joint4")
    np.testing.assert_allclose(after[:3, 3] - before[:3, 3], [0, 1, 0], atol=1e-6)


@pytest.mark.parametrize("dtype", DTYPES)
def test_texels_are_raw_numbers(dtype):
    bake = pose_texture(rig("plain"), "trs", dtype)
    copy = bake.edited()
    raw = copy.texel("wave", "joint2", 5, 2)
    assert raw.dtype == dtype
    np.testing.assert_array_equal(raw, bake.texels[5, 2, 2])
    copy.set_texel("wave", "joint2", 5, [1, 2, 3, 0], texel=2)
    np.testing.assert_array_equal(copy.texel("wave", "joint2", 5, 2), [1, 2, 3, 0])
    raw[0] = 9  # a copy
    np.testing.assert_array_equal(copy.texels[5, 2, 2], [1, 2, 3, 0])
    copy.texels[5, 2, 2] = bake.texels[5, 2, 2]
    np.testing.assert_array_equal(copy.texels, bake.texels)


def test_frames_count_within_the_clip():
    bones = bake_rigs.skeleton()
    slow = bake_rigs.waving_clip(bones, name="high", start=2.0, duration=0.5, key_count=7)
    clips = [bake_rigs.spinning_clip(bones), slow]
    bake = lissom.bake(bake_rigs.character(*clips), dtype="uint8")
    first = bake.clips["high"].first_frame
    row = bake.row("high", "joint2", 2.25)
    assert row.frame == 15
    low, step = bake.ranges[1, 2, :, 0], bake.ranges[1, 2, :, 1]
    np.testing.assert_array_equal(row.values, low + step * bake.texels[first + 15, 2].astype(np.float32))
    np.testing.assert_array_equal(bake.texel("high", "joint2", 15), bake.texels[first + 15, 2, 0])
    copy = bake.edited()
    copy.set_row("high", "joint2", 2.0, bake.row("high", "joint2", 2.5).values)
    np.testing.assert_array_equal(copy.texels[first, 2], bake.texels[first + 30, 2])


def test_an_edited_bake_says_so(tmp_path):
    bake = lissom.bake(bake_rigs.character())
    copy = bake.edited()
    assert (bake.report.edited, copy.report.edited) == (False, True)
    assert copy.report.notes[-1] == "Texels were edited by hand: errors and bounds are those from before."
    assert "edited by hand" in str(copy.report)
    assert "edited)" in repr(copy)
    copy.set_texel("wave", "joint1", 3, [0, 0, 0, 1])
    path = tmp_path / "edited.safetensors"
    copy.save(path)
    back = lissom.load_bake(path)
    assert back.report.edited
    np.testing.assert_array_equal(back.texels, copy.texels)
    again = back.edited()
    assert again.report.notes == copy.report.notes
    again.set_texel("wave", "joint1", 3, bake.texel("wave", "joint1", 3))
    np.testing.assert_array_equal(again.texels, bake.texels)
    assert not back.texels.flags.writeable


def test_errors():
    bake = pose_texture(rig("plain"), "dual_quat", np.uint8)
    copy = bake.edited()
    row = bake.row("wave", "joint1", 0.0).values
    for call in (
        lambda: bake.set_row("wave", "joint1", 0.0, row),
        lambda: bake.set_texel("wave", "joint1", 0, [0, 0, 0, 1]),
    ):
        with pytest.raises(
            ValueError,
            match=r"texels must be writeable, got a read-only bake; write to its edited\(\)",
        ):
            call()
    with pytest.raises(ValueError, match=r"^PoseTexture\.row: no joint is named 'joint9'"):
        bake.row("wave", "joint9", 0.0)
    with pytest.raises(ValueError, match=r"^PoseTexture\.row: joint must be below 7, got 7"):
        bake.row("wave", 7, 0.0)
    with pytest.raises(ValueError, match="no clip is named 'wav'"):
        bake.row("wav", "joint1", 0.0)
    with pytest.raises(TypeError, match="clip must be one name or index, got an array"):
        bake.row([0, 0], "joint1", 0.0)
    with pytest.raises(ValueError, match=r"^PoseTexture\.row: time must be finite, got nan"):
        bake.row("wave", "joint1", np.nan)
    with pytest.raises(ValueError, match="texel: frame must be below 9, got 9"):
        bake.texel("wave", "joint1", 9)
    with pytest.raises(ValueError, match="texel: texel must be below 2, got 2"):
        bake.texel("wave", "joint1", 0, 2)
    with pytest.raises(ValueError, match=r"must be finite, with a magnitude up to 3\.4.*, got 1e\+300"):
        copy.set_row("wave", "joint1", 0.0, np.full((2, 4), 1e300))
    with pytest.raises(ValueError, match=r"set_row: values must have shape \(2, 4\), got \(4,\)"):
        copy.set_row("wave", "joint1", 0.0, [0, 0, 0, 1])
    with pytest.raises(ValueError, match=r"must be whole numbers from 0 to 255, got 256"):
        copy.set_texel("wave", "joint1", 0, [0, 0, 0, 256])
    far = row.copy()
    far[1, 0] = 50.0
    with pytest.raises(ValueError, match=r"number 0 of texel 1 must lie in the range .*, got 50; bake with"):
        copy.set_row("wave", "joint1", 0.0, far)
    half = pose_texture(rig("plain"), "matrix", np.float16).edited()
    with pytest.raises(ValueError, match=r"must be finite, with a magnitude up to 65504, got 70000"):
        half.set_row("wave", "joint1", 0.0, np.full((3, 4), 7e4))
    with pytest.raises(ValueError, match=r"must be finite, with a magnitude up to 65504, got nan"):
        half.set_texel("wave", "joint1", 0, [0, np.nan, 0, 0])
    np.testing.assert_array_equal(copy.texels, bake.texels)
