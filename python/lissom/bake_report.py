# SPDX-License-Identifier: MIT
"""The report of a bake: the distance of its vertices from those of the source clips."""

from lissom.clip._error import SUBFRAMES, ClipError, ErrorStats, WorstVertex
from lissom.pose_texture._report import BakedClip, BakeReport

__all__ = ["SUBFRAMES", "BakeReport", "BakedClip", "ClipError", "ErrorStats", "WorstVertex"]


def __dir__() -> list[str]:
    return sorted(__all__)
