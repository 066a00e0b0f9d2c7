# SPDX-License-Identifier: MIT
"""Root motion: the part of a clip that moves the character through the world."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom import dual_quat, trs
from lissom._base.arrays import as_numbers, finite_floats
from lissom._base.distinct import distinct
from lissom._base.set_module import set_module
from lissom.clip import _from_moves
from lissom.clip._loop import checked_loop
from lissom.clip._tracks import SCALE, unpacked
from lissom.trs._power import power

if TYPE_CHECKING:
    from lissom.clip import Clip, Loop

__all__ = ["RootMotion", "blend_root_motions"]

Floats = NDArray[np.float64]

PROBES_PER_KEY = 8  # samples per key interval, for the length of the path under any interpolation


@set_module("lissom")
class RootMotion:
    """The motion of a clip's character through the world.

    All transforms are rigid trs, (..., 10), in float64: a translation, a rotation and scale 1. Moves are in
    the character's own frame, so they are multiplied on the right::

        world_from_character = lissom.trs.compose(world_from_character, motion.between(t0, t1))

    The clip in place that `extract_root_motion` returns, and its root motion, together restore the clip: the
    model matrix of a joint in the clip is ``track(t)`` times its model matrix in the clip in place.

    Parameters
    ----------
    track : Clip
        Moves one joint: the transform from the character's frame to model space over the clip's seconds.
        Converted to float64.
    joints : iterable of str
        Names of the joints it was extracted from, with all their descendants. Empty: the whole character.
    error : float
        Largest distance, between keys, of clip in place and root motion together from the original clip, in
        model units.

    Raises
    ------
    TypeError
        If `track` is not a Clip.
    ValueError
        If `track` moves another number of joints, scales, or is additive.

    See Also
    --------
    Clip.extract_root_motion : extract it from a clip.
    RootMotion.from_moves : make it from transforms.
    blend_root_motions : blend the moves of several.

    Examples
    --------
    >>> walk = lissom.samples.humanoid().clips["walk"]
    >>> step = walk.root_motion.between(0.25, 0.35)
    >>> round(float(step[2]), 3), round(walk.root_motion.speed, 2)  # metres, and metres per second, along +z
    (0.129, 1.29)
    """

    def __init__(self, track: Clip, joints: Iterable[str] = (), error: float = 0.0) -> None:
        from lissom.clip import Clip

        if not isinstance(track, Clip):
            raise TypeError(f"RootMotion: track must be a Clip, got {type(track).__name__}")
        if len(track.skeleton) != 1:
            raise ValueError(f"RootMotion: track must move one joint, got {len(track.skeleton)}")
        if track.additive:
            raise ValueError(f"RootMotion: track must not be additive, got {track.name!r}")
        if (track.tracks["path"] == SCALE).any():
            raise ValueError("RootMotion: track must be rigid, got keys of scale")
        if track.keys.dtype != np.float64:
            options = track._options() | {"loop": track.loop}
            track = Clip(track.name, track.skeleton, track.keys.astype(np.float64), track.tracks, **options)
        self._track = track
        self._joints = tuple(joints)
        self._error = float(error)

    from_moves = classmethod(_from_moves.from_moves)

    @property
    def track(self) -> Clip:
        """The transform from the character's frame to model space, as a clip of one joint, in float64."""
        return self._track

    @property
    def joints(self) -> tuple[str, ...]:
        """Names of the joints it was extracted from; empty where it moves the whole character."""
        return self._joints

    @property
    def error(self) -> float:
        """Largest distance of it and the clip in place together from the original clip, in model units."""
        return self._error

    @property
    def loop(self) -> Loop:
        """The loop mode: True, False or "ping_pong"."""
        return self._track.loop

    @property
    def start(self) -> float:
        """Seconds of the first key."""
        return self._track.start

    @property
    def end(self) -> float:
        """Seconds of the last key."""
        return self._track.end

    @property
    def duration(self) -> float:
        """Seconds of one cycle."""
        return self._track.duration

    def at(self, times: ArrayLike, loop: Loop | None = None) -> Floats:
        """Return the transform of the character since the start of the clip.

        Parameters
        ----------
        times : array_like of float, shape (...)
            The clip's own seconds, as for `Clip.sample`; at ``start`` it is the identity.
        loop : bool or "ping_pong", optional
            The clip's if omitted. True continues: k cycles are the k-th power of `cycle`, also for negative
            k. False stands still before the start and after the end. "ping_pong" goes there and back.

        Returns
        -------
        ndarray of float64, shape (..., 10)
            Rigid trs from the character's frame now to its frame at the clip's start.

        Raises
        ------
        ValueError
            If a time is not finite.

        Examples
        --------
        >>> walk = lissom.samples.humanoid().clips["walk"]
        >>> travel = walk.root_motion.at([0.0, walk.duration, 10 * walk.duration])
        >>> lissom.trs.translation(travel)[:, 2].round(2)  # metres along +z: nothing, one stride, ten
        array([ 0.  ,  1.42, 14.19])
        """
        cycles, local = self._wrapped("at", times, loop)
        within = self._within(local)
        return within if cycles is None else trs.compose(power(self.cycle, cycles), within)

    def between(self, t0: ArrayLike, t1: ArrayLike, loop: Loop | None = None) -> Floats:
        """Return the move of the character from one time to another, in its own frame at the first.

        ``between(t0, t1)`` times ``between(t1, t2)`` is ``between(t0, t2)``, across cycles and backwards,
        too; however late the times, only the cycles between them are counted.

        Parameters
        ----------
        t0, t1 : array_like of float, shape (...)
            The clip's own seconds, not wrapped; they broadcast.
        loop : bool or "ping_pong", optional
            As for `at`.

        Returns
        -------
        ndarray of float64, shape (..., 10)
            Rigid trs from the character's frame at `t1` to its frame at `t0`.

        Raises
        ------
        ValueError
            If a time is not finite.

        Examples
        --------
        >>> walk = lissom.samples.humanoid().clips["walk"]
        >>> place = lissom.trs.identity()
        >>> for frame in range(60):  # one second at 60 pictures per second
        ...     moved = walk.root_motion.between(frame / 60, (frame + 1) / 60)
        ...     place = lissom.trs.compose(place, moved)
        >>> print(place[2].round(2))  # metres along +z
        1.29
        """
        cycles0, local0 = self._wrapped("between", t0, loop)
        cycles1, local1 = self._wrapped("between", t1, loop)
        move = self._within(local1)
        if cycles0 is not None and cycles1 is not None:
            cycles = cycles1 - cycles0
            if np.any(cycles):
                move = trs.compose(power(self.cycle, cycles), move)
        return trs.compose(trs.inverse(self._within(local0)), move)

    @cached_property
    def cycle(self) -> Floats:
        """The rigid trs of one cycle, (10,): from the character's frame at its end to that at its start."""
        return _read_only(self._within(np.asarray(self.duration)))

    @cached_property
    def distance(self) -> float:
        """Length of the path of the character's origin over the ground (x, z), in model units."""
        steps = np.diff(self._path[:, [0, 2]], axis=0)
        return float(np.linalg.norm(steps, axis=1).sum())

    @property
    def speed(self) -> float:
        """Distance per second; 0 without duration."""
        return self.distance / self.duration if self.duration > 0 else 0.0

    @cached_property
    def turn(self) -> float:
        """Rotation about y over one cycle in radians, positive to the left, full revolutions counted."""
        yaw = 2 * np.arctan2(self._path[:, 4], self._path[:, 6])
        return float(np.unwrap(yaw, period=2 * np.pi)[-1] - yaw[0]) if len(yaw) else 0.0

    def edited(self, edit: Callable[..., Clip], *arguments: Any, **options: Any) -> RootMotion:
        """Return this root motion with an edit of `Clip` applied to its track.

        Parameters
        ----------
        edit : callable
            A method of `Clip` that returns a clip, such as ``Clip.retimed``.
        *arguments, **options
            Its arguments after the clip.

        Returns
        -------
        RootMotion

        Examples
        --------
        >>> walk = lissom.samples.humanoid().clips["walk"]
        >>> slow = walk.root_motion.edited(lissom.Clip.retimed, duration=2.2)
        >>> round(walk.root_motion.speed, 2), round(slow.speed, 2)  # metres per second
        (1.29, 0.65)
        """
        return RootMotion(edit(self._track, *arguments, **options), self._joints, self._error)

    def looping(self, loop: Loop) -> RootMotion:
        """Return this root motion with another loop mode.

        Parameters
        ----------
        loop : bool or "ping_pong"

        Returns
        -------
        RootMotion
            This one where it has the mode already.

        Examples
        --------
        >>> walk = lissom.samples.humanoid().clips["walk"]
        >>> once = walk.root_motion.looping(False)
        >>> for motion in (walk.root_motion, once):
        ...     print(motion.at(5.0)[2].round(2))  # metres along +z
        6.45
        1.42
        """
        return self if self._track.loop == loop else self.edited(lambda track: track._edited(loop=loop))

    def _wrapped(self, function: str, times: ArrayLike, loop: Loop | None) -> tuple[Floats | None, Floats]:
        """Return whole cycles (None where they do not count) and seconds since the start of the cycle."""
        seconds = finite_floats(times, f"RootMotion.{function}: times")
        mode = self.loop if loop is None else checked_loop(loop, f"RootMotion.{function}")
        since, duration = seconds - self.start, self.duration
        if mode is False or not duration > 0:
            return None, np.minimum(np.maximum(since, 0), duration)
        if mode is True:
            cycles = np.floor(since / duration)
            return cycles, since - cycles * duration  # rounding may pass an end, to which sampling clamps
        return None, np.asarray(duration - np.abs(np.mod(since, 2 * duration) - duration))

    def _within(self, local: Floats) -> Floats:
        """Return the move from the start to seconds after it, within one cycle, (..., 10)."""
        rows = self._track.sample(local + self.start, loop=False)[..., 0, :]
        return rows if self._from_start is None else trs.compose(self._from_start, rows)

    @cached_property
    def _from_start(self) -> Floats | None:
        """Return the inverse of the track's first transform; None where that is the identity."""
        first = self._track.sample(self.start, loop=False)[0]
        return None if np.array_equal(first, trs.identity(dtype=np.float64)) else trs.inverse(first)

    @cached_property
    def _path(self) -> Floats:
        """Return moves since the start at the keys and between them, (N, 10)."""
        tracks = unpacked(self._track.keys, self._track.tracks)
        times = distinct(np.concatenate([[self.start, self.end], *(track.times for track in tracks)]))
        fine = np.interp(
            np.arange((len(times) - 1) * PROBES_PER_KEY + 1) / PROBES_PER_KEY, np.arange(len(times)), times
        )
        return self._within(fine - self.start)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._track, self._joints, self._error)

    def __copy__(self) -> RootMotion:
        return self  # it never changes

    def __repr__(self) -> str:
        kinds = {True: ", loops", False: "", "ping_pong": ", plays back and forth"}
        degrees = np.degrees(self.turn)
        rotation = f", turns {degrees:.3g} degrees" if abs(degrees) >= 0.05 else ""
        return (
            f"<RootMotion: {self.distance:.4g} over the ground in {self.duration:.3f} s, {self.speed:.4g} a "
            f"second{rotation}{kinds[self.loop]}>"
        )


@set_module("lissom")
def blend_root_motions(moves: ArrayLike, weights: ArrayLike) -> Floats:
    """Blend the moves that several clips make in the same step, as their poses are blended.

    The mean of their logarithms: with steady moves the result does not depend on the length of the steps, and
    half of an arc is the arc of half the angle. Rotations follow the shorter arc.

    Parameters
    ----------
    moves : array_like, shape (N, ..., 10)
        Rigid trs of each of N clips, from `RootMotion.between`.
    weights : array_like, shape (N, ...)
        At least zero, not all zero; only their ratios matter. Missing axes are appended on the right.

    Returns
    -------
    ndarray of float64, shape (..., 10)
        Rigid trs.

    Raises
    ------
    ValueError
        If a move is not rigid, a weight is negative or not finite, all are zero, or a shape does not match.

    References
    ----------
    .. [1] Alexa, Linear Combination of Transformations, ACM TOG 21(3), 2002: sums of logarithms.

    Examples
    --------
    >>> clips = lissom.samples.humanoid().clips
    >>> moves = [clips[name].root_motion.between(0, 0.1) for name in ("walk", "run")]
    >>> float(lissom.blend_root_motions(moves, [0.5, 0.5])[2].round(4))  # along z, model units
    0.2157
    """
    rows = as_numbers(moves, "blend_root_motions: moves").astype(np.float64)
    shares = as_numbers(weights, "blend_root_motions: weights").astype(np.float64)
    if rows.ndim < 2 or rows.shape[-1] != 10 or not len(rows):
        raise ValueError(
            f"blend_root_motions: moves must have shape (N, ..., 10), N at least 1, got {rows.shape}"
        )
    shares = shares.reshape(shares.shape + (1,) * (rows.ndim - 1 - shares.ndim))
    if shares.ndim != rows.ndim - 1 or len(shares) != len(rows):
        raise ValueError(
            f"blend_root_motions: weights must have shape ({len(rows)}, ...), one for each of the "
            f"{len(rows)} moves, got {np.shape(weights)}"
        )
    if not (np.isfinite(shares).all() and (shares >= 0).all()):
        wrong = shares[~(np.isfinite(shares) & (shares >= 0))].flat[0]
        raise ValueError(f"blend_root_motions: weights must be finite and at least zero, got {wrong:g}")
    total = np.zeros(shares.shape[1:])
    for share in shares:  # not by sum, which adds many numbers in another order than few
        total = total + share
    if not (total > 0).all():
        raise ValueError("blend_root_motions: weights must not all be zero")
    # The logarithm of a quaternion with w < 0 is that of the longer arc.
    shorter = np.where(rows[..., 6:7] < 0, -1, 1)
    try:
        logs = dual_quat.log(shorter * dual_quat.from_trs(rows))
    except ValueError as error:
        raise ValueError(f"blend_root_motions: moves must be rigid ({error})") from None
    mean = np.sum((shares / total)[..., None] * logs, axis=0)
    return np.asarray(dual_quat.to_trs(dual_quat.exp(mean)))


def _read_only(array: Floats) -> Floats:
    array.flags.writeable = False
    return array
