# SPDX-License-Identifier: MIT
"""Makes pose_texture_v2_*.safetensors: run once per version of the files, keep them forever.

PYTHONPATH=tests python tests/data/make_pose_texture.py
"""

from dataclasses import replace
from pathlib import Path

import bake_rigs
import lissom
from lissom.pose_texture import _file as pose_texture
from lissom.pose_texture._layouts import LAYOUTS

FOLDER = Path(__file__).parent

bones = bake_rigs.skeleton()
clips = [
    bake_rigs.waving_clip(bones, key_count=5),
    bake_rigs.waving_clip(bones, name="high", key_count=5, start=1.5),
]
character = lissom.Character(
    "tube",
    bones,
    bake_rigs.mesh(24),
    bake_rigs.skin(bones),
    {clip.name: clip for clip in clips},
)
moves = lissom.trs.from_parts(
    translation=[[0, 0, 0], [0, 0.1, 1.5]], rotation=[[0, 0, 0, 1], [0, 0.6, 0, 0.8]]
)
motion = lissom.RootMotion(lissom.RootMotion.from_moves([1.5, 2.5], moves, loop=True).track, ["joint0"], 0.25)
for name in [*LAYOUTS, "uint8"]:
    path = FOLDER / f"pose_texture_v{pose_texture.VERSION}_{name}.safetensors"
    if path.exists():
        raise SystemExit(f"{path} exists; a released version is never made again")
    layout, dtype = ("dual_quat", "uint8") if name == "uint8" else (name, "float16")
    bake = lissom.bake(character, layout=layout, dtype=dtype, rate=12)
    markers = (lissom.Marker(1.5, "left"), lissom.Marker(1.75, "réchts"))
    table = dict(bake.clips)
    table["high"] = replace(table["high"], markers=markers, root_motion=motion)
    lissom.PoseTexture(
        bake.texels,
        table,
        bake.joints,
        replace(bake.report, clips=table),
        mesh=bake.mesh,
        source_hash=bake.source_hash,
        ranges=bake.ranges,
        skin=bake.skin,
        rig=bake.rig,
    ).save(path)
