# SPDX-License-Identifier: MIT
"""Pages for keyboards, fingers and screen readers: what axe-core finds, and how large buttons are."""

from pathlib import Path

import pytest

import lissom
import morph_faces
from browser.bare_page import show_in
from lissom import ik

pytestmark = pytest.mark.gl

AXE = Path(__file__).resolve().parents[1] / "node" / "node_modules" / "axe-core" / "axe.min.js"
DESKTOP, PHONE, SIDEWAYS = ({"width": w, "height": h} for w, h in ((1000, 700), (390, 844), (844, 390)))
LEAST = 40  # pixels of a target for fingers

TOO_SMALL = """(least) => [...document.querySelectorAll(".lissom-player :is(button, select, input, summary)")]
  .map((node) => [node, node.type === "checkbox" ? node.labels[0] : node])
  .filter(([, target]) => target.checkVisibility())
  .map(([node, target]) => [node.ariaLabel || node.textContent, target.getBoundingClientRect()])
  .filter(([, { width, height }]) => width < least || height < least)
  .map(([name, { width, height }]) => `${name}: ${width} x ${height}`)"""

needs_axe = pytest.mark.skipif(
    not AXE.is_file(), reason="axe-core is not installed: make tests/node/node_modules/.installed"
)


def findings(page, within="document"):
    """Return what axe-core finds by all its rules: rule, text of the node and why."""
    if not page.evaluate("() => !!self.axe"):  # pages keep it from state to state
        page.evaluate(AXE.read_text(encoding="utf-8"))
    found = page.evaluate(f"async () => (await axe.run({within})).violations")
    return [
        f"{each['id']}: {node['html'][:160]} {node['failureSummary']}"
        for each in found
        for node in each["nodes"]
    ]


STATES = {
    "the surface": {},
    "side by side": {"method": "side_by_side", "skeleton": True},
    "a heat map": {"method": "linear", "color": "difference"},
    "weights": {"color": "weights", "ground": False},
    "a crowd": {"color": "surface", "ground": True, "count": 9},
}
"""States of one player, in this order."""


def open_page(tab, player, size=DESKTOP):
    tab.page.set_viewport_size(size)
    tab.open(player, test=False)
    tab.page.evaluate("() => document.querySelectorAll('details').forEach((node) => { node.open = true; })")


def many_clips(hero):
    poses = hero.clips["walk"].sample([0.0, 0.5])
    clips = [lissom.Clip.from_poses(hero.skeleton, [0.0, 1.0], poses, name=f"clip {i}") for i in range(14)]
    return lissom.bake(hero, clips).show(playing=False)


# What axe-core finds.


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_any_state(new_tab, browser, hero, scheme):
    tab = new_tab(browser, color_scheme=scheme)
    open_page(tab, hero.show(["walk", "run"], playing=False))
    for name, state in STATES.items():
        if scheme == "dark" and name not in ("the surface", "a heat map"):
            continue  # what is over the picture has the same colours
        tab.set(**state)
        assert findings(tab.page) == [], name
    tab.page.get_by_role("button", name="Keys", exact=True).click()
    assert findings(tab.page) == []


@needs_axe
def test_axe_finds_nothing_on_other_pages(tab, hero):
    for player in (
        many_clips(hero),
        morph_faces.character().show(playing=False),
        hero.show(pose=hero.skeleton.rest),
    ):
        open_page(tab, player)
        assert findings(tab.page) == []


@needs_axe
def test_axe_finds_nothing_where_there_is_only_the_still(new_tab, browser, hero):
    tab = new_tab(browser)
    tab.page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")
    tab.open(hero.show(["walk"]), test=False)
    assert findings(tab.page) == []


@needs_axe
def test_axe_finds_nothing_on_a_phone(new_tab, browser, hero):
    tab = new_tab(browser, has_touch=True, is_mobile=True)
    open_page(tab, many_clips(hero), PHONE)
    assert findings(tab.page) == []
    tab.page.get_by_role("button", name="Keys", exact=True).click()
    assert findings(tab.page) == []


@needs_axe
def test_axe_finds_nothing_in_a_playground(tab):
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    tab.page.set_viewport_size({"width": 420, "height": 520})
    tab.page.set_content("<!doctype html><html lang='en'><title>a page</title><main id='here'></main>")
    hero = lissom.samples.humanoid()
    show_in(tab.page, ik.Playground(hero, ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L")).widget)
    tab.page.wait_for_function("() => document.querySelector('.lissom-playground')?.playground.frames >= 1")
    assert findings(tab.page, "'.lissom-playground'") == []


@needs_axe
@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_axe_finds_nothing_in_a_viewer(new_tab, browser, tmp_path, size):
    lissom.save_glb(lissom.samples.two_bone_tube(), tmp_path / "a.glb")
    (tmp_path / "b.glb").write_bytes(b"glTF is not what follows")
    tab = new_tab(browser, **({"has_touch": True, "is_mobile": True} if size == PHONE else {}))
    tab.page.set_viewport_size(size)
    with lissom.view(tmp_path, browser=False) as viewer:
        tab.page.goto(f"{viewer.url}#a.glb")
        tab.page.wait_for_function("() => self.player?.info.pictures > 0")
        assert findings(tab.page) == []
        assert tab.page.evaluate(TOO_SMALL.replace(".lissom-player ", ""), LEAST) == [] or size == DESKTOP
        with tab.page.expect_worker():  # its policy allows one
            tab.page.evaluate("() => player.set({ wireframe: true })")
        tab.page.keyboard.press("PageDown")
        tab.page.locator(".view-says").wait_for()
        assert findings(tab.page) == []


# Fingers.


@pytest.mark.parametrize("size", [PHONE, SIDEWAYS], ids=["upright", "sideways"])
def test_fingers_find_targets_of_forty_pixels(new_tab, browser, hero, size):
    tab = new_tab(browser, has_touch=True, is_mobile=True)
    open_page(tab, morph_faces.character().show(playing=False), size)
    assert tab.page.evaluate(TOO_SMALL, LEAST) == []
    open_page(tab, many_clips(hero), size)
    tab.set(skeleton=True, color="weights")
    tab.page.get_by_role("button", name="Keys", exact=True).click()
    assert tab.page.evaluate(TOO_SMALL, LEAST) == []
    canvas, panel = (tab.page.locator(name).bounding_box() for name in ("canvas", ".lissom-panel"))
    assert canvas["height"] >= size["height"] / 3, "the picture keeps its share"
    assert panel["y"] + panel["height"] <= size["height"]
    assert tab.page.evaluate("() => document.documentElement.scrollWidth") <= size["width"]


# Keys.


def test_tab_goes_through_all_controls_in_the_order_they_are_seen(tab, hero):
    open_page(tab, many_clips(hero))
    tab.page.locator("canvas").focus()
    seen = []
    for _ in range(40):
        tab.page.keyboard.press("Tab")
        at = tab.page.evaluate(
            """() => {
              const node = document.activeElement;
              if (node === document.body) return null;
              const { left, top, width, height } = node.getBoundingClientRect();
              const isOutlined = getComputedStyle(node).outlineStyle !== "none";
              const name = node.ariaLabel || node.labels?.[0]?.textContent || node.textContent;
              return [name, isOutlined, node.closest(".lissom-panel") ? top : -1, left, width * height];
            }"""
        )
        if at is None:
            break
        seen.append(at)
    names, outlined, tops, lefts, _ = zip(*seen, strict=True)
    visible = tab.page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, summary")]
          .filter((node) => node.checkVisibility() && !node.disabled).length"""
    )
    assert len(names) == len(set(names)) == visible
    assert all(outlined)
    rows = [round(top / 20) for top in tops]
    assert rows == sorted(rows)
    assert [left for top, left in zip(rows, lefts, strict=True) if top == rows[-1]] == sorted(
        left for top, left in zip(rows, lefts, strict=True) if top == rows[-1]
    )
