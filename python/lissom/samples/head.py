# SPDX-License-Identifier: MIT
"""The head: skull, face and ears as one implicit shape, hair as another, and the small parts of the face.

All coordinates are those of the head: metres of the adult, origin between the ears, x to the character's left,
y up, z forwards. The chin is at y = -0.118 and the crown of the head at y = 0.117.
"""

from __future__ import annotations

import numpy as np

from lissom.samples.fields import Field, capsule, difference, ellipsoid, intersection, union
from lissom.samples.proportions import Proportions
from lissom.samples.shell import Color, Floats, Ints, Shell

_EYE = np.array([0.0300, 0.002, 0.0655])  # centre of the left eye
_EYE_RADIUS = 0.0200
EAR = (0.0765, -0.008, -0.012)  # centre of the left one

EYE_WHITE: Color = (0.62, 0.62, 0.60)
PUPIL: Color = (0.010, 0.008, 0.008)


def head_field(build: Proportions) -> Field:
    """Skull, face, ears and neck, in head coordinates."""
    jaw, eye, nose, cheek = build.jaw, build.eye, build.nose, build.cheek
    neck_girth = build.neck_girth / build.head

    def field(points: Floats) -> Floats:
        folded = points.copy()
        folded[..., 0] = np.abs(folded[..., 0])
        shape = ellipsoid(points, (0.0, 0.022, -0.012), (0.0755, 0.094, 0.094))
        face = ellipsoid(points, (0.0, -0.034, 0.018), (0.060 * jaw, 0.078, 0.064))
        shape = union(shape, face, 0.030)
        shape = union(shape, ellipsoid(folded, (0.011 * jaw, -0.088, 0.052), (0.026, 0.026, 0.028)), 0.030)
        shape = union(shape, ellipsoid(folded, (0.034, -0.036, 0.046), cheek * np.array([0.028, 0.027, 0.027])), 0.030)
        brow = capsule(folded, (0.010, 0.026, 0.074), (0.046, 0.024, 0.056), 0.010, 0.010)
        shape = union(shape, brow, 0.020)
        socket = ellipsoid(folded, _EYE + [0.002, -0.002, 0.020], (0.022 * eye, 0.016 * eye, 0.016))
        shape = difference(shape, socket, 0.016)
        tip = (0.0, -0.016 - 0.016 * nose, 0.077 + 0.019 * nose)
        shape = union(shape, capsule(folded, (0.0, 0.010, 0.078), tip, 0.0065, 0.0120 * nose), 0.014)
        wing = (0.0095 * nose, tip[1] - 0.001, tip[2] - 0.008)
        shape = union(shape, ellipsoid(folded, wing, nose * np.array([0.0085, 0.0075, 0.010])), 0.010)
        lips = ellipsoid(points, (0.0, -0.066, 0.072), (0.024, 0.011, 0.013))
        shape = union(shape, lips, 0.012)
        neck = capsule(points, (0.0, -0.26, -0.048), (0.0, -0.04, -0.022), 0.056 * neck_girth, 0.048 * neck_girth)
        shape = union(shape, neck, 0.030)
        return intersection(shape, _above_hairline(points) - 0.030, 0.02)  # nothing is seen under the hair

    return field


def ear_field() -> Field:
    """The left ear, with its hollow, in head coordinates."""

    def field(points: Floats) -> Floats:
        local = _turned(points, EAR, 0.40)
        shape = ellipsoid(local, (0.0, 0.0, 0.0), (0.0095, 0.031, 0.020))
        shape = difference(shape, ellipsoid(local, (0.012, 0.004, 0.003), (0.008, 0.019, 0.011)), 0.005)
        return shape

    return field


def hair_field() -> Field:
    """A short cut with a parting wave above the forehead."""

    def field(points: Floats) -> Floats:
        folded = points.copy()
        folded[..., 0] = np.abs(folded[..., 0])
        shape = ellipsoid(points, (0.0, 0.030, -0.016), (0.0835, 0.100, 0.1005))
        shape = union(shape, ellipsoid(points, (0.0, 0.092, 0.036), (0.056, 0.032, 0.050)), 0.030)
        shape = union(shape, ellipsoid(folded, (0.030, 0.082, 0.048), (0.036, 0.028, 0.034)), 0.034)
        # Hairline: a plane that rises from the nape to the forehead, and the temples cut back from the face.
        shape = intersection(shape, -_above_hairline(points), 0.012)
        temple = ellipsoid(folded, (0.058, 0.020, 0.085), (0.040, 0.042, 0.050))
        shape = difference(shape, temple, 0.012)
        ear = ellipsoid(folded, (0.080, -0.012, -0.004), (0.030, 0.036, 0.026))
        return difference(shape, ear, 0.008)

    return field


def eyes(build: Proportions, iris: Color, skin: Color) -> list[Shell]:
    """Left eyeball, iris, pupil and lids, in head coordinates; every one closed."""
    radius = _EYE_RADIUS * build.eye
    center = _EYE + np.array([0.004, 0.0, -0.004]) * (build.eye - 1.0)
    gaze = np.array([0.04, 0.0, 1.0])
    gaze /= np.linalg.norm(gaze)
    shells = [
        _ball("Eyes", EYE_WHITE, center, radius * np.ones(3), rings=8, sides=12),
        _lens("Irises", iris, center, gaze, radius, 0.52, 1.010),
        _lens("Pupils", PUPIL, center, gaze, radius, 0.27, 1.030),
    ]
    for lid, tilt in (("upper", 0.22), ("lower", -0.62)):
        up = 1.0 if lid == "upper" else -1.0
        normal = np.array([0.10 * up, up * np.cos(tilt), np.sin(abs(tilt)) * (-1.0 if lid == "upper" else -1.0)])
        shells.append(_cap("Skin", skin, center, radius * 1.09, normal / np.linalg.norm(normal), 0.14 + 0.5 * (build.eye - 1.0) if lid == "upper" else 0.22))
    return shells


def ribbon(
    name: str, color: Color, field: Field, path: Floats, half_height: Floats, thickness: float, sides: int = 8
) -> Shell:
    """A closed, flattened tube laid on the surface of the field along a path (N, 3) seen from the front.

    Used for brows and lips. The path is pushed along z onto the surface; `half_height` (N,) is half the
    width of the tube up and down the face, `thickness` how far it stands out.
    """
    laid = path.copy()
    for _ in range(8):
        laid[:, 2] -= 0.8 * field(laid)
    step = 1e-3
    slope = np.stack(
        [(field(laid + step * axis) - field(laid - step * axis)) / (2 * step) for axis in np.eye(3)], axis=-1
    )
    outward = slope / np.linalg.norm(slope, axis=-1, keepdims=True)
    along = np.gradient(laid, axis=0)
    upward = np.cross(outward, along)
    upward /= np.linalg.norm(upward, axis=-1, keepdims=True)
    turn = 2.0 * np.pi * np.arange(sides) / sides
    ring = (
        laid[:, None]
        + half_height[:, None, None] * np.cos(turn)[:, None] * upward[:, None]
        + thickness * np.minimum(half_height / half_height.max() + 0.3, 1.0)[:, None, None]
        * np.sin(turn)[:, None] * outward[:, None]
    )
    return _closed_tube(name, color, ring)


def brow(build: Proportions, color: Color) -> Shell:
    """The left brow."""
    u = np.linspace(0.0, 1.0, 7)
    path = np.stack([0.013 + 0.036 * u, 0.0345 + 0.0055 * np.sin(2.6 * u) - 0.004 * u, 0.09 - 0.02 * u], axis=-1)
    path[:, 1] += 0.006 * (build.eye - 1.0) / 0.25
    return ribbon("Brows", color, head_field(build), path, 0.0046 * (1.0 - 0.75 * u**2), 0.0030)


def lips(build: Proportions, color: Color) -> Shell:
    """A closed mouth with a slight smile."""
    u = np.linspace(-1.0, 1.0, 11)
    path = np.stack([0.0235 * u, -0.0665 + 0.0050 * u**2, 0.09 - 0.01 * u**2], axis=-1)
    return ribbon("Lips", color, head_field(build), path, 0.0042 * (1.03 - 0.85 * u**2), 0.0016)


def _above_hairline(points: Floats) -> Floats:
    """Distance above a plane that rises from the nape to the forehead."""
    return np.asarray(points @ np.array([0.0, 0.80, -0.60]))


def _turned(points: Floats, center: tuple[float, float, float], angle: float) -> Floats:
    """Points relative to a centre, turned about y and leant back about x by `angle`."""
    local = points - np.asarray(center)
    c, s = np.cos(angle), np.sin(angle)
    about_y = np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
    return np.asarray(local @ about_y)


def _ball(name: str, color: Color, center: Floats, radii: Floats, rings: int, sides: int) -> Shell:
    """An ellipsoid whose poles lie on z."""
    polar = np.pi * (np.arange(rings) + 0.5) / rings
    turn = 2.0 * np.pi * np.arange(sides) / sides
    unit = np.stack(
        [
            np.sin(polar)[:, None] * np.cos(turn),
            np.sin(polar)[:, None] * np.sin(turn),
            np.cos(polar)[:, None] * np.ones(sides),
        ],
        axis=-1,
    )
    return _closed_tube(name, color, center + radii * unit[::-1])


def _lens(
    name: str, color: Color, center: Floats, gaze: Floats, radius: float, opening: float, lift: float
) -> Shell:
    """A shallow cap on the front of the eyeball; `opening` is its half angle in radians, `lift` its height."""
    right = np.cross([0.0, 1.0, 0.0], gaze)
    right /= np.linalg.norm(right)
    up = np.cross(gaze, right)
    turn = 2.0 * np.pi * np.arange(14) / 14
    around = np.cos(turn)[:, None] * right + np.sin(turn)[:, None] * up
    ring = [
        center + radius * reach * (np.cos(polar) * gaze + np.sin(polar) * around)
        for polar, reach in ((0.4 * opening, 0.9), (opening, 0.96), (opening, lift), (0.5 * opening, lift + 0.01))
    ]
    return _closed_tube(name, color, np.stack(ring))


def _cap(name: str, color: Color, center: Floats, radius: float, normal: Floats, cut: float) -> Shell:
    """A ball with everything below a plane pressed onto it: an eyelid, whose hidden side is flat."""
    shell = _ball(name, color, np.zeros(3), radius * np.ones(3), rings=7, sides=12)
    depth = shell.positions @ normal - cut * radius
    positions = shell.positions - np.minimum(depth, 0.0)[:, None] * normal
    return Shell(name, color, center + positions, shell.normals, shell.triangles)


def _closed_tube(name: str, color: Color, ring: Floats) -> Shell:
    """Skin rings (N, S, 3), which turn counter-clockwise seen against their order, and close both ends."""
    count, sides = ring.shape[:2]
    positions = np.concatenate([ring.reshape(-1, 3), ring[[0, -1]].mean(axis=1)])
    i, j = np.meshgrid(np.arange(count - 1), np.arange(sides), indexing="ij")
    a = (i * sides + j).ravel()
    b = (i * sides + (j + 1) % sides).ravel()
    side = np.concatenate([np.stack([a, b, b + sides], axis=-1), np.stack([a, b + sides, a + sides], axis=-1)])
    j = np.arange(sides)
    after = (j + 1) % sides
    start = np.stack([np.full(sides, count * sides), after, j], axis=-1)
    last = (count - 1) * sides
    end = np.stack([np.full(sides, count * sides + 1), last + j, last + after], axis=-1)
    triangles: Ints = np.concatenate([side, start, end])
    corner = positions[triangles]
    volume = np.einsum("ij,ij->", corner[:, 0], np.cross(corner[:, 1], corner[:, 2]))
    if volume < 0.0:
        triangles = triangles[:, ::-1]
    return Shell(name, color, positions, _area_normals(positions, triangles), triangles)


def _area_normals(positions: Floats, triangles: Ints) -> Floats:
    corner = positions[triangles]
    area = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    normals = np.zeros_like(positions)
    for k in range(3):
        np.add.at(normals, triangles[:, k], area)
    length = np.linalg.norm(normals, axis=-1, keepdims=True)
    return np.asarray(normals / np.maximum(length, 1e-12))
