# SPDX-License-Identifier: MIT
"""q and -q: a blend that takes the short way, and one that does not."""

import numpy as np
from charts import COLORS, FAINT, GRID
from numpy.typing import NDArray
from overlay import Overlay

import lissom
from lissom import quat
from lissom.gpu import Camera, SkinnedModel, Stage


def signs(width: int, height: int) -> NDArray[np.uint8]:
    """Two rotations on the circle of quaternions, and the tube skinned with and without the test of signs."""
    angle = np.radians(80.0)
    left = circle(height, height, angle)
    tube = lissom.samples.two_bone_tube()
    pose = tube.skeleton.rest.astype(np.float64)
    pose[1, 3:7] = quat.from_axis_angle([0.0, 0.0, 1.0], angle)
    palette = tube.skin.palette(tube.skeleton.model_matrices(pose)).dual_quats.astype(np.float64)
    flipped = palette * [[1.0], [-1.0]]  # the same transforms
    signed = np.asarray(lissom.skin_dual_quat(tube.mesh, flipped))
    panels = [left]
    for words, positions in (
        ("signed against the heaviest: the short way", signed),
        ("unsigned: the long way", unsigned(tube, flipped)),
    ):
        mesh = tube.mesh
        moved = lissom.Mesh(
            positions, mesh.triangles, mesh.indices, mesh.weights, uvs=mesh.uvs, parts=mesh.parts
        )
        shown = lissom.Character("tube", tube.skeleton, moved, tube.skin)
        panel = (width - height) // 2
        with Stage(panel, height) as stage, SkinnedModel(shown, stage=stage) as model:
            corners = np.array([[-0.3, -2.3, -0.6], [4.4, 2.9, 0.6]])
            camera = Camera.framing(corners, stage.aspect, azimuth=8.0, elevation=12.0, margin=0.02)
            sheet = Overlay(stage.render(model, camera=camera, ground=False).array)
        sheet.text((14, 22), words, size=15)
        panels.append(sheet.pixels())
    return np.concatenate(panels, axis=1)


def unsigned(tube: lissom.Character, palette: NDArray[np.float64]) -> NDArray[np.float64]:
    """Blend dual quaternions as they come, which is the mistake to be seen."""
    mesh = tube.mesh
    blend = np.einsum("vk,vkn->vn", mesh.weights.astype(np.float64), palette[mesh.indices])
    length = np.linalg.norm(blend[:, :4], axis=1, keepdims=True)
    return lissom.dual_quat.transform_point(
        blend / np.maximum(length, 1e-9), mesh.positions.astype(np.float64)
    )


def circle(width: int, height: int, angle: float) -> NDArray[np.uint8]:
    """Rotations about one axis lie on a circle, each of them twice."""
    sheet = Overlay.blank(width, height)
    middle, radius = np.array([width / 2, height / 2 + 8]), 0.33 * height

    def at(half: float, share: float = 1.0) -> NDArray[np.float64]:
        return middle + share * radius * np.array([np.cos(half), -np.sin(half)])

    sheet.line([at(t) for t in np.linspace(0, 2 * np.pi, 120)], GRID, 1.5)
    a, b, other = 0.0, angle / 2, angle / 2 + np.pi
    for end, color in ((b, COLORS[2]), (other - 2 * np.pi, COLORS[0])):
        sheet.line([at(t, 1.0) for t in np.linspace(a, end, 60)], color, 4.0)
    for half, words, anchor, move in (
        (a, "a", "lm", (12, 0)),
        (b, "b", "lm", (10, -10)),
        (other, "-b, the same", "lm", (10, -6)),
    ):
        sheet.dot(at(half), 6.0)
        sheet.text(at(half), words, anchor=anchor, move=move, size=15, halo=False)
    sheet.text(at(angle / 4, 0.9), "short", color=COLORS[2], anchor="rm", size=14, halo=False)
    sheet.text(at(-1.2, 0.9), "long", color=COLORS[0], anchor="mm", move=(0, -12), size=14, halo=False)
    sheet.text((14, 22), "rotations about one axis", size=15, halo=False)
    sheet.text(
        (14, height - 16),
        f"b turns by {np.degrees(angle):.0f}°; half of that on the circle",
        color=FAINT,
        size=12,
        halo=False,
    )
    return sheet.pixels()
