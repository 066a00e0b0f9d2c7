# SPDX-License-Identifier: MIT
"""Files compressed by EXT_meshopt_compression and KHR_meshopt_compression."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial import cKDTree

import lissom
from bases import puppet
from conftest import asset
from gltf_files import File, arm, triangle
from lissom.errors import GltfError
from meshopt_streams import EXT, KHR, compressed, zeros
from node_tools import gltfpack, needs_node
from saved_characters import assert_same_character

FILES = {"triangle": triangle, "arm": arm, "puppet": puppet}


@pytest.mark.parametrize("extension", [EXT, KHR])
@pytest.mark.parametrize("name", FILES)
def test_a_compressed_file_is_the_plain_one(name: str, extension: str) -> None:
    plain = FILES[name]()
    file = compressed(plain, extension)
    views = [view for view in file.json["bufferViews"] if "extensions" in view]
    assert len(views) > 1
    expected = lissom.load(plain.glb())
    for data in (file.glb(), file.gltf()):
        character = lissom.load(data)
        assert character.repairs == expected.repairs
        character.repairs = ()  # which are none of what was saved
        assert_same_character(expected, character)
        if not expected.repairs:
            lissom.load(data, strict=True)


def test_the_saved_file_is_plain() -> None:
    character = lissom.load(compressed(arm()).glb())
    saved = lissom.save_glb(character)
    assert b"meshopt" not in saved
    assert_same_character(character, lissom.load(saved, strict=True))


def extension(file: File, view: int, name: str = EXT) -> dict[str, Any]:
    return file.json["bufferViews"][view]["extensions"][name]


def damaged(file: File, view: int, at: int = -1, value: int = 0x55) -> None:
    told = extension(file, view)
    place = told.get("byteOffset", 0) + (at if at >= 0 else told["byteLength"] + at)
    file.binary[place] = value


def test_a_view_that_nothing_uses_is_not_decoded() -> None:
    plain = arm()
    plain.add(np.zeros((8, 4)))
    file = compressed(plain)
    damaged(file, -1, 0)
    lissom.load(file.glb())
    file.json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = len(file.json["accessors"]) - 1
    with pytest.raises(GltfError):
        lissom.load(file.glb())


def test_fallback_data_is_not_read() -> None:
    file = compressed(arm())
    file.json["buffers"][1]["uri"] = "nowhere.bin"
    lissom.load(file.glb(), strict=False)
    lissom.load(file.glb(), strict=True)


def test_a_plain_view_of_a_fallback_buffer_has_no_data() -> None:
    file = compressed(arm())
    del file.json["bufferViews"][0]["extensions"]
    character = lissom.load(file.glb())
    assert character.mesh is None
    assert [repair.code for repair in character.repairs] == ["BUFFER_WITHOUT_DATA"]


def change(view: int, **values: Any) -> Callable[[File], None]:
    return lambda file: extension(file, view).update(values)


def cut(file: File) -> None:
    extension(file, 0)["byteLength"] -= 1


def broken_indices(file: File) -> None:
    extension(file, 1)["byteLength"] -= 1  # of triangles: the table moves


STREAM, VIEW0, VIEW1 = "MESHOPT_STREAM_INVALID", f"0/extensions/{EXT}", f"1/extensions/{EXT}"

WRONG: dict[str, tuple[Callable[[], File], Callable[[File], Any], str | None, str | None, str]] = {
    # What is made wrong: file, change, code, pointer within the view, and what is said.
    "a stream that is cut off": (triangle, cut, STREAM, VIEW0, "is cut off or damaged"),
    "triangles that are cut off": (
        triangle,
        broken_indices,
        STREAM,
        VIEW1,
        "is cut off",
    ),
    "another header": (
        triangle,
        lambda file: damaged(file, 0, 0, 0xE1),
        STREAM,
        VIEW0,
        "the first byte must be 0xa0 or 0xa1 in the mode ATTRIBUTES, got 0xe1",
    ),
    "a version of the future": (
        triangle,
        lambda file: damaged(file, 0, 0, 0xA2),
        STREAM,
        VIEW0,
        "got 0xa2",
    ),
    "another mode": (
        triangle,
        change(1, mode="INDICES"),
        STREAM,
        VIEW1,
        "must be 0xd0 or 0xd1",
    ),
    "no known mode": (triangle, change(0, mode="SPLATS"), "VALUE_NOT_IN_LIST", f"{VIEW0}/mode", "'SPLATS'"),
    "no known filter": (
        triangle,
        change(0, filter="SEPIA"),
        "VALUE_NOT_IN_LIST",
        f"{VIEW0}/filter",
        "must be NONE, OCTAHEDRAL, QUATERNION, EXPONENTIAL or COLOR, got 'SEPIA'",
    ),
    "a filter of indices": (
        triangle,
        change(1, filter="COLOR"),
        STREAM,
        VIEW1,
        "the mode TRIANGLES must have no filter, got COLOR",
    ),
    "a filter of another stride": (
        triangle,
        change(0, filter="QUATERNION"),
        STREAM,
        VIEW0,
        "the filter QUATERNION must have a stride of 8 bytes, got 12",
    ),
    "a stride of 3": (
        triangle,
        change(1, byteStride=3),
        STREAM,
        VIEW1,
        "the mode TRIANGLES must have a stride of 2 or 4 bytes, got 3",
    ),
    "a stride beyond all": (
        triangle,
        change(0, byteStride=2**40),
        "VALUE_NOT_IN_RANGE",
        f"{VIEW0}/byteStride",
        "must be at most",
    ),
    "a count beyond all": (
        triangle,
        change(0, count=2**50),
        "VALUE_NOT_IN_RANGE",
        f"{VIEW0}/count",
        "must be at most",
    ),
    "a count that the stream cannot hold": (
        triangle,
        change(0, count=10**9),
        STREAM,
        VIEW0,
        r"at least \d+ bytes for 1000000000 elements of 12 bytes, got \d+; it is cut off, or its count",
    ),
    "a count of no triangles": (
        triangle,
        change(1, count=4),
        STREAM,
        VIEW1,
        "a multiple of 3, got 4",
    ),
    "a buffer that is not there": (
        triangle,
        change(0, buffer=7),
        "UNRESOLVED_REFERENCE",
        f"{VIEW0}/buffer",
        "must be below 2",
    ),
    "data beyond its buffer": (
        triangle,
        change(0, byteOffset=10**6),
        "BUFFER_VIEW_TOO_LONG",
        f"{VIEW0}/byteLength",
        "must end within its buffer",
    ),
    "no data at all": (
        triangle,
        change(0, buffer=1, byteOffset=0, byteLength=4),
        None,
        None,
        "must have a uri or be in the BIN chunk",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_streams_are_refused_by_a_sentence(name: str) -> None:
    make, spoil, code, pointer, words = WRONG[name]
    file = compressed(make())
    spoil(file)
    with pytest.raises(GltfError, match=words) as caught:
        lissom.load(file.glb())
    if code is not None:
        assert caught.value.code == code
        assert caught.value.pointer == f"/bufferViews/{pointer}"


def test_an_index_beyond_the_vertices_is_refused() -> None:
    plain = triangle()
    plain.binary[-2:] = b"\x09\x00"
    with pytest.raises(GltfError, match="index 2 must be below 3, the number of vertices, got 9"):
        lissom.load(compressed(plain).glb())


def both(file: File) -> None:
    view = file.json["bufferViews"][0]
    view["extensions"][KHR] = view["extensions"][EXT]
    file.json["extensionsUsed"].append(KHR)


def newer(file: File) -> None:
    told = extension(file, 0)
    stream = zeros(3, 12)
    place = told.get("byteOffset", 0)
    assert len(stream) <= told["byteLength"]
    file.binary[place : place + len(stream)] = stream
    told["byteLength"] = len(stream)


MENDED: dict[str, tuple[Callable[[File], Any], str]] = {
    "both extensions": (both, "MESHOPT_TWICE"),
    "a newer stream in the older extension": (newer, "MESHOPT_NEWER_STREAM"),
    "another length": (
        lambda file: file.json["bufferViews"][0].update(byteLength=40),
        "MESHOPT_LENGTH_MISMATCH",
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_what_can_be_read_all_the_same_is_a_repair(name: str) -> None:
    spoil, code = MENDED[name]
    file = compressed(triangle())
    spoil(file)
    assert code in [repair.code for repair in lissom.load(file.glb()).repairs]
    with pytest.raises(GltfError) as caught:
        lissom.load(file.glb(), strict=True)
    assert caught.value.code == code


# Of the size: gltfpack rounds positions to 14 bits and rotations to 12. It keeps the times of keys ("-af 0").
TWIN_TOLERANCE = 1e-3
TWINS = (
    "characters/quaternius/fish_pack/Dolphin.glb",
    "characters/khronos/Fox.glb",
    "characters/godot/player.glb",
    "characters/kaykit/Knight.glb",
)
OPTIONS = {"EXT, filters": ("-cc",), "KHR, filters": ("-cz",), "floats": ("-c", "-vpf", "-vtf", "-vnf")}


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("name", TWINS)
def test_what_gltfpack_makes_of_a_character_moves_alike(name: str, options: str, tmp_path: Path) -> None:
    for mark in needs_node("gltfpack")[1:]:
        if mark.args[0]:
            pytest.skip(mark.kwargs["reason"])
    plain = lissom.load(asset(name))
    twin = lissom.load(gltfpack(asset(name), tmp_path / "twin.glb", "-kn", "-af", "0", *OPTIONS[options]))
    assert twin._compression == (KHR if "KHR" in options else EXT,)
    assert twin.mesh.triangles.size > 0.9 * plain.mesh.triangles.size  # it drops those without area
    assert set(twin.clips) == set(plain.clips)
    for clip in list(plain.clips.values())[:3]:
        for time in np.linspace(clip.start, clip.end, 3):
            vertices = plain.deform(clip.sample(time))
            again = twin.deform(twin.clips[clip.name].sample(time))
            for one, other in ((vertices, again), (again, vertices)):
                distances, _ = cKDTree(one).query(other)
                assert distances.max() < TWIN_TOLERANCE * plain.size
