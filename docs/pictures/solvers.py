# SPDX-License-Identifier: MIT
"""Pictures of inverse kinematics: where a limb reaches, and how fast solvers converge."""

from collections.abc import Callable
from typing import Any

import charts
import numpy as np
from numpy.typing import NDArray

import lissom
from lissom import ik, quat
from lissom._view.labels import Sheet
from lissom.gpu import Camera, SkinnedModel, Stage

FAR = 0.5  # residual of the last colour, of the arm's length
REACHED = 1e-3  # of the arm's length
SEEN = 1.3  # how far around the shoulder targets lie, of the arm's length
SWEEPS = 30
CHAINS = 4000
SOLVERS: dict[str, Callable[..., ik.IkResult]] = {
    "FABRIK": ik.fabrik,
    "cyclic coordinate descent": ik.ccd,
    "damped least squares": ik.damped_least_squares,
}


def reach(width: int, height: int) -> NDArray[np.uint8]:
    """Where the right hand of the humanoid comes in the plane of its arm, free and with limits."""
    hero = lissom.samples.humanoid()
    limits = {
        "UpperArm.R": ik.BallSocket(np.radians(75.0)),
        "LowerArm.R": ik.Hinge.from_rest(0.0, 2.4),
    }
    panels = []
    for title, chain in (
        ("free joints", ik.Chain(hero.skeleton, "UpperArm.R", "Hand.R")),
        ("with limits", ik.Chain(hero.skeleton, "UpperArm.R", "Hand.R", limits=limits)),
    ):
        panels.append(_reach_panel(hero, chain, title, width // 2, height))
    return np.concatenate(panels, axis=1)


def _reach_panel(
    hero: lissom.Character, chain: ik.Chain, title: str, width: int, height: int
) -> NDArray[np.uint8]:
    """One residual per pixel, over the character from its right side."""
    rest = hero.skeleton.rest
    shoulder = np.asarray(hero.skeleton.positions(rest)[chain.joints[0]], np.float64)
    lens = 6.0  # degrees: nearly parallel
    distance = SEEN * chain.length / np.tan(np.radians(lens / 2))
    camera = Camera(tuple(shoulder.tolist()), distance, azimuth=-90.0, elevation=0.0, field_of_view=lens)
    # The targets of the pixels: in the plane through the shoulder that faces the camera.
    right, up, _ = camera.axes
    x = (np.arange(width) + 0.5 - width / 2) * 2 / height * SEEN * chain.length
    y = (height / 2 - np.arange(height) - 0.5) * 2 / height * SEEN * chain.length
    targets = shoulder + x[None, :, None] * right + y[:, None, None] * up
    done = ik.damped_least_squares(chain, rest, targets.astype(rest.dtype), max_iterations=200)
    residual = np.asarray(done.residual, np.float64) / chain.length
    with Stage(width, height) as stage, SkinnedModel(hero, stage=stage) as model:
        body = stage.render(model, camera=camera, ground=False).array
    sheet = Sheet(charts.outlined(charts.heat_over(body, residual / FAR), residual < REACHED))
    sheet.text((sheet.unit, sheet.unit), title)
    left, bar = sheet.unit, 0.36 * width
    sheet.color_bar((left, height - 2.6 * sheet.unit, bar, 0.5 * sheet.unit), ("reached", f"{FAR:.0%} away"))
    return sheet.pixels()


def convergence(width: int, height: int) -> NDArray[np.uint8]:
    """What is left of the distance after each sweep: the median of many chains, and the worst tenth."""
    panels = []
    for title, limited in (("6 joints, free", False), ("6 joints with limits", True)):
        chain, poses, targets = _problems(limited)
        curves: dict[str, list[NDArray[np.float64]]] = {}
        for name, solver in SOLVERS.items():
            left = np.empty((SWEEPS + 1, CHAINS))
            for sweeps in range(SWEEPS + 1):
                done = solver(chain, poses, targets, tolerance=1e-6, max_iterations=sweeps)
                left[sweeps] = _distance(chain, done.pose, targets)
            left /= chain.length
            curves[name] = [np.median(left, axis=1), np.quantile(left, 0.9, axis=1)]
        chart = charts.Curves(
            (width // 2, height),
            title,
            "iterations",
            "distance left / length; fine: a tenth is worse",
            SWEEPS,
            (-6, 0),
        )
        chart.add(curves)
        panels.append(chart.pixels())
    return np.concatenate(panels, axis=1)


def _problems(limited: bool) -> tuple[ik.Chain, NDArray[Any], NDArray[Any]]:
    """A chain of six joints along y, bent a little, and targets that some pose of it reaches."""
    rng = np.random.default_rng(11)
    joints = 6
    rest = lissom.trs.identity(joints)
    rest[1:, 1] = 1.0
    rest[:, 3:7] = quat.from_axis_angle([1, 0, 0], 0.2)
    skeleton = lissom.Skeleton([f"joint {i}" for i in range(joints)], np.arange(-1, joints - 1), rest)
    limits = {}
    if limited:
        limits = {0: ik.BallSocket(1.2, twist=(-0.8, 0.8))} | {
            i: ik.Hinge((1, 0, 0), -0.2, 1.8) if i % 2 else ik.BallSocket(0.6) for i in range(1, joints - 1)
        }
    chain = ik.Chain(skeleton, 0, joints - 1, limits=limits)
    poses = np.tile(rest, (CHAINS, 1, 1))
    wanted = poses.copy()
    if limited:
        angles = rng.uniform(-0.1, 1.7, (CHAINS, joints))
        hinged = quat.from_axis_angle([1, 0, 0], angles)
        tilt = rng.normal(size=(CHAINS, joints, 3)) * [1, 0, 1]
        tilt *= (rng.uniform(0, 0.55, (CHAINS, joints)) / np.linalg.norm(tilt, axis=-1))[..., None]
        moves = quat.from_rotation_vector(tilt)
        moves[:, 1::2] = hinged[:, 1::2]
        wanted[..., 3:7] = quat.multiply(rest[:, 3:7], moves)
    else:
        turns = quat.from_rotation_vector(rng.normal(0, 0.8, (CHAINS, joints, 3)))
        wanted[..., 3:7] = quat.multiply(rest[:, 3:7], turns)
    targets = skeleton.positions(wanted)[:, -1]
    return chain, poses, targets.astype(poses.dtype)


def _distance(chain: ik.Chain, poses: NDArray[Any], targets: NDArray[Any]) -> NDArray[np.float64]:
    """Judge by forward kinematics, not by what the solver says of itself."""
    ends = chain.skeleton.positions(poses)[:, chain.joints[-1]]
    return np.linalg.norm(np.asarray(ends, np.float64) - targets, axis=-1)
