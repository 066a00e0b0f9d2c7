# SPDX-License-Identifier: MIT
"""The names of the skinning methods, and which of them bakes and inverse skinning support."""

#: All methods; their indices are those of influences.glsl.
METHODS = ("linear", "dual_quat", "quat_trans", "cor", "blended")

#: Methods that play a bake: crowds are drawn, and bakes measured, by these.
BAKED_METHODS = METHODS[:2]

#: Methods that `undeform` inverts.
INVERTIBLE_METHODS = METHODS[:2]


def check_method(method: object, caller: str) -> None:
    """Refuse what is not the name of a skinning method."""
    if method not in METHODS:
        raise ValueError(f"{caller}: method must be one of {', '.join(map(repr, METHODS))}, got {method!r}")
