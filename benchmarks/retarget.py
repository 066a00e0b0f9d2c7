# SPDX-License-Identifier: MIT
"""How near do bones come to the source's, how fast, beside Clip.bind, rest-relative rotations and three.js?

The walk of the sample is carried over to copies of its skeleton: with other joint axes, another rest pose
(arms down), and with both. Degrees are the mean difference of bone directions in model space, over the frames
of the clip; rotations alone, bones between joints with roles. three.js puts each pose on by its function
SkeletonUtils.retarget, which its retargetClip calls. Then time: one thread, float32, a skeleton of 60 joints.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

import lissom
from _bench import Bench, require, why_not
from _measure import Run
from _node import NodeRival

require("numba")
from numba import njit  # noqa: E402

EXACT = 0.01  # degrees that float32 leaves


def model(skeleton: lissom.Skeleton, poses: Any) -> tuple[Any, Any]:
    """Return rotations (..., J, 3, 3) and places in model space."""
    matrices = skeleton.model_matrices(np.asarray(poses, np.float64))
    return matrices[..., :3, :3], matrices[..., :3, 3]


def copy_of(skeleton: lissom.Skeleton, axes: bool, arms: float) -> lissom.Skeleton:
    """Return the same joints with other axes at random, and with the arms `arms` degrees lower at rest."""
    turns, places = model(skeleton, skeleton.rest)
    count = len(skeleton)
    own = Rotation.random(count, random_state=1).as_matrix() if axes else np.tile(np.eye(3), (count, 1, 1))
    lower = np.tile(np.eye(3), (count, 1, 1))
    for name, sign in (("UpperArm.L", -1), ("UpperArm.R", 1)):
        lower[skeleton.mask(name) > 0] = Rotation.from_euler("z", sign * arms, degrees=True).as_matrix()
    new = lower @ turns @ own
    rest = np.tile([0, 0, 0, 0, 0, 0, 1, 1, 1, 1.0], (count, 1))
    for joint, parent in enumerate(skeleton.parents):
        above = np.eye(3) if parent < 0 else new[parent]
        offset = places[joint] if parent < 0 else lower[parent] @ (places[joint] - places[parent])
        rest[joint, :3] = above.T @ offset
        rest[joint, 3:7] = Rotation.from_matrix(above.T @ new[joint]).as_quat()
    return lissom.Skeleton(skeleton.names, skeleton.parents, rest)


def degrees_off(
    source: lissom.Skeleton, target: lissom.Skeleton, poses: Any, result: Any, joints: set[int]
) -> float:
    """Return the mean angle between bones of both from one of these joints to another."""
    children = [j for j, parent in enumerate(source.parents) if parent in joints and j in joints]
    above = source.parents[children]
    bones = []
    for skeleton, each in ((source, poses), (target, result)):
        places = model(skeleton, each)[1]
        vectors = places[:, children] - places[:, above]
        bones.append(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))
    return float(np.degrees(np.arccos(np.clip((bones[0] * bones[1]).sum(-1), -1, 1))).mean())


def rest_relative(source: lissom.Skeleton, target: lissom.Skeleton, poses: Any) -> Any:
    """The usual recipe: the model rotation from rest of each joint on top of the target's rest."""
    ours, rests, theirs = (
        model(source, poses)[0],
        model(source, source.rest)[0],
        model(target, target.rest)[0],
    )
    turns = ours @ np.swapaxes(rests, -1, -2) @ theirs
    result = np.repeat(target.rest[None].astype(np.float64), len(poses), axis=0)
    for joint, parent in enumerate(target.parents):
        local = turns[:, joint] if parent < 0 else np.swapaxes(turns[:, parent], -1, -2) @ turns[:, joint]
        result[:, joint, 3:7] = Rotation.from_matrix(local).as_quat()
    result[:, 0, :3] = poses[:, 0, :3]
    return result


def by_three(source: lissom.Skeleton, target: lissom.Skeleton, poses: Any) -> NodeRival:
    """three.js in node, whose answer are the poses; its call is one pose."""
    task = {
        "names": [f"joint{i}" for i in range(len(source))],
        "parents": source.parents.tolist(),
        "source": source.rest.ravel().tolist(),
        "target": target.rest.ravel().tolist(),
        "poses": poses.reshape(len(poses), -1).tolist(),
    }
    return NodeRival("_retarget_three.mjs", task)


@njit(cache=True, fastmath=True)  # type: ignore[misc]
def numba_rest_relative(parents: Any, factors: Any, poses: Any, model: Any, out: Any) -> None:
    def product(a: Any, b: Any, c: Any) -> None:
        c[0] = a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1]
        c[1] = a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0]
        c[2] = a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3]
        c[3] = a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]

    ours, back = model[0], model[1]
    inverse = np.empty(4, np.float32)
    for n in range(len(poses)):
        for j in range(len(parents)):
            k = parents[j]
            if k < 0:
                ours[j] = poses[n, j, 3:7]
            else:
                product(ours[k], poses[n, j, 3:7], ours[j])
            product(ours[j], factors[j], back[j])
            if k < 0:
                out[n, j, 3:7] = back[j]
            else:
                inverse[0], inverse[1], inverse[2], inverse[3] = (
                    -back[k, 0],
                    -back[k, 1],
                    -back[k, 2],
                    back[k, 3],
                )
                product(inverse, back[j], out[n, j, 3:7])
        out[n, 0, :3] = poses[n, 0, :3]


def bone_errors() -> dict[str, list[float]]:
    """Return mean differences of bone directions in degrees by method: other axes, another rest, both."""
    hero = lissom.samples.humanoid()
    source = hero.skeleton
    walk = hero.clips["walk"]
    times = np.linspace(walk.start, walk.end, 34)
    poses = walk.sample(times).astype(np.float64)
    roles = lissom.roles(hero)
    joints = {role: (name, name) for role, name in roles.joints.items()}
    own = {source.index(name) for name in roles.joints.values()}
    results: dict[str, list[float]] = {}
    for axes, arms in ((True, 0.0), (False, 45.0), (True, 45.0)):
        target = copy_of(source, axes, arms)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # bind says that bones point elsewhere
            bound = walk.bind(target).sample(times)
        found = {
            "Clip.bind": bound,
            "rest-relative rotations": rest_relative(source, target, poses),
        }
        if why_not("three") is None:
            with by_three(source, target, poses) as three:
                found["three.js SkeletonUtils.retarget"] = np.reshape(three.answer, poses.shape)
        found["lissom.Retarget"] = lissom.Retarget(source, target, joints, feet=False).poses(poses)
        for name, result in found.items():
            results.setdefault(name, []).append(degrees_off(source, target, poses, result, own))
    return results


def directions(bench: Bench) -> None:
    bench.missing("three")
    results = bone_errors()
    for kind, where in enumerate(("other axes", "another rest pose", "both")):
        for name, degrees in results.items():
            bench.number(name, degrees[kind], "degrees", f"mean difference of bone directions, {where}")
    assert max(results["lissom.Retarget"]) < EXACT


def with_sixty_joints(skeleton: lissom.Skeleton) -> lissom.Skeleton:
    """Return the skeleton with joints that play no role hung below it, as props and skirts are."""
    more = 60 - len(skeleton)
    parents = np.concatenate([skeleton.parents, np.arange(more) % len(skeleton)])
    rest = np.concatenate([skeleton.rest, np.tile([0, 0.05, 0, 0, 0, 0, 1, 1, 1, 1], (more, 1))])
    return lissom.Skeleton([*skeleton.names, *(f"prop {i}" for i in range(more))], parents, rest)


def speed(bench: Bench) -> None:
    bench.one_thread()
    hero = lissom.samples.humanoid()
    source = with_sixty_joints(hero.skeleton)
    target = with_sixty_joints(copy_of(hero.skeleton, True, 45.0))
    names = {role: (name, name) for role, name in lissom.roles(hero).joints.items()}
    count = 10_000
    poses = np.repeat(source.rest[None], count, axis=0)
    walk = hero.clips["walk"]
    poses[:, : len(hero.skeleton)] = walk.sample(np.linspace(walk.start, walk.end, count))
    model_space = np.empty((2, 60, 4), np.float32)
    out = np.repeat(target.rest[None], count, axis=0)
    factors = np.tile(np.float32([0, 0, 0, 1]), (60, 1))
    turns, theirs = model(source, source.rest)[0], model(target, target.rest)[0]
    factors[:] = Rotation.from_matrix(np.swapaxes(turns, -1, -2) @ theirs).as_quat()
    numba_rest_relative(source.parents, factors, poses, model_space, out)
    recipe = rest_relative(source, target, poses[:50].astype(np.float64))
    assert np.abs(model(target, out[:50])[1] - model(target, recipe)[1]).max() < 1e-4
    runs: dict[str, Any] = {}
    single: dict[str, Any] = {}
    for label, feet in (("lissom, rotations and hips", False), ("lissom, feet and hands, too", True)):
        retarget = lissom.Retarget(source, target, names, feet=feet)
        runs[label] = lambda retarget=retarget: retarget.poses(poses)
        single[label] = lambda retarget=retarget: retarget.poses(poses[5])
    runs["numba, rest-relative rotations"] = Run(
        lambda: numba_rest_relative(source.parents, factors, poses, model_space, out),
        lacks="alignment and hips",
    )
    title = f"{count} poses of 60 joints, one thread"
    if why_not("three") is None:
        few = poses[:200].astype(np.float64)
        with by_three(source, target, few) as three:
            runs["three.js SkeletonUtils.retarget"] = three.run(items=1, lacks="alignment")
            bench.table(title, runs, count, "pose")
    else:
        bench.table(title, runs, count, "pose")
    bench.table("one pose of 60 joints from Python", single, 1, "pose")


def main(bench: Bench) -> None:
    directions(bench)
    speed(bench)


if __name__ == "__main__":
    Bench(__file__, __doc__).run(main)
