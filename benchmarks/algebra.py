# SPDX-License-Identifier: MIT
"""How fast is the algebra of rigid motion, one element at a time and a million at once?

Beside it: fifteen lines of numba, plain NumPy, SciPy and pytransform3d; dqrobotics (C++) for single calls.
One thread, `out=` given in the batches, the Python call included; answers are compared before they are timed.
SciPy and pytransform3d compute in float64, SciPy and dqrobotics on objects that are made before, and none of
them, nor NumPy, writes into an array that is there. A million are copied beside, as many bytes as are read
and written.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from _bench import Bench, require
from _measure import Run
from lissom import dual_quat, quat, trs

require("dqrobotics", "pytransform3d", "numba", "scipy")
import dqrobotics  # noqa: E402
import pytransform3d.batch_rotations as pt_rotations  # noqa: E402
import pytransform3d.rotations as pt_rotation  # noqa: E402
import pytransform3d.trajectories as pt_batch  # noqa: E402
import pytransform3d.transformations as pt  # noqa: E402
from numba import njit  # noqa: E402
from scipy.spatial.transform import RigidTransform, Rotation  # noqa: E402

COUNT = 1_000_000
SLOW = 50_000  # items for rivals that take microseconds each
EXACT, CLOSE = 1e-12, 3e-6  # float64, and float32 of numbers of about one

Call = Callable[[], Any]


def wxyz(q: Any) -> Any:
    """Components as pytransform3d and dqrobotics have them: w first, in both halves."""
    halves = np.asarray(q, np.float64).reshape(*q.shape[:-1], -1, 4)
    return np.roll(halves, 1, axis=-1).reshape(q.shape)


def xyzw(q: Any) -> Any:
    halves = np.asarray(q).reshape(*q.shape[:-1], -1, 4)
    return np.roll(halves, -1, axis=-1).reshape(q.shape)


def same(got: Any, want: Any, tolerance: float) -> None:
    np.testing.assert_allclose(got, want, rtol=0, atol=tolerance)


def same_but_sign(got: Any, want: Any, tolerance: float) -> None:
    sign = np.where(np.sum(got[..., :4] * want[..., :4], axis=-1, keepdims=True) < 0, -1, 1)
    same(got, sign * want, tolerance)


# ---- One element ----


def one_element(bench: Bench) -> None:
    rng = np.random.default_rng(1)
    q, p = (quat.random(seed=rng, dtype=np.float64) for _ in range(2))
    t, v, point = rng.normal(size=(3, 3))
    a, b = dual_quat.from_quat_translation(q, t), dual_quat.from_quat_translation(p, v)
    parts = trs.from_parts(t, q, (2.0, 2.0, 2.0))
    rotation, other = Rotation.from_quat(q), Rotation.from_quat(p)
    rigid, second = (RigidTransform.from_components(x, y) for x, y in ((t, rotation), (v, other)))
    first_dq, second_dq, first_q, second_q = wxyz(a), wxyz(b), wxyz(q), wxyz(p)
    matrix = dual_quat.to_matrix(a)
    robot, robot_b = dqrobotics.DQ(first_dq), dqrobotics.DQ(second_dq)
    assert robot is not None

    def relative_power(x: Any, y: Any) -> Any:
        return x * (x.inv() * y) ** 0.3

    product = dual_quat.multiply(a, b)
    same(product, xyzw(pt.concatenate_dual_quaternions(first_dq, second_dq)), EXACT)
    same(product, xyzw((robot * robot_b).vec8()), EXACT)
    same_but_sign(product, (rigid * second).as_dual_quat(), EXACT)
    moved = dual_quat.transform_point(a, point)
    same(moved, rigid.apply(point), EXACT)
    same(moved, pt.transform(matrix, pt.vector_to_point(point))[:3], EXACT)
    between = dual_quat.sclerp(a, b, 0.3)
    same_but_sign(between, xyzw(pt.dual_quaternion_sclerp(first_dq, second_dq, 0.3)), 1e-7)
    same_but_sign(between, relative_power(rigid, second).as_dual_quat(), 1e-7)
    same_but_sign(quat.multiply(q, p), (rotation * other).as_quat(), EXACT)
    same(quat.rotate(q, v), rotation.apply(v), EXACT)
    same_but_sign(
        quat.slerp(q, p, 0.3), xyzw(pt_rotation.quaternion_slerp(first_q, second_q, 0.3, True)), EXACT
    )

    jobs: list[tuple[str, Call, dict[str, Call]]] = [
        ("numpy.add, for scale", lambda: np.add(q, p), {}),
        (
            "dual_quat.multiply",
            lambda: dual_quat.multiply(a, b),
            {
                "dqrobotics": lambda: robot * robot_b,
                "SciPy RigidTransform": lambda: rigid * second,
                "pytransform3d": lambda: pt.concatenate_dual_quaternions(first_dq, second_dq),
            },
        ),
        ("dual_quat.conjugate", lambda: dual_quat.conjugate(a), {"SciPy inv": rigid.inv}),
        (
            "dual_quat.normalize",
            lambda: dual_quat.normalize(a),
            {
                "dqrobotics": robot.normalize,
                "pytransform3d": lambda: pt.check_dual_quaternion(first_dq),
            },
        ),
        (
            "dual_quat.transform_point",
            lambda: dual_quat.transform_point(a, point),
            {
                "SciPy RigidTransform": lambda: rigid.apply(point),
                "pytransform3d": lambda: pt.transform(
                    pt.transform_from_dual_quaternion(first_dq), pt.vector_to_point(point)
                ),
            },
        ),
        (
            "dual_quat.sclerp",
            lambda: dual_quat.sclerp(a, b, 0.3),
            {
                "SciPy a (a^-1 b)^t": lambda: relative_power(rigid, second),
                "pytransform3d": lambda: pt.dual_quaternion_sclerp(first_dq, second_dq, 0.3),
            },
        ),
        (
            "dual_quat.log",
            lambda: dual_quat.log(a),
            {
                "dqrobotics": lambda: dqrobotics.log(robot),
                "SciPy as_exp_coords": rigid.as_exp_coords,
            },
        ),
        ("dual_quat.exp", lambda: dual_quat.exp(dual_log), {"dqrobotics": lambda: dqrobotics.exp(robot_log)}),
        (
            "quat.multiply",
            lambda: quat.multiply(q, p),
            {
                "SciPy Rotation": lambda: rotation * other,
                "pytransform3d": lambda: pt_rotation.concatenate_quaternions(first_q, second_q),
            },
        ),
        ("quat.conjugate", lambda: quat.conjugate(q), {"SciPy inv": rotation.inv}),
        ("quat.normalize", lambda: quat.normalize(q), {"SciPy from_quat": lambda: Rotation.from_quat(q)}),
        (
            "quat.rotate",
            lambda: quat.rotate(q, v),
            {
                "SciPy Rotation": lambda: rotation.apply(v),
                "pytransform3d": lambda: pt_rotation.q_prod_vector(first_q, v),
            },
        ),
        (
            "quat.slerp",
            lambda: quat.slerp(q, p, 0.3),
            {"pytransform3d": lambda: pt_rotation.quaternion_slerp(first_q, second_q, 0.3, True)},
        ),
        ("quat.log", lambda: quat.log(q), {"SciPy as_rotvec": rotation.as_rotvec}),
        ("quat.exp", lambda: quat.exp(pure), {"SciPy from_rotvec": lambda: Rotation.from_rotvec(v)}),
        ("trs.compose", lambda: trs.compose(parts, parts), {"NumPy 4x4 @": lambda: matrix @ matrix}),
        ("trs.transform_point", lambda: trs.transform_point(parts, point), {}),
    ]
    dual_log, pure = dual_quat.log(a), quat.log(q)
    robot_log = dqrobotics.log(robot)
    for title, ours, rivals in jobs:
        name = "NumPy" if title.startswith("numpy") else "lissom"
        bench.table(f"{title}, one, float64", {name: ours, **rivals})


# ---- A million ----


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_multiply(a: Any, b: Any, out: Any) -> None:
    for i in range(len(a)):
        ax, ay, az, aw = a[i, 0], a[i, 1], a[i, 2], a[i, 3]
        ex, ey, ez, ew = a[i, 4], a[i, 5], a[i, 6], a[i, 7]
        bx, by, bz, bw = b[i, 0], b[i, 1], b[i, 2], b[i, 3]
        fx, fy, fz, fw = b[i, 4], b[i, 5], b[i, 6], b[i, 7]
        out[i, 0] = aw * bx + ax * bw + ay * bz - az * by
        out[i, 1] = aw * by - ax * bz + ay * bw + az * bx
        out[i, 2] = aw * bz + ax * by - ay * bx + az * bw
        out[i, 3] = aw * bw - ax * bx - ay * by - az * bz
        out[i, 4] = aw * fx + ax * fw + ay * fz - az * fy + ew * bx + ex * bw + ey * bz - ez * by
        out[i, 5] = aw * fy - ax * fz + ay * fw + az * fx + ew * by - ex * bz + ey * bw + ez * bx
        out[i, 6] = aw * fz + ax * fy - ay * fx + az * fw + ew * bz + ex * by - ey * bx + ez * bw
        out[i, 7] = aw * fw - ax * fx - ay * fy - az * fz + ew * bw - ex * bx - ey * by - ez * bz


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_transform_point(q: Any, p: Any, out: Any) -> None:
    for i in range(len(q)):
        x, y, z, w = q[i, 0], q[i, 1], q[i, 2], q[i, 3]
        dx, dy, dz, dw = q[i, 4], q[i, 5], q[i, 6], q[i, 7]
        px, py, pz = p[i, 0], p[i, 1], p[i, 2]
        ux, uy, uz = (
            y * pz - z * py + w * px + dx,
            z * px - x * pz + w * py + dy,
            x * py - y * px + w * pz + dz,
        )
        two = np.float32(2)
        out[i, 0] = px + two * (y * uz - z * uy + w * dx - dw * x)
        out[i, 1] = py + two * (z * ux - x * uz + w * dy - dw * y)
        out[i, 2] = pz + two * (x * uy - y * ux + w * dz - dw * z)


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_slerp(a: Any, b: Any, t: Any, out: Any) -> None:
    for i in range(len(a)):
        dot = a[i, 0] * b[i, 0] + a[i, 1] * b[i, 1] + a[i, 2] * b[i, 2] + a[i, 3] * b[i, 3]
        sign = np.float32(-1) if dot < 0 else np.float32(1)
        dot = min(dot * sign, np.float32(1))
        u, v = np.float32(1) - t[i], t[i]
        if dot < np.float32(0.9995):
            angle = math.acos(dot)
            scale = np.float32(1) / math.sin(angle)
            u, v = math.sin(u * angle) * scale, math.sin(v * angle) * scale
        v *= sign
        for c in range(4):
            out[i, c] = u * a[i, c] + v * b[i, c]


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_nlerp(a: Any, b: Any, t: Any, out: Any) -> None:
    for i in range(len(a)):
        dot = a[i, 0] * b[i, 0] + a[i, 1] * b[i, 1] + a[i, 2] * b[i, 2] + a[i, 3] * b[i, 3]
        u, v = np.float32(1) - t[i], t[i] if dot > 0 else -t[i]
        x, y = u * a[i, 0] + v * b[i, 0], u * a[i, 1] + v * b[i, 1]
        z, w = u * a[i, 2] + v * b[i, 2], u * a[i, 3] + v * b[i, 3]
        scale = np.float32(1) / math.sqrt(x * x + y * y + z * z + w * w)
        out[i, 0], out[i, 1], out[i, 2], out[i, 3] = x * scale, y * scale, z * scale, w * scale


def numpy_quat_product(a: Any, b: Any) -> Any:
    ax, ay, az, aw = np.moveaxis(a, -1, 0)
    bx, by, bz, bw = np.moveaxis(b, -1, 0)
    return np.stack(
        [
            aw * bx + ax * bw + ay * bz - az * by,
            aw * by - ax * bz + ay * bw + az * bx,
            aw * bz + ax * by - ay * bx + az * bw,
            aw * bw - ax * bx - ay * by - az * bz,
        ],
        axis=-1,
    )


def numpy_multiply(a: Any, b: Any) -> Any:
    dual = numpy_quat_product(a[:, :4], b[:, 4:]) + numpy_quat_product(a[:, 4:], b[:, :4])
    return np.concatenate([numpy_quat_product(a[:, :4], b[:, :4]), dual], axis=-1)


def numpy_slerp(a: Any, b: Any, t: Any) -> Any:
    dot = np.sum(a * b, axis=-1, keepdims=True)
    angle = np.maximum(np.arccos(np.minimum(np.abs(dot), 1)), np.float32(1e-4))
    t = t[:, None]
    return (np.sin((1 - t) * angle) * a + np.sin(t * angle) * np.sign(dot) * b) / np.sin(angle)


def numpy_nlerp(a: Any, b: Any, t: Any) -> Any:
    t = t[:, None]
    q = (1 - t) * a + t * np.sign(np.sum(a * b, axis=-1, keepdims=True)) * b
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def a_million(bench: Bench) -> None:
    rng = np.random.default_rng(2)
    q, p = (quat.random(COUNT, seed=rng) for _ in range(2))
    move, other, points = (rng.normal(size=(3, COUNT, 3))).astype(np.float32)
    a, b = dual_quat.from_quat_translation(q, move), dual_quat.from_quat_translation(p, other)
    t = rng.uniform(size=COUNT).astype(np.float32)
    out8, out4, out3, want8, want4, want3 = (np.empty_like(x) for x in (a, q, points, a, q, points))
    few = slice(SLOW)
    rotation, rotation_b = (Rotation.from_quat(x[few]) for x in (q, p))
    rigid = RigidTransform.from_components(move, Rotation.from_quat(q))
    rigid_few, rigid_b = (
        RigidTransform.from_components(x[few], y) for x, y in ((move, rotation), (other, rotation_b))
    )
    a_few, b_few, t_few = wxyz(a[few]), wxyz(b[few]), t[few].astype(np.float64)
    double = {name: x.astype(np.float64) for name, x in (("a", a), ("b", b), ("q", q), ("p", p), ("t", t))}
    wide8, wide4 = np.empty((COUNT, 8)), np.empty((COUNT, 4))
    points64, wide3 = points.astype(np.float64), np.empty((COUNT, 3))

    def scipy_sclerp() -> Any:
        step = (rigid_few.inv() * rigid_b).as_exp_coords() * t_few[:, None]
        return rigid_few * RigidTransform.from_exp_coords(step)

    def scipy_slerp() -> Any:
        step = (rotation.inv() * rotation_b).as_rotvec() * t_few[:, None]
        return rotation * Rotation.from_rotvec(step)

    numba_multiply(a, b, want8)
    same(dual_quat.multiply(a, b), want8, CLOSE)
    same(numpy_multiply(a, b), want8, CLOSE)
    numba_transform_point(a, points, want3)
    same(dual_quat.transform_point(a, points), want3, 2 * CLOSE)
    same(rigid.apply(points), want3, 2 * CLOSE)
    # At right angles the short way is a matter of rounding, and far translations make the most of it.
    clear = np.abs(np.sum(q * p, axis=-1)) > 1e-3
    got = dual_quat.sclerp(a, b, t)
    keep = clear[few]
    rival = xyzw(pt_batch.dual_quaternions_sclerp(a_few, b_few, t_few))
    agrees = np.abs(np.sum(rival[:, :4] * got[few, :4], axis=-1)) > 1 - 1e-5
    assert agrees[keep].mean() > 0.4  # pytransform3d does not take the short way: about half go the long one
    same_but_sign(got[few][keep], scipy_sclerp().as_dual_quat()[keep], 1e-4)
    numba_slerp(q, p, t, want4)
    same(quat.slerp(q, p, t)[clear], want4[clear], 2e-4)  # numba's mixes near pairs without a root
    same_but_sign(quat.slerp(q, p, t)[few][keep], scipy_slerp().as_quat()[keep], CLOSE)
    numba_nlerp(q, p, t, want4)
    same(quat.nlerp(q, p, t)[clear], want4[clear], CLOSE)
    same(
        pt_rotations.batch_concatenate_quaternions(wxyz(q[few]), wxyz(p[few])),
        wxyz(quat.multiply(q, p)[few]),
        CLOSE,
    )

    def few_of(call: Call, **facts: Any) -> Run:
        return Run(call, items=SLOW, note="float64", **facts)

    def wide(call: Call) -> Run:
        return Run(call, bytes=2, note="twice the bytes")

    # Per item: bytes read and written; products and sums.
    jobs: list[tuple[str, float, float, dict[str, Call | Run]]] = [
        (
            "dual_quat.multiply",
            96,
            3 * 28 + 4,
            {
                "lissom": lambda: dual_quat.multiply(a, b, out=out8),
                "lissom float64": wide(lambda: dual_quat.multiply(double["a"], double["b"], out=wide8)),
                "numba": lambda: numba_multiply(a, b, out8),
                "NumPy": lambda: numpy_multiply(a, b),
                "pytransform3d": few_of(lambda: pt_batch.batch_concatenate_dual_quaternions(a_few, b_few)),
                "SciPy": few_of(lambda: rigid_few * rigid_b),
            },
        ),
        (
            "dual_quat.transform_point",
            56,
            0,
            {
                "lissom": lambda: dual_quat.transform_point(a, points, out=out3),
                "lissom float64": wide(lambda: dual_quat.transform_point(double["a"], points64, out=wide3)),
                "numba": lambda: numba_transform_point(a, points, out3),
                "SciPy": Run(lambda: rigid.apply(points), note="float64"),
            },
        ),
        (
            "dual_quat.sclerp",
            100,
            0,
            {
                "lissom": lambda: dual_quat.sclerp(a, b, t, out=out8),
                "lissom float64": wide(
                    lambda: dual_quat.sclerp(double["a"], double["b"], double["t"], out=wide8)
                ),
                "pytransform3d": few_of(
                    lambda: pt_batch.dual_quaternions_sclerp(a_few, b_few, t_few), lacks="the short way"
                ),
                "SciPy": few_of(scipy_sclerp),
            },
        ),
        (
            "quat.slerp",
            52,
            0,
            {
                "lissom": lambda: quat.slerp(q, p, t, out=out4),
                "lissom float64": wide(lambda: quat.slerp(double["q"], double["p"], double["t"], out=wide4)),
                "numba": Run(lambda: numba_slerp(q, p, t, out4), lacks="a root where pairs are near"),
                "NumPy": lambda: numpy_slerp(q, p, t),
                "SciPy": few_of(scipy_slerp),
            },
        ),
        (
            "quat.nlerp",
            52,
            0,
            {
                "lissom": lambda: quat.nlerp(q, p, t, out=out4),
                "lissom float64": wide(lambda: quat.nlerp(double["q"], double["p"], double["t"], out=wide4)),
                "numba": lambda: numba_nlerp(q, p, t, out4),
                "NumPy": lambda: numpy_nlerp(q, p, t),
            },
        ),
        (
            "quat.multiply",
            48,
            28,
            {
                "lissom": lambda: quat.multiply(q, p, out=out4),
                "lissom float64": wide(lambda: quat.multiply(double["q"], double["p"], out=wide4)),
                "NumPy": lambda: numpy_quat_product(q, p),
                "SciPy": few_of(lambda: rotation * rotation_b),
            },
        ),
    ]
    for title, moved, operations, runs in jobs:
        bench.table(f"{title}, a million, float32", runs, COUNT, "item", moved, operations)


def main(bench: Bench) -> None:
    bench.one_thread()
    one_element(bench)
    a_million(bench)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
