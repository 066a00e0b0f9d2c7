# SPDX-License-Identifier: MIT
"""How fast do local poses become model-space matrices, beside fifteen lines of numba and plain NumPy?

One thread, float32, arrays in and out, the Python call included; every answer is compared before it is timed.
The bars: in batches of 256 poses at least 3.5 times numba, of 4 096 at least 2.5 times. A matrix is 64 bytes
and a pose's joint 40, so in large batches memory sets the pace: as many bytes are copied beside. NumPy's
matrices are new ones at each call.

1.6 ns a joint is out of reach of an AMD EPYC of Zen 4, which shuffles a 512-bit vector in two halves: to move
the numbers of 256 poses alone, from poses into lanes and from lanes into matrices, without any arithmetic,
takes 1.7 ns of 41 joints, and 2.4 to 4.2 of 64, whose matrices compete for the same lines of the first cache
unless those of four poses are written at a time.
Where only the palette is wanted, `Character.deform` and bakes leave the matrices out: the last tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from _bench import Bench, require
from _rigs import make_poses
from lissom import Skeleton, Skin
from lissom._rig.skin import Palette

require("numba")
from numba import njit  # noqa: E402

BARS = {256: 3.5, 4096: 2.5}  # times numba's, by how many poses
# A matrix of a quaternion and scales (products, sums, doublings: 30), then a product of affine ones (63).
OPERATIONS = 30 + 36 + 27
TOLERANCE = 4e-6  # of the size of the result: what float32 leaves of a chain of products


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_compose(parents: Any, poses: Any, out: Any) -> None:
    """Each joint in scalars, rows of its parent's matrix written out."""
    one, two, zero = np.float32(1), np.float32(2), np.float32(0)
    for n in range(len(poses)):
        for j in range(len(parents)):
            p, m, k = poses[n, j], out[n, j], parents[j]
            x, y, z, w = p[3], p[4], p[5], p[6]
            u, v, t = p[7], p[8], p[9]
            ax, ay, az = (
                (one - two * (y * y + z * z)) * u,
                two * (x * y + z * w) * u,
                two * (x * z - y * w) * u,
            )
            bx, by, bz = (
                two * (x * y - z * w) * v,
                (one - two * (x * x + z * z)) * v,
                two * (y * z + x * w) * v,
            )
            cx, cy, cz = (
                two * (x * z + y * w) * t,
                two * (y * z - x * w) * t,
                (one - two * (x * x + y * y)) * t,
            )
            dx, dy, dz = p[0], p[1], p[2]
            if k < 0:
                m[0, 0], m[0, 1], m[0, 2], m[0, 3] = ax, bx, cx, dx
                m[1, 0], m[1, 1], m[1, 2], m[1, 3] = ay, by, cy, dy
                m[2, 0], m[2, 1], m[2, 2], m[2, 3] = az, bz, cz, dz
            else:
                above = out[n, k]
                for r in range(3):
                    e, f, g = above[r, 0], above[r, 1], above[r, 2]
                    m[r, 0] = e * ax + f * ay + g * az
                    m[r, 1] = e * bx + f * by + g * bz
                    m[r, 2] = e * cx + f * cy + g * cz
                    m[r, 3] = e * dx + f * dy + g * dz + above[r, 3]
            m[3, 0], m[3, 1], m[3, 2], m[3, 3] = zero, zero, zero, one


def numpy_compose(parents: Any, poses: Any) -> Any:
    x, y, z, w = np.moveaxis(poses[..., 3:7], -1, 0)
    local = np.zeros((*poses.shape[:2], 4, 4), np.float32)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    for r in range(3):
        for c in range(3):
            local[..., r, c] = rows[r][c] * poses[..., 7 + c]
    local[..., :3, 3], local[..., 3, 3] = poses[..., :3], 1
    for j, parent in enumerate(parents.tolist()):
        if parent >= 0:
            local[:, j] = local[:, parent] @ local[:, j]
    return local


def make_skeleton(rng: np.random.Generator, joints: int) -> Skeleton:
    rest = np.zeros((joints, 10))
    rest[:, 6:] = 1
    parents = [-1, *(int(rng.integers(max(0, i - 4), i)) for i in range(1, joints))]
    return Skeleton([f"joint {i}" for i in range(joints)], parents, rest)


def main(bench: Bench) -> None:
    bench.one_thread()
    rng = np.random.default_rng(1)
    for joints in (41, 64):
        skeleton = make_skeleton(rng, joints)
        for count in (1, 256, 512 if bench.quick else 4096):
            compare(bench, skeleton, make_poses(rng, count, joints))
    for joints in (41, 64):
        skeleton = make_skeleton(rng, joints)
        compare_palettes(bench, skeleton, make_poses(rng, 256, joints))
    # Without a joint the call is all that is left.
    nobody = Skeleton([], [], np.zeros((0, 10)))
    nothing, none = np.zeros((0, 10), np.float32), np.zeros((0, 4, 4), np.float32)
    bench.table("the call itself, no joints", {"lissom": lambda: nobody.model_matrices(nothing, out=none)})


def compare(bench: Bench, skeleton: Skeleton, poses: Any) -> None:
    count, joints = poses.shape[:2]
    out, want = np.empty((2, count, joints, 4, 4), np.float32)
    numba_compose(skeleton.parents, poses, want)
    size = np.abs(want).max()
    assert np.abs(skeleton.model_matrices(poses) - want).max() < TOLERANCE * size
    assert np.abs(numpy_compose(skeleton.parents, poses) - want).max() < TOLERANCE * size
    table = bench.table(
        f"{count} poses of {joints} joints",
        {
            "lissom": lambda: skeleton.model_matrices(poses, out=out),
            "lissom, result allocated": lambda: skeleton.model_matrices(poses),
            "numba": lambda: numba_compose(skeleton.parents, poses, want),
            "NumPy": lambda: numpy_compose(skeleton.parents, poses),
        },
        count * joints,
        "joint",
        moved=40 + 64,
        operations=OPERATIONS,
    )
    if count in BARS:
        table.judge_ratio("numba", "lissom", BARS[count])


def compare_palettes(bench: Bench, skeleton: Skeleton, poses: Any) -> None:
    """Palettes of poses by way of model matrices, and in one pass."""
    count, joints = poses.shape[:2]
    poses[..., 7:] = 1.0  # rigid: dual quaternions without a scale
    bind = np.tile(np.eye(4, dtype=np.float32), (joints, 1, 1))
    bind[:, :3, 3] = np.arange(3 * joints).reshape(-1, 3) / joints
    skin = Skin(np.arange(joints), bind)

    def in_turn() -> Palette:
        return skin.palette(skeleton.model_matrices(poses))

    def in_one_pass() -> Palette:
        return Palette._of_poses(skin, skeleton, poses)

    one, two = in_one_pass(), in_turn()
    for found, want in ((one.matrices, two.matrices), (one.dual_quats, two.dual_quats)):
        assert np.abs(found - want).max() < TOLERANCE * np.abs(want).max()
    runs = {
        "matrices, in one pass": lambda: in_one_pass().matrices,
        "matrices, in turn": lambda: in_turn().matrices,
        "dual quaternions, in one pass": lambda: in_one_pass().dual_quats,
        "dual quaternions, in turn": lambda: in_turn().dual_quats,
    }
    bench.table(f"palettes of {count} poses of {joints} joints", runs, count * joints, "joint")


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
