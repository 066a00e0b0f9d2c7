# SPDX-License-Identifier: MIT
"""What hangs from the joints of a crowd, and where root motion takes it."""

import dataclasses

import numpy as np
import pytest

import lissom
from gpu.crowds import placed
from lissom import trs
from lissom.gpu import Crowd, heading, plain_instances, scattered
from lissom.pose_texture._layouts import LAYOUTS

MATRICES = 4e-6  # of the size, beside the size of the place: a float32 matrix undone by another
CLIPS = ("idle", "walk", "run")


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def bake(hero):
    return lissom.bake(hero, CLIPS, rate=15, dtype="float32")


def fading(bake, count):
    rng = np.random.default_rng(4)
    instances = scattered(bake, count, seed=4, spacing=0.1)
    instances["rotation"] = rng.normal(0, 1, (count, 4))
    instances["next_clip"] = rng.integers(-1, len(bake.clips), count)
    instances["next_time"] = rng.uniform(0, 2, count)
    instances["fade"] = rng.uniform(0, 1, count)
    return instances


@pytest.mark.parametrize("layout", list(LAYOUTS))
def test_what_is_attached_moves_with_vertices_bound_to_the_joint_alone(stage, hero, layout):
    bake = lissom.bake(hero, CLIPS, rate=15, dtype="float32", layout=layout)
    row = next(i for i, joint in enumerate(bake.skin.joints) if bake.joints[joint] == "Head")
    with Crowd(bake, 20, stage=stage, method="linear", instances=fading(bake, 20)) as crowd:
        alone = np.flatnonzero((crowd.influences.weights[:, 0] == 1) & (crowd.influences.rows[:, 0] == row))
        assert len(alone) > 20
        vertices = crowd.deformed()[:, alone]
        world_from_bind = crowd.attach("Head") @ bake.skin.joint_from_bind[row]
    bind = np.concatenate([bake.mesh.positions[alone], np.ones((len(alone), 1))], axis=1)
    expected = np.einsum("nij,vj->nvi", world_from_bind, bind)[..., :3]
    assert np.abs(vertices - expected).max() < MATRICES * (bake.size + np.abs(expected).max())


def test_at_a_frame_a_joint_is_where_the_skeleton_has_it(stage, hero, bake):
    clip = bake.clips["walk"]
    times = clip.start + np.arange(5) / clip.rate
    instances = plain_instances(5)
    instances["clip"], instances["time"] = CLIPS.index("walk"), times
    instances["position"] = np.random.default_rng(1).uniform(-1, 1, (5, 3))
    instances["rotation"], instances["scale"] = heading([0, 1, 2, 3, 4]), [1, 2, 0.5, 1, 1]
    joint = hero.skeleton.names.index("Hand.L")
    model = hero.skeleton.model_matrices(hero.clips["walk"].sample(times))[:, joint]
    with Crowd(bake, 5, stage=stage, instances=instances) as crowd:
        got = crowd.attach("Hand.L")
    origins = placed(instances, model[:, None, :3, 3])[:, 0]
    np.testing.assert_allclose(got[:, :3, 3], origins, atol=2e-6 * bake.size)
    for axis in range(3):
        tips = placed(instances, (model[:, :3, 3] + model[:, :3, axis])[:, None])[:, 0]
        np.testing.assert_allclose(got[:, :3, axis], tips - origins, atol=1e-5)
    np.testing.assert_array_equal(got[:, 3], [[0, 0, 0, 1]] * 5)


def test_sockets_are_baked_beside_the_skin_and_change_no_vertex(stage, hero):
    """A joint that is baked as a socket is read without undoing its bind matrix."""
    options = {"rate": 15, "dtype": "float32"}
    bake = lissom.bake(hero, CLIPS, **options)
    socketed = lissom.bake(hero, CLIPS, extra_joints=["Head", "Hand.R"], **options)
    assert socketed.palette_row_count == bake.palette_row_count + 2
    instances = fading(bake, 10)
    with (
        Crowd(bake, 10, stage=stage, instances=instances) as crowd,
        Crowd(socketed, 10, stage=stage, instances=instances) as other,
    ):
        np.testing.assert_array_equal(other.deformed(), crowd.deformed())
        still = instances["next_clip"] < 0
        for joint in ("Head", "Hand.R"):
            apart = other.attach(joint)[still] - crowd.attach(joint)[still]
            assert np.abs(apart[:, :3, 3]).max() < 2e-3 * bake.size  # between frames both are mixed


def test_some_instances_are_asked_by_any_index(stage, bake):
    with Crowd(bake, 6, stage=stage, instances=fading(bake, 6)) as crowd:
        whole = crowd.attach("Head")
        assert whole.shape == (6, 4, 4)
        assert whole.dtype == np.float64
        for which in ([4, 1], np.array([True, False] * 3), slice(1, 3), np.array([5])):
            np.testing.assert_array_equal(crowd.attach("Head", which), whole[which])
        np.testing.assert_array_equal(crowd.attach("Head", 2), whole[2:3])
        crowd.interpolate = False
        assert (crowd.attach("Head") != whole).any()


def test_what_cannot_be_attached_to_is_refused(stage, bake):
    with Crowd(bake, 2, stage=stage) as crowd:
        with pytest.raises(ValueError, match=r"^Crowd.attach: .*'Haed'"):
            crowd.attach("Haed")
        with pytest.raises(TypeError, match=r"^Crowd.attach: joint must be the name of a joint, got int$"):
            crowd.attach(1)
        with pytest.raises(IndexError):
            crowd.attach("Head", 2)
        crowd.instances["time"][1] = np.nan
        with pytest.raises(ValueError, match=r"^Crowd: instances: time must be finite, .* at instance 1$"):
            crowd.attach("Head", 0)


def with_motion(bake, motions):
    """The same bake, with root motion by the name of the clip."""
    clips = {
        name: dataclasses.replace(clip, root_motion=motions.get(name)) for name, clip in bake.clips.items()
    }
    report = dataclasses.replace(bake.report, clips=clips)
    return lissom.PoseTexture(bake.texels, clips, bake.joints, report, mesh=bake.mesh, skin=bake.skin)


def test_root_motion_takes_instances_where_their_clip_goes(stage, hero, bake):
    motion = hero.clips["walk"].root_motion
    moving = with_motion(bake, {"walk": motion})
    instances = plain_instances(4)
    instances["clip"] = [CLIPS.index(name) for name in ("walk", "walk", "walk", "idle")]
    instances["time"] = [0.3, 0.3, 0.9, 0]
    instances["speed"] = [1, 2, -0.5, 1]
    instances["scale"] = [1, 2, 0.5, 1]
    instances["rotation"] = heading([0, 1, 2, 3])
    instances["position"] = np.random.default_rng(1).uniform(-1, 1, (4, 3))
    with Crowd(moving, 4, stage=stage, instances=instances) as crowd:
        crowd.update(0.25)
        np.testing.assert_array_equal(crowd.instances["position"], instances["position"])
        crowd.instances = instances.copy()
        crowd.root_motion = True
        for _ in range(50):
            crowd.update(0.06)
        now = crowd.instances
    begin = instances["time"].astype(float)
    moves = motion.between(begin, begin + 3.0 * instances["speed"])
    expected = placed(instances, moves[:, None, :3])[:, 0]
    np.testing.assert_allclose(now["position"][:3], expected[:3], atol=2e-5)
    np.testing.assert_array_equal(now["position"][3], instances["position"][3])
    np.testing.assert_allclose(now["rotation"], instances["rotation"], atol=1e-6)
    assert np.linalg.norm(expected[0] - instances["position"][0]) > 3


def test_root_motion_turns_as_well(stage, bake):
    turns = trs.from_parts(translation=[0, 0, 1.0], rotation=[0, np.sin(0.4), 0, np.cos(0.4)])
    motion = lissom.RootMotion.from_moves([0.0, 1.1], [trs.identity(), turns], loop=True)
    moving = with_motion(bake, {"walk": motion})
    instances = plain_instances(1)
    instances["clip"] = CLIPS.index("walk")
    instances["time"] = bake.clips["walk"].start
    instances["rotation"] = heading([0.5])
    with Crowd(moving, 1, stage=stage, instances=instances) as crowd:
        crowd.root_motion = True
        for _ in range(40):
            crowd.update(bake.clips["walk"].duration / 20)
        now = crowd.instances[0]
    expected = trs.compose(trs.from_parts(rotation=heading(0.5)), trs.compose(motion.cycle, motion.cycle))
    np.testing.assert_allclose(now["position"], expected[:3], atol=1e-5)
    np.testing.assert_allclose(now["rotation"] * np.sign(now["rotation"][3]), expected[3:7], atol=1e-5)


def test_in_a_fade_both_clips_move_by_their_weight(stage, hero, bake):
    walk, run = (hero.clips[name].root_motion for name in ("walk", "run"))
    moving = with_motion(bake, {"walk": walk, "run": run})
    instances = plain_instances(1)
    instances["clip"] = CLIPS.index("walk")
    with Crowd(moving, 1, stage=stage, instances=instances) as crowd:
        crowd.root_motion = True
        crowd.fade_to("run", 0.5, at=0.2)
        crowd.update(0.1)
        expected = lissom.blend_root_motions([walk.between(0, 0.1), run.between(0.2, 0.3)], [0.8, 0.2])
        np.testing.assert_allclose(crowd.instances["position"][0], expected[:3], atol=1e-6)
