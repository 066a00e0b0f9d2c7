# SPDX-License-Identifier: MIT
"""Skins and palettes: from the joints' transforms to the transforms of the vertices bound to them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import _core
from lissom._base.arrays import as_floats, read_only, refuse_masked
from lissom._base.doors import as_html
from lissom._base.set_module import set_module

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import ArrayLike, NDArray

    from lissom._rig.skeleton import Skeleton

__all__ = ["Palette", "Skin"]


@set_module("lissom")
class Skin:
    """Which joints move a mesh, and where the mesh stands in each joint's own space at bind time.

    Parameters
    ----------
    joints : array_like of int, shape (S,)
        The skeleton's joint behind each palette row. A joint may serve several rows.
    joint_from_bind : array_like, shape (S, 4, 4)
        The inverse bind matrices, row-major, last row 0, 0, 0, 1. float64 stays float64, all else is kept as
        float32.

    Attributes
    ----------
    joints : ndarray of int32, shape (S,), read-only
    joint_from_bind : ndarray, shape (S, 4, 4), read-only

    Raises
    ------
    TypeError
        If `joints` are not integers.
    ValueError
        If shapes do not fit, a joint is negative, or a matrix is not finite or not affine.

    Examples
    --------
    >>> skin = Skin([0, 1], np.broadcast_to(np.eye(4, dtype=np.float32), (2, 4, 4)))
    >>> skin.palette(np.broadcast_to(np.eye(4, dtype=np.float32), (10, 2, 4, 4))).dual_quats.shape
    (10, 2, 8)
    """

    __slots__ = ("__weakref__", "_bind", "_joint_from_bind", "_joints", "_pivots")

    def __init__(self, joints: ArrayLike, joint_from_bind: ArrayLike) -> None:
        self._joints = _indices(joints)
        self._joint_from_bind = read_only(as_floats(joint_from_bind, "Skin: joint_from_bind").copy())
        self._bind = _core.SkinBind(self._joints, np.asarray(self._joint_from_bind, np.float64))
        self._pivots: NDArray[np.float64] | None = None

    @property
    def joints(self) -> NDArray[np.int32]:
        """The joint behind each row, shape (S,)."""
        return self._joints

    @property
    def joint_from_bind(self) -> NDArray[Any]:
        """The inverse bind matrices, shape (S, 4, 4)."""
        return self._joint_from_bind

    @property
    def pivots(self) -> NDArray[np.float64]:
        """The position of each row's joint in bind space, shape (S, 3): what its scale leaves in place.

        The origin where `joint_from_bind` has no inverse.
        """
        if self._pivots is None:
            pivots = np.empty((len(self._joints), 3))
            self._bind.pivots(pivots)
            self._pivots = read_only(pivots)
        return self._pivots

    def palette(self, model: ArrayLike) -> Palette:
        """Return the palette of one or many poses.

        Parameters
        ----------
        model : array_like, shape (..., J, 4, 4)
            Where the joints are: ``skeleton.model_matrices(poses)``, `model_from_joint`, row-major. float32
            and float64 are computed in their own precision. Kept, not copied, where it already is such an
            array: do not write into it before what you need of the palette has been asked for.

        Returns
        -------
        Palette
            Computes each of its forms when that is first asked for.

        Raises
        ------
        ValueError
            If the shape is not ``(..., J, 4, 4)`` or J does not reach the skin's joints. A matrix that is not
            finite or not affine is refused, by index, when a form is asked for.

        Examples
        --------
        >>> hero = lissom.samples.humanoid()
        >>> palette = hero.skin.palette(hero.skeleton.model_matrices(hero.skeleton.rest))
        >>> bool(np.allclose(palette.matrices, np.eye(4), atol=1e-6))  # at rest the skin moves nothing
        True
        """
        return Palette(self, model)

    def __len__(self) -> int:
        return len(self._joints)

    _repr_html_ = as_html

    def __repr__(self) -> str:
        return f"<lissom.Skin of {len(self)} rows>"

    def __reduce__(self) -> tuple[type[Skin], tuple[NDArray[np.int32], NDArray[Any]]]:
        return type(self), (self._joints, self._joint_from_bind)


@set_module("lissom")
class Palette:
    """The skin transforms `model_from_bind` of one or many poses, in the form a skinning method wants.

    Made by `Skin.palette`. All forms have the batch axes of the model matrices in front, then S rows, and the
    model matrices' dtype. Arrays are computed once and read-only.

    Notes
    -----
    Per row, ``M = model_from_joint @ joint_from_bind = R A``. ``A = [S | c - S c]`` scales about the
    joint's own position c in bind space (`Skin.pivots`), R is rigid with ``R(c) = M(c)`` [2]_. The rotation
    is that of the polar decomposition of M; where M mirrors, the sign goes into S, which is then negative
    definite, and R stays a rotation [1]_. Where M loses axes (a joint scaled to zero), R is, among the
    rotations that fit what is left, the one nearest to the joint's own; a joint that keeps no axis counts
    as unturned since bind time.

    References
    ----------
    .. [1] Shoemake and Duff, Matrix Animation and Polar Decomposition, Graphics Interface 1992.
    .. [2] Kavan, Collins, Zara and O'Sullivan, Geometric Skinning with Approximate Dual Quaternion Blending,
       ACM TOG 27(4) art. 105, 2008.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> poses = bar.clips["twist"].sample(np.linspace(0, 2, 5))
    >>> palette = bar.skin.palette(bar.skeleton.model_matrices(poses))
    >>> palette
    <lissom.Palette (5, 2) of float32>
    >>> palette.matrices.shape, palette.dual_quats.shape, palette.scales
    ((5, 2, 4, 4), (5, 2, 8), None)
    """

    __slots__ = ("_dual_quats", "_given", "_matrices", "_posed", "_quat_trans", "_rigid", "_scales", "_skin")

    def __init__(self, skin: Skin, model: ArrayLike) -> None:
        array: NDArray[Any] | None = _core.plain_palette_model(skin._bind, model)
        self._skin = skin
        self._given: NDArray[Any] | None = _checked_model(skin, model) if array is None else array
        self._posed: tuple[Skeleton, NDArray[Any]] | None = None
        self._forget()

    @classmethod
    def _of_poses(cls, skin: Skin, skeleton: Skeleton, poses: NDArray[Any]) -> Palette:
        """Make the palette of local poses, (..., J, 10), in one pass where the core has one.

        Model matrices are computed where a form needs them. Poses are kept, not copied.
        """
        if poses.shape[-2:] != (len(skeleton), 10) or len(skeleton) < skin._bind.joint_limit:
            return cls(skin, skeleton.model_matrices(poses))  # which says what is wrong
        palette = cls.__new__(cls)
        palette._skin = skin
        palette._given, palette._posed = None, (skeleton, poses)
        palette._forget()
        return palette

    def _forget(self) -> None:
        self._matrices: NDArray[Any] | None = None
        self._dual_quats: NDArray[Any] | None = None
        self._scales: NDArray[Any] | None = None
        self._quat_trans: NDArray[Any] | None = None
        self._rigid = False

    @property
    def skin(self) -> Skin:
        """The skin whose rows these are."""
        return self._skin

    @property
    def _model(self) -> NDArray[Any]:
        if self._given is None:
            assert self._posed is not None
            skeleton, poses = self._posed
            self._given = np.asarray(skeleton.model_matrices(poses))
        return self._given

    def _in_one_pass(self, form: Callable[..., NDArray[Any] | None]) -> NDArray[Any] | None:
        """Return a form of the poses; None where there are none, or the core has no such pass for them."""
        if self._posed is None or self._given is not None:
            return None
        skeleton, poses = self._posed
        return form(skeleton._held_parents, self._skin._bind, poses)

    @property
    def batch_shape(self) -> tuple[int, ...]:
        """The leading axes that every form has."""
        return self._model.shape[:-3] if self._posed is None else self._posed[1].shape[:-2]

    @property
    def dtype(self) -> np.dtype[Any]:
        """float32 or float64, as the model matrices have it."""
        return self._model.dtype if self._posed is None else self._posed[1].dtype

    def __len__(self) -> int:
        """S, the number of rows; not the batch."""
        return len(self._skin)

    def __repr__(self) -> str:
        return f"<lissom.Palette {(*self.batch_shape, len(self))} of {self.dtype}>"

    @property
    def matrices(self) -> NDArray[Any]:
        """`model_from_bind`, shape (..., S, 4, 4), row-major."""
        if self._matrices is None and self._posed is not None:
            self._matrices = self._in_one_pass(_core.plain_pose_matrices)
        if self._matrices is None:
            model = self._model if self._given is None else self._given
            self._matrices = _core.plain_palette_matrices(self._skin._bind, model)
        if self._matrices is None:
            out = self._empty(4, 4)
            _core.palette_matrices(self._skin._bind, self._model, out)
            self._matrices = read_only(out)
        return self._matrices

    @property
    def dual_quats(self) -> NDArray[Any]:
        """The rigid parts R as unit dual quaternions, shape (..., S, 8).

        Real x, y, z, w, then dual x, y, z, w. The real w is never negative; q and -q are the same transform.
        Where `scales` is not None, it acts first.
        """
        if self._dual_quats is None and self._posed is not None:
            self._dual_quats = self._in_one_pass(_core.plain_pose_dual_quats)
            self._rigid = self._dual_quats is not None
        if self._dual_quats is None:
            model = self._model if self._given is None else self._given
            found = _core.plain_palette_dual_quats(self._skin._bind, model)
            if found is not None:
                self._dual_quats, self._rigid = found
        if self._dual_quats is None:
            out = self._empty(8)
            self._rigid = _core.palette_dual_quats(self._skin._bind, self._model, out)
            self._dual_quats = read_only(out)
        return self._dual_quats

    @property
    def scales(self) -> NDArray[Any] | None:
        """What acts before `dual_quats` and `quat_trans`: A as rows of 3x4, shape (..., S, 3, 4), or None.

        From bind space to bind space. Rows with ``|S - 1| < 1e-4`` have the identity itself, and all is None
        where that holds of every row and pose.
        """
        if self._scales is None:
            dual_quats = self.dual_quats
            if self._rigid:
                return None
            self._scales = read_only(self._scales_before(dual_quats))
        return self._scales

    def _scales_before(self, dual_quats: NDArray[Any]) -> NDArray[Any]:
        """Return the A, (..., S, 3, 4), with which ``R A = M`` for rigid parts R with ``R(c) = M(c)``."""
        out = self._empty(3, 4)
        _core.palette_scales(self._skin._bind, self._model, dual_quats, out)
        return out

    @property
    def quat_trans(self) -> NDArray[Any]:
        """The rigid parts R as quaternion and translation, shape (..., S, 8).

        x, y, z, w, tx, ty, tz, 0, with ``p' = rotate(q, p) + t`` and the rotation of `dual_quats`. Where
        `scales` is not None, it acts first.
        """
        if self._quat_trans is None:
            out = self._empty(8)
            _core.palette_quat_trans(self.dual_quats, out)
            self._quat_trans = read_only(out)
        return self._quat_trans

    def _empty(self, *shape: int) -> NDArray[Any]:
        return np.empty((*self._model.shape[:-3], len(self._skin), *shape), self._model.dtype)


def _checked_model(skin: Skin, model: ArrayLike) -> NDArray[Any]:
    """Return model matrices, (..., J, 4, 4), as float32 or float64; refuse too few joints for the skin."""
    array = as_floats(model, "Skin.palette: model")
    shape = array.shape
    if len(shape) < 3 or shape[-2:] != (4, 4):
        raise ValueError(
            f"Skin.palette: model must have shape (..., J, 4, 4), got {shape}; "
            "pass skeleton.model_matrices(poses)"
        )
    if shape[-3] < skin._bind.joint_limit:
        raise ValueError(
            f"Skin.palette: model has {shape[-3]} joints, but the skin uses joint "
            f"{skin._bind.joint_limit - 1}; pass the matrices of the skeleton it was made for"
        )
    return array


def _indices(joints: ArrayLike) -> NDArray[np.int32]:
    plain: NDArray[np.int32] | None = _core.plain_indices(joints, -1)
    if plain is not None:
        return plain
    refuse_masked(joints, "Skin: joints")
    rows = np.asarray(joints)
    if rows.size == 0:
        rows = rows.astype(np.int32)
    if rows.dtype.kind not in "iu":
        raise TypeError(f"Skin: joints must be integers, got {rows.dtype}; pass indices into the skeleton")
    limits = np.iinfo(np.int32)
    if rows.size and not limits.min <= int(rows.min()) <= int(rows.max()) <= limits.max:
        raise ValueError(f"Skin: joints must fit in int32, got {rows.min()} to {rows.max()}")
    return read_only(np.array(rows, np.int32, order="C"))
