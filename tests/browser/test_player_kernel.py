# SPDX-License-Identifier: MIT
"""What a kernel says to the player: poses, drafts, handles, lines."""

import numpy as np
import pytest

from browser.conftest import SIZE
from browser.players import SAME, camera_of, create, place_of, share_off
from lissom.gpu import SkinnedModel
from lissom.gpu._palettes import palette_texels
from lissom.player import bones_of, bundle

pytestmark = pytest.mark.gl

SHOW_A_HANDLE = """() => {
  self.drags = [];
  player.onDrag((...drag) => drags.push(drag));
  const handle = { id: "hand", position: [0.2, 1, 0.3], radius: 0.05, color: [1, 0.5, 0] };
  player.overlay({ handles: [handle] });
  player.draw();
}"""


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
    kernel.page.evaluate("() => document.querySelectorAll('.lissom-player')[0].remove()")
    kernel.page.evaluate(SHOW_A_HANDLE)
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
    tab.page.evaluate(SHOW_A_HANDLE)
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
    clip_from_world = camera_of(kernel).clip_from_world(SIZE[0] / SIZE[1], 0.1, 100.0)
    for height in (0.05, 0.8, 1.55):
        x, y, _, w = clip_from_world @ [0.0, height, 0.0, 1.0]
        column, row = int((1 + x / w) / 2 * SIZE[0]), int((1 - y / w) / 2 * SIZE[1])
        assert red[row, column - 1 : column + 2].any(), "all of the line is drawn"
    assert kernel.page.locator(".lissom-text").last.text_content() == "three steps"
    kernel.page.evaluate("() => player.overlay({ lines: [], text: '' })")
    np.testing.assert_array_equal(kernel.pixels(), plain)
