# SPDX-License-Identifier: MIT
"""Pose textures on the GPU: pages of an array texture, and the constants that playback needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import quat
from lissom._base.arrays import refuse_masked
from lissom._base.numbers import whole_number
from lissom._crowd.instances import check_bake
from lissom.errors import GpuError
from lissom.gpu._arguments import context_of
from lissom.gpu._context import FOLD_WIDTH, GlContext, float_texture, folded_height, write_folded
from lissom.gpu._pose_pages import PosePages, longest_side

if TYPE_CHECKING:
    import moderngl
    from numpy.typing import NDArray

    from lissom.gpu._stage import Stage
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["LAYOUT_NUMBERS", "PoseUpload", "constants", "rig_texels"]

ADVICE = "bake fewer clips, or at a lower rate"
RIGID = 9e-4  # largest entry of |R R^T - 1|; quat.from_matrix takes a little more
LAYOUT_NUMBERS = {"dual_quat": 0, "matrix": 1, "quat_trans": 2, "trs": 3, "rotations": 4}  # POSE_LAYOUT


class PoseUpload:
    """A bake's texels in a texture, as ``pose_texture.glsl`` reads them.

    Texel i, counted over all frames, is at ``(i & 2047, (i >> 11) & (side - 1), i / (2048 * side))``: pages
    of `side` lines of 2048 texels. Most bakes fit into one page.

    Parameters
    ----------
    bake : PoseTexture
        Of any layout and type of texels.
    stage : Stage, optional
        Whose context holds the texture; the process's own when omitted.
    side : int, optional
        Lines of a page, a power of two; the driver's limit, at most 16384, when omitted.

    Raises
    ------
    TypeError
        If `bake` is not a PoseTexture.
    ValueError
        If `side` is not a power of two.
    GpuError
        If a side or the number of pages is beyond the driver's limit.

    Examples
    --------
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
    >>> with lissom.gpu.PoseUpload(bake) as upload:
    ...     upload.page_count, bool(np.array_equal(upload.read(), bake.texels))
    (1, True)
    """

    def __init__(self, bake: PoseTexture, *, stage: Stage | None = None, side: int | None = None) -> None:
        check_bake(bake, "PoseUpload")
        self._bake = bake
        self._context = context_of(stage, "PoseUpload")
        self._released = False
        with self._context as gl:
            side = longest_side(gl) if side is None else whole_number(side, "PoseUpload: side")
            if side < 1 or side & (side - 1):
                raise ValueError(f"PoseUpload: side must be a power of two, got {side}")
            texels = bake.texels
            self._pages = PosePages(gl, texels.size // 4, texels.dtype.name, side, ADVICE)
            self._ranges = None if bake.ranges is None else constants(gl, bake.ranges, "the ranges")
            self._rig = None if bake.rig is None else constants(gl, rig_texels(bake), "the rig")
        self.write(bake.texels)

    def __enter__(self) -> PoseUpload:
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()

    def __repr__(self) -> str:
        released = ", released" if self._released else ""
        height = self._pages.texture.height
        return (
            f"PoseUpload({self._bake.layout} {self._bake.texels.dtype}, {self.page_count} pages of "
            f"{FOLD_WIDTH} x {height}{released})"
        )

    @property
    def context(self) -> GlContext:
        """The context that holds the texture."""
        return self._context

    def use(self, unit: int, ranges: int | None = None, rig: int | None = None) -> None:
        """Bind the texture to a texture unit, a ``sampler2DArray``; the context must be current.

        Parameters
        ----------
        unit : int
            Of the texels.
        ranges, rig : int, optional
            Units of the ``sampler2D`` that uint8 texels, and layouts of joints, also need; not bound if the
            bake has none.

        Examples
        --------
        >>> upload = lissom.gpu.PoseUpload(lissom.bake(lissom.samples.twisted_bar(), rate=30))
        >>> with upload.context:
        ...     upload.use(0)  # for a program whose sampler2DArray has unit 0
        >>> upload.uniforms["frame_count"]  # for the same program
        242
        >>> upload.release()
        """
        self._check()
        self._pages.texture.use(unit)
        for texture, place in ((self._ranges, ranges), (self._rig, rig)):
            if texture is not None and place is not None:
                texture.use(place)

    def write(self, texels: NDArray[Any], first_frame: int = 0) -> None:
        """Write all or some frames, such as a bake's edited texels.

        Parameters
        ----------
        texels : ndarray, shape (n, rows, texels_per_row, 4)
            Of the bake's dtype.
        first_frame : int
            Index of the first frame to write.

        Raises
        ------
        TypeError, ValueError
            If dtype or shape differ from the bake's, or a frame is beyond its last.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).edited()
        >>> bake.set_texel("bend", "Tip", 7, [0, 0, 0, 1])
        >>> with lissom.gpu.PoseUpload(bake) as upload:
        ...     upload.write(bake.texels[7:8], first_frame=7)
        ...     bool(np.array_equal(upload.read(), bake.texels))
        True
        """
        self._check()
        baked = self._bake.texels
        refuse_masked(texels, "PoseUpload.write: texels")
        if not isinstance(texels, np.ndarray) or texels.dtype != baked.dtype:
            got = texels.dtype if isinstance(texels, np.ndarray) else type(texels).__name__
            raise TypeError(f"PoseUpload.write: texels must be an array of {baked.dtype}, got {got}")
        if texels.ndim != 4 or texels.shape[1:] != baked.shape[1:]:
            expected = ", ".join(map(str, ("n", *baked.shape[1:])))
            raise ValueError(f"PoseUpload.write: texels must have shape ({expected}), got {texels.shape}")
        first_frame = whole_number(first_frame, "PoseUpload.write: first_frame")
        if first_frame + len(texels) > len(baked):
            raise ValueError(
                f"PoseUpload.write: first_frame must be at most {len(baked) - len(texels)} for "
                f"{len(texels)} of {len(baked)} frames, got {first_frame}"
            )
        flat = np.ascontiguousarray(texels).reshape(-1, 4)
        with self._context:
            self._pages.write(flat, first_frame * baked[0].size // 4)

    def read(self) -> NDArray[Any]:
        """Read the texels back, in the shape and dtype of the bake's.

        Returns
        -------
        ndarray of the dtype of the bake's texels, shape (frames, rows, texels_per_row, 4)

        Raises
        ------
        GpuError
            If the upload was released.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
        >>> with lissom.gpu.PoseUpload(bake) as upload:
        ...     upload.read().shape == bake.texels.shape
        True
        """
        self._check()
        with self._context:
            data = np.frombuffer(self._pages.texture.read(), self._bake.texels.dtype)
        return data[: self._bake.texels.size].reshape(self._bake.texels.shape).copy()

    def release(self) -> None:
        """Free the textures.

        Examples
        --------
        >>> upload = lissom.gpu.PoseUpload(lissom.bake(lissom.samples.twisted_bar(), rate=30))
        >>> upload.release()
        >>> upload.read()
        Traceback (most recent call last):
            ...
        lissom.errors.GpuError: PoseUpload: this upload was released; make a new one
        """
        if self._released:
            return
        self._released = True
        if not self._context.is_in_reach:
            return
        with self._context:
            for texture in (self._pages, self._ranges, self._rig):
                if texture is not None:
                    texture.release()

    @property
    def page_count(self) -> int:
        """Layers of the texture."""
        return self._pages.page_count

    @property
    def line_bits(self) -> int:
        """Base 2 logarithm of the lines of a page."""
        return self._pages.line_bits

    @property
    def defines(self) -> dict[str, int]:
        """The constants that ``pose_texture.glsl`` is compiled with for this bake."""
        constants = {
            "POSE_LAYOUT": LAYOUT_NUMBERS[self._bake.layout],
            "POSE_TEXELS": int(self._bake.texels.shape[2]),
        }
        return constants if self._ranges is None else constants | {"POSE_BYTES": 1}

    @property
    def uniforms(self) -> dict[str, int]:
        """The members of the struct ``PoseTexture`` in ``pose_texture.glsl``."""
        frame_count, row_count, _, _ = self._bake.texels.shape
        return {"pose_row_count": row_count, "frame_count": frame_count, "line_bits": self.line_bits}

    def _check(self) -> None:
        if self._released:
            raise GpuError("PoseUpload: this upload was released; make a new one")


def constants(gl: moderngl.Context, values: NDArray[Any], what: str) -> moderngl.Texture:
    """Return a folded float texture of values that are reshaped to ``(N, 4)``."""
    texels = np.asarray(values, np.float32).reshape(-1, 4)
    texture = float_texture(gl, (FOLD_WIDTH, folded_height(len(texels))), 4, "f4", what)
    write_folded(texture, texels)
    return texture


def rig_texels(bake: PoseTexture) -> NDArray[np.float32]:
    """Return the texture ``rig`` of ``pose_palette.glsl``, ``(2 J + 5 S, 4)``."""
    assert bake.rig is not None
    assert bake.skin is not None
    joint_from_bind = bake.skin.joint_from_bind
    rows = np.zeros((len(bake.skin), 5, 4), np.float32)
    rows[:, :3] = joint_from_bind[:, :3]
    rows[:, 3] = _rotations(joint_from_bind)
    rows[:, 4, 0] = bake.skin.joints
    joints = np.zeros((len(bake.rig), 2, 4), np.float32)
    joints[:, 0, :3] = bake.rig.local[:, :3]
    joints[:, 0, 3] = bake.rig.parents
    joints[:, 1, :3] = bake.rig.local[:, 7:]
    joints[bake.rig.moving, 1, 3] = 1
    return np.concatenate([joints.reshape(-1, 4), rows.reshape(-1, 4)])


def _rotations(matrices: NDArray[Any]) -> NDArray[np.float64]:
    """Return the rotations of rigid matrices (S, 4, 4), uniform scale allowed; the identity for others.

    If one is not rigid, palettes are matrices, and nothing reads these rotations.
    """
    linear = matrices[:, :3, :3].astype(np.float64)
    factors = np.cbrt(np.linalg.det(linear))
    unscaled = linear / np.where(factors > 0, factors, 1.0)[:, None, None]
    error = np.abs(unscaled @ np.swapaxes(unscaled, 1, 2) - np.eye(3)).max(axis=(1, 2))
    rigid = (factors > 0) & (error < RIGID)
    result = np.tile([0.0, 0.0, 0.0, 1.0], (len(linear), 1))
    result[rigid] = quat.from_matrix(unscaled[rigid])
    return result
