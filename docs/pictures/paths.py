# SPDX-License-Identifier: MIT
"""The four pictures of the first page, one for each reader."""

from contextlib import ExitStack

import numpy as np
from numpy.typing import NDArray
from overlay import RED, YELLOW, Overlay
from PIL import Image

import lissom
from lissom import ik, quat
from lissom.gpu import Camera, Crowd, SkinnedModel, Stage, plain_instances

SIZE = (640, 400)


def artist() -> NDArray[np.uint8]:
    """A crowd over the texture that it is drawn from."""
    width, height = SIZE
    strip = 120
    bake = lissom.bake(lissom.samples.humanoid(), ["walk", "run", "wave"], rate=30)
    instances = plain_instances(5)
    instances["position"][:, 0] = 0.95 * (np.arange(5) - 2)
    instances["clip"] = [0, 1, 2, 1, 0]
    instances["time"] = [0.1, 0.1, 0.9, 0.45, 0.7]
    instances["rotation"] = lissom.gpu.heading(0.5)
    instances["tint"][:, :3] = [
        (255, 255, 255),
        (150, 200, 255),
        (255, 225, 140),
        (190, 255, 190),
        (255, 190, 190),
    ]
    with Stage(width, height - strip) as stage, Crowd(bake, 5, stage=stage, instances=instances) as crowd:
        camera = stage.camera(crowd, azimuth=6.0, elevation=10.0)
        people = stage.render(crowd, camera=camera).array
    flat = np.asarray(bake.texels, np.float32).reshape(len(bake.texels), -1, 4)[..., :3].swapaxes(0, 1)
    low, high = flat.min(axis=(0, 1)), flat.max(axis=(0, 1))
    texels = Image.fromarray(np.rint(255 * (flat - low) / (high - low)).astype(np.uint8))
    return np.concatenate([people, np.asarray(texels.resize((width, strip), Image.Resampling.NEAREST))])


def student() -> NDArray[np.uint8]:
    """The twisted bar by both methods, one above the other."""
    width, height = SIZE
    bar = lissom.samples.twisted_bar()
    pose = bar.clips["twist"].sample(2.0)
    panels = []
    with Stage(width, height // 2) as stage, SkinnedModel(bar, stage=stage) as model:
        model.set_pose(pose)
        camera = Camera.framing(
            bar.mesh.positions, stage.aspect, azimuth=20.0, elevation=16.0, margin=(0.06, 0.3, 0.1)
        )
        for method, words in (("linear", "linear"), ("dual_quat", "dual quaternion")):
            model.method = method
            sheet = Overlay(stage.render(model, camera=camera, ground_height=-0.75).array)
            sheet.text((20, 26), words, size=20)
            panels.append(sheet.pixels())
    return np.concatenate(panels)


def developer() -> NDArray[np.uint8]:
    """A running figure, and the array of its joints."""
    width, height = SIZE
    hero = lissom.samples.humanoid()
    pose = hero.clips["run"].sample(0.2)
    with Stage(width, height) as stage, SkinnedModel(hero, stage=stage) as model:
        model.set_pose(pose)
        wide = np.concatenate([model.points(), model.points() + np.array([2.1, 0, 0])])
        camera = Camera.framing(wide, stage.aspect, azimuth=30.0, elevation=8.0, margin=0.06)
        sheet = Overlay(stage.render(model, camera=camera).array, camera)
    joints = np.asarray(hero.skeleton.positions(pose), np.float64)
    for joint, parent in enumerate(hero.skeleton.parents):
        if parent >= 0:
            sheet.line([joints[parent], joints[joint]], (255, 255, 255), 3.4)
            sheet.line([joints[parent], joints[joint]], (40, 46, 58), 1.8)
    for joint in joints:
        sheet.dot(joint, 3.0, YELLOW, (40, 46, 58))
    sheet.text((330, 60), f"pose  {pose.shape}", size=20)
    for i, name in enumerate(("Pelvis", "Spine", "UpperLeg.L", "LowerLeg.L", "Foot.L")):
        row = pose[hero.skeleton.index(name), 3:7]
        sheet.text((330, 100 + 30 * i), name, size=15)
        sheet.text((440, 100 + 30 * i), "  ".join(f"{value:+.2f}" for value in row), size=15)
    sheet.text((440, 100 + 30 * 5), "x, y, z, w", size=14, color=(104, 112, 124))
    return sheet.pixels()


def gameplay() -> NDArray[np.uint8]:
    """One figure that reaches for targets on an arc, all solved in one call."""
    width, height = SIZE
    hero = lissom.samples.humanoid()
    elbow = {"LowerArm.L": ik.Hinge.from_rest(0.0, 2.5, zero="straight")}
    arm = ik.Chain(hero.skeleton, "UpperArm.L", "Hand.L", limits=elbow)
    angles = np.radians([-58.0, -15.0, 28.0, 70.0])
    shoulder = np.asarray(hero.skeleton.positions(hero.skeleton.rest)[arm.joints[0]], np.float64)
    targets = shoulder + 0.52 * np.stack(
        [0.5 * np.cos(angles), np.sin(angles), 0.86 * np.cos(angles)], axis=-1
    )
    done = ik.two_bone(arm, hero.clips["idle"].sample(0.0), targets)
    with Stage(width, height) as stage, ExitStack() as stack:
        models = []
        for i, pose in enumerate(done.pose):
            model = stack.enter_context(SkinnedModel(hero, stage=stage))
            model.set_pose(pose)
            place = np.eye(4)
            place[:3, :3] = quat.to_matrix(quat.from_axis_angle([0.0, 1.0, 0.0], np.radians(-50.0)))
            place[:3, 3] = [0.95 * (i - 1.5), 0.0, 0.0]
            model.world_from_model = place
            models.append(model)
        seen = np.concatenate([model.points() for model in models])
        camera = Camera.framing(seen, stage.aspect, azimuth=0.0, elevation=8.0, margin=(0.05, 0.08))
        sheet = Overlay(stage.render(*models, camera=camera).array, camera)
        for model, target in zip(models, targets, strict=True):
            at = (np.asarray(model.world_from_model, np.float64) @ [*target, 1.0])[:3]
            sheet.dot(at, 6.5, RED, (255, 255, 255))
    return sheet.pixels()
