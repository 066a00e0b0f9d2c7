# SPDX-License-Identifier: MIT
"""The playground as a tool, in a page without Jupyter: limits, orientations, keys, recordings, the plot."""

import numpy as np
import pytest

from browser.bare_page import show_in
from browser.dragging import camera_of, drag, pixel_of
from browser.test_accessibility import findings, needs_axe
from lissom import ik, quat, samples

pytest.importorskip("anywidget", reason="anywidget is not installed")

HERO = samples.humanoid()
KNEE = {"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight")}
JOINT = HERO.skeleton.index("LowerLeg.L")
STATE = "document.querySelector('.lissom-playground').playground"


@pytest.fixture
def page(tab):
    tab.page.set_viewport_size({"width": 520, "height": 900})
    tab.page.set_content("<!doctype html><title>a page</title>")
    yield tab.page
    assert tab.errors == []


def shown(page, chains=None, **options):
    leg = ik.Chain(HERO.skeleton, "UpperLeg.L", "Foot.L", limits=KNEE)
    made = ik.Playground(HERO, chains or leg, height=300, **options)
    show_in(page, made.widget)
    page.wait_for_function(f"{STATE}?.frames >= 1")
    return made


def settled(page):
    page.wait_for_function(f"{STATE}.frames > 0 && !{STATE}.asked()")


def does(page, action, *arguments):
    """Do something in the page, and wait until all that it asked for is answered."""
    getattr(page, action)(*arguments)
    settled(page)


def handle(made, name):
    return next(each.position for each in made._handles() if each.id == name)


def test_the_end_of_an_arc_is_dragged_with_its_angle_beside_the_pointer(page):
    made = shown(page)
    does(page, "check", ".lissom-playground-edits")
    before = made.limits["LowerLeg.L"]
    start = pixel_of(handle(made, f"limit:{JOINT}:high"), *camera_of(page))
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(start[0] + 25, start[1] + 30, steps=3)
    settled(page)
    limit = made.chains[0].limits[1]
    tag = page.locator(".lissom-playground-tag")
    assert tag.text_content() == f"{np.degrees(limit.high):.1f}°"
    box = tag.bounding_box()
    assert abs(box["x"] - start[0] - 25) < 60
    assert abs(box["y"] - start[1] - 30) < 60
    page.mouse.up()
    settled(page)
    assert not tag.is_visible()
    now = made.limits["LowerLeg.L"]
    assert now.low == before.low
    assert abs(now.high - before.high) > 0.1
    field = page.get_by_label("LowerLeg.L, to, degrees")
    assert float(field.input_value()) == pytest.approx(np.degrees(limit.high), abs=0.01)
    does(page, "click", ".lissom-playground-undo")
    assert made.limits["LowerLeg.L"] == before
    does(page, "click", ".lissom-playground-copy")
    names = {}
    exec(page.input_value(".lissom-playground-code"), names)
    assert names["chain"].limits == made.chains[0].limits


def test_limits_are_added_written_as_numbers_and_removed(page):
    made = shown(page)
    does(page, "check", ".lissom-playground-edits")
    page.get_by_label("Limit of UpperLeg.L").select_option("BallSocket")
    settled(page)
    assert isinstance(made.limits["UpperLeg.L"], ik.BallSocket)
    field = page.get_by_label("UpperLeg.L, swing, degrees")
    field.fill("40")
    field.press("Tab")
    settled(page)
    assert made.limits["UpperLeg.L"].half_angle == pytest.approx(np.radians(40), abs=1e-4)
    page.get_by_label("UpperLeg.L, twist from, degrees").fill("")
    page.get_by_label("UpperLeg.L, twist from, degrees").press("Tab")
    settled(page)
    assert made.limits["UpperLeg.L"].twist is None
    page.get_by_label("Limit of LowerLeg.L").select_option("")
    settled(page)
    assert set(made.limits) == {"UpperLeg.L"}
    does(page, "uncheck", ".lissom-playground-edits")
    assert not page.locator(".lissom-playground-limits").is_visible()
    assert [each.id for each in made._handles()] == ["target:0"]


def test_a_number_that_is_no_bound_is_said_and_changes_nothing(page):
    made = shown(page)
    does(page, "check", ".lissom-playground-edits")
    page.get_by_label("LowerLeg.L, to, degrees").fill("")
    page.get_by_label("LowerLeg.L, to, degrees").press("Tab")
    settled(page)
    assert "must be a number of degrees" in page.text_content(".lissom-playground-note")
    assert made.limits == KNEE


def test_a_target_gets_an_orientation_and_is_turned_by_its_axes(page):
    made = shown(page, ["Foot.L", "Hand.R"], solver="ccd")
    page.select_option(".lissom-playground-handle", label="Hand.R")
    does(page, "check", ".lissom-playground-turns")
    assert np.isnan(made.orientations[0]).all()
    before = made.orientations[1]
    camera, _ = camera_of(page)
    tips = {axis: np.array(handle(made, f"turn:1:{axis}")) - made.targets[1] for axis in range(3)}
    axis = min(tips, key=lambda each: abs(tips[each] @ camera.axes[2]))
    drag(page, handle(made, f"turn:1:{axis}"), (12, 9))
    settled(page)
    assert quat.angle_between(before, made.orientations[1]) > 0.2
    assert (
        page.locator(".lissom-playground-handle option:checked").text_content()
        == f"Hand.R, {'xyz'[axis]} axis"
    )
    does(page, "uncheck", ".lissom-playground-turns")
    assert np.isnan(made.orientations).all()


def test_keys_choose_handles_move_them_and_undo(page):
    made = shown(page, solver="two_bone")
    start = made.targets
    camera, _ = camera_of(page)
    page.locator("canvas").focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowRight", "PageDown"):
        page.keyboard.press(key)
        settled(page)
    step = 0.4 * 0.045 * made.chains[0].length
    right, up, back = camera.axes
    np.testing.assert_allclose(made.targets - start, step * (2 * up + right + back), atol=1e-5)
    page.keyboard.press("n")
    pole = made.poles
    page.keyboard.press("ArrowLeft")
    settled(page)
    assert np.linalg.norm(made.poles - pole) > 0
    assert "Foot.L, pole" in page.locator("canvas").get_attribute("aria-label")
    for _ in range(5):
        page.keyboard.press("Control+z")
        settled(page)
    np.testing.assert_array_equal(made.targets, start)
    np.testing.assert_array_equal(made.poles, pole)
    assert page.is_disabled(".lissom-playground-undo")
    page.keyboard.press("Control+Shift+z")
    page.keyboard.press("Control+y")
    settled(page)
    np.testing.assert_allclose(made.targets - start, step * 2 * up, atol=1e-5)


def test_a_key_that_is_held_is_undone_at_once(page):
    made = shown(page)
    start = made.targets
    page.locator("canvas").focus()
    page.keyboard.down("ArrowUp")
    for _ in range(4):
        page.keyboard.down("ArrowUp")
    page.keyboard.up("ArrowUp")
    settled(page)
    assert made.targets[1] > start[1]
    does(page, "click", ".lissom-playground-undo")
    np.testing.assert_array_equal(made.targets, start)
    does(page, "click", ".lissom-playground-redo")
    assert made.targets[1] > start[1]


def test_a_drag_is_recorded_scrubbed_and_played(page):
    made = shown(page)
    assert not page.locator(".lissom-playground-moment").is_visible()
    does(page, "click", ".lissom-playground-record")
    assert page.text_content(".lissom-playground-record") == "Stop"
    drag(page, made.targets, (-30, -60))
    settled(page)
    last = made.result
    does(page, "click", ".lissom-playground-record")
    clip = made.recorded()
    np.testing.assert_allclose(clip.at(1.0), last.pose, atol=1e-6)
    slider = page.locator(".lissom-playground-moment")
    assert float(slider.get_attribute("max")) == clip.duration or clip.duration > 0
    slider.focus()
    page.keyboard.press("Home")
    settled(page)
    np.testing.assert_array_equal(made.pose, made._first.result.pose)
    assert slider.get_attribute("aria-valuetext").startswith("0.00 of ")
    page.click(".lissom-playground-play")
    page.wait_for_function("document.querySelector('.lissom-playground-play').textContent === 'Play'")
    settled(page)
    np.testing.assert_array_equal(made.pose, last.pose)
    does(page, "click", ".lissom-playground-undo")
    np.testing.assert_array_equal(made.pose, last.pose)


def test_the_plot_says_and_draws_the_residuals(page):
    made = shown(page, ["Foot.L", "Hand.R"])
    drag(page, made.targets[0], (-120, -10))
    settled(page)
    assert not made.result.reached[0]
    plot = page.locator(".lissom-playground-plot")
    share = 100 * float(made.result.residual[0]) / made.chains[0].length
    assert f"Foot.L {float(f'{share:.2g}'):g} %, most" in plot.get_attribute("aria-label")
    points = page.eval_on_selector_all(
        ".lissom-playground-plot polyline", "lines => lines.map(line => line.points.numberOfItems)"
    )
    assert points == [len(made.residuals)] * 2
    heights = page.eval_on_selector_all(
        ".lissom-playground-plot polyline",
        "lines => lines.map(line => line.points.getItem(line.points.length - 1).y)",
    )
    assert heights[0] < heights[1] - 10, "far from its target is higher"


def test_a_body_is_dragged_while_its_feet_stay(page):
    made = shown(page, "legs", body=True)
    feet = made.targets
    drag(page, made.body, (0, 15))
    settled(page)
    assert made.body[1] < HERO.skeleton.positions(HERO.skeleton.rest)[HERO.skeleton.index("Pelvis"), 1] - 0.02
    np.testing.assert_array_equal(made.targets, feet)
    assert made.result.reached.all()


def test_a_view_that_is_opened_later_shows_what_the_first_one_does(page):
    made = shown(page)
    does(page, "check", ".lissom-playground-edits")
    made.solve([0.1, 0.5, 0.3])
    show_in(page, made.widget, identifier="second")
    page.wait_for_function("document.querySelector('#second .lissom-playground')?.playground.frames >= 1")
    assert page.locator("#second .lissom-playground-limits").is_visible()
    assert page.is_enabled("#second .lissom-playground-undo")


def test_controls_are_large_enough_for_fingers(browser):
    context = browser.new_context(viewport={"width": 400, "height": 900}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_content("<!doctype html><meta name=viewport content='width=device-width'><title>a page</title>")
    shown(page)
    page.check(".lissom-playground-edits")
    settled(page)
    small = page.eval_on_selector_all(
        ".lissom-playground-tools :is(button, select, label), .lissom-playground-limits :is(select, input)",
        """nodes => nodes.filter(node => node.offsetParent && node.getBoundingClientRect().height < 40)
                         .map(node => node.outerHTML)""",
    )
    assert small == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 400, "nothing is cut off at the side"
    context.close()


@needs_axe
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_while_limits_are_edited(new_tab, browser, scheme):
    page = new_tab(browser, color_scheme=scheme).page
    page.set_content(
        "<!doctype html><html lang=en><title>a page</title><style>:root{color-scheme:light dark}</style>"
        "<main><h1>a page</h1></main>"
    )
    made = shown(page, ["Foot.L", "Hand.R"])
    does(page, "check", ".lissom-playground-edits")
    does(page, "check", ".lissom-playground-turns")
    does(page, "click", ".lissom-playground-record")
    made.solve({"Foot.L": [0.1, 3.0, 0.0]})
    does(page, "click", ".lissom-playground-record")
    assert findings(page, "'.lissom-playground'") == []
