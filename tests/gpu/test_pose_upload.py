# SPDX-License-Identifier: MIT
"""Pose textures on the GPU: pages, edits, limits."""

import numpy as np
import pytest

import lissom
from lissom.errors import GpuError
from lissom.gpu import PoseUpload
from lissom.pose_texture._layouts import LAYOUTS


@pytest.fixture(scope="module")
def bake():
    """Texels of several lines: 125 frames of 34 rows of 2 texels are 5 lines of 2048."""
    return lissom.bake(lissom.samples.humanoid(), ["idle", "walk", "wave"], rate=15)


@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8"])
@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_texels_come_back_bit_for_bit(stage, layout, dtype):
    bake = lissom.bake(lissom.samples.humanoid(), ["idle", "walk"], rate=15, layout=layout, dtype=dtype)
    for side in (None, 1, 2):
        with PoseUpload(bake, stage=stage, side=side) as upload:
            back = upload.read()
        assert back.dtype == bake.texels.dtype
        np.testing.assert_array_equal(back, bake.texels)


@pytest.mark.parametrize(("side", "pages"), [(1, 5), (2, 3), (4, 2), (8, 1), (None, 1)])
def test_pages_are_as_many_as_the_side_asks_for(stage, bake, side, pages):
    assert -(-bake.texels.size // (4 * 2048)) == 5
    with PoseUpload(bake, stage=stage, side=side) as upload:
        assert upload.page_count == pages
        assert upload.line_bits == (14 if side is None else side.bit_length() - 1)
        height = min(5, side or 5)
        assert repr(upload) == f"PoseUpload(dual_quat float16, {pages} pages of 2048 x {height})"
    assert repr(upload).endswith(", released)")


@pytest.mark.parametrize("side", [1, 2, None])
def test_an_edit_reaches_its_frames_alone(stage, bake, side):
    rng = np.random.default_rng(3)
    expected = bake.texels.copy()
    with PoseUpload(bake, stage=stage, side=side) as upload:
        for first, count in ((0, 1), (29, 3), (30, 61), (124, 1), (125, 0), (0, 125)):
            edit = rng.normal(size=(count, *bake.texels.shape[1:])).astype(np.float16)
            upload.write(edit, first)
            expected[first : first + count] = edit
            np.testing.assert_array_equal(upload.read(), expected)
        upload.write(expected[::-1][:2])  # not contiguous
        np.testing.assert_array_equal(upload.read()[:2], expected[::-1][:2])


def test_misuse_is_refused_in_a_sentence(stage, bake):
    with pytest.raises(TypeError, match=r"^PoseUpload: bake must be a PoseTexture, got Stage"):
        PoseUpload(stage)
    for side in (0, 3, 6):
        match = rf"^PoseUpload: side must be a power of two, got {side}$"
        with pytest.raises(ValueError, match=match):
            PoseUpload(bake, stage=stage, side=side)
    with PoseUpload(bake, stage=stage) as upload:
        with pytest.raises(
            TypeError, match=r"^PoseUpload.write: texels must be an array of float16, got float32$"
        ):
            upload.write(bake.texels.astype(np.float32))
        with pytest.raises(
            TypeError, match=r"^PoseUpload.write: texels must be an array of float16, got list$"
        ):
            upload.write([1, 2])
        match = r"^PoseUpload.write: texels must have shape \(n, 34, 2, 4\), got \(125, 34, 1, 4\)$"
        with pytest.raises(ValueError, match=match):
            upload.write(bake.texels[:, :, :1])
        match = r"first_frame must be at most 115 for 10 of 125 frames, got 116$"
        with pytest.raises(ValueError, match=match):
            upload.write(bake.texels[:10], 116)
    for use in (upload.read, lambda: upload.use(0), lambda: upload.write(bake.texels)):
        with pytest.raises(GpuError, match=r"^PoseUpload: this upload was released; make a new one$"):
            use()
    upload.release()


class Limited:
    """A moderngl context whose driver has lower limits."""

    def __init__(self, gl, **limits):
        self._gl = gl
        self.info = gl.info | limits

    def __getattr__(self, name):
        return getattr(self._gl, name)

    def __enter__(self):
        return self._gl.__enter__()

    def __exit__(self, *exception):
        return self._gl.__exit__(*exception)


def test_limits_of_the_driver_are_errors(stage, bake, monkeypatch):
    gl = stage.context.gl
    monkeypatch.setattr(stage.context, "gl", Limited(gl, GL_MAX_ARRAY_TEXTURE_LAYERS=2))
    match = (
        r"^the pose texture needs 5 pages of 2048 x 1 texels, but this driver's limit is 2; bake fewer clips"
    )
    with pytest.raises(GpuError, match=match):
        PoseUpload(bake, stage=stage, side=1)
    monkeypatch.setattr(stage.context, "gl", Limited(gl, GL_MAX_TEXTURE_SIZE=1024))
    match = r"^the pose texture needs a texture of 2048 x 5, but this driver's limit is 1024 x 1024$"
    with pytest.raises(GpuError, match=match):
        PoseUpload(bake, stage=stage)
