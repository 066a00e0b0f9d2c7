# SPDX-License-Identifier: MIT
"""The public names of lissom, for type checkers and editors; __init__.py finds each when it is asked for."""

from lissom import bake_report as bake_report
from lissom import clip as clip
from lissom import cross_fade as cross_fade
from lissom import dual_quat as dual_quat
from lissom import errors as errors
from lissom import gpu as gpu
from lissom import ground as ground
from lissom import ik as ik
from lissom import metrics as metrics
from lissom import player as player
from lissom import plots as plots
from lissom import pose_texture as pose_texture
from lissom import quat as quat
from lissom import samples as samples
from lissom import skinning as skinning
from lissom import testing as testing
from lissom import trs as trs
from lissom import weights as weights
from lissom._bake.bake import bake as bake
from lissom._bake_many.bake_many import bake_many as bake_many
from lissom._bake_many.job import BakeJob as BakeJob
from lissom._bake_many.records import BakeRecord as BakeRecord
from lissom._bake_many.records import BakeRecords as BakeRecords
from lissom._base.config import is_deterministic as is_deterministic
from lissom._base.config import set_deterministic as set_deterministic
from lissom._base.config import set_thread_count as set_thread_count
from lissom._base.config import show_config as show_config
from lissom._base.config import thread_count as thread_count
from lissom._character.bend_blend import bend_blend as bend_blend
from lissom._character.character import Character as Character
from lissom._character.repair import Repair as Repair
from lissom._files.load import load as load
from lissom._files.load_bvh import load_bvh as load_bvh
from lissom._files.save_glb import save_glb as save_glb
from lissom._formats.picture import Picture as Picture
from lissom._pictures.animation import Animation as Animation
from lissom._pictures.compare import Comparison as Comparison
from lissom._pictures.compare import compare as compare
from lissom._pictures.render import render as render
from lissom._playback.blend import blend as blend
from lissom._playback.blend import blend_layers as blend_layers
from lissom._playback.blend_space import BlendSpace1D as BlendSpace1D
from lissom._playback.blend_space import BlendSpace2D as BlendSpace2D
from lissom._playback.cross_fade import CrossFade as CrossFade
from lissom._playback.inertializer import Inertializer as Inertializer
from lissom._rig.mesh import Mesh as Mesh
from lissom._rig.part import Part as Part
from lissom._rig.part import Texture as Texture
from lissom._rig.prepared_mesh import PreparedMesh as PreparedMesh
from lissom._rig.skeleton import Skeleton as Skeleton
from lissom._rig.skin import Palette as Palette
from lissom._rig.skin import Skin as Skin
from lissom._sketch.sketch import sketch as sketch
from lissom.clip import Binding as Binding
from lissom.clip import Clip as Clip
from lissom.clip import ClipReport as ClipReport
from lissom.clip import Marker as Marker
from lissom.clip._additive import add_layer as add_layer
from lissom.clip._additive import make_additive as make_additive
from lissom.clip._root_motion import RootMotion as RootMotion
from lissom.clip._root_motion import blend_root_motions as blend_root_motions
from lissom.errors import BakeError as BakeError
from lissom.errors import BvhError as BvhError
from lissom.errors import GltfError as GltfError
from lissom.errors import GpuError as GpuError
from lissom.errors import ResampleError as ResampleError
from lissom.pose_texture import PoseTexture as PoseTexture
from lissom.pose_texture import load_bake as load_bake
from lissom.skinning import Deformed as Deformed
from lissom.skinning import DeformedFrames as DeformedFrames
from lissom.skinning import deform as deform
from lissom.skinning import skin_blended as skin_blended
from lissom.skinning import skin_cor as skin_cor
from lissom.skinning import skin_dual_quat as skin_dual_quat
from lissom.skinning import skin_linear as skin_linear
from lissom.skinning import skin_quat_trans as skin_quat_trans
from lissom.skinning._inverse import undeform as undeform
from lissom.skinning._inverse import unskin_dual_quat as unskin_dual_quat
from lissom.skinning._inverse import unskin_linear as unskin_linear

__all__: list[str]
__version__: str

def __dir__() -> list[str]: ...
