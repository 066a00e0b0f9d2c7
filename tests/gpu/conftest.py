# SPDX-License-Identifier: MIT
"""One context for the GL tests, seen to be free of errors after each; shader functions as tests call them."""

from pathlib import Path

import numpy as np
import pytest

from lissom.gpu import Stage
from lissom.gpu._context import float_texture, folded_height, set_uniforms, shared_context, write_folded
from lissom.gpu._loader import load_program, shader_folder


def pytest_collection_modifyitems(items):
    here = Path(__file__).parent
    for item in items:
        if here in Path(item.fspath).parents:
            item.add_marker(pytest.mark.gl)


@pytest.fixture(autouse=True)
def context(drawing):
    """The context, seen to be without errors before and after."""
    shared = shared_context()
    with shared as gl:
        assert gl.error == "GL_NO_ERROR", "an earlier test left an error behind"
    yield shared
    with shared as gl:
        assert gl.error == "GL_NO_ERROR"


@pytest.fixture
def stage(context):
    with Stage(160, 90, context=context) as stage:
        yield stage


class ShaderFunction:
    """Runs an expression of the includes once per row of its inputs, by transform feedback."""

    def __init__(self, context, folder):
        self.context = context
        self.folder = folder
        for name in ("include", "nothing.frag"):
            (folder / name).symlink_to(shader_folder() / name)

    def __call__(
        self,
        includes,
        body,
        inputs,
        outputs,
        *,
        textures=None,
        pages=None,
        words=None,
        version="330",
        defines=None,
    ):
        """Evaluate `body`, which reads `inputs` by name and writes the vectors `outputs` (name: width).

        Texels (N, 4) of `textures` become folded textures, those of `pages`, a pair of texels and lines of a
        page, array textures, those of `words` textures of unsigned integers.
        """
        kinds = {1: "float", 2: "vec2", 3: "vec3", 4: "vec4"}
        arrays = {name: np.asarray(value, np.float32) for name, value in inputs.items()}
        arrays = {name: value.reshape(len(value), -1) for name, value in arrays.items()}
        lines = [f'#include "{name}"' for name in includes]
        lines += [f"uniform highp sampler2D {name};" for name in textures or {}]
        lines += [f"uniform highp sampler2DArray {name};" for name in pages or {}]
        lines += [f"uniform highp usampler2D {name};" for name in words or {}]
        lines += [f"in {kinds[value.shape[1]]} {name};" for name, value in arrays.items()]
        lines += [f"out {kinds[width]} {name};" for name, width in outputs.items()]
        lines += ["void main() {", "  gl_Position = vec4(0.0);", body, "}"]
        (self.folder / "function.vert").write_text("\n".join(lines))
        count = len(next(iter(arrays.values())))
        width = sum(outputs.values())
        with self.context as gl:
            program = load_program(
                gl,
                "function.vert",
                version=version,
                defines=defines,
                varyings=tuple(outputs),
                folder=self.folder,
            )
            held = [program]
            for unit, (name, texels) in enumerate((textures or {}).items()):
                texture = float_texture(gl, (2048, folded_height(len(texels))), 4, "f4", name)
                write_folded(texture, np.asarray(texels, np.float32))
                texture.use(unit)
                set_uniforms(program, **{name: unit})
                held.append(texture)
            for unit, (name, (texels, side)) in enumerate((pages or {}).items(), start=len(held) - 1):
                layers = -(-len(texels) // (2048 * side))
                padded = np.zeros((layers * 2048 * side, 4), np.float32)
                padded[: len(texels)] = texels
                texture = gl.texture_array((2048, side, layers), 4, padded.tobytes(), dtype="f4")
                texture.use(unit)
                set_uniforms(program, **{name: unit})
                held.append(texture)
            for unit, (name, texels) in enumerate((words or {}).items(), start=len(held) - 1):
                texture = float_texture(gl, (2048, folded_height(len(texels))), 4, "u4", name)
                write_folded(texture, np.asarray(texels, np.uint32))
                texture.use(unit)
                set_uniforms(program, **{name: unit})
                held.append(texture)
            content = []
            for name, value in arrays.items():
                if name not in program:
                    continue  # not read by the expression: the compiler removed it
                held.append(gl.buffer(np.ascontiguousarray(value).tobytes()))
                content.append((held[-1], f"{value.shape[1]}f4", name))
            array = gl.vertex_array(program, content)
            target = gl.buffer(reserve=4 * width * count)
            array.transform(target, mode=gl.POINTS, vertices=count)
            values = np.frombuffer(target.read(), np.float32).reshape(count, width).astype(np.float64)
            for resource in (array, target, *held):
                resource.release()
        ends = np.cumsum(list(outputs.values()))
        return [values[:, end - size : end] for end, size in zip(ends, outputs.values(), strict=True)]


@pytest.fixture(params=["330", "300 es"])
def glsl(request, context, tmp_path):
    function = ShaderFunction(context, tmp_path)

    def run(*args, **options):
        return function(*args, version=request.param, **options)

    return run
