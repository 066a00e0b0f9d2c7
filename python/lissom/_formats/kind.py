# SPDX-License-Identifier: MIT
"""The kinds of files, known by their names and first bytes."""

from __future__ import annotations

from lissom._formats.other_formats import other_format

__all__ = ["BAKE_SUFFIX", "HEAD_SIZE", "MODEL_SUFFIXES", "MOTION_SUFFIX", "kind_fault"]

#: Number of first bytes that `kind_fault` takes.
HEAD_SIZE = 64
BAKE_SUFFIX = ".safetensors"
ARCHIVE_SUFFIX = ".npz"
MODEL_SUFFIXES = (".glb", ".gltf", ".vrm")
MOTION_SUFFIX = ".bvh"
_PNG = b"\x89PNG"
_GLB = b"glTF"


def kind_fault(head: bytes, suffix: str, bake_advice: str) -> str | None:
    """Return why a file is plainly not a model; None where a loader must find out.

    Parameters
    ----------
    head : bytes
        The first `HEAD_SIZE` bytes of the file, or all of a shorter one.
    suffix : str
        Suffix of the file's name, with its dot; "" for bytes without a name.
    bake_advice : str
        What users can do with a bake.

    Returns
    -------
    str or None
        A sentence without its subject, the file: "is not a glTF, GLB or BVH file".
    """
    suffix = suffix.lower()
    if suffix == BAKE_SUFFIX:
        return f"is a bake, not a glTF or GLB file ({bake_advice})"
    if suffix == ARCHIVE_SUFFIX:
        return "is a NumPy archive, not a glTF, GLB or BVH file (lissom.load_amass reads those of AMASS)"
    if head.startswith(_PNG):
        return "is a PNG picture, not a glTF or GLB file"
    other = other_format(head, suffix)
    if other is not None:
        return other
    if suffix in MODEL_SUFFIXES or suffix == MOTION_SUFFIX or (head and _GLB.startswith(head)):
        return None
    text = head.removeprefix(b"\xef\xbb\xbf").lstrip().lower()
    is_blank = not text and len(head) == HEAD_SIZE  # more may follow
    if is_blank or text.startswith((b"gltf", b"{", b"hierarchy")):
        return None
    return "is not a glTF, GLB or BVH file"
