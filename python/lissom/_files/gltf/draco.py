# SPDX-License-Identifier: MIT
"""Primitives that Draco compressed (KHR_draco_mesh_compression), decoded by DracoPy: the extra ``draco``."""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from lissom._base.extras import how_to_install, require
from lissom._files.gltf.accessors import Accessors, Values
from lissom._files.gltf.buffers import Bytes
from lissom._files.gltf.codes import DTYPES, TRIANGLES
from lissom._files.gltf.compressed_views import TOO_MUCH_COMPRESSED
from lissom._files.gltf.log import refuse
from lissom._files.gltf.schema import DracoPrimitive, Primitive
from lissom._formats.draco import DracoAttribute, DracoExtent, DracoSeamed

EXTENSION = "KHR_draco_mesh_compression"

# What DracoPy 2.2 takes at most while it decodes. For each face: its corners, what is opposite to them, their
# points, the face, and a symbol. For each vertex that it makes: a corner, a valence, its first value and the
# corner of that. For each point: a corner of it, twice while they are collected.
_BYTES_PER_FACE = 56
_BYTES_PER_VERTEX = 16
_BYTES_PER_POINT = 8
# For each set of attributes with a surface of its own: of each face its corners and bits, of each edge at
# which it ends a corner, twice while they are collected, of each value two places, a corner and a point.
_BYTES_PER_SEAMED_FACE = 13
_BYTES_PER_SEAM = 8
_BYTES_PER_SEAMED_VALUE = 20
# For each attribute, and for each of its points: maps from points to values, of it and of its integers.
_BYTES_PER_ATTRIBUTE = 2048
_BYTES_PER_MAPPED_POINT = 8
_BYTES_PER_INTEGER = 4  # that is decoded first, whatever it becomes
# For each byte of metadata, which may be as many empty dictionaries.
_BYTES_PER_METADATA = 128
# For each component that an accessor names, in its type.
_BYTES_PER_RETURNED = 4

_DRACO_BYTE = 2  # draco::DataType: returned as bytes, all others as four bytes each
_FLOAT_KINDS = (9, 10)  # draco::DataType: float32 and float64


@dataclass(slots=True)
class DecodedPrimitive:
    """What a stream holds of a primitive.

    Attributes
    ----------
    values : dict of int to ndarray, shapes (vertex, component)
        For the accessor of each compressed attribute its elements, in the accessor's type.
    corners : ndarray of uint32, shape (3 * triangle,)
    """

    values: dict[int, Values]
    corners: NDArray[np.uint32]


def is_installed() -> bool:
    """Whether DracoPy can be imported."""
    return importlib.util.find_spec("DracoPy") is not None


def refuse_missing(pointer: str) -> NoReturn:
    """Refuse what DracoPy would decode, and say how to install it."""
    refuse(
        "UNSUPPORTED_EXTENSION",
        pointer,
        f'it is compressed with {EXTENSION}, whose decoder DracoPy is in the extra "draco":'
        f" {how_to_install('draco')}; or export it without compression",
    )


def stream_of(told: DracoPrimitive, accessors: Accessors, pointer: str) -> Bytes:
    """Return the stream of a primitive, counted as compressed."""
    if not is_installed():
        refuse_missing(pointer)
    stream = accessors.view_array(told.bufferView, f"{pointer}/bufferView")
    accessors.budget.add_compressed(len(stream))
    accessors.compression.add(EXTENSION)
    return stream


def decode(
    stream: Bytes, told: DracoPrimitive, primitive: Primitive, accessors: Accessors, pointer: str
) -> DecodedPrimitive:
    """Decode the stream of a primitive; refuse one that is not what the primitive's accessors say."""
    count = int(accessors.count[primitive.attributes["POSITION"]])
    try:
        extent = DracoExtent.of(stream, accessors.budget.left)
    except ValueError as error:
        refuse("DRACO_STREAM_INVALID", pointer, str(error))
    _check_extent(extent, count, primitive, accessors, pointer)
    if extent.is_whole:
        _check_attributes(extent, told, primitive, accessors, pointer)
    _spend(extent, told, primitive, accessors, pointer)
    mesh = _mesh(stream, pointer)
    attributes = {attribute["unique_id"]: attribute for attribute in mesh.attributes}
    values = {}
    for name in _named(told, primitive):
        place = f"{pointer}/attributes/{name}"
        values[primitive.attributes[name]] = _in_type_of(
            attributes[told.attributes[name]], primitive.attributes[name], count, accessors, place
        )
    corners: NDArray[np.uint32] = np.ascontiguousarray(mesh.faces, np.uint32).reshape(-1)
    _check_corners(corners, extent, count, pointer)
    return DecodedPrimitive(values, corners)


def _named(told: DracoPrimitive, primitive: Primitive) -> list[str]:
    """Return the attributes that the stream holds and the primitive has; others are not read."""
    return [name for name in told.attributes if name in primitive.attributes]


def _check_extent(
    extent: DracoExtent, count: int, primitive: Primitive, accessors: Accessors, pointer: str
) -> None:
    """Refuse a stream whose counts are not those of the accessors, before it is decoded."""
    if extent.is_whole and extent.points != count:
        refuse(
            "DRACO_STREAM_INVALID",
            pointer,
            f"the stream must hold {count} vertices, as POSITION has, got {extent.points} in {extent.faces}"
            " triangles",
        )
    if primitive.indices >= 0 and primitive.mode == TRIANGLES:
        accessors.check_index(primitive.indices, f"{pointer}/indices")
        indices = int(accessors.count[primitive.indices])
        if 3 * extent.faces != indices:
            refuse(
                "DRACO_STREAM_INVALID",
                pointer,
                f"the stream must hold the {indices} indices of the primitive's accessor, got"
                f" {3 * extent.faces}",
            )


def _check_attributes(
    extent: DracoExtent, told: DracoPrimitive, primitive: Primitive, accessors: Accessors, pointer: str
) -> None:
    """Refuse attributes that are not what the accessors that name them hold, before decoding."""
    by_number = {attribute.number: attribute for attribute in extent.attributes}
    for name in _named(told, primitive):
        number = told.attributes[name]
        if number not in by_number:
            refuse(
                "DRACO_STREAM_INVALID",
                f"{pointer}/attributes/{name}",
                f"the stream must have an attribute of the number {number}, got {sorted(by_number)}",
            )
        components = int(accessors.components[primitive.attributes[name]])
        if by_number[number].components != components:
            refuse(
                "DRACO_STREAM_INVALID",
                f"{pointer}/attributes/{name}",
                f"the stream must hold elements of {components} components, as the accessor says, got"
                f" {by_number[number].components}",
            )


def _spend(
    extent: DracoExtent, told: DracoPrimitive, primitive: Primitive, accessors: Accessors, pointer: str
) -> None:
    """Charge what decoding takes: the surface, and all attributes of the stream, whatever names them.

    Tables of symbols, at most 7 MiB, one after another, are among what nobody is charged for.
    """
    returned = sum(int(accessors.components[primitive.attributes[name]]) for name in _named(told, primitive))
    surface = (
        _BYTES_PER_FACE * extent.faces
        + _BYTES_PER_VERTEX * extent.most_vertices
        + _BYTES_PER_POINT * extent.points
        + sum(map(partial(_bytes_of_seamed, extent), extent.seamed))
    )
    attributes = (
        _BYTES_PER_ATTRIBUTE * len(extent.attributes)
        + _BYTES_PER_RETURNED * returned * extent.points
        + sum(map(_bytes_of_point, extent.attributes)) * extent.points
    )
    cost = surface + attributes + _BYTES_PER_METADATA * extent.metadata
    # What is not whole takes more than is left, of which this is a part.
    least = 0 if extent.is_whole else accessors.budget.left + 1
    accessors.budget.spend(max(cost, least), pointer, TOO_MUCH_COMPRESSED)


def _bytes_of_seamed(extent: DracoExtent, seamed: DracoSeamed) -> int:
    """Return what the surface of one set of attributes takes."""
    return (
        _BYTES_PER_SEAMED_FACE * extent.faces
        + _BYTES_PER_SEAM * (extent.borders + seamed.seams)
        + _BYTES_PER_SEAMED_VALUE * max(seamed.values, extent.most_vertices)
    )


def _bytes_of_point(attribute: DracoAttribute) -> int:
    """Return what an attribute of one point takes: as integers, decoded, returned, or two of these."""
    size = attribute.component_size
    returned = 1 if attribute.data_type == _DRACO_BYTE else 4
    most = max(_BYTES_PER_INTEGER + size, size + returned, 2 * returned)
    return _BYTES_PER_MAPPED_POINT + most * attribute.components


def _mesh(stream: Bytes, pointer: str) -> Any:
    """Decode a stream; its errors, of whatever kind, become one."""
    draco = require("DracoPy", "draco", "lissom.load")
    try:
        mesh = draco.decode(stream.tobytes())
    except Exception as error:  # the decoder does not say why: whatever its wrapper raises, MemoryError too
        refuse(
            "DRACO_STREAM_INVALID",
            pointer,
            f"the stream must decode, got {error!s:.200}; it is cut off or damaged",
        )
    if not hasattr(mesh, "faces"):
        refuse("DRACO_STREAM_INVALID", pointer, "the stream must hold triangles, got points alone")
    return mesh


def _in_type_of(
    attribute: dict[str, Any], index: int, count: int, accessors: Accessors, pointer: str
) -> Values:
    """Return the elements of an attribute in the type of its accessor."""
    found: Values | None = attribute["data"]
    components = int(accessors.components[index])
    shape = (0, attribute["num_components"]) if found is None else found.shape
    if found is None or shape != (count, components):
        refuse(
            "DRACO_STREAM_INVALID",
            pointer,
            f"the stream must hold {count} elements of {components} components, as the accessor says, got"
            f" {shape[0]} of {shape[1]}",
        )
    dtype = np.dtype(DTYPES.get(int(accessors.component_type[index]), "<f4"))
    values: Values = found
    if dtype.kind != "f":
        if attribute["data_type"] in _FLOAT_KINDS:
            refuse(
                "DRACO_STREAM_INVALID",
                pointer,
                f"the stream must hold {accessors.describe(index)}, as the accessor says, got floats",
            )
        # Signed integers come as floats, and normalised ones as fractions of the largest.
        if values.dtype.kind == "f":
            is_whole = (values == np.rint(values)).all() and np.abs(values).max(initial=0) > 1
            if accessors.normalized[index] and not is_whole:
                values = np.rint(values * np.iinfo(dtype).max)
        limits = np.iinfo(dtype)
        if values.size and not (limits.min <= values.min() and values.max() <= limits.max):
            refuse(
                "DRACO_STREAM_INVALID",
                pointer,
                f"the stream must hold {accessors.describe(index)}, as the accessor says, got numbers from"
                f" {values.min():g} to {values.max():g}",
            )
    values = values.astype(dtype, copy=False)
    values.flags.writeable = False
    return values


def _check_corners(corners: NDArray[np.uint32], extent: DracoExtent, count: int, pointer: str) -> None:
    if len(corners) != 3 * extent.faces or int(corners.max(initial=0)) >= count:
        refuse(
            "DRACO_STREAM_INVALID",
            pointer,
            f"the stream must hold {extent.faces} triangles of {count} vertices, as its head says, got"
            f" {len(corners) // 3} with indices to {corners.max(initial=0)}",
        )
