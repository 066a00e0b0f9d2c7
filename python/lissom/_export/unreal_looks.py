# SPDX-License-Identifier: MIT
"""The looks of surfaces as the editor script makes materials of them, and the mesh whose slots they fill."""

from __future__ import annotations

from typing import Any

import numpy as np

from lissom._export.bind_figure import default_positions
from lissom._export.pictures import SUFFIXES, Pictures
from lissom._export.surfaces import surfaces_of
from lissom._rig.encoded_picture import format_of
from lissom._rig.mesh import Mesh
from lissom._rig.part import Part

__all__ = ["Looks"]


class Looks:
    """Looks of a mesh.

    Attributes
    ----------
    mesh : Mesh
        With the same vertices, morph targets at their defaults, and a plain part for each look: its
        material has no more than a colour of its own, by which importers keep slots apart.
    """

    def __init__(self, mesh: Mesh) -> None:
        surfaces = surfaces_of(mesh)
        self._pictures = Pictures()
        self._looks = [surface.look for surface in surfaces]
        self._numbers = [
            (self._pictures.add(look.texture), self._pictures.add(look.emissive_texture))
            for look in self._looks
        ]
        parts, runs, first = [], [], 0
        for number, surface in enumerate(surfaces):
            triangles = surface.vertices[surface.triangles]
            runs.append(triangles)
            color = ((number + 1) / (len(surfaces) + 1), 0.5, 0.5, 1.0)
            parts.append(
                Part(
                    f"Look{number}",
                    slice(0, mesh.vertex_count),
                    slice(first, first + len(triangles)),
                    base_color=color,
                )
            )
            first += len(triangles)
        self.mesh = Mesh(
            default_positions(mesh),
            np.concatenate(runs),
            normals=mesh.computed_normals() if mesh.normals is None else mesh.normals,
            uvs=mesh.uvs,
            colors=mesh.colors,
            parts=parts,
        )
        self._colored = mesh.colors is not None

    def pictures(self, stem: str) -> dict[str, bytes]:
        """Return the pictures by the names of their files."""
        return {str(self._file(stem, number)): data for number, data in enumerate(self._pictures.data)}

    def told(self, stem: str) -> list[dict[str, Any]]:
        """Return the looks in the order of the mesh's slots; colours are linear."""
        return [
            {
                "slot": f"Look{number}",
                "name": look.name,
                "color": [float(value) for value in look.base_color],
                "emission": [0.0] * 3 if look.unlit else [float(value) for value in look.emissive],
                "mode": look.alpha_mode,
                "cutoff": float(look.alpha_cutoff),
                "double_sided": bool(look.double_sided),
                "unlit": bool(look.unlit),
                "vertex_colors": self._colored,
                "picture": self._file(stem, picture),
                "emission_picture": self._file(stem, emission),
            }
            for number, (look, (picture, emission)) in enumerate(zip(self._looks, self._numbers, strict=True))
        ]

    def _file(self, stem: str, number: int) -> str | None:
        if number < 0:
            return None
        return f"T_{stem}_Picture{number}{SUFFIXES[str(format_of(self._pictures.data[number]))]}"
