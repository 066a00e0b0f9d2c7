# SPDX-License-Identifier: MIT
"""The tests marked `portable`: numbers alone, of rooms that need NumPy, msgspec, SciPy and what runs tests.

They are what a wheel is tried by on a machine that lacks the rest, an emulated one too: algebra, clips,
blending, matrices, skinning, inverse kinematics, bakes, the hashes of deterministic mode, and the samples.
"""

from functools import cache
from pathlib import Path

TESTS = Path(__file__).parent
ROOMS = {
    "algebra": "drift dual_quat dual_quat_blending golden quat_algebra quat_interpolation trs trs_matrices",
    "base": "deterministic hermite instruction_sets row_sums",
    "bake": "bake rigid_texels",
    "clip": "clip clip_interpolation clip_seam clip_uniform root_motion",
    "ik": "ik_aim ik_ccd ik_fabrik ik_limits ik_two_bone",
    "playback": "additive blend blend_space inertializer",
    "pose_texture": "texels",
    "rig": "joint_matrices mesh morphs normals palette pose_palette skeleton",
    "samples": "fields samples",
    "skinning": "centers_of_rotation cor inverse_skinning morphed_skinning prepared_mesh skinning",
    "springs": "springs",
}
PORTABLE = {Path(room) / f"test_{name}.py" for room, names in ROOMS.items() for name in names.split()}


@cache  # asked once per test
def is_portable(path: Path) -> bool:
    """Whether tests of a file, or of some files in a folder, are among them."""
    place = path.relative_to(TESTS)
    return any(place == one or place in one.parents for one in PORTABLE)
