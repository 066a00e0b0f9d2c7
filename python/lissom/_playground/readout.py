# SPDX-License-Identifier: MIT
"""What a solve came to, in words: how far from each target, after what work, what joints are at a limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom._base.names import counted
from lissom._pictures.compare_text import percent
from lissom.ik._chain import Chain
from lissom.ik._excess import excess, swing_and_twist, turns_of
from lissom.ik._limb import Limb, limbs_of
from lissom.ik._limits import BallSocket, Hinge, Limit
from lissom.ik._result import IkResult

AT = 2e-4  # radians: nearer to a bound is at it; solvers say so within 1e-4 of their own precision
OUTSIDE = 1e-3  # radians outside of a limit that are worth a word


class Row(NamedTuple):
    """One line of a readout: whom it is about, what is said, and whether something is in the way."""

    name: str
    text: str
    alert: bool


def readout(chains: Sequence[Chain], solver: str, result: IkResult, seconds: float) -> list[Row]:
    """Give the lines for a result of one pose: a line per chain, one of the solver, one per joint at a limit.

    Parameters
    ----------
    chains : sequence of Chain
        As they were solved.
    solver : str
    result : IkResult
    seconds : float
        How long the solve took.
    """
    names = chains[0].skeleton.names
    residuals, reached = np.atleast_1d(result.residual), np.atleast_1d(result.reached)
    rows = []
    for chain, residual, is_reached in zip(chains, residuals.tolist(), reached.tolist(), strict=True):
        share = f" ({percent(residual / chain.length)} of the chain's length)" if chain.length else ""
        met = "reached" if is_reached else "not reached"
        text = f"{met}, residual {residual:.3g}{share}"
        rows.append(Row(names[chain.joints[-1]], text, not is_reached))
    work = f"{counted(int(result.iterations), 'iteration')}, {1000 * seconds:.2f} ms"
    rows.append(Row(solver, work, False))
    for chain in chains:
        moving = [joint for joint in chain.joints.tolist() if joint not in chain.fixed]
        limits = dict(zip(chain.joints.tolist(), chain.limits, strict=True))
        for limb in limbs_of(chain.skeleton, moving) if result.limited[chain.joints].any() else ():
            limit = limits[limb.joint]
            row = limit and result.limited[limb.joint] and _row(limb, limit, result.pose)
            if row and row not in rows:
                rows.append(row)
    return rows


def _row(limb: Limb, limit: Limit, pose: NDArray[np.floating]) -> Row:
    text = "at its limit: " + "; ".join(_bounds_met(limb, limit, pose))
    child = limb.below if limb.below >= 0 else None
    over = float(excess(limit, limb.skeleton, limb.joint, pose, child=child))
    if over > OUTSIDE:
        text += f"; {np.degrees(over):.1f}° outside"
    return Row(limb.name, text, True)


def _bounds_met(limb: Limb, limit: Limit, pose: NDArray[np.floating]) -> list[str]:
    """Say how far the joint is turned, for each bound of its limit that it is at."""
    turn = turns_of("ik.Playground", limb, pose)
    if isinstance(limit, Hinge):
        angle = float(swing_and_twist(turn, np.array(limit.axis))[1])
        return [f"turned {_degrees(angle)} of {_degrees(limit.low)} to {_degrees(limit.high)}"]
    if isinstance(limit, BallSocket):
        swing, twist = swing_and_twist(turn, limb.direction("ik.Playground"))
        share = float(np.linalg.norm(swing)) - limit.half_angle
        swung = f"swung {_degrees(float(np.linalg.norm(swing)))} of {_degrees(limit.half_angle)}"
    else:
        axis, across = np.array(limit.axis), np.array(limit.across)
        swing, twist = swing_and_twist(turn, axis)
        both = np.array([swing @ across, swing @ np.cross(axis, across)])
        half = np.maximum(limit.half_angles, 1e-9)
        share = (float(np.linalg.norm(both / half)) - 1) * float(min(half))
        swung = "swung {} and {} in the ellipse of {} and {}".format(*map(_degrees, (*both, *half)))
    said = [swung] if share > -AT else []
    if limit.twist is not None:
        low, high = limit.twist
        if min(twist - low, high - twist) < AT:
            said.append(f"twisted {_degrees(float(twist))} of {_degrees(low)} to {_degrees(high)}")
    return said or [swung]


def _degrees(angle: float) -> str:
    return f"{np.degrees(angle) + 0.0:.1f}°"
