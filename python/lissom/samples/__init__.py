# SPDX-License-Identifier: MIT
"""The characters that come with the package, made by code when first asked for.

They need no file and no download, are the same on every machine, and are what the demo, the tests and the
notebooks show.
"""

from lissom.samples._humanoid import RUN_SPEED, WALK_SPEED, humanoid
from lissom.samples.bar import twisted_bar, two_bone_tube

__all__ = ["RUN_SPEED", "WALK_SPEED", "humanoid", "twisted_bar", "two_bone_tube"]
