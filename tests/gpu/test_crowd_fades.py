# SPDX-License-Identifier: MIT
"""Cross-fades of crowds on the GPU: the CPU's vertices, whatever the layout, the type and the way to mix."""

import numpy as np
import pytest

import lissom
from gpu.crowds import POSITIONS, with_heaviest, worst
from lissom.gpu import Crowd, SkinnedModel, Stage, scattered
from lissom.gpu import _pose_pages as pose_pages
from lissom.pose_texture._layouts import LAYOUTS

CLIPS = ("idle", "walk", "run")


@pytest.fixture(scope="module")
def bakes():
    """Bakes of the humanoid by layout and type, each made once."""
    character = lissom.samples.humanoid()
    made = {}

    def bake(layout, dtype):
        if (layout, dtype) not in made:
            made[layout, dtype] = lissom.bake(character, CLIPS, rate=15, layout=layout, dtype=dtype)
        return made[layout, dtype]

    return bake


def fading(bake, count, seed):
    """Instances of which two of three fade, near the origin."""
    rng = np.random.default_rng(seed)
    instances = scattered(bake, count, seed=seed, spacing=0.1)
    instances["rotation"] = rng.normal(0, 1, (count, 4))
    instances["next_clip"] = rng.integers(0, len(bake.clips), count)
    instances["next_clip"][::3] = -1
    instances["next_time"] = rng.uniform(0, 2, count)
    instances["fade"] = rng.uniform(0, 1, count)
    instances["fade"][1], instances["fade"][4] = 0, 1
    return instances


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "float16", "uint8"])
@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_every_layout_gives_the_cpu_s_vertices(stage, bakes, layout, dtype, direct):
    bake = bakes(layout, dtype)
    for method in bake.methods:
        with Crowd(
            bake, 12, stage=stage, method=method, direct=direct, instances=fading(bake, 12, 3)
        ) as crowd:
            assert worst(crowd, bake, method) < POSITIONS
            crowd.interpolate = False
            assert worst(crowd, bake, method) < POSITIONS


def test_without_interpolation_the_nearer_frame_is_shown(stage, bakes):
    bake = bakes("dual_quat", "float32")
    with Crowd(bake, 300, stage=stage, instances=fading(bake, 300, 9)) as crowd:
        crowd.instances["time"][0] = 0.5 / bake.clips["idle"].rate  # half way: the later one
        crowd.instances["clip"][0] = 0
        smooth = crowd.frames(), crowd.next_frames()
        crowd.interpolate = False
        stepped = crowd.frames(), crowd.next_frames()
    for between, at in zip(smooth, stepped, strict=True):
        np.testing.assert_array_equal(at, np.floor(at))
        expected = bake.sample_frames(between, interpolate=False)
        np.testing.assert_array_equal(bake.sample_frames(at).dual_quats, expected.dual_quats)


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("influences", [1, 2, 4])
def test_fewer_influences_are_the_heaviest_and_sum_to_one(stage, bakes, influences, direct):
    bake = bakes("dual_quat", "float32")
    with Crowd(
        bake, 12, stage=stage, influences=influences, direct=direct, instances=fading(bake, 12, 5)
    ) as crowd:
        weights = crowd.influences.weights
        np.testing.assert_allclose(weights.sum(axis=1), 1, atol=1e-6)
        assert ((weights > 0).sum(axis=1) <= influences).all()
        heaviest = np.take_along_axis(
            bake.mesh.indices, bake.mesh.weights.argmax(axis=1)[:, None], axis=1
        ).ravel()
        clear = np.sort(bake.mesh.weights, axis=1)[:, -1] - np.sort(bake.mesh.weights, axis=1)[:, -2] > 0.01
        np.testing.assert_array_equal(crowd.influences.rows[clear, 0], heaviest[clear])
        assert worst(crowd, bake, crowd.method, with_heaviest(bake.mesh, influences)) < POSITIONS


def test_other_numbers_of_influences_are_refused(stage, bakes):
    for influences in (0, 3, 8, "2"):
        match = rf"^Crowd: influences must be one of 1, 2, 4 or None, got {influences!r}$"
        with pytest.raises(ValueError, match=match):
            Crowd(bakes("dual_quat", "float16"), 1, stage=stage, influences=influences)


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_several_pages_are_one_texture(stage, bakes, monkeypatch, dtype, direct):
    monkeypatch.setattr(pose_pages, "LONGEST_SIDE", 2)
    bake = bakes("dual_quat", dtype)
    with Crowd(bake, 30, stage=stage, direct=direct, instances=fading(bake, 30, 6)) as crowd:
        assert crowd._poses.page_count > 1
        assert worst(crowd, bake, crowd.method) < POSITIONS


def test_a_fade_by_scale_gives_the_cpu_s_vertices(stage, asset):
    character = lissom.load(asset("characters/quaternius/cyberpunk_pack/Enemy_2Legs.glb"))
    bake = lissom.bake(character, list(character.clips)[:3], rate=15, dtype="float32")
    assert bake.texels.shape[2] == 5
    for method in bake.methods:
        for direct in (False, True):
            with Crowd(
                bake, 20, stage=stage, method=method, direct=direct, instances=fading(bake, 20, 7)
            ) as crowd:
                assert worst(crowd, bake, method) < POSITIONS


def test_a_fade_of_flipped_quaternions_is_the_same_fade(stage, bakes):
    """q and -q are one rotation: flipping the sign of all rows of a clip changes no vertex."""
    bake = bakes("dual_quat", "float32")
    run = bake.clips["run"]
    texels = bake.texels.copy()
    texels[run.first_frame : run.first_frame + run.frame_count] *= -1
    with Crowd(bake, 20, stage=stage, instances=fading(bake, 20, 8)) as crowd:
        before = crowd.deformed()
        crowd._poses.write(texels)
        np.testing.assert_allclose(crowd.deformed(), before, atol=POSITIONS * bake.size)


def test_a_fade_is_nearly_a_cross_fade(context, bakes):
    """A CrossFade mixes local poses, a crowd skin transforms: half way, both look nearly the same."""
    character = lissom.samples.humanoid()
    bake = bakes("dual_quat", "float32")
    fade = lissom.CrossFade(character.skeleton)
    fade.play(character.clips["walk"], at=0.2)
    fade.fade_to(character.clips["run"], 0.5)
    pose = fade.update(0.25)
    instances = scattered(bake, 1)
    instances["position"] = 0
    instances["rotation"], instances["scale"], instances["tint"] = [0, 0, 0, 1], 1, 255
    instances["clip"], instances["time"], instances["speed"] = CLIPS.index("walk"), 0.2, 1
    with (
        Stage(160, 200, context=context) as stage,
        Crowd(bake, 1, stage=stage, instances=instances) as crowd,
        SkinnedModel(character, stage=stage, method=bake.method) as model,
    ):
        crowd.fade_to("run", 0.5)
        crowd.update(0.25)
        model.set_pose(pose)
        camera = stage.camera(model)
        apart = np.linalg.norm(crowd.deformed()[0] - model.deformed().positions, axis=1)
        one = stage.render(model, camera=camera, ground_height=0).array.astype(int)
        other = stage.render(crowd, camera=camera, ground_height=0).array.astype(int)
        crowd.instances["fade"] = 0
        unfaded = np.linalg.norm(crowd.deformed()[0] - model.deformed().positions, axis=1)
    assert 1e-3 * bake.size < apart.max() < 0.06 * bake.size
    assert np.median(apart) < 0.2 * np.median(unfaded)
    assert (np.abs(one - other).max(axis=2) > 12).mean() < 0.03


def test_methods_that_a_bake_does_not_drive_are_refused(stage, bakes):
    for layout in LAYOUTS:
        bake = bakes(layout, "float16")
        missing = {"linear", "dual_quat"} - set(bake.methods)
        for method in missing:
            with pytest.raises(
                ValueError, match=rf"^Crowd: method must be one of 'linear', .* layout '{layout}'"
            ):
                Crowd(bake, 1, stage=stage, method=method)


def test_buffers_are_kept_from_frame_to_frame(context, bakes):
    bake = bakes("dual_quat", "float16")
    with Stage(160, 90, context=context) as stage, Crowd(bake, 12, stage=stage) as crowd:
        camera = stage.camera(crowd)
        stage.render(crowd, camera=camera)

        def held():
            (batch,) = crowd._batches
            arrays = [array.glo for array in batch._arrays.values()]
            textures = batch._instances.texture.glo, batch._palette.texture.glo
            return batch._shown.glo, textures, batch._target.glo, arrays

        first = held()
        for i in range(3):
            crowd.update(0.1)
            crowd.instances["position"][: 4 * i, 0] = 1e4
            stage.render(crowd, camera=camera)
            assert held() == first
