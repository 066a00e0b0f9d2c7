# SPDX-License-Identifier: MIT
"""A clip that was found in somebody's bake, and other ways to read its numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lissom._export.played import Played
from lissom._export.vertex_clip import VertexClip
from lissom._rig.mesh import Mesh
from lissom.pose_texture import PoseTexture

__all__ = ["FoundClip", "Reading"]

Frames = npt.NDArray[np.int64]
Vertices = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Reading:
    """Another way to read the same numbers, which undoes a fault.

    Attributes
    ----------
    fault : str
        Name of the fault.
    sentence : str
        What it is, and what to do.
    at_frames : function of frames (F)
        The vertices (F, V, 3) that this reading gives.
    """

    fault: str
    sentence: str
    at_frames: Callable[[Frames], Vertices]


@dataclass(frozen=True)
class FoundClip:
    """A clip as its engine plays it.

    Attributes
    ----------
    name : str
        Of the source's clip.
    played : Played
    mesh : Mesh
        At rest, in lissom's axes.
    at_frames : function of frames (F)
        The vertices (F, V, 3) at whole frames.
    method : str or None
        Skinning method that the files name.
    step : float
        Largest step of stored numbers, model units; 0 where they are not known to be rounded.
    readings : tuple of Reading
        What else the numbers might mean.
    lag : float
        How much earlier than a frame is shown its pose was taken, frames.
    seconds : float or None
        How long the engine takes for the clip; as long as its frames at their rate when None.
    is_tagged : bool
        Whether a picture of numbers says that they are colours.
    bake : PoseTexture or None
        Where it is one of lissom's.
    palettes : function of frames (F), or None
        The matrices (F, S, 4, 4) of the palette rows, as the files have them, where they hold joints.
    sharing : str
        Which other clips say they are in the same rows of the texture; empty without any.
    cut : function of frames (F), or None
        Which rows (F, S) have a place at an end of what is stored, where that is a box.
    """

    name: str
    played: Played
    mesh: Mesh
    at_frames: Callable[[Frames], Vertices]
    method: str | None = None
    step: float = 0.0
    readings: tuple[Reading, ...] = ()
    lag: float = 0.0
    seconds: float | None = None
    is_tagged: bool = False
    bake: PoseTexture | None = None
    palettes: Callable[[Frames], npt.NDArray[np.floating]] | None = None
    sharing: str = ""
    cut: Callable[[Frames], npt.NDArray[np.bool_]] | None = None

    @property
    def frames(self) -> VertexClip:
        """Its frames, their rate, and where they begin."""
        return self.played.clips[self.name]
