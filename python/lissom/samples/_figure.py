# SPDX-License-Identifier: MIT
"""Dress a build: mesh every part of the humanoid, colour it and bind it to the joints."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from lissom.samples import _face as face
from lissom.samples._body import Body
from lissom.samples._fields import Field, intersection
from lissom.samples._hand import hand_field
from lissom.samples._head import EAR, ear_field, hair_field, head_field
from lissom.samples._proportions import Proportions
from lissom.samples._shell import Color, Floats, Ints, Shell
from lissom.samples._shoe import shoe_origin, sole, upper_field
from lissom.samples._skeleton import JOINT
from lissom.samples._surface_nets import polygonise
from lissom.samples._weights import Binder, smoothed


@dataclass(frozen=True, eq=False)
class Palette:
    """Linear colours of a figure."""

    skin: Color
    lips: Color
    hair: Color
    iris: Color
    sweater: Color
    ribbing: Color
    trousers: Color
    turn_ups: Color
    shoes: Color
    soles: Color


COLORS = {
    "adult": Palette(
        skin=(0.46, 0.235, 0.145),
        lips=(0.36, 0.11, 0.085),
        hair=(0.032, 0.017, 0.011),
        iris=(0.045, 0.11, 0.16),
        sweater=(0.46, 0.105, 0.050),
        ribbing=(0.30, 0.055, 0.028),
        trousers=(0.028, 0.045, 0.090),
        turn_ups=(0.085, 0.115, 0.180),
        shoes=(0.40, 0.37, 0.32),
        soles=(0.56, 0.55, 0.52),
    ),
    "child": Palette(
        skin=(0.22, 0.090, 0.045),
        lips=(0.18, 0.050, 0.036),
        hair=(0.012, 0.008, 0.007),
        iris=(0.050, 0.022, 0.010),
        sweater=(0.52, 0.31, 0.045),
        ribbing=(0.36, 0.19, 0.025),
        trousers=(0.045, 0.13, 0.14),
        turn_ups=(0.12, 0.25, 0.26),
        shoes=(0.42, 0.075, 0.055),
        soles=(0.56, 0.55, 0.52),
    ),
    "giant": Palette(
        skin=(0.48, 0.27, 0.19),
        lips=(0.38, 0.14, 0.11),
        hair=(0.20, 0.060, 0.018),
        iris=(0.050, 0.10, 0.055),
        sweater=(0.060, 0.17, 0.105),
        ribbing=(0.030, 0.095, 0.060),
        trousers=(0.10, 0.072, 0.050),
        turn_ups=(0.20, 0.155, 0.115),
        shoes=(0.085, 0.040, 0.020),
        soles=(0.045, 0.035, 0.030),
    ),
}


def dress(build: Proportions, joints: Floats) -> list[Shell]:
    """Every part of the figure, bound to `joints` (J, 3); shells of one name stand together."""
    colors = COLORS[build.name]
    body = Body.of(build)
    bind = Binder(body, joints)
    shells = [
        *_skin(body, bind, colors),
        *_head_parts(build, bind, colors),
        *_clothes(body, bind, colors),
        *_shoes(build, bind, joints, colors),
    ]
    names = list(dict.fromkeys(shell.name for shell in shells))
    return sorted(shells, key=lambda shell: names.index(shell.name))  # a stable sort


def _clothes(body: Body, bind: Binder, colors: Palette) -> Iterator[Shell]:
    build = body.build
    girth = build.shoulder_scale
    wrist = body.arm.wrist
    reach = max(wrist[0] + 0.05 * girth, 0.1)
    deep = 0.24 * max(build.torso_depth)
    height_of = build.height
    cloth = 0.0265 * _mean_scale(build)

    low = np.array([-reach, float(height_of(0.85)), -deep])
    high = np.array([reach, float(height_of(1.53)), deep])
    sweater = polygonise("Sweater", colors.sweater, body.sweater(), low, high, 0.95 * cloth, symmetric=True)
    yield _bound(sweater, bind, thighs=0.8, rounds=10)  # the armpits need it

    wide = 0.26 * max(build.torso_width)
    low = np.array([-wide, float(height_of(0.02)), -deep])
    high = np.array([wide, float(height_of(1.05)), deep])
    trousers = polygonise("Trousers", colors.trousers, body.trousers(), low, high, cloth, symmetric=True)
    yield _bound(trousers, bind)

    hip = build.hip_half_width
    size = 0.09 * build.leg_girth
    low = np.array([1.11 * hip - size, float(height_of(0.03)), -0.03 * build.leg_girth - size])
    high = np.array([1.11 * hip + size, float(height_of(0.17)), -0.01 * build.leg_girth + size])
    fine = np.array([0.0165, 0.0120, 0.0165]) * build.leg_girth
    turn_up = polygonise("Turn-ups", colors.turn_ups, body.turn_up(), low, high, fine)
    yield from _pair(turn_up, bind.rigid(len(turn_up.positions), "LowerLeg.L"))

    low = np.array([-wide, float(height_of(0.88)), -deep])
    high = np.array([wide, float(height_of(1.00)), deep])
    ribbed = np.array([cloth, 0.019 * girth, cloth])
    band = polygonise("Ribbing", colors.ribbing, body.waistband(), low, high, ribbed, symmetric=True)
    yield _bound(band, bind, thighs=0.8)

    neck = 0.12 * build.neck_girth
    low = np.array([-neck, float(height_of(1.476)) - neck, -1.2 * neck])
    high = np.array([neck, float(height_of(1.476)) + neck, neck])
    band = polygonise(
        "Ribbing", colors.ribbing, body.collar(), low, high, 0.0145 * build.neck_girth, symmetric=True
    )
    yield _bound(band, bind)

    axes = body.arm.hand_axes
    center = axes @ wrist
    around = np.array([0.10, 0.08, 0.08]) * build.arm_girth
    cuff = polygonise(
        "Ribbing",
        colors.ribbing,
        body.cuff(),
        center - around,
        center + around,
        np.array([0.0150, 0.0118, 0.0118]) * build.arm_girth,
        axes=axes,
    )
    yield from _pair(cuff, bind.rigid(len(cuff.positions), "LowerArm.L"))


def _skin(body: Body, bind: Binder, colors: Palette) -> Iterator[Shell]:
    build = body.build
    head = polygonise(
        "Skin",
        colors.skin,
        _cut_below(head_field(build), -0.19),
        np.array([-0.12, -0.22, -0.16]),
        np.array([0.12, 0.14, 0.14]),
        np.array([0.0112, 0.0112, 0.0120]),
        symmetric=True,
    )
    positions = build.head_center + build.head * head.positions
    yield replace(head, positions=positions, weights=bind.head(positions))

    hand = polygonise(
        "Skin",
        colors.skin,
        hand_field(),
        np.array([-0.075, -0.050, -0.075]),
        np.array([0.195, 0.060, 0.105]),
        np.array([0.0120, 0.0092, 0.0070]),
    )
    axes = body.arm.hand_axes
    positions = body.arm.wrist + build.hand * hand.positions @ axes
    # The hand's axes are left-handed, model axes are not: triangles are flipped.
    placed = replace(
        hand, positions=positions, normals=hand.normals @ axes, triangles=_facing(hand.triangles, axes)
    )
    yield from _pair(placed, bind.left_hand(positions))


def _head_parts(build: Proportions, bind: Binder, colors: Palette) -> Iterator[Shell]:
    hair = polygonise(
        "Hair",
        colors.hair,
        hair_field(),
        np.array([-0.12, -0.13, -0.15]),
        np.array([0.12, 0.16, 0.14]),
        0.0140,
        symmetric=True,
    )
    size = np.array([0.022, 0.040, 0.030])
    ear = polygonise("Skin", colors.skin, ear_field(), EAR - size, EAR + size, 0.0080)
    single = [hair, face.lips(build, colors.lips)]
    left = [*face.eyes(build, colors.iris, colors.skin), face.brow(build, colors.hair), ear]
    for shell in single + left:
        placed = replace(shell, positions=build.head_center + build.head * shell.positions)
        weights = bind.rigid(len(placed.positions), "Head")
        if shell in single:
            yield replace(placed, weights=weights)
        else:
            yield replace(placed, weights=weights)
            yield replace(placed.mirrored(placed.name), weights=weights)


def _shoes(build: Proportions, bind: Binder, joints: Floats, colors: Palette) -> Iterator[Shell]:
    upper = polygonise(
        "Shoes",
        colors.shoes,
        upper_field(),
        np.array([-0.09, -0.02, -0.12]),
        np.array([0.09, 0.15, 0.23]),
        np.array([0.0180, 0.0175, 0.0200]),
    )
    origin = shoe_origin(build, joints[JOINT["Foot.L"]])
    for shell in (upper, sole("Soles", colors.soles)):
        placed = replace(shell, positions=origin + build.foot * shell.positions)
        yield from _pair(placed, bind.left_shoe(placed.positions))


def _pair(left: Shell, weights: Floats) -> Iterator[Shell]:
    """Return the left shell and its mirror image, with the joints of the other side."""
    yield replace(left, weights=weights)
    yield replace(left.mirrored(left.name), weights=weights[:, _OTHER_SIDE])


def _bound(shell: Shell, bind: Binder, thighs: float = 1.0, rounds: int = 5) -> Shell:
    weights = bind.garment(shell.positions, thighs)
    return replace(shell, weights=smoothed(weights, shell.triangles, rounds))


def _cut_below(field: Field, height: float) -> Field:
    return lambda points: intersection(field(points), height - points[..., 1], 0.03)


def _facing(triangles: Ints, axes: Floats) -> Ints:
    return triangles if np.linalg.det(axes) > 0.0 else triangles[:, ::-1]


def _mean_scale(build: Proportions) -> float:
    return 0.5 * (build.landmarks[-1] / 1.75 + build.shoulder_scale)


def _other_side() -> list[int]:
    swapped = {"L": "R", "R": "L"}
    other = []
    for name in JOINT:
        base, dot, side = name.partition(".")
        other.append(JOINT[f"{base}.{swapped[side]}" if dot else name])
    return other


_OTHER_SIDE = _other_side()
