# SPDX-License-Identifier: MIT
"""The lesson's crowd: its vertices against the CPU, its picture against `Crowd`, its rule of time."""

import numpy as np
import pytest

import bake_rigs
import lissom
from lissom._rig.mesh import Mesh
from lissom.errors import GpuError
from lissom.gpu import Crowd, Stage, scattered
from lissom.gpu.teaching_crowd import UniformCrowd

POSITIONS = 4e-6  # of the size and place: one more product of float32 matrices than palettes take
ALIKE = 0.004  # of the pixels may differ by more than 8 levels: ours has weights and normals in bytes


@pytest.fixture(scope="module")
def bake():
    return lissom.bake(lissom.samples.two_bone_tube(), rate=15, layout="trs", dtype="float32")


@pytest.fixture
def instances(bake):
    return scattered(bake, 90, seed=4)  # more than one call


@pytest.mark.parametrize("as_published", [False, True])
def test_vertices_equal_the_cpu(stage, bake, instances, as_published):
    check_vertices(stage, bake, instances, as_published)


def test_growing_joints_equal_the_cpu(stage):
    bones = bake_rigs.skeleton()
    scale = np.linspace(0.5, 2.0, 5)[:, None] * np.ones(3)
    bake = lissom.bake(
        bake_rigs.character(bake_rigs.waving_clip(bones, key_count=5, scale=scale)),
        rate=7,
        layout="trs",
        dtype="float32",
        method="linear",
    )
    check_vertices(stage, bake, scattered(bake, 9, seed=1), as_published=False)


def check_vertices(stage, bake, instances, as_published):
    with UniformCrowd(bake, instances, stage=stage, as_published=as_published) as crowd:
        got = crowd.deformed()
        drawn = crowd._mesh.influences
        frames, fractions = crowd.frames()
    mesh = Mesh(bake.mesh.positions, bake.mesh.triangles, drawn.rows, drawn.weights)
    rows = bake.sample_frames(frames[:, 0] + fractions.astype(np.float64))
    model = lissom.deform(mesh, rows, "linear").astype(np.float64)
    turned = lissom.quat.rotate(instances["rotation"].astype(np.float64)[:, None], model)
    expected = instances["position"][:, None] + instances["scale"][:, None, None] * turned
    assert np.abs(got - expected).max() < POSITIONS * (bake.size + np.abs(expected).max())


def test_signs_of_frames_change_nothing(stage, bake, instances):
    texels = bake.texels.copy()
    texels[1::2, :, 1] *= -1  # the same rotations
    flipped = lissom.PoseTexture(texels, bake.clips, bake.joints, bake.report, **kept(bake))
    with (
        UniformCrowd(bake, instances, stage=stage) as crowd,
        UniformCrowd(flipped, instances, stage=stage) as other,
    ):
        apart = np.abs(crowd.deformed() - other.deformed()).max()
    assert apart < POSITIONS * bake.size


def kept(bake):
    return {"mesh": bake.mesh, "skin": bake.skin, "rig": bake.rig}


@pytest.mark.parametrize("as_published", [False, True])
def test_the_picture_is_that_of_the_crowd(context, bake, instances, as_published):
    ours = lissom.bake(lissom.samples.two_bone_tube(), rate=15, dtype="float32")
    with (
        Stage(320, 200, context=context) as stage,
        UniformCrowd(bake, instances, stage=stage, as_published=as_published) as lesson,
        Crowd(ours, len(instances), stage=stage, instances=instances, levels=(), method="linear") as crowd,
    ):
        camera = stage.camera(crowd)
        one = stage.render(lesson, camera=camera).array.astype(int)
        other = stage.render(crowd, camera=camera).array.astype(int)
        empty = stage.render(camera=camera).array.astype(int)
    assert (np.abs(one - empty).max(axis=2) > 8).mean() > 0.1
    assert (np.abs(one - other).max(axis=2) > 8).mean() < ALIKE


def test_the_lessons_rule_of_time_blends_nothing_within_an_interval(stage, bake, instances):
    clip = bake.clips["bend"]
    actors = instances[:4].copy()
    actors["clip"], actors["speed"] = list(bake.clips).index("bend"), 1
    interval = 1 / clip.rate
    actors["time"] = clip.start + interval * np.array([2.25, 2.75, clip.frame_count - 1.25, 0.0])
    with UniformCrowd(bake, actors, stage=stage, step=0.3 * interval) as crowd:
        frames, fractions = crowd.frames()
        crowd.step = None
        right, _ = crowd.frames()
    first = clip.first_frame
    # Still in its interval: the frame before is shown, unblended.
    assert (frames[0] - first).tolist() == [2, 2]
    assert fractions[0] == 1
    # Into the next one: a blend of neighbours, as it should be.
    assert (frames[1] - first).tolist() == [2, 3]
    assert fractions[1] == pytest.approx(0.75, abs=1e-4)
    # Round the end of the loop the last frame is skipped.
    assert (frames[2] - first).tolist() == [clip.frame_count - 2, 0]
    assert fractions[2] == pytest.approx(0.75, abs=1e-4)
    np.testing.assert_array_equal(right[:, 1] - right[:, 0], 1)


def test_errors(stage, bake, instances):
    wrong = lissom.bake(lissom.samples.two_bone_tube(), rate=5)
    with pytest.raises(
        ValueError, match="bake must have the layout 'trs' and a mesh, got the layout 'dual_quat'"
    ):
        UniformCrowd(wrong, instances, stage=stage)
    bare = lissom.bake(lissom.samples.two_bone_tube(), rate=5, layout="trs", include_mesh=False)
    with pytest.raises(ValueError, match="bake must have the layout 'trs' and a mesh, got no mesh"):
        UniformCrowd(bare, instances, stage=stage)
    with pytest.raises(TypeError, match="UniformCrowd: bake must be a PoseTexture, got str"):
        UniformCrowd("bake", instances, stage=stage)


def test_too_many_joints_for_the_registers(stage, bake, instances, monkeypatch):
    monkeypatch.setattr(type(stage.context), "uniform_registers", 4 * len(bake.skin) + 8 + 5)
    with pytest.raises(GpuError, match="joints leave no uniform registers for an actor, this driver has"):
        UniformCrowd(bake, instances, stage=stage)


def test_fewer_registers_are_more_calls(stage, bake, instances, monkeypatch):
    with UniformCrowd(bake, instances, stage=stage) as crowd:
        whole = crowd.deformed()
    monkeypatch.setattr(type(stage.context), "uniform_registers", 4 * len(bake.skin) + 8 + 6 * 7)
    with UniformCrowd(bake, instances, stage=stage) as crowd:
        assert crowd._per_call == 7
        np.testing.assert_array_equal(crowd.deformed(), whole)
