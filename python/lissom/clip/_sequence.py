# SPDX-License-Identifier: MIT
"""Concatenation of clips."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lissom import quat, trs
from lissom._base.easing import smooth
from lissom._base.numbers import check_number
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip._cuts import (
    Floats,
    before,
    cut,
    free_tracks,
    require_keys,
    stored_times,
    stored_tracks,
    with_end_keys,
    with_span,
)
from lissom.clip._joins import is_same, joined
from lissom.clip._morphs import common_morphs
from lissom.clip._tracks import (
    COLUMNS,
    CUBICSPLINE,
    LINEAR,
    ROTATION,
    STEP,
    TRANSLATION,
    WEIGHT,
    Track,
    all_tracks,
    packed,
    unpacked,
)

if TYPE_CHECKING:
    from lissom.clip import Clip
    from lissom.clip._root_motion import RootMotion

Target = tuple[int, int]
"""What a track moves: a joint, or a morph target, and a path."""

FADE_STEP = 1 / 60  # seconds: largest distance of keys in a cross-fade


def concatenated(self: Clip, *others: Clip, blend: float = 0.0, name: str | None = None) -> Clip:
    """Return a clip that plays this one and then others, one after another.

    Parameters
    ----------
    *others : Clip
        Of the same skeleton, all additive or none; those with morph targets of the same ones. Each is played
        once.
    blend : float
        Seconds over which each clip fades into the next. The next one begins that much earlier.
    name : str, optional
        This clip's if omitted.

    Returns
    -------
    Clip
        Starts when this one does. The markers of all; whether it loops is inferred again. The root motion of
        each clip continues from the end of the one before. float64 where one of them is.

    Raises
    ------
    TypeError
        If one of `others` is not a Clip, or `blend` is not a number.
    ValueError
        If skeletons or morph targets differ, some are additive and some are not, a clip has no duration,
        `blend` is negative, longer than a clip allows or too short to tell times apart, or keys coincide
        in the type they are stored in.

    Notes
    -----
    Without `blend` no key is resampled, and at the time of a seam the later clip is shown; where poses differ
    the motion jumps there, between the two last times that the type of the keys can distinguish. Tracks of
    different interpolations become the richer one: STEP is written as LINEAR, LINEAR as CUBICSPLINE
    (rotations within 1e-7, by more keys). A clip without a track that another has holds the rest pose there,
    of weights the default, or, where additive, no difference.

    A fade is resampled, at the keys of both clips and at least 60 times a second: translations, scales and
    weights lerp, rotations nlerp, by a weight that eases in and out (3 w^2 - 2 w^3, w growing from 0 to 1).

    Uniform clips of one rate that meet in one pose stay uniform.

    Examples
    --------
    >>> clips = lissom.samples.humanoid().clips
    >>> both = clips["walk"].concatenated(clips["run"], blend=0.2, name="start to run")
    >>> round(clips["walk"].duration + clips["run"].duration - both.duration, 3)
    0.2
    """
    from lissom.clip import Clip

    for other in others:
        if not isinstance(other, Clip):
            advice = (
                "; pass them one by one, or a list with * before it"
                if isinstance(other, list | tuple)
                else ""
            )
            raise TypeError(f"Clip.concatenated: others must be clips, got {type(other).__name__}{advice}")
        _require_same_kind(self, other)
    blend = check_number(blend, "Clip.concatenated: blend", least=0)
    return _concatenated((self, *others), blend, name, "Clip.concatenated")


def _concatenated(clips: Sequence[Clip], blend: float, name: str | None, function: str) -> Clip:
    from lissom.clip import Clip

    for clip in clips:
        require_keys(function, clip)
    _require_length(clips, blend)
    first = clips[0]
    names, defaults = common_morphs(function, clips)
    clips = [c if c.morph_names or not names else _with_morphs(c, names, defaults) for c in clips]
    dtype = np.result_type(*(clip.keys for clip in clips))
    plan = _Plan.of(clips, blend, dtype)
    uniform = blend == 0 and _are_one_grid(clips)
    tracks = plan.tracks([all_tracks(c) if uniform else free_tracks(c) for c in clips], uniform)
    keys, table = packed(stored_tracks(tracks, dtype, function), dtype)
    markers = [
        (begin + (time - clip.start), label)
        for clip, begin in zip(clips, plan.begins, strict=True)
        for time, label in clip.markers
    ]
    return Clip(
        first.name if name is None else name,
        first.skeleton,
        keys,
        table,
        markers=markers,
        additive=first.additive,
        uniform=uniform,
        root_motion=_joined_root_motion(clips, plan),
        morph_names=names,
        morph_defaults=defaults,
    )


def _with_morphs(clip: Clip, names: tuple[str, ...], defaults: NDArray[np.float32] | None) -> Clip:
    return clip._edited(morph_names=names, morph_defaults=defaults)


def there_and_back(self: Clip) -> Clip:
    """Return one loop that plays forwards and then backwards: the motion of "ping_pong", written out.

    Returns
    -------
    Clip
        Of twice the duration, looping. Markers are passed in both directions, those at the ends once; root
        motion goes there and back.

    Raises
    ------
    ValueError
        If the clip has no duration, or keys coincide in the type they are stored in.

    See Also
    --------
    Clip.loop : "ping_pong" does the same while playing.

    Examples
    --------
    >>> wave = lissom.samples.humanoid().clips["wave"]
    >>> both = wave.there_and_back()
    >>> bool(np.abs(both.sample(4.0) - wave.sample(4.0, loop="ping_pong")).max() < 1e-6)
    True
    """
    require_keys("Clip.there_and_back", self)
    back = self.reversed()
    inner = [marker for marker in back.markers if back.start < marker.time < back.end]
    result = _concatenated((self, back._edited(markers=inner)), 0.0, None, "Clip.there_and_back")
    result.loop = True
    return result


@dataclass(frozen=True)
class _Plan:
    """The times at which each clip is shown.

    `begins` are the times at which each clip starts on the time line of the result, `ends` those at which it
    ends; from the begin of one to the end of the one before, the two fade.
    """

    clips: Sequence[Clip]
    begins: Sequence[float]
    ends: Sequence[float]
    blend: float
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, clips: Sequence[Clip], blend: float, dtype: np.dtype[Any]) -> _Plan:
        """Place clips one after another, at times that keys of the type can have."""
        begins: list[float] = []
        ends: list[float] = []
        for clip in clips:
            begins.append(float(dtype.type(ends[-1] - blend)) if ends else clip.start)
            if blend and ends and begins[-1] == ends[-1]:
                raise ValueError(
                    f"Clip.concatenated: blend must be 0 or as long as {dtype} can tell at {ends[-1]:g} s, "
                    f"got {blend:g} s"
                )
            ends.append(float(dtype.type(begins[-1] + clip.duration)))
        return cls(clips, begins, ends, blend, dtype)

    def tracks(self, tracks_of: Sequence[Sequence[Track]], uniform: bool) -> Sequence[Track]:
        """Join the tracks of all clips, to one for each joint and path, and each morph target."""
        placed = [
            {(track.joint, track.path): self._placed(track, i) for track in tracks}
            for i, tracks in enumerate(tracks_of)
        ]
        fades = [self._fade(i) for i in range(len(self.clips) - 1)] if self.blend else []
        result = []
        for target in sorted(set().union(*placed)):
            pieces, seams = [], []
            for i, known in enumerate(placed):
                track = known.get(target) or self._rest_track(target, i, next(iter(known.values())).times)
                if self.blend:
                    ends = np.array([self.begins[i], self.ends[i]])
                    if i:
                        ends[0] = self.ends[i - 1]
                        times, poses, weights = fades[i - 1]
                        pieces.append(Track(*target, LINEAR, times, _part(target, poses, weights)))
                        seams += [self.begins[i], self.ends[i - 1]]
                    if i < len(placed) - 1:
                        ends[1] = self.begins[i + 1]
                    pieces.append(cut(track, ends))
                else:
                    pieces.append(track)
                    seams += [self.begins[i]] if i else []
            result.append(joined(pieces, seams, self.dtype, uniform))
        return with_end_keys(result, np.array([self.begins[0], self.ends[-1]]))

    def _placed(self, track: Track, clip: int) -> Track:
        times = self.begins[clip] + (track.times.astype(np.float64) - self.clips[clip].start)
        return replace(track, times=stored_times(times, self.dtype))

    def _rest_track(self, target: Target, clip: int, times: Any) -> Track:
        """Return a track at rest, or without difference, for a clip without that track."""
        values = _part(target, self.clips[clip]._rest(), self.clips[clip]._rest_weights())
        return Track(*target, LINEAR, times, np.repeat(values[None], len(times), axis=0))

    def _fade(self, first: int) -> tuple[Floats, Floats, Floats]:
        """Return times, poses and weights of morph targets of the fade from one clip to the next."""
        begin, end = self.begins[first + 1], self.ends[first]
        pair = (first, first + 1)
        times = [np.linspace(begin, end, max(2, int(np.ceil((end - begin) / FADE_STEP)) + 1))]
        for clip in pair:
            for track in all_tracks(self.clips[clip]):
                at = self._placed(track, clip).times.astype(np.float64)
                times.append(at)
                if track.interpolation == STEP:  # keys on both sides of each jump
                    times.append(before(at, self.dtype))
        moments = np.unique(np.concatenate(times).astype(self.dtype)).astype(np.float64)
        moments = moments[(moments >= begin) & (moments <= end)]
        own = [(self.clips[i], self.clips[i].start + (moments - self.begins[i])) for i in pair]
        a, b = (clip.sample(at, loop=False).astype(np.float64) for clip, at in own)
        from_a, from_b = (clip.morphs(at, loop=False).astype(np.float64) for clip, at in own)
        weight = smooth((moments - begin) / (end - begin))[:, None, None]
        a[..., 3:7], b[..., 3:7] = quat.align(a[..., 3:7]), quat.align(b[..., 3:7])
        # One sign for the whole fade: rotations do not flip where their difference passes half a turn.
        b[..., 3:7] *= np.where(np.sum(a[:1, :, 3:7] * b[:1, :, 3:7], axis=-1, keepdims=True) < 0, -1, 1)
        poses = (1 - weight) * a + weight * b
        poses[..., 3:7] = quat.normalize(poses[..., 3:7])
        return moments, poses, (1 - weight[..., 0]) * from_a + weight[..., 0] * from_b


def _part(target: Target, poses: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """Return the numbers of a joint's path in poses (..., J, 10), or of a morph target in weights."""
    number, path = target
    return weights[..., number, None] if path == WEIGHT else poses[..., number, COLUMNS[path]]


def _are_one_grid(clips: Sequence[Clip]) -> bool:
    """Return whether uniform clips have one frame interval, and each ends in the pose the next starts in."""
    if not all(clip.uniform for clip in clips):
        return False
    steps = [clip.duration / (int(clip._table["key_count"][0]) - 1) for clip in clips]
    if np.ptp(steps) > 1e-5 * min(steps):
        return False
    for first, second in itertools.pairwise(clips):
        a, b = first.sample(first.end, loop=False), second.sample(second.start, loop=False)
        pairs = [(a[j, c], b[j, c], p == ROTATION) for p, c in COLUMNS.items() for j in range(len(a))]
        pairs.append((first.morphs(first.end, loop=False), second.morphs(second.start, loop=False), False))
        if not all(is_same(x, y, first.keys.dtype, sign) for x, y, sign in pairs):
            return False
    return True


def _require_same_kind(self: Clip, other: Clip) -> None:
    check_same_skeleton(self.skeleton, other.skeleton, f"Clip.concatenated: {other.name!r}")
    if other.additive != self.additive:
        one, two = (self, other) if self.additive else (other, self)
        raise ValueError(
            f"Clip.concatenated: all clips must be additive or none, got {one.name!r}, which is, and "
            f"{two.name!r}, which is not"
        )


def _require_length(clips: Sequence[Clip], blend: float) -> None:
    for i, clip in enumerate(clips):
        faded = blend * ((i > 0) + (i < len(clips) - 1))
        if faded and not faded < clip.duration:
            raise ValueError(
                f"Clip.concatenated: blend must leave part of {clip.name!r}, which lasts "
                f"{clip.duration:.6g} s, got {blend:g} s"
            )


def _joined_root_motion(clips: Sequence[Clip], plan: _Plan) -> RootMotion | None:
    """Continue each root motion from where the one before it is when the next clip begins."""
    from lissom.clip._root_motion import RootMotion

    motions = [clip._root_motion for clip in clips]
    known = [motion for motion in motions if motion is not None]
    if not known:
        return None
    tracks: list[Clip] = []
    for i, (clip, motion) in enumerate(zip(clips, motions, strict=True)):
        if motion is None:
            motion = RootMotion.from_moves([clip.start, clip.end], trs.identity(2, np.float64), loop=False)
        track = with_span(motion.track, clip)
        if i:
            here = plan.begins[i] - plan.begins[i - 1] + clips[i - 1].start
            model_from_end = tracks[-1].sample(here, loop=False)[0]
            start_from_track = trs.inverse(track.sample(track.start, loop=False)[0])
            track = _transformed(track, trs.compose(model_from_end, start_from_track))
        tracks.append(track)
    joint = concatenated(tracks[0], *tracks[1:], blend=plan.blend)
    entries = unpacked(joint.keys, joint.tracks)
    for entry in entries:
        times = np.array(entry.times)
        if times[-1] == joint.end:
            times[-1] = plan.ends[-1]  # which is rounded to the clip's type
        entry.times = times
    joint = joint._edited(stored_tracks(entries, joint.keys.dtype, "Clip.root_motion"))
    return RootMotion(joint, known[0].joints, max(motion.error for motion in known))


def _transformed(track: Clip, transform: Floats) -> Clip:
    """Multiply the track of a root motion by a rigid trs on the left: linear, so exact between keys."""
    known = {entry.path: entry for entry in unpacked(track.keys, track.tracks)}
    times = next(iter(known.values())).times if known else np.array([track.start])
    start = track.sample(track.start, loop=False)[0]
    result = []
    for path in (TRANSLATION, ROTATION):
        constant = np.repeat(start[None, COLUMNS[path]], len(times), axis=0)
        entry = known.get(path) or Track(0, path, LINEAR, times, constant)
        rotate = quat.multiply if path == ROTATION else quat.rotate
        values = rotate(transform[3:7], np.array(entry.values))
        if path != ROTATION:
            if entry.interpolation == CUBICSPLINE:
                values[:, 1] += transform[:3]
            else:
                values += transform[:3]
        result.append(replace(entry, values=values))
    return track._edited(stored_tracks(result, track.keys.dtype, "Clip.root_motion"))
