# SPDX-License-Identifier: MIT
"""Characters for each way in which shaders of exports skin: linear and not, scaled, of 8 influences."""

import numpy as np

import lissom


def with_method(character, method):
    """A copy of a character with another method."""
    copy = lissom.Character(
        character.name, character.skeleton, character.mesh, character.skin, character.clips.values()
    )
    copy.method = method
    return copy


def growing(factors):
    """The bar, bent while it grows by factors along x, y and z."""
    bar = lissom.samples.twisted_bar()
    poses = np.repeat(bar.skeleton.rest[None], 5, axis=0)
    poses[:, 1, 7:] = np.linspace(1, factors, 5)
    poses[:, 1, 3:7] = lissom.quat.normalize(np.linspace([0, 0, 0, 1], [0.2, 0, 0.6, 1], 5))
    clip = lissom.Clip.from_poses(bar.skeleton, np.linspace(0, 1, 5), poses, name="grow", loop=False)
    mesh, rng = bar.mesh, np.random.default_rng(4)
    normals = rng.normal(size=mesh.positions.shape)  # its own are along axes, which no scale along axes turns
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    mesh = lissom.Mesh(mesh.positions, mesh.triangles, mesh.indices, mesh.weights, normals=normals)
    return lissom.Character("bar", bar.skeleton, mesh, bar.skin, [clip])


def eight_influences():
    """The bar on eight joints, each of which moves all of it."""
    bar = lissom.samples.twisted_bar()
    rest = np.zeros((8, 10), np.float32)
    rest[:, 6:] = 1
    bones = lissom.Skeleton([f"joint{i}" for i in range(8)], [-1] * 8, rest)
    poses = np.repeat(rest[None], 4, axis=0)
    rng = np.random.default_rng(5)
    poses[..., 3:7] = lissom.quat.normalize(rng.normal(size=(4, 8, 4)))
    clip = lissom.Clip.from_poses(bones, np.linspace(0, 1, 4), poses, name="mix", loop=True)
    shares = rng.uniform(0.1, 1, (bar.mesh.vertex_count, 8))
    mesh = bar.mesh.with_weights(
        np.tile(np.arange(8), (len(shares), 1)), shares / shares.sum(axis=1)[:, None]
    )
    skin = lissom.Skin(np.arange(8), np.tile(np.eye(4, dtype=np.float32), (8, 1, 1)))
    return lissom.Character("eight", bones, mesh, skin, [clip])


CASES = {
    "linear": (lambda: with_method(lissom.samples.humanoid(), "linear"), {"clips": ["walk", "wave"]}),
    "dual_quat": (lambda: with_method(lissom.samples.humanoid(), "dual_quat"), {"clips": ["walk", "wave"]}),
    "matrix": (lambda: growing([1.6, 1.2, 1]), {"layout": "matrix"}),
    "even_linear": (lambda: growing([1.6] * 3), {"dtype": "float32"}),
    "even_dual_quat": (lambda: with_method(growing([1.6] * 3), "dual_quat"), {"dtype": "float32"}),
    "along_linear": (lambda: growing([1.6, 1.2, 1]), {"dtype": "float32"}),
    "along_dual_quat": (lambda: with_method(growing([1.6, 1.2, 1]), "dual_quat"), {"dtype": "float32"}),
    "eight_linear": (eight_influences, {"dtype": "float32"}),
    "eight_dual_quat": (lambda: with_method(eight_influences(), "dual_quat"), {"dtype": "float32"}),
}
"""Of each case what makes its character, and the options of its bake at 30 frames a second."""
