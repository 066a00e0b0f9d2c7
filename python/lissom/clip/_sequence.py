# SPDX-License-Identifier: MIT
"""Clips one after another."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom import quat, trs
from lissom._base.numbers import check_number
from lissom._rig.skeleton_fit import check_same_skeleton
from lissom.clip._cuts import (
    Floats,
    before,
    fitted,
    free_tracks,
    lasting,
    require_keys,
    shared,
    stored_times,
    stretch,
)
from lissom.clip._joins import is_same, joined
from lissom.clip._tracks import (
    COLUMNS,
    CUBICSPLINE,
    LINEAR,
    ROTATION,
    STEP,
    TRANSLATION,
    Track,
    packed,
    unpacked,
)

if TYPE_CHECKING:
    from lissom.clip import Clip
    from lissom.clip._root_motion import RootMotion

Key = tuple[int, int]
"""Of a track: joint and path."""

FADE_STEP = 1 / 60  # seconds: keys of a cross-fade are no further apart


def concatenated(self: Clip, *others: Clip, blend: float = 0.0, name: str | None = None) -> Clip:
    """Let other clips follow this one.

    Parameters
    ----------
    *others : Clip
        Of skeletons with the same joint names, all additive or none. Each is played once.
    blend : float
        Seconds over which each clip fades into the next. The next one begins so much earlier.
    name : str, optional
        This clip's if omitted.

    Returns
    -------
    Clip
        Starts when this one does. The markers of all; whether it loops is guessed anew. In root motion each
        clip goes on where the one before it has got to. float64 where one of them is.

    Raises
    ------
    TypeError
        If one of `others` is no Clip, or `blend` no number.
    ValueError
        If skeletons differ, some are additive and some are not, a clip lasts no time, `blend` is negative or
        leaves nothing of a clip, or keys fall together in the type they are stored in.

    Notes
    -----
    Without `blend` no key is resampled, and at the time of a seam the later clip is shown; a clip whose pose
    is another jumps there, between the two last times that the type of the keys can tell apart. Tracks of
    different interpolations become the richer one: STEP is written as LINEAR, LINEAR as CUBICSPLINE
    (rotations within 1e-7, by more keys). Where one clip has no track, it holds the rest pose, or, where
    additive, no difference.

    A fade is resampled, at the keys of both clips and at least 60 times a second: numbers go from one to the
    other, rotations nlerp, by a weight w that starts and ends gently (3 w^2 - 2 w^3).

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
        _require_same_joints(self, other)
    clips = (self, *others)
    for clip in clips:
        require_keys("Clip.concatenated", clip)
    blend = check_number(blend, "Clip.concatenated: blend", least=0)
    _require_room(clips, blend)
    dtype = np.result_type(*(clip.keys for clip in clips))
    plan = _Plan.of(clips, blend, dtype)
    uniform = blend == 0 and _are_one_grid(clips)
    tracks = plan.tracks([unpacked(c.keys, c.tracks) if uniform else free_tracks(c) for c in clips], uniform)
    keys, table = packed(shared(tracks, dtype, "Clip.concatenated"), dtype)
    markers = [
        (begin + (time - clip.start), label)
        for clip, begin in zip(clips, plan.begins, strict=True)
        for time, label in clip.markers
    ]
    return Clip(
        self.name if name is None else name,
        self.skeleton,
        keys,
        table,
        markers=markers,
        additive=self.additive,
        uniform=uniform,
        root_motion=_joined_motion(clips, plan),
    )


def there_and_back(self: Clip) -> Clip:
    """Play forwards and then backwards, as one loop: what "ping_pong" plays, written out.

    Returns
    -------
    Clip
        Of twice the duration, looping. Markers are passed both ways, those at the ends once; root motion goes
        there and back.

    Raises
    ------
    ValueError
        If the clip lasts no time, or keys fall together in the type they are stored in.

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
    result = concatenated(self, back._edited(markers=inner))
    result.loop = True
    return result


@dataclass(frozen=True)
class _Plan:
    """When which clip is shown.

    `begins` are where each clip starts on the time line of the result, `ends` where it ends; from a begin to
    the end before it the two fade.
    """

    clips: Sequence[Clip]
    begins: Sequence[float]
    ends: Sequence[float]
    blend: float
    dtype: np.dtype[Any]

    @classmethod
    def of(cls, clips: Sequence[Clip], blend: float, dtype: np.dtype[Any]) -> _Plan:
        """Place clips one after another, at times that keys of the type can have."""
        begins, ends = [], []
        begin = clips[0].start
        for clip in clips:
            begins.append(begin)
            ends.append(float(dtype.type(begin + clip.duration)))
            begin = float(dtype.type(ends[-1] - blend))
        return cls(clips, begins, ends, blend, dtype)

    def tracks(self, tracks_of: Sequence[Sequence[Track]], uniform: bool) -> Sequence[Track]:
        """Join the tracks of all clips, of each joint and path one."""
        placed = [
            {(track.joint, track.path): self._placed(track, i) for track in tracks}
            for i, tracks in enumerate(tracks_of)
        ]
        fades = [self._fade(i) for i in range(len(self.clips) - 1)] if self.blend else []
        result = []
        for key in sorted(set().union(*placed)):
            pieces, seams = [], []
            for i, known in enumerate(placed):
                track = known.get(key) or self._still(key, i, next(iter(known.values())).times)
                if self.blend:
                    ends = np.array([self.begins[i], self.ends[i]])
                    if i:
                        ends[0] = self.ends[i - 1]
                        times, poses = fades[i - 1]
                        values = poses[:, key[0], COLUMNS[key[1]]]
                        pieces.append(Track(*key, LINEAR, times, values))
                        seams += [self.begins[i], self.ends[i - 1]]
                    if i < len(placed) - 1:
                        ends[1] = self.begins[i + 1]
                    pieces.append(stretch(track, ends))
                else:
                    pieces.append(track)
                    seams += [self.begins[i]] if i else []
            result.append(joined(pieces, seams, self.dtype, uniform))
        return lasting(result, np.array([self.begins[0], self.ends[-1]]))

    def _placed(self, track: Track, clip: int) -> Track:
        times = self.begins[clip] + (track.times.astype(np.float64) - self.clips[clip].start)
        return replace(track, times=stored_times(times, self.dtype))

    def _still(self, key: Key, clip: int, times: Any) -> Track:
        """Give a track at rest, or without difference, for a clip that has none."""
        values = self.clips[clip]._rest()[key[0], COLUMNS[key[1]]]
        return Track(*key, LINEAR, times, np.repeat(values[None], len(times), axis=0))

    def _fade(self, first: int) -> tuple[Floats, Floats]:
        """Give times and poses of the fade from one clip to the next."""
        begin, end = self.begins[first + 1], self.ends[first]
        pair = (first, first + 1)
        times = [np.linspace(begin, end, max(2, int(np.ceil((end - begin) / FADE_STEP)) + 1))]
        for clip in pair:
            for track in unpacked(self.clips[clip].keys, self.clips[clip].tracks):
                at = self._placed(track, clip).times.astype(np.float64)
                times.append(at)
                if track.interpolation == STEP:  # so that what jumps jumps
                    times.append(before(at, self.dtype))
        moments = np.unique(np.concatenate(times).astype(self.dtype)).astype(np.float64)
        moments = moments[(moments >= begin) & (moments <= end)]
        a, b = (
            self.clips[i]
            .sample(self.clips[i].start + (moments - self.begins[i]), loop=False)
            .astype(np.float64)
            for i in pair
        )
        share = ((moments - begin) / (end - begin))[:, None, None]
        weight = share * share * (3 - 2 * share)
        a[..., 3:7], b[..., 3:7] = quat.align(a[..., 3:7]), quat.align(b[..., 3:7])
        # One sign for the whole fade: where the two turn past half a turn, they do not flip.
        b[..., 3:7] *= np.where(np.sum(a[:1, :, 3:7] * b[:1, :, 3:7], axis=-1, keepdims=True) < 0, -1, 1)
        poses = (1 - weight) * a + weight * b
        poses[..., 3:7] = quat.normalize(poses[..., 3:7])
        return moments, poses


def _are_one_grid(clips: Sequence[Clip]) -> bool:
    """Whether uniform clips have frames equally far apart, and the end of each is the start of the next."""
    if not all(clip.uniform for clip in clips):
        return False
    steps = [clip.duration / (int(clip.tracks["key_count"][0]) - 1) for clip in clips]
    if np.ptp(steps) > 1e-5 * min(steps):
        return False
    for first, second in itertools.pairwise(clips):
        a, b = first.sample(first.end, loop=False), second.sample(second.start, loop=False)
        pairs = [(a[j, c], b[j, c], p == ROTATION) for p, c in COLUMNS.items() for j in range(len(a))]
        if not all(is_same(x, y, first.keys.dtype, sign) for x, y, sign in pairs):
            return False
    return True


def _require_same_joints(self: Clip, other: Clip) -> None:
    check_same_skeleton(self.skeleton, other.skeleton, f"Clip.concatenated: {other.name!r}")
    if other.additive != self.additive:
        one, two = (self, other) if self.additive else (other, self)
        raise ValueError(
            f"Clip.concatenated: all clips must be additive or none, got {one.name!r}, which is, and "
            f"{two.name!r}, which is not"
        )


def _require_room(clips: Sequence[Clip], blend: float) -> None:
    for i, clip in enumerate(clips):
        taken = blend * ((i > 0) + (i < len(clips) - 1))
        if taken and not taken < clip.duration:
            raise ValueError(
                f"Clip.concatenated: blend={blend:g} must leave some of {clip.name!r}, which lasts "
                f"{clip.duration:.6g} s"
            )


def _joined_motion(clips: Sequence[Clip], plan: _Plan) -> RootMotion | None:
    """Let each root motion go on from where the one before it is when the next clip begins."""
    from lissom.clip._root_motion import RootMotion

    motions = [clip._root_motion for clip in clips]
    known = [motion for motion in motions if motion is not None]
    if not known:
        return None
    tracks: list[Clip] = []
    for i, (clip, motion) in enumerate(zip(clips, motions, strict=True)):
        if motion is None:  # it stands still
            still = trs.identity(2, np.float64)
            motion = RootMotion.from_moves([clip.start, clip.end], still, loop=False)
        track = fitted(motion.track, clip)
        if i:
            here = plan.begins[i] - plan.begins[i - 1] + clips[i - 1].start
            reached = tracks[-1].sample(here, loop=False)[0]
            place = trs.compose(reached, trs.inverse(track.sample(track.start, loop=False)[0]))
            track = _moved(track, place)
        tracks.append(track)
    path = concatenated(tracks[0], *tracks[1:], blend=plan.blend)
    entries = unpacked(path.keys, path.tracks)
    for entry in entries:
        times = np.array(entry.times)
        if times[-1] == path.end:
            times[-1] = plan.ends[-1]  # which the clip's type has rounded
        entry.times = times
    path = path._edited(shared(entries, path.keys.dtype, "Clip.root_motion"))
    return RootMotion(path, known[0].joints, max(motion.error for motion in known))


def _moved(track: Clip, place: Floats) -> Clip:
    """Give root motion from another place: linear in its keys, so that it is exact between them."""
    known = {entry.path: entry for entry in unpacked(track.keys, track.tracks)}
    times = next(iter(known.values())).times if known else np.array([track.start])
    start = track.sample(track.start, loop=False)[0]
    result = []
    for path in (TRANSLATION, ROTATION):
        still = np.repeat(start[None, COLUMNS[path]], len(times), axis=0)
        entry = known.get(path) or Track(0, path, LINEAR, times, still)
        turn = quat.multiply if path == ROTATION else quat.rotate
        values = turn(place[3:7], np.array(entry.values))
        if path != ROTATION:
            if entry.interpolation == CUBICSPLINE:
                values[:, 1] += place[:3]
            else:
                values += place[:3]
        result.append(replace(entry, values=values))
    return track._edited(shared(result, track.keys.dtype, "Clip.root_motion"))
