# SPDX-License-Identifier: MIT
"""Players of heavy characters: what takes seconds is done in a worker, and the page answers meanwhile."""

import base64

import pytest

from browser.conftest import MILLISECONDS
from browser.players import code_of
from dense_mesh import with_vertices
from lissom.player import Player, bundle

pytestmark = pytest.mark.gl

SMALL = {"width": 320, "height": 320}
NO_WORKER = "self.Worker = class { constructor() { throw new Error('refused'); } };"
# Changes the state, and counts what the page answers to until the triangles are there.
ANSWERS = """async (state) => {
  const before = player.info.levels;
  player.set(state);
  for (let answers = 0; ; answers++) {
    if (player.info.levels > before) return answers;
    await new Promise((done) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => setTimeout(done, 5);
      port2.postMessage(0);
    });
  }
}"""


@pytest.fixture(scope="module")
def heavy(hero, bake):
    """A player of 46 000 vertices."""
    mesh = with_vertices(hero, 40_000).mesh
    return Player(bundle(mesh, None, bake=bake), title="heavy", state={"playing": False})


def open_heavy(tab, heavy):
    tab.page.set_viewport_size(SMALL)
    tab.open(heavy, test=False)


def test_a_page_answers_while_triangles_of_a_crowd_are_made(new_tab, browser, heavy):
    tab = new_tab(browser)
    open_heavy(tab, heavy)
    assert tab.page.workers == []
    assert tab.page.evaluate(ANSWERS, {"count": 30}) > 10
    assert len(tab.page.workers) == 1
    assert tab.page.evaluate("() => player.info.error") is None
    with tab.page.workers[0].expect_event("close"):
        tab.page.evaluate("() => player.destroy()")


def test_the_last_picture_stays_until_then(new_tab, browser, heavy):
    tab = new_tab(browser)
    open_heavy(tab, heavy)
    tab.page.wait_for_function("() => player.info.pictures > 0")
    drawn = tab.page.evaluate(
        """async () => {
          const before = player.info.pictures;
          player.set({ count: 60 });
          await new Promise(requestAnimationFrame);
          await new Promise(requestAnimationFrame);
          return [player.info.levels, player.info.pictures - before];
        }"""
    )
    assert drawn == [0, 0]
    tab.page.wait_for_function("() => player.info.levels === 2", timeout=MILLISECONDS)


def test_without_workers_the_page_makes_them_itself(new_tab, browser, paused):
    tab = new_tab(browser)
    tab.page.add_init_script(NO_WORKER)
    open_heavy(tab, paused)
    tab.page.evaluate(ANSWERS, {"count": 30})
    assert tab.page.workers == []
    tab.set(wireframe=True)
    assert tab.page.evaluate("() => player.info.error") is None


def test_a_frame_of_a_notebook_may_have_a_worker(new_tab, browser, heavy, tmp_path):
    tab = new_tab(browser)
    notebook = tmp_path / "notebook.html"
    notebook.write_text(f"<!doctype html><meta charset=utf-8>{heavy._frame()}")
    tab.open_file(notebook)
    tab.page.wait_for_function("() => frames.length === 1")
    frame = tab.page.frames[1]
    frame.wait_for_function("() => self.player", timeout=MILLISECONDS)
    assert frame.evaluate(ANSWERS, {"count": 30}) > 10
    assert len(tab.page.workers) == 1


def test_a_worker_makes_what_the_page_would(tab, hero):
    code = code_of("math.js", "coarse.js", "data.js", "mesh.js", "background.js")
    found = tab.page.evaluate(
        f"""async (text) => {{ {code}
          const bundle = readBundle(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)));
          const [here, there] = [true, false].map((isSync) => makeBackground(bundle, isSync));
          const asked = (background, task, argument) =>
            new Promise((done) => background.ask(task, argument, done));
          const same = [];
          for (const [task, argument] of [["coarse", 0.03], ["edges", null]]) {{
            const [one, other] = [await asked(here, task, argument), await asked(there, task, argument)];
            const values = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
            const plain = (made) => JSON.stringify(made, values);
            same.push(plain(one) === plain(other) && plain(one).length > 1000);
          }}
          there.stop();
          return same; }}""",
        base64.b64encode(bundle(hero.mesh, hero.skin)).decode(),
    )
    assert found == [True, True]


def test_edges_are_those_of_all_triangles_once(tab):
    edges = tab.page.evaluate(f"() => {{ {code_of('mesh.js')} return [...edgesOf([0, 1, 2, 2, 1, 3])]; }}")
    assert sorted(zip(edges[::2], edges[1::2], strict=True)) == [(0, 1), (0, 2), (1, 2), (1, 3), (2, 3)]


def test_a_dense_character_moves_as_the_one_it_is_made_of(hero):
    dense = with_vertices(hero, 12_000)
    pose = hero.clips["run"].sample(0.2)
    count = hero.mesh.vertex_count
    away = dense.deform(pose, "linear")[:count] - hero.deform(pose, "linear")
    assert dense.mesh.vertex_count > 3 * count
    assert abs(away).max() < 1e-4 * hero.size
