# SPDX-License-Identifier: MIT
"""What a Draco stream decodes to: faces, points and values of attributes, counted by the core.

The decoder allocates what a stream says: readers ask here first. ``src/core/compression/draco_stream.h`` says
what is refused.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lissom import _core

__all__ = ["DracoAttribute", "DracoExtent", "DracoSeamed"]

# Bytes of a component by draco::DataType, from 1: integers of 8 to 64 bits, floats, bool.
_SIZES = (1, 1, 2, 2, 4, 4, 8, 8, 4, 8, 1)


class DracoSeamed(NamedTuple):
    """What a stream holds of the surface of one set of attributes.

    Attributes
    ----------
    seams : int
        Edges between two faces where its values differ.
    values : int
        Of each of its attributes.
    """

    seams: int
    values: int


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
        At most 4.
    values : int
        Different ones, at most as many as points.
    """

    number: int
    kind: int
    data_type: int
    components: int
    values: int

    @property
    def component_size(self) -> int:
        """Bytes of a component."""
        return _SIZES[self.data_type - 1]


class DracoExtent(NamedTuple):
    """What a stream of triangles decodes to.

    Attributes
    ----------
    is_whole : bool
        False where what it says takes more memory than was allowed, and only that was read of it: the faces,
        and how many are seamed, or all but the values.
    faces : int
    points : int
        Different in place or any attribute: the vertices of the mesh.
    vertices : int
        Different places.
    most_vertices : int
        That are made while the surface is put together; some are merged into others.
    borders : int
        Edges of one face.
    seamed : list of DracoSeamed
        Of each set of attributes with a surface of its own.
    attributes : list of DracoAttribute
    metadata : int
        Bytes of texts that describe the mesh.
    left : int
        Bytes behind the last that is decoded.
    """

    is_whole: bool
    faces: int
    points: int
    vertices: int
    most_vertices: int
    borders: int
    seamed: list[DracoSeamed]
    attributes: list[DracoAttribute]
    metadata: int
    left: int

    @classmethod
    def of(cls, stream: NDArray[np.uint8], most_bytes: int) -> DracoExtent:
        """Walk a stream, in at most so much memory; ValueError, one sentence, where it cannot be decoded."""
        told = _core.draco_extent(stream, max(most_bytes, 0))
        seamed = [DracoSeamed(*one) for one in told[6]]
        attributes = [DracoAttribute(*one) for one in told[7]]
        return cls(*told[:6], seamed, attributes, *told[8:])
