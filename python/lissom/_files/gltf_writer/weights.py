# SPDX-License-Identifier: MIT
"""Animated weights of morph targets: the tracks of a node's targets as one, on one timeline."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._base.names import counted
from lissom.clip import CUBICSPLINE, LINEAR, STEP, WEIGHT, Clip
from lissom.clip._cuts import as_cubic, as_linear, with_keys
from lissom.clip._tracks import Track, all_tracks

_SINGLE = np.dtype("<f4")


@dataclass(frozen=True, slots=True)
class MorphedNodes:
    """The nodes of a file that have morph targets.

    Attributes
    ----------
    names : sequence of str
        Of all morph targets of the character.
    defaults : ndarray of float32, shape (M,)
    numbers : dict of int to ndarray of int64
        Which of them the targets of each node are. Several nodes may have one.
    """

    names: Sequence[str]
    defaults: NDArray[np.float32]
    numbers: dict[int, NDArray[np.int64]]


def weight_tracks(name: str, clip: Clip, nodes: MorphedNodes | None) -> Iterator[Track]:
    """Yield a track for each node whose weights a clip animates: ``joint`` is the node, values (K, targets).

    Of a spline values are (K, 3, targets). A clip may know other morph targets than the character: they go by
    name.
    """
    moved = {clip.morph_names[track.joint]: track for track in all_tracks(clip) if track.path == WEIGHT}
    known = set() if nodes is None else set(nodes.names)
    lost = [each for each in moved if each not in known]
    if lost:
        warnings.warn(
            f"save_glb: weights of {counted(len(lost), 'morph target')} in clip {name!r} are left out, such "
            f"as {lost[0]!r}: the mesh has no such target; Clip.bind with morphs= binds them by name",
            stacklevel=6,
        )
    if nodes is None:
        return
    rest = dict(zip(clip.morph_names, clip._rest_weights().tolist(), strict=True))
    for node, numbers in nodes.numbers.items():
        targets = [nodes.names[number] for number in numbers.tolist()]
        if not any(target in moved for target in targets):
            continue
        others = {nodes.names[number]: float(nodes.defaults[number]) for number in numbers.tolist()} | rest
        parts = [moved.get(target) or _still(others[target]) for target in targets]
        yield replace(_merged(name, parts), joint=node)


def _still(weight: float) -> Track:
    return Track(0, WEIGHT, LINEAR, np.zeros(0), np.array([[weight]]))


def _merged(name: str, parts: Sequence[Track]) -> Track:
    """Return tracks of one number each as one track; the motion is that of each.

    Those of one timeline keep their keys to the bit. Else the timeline has the keys of all, and the
    interpolation is the richest: STEP is written as LINEAR, LINEAR as CUBICSPLINE, both exactly.
    """
    parts = [  # glTF has no spline with a single key
        replace(part, interpolation=LINEAR, values=part.points) if len(part.times) == 1 else part
        for part in parts
    ]
    moving = [part for part in parts if len(part.times)]
    first = moving[0]
    alike = all(
        part.interpolation == first.interpolation and np.array_equal(part.times, first.times)
        for part in moving
    )
    if not alike:
        moving = _on_one_timeline([replace(part, times=_single(name, part.times)) for part in moving])
        first = moving[0]
    shown = iter(moving)
    columns = [next(shown).values if len(part.times) else _constant(part, first) for part in parts]
    return replace(first, values=np.concatenate(columns, axis=-1))


def _on_one_timeline(tracks: Sequence[Track]) -> list[Track]:
    kinds = {track.interpolation for track in tracks if len(track.times) > 1} or {STEP}
    result = []
    for track in tracks:
        if CUBICSPLINE in kinds:
            track = as_cubic(track, _SINGLE)
        elif LINEAR in kinds:
            track = as_linear(track, _SINGLE)
        elif len(track.times) == 1:
            track = replace(track, interpolation=STEP)
        result.append(track)
    times = np.unique(np.concatenate([track.times.astype(np.float64) for track in result]))
    return [with_keys(track, times) for track in result]


def _constant(part: Track, like: Track) -> NDArray[Any]:
    """Return a weight that stays, as values beside those of another track."""
    values = np.zeros((*like.values.shape[:-1], 1), like.values.dtype)
    if like.interpolation == CUBICSPLINE:
        values[:, 1] = part.values[0]
    else:
        values[:] = part.values[0]
    return values


def _single(name: str, times: NDArray[Any]) -> NDArray[np.float32]:
    """Return key times in single precision; refuse those that coincide there."""
    with np.errstate(over="ignore"):  # infinite times do not increase
        stored = times.astype(_SINGLE, copy=False)
    if not (stored[1:] > stored[:-1]).all():
        raise ValueError(
            "save_glb: key times must differ in single precision, glTF's own, got those of weights in clip "
            f"{name!r} that do not; resample the clip"
        )
    return stored
