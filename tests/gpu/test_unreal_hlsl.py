# SPDX-License-Identifier: MIT
"""LissomBonePose.hlsl on a GPU, against a float64 twin that reads the same folder."""

import numpy as np
import pytest

import lissom
from conftest import ASSETS
from hlsl import needs_hlsl, vertex_shader
from lissom.gpu._context import float_texture, shared_context
from reference.unreal_player import UnrealPlayer
from skinned_cases import with_method

pytestmark = needs_hlsl

# Centimetres: float32 against float64, of a figure of 180 cm that is mixed, turned and moved. Seven seconds
# are 5e-7 s apart in float32, in which some figures here move by 4e-4 cm.
ROUNDING = 8e-4

SHADER = """
Texture2D<float4> BonePosition;
Texture2D<float4> BoneRotation;
Texture2D<float4> BoneWeights;
float3 MinBBox;
float RowsPerFrame;
float3 SizeBBox;
float BoneWeightsRowsPerFrame;
float TimeOffset;
float PlayRate;
float StartFrame;
float EndFrame;
float SampleRate;
float Steps;
float Loop;
float DualQuat;
float Time;
float NextTimeOffset;
float NextPlayRate;
float NextStartFrame;
float NextEndFrame;
float NextLoop;
float FadeStart;
float FadeSeconds;
struct Input
{
    float3 position : POSITION;
    float3 normal : NORMAL;
    float2 uv : TEXCOORD1;
};
struct Output
{
    float4 at : SV_Position;
    float3 position : TEXCOORD0;
    float3 normal : TEXCOORD1;
};
// As Unreal wraps the code of a Custom node: inputs are parameters, additional outputs inout ones.
float3 CustomExpression0(float3 Position, float3 Normal, float2 Uv, inout float3 PosedNormal)
{
#include "LissomBonePose.hlsl"
}
Output main(Input input)
{
    Output output;
    float3 normal = 0.0;
    output.position = input.position + CustomExpression0(input.position, input.normal, input.uv, normal);
    output.normal = normal;
    output.at = 0.0;
    return output;
}
"""


REAL = {
    "Fox": "khronos", "CesiumMan": "khronos", "Knight": "kaykit", "Wolf": "quaternius",
    "Dolphin": "quaternius", "Bee": "quaternius", "gdbot": "gdquest", "bee_bot": "gdquest",
    "character": "kenney", "greenman": "raylib",
}  # fmt: skip
"""Characters of other makers, and where they are."""


def wide(method):
    """A character of 24 joints that turn anyhow: more than the 16 of a row of texels below."""
    rng = np.random.default_rng(5)
    rest = np.zeros((24, 10), np.float32)
    rest[:, :3], rest[:, 6:] = rng.uniform(-0.2, 0.2, (24, 3)), 1
    bones = lissom.Skeleton([f"joint{i}" for i in range(24)], [-1, *range(23)], rest)
    poses = np.repeat(rest[None], 3, axis=0)
    poses[..., 3:7] = lissom.quat.normalize(rng.normal(size=(3, 24, 4)))
    clips = [lissom.Clip.from_poses(bones, [0.0, 0.5, 1.0], poses, name=name) for name in ("walk", "wave")]
    shares, normals = rng.uniform(0.1, 1, (40, 4)), rng.normal(size=(40, 3))
    mesh = lissom.Mesh(
        rng.uniform(-0.5, 0.5, (40, 3)), rng.integers(0, 40, (30, 3)), rng.integers(0, 24, (40, 4)),
        shares / shares.sum(axis=1)[:, None], normals=normals / np.linalg.norm(normals, axis=1)[:, None],
    )  # fmt: skip
    inverse = np.linalg.inv(bones.model_matrices(rest).astype(np.float64))
    character = lissom.Character("wide", bones, mesh, lissom.Skin(np.arange(24), inverse), clips)
    return with_method(character, method)


def hero(method):
    return with_method(lissom.samples.humanoid(), method)


CASES = {
    "linear": (lambda: hero("linear"), {"rate": 30}, {}),
    "dual_quat": (lambda: hero("dual_quat"), {"rate": 30}, {}),
    "eight_bits": (lambda: hero("linear"), {"rate": 30}, {"bits": 8}),
    "folded_linear": (lambda: wide("linear"), {"rate": 2}, {"side": 16}),
    "folded_dual_quat": (lambda: wide("dual_quat"), {"rate": 2}, {"side": 16}),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A function that draws positions and normals (V, 3) of moments of a folder: play, time, and a fade."""
    include = lissom_packages() / "unreal"
    glsl = vertex_shader(SHADER, tmp_path_factory.mktemp("shader"), include)

    def drawn(player, moments):
        names = ("_entryPointOutput_position", "_entryPointOutput_normal")
        told, found = player.told, []
        with shared_context() as gl:
            program = gl.program(vertex_shader=glsl, varyings=names)
            held = [program]
            for unit, (key, texels) in enumerate(
                {"Position": player.position, "Rotation": player.rotation, "Weights": player.weight}.items()
            ):
                height, width = texels.shape[:2]
                texture = float_texture(gl, (width, height), 4, "f4", key)
                texture.write(np.ascontiguousarray(texels / player.steps, np.float32).tobytes())
                texture.use(unit)
                program[f"SPIRV_Cross_CombinedBone{key}SPIRV_Cross_DummySampler"].value = unit
                held.append(texture)
            columns = {"position": player.places, "normal": player.normals, "uv": player.points}
            content = []
            for key, value in columns.items():
                held.append(gl.buffer(np.ascontiguousarray(value, np.float32).tobytes()))
                content.append((held[-1], f"{value.shape[1]}f4", f"input_{key}"))
            count = len(player.places)
            array = gl.vertex_array(program, content)
            target = gl.buffer(reserve=24 * count)
            numbers = gl.buffer(reserve=112)
            numbers.bind_to_uniform_block(0)
            program["_Global"].binding = 0
            for play, time, *fading in moments:
                next_play, fade_start, fade_seconds = fading or (play, 0.0, 0.0)
                block = [
                    *told["BoneMinBBox"], told["BoneRowsPerFrame"], *told["BoneSizeBBox"],
                    told["BoneWeightRowsPerFrame"], *play[:4], told["SampleRate"], player.steps, play[4],
                    float(player.dual), time, *next_play, fade_start, fade_seconds,
                ]  # fmt: skip
                numbers.write(np.array(block, np.float32).tobytes().ljust(112, b"\0"))
                array.transform(target, mode=gl.POINTS, vertices=count)
                found.append(np.frombuffer(target.read(), np.float32).reshape(count, 2, 3))
            for resource in (array, target, numbers, *held):
                resource.release()
        return np.swapaxes(np.array(found), 1, 2)

    return drawn


def lissom_packages():
    from importlib import resources

    return resources.files("lissom") / "packages"


def exported(name, folder):
    make, options, form_options = CASES[name]
    character = make()
    bake = lissom.bake(character, ["walk", "wave"], **options)
    report = bake.export("unreal", folder / name, source=character, **form_options)
    return character, bake, report, UnrealPlayer(folder / name)


@pytest.mark.parametrize("name", CASES)
def test_vertices_are_those_of_the_twin(name, tmp_path, run):
    _, _, _, player = exported(name, tmp_path)
    random = np.random.default_rng(3)
    if name == "linear":  # q and -q are one rotation, and the node has to sign them itself
        turned = random.uniform(size=player.rotation.shape[:2]) < 0.5
        player.rotation[turned] = player.steps - player.rotation[turned]
    assert player.told["BoneRowsPerFrame"] == (2 if "folded" in name else 1)
    moments = [(player.play(clip), time) for clip in (0, 1) for time in (0.0, 0.1234, 0.7, 1.0, 7.3, -0.4)]
    once = [0.25, 1.5, *player.play(0)[2:4], 0.0]  # an offset, a speed, and the last frame that stays
    moments += [(once, 0.3), (once, 50.0), (once, -3.0)]
    still = [0.0, 1.0, 3, 3, 1.0]
    moments.append((still, 3.0))
    other = [0.3, 0.8, *player.play(1)[2:]]
    moments += [(player.play(0), 2.5, other, 2.0, seconds) for seconds in (2.0, 0.6, 0.1, 0.0)]
    moments.append((player.play(0), 1.9, other, 2.0, 1.0))  # which is to begin
    for (places, normals), moment in zip(run(player, moments), moments, strict=True):
        wanted, turned = player.posed(*moment)
        np.testing.assert_allclose(places, wanted, atol=ROUNDING)
        np.testing.assert_allclose(normals, turned, atol=5e-5)


@pytest.mark.parametrize("name", ["linear", "dual_quat", "eight_bits"])
def test_what_is_drawn_is_as_wrong_as_stated(name, tmp_path, run):
    character, bake, report, player = exported(name, tmp_path)
    for number, (clip, error) in enumerate(report.clips.items()):
        baked = bake.clips[clip]
        times = np.random.default_rng(1).uniform(0, 0.999 * baked.duration, 30)
        times = np.append(times, min(error.worst.time - baked.start, 0.9999 * baked.duration))
        drawn = run(player, [(player.play(number), time) for time in times])[:, 0]
        source = character.deform(character.clips[clip].sample(baked.start + times, loop=False))
        worst = np.linalg.norm(drawn / 100 - source[..., [0, 2, 1]], axis=-1).max()
        assert 0.9 * error.max <= worst <= 1.1 * error.max


@pytest.mark.parametrize("name", REAL)
def test_real_characters_are_as_wrong_as_stated(name, tmp_path, run):
    """At random times, and where their exports say that they are worst."""
    paths = sorted(ASSETS.glob(f"characters/{REAL[name]}/**/{name}.glb"))
    if not paths:
        pytest.skip(f"of the assets' characters {name}.glb is not here")
    character = lissom.load(paths[0])
    clips = list(character.clips)[:2]
    bake = lissom.bake(character, clips, rate=30)
    report = bake.export("unreal", tmp_path / "out", source=character)
    player = UnrealPlayer(tmp_path / "out")
    for number, (clip, error) in enumerate(report.clips.items()):
        baked = bake.clips[clip]
        end = baked.duration * (1 - 1e-6)  # where a loop is its start again
        times = np.random.default_rng(2).uniform(0, end, 8)
        times = np.append(times, min(error.worst.time - baked.start, end))
        drawn = run(player, [(player.play(number), time) for time in times])[:, 0]
        source = character.deform(character.clips[clip].sample(baked.start + times, loop=False))
        worst = np.linalg.norm(drawn / 100 - source[..., [0, 2, 1]], axis=-1).max()
        assert 0.9 * error.max <= worst <= 1.1 * error.max
