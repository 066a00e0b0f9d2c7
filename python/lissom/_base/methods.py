# SPDX-License-Identifier: MIT
"""The names of the skinning methods, and which can do what; the help of the command needs them at once."""

#: All there are, in the numbers of influences.glsl.
METHODS = ("linear", "dual_quat", "quat_trans", "cor", "blended")

#: Those that a bake's texels can be played by: crowds are drawn by them, and bakes judged.
BAKED_METHODS = METHODS[:2]

#: Those that `undeform` can undo.
INVERTIBLE_METHODS = METHODS[:2]
