# SPDX-License-Identifier: MIT
"""What a crowd must look like, computed on the CPU."""

import numpy as np

from lissom._rig.mesh import Mesh
from lissom.skinning import deform
from reference import skinning

POSITIONS = 2e-6  # of the character's size, beside the size of the place it stands at


def expected_vertices(crowd, bake, method):
    """The CPU's vertices, from what the shader reads: its float32 frames, the weights as drawn.

    Returns them (count, V, 3), and where they have a stable sign.
    """
    drawn = crowd.influences
    mesh = Mesh(bake.mesh.positions, bake.mesh.triangles, drawn.rows, drawn.weights)
    now = crowd.instances
    fades = np.where(now["next_clip"] < 0, 0, now["fade"])
    rows = bake.sample_frames(crowd.frames(), next_coordinates=crowd.next_frames(), fades=fades)
    vertices = deform(mesh, rows, method).astype(np.float64)
    stable = np.ones(vertices.shape[:2], bool)
    if method == "dual_quat":
        for i, dual_quats in enumerate(rows.dual_quats):
            stable[i] = ~skinning.unstable(drawn.rows, drawn.weights, dual_quats)
    return placed(now, vertices), stable


def placed(instances, points):
    """Points (count, N, 3) of the instances' models, in the world."""
    q = instances["rotation"].astype(np.float64)
    q /= np.linalg.norm(q, axis=1, keepdims=True)
    u, w = q[:, None, :3], q[:, None, 3:]
    turned = points + 2 * np.cross(u, np.cross(u, points) + w * points)
    return instances["position"][:, None] + instances["scale"][:, None, None].astype(np.float64) * turned


def worst(crowd, bake, method):
    """The largest distance of a stable vertex from the CPU's, in units of size plus place."""
    got = crowd.deformed()
    expected, stable = expected_vertices(crowd, bake, method)
    assert stable.mean() > 0.99
    return np.abs(got - expected)[stable].max() / (bake.size + np.abs(crowd.instances["position"]).max())
