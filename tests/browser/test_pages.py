# SPDX-License-Identifier: MIT
"""Pages of their own: they open from a disk, ask no network, play, and say why where they cannot."""

import numpy as np
import pytest

import lissom
from browser.conftest import MILLISECONDS, each_renderer

MOST_BYTES = 400_000  # of the humanoid that walks and runs
SECONDS_TO_START = 10  # a page takes half a second here; this is for machines that do other things
SMALL = {"width": 400, "height": 400}  # pictures are quickly drawn in such a window
NO_WEBGL2 = """
const before = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
  return kind === "webgl2" ? null : before.call(this, kind, ...rest);
};
"""


@pytest.fixture(scope="module")
def tube():
    return lissom.samples.two_bone_tube()


@pytest.fixture(scope="module")
def saved(tube, tmp_path_factory):
    """A page on the disk, as users have it, and what it was made of."""
    player = tube.show("twist")
    return player.save(tmp_path_factory.mktemp("saved") / "tube.html"), player


def off(ours, theirs):
    return np.mean(np.abs(ours.astype(int) - theirs).max(axis=-1) > 8)


@each_renderer
def test_a_page_opens_from_the_disk_plays_and_asks_no_network(tab, saved):
    path, _ = saved
    tab.page.set_viewport_size(SMALL)
    tab.open_file(path)
    tab.wait()
    assert tab.requests == [path.as_uri()]
    tab.page.wait_for_function("() => player.state.time > 0", timeout=MILLISECONDS)
    tab.set(playing=False, time=0.0)
    first = tab.screenshot()
    tab.set(playing=True, speed=3)
    # Stopped as soon as it has moved, since it comes round to the first pose.
    moved = "() => player.state.time > 0.7 && (player.set({ playing: false }), true)"
    tab.page.wait_for_function(moved, timeout=MILLISECONDS)
    assert off(tab.screenshot(), first) > 0.005  # it moves
    assert tab.requests == [path.as_uri()]


def test_a_page_holds_one_context_of_webgl(new_tab, browser, saved):
    tab = new_tab(browser)
    tab.page.add_init_script(
        """self.contexts = [];
        const own = HTMLCanvasElement.prototype.getContext;
        HTMLCanvasElement.prototype.getContext = function (...asked) {
          contexts.push(own.apply(this, asked));
          return contexts.at(-1);
        };"""
    )
    tab.open_file(saved[0])
    tab.wait()
    assert tab.page.evaluate("() => contexts.filter((gl) => !gl.isContextLost()).length") == 1


@pytest.mark.gl
def test_a_page_that_loses_its_graphics_shows_its_still(tab, saved):
    tab.open_file(saved[0])
    tab.wait()
    lost = "document.querySelector('canvas').getContext('webgl2').getExtension('WEBGL_lose_context')"
    tab.page.evaluate(f"() => {lost}.loseContext()")
    still = tab.page.get_by_alt_text("A still picture of the character")
    still.wait_for(timeout=MILLISECONDS)
    assert still.evaluate("image => image.decode().then(() => image.naturalWidth)") == 720


def test_players_of_a_notebook_start_when_they_are_seen(tab, saved, tmp_path):
    _, player = saved
    cell = player._repr_mimebundle_()["text/html"]
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><meta charset=utf-8>{cell}<p style='height:20000px'></p>{cell}")
    tab.open_file(notebook)
    tab.page.wait_for_function("() => frames.length === 2")
    near, far = tab.page.frames[1:]
    near.wait_for_function("() => self.player", timeout=MILLISECONDS)
    assert not far.evaluate("() => !!(self.player || document.querySelector('canvas'))")
    tab.page.evaluate("() => scrollTo(0, 20000)")
    far.wait_for_function("() => self.player", timeout=MILLISECONDS)


def test_a_page_is_small(hero):
    assert len(hero.show(["walk", "run"]).html.encode()) < MOST_BYTES


def test_a_page_starts_quickly(tab, saved):
    path, _ = saved
    tab.open_file(path)
    tab.wait()
    assert tab.page.evaluate("() => performance.now()") < 1000 * SECONDS_TO_START


def test_the_browser_unpacks_to_the_byte(tab, saved):
    path, player = saved
    tab.open_file(path)
    tab.wait()
    digest = tab.page.evaluate(
        """async () => {
          let sum = 0, length = 0;
          const bytes = await lissom.unpack(document.getElementById("bundle").textContent);
          const start = 8 + new DataView(bytes.buffer).getUint32(0, true);
          for (const byte of bytes.subarray(start)) {
            sum = (Math.imul(sum, 31) + byte) >>> 0;
            length++;
          }
          return [sum, length];
        }"""
    )
    data = player.bundle[8 + int.from_bytes(player.bundle[:8], "little") :]
    total = 0
    for byte in data:
        total = (total * 31 + byte) & 0xFFFFFFFF
    assert digest == [total, len(data)]


def test_methods_and_instances_change_the_picture(tab, tube):
    tab.open(tube.show("twist", playing=False, time=0.6))
    linear = tab.pixels()
    tab.set(method="dual_quat")
    rounder = tab.pixels()
    assert off(rounder, linear) > 0.005
    tab.set(method="linear")
    assert off(tab.pixels(), linear) == 0
    tab.set(method="side_by_side")
    assert off(tab.pixels(), linear) > 0.02
    tab.set(method="linear", count=60)
    assert off(tab.pixels(), linear) > 0.02
    tab.set(count=1, skeleton=True)
    assert off(tab.pixels(), linear) > 0.001


def test_the_panel_does_what_it_says(tab, saved):
    path, _ = saved
    tab.page.set_viewport_size(SMALL)
    tab.open_file(path)
    tab.wait()
    tab.page.get_by_label("Skinning").select_option("dual_quat")
    assert tab.state["method"] == "dual_quat"
    slider = tab.page.get_by_label("Instances")
    slider.fill("0.5")
    assert 20 < tab.state["count"] < 50
    tab.page.get_by_label("Skeleton").check()
    assert tab.state["skeleton"] is True
    tab.page.locator("canvas").press("Space")
    assert tab.state["playing"] is False
    time = tab.state["time"]
    tab.page.locator("canvas").press("ArrowRight")
    assert tab.state["time"] > time


def test_the_state_of_the_page_is_what_it_starts_with(tab, tube):
    camera = {"target": [0.0, 1.0, 0.0], "distance": 5.0, "azimuth": -20.0, "elevation": 40.0}
    tab.open(tube.show("twist", playing=False, time=0.25, method="dual_quat", skeleton=True, camera=camera))
    state = tab.state
    assert (state["clip"], state["time"], state["playing"]) == ("twist", 0.25, False)
    assert (state["method"], state["skeleton"]) == ("dual_quat", True)
    assert {name: state["camera"][name] for name in camera} == camera


def test_one_pose_bones_alone_and_points_are_shown(tab, tube):
    tab.open(tube.show(pose=tube.clips["twist"].sample(0.5)))
    assert len(np.unique(tab.pixels().reshape(-1, 3), axis=0)) > 100
    bones = lissom.Character("bones", tube.skeleton, None, None, tube.clips)
    tab.open(bones.show("twist", playing=False))
    assert len(np.unique(tab.pixels().reshape(-1, 3), axis=0)) > 100
    tab.open(lissom.bake(tube, "twist", include_mesh=False).show(skeleton=True, playing=False))
    assert len(np.unique(tab.pixels().reshape(-1, 3), axis=0)) > 100


def says(tab, path):
    """Open a page that cannot play: what it says, and whether its still is seen."""
    tab.open_file(path)
    tab.page.wait_for_selector("main p", timeout=MILLISECONDS)
    (sentence,) = tab.page.locator("main p").all_inner_texts()
    still = tab.page.locator("main img")
    return sentence, still.is_visible() and still.evaluate("img => img.naturalWidth > 0")


@pytest.mark.gl
def test_without_webgl2_the_page_says_so_below_its_still(new_tab, browser, saved):
    tab = new_tab(browser)
    tab.page.add_init_script(NO_WEBGL2)
    sentence, has_still = says(tab, saved[0])
    assert "WebGL 2" in sentence
    assert has_still


@pytest.mark.gl
def test_without_decompression_the_page_says_so_below_its_still(new_tab, browser, saved):
    tab = new_tab(browser)
    tab.page.add_init_script("delete window.DecompressionStream;")
    sentence, has_still = says(tab, saved[0])
    assert "DecompressionStream" in sentence
    assert has_still


@pytest.mark.gl
def test_without_scripts_the_page_says_so_below_its_still(new_tab, browser, saved):
    sentence, has_still = says(new_tab(browser, java_script_enabled=False), saved[0])
    assert "scripts" in sentence
    assert has_still


def test_a_page_that_was_cut_off_says_so(tab, saved, tmp_path):
    path, _ = saved
    page = path.read_text(encoding="utf-8")
    start = page.index('id="bundle">') + 200
    broken = tmp_path / "broken.html"
    broken.write_text(page[:start] + page[start + 400 :], encoding="utf-8")
    tab.open_file(broken)
    tab.page.wait_for_selector("main p", timeout=MILLISECONDS)
    assert tab.page.inner_text("main p").startswith("This page could not start its player: ")
    assert len(tab.errors) == 1
    tab.errors.clear()


def test_nothing_of_a_title_runs(tab, tube):
    evil = "<img src=x onerror=alert(1)></script><script>document.title='owned'</script>"
    clip = lissom.Clip.from_poses(tube.skeleton, [0.0], [tube.skeleton.rest], name=evil)
    tab.open(tube.show(clip, title=evil))
    assert tab.page.title() == evil
    assert tab.state["clip"] == evil


def test_a_notebooks_frame_plays(tab, saved, tmp_path):
    _, player = saved
    cell = tmp_path / "cell.html"
    frame = player._repr_mimebundle_()["text/html"]
    cell.write_text(f"<!doctype html><meta charset=utf-8><p>a cell</p>{frame}<p style='height:2000px'>")
    tab.open_file(cell)
    inside = tab.page.frame_locator("iframe").locator("canvas")
    inside.wait_for(timeout=MILLISECONDS)
    (frame,) = tab.page.frames[1:]
    frame.wait_for_function("() => self.player && player.state.time > 0.05", timeout=MILLISECONDS)
    assert frame.evaluate("() => player.info.error") is None
    # The wheel scrolls the notebook until the picture was clicked, then it zooms.
    inside.hover()
    before = frame.evaluate("() => player.state.camera.distance")
    tab.page.mouse.wheel(0, 100)
    tab.page.wait_for_function("() => scrollY > 0", timeout=MILLISECONDS)
    assert frame.evaluate("() => player.state.camera.distance") == before
    inside.click()
    tab.page.mouse.wheel(0, 100)
    frame.wait_for_function(f"() => player.state.camera.distance > {before}", timeout=MILLISECONDS)
