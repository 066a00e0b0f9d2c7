# SPDX-License-Identifier: MIT
"""Stages of deterministic mode beside skinning: prepared meshes, inverse skinning, chains and weights."""

import warnings
from types import SimpleNamespace
from typing import Any

import numpy as np

import lissom
from lissom import ik, weights
from lissom.skinning import METHODS

Stages = dict[str, np.ndarray]
POSES = 3  # of which each is skinned


def prepared(mesh: lissom.Mesh, name: str, palette: lissom.Palette) -> Stages:
    """By every method, in both orders; normals also by their cofactors."""
    result: Stages = {}
    amount = np.arange(mesh.vertex_count, dtype=np.float32) / max(mesh.vertex_count, 1)
    rows = first_poses(palette)
    for form in (mesh.prepare(), mesh.prepare(original_order=True)):
        order = "original" if form.original_order else "prepared"
        for method in METHODS:
            extra: dict[str, Any] = {"blend": amount} if method == "blended" else {}
            options = {"tangents": True} if mesh.tangents is not None else {"normals": True}
            if method == "cor" and not len(mesh.triangles):
                moved = lissom.skin_cor(
                    form, rows.dual_quats, rows.scales, centers=mesh.positions[::-1].copy(), **options
                )
            else:
                moved = lissom.deform(form, rows, method, **options, **extra)
            for part in moved._fields:
                result[f"{name} {order} {method} {part}"] = getattr(moved, part)
        moved = lissom.deform(form, rows, normals="cofactor")
        result[f"{name} {order} cofactor"] = moved.normals
    return result


def brought_back(mesh: lissom.Mesh, name: str, palette: lissom.Palette) -> Stages:
    """The skinned vertices of few poses, in bind space."""
    result: Stages = {}
    rows = first_poses(palette)
    for method in ("linear", "dual_quat"):
        posed = np.broadcast_to(mesh.positions, (POSES, *mesh.positions.shape))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RuntimeWarning)  # scales of zero
            back = lissom.undeform(mesh, rows, posed, method, normals=posed)
        for part in back._fields:
            result[f"{name} back {method} {part}"] = getattr(back, part)
    return result


def first_poses(palette: lissom.Palette) -> SimpleNamespace:
    forms = ("matrices", "dual_quats", "scales", "quat_trans")
    arrays = {form: getattr(palette, form) for form in forms}
    return SimpleNamespace(**{form: None if rows is None else rows[:POSES] for form, rows in arrays.items()})


def solved(skeleton: lissom.Skeleton, poses: np.ndarray) -> Stages:
    """The longest chain of the skeleton by every solver, and its last three joints as a limb."""
    depth = {-1: 0}
    for joint, parent in enumerate(skeleton.parents):
        depth[joint] = depth[int(parent)] + 1
    last = max(range(len(skeleton)), key=lambda joint: depth[joint])
    line = [last]
    while skeleton.parents[line[0]] >= 0:
        line.insert(0, int(skeleton.parents[line[0]]))
    if len(line) < 4:
        return {}
    result: Stages = {}
    chain, limb = ik.Chain(skeleton, line[0], last), ik.Chain(skeleton, line[-3], last)
    rest = skeleton.model_matrices(skeleton.rest)[:, :3, 3]
    targets = rest[last] + (rest[line[0]] - rest[last]) * np.linspace(0.1, 0.7, len(poses))[:, None]
    targets = targets.astype(poses.dtype)
    solvers: dict[str, Any] = {
        "two_bone": lambda: ik.two_bone(limb, poses, targets),
        "aim": lambda: ik.aim(chain, poses, targets),
        "ccd": lambda: ik.ccd(chain, poses, targets, max_iterations=8),
        "fabrik": lambda: ik.fabrik(chain, poses, targets, max_iterations=8),
        "damped": lambda: ik.damped_least_squares(chain, poses, targets, max_iterations=8),
        "selective": lambda: ik.damped_least_squares(
            chain, poses, targets, max_iterations=8, method="selective"
        ),
    }
    for name, solve in solvers.items():
        found = solve()
        result[f"ik {name}"], result[f"ik {name} residual"] = found.pose, found.residual
    return result


def weighed() -> Stages:
    """Weights of the sample tube by every method, reduced, and taken over by other vertices."""
    tube = lissom.samples.two_bone_tube()
    mesh = tube.mesh
    assert mesh is not None
    low, high = mesh.bounds.astype(np.float64)
    ends = [low + (high - low) * [share, 0.5, 0.5] for share in (0.1, 0.45, 0.55, 0.9)]
    bones = [np.stack(ends[:2]), np.stack(ends[2:])]
    result: Stages = {"bounded_biharmonic": weights.bounded_biharmonic(mesh, bones, cells=24)}
    result["heat"] = weights.heat(mesh, bones)
    result["inverse_distance"] = weights.inverse_distance(mesh, [*bones, ends[1]])
    reduced = weights.reduce(result["inverse_distance"], 2, surface=mesh)
    result["reduced"] = np.asarray(reduced.weights)
    result["transferred"] = weights.transfer(mesh, result["heat"], mesh.positions[::3] * 1.01)
    return result
