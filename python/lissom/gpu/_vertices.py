# SPDX-License-Identifier: MIT
"""Vertex and index buffers of meshes, with triangles grouped by what they look like."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.extras import require
from lissom._base.printable import printable
from lissom._formats.budget import MAX_DECODED
from lissom._rig.default_shape import default_shape
from lissom._rig.encoded_picture import may_have_alpha
from lissom._view.color import base_colors, linear_to_srgb
from lissom.gpu._context import set_uniforms
from lissom.gpu._coverage import SAMPLE_ALPHA_TO_COVERAGE, Blended, alpha_limits, culling, is_drawn
from lissom.gpu._looks import Look, grouped
from lissom.gpu._morph_targets import GpuMorphs, morph_tables
from lissom.gpu._renderers import anisotropy
from lissom.gpu._texture_units import TEXTURE_UNITS
from lissom.skinning._heaviest import MOST_INFLUENCES, reduced_influences

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.part import Texture
    from lissom.gpu._context import GlContext
    from lissom.gpu._coverage import Cover

__all__ = ["GpuMesh", "readable"]

logger = logging.getLogger("lissom.gpu")

SRGB8_ALPHA8 = 0x8C43  # GL_SRGB8_ALPHA8: fetches decode to linear light, and mipmaps are made in it

# Attributes of the vertex programs: name, moderngl format, NumPy field.
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
_MORPH_FORMAT: dict[str, tuple[str, Any]] = {"morph_vertex": ("1u4", ("<u4",))}
_ALPHA_FORMAT: dict[str, tuple[str, Any]] = {"alpha": ("1f4", ("<f4",))}
_PACKED_NORMAL = 127.0  # length of a unit normal
_PACKED_FORMATS = _FORMATS | {
    "normal": ("4i1", ("i1", 4)),  # shaders read -127 to 127, and normalise
    "uv": ("2f2", ("<f2", 2)),
    "rows": ("4u2", ("<u2", 4)),
    "more_rows": ("4u2", ("<u2", 4)),
}
_BYTE_ROWS: dict[str, tuple[str, Any]] = {"rows": ("4u1", ("u1", 4)), "more_rows": ("4u1", ("u1", 4))}
_WIDE_ROWS: dict[str, tuple[str, Any]] = {name: _FORMATS[name] for name in ("rows", "more_rows")}


class GpuMesh:
    """A mesh in buffers, for any of the vertex programs.

    Parameters
    ----------
    context : GlContext
        Owns the buffers.
    mesh : Mesh
        What to upload.
    packed : bool
        Two thirds of the bytes per vertex, for crowds: normals in 1/127, uvs in half precision and only if
        there is a texture, colours as square roots, rows in one or two bytes. Weights stay float32: bytes
        save 1 to 2 % of a frame, and move vertices by up to 6e-4 of the size.
    max_count : int
        Influences per vertex to keep at most, 1 to 8.
    morphed : bool
        Whether to upload morph targets; otherwise the shape is that of their default weights.
    finer : GpuMesh, optional
        Whose pictures are used, where they are the same: of a mesh that is released no earlier.

    Attributes
    ----------
    influences : Influences
        As uploaded.
    morphs : GpuMorphs or None
        None for a mesh that no target moves, and if not wanted.
    blended : Blended
    vertex_count, triangle_count : int
    """

    def __init__(
        self,
        context: GlContext,
        mesh: Mesh,
        *,
        packed: bool = False,
        max_count: int = MOST_INFLUENCES,
        morphed: bool = True,
        finer: GpuMesh | None = None,
    ) -> None:
        self._context = context
        self.vertex_count = len(mesh.positions)
        self.triangle_count = len(mesh.triangles)
        self.influences = reduced_influences(mesh.indices, mesh.weights, max_count=max_count)
        highest = int(self.influences.rows.max(initial=0))
        tables = None
        if morphed and mesh.morphs is not None and len(mesh.morphs.vertices):
            tables = morph_tables(mesh.morphs, self.vertex_count, _PACKED_NORMAL if packed else 1.0)
        self._left = MAX_DECODED  # of what all pictures may take
        self._pixels: dict[int, NDArray[np.uint8] | None] = {}  # of pictures that may have alpha
        self._clear: dict[int, bool] = {} if finer is None else finer._clear  # which have pixels with alpha
        moved = None if tables is None else tables.numbers > 0
        triangles, self._groups = grouped(mesh, packed, moved, self._has_alpha)
        self.blended = Blended(triangles, self._groups)
        self.packed = packed
        self._formats = dict(_PACKED_FORMATS if packed else _FORMATS)
        if packed and highest >= 1 << 16:
            self._formats |= _WIDE_ROWS
        elif packed and highest < 1 << 8:
            self._formats |= _BYTE_ROWS
        pictures = [picture for group in self._groups for picture in group.look.pictures]
        if packed and not pictures:
            del self._formats["uv"]
        if self.influence_count == 4:
            for name in ("more_rows", "more_weights"):
                self._formats.pop(name, None)
        if self.is_covered:
            self._formats |= _ALPHA_FORMAT
        if tables is not None:
            self._formats |= _MORPH_FORMAT
        vertices = self._interleaved(mesh, tables is not None)
        if tables is not None:
            vertices["morph_vertex"] = tables.numbers
        if packed and self.vertex_count <= 1 << 16:
            triangles = triangles.astype(np.uint16)
        self._index_size = triangles.itemsize
        with context as gl:
            self._vertices = gl.buffer(vertices.tobytes() or bytes(vertices.itemsize))
            self._triangles = gl.buffer(triangles.tobytes() or bytes(12))
            self.morphs = None if tables is None else GpuMorphs(context, tables)
            textures = {id(picture): picture for picture in pictures}
            self._lent: dict[int, moderngl.Texture | None] = {} if finer is None else finer._textures
            self._textures: dict[int, moderngl.Texture | None] = {
                key: self._lent[key] if key in self._lent else self._upload(texture)
                for key, texture in textures.items()
            }
            self._sorted = gl.buffer(reserve=12 * max(1, len(self.blended)))
        self._pixels.clear()

    @property
    def morph_defines(self) -> dict[str, int]:
        """The constants that vertex programs are compiled with to move this mesh by morph targets."""
        return {} if self.morphs is None else {"MORPHS": 1, "MORPH_STRIDE": self.morphs.stride}

    @property
    def surface_defines(self) -> dict[str, int]:
        """The constants that ``surface.frag`` is compiled with for this mesh."""
        return self.light_defines | ({} if any(self._textures.values()) else {"WITHOUT_TEXTURE": 1})

    @property
    def light_defines(self) -> dict[str, int]:
        """Those of them without which parts that are unlit or emit light are drawn as others are."""
        return {"SELF_LIT": 1} if any(group.look.is_self_lit for group in self._groups) else {}

    @property
    def is_covered(self) -> bool:
        """Whether alpha leaves something of it out, or lets something through."""
        return any(group.look.is_covered for group in self._groups)

    def cover_defines(self, cover: Cover) -> dict[str, int]:
        """Return the constants that the programs of a pass are compiled with."""
        if not self.is_covered:
            return {}
        return {"SEAMED": 1} if cover == "solid" else {"SEAMED": 1, "COVERED": 1}

    @property
    def influence_count(self) -> int:
        """Influences per vertex in the buffers: 4 or 8."""
        return int(self.influences.rows.shape[1])

    @property
    def used_influence_count(self) -> int:
        """Largest number of influences that a vertex uses, 1 to 8: the loop count of shaders."""
        return max(1, int((self.influences.weights > 0).any(axis=0).sum()))

    def _interleaved(self, mesh: Mesh, morphed: bool) -> NDArray[Any]:
        vertices = np.zeros(self.vertex_count, np.dtype([(n, *f) for n, (_, f) in self._formats.items()]))
        if morphed:
            positions = mesh.positions
            normals = mesh.normals if mesh.normals is not None else mesh.computed_normals()
        else:
            positions, normals = default_shape(mesh)
        vertices["position"] = positions
        if vertices["normal"].dtype == np.int8:
            vertices["normal"][:, :3] = np.rint(np.clip(normals, -1, 1) * _PACKED_NORMAL)
        else:
            vertices["normal"] = normals
        if mesh.uvs is not None and "uv" in self._formats:
            vertices["uv"] = mesh.uvs
        linear = base_colors(mesh)
        vertices["base_color"] = np.rint(255 * (np.sqrt(linear) if self.packed else linear_to_srgb(linear)))
        if self.is_covered:
            vertices["alpha"] = linear[:, 3]
        for first, (rows, weights) in ((0, ("rows", "weights")), (4, ("more_rows", "more_weights"))):
            if rows in self._formats:
                vertices[rows] = self.influences.rows[:, first : first + 4]
                vertices[weights] = self.influences.weights[:, first : first + 4]
        return vertices

    def _has_alpha(self, texture: Texture) -> bool:
        if not may_have_alpha(texture.data):
            return False
        key = id(texture)
        if key not in self._clear:
            pixels = self._pixels[key] = self._decoded(texture)
            self._clear[key] = pixels is not None and int(pixels[..., 3].min()) < 255
        return self._clear[key]

    def _decoded(self, texture: Texture) -> NDArray[np.uint8] | None:
        try:
            pixels = texture.decode(max_decoded=self._left)
        except (OSError, ValueError) as error:
            name = printable(texture.name, 60)
            logger.warning("the image '%s' cannot be decoded (%s); drawing without it", name, error)
            return None
        self._left -= pixels.nbytes
        return pixels

    def _upload(self, texture: Texture) -> moderngl.Texture | None:
        moderngl = require("moderngl", "gl", "drawing")
        gl = self._context.gl
        known = id(texture) in self._pixels
        pixels = self._pixels.pop(id(texture)) if known else self._decoded(texture)
        if pixels is None:
            return None
        while max(pixels.shape[:2]) > gl.info["GL_MAX_TEXTURE_SIZE"]:
            pixels = pixels[::2, ::2]
        height, width = pixels.shape[:2]
        # The first row of the image is v = 0 both in glTF and in OpenGL's memory: no flip.
        result = gl.texture((width, height), 4, np.ascontiguousarray(pixels), internal_format=SRGB8_ALPHA8)
        result.build_mipmaps()
        result.filter = (moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR)
        result.anisotropy = anisotropy(gl, self._context.renderer)
        return result

    @property
    def attributes(self) -> tuple[str, ...]:
        """Names of the inputs that the mesh has."""
        return tuple(self._formats)

    def vertex_array(
        self,
        program: moderngl.Program,
        *more: tuple[moderngl.Buffer, str, tuple[str, ...]],
        triangles: bool = True,
        in_order: bool = False,
    ) -> moderngl.VertexArray:
        """Bind the buffers to a program, with the attributes that it reads; the context must be current.

        Parameters
        ----------
        program : moderngl.Program
            Any of the vertex programs.
        *more : tuple of buffer, format, names
            Further buffers, one format per name, with ``"/i"`` at the end for one value per instance.
        triangles : bool
            Draw the triangles by their indices; otherwise each vertex once, for transform feedback.
        in_order : bool
            For `draw_in_order`.
        """
        own = " ".join(form for form, _ in self._formats.values())
        content = [
            readable(program, self._vertices, own, tuple(self._formats)),
            *(readable(program, buffer, formats, names) for buffer, formats, names in more),
        ]
        indices = self._sorted if in_order else self._triangles
        return self._context.gl.vertex_array(
            program,
            [entry for entry in content if len(entry) > 2],
            indices if triangles else None,
            index_element_size=4 if in_order else self._index_size,
        )

    def draw(
        self,
        vertex_array: moderngl.VertexArray,
        instances: int = 1,
        *,
        two_sided: bool | None = True,
        moved: bool | None = None,
        cover: Cover | None = None,
    ) -> None:
        """Draw triangles, group by group; the program's other uniforms must be set.

        Parameters
        ----------
        vertex_array : moderngl.VertexArray
            From `vertex_array`.
        instances : int
            Number of instances.
        two_sided : bool or None
            Whether to draw back faces; None for all but those of closed pieces of a packed mesh, and of
            blended parts that are not double sided.
        moved : bool or None
            Whether to draw those that morph targets move, or the others; None for both.
        cover : {"solid", "holes", "halved", "dithered", "blended"}, optional
            The pass, whose program has its `cover_defines`; all as if it were opaque when omitted.
        """
        gl = self._context.gl
        is_sampled = cover == "holes" and gl.fbo.samples > 0
        if is_sampled:
            gl.enable_direct(SAMPLE_ALPHA_TO_COVERAGE)
        for number, group in enumerate(self._groups):
            if (moved is not None and group.moved != moved) or not is_drawn(group.look, cover):
                continue
            self._use(vertex_array.program, group.look)
            if cover not in (None, "solid"):
                limits = alpha_limits(group.look, cover, is_sampled, number)
                set_uniforms(vertex_array.program, **limits)
            is_alone = cover == "blended" and instances == 1
            for _ in culling(gl, group.closed, group.look, two_sided, is_alone):
                vertex_array.render(vertices=group.index_count, first=group.first, instances=instances)
        if is_sampled:
            gl.disable_direct(SAMPLE_ALPHA_TO_COVERAGE)

    def draw_in_order(
        self,
        vertex_array: moderngl.VertexArray,
        positions: NDArray[np.float64],
        eye: NDArray[np.float64],
        *,
        two_sided: bool | None = None,
    ) -> None:
        """Draw the pass "blended" of one instance, the farthest triangle first.

        Parameters
        ----------
        vertex_array : moderngl.VertexArray
            Made with `in_order`.
        positions : ndarray of float64, shape (V, 3)
            Of the vertices as drawn.
        eye : ndarray, shape (3,)
            In the same space.
        two_sided : bool or None
            As in `draw`.
        """
        triangles, runs = self.blended.from_far_to_near(positions, eye)
        self._sorted.write(triangles.tobytes())
        for look, first, count in runs:
            self._use(vertex_array.program, look)
            set_uniforms(vertex_array.program, **alpha_limits(look, "blended"))
            for _ in culling(self._context.gl, False, look, two_sided):
                vertex_array.render(vertices=3 * count, first=3 * first)

    def _use(self, program: moderngl.Program, look: Look) -> None:
        """Set what a program reads of a look."""
        texture = self._textures.get(id(look.texture))
        if texture is not None:
            texture.use(TEXTURE_UNITS["base_color_map"])
        emissive_texture = self._textures.get(id(look.emissive_texture))
        if emissive_texture is not None:
            emissive_texture.use(TEXTURE_UNITS["emissive_map"])
        # Where a picture cannot be decoded, what is dark in it would shine.
        is_dark = look.emissive_texture is not None and emissive_texture is None
        values = {
            "textured": texture is not None,
            "unlit": look.unlit,
            "emissive": (0.0, 0.0, 0.0) if is_dark else look.emissive,
            "emissive_textured": emissive_texture is not None,
        }
        for name, value in values.items():
            if name in program:
                program[name] = value

    def release(self) -> None:
        """Free the buffers, and the textures that are not another's."""
        textures = (texture for key, texture in self._textures.items() if key not in self._lent)
        for resource in (self._vertices, self._triangles, self._sorted, self.morphs, *textures):
            if resource is not None:
                resource.release()


def readable(
    program: moderngl.Program, buffer: moderngl.Buffer, formats: str, names: tuple[str, ...]
) -> tuple[Any, ...]:
    """Return the content of a vertex array, with padding for attributes that the compiler removed."""
    formats, per, step = formats.partition("/")
    parts = []
    for name, form in zip(names, formats.split(), strict=True):
        size = int(form[0]) * int(form[-1])
        parts.append(form if name in program else f"{size}x")
    return (buffer, " ".join(parts) + per + step, *(name for name in names if name in program))
