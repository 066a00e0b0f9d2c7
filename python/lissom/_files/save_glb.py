# SPDX-License-Identifier: MIT
"""``lissom.save_glb``: from a character to a file that other tools open."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO, overload

from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._character.clip_choice import clip_name_of, clip_of
from lissom.clip import Clip

__all__ = ["save_glb"]


@overload
def save_glb(
    character: Character, path: None = ..., *, clips: Iterable[str | Clip] | None = ...
) -> bytes: ...
@overload
def save_glb(
    character: Character,
    path: str | os.PathLike[str],
    *,
    clips: Iterable[str | Clip] | None = ...,
) -> Path: ...
@overload
def save_glb(character: Character, path: BinaryIO, *, clips: Iterable[str | Clip] | None = ...) -> None: ...
@set_module("lissom")
def save_glb(
    character: Character,
    path: str | os.PathLike[str] | BinaryIO | None = None,
    *,
    clips: Iterable[str | Clip] | None = None,
) -> bytes | Path | None:
    """Save skeleton, mesh, weights and clips as a GLB file, which other tools open.

    Parameters
    ----------
    character : Character
    path : path, open binary file or None
        A file is replaced in one step, once it is complete. The bytes are returned for None.
    clips : iterable of str or Clip, optional
        Names of the character's clips, or clips of the same skeleton, such as edited ones; all of the
        character's clips when omitted.

    Returns
    -------
    bytes, Path or None
        The bytes where `path` is None, the path as a Path, nothing for an open file.

    Raises
    ------
    ValueError
        If glTF cannot hold the character, before anything is written: a skeleton without joints, vertices or
        triangles outside all parts, textures that are not PNG, JPEG, WebP or AVIF, key times that are equal
        in single precision, rotation splines that pass too close to zero beside keys off unit length, two
        clips of one name, a clip of another skeleton, 4 GiB or more. If the path does not end in ".glb".
    TypeError
        If an argument is of another type, or a file is open in text mode.
    OSError
        If the file cannot be written; an old one is still there.

    Warns
    -----
    UserWarning
        For a clip that starts before 0 s, which glTF forbids; it is shifted to start at 0 s. For weights of
        morph targets that the mesh does not have; they are left out.

    See Also
    --------
    load : load the file again.

    Notes
    -----
    The file is valid glTF 2.0 [1]_, with extensions for unlit parts, for emission above 1 and for textures in
    WebP or AVIF alone, the same bytes for the same character. Loading it returns equal arrays and the same
    poses to the bit, with these exceptions: clips of float64 are rounded to float32; normals and tangents of
    length zero are replaced by unit vectors; rotations off unit length by more than 0.0077 are normalised,
    and in a spline, as `Clip.trimmed` leaves them, keys are added beside them until all rotations agree
    within 1e-6 radians, apart from rounding; a clip without tracks gets one key; influences are sorted by
    weight, equal palette rows are merged, parts without vertices are left out. Of materials, base colour and
    emission with their textures are saved, and whether they are unlit; texture coordinates as they are drawn,
    without a texture transform.

    Morph targets are sparse accessors where those are smaller. A part has those that move it, under the names
    in ``targetNames`` of its mesh: weights of a target that several parts share are set on each of their
    nodes. Rows of zeros are left out.

    All parts are in model space and share one skin. Each is a mesh of its own, on a root node of its name.

    Animated weights of a part's targets are one channel: where their keys are at other times, or interpolated
    in other ways, each gets keys at the times of all and the richest interpolation, which changes no weight.

    What glTF has no property for (loops, markers, root motion, whether a clip is additive or uniform, which
    nodes are not joints, `Character.method`, the names of morph targets in full, `Character.expressions`,
    `Part.view`, and of VRM files the map of bones, where eyes look and what springs) is in ``extras`` under
    "lissom", and `Character.blend` is the vertex attribute ``_LISSOM_BLEND``. Other tools skin linearly
    whatever the method, play a clip whose root motion was extracted in place, and show the differences of an
    additive clip as if they were poses.

    References
    ----------
    .. [1] Khronos, glTF 2.0 specification.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> data = lissom.save_glb(hero, clips=[hero.clips["walk"].at_speed(2), "wave"])
    >>> list(lissom.load(data).clips)
    ['walk', 'wave']
    """
    if not isinstance(character, Character):
        raise TypeError(f"save_glb: character must be a Character, got {type(character).__name__}")
    is_file = path is not None and not isinstance(path, (str, os.PathLike))
    if is_file and (isinstance(path, io.TextIOBase) or not hasattr(path, "write")):
        raise TypeError(
            f"save_glb: path must be a path, a file opened in binary mode or None, got {type(path).__name__}"
        )
    if isinstance(path, (str, os.PathLike)) and not str(path).lower().endswith(".glb"):
        raise ValueError(
            f"save_glb: path must end in .glb, the only format that is written, got {str(path)!r}"
        )
    from lissom._files.gltf_writer.writer import write_glb
    from lissom._formats.atomic import write_atomically

    chosen = _chosen(character, clips)
    chunks = write_glb(character, chosen)
    for name, clip in chosen.items():
        if clip.start < 0:
            warnings.warn(
                f"save_glb: clip {name!r} starts at {clip.start:g} s and glTF has no times before 0, so "
                f"it is written {-clip.start:g} s later",
                stacklevel=2,
            )
    if path is None:
        return b"".join(chunks)
    if isinstance(path, (str, os.PathLike)):
        write_atomically(path, chunks)
        return Path(path)
    _write_all(path, b"".join(chunks))
    return None


def _write_all(file: BinaryIO, data: bytes) -> None:
    """Write into an open file; an unbuffered one may write only a part at a time."""
    rest = memoryview(data)
    while rest:
        count = file.write(rest)
        rest = rest[len(rest) if count is None else count :]


def _chosen(character: Character, clips: Iterable[str | Clip] | None) -> dict[str, Clip]:
    """Return the clips to write, by their names in the file."""
    if isinstance(clips, (str, Clip)) or not (clips is None or isinstance(clips, Iterable)):
        raise TypeError(f"save_glb: clips must be several clips or their names, got {clips!r}; pass a list")
    result: dict[str, Clip] = {}
    for item in character.clips if clips is None else clips:
        if not isinstance(item, (str, Clip)):
            raise TypeError(f"save_glb: clips must be clips or their names, got {type(item).__name__}")
        name = clip_name_of(character.clips, item, "save_glb") if isinstance(item, str) else item.name
        if name in result:
            raise ValueError(f"save_glb: clips must have different names, got {name!r} twice; rename one")
        result[name] = clip_of(character, name if isinstance(item, str) else item, "save_glb", rest=True)
    return result
