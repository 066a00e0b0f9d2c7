# SPDX-License-Identifier: MIT
"""Inverse kinematics in plain float64 NumPy, written from the papers: one chain at a time, clear, slow.

Solvers here know a chain as its `bones` (N - 1, 3), the offset of each joint's child in the joint's own
axes, and its `rotations` (N - 1, 4), each relative to the joint above; the root stands at the origin of the
space of the targets. Whatever skeletons add (ancestors, scales, siblings) is judged by `model_matrices`.
"""

import numpy as np

from reference import ik_limits, quat, trs


def model_matrices(parents, poses):
    """The matrices model_from_joint (..., J, 4, 4) of poses (..., J, 10): products of 4 x 4, no shortcut."""
    local = trs.to_matrix(poses)
    model = np.empty_like(local)
    for joint, parent in enumerate(parents):
        at = local[..., joint, :, :]
        model[..., joint, :, :] = at if parent < 0 else model[..., parent, :, :] @ at
    return model


def positions(parents, poses):
    """Where the joints stand in model space, (..., J, 3)."""
    return model_matrices(parents, poses)[..., :3, 3]


def turned(rest, rotations):
    """The turn d of ``q = rest * d`` that limits bound."""
    return quat.multiply(quat.conjugate(rest), rotations)


def chain_positions(bones, rotations):
    """Where the N joints of a chain stand, (N, 3), and how they are turned, (N - 1, 4)."""
    points, turn, turns = [np.zeros(3)], np.array([0, 0, 0, 1.0]), []
    for bone, rotation in zip(bones, rotations, strict=True):
        turn = quat.normalize(quat.multiply(turn, rotation))
        turns.append(turn)
        points.append(points[-1] + quat.rotate(turn, bone))
    return np.array(points), np.array(turns)


def shortest_arc(a, b):
    """The least turn that takes direction a to b; where they are opposite, about any axis across."""
    a, b = ik_limits.unit(a), ik_limits.unit(b)
    if a @ b < -1 + 1e-14:
        return np.append(ik_limits.unit(np.cross(a, np.eye(3)[np.argmin(np.abs(a))])), 0.0)
    return quat.normalize(np.append(np.cross(a, b), 1 + a @ b))


def reach(lengths):
    """The least and the greatest distance that bones of these lengths can span."""
    lengths = np.asarray(lengths, np.float64)
    return max(0.0, 2 * lengths.max() - lengths.sum()), lengths.sum()


def two_bone(bones, rotations, target, pole=None, bend=(0, 0, 1)):
    """Both bones by the cosine rule; the middle joint turns in the plane it bends in.

    Source: D. Holden, "Simple Two Joint IK" (theorangeduck.com, 2017): change the two inner angles to what
    the sides of the triangle ask for, then swing the whole onto the target. Then it is turned about the line
    to the target until the middle joint lies on the side of `pole` (3,), a point. A limb that is straight
    bends about `bend`, in the axes of the middle joint.
    """
    rotations = np.array(rotations, np.float64)
    (a, b, c), turns = chain_positions(bones, rotations)
    upper, lower = np.linalg.norm(bones, axis=1)
    distance = np.clip(np.linalg.norm(target), abs(upper - lower), upper + lower)

    def inner(opposite, one, other):
        return np.arccos(np.clip((one**2 + other**2 - opposite**2) / (2 * one * other), -1, 1))

    axis = np.cross(b - a, c - b)
    if np.linalg.norm(axis) < 1e-9 * upper * lower:
        axis = quat.rotate(turns[1], bend)
    # The inner angle at the middle is what a bend leaves of half a turn.
    bent = np.arccos(np.clip(ik_limits.unit(b - a) @ ik_limits.unit(c - b), -1, 1))
    wanted = np.pi - inner(distance, upper, lower)
    in_joint = quat.rotate(quat.conjugate(turns[1]), axis)
    rotations[1] = quat.multiply(rotations[1], quat.from_axis_angle(in_joint, wanted - bent))
    tip = chain_positions(bones, rotations)[0][2]
    if np.linalg.norm(tip) > 0 and np.linalg.norm(target) > 0:
        rotations[0] = quat.multiply(shortest_arc(tip, target), rotations[0])
    if pole is not None:
        points, _ = chain_positions(bones, rotations)
        line = ik_limits.unit(target)
        here, there = (v - (v @ line) * line for v in (points[1], np.asarray(pole, np.float64)))
        if min(np.linalg.norm(here), np.linalg.norm(there)) > 1e-12:
            angle = np.arctan2(np.cross(here, there) @ line, here @ there)
            rotations[0] = quat.multiply(quat.from_axis_angle(line, angle), rotations[0])
    return quat.normalize(rotations)


def ccd(bones, rotations, target, tolerance, max_iterations, limit=None):
    """Cyclic coordinate descent: sweeps from tip to root, each joint turns the tip at the target.

    Source: Wang and Chen, "A combined optimization method for solving the inverse kinematics problem of
    mechanical manipulators", IEEE Transactions on Robotics and Automation 7(4), 1991.
    `limit(joint, rotation)` gives the allowed rotation closest to one. Gives the rotations and the number of
    sweeps.
    """
    rotations = np.array(rotations, np.float64)
    best, least = rotations.copy(), np.inf
    for sweep in range(max_iterations + 1):
        points, _ = chain_positions(bones, rotations)
        error = np.linalg.norm(points[-1] - target)
        if error < least:
            best, least = rotations.copy(), error
        if error <= tolerance or sweep == max_iterations:
            return best, sweep
        for joint in reversed(range(len(bones))):
            points, turns = chain_positions(bones, rotations)
            to_tip, to_target = points[-1] - points[joint], target - points[joint]
            if min(np.linalg.norm(to_tip), np.linalg.norm(to_target)) < 1e-12:
                continue
            turn = quat.multiply(shortest_arc(to_tip, to_target), turns[joint])
            above = turns[joint - 1] if joint else np.array([0, 0, 0, 1.0])
            rotations[joint] = quat.normalize(quat.multiply(quat.conjugate(above), turn))
            if limit:
                rotations[joint] = limit(joint, rotations[joint])
    raise AssertionError


def fabrik(points, target, tolerance, max_iterations):
    """Forward and backward reaching over positions (N, 3): points on lines, no angles.

    Source: Aristidou and Lasenby, "FABRIK: A fast, iterative solver for the Inverse Kinematics problem",
    Graphical Models 73(5), 2011, algorithm 1. Gives the points and the number of iterations. As in the paper,
    nothing helps a chain that is straight with the target in line.
    """
    p = np.array(points, np.float64)
    d = np.linalg.norm(np.diff(p, axis=0), axis=1)
    root = p[0].copy()
    if np.linalg.norm(target - root) > d.sum():  # 1.3: unreachable
        for i in range(len(d)):
            share = d[i] / np.linalg.norm(target - p[i])
            p[i + 1] = (1 - share) * p[i] + share * target
        return p, 0
    for iteration in range(max_iterations):
        if np.linalg.norm(p[-1] - target) <= tolerance:
            return p, iteration
        p[-1] = target  # stage 1: forward reaching
        for i in reversed(range(len(d))):
            p[i] = p[i + 1] + d[i] * ik_limits.unit(p[i] - p[i + 1])
        p[0] = root  # stage 2: backward reaching
        for i in range(len(d)):
            p[i + 1] = p[i] + d[i] * ik_limits.unit(p[i + 1] - p[i])
    return p, max_iterations


def follow(bones, rotations, points):
    """Turn each joint from root to tip by the least turn that brings its child to where `points` has it."""
    rotations = np.array(rotations, np.float64)
    for joint in range(len(bones)):
        here, turns = chain_positions(bones, rotations)
        arc = shortest_arc(here[joint + 1] - here[joint], points[joint + 1] - here[joint])
        above = turns[joint - 1] if joint else np.array([0, 0, 0, 1.0])
        rotations[joint] = quat.multiply(quat.conjugate(above), quat.multiply(arc, turns[joint]))
    return quat.normalize(rotations)
