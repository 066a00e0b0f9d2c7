# SPDX-License-Identifier: MIT
"""Skinning about optimised centres of rotation, precompute and all: twins, laws, and what it is for."""

import numpy as np
import pytest

import lissom
from conftest import asset_files, asset_id
from reference import centers_of_rotation as centers_twin
from reference import skinning, skinning_methods
from tubes import tube

# Of the size, as all skinning in float32; centres are rounded to float32 once more.
TOLERANCE = 2e-6


def random_case(seed, joint_count=4, influence_count=3, vertex_count=80):
    """A surface of random triangles and a palette of rigid motions within 90 degrees of each other."""
    rng = np.random.default_rng(seed)
    weights = rng.random((vertex_count, influence_count)) ** 2
    weights[:, 1:][rng.random((vertex_count, influence_count - 1)) < 0.3] = 0
    mesh = lissom.Mesh(
        rng.uniform(-0.5, 0.5, (vertex_count, 3)),
        [rng.choice(vertex_count, 3, replace=False) for _ in range(120)],
        rng.integers(0, joint_count, (vertex_count, influence_count)),
        weights / weights.sum(axis=1, keepdims=True),
    )
    turns = lissom.quat.from_rotation_vector(rng.uniform(-0.7, 0.7, (joint_count, 3)))
    return mesh, lissom.dual_quat.from_quat_translation(turns, rng.uniform(-0.5, 0.5, (joint_count, 3)))


def twin(mesh, dual_quats, scales=None, normals=None):
    normals = np.zeros_like(mesh.positions) if normals is None else normals
    centers = centers_twin.centers_of_rotation(mesh)
    return skinning_methods.cor(
        mesh.positions, normals, mesh.indices, mesh.weights, dual_quats, scales, centers=centers
    )[0]


def size_of(mesh):
    return np.linalg.norm(np.ptp(mesh.positions, axis=0))


@pytest.mark.parametrize("influence_count", [1, 2, 4])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("scaled", [False, True])
def test_random_meshes_equal_the_twins(influence_count, dtype, scaled) -> None:
    mesh, dual_quats = random_case(influence_count, influence_count=influence_count)
    dual_quats = dual_quats.astype(dtype)
    scales = None
    if scaled:
        rng = np.random.default_rng(0)
        scales = (np.eye(3, 4) + rng.uniform(-0.2, 0.2, (4, 3, 4))).astype(dtype)
    moved = lissom.skin_cor(mesh, dual_quats, scales)
    assert moved.dtype == dtype
    np.testing.assert_allclose(moved, twin(mesh, dual_quats, scales), rtol=0, atol=TOLERANCE * size_of(mesh))


@pytest.mark.parametrize(
    "path",
    [p for p in asset_files("characters") if p.name in {"robot.glb", "Fox.glb", "Bee.glb"}],
    ids=asset_id,
)
def test_real_characters_equal_the_twins(path) -> None:
    hero = lissom.load(path)
    mesh = hero.mesh
    clip = max(hero.clips.values(), key=lambda clip: clip.duration)
    palette = hero.skin.palette(hero.skeleton.model_matrices(clip.sample(clip.start + 0.4 * clip.duration)))
    few = np.random.default_rng(0).choice(mesh.vertex_count, 300, replace=False)
    centers = centers_twin.centers_of_rotation(mesh, chosen=few)
    few_of = mesh.positions[few], np.zeros((300, 3)), mesh.indices[few], mesh.weights[few]
    expected = skinning_methods.cor(*few_of, palette.dual_quats, palette.scales, centers=centers)[0]
    stable = ~skinning.unstable(mesh.indices[few], mesh.weights[few], palette.dual_quats)
    assert stable.mean() > 0.9
    moved = lissom.deform(mesh, palette, "cor")[few]
    np.testing.assert_allclose(moved[stable], expected[stable], rtol=0, atol=TOLERANCE * hero.size)


# Laws


def test_the_rest_pose_stays_where_it_is() -> None:
    hero = lissom.samples.two_bone_tube()
    np.testing.assert_allclose(hero.deform(hero.skeleton.rest, method="cor"), hero.mesh.positions, atol=1e-6)


def test_vertices_of_one_joint_move_rigidly() -> None:
    hero = lissom.samples.two_bone_tube()
    pose = hero.clips["bend"].sample(1.5)
    rigid = hero.mesh.weights.max(axis=1) == 1
    assert rigid.sum() > 100
    moved = hero.deform(pose, method="cor")[rigid]
    np.testing.assert_allclose(moved, hero.deform(pose)[rigid], atol=4e-6)


def test_vertices_without_a_center_move_as_the_blend_of_rigid_motions() -> None:
    mesh = lissom.Mesh(
        [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]],
        [[0, 1, 2]],
        [[0, 1]] * 3 + [[2, 3]],
        [[0.5, 0.5]] * 4,
    )
    _, dual_quats = random_case(1)
    blended = lissom.skin_linear(mesh, lissom.dual_quat.to_matrix(dual_quats))
    np.testing.assert_allclose(lissom.skin_cor(mesh, dual_quats)[3], blended[3], rtol=0, atol=1e-12)


def test_moving_everything_rigidly_commutes() -> None:
    mesh, dual_quats = random_case(2)
    whole = lissom.dual_quat.from_quat_translation(
        lissom.quat.from_rotation_vector(np.array([0.3, -2.0, 1.0])), np.array([1.0, 2.0, 3.0])
    )
    after = lissom.skin_cor(mesh, lissom.dual_quat.multiply(whole, dual_quats))
    before = lissom.dual_quat.transform_point(whole, lissom.skin_cor(mesh, dual_quats))
    # Weights are float32: their sum, by which the shift counts, is 1 within 2^-24 per influence.
    np.testing.assert_allclose(after, before, rtol=0, atol=1e-6)


def test_where_the_mesh_stands_does_not_matter() -> None:
    mesh, dual_quats = random_case(3)
    shift = np.float32([2, -4, 8])
    moved = lissom.Mesh(mesh.positions + shift, mesh.triangles, mesh.indices, mesh.weights)
    back = lissom.dual_quat.from_quat_translation([0.0, 0, 0, 1], -shift.astype(np.float64))
    after = lissom.skin_cor(moved, lissom.dual_quat.multiply(dual_quats, back))
    np.testing.assert_allclose(after, lissom.skin_cor(mesh, dual_quats), rtol=0, atol=2e-6)


# What it is for


BIND_BONES = np.array([[[0, 0, 0], [2, 0, 0]], [[2, 0, 0], [4.0, 0, 0]]])
BENT_BONES = np.array([[[0, 0, 0], [2, 0, 0]], [[2, 0, 0], [2.0, 2, 0]]])


def bent(mesh):
    """Positions of a tube with the second joint, at x = 2, bent by 90 degrees about z, by method."""
    turns = lissom.quat.from_rotation_vector([[0, 0, 0], [0, 0, np.pi / 2]])
    dual_quats = lissom.dual_quat.from_quat_translation(turns, [[0, 0, 0], [2.0, -2, 0]])
    return {
        "linear": lissom.skin_linear(mesh, lissom.dual_quat.to_matrix(dual_quats)),
        "dual_quat": lissom.skin_dual_quat(mesh, dual_quats),
        "cor": lissom.skin_cor(mesh, dual_quats),
    }


def bulges(mesh):
    """By how much the farthest vertex stands out beyond the tube's radius around its bones, by method."""
    return {
        method: lissom.metrics.bulge(moved, mesh.positions, BENT_BONES, BIND_BONES).length
        for method, moved in bent(mesh).items()
    }


def test_a_right_angle_bulges_less_than_by_dual_quats() -> None:
    """How much less is a matter of how far along the tube its weights blend, in radii of 0.4.

    Dual quaternions turn all of this tube about the joint. A centre beside the joint moves linearly,
    outwards, the more the farther it is. Half of the bulge is left where weights blend within half a radius,
    two thirds where they blend within one and a half.
    """
    short = bulges(tube(rings=81, reach=0.2))
    long = bulges(lissom.samples.two_bone_tube().mesh)
    assert short["dual_quat"] > 0.01
    assert short["cor"] <= 0.5 * short["dual_quat"]
    assert long["dual_quat"] > 0.05
    assert long["cor"] <= 0.66 * long["dual_quat"]


def test_a_right_angle_loses_a_quarter_of_the_volume_that_linear_skinning_loses() -> None:
    mesh = lissom.samples.two_bone_tube().mesh
    loss = {
        method: -lissom.metrics.volume_change(moved, mesh.positions, mesh.triangles).total
        for method, moved in bent(mesh).items()
    }
    assert loss["linear"] > 0.01
    assert loss["cor"] <= 0.25 * loss["linear"]


def test_a_twist_keeps_the_radius() -> None:
    """About its axis a tube turns as by dual quaternions: the centres lie on the axis and stay there."""
    tube = lissom.samples.two_bone_tube()
    pose = tube.clips["twist"].sample(2.0)
    radii = np.linalg.norm(tube.deform(pose, method="cor")[:, 1:], axis=1)
    np.testing.assert_allclose(radii, np.linalg.norm(tube.mesh.positions[:, 1:], axis=1), atol=2e-5)
