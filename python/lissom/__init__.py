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

# From 3.12 on Python itself refuses the extension there; before, importing it never returned.
if sys.version_info < (3, 12):
    import _xxsubinterpreters as _interpreters

    if _interpreters.get_current() != _interpreters.get_main():
        raise ImportError(
            "lissom does not support subinterpreters; import it in the main one, or in another process"
        )
    del _interpreters

try:
    from lissom._core import __version__
except ImportError as error:
    # The command imports this first: a setting that is wrong is wrong usage of it, not a traceback.
    is_command = os.path.basename(sys.argv[0] if sys.argv else "") in ("lissom", "lissom.exe")
    if (is_command or sys.orig_argv[1:3] == ["-m", "lissom"]) and str(error).startswith("lissom: LISSOM_"):
        sys.stderr.write(f"{error}\n")
        raise SystemExit(2) from None
    raise

# Public name: module that holds it. One line each, sorted. A public module stands for itself. Type checkers
# read the same from __init__.pyi.
_HOMES = {
    "Animation": "lissom._formats.animation",
    "BakeError": "lissom.errors",
    "BakeFault": "lissom._verify.fault",
    "BakeJob": "lissom._jobs.bake_job",
    "BakeRecord": "lissom._jobs.records",
    "BakeRecords": "lissom._jobs.records",
    "BakeSummary": "lissom._jobs.summary",
    "Binding": "lissom.clip",
    "BlendSpace1D": "lissom._playback.blend_space",
    "BlendSpace2D": "lissom._playback.blend_space",
    "BvhError": "lissom.errors",
    "Catalog": "lissom._catalog.catalog",
    "Character": "lissom._character.character",
    "Clip": "lissom.clip",
    "ClipReport": "lissom.clip",
    "Comparison": "lissom._pictures.compare",
    "CrossFade": "lissom._playback.cross_fade",
    "Deformed": "lissom.skinning",
    "DeformedFrames": "lissom.skinning",
    "DropTarget": "lissom._viewer.drop_target",
    "ExportReport": "lissom._export.report",
    "Expression": "lissom._rig.expressions",
    "Expressions": "lissom._rig.expressions",
    "GazeRange": "lissom._gaze.gaze_range",
    "GltfError": "lissom.errors",
    "GpuError": "lissom.errors",
    "Inertializer": "lissom._playback.inertializer",
    "LookAt": "lissom._gaze.look_at",
    "Marker": "lissom.clip",
    "Mesh": "lissom._rig.mesh",
    "Morphs": "lissom._rig.morphs",
    "Pages": "lissom._pages.pages",
    "Palette": "lissom._rig.skin",
    "Part": "lissom._rig.part",
    "Picture": "lissom._formats.picture",
    "PlayerLayer": "lissom._playback.player_layer",
    "Players": "lissom._playback.players",
    "PoseTexture": "lissom.pose_texture",
    "PreparedMesh": "lissom._rig.prepared_mesh",
    "Repair": "lissom._character.repair",
    "ResampleError": "lissom.errors",
    "Retarget": "lissom._retarget.retarget",
    "RetargetReport": "lissom._retarget.report",
    "RetargetedClip": "lissom._retarget.report",
    "Roles": "lissom._roles.roles",
    "RootMotion": "lissom.clip._root_motion",
    "Skeleton": "lissom._rig.skeleton",
    "Skin": "lissom._rig.skin",
    "SpringChain": "lissom._springs.chain",
    "SpringCollider": "lissom._springs.collider",
    "SpringSeam": "lissom._springs.simulate",
    "Springs": "lissom._springs.springs",
    "Texture": "lissom._rig.part",
    "UpdateRates": "lissom._playback.update_rates",
    "VerifyReport": "lissom._verify.report",
    "VertexAnimation": "lissom._export.vertex_animation",
    "VertexClip": "lissom._export.vertex_clip",
    "Viewer": "lissom._viewer.viewer",
    "add_layer": "lissom.clip._additive",
    "attach": "lissom._character.attach",
    "bake": "lissom._bake.bake",
    "bake_many": "lissom._jobs.bake_many",
    "bake_report": "lissom.bake_report",
    "bend_blend": "lissom._character.bend_blend",
    "blend": "lissom._playback.blend",
    "blend_layers": "lissom._playback.blend",
    "blend_root_motions": "lissom.clip._root_motion",
    "clip": "lissom.clip",
    "compare": "lissom._pictures.compare",
    "contact_sheet": "lissom._pictures.contact_sheet",
    "cross_fade": "lissom.cross_fade",
    "deform": "lissom.skinning",
    "dual_quat": "lissom.dual_quat",
    "errors": "lissom.errors",
    "gpu": "lissom.gpu",
    "ground": "lissom.ground",
    "ik": "lissom.ik",
    "is_deterministic": "lissom._base.config",
    "load": "lissom._files.load",
    "load_amass": "lissom._files.load_amass",
    "load_bake": "lissom.pose_texture",
    "load_bvh": "lissom._files.load_bvh",
    "load_vrma": "lissom._files.load_vrma",
    "make_additive": "lissom.clip._additive",
    "merge": "lissom._character.merge",
    "metrics": "lissom.metrics",
    "player": "lissom.player",
    "plots": "lissom.plots",
    "pose_texture": "lissom.pose_texture",
    "quat": "lissom.quat",
    "render": "lissom._pictures.render",
    "sample": "lissom._playback.state",
    "samples": "lissom.samples",
    "roles": "lissom._roles.roles",
    "save_glb": "lissom._files.save_glb",
    "set_deterministic": "lissom._base.config",
    "set_thread_count": "lissom._base.config",
    "show": "lissom.player._show_several",
    "show_config": "lissom._base.config",
    "sketch": "lissom._sketch.sketch",
    "skin_blended": "lissom.skinning",
    "skin_cor": "lissom.skinning",
    "skin_dual_quat": "lissom.skinning",
    "skin_linear": "lissom.skinning",
    "skin_quat_trans": "lissom.skinning",
    "skinning": "lissom.skinning",
    "testing": "lissom.testing",
    "thread_count": "lissom._base.config",
    "trs": "lissom.trs",
    "undeform": "lissom.skinning._inverse",
    "unskin_dual_quat": "lissom.skinning._inverse",
    "unskin_linear": "lissom.skinning._inverse",
    "verify": "lissom._verify.verify",
    "view": "lissom._viewer.viewer",
    "weights": "lissom.weights",
}

__all__ = ["__version__", *_HOMES]


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
