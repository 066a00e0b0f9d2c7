# SPDX-License-Identifier: MIT
"""Skinning on the CPU: a mesh and a palette become moved vertices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol, overload

from lissom._base.methods import check_method
from lissom._base.set_module import set_module
from lissom.skinning._call import Deformed, DeformedFrames, Normals, SkinCall, palette_forms
from lissom.skinning._plain import plain_deform

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.mesh import Mesh
    from lissom._rig.prepared_mesh import PreparedMesh
    from lissom.skinning._call import Output

__all__ = ["PaletteLike", "deform", "deform_as"]


class PaletteLike(Protocol):
    """What `deform` reads: a `Palette`, or anything that has the arrays of the method."""

    @property
    def matrices(self) -> NDArray[Any]:
        """Matrices model_from_bind, shape (..., S, 4, 4)."""

    @property
    def dual_quats(self) -> NDArray[Any]:
        """Rigid parts model_from_bind, shape (..., S, 8)."""

    @property
    def scales(self) -> NDArray[Any] | None:
        """What scales before the rigid parts move, shape (..., S, 3, 4); None where all rows are rigid."""

    @property
    def quat_trans(self) -> NDArray[Any]:
        """Rigid parts as quaternion and translation, shape (..., S, 8)."""


@overload
def deform(
    mesh: Mesh | PreparedMesh,
    palette: PaletteLike,
    method: str = ...,
    normals: Literal[False] = ...,
    out: NDArray[Any] | None = ...,
    *,
    tangents: Literal[False] = ...,
    blend: ArrayLike | None = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any]: ...
@overload
def deform(
    mesh: Mesh | PreparedMesh,
    palette: PaletteLike,
    method: str = ...,
    *,
    normals: Literal[True, "rotate", "cofactor", "faces"],
    out: tuple[NDArray[Any], ...] | None = ...,
    tangents: Literal[False] = ...,
    blend: ArrayLike | None = ...,
    morphs: ArrayLike | None = ...,
) -> Deformed: ...
@overload
def deform(
    mesh: Mesh | PreparedMesh,
    palette: PaletteLike,
    method: str = ...,
    normals: Normals = ...,
    out: Output = ...,
    *,
    tangents: bool = ...,
    blend: ArrayLike | None = ...,
    morphs: ArrayLike | None = ...,
) -> NDArray[Any] | Deformed | DeformedFrames: ...
@set_module("lissom")
def deform(
    mesh: Mesh | PreparedMesh,
    palette: PaletteLike,
    method: str = "linear",
    normals: Normals = False,
    out: Output = None,
    *,
    tangents: bool = False,
    blend: ArrayLike | None = None,
    morphs: ArrayLike | None = None,
) -> NDArray[Any] | Deformed | DeformedFrames:
    """Move a mesh's vertices by a palette.

    Parameters
    ----------
    mesh : Mesh or PreparedMesh
    palette : Palette
        Or anything with the arrays that the method reads. From ``skin.palette(model_matrices)``, with any
        leading batch axes. Of the mesh's own skin: of another character's palette only too few rows are
        noticed.
    method : {"linear", "dual_quat", "quat_trans", "cor", "blended"}
        "linear" blends matrices: what glTF and most engines draw; it loses volume at twisted and sharply bent
        joints. "dual_quat" blends dual quaternions: it keeps the volume, and bulges at bent joints. "cor"
        turns each vertex about its own centre of rotation, which does little of either, and needs that
        centre computed once per mesh. "blended" mixes the first two by `blend`. "quat_trans" is
        "linear" from a palette of half the size.
    normals : bool, "rotate", "cofactor" or "faces"
        Whether to move normals too. True is "rotate": by the 3x3 of the blended matrices, or by the blended
        rotation after the cofactor of the blended scale. "cofactor": always by the cofactor matrix, which
        keeps normals upright where joints scale unevenly. Where the mesh has none, its `computed_normals` are
        moved. "faces": recomputed from the moved triangles (`Mesh.normals_of`), which alone sees how the
        weights change across the surface, and costs several times as much; edges that a file splits show.
    out : ndarray or tuple of ndarray, optional
        Where to write: C-contiguous, dtype of the palette, shape (..., V, 3); with `normals` a pair of those,
        with `tangents` a third array of shape (..., V, 4).
    tangents : bool
        Whether to move normals and tangents too; the mesh must have tangents. Their fourth number is handed
        on: the bitangent is ``cross(normal, tangent)`` times it. Where a joint mirrors, that points the wrong
        way for "linear", "quat_trans" and the linear share of "blended" with the default normals;
        ``normals="cofactor"`` is right there.
    blend : float or array_like, shape (V,), optional
        For "blended" alone: 0 where a vertex is skinned linearly, 1 where by dual quaternions; one number for
        all, or one per vertex.
    morphs : array_like, shape (..., M), optional
        Weights of the mesh's morph targets, as ``mesh.morphs.weights`` makes them; ``mesh.morphs.defaults``
        when omitted. Leading axes broadcast with those of the palette. Targets are added to the bind
        positions, normals and tangents, then the sums are skinned, as glTF has it; only weights that are not
        0 cost something. Centres of rotation stay those of the mesh without targets.

    Returns
    -------
    ndarray, shape (..., V, 3), or Deformed, or DeformedFrames
        Positions in model space; a named tuple (positions, normals) with `normals`, (positions, normals,
        tangents) with `tangents`. `out` where given.

    Raises
    ------
    TypeError, ValueError
        As the function of the method does; ValueError for another method, with the names there are.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> pose = bar.clips["twist"].sample(2.0)  # to 179 degrees
    >>> palette = bar.skin.palette(bar.skeleton.model_matrices(pose))
    >>> middle = np.abs(bar.mesh.positions[:, 0] - 2) < 0.01  # half a diagonal, 0.71, from the axis
    >>> for method in ("linear", "dual_quat"):
    ...     moved = lissom.deform(bar.mesh, palette, method)[middle]
    ...     print(method, np.linalg.norm(moved[:, 1:], axis=1).max().round(2))
    linear 0.01
    dual_quat 0.71
    """
    if tangents is False and blend is None and morphs is None:
        found = plain_deform(mesh, palette, method, normals, out)
        if found is not None:
            return found
    deformed: NDArray[Any] | Deformed | DeformedFrames = deform_as(
        "deform",
        mesh,
        palette,
        method,
        normals=normals,
        out=out,
        tangents=tangents,
        blend=blend,
        morphs=morphs,
    )
    return deformed


def deform_as(
    function: str,
    mesh: Mesh | PreparedMesh,
    palette: PaletteLike,
    method: str,
    *,
    normals: Normals = False,
    out: Output = None,
    tangents: bool = False,
    blend: ArrayLike | None = None,
    morphs: ArrayLike | None = None,
) -> Any:
    """As `deform`, with errors that name the `function` that was called."""
    check_method(method, function)
    if blend is not None and method != "blended":
        raise ValueError(
            f"{function}: blend must be omitted for methods other than 'blended', got method {method!r}"
        )
    if blend is None and method == "blended":
        raise ValueError(
            f"{function}: blend must be given for method 'blended', one number per vertex or one for all: "
            "0 is all linear, 1 all dual quaternion; got None"
        )
    call = SkinCall(function, method, mesh, normals, tangents, out, morphs)
    return call.run(palette_forms(function, palette, method), blend=blend)
