# SPDX-License-Identifier: MIT
"""The seam of a loop: where its end meets its start."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from lissom import quat
from lissom._base.numbers import check_number
from lissom._rig.skeleton import Joint
from lissom.clip._cuts import (
    Floats,
    between_keys,
    on_timeline,
    require_keys,
    shared,
    turn_between,
    with_keys,
)
from lissom.clip._tracks import CUBICSPLINE, ROTATION, STEP, TRANSLATION, Track, unpacked

if TYPE_CHECKING:
    from lissom.clip import Clip

CLOSED = 2e-7  # of a number near 1, or radians: what float32 rounds; left as it is
TRAVEL = 0.1  # of the skeleton's size: a joint this far from where it began is taken to be on its way


def closed_loop(
    self: Clip,
    *,
    over: float | None = None,
    joints: Joint | Iterable[Joint] | None = None,
    keep: Joint | Iterable[Joint] | None = None,
) -> Clip:
    """Let the last pose be the first, by taking the difference out little by little.

    Parameters
    ----------
    over : float, optional
        Seconds before the end in which it is taken out, evenly; the whole clip if omitted.
    joints : joint or iterable of joints, optional
        Which to close, by name or index; all if omitted.
    keep : joint or iterable of joints, optional
        Whose translation stays as it is, because it travels. If omitted, the joints whose translation takes
        them further than a tenth of the skeleton's size; ``()`` closes these, too.

    Returns
    -------
    Clip
        Loops. What meets already keeps its keys. Root motion, which may travel, and markers stay.

    Raises
    ------
    TypeError
        If `over` is no number.
    ValueError
        If `over` is not above zero or longer than the clip, the clip lasts no time, or there is no such
        joint.

    See Also
    --------
    Clip.extract_root_motion : take travel out of a clip first.

    Notes
    -----
    With w going from 0 to 1 over the time, translations and scales gain ``w (first - last)``, rotations
    become ``q exp(w log(last* first))``, the short way. So nothing moves faster than before by more than the
    difference over `over` (of CUBICSPLINE rotations at keys; between them within the spline). Keys are added
    where the window begins and at the end, but to uniform clips, which stay uniform. A STEP track takes its
    first value at the very end.

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
    chosen = set(range(len(self.skeleton))) if joints is None else _indices(self, joints)
    tracks = unpacked(self.keys, self.tracks)
    kept = _travellers(self) if keep is None else _indices(self, keep)
    closed = [
        track
        if track.joint not in chosen or (track.path == TRANSLATION and track.joint in kept)
        else _closed(track, np.array([self.start, begin, end]), self.uniform)
        for track in tracks
    ]
    return self._edited(shared(closed, self.keys.dtype, "Clip.closed_loop"), uniform=self.uniform, loop=True)


def _indices(clip: Clip, joints: Joint | Iterable[Joint]) -> set[int]:
    if isinstance(joints, str) or not isinstance(joints, Iterable):
        joints = (joints,)
    return {clip.skeleton.index(joint) for joint in joints}


def _travellers(clip: Clip) -> set[int]:
    """Joints that their translation takes far, seen in model space, where it has the lengths of the size."""
    first, last = clip.sample([clip.start, clip.end], loop=False).astype(np.float64)
    ways = last[:, :3] - first[:, :3]
    if not clip.additive:  # differences are no poses: their translations count as they are
        linear = clip.skeleton.model_matrices(first)[:, :3, :3]
        above = np.concatenate([linear, np.eye(3)[None]])[clip.skeleton.parents]
        ways = np.einsum("jik,jk->ji", above, ways)
    far = np.linalg.norm(ways, axis=1) > TRAVEL * clip.skeleton.size
    return set(np.flatnonzero(far).tolist())


def _closed(track: Track, moments: Floats, uniform: bool) -> Track:
    """Take the seam out of one track; `moments` are the start, where the window begins, and the end."""
    start, begin, end = moments
    first, last = between_keys(track, np.array([start, end]))[0]
    if track.path == ROTATION:
        seam = turn_between(last, first)
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
        return replace(track, values=_moved(values, weight * seam, track.path))
    # The slope of the weight on both sides of each key.
    slope = np.stack([(times > begin), (times >= begin) & (times < end)], axis=1)[..., None] / (end - begin)
    points = values[:, 1]
    moved = np.empty_like(values)
    moved[:, 1] = _moved(points, weight * seam, track.path)
    for side, tangents in ((0, values[:, 0]), (1, values[:, 2])):
        if track.path == ROTATION:  # (q exp(w s))' = q' exp(w s) + w' q s exp(w s)
            pull = slope[:, side] * quat.multiply(points, np.broadcast_to(seam, points.shape))
            moved[:, 2 * side] = _moved(tangents + pull, weight * seam, ROTATION)
        else:
            moved[:, 2 * side] = tangents + slope[:, side] * seam
    return replace(track, values=moved)


def _moved(values: Floats, by: Floats, path: int) -> Floats:
    return np.asarray(quat.multiply(values, quat.exp(by))) if path == ROTATION else values + by
