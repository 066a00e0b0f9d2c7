# SPDX-License-Identifier: MIT
"""`lissom view` in Chromium: what loading mended, names that are not there, searches, other units."""

import base64
import json

import numpy as np
import pytest

import lissom
from browser.test_view import SECONDS, drop, said, shows
from conftest import asset

EVIL = "<img src=x onerror=alert(1)>"


def triangle(uri):
    """Return a glTF file with one triangle, whose buffer is elsewhere."""
    corners = {"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}
    return {
        "asset": {"version": "2.0"},
        "buffers": [{"uri": uri, "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [corners | {"min": [0, 0, 0], "max": [1, 1, 1]}],
        "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "material": 0}]}],
        "materials": [{}],
        "nodes": [{"name": "Hips", "mesh": 0}],
        "scenes": [{"nodes": [0]}],
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    lissom.save_glb(lissom.samples.two_bone_tube(), folder / "a.glb")
    lissom.save_glb(lissom.samples.twisted_bar(), folder / "t rex.glb")
    corners = base64.b64encode(np.eye(3, dtype="<f4").tobytes()).decode()
    bare = triangle(f"data:application/octet-stream;base64,{corners}") | {"images": [{"uri": f"{EVIL}.png"}]}
    bare |= {"textures": [{"source": 0}]}
    bare |= {"materials": [{"pbrMetallicRoughness": {"baseColorTexture": {"index": 0}}}]}
    (folder / "z.gltf").write_text(json.dumps(bare))
    return folder


@pytest.fixture(scope="module")
def viewer(folder):
    with lissom.view(folder, browser=False) as viewer:
        yield viewer


@pytest.fixture
def page(tab, viewer):
    tab.page.goto(f"{viewer.url}#a.glb")
    shows(tab.page, "a.glb")
    return tab.page


def test_what_loading_mended_is_one_line_that_opens(page, folder):
    repairs = lissom.load(folder / "z.gltf").repairs
    assert repairs
    mended = page.locator(".view-mended")
    assert mended.is_hidden()  # nothing was
    page.get_by_role("button", name="z.gltf").click()
    shows(page, "z.gltf")
    assert said(page) == ""
    things = "thing" if len(repairs) == 1 else "things"
    assert mended.locator("summary").text_content() == (f"Loading mended or left out {len(repairs)} {things}")
    assert not mended.locator("li").first.is_visible()
    mended.locator("summary").click()
    lines = mended.locator("li").all_text_contents()
    assert lines == [f"{each.pointer}: {each.message}" if each.pointer else each.message for each in repairs]
    assert page.locator("img").count() == 0
    page.keyboard.press("PageUp")
    shows(page, "t%20rex.glb")
    assert mended.is_hidden()


def test_a_name_that_is_not_there_is_said(tab, viewer):
    tab.page.goto(f"{viewer.url}#nosuch%20{EVIL}.glb")
    shows(tab.page, "a.glb")
    tab.page.wait_for_selector(".view-says:not([hidden])", timeout=SECONDS)
    assert said(tab.page) == f"There is no file nosuch {EVIL}.glb here: this is the first one."
    tab.page.keyboard.press("PageDown")
    shows(tab.page, "t%20rex.glb")
    assert said(tab.page) == ""


def test_enter_opens_the_first_match_and_escape_leaves_the_search(page):
    focused = "document.activeElement.tagName"
    page.keyboard.press("/")
    page.keyboard.type("T REX")
    page.keyboard.press("Enter")
    shows(page, "t%20rex.glb")
    page.keyboard.press("/")
    assert page.evaluate(focused) == "INPUT"
    page.keyboard.press("Escape")
    assert page.evaluate(focused) == "CANVAS"


def test_a_dropped_gltf_is_said_to_come_alone(page):
    drop(page, "mine.gltf", json.dumps(triangle("x.bin")).encode())
    page.wait_for_selector(".view-says:not([hidden])", timeout=SECONDS)
    assert said(page).endswith(
        "'x.bin' is not beside the file: a dropped file comes alone; lissom view opens it from its place"
    )
    assert "mine.gltf" in said(page)


@pytest.mark.parametrize("moved", [False, True])
def test_a_file_written_again_in_another_unit_is_framed_anew(tab, tmp_path, moved):
    path = tmp_path / "hero.glb"
    tube = lissom.samples.two_bone_tube()
    lissom.save_glb(tube, path)
    with lissom.view(path, browser=False) as viewer:
        page = tab.page
        page.goto(viewer.url)
        shows(page, "hero.glb")
        page.wait_for_function("() => document.body.dataset.watched === 'hero.glb'", timeout=SECONDS)
        page.evaluate("player.set({ camera: { azimuth: 77 } })")
        framed = page.evaluate("player.state.camera.distance")
        if moved:
            page.evaluate("player.set({ camera: { ...player.state.camera, distance: 50 } })")
        for scale, stays in ((1.5, moved), (100, False), (1, False)):
            before = page.evaluate("window.first = player; player.state.camera")
            lissom.save_glb(lissom.merge([tube], [[0, 0, 0, 0, 0, 0, 1, *[scale] * 3]]), path)
            page.wait_for_function("() => player !== window.first", timeout=SECONDS)
            camera = page.evaluate("player.state.camera")
            assert camera["azimuth"] == pytest.approx(77)
            if stays:
                assert camera["distance"] == pytest.approx(before["distance"])
            else:  # as if it were the first to be shown
                assert camera["distance"] == pytest.approx(scale * framed, rel=0.01)


def test_kenney_without_its_textures_says_so(tab, tmp_path):
    (tmp_path / "character.glb").write_bytes(asset("characters/kenney/character.glb").read_bytes())
    with lissom.view(tmp_path / "character.glb", browser=False) as viewer:
        tab.page.goto(viewer.url)
        shows(tab.page, "character.glb")
        tab.page.locator(".view-mended summary").click()
        assert "Textures" in tab.page.locator(".view-mended li").first.text_content()
