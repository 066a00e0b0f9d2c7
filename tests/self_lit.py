# SPDX-License-Identifier: MIT
"""The built-in tube with parts that are drawn without light, or emit some."""

from dataclasses import replace

import numpy as np

import lissom
from lissom._formats.png import png_bytes


def self_lit(clip: str, *, whole: bool = True) -> lissom.Character:
    """One part unlit, one that emits light in the squares of a picture; `whole` ones have one colour each."""
    tube = lissom.samples.two_bone_tube()
    mesh, squares = tube.mesh, np.zeros((8, 8, 3), np.uint8)
    squares[:4, :4] = squares[4:, 4:] = (255, 128, 0)
    picture = None if whole else lissom.Texture(png_bytes(squares), "image/png", "squares")
    light, dark = mesh.parts
    parts = [
        replace(light, base_color=(0.2, 0.5, 0.1, 1.0), unlit=True),
        replace(dark, base_color=(0.02, 0.02, 0.1, 1.0), emissive=(0.7, 0.4, 0.0), emissive_texture=picture),
    ]
    angle = np.arctan2(mesh.positions[:, 2], mesh.positions[:, 0]) / (2 * np.pi)
    lit = lissom.Mesh(
        mesh.positions,
        mesh.triangles,
        mesh.indices,
        mesh.weights,
        normals=mesh.normals,
        uvs=np.stack([4 * angle, mesh.positions[:, 1]], axis=1),
        parts=parts,
    )
    return lissom.Character("lit", tube.skeleton, lit, tube.skin, [tube.clips[clip]])
