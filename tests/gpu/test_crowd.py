# SPDX-License-Identifier: MIT
"""Crowds: every instance where the CPU puts it, by palettes mixed once and by direct fetching alike."""

import numpy as np
import pytest

import bake_rigs
import lissom
from gpu.crowds import POSITIONS, expected_vertices
from lissom._rig.mesh import Mesh
from lissom.errors import GpuError
from lissom.gpu import INSTANCE_DTYPE, Crowd, SkinnedModel, Stage, plain_instances, scattered
from lissom.gpu import _crowd_drawing as crowds


@pytest.fixture(scope="module")
def rigid_bake():
    """A bake without scale."""
    character = lissom.samples.humanoid()
    return lissom.bake(character, list(character.clips)[:3], rate=15)


@pytest.fixture(scope="module")
def scaled_bake(asset):
    """A bake of a character with non-uniform scale."""
    character = lissom.load(asset("characters/quaternius/cyberpunk_pack/Enemy_2Legs.glb"))
    return lissom.bake(character, list(character.clips)[:2], rate=15, dtype="float32")


@pytest.fixture(scope="module")
def mirrored_bake():
    """A bake of a joint whose scale goes through zero, to a mirror and back."""
    scales = np.ones((5, 3))
    scales[3] = 1, -1, 1
    clip = bake_rigs.waving_clip(bake_rigs.skeleton(), scale=scales)
    return lissom.bake(bake_rigs.character(clip), rate=15, dtype="float32")


@pytest.fixture(scope="module", params=["rigid", "scaled", "mirrored"])
def bake(request):
    return request.getfixturevalue(f"{request.param}_bake")


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_vertices_equal_the_cpu(stage, bake, method, direct):
    with Crowd(bake, 40, stage=stage, method=method, direct=direct, seed=3) as crowd:
        crowd.instances["speed"][:5] = -1  # backwards works too
        crowd.instances["rotation"] = np.random.default_rng(4).normal(0, 2, (40, 4))  # of any length
        crowd.update(12.34)
        got = crowd.deformed()
        expected, stable = expected_vertices(crowd, bake, method)
    assert stable.mean() > 0.99
    place = np.abs(expected).max()
    assert np.abs(got - expected)[stable].max() < POSITIONS * (bake.size + place)


def test_first_and_last_frames_are_the_clips_own(stage, rigid_bake):
    clips = list(rigid_bake.clips.values())
    with Crowd(rigid_bake, 2 * len(clips), stage=stage) as crowd:
        crowd.instances["clip"] = np.repeat(np.arange(len(clips)), 2)
        crowd.instances["time"][::2] = [clip.start for clip in clips]
        crowd.instances["time"][1::2] = [np.nextafter(np.float32(clip.end), np.float32(0)) for clip in clips]
        frames = crowd.frames()
        for i, clip in enumerate(clips):
            assert frames[2 * i] == clip.first_frame
            assert frames[2 * i + 1] <= clip.first_frame + clip.frame_count - 1
        got = crowd.deformed()
        expected, stable = expected_vertices(crowd, rigid_bake, crowd.method)
    assert np.abs(got - expected)[stable].max() < 2e-5


def test_many_instances_go_in_batches(stage, rigid_bake, monkeypatch):
    with Crowd(rigid_bake, 30, stage=stage) as crowd:
        whole = crowd.deformed()
        assert len(crowd._drawn) == 1
        monkeypatch.setattr(crowds, "BATCH_TEXELS", 7 * crowd._stride * crowd._meshes.row_count)
        np.testing.assert_array_equal(crowd.deformed(), whole)
        assert len(crowd._drawn) == 5


def test_a_palette_texture_of_several_lines(stage, rigid_bake):
    count = 2 * 2048 // rigid_bake.texels.shape[1]  # 2 texels each: two lines and a bit
    with Crowd(rigid_bake, count + 3, stage=stage) as crowd:
        got = crowd.deformed()
        expected, stable = expected_vertices(crowd, rigid_bake, crowd.method)
    assert np.abs(got - expected)[stable].max() < POSITIONS * (rigid_bake.size + np.abs(expected).max())


def test_both_ways_draw_the_same_picture(context, rigid_bake):
    with Stage(200, 120, context=context) as stage, Crowd(rigid_bake, 12, stage=stage) as crowd:
        palettes = stage.render(crowd).array.astype(int)
        crowd.direct = True
        direct = stage.render(crowd).array.astype(int)
        assert (np.abs(palettes - direct).max(axis=2) > 8).mean() < 0.001
        crowd.update(0.3)
        assert (stage.render(crowd).array != direct).any()


@pytest.mark.parametrize("original_order", [False, True])
def test_a_prepared_mesh_is_drawn_as_the_mesh(context, rigid_bake, original_order):
    prepared = rigid_bake.mesh.prepare(original_order)
    order = slice(None) if original_order else prepared.order
    with (
        Stage(200, 120, context=context) as stage,
        Crowd(rigid_bake, 12, stage=stage) as plain,
        Crowd(rigid_bake, 12, stage=stage, mesh=prepared) as crowd,
    ):
        np.testing.assert_array_equal(crowd.deformed(), plain.deformed()[:, order])
        np.testing.assert_array_equal(stage.render(crowd).array, stage.render(plain).array)


def test_one_instance_looks_like_the_model(context, rigid_bake):
    character = lissom.samples.humanoid()
    with (
        Stage(160, 200, context=context) as stage,
        Crowd(rigid_bake, 1, stage=stage, method="linear", instances=plain_instances(1), levels=()) as crowd,
        SkinnedModel(character, stage=stage, method="linear") as model,
    ):
        clip = next(iter(rigid_bake.clips))
        model.set_pose(character.clips[clip].sample(character.clips[clip].start))
        camera = stage.camera(model)
        ground = model.ground()
        one = stage.render(model, camera=camera, ground_height=ground).array.astype(int)
        other = stage.render(crowd, camera=camera, ground_height=ground).array.astype(int)
    assert (np.abs(one - other).max(axis=2) > 12).mean() < 0.005  # normals in bytes


def test_what_is_out_of_view_is_not_drawn(context, rigid_bake):
    with Stage(160, 90, context=context) as stage, Crowd(rigid_bake, 12, stage=stage) as crowd:
        camera = stage.camera(crowd)
        whole = stage.render(crowd, camera=camera).array
        assert sum(batch.instance_count for batch, *_ in crowd._drawn) == 12
        crowd.instances["position"][:4, 0] += 1e4
        stage.render(crowd, camera=camera)
        assert sum(batch.instance_count for batch, *_ in crowd._drawn) == 8
        assert (stage.render(crowd, camera=camera).array != whole).any()


def test_an_empty_crowd_is_an_empty_stage(stage, rigid_bake):
    with Crowd(rigid_bake, 0, stage=stage) as crowd:
        assert len(crowd) == 0
        assert stage.render(crowd).array.shape == (90, 160, 3)


def test_misuse_is_refused_in_a_sentence(stage, rigid_bake):
    with pytest.raises(ValueError, match="Crowd: count must be at least 0, got -1"):
        Crowd(rigid_bake, -1, stage=stage)
    with pytest.raises(ValueError, match=r"Crowd: method must be one of 'linear', 'dual_quat', .* got 'cor'"):
        Crowd(rigid_bake, 1, stage=stage, method="cor")
    with pytest.raises(ValueError, match=r"Crowd: instances must have shape \(3,\), got \(2,\)"):
        Crowd(rigid_bake, 3, stage=stage, instances=np.zeros(2, INSTANCE_DTYPE))
    too_many_rows = Mesh([[0, 0, 0]], np.zeros((0, 3), int), [[10_000]], [[1.0]])
    with pytest.raises(ValueError, match="Crowd: mesh must have palette rows below"):
        Crowd(rigid_bake, 1, stage=stage, mesh=too_many_rows)
    with (
        Crowd(rigid_bake, 3, stage=stage) as crowd,
        pytest.raises(ValueError, match=r"Crowd: method must be one of 'linear', 'dual_quat', .* got 'cor'"),
    ):
        crowd.method = "cor"


def test_a_released_crowd_says_so(stage, rigid_bake):
    crowd = Crowd(rigid_bake, 3, stage=stage)
    crowd.release()
    crowd.release()
    for use in (crowd.deformed, lambda: stage.render(crowd)):
        with pytest.raises(GpuError, match="this crowd was released; make a new one"):
            use()


def test_what_is_no_bake_and_no_count_is_a_type_error(stage, rigid_bake):
    character = lissom.samples.twisted_bar()
    for thing, rest in (
        (character, r"Character; lissom.bake\(character\) makes one from it$"),
        (stage, "Stage; pass the stage by name, stage=$"),
        (
            "hero.safetensors",
            r"str; lissom.load_bake reads one from a file, lissom.bake\(character\) makes one$",
        ),
    ):
        with pytest.raises(TypeError, match=f"^Crowd: bake must be a PoseTexture, got {rest}"):
            Crowd(thing, rigid_bake)
        with pytest.raises(TypeError, match=f"^scattered: bake must be a PoseTexture, got {rest}"):
            scattered(thing, 3)
    for count in (2.0, "3", None, stage):
        match = f"count must be a whole number, got {type(count).__name__}$"
        with pytest.raises(TypeError, match=f"^Crowd: {match}"):
            Crowd(rigid_bake, count)
        with pytest.raises(TypeError, match=f"^scattered: {match}"):
            scattered(rigid_bake, count)
    with pytest.raises(ValueError, match=r"^scattered: count must be at least 0, got -1$"):
        scattered(rigid_bake, -1)
    with pytest.raises(TypeError, match=r"^Crowd: stage must be a Stage or None, got GlContext$"):
        Crowd(rigid_bake, 1, stage=stage.context)
    with pytest.raises(TypeError, match=r"^Crowd: mesh must be a Mesh, got Character$"):
        Crowd(rigid_bake, 1, mesh=character)
    with Crowd(rigid_bake, np.int32(2)) as crowd:
        assert len(crowd) == 2


def test_a_crowd_says_what_it_is(rigid_bake):
    with Crowd(rigid_bake, 2, method="linear") as crowd:
        assert repr(crowd) == f"Crowd(2 instances, 3 clips, {rigid_bake.mesh.vertex_count} vertices, linear)"
    assert repr(crowd).endswith(", linear, released)")


def test_a_vertex_is_40_bytes_and_an_index_two(stage, rigid_bake):
    mesh = rigid_bake.mesh
    assert not any(part.texture for part in mesh.parts)
    with Crowd(rigid_bake, 1, stage=stage) as crowd:
        drawn = crowd._meshes[0]
        assert drawn._vertices.size == 40 * mesh.vertex_count
        assert drawn._triangles.size == 2 * 3 * len(mesh.triangles)


@pytest.mark.parametrize("offset", [300, 66_000])
def test_many_palette_rows_need_wider_indices(stage, offset):
    """Rows beyond 255 and 65 535 are not cut off."""
    bake = lissom.bake(lissom.samples.humanoid(), ["idle"], rate=1)
    count = offset + bake.palette_row_count
    texels = np.zeros((len(bake.texels), count, 2, 4), np.float16)
    texels[:, :, 0, 3] = 1
    texels[:, offset:] = bake.texels
    wide = lissom.PoseTexture(texels, bake.clips, ["joint"] * count, bake.report)
    mesh = bake.mesh
    rows = mesh.indices.astype(np.int64) + offset
    moved = Mesh(mesh.positions, mesh.triangles, rows, mesh.weights, normals=mesh.normals)
    instances = scattered(bake, 2)
    with (
        Crowd(bake, 2, stage=stage, instances=instances) as crowd,
        Crowd(wide, 2, stage=stage, mesh=moved, instances=instances) as wider,
    ):
        np.testing.assert_array_equal(wider.deformed(), crowd.deformed())
