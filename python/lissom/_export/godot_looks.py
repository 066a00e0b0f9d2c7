# SPDX-License-Identifier: MIT
"""The looks of surfaces as Godot's shaders and materials, which mean what glTF's do."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from lissom._formats.png import png_bytes
from lissom._rig.encoded_picture import format_of
from lissom._rig.part import Part, Texture

__all__ = ["Looks"]

SUFFIXES = {"PNG": ".png", "JPEG": ".jpg", "WebP": ".webp"}
"""Formats of pictures that Godot imports, and the ends of their names."""

DEFINES = {"mask": "#define ALPHA_MASK\n", "blend": "#define ALPHA_BLEND\n", "opaque": ""}


class Looks:
    """Files of looks in a folder: a material for each, and the shaders and pictures that they need."""

    def __init__(self, folder: Path, stem: str, shader: str) -> None:
        self.materials: list[str] = []
        self._folder, self._stem, self._shader = folder, stem, shader
        self._pictures: dict[bytes, str] = {}

    def add(self, look: Part) -> None:
        """Write the material of a part that stands for all of its look."""
        name = f"{self._stem}_material_{len(self.materials)}.tres"
        files = {
            "shader": ("Shader", self._shader_of(look)),
            "poses": ("Texture2D", f"{self._stem}_poses.res"),
            "clips": ("Texture2D", f"{self._stem}_clips.res"),
        }
        for key, texture in (("picture", look.texture), ("emissive_picture", look.emissive_texture)):
            if texture is not None:
                files[key] = ("Texture2D", self._picture(texture))
        lines = [f'[gd_resource type="ShaderMaterial" load_steps={len(files) + 1} format=3]', ""]
        lines += [
            f'[ext_resource type="{kind}" path={quoted(path)} id="{key}"]'
            for key, (kind, path) in files.items()
        ]
        lines += ["", "[resource]", f"resource_name = {quoted(look.name)}", 'shader = ExtResource("shader")']
        lines += [f'shader_parameter/{key} = ExtResource("{key}")' for key in files if key != "shader"]
        color = [srgb(value) for value in look.base_color[:3]] + [look.base_color[3]]
        light = (0.0, 0.0, 0.0) if look.unlit else look.emissive
        lines += [
            f"shader_parameter/base_color = Color({_list(color)})",
            f"shader_parameter/emissive = Vector3({_list(light)})",
            f"shader_parameter/alpha_cutoff = {look.alpha_cutoff:.9g}",
        ]
        (self._folder / name).write_text("\n".join(lines) + "\n", encoding="utf-8")
        self.materials.append(name)

    def _shader_of(self, look: Part) -> str:
        """Write the shader of a look where it is new, and return its name."""
        modes = ["cull_disabled" if look.double_sided else "cull_back"]
        if look.unlit:
            modes.append("unshaded")
        words = [look.alpha_mode, *(["double_sided"] if look.double_sided else []), *modes[1:]]
        name = f"{self._stem}_{'_'.join(words)}.gdshader"
        text = self._shader.replace("RENDER_MODE", ", ".join(modes)).replace("NAME", self._stem)
        text = text.replace("#include", DEFINES[look.alpha_mode] + "#include", 1)
        (self._folder / name).write_text(text, encoding="utf-8")
        return name

    def _picture(self, texture: Texture) -> str:
        """Write a picture where it is new, and return its name. What Godot does not read becomes PNG."""
        if texture.data not in self._pictures:
            suffix, data = SUFFIXES.get(format_of(texture.data), ""), texture.data
            if not suffix:
                suffix, data = ".png", png_bytes(texture.decode())
            name = f"{self._stem}_picture_{len(self._pictures)}{suffix}"
            (self._folder / name).write_bytes(data)
            self._pictures[texture.data] = name
        return self._pictures[texture.data]


def quoted(text: str) -> str:
    """Return a string as Godot's text files write it."""
    return json.dumps(text, ensure_ascii=False)


def srgb(linear: float) -> float:
    """Return a linear share of light as sRGB, from which Godot takes it back (IEC 61966-2-1)."""
    value = float(np.clip(linear, 0.0, 1.0))
    return 12.92 * value if value <= 0.0031308 else 1.055 * value ** (1 / 2.4) - 0.055


def _list(values: list[float] | tuple[float, ...]) -> str:
    return ", ".join(f"{value:.9g}" for value in values)
