# SPDX-License-Identifier: MIT
"""Several characters in one picture and one film."""

import itertools

import numpy as np
import pytest

import lissom
from conftest import asset
from lissom.gpu import Camera, SkinnedModel, Stage, heading, plain_instances
from morphed_characters import faced

SIZE = (160, 90)
PLACES = lissom.trs.from_parts([[0, 0, 0], [1, 0, -0.5]], heading([0.4, -1]), [[1.0] * 3, [0.7] * 3]).astype(
    np.float64
)
CAMERA = Camera((0.4, 0.9, 0.0), 4.0, 20.0, 10.0)


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def child():
    return lissom.samples.humanoid("child")


def drawn(characters, poses, places, morphs=None, camera=CAMERA, methods=(None, None)):
    """The picture of models that are posed and placed one by one."""
    models = [SkinnedModel(each, method=method) for each, method in zip(characters, methods, strict=True)]
    for number, (model, pose, place) in enumerate(zip(models, poses, places, strict=True)):
        model.set_pose(pose, None if morphs is None else morphs[number])
        model.world_from_model = lissom.trs.to_matrix(place)
    with Stage(*SIZE) as stage:
        picture = stage.render(*models, camera=camera, ground=True)
    for model in models:
        model.release()
    return picture.array


def test_each_is_drawn_where_it_is_placed_in_its_own_pose(hero, child):
    poses = [hero.clips["wave"].sample(0.7), child.clips["run"].sample(0.2)]
    want = drawn([hero, child], poses, PLACES)
    options = {"placements": PLACES, "camera": CAMERA, "width": SIZE[0], "height": SIZE[1]}
    got = lissom.render([hero, child], clip=["wave", "run"], time=[0.7, 0.2], **options)
    np.testing.assert_array_equal(got.array, want)
    np.testing.assert_array_equal(lissom.render((hero, child), poses, **options).array, want)
    mixed = lissom.render(iter([hero, child]), [poses[0], None], clip=[None, "run"], time=0.2, **options)
    np.testing.assert_array_equal(mixed.array, want)
    turned = lissom.render([hero, child], clip="run", time=0.2, method=["dual_quat", "linear"], **options)
    poses = [each.clips["run"].sample(0.2) for each in (hero, child)]
    want = drawn([hero, child], poses, PLACES, methods=("dual_quat", "linear"))
    np.testing.assert_array_equal(turned.array, want)


def test_placements_are_instances_too(hero, child):
    instances = plain_instances(2)
    instances["position"], instances["rotation"] = PLACES[:, :3], PLACES[:, 3:7]
    instances["scale"] = PLACES[:, 7]
    poses = [hero.skeleton.rest, child.skeleton.rest]
    got = lissom.render([hero, child], placements=instances, camera=CAMERA, width=SIZE[0], height=SIZE[1])
    assert np.abs(got.array.astype(int) - drawn([hero, child], poses, PLACES)).mean() < 0.05


def test_weights_are_each_ones_own(hero):
    one, two = faced(hero), faced(hero, seed=5)
    weights = [np.zeros(6), np.full(6, 0.5)]
    want = drawn([one, two], [hero.skeleton.rest] * 2, PLACES, weights)
    got = lissom.render(
        [one, two], morphs=weights, placements=PLACES, camera=CAMERA, width=SIZE[0], height=SIZE[1]
    )
    np.testing.assert_array_equal(got.array, want)


def columns_of(picture):
    """First and last column of each thing that stands apart from the others, and its height in pixels."""
    apart = (np.abs(picture.array.astype(int) - picture.array[0, 0]).max(axis=-1) > 12).astype(int)
    filled = np.flatnonzero(np.diff(np.concatenate([[0], apart.any(axis=0).astype(int), [0]])))
    return [(a, b, int(apart[:, a:b].any(axis=1).sum())) for a, b in filled.reshape(-1, 2)]


def test_by_default_nobody_hides_a_neighbour(hero, child):
    options = {"ground": False, "elevation": 0.0, "width": 400, "height": 120}
    things = columns_of(
        lissom.render([child, hero, child], clip=["walk", "wave", "run"], time=0.7, **options)
    )
    assert len(things) == 3
    heights = [height for _, _, height in things]
    assert heights[1] > 1.3 * max(heights[0], heights[2])
    # Of a film they are apart in all its poses, and stay where they are.
    film = lissom.render([hero, child], clip=["wave", "walk"], rate=4, **options)
    for picture in film:
        assert len(columns_of(picture)) == 2


def test_characters_of_other_units_come_to_one_size():
    files = ("characters/kaykit/Knight.glb", "characters/khronos/Fox.glb", "characters/raylib/greenman.glb")
    others = [lissom.load(asset(file)) for file in files]
    far = Camera((0.0, 1.2, 0.0), 300.0, 0.0, 0.0, field_of_view=2.0)  # as good as parallel
    options = {"ground": False, "width": 1200, "height": 240}
    things = columns_of(lissom.render(others, equal_size=True, camera=far, **options))
    heights = [height for _, _, height in things]
    assert len(heights) == 3
    assert max(heights) - min(heights) <= 2  # pixels
    options |= {"elevation": 0.0}
    with pytest.warns(
        UserWarning, match=r"^render: 'Fox' is [\d.]+ high and 'greenman' [\d.]+, which is hardly "
    ):
        alone = columns_of(lissom.render(others, **options))
    assert len(alone) == 1  # the fox, in centimetres, is all that is seen


def test_films_last_as_long_as_the_longest_clip(hero, child):
    options = {
        "placements": PLACES,
        "camera": CAMERA,
        "width": SIZE[0],
        "height": SIZE[1],
        "ground_height": 0.0,
    }
    film = lissom.render([hero, child], clip=["wave", "walk"], rate=6, **options)
    wave, walk = hero.clips["wave"], child.clips["walk"]
    assert len(film) == round(wave.duration * 6) + 1  # the wave does not loop
    for number in (0, 7, len(film) - 1):
        times = [wave.start + number / 6, walk.start + number / 6]  # beyond its end the walk goes on
        still = lissom.render([hero, child], clip=[wave, walk], time=times, **options)
        np.testing.assert_array_equal(film[number].array, still.array)
    mixed = lissom.render([hero, child], clip=["wave", "walk"], time=[1.0, None], rate=6, **options)
    assert len(mixed) == round(walk.duration * 6)
    still = lissom.render(
        [hero, child], clip=["wave", "walk"], time=[1.0, walk.start + 2 / mixed.rate], **options
    )
    np.testing.assert_array_equal(mixed[2].array, still.array)


def test_turntables_show_all(hero, child):
    film = lissom.render([hero, child], turn=1, seconds=1, rate=4, width=80, height=60)
    assert len(film) == 4
    assert all((a.array != b.array).any() for a, b in itertools.pairwise(film))


def test_heat_has_one_scale_for_all(hero, child):
    heat = [np.full(hero.mesh.vertex_count, 1.0), np.full(child.mesh.vertex_count, 4.0)]
    options = {
        "placements": PLACES,
        "camera": CAMERA,
        "width": SIZE[0],
        "height": SIZE[1],
        "color_bar": False,
    }
    both = lissom.render([hero, child], heat=heat, **options)
    same = lissom.render([hero, child], heat=heat, heat_maximum=4.0, **options)
    np.testing.assert_array_equal(both.array, same.array)
    other = lissom.render([hero, child], heat=[heat[0], None], **options)
    assert (other.array != both.array).any()


def test_a_list_of_one_is_one(hero):
    got = lissom.render([hero], clip="walk", time=0.2, width=80, height=60, azimuth=35.0)
    assert got.array.shape == (60, 80, 3)


def test_weights_that_are_lost_are_told_where_the_call_is(hero):
    poses = np.tile(hero.skeleton.rest, (2, 1, 1))
    grin = lissom.Clip.from_poses(hero.skeleton, [0, 1], poses, morphs={"mouth/grin": [0, 1]}, name="grin")
    with pytest.warns(UserWarning, match="are left out") as caught:
        lissom.render([hero], clip=grin, time=0.5, width=32, height=32)
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match="are left out") as caught:
        lissom.render(hero, clip=grin, time=0.5, width=32, height=32)
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"clip": ["walk"]}, ValueError, "render: clip must be one for each of 2 characters, got 1"),
        (
            {"clip": ["walk", "wlak"]},
            ValueError,
            r"render: characters\[1\]: no clip is named 'wlak'; did you",
        ),
        (
            {"clip": "walk", "time": [0.1] * 3},
            ValueError,
            "render: time must be one for each of 2 characters",
        ),
        (
            {"pose": np.zeros((34, 10))},
            TypeError,
            "render: pose must be a list, one for each of 2 characters",
        ),
        ({"pose": [None, np.zeros((3, 10))]}, ValueError, r"render: characters\[1\]: pose must have shape"),
        ({"heat": np.zeros(3)}, TypeError, "render: heat must be a list, one for each of 2 characters"),
        ({"placements": [[0, 0, 0]]}, ValueError, "render: placements must be one for each of 2 characters"),
        ({"equal_size": -1.0}, ValueError, "render: equal_size must be above zero"),
        ({"seconds": 3.0}, ValueError, "render: seconds must come with turn, or with a clip and no time"),
        ({"clip": "walk", "rate": 0.0}, ValueError, "render: rate must be"),
        ({"method": ["linear", "best"]}, ValueError, "render: method must be"),
        ({"clip": "walk", "time": np.nan}, ValueError, "must be finite"),
    ],
)
def test_bad_input(hero, child, options, error, message):
    with pytest.raises(error, match=message):
        lissom.render([hero, child], **options)


def test_one_character_has_no_placements(hero):
    with pytest.raises(
        ValueError, match="render: placements must be omitted for one character; pass several"
    ):
        lissom.render(hero, placements=[[0, 0, 0]])
    with pytest.raises(
        ValueError, match="render: equal_size must be omitted for one character; pass several"
    ):
        lissom.render(hero, equal_size=True)
    with pytest.raises(TypeError, match="render: character must be a Character, got str"):
        lissom.render("hero.glb")
    with pytest.raises(ValueError, match="render: characters must be one or more, got none"):
        lissom.render([])


def test_a_clip_of_one_moment_stands_still_where_another_moves(hero, child):
    pose = child.clips["walk"].sample(0.3)
    still = lissom.Clip.from_poses(child.skeleton, [0.0], pose[None], name="still")
    options = {"width": 96, "height": 54, "camera": CAMERA, "placements": PLACES, "rate": 4}
    film = lissom.render([hero, child], clip=["walk", still], **options)
    same = lissom.render([hero, child], [None, pose], clip=["walk", None], **options)
    assert len(film) == len(same) > 2
    for one, other in zip(film, same, strict=True):
        np.testing.assert_array_equal(one.array, other.array)
