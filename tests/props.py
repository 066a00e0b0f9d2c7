# SPDX-License-Identifier: MIT
"""Props for tests of `attach`, and where they must stand: a twin in float64 NumPy.

Source: the product that `attach` promises, model_from_joint @ offset @ vertex, with the model matrices of
tests/reference/model_pose.py and linear skinning as glTF 2.0, section 3.7.3.3, has it.
"""

import numpy as np

import lissom
from random_rigs import random_clip
from reference.model_pose import local_matrix, model_matrices

FAR = 5e-6  # of the size: positions and matrices in float32


def blade() -> lissom.Mesh:
    """A wedge along +y, without joints of its own."""
    points = np.array([[-0.05, 0, 0], [0.05, 0, 0], [0, 0, 0.02], [0, 1, 0]])
    faces = [[0, 1, 2], [1, 0, 3], [2, 1, 3], [0, 2, 3]]
    return lissom.Mesh(points, faces)


def whip(seed: int = 2, joints: int = 3) -> lissom.Character:
    """A prop with joints, a clip with weights, morph targets, colours and an expression of its own."""
    rng = np.random.default_rng(seed)
    rest = np.tile(np.float32([0, 0.3, 0, 0, 0, 0, 1, 1, 1, 1]), (joints, 1))
    rest[0, 0] = 0.1
    skeleton = lissom.Skeleton([f"link {i}" for i in range(joints)], range(-1, joints - 1), rest)
    count = 12 * joints
    points = rng.normal(size=(count, 3)) * [0.05, 0.4, 0.05]
    weights = rng.random((count, joints))
    weights /= weights.sum(axis=1, keepdims=True)
    names = ("lash/curl", "lash/smile")
    deltas = rng.normal(size=(2, count, 3)) * 0.05
    morphs = lissom.Morphs.from_dense(names, deltas, deltas, defaults=[0.25, 0])
    faces = np.arange(count).reshape(-1, 3)
    mesh = lissom.Mesh(
        points,
        faces,
        np.tile(np.arange(joints), (count, 1)),
        weights,
        colors=rng.random((count, 4)),
        parts=[
            lissom.Part("lash", slice(0, count - 6), slice(0, len(faces) - 2), base_color=(1, 0, 0, 1)),
            lissom.Part("knot", slice(count - 6, count), slice(len(faces) - 2, len(faces)), unlit=True),
        ],
        morphs=morphs,
    )
    models = model_matrices(skeleton.parents, skeleton.rest)
    skin = lissom.Skin(np.arange(joints), np.linalg.inv(models))
    crack = random_clip(rng, skeleton, morph_names=names).renamed("crack")
    crack = crack.shifted(0.5 - crack.start)  # files have no times before 0
    whip = lissom.Character("whip", skeleton, mesh, skin, [crack])
    whip.expressions = lissom.Expressions(morphs, [lissom.Expression("happy", {"smile": 1, "curl": 0.5})])
    return whip


def linear(character: lissom.Character, pose, positions=None) -> np.ndarray:
    """Linear skinning in float64."""
    mesh, skin = character.mesh, character.skin
    palette = model_matrices(character.skeleton.parents, pose)[skin.joints] @ skin.joint_from_bind.astype(
        float
    )
    points = np.asarray(mesh.positions if positions is None else positions, np.float64)
    matrices = np.einsum("vk,vkij->vij", mesh.weights.astype(np.float64), palette[mesh.indices])
    return np.einsum("vij,vj->vi", matrices, np.concatenate([points, np.ones((len(points), 1))], axis=1))[
        :, :3
    ]


def expected(character, pose, joint, offset, vertices) -> np.ndarray:
    """Where vertices (n, 3) of a prop, in its own model space, stand in a pose of the character."""
    index = character.skeleton.index(joint)
    place = model_matrices(character.skeleton.parents, pose[: len(character.skeleton)])[index] @ offset
    return vertices @ place[:3, :3].T + place[:3, 3]


def matrix(offset) -> np.ndarray:
    """The matrix of a trs."""
    return local_matrix(np.asarray(offset, np.float64))
