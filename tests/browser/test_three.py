# SPDX-License-Identifier: MIT
"""`lissom-three` draws bakes where the float64 twin has them, in three.js in Chromium."""

import gzip
import json
import re

import numpy as np
import pytest

import bake_rigs
import lissom
from browser.crowd_laws import (
    EXACT,
    check_every_frame,
    check_moment,
    check_page,
    check_stated_error,
    expected,
)
from browser.three_pages import PACKAGE, ThreeTab, needs_three
from glazed import GREEN, RED, glazed
from lissom._base.stripped import tightened
from lissom._crowd.clock import ClipClock
from lissom.gpu import INSTANCE_DTYPE
from one_armed import DISTANCE, HEIGHT, check_pictures, one_armed

pytestmark = [pytest.mark.gl, pytest.mark.tree, needs_three]

METHODS = ("linear", "dual_quat")
EYE, TARGET = [0.5, 1.6, 6], [0.5, 0.9, 0]
ARM = {"clip": "wave", "time": 1.3}


def scaled(scale):
    """A chain whose joints scale: three texels a row where evenly, five where not."""
    bones = bake_rigs.skeleton()
    clip = bake_rigs.waving_clip(bones, name="grow", scale=np.broadcast_to(scale, (5, 3)))
    rig = bake_rigs.character(clip)
    mesh = rig.mesh  # without its picture, which is none
    plain = lissom.Mesh(mesh.positions, mesh.triangles, mesh.indices, mesh.weights, normals=mesh.normals)
    return lissom.Character("grow", rig.skeleton, plain, rig.skin, rig.clips)


def any_signs(bake):
    """The same bake with quaternions of either sign in each row of each frame."""
    copy = bake.edited()
    signs = np.random.default_rng(4).choice([-1, 1], copy.texels.shape[:2]).astype(np.float32)
    copy.texels[:, :, :2] *= signs[..., None, None]
    return copy


def five_influences():
    bones = bake_rigs.skeleton()
    rig = bake_rigs.character(bake_rigs.waving_clip(bones))
    mesh, rng = rig.mesh, np.random.default_rng(3)
    indices = np.tile(np.arange(5), (mesh.vertex_count, 1))
    weights = rng.dirichlet(np.ones(5), mesh.vertex_count)
    many = lissom.Mesh(mesh.positions, mesh.triangles, indices, weights, normals=mesh.normals)
    return lissom.Character("many", rig.skeleton, many, rig.skin, rig.clips)


@pytest.fixture(scope="module")
def bakes(tmp_path_factory):
    hero = lissom.samples.humanoid()
    made = {
        "hero": lissom.bake(hero, ["walk", "run", "wave"], dtype="float32"),
        "half": lissom.bake(hero, ["walk", "wave"], rate=30),
        "bytes": lissom.bake(hero, ["walk", "run"], dtype="uint8"),
        "signs": any_signs(lissom.bake(hero, ["walk", "run"], dtype="float32")),
        "even": lissom.bake(scaled(1.2), dtype="float32"),
        "uneven": lissom.bake(scaled((1.0, 1.3, 0.8)), dtype="float32"),
        "many": lissom.bake(five_influences(), dtype="float32"),
        "matrix": lissom.bake(hero, "walk", layout="matrix"),
        "bare": lissom.bake(hero, "walk", include_mesh=False),
        "small": lissom.bake(lissom.samples.two_bone_tube()),
        "unlit": lissom.bake(glazed(mode="opaque"), dtype="float32"),
        "masked": lissom.bake(glazed(mode="mask", pictured=True, alpha=1.0), dtype="float32"),
    }
    folder = tmp_path_factory.mktemp("bakes")
    files = {}
    for name, bake in made.items():
        files[f"{name}.safetensors"] = bake.save(folder / f"{name}.safetensors").read_bytes()
    return made, files


@pytest.fixture(scope="module")
def three(browser, bakes):
    page = browser.new_page(viewport={"width": 500, "height": 400})
    tab = ThreeTab(page, bakes[1])
    yield tab
    page.close()


@pytest.fixture(autouse=True)
def quiet(three):
    three.errors.clear()
    yield
    assert three.errors == []


CASES = [
    ("hero", {"clip": "walk", "time": 0.25}),
    ("hero", {"clip": "run", "time": -7.3123}),
    ("hero", {"clip": "walk", "time": 0.31, "next": "wave", "nextTime": 1.3, "fade": 0.37}),
    ("hero", {"clip": "run", "time": 0.11, "next": "walk", "nextTime": 100.77, "fade": 0.8}),
    ("half", {"clip": "wave", "time": 0.777}),
    ("bytes", {"clip": "run", "time": 0.4321}),
    ("signs", {"clip": "run", "time": 0.1043, "next": "walk", "nextTime": 0.5571, "fade": 0.4}),
    ("even", {"clip": "grow", "time": 0.4}),
    ("uneven", {"clip": "grow", "time": 0.4}),
]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("name", "moment"), CASES, ids=[f"{name}-{i}" for i, (name, _) in enumerate(CASES)])
def test_vertices_are_where_the_twin_has_them(three, bakes, name, moment, method, record_property):
    for gpu, far in check_moment(three, bakes[0][name], name, moment, method).items():
        record_property(f"worst_error gpu={gpu}", far)


@pytest.mark.parametrize("method", METHODS)
def test_every_frame_and_five_influences(three, bakes, method):
    check_every_frame(three, bakes[0]["many"], "many.safetensors", method)


def test_instances_are_placed(three, bakes):
    bake = bakes[0]["hero"]
    matrix = np.array([[0, 0, 2, 3], [0, 2, 0, -1], [-2, 0, 0, 0.5], [0, 0, 0, 1.0]])
    instances = [{"clip": "walk", "time": 0.5, "matrix": matrix.T.ravel().tolist()}]
    got = three.floats("vertices", "hero.safetensors", instances, {"method": "linear"}).reshape(-1, 4)[:, :3]
    wanted = expected(bake, "linear", "walk", 0.5) @ matrix[:3, :3].T + matrix[:3, 3]
    assert np.abs(got - wanted).max() < 2 * EXACT * bake.size


def test_times_become_frames_by_our_rule(three, bakes):
    bake, rng = bakes[0]["hero"], np.random.default_rng(5)
    edges = [0.0, -1e-300, -1e-18, 1e9, -1e9]
    cases = [(clip, time) for clip in bake.clips for time in [*edges, *rng.uniform(-9, 9, 40)]]
    cases += [(name, clip.start + i * clip.duration) for name, clip in bake.clips.items() for i in (1, 2)]
    moments = three.call("moments", "hero.safetensors", [{"clip": c, "time": float(t)} for c, t in cases])
    for (clip, time), moment in zip(cases, moments, strict=True):
        assert moment[0] + moment[2] == pytest.approx(float(bake.frame_coordinate(clip, time)), abs=1e-9)
        stored = bake.clips[clip]
        assert stored.first_frame <= moment[0] <= moment[1] < stored.first_frame + stored.frame_count


def test_time_passes_as_in_a_crowd_of_python(three, bakes):
    """Fades of all lengths, backwards too, beside the clock of `Crowd`, which keeps times in float32."""
    bake, rng, count = bakes[0]["hero"], np.random.default_rng(8), 12
    names = list(bake.clips)
    instances = np.zeros(count, INSTANCE_DTYPE)
    instances["next_clip"] = -1
    instances["speed"] = rng.uniform(-2, 2, count).round(3)
    three.page.evaluate(
        "async ([count, speeds]) => { self.crowd = await scenes.crowdOf('hero.safetensors',"
        " speeds.map((speed) => ({ speed }))); }",
        [count, instances["speed"].astype(float).tolist()],
    )
    clock = ClipClock(bake)
    for _ in range(60):
        i, clip, length = int(rng.integers(count)), int(rng.integers(3)), float(rng.choice([0, 0.1, 0.7]))
        step = float(rng.uniform(-0.2, 0.3))
        one = instances[i]
        if one["next_clip"] >= 0 and one["fade"] >= 0.5:
            one["clip"], one["time"] = one["next_clip"], one["next_time"]
        one["next_clip"], one["next_time"], one["fade"], one["fade_duration"] = clip, 0.0, 0.0, length
        clock.advance(instances, step, False)
        got = three.page.evaluate(
            "([i, clip, length, step]) => { crowd.fadeTo(i, clip, length).update(step);"
            " const { clip: now, time, nextClip, fade } = crowd.clock;"
            " return [now, time, nextClip, fade].map((array) => Array.from(array)); }",
            [i, clip, length, step],
        )
        assert got[0] == instances["clip"].tolist()
        assert got[2] == instances["next_clip"].tolist()
        durations = np.array([bake.clips[names[k]].duration for k in got[0]])
        apart = np.abs(np.array(got[1]) - instances["time"])
        assert np.minimum(apart, np.abs(durations - apart)).max() < 1e-4  # seconds; a loop's end is its start
        np.testing.assert_allclose(got[3], instances["fade"], atol=1e-5)


@pytest.mark.parametrize("shadows", ["sun", "lamp"])
def test_the_shadow_moves(three, shadows):
    view = {"eye": [2, 4, 3.5], "target": [-0.5, 0.2, -0.5], "shadows": shadows}
    cast = {}
    for time in (0.0, 0.3):
        moment = [{"clip": "run", "time": time}]
        picture = three.pixels("drawn", "hero.safetensors", moment, view).astype(int)
        on_cpu = three.pixels("drawn", "hero.safetensors", moment, view | {"gpu": False})
        assert np.mean(np.abs(on_cpu - picture).max(axis=-1) > 8) < 1e-3
        without = three.pixels("drawn", "hero.safetensors", moment, view | {"casts": False})
        cast[time] = np.abs(picture - without).max(axis=-1) > 8
        assert cast[time].mean() > 0.005  # there is one
    assert np.mean(cast[0.0] ^ cast[0.3]) > 0.003  # and it is elsewhere


def test_rays_hit_the_moved_vertices(three, bakes):
    bake = bakes[0]["hero"]
    moved = expected(bake, "linear", "wave", 1.3)
    still = expected(bake, "linear", "walk", 0.0)
    hand = moved[moved[:, 1].argmax()] - [0, 0.01, 0]  # raised above the head
    assert hand[1] > still[:, 1].max() + 0.02
    place = np.eye(4)
    place[:3, 3] = 2, 0, 0
    instances = [{"clip": "walk", "time": 0.0}, ARM | {"matrix": place.T.ravel().tolist()}]
    rays = [
        ([hand[0], hand[1], 5], [0, 0, -1]),  # where the first would have it, had it waved
        ([hand[0] + 2, hand[1], 5], [0, 0, -1]),
        ([0, 1.2, 5], [0, 0, -1]),
    ]
    nothing, waving, chest = three.call("hits", "hero.safetensors", instances, rays, {"method": "linear"})
    assert nothing is None
    assert waving[0] == 1
    assert np.linalg.norm(moved + np.array([2, 0, 0]) - waving[2], axis=1).min() < 0.03
    assert chest[0] == 0


def test_a_joint_is_where_python_has_it(three, bakes):
    bake = bakes[0]["hero"]
    got = three.page.evaluate(
        "async (moment) => (await scenes.crowdOf('hero.safetensors', [moment], { gpu: false }))"
        ".getJointAt(0, 'Hand.R').elements",
        ARM,
    )
    wanted = bake.joint_matrices(bake.frame_coordinate("wave", 1.3), "Hand.R")
    np.testing.assert_allclose(np.reshape(got, (4, 4)).T, wanted, atol=1e-5)


def test_boxes_are_those_of_the_clips(three, bakes):
    bounds = bakes[0]["hero"].clips["wave"].bounds
    got = three.page.evaluate(
        """async () => {
          const crowd = await scenes.crowdOf('hero.safetensors', [{ clip: 'wave' }], { gpu: false });
          crowd.computeBoundingBox();
          const { min, max } = crowd.boundingBox;
          crowd.fadeTo(0, "run", 1).computeBoundingBox();
          return [[min.toArray(), max.toArray()], crowd.boundingBox.min.toArray()];
        }"""
    )
    np.testing.assert_allclose(got[0], bounds, rtol=1e-6)
    both = np.minimum(bounds[0], bakes[0]["hero"].clips["run"].bounds[0])
    np.testing.assert_allclose(got[1], both, rtol=1e-6)


def test_it_draws_what_three_draws_of_the_file(three, bakes, tmp_path):
    """The same character of a GLB file, moved by three's mixer: the same pixels, but at edges."""
    hero = lissom.samples.humanoid()
    lissom.save_glb(hero, tmp_path / "hero.glb")
    three.files["hero.glb"] = (tmp_path / "hero.glb").read_bytes()
    view = {"eye": [0.5, 1.4, 4], "target": [0, 0.9, 0]}
    for clip, time in (("walk", 0.31), ("wave", 1.3)):
        ours = three.pixels(
            "drawn", "hero.safetensors", [{"clip": clip, "time": time}], view | {"method": "linear"}
        )
        theirs = three.pixels("drawnSkinned", "hero.glb", clip, time, view)
        off = np.mean(np.abs(ours.astype(int) - theirs).max(axis=-1) > 8)
        print(f"{clip}: {off:.3%} of pixels over 8 levels")
        assert off < 0.002
        assert np.mean(np.abs(ours.astype(int) - ours[0, 0]).max(axis=-1) > 30) > 0.03  # somebody is there


def test_the_raised_arm_is_on_the_right_and_fronts_are_seen(three, tmp_path):
    """The one-armed figure, from where it looks to, and from behind: x to the right, y up, z ahead."""
    lissom.bake(one_armed(), rate=10).export("three", tmp_path / "board")
    three.files["board.safetensors"] = (tmp_path / "board" / "board.safetensors").read_bytes()
    pictures = [
        three.pixels(
            "drawn",
            "board.safetensors",
            [{"clip": "raise", "time": time}],
            {"eye": [0, HEIGHT, z], "target": [0, HEIGHT, 0], "width": 300, "height": 300},
        )[..., :3]
        for time, z in ((0.0, DISTANCE), (1.0, DISTANCE), (1.0, -DISTANCE))
    ]
    check_pictures(*pictures, fov=35)


def test_unlit_parts_have_their_colours_and_masks_leave_out(three):
    view = {"eye": [3, 2, 6], "target": [0, 1.5, 0], "method": "linear"}
    whole = three.pixels("drawn", "unlit.safetensors", [{"color": [1, 1, 1]}], view)[..., :3].astype(int)
    for color in (GREEN, RED):
        encoded = np.array([1.055 * c ** (1 / 2.4) - 0.055 if c > 0.0031308 else 12.92 * c for c in color])
        assert (np.abs(whole - 255 * encoded).max(axis=-1) < 2).mean() > 0.01
    masked = three.pixels("drawn", "masked.safetensors", [{}], view)[..., :3].astype(int)
    ground = np.abs(masked - masked[0, 0]).max(axis=-1) < 40
    was = np.abs(whole - whole[0, 0]).max(axis=-1) < 40
    assert (ground & ~was).mean() > 0.003  # seen through what was left out
    tinted = three.pixels("drawn", "unlit.safetensors", [{"color": [0, 0, 1]}], view)[..., :3].astype(int)
    assert (np.abs(tinted - [0, 0, 255 * (1.055 * 0.05 ** (1 / 2.4) - 0.055)]).max(axis=-1) < 2).mean() < 1
    assert not (np.abs(tinted - whole).max(axis=-1) < 2).all()


# What is done, `bake` being the humanoid's and `crowd` one of it, and what is said.
REFUSALS = [
    ("return lissom.loadBake(new ArrayBuffer(4))", "fewer than 8 bytes"),
    ('return lissom.loadBake(new TextEncoder().encode(\'{"not": "a bake at all"}\'))', "not a bake"),
    ("return lissom.loadBake('/cut.safetensors')", "is cut: the array"),
    ("return lissom.loadBake('/short.safetensors')", "cut within its header"),
    ("return lissom.loadBake('/nan.safetensors')", "texels that are not finite"),
    ("return lissom.loadBake('/matrix.safetensors')", 'bake with layout="dual_quat"'),
    ("return lissom.loadBake('/bare.safetensors')", "bake with include_mesh=True"),
    ("return lissom.loadBake('/none.safetensors')", "cannot be fetched: 404"),
    ("return lissom.loadBake(7)", "source must be an address, an ArrayBuffer"),
    ("new lissom.BakedCrowd({}, 1)", "bake must be what loadBake returns"),
    ("new lissom.BakedCrowd(bake, 0)", "count must be a whole number"),
    ("new lissom.BakedCrowd(bake, 1, { method: 'cor' })", "got cor"),
    ("new lissom.BakedCrowd(bake, 1, { renderer: {} })", "renderer must be a WebGLRenderer"),
    ("crowd.setClipAt(0, 'fly')", "one of walk, run, wave, got fly"),
    ("crowd.setClipAt(1, 'walk')", "index must be a whole number below 1"),
    ("crowd.setTimeAt(0, NaN)", "time must be a finite number, got NaN"),
    ("crowd.setSpeedAt(0, Infinity)", "speed must be a finite number"),
    ("crowd.fadeTo(0, 'run', -1)", "duration must be at least 0"),
    ("crowd.setFadeAt(0, 0.5)", "instance in a fade; call fadeTo first"),
    ("crowd.update(NaN)", "seconds must be a finite number"),
    ("crowd.getJointAt(0, 'Tail')", "joint must be one of "),
    ("crowd.getVertexAt(0, 1e9)", "vertex must be a whole number below"),
    ("crowd.clone()", "bake must be what loadBake returns"),
]


def test_wrong_input_is_told_in_a_sentence(three, bakes):
    whole = bakes[1]["hero.safetensors"]
    nan = bytearray(whole)
    end = 8 + int.from_bytes(whole[:8], "little")
    first = json.loads(whole[8:end])["texels"]["data_offsets"][0]
    nan[end + first : end + first + 4] = np.float32(np.nan).tobytes()
    three.files |= {
        "cut.safetensors": whole[:-100],
        "short.safetensors": whole[:900],
        "nan.safetensors": bytes(nan),
    }
    for text, wanted in REFUSALS:
        said = three.call("said", text)
        assert said is not None, text
        assert wanted in said, said
        assert "\n" not in said
    three.errors[:] = [error for error in three.errors if "404" not in error]


def test_no_cut_file_is_played(three, bakes):
    whole = bakes[1]["even.safetensors"]
    for size in np.random.default_rng(2).integers(0, len(whole), 25):
        three.files["part.safetensors"] = whole[:size]
        said = three.call("said", "await lissom.loadBake('/part.safetensors')")
        assert said.startswith("Error: loadBake: part.safetensors "), said


def test_the_module_is_small():
    """At most 12 kB as pages of ours send it, compressed; levels are fetched where a bake has any."""
    sources = {path.name: tightened(path.read_text(encoding="utf-8")) for path in PACKAGE.glob("*.js")}
    levels = len(gzip.compress(sources.pop("levels.js").encode(), 9))
    size = len(gzip.compress("\n".join(sources[name] for name in sorted(sources)).encode(), 9))
    print(f"{size} bytes, levels of detail {levels}")
    assert size <= 12_000
    assert levels <= 1_300


def test_the_package_names_what_it_holds():
    package = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    for name in (package["main"], package["types"], "page.html", "README.md", "LICENSE"):
        assert (PACKAGE / name).is_file()
    imports = {
        name
        for path in PACKAGE.glob("*.js")
        for name in re.findall(r'from "([^"]+)"', path.read_text("utf-8"))
    }
    assert {name for name in imports if not name.startswith("./")} == set(package["peerDependencies"])


def test_the_page_of_an_export_draws_a_crowd(browser, tmp_path):
    check_page(browser, ThreeTab, "three", tmp_path / "hero", "hero.safetensors")


def test_vertices_of_an_export_are_as_wrong_as_it_says(three, tmp_path):
    check_stated_error(three, "three", tmp_path / "hero")
