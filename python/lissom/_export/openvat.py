# SPDX-License-Identifier: MIT
"""The form of OpenVAT: a texture of offsets from rest, and a mesh that points into it.

A vertex has a column, a frame a row. Source of the layout: OpenVAT's README and its shader for Godot
(github.com/sharpen3d/openvat, MIT). There is a folder for each clip, as its players show all frames of a
texture, in a circle.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lissom._base.methods import BAKED_METHODS
from lissom._base.numbers import LARGEST, whole_number
from lissom._export.axes import BLENDER, Axes
from lissom._export.float_images import KINDS, read_image, stored, write_image
from lissom._export.markdown import code
from lissom._export.played import Played, PlayedVertices
from lissom._export.still_glb import still_glb
from lissom._export.subject import Subject
from lissom._export.vertex_animation import VertexAnimation
from lissom._export.vertex_clip import VertexClip
from lissom._formats.budget import Budget, JsonExtent
from lissom._formats.regular_file import read_regular
from lissom._rig.mesh import Mesh

__all__ = ["LARGEST_SIDE", "TABLE", "OpenVat", "OpenVatFiles", "circle", "file_names", "read_clip"]

TABLE = "-remap_info.json"
"""End of the name of a table."""

LARGEST_SIDE = 8192
"""Pixels of a side that engines on all machines take."""

MOST_OFFSET = 4 * LARGEST
"""Largest number of a range that is read: products of larger ones do not fit into floats."""

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
            _write_clip(folder / f"{own}_vat", own, subject, clip, layouts[clip], self)

    def read(self, folder: Path, name: str, subject: Subject, clip: str) -> Played:
        """Read the folder of a clip."""
        return PlayedVertices(read_clip(folder / f"{file_names(name, subject.clips)[clip]}_vat"))

    def readme(self, name: str, subject: Subject) -> str:
        """Say how the players take the files."""
        lines = [
            f"- `{own}_vat/`: {code(clip)}, {subject.frame_rate(clip):.6g} frames a second,"
            f" {'a loop' if subject.clips[clip].loop else 'played once'}"
            for clip, own in file_names(name, subject.clips).items()
        ]
        return README + "\n".join(lines) + "\n"


README = """\
One folder for each clip, with the files that OpenVAT writes: `NAME_vat` has the offsets of all vertices
from rest, `NAME-vnrm` their normals, `NAME-remap_info.json` the range of the offsets and the number of
frames, `NAME.glb` the mesh, whose second texture coordinates (`VAT_UV`) point at each vertex's pixel of
the first frame. Import the pictures as numbers: no sRGB, no compression, no mipmaps, nearest filter, and
the mesh in Godot with "Force Disable Compression": the 16 bits that it gives coordinates otherwise miss
the pixels, by up to a hand's width where a mesh has ten thousand vertices. Set the player's speed to the
frames a second below. Its players show all frames in a circle: stop those that are played once at the
last.

"""


def file_names(name: str, clips: Iterable[str]) -> dict[str, str]:
    """Return how files of each clip begin: of letters, digits, "-" and "_" alone, which all engines take."""
    names: dict[str, str] = {}
    for number, clip in enumerate(clips):
        plain = re.sub(r"[^\w-]+", "_", f"{name}_{clip}", flags=re.ASCII)
        names[clip] = f"{plain}_{number}" if plain in names.values() else plain
    return names


def _write_clip(
    folder: Path, name: str, subject: Subject, clip: str, shape: _Layout, options: OpenVat
) -> None:
    """Write the folder of one clip."""
    animation = subject.vertices(clip)
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
        "lissom": {
            "clip": clip,
            "rate": found.rate,
            "loop": found.loop,
            "start": found.start,
            "method": None if subject.bake is None else subject.bake.method,
        },
    }
    (folder / f"{name}{TABLE}").write_text(json.dumps(remap, indent=2) + "\n", encoding="utf-8")
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


@dataclass(frozen=True)
class OpenVatFiles:
    """The files of one clip, by whoever wrote them.

    Attributes
    ----------
    name : str
        Beginning of their names.
    mesh : Mesh
        At rest.
    uvs : ndarray of float32, shape (V, 2)
        Each vertex's pixel of the first frame.
    pixels : ndarray of float32, shape (height, width, 3)
        First row on top.
    low, high : ndarray of float32, shape (3,)
        Offsets that 0 and 1 stand for, in Blender's axes.
    frame_count : int
    told : mapping
        What lissom's own files say beyond that: clip, rate, loop, start, method.
    texture : Path
    """

    name: str
    mesh: Mesh
    uvs: Floats
    pixels: Floats
    low: Floats
    high: Floats
    frame_count: int
    told: Mapping[str, Any]
    texture: Path

    @classmethod
    def of(cls, folder: Path, read: Callable[[Path, str], Floats], what: str) -> OpenVatFiles:
        """Read the files of a folder; ValueError where one is missing or is none of its kind."""
        from lissom._export.glb_vertices import read_vertices

        table = _the_one(folder, f"*{TABLE}", "a table of OpenVAT", what)
        name = table.name.removesuffix(TABLE)
        texture = _the_one(folder, f"{name}_vat.*", "the texture of its table", what)
        model = _the_one(folder, "*.glb", "a mesh with VAT_UV as GLB", what)
        low, high, frame_count, told = _table(table, what)
        pixels = read(texture, what)[..., :3]
        if not np.isfinite(pixels).all():
            row, column, _ = np.argwhere(~np.isfinite(pixels))[0]
            raise ValueError(
                f"{what}: {texture} must hold finite numbers, got another at row {row}, column {column}"
            )
        if frame_count > len(pixels):
            raise ValueError(
                f"{what}: {table} must have at most {len(pixels)} frames, the rows of its picture, got "
                f"{frame_count}"
            )
        mesh, uvs = read_vertices(model, what)
        if uvs.min(initial=0.0) < 0 or uvs.max(initial=0.0) >= 1:
            raise ValueError(
                f"{what}: {model} must point into its texture by VAT_UV, from 0 to below 1, got "
                f"{uvs.min():.4g} to {uvs.max():.4g}; is it the mesh of this texture?"
            )
        return cls(name, mesh, uvs, pixels, low, high, frame_count, told, texture)

    def positions(
        self,
        frames: NDArray[np.int64] | None = None,
        change: Callable[[Floats], Floats] = lambda numbers: numbers,
        moved: tuple[int, int] = (0, 0),
        flipped: bool = False,
    ) -> Floats:
        """Return the vertices (frame, vertex, 3) in lissom's axes, as OpenVAT's shaders decode them.

        All frames when omitted. Other readings, for who looks for faults: numbers are changed first, texels
        read some rows and columns off, or from a picture upside down. Behind the last row comes the first, as
        in textures that repeat.
        """
        chosen = np.arange(self.frame_count) if frames is None else frames
        height, width = self.pixels.shape[:2]
        column = (np.floor(self.uvs[:, 0] * width).astype(np.int64) + moved[1]) % width
        row = np.floor(self.uvs[:, 1] * height).astype(np.int64) + chosen[:, None] + moved[0]
        row = (height - 1 - row if flipped else row) % height
        offsets = self.low + change(self.pixels[row, column]) * (self.high - self.low)
        return np.asarray(self.mesh.positions + BLENDER.vectors_from(offsets), np.float32)


def read_clip(folder: Path) -> VertexAnimation:
    """Return the vertices of a folder that `OpenVat` wrote, as OpenVAT's shaders decode them."""
    files = OpenVatFiles.of(folder, read_image, "export")
    told = files.told
    positions = circle(files.positions(), told["loop"])
    clip = VertexClip(0, len(positions), told["rate"], told["loop"], told["start"])
    return VertexAnimation(files.mesh, positions, {told["clip"]: clip})


def circle(positions: Floats, loop: bool) -> Floats:
    """Return frames with the one that players show after the last; a single frame is all there is."""
    return np.concatenate([positions, positions[:1]]) if loop and len(positions) > 1 else positions


def _the_one(folder: Path, pattern: str, kind: str, what: str) -> Path:
    found = sorted(path for path in folder.glob(pattern) if path.is_file())
    if len(found) != 1:
        got = ", ".join(path.name for path in found) or "none"
        raise ValueError(f"{what}: {folder} must hold {kind}, one file {pattern}, got {got}")
    return found[0]


def _table(path: Path, what: str) -> tuple[Floats, Floats, int, Mapping[str, Any]]:
    """Return lowest and highest offsets, the frames, and what lissom adds."""
    try:
        data = read_regular(path)
        Budget.of_file(path, len(data)).spend(JsonExtent.of(data).plain_bytes)
        whole = json.loads(data.decode("utf-8"))
        told = whole["os-remap"]
        if not all(_is_number(number) for key in ("Min", "Max") for number in np.ravel(told[key]).tolist()):
            raise TypeError
        low, high = (np.broadcast_to(np.array(told[key], np.float32), 3) for key in ("Min", "Max"))
        count, ours = int(told["Frames"]), dict(whole.get("lissom", {}))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError, OverflowError):
        raise ValueError(
            f'{what}: {path} must be a table of OpenVAT, {{"os-remap": {{"Min", "Max", "Frames"}}}}, got '
            "another; OpenVAT writes it beside the texture"
        ) from None
    if not isinstance(told["Frames"], int) or isinstance(told["Frames"], bool) or count < 1:
        raise ValueError(f"{what}: {path} must have a whole number of frames, from 1, got {str(told)[:200]}")
    if not (np.abs([*low, *high]) <= MOST_OFFSET).all():
        raise ValueError(
            f"{what}: {path} must have finite ranges, from -{MOST_OFFSET:g} to {MOST_OFFSET:g}, got "
            f"{str(told)[:200]}"
        )
    for key, is_right in OURS.items():
        if key in ours and not is_right(ours[key]):
            raise ValueError(
                f"{what}: {path} must have another lissom.{key}, got {str(ours[key])[:80]}; export it again"
            )
    return low, high, count, ours


def _is_number(value: object, least: float = -np.inf) -> bool:
    """Whether a value of JSON is a finite number above another; true and false are none."""
    return (
        isinstance(value, (int, float))
        and not isinstance(value, bool)
        and least < value <= sys.float_info.max
    )


OURS: Mapping[str, Callable[[Any], bool]] = {
    "clip": lambda value: isinstance(value, str),
    "rate": lambda value: _is_number(value, 0.0),
    "loop": lambda value: isinstance(value, bool),
    "start": _is_number,
    "method": lambda value: value is None or value in BAKED_METHODS,
}
"""What the values in lissom's part of a table are."""
