# SPDX-License-Identifier: MIT
"""Small rigs with all that layouts of pose textures may or may not hold."""

import numpy as np

import lissom
from lissom.bake_report import BakedClip, BakeReport, ClipError, ErrorStats
from lissom.pose_texture._layouts import LAYOUTS, Source, Texels
from reference import bake as bake_twin
from reference import quat as quat_twin

JOINT_COUNT = 6
PARENTS = np.array([-1, 0, 1, 1, 3, -1])


def rig(kind, frames=9, seed=3):
    """Frames of a skeleton with two roots: every joint turns, and joint 0 moves."""
    rng = np.random.default_rng(seed)
    rest = np.zeros((JOINT_COUNT, 10))
    rest[:, :3] = rng.uniform(-0.5, 0.5, (JOINT_COUNT, 3))
    rest[:, 3:7] = quat_twin.normalize(rng.normal(size=(JOINT_COUNT, 4)))
    rest[:, 7:] = 1.0
    if kind in ("small", "large"):
        rest[[0, 5], 7:] = factor = 0.01 if kind == "small" else 100.0
        rest[1:5, :3] /= factor
    if kind == "reflected":
        rest[3, 7:] = -1.0
    poses = np.repeat(rest[None], frames, axis=0)
    turn = np.cumsum(rng.normal(scale=0.12, size=(frames, JOINT_COUNT, 4)), axis=0)
    poses[..., 3:7] = quat_twin.normalize(rest[:, 3:7] + turn)
    poses[1::2, :, 3:7] *= -1  # as unaligned as can be
    share = np.linspace(0, 1, frames)[:, None]
    poses[:, 0, :3] += share * [0.3, 0.0, -0.2]
    if kind == "grown":
        poses[:, 3, 7:] = 1.5
    elif kind == "growing":
        poses[:, 3, 7:] = 1 + share
    elif kind == "stretched":
        poses[:, [2, 4], 7:] = (1 + share * [0.5, 0.0, -0.3])[:, None]
    elif kind == "vanishing":
        poses[:, 4, 7:] = np.abs(share - 0.5) * 2
    elif kind == "mirrored":
        poses[:, 3, 7:] = -1.0
    elif kind == "wandering":
        poses[:, 2, :3] += share * [0.0, 0.07, 0.0]
    elif kind == "sheared":
        poses[:, 3, 7:] = 1.0, 1.3, 1.0
    bones = lissom.Skeleton([f"joint{i}" for i in range(JOINT_COUNT)], PARENTS, rest.astype(np.float32))
    joints = np.array([0, 2, 1, 4, 3, 4, 5])
    away = np.tile(np.eye(4), (len(joints), 1, 1))
    away[-2, :3, 3] = 0.1, 0.2, 0.3  # a second skin: the same joint, bound elsewhere
    bind = np.linalg.inv(bake_twin.model_matrices(PARENTS, rest))[joints] @ away
    skin = lissom.Skin(joints, bind.astype(np.float32))
    return Source(bones, skin, poses.astype(np.float32), "wave", 2.0)


def stored(source, layout, dtype=np.float32):
    kind = LAYOUTS[layout]
    plan = kind.plan(source)
    rows = kind.rows(source, plan)
    return plan, Texels.of(rows, kind.form(plan.texels, rows.shape[1]), dtype)


def between(texels, frame, share):
    """Row floats at one moment."""
    one = np.array([frame], np.int32)
    return texels.sample(one, one + 1, np.array([share], np.float32))


def pose_texture(source, layout, dtype=np.float32, **options):
    """A bake of the frames at one a second, whose report says nothing."""
    kind = LAYOUTS[layout]
    plan, texels = stored(source, layout, dtype)
    frames = len(source.poses)
    stats = ErrorStats(0.0, 0.0, 0.0, frames)
    error = ClipError(0.0, 0.0, 0.0, 0.0, stats, stats)
    bounds = np.array([[-1, -1, -1], [1, 1, 1]], np.float32)
    clips = {source.name: BakedClip(0, frames, 1.0, False, 0.0, frames - 1.0, bounds, error)}
    report = BakeReport(clips, source.size, layout, "linear", str(np.dtype(dtype)), "joint shell", 4)
    names = kind.row_names(source.skin, source.skeleton.names)
    skin = kind.stored_skin(source.skin)
    return lissom.PoseTexture(
        texels.array, clips, names, report, ranges=texels.ranges, skin=skin, rig=plan.rig, **options
    )
