# SPDX-License-Identifier: MIT
"""Impostors look like the meshes they stand for, from any side, at any time, and mix with them by depth."""

import numpy as np
import pytest

import lissom
from gpu.test_stage import IDENTITY, wall
from lissom._crowd.bounds import Boxes, Visible, visible
from lissom.errors import GpuError
from lissom.gpu import Camera, Crowd, Impostors, SkinnedModel, Stage, plain_instances
from lissom.gpu._crowd_levels import groups
from lissom.gpu._impostor_atlas import phase_times

PIXELS = 28  # height of the character in the pictures compared
# Mean difference, of 255, where mesh and impostor cover both: a texel is 1/32 of the character.
COLOURS = 14


@pytest.fixture(scope="module")
def bake():
    """Two loops and a clip that ends."""
    return lissom.bake(lissom.samples.humanoid(), ["walk", "run", "wave"], rate=30)


@pytest.fixture(scope="module")
def impostors(bake):
    with Impostors(bake) as impostors:
        yield impostors


@pytest.fixture
def stage(context):
    with Stage(64, 64, samples=0, context=context) as stage:
        yield stage


def camera(azimuth=25.0, elevation=15.0, pixels=PIXELS):
    """Shows the humanoid `pixels` high in 64, from as far away as impostors are drawn."""
    half = 0.9 * 64 / pixels
    return Camera(
        (0.0, 0.9, 0.0),
        40.0,
        azimuth=azimuth,
        elevation=elevation,
        field_of_view=2 * np.degrees(np.arctan(half / 40.0)),
    )


def one(bake, **fields):
    instances = plain_instances(1)
    for name, value in fields.items():
        instances[name] = value
    return instances


def both(stage, bake, impostors, instances, view, **options):
    """Pictures of instances as meshes and as impostors."""
    pictures = []
    for far in (None, (impostors, 1e6)):
        with Crowd(bake, len(instances), instances=instances, stage=stage, impostors=far) as crowd:
            pictures.append(stage.render(crowd, camera=view, **options).array.astype(int))
    return pictures


def covered(stage, image):
    return np.abs(image - image[0, 0]).max(axis=2) > 12


@pytest.mark.parametrize("turn", [0.0, 1.0, 2.4, -1.9])
@pytest.mark.parametrize(("clip", "share"), [(0, 0.25), (1, 0.5), (2, 1.0)])
def test_an_impostor_looks_like_the_mesh(stage, bake, impostors, clip, share, turn):
    of = list(bake.clips.values())[clip]
    side = np.radians(25) - 2 * np.pi / 8 * round((np.radians(25) - turn) / (2 * np.pi / 8))
    rotation = [
        0,
        np.sin(side / 2),
        0,
        np.cos(side / 2),
    ]  # so that a side of the atlas is seen as it was drawn
    times = phase_times(bake, clip, impostors.phases)
    time = times[np.abs(times - of.start - share * of.duration).argmin()]
    instances = one(bake, clip=clip, time=time, rotation=rotation, position=(0, 0, 0))
    mesh, far = both(stage, bake, impostors, instances, camera(), ground=False, ground_height=0.0)
    a, b = covered(stage, mesh), covered(stage, far)
    assert (a & b).sum() > 0.8 * (a | b).sum()
    assert abs(int(a.sum()) - int(b.sum())) < 0.15 * a.sum()
    for axis in (0, 1):
        middles = [np.average(np.arange(64), weights=mask.sum(axis=axis)) for mask in (a, b)]
        assert abs(middles[0] - middles[1]) < 0.75  # pixels
    assert np.abs(mesh - far)[a & b].mean() < COLOURS


@pytest.mark.parametrize("pixels", [6, 12, 24])
def test_small_ones_keep_their_area_and_colour(stage, bake, impostors, pixels):
    """Over many places, so that no single pixel decides."""
    sums = np.zeros((2, 3))
    areas = np.zeros(2)
    view = camera(pixels=pixels)
    shifts = np.random.default_rng(5).uniform(0, 1.8 / pixels, (24, 2))
    for i, far in enumerate((None, (impostors, 1e6))):
        with Crowd(bake, 1, instances=one(bake), stage=stage, impostors=far) as crowd:
            for shift in shifts:
                crowd.instances["position"] = (*shift, 0)
                image = stage.render(crowd, camera=view, ground=False, ground_height=0.0).array.astype(int)
                mask = covered(stage, image)
                areas[i] += mask.sum()
                sums[i] += image[mask].sum(axis=0)
    assert areas[1] == pytest.approx(areas[0], rel=0.2)
    np.testing.assert_allclose(sums[1] / areas[1], sums[0] / areas[0], atol=14)


def test_light_follows_the_heading_not_the_picture(stage, bake, impostors):
    """Seen from one side of the atlas, whatever the heading: the side towards the lamp is the lighter one."""
    for turn in range(4):
        angle = np.pi / 2 * turn
        instances = one(bake, rotation=[0, np.sin(angle / 2), 0, np.cos(angle / 2)])
        view = camera(azimuth=np.degrees(angle))
        mesh, far = both(stage, bake, impostors, instances, view, ground=False, ground_height=0.0)
        a, b = covered(stage, mesh), covered(stage, far)
        assert np.abs(mesh - far)[a & b].mean() < COLOURS


def test_a_fade_shows_the_clip_of_the_larger_weight(stage, bake, impostors):
    walk, wave = one(bake, clip=0, time=0.3), one(bake, clip=2, time=0.6)
    fading = one(bake, clip=0, time=0.3, next_clip=2, next_time=0.6)
    pictures = {}
    for name, instances, fade in (
        ("walk", walk, 0),
        ("wave", wave, 0),
        (0.4, fading, 0.4),
        (0.6, fading, 0.6),
    ):
        instances["fade"] = fade
        pictures[name] = both(stage, bake, impostors, instances, camera(), ground=False, ground_height=0.0)[1]
    assert (pictures[0.4] == pictures["walk"]).all()
    assert (pictures[0.6] == pictures["wave"]).all()
    assert (pictures["walk"] != pictures["wave"]).any()


def test_loops_wrap_and_other_clips_hold_their_last_phase(bake, impostors):
    walk = bake.clips["walk"]
    phases = impostors._phase(np.zeros(4, int), walk.start + walk.duration * np.array([0, 0.5, 0.99, 1.25]))
    assert phases.tolist() == [0, 8, 0, 4]
    wave = bake.clips["wave"]
    phases = impostors._phase(np.full(4, 2), wave.start + wave.duration * np.array([-1, 0.5, 0.99, 3]))
    assert phases.tolist() == [0, 8, 15, 15]
    times = phase_times(bake, 2, 5)
    np.testing.assert_allclose(times[[0, -1]], [wave.start, wave.start + wave.duration])


def test_tint_multiplies_and_hidden_ones_are_not_drawn(stage, bake, impostors):
    white, red, hidden = (
        one(bake, tint=tint) for tint in ((255,) * 4, (255, 60, 60, 255), (255, 255, 255, 0))
    )
    plain = both(stage, bake, impostors, white, camera(), ground=False, ground_height=0.0)[1]
    tinted = both(stage, bake, impostors, red, camera(), ground=False, ground_height=0.0)[1]
    mask = covered(stage, plain)
    assert (plain - tinted)[mask][:, 1].mean() > 15
    assert abs((plain - tinted)[mask][:, 0].mean()) < 3
    assert not covered(
        stage, both(stage, bake, impostors, hidden, camera(), ground=False, ground_height=0.0)[1]
    ).any()


def test_impostors_and_meshes_hide_each_other_by_depth(stage, bake, impostors):
    view = camera(azimuth=0)
    images = {}
    for z in (-1.0, 1.0):
        standing = np.eye(4)
        standing[2, 3] = z
        with (
            SkinnedModel(wall(), stage=stage, world_from_model=standing) as model,
            Crowd(bake, 1, instances=one(bake), stage=stage, impostors=(impostors, 1e6)) as crowd,
        ):
            model.set_palette(IDENTITY)
            images[z] = stage.render(model, crowd, camera=view, ground=False, ground_height=0.0).array.astype(
                int
            )
            bare = stage.render(model, camera=view, ground=False, ground_height=0.0).array.astype(int)
        images[z] = (np.abs(images[z] - bare).max(axis=2) > 12).sum()
    assert images[1.0] == 0  # the wall stands before it
    assert images[-1.0] > 60


def test_it_casts_both_shadows_on_the_plane_and_on_terrain(stage, bake, impostors):
    view = camera(elevation=35)
    level = (
        np.array([[-4, 0, -4], [4, 0, -4], [4, 0, 4], [-4, 0, 4]], float),
        np.array([[0, 2, 1], [0, 3, 2]]),
    )
    for ground in (True, level):
        bare = stage.render(camera=view, ground=ground).array.astype(int)
        mesh, far = both(stage, bake, impostors, one(bake), view, ground=ground)
        # Feet and shadow lie below and to the right of the figure.
        shadows = [(bare - image)[34:52, 33:56].clip(0, 60).sum() for image in (mesh, far)]
        assert shadows[1] == pytest.approx(shadows[0], rel=0.35)
        assert shadows[0] > 1000


def test_feet_are_not_cut_off_by_the_ground(stage, bake, impostors):
    """Feet that reach towards the eye lie below the foot of the upright square."""
    walk = bake.clips["walk"]
    view = camera(azimuth=0, elevation=40, pixels=60)
    for share in (0.0, 0.5):
        instances = one(bake, time=walk.start + share * walk.duration)
        air, standing = (
            both(stage, bake, impostors, instances, view, ground=ground, ground_height=0.0)[1]
            for ground in (False, True)
        )
        assert (air == standing)[covered(stage, air)].all()


def test_the_round_shadow_of_contact_is_beside_that_of_the_key_light(stage, bake, impostors):
    shades = []
    for far in (None, (impostors, 1e6)):
        with Crowd(bake, 1, instances=one(bake), stage=stage, impostors=far) as crowd:
            stage.render(crowd, camera=camera(elevation=35))
            with stage.context:
                texture = stage._ground._shadows._targets[0][1]
                shades.append(np.frombuffer(texture.read(), np.uint8).reshape(-1, 2).astype(int))
    # The key light's, then that of contact. The square is turned to the eye and not to the light.
    for channel in (0, 1):
        assert shades[1][:, channel].sum() == pytest.approx(shades[0][:, channel].sum(), rel=0.5)


def test_edges_are_soft_where_pixels_have_samples(context, bake, impostors):
    """As many shades between figure and background as of the mesh, or nearly."""
    between = []
    for samples in (0, 4):
        with Stage(64, 64, samples=samples, context=context) as stage:
            image = both(stage, bake, impostors, one(bake), camera(), ground=False, ground_height=0.0)[1]
            apart = np.abs(image - image[0, 0]).max(axis=2)
            between.append(((apart > 12) & (apart < 60)).sum())
    assert between[1] > between[0] + 10


def test_groups_are_by_height_and_what_only_casts_is_drawn_coarsely():
    pixels = np.array([200, 50, 50, 20, 5, 300], np.float32)
    found = Visible(np.arange(6), pixels, np.ones(6, np.float32), np.array([1, 1, 0, 1, 1, 0], bool))
    result = {(g.level, g.in_picture): g.members.tolist() for g in groups(found, pixels, [60.0, 24.0], 14.0)}
    assert result == {(-1, True): [4], (0, True): [0], (1, True): [1], (2, True): [3], (2, False): [2, 5]}
    assert [g.level for g in groups(found, pixels, [], 0.0)] == [0, 0]


def test_what_casts_a_shadow_into_the_picture_is_seen_but_not_in_it():
    view = Camera((0.0, 0.0, 0.0), 6.0, azimuth=30, elevation=35)
    key = np.array([0.3, 1.0, 0.2])
    uniforms = {
        "clip_from_world": view.clip_from_world(1.0, 0.1, 100),
        "viewport": (64, 64),
        "to_key": key,
    }
    boxes = Boxes(np.array([[0, 0.5, 0], key * 5, key * 5 + [30, 0, 0]]), np.tile(0.2 * np.eye(3), (3, 1, 1)))
    assert visible(boxes, uniforms).which.tolist() == [0]
    found = visible(boxes, uniforms | {"shadow_floor": 0.0})
    assert sorted(found.which.tolist()) == [0, 1]
    assert dict(zip(found.which.tolist(), found.in_picture.tolist(), strict=True)) == {0: True, 1: False}


def test_a_caster_outside_the_picture_darkens_the_ground_in_it(stage, bake):
    view = Camera((0.0, 0.0, 0.0), 3.0, azimuth=0, elevation=50, field_of_view=20)
    right, _, back = view.axes
    key = -0.55 * right + 0.7 * np.array([back[0], 0, back[2]]) + [0, 1.0, 0]
    instances = one(bake, position=1.6 * key * [1, 0, 1])
    with Crowd(bake, 1, instances=instances, stage=stage) as crowd:
        image = stage.render(crowd, camera=view, ground_height=0.0).array.astype(int)
        assert [drawn.in_picture for drawn in crowd._drawn] == [False]
        bare = stage.render(camera=view, ground_height=0.0).array.astype(int)
    assert np.percentile(bare - image, 90) > 15


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"views": 0}, ValueError, "Impostors: views must be at least 1, got 0"),
        ({"phases": 0}, ValueError, "Impostors: phases must be at least 1, got 0"),
        ({"pixels": 30}, ValueError, "Impostors: pixels must be a multiple of 4, got 30"),
        ({"elevation": 70}, ValueError, "Impostors: elevation must be at most 60 degrees, got 70"),
        (
            {"method": "cor"},
            ValueError,
            "Impostors: method must be one of 'linear', 'dual_quat', which a bake in the layout 'dual_quat' "
            "drives, got 'cor'",
        ),
        ({"mesh": 3}, TypeError, "Impostors: mesh must be a Mesh, got int"),
    ],
)
def test_errors_say_what_was_expected(bake, options, error, message):
    with pytest.raises(error) as raised:
        Impostors(bake, **options)
    assert str(raised.value) == message


def test_a_bake_without_a_mesh_needs_one(bake):
    bare = lissom.bake(lissom.samples.humanoid(), ["walk"], rate=5, include_mesh=False)
    with pytest.raises(
        ValueError,
        match=r"^Impostors: mesh must be passed for a bake without one; pass the character's, or bake",
    ):
        Impostors(bare)


def test_a_crowd_takes_impostors_of_its_own_bake_and_context(stage, bake, impostors):
    other = lissom.bake(lissom.samples.humanoid(), ["idle"], rate=5)
    with pytest.raises(ValueError, match="impostors must be of a bake with the clips idle, got walk"):
        Crowd(other, 1, stage=stage, impostors=(impostors, 20))
    with pytest.raises(TypeError, match=r"impostors must be a pair \(Impostors, pixels\), got Impostors"):
        Crowd(bake, 1, stage=stage, impostors=impostors)
    with pytest.raises(ValueError, match="Crowd: impostors: pixels must be above zero and finite, got 0"):
        Crowd(bake, 1, stage=stage, impostors=(impostors, 0))
    gone = Impostors(other, phases=1, views=1, pixels=8)
    gone.release()
    gone.release()
    assert repr(gone).endswith("released)")
    with pytest.raises(GpuError, match=r"^Crowd: impostors were released; make new ones"):
        Crowd(other, 1, stage=stage, impostors=(gone, 20))
    with pytest.raises(GpuError, match="Impostors: these impostors were released; make new ones"):
        gone._uploaded(plain_instances(1), {})
