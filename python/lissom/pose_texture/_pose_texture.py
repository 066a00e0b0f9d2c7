# SPDX-License-Identifier: MIT
"""Clips baked into a texture of skin transforms, and how a time becomes a place in it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._base.arrays import as_numbers
from lissom._base.by_name import ClipsByName
from lissom._base.doors import as_html, as_png, show_bake
from lissom._base.names import counted, unknown_name
from lissom._base.set_module import set_module
from lissom.clip._error import ClipError, ErrorStats
from lissom.pose_texture import _copies as _bake_copies
from lissom.pose_texture import _joint_matrices, _pages, _texel_edits
from lissom.pose_texture._layouts import DTYPES, Rig, SampledPalette, TexelArray, Texels, layout_named
from lissom.pose_texture._layouts.texels import ends_are_finite
from lissom.pose_texture._report import BakedClip, BakeReport
from lissom.pose_texture._texel_edits import StoredRow
from lissom.pose_texture._time_rule import TimeRule

if TYPE_CHECKING:
    from lissom._base.doors import Player
    from lissom._rig.mesh import Mesh
    from lissom._rig.skin import Skin

__all__ = [
    "BakeReport",
    "BakedClip",
    "ClipError",
    "ErrorStats",
    "PoseTexture",
    "Rig",
    "SampledPalette",
    "StoredRow",
    "load_bake",
]


@set_module("lissom")
class PoseTexture:
    """Skin transforms of several clips, frame after frame, as a GPU reads them. Made by `lissom.bake`.

    Attributes
    ----------
    texels : ndarray of float16, float32 or uint8, shape (frames, rows, texels_per_row, 4), read-only
        Time-major. Texels of a row in the layout ``"dual_quat"``: real part x, y, z, w; dual part x, y, z, w;
        then nothing, or one texel (offset x, y, z and factor) of a uniform scale, or three (the rows of a 3x4
        matrix). A row takes bind positions to model space: first the scale, then the rigid transform. The
        other layouts: :doc:`/concepts/bake-layouts`.
    ranges : ndarray of float32, shape (clips, rows, texels_per_row, 2, 4), or None
        Where texels are uint8: low and step of each number of each clip's rows; value = low + step * byte.
    clips : mapping of str to BakedClip
        In the order of the texture, one clip after another.
    joints : tuple of str
        Names of the joints that the texel rows belong to. In the layout ``"rotations"`` one more row follows
        theirs.
    skin : Skin or None
        What palettes are made for: ``skin.joints`` are indices into `joints`, one for each palette row. None
        in a bake read from a file of version 1, whose texel rows are the palette rows.
    parents : ndarray of int32, shape (J,), read-only, or None
        Of each of `joints` the one among them that it hangs below, or hangs below next; -1 at a root. None in
        files of old, but where there is a `rig`.
    rig : Rig or None
        Where texel rows are joints (``"trs"``, ``"rotations"``): their parents (J,), what of their local trs
        does not move (J, 10), and the index `moving` of the joint whose translation does.
    layout, method : str
        Layout of the texels; skinning method the report was made with. Storage is not the deformer: see
        `methods`.
    methods : tuple of str
        Skinning methods that the rows can drive.
    size : float
        The character's size, model units.
    mesh : Mesh or None
        The merged mesh, where the bake carries it.
    report : BakeReport
        The error of every clip.
    source_hash : str
        SHA-256 of the character and clips it was baked from, in hexadecimal.

    Examples
    --------
    >>> bar = lissom.samples.twisted_bar()
    >>> bake = lissom.bake(bar, rate=30)
    >>> bake
    PoseTexture(2 clips, 242 frames, 2 rows, dual_quat float16, 7744 bytes, error 0.03% of size)
    >>> bake.texels.shape, bake.texels.dtype.name
    ((242, 2, 2, 4), 'float16')
    >>> {name: clip.first_frame for name, clip in bake.clips.items()}
    {'twist': 0, 'bend': 121}
    """

    def __init__(
        self,
        texels: TexelArray,
        clips: Mapping[str, BakedClip],
        joints: Sequence[str],
        report: BakeReport,
        *,
        mesh: Mesh | None = None,
        source_hash: str = "",
        ranges: npt.NDArray[np.float32] | None = None,
        skin: Skin | None = None,
        rig: Rig | None = None,
        parents: npt.ArrayLike | None = None,
    ) -> None:
        if not isinstance(texels, np.ndarray) or str(texels.dtype) not in DTYPES:
            got = texels.dtype if isinstance(texels, np.ndarray) else type(texels).__name__
            raise TypeError(f"PoseTexture: texels must be a float16, float32 or uint8 array, got {got}")
        if texels.ndim != 4 or texels.shape[3] != 4:
            raise ValueError(
                f"PoseTexture: texels must have shape (frames, rows, texels, 4), got {texels.shape}"
            )
        self._layout = layout_named("PoseTexture", report.layout)
        try:
            form = self._layout.form(texels.shape[2], texels.shape[1])
        except ValueError as error:
            raise ValueError(
                f"PoseTexture: texels of the layout {report.layout!r} must have {error}"
            ) from None
        self._time = TimeRule(clips, len(texels))
        self._check_rig(rig, joints, texels.shape[1])
        self._check_skin(skin, joints)
        self._texels = Texels(_frozen(texels), form, _checked_ranges(ranges, texels, len(clips)))
        self.texels: TexelArray = self._texels.array
        self.ranges = self._texels.ranges
        self.clips: Mapping[str, BakedClip] = ClipsByName(clips)
        self.joints = tuple(joints)
        self.skin = skin
        self.rig = rig
        self.parents = _checked_parents(parents, rig, len(self.joints))
        self.layout = report.layout
        self.method = report.method
        self.methods = self._layout.methods if rig is None or rig.rigid else ("linear",)
        self.size = report.size
        self.mesh = mesh
        self.report = report
        self.source_hash = source_hash

    _repr_html_ = as_html
    _repr_png_ = as_png

    def __repr__(self) -> str:
        frames, rows, _, _ = self.texels.shape
        clips = counted(len(self.clips), "clip")
        return (
            f"PoseTexture({clips}, {frames} frames, {rows} rows, {self.layout} "
            f"{self.texels.dtype}, {self.texels.nbytes} bytes, "
            f"{'edited' if self.report.edited else f'error {self.report.max_relative:.2%} of size'})"
        )

    @property
    def palette_row_count(self) -> int:
        """Rows of the palettes that `sample` gives: ``len(skin)``."""
        return int(self.texels.shape[1]) if self.skin is None else len(self.skin)

    def frame_coordinate(
        self, clip: str | int | npt.ArrayLike, times: npt.ArrayLike, loop: bool | None = None
    ) -> npt.NDArray[np.float64]:
        """Turn times into places in the texture: the one rule of time, computed in double.

        Parameters
        ----------
        clip : str, int or array of int
            A clip's name, or its index in the order of `clips`; an array of indices is broadcast with
            `times`.
        times : array_like of float
            The source clip's seconds. A looping clip wraps them, half open: its end is its start. Others
            clamp.
        loop : bool, optional
            Wrap or clamp whatever the clip says.

        Returns
        -------
        ndarray of float64
            Frame index within `texels`, with a fraction. The integer part is the frame to read, its neighbour
            the other; on the last frame of a clip the frame before is read with the fraction 1.

        Raises
        ------
        ValueError
            If there is no such clip, or a time is not finite.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
        >>> bake.clips["bend"].first_frame
        121
        >>> bake.frame_coordinate("bend", [0.0, 0.05, 4.0])  # the end of a loop is its start
        array([121. , 122.5, 121. ])
        """
        return self._time.coordinate(self._clip_index(clip), times, loop)

    def sample(
        self,
        clip: str | int | npt.ArrayLike,
        times: npt.ArrayLike,
        loop: bool | None = None,
        *,
        interpolate: bool = True,
    ) -> SampledPalette:
        """Read palette rows at any times, in the arithmetic of the shader.

        Parameters
        ----------
        clip, times, loop
            As `frame_coordinate` takes them; leading axes of the result are those of `times`.
        interpolate : bool
            Whether to go from frame to frame smoothly, or take the nearer one.

        Returns
        -------
        SampledPalette
            ``.dual_quats`` (..., S, 8) float32 not normalised, ``.scales`` (..., S, 3, 4) or None,
            ``.matrices`` (..., S, 4, 4). It goes where a palette goes.

        Raises
        ------
        ValueError
            If there is no such clip or a time is not finite.

        Examples
        --------
        >>> bar = lissom.samples.twisted_bar()
        >>> bake = lissom.bake(bar, "bend", rate=30)
        >>> palette = bake.palette("bend", [0.0, 0.51, 2.0])
        >>> baked = lissom.deform(bar.mesh, palette, "dual_quat")
        >>> truth = bar.deform(bar.clips["bend"].sample([0.0, 0.51, 2.0]), "dual_quat")
        >>> bool(lissom.metrics.distance(baked, truth, bar.size).max_relative.max() < 0.001)
        True
        """
        return self.sample_frames(self.frame_coordinate(clip, times, loop), interpolate=interpolate)

    palette = sample

    def sample_frames(
        self,
        coordinates: npt.ArrayLike,
        *,
        next_coordinates: npt.ArrayLike | None = None,
        fades: npt.ArrayLike | None = None,
        interpolate: bool = True,
    ) -> SampledPalette:
        """Read palette rows at frame coordinates: what a shader does that is handed them.

        Two neighbouring frames are fetched, the second is signed to the first, and
        ``a * (1 - t) + b * t`` is computed in float32, ``t`` being the coordinate's fraction rounded to
        float32. A cross-fade does so at two coordinates and mixes both rows by the same rule; from that the
        palette is made.

        Parameters
        ----------
        coordinates : array_like of float
            From `frame_coordinate`. Float32 ones are taken as they are, so that a shader's own can be
            followed.
        next_coordinates, fades : array_like of float, optional
            Where in the clip that is faded to, and how far that is, 0 to 1. Both are broadcast with
            `coordinates`.
        interpolate : bool
            Whether to blend neighbouring frames, or take the nearer one.

        Returns
        -------
        SampledPalette
            As `palette` gives; its leading axes are those of the arguments, broadcast.

        Raises
        ------
        TypeError
            If of `next_coordinates` and `fades` only one is given.
        ValueError
            If a coordinate is not finite or outside the texture, or a fade is outside [0, 1].

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
        >>> twist, bend = (bake.frame_coordinate(name, 1.0) for name in bake.clips)
        >>> palette = bake.sample_frames(twist, next_coordinates=bend, fades=[0.0, 0.5, 1.0])
        >>> palette.matrices.shape
        (3, 2, 4, 4)
        """
        rows = self._mixed_rows(coordinates, next_coordinates, fades, interpolate)
        return self._layout.palette(rows, self.skin, self.rig)

    def _mixed_rows(
        self,
        coordinates: npt.ArrayLike,
        next_coordinates: npt.ArrayLike | None,
        fades: npt.ArrayLike | None,
        interpolate: bool,
    ) -> npt.NDArray[np.float32]:
        """Read row floats (..., R, 4 T)."""
        if (next_coordinates is None) != (fades is None):
            raise TypeError("PoseTexture.sample_frames: next_coordinates and fades go together, got one")
        wanted = as_numbers(coordinates, "PoseTexture.sample_frames: coordinates")
        if next_coordinates is None or fades is None:
            rows = self._rows_at(wanted, interpolate)
            return rows.reshape(*wanted.shape, *rows.shape[1:])
        following = as_numbers(next_coordinates, "PoseTexture.sample_frames: next_coordinates")
        shares = as_numbers(fades, "PoseTexture.sample_frames: fades")
        wanted, following, shares = np.broadcast_arrays(wanted, following, shares)
        shares = np.ascontiguousarray(shares, np.float32).reshape(-1)
        outside = ~((shares >= 0) & (shares <= 1))
        if outside.any():
            raise ValueError(f"PoseTexture.sample_frames: fades must lie in [0, 1], got {shares[outside][0]}")
        rows = self._texels.form.mix(
            self._rows_at(wanted, interpolate), self._rows_at(following, interpolate), shares
        )
        return rows.reshape(*wanted.shape, *rows.shape[1:])

    def _rows_at(self, coordinates: npt.NDArray[Any], interpolate: bool) -> npt.NDArray[np.float32]:
        """Read row floats (N, R, 4 T)."""
        places = self._time.places("PoseTexture", coordinates.astype(np.float64).reshape(-1), interpolate)
        return self._texels.sample(*places)

    # Each a function of the file that is named after its noun.
    joint_matrices = _joint_matrices.joint_matrices
    pages = _pages.pages
    edited = _bake_copies.edited
    row = _texel_edits.row
    set_row = _texel_edits.set_row
    texel = _texel_edits.texel
    set_texel = _texel_edits.set_texel
    __reduce__ = _bake_copies.reduced

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything into one safetensors file, atomically: a failed save leaves the old file.

        The same bake gives the same bytes. Any safetensors reader finds the arrays; the tables are JSON in
        ``__metadata__``.

        Parameters
        ----------
        path : path-like
            A name that ends in ``.html`` or ``.htm`` gets a page instead that plays the bake in any browser,
            as `show` does; `lissom.load_bake` cannot read that.

        Raises
        ------
        ValueError
            If a texel, or a number of the report, is not finite.
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     bake.save(f"{folder}/bar.safetensors")
        ...     same = lissom.load_bake(f"{folder}/bar.safetensors")
        >>> bool(np.array_equal(bake.texels, same.texels))
        True
        """
        from lissom.pose_texture import _file as file

        if os.fspath(path).lower().endswith((".html", ".htm")):
            self.show().save(path)
            return
        file.write(path, self)

    def show(
        self, *, method: str | None = None, width: int = 720, height: int = 480, title: str = "", **state: Any
    ) -> Player:
        """Play the bake in a browser: a notebook shows it in the cell.

        Parameters
        ----------
        method : {"linear", "dual_quat", "side_by_side"}, optional
            What it starts with; the bake's own when omitted.
        width, height : int
            Pixels, in a notebook.
        title : str
            Of the page.
        **state
            What else it starts with, ``clip="walk"`` say: :doc:`/howto/show-in-a-browser`.

        Returns
        -------
        lissom.player.Player
            ``.html``, ``.save(path)``.

        Raises
        ------
        TypeError, ValueError
            If a state, or its value, is not known; if the bake holds neither a mesh nor `parents`.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.two_bone_tube())
        >>> bake.show(clip="twist", method="side_by_side", skeleton=True).state["clip"]
        'twist'
        """
        return show_bake(self, method=method, width=width, height=height, title=title, **state)

    def _check_rig(self, rig: Rig | None, joints: Sequence[str], row_count: int) -> None:
        if (rig is not None) != self._layout.by_joint:
            wanted = "needs" if self._layout.by_joint else "has no"
            raise ValueError(f"PoseTexture: the layout {self._layout.name!r} {wanted} rig")
        named = row_count if rig is None else len(rig)
        if len(joints) != named:
            raise ValueError(
                f"PoseTexture: joints must name each of the {named} rows, got {len(joints)} names"
            )
        if rig is not None and row_count != self._layout.row_count(len(rig)):
            raise ValueError(
                f"PoseTexture: texels of {len(rig)} joints in the layout {self._layout.name!r} must have "
                f"{self._layout.row_count(len(rig))} rows, got {row_count}"
            )

    def _check_skin(self, skin: Skin | None, joints: Sequence[str]) -> None:
        if skin is None:
            if self._layout.by_joint:
                raise ValueError(f"PoseTexture: the layout {self._layout.name!r} needs skin, got None")
            return
        if len(skin) and not 0 <= int(skin.joints.min()) <= int(skin.joints.max()) < len(joints):
            raise ValueError(
                f"PoseTexture: skin must refer to the {len(joints)} joints, got {skin.joints.max()}"
            )
        if not self._layout.by_joint and len(skin) != len(joints):
            raise ValueError(
                f"PoseTexture: skin must have the {len(joints)} rows of the texels, got {len(skin)}"
            )

    def _clip_index(self, clip: str | int | npt.ArrayLike) -> npt.NDArray[np.intp]:
        if isinstance(clip, str):
            if clip not in self.clips:
                raise ValueError(f"PoseTexture: {unknown_name('clip', clip, self.clips)}")
            return np.asarray(list(self.clips).index(clip))
        index = np.asarray(clip)
        if index.dtype.kind not in "iu":
            raise TypeError(
                f"PoseTexture: clip must be a name, an index or an array of indices, got {clip!r}"
            )
        if index.size and (index.min() < 0 or index.max() >= len(self.clips)):
            raise ValueError(
                f"PoseTexture: clip must be at least 0 and below {len(self.clips)}, "
                f"got {index.min() if index.min() < 0 else index.max()}"
            )
        return index.astype(np.intp)


@set_module("lissom")
def load_bake(path: str | os.PathLike[str], verify: bool = True) -> PoseTexture:
    """Open a bake that `PoseTexture.save` wrote. Its arrays are read-only views of the mapped file.

    Parameters
    ----------
    path : str or path
        The file.
    verify : bool
        Compare the checksum (SHA-256) with all bytes, and look for numbers that are not finite: about a
        second for 300 MB. Without it tables and mesh alone are looked at, in milliseconds, and texels are
        fetched from the disk when they are used. For files that have been checked before.

    Returns
    -------
    PoseTexture
        Equal to the one saved, arrays byte for byte.

    Raises
    ------
    ValueError
        If the file is not a bake, is damaged, or needs a newer lissom: one sentence that says which.
    OSError
        If it cannot be opened.

    Notes
    -----
    The file may be replaced, also by saving this very bake to it: the arrays keep the old one. Do not cut it
    off or write into it in place. Files below 64 KiB, and all on Windows, are read instead of mapped.

    Examples
    --------
    >>> import tempfile
    >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bake.save(f"{folder}/bar.safetensors")
    ...     lissom.load_bake(f"{folder}/bar.safetensors")
    PoseTexture(2 clips, 242 frames, 2 rows, dual_quat float16, 7744 bytes, error 0.03% of size)
    """
    from lissom.pose_texture import _file as file

    return file.read(path, verify)


def _frozen(array: npt.NDArray[Any]) -> Any:
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def _checked_parents(
    parents: npt.ArrayLike | None, rig: Rig | None, count: int
) -> npt.NDArray[np.int32] | None:
    if parents is None:
        return None if rig is None else rig.parents
    above = np.array(parents, np.int32).reshape(-1)
    if len(above) != count:
        raise ValueError(f"PoseTexture: parents must have one for each of {count} joints, got {len(above)}")
    if count and not -1 <= int(above.min()) <= int(above.max()) < count:
        bad = above.min() if above.min() < -1 else above.max()
        raise ValueError(f"PoseTexture: parents must be -1 or one of {count} joints, got {bad}")
    step = above
    for _ in range(count.bit_length()):  # twice as far up each time: beyond the root, or round and round
        step = np.where(step < 0, -1, step[step])
    if (step >= 0).any():
        raise ValueError(f"PoseTexture: parents must lead to roots, got a circle at joint {step.max()}")
    frozen: npt.NDArray[np.int32] = _frozen(above)
    return frozen


def _checked_ranges(
    ranges: npt.NDArray[np.float32] | None, texels: TexelArray, clip_count: int
) -> npt.NDArray[np.float32] | None:
    if texels.dtype != np.uint8:
        if ranges is not None:
            raise ValueError(f"PoseTexture: ranges go with uint8 texels, got {texels.dtype}")
        return None
    shape = (clip_count, *texels.shape[1:3], 2, 4)
    if ranges is None or ranges.shape != shape or ranges.dtype != np.float32:
        got = "none" if ranges is None else f"{ranges.dtype} {ranges.shape}"
        raise ValueError(f"PoseTexture: ranges of uint8 texels must be float32 {shape}, got {got}")
    if not ends_are_finite(ranges) or (ranges[..., 1, :] < 0).any():
        raise ValueError("PoseTexture: ranges must be finite, with steps of at least 0")
    frozen: npt.NDArray[np.float32] = _frozen(ranges)
    return frozen
