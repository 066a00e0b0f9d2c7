# SPDX-License-Identifier: MIT
"""Whose numbers are compared: the names and sizes that the argument `of` knows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom._character.character import Character
from lissom._rig.mesh import Mesh
from lissom._rig.skeleton import Skeleton
from lissom._rig.skin import Skin
from lissom.clip import Clip
from lissom.pose_texture._pose_texture import PoseTexture

if TYPE_CHECKING:
    from lissom.testing._pair import Floats

__all__ = ["Rows", "Surface", "rows_of", "skeleton_of", "surface_of"]


class Rows(NamedTuple):
    """Palette rows: names of their joints, and the positions of those in bind space, where known."""

    names: tuple[str, ...] | None = None
    pivots: Floats | None = None
    size: float = 0.0

    def label(self, row: int) -> str:
        """Return the name of a row."""
        return f"row {row}" if self.names is None else f"row {row} (joint {self.names[row]!r})"


class Surface(NamedTuple):
    """Vertices: their mesh and the joints of its palette rows, where known."""

    mesh: Mesh | None = None
    rows: Rows = Rows()

    def main_joint(self, vertex: int) -> str:
        """Return the joint of a vertex's heaviest influence; the palette row where no joint is known."""
        mesh: Any = self.mesh
        row = int(mesh.indices[vertex, np.argmax(mesh.weights[vertex])])
        return f"of row {row}" if self.rows.names is None else repr(self.rows.names[row])

    def label(self, vertex: int) -> str:
        """Return the name of a vertex, with its part and main joint."""
        if self.mesh is None:
            return f"vertex {vertex}"
        names = [p.name for p in self.mesh.parts if p.vertices.start <= vertex < p.vertices.stop]
        part = f"part {names[0]!r}, " if names else ""
        return f"vertex {vertex} ({part}main joint {self.main_joint(vertex)})"


def skeleton_of(function: str, of: object) -> tuple[Skeleton | None, float]:
    """Return the skeleton of poses, and the size of its character."""
    if of is None:
        return None, 0.0
    if isinstance(of, Skeleton):
        return of, of.size
    if isinstance(of, (Character, Clip)):
        return of.skeleton, of.size if isinstance(of, Character) else of.skeleton.size
    raise _unknown(function, of, "a Character, Skeleton or Clip")


def rows_of(function: str, of: object) -> Rows:
    """Return what `of` knows of palette rows."""
    if of is None:
        return Rows()
    if isinstance(of, Skin):
        return Rows(pivots=of.pivots)
    if isinstance(of, Character) and of.skin is not None:
        names = tuple(of.skeleton.names[joint] for joint in of.skin.joints)
        return Rows(names, of.skin.pivots, of.size)
    if isinstance(of, PoseTexture):
        if of.skin is None:  # loaded from a file of version 1, whose texel rows are the palette rows
            return Rows(of.joints, size=of.size)
        return Rows(tuple(of.joints[joint] for joint in of.skin.joints), of.skin.pivots, of.size)
    raise _unknown(function, of, "a Character with a skin, a Skin or a PoseTexture")


def surface_of(function: str, of: object) -> tuple[Surface, float]:
    """Return what `of` knows of vertices, and the size of their character."""
    if of is None:
        return Surface(), 0.0
    if isinstance(of, Mesh):
        return Surface(of), float(np.linalg.norm(np.ptp(of.bounds.astype(np.float64), axis=0)))
    if isinstance(of, (Character, PoseTexture)) and of.mesh is not None:
        rows = Rows() if of.skin is None else rows_of(function, of)
        return Surface(of.mesh, rows), of.size
    raise _unknown(function, of, "a Character or PoseTexture with a mesh, or a Mesh")


def _unknown(function: str, of: object, kinds: str) -> TypeError:
    return TypeError(f"{function}: of must be {kinds}, got {type(of).__name__}")
