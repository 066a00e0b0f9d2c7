# SPDX-License-Identifier: MIT
"""What do the skinning methods do to the figures of the papers: a tube that is bent, a bar that is twisted?

No times: shapes. Volume is that of the closed surface. Bulge is how much farther from the two bones the
surface is than in the bind pose, as a fraction of its radius (`lissom.metrics`).

A bend of 90 degrees swings the axis of the tube out of the corner. At a distance d before the joint, where w
is the share of its weights, that is w d where the axis is blended linearly, which centres of rotation do, and
d sin(90 w) where it is turned about the joint, which dual quaternions do: where they are small, the bulges
are as 2 / pi to 1. What the surface stands out beyond its own axis, blended linearly, is measured apart.

Asserts that centres of rotation lose at most a quarter of the volume that the linear blend loses at 90
degrees, that they have at most half of the bulge beyond the axis that dual quaternions have there, and at
most 0.7 of their bulge at 90 degrees and half of it at 120.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import lissom
from _bench import Bench
from lissom import metrics, quat

METHODS = ("linear", "dual_quat", "cor", "blended")  # quat_trans gives what linear does
BENDS = (0.0, 30.0, 60.0, 90.0, 120.0, 150.0)
TWISTS = (
    0.0,
    30.0,
    60.0,
    90.0,
    120.0,
    150.0,
    179.0,
)  # at 180 the sign of a dual quaternion is not determined
HINGE, END = np.array([2.0, 0.0, 0.0]), np.array([4.0, 0.0, 0.0])
BONES = np.array([[[0.0, 0.0, 0.0], HINGE], [HINGE, END]])  # of the tube, in the bind pose

Floats = NDArray[np.float64]


def posed(character: lissom.Character, axis: Sequence[float], degrees: Sequence[float]) -> Floats:
    """Poses with "Tip" turned about an axis."""
    poses = np.tile(character.skeleton.rest.astype(np.float64), (len(degrees), 1, 1))
    poses[:, 1, 3:7] = quat.from_axis_angle(np.asarray(axis, np.float64), np.radians(degrees))
    return poses


def skinned(character: lissom.Character, poses: Floats, method: str) -> Floats:
    """Vertices by a method, in float64; the blend is half of each."""
    count = character.mesh.vertex_count  # type: ignore[union-attr]
    options = {"blend": np.full(count, 0.5)} if method == "blended" else {}
    return np.asarray(character.deform(poses, method, **options), np.float64)


def bent_bones(degrees: Sequence[float]) -> Floats:
    """The two bones of the tube in the poses, (P, 2, 2, 3)."""
    turns = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(degrees))
    bones = np.tile(BONES, (len(degrees), 1, 1, 1))
    bones[:, 1, 1] = HINGE + quat.rotate(turns, END - HINGE)
    return bones


def bent_axis(degrees: Sequence[float]) -> tuple[Floats, Floats]:
    """The tube's axis as short bones: bind pose (B, 2, 3); blended linearly by its weights (P, B, 2, 3)."""
    x = np.linspace(0.0, 4.0, 257)
    share = np.clip((x - 1.4) / 1.2, 0.0, 1.0)
    share = (share * share * (3.0 - 2.0 * share))[:, None]  # of "Tip", as `two_bone_tube` says
    points = x[:, None] * np.array([1.0, 0.0, 0.0])
    turns = quat.from_axis_angle(np.array([0.0, 0.0, 1.0]), np.radians(degrees))
    moved = HINGE + quat.rotate(turns[:, None], points - HINGE)
    axis = (1.0 - share) * points + share * moved
    return np.stack([points[:-1], points[1:]], axis=-2), np.stack([axis[:, :-1], axis[:, 1:]], axis=-2)


def tube_numbers(degrees: Sequence[float] = BENDS) -> dict[str, dict[str, Any]]:
    """What bending does to the tube: by method, arrays over the angles."""
    tube = lissom.samples.two_bone_tube()
    poses, bones, (axis, axis_posed) = (
        posed(tube, (0, 0, 1), degrees),
        bent_bones(degrees),
        bent_axis(degrees),
    )
    result = {}
    for method in METHODS:
        points = skinned(tube, poses, method)
        result[method] = numbers(tube, poses, points, method) | {
            "bulge": metrics.bulge(points, tube.mesh.positions, bones, BONES).relative,
            "beyond_axis": metrics.bulge(points, tube.mesh.positions, axis_posed, axis).relative,
        }
    return result


def bar_numbers(degrees: Sequence[float] = TWISTS) -> dict[str, dict[str, Any]]:
    """What twisting does to the bar: by method, arrays over the angles."""
    bar = lissom.samples.twisted_bar()
    poses = posed(bar, (1, 0, 0), degrees)
    return {method: numbers(bar, poses, skinned(bar, poses, method), method) for method in METHODS}


def numbers(character: lissom.Character, poses: Floats, points: Floats, method: str) -> dict[str, Any]:
    """What any pose does: change of volume, worst edge, smallest determinant."""
    mesh, skin = character.mesh, character.skin
    options = {"blend": np.full(mesh.vertex_count, 0.5)} if method == "blended" else {}
    palette = skin.palette(character.skeleton.model_matrices(poses))
    return {
        "volume": metrics.volume_change(points, mesh.positions, mesh.triangles).total,
        "edge": metrics.edges(points, mesh.positions, mesh.triangles).length,
        "determinant": metrics.blend_collapse(mesh, palette, method, **options).determinant,
    }


def show(
    bench: Bench,
    title: str,
    degrees: Sequence[float],
    found: dict[str, dict[str, Any]],
    name: str,
    unit: float,
) -> None:
    """Keep one number of all methods over the angles."""
    bench.note(f"{'':<12}" + "".join(f"{angle:>9.0f}°" for angle in degrees), title)
    for method, values in found.items():
        bench.note(f"{method:<12}" + "".join(f"{unit * value:>10.2f}" for value in values[name]), title)


def main(bench: Bench) -> None:
    tube, bar = tube_numbers(), bar_numbers()
    show(bench, "tube bent: volume, %", BENDS, tube, "volume", 100)
    show(bench, "tube bent: bulge, %", BENDS, tube, "bulge", 100)
    show(bench, "tube bent: bulge beyond the axis, %", BENDS, tube, "beyond_axis", 100)
    show(bench, "tube bent: smallest determinant", BENDS, tube, "determinant", 1)
    show(bench, "bar twisted: volume, %", TWISTS, bar, "volume", 100)
    show(bench, "bar twisted: smallest determinant", TWISTS, bar, "determinant", 1)
    show(bench, "bar twisted: worst edge, %", TWISTS, bar, "edge", 100)

    right, sharp = BENDS.index(90.0), BENDS.index(120.0)
    volume = tube["cor"]["volume"][right] / tube["linear"]["volume"][right]
    bulge = tube["cor"]["bulge"] / np.maximum(tube["dual_quat"]["bulge"], 1e-9)
    beyond = tube["cor"]["beyond_axis"][right] / tube["dual_quat"]["beyond_axis"][right]
    title = "tube at 90°: centres of rotation"
    bench.number("volume lost, of what linear loses", volume, "", title)
    bench.number("bulge, of that of dual quaternions", bulge[right], "", title)
    bench.number("bulge at 120°, of that of dual quaternions", bulge[sharp], "", title)
    bench.number("bulge beyond the axis, of that of dual quaternions", beyond, "", title)
    assert 0 <= volume <= 0.25
    assert beyond <= 0.5
    assert bulge[right] <= 0.7
    assert bulge[sharp] <= 0.5


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
