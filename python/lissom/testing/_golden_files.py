# SPDX-License-Identifier: MIT
"""Files of golden values: arrays as npz, bakes as safetensors, pictures as PNG, with reproducible bytes."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from lissom._base.arrays import as_numbers
from lissom._formats.atomic import write_atomically
from lissom._formats.picture import Picture
from lissom._formats.png import png_bytes
from lissom.pose_texture._file import load_bake
from lissom.pose_texture._pose_texture import PoseTexture
from lissom.testing._bakes import assert_bakes_close
from lissom.testing._palettes import assert_palettes_close
from lissom.testing._pictures import assert_pictures_close, read_png
from lissom.testing._poses import assert_poses_close
from lissom.testing._vertices import assert_vertices_close

__all__ = ["ARRAYS", "SUFFIXES", "Kind", "kind_of"]

MEMBER = "values.npy"


class Kind(NamedTuple):
    """A kind of value: its file's suffix, and how it is converted, written, read and compared."""

    suffix: str
    stored: Callable[[Any], Any]
    write: Callable[[Path, Any], None]
    read: Callable[[Path], Any]
    comparison: Callable[[Any], Callable[..., None]]


def kind_of(value: Any) -> Kind:
    """Return the kind of a value. TypeError for a value of no kind."""
    if isinstance(value, PoseTexture):
        return BAKES
    if isinstance(value, Picture):
        return PICTURES
    array = as_numbers(value, "golden: actual")
    return PICTURES if array.dtype == np.uint8 and array.ndim in (2, 3) else ARRAYS


def _array(value: Any) -> Any:
    """Return an array as it will be read again: little endian, C order."""
    array = as_numbers(value, "golden: actual")
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<"))


def _write_array(path: Path, array: Any) -> None:
    member = io.BytesIO()
    np.lib.format.write_array(member, array, version=(1, 0), allow_pickle=False)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        entry = zipfile.ZipInfo(MEMBER)  # its date is 1980, whenever it is written
        entry.create_system = 3  # Unix, on every system
        archive.writestr(entry, member.getvalue())  # uncompressed: zlib's output depends on its version
    write_atomically(path, [file.getvalue()])


def _read_array(path: Path) -> Any:
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as archive:
            return archive[Path(MEMBER).stem]
    except (KeyError, EOFError, zipfile.BadZipFile, ValueError, TypeError) as error:
        raise ValueError(f"golden: {path} holds no golden array ({error}); renew it") from None


def _read_picture(path: Path) -> Any:
    try:
        return read_png(path)
    except (OSError, SyntaxError, ValueError) as error:  # of a file that is not a PNG, or broken
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise ValueError(f"golden: {path} holds no picture ({error}); renew it") from None


def _comparison(value: Any) -> Callable[..., None]:
    shape = np.shape(value)
    if len(shape) >= 2 and shape[-1] == 3:
        return assert_vertices_close
    if len(shape) >= 2 and shape[-1] == 10:
        return assert_poses_close
    if (len(shape) >= 3 and shape[-2:] == (4, 4)) or (len(shape) >= 2 and shape[-1] == 8):
        return assert_palettes_close
    raise ValueError(
        f"golden: compare must be passed for an array of shape {shape}, which may be anything, got None; for "
        "example compare=numpy.testing.assert_allclose"
    )


ARRAYS = Kind(".npz", _array, _write_array, _read_array, _comparison)
BAKES = Kind(
    ".safetensors",
    lambda bake: bake,
    lambda path, bake: bake.save(path),
    load_bake,
    lambda bake: assert_bakes_close,
)
PICTURES = Kind(
    ".png",
    np.asarray,
    lambda path, pixels: write_atomically(path, [png_bytes(pixels)]),
    _read_picture,
    lambda picture: assert_pictures_close,
)

SUFFIXES = tuple(kind.suffix for kind in (ARRAYS, BAKES, PICTURES))
