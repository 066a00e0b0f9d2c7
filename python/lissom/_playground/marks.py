# SPDX-License-Identifier: MIT
"""The marks of a playground: handles to drag, the chains, and the distances to targets and poles."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from lissom._playground.gizmo import NEEDLE
from lissom._playground.handle import Handle
from lissom._playground.overlay import Overlay, colored
from lissom.ik._chain import Chain

# sRGB, one for each chain, repeated; distinguishable by colour-blind eyes: Okabe and Ito, "Color Universal
# Design", 2008.
TARGETS = ((0.84, 0.15, 0.16), (0.00, 0.45, 0.70), (0.00, 0.62, 0.45), (0.80, 0.47, 0.65))
POLE = (0.90, 0.62, 0.00)
RADIUS = 0.045  # of the chain's length
POLE_SHARE = 0.75  # of the target's radius


def handles_of(
    chains: Sequence[Chain], targets: NDArray[np.floating], poles: NDArray[np.floating] | None
) -> list[Handle]:
    """Return a handle for each target and for each pole that is not NaN."""
    result = []
    for index, (chain, target) in enumerate(zip(chains, targets.tolist(), strict=True)):
        result.append(
            Handle(f"target:{index}", tuple(target), RADIUS * chain.length, TARGETS[index % len(TARGETS)])
        )
    for index, (chain, pole) in enumerate(zip(chains, [] if poles is None else poles.tolist(), strict=False)):
        if not np.isnan(pole[0]):
            result.append(Handle(f"pole:{index}", tuple(pole), POLE_SHARE * RADIUS * chain.length, POLE))
    return result


def marks_of(
    chains: Sequence[Chain],
    model_matrices: NDArray[np.floating],
    targets: NDArray[np.floating],
    poles: NDArray[np.floating] | None,
) -> Overlay:
    """Return lines along the chains, from effectors to targets and from middle joints to poles."""
    positions = np.asarray(model_matrices, np.float64)[:, :3, 3]
    lines, colors = [], []
    for index, chain in enumerate(chains):
        joints = positions[chain.joints]
        lines.append(np.stack([joints[:-1], joints[1:]], axis=1))
        colors += [(*NEEDLE, 0.55)] * (len(joints) - 1)
        lines.append(np.stack([joints[-1], targets[index]])[None])
        colors.append((*TARGETS[index % len(TARGETS)], 0.9))
        if poles is not None and not np.isnan(poles[index, 0]):
            moving = [joint for joint in chain.joints.tolist() if joint not in chain.fixed]
            lines.append(np.stack([positions[moving[1]], poles[index]])[None])
            colors.append((*POLE, 0.7))
    return Overlay(colored(np.concatenate(lines), np.array(colors)), np.zeros((0, 3, 7), np.float32))
