# SPDX-License-Identifier: MIT
"""`lissom.DropTarget` in Chromium, with this process as its kernel."""

import base64

import pytest

import lissom
from browser.bare_page import show_in

SECONDS = 30_000

DROP = """([name, text]) => {
  const dataTransfer = new DataTransfer();
  const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  dataTransfer.items.add(new File([data], name));
  const target = document.querySelector(".lissom-drop-target");
  target.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
}"""


@pytest.fixture(scope="module")
def glb(tmp_path_factory):
    path = tmp_path_factory.mktemp("drop") / "tube.glb"
    lissom.save_glb(lissom.samples.humanoid(), path)
    return path


@pytest.fixture
def target(tab):
    pytest.importorskip("anywidget")
    tab.page.set_content("<!doctype html><title>a notebook</title>")
    made = lissom.DropTarget(height=300)
    show_in(tab.page, made.widget)
    return made


def drop(page, name, data):
    page.evaluate(DROP, [name, base64.b64encode(data).decode()])


def said(page, sentence):
    page.wait_for_selector(f"[role=status]:has-text('{sentence}')", timeout=SECONDS)


def test_a_dropped_file_plays_in_the_cell_and_is_the_characters(tab, target, glb):
    data = glb.read_bytes()
    drop(tab.page, "hero.glb", data)
    tab.page.wait_for_selector("canvas", timeout=SECONDS)
    said(tab.page, "hero.glb")
    tab.page.wait_for_function("() => document.querySelector('.lissom-drop-target').player", timeout=SECONDS)
    assert tab.page.evaluate("document.querySelector('.lissom-drop-target').player.info.error") is None
    assert target.character.name == "hero"
    assert target.character.mesh.vertex_count == lissom.load(glb).mesh.vertex_count
    pieces = tab.page.evaluate("window.sent.filter(({ kind }) => kind === 'piece').length")
    assert pieces == -(-len(data) // (1 << 19)) > 1


def test_a_picked_file_too_and_a_view_that_comes_later_shows_it(tab, target, glb):
    tab.page.locator("input[type=file]").set_input_files(glb)
    said(tab.page, "tube.glb")
    tab.page.evaluate("window.cleanUp(); document.getElementById('widget').remove()")
    assert tab.page.evaluate("window.listenerCount()") == 0
    show_in(tab.page, target.widget)
    tab.page.wait_for_selector("canvas", timeout=SECONDS)


def test_what_cannot_be_shown_is_said(tab, target):
    drop(tab.page, "notes.txt", b"hello")
    said(tab.page, "notes.txt: cannot be shown; drop one of .glb, .gltf, .vrm, .bvh.")
    drop(tab.page, "bad.glb", b"glTF\2\0\0\0\x20\0\0\0 not a chunk")
    said(tab.page, "bad.glb: ")
    tab.page.wait_for_function(
        "() => /bad.glb: .*(GLB|glTF|chunk|length)/.test(document.querySelector('[role=status]').textContent)"
    )
    assert target.character is None
    assert tab.page.locator("canvas").count() == 0
