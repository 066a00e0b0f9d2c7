# SPDX-License-Identifier: MIT
"""The form "vertices": positions and normals as plain arrays, in .npz or safetensors, for anything else."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from lissom._base.methods import BAKED_METHODS
from lissom._base.numbers import check_flag
from lissom._export.axes import GLTF, Axes
from lissom._export.played import Played, PlayedVertices
from lissom._export.subject import Subject
from lissom._export.vertex_animation import VertexAnimation
from lissom._export.vertex_clip import VertexClip
from lissom._formats import safetensors
from lissom._formats.budget import Budget, JsonExtent
from lissom._formats.npz import read_npz
from lissom._formats.regular_file import read_regular
from lissom._rig.mesh import Mesh

__all__ = ["Vertices", "read"]

FILES = ("safetensors", "npz")
DTYPES = ("float32", "float16")
ARRAYS, TEXTS = ("rest", "offsets", "triangles", "uvs", "colors"), ("clips", "method")
"""What is read of a file."""

_ANY_SIZE = 1 << 50
"""Bytes beyond any memory."""


@dataclass(frozen=True)
class Vertices:
    """All positions and normals in one file.

    Attributes
    ----------
    file : {"safetensors", "npz"}
        The container.
    dtype : {"float32", "float16"}
        Type of the offsets from rest, and of the normals.
    normals : bool
        Whether normals are written.
    """

    file: str = "safetensors"
    dtype: str = "float32"
    normals: bool = True

    name: ClassVar[str] = "vertices"
    axes: ClassVar[Axes] = GLTF
    for_whom: ClassVar[str] = "anything that reads arrays"

    def __post_init__(self) -> None:
        for name, value, known in (("file", self.file, FILES), ("dtype", self.dtype, DTYPES)):
            if value not in known:
                raise ValueError(f"export: {name} must be one of {', '.join(known)}, got {value!r}")
        check_flag(self.normals, "export: normals")

    def write(self, folder: Path, name: str, subject: Subject) -> None:
        """Write the arrays, and the clips as JSON."""
        animation = subject.all_vertices()
        mesh, dtype = animation.mesh, np.dtype(self.dtype)
        arrays: dict[str, NDArray[Any]] = {
            "rest": mesh.positions,
            "offsets": (animation.positions - mesh.positions).astype(dtype),
            "triangles": mesh.triangles,
        }
        if self.normals and animation.normals is not None:
            arrays["normals"] = animation.normals.astype(dtype)
        if mesh.uvs is not None:
            arrays["uvs"] = mesh.uvs
        if mesh.colors is not None:
            arrays["colors"] = mesh.colors
        texts = {"clips": json.dumps({key: asdict(clip) for key, clip in animation.clips.items()})}
        if subject.bake is not None:
            texts["method"] = subject.bake.method
        if self.file == "npz":
            as_arrays = {key: np.array(text) for key, text in texts.items()}
            with open(folder / f"{name}.npz", "wb") as file:
                np.savez_compressed(file, allow_pickle=False, **as_arrays, **arrays)
        else:
            safetensors.write(folder / f"{name}.safetensors", arrays, texts)

    def read(self, folder: Path, name: str, subject: Subject, clip: str) -> Played:
        """Read a clip of the file."""
        return PlayedVertices(read(folder / f"{name}.{self.file}", clip, is_ours=True))

    def readme(self, name: str, subject: Subject) -> str:
        """Say what the arrays are."""
        return README.format(file=f"{name}.{self.file}")


README = """\
`{file}` holds plain arrays. The positions of frame i are `rest + offsets[i]`, shape (frames, vertices,
3), with unit `normals` beside them where they were written; `triangles` (triangles, 3), `uvs` and
`colors` are the mesh's. `clips` is JSON: of each clip its first frame and their number, frames per
second, whether it loops, and the time of the first frame. The last frame of a clip is its end, for loops
too: mix two neighbouring frames linearly, and never those of two clips.
"""


def read(path: Path, clip: str, *, is_ours: bool = False) -> VertexAnimation:
    """Return one clip of a file; one that was written just now may decode to any size."""
    arrays, clips, _ = _contents(path, is_ours)
    mesh = Mesh(arrays["rest"], arrays["triangles"], uvs=arrays.get("uvs"), colors=arrays.get("colors"))
    found = VertexClip(**clips[clip])
    frames = slice(found.first_frame, found.first_frame + found.frame_count)
    positions = mesh.positions + arrays["offsets"][frames].astype(np.float32)
    return VertexAnimation(mesh, positions, {clip: replace(found, first_frame=0)})


def told(path: Path) -> tuple[tuple[str, ...], str | None, np.dtype[Any]]:
    """Return the names of the clips, the skinning method if there was one, and the type of the offsets."""
    arrays, clips, method = _contents(path)
    return tuple(clips), method, arrays["offsets"].dtype


def _contents(
    path: Path, is_ours: bool = False
) -> tuple[dict[str, NDArray[Any]], dict[str, Any], str | None]:
    """Return arrays, clips and the method of a file; ValueError where it is none of this form."""
    try:
        budget = Budget(_ANY_SIZE if is_ours else 0, _refuse)
        if path.suffix == ".npz":
            data = read_regular(path)
            budget.add(len(data))
            budget.add_compressed(len(data))
            arrays = read_npz(data, ARRAYS, budget, _refuse, TEXTS)
            texts = {key: str(arrays.pop(key)) for key in TEXTS if key in arrays}
        else:
            arrays, texts = safetensors.read(path, budget)
        budget.spend(JsonExtent.of(texts["clips"].encode()).plain_bytes, "clips")
        clips = json.loads(texts["clips"])
        found = {name: VertexClip(**clip) for name, clip in clips.items()}
        frames = sum(clip.frame_count for clip in found.values())
        rest, offsets = arrays["rest"], arrays["offsets"]
        is_right = arrays["triangles"].ndim == 2 and offsets.shape[1:] == rest.shape == (len(rest), 3)
        budget.spend(4 * rest.size * min(frames, len(clips) * len(offsets)), "clips")
    except OSError:
        raise
    except Exception as error:
        raise ValueError(f"{path}: {NOT_OURS}, got none: {' '.join(str(error).split()) or error!r}") from None
    if not is_right:
        raise ValueError(f"{path}: {NOT_OURS}, got arrays of other shapes")
    for name, one in found.items():
        last = one.first_frame + one.frame_count
        if last > len(offsets):
            raise ValueError(
                f"{path}: must hold the {last} frames that clip {name!r} reaches, got {len(offsets)}; is it"
                " cut off?"
            )
    for key in ("rest", "offsets"):
        if not np.isfinite(arrays[key]).all():
            place = np.argwhere(~np.isfinite(arrays[key]))[0].tolist()
            raise ValueError(f"{path}: must hold finite numbers, got another in {key} at {place}")
    method = texts.get("method")
    if method is not None and method not in BAKED_METHODS:
        raise ValueError(
            f"{path}: must have one of the methods {', '.join(BAKED_METHODS)}, got {method[:80]!r}"
        )
    return arrays, clips, method


def _refuse(place: str, sentence: str) -> NoReturn:
    raise ValueError(f"{place} {sentence}" if place else sentence)


NOT_OURS = 'must hold the arrays of the form "vertices": rest, offsets, triangles, and clips as JSON'
