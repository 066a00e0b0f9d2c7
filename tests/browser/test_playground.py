# SPDX-License-Identifier: MIT
"""The module that the playground's widget runs, in a page without Jupyter: its kernel is this process."""

import numpy as np
import pytest

import lissom
from browser.bare_page import show_in
from browser.dragging import camera_of, drag, pixel_of, pixels_of
from lissom import ik, samples

pytest.importorskip("anywidget", reason="anywidget is not installed")

HERO = samples.humanoid()
KNEE = {"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight")}
SEEN = 24  # levels of 255: a pixel that differs by more is seen to


@pytest.fixture
def page(tab):
    tab.page.set_viewport_size({"width": 420, "height": 520})
    tab.page.set_content("<!doctype html><title>a page</title>")
    return tab.page


def playground(**options):
    leg = ik.Chain(HERO.skeleton, "UpperLeg.L", "Foot.L", limits=KNEE)
    return ik.Playground(HERO, leg, height=240, **options)


def shown(page, made):
    """Show a playground and wait for its first picture."""
    show_in(page, made.widget)
    page.wait_for_function("document.querySelector('.lissom-playground')?.playground.frames >= 1")
    assert page.evaluate("document.querySelector('.lissom-playground').playground.player.info.error") is None
    return made


def settled(page):
    """Wait until everything that was asked is answered and drawn."""
    page.wait_for_function(
        """() => { const { frames, asked } = document.querySelector('.lissom-playground').playground;
                   return frames > 0 && !asked(); }"""
    )


def floats(buffer):
    return np.frombuffer(buffer, np.float32).tolist()


def changed(before, after):
    """The share of the picture that is seen to differ."""
    return (np.abs(after.astype(int) - before) > SEEN).any(axis=-1).mean()


def rows(page):
    return page.eval_on_selector_all(
        ".lissom-playground-readout tr",
        "rows => rows.map(row => [...row.cells].map(cell => cell.textContent))",
    )


def test_a_dragged_target_is_met_and_said_to_be(page):
    made = shown(page, playground(solver="two_bone"))
    before, said = pixels_of(page), rows(page)
    start = made.targets
    drag(page, made.targets, (-30, -70))
    settled(page)
    camera, box = camera_of(page)
    moved = pixel_of(made.targets, camera, box) - pixel_of(start, camera, box)
    np.testing.assert_allclose(moved, (-30, -70), atol=1.5)
    back = camera.axes[2]
    assert (made.targets - start) @ back == pytest.approx(0, abs=1e-5), "in the plane that faces the eye"
    assert bool(made.result.reached)
    assert rows(page) != said
    assert rows(page) == [line.split(": ", 1) for line in made.readout.splitlines()]
    after = pixels_of(page)
    assert changed(before, after) > 0.01, "the leg has moved"


def test_the_wheel_scrolls_the_page_until_the_picture_was_clicked(page):
    shown(page, playground())
    page.evaluate("document.body.style.height = '3000px'")
    away = "document.querySelector('.lissom-playground').playground.player.state.camera.distance"
    before = page.evaluate(away)
    box = page.locator(".lissom-playground canvas").bounding_box()
    page.mouse.move(box["x"] + 20, box["y"] + 20)
    page.mouse.wheel(0, 30)
    page.wait_for_function("scrollY > 0")
    assert page.evaluate(away) == before
    page.mouse.click(box["x"] + 20, box["y"] + 20)
    page.mouse.wheel(0, 30)
    page.wait_for_function(f"{away} > {before}")


def test_a_dragged_pole_turns_the_knee(page):
    made = shown(page, playground(solver="two_bone"))
    pole, pose = made.poles, made.pose
    drag(page, pole, (-60, 0))
    settled(page)
    assert np.linalg.norm(made.poles - pole) > 0.1
    assert np.abs(made.pose - pose).max() > 0.05
    np.testing.assert_allclose(made.result.residual, 0, atol=1e-5)


def test_what_is_dragged_while_the_kernel_works_is_asked_once_and_newest(page):
    made = shown(page, playground())
    x, y = pixel_of(made.targets, *camera_of(page))
    events = page.evaluate(
        """async ([x, y]) => {
          const canvas = document.querySelector("canvas");
          const send = (type, step) => canvas.dispatchEvent(new PointerEvent(type, {
            clientX: x - step, clientY: y - 2 * step, pointerId: 1, button: 0, buttons: 1, bubbles: true }));
          canvas.setPointerCapture = () => {};
          window.sent.length = 0;
          send("pointerdown", 0);
          for (let step = 10; step <= 40; step++) send("pointermove", step);
          const early = window.sent.length;
          send("pointerup", 40);
          return early;
        }""",
        [x, y],
    )
    assert events == 1, "one question under way, whatever is dragged meanwhile"
    settled(page)
    sent = [message for message in page.evaluate("window.sent") if message["kind"] != "nudge"]
    assert [message["kind"] for message in sent] == ["drag", "drag"]
    np.testing.assert_allclose(made.targets, sent[-1]["moves"]["target:0"], atol=1e-6)
    camera, box = camera_of(page)
    np.testing.assert_allclose(pixel_of(made.targets, camera, box), (x - 40, y - 80), atol=1.5)


def test_solver_reset_and_code(page):
    made = shown(page, playground())
    assert page.locator(".lissom-playground-solver option").all_text_contents() == list(made.solvers)
    drag(page, made.targets, (-20, -40))
    page.select_option(".lissom-playground-solver", "ccd")
    settled(page)
    assert made.solver == "ccd"
    assert rows(page)[1][0] == "ccd"
    page.click(".lissom-playground-copy")
    settled(page)
    assert page.input_value(".lissom-playground-code") == made.code()
    page.click(".lissom-playground-reset")
    settled(page)
    np.testing.assert_array_equal(made.targets, playground().targets)


def test_what_python_solves_is_drawn_too(page):
    made = shown(page, playground())
    said = []
    made.widget.send = lambda content, buffers: said.append((content, buffers))
    made.solve([0.1, 0.6, 0.5])
    ((content, buffers),) = said
    assert "view" not in content
    before = pixels_of(page)
    page.evaluate(
        """([content, arrays]) =>
          window.deliver(content, arrays.map((a) => new DataView(new Float32Array(a).buffer)))""",
        [content, [floats(buffer) for buffer in buffers]],
    )
    assert changed(before, pixels_of(page)) > 0.01
    assert rows(page)[0][1] == made.readout.splitlines()[0].split(": ", 1)[1]


def test_an_error_of_the_kernel_is_said(page):
    made = shown(page, playground())

    def refuse(*_args, **_options):
        raise ValueError("ik.Playground.solve: no")

    made._move = refuse
    drag(page, made.targets, (-20, -40))
    page.wait_for_function(
        "document.querySelector('.lissom-playground-note').textContent.includes('solve: no')"
    )
    del made._move
    drag(page, made.targets, (-20, -40))
    settled(page)
    assert page.text_content(".lissom-playground-note") == ""


WATCHED_DRAWS = """() => {
  const { player } = document.querySelector('.lissom-playground').playground;
  const { draw } = player;
  window.drafts = [];
  player.draw = (options) => {
    window.drafts.push(options?.isDraft ?? false);
    draw(options);
  };
}"""


def test_drafts_are_drawn_while_a_target_moves_alone(page):
    made = shown(page, playground())
    page.evaluate(WATCHED_DRAWS)
    x, y = pixel_of(made.targets, *camera_of(page))
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 20, y - 40, steps=3)
    settled(page)
    assert page.evaluate("window.drafts[0]")
    page.wait_for_function("!window.drafts.at(-1)")  # held still: in full after a while
    page.mouse.move(x - 22, y - 44)
    settled(page)
    assert page.evaluate("window.drafts").count(True) >= 2
    page.mouse.up()
    settled(page)
    assert not page.evaluate("window.drafts.at(-1)")


def test_a_target_follows_the_pointer_where_the_kernel_is_slow(page):
    made = shown(page, playground())
    page.evaluate("() => { window.kernel = () => new Promise(() => {}); }")
    page.evaluate(WATCHED_DRAWS)
    camera, box = camera_of(page)
    x, y = (pixel_of(made.targets, camera, box) - [box["x"], box["y"]]).astype(int)
    before = pixels_of(page)
    drag(page, made.targets, (-60, -20))
    page.wait_for_function("window.drafts.length")
    ball = pixels_of(page)[y - 20, x - 60].astype(int)
    assert np.abs(ball - before[y - 20, x - 60]).max() > SEEN


def test_a_slow_answer_is_nudged_and_a_quick_one_is_not(page):
    """A nudge carries an acknowledgement to Jupyter's server, which waits for one: it is no question."""
    page.evaluate(
        """() => {
          const plain = window.setTimeout;
          window.timed = [];
          window.setTimeout = (call, ms) => {
            const timer = plain(call, [5, 15, 40].includes(ms) ? 1e6 : ms);
            window.timed.push([ms, call, timer]);
            return timer;
          };
          window.ended = [];
          const end = window.clearTimeout;
          window.clearTimeout = (timer) => { window.ended.push(timer); end(timer); };
        }"""
    )
    made = shown(page, playground())
    nudges = "window.timed.filter(([ms]) => [5, 15, 40].includes(ms))"
    drag(page, made.targets, (-20, -40))
    settled(page)
    assert page.evaluate(f"{nudges}.length") >= 3
    assert page.evaluate(f"{nudges}.every(([,, timer]) => window.ended.includes(timer))")
    frames = page.evaluate("document.querySelector('.lissom-playground').playground.frames")
    page.evaluate("window.sent.length = 0")
    page.evaluate(f"{nudges}[0][1]()")
    assert page.evaluate("window.sent") == [{"kind": "nudge"}]
    said = []
    made.widget.send = lambda *message: said.append(message)
    made.widget._listen(made.widget, {"kind": "nudge"}, [])
    assert said == []
    assert page.evaluate("document.querySelector('.lissom-playground').playground.frames") == frames


def test_the_page_nudges_when_it_is_told_that_the_kernel_is_busy_and_by_timers_until_then(page):
    made = shown(page, playground())
    page.evaluate(
        """() => {
          const plain = window.setTimeout;
          const end = window.clearTimeout;
          window.timed = new Map();
          window.setTimeout = (call, ms) => {
            const isNudge = [5, 15, 40].includes(ms);
            const timer = plain(call, isNudge ? 1e6 : ms);
            if (isNudge) window.timed.set(timer, ms);
            return timer;
          };
          window.clearTimeout = (timer) => { window.timed.delete(timer); end(timer); };
          window.kernel = () => new Promise(() => {});
          window.sent.length = window.callbacks.length = 0;
        }"""
    )
    tell = "(state) => window.callbacks[0].iopub.status({ content: { execution_state: state } })"
    kinds = "window.sent.map(({ kind }) => kind)"
    drag(page, made.targets, (-20, -40))
    timers = "[...window.timed.values()]"
    assert page.evaluate(timers) == [5, 15, 40]
    page.evaluate(tell, "idle")
    assert page.evaluate(kinds) == ["drag"]
    page.evaluate(tell, "busy")
    assert page.evaluate(kinds) == ["drag", "nudge"]
    assert page.evaluate(timers) == []
    content, arrays = made.widget._frames.message()
    asked = page.evaluate("window.sent[0]")
    page.evaluate(
        """([content, arrays]) =>
          window.deliver(content, arrays.map((a) => new DataView(new Float32Array(a).buffer)))""",
        [content | {key: asked[key] for key in ("view", "sequence")}, [floats(array) for array in arrays]],
    )
    assert page.evaluate(kinds) == ["drag", "nudge", "drag"], "what was dragged meanwhile is asked"
    assert page.evaluate(timers) == [15, 40], "this page is told"
    page.evaluate(tell, "busy")
    assert page.evaluate(kinds) == ["drag", "nudge", "drag"], "the first is answered"


def test_limits_are_drawn_where_the_kernel_has_them(page):
    made = shown(page, playground())
    page.evaluate(
        """() => {
          const { player } = document.querySelector('.lissom-playground').playground;
          const { overlay } = player;
          player.overlay = (things) => {
            window.drawn = [things.lines, things.triangles].map((a) => Array.from(a));
            overlay(things);
          };
        }"""
    )

    def assert_drawn():
        settled(page)
        for drawn, expected in zip(
            page.evaluate("window.drawn"), made._overlay(made._model_matrices()), strict=True
        ):
            np.testing.assert_allclose(drawn, expected.ravel(), atol=1e-5)

    drag(page, made.targets, (-20, -60))
    assert_drawn()
    page.check(".lissom-playground-edits")
    page.fill(".lissom-playground-limits input[type=number] >> nth=1", "70")
    page.keyboard.press("Enter")
    settled(page)
    assert made.chains[0].limits[1].high == pytest.approx(np.radians(70), abs=1e-3)
    assert_drawn()
    drag(page, made.targets, (10, 20))
    assert_drawn()


def test_a_view_that_knows_no_shapes_of_limits_asks_for_them(page):
    made = shown(page, playground())
    made.widget._frames.message(whole=True)  # a message that is lost
    page.evaluate("window.sent.length = 0")
    drag(page, made.targets, (-20, -40))
    page.wait_for_function("window.sent.some(({ kind }) => kind === 'hello')")
    settled(page)
    page.evaluate("window.sent.length = 0")
    drag(page, made.targets, (10, 10))
    settled(page)
    assert not page.evaluate("window.sent.some(({ kind }) => kind === 'hello')")


def test_a_kernel_that_does_not_answer_is_said_to_be_silent(page):
    page.evaluate(
        """() => {
          const plain = window.setTimeout;
          window.late = [];
          window.setTimeout = (call, ms) => ms === 3000 ? window.late.push(call) : plain(call, ms);
        }"""
    )
    made = shown(page, playground())
    page.evaluate("() => { window.kernel = () => new Promise(() => {}); }")
    drag(page, made.targets, (-20, -40))
    assert page.text_content(".lissom-playground-note") == ""
    page.evaluate("() => window.late.at(-1)()")
    assert page.text_content(".lissom-playground-note") == "The kernel does not answer: is it busy, or gone?"
    sent = page.evaluate("window.sent.filter(({ kind }) => kind === 'drag')")
    assert len(sent) == 2, "what waited is asked then"
    assert sent[1]["sequence"] == sent[0]["sequence"] + 1


NOTE = "document.querySelector('.lissom-playground-note').textContent"
HURRIED = """() => {
  const plain = window.setTimeout;
  window.setTimeout = (call, ms) => plain(call, ms === 3000 ? 1 : ms);
}"""


def test_an_answer_that_comes_late_takes_the_word_of_silence_back(page):
    page.evaluate(HURRIED)
    made = shown(page, playground())
    page.evaluate(
        """() => {
          const answer = window.kernel;
          const opened = new Promise((resolve) => { window.open = resolve; });
          window.kernel = async (...content) => { await opened; return answer(...content); };
        }"""
    )
    drag(page, made.targets, (-20, -40))
    page.wait_for_function(f"{NOTE}.startsWith('The kernel does not answer')")
    page.evaluate("window.open()")
    page.wait_for_function(f"{NOTE} === ''")


def test_a_kernel_that_was_restarted_is_said_to_be_silent(page):
    made = shown(page, playground())
    page.evaluate(HURRIED)
    page.evaluate("() => { window.sent.push = () => { throw new Error('Cannot send'); }; }")
    drag(page, made.targets, (-20, -40))
    page.wait_for_function(f"{NOTE}.startsWith('The kernel does not answer')")


def test_a_view_that_is_closed_leaves_nothing(page):
    made = shown(page, playground())
    page.evaluate("window.cleanUp()")
    assert page.locator("canvas").count() == 0
    assert page.evaluate("window.listenerCount()") == 0
    assert bool(made.result.reached)


def test_a_character_without_a_mesh_is_drawn_as_its_bones(page):
    bones = lissom.Character("bones", HERO.skeleton, None, None)
    made = shown(page, ik.Playground(bones, "Foot.L", height=240))
    before = pixels_of(page)
    drag(page, made.targets, (-20, -60))
    settled(page)
    assert changed(before, pixels_of(page)) > 0.003


def test_the_first_camera_and_method_are_those_that_were_asked_for(page):
    camera = lissom.gpu.Camera((0.0, 0.6, 0.0), 3.0, azimuth=80.0, elevation=5.0)
    shown(page, playground(camera=camera, method="dual_quat"))
    state = page.evaluate("document.querySelector('.lissom-playground').playground.player.state")
    assert state["method"] == "dual_quat"
    assert state["camera"]["azimuth"] == 80
    assert state["camera"]["target"] == [0.0, 0.6, 0.0]
