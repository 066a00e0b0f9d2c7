# SPDX-License-Identifier: MIT
## Rows of a baked character, each instance with a clip, a moment and a tint of its own. Now and then one fades.
extends Node3D

@onready var crowd := $Crowd
@onready var camera: Camera3D = $Camera

var _chance := RandomNumberGenerator.new()


func _ready() -> void:
	_chance.seed = 1
	var box: AABB = crowd.character.custom_aabb
	var spacing := 1.1 * maxf(box.size.x, box.size.z)
	var columns := ceili(sqrt(crowd.count))
	for i in crowd.count:
		var column: int = i % columns
		var row: int = i / columns
		var place := Vector3(column - 0.5 * (columns - 1), 0.0, 0.5 * (columns - 1) - row) * spacing
		var turn := Basis(Vector3.UP, _chance.randf_range(-0.4, 0.4))
		crowd.multimesh.set_instance_transform(i, Transform3D(turn, place))
		crowd.multimesh.set_instance_color(i, Color.from_hsv(_chance.randf(), 0.12, 1.0))
		var clip: Dictionary = crowd.clips[i % crowd.clips.size()]
		crowd.set_clip(i, clip.name, clip.start + clip.duration * _chance.randf())
		crowd.set_speed(i, _chance.randf_range(0.9, 1.1))
	$Ground.position.y = box.position.y
	var width := columns * spacing
	$Ground.scale = Vector3.ONE * (40.0 * width + 40.0 * box.size.y)
	$Sun.directional_shadow_max_distance = 2.0 * width + 4.0 * box.size.y
	camera.far = 20.0 * (width + box.size.y)
	camera.near = 0.02 * box.size.y
	camera.look_at_from_position(
		Vector3(0.35, 0.3, 1.0) * (0.75 * width + 1.8 * box.size.y), Vector3(0.0, 0.5 * box.size.y, 0.15 * width)
	)


func _process(_delta: float) -> void:
	var clip: Dictionary = crowd.clips[_chance.randi() % crowd.clips.size()]
	crowd.fade_to(_chance.randi() % crowd.count, clip.name, 0.3)
