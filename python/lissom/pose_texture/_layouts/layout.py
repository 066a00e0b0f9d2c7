# SPDX-License-Identifier: MIT
"""The interface of layouts, and what a layout settles for one bake."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom.pose_texture._layouts.rig import Rig
from lissom.pose_texture._layouts.sampled_palette import SampledPalette
from lissom.pose_texture._layouts.texels import TexelForm, Texels

if TYPE_CHECKING:
    from lissom._rig.skin import Skin
    from lissom.pose_texture._layouts.source import Source

__all__ = ["JointLayout", "Layout", "Plan"]

FloatArray = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Plan:
    """What a layout settles for all clips of a bake. `Layout.plan` returns the old plan or a wider one.

    Attributes
    ----------
    texels : int
        Texels of a row.
    methods : tuple of str
        Skinning methods that the rows can drive.
    rig : Rig or None
        Part of the skeleton that playback needs; None for layouts of palette rows.
    settled : bool
        Whether a joint was found that moves; False while `rig.moving` is assumed.
    own_rotation : frozenset of int
        Palette rows whose stored rotation is that of their joint, since the one of their matrices jumps.
    """

    texels: int
    methods: tuple[str, ...]
    rig: Rig | None = None
    settled: bool = False
    own_rotation: frozenset[int] = frozenset()


class Layout(ABC):
    """A form of skin transforms in texels. It has no state: what a bake settles is in its `Plan`.

    Attributes
    ----------
    name : str
    methods : tuple of str
        Skinning methods that the layout can drive; a plan may have fewer.
    by_joint : bool
        Whether rows are the skeleton's joints instead of palette rows.
    """

    name: str
    methods: tuple[str, ...]
    by_joint = False

    @abstractmethod
    def plan(self, source: Source, plan: Plan | None = None) -> Plan:
        """Return `plan` itself where it suffices for the frames of a clip, or else a wider plan.

        Raises
        ------
        ValueError
            If the layout cannot hold the frames: one sentence with joint, frame and number, without the
            name of a function.
        """

    @abstractmethod
    def rows(self, source: Source, plan: Plan) -> FloatArray:
        """Return row floats of a clip's frames, (F, R, 4 T), by a plan that suffices for them."""

    def texels(self, source: Source, plan: Plan, dtype: np.dtype[Any]) -> Texels | None:
        """Return a clip's frames as they are stored, where the core has them in one pass; else None.

        Then `plan` suffices for them.
        """
        return None

    @abstractmethod
    def form(self, texels: int, row_count: int) -> TexelForm:
        """Return where quaternions are. ValueError where the layout has no such number of texels in a row."""

    @abstractmethod
    def palette(self, rows: FloatArray, skin: Skin | None, rig: Rig | None) -> SampledPalette:
        """Return the palette of row floats (..., R, 4 T) that were read from texels."""

    def row_count(self, joint_count: int) -> int:
        """Return the number of texel rows for a number of joints (or palette rows)."""
        return joint_count

    def row_names(self, skin: Skin, joints: Sequence[str]) -> list[str]:
        """Return the joint of each texel row, by the names of the skeleton's `joints`."""
        return list(joints) if self.by_joint else [joints[joint] for joint in skin.joints]

    def row_parents(self, skin: Skin, parents: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
        """Return for each of `row_names` its nearest ancestor among them, or -1."""
        from lissom._rig.row_parents import row_parents

        return parents if self.by_joint else row_parents(skin, parents)

    def stored_skin(self, skin: Skin) -> Skin:
        """Return the skin with joints as indices into `row_names`."""
        from lissom._rig.skin import Skin

        return skin if self.by_joint else Skin(np.arange(len(skin)), skin.joint_from_bind)


class JointLayout(Layout):
    """A layout whose texel rows are the skeleton's joints."""

    by_joint = True

    @abstractmethod
    def model(self, rows: FloatArray, rig: Rig) -> FloatArray:
        """Return `model_from_joint`, (..., J, 4, 4), of row floats (..., R, 4 T)."""

    def _rigid(self, plan: Plan) -> bool:
        return plan.rig is not None and plan.rig.rigid
