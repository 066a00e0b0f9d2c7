# SPDX-License-Identifier: MIT
"""The weights of morph targets over time: their names, their defaults, sampling."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lissom._base.arrays import as_numbers, finite_floats, read_only
from lissom._base.names import counted
from lissom.clip._loop import LOOP_CODES, checked_loop

if TYPE_CHECKING:
    from lissom.clip import Clip, Loop


class NamedMorphs(Protocol):
    """What `Morphs` are to clips: names, "node/target", and default weights."""

    @property
    def names(self) -> tuple[str, ...]:
        """M names."""

    @property
    def defaults(self) -> NDArray[np.float32]:
        """M weights."""


MorphNames = Sequence[str] | NamedMorphs
"""Morph targets: those of a mesh, or their names alone, with defaults of 0."""


def morphs(
    self: Clip, times: ArrayLike, loop: Loop | None = None, out: NDArray[Any] | None = None
) -> NDArray[Any]:
    """Sample the weights of the morph targets at given times.

    STEP tracks change value at exactly the time of a key, LINEAR ones are straight between keys, CUBICSPLINE
    ones are Hermite splines. Before its first key a track has the value of that key, after its last key the
    value of that one. Morph targets without a track have their default; of an additive clip no difference, 0.
    Weights are not clamped.

    Parameters
    ----------
    times : array_like of float, shape (...)
        Seconds, computed in double, as for `sample`.
    loop : bool or "ping_pong", optional
        ``clip.loop`` if omitted. True wraps times into [start, end), in double; False clamps them.
    out : ndarray, shape (..., M), optional
        Where to write, of the type of ``keys``, C-contiguous; allocated when omitted.

    Returns
    -------
    ndarray, shape (..., M)
        A weight for each of ``morph_names``: what ``Character.deform(poses, morphs=weights)`` takes.

    Raises
    ------
    TypeError
        If `out` has another type or layout.
    ValueError
        If a time is not finite, or `out` has another shape. At the first call also if a key is not finite or
        the times of a track do not increase.

    See Also
    --------
    lissom.sample : poses and weights in one call.

    References
    ----------
    .. [1] Khronos, glTF 2.0 specification, section 3.11 and appendix C: the interpolations.

    Examples
    --------
    >>> skeleton = lissom.samples.humanoid().skeleton
    >>> poses = np.tile(skeleton.rest, (2, 1, 1))
    >>> smile = lissom.Clip.from_poses(skeleton, [0, 1], poses, morphs={"face/smile": [0, 1]})
    >>> smile.morph_names, smile.morphs([0.25, 0.5])
    (('face/smile',), array([[0.25],
           [0.5 ]], dtype=float32))
    """
    seconds = np.asarray(as_numbers(times, "Clip.morphs: times"), np.float64, order="C")
    if out is None:
        out = np.empty((*seconds.shape, len(self._morph_names)), self._keys.dtype)
    code = LOOP_CODES[self.loop if loop is None else checked_loop(loop, "Clip.morphs")]
    (self._prepared_weights or self._ready_weights()).sample(seconds, out, code)
    return out


def names_and_defaults(morphs: MorphNames) -> tuple[Sequence[str], ArrayLike | None]:
    """Return the names of morph targets, and their defaults where the mesh's own were passed."""
    return (morphs, None) if isinstance(morphs, Sequence) else (morphs.names, morphs.defaults)


def checked_morph_names(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names of morph targets; refuse what is no text, and names that are there twice."""
    if isinstance(names, str):
        raise TypeError("Clip: morph_names must be a sequence of names, got one string")
    result = tuple(names)
    seen: set[str] = set()
    for name in result:
        if not isinstance(name, str):
            raise TypeError(f"Clip: morph_names must be strings, got {type(name).__name__}")
        if name in seen:
            raise ValueError(f"Clip: morph_names must be different, got {name!r} twice")
        seen.add(name)
    return result


def checked_morph_defaults(defaults: ArrayLike | None, count: int) -> NDArray[np.float32]:
    """Return the default weights, (M,), read-only."""
    if defaults is None:
        return read_only(np.zeros(count, np.float32))
    with np.errstate(over="ignore"):  # infinity is refused below
        weights = finite_floats(defaults, "Clip: morph_defaults", (count,)).astype(np.float32)
    if not np.isfinite(weights).all():
        raise ValueError("Clip: morph_defaults must fit float32, got a number beyond it")
    return read_only(weights)


def common_morphs(function: str, clips: Sequence[Clip]) -> tuple[tuple[str, ...], NDArray[np.float32] | None]:
    """Return the names and defaults of the morph targets of several clips: the same ones, or none at all."""
    first: Clip | None = None
    for clip in clips:
        if not clip.morph_names:
            continue
        if first is None:
            first = clip
        elif clip.morph_names != first.morph_names:
            refuse_other_morphs(function, first.name, first.morph_names, clip.name, clip.morph_names)
    return (first.morph_names, first.morph_defaults) if first else ((), None)


def refuse_other_morphs(
    function: str, one: str, names: Sequence[str], other: str, other_names: Sequence[str]
) -> None:
    """Raise the error of two things whose morph targets differ."""
    only = [name for name in other_names if name not in set(names)]
    only = only or [name for name in names if name not in set(other_names)]
    where = f"such as {only[0]!r}, which one of them lacks" if only else "in another order"
    raise ValueError(
        f"{function}: morph targets must be the same, or none, got {counted(len(names), 'target')} of "
        f"{one!r} and {counted(len(other_names), 'other')} of {other!r}, {where}; Clip.bind with morphs= "
        "binds them by name"
    )
