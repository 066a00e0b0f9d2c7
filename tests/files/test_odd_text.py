# SPDX-License-Identifier: MIT
"""Text that is not UTF-8, halves of surrogate pairs, endless numbers and brackets: one error for each."""

import json
import struct
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import lissom
from lissom._jobs import records
from lissom._jobs.manifest import _Manifest
from lissom.cli import job_file
from lissom.errors import GltfError

DIGITS = b"1" * 5000
HALF = b'"\\ud800"'  # of a surrogate pair
GLTF = {  # members, and whether a load that is not strict reads them
    "a name": (b'"nodes":[{"name":"\xff"}]', True),
    "extras": (b'"extras":"\xff"', False),
    "a key": (b'"\xff":1', False),
    "a mark": (b'"scenes":[{"extras":{"lissom":{"joints":"\xff"}}}]', False),
    "half a pair in a name": (b'"nodes":[{"name":' + HALF + b"}]", True),
    "half a pair in extras": (b'"extras":' + HALF, True),
    "digits in a translation": (b'"nodes":[{"translation":[' + DIGITS + b",0,0]}]", True),
    "digits in an index": (b'"nodes":[{"mesh":' + DIGITS + b"}]", True),
    "digits in extras": (b'"extras":' + DIGITS, False),
    "an exponent in extras": (b'"extras":1e5000', False),
    "brackets": (b'"extras":' + b"[" * 100_000, True),
    "NaN": (b'"extras":NaN', True),
}


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", GLTF)
def test_a_gltf_is_refused_by_its_own_error(name: str, strict: bool, tmp_path: Path) -> None:
    members, is_read = GLTF[name]
    path = tmp_path / "odd.gltf"
    path.write_bytes(b'{"asset":{"version":"2.0"},' + members + b"}")
    if not (strict or is_read):
        lissom.load(path)  # what is not read does not matter
        return
    with pytest.raises(GltfError) as caught:
        lissom.load(path, strict=strict)
    assert str(caught.value).startswith(str(path))
    assert caught.value.code
    assert len(caught.value.message) < 300
    assert "\n" not in caught.value.message


def safetensors(header: bytes) -> bytes:
    return struct.pack("<Q", len(header)) + header


def metadata(**strings: str) -> bytes:
    return safetensors(json.dumps({"__metadata__": strings}).encode())


BAKES = {
    "half a pair in metadata": (safetensors(b'{"__metadata__":{"format":' + HALF + b"}}"), "surrogate pair"),
    "half a pair in a key": (safetensors(b'{"__metadata__":{' + HALF + b':""}}'), "surrogate pair"),
    "half a pair as a name": (
        safetensors(b"{" + HALF + b':{"dtype":"U8","shape":[0],"data_offsets":[0,0]}}'),
        "surrogate pair",
    ),
    "a whole pair": (metadata(format="\U0001f9b4"), "not a bake: its format must be 'lissom.pose_texture'"),
    "digits": (safetensors(b'{"a":' + DIGITS + b"}"), "header of JSON"),
    "brackets": (safetensors(b'{"a":' + b"[" * 100_000 + b"}"), "header of JSON"),
    "a long format": (metadata(format="\x1b\n" + "f" * 100_000), "its format must be 'lissom.pose_texture'"),
    "a GLB": (b"glTF\2\0\0\0\x20\0\0\0", "this is a GLB, not a bake: lissom.load reads it"),
    "a glTF": (b'{"asset":{"version":"2.0"}}', "this is the text of a model, not a bake: lissom.load reads"),
    "a BVH": (b"HIERARCHY\nROOT a", "this is the text of a model, not a bake: lissom.load reads it"),
}


@pytest.mark.parametrize("name", BAKES)
def test_a_bake_is_refused_by_a_value_error(name: str, tmp_path: Path) -> None:
    data, sentence = BAKES[name]
    path = tmp_path / "odd.safetensors"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"odd\.safetensors") as caught:
        lissom.load_bake(path)
    assert type(caught.value) is ValueError
    assert sentence in str(caught.value)
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 1100


@pytest.fixture
def usual_recursion_limit() -> Iterator[None]:
    """Python's own: mypy, which other tests run in this process, raises it for good."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(limit)


JOBS = {
    "not UTF-8": b'a = "\xff"',
    "half a pair": b"a = " + HALF,
    "digits": b"a = " + DIGITS,
    "brackets": b"a = " + b"[" * 100_000,
    "some brackets": b"a = " + b"[" * 2000 + b"]" * 2000,
    "tables in tables": b"a = " + b"{a = " * 5000,
    "a dotted key": b"a" + b".a" * 100_000 + b" = 1",
    "a dotted key between odd strings": b'"\\"".a' + b".a" * 100_000 + b'."b" = 1',
    "a dotted key after a comment": b'# """\na' + b".a" * 100_000 + b' = 1\n# """',
    "a dotted key after four quotation marks": b'a = ["""b"""", {a' + b".a" * 100_000 + b' = 1}, "c"]',
}


@pytest.mark.usefixtures("usual_recursion_limit")
@pytest.mark.parametrize("name", JOBS)
def test_a_job_file_is_refused_by_a_value_error(name: str, tmp_path: Path) -> None:
    path = tmp_path / "odd.toml"
    path.write_bytes(JOBS[name])
    with pytest.raises(ValueError, match=r"odd\.toml: (must be a TOML file: |needs \d+ MiB )") as caught:
        job_file.read(path, tmp_path, lissom.BakeJob)
    assert type(caught.value) is ValueError
    assert "\n" not in str(caught.value)


def test_a_job_file_of_ten_thousand_jobs_is_read(tmp_path: Path) -> None:
    path = tmp_path / "many.toml"
    job = '[[job]]\nsource = "characters/fox.glb" # "quoted"\nname = \'animals/fox.{0}\'\n'
    path.write_text("".join(job.format(number) for number in range(10_000)))
    assert len(job_file.read(path, tmp_path, lissom.BakeJob)) == 10_000


LISTS = [b"[" * 100_000, b'{"bakes":' + DIGITS + b"}", b'{"bakes":[{"name":"\xff"}]}']


@pytest.mark.parametrize("text", LISTS)
def test_a_list_of_bakes_that_cannot_be_read_counts_as_none(text: bytes, tmp_path: Path) -> None:
    path = tmp_path / "bakes.json"
    path.write_bytes(text)
    assert records.decoded(path, _Manifest) is None
