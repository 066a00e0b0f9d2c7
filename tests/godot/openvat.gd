# SPDX-License-Identifier: MIT
# OpenVAT's own shader on files of the form "openvat": its vertices at moments of its own clock, and a picture.
extends "res://probe.gd"

var low := -8.0
var span := 16.0


func _run() -> void:
	await process_frame
	Engine.time_scale = 0.0  # TIME stands: what it is, is read from the shader, and frames are set by Speed
	var jobs: Array = JSON.parse_string(FileAccess.get_file_as_string("res://jobs.json"))
	var now := 0.0
	for number in jobs.size():
		var job: Dictionary = jobs[number]
		var mesh := _mesh("res://%s/%s.glb" % [job.folder, job.name])
		var material := _material("res://%s/%s" % [job.folder, job.name])
		if now == 0.0:
			now = await _now(mesh, material)
		low = job.low
		span = job.span
		await _moments(mesh, material, job.frames, now, "res://vertices_%d" % number)
		if job.has("picture"):
			await _shown(mesh, material, job)
	await process_frame  # what was let go is gone
	print("DONE ", RenderingServer.get_video_adapter_name())
	quit()


func _mesh(path: String) -> ArrayMesh:
	var state := GLTFState.new()
	state.handle_binary_image = GLTFState.HANDLE_BINARY_IMAGE_MODE_DISCARD_TEXTURES
	var document := GLTFDocument.new()
	document.append_from_file(path, state, 64)  # as by "Force Disable Compression": VAT_UV in 16 bits misses its texels
	var scene := document.generate_scene(state)
	var mesh: ArrayMesh = scene.find_children("*", "MeshInstance3D", true, false)[0].mesh
	scene.free()
	return mesh


func _material(path: String) -> ShaderMaterial:
	var told: Dictionary = JSON.parse_string(FileAccess.get_file_as_string(path + "-remap_info.json"))["os-remap"]
	var image := Image.load_from_file(ProjectSettings.globalize_path(path + "_vat.exr"))
	var material := ShaderMaterial.new()
	material.shader = load("res://VertexAnimationPBR-GLSL.gdshader")
	material.set_shader_parameter("vat_position_texture", ImageTexture.create_from_image(image))
	material.set_shader_parameter("minValues", Vector3(told.Min[0], told.Min[1], told.Min[2]))
	material.set_shader_parameter("maxValues", Vector3(told.Max[0], told.Max[1], told.Max[2]))
	material.set_shader_parameter("FrameCount", int(told.Frames))
	material.set_shader_parameter("Y_resolution", float(image.get_height()))
	material.set_shader_parameter("ToggleAnimated", true)
	material.set_shader_parameter("Speed", 0.0)
	return material


func _camera() -> Camera3D:
	var camera := Camera3D.new()
	camera.projection = Camera3D.PROJECTION_ORTHOGONAL
	camera.size = 1000.0
	camera.far = 1000.0
	camera.position = Vector3(0, 0, 500)
	return camera


# Points of a surface at one moment, from a pixel on.
func _add(view: SubViewport, mesh: ArrayMesh, surface: int, material: ShaderMaterial, first: int, lines: int) -> ShaderMaterial:
	var own: ShaderMaterial = material.duplicate()
	own.shader = _probe(material.shader)
	var count := mesh.surface_get_array_len(surface)
	for named: Array in [["kind", 0], ["first", first], ["points", count], ["lines", lines], ["low", low], ["span", span]]:
		own.set_shader_parameter(named[0], named[1])
	var one := MultiMesh.new()
	one.transform_format = MultiMesh.TRANSFORM_3D
	one.instance_count = 1
	one.custom_aabb = AABB(Vector3.ONE * -1e3, Vector3.ONE * 2e3)
	view.add_child(_points(mesh, surface, one, own))
	return own


# Seconds of the shader's clock.
func _now(mesh: ArrayMesh, material: ShaderMaterial) -> float:
	var view := _viewport(Vector2i(WIDTH, ceili(float(mesh.surface_get_array_len(0)) / WIDTH)), _camera())
	var own := _add(view, mesh, 0, material, 0, view.size.y)
	own.set_shader_parameter("kind", 2)
	var code := 0
	for half in 2:
		own.set_shader_parameter("lane", 0)
		own.set_shader_parameter("lane_half", half)
		var color: Color = (await _drawn(view)).get_pixel(0, 0)
		for channel in 3:
			code = code * 16 + roundi((255.0 * color[channel] - 64.0) / 12.0)
	view.queue_free()
	return -8.0 + 16.0 * code / 16777214.0


func _moments(mesh: ArrayMesh, material: ShaderMaterial, frames: Array, now: float, path: String) -> void:
	var total := 0
	for surface in mesh.get_surface_count():
		total += mesh.surface_get_array_len(surface) * frames.size()
	var view := _viewport(Vector2i(WIDTH, ceili(float(total) / WIDTH)), _camera())
	var materials: Array[ShaderMaterial] = []
	var places: Array = []
	var texels: Array = []
	var first := 0
	for surface in mesh.get_surface_count():
		var count := mesh.surface_get_array_len(surface)
		places.append([first, count])
		for uv: Vector2 in mesh.surface_get_arrays(surface)[Mesh.ARRAY_TEX_UV2]:
			texels.append([uv.x, uv.y])
		for frame: float in frames:
			var one := _add(view, mesh, surface, material, first, view.size.y)
			one.set_shader_parameter("Speed", frame / now)
			materials.append(one)
			first += count
	for pass_number in 8:
		for one in materials:
			one.set_shader_parameter("lane", pass_number / 2)
			one.set_shader_parameter("lane_half", pass_number % 2)
		var image: Image = await _drawn(view)
		image.convert(Image.FORMAT_RGBF)
		FileAccess.open("%s_0_%d.bin" % [path, pass_number], FileAccess.WRITE).store_buffer(image.get_data())
	var told := {"places": places, "states": frames, "texels": texels}
	FileAccess.open(path + ".json", FileAccess.WRITE).store_string(JSON.stringify(told, "", true, true))
	view.queue_free()


# The mesh as OpenVAT's shader draws it, and as Godot draws the vertices of the twin, which lie at their texels.
func _shown(mesh: ArrayMesh, material: ShaderMaterial, job: Dictionary) -> void:
	var twin := ArrayMesh.new()
	var places := FileAccess.get_file_as_bytes("res://" + job.twin).to_float32_array()
	for surface in mesh.get_surface_count():
		var arrays := mesh.surface_get_arrays(surface)
		var moved: PackedVector3Array = arrays[Mesh.ARRAY_VERTEX]
		var uvs: PackedVector2Array = arrays[Mesh.ARRAY_TEX_UV2]
		for i in moved.size():
			var at := 3 * (int(uvs[i].y * job.texels[1]) * int(job.texels[0]) + int(uvs[i].x * job.texels[0]))
			moved[i] = Vector3(places[at], places[at + 1], places[at + 2])
		arrays[Mesh.ARRAY_VERTEX] = moved
		twin.add_surface_from_arrays(Mesh.PRIMITIVE_TRIANGLES, arrays)
	material.set_shader_parameter("ToggleAnimated", false)
	material.set_shader_parameter("frameSelect", int(job.picture))
	material.set_shader_parameter("albedo", Color.BLACK)
	var black := StandardMaterial3D.new()
	black.albedo_color = Color.BLACK
	for named: Array in [["own", mesh, material], ["twin", twin, black]]:
		var camera := Camera3D.new()
		camera.fov = 30.0
		camera.position = Vector3(0, 0.9, 5)
		var view := _viewport(Vector2i(300, 300), camera)
		var environment := WorldEnvironment.new()
		environment.environment = Environment.new()
		environment.environment.background_mode = Environment.BG_COLOR
		environment.environment.background_color = Color.WHITE
		view.add_child(environment)
		var shown := MeshInstance3D.new()
		shown.mesh = named[1]
		for surface in shown.mesh.get_surface_count():
			shown.set_surface_override_material(surface, named[2])
		view.add_child(shown)
		await _drawn(view)
		(await _drawn(view)).save_png("res://%s.png" % named[0])
		view.queue_free()
