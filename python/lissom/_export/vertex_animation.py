# SPDX-License-Identifier: MIT
"""A mesh whose vertices move from frame to frame, whatever moves them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from lissom._base.arrays import as_floats, finite_floats, read_only
from lissom._base.by_name import ClipsByName
from lissom._base.names import counted, name_meant
from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom._export.vertex_clip import VertexClip
from lissom._rig.mesh import Mesh

if TYPE_CHECKING:
    from lissom._export.report import ExportReport
    from lissom.pose_texture import PoseTexture

__all__ = ["PLAYBACKS", "Playback", "VertexAnimation"]

Playback = Literal["interpolate", "snap"]
PLAYBACKS: tuple[str, ...] = get_args(Playback)
"""What an engine does between two frames: mixes them, or shows the earlier one."""

Floats = npt.NDArray[np.float32]


@set_module("lissom")
class VertexAnimation:
    """A mesh whose vertices move from frame to frame: what is left of a bake without its skin, or had none.

    Parameters
    ----------
    mesh : Mesh
        Triangles, texture coordinates, parts, and the positions at rest.
    positions : array_like, shape (frames, V, 3)
        Of each vertex at each frame, model units.
    clips : mapping of str to VertexClip
        One after another, in the order of the frames.
    normals : array_like, shape (frames, V, 3), optional
        Unit vectors.

    Raises
    ------
    TypeError
        If an argument is of another type.
    ValueError
        If shapes do not fit, a number is not finite, or clips do not fill the frames one after another.

    See Also
    --------
    PoseTexture.export : bakes of skinned characters, in these forms and smaller ones.

    Examples
    --------
    A flag, which no skin moves:

    >>> x, y = np.meshgrid(np.linspace(0, 1, 8), np.linspace(0, 1, 5))
    >>> corners = np.arange(40).reshape(5, 8)
    >>> a, b, c = corners[:-1, :-1].ravel(), corners[:-1, 1:].ravel(), corners[1:, :-1].ravel()
    >>> triangles = np.concatenate([np.c_[a, b, c], np.c_[b, c + 1, c]])
    >>> flag = lissom.Mesh(np.stack([x, y, 0 * x], axis=-1).reshape(-1, 3), triangles)
    >>> t = np.linspace(0, 1, 31)[:, None, None]
    >>> waves = np.broadcast_arrays(x, y, 0.1 * x * np.sin(6 * x - 2 * np.pi * t))
    >>> waves = np.stack(waves, axis=-1).reshape(31, -1, 3)
    >>> flying = lissom.VertexAnimation(flag, waves, {"fly": lissom.VertexClip(0, 31, 30.0, loop=True)})
    >>> flying
    VertexAnimation(1 clip, 31 frames, 40 vertices)
    >>> flying.sample("fly", [0.25, 1.25]).shape
    (2, 40, 3)
    """

    def __init__(
        self,
        mesh: Mesh,
        positions: npt.ArrayLike,
        clips: Mapping[str, VertexClip],
        *,
        normals: npt.ArrayLike | None = None,
    ) -> None:
        if not isinstance(mesh, Mesh):
            raise TypeError(f"VertexAnimation: mesh must be a Mesh, got {type(mesh).__name__}")
        self.mesh = mesh
        self.positions: Floats = _frames(positions, "positions", mesh)
        self.normals: Floats | None = None if normals is None else _frames(normals, "normals", mesh)
        if self.normals is not None and len(self.normals) != len(self.positions):
            raise ValueError(
                f"VertexAnimation: normals must have the {len(self.positions)} frames of positions, got "
                f"{len(self.normals)}"
            )
        self.clips: Mapping[str, VertexClip] = ClipsByName(_checked_clips(clips, len(self.positions)))

    @classmethod
    def of_bake(cls, bake: PoseTexture, rate: float | None = None) -> VertexAnimation:
        """Return the vertices that a bake draws, by its own method.

        Parameters
        ----------
        bake : PoseTexture
            With its mesh.
        rate : float, optional
            Frames per second; those of the bake when omitted. Frames are spread over each clip, so that the
            last is its end.

        Returns
        -------
        VertexAnimation

        Raises
        ------
        ValueError
            If the bake has no mesh, or the rate is not above 0.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
        >>> lissom.VertexAnimation.of_bake(bake, rate=10)
        VertexAnimation(1 clip, 41 frames, 2258 vertices)
        """
        from lissom._export.baked_vertices import vertices_of

        if rate is not None:
            check_number(rate, "VertexAnimation.of_bake: rate", above_zero=True)
        return vertices_of(bake, list(bake.clips), rate)

    def __repr__(self) -> str:
        frames, vertices, _ = self.positions.shape
        return (
            f"VertexAnimation({counted(len(self.clips), 'clip')}, {counted(frames, 'frame')}, "
            f"{vertices} vertices)"
        )

    @property
    def size(self) -> float:
        """Largest side of the box around all frames, model units; errors are fractions of it."""
        flat = self.positions.reshape(-1, 3)
        return float((flat.max(axis=0) - flat.min(axis=0)).max()) if len(flat) else 0.0

    def sample(
        self,
        clip: str,
        times: npt.ArrayLike,
        loop: bool | None = None,
        *,
        playback: Playback = "interpolate",
    ) -> npt.NDArray[np.float32]:
        """Return the vertices at some times of a clip, as an engine shows them.

        Parameters
        ----------
        clip : str
            Name of the clip.
        times : array_like
            Seconds.
        loop : bool, optional
            Whether times wrap, half open: the end is the start; else they are clamped. As the clip says when
            omitted.
        playback : {"interpolate", "snap"}
            Mix the frames around a time, or show the earlier one.

        Returns
        -------
        ndarray of float32, shape (..., V, 3)

        Raises
        ------
        KeyError
            If there is no such clip.
        ValueError
            If a time is not finite, or `playback` another.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), "bend", rate=30)
        >>> lissom.VertexAnimation.of_bake(bake).sample("bend", 0.5, playback="snap").shape
        (2258, 3)
        """
        found = self.clips[clip]
        if playback not in PLAYBACKS:
            raise ValueError(
                f"VertexAnimation.sample: playback must be one of {', '.join(PLAYBACKS)}, got {playback!r}"
            )
        seconds = finite_floats(times, "VertexAnimation.sample: times")
        coordinates = frame_coordinates(found, seconds, found.loop if loop is None else loop)
        if playback == "snap":
            return np.asarray(self.positions[found.first_frame + whole_frames(coordinates)])
        before = np.floor(coordinates).astype(np.int64)
        after = np.minimum(before + 1, found.frame_count - 1)
        share = (coordinates - before).astype(np.float32)[..., None, None]
        first, second = (self.positions[found.first_frame + frames] for frames in (before, after))
        return np.asarray(first * (1 - share) + second * share)

    def clip(self, name: str) -> VertexAnimation:
        """Return one clip alone.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        VertexAnimation

        Raises
        ------
        KeyError
            If there is no such clip.

        Examples
        --------
        >>> bake = lissom.bake(lissom.samples.twisted_bar(), rate=30)
        >>> lissom.VertexAnimation.of_bake(bake).clip("bend")
        VertexAnimation(1 clip, 121 frames, 2258 vertices)
        """
        name = name_meant(name, self.clips) or name
        found = self.clips[name]
        frames = slice(found.first_frame, found.first_frame + found.frame_count)
        normals = None if self.normals is None else self.normals[frames]
        alone = {name: replace(found, first_frame=0)}
        return VertexAnimation(self.mesh, self.positions[frames], alone, normals=normals)

    def export(
        self, form: str, folder: str | os.PathLike[str], *, name: str = "", **options: Any
    ) -> ExportReport:
        """Write the animation as files that another engine plays.

        Parameters
        ----------
        form : {"openvat", "vertices"}
            See `PoseTexture.export`; the others need a skin.
        folder : path-like
            Folder to write. An earlier export there makes room, other files beside it stay.
        name : str
            Beginning of the names of files; that of the folder when empty.
        **options
            Options of the form.

        Returns
        -------
        ExportReport
            Files, sizes, and the error of what the engine plays.

        Raises
        ------
        TypeError, ValueError
            If the form is not known, cannot hold the clips, or an option is wrong: before any writing.
        OSError
            If the files cannot be written; an old folder is still there.

        Examples
        --------
        >>> import tempfile
        >>> mesh = lissom.Mesh(np.eye(3), [[0, 1, 2]])
        >>> still = lissom.VertexAnimation(mesh, [np.eye(3)], {"still": lissom.VertexClip(0, 1)})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     list(still.export("vertices", f"{folder}/thing").files)
        ['thing.safetensors']
        """
        from lissom._export.export import export

        return export(self, form, folder, name, None, None, options)


def frame_coordinates(
    clip: VertexClip, seconds: npt.NDArray[np.float64], loop: bool
) -> npt.NDArray[np.float64]:
    """Return frames of a clip with fractions: the rule of bakes, `TimeRule.coordinate`."""
    local, duration = seconds - clip.start, clip.duration
    if loop and duration > 0:
        local = np.mod(local, duration)
        local = np.where(local >= duration, 0.0, local)  # just below zero rounds up to the duration itself
    return np.minimum(np.clip(local, 0.0, duration) * clip.rate, clip.frame_count - 1)


def whole_frames(coordinates: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the frames that are shown whole; a time within a millionth of a frame is that frame's."""
    return np.floor(coordinates + 1e-6).astype(np.int64)


def _frames(values: npt.ArrayLike, what: str, mesh: Mesh) -> Floats:
    array = as_floats(values, f"VertexAnimation: {what}")
    if array.ndim != 3 or array.shape[1:] != (mesh.vertex_count, 3) or not len(array):
        raise ValueError(
            f"VertexAnimation: {what} must have shape (frames, {mesh.vertex_count}, 3), got {array.shape}"
        )
    if not np.isfinite(array).all():
        frame, vertex, _ = np.argwhere(~np.isfinite(array))[0]
        raise ValueError(
            f"VertexAnimation: {what} must be finite, got {array[frame, vertex].tolist()} at frame {frame}, "
            f"vertex {vertex}"
        )
    return read_only(np.array(array, np.float32))


def _checked_clips(clips: Mapping[str, VertexClip], frame_count: int) -> dict[str, VertexClip]:
    first = 0
    for name, clip in dict(clips).items():
        if not isinstance(clip, VertexClip):
            raise TypeError(f"VertexAnimation: clip {name!r} must be a VertexClip, got {type(clip).__name__}")
        if clip.first_frame != first:
            raise ValueError(
                f"VertexAnimation: clip {name!r} must start at frame {first}, behind the one before, got "
                f"{clip.first_frame}"
            )
        first += clip.frame_count
    if first != frame_count:
        raise ValueError(f"VertexAnimation: clips must fill all {frame_count} frames, got {first}")
    return dict(clips)
