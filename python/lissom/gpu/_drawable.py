# SPDX-License-Identifier: MIT
"""What a stage can draw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from lissom._view.camera import AZIMUTH

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from lissom.gpu._context import GlContext

__all__ = ["Drawable", "usual_azimuth"]


class Drawable(Protocol):
    """What a stage can draw, such as a `SkinnedModel` or a `Crowd`."""

    @property
    def context(self) -> GlContext:
        """The context that holds its buffers, which must be the stage's."""

    @property
    def size(self) -> float:
        """Size of one character, world units: contact shadows fade out half of that above the ground."""

    def points(self) -> NDArray[np.float64]:
        """Return world points, ``(N, 3)``, that a camera must see to see all of it."""

    def ground(self) -> float:
        """Return the world y of the ground that it stands on."""

    def prepare(self, view: Mapping[str, Any]) -> None:
        """Bring textures and buffers up to date for a picture's uniforms; the context must be current."""

    # Those through which something may show have `draw_blended(view)` as well: it draws that by surface.frag
    # over what is there, from far to near; the context is current and the state set.

    def draw(self, fragment: str, uniforms: Mapping[str, Any]) -> None:
        """Draw with a fragment program; the context must be current and the state set."""


def usual_azimuth(things: tuple[Drawable, ...]) -> float:
    """Return from where things are seen unless told otherwise: before the front that all have, if they do."""
    usual = {getattr(thing, "_usual_azimuth", AZIMUTH) for thing in things}
    return usual.pop() if len(usual) == 1 else AZIMUTH
