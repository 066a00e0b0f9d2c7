# SPDX-License-Identifier: MIT
"""What a playground shows in a notebook: the widget's messages, and a picture where there is no front end."""

import base64
import io
import json
import sys

import numpy as np
import pytest
from PIL import Image

import lissom
from lissom import ik, samples
from lissom._playground.widget import Frames

HERO = samples.humanoid()
KNEE = {"LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight")}
PICTURE = (160, 120)


def playground(character=HERO, **options):
    leg = ik.Chain(HERO.skeleton, "UpperLeg.L", "Foot.L", limits=KNEE)
    return ik.Playground(character, leg, **options)


@pytest.fixture
def without_gl(monkeypatch):
    def refused(*_args, **_options):
        raise lissom.GpuError("there is no OpenGL here")

    monkeypatch.setattr("lissom._pictures.render_one.stage_of", refused)


MOST_BYTES = 6000  # of the answer to a drag: palettes and where the limits are, not their shapes


def buffers(made):
    content, arrays = Frames(made).message()
    return content, [np.frombuffer(array, np.float32) for array in arrays]


def assert_overlay(made, places, marks, lines, triangles):
    """Assert that shapes, each moved by the matrix and in the colour of its place, are the overlay."""
    rows = places.reshape(-1, 15)
    expected = made._overlay(made._model_matrices())
    for corners, extra, drawn in (
        (lines.reshape(-1, 2, 5), marks.reshape(-1, 2, 7), expected.lines),
        (triangles.reshape(-1, 3, 5), np.zeros((0, 3, 7)), expected.triangles),
    ):
        place = rows[corners[..., 4].astype(int)]
        matrices = place[..., :12].reshape(*place.shape[:-1], 3, 4).astype(np.float64)
        points = np.einsum("...ij,...j->...i", matrices[..., :3], corners[..., :3]) + matrices[..., 3]
        moved = np.concatenate([points, place[..., 12:], corners[..., 3:4]], axis=-1)
        np.testing.assert_allclose(np.concatenate([moved, extra]), drawn, atol=2e-6)


def test_a_frame_holds_the_palettes_of_the_pose():
    made = playground()
    made.solve([0.1, 0.5, 0.3])
    _, (linear, dual, places, marks, lines, triangles) = buffers(made)
    palette = HERO.skin.palette(HERO.skeleton.model_matrices(made.pose))
    np.testing.assert_array_equal(linear.reshape(-1, 3, 4), palette.matrices[:, :3])
    np.testing.assert_array_equal(dual.reshape(-1, 8), palette.dual_quats)
    assert_overlay(made, places, marks, lines, triangles)


def test_shapes_of_limits_are_sent_where_they_are_new_and_else_where_they_are():
    limits = {
        "UpperLeg.L": ik.SwingTwist((1.9, 0.8), twist=(-0.6, 0.6), across=(1, 0, 0)),
        "LowerLeg.L": ik.Hinge.from_rest(0.0, 2.6, zero="straight"),
    }
    made = ik.Playground(HERO, ik.Chain(HERO.skeleton, "UpperLeg.L", "Foot.L", limits=limits))
    frames = Frames(made)

    def sent(**options):
        content, arrays = frames.message(**options)
        return content["shapes"], [np.frombuffer(array, np.float32) for array in arrays]

    first, (*_, lines, triangles) = sent()
    for target in ([0.1, 0.5, 0.3], [0.4, 0.9, 0.2]):  # the second is beyond reach: limits are orange
        made.solve(target)
        number, (_, _, places, marks) = sent()
        assert number == first
        assert_overlay(made, places, marks, lines, triangles)
    assert bool(made.result.limited.any())
    made.set_limit("LowerLeg.L", ik.Hinge.from_rest(0.2, 1.1, zero="straight"))
    number, (_, _, places, marks, new_lines, new_triangles) = sent()
    assert number != first
    assert len(new_lines) < len(lines)
    assert_overlay(made, places, marks, new_lines, new_triangles)
    assert len(sent()[1]) == 4
    made.undo()
    again, (_, _, places, marks, lines, triangles) = sent()
    assert again not in (first, number)
    assert_overlay(made, places, marks, lines, triangles)
    assert len(sent(whole=True)[1]) == 6, "a view that is opened needs them"


def test_a_drag_has_one_answer_of_a_few_kilobytes():
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    limits = {joint: ik.BallSocket(0.35) for joint in ("Chest", "UpperChest", "Clavicle.L")}
    limits |= {"UpperArm.L": ik.BallSocket(1.8), "LowerArm.L": ik.Hinge.from_rest(0.0, 2.5, zero="straight")}
    made = ik.Playground(HERO, ik.Chain(HERO.skeleton, "Chest", "Hand.L", limits=limits))
    widget, said = made.widget, []
    widget.send = lambda content, buffers=(): said.append((content, buffers))
    widget._listen(widget, {"kind": "hello"}, [])
    said.clear()
    for step in range(3):
        target = np.add(made.targets, (0.0, 0.1, 0.02 * step)).tolist()
        widget._listen(widget, {"kind": "drag", "moves": {"target:0": target}}, [])
        ((content, arrays),) = said
        assert len(json.dumps(content)) + sum(map(len, arrays)) < MOST_BYTES
        said.clear()


def test_a_frame_says_what_the_playground_says():
    made = playground(solver="two_bone")
    made.solve([0.1, 0.5, 0.3])
    content, _ = buffers(made)
    assert [f"{name}: {text}" for name, text, _ in content["readout"]] == made.readout.splitlines()
    assert content["solver"] == "two_bone"
    assert [handle["id"] for handle in content["handles"]] == ["target:0", "pole:0"]
    np.testing.assert_array_equal(np.float32(content["targets"]), [made.targets])


def test_scaled_joints_have_scales_in_every_frame():
    pose = HERO.skeleton.rest.copy()
    pose[HERO.skeleton.index("Head"), 7:] = 1.3
    frames = Frames(playground(pose=pose))
    assert frames.scaled
    palette = HERO.skin.palette(HERO.skeleton.model_matrices(frames._playground.pose))
    _, (_, dual, *_) = frames.message()
    rows = np.frombuffer(dual, np.float32).reshape(-1, 5, 4)
    np.testing.assert_array_equal(rows[:, 2:], palette.scales)
    plain = np.zeros((3, 2, 4), np.float32)
    np.testing.assert_array_equal(frames._strided(plain)[:, 2:], np.tile(np.eye(3, 4), (3, 1, 1)))
    assert not Frames(playground()).scaled


def test_the_bundle_is_the_characters_mesh():
    from lissom.player._container import from_bytes

    arrays, strings = from_bytes(Frames(playground()).bundle())
    assert len(arrays["positions"]) == HERO.mesh.vertex_count
    assert '"layout":null' in strings["player"]
    bones = lissom.Character("bones", HERO.skeleton, None, None)
    arrays, _ = from_bytes(Frames(playground(bones)).bundle())
    assert arrays["rows"].max() < len(HERO.skeleton)


def test_the_widget_answers_what_the_page_asks():
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    made = playground()
    said = []
    widget = made.widget
    widget.send = lambda content, buffers=(): said.append(content)

    def ask(kind, **content):
        said.clear()
        widget._listen(widget, {"kind": kind, "view": "v", "sequence": 3, **content}, [])
        (answer,) = said
        assert (answer["view"], answer["sequence"]) == ("v", 3)
        return answer

    assert ask("hello")["kind"] == "frame"
    assert ask("drag", moves={"target:0": [0.1, 0.5, 0.3]})["asked"] == "drag"
    np.testing.assert_array_equal(made.targets, np.float32([0.1, 0.5, 0.3]))
    assert ask("solver", name="two_bone")["solver"] == "two_bone"
    pole = [0.5, 0.6, 2.0]
    ask("drag", moves={"pole:0": pole})
    np.testing.assert_array_equal(made.poles, np.float32(pole))
    assert ask("code")["text"] == made.code()
    assert ask("drag", moves={"target:0": [0.1, float("nan"), 0]})["kind"] == "error"
    ask("reset")
    np.testing.assert_array_equal(made.targets, playground().targets)
    said.clear()
    made.solve([0.1, 0.5, 0.3])
    assert said[0]["kind"] == "frame"
    assert "view" not in said[0]


def test_without_anywidget_it_shows_a_picture_and_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    from lissom._playground import widget as _playground_widget

    _playground_widget._widget_class.cache_clear()
    made = playground(height=120)
    monkeypatch.setattr(made, "picture", lambda: lissom.Picture(np.zeros((2, 3, 3), np.uint8)))
    bundle = made._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "image/png"}
    assert 'pip install "lissom[jupyter]"' in bundle["text/plain"]
    assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG")
    with pytest.raises(
        ImportError, match=r'ik.Playground.widget needs anywidget, which is in the extra "jupyter"'
    ):
        made.widget  # noqa: B018
    assert bool(made.solve([0.1, 0.5, 0.3]).reached)


def test_with_anywidget_it_shows_both_the_widget_and_the_picture(without_gl):
    pytest.importorskip("anywidget", reason="anywidget is not installed")
    bundle = playground(height=120)._repr_mimebundle_()
    assert "application/vnd.jupyter.widget-view+json" in bundle
    with Image.open(io.BytesIO(base64.b64decode(bundle["image/png"]))) as image:
        assert image.size == (720, 120)


def test_the_picture_needs_no_opengl_and_has_targets_and_limits(without_gl):
    made = playground(camera=lissom.gpu.Camera((0.0, 0.8, 0.0), 4.0), solver="two_bone")
    made.solve([0.1, 0.5, 0.3])
    width, height = PICTURE
    pixels = made.picture(width, height).array.astype(int)
    plain = lissom.sketch(HERO, pose=made.pose, width=width, height=height, camera=made.camera).array
    for handle in made._handles():
        clip = made.camera.clip_from_world(width / height, 0.1, 10) @ [*handle.position, 1]
        x, y = (0.5 + 0.5 * clip[0] / clip[3]) * width, (0.5 - 0.5 * clip[1] / clip[3]) * height
        np.testing.assert_allclose(pixels[int(y), int(x)], 255 * np.array(handle.color), atol=3)
    differs = (np.abs(pixels - plain) > 8).any(axis=-1)
    assert 0.01 < differs.mean() < 0.3
    assert not differs[:10].any(), "far from the leg it is the plain picture"


def test_what_is_behind_the_eye_is_not_drawn(without_gl):
    made = playground(camera=lissom.gpu.Camera((0.0, 0.8, 0.0), 1.0, azimuth=0.0))
    made.solve([0.1, 0.8, 5.0])
    assert made.picture(*PICTURE).shape == (PICTURE[1], PICTURE[0], 3)
