# SPDX-License-Identifier: MIT
"""The seam of a loop: where its end meets its start."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lissom import quat
from lissom._base.numbers import check_number
from lissom._rig.skeleton_arrays import Joint, each_joint
from lissom.clip._cuts import (
    Floats,
    between_keys,
    log_between,
    on_timeline,
    require_keys,
    stored_tracks,
    with_keys,
)
from lissom.clip._tracks import CUBICSPLINE, ROTATION, STEP, TRANSLATION, WEIGHT, Track, all_tracks

if TYPE_CHECKING:
    from lissom.clip import Clip

CLOSED = 2e-7  # of a component near 1, or radians: a seam within float32 rounding is closed already
TRAVEL = 0.1  # of the skeleton's size: a joint that ends this far from its start counts as travelling


def closed_loop(
    self: Clip,
    *,
    over: float | None = None,
    joints: Joint | Iterable[Joint] | None = None,
    keep: Joint | Iterable[Joint] | None = None,
) -> Clip:
    """Make the last pose equal to the first, by removing their difference gradually.

    Parameters
    ----------
    over : float, optional
        Seconds before the end over which it is removed, evenly; the whole clip if omitted.
    joints : joint or iterable of joints, optional
        The joints to close, by name or index; if omitted all, and all weights of morph targets.
    keep : joint or iterable of joints, optional
        Joints whose translation is left unchanged, because they travel. If omitted, the joints whose
        translation moves them further than a tenth of the skeleton's size; ``()`` closes these, too.

    Returns
    -------
    Clip
        Loops. Tracks that are closed already keep their keys. Root motion, which may travel, and markers
        stay.

    Raises
    ------
    TypeError
        If `over` is not a number.
    ValueError
        If `over` is not above zero or longer than the clip, the clip has no duration, or a joint does not
        exist.

    See Also
    --------
    Clip.extract_root_motion : take travel out of a clip first.

    Notes
    -----
    With w growing from 0 to 1 over the time, ``w (first - last)`` is added to translations, scales and
    weights, and rotations become ``q exp(w log(last* first))``, along the shorter arc. So speeds grow by
    at most the difference divided by `over` (of CUBICSPLINE rotations at keys; between them within the
    spline). Keys are added where the window begins and at the end, except to uniform clips, which stay
    uniform. A STEP track takes its first value at the very end.

    Examples
    --------
    >>> wave = lissom.samples.humanoid().clips["wave"]
    >>> part = wave.trimmed(0.5, 1.7)
    >>> closed = part.closed_loop(over=0.5)
    >>> part.loop, closed.loop, bool(np.abs(closed.at(0) - closed.sample(1.7, loop=False)).max() < 1e-6)
    (False, True, True)
    """
    require_keys("Clip.closed_loop", self)
    over = self.duration if over is None else check_number(over, "Clip.closed_loop: over")
    end = self.end
    begin = max(self.start, float(on_timeline(self, end - over)[0]))
    if not 0 < over <= self.duration * (1 + 1e-6) or not begin < end:
        raise ValueError(
            f"Clip.closed_loop: over must be above zero and at most the {self.duration:.6g} s of the clip, "
            f"got {over:g}"
        )
    chosen = set(range(len(self.skeleton))) if joints is None else _indices(self, joints, "joints")
    kept = _travelling_joints(self) if keep is None else _indices(self, keep, "keep")

    def stays(track: Track) -> bool:
        if track.path == WEIGHT:
            return joints is not None
        return track.joint not in chosen or (track.path == TRANSLATION and track.joint in kept)

    moments = np.array([self.start, begin, end])
    closed = [track if stays(track) else _closed(track, moments, self.uniform) for track in all_tracks(self)]
    return self._edited(
        stored_tracks(closed, self.keys.dtype, "Clip.closed_loop"), uniform=self.uniform, loop=True
    )


def _indices(clip: Clip, joints: Joint | Iterable[Joint], argument: str) -> set[int]:
    what = f"Clip.closed_loop: {argument}"
    return {clip.skeleton._index_of(joint, what) for joint in each_joint(joints)}


def _travelling_joints(clip: Clip) -> set[int]:
    """Return the joints whose translation changes much in model space, the space of the skeleton's size."""
    first, last = clip.sample([clip.start, clip.end], loop=False).astype(np.float64)
    displacements = last[:, :3] - first[:, :3]
    if not clip.additive:  # additive poses have no model space: their translations count as they are
        linear = clip.skeleton.model_matrices(first)[:, :3, :3]
        model_from_parent = np.concatenate([linear, np.eye(3)[None]])[clip.skeleton.parents]
        displacements = np.einsum("jik,jk->ji", model_from_parent, displacements)
    far = np.linalg.norm(displacements, axis=1) > TRAVEL * clip.skeleton.size
    return set(np.flatnonzero(far).tolist())


def _closed(track: Track, moments: Floats, uniform: bool) -> Track:
    """Close one track; `moments` are the start, the begin of the window, and the end."""
    start, begin, end = moments
    first, last = between_keys(track, np.array([start, end]))[0]
    if track.path == ROTATION:
        seam = log_between(last, first)
        if 2 * np.linalg.norm(seam) <= CLOSED:
            return track
    else:
        seam = first - last
        if np.abs(seam).max() <= CLOSED * max(1.0, np.abs(first).max()):
            return track
    if not uniform:
        track = with_keys(track, moments[2:] if track.interpolation == STEP else moments[1:])
    times, values = track.times.astype(np.float64), track.values.astype(np.float64)
    if track.interpolation == STEP:
        values[-1] = first
        return replace(track, values=values)
    weight = ((times - begin) / (end - begin)).clip(0, 1)[:, None]
    if track.interpolation != CUBICSPLINE:
        return replace(track, values=_offset(values, weight * seam, track.path))
    # The derivative of the weight on both sides of each key.
    slope = np.stack([(times > begin), (times >= begin) & (times < end)], axis=1)[..., None] / (end - begin)
    points = values[:, 1]
    result = np.empty_like(values)
    result[:, 1] = _offset(points, weight * seam, track.path)
    for side, tangents in ((0, values[:, 0]), (1, values[:, 2])):
        if track.path == ROTATION:  # (q exp(w s))' = q' exp(w s) + w' q s exp(w s)
            rate = slope[:, side] * quat.multiply(points, np.broadcast_to(seam, points.shape))
            result[:, 2 * side] = _offset(tangents + rate, weight * seam, ROTATION)
        else:
            result[:, 2 * side] = tangents + slope[:, side] * seam
    return replace(track, values=result)


def _offset(values: Floats, offset: Floats, path: int) -> Floats:
    return np.asarray(quat.multiply(values, quat.exp(offset))) if path == ROTATION else values + offset
