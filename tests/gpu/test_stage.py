# SPDX-License-Identifier: MIT
"""The stage: what is drawn lands where and as it should."""

import dataclasses
import gc
import io
import itertools
import os
import sys
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import lissom
from gpu.gl_objects import live_objects
from lissom._rig.mesh import Mesh
from lissom._rig.part import Part, Texture
from lissom.errors import GpuError
from lissom.gpu import Camera, Crowd, SkinnedModel, Stage
from lissom.gpu import _context as contexts

IDENTITY = type(
    "Palette",
    (),
    {
        "matrices": np.eye(4, dtype=np.float32)[None],
        "dual_quats": np.array([[0, 0, 0, 1, 0, 0, 0, 0]], np.float32),
        "scales": None,
    },
)()
FRONT = Camera((0.0, 1.0, 0.0), 8.0, azimuth=0, elevation=0)


def wall(color=(0.2, 0.2, 0.2, 1.0), texture=None, flipped=False):
    """A square two units wide standing on the ground, facing +z."""
    positions = np.array([[-1, 0, 0], [1, 0, 0], [1, 2, 0], [-1, 2, 0]], np.float32)
    triangles = np.array([[0, 1, 2], [0, 2, 3]])
    part = Part("wall", slice(0, 4), slice(0, 2), base_color=color, texture=texture)
    return Mesh(
        positions,
        triangles[:, ::-1] if flipped else triangles,
        normals=np.tile([0.0, 0, -1 if flipped else 1], (4, 1)),
        uvs=[[0, 1], [1, 1], [1, 0], [0, 0]],
        parts=[part],
    )


def picture_of(mesh, stage, camera=FRONT, **options):
    with SkinnedModel(mesh, stage=stage) as model:
        model.set_palette(IDENTITY)
        return stage.render(model, camera=camera, **options).array


@pytest.fixture
def stage(context):
    with Stage(128, 128, context=context) as stage:
        yield stage


def center(image):
    return image[64, 64].astype(int)


def test_an_empty_stage_is_background_and_ground(stage):
    image = stage.render(ground=False).array
    assert image.shape == (128, 128, 3)
    assert image.dtype == np.uint8
    np.testing.assert_array_equal(image, np.broadcast_to(image[0, 0], image.shape))
    np.testing.assert_allclose(image[0, 0], [231, 234, 239], atol=1)  # (0.80, 0.83, 0.87) in sRGB
    assert (stage.render().array != image).any()  # the grid


def test_the_wall_is_where_the_camera_says(stage):
    image = picture_of(wall(), stage, ground=False)
    covered = (image != image[0, 0]).any(axis=2)
    rows, columns = np.nonzero(covered)
    # Half a unit high over the distance 8 and tan 15 degrees is 1 / (8 tan 15) of half the picture.
    half = 64 / (8 * np.tan(np.radians(15)))
    np.testing.assert_allclose(
        [rows.min(), rows.max() + 1, columns.min(), columns.max() + 1],
        [64 - half, 64 + half, 64 - half, 64 + half],
        atol=1,
    )


def test_the_camera_found_by_itself_sees_all(stage):
    image = picture_of(wall(), stage, camera=None, ground=False)
    covered = (image != image[0, 0]).any(axis=2)
    rows, columns = np.nonzero(covered)
    assert rows.min() > 2
    assert rows.max() < 125
    assert columns.min() > 2
    assert columns.max() < 125
    assert covered.mean() > 0.2


def test_both_sides_of_a_face_and_either_winding_are_lit_alike(stage):
    front = center(picture_of(wall(), stage, ground=False))
    back = center(picture_of(wall(), stage, dataclasses.replace(FRONT, azimuth=180), ground=False))
    inside_out = center(picture_of(wall(flipped=True), stage, ground=False))
    np.testing.assert_allclose(back, front, atol=1)
    np.testing.assert_allclose(inside_out, front, atol=1)


def test_base_colours_are_linear_and_drawn_in_order(stage):
    red = center(picture_of(wall((0.4, 0.02, 0.02, 1)), stage, ground=False))
    dark, light = (center(picture_of(wall((v, v, v, 1)), stage, ground=False)) for v in (0.05, 0.3))
    assert red[0] > 2 * red[1]
    assert (light > dark).all()


def test_vertex_colours_multiply_in_linear_light(stage):
    def colored(mesh, colors):
        given = {name: getattr(mesh, name) for name in ("normals", "uvs", "parts")}
        return Mesh(mesh.positions, mesh.triangles, colors=colors, **given)

    one = colored(wall((0.8, 0.5, 0.4, 1.0)), [[0.5, 0.2, 1.0, 0.3]] * 4)
    np.testing.assert_array_equal(
        picture_of(one, stage, ground=False), picture_of(wall((0.4, 0.1, 0.4, 1.0)), stage, ground=False)
    )
    # From left to right, in linear light: at each place the colour of a wall that has the mean there.
    left, right = np.array([0.02, 0.3, 0.1, 1.0]), np.array([0.6, 0.0, 0.1, 1.0])
    image = picture_of(colored(wall((1, 1, 1, 1)), [left, right, right, left]), stage, ground=False)
    half = 64 / (8 * np.tan(np.radians(15)))
    for column in (44, 56, 64, 80):
        share = (column + 0.5 - 64 + half) / (2 * half)
        plain = wall(tuple((1 - share) * left + share * right))
        np.testing.assert_allclose(
            image[64, column].astype(int),
            picture_of(plain, stage, ground=False)[64, column],
            atol=1,
        )


def test_a_texture_is_the_right_way_up_and_alpha_is_ignored(stage):
    images = pytest.importorskip("PIL.Image")
    pixels = np.zeros((16, 16, 4), np.uint8)
    pixels[:8, :8, 0] = 255  # red above left, green above right, blue below
    pixels[:8, 8:, 1] = 255
    pixels[8:, :, 2] = 255
    file = io.BytesIO()
    images.fromarray(pixels).save(file, "PNG")
    textured = wall((1, 1, 1, 1), Texture(file.getvalue(), "image/png", "checks"))
    image = picture_of(textured, stage, ground=False)
    for (row, column), channel in (((52, 52), 0), ((52, 76), 1), ((76, 52), 2), ((76, 76), 2)):
        assert image[row, column].argmax() == channel


def test_a_broken_texture_leaves_the_base_colour(stage, caplog):
    broken = wall((0.4, 0.02, 0.02, 1), Texture(b"no picture", "image/png", "broken"))
    image = picture_of(broken, stage, ground=False)
    np.testing.assert_array_equal(image, picture_of(wall((0.4, 0.02, 0.02, 1)), stage, ground=False))
    assert "'broken' cannot be decoded" in caplog.text


def test_heat_goes_from_violet_to_yellow_and_away_again(stage):
    with SkinnedModel(wall(), stage=stage) as model:
        model.set_palette(IDENTITY)
        plain = stage.render(model, camera=FRONT, ground=False).array
        model.set_heat([0, 0, 5, 5])
        hot = stage.render(model, camera=FRONT, ground=False).array
        model.set_heat([0, 0, 5, 5], maximum=500)
        cold = stage.render(model, camera=FRONT, ground=False).array
        model.set_heat(None)
        np.testing.assert_array_equal(stage.render(model, camera=FRONT, ground=False).array, plain)
    bottom, top = hot[88, 64].astype(int), hot[40, 64].astype(int)
    assert bottom[2] > bottom[1]  # violet
    assert top[0] > 2 * top[2]  # yellow
    assert top[1] > 2 * top[2]
    np.testing.assert_allclose(cold[40, 64], cold[88, 64], atol=12)


def test_the_ground_is_dark_under_what_is_near_it_and_only_there(stage):
    lying = np.eye(4)  # the wall laid down: 2 by 2, its near edge at z = 1, a little above the ground
    lying[:3, :3] = [[1, 0, 0], [0, 0, 1], [0, -1, 0]]
    lying[:3, 3] = [0, 0.05, 1]
    camera = Camera((0.0, 0.0, 0.0), 10.0, azimuth=0, elevation=30)
    images = {}
    with SkinnedModel(wall(), stage=stage, world_from_model=lying) as model:
        model.set_palette(IDENTITY)
        for height in (0.0, -1.5):
            images[height] = stage.render(model, camera=camera, ground_height=height).array.astype(int)
        bare = stage.render(model, camera=camera, ground=False).array.astype(int)

    def darkness(height, point):
        x, y, _, w = camera.clip_from_world(1.0, 0.1, 100) @ [*point, 1]
        at = int(64 - 64 * y / w), int(64 + 64 * x / w)  # the pixel that shows the point
        assert (bare[at] == bare[0, 0]).all()
        return int((bare[0, 0] - images[height][at]).sum())

    assert darkness(0.0, (0.3, 0.0, 1.04)) > 30
    assert darkness(-1.5, (0.3, -1.5, 0.3)) < darkness(0.0, (0.3, 0.0, 1.04)) / 3
    assert darkness(0.0, (-1.3, 0.0, 1.9)) < 12  # beside it only the grid
    assert (bare[0, 0] - images[0.0][2, 64]).sum() < 6  # far away nothing but background


def test_from_below_the_ground_hides_nothing(stage):
    camera = dataclasses.replace(FRONT, elevation=-30)
    np.testing.assert_array_equal(
        picture_of(wall(), stage, camera), picture_of(wall(), stage, camera, ground=False)
    )


@pytest.mark.parametrize("scale", [0.01, 300.0])
def test_pictures_do_not_depend_on_the_unit(stage, scale):
    mesh = wall()
    other = Mesh(mesh.positions * scale, mesh.triangles, normals=mesh.normals, uvs=mesh.uvs, parts=mesh.parts)
    small, large = (picture_of(m, stage, camera=None).astype(int) for m in (mesh, other))
    away = np.abs(small - large).max(axis=2)
    assert (away > 8).mean() < 0.03  # the grid's step is a round number of units, all else is the same


def test_vertices_without_a_normal_are_lit_as_their_faces_are(stage):
    mesh = wall()
    none = Mesh(
        mesh.positions, mesh.triangles, normals=np.zeros_like(mesh.positions), uvs=mesh.uvs, parts=mesh.parts
    )
    away = picture_of(none, stage).astype(int) - picture_of(mesh, stage)
    assert np.abs(away).max() <= 2  # the wall is flat: its faces' normals are its own


def test_edges_are_smooth_with_samples_and_hard_without(context):
    tilted = dataclasses.replace(FRONT, azimuth=30, elevation=20)
    colors = {}
    for samples in (0, 4):
        with Stage(64, 64, samples, context=context) as stage:
            image = picture_of(wall(), stage, tilted, ground=False)
            colors[samples] = len(np.unique(image.reshape(-1, 3), axis=0))
    assert colors[4] > colors[0] + 5


def test_rendering_twice_gives_the_same_bytes(stage):
    np.testing.assert_array_equal(picture_of(wall(), stage), picture_of(wall(), stage))


def test_two_stages_do_not_mix(context):
    with Stage(64, 64, context=context) as first, Stage(32, 48, context=context) as second:
        one = picture_of(wall(), first)
        two = picture_of(wall(), second)
        assert two.shape == (48, 32, 3)
        np.testing.assert_array_equal(picture_of(wall(), first), one)


def test_misuse_is_refused_in_a_sentence(context):
    with context as gl:
        limit, samples = gl.info["GL_MAX_TEXTURE_SIZE"], gl.max_samples
    for size in ((0, 10), (10, -1), (10.5, 10)):
        with pytest.raises(ValueError, match="width and height must be whole numbers, at least 1, got"):
            Stage(*size)
    with pytest.raises(GpuError, match="the picture needs a texture of"):
        Stage(limit + 1, 10)
    for wrong in (samples * 2, 3, -1):
        with pytest.raises(ValueError, match=f"samples must be one of 0, 2, .*{samples} on this driver"):
            Stage(10, 10, wrong)
    stage = Stage(8, 8, context=context)
    stage.release()
    stage.release()
    with pytest.raises(GpuError, match="this stage was released"):
        stage.render()


def test_what_needs_no_stage_is_drawn_by_any_stage_of_the_process(context):
    bake = lissom.bake(lissom.samples.twisted_bar(), rate=10)
    with Crowd(bake, 3) as crowd, SkinnedModel(wall()) as model, Stage(64, 64) as stage:
        assert crowd.context is model.context is stage.context is context
        model.set_palette(IDENTITY)
        empty = stage.render(ground=False).array
        assert (stage.render(crowd, ground=False).array != empty).any()
        assert (stage.render(model, ground=False).array != empty).any()
    with Stage(64, 64) as stage, Crowd(bake, 3, stage=stage) as crowd:
        assert (stage.render(crowd, ground=False).array != empty).any()


def test_a_picture_comes_out_whose_pixels_are_not_copied(stage, tmp_path):
    picture = stage.render()
    assert isinstance(picture, lissom.Picture)
    assert np.shares_memory(np.asarray(picture), picture.array)
    images = pytest.importorskip("PIL.Image")
    with images.open(picture.save(tmp_path / "frame_000.png")) as image:
        np.testing.assert_array_equal(np.asarray(image), picture.array)


def test_a_character_is_drawn_in_its_rest_pose(stage):
    character = lissom.samples.twisted_bar()
    with SkinnedModel(character) as model:
        np.testing.assert_array_equal(stage.render(character).array, stage.render(model).array)
        assert stage.camera(character) == stage.camera(model)


def test_things_that_cannot_be_drawn_are_refused_in_a_sentence(stage):
    bake = lissom.bake(lissom.samples.twisted_bar(), rate=10)
    expected = "Stage.render: things must be SkinnedModel, Crowd, LiveCrowd or Character, got "
    for thing, rest in (
        (bake, r"PoseTexture; wrap it: Crowd\(bake, count\)$"),
        (wall(), r"Mesh; wrap it: SkinnedModel\(mesh\), then set_palette$"),
        ([], r"list; pass them one by one: \*things$"),
        ("hero.glb", "str$"),
        (None, "NoneType$"),
    ):
        with pytest.raises(TypeError, match=expected + rest):
            stage.render(thing)
        with pytest.raises(TypeError, match=f"Stage.camera: things must be .*{rest}"):
            stage.camera(thing)
    with pytest.raises(TypeError, match=r"Stage\.render: camera must be a Camera, got tuple"):
        stage.render(camera=(0, 0, 0))


def test_things_of_another_context_are_refused(stage):
    bake = lissom.bake(lissom.samples.twisted_bar(), rate=10)
    own = contexts.new_context()
    with Stage(8, 8, context=own) as other:
        crowd, model = Crowd(bake, 2, stage=other), SkinnedModel(wall(), stage=other)
        model.set_palette(IDENTITY)
        other.render(crowd, model)
        for thing in (crowd, model):
            with pytest.raises(
                ValueError, match=f"things must be made in this stage's context, got a {type(thing).__name__}"
            ):
                stage.render(thing)
    with pytest.raises(GpuError, match="Crowd: stage was released; make a new one, or leave it out"):
        Crowd(bake, 2, stage=other)
    own.release()
    for thing in (crowd, model):
        match = (
            f"Stage.render: things: the OpenGL context of this {type(thing).__name__} was released; make a"
        )
        with pytest.raises(GpuError, match=match):
            stage.render(thing)
        with pytest.raises(GpuError, match="context was released; make a new stage and new models for it"):
            thing.deformed()
        thing.release()


def test_a_stage_says_what_it_is_and_refuses_what_is_no_size(context):
    with context as gl:
        renderer = gl.info["GL_RENDERER"]
    with Stage(64, 48, samples=0) as stage:
        assert repr(stage) == f"Stage(64 x 48, 0 samples, {renderer})"
    assert repr(stage) == "Stage(64 x 48, 0 samples, released)"
    for arguments, name in ((("64", 48), "width"), ((64, None), "height"), ((64, 48, "4"), "samples")):
        with pytest.raises(TypeError, match=f"^Stage: {name} must be a whole number, got "):
            Stage(*arguments)
    for wrong in (np.nan, np.inf):
        with pytest.raises(ValueError, match="width and height must be whole numbers, at least 1, got"):
            Stage(wrong, 48)
    with pytest.raises(TypeError, match=r"^Stage: context must be a moderngl.Context, got str$"):
        Stage(64, 48, context="egl")


def draw_one_of_each():
    """Make, draw and release a stage, a model and a crowd, on a plane and on a mesh."""
    bar = lissom.samples.twisted_bar()
    bake = lissom.bake(bar, rate=5)
    ground = [[-1, 0, -1], [1, 0.5, -1], [0, 0, 1]], [[0, 2, 1]]

    def draw():
        with Stage(64, 48) as stage, SkinnedModel(bar) as model, Crowd(bake, 5) as crowd:
            stage.render(model, crowd)
            stage.render(model, crowd, ground=ground)

    return draw


def test_what_is_released_leaves_no_object_of_opengl_behind(context):
    draw = draw_one_of_each()
    draw()  # compiles what is kept for the process
    before = live_objects(context)
    with Stage(64, 48) as stage, SkinnedModel(wall()):
        stage.render()
        held = live_objects(context)
    assert all(held[kind] > before[kind] for kind in ("Buffer", "Texture", "Framebuffer", "Renderbuffer"))
    assert before["Program"] > 0
    draw()
    assert live_objects(context) == before


def test_what_is_released_leaves_no_array_behind():
    draw = draw_one_of_each()
    draw()
    held = []
    tracemalloc.start()
    try:
        for _ in range(5):
            draw()
            gc.collect()
            held.append(tracemalloc.get_traced_memory()[0])
    finally:
        tracemalloc.stop()
    # Tables of the interpreter grow now and then, what leaks each time. moderngl 5.12 itself leaves 3 kB of
    # names of attributes behind.
    assert min(later - sooner for sooner, later in itertools.pairwise(held)) < 1 << 13


@pytest.mark.soak
@pytest.mark.skipif(sys.platform != "linux", reason="reads what Linux says of a process's memory")
def test_what_is_made_and_released_leaves_no_memory_behind():
    draw = draw_one_of_each()

    def cycles(count):
        for _ in range(count):
            draw()
        gc.collect()
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    # A leak shows in every block; what is compiled once, and what allocators take and keep, in some.
    held = [cycles(20), *(cycles(30) for _ in range(5))]
    assert min(later - sooner for sooner, later in itertools.pairwise(held)) < 1 << 19
