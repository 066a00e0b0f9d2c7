# SPDX-License-Identifier: MIT
"""The teaching programs against the twins, and what the published tests of signs do."""

import numpy as np
import pytest

import lissom
from gpu.rigs import random_rig
from lissom._rig.mesh import Mesh
from lissom.errors import GpuError
from lissom.gpu.teaching import LESSONS, UniformModel
from reference import dual_quat, skinning

POSITIONS = 2e-6  # of the model's size: float32 on both sides
NORMALS = 2e-6
PRODUCTS = 4e-6  # with one more product of float32 matrices or dual quaternions


def split(rig, rng):
    """A rig's palette as pose times inverse bind: the latter any rigid motion."""
    quats = rng.normal(size=(len(rig.dual_quats), 4))
    quats /= np.linalg.norm(quats, axis=1, keepdims=True)
    inverse_bind = dual_quat.from_rotation_translation(quats, rng.uniform(-0.3, 0.3, (len(quats), 3)))
    pose = dual_quat.multiply(rig.dual_quats, dual_quat.inverse(inverse_bind))
    return pose, inverse_bind


def given(rig, lesson):
    if lesson.endswith("quats") or lesson == "dual_quat_palette":
        return split(rig, np.random.default_rng(1)) if "palette" in lesson else (rig.dual_quats,)
    if lesson == "quat_trans_palette":
        return (rig.quat_trans,)
    if lesson == "two_bone_matrices":
        return (rig.matrices,)
    return tuple(dual_quat.to_matrix(part) for part in split(rig, np.random.default_rng(1)))


@pytest.mark.parametrize("lesson", LESSONS)
def test_lessons_equal_the_twin(stage, lesson):
    two = LESSONS[lesson].two_bones
    rig = random_rig(50, influences=2 if two else 4, scaled=False, row_count=2 if two else 40)
    with UniformModel(rig.mesh(), lesson, stage=stage) as model:
        positions, normals = model.deformed(*given(rig, lesson))
    expected, turned = rig.twin("dual_quat" if "dual" in lesson else "linear")
    stable = ~skinning.unstable(rig.indices, rig.weights, rig.dual_quats)
    tolerance = PRODUCTS if len(LESSONS[lesson].uniforms) == 2 else POSITIONS
    assert np.abs(positions - expected)[stable].max() < tolerance * rig.size
    whole = stable & (np.linalg.norm(turned, axis=1) > 0.5)
    assert np.quantile(np.abs(normals - turned)[whole], 0.999) < NORMALS


def test_two_bones_count_a_joint_that_comes_twice(stage):
    rig = random_rig(51, influences=4, scaled=False, row_count=2)
    with UniformModel(rig.mesh(), "two_bone_matrices", stage=stage) as model:
        positions = model.deformed(rig.matrices).positions
    assert np.abs(positions - rig.twin("linear")[0]).max() < POSITIONS * rig.size


def published(rig, pose):
    """The published rule in float64: signs between the pose's quaternions, against the first influence."""
    real = pose[:, :4]
    dots = np.einsum("vi,vki->vk", real[rig.indices[:, 0]], real[rig.indices])
    signed = np.where(dots < 0, -rig.weights, rig.weights)
    blended = np.einsum("vk,vki->vi", signed, rig.dual_quats[rig.indices])
    unit = blended / np.linalg.norm(blended[:, :4], axis=1, keepdims=True)
    return dual_quat.transform_point(unit, rig.positions), np.abs(dots).min(axis=1) < 1e-4


def test_published_signs_are_wrong_where_products_lie_on_other_sides(stage):
    rig = random_rig(52, influences=4, scaled=False)
    pose, inverse_bind = split(rig, np.random.default_rng(2))
    with UniformModel(rig.mesh(), "dual_quat_palette", stage=stage, as_published=True) as model:
        wrong = model.deformed(pose, inverse_bind).positions
    expected, unsure = published(rig, pose)
    unsure |= skinning.unstable(rig.indices, rig.weights, rig.dual_quats)
    # Cancelled sums lose digits: here only that the published rule is what is shown.
    assert np.quantile(np.abs(wrong - expected)[~unsure].max(axis=1), 0.99) < 10 * PRODUCTS * rig.size
    off = np.abs(wrong - rig.twin("dual_quat")[0]).max(axis=1) > 1e-3 * rig.size
    assert off[~unsure].mean() > 0.3  # of vertices, with joints turned anyhow


def test_published_two_bones_go_the_long_way_round(stage):
    tube = lissom.samples.two_bone_tube()
    quats = np.array([[0, 0, 0, 1], [0, 0, np.sin(0.2), -np.cos(0.2)]])  # -q: 0.4 radians, the other sign
    palette = dual_quat.from_rotation_translation(quats, np.zeros((2, 3)))
    bind = tube.mesh.positions, tube.mesh.normals, tube.mesh.indices, tube.mesh.weights
    right, _ = skinning.dual_quat(*bind, palette)
    for as_published, far in ((False, 0.0), (True, 0.1)):
        with UniformModel(tube.mesh, "two_bone_dual_quats", stage=stage, as_published=as_published) as model:
            apart = np.abs(model.deformed(palette).positions - right).max() / tube.size
        assert far <= apart < (1 if far else POSITIONS)


def test_too_many_joints_for_the_registers_are_refused(context, stage):
    count = context.uniform_registers // 8 + 1
    rig = random_rig(53, influences=1, scaled=False, vertex_count=count, row_count=count)
    mesh = Mesh(rig.positions, rig.triangles % count, np.arange(count)[:, None], rig.weights)
    with pytest.raises(
        GpuError, match=rf"{count} joints of matrix_palette take {8 * count} uniform registers"
    ):
        UniformModel(mesh, "matrix_palette", stage=stage)


def test_misuse_is_refused_in_a_sentence(stage):
    rig = random_rig(54, influences=4, scaled=False)
    with pytest.raises(TypeError, match="mesh must be a Mesh, got Rig"):
        UniformModel(rig, "matrix_palette", stage=stage)
    with pytest.raises(ValueError, match=r"lesson must be one of two_bone_matrices, .* got 'cor'"):
        UniformModel(rig.mesh(), "cor", stage=stage)
    with pytest.raises(ValueError, match="mesh must be bound to at most 2 joints, got 40"):
        UniformModel(rig.mesh(), "two_bone_matrices", stage=stage)
    five = random_rig(55, influences=5, scaled=False)
    with pytest.raises(ValueError, match="mesh must have at most 4 influences, got 5"):
        UniformModel(five.mesh(), "matrix_palette", stage=stage)
    with UniformModel(rig.mesh(), "matrix_palette", stage=stage) as model:
        with pytest.raises(ValueError, match="arrays must be pose and inverse_bind, got 1 arrays"):
            model.deformed(rig.matrices)
        with pytest.raises(
            ValueError, match=r"inverse_bind must have shape \(40, 4, 4\) or more rows, got \(40, 8\)"
        ):
            model.deformed(rig.matrices, rig.dual_quats)
        with pytest.raises(TypeError, match="pose must be an array of real numbers"):
            model.deformed(np.full((40, 4, 4), "x"), rig.matrices)
