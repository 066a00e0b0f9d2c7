# SPDX-License-Identifier: MIT
"""Drawing with OpenGL 3.3, headless first: a stage, skinned models, crowds. Needs the extra ``gl``.

No context is made before the first `Stage`.
"""

from lissom.gpu.budget import UniformBudget, uniform_budget
from lissom.gpu.camera import Camera
from lissom.gpu.crowd import Crowd
from lissom.gpu.impostors import Impostors
from lissom.gpu.instances import INSTANCE_DTYPE, heading, plain_instances, scattered
from lissom.gpu.labels import with_color_bar
from lissom.gpu.model import GpuDeformed, SkinnedModel
from lissom.gpu.pose_upload import PoseUpload
from lissom.gpu.simplify import levels_of_detail
from lissom.gpu.stage import Stage

__all__ = [
    "INSTANCE_DTYPE",
    "Camera",
    "Crowd",
    "GpuDeformed",
    "Impostors",
    "PoseUpload",
    "SkinnedModel",
    "Stage",
    "UniformBudget",
    "heading",
    "levels_of_detail",
    "plain_instances",
    "scattered",
    "uniform_budget",
    "with_color_bar",
]


def __dir__() -> list[str]:
    return sorted(__all__)
