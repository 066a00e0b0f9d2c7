# SPDX-License-Identifier: MIT
"""One skinned mesh on the GPU, by any skinning method."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._base.arrays import as_numbers, finite_floats
from lissom._base.methods import METHODS, check_method
from lissom._rig.morph_weights import morph_weights
from lissom._view.front import azimuth_before
from lissom.errors import GpuError
from lissom.gpu._arguments import context_of
from lissom.gpu._context import FOLD_WIDTH, GlContext, set_uniforms
from lissom.gpu._coverage import Cover, passes
from lissom.gpu._deformed import OUTPUTS, GpuDeformed, read_back
from lissom.gpu._folded_texture import FoldedTexture
from lissom.gpu._model_source import model_source
from lissom.gpu._morph_targets import weight_lists
from lissom.gpu._palettes import palette_texels
from lissom.gpu._texture_units import TEXTURE_UNITS
from lissom.gpu._users_shaders import UsersShaders
from lissom.gpu._vertex_values import VertexValues, checked_centers, checked_heat
from lissom.gpu._vertices import GpuMesh
from lissom.skinning._blend_weights import checked_blend
from lissom.skinning._heaviest import MOST_INFLUENCES, left_out_distance

if TYPE_CHECKING:
    from collections.abc import Mapping

    import moderngl
    from numpy.typing import ArrayLike, NDArray

    from lissom._character.character import Character
    from lissom._rig.mesh import Mesh
    from lissom._rig.prepared_mesh import PreparedMesh
    from lissom.gpu._stage import Stage
    from lissom.skinning._deform import PaletteLike

__all__ = ["SkinnedModel"]

logger = logging.getLogger("lissom.gpu")

MOMENTS = 16
"""Evenly spread moments of a clip at which what dropped influences cost is measured."""


class SkinnedModel(UsersShaders):
    """A skinned mesh, drawn by a stage.

    Parameters
    ----------
    source : Character, Mesh or PreparedMesh
        What to draw. A character starts in its rest pose, and is drawn as bones if it has no mesh; a mesh
        needs `set_palette` first. All values per vertex are in the order of a prepared mesh's results.
    stage : Stage, optional
        Whose context holds the buffers; the process's own when omitted, as for a stage. Every stage of that
        context can draw the model.
    method : {"linear", "dual_quat", "quat_trans", "cor", "blended"}, optional
        The character's own when omitted; ``"linear"`` for a mesh.
    blend : float or array_like, shape (V,), optional
        For ``"blended"``: from 0, linear, to 1, dual quaternion; one number for all vertices or one for each.
        The character's own when omitted.
    centers : array_like, shape (V, 3), optional
        For ``"cor"``: the centre of rotation of each vertex, bind space; computed by
        `Mesh.centers_of_rotation` at first use when omitted.
    world_from_model : array_like, shape (4, 4), optional
        A rigid transform, optionally with uniform scale; the identity when omitted.

    Attributes
    ----------
    method : str
        Skinning method; set it at any time. Vertices are not uploaded again.
    blend : ndarray of float32, shape (V,), or None
        Set it at any time.
    morphs : ndarray of float32, shape (M,), or None
        Weights of the mesh's morph targets, its defaults at first; set them at any time, with None to the
        defaults. Only the weights are uploaded. None for a mesh without targets.
    world_from_model : ndarray, shape (4, 4)
        Set it at any time.

    Raises
    ------
    TypeError
        If `source` is something else.
    ValueError
        If it has neither mesh nor joints, or another argument does not fit.

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
        self._make("SkinnedModel", source, stage, method, blend, centers, world_from_model)

    @classmethod
    def _for_caller(
        cls, caller: str, source: Character, *, stage: Stage, method: str | None, blend: ArrayLike | None
    ) -> SkinnedModel:
        """Make a model for the function that errors shall name."""
        model = cls.__new__(cls)
        model._make(caller, source, stage, method, blend, None, None)
        return model

    def _make(
        self,
        caller: str,
        source: Character | Mesh | PreparedMesh,
        stage: Stage | None,
        method: str | None,
        blend: ArrayLike | None,
        centers: ArrayLike | None,
        world_from_model: ArrayLike | None,
    ) -> None:
        self._caller = caller
        self._source = model_source(source, caller)
        mesh, _, character, _ = self._source
        if blend is None and character is not None and character.mesh is not None:
            blend = character.blend
        self._context = context_of(stage, caller)
        self.world_from_model = np.eye(4) if world_from_model is None else world_from_model
        self._palette: PaletteLike | None = None
        self._texels: NDArray[np.float32] | None = None  # of the palette, for the method
        self._uploaded = False
        self._morphs_uploaded = False
        self._heated = False
        self._method = "linear"
        self._deformed: NDArray[np.float32] | None = None
        vertex_count = mesh.vertex_count
        self._morphs = morph_weights(None, mesh, caller)
        self._blend = None if blend is None else checked_blend(blend, vertex_count, f"{caller}: blend")
        self._centers = None if centers is None else checked_centers(centers, vertex_count)
        self.method = str(method or getattr(source, "method", "linear"))
        self._mesh = GpuMesh(self._context, mesh)
        self._values = VertexValues(self._context, vertex_count)
        self._texture = FoldedTexture(self._context, "palette", "a palette")
        self._morph_texture = FoldedTexture(self._context, "morph_weights", "weights of morph targets", "u4")
        with self._context:
            self._values.write("heat", np.zeros(vertex_count))
        self._arrays: dict[tuple[int, bool, bool], moderngl.VertexArray] = {}
        self._released = False
        if character is not None:
            self.set_pose(character.skeleton.rest)
        if self.dropped_weight:
            self._warn_of_dropped_weight()

    def _warn_of_dropped_weight(self) -> None:
        mesh, _, character, skin = self._source
        moved = ""
        if character is not None and skin is not None:
            poses = [character.skeleton.rest[None]]
            poses += [
                c.sample(np.linspace(c.start, c.end, MOMENTS), loop=False) for c in character.clips.values()
            ]
            palettes = (skin.palette(character.skeleton.model_matrices(some)) for some in poses)
            distance = left_out_distance(mesh, self._mesh.influences, palettes)
            moved = f"; at rest and in the clips that moves a vertex by up to {distance:.3g} model units"
        logger.warning(
            "%s: drawn with the %d heaviest of %d influences per vertex, "
            "a vertex loses up to %.3g of its weight%s",
            self._caller,
            MOST_INFLUENCES,
            mesh.influence_count,
            self.dropped_weight,
            moved,
        )

    def __enter__(self) -> SkinnedModel:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        character = self._source.character
        name = "" if character is None else f"{character.name!r}, "
        released = ", released" if self._released else ""
        return f"SkinnedModel({name}{self._mesh.vertex_count} vertices, {self._method}{released})"

    @property
    def method(self) -> str:
        """``"linear"``, ``"dual_quat"``, ``"quat_trans"``, ``"cor"`` or ``"blended"``."""
        return self._method

    @method.setter
    def method(self, method: str) -> None:
        check_method(method, self._caller)
        if method == "blended" and self._blend is None:
            raise ValueError(
                f"{self._caller}: blend must be set for method 'blended'; pass blend=, or set model.blend"
            )
        if method != self._method:
            self._method = method
            self._texels = None
            self._uploaded = False
            self._deformed = None

    @property
    def blend(self) -> NDArray[np.float32] | None:
        """From 0, linear, to 1, dual quaternion, for each vertex, ``(V,)``; for ``"blended"``."""
        return self._blend

    @blend.setter
    def blend(self, blend: ArrayLike) -> None:
        self._blend = checked_blend(blend, self._mesh.vertex_count, "SkinnedModel: blend")
        if "blend" in self._values:
            with self._context:
                self._values.write("blend", self._blend)
        self._deformed = None

    @property
    def morphs(self) -> NDArray[np.float32] | None:
        """Weights of the morph targets, ``(M,)``, read-only; None for a mesh without targets."""
        return self._morphs

    @morphs.setter
    def morphs(self, weights: ArrayLike | None) -> None:
        self._set_morphs(weights, "SkinnedModel: morphs")

    def _set_morphs(self, weights: ArrayLike | None, what: str) -> None:
        self._morphs = morph_weights(weights, self._source.mesh, what)
        self._morphs_uploaded = False
        self._deformed = None

    @property
    def world_from_model(self) -> NDArray[np.float64]:
        """Transform of the model, ``(4, 4)``: rigid, optionally with uniform scale."""
        return self._world_from_model

    @world_from_model.setter
    def world_from_model(self, world_from_model: ArrayLike) -> None:
        self._world_from_model = finite_floats(world_from_model, "SkinnedModel: world_from_model", (4, 4))

    @property
    def _usual_azimuth(self) -> float:
        """From where a stage sees it unless told otherwise, degrees."""
        character = self._source.character
        return azimuth_before(None if character is None else character.skeleton, self._world_from_model)

    @property
    def dropped_weight(self) -> float:
        """The largest sum of weights that a vertex lost, because shaders take 8 influences; 0 if none did."""
        return float(self._mesh.influences.left_out.max(initial=0))

    @property
    def dropped_distance(self) -> float:
        """How far that moves a vertex at most in the current pose, by linear skinning, model units."""
        if not self.dropped_weight or self._palette is None:
            return 0.0
        return left_out_distance(self._source.mesh, self._mesh.influences, [self._palette])

    def set_pose(self, pose: ArrayLike, morphs: ArrayLike | None = None) -> None:
        """Pose the character.

        Parameters
        ----------
        pose : array_like, shape (J, 10)
            Local transforms, as from `Clip.sample`.
        morphs : array_like, shape (M,), optional
            Weights of the morph targets, as from `Clip.morphs`; `morphs` stays as it is when omitted.

        Raises
        ------
        ValueError
            If the model was made from a mesh, or a shape does not fit.

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
        _, _, character, skin = self._source
        if character is None or skin is None:
            raise ValueError(
                "SkinnedModel.set_pose: this model was made from a mesh without a skeleton; use set_palette"
            )
        pose = as_numbers(pose, "SkinnedModel.set_pose: pose")
        expected = (len(character.skeleton), 10)
        if pose.shape != expected:
            raise ValueError(f"SkinnedModel.set_pose: pose must have shape {expected}, got {pose.shape}")
        if morphs is not None:
            self._set_morphs(morphs, "SkinnedModel.set_pose: morphs")
        self.set_palette(skin.palette(character.skeleton.model_matrices(pose)))

    def set_palette(self, palette: PaletteLike) -> None:
        """Set the palette, of one pose.

        Parameters
        ----------
        palette : Palette
            From `Skin.palette`, or an object with its arrays.

        Raises
        ------
        TypeError
            If it has no such arrays.
        ValueError
            If they have other shapes, fewer rows than the mesh's influences need, or are not finite.

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
        """Colour the model by a value per vertex, with the colour map viridis.

        Parameters
        ----------
        values : array_like, shape (V,), or None
            At least 0. None restores the base colours.
        maximum : float, optional
            Value of the last colour; the largest value when omitted.

        Raises
        ------
        ValueError
            If the shape does not fit, or a value is negative or not finite.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> with lissom.gpu.Stage(320, 180) as stage, lissom.gpu.SkinnedModel(hero) as model:
        ...     model.set_heat(hero.mesh.positions[:, 1], maximum=1.8)  # by height, dark to bright
        ...     stage.render(model)
        Picture(320 x 180)
        """
        self._set_heat(values, maximum, "SkinnedModel.set_heat: values", "SkinnedModel.set_heat: maximum")

    def _set_heat(
        self, values: ArrayLike | None, maximum: float | None, what: str, what_maximum: str
    ) -> None:
        if values is None:
            self._heated = False
            return
        heat = checked_heat(values, maximum, self._mesh.vertex_count, what, what_maximum)
        with self._context:
            self._values.write("heat", heat)
        self._heated = True

    def deformed(self, palette: PaletteLike | None = None, method: str | None = None) -> GpuDeformed:
        """Skin on the GPU and read the vertices back by transform feedback.

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
        with self._context as gl:
            self._upload()
            program = self._context.program("deformed.vert", varyings=OUTPUTS, defines=self._defines())
            self._bind(program)
            return read_back(gl, self._array(program, triangles=False), self._mesh.vertex_count)

    # What a stage calls: see `Drawable`.

    @property
    def context(self) -> GlContext:
        """The context that holds the buffers."""
        return self._context

    @property
    def size(self) -> float:
        """Diagonal of the box around the drawn vertices, world units."""
        return float(np.linalg.norm(np.ptp(self.points(), axis=0))) if self._mesh.vertex_count else 0.0

    def points(self) -> NDArray[np.float64]:
        """Return the skinned vertices, world space, ``(V, 3)``."""
        if self._deformed is None:
            self._deformed = self.deformed().positions
        placed = self.world_from_model
        return self._deformed.astype(np.float64) @ placed[:3, :3].T + placed[:3, 3]

    def ground(self) -> float:
        """Return the world y of the lowest vertex."""
        return float(self.points()[:, 1].min()) if self._mesh.vertex_count else 0.0

    def prepare(self, view: Mapping[str, Any]) -> None:
        """Upload the palette; the context must be current."""
        self._upload()
        if len(self._mesh.blended):
            self.points()  # reads back through a framebuffer of its own, so not between draws

    def draw(self, fragment: str, uniforms: Mapping[str, Any]) -> None:
        """Draw with a fragment program; the context must be current and the state set."""
        is_picture = fragment in ("surface.frag", "impostor_bake.frag")
        two_sided = None if is_picture and not self._is_mirrored else True
        for cover in passes(fragment, self._mesh.is_covered, self._heated):
            program = self._program(fragment, cover, uniforms)
            self._mesh.draw(self._array(program), two_sided=two_sided, cover=cover)

    def draw_blended(self, view: Mapping[str, Any]) -> None:
        """Draw that through which something shows, the farthest triangle first: see `Drawable`."""
        if self._heated or not len(self._mesh.blended):
            return
        program = self._program("surface.frag", "blended", view)
        array = self._array(program, in_order=True)
        two_sided = True if self._is_mirrored else None
        self._mesh.draw_in_order(array, self.points(), view["eye"], two_sided=two_sided)

    @property
    def _is_mirrored(self) -> bool:
        """Whether that swaps front and back of triangles of which it matters."""
        if not self._mesh.blended.has_sides:
            return False
        assert self._palette is not None
        linear = np.asarray(self._palette.matrices, np.float64)[..., :3, :3]
        return bool((np.linalg.det(self.world_from_model[:3, :3] @ linear) < 0).any())

    def _program(self, fragment: str, cover: Cover, uniforms: Mapping[str, Any]) -> moderngl.Program:
        defines = self._defines() | self._mesh.light_defines | self._mesh.cover_defines(cover)
        program = self._context.program("skinned_model.vert", fragment, defines=defines)
        self._bind(program)
        set_uniforms(program, **uniforms, world_from_model=self.world_from_model, heated=self._heated)
        return program

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
        if self._released:
            return
        self._released = True
        if not self._context.is_in_reach:
            return
        with self._context:
            self._mesh.release()
            self._values.release()
            self._texture.release()
            self._morph_texture.release()
            for array in self._arrays.values():
                array.release()
        self._arrays.clear()

    def _defines(self) -> dict[str, int]:
        assert self._texels is not None
        rows, stride, _ = self._texels.shape
        defines = {
            "INFLUENCE_COUNT": self._mesh.used_influence_count,
            "PALETTE_STRIDE": stride,
            "SKINNING_METHOD": METHODS.index(self._method),
            **(self._mesh.morph_defines if self._is_morphed else {}),
        }
        return defines | ({"TEXELS_IN_ONE_LINE": 1} if rows * stride <= FOLD_WIDTH else {})

    def _array(
        self, program: moderngl.Program, triangles: bool = True, in_order: bool = False
    ) -> moderngl.VertexArray:
        key = (program.glo, triangles, in_order)
        if key not in self._arrays:
            self._arrays[key] = self._mesh.vertex_array(
                program, *self._values.entries(), triangles=triangles, in_order=in_order
            )
        return self._arrays[key]

    def _upload(self) -> None:
        if self._released:
            raise GpuError("SkinnedModel: this model was released; make a new one")
        if self._palette is None:
            raise ValueError("SkinnedModel: a mesh by itself needs set_palette before it is drawn")
        if self._is_morphed and not self._morphs_uploaded:
            assert self._morphs is not None
            (texels,) = weight_lists(self._morphs[None])
            self._morph_texture.write(texels)
            self._morphs_uploaded = True
        if self._uploaded:
            return
        if self._method == "blended" and "blend" not in self._values:
            assert self._blend is not None
            self._values.write("blend", self._blend)
        if self._method == "cor" and "center" not in self._values:
            if self._centers is None:
                self._centers = self._source.deformer.centers_of_rotation()
            self._values.write("center", self._centers)
        if self._texels is None:
            self._texels = self._checked_texels(self._palette)
        self._texture.write(self._texels.reshape(-1, 4))
        self._uploaded = True

    def _checked_texels(self, palette: PaletteLike) -> NDArray[np.float32]:
        texels = palette_texels(palette, self._method, "SkinnedModel.set_palette")
        highest = int(self._mesh.influences.rows.max(initial=0))
        if highest >= len(texels):
            raise ValueError(
                f"SkinnedModel.set_palette: palette must have at least {highest + 1} rows, got {len(texels)}"
            )
        return texels

    @property
    def _is_morphed(self) -> bool:
        return self._mesh.morphs is not None and self._morphs is not None and bool(self._morphs.any())

    def _bind(self, program: moderngl.Program) -> None:
        self._texture.use()
        set_uniforms(program, **TEXTURE_UNITS)
        if self._is_morphed:
            assert self._mesh.morphs is not None
            self._mesh.morphs.use()
            self._morph_texture.use()
            set_uniforms(program, **self._mesh.morphs.uniforms)
