# SPDX-License-Identifier: MIT
"""Springs in float64, from the pseudocode of VRMC_springBone 1.0 and its extended colliders.

World space throughout, one character, one joint after the other.
"""

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

STEP = 1 / 60


def matrix(trs):
    """4x4 of translation, rotation x y z w, scale."""
    result = np.eye(4)
    result[:3, :3] = Rotation.from_quat(trs[3:7]).as_matrix() * trs[7:]
    result[:3, 3] = trs[:3]
    return result


def at(m, point):
    return m[:3, :3] @ point + m[:3, 3]


def unit(v):
    return v / np.linalg.norm(v)


def from_to(a, b):
    """Shortest rotation of unit a to unit b, by the angle between them."""
    axis = np.cross(a, b)
    sine = np.linalg.norm(axis)
    return Rotation.from_rotvec(axis / sine * np.arctan2(sine, a @ b) if sine > 0 else np.zeros(3))


@dataclass
class Spring:
    """A joint and its numbers; colliders are (joint, shape, offset, tail, normal, radius, inside)."""

    joint: int
    tail: np.ndarray  # at rest, in the joint's frame
    stiffness: float
    drag: float
    gravity: np.ndarray
    radius: float
    center: int = -1
    colliders: list = field(default_factory=list)


def world_matrices(parents, pose, place):
    world = []
    for joint, parent in enumerate(parents):
        world.append((place if parent < 0 else world[parent]) @ matrix(pose[joint]))
    return world


def collision(collider, world, tail, joint_radius):
    """Distance and direction from a collider to a tail."""
    joint, shape, offset, end, normal, radius, inside = collider
    m = world[joint]
    start = at(m, np.asarray(offset))
    delta = tail - start
    if shape == "plane":
        direction = unit(np.linalg.inv(m[:3, :3]).T @ np.asarray(normal))
        return delta @ direction - joint_radius, direction
    if shape == "capsule":
        line = at(m, np.asarray(end)) - start
        along = line @ delta
        if along > line @ line:
            delta = delta - line
        elif along > 0:
            delta = delta - line * (along / (line @ line))
    length = np.linalg.norm(delta)
    if inside:
        return radius - joint_radius - length, -delta / length
    return length - radius - joint_radius, delta / length


def simulate(parents, rest, springs, poses, worlds=None):
    """Local rotations of springs (F, K, 4); in the first frame they rest.

    Springs stand in the order of the update: after those above them and those that carry their colliders.
    """
    state, result = [], []
    for frame, pose in enumerate(poses):
        pose = pose.copy()
        place = np.eye(4) if worlds is None else matrix(worlds[frame])
        rotations = []

        for k, spring in enumerate(springs):
            world = world_matrices(parents, pose, place)
            parent = parents[spring.joint]
            rested = pose[spring.joint].copy()
            rested[3:7] = rest[spring.joint, 3:7]
            parent_world = place if parent < 0 else world[parent]
            initial = parent_world @ matrix(rested)
            center = np.eye(4) if spring.center < 0 else world[spring.center]
            head, rests = initial[:3, 3], at(initial, spring.tail)
            if frame == 0:
                state.append([at(np.linalg.inv(center), rests)] * 2)
                pose[spring.joint, 3:7] = rest[spring.joint, 3:7]
                rotations.append(rest[spring.joint, 3:7])
                continue
            length = np.linalg.norm(rests - head)
            current, previous = state[k]
            inertia = (current - previous) * (1 - spring.drag)
            following = at(center, current + inertia)
            following = following + STEP * spring.stiffness * unit(rests - head) + STEP * spring.gravity
            following = head + unit(following - head) * length
            for collider in spring.colliders:
                distance, direction = collision(collider, world, following, spring.radius)
                if distance < 0:
                    following = following - direction * distance
                    following = head + unit(following - head) * length
            state[k] = [at(np.linalg.inv(center), following), current]
            to = unit(at(np.linalg.inv(initial), following))
            turned = Rotation.from_quat(rest[spring.joint, 3:7]) * from_to(unit(spring.tail), to)
            pose[spring.joint, 3:7] = turned.as_quat()
            rotations.append(turned.as_quat())
        result.append(rotations)
    return np.array(result)
