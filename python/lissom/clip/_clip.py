# SPDX-License-Identifier: MIT
"""The clip: tracks of keys, their options, and the table of its methods."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom import _core
from lissom._base.arrays import read_only
from lissom._base.doors import as_html, as_png
from lissom._base.names import counted
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
    _sampling,
    _sequence,
    _timing,
    _to_bvh,
    _trim,
)
from lissom.clip import _closed_loop as _seam
from lissom.clip import _root_motion_edits as _root_motion
from lissom.clip._bind import Binding
from lissom.clip._key_rate import key_rate
from lissom.clip._loop import checked_loop
from lissom.clip._markers import Marker, checked_markers
from lissom.clip._report import ClipReport
from lissom.clip._tracks import TRACK_DTYPE, Track, packed, unpacked

if TYPE_CHECKING:  # a Literal that Jedi finds in a property ends the completion of the whole class
    from lissom.clip._loop import Loop
    from lissom.clip._root_motion import RootMotion

# The transform of a joint without tracks in an additive clip. Scales are differences, too: see make_additive.
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
        Whether times wrap around. If omitted, guessed when first read: True where the clip has a duration and
        its first and last pose agree within 0.02 rad, 0.002 of the skeleton's size and 1 % of scale.
    markers : iterable of (float, str)
        Named moments: seconds and a name.
    additive : bool
        Whether poses are differences, to be added to others: see `make_additive`. Joints without a track then
        have no difference instead of the rest transform.
    uniform : bool
        Whether the tracks are frames of one regular grid, which is the fastest to sample: see the notes.
        `resampled` makes such clips.
    root_motion : RootMotion, optional
        The movement that was taken out of the tracks: see `extract_root_motion`.

    Raises
    ------
    TypeError
        If `keys` or `tracks` has another type.
    ValueError
        If a track points outside `keys` or the skeleton, or repeats a joint and path. If `uniform` is True
        and the tracks are not on one regular grid.

    See Also
    --------
    Clip.from_poses : a clip from poses at given times.

    Notes
    -----
    Rotations of LINEAR tracks slerp along the shorter arc: they rotate at constant speed. Rotations of a
    uniform clip nlerp: they lerp, along the shorter arc too, and are normalised. That follows the same arc at
    a speed that is not quite constant: between frames that differ by θ radians, θ at most a right angle, it
    is off by at most θ³/240 (8e-5 degrees for frames 4 degrees apart, 0.034 for 30, 0.92 for 90), and not at
    all at the frames.

    The tracks of a uniform clip are all LINEAR and have the same times, at equal distances within what
    float32 stores. When it is first sampled, their values are laid out frame by frame (in float32 44 bytes
    for each joint), so that the frames around a time need no search. The last frame is the pose at ``end``: a
    loop never mixes it with the first.

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
        self._loop = checked_loop(loop, "Clip")  # None: guessed when first read, and again after an edit
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
    sample = _sampling.sample
    at = _sampling.at

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

        It loops as the clip does: see `loop`.
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
        """The joints that `bind` matched and did not, of a clip that it made; None of others.

        Copies keep it, edits do not.
        """
        return self._binding

    @property
    def loop(self) -> Loop:
        """The loop mode: True, False or "ping_pong".

        Guessed from the seam (True or False) unless set; None guesses again.
        """
        if self._loop is not None:
            return self._loop
        if self._guessed_loop is None:
            self._guessed_loop = _loop.seam_agrees(self)
        return self._guessed_loop

    @loop.setter
    def loop(self, value: Loop | None) -> None:
        self._loop = checked_loop(value, "Clip.loop")

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

    def renamed(self, name: str) -> Clip:
        """Return this clip by another name.

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
        """Return the transforms of joints without tracks, (J, 10) in the type of the keys."""
        if self._additive:
            return np.tile(np.array(NO_DIFFERENCE, self._keys.dtype), (len(self._skeleton), 1))
        return self._skeleton.rest.astype(self._keys.dtype, copy=False)

    _repr_html_ = as_html
    _repr_png_ = as_png

    def __repr__(self) -> str:
        kinds = {True: ", loops", False: ", does not loop", "ping_pong": ", plays back and forth"}
        words = {
            "additive": self._additive,
            "uniform": self._uniform,
            "with root motion": self._root_motion is not None,
            counted(len(self._markers), "marker"): self._markers,
        }
        notes = "".join(f", {word}" for word, holds in words.items() if holds)
        return (
            f"<Clip {self._name!r}: {self.duration:.3f} s from {self._start:.3f} s, "
            f"{counted(len(self._tracks), 'track')} for {counted(len(self._skeleton), 'joint')}"
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
        """Return the keyword arguments that `Clip` takes besides the keys."""
        return {
            "loop": self._loop,
            "markers": self._markers,
            "additive": self._additive,
            "uniform": self._uniform,
            "root_motion": self._root_motion,
        }

    def _edited(self, tracks: Iterable[Track] | None = None, **changes: Any) -> Clip:
        """Return this clip with other tracks or options: the last step of every edit.

        `changes` are arguments of `Clip`; all others stay. New tracks are not uniform unless `changes` say
        so.
        """
        arguments = {"name": self._name, "skeleton": self._skeleton, **self._options()}
        if tracks is None:
            keys, table = self._keys, self._tracks
        else:
            keys, table = packed(tracks, self._keys.dtype)
            arguments["uniform"] = False
        return type(self)(keys=keys, tracks=table, **(arguments | changes))

    # Edits: each is a function of a file beside this one.
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
