# SPDX-License-Identifier: MIT
"""Makes pose_texture_v1.safetensors: run once per version of the layout, keep the file forever.

PYTHONPATH=tests python tests/data/make_pose_texture.py
"""

from pathlib import Path

import numpy as np

import bake_rigs
import lissom
from lissom.files import pose_texture

bones = bake_rigs.skeleton()
clips = [
    bake_rigs.waving_clip(bones, key_count=5),
    bake_rigs.waving_clip(bones, name="grow", key_count=5, start=1.5, scale=np.full((5, 3), 1.2)),
]
path = Path(__file__).with_name(f"pose_texture_v{pose_texture.VERSION}.safetensors")
if path.exists():
    raise SystemExit(f"{path} exists; a released version is never made again")
lissom.bake(bake_rigs.character(*clips), rate=12).save(path)
