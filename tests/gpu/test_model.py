# SPDX-License-Identifier: MIT
"""The skinned model: vertices equal to the CPU's and the twin's, influences of any number, misuse refused."""

import dataclasses
import itertools
import logging
import re
from types import SimpleNamespace

import numpy as np
import pytest

import lissom
from gpu.crowds import with_heaviest
from gpu.rigs import on_cpu, random_rig, with_twelve_influences
from lissom._rig.mesh import Mesh
from lissom.errors import GpuError
from lissom.gpu import SkinnedModel
from lissom.skinning import METHODS
from lissom.skinning._heaviest import reduced_influences
from reference import skinning

POSITIONS = 2e-6  # of the model's size: float32 on both sides
NORMALS = 3e-5  # cofactors of strong scales lose digits


@pytest.mark.parametrize("influences", [1, 2, 3, 4, 5, 8])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_deformed_equals_the_core_and_the_twin(stage, method, scaled, influences):
    rig = random_rig(20 + influences, influences=influences, scaled=scaled)
    mesh = rig.mesh()
    with SkinnedModel(mesh, stage=stage, blend=rig.blend, centers=rig.centers) as model:
        positions, normals = model.deformed(rig, method)
    stable = ~skinning.unstable(rig.indices, rig.weights, rig.dual_quats)
    on_core = on_cpu(method, mesh, rig, centers=rig.centers, blend=rig.blend)
    for expected in (rig.twin(method), on_core):
        assert np.abs(positions - expected[0])[stable].max() < POSITIONS * rig.size
        assert np.abs(normals - expected[1])[stable].max() < NORMALS


def test_the_method_is_switched_in_place(stage):
    rig = random_rig(30, influences=4, scaled=True)
    with SkinnedModel(rig.mesh(), stage=stage, blend=rig.blend, centers=rig.centers) as model:
        vertices = model._mesh._vertices.size
        first = {method: model.deformed(rig, method).positions for method in METHODS}
        for method in reversed(METHODS):
            model.method = method
            np.testing.assert_array_equal(model.deformed().positions, first[method])
        for a, b in itertools.combinations(METHODS, 2):
            same = {a, b} == {"linear", "quat_trans"}  # one blend of matrices from two palettes
            assert (np.abs(first[a] - first[b]).max() > 0.01) is not same
        assert model._mesh._vertices.size == vertices == 68 * len(rig.positions)
        known = ", ".join(map(repr, METHODS))
        with pytest.raises(
            ValueError, match=f"^SkinnedModel: method must be one of {known}, got 'spherical'"
        ):
            model.method = "spherical"


def test_blends_of_nothing_and_of_one_are_the_two_methods(stage):
    rig = random_rig(38, influences=4, scaled=False)
    ends = (np.arange(len(rig.positions)) % 2).astype(float)
    with SkinnedModel(rig.mesh(), stage=stage, method="blended", blend=ends) as model:
        mixed = model.deformed(rig)
        straight, turned = model.deformed(method="linear"), model.deformed(method="dual_quat")
        np.testing.assert_array_equal(mixed.positions[::2], straight.positions[::2])
        np.testing.assert_array_equal(mixed.normals[::2], straight.normals[::2])
        np.testing.assert_allclose(mixed.positions[1::2], turned.positions[1::2], atol=1e-6)
        model.method = "blended"
        np.testing.assert_array_equal(model.blend, ends)
        model.blend = 1 - ends
        assert not model.blend.flags.writeable
        np.testing.assert_array_equal(model.deformed().positions[1::2], straight.positions[1::2])


def test_a_blend_of_nothing_is_linear_where_dual_quaternions_cancel(stage):
    mesh = Mesh(np.eye(3), [[0, 1, 2]], np.tile([0, 1], (3, 1)), np.full((3, 2), 0.5))
    rig = random_rig(39, influences=2, scaled=False, row_count=2)
    matrices = np.tile(np.eye(4), (2, 1, 1))
    palette = dataclasses.replace(rig, dual_quats=np.zeros((2, 8)), matrices=matrices)  # 0 / 0 in a shader
    with SkinnedModel(mesh, stage=stage, method="blended", blend=np.zeros(3)) as model:
        np.testing.assert_array_equal(model.deformed(palette).positions, np.eye(3))


def test_centers_are_those_of_the_mesh_unless_given(stage):
    tube = lissom.samples.two_bone_tube()
    palette = tube.skin.palette(tube.skeleton.model_matrices(tube.clips["bend"].sample(1.5)))
    expected = lissom.deform(tube.mesh, palette, "cor", normals=True)
    with SkinnedModel(tube, stage=stage, method="cor") as model:
        positions, normals = model.deformed(palette)
    assert np.abs(positions - expected.positions).max() < POSITIONS * tube.size
    assert np.abs(normals - expected.normals).max() < NORMALS
    given = tube.mesh.positions  # then every vertex goes where linear skinning takes it
    with SkinnedModel(tube, stage=stage, method="cor", centers=given) as model:
        straight = lissom.skin_linear(tube.mesh, palette.matrices)
        assert np.abs(model.deformed(palette).positions - straight).max() < POSITIONS * tube.size
        assert np.abs(straight - expected.positions).max() > 0.01 * tube.size


@pytest.mark.parametrize("original_order", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_prepared_mesh_is_drawn_as_the_mesh(stage, method, original_order):
    tube = lissom.samples.two_bone_tube()
    palette = tube.skin.palette(tube.skeleton.model_matrices(tube.clips["bend"].sample(1.2)))
    prepared = tube.mesh.prepare(original_order)
    order = np.arange(prepared.vertex_count) if original_order else prepared.order
    assert original_order or (order != np.arange(len(order))).any()
    blend = np.linspace(0, 1, len(order))
    with SkinnedModel(tube.mesh, stage=stage, method=method, blend=blend) as plain:
        expected = plain.deformed(palette)
        camera = stage.camera(plain)
        picture = stage.render(plain, camera=camera).array
    with SkinnedModel(prepared, stage=stage, method=method, blend=blend[order]) as model:
        moved = model.deformed(palette)
        np.testing.assert_array_equal(stage.render(model, camera=camera).array, picture)
    for got, wanted in zip(moved, expected, strict=True):
        np.testing.assert_array_equal(got, wanted[order])
    assert picture.std() > 5  # the tube is in it


def test_centers_come_last_and_signs_of_the_palette_do_not_matter(stage):
    rig = random_rig(40, influences=4, scaled=True)
    flipped = dataclasses.replace(rig, quat_trans=rig.quat_trans * [-1, -1, -1, -1, 1, 1, 1, 1])
    only_dual = SimpleNamespace(dual_quats=rig.dual_quats, scales=rig.scales)  # as bakes and users have them
    stable = ~skinning.unstable(rig.indices, rig.weights, rig.dual_quats)
    with SkinnedModel(rig.mesh(), stage=stage, method="cor", centers=rig.centers) as model:
        first = model.deformed(rig).positions
        np.testing.assert_allclose(model.deformed(flipped).positions[stable], first[stable], atol=1e-6)
        np.testing.assert_allclose(model.deformed(only_dual).positions[stable], first[stable], atol=2e-6)


def test_a_palette_longer_than_a_texture_line(stage):
    rig = random_rig(31, influences=4, scaled=True, row_count=3000)
    with SkinnedModel(rig.mesh(), stage=stage) as model:
        for method in ("linear", "dual_quat"):
            stable = ~skinning.unstable(rig.indices, rig.weights, rig.dual_quats)
            distance = np.abs(model.deformed(rig, method).positions - rig.twin(method)[0])[stable]
            assert distance.max() < POSITIONS * rig.size


def test_more_than_eight_influences_are_reduced_and_said(stage, caplog):
    rig = random_rig(32, influences=12, scaled=False)
    eight = with_heaviest(rig.mesh(), 8)
    lighter = dataclasses.replace(rig, indices=eight.indices, weights=eight.weights)
    with caplog.at_level(logging.WARNING, "lissom.gpu"), SkinnedModel(rig.mesh(), stage=stage) as model:
        lost = 1 - np.sort(rig.weights, axis=1)[:, -8:].sum(axis=1).min()
        assert model.dropped_weight == pytest.approx(lost, abs=1e-6)
        assert model.dropped_distance == 0  # there is no pose yet
        drawn = model.deformed(rig).positions
        assert np.abs(drawn - lighter.twin("linear")[0]).max() < POSITIONS * rig.size
        moved = np.linalg.norm(rig.twin("linear")[0] - lighter.twin("linear")[0], axis=1).max()
        assert model.dropped_distance == pytest.approx(moved, abs=POSITIONS * rig.size)
    assert caplog.messages == [
        "SkinnedModel: drawn with the 8 heaviest of 12 influences per vertex, a vertex loses up to "
        f"{lost:.3g} of its weight"
    ]


def test_a_character_says_how_far_lost_influences_move_it(stage, caplog):
    hero = with_twelve_influences(lissom.samples.humanoid())
    poses = np.concatenate(
        [clip.sample(np.linspace(clip.start, clip.end, 16), loop=False) for clip in hero.clips.values()]
    )
    palette = hero.skin.palette(hero.skeleton.model_matrices(poses))
    moved = lissom.deform(hero.mesh, palette) - lissom.deform(with_heaviest(hero.mesh, 8), palette)
    with caplog.at_level(logging.WARNING, "lissom.gpu"), SkinnedModel(hero, stage=stage):
        pass
    said = f"in the clips that moves a vertex by up to {np.linalg.norm(moved, axis=-1).max():.3g} model units"
    assert said in caplog.text


def test_twelve_slots_of_which_few_are_used_lose_nothing():
    rig = random_rig(33, influences=12, scaled=False)
    weights = rig.weights.copy()
    weights[:, ::2] = 0
    weights[:, 1] += 1e-3
    weights /= weights.sum(1, keepdims=True)
    indices = np.tile(np.arange(12), (len(weights), 1))
    reduced = reduced_influences(indices, weights)
    assert not reduced.left_out.any()
    assert reduced.rows.shape[1] == 8
    np.testing.assert_array_equal(reduced.weights.max(1), weights.max(1))


def test_a_row_named_twice_comes_once_with_its_whole_weight():
    indices = np.array([[5, 2, 5, 1, 5], [3, 3, 3, 3, 3]])
    weights = np.array([[0.25, 0.375, 0.125, 0.125, 0.125], [0.5, 0.125, 0.125, 0.125, 0.125]])
    reduced = reduced_influences(indices, weights)
    np.testing.assert_array_equal(reduced.rows, [[5, 2, 1, 0], [3, 0, 0, 0]])
    np.testing.assert_array_equal(reduced.weights, [[0.5, 0.375, 0.125, 0], [1, 0, 0, 0]])


def test_an_empty_mesh_is_drawn_as_nothing(stage):
    empty = Mesh(np.zeros((0, 3)), np.zeros((0, 3), int))
    rig = random_rig(34, influences=4, scaled=False)
    with SkinnedModel(empty, stage=stage, blend=[], centers=np.zeros((0, 3))) as model:
        for method in METHODS:
            assert model.deformed(rig, method).positions.shape == (0, 3)


def test_misuse_is_refused_in_a_sentence(stage):
    rig = random_rig(35, influences=4, scaled=False)
    with SkinnedModel(rig.mesh(), stage=stage) as model:
        with pytest.raises(ValueError, match="needs set_palette"):
            model.deformed()
        with pytest.raises(ValueError, match="mesh without a skeleton; use set_palette"):
            model.set_pose(np.zeros((3, 10)))
        few = dataclasses.replace(rig, matrices=rig.matrices[:5])
        with pytest.raises(ValueError, match=r"must have at least 40 rows, got 5"):
            model.set_palette(few)
        several = dataclasses.replace(rig, matrices=np.tile(rig.matrices, (2, 1, 1, 1)))
        with pytest.raises(ValueError, match=r"must be of one pose, got leading axes \(2,\)"):
            model.set_palette(several)
        with pytest.raises(ValueError, match="blend must be set for method 'blended'"):
            model.method = "blended"
        with pytest.raises(ValueError, match=r"blend must have shape \(600,\), got \(2,\)"):
            model.blend = [0, 1]
        for wrong in (np.nan, -0.1, 1.01):
            with pytest.raises(ValueError, match=r"blend must lie in \[0, 1\], got \S+ at vertex 3$"):
                model.blend = np.where(np.arange(600) == 3, wrong, 0.5)
        with pytest.raises(ValueError, match=r"set_heat: values must have shape \(600,\), got \(3,\)"):
            model.set_heat([1, 2, 3])
        for wrong in (np.nan, np.inf, -1e-3):
            with pytest.raises(
                ValueError, match=r"values must be finite and at least 0, got \S+ at vertex 3$"
            ):
                model.set_heat(np.where(np.arange(600) == 3, wrong, 1.0))
    with pytest.raises(ValueError, match=r"centers must have shape \(600, 3\), got \(600,\)"):
        SkinnedModel(rig.mesh(), stage=stage, centers=np.zeros(600))
    endless = rig.centers.copy()
    endless[7, 1] = np.inf
    with pytest.raises(ValueError, match=r"centers must be finite, got \[.*inf.*\] at vertex 7$"):
        SkinnedModel(rig.mesh(), stage=stage, centers=endless)
    with pytest.raises(ValueError, match=r"world_from_model must have shape \(4, 4\)"):
        SkinnedModel(rig.mesh(), stage=stage, world_from_model=np.eye(3))


def test_a_released_model_says_so(stage):
    rig = random_rig(36, influences=4, scaled=False)
    model = SkinnedModel(rig.mesh(), stage=stage)
    model.set_palette(rig)
    model.release()
    model.release()
    for use in (model.deformed, lambda: stage.render(model)):
        with pytest.raises(GpuError, match="this model was released; make a new one"):
            use()


def test_a_character_of_nothing_is_refused(stage):
    nothing = lissom.load(b'{"asset": {"version": "2.0"}}')
    with pytest.raises(ValueError, match="source must have a mesh or a joint to draw"):
        SkinnedModel(nothing, stage=stage)


def test_wrong_palettes_are_refused_in_a_sentence(stage):
    rig = random_rig(37, influences=4, scaled=True)
    start = "^SkinnedModel.set_palette: palette"
    for method, name, shape in (
        ("linear", "matrices", r"\(S, 4, 4\)"),
        ("dual_quat", "dual_quats", r"\(S, 8\)"),
        ("dual_quat", "scales", r"\(S, 3, 4\)"),
        ("quat_trans", "quat_trans", r"\(S, 8\)"),
        ("blended", "matrices", r"\(S, 4, 4\)"),
        ("blended", "dual_quats", r"\(S, 8\)"),
    ):
        with SkinnedModel(rig.mesh(), stage=stage, method=method, blend=rig.blend) as model:
            for wrong in (np.asarray(rig.matrices), rig.mesh(), None):
                with pytest.raises(TypeError, match=f"{start} must be a Palette, got .*; skin.palette"):
                    model.set_palette(wrong)
            right = getattr(rig, name)
            for wrong in (right[..., :3], right[0, ..., 0], right.swapaxes(0, -1)):
                match = f"{start}: {name} must have shape {shape}, got {re.escape(str(wrong.shape))}$"
                with pytest.raises(ValueError, match=match):
                    model.set_palette(dataclasses.replace(rig, **{name: wrong}))
            with pytest.raises(TypeError, match=f"{start}: {name} must be an array of real numbers, got <U"):
                model.set_palette(dataclasses.replace(rig, **{name: np.full(right.shape, "x")}))
            with pytest.raises(ValueError, match=rf"{start} must be of one pose, got leading axes \(1,\)"):
                model.set_palette(dataclasses.replace(rig, **{name: right[None]}))
    with SkinnedModel(rig.mesh(), stage=stage, method="dual_quat") as model:
        with pytest.raises(ValueError, match=f"{start}: scales must have 40 rows, like dual_quats, got 39"):
            model.set_palette(dataclasses.replace(rig, scales=rig.scales[1:]))
        few = dataclasses.replace(rig, dual_quats=rig.dual_quats[:5], scales=rig.scales[:5])
        with pytest.raises(ValueError, match=f"{start} must have at least 40 rows, got 5"):
            model.set_palette(few)


def test_what_is_no_model_is_a_type_error(stage):
    bake = lissom.bake(lissom.samples.twisted_bar(), rate=5)
    start = "^SkinnedModel: source must be a Character, a Mesh or a PreparedMesh, got "
    for thing, rest in ((bake, r"PoseTexture; Crowd\(bake, count\) draws a bake$"), (stage, "Stage$")):
        with pytest.raises(TypeError, match=start + rest):
            SkinnedModel(thing)
    with pytest.raises(TypeError, match=r"^SkinnedModel: stage must be a Stage or None, got str$"):
        SkinnedModel(random_rig(38, influences=1, scaled=False).mesh(), stage="linear")


def test_a_model_says_what_it_is():
    bar = lissom.samples.twisted_bar()
    with SkinnedModel(bar) as model:
        assert repr(model) == f"SkinnedModel({bar.name!r}, {bar.mesh.vertex_count} vertices, linear)"
    with SkinnedModel(bar.mesh, method="dual_quat") as model:
        assert repr(model) == f"SkinnedModel({bar.mesh.vertex_count} vertices, dual_quat)"
    assert repr(model).endswith(", released)")


def test_numbers_that_cannot_be_drawn_are_refused(stage):
    rig = random_rig(36, influences=4, scaled=False)
    placed = np.eye(4)
    placed[0, 3] = np.nan
    with SkinnedModel(rig.mesh(), stage=stage) as model:
        for wrong in (np.nan, np.inf, -1):
            with pytest.raises(ValueError, match="set_heat: maximum must be finite and at least 0, got"):
                model.set_heat(np.ones(600), wrong)
        with pytest.raises(TypeError, match="set_heat: maximum must be a number, got str"):
            model.set_heat(np.ones(600), "1")
        with pytest.raises(TypeError, match="set_heat: values must be an array of real numbers, got"):
            model.set_heat("hot")
        with pytest.raises(TypeError, match="blend must be an array of real numbers, got"):
            model.blend = "bend"
        with pytest.raises(ValueError, match="world_from_model must be finite, got nan"):
            model.world_from_model = placed
        np.testing.assert_array_equal(model.world_from_model, np.eye(4))
    with pytest.raises(ValueError, match="world_from_model must be finite, got nan"):
        SkinnedModel(rig.mesh(), stage=stage, world_from_model=placed)
    with pytest.raises(TypeError, match="world_from_model must be an array of real numbers, got"):
        SkinnedModel(rig.mesh(), stage=stage, world_from_model="origin")
    with pytest.raises(TypeError, match="centers must be an array of real numbers, got"):
        SkinnedModel(rig.mesh(), stage=stage, centers="joints")


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_palettes_that_are_not_finite_are_refused_by_their_row(stage, method, bad):
    rig = random_rig(34, influences=4, scaled=True)
    forms = {
        name: np.array(getattr(rig, name)) for name in ("matrices", "dual_quats", "quat_trans", "scales")
    }
    read = {
        "linear": ("matrices",),
        "dual_quat": ("dual_quats", "scales"),
        "quat_trans": ("quat_trans", "scales"),
        "cor": ("quat_trans", "scales"),
        "blended": ("matrices", "dual_quats", "scales"),
    }
    with SkinnedModel(rig.mesh(), stage=stage, method=method, blend=rig.blend, centers=rig.centers) as model:
        before = model.deformed(SimpleNamespace(**forms)).positions
        for name in read[method]:
            broken = {**forms, name: forms[name].copy()}
            broken[name][3].flat[2] = bad
            with pytest.raises(ValueError, match=f"palette: {name} must be finite, got {bad} in row 3"):
                model.set_palette(SimpleNamespace(**broken))
        np.testing.assert_array_equal(model.deformed().positions, before)


def test_a_character_brings_what_is_painted_on_it(stage):
    hero = lissom.samples.humanoid().without()  # a copy: samples are shared
    pose = hero.clips["run"].sample(0.3)
    hero.blend = lissom.bend_blend(hero, pose)
    hero.method = "blended"
    for character in (hero, hero.prepared(), hero.prepared(original_order=True)):
        with SkinnedModel(character, stage=stage) as model:
            model.set_pose(pose)
            np.testing.assert_array_equal(model.blend, character.blend)
            expected = character.deform(pose)
            np.testing.assert_allclose(model.deformed().positions, expected, atol=POSITIONS * character.size)
        with SkinnedModel(character, stage=stage, method="cor") as model:
            model.set_pose(pose)
            expected = character.deform(pose, "cor")
            np.testing.assert_allclose(model.deformed().positions, expected, atol=POSITIONS * character.size)
            assert model._source.deformer is (character.prepared_mesh or character.mesh)
        with SkinnedModel(character, stage=stage, blend=np.zeros(len(expected))) as model:
            assert not model.blend.any()


def test_a_comparison_goes_by_what_is_painted(stage):
    tube = lissom.samples.two_bone_tube().without()
    pose = tube.clips["bend"].sample(0.5)
    half = lissom.compare(tube, pose, ("linear", "blended"), width=96, height=48).vertices["blended"]
    np.testing.assert_array_equal(half, tube.deform(pose, "blended", blend=np.full(len(half), 0.5)))
    tube.blend = np.linspace(0, 1, len(half))
    own = lissom.compare(tube, pose, ("linear", "blended"), width=96, height=48).vertices["blended"]
    np.testing.assert_array_equal(own, tube.deform(pose, "blended"))
    assert np.abs(own - half).max() > 0.001
    lissom.compare(tube, pose, width=96, height=48)  # a painted character is compared by other methods, too
