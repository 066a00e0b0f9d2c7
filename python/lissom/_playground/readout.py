# SPDX-License-Identifier: MIT
"""The result of a solve in words: residuals, iterations, time, joints at a limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom._base.names import counted
from lissom._pictures.compare_text import percent
from lissom.ik._chain import Chain
from lissom.ik._excess import excess
from lissom.ik._joint_rotations import relative_rotations, swing_and_twist
from lissom.ik._limb import Limb, limbs_of
from lissom.ik._limits import BallSocket, Hinge, Limit
from lissom.ik._result import IkResult

AT = 2e-4  # radians: nearer to a bound is at it; solvers' `limited` is within 1e-4, in their own precision
OUTSIDE = 1e-3  # radians: joints farther outside of a limit are reported as outside


class Row(NamedTuple):
    """One line of a readout: an effector, solver or joint, its text, and whether it marks a problem."""

    name: str
    text: str
    alert: bool


def readout(
    chains: Sequence[Chain], solver: str, result: IkResult, seconds: float, oriented: Sequence[bool]
) -> list[Row]:
    """Return the lines for a result of one pose: one per chain, one of the solver, one per joint at a limit.

    Parameters
    ----------
    chains : sequence of Chain
        In the order of the solve.
    solver : str
    result : IkResult
    seconds : float
        Time that the solve took.
    oriented : sequence of bool
        Whether an orientation was requested, for each chain.
    """
    names = chains[0].skeleton.names
    residuals, reached = np.atleast_1d(result.residual), np.atleast_1d(result.reached)
    angles = np.zeros(len(chains)) if result.angle is None else np.atleast_1d(result.angle)
    rows = []
    for chain, residual, is_reached, angle, turns in zip(
        chains, residuals.tolist(), reached.tolist(), angles.tolist(), oriented, strict=True
    ):
        share = f" ({percent(residual / chain.length)} of the chain's length)" if chain.length else ""
        outcome = "reached" if is_reached else "not reached"
        text = f"{outcome}, residual {residual:.3g}{share}"
        if turns:
            text += f", {_degrees(angle)} off the orientation"
        rows.append(Row(names[chain.joints[-1]], text, not is_reached))
    cost = f"{counted(int(result.iterations), 'iteration')}, {1000 * seconds:.2f} ms"
    rows.append(Row(solver, cost, False))
    for chain in chains:
        moving = [joint for joint in chain.joints.tolist() if joint not in chain.fixed]
        limits = dict(zip(chain.joints.tolist(), chain.limits, strict=True))
        limited = result.limited[chain.joints].any()
        for limb in limbs_of("ik.Playground", chain.skeleton, moving) if limited else ():
            limit = limits[limb.joint]
            row = limit and result.limited[limb.joint] and _row(limb, limit, result.pose)
            if row and row not in rows:
                rows.append(row)
    return rows


def _row(limb: Limb, limit: Limit, pose: NDArray[np.floating]) -> Row:
    text = "at its limit: " + "; ".join(_bounds_met(limb, limit, pose))
    child = limb.next_joint if limb.next_joint >= 0 else None
    over = float(excess(limit, limb.skeleton, limb.joint, pose, child=child))
    if over > OUTSIDE:
        text += f"; {np.degrees(over):.1f}° outside"
    return Row(limb.name, text, True)


def _bounds_met(limb: Limb, limit: Limit, pose: NDArray[np.floating]) -> list[str]:
    """Return the joint's rotation in words, for each bound of its limit that it is at."""
    relative = relative_rotations("ik.Playground", limb, pose)
    if isinstance(limit, Hinge):
        angle = float(swing_and_twist(relative, np.array(limit.axis))[1])
        return [f"rotated {_degrees(angle)} of {_degrees(limit.low)} to {_degrees(limit.high)}"]
    if isinstance(limit, BallSocket):
        swing, twist = swing_and_twist(relative, limb.direction("ik.Playground"))
        beyond = float(np.linalg.norm(swing)) - limit.half_angle
        swung = f"swung {_degrees(float(np.linalg.norm(swing)))} of {_degrees(limit.half_angle)}"
    else:
        axis, across = np.array(limit.axis), np.array(limit.across)
        swing, twist = swing_and_twist(relative, axis)
        both = np.array([swing @ across, swing @ np.cross(axis, across)])
        half = np.maximum(limit.half_angles, 1e-9)
        beyond = (float(np.linalg.norm(both / half)) - 1) * float(min(half))
        swung = "swung {} and {} in the ellipse of {} and {}".format(*map(_degrees, (*both, *half)))
    phrases = [swung] if beyond > -AT else []
    if limit.twist is not None:
        low, high = limit.twist
        if min(twist - low, high - twist) < AT:
            phrases.append(f"twisted {_degrees(float(twist))} of {_degrees(low)} to {_degrees(high)}")
    return phrases or [swung]


def _degrees(angle: float) -> str:
    return f"{np.degrees(angle) + 0.0:.1f}°"
