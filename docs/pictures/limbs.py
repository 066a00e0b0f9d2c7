# SPDX-License-Identifier: MIT
"""Limits of joints as they hold, drawn at the arm; and what foot placement looks at."""

from contextlib import ExitStack

import numpy as np
from charts import COLORS
from numpy.typing import NDArray
from overlay import Overlay, fan

import lissom
from lissom import ik, quat
from lissom.gpu import Camera, SkinnedModel, Stage


def limits(width: int, height: int) -> NDArray[np.uint8]:
    """A cone, an elliptic cone and a hinge at the joints of the arm."""
    hero = lissom.samples.humanoid()
    rest = hero.skeleton.rest
    joints = [hero.skeleton.index(name) for name in ("UpperArm.L", "LowerArm.L", "Hand.L")]
    model = np.asarray(hero.skeleton.model_matrices(rest), np.float64)
    shoulder, elbow, hand = (model[joint][:3, 3] for joint in joints)
    panels = []
    for words, note, azimuth in (
        ("BallSocket(half_angle)", "the bone stays in a cone about its rest", 34.0),
        ("SwingTwist((half, half), ...)", "the cone is an ellipse", 34.0),
        ("Hinge.from_rest(low, high)", "one axis, a range of angles", 78.0),
    ):
        with Stage(width // 3, height) as stage, SkinnedModel(hero, stage=stage) as figure:
            seen = np.array([[0.1, 0.9, 0.2], [0.1, 1.85, 0.0], [0.75, 0.9, 0.1]])
            camera = Camera.framing(
                seen, stage.aspect, azimuth=azimuth, elevation=12.0, margin=(0.0, 0.18, 0.02)
            )
            sheet = Overlay(stage.render(figure, camera=camera, ground=False).array, camera)
        along = (elbow - shoulder) / np.linalg.norm(elbow - shoulder)
        if words.startswith("Hinge"):
            axis = np.cross(along, (hand - elbow) / np.linalg.norm(hand - elbow))
            axis /= np.linalg.norm(axis)
            bone = (hand - elbow) / np.linalg.norm(hand - elbow)
            turns = quat.from_axis_angle(axis, np.linspace(0, 2.2, 40))
            reach = np.linalg.norm(hand - elbow)
            places = fan(elbow, quat.rotate(turns, bone), reach)
            sheet.area(places, COLORS[0])
            sheet.line([*places, places[0]], COLORS[0], 1.6)
            sheet.dashes([elbow - 0.16 * axis, elbow + 0.16 * axis], COLORS[1], 2.0)
            sheet.dot(elbow, 5.0)
        else:
            wide, narrow = (0.6, 0.6) if words.startswith("Ball") else (0.8, 0.3)
            side = np.cross(along, [0.0, 0.0, 1.0])
            side /= np.linalg.norm(side)
            other = np.cross(along, side)
            around = np.linspace(0, 2 * np.pi, 60)
            swings = wide * np.cos(around)[:, None] * side + narrow * np.sin(around)[:, None] * other
            ends = quat.rotate(quat.from_rotation_vector(swings), along)
            reach = np.linalg.norm(elbow - shoulder)
            rim = list(shoulder + reach * ends)
            sheet.area(rim, COLORS[1], 0.25)
            flat = np.array([sheet.at(place) for place in rim])
            tip = np.array(sheet.at(shoulder))
            bearings = np.unwrap(np.arctan2(*(flat - tip).T[::-1]))
            first, last = int(bearings.argmin()), int(bearings.argmax())
            sheet.area([tip, rim[first], rim[last]], COLORS[1], 0.25)
            for k in (first, last):
                sheet.line([shoulder, rim[k]], COLORS[1], 1.6)
            sheet.line(rim, COLORS[1], 2.0)
            sheet.dashes([shoulder, shoulder + 1.25 * reach * along], COLORS[1])
            sheet.dot(shoulder, 5.0)
        sheet.text((14, 22), words, size=16)
        sheet.text((14, 44), note, size=13, color=(104, 112, 124))
        panels.append(sheet.pixels())
    return np.concatenate(panels, axis=1)


def feet(width: int, height: int) -> NDArray[np.uint8]:
    """A pose over a stair as the clip has it, with the rays that are cast; and the same pose placed."""
    hero = lissom.samples.humanoid()
    legs = ik.Leg.find(hero)
    walk = hero.clips["walk"]
    ground = lissom.samples.stair()
    contacts = ik.find_contacts(walk, legs, character=hero)
    times = np.arange(0, 2.2, 1 / 60)
    world = walk.root_motion.at(times)
    found = ik.FootPlacement(hero, legs, ground).apply(walk, contacts, times=times)
    frame = int(np.argmin(np.abs(times - 1.55)))
    ankles = [hero.skeleton.index(name) for name in ("Foot.L", "Foot.R")]
    panels = []
    for words, pose, rays in (
        ("the clip: rays down from the feet", walk.sample(times[frame]), True),
        ("placed: feet on the steps, the body higher", found.poses[frame], False),
    ):
        with ExitStack() as stack:
            stage = stack.enter_context(Stage(width // 2, height))
            model = stack.enter_context(SkinnedModel(hero, stage=stage))
            model.set_pose(pose)
            matrix = lissom.trs.to_matrix(np.asarray(world[frame], np.float64))
            model.world_from_model = matrix
            middle = matrix[:3, 3]
            seen = middle + np.array([[-0.3, -0.1, -0.5], [0.3, 2.1, 0.6]])
            camera = Camera.framing(
                seen, stage.aspect, azimuth=-78.0, elevation=8.0, field_of_view=14.0, margin=0.02
            )
            sheet = Overlay(stage.render(model, camera=camera, ground=ground).array, camera)
        if rays:
            joints = np.asarray(hero.skeleton.positions(pose), np.float64)[ankles]
            for joint in joints:
                place = (matrix @ [*joint, 1.0])[:3]
                top = place + np.array([0.0, 0.45, 0.0])
                distances, _ = lissom.ground.cast(ground, top[None], (0.0, -1.0, 0.0))
                hit = top - [0.0, float(distances[0]), 0.0]
                sheet.arrow(top, hit, COLORS[0], 2.4)
                sheet.dot(hit, 4.5, COLORS[0], (255, 255, 255))
                sheet.dot(place, 4.0)
        sheet.text((16, 24), words, size=16)
        panels.append(sheet.pixels())
    return np.concatenate(panels, axis=1)
