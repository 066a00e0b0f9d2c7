# SPDX-License-Identifier: MIT
"""The clip: tracks of keys, and sampling them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import _core
from lissom._base.arrays import as_numbers, read_only
from lissom._base.doors import as_html, as_png
from lissom._base.set_module import set_module
from lissom._rig.skeleton import Skeleton
from lissom.clip import (
    _bind,
    _from_poses,
    _loop,
    _markers,
    _mirror,
    _reduce,
    _resample,
    _sequence,
    _timing,
    _to_bvh,
    _trim,
)
from lissom.clip import _closed_loop as _seam
from lissom.clip import _root_motion_edits as _root_motion
from lissom.clip._bind import Binding
from lissom.clip._key_rate import key_rate
from lissom.clip._loop import LOOP_CODES, checked_loop
from lissom.clip._markers import Marker, checked_markers
from lissom.clip._report import ClipReport
from lissom.clip._tracks import TRACK_DTYPE, Track, packed, unpacked

if TYPE_CHECKING:  # a Literal that Jedi finds in a property ends the completion of the whole class
    from lissom.clip._loop import Loop
    from lissom.clip._root_motion import RootMotion

# What a joint without tracks has in an additive clip. Scales are differences, too: see make_additive.
NO_DIFFERENCE = (0, 0, 0, 0, 0, 0, 1, 0, 0, 0)


@set_module("lissom")
class Clip:
    """Tracks of keys that move the joints of one skeleton.

    Storage is flat, so that the buffer of a file is used as it is: all key times and values lie in one
    array `keys`, which many clips may share, and `tracks` says where. Keys are checked when the clip is
    first sampled or edited.

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
    loop : bool or "ping_pong", optional
        Whether times wrap around. Guessed when first asked for, if omitted: True where the clip lasts and its
        first and last pose agree within 0.02 rad, 0.002 of the skeleton's size and 1 % of scale.
    markers : iterable of (float, str)
        Named moments: seconds and a name.
    additive : bool
        Whether poses are differences, to be added to others: see `make_additive`. What has no track then has
        no difference instead of the rest pose.
    uniform : bool
        Whether the tracks are frames of one regular grid, which is the fastest to sample: see the notes.
        `resampled` makes such clips.
    root_motion : RootMotion, optional
        What was taken out of the tracks to be moved by: see `extract_root_motion`.

    Raises
    ------
    TypeError
        If `keys` or `tracks` has another type.
    ValueError
        If a track points outside `keys` or the skeleton, or repeats a joint and path. If the clip shall be
        uniform and its tracks are not.

    See Also
    --------
    Clip.from_poses : a clip from poses at given times.

    Notes
    -----
    Rotations of LINEAR tracks slerp the short way: they turn at constant speed. Rotations of a uniform clip
    nlerp: they lerp, the short way too, and are normalised. That is the same path at a speed that is not
    quite constant: between frames that are turned by θ radians it is off by at most θ³/240 up to a right
    angle (8e-5 degrees for frames 4 degrees apart, 0.034 for 30, 0.92 for 90), and not at all at the frames.

    The tracks of a uniform clip are all LINEAR and have the same times, at equal distances within what
    float32 stores. When it is first sampled, their values are laid out frame by frame (in float32 44 bytes
    for each joint), so that a time is found without search. The last frame is the pose at ``end``: a loop
    never mixes it with the first.

    References
    ----------
    .. [1] Khronos, glTF 2.0 specification, section 3.11 and appendix C: the interpolations.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> walk
    <Clip 'walk': 1.100 s from 0.000 s, 33 tracks for 34 joints, loops, with root motion>
    >>> walk.sample([0.0, 0.5]).shape
    (2, 34, 10)
    >>> walk.loop, round(walk.duration, 2), round(walk.key_rate)
    (True, 1.1, 30)
    """

    def __init__(
        self,
        name: str,
        skeleton: Skeleton,
        keys: NDArray[Any],
        tracks: NDArray[np.void],
        *,
        loop: Loop | None = None,
        markers: Iterable[tuple[float, str]] = (),
        additive: bool = False,
        uniform: bool = False,
        root_motion: RootMotion | None = None,
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
        self._start, self._end = _core.tracks_span(keys, tracks, len(skeleton), bool(uniform))
        self._keys = read_only(keys)
        self._tracks = read_only(tracks)
        self._loop = checked_loop(loop)  # None: guessed when asked for, and again after an edit
        self._guessed_loop: bool | None = None
        self._markers = checked_markers(markers)
        self._additive = bool(additive)
        self._uniform = bool(uniform)
        self._root_motion = _checked_motion(root_motion)
        self._prepared: _core.Tracks | None = None
        self._key_rate: float | None = None
        self._key_rate_known = False
        self._report: ClipReport | None = None
        self._binding: Binding | None = None

    from_poses = classmethod(_from_poses.from_poses)

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
    def markers(self) -> tuple[Marker, ...]:
        """Named moments of the clip, by time."""
        return self._markers

    @property
    def additive(self) -> bool:
        """Whether poses are differences, to be added to others."""
        return self._additive

    @property
    def uniform(self) -> bool:
        """Whether the tracks are frames of one regular grid, between which rotations nlerp: see `Clip`."""
        return self._uniform

    @property
    def root_motion(self) -> RootMotion | None:
        """The movement that was taken out of the tracks; None where they still hold it.

        It goes on as the clip does: see `loop`.
        """
        if self._root_motion is not None:
            self._root_motion = self._root_motion.looping(self.loop)
        return self._root_motion

    @property
    def report(self) -> ClipReport | None:
        """The measured error of a clip that `resampled` or `optimized` made; None of others.

        Copies keep it, edits do not.
        """
        return self._report

    @property
    def binding(self) -> Binding | None:
        """What `bind` matched and did not, of a clip that it made; None of others.

        Copies keep it, edits do not.
        """
        return self._binding

    @property
    def loop(self) -> Loop:
        """How times beyond the clip are taken: True, False or "ping_pong".

        Guessed from the seam (True or False) unless set; None guesses again.
        """
        if self._loop is not None:
            return self._loop
        if self._guessed_loop is None:
            self._guessed_loop = _loop.seam_agrees(self)
        return self._guessed_loop

    @loop.setter
    def loop(self, value: Loop | None) -> None:
        self._loop = checked_loop(value)

    @property
    def key_rate(self) -> float | None:
        """Keys per second where all keys lie on one regular grid (a track may leave some out), else None.

        Times stored as float32 count as regular: a key may lie 0.02 of an interval off the grid. A clip with
        fewer than two key times has no rate.
        """
        if not self._key_rate_known:
            self._ready()  # refuses times that do not increase
            self._key_rate = key_rate(self._keys, self._tracks)
            self._key_rate_known = True
        return self._key_rate

    def sample(
        self, times: ArrayLike, loop: Loop | None = None, out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Local poses at given times.

        STEP tracks take the key at exactly its time. LINEAR rotations slerp the short way, those of a uniform
        clip nlerp. CUBICSPLINE is Hermite's, rotations normalised afterwards. Before its first key and after
        its last a track stays there; what has no track stays at rest. Sampled rotations are unit.

        Parameters
        ----------
        times : array_like of float, shape (...)
            Seconds. Held in double; sorted times are the fastest.
        loop : bool or "ping_pong", optional
            ``clip.loop`` if omitted. True wraps times into [start, end), in double; False clamps them.
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

        Examples
        --------
        >>> walk = lissom.samples.humanoid().clips["walk"]
        >>> walk.sample([0.0, 0.5, 1.0]).shape
        (3, 34, 10)
        """
        seconds = np.asarray(as_numbers(times, "Clip.sample: times"), np.float64, order="C")
        if out is None:
            out = np.empty((*seconds.shape, len(self._skeleton), 10), self._keys.dtype)
        code = LOOP_CODES[self.loop if loop is None else checked_loop(loop)]
        (self._prepared or self._ready()).sample(seconds, out, code)
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

        Examples
        --------
        >>> clips = lissom.samples.humanoid().clips
        >>> phases = np.linspace(0, 1, 5)
        >>> clips["walk"].at(phases).shape == clips["run"].at(phases).shape
        True
        """
        fraction = as_numbers(phase, "Clip.at: phase").astype(np.float64)
        outside = ~((fraction >= 0) & (fraction <= 1))
        if outside.any():
            raise ValueError(
                f"Clip.at: phase must lie in [0, 1], got {fraction[outside].flat[0]:g}; use sample for times "
                "beyond the clip"
            )
        return self.sample(np.where(fraction < 1, self._start + fraction * self.duration, self._end))

    def renamed(self, name: str) -> Clip:
        """Give this clip another name.

        Parameters
        ----------
        name : str

        Returns
        -------
        Clip
            Shares the keys of this one.

        Raises
        ------
        TypeError
            If `name` is not a string.

        Examples
        --------
        >>> walk = lissom.samples.humanoid().clips["walk"]
        >>> stroll = walk.renamed("stroll")
        >>> stroll.name, np.shares_memory(stroll.keys, walk.keys)
        ('stroll', True)
        """
        return self._edited(name=name)

    def _ready(self) -> _core.Tracks:
        """Check the keys and prepare sampling, once."""
        if self._prepared is None:
            self._prepared = _core.Tracks(self._keys, self._tracks, self._rest(), self._uniform)
        return self._prepared

    def _rest(self) -> NDArray[Any]:
        """Give what joints without tracks have, (J, 10) in the type of the keys."""
        if self._additive:
            return np.tile(np.array(NO_DIFFERENCE, self._keys.dtype), (len(self._skeleton), 1))
        return self._skeleton.rest.astype(self._keys.dtype, copy=False)

    _repr_html_ = as_html
    _repr_png_ = as_png

    def __repr__(self) -> str:
        kinds = {True: ", loops", False: ", does not loop", "ping_pong": ", goes to and fro"}
        words = {
            "additive": self._additive,
            "uniform": self._uniform,
            "with root motion": self._root_motion is not None,
            _counted(len(self._markers), "marker"): self._markers,
        }
        notes = "".join(f", {word}" for word, holds in words.items() if holds)
        return (
            f"<Clip {self._name!r}: {self.duration:.3f} s from {self._start:.3f} s, "
            f"{_counted(len(self._tracks), 'track')} for {_counted(len(self._skeleton), 'joint')}"
            f"{kinds[self.loop]}{notes}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        keys, tracks = packed(unpacked(self._keys, self._tracks), self._keys.dtype)
        return _restored, (
            type(self),
            self._name,
            self._skeleton,
            keys,
            tracks,
            self._options(),
            self._report,
            self._binding,
        )

    def __copy__(self) -> Clip:
        copy = self._edited()
        copy._report, copy._binding = self._report, self._binding
        return copy

    def _options(self) -> dict[str, Any]:
        """Give what `Clip` takes besides the keys, as keyword arguments."""
        return {
            "loop": self._loop,
            "markers": self._markers,
            "additive": self._additive,
            "uniform": self._uniform,
            "root_motion": self._root_motion,
        }

    def _edited(self, tracks: Iterable[Track] | None = None, **changes: Any) -> Clip:
        """Give this clip with other tracks or options: how every edit ends.

        `changes` are arguments of `Clip`; what is not among them stays. New tracks are not uniform unless
        `changes` say so.
        """
        arguments = {"name": self._name, "skeleton": self._skeleton, **self._options()}
        if tracks is None:
            keys, table = self._keys, self._tracks
        else:
            keys, table = packed(tracks, self._keys.dtype)
            arguments["uniform"] = False
        return type(self)(keys=keys, tracks=table, **(arguments | changes))

    # Edits: each a function of the file beside this one that is named after its noun.
    at_speed = _timing.at_speed
    bind = _bind.bind
    to_bvh = _to_bvh.to_bvh
    retimed = _timing.retimed
    reversed = _timing.reversed
    shifted = _timing.shifted
    trimmed = _trim.trimmed
    mirrored = _mirror.mirrored
    concatenated = _sequence.concatenated
    there_and_back = _sequence.there_and_back
    closed_loop = _seam.closed_loop
    with_markers = _markers.with_markers
    markers_between = _markers.markers_between
    resampled = _resample.resampled
    optimized = _reduce.optimized
    extract_root_motion = _root_motion.extract_root_motion
    restore_root_motion = _root_motion.restore_root_motion
    with_root_motion = _root_motion.with_root_motion


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _checked_motion(motion: object) -> RootMotion | None:
    if motion is None:
        return None
    from lissom.clip._root_motion import RootMotion

    if not isinstance(motion, RootMotion):
        raise TypeError(f"Clip: root_motion must be a RootMotion or None, got {type(motion).__name__}")
    return motion


def _restored(
    cls: type[Clip],
    name: str,
    skeleton: Skeleton,
    keys: NDArray[Any],
    tracks: NDArray[np.void],
    options: dict[str, Any],
    report: ClipReport | None = None,
    binding: Binding | None = None,
) -> Clip:
    clip = cls(name, skeleton, keys, tracks, **options)
    clip._report, clip._binding = report, binding
    return clip
