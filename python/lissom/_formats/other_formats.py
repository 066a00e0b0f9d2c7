# SPDX-License-Identifier: MIT
"""Formats of models that are not read: how to tell them, and the shortest way from each to a GLB."""

from __future__ import annotations

import re
from dataclasses import dataclass

__all__ = ["GLTF_1_ROUTE", "other_format"]

GLTF_1_ROUTE = "`npx gltf-pipeline -i old.gltf -o new.glb` upgrades glTF 1.0"


@dataclass(frozen=True, slots=True)
class _Format:
    name: str  # with its article
    route: str
    heads: tuple[bytes, ...] = ()
    suffixes: tuple[str, ...] = ()


def _by_blender(menu: str) -> str:
    return f"in Blender, File > Import > {menu} and File > Export > glTF 2.0 make a GLB of it"


_FORMATS = (
    _Format(
        "an FBX file",
        "FBX2glTF (npm install fbx2gltf) makes a GLB of it with all clips, and so does Blender with the one "
        "that is active",
        (b"Kaydara FBX Binary", b"; FBX "),
        (".fbx",),
    ),
    _Format(
        "a USD file",
        _by_blender("Universal Scene Description"),
        (b"#usda ", b"PXR-USDC"),
        (".usd", ".usda", ".usdc", ".usdz"),
    ),
    _Format(
        "a Blender file",
        "in Blender, File > Export > glTF 2.0 makes a GLB of it",
        (b"BLENDER",),
        (".blend",),
    ),
    _Format(
        "an OBJ file, which has neither joints nor weights",
        "`npx obj2gltf -i mesh.obj -o mesh.glb` makes a GLB of it, and lissom.weights binds that to joints",
        (),
        (".obj",),
    ),
    _Format("a COLLADA file", _by_blender("Collada"), (), (".dae",)),
    _Format("a PLY file, which has neither joints nor weights", _by_blender("Stanford PLY"), (), (".ply",)),
    _Format("an STL file, which has neither joints nor weights", _by_blender("STL"), (), (".stl",)),
    _Format(
        "an Alembic file, which holds moved vertices and no joints",
        "export the rig itself as glTF 2.0 from the program that made it",
        (b"Ogawa",),
        (".abc",),
    ),
    _Format(
        "a KTX2 picture",
        "a glTF with such textures loads, drawn plain; "
        "`npx @gltf-transform/cli ktxdecompress in.glb out.glb` writes them as PNG",
        (b"\xabKTX 20\xbb",),
        (".ktx2",),
    ),
)

# The first word of each line of an OBJ that has no comments before it.
_OBJ_LINE = re.compile(rb"(?:#[^\n]*\n\s*)*(?:mtllib|o|g|v|vn|vt)[ \t]+\S")


def other_format(head: bytes, suffix: str) -> str | None:
    """Return what a file of another format is, and the shortest way from it to a GLB.

    Parameters
    ----------
    head : bytes
        The first bytes of the file, which decide before its name does.
    suffix : str
        Of the file's name, lower case, with its dot; "" for bytes without a name.

    Returns
    -------
    str or None
        A sentence without its subject, the file; None where the format is not known.
    """
    chosen = next((each for each in _FORMATS if each.heads and head.startswith(each.heads)), None)
    if chosen is None:
        chosen = next((each for each in _FORMATS if suffix in each.suffixes), None)
    if chosen is None and _OBJ_LINE.match(head):
        chosen = next(each for each in _FORMATS if ".obj" in each.suffixes)
    return None if chosen is None else f"is {chosen.name}, not a glTF, GLB or BVH file; {chosen.route}"
