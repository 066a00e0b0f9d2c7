# SPDX-License-Identifier: MIT
"""`lissom view` in Chromium: the page follows its file, leafs, takes what is dropped, says what is wrong."""

import base64

import pytest

import lissom
from bvh_files import GOOD
from conftest import ASSETS, HAS_ALL

SECONDS = 30_000  # until a page has answered, on a machine that does other things

SMALL = {"width": 300, "height": 200}

answered = "key => (document.body.dataset.answered ?? '').split(' ')[0] === key"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("models")
    lissom.save_glb(lissom.samples.two_bone_tube(), folder / "a.glb")
    lissom.save_glb(lissom.samples.twisted_bar(), folder / "b.glb")
    (folder / "c.glb").write_bytes(b"glTF\2\0\0\0\x20\0\0\0 not a chunk")
    (folder / "d <img src=x onerror=alert(1)>.bvh").write_text(GOOD)
    return folder


@pytest.fixture(scope="module")
def viewer(folder):
    with lissom.view(folder, browser=False) as viewer:
        yield viewer


@pytest.fixture
def page(tab, viewer):
    """The page of the folder, which shows its first file."""
    tab.page.goto(f"{viewer.url}#a.glb")  # what was dropped comes first
    shows(tab.page, "a.glb")
    return tab.page


def shows(page, key):
    page.wait_for_function(answered, arg=key, timeout=SECONDS)
    assert page.locator(".view-busy").text_content() == ""


def said(page):
    return page.locator(".view-says").text_content()


def titles(page):
    return page.locator("nav li button").all_text_contents()


def test_the_page_plays_the_file(page, tab):
    assert page.title() == page.locator("h1").text_content() == "a.glb"
    assert page.evaluate("player.info.error") is None
    assert page.evaluate("player.state.clip") == "bend"
    assert said(page) == ""
    page.wait_for_function("() => player.info.pictures > 2", timeout=SECONDS)
    assert all(url.startswith("http://127.0.0.1:") for url in tab.requests)


def test_it_leafs_with_keys_and_buttons_and_from_the_list(page):
    names = titles(page)
    assert names == ["a.glb", "b.glb", "c.glb", "d <img src=x onerror=alert(1)>.bvh"]
    page.keyboard.press("PageDown")
    shows(page, "b.glb")
    page.get_by_label("Previous file (Page Up)").click()
    shows(page, "a.glb")
    page.keyboard.press("PageUp")
    last = page.wait_for_function(
        "() => document.title.startsWith('d ') && document.body.dataset.answered.startsWith('d')"
    )
    assert last
    assert page.locator("h1").text_content() == names[-1]  # as text
    assert page.locator("img").count() == 0
    page.get_by_role("button", name="b.glb").click()
    shows(page, "b.glb")
    assert page.locator("[aria-current]").text_content() == "b.glb"
    page.reload()
    shows(page, "b.glb")


def test_settings_stay_while_it_leafs(page):
    page.evaluate("player.set({ skeleton: true, method: 'dual_quat', speed: 0.5 })")
    page.keyboard.press("PageDown")
    shows(page, "b.glb")
    state = page.evaluate("player.state")
    assert (state["skeleton"], state["method"], state["speed"]) == (True, "dual_quat", 0.5)


def test_search_narrows_the_list_and_what_is_leafed_through(page):
    page.keyboard.press("/")
    page.keyboard.type("b.g")
    assert titles(page) == ["b.glb"]
    page.locator("canvas").focus()
    page.keyboard.press("PageDown")
    shows(page, "b.glb")
    page.get_by_label("Search files").fill("nothing like it")
    assert page.locator(".view-note").text_content() == "no such file"


def test_a_bad_file_is_a_sentence_and_the_next_is_shown(page):
    page.get_by_role("button", name="c.glb").click()
    shows(page, "c.glb")
    assert said(page).startswith("c.glb: ")
    assert page.locator("canvas").count() == 0
    page.keyboard.press("PageDown")
    page.wait_for_selector("canvas", timeout=SECONDS)
    assert said(page) == ""


def watched(page, key):
    page.wait_for_function("key => document.body.dataset.watched === key", arg=key, timeout=SECONDS)


def test_a_file_that_is_written_again_is_shown_again(tab, tmp_path):
    path = tmp_path / "hero.glb"
    tube = lissom.samples.two_bone_tube()
    lissom.save_glb(tube, path)
    with lissom.view(path, browser=False) as viewer:
        page = tab.page
        page.goto(viewer.url)
        shows(page, "hero.glb")
        assert page.locator("nav").is_hidden()
        watched(page, "hero.glb")
        page.evaluate("player.set({ clip: 'twist', playing: false, time: 0.25, camera: { azimuth: 77 } })")
        first = page.evaluate("window.first = player; document.body.dataset.answered")
        lissom.save_glb(lissom.samples.twisted_bar(), path)  # has no such clip
        page.wait_for_function("() => player !== window.first", timeout=SECONDS)
        assert page.evaluate("player.state.camera.azimuth") == pytest.approx(77)
        second = page.evaluate("window.first = player; document.body.dataset.answered")
        assert second != first
        lissom.save_glb(tube, path)
        page.wait_for_function("() => player !== window.first", timeout=SECONDS)
        assert page.evaluate("player.state.playing") is False

        good = path.read_bytes()
        page.evaluate("window.first = player")
        path.write_bytes(good[: len(good) // 2])
        page.wait_for_selector(".view-says:not([hidden])", timeout=SECONDS)
        assert said(page).startswith("hero.glb: ")
        assert said(page).endswith("; the picture is of what was there before.")
        assert page.evaluate("player === window.first")
        path.unlink()
        page.wait_for_function(
            "() => document.querySelector('.view-says').textContent.includes('no such file any more')",
            timeout=SECONDS,
        )
        path.write_bytes(good)
        page.wait_for_function("() => player !== window.first", timeout=SECONDS)
        page.wait_for_selector(".view-says", state="hidden", timeout=SECONDS)


def test_many_pages_of_one_browser_are_loaded_and_told(browser, tmp_path):
    """Browsers open six connections to one server, whatever pages they are for."""
    path = tmp_path / "hero.glb"
    lissom.save_glb(lissom.samples.two_bone_tube(), path)
    with lissom.view(path, browser=False) as viewer, browser.new_context(viewport=SMALL) as context:
        pages = [context.new_page() for _ in range(8)]
        for page in pages:
            page.goto(viewer.url)
            shows(page, "hero.glb")
            watched(page, "hero.glb")
            page.evaluate("player.set({ playing: false }); window.first = player")
        lissom.save_glb(lissom.samples.twisted_bar(), path)
        for page in pages:
            page.wait_for_function("() => player !== window.first", timeout=SECONDS)
            assert said(page) == ""


HIDE = """(isHidden) => {
  Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
  document.dispatchEvent(new Event("visibilitychange"));
}"""


def test_a_hidden_page_holds_no_connection_and_is_told_all_the_same(tab, tmp_path):
    path = tmp_path / "hero.glb"
    tube = lissom.samples.two_bone_tube()
    lissom.save_glb(tube, path)
    with lissom.view(path, browser=False) as viewer:
        page = tab.page
        page.set_viewport_size(SMALL)
        page.goto(viewer.url)
        shows(page, "hero.glb")
        watched(page, "hero.glb")
        page.evaluate("player.set({ playing: false })")
        for is_hidden in (True, False):
            with page.expect_request(lambda asked, has=is_hidden: ("&brief=1" in asked.url) == has):
                page.evaluate(HIDE, is_hidden)
            page.evaluate("window.first = player")
            lissom.save_glb(tube, path)
            page.wait_for_function("() => player !== window.first", timeout=SECONDS)


def test_the_first_file_of_an_empty_folder_is_shown(tab, tmp_path):
    with lissom.view(tmp_path, browser=False) as viewer:
        tab.page.goto(viewer.url)
        watched(tab.page, "")
        assert said(tab.page).startswith("There is no file to show here")
        lissom.save_glb(lissom.samples.two_bone_tube(), tmp_path / "a.glb")
        shows(tab.page, "a.glb")
        assert said(tab.page) == ""


def test_on_a_phone_the_list_begins_closed_and_leaves_the_name_its_place(new_tab, browser, viewer):
    tab = new_tab(browser, has_touch=True, is_mobile=True)
    page = tab.page
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{viewer.url}#a.glb")
    shows(page, "a.glb")
    toggle, name = page.get_by_label("Show or hide the list of files"), page.locator("h1")
    for is_open in (False, True):
        assert toggle.get_attribute("aria-expanded") == str(is_open).lower()
        assert page.locator("nav").is_visible() == is_open
        assert name.evaluate("(node) => node.scrollWidth <= node.clientWidth"), "the name is seen whole"
        assert page.locator(".view-holder").bounding_box()["width"] == 390
        toggle.tap()
    page.keyboard.press("/")
    page.keyboard.type("b.g")
    page.get_by_role("button", name="b.glb").tap()
    shows(page, "b.glb")
    assert page.locator("nav").is_hidden()


DROP = """async ([name, text]) => {
  const data = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([data], name));
  const send = (kind) =>
    document.body.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
  send("dragenter");
  window.marked = document.body.matches(".lissom-drop");
  send("dragover");
  send("drop");
}"""


def drop(page, name, data):
    page.evaluate(DROP, [name, base64.b64encode(data).decode()])


def test_a_dropped_file_is_shown(page, folder):
    drop(page, "mine.glb", (folder / "b.glb").read_bytes())
    assert page.evaluate("window.marked && !document.body.matches('.lissom-drop')")
    page.wait_for_function("() => document.title === 'mine.glb'", timeout=SECONDS)
    page.wait_for_function("() => document.body.dataset.answered.startsWith('drop:')", timeout=SECONDS)
    assert titles(page)[0] == "mine.glb"
    assert page.evaluate("player.info.error") is None


def test_a_picked_file_is_shown(page, folder):
    page.locator("input[type=file]").set_input_files(folder / "a.glb")
    page.wait_for_function("() => document.body.dataset.answered.startsWith('drop:')", timeout=SECONDS)
    assert said(page) == ""


def test_what_cannot_be_dropped_is_said_and_the_picture_stays(page, tab):
    page.evaluate("window.first = player")
    drop(page, "notes.txt", b"hello")
    assert said(page) == "notes.txt: cannot be shown; drop one of .glb, .gltf, .vrm, .bvh, .safetensors."
    tab.requests.clear()
    page.evaluate(
        """() => {
          const dataTransfer = new DataTransfer();
          const file = new File([""], "huge.glb");
          Object.defineProperty(file, "size", { value: 200e6 });
          dataTransfer.items.add(file);
          const event = new DragEvent("drop", { dataTransfer, cancelable: true });
          Object.defineProperty(event, "dataTransfer", { value: { types: ["Files"], files: [file] } });
          document.body.dispatchEvent(event);
        }"""
    )
    assert (
        said(page)
        == "huge.glb: has 200 MB, and at most 134 MB can be dropped; lissom view opens it from its place."
    )
    assert tab.requests == []
    drop(page, "bad.glb", b"glTF\2\0\0\0\x20\0\0\0 not a chunk")
    page.wait_for_function("() => document.querySelector('.view-says').textContent.startsWith('bad.glb: ')")
    assert page.evaluate("player === window.first")


def test_a_viewer_that_has_ended_is_said(tab, folder):
    with lissom.view(folder, browser=False) as viewer:
        tab.page.goto(viewer.url)
        shows(tab.page, "a.glb")
    tab.page.keyboard.press("PageDown")
    tab.page.wait_for_function(
        "() => document.querySelector('.view-says').textContent.startsWith('The viewer has ended')"
    )
    tab.errors.clear()


def test_another_page_reads_nothing(tab, viewer, tmp_path):
    """A page of another origin that knows the address, even: CORS, and what the server checks."""
    (tmp_path / "evil.html").write_text("<!doctype html><title>evil</title>")
    tab.page.goto((tmp_path / "evil.html").as_uri())
    read = "([url, options]) => fetch(url, options).then(() => 'read', () => 'refused')"
    for url, options in (
        (f"{viewer.url}files", {}),
        (f"{viewer.url}drop/x.glb", {"method": "POST", "body": "glTF"}),
    ):
        assert tab.page.evaluate(read, [url, options]) == "refused"
    framed = """async (url) => {
      const frame = document.createElement("iframe");
      frame.src = url;
      document.body.append(frame);
      await new Promise((done) => (frame.onload = done));
      try {
        return frame.contentDocument !== null;
      } catch {
        return false;
      }
    }"""
    assert tab.page.evaluate(framed, viewer.url) is False
    assert not any("bundle" in url for url in tab.requests)  # the frame ran nothing
    tab.errors.clear()


def test_a_saved_page_says_what_to_do_with_a_file(tab, paused):
    tab.open(paused)
    drop(tab.page, "hero.glb", b"glTF")
    assert tab.page.locator(".lissom-refused").text_content() == (
        "This page was saved, and cannot read files: run lissom view and the file's name, or in a notebook "
        "lissom.DropTarget()."
    )


OTHERS = ("gdquest/gdbot.glb", "khronos/Fox.glb", "raylib/robot.glb")


@pytest.mark.skipif(not HAS_ALL, reason="the assets are not there")
def test_characters_of_others_are_shown(tab):
    with lissom.view(ASSETS / "characters", browser=False) as viewer:
        tab.page.goto(viewer.url)
        for name in OTHERS:
            key = name.replace("/", "%2F")
            tab.page.evaluate("key => { location.hash = key; location.reload(); }", key)
            shows(tab.page, key)
            assert said(tab.page) == ""
            assert tab.page.evaluate("player.info.error") is None
