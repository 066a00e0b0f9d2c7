# SPDX-License-Identifier: MIT
"""The context: lazy, shared, checked where OpenGL is silent."""

import os
import subprocess
import sys

import numpy as np
import pytest

from lissom.errors import GpuError
from lissom.gpu import _context as contexts
from lissom.gpu._context import check_texture_size, float_texture, folded_height, write_folded


def test_no_context_and_no_moderngl_at_import():
    code = "import sys, lissom.gpu; sys.exit('moderngl' in sys.modules or 'PIL' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_context_is_made_once(context):
    assert contexts.shared_context() is context


@pytest.mark.parametrize(
    ("failure", "remedy"),
    [
        ("libEGL.so.1 not loaded", "apt-get install libegl1"),
        ("requested device index 0, but found 0 devices", "libegl-mesa0"),
        ("eglInitialize failed (0x3001)", "libgl1-mesa-dri"),
        ("eglCreateContext failed (0x3009)", "OpenGL 3.3 is needed"),
        ("(standalone) XOpenDisplay: cannot open display", "LISSOM_GL_BACKEND=egl"),
        ("Cannot find supported backend: 'vulkan'", "LISSOM_GL_BACKEND names one of"),
        ("something else", "apt-get install libegl1"),
    ],
)
def test_a_context_that_cannot_be_made_says_what_to_do(monkeypatch, failure, remedy):
    moderngl = pytest.importorskip("moderngl")

    def fail(**_):
        raise Exception(failure)

    monkeypatch.setattr(moderngl, "create_context", fail)
    monkeypatch.setattr(contexts, "_shared", None)
    with pytest.raises(GpuError, match=remedy) as caught:
        contexts.shared_context()
    assert failure in str(caught.value)


@pytest.mark.parametrize("library", ["LIBEGL", "LIBGL"])
@pytest.mark.skipif(sys.platform != "linux", reason="EGL is what Linux draws through")
def test_a_machine_without_the_libraries_is_told_what_to_install(library):
    code = "import lissom; lissom.render(lissom.samples.two_bone_tube(), width=32, height=32)"
    environment = {**os.environ, f"GLCONTEXT_LINUX_{library}": "libmissing.so.1"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        "lissom.errors.GpuError: no OpenGL context (libmissing.so.1 not loaded); install EGL and OpenGL "
        "(Debian, Ubuntu: apt-get install libegl1 libgl1 libgl1-mesa-dri); "
        "lissom.sketch draws small pictures without it"
    )


def test_a_texture_beyond_the_limit_is_refused(context):
    with context as gl:
        limit = gl.info["GL_MAX_TEXTURE_SIZE"]
        check_texture_size(gl, limit, limit, "this")
        with pytest.raises(
            GpuError, match=f"this needs a texture of {limit + 1} x 4, but this driver's limit is"
        ):
            float_texture(gl, (limit + 1, 4), 4, "f4", "this")


@pytest.mark.parametrize("count", [1, 2047, 2048, 2049, 5000])
def test_folded_texels_lie_line_under_line(context, count):
    texels = np.random.default_rng(4).normal(size=(count, 4)).astype(np.float32)
    with context as gl:
        texture = float_texture(gl, (2048, folded_height(count)), 4, "f4", "texels")
        assert texture.filter == (gl.NEAREST, gl.NEAREST)
        assert not texture.repeat_x
        write_folded(texture, texels)
        held = np.frombuffer(texture.read(), np.float32).reshape(-1, 4)
        texture.release()
    np.testing.assert_array_equal(held[:count], texels)


def test_dropped_and_released_objects_are_collected(context):
    with context as gl:
        dropped = gl.buffer(reserve=16)
        released = gl.buffer(reserve=16)
        released.release()
        del dropped, released
        assert len(gl.objects) == 2
    with context as gl:
        assert len(gl.objects) == 0


def test_a_released_context_is_not_used_again(context):
    own = contexts.new_context()
    own.release()
    own.release()
    with pytest.raises(GpuError, match="was released"), own:
        pass
    with context as gl:  # the shared one is current again and whole
        buffer = gl.buffer(b"abcd")
        assert buffer.read() == b"abcd"
        buffer.release()
