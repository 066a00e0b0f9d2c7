# SPDX-License-Identifier: MIT
"""Files made to break a loader: each gives one GltfError with code and pointer, quickly, and nothing else."""

import base64
import json
import struct
from collections.abc import Callable
from urllib.parse import unquote_to_bytes

import numpy as np
import pytest

import lissom
from gltf_files import File, arm, data_uri, glb, triangle
from lissom._files.gltf import key_copies, uris
from lissom._formats.budget import Budget
from lissom.errors import GltfError


def refused(data: bytes, code: str, pointer: str | None, match: str = ".", **options: bool) -> GltfError:
    with pytest.raises(GltfError, match=match) as caught:
        lissom.load(data, **options)
    assert caught.value.code == code
    if pointer is not None:
        assert caught.value.pointer == pointer
    return caught.value


def test_the_files_are_right_before_they_are_broken() -> None:
    for file in (triangle(), arm()):
        for data in (file.glb(), file.gltf()):
            assert lissom.load(data, strict=True).repairs == ()


def changed(make: Callable[[], File], change: Callable[[dict], object]) -> bytes:
    file = make()
    change(file.json)
    return file.glb()


def accessor(number: int, **values: object) -> Callable[[dict], object]:
    return lambda root: root["accessors"][number].update(values)


def view(number: int, **values: object) -> Callable[[dict], object]:
    return lambda root: root["bufferViews"][number].update(values)


def node(number: int, **values: object) -> Callable[[dict], object]:
    return lambda root: root["nodes"][number].update(values)


def sparse(count: int = 1, indices: dict | None = None, values: dict | None = None) -> dict:
    indices = {"bufferView": 1, "componentType": 5123, **(indices or {})}
    return {"count": count, "indices": indices, "values": {"bufferView": 0, **(values or {})}}


HUGE = 2**53
BROKEN = {
    # Sizes: sums that wrap, ends that lie outside.
    "count wraps": (triangle, accessor(0, count=2**62), "VALUE_NOT_IN_RANGE", "/accessors/0/count"),
    "count beyond int64": (triangle, accessor(0, count=2**70), "VALUE_NOT_IN_RANGE", "/accessors/0/count"),
    "count of 2**53": (triangle, accessor(0, count=HUGE), "ACCESSOR_TOO_LONG", "/accessors/0"),
    "count one too many": (triangle, accessor(0, count=4), "ACCESSOR_TOO_LONG", "/accessors/0"),
    "count of zero": (triangle, accessor(0, count=0), "VALUE_NOT_IN_RANGE", "/accessors/0/count"),
    "count negative": (triangle, accessor(0, count=-1), "VALUE_NOT_IN_RANGE", "/accessors/0/count"),
    "count fractional": (triangle, accessor(0, count=2.5), "TYPE_MISMATCH", "/accessors/0/count"),
    "offset wraps": (triangle, accessor(0, byteOffset=HUGE), "ACCESSOR_TOO_LONG", "/accessors/0"),
    "offset past the view": (triangle, accessor(0, byteOffset=4), "ACCESSOR_TOO_LONG", "/accessors/0"),
    "offset misaligned": (
        triangle,
        accessor(1, byteOffset=1, count=2),
        "ACCESSOR_TOTAL_OFFSET_ALIGNMENT",
        None,
    ),
    "view past the buffer": (
        triangle,
        view(0, byteLength=99),
        "BUFFER_VIEW_TOO_LONG",
        "/bufferViews/0/byteLength",
    ),
    "view wraps": (triangle, view(0, byteOffset=HUGE, byteLength=HUGE), "BUFFER_VIEW_TOO_LONG", None),
    "stride below the element": (
        triangle,
        view(0, byteStride=4),
        "ACCESSOR_SMALL_BYTESTRIDE",
        "/accessors/0",
    ),
    "stride of 2": (triangle, view(0, byteStride=2), "VALUE_NOT_IN_RANGE", "/bufferViews/0/byteStride"),
    "stride with a full count": (triangle, view(0, byteStride=16), "ACCESSOR_TOO_LONG", "/accessors/0"),
    # Allocation by declaration.
    "zeros without end": (
        triangle,
        lambda r: (r["accessors"][0].pop("bufferView"), r["accessors"][0].update(count=HUGE)),
        "LIMIT_EXCEEDED",
        "/accessors/0/count",
    ),
    "sparse over zeros without end": (
        triangle,
        lambda r: (
            r["accessors"][0].pop("bufferView"),
            r["accessors"][0].update(count=HUGE, sparse=sparse()),
        ),
        "LIMIT_EXCEEDED",
        "/accessors/0/count",
    ),
    "a mesh a hundred thousand times": (
        triangle,
        lambda r: r.update(nodes=[{"mesh": 0}] * 100_000, scenes=[{"nodes": list(range(100_000))}]),
        "LIMIT_EXCEEDED",
        None,
    ),
    # Sparse.
    "sparse index out of range": (
        triangle,
        accessor(0, count=1, sparse=sparse(indices={"byteOffset": 2})),
        "ACCESSOR_SPARSE_INDEX_OOB",
        "/accessors/0/sparse/indices",
    ),
    "sparse indices that fall": (
        triangle,
        accessor(0, sparse=sparse(2, indices={"bufferView": 0, "byteOffset": 12, "componentType": 5121})),
        "ACCESSOR_SPARSE_INDICES_NON_INCREASING",
        "/accessors/0/sparse/indices",
    ),
    "sparse count above count": (
        triangle,
        accessor(0, sparse=sparse(4)),
        "ACCESSOR_SPARSE_COUNT_OUT_OF_RANGE",
        "/accessors/0/sparse/count",
    ),
    "sparse indices past their view": (
        triangle,
        accessor(0, sparse=sparse(indices={"byteOffset": 6})),
        "ACCESSOR_TOO_LONG",
        "/accessors/0/sparse/indices",
    ),
    "sparse values past their view": (
        triangle,
        accessor(0, sparse=sparse(values={"byteOffset": 28})),
        "ACCESSOR_TOO_LONG",
        "/accessors/0/sparse/values",
    ),
    "sparse indices as floats": (
        triangle,
        accessor(0, sparse=sparse(indices={"componentType": 5126})),
        "VALUE_NOT_IN_LIST",
        "/accessors/0/sparse/indices/componentType",
    ),
    "sparse view missing": (
        triangle,
        accessor(0, sparse=sparse(values={"bufferView": 9})),
        "UNRESOLVED_REFERENCE",
        "/accessors/0/sparse/values/bufferView",
    ),
    # Types put in each other's place.
    "matrices as positions": (
        arm,
        lambda r: r["meshes"][0]["primitives"][0]["attributes"].update(POSITION=3, JOINTS_0=3, WEIGHTS_0=3),
        "MESH_PRIMITIVE_ATTRIBUTES_ACCESSOR_INVALID_FORMAT",
        "/meshes/0/primitives/0/attributes/POSITION",
    ),
    "floats as indices": (
        triangle,
        lambda r: r["meshes"][0]["primitives"][0].update(indices=0),
        "MESH_PRIMITIVE_INDICES_ACCESSOR_INVALID_FORMAT",
        "/meshes/0/primitives/0/indices",
    ),
    "unknown component type": (triangle, accessor(0, componentType=1), None, None),
    "unknown type": (triangle, accessor(0, type="VEC5"), None, None),
    "vectors as key times": (
        arm,
        lambda r: r["animations"][0]["samplers"][0].update(input=0),
        "ANIMATION_SAMPLER_INPUT_ACCESSOR_INVALID_FORMAT",
        "/animations/0/samplers/0/input",
    ),
    "times as rotations": (
        arm,
        lambda r: r["animations"][0]["samplers"][0].update(output=4),
        "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_FORMAT",
        "/animations/0/samplers/0/output",
    ),
    "positions as bind matrices": (
        arm,
        lambda r: r["skins"][0].update(inverseBindMatrices=0),
        "SKIN_IBM_INVALID_FORMAT",
        "/skins/0/inverseBindMatrices",
    ),
    # Indices into nothing.
    "accessor of a mesh": (
        triangle,
        lambda r: r["meshes"][0]["primitives"][0]["attributes"].update(POSITION=77),
        "UNRESOLVED_REFERENCE",
        "/meshes/0/primitives/0/attributes/POSITION",
    ),
    "accessor of a sampler": (
        arm,
        lambda r: r["animations"][0]["samplers"][0].update(output=77),
        "UNRESOLVED_REFERENCE",
        "/animations/0/samplers/0/output",
    ),
    "sampler of a channel": (
        arm,
        lambda r: r["animations"][0]["channels"][0].update(sampler=1),
        "UNRESOLVED_REFERENCE",
        "/animations/0/channels/0/sampler",
    ),
    "node of a channel": (
        arm,
        lambda r: r["animations"][0]["channels"][0]["target"].update(node=4),
        "UNRESOLVED_REFERENCE",
        "/animations/0/channels/0/target/node",
    ),
    "joint of a skin": (
        arm,
        lambda r: r["skins"][0].update(joints=[1, 9]),
        "UNRESOLVED_REFERENCE",
        "/skins/0/joints/1",
    ),
    "mesh of a node": (triangle, node(0, mesh=1), "UNRESOLVED_REFERENCE", "/nodes/0/mesh"),
    "skin of a node": (arm, node(3, skin=1), "UNRESOLVED_REFERENCE", "/nodes/3/skin"),
    "child of a node": (arm, node(2, children=[4]), "UNRESOLVED_REFERENCE", "/nodes/2/children/0"),
    "node of a scene": (
        triangle,
        lambda r: r["scenes"][0].update(nodes=[1]),
        "UNRESOLVED_REFERENCE",
        "/scenes/0/nodes/0",
    ),
    "scene": (triangle, lambda r: r.update(scene=1), "UNRESOLVED_REFERENCE", "/scene"),
    "indices of a primitive": (
        triangle,
        lambda r: r["meshes"][0]["primitives"][0].update(indices=2420),
        "UNRESOLVED_REFERENCE",
        "/meshes/0/primitives/0/indices",
    ),
    "material": (
        triangle,
        lambda r: r["meshes"][0]["primitives"][0].update(material=0),
        "UNRESOLVED_REFERENCE",
        "/meshes/0/primitives/0/material",
    ),
    "buffer of a view": (triangle, view(0, buffer=1), "UNRESOLVED_REFERENCE", "/bufferViews/0/buffer"),
    "negative index": (triangle, accessor(0, bufferView=-1), "INVALID_INDEX", "/accessors/0/bufferView"),
    # The tree of nodes.
    "a node that is its own child": (arm, node(0, children=[0]), "NODE_LOOP", "/nodes/0"),
    "a loop of three": (arm, node(2, children=[0]), "NODE_LOOP", None),
    "two parents": (arm, node(0, children=[1, 3, 2]), "NODE_PARENT_OVERRIDE", None),
    "a child twice": (arm, node(0, children=[1, 3, 1]), "NODE_PARENT_OVERRIDE", "/nodes/0/children/2"),
    "matrix and translation": (
        arm,
        node(2, matrix=np.eye(4).ravel().tolist()),
        "NODE_MATRIX_TRS",
        "/nodes/2",
    ),
    "a matrix of 17": (triangle, node(0, matrix=[1.0] * 17), "ARRAY_LENGTH_NOT_IN_LIST", "/nodes/0/matrix"),
    "a translation of 1e300": (
        triangle,
        node(0, translation=[1e300, 0, 0]),
        "VALUE_NOT_IN_RANGE",
        "/nodes/0/translation",
    ),
    # Animations.
    "the same target twice": (
        arm,
        lambda r: r["animations"][0]["channels"].append(dict(r["animations"][0]["channels"][0])),
        "ANIMATION_DUPLICATE_TARGETS",
        "/animations/0/channels/0/target",
    ),
    "one value too few": (
        arm,
        accessor(5, count=1),
        "ANIMATION_SAMPLER_OUTPUT_ACCESSOR_INVALID_COUNT",
        "/animations/0/samplers/0/output",
    ),
    "a cubic spline of one key": (
        arm,
        lambda r: (
            r["accessors"][4].update(count=1),
            r["animations"][0]["samplers"][0].update(interpolation="CUBICSPLINE"),
        ),
        "ANIMATION_SAMPLER_INPUT_ACCESSOR_TOO_FEW_ELEMENTS",
        "/animations/0/samplers/0/input",
    ),
    # Skins.
    "too few bind matrices": (
        arm,
        accessor(3, count=1),
        "INVALID_IBM_ACCESSOR_COUNT",
        "/skins/0/inverseBindMatrices",
    ),
    "a joint that the skin has not": (
        arm,
        lambda r: r["skins"][0].update(joints=[1]),
        "ACCESSOR_JOINTS_INDEX_OOB",
        "/meshes/0/primitives/0/attributes/JOINTS_0",
    ),
    "joints without weights": (
        arm,
        lambda r: r["meshes"][0]["primitives"][0]["attributes"].pop("WEIGHTS_0"),
        "MESH_PRIMITIVE_JOINTS_WEIGHTS_MISMATCH",
        "/meshes/0/primitives/0/attributes",
    ),
    "a gap between sets of joints": (
        arm,
        lambda r: r["meshes"][0]["primitives"][0]["attributes"].update(JOINTS_2=1, WEIGHTS_2=2),
        "MESH_PRIMITIVE_INDEXED_SEMANTIC_CONTINUITY",
        "/meshes/0/primitives/0/attributes",
    ),
    "attributes of unequal counts": (
        triangle,
        lambda r: r["meshes"][0]["primitives"][0]["attributes"].update(NORMAL=1),
        None,
        "/meshes/0/primitives/0/attributes/NORMAL",
    ),
    # Extensions and versions.
    "an unknown extension": (
        triangle,
        lambda r: r.update(extensionsRequired=["ACME_teapot"], extensionsUsed=["ACME_teapot"]),
        "UNSUPPORTED_EXTENSION",
        "/extensionsRequired/0",
    ),
    "version 3": (
        triangle,
        lambda r: r["asset"].update(version="3.0"),
        "UNKNOWN_ASSET_MAJOR_VERSION",
        "/asset/version",
    ),
    "no version": (triangle, lambda r: r["asset"].clear(), "UNDEFINED_PROPERTY", "/asset"),
    "a version of words": (
        triangle,
        lambda r: r["asset"].update(version="two"),
        "PATTERN_MISMATCH",
        "/asset/version",
    ),
    # Shapes of JSON.
    "nodes as an object": (triangle, lambda r: r.update(nodes={}), "TYPE_MISMATCH", "/nodes"),
    "a name as a number": (triangle, node(0, name=3), "TYPE_MISMATCH", "/nodes/0/name"),
    "null": (triangle, node(0, mesh=None), "TYPE_MISMATCH", "/nodes/0/mesh"),
    "no attributes": (
        triangle,
        lambda r: r["meshes"][0]["primitives"][0].pop("attributes"),
        "UNDEFINED_PROPERTY",
        "/meshes/0/primitives/0",
    ),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_file_is_refused(name: str) -> None:
    make, change, code, pointer = BROKEN[name]
    for data in (changed(make, change),):
        with pytest.raises(GltfError) as caught:
            lissom.load(data)
        if code is not None:
            assert caught.value.code == code
        if pointer is not None:
            assert caught.value.pointer == pointer
        assert caught.value.code.isupper()
        assert len(caught.value.message) < 300
        with pytest.raises(GltfError):
            lissom.load(data, strict=True)


SENTENCES = {
    "/bufferViews/0/byteLength: must be an integer of at least 1, got less [VALUE_NOT_IN_RANGE]": (
        triangle,
        lambda r: r["bufferViews"][0].update(byteLength=0),
    ),
    "/bufferViews/0/extensions/EXT_meshopt_compression/byteLength: must be an integer of at least 1, got "
    "less [VALUE_NOT_IN_RANGE]": (
        triangle,
        lambda r: r["bufferViews"][0].update(
            extensions={
                "EXT_meshopt_compression": {
                    "buffer": 0,
                    "byteLength": 0,
                    "byteStride": 4,
                    "count": 1,
                    "mode": "ATTRIBUTES",
                }
            }
        ),
    ),
    "/bufferViews/0/byteStride: must be an integer of at most 252, got more [VALUE_NOT_IN_RANGE]": (
        triangle,
        lambda r: r["bufferViews"][0].update(byteStride=256),
    ),
    "/nodes/0/mesh: must be an integer, got a decimal number [TYPE_MISMATCH]": (triangle, node(0, mesh=0.5)),
    "/nodes/0/name: must be text, got an integer [TYPE_MISMATCH]": (triangle, node(0, name=3)),
    "/nodes/0/scale/1: must be a number, got text [TYPE_MISMATCH]": (triangle, node(0, scale=[1, "1", 1])),
    "/nodes/0/scale: must be an array of length 3 [ARRAY_LENGTH_NOT_IN_LIST]": (
        triangle,
        node(0, scale=[1, 1]),
    ),
    "/nodes: must be an array, got an object [TYPE_MISMATCH]": (triangle, lambda r: r.update(nodes={})),
}


@pytest.mark.parametrize("sentence", SENTENCES)
def test_types_are_told_in_words(sentence: str) -> None:
    with pytest.raises(GltfError) as caught:
        lissom.load(changed(*SENTENCES[sentence]))
    assert str(caught.value) == sentence


NOT_FINITE = {
    "positions": (triangle, 0, 4, "ACCESSOR_INVALID_FLOAT", "/accessors/0"),
    "bind matrices": (arm, 3, 5, "ACCESSOR_INVALID_FLOAT", "/accessors/3"),
    "key times": (arm, 4, 1, "ACCESSOR_INVALID_FLOAT", "/animations/0/samplers/0/input"),
    "rotations": (arm, 5, 2, "ACCESSOR_INVALID_FLOAT", "/animations/0/samplers/0/output"),
}


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("what", NOT_FINITE)
def test_numbers_must_be_finite(what: str, value: float) -> None:
    make, number, element, code, pointer = NOT_FINITE[what]
    file = make()
    at = file.json["bufferViews"][number]["byteOffset"] + 4 * element
    file.binary[at : at + 4] = struct.pack("<f", value)
    refused(file.glb(), code, pointer, "finite")


TOO_LARGE = {
    "positions": (triangle, 0, 4, "/meshes/0/primitives/0/attributes/POSITION"),
    "bind matrices": (arm, 3, 5, "/skins/0/inverseBindMatrices"),
    "rotations": (arm, 5, 2, "/animations/0/samplers/0/output"),
}


@pytest.mark.parametrize("value", [1.0625e9, -1e30, 3e38])
@pytest.mark.parametrize("what", TOO_LARGE)
def test_what_moves_must_fit_float32_in_products(what: str, value: float) -> None:
    make, number, element, pointer = TOO_LARGE[what]
    file = make()
    at = file.json["bufferViews"][number]["byteOffset"] + 4 * element
    file.binary[at : at + 4] = struct.pack("<f", value)
    refused(file.glb(), "VALUE_NOT_IN_RANGE", pointer, "1e[+]09")


@pytest.mark.parametrize("name", ["translation", "scale"])
def test_nodes_must_fit_float32_in_products(name: str) -> None:
    for value, fits in ((1e9, True), (2e9, False)):
        data = changed(triangle, node(0, **{name: [1, value, 1]}))
        if fits:
            character = lissom.load(data)
            poses = character.skeleton.model_matrices(character.skeleton.rest)
            assert np.isfinite(poses).all()
        else:
            refused(data, "VALUE_NOT_IN_RANGE", f"/nodes/0/{name}")
    matrix = np.diag([1, 1, 3e9, 1]).ravel().tolist()
    refused(changed(triangle, node(0, matrix=matrix)), "VALUE_NOT_IN_RANGE", "/nodes/0/matrix")


@pytest.mark.parametrize(
    ("times", "code"),
    [
        ([-1.0, 1.0], "ACCESSOR_ANIMATION_INPUT_NEGATIVE"),
        ([1.0, 1.0], "ACCESSOR_ANIMATION_INPUT_NON_INCREASING"),
        ([1.0, 0.5], "ACCESSOR_ANIMATION_INPUT_NON_INCREASING"),
    ],
)
@pytest.mark.parametrize("rotations", ["f4", "i2"])  # used in place, and copied
def test_key_times_must_increase_from_zero(times: list[float], code: str, rotations: str) -> None:
    file = arm()
    if rotations == "i2":
        sampler = file.json["animations"][0]["samplers"][0]
        sampler["output"] = file.add([[0, 0, 0, 32767]] * 2, "i2", normalized=True)
    at = file.json["bufferViews"][4]["byteOffset"]
    file.binary[at : at + 8] = struct.pack("<2f", *times)
    refused(file.glb(), code, "/animations/0/samplers/0/input")


def header(magic: bytes = b"glTF", version: int = 2, length: int | None = None, rest: bytes = b"") -> bytes:
    return struct.pack("<4sII", magic, version, 12 + len(rest) if length is None else length) + rest


JSON, BIN = 0x4E4F534A, 0x004E4942


def chunk(kind: int, data: bytes, length: int | None = None) -> bytes:
    return struct.pack("<II", len(data) if length is None else length, kind) + data


MINIMAL = b'{"asset":{"version":"2.0"}} '
CONTAINERS = {
    "GLB_UNEXPECTED_END_OF_HEADER": b"glTF\x02",
    "GLB_INVALID_VERSION": header(version=1),
    "GLB_LENGTH_TOO_SMALL": header(),
    "GLB_LENGTH_MISMATCH": header(length=99, rest=chunk(JSON, MINIMAL)),
    "GLB_UNEXPECTED_END_OF_CHUNK_HEADER": header(length=20, rest=b"1234"),
    "GLB_CHUNK_LENGTH_UNALIGNED": header(rest=chunk(JSON, MINIMAL[:-1])),
    "GLB_CHUNK_TOO_BIG": header(rest=chunk(JSON, MINIMAL, 0xFFFFFFFC)),
    "GLB_UNEXPECTED_END_OF_CHUNK_DATA": header(length=4000, rest=chunk(JSON, MINIMAL, 3000)),
    "GLB_UNEXPECTED_FIRST_CHUNK": header(rest=chunk(BIN, b"1234")),
    "GLB_EMPTY_CHUNK": header(rest=chunk(JSON, b"")),
    "GLB_DUPLICATE_CHUNK": header(rest=chunk(JSON, MINIMAL) + chunk(JSON, MINIMAL)),
    "GLB_UNEXPECTED_BIN_CHUNK": header(rest=chunk(JSON, MINIMAL) + chunk(7, b"") + chunk(BIN, b"1234")),
    "INVALID_JSON": header(rest=chunk(JSON, b"{]  ")),
}


@pytest.mark.parametrize("code", CONTAINERS)
def test_a_broken_container_is_refused(code: str) -> None:
    refused(CONTAINERS[code], code, "")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "got a file that is empty"),
        (b"hello", r"that is no GLB: its first bytes are b'hell', not b'glTF'"),
        (b"hello, this is no model", r"start with the bytes b'glTF', got b'hell'; it is no GLB"),
        (b"glTF", "got a file of 4; it is cut off"),
    ],
)
def test_what_is_no_glb_is_told_from_what_is_cut_off(tmp_path, content: bytes, words: str) -> None:
    (tmp_path / "text.glb").write_bytes(content)
    with pytest.raises(GltfError, match=words):
        lissom.load(tmp_path / "text.glb")


def test_every_truncation_of_a_file_is_refused() -> None:
    data = arm().glb()
    for length in range(len(data)):
        with pytest.raises(GltfError):
            lissom.load(data[:length])


def test_every_single_byte_may_be_wrong() -> None:
    """One byte changed anywhere gives a character or a GltfError, and sampled clips if a character."""
    data = arm().glb()
    generator = np.random.default_rng(7)
    for position in range(len(data)):
        broken = bytearray(data)
        broken[position] = int(generator.integers(256))
        try:
            character = lissom.load(broken)
        except GltfError:
            continue
        for clip in character.clips.values():
            clip.sample(0.5)
        if character.mesh is not None:
            character.deform(character.skeleton.rest)


@pytest.mark.parametrize("depth", [129, 1000, 100_000])
@pytest.mark.parametrize("shape", ["[", '{"a":', '{"\\"[":['])
def test_deep_json_is_refused(depth: int, shape: str) -> None:
    close = shape.replace('\\"[', "").translate(str.maketrans("[{", "]}", '":a'))[::-1]
    text = '{"asset":{"version":"2.0"},"extras":' + shape * depth + "0" + close * depth + "}"
    refused(text.encode(), "LIMIT_EXCEEDED", "", "levels deep")


def test_brackets_in_strings_do_not_nest() -> None:
    names = ["[" * 500, '\\[{"', "]" * 500, '"[', "\\\\[["]
    text = json.dumps({"asset": {"version": "2.0"}, "nodes": [{"name": name} for name in names]})
    assert len(lissom.load(text.encode()).skeleton) == 0


def test_depth_hidden_by_brackets_in_strings_is_seen() -> None:
    text = '{"asset":{"version":"2.0"},"extras":["' + "]" * 1000 + '",' + "[" * 200 + "]" * 200 + "]}"
    refused(text.encode(), "LIMIT_EXCEEDED", "", "levels deep")


@pytest.mark.parametrize("name", ['"', "\\", '\\"', '"[', '\\\\"'])
def test_depth_behind_escaped_quotes_is_seen(name: str) -> None:
    text = '{"asset":{"version":"2.0"},"extras":[' + json.dumps(name) + "," + "[" * 200 + "]" * 200 + "]}"
    refused(text.encode(), "LIMIT_EXCEEDED", "", "levels deep")


def test_a_million_empty_objects_are_refused() -> None:
    text = b'{"asset":{"version":"2.0"},"nodes":[' + b"{}," * 1_000_000 + b"{}]}"
    refused(text, "LIMIT_EXCEEDED", "", "objects")


def test_a_deep_skeleton_loads() -> None:
    count = 20_000
    file = File()
    file.json["nodes"] = [{"children": [number + 1]} for number in range(count - 1)] + [{}]
    file.json["skins"] = [{"joints": list(range(count))}]
    file.json["scenes"] = [{"nodes": [0]}]
    assert len(lissom.load(file.gltf()).skeleton) == count


BUFFER_URIS = {
    "no comma": ("data:application/octet-stream;base64", "INVALID_URI"),
    "junk": ("data:application/octet-stream;base64,*****", "INVALID_URI"),
    "padding within": ("data:application/octet-stream;base64,AA=A", "INVALID_URI"),
    "not ASCII": ("data:application/octet-stream;base64,é", "INVALID_URI"),
    "too short": ("data:application/octet-stream;base64,AAAA", "BUFFER_BYTE_LENGTH_MISMATCH"),
    "empty": ("data:application/octet-stream;base64,", "BUFFER_BYTE_LENGTH_MISMATCH"),
    "a parameter without value": ("data:application/octet-stream;;base64,AAAA", "INVALID_URI"),
}


@pytest.mark.parametrize("name", BUFFER_URIS)
def test_a_broken_data_uri_is_refused(name: str) -> None:
    uri, code = BUFFER_URIS[name]
    file = triangle()
    file.json["buffers"] = [{"byteLength": len(file.binary), "uri": uri}]
    refused(file.gltf(), code, "/buffers/0" if code.startswith("BUFFER") else "/buffers/0/uri")


def test_data_uris_decode_in_both_forms() -> None:
    file = triangle()
    plain = "".join(f"%{byte:02x}" for byte in file.binary)
    coded = base64.b64encode(file.binary).decode()
    for uri in (f"data:,{plain}", f"data:;base64,{coded}", data_uri(bytes(file.binary))):
        file.json["buffers"] = [{"byteLength": len(file.binary), "uri": uri}]
        mesh = lissom.load(file.gltf()).mesh
        assert mesh is not None
        np.testing.assert_array_equal(mesh.positions, [[0, 0, 0], [1, 0, 0], [0, 1, 0]])


def test_a_glb_without_its_chunk_is_refused() -> None:
    refused(glb(triangle().text().encode()), "BUFFER_MISSING_GLB_DATA", "/buffers/0")


def test_an_index_past_the_vertices_is_refused() -> None:
    for stored, code in ((3, "ACCESSOR_INDEX_OOB"), (0xFFFF, "ACCESSOR_INDEX_PRIMITIVE_RESTART")):
        file = triangle()
        at = file.json["bufferViews"][1]["byteOffset"]
        file.binary[at : at + 2] = struct.pack("<H", stored)
        refused(file.glb(), code, "/meshes/0/primitives/0/indices")


def test_errors_carry_the_path(tmp_path) -> None:
    path = tmp_path / "bad.gltf"
    path.write_bytes(b"{")
    with pytest.raises(GltfError) as caught:
        lissom.load(path)
    assert caught.value.path == path
    assert str(caught.value).startswith(str(path))


@pytest.mark.parametrize("piece", [3, 4, 7, 1000])
def test_percent_codes_are_decoded_across_pieces(piece: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uris, "_PIECE", piece)
    file = triangle()
    plain = "".join(f"%{byte:02x}" if byte % 3 else chr(byte) for byte in range(1, 120))
    for ending in ("", "%", "%4", "%zz"):
        file.json["buffers"] = [{"byteLength": len(file.binary), "uri": f"data:,{plain}{ending}{'a' * 99}"}]
        got = uris.decode_data(file.json["buffers"][0]["uri"], "", Budget(0, pytest.fail))
        assert got == (unquote_to_bytes(f"{plain}{ending}{'a' * 99}"), "")


def test_a_data_uri_has_a_short_head() -> None:
    file = File()
    file.json["buffers"] = [{"byteLength": 1, "uri": f"data:a{';a=b' * 300},A"}]
    refused(file.gltf(), "LIMIT_EXCEEDED", "/buffers/0/uri", "at most 1024 characters")


def test_rotations_are_normalised_block_by_block_as_all_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    file = arm()
    rng = np.random.default_rng(3)
    times = file.add(np.arange(40, dtype=np.float32))
    stored = rng.integers(-127, 128, (40, 4)).astype(float)
    rotations = file.add(stored, "i1", normalized=True)
    file.json["animations"][0]["samplers"] = [{"input": times, "output": rotations}]
    whole = lissom.load(file.glb())
    monkeypatch.setattr(key_copies, "_BLOCK", 7)
    blocks = lissom.load(file.glb())
    assert blocks.repairs == whole.repairs != ()
    (one,), (other,) = blocks.clips.values(), whole.clips.values()
    np.testing.assert_array_equal(one.keys, other.keys)
    stored /= 127
    expected = stored / np.linalg.norm(stored, axis=1, keepdims=True)
    np.testing.assert_allclose(one.keys[one.tracks["values"][0] :][:160].reshape(40, 4), expected, atol=1e-7)


def test_names_in_messages_are_short_and_printable() -> None:
    file = arm()
    name = "\x1b[31m\u202e\n" + "n" * 100_000
    file.json["nodes"][1]["name"] = file.json["nodes"][2]["name"] = name
    for repair in lissom.load(file.glb()).repairs:
        assert len(repair.message) < 300
        assert repair.message.isprintable()
    error = refused(
        changed(triangle, lambda r: r["meshes"][0]["primitives"][0]["attributes"].update({name: 77})),
        "UNRESOLVED_REFERENCE",
        None,
    )
    assert len(str(error)) < 1000
    assert str(error).isprintable()
