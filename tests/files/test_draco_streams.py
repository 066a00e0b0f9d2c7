# SPDX-License-Identifier: MIT
"""What a Draco stream is counted to hold, before it is decoded, beside what DracoPy decodes."""

import base64
from pathlib import Path
from typing import Any

import DracoPy
import numpy as np
import pytest

import draco_meshes
import lissom
from bombs import BOMBS
from bombs.draco import plane
from conftest import asset_id
from draco_assets import draco_files, streams
from draco_files import grid, sheet
from lissom._formats.draco import DracoExtent
from lissom.errors import GltfError
from node_tools import ask, needs_node

KINDS: dict[str, dict[str, Any]] = {
    "positions": {},
    "native attributes": {"tex_coord": "TEXCOORD_0", "normals": "NORMAL"},
    "generic attributes": {"generic_attributes": {3: "COLOR_0", 5: "WEIGHTS_0", 7: "JOINTS_0"}},
    "named attributes": {"generic_attributes": {"colour": "COLOR_0"}, "tex_coord": "TEXCOORD_0"},
}


def stream(side: int, kind: str, *, seams: bool = False, **options: Any) -> bytes:
    """A sheet; with seams, everything but its positions differs from triangle to triangle."""
    arrays = grid(side)
    triangles = arrays.pop("indices").reshape(-1, 3)
    if seams:
        arrays = {name: values[triangles.reshape(-1)] for name, values in arrays.items()}
        triangles = np.arange(triangles.size, dtype=np.uint32).reshape(-1, 3)
        rng = np.random.default_rng(1)
        arrays["COLOR_0"] = rng.integers(0, 65_536, arrays["COLOR_0"].shape).astype(np.uint16)
        arrays["TEXCOORD_0"] = rng.uniform(size=arrays["TEXCOORD_0"].shape)
    more = dict(KINDS[kind])
    for word in ("tex_coord", "normals"):
        if word in more:
            more[word] = arrays[more[word]].astype(float)
    if "generic_attributes" in more:
        more["generic_attributes"] = {
            number: arrays[name] for number, name in more["generic_attributes"].items()
        }
    return DracoPy.encode(arrays["POSITION"], triangles, **more, **options)


def extent_of(data: bytes, most_bytes: int = 1 << 30) -> DracoExtent:
    return DracoExtent.of(np.frombuffer(data, np.uint8), most_bytes)


def said_of(data: bytes) -> DracoExtent | None:
    """What a damaged stream says, or None where it is refused by a sentence."""
    try:
        return extent_of(data, 1 << 24)
    except ValueError as error:
        sentence = str(error)
    assert "Draco stream must" in sentence
    assert len(sentence) < 200
    assert "\n" not in sentence
    return None


def assert_as_decoded(data: bytes) -> DracoExtent:
    """Only who counts as the decoder does ends where the stream ends."""
    said, mesh = extent_of(data), DracoPy.decode(data)
    assert said.is_whole
    assert said.left == 0
    assert said.faces == len(mesh.faces)
    assert said.points == len(mesh.points)
    told = [(each.number, each.kind, each.data_type, each.components) for each in said.attributes]
    fields = ("unique_id", "attribute_type", "data_type", "num_components")
    assert told == [tuple(each[field] for field in fields) for each in mesh.attributes]
    for one, decoded in zip(said.attributes, mesh.attributes, strict=True):
        assert len(np.unique(decoded["data"], axis=0)) <= one.values <= said.points
    return said


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seams", [False, True])
@pytest.mark.parametrize("level", range(11))
def test_attributes_are_those_that_are_decoded(level: int, seams: bool, kind: str) -> None:
    for side in (3, 40):  # the second is walked by valences from level 6 on
        for keeps_order in (False, True):
            options = {"compression_level": level, "preserve_order": keeps_order}
            said = assert_as_decoded(stream(side, kind, seams=seams, **options))
            assert bool(said.borders) == (level > 0 and not keeps_order)


@pytest.mark.parametrize("side", [15, 16, 256])
def test_indices_of_one_byte_of_two_and_of_several_are_passed(side: int) -> None:
    said = assert_as_decoded(stream(side, "positions", preserve_order=True))
    assert said.points == side * side


def test_seams_of_many_attributes_are_told_apart() -> None:
    rng = np.random.default_rng(6)
    places, triangles = draco_meshes.torus(9, 7)
    corners = places[triangles].reshape(-1, 3).astype(np.float32)
    for count in range(1, 8):  # how many are read by turns
        # Of each a value of its own in some triangles, in none of every third attribute.
        own = rng.random((count, len(triangles))) < np.array([0.2, 0.05, 0])[np.arange(count) % 3, None]
        values = (own * np.arange(1, len(triangles) + 1)).repeat(3, axis=1).astype(np.uint32)
        rows = np.column_stack([corners, values.T])
        _, first, vertex = np.unique(rows, axis=0, return_index=True, return_inverse=True)
        generic = {number: one[first, None] for number, one in enumerate(values)}
        data = DracoPy.encode(
            corners[first], vertex.reshape(-1, 3), compression_level=7, generic_attributes=generic
        )
        said = assert_as_decoded(data)
        assert len(said.seamed) == count
        assert [bool(one.seams) for one in said.seamed] == own.any(axis=1).tolist()


@pytest.mark.parametrize("kind", draco_meshes.KINDS)
@pytest.mark.parametrize("level", [1, 4, 5, 7, 9, 10])
def test_surfaces_of_every_topology_are_put_together_as_the_decoder_does(level: int, kind: str) -> None:
    ways = set()
    for seed in range(8):
        data = draco_meshes.stream(kind, 8 * level + seed, 9 if seed < 6 else 40, compression_level=level)
        assert_as_decoded(data)
        ways.add(data[11])
    assert ways <= {0, 2}


@pytest.mark.parametrize("kind", draco_meshes.KINDS)
def test_streams_of_googles_encoder_are_counted_as_they_are_decoded(kind: str) -> None:
    """Unlike DracoPy it quantizes all floats, and predicts normals and texture coordinates by the surface."""
    tasks = [draco_meshes.task(kind, seed, 9 if seed < 24 else 40) for seed in range(26)]
    for data in ask("draco_encoder.js", tasks):
        assert_as_decoded(base64.b64decode(data))


test_streams_of_googles_encoder_are_counted_as_they_are_decoded.pytestmark += needs_node("draco3dgltf")


def test_a_torus_has_a_handle_and_a_cube_as_many_points_as_corners() -> None:
    places, triangles = draco_meshes.torus(30, 20)
    said = assert_as_decoded(DracoPy.encode(places, triangles, compression_level=7))
    assert (said.faces, said.vertices, said.points, said.borders) == (1200, 600, 600, 0)
    assert said.most_vertices > said.vertices  # some are merged where the surface meets itself
    loose = np.arange(triangles.size).reshape(-1, 3)
    colours = np.repeat(np.arange(len(triangles), dtype=np.uint32), 3)[:, None]
    said = assert_as_decoded(
        DracoPy.encode(
            places[triangles].reshape(-1, 3), loose, generic_attributes={0: colours}, compression_level=7
        )
    )
    assert (said.vertices, said.points, said.borders) == (600, 3600, 0)
    assert [tuple(each) for each in said.seamed] == [(1800, 3600)]


def recoded(symbols: bytes) -> bytes:
    """One triangle kept in order, its indices 0, 1, 2 coded as other symbols: 0, 2, 2."""
    data = DracoPy.encode(np.eye(3), np.array([[0, 1, 2]]), preserve_order=True)
    at = data.index(bytes([1, 3, 1, 0, 1, 2]))
    return data[: at + 2] + b"\0" + symbols + data[at + 6 :]


# Of three symbols, the last always: it takes no bits, and the state to begin with is 0.
ALWAYS_2 = bytes([3, 1 << 2 | 3, 1, 64, 1, 0])


def test_symbols_are_passed_as_the_decoder_does() -> None:
    tagged = recoded(b"\0" + ALWAYS_2 + bytes([0 | 2 << 2 | 2 << 4]))
    assert_as_decoded(tagged)
    np.testing.assert_array_equal(DracoPy.decode(tagged).faces, [[0, 1, 2]])
    raw = recoded(b"\1\2" + ALWAYS_2)
    assert_as_decoded(raw)
    np.testing.assert_array_equal(DracoPy.decode(raw).faces, [[1, 2, 3]])


@pytest.mark.parametrize(
    ("symbols", "words"),
    [
        (b"\2", "symbols coded as 0 or 1, got 2"),
        (b"\1\0", "symbols of 1 to 18 bits, got 0"),
        (b"\1\x13", "symbols of 1 to 18 bits, got 19"),
        (b"\1\2\0", "different symbols, got 0"),
        (b"\1\2\xff\xff\xff\x7f", "different symbols, got 268435455"),
        (b"\1\2\xff\xff\xff\xff\x7f", "numbers of at most 32 bits"),
        (b"\1\2\3\1\1\1", "probabilities that add up to 1 for 3 symbols"),
        (b"\1\2\3\xff", "probabilities that add up to 1 for 3 symbols"),
        (b"\0" + ALWAYS_2[:-1] + b"\xc0", "a state to begin its symbols with"),
        (b"\0" + ALWAYS_2[:-2] + b"\0", "a state to begin its symbols with"),
        (bytes([0, 34, 32 << 2 | 3, 1 << 2 | 0, 0, 1, 64, 1, 0]), "probabilities that add up"),
        (bytes([0, 34, 32 << 2 | 3, 1, 64, 1, 0]), "values of at most 32 bits, got 33"),
    ],
)
def test_symbols_that_have_no_end_are_refused(symbols: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        extent_of(recoded(symbols))


@pytest.mark.parametrize("path", draco_files() or [Path("none")], ids=asset_id)
def test_real_files_are_counted_as_they_are_decoded(path: Path) -> None:
    if not path.is_file():
        pytest.skip("no files compressed by Draco among the assets; set LISSOM_ASSETS to the folder with all")
    for task in streams(path).values():
        assert_as_decoded(base64.b64decode(task["stream"]))


def test_a_triangle_that_closes_a_larger_hole_is_refused() -> None:
    """The decoder glues it to three of eight edges; two vertices are then one, which it takes for two."""
    arrays = plane(3)
    triangles = arrays["indices"].reshape(-1, 3)
    data = bytearray(DracoPy.encode(arrays["POSITION"], triangles, quantization_bits=4, compression_level=7))
    begins_outside = bytes([255, 1])  # never a one; a byte of bits
    assert (data[13], data.count(begins_outside)) == (8, 1)
    data[13] += 1
    data[data.index(begins_outside)] = 1
    assert len(DracoPy.decode(bytes(data)).faces) == 9
    with pytest.raises(ValueError, match="must have a walk over its 9 triangles; it is damaged"):
        extent_of(bytes(data))


def test_a_way_to_walk_that_is_not_known_is_refused() -> None:
    data = bytearray(stream(5, "positions"))
    data[11] = 1
    with pytest.raises(ValueError, match="walked its surface by way 0 or 2, got 1"):
        extent_of(bytes(data))


@pytest.mark.parametrize("level", [0, 1, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_cut_anywhere_is_refused_by_a_sentence(kind: str, level: int) -> None:
    data = stream(24, kind, compression_level=level)
    assert said_of(data) is not None
    for size in range(len(data)):
        assert said_of(data[:size]) is None


@pytest.mark.parametrize("kind", draco_meshes.KINDS)
def test_mutated_streams_are_walked_or_refused(kind: str) -> None:
    rng = np.random.default_rng(0)
    walked = 0
    for seed in range(6):
        data = np.frombuffer(draco_meshes.stream(kind, seed, 7, compression_level=7), np.uint8)
        for _ in range(60):
            changed = data.copy()
            end = len(data) if rng.random() < 0.5 else min(len(data), 50)
            changed[rng.integers(11, end, 2)] = rng.integers(0, 256, 2)
            said = said_of(changed.tobytes())
            if said is not None and said.is_whole:
                walked += 1
                assert said.vertices <= said.points <= max(3 * said.faces, said.vertices)
                assert all(said.vertices <= each.values <= said.points for each in said.seamed)
    assert walked > 10


def test_what_takes_too_much_is_not_read_to_its_end() -> None:
    data = stream(24, "generic attributes", seams=True, compression_level=7)
    whole = extent_of(data)
    faces = extent_of(data, 56 * whole.faces)
    assert not faces.is_whole
    assert (faces.faces, len(faces.seamed)) == (whole.faces, len(whole.seamed))
    assert faces.attributes == []
    values = extent_of(data, (56 + 12 * len(whole.seamed)) * whole.faces)
    assert values[1:-1] == whole[1:-1]
    assert values.is_whole


def test_flags_that_nobody_needs_are_refused(tmp_path: Path) -> None:
    """The decoder makes room for as many orientations as a word says before it reads one."""
    path = BOMBS["a stream of draco that makes room for two thousand million flags"][1](tmp_path, 1)
    with pytest.raises(
        GltfError, match="must have a flag for each of its 54 corners at most, got 2147483647; it is damaged"
    ):
        lissom.load(path)


def test_attributes_that_no_accessor_can_hold_are_refused() -> None:
    file = sheet()
    data = bytes(file.binary[: file.json["bufferViews"][0]["byteLength"]])
    said = extent_of(data).attributes
    head = bytes([said[0].kind, said[0].data_type, said[0].components])
    assert data.count(head) >= 1
    file.binary[data.index(head) + 2] = 64
    with pytest.raises(GltfError, match=r"attributes of at most 4 components, got 64 in number") as caught:
        lissom.load(file.glb())
    assert caught.value.code == "DRACO_STREAM_INVALID"


def test_all_that_the_decoder_takes_is_charged(monkeypatch: pytest.MonkeyPatch) -> None:
    spent: list[int] = []
    monkeypatch.setattr(
        "lissom._formats.budget.Budget.spend", lambda _, count, *rest: spent.append(count), raising=True
    )
    lissom.load(sheet(9).glb())
    # 128 faces, 81 points, 88 vertices of which 7 are merged into others; no surfaces of other attributes.
    of_surface = 56 * 128 + 16 * 88 + 8 * 81
    of_attributes = 81 * (6 * 8 + 8 * 3 + 8 * 3 + 8 * 2 + 5 * 4 + 8 * 4 + 8 * 4) + 6 * 2048
    of_accessors = 4 * 81 * (3 + 3 + 2 + 4 + 4 + 4)
    assert of_surface + of_attributes + of_accessors in spent
