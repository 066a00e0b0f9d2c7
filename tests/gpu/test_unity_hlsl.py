# SPDX-License-Identifier: MIT
"""LissomPose.hlsl on a GPU, against a float64 twin that reads the same file."""

import numpy as np
import pytest

import lissom
from hlsl import needs_hlsl, vertex_shader
from lissom.gpu._context import float_texture, folded_height, shared_context, write_folded
from reference.unity_player import UnityPlayer
from skinned_cases import CASES

pytestmark = needs_hlsl

# float32 against float64, of a figure of 2 m that is mixed, turned and moved; times of seven seconds are
# 5e-7 s apart in float32, in which some figures here move by 4e-6 m.
ROUNDING = 8e-6

SHADER = """
#include "LissomPose.hlsl"
struct Input
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float4 rows : TEXCOORD1;
    float4 weights : TEXCOORD2;
    float4 more : TEXCOORD3;
    float number : TEXCOORD4;
};
struct Output
{
    float4 at : SV_Position;
    float3 position : TEXCOORD0;
    float3 normal : TEXCOORD1;
};
Output main(Input input)
{
    Output output;
    KIND3 position, normal;
    LissomPose_KIND(input.number, input.position, input.normal, input.rows, input.weights, input.more,
                    position, normal);
    output.position = position;
    output.normal = normal;
    output.at = 0.0;
    return output;
}
"""


def exported(name, folder):
    make, options = CASES[name]
    bake = lissom.bake(make(), rate=30, **options)
    bake.export("unity", folder / name)
    return bake, UnityPlayer(folder / name / f"{name}.lissom"), folder / name / "Lissom"


def run(folder, include, player, instances, now, kind="float"):
    """Positions and normals (N, V, 3) of all vertices of instances, whose numbers are (N, 8)."""
    count, vertices = len(instances), player.header["vertices"]
    places, _, _, _ = player.surfaces[0]
    more = player.more if player.more.size else np.zeros((vertices, 4), np.float32)
    columns = {
        "position": places, "normal": player.normals, "rows": player.packed, "weights": player.first,
        "more": more, "number": np.zeros((vertices, 1)),
    }  # fmt: skip
    columns = {key: np.tile(np.asarray(value, np.float32), (count, 1)) for key, value in columns.items()}
    columns["number"] = np.repeat(np.arange(count, dtype=np.float32), vertices)[:, None] - now[2]
    glsl = vertex_shader(SHADER.replace("KIND", kind), folder, include)
    shape = [player.header[key] for key in ("rows", "texels", "influences", "kind")]
    table = np.zeros((2048, 4))
    table[: len(player.clips)] = player.clips
    textures = {
        "Poses": player.texels,
        "Clips": table,
        "Instances": np.asarray(instances, np.float32).reshape(-1, 4),
    }
    names = ("_entryPointOutput_position", "_entryPointOutput_normal")
    with shared_context() as gl:
        program = gl.program(vertex_shader=glsl, varyings=names)
        held = [program, gl.buffer(np.array([*shape, *now, 0], np.float32).tobytes())]
        held[1].bind_to_uniform_block(0)
        program["_Global"].binding = 0
        for unit, (key, texels) in enumerate(textures.items()):
            texture = float_texture(gl, (2048, folded_height(len(texels))), 4, "f4", key)
            write_folded(texture, np.asarray(texels, np.float32))
            texture.use(unit)
            program[f"SPIRV_Cross_Combined_Lissom{key}SPIRV_Cross_DummySampler"].value = unit
            held.append(texture)
        content = []
        for key, value in columns.items():
            held.append(gl.buffer(np.ascontiguousarray(value).tobytes()))
            content.append((held[-1], f"{value.shape[1]}f4", f"input_{key}"))
        array = gl.vertex_array(program, content)
        target = gl.buffer(reserve=24 * count * vertices)
        array.transform(target, mode=gl.POINTS, vertices=count * vertices)
        found = np.frombuffer(target.read(), np.float32).reshape(count, vertices, 2, 3)
        for resource in (array, target, *held):
            resource.release()
    return found[:, :, 0], found[:, :, 1]


def instance(clip, local, *, fades_to=0, other=0.0, speed=1.0, since=0.0, fade=0.0, a_second=0.0):
    return [clip, local, fades_to, other, speed, since, fade, a_second]


@pytest.mark.parametrize("name", CASES)
def test_vertices_are_those_of_the_twin(name, tmp_path):
    bake, player, include = exported(name, tmp_path)
    if not player.by_matrix:  # q and -q are one rotation, and players have to sign them themselves
        size = player.row_count * player.texel_count
        texels = player.texels[: len(bake.texels) * size].reshape(len(bake.texels), -1, player.texel_count, 4)
        signs = np.random.default_rng(3).choice([-1, 1], texels.shape[:2])
        texels[:, :, :2] *= signs[:, :, None, None]
    last = len(player.clips) - 1
    times = (0.0, 0.1234, 0.7, 1.0, 7.3)
    moments = [(clip, time) for clip in range(last + 1) for time in times]
    # At 12.25 s: plain ones began at 12, so that a quarter of a second has gone.
    instances = [instance(clip, time - 0.25, since=12) for clip, time in moments]
    fading = {"fades_to": last + 1, "other": -1.87, "speed": 2.0, "since": 11, "fade": -0.25, "a_second": 0.4}
    instances += [instance(0, -1.9, **fading), instance(0, -1.9, **fading | {"a_second": 4.0})]
    positions, normals = run(tmp_path, include, player, instances, (12, 0.25, 3))
    for place, (clip, time) in zip(positions, moments, strict=False):
        np.testing.assert_allclose(place, player.vertices(0, clip, time), atol=ROUNDING)
    wanted = player.vertices(0, 0, 0.6, next_clip=last, next_local=0.63, fade=0.25)
    np.testing.assert_allclose(positions[-2], wanted, atol=ROUNDING)
    np.testing.assert_allclose(positions[-1], player.vertices(0, last, 0.63), atol=ROUNDING)
    # Normals are those of Python, mirrored as places are.
    for at, (clip, time) in ((1, moments[1]), (2, moments[2])):
        key = list(bake.clips)[clip]
        method = "linear" if bake.layout == "matrix" else bake.method
        wanted = lissom.deform(
            bake.mesh, bake.sample(key, bake.clips[key].start + time), method, normals=True
        )
        np.testing.assert_allclose(normals[at], wanted.normals * [-1, 1, 1], atol=2e-5)


def test_nodes_of_half_precision_lose_only_what_halves_lose(tmp_path):
    _, player, include = exported("linear", tmp_path)
    moment = [instance(0, 0.3)]
    whole, half = (run(tmp_path, include, player, moment, (0, 0.0, 0), kind)[0] for kind in ("float", "half"))
    np.testing.assert_allclose(half, whole, atol=2e-3)
