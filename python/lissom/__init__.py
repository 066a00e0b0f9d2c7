# SPDX-License-Identifier: MIT
"""lissom moves characters: rigs and clips as NumPy arrays, skinned, baked and drawn.

    hero = lissom.load("hero.glb")
    poses = hero.clips["Walk"].sample(times)  # (..., J, 10)
    vertices = hero.deform(poses)  # (..., V, 3)

Names are imported when they are first asked for, so ``import lissom`` costs little more than NumPy.
"""

from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING

try:
    from lissom._core import __version__
except ImportError as error:
    # The command imports this first: a setting that is wrong is wrong usage of it, not a traceback.
    is_command = os.path.basename(sys.argv[0] if sys.argv else "") in ("lissom", "lissom.exe")
    if (is_command or sys.orig_argv[1:3] == ["-m", "lissom"]) and str(error).startswith("lissom: LISSOM_"):
        sys.stderr.write(f"{error}\n")
        raise SystemExit(2) from None
    raise

if TYPE_CHECKING:  # what the table below does at run time, said to type checkers and editors
    from lissom import dual_quat as dual_quat
    from lissom import errors as errors
    from lissom import gpu as gpu
    from lissom import ground as ground
    from lissom import ik as ik
    from lissom import metrics as metrics
    from lissom import player as player
    from lissom import plots as plots
    from lissom import quat as quat
    from lissom import samples as samples
    from lissom import skinning as skinning
    from lissom import testing as testing
    from lissom import trs as trs
    from lissom import weights as weights
    from lissom._additive import add_layer as add_layer
    from lissom._additive import make_additive as make_additive
    from lissom._bake import bake as bake
    from lissom._bake_many import BakeJob as BakeJob
    from lissom._bake_many import BakeRecord as BakeRecord
    from lissom._bake_many import BakeRecords as BakeRecords
    from lissom._bake_many import bake_many as bake_many
    from lissom._bend_blend import bend_blend as bend_blend
    from lissom._blend import blend as blend
    from lissom._blend import blend_layers as blend_layers
    from lissom._bvh import load_bvh as load_bvh
    from lissom._compare import Comparison as Comparison
    from lissom._compare import compare as compare
    from lissom._config import is_deterministic as is_deterministic
    from lissom._config import set_deterministic as set_deterministic
    from lissom._config import set_thread_count as set_thread_count
    from lissom._config import show_config as show_config
    from lissom._config import thread_count as thread_count
    from lissom._load import load as load
    from lissom._render import render as render
    from lissom._save_glb import save_glb as save_glb
    from lissom._sketch import sketch as sketch
    from lissom.animation import Animation as Animation
    from lissom.blend_space import BlendSpace1D as BlendSpace1D
    from lissom.blend_space import BlendSpace2D as BlendSpace2D
    from lissom.character import Character as Character
    from lissom.character import Repair as Repair
    from lissom.clip import Binding as Binding
    from lissom.clip import Clip as Clip
    from lissom.clip import ClipReport as ClipReport
    from lissom.clip import Marker as Marker
    from lissom.cross_fade import CrossFade as CrossFade
    from lissom.errors import BakeError as BakeError
    from lissom.errors import BvhError as BvhError
    from lissom.errors import GltfError as GltfError
    from lissom.errors import GpuError as GpuError
    from lissom.errors import ResampleError as ResampleError
    from lissom.inertializer import Inertializer as Inertializer
    from lissom.inverse_skinning import undeform as undeform
    from lissom.inverse_skinning import unskin_dual_quat as unskin_dual_quat
    from lissom.inverse_skinning import unskin_linear as unskin_linear
    from lissom.mesh import Mesh as Mesh
    from lissom.mesh import Part as Part
    from lissom.mesh import Texture as Texture
    from lissom.picture import Picture as Picture
    from lissom.pose_texture import PoseTexture as PoseTexture
    from lissom.pose_texture import load_bake as load_bake
    from lissom.prepared_mesh import PreparedMesh as PreparedMesh
    from lissom.root_motion import RootMotion as RootMotion
    from lissom.root_motion import blend_root_motions as blend_root_motions
    from lissom.skeleton import Skeleton as Skeleton
    from lissom.skin import Palette as Palette
    from lissom.skin import Skin as Skin
    from lissom.skinning import Deformed as Deformed
    from lissom.skinning import DeformedFrames as DeformedFrames
    from lissom.skinning import deform as deform
    from lissom.skinning import skin_blended as skin_blended
    from lissom.skinning import skin_cor as skin_cor
    from lissom.skinning import skin_dual_quat as skin_dual_quat
    from lissom.skinning import skin_linear as skin_linear
    from lissom.skinning import skin_quat_trans as skin_quat_trans

# Public name: module that holds it. One line each, sorted. A public module stands for itself.
_HOMES = {
    "Animation": "lissom.animation",
    "BakeError": "lissom.errors",
    "BakeJob": "lissom._bake_many",
    "BakeRecord": "lissom._bake_many",
    "BakeRecords": "lissom._bake_many",
    "Binding": "lissom.clip",
    "BlendSpace1D": "lissom.blend_space",
    "BlendSpace2D": "lissom.blend_space",
    "BvhError": "lissom.errors",
    "Character": "lissom.character",
    "Clip": "lissom.clip",
    "ClipReport": "lissom.clip",
    "Comparison": "lissom._compare",
    "CrossFade": "lissom.cross_fade",
    "Deformed": "lissom.skinning",
    "DeformedFrames": "lissom.skinning",
    "GltfError": "lissom.errors",
    "GpuError": "lissom.errors",
    "Inertializer": "lissom.inertializer",
    "Marker": "lissom.clip",
    "Mesh": "lissom.mesh",
    "Palette": "lissom.skin",
    "Part": "lissom.mesh",
    "Picture": "lissom.picture",
    "PoseTexture": "lissom.pose_texture",
    "PreparedMesh": "lissom.prepared_mesh",
    "Repair": "lissom.character",
    "ResampleError": "lissom.errors",
    "RootMotion": "lissom.root_motion",
    "Skeleton": "lissom.skeleton",
    "Skin": "lissom.skin",
    "Texture": "lissom.mesh",
    "add_layer": "lissom._additive",
    "bake": "lissom._bake",
    "bake_many": "lissom._bake_many",
    "bend_blend": "lissom._bend_blend",
    "blend": "lissom._blend",
    "blend_layers": "lissom._blend",
    "blend_root_motions": "lissom.root_motion",
    "compare": "lissom._compare",
    "deform": "lissom.skinning",
    "dual_quat": "lissom.dual_quat",
    "errors": "lissom.errors",
    "gpu": "lissom.gpu",
    "ground": "lissom.ground",
    "ik": "lissom.ik",
    "is_deterministic": "lissom._config",
    "load": "lissom._load",
    "load_bake": "lissom.pose_texture",
    "load_bvh": "lissom._bvh",
    "make_additive": "lissom._additive",
    "metrics": "lissom.metrics",
    "player": "lissom.player",
    "plots": "lissom.plots",
    "quat": "lissom.quat",
    "render": "lissom._render",
    "samples": "lissom.samples",
    "save_glb": "lissom._save_glb",
    "set_deterministic": "lissom._config",
    "set_thread_count": "lissom._config",
    "show_config": "lissom._config",
    "sketch": "lissom._sketch",
    "skin_blended": "lissom.skinning",
    "skin_cor": "lissom.skinning",
    "skin_dual_quat": "lissom.skinning",
    "skin_linear": "lissom.skinning",
    "skin_quat_trans": "lissom.skinning",
    "skinning": "lissom.skinning",
    "testing": "lissom.testing",
    "thread_count": "lissom._config",
    "trs": "lissom.trs",
    "undeform": "lissom.inverse_skinning",
    "unskin_dual_quat": "lissom.inverse_skinning",
    "unskin_linear": "lissom.inverse_skinning",
    "weights": "lissom.weights",
}

__all__ = ["__version__", *_HOMES]


if not TYPE_CHECKING:  # a name that is not above is an error to type checkers, too

    def __getattr__(name: str) -> object:
        home = _HOMES.get(name)
        if home is None:
            raise AttributeError(f"module 'lissom' has no attribute {name!r}")
        module = importlib.import_module(home)
        value = module if home == f"lissom.{name}" else getattr(module, name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
