# SPDX-License-Identifier: MIT
"""What a Draco stream says it holds: its faces, its vertices and its attributes, read without decoding them.

The decoder allocates what a stream says: readers ask here first. Source: Google, Draco bitstream
specification 2.2, https://google.github.io/draco/spec/: header, connectivity, attributes.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom._formats.draco_sections import Sections

__all__ = ["DracoAttribute", "DracoExtent"]

_MESH = 1
_SEQUENTIAL, _EDGEBREAKER = 0, 1
_STANDARD, _VALENCE = 0, 2  # how the surface was walked
_VALENCES = 6  # that have symbols of their own
_HAS_METADATA = 0x8000
_VERSION = (2, 2)

# Bytes of a component by draco::DataType, from 1: integers of 8 to 64 bits, floats, bool.
_SIZES = (1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1)


class DracoAttribute(NamedTuple):
    """What a stream says of one attribute.

    Attributes
    ----------
    number : int
        Its unique id, by which files name it.
    kind : int
        As draco::GeometryAttribute::Type.
    data_type : int
        As draco::DataType.
    components : int
    """

    number: int
    kind: int
    data_type: int
    components: int

    @property
    def component_size(self) -> int:
        """Bytes of a component."""
        return _SIZES[self.data_type - 1]


@dataclass(frozen=True, slots=True)
class DracoExtent:
    """What a stream of triangles says it holds.

    Attributes
    ----------
    faces : int
    vertices : int
        Different places of the surface; where attributes have seams, there are more points than these.
    has_seams : bool
        False where there are as many points as vertices.
    splits : int
        Vertices that are taken while the surface is put together, beyond those that stay.
    seams : tuple of (int, bytes)
        For each attribute with an own surface, where it has seams: bits that are coded by how likely they are
        zero, in 256ths.
    attributes : tuple of DracoAttribute
    """

    faces: int
    vertices: int
    has_seams: bool
    splits: int
    seams: tuple[tuple[int, bytes], ...]
    attributes: tuple[DracoAttribute, ...]

    @classmethod
    def of(cls, stream: NDArray[np.uint8]) -> DracoExtent:
        """Walk a stream up to its attributes; ValueError, one sentence, where it cannot be."""
        sections = Sections(stream.tobytes())
        if sections.take(5) != b"DRACO":
            raise ValueError("a Draco stream must begin with DRACO; the data is none")
        major, minor, kind, method, flags = struct.unpack("<BBBBH", sections.take(6))
        if (major, minor) != _VERSION:
            raise ValueError(f"the Draco stream must be of version 2.2, got {major}.{minor}")
        if kind != _MESH or method not in (_SEQUENTIAL, _EDGEBREAKER):
            raise ValueError(f"the Draco stream must hold triangles, got kind {kind}, method {method}")
        if flags & _HAS_METADATA:
            sections.skip_metadata()
        if method == _SEQUENTIAL:
            faces, points = _pass_indices(sections)
            return cls(faces, points, False, 0, (), _attributes(sections, 0))
        faces, vertices, splits, seams = _pass_surface(sections)
        # Of each group of attributes: whose surface it is on, of vertices or corners, how that is walked.
        return cls(faces, vertices, True, splits, seams, _attributes(sections, 3))

    @property
    def most_points(self) -> int:
        """Upper bound of the points, wherever there are seams."""
        vertices = self.vertices + self.splits
        return 3 * self.faces if self.seams else vertices

    def points_by_seams(self, most: int) -> int:
        """Upper bound of the points by the seams that there are, or a larger number than `most`.

        Each edge that is a seam adds at most one point at either end. Takes 0.1 us for each edge.
        """
        points = self.vertices + self.splits
        for zero, data in self.seams:
            points += 2 * _ones(zero, data, 3 * self.faces // 2, (most - points) // 2)
            if points > most:
                break
        return min(points, self.most_points)


def _pass_indices(sections: Sections) -> tuple[int, int]:
    """Pass the triangles of a surface that was not walked; return how many, and how many points they have."""
    faces, points = sections.varint(), sections.varint()
    if 3 * faces > sections.left:
        raise ValueError(
            f"the Draco stream must have bytes for its indices, got {sections.left} for {faces} triangles"
        )
    if not sections.byte():
        sections.skip_symbols(3 * faces)
    elif points < 1 << 8:
        sections.skip(3 * faces)
    elif points < 1 << 16:
        sections.skip(6 * faces)
    elif points < 1 << 21:
        sections.skip_varints(3 * faces)
    else:
        sections.skip(12 * faces)
    return faces, points


def _pass_surface(sections: Sections) -> tuple[int, int, int, tuple[tuple[int, bytes], ...]]:
    """Pass a surface that was walked; return its triangles, vertices, splits and seams."""
    walk = sections.byte()
    if walk not in (_STANDARD, _VALENCE):
        raise ValueError(f"the Draco stream must have walked its surface by way 0 or 2, got {walk}")
    vertices, faces = sections.varint(), sections.varint()
    groups, symbols, splits = sections.byte(), sections.varint(), sections.varint()
    if not splits <= symbols <= faces:
        raise ValueError(
            f"the Draco stream must have as many symbols as its {faces} triangles at most, and splits among"
            f" them, got {symbols} and {splits}; it is damaged"
        )
    events = sections.varint()
    sections.skip_varints(2 * events)
    sections.skip(-(-events // 8))
    if walk == _STANDARD:
        sections.skip(sections.varint(64))
    sections.bits()  # which triangles the walk began with
    seams = tuple(sections.bits() for _ in range(groups))
    if walk == _VALENCE:
        for _ in range(_VALENCES):
            count = sections.varint()
            if count > faces:
                raise ValueError(
                    f"the Draco stream must have as many symbols as its {faces} triangles at most, got"
                    f" {count}; it is damaged"
                )
            sections.skip_symbols(count)
    return faces, vertices, splits, seams


def _attributes(sections: Sections, head: int) -> tuple[DracoAttribute, ...]:
    """Read what attributes there are, in groups whose heads have a length, all heads first."""
    groups = sections.byte()
    sections.skip(head * groups)
    attributes = []
    for _ in range(groups):
        count = sections.varint()
        for _ in range(count):
            kind, data_type, components, _ = sections.take(4)
            if not (1 <= data_type <= len(_SIZES) and components):
                raise ValueError(
                    f"the Draco stream must have attributes of a type from 1 to {len(_SIZES)} and of a"
                    f" component at least, got type {data_type}, {components} components; it is damaged"
                )
            attributes.append(DracoAttribute(sections.varint(), kind, data_type, components))
        sections.skip(count)  # how each is coded
    return tuple(attributes)


def _ones(zero: int, data: bytes, count: int, most: int) -> int:
    """Return how many of so many bits are ones, or a larger number than `most`.

    Source: the specification's rANS decoding, of bits: the state's remainder by 256 says what comes next.
    """
    size = (data[-1] >> 6) + 1 if data else 4
    if size > min(3, len(data)):
        return count  # the decoder refuses it
    at = len(data) - size
    state = 4096 + (int.from_bytes(data[at:], "little") & (1 << (8 * size - 2)) - 1)
    one = 256 - zero & 255
    found = 0
    for _ in range(count):
        if state < 4096 and at:
            at -= 1
            state = state << 8 | data[at]
        whole = (state >> 8) * one
        rest = state & 255
        if rest < one:
            state = whole + rest
            found += 1
            if found > most:
                break
        else:
            state -= whole + one
    return found
