# SPDX-License-Identifier: MIT
"""What forms that hold joints ask of a bake, and the forms that hold what they cannot."""

from __future__ import annotations

from lissom._export.subject import Subject
from lissom.pose_texture import PoseTexture

__all__ = ["joint_bake"]

VERTEX_FORMS = "form 'openvat' or 'vertices', which hold vertices"


def joint_bake(
    subject: Subject,
    form: str,
    layouts: tuple[str, ...] = ("dual_quat",),
    methods: tuple[str, ...] = ("linear", "dual_quat"),
    most_influences: int = 8,
) -> PoseTexture:
    """Return the bake of a subject; ValueError where a form of joints cannot hold it, with one that can."""
    bake = subject.bake
    what = f"export: form {form!r}"
    if bake is None or bake.mesh is None:
        raise ValueError(
            f"{what} holds joints, and needs a bake, got an animation of vertices; use {VERTEX_FORMS}"
        )
    if subject.rate is not None:
        raise ValueError(
            f"{what} has the frames of the bake, got rate={subject.rate:g}; bake with rate={subject.rate:g}"
        )
    if bake.layout not in layouts:
        raise ValueError(
            f"{what} holds layout {' or '.join(map(repr, layouts))}, got {bake.layout!r}; bake with "
            f"layout={layouts[0]!r}"
        )
    if bake.method not in methods:
        raise ValueError(
            f"{what} is skinned by {' or '.join(methods)}, got a bake for {bake.method!r}; use {VERTEX_FORMS}"
        )
    if _moves_morphs(bake):
        raise ValueError(
            f"{what} keeps morph targets at their default weights, got clips that change them; use "
            f"{VERTEX_FORMS}"
        )
    if bake.mesh.influence_count > most_influences:
        raise ValueError(
            f"{what} holds {most_influences} influences of a vertex, got {bake.mesh.influence_count}; use "
            f"lissom.weights.reduce before baking, or {VERTEX_FORMS}"
        )
    return bake


def _moves_morphs(bake: PoseTexture) -> bool:
    morphs = bake.mesh.morphs if bake.mesh is not None else None
    if bake.weights is None or morphs is None:
        return False
    return bool((bake.weights != morphs.defaults.astype(bake.weights.dtype)).any())
