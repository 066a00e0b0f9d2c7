# SPDX-License-Identifier: MIT
"""``lissom.save_glb``: a character becomes a file that other tools open."""

from __future__ import annotations

import io
import os
import warnings
from collections.abc import Iterable
from typing import TYPE_CHECKING, BinaryIO, overload

from lissom._base.set_module import set_module
from lissom._character.character import Character
from lissom._character.clip_choice import clip_of
from lissom.clip import Clip

if TYPE_CHECKING:
    pass

__all__ = ["save_glb"]


@overload
def save_glb(
    character: Character, path: None = ..., *, clips: Iterable[str | Clip] | None = ...
) -> bytes: ...
@overload
def save_glb(
    character: Character,
    path: str | os.PathLike[str] | BinaryIO,
    *,
    clips: Iterable[str | Clip] | None = ...,
) -> None: ...
@set_module("lissom")
def save_glb(
    character: Character,
    path: str | os.PathLike[str] | BinaryIO | None = None,
    *,
    clips: Iterable[str | Clip] | None = None,
) -> bytes | None:
    """Save skeleton, mesh, weights and clips as a GLB file, which other tools open.

    Parameters
    ----------
    character : Character
    path : path, open binary file or None
        A file is replaced in one step, once it is written whole. None gives the bytes.
    clips : iterable of str or Clip, optional
        Names of the character's clips, or clips of the same joints, such as edited ones; all of the
        character's clips when omitted.

    Returns
    -------
    bytes or None
        The file, where no path is given.

    Raises
    ------
    ValueError
        If glTF cannot hold it, before anything is written: a skeleton without joints, vertices or triangles
        outside all parts, textures that are neither PNG, JPEG nor WebP, key times that single precision
        cannot tell apart, splines of rotations that whirl beside keys off unit length, two clips of one
        name, a clip of other joints, 4 GiB. If the path does not end in ".glb".
    TypeError
        If an argument is of another type, or a file is open in text mode.
    OSError
        If the file cannot be written; the old one is still there.

    Warns
    -----
    UserWarning
        For a clip that starts before 0 s, which glTF forbids; it is written later by as much.

    See Also
    --------
    load : reads the file back.

    Notes
    -----
    The file is valid glTF 2.0 [1]_ without extensions (but for WebP textures), the same bytes for the same
    character. Loading it gives equal arrays and the same poses to the bit, with these exceptions: clips of
    float64 are rounded to float32; normals and tangents without length get one; rotations off unit length by
    more than 0.0077 are normalised, and beside those of a spline, as `Clip.trimmed` leaves them, keys are
    added until all rotations agree within 1e-6 radians, but for rounding; a clip without tracks gets one key;
    influences are ordered by weight, equal palette rows become one, parts without vertices are left out. Of
    materials, base colour and its texture are known.

    All parts stand in model space and share one skin. Each is a mesh of its own, carried by a root node of
    its name; what glTF has no word for (loops, markers, root motion, whether a clip is additive or uniform,
    which nodes are no joints, `Character.method`) stands in ``extras`` under "lissom", and `Character.blend`
    is the vertex attribute ``_LISSOM_BLEND``. Other tools skin linearly whatever the method, and show a clip
    whose root motion was taken out in place, and the differences of an additive one as if they were poses.

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
            f"save_glb: path must end in .glb, the one kind of file that is written, got {str(path)!r}"
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
    else:
        _write_all(path, b"".join(chunks))
    return None


def _write_all(file: BinaryIO, data: bytes) -> None:
    """Write into an open file; an unbuffered one may take less than it is given."""
    rest = memoryview(data)
    while rest:
        count = file.write(rest)
        rest = rest[len(rest) if count is None else count :]


def _chosen(character: Character, clips: Iterable[str | Clip] | None) -> dict[str, Clip]:
    """Give the clips to be written, by the names they get."""
    if isinstance(clips, (str, Clip)) or not (clips is None or isinstance(clips, Iterable)):
        raise TypeError(f"save_glb: clips must be several clips or their names, got {clips!r}; pass a list")
    result: dict[str, Clip] = {}
    for item in character.clips if clips is None else clips:
        if not isinstance(item, (str, Clip)):
            raise TypeError(f"save_glb: clips must be clips or their names, got {type(item).__name__}")
        name = item if isinstance(item, str) else item.name
        if name in result:
            raise ValueError(f"save_glb: clips must have different names, got {name!r} twice; rename one")
        result[name] = clip_of(character, item, "save_glb", rest=True)
    return result
