# SPDX-License-Identifier: MIT
"""Spaces, drawn: the world, the model and a joint; and the way of a vertex from bind to model space."""

import numpy as np
from numpy.typing import NDArray
from overlay import Overlay

import lissom
from lissom import quat, trs
from lissom.gpu import Camera, SkinnedModel, Stage

WORLD_FROM_MODEL = trs.from_parts([1.5, 0.0, 0.5], quat.from_axis_angle([0.0, 1.0, 0.0], np.radians(50.0)))


def spaces(width: int, height: int) -> NDArray[np.uint8]:
    """A waving figure that stands off the world's origin, with the axes of world, model and hand."""
    hero = lissom.samples.humanoid()
    pose = hero.clips["wave"].sample(0.9)
    hand = hero.skeleton.index("Hand.R")
    model_from_joint = np.asarray(hero.skeleton.model_matrices(pose)[hand], np.float64)
    world_from_model = trs.to_matrix(WORLD_FROM_MODEL)
    world_from_joint = world_from_model @ model_from_joint
    with Stage(width, height) as stage, SkinnedModel(hero, stage=stage) as model:
        model.set_pose(pose)
        model.world_from_model = world_from_model
        seen = np.concatenate([model.points(), [[-0.6, 0, 0], [0, 0, 1.3], [0, 1, 0]]])
        camera = Camera.framing(seen, stage.aspect, azimuth=18.0, elevation=16.0, margin=(0.1, 0.12))
        sheet = Overlay(stage.render(model, camera=camera).array, camera)
    origin, feet, wrist = np.zeros(3), world_from_model[:3, 3], world_from_joint[:3, 3]
    sheet.axes(np.eye(4), 0.62, 3.0)
    sheet.axes(world_from_model, 0.5, 3.0)
    sheet.axes(world_from_joint, 0.26, 2.4)
    sheet.dashes([origin, feet])
    sheet.dashes([feet, wrist])
    sheet.text([0.62, 0, 0], "x", move=(8, 4))
    sheet.text([0, 0.62, 0], "y", move=(-4, -12))
    sheet.text([0, 0, 0.62], "z", move=(-14, 8))
    sheet.text(origin, "world space", move=(-16, 0), anchor="rm")
    sheet.text(feet, "model space", move=(70, 22))
    sheet.text(wrist, "space of a joint, the hand", move=(-58, -8), anchor="rm")
    sheet.text((origin + feet) / 2, "world_from_model", move=(-6, 26), anchor="mm", size=14)
    sheet.text(0.4 * feet + 0.6 * wrist, "model_from_joint", move=(-26, 0), anchor="rm", size=14)
    return sheet.pixels()


def binding(width: int, height: int) -> NDArray[np.uint8]:
    """The tube in bind pose, what one joint sees of it, and posed: three spaces of the same vertices."""
    tube = lissom.samples.two_bone_tube()
    pose = tube.skeleton.rest.astype(np.float64)
    pose[1, 3:7] = quat.from_axis_angle([0.0, 0.0, 1.0], np.radians(65.0))
    model_from_joint = np.asarray(tube.skeleton.model_matrices(pose), np.float64)
    joint_from_bind = np.asarray(tube.skin.joint_from_bind, np.float64)
    near = np.argmin(np.linalg.norm(tube.mesh.positions - [3.2, 0.4, 0.0], axis=1))
    vertex = np.append(tube.mesh.positions[near].astype(np.float64), 1.0)
    posed = np.append(np.asarray(tube.deform(pose), np.float64)[near], 1.0)
    places = (
        ("bind pose", tube.skeleton.rest, np.eye(4), np.linalg.inv(joint_from_bind[1]), vertex),
        (
            "in the joint's own space",
            tube.skeleton.rest,
            joint_from_bind[1],
            np.eye(4),
            joint_from_bind[1] @ vertex,
        ),
        ("posed, in model space", pose, np.eye(4), model_from_joint[1], posed),
    )
    panels = []
    corners = np.array([[-2.4, -0.9, -0.5], [4.3, 2.5, 0.5]])
    with Stage(width // 3, height) as stage, SkinnedModel(tube, stage=stage) as model:
        camera = Camera.framing(corners, stage.aspect, azimuth=8.0, elevation=12.0, margin=0.03)
        for title, at, moved, axes, point in places:
            model.set_pose(at)
            model.world_from_model = moved
            sheet = Overlay(stage.render(model, camera=camera, ground=False).array, camera)
            sheet.axes(axes, 0.95, 3.0)
            sheet.dot(np.zeros(3), 3.5, (120, 128, 140), (255, 255, 255))
            sheet.text(np.zeros(3), "origin", color=(104, 112, 124), size=13, anchor="mm", move=(-4, 36))
            sheet.dot(point[:3], 5.0, (196, 58, 44), (255, 255, 255))
            sheet.text((14.0, 22.0), title, size=16)
            panels.append(sheet.pixels())
    sheet = Overlay(np.concatenate(panels, axis=1))
    for i, words in ((1, "joint_from_bind"), (2, "model_from_joint")):
        x = i * (width // 3)
        sheet.arrow((x - 52, height - 26), (x + 52, height - 26), width=2.4)
        sheet.text((x, height - 46), words, anchor="mm", size=14)
    return sheet.pixels()
