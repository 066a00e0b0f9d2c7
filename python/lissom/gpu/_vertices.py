# SPDX-License-Identifier: MIT
"""Meshes become vertex buffers: 4 or 8 influences, colours per vertex, triangles grouped by texture."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom._base.extras import require
from lissom._lod.closed_pieces import in_closed_piece
from lissom._view.color import base_colors, linear_to_srgb

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh, Texture
    from lissom.gpu._context import GlContext

__all__ = ["GpuMesh", "Group", "Influences", "grouped", "readable", "reduced_influences"]

logger = logging.getLogger("lissom.gpu")

SRGB8_ALPHA8 = 0x8C43  # GL_SRGB8_ALPHA8: fetches decode to linear light, and mipmaps are made in it

# Attributes of the vertex programs: name, moderngl format, NumPy field. Weights of crowds are bytes.
_FORMATS: dict[str, tuple[str, Any]] = {
    "position": ("3f4", ("<f4", 3)),
    "normal": ("3f4", ("<f4", 3)),
    "uv": ("2f4", ("<f4", 2)),
    "base_color": ("4f1", ("u1", 4)),
    "rows": ("4u4", ("<u4", 4)),
    "weights": ("4f4", ("<f4", 4)),
    "more_rows": ("4u4", ("<u4", 4)),
    "more_weights": ("4f4", ("<f4", 4)),
}
_PACKED_FORMATS = _FORMATS | {
    "normal": ("4i1", ("i1", 4)),  # arrives as -127 to 127; shaders normalise
    "uv": ("2f2", ("<f2", 2)),
    "rows": ("4u2", ("<u2", 4)),
    "weights": ("4f1", ("u1", 4)),
    "more_rows": ("4u2", ("<u2", 4)),
    "more_weights": ("4f1", ("u1", 4)),
}
_BYTE_ROWS: dict[str, tuple[str, Any]] = {"rows": ("4u1", ("u1", 4)), "more_rows": ("4u1", ("u1", 4))}
_WIDE_ROWS: dict[str, tuple[str, Any]] = {name: _FORMATS[name] for name in ("rows", "more_rows")}


@dataclass(frozen=True)
class Influences:
    """Influences as the shaders take them.

    Attributes
    ----------
    rows : ndarray of uint32, shape (V, 4) or (V, 8)
        Palette rows; 0 where unused.
    weights : ndarray of float32, shape (V, 4) or (V, 8)
        Rows summing to 1; 0 where unused.
    dropped : float
        The largest weight that a vertex lost by the reduction; 0 where nothing was lost.
    """

    rows: NDArray[np.uint32]
    weights: NDArray[np.float32]
    dropped: float


def reduced_influences(
    indices: NDArray[Any], weights: NDArray[Any], *, bytes_only: bool = False, most: int = 8
) -> Influences:
    """Bring influences to 4 or 8 per vertex.

    Parameters
    ----------
    indices : ndarray of int, shape (V, K)
        Palette rows.
    weights : ndarray of float, shape (V, K)
        Rows summing to 1. With more than `most` non-zero ones the largest stay and are scaled to sum to 1.
    bytes_only : bool
        Round weights to multiples of 1/255 that still sum to 1 exactly.
    most : int
        How many of them to keep at most, 1 to 8.

    Returns
    -------
    Influences
        Heaviest first; equal weights by row: shaders take the first for the pivot.
    """
    weights = _at_first_mention(np.asarray(indices), np.array(weights, np.float32))
    # Sorted, so that a vertex's unused influences lie behind and whole columns of them fall away.
    order = np.lexsort((indices, -weights), axis=1)
    rows = np.take_along_axis(np.asarray(indices, np.uint32), order, axis=1)
    weights = np.take_along_axis(weights, order, axis=1)
    used = int((weights > 0).any(axis=0).sum())
    width = 4 if min(used, most) <= 4 else 8
    dropped = 0.0
    if used > most:
        dropped = float(weights[:, most:].sum(axis=1).max())
        weights = weights[:, :most] / weights[:, :most].sum(axis=1, keepdims=True)
    count = min(width, weights.shape[1])
    padded_rows = np.zeros((len(rows), width), np.uint32)
    padded_weights = np.zeros((len(rows), width), np.float32)
    padded_rows[:, :count] = rows[:, :count]
    padded_weights[:, :count] = weights[:, :count]
    if bytes_only:
        padded_weights = (_bytes_of_weights(padded_weights) / np.float32(255)).astype(np.float32)
        order = np.lexsort((padded_rows, -padded_weights), axis=1)  # rounding has made new equals
        padded_rows = np.take_along_axis(padded_rows, order, axis=1)
        padded_weights = np.take_along_axis(padded_weights, order, axis=1)
    padded_rows[padded_weights == 0] = 0
    return Influences(padded_rows, padded_weights, dropped)


def _at_first_mention(indices: NDArray[Any], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give the whole weight of a row that a vertex names more than once to the first mention; in place."""
    for k in range(1, indices.shape[1]):
        pending = np.ones(len(indices), np.bool_)
        for first in range(k):
            same = pending & (indices[:, first] == indices[:, k])
            weights[same, first] += weights[same, k]
            weights[same, k] = 0
            pending &= ~same
    return weights


def _bytes_of_weights(weights: NDArray[np.float32]) -> NDArray[np.uint8]:
    """Return weights times 255 as integers summing to 255 per row: the largest remainders are rounded up."""
    scaled = weights.astype(np.float64) * 255
    whole = np.floor(scaled + 1e-6).astype(np.int64)
    missing = 255 - whole.sum(axis=1)
    rank = np.argsort(np.argsort(whole - scaled, axis=1, kind="stable"), axis=1, kind="stable")
    whole += rank < missing[:, None]
    return whole.astype(np.uint8)


class GpuMesh:
    """A mesh in buffers, ready for any of the vertex programs.

    Parameters
    ----------
    context : GlContext
        Owns the buffers.
    mesh : Mesh
        What to upload; it is not kept.
    packed : bool
        A third of the bytes per vertex, for crowds: weights in 1/255, normals in 1/127, uvs in half
        precision, colours as square roots, and only what some part has.
    most : int
        Influences of a vertex that are kept at most, 1 to 8. What is left out below 8 was asked for, and
        causes no warning.

    Attributes
    ----------
    influences : Influences
        As uploaded.
    vertex_count, triangle_count : int
        Sizes.
    """

    def __init__(self, context: GlContext, mesh: Mesh, *, packed: bool = False, most: int = 8) -> None:
        self._context = context
        self.vertex_count = len(mesh.positions)
        self.triangle_count = len(mesh.triangles)
        self.influences = reduced_influences(mesh.indices, mesh.weights, bytes_only=packed, most=most)
        if self.influences.dropped and most == 8:
            logger.warning(
                "drawing with the 8 largest of %d influences per vertex; the weight left out is at most %.3g",
                mesh.weights.shape[1],
                self.influences.dropped,
            )
        highest = int(self.influences.rows.max(initial=0))
        triangles, self._groups = grouped(mesh, packed)
        self.packed = packed
        self._formats = dict(_PACKED_FORMATS if packed else _FORMATS)
        if packed and highest >= 1 << 16:
            self._formats |= _WIDE_ROWS
        elif packed and highest < 1 << 8:
            self._formats |= _BYTE_ROWS
        if packed and not any(group.texture for group in self._groups):
            del self._formats["uv"]
        if self.influence_count == 4:
            for name in ("more_rows", "more_weights"):
                self._formats.pop(name, None)
        vertices = self._interleaved(mesh)
        if packed and self.vertex_count <= 1 << 16:
            triangles = triangles.astype(np.uint16)
        self._index_size = triangles.itemsize
        with context as gl:
            self._vertices = gl.buffer(vertices.tobytes() or bytes(vertices.itemsize))
            self._triangles = gl.buffer(triangles.tobytes() or bytes(12))
            textures = {id(group.texture): group.texture for group in self._groups}
            self._textures = {key: self._upload(texture) for key, texture in textures.items()}

    @property
    def surface_defines(self) -> dict[str, int]:
        """What ``surface.frag`` can leave out for this mesh."""
        return {} if any(self._textures.values()) else {"WITHOUT_TEXTURE": 1}

    @property
    def influence_count(self) -> int:
        """Influences per vertex in the buffers: 4 or 8."""
        return int(self.influences.rows.shape[1])

    @property
    def used_influence_count(self) -> int:
        """Influences that some vertex uses, 1 to 8: what shaders need to go through."""
        return max(1, int((self.influences.weights > 0).any(axis=0).sum()))

    def _interleaved(self, mesh: Mesh) -> NDArray[Any]:
        vertices = np.zeros(self.vertex_count, np.dtype([(n, *f) for n, (_, f) in self._formats.items()]))
        normals = mesh.normals if mesh.normals is not None else mesh.computed_normals()
        vertices["position"] = mesh.positions
        if vertices["normal"].dtype == np.int8:
            vertices["normal"][:, :3] = np.rint(np.clip(normals, -1, 1) * 127)
        else:
            vertices["normal"] = normals
        if mesh.uvs is not None and "uv" in self._formats:
            vertices["uv"] = mesh.uvs
        linear = base_colors(mesh)
        vertices["base_color"] = np.rint(255 * (np.sqrt(linear) if self.packed else linear_to_srgb(linear)))
        byte_weights = vertices["weights"].dtype == np.uint8
        for first, (rows, weights) in ((0, ("rows", "weights")), (4, ("more_rows", "more_weights"))):
            if rows in self._formats:
                values = self.influences.weights[:, first : first + 4]
                vertices[rows] = self.influences.rows[:, first : first + 4]
                vertices[weights] = np.rint(values * 255) if byte_weights else values
        return vertices

    def _upload(self, texture: Texture | None) -> moderngl.Texture | None:
        if texture is None:
            return None
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        try:
            pixels = texture.decode()
        except (OSError, ValueError) as error:
            logger.warning(
                "the image %r cannot be decoded (%s); drawing its plain base colour", texture.name, error
            )
            return None
        while max(pixels.shape[:2]) > gl.info["GL_MAX_TEXTURE_SIZE"]:
            pixels = pixels[::2, ::2]
        height, width = pixels.shape[:2]
        # The first row of the image is v = 0, in glTF as in OpenGL's memory: nothing is flipped.
        result = gl.texture(
            (width, height), 4, np.ascontiguousarray(pixels).tobytes(), internal_format=SRGB8_ALPHA8
        )
        result.build_mipmaps()
        result.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        result.anisotropy = min(4.0, float(gl.max_anisotropy))
        return result

    def vertex_array(
        self,
        program: moderngl.Program,
        *more: tuple[moderngl.Buffer, str, tuple[str, ...]],
        triangles: bool = True,
    ) -> moderngl.VertexArray:
        """Bind the buffers to a program, leaving out what it does not read; the context must be current.

        Parameters
        ----------
        program : moderngl.Program
            Any of the vertex programs.
        *more : tuple of buffer, format, names
            Further buffers, one format per name, ``"/i"`` at the end for one value per instance.
        triangles : bool
            Go through the triangles; otherwise each vertex comes once, as transform feedback wants it.
        """
        own = " ".join(form for form, _ in self._formats.values())
        content = [
            readable(program, self._vertices, own, tuple(self._formats)),
            *(readable(program, buffer, formats, names) for buffer, formats, names in more),
        ]
        return self._context.gl.vertex_array(
            program,
            [entry for entry in content if len(entry) > 2],
            self._triangles if triangles else None,
            index_element_size=self._index_size,
        )

    def draw(
        self, vertex_array: moderngl.VertexArray, instances: int = 1, *, two_sided: bool | None = True
    ) -> None:
        """Draw all triangles, texture by texture; the program's other uniforms must be set.

        Parameters
        ----------
        vertex_array : moderngl.VertexArray
            From `vertex_array`.
        instances : int
            How many.
        two_sided : bool or None
            Whether faces are seen from behind; None: unless their piece of a packed mesh is closed.
        """
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        for group in self._groups:
            texture = self._textures[id(group.texture)]
            if "textured" in vertex_array.program:
                vertex_array.program["textured"] = texture is not None
                if texture is not None:
                    texture.use(TEXTURE_UNITS["base_color_map"])
            culls = group.closed if two_sided is None else not two_sided
            if culls:
                gl.front_face, gl.cull_face = "ccw", "back"
                gl.enable(moderngl.CULL_FACE)
            vertex_array.render(vertices=group.index_count, first=group.first, instances=instances)
            if culls:
                gl.disable(moderngl.CULL_FACE)

    def release(self) -> None:
        """Free the buffers and textures."""
        for resource in (self._vertices, self._triangles, *self._textures.values()):
            if resource is not None:
                resource.release()


# Every sampler has a unit of its own, so that no draw depends on what the one before it bound.
TEXTURE_UNITS = {
    "palette": 0,
    "poses": 1,
    "instances": 2,
    "base_color_map": 3,
    "heat_map": 4,
    "shadow": 5,
    "source": 6,
    "ground_heights": 7,
    "key_depth": 8,
    "ranges": 9,
    "rig": 10,
}


def readable(
    program: moderngl.Program, buffer: moderngl.Buffer, formats: str, names: tuple[str, ...]
) -> tuple[Any, ...]:
    """Return a vertex array entry in which attributes that the compiler removed are padding."""
    formats, per, step = formats.partition("/")
    parts = []
    for name, form in zip(names, formats.split(), strict=True):
        size = int(form[0]) * int(form[-1])
        parts.append(form if name in program else f"{size}x")
    return (buffer, " ".join(parts) + per + step, *(name for name in names if name in program))


class Group(NamedTuple):
    """Triangles that are drawn alike: their first index, and how many indices they have."""

    texture: Texture | None
    closed: bool  # they enclose something, and nobody sees them from behind
    first: int
    index_count: int


def grouped(mesh: Mesh, by_piece: bool) -> tuple[NDArray[np.uint32], list[Group]]:
    """Return the triangles sorted by texture, and by whether their piece is closed where that is asked."""
    textures: list[Texture | None] = [None]
    group = np.zeros(len(mesh.triangles), np.int64)
    if mesh.uvs is not None:
        for part in mesh.parts:
            if part.texture is not None:
                found = [i for i, known in enumerate(textures) if known is part.texture]
                if not found:
                    textures.append(part.texture)
                group[part.triangles] = found[0] if found else len(textures) - 1
    group *= 2
    if by_piece:
        group += in_closed_piece(mesh)
    order = np.argsort(group, kind="stable")
    counts = np.bincount(group, minlength=2 * len(textures)) * 3
    starts = np.concatenate([[0], np.cumsum(counts)])
    groups = [
        Group(textures[i // 2], bool(i % 2), int(starts[i]), int(counts[i])) for i in np.flatnonzero(counts)
    ]
    return np.ascontiguousarray(mesh.triangles[order], dtype=np.uint32), groups
