# SPDX-License-Identifier: MIT
"""Blend spaces: clips at values of a parameter, blended between them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers, check_out, read_only
from lissom._base.names import counted
from lissom._base.numbers import check_number
from lissom._base.set_module import set_module
from lissom._playback.blend import blend_layers
from lissom._playback.play_head import check_playable
from lissom._playback.triangulation import Triangulation
from lissom.clip import Clip
from lissom.clip._loop import checked_loop
from lissom.clip._morphs import common_morphs
from lissom.clip._sampling import checked_phase

if TYPE_CHECKING:
    from lissom._rig.skeleton import Skeleton
    from lissom.clip import Loop

__all__ = ["FARTHEST", "BlendSpace1D", "BlendSpace2D"]

# Points closer to one another than this part of the extent are the same.
_SAME = 1e-6
# Squares of numbers up to this, and their products, are finite.
FARTHEST = 1e70


class _BlendSpace:
    """Clips that play in step, blended by weights that a subclass derives from its parameter."""

    # Slots, so that assigning an attribute that does not exist (`value` of a space with a `point`) raises.
    __slots__ = ("_clips", "_dtype", "_morph_defaults", "_morph_names", "_weights")

    _kind = ""

    def __init__(self, clips: Iterable[Clip]) -> None:
        if not isinstance(clips, Iterable):
            raise TypeError(f"{self._kind}: clips must be several Clips, got {clips!r}; pass a list")
        self._clips = tuple(clips)
        if not self._clips:
            raise ValueError(f"{self._kind}: clips must not be empty")
        first = self._clips[0]
        for clip in self._clips:
            if not isinstance(clip, Clip):
                raise TypeError(f"{self._kind}: clips must be Clips, got {type(clip).__name__}")
            check_playable(clip, first.skeleton, self._kind)
            if not clip.duration > 0:
                raise ValueError(
                    f"{self._kind}: clips must have a duration, to play at one phase, got {clip.name!r} with "
                    "none"
                )
            for what, ours, theirs in (
                ("loop", first.loop, clip.loop),
                ("additive", first.additive, clip.additive),
            ):
                if ours != theirs:
                    raise ValueError(
                        f"{self._kind}: clips must agree in {what}, got {ours} of {first.name!r} and "
                        f"{theirs} of {clip.name!r}"
                    )
        self._dtype = np.result_type(*(clip.keys.dtype for clip in self._clips))
        self._weights = np.zeros(len(self._clips))
        self._morph_names, defaults = common_morphs(self._kind, self._clips)
        self._morph_defaults = np.zeros(0, np.float32) if defaults is None else defaults

    @property
    def name(self) -> str:
        """Names of the clips, joined by slashes."""
        return "/".join(clip.name for clip in self._clips)

    @property
    def clips(self) -> tuple[Clip, ...]:
        """The clips, in the order of the parameters."""
        return self._clips

    @property
    def skeleton(self) -> Skeleton:
        """The skeleton of the clips."""
        return self._clips[0].skeleton

    @property
    def morph_names(self) -> tuple[str, ...]:
        """Names of the morph targets of its clips; none where no clip has any."""
        return self._morph_names

    @property
    def morph_defaults(self) -> NDArray[np.float32]:
        """Weights of the morph targets that nothing moves, (M,). Read-only."""
        return self._morph_defaults

    @property
    def weights(self) -> NDArray[np.float64]:
        """Share of each clip in the pose, shape (N,), at least 0, with sum 1. Read-only."""
        return read_only(self._weights)

    @property
    def start(self) -> float:
        """Seconds at which it starts: 0, whatever the starts of the clips."""
        return 0.0

    @property
    def duration(self) -> float:
        """Seconds of a cycle at present: the weighted mean of the clips' durations."""
        seconds = 0.0  # not by sum, which rounds otherwise from Python 3.12 on
        for weight, clip in zip(self._weights.tolist(), self._clips, strict=True):
            seconds += weight * clip.duration
        return seconds

    @property
    def loop(self) -> Loop:
        """The loop mode of its clips."""
        return self._clips[0].loop

    @property
    def additive(self) -> bool:
        """Whether poses are differences, to be added to others."""
        return self._clips[0].additive

    def sample(
        self, times: ArrayLike, loop: Loop | None = None, out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Sample local poses at given times, at the present parameter.

        All clips are sampled at the same fraction of their durations, and blended by `blend_layers`.

        Parameters
        ----------
        times : array_like of float, shape (...)
            Seconds since the start; ``duration`` is one cycle.
        loop : bool or "ping_pong", optional
            The clips' if omitted.
        out : ndarray, shape (..., J, 10), optional
            Where to write, of the type of the clips' keys, C-contiguous; allocated when omitted.

        Returns
        -------
        ndarray, shape (..., J, 10)

        Raises
        ------
        TypeError
            If `out` has another type.
        ValueError
            If a time is not finite, or `out` has another shape.

        Examples
        --------
        >>> clips = lissom.samples.humanoid().clips
        >>> gait = lissom.BlendSpace1D([clips["walk"], clips["run"]], [1.4, 3.0], value=1.8)
        >>> gait.sample([0.0, 0.1, 0.2]).shape
        (3, 34, 10)
        >>> bool(np.array_equal(gait.sample(gait.duration), gait.at(1)))  # the next cycle
        True
        """
        seconds = as_numbers(times, f"{self._kind}.sample: times").astype(np.float64)
        if out is not None:
            shape = (*seconds.shape, len(self.skeleton), 10)
            check_out(out, f"{self._kind}.sample: out", shape, self._dtype, contiguous=False)
        phases = seconds / self.duration
        if loop is not None:
            checked_loop(loop, f"{self._kind}.sample")
        active = np.flatnonzero(self._weights)
        poses = [self._sampled(self._clips[i], phases, loop) for i in active]
        if len(poses) == 1:
            if out is None:
                return poses[0]
            out[...] = poses[0]
            return out
        return blend_layers(poses, self._weights[active], out=out)

    def morphs(
        self, times: ArrayLike, loop: Loop | None = None, out: NDArray[Any] | None = None
    ) -> NDArray[Any]:
        """Sample the weights of the morph targets at given times, at the present parameter.

        The mean of the clips', by their shares; a clip that knows of no morph targets has the defaults.

        Parameters
        ----------
        times : array_like of float, shape (...)
            Seconds since the start, as for `sample`.
        loop : bool or "ping_pong", optional
            The clips' if omitted.
        out : ndarray, shape (..., M), optional
            Where to write, of the type of the clips' keys, C-contiguous; allocated when omitted.

        Returns
        -------
        ndarray, shape (..., M)

        Raises
        ------
        TypeError
            If `out` has another type.
        ValueError
            If a time is not finite, or `out` has another shape.

        Examples
        --------
        >>> skeleton = lissom.samples.humanoid().skeleton
        >>> still = np.tile(skeleton.rest, (2, 1, 1))
        >>> def face(weight):
        ...     return lissom.Clip.from_poses(skeleton, [0, 1], still, morphs={"face/smile": [weight] * 2})
        >>> mood = lissom.BlendSpace1D([face(0.0), face(1.0)], [-1, 1], value=0.5)
        >>> mood.morphs(0.0)
        array([0.75], dtype=float32)
        """
        seconds = as_numbers(times, f"{self._kind}.morphs: times").astype(np.float64)
        shape = (*seconds.shape, len(self._morph_names))
        if out is None:
            out = np.empty(shape, self._dtype)
        else:
            check_out(out, f"{self._kind}.morphs: out", shape, self._dtype, contiguous=False)
        phases = seconds / self.duration
        mode = self.loop if loop is None else checked_loop(loop, f"{self._kind}.morphs")
        total = np.zeros(shape)
        for index in np.flatnonzero(self._weights).tolist():
            clip, share = self._clips[index], self._weights[index]
            at = clip.start + phases * clip.duration
            if clip.morph_names:
                total += share * clip.morphs(at, loop=mode).astype(np.float64)
            elif not clip.additive:
                total += share * self._morph_defaults
        out[...] = total
        return out

    def at(self, phase: ArrayLike) -> NDArray[Any]:
        """Sample local poses at fractions of a cycle.

        Parameters
        ----------
        phase : array_like of float, shape (...)
            In [0, 1]; 0 is where each clip starts, 1 where it ends.

        Returns
        -------
        ndarray, shape (..., J, 10)

        Raises
        ------
        ValueError
            If a phase lies outside [0, 1] or is NaN.

        Examples
        --------
        >>> clips = lissom.samples.humanoid().clips
        >>> gait = lissom.BlendSpace1D([clips["walk"], clips["run"]], [1.4, 3.0], value=1.4)
        >>> gait.at([0.0, 0.25]).shape
        (2, 34, 10)
        >>> bool(np.allclose(gait.at(0.25), clips["walk"].at(0.25), atol=1e-6))  # nothing of the run
        True
        """
        return self.sample(checked_phase(phase, f"{self._kind}.at") * self.duration)

    def components(self) -> list[tuple[Clip, float]]:
        """Return each clip and its weight at present, for markers and root motion.

        Returns
        -------
        list of (Clip, float)
            In the order of `clips`; weights are at least 0 and sum to 1.

        Examples
        --------
        >>> clips = lissom.samples.humanoid().clips
        >>> gait = lissom.BlendSpace1D([clips["walk"], clips["run"]], [1.4, 3.0], value=1.8)
        >>> [(clip.name, round(weight, 2)) for clip, weight in gait.components()]
        [('walk', 0.75), ('run', 0.25)]
        """
        return list(zip(self._clips, self._weights.tolist(), strict=True))

    def _for_core(self) -> tuple[list[float], list[int], list[float], list[int], list[float], list[int]]:
        """Return values and their order; or points, triangles, what turns points into weights, and edges."""
        raise NotImplementedError

    def _sampled(self, clip: Clip, phases: NDArray[np.float64], loop: Loop | None) -> NDArray[Any]:
        poses = clip.sample(clip.start + phases * clip.duration, loop=loop)
        return poses.astype(self._dtype, copy=False)

    def _described(self, parameter: str) -> str:
        shares = sorted(self.components(), key=lambda part: -part[1])
        shown = ", ".join(f"{clip.name!r} {weight:.0%}" for clip, weight in shares if weight > 0)
        return f"<{self._kind} of {counted(len(self._clips), 'clip')} at {parameter}: {shown}>"


@set_module("lissom")
class BlendSpace1D(_BlendSpace):
    """Clips at values of one parameter, such as walking and running by speed.

    Between two values, both clips play in step and are blended in proportion; beyond the ends, the last one
    plays. A `CrossFade` plays it like a clip, while the value may change at any time.

    Parameters
    ----------
    clips : sequence of Clip
        Of one skeleton, at least one; all loop, or none. They should begin at the same moment of their
        cycles, such as the left foot coming down.
    values : array_like of float, shape (N,)
        The value of each clip, in any order.
    value : float, optional
        The first value of the parameter; the least of `values` when omitted.

    Raises
    ------
    TypeError
        If something is not a `Clip`.
    ValueError
        If the numbers do not match, values are equal or not finite, clips are of different skeletons, have no
        duration, or differ in whether they loop or are additive, or in their morph targets.

    Examples
    --------
    >>> clips = lissom.samples.humanoid().clips
    >>> gait = lissom.BlendSpace1D([clips["walk"], clips["run"]], [1.4, 3.0], value=1.8)
    >>> gait.weights
    array([0.75, 0.25])
    >>> round(gait.duration, 3)
    1.0
    """

    __slots__ = ("_order", "_value", "_values")

    _kind = "BlendSpace1D"

    def __init__(self, clips: Iterable[Clip], values: ArrayLike, *, value: float | None = None) -> None:
        super().__init__(clips)
        places = as_numbers(values, "BlendSpace1D: values").astype(np.float64)
        if places.shape != (len(self._clips),):
            raise ValueError(
                f"BlendSpace1D: values must have shape ({len(self._clips)},), one for each clip, got "
                f"{places.shape}"
            )
        _check_magnitude(places, "BlendSpace1D: values")
        self._values = places
        self._order = np.argsort(places)
        ordered = places[self._order]
        near = np.flatnonzero(np.diff(ordered) <= _SAME * (ordered[-1] - ordered[0]))
        if near.size:
            a, b = (self._clips[self._order[near[0] + i]].name for i in (0, 1))
            raise ValueError(
                f"BlendSpace1D: values must differ, got {ordered[near[0]]:g} for both {a!r} and {b!r}"
            )
        self.value = float(ordered[0]) if value is None else value

    @property
    def values(self) -> NDArray[np.float64]:
        """The value of each clip, shape (N,). Read-only."""
        return read_only(self._values)

    @property
    def value(self) -> float:
        """The parameter, settable to any number."""
        return self._value

    @value.setter
    def value(self, value: float) -> None:
        check_number(value, "BlendSpace1D: value")
        _check_magnitude(np.array([value]), "BlendSpace1D: value")
        self._value = float(value)
        ordered = self._values[self._order]
        weights = np.zeros(len(ordered))
        right = int(np.searchsorted(ordered, self._value, side="right"))
        if right == 0 or right == len(ordered):
            weights[self._order[min(right, len(ordered) - 1)]] = 1
        else:
            share = (self._value - ordered[right - 1]) / (ordered[right] - ordered[right - 1])
            weights[self._order[right - 1]], weights[self._order[right]] = 1 - share, share
        self._weights = weights

    def _for_core(self) -> tuple[list[float], list[int], list[float], list[int], list[float], list[int]]:
        return self._values[self._order].tolist(), self._order.tolist(), [], [], [], []

    def __repr__(self) -> str:
        return self._described(f"{self._value:g}")


@set_module("lissom")
class BlendSpace2D(_BlendSpace):
    """Clips at points of a plane, such as walking in all directions at several speeds.

    A Delaunay triangulation joins the points, and the three clips around the parameter are blended by its
    barycentric coordinates. So at most three clips are sampled; the weights are continuous, exact at the
    points, and linear in between, so that the blend moves at the requested speed where the points are
    velocities. Outside, the nearest point of the boundary counts. Gradient bands [1]_ would be smoother, but
    blend all clips everywhere.

    Parameters
    ----------
    clips : sequence of Clip
        Of one skeleton, at least three; all loop, or none. They should begin at the same moment of their
        cycles, such as the left foot coming down.
    points : array_like of float, shape (N, 2)
        The point of each clip; not all on one line.
    point : array_like of float, shape (2,), optional
        The first value of the parameter; the first of `points` when omitted.

    Raises
    ------
    TypeError
        If something is not a `Clip`.
    ValueError
        If the numbers do not match, points are equal, not finite or all on one line, clips are of different
        skeletons, have no duration, or differ in whether they loop or are additive, or in their morph
        targets.

    References
    ----------
    .. [1] Johansen, Automated Semi-Procedural Animation for Character Locomotion, master's thesis, Aarhus
       University, 2009, section 6.3.

    Examples
    --------
    >>> clips = lissom.samples.humanoid().clips
    >>> three = [clips["idle"], clips["walk"], clips["run"]]
    >>> space = lissom.BlendSpace2D(three, [[0, 0], [1, 0], [0, 1]], point=[0.25, 0.25])
    >>> space.weights
    array([0.5 , 0.25, 0.25])
    """

    __slots__ = ("_point", "_points", "_triangulation")

    _kind = "BlendSpace2D"

    def __init__(self, clips: Iterable[Clip], points: ArrayLike, *, point: ArrayLike | None = None) -> None:
        super().__init__(clips)
        places = as_numbers(points, "BlendSpace2D: points").astype(np.float64)
        count = len(self._clips)
        if places.shape != (count, 2):
            raise ValueError(
                f"BlendSpace2D: points must have shape ({count}, 2), one for each clip, got {places.shape}"
            )
        _check_magnitude(places, "BlendSpace2D: points")
        self._points = places
        self._check_spread()
        self._triangulation = Triangulation(places)
        self.point = places[0] if point is None else point

    def _check_spread(self) -> None:
        extent = float(np.ptp(self._points, axis=0).max())
        distances = np.linalg.norm(self._points[:, None] - self._points, axis=-1)
        distances[np.tril_indices(len(distances))] = np.inf
        near = np.argwhere(distances <= _SAME * extent)
        if near.size:
            a, b = (self._clips[i].name for i in near[0])
            raise ValueError(
                f"BlendSpace2D: points must differ, got {self._points[near[0][0]].tolist()} for both {a!r} "
                f"and {b!r}"
            )
        spreads = np.linalg.svd(self._points - self._points.mean(axis=0), compute_uv=False)
        if len(self._points) < 3 or spreads[1] <= _SAME * spreads[0]:
            raise ValueError(
                f"BlendSpace2D: points must not all lie on one line, got {len(self._points)} that do; "
                "use BlendSpace1D"
            )

    @property
    def points(self) -> NDArray[np.float64]:
        """The point of each clip, shape (N, 2). Read-only."""
        return read_only(self._points)

    @property
    def triangles(self) -> NDArray[np.intp]:
        """The triangles between the points, shape (T, 3), indices of `points`. Read-only."""
        return read_only(self._triangulation.triangles)

    @property
    def point(self) -> NDArray[np.float64]:
        """The parameter, shape (2,), settable to any point. Read-only: set it as a whole."""
        return read_only(self._point)

    @point.setter
    def point(self, point: ArrayLike) -> None:
        place = as_numbers(point, "BlendSpace2D: point").astype(np.float64)
        if place.shape != (2,):
            raise ValueError(f"BlendSpace2D: point must have shape (2,), got {place.shape}")
        _check_magnitude(place, "BlendSpace2D: point")
        self._point = place
        self._weights = self._triangulation.weights(place)

    def _for_core(self) -> tuple[list[float], list[int], list[float], list[int], list[float], list[int]]:
        return [], [], self._points.ravel().tolist(), *self._triangulation.for_core()

    def __repr__(self) -> str:
        x, y = self._point
        return self._described(f"({x:g}, {y:g})")


def _check_magnitude(values: NDArray[np.float64], what: str) -> None:
    outside = ~(np.abs(values) <= FARTHEST)
    if outside.any():
        raise ValueError(f"{what} must be finite and within {FARTHEST:g}, got {values[outside].flat[0]:g}")
