# SPDX-License-Identifier: MIT
"""Extensions: those that a file may require, and those whose contents are left out."""

from __future__ import annotations

from lissom._files.gltf import draco
from lissom._files.gltf.log import Log, refuse
from lissom._files.gltf.schema import NOTHING, Document

# Extensions that are read, or that do not affect the arrays, such as those of materials.
_KNOWN = {
    "EXT_meshopt_compression",
    "EXT_texture_avif",
    "EXT_texture_webp",
    "KHR_draco_mesh_compression",
    "KHR_lights_punctual",
    "KHR_mesh_quantization",
    "KHR_meshopt_compression",
    "KHR_node_hoverability",
    "KHR_node_selectability",
    "KHR_node_visibility",
    "KHR_texture_basisu",
    "KHR_texture_transform",
    "KHR_xmp_json_ld",
}


def check_extensions(document: Document, log: Log) -> None:
    """Refuse a file that requires an extension which lissom does not read."""
    for number, name in enumerate(document.extensionsRequired):
        pointer = f"/extensionsRequired/{number}"
        if name == draco.EXTENSION and not draco.is_installed():
            draco.refuse_missing(pointer)
        if name not in _KNOWN and not name.startswith("KHR_materials_"):
            refuse(
                "UNSUPPORTED_EXTENSION",
                pointer,
                f"the file requires the extension {name[:80]}, which lissom does not read",
            )


def note_left_out(document: Document, log: Log) -> None:
    """Record that cameras and lights are left out."""
    if document.cameras:
        count = len(document.cameras)
        log.note("CAMERAS_LEFT_OUT", "/cameras", f"cameras are not loaded; the file has {count}")
    if document.extensions is not None and document.extensions.KHR_lights_punctual is not NOTHING:
        log.note(
            "LIGHTS_LEFT_OUT", "/extensions/KHR_lights_punctual", "the file has lights, which are not loaded"
        )
