# SPDX-License-Identifier: MIT
"""Windows: their contexts are drawn into and stay current, by GLX and by EGL; the docs' example runs."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from x_server import MISSING, x_server

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="opens windows on an X server"),
    pytest.mark.skipif(MISSING is not None, reason=MISSING or ""),
]

ROOT = Path(__file__).resolve().parents[2]

# A bar drawn into a window, with pictures of lissom's own context before, between and after.
DRAW = """
import sys
import glfw, moderngl, numpy as np
import lissom
assert glfw.init()
for name, value in ((glfw.CONTEXT_VERSION_MAJOR, 3), (glfw.CONTEXT_VERSION_MINOR, 3),
                    (glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE),
                    (glfw.CONTEXT_CREATION_API, getattr(glfw, sys.argv[1]))):
    glfw.window_hint(name, value)
window = glfw.create_window(160, 90, "lissom", None, None)
other = glfw.create_window(64, 64, "other", None, None)
glfw.make_context_current(window)
bar = lissom.samples.twisted_bar()
camera = lissom.gpu.Camera((0.0, 1.0, 0.0), 6.0)
lissom.render(bar, width=32, height=32)
assert glfw.get_current_context(), "the window is current after lissom has drawn"
gl = moderngl.create_context()
stage = lissom.gpu.Stage(context=gl)
usual = lissom.gpu.Stage(160, 90, samples=0)
for time in (0.0, 1.0):
    pose = bar.clips["bend"].sample(time)
    with lissom.gpu.SkinnedModel(bar, stage=stage) as model, lissom.gpu.SkinnedModel(bar) as same:
        model.set_pose(pose), same.set_pose(pose)
        stage.draw(model, camera=camera, ground=True, clear=True)
        drawn = np.frombuffer(gl.screen.read(components=3, alignment=1), np.uint8).reshape(90, 160, 3)[::-1]
        picture = usual.render(same, camera=camera).array
    off = np.abs(drawn.astype(int) - picture).max(axis=2)
    assert (off > 8).mean() < 0.02, off.max()
    assert (picture != picture[0, 0]).any()
    assert gl.mglo._context is not None
    glfw.swap_buffers(window)
import ctypes
def is_current(window):
    found = glfw.get_current_context()
    return ctypes.cast(found, ctypes.c_void_p).value == ctypes.cast(window, ctypes.c_void_p).value
def draw():
    try:
        stage.draw(bar, camera=camera, clear=True)
    except lissom.GpuError as error:
        return str(error)
for window_before in (other, None):  # EGL makes the window's context current meanwhile; GLX cannot know of it
    glfw.make_context_current(window_before)
    said = draw()
    if sys.argv[1] == "EGL_CONTEXT_API":
        assert said is None, said
    else:
        assert said.startswith("the GLX context of this window must be current; "), said
    assert is_current(window_before) if window_before else not glfw.get_current_context()
glfw.make_context_current(window)
model = lissom.gpu.SkinnedModel(bar, stage=stage)
glfw.destroy_window(window)
assert draw() is not None
model.release(), stage.release()  # forget what went with the window
assert stage.released
glfw.terminate()
lissom.render(bar, width=32, height=32)
print("drawn")
"""


# Two windows whose contexts share their objects: each has them all after lissom has drawn into both.
SHARED = """
import glfw, moderngl
import lissom
assert glfw.init()
for name, value in ((glfw.CONTEXT_VERSION_MAJOR, 3), (glfw.CONTEXT_VERSION_MINOR, 3),
                    (glfw.OPENGL_PROFILE, glfw.OPENGL_CORE_PROFILE)):
    glfw.window_hint(name, value)
first = glfw.create_window(160, 90, "first", None, None)
second = glfw.create_window(160, 90, "second", None, first)
contexts = []
for window in (first, second):
    glfw.make_context_current(window)
    contexts.append(moderngl.create_context())
glfw.make_context_current(first)
checks = contexts[0].texture((2, 2), 4, data=bytes(range(16)))
contexts[0].finish()
glfw.make_context_current(second)
seen = contexts[1].external_texture(checks.glo, (2, 2), 4, 0, "f1")
assert seen.read() == bytes(range(16)), "the contexts share textures"
bar, camera = lissom.samples.twisted_bar(), lissom.gpu.Camera((0.0, 1.0, 0.0), 6.0)
stages, models = [], []
for window, gl in zip((first, second), contexts):
    glfw.make_context_current(window)
    stages.append(lissom.gpu.Stage(context=gl))
    models.append(lissom.gpu.SkinnedModel(bar, stage=stages[-1]))
assert stages[0].context is not stages[1].context
pictures = []
for turn in (0, 1, 0, 1):
    window, gl = (first, second)[turn], contexts[turn]
    glfw.make_context_current(window)
    models[turn].set_pose(bar.clips["bend"].sample(1.0))
    stages[turn].draw(models[turn], framebuffer=gl.screen, camera=camera, ground=True, clear=True)
    pictures.append(gl.screen.read(components=3, alignment=1))
    lissom.render(bar, width=32, height=32)
assert len(set(pictures)) == 1 and len(set(pictures[0])) > 9
try:
    stages[0].draw(models[1], framebuffer=contexts[0].screen, camera=camera)
except ValueError as error:
    assert "must be made in this stage's context" in str(error), error
else:
    raise AssertionError("a model of the other context was drawn")
glfw.make_context_current(first)
models[0].release(), stages[0].release()
glfw.make_context_current(second)
assert seen.read() == bytes(range(16)), "what the user shares is as it was"
stages[1].draw(models[1], framebuffer=contexts[1].screen, camera=camera, ground=True, clear=True)
assert contexts[1].screen.read(components=3, alignment=1) == pictures[0]
models[1].release(), stages[1].release()
glfw.terminate()
print("shared")
"""


@pytest.mark.parametrize("interface", ["NATIVE_CONTEXT_API", "EGL_CONTEXT_API"])
def test_a_window_is_drawn_into_and_stays_current(interface):
    with x_server() as environment:
        done = subprocess.run(
            [sys.executable, "-c", DRAW, interface],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert (done.returncode, done.stdout) == (0, "drawn\n"), done.stderr


def test_contexts_that_share_their_objects_are_drawn_into_by_turns():
    with x_server() as environment:
        done = subprocess.run(
            [sys.executable, "-c", SHARED],
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
    assert (done.returncode, done.stdout) == (0, "shared\n"), done.stderr


def test_the_example_of_the_docs_opens_and_draws():
    sys.path.insert(0, str(ROOT / "docs" / "pictures"))
    try:
        import window
    finally:
        sys.path.pop(0)
    picture = window.screenshot()
    assert picture.shape == (540, 960, 3)
    sky, sand = picture[5].astype(int), picture[535].astype(int)
    assert (sky[:, 2] > sky[:, 0] + 40).all()  # blue above
    assert (np.median(sand, axis=0) > [140, 120, 90]).all()
    orange = (picture[..., 0] > 150) & (picture[..., 1] < 110) & (picture[..., 2] < 90)
    assert 0.02 < orange.mean() < 0.2  # shirts
