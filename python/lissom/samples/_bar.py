# SPDX-License-Identifier: MIT
"""The two figures every paper on skinning shows: a bar that is twisted and a tube that is bent."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from lissom._base import easing
from lissom.samples._shell import Booleans, Color, Floats, Ints, Shell, assemble, rest_pose

if TYPE_CHECKING:
    from lissom._character.character import Character

KEY_RATE = 30.0  # keys per second
_LENGTH = 4.0
_HINGE = 2.0  # where the second joint stands
_LIGHT: Color = (0.52, 0.47, 0.38)
_DARK: Color = (0.04, 0.19, 0.27)
_X, _Z = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)


@cache
def twisted_bar() -> Character:
    """Return a square bar with two joints, the classic figure of the candy wrapper.

    The bar is 4 units long along +x and 1 unit thick, with its middle at x = 2. Joint "Base" stands at x = 0
    and "Tip" at x = 2; the weight of "Tip" rises linearly from 0 at x = 0.5 to 1 at x = 3.5. Two parts,
    "Light" and "Dark", checker the surface so that its twist can be read in a picture.

    Clips, both loops of 4 s that start and end at rest: "twist" rotates "Tip" about the axis of the bar to
    179 degrees and back, "bend" rotates it about z to 100 degrees and back.

    Returns
    -------
    Character
        The same object at each call.

    Notes
    -----
    At 180 degrees exactly, the linear blend collapses the middle of the bar to a line, and the sign of the
    dual quaternion blend is not determined. One degree less keeps both methods defined.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> bar
    Character('twisted_bar', 2 joints, 2258 vertices, 2 clips)
    >>> list(bar.clips), bar.skeleton.names
    (['twist', 'bend'], ('Base', 'Tip'))
    """
    ring, normals = _square_ring(half_width=0.5, segments=8)
    surface = _Surface.extruded(ring, normals, segments=48, cell=(6, 4))
    return _two_joint_character(
        "twisted_bar",
        surface,
        blend=(0.5, 3.5),
        smooth=False,
        clips={"twist": (_X, 179.0), "bend": (_Z, 100.0)},
    )


@cache
def two_bone_tube() -> Character:
    """Return a round tube with two joints: the inside of a bend, and the bulge on its outside.

    The tube is 4 units long along +x with radius 0.4. Joint "Base" stands at x = 0 and "Tip" at x = 2; the
    weight of "Tip" rises smoothly from 0 at x = 1.4 to 1 at x = 2.6, as one would paint it round a knee.
    Two parts, "Light" and "Dark", stripe the tube along its length.

    Clips, both loops of 4 s that start and end at rest: "bend" rotates "Tip" about z to 120 degrees and back,
    "twist" about the axis of the tube to 150 degrees and back.

    Returns
    -------
    Character
        The same object at each call.

    Examples
    --------
    >>> tube = lissom.samples.two_bone_tube()
    >>> tube.mesh.bounds.round(3)
    array([[ 0. , -0.4, -0.4],
           [ 4. ,  0.4,  0.4]], dtype=float32)
    >>> tube.clips["bend"].duration
    4.0
    """
    angle = 2.0 * np.pi * np.arange(41) / 40
    normals = np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    surface = _Surface.extruded(0.4 * normals, normals, segments=64, cell=(4, 40))
    return _two_joint_character(
        "two_bone_tube",
        surface,
        blend=(1.4, 2.6),
        smooth=True,
        clips={"bend": (_Z, 120.0), "twist": (_X, 150.0)},
    )


@dataclass(frozen=True, eq=False)
class _Surface:
    """A closed surface whose triangles carry one of two colours."""

    positions: Floats  # (V, 3)
    normals: Floats  # (V, 3)
    triangles: Ints  # (F, 3), outward
    dark: Booleans  # (F,)

    @staticmethod
    def extruded(ring: Floats, ring_normals: Floats, *, segments: int, cell: tuple[int, int]) -> _Surface:
        """Sweep a convex ring (R, 2) in y and z, counter-clockwise and closed, along x; close both ends.

        A ring point that stands twice in succession with two normals makes a sharp edge. `cell` is the size
        of a square of the checker in segments along x and along the ring.
        """
        count = len(ring)
        x = np.linspace(0.0, _LENGTH, segments + 1)
        side = np.empty((segments + 1, count, 3))
        side[..., 0] = x[:, None]
        side[..., 1:] = ring
        side_normals = np.zeros_like(side)
        side_normals[..., 1:] = ring_normals

        along, around = np.meshgrid(np.arange(segments), np.arange(count - 1), indexing="ij")
        real = np.any(
            ring[1:] != ring[:-1], axis=1
        )  # the step between the two normals of an edge has no area
        along, around = along[:, real], around[:, real]
        corner = along * count + around
        quads = np.stack([corner, corner + count, corner + count + 1, corner + 1], axis=-1).reshape(-1, 4)
        step = np.cumsum(real) - 1  # which real step of the ring this is
        dark = ((along // cell[0] + step[around] // cell[1]) % 2 == 1).ravel()

        # Both ends are fans about a centre. Their rings are copies, for their own normals.
        positions = [side.reshape(-1, 3)]
        normals = [side_normals.reshape(-1, 3)]
        triangles = [quads[:, [0, 2, 1]], quads[:, [0, 3, 2]]]
        colors = [dark, dark]
        start = (segments + 1) * count
        first = np.flatnonzero(real)
        for end, x_end, facing in ((0, 0.0, -1.0), (-1, _LENGTH, 1.0)):
            positions.append(np.vstack([[[x_end, 0.0, 0.0]], side[end]]))
            normals.append(np.tile([facing, 0.0, 0.0], (count + 1, 1)))
            fan = np.stack([np.zeros_like(first), first + 1, first + 2], axis=-1)
            triangles.append(start + (fan if facing > 0.0 else fan[:, ::-1]))
            colors.append(np.full(len(fan), facing > 0.0))
            start += count + 1
        return _Surface(
            np.concatenate(positions),
            np.concatenate(normals),
            np.concatenate(triangles),
            np.concatenate(colors),
        )

    def shell(self, name: str, color: Color, chosen: Booleans) -> Shell:
        """Cut out the chosen triangles (F,) with the vertices they use."""
        used, triangles = np.unique(self.triangles[chosen], return_inverse=True)
        return Shell(name, color, self.positions[used], self.normals[used], triangles.reshape(-1, 3))


def _square_ring(half_width: float, segments: int) -> tuple[Floats, Floats]:
    """Return a square in y and z, each corner twice, and its normals: both (4 (segments + 1) + 1, 2)."""
    ring, normals = [], []
    for side in range(4):
        normal = np.array([np.cos(0.5 * np.pi * side), np.sin(0.5 * np.pi * side)]).round()
        tangent = np.array([-normal[1], normal[0]])
        step = np.linspace(-half_width, half_width, segments + 1)[:, None]
        ring.append(half_width * normal + step * tangent)
        normals.append(np.tile(normal, (segments + 1, 1)))
    return np.concatenate(ring), np.concatenate(normals)


def _two_joint_character(
    name: str,
    surface: _Surface,
    *,
    blend: tuple[float, float],
    smooth: bool,
    clips: dict[str, tuple[tuple[float, float, float], float]],
) -> Character:
    """Bind the surface to "Base" and "Tip"; `clips` holds an axis and the largest angle in degrees."""
    joint_positions = np.array([[0.0, 0.0, 0.0], [_HINGE, 0.0, 0.0]])
    parents = (-1, 0)
    shells = []
    for part, color, chosen in (("Light", _LIGHT, ~surface.dark), ("Dark", _DARK, surface.dark)):
        shell = surface.shell(part, color, chosen)
        tip = np.clip((shell.positions[:, 0] - blend[0]) / (blend[1] - blend[0]), 0.0, 1.0)
        tip = easing.smooth(tip) if smooth else tip
        shells.append(replace(shell, weights=np.stack([1.0 - tip, tip], axis=-1)))

    duration = 4.0
    times = np.arange(round(duration * KEY_RATE) + 1) / KEY_RATE
    swell = 0.5 - 0.5 * np.cos(2.0 * np.pi * times / duration)  # 0 to 1 and back, at rest at both ends
    motions = {}
    for clip_name, (axis, degrees) in clips.items():
        half_angle = 0.5 * np.radians(degrees) * swell
        poses = np.tile(rest_pose(parents, joint_positions).astype(np.float64), (len(times), 1, 1))
        poses[:, 1, 3:6] = np.sin(half_angle)[:, None] * np.asarray(axis)
        poses[:, 1, 6] = np.cos(half_angle)
        motions[clip_name] = (times, poses, True)
    return assemble(name, ("Base", "Tip"), parents, joint_positions, shells, motions)
