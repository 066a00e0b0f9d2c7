# SPDX-License-Identifier: MIT
"""The playground where it is used: JupyterLab, the mouse on a target, the kernel asked for the pose."""

import ast
import importlib.util
import json

import numpy as np
import pytest

from browser.conftest import MILLISECONDS
from browser.dragging import camera_of, drag, pixel_of, pixels_of
from browser.jupyter_lab import ask_kernel, jupyter_lab, open_notebook, write_notebook
from lissom import ik, quat, samples

if importlib.util.find_spec("jupyterlab") is None:  # not imported here: it takes 4 s, in each worker
    pytest.skip("jupyterlab is not installed", allow_module_level=True)
pytest.importorskip("anywidget", reason="anywidget is not installed")

CELL = """\
import json

import numpy as np

import lissom
from lissom import ik

hero = lissom.samples.humanoid()
knee = {"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight")}
leg = ik.Chain(hero.skeleton, "UpperLeg.L", "Foot.L", limits=knee)
playground = ik.Playground(hero, leg, solver="two_bone", height=300)
playground"""
STATE = """json.dumps({
    "pose": playground.pose.tolist(),
    "targets": playground.targets.tolist(),
    "residual": float(playground.result.residual),
    "reached": bool(playground.result.reached),
    "readout": playground.readout,
    "code": playground.code(),
})"""
# Messages about the playground, by direction and kind.
COUNTED = """() => {
  const { kernel } = window.jupyterapp.shell.currentWidget.sessionContext.session;
  window.counts = { "send drag": 0, "send nudge": 0, "recv frame": 0, "recv other": 0 };
  kernel.anyMessage.connect((_, { msg, direction }) => {
    if (!msg.header.msg_type.startsWith("comm_")) return;
    const key = `${direction} ${msg.content.data?.content?.kind ?? "other"}`;
    window.counts[key] = (window.counts[key] ?? 0) + 1;
  });
}"""
WITHOUT_LINE = """() => {
  const { playground } = document.querySelector(".lissom-playground");
  playground.line.close();
  playground.line = null;
}"""
HERO = samples.humanoid()
REST = HERO.skeleton.rest
KNEE, HIP = HERO.skeleton.index("LowerLeg.L"), HERO.skeleton.index("UpperLeg.L")
ROUNDING = 2e-6  # radians: of float32 quaternions
SEEN = 24  # levels of 255


@pytest.fixture
def page(browser, tmp_path):
    folder = tmp_path / "notebooks"
    folder.mkdir()
    write_notebook(folder / "playground.ipynb", CELL)
    with jupyter_lab(folder, tmp_path / "home") as address:
        tab = browser.new_page(viewport={"width": 1000, "height": 900})
        tab.set_default_timeout(MILLISECONDS)
        open_notebook(tab, address, "playground.ipynb")
        yield tab
        tab.close()


def answered(page):
    """Wait until all that was dragged is answered, and give the kernel's state."""
    page.wait_for_function("!document.querySelector('.lissom-playground').playground.asked()")
    return json.loads(ast.literal_eval(ask_kernel(page, STATE)))


def said(page):
    return page.locator(".lissom-playground-readout tr").first.locator("td").text_content()


@pytest.mark.soak
def test_a_target_is_dragged_in_jupyterlab(page):
    page.evaluate("window.jupyterapp.commands.execute('notebook:run-all-cells')")
    page.wait_for_function("document.querySelector('.lissom-playground')?.playground.frames >= 1")
    before, words = pixels_of(page), said(page)
    start = np.array(answered(page)["targets"])

    page.evaluate(COUNTED)
    drag(page, start, (-20, -45))  # by the line, as page and kernel are on one machine
    between = answered(page)["targets"]
    counts = page.evaluate("window.counts")
    assert counts == {"send drag": 0, "send nudge": 0, "recv frame": 0, "recv other": 0}
    page.evaluate(WITHOUT_LINE)
    drag(page, between, (-20, -45))
    state = answered(page)
    counts = page.evaluate("window.counts")
    assert counts["send drag"] == counts["recv frame"] >= 1
    # One when the status of the question is heard, which comes before its answer; two by timers until then.
    assert counts["send drag"] <= counts["send nudge"] <= 3 * counts["send drag"]
    assert counts["recv other"] == 0
    pose = np.array(state["pose"], np.float32)
    camera, box = camera_of(page)
    moved = pixel_of(state["targets"], camera, box) - pixel_of(start, camera, box)
    np.testing.assert_allclose(moved, (-40, -90), atol=2)
    assert state["reached"]
    changed = np.abs(pixels_of(page).astype(int) - before).max(axis=-1) > SEEN
    assert changed.mean() > 0.01, "the leg has moved in the picture"
    assert said(page) != words
    assert f"residual {state['residual']:.3g} " in said(page)
    assert_only_the_leg_turned(pose)
    assert_the_knee_is_a_hinge(pose)
    assert np.abs(pose[KNEE] - REST[KNEE]).max() > 0.2

    drag(page, state["targets"], (-120, -40))  # beyond reach: the knee gets straight, and no further
    state = answered(page)
    assert not state["reached"]
    assert said(page).startswith("not reached")
    pose = np.array(state["pose"], np.float32)
    assert_only_the_leg_turned(pose)
    assert_the_knee_is_a_hinge(pose)

    page.click(".lissom-playground-copy")
    page.wait_for_selector(".lissom-playground-code:visible")
    code = page.input_value(".lissom-playground-code")
    assert code == state["code"]
    names = {}
    exec(code, names)
    np.testing.assert_array_equal(names["pose"], pose)

    # Keys and the right button are the picture's: no cell is inserted, no menu opens.
    box = page.locator(".lissom-playground canvas").bounding_box()
    x, y = box["x"] + 20, box["y"] + 20
    page.mouse.click(x, y)
    page.keyboard.press("a")
    page.mouse.click(x, y, button="right")
    page.keyboard.press("w")
    wireframe = "document.querySelector('.lissom-playground').playground.player.state.wireframe"
    page.wait_for_function(wireframe)
    assert page.evaluate("window.jupyterapp.shell.currentWidget.content.widgets.length") == 1
    assert page.locator(".lm-Menu").count() == 0


def assert_only_the_leg_turned(pose):
    differs = np.flatnonzero((pose != REST).any(axis=1)).tolist()
    assert differs == [HIP, KNEE]
    np.testing.assert_array_equal(pose[:, :3], REST[:, :3])


def assert_the_knee_is_a_hinge(pose):
    limits = {"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight")}
    hinge = ik.Chain(HERO.skeleton, "UpperLeg.L", "Foot.L", limits=limits).limits[1]
    axis = np.array(hinge.axis)
    turn = quat.multiply(quat.conjugate(REST[KNEE, 3:7].astype(np.float64)), pose[KNEE, 3:7])
    vector = quat.to_rotation_vector(quat.normalize(turn))
    np.testing.assert_allclose(
        np.cross(vector, axis), 0, atol=ROUNDING, err_msg="it turns about its axis only"
    )
    assert hinge.low - ROUNDING <= vector @ axis <= hinge.high + ROUNDING
