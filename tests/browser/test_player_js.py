# SPDX-License-Identifier: MIT
"""What the player does by itself: camera, time, fades, heat, picking, loss of graphics."""

import base64
import json

import numpy as np
import pytest

import lissom
from browser.conftest import SIZE
from browser.players import SAME, camera_of, code_of, create, lowest, place_of, share_off
from gpu.crowds import with_heaviest
from gpu.rigs import with_twelve_influences
from lissom.gpu import Crowd, SkinnedModel, plain_instances
from lissom.player import bundle

pytestmark = pytest.mark.gl

PICTURES_LATER = """count => new Promise(done => {
  const step = () => count-- ? requestAnimationFrame(step) : done(player.info.pictures);
  step();
})"""

OUT_OF_SIGHT = """() => new Promise(done => {
  document.querySelector(".lissom-player").style.marginTop = "5000px";
  const watch = new IntersectionObserver(([entry]) => entry.isIntersecting || done());
  watch.observe(document.querySelector("canvas"));
})"""


def middle_of(tab):
    box = tab.page.locator("canvas").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


# Pure functions.


def test_time_becomes_the_frame_coordinate_of_the_bake(tab):
    code = code_of("math.js", "clips.js")
    rng = np.random.default_rng(3)
    bake = lissom.bake(lissom.samples.humanoid(), ["walk", "wave"], rate=30)
    for name, clip in bake.clips.items():
        times = [clip.start, clip.start + clip.duration, -1e-17, *rng.uniform(-9, 9, 200)]
        table = {
            key: getattr(clip, key) for key in ("first_frame", "frame_count", "rate", "start", "duration")
        }
        for loop in (False, True):
            found = tab.page.evaluate(
                f"([clip, times]) => {{ {code} return times.map((time) => frameOf(clip, time)); }}",
                [table | {"loop": loop}, times],
            )
            wanted = [bake.frame_coordinate(name, time, loop=loop) for time in times]
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-11)


@pytest.mark.parametrize("name", ["humanoid", "twelve influences", "khronos/CesiumMan.glb"])
def test_the_mesh_that_is_drawn_deforms_as_the_character(tab, request, name):
    if name.endswith(".glb"):
        hero = lissom.load(request.getfixturevalue("asset")(f"characters/{name}"))
    else:
        hero = lissom.samples.humanoid()
    expected_mesh = hero.mesh
    if name == "twelve influences":
        hero = with_twelve_influences(hero)
        expected_mesh = with_heaviest(hero.mesh, 8)
    found = tab.page.evaluate(
        f"""(text) => {{ {code_of("data.js")}
          const bundle = readBundle(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
          const known = ["positions", "rows", "weights", "more_rows", "more_weights"];
          const names = known.filter((name) => bundle[name]);
          return Object.fromEntries(names.map((name) => [name, Array.from(bundle[name])])); }}""",
        base64.b64encode(bundle(hero.mesh, hero.skin)).decode(),
    )
    arrays = {key: np.reshape(values, (hero.mesh.vertex_count, -1)) for key, values in found.items()}
    rows = np.concatenate([arrays[key] for key in ("rows", "more_rows") if key in arrays], axis=1)
    weights = np.concatenate([arrays[key] for key in ("weights", "more_weights") if key in arrays], axis=1)
    np.testing.assert_allclose(weights.sum(axis=1), 1, rtol=0, atol=1e-7)
    read = lissom.Mesh(arrays["positions"], hero.mesh.triangles, rows.astype(np.uint16), weights)
    clip = next(iter(hero.clips.values()))
    poses = clip.sample(np.linspace(clip.start, clip.end, 5))
    palette = hero.skin.palette(hero.skeleton.model_matrices(poses))
    away = lissom.deform(read, palette) - lissom.deform(expected_mesh, palette)
    assert np.linalg.norm(away, axis=-1).max() < 2e-6 * hero.size


@pytest.mark.parametrize(
    ("place", "row"),
    [((50, 52), 0), ((25, 46), 0), ((75, 80), 1), ((80, 60), 1), ((10, 50), -1), ((50, 62), -1)],
)
def test_the_bone_under_the_pointer_is_picked(tab, place, row):
    # Pixels 0 to 100 are -1 to 1. Two bones meet at x = 0.5; the second goes down from there.
    bones = [[0, -0.5, 0, 0, 1, 0.5, 0, 0], [1, 0.5, 0, 0, 2, 0.5, -0.8, 0]]
    identity = np.eye(4)
    texels = np.tile(identity[:3].ravel(), 3)
    code = code_of("math.js", "palettes.js", "pick.js")
    found = tab.page.evaluate(
        f"([bones, texels, clip, place]) => {{ {code}"
        "return pickBone(bones, new Float32Array(texels), clip, [100, 100], place, 8); }",
        [bones, texels.tolist(), identity.ravel().tolist(), place],
    )
    assert found == row


def test_the_box_of_a_row_holds_all_that_it_moves(tab):
    # Vertex 1 hangs on row 1 as its fifth influence alone.
    code = code_of("data.js", "palettes.js")
    boxes = tab.page.evaluate(
        f"""() => {{ {code} return rowBoxes({{
          info: {{ palette_rows: 3 }}, positions: [0, 0, 0, 1, 2, 3],
          rows: [0, 0, 0, 0, 0, 0, 0, 0], weights: [1, 0, 0, 0, 0.2, 0.2, 0.2, 0.2],
          more_rows: [0, 0, 0, 0, 1, 0, 0, 0], more_weights: [0, 0, 0, 0, 0.2, 0, 0, 0] }}); }}"""
    )
    assert boxes == [[[0, 0, 0], [1, 2, 3]], [[1, 2, 3], [1, 2, 3]], None]


def test_the_nearer_of_two_handles_is_picked(tab):
    code = code_of("math.js", "palettes.js", "pick.js")
    clip = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0.5, 1]  # w grows with z: farther away
    handles = [
        {"id": name, "position": position, "radius": 0.1}
        for name, position in (("far", [0, 0, 1]), ("near", [0, 0, 0]), ("aside", [0.8, 0, 0]))
    ]
    found = tab.page.evaluate(
        f"([handles, clip]) => {{ {code}"
        "const at = (place) => pickHandle(handles, clip, [100, 100], place, 4)?.id ?? null;"
        "return [at([50, 50]), at([90, 50]), at([50, 53]), at([50, 58])]; }",
        [handles, clip],
    )
    assert found == ["near", "aside", "near", None]


# The camera.


def test_mouse_orbits_pans_and_zooms(opened):
    mouse = opened.page.mouse
    x, y = middle_of(opened)
    before = opened.state["camera"]
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 50, y + 25, steps=3)
    mouse.up()
    orbited = opened.state["camera"]
    assert orbited["azimuth"] < before["azimuth"]
    assert orbited["elevation"] > before["elevation"]
    assert orbited["target"] == before["target"]
    mouse.wheel(0, -200)
    opened.page.wait_for_function(
        "distance => player.state.camera.distance < distance", arg=before["distance"]
    )
    zoomed = opened.state["camera"]
    opened.page.keyboard.down("Shift")
    mouse.down()
    mouse.move(x + 90, y, steps=3)
    mouse.up()
    opened.page.keyboard.up("Shift")
    panned = camera_of(opened)
    moved = np.subtract(panned.target, zoomed["target"])
    # What lay under the pointer goes with it: the target moves to the left by as much of the picture.
    height = opened.page.locator("canvas").bounding_box()["height"]
    wanted = -40 / height * 2 * panned.distance * np.tan(np.radians(15))
    assert moved @ panned.axes[0] == pytest.approx(wanted, rel=1e-6)
    opened.page.keyboard.press("f")
    assert opened.state["camera"]["target"] != pytest.approx(panned.target)


def test_one_finger_orbits_and_two_zoom(new_tab, browser, bake):
    tab = new_tab(browser, has_touch=True)
    tab.open(bake.show(playing=False))
    x, y = middle_of(tab)
    session = tab.page.context.new_cdp_session(tab.page)

    def touch(kind, *fingers):
        points = [{"x": x + dx, "y": y, "id": i} for i, dx in enumerate(fingers)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    before = tab.state["camera"]
    touch("touchStart", 0)
    touch("touchMove", 40)
    touch("touchEnd")
    orbited = tab.state["camera"]
    assert orbited["azimuth"] < before["azimuth"]
    assert orbited["distance"] == before["distance"]
    touch("touchStart", -30, 30)
    touch("touchMove", -60, 60)
    touch("touchEnd")
    assert tab.state["camera"]["distance"] == pytest.approx(before["distance"] / 2)
    assert tab.state["camera"]["azimuth"] == orbited["azimuth"]


def test_keys_play_step_and_switch(opened, bake):
    page = opened.page
    page.locator("canvas").focus()
    opened.set(time=0.2)
    page.keyboard.press("ArrowRight")
    assert opened.state["time"] == pytest.approx(0.2 + 1 / bake.clips["walk"].rate)
    page.keyboard.press("Space")
    assert opened.state["playing"]
    for key, name in (("s", "skeleton"), ("w", "wireframe")):
        page.keyboard.press(key)
        assert opened.state[name]
    page.keyboard.press("2")
    assert opened.state["method"] == "dual_quat"
    page.keyboard.press("3")
    assert opened.state["method"] == "side_by_side"


def test_an_error_that_is_seen_is_said(tab, hero, bake):
    tab.open(bake.show(playing=False))
    assert not tab.page.is_visible(".lissom-error")
    rough = lissom.bake(hero, ["run"], rate=6)
    tab.open(rough.show(playing=False))
    error = 100 * rough.report.max_relative
    assert error > 1
    assert tab.page.text_content(".lissom-error") == f"off by {error:.2g} %"
    assert tab.page.is_visible(".lissom-error")


def test_every_control_has_a_name_and_fits_400_pixels(opened):
    opened.page.set_viewport_size({"width": 400, "height": 600})
    nameless = opened.page.evaluate(
        """() => [...document.querySelectorAll(".lissom-panel :is(button, input, select)")].filter((node) =>
          !(node.ariaLabel || node.labels?.[0]?.textContent || node.textContent)).length"""
    )
    assert nameless == 0
    assert opened.page.evaluate(
        """() => {
          const panel = document.querySelector(".lissom-panel");
          return panel.scrollWidth <= panel.clientWidth;
        }"""
    )


# Time.


def test_the_bar_moves_the_time_and_stops(opened, bake):
    opened.set(playing=True)
    opened.page.get_by_label("Time").fill(str(bake.clips["walk"].duration / 2))
    assert opened.state["time"] == pytest.approx(bake.clips["walk"].duration / 2)
    assert not opened.state["playing"]


def test_a_fade_mixes_both_clips_as_a_crowd_does(opened, bake, stage):
    opened.set(time=0.3, fade=0.5, playing=True)
    opened.set(clip="run")
    opened.page.evaluate("() => player.advance(0.2)")
    instances = plain_instances(1)
    instances["clip"], instances["time"] = 0, 0.5
    instances["next_clip"], instances["next_time"], instances["fade"] = 1, 0.2, 0.4
    with Crowd(bake, 1, stage=stage, instances=instances, levels=()) as crowd:
        wanted = stage.render(crowd, camera=camera_of(opened), ground=False).array
    opened.set(ground=False)
    faded = opened.pixels()
    assert share_off(faded, wanted) <= SAME
    opened.page.evaluate("() => player.advance(0.4)")
    assert share_off(opened.pixels(), faded) > 10 * SAME
    assert opened.state["clip"] == "run"
    assert opened.state["time"] == pytest.approx(0.6)


def test_it_draws_while_it_plays_and_is_seen(tab, bake):
    tab.open(bake.show(playing=True), test=False)
    tab.page.wait_for_function("() => player.info.pictures > 2")
    drawn = tab.page.evaluate("() => { player.draw(); return player.info.pictures; }")
    tab.page.wait_for_function("count => player.info.pictures > count + 1", arg=drawn)
    tab.page.evaluate("() => player.set({ playing: false })")
    still = tab.page.evaluate(PICTURES_LATER, 4)
    assert tab.page.evaluate(PICTURES_LATER, 4) == still
    tab.page.evaluate("() => player.set({ playing: true })")
    tab.page.wait_for_function("count => player.info.pictures > count + 2", arg=still)
    tab.page.evaluate(OUT_OF_SIGHT)
    unseen = tab.page.evaluate(PICTURES_LATER, 2)
    assert tab.page.evaluate(PICTURES_LATER, 4) == unseen


def test_what_does_not_move_is_not_drawn_again(tab, hero):
    tab.open(hero.show(pose=hero.skeleton.rest), test=False)
    drawn = tab.page.evaluate(PICTURES_LATER, 4)
    assert tab.state["playing"]
    assert tab.page.evaluate(PICTURES_LATER, 4) == drawn
    assert not tab.page.get_by_label("Time").is_visible()


def test_a_clip_is_named_without_its_prefix(tab, hero):
    walk = hero.clips["walk"]
    clips = [walk.renamed("Rig|Walk"), walk.renamed("Rig|Idle"), walk.renamed("Other|Idle")]
    tab.open(lissom.bake(hero, clips).show(playing=False))
    tab.set(clip="Rig|Idle")
    tab.set(clip="walk")
    assert tab.state["clip"] == "Rig|Walk"
    refused = tab.page.evaluate(
        "() => { try { player.set({ clip: 'Idle' }); } catch (error) { return error.message; } }"
    )
    assert refused == "player.set: clip must be one of Rig|Walk, Rig|Idle, Other|Idle, got Idle"
    assert tab.state["clip"] == "Rig|Walk"


def test_the_clip_it_starts_with_is_there_at_once(tab, bake):
    tab.open(bake.show(clip="run"))
    tab.page.evaluate("() => player.advance(0.1)")
    begun = tab.pixels()
    tab.set(time=tab.state["time"])  # which ends fades
    np.testing.assert_array_equal(tab.pixels(), begun)


def test_the_time_is_not_read_out_while_it_runs(opened):
    (said,) = opened.page.locator(".lissom-panel output").all_inner_texts()
    assert said == "1"  # instances


def test_it_starts_paused_where_motion_is_unwanted(new_tab, browser, bake):
    tab = new_tab(browser, reduced_motion="reduce")
    tab.open(bake.show(playing=True))
    assert not tab.state["playing"]


# Colours.


def test_the_heat_map_is_the_distance_between_the_methods(opened, hero, bake, stage):
    time = 0.35
    palette = bake.sample("run", time)
    linear = lissom.skin_linear(hero.mesh, palette.matrices)
    rigid = lissom.skin_dual_quat(hero.mesh, palette.dual_quats)
    heat = np.linalg.norm(linear - rigid, axis=1)
    most = opened.page.evaluate("() => { player.set({ clip: 'run' }); return player.state; }")
    opened.set(time=time, color="difference", method="dual_quat", ground=False)
    told = opened.page.locator(".lissom-ends span").nth(1).text_content()
    assert most["clip"] == "run"
    largest = float(told.split()[0]) / 100 * bake.size
    assert heat.max() <= 1.02 * largest
    with SkinnedModel(hero, stage=stage, method="dual_quat") as model:
        model.set_palette(palette)
        model.set_heat(heat, largest)
        wanted = stage.render(model, camera=camera_of(opened), ground=False, ground_height=lowest(bake)).array
    # The number on the bar has three digits, so colours may differ by a level or two.
    assert share_off(opened.pixels(), wanted) <= SAME


def test_weights_are_painted(opened, hero, bake, stage):
    row = 6
    mesh = hero.mesh
    name = bake.joints[bake.skin.joints[row]]
    opened.set(time=0.0, color="weights", row=name, ground=False)
    with SkinnedModel(hero, stage=stage, method="linear") as model:
        model.set_palette(bake.sample("walk", 0.0))
        model.set_heat((mesh.weights * (mesh.indices == row)).sum(axis=1), 1.0)
        wanted = stage.render(model, camera=camera_of(opened), ground=False, ground_height=lowest(bake)).array
    assert share_off(opened.pixels(), wanted) <= SAME
    assert opened.page.locator(".lissom-bar").text_content().startswith(name)


def test_a_click_paints_the_joint_under_it(opened, hero, bake):
    opened.set(time=0.0, color="weights", ground=False)
    positions = lissom.skin_linear(hero.mesh, bake.sample("walk", 0.0).matrices)
    rows = [bake.joints[joint] for joint in bake.skin.joints]
    for name in ("Head", "LowerLeg.L"):
        moved = (hero.mesh.weights * (hero.mesh.indices == rows.index(name))).sum(axis=1)
        x, y = place_of(opened, positions[moved > 0.95].mean(axis=0))
        opened.page.mouse.click(x, y)
        assert opened.state["row"] == name


def test_side_by_side_shows_each_method_and_the_difference(opened):
    opened.set(time=0.2, method="side_by_side")
    assert opened.page.locator(".lissom-names span").all_text_contents() == [
        "Linear",
        "Dual quaternion",
        "Difference",
    ]
    width = SIZE[0] // 3
    left, middle, right = (opened.pixels()[:, i * width : (i + 1) * width] for i in range(3))
    assert 0 < share_off(left, middle) < 0.02
    assert share_off(left, right) > 0.03


@pytest.mark.parametrize(("azimuth", "tops"), [(90.0, ["0%", "33.3333%", "66.6667%"]), (0.0, ["0%"] * 3)])
def test_side_by_side_is_a_column_of_what_looks_wide(tab, azimuth, tops):
    """A bar that lies along z: from the side it is wide, from its end it is not."""
    bar = lissom.samples.twisted_bar()
    lying = lissom.trs.from_parts(rotation=[lissom.quat.from_axis_angle([0, 1, 0], np.pi / 2)])
    camera = {"azimuth": azimuth, "elevation": 5.0}
    tab.open(lissom.show(bar, placements=lying, clips="twist", camera=camera, method="side_by_side"))
    tab.set(playing=False)
    spans = tab.page.locator(".lissom-names span")
    assert spans.evaluate_all("spans => spans.map(({ style }) => style.top)") == tops


def test_side_by_side_shows_as_much_around_what_was_looked_at(opened):
    camera = {"target": [0.0, 0.5, 0.0], "distance": 2.0}
    opened.set(camera=camera)
    opened.set(method="side_by_side")
    seen = opened.state["camera"]
    assert seen["distance"] == pytest.approx(2.0 * SIZE[1] / (SIZE[0] // 3))  # the height is now the width
    assert seen["target"] == camera["target"]
    opened.set(method="linear")
    assert opened.state["camera"]["distance"] == pytest.approx(2.0)


# Machines that can do less.


def test_lost_graphics_leave_a_sentence_and_come_back(tab, bake):
    tab.open(bake.show(playing=False), still="data:image/gif;base64,R0lGODlhAQABAAAAACw=")
    tab.set(time=0.3, skeleton=True)
    before = tab.pixels()
    tab.page.evaluate(
        "() => { self.loss = document.querySelector('canvas').getContext('webgl2')"
        ".getExtension('WEBGL_lose_context'); loss.loseContext(); }"
    )
    message = tab.page.locator(".lissom-message")
    message.wait_for(state="visible")
    assert "returns when it is restored" in message.text_content()
    assert message.locator("img").count() == 1
    tab.page.evaluate("() => loss.restoreContext()")
    message.wait_for(state="hidden")
    np.testing.assert_array_equal(tab.pixels(), before)


def test_without_webgl_there_is_a_sentence_and_the_still(opened, bake):
    opened.page.evaluate("() => { HTMLCanvasElement.prototype.getContext = () => null; }")
    said = create(opened, bundle(bake.mesh, None, bake=bake), {"still": "data:,"})
    assert "no WebGL2" in said
    assert opened.page.evaluate("() => player.info.error") == "no WebGL2"


def test_players_on_one_page_do_not_mind_each_other(opened, bake):
    opened.set(time=0.3)
    before = opened.pixels()
    opened.page.evaluate("() => { self.first = player; }")
    create(opened, bundle(bake.mesh, None, bake=bake), {"state": {"playing": False, "count": 9}})
    opened.set(method="dual_quat")
    opened.page.evaluate("() => { player.destroy(); self.player = first; }")
    assert opened.page.locator(".lissom-player").count() == 1
    np.testing.assert_array_equal(opened.pixels(), before)


# Errors.


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"speeed": 2}, "player.set: a name must be one of player.state, got speeed"),
        ({"clip": "fly"}, "player.set: clip must be one of walk, run, got fly"),
        ({"method": "cor"}, "player.set: method must be one of linear, dual_quat, side_by_side, got cor"),
        # Names of every object's prototype; JSON makes them keys like others.
        ({"__proto__": {"speed": 9}}, "player.set: a name must be one of player.state, got __proto__"),
        ({"toString": 1}, "player.set: a name must be one of player.state, got toString"),
    ],
)
def test_a_state_that_is_none_is_refused(opened, state, message):
    said = opened.page.evaluate(
        "s => { try { player.set(JSON.parse(s)); } catch (error) { return error.message; } }",
        json.dumps(state),
    )
    assert said == message
    assert opened.page.evaluate("Object.getPrototypeOf(player.state) === Object.prototype")
