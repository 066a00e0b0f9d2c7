# SPDX-License-Identifier: MIT
"""The form "unreal": the textures of AnimToTexture's bone mode, a mesh, a node in HLSL, an editor script.

Properties are those that Epic's public reference of the plugin names; what it leaves open is a convention of
ours, which our node plays. No line is of the plugin's.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lissom._base.numbers import whole_number
from lissom._export.axes import UNREAL, Axes
from lissom._export.blocks import Blocks
from lissom._export.file_stem import file_stem
from lissom._export.float_images import read_image
from lissom._export.joint_bake import joint_bake
from lissom._export.markdown import cell
from lissom._export.openvat import LARGEST_SIDE
from lissom._export.played import Played
from lissom._export.rigid_rows import RigidRows, rigid_rows
from lissom._export.still_glb import still_glb
from lissom._export.subject import Subject
from lissom._export.surfaces import influences_of
from lissom._export.unreal_asset import BITS, TEXTURES, AssetClip, DataAsset
from lissom._export.unreal_files import CENTIMETRES, UnrealFiles, quaternions
from lissom._export.unreal_looks import Looks
from lissom._formats.png import png_bytes
from lissom._rig.mesh import Mesh
from lissom.pose_texture import PoseTexture

__all__ = ["Unreal"]

HALF_SIDE = 1024
"""Side up to which the middles of texels are exact in halves, in which Unreal may keep coordinates."""

SCRIPT = ".editor"
"""What is behind the name of a script for the editor's Python, which is no module of ours."""

MOST_INFLUENCES = 4
"""Of a vertex, in AnimToTexture's bone mode."""

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Unreal:
    """A crowd for Unreal Engine.

    Attributes
    ----------
    bits : {16, 8}
        Of the numbers in the textures: AnimToTexture's two precisions.
    side : int
        Largest side of a texture.
    """

    bits: int = 16
    side: int = LARGEST_SIDE

    name: ClassVar[str] = "unreal"
    axes: ClassVar[Axes] = UNREAL
    for_whom: ClassVar[str] = "Unreal Engine 5.1 or later"

    def __post_init__(self) -> None:
        if isinstance(self.bits, bool) or self.bits not in BITS:
            raise ValueError(f"export: bits must be 8 or 16, got {self.bits!r}")
        whole_number(self.side, "export: side", least=1)

    def write(self, folder: Path, name: str, subject: Subject) -> None:
        """Write textures, mesh, table, pictures, and what plays them."""
        bake = joint_bake(subject, self.name, most_influences=MOST_INFLUENCES)
        assert bake.mesh is not None
        _check_rigid(bake)
        stem, mesh = file_stem(name), bake.mesh
        posed, held = self._pose_blocks(bake), self._weight_blocks(mesh)
        rows = rigid_rows(bake)
        places, low, size = _boxed(rows)
        at_rest = np.tile([0.0, 0.0, 0.0, 1.0], (1, posed.entries, 1))
        turns = 0.5 + 0.5 * np.concatenate([at_rest, quaternions(rows.rotations)])
        files = {
            TEXTURES[0]: f"T_{stem}_BonePosition.png",
            TEXTURES[1]: f"T_{stem}_BoneRotation.png",
            TEXTURES[2]: f"T_{stem}_BoneWeights.png",
            "StaticMesh": f"SM_{stem}.glb",
        }
        rate = next((float(clip.rate) for clip in bake.clips.values() if clip.rate), 30.0)
        asset = DataAsset(
            joints=posed.entries,
            frames=len(turns),
            rate=rate,
            low=low,
            size=size,
            rows=posed.rows,
            weight_rows=held.rows,
            bits=self.bits,
            files=files,
            clips=_clips(bake, rate),
            method=bake.method,
        )
        looks = Looks(mesh)
        height = 2 ** int(np.ceil(np.log2(2 * held.rows)))
        pictures = {
            TEXTURES[0]: posed.picture(self._stored(places)),
            TEXTURES[1]: posed.picture(self._stored(turns)),
            TEXTURES[2]: held.picture(self._influences(mesh), min(height, self.side)),
        }
        for key, pixels in pictures.items():
            (folder / files[key]).write_bytes(png_bytes(pixels))
        uvs = held.middles(height=len(pictures[TEXTURES[2]]))
        (folder / files["StaticMesh"]).write_bytes(still_glb(stem, looks.mesh, uvs))
        for file, data in looks.pictures(stem).items():
            (folder / file).write_bytes(data)
        more = {
            "looks": looks.told(stem),
            "bounds": _bounds(bake),
            "witnesses": _witnesses(looks.mesh, uvs),
        }
        (folder / f"{stem}.json").write_text(asset.to_json(more), encoding="utf-8")
        for packed in (resources.files("lissom") / "packages" / "unreal").iterdir():
            place = folder / packed.name.removesuffix(SCRIPT)
            place.write_text(packed.read_text(encoding="utf-8"), encoding="utf-8")

    def _pose_blocks(self, bake: PoseTexture) -> Blocks:
        joints, frames = bake.texels.shape[1], 1 + len(bake.texels)
        most = 1 << self.bits
        if joints > most:
            raise ValueError(
                f"export: form 'unreal' holds {most} palette rows in {self.bits} bits, got {joints}; use "
                "bits=16"
            )
        blocks = Blocks(joints, min(joints, self.side))
        if blocks.rows * frames > self.side:
            raise ValueError(
                f"export: form 'unreal' holds textures of {self.side} rows, got {frames} frames of "
                f"{blocks.rows}; bake fewer clips at a time, or at a lower rate, or use form 'unity', which "
                "holds more"
            )
        return blocks

    def _weight_blocks(self, mesh: Mesh) -> Blocks:
        """Return the smallest square power of two, as wide as halves allow unless the mesh is larger."""
        count = mesh.vertex_count
        width = 1
        while width < min(HALF_SIDE, self.side) and 2 * -(-count // width) > width:
            width *= 2
        while width < self.side and 2 * -(-count // width) > self.side:
            width *= 2
        blocks = Blocks(count, min(width, self.side))
        if 2 * blocks.rows > self.side:
            raise ValueError(
                f"export: form 'unreal' holds {self.side * (self.side // 2)} vertices in a texture of "
                f"{self.side} pixels, got {count}; reduce the mesh, or use form 'godot' or 'unity', which "
                "hold them in the mesh"
            )
        return blocks

    def _stored(self, shares: Floats) -> NDArray[Any]:
        """Return numbers from 0 to 1 as the textures hold them."""
        steps = (1 << self.bits) - 1
        whole = np.rint(np.clip(shares, 0.0, 1.0) * steps)
        return whole.astype(np.uint8 if self.bits == 8 else np.uint16)

    def _influences(self, mesh: Mesh) -> NDArray[Any]:
        """Return weights that sum to the largest number, and palette rows, (2, V, 4)."""
        found = influences_of(mesh)
        steps = (1 << self.bits) - 1
        exact = found.weights[:, :4].astype(np.float64) * steps
        weights = np.floor(exact).astype(np.int64)
        order = np.argsort(weights - exact, axis=1, kind="stable")  # what the largest remainders are of
        missing = (steps - weights.sum(axis=1))[:, None]
        np.put_along_axis(weights, order, np.take_along_axis(weights, order, 1) + (np.arange(4) < missing), 1)
        kind = np.uint8 if self.bits == 8 else np.uint16
        return np.stack([weights, found.rows[:, :4].astype(np.int64)]).astype(kind)

    def read(self, folder: Path, name: str, subject: Subject, clip: str) -> Played:
        """Read the files back as the shader plays them."""
        return UnrealFiles.of(folder, read_image, "export").played()

    def readme(self, name: str, subject: Subject) -> str:
        """Say how a project takes the folder."""
        bake = subject.bake
        assert bake is not None
        assert bake.mesh is not None
        rate = next((float(clip.rate) for clip in bake.clips.values() if clip.rate), 30.0)
        stem = file_stem(name)
        rows = [
            f"| {cell(key)} | {clip.first} | {clip.last} | {clip.play_rate:.9g} | {int(clip.loop)} |"
            for key, clip in _clips(bake, rate).items()
        ]
        return README.format(
            stem=stem,
            bits=self.bits,
            joints=bake.texels.shape[1],
            frames=1 + len(bake.texels),
            vertices=bake.mesh.vertex_count,
            rate=f"{rate:.9g}",
            method="dual quaternions" if bake.method == "dual_quat" else "linear blending",
            steps=(1 << self.bits) - 1,
            rows="\n".join(rows),
        )


README = """\
**Written from Epic's public documentation: the engine itself was not run.** The arithmetic of
`LissomBonePose.hlsl` was, as GLSL that glslang and SPIRV-Cross made of it; `lissom_unreal.py` against a
stand-in for the editor's Python. Nothing here is of the plugin AnimToTexture, which is not needed.

In the editor, with the plugins Python Editor Script Plugin and Editor Scripting Utilities: Tools, Execute
Python Script, `lissom_unreal.py`. It imports this folder into `/Game/Lissom/{stem}`: textures as numbers
(sRGB off, no compression, no mipmaps, nearest), the mesh with its second texture coordinates as they are, and
for each look a material that plays the poses by World Position Offset. Put `SM_{stem}` into an Instanced
Static Mesh component with 12 custom floats for each instance:

| custom float | means | without custom floats |
| --- | --- | --- |
| 0 | TimeOffset: seconds added to the time | 0 |
| 1 | PlayRate: times SampleRate, {rate} | that of the first clip |
| 2, 3 | StartFrame, EndFrame, both shown | those of the first clip |
| 4 | 1: the clip loops; 0: its last frame stays | as the first clip |
| 5 to 9 | the same of the clip that it fades to | those of the first clip |
| 10, 11 | the second at which the fade begins, and how long it takes; 0: no fade | 0 |

| clip | StartFrame | EndFrame | PlayRate | loops |
| --- | --- | --- | --- | --- |
{rows}

| file | holds |
| --- | --- |
| `T_{stem}_BonePosition.png` | {frames} frames of {joints} palette rows, {bits} bits: see below |
| `T_{stem}_BoneRotation.png` | the same frames: unit quaternions x, y, z, w from the bind pose, (1 + q) / 2 |
| `T_{stem}_BoneWeights.png` | 4 influences of {vertices} vertices: weights, in rows below them palette rows |
| `SM_{stem}.glb` | the mesh; its second texture coordinates point at each vertex's texel of weights |
| `{stem}.json` | properties of AnimToTexture's data asset by their names, clips, looks |
| `LissomBonePose.hlsl` | skinning, here by {method}: the code of a Custom node |

Positions are `BoneMinBBox + BoneSizeBBox * texel`, centimetres: in frame 0 where joints are in the bind pose,
in all others how far they have moved from there. Palette rows are whole numbers over {steps}. Frames are
mixed as dual quaternions of equal sign, as lissom does it. A figure that looks along z in lissom looks along
y in Unreal.

**AnimToTexture's own material functions.** These points agree with Epic's public reference: names of
properties and their meanings, the box, 8 and 16 bits, positions relative to the reference pose, four numbers
of a rotation, rows per frame, four influences, linear blending, a channel of texture coordinates, both ends
of a clip. These it leaves open, so that whether its functions play the textures here is not known: which four
numbers a rotation is, what frame 0 holds, how rows of the texture of weights are ordered, where texture
coordinates point, and how frames are mixed. Play them by `LissomBonePose.hlsl`.

Not in it: scale, morph targets that change, root motion, markers.

"""


def _check_rigid(bake: PoseTexture) -> None:
    if bake.texels.shape[2] > 2:
        raise ValueError(
            "export: form 'unreal' holds rotations and positions, got a bake whose clips scale; use form "
            "'godot', 'unity' or 'three', which hold scale, or 'openvat' for Unreal, which holds vertices"
        )


def _clips(bake: PoseTexture, rate: float) -> dict[str, AssetClip]:
    """Return the clips, behind the frame at rest."""
    return {
        name: AssetClip(
            1 + clip.first_frame,
            clip.first_frame + clip.frame_count,
            float(clip.rate or rate) / rate,
            bool(clip.loop),
            float(clip.start),
        )
        for name, clip in bake.clips.items()
    }


def _boxed(rows: RigidRows) -> tuple[Floats, tuple[float, float, float], tuple[float, float, float]]:
    """Return places at rest and how far they move as shares of a box, (1 + F, R, 4), and the box."""
    whole = np.concatenate([rows.pivots[None], rows.offsets])
    places = np.asarray(UNREAL.vectors(whole), np.float64) * CENTIMETRES
    low = places.min(axis=(0, 1)).astype(np.float32).astype(np.float64)
    span = (places.max(axis=(0, 1)) - low).astype(np.float32).astype(np.float64)
    span = np.where(span > 0, span, 1.0)
    shares = np.concatenate([(places - low) / span, np.ones((*places.shape[:2], 1))], axis=-1)
    return shares, tuple(low.tolist()), tuple(span.tolist())


def _bounds(bake: PoseTexture) -> dict[str, list[float]]:
    """Return the corners of the box around all clips, centimetres."""
    boxes = np.array([clip.bounds for clip in bake.clips.values()], np.float64)
    corners = np.asarray(UNREAL.vectors(boxes)) * CENTIMETRES
    return {"min": corners.min(axis=(0, 1)).tolist(), "max": corners.max(axis=(0, 1)).tolist()}


def _witnesses(mesh: Mesh, uvs: NDArray[np.float32]) -> list[dict[str, list[float]]]:
    """Return the vertices at the ends of each axis, by which an importer's axes and units are known."""
    ends = np.concatenate([mesh.positions.argmin(axis=0), mesh.positions.argmax(axis=0)])
    places = np.asarray(UNREAL.vectors(mesh.positions.astype(np.float64))) * CENTIMETRES
    return [
        {"uv": uvs[vertex].tolist(), "position": places[vertex].tolist()}
        for vertex in np.unique(ends).tolist()
    ]
