# SPDX-License-Identifier: MIT
"""The built-in tube with a part that is masked or blended."""

from dataclasses import replace
from typing import Any

import numpy as np

import lissom
from lissom._formats.png import png_bytes

RED, GREEN, BLUE = (0.8, 0.1, 0.05), (0.1, 0.7, 0.2), (0.05, 0.1, 0.9)


def glazed(
    clip: str = "bend", alpha: float = 0.5, mode: Any = "blend", *, pictured: bool = False, **look: Any
) -> lissom.Character:
    """Unlit, one part opaque, the other not; where it is pictured, its alpha goes round in four steps."""
    tube = lissom.samples.two_bone_tube()
    mesh = tube.mesh
    assert mesh is not None
    assert tube.skin is not None
    if pictured:
        steps = np.full((4, 16, 4), 255, np.uint8)
        steps[..., 3] = np.repeat([0, 100, 200, 255], 4)
        look["texture"] = lissom.Texture(png_bytes(steps), "image/png", "steps")
    light, dark = mesh.parts
    parts = [
        replace(light, base_color=(*GREEN, 1.0), unlit=True),
        replace(dark, base_color=(*RED, alpha), unlit=True, alpha_mode=mode, **look),
    ]
    angle = np.arctan2(mesh.positions[:, 2], mesh.positions[:, 0]) / (2 * np.pi)
    covered = lissom.Mesh(
        mesh.positions,
        mesh.triangles,
        mesh.indices,
        mesh.weights,
        normals=mesh.normals,
        uvs=np.stack([angle, mesh.positions[:, 1]], axis=1),
        parts=parts,
    )
    return lissom.Character("glazed", tube.skeleton, covered, tube.skin, [tube.clips[clip]])


def seen_through(character: lissom.Character, alpha: float) -> lissom.Character:
    """A character all of whose parts are blended."""
    mesh = character.mesh
    assert mesh is not None
    parts = [
        replace(part, base_color=(*part.base_color[:3], alpha), alpha_mode="blend") for part in mesh.parts
    ]
    arrays = {name: getattr(mesh, name) for name in ("normals", "uvs", "colors")}
    clear = lissom.Mesh(mesh.positions, mesh.triangles, mesh.indices, mesh.weights, parts=parts, **arrays)
    return lissom.Character("clear", character.skeleton, clear, character.skin, character.clips)
