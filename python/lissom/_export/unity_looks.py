# SPDX-License-Identifier: MIT
"""The looks of surfaces as Unity's importer makes materials of them, and their pictures."""

from __future__ import annotations

from typing import Any

from lissom._export.godot_looks import srgb
from lissom._export.pictures import Pictures
from lissom._rig.part import Part

__all__ = ["Looks"]


class Looks:
    """Looks in the header of a file, and pictures behind it, each once."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self._pictures = Pictures()

    @property
    def pictures(self) -> list[bytes]:
        """The pictures, encoded."""
        return self._pictures.data

    def add(self, look: Part, first_index: int, indices: int) -> None:
        """Add a part that stands for all of its look, and where its triangles are."""
        color = [srgb(value) for value in look.base_color[:3]] + [look.base_color[3]]
        light = [0.0, 0.0, 0.0] if look.unlit else [float(value) for value in look.emissive]
        self.told.append(
            {
                "name": look.name,
                "color": dict(zip("rgba", map(float, color), strict=True)),
                "emission": dict(zip("xyzw", [*light, 0.0], strict=True)),
                "mode": look.alpha_mode,
                "cutoff": float(look.alpha_cutoff),
                "doubleSided": bool(look.double_sided),
                "unlit": bool(look.unlit),
                "picture": self._pictures.add(look.texture),
                "emissionPicture": self._pictures.add(look.emissive_texture),
                "firstIndex": first_index,
                "indices": indices,
            }
        )
