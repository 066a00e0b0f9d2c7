# SPDX-License-Identifier: MIT
"""The form "vertices": positions and normals as plain arrays, in .npz or safetensors, for anything else."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import check_flag
from lissom._export.axes import GLTF, Axes
from lissom._export.played import Played, PlayedVertices
from lissom._export.subject import Subject
from lissom._export.vertex_animation import VertexAnimation
from lissom._export.vertex_clip import VertexClip
from lissom._formats import safetensors
from lissom._rig.mesh import Mesh

__all__ = ["Vertices", "read"]

FILES = ("safetensors", "npz")
DTYPES = ("float32", "float16")


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
        clips = json.dumps({key: asdict(clip) for key, clip in animation.clips.items()})
        if self.file == "npz":
            with open(folder / f"{name}.npz", "wb") as file:
                np.savez_compressed(file, allow_pickle=False, clips=np.array(clips), **arrays)
        else:
            safetensors.write(folder / f"{name}.safetensors", arrays, {"clips": clips})

    def read(self, folder: Path, name: str, subject: Subject, clip: str) -> Played:
        """Read a clip of the file."""
        return PlayedVertices(read(folder / f"{name}.{self.file}", clip))

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


def read(path: Path, clip: str) -> VertexAnimation:
    """Return one clip of a file."""
    if path.suffix == ".npz":
        with np.load(path, allow_pickle=False) as file:
            arrays = {key: file[key] for key in file.files}
        told = json.loads(str(arrays.pop("clips")))
    else:
        arrays, metadata = safetensors.read(path)
        told = json.loads(metadata["clips"])
    mesh = Mesh(arrays["rest"], arrays["triangles"], uvs=arrays.get("uvs"), colors=arrays.get("colors"))
    found = VertexClip(**told[clip])
    frames = slice(found.first_frame, found.first_frame + found.frame_count)
    positions = mesh.positions + arrays["offsets"][frames].astype(np.float32)
    return VertexAnimation(mesh, positions, {clip: replace(found, first_frame=0)})
