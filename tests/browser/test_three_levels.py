# SPDX-License-Identifier: MIT
"""`lissom-three` draws far instances with fewer triangles, off by less than half a pixel, and none unseen."""

import json

import numpy as np
import pytest

import lissom
from browser.three_pages import ThreeTab, needs_three
from lissom._formats import safetensors

pytest.importorskip("fast_simplification", reason="fast-simplification is not installed")
pytestmark = [pytest.mark.gl, pytest.mark.tree, needs_three]

HALF = 0.5  # pixel
FRONT = {"eye": [0, 1, 30], "target": [0, 1, 0]}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    hero = lissom.samples.humanoid()
    bake = lissom.bake(hero, ["walk", "wave"], rate=30, dtype="float32")
    folder = tmp_path_factory.mktemp("levels")
    files = {}
    for name, levels in (("hero", True), ("plain", False)):
        bake.export("three", folder / name, name=name, levels=levels)
        files[f"{name}.safetensors"] = (folder / name / f"{name}.safetensors").read_bytes()
    told = json.loads(safetensors.read(folder / "hero" / "hero.safetensors")[1]["levels"])
    return bake, files, told


@pytest.fixture(scope="module")
def three(browser, made):
    page = browser.new_page(viewport={"width": 500, "height": 400})
    tab = ThreeTab(page, made[1])
    yield tab
    page.close()


@pytest.fixture(autouse=True)
def quiet(three):
    three.errors.clear()
    yield
    assert three.errors == []


def standing(places, scale=1.0, clip="walk"):
    matrices = np.tile(scale * np.eye(4), (len(places), 1, 1))
    matrices[:, :3, 3], matrices[:, 3, 3] = places, 1
    return [{"clip": clip, "time": 0.3, "matrix": matrix.T.ravel().tolist()} for matrix in matrices]


def expected_levels(told, instances):
    """By the rule: the coarsest whose distance is less than half a pixel at the nearest end of the sphere."""
    view = np.reshape(told["view"], (4, 4)).T
    levels = []
    for instance in instances:
        center, radius = told["spheres"][0]
        matrix = view @ np.reshape(instance["matrix"], (4, 4)).T
        scale = np.linalg.norm(matrix[:3, 0])
        depth = -(matrix @ [*center, 1])[2] - scale * radius
        pixels = (
            np.array(told["distances"]) * scale * told["perUnit"] / depth if depth > 0 else np.full(9, 9.0)
        )
        levels.append(max((k for k, size in enumerate(pixels) if size < HALF), default=0) if depth > 0 else 0)
    return np.bincount(levels, minlength=len(told["distances"])).tolist()


@pytest.mark.parametrize(("scale", "nearest"), [(1.0, 27), (0.3, 29.2)])
def test_each_instance_has_the_coarsest_level_below_half_a_pixel(three, made, scale, nearest):
    places = [[0.1 * (i % 5) - 0.2, 0.7, z] for i, z in enumerate(nearest - np.geomspace(0.1, 90, 24))]
    instances = standing(places, scale)
    got = three.call("levelsDrawn", "hero.safetensors", instances, FRONT)
    assert got["distances"] == [0, *(level["distance"] for level in made[2]["levels"])]
    assert got["counts"] == expected_levels(got, instances)
    assert sum(count > 0 for count in got["counts"]) >= 3  # near ones and far ones
    assert sorted(got["seen"]) == list(range(24))
    assert got["count"] == 24
    whole = made[0].mesh.triangle_count
    sizes = [whole] + [sum(end - first for first, end in level["parts"]) for level in made[2]["levels"]]
    assert got["triangles"] == np.dot(got["counts"], sizes)


def test_parallel_views_have_one_level(three):
    view = FRONT | {"orthographic": [-40, 40, 30, -30]}
    got = three.call("levelsDrawn", "hero.safetensors", standing([[0, 0, 0], [3, 0, -30]]), view)
    allowed = HALF / (240 / 60)  # 240 pixels show 60 units
    level = max(k for k, distance in enumerate(got["distances"]) if distance < allowed)
    assert got["counts"][level] == 2


def test_none_is_drawn_that_is_not_seen_but_its_shadow_is(three):
    places = [[0, 0, 0], [40, 0, 0], [0, 0, 60], [0, 40, 0], [-40, 0, 0], [3, 0, 0]]
    got = three.call("levelsDrawn", "hero.safetensors", standing(places), FRONT | {"shadows": True})
    assert sorted(got["seen"]) == [0, 5]
    assert got["casting"]
    assert set(got["casting"]) == {6}
    assert got["count"] == 6


@pytest.mark.parametrize("method", ["linear", "dual_quat"])
def test_pictures_are_those_of_the_whole_mesh(three, method):
    """Bit for bit where no error is allowed; else within half a pixel, which changes edges alone."""
    instances = standing([[0, 0, 0], [-0.9, 0, -8], [0.9, 0, -3]])
    instances[1]["color"] = [1, 0.4, 0.4]
    view = {"eye": [0, 1.4, 5], "target": [0, 0.9, 0], "method": method}
    plain = three.pixels("drawn", "plain.safetensors", instances, view)
    exact = three.pixels("drawn", "hero.safetensors", instances, view | {"pixelError": 0})
    assert np.mean(np.any(exact != plain, axis=-1)) < 1e-4  # two compilations of one shader
    drawn = three.pixels("drawn", "hero.safetensors", instances, view)
    assert np.any(drawn != exact)
    assert np.mean(np.abs(drawn.astype(int) - exact).max(axis=-1) > 24) < 0.01


def test_rays_and_vertices_are_those_of_the_whole_mesh(three):
    instances = standing([[0, 0, 0], [2, 0, 0]], clip="wave")
    rays = [([2, 1.2, 5], [0, 0, -1]), ([9, 1, 5], [0, 0, -1])]
    got = [three.call("hits", f"{name}.safetensors", instances, rays) for name in ("hero", "plain")]
    assert got[0] == got[1]
    assert got[0][0][0] == 1
    numbers = [0, 77, 5000]
    got = [three.call("verticesOnCpu", f"{n}.safetensors", instances, 1, numbers) for n in ("hero", "plain")]
    assert got[0] == got[1]


def test_wrong_levels_are_told(three, made):
    whole = made[1]["hero.safetensors"]
    size = 8 + int.from_bytes(whole[:8], "little")
    header, table = json.loads(whole[8:size]), made[2]
    table = json.loads(json.dumps(table))
    table["levels"][0]["parts"][0] = [0, 10**6]
    header["__metadata__"]["levels"] = json.dumps(table)
    text = json.dumps(header).encode()
    three.files["wrong.safetensors"] = len(text).to_bytes(8, "little") + text + whole[size:]
    said = three.call("said", "await lissom.loadBake('/wrong.safetensors')")
    assert "is damaged: the part" in said
    said = three.call(
        "said", "new lissom.BakedCrowd(await scenes.bakeOf('plain.safetensors'), 1, { pixelError: -1 })"
    )
    assert "pixelError must be a number from 0 on, got -1" in said
