# SPDX-License-Identifier: MIT
"""quat.glsl and dual_quat.glsl against float64 NumPy."""

import numpy as np

from reference import dual_quat, quat

ROUNDING = 2e-6  # float32 sums of up to eight products of numbers near 1


def random_units(rng, count=200):
    q = rng.normal(size=(count, 4))
    return (q / np.linalg.norm(q, axis=1, keepdims=True)).astype(np.float32)


def random_rigid(rng, count=200):
    return dual_quat.from_rotation_translation(random_units(rng, count), rng.uniform(-1, 1, (count, 3)))


def same_up_to_sign(a, b):
    signs = np.sign((a * b).sum(1, keepdims=True))
    return np.abs(a * signs - b).max()


def test_quat_product_and_conjugate(glsl):
    rng = np.random.default_rng(1)
    a, b = rng.normal(size=(2, 200, 4)).astype(np.float32)
    product, conjugate = glsl(
        ["quat.glsl"],
        "product = quat_mul(a, b); conjugate = quat_conjugate(a);",
        {"a": a, "b": b},
        {"product": 4, "conjugate": 4},
    )
    np.testing.assert_allclose(product, quat.multiply(a.astype(float), b.astype(float)), atol=8 * ROUNDING)
    np.testing.assert_array_equal(conjugate, quat.conjugate(a))


def test_quat_turns_vectors_as_its_matrix_does(glsl):
    rng = np.random.default_rng(2)
    q, v = random_units(rng), rng.normal(size=(200, 3)).astype(np.float32)
    turned, by_matrix = glsl(
        ["quat.glsl"],
        "turned = quat_rotate(q, v); by_matrix = quat_to_matrix(q) * v;",
        {"q": q, "v": v},
        {"turned": 3, "by_matrix": 3},
    )
    expected = quat.rotate(q.astype(float), v.astype(float))
    np.testing.assert_allclose(turned, expected, atol=4 * ROUNDING)
    np.testing.assert_allclose(by_matrix, expected, atol=4 * ROUNDING)


def test_a_quarter_turn_about_z_takes_x_to_y(glsl):
    half = np.sqrt(0.5)
    (turned,) = glsl(
        ["quat.glsl"],
        "turned = quat_rotate(q, vec3(1.0, 0.0, 0.0));",
        {"q": [[0, 0, half, half]]},
        {"turned": 3},
    )
    np.testing.assert_allclose(turned, [[0, 1, 0]], atol=ROUNDING)


IN_PARTS = "mat2x4 q = mat2x4(a, b); mat2x4 p = mat2x4(c, d);"


def parts(first, second=None):
    second = first if second is None else second
    return {"a": first[:, :4], "b": first[:, 4:], "c": second[:, :4], "d": second[:, 4:]}


def test_dual_quat_product_and_conjugate(glsl):
    rng = np.random.default_rng(3)
    q, p = random_rigid(rng), random_rigid(rng)
    real, dual, identity_real, identity_dual = glsl(
        ["dual_quat.glsl"],
        IN_PARTS + "mat2x4 r = dual_quat_mul(q, p); mat2x4 e = dual_quat_mul(q, dual_quat_conjugate(q));"
        "real = r[0]; dual = r[1]; identity_real = e[0]; identity_dual = e[1];",
        parts(q, p),
        {"real": 4, "dual": 4, "identity_real": 4, "identity_dual": 4},
    )
    np.testing.assert_allclose(np.hstack([real, dual]), dual_quat.multiply(q, p), atol=ROUNDING)
    np.testing.assert_allclose(identity_real, np.tile([0, 0, 0, 1], (200, 1)), atol=ROUNDING)
    np.testing.assert_allclose(identity_dual, 0, atol=ROUNDING)


def test_dual_quat_parts_points_and_rows_are_one_transform(glsl):
    rng = np.random.default_rng(4)
    units, t = random_units(rng), rng.uniform(-1, 1, (200, 3)).astype(np.float32)
    v = rng.uniform(-1, 1, (200, 3)).astype(np.float32)
    point, translation, by_rows, real, dual = glsl(
        ["dual_quat.glsl"],
        "mat2x4 q = dual_quat_from_parts(r, t); point = dual_quat_transform_point(q, v);"
        "translation = dual_quat_translation(q); by_rows = vec4(v, 1.0) * dual_quat_to_rows(q);"
        "real = q[0]; dual = q[1];",
        {"r": units, "t": t, "v": v},
        {"point": 3, "translation": 3, "by_rows": 3, "real": 4, "dual": 4},
    )
    expected = quat.rotate(units.astype(float), v.astype(float)) + t
    np.testing.assert_allclose(point, expected, atol=2 * ROUNDING)
    np.testing.assert_allclose(by_rows, expected, atol=2 * ROUNDING)
    np.testing.assert_allclose(translation, t, atol=ROUNDING)
    np.testing.assert_allclose(
        np.hstack([real, dual]), dual_quat.from_rotation_translation(units, t), atol=ROUNDING
    )


def test_dual_quat_normalize_gives_a_unit_with_an_orthogonal_dual(glsl):
    rng = np.random.default_rng(5)
    blend = (random_rigid(rng) + 0.7 * random_rigid(rng)).astype(np.float32)
    real, dual = glsl(
        ["dual_quat.glsl"],
        "mat2x4 q = dual_quat_normalize(mat2x4(a, b)); real = q[0]; dual = q[1];",
        {"a": blend[:, :4], "b": blend[:, 4:]},
        {"real": 4, "dual": 4},
    )
    r, d = blend[:, :4].astype(float), blend[:, 4:].astype(float)
    length = np.linalg.norm(r, axis=1, keepdims=True)
    r, d = r / length, d / length
    np.testing.assert_allclose(real, r, atol=ROUNDING)
    scale = np.maximum(1, np.abs(d).max(1, keepdims=True))
    np.testing.assert_allclose(dual / scale, (d - (r * d).sum(1, keepdims=True) * r) / scale, atol=ROUNDING)


def test_dual_quat_mix_goes_the_short_way(glsl):
    rng = np.random.default_rng(6)
    q, p = random_rigid(rng), random_rigid(rng)
    t = rng.uniform(0, 1, (200, 1))
    real, dual = glsl(
        ["dual_quat.glsl"],
        IN_PARTS + "mat2x4 m = dual_quat_mix(q, p, t); real = m[0]; dual = m[1];",
        parts(q, p) | {"t": t},
        {"real": 4, "dual": 4},
    )
    signs = np.where((q[:, :4] * p[:, :4]).sum(1, keepdims=True) < 0, -1, 1)
    assert (signs < 0).any()
    np.testing.assert_allclose(np.hstack([real, dual]), (1 - t) * q + t * signs * p, atol=ROUNDING)
