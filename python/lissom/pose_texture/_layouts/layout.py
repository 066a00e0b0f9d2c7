# SPDX-License-Identifier: MIT
"""What every layout can do, and what it settles for one bake."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lissom.pose_texture._layouts.rig import Rig
from lissom.pose_texture._layouts.sampled_palette import SampledPalette
from lissom.pose_texture._layouts.texels import TexelForm

if TYPE_CHECKING:
    from lissom._rig.skin import Skin
    from lissom.pose_texture._layouts.source import Source

__all__ = ["JointLayout", "Layout", "Plan"]

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Plan:
    """What is one for all clips of a bake. It only ever widens: `Layout.plan` gives the old one or a wider.

    Attributes
    ----------
    texels : int
        Texels of a row.
    methods : tuple of str
        Skinning methods that the rows can drive.
    rig : Rig or None
        What of the skeleton is needed on playback; None for layouts of palette rows.
    settled : bool
        Whether `rig.moving` was found, not assumed.
    """

    texels: int
    methods: tuple[str, ...]
    rig: Rig | None = None
    settled: bool = False


class Layout(ABC):
    """One way to lay skin transforms into texels. Has no state: what a bake settles is in its `Plan`.

    Attributes
    ----------
    name : str
    methods : tuple of str
        Skinning methods that the layout can drive at best.
    by_joint : bool
        Whether rows are the skeleton's joints, not palette rows.
    """

    name: str
    methods: tuple[str, ...]
    by_joint = False

    @abstractmethod
    def plan(self, source: Source, plan: Plan | None = None) -> Plan:
        """See what the frames of a clip need beyond `plan`, which is returned itself where it suffices.

        Raises
        ------
        ValueError
            If the layout cannot hold the frames: one sentence with joint, frame and figure, without a
            function's name in front.
        """

    @abstractmethod
    def rows(self, source: Source, plan: Plan) -> FloatArray:
        """Give row floats of a clip's frames, (F, R, 4 T), by a plan that it was asked for."""

    @abstractmethod
    def form(self, texels: int, row_count: int) -> TexelForm:
        """Say where quaternions lie. ValueError where the layout has no such number of texels in a row."""

    @abstractmethod
    def palette(self, rows: FloatArray, skin: Skin | None, rig: Rig | None) -> SampledPalette:
        """Make the palette of row floats (..., R, 4 T) that were read from texels."""

    def row_count(self, joint_count: int) -> int:
        """Count the texel rows that this many joints (or palette rows) need."""
        return joint_count

    def row_names(self, skin: Skin, joints: Sequence[str]) -> list[str]:
        """Name the joints that the texel rows belong to, `joints` being the skeleton's."""
        return list(joints) if self.by_joint else [joints[joint] for joint in skin.joints]

    def row_parents(self, skin: Skin, parents: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Give for each of `row_names` the one among them that it hangs below next, or -1."""
        from lissom._rig.row_parents import row_parents

        return parents if self.by_joint else row_parents(skin, parents)

    def stored_skin(self, skin: Skin) -> Skin:
        """Give the skin whose joints are indices into `row_names`, for a bake by the skin given."""
        from lissom._rig.skin import Skin

        return skin if self.by_joint else Skin(np.arange(len(skin)), skin.joint_from_bind)


class JointLayout(Layout):
    """A layout whose texel rows are the skeleton's joints."""

    by_joint = True

    @abstractmethod
    def model(self, rows: FloatArray, rig: Rig) -> FloatArray:
        """Give `model_from_joint`, (..., J, 4, 4), of row floats (..., R, 4 T)."""

    def _rigid(self, plan: Plan) -> bool:
        return plan.rig is not None and plan.rig.rigid
