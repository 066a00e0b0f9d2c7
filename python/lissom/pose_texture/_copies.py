# SPDX-License-Identifier: MIT
"""Copies of a pose texture, to write to or to send to another process."""

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
    """Return a copy whose texels and weights can be written.

    `set_row`, `set_texel` and `set_morphs` write to it, and so does ``copy.texels[...] = ...``. Its report
    says that it was edited: errors and bounds are those of the bake it was copied from, and may no longer
    hold. It is sampled, drawn and saved like any other bake. A bake from `lissom.load_bake` is read-only
    until it is copied.

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
    if self.weights is not None:
        options["weights"] = np.array(self.weights, order="C")
    return _made(texels, options, True)


def reduced(self: PoseTexture) -> tuple[Callable[..., PoseTexture], tuple[Any, ...]]:
    """Return how `pickle` and `copy` make a copy; they cannot pickle a mapping proxy."""
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
        "weights": bake.weights,
        "morph_names": bake.morph_names,
    }


def _made(texels: TexelArray, options: dict[str, Any], writable: bool) -> PoseTexture:
    """Make a bake that shares the array, and writes to it if `writable`."""
    from lissom.pose_texture._pose_texture import PoseTexture

    bake = PoseTexture(texels, **options)
    if writable:
        bake._texels = Texels(texels, bake._texels.form, bake.ranges)
        bake.texels = texels
        bake.weights = options["weights"]
    return bake
