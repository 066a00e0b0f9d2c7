# SPDX-License-Identifier: MIT
"""What a crowd must look like, computed on the CPU."""

import numpy as np

from lissom.skinning import deform
from reference import skinning

POSITIONS = 2e-6  # of the character's size, beside the size of the place it stands at


def expected_vertices(crowd, bake, method, mesh=None):
    """The CPU's vertices of a mesh, the bake's own unless another is given, from the shader's float32 frames.

    Returns them (count, V, 3), and where they have a stable sign.
    """
    mesh = bake.mesh if mesh is None else mesh
    now = crowd.instances
    fades = np.where(now["next_clip"] < 0, 0, now["fade"])
    rows = bake.sample_frames(crowd.frames(), next_coordinates=crowd.next_frames(), fades=fades)
    vertices = deform(mesh, rows, method).astype(np.float64)
    stable = np.ones(vertices.shape[:2], bool)
    if method == "dual_quat":
        for i, dual_quats in enumerate(rows.dual_quats):
            stable[i] = ~skinning.unstable(mesh.indices, mesh.weights, dual_quats)
    return placed(now, vertices), stable


def placed(instances, points):
    """Points (count, N, 3) of the instances' models, in the world."""
    q = instances["rotation"].astype(np.float64)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    u, w = q[:, None, :3], q[:, None, 3:]
    turned = points + 2 * np.cross(u, np.cross(u, points) + w * points)
    return instances["position"][:, None] + instances["scale"][:, None, None].astype(np.float64) * turned


def with_heaviest(mesh, count):
    """The mesh with its heaviest influences, among equals the lowest rows, scaled to sum to 1."""
    order = np.lexsort((mesh.indices, -mesh.weights), axis=1)[:, :count]
    kept = np.take_along_axis(mesh.weights.astype(float), order, axis=1)
    rows = np.take_along_axis(mesh.indices, order, axis=1)
    return mesh.with_weights(rows, kept / kept.sum(axis=1, keepdims=True))


def worst(crowd, bake, method, mesh=None):
    """The largest distance of a stable vertex from the CPU's, in units of size plus place."""
    got = crowd.deformed()
    expected, stable = expected_vertices(crowd, bake, method, mesh)
    assert stable.mean() > 0.99
    away = np.linalg.norm(got - expected, axis=-1)
    return away[stable].max() / (bake.size + np.abs(crowd.instances["position"]).max())
