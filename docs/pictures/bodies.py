# SPDX-License-Identifier: MIT
"""One motion on another body, by three methods."""

import warnings

import numpy as np
from layers import row
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

import lissom

PHASE = 0.3  # of the walk
RAISED = 50.0  # degrees: the arms of the other body at rest


def other_body() -> lissom.Character:
    """The sample's child with its arms raised at rest, and joint axes at random."""
    child = lissom.samples.humanoid("child")
    skeleton, mesh = child.skeleton, child.mesh
    pose = skeleton.rest.astype(np.float64)
    for name, sign in (("UpperArm.L", 1), ("UpperArm.R", -1)):
        turn = lissom.quat.from_axis_angle([0, 0, 1], sign * np.radians(RAISED))
        pose = skeleton.rotate(pose, name, turn, space="model")
    matrices = skeleton.model_matrices(pose)
    axes = Rotation.random(len(skeleton), random_state=1).as_matrix()
    model = matrices.copy()
    model[:, :3, :3] = matrices[:, :3, :3] @ axes
    above = [np.eye(4) if parent < 0 else model[parent] for parent in skeleton.parents]
    rest = lissom.trs.from_matrix(np.linalg.solve(np.array(above), model))
    other = lissom.Skeleton(skeleton.names, skeleton.parents, rest)
    surface = lissom.Mesh(
        child.deform(pose), mesh.triangles, mesh.indices, mesh.weights, uvs=mesh.uvs, parts=mesh.parts
    )
    joints = np.asarray(child.skin.joints)
    return lissom.Character("other", other, surface, lissom.Skin(joints, np.linalg.inv(model[joints])))


def rest_relative(
    source: lissom.Skeleton, target: lissom.Skeleton, pose: NDArray[np.float32]
) -> NDArray[np.float64]:
    """The usual recipe: the model rotation from rest of each joint on top of the target's rest."""
    ours, rests, theirs = (
        skeleton.model_matrices(np.asarray(each, np.float64))[:, :3, :3]
        for skeleton, each in ((source, pose), (source, source.rest), (target, target.rest))
    )
    turns = ours @ np.swapaxes(rests, -1, -2) @ theirs
    result = target.rest.astype(np.float64)
    for joint, parent in enumerate(target.parents):
        local = turns[joint] if parent < 0 else turns[parent].T @ turns[joint]
        result[joint, 3:7] = Rotation.from_matrix(local).as_quat()
    return result


def retargeting(width: int, height: int) -> NDArray[np.uint8]:
    """A walk, and what three methods make of it on a smaller body with other axes and raised arms."""
    hero, other = lissom.samples.humanoid(), other_body()
    walk = hero.clips["walk"]
    names = {role: (name, name) for role, name in lissom.roles(hero).joints.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # bind says that bones point elsewhere
        bound = walk.bind(other.skeleton).at(PHASE)
    ours = lissom.Retarget(hero, other, names).clip(walk).at(PHASE)
    return row(
        [hero, other, other, other, other],
        [
            walk.at(PHASE),
            other.skeleton.rest,
            bound,
            rest_relative(hero.skeleton, other.skeleton, walk.at(PHASE)),
            ours,
        ],
        ["a walk", "another body, at rest", "Clip.bind", "rest-relative", "Retarget"],
        width,
        height,
        apart=0.95,
    )
