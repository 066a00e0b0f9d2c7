# SPDX-License-Identifier: MIT
"""Scenes of Godot 4 as text: a crowd, and one with camera, light and ground around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lissom._export.godot_looks import quoted
from lissom.pose_texture import BakedClip

__all__ = ["crowd_scene", "demo_scene"]


def crowd_scene(stem: str, clips: Mapping[str, BakedClip], materials: Sequence[str]) -> str:
    """Return the scene of the crowd alone: one character, until `count` says more."""
    told = ", ".join(
        f'{{"name": {quoted(name)}, "start": {float(clip.start)!r}, "duration": {float(clip.duration)!r}, '
        f'"loop": {"true" if clip.loop else "false"}}}'
        for name, clip in clips.items()
    )
    files = "".join(
        f'[ext_resource type="Material" path="{path}" id="material_{number}"]\n'
        for number, path in enumerate(materials)
    )
    names = ", ".join(f'ExtResource("material_{number}")' for number in range(len(materials)))
    return f"""[gd_scene load_steps={len(materials) + 3} format=3]

[ext_resource type="Script" path="{stem}_crowd.gd" id="script"]
[ext_resource type="ArrayMesh" path="{stem}_mesh.res" id="mesh"]
{files}
[node name="{stem}" type="MultiMeshInstance3D"]
script = ExtResource("script")
count = 1
character = ExtResource("mesh")
materials = Array[ShaderMaterial]([{names}])
clips = Array[Dictionary]([{told}])
"""


def demo_scene(stem: str, count: int) -> str:
    """Return the scene of a crowd on a plane."""
    return f"""[gd_scene load_steps=7 format=3]

[ext_resource type="Script" path="{stem}_demo.gd" id="script"]
[ext_resource type="PackedScene" path="{stem}_crowd.tscn" id="crowd"]

[sub_resource type="Environment" id="environment"]
background_mode = 1
background_color = Color(0.79, 0.81, 0.84, 1)
ambient_light_source = 2
ambient_light_color = Color(0.87, 0.89, 0.93, 1)
ambient_light_energy = 0.5

[sub_resource type="PlaneMesh" id="plane"]
size = Vector2(1, 1)

[sub_resource type="StandardMaterial3D" id="ground"]
albedo_color = Color(0.6, 0.62, 0.65, 1)
metallic_specular = 0.0

[node name="{stem}" type="Node3D"]
script = ExtResource("script")

[node name="Environment" type="WorldEnvironment" parent="."]
environment = SubResource("environment")

[node name="Sun" type="DirectionalLight3D" parent="."]
transform = Transform3D(0.8, -0.36, 0.48, 0, 0.8, 0.6, -0.6, -0.48, 0.64, 0, 0, 0)
light_energy = 0.45
shadow_enabled = true

[node name="Ground" type="MeshInstance3D" parent="."]
mesh = SubResource("plane")
surface_material_override/0 = SubResource("ground")

[node name="Crowd" parent="." instance=ExtResource("crowd")]
count = {count}

[node name="Camera" type="Camera3D" parent="."]
fov = 35.0
"""
