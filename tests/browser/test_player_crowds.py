# SPDX-License-Identifier: MIT
"""Crowds in the player: fewer triangles where figures are small, places, palettes mixed per vertex."""

import json

import numpy as np
import pytest

import lissom
from browser.conftest import SIZE
from browser.players import camera_of, code_of, lowest, share_off
from glazed import seen_through
from lissom.gpu import Crowd, heading, plain_instances

pytestmark = pytest.mark.gl

NO_FLOAT_TARGETS = """
const own = WebGL2RenderingContext.prototype.getExtension;
WebGL2RenderingContext.prototype.getExtension = function (name) {
  return name === "EXT_color_buffer_float" ? null : own.call(this, name);
};
"""


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
        f"""(text) => {{ {code}
          const [positions, normals, rows, colors, triangles, parts, cell] = JSON.parse(text);
          const given = {{ positions, rows, colors: Uint8Array.from(colors), info: {{ parts }},
            normals: Int8Array.from(normals), triangles: Uint32Array.from(triangles) }};
          const {{ triangles: kept, parts: made }} = coarseTriangles(given, cell);
          const own = parts.map(({{ first, count }}) => [...standIns(given,
            given.triangles.subarray(first, first + count), cell, (v) => colorOf(given, v))]);
          return JSON.stringify([Array.from(kept), made, own]); }}""",
        json.dumps(  # playwright takes seconds for lists as they are
            [a.ravel().tolist() for a in (mesh.positions, normals, rows[:, :4], colors, mesh.triangles)]
            + [parts, cell]
        ),
    )
    kept, made, pairs = json.loads(found)
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


def test_coarse_triangles_keep_colours_where_they_run_into_one_another(tab):
    """A band of quads in two gradients, cut between the two."""
    place = np.array([[x / 4, y, 0] for x in (*range(17), *range(16, 33)) for y in (0, 3)], float)
    right = np.arange(len(place)) >= 34
    colors = np.zeros((len(place), 4), int)
    colors[:, 0] = np.where(right, 10 * (place[:, 0] - 4), 200 - 10 * place[:, 0])
    first = np.array([*range(0, 32, 2), *range(34, 66, 2)])
    triangles = np.concatenate([first[:, None] + [0, 2, 1], first[:, None] + [1, 2, 3]])
    kept = tab.page.evaluate(
        f"""([positions, colors, triangles]) => {{ {code_of("math.js", "coarse.js")}
          const info = {{ parts: [{{ first: 0, count: triangles.length, image: null }}] }};
          const [rows, normals] = [Array(4 * 68).fill(0), new Int8Array(4 * 68)];
          const mesh = {{ positions, normals, rows, info, colors: Uint8Array.from(colors) }};
          mesh.triangles = Uint32Array.from(triangles);
          return Array.from(coarseTriangles(mesh, 1).triangles); }}""",
        [place.ravel().tolist(), colors.ravel().tolist(), triangles.ravel().tolist()],
    )
    kept = np.reshape(kept, (-1, 3))
    assert len(kept) < len(triangles) / 2
    sides = right[kept].sum(axis=1)
    assert set(sides) == {0, 3}, "no triangle has corners on both sides"


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


def test_a_blended_crowd_is_drawn_as_on_the_desktop(tab, stage, hero):
    """Of thirty that stand before one another, the farthest first, each with its tint."""
    bake = lissom.bake(seen_through(hero, 0.6), ["walk"], rate=30)
    tab.open(bake.show())
    tab.set(count=30, clip="walk", fade=0, time=0.4)
    instances = instances_of(tab, bake, "walk")
    picture = tab.pixels()
    with Crowd(bake, 30, stage=stage, instances=instances, levels=()) as crowd:
        wanted = stage.render(crowd, camera=camera_of(tab), ground_height=lowest(bake)).array
    assert np.abs(blocks(picture) - blocks(wanted)).max() < 12


@pytest.mark.parametrize("count", [12, 120])
def test_a_crowd_is_drawn_as_on_the_desktop_but_for_a_pixel_or_two(opened, bake, stage, count):
    opened.set(count=count, clip="walk", fade=0, time=0.4)
    instances = instances_of(opened, bake, "walk")
    picture = opened.pixels()
    with Crowd(bake, count, stage=stage, instances=instances, levels=()) as crowd:
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
