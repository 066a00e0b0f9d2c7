# SPDX-License-Identifier: MIT
"""The container: what is written comes back, and nothing but what the format allows is read."""

import contextlib
import errno
import gc
import json
import mmap
import os
import random
import struct
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from lissom._formats import atomic, safetensors

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
    "size": (raw({"a": entry(shape=(3,))}, bytes(8)), "12 bytes for the shape of 'a', got 8"),
    "overflow": (raw({"a": entry(shape=(2**32, 2**32), offsets=(0, 0))}), "bytes for the shape of"),
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


def test_leftovers_of_an_hour_ago_are_swept(path):
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


def gone_process():
    """The number of a process that has ended."""
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        pass
    return process.pid


@pytest.mark.skipif(
    os.name != "posix", reason="Windows cannot tell whether a process runs without touching it"
)
def test_leftovers_of_processes_that_have_ended_are_swept_at_once(path):
    here, gone = atomic._host(), gone_process()
    stale = path.with_name(f".{path.name}.{gone}.{here}.abcd.part")
    kept = [
        path.with_name(f".{path.name}.{os.getpid()}.{here}.abcd.part"),  # runs
        path.with_name(f".{path.name}.{gone}.elsewhere.abcd.part"),  # of another machine
        path.with_name(f".{path.name}.{'9' * 30}.{here}.abcd.part"),  # no process
        path.with_name(f"{path.name}.{gone}.{here}.abcd.part"),  # a user's file
    ]
    for leftover in (stale, *kept):
        leftover.write_bytes(b"x")
    atomic.sweep_folder(path.parent)
    assert sorted(path.parent.iterdir()) == sorted(kept)


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="/proc tells when a process began")
def test_what_a_living_process_writes_is_never_old(path, monkeypatch):
    monkeypatch.setattr(atomic, "STALE_SECONDS", 0.0)
    here = atomic._host()
    ours = path.with_name(f".{path.name}.{os.getpid()}.{here}.abcd.part")
    elsewhere = path.with_name(f".{path.name}.{os.getpid()}.elsewhere.abcd.part")
    reused = path.with_name(f".{path.name}.{os.getpid()}.{here}.dcba.part")  # older than this process
    for leftover in (ours, elsewhere, reused):
        leftover.write_bytes(b"x")
    os.utime(elsewhere, (time.time() - 10, time.time() - 10))
    os.utime(reused, (1e9, 1e9))
    safetensors.write(path, {}, {})
    assert sorted(path.parent.iterdir()) == sorted([path, ours])


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
def test_a_file_that_is_replaced_keeps_its_permissions(path):
    for mode in (0o640, 0o444, 0o666):
        safetensors.write(path, {"x": np.zeros(mode)}, {})
        path.chmod(mode)
        safetensors.write(path, {"x": np.ones(3)}, {})
        assert path.stat().st_mode & 0o777 == mode
        np.testing.assert_array_equal(safetensors.read(path)[0]["x"], np.ones(3))


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_what_replaces_a_file_is_private_until_it_is_whole(path, mode, monkeypatch):
    path.write_bytes(b"old")
    path.chmod(mode)
    modes = []

    def note():
        (temporary,) = path.parent.glob(".*.part")
        modes.append(temporary.stat().st_mode & 0o777)

    def chunks():
        note()
        yield b"new"
        note()

    change = os.chmod
    monkeypatch.setattr(os, "chmod", lambda *arguments: [note(), change(*arguments)])  # and just before
    atomic.write_atomically(path, chunks())
    assert modes == [0o600] * 3
    assert path.stat().st_mode & 0o777 == mode
    assert path.read_bytes() == b"new"


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
@pytest.mark.parametrize(("mask", "mode"), [(0o022, 0o644), (0o077, 0o600)])
def test_a_new_file_has_the_permissions_of_any_new_file(path, mask, mode):
    old = os.umask(mask)
    try:
        atomic.write_atomically(path, [b"new"])
    finally:
        os.umask(old)
    assert path.stat().st_mode & 0o777 == mode


@pytest.mark.skipif(os.name != "posix", reason="permissions and links of POSIX")
@pytest.mark.parametrize("is_there", [True, False])
def test_a_link_stays_and_what_it_leads_to_is_replaced(path, tmp_path, is_there):
    (tmp_path / "store").mkdir()
    real = tmp_path / "store" / "real"
    if is_there:
        real.write_bytes(b"old")
    (tmp_path / "second").symlink_to("store/real")
    path.symlink_to("second")
    safetensors.write(path, {"x": np.ones(3)}, {})
    assert path.is_symlink()
    assert (tmp_path / "second").is_symlink()
    assert not real.is_symlink()
    assert real.read_bytes() == path.read_bytes() != b"old"
    assert [one.name for one in (tmp_path / "store").iterdir()] == ["real"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_not_replaced(path):
    os.mkfifo(path)
    with pytest.raises(OSError, match="it is a pipe, a socket or a device, not a file") as caught:
        safetensors.write(path, {}, {})
    assert caught.value.filename == str(path)
    assert path.is_fifo()
    assert list(path.parent.iterdir()) == [path]


def test_the_longest_name_of_a_file_can_be_written(path):
    long = path.with_name("n" * 255)
    other = path.with_name("n" * 254 + "m")
    leftover = path.with_name(f"{atomic._stem(other.name)}.1.abcd.part")
    leftover.write_bytes(b"x")
    os.utime(leftover, (0, 0))
    safetensors.write(long, {}, {})
    assert sorted(path.parent.iterdir()) == sorted([long, leftover])  # that of another target
    safetensors.write(other, {}, {})
    assert sorted(path.parent.iterdir()) == sorted([long, other])


LARGE = {"x": np.arange(safetensors.LEAST_MAPPED, dtype=np.float32)}
mapped = pytest.mark.skipif(not safetensors.CAN_REPLACE_MAPPED, reason="files are read whole on this system")


def map_of(array):
    while isinstance(array, np.ndarray):
        array = array.base
    return array.obj if isinstance(array, memoryview) else array


@mapped
def test_a_large_file_is_mapped_and_the_map_ends_with_the_last_view(path):
    safetensors.write(path, {**LARGE, "y": np.ones(3)}, {})
    arrays, _ = safetensors.read(path)
    view = map_of(arrays["x"])
    assert isinstance(view, mmap.mmap)
    part = arrays.pop("y")[1:]
    del arrays
    gc.collect()
    assert not view.closed
    np.testing.assert_array_equal(part, [1, 1])
    with pytest.raises(BufferError):
        view.close()  # the part still needs it
    del part
    gc.collect()
    view.close()


@mapped
def test_mapped_arrays_outlive_the_replacement_and_the_removal_of_their_file(path):
    safetensors.write(path, LARGE, {})
    arrays, _ = safetensors.read(path)
    safetensors.write(path, {"x": -arrays["x"]}, {})
    np.testing.assert_array_equal(arrays["x"], LARGE["x"])
    newer, _ = safetensors.read(path)
    np.testing.assert_array_equal(newer["x"], -LARGE["x"])
    path.unlink()
    np.testing.assert_array_equal(newer["x"], -LARGE["x"])


def test_arrays_are_saved_over_the_file_they_are_views_of(path):
    safetensors.write(path, LARGE, {"k": "v"})
    before = path.read_bytes()
    safetensors.write(path, *safetensors.read(path))
    assert path.read_bytes() == before


@mapped
def test_a_file_that_becomes_shorter_while_being_opened_is_refused(path, monkeypatch):
    safetensors.write(path, LARGE, {})
    parse = safetensors._parse

    def cut(*arguments):
        os.truncate(path, safetensors.LEAST_MAPPED)
        return parse(*arguments)

    monkeypatch.setattr(safetensors, "_parse", cut)
    with pytest.raises(ValueError, match="it changed while being read"):
        safetensors.read(path)


def test_truncations_of_a_mapped_file_are_refused(path):
    safetensors.write(path, LARGE, {})
    size = path.stat().st_size
    rng = random.Random(0)
    for length in sorted({*rng.sample(range(size), 200), safetensors.LEAST_MAPPED, size - 1}, reverse=True):
        os.truncate(path, length)
        with pytest.raises(ValueError, match="a safetensors file"):
            safetensors.read(path)


# --- writers that cannot, or are killed ---

SMALL = {"x": np.zeros(3)}


def refused_write(path, code):
    """Write more than there is room for; the old file is whole, nothing else is there."""
    old = path.read_bytes()
    with pytest.raises(OSError, match=os.strerror(code)) as caught:
        safetensors.write(path, LARGE, {})
    assert caught.value.filename == os.fspath(path)
    assert path.read_bytes() == old
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.skipif(os.name != "posix", reason="limits of a process")
def test_a_limit_on_file_sizes_leaves_the_old_file(path):
    import resource

    safetensors.write(path, SMALL, {})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        refused_write(path, errno.EFBIG)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no device that is always full")
def test_a_full_disk_leaves_the_old_file(path, monkeypatch):
    safetensors.write(path, SMALL, {})
    opened = open

    def full(name, mode, **options):
        opened(name, mode, **options).close()  # the name is taken, as on a disk without room for bytes
        return opened("/dev/full", "wb")

    monkeypatch.setattr(atomic, "open", full, raising=False)
    refused_write(path, errno.ENOSPC)


@pytest.mark.skipif(sys.platform != "linux", reason="a file system of its own, without privileges")
def test_a_full_file_system_leaves_the_old_file(tmp_path):
    code = f"""
import numpy as np, os, sys
from lissom._formats import safetensors
path = {str(tmp_path)!r} + "/file"
safetensors.write(path, {{"x": np.zeros(3)}}, {{}})
old = open(path, "rb").read()
try:
    safetensors.write(path, {{"x": np.zeros(10**6)}}, {{}})
except OSError as error:
    print(error)
print(open(path, "rb").read() == old, os.listdir({str(tmp_path)!r}))
"""
    command = ["unshare", "-rm", "sh", "-c", 'mount -t tmpfs -o size=64k x "$0" && exec "$1" -c "$2"']
    try:
        done = subprocess.run([*command, tmp_path, sys.executable, code], capture_output=True, text=True)
    except FileNotFoundError:
        pytest.skip("unshare is not there")
    if done.returncode and "lissom" not in done.stderr:
        pytest.skip(f"no file system of one's own here: {done.stderr.strip()}")
    assert done.stdout.splitlines() == [
        f"[Errno 28] No space left on device: '{tmp_path}/file'",
        "True ['file']",
    ]


@pytest.mark.skipif(os.name != "posix", reason="permissions of folders")
def test_a_folder_that_may_not_be_written_to_leaves_the_old_file():
    with tempfile.TemporaryDirectory() as folder:  # pytest's own lie in one that others may not enter
        path = Path(folder) / "file"
        safetensors.write(path, SMALL, {})
        path.parent.chmod(0o555)
        is_root = os.geteuid() == 0  # who may write anywhere
        if is_root:
            os.seteuid(65534)  # nobody
        try:
            refused_write(path, errno.EACCES)
        finally:
            if is_root:
                os.seteuid(0)
            path.parent.chmod(0o755)


WRITER = """
import sys, numpy as np
from lissom._formats import safetensors
print("ready", flush=True)
for i in range(10**6):
    safetensors.write(sys.argv[1], {"x": np.full(200_000, i, np.float32)}, {"i": str(i)})
"""


@pytest.mark.skipif(os.name != "posix", reason="kills a process by signal")
def test_a_killed_writer_leaves_a_whole_file(path):
    """Whatever the moment: the file is one that was written, never a mix, and the next writer tidies up."""
    rng = random.Random(0)
    kills = int(os.environ.get("LISSOM_KILLS", "8"))  # `make soak` asks for more
    seen, leftovers = set(), 0
    for _ in range(kills):
        with subprocess.Popen([sys.executable, "-c", WRITER, path], stdout=subprocess.PIPE) as writer:
            try:
                writer.stdout.readline()
                # Wait by looking at what is written: some files, then a part of the next one.
                for _ in range(rng.randrange(1, 6)):
                    wait_for_change(path)
                deadline = time.perf_counter() + rng.uniform(0, 0.01)
                while time.perf_counter() < deadline:
                    pass
            finally:  # else the way out would wait for it
                writer.kill()
        arrays, metadata = safetensors.read(path)
        assert (arrays["x"] == np.float32(metadata["i"])).all()
        seen.add(metadata["i"])
        leftovers += len(list(path.parent.iterdir())) - 1
        atomic.sweep_folder(path.parent)
        assert list(path.parent.iterdir()) == [path]
    assert seen
    assert leftovers or kills < 100  # some writers were in the midst of it


def wait_for_change(path):
    def stamp():
        with contextlib.suppress(FileNotFoundError):
            return path.stat().st_ino, path.stat().st_mtime_ns
        return None

    before = stamp()
    give_up = time.monotonic() + 60
    while stamp() == before:
        assert time.monotonic() < give_up, "the writer writes nothing"


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="asks the system to leave an ended process as it is")
def test_leftovers_of_a_process_that_nobody_has_taken_back_are_swept(tmp_path):
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)  # over, but still there
        for number in (process.pid, os.getpid()):
            (tmp_path / f".bake.safetensors.{number}.{atomic._host()}.12345678.part").touch()
        atomic.sweep_folder(tmp_path)
        left = [path.name.split(".")[3] for path in tmp_path.iterdir()]
    assert left == [str(os.getpid())]
