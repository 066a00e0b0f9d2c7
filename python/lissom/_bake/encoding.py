# SPDX-License-Identifier: MIT
"""How the frames of a bake are stored, which is one for all of its clips."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom.pose_texture._layouts import LAYOUTS

if TYPE_CHECKING:
    from lissom._bake.clip_request import ClipRequest
    from lissom.pose_texture._layouts import Layout, Plan, Source

__all__ = ["DTYPE_SHARE", "Encoding", "widened_plan"]

DTYPE_SHARE = 0.75
"""Part of `max_error` that the stored type alone may use up. There frames have to make up for it by twice
their number (their error falls with the square), and a type of twice the bytes is as small."""

WIDER = {"uint8": "float16", "float16": "float32"}


@dataclass(frozen=True)
class Encoding:
    """Layout, plan and type of stored frames.

    Clips that need more are baked in another, wider encoding: all clips of a bake, again from the first.

    Attributes
    ----------
    layout : Layout
    plan : Plan
        What the layout settled for the frames seen so far.
    method : str
        Skinning method that the plan must be able to drive.
    dtype : numpy.dtype
    note : str
        Why `dtype` is wider than the one requested; empty where it is that one.
    """

    layout: Layout
    plan: Plan
    method: str
    dtype: np.dtype[Any]
    note: str = ""

    @property
    def wider_dtype(self) -> str | None:
        """Name of the next wider type, None for the widest."""
        return WIDER.get(self.dtype.name)

    def for_frames(self, source: Source) -> Encoding:
        """Return this encoding where its plan suffices for the frames, or else one with a wider plan."""
        plan = widened_plan(self.layout, source, self.plan, self.method)
        return self if plan is self.plan else replace(self, plan=plan)

    def for_dtype_error(self, request: ClipRequest, error: float, tolerated: float = DTYPE_SHARE) -> Encoding:
        """Return this encoding, or one of a wider type where this type alone takes too much of `max_error`.

        `error` is that of the type, model units; `tolerated` is the fraction of `allowed` that it may take.
        """
        if self.wider_dtype is None or error <= tolerated * request.allowed:
            return self
        return self.in_wider_dtype(
            f"in {request.clip.name!r} {self.dtype.name} alone costs {error / (request.size or 1.0):.3%} "
            f"of the size, and max_error={request.max_error:g}."
        )

    def in_wider_dtype(self, why: str) -> Encoding:
        """Return an encoding of the next wider type, whose note says why."""
        wider = WIDER[self.dtype.name]
        note = f"{wider} is stored instead of {self.dtype.name}: {why}"
        return replace(self, dtype=np.dtype(wider), note=f"{self.note} {note}".strip())


def widened_plan(layout: Layout, source: Source, plan: Plan | None, method: str) -> Plan:
    """Return `plan` itself where it suffices for a clip's frames, or else a wider one.

    ValueError where the layout cannot hold the frames, or cannot drive the method then.
    """
    try:
        plan = layout.plan(source, plan)
    except ValueError as error:
        raise ValueError(f"bake: {error}") from None
    if method not in plan.methods:
        others = [other.name for other in LAYOUTS.values() if other is not layout and method in other.methods]
        raise ValueError(
            f"bake: method {method!r} cannot be driven by the layout {layout.name!r} of this character; "
            f"pass method={plan.methods[0]!r}, or a layout that can: {', '.join(map(repr, others))}"
        )
    return plan
