# SPDX-License-Identifier: MIT
"""Weights that a clip gives the morph targets of another mesh, by name."""

import numpy as np

import lissom
from lissom._character.morph_choice import clip_morphs
from morphed_characters import NAMES, faced

HERO = faced(lissom.samples.two_bone_tube())


def clip_of(morphs: dict[str, list[float]]) -> lissom.Clip:
    poses = np.tile(HERO.skeleton.rest, (2, 1, 1))
    return lissom.Clip.from_poses(HERO.skeleton, [0, 1], poses, morphs=morphs)


def test_a_name_without_its_node_moves_all_that_share_it() -> None:
    clip = clip_of({"smile": [0, 1], "body/thin": [0.5, 0.5], "unknown": [1, 1]})
    expected = np.tile(HERO.mesh.morphs.defaults, (2, 1))
    expected[:, [NAMES.index("face/smile"), NAMES.index("hair/smile")]] = [[0, 0], [0.5, 0.5]]
    expected[:, NAMES.index("body/thin")] = 0.5
    np.testing.assert_array_equal(clip_morphs(HERO, clip, [0.0, 0.5], loop=False), expected)
    bound = clip.bind(HERO.skeleton, morphs=HERO.mesh.morphs)
    np.testing.assert_array_equal(bound.morphs([0.0, 0.5], loop=False), expected)
