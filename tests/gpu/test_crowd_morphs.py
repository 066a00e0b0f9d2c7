# SPDX-License-Identifier: MIT
"""Faces of a crowd: the weights of clips and those that are set, the 8 that move most, where faces end."""

import numpy as np
import pytest

import lissom
import morph_faces
from gpu.crowds import placed
from gpu.faces import mesh_with, random_morphs, shaped, with_face
from lissom._crowd.faces import Faces, largest, target_reach
from lissom.gpu import Crowd, Impostors, plain_instances

POSITIONS = 2e-6  # of the size


@pytest.fixture(scope="module")
def talking():
    other = morph_faces.clip(
        morph_faces.skeleton(), morph_faces.mesh().morphs, [morph_faces.BLINK], name="blink"
    )
    return lissom.bake(morph_faces.character(more_clips=[other]), rate=30, dtype="float32")


@pytest.fixture(scope="module")
def wearing():
    """A bake of the humanoid with twelve targets, which its clip does not move."""
    hero = with_face(lissom.samples.humanoid(), [f"target {i}" for i in range(12)])
    return lissom.bake(hero, "walk", rate=10, dtype="float32")


def drawn(crowd):
    """Vertices of the instances at the origin, and what the core gives with the weights of their clips."""
    now = crowd.instances
    fades = np.where(now["next_clip"] < 0, 0, now["fade"])
    moment = {"next_coordinates": crowd.next_frames(), "fades": fades}
    bake = crowd._bake
    palette = bake.sample_frames(crowd.frames(), **moment)
    weights = bake.sample_morph_frames(crowd.frames(), **moment)
    return crowd.deformed(), lambda given=None: placed(
        now, lissom.deform(bake.mesh, palette, bake.method, morphs=weights if given is None else given)
    )


@pytest.mark.parametrize("direct", [False, True])
def test_instances_play_the_weights_of_their_clips(stage, talking, direct):
    instances = plain_instances(6)
    instances["time"] = [0.0, 0.1, 0.3, 0.52, 0.8, 1.0]
    instances["scale"] = 1.5
    instances["next_clip"][3:] = 1
    instances["next_time"][3:] = 0.45
    instances["fade"][3:] = 0.25
    with Crowd(talking, 6, stage=stage, instances=instances, direct=direct) as crowd:
        got, core = drawn(crowd)
    assert np.abs(got - core()).max() < 3 * POSITIONS * talking.size
    assert np.abs(got - core(talking.mesh.morphs.defaults)).max() > 0.01


def test_without_interpolation_weights_step_as_poses_do(stage, talking):
    instances = plain_instances(2)
    instances["time"] = [0.11, 0.18]
    with Crowd(talking, 2, stage=stage, instances=instances, interpolate=False) as crowd:
        assert (crowd.frames() % 1 == 0).all()
        got, core = drawn(crowd)
    assert np.abs(got - core()).max() < 2 * POSITIONS * talking.size


def test_weights_are_set_and_given_back(stage, talking):
    weights = np.array([[0.2, 0, -0.5, 0, 0, 1], [0, 0, 0, 0, 0, 0]])
    instances = plain_instances(4)
    instances["time"] = 0.4
    with Crowd(talking, 4, stage=stage, instances=instances) as crowd:
        got, core = drawn(crowd)
        clips = core()
        crowd.morphs([3, 1], weights)
        got, core = drawn(crowd)
        expected = clips.copy()
        expected[[3, 1]] = core(np.stack([weights[0]] * 4))[0], core(np.stack([weights[1]] * 4))[0]
        assert np.abs(got - expected).max() < 2 * POSITIONS * talking.size
        crowd.morphs(np.array([False, False, False, True]), None)
        expected[3] = clips[3]
        assert np.abs(crowd.deformed() - expected).max() < 2 * POSITIONS * talking.size
        crowd.instances = plain_instances(5)  # others: what was set for the old ones is forgotten
        crowd.instances["time"] = 0.4
        assert np.abs(crowd.deformed() - clips[:1]).max() < 2 * POSITIONS * talking.size


def test_normals_of_a_face_are_turned(stage, wearing):
    with Crowd(wearing, 1, stage=stage, instances=plain_instances(1), levels=()) as crowd:
        camera = stage.camera(crowd, azimuth=0.0)
        before = stage.render(crowd, camera=camera).array
    morphs = wearing.mesh.morphs
    face = morphs.vertices[morphs.rows(0)]
    turn = np.tile([0, 3, 0], (len(face), 1))
    rows = lissom.Morphs(["turn"], [0, len(face)], face, 0 * turn, turn)
    mesh = mesh_with(wearing.mesh, rows)
    hero = lissom.samples.humanoid()
    turned = lissom.Character("turned", hero.skeleton, mesh, hero.skin, hero.clips)
    bake = lissom.bake(turned, "walk", rate=10, dtype="float32")
    with Crowd(bake, 1, stage=stage, instances=plain_instances(1), levels=()) as crowd:
        np.testing.assert_array_equal(stage.render(crowd, camera=camera).array, before)
        crowd.morphs(0, [1.0])
        assert (np.abs(stage.render(crowd, camera=camera).array.astype(int) - before) > 20).any()


def test_eight_targets_are_drawn_and_the_others_stated(stage, wearing):
    morphs = wearing.mesh.morphs
    weights = np.linspace(0.5, 1, 12)
    least = np.argsort(weights * target_reach(morphs))[:4]
    kept = weights.copy()
    kept[least] = 0
    with Crowd(wearing, 2, stage=stage, instances=plain_instances(2)) as crowd:
        assert crowd.morph_error == 0
        before = crowd.max_error
        crowd.morphs(0, weights)
        got, core = drawn(crowd)
        assert np.abs(got[0] - core(np.stack([kept] * 2))[0]).max() < 2 * POSITIONS * wearing.size
        whole = core(np.stack([weights] * 2))[0]
        away = np.linalg.norm(got[0] - whole, axis=1).max()
        assert 0 < away <= crowd.morph_error < 10 * away
        np.testing.assert_allclose(crowd.max_error - before, crowd.morph_error, rtol=1e-9)
        crowd.morphs(0, kept)
        assert crowd.morph_error == 0


def test_faces_end_after_the_first_level(stage, wearing):
    pytest.importorskip("fast_simplification")
    near, far = lissom.gpu.levels_of_detail(wearing)
    weights = np.zeros(12)
    weights[4] = 1
    instances = plain_instances(1)
    for levels, moves, error in (
        ([(near, 1e6)], True, False),
        ([(near, 1e6), (far, 0.9e6)], False, True),
    ):
        with Crowd(wearing, 1, stage=stage, instances=instances, levels=levels) as crowd:
            camera = stage.camera(crowd)
            assert crowd.morph_error == 0
            crowd.morphs(None, -weights)  # in boxes of the same size, by which shadows are placed
            before = stage.render(crowd, camera=camera).array
            crowd.morphs(None, weights)
            assert (stage.render(crowd, camera=camera).array != before).any() == moves
            reach = np.linalg.norm(wearing.mesh.morphs.positions[wearing.mesh.morphs.rows(4)], axis=1).max()
            np.testing.assert_allclose(crowd.morph_error, reach if error else 0, rtol=1e-5)


def test_coarse_levels_and_impostors_have_the_default_weights(stage):
    hero = with_face(lissom.samples.humanoid(), defaults=[40, 0, 0])  # seen from afar
    bake = lissom.bake(hero, "walk", rate=10)
    plain = lissom.bake(lissom.samples.humanoid(), "walk", rate=10)
    pictures = []
    for own in (bake, plain):
        with Impostors(own, stage=stage, views=2, phases=2) as small:
            pictures.append(small._atlas.base[0])
            with Crowd(own, 1, stage=stage, impostors=(small, 10.0)) as crowd:
                assert crowd.morph_error == 0  # all have the defaults
                if own is bake:
                    crowd.morphs(0, [0, 0, 0])
                    assert crowd.morph_error > 0.1
    assert pictures[0].shape != pictures[1].shape or (pictures[0] != pictures[1]).any()
    other = lissom.gpu.levels_of_detail(bake, [0.5])[0]
    with Crowd(
        bake, 1, stage=stage, instances=plain_instances(1), levels=[(other, 2.0), (other, 1.0)]
    ) as crowd:
        first, last = crowd._meshes[1], crowd._meshes[2]
        assert first.morphs is not None
        assert last.morphs is None


def test_a_moved_face_moves_its_shadow(stage):
    hero = with_face(lissom.samples.humanoid())
    bake = lissom.bake(hero, "walk", rate=10)
    with Crowd(bake, 1, stage=stage, instances=plain_instances(1)) as crowd:
        camera = stage.camera(crowd, azimuth=180.0, elevation=40.0)
        before = stage.render(crowd, camera=camera).array.astype(int)
        crowd.morphs(0, [0, 0, 60])
        after = stage.render(crowd, camera=camera).array.astype(int)
    darker = (before - after).min(axis=2) > 8
    assert darker[45:].any()  # on the ground, below the middle


def test_boxes_hold_what_weights_move(stage, talking):
    instances = plain_instances(20)
    rng = np.random.default_rng(8)
    instances["time"] = rng.uniform(0, 1, 20)
    instances["scale"] = rng.uniform(0.5, 2, 20)
    instances["rotation"] = rng.normal(size=(20, 4))
    with Crowd(talking, 20, stage=stage, instances=instances) as crowd:
        before = crowd.points().reshape(20, 8, 3)
        weights = rng.normal(size=(15, len(talking.morph_names)))
        crowd.morphs(range(15), weights)
        corners = crowd.points().reshape(20, 8, 3)
        vertices = crowd.deformed()
        np.testing.assert_array_equal(corners[15:], before[15:])
        crowd.morphs(None, None)
        np.testing.assert_array_equal(crowd.points().reshape(20, 8, 3), before)
    for own, box, old in zip(vertices, corners, before, strict=True):
        assert (beyond(own, box) < 1e-5).all()
        assert np.ptp(box, axis=0).max() < 20 * np.ptp(old, axis=0).max()
    assert max(beyond(own, old).max() for own, old in zip(vertices, before, strict=True)) > 0.1


def beyond(points, corners):
    """How far points are outside a box, by its 8 corners as `Boxes.corners` orders them."""
    center = corners.mean(axis=0)
    half = (corners[[4, 2, 1]] - corners[0]) / 2
    lengths = np.linalg.norm(half, axis=1)
    return np.maximum(np.abs((points - center) @ (half / lengths[:, None]).T) - lengths, 0)


def test_a_face_that_leaves_its_box_is_drawn(stage):
    hero = with_face(lissom.samples.humanoid(), ["far"])
    mesh = hero.mesh
    farther = np.tile(np.float32([-4, 0, 0]), (len(mesh.morphs.vertices), 1))
    morphs = lissom.Morphs(["far"], mesh.morphs.offsets, mesh.morphs.vertices, farther)
    hero = lissom.Character("hero", hero.skeleton, mesh_with(mesh, morphs), hero.skin, hero.clips)
    bake = lissom.bake(hero, "walk", rate=10)
    with (
        Crowd(bake, 1, stage=stage, instances=plain_instances(1)) as middle,
        Crowd(bake, 1, stage=stage, instances=plain_instances(1)) as crowd,
    ):
        camera = stage.camera(middle, azimuth=0.0)
        crowd.instances["position"] = [4, 0, 0]  # beside the picture, whose face reaches into its middle
        empty = stage.render(crowd, camera=camera).array.astype(int)
        assert not crowd._drawn
        crowd.morphs(0, [1])
        seen = np.abs(stage.render(crowd, camera=camera).array - empty).max(axis=2) > 30
    assert crowd._drawn
    assert seen.sum() > 20


def test_the_eight_that_move_most_are_kept():
    rng = np.random.default_rng(3)
    weights = rng.normal(size=(50, 30)).astype(np.float32)
    weights[:, ::2] = 0
    weights[0] = 0
    reach = rng.uniform(0.1, 1, 30).astype(np.float32)
    reach[1] = 0
    for own, row in zip(largest(weights, reach), weights, strict=True):
        moved = np.abs(row) * reach
        best = [i for i in np.argsort(-moved, kind="stable") if moved[i] > 0][:8]
        expected = np.zeros_like(row)
        expected[best] = row[best]
        np.testing.assert_array_equal(own, expected)
    np.testing.assert_array_equal(largest(weights[:, :8], reach[:8])[:, 3:], weights[:, 3:8])


def test_what_is_left_out_between_frames_is_counted():
    """Eight targets at a frame and eight others at the next: sixteen between them, as the bound knows."""
    rng = np.random.default_rng(6)
    character = lissom.samples.twisted_bar()
    morphs = random_morphs(4, character.mesh.vertex_count, targets=20, share=0.5)
    faces = Faces(mesh_with(character.mesh, morphs), lissom.bake(character, "bend", rate=10), "test")
    first, second = np.zeros((2, 20), np.float32)
    first[3:11], second[11:19] = rng.uniform(0.5, 1, (2, 8))
    bound = faces._beyond(np.maximum(first, second)[None])
    assert faces._beyond(np.stack([first, second])) == 0
    zero = np.zeros_like(character.mesh.positions)
    for share in np.linspace(0, 1, 11):
        weights = ((1 - share) * first + share * second).astype(np.float32)
        rest = weights.copy()
        rest[np.argsort(-weights * target_reach(morphs))[:8]] = 0
        away = np.linalg.norm(shaped(morphs, rest, zero, zero)[0], axis=1).max()
        assert away <= bound


@pytest.mark.parametrize(
    ("which", "weights", "error", "message"),
    [
        (0, [1, 2], ValueError, r"weights must have shape \(..., 12\), a weight for each morph target"),
        ([0, 1], np.zeros((3, 12)), ValueError, r"must have shape \(12,\), or \(2, 12\) for these instances"),
        (
            0,
            [np.nan] + [0] * 11,
            ValueError,
            "weights must be finite in float32, got nan for 'face/target 0'",
        ),
        (7, np.zeros(12), IndexError, r"^Crowd.morphs: which must name instances in \[0, 3\), got 7$"),
    ],
)
def test_weights_that_do_not_fit_are_refused(stage, wearing, which, weights, error, message):
    with Crowd(wearing, 3, stage=stage) as crowd:
        before = crowd.deformed()
        with pytest.raises(error, match=message):
            crowd.morphs(which, weights)
        np.testing.assert_array_equal(crowd.deformed(), before)


def test_targets_of_others_are_refused(stage, wearing):
    bar = lissom.samples.twisted_bar()
    with Crowd(lissom.bake(bar, rate=10), 2, stage=stage) as crowd:
        assert crowd.morph_error == 0
        with pytest.raises(ValueError, match="weights must be omitted for a mesh without morph targets"):
            crowd.morphs(0, [1])
    other = with_face(lissom.samples.humanoid()).mesh
    with pytest.raises(ValueError, match="mesh must have the 12 morph targets of the bake, or none, got 3"):
        Crowd(wearing, 2, stage=stage, mesh=other)
    with pytest.raises(ValueError, match="levels: mesh 0 must have the 12 morph targets of the whole mesh"):
        Crowd(wearing, 2, stage=stage, levels=[(other, 20.0)])
