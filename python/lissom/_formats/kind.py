# SPDX-License-Identifier: MIT
"""What a file is that is plainly no model, by its name and its first bytes."""

from __future__ import annotations

__all__ = ["BAKE_SUFFIX", "HEAD_SIZE", "MODEL_SUFFIXES", "MOTION_SUFFIX", "what_else"]

#: How many of the first bytes are looked at.
HEAD_SIZE = 64
BAKE_SUFFIX = ".safetensors"
MODEL_SUFFIXES = (".glb", ".gltf")
MOTION_SUFFIX = ".bvh"
_PNG = b"\x89PNG"
_GLB = b"glTF"


def what_else(head: bytes, suffix: str, bake_advice: str) -> str | None:
    """Say what a file is that is plainly no model; None for one that a loader must judge.

    Parameters
    ----------
    head : bytes
        The first `HEAD_SIZE` bytes, or all there are.
    suffix : str
        The ending of the file's name, with its dot; "" for bytes without a name.
    bake_advice : str
        What to do with a bake.

    Returns
    -------
    str or None
        A sentence that lacks its first word, the file: "is not a glTF, GLB or BVH file".
    """
    suffix = suffix.lower()
    if suffix == BAKE_SUFFIX:
        return f"is a bake, not a glTF or GLB file ({bake_advice})"
    if head.startswith(_PNG):
        return "is a PNG picture, not a glTF or GLB file"
    if suffix in MODEL_SUFFIXES or suffix == MOTION_SUFFIX or (head and _GLB.startswith(head)):
        return None
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    is_blank_so_far = not text and len(head) == HEAD_SIZE
    if is_blank_so_far or text.startswith((b"gltf", b"{", b"hierarchy")):
        return None
    return "is not a glTF, GLB or BVH file"
