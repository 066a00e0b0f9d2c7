# SPDX-License-Identifier: MIT
# Godot's side of tests/export/test_godot.py: plays exported crowds as jobs.json says, and writes where their vertices
# are. Vertices are points here, each on a pixel of its own, whose colour is half of the 24 bits of a coordinate, in
# digits of 16: the exported shader with another end. The digits are far apart, and not dark: some renderers bend what
# is dark.
extends SceneTree

const WIDTH := 2048

const POINTS := """
	vec3 what = kind == 0 ? VERTEX : kind == 1 ? NORMAL : vec3(TIME);
	float share = lane == 3 ? float(VERTEX_ID) / 16777214.0 : (what[lane] - low) / span;
	int code = int(clamp(share, 0.0, 1.0) * 16777214.0 + 0.5);
	ivec3 digits = (ivec3(code) >> (lane_half == 0 ? ivec3(20, 16, 12) : ivec3(8, 4, 0))) & ivec3(15);
	probe = (64.0 + 12.0 * vec3(digits)) / 255.0;
	int pixel = first + INSTANCE_ID * points + VERTEX_ID;
	vec2 place = vec2(float(pixel % 2048), float(pixel / 2048)) + 0.5;
	POSITION = vec4(2.0 * place / vec2(2048.0, float(lines)) - 1.0, 0.5, 1.0);
	POINT_SIZE = 1.0;
}

void fragment() {
	ALBEDO = probe;
}
"""

const NUMBERS := """
uniform int kind;
uniform int lane;
uniform int lane_half;
uniform int first;
uniform int points;
uniform int lines;
uniform float low;
uniform float span;
varying flat vec3 probe;

void vertex() {"""


func _initialize() -> void:
	_run()


func _run() -> void:
	await process_frame  # then the root is in the tree
	var jobs: Array = JSON.parse_string(FileAccess.get_file_as_string("res://jobs.json"))
	for number in jobs.size():
		var job: Dictionary = jobs[number]
		var crowd: Node3D = load("res://%s_crowd.tscn" % job.path).instantiate()
		crowd.count = int(job.count)
		crowd.playing = false
		if job.has("places"):  # as from the editor
			crowd.multimesh = MultiMesh.new()
			crowd.multimesh.transform_format = MultiMesh.TRANSFORM_3D
			crowd.multimesh.instance_count = int(job.places)
			for i in int(job.places):
				crowd.multimesh.set_instance_transform(i, Transform3D())
		root.add_child(crowd)
		for call: Array in job.calls:
			if call[0] != "advance":
				call[1] = int(call[1])  # the number of an instance; all numbers of JSON are floats
			crowd.callv(call[0], call.slice(1))
		crowd.advance(0.0)
		if job.has("picture"):
			await _picture(crowd, job)
		else:
			crowd.hide()
			await _vertices(crowd, job, "res://vertices_%d" % number)
		crowd.queue_free()
	print("DONE ", RenderingServer.get_video_adapter_name())
	quit()


func _viewport(size: Vector2i, camera: Camera3D) -> SubViewport:
	var view := SubViewport.new()
	view.size = size
	view.own_world_3d = true
	view.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	view.msaa_3d = Viewport.MSAA_DISABLED
	view.use_debanding = false
	view.use_hdr_2d = true  # else the renderers with Vulkan make pictures sRGB
	view.add_child(camera)
	root.add_child(view)
	return view


func _drawn(view: SubViewport) -> Image:
	await process_frame
	await RenderingServer.frame_post_draw
	return view.get_texture().get_image()


func _vertices(crowd: Node3D, job: Dictionary, path: String) -> void:
	var mesh: ArrayMesh = crowd.multimesh.mesh
	var total := 0
	for surface in mesh.get_surface_count():
		total += crowd.count * mesh.surface_get_array_len(surface)
	var lines := ceili(float(total) / WIDTH)
	var camera := Camera3D.new()
	camera.projection = Camera3D.PROJECTION_ORTHOGONAL
	camera.size = 1000.0
	camera.far = 1000.0
	camera.position = Vector3(0, 0, 500)
	var view := _viewport(Vector2i(WIDTH, lines), camera)
	var materials: Array[ShaderMaterial] = []
	var places: Array = []
	var first := 0
	for surface in mesh.get_surface_count():
		var count := mesh.surface_get_array_len(surface)
		var material: ShaderMaterial = mesh.surface_get_material(surface).duplicate()
		material.shader = _probe(material.shader)
		for named: Array in [["first", first], ["points", count], ["lines", lines], ["low", job.low], ["span", job.span]]:
			material.set_shader_parameter(named[0], named[1])
		materials.append(material)
		view.add_child(_points(mesh, surface, crowd.multimesh, material))
		places.append([first, count])
		first += crowd.count * count
	var kinds: Array = job.get("kinds", [0])
	for kind: float in kinds:
		for pass_number in 8:
			for material in materials:
				material.set_shader_parameter("kind", int(kind))
				material.set_shader_parameter("lane", pass_number / 2)
				material.set_shader_parameter("lane_half", pass_number % 2)
				if kind == 1:
					material.set_shader_parameter("low", -1.0)
					material.set_shader_parameter("span", 2.0)
			var image: Image = await _drawn(view)
			image.convert(Image.FORMAT_RGBF)
			FileAccess.open("%s_%d_%d.bin" % [path, int(kind), pass_number], FileAccess.WRITE).store_buffer(image.get_data())
	var states: Array = []
	for i in crowd.count:
		states.append([crowd.get_clip(i), crowd.get_time(i), crowd.get_fade(i)])
	if crowd._is_changed:
		printerr("ERROR: asking a crowd has it upload all of its numbers again")
	var box: AABB = crowd.multimesh.get_aabb()
	box = box.grow(crowd.extra_cull_margin)
	var told := {"places": places, "states": states, "box": [box.position.x, box.position.y, box.position.z, box.size.x, box.size.y, box.size.z]}
	FileAccess.open(path + ".json", FileAccess.WRITE).store_string(JSON.stringify(told, "", true, true))
	view.queue_free()


# The shader as exported, until its vertices are moved.
func _probe(shader: Shader) -> Shader:
	var code := shader.code.substr(0, shader.code.find("void fragment()"))
	code = code.substr(0, code.rfind("}"))
	code = code.replace('#include "', '#include "%s/' % shader.resource_path.get_base_dir())
	var mode := RegEx.create_from_string("render_mode [^;]*;")
	code = mode.sub(code, "").replace("shader_type spatial;", "shader_type spatial;\nrender_mode unshaded, cull_disabled, depth_test_disabled, depth_draw_never, fog_disabled;")
	var result := Shader.new()
	result.code = code.replace("void vertex() {", NUMBERS) + POINTS
	return result


func _points(mesh: ArrayMesh, surface: int, crowd: MultiMesh, material: ShaderMaterial) -> MultiMeshInstance3D:
	var arrays := mesh.surface_get_arrays(surface)
	var numbers := PackedInt32Array(range(mesh.surface_get_array_len(surface)))
	arrays[Mesh.ARRAY_INDEX] = numbers
	var format := mesh.surface_get_format(surface)
	var points := ArrayMesh.new()
	var customs := 0
	for slot in 4:
		customs |= format & (Mesh.ARRAY_FORMAT_CUSTOM_MASK << (Mesh.ARRAY_FORMAT_CUSTOM0_SHIFT + 3 * slot))
	points.add_surface_from_arrays(Mesh.PRIMITIVE_POINTS, arrays, [], {}, customs)
	points.surface_set_material(0, material)
	var result := MultiMeshInstance3D.new()
	result.multimesh = crowd.duplicate()
	result.multimesh.mesh = points
	return result


# The crowd in front of a camera.
func _picture(crowd: Node3D, job: Dictionary) -> void:
	var camera := Camera3D.new()
	camera.fov = job.get("fov", 30.0)
	var place: Array = job.from
	var target: Array = job.at
	camera.look_at_from_position(Vector3(place[0], place[1], place[2]), Vector3(target[0], target[1], target[2]))
	var view := _viewport(Vector2i(int(job.size[0]), int(job.size[1])), camera)
	crowd.reparent(view)
	var environment := WorldEnvironment.new()
	environment.environment = Environment.new()
	environment.environment.background_mode = Environment.BG_COLOR
	environment.environment.background_color = Color.WHITE
	environment.environment.ambient_light_source = Environment.AMBIENT_SOURCE_COLOR
	environment.environment.ambient_light_color = Color.WHITE
	view.add_child(environment)
	var image: Image = await _drawn(view)
	image = await _drawn(view)
	image.save_png("res://" + job.picture)
	view.queue_free()
