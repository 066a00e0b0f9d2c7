# SPDX-License-Identifier: MIT
"""Weights that a clip gives the morph targets of another mesh, by name."""

import warnings

import numpy as np
import pytest

import lissom
from lissom._character.morph_choice import clip_morphs, morphs_of
from lissom._pictures.compare_pose import moment_of
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


LOST = {"smile": [0.0, 1.0], "nose": [0.5, 0.5], "brow": [1.0, 1.0]}
SENTENCE = (
    r": weights of 2 morph targets in clip 'clip' are left out, as the mesh has no such target: 'nose', "
    r"'brow'; Clip.bind with morphs= binds them by name$"
)


def test_weights_that_no_target_takes_are_named() -> None:
    clip = clip_of(LOST)
    with pytest.warns(UserWarning, match="^render" + SENTENCE) as caught:
        morphs_of("render", HERO, None, clip, 0.5)
    assert len(caught) == 1
    for time in (0.5, None):
        with pytest.warns(UserWarning, match="^compare" + SENTENCE) as caught:
            moment_of(HERO, None, clip, time, [("linear", "dual_quat")], None)
        assert len(caught) == 1
    bare = lissom.samples.two_bone_tube()
    with pytest.warns(UserWarning, match=r"^render: weights of 3 morph targets"):
        assert morphs_of("render", bare, None, clip, 0.5) is None
    many = clip_of({f"n{number}": [0.0, 1.0] for number in range(7)})
    with pytest.warns(UserWarning, match=r"weights of 7 .* 'n0', 'n1', 'n2', 'n3', 'n4', \.\.\.; Clip"):
        morphs_of("render", HERO, None, many, 0.5)


def test_weights_that_are_taken_or_not_used_are_no_reason_to_warn() -> None:
    clip = clip_of(LOST)
    given = HERO.mesh.morphs.defaults
    skeleton = lissom.Character("skeleton", HERO.skeleton, None, None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        morphs_of("render", HERO, None, clip_of({"smile": [0, 1], "body/thin": [0, 1]}), 0.5)
        morphs_of("render", HERO, given, clip, 0.5)
        moment_of(HERO, None, clip, None, [("linear", "dual_quat")], None, morphs=given)
        moment_of(HERO, None, clip, 0.5, [("linear", "dual_quat")], None, morphs=given)
        morphs_of("render", skeleton, None, clip, 0.5)
