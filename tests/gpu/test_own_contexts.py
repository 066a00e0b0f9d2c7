# SPDX-License-Identifier: MIT
"""Contexts that users made: drawn into, left as they were, and current again."""

import ctypes
import itertools
import os
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import lissom
from gpu.gl_objects import live_objects
from lissom.errors import GpuError
from lissom.gpu import Crowd, Impostors, LiveCrowd, PoseUpload, SkinnedModel, Stage
from lissom.gpu._context import GlContext

moderngl = pytest.importorskip("moderngl")

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="makes contexts by EGL")

SIZE = 160, 90
TRIANGLE = """
#version 330
in vec2 at;
void main() { gl_Position = vec4(at, 0.5, 1.0); }
"""
COLOR = """
#version 330
uniform sampler2D map;
out vec4 color;
void main() { color = texture(map, gl_FragCoord.xy / 90.0); }
"""


def new_context():
    return moderngl.create_context(standalone=True, backend="egl")


@pytest.fixture
def own(context):
    """A user's context, current."""
    gl = new_context()
    yield gl
    gl.release()


@pytest.fixture
def target(own):
    size = SIZE
    framebuffer = own.framebuffer(own.texture(size, 4), own.depth_renderbuffer(size))
    framebuffer.use()
    return framebuffer


def current():
    """Return EGL's own word for the context that is current in this thread."""
    library = ctypes.CDLL("libEGL.so.1")
    library.eglGetCurrentContext.restype = ctypes.c_void_p
    return library.eglGetCurrentContext()


def pixels(framebuffer, viewport=None):
    size = (viewport or (0, 0, *SIZE))[2:]
    data = framebuffer.read(components=3, viewport=viewport)
    return np.frombuffer(data, np.uint8).reshape(size[1], size[0], 3)[::-1]


@pytest.fixture(scope="module")
def bar():
    return lissom.samples.twisted_bar()


@pytest.fixture(scope="module")
def hero():
    return lissom.samples.humanoid()


# --- which context is current ---


def test_a_users_context_stays_current(own, bar):
    mine = current()
    other = new_context()
    theirs = current()
    assert len({mine, theirs, None}) == 3
    bake = lissom.bake(bar, rate=5)
    with Stage(32, 32) as stage, Crowd(bake, 2) as crowd:
        lissom.render(bar, width=32, height=32)
        assert current() == theirs
        with own:
            stage.render(crowd)
            assert current() == mine
            with stage.context:
                assert current() not in (mine, theirs)
                Stage(32, 32, context=other).draw(framebuffer=other.simple_framebuffer((8, 8)))
                assert current() not in (mine, theirs)
            assert current() == mine
    other.release()


def test_where_none_is_current_none_is_after(own, bar):
    ends = []

    def draw():
        ends.append(current())
        lissom.render(bar, width=32, height=32)
        ends.append(current())

    thread = threading.Thread(target=draw)
    thread.start()
    thread.join()
    assert ends == [None, None]


def test_a_new_context_of_lissom_is_not_moderngls_default():
    code = """
import moderngl, lissom
mine = moderngl.create_context(standalone=True, backend="egl")
buffer = mine.buffer(b"abcd")
with lissom.gpu.Stage(32, 32):  # which makes lissom's context
    pass
assert moderngl.get_context() is mine
assert buffer.read() == b"abcd"
with lissom.gpu.Stage(context=mine) as stage:
    stage.draw(lissom.samples.twisted_bar(), framebuffer=mine.simple_framebuffer((32, 32)))
"""
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-c", code], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_errors_leave_the_users_context_current(own, target):
    mine = current()
    stage = Stage(context=own)
    stage.release()
    with pytest.raises(GpuError, match="released"):
        stage.draw(framebuffer=target)
    assert current() == mine


def test_a_context_in_use_by_another_thread_is_refused(own, bar):
    stage = Stage(context=own)  # current in this thread, too
    failed = []

    def draw():
        try:
            SkinnedModel(bar, stage=stage)
        except GpuError as error:
            failed.append(str(error))

    thread = threading.Thread(target=draw)
    thread.start()
    thread.join()
    assert failed == [
        "this OpenGL context cannot be made current (EGL refused): its window is gone, or it is current in "
        "another thread"
    ]
    SkinnedModel(bar, stage=stage).release()  # here it still can be


# --- what is drawn ---


def test_what_is_drawn_is_the_picture(own, target, hero):
    with Stage(*SIZE, samples=0, context=own) as stage, Stage(*SIZE, samples=0) as usual:
        stage.draw(hero, ground=True, clear=True)
        np.testing.assert_array_equal(pixels(target), usual.render(hero).array)
        np.testing.assert_array_equal(stage.render(hero).array, usual.render(hero).array)


def test_a_viewport_is_a_picture_of_its_size(own, target, hero):
    part = 90, 10, 60, 72
    target.viewport = part
    own.clear(0.25, 0.5, 0.75, 1.0, viewport=(0, 0, *SIZE))
    before = pixels(target)
    with Stage(context=own) as stage, Stage(*part[2:], samples=0) as usual:
        stage.draw(hero, ground=True, clear=True)
        expected = usual.render(hero).array
    np.testing.assert_allclose(pixels(target, part).astype(int), expected, atol=1)  # fragments lie elsewhere
    after = pixels(target)
    outside = np.ones(SIZE[::-1], bool)
    outside[::-1][part[1] : part[1] + part[3], part[0] : part[0] + part[2]] = False
    np.testing.assert_array_equal(after[outside], before[outside])


def test_all_things_are_drawn_over_what_is_there(own, target, hero):
    walk = lissom.bake(hero, "walk", rate=10)

    def live():
        crowd = LiveCrowd(hero, 2, stage=stage)
        crowd.instances["position"][:, 0] = -0.5, 0.5
        crowd.pose(hero.clips["walk"].sample([0.1, 0.4]))
        return crowd

    with Stage(context=own) as stage:
        for make in (
            lambda: SkinnedModel(hero, stage=stage),
            lambda: Crowd(walk, 3, stage=stage),
            lambda: Crowd(
                walk, 3, stage=stage, impostors=(Impostors(walk, views=2, phases=2, stage=stage), 1e3)
            ),
            live,
        ):
            target.clear(0.25, 0.5, 0.75, 1.0)
            with make() as thing:
                stage.draw(thing)
            drawn = (pixels(target) != (64, 128, 191)).any(axis=2)
            assert 0.02 < drawn.mean() < 0.6
        PoseUpload(walk, stage=stage).release()
    assert own.error == "GL_NO_ERROR"


def test_nearer_surfaces_of_the_user_hide(own, target, hero):
    program = own.program(
        vertex_shader=TRIANGLE.replace("0.5", "-1.0"),
        fragment_shader="#version 330\nout vec4 c;\nvoid main() { c = vec4(0, 1, 0, 1); }",
    )
    corners = np.array([-1, -1, 0, -1, -1, 1, 0, 1], "f4")  # the left half
    near = own.vertex_array(program, own.buffer(corners), "at")
    own.enable_only(own.DEPTH_TEST)
    target.clear(0.0, 0.0, 0.0, 1.0, depth=1.0)
    near.render(own.TRIANGLE_STRIP)
    with Stage(context=own) as stage:
        stage.draw(hero)
    left, right = np.split(pixels(target), 2, axis=1)
    np.testing.assert_array_equal(left, np.broadcast_to([0, 255, 0], left.shape))
    assert (right != 0).any()


def test_an_empty_stage_fills_the_viewport(own, target):
    with Stage(context=own, background=(1.0, 0.0, 0.0)) as stage:
        stage.draw(clear=True)
    np.testing.assert_array_equal(pixels(target), np.broadcast_to([255, 0, 0], (*SIZE[::-1], 3)))


def test_other_attachments_and_what_the_scissor_cuts_stay(own, bar):
    normals = own.texture(SIZE, 4, dtype="f4")
    target = own.framebuffer([own.texture(SIZE, 4), normals], own.depth_renderbuffer(SIZE))
    target.clear(0.25, 0.5, 0.75, 1.0)
    before = normals.read()
    with Stage(context=own) as stage:
        stage.draw(bar, framebuffer=target, ground=True, clear=True)
        assert normals.read() == before
        assert target.color_mask == ((True,) * 4,) * 2
        whole = pixels(target)
        target.clear(0.25, 0.5, 0.75, 1.0)
        plain = pixels(target)
        target.scissor = 40, 20, 70, 50
        stage.draw(bar, framebuffer=target, ground=True, clear=True)
        target.scissor = None
        drawn = pixels(target)
    inside = np.zeros(SIZE[::-1], bool)
    inside[::-1][20:70, 40:110] = True
    np.testing.assert_array_equal(drawn[inside], whole[inside])
    np.testing.assert_array_equal(drawn[~inside], plain[~inside])
    assert (whole[inside] != plain[inside]).any()


# --- the user's state ---

# glGet's names in the registry, with how many values; and glIsEnabled's.
INTEGERS = {
    "ACTIVE_TEXTURE": (0x84E0, 1),
    "ARRAY_BUFFER_BINDING": (0x8894, 1),
    "BLEND_DST_ALPHA": (0x80CA, 1),
    "BLEND_DST_RGB": (0x80C8, 1),
    "BLEND_EQUATION_ALPHA": (0x883D, 1),
    "BLEND_EQUATION_RGB": (0x8009, 1),
    "BLEND_SRC_ALPHA": (0x80CB, 1),
    "BLEND_SRC_RGB": (0x80C9, 1),
    "COLOR_WRITEMASK": (0x0C23, 4),
    "COPY_READ_BUFFER_BINDING": (0x8F36, 1),
    "COPY_WRITE_BUFFER_BINDING": (0x8F37, 1),
    "CULL_FACE_MODE": (0x0B45, 1),
    "CURRENT_PROGRAM": (0x8B8D, 1),
    "DEPTH_FUNC": (0x0B74, 1),
    "DEPTH_WRITEMASK": (0x0B72, 1),
    "DRAW_FRAMEBUFFER_BINDING": (0x8CA6, 1),
    "FRONT_FACE": (0x0B46, 1),
    "PACK_ALIGNMENT": (0x0D05, 1),
    "PACK_ROW_LENGTH": (0x0D02, 1),
    "PIXEL_PACK_BUFFER_BINDING": (0x88ED, 1),
    "PIXEL_UNPACK_BUFFER_BINDING": (0x88EF, 1),
    "POLYGON_MODE": (0x0B40, 2),
    "READ_FRAMEBUFFER_BINDING": (0x8CAA, 1),
    "RENDERBUFFER_BINDING": (0x8CA7, 1),
    "SCISSOR_BOX": (0x0C10, 4),
    "TRANSFORM_FEEDBACK_BUFFER_BINDING": (0x8C8F, 1),
    "UNIFORM_BUFFER_BINDING": (0x8A28, 1),
    "UNPACK_ALIGNMENT": (0x0CF5, 1),
    "UNPACK_ROW_LENGTH": (0x0CF2, 1),
    "UNPACK_SKIP_PIXELS": (0x0CF4, 1),
    "VERTEX_ARRAY_BINDING": (0x85B5, 1),
    "VIEWPORT": (0x0BA2, 4),
}
FLOATS = {
    "COLOR_CLEAR_VALUE": (0x0C22, 4),
    "DEPTH_CLEAR_VALUE": (0x0B73, 1),
    "DEPTH_RANGE": (0x0B70, 2),
    "POLYGON_OFFSET_FACTOR": (0x8038, 1),
    "POLYGON_OFFSET_UNITS": (0x2A00, 1),
    "LINE_WIDTH": (0x0B21, 1),
    "POINT_SIZE": (0x0B11, 1),
}
ENABLED = {
    "BLEND": 0x0BE2,
    "CULL_FACE": 0x0B44,
    "DEPTH_TEST": 0x0B71,
    "DEPTH_CLAMP": 0x864F,
    "COLOR_LOGIC_OP": 0x0BF2,
    "DITHER": 0x0BD0,
    "FRAMEBUFFER_SRGB": 0x8DB9,
    "MULTISAMPLE": 0x809D,
    "POLYGON_OFFSET_FILL": 0x8037,
    "PRIMITIVE_RESTART": 0x8F9D,
    "PROGRAM_POINT_SIZE": 0x8642,
    "RASTERIZER_DISCARD": 0x8C89,
    "SAMPLE_ALPHA_TO_COVERAGE": 0x809E,
    "SAMPLE_COVERAGE": 0x80A0,
    "SCISSOR_TEST": 0x0C11,
    "STENCIL_TEST": 0x0B90,
}
UNIT_BINDINGS = {"TEXTURE_2D": 0x8069, "TEXTURE_2D_ARRAY": 0x8C1D, "SAMPLER": 0x8919}


class RawState:
    """Asks and sets OpenGL's state through libGL, which is whatever is current."""

    def __init__(self, gl):
        self.library = ctypes.CDLL("libGL.so.1")
        self.unit_count = gl.max_texture_units
        self.texture = 0x84C0

    def __call__(self):
        library = self.library
        state = {}
        for name, (number, count) in INTEGERS.items():
            values = (ctypes.c_int * count)()
            library.glGetIntegerv(number, values)
            state[name] = list(values)
        for name, (number, count) in FLOATS.items():
            values = (ctypes.c_float * count)()
            library.glGetFloatv(number, values)
            state[name] = list(values)
        for name, number in ENABLED.items():
            state[name] = library.glIsEnabled(number) & 1
        for unit in range(min(self.unit_count, 32)):
            library.glActiveTexture(self.texture + unit)
            for name, number in UNIT_BINDINGS.items():
                value = ctypes.c_int()
                library.glGetIntegerv(number, ctypes.byref(value))
                state[f"unit {unit}: {name}"] = value.value
        library.glActiveTexture(state["ACTIVE_TEXTURE"][0])
        return state


def odd_state(gl, library):
    """Set all of it to what nobody begins with; return what has to stay alive."""
    held = []
    for unit in range(16):
        texture, array = gl.texture((2, 2), 4), gl.texture_array((2, 2, 1), 4)
        sampler = gl.sampler()
        for each in (texture, array, sampler):
            each.use(unit)
        held += [texture, array, sampler]
    buffers = [gl.buffer(reserve=1 << 16) for _ in range(4)]
    for target, buffer in zip((0x8892, 0x88EB, 0x88EC, 0x8C8E), buffers, strict=True):
        library.glBindBuffer(target, buffer.glo)
    renderbuffer = gl.renderbuffer((4, 4))
    library.glBindRenderbuffer(0x8D41, renderbuffer.glo)
    program = gl.program(vertex_shader=TRIANGLE, fragment_shader=COLOR)
    vertices = gl.vertex_array(program, gl.buffer(reserve=64), "at")
    library.glUseProgram(program.glo)
    library.glBindVertexArray(vertices.glo)
    gl.enable_only(gl.BLEND | gl.CULL_FACE | gl.PROGRAM_POINT_SIZE | gl.RASTERIZER_DISCARD)
    for name in (
        "DEPTH_CLAMP",
        "COLOR_LOGIC_OP",
        "FRAMEBUFFER_SRGB",
        "POLYGON_OFFSET_FILL",
        "PRIMITIVE_RESTART",
    ):
        library.glEnable(ENABLED[name])
    for name in ("SAMPLE_ALPHA_TO_COVERAGE", "SAMPLE_COVERAGE", "SCISSOR_TEST", "STENCIL_TEST"):
        library.glEnable(ENABLED[name])
    library.glDisable(ENABLED["MULTISAMPLE"])
    gl.blend_func = gl.ONE, gl.DST_COLOR, gl.ZERO, gl.SRC_ALPHA
    gl.blend_equation = gl.FUNC_SUBTRACT, gl.MIN
    gl.depth_func = ">"
    gl.cull_face, gl.front_face, gl.wireframe = "front", "cw", True
    gl.polygon_offset = 3.0, 5.0
    library.glViewport(1, 2, 3, 4)
    library.glScissor(5, 6, 7, 8)
    library.glColorMask(1, 0, 1, 0)
    library.glDepthMask(0)
    floats = [ctypes.c_float(value) for value in (0.1, 0.2, 0.3, 0.4)]
    library.glClearColor(*floats)
    library.glClearDepth(ctypes.c_double(0.25))
    library.glDepthRange(ctypes.c_double(0.75), ctypes.c_double(0.125))
    for name, value in ((0x0CF5, 2), (0x0CF2, 9), (0x0CF4, 3), (0x0D05, 8), (0x0D02, 7)):
        library.glPixelStorei(name, value)
    library.glActiveTexture(0x84C0 + 5)
    return [*held, *buffers, renderbuffer, program, vertices]


def test_all_state_is_as_it_was_and_matters_to_no_picture(own, target, bar):
    raw = RawState(own)
    bake = lissom.bake(bar, rate=5)
    ground = [[-1, 0, -1], [1, 0.5, -1], [0, 0, 1]], [[0, 2, 1]]
    with Stage(*SIZE, samples=0, context=own) as stage, Crowd(bake, 3, stage=stage) as crowd:
        stage.draw(bar, crowd, ground=ground, clear=True)
        expected = pixels(target)
        target.clear()
        other = own.simple_framebuffer((7, 5))
        other.use()
        held = odd_state(own, raw.library)
        before = raw()
        plain = raw.library.glGetError()
        assert before["unit 3: TEXTURE_2D"] != 0
        stage.draw(bar, crowd, framebuffer=target, ground=ground, clear=True)
        assert raw() == before
        stage.render(bar)
        with SkinnedModel(bar, stage=stage) as model:
            model.set_pose(bar.clips["bend"].sample(0.1))
            model.deformed()
        assert raw() == before
        assert own.fbo is other
        assert (own.wireframe, own.front_face, own.cull_face) == (True, "cw", "front")
        assert own.polygon_offset == (3.0, 5.0)
    assert plain == 0
    raw.library.glBindBuffer(0x88EB, 0)
    for name in ENABLED.values():
        raw.library.glDisable(name)
    for name, value in ((0x0D05, 4), (0x0D02, 0)):
        raw.library.glPixelStorei(name, value)
    np.testing.assert_array_equal(pixels(target), expected)
    for resource in held:
        resource.release()
    own.clear_errors()


def test_masks_and_blending_of_each_attachment_are_as_they_were(own, target, bar):
    library = ctypes.CDLL("libGL.so.1")
    two = own.framebuffer([own.texture(SIZE, 4), own.texture(SIZE, 4)])
    two.use()
    for i, mask in ((0, (1, 1, 0, 1)), (1, (0, 0, 0, 0)), (2, (1, 0, 1, 0))):
        library.glColorMaski(i, *mask)
    library.glDisablei(ENABLED["BLEND"], 0)
    library.glEnablei(ENABLED["BLEND"], 1)

    def state():
        masks = [(ctypes.c_ubyte * 4)() for _ in range(3)]
        for i, mask in enumerate(masks):
            library.glGetBooleani_v(0x0C23, i, mask)
        return [list(mask) for mask in masks], [library.glIsEnabledi(0x0BE2, i) & 1 for i in range(3)]

    before = state()
    assert before == ([[1, 1, 0, 1], [0, 0, 0, 0], [1, 0, 1, 0]], [0, 1, 0])
    with Stage(context=own) as stage:
        stage.draw(bar, framebuffer=target, ground=True)
        stage.render(bar)
    assert state() == before


def test_a_program_of_the_user_goes_on(own, target, bar):
    program = own.program(vertex_shader=TRIANGLE, fragment_shader=COLOR)
    checks = own.texture((2, 2), 3, bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 0]))
    checks.filter = own.NEAREST, own.NEAREST
    checks.use(0)
    vertices = own.vertex_array(program, own.buffer(np.array([-1, -1, 3, -1, -1, 3], "f4")), "at")
    vertices.render()
    expected = pixels(target)
    other = own.simple_framebuffer(SIZE)
    with Stage(context=own) as stage:
        for _ in range(3):
            target.clear()
            stage.draw(bar, framebuffer=other, ground=True)
            vertices.render()  # binds nothing again
            np.testing.assert_array_equal(pixels(target), expected)


# --- what is left behind ---


def test_released_things_leave_no_object_in_a_users_context(own, target, bar):
    bake = lissom.bake(bar, rate=5)
    ground = [[-1, 0, -1], [1, 0.5, -1], [0, 0, 1]], [[0, 2, 1]]

    def draw():
        with (
            Stage(64, 48, context=own) as stage,
            SkinnedModel(bar, stage=stage) as model,
            Crowd(bake, 5, stage=stage) as crowd,
        ):
            for _ in range(2):
                stage.draw(model, crowd, ground=True)
                stage.draw(model, crowd, ground=ground)
                stage.render(model)
                model.set_pose(bar.clips["bend"].sample(0.1))
                model.deformed()
            stage.draw(bar)

    draw()  # compiles what is kept for the context
    before = live_objects(own, 4096)
    for _ in range(3):
        draw()
    assert live_objects(own, 4096) == before


def test_a_thousand_stages_leave_no_memory_behind(own, target, bar):
    def cycles(count):
        for _ in range(count):
            with Stage(64, 48, context=own) as stage:
                stage.draw(framebuffer=target, clear=True)
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")

    held = [cycles(250) for _ in range(4)]
    assert min(later - sooner for sooner, later in itertools.pairwise(held)) < 1 << 18
    assert live_objects(own, 4096)["Texture"] < 16


# --- what is refused ---


def test_misuse_is_refused_in_a_sentence(own, target, bar, monkeypatch):
    stage = Stage(context=own)
    other = new_context()
    foreign = other.simple_framebuffer((8, 8))
    flat = own.framebuffer(own.texture((8, 8), 4))
    gone = own.simple_framebuffer((8, 8))
    gone.release()
    empty = own.simple_framebuffer((8, 8))
    empty.viewport = 0, 0, 0, 8
    whole = own.framebuffer(own.texture((8, 8), 4, dtype="u4"), own.depth_renderbuffer((8, 8)))
    dark = own.framebuffer([], own.depth_renderbuffer((8, 8)))
    lost = own.framebuffer(own.texture((8, 8), 4), own.depth_renderbuffer((8, 8)))
    lost.color_attachments[0].release()
    for framebuffer, kind, message in (
        (
            foreign,
            ValueError,
            "framebuffer must be of the stage's context, got one of another; make it there",
        ),
        (
            flat,
            ValueError,
            "framebuffer must have depths, by which near surfaces hide others; add a depth_rend",
        ),
        (gone, GpuError, "framebuffer was released; make a new one"),
        (empty, ValueError, "framebuffer must have a viewport of at least 1 x 1, got 0 x 8"),
        (whole, ValueError, "framebuffer must hold colours that are no integers, dtype 'f1', .*, got 'u4'"),
        (dark, ValueError, "framebuffer must have a colour attachment to draw into, got none"),
        (lost, GpuError, "framebuffer has an attachment that was released; make a new one"),
        ("screen", TypeError, "framebuffer must be a moderngl.Framebuffer, got str"),
    ):
        with pytest.raises(kind, match=f"^Stage.draw: {message}"):
            stage.draw(bar, framebuffer=framebuffer)
    with pytest.raises(TypeError, match=r"^Stage.draw: camera must be a Camera, got str$"):
        stage.draw(bar, framebuffer=target, camera="front")
    with pytest.raises(ValueError, match=r"^Stage.draw: ground_height must be None with a mesh"):
        stage.draw(
            bar, framebuffer=target, ground=([[0, 0, 0], [1, 0, 0], [0, 0, 1]], [[0, 2, 1]]), ground_height=1
        )
    with Stage() as usual, pytest.raises(ValueError, match="framebuffer must be passed, for none is bound"):
        usual.draw(bar)
    with Stage(context=other) as apart, pytest.raises(ValueError, match="must be passed, for none is bound"):
        apart.draw(bar)
    with pytest.raises(ValueError, match="things must be made in this stage's context"):
        stage.draw(SkinnedModel(bar), framebuffer=target)
    for wrong in ("egl", own.mglo):
        with pytest.raises(TypeError, match=r"^Stage: context must be a moderngl\.Context, got "):
            Stage(context=wrong)
    monkeypatch.setattr(other, "version_code", 310)
    with pytest.raises(GpuError) as caught:
        Stage(context=other)
    assert str(caught.value) == "Stage: context must have OpenGL 3.3 or later, got 3.1"
    stage.release()
    other.release()


def test_a_released_context_is_refused(bar, context):
    own = new_context()
    stage, target = Stage(context=own), own.simple_framebuffer((8, 8))
    model = SkinnedModel(bar, stage=stage)
    own.release()
    assert stage.released
    assert "released" in repr(stage)
    with pytest.raises(GpuError, match="was released"):
        stage.draw(bar, framebuffer=target)
    with pytest.raises(GpuError, match="was released"):
        model.deformed()
    model.release()
    stage.release()
    with pytest.raises(GpuError, match=r"^Stage: context was released; make a new one$"):
        Stage(context=own)
    with Stage(32, 32) as usual:
        assert usual.render(bar).shape == (32, 32, 3)


def test_one_context_is_known_again(own, context):
    with Stage(context=own) as one, Stage(context=own) as two:
        assert one.context is two.context
        assert one.context is not context
    assert GlContext.of(context.gl, "f") is context


def test_a_wrong_size_is_told_before_a_context_is_made(monkeypatch):
    from lissom.gpu import _stage_arguments

    monkeypatch.setattr(_stage_arguments, "shared_context", lambda: pytest.fail("a context was made"))
    monkeypatch.setattr(_stage_arguments.GlContext, "of", lambda *_: pytest.fail("a context was taken"))
    for size, kind, message in (
        ((0, 90), ValueError, "width and height must be whole numbers, at least 1, got 0 x 90"),
        ((160, 90.5), ValueError, "width and height must be whole numbers, at least 1, got 160 x 90.5"),
        (("160", 90), TypeError, "width must be a whole number, got str"),
        ((160, 90, None), TypeError, "samples must be a whole number, got NoneType"),
    ):
        with pytest.raises(kind, match=f"^Stage: {message}"):
            Stage(*size)
