# SPDX-License-Identifier: MIT
"""The clip: tracks of keys, their options, and the table of its methods."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

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
    _morphs,
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
from lissom.clip._tracks import TRACK_DTYPE, WEIGHT, Track, all_tracks, packed

if TYPE_CHECKING:  # a Literal that Jedi finds in a property ends the completion of the whole class
    from lissom.clip._loop import Loop
    from lissom.clip._root_motion import RootMotion

# The transform of a joint without tracks in an additive clip. Scales are differences, too: see make_additive.
NO_DIFFERENCE = (0, 0, 0, 0, 0, 0, 1, 0, 0, 0)


@set_module("lissom")
class Clip:
    """Tracks of keys that move the joints of one skeleton, and the weights of morph targets.

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
        ``joint``; ``path`` 0 translation, 1 rotation, 2 scale, 3 weight, whose ``joint`` is the number
        of a morph target; ``interpolation`` 0 STEP, 1 LINEAR, 2 CUBICSPLINE; ``key_count``; ``times``
        and ``values``: elements of `keys` where ``key_count`` times and as many values of 3 numbers
        (rotations 4: x, y, z, w; weights 1) begin. A CUBICSPLINE key holds in-tangent, value,
        out-tangent. The times of a track are finite and increase strictly. A joint has at most one track
        of each path, a morph target one.
    loop : bool or "ping_pong", optional
        Whether times wrap around. If omitted, guessed when first read: True where the clip has a duration and
        its first and last pose agree within 0.02 rad, 0.002 of the skeleton's size, 1 % of scale, and 0.01 of
        each weight.
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
    morph_names : sequence of str, optional
        Names of M morph targets, in full "node/target", each once: `Morphs.names` of the mesh.
    morph_defaults : array_like of float, shape (M,), optional
        Weights of morph targets without a track: `Morphs.defaults`. Zeros if omitted.

    Raises
    ------
    TypeError
        If `keys` or `tracks` has another type.
    ValueError
        If a track points outside `keys`, the skeleton or the morph targets, or repeats a joint and path. If
        `uniform` is True and the tracks are not on one regular grid.

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
        morph_names: Sequence[str] = (),
        morph_defaults: ArrayLike | None = None,
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
        self._morph_names = _morphs.checked_morph_names(morph_names)
        morph_count = len(self._morph_names)
        self._morph_defaults = _morphs.checked_morph_defaults(morph_defaults, morph_count)
        self._start, self._end = _core.tracks_span(keys, tracks, len(skeleton), bool(uniform), morph_count)
        self._keys = read_only(keys)
        self._table = read_only(tracks)  # of joints and of weights
        is_weight = tracks["path"] == WEIGHT
        self._tracks = read_only(tracks[~is_weight]) if is_weight.any() else self._table
        self._weight_tracks = read_only(tracks[is_weight])
        self._loop = checked_loop(loop, "Clip")  # None: guessed when first read, and again after an edit
        self._guessed_loop: bool | None = None
        self._markers = checked_markers(markers)
        self._additive = bool(additive)
        self._uniform = bool(uniform)
        self._root_motion = _checked_motion(root_motion)
        self._prepared: _core.Tracks | None = None
        self._prepared_weights: _core.WeightTracks | None = None
        self._key_rate: float | None = None
        self._key_rate_known = False
        self._report: ClipReport | None = None
        self._binding: Binding | None = None

    from_poses = classmethod(_from_poses.from_poses)
    sample = _sampling.sample
    morphs = _morphs.morphs
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
        """The tracks of joints, of TRACK_DTYPE, shape (T,). Read-only."""
        return self._tracks

    @property
    def weight_tracks(self) -> NDArray[np.void]:
        """The tracks of weights, ``joint`` of each the number of a morph target, shape (T,). Read-only."""
        return self._weight_tracks

    @property
    def morph_names(self) -> tuple[str, ...]:
        """Names of the morph targets, M of them; none where the clip knows of no morph targets."""
        return self._morph_names

    @property
    def morph_defaults(self) -> NDArray[np.float32]:
        """Weights of morph targets without a track, (M,). Read-only."""
        return self._morph_defaults

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
            self._key_rate = key_rate(self._keys, self._table)
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
            count = len(self._morph_names)
            self._prepared = _core.Tracks(self._keys, self._table, self._rest(), self._uniform, count)
        return self._prepared

    def _ready_weights(self) -> _core.WeightTracks:
        """Check the keys of weights and prepare sampling them, once."""
        if self._prepared_weights is None:
            base, joints = self._rest_weights(), len(self._skeleton)
            self._prepared_weights = _core.WeightTracks(self._keys, self._table, base, joints, self._uniform)
        return self._prepared_weights

    def _rest(self) -> NDArray[Any]:
        """Return the transforms of joints without tracks, (J, 10) in the type of the keys."""
        if self._additive:
            return np.tile(np.array(NO_DIFFERENCE, self._keys.dtype), (len(self._skeleton), 1))
        return self._skeleton.rest.astype(self._keys.dtype, copy=False)

    def _rest_weights(self) -> NDArray[Any]:
        """Return the weights of morph targets without tracks, (M,) in the type of the keys."""
        weights = self._morph_defaults.astype(self._keys.dtype)
        return np.zeros_like(weights) if self._additive else weights

    _repr_html_ = as_html
    _repr_png_ = as_png

    def __repr__(self) -> str:
        kinds = {True: ", loops", False: ", does not loop", "ping_pong": ", plays back and forth"}
        words = {
            "additive": self._additive,
            "uniform": self._uniform,
            "with root motion": self._root_motion is not None,
            f"{counted(len(self._weight_tracks), 'track')} for "
            f"{counted(len(self._morph_names), 'morph target')}": len(self._morph_names) > 0,
            counted(len(self._markers), "marker"): self._markers,
        }
        notes = "".join(f", {word}" for word, holds in words.items() if holds)
        return (
            f"<Clip {self._name!r}: {self.duration:.3f} s from {self._start:.3f} s, "
            f"{counted(len(self._tracks), 'track')} for {counted(len(self._skeleton), 'joint')}"
            f"{kinds[self.loop]}{notes}>"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        keys, tracks = packed(all_tracks(self), self._keys.dtype)
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
            "morph_names": self._morph_names,
            "morph_defaults": self._morph_defaults,
        }

    def _edited(self, tracks: Iterable[Track] | None = None, **changes: Any) -> Clip:
        """Return this clip with other tracks or options: the last step of every edit.

        `changes` are arguments of `Clip`; all others stay. New tracks are not uniform unless `changes` say
        so.
        """
        arguments = {"name": self._name, "skeleton": self._skeleton, **self._options()}
        if tracks is None:
            keys, table = self._keys, self._table
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
