# SPDX-License-Identifier: MIT
"""morphs.glsl against float64 NumPy, and the tables that it reads."""

import numpy as np
import pytest

from gpu.faces import random_morphs, shaped
from gpu.rigs import random_rig
from lissom.gpu._morph_targets import morph_tables, weight_lists

ROUNDING = 2e-6  # float32, of positions and normals of about 1


@pytest.mark.parametrize("targets", [7, 96, 97, 250])
@pytest.mark.parametrize("normals", [False, True])
def test_morphing_equals_the_twin(glsl, targets, normals):
    rig = random_rig(3, influences=1, scaled=False)
    count = len(rig.positions)
    morphs = random_morphs(targets, count, targets=targets, share=0.1, normals=normals)
    weights = np.random.default_rng(5).uniform(-1, 1, targets).astype(np.float32)
    weights[::3] = 0
    weights /= np.abs(weights).sum()
    tables = morph_tables(morphs, count)
    other = np.full((5, 4), 7, np.uint32)  # another list before it: `first` is not 0
    position, normal = glsl(
        ["morphs.glsl"],
        f"MorphList list = MorphList(5, {tables.blocks});"
        "Morphed m = Morphed(bind, straight);"
        "if (number > 0.0) m = morphed(masks, rows, weights, list, int(number) - 1, bind, straight);"
        "moved = m.position; turned = m.normal;",
        {"bind": rig.positions, "straight": rig.normals, "number": tables.numbers},
        {"moved": 3, "turned": 3},
        textures={"rows": tables.rows},
        words={"masks": tables.masks, "weights": np.concatenate([other, *weight_lists(weights[None])])},
        defines={"MORPH_STRIDE": 1 + normals},
    )
    expected = shaped(morphs, weights, rig.positions, rig.normals)
    assert np.abs(position - expected[0]).max() < ROUNDING
    assert np.abs(normal - expected[1]).max() < ROUNDING
    assert np.abs(expected[0] - rig.positions).max() > 1e-3


def test_each_instance_has_a_list_of_its_own(glsl):
    morphs = random_morphs(1, 4, targets=100, share=1)
    tables = morph_tables(morphs, 4)
    weights = np.zeros((4, 100), np.float32)
    weights[0, 31], weights[1, [32, 99]], weights[3, [0, 63, 64, 95, 96]] = 1, 0.5, 0.2
    lists = weight_lists(weights)
    (moved,) = glsl(
        ["morphs.glsl"],
        "vec3 zero = vec3(0.0);"
        f"MorphList list = MorphList(int(instance) * {lists.shape[1]}, 2);"
        "moved = morphed(masks, rows, weights, list, 3, zero, zero).position;",
        {"instance": np.arange(4)},
        {"moved": 3},
        textures={"rows": tables.rows},
        words={"masks": tables.masks, "weights": lists.reshape(-1, 4)},
    )
    zeros = np.zeros((4, 3))
    expected = [shaped(morphs, own, zeros, zeros)[0][3] for own in weights]
    np.testing.assert_allclose(moved, expected, atol=1e-6)
    assert np.abs(expected[3]).max() > 1e-3


def test_bits_are_counted(glsl):
    words = np.array([0, 1, 2**31, 2**32 - 1, 0x55555555, 0xF0F0F0F0, 12345678], np.uint32)
    words = np.stack(np.meshgrid(words, words, words), axis=-1).reshape(-1, 3)
    (count,) = glsl(
        ["morphs.glsl"],
        "count = float(bit_count(texelFetch(words, ivec2(int(i), 0), 0).xyz));",
        {"i": np.arange(len(words))},
        {"count": 1},
        words={"words": np.pad(words, ((0, 0), (0, 1)))},
    )
    np.testing.assert_array_equal(count[:, 0], np.bitwise_count(words).sum(axis=1))


def test_tables_hold_what_is_moved_and_no_more():
    morphs = random_morphs(2, 1000, targets=100, share=0.01)
    tables = morph_tables(morphs, 1000, normal_scale=127.0)
    assert tables.numbers.max() == len(np.unique(morphs.vertices))
    assert (np.flatnonzero(tables.numbers) == np.unique(morphs.vertices)).all()
    assert len(tables.rows) == 2 * len(morphs.vertices)
    assert np.bitwise_count(tables.masks[:, 1:]).sum() == len(morphs.vertices)
    np.testing.assert_allclose(
        np.sort(tables.rows[1::2, :3], axis=None),
        np.sort(127 * morphs.normals, axis=None),
        rtol=1e-6,
    )


def test_lists_hold_bits_and_then_weights():
    weights = np.zeros((2, 100), np.float32)
    weights[0, [1, 40, 95, 96, 99]] = [2, -3, 4, 5, 6]
    weights[1, 0] = 7
    lists = weight_lists(weights)
    bits = [[0, 2, 1 << 8, 1 << 31], [3, 0b1001, 0, 0]], [[0, 1, 0, 0], [1, 0, 0, 0]]
    np.testing.assert_array_equal(lists[:, :2], bits)
    given = [[2, -3, 4, 5], [6, 0, 0, 0]], [[7, 0, 0, 0], [0, 0, 0, 0]]
    np.testing.assert_array_equal(lists[:, 2:].view(np.float32), given)
    np.testing.assert_array_equal(weight_lists(np.zeros((1, 3), np.float32)), np.zeros((1, 1, 4)))
