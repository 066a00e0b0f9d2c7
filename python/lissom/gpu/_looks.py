# SPDX-License-Identifier: MIT
"""What parts of a mesh look like, and its triangles grouped by that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom._lod.closed_pieces import in_closed_piece
from lissom._rig.encoded_picture import may_have_alpha
from lissom._rig.part import CUTOFF

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.part import AlphaMode, Part, Texture

__all__ = ["Group", "Look", "grouped"]


class Look(NamedTuple):
    """What parts look like beside the colours of their vertices: those of one look are drawn together."""

    texture: Texture | None = None
    emissive_texture: Texture | None = None
    emissive: tuple[float, float, float] = (0.0, 0.0, 0.0)
    unlit: bool = False
    alpha_mode: AlphaMode = "opaque"
    alpha_cutoff: float = CUTOFF
    double_sided: bool = False

    @classmethod
    def of(cls, part: Part, with_pictures: bool, is_covered: bool = False) -> Look:
        """Return the look of a part; a mesh without texture coordinates has no pictures.

        Parameters
        ----------
        part : Part
        with_pictures : bool
        is_covered : bool
            Whether alpha leaves something of it out, or lets something through.
        """
        texture = part.texture if with_pictures else None
        is_dark = part.unlit or (part.emissive_texture is not None and not with_pictures)
        look = cls(texture, unlit=part.unlit)
        if not is_dark and any(part.emissive):
            look = cls(texture, part.emissive_texture, part.emissive)
        if not is_covered:
            return look
        is_double = part.alpha_mode == "blend" and part.double_sided
        return look._replace(
            alpha_mode=part.alpha_mode, alpha_cutoff=part.alpha_cutoff, double_sided=is_double
        )

    @property
    def pictures(self) -> list[Texture]:
        return [picture for picture in (self.texture, self.emissive_texture) if picture is not None]

    @property
    def is_self_lit(self) -> bool:
        return self.unlit or any(self.emissive)

    @property
    def is_covered(self) -> bool:
        return self.alpha_mode != "opaque"


class Group(NamedTuple):
    """A range of triangles with the same look."""

    look: Look
    closed: bool  # of closed pieces, whose back faces nobody sees
    moved: bool  # with a corner that a morph target moves
    first: int  # index of the first corner
    index_count: int


def grouped(
    mesh: Mesh,
    by_piece: bool,
    moved: NDArray[np.bool_] | None = None,
    has_alpha: Callable[[Texture], bool] | None = None,
) -> tuple[NDArray[np.uint32], list[Group]]:
    """Return the triangles sorted into groups by look and, with `by_piece`, closed pieces and morph targets.

    Parameters
    ----------
    mesh : Mesh
    by_piece : bool
    moved : ndarray of bool, shape (V,), optional
        Whether a target moves a vertex.
    has_alpha : callable, optional
        Whether a picture has a pixel with alpha below 1; by the kind of the picture when omitted.
    """
    looks = [Look()]
    numbers = {_key(looks[0]): 0}
    group = np.zeros(len(mesh.triangles), np.int64)
    for part in mesh.parts:
        is_covered = _is_covered(mesh, part, has_alpha or _by_kind)
        look = Look.of(part, mesh.uvs is not None, is_covered)
        number = numbers.setdefault(_key(look), len(looks))
        if number == len(looks):
            looks.append(look)
        group[part.triangles] = number
    group *= 4
    if by_piece:
        group += 2 * in_closed_piece(mesh)
        group += 0 if moved is None else moved[mesh.triangles].any(axis=1)
    order = np.argsort(group, kind="stable")
    counts = np.bincount(group, minlength=4 * len(looks)) * 3
    starts = np.concatenate([[0], np.cumsum(counts)])
    groups = [
        Group(looks[i // 4], bool(i & 2), bool(i & 1), int(starts[i]), int(counts[i]))
        for i in np.flatnonzero(counts)
    ]
    return np.ascontiguousarray(mesh.triangles[order], dtype=np.uint32), groups


def _is_covered(mesh: Mesh, part: Part, has_alpha: Callable[[Texture], bool]) -> bool:
    """Return whether alpha does something to a part: exporters mark opaque ones, too."""
    if part.alpha_mode == "opaque" or (part.alpha_mode == "mask" and part.alpha_cutoff <= 0):
        return False
    alpha = part.base_color[3]
    if mesh.colors is not None:
        alpha *= float(mesh.colors[part.vertices, 3].min(initial=1.0))
    if alpha < (1.0 if part.alpha_mode == "blend" else part.alpha_cutoff):
        return True
    return part.texture is not None and mesh.uvs is not None and has_alpha(part.texture)


def _by_kind(texture: Texture) -> bool:
    return may_have_alpha(texture.data)


def _key(look: Look) -> tuple[Any, ...]:
    """Return what tells looks apart, pictures by their identity: to compare their bytes takes long."""
    return (id(look.texture), id(look.emissive_texture), *look[2:])
