# SPDX-License-Identifier: MIT
"""Crowds in live poses: against deform and against pictures of models, culled, beside baked ones."""

import numpy as np
import pytest

import lissom
from conftest import asset_files, asset_id, each_asset
from gpu.faces import with_face
from lissom import quat
from lissom._crowd.pose_bounds import PoseBounds
from lissom.gpu import Crowd, LiveCrowd, SkinnedModel, Stage, plain_instances
from random_rigs import random_quats, random_skeleton

METHODS = ("linear", "dual_quat")


def placed(count, seed=0):
    rng = np.random.default_rng(seed)
    instances = plain_instances(count)
    instances["position"] = rng.uniform(-5, 5, (count, 3))
    instances["rotation"] = rng.normal(size=(count, 4))
    instances["scale"] = rng.uniform(0.5, 2, count)
    return instances


def in_world(instances, points):
    """Points (count, V, 3) of the model, in float64."""
    rotation = quat.normalize(instances["rotation"].astype(np.float64))
    scaled = instances["scale"].astype(np.float64)[:, None, None] * points
    return instances["position"][:, None] + quat.rotate(rotation[:, None], scaled)


def walking(hero, count):
    return hero.clips["walk"].sample(np.linspace(0, 2, count))


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_vertices_are_those_of_deform(stage, method, direct):
    hero = lissom.samples.humanoid()
    instances, poses = placed(9), walking(hero, 9)
    with LiveCrowd(hero, 9, stage=stage, method=method, instances=instances, direct=direct) as crowd:
        crowd.pose(poses)
        expected = in_world(instances, hero.deform(poses.astype(np.float64), method))
        np.testing.assert_allclose(crowd.deformed(), expected, atol=2e-5)
        crowd.pose(poses[::-1])
        crowd.instances["position"] += 1
        expected = in_world(crowd.instances, hero.deform(poses[::-1].astype(np.float64), method))
        np.testing.assert_allclose(crowd.deformed(), expected, atol=2e-5)


@pytest.mark.parametrize("method", METHODS)
def test_joints_that_scale_and_mirror(stage, method):
    hero = lissom.samples.humanoid()
    poses = np.repeat(hero.skeleton.rest[None], 4, axis=0).astype(np.float64)
    poses[1, :, 7:] = 1.1
    poses[2, 5, 7:] = [1.0, 0.5, 1.5]
    poses[3, 3, 7:] = [-1.0, 1.0, 1.0]
    with LiveCrowd(hero, 4, stage=stage, method=method) as crowd:
        crowd.pose(poses)
        np.testing.assert_allclose(crowd.deformed(), hero.deform(poses, method), atol=2e-5)
        assert crowd._is_mirrored
        crowd.pose(poses[[0, 1, 2, 2]])
        assert not crowd._is_mirrored


def test_clips_and_times_of_instances_are_not_read(stage):
    hero = lissom.samples.humanoid()
    instances = plain_instances(2)
    instances["clip"], instances["next_clip"], instances["time"], instances["fade"] = 7, -9, np.nan, 2
    with LiveCrowd(hero, 2, stage=stage, instances=instances) as crowd:
        stage.render(crowd)


def test_without_poses_all_rest(stage):
    hero = lissom.samples.humanoid()
    with LiveCrowd(hero, 2, stage=stage) as crowd:
        np.testing.assert_allclose(crowd.deformed()[1], hero.deform(hero.skeleton.rest), atol=1e-5)


def test_weights_of_morph_targets(stage):
    hero = with_face(lissom.samples.humanoid(), ["one", "two"])
    poses = walking(hero, 3)
    weights = np.float32([[0, 0], [1, 0], [0.5, -0.5]])
    with LiveCrowd(hero, 3, stage=stage, method="linear") as crowd:
        crowd.pose(poses, weights)
        np.testing.assert_allclose(crowd.deformed(), hero.deform(poses, "linear", morphs=weights), atol=2e-5)
        crowd.pose(poses)
        np.testing.assert_allclose(crowd.deformed(), hero.deform(poses, "linear"), atol=2e-5)


def test_it_looks_like_models(context):
    hero = lissom.samples.humanoid()
    poses = walking(hero, 2)
    with (
        Stage(200, 160, context=context) as stage,
        LiveCrowd(hero, 2, stage=stage, levels=()) as crowd,
        SkinnedModel(hero, stage=stage, method=hero.method) as one,
        SkinnedModel(hero, stage=stage, method=hero.method) as other,
    ):
        crowd.instances["position"][1] = [1, 0, 0]
        crowd.pose(poses)
        one.set_pose(poses[0])
        other.set_pose(poses[1])
        moved = np.eye(4)
        moved[0, 3] = 1
        other.world_from_model = moved
        camera = stage.camera(one, other)
        low = one.ground()
        expected = stage.render(one, other, camera=camera, ground_height=low).array.astype(int)
        seen = stage.render(crowd, camera=camera, ground_height=low).array.astype(int)
    assert (np.abs(seen - expected).max(axis=2) > 12).mean() < 0.005  # normals in bytes


def test_live_and_baked_ones_share_a_scene(context):
    hero = lissom.samples.humanoid()
    bake = lissom.bake(hero, "walk", rate=30, dtype="float32")
    times = np.arange(6) / 30
    with (
        Stage(240, 120, context=context) as stage,
        Crowd(bake, 6, stage=stage, instances=plain_instances(6)) as baked,
        LiveCrowd(hero, 6, stage=stage) as live,
    ):
        for crowd, z in ((baked, 0), (live, 2)):
            crowd.instances["position"][:, 0] = np.arange(6)
            crowd.instances["position"][:, 2] = z
        baked.instances["time"] = times
        live.pose(hero.clips["walk"].sample(times))
        both = stage.render(baked, live)
        assert np.abs(both.array.astype(int) - stage.render(baked).array).max() > 50
        there = baked.deformed() + np.float32([0, 0, 2])
        np.testing.assert_allclose(live.deformed(), there, atol=1e-3)  # frames of the bake, those moments


def test_those_outside_the_picture_are_left_out(context):
    hero = lissom.samples.humanoid()
    with Stage(160, 120, context=context) as stage, LiveCrowd(hero, 30, stage=stage) as crowd:
        crowd.instances["position"][:, 0] = 3 * np.arange(30)
        camera = lissom.gpu.Camera((0, 1, 0), 4.0, azimuth=0.0)
        stage.render(crowd, camera=camera, ground=False)
        assert sum(drawn.batch.instance_count for drawn in crowd._drawn) in (1, 2)
        crowd.instances["tint"][0, 3] = 0
        crowd.instances["position"][1:, 0] += 90
        stage.render(crowd, camera=camera, ground=False)
        assert not crowd._drawn


def test_far_ones_have_fewer_triangles(context):
    pytest.importorskip("fast_simplification")
    hero = lissom.samples.humanoid()
    with Stage(320, 120, context=context) as stage, LiveCrowd(hero, 40, stage=stage) as crowd:
        crowd.instances["position"][:, 2] = -2.0 * np.arange(40)
        stage.render(crowd)
        assert len({drawn.mesh.triangle_count for drawn in crowd._drawn}) > 1


def random_character(rng, joint_count=6, vertex_count=200):
    """A cloud of vertices on a rig whose bind pose, scaled joints and all, is none of its poses."""
    skeleton = random_skeleton(rng, joint_count, scaled=True)
    joint_from_bind = np.linalg.inv(skeleton.model_matrices(skeleton.rest.astype(np.float64)))
    joint_from_bind[:, :3] *= rng.uniform(0.3, 3, (joint_count, 1, 1))
    skin = lissom.Skin(np.arange(joint_count), joint_from_bind)
    weights = rng.uniform(size=(vertex_count, 3))
    weights /= weights.sum(axis=1, keepdims=True)
    rows = rng.integers(0, joint_count, (vertex_count, 3))
    positions = rng.normal(size=(vertex_count, 3))
    mesh = lissom.Mesh(positions, [[0, 1, 2]], rows, weights)
    return lissom.Character("random", skeleton, mesh, skin, {})


def test_boxes_hold_all_vertices():
    rng = np.random.default_rng(1)
    for _ in range(20):
        character = random_character(rng)
        joints = len(character.skeleton)
        poses = np.repeat(character.skeleton.rest[None], 8, axis=0).astype(np.float64)
        poses[:, :, 3:7] = random_quats(rng, 8, joints)
        poses[4:, :, 7:] = rng.uniform(0.5, 2, (4, joints, 1))  # alike along all axes: nothing is sheared
        model = character.skeleton.model_matrices(poses)
        low, high = PoseBounds(character.skin, character.mesh).boxes(model, True)
        vertices = character.deform(poses, "linear")
        slack = 1e-5 * np.abs(vertices).max()
        assert (vertices >= low[:, None] - slack).all()
        assert (vertices <= high[:, None] + slack).all()


@pytest.mark.parametrize("path", each_asset(asset_files("characters")[::5], "characters"), ids=asset_id)
def test_boxes_hold_clips_of_foreign_rigs(path):
    character = lissom.load(path)
    poses = character.skeleton.rest[None]
    for clip in list(character.clips.values())[:1]:
        poses = clip.sample(np.linspace(clip.start, clip.end, 9))
    model = character.skeleton.model_matrices(poses)
    low, high = PoseBounds(character.skin, character.mesh).boxes(model, True)
    for method in METHODS:
        vertices = character.deform(poses, method)
        slack = 1e-5 * character.size
        assert (vertices >= low[:, None] - slack).all()
        assert (vertices <= high[:, None] + slack).all()
    assert ((high - low) <= 2 * character.size).all()


def test_props_follow_joints(stage):
    """Vertices that hang on one joint alone are where the joint is said to be."""
    hero = lissom.samples.humanoid()
    row = next(i for i, joint in enumerate(hero.skin.joints) if hero.skeleton.names[joint] == "Head")
    alone = np.flatnonzero(((hero.mesh.indices == row) * hero.mesh.weights).sum(axis=1) == 1)
    assert len(alone) > 20
    with LiveCrowd(hero, 6, stage=stage, method="linear", instances=placed(6)) as crowd:
        crowd.pose(walking(hero, 6))
        world_from_bind = crowd.attach("Head") @ hero.skin.joint_from_bind[row]
        bind = np.concatenate([hero.mesh.positions[alone], np.ones((len(alone), 1))], axis=1)
        expected = np.einsum("nij,vj->nvi", world_from_bind, bind)[..., :3]
        np.testing.assert_allclose(crowd.deformed()[:, alone], expected, atol=2e-5)
        every = crowd.attach("Hand.R")
        np.testing.assert_array_equal(crowd.attach("Hand.R", [4, -6]), every[[4, 0]])
        np.testing.assert_array_equal(crowd.attach("Hand.R", slice(2, 4)), every[2:4])
        crowd.instances["position"] += [1, 2, 3]  # without another pose
        np.testing.assert_allclose(crowd.attach("Hand.R")[:, :3, 3], every[:, :3, 3] + [1, 2, 3], atol=1e-5)
        crowd.pose(walking(hero, 6)[::-1])
        assert np.abs(crowd.attach("Hand.R") - every).max() > 0.01


def test_props_on_joints_that_are_not_there(stage):
    with LiveCrowd(lissom.samples.humanoid(), 2, stage=stage) as crowd:
        with pytest.raises(ValueError, match=r"LiveCrowd.attach: no joint is named 'Hand'; did you mean"):
            crowd.attach("Hand")
        with pytest.raises(TypeError, match=r"^LiveCrowd.attach: joint must be the name of a joint, got int"):
            crowd.attach(1)
        with pytest.raises(IndexError, match=r"LiveCrowd.attach: which"):
            crowd.attach("Hand.R", 2)
        crowd.instances["scale"][1] = 0
        with pytest.raises(ValueError, match="scale"):
            crowd.attach("Hand.R")


def test_the_number_of_instances_may_change(stage):
    hero = lissom.samples.humanoid()
    with LiveCrowd(hero, 2, stage=stage) as crowd:
        crowd.instances = plain_instances(5)
        match = r"^LiveCrowd: pose must be called for 5 instances, got poses for 2$"
        with pytest.raises(ValueError, match=match):
            stage.render(crowd)
        crowd.pose(walking(hero, 5))
        stage.render(crowd)
        crowd.instances = plain_instances(0)
        crowd.pose(np.zeros((0, len(hero.skeleton), 10)))
        assert crowd.deformed().shape == (0, hero.mesh.vertex_count, 3)
        stage.render(crowd)


def test_what_is_refused(stage):
    hero = lissom.samples.humanoid()
    bones = lissom.Character("bones", hero.skeleton, None, None, {})
    for arguments, options, kind, message in (
        ((hero.mesh, 2), {}, TypeError, "character must be a Character, got Mesh"),
        ((bones, 2), {}, ValueError, "character must have a mesh, got 'bones' without"),
        ((hero, -1), {}, ValueError, "count must be at least 0, got -1"),
        ((hero, 2), {"method": "cor"}, ValueError, "method must be one of 'linear', 'dual_quat', got 'cor'"),
        ((hero, 2), {"influences": 3}, ValueError, "influences must be one of 1, 2, 4 or None, got 3"),
        (
            (hero, 2),
            {"instances": plain_instances(3)},
            ValueError,
            r"instances must have shape \(2,\), got \(3,\)",
        ),
    ):
        with pytest.raises(kind, match=f"^LiveCrowd: {message}$"):
            LiveCrowd(*arguments, stage=stage, **options)
    with LiveCrowd(hero, 2, stage=stage) as crowd:
        poses = np.repeat(hero.skeleton.rest[None], 2, axis=0)
        with pytest.raises(
            ValueError, match=r"^LiveCrowd.pose: poses must have shape \(2, 34, 10\), got \(34, 10\)$"
        ):
            crowd.pose(poses[0])
        broken = poses.copy()
        broken[1, 3, 2] = np.nan
        with pytest.raises(
            ValueError, match=r"^LiveCrowd.pose: poses must be finite in float32, got nan in pose 1$"
        ):
            crowd.pose(broken)
        with pytest.raises(ValueError, match=r"^LiveCrowd.pose: morphs must be omitted for a mesh without"):
            crowd.pose(poses, [1.0])
        crowd.instances["scale"][1] = 0
        with pytest.raises(
            ValueError, match=r"^LiveCrowd: instances: scale must be .* got 0.0 at instance 1$"
        ):
            stage.render(crowd)
    crowd.instances["scale"] = 1
    with pytest.raises(lissom.errors.GpuError, match=r"^LiveCrowd: this crowd was released; make a new one$"):
        stage.render(crowd)


@pytest.mark.parametrize("method", METHODS)
def test_poses_that_are_not_due_stay(stage, method):
    hero = lissom.samples.humanoid()
    rng = np.random.default_rng(11)
    instances = placed(8, 11)
    shown = walking(hero, 8).copy()
    with LiveCrowd(hero, 8, stage=stage, method=method, instances=instances) as crowd:
        crowd.pose(shown)
        for k in range(6):
            poses, due = hero.clips["run"].sample(rng.uniform(0, 1, 8)), rng.random(8) < 0.4
            if k == 3:
                due[:] = False
            if k == 4:
                poses[2, 5, 7:] = [-1, 1.2, 1]  # scaled, and mirrored: of another layout
                due[2] = True
            crowd.pose(poses, due=due)
            shown[due] = poses[due]
            if k != 1:  # of two calls before a picture, both count
                expected = in_world(instances, hero.deform(shown.astype(np.float64), method))
                np.testing.assert_allclose(crowd.deformed(), expected, atol=3e-5)
            with LiveCrowd(hero, 8, stage=stage, method=method, instances=instances) as other:
                other.pose(shown)
                assert crowd._is_mirrored == other._is_mirrored == bool((shown[..., 7:] < 0).any())
                np.testing.assert_array_equal(crowd.attach("Hand.R"), other.attach("Hand.R"))
                np.testing.assert_allclose(crowd._boxes().centers, other._boxes().centers, atol=1e-5)
        crowd.method = "linear" if method == "dual_quat" else "dual_quat"
        crowd.pose(shown, due=np.zeros(8, bool))
        expected = in_world(instances, hero.deform(shown.astype(np.float64), crowd.method))
        np.testing.assert_allclose(crowd.deformed(), expected, atol=3e-5)
        for due, error, message in (
            (np.ones(7, bool), ValueError, r"due must be bools of shape \(8,\), got bool of shape \(7,\)"),
            ([1, 2], TypeError, r"due must be bools of shape \(8,\), got int64"),
        ):
            with pytest.raises(error, match=f"^LiveCrowd.pose: {message}"):
                crowd.pose(shown, due=due)
        broken = shown.copy()
        broken[5, 0, 0] = np.nan
        crowd.pose(broken, due=np.arange(8) != 5)  # nobody looks at it
        with pytest.raises(ValueError, match="got nan in pose 5"):
            crowd.pose(broken, due=np.arange(8) >= 4)
        crowd.instances = placed(3)
        with pytest.raises(ValueError, match="due must be omitted where the last poses were 8, got 3"):
            crowd.pose(shown[:3], due=np.ones(3, bool))


def pixels_of(stage, camera, points):
    """Pixels (..., 2) of world points from the middle of the picture, and their depths."""
    matrix = camera.clip_from_world(stage.aspect, 1.0, 2.0)
    clip = points @ matrix[:, :3].T + matrix[:, 3]
    return np.array([stage.width, stage.height]) / 2 * clip[..., :2] / clip[..., 3:], clip[..., 3]


def test_pixels_per_unit_are_those_of_the_picture(stage):
    hero = lissom.samples.humanoid()
    rng = np.random.default_rng(12)
    camera = lissom.gpu.Camera(target=(0.0, 1.0, 0.0), distance=60.0, azimuth=30.0)
    instances = placed(40, 12)
    instances["position"] *= 8
    half = np.array([stage.width, stage.height]) / 2
    poses = walking(hero, 40)
    with LiveCrowd(hero, 40, stage=stage, method="linear", instances=instances) as crowd:
        crowd.pose(poses)
        found = crowd.pixels_per_unit(stage, camera)
        model = hero.deform(poses.astype(np.float64), "linear")
        places, depth = pixels_of(stage, camera, in_world(instances, model))
        moves = rng.normal(size=model.shape)
        moves *= 1e-4 / np.linalg.norm(moves, axis=-1, keepdims=True)
        there = pixels_of(stage, camera, in_world(instances, model + moves))[0]
        moved = np.linalg.norm(there - places, axis=-1).max(axis=1) / 1e-4
        inside = ((np.abs(places) < half) & (depth > 0)[..., None]).all(axis=-1).any(axis=1)
        known = inside & (depth > 0.1).all(axis=1)
        assert 5 < known.sum() < 35
        assert (moved[known] <= found[known] * 1.01).all()
        assert np.median(moved[known] / found[known]) > 0.6
        assert (found[inside] > 0).all()
        assert (found == 0).any()
        crowd.instances["tint"][:20, 3] = 0
        assert not crowd.pixels_per_unit(stage, camera)[:20].any()
        for wrong in ((None, camera), ("stage", camera), (stage, None)):
            with pytest.raises(TypeError, match=r"^LiveCrowd.pixels_per_unit: (stage|camera) must be a"):
                crowd.pixels_per_unit(*wrong)


def test_far_characters_step_at_lower_rates(stage):
    """What is drawn of held poses is nowhere farther than half a pixel from what is drawn of all."""
    hero = lissom.samples.humanoid()
    instances = plain_instances(60)
    instances["position"][:, 2] = -np.linspace(0, 600, 60)
    instances["position"][:, 0] = np.tile([-2, 0, 2], 20)
    camera = lissom.gpu.Camera(target=(0.0, 1.0, 0.0), distance=6.0, azimuth=0.0)
    players = lissom.Players(hero.skeleton, 60)
    players.play(players.ids, hero.clips["walk"], at=np.linspace(0, 1, 60))
    rates = lissom.UpdateRates(hero)
    shares = []
    with LiveCrowd(hero, 60, stage=stage, instances=instances) as crowd:
        poses = players.step(1 / 60)
        crowd.pose(poses)
        for _ in range(10):
            due = rates.due(players, 1 / 60, crowd.pixels_per_unit(stage, camera))
            poses = players.step(1 / 60, poses, due=due)
            crowd.pose(poses, due=players.is_posed)
            exact = hero.clips["walk"].sample(players.state["layers"]["time"][:, 0])
            drawn, wanted = (
                pixels_of(
                    stage, camera, in_world(instances, hero.deform(p.astype(np.float64), crowd.method))
                )[0]
                for p in (poses, exact)
            )
            assert np.linalg.norm(drawn - wanted, axis=-1).max() < 0.5
            shares.append(due.mean())
    assert 0.03 < np.mean(shares[1:]) < 0.5


@pytest.mark.parametrize("between", [6, 2])
def test_methods_set_while_there_are_other_instances(stage, between):
    hero = lissom.samples.humanoid()
    shown = walking(hero, 3).copy()
    with LiveCrowd(hero, 3, stage=stage, method="dual_quat") as crowd:
        crowd.pose(shown)
        crowd.deformed()
        crowd.instances = plain_instances(between)
        crowd.method = "linear"
        crowd.instances = plain_instances(3)
        poses = hero.clips["run"].sample([0.1, 0.2, 0.3])
        crowd.pose(poses, due=[False, False, True])
        shown[2] = poses[2]
        np.testing.assert_allclose(crowd.deformed(), hero.deform(shown, "linear"), atol=2e-5)


def test_weights_of_those_that_are_not_due_move_their_boxes(stage):
    hero = with_face(lissom.samples.humanoid(), ["one", "two"])
    poses = walking(hero, 4).copy()
    poses[3, :, 7:] = 1.3
    weights = np.float32([[0, 0], [0, 0], [2, 0], [0, 1]])
    with LiveCrowd(hero, 4, stage=stage) as crowd, LiveCrowd(hero, 4, stage=stage) as other:
        crowd.pose(poses, weights)
        weights = np.float32([[0, 0], [30, 0], [0, 0], [0, 30]])
        poses[0] = hero.clips["run"].sample(0.2)
        crowd.pose(poses, weights, due=[True, False, False, False])
        other.pose(poses, weights)
        for ours, theirs in ((crowd._low, other._low), (crowd._high, other._high)):
            np.testing.assert_allclose(ours, theirs, atol=1e-5)
        crowd.pose(poses, due=[False] * 4)  # back to the defaults, in the same poses
        other.pose(poses)
        np.testing.assert_allclose(crowd._high, other._high, atol=1e-5)
        np.testing.assert_allclose(crowd.deformed(), other.deformed(), atol=1e-5)
