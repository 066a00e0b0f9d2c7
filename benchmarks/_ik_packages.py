# SPDX-License-Identifier: MIT
"""Solvers of packages on the same chains. Each gives a call that solves all of them, and effectors (N, 3).

The packages for robots and SciPy start from the rest pose. Where one has hinges only, every joint is a hinge,
by turns about x and z, a third of the unknowns of a ball joint: easier for the rival. Joint angles are turned
into effectors by our own forward kinematics, once found to agree with the package's.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from _ik_chains import SUCCESS, Problems
from _node import NodeRival

Solver = Callable[[], list[Any]]  # answers of all chains
AXES = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])


def with_three(problems: Problems) -> NodeRival:
    """three.js in node; its calls solve one chain after the other. The answer: effectors by the call."""
    task = {
        "joints": problems.poses.shape[1],
        "offsets": problems.offsets.tolist(),
        "rotations": problems.poses[:, :, 3:7].reshape(len(problems.poses), -1).tolist(),
        "targets": problems.targets.tolist(),
        "near": SUCCESS * problems.reach,
    }
    return NodeRival("_ik_three.mjs", task)


def _hinged(problems: Problems, angles: Any) -> Any:
    """Positions of all joints, with every joint but the effector turned from rest about its hinge."""
    from lissom import quat

    count = problems.poses.shape[1] - 1
    poses = np.tile(problems.skeleton.rest, (*np.shape(angles)[:-1], 1, 1)).reshape(-1, count + 1, 10)
    turns = quat.from_axis_angle(AXES[np.arange(count) % 2], np.reshape(angles, (-1, count)))
    poses[:, :count, 3:7] = quat.multiply(poses[:, :count, 3:7], turns)
    return problems.positions(poses)


def _all(problems: Problems, solve: Callable[[Any], Any]) -> Solver:
    targets = problems.targets.astype(np.float64)
    return lambda: [solve(target) for target in targets]


def with_scipy(problems: Problems) -> tuple[Solver, Any]:
    """Damped least squares of hinge angles, with the exact Jacobian: axis x (effector - joint)."""
    from scipy.optimize import least_squares
    from scipy.spatial.transform import Rotation

    count = len(problems.offsets)
    rest = Rotation.from_quat(problems.skeleton.rest[:count, 3:7]).as_matrix()
    lift = np.array([_skew(axis) for axis in AXES])

    def chain(angles: Any) -> tuple[Any, Any, Any]:
        turn, place, places, axes = np.eye(3), np.zeros(3), [], []
        for j in range(count):
            k = lift[j % 2]
            sine, cosine = np.sin(angles[j]), np.cos(angles[j])
            before = turn @ rest[j]
            places.append(place)
            axes.append(before @ AXES[j % 2])
            turn = before @ (np.eye(3) + sine * k + (1 - cosine) * (k @ k))
            place = place + turn @ problems.offsets[j]
        return place, np.array(places), np.array(axes)

    def jacobian(angles: Any) -> Any:
        place, places, axes = chain(angles)
        return np.cross(axes, place - places).T

    near = SUCCESS * problems.reach

    def solve(target: Any) -> Any:
        # cost is half the squared miss; gtol and xtol off, so that it stops where it is near enough.
        return least_squares(
            lambda angles: chain(angles)[0] - target, np.zeros(count), jacobian, xtol=near * 1e-2, ftol=1e-3
        ).x

    call = _all(problems, solve)
    return call, _hinged(problems, call())[:, -1]


def _skew(v: Any) -> Any:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def with_ikpy(problems: Problems) -> tuple[Solver, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from ikpy.chain import Chain
        from ikpy.link import OriginLink, URDFLink
    from scipy.spatial.transform import Rotation

    count = len(problems.offsets)
    rpy = Rotation.from_quat(problems.skeleton.rest[:, 3:7]).as_euler("xyz")
    places = np.vstack([np.zeros(3), problems.offsets])
    links: list[Any] = [OriginLink()]
    for j in range(count):
        links.append(URDFLink(f"link {j}", places[j], rpy[j], AXES[j % 2]))
    links.append(URDFLink("effector", places[count], np.zeros(3), joint_type="fixed"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        chain = Chain(links, active_links_mask=[False, *[True] * count, False])
    start = np.zeros(len(links))
    trial = np.linspace(-1, 1, count)
    theirs = chain.forward_kinematics(np.concatenate([[0], trial, [0]]))[:3, 3]
    assert np.abs(theirs - _hinged(problems, trial)[0, -1]).max() < 1e-6 * problems.reach
    call = _all(problems, lambda target: chain.inverse_kinematics(target, initial_position=start))
    return call, _hinged(problems, np.array(call())[:, 1:-1])[:, -1]


def with_mink(problems: Problems, steps: int = 100, ball: bool = True) -> tuple[Solver, Any]:
    """mink's differential kinematics with daqp: steps until the effector is near enough."""
    import mink
    import mujoco

    count = len(problems.offsets)
    xml = f'<site name="effector" pos="{_numbers(problems.offsets[-1])}"/>'
    for j in reversed(range(count)):
        place = problems.offsets[j - 1] if j else np.zeros(3)
        turn = np.roll(problems.skeleton.rest[j, 3:7], 1)  # w first
        kind = 'type="ball"' if ball else f'type="hinge" axis="{_numbers(AXES[j % 2])}"'
        xml = f"""<body pos="{_numbers(place)}" quat="{_numbers(turn)}"><joint {kind}/>
            <inertial pos="0 0 0" mass="1" diaginertia="1 1 1"/>{xml}</body>"""
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{xml}</worldbody></mujoco>")
    configuration = mink.Configuration(model)
    start = configuration.q.copy()
    task = mink.FrameTask("effector", "site", position_cost=1.0, orientation_cost=0.0, lm_damping=1e-3)
    site = model.site("effector").id
    near = SUCCESS * problems.reach

    def solve(target: Any) -> Any:
        configuration.update(start)
        task.set_target(mink.SE3.from_translation(target))
        for _ in range(steps):
            if np.linalg.norm(configuration.data.site_xpos[site] - target) <= near:
                break
            velocity = mink.solve_ik(configuration, [task], 1.0, solver="daqp", damping=1e-6, limits=[])
            configuration.integrate_inplace(velocity, 1.0)
        return configuration.data.site_xpos[site].copy()

    call = _all(problems, solve)
    return call, np.array(call())


def _numbers(values: Any) -> str:
    return " ".join(repr(float(v)) for v in values)
