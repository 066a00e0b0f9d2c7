# SPDX-License-Identifier: MIT
"""Drawing with OpenGL 3.3, without a window: a stage, skinned models, crowds. Needs the extra ``gl``.

A context is made at first use.
"""

import importlib

from lissom._base.set_module import publish as _publish
from lissom._crowd.instances import INSTANCE_DTYPE, heading, plain_instances, scattered
from lissom._lod.simplify import levels_of_detail
from lissom._view.camera import Camera
from lissom._view.labels import with_color_bar
from lissom.gpu._budget import UniformBudget, uniform_budget
from lissom.gpu._context import GlContext
from lissom.gpu._crowd import Crowd
from lissom.gpu._crowd_library import CrowdLibrary
from lissom.gpu._deformed import GpuDeformed
from lissom.gpu._impostors import Impostors
from lissom.gpu._live_crowd import LiveCrowd
from lissom.gpu._model import SkinnedModel
from lissom.gpu._pose_upload import PoseUpload
from lissom.gpu._programs import program, shader_source
from lissom.gpu._stage import Stage

__all__ = [
    "INSTANCE_DTYPE",
    "Camera",
    "Crowd",
    "CrowdLibrary",
    "GlContext",
    "GpuDeformed",
    "Impostors",
    "LiveCrowd",
    "PoseUpload",
    "SkinnedModel",
    "Stage",
    "UniformBudget",
    "heading",
    "levels_of_detail",
    "plain_instances",
    "program",
    "scattered",
    "shader_source",
    "uniform_budget",
    "with_color_bar",
]

_publish(globals())


def __getattr__(name: str) -> object:
    if name in ("teaching", "teaching_crowd"):  # documented modules that few need
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
