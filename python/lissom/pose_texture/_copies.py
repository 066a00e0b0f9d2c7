# SPDX-License-Identifier: MIT
"""Copies of a pose texture: to write to, and to send to another process."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.pose_texture._layouts import TexelArray, Texels

if TYPE_CHECKING:
    from collections.abc import Callable

    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["edited", "reduced"]

EDITED = "Texels were edited by hand: errors and bounds are those from before."


def edited(self: PoseTexture) -> PoseTexture:
    """Give a copy whose texels can be written.

    `set_row` and `set_texel` write to it, and so does ``copy.texels[...] = ...``. Its report says that it
    was edited: the errors are those of the bake it came from and no longer count, bounds likewise. It is
    sampled, drawn and saved as any other; what `lissom.load_bake` reads cannot be written until it is
    copied in its turn.

    Returns
    -------
    PoseTexture
        With ``report.edited`` True.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), "twist", rate=30)
    >>> copy = bake.edited()
    >>> copy.texels[60, 1, 0] = [0, 0, 0, 1]
    >>> copy.report.edited, bool(np.array_equal(bake.texels, copy.texels))
    (True, False)
    """
    notes = self.report.notes if self.report.edited else (*self.report.notes, EDITED)
    options = {**_options(self), "report": replace(self.report, edited=True, notes=notes)}
    texels: Any = np.array(self.texels, order="C")
    return _made(texels, options, True)


def reduced(self: PoseTexture) -> tuple[Callable[..., PoseTexture], tuple[Any, ...]]:
    """Say how `pickle` and `copy` make another; a mapping proxy could not be pickled."""
    return _made, (self.texels, _options(self), self.texels.flags.writeable)


def _options(bake: PoseTexture) -> dict[str, Any]:
    return {
        "clips": dict(bake.clips),
        "joints": bake.joints,
        "report": bake.report,
        "mesh": bake.mesh,
        "source_hash": bake.source_hash,
        "ranges": bake.ranges,
        "skin": bake.skin,
        "rig": bake.rig,
        "parents": bake.parents,
    }


def _made(texels: TexelArray, options: dict[str, Any], writable: bool) -> PoseTexture:
    """Make a bake by the very array, which can be written where asked for."""
    from lissom.pose_texture._pose_texture import PoseTexture

    bake = PoseTexture(texels, **options)
    if writable:
        bake._texels = Texels(texels, bake._texels.form, bake.ranges)
        bake.texels = texels
    return bake
