# SPDX-License-Identifier: MIT
"""NumPy's .npz: named arrays of numbers, or texts, out of a ZIP archive, all sizes checked first.

The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Members are stored or
deflated, as `numpy.savez` and `numpy.savez_compressed` write them; nothing is ever unpickled.
"""

from __future__ import annotations

import io
import math
import struct
import warnings
import zipfile
import zlib
from collections.abc import Collection
from typing import Any, BinaryIO, NoReturn

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from lissom._base.printable import printable
from lissom._formats.budget import Budget, Refuse

__all__ = ["read_npz"]

MOST_MEMBERS = 1024
"""Most arrays of a file: an entry of the directory of 50 bytes becomes 1 KB of Python objects."""

_ENTRY = b"PK\x01\x02"  # where an entry of a ZIP archive's directory begins
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
# What zipfile raises of archives that are cut off, lie about places or sizes, or use what it does not know.
_BROKEN = (
    zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, OSError, OverflowError,
    IndexError, zlib.error, struct.error,
)  # fmt: skip
_WIDEST = 8  # bytes of a number


def read_npz(
    data: bytes, wanted: Collection[str], budget: Budget, refuse: Refuse, texts: Collection[str] = ()
) -> dict[str, NDArray[Any]]:
    """Return those of the wanted arrays that the file has, and no others.

    Parameters
    ----------
    data : bytes
        The whole file.
    wanted : collection of str
        Names, without ".npy".
    budget : Budget
        Charged with the bytes of each array before it is decoded.
    refuse : function of (place, sentence)
        Raises the reader's own error; the place is the name of an array, or empty.
    texts : collection of str
        Names of the wanted ones that hold a text each, in no axes.

    Returns
    -------
    dict of str to ndarray
        Of integers or of floating-point numbers, or a text, as they are stored; read-only.
    """

    def fault(place: str, sentence: str) -> NoReturn:
        refuse(place, sentence)
        raise AssertionError  # refuse raises

    if not data:
        fault("", "is empty, and must be a NumPy archive (.npz)")
    if data.count(_ENTRY) > MOST_MEMBERS:
        fault("", f"must have at most {MOST_MEMBERS} arrays, got more")
    arrays: dict[str, NDArray[Any]] = {}
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _BROKEN:
        fault(
            "", "must be a NumPy archive (.npz), which is a ZIP file, got another kind of file or part of one"
        )
    with archive:
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            if name not in wanted and name not in texts:
                continue
            if name in arrays:
                fault(name, "must be in the archive once, got it twice")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED) or member.flag_bits & 1:
                fault(name, "must be stored or deflated, as numpy.savez does it, got another compression")
            budget.spend(member.file_size, name, "it is compressed too much")
            try:
                content = archive.read(member)  # no more than it declares
            except _BROKEN as error:
                fault(name, f"cannot be read from the archive: {printable(str(error)) or 'it is cut off'}")
            arrays[name] = _array(content, name, refuse, is_text=name in texts)
    return arrays


def _array(content: bytes, name: str, refuse: Refuse, *, is_text: bool) -> NDArray[Any]:
    file = io.BytesIO(content)
    shape, in_columns, dtype = _header(file, name, refuse)
    if dtype.hasobject:
        refuse(name, "must hold numbers, got pickled Python objects, which are never read")
    if is_text:
        if dtype.kind != "U" or shape:
            refuse(name, f"must hold a text, got {dtype} of shape {shape}")
    elif dtype.kind not in "iuf" or dtype.itemsize > _WIDEST:
        refuse(name, f"must hold numbers, got {dtype}")
    count, size = math.prod(shape), len(content) - file.tell()
    if any(axis < 0 for axis in shape) or count * dtype.itemsize != size:
        refuse(name, f"must hold the bytes of shape {shape}, got {size} bytes of {dtype}")
    array = np.frombuffer(content, dtype, offset=file.tell())
    return array.reshape(shape, order="F" if in_columns else "C")


def _header(file: BinaryIO, name: str, refuse: Refuse) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return shape, whether columns come first, and type."""
    try:
        version = npy.read_magic(file)
        if version in _HEADERS:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of headers that Python 2 wrote
                return _HEADERS[version](file)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError, OverflowError):
        pass
    refuse(name, "must be an array as numpy.save writes it, got another header")
    raise AssertionError  # refuse raises
