# SPDX-License-Identifier: MIT
"""The container: what is written comes back, and nothing but what the format allows is read."""

import json
import os
import struct
import subprocess
import sys
import time

import numpy as np
import pytest

from lissom.files import atomic, safetensors

ARRAYS = {
    "b": np.arange(6, dtype=np.float32).reshape(2, 3),
    "a": np.array([1, 2, 3], np.uint8),
    "empty": np.empty((0, 4), np.float16),
    "single": np.array(7, np.int64),
    "digits": np.frombuffer(b"0123456789", np.uint8),
}
METADATA = {"key": "value", "other": "ünïcode \U0001f9b4"}


def raw(header, data=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + data


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.safetensors"


@pytest.mark.parametrize("shape", [(0,), (0, 3), (1, 0, 4096)])
def test_nothing_but_an_empty_array_comes_back(path, shape):
    safetensors.write(path, {"a": np.empty(shape, np.float32)}, {})
    arrays, _ = safetensors.read(path)
    assert arrays["a"].shape == shape


def test_comes_back_as_written(path):
    safetensors.write(path, ARRAYS, METADATA)
    arrays, metadata = safetensors.read(path)
    assert metadata == METADATA
    assert arrays.keys() == ARRAYS.keys()
    for name, array in arrays.items():
        assert array.dtype == ARRAYS[name].dtype
        assert array.shape == ARRAYS[name].shape
        np.testing.assert_array_equal(array, ARRAYS[name])
        assert not array.flags.writeable
        assert array.flags.aligned


@pytest.mark.parametrize("code", safetensors.DTYPES)
def test_every_type_comes_back(path, code):
    array = np.arange(8).astype(safetensors.DTYPES[code])
    safetensors.write(path, {"x": array}, {})
    back = safetensors.read(path)[0]["x"]
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


def test_layout_is_the_published_one(path):
    """The format's README: length, JSON, then data without holes."""
    safetensors.write(path, {"x": np.array([1.0, 2.0], np.float32)}, {"k": "v"})
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    assert header == {"__metadata__": {"k": "v"}, "x": entry()}
    assert data[8 + length :] == struct.pack("<2f", 1.0, 2.0)
    assert (8 + length) % safetensors.ALIGNMENT == 0


def test_same_input_same_bytes_in_any_order(path, tmp_path):
    other = tmp_path / "other"
    safetensors.write(path, ARRAYS, METADATA)
    safetensors.write(other, dict(reversed(ARRAYS.items())), dict(reversed(METADATA.items())))
    assert path.read_bytes() == other.read_bytes()


def test_big_endian_and_strided_arrays_are_stored_little_and_dense(path):
    array = np.arange(12, dtype=">f4").reshape(3, 4)[:, ::2]
    safetensors.write(path, {"x": array}, {})
    np.testing.assert_array_equal(safetensors.read(path)[0]["x"], array)


def test_unaligned_arrays_are_read(path):
    header = {"a": entry("U8", (1,), (0, 1)), "b": entry("F32", (1,), (1, 5))}
    path.write_bytes(raw(header, b"\x05" + struct.pack("<f", 1.5)))
    arrays, _ = safetensors.read(path)
    assert arrays["b"][0] == 1.5
    assert arrays["b"].flags.aligned


HOSTILE = {
    "nothing": (b"", "at least 8 bytes, got 0"),
    "short": (b"1234567", "at least 8 bytes, got 7"),
    "length beyond the end": (raw({}, length=1000), "got the length 1000"),
    "huge length": (struct.pack("<Q", 2**63) + b"{}", "got the length 9223372036854775808"),
    "no brace": (raw(b" {}"), "starts with '{'"),
    "not JSON": (raw(b"{nope}"), "header of JSON"),
    "not UTF-8": (raw(b'{"\xff": 1}'), "header of JSON in UTF-8"),
    "two values": (raw(b"{}{}"), "header of JSON"),
    "nested": (raw(b'{"a":' + b"[" * 100_000 + b"}"), "header of JSON"),
    "NaN": (raw(b'{"a": NaN}'), "finite numbers"),
    "huge number": (raw(b'{"a": 1' + b"0" * 5000 + b"}"), "header of JSON"),
    "name twice": (raw(b'{"a": 1, "a": 2}'), "'a' twice"),
    "inner name twice": (raw(b'{"__metadata__": {"k": "1", "k": "2"}}'), "'k' twice"),
    "metadata list": (raw({"__metadata__": []}), "object as __metadata__, got list"),
    "metadata number": (raw({"__metadata__": {"k": 1}}), "got int in 'k'"),
    "entry list": (raw({"a": []}), "dtype, shape and data_offsets"),
    "entry more": (raw({"a": {**entry(), "x": 1}}, bytes(8)), "dtype, shape and data_offsets"),
    "entry less": (raw({"a": {"dtype": "F32", "shape": [1]}}, bytes(4)), "dtype, shape and data_offsets"),
    "type": (raw({"a": entry("BF16", (2,), (0, 4))}, bytes(4)), "got 'BF16'"),
    "type list": (raw({"a": entry(["F32"])}, bytes(8)), "as dtype of 'a'"),
    "negative": (raw({"a": entry("F32", (-2,))}, bytes(8)), "whole numbers as shape"),
    "float shape": (raw({"a": entry("F32", (2.0,))}, bytes(8)), "whole numbers as shape"),
    "bool shape": (raw({"a": entry("F32", (True, 2))}, bytes(8)), "whole numbers as shape"),
    "three offsets": (raw({"a": entry(offsets=(0, 4, 8))}, bytes(8)), "ordered data_offsets"),
    "offsets turned": (raw({"a": entry(offsets=(8, 0))}, bytes(8)), "ordered data_offsets"),
    "offsets beyond": (raw({"a": entry(shape=(3,), offsets=(0, 12))}, bytes(8)), "within its 8 bytes"),
    "size": (raw({"a": entry(shape=(3,))}, bytes(8)), "12 bytes for its shape, got 8"),
    "overflow": (raw({"a": entry(shape=(2**32, 2**32), offsets=(0, 0))}), "bytes for its shape"),
    "empty beside huge": (raw({"a": entry(shape=(0, 2**63), offsets=(0, 0))}), "axes that NumPy can hold"),
    "empty beside two large": (raw({"a": entry(shape=(0, 2**31, 2**31), offsets=(0, 0))}), "axes that NumPy"),
    "axes": (raw({"a": entry(shape=(1,) * 33, offsets=(0, 4))}, bytes(4)), "at most 32 axes"),
    "hole": (raw({"a": entry(offsets=(4, 12))}, bytes(12)), "a hole before 'a'"),
    "overlap": (raw({"a": entry(), "b": entry(offsets=(4, 12))}, bytes(12)), "an overlap before 'b'"),
    "rest": (raw({"a": entry()}, bytes(9)), "1 bytes after the last"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_refuses_in_one_sentence(path, name):
    data, sentence = HOSTILE[name]
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"file\.safetensors: a safetensors file") as caught:
        safetensors.read(path)
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_every_truncation_is_refused(path):
    safetensors.write(path, ARRAYS, METADATA)
    data = path.read_bytes()
    for length in range(len(data)):
        path.write_bytes(data[:length])
        with pytest.raises(ValueError, match="a safetensors file"):
            safetensors.read(path)


def test_refuses_to_write_what_the_format_has_not(path):
    with pytest.raises(TypeError, match=r"'x' must have one of BOOL, .* got complex128"):
        safetensors.write(path, {"x": np.array([1j])}, {})
    with pytest.raises(TypeError, match="metadata must map strings to strings"):
        safetensors.write(path, {}, {"k": 1})
    with pytest.raises(TypeError, match="__metadata__"):
        safetensors.write(path, {"__metadata__": np.zeros(1)}, {})
    assert not path.exists()


def test_failed_write_leaves_the_old_file_and_nothing_else(path, monkeypatch):
    safetensors.write(path, {"x": np.zeros(3)}, {})
    old = path.read_bytes()

    def fail(*_):
        raise OSError("disk full")

    for function in ("fsync", "replace"):
        with monkeypatch.context() as patched:
            patched.setattr(os, function, fail)
            with pytest.raises(OSError, match="disk full"):
                safetensors.write(path, {"x": np.ones(3)}, {})
        assert path.read_bytes() == old
        assert list(path.parent.iterdir()) == [path]


def test_missing_folder_is_an_oserror(path):
    with pytest.raises(FileNotFoundError):
        safetensors.write(path.parent / "no" / "file", {}, {})


def test_leftovers_of_killed_writers_are_swept(path):
    stale = path.with_name(f".{path.name}.1.abcd.part")
    fresh = path.with_name(f".{path.name}.2.abcd.part")
    other = path.with_name(".other.1.abcd.part")
    for leftover in (stale, fresh, other):
        leftover.write_bytes(b"x")
    old = time.time() - 2 * atomic.STALE_SECONDS
    os.utime(stale, (old, old))
    os.utime(other, (old, old))
    safetensors.write(path, {}, {})
    assert sorted(p.name for p in path.parent.iterdir()) == sorted([path.name, fresh.name, other.name])


WRITER = """
import sys, numpy as np
from lissom.files import safetensors
print("ready", flush=True)
for i in range(10**6):
    safetensors.write(sys.argv[1], {"x": np.full(200_000, i, np.float32)}, {"i": str(i)})
"""


@pytest.mark.skipif(os.name != "posix", reason="kills a process by signal")
def test_a_killed_writer_leaves_a_whole_file(path):
    """Whatever the moment: the file is one that was written, never a mix."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(8):
        with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE) as writer:
            writer.stdout.readline()
            time.sleep(rng.uniform(0.05, 0.15))
            writer.kill()
        if path.exists():
            arrays, metadata = safetensors.read(path)
            assert (arrays["x"] == np.float32(metadata["i"])).all()
            seen.add(metadata["i"])
    assert seen
