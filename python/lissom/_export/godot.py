# SPDX-License-Identifier: MIT
"""The form "godot": textures, mesh, shaders and scenes that Godot 4 plays as they lie, without an import.

Texels, table of clips and mesh are binary resources, since an importer of pictures or of GLB may compress,
sort or merge what it imports. Pictures of surfaces are pictures: Godot imports them.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lissom._export.axes import GLTF, Axes
from lissom._export.bind_figure import default_positions
from lissom._export.file_stem import file_stem
from lissom._export.form import check_count
from lissom._export.godot_files import FORMATS, bake_of_godot
from lissom._export.godot_looks import Looks, quoted
from lissom._export.godot_mesh import encoded
from lissom._export.godot_scenes import crowd_scene, demo_scene
from lissom._export.joint_bake import joint_bake
from lissom._export.markdown import code
from lissom._export.played import Played, PlayedBake
from lissom._export.subject import Subject
from lissom._export.surfaces import influences_of, surfaces_of
from lissom._export.texel_lines import (
    LINE,
    check_dtype,
    float_texels,
    in_lines,
    line_count,
    texel_dtype,
)
from lissom._formats.godot_resource import Internal, Numbers, Resource, encode
from lissom.pose_texture import PoseTexture

__all__ = ["Godot"]

MOST_SURFACES = 256
"""Surfaces of an ArrayMesh."""


@dataclass(frozen=True)
class Godot:
    """A crowd for Godot 4.

    Attributes
    ----------
    dtype : {"float16", "float32"}, optional
        Numbers of the texels; the bake's when omitted, of bytes float16.
    count : int
        Characters of the scene, at most 100 000.
    """

    dtype: str | None = None
    count: int = 1000

    name: ClassVar[str] = "godot"
    axes: ClassVar[Axes] = GLTF
    for_whom: ClassVar[str] = "Godot 4"

    def __post_init__(self) -> None:
        check_dtype(self.dtype)
        check_count(self.count)

    def write(self, folder: Path, name: str, subject: Subject) -> None:
        """Write resources, shaders, scripts and scenes."""
        bake = joint_bake(subject, self.name, layouts=("dual_quat", "matrix"))
        assert bake.mesh is not None
        texels = in_lines(self.name, float_texels(bake), texel_dtype(bake, self.dtype))
        surfaces = surfaces_of(bake.mesh)
        if len(surfaces) > MOST_SURFACES:
            raise ValueError(
                f"export: form 'godot' holds {MOST_SURFACES} looks of a mesh, got {len(surfaces)}; have "
                "parts look alike, or use form 'three'"
            )
        stem = file_stem(name)
        influences = influences_of(bake.mesh)
        (folder / f"{stem}_poses.res").write_bytes(_image(texels))
        (folder / f"{stem}_clips.res").write_bytes(_image(_table(bake)))
        defines = {
            "ROWS": bake.texels.shape[1],
            "TEXELS": bake.texels.shape[2],
            "INFLUENCES": influences.most,
        }
        if bake.layout == "matrix":
            defines["LAYOUT_MATRIX"] = 1
        elif bake.method == "dual_quat":
            defines["METHOD_DUAL_QUAT"] = 1
        included = "".join(f"#define {key} {value}\n" for key, value in defines.items())
        (folder / f"{stem}_pose.gdshaderinc").write_text(
            included + packaged("pose.gdshaderinc"), encoding="utf-8"
        )
        looks = Looks(folder, stem, packaged("surface.gdshader"))
        positions = default_positions(bake.mesh)
        told = []
        for surface in surfaces:
            looks.add(surface.look)
            told.append(encoded(bake.mesh, positions, influences, surface))
        low, high = _bounds(bake)
        box = Numbers("AABB", (*low.tolist(), *(high - low).tolist()))
        mesh = Resource("ArrayMesh", {"resource_name": name, "_surfaces": told, "custom_aabb": box})
        (folder / f"{stem}_mesh.res").write_bytes(encode([mesh]))
        for script in ("crowd", "demo"):
            text = packaged(f"{script}.gd").replace("NAME", stem)
            (folder / f"{stem}_{script}.gd").write_text(text, encoding="utf-8")
        (folder / f"{stem}_crowd.tscn").write_text(
            crowd_scene(stem, bake.clips, looks.materials), encoding="utf-8"
        )
        (folder / f"{stem}.tscn").write_text(demo_scene(stem, self.count), encoding="utf-8")

    def read(self, folder: Path, name: str, subject: Subject, clip: str) -> Played:
        """Read the bake that Godot has from these files."""
        return PlayedBake(bake_of_godot(folder, file_stem(name), "export", subject.mesh).clip(clip))

    def readme(self, name: str, subject: Subject) -> str:
        """Say how a project takes the folder."""
        bake = subject.bake
        assert bake is not None
        assert bake.mesh is not None
        texels = bake.texels
        stem = file_stem(name)
        looks = [surface.look for surface in surfaces_of(bake.mesh)]
        with_pictures = any(look.texture is not None or look.emissive_texture is not None for look in looks)
        return README.format(
            name=stem,
            count=self.count,
            clips=", ".join(map(code, bake.clips)),
            first=quoted(next(iter(bake.clips))),
            last=quoted(list(bake.clips)[-1]),
            vertices=bake.mesh.vertex_count,
            rows=texels.shape[1],
            frames=len(texels),
            lines=line_count(texels.size // 4),
            dtype=texel_dtype(bake, self.dtype),
            method="dual quaternions" if bake.method == "dual_quat" else "linear blending",
            influences=influences_of(bake.mesh).most,
            materials=(PICTURES if with_pictures else MATERIALS).format(name=stem),
            imported="Nothing but pictures" if with_pictures else "Nothing",
        )


MATERIALS = "| `{name}_material_*.tres` | materials |"

PICTURES = (
    "| `{name}_material_*.tres`, `{name}_picture_*` | materials, and their pictures, which Godot imports |"
)

README = """\
Copy the folder into a Godot project, anywhere, and open `{name}.tscn`: {count} characters, of which one
fades now and then. `{name}_crowd.tscn` is the crowd alone, to put into a scene of your own:

    var crowd = preload("{name}_crowd.tscn").instantiate()
    crowd.count = {count}
    add_child(crowd)
    crowd.multimesh.set_instance_transform(7, Transform3D(Basis(), Vector3(2, 0, 0)))
    crowd.set_clip(7, {first})
    crowd.set_speed(7, 1.1)
    crowd.fade_to(7, {last}, 0.3)

Clips: {clips}. Characters look along +z, as in glTF; a camera of Godot looks along -z.

| file | holds |
| --- | --- |
| `{name}_poses.res` | {frames} frames of {rows} palette rows, {dtype}, {lines} lines of 2 048 texels |
| `{name}_clips.res` | of each clip its first frame, intervals, seconds, whether it loops |
| `{name}_mesh.res` | {vertices} vertices with up to {influences} influences each, in float32 |
| `{name}_pose.gdshaderinc`, `{name}_*.gdshader` | skinning by {method}, in the vertex shader; looks |
{materials}
| `{name}_crowd.gd`, `{name}_demo.gd` | the crowd's functions; what the scene does with them |

{imported} is imported: texels and vertices are as they were written. It needs Godot 4.2 or later,
any of its renderers. Not played: root motion, markers.

"""


def packaged(name: str) -> str:
    """Return the text of a file of packages/godot."""
    return (resources.files("lissom") / "packages" / "godot" / name).read_text(encoding="utf-8")


def _table(bake: PoseTexture) -> NDArray[np.float32]:
    """Return first frame, intervals, seconds and loop of each clip, in lines."""
    rows = [
        (clip.first_frame, clip.frame_count - 1, clip.duration, float(bool(clip.loop)))
        for clip in bake.clips.values()
    ]
    lines = line_count(len(rows))
    table = np.zeros((lines * LINE if lines > 1 else len(rows), 4), np.float32)
    table[: len(rows)] = rows
    return table.reshape(lines, -1, 4)


def _bounds(bake: PoseTexture) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the corners of the box around all clips."""
    boxes = np.array([clip.bounds for clip in bake.clips.values()], np.float64)
    return boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)


def _image(pixels: NDArray[Any]) -> bytes:
    """Return an ImageTexture of pixels (height, width, 4), first row on top."""
    height, width, _ = pixels.shape
    data = {
        "width": width,
        "height": height,
        "format": FORMATS[pixels.dtype.name],
        "mipmaps": False,
        "data": pixels.astype(pixels.dtype.newbyteorder("<")).tobytes(),
    }
    return encode([Resource("Image", {"data": data}), Resource("ImageTexture", {"image": Internal(0)})])
