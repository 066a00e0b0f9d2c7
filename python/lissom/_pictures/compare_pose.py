# SPDX-License-Identifier: MIT
"""Which pose a comparison is about: the one that is asked for, or the one where the methods differ most."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from lissom._character.blend_argument import blend_of
from lissom._character.clip_choice import clip_of
from lissom._character.morph_choice import clip_morphs, morphs_of, warn_of_lost
from lissom._pictures.render import pose_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike, NDArray

    from lissom._character.blend_argument import Blend
    from lissom._character.character import Character
    from lissom.clip import Clip

    Pair = tuple[str, str]

__all__ = ["Moment", "farthest_pair", "moment_of", "pairs_of"]

SEARCH_RATE = 10.0  # poses per second that are looked at
MOST_POSES = 32  # of one clip
CHUNK = 1_000_000  # vertices skinned in one call, by each method


@dataclass(frozen=True, eq=False)
class Moment:
    """One pose, and where it is from.

    Attributes
    ----------
    pose : ndarray, shape (J, 10)
        Local transforms.
    clip : str or None
        The clip's name; None for a pose that was given, and for the rest pose.
    time : float or None
        In the clip, seconds.
    is_searched : bool
        Whether this is where the methods differ most, of all clips or of one.
    is_of_one_clip : bool
        Whether the search covered a single clip, which was passed without a time.
    near : str or None
        The joint near which that was looked for; None for everywhere.
    is_rest : bool
        Whether it is the rest pose, because nothing else was asked for and there are no clips.
    morphs : ndarray, shape (M,), or None
        Weights of the morph targets: given, or of the clip; None where there are no targets.
    """

    pose: NDArray[Any]
    clip: str | None = None
    time: float | None = None
    is_searched: bool = False
    is_of_one_clip: bool = False
    near: str | None = None
    is_rest: bool = False
    morphs: NDArray[Any] | None = None


def moment_of(
    character: Character,
    pose: ArrayLike | None,
    clip: str | Clip | None,
    time: float | None,
    pairs: Sequence[Pair],
    blend: Blend | None,
    near: tuple[str, NDArray[np.intp]] | None = None,
    morphs: ArrayLike | None = None,
) -> Moment:
    """Return the pose that is asked for; without a time, the one where a pair of methods differs most.

    That is looked for in the clip that is asked for, or in all of them, on all vertices or on those `near` a
    joint: its name, and theirs.

    Raises
    ------
    TypeError, ValueError
        As `pose_of` and `morphs_of`.
    """
    posed = pose_of("compare", character, pose, clip, time)  # with its refusals
    shape = morphs_of("compare", character, morphs)
    given = None if morphs is None else shape
    if clip is not None:
        chosen = clip_of(character, clip, "compare")
        if time is None:
            return replace(_farthest(character, [chosen], pairs, blend, near, given), is_of_one_clip=True)
        shape = morphs_of("compare", character, given, chosen, time, depth=2)
        return Moment(posed, chosen.name, float(time), morphs=shape)
    if pose is None and character.clips:
        return _farthest(character, list(character.clips.values()), pairs, blend, near, given)
    return Moment(posed, is_rest=pose is None, morphs=shape)


def pairs_of(methods: Sequence[str]) -> list[Pair]:
    """Return the pairs of methods that may differ: "quat_trans" gives what "linear" does."""
    pairs = list(combinations(methods, 2))
    other = [pair for pair in pairs if "quat_trans" not in pair] if "linear" in methods else pairs
    return other or pairs


def farthest_pair(results: Mapping[str, NDArray[Any]], pairs: Sequence[Pair]) -> Pair:
    """Return the pair whose vertices, (V, 3), are farthest apart somewhere."""
    return max(pairs, key=lambda pair: float(_apart(results, [pair])))


def _farthest(
    character: Character,
    clips: Sequence[Clip],
    pairs: Sequence[Pair],
    blend: Blend | None,
    near: tuple[str, NDArray[np.intp]] | None,
    given: NDArray[np.float32] | None,
) -> Moment:
    assert character.mesh is not None
    methods = dict.fromkeys(method for pair in pairs for method in pair)
    at_once = max(1, CHUNK // character.mesh.vertex_count)
    best, most = None, -1.0
    for clip in clips:
        count = min(MOST_POSES, 1 + math.ceil(SEARCH_RATE * clip.duration))
        times = np.linspace(clip.start, clip.end, count)
        for first in range(0, count, at_once):
            chunk = times[first : first + at_once]
            poses = clip.sample(chunk, loop=False)
            weights = clip_morphs(character, clip, chunk, loop=False) if given is None else given
            numbers = None if blend is None else blend_of("compare", character, poses, blend)
            results = {
                method: character.deform(
                    poses, method, blend=numbers if method == "blended" else None, morphs=weights
                )
                for method in methods
            }
            if near is not None:
                results = {method: found[:, near[1]] for method, found in results.items()}
            apart = _apart(results, pairs)
            if apart.max() > most:
                most, at, chosen = float(apart.max()), int(apart.argmax()), clip
                best = Moment(
                    poses[at],
                    clip.name,
                    float(chunk[at]),
                    is_searched=True,
                    near=near and near[0],
                    morphs=weights if weights is None or weights.ndim == 1 else weights[at],
                )
    assert best is not None
    if given is None:
        warn_of_lost("compare", character, chosen, depth=3)
    return best


def _apart(results: Mapping[str, NDArray[Any]], pairs: Sequence[Pair]) -> NDArray[Any]:
    """Return the square of the largest distance between two of a pair, for each pose (...)."""
    squares = []
    for one, other in pairs:
        between = results[other] - results[one]
        squares.append(np.einsum("...i,...i->...", between, between).max(axis=-1))
    largest: NDArray[Any] = np.max(squares, axis=0)
    return largest
