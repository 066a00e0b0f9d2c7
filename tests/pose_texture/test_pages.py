# SPDX-License-Identifier: MIT
"""Texels as a GPU holds them."""

import numpy as np
import pytest

from layout_rigs import pose_texture, rig


def bake(frames, layout="trs", dtype=np.float16):
    return pose_texture(rig("plain", frames=frames), layout, dtype)


@pytest.mark.parametrize("side", [1, 2, 4, 64, 16384])
def test_texels_follow_one_another_through_rows_and_pages(side):
    texture = bake(700)  # 12600 texels: 7 rows
    pages = texture.pages(side)
    assert pages.shape == (-(-7 // side), min(7, side), 2048, 4)
    assert pages.dtype == np.float16
    sequence = texture.texels.reshape(-1, 4)
    i = np.arange(len(sequence))
    np.testing.assert_array_equal(pages[i // (2048 * side), (i >> 11) & (side - 1), i & 2047], sequence)
    assert not pages.reshape(-1, 4)[len(sequence) :].any()


def test_few_texels_are_one_short_row():
    texture = bake(9, "rotations", np.uint8)
    assert texture.pages().shape == (1, 1, 9 * 7, 4)
    np.testing.assert_array_equal(texture.pages()[0, 0], texture.texels.reshape(-1, 4))


def test_errors():
    texture = bake(700)
    for side in (0, 100):
        with pytest.raises(ValueError, match=f"pages: side must be a power of two, got {side}"):
            texture.pages(side)
    with pytest.raises(TypeError, match="side must be a whole number, got float"):
        texture.pages(64.0)
    long = pose_texture(rig("plain", frames=2), "matrix")
    many = type(long)(
        np.zeros((40_000, 7, 3, 4), np.float16),
        {"wave": long.clips["wave"].__class__(0, 40_000, 1.0, False, 0.0, 39_999.0, *[None] * 2)},
        long.joints,
        long.report,
    )
    with pytest.raises(ValueError, match="side must be at least 2 for 840000 texels in 256 pages, got 1"):
        many.pages(1)
    assert many.pages(2).shape == (206, 2, 2048, 4)
