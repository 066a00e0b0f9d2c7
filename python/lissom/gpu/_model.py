# SPDX-License-Identifier: MIT
"""One skinned mesh on the GPU: every skinning method, switched by setting an attribute."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from lissom._base.arrays import as_numbers
from lissom._base.methods import METHODS
from lissom._base.numbers import check_number
from lissom._character.character import Character
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh
from lissom._view.bones import skeleton_mesh
from lissom.errors import GpuError
from lissom.gpu._context import (
    FOLD_WIDTH,
    GlContext,
    context_of,
    float_texture,
    folded_height,
    set_uniforms,
    write_folded,
)
from lissom.gpu._palettes import palette_texels
from lissom.gpu._vertex_values import VertexValues, checked_centers
from lissom.gpu._vertices import TEXTURE_UNITS, GpuMesh
from lissom.pose_texture._pose_texture import PoseTexture
from lissom.skinning._blend_weights import checked_blend

if TYPE_CHECKING:
    from collections.abc import Mapping

    import moderngl
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.skin import Skin
    from lissom.gpu._stage import Stage
    from lissom.skinning._deform import PaletteLike

__all__ = ["GpuDeformed", "SkinnedModel"]


class GpuDeformed(NamedTuple):
    """Skinned vertices read back from the GPU.

    Attributes
    ----------
    positions, normals : ndarray of float32, shape (V, 3)
        Model space.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> with lissom.gpu.SkinnedModel(hero) as model:
    ...     positions, normals = model.deformed()
    >>> bool(np.allclose(positions, hero.deform(hero.skeleton.rest), atol=1e-5))
    True
    """

    positions: NDArray[np.float32]
    normals: NDArray[np.float32]


class SkinnedModel:
    """A mesh that follows palettes, drawn by a stage.

    Parameters
    ----------
    source : Character, Mesh or PreparedMesh
        What to draw. A character starts in its rest pose, one without a mesh is drawn as its bones; a mesh
        needs `set_palette` first. Of a prepared mesh all numbers of vertices are in the order of its results.
    stage : Stage, optional
        Whose context holds the buffers; the process's own when omitted, as for a stage. Every stage of that
        context can draw it.
    method : {"linear", "dual_quat", "quat_trans", "cor", "blended"}, optional
        The character's own when omitted; ``"linear"`` for a mesh.
    blend : float or array_like, shape (V,), optional
        For ``"blended"``: 0 linear to 1 dual quaternion, one number for all or one per vertex; the
        character's own when omitted.
    centers : array_like, shape (V, 3), optional
        For ``"cor"``: the centre of rotation of each vertex, bind space; those of
        `Mesh.centers_of_rotation`, found when first needed, when omitted.
    world_from_model : array_like, shape (4, 4), optional
        Where the model stands: a rigid motion, with uniform scale if need be.

    Attributes
    ----------
    method : str
        Skinning method; set it at any time. The vertices stay where they are on the GPU.
    blend : ndarray of float32, shape (V,), or None
        Set it at any time.
    world_from_model : ndarray, shape (4, 4)
        Set it at any time.

    Raises
    ------
    TypeError
        If `source` is neither.
    ValueError
        If there is nothing to draw, or another argument does not fit.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> with lissom.gpu.Stage(320, 180) as stage, lissom.gpu.SkinnedModel(hero) as model:
    ...     for method in ("linear", "dual_quat"):  # two pictures of one pose
    ...         model.method = method
    ...         model.set_pose(hero.clips["run"].sample(0.2))
    ...         stage.render(model)
    Picture(320 x 180)
    Picture(320 x 180)
    """

    def __init__(
        self,
        source: Character | Mesh | PreparedMesh,
        *,
        stage: Stage | None = None,
        method: str | None = None,
        blend: ArrayLike | None = None,
        centers: ArrayLike | None = None,
        world_from_model: ArrayLike | None = None,
    ) -> None:
        if not isinstance(source, (Character, Mesh, PreparedMesh)):
            advice = "; Crowd(bake, count) draws a bake" if isinstance(source, PoseTexture) else ""
            raise TypeError(
                f"SkinnedModel: source: expected a Character, a Mesh or a PreparedMesh, got "
                f"{type(source).__name__}{advice}"
            )
        character = source if isinstance(source, Character) else None
        skin = None if character is None else character.skin
        if isinstance(source, Mesh):
            mesh = source
        elif isinstance(source, PreparedMesh):
            mesh = source._results
        elif source.mesh is not None:
            mesh = source.mesh
            blend = source.blend if blend is None else blend
        elif len(source.skeleton):
            mesh, skin = skeleton_mesh(source.skeleton)
        else:
            raise ValueError("SkinnedModel: source: expected a mesh or a joint to draw, found neither")
        prepared = source.prepared_mesh if isinstance(source, Character) else source
        self._source = prepared if isinstance(prepared, PreparedMesh) else mesh
        self._context = context_of(stage, "SkinnedModel")
        self._character = character
        self._skin: Skin | None = skin
        self.world_from_model = np.eye(4) if world_from_model is None else world_from_model
        self._palette: PaletteLike | None = None
        self._texels: NDArray[np.float32] | None = None  # of the palette, by the method
        self._uploaded = False
        self._texture: moderngl.Texture | None = None
        self._heated = False
        self._method = "linear"
        self._deformed: NDArray[np.float32] | None = None
        vertex_count = len(mesh.positions)
        self._blend = None if blend is None else checked_blend(blend, vertex_count, "SkinnedModel: blend")
        self._centers = None if centers is None else checked_centers(centers, vertex_count)
        self.method = str(method or getattr(source, "method", "linear"))
        self._mesh = GpuMesh(self._context, mesh)
        self._values = VertexValues(self._context, vertex_count)
        with self._context:
            self._values.write("heat", np.zeros(vertex_count))
        self._arrays: dict[tuple[int, bool], moderngl.VertexArray] = {}
        self._released = False
        if character is not None:
            self.set_pose(character.skeleton.rest)

    def __enter__(self) -> SkinnedModel:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        name = "" if self._character is None else f"{self._character.name!r}, "
        released = ", released" if self._released else ""
        return f"SkinnedModel({name}{self._mesh.vertex_count} vertices, {self._method}{released})"

    @property
    def method(self) -> str:
        """``"linear"``, ``"dual_quat"``, ``"quat_trans"``, ``"cor"`` or ``"blended"``."""
        return self._method

    @method.setter
    def method(self, method: str) -> None:
        if method not in METHODS:
            raise ValueError(f"SkinnedModel: method: expected one of {', '.join(METHODS)}, got {method!r}")
        if method == "blended" and self._blend is None:
            raise ValueError(
                "SkinnedModel: method: 'blended' needs a number per vertex; set model.blend, or pass blend="
            )
        if method != self._method:
            self._method = method
            self._texels = None
            self._uploaded = False
            self._deformed = None

    @property
    def blend(self) -> NDArray[np.float32] | None:
        """How far each vertex is from linear (0) to dual quaternion (1), ``(V,)``, for ``"blended"``."""
        return self._blend

    @blend.setter
    def blend(self, blend: ArrayLike) -> None:
        self._blend = checked_blend(blend, self._mesh.vertex_count, "SkinnedModel: blend")
        if "blend" in self._values:
            with self._context:
                self._values.write("blend", self._blend)
        self._deformed = None

    @property
    def world_from_model(self) -> NDArray[np.float64]:
        """Where the model stands, ``(4, 4)``: a rigid motion, with uniform scale if need be."""
        return self._world_from_model

    @world_from_model.setter
    def world_from_model(self, world_from_model: ArrayLike) -> None:
        placed = as_numbers(world_from_model, "SkinnedModel: world_from_model").astype(np.float64)
        if placed.shape != (4, 4):
            raise ValueError(f"SkinnedModel: world_from_model: expected shape (4, 4), got {placed.shape}")
        if not np.isfinite(placed).all():
            broken = placed[~np.isfinite(placed)][0]
            raise ValueError(f"SkinnedModel: world_from_model: expected finite numbers, got {broken}")
        self._world_from_model = placed

    @property
    def dropped_weight(self) -> float:
        """The largest weight a vertex lost because shaders take 8 influences; 0 where nothing was lost."""
        return self._mesh.influences.dropped

    def set_pose(self, pose: ArrayLike) -> None:
        """Pose the character.

        Parameters
        ----------
        pose : array_like, shape (J, 10)
            Local transforms, as `Clip.sample` gives them.

        Raises
        ------
        ValueError
            For a model made from a bare mesh, or on another shape.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> with lissom.gpu.Stage(160, 160) as stage, lissom.gpu.SkinnedModel(hero) as model:
        ...     pictures = []
        ...     for pose in hero.clips["wave"].sample([1.0, 1.2, 1.4]):
        ...         model.set_pose(pose)
        ...         pictures.append(stage.render(model))
        >>> lissom.Animation(pictures, rate=5)
        Animation(3 pictures, 160 x 160, 0.60 s)
        """
        if self._character is None or self._skin is None:
            raise ValueError("SkinnedModel.set_pose: this model is a bare mesh; use set_palette")
        pose = np.asarray(pose)
        expected = (len(self._character.skeleton), 10)
        if pose.shape != expected:
            raise ValueError(f"SkinnedModel.set_pose: pose: expected shape {expected}, got {pose.shape}")
        self.set_palette(self._skin.palette(self._character.skeleton.model_matrices(pose)))

    def set_palette(self, palette: PaletteLike) -> None:
        """Use a palette of one pose from now on.

        Parameters
        ----------
        palette : Palette
            As `Skin.palette` makes it, or anything with its arrays.

        Raises
        ------
        TypeError
            If it has none of them.
        ValueError
            If they have other shapes or fewer rows than the mesh's influences name, or are not finite.

        Examples
        --------
        >>> bar = lissom.samples.twisted_bar()
        >>> palette = bar.skin.palette(bar.skeleton.model_matrices(bar.clips["bend"].sample(2.0)))
        >>> with lissom.gpu.SkinnedModel(bar.mesh) as model:
        ...     model.set_palette(palette)
        ...     positions, normals = model.deformed()
        >>> bool(np.allclose(positions, lissom.deform(bar.mesh, palette), atol=1e-5))
        True
        """
        self._texels = self._checked_texels(palette)
        self._palette = palette
        self._uploaded = False
        self._deformed = None

    def set_heat(self, values: ArrayLike | None, maximum: float | None = None) -> None:
        """Colour the model by a number per vertex, in the heat map viridis.

        Parameters
        ----------
        values : array_like, shape (V,), or None
            At least 0. None brings the base colours back.
        maximum : float, optional
            The value of the last colour; the largest one when omitted.

        Raises
        ------
        ValueError
            On another shape, or a number that is negative or not finite.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> with lissom.gpu.Stage(320, 180) as stage, lissom.gpu.SkinnedModel(hero) as model:
        ...     model.set_heat(hero.mesh.positions[:, 1], maximum=1.8)  # by height, dark to bright
        ...     stage.render(model)
        Picture(320 x 180)
        """
        if values is None:
            self._heated = False
            return
        heat = as_numbers(values, "SkinnedModel.set_heat: values").astype(np.float64)
        expected = (self._mesh.vertex_count,)
        if heat.shape != expected:
            raise ValueError(f"SkinnedModel.set_heat: values: expected shape {expected}, got {heat.shape}")
        bad = np.flatnonzero(~(np.isfinite(heat) & (heat >= 0)))
        if len(bad):
            raise ValueError(
                f"SkinnedModel.set_heat: values: expected finite numbers, at least 0, got {heat[bad[0]]} "
                f"at vertex {bad[0]}"
            )
        top = float(heat.max(initial=0))
        if maximum is not None:
            top = check_number(maximum, "SkinnedModel.set_heat: maximum", least=0)
        with self._context:
            self._values.write("heat", heat / (top or 1.0))
        self._heated = True

    def deformed(self, palette: PaletteLike | None = None, method: str | None = None) -> GpuDeformed:
        """Skin on the GPU and read the vertices back, by transform feedback.

        Parameters
        ----------
        palette : Palette, optional
            Replaces the current one.
        method : str, optional
            Replaces the current method.

        Returns
        -------
        GpuDeformed
            Positions and unit normals, model space, each ``(V, 3)`` float32.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> pose = hero.clips["walk"].sample(0.3)
        >>> with lissom.gpu.SkinnedModel(hero, method="dual_quat") as model:
        ...     model.set_pose(pose)
        ...     positions, normals = model.deformed()
        >>> bool(np.allclose(positions, hero.deform(pose, "dual_quat"), atol=1e-5))
        True
        """
        if palette is not None:
            self.set_palette(palette)
        if method is not None:
            self.method = method
        count = self._mesh.vertex_count
        with self._context as gl:
            self._upload()
            program = self._context.program(
                "deformed.vert",
                varyings=("deformed_position", "deformed_normal"),
                defines=self._defines(),
            )
            self._bind(program)
            array = self._array(program, triangles=False)
            target = gl.buffer(reserve=max(24, 24 * count))
            array.transform(target, mode=gl.POINTS, vertices=count)
            values = np.frombuffer(target.read(), np.float32)[: 6 * count].reshape(count, 2, 3)
            target.release()
        return GpuDeformed(values[:, 0].copy(), values[:, 1].copy())

    # What a stage asks of whatever it draws.

    @property
    def context(self) -> GlContext:
        """The context that holds the buffers."""
        return self._context

    @property
    def size(self) -> float:
        """Diagonal of the box around the drawn vertices, world units."""
        return float(np.linalg.norm(np.ptp(self.points(), axis=0))) if self._mesh.vertex_count else 0.0

    def points(self) -> NDArray[np.float64]:
        """Return world points that a camera must see to see all: the skinned vertices, ``(V, 3)``."""
        if self._deformed is None:
            self._deformed = self.deformed().positions
        placed = self.world_from_model
        return self._deformed.astype(np.float64) @ placed[:3, :3].T + placed[:3, 3]

    def ground(self) -> float:
        """Return the world y of the lowest vertex."""
        return float(self.points()[:, 1].min()) if self._mesh.vertex_count else 0.0

    def prepare(self, view: Mapping[str, Any]) -> None:
        """Bring what is drawn up to date; the context must be current."""
        self._upload()

    def draw(self, fragment: str, uniforms: Mapping[str, Any]) -> None:
        """Draw with a fragment program; the context must be current and the state set."""
        gl_context = self._context
        program = gl_context.program("skinned_model.vert", fragment, defines=self._defines())
        self._bind(program)
        set_uniforms(program, **uniforms, world_from_model=self.world_from_model, heated=self._heated)
        self._mesh.draw(self._array(program))

    def release(self) -> None:
        """Free what the model holds on the GPU.

        Examples
        --------
        >>> model = lissom.gpu.SkinnedModel(lissom.samples.twisted_bar())
        >>> model.release()
        >>> model.deformed()
        Traceback (most recent call last):
            ...
        lissom.errors.GpuError: SkinnedModel: this model was released; make a new one
        """
        if self._released or self._context.released:
            return
        self._released = True
        with self._context:
            self._mesh.release()
            self._values.release()
            for resource in (self._texture, *self._arrays.values()):
                if resource is not None:
                    resource.release()
        self._arrays.clear()

    def _defines(self) -> dict[str, int]:
        assert self._texels is not None
        rows, stride, _ = self._texels.shape
        defines = {
            "INFLUENCE_COUNT": self._mesh.used_influence_count,
            "PALETTE_STRIDE": stride,
            "SKINNING_METHOD": METHODS.index(self._method),
        }
        return defines | ({"TEXELS_IN_ONE_LINE": 1} if rows * stride <= FOLD_WIDTH else {})

    def _array(self, program: moderngl.Program, triangles: bool = True) -> moderngl.VertexArray:
        key = (program.glo, triangles)
        if key not in self._arrays:
            self._arrays[key] = self._mesh.vertex_array(program, *self._values.entries(), triangles=triangles)
        return self._arrays[key]

    def _upload(self) -> None:
        if self._released:
            raise GpuError("SkinnedModel: this model was released; make a new one")
        if self._palette is None:
            raise ValueError("SkinnedModel: a bare mesh needs set_palette before it is drawn")
        if self._uploaded:
            return
        if self._method == "blended" and "blend" not in self._values:
            assert self._blend is not None
            self._values.write("blend", self._blend)
        if self._method == "cor" and "center" not in self._values:
            given = self._centers
            self._values.write("center", self._source.centers_of_rotation() if given is None else given)
        if self._texels is None:
            self._texels = self._checked_texels(self._palette)
        flat = self._texels.reshape(-1, 4)
        height = folded_height(len(flat))
        if self._texture is None or self._texture.height < height:
            if self._texture is not None:
                self._texture.release()
            self._texture = float_texture(self._context.gl, (FOLD_WIDTH, height), 4, "f4", "a palette")
        write_folded(self._texture, flat)
        self._uploaded = True

    def _checked_texels(self, palette: PaletteLike) -> NDArray[np.float32]:
        texels = palette_texels(palette, self._method, "SkinnedModel.set_palette")
        highest = int(self._mesh.influences.rows.max(initial=0))
        if highest >= len(texels):
            raise ValueError(
                f"SkinnedModel.set_palette: palette: expected at least {highest + 1} rows, got {len(texels)}"
            )
        return texels

    def _bind(self, program: moderngl.Program) -> None:
        assert self._texture is not None
        assert self._texels is not None
        self._texture.use(TEXTURE_UNITS["palette"])
        set_uniforms(program, **TEXTURE_UNITS)
