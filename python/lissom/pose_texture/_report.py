# SPDX-License-Identifier: MIT
"""The report of a bake: the distance of its vertices from those of the source clips."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lissom._base.by_name import ClipsByName
from lissom._base.doors import as_html
from lissom._base.names import counted
from lissom._base.printable import printable
from lissom._base.set_module import set_module
from lissom._formats.atomic import write_atomically
from lissom.clip._error import SUBFRAMES, ClipError

if TYPE_CHECKING:
    from lissom._formats.picture import Picture
    from lissom.clip import Marker
    from lissom.clip._root_motion import RootMotion

__all__ = ["BakeReport", "BakedClip"]

GPU_ERROR = 2e-6
"""Fraction of the size within which the shaders equal the C++ core."""


@set_module("lissom.bake_report")
@dataclass(frozen=True, eq=False)
class BakedClip:
    """One clip inside a pose texture.

    Attributes
    ----------
    first_frame, frame_count : int
        Frames within ``PoseTexture.texels``. The last one is the pose at the clip's end, for loops too.
    rate : float
        Frames per second: (frame_count - 1) / duration; 0 for a clip without duration.
    loop : bool
        Whether times outside the clip wrap (half open: the end is the start) or are clamped.
    start, duration : float
        Seconds, as in the source clip.
    bounds : ndarray of float32, shape (2, 3)
        Lowest and highest corner of the skinned vertices over the whole clip, model units.
    error : ClipError
        Measured against the source clip.
    markers : tuple of Marker
        Named moments, in the source clip's seconds, by time.
    root_motion : RootMotion or None
        Movement of the character through the world, over the source clip's seconds.

    Examples
    --------
    >>> bend = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).clips["bend"]
    >>> bend.frame_count == round(bend.rate * bend.duration) + 1
    True
    """

    first_frame: int
    frame_count: int
    rate: float
    loop: bool
    start: float
    duration: float
    bounds: npt.NDArray[np.float32]
    error: ClipError
    markers: tuple[Marker, ...] = ()
    root_motion: RootMotion | None = None

    def __repr__(self) -> str:
        plays = "loops" if self.loop else "plays once"
        return (
            f"<BakedClip: {counted(self.frame_count, 'frame')} at {self.rate:.4g} a second, {plays}, "
            f"error {self.error.max_relative:.2%} of size>"
        )

    @property
    def end(self) -> float:
        """Last moment of the clip, in seconds."""
        return self.start + self.duration


@set_module("lissom.bake_report")
@dataclass(frozen=True, eq=False)
class BakeReport:
    """The error of a bake, clip by clip, and what was chosen to reach it.

    Attributes
    ----------
    clips : mapping of str to BakedClip
        In the order of the texture.
    size : float
        The character's size in model units; relative errors are fractions of it. Where the mesh is a stub, of
        less than a tenth of the extent of its joints in the rest pose, that extent.
    layout, method, dtype : str
        Layout of the texels, skinning method of bake and source, type of the stored numbers.
    measured : str
        ``"skinned vertices"``, or ``"joint shell"`` for a character without a mesh, or with a stub: for each
        joint the joint itself and three points at 3 % of the size from it, one on each of its axes.
    vertex_count : int
        Points measured at each moment.
    subframes : tuple of float
        Fractions of each interval that were measured, beside keys between frames.
    max_error : float or None
        The largest error allowed, as a fraction of `size`.
    notes : tuple of str
        One sentence for each choice of the bake: rates raised, types widened, a stub of a mesh not measured.
    edited : bool
        Whether texels were edited since they were measured: the errors may not hold.
    joints : tuple of str
        Joint of each palette row.
    joint_max, joint_rms : ndarray of float32, shape (clips, rows), or None
        Largest and root mean square distance of the vertices of each palette row. A vertex belongs to the row
        of its heaviest influence (the lowest of equals). Model units, without jumps; NaN where a row has no
        vertices. None in files of format version 1.
    morph_count : int
        Morph targets whose weights are baked beside the poses; errors are of vertices that they and the
        palette move.
    left_out : float
        How far a vertex moves at most, at the frames, where all but its 8 heaviest influences are left out as
        on the GPU; model units. 0 for a mesh with no more.

    Examples
    --------
    >>> report = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).report
    >>> report.measured, report.max_relative < 0.001
    ('skinned vertices', True)
    """

    clips: Mapping[str, BakedClip]
    size: float
    layout: str
    method: str
    dtype: str
    measured: str
    vertex_count: int
    subframes: tuple[float, ...] = SUBFRAMES
    max_error: float | None = None
    notes: tuple[str, ...] = field(default=())
    edited: bool = False
    joints: tuple[str, ...] = ()
    joint_max: npt.NDArray[np.float32] | None = None
    joint_rms: npt.NDArray[np.float32] | None = None
    left_out: float = 0.0
    morph_count: int = 0

    def __post_init__(self) -> None:
        object.__setattr__(self, "clips", ClipsByName(self.clips))
        for name in ("joint_max", "joint_rms"):
            values = getattr(self, name)
            if values is None:
                continue
            with np.errstate(over="ignore"):  # what float32 cannot hold is refused below
                table = np.array(values, dtype=np.float32)
            if table.shape != (len(self.clips), len(self.joints)):
                raise ValueError(
                    f"BakeReport: {name} must have shape ({len(self.clips)} clips, {len(self.joints)} joints)"
                    f", got {table.shape}"
                )
            if np.isinf(table).any():
                raise ValueError(f"BakeReport: {name} must fit float32, got {np.max(values)}")
            table.flags.writeable = False
            object.__setattr__(self, name, table)

    @property
    def max_relative(self) -> float:
        """Largest error of all clips, as a fraction of the size."""
        return max((clip.error.max_relative for clip in self.clips.values()), default=0.0)

    @property
    def _morphed(self) -> str:
        """What moves the points before skinning, for texts; empty without morph targets."""
        return f"{counted(self.morph_count, 'morph target')} and " if self.morph_count else ""

    @property
    def crowd_max(self) -> float:
        """How far a vertex that `lissom.gpu.Crowd` draws is from the source clip at most, model units.

        The sum of the largest error of all clips, of `left_out`, and of 2e-6 of the size for float32 on the
        GPU. It holds as the errors do: for the mesh and the method that were measured, without the jumps of
        STEP tracks, which each clip states apart; and for instances at the origin that do not fade. Away from
        it, float32 adds 2e-6 of the distance.
        """
        largest = max((clip.error.max for clip in self.clips.values()), default=0.0)
        return largest + self.left_out + GPU_ERROR * self.size

    def __reduce__(self) -> tuple[Any, ...]:
        # The constructor makes arrays read-only again; a BakeError takes its report across processes.
        return _report, (self.__dict__,)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain numbers, strings, lists and dicts, ready for JSON.

        Each clip holds the errors of its joints, None for joints without vertices.

        Examples
        --------
        >>> report = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).report
        >>> report.to_dict()["clips"]["bend"]["error"]["max"] == report.clips["bend"].error.max
        True
        """
        by_clip = ("clips", "joint_max", "joint_rms")
        result = {name: value for name, value in self.__dict__.items() if name not in by_clip}
        for name in ("subframes", "notes", "joints"):
            result[name] = list(result[name])
        result["max_relative"] = self.max_relative
        result["crowd_max"] = self.crowd_max
        result["clips"] = {
            name: {
                "frame_count": clip.frame_count,
                "rate": clip.rate,
                "loop": clip.loop,
                "start": clip.start,
                "duration": clip.duration,
                "bounds": clip.bounds.tolist(),
                "error": asdict(clip.error),
                "joint_max": _plain(self.joint_max, i),
                "joint_rms": _plain(self.joint_rms, i),
            }
            for i, (name, clip) in enumerate(self.clips.items())
        }
        return result

    def to_json(self) -> str:
        """Return the report as JSON text; see `to_dict`.

        Examples
        --------
        >>> import json
        >>> report = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).report
        >>> list(json.loads(report.to_json())["clips"])
        ['bend']
        """
        return json.dumps(self.to_dict(), indent=1, ensure_ascii=False, allow_nan=False) + "\n"

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the report as JSON, atomically: a failed save leaves the old file.

        Parameters
        ----------
        path : path-like
            Name that ends in ``.json``. For a picture: ``report.picture().save("bake.png")``.

        Returns
        -------
        Path
            The file.

        Raises
        ------
        ValueError
            If the name ends otherwise, or an error is not finite.
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import tempfile
        >>> report = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).report
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     report.save(f"{folder}/bar.json").name
        'bar.json'
        """
        target = Path(path)
        if target.suffix.lower() != ".json":
            raise ValueError(f"BakeReport.save: path must end in .json, got {target.name!r}")
        write_atomically(path, [self.to_json().encode()])
        return target

    def picture(self, *, width: int | None = None) -> Picture:
        """Draw the report: max, p99 and rms of each clip as a bar, and the error of each joint as a heat map.

        Errors are in percent of the character's size, on a logarithmic scale, since they span decades.
        Joints without vertices are left out; so is the heat map where the report has no errors of joints.

        Parameters
        ----------
        width : int, optional
            Width in pixels, at least 900; by the number of joints when omitted. The height is by the number
            of clips.

        Returns
        -------
        Picture

        Raises
        ------
        TypeError, ValueError
            If `width` is not a whole number, or too small.
        ImportError
            If Pillow is missing; it comes with ``lissom[gl]``.

        Examples
        --------
        >>> report = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30).report
        >>> report.picture().width >= 900
        True
        """
        from lissom.pose_texture._report_picture import draw

        return draw(self, width)

    _repr_html_ = as_html

    def __repr__(self) -> str:
        return (
            f"<BakeReport: {counted(len(self.clips), 'clip')}, {self.layout} {self.dtype}, "
            f"{self.measured}, error {self.max_relative:.2%} of size>"
        )

    def __str__(self) -> str:
        head = (
            f"{self.layout}, {self.dtype}; {self.vertex_count} points ({self.measured}) by {self._morphed}"
            f"{self.method} skinning; size {self.size:.6g}; errors in percent of it"
        )
        shown = {name: printable(name) for name in self.clips}
        name_width = max([4, *map(len, shown.values())])
        lines = [
            head,
            f"{'clip':<{name_width}}  frames    rate       max       p99       rms     jumps  worst",
        ]
        percent = 100.0 / self.size if self.size > 0 else 0.0
        for name, clip in self.clips.items():
            error = clip.error
            jumps = f"{error.jumps.max * percent:9.4f}" if error.jumps else f"{'-':>9}"
            worst = f"  {printable(error.worst.joint)}, {error.worst.time:.3f} s" if error.worst else ""
            errors = " ".join(f"{value * percent:9.4f}" for value in (error.max, error.p99, error.rms))
            row = f"{shown[name]:<{name_width}}  {clip.frame_count:6d}  {clip.rate:6.1f} {errors}"
            lines.append(f"{row} {jumps}{worst}")
        lines.append(
            f"drawn by a crowd: within {self.crowd_max * percent:.4f} % of the size, {self.crowd_max:.3g} "
            "model units, of the source clips"
        )
        return "\n".join([*lines, *map(printable, self.notes)])


def _plain(table: npt.NDArray[np.float32] | None, row: int) -> list[float | None] | None:
    return None if table is None else [None if value != value else value for value in table[row].tolist()]


def _report(values: dict[str, Any]) -> BakeReport:
    return BakeReport(**values)
