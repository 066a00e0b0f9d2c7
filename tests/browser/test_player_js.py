# SPDX-License-Identifier: MIT
"""What the player does by itself: camera, time, fades, heat, picking, a kernel's poses, loss of graphics."""

import base64
import importlib.resources

import numpy as np
import pytest

import lissom
from browser.conftest import SIZE
from lissom.gpu import Camera, Crowd, SkinnedModel, Stage, heading, plain_instances
from lissom.gpu.palettes import palette_texels
from lissom.player import bones_of, bundle

pytestmark = pytest.mark.gl

CLIPS = ["walk", "run"]
# Share of pixels that may be more than 8 levels off what moderngl draws by the same driver: samples at edges.
# Measured up to 0.009 %.
SAME = 0.0005
NO_FLOAT_TARGETS = """
const own = WebGL2RenderingContext.prototype.getExtension;
WebGL2RenderingContext.prototype.getExtension = function (name) {
  return name === "EXT_color_buffer_float" ? null : own.call(this, name);
};
"""
PICTURES_LATER = """count => new Promise(done => {
  const step = () => count-- ? requestAnimationFrame(step) : done(player.info.pictures);
  step();
})"""

OUT_OF_SIGHT = """() => new Promise(done => {
  document.querySelector(".lissom-player").style.marginTop = "5000px";
  const watch = new IntersectionObserver(([entry]) => entry.isIntersecting || done());
  watch.observe(document.querySelector("canvas"));
})"""


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


@pytest.fixture(scope="module")
def bake(hero):
    return lissom.bake(hero, CLIPS, dtype="float32")


@pytest.fixture(scope="module")
def stage():
    with Stage(*SIZE) as stage:
        yield stage


@pytest.fixture
def opened(tab, bake):
    tab.open(bake.show(playing=False))
    return tab


def share_off(ours, theirs):
    return np.mean(np.abs(ours.astype(int) - theirs).max(axis=-1) > 8)


def camera_of(tab):
    state = tab.state["camera"]
    return Camera(**state | {"target": tuple(state["target"])})


def middle_of(tab):
    box = tab.page.locator("canvas").bounding_box()
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def place_of(tab, point):
    """Return where on the page a world point is drawn."""
    camera = camera_of(tab)
    x, y, _, w = camera.clip_from_world(SIZE[0] / SIZE[1], 0.1, 100.0) @ [*point, 1.0]
    box = tab.page.locator("canvas").bounding_box()
    return box["x"] + (1 + x / w) / 2 * box["width"], box["y"] + (1 - y / w) / 2 * box["height"]


def lowest(bake):
    return float(np.median([clip.bounds[0, 1] for clip in bake.clips.values()]))


# Pure functions.


def code_of(*names):
    files = importlib.resources.files("lissom.player") / "js"
    return "".join((files / name).read_text(encoding="utf-8") for name in names)


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
          rows: [0, 0, 0, 0, 0, 0, 0, 0], weights: [255, 0, 0, 0, 51, 51, 51, 51],
          more_rows: [0, 0, 0, 0, 1, 0, 0, 0], more_weights: [0, 0, 0, 0, 51, 0, 0, 0] }}); }}"""
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


def smallest_first(triangles):
    turns = (np.argmin(triangles, axis=1)[:, None] + np.arange(3)) % 3
    return np.take_along_axis(triangles, turns, axis=1)


def test_coarse_triangles_keep_to_their_cells_joints_and_colours(tab, hero):
    mesh = hero.mesh
    cell = 0.04
    influences = np.asarray(mesh.indices)
    rows = np.take_along_axis(influences, np.argsort(-mesh.weights, axis=1), axis=1)
    parts = [{"first": 3 * a, "count": 3 * (b - a)} for a, b in ((0, 9000), (9000, len(mesh.triangles)))]
    colors = np.full((mesh.vertex_count, 4), 255, np.uint8)
    colors[:, 0] = np.where(mesh.positions[:, 1] % 0.1 < 0.05, 200, 0)  # stripes, which lie across cells
    normals = np.zeros((mesh.vertex_count, 4), np.int8)
    normals[:, :3] = np.round(127 * mesh.normals)
    code = code_of("math.js", "coarse.js")
    found = tab.page.evaluate(
        f"""([positions, normals, rows, colors, triangles, parts, cell]) => {{ {code}
          const given = {{ positions, rows, colors: Uint8Array.from(colors), info: {{ parts }},
            normals: Int8Array.from(normals), triangles: Uint32Array.from(triangles) }};
          const {{ triangles: kept, parts: made }} = coarseTriangles(given, cell);
          const own = parts.map(({{ first, count }}) => [...standIns(given,
            given.triangles.subarray(first, first + count), cell, (v) => colorOf(given, v))]);
          return [Array.from(kept), made, own]; }}""",
        [a.ravel().tolist() for a in (mesh.positions, normals, rows[:, :4], colors, mesh.triangles)]
        + [parts, cell],
    )
    kept, made, pairs = found
    kept = np.reshape(kept, (-1, 3))
    assert 0.05 < len(kept) / len(mesh.triangles) < 0.5
    assert [part["first"] for part in made] == [0, made[0]["count"]]
    assert sum(part["count"] for part in made) == kept.size
    for part, own, pair in zip(parts, made, pairs, strict=True):
        vertices, stand_ins = np.transpose(pair)
        corners = mesh.triangles.ravel()[part["first"] :][: part["count"]]
        np.testing.assert_array_equal(np.sort(vertices), np.unique(corners))
        cells = [np.floor(mesh.positions[each].astype(float) / cell) for each in (vertices, stand_ins)]
        np.testing.assert_array_equal(*cells)
        np.testing.assert_array_equal(rows[vertices, 0], rows[stand_ins, 0])
        np.testing.assert_array_equal(colors[vertices], colors[stand_ins])
        triangles = kept[own["first"] // 3 :][: own["count"] // 3]
        assert (np.diff(np.sort(triangles, axis=1), axis=1) > 0).all(), "none without area"
        moved = np.zeros(mesh.vertex_count, int)
        moved[vertices] = stand_ins
        wanted = moved[corners].reshape(-1, 3)
        wanted = wanted[(np.diff(np.sort(wanted, axis=1), axis=1) > 0).all(axis=1)]
        wanted, once = smallest_first(wanted), smallest_first(triangles)
        np.testing.assert_array_equal(np.unique(wanted, axis=0), np.unique(once, axis=0))
        assert len(np.unique(once, axis=0)) == len(once), "none twice"


def test_a_limb_thinner_than_a_cell_stays_a_limb(tab):
    corner = np.array([[1, 1], [-1, 1], [-1, -1], [1, -1]])
    place = np.array([[x, 0.5 + 0.1 * y, 0.5 + 0.1 * z] for x in np.arange(0, 8, 0.25) for y, z in corner])
    sides = np.roll(corner, 1, axis=0) + 2 * corner  # each leans to one side
    normals = np.tile(np.column_stack([np.zeros(4), 40 * sides, np.zeros(4)]), (len(place) // 4, 1))
    ring = np.array([[k, (k + 1) % 4, 4 + k, 4 + k, (k + 1) % 4, 4 + (k + 1) % 4] for k in range(4)])
    triangles = (ring.reshape(-1, 3) + 4 * np.arange(len(place) // 4 - 1)[:, None, None]).reshape(-1, 3)
    code = code_of("math.js", "coarse.js")
    kept = tab.page.evaluate(
        f"""([positions, normals, triangles]) => {{ {code}
          const info = {{ parts: [{{ first: 0, count: triangles.length, image: null }}] }};
          const [rows, colors] = [Array(positions.length).fill(0), new Uint8Array(2 * positions.length)];
          const mesh = {{ positions, rows, colors, info, normals: Int8Array.from(normals) }};
          mesh.triangles = Uint32Array.from(triangles);
          return Array.from(coarseTriangles(mesh, 1).triangles); }}""",
        [place.ravel().tolist(), normals.ravel().tolist(), triangles.ravel().tolist()],
    )

    def area(corners):
        a, b, c = (place[corners[:, k]] for k in range(3))
        return np.linalg.norm(np.cross(b - a, c - a), axis=1).sum() / 2

    kept = np.reshape(kept, (-1, 3))
    assert len(kept) < len(triangles) / 2
    assert area(kept) > 0.8 * area(triangles)


def test_coarse_triangles_keep_to_their_piece_of_the_picture(tab):
    # A strip of 8 quads that lies in two pieces in the picture, cut at x = 5; cells end at 3, 6 and 9.
    place = np.array([[x, y, 0] for x in (*range(6), *range(5, 9)) for y in (0, 3)], float)
    left = np.arange(len(place)) < 12
    uvs = np.where(left[:, None], 1, [[9, 9]])  # any numbers: only whether they differ is asked
    first = np.array([*range(0, 10, 2), *range(12, 18, 2)])
    triangles = np.concatenate([first[:, None] + [0, 2, 1], first[:, None] + [1, 2, 3]])
    code = code_of("math.js", "coarse.js")

    def sides_of(image):
        kept = tab.page.evaluate(
            f"""([positions, uvs, triangles, image]) => {{ {code}
              const info = {{ parts: [{{ first: 0, count: triangles.length, image }}] }};
              const [rows, colors, normals] = [Array(80).fill(0), new Uint8Array(80), new Int8Array(80)];
              const mesh = {{ positions, normals, uvs, rows, colors, info, "image.0": [1] }};
              mesh.triangles = Uint32Array.from(triangles);
              return Array.from(coarseTriangles(mesh, 3).triangles); }}""",
            [place.ravel().tolist(), uvs.ravel().tolist(), triangles.ravel().tolist(), image],
        )
        kept = np.reshape(kept, (-1, 3))
        return kept, left[kept].sum(axis=1)

    assert not np.isin(sides_of(None)[1], (0, 3)).all(), "nothing keeps them apart without a picture"
    kept, sides = sides_of(0)
    assert set(sides) == {0, 3}
    assert place[kept[sides == 3], 0].max() == place[kept[sides == 0], 0].min() == 5, "no gap where they meet"


# The camera.


def test_it_frames_what_the_bake_reaches(opened, bake):
    bounds = np.array([clip.bounds for clip in bake.clips.values()])
    low, high = bounds[:, 0].min(axis=0), bounds[:, 1].max(axis=0)
    corners = np.array(np.meshgrid(*zip(low, high, strict=True))).reshape(3, -1).T
    wanted = Camera.framing(corners, SIZE[0] / SIZE[1])
    found = camera_of(opened)
    np.testing.assert_allclose(found.target, wanted.target, atol=1e-6)
    assert found.distance == pytest.approx(wanted.distance, rel=1e-6)
    assert (found.azimuth, found.elevation) == (35, 15)


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
    with Crowd(bake, 1, stage=stage, instances=instances) as crowd:
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


# Many, and machines that can do less.


def test_a_crowd_stands_in_view(opened):
    opened.set(count=60)
    assert opened.state["count"] == 60
    picture = opened.pixels().astype(int)
    busy = np.abs(picture - np.median(picture, axis=(0, 1))).max(axis=-1) > 60
    across = np.flatnonzero(busy.any(axis=0))
    assert across.min() > 5
    assert across.max() < SIZE[0] - 5
    assert np.ptp(across) > 0.6 * SIZE[0]


def instances_of(tab, bake, clip):
    """The instances that a player shows, for the desktop's crowd, and its camera."""
    code = code_of("math.js", "clips.js")
    low, high = (np.array([each.bounds[k] for each in bake.clips.values()]) for k in (0, 1))
    state = tab.state
    shown = tab.page.evaluate(
        f"([count, bounds]) => {{ {code} return crowdOf(count, bounds); }}",
        [state["count"], [low.min(axis=0).tolist(), high.max(axis=0).tolist()]],
    )
    instances = plain_instances(len(shown))
    instances["clip"] = list(bake.clips).index(clip)
    for name in ("position", "scale"):
        instances[name] = [each[name] for each in shown]
    instances["rotation"] = heading(np.array([each["angle"] for each in shown]))
    instances["tint"][:, :3] = np.round(255 * np.array([each["tint"] for each in shown]))
    duration = bake.clips[clip].duration
    instances["time"] = [(state["time"] + each["phase"] * duration) % duration for each in shown]
    return instances


def blocks(picture, side=8):
    """Return the mean colours of squares of pixels."""
    height, width = (length // side for length in picture.shape[:2])
    return picture[: height * side, : width * side].reshape(height, side, width, side, 3).mean(axis=(1, 3))


@pytest.mark.parametrize("count", [12, 300])
def test_a_crowd_is_drawn_as_on_the_desktop_but_for_a_pixel_or_two(opened, bake, stage, count):
    opened.set(count=count, clip="walk", fade=0, time=0.4)
    instances = instances_of(opened, bake, "walk")
    picture = opened.pixels()
    with Crowd(bake, count, stage=stage, instances=instances) as crowd:
        wanted = stage.render(crowd, camera=camera_of(opened), ground_height=lowest(bake)).array
    off = np.abs(blocks(picture) - blocks(wanted)).max(axis=-1)
    assert off.max() < 12
    assert off.mean() < 1


def test_palettes_mixed_per_vertex_give_the_same_picture(opened, new_tab, browser, bake):
    direct = new_tab(browser)
    direct.page.add_init_script(NO_FLOAT_TARGETS)
    direct.open(bake.show(playing=False))
    for state in ({"time": 0.4}, {"method": "dual_quat", "count": 5}, {"color": "weights", "row": "Head"}):
        opened.set(**state)
        direct.set(**state)
        assert share_off(direct.pixels(), opened.pixels()) == 0
    direct.set(method="side_by_side")
    assert direct.page.locator(".lissom-names span").all_text_contents() == ["Linear", "Dual quaternion"]


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
    assert "comes back" in message.text_content()
    assert message.locator("img").count() == 1
    tab.page.evaluate("() => loss.restoreContext()")
    message.wait_for(state="hidden")
    np.testing.assert_array_equal(tab.pixels(), before)


def create(tab, data, options):
    """Make one more player on the page; return what it says in place of a picture."""
    return tab.page.evaluate(
        """async ([text, options]) => {
          const element = document.body.appendChild(document.createElement("div"));
          const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
          self.player = await lissom.createPlayer(element, bytes, options);
          return element.querySelector(".lissom-message").textContent;
        }""",
        [base64.b64encode(data).decode(), {"test": True, "width": SIZE[0], "height": SIZE[1]} | options],
    )


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


# What a kernel says.


@pytest.fixture
def kernel(opened, hero):
    data = bundle(hero.mesh, hero.skin, bones=bones_of(hero.skeleton.parents, hero.skin), size=hero.size)
    assert create(opened, data, {}) == ""
    return opened


def show_pose(tab, hero, pose):
    palette = hero.skin.palette(hero.skeleton.model_matrices(pose))
    tab.page.evaluate(
        """([linear, dual]) =>
          player.pose({ linear: new Float32Array(linear), dual: new Float32Array(dual) })""",
        [palette_texels(palette, method).ravel().tolist() for method in ("linear", "dual_quat")],
    )


def test_a_kernel_poses_it(kernel, hero, stage):
    pose = hero.clips["wave"].at(0.3)
    kernel.set(ground=False)
    at_rest = kernel.pixels()
    show_pose(kernel, hero, pose)
    kernel.set(method="dual_quat")
    posed = kernel.pixels()
    kernel.page.evaluate("() => player.pose(null)")
    kernel.set(method="linear")
    np.testing.assert_array_equal(kernel.pixels(), at_rest)
    options = {
        "camera": camera_of(kernel),
        "ground": False,
        "ground_height": float(hero.mesh.positions[:, 1].min()),
    }
    with SkinnedModel(hero, stage=stage, method="dual_quat") as model:
        for drawn, shown in ((at_rest, hero.skeleton.rest), (posed, pose)):  # it was bound in its rest pose
            model.set_pose(shown)
            assert share_off(drawn, stage.render(model, **options).array) <= SAME


def test_a_draft_keeps_the_shadows_of_the_picture_before(kernel, hero):
    show_pose(kernel, hero, hero.clips["wave"].at(0.3))
    before = kernel.pixels()
    rough = share_off(kernel.pixels(draft=True), before)
    assert 0.001 < rough < 0.03, "edges alone differ"
    aside = hero.skeleton.rest.copy()
    aside[0, 0] += 0.6
    show_pose(kernel, hero, aside)
    draft, after = kernel.pixels(draft=True), kernel.pixels()
    clip = camera_of(kernel).clip_from_world(SIZE[0] / SIZE[1], 0.1, 100.0) @ [0.0, 0.0, 0.0, 1.0]
    x, y = (SIZE * (0.5 + [0.5, -0.5] * clip[:2] / clip[3])).astype(int)  # on the ground, where feet stood
    np.testing.assert_allclose(draft[y, x], before[y, x], atol=2)
    assert (after[y, x] > draft[y, x] + 20).all()
    kernel.page.evaluate("() => player.set({ camera: { azimuth: -60 } })")
    again = share_off(kernel.pixels(draft=True), kernel.pixels())
    assert again < 1.2 * rough, "seen from elsewhere, they are drawn anew"


def test_a_handle_is_dragged_in_the_plane_that_faces_the_eye(kernel):
    kernel.page.evaluate(
        """() => {
          document.querySelectorAll(".lissom-player")[0].remove();
          self.drags = [];
          player.onDrag((...drag) => drags.push(drag));
          const handle = { id: "hand", position: [0.2, 1, 0.3], radius: 0.05, color: [1, 0.5, 0] };
          player.overlay({ handles: [handle] });
          player.draw();
        }"""
    )
    x, y = place_of(kernel, [0.2, 1.0, 0.3])
    before = kernel.state["camera"]
    mouse = kernel.page.mouse
    mouse.move(x, y)
    mouse.down()
    mouse.move(x + 30, y - 20, steps=2)
    mouse.up()
    drags = kernel.page.evaluate("() => drags")
    assert [drag[0] for drag in drags] == ["hand"] * len(drags)
    assert [drags[0][2], drags[-1][2]] == ["start", "end"]
    assert {drag[2] for drag in drags[1:-1]} == {"move"}
    assert kernel.state["camera"] == before
    end = drags[-1][1]
    np.testing.assert_allclose(place_of(kernel, end), [x + 30, y - 20], atol=1e-3)
    camera = camera_of(kernel)
    assert np.subtract(end, [0.2, 1, 0.3]) @ camera.axes[2] == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("distance", [4, 40])
def test_handles_are_large_enough_to_be_seen(kernel, distance):
    kernel.set(ground=False, camera={"distance": distance})
    bare = kernel.pixels()
    kernel.page.evaluate(
        """() => player.overlay({ handles: [
          { id: "hand", position: [0.9, 1.5, 0.3], radius: 0.001, color: [1, 0.5, 0] }] })"""
    )
    ys, xs = np.nonzero((kernel.pixels().astype(int) != bare).any(axis=-1))
    assert 13 <= np.ptp(xs) + 1 <= 16
    assert 13 <= np.ptp(ys) + 1 <= 16


def test_a_handle_within_the_body_is_seen_through_it(kernel):
    handle = {"id": "hand", "position": [0, 1.2, 0], "radius": 0.05, "color": [1, 0, 0]}
    front = handle | {"id": "front", "position": [0.9, 1.2, 0]}
    kernel.page.evaluate(
        """handles => {
          document.querySelectorAll(".lissom-player")[0].remove();
          player.overlay({ handles });
        }""",
        [handle, front],
    )
    pixels = kernel.pixels().astype(int)
    (x, y), (u, v) = (np.rint(place_of(kernel, each["position"])).astype(int) for each in (handle, front))
    np.testing.assert_allclose(pixels[y, x, :3], pixels[v, u, :3], atol=30)


def test_a_second_finger_does_not_take_the_handle(new_tab, browser, hero):
    tab = new_tab(browser, has_touch=True)
    tab.open(hero.show("walk", playing=False))
    tab.page.evaluate(
        """() => {
          self.drags = [];
          player.onDrag((...drag) => drags.push(drag));
          const handle = { id: "hand", position: [0.2, 1, 0.3], radius: 0.05, color: [1, 0.5, 0] };
          player.overlay({ handles: [handle] });
          player.draw();
        }"""
    )
    x, y = place_of(tab, [0.2, 1.0, 0.3])
    session = tab.page.context.new_cdp_session(tab.page)

    def touch(kind, *fingers):
        points = [{"x": x + dx, "y": y, "id": i} for i, dx in fingers]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    before = tab.state["camera"]
    touch("touchStart", (0, 0))
    touch("touchMove", (0, 20))
    touch("touchStart", (0, 20), (1, 80))
    touch("touchMove", (0, 20), (1, 100))
    touch("touchMove", (0, 40))  # the other is lifted
    touch("touchEnd")
    drags = tab.page.evaluate("() => drags")
    assert [phase for _, _, phase in drags].count("end") == 1
    places = [place_of(tab, place)[0] - x for _, place, _ in drags]
    np.testing.assert_allclose(places[-1], 40, atol=0.1)
    assert max(places) < 41
    assert tab.state["camera"] == before


def test_overlays_show_through(kernel):
    plain = kernel.pixels()
    kernel.page.evaluate(
        """() => player.overlay({
          lines: new Float32Array([0, 0, 0, 1, 0, 0, 1, 0, 1.6, 0, 1, 0, 0, 1]), text: "three steps" })"""
    )
    marked = kernel.pixels()
    red = (marked[..., 0].astype(int) - plain[..., 0] > 20) | (marked[..., 0] > 200) & (marked[..., 1] < 60)
    assert 100 < (marked != plain).any(axis=-1).sum() < 3000
    assert red.any()
    assert kernel.page.locator(".lissom-text").last.text_content() == "three steps"
    kernel.page.evaluate("() => player.overlay({ lines: [], text: '' })")
    np.testing.assert_array_equal(kernel.pixels(), plain)


# Errors.


@pytest.mark.parametrize(
    ("state", "message"),
    [
        ({"speeed": 2}, "player.set: expected a name of player.state, got speeed"),
        ({"clip": "fly"}, "player.set: clip: expected one of walk, run, got fly"),
        ({"method": "cor"}, "player.set: method: expected one of linear, dual_quat, side_by_side, got cor"),
    ],
)
def test_a_state_that_is_none_is_refused(opened, state, message):
    said = opened.page.evaluate(
        "s => { try { player.set(s); } catch (error) { return error.message; } }", state
    )
    assert said == message
