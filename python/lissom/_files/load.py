# SPDX-License-Identifier: MIT
"""``lissom.load``: from a file to a character."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO

from lissom._base.numbers import check_flag
from lissom._base.set_module import set_module
from lissom.errors import GltfError

if TYPE_CHECKING:
    from lissom._character.character import Character

__all__ = ["load"]


@set_module("lissom")
def load(
    source: str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO, *, strict: bool = False
) -> Character:
    """Load a character from a glTF 2.0, GLB or BVH file.

    Parameters
    ----------
    source : path, bytes or open binary file
        A .glb or .gltf. External buffers and images are read from the folder of the file and nowhere else, so
        bytes must be complete in themselves. A .bvh, or text that begins with HIERARCHY, is loaded as by
        `load_bvh`, which guesses units and the axis that is up.
    strict : bool
        Refuse faults that are repaired otherwise, and all else that Khronos' glTF-Validator calls an error in
        the parts that are read.

    Returns
    -------
    Character
        Skeleton, mesh, skin and clips as arrays. Lengths are the file's (metres in glTF, and in BVH where its
        unit could be guessed), times seconds; y is up. All meshes are merged into one, in model space.
        ``repairs`` lists what was repaired or left out.

    Raises
    ------
    GltfError
        If the file cannot be used. ``code`` is the validator's code of the fault ("ACCESSOR_TOO_LONG"),
        ``pointer`` the JSON pointer to it. Codes that the validator does not have: "LIMIT_EXCEEDED" for a
        file that asks for far more memory than it has bytes, or nests deeper than 128 levels;
        "UNSUPPORTED_EXTENSION" for one that requires an extension that is not read, or Draco without the
        extra ``draco``; "MESHOPT_STREAM_INVALID" and "DRACO_STREAM_INVALID" for compressed data that does
        not decode; "UNSUPPORTED_FORMAT" for another kind of file, such as an FBX, an OBJ or a picture.
    BvhError
        If a BVH file cannot be used; ``line`` says where.
    OSError
        If the path cannot be read.
    TypeError
        If `source` is of another type, or a file opened in text mode, or `strict` is not a bool.

    Notes
    -----
    Keys of clips and vertex data are views of the file's bytes wherever their layout allows. Nothing outside
    the folder of the file is opened, and no network is used. Memory grows by at most 8 times the size of the
    file and its companions plus 64 MiB, whatever names, counts and URIs the file holds; compressed data
    counts 16-fold.

    References
    ----------
    .. [1] Khronos, glTF 2.0 specification.

    Examples
    --------
    >>> hero = lissom.load("hero.glb")  # doctest: +SKIP
    >>> hero.clips["Walk"].sample(0.5).shape  # doctest: +SKIP
    (65, 10)
    """
    from lissom._files.gltf.source import open_source
    from lissom._formats.kind import HEAD_SIZE, MOTION_SUFFIX, kind_fault

    strict = check_flag(strict, "load: strict")
    opened = open_source(source)
    suffix = "" if opened.path is None else opened.path.suffix
    fault = kind_fault(opened.data[:HEAD_SIZE], suffix, "lissom.load_bake reads it")
    if fault is not None:
        subject = "the source " if opened.path is None else ""
        raise GltfError(subject + fault, code="UNSUPPORTED_FORMAT", path=opened.path)
    is_bvh = suffix.lower() == MOTION_SUFFIX
    if is_bvh or opened.data[:64].removeprefix(b"\xef\xbb\xbf").lstrip().lower().startswith(b"hierarchy"):
        from lissom._files.load_bvh import read_bvh

        return read_bvh(opened, strict)
    from lissom._files.gltf.reader import read_character

    return read_character(opened, strict)
