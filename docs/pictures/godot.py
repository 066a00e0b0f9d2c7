# SPDX-License-Identifier: MIT
"""An exported crowd as Godot draws it, on software OpenGL; where `make consumers` has fetched it."""

import sys
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

import lissom

sys.path.append(str(Path(__file__).resolve().parents[2] / "tests"))

import godot_engine

PEOPLE = 30

SHOOT = """extends SceneTree
func _initialize():
	_shoot()
func _shoot():
	await process_frame
	var scene = load("res://hero/hero.tscn").instantiate()
	scene.process_mode = Node.PROCESS_MODE_DISABLED  # as it is at the start
	var view := SubViewport.new()
	view.size = Vector2i({width}, {height})
	view.msaa_3d = Viewport.MSAA_4X
	view.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	view.add_child(scene)
	root.add_child(view)
	await process_frame
	scene.get_node("Crowd").advance(0.0)
	for i in 3:
		await process_frame
	await RenderingServer.frame_post_draw
	view.get_texture().get_image().save_png("res://picture.png")
	quit()
"""


def crowd(width: int, height: int) -> NDArray[np.uint8] | None:
    """The scene that the form "godot" writes, at its start; None without Godot."""
    if godot_engine.MISSING:
        return None
    hero = lissom.samples.humanoid()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bake = lissom.bake(hero, ["walk", "run", "wave", "idle"], rate=30)
        bake.export("godot", folder / "hero", count=PEOPLE)
        (folder / "shoot.gd").write_text(SHOOT.format(width=width, height=height))
        said = godot_engine.run(folder, "--script", "res://shoot.gd", timeout=300)
        assert (folder / "picture.png").is_file(), said
        return np.asarray(Image.open(folder / "picture.png").convert("RGB"))
