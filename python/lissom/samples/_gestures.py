# SPDX-License-Identifier: MIT
"""Clips that stay on the spot: idle, wave and an additive lean."""

from __future__ import annotations

import numpy as np

from lissom.samples._motion import KEY_RATE, Figure, X, Y, Z, about, ease, times
from lissom.samples._proportions import Proportions
from lissom.samples._shell import Floats
from lissom.samples._skeleton import JOINT

Keys = tuple[Floats, Floats, bool]


def idle(build: Proportions) -> Keys:
    """Four seconds of standing: a breath, and the weight from one leg to the other. A loop."""
    moments = np.arange(round(4.0 * KEY_RATE) + 1)
    phase = moments % moments[-1] / moments[-1]
    return moments / KEY_RATE, _standing(build, phase).poses, True


def wave(build: Proportions) -> Keys:
    """Three seconds: the right hand is raised, waves three times and comes down again.

    Not marked as a loop, though it ends in the pose it starts from, that of idle.
    """
    moments = np.arange(round(3.0 * KEY_RATE) + 1)
    u = moments / moments[-1]
    figure = _standing(build, np.zeros_like(u))
    raised = ease(u / 0.24) * ease((1.0 - u) / 0.24)
    # Sine under a hump: three waves that swell and fade.
    waving = np.sin(2.0 * np.pi * 3.0 * (u - 0.22) / 0.56) * ease((u - 0.20) / 0.10) * ease((0.80 - u) / 0.10)

    # The arm leaves the pose in which it hangs and rises to a little above horizontal, palm to the front.
    hanging = 1.0 - raised
    clavicle = times(
        about(Y, -0.12 * _SWING * hanging),
        about(Z, -0.12 * _LOWER * hanging + np.radians(19.0) * raised),
    )
    upper_arm = times(
        about(X, -_SWING * hanging),
        about(Y, np.radians(-22.0) * raised),
        about(Z, -0.88 * _LOWER * hanging + np.radians(45.0) * raised),
        about(figure.arm.axes[0], np.radians(-72.0) * raised),
    )
    figure.set_side("Clavicle", "R", clavicle)
    figure.set_side("UpperArm", "R", upper_arm)
    elbow = _ELBOW * (1.0 - raised) + np.radians(88.0) * raised
    figure.set_side(
        "LowerArm",
        "R",
        times(about(figure.arm.axes[2], np.radians(17.0) * waving), about(figure.arm.axes[1], elbow)),
    )
    figure.set_side("Hand", "R", about(figure.arm.hand_axes[1], np.radians(14.0) * waving))
    figure.relax_hand("R", 0.42 - 0.36 * raised)

    figure.set("Chest", times(figure.get("Chest"), about(Z, np.radians(3.0) * raised)))
    figure.set(
        "Head",
        times(
            figure.get("Head"),
            about(Y, np.radians(-10.0) * raised),
            about(Z, np.radians(-5.0) * raised),
        ),
    )
    return moments / KEY_RATE, figure.poses, False


def lean(build: Proportions) -> Keys:
    """Two seconds of leaning to the left and to the right over the rest pose, meant as an additive. A loop.

    Its first pose is the pose at rest, which is also its reference: only the spine, neck and head differ.
    """
    moments = np.arange(round(2.0 * KEY_RATE) + 1)
    phase = moments % moments[-1] / moments[-1]
    figure = Figure(build, len(moments))
    side = -np.sin(2.0 * np.pi * phase)  # to the left first, which is a negative rotation about z
    for name, degrees in (
        ("Spine", 6.0),
        ("Chest", 7.0),
        ("UpperChest", 7.0),
        ("Neck", -5.0),
        ("Head", -5.0),
    ):
        figure.set(name, about(Z, np.radians(degrees) * side))
    return moments / KEY_RATE, figure.poses, True


_LOWER = np.radians(34.0)  # from the A-pose to arms that hang
_ELBOW = np.radians(14.0)
_SWING = np.radians(2.0)


def _standing(build: Proportions, phase: Floats) -> Figure:
    """Stand at phases (N,) of the idle loop, both feet as at rest, pointing outwards a little."""
    figure = Figure(build, len(phase))
    scale = build.landmarks[-1] / 1.75
    angle = 2.0 * np.pi * phase
    shift = np.sin(angle)  # weight to the left, then to the right
    breath = 0.5 - 0.5 * np.cos(angle)

    zero = np.zeros_like(phase)
    drop = -0.005 - 0.001 * breath  # knees unlocked
    figure.move_root(scale * np.stack([0.016 * shift, drop, zero], axis=-1))
    tilt = np.radians(1.6) * shift
    figure.set("Pelvis", times(about(Y, np.radians(1.5) * shift), about(Z, tilt)))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        ankle = np.tile(figure.joints[JOINT[f"Foot.{side}"]], (len(phase), 1))
        figure.place_leg(side, ankle, np.tile(about(Y, sign * np.radians(8.0)), (len(phase), 1)))
        figure.set_arm(side, lower=_LOWER - np.radians(1.2) * breath, swing=_SWING, elbow=_ELBOW)
        figure.relax_hand(side, 0.42 + 0.03 * breath)

    figure.set("Spine", times(about(Z, -0.7 * tilt), about(X, np.radians(-1.0) * breath)))
    figure.set("Chest", times(about(Z, -0.6 * tilt), about(X, np.radians(-1.2) * breath)))
    figure.set("UpperChest", about(X, np.radians(-1.2) * breath))
    figure.set(
        "Neck",
        times(about(Y, np.radians(2.5) * np.sin(angle + 0.8)), about(X, np.radians(1.7) * breath)),
    )
    figure.set(
        "Head",
        times(about(Y, np.radians(3.5) * np.sin(angle + 0.8)), about(X, np.radians(1.4) * breath)),
    )
    return figure


__all__ = ["idle", "lean", "wave"]
