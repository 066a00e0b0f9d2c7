# SPDX-License-Identifier: MIT
"""Shaders of users that include lissom's: they compile and read what a model binds; errors name lines."""

import numpy as np
import pytest

import lissom
from gpu.faces import with_face
from lissom.errors import GpuError
from lissom.gpu import SkinnedModel, Stage, program, shader_source

moderngl = pytest.importorskip("moderngl")

SKIN = """
#include "influences.glsl"
#include "morphed_vertex.glsl"
in vec3 position;
in vec3 normal;
uniform highp sampler2D palette;
out vec3 skinned_position;
out vec3 skinned_normal;
void main() {
  Morphed shape = morphed_vertex(0, position, normal);
  Skinned skinned = skin_vertex(palette, 0, shape.position, shape.normal);
  skinned_position = skinned.position;
  skinned_normal = skinned.normal;
  gl_Position = vec4(skinned.position, 1.0);
}
"""
OUTPUTS = "skinned_position", "skinned_normal"


@pytest.fixture
def own(context):
    gl = moderngl.create_context(standalone=True, backend="egl")
    gl.simple_framebuffer((4, 4)).use()
    yield gl
    gl.release()


def captured(gl, model, mine, unit, mesh):
    """Positions and normals of the corners of all triangles, as the user's program writes them."""
    model.bind(mine, unit=unit)
    vertices = model.vertex_array(mine)
    count = 3 * len(mesh.triangles)
    target = gl.buffer(reserve=24 * count)
    vertices.transform(target, mode=gl.TRIANGLES)
    values = np.frombuffer(target.read(), np.float32).reshape(count, 6)
    vertices.release()
    target.release()
    return values


@pytest.mark.parametrize("method", ["linear", "dual_quat", "quat_trans", "cor"])
@pytest.mark.parametrize("unit", [0, 7])
def test_a_shader_of_the_user_skins_as_the_core_does(own, method, unit):
    hero = with_face(lissom.samples.humanoid())
    pose = hero.clips["wave"].sample(0.4)
    weights = np.linspace(0, 1, len(hero.mesh.morphs.names), dtype=np.float32)
    checks = own.texture((1, 1), 4)
    with Stage(context=own) as stage, SkinnedModel(hero, stage=stage, method=method) as model:
        for morphs in (None, weights):
            model.set_pose(pose, morphs=0 * weights if morphs is None else morphs)
            mine = program(own, SKIN, defines=model.defines, varyings=OUTPUTS)
            checks.use(unit + 4)
            values = captured(own, model, mine, unit, hero.mesh)
            assert values.shape == (3 * len(hero.mesh.triangles), 6)
            expected = hero.deform(pose, method, morphs=0 * weights if morphs is None else morphs)
            corners = hero.mesh.triangles.ravel()
            np.testing.assert_allclose(values[:, :3], expected[corners], atol=2e-6)
            assert np.allclose(np.linalg.norm(values[:, 3:], axis=1), 1, atol=1e-5)
            mine.release()
    assert own.error == "GL_NO_ERROR"


def test_the_stages_own_context_takes_programs_too(context):
    bar = lissom.samples.twisted_bar()
    pose = bar.clips["bend"].sample(1.0)
    with Stage(32, 32) as stage, SkinnedModel(bar, stage=stage) as model:
        model.set_pose(pose)
        mine = program(stage, SKIN, defines=model.defines, varyings=OUTPUTS)
        with pytest.raises(GpuError, match=r"SkinnedModel\.bind: the model's OpenGL context must be current"):
            model.bind(mine)
        with context as gl:
            values = captured(gl, model, mine, 0, bar.mesh)
        mine.release()
    corners = bar.mesh.triangles.ravel()
    np.testing.assert_allclose(values[:, :3], bar.deform(pose)[corners], atol=2e-6)


@pytest.mark.parametrize(
    ("unit", "kind", "message"),
    [
        (-1, ValueError, "unit must be at least 0, got -1"),
        (1 << 20, ValueError, "unit must be at most [0-9]+ on this driver, got 1048576"),
        (0.5, TypeError, "unit must be a whole number"),
    ],
)
def test_a_unit_that_is_none_is_refused(own, unit, kind, message):
    with Stage(context=own) as stage, SkinnedModel(lissom.samples.twisted_bar(), stage=stage) as model:
        mine = program(own, SKIN, defines=model.defines)
        with pytest.raises(kind, match=f"^SkinnedModel.bind: {message}"):
            model.bind(mine, unit=unit)


def test_another_context_that_is_current_is_refused(own):
    bar = lissom.samples.twisted_bar()
    with Stage(context=own) as stage, SkinnedModel(bar, stage=stage) as model:
        mine = program(own, SKIN, defines=model.defines)
        other = moderngl.create_context(standalone=True, backend="egl")
        with pytest.raises(GpuError, match="must be current"):
            model.bind(mine)
        with own:
            model.bind(mine)
        other.release()


def test_a_released_model_binds_nothing(own):
    with Stage(context=own) as stage:
        model = SkinnedModel(lissom.samples.twisted_bar(), stage=stage)
        mine = program(own, SKIN, defines=model.defines)
        model.release()
        for call in (lambda: model.bind(mine), lambda: model.vertex_array(mine), lambda: model.defines):
            with pytest.raises(GpuError, match="this model was released"):
                call()


def test_files_include_their_neighbours_first(own, tmp_path):
    (tmp_path / "quat.glsl").write_text("vec3 mine() { return vec3(1.0, 2.0, 3.0); }\n")
    (tmp_path / "own.vert").write_text(
        '#version 410 core\n#include "quat.glsl"\nout vec3 value;\n'
        "void main() { value = mine(); gl_Position = vec4(value, 1.0); }\n"
    )
    mine = program(own, tmp_path / "own.vert", varyings=["value"])
    array = own.vertex_array(mine, [])
    target = own.buffer(reserve=12)
    array.transform(target, mode=own.POINTS, vertices=1)
    np.testing.assert_array_equal(np.frombuffer(target.read(), np.float32), [1, 2, 3])


def test_lissoms_fragment_shaders_take_a_vertex_shader_of_the_user(own):
    mine = program(
        own,
        """
        uniform mat4 clip_from_world;
        out vec3 surface_position;
        out vec3 surface_normal;
        out vec3 surface_color;
        void main() {
          surface_position = vec3(gl_VertexID & 1, gl_VertexID >> 1, 0.0);
          surface_normal = vec3(0.0, 0.0, 1.0);
          surface_color = vec3(0.5);
          gl_Position = clip_from_world * vec4(surface_position, 1.0);
        }
        """,
        "surface.frag",
        defines={"WITHOUT_TEXTURE": 1, "WITHOUT_HEAT": 1},
    )
    assert {"eye", "to_key", "ground_height", "ground_reach", "clip_from_world"} <= set(mine)


@pytest.mark.parametrize("version", [330, "330", "300 es"])
def test_sources_are_whole(version):
    text = shader_source("skinned_model.vert", version, defines={"INFLUENCE_COUNT": 8})
    assert text.startswith(f"#version {version}{'' if version == '300 es' else ' core'}\n")
    assert "#define INFLUENCE_COUNT 8\n" in text
    assert "#include" not in text
    assert text.count("Skinned skin_dual_quat(") == 1


def test_misuse_is_refused_in_a_sentence(own, tmp_path, context):
    with pytest.raises(ValueError, match=r"^shader_source: no shader is named 'skining.glsl'; did you"):
        shader_source("skining.glsl")
    with pytest.raises(
        ValueError, match=r"^shader_source: version must be one of '330', '300 es', got '120'$"
    ):
        shader_source("quat.glsl", 120)
    with pytest.raises(
        TypeError, match=r"^program: context must be a moderngl.Context or a Stage, got GlContext$"
    ):
        program(context, SKIN)
    for shader, kind, message in (
        (
            "own.vert",
            ValueError,
            "vertex must be GLSL of several lines, or the name of a program of lissom's, got",
        ),
        (tmp_path / "own.vert", ValueError, "vertex: there is no file "),
        (b"void main() {}\n", TypeError, "vertex must be GLSL, the name of a shader, or a Path, got bytes"),
        ("surfaces.frag", ValueError, ".* got 'surfaces.frag'; did you mean 'surface.frag'.*; pass a file"),
        ("void main() {}", ValueError, ".*, and GLSL of one line with a line break at its end"),
        ('#include "quad.glsl"\n', ValueError, "no shader file .*, included by the vertex shader: no inc"),
    ):
        with pytest.raises(kind, match=f"^program: {message}"):
            program(own, shader)
    with pytest.raises(
        GpuError, match=r"the vertex shader with nothing.frag does not compile: (?s:.*)shader:3\b"
    ):
        program(own, '#include "quat.glsl"\nvoid main() {\n  gl_Position = nowhere;\n}\n')
    with pytest.raises(GpuError, match=r"nothing|the fragment shader:2\b"):
        program(
            own, "void main() { gl_Position = vec4(0); }\n", "out vec4 c;\nvoid main() { c = nowhere; }\n"
        )
    stage = Stage(context=own)
    stage.release()
    with pytest.raises(GpuError, match=r"^program: context: this stage was released"):
        program(stage, SKIN)


NOTHING = "void main() { gl_Position = vec4(0.0); }\n"
TINTED = "in vec4 tint;\nout vec4 color;\nvoid main() { color = gl_Position = tint; }\n"


def test_a_program_that_reads_nothing_of_the_model_is_refused(own):
    other = moderngl.create_context(standalone=True, backend="egl")
    foreign = program(other, NOTHING)
    with own, Stage(context=own) as stage, SkinnedModel(lissom.samples.twisted_bar(), stage=stage) as model:
        empty, tinted = program(own, NOTHING), program(own, TINTED, varyings=["color"])
        for call, known in ((model.vertex_array, ".*position.*"), (model.bind, "palette, samplers")):
            name = f"SkinnedModel.{call.__name__}: program must"
            with pytest.raises(ValueError, match=f"^{name} read one of {known}, got no inputs; compilers"):
                call(empty)
            with pytest.raises(ValueError, match=f"^{name} read one of {known}, got .*tint; compilers"):
                call(tinted)
            with pytest.raises(TypeError, match=f"^{name} be a moderngl.Program, got str"):
                call("surface.frag")
            with pytest.raises(ValueError, match=f"^{name} be of the model's context, got one of another"):
                call(foreign)
    other.release()
