# SPDX-License-Identifier: MIT
"""The form "unity": one file of poses, mesh and looks, an importer that makes assets of it, a player.

Unity's own importers compress pictures and sort vertices anew; ours puts numbers into assets as they are.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lissom._export import unity_file
from lissom._export.axes import UNITY, Axes
from lissom._export.bind_figure import default_positions
from lissom._export.file_stem import file_stem
from lissom._export.joint_bake import joint_bake
from lissom._export.markdown import code
from lissom._export.played import Played, PlayedBake
from lissom._export.subject import Subject
from lissom._export.surfaces import influences_of, surfaces_of
from lissom._export.texel_lines import (
    check_dtype,
    float_texels,
    in_lines,
    line_count,
    texel_dtype,
)
from lissom._export.unity_axes import mirrored
from lissom._export.unity_bake import KINDS, MOST_ROWS, bake_of_unity
from lissom._export.unity_looks import Looks
from lissom._rig.mesh import Mesh
from lissom.pose_texture import PoseTexture

__all__ = ["Unity"]


MOST_BYTES = 1 << 31
"""Bytes of a file that an array of C# holds."""

PLACES = {"LissomImporter.cs": "Editor/LissomImporter.cs"}
"""Files of packages/unity that lie elsewhere in a project."""


@dataclass(frozen=True)
class Unity:
    """A crowd for Unity.

    Attributes
    ----------
    dtype : {"float16", "float32"}, optional
        Numbers of the texels; the bake's when omitted, of bytes float16.
    """

    dtype: str | None = None

    name: ClassVar[str] = "unity"
    axes: ClassVar[Axes] = UNITY
    for_whom: ClassVar[str] = "Unity 2022.3 or later"

    def __post_init__(self) -> None:
        check_dtype(self.dtype)

    def write(self, folder: Path, name: str, subject: Subject) -> None:
        """Write the file, and the folder of what plays it."""
        bake = joint_bake(subject, self.name, layouts=("dual_quat", "matrix"))
        assert bake.mesh is not None
        if bake.texels.shape[1] > MOST_ROWS:
            raise ValueError(
                f"export: form 'unity' holds {MOST_ROWS} palette rows, got {bake.texels.shape[1]}; use form "
                "'godot' or 'three', which hold more"
            )
        texels = in_lines(self.name, mirrored(float_texels(bake), bake.layout), texel_dtype(bake, self.dtype))
        mesh = bake.mesh
        influences = influences_of(mesh)
        looks, triangles = _looks(mesh)
        header = {
            "version": 1,
            "name": name,
            "rows": bake.texels.shape[1],
            "texels": bake.texels.shape[2],
            "influences": influences.most,
            "kind": KINDS["matrix" if bake.layout == "matrix" else bake.method],
            "half": texels.dtype == np.float16,
            "lines": len(texels),
            "vertices": mesh.vertex_count,
            **_box(bake),
            "clips": [
                {
                    "name": key,
                    "start": clip.start,
                    "duration": clip.duration,
                    "first": clip.first_frame,
                    "intervals": clip.frame_count - 1,
                    "loop": bool(clip.loop),
                }
                for key, clip in bake.clips.items()
            ],
            "looks": looks.told,
        }
        normals = mesh.computed_normals() if mesh.normals is None else mesh.normals
        count = mesh.vertex_count
        uvs = np.zeros((count, 2)) if mesh.uvs is None else mesh.uvs * [1, -1] + [0, 1]  # v goes up in Unity
        rows, more = influences.rows[:, :4], influences.weights[:, 4:]
        if more.size:
            rows = rows + MOST_ROWS * influences.rows[:, 4:]
        blocks = {
            "poses": texels.astype(texels.dtype.newbyteorder("<")).tobytes(),
            "positions": _floats(UNITY.vectors(default_positions(mesh))),
            "normals": _floats(UNITY.vectors(normals)),
            "uvs": _floats(uvs),
            "colors": _floats(_colors(mesh)),
            "influenceRows": _floats(rows),
            "weights": _floats(influences.weights[:, :4]),
            "more": _floats(more),
            "triangles": triangles.astype("<i4").tobytes(),
        }
        size = sum(map(len, [*blocks.values(), *looks.pictures]))
        if size > MOST_BYTES - (1 << 20):
            raise ValueError(
                f"export: form 'unity' holds files of 2 GiB, got {size} bytes; bake fewer clips at a time, "
                "or use form 'vertices'"
            )
        path = folder / f"{file_stem(name)}.lissom"
        path.write_bytes(unity_file.encode(header, blocks, looks.pictures))
        for file in (resources.files("lissom") / "packages" / "unity").iterdir():
            place = folder / "Lissom" / PLACES.get(file.name, file.name)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")

    def read(self, folder: Path, name: str, subject: Subject, clip: str) -> Played:
        """Read the bake that Unity has from the file, in lissom's axes."""
        return PlayedBake(bake_of_unity(folder / f"{file_stem(name)}.lissom", "export").clip(clip))

    def readme(self, name: str, subject: Subject) -> str:
        """Say how a project takes the folder."""
        bake = subject.bake
        assert bake is not None
        assert bake.mesh is not None
        return README.format(
            name=file_stem(name),
            clips=", ".join(map(code, bake.clips)),
            first=json.dumps(next(iter(bake.clips)), ensure_ascii=False),
            last=json.dumps(list(bake.clips)[-1], ensure_ascii=False),
            vertices=bake.mesh.vertex_count,
            rows=bake.texels.shape[1],
            frames=len(bake.texels),
            lines=line_count(bake.texels.size // 4),
            dtype=texel_dtype(bake, self.dtype),
            method="dual quaternions" if bake.method == "dual_quat" else "linear blending",
            influences=influences_of(bake.mesh).most,
        )


README = """\
**Written from Unity's documentation: Unity itself was not run.** The arithmetic of `LissomPose.hlsl` was, as
GLSL that glslang and SPIRV-Cross made of it.

Copy `{name}.lissom` and `Lissom/` into `Assets/` of a project (Universal or Built-in Render Pipeline).
`Lissom/` is the same in all exports of one version: a project needs it once. Add the component
`LissomCrowd` to an object, and drag `{name}` onto its field `bake`:

    var crowd = GetComponent<Lissom.LissomCrowd>();
    crowd.places[7] = Matrix4x4.Translate(new Vector3(2, 0, 0));
    crowd.SetClip(7, {first});
    crowd.SetSpeed(7, 1.1f);
    crowd.FadeTo(7, {last}, 0.3f);

Clips: {clips}. Characters look along +z, as in Unity.

| file | holds |
| --- | --- |
| `{name}.lissom`: texels | {frames} frames of {rows} palette rows, {dtype}, {lines} lines of 2 048 texels |
| `{name}.lissom`: mesh | {vertices} vertices with up to {influences} influences each, float32; looks |
| `Lissom/LissomPose.hlsl` | skinning, here by {method}; the Custom Function `LissomPose` of Shader Graph |
| `Lissom/LissomCrowd.shader` | looks, for both pipelines |
| `Lissom/LissomBake.cs`, `Lissom/LissomCrowd.cs` | the asset; the component |
| `Lissom/Editor/LissomImporter.cs` | makes textures, mesh and materials of the file |

Texels and vertices are as they were written: nothing is compressed. Not played: root motion, markers.

"""


def _looks(mesh: Mesh) -> tuple[Looks, NDArray[np.int64]]:
    """Return the looks, and their triangles (F, 3) one look after another, clockwise as x is negated."""
    looks, runs, first = Looks(), [], 0
    for surface in surfaces_of(mesh):
        triangles = surface.vertices[surface.triangles][:, [0, 2, 1]]
        looks.add(surface.look, first, triangles.size)
        runs.append(triangles)
        first += triangles.size
    return looks, np.concatenate(runs)


def _box(bake: PoseTexture) -> dict[str, dict[str, float]]:
    """Return the corners of the box around all clips, in Unity's axes."""
    boxes = UNITY.vectors(np.array([clip.bounds for clip in bake.clips.values()], np.float64))
    corners = {"low": boxes.min(axis=(0, 1)), "high": boxes.max(axis=(0, 1))}
    return {key: dict(zip("xyz", corner.tolist(), strict=True)) for key, corner in corners.items()}


def _colors(mesh: Mesh) -> NDArray[Any]:
    """Return colours of vertices, (V, 4): white where there are none."""
    colors = np.ones((mesh.vertex_count, 4), np.float32)
    if mesh.colors is not None:
        colors[:, : mesh.colors.shape[1]] = mesh.colors
    return colors


def _floats(values: NDArray[Any]) -> bytes:
    return np.ascontiguousarray(values, "<f4").tobytes()
