# SPDX-License-Identifier: MIT
"""The safetensors container: named arrays and strings in one file.

Eight bytes hold the header's length, little endian; the header is JSON; then the arrays' raw bytes, one after
another without holes. Format: https://github.com/huggingface/safetensors (README, "Format").
"""

from __future__ import annotations

import json
import math
import mmap
import os
import struct
import sys
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO, NoReturn

import numpy as np
import numpy.typing as npt

from lissom._base.printable import MOST_MESSAGE, printable, quoted
from lissom._formats.atomic import write_atomically
from lissom._formats.budget import Budget, JsonExtent
from lissom._formats.regular_file import open_regular

__all__ = ["file_budget", "raw_bytes", "read", "write"]

DTYPES = {
    "BOOL": "|b1", "U8": "|u1", "I8": "|i1", "U16": "<u2", "I16": "<i2", "F16": "<f2", "U32": "<u4",
    "I32": "<i4", "F32": "<f4", "U64": "<u8", "I64": "<i8", "F64": "<f8",
}  # fmt: skip
"""Types of the format that NumPy has, as NumPy's; all are little endian in the file."""

NAMES = {np.dtype(code): name for name, code in DTYPES.items()}

HIGHEST_HEADER = 100_000_000
"""Most bytes of a header: the limit of the reference implementation."""

HIGHEST_SPAN = 2**63 - 1
"""Most bytes that the axes of a NumPy array may span, where axes of length 0 count as 1."""

HIGHEST_RANK = 32
"""Most axes of an array: NumPy 1's limit, far above any use."""

ALIGNMENT = 64
"""The header is padded so that the arrays start at a multiple of this: a cache line."""

LEAST_MAPPED = 65536
"""Bytes from which a file is memory-mapped. Reading fewer takes no longer, and before Python 3.13 each map
holds a file descriptor, of which a process has about a thousand."""

CAN_REPLACE_MAPPED = os.name == "posix"
"""Whether a file can be replaced while it is mapped. Windows refuses that, so files are read whole there."""

Array = npt.NDArray[Any]


def write(path: str | os.PathLike[str], arrays: Mapping[str, Array], metadata: Mapping[str, str]) -> None:
    """Write arrays and strings atomically. The same input always makes the same bytes.

    Parameters
    ----------
    path : str or path
        The file.
    arrays : mapping of str to ndarray
        Stored in C order, little endian; sorted widest type first, so that each is aligned, then by name.
    metadata : mapping of str to str
        Stored as ``__metadata__``, sorted by name.

    Raises
    ------
    TypeError
        If an array has a type that the format does not know, or a metadata value is not a string.
    OSError
        If the file cannot be written; an old one is still there.
    """
    for key, value in metadata.items():
        if not isinstance(key, str) or not isinstance(value, str):
            raise TypeError(
                f"safetensors.write: metadata must map strings to strings, got {key!r}: {value!r}"
            )
    order = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    header: dict[str, Any] = {"__metadata__": dict(sorted(metadata.items()))}
    begin = 0
    for name in order:
        array = arrays[name]
        little = array.dtype.newbyteorder("<")
        if little not in NAMES or name == "__metadata__":
            raise TypeError(
                f"safetensors.write: {name!r} must have one of {', '.join(DTYPES)}, got {array.dtype}"
            )
        end = begin + array.nbytes
        header[name] = {"dtype": NAMES[little], "shape": list(array.shape), "data_offsets": [begin, end]}
        begin = end
    text = json.dumps(header, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
    text += b" " * (-(len(text) + 8) % ALIGNMENT)

    def chunks() -> Iterator[bytes | memoryview]:
        yield struct.pack("<Q", len(text))
        yield text
        for name in order:
            yield raw_bytes(arrays[name])

    write_atomically(path, chunks())


def raw_bytes(array: Array) -> memoryview:
    """Return the bytes of an array in C order, little endian; copied only where that differs."""
    dense = np.ascontiguousarray(array)
    little = dense.astype(dense.dtype.newbyteorder("<"), copy=False)
    return little.reshape(-1).view(np.uint8).data


def read(
    path: str | os.PathLike[str], budget: Budget | None = None
) -> tuple[dict[str, Array], dict[str, str]]:
    """Open a file, with strict checks: the header is read, the arrays are views of the mapped file.

    Parameters
    ----------
    path : str or path
        The file.
    budget : Budget, optional
        The file is added to it, and what its header decodes to is charged; one of the file's own if omitted.

    Returns
    -------
    arrays : dict of str to ndarray
        Read-only views of the file's bytes, in the order of the file. They keep the map alive, and it is
        closed with the last of them.
    metadata : dict of str to str
        The strings of ``__metadata__``.

    Raises
    ------
    ValueError
        If the file breaks the format: a length that does not fit, a header that is not such JSON, a repeated
        name, an unknown type, a size that differs from the shape, arrays that overlap or leave a hole.
    OSError
        If the file cannot be opened or read.

    Notes
    -----
    The bytes of arrays are fetched from the disk when they are first accessed. Replacing the file, as `write`
    does, leaves the arrays as they are, since they belong to the old file. Truncating it in place does not:
    the process ends by SIGBUS, as with any map.
    """
    with open_regular(path) as file:
        size = os.fstat(file.fileno()).st_size
        head = file.read(8)
        if len(head) < 8:
            _refuse(path, f"must hold at least 8 bytes, got {len(head)}")
        is_json = head.startswith(b"{") and 0 not in head  # a length of eight bytes has zeros
        if is_json or head.startswith((b"glTF", b"HIERARCH")):
            what = "a GLB" if head.startswith(b"glTF") else "the text of a model"
            _refuse(path, f"was expected; this is {what}, not a bake: lissom.load reads it")
        (length,) = struct.unpack("<Q", head)
        if length > min(HIGHEST_HEADER, size - 8):
            most = min(HIGHEST_HEADER, size - 8)
            _refuse(path, f"must have a header of at most {most} bytes, got the length {length}")
        budget = file_budget(path) if budget is None else budget
        budget.add(size)
        header = _parse(path, file.read(length), budget)
        data = _contents(path, file, size)
    metadata = _strings(path, header.pop("__metadata__", {}))
    return _arrays(path, header, data, 8 + length), metadata


def file_budget(path: str | os.PathLike[str]) -> Budget:
    """Return the budget of a file that is not opened yet."""
    return Budget(0, lambda _, sentence: _refuse(path, sentence))


def _contents(path: str | os.PathLike[str], file: BinaryIO, size: int) -> bytes | mmap.mmap:
    """Return all bytes of an open file: mapped, or read where that is as fast or mapping is unsafe."""
    if size < LEAST_MAPPED or not CAN_REPLACE_MAPPED:
        file.seek(0)
        data = file.read()
        if len(data) != size:
            _refuse(path, f"must hold {size} bytes, got {len(data)}; it changed while being read")
        return data
    try:
        if sys.version_info >= (3, 13):
            return mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ, trackfd=False)
        return mmap.mmap(file.fileno(), size, access=mmap.ACCESS_READ)
    except ValueError:  # the file has become shorter since its size was read
        _refuse(path, f"must hold {size} bytes; it changed while being read")


def _refuse(path: str | os.PathLike[str], what: str) -> NoReturn:
    raise ValueError(printable(f"{os.fspath(path)}: a safetensors file {what}", MOST_MESSAGE))


def _parse(path: str | os.PathLike[str], text: bytes, budget: Budget) -> dict[str, Any]:
    extent = JsonExtent.of(text)
    # Whole as a string, each string twice while it is decoded, and each object as a list of pairs first.
    whole = (1 if text.isascii() else 4) * len(text)
    pairs = 140 * extent.keys + extent.characters
    budget.spend(whole + pairs + extent.plain_bytes, "", "its header holds too many names or numbers")
    faults: list[str] = []  # found by the hooks, whose exceptions would look like the parser's own

    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = {}
        for name, value in pairs:
            if name in result:
                faults.append(f"must use each name once, got {quoted(name)} twice")
            result[name] = value
        return result

    def constant(name: str) -> None:
        faults.append(f"must have finite numbers in its header, got {name}")

    if not text.startswith(b"{"):
        _refuse(path, f"must have a header that starts with '{{', got {text[:1]!r}")
    try:
        header = json.loads(text.decode("utf-8"), object_pairs_hook=unique, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        what = "too many nested levels" if isinstance(error, RecursionError) else str(error)
        _refuse(path, f"must have a header of JSON in UTF-8, got {what}")
    if faults:
        _refuse(path, faults[0])
    if b"\\u" in text and _has_lone_surrogates(header):
        _refuse(path, "must have names and strings that UTF-8 can hold, got half of a surrogate pair")
    assert isinstance(header, dict)  # it starts with a brace
    return header


def _has_lone_surrogates(header: dict[str, Any]) -> bool:
    """Whether a name or a string of the metadata holds one, which no text in UTF-8 can."""
    metadata = header.get("__metadata__")
    pairs = metadata.items() if isinstance(metadata, dict) else ()
    try:
        for text in (*header, *(text for pair in pairs for text in pair if isinstance(text, str))):
            text.encode()
    except UnicodeEncodeError:
        return True
    return False


def _strings(path: str | os.PathLike[str], metadata: object) -> dict[str, str]:
    if not isinstance(metadata, dict):
        _refuse(path, f"must have an object as __metadata__, got {type(metadata).__name__}")
    for key, value in metadata.items():
        if not isinstance(value, str):
            _refuse(path, f"must have strings in __metadata__, got {type(value).__name__} in {quoted(key)}")
    return metadata


def _arrays(
    path: str | os.PathLike[str], header: dict[str, Any], data: bytes | mmap.mmap, start: int
) -> dict[str, Array]:
    """Return the arrays as views of the bytes from `start` on."""
    size = len(data) - start
    entries = [(*_entry(path, name, entry, size), name) for name, entry in header.items()]
    arrays = {}
    expected = 0
    for begin, end, dtype, shape, name in sorted(entries, key=lambda entry: entry[:2]):
        if begin != expected:
            fault = "a hole" if begin > expected else "an overlap"
            _refuse(path, f"must have its arrays one after another, got {fault} before {quoted(name)}")
        expected = end
        count = (end - begin) // dtype.itemsize
        array = np.frombuffer(data, dtype, count, start + begin).reshape(shape)
        # Copied only where unaligned, or where the byte order of this machine is another.
        arrays[name] = array if array.flags.aligned else array.copy()
        arrays[name] = arrays[name].astype(dtype.newbyteorder("="), copy=False)
        arrays[name].flags.writeable = False
    if expected != size:
        _refuse(path, f"must be filled by its arrays, got {size - expected} bytes after the last")
    return arrays


def _start(value: object) -> str:
    """Return the beginning of a value for a message, without all of a large one as text first."""
    if isinstance(value, list):
        return str(value) if len(value) <= 8 else f"a list of {len(value)}"
    if isinstance(value, dict):
        return f"an object of {len(value)} members"
    return printable(str(value[:80] if isinstance(value, str) else value), 80)


def _entry(
    path: str | os.PathLike[str], name: str, entry: object, size: int
) -> tuple[int, int, np.dtype[Any], tuple[int, ...]]:
    """Check one array's entry; return begin and end of its bytes, type and shape."""

    def naturals(key: str) -> list[int]:
        values = entry.get(key) if isinstance(entry, dict) else None
        if not isinstance(values, list) or not all(type(v) is int and v >= 0 for v in values):
            _refuse(
                path, f"must have a list of whole numbers as {key} of {quoted(name)}, got {_start(values)}"
            )
        return values

    if not isinstance(entry, dict) or set(entry) != {"dtype", "shape", "data_offsets"}:
        _refuse(path, f"must have dtype, shape and data_offsets for {quoted(name)}, got {_start(entry)}")
    shape = naturals("shape")
    offsets = naturals("data_offsets")
    code = entry["dtype"]
    if not isinstance(code, str) or code not in DTYPES:
        _refuse(
            path,
            f"must have one of {', '.join(DTYPES)} as dtype of {quoted(name)}, got {quoted(_start(code))}",
        )
    if len(shape) > HIGHEST_RANK:
        _refuse(path, f"must have at most {HIGHEST_RANK} axes, got {len(shape)} in {quoted(name)}")
    if len(offsets) != 2 or not offsets[0] <= offsets[1] <= size:
        _refuse(
            path,
            f"must have ordered data_offsets within its {size} bytes, got {_start(offsets)} in "
            f"{quoted(name)}",
        )
    dtype = np.dtype(DTYPES[code])
    needed = dtype.itemsize * math.prod(shape)
    if needed != offsets[1] - offsets[0]:
        _refuse(
            path, f"must hold {needed} bytes for the shape of {quoted(name)}, got {offsets[1] - offsets[0]}"
        )
    # A huge axis beside one of length 0 passes the check of the size but would overflow in NumPy.
    if dtype.itemsize * math.prod(length or 1 for length in shape) > HIGHEST_SPAN:
        _refuse(path, f"must have axes that NumPy can hold, got {_start(shape)} in {quoted(name)}")
    return offsets[0], offsets[1], dtype, tuple(shape)
