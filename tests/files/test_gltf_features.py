# SPDX-License-Identifier: MIT
"""What loading makes of each feature of glTF: known values, worked out by hand."""

import struct
from typing import Any

import numpy as np
import pytest

import lissom
from gltf_files import File, arm, data_uri, triangle
from lissom.errors import GltfError

PNG = b"\x89PNG\r\n\x1a\n" + bytes(8)
FLOAT32 = 2e-7  # rounding of numbers around 1


def load(file: File, **options: bool) -> lissom.Character:
    return lissom.load(file.glb(), **options)


def codes(character: lissom.Character) -> list[str]:
    return [repair.code for repair in character.repairs]


def with_mode(mode: int, indices: list[int] | None, vertex_count: int = 6) -> File:
    file = File()
    positions = file.add(np.random.default_rng(3).normal(size=(vertex_count, 3)))
    primitive: dict[str, Any] = {"attributes": {"POSITION": positions}, "mode": mode}
    if indices is not None:
        primitive["indices"] = file.add(indices, "u2")
    file.push("meshes", {"primitives": [primitive]})
    file.push("nodes", {"mesh": 0})
    file.push("scenes", {"nodes": [0]})
    return file


@pytest.mark.parametrize(
    ("mode", "indices", "expected"),
    [
        (4, [0, 1, 2, 2, 1, 3], [[0, 1, 2], [2, 1, 3]]),
        (4, None, [[0, 1, 2], [3, 4, 5]]),
        # glTF 2.0 section 3.7.2.1: p_i = {v_i, v_(i + 1 + i % 2), v_(i + 2 - i % 2)}, up to rotation.
        (5, [0, 1, 2, 3, 4], [[0, 1, 2], [2, 1, 3], [2, 3, 4]]),
        (5, [0, 1, 2, 2, 3, 3, 4, 5], [[0, 1, 2], [4, 3, 5]]),  # degenerate ones go
        (5, None, [[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]]),
        (6, [0, 1, 2, 3], [[0, 1, 2], [0, 2, 3]]),
    ],
)
def test_triangle_modes(mode: int, indices: list[int] | None, expected: list[list[int]]) -> None:
    character = load(with_mode(mode, indices))
    assert character.mesh is not None
    np.testing.assert_array_equal(character.mesh.triangles, expected)
    assert character.repairs == ()


@pytest.mark.parametrize(
    ("mode", "what"), [(0, "points"), (1, "lines"), (2, "a line loop"), (3, "a line strip")]
)
def test_other_modes_are_left_out_and_recorded(mode: int, what: str) -> None:
    character = load(with_mode(mode, None))
    assert character.mesh is None
    assert [(r.code, r.pointer) for r in character.repairs] == [
        ("MODE_LEFT_OUT", "/meshes/0/primitives/0/mode")
    ]
    assert f"is {what}, not triangles" in character.repairs[0].message


def test_a_rest_that_makes_no_triangle_is_left_out() -> None:
    character = load(with_mode(4, [0, 1, 2, 3, 4]))
    assert character.mesh is not None
    assert len(character.mesh.triangles) == 1
    assert codes(character) == ["MESH_PRIMITIVE_INCOMPATIBLE_MODE"]


def test_sparse_accessors_replace_elements() -> None:
    file = triangle()
    indices = file.view(struct.pack("<2H", 0, 2))
    values = file.view(struct.pack("<6f", 5, 6, 7, 8, 9, 10))
    sparse = {
        "count": 2,
        "indices": {"bufferView": indices, "componentType": 5123},
        "values": {"bufferView": values},
    }
    file.json["accessors"][0]["sparse"] = sparse
    mesh = load(file).mesh
    assert mesh is not None
    np.testing.assert_array_equal(mesh.positions, [[5, 6, 7], [1, 0, 0], [8, 9, 10]])
    del file.json["accessors"][0]["bufferView"]
    mesh = load(file).mesh
    assert mesh is not None
    np.testing.assert_array_equal(mesh.positions, [[5, 6, 7], [0, 0, 0], [8, 9, 10]])


def test_interleaved_attributes() -> None:
    file = triangle()
    rows = np.arange(18, dtype="<f4").reshape(3, 6)
    view = file.view(rows.tobytes(), byteStride=24)
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    for number, name in enumerate(("POSITION", "NORMAL")):
        attributes[name] = file.push(
            "accessors",
            {
                "bufferView": view,
                "byteOffset": 12 * number,
                "componentType": 5126,
                "count": 3,
                "type": "VEC3",
            },
        )
    mesh = load(file).mesh
    assert mesh is not None
    assert mesh.normals is not None
    np.testing.assert_array_equal(mesh.positions, rows[:, :3])
    expected = rows[:, 3:] / np.linalg.norm(rows[:, 3:], axis=1, keepdims=True)
    np.testing.assert_allclose(mesh.normals, expected, rtol=0, atol=FLOAT32)


@pytest.mark.parametrize(
    ("dtype", "stored", "expected"),
    [
        ("i1", [-128, -127, 127], [-1, -1, 1]),
        ("i2", [-32768, 0, 32767], [-1, 0, 1]),
        ("u1", [0, 51, 255], [0, 0.2, 1]),
        ("u2", [0, 13107, 65535], [0, 0.2, 1]),
    ],
)
def test_quantized_positions(dtype: str, stored: list[int], expected: list[float]) -> None:
    file = triangle()
    packed = np.zeros((3, 4), f"<{dtype}")
    packed[:, 0] = stored
    stride = max(4, packed.itemsize * 4)
    view = file.view(packed.tobytes(), byteStride=stride)
    file.json["accessors"][0] = {
        "bufferView": view,
        "componentType": {"i1": 5120, "u1": 5121, "i2": 5122, "u2": 5123}[dtype],
        "count": 3,
        "type": "VEC3",
        "normalized": True,
    }
    with pytest.raises(GltfError, match="POSITION must have another format than VEC3 of normalized"):
        load(file)
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    mesh = load(file).mesh
    assert mesh is not None
    np.testing.assert_allclose(mesh.positions[:, 0], expected, rtol=0, atol=FLOAT32)


def test_a_matrix_is_taken_apart() -> None:
    angle = 0.6
    rotation = np.array([[np.cos(angle), -np.sin(angle), 0], [np.sin(angle), np.cos(angle), 0], [0, 0, 1]])
    for scale in ((2, 3, 4), (-2, 3, 4), (0, 1, 2)):
        matrix = np.eye(4)
        matrix[:3, :3] = rotation * scale
        matrix[:3, 3] = 5, 6, 7
        file = triangle()
        file.json["nodes"][0]["matrix"] = matrix.T.ravel().tolist()
        skeleton = load(file).skeleton
        np.testing.assert_allclose(skeleton.rest[0, :3], (5, 6, 7))
        np.testing.assert_allclose(
            skeleton.model_matrices(skeleton.rest)[0], matrix, rtol=0, atol=4 * FLOAT32 * 4
        )
        if scale == (2, 3, 4):
            np.testing.assert_allclose(
                skeleton.rest[0, 3:7], [0, 0, np.sin(angle / 2), np.cos(angle / 2)], rtol=0, atol=FLOAT32
            )


def test_shear_is_dropped_and_recorded() -> None:
    file = triangle()
    file.json["nodes"][0]["matrix"] = [1, 0, 0, 0, 0.5, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]
    character = load(file)
    assert codes(character) == ["NODE_MATRIX_NON_TRS"]
    assert "must not shear" in character.repairs[0].message
    with pytest.raises(GltfError, match="must not shear") as caught:
        load(file, strict=True)
    assert caught.value.code == "NODE_MATRIX_NON_TRS"


def test_rotations_are_normalised_and_recorded() -> None:
    file = triangle()
    file.json["nodes"][0]["rotation"] = [0, 0, 3, 4]
    character = load(file)
    np.testing.assert_allclose(character.skeleton.rest[0, 3:7], [0, 0, 0.6, 0.8])
    assert [(r.code, r.pointer) for r in character.repairs] == [("ROTATION_NON_UNIT", "/nodes/0/rotation")]
    file.json["nodes"][0]["rotation"] = [0, 0, 0, 0]
    np.testing.assert_array_equal(load(file).skeleton.rest[0, 3:7], [0, 0, 0, 1])
    with pytest.raises(GltfError, match="got length 0"):
        load(file, strict=True)


def test_a_rigid_part_stands_in_model_space() -> None:
    file = triangle()
    file.json["nodes"] = [
        {"name": "root", "children": [1], "scale": [2, 2, 2]},
        {"name": "flag", "mesh": 0, "translation": [1, 0, 0]},
    ]
    character = load(file)
    assert character.mesh is not None
    assert character.skin is not None
    np.testing.assert_allclose(character.mesh.positions, [[2, 0, 0], [4, 0, 0], [2, 2, 0]])
    part = character.mesh.parts[0]
    assert part.name == "flag"
    assert part.rigid
    np.testing.assert_allclose(
        part.model_from_source, [[2, 0, 0, 2], [0, 2, 0, 0], [0, 0, 2, 0], [0, 0, 0, 1]]
    )
    np.testing.assert_array_equal(character.skin.joints, [1])
    np.testing.assert_allclose(character.deform(character.skeleton.rest), character.mesh.positions)


def test_a_mirror_turns_triangles_over_and_keeps_normals_outside() -> None:
    file = triangle()
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["NORMAL"] = file.add([[0, 0, 1]] * 3)
    attributes["TANGENT"] = file.add([[1, 0, 0, 1]] * 3)
    file.json["nodes"][0]["scale"] = [-1, 1, 1]
    mesh = load(file).mesh
    assert mesh is not None
    assert mesh.normals is not None
    assert mesh.tangents is not None
    np.testing.assert_array_equal(mesh.normals, [[0, 0, 1]] * 3)
    np.testing.assert_array_equal(mesh.tangents, [[-1, 0, 0, -1]] * 3)
    np.testing.assert_array_equal(mesh.computed_normals(), mesh.normals)  # the winding agrees


def test_a_part_without_size_stays_where_it_is() -> None:
    file = triangle()
    file.json["nodes"][0]["scale"] = [0, 0, 0]
    character = load(file)
    assert character.mesh is not None
    np.testing.assert_array_equal(character.mesh.parts[0].model_from_source, np.eye(4))
    assert codes(character) == ["NODE_SINGULAR"]
    np.testing.assert_array_equal(character.deform(character.skeleton.rest), np.zeros((3, 3)))


def test_a_skin_is_moved_into_model_space() -> None:
    """An armature of size 100, undone nowhere: the mesh is a hundred times as large, the palette rigid."""
    file = arm()
    file.json["nodes"][0]["scale"] = [100, 100, 100]
    character = load(file)
    assert character.mesh is not None
    assert character.skin is not None
    np.testing.assert_allclose(character.mesh.positions, [[0, 0, 0], [50, 100, 0], [100, 200, 0]])
    palette = character.skin.palette(character.skeleton.model_matrices(character.skeleton.rest))
    np.testing.assert_allclose(palette.matrices, np.broadcast_to(np.eye(4), (2, 4, 4)), rtol=0, atol=1e-5)
    assert palette.scales is None
    assert character.size == pytest.approx(np.linalg.norm([100, 200, 0]))


def arm_in_centimetres() -> File:
    """The arm, its mesh in centimetres; the armature is a joint, too, bound in metres, and moves nothing."""
    file = arm()
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["POSITION"] = file.add([[0, 0, 0], [50, 100, 0], [100, 200, 0]])
    matrices = np.stack([np.diag([0.01, 0.01, 0.01, 1])] * 2 + [np.eye(4)])
    matrices[1, 3, 1] = -1  # column-major
    file.json["skins"][0] = {"joints": [1, 2, 0], "inverseBindMatrices": file.add(matrices)}
    return file


def test_the_mesh_has_the_units_of_joints_that_move_it() -> None:
    character = load(arm_in_centimetres())
    assert character.mesh is not None
    assert character.skin is not None
    np.testing.assert_allclose(character.mesh.positions, [[0, 0, 0], [0.5, 1, 0], [1, 2, 0]], atol=FLOAT32)
    palette = character.skin.palette(character.skeleton.model_matrices(character.skeleton.rest))
    np.testing.assert_allclose(palette.matrices[:2], np.broadcast_to(np.eye(4), (2, 4, 4)), atol=FLOAT32)
    np.testing.assert_allclose(palette.matrices[2], np.diag([100, 100, 100, 1]), rtol=FLOAT32)
    assert codes(character) == []


def test_a_bake_of_a_mesh_in_other_units_is_as_exact() -> None:
    stated = [
        lissom.bake(load(file)).clips["bend"].error.at_frames.max for file in (arm_in_centimetres(), arm())
    ]
    assert stated[0] <= 1.5 * stated[1]
    assert stated[1] < 1e-3


def test_joints_without_vertices_stay_the_frame_where_units_agree() -> None:
    """The mesh stands where the topmost joint of its units says, whether it has vertices or not."""
    file = arm()
    file.json["nodes"][0]["rotation"] = [0, 0, 1, 0]  # at rest the armature is turned by half a turn
    file.json["skins"][0]["joints"] = [1, 2, 0]
    matrices = np.stack([np.eye(4)] * 3)
    matrices[1, 3, 1] = -1
    file.json["skins"][0]["inverseBindMatrices"] = file.add(matrices)
    file.json["nodes"][1]["rotation"] = [1, 0, 0, 0]  # and the first joint with vertices by another
    character = load(file)
    assert character.mesh is not None
    np.testing.assert_allclose(
        character.mesh.positions, [[0, 0, 0], [-0.5, -1, 0], [-1, -2, 0]], atol=FLOAT32
    )


def test_a_skinned_node_transform_is_ignored() -> None:
    file = arm()
    expected = load(file).deform(load(file).skeleton.rest)
    file.json["nodes"][3]["translation"] = [7, 7, 7]
    np.testing.assert_array_equal(load(file).deform(load(file).skeleton.rest), expected)


def test_where_every_joint_is_singular_the_mesh_stays() -> None:
    file = arm()
    file.json["nodes"][0]["scale"] = [0, 1, 1]
    character = load(file)
    assert character.mesh is not None
    np.testing.assert_array_equal(character.mesh.parts[0].model_from_source, np.eye(4))
    assert codes(character) == ["SKIN_SINGULAR"]


def test_sets_of_influences_are_merged_and_unused_columns_dropped() -> None:
    file = arm()
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    attributes["JOINTS_1"] = file.add([[1, 0, 0, 0]] * 3, "u1")
    attributes["WEIGHTS_1"] = file.add([[0.25, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    at = file.json["bufferViews"][2]["byteOffset"]
    file.binary[at : at + 4] = struct.pack("<f", 0.75)
    mesh = load(file).mesh
    assert mesh is not None
    np.testing.assert_array_equal(mesh.weights, [[0.75, 0.25], [0.5, 0.5], [1, 0]])
    np.testing.assert_array_equal(mesh.indices, [[0, 1], [0, 1], [1, 1]])


@pytest.mark.parametrize(
    ("row", "code", "weights"),
    [
        ([0.5, 0.25, 0, 0], "ACCESSOR_WEIGHTS_NON_NORMALIZED", [2 / 3, 1 / 3]),
        ([-1, 0.5, 0, 0], "ACCESSOR_WEIGHTS_NEGATIVE", [1]),
        ([np.nan, 0.5, 0, 0], "ACCESSOR_INVALID_FLOAT", [1]),
        ([0, 0, 0, 0], "ACCESSOR_WEIGHTS_NON_NORMALIZED", [1]),
        ([0.5, 0, 0.5, 0], "ACCESSOR_JOINTS_INDEX_DUPLICATE", [1]),
    ],
)
def test_weights_are_mended_with_a_record(row: list[float], code: str, weights: list[float]) -> None:
    file = arm()
    at = file.json["bufferViews"][2]["byteOffset"] + 16
    file.binary[at : at + 16] = struct.pack("<4f", *row)
    character = load(file)
    assert character.mesh is not None
    np.testing.assert_allclose(character.mesh.weights[1], weights, rtol=0, atol=FLOAT32)
    assert codes(character)[0] == code
    assert "1 vertex has" in character.repairs[0].message
    assert "first vertex 1" in character.repairs[0].message
    assert character.repairs[0].pointer.startswith("/meshes/0/primitives/0/attributes")
    with pytest.raises(GltfError) as caught:
        load(file, strict=True)
    assert caught.value.code == code


def test_no_common_root_is_recorded() -> None:
    file = arm()
    file.json["nodes"][1].pop("children")
    file.json["scenes"][0]["nodes"] = [0, 2]
    character = load(file)
    assert codes(character) == ["SKIN_NO_COMMON_ROOT"]
    with pytest.raises(GltfError) as caught:
        load(file, strict=True)
    assert caught.value.code == "SKIN_NO_COMMON_ROOT"


def test_joints_are_sorted_and_sockets_kept() -> None:
    file = arm()
    nodes = file.json["nodes"]
    nodes += [{"name": "socket"}, {"name": "lamp"}, {"name": "aside"}]
    nodes[2]["children"] = [4]
    nodes[0]["children"] = [1, 3, 5]
    file.json["scenes"][0]["nodes"] = [6, 0]
    skeleton = load(file).skeleton
    assert skeleton.names == ("armature", "lower", "upper", "socket", "body")
    np.testing.assert_array_equal(skeleton.source_nodes, [0, 1, 2, 4, 3])
    np.testing.assert_array_equal(skeleton.parents, [-1, 0, 1, 2, 0])


def test_children_before_parents_in_the_file() -> None:
    file = arm()
    nodes = file.json["nodes"]
    file.json["nodes"] = [nodes[2], {**nodes[1], "children": [0]}, {**nodes[0], "children": [1, 3]}, nodes[3]]
    file.json["skins"][0]["joints"] = [1, 0]
    file.json["scenes"][0]["nodes"] = [2]
    file.json["animations"][0]["channels"][0]["target"]["node"] = 0
    character, expected = load(file), load(arm())
    assert character.skeleton.names == expected.skeleton.names
    np.testing.assert_array_equal(
        character.deform(character.skeleton.rest), expected.deform(expected.skeleton.rest)
    )


def test_names_are_made_unique() -> None:
    file = arm()
    for node in file.json["nodes"]:
        node["name"] = "bone"
    file.json["nodes"][2]["name"] = ""
    file.json["nodes"][0]["name"] = "bone_2"
    file.json["animations"] = [*file.json["animations"]] * 2
    character = load(file)
    assert character.skeleton.names == ("bone_2", "bone", "node_2", "bone_3")
    assert list(character.clips) == ["bend", "bend_2"]
    assert [(r.code, r.pointer) for r in character.repairs] == [
        ("DUPLICATE_NAME", "/nodes/3/name"),
        ("DUPLICATE_NAME", "/animations/1/name"),
    ]


def test_a_joint_keeps_the_name_that_a_mesh_node_also_bears() -> None:
    file = arm()
    nodes = file.json["nodes"]
    nodes[0]["name"] = nodes[3]["name"] = "upper"  # the armature, an ancestor, and the node of the mesh
    character = load(file)
    assert character.skin is not None
    assert character.skeleton.names[character.skin.joints[1]] == "upper"
    assert character.skeleton.names == ("upper_2", "lower", "upper", "upper_3")
    assert codes(character) == ["DUPLICATE_NAME", "DUPLICATE_NAME"]


def test_scenes() -> None:
    file = triangle()
    file.json["nodes"].append({"name": "other", "mesh": 0})
    file.json["scenes"].append({"nodes": [1]})
    assert load(file).skeleton.names == ("flag",)
    assert codes(load(file)) == ["SCENE_LEFT_OUT"]
    file.json["scene"] = 1
    assert load(file).skeleton.names == ("other",)
    del file.json["scene"], file.json["scenes"]
    assert load(file).skeleton.names == ("flag", "other")
    assert codes(load(file)) == ["SCENE_UNDEFINED"]
    file.json["scenes"] = [{}]
    assert load(file).skeleton.names == ("flag", "other")
    assert codes(load(file)) == ["SCENE_EMPTY"]


def test_clips_without_a_mesh_and_without_a_skin() -> None:
    file = arm()
    del file.json["meshes"], file.json["nodes"][3]["mesh"], file.json["nodes"][3]["skin"]
    character = load(file)
    assert character.mesh is None
    assert character.skin is not None
    np.testing.assert_array_equal(character.skin.joints, [1, 2])
    assert character.clips["bend"].end == 1
    del file.json["skins"]
    character = load(file)
    assert character.skin is None
    assert character.skeleton.names == ("armature", "lower", "upper")
    with pytest.raises(ValueError, match="has no mesh"):
        character.deform(character.skeleton.rest)


def test_keys_are_used_in_place() -> None:
    data = arm().glb()
    clip = lissom.load(data).clips["bend"]
    assert np.shares_memory(clip.keys, np.frombuffer(data, np.uint8))
    assert not clip.keys.flags.writeable
    np.testing.assert_allclose(
        clip.sample(1.0, loop=False)[2, 3:7], [0, 0, np.sqrt(0.5), np.sqrt(0.5)], atol=FLOAT32
    )


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2"])
def test_rotations_of_integers(dtype: str) -> None:
    file = arm()
    top = np.iinfo(dtype).max
    stored = np.round(np.array([[0, 0, 0, 1], [0, 0, 0.6, 0.8]]) * top)
    file.json["animations"][0]["samplers"][0]["output"] = file.add(stored, dtype, normalized=True)
    character = load(file)
    assert character.repairs == ()
    pose = character.clips["bend"].sample(1.0, loop=False)
    np.testing.assert_allclose(pose[2, 3:7], [0, 0, 0.6, 0.8], rtol=0, atol=1.0 / top)
    assert np.linalg.norm(pose[2, 3:7]) == pytest.approx(1, abs=FLOAT32)


@pytest.mark.parametrize("interpolation", ["STEP", "LINEAR", "CUBICSPLINE"])
def test_interpolations(interpolation: str) -> None:
    file = arm()
    values = np.array([[0, 0, 0], [2, 0, 0]], np.float64)
    if interpolation == "CUBICSPLINE":
        values = np.stack([np.full((2, 3), 1.0), values, np.full((2, 3), 1.0)], axis=1).reshape(6, 3)
    sampler = {"input": 4, "output": file.add(values), "interpolation": interpolation}
    file.json["animations"][0]["samplers"][0] = sampler
    file.json["animations"][0]["channels"][0]["target"]["path"] = "translation"
    pose = load(file).clips["bend"].sample(0.25)
    # Hermite at 1/4: h00 p0 + h10 m0 + h01 p1 + h11 m1 with p = (0, 2), m = (1, 1).
    hermite = 0.140625 * 1 + 0.15625 * 2 - 0.046875 * 1
    expected = {"STEP": 0, "LINEAR": 0.5, "CUBICSPLINE": hermite}[interpolation]
    assert pose[2, 0] == pytest.approx(expected, abs=FLOAT32)


def test_rotations_that_are_no_units_are_mended() -> None:
    file = arm()
    at = file.json["bufferViews"][5]["byteOffset"]
    file.binary[at : at + 16] = struct.pack("<4f", 0, 0, 0, 2)
    character = load(file)
    assert codes(character) == ["ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION"]
    assert character.repairs[0].pointer == "/animations/0/samplers/0/output"
    np.testing.assert_allclose(
        character.clips["bend"].sample(0.0)[2, 3:7], [0, 0, 0, 1], rtol=0, atol=FLOAT32
    )
    with pytest.raises(GltfError, match="must be of unit length"):
        load(file, strict=True)


def test_channels_that_move_no_joint_are_recorded() -> None:
    file = arm()
    animation = file.json["animations"][0]
    animation["channels"] += [
        {"sampler": 0, "target": {"path": "rotation"}},
        {"sampler": 0, "target": {"node": 3, "path": "weights"}},
    ]
    character = load(file)
    assert codes(character) == ["CHANNEL_LEFT_OUT", "ANIMATION_CHANNEL_TARGET_NODE_WEIGHTS_NO_MORPHS"]
    assert len(character.clips["bend"].tracks) == 1
    animation["channels"] = animation["channels"][1:]
    assert codes(load(file))[-1] == "CLIP_LEFT_OUT"
    assert len(load(file).clips) == 0


def test_what_is_not_loaded_is_recorded() -> None:
    file = triangle()
    primitive = file.json["meshes"][0]["primitives"][0]
    file.json["cameras"] = [{"type": "perspective", "perspective": {"znear": 0.1, "yfov": 1}}]
    file.json["extensionsUsed"] = ["KHR_lights_punctual"]
    file.json["extensions"] = {"KHR_lights_punctual": {"lights": [{"type": "point"}]}}
    file.push("meshes", {"primitives": [primitive]})
    assert codes(load(file)) == [
        "MESH_LEFT_OUT",
        "CAMERAS_LEFT_OUT",
        "LIGHTS_LEFT_OUT",
    ]


def textured(info: dict[str, Any], image: dict[str, Any]) -> File:
    file = triangle()
    file.json["images"] = [image]
    file.json["textures"] = [{"source": 0}]
    pbr = {"baseColorFactor": [1, 0.5, 0.25, 1], "baseColorTexture": {"index": 0, **info}}
    file.json["materials"] = [{"name": "cloth", "pbrMetallicRoughness": pbr}]
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["material"] = 0
    primitive["attributes"]["TEXCOORD_0"] = file.add([[0, 0], [1, 0], [0, 1]])
    primitive["attributes"]["TEXCOORD_1"] = file.add([[0.5, 0], [1, 0], [0, 1]])
    return file


def test_colour_and_texture_are_kept_encoded() -> None:
    file = textured({}, {"uri": data_uri(PNG), "name": "weave"})
    mesh = load(file).mesh
    assert mesh is not None
    part = mesh.parts[0]
    assert part.base_color == (1, 0.5, 0.25, 1)
    assert part.texture == lissom.Texture(PNG, "image/png", "weave")
    file = textured({}, {"mimeType": "image/jpeg"})
    file.json["images"][0]["bufferView"] = file.view(b"\xff\xd8\xff\xe0 and so on")
    mesh = load(file).mesh
    assert mesh is not None
    assert mesh.parts[0].texture is not None
    assert mesh.parts[0].texture.data == b"\xff\xd8\xff\xe0 and so on"


def test_texture_transforms_move_the_coordinates() -> None:
    transform = {"offset": [0.5, 0.25], "scale": [2, 4], "rotation": np.pi / 2}
    file = textured({"extensions": {"KHR_texture_transform": transform}}, {"uri": data_uri(PNG)})
    mesh = load(file).mesh
    assert mesh is not None
    # A quarter turn counter-clockwise as seen, v pointing down: (u, v) to (v, -u), after the scale.
    np.testing.assert_allclose(mesh.uvs, [[0.5, 0.25], [0.5, -1.75], [4.5, 0.25]], rtol=0, atol=4 * FLOAT32)
    transform.clear()
    transform["texCoord"] = 1
    mesh = load(file).mesh
    assert mesh is not None
    np.testing.assert_array_equal(mesh.uvs[0], [0.5, 0])


def test_normals_are_computed_where_some_parts_lack_them() -> None:
    file = triangle()
    mesh = file.json["meshes"][0]
    first = mesh["primitives"][0]
    second = {"attributes": {**first["attributes"], "NORMAL": file.add([[0, 1, 0]] * 3)}, "indices": 1}
    mesh["primitives"] = [first, second]
    character = load(file)
    assert character.mesh is not None
    assert [part.name for part in character.mesh.parts] == ["flag/0", "flag/1"]
    np.testing.assert_array_equal(character.mesh.normals, [[0, 0, 1]] * 3 + [[0, 1, 0]] * 3)
    np.testing.assert_array_equal(character.mesh.triangles, [[0, 1, 2], [3, 4, 5]])
    assert codes(character) == ["NORMALS_COMPUTED"]


def test_optional_draco_falls_back_on_plain_data() -> None:
    file = triangle()
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["extensions"] = {"KHR_draco_mesh_compression": {"bufferView": 0, "attributes": {"POSITION": 0}}}
    file.json["extensionsUsed"] = ["KHR_draco_mesh_compression"]
    assert load(file).mesh is not None
    del file.json["accessors"][0]["bufferView"]
    with pytest.raises(GltfError, match="the Draco stream must begin with DRACO"):
        load(file)


def test_many_repairs_of_a_kind_are_counted() -> None:
    file = triangle()
    file.json["nodes"] = [{"name": "flag", "mesh": 0} for _ in range(150)]
    file.json["scenes"][0]["nodes"] = list(range(150))
    character = load(file)
    assert len(character.repairs) == 101
    assert character.repairs[-1].message == "49 more of this kind are not listed"


def test_an_empty_file_is_an_empty_character() -> None:
    character = load(File())
    assert len(character.skeleton) == 0
    assert (character.mesh, character.skin, dict(character.clips)) == (None, None, {})
    assert character.size == 0


def test_joints_outside_the_scene_are_loaded_with_a_record() -> None:
    whole = lissom.load(arm().glb())
    file = arm()
    file.json["nodes"][0]["children"] = [1]  # the armature and its joints, beside the mesh
    file.json["scenes"] = [{"nodes": [3]}]
    character = lissom.load(file.glb())
    assert codes(character) == ["NODE_SKIN_NO_SCENE"]
    assert character.repairs[0].pointer == "/skins/0/joints"
    assert set(character.skeleton.names) == {"armature", "lower", "upper", "body"}
    assert character.mesh is not None
    np.testing.assert_array_equal(character.mesh.positions, whole.mesh.positions)
    for time in (0.0, 0.3, 1.0):  # the clip moves them, and they the mesh
        poses = [one.clips["bend"].sample(time) for one in (character, whole)]
        moved = [one.deform(pose) for one, pose in zip((character, whole), poses, strict=True)]
        np.testing.assert_allclose(moved[0], moved[1], atol=1e-6)
    with pytest.raises(
        GltfError, match="joints must be in the scene that uses the skin, got node 1"
    ) as caught:
        lissom.load(file.glb(), strict=True)
    assert caught.value.code == "NODE_SKIN_NO_SCENE"


def test_a_skin_that_no_node_of_the_scene_uses_brings_no_joints_in() -> None:
    file = arm()
    file.json["nodes"].append({"name": "flag", "mesh": 0})
    file.json["meshes"][0]["primitives"][0]["attributes"] = {"POSITION": 0}
    file.json["scenes"] = [{"nodes": [4]}]
    character = lissom.load(file.glb())
    assert character.skeleton.names == ("flag",)
    assert "NODE_SKIN_NO_SCENE" not in codes(character)


def test_texture_coordinates_beyond_single_precision_are_refused() -> None:
    file = triangle()
    scale = {"KHR_texture_transform": {"scale": [1e39, 1]}}
    file.json["materials"] = [
        {"pbrMetallicRoughness": {"baseColorTexture": {"index": 0, "extensions": scale}}}
    ]
    file.json["textures"] = [{"source": 0}]
    file.json["images"] = [{"uri": "data:image/png;base64,iVBORw0KGgo="}]
    primitive = file.json["meshes"][0]["primitives"][0]
    primitive["material"] = 0
    primitive["attributes"]["TEXCOORD_0"] = file.add([[1, 1], [0, 0], [1, 0]])
    with pytest.raises(GltfError, match="must fit single precision") as caught:
        load(file)
    assert caught.value.code == "VALUE_NOT_IN_RANGE"
