# SPDX-License-Identifier: MIT
"""Clips baked into a texture of skin transforms."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._base.arrays import read_only
from lissom._base.by_name import ClipsByName
from lissom._base.doors import as_html, as_png, export_bake, show_bake
from lissom._base.names import counted
from lissom._base.set_module import set_module
from lissom._formats.kind import BAKE_SUFFIX
from lissom.pose_texture import _copies, _joint_matrices, _morph_weights, _pages, _sampling, _texel_edits
from lissom.pose_texture._checks import (
    check_rig,
    check_skin,
    checked_form,
    checked_parents,
    checked_ranges,
)
from lissom.pose_texture._layouts import Rig, TexelArray, Texels, layout_named
from lissom.pose_texture._report import BakedClip, BakeReport
from lissom.pose_texture._time_rule import TimeRule

if TYPE_CHECKING:
    from lissom._base.doors import Character, ExportReport, Player
    from lissom._rig.mesh import Mesh
    from lissom._rig.skin import Skin

__all__ = ["PoseTexture"]


@set_module("lissom")
class PoseTexture:
    """Skin transforms of clips, frame after frame, as a GPU reads them. Made by `lissom.bake`.

    Attributes
    ----------
    texels : ndarray of float16, float32 or uint8, shape (frames, rows, texels_per_row, 4), read-only
        Time-major. Texels of a row in the layout ``"dual_quat"``: real part x, y, z, w; dual part x, y, z, w;
        then nothing, or one texel (offset x, y, z and factor) of a uniform scale, or three (the rows of a 3x4
        matrix). A row moves bind positions to model space: first the scale, then the rigid transform. The
        other layouts: :doc:`/concepts/bake-layouts`.
    ranges : ndarray of float32, shape (clips, rows, texels_per_row, 2, 4), or None
        For texels of uint8: low and step of each number of each clip's rows; value = low + step * byte.
    weights : ndarray of float16 or float32, shape (frames, M), read-only, or None
        Weights of the morph targets, float32 beside texels of float32. On the GPU four of them are a texel.
        None without morph targets.
    morph_names : tuple of str
        Names of the M morph targets, "node/target": those of ``mesh.morphs``, where there is a mesh.
    clips : mapping of str to BakedClip
        In the order of the texture, one clip after another.
    joints : tuple of str
        Joint of each texel row. In the layout ``"rotations"`` one more row follows.
    skin : Skin or None
        Skin of the palettes: ``skin.joints`` are indices into `joints`, one for each palette row. None in a
        bake read from a file of version 1, whose texel rows are the palette rows.
    parents : ndarray of int32, shape (J,), read-only, or None
        Nearest ancestor of each joint among `joints`, as an index; -1 at a root. None in a bake read from a
        file of version 1, except where there is a `rig`.
    rig : Rig or None
        For layouts whose texel rows are joints (``"trs"``, ``"rotations"``): their parents (J,), their
        constant local trs (J, 10), and the index `moving` of the joint whose translation is stored.
    layout, method : str
        Layout of the texels; skinning method of the report. A layout can drive other `methods`, too.
    methods : tuple of str
        Skinning methods that the rows can drive.
    size : float
        The character's size, model units.
    mesh : Mesh or None
        The merged mesh, if the bake carries it.
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
        weights: npt.NDArray[Any] | None = None,
        morph_names: Sequence[str] = (),
    ) -> None:
        self._layout = layout_named("PoseTexture", report.layout)
        form = checked_form(texels, self._layout)
        self._time = TimeRule(clips, len(texels))
        check_rig(rig, self._layout, joints, texels.shape[1])
        check_skin(skin, self._layout, joints)
        frozen: Any = read_only(np.ascontiguousarray(texels))
        self._texels = Texels(frozen, form, checked_ranges(ranges, texels, len(clips)))
        self.texels: TexelArray = frozen
        self.ranges = self._texels.ranges
        self.weights, self.morph_names = _morph_weights.checked_weights(
            weights, morph_names, mesh, len(texels)
        )
        self.clips: Mapping[str, BakedClip] = ClipsByName(clips)
        self.joints = tuple(joints)
        self.skin = skin
        self.rig = rig
        self.parents = checked_parents(parents, rig, len(self.joints))
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
        morphs = "" if self.weights is None else f"{counted(len(self.morph_names), 'morph')}, "
        nbytes = self.texels.nbytes + (0 if self.weights is None else self.weights.nbytes)
        return (
            f"PoseTexture({clips}, {counted(frames, 'frame')}, {counted(rows, 'row')}, {morphs}{self.layout} "
            f"{self.texels.dtype}, {nbytes} bytes, "
            f"{'edited' if self.report.edited else f'error {self.report.max_relative:.2%} of size'})"
        )

    @property
    def palette_row_count(self) -> int:
        """Rows of the palettes that `sample` returns: ``len(skin)``."""
        return int(self.texels.shape[1]) if self.skin is None else len(self.skin)

    # Each is a function of the file that is named after its noun.
    frame_coordinate = _sampling.frame_coordinate
    sample = _sampling.sample
    palette = sample
    sample_frames = _sampling.sample_frames
    sample_morphs = _morph_weights.sample_morphs
    sample_morph_frames = _morph_weights.sample_morph_frames
    joint_matrices = _joint_matrices.joint_matrices
    pages = _pages.pages
    morph_pages = _pages.morph_pages
    edited = _copies.edited
    row = _texel_edits.row
    set_row = _texel_edits.set_row
    texel = _texel_edits.texel
    set_texel = _texel_edits.set_texel
    set_morphs = _morph_weights.set_morphs
    __reduce__ = _copies.reduced

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the bake into one safetensors file, atomically: a failed save leaves the old file.

        Equal bakes make equal bytes. Any safetensors reader finds the arrays; the tables are JSON in
        ``__metadata__``.

        Parameters
        ----------
        path : path-like
            Name that ends in ``.safetensors``. With ``.html`` or ``.htm``, a page is written instead that
            plays the bake in any browser, as `show` does; `lissom.load_bake` cannot read it.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ValueError
            If `path` ends otherwise; a texel, or a number of the report, is not finite.
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     same = lissom.load_bake(bake.save(f"{folder}/bar.safetensors"))
        >>> bool(np.array_equal(bake.texels, same.texels))
        True
        """
        from lissom.pose_texture import _file

        target = Path(path)
        suffix = target.suffix.lower()
        if suffix in (".html", ".htm"):
            return self.show().save(target)
        if suffix != BAKE_SUFFIX:
            raise ValueError(
                f"PoseTexture.save: path must end in {BAKE_SUFFIX}, or .html for a page that plays the bake, "
                f"got {target.name!r}"
            )
        _file.write(target, self)
        return target

    def export(
        self,
        form: str,
        folder: str | os.PathLike[str],
        *,
        name: str = "",
        rate: float | None = None,
        source: Character | None = None,
        **options: Any,
    ) -> ExportReport:
        """Write the bake as a folder of files that another engine plays, with the error of what it draws.

        Parameters
        ----------
        form : {"three", "babylon", "godot", "unity", "unreal", "openvat", "vertices"}
            :doc:`/howto/export-a-bake` has the table: what each holds, how large it is, what plays it.
        folder : path-like
            Folder to write. An earlier export there makes room, other files beside it stay; a folder of
            other files alone is refused.
        name : str
            Beginning of the names of files; that of the folder when empty.
        rate : float, optional
            Frames per second of forms that hold vertices, and of ``"babylon"``; the bake's own when omitted.
        source : Character, optional
            The character that was baked: errors are then measured against its clips. Otherwise they are
            measured against the bake, whose own errors are added: upper bounds.
        **options
            Options of the form: ``texture="png16"``.

        Returns
        -------
        ExportReport
            ``.error``, ``.clips``, ``.files``. README.md and lissom-export.json in the folder say the same.

        Raises
        ------
        ValueError
            If the form is not known or cannot hold the bake, the bake has no mesh, or the source is another
            character: before anything is written.
        TypeError
            If an argument is of another type, or the form has no such option.
        ImportError
            If the extra ``export`` is needed and missing.
        OSError
            If the files cannot be written; an earlier export is still there.

        Examples
        --------
        >>> import tempfile
        >>> bar = lissom.samples.twisted_bar()
        >>> bake = lissom.bake(bar, "bend", rate=30)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report = bake.export("openvat", f"{folder}/bar", rate=60, source=bar, texture="png16")
        >>> sorted(report.files)[:2]
        ['bar_bend_vat/bar_bend-remap_info.json', 'bar_bend_vat/bar_bend-vnrm.png']
        >>> report.error.max_relative < 0.001
        True
        """
        return export_bake(self, form, folder, name, rate, source, options)

    def show(
        self, *, method: str | None = None, width: int = 720, height: int = 480, title: str = "", **state: Any
    ) -> Player:
        """Play the bake in a browser: a notebook shows it in the cell.

        Parameters
        ----------
        method : {"linear", "dual_quat", "side_by_side"}, optional
            Method at the start; the bake's own when omitted.
        width, height : int
            Pixels, in a notebook.
        title : str
            Title of the page.
        **state
            Other settings at the start, such as ``clip="walk"``: :doc:`/howto/show-in-a-browser`.

        Returns
        -------
        lissom.player.Player
            ``.html``, ``.save(path)``.

        Raises
        ------
        TypeError, ValueError
            If a setting, or its value, is not known; if the bake has neither a mesh nor `parents`.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.two_bone_tube())
        >>> bake.show(clip="twist", method="side_by_side", skeleton=True).state["clip"]
        'twist'
        """
        return show_bake(self, method=method, width=width, height=height, title=title, **state)
