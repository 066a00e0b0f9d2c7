# SPDX-License-Identifier: MIT
"""The options of `lissom.render` that mean the same for a picture and a film, for type checkers."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from lissom._character.blend_argument import Blend
    from lissom._view.camera import Camera
    from lissom._view.terrain_mesh import GroundLike

__all__ = ["RenderOptions", "SeveralOptions"]


class RenderOptions(TypedDict, total=False):
    """As `lissom.render` says."""

    method: str | None
    blend: Blend | None
    morphs: ArrayLike | None
    width: int
    height: int
    camera: Camera | None
    azimuth: float | None
    elevation: float
    ground: GroundLike
    ground_height: float | None
    heat: ArrayLike | None
    heat_maximum: float | None
    color_bar: bool | str
    samples: int
    background: tuple[float, float, float] | str | None
    rate: float


class SeveralOptions(TypedDict, total=False):
    """As `lissom.render` says, of several characters."""

    method: str | Sequence[str | None] | None
    blend: Blend | Sequence[Blend | None] | None
    morphs: Sequence[ArrayLike | None] | None
    width: int
    height: int
    camera: Camera | None
    azimuth: float | None
    elevation: float
    ground: GroundLike
    ground_height: float | None
    heat: Sequence[ArrayLike | None] | None
    heat_maximum: float | None
    color_bar: bool | str
    samples: int
    background: tuple[float, float, float] | str | None
    rate: float
