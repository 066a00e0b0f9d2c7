# SPDX-License-Identifier: MIT
"""morphs.glsl against float64 NumPy, and the tables that it reads."""

import numpy as np
import pytest

from gpu.faces import random_morphs, shaped
from gpu.rigs import random_rig
from lissom.gpu._morph_targets import morph_tables, weight_pairs

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
    other = np.full((5, 4), 7, np.float32)  # another list before it: `first` is not 0
    position, normal = glsl(
        ["morphs.glsl"],
        f"MorphList list = MorphList(5, {len(weight_pairs(weights))}, {tables.blocks});"
        "Morphed m = Morphed(bind, straight);"
        "if (number > 0.0) m = morphed(masks, rows, weights, list, int(number) - 1, bind, straight);"
        "moved = m.position; turned = m.normal;",
        {"bind": rig.positions, "straight": rig.normals, "number": tables.numbers},
        {"moved": 3, "turned": 3},
        textures={"rows": tables.rows, "weights": np.concatenate([other, weight_pairs(weights)])},
        words={"masks": tables.masks},
        defines={"MORPH_STRIDE": 1 + normals},
    )
    expected = shaped(morphs, weights, rig.positions, rig.normals)
    assert np.abs(position - expected[0]).max() < ROUNDING
    assert np.abs(normal - expected[1]).max() < ROUNDING
    assert np.abs(expected[0] - rig.positions).max() > 1e-3


def test_a_weight_of_zero_ends_a_list(glsl):
    morphs = random_morphs(1, 4, targets=4, share=1)
    tables = morph_tables(morphs, 4)
    lists = np.array([[0, 1, 2, 0], [3, 1, 0, 0], [0, 0, 3, 1]], np.float32)
    (moved,) = glsl(
        ["morphs.glsl"],
        "vec3 zero = vec3(0.0);"
        "moved = morphed(masks, rows, weights, MorphList(int(first), 2, 1), 3, zero, zero).position;",
        {"first": [0, 1, 2]},
        {"moved": 3},
        textures={"rows": tables.rows, "weights": lists},
        words={"masks": tables.masks},
    )
    first, last = morphs.positions[morphs.offsets[1] - 1], morphs.positions[-1]
    np.testing.assert_allclose(moved, [first, last, np.zeros(3)], atol=1e-7)


def test_bits_are_counted(glsl):
    words = np.array([0, 1, 2**31, 2**32 - 1, 0x55555555, 0xF0F0F0F0, 12345678], np.uint32)
    (count,) = glsl(
        ["morphs.glsl"],
        "count = float(bit_count(texelFetch(words, ivec2(int(i), 0), 0).x));",
        {"i": np.arange(len(words))},
        {"count": 1},
        words={"words": np.tile(words[:, None], (1, 4))},
    )
    np.testing.assert_array_equal(count[:, 0], np.bitwise_count(words))


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


def test_lists_hold_active_targets_in_pairs():
    np.testing.assert_array_equal(weight_pairs(np.array([0, 2, 0, -3, 4])), [[1, 2, 3, -3], [4, 4, 0, 0]])
    np.testing.assert_array_equal(weight_pairs(np.zeros(3)), [[0, 0, 0, 0]])
