# SPDX-License-Identifier: MIT
## A crowd of one baked character. Each instance plays a clip of its own, at its own time and speed, and fades.
##
## Times are seconds on a clip's own line; they wrap where it loops, and are held at its ends where it does not.
## What plays on by itself costs nothing here: the vertex shader reads the clock. Places and tints are the
## [member MultiMeshInstance3D.multimesh]'s: [code]multimesh.set_instance_transform(7, place)[/code].
extends MultiMeshInstance3D

const LINE := 2048  # texels of a line of the texture
const NUMBERS := 8  # of an instance: see NAME_pose.gdshaderinc
const AFRESH := 30.0  # seconds after which times are counted from anew, which keeps them exact in float32

## How many instances there are. Where there is a multimesh already, it says so.
@export var count := 1
## The mesh.
@export var character: ArrayMesh
## Of each surface of the mesh, what plays it.
@export var materials: Array[ShaderMaterial] = []
## Of each clip its name, start and duration in seconds, and whether it loops, in the order of the bake.
@export var clips: Array[Dictionary] = []
## Whether time passes by itself; else by [method advance].
@export var playing := true

var _numbers := PackedFloat32Array()
var _image: Image
var _texture: ImageTexture
var _materials: Array[ShaderMaterial] = []
var _by_name := {}
var _second := 0
var _fraction := 0.0
var _is_changed := true
var _due := 0.0
var _next := 0


func _ready() -> void:
	_prepare()


func _process(delta: float) -> void:
	if playing:
		advance(delta)


## Lets time pass for all instances; negative goes back.
func advance(seconds: float) -> void:
	_prepare()
	_fraction += seconds
	var whole := floori(_fraction)
	_second += whole
	_fraction -= whole
	_due = minf(_due + count * absf(seconds) / AFRESH, count)
	while _due >= 1.0:
		_settle(_next)
		_next = (_next + 1) % count
		_due -= 1.0
	_show()


## Has an instance play a clip, from a time on; from its start when omitted.
func set_clip(i: int, clip: String, time := NAN) -> void:
	var found := _checked("set_clip", i, clip)
	if found >= 0:
		_play(NUMBERS * i, found, _local(found, time))


## Fades to another clip within some seconds. In the midst of a fade, the clip of smaller weight is dropped.
func fade_to(i: int, clip: String, seconds: float, time := NAN) -> void:
	var found := _checked("fade_to", i, clip)
	if found < 0:
		return
	_settle(i)
	var at := NUMBERS * i
	if _numbers[at + 2] > 0.0 and get_fade(i) >= 0.5:
		_play(at, int(_numbers[at + 2]) - 1, _numbers[at + 3] + _numbers[at + 4] * _fraction)
	if seconds <= 0.0:
		_play(at, found, _local(found, time))
		return
	_numbers[at + 2] = found + 1
	_numbers[at + 3] = _local(found, time) - _numbers[at + 4] * _fraction
	_numbers[at + 6] = -_fraction / seconds
	_numbers[at + 7] = 1.0 / seconds


## 1 is the clip's own speed, 0 stands still, negative plays backwards.
func set_speed(i: int, speed: float) -> void:
	if not _is_instance("set_speed", i):
		return
	_settle(i)
	var at := NUMBERS * i
	var change := (_numbers[at + 4] - speed) * _fraction
	_numbers[at + 1] += change
	_numbers[at + 3] += change
	_numbers[at + 4] = speed


## Moves an instance to a time of its clip; of the one that it fades to, in a fade.
func set_time(i: int, time: float) -> void:
	if not _is_instance("set_time", i):
		return
	_settle(i)
	var at := NUMBERS * i
	var slot := 0 if _numbers[at + 2] == 0.0 else 2
	var clip := int(_numbers[at + slot]) - slot / 2
	_numbers[at + slot + 1] = _local(clip, time) - _numbers[at + 4] * _fraction


## The clip that an instance plays; the one that it fades to, in a fade.
func get_clip(i: int) -> String:
	if not _is_instance("get_clip", i):
		return ""
	return clips[_played(i)].name


## The time of the clip of [method get_clip].
func get_time(i: int) -> float:
	if not _is_instance("get_time", i):
		return NAN
	var at := NUMBERS * i
	var clip := _played(i)
	var first := _numbers[at + 1 if _numbers[at + 2] == 0.0 else at + 3]
	return clips[clip].start + _wrapped(clip, first + _numbers[at + 4] * _elapsed(i))


## How far a fade is, from 0 to 1; 0 where there is none.
func get_fade(i: int) -> float:
	if not _is_instance("get_fade", i):
		return NAN
	var at := NUMBERS * i
	var share := 0.0 if _numbers[at + 2] == 0.0 else _numbers[at + 6] + _numbers[at + 7] * _elapsed(i)
	return share if share < 1.0 else 0.0  # a fade that is over stays in the numbers until they are settled


func _prepare() -> void:
	if _texture != null:
		return
	for i in clips.size():
		_by_name[clips[i].name] = i
	var own := character.duplicate() as ArrayMesh  # two crowds of one character have clocks of their own
	for surface in materials.size():
		var material := materials[surface].duplicate() as ShaderMaterial
		own.surface_set_material(surface, material)
		_materials.append(material)
	if multimesh == null:
		multimesh = _new_multimesh(count)
	multimesh.mesh = own
	count = multimesh.instance_count
	# The box is that of the clips; in fades, vertices may leave it by some hundredths.
	extra_cull_margin = maxf(extra_cull_margin, 0.1 * own.custom_aabb.size.length())
	var lines := maxi(1, ceili(2.0 * count / LINE))
	_numbers.resize(4 * LINE * lines)
	for i in count:
		_numbers[NUMBERS * i + 4] = 1.0
	_image = Image.create_from_data(LINE, lines, false, Image.FORMAT_RGBAF, _numbers.to_byte_array())
	_texture = ImageTexture.create_from_image(_image)
	for material in _materials:
		material.set_shader_parameter("instances", _texture)
	_show()


# Upright at the origin, and white.
func _new_multimesh(instances: int) -> MultiMesh:
	var result := MultiMesh.new()
	result.transform_format = MultiMesh.TRANSFORM_3D
	result.use_colors = true
	result.instance_count = instances
	for i in instances:
		result.set_instance_transform(i, Transform3D())
		result.set_instance_color(i, Color.WHITE)
	return result


func _show() -> void:
	if _is_changed:
		_image.set_data(LINE, _image.get_height(), false, Image.FORMAT_RGBAF, _numbers.to_byte_array())
		_texture.update(_image)
		_is_changed = false
	for material in _materials:
		material.set_shader_parameter("now_second", _second)
		material.set_shader_parameter("now_fraction", _fraction)


func _play(at: int, clip: int, local: float) -> void:
	_numbers[at] = clip
	_numbers[at + 1] = local - _numbers[at + 4] * _fraction
	_numbers[at + 2] = 0.0
	_numbers[at + 3] = 0.0
	_numbers[at + 5] = _second
	_numbers[at + 6] = 0.0
	_numbers[at + 7] = 0.0
	_is_changed = true


# The clip of an instance; the one that it fades to, in a fade.
func _played(i: int) -> int:
	var next := int(_numbers[NUMBERS * i + 2])
	return next - 1 if next > 0 else int(_numbers[NUMBERS * i])


# Seconds since the second that an instance is counted from.
func _elapsed(i: int) -> float:
	return _second - _numbers[NUMBERS * i + 5] + _fraction


# Counts an instance from this second on, and ends a fade that is over.
func _settle(i: int) -> void:
	var at := NUMBERS * i
	var elapsed := _second - _numbers[at + 5]
	var ago := _numbers[at + 4] * _fraction
	var step := _numbers[at + 4] * elapsed + ago
	_numbers[at + 1] = _wrapped(int(_numbers[at]), _numbers[at + 1] + step) - ago
	_numbers[at + 5] = _second
	_is_changed = true
	if _numbers[at + 2] == 0.0:
		return
	var next := int(_numbers[at + 2]) - 1
	_numbers[at + 3] = _wrapped(next, _numbers[at + 3] + step) - ago
	_numbers[at + 6] += _numbers[at + 7] * elapsed
	if _numbers[at + 6] + _numbers[at + 7] * _fraction >= 1.0:
		_play(at, next, _numbers[at + 3] + ago)


# Seconds from a clip's start, of a time on its own line.
func _local(clip: int, time: float) -> float:
	return 0.0 if is_nan(time) else _wrapped(clip, time - clips[clip].start)


func _wrapped(clip: int, local: float) -> float:
	var duration: float = clips[clip].duration
	if clips[clip].loop and duration > 0.0:
		return fposmod(local, duration)
	return clampf(local, 0.0, duration)


func _checked(caller: String, i: int, clip: String) -> int:
	if not _is_instance(caller, i):
		return -1
	var found: int = _by_name.get(clip, -1)
	if found < 0:
		push_error("%s: clip must be one of %s, got %s" % [caller, ", ".join(_by_name.keys()), clip])
	return found


func _is_instance(caller: String, i: int) -> bool:
	_prepare()
	if i >= 0 and i < count:
		return true
	push_error("%s: i must be at least 0 and below %d, got %d" % [caller, count, i])
	return false
