# SPDX-License-Identifier: MIT
"""Bundles as the text of a page: nothing is lost, and little is left."""

import base64
import json
import zlib

import numpy as np
import pytest

import baked_textures
import lissom
from lissom.player import bundle
from lissom.player._container import from_bytes
from lissom.player._packing import filtered, packed, unfiltered, unpacked


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.uint16, np.float16, np.uint32, np.float32])
@pytest.mark.parametrize("order", [0, 1, 2])
def test_filters_are_undone_to_the_bit(dtype, order):
    rng = np.random.default_rng(order)
    size = np.dtype(dtype).itemsize
    array = rng.integers(0, 256, (7, 3, 2 * size), np.uint8).view(dtype)  # any bits: also NaN and -0.0
    back = unfiltered(filtered(array, order), array.dtype, array.shape, order)
    assert back.dtype == array.dtype
    assert back.tobytes() == array.tobytes()


def test_bytes_lie_in_planes_column_by_column():
    array = np.array([[0x0102, 0x0304], [0x0506, 0x0708], [0x090A, 0x0B0C]], np.uint16)
    assert filtered(array, 0).hex() == "02060a" "04080c" "010509" "03070b"  # fmt: skip


def test_differences_wrap_and_have_their_sign_in_the_lowest_bit():
    array = np.array([3, 2, 4, 255, 0], np.uint8)
    # 3, -1, 2, -5 (251 mod 256), 1
    assert list(filtered(array, 1)) == [6, 1, 4, 9, 2]
    # 3, -4, 3, -7, 6
    assert list(filtered(array, 2)) == [6, 7, 6, 13, 12]


@pytest.mark.parametrize("dtype", ["float16", "float32", "uint8"])
@pytest.mark.parametrize("layout", ["dual_quat", "matrix", "quat_trans", "trs", "rotations"])
def test_every_bake_comes_back_byte_for_byte(layout, dtype):
    bake = lissom.bake(lissom.samples.two_bone_tube(), layout=layout, dtype=dtype)
    data = bundle(bake.mesh, None, bake=bake, title="ü </script>")
    assert unpacked(packed(data)) == data


def test_an_empty_mesh_and_one_frame_come_back():
    bake = baked_textures.texture(baked_textures.random_texels(np.random.default_rng(0), frames=1))
    data = bundle(lissom.Mesh(np.zeros((0, 3)), np.zeros((0, 3), int)), None, bake=bake)
    assert unpacked(packed(data)) == data


def test_pictures_are_left_as_they_are():
    picture = lissom.Texture(bytes(range(256)) * 2, "image/png")
    part = lissom.Part("", slice(0, 3), slice(0, 1), texture=picture)
    mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]], uvs=np.zeros((3, 2)), parts=[part])
    arrays, strings = from_bytes(zlib.decompress(base64.b64decode(packed(bundle(mesh, None))), -15))
    assert "image.0" not in json.loads(strings["filters"])
    assert arrays["image.0"].tobytes() == picture.data


def test_smooth_motion_packs_to_a_fifth():
    bake = lissom.bake(lissom.samples.humanoid())
    texels = lissom.player._packing.filtered(bake.texels, 2)
    assert len(zlib.compress(texels, 9)) < bake.texels.nbytes / 5
    assert len(zlib.compress(bake.texels.tobytes(), 9)) > bake.texels.nbytes / 2.5  # and not by deflate alone
