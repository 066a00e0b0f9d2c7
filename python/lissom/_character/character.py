# SPDX-License-Identifier: MIT
"""Characters: skeleton, mesh, skin and clips that belong together."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from lissom._base.arrays import as_floats
from lissom._base.doors import as_html, as_png, show_character
from lissom._base.methods import METHODS
from lissom._base.names import counted
from lissom._base.pose_batch import not_finite_at
from lissom._base.set_module import set_module
from lissom._character import parts as _parts
from lissom._character import views as _views
from lissom._character.clips import Clips
from lissom._character.repair import Repair
from lissom._rig.expressions import Expressions
from lissom._rig.mesh import Mesh
from lissom._rig.prepared_mesh import PreparedMesh
from lissom._rig.skeleton import Skeleton
from lissom._rig.skin import Palette, Skin
from lissom.clip import Clip
from lissom.skinning._blend_weights import checked_blend
from lissom.skinning._call import Deformed, DeformedFrames, Normals, palette_forms
from lissom.skinning._deform import deform_as
from lissom.skinning._plain import plain_deform_poses

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._base.doors import Player

__all__ = ["Character"]


@set_module("lissom")
class Character:
    """A rig with its clips.

    Parameters
    ----------
    name : str
    skeleton : Skeleton
    mesh : Mesh, PreparedMesh or None
        In model space: at rest the skin moves it little or not at all. A prepared one is skinned as such; see
        `prepared`.
    skin : Skin or None
        What the mesh's indices point into.
    clips : mapping of str to Clip, or sequence of Clip
        Values may be functions without arguments that make the clip.
    repairs : sequence of Repair
        What loading mended or left out.

    Attributes
    ----------
    name, skeleton, skin, repairs
        As above; repairs is a tuple.
    mesh : Mesh or None
        What is drawn and saved: in the order of the vertices that `deform` gives.
    method : str
        How `deform` skins unless told otherwise.
    blend : ndarray of float32, shape (V,), or None
        For the method "blended": what is painted on the vertices.
    expressions : Expressions or None
        Named groups of the mesh's morph targets.
    clips : Mapping of str to Clip
        Read-only.

    Raises
    ------
    TypeError
        If `mesh` is no mesh.
    ValueError
        If the skin names joints that the skeleton does not have, or the mesh rows that the skin does not
        have.

    Examples
    --------
    >>> hero = lissom.samples.humanoid()
    >>> hero
    Character('humanoid_adult', 34 joints, 11588 vertices, 5 clips)
    >>> list(hero.clips)
    ['idle', 'walk', 'run', 'wave', 'lean']
    >>> bones = lissom.Character("bones", hero.skeleton, None, None, hero.clips)
    >>> bones.clips["walk"].sample(0.5).shape
    (34, 10)
    """

    def __init__(
        self,
        name: str,
        skeleton: Skeleton,
        mesh: Mesh | PreparedMesh | None,
        skin: Skin | None,
        clips: Mapping[str, Clip | Callable[[], Clip]] | Sequence[Clip] = (),
        repairs: Sequence[Repair] = (),
    ) -> None:
        if mesh is not None and not isinstance(mesh, (Mesh, PreparedMesh)):
            raise TypeError(
                "Character: mesh must be a lissom.Mesh, a lissom.PreparedMesh or None, "
                f"got {type(mesh).__name__}"
            )
        if mesh is not None and skin is None:
            raise ValueError(
                "Character: a mesh needs a skin; a rigid one has a skin with one row per carrying joint"
            )
        if skin is not None and skin._bind.joint_limit > len(skeleton):
            raise ValueError(
                f"Character: the skin names joint {skin.joints.max()}, the skeleton has {len(skeleton)}"
            )
        if mesh is not None and skin is not None and mesh.row_count > len(skin):
            raise ValueError(
                f"Character: the mesh uses {mesh.row_count} palette rows, the skin has {len(skin)}"
            )
        if not isinstance(clips, Mapping):
            clips = {clip.name: clip for clip in clips}
        self.name = name
        self.skeleton = skeleton
        self._skinned = mesh
        self.skin = skin
        self.clips: Mapping[str, Clip] = clips if isinstance(clips, Clips) else Clips(clips)
        self.repairs = tuple(repairs)
        self._compression: tuple[str, ...] = ()  # the extensions that compressed its file
        self._method = "linear"
        self._blend: NDArray[np.float32] | None = None
        self._expressions: Expressions | None = None

    @property
    def mesh(self) -> Mesh | None:
        """What is drawn and saved, in the order of the vertices that `deform` gives; None for bare joints."""
        return self._skinned._results if isinstance(self._skinned, PreparedMesh) else self._skinned

    @property
    def prepared_mesh(self) -> PreparedMesh | None:
        """What `deform` skins if the character is prepared, with the `order` of its vertices; else None."""
        return self._skinned if isinstance(self._skinned, PreparedMesh) else None

    @property
    def method(self) -> str:
        """How `deform` skins unless told otherwise: "linear", or another of `lissom.skinning.METHODS`."""
        return self._method

    @method.setter
    def method(self, method: str) -> None:
        if method not in METHODS:
            raise ValueError(f"Character.method must be one of {', '.join(METHODS)}, got {method!r}")
        self._method = method

    @property
    def blend(self) -> NDArray[np.float32] | None:
        """What the method "blended" mixes by, shape (V,), or None.

        0 where a vertex is skinned linearly, 1 where by dual quaternions. Set it to any such numbers, those
        of `lissom.bend_blend` say, to one number for all vertices, or to None. Kept as a read-only copy;
        pictures and models on the GPU go by it, too, and saved files hold it.
        """
        return self._blend

    @blend.setter
    def blend(self, blend: ArrayLike | None) -> None:
        if blend is not None:
            if self.mesh is None:
                raise ValueError(f"Character.blend: '{self.name}' has no mesh to paint on")
            blend = checked_blend(blend, self.mesh.vertex_count, "Character.blend")
        self._blend = blend

    @property
    def expressions(self) -> Expressions | None:
        """Named groups of the mesh's morph targets, as files of VRM have them; None where there are none.

        Set it to `Expressions` of the mesh's targets, or None.
        """
        return self._expressions

    @expressions.setter
    def expressions(self, expressions: Expressions | None) -> None:
        if expressions is not None:
            if not isinstance(expressions, Expressions):
                got = type(expressions).__name__
                raise TypeError(f"Character.expressions must be Expressions or None, got {got}")
            morphs = None if self.mesh is None else self.mesh.morphs
            names = () if morphs is None else morphs.names
            if expressions.morph_names != names:
                what = counted(len(names), "morph target")
                raise ValueError(
                    f"Character.expressions must be of the mesh's {what}, got those of "
                    f"{len(expressions.morph_names)}; make them from mesh.morphs"
                )
        self._expressions = expressions

    @cached_property
    def size(self) -> float:
        """Diagonal of the skinned bounding box in the rest pose: the unit of relative errors.

        In the file's lengths. Of the joints where there is no mesh.
        """
        if self.mesh is None or not self.mesh.vertex_count:
            return self.skeleton.size
        vertices = self.deform(self.skeleton.rest.astype(np.float64), method="linear")
        return float(np.linalg.norm(vertices.max(axis=0) - vertices.min(axis=0)))

    @overload
    def deform(
        self,
        poses: ArrayLike,
        method: str | None = ...,
        normals: Literal[False] = ...,
        out: NDArray[Any] | None = ...,
        *,
        tangents: Literal[False] = ...,
        blend: ArrayLike | None = ...,
        morphs: ArrayLike | None = ...,
    ) -> NDArray[Any]: ...
    @overload
    def deform(
        self,
        poses: ArrayLike,
        method: str | None = ...,
        *,
        normals: Literal[True, "rotate", "cofactor", "faces"],
        out: tuple[NDArray[Any], ...] | None = ...,
        tangents: Literal[False] = ...,
        blend: ArrayLike | None = ...,
        morphs: ArrayLike | None = ...,
    ) -> Deformed: ...
    @overload
    def deform(
        self,
        poses: ArrayLike,
        method: str | None = ...,
        normals: Normals = ...,
        out: Any = ...,
        *,
        tangents: bool = ...,
        blend: ArrayLike | None = ...,
        morphs: ArrayLike | None = ...,
    ) -> NDArray[Any] | Deformed | DeformedFrames: ...
    def deform(
        self,
        poses: ArrayLike,
        method: str | None = None,
        normals: Normals = False,
        out: Any = None,
        *,
        tangents: bool = False,
        blend: ArrayLike | None = None,
        morphs: ArrayLike | None = None,
    ) -> NDArray[Any] | Deformed | DeformedFrames:
        """Skin the mesh in poses.

        Parameters
        ----------
        poses : array_like, shape (..., J, 10)
            Local transforms: translation 3, rotation xyzw 4, scale 3. float64 is computed in float64.
        method : str, optional
            One of `lissom.skinning.METHODS`; `Character.method` when omitted.
        normals : bool, "rotate", "cofactor" or "faces"
            Return normals, too; how, see `lissom.deform`.
        out : ndarray, shape (..., V, 3), optional
            Written in place and returned; with `normals` a pair of arrays, with `tangents` three.
        tangents : bool
            Return normals and tangents, too.
        blend : float or array_like, shape (V,), optional
            For "blended": 0 where a vertex is skinned linearly, 1 where by dual quaternions, one number for
            all or one per vertex; `Character.blend` when omitted.
        morphs : array_like, shape (..., M), optional
            Weights of the morph targets, which move vertices before joints do: those of `Mesh.morphs`, as its
            `weights` makes them; its `defaults` when omitted. Leading axes broadcast with those of `poses`.

        Returns
        -------
        ndarray, shape (..., V, 3), or Deformed, or DeformedFrames
            Vertices in model space, in the file's lengths; with `normals` a named tuple (positions, normals),
            with `tangents` (positions, normals, tangents).

        Raises
        ------
        ValueError
            If the character has no mesh, the method is unknown, a shape does not fit, or a joint that moves
            the mesh is not finite.
        TypeError
            If `poses` are no real numbers.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> poses = hero.clips["walk"].sample([0, 0.25, 0.5])
        >>> hero.deform(poses).shape == (3, hero.mesh.vertex_count, 3)
        True
        >>> positions, normals = hero.deform(poses[0], "dual_quat", normals=True)
        >>> print(positions[:, 1].max().round(2))  # metres: the top of the head
        1.7
        """
        if tangents is False and blend is None and morphs is None:
            chosen = self._method if method is None else method
            found = plain_deform_poses(self.skeleton, self.skin, self._skinned, poses, chosen, normals, out)
            if found is not None:
                return found
        if self._skinned is None or self.skin is None:
            raise ValueError(
                f"Character.deform: '{self.name}' has no mesh; put its clips on a character that has one"
            )
        local = as_floats(poses, "Character.deform: poses")
        self.skeleton._require_poses(local, "Character.deform")
        palette = Palette._of_poses(self.skin, self.skeleton, local)
        chosen = self._method if method is None else method
        if chosen in METHODS:
            self._compute(palette, chosen, local)
        if chosen == "blended" and blend is None:
            blend = self._blend
            if blend is None:
                raise ValueError(
                    "Character.deform: method 'blended' needs a number per vertex; set Character.blend, to "
                    "lissom.bend_blend(character, poses) say, or pass blend="
                )
        deformed: NDArray[Any] | Deformed | DeformedFrames = deform_as(
            "Character.deform",
            self._skinned,
            palette,
            chosen,
            normals=normals,
            out=out,
            tangents=tangents,
            blend=blend,
            morphs=morphs,
        )
        return deformed

    def _compute(self, palette: Palette, method: str, poses: NDArray[Any]) -> None:
        """Have the palette make what the method reads, with errors that speak of the poses."""
        try:
            palette_forms("Character.deform", palette, method)
        except ValueError:
            names = self.skeleton.names
            place = not_finite_at(poses, names)
            if place is not None:
                fault = f"must be finite, got NaN or infinity at {place}"
            else:
                model = self.skeleton.model_matrices(poses)
                place = not_finite_at(model.reshape(*poses.shape[:-1], 16), names)
                if place is None:
                    raise
                fault = f"must be of numbers that {poses.dtype} can multiply, they overflow at {place}"
            raise ValueError(f"Character.deform: poses {fault}") from None

    def show(
        self,
        clips: str | Clip | Sequence[str | Clip] | None = None,
        *,
        pose: ArrayLike | None = None,
        method: str | None = None,
        width: int = 720,
        height: int = 480,
        title: str | None = None,
        **state: Any,
    ) -> Player:
        """Play the character in a browser: a notebook shows it in the cell.

        Parameters
        ----------
        clips : str, Clip or sequence of them, optional
            What can be played: baked as `lissom.bake` does; all clips when omitted, and the rest pose where
            there is none.
        pose : array_like, shape (J, 10), optional
            One pose to look at instead.
        method : {"linear", "dual_quat", "side_by_side"}, optional
            What it starts with; the character's own, where a bake can be played by that, when omitted.
        width, height : int
            Pixels, in a notebook.
        title : str, optional
            Of the page; the character's name when omitted.
        **state
            What else it starts with, ``clip="walk"`` say: :doc:`/howto/show-in-a-browser`.

        Returns
        -------
        lissom.player.Player
            ``.html``, ``.save(path)``.

        Raises
        ------
        TypeError, ValueError
            If a clip, a state, or its value is not known; if both clips and a pose are given, or there is
            nothing to show.

        Examples
        --------
        >>> lissom.samples.humanoid().show(["walk", "run"], color="difference")
        Player('humanoid_adult', 720 x 480, ... bytes)
        """
        return show_character(
            self,
            clips,
            pose,
            title=self.name if title is None else title,
            method=method,
            width=width,
            height=height,
            **state,
        )

    def prepared(self, original_order: bool = False) -> Character:
        """Return the same character with its mesh in the order in which skinning is fastest.

        Its `mesh` is the reordered one, so that `deform`, pictures, measures, bakes and saved files agree;
        ``prepared_mesh.order`` tells which vertex each was. `blend` goes along.

        Parameters
        ----------
        original_order : bool
            Keep `mesh` as it is and give results in its order: most of the gain is lost, of linear
            skinning all of it (:doc:`/concepts/skinning`).

        Returns
        -------
        Character

        Raises
        ------
        TypeError
            If `original_order` is no bool.
        ValueError
            If the character has no mesh.

        Examples
        --------
        >>> hero = lissom.samples.humanoid().prepared()
        >>> poses = hero.clips["walk"].sample(np.linspace(0, 1, 100))
        >>> hero.deform(poses).shape[1] == hero.mesh.vertex_count
        True
        """
        if self.mesh is None:
            raise ValueError(f"Character.prepared: '{self.name}' has no mesh to prepare")
        prepared = self.mesh.prepare(original_order)
        blend = self._blend if self._blend is None or original_order else self._blend[prepared.order]
        return self._with_mesh(prepared, blend)

    without = _parts.without
    only = _parts.only
    first_person = _views.first_person
    third_person = _views.third_person

    def _with_mesh(self, mesh: Mesh | PreparedMesh | None, blend: NDArray[np.float32] | None) -> Character:
        other = Character(self.name, self.skeleton, mesh, self.skin, self.clips, self.repairs)
        other.method = self._method
        other.blend = blend
        other._expressions = None if mesh is None else self._expressions
        return other

    _repr_html_ = as_html
    _repr_png_ = as_png

    def __repr__(self) -> str:
        mesh = "no mesh" if self.mesh is None else f"{self.mesh.vertex_count} vertices"
        mesh += "" if self.prepared_mesh is None else ", prepared"
        clips = counted(len(self.clips), "clip")
        return f"Character({self.name!r}, {len(self.skeleton)} joints, {mesh}, {clips})"
