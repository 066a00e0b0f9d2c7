# SPDX-License-Identifier: MIT
"""What a Draco stream is said to hold, before it is decoded, beside what DracoPy decodes."""

from typing import Any

import DracoPy
import numpy as np
import pytest

import lissom
from draco_files import grid, sheet
from lissom._formats.draco import DracoExtent
from lissom.errors import GltfError

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


def extent_of(data: bytes) -> DracoExtent:
    return DracoExtent.of(np.frombuffer(data, np.uint8))


def said_of(data: bytes) -> DracoExtent | None:
    """What a damaged stream says, or None where it is refused by a sentence."""
    try:
        return extent_of(data)
    except ValueError as error:
        sentence = str(error)
    assert "Draco stream must" in sentence
    assert len(sentence) < 200
    assert "\n" not in sentence
    return None


def assert_as_decoded(data: bytes) -> DracoExtent:
    said, mesh = extent_of(data), DracoPy.decode(data)
    assert said.faces == len(mesh.faces)
    told = [(each.number, each.kind, each.data_type, each.components) for each in said.attributes]
    fields = ("unique_id", "attribute_type", "data_type", "num_components")
    assert told == [tuple(each[field] for field in fields) for each in mesh.attributes]
    assert len(mesh.points) <= said.points_by_seams(1 << 40) <= said.most_points
    return said


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seams", [False, True])
@pytest.mark.parametrize("level", range(11))
def test_attributes_are_those_that_are_decoded(level: int, seams: bool, kind: str) -> None:
    for side in (3, 40):  # the second is walked by valences from level 6 on
        for keeps_order in (False, True):
            options = {"compression_level": level, "preserve_order": keeps_order}
            said = assert_as_decoded(stream(side, kind, seams=seams, **options))
            assert said.has_seams == (level > 0 and not keeps_order)


@pytest.mark.parametrize("side", [15, 16, 256])
def test_indices_of_one_byte_of_two_and_of_several_are_passed(side: int) -> None:
    said = assert_as_decoded(stream(side, "positions", preserve_order=True))
    assert said.most_points == side * side


def test_points_are_bounded_by_the_seams_that_there_are() -> None:
    said = extent_of(stream(60, "native attributes", compression_level=7))
    assert said.most_points == 3 * said.faces
    assert 3600 <= said.points_by_seams(1 << 40) < 5000
    assert said.points_by_seams(4000) > 3999
    torn = extent_of(stream(60, "generic attributes", seams=True, compression_level=7))
    assert torn.points_by_seams(1 << 40) == 3 * torn.faces


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


def test_a_way_to_walk_that_is_not_known_is_refused() -> None:
    data = bytearray(stream(5, "positions"))
    data[11] = 1
    with pytest.raises(ValueError, match="walked its surface by way 0 or 2, got 1"):
        extent_of(bytes(data))


@pytest.mark.parametrize("level", [0, 1, 10])
@pytest.mark.parametrize("kind", KINDS)
def test_a_stream_cut_before_its_attributes_is_refused_by_a_sentence(kind: str, level: int) -> None:
    data = stream(24, kind, compression_level=level)
    whole = extent_of(data)
    for size in range(len(data)):
        if said_of(data[:size]) == whole:
            break
    assert 30 < size < len(data)
    assert said_of(data[: size + 1]) == whole


def test_mutated_streams_are_walked_or_refused() -> None:
    rng = np.random.default_rng(0)
    for level in (0, 1, 10):
        data = np.frombuffer(stream(24, "generic attributes", compression_level=level), np.uint8)[:400]
        for _ in range(300):
            changed = data.copy()
            changed[rng.integers(5, len(data), 3)] = rng.integers(0, 256, 3)
            said = said_of(changed.tobytes())
            if said is not None:
                assert said.points_by_seams(1000) >= 0


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


def test_seams_are_counted_only_where_the_most_does_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    counted: list[int] = []

    def count(_: DracoExtent, most: int) -> int:
        counted.append(most)
        return 81

    monkeypatch.setattr(DracoExtent, "points_by_seams", count)
    lissom.load(sheet().glb())
    assert counted == []
    monkeypatch.setattr(DracoExtent, "most_points", 1 << 40)
    lissom.load(sheet().glb())
    assert len(counted) == 1
