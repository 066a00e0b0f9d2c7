# SPDX-License-Identifier: MIT
"""Morph targets of glTF files: dense and sparse, quantised, of several nodes, and what is wrong with them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lissom
from gltf_files import COMPONENTS, File, arm, triangle

UP = np.float32([[0, 0, 0], [0, 1, 0], [0, 2, 0]])
TURN = [0.5, 0.5, 0.5, 0.5]  # x to y to z to x


def load(file: File, strict: bool = False) -> lissom.Character:
    return lissom.load(file.glb(), strict=strict)


def codes(character: lissom.Character) -> list[str]:
    return [repair.code for repair in character.repairs]


def morphed(*targets: dict[str, int], file: File | None = None, **mesh: Any) -> File:
    file = file or triangle()
    file.json["meshes"][0]["primitives"][0]["targets"] = list(targets)
    file.json["meshes"][0] |= mesh
    return file


def sparse(file: File, rows: Any, values: Any, count: int = 3, dtype: str = "f4", **accessor: Any) -> int:
    """A sparse accessor without other data."""
    index = {
        "bufferView": file.view(np.asarray(rows, "<u2").tobytes()),
        "componentType": COMPONENTS["u2"],
    }
    value = {"bufferView": file.view(np.asarray(values, f"<{dtype}").tobytes())}
    return file.push(
        "accessors",
        {
            "componentType": COMPONENTS[dtype],
            "count": count,
            "type": "VEC3",
            "sparse": {"count": len(rows), "indices": index, "values": value},
            **accessor,
        },
    )


def test_dense_differences_become_rows_of_what_moves() -> None:
    file = triangle()
    morphs = load(morphed({"POSITION": file.add(UP)}, {}, file=file)).mesh.morphs
    assert morphs.names == ("flag/0", "flag/1")
    assert morphs.offsets.tolist() == [0, 2, 2]
    assert morphs.vertices.tolist() == [1, 2]
    np.testing.assert_array_equal(morphs.positions, UP[1:])
    assert (morphs.normals, morphs.tangents) == (None, None)
    assert morphs.defaults.tolist() == [0, 0]


def test_sparse_differences_are_kept_as_they_are() -> None:
    file = triangle()
    target = sparse(file, [0, 2], [[0, 0, 0], [3, 4, 5]])  # the first moves nothing
    morphs = load(morphed({"POSITION": target}, file=file)).mesh.morphs
    assert morphs.vertices.tolist() == [2]
    np.testing.assert_array_equal(morphs.positions, [[3, 4, 5]])
    with_base = sparse(file, [1], [[7, 7, 7]])
    file.json["accessors"][with_base]["bufferView"] = file.view(UP.tobytes())
    morphs = load(morphed({"POSITION": with_base}, file=file)).mesh.morphs
    np.testing.assert_array_equal(morphs.positions, [[7, 7, 7], [0, 2, 0]])


def test_an_accessor_without_data_moves_nothing() -> None:
    file = triangle()
    zeros = file.push("accessors", {"componentType": 5126, "count": 3, "type": "VEC3"})
    morphs = load(morphed({"POSITION": zeros}, file=file)).mesh.morphs
    assert (len(morphs), len(morphs.vertices)) == (1, 0)


def test_names_are_in_extras_of_the_mesh_or_its_primitives() -> None:
    extras = {"targetNames": ["smile", ""]}
    assert load(morphed({}, {}, extras=extras)).mesh.morphs.names == ("flag/smile", "flag/1")
    file = morphed({}, {})
    file.json["meshes"][0]["primitives"][0]["extras"] = {"targetNames": ["A", "I"]}
    assert load(file).mesh.morphs.names == ("flag/A", "flag/I")
    few = load(morphed({}, {}, extras={"targetNames": ["a"]}))
    assert few.mesh.morphs.names == ("flag/a", "flag/1")
    assert codes(few) == ["EXTRAS_IGNORED"]
    wrong = load(morphed({}, extras={"targetNames": [1]}))
    assert wrong.mesh.morphs.names == ("flag/0",)
    assert codes(wrong) == ["EXTRAS_IGNORED"]
    twice = load(morphed({}, {}, extras={"targetNames": ["a", "a"]}))
    assert twice.mesh.morphs.names == ("flag/a", "flag/a_2")
    assert codes(twice) == ["DUPLICATE_NAME"]


def test_default_weights_are_the_nodes_else_the_meshs() -> None:
    file = morphed({}, {}, weights=[0.25, 0.5])
    file.push("nodes", {"name": "second", "mesh": 0, "weights": [1, 2]})
    file.json["scenes"][0]["nodes"].append(1)
    morphs = load(file).mesh.morphs
    assert morphs.names == ("flag/0", "flag/1", "second/0", "second/1")
    assert morphs.defaults.tolist() == [0.25, 0.5, 1, 2]
    file.json["nodes"][1]["weights"] = [1]
    short = load(file)
    assert short.mesh.morphs.defaults.tolist() == [0.25, 0.5, 1, 0]
    assert codes(short) == ["NODE_WEIGHTS_INVALID"]
    file.json["nodes"][1]["weights"] = [1, 1e300]
    large = load(file)
    assert large.mesh.morphs.defaults.tolist() == [0.25, 0.5, 1, 0]
    assert codes(large) == ["VALUE_NOT_IN_RANGE"]


def test_a_mesh_on_two_nodes_has_its_targets_twice() -> None:
    file = triangle()
    morphed({"POSITION": file.add(UP)}, file=file)
    file.push("nodes", {"name": "second", "mesh": 0, "rotation": TURN, "scale": [2, 2, 2]})
    file.json["scenes"][0]["nodes"].append(1)
    morphs = load(file).mesh.morphs
    assert morphs.vertices.tolist() == [1, 2, 4, 5]
    np.testing.assert_allclose(morphs.positions[2:], [[0, 0, 2], [0, 0, 4]], atol=1e-6)  # y became z


def test_targets_move_with_their_part_as_its_vertices_do() -> None:
    """Positions plus w times the differences are what the node does to the morphed mesh."""
    rng = np.random.default_rng(5)
    file = triangle()
    normals, deltas = rng.normal(size=(2, 3, 3))
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    tangents = np.concatenate([np.roll(normals, 1, axis=1), np.ones((3, 1))], axis=1)
    places = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    attributes = file.json["meshes"][0]["primitives"][0]["attributes"]
    attributes |= {"NORMAL": file.add(normals), "TANGENT": file.add(tangents)}
    index = file.add(deltas)
    morphed({"POSITION": index, "NORMAL": index, "TANGENT": index}, file=file)
    turn = rng.normal(size=4)
    turn /= np.linalg.norm(turn)
    scale = [2, -0.5, 3]  # mirrors
    file.json["nodes"][0] |= {"translation": [7, 8, 9], "rotation": turn.tolist(), "scale": scale}
    linear = lissom.quat.to_matrix(turn)[:3, :3] @ np.diag(scale)
    mesh = load(file).mesh
    assert mesh.morphs.vertices.tolist() == [0, 1, 2]
    weight = 0.7
    expected = (places + weight * deltas) @ linear.T + [7, 8, 9]
    moved = mesh.positions + weight * mesh.morphs.positions
    np.testing.assert_allclose(moved, expected, atol=1e-5)
    # glTF: normals by the inverse transpose; a mirror keeps them outside, where triangles are flipped.
    for name, rows, by in (
        ("normals", normals, np.linalg.inv(linear)),
        ("tangents", tangents[:, :3], linear.T),
    ):
        expected = (rows + weight * deltas) @ by
        got = getattr(mesh, name)[:, :3] + weight * getattr(mesh.morphs, name)
        for each in (expected, got):
            each /= np.linalg.norm(each, axis=1, keepdims=True)
        np.testing.assert_allclose(got, expected, atol=1e-5)


def test_quantised_differences_are_scaled() -> None:
    file = triangle()
    file.json["extensionsUsed"] = file.json["extensionsRequired"] = ["KHR_mesh_quantization"]
    stored = np.int8([[127, 0, -127], [0, 0, 0], [64, 0, 0]])
    padded = np.zeros((3, 4), np.int8)
    padded[:, :3] = stored
    accessor = {"componentType": 5120, "count": 3, "type": "VEC3", "normalized": True}
    view = file.view(padded.tobytes(), byteStride=4)
    index = file.push("accessors", {"bufferView": view, **accessor})
    morphs = load(morphed({"POSITION": index}, file=file)).mesh.morphs
    np.testing.assert_allclose(morphs.positions, [[1, 0, -1], [64 / 127, 0, 0]], atol=1e-7)
    del file.json["extensionsUsed"], file.json["extensionsRequired"]
    with pytest.raises(
        lissom.GltfError, match="POSITION must have another format than VEC3 of normalized byte"
    ):
        load(file)


def test_other_attributes_and_those_without_a_base_are_left_out() -> None:
    file = triangle()
    index = file.add(UP)
    character = load(morphed({"POSITION": index, "TEXCOORD_0": index, "NORMAL": index}, file=file))
    assert codes(character) == [
        "MORPH_ATTRIBUTE_LEFT_OUT",
        "MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR",
    ]
    assert character.mesh.morphs.normals is None
    np.testing.assert_array_equal(character.mesh.morphs.positions, UP[1:])


def test_rows_of_positions_and_normals_are_joined() -> None:
    file = triangle()
    file.json["meshes"][0]["primitives"][0]["attributes"]["NORMAL"] = file.add([[0, 0, 1]] * 3)
    target = {"POSITION": sparse(file, [0], [[1, 1, 1]]), "NORMAL": sparse(file, [2], [[1, 0, 0]])}
    morphs = load(morphed(target, {"POSITION": target["POSITION"]}, file=file)).mesh.morphs
    assert morphs.vertices.tolist() == [0, 2, 0]
    np.testing.assert_array_equal(morphs.positions, [[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    np.testing.assert_array_equal(morphs.normals, [[0, 0, 0], [1, 0, 0], [0, 0, 0]])


@pytest.mark.parametrize(
    ("make", "code", "message"),
    [
        (
            lambda file: file.add(UP[:2]),
            "MESH_PRIMITIVE_MORPH_TARGET_INVALID_ATTRIBUTE_COUNT",
            "POSITION must have 3 elements, as the primitive has, got 2",
        ),
        (
            lambda file: sparse(file, [1, 1], [[1, 1, 1]] * 2),
            "ACCESSOR_SPARSE_INDICES_NON_INCREASING",
            "sparse index 1 must be above 1, the one before, got 1",
        ),
        (
            lambda file: sparse(file, [3], [[1, 1, 1]]),
            "ACCESSOR_SPARSE_INDEX_OOB",
            "sparse index 0 must be below 3, the number of elements, got 3",
        ),
        (
            lambda file: sparse(file, [1, 2], [[1, 1, 1], [0, np.nan, 0]]),
            "ACCESSOR_INVALID_FLOAT",
            "component 1 of element 2 must be finite, got nan",
        ),
        (
            lambda file: 99,
            "UNRESOLVED_REFERENCE",
            "the index must be below 2, the number of accessors in the file",
        ),
        (
            lambda file: file.add(np.zeros((3, 4))),
            "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
            "POSITION must have another format than VEC4 of float",
        ),
        (
            lambda file: file.add(np.full((3, 3), 1e30)),
            "VALUE_NOT_IN_RANGE",
            "numbers must be from -",
        ),
    ],
)
def test_targets_that_are_wrong_are_refused(make: Any, code: str, message: str) -> None:
    file = triangle()
    with pytest.raises(lissom.GltfError) as caught:
        load(morphed({"POSITION": make(file)}, file=file))
    assert caught.value.code == code
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (lambda file: file.json["nodes"][0].update(weights=[1]), "NODE_WEIGHTS_INVALID"),
        (lambda file: file.json["meshes"][0].update(weights=[1]), "MESH_INVALID_WEIGHTS_COUNT"),
        (lambda file: file.json["nodes"].append({"weights": [1]}), "UNSATISFIED_DEPENDENCY"),
        (
            lambda file: file.json["meshes"][0]["primitives"][0]["targets"].append(
                {"POSITION": file.add(np.zeros((3, 4)))}
            ),
            "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
        ),
        (
            lambda file: file.json["meshes"][0]["primitives"][0]["targets"].append(
                {"NORMAL": file.add(np.zeros((3, 3)))}
            ),
            "MESH_PRIMITIVE_MORPH_TARGET_NO_BASE_ACCESSOR",
        ),
    ],
)
def test_a_strict_load_refuses_what_the_validator_does(change: Any, code: str) -> None:
    file = triangle()
    target = {"POSITION": file.add(UP)}
    morphed(target, target, file=file)
    lissom.load(file.glb(), strict=True)
    change(file)
    with pytest.raises(lissom.GltfError) as caught:
        lissom.load(file.glb(), strict=True)
    assert caught.value.code == code


def test_a_few_bytes_that_declare_many_targets_are_refused() -> None:
    file = morphed(*[{}] * 1000)
    for number in range(1000):
        file.push("nodes", {"name": str(number), "mesh": 0})
        file.json["scenes"][0]["nodes"].append(number + 1)
    with pytest.raises(lissom.GltfError, match=r"MiB decoded, at most .* it has too many morph targets"):
        load(file)
    file = triangle()
    count = 200_000
    file.json["meshes"][0]["primitives"][0]["attributes"]["POSITION"] = file.add(np.zeros((count, 3)))
    ones = file.add(np.ones((count, 3), np.int8), "i1")
    file.json["accessors"][ones] |= {"normalized": True}
    file.json["extensionsUsed"] = ["KHR_mesh_quantization"]
    with pytest.raises(lissom.GltfError, match="it uses the same data too many times"):
        load(morphed(*[{"POSITION": ones}] * 50, file=file))


def test_the_skinned_part_of_a_skin_that_scales() -> None:
    """Rigs whose skin matrices carry a factor of 100 move differences by it, too."""
    file = arm()
    file.json["meshes"][0]["primitives"][0]["targets"] = [{"POSITION": file.add(UP)}]
    matrices = np.stack([np.diag([100.0, 100, 100, 1]), np.diag([100.0, 100, 100, 1])])
    matrices[1, 3, 1] = -1
    file.json["skins"][0]["inverseBindMatrices"] = file.add(matrices)
    mesh = load(file).mesh
    np.testing.assert_allclose(mesh.morphs.positions, 100 * UP[1:], rtol=1e-6)


def test_clips_whose_interpolation_is_a_number_are_mended() -> None:
    file = arm()
    file.json["animations"][0]["samplers"][0]["interpolation"] = 9729
    character = load(file)
    assert codes(character) == ["TYPE_MISMATCH"]
    np.testing.assert_allclose(
        character.clips["bend"].sample(1.0)[2, 3:7], [0, 0, 0.5**0.5, 0.5**0.5], atol=1e-6
    )


ASSETS = Path(__file__).resolve().parents[3] / "shared" / "assets"


@pytest.mark.skipif(not ASSETS.exists(), reason="the assets of others are not here")
def test_files_of_others() -> None:
    robot = lissom.load(ASSETS / "wild/morph/quaternius/RobotExpressive.glb").mesh.morphs
    assert [name.rpartition("/")[2] for name in robot.names] == ["Angry", "Surprised", "Sad"]
    box = lissom.load(ASSETS / "features/gltf-rs/box_sparse.glb").mesh.morphs
    assert box.vertices.tolist() == [1, 2] or len(box.vertices) == 2
