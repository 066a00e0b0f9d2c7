# SPDX-License-Identifier: MIT
"""Clips: what moves the joints of a skeleton over time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._arrays import as_floats, as_numbers, read_only
from lissom._key_rate import key_rate
from lissom.skeleton import Skeleton

__all__ = ["CUBICSPLINE", "LINEAR", "ROTATION", "SCALE", "STEP", "TRACK_DTYPE", "TRANSLATION", "Clip"]

TRACK_DTYPE = np.dtype(
    [
        ("joint", "<i4"),
        ("path", "<i4"),
        ("interpolation", "<i4"),
        ("key_count", "<i4"),
        ("times", "<i8"),
        ("values", "<i8"),
    ]
)
"""One track: a joint, a path, an interpolation, and where its key times and values begin in ``Clip.keys``."""

TRANSLATION, ROTATION, SCALE = 0, 1, 2
STEP, LINEAR, CUBICSPLINE = 0, 1, 2
_COLUMNS = {TRANSLATION: slice(0, 3), ROTATION: slice(3, 7), SCALE: slice(7, 10)}

# A clip is taken for a loop where its first and last pose agree this well: 0.02 rad moves the end of an arm
# by about a centimetre. Clips of game characters made to loop mostly agree to 1e-4.
LOOP_ANGLE = 0.02  # radians
LOOP_DISTANCE = 2e-3  # of the skeleton's size
LOOP_SCALE = 1e-2  # of the scale


class Clip:
    """Tracks of keys that move the joints of one skeleton.

    Storage is flat, so that the buffer of a file is used as it is: all key times and values lie in one
    array `keys`, which many clips may share, and `tracks` says where. Keys are checked when the clip is
    first sampled.

    Parameters
    ----------
    name : str
    skeleton : Skeleton
    keys : ndarray of float32 or float64, 1-D
        Times (seconds) and values. Not copied: do not change it afterwards. Poses are sampled in its type.
    tracks : ndarray of TRACK_DTYPE, shape (T,)
        ``joint``; ``path`` 0 translation, 1 rotation, 2 scale; ``interpolation`` 0 STEP, 1 LINEAR,
        2 CUBICSPLINE; ``key_count``; ``times`` and ``values``: elements of `keys` where ``key_count`` times
        and as many values of 3 numbers (rotations: x, y, z, w) begin. A CUBICSPLINE key holds in-tangent,
        value, out-tangent. The times of a track are finite and increase strictly. A joint has at most one
        track of each path.
    loop : bool, optional
        Whether times wrap around. Guessed when first asked for, if omitted: True where the clip lasts and its
        first and last pose agree within 0.02 rad, 0.002 of the skeleton's size and 1 % of scale.

    Raises
    ------
    TypeError
        If `keys` or `tracks` has another type.
    ValueError
        If a track points outside `keys` or the skeleton, or repeats a joint and path.

    See Also
    --------
    Clip.from_poses : a clip from poses at given times.

    References
    ----------
    .. [1] Khronos, glTF 2.0 specification, section 3.11 and appendix C: the interpolations.
    """

    def __init__(
        self,
        name: str,
        skeleton: Skeleton,
        keys: NDArray[Any],
        tracks: NDArray[np.void],
        *,
        loop: bool | None = None,
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"Clip: name must be a string, got {type(name).__name__}")
        if not isinstance(skeleton, Skeleton):
            raise TypeError(f"Clip: skeleton must be a Skeleton, got {type(skeleton).__name__}")
        if not isinstance(tracks, np.ndarray) or tracks.dtype != TRACK_DTYPE:
            got = tracks.dtype if isinstance(tracks, np.ndarray) else type(tracks).__name__
            raise TypeError(f"Clip: tracks must be an array of TRACK_DTYPE, got {got}")
        self._name = name
        self._skeleton = skeleton
        self._start, self._end = _core.tracks_span(keys, tracks, len(skeleton))
        self._keys = read_only(keys)
        self._tracks = read_only(tracks)
        self._loop = None if loop is None else bool(loop)
        self._prepared: _core.Tracks | None = None
        self._key_rate: float | None = None
        self._key_rate_known = False

    @classmethod
    def from_poses(
        cls,
        skeleton: Skeleton,
        times: ArrayLike,
        poses: ArrayLike,
        *,
        name: str = "clip",
        loop: bool | None = None,
    ) -> Clip:
        """Make a clip that passes through poses.

        Parameters
        ----------
        skeleton : Skeleton
        times : array_like of float, shape (F,)
            Seconds, strictly increasing.
        poses : array_like of float, shape (F, J, 10)
            The local trs at each time; float64 makes a float64 clip. Copied.
        name : str
        loop : bool, optional
            As for `Clip`.

        Returns
        -------
        Clip
            One LINEAR track for each joint and path that is not at rest in all poses. Where all are, the
            rotation of the first joint keeps its track, so that the clip keeps its times.

        Raises
        ------
        ValueError
            If shapes do not match, there is no pose, times do not increase, or a value is not finite.
        """
        poses = as_floats(poses, "Clip.from_poses: poses")
        key_times = as_numbers(times, "Clip.from_poses: times").astype(poses.dtype)
        count = len(skeleton)
        if key_times.ndim != 1 or key_times.size == 0:
            raise ValueError(
                f"Clip.from_poses: times must have shape (F,), F at least 1, got {key_times.shape}"
            )
        frames = len(key_times)
        if poses.shape != (frames, count, 10):
            raise ValueError(
                f"Clip.from_poses: poses must have shape ({frames}, {count}, 10) for {frames} times and "
                f"{count} joints, got {poses.shape}"
            )
        moved = (poses != skeleton.rest).any(axis=0)
        chosen = [
            (j, p) for p, columns in _COLUMNS.items() for j in np.flatnonzero(moved[:, columns].any(axis=1))
        ]
        if not chosen and count:
            chosen = [(np.intp(0), ROTATION)]
        parts = [key_times]
        tracks = np.zeros(len(chosen), TRACK_DTYPE)
        tracks["interpolation"] = LINEAR
        tracks["key_count"] = frames
        offset = frames
        for track, (joint, path) in zip(tracks, chosen, strict=True):
            values = poses[:, joint, _COLUMNS[path]].ravel()
            track["joint"], track["path"], track["values"] = joint, path, offset
            parts.append(values)
            offset += values.size
        clip = cls(name, skeleton, np.concatenate(parts), tracks, loop=loop)
        clip._ready()
        return clip

    @property
    def name(self) -> str:
        """Name of the clip."""
        return self._name

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton whose joints the tracks move."""
        return self._skeleton

    @property
    def keys(self) -> NDArray[Any]:
        """Key times and values of all tracks, 1-D, float32 or float64. Read-only."""
        return self._keys

    @property
    def tracks(self) -> NDArray[np.void]:
        """The tracks, of TRACK_DTYPE, shape (T,). Read-only."""
        return self._tracks

    @property
    def start(self) -> float:
        """Seconds of the first key; 0 without tracks."""
        return self._start

    @property
    def end(self) -> float:
        """Seconds of the last key; 0 without tracks."""
        return self._end

    @property
    def duration(self) -> float:
        """Seconds from the first key to the last."""
        return self._end - self._start

    @property
    def loop(self) -> bool:
        """Whether times wrap around. Guessed from the seam unless set; None guesses again."""
        if self._loop is None:
            self._loop = self._seam_agrees()
        return self._loop

    @loop.setter
    def loop(self, value: bool | None) -> None:
        self._loop = None if value is None else bool(value)

    @property
    def key_rate(self) -> float | None:
        """Keys per second where all keys lie on one regular grid (a track may leave some out), else None.

        Times stored as float32 count as regular: a key may lie 0.02 of an interval off the grid. A clip with
        fewer than two key times has no rate.
        """
        if not self._key_rate_known:
            if self._prepared is None:
                self._ready()  # refuses times that do not increase
            self._key_rate = key_rate(self._keys, self._tracks)
            self._key_rate_known = True
        return self._key_rate

    def sample(
        self, times: ArrayLike, loop: bool | None = None, out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Local poses at given times.

        STEP tracks take the key at exactly its time. LINEAR rotations slerp the short way. CUBICSPLINE is
        Hermite's, rotations normalised afterwards. Before its first key and after its last a track stays
        there; what has no track stays at rest. Sampled rotations are unit.

        Parameters
        ----------
        times : array_like of float, shape (...)
            Seconds. Held in double; sorted times are the fastest.
        loop : bool, optional
            Whether times wrap into [start, end), in double; ``clip.loop`` if omitted. False clamps them.
        out : ndarray, shape (..., J, 10), optional
            Where to write, of the type of ``keys``, C-contiguous; allocated when omitted.

        Returns
        -------
        ndarray, shape (..., J, 10)
            Translation 3, rotation x, y, z, w, scale 3 of each joint relative to its parent.

        Raises
        ------
        TypeError
            If `out` has another type or layout.
        ValueError
            If a time is not finite, or `out` has another shape. At the first call also if a key is not
            finite, the times of a track do not increase, or a rotation has length zero.
        """
        seconds = np.asarray(as_numbers(times, "Clip.sample: times"), np.float64, order="C")
        if out is None:
            out = np.empty((*seconds.shape, len(self._skeleton), 10), self._keys.dtype)
        (self._prepared or self._ready()).sample(seconds, out, self.loop if loop is None else loop)
        return out

    def at(self, phase: ArrayLike) -> NDArray[Any]:
        """Local poses at fractions of the duration.

        Parameters
        ----------
        phase : array_like of float, shape (...)
            0 is the start, 1 the end; a loop has the same pose at both.

        Returns
        -------
        ndarray, shape (..., J, 10)

        Raises
        ------
        ValueError
            If a phase lies outside [0, 1] or is not-a-number.
        """
        fraction = as_numbers(phase, "Clip.at: phase").astype(np.float64)
        if not ((fraction >= 0) & (fraction <= 1)).all():
            raise ValueError("Clip.at: phase must lie in [0, 1]; use sample for times beyond the clip")
        return self.sample(np.where(fraction < 1, self._start + fraction * self.duration, self._end))

    def _ready(self) -> _core.Tracks:
        """Check the keys and prepare sampling, once."""
        rest = self._skeleton.rest.astype(self._keys.dtype, copy=False)
        self._prepared = _core.Tracks(self._keys, self._tracks, rest)
        return self._prepared

    def _seam_agrees(self) -> bool:
        if not self.duration > 0:
            return False
        first, last = self.sample([self._start, self._end], loop=False).astype(np.float64)
        distance = np.linalg.norm(first[:, :3] - last[:, :3], axis=1)
        cosine = np.abs(np.sum(first[:, 3:7] * last[:, 3:7], axis=1))
        angle = 2 * np.arccos(np.minimum(cosine, 1))
        difference = np.abs(first[:, 7:] - last[:, 7:])
        scale = np.maximum(np.abs(first[:, 7:]), np.abs(last[:, 7:]))
        return bool(
            np.all(distance <= LOOP_DISTANCE * self._skeleton.size)
            and np.all(angle <= LOOP_ANGLE)
            and np.all(difference <= LOOP_SCALE * scale)
        )

    def __repr__(self) -> str:
        kind = "" if self._loop is None else ", loops" if self._loop else ", does not loop"
        return (
            f"<Clip {self._name!r}: {self.duration:.3f} s from {self._start:.3f} s, {len(self._tracks)} "
            f"tracks for {len(self._skeleton)} joints{kind}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        keys, tracks = self._packed()
        return _restored, (type(self), self._name, self._skeleton, keys, tracks, self._loop)

    def __copy__(self) -> Clip:
        return type(self)(self._name, self._skeleton, self._keys, self._tracks, loop=self._loop)

    def _packed(self) -> tuple[NDArray[Any], NDArray[np.void]]:
        """Give keys and tracks without what other clips keep in the same array."""
        tracks = self._tracks.copy()
        places: dict[tuple[int, int], int] = {}
        parts: list[NDArray[Any]] = [self._keys[:0]]
        size = 0
        for track in tracks:
            count = int(track["key_count"])
            width = (4 if track["path"] == ROTATION else 3) * (
                3 if track["interpolation"] == CUBICSPLINE else 1
            )
            for field, length in (("times", count), ("values", count * width)):
                begin = int(track[field])
                if (begin, length) not in places:
                    places[begin, length] = size
                    parts.append(self._keys[begin : begin + length])
                    size += length
                track[field] = places[begin, length]
        return np.concatenate(parts), tracks


def _restored(
    cls: type[Clip],
    name: str,
    skeleton: Skeleton,
    keys: NDArray[Any],
    tracks: NDArray[np.void],
    loop: bool | None,
) -> Clip:
    return cls(name, skeleton, keys, tracks, loop=loop)
