# SPDX-License-Identifier: MIT
"""The small parts of the face: eyes with their lids, brows, lips; each a closed surface made of rings.

Coordinates are those of the head, see `lissom.samples._head`.
"""

from __future__ import annotations

import numpy as np

from lissom.samples._fields import Field, gradient
from lissom.samples._head import EYE, head_field
from lissom.samples._proportions import Proportions
from lissom.samples._rings import closed_tube
from lissom.samples._shell import Color, Floats, Shell

_EYE_RADIUS = 0.0200

EYE_WHITE: Color = (0.62, 0.62, 0.60)
PUPIL: Color = (0.010, 0.008, 0.008)


def eyes(build: Proportions, iris: Color, skin: Color) -> list[Shell]:
    """Left eyeball, iris, pupil and lids, in head coordinates; every one closed."""
    radius = _EYE_RADIUS * build.eye
    center = EYE + np.array([0.004, 0.0, -0.004]) * (build.eye - 1.0)
    gaze = np.array([0.04, 0.0, 1.0])
    gaze /= np.linalg.norm(gaze)
    shells = [
        _ball("Eyes", EYE_WHITE, center, radius * np.ones(3), rings=8, sides=12),
        _lens("Irises", iris, center, gaze, radius, 0.52, 1.010),
        _lens("Pupils", PUPIL, center, gaze, radius, 0.27, 1.030),
    ]
    lids = (
        (np.array([0.10, 0.975, -0.22]), 0.18 + 0.45 * (build.eye - 1.0)),
        (np.array([-0.10, -0.81, -0.58]), 0.22),
    )
    for inwards, cut in lids:
        normal = inwards / np.linalg.norm(inwards)
        shells.append(_cap("Skin", skin, center, 1.09 * radius, normal, cut))
    return shells


def ribbon(
    name: str, color: Color, field: Field, path: Floats, half_height: Floats, thickness: float, sides: int = 8
) -> Shell:
    """Lay a closed, flattened tube on the surface of the field along a path (N, 3) seen from the front.

    Used for brows and lips. The path is pushed along z onto the surface; `half_height` (N,) is half the
    width of the tube up and down the face, `thickness` how far it stands out.
    """
    laid = path.copy()
    for _ in range(8):
        laid[:, 2] -= 0.8 * field(laid)
    slope = gradient(field, laid, 1e-3)
    outward = slope / np.linalg.norm(slope, axis=-1, keepdims=True)
    along = np.gradient(laid, axis=0)
    upward = np.cross(outward, along)
    upward /= np.linalg.norm(upward, axis=-1, keepdims=True)
    angle = 2.0 * np.pi * np.arange(sides) / sides
    ring = (
        laid[:, None]
        + half_height[:, None, None] * np.cos(angle)[:, None] * upward[:, None]
        + thickness
        * np.minimum(half_height / half_height.max() + 0.3, 1.0)[:, None, None]
        * np.sin(angle)[:, None]
        * outward[:, None]
    )
    return closed_tube(name, color, ring)


def brow(build: Proportions, color: Color) -> Shell:
    """Make the left brow."""
    u = np.linspace(0.0, 1.0, 7)
    path = np.stack(
        [0.013 + 0.036 * u, 0.0362 + 0.0055 * np.sin(2.6 * u) - 0.004 * u, 0.09 - 0.02 * u], axis=-1
    )
    path[:, 1] += 0.006 * (build.eye - 1.0) / 0.25
    return ribbon("Brows", color, head_field(build), path, 0.0046 * (1.0 - 0.75 * u**2), 0.0030)


def lips(build: Proportions, color: Color) -> Shell:
    """Make a closed mouth with a slight smile."""
    u = np.linspace(-1.0, 1.0, 11)
    path = np.stack([0.0235 * u, -0.0665 + 0.0050 * u**2, 0.09 - 0.01 * u**2], axis=-1)
    return ribbon("Lips", color, head_field(build), path, 0.0042 * (1.03 - 0.85 * u**2), 0.0016)


def _ball(name: str, color: Color, center: Floats, radii: Floats, rings: int, sides: int) -> Shell:
    """Make an ellipsoid whose poles lie on z."""
    polar = np.pi * (np.arange(rings) + 0.5) / rings
    angle = 2.0 * np.pi * np.arange(sides) / sides
    unit = np.stack(
        [
            np.sin(polar)[:, None] * np.cos(angle),
            np.sin(polar)[:, None] * np.sin(angle),
            np.cos(polar)[:, None] * np.ones(sides),
        ],
        axis=-1,
    )
    return closed_tube(name, color, center + radii * unit[::-1])


def _lens(
    name: str, color: Color, center: Floats, gaze: Floats, radius: float, opening: float, lift: float
) -> Shell:
    """Cap the front of the eyeball; `opening` is the half angle in radians, `lift` the height of the cap."""
    right = np.cross([0.0, 1.0, 0.0], gaze)
    right /= np.linalg.norm(right)
    up = np.cross(gaze, right)
    angle = 2.0 * np.pi * np.arange(14) / 14
    around = np.cos(angle)[:, None] * right + np.sin(angle)[:, None] * up
    ring = [
        center + radius * reach * (np.cos(polar) * gaze + np.sin(polar) * around)
        for polar, reach in (
            (0.4 * opening, 0.9),
            (opening, 0.96),
            (opening, lift),
            (0.5 * opening, lift + 0.01),
        )
    ]
    return closed_tube(name, color, np.stack(ring))


def _cap(name: str, color: Color, center: Floats, radius: float, normal: Floats, cut: float) -> Shell:
    """Press everything of a ball below a plane onto it: an eyelid, whose hidden side is flat."""
    shell = _ball(name, color, np.zeros(3), radius * np.ones(3), rings=7, sides=12)
    depth = shell.positions @ normal - cut * radius
    positions = shell.positions - np.minimum(depth, 0.0)[:, None] * normal
    normals = np.where((depth < 0.0)[:, None], -normal, shell.normals)
    return Shell(name, color, center + positions, normals, shell.triangles)
