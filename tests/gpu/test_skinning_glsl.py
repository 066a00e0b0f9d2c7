# SPDX-License-Identifier: MIT
"""affine, texel, palette, skinning, color and light.glsl against float64 NumPy."""

import dataclasses

import numpy as np
import pytest

from gpu.rigs import random_rig
from lissom._view.color import linear_to_srgb
from lissom._view.viridis import VIRIDIS, viridis
from lissom.skinning import METHODS
from reference import quat, skinning

ROUNDING = 2e-6  # float32, of the model's size


def test_folded_texels_go_there_and_back(glsl):
    numbers = np.array([0, 1, 2047, 2048, 2049, 5000, 4096 * 2048 - 1, 2**24 - 1])
    at, back = glsl(
        ["texel.glsl"],
        "at = vec2(folded_texel(int(i))); back = float(folded_index(folded_texel(int(i))));",
        {"i": numbers},
        {"at": 2, "back": 1},
    )
    np.testing.assert_array_equal(at, np.stack([numbers % 2048, numbers // 2048], axis=1))
    np.testing.assert_array_equal(back[:, 0], numbers)


def test_affine_maps_points_vectors_products_and_normals(glsl):
    rng = np.random.default_rng(7)
    a, b = rng.normal(size=(2, 100, 3, 4)).astype(np.float32)
    a[:10, 2] = 0  # flat maps: normals along the plane's own normal stay
    v = rng.normal(size=(100, 3)).astype(np.float32)
    rows = {f"{name}{i}": m[:, i] for name, m in (("a", a), ("b", b)) for i in range(3)}
    point, vector, both, normal = glsl(
        ["affine.glsl"],
        "mat3x4 a = mat3x4(a0, a1, a2); mat3x4 b = mat3x4(b0, b1, b2); point = affine_point(a, v);"
        "vector = affine_vector(a, v); both = affine_point(affine_mul(a, b), v);"
        "normal = affine_normal(a, v);",
        rows | {"v": v},
        {"point": 3, "vector": 3, "both": 3, "normal": 3},
    )
    a, b, v = a.astype(float), b.astype(float), v.astype(float)

    def moved(m, p):
        return np.einsum("nij,nj->ni", m[:, :, :3], p) + m[:, :, 3]

    np.testing.assert_allclose(point, moved(a, v), atol=10 * ROUNDING)
    np.testing.assert_allclose(vector, moved(a, v) - a[:, :, 3], atol=10 * ROUNDING)
    np.testing.assert_allclose(both, moved(a, moved(b, v)), atol=30 * ROUNDING)
    x, y, z = a[:, 0, :3], a[:, 1, :3], a[:, 2, :3]
    cofactor = np.stack([np.cross(y, z), np.cross(z, x), np.cross(x, y)], axis=1)
    np.testing.assert_allclose(normal, np.einsum("nij,nj->ni", cofactor, v), atol=30 * ROUNDING)


def test_a_normal_that_a_map_would_destroy_stays(glsl):
    line = np.zeros((1, 3, 4))
    line[0, 0, 0] = 1  # keeps x alone: its cofactor is zero
    (normal,) = glsl(
        ["affine.glsl"],
        "normal = affine_normal(mat3x4(a0, a1, a2), vec3(0.0, 1.0, 0.0));",
        {f"a{i}": line[:, i] for i in range(3)},
        {"normal": 3},
    )
    np.testing.assert_array_equal(normal, [[0, 1, 0]])


def influence_inputs(rig, width):
    return {
        "position": rig.positions,
        "normal": rig.normals,
        **{f"r{i}": rig.indices[:, 4 * i : 4 * i + 4] for i in range(width // 4)},
        **{f"w{i}": rig.weights[:, 4 * i : 4 * i + 4] for i in range(width // 4)},
    }


@pytest.mark.parametrize("width", [4, 8])
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_skinning_equals_the_twin(glsl, method, scaled, width):
    rig = random_rig(8, influences=width, scaled=scaled)
    lead = rig.palette_texels(method)[:3, :, :].reshape(-1, 4)  # another palette before it: `first` is not 0
    texels = np.concatenate([lead, rig.palette_texels(method).reshape(-1, 4)])
    arguments = "uvec4(r0), w0" if width == 4 else "uvec4(r0), w0, uvec4(r1), w1"
    file = {"linear": "skinning", "dual_quat": "skinning"}.get(method, f"skin_{method}")
    more = {"cor": "center, ", "blended": "blend, "}.get(method, "")
    positions, normals = glsl(
        [f"{file}.glsl"],
        f"Palette where = Palette({len(lead)}, {rig.palette_texels(method).shape[1]});"
        f"Skinned s = skin_{method}(palette, where, influences_of({arguments}), {more}position, normal);"
        "moved = s.position; turned = s.normal;",
        influence_inputs(rig, width) | {"center": rig.centers, "blend": rig.blend},
        {"moved": 3, "turned": 3},
        textures={"palette": texels},
        defines={"INFLUENCE_COUNT": width},
    )
    expected, expected_normals = rig.twin(method)
    stable = ~skinning.unstable(rig.indices, rig.weights, rig.dual_quats)
    assert stable.mean() > 0.9
    assert np.abs(positions - expected)[stable].max() < ROUNDING * rig.size
    assert np.abs(normals - expected_normals)[stable].max() < 3e-5  # cofactors of strong scales lose digits


def test_pivot_is_the_heaviest_then_the_lowest_row(glsl):
    rows = np.array([[3, 1, 2, 0], [3, 1, 2, 0], [5, 4, 9, 7], [2, 2, 2, 2]])
    weights = np.array([[0.1, 0.2, 0.4, 0.3], [0.4, 0.4, 0.2, 0], [0.25] * 4, [1, 0, 0, 0]])
    (pivot,) = glsl(
        ["skinning.glsl"],
        "pivot = float(pivot_row(influences_of(uvec4(r), w)));",
        {"r": rows, "w": weights},
        {"pivot": 1},
    )
    np.testing.assert_array_equal(pivot[:, 0], [2, 1, 4, 2])


def test_sorted_influences_have_their_pivot_first(glsl):
    (pivot,) = glsl(
        ["skinning.glsl"],
        "pivot = float(pivot_row(influences_of(uvec4(r), w)));",
        {"r": [[3, 1, 2, 0]], "w": [[0.1, 0.2, 0.4, 0.3]]},
        {"pivot": 1},
        defines={"INFLUENCES_SORTED": 1},
    )
    assert pivot[0, 0] == 3  # not searched for: the promise is the caller's


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7])
def test_fewer_influences_than_attributes_hold(glsl, count):
    rig = random_rig(12, influences=count, scaled=False)
    width = 4 if count <= 4 else 8
    filled = dataclasses.replace(
        rig,
        indices=np.pad(rig.indices, ((0, 0), (0, width - count)), constant_values=39),
        weights=np.pad(rig.weights, ((0, 0), (0, width - count)), constant_values=9),  # never looked at
    )
    arguments = "uvec4(r0), w0" if width == 4 else "uvec4(r0), w0, uvec4(r1), w1"
    (positions,) = glsl(
        ["skinning.glsl"],
        f"Influences of = influences_of({arguments});"
        "moved = skin_linear(palette, Palette(0, 3), of, position, normal).position;",
        influence_inputs(filled, width),
        {"moved": 3},
        textures={"palette": rig.palette_texels("linear").reshape(-1, 4)},
        defines={"INFLUENCE_COUNT": count},
    )
    assert np.abs(positions - rig.twin("linear")[0]).max() < ROUNDING * rig.size


def test_quaternion_and_translation_rebuild_a_matrix(glsl):
    rng = np.random.default_rng(13)
    q = rng.normal(size=(2, 100, 4))
    q /= np.linalg.norm(q, axis=-1, keepdims=True)
    t, v = rng.normal(size=(2, 100, 3)), rng.normal(size=(100, 3))
    weights = rng.uniform(-1, 2, (2, 100))  # a sum is linear, whatever its weights
    alone, summed = glsl(
        ["affine.glsl", "quat_trans.glsl"],
        "mat2x4 a = mat2x4(qa, vec4(ta, 0.0)); mat2x4 b = mat2x4(qb, vec4(tb, 0.0));"
        "alone = affine_point(quat_trans_to_rows(a), v);"
        "QuatTransSum sum = quat_trans_plus(quat_trans_plus(quat_trans_nothing(), wa, a), wb, b);"
        "summed = affine_point(quat_trans_sum_to_rows(sum), v);",
        {"qa": q[0], "qb": q[1], "ta": t[0], "tb": t[1], "wa": weights[0], "wb": weights[1], "v": v},
        {"alone": 3, "summed": 3},
    )
    moved = quat.rotate(q, v) + t
    np.testing.assert_allclose(alone, moved[0], atol=10 * ROUNDING)
    np.testing.assert_allclose(summed, (weights[..., None] * moved).sum(0), atol=30 * ROUNDING)


def test_turning_signs_of_the_palette_changes_nothing(glsl):
    rig = random_rig(9, influences=4, scaled=False)
    flipped = rig.palette_texels("dual_quat").copy()
    flipped[::2] *= -1

    def run(texels):
        return glsl(
            ["skinning.glsl"],
            "moved = skin_dual_quat(palette, Palette(0, 2), influences_of(uvec4(r0), w0), position, normal)"
            ".position;",
            influence_inputs(rig, 4),
            {"moved": 3},
            textures={"palette": texels.reshape(-1, 4)},
        )[0]

    stable = ~skinning.unstable(rig.indices, rig.weights, rig.dual_quats)
    np.testing.assert_array_equal(run(flipped)[stable], run(rig.palette_texels("dual_quat"))[stable])


def test_colours_encode_decode_and_bend(glsl):
    values = np.linspace(0, 1, 101)
    bright = np.linspace(0, 4, 101)
    encoded, back, bent = glsl(
        ["color.glsl"],
        "encoded = linear_to_srgb(vec3(x)).x; back = srgb_to_linear(linear_to_srgb(vec3(x))).x;"
        "bent = soft_shoulder(vec3(y)).x;",
        {"x": values, "y": bright},
        {"encoded": 1, "back": 1, "bent": 1},
    )
    np.testing.assert_allclose(encoded[:, 0], linear_to_srgb(values), atol=2e-6)
    np.testing.assert_allclose(back[:, 0], values, atol=4e-6)
    np.testing.assert_allclose(bent[bright < 0.5, 0], bright[bright < 0.5], atol=1e-6)
    assert (np.diff(bent[:, 0]) > 0).all()
    assert bent.max() < 1


def test_the_colour_map_is_viridis(glsl):
    values = np.linspace(-0.1, 1.1, 200)
    (colors,) = glsl(
        ["color.glsl"],
        f"color = color_map(map, {len(VIRIDIS)}, x);",
        {"x": values},
        {"color": 3},
        textures={"map": np.hstack([VIRIDIS, np.ones((len(VIRIDIS), 1), np.float32)])},
    )
    np.testing.assert_allclose(colors, viridis(values), atol=4e-6)


def test_light_falls_from_above_and_never_is_negative(glsl):
    rng = np.random.default_rng(11)
    n, e, k = rng.normal(size=(3, 200, 3))
    n, e, k = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (n, e, k))
    light, up, down = glsl(
        ["light.glsl"],
        "light = lit(vec3(0.5), n, e, k, 1.0);"
        "up = lit(vec3(0.5), vec3(0, 1, 0), vec3(0, 0, 1), vec3(0, 1, 0), 1.0);"
        "down = lit(vec3(0.5), vec3(0, -1, 0), vec3(0, 0, 1), vec3(0, 1, 0), 1.0);",
        {"n": n, "e": e, "k": k},
        {"light": 3, "up": 3, "down": 3},
    )
    assert (light > 0).all()
    assert (light < 1.5).all()
    assert (up > 2 * down).all()
