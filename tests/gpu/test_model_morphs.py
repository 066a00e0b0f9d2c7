# SPDX-License-Identifier: MIT
"""Morph targets of a skinned model: equal to the twin by every method, set at any time, drawn."""

import numpy as np
import pytest

import lissom
import morph_faces
from gpu.faces import mesh_with, random_morphs, shaped_rig, with_face
from gpu.rigs import random_rig
from lissom.gpu import SkinnedModel
from lissom.skinning import METHODS
from reference import skinning

POSITIONS = 2e-6  # of the model's size: float32 on both sides
NORMALS = 3e-5  # cofactors of strong scales lose digits


def weights_of(morphs, seed=0):
    return np.random.default_rng(seed).uniform(-0.4, 1, len(morphs)).astype(np.float32)


@pytest.mark.parametrize("prepared", [False, True])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_morphed_and_skinned_equals_the_twin(stage, method, scaled, prepared):
    rig = random_rig(40, influences=4, scaled=scaled)
    morphs = random_morphs(1, len(rig.positions), targets=100, share=0.02)
    weights = weights_of(morphs) / 10
    mesh = mesh_with(rig.mesh(), morphs)
    source = mesh.prepare() if prepared else mesh
    order = source.order if prepared else np.arange(mesh.vertex_count)
    options = {"blend": rig.blend[order], "centers": rig.centers[order]}
    with SkinnedModel(source, stage=stage, **options) as model:
        model.morphs = weights
        positions, normals = model.deformed(rig, method)
    expected = shaped_rig(rig, morphs, weights).twin(method)
    stable = ~skinning.unstable(rig.indices, rig.weights, rig.dual_quats)[order]
    assert np.abs(positions - expected[0][order])[stable].max() < POSITIONS * rig.size
    assert (
        np.abs(normals - expected[1][order])[stable].max() < 2 * NORMALS
    )  # normals shrink where targets cancel


def test_weights_are_the_defaults_until_they_are_set(stage):
    rig = random_rig(41, influences=4, scaled=False)
    morphs = random_morphs(2, len(rig.positions), defaults=True)
    with SkinnedModel(mesh_with(rig.mesh(), morphs), stage=stage) as model:
        np.testing.assert_array_equal(model.morphs, morphs.defaults)
        at_first = model.deformed(rig).positions
        expected = shaped_rig(rig, morphs, morphs.defaults).twin("linear")[0]
        assert np.abs(at_first - expected).max() < POSITIONS * rig.size
        model.morphs = np.zeros(len(morphs))
        assert np.abs(model.deformed().positions - rig.twin("linear")[0]).max() < POSITIONS * rig.size
        assert not model.morphs.flags.writeable
        model.morphs = None
        np.testing.assert_array_equal(model.deformed().positions, at_first)


def test_one_active_target_more_or_less_is_seen_at_once(stage):
    rig = random_rig(42, influences=4, scaled=False)
    morphs = random_morphs(3, len(rig.positions), targets=30, share=0.5)
    with SkinnedModel(mesh_with(rig.mesh(), morphs), stage=stage) as model:
        for count in (0, 1, 2, 3, 30, 3, 0):
            weights = np.where(np.arange(30) < count, 0.2, 0)
            model.morphs = weights
            expected = shaped_rig(rig, morphs, weights).twin("linear")[0]
            assert np.abs(model.deformed(rig).positions - expected).max() < POSITIONS * rig.size


def test_bounds_follow_the_weights(stage):
    hero = with_face(lissom.samples.humanoid())
    with SkinnedModel(hero, stage=stage) as model:
        before = model.points()
        model.set_pose(hero.skeleton.rest, morphs=[40, 0, 0])
        assert np.abs(model.points() - before).max() > 0.2
        np.testing.assert_array_equal(model.morphs, [40, 0, 0])
        model.set_pose(hero.skeleton.rest)  # weights stay
        assert np.abs(model.points() - before).max() > 0.2


def test_render_takes_weights_by_name(context):
    hero = with_face(lissom.samples.humanoid())
    options = {"width": 120, "height": 90}
    plain = lissom.render(hero, **options).array
    zero = lissom.render(hero, morphs=np.zeros(3), **options).array
    puffed = lissom.render(hero, morphs=hero.mesh.morphs.weights({"puff": 3}), **options).array
    np.testing.assert_array_equal(plain, zero)
    assert (np.abs(plain.astype(int) - puffed).max(axis=2) > 20).sum() > 20


def test_a_mesh_of_targets_that_move_nothing_is_drawn(stage):
    rig = random_rig(43, influences=2, scaled=False)
    none = lissom.Morphs(["a", "b"], [0, 0, 0], [], np.zeros((0, 3)))
    with SkinnedModel(mesh_with(rig.mesh(), none), stage=stage) as model:
        model.morphs = [1, 1]
        assert np.abs(model.deformed(rig).positions - rig.twin("linear")[0]).max() < POSITIONS * rig.size


@pytest.mark.parametrize(
    ("weights", "error", "message"),
    [
        ([0, 1], ValueError, r"must have shape \(..., 3\), a weight for each morph target, got \(2,\)"),
        (0.5, ValueError, r"must have shape \(..., 3\), a weight for each morph target, got \(\)"),
        (np.zeros((2, 3)), ValueError, r"must have shape \(3,\), got \(2, 3\); pick one"),
        ([0, np.nan, 0], ValueError, "must be finite in float32, got nan for 'face/frown'"),
        ([0, 0, 1e39], ValueError, r"must be finite in float32, got 1e\+39 for 'face/puff'"),
        (["a"] * 3, TypeError, "must be"),
    ],
)
def test_weights_that_do_not_fit_are_refused(stage, weights, error, message):
    hero = with_face(lissom.samples.twisted_bar())
    with SkinnedModel(hero, stage=stage) as model:
        with pytest.raises(error, match=f"^SkinnedModel: morphs {message}"):
            model.morphs = weights
        with pytest.raises(error, match=f"^SkinnedModel.set_pose: morphs {message}"):
            model.set_pose(hero.skeleton.rest, weights)
        np.testing.assert_array_equal(model.morphs, np.zeros(3))
    with pytest.raises(error, match=f"^render: morphs {message}"):
        lissom.render(hero, morphs=weights, width=32, height=32)


def test_weights_without_targets_are_refused(stage):
    bar = lissom.samples.twisted_bar()
    with SkinnedModel(bar, stage=stage) as model:
        assert model.morphs is None
        model.morphs = None
        with pytest.raises(ValueError, match="morphs must be omitted for a mesh without morph targets"):
            model.morphs = [1]


def test_a_comparison_and_a_sketch_take_weights(context):
    hero = with_face(lissom.samples.humanoid())
    pose, weights = hero.clips["wave"].sample(0.5), np.array([0.5, 0, 1])
    found = lissom.compare(hero, pose, morphs=weights, width=96, height=32)
    for method, vertices in found.vertices.items():
        np.testing.assert_array_equal(vertices, hero.deform(pose, method, morphs=weights))
    plain = lissom.sketch(hero, pose=pose, width=120, height=90).array
    puffed = lissom.sketch(hero, pose=pose, morphs=5 * weights, width=120, height=90).array
    assert (np.abs(plain.astype(int) - puffed).max(axis=2) > 20).sum() > 20
    with pytest.raises(ValueError, match=r"compare: morphs must have shape \(\.\.\., 3\)"):
        lissom.compare(hero, pose, morphs=[1])
    with pytest.raises(ValueError, match="sketch: morphs must be omitted except for a character"):
        lissom.sketch(hero.mesh, morphs=weights)


def test_pictures_of_a_clip_have_its_weights(context):
    hero = morph_faces.character()
    talk, options = hero.clips["talk"], {"width": 96, "height": 64}
    given = {"pose": talk.sample(0.4), "morphs": talk.morphs(0.4)}
    at = lissom.render(hero, clip="talk", time=0.4, **options).array
    np.testing.assert_array_equal(at, lissom.render(hero, **given, **options).array)
    rest = lissom.render(hero, clip="talk", time=0.4, morphs=hero.mesh.morphs.defaults, **options).array
    assert (at != rest).any()
    for found in (lissom.compare(hero, clip="talk", time=0.4, width=96, height=32), lissom.compare(hero)):
        moment = hero.clips["talk"]
        expected = hero.deform(moment.sample(found.time), "linear", morphs=moment.morphs(found.time))
        np.testing.assert_allclose(found.vertices["linear"], expected, atol=1e-6)
