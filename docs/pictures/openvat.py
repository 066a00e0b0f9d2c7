# SPDX-License-Identifier: MIT
"""An export for OpenVAT as Godot draws it, where it is fetched, with the shader of the how-to."""

import re
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import godot
import lissom

PAGE = Path(__file__).resolve().parents[1] / "howto" / "export-to-openvat.md"
CLIPS = ("walk", "run", "wave")

SHOOT = """extends SceneTree
func _initialize():
	_shoot()
func _shoot():
	await process_frame
	var scene := Node3D.new()
	for number in 9:
		var clip: String = {clips}[number % 3]
		var figure := character("res://hero/hero_%s_vat/hero_%s" % [clip, clip], 0.37 * number)
		figure.position = Vector3(1.15 * (number - 4), 0.0, -0.7 * (number % 2))
		figure.rotation.y = 0.35 - 0.08 * number
		scene.add_child(figure)
	var environment := Environment.new()
	environment.background_mode = Environment.BG_COLOR
	environment.background_color = Color(0.79, 0.81, 0.84)
	environment.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
	environment.ambient_light_color = Color(0.87, 0.89, 0.93)
	environment.ambient_light_energy = 0.5
	var world := WorldEnvironment.new()
	world.environment = environment
	scene.add_child(world)
	var sun := DirectionalLight3D.new()
	sun.rotation = Vector3(-0.9, 0.6, 0.0)
	sun.light_energy = 0.45
	sun.shadow_enabled = true
	scene.add_child(sun)
	var ground := MeshInstance3D.new()
	ground.mesh = PlaneMesh.new()
	ground.mesh.size = Vector2(200, 200)
	var grey := StandardMaterial3D.new()
	grey.albedo_color = Color(0.6, 0.62, 0.65)
	grey.metallic_specular = 0.0
	ground.material_override = grey
	scene.add_child(ground)
	var camera := Camera3D.new()
	camera.fov = 15.5
	scene.add_child(camera)
	var view := SubViewport.new()
	view.size = Vector2i({width}, {height})
	view.msaa_3d = Viewport.MSAA_4X
	view.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	view.add_child(scene)
	root.add_child(view)
	camera.look_at_from_position(Vector3(0.0, 2.2, 13.0), Vector3(0.0, 0.95, -0.35))
	for i in 3:
		await process_frame
	await RenderingServer.frame_post_draw
	view.get_texture().get_image().save_png("res://picture.png")
	quit()
"""


def walkers(width: int, height: int) -> NDArray[np.uint8] | None:
    """Figures in a row, of three clips, each at another moment; None without Godot."""
    if godot.godot_engine.MISSING:
        return None
    shader, script = re.findall(
        r"```(?:glsl|gdscript)\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL
    )
    hero = lissom.samples.humanoid()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lissom.bake(hero, CLIPS, rate=60).export("openvat", folder / "hero")
        (folder / "openvat.gdshader").write_text(shader)
        shoot = SHOOT.replace("{clips}", str(list(CLIPS))).replace("{width}", str(width))
        (folder / "shoot.gd").write_text(shoot.replace("{height}", str(height)) + "\n\n" + script)
        godot.godot_engine.run(folder, "--import", timeout=300)
        said = godot.godot_engine.run(folder, "--script", "res://shoot.gd", timeout=300)
        assert (folder / "picture.png").is_file(), said
        assert "ERROR" not in said, said
        return np.asarray(Image.open(folder / "picture.png").convert("RGB"))
