# SPDX-License-Identifier: MIT
"""`lissom-babylon` draws bakes where the float64 twin has them, in Babylon.js in Chromium."""

import gzip
import json
import re

import numpy as np
import pytest

import lissom
from browser.babylon_pages import PACKAGE, BabylonTab, needs_babylon
from browser.crowd_laws import (
    EXACT,
    check_every_frame,
    check_moment,
    check_page,
    check_stated_error,
    expected,
)
from browser.test_three import ARM, CASES, METHODS, bakes  # noqa: F401
from glazed import GREEN, RED
from lissom._base.stripped import tightened
from lissom._export.modules import modules_of, types_of

pytestmark = [pytest.mark.gl, pytest.mark.tree, needs_babylon]


@pytest.fixture(scope="module")
def babylon(browser, bakes):  # noqa: F811
    page = browser.new_page(viewport={"width": 500, "height": 400})
    tab = BabylonTab(page, dict(bakes[1]))
    yield tab
    page.close()


@pytest.fixture(autouse=True)
def quiet(babylon):
    babylon.errors.clear()
    yield
    assert babylon.errors == []


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "moment"), CASES, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CASES)])
def test_vertices_are_where_the_twin_has_them(babylon, bakes, name, moment, method):  # noqa: F811
    check_moment(babylon, bakes[0][name], name, moment, method)


@pytest.mark.parametrize("method", METHODS)
def test_every_frame_and_five_influences(babylon, bakes, method):  # noqa: F811
    check_every_frame(babylon, bakes[0]["many"], "many.safetensors", method)


@pytest.mark.parametrize("is_right_handed", [True, False])
def test_instances_are_placed_and_a_left_handed_scene_mirrors_x(babylon, bakes, is_right_handed):  # noqa: F811
    bake = bakes[0]["hero"]
    matrix = np.array([[0, 0, 2, 3], [0, 2, 0, -1], [-2, 0, 0, 0.5], [0, 0, 0, 1.0]])
    instances = [{"clip": "wave", "time": 1.3, "matrix": matrix.T.ravel().tolist()}]
    options = {"method": "linear", "isRightHanded": is_right_handed}
    got = babylon.floats("vertices", "hero.safetensors", instances, options).reshape(-1, 4)[:, :3]
    own = expected(bake, "linear", "wave", 1.3)
    assert own[own[:, 1].argmax(), 0] < -0.1  # the right hand is up
    wanted = own * [1 if is_right_handed else -1, 1, 1] @ matrix[:3, :3].T + matrix[:3, 3]
    assert np.abs(got - wanted).max() < 2 * EXACT * bake.size
    some = [0, 77, 5000]
    on_cpu = babylon.call("verticesOnCpu", "hero.safetensors", instances, 0, some, options)
    np.testing.assert_allclose(np.reshape(on_cpu, (-1, 3)), wanted[some], atol=2e-6 * bake.size)


@pytest.mark.parametrize("is_right_handed", [True, False])
def test_it_draws_what_babylon_draws_of_the_file(babylon, is_right_handed):
    """The same character of a GLB file, moved by its skeleton: the same pixels, but at edges."""
    babylon.files["hero.glb"] = lissom.save_glb(lissom.samples.humanoid())
    view = {"eye": [0.5, 1.4, 4], "target": [0, 0.9, 0], "isRightHanded": is_right_handed}
    for clip, time in (("walk", 0.3), ("wave", 1.3)):
        moment = [{"clip": clip, "time": time}]
        ours = babylon.pixels("drawn", "hero.safetensors", moment, view | {"method": "linear"})
        theirs = babylon.pixels("drawnSkinned", "hero.glb", clip, time, view)
        off = np.mean(np.abs(ours.astype(int) - theirs).max(axis=-1) > 8)
        print(f"{clip}: {off:.3%} of pixels over 8 levels")
        assert off < 0.002
        assert np.mean(np.abs(ours.astype(int) - ours[0, 0]).max(axis=-1) > 30) > 0.03  # somebody is there


def test_pictures_are_where_babylon_has_them(babylon, tmp_path, asset):
    """A character with a texture, beside the same one of a GLB file."""
    knight, view = lissom.load(asset("characters/kaykit/Knight.glb")), {"eye": [1, 2, 5], "target": [0, 1, 0]}
    path = lissom.bake(knight, "Running_A", dtype="float32").save(tmp_path / "knight.safetensors")
    babylon.files |= {"knight.safetensors": path.read_bytes(), "knight.glb": lissom.save_glb(knight)}
    moment = [{"clip": "Running_A", "time": 0.2}]
    ours = babylon.pixels("drawn", "knight.safetensors", moment, view | {"method": "linear"})
    theirs = babylon.pixels("drawnSkinned", "knight.glb", "Running_A", 0.2, view)
    assert np.mean(np.abs(ours.astype(int) - theirs).max(axis=-1) > 8) < 0.002


def test_the_shadow_moves(babylon):
    view = {"eye": [2, 4, 3.5], "target": [-0.5, 0.2, -0.5], "shadows": True}
    cast = {}
    for time in (0.0, 0.3):
        moment = [{"clip": "run", "time": time}]
        picture = babylon.pixels("drawn", "hero.safetensors", moment, view).astype(int)
        without = babylon.pixels("drawn", "hero.safetensors", moment, view | {"casts": False})
        cast[time] = np.abs(picture - without).max(axis=-1) > 8
        assert cast[time].mean() > 0.005  # there is one
    assert np.mean(cast[0.0] ^ cast[0.3]) > 0.003  # and it is elsewhere


def test_unlit_parts_have_their_colours_and_masks_leave_out(babylon):
    view = {"eye": [3, 2, 6], "target": [0, 1.5, 0], "method": "linear"}
    whole = babylon.pixels("drawn", "unlit.safetensors", [{"color": [1, 1, 1]}], view)[..., :3].astype(int)
    for color in (GREEN, RED):
        encoded = np.array([1.055 * c ** (1 / 2.4) - 0.055 if c > 0.0031308 else 12.92 * c for c in color])
        assert (np.abs(whole - 255 * encoded).max(axis=-1) < 6).mean() > 0.01  # Babylon's gamma is 2.2
    masked = babylon.pixels("drawn", "masked.safetensors", [{}], view)[..., :3].astype(int)
    ground = np.abs(masked - masked[0, 0]).max(axis=-1) < 40
    was = np.abs(whole - whole[0, 0]).max(axis=-1) < 40
    assert (ground & ~was).mean() > 0.003  # seen through what was left out
    tinted = babylon.pixels("drawn", "unlit.safetensors", [{"color": [0, 0, 1]}], view)[..., :3].astype(int)
    assert (tinted[..., :2].max(axis=-1) < 3).mean() > 0.01  # nothing but blue is left of some


def test_a_joint_is_where_python_has_it(babylon, bakes):  # noqa: F811
    bake = bakes[0]["hero"]
    for is_right_handed in (True, False):
        got = babylon.call("jointOf", "hero.safetensors", ARM, "Hand.R", is_right_handed)
        wanted = bake.joint_matrices(bake.frame_coordinate("wave", 1.3), "Hand.R").astype(float)
        if not is_right_handed:
            wanted = np.diag([-1, 1, 1, 1]) @ wanted @ np.diag([-1, 1, 1, 1])
        np.testing.assert_allclose(np.reshape(got, (4, 4)).T, wanted, atol=1e-5)


def test_boxes_are_those_of_the_clips_and_of_the_whole_crowd(babylon, bakes):  # noqa: F811
    clips = bakes[0]["hero"].clips
    own, fading, whole = babylon.call("boxesOf", "hero.safetensors")
    np.testing.assert_allclose(own, clips["wave"].bounds, rtol=1e-6)
    np.testing.assert_allclose(
        fading[0], np.minimum(clips["wave"].bounds[0], clips["run"].bounds[0]), rtol=1e-6
    )
    low = np.min([clip.bounds[0] for clip in clips.values()], axis=0)
    high = np.max([clip.bounds[1] for clip in clips.values()], axis=0)
    high += np.array([7, 0, 0])  # where the second is
    np.testing.assert_allclose(whole, [low, high], rtol=1e-5)


def test_time_passes_and_fades_end(babylon):
    got = babylon.call("passing", "hero.safetensors")
    assert got == [["walk", pytest.approx(0.5)], pytest.approx(0.5), ["run", pytest.approx(0.5)], 0, 1]


# What is done, `bake` being the humanoid's and `crowd` one of it, and what is said.
REFUSALS = [
    ("return lissom.loadBake(new ArrayBuffer(4))", "fewer than 8 bytes"),
    ("return lissom.loadBake('/matrix.safetensors')", 'bake with layout="dual_quat"'),
    ("return lissom.loadBake('/bare.safetensors')", "bake with include_mesh=True"),
    ("return lissom.loadBake('/none.safetensors')", "cannot be fetched: 404"),
    ("new lissom.BakedCrowd({}, 1, scene)", "bake must be what loadBake returns"),
    ("new lissom.BakedCrowd(bake, 0, scene)", "count must be a whole number"),
    ("new lissom.BakedCrowd(bake, 1)", "scene must be a Scene that WebGL 2 draws, got undefined"),
    ("new lissom.BakedCrowd(bake, 1e9, scene)", "count must be at most"),
    ("new lissom.BakedCrowd(bake, 1, scene, { method: 'cor' })", "got cor"),
    ("crowd.setClipAt(0, 'fly')", "one of walk, run, wave, got fly"),
    ("crowd.setClipAt(1, 'walk')", "index must be a whole number below 1"),
    ("crowd.setMatrixAt(1, BABYLON.Matrix.Identity())", "index must be a whole number below 1"),
    ("crowd.setTimeAt(0, NaN)", "time must be a finite number, got NaN"),
    ("crowd.fadeTo(0, 'run', -1)", "duration must be at least 0"),
    ("crowd.setFadeAt(0, 0.5)", "instance in a fade; call fadeTo first"),
    ("crowd.update(NaN)", "seconds must be a finite number"),
    ("crowd.count = 2", "count must be a whole number below 2"),
    ("crowd.getJointAt(0, 'Tail')", "joint must be one of "),
    ("crowd.getVertexAt(0, 1e9)", "vertex must be a whole number below"),
    (
        "new lissom.BakedCrowd(bake, 1, scene, { material: () => crowd.dressed[0], gpu: false })",
        "material must be that of this crowd alone; clone it",
    ),
]


def test_wrong_input_is_told_in_a_sentence(babylon):
    for text, wanted in REFUSALS:
        said = babylon.call("said", text)
        assert said is not None, text
        assert wanted in said, said
        assert "\n" not in said
    babylon.errors[:] = [error for error in babylon.errors if "404" not in error]


def test_the_module_is_small():
    """At most 12 kB as pages of ours send it: without comments and indentation, compressed by the server."""
    sources = [tightened(text) for text in modules_of("babylon").values()]
    size = len(gzip.compress("\n".join(sources).encode(), 9))
    print(f"{size} bytes")
    assert size <= 12_000


def test_the_package_names_what_it_holds():
    package = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    for name in (package["main"], package["types"], "page.html", "README.md", "LICENSE"):
        assert (PACKAGE / name).is_file()
    modules = modules_of("babylon")
    imports = {name for text in modules.values() for name in re.findall(r'from "([^"]+)"', text)}
    assert {name for name in imports if not name.startswith("./")} == set(package["peerDependencies"])
    shared = {*modules, *types_of("babylon")} - {path.name for path in PACKAGE.iterdir()}
    assert shared == {name.split("/")[-1] for name in package["scripts"]["prepack"].split() if "/" in name}
    taken = set(
        re.findall(
            r"\w+", "".join(re.findall(r"import \{([^}]*)\} from \"@babylonjs", "".join(modules.values())))
        )
    )
    given = re.findall(r"\w+", re.search(r"export const \{([^}]*)\}", modules["global.js"])[1])
    assert sorted(taken) == given


def test_the_page_of_an_export_draws_a_crowd(browser, tmp_path):
    check_page(browser, BabylonTab, "babylon", tmp_path / "hero", "hero.safetensors", player="lissom")


def test_vertices_of_an_export_are_as_wrong_as_it_says(babylon, tmp_path):
    check_stated_error(babylon, "babylon", tmp_path / "hero", player="lissom")
