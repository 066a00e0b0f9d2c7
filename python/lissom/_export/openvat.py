# SPDX-License-Identifier: MIT
"""The form of OpenVAT: a texture of offsets from rest, and a mesh that points into it.

A vertex has a column, a frame a row. Source of the layout: OpenVAT's README and its shader for Godot
(github.com/sharpen3d/openvat, MIT). There is a folder for each clip, as its players show all frames of a
texture, in a circle.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import whole_number
from lissom._export.axes import BLENDER, Axes
from lissom._export.float_images import KINDS, read_image, stored, write_image
from lissom._export.played import Played, PlayedVertices
from lissom._export.still_glb import still_glb
from lissom._export.subject import Subject
from lissom._export.vertex_animation import VertexAnimation
from lissom._export.vertex_clip import VertexClip

__all__ = ["LARGEST_SIDE", "OpenVat", "file_names", "read_clip"]

LARGEST_SIDE = 8192
"""Pixels of a side that engines on all machines take."""

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class OpenVat:
    """A texture of offsets from rest, and a mesh that points into it, for each clip.

    Attributes
    ----------
    texture : {"exr_half", "exr_float", "png16"}
        Numbers of the texture.
    normals : {"separate", "packed", None}
        In a picture of their own, below the offsets in the same one, or left out.
    side : int
        Largest side of a texture.
    """

    texture: str = "exr_half"
    normals: str | None = "separate"
    side: int = LARGEST_SIDE

    name: ClassVar[str] = "openvat"
    axes: ClassVar[Axes] = BLENDER
    for_whom: ClassVar[str] = "OpenVAT's players for Unity, Unreal and Godot"

    def __post_init__(self) -> None:
        if self.texture not in KINDS:
            raise ValueError(f"export: texture must be one of {', '.join(KINDS)}, got {self.texture!r}")
        if self.normals not in ("separate", "packed", None):
            raise ValueError(f"export: normals must be separate, packed or None, got {self.normals!r}")
        whole_number(self.side, "export: side", least=1)

    def write(self, folder: Path, name: str, subject: Subject) -> None:
        """Write a folder for each clip."""
        layouts = {clip: _layout(subject, clip, self) for clip in subject.clips}
        for clip, own in file_names(name, subject.clips).items():
            _write_clip(folder / f"{own}_vat", own, subject.vertices(clip), clip, layouts[clip], self)

    def read(self, folder: Path, name: str, subject: Subject, clip: str) -> Played:
        """Read the folder of a clip."""
        return PlayedVertices(read_clip(folder / f"{file_names(name, subject.clips)[clip]}_vat"))

    def readme(self, name: str, subject: Subject) -> str:
        """Say how the players take the files."""
        lines = [
            f"- `{own}_vat/`: {clip!r}, {subject.frame_rate(clip):.6g} frames a second,"
            f" {'a loop' if subject.clips[clip].loop else 'played once'}"
            for clip, own in file_names(name, subject.clips).items()
        ]
        return README + "\n".join(lines) + "\n"


README = """\
One folder for each clip, with the files that OpenVAT writes: `NAME_vat` has the offsets of all vertices
from rest, `NAME-vnrm` their normals, `NAME-remap_info.json` the range of the offsets and the number of
frames, `NAME.glb` the mesh, whose second texture coordinates (`VAT_UV`) point at each vertex's pixel of
the first frame. Import the pictures as numbers: no sRGB, no compression, no mipmaps, nearest filter. Set
the player's speed to the frames a second below. Its players show all frames in a circle: stop those that
are played once at the last.

"""


def file_names(name: str, clips: Iterable[str]) -> dict[str, str]:
    """Return how files of each clip begin: of letters, digits, "-" and "_" alone, which all engines take."""
    names: dict[str, str] = {}
    for number, clip in enumerate(clips):
        plain = re.sub(r"[^\w-]+", "_", f"{name}_{clip}", flags=re.ASCII)
        names[clip] = f"{plain}_{number}" if plain in names.values() else plain
    return names


def _write_clip(
    folder: Path, name: str, animation: VertexAnimation, clip: str, shape: _Layout, options: OpenVat
) -> None:
    """Write the folder of one clip."""
    frames = slice(0, shape.frames)
    at_rest = animation.mesh.positions
    offsets = BLENDER.vectors(animation.positions[frames] - at_rest)
    low, high = offsets.min(axis=(0, 1)), offsets.max(axis=(0, 1))
    span = np.where(high > low, high - low, 1.0)
    pixels = shape.picture((offsets - low) / span)
    normals = None
    if options.normals is not None and animation.normals is not None:
        normals = shape.picture(0.5 + 0.5 * BLENDER.vectors(animation.normals[frames]))
    if options.normals == "packed" and normals is not None:
        pixels, normals = np.concatenate([pixels, normals]), None
    end = KINDS[options.texture]
    folder.mkdir()
    write_image(folder / f"{name}_vat{end}", stored(pixels, options.texture), "export")
    if normals is not None:
        write_image(folder / f"{name}-vnrm{end}", stored(normals, options.texture), "export")
    found = animation.clips[clip]
    remap = {
        "os-remap": {"Min": low.tolist(), "Max": high.tolist(), "Frames": shape.frames},
        # What players of OpenVAT leave to the user: not read by them.
        "lissom": {"clip": clip, "rate": found.rate, "loop": found.loop, "start": found.start},
    }
    (folder / f"{name}-remap_info.json").write_text(json.dumps(remap, indent=2) + "\n")
    (folder / f"{name}.glb").write_bytes(still_glb(name, animation.mesh, shape.uvs(len(pixels))))


@dataclass(frozen=True)
class _Layout:
    """Where vertices are: `width` columns, `wraps` times as many rows as frames."""

    vertices: int
    width: int
    wraps: int
    frames: int

    def picture(self, values: Floats) -> Floats:
        """Return values (frames, vertices, 3) as rows of pixels; what is left over is 0."""
        padded = np.zeros((self.frames, self.wraps * self.width, 3), np.float32)
        padded[:, : self.vertices] = values
        blocks = padded.reshape(self.frames, self.wraps, self.width, 3)
        return np.ascontiguousarray(blocks.swapaxes(0, 1)).reshape(-1, self.width, 3)

    def uvs(self, height: int) -> Floats:
        """Return the middles of each vertex's pixel at frame 0, as glTF counts: v from the first row down."""
        vertex = np.arange(self.vertices)
        u = (vertex % self.width + 0.5) / self.width
        v = (vertex // self.width * self.frames + 0.5) / height
        return np.stack([u, v], axis=1).astype(np.float32)


def _layout(subject: Subject, clip: str, options: OpenVat) -> _Layout:
    vertices, frames = subject.mesh.vertex_count, subject.frame_count(clip)
    if subject.clips[clip].loop and frames > 1:  # not the last, after which players show the first
        frames -= 1
    height = options.side // 2 if options.normals == "packed" else options.side
    width = min(vertices, options.side)
    wraps = -(-vertices // width)
    if wraps * frames > height:
        raise ValueError(
            f"export: an OpenVAT texture holds {options.side} columns of {height} rows, got {vertices} "
            f"vertices at {frames} frames of clip {clip!r}; lower the rate, split the clip or reduce the mesh"
        )
    return _Layout(vertices, -(-vertices // wraps), wraps, frames)


def read_clip(folder: Path) -> VertexAnimation:
    """Return the vertices as OpenVAT's shaders decode them, from the files alone."""
    from lissom._export.glb_vertices import read_vertices

    (told,) = folder.glob("*-remap_info.json")
    name = told.name.removesuffix("-remap_info.json")
    remap = json.loads(told.read_text())
    low, high = (np.float32(remap["os-remap"][key]) for key in ("Min", "Max"))
    frames = int(remap["os-remap"]["Frames"])
    own = remap["lissom"]
    (texture,) = (path for path in folder.glob(f"{name}_vat.*"))
    pixels = read_image(texture, "export")[..., :3]
    mesh, uvs = read_vertices(folder / f"{name}.glb")
    column = np.floor(uvs[:, 0] * pixels.shape[1]).astype(np.int64)
    row = np.floor(uvs[:, 1] * len(pixels)).astype(np.int64)
    values = pixels[row + np.arange(frames)[:, None], column]
    offsets = BLENDER.vectors_from(low + values * (high - low))
    positions = mesh.positions + offsets
    if own["loop"]:  # after the last frame comes the first
        positions = np.concatenate([positions, positions[:1]])
    clip = VertexClip(0, len(positions), own["rate"], own["loop"], own["start"])
    return VertexAnimation(mesh, positions, {own["clip"]: clip})
