# SPDX-License-Identifier: MIT
"""Which hypotheses of a fault are believed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from lissom._base.vectors import lengths
from lissom._verify.evidence import Evidence
from lissom._verify.explanation import EXPLAINS, Explanation
from lissom._verify.fault import BakeFault
from lissom._verify.faults_of_joints import JOINTS
from lissom._verify.faults_of_numbers import NUMBERS, coarse_fault, sound_error
from lissom._verify.faults_of_places import PLACES
from lissom._verify.faults_of_range import RANGE
from lissom._verify.faults_of_time import TIME, length_fault

__all__ = ["faults_of"]

STEPS = 4.0
"""Errors at frames up to so many steps of the stored numbers are theirs, and no fault."""

LEAST = 5e-4
"""Errors at frames below this fraction of the size are no fault, whatever the numbers."""

ROUNDED = 1.5
"""Errors at frames up to so many times those of a sound bake of the same numbers are no fault."""

RESAMPLED = 2.0
"""Vertices off by up to so many times the `Evidence.bends` may be those of a bake that was sampled anew."""

AS_MIXED = 1.5
"""Vertices off by so many times their own bends are mixed, even where they pause beside another frame."""

IS_ANOTHER = 0.1
"""A frame is another one if that leaves at most this share of its error."""

MOST_LEFT = 0.1
"""No hypothesis is believed that leaves more than this fraction of the size."""

HALF = 0.5
"""A hypothesis that leaves no fault is believed if it leaves at most this share of the error."""

AS_LITTLE, NOTHING = 1.5, 1e-5
"""What leaves at most so many times the least error, or this fraction of the size, leaves as little."""

TAGGED = (
    "the picture is tagged as one of colours (sRGB): engines will change its numbers when they import it;"
    " write it without the tag, or import it as linear data"
)


def faults_of(evidence: Evidence) -> list[BakeFault]:
    """Return the faults of one clip.

    Of those that move vertices one at most: what is left beside it cannot be told apart.
    """
    found, name = evidence.found, evidence.found.name
    faults = [BakeFault("gamma", name, TAGGED, evidence.error)] if found.is_tagged else []
    coarse = coarse_fault(evidence) if evidence.error > LEAST else None
    if coarse is not None:
        return [*faults, _fault(coarse, name)]
    steps = 0.0 if found.bake is not None else STEPS * found.step
    floor = max(LEAST, steps / max(evidence.source.size, 1e-30))
    if evidence.error > floor and found.bake is not None:
        floor = max(floor, ROUNDED * sound_error(evidence, found.bake))
    if evidence.error <= floor:
        wrong = length_fault(evidence)
        return [*faults, _fault(wrong, name)] if wrong is not None else faults
    little = min(EXPLAINS * evidence.error, MOST_LEFT)
    best = _best(evidence, max(little, min(floor, HALF * evidence.error)))
    if best is None and (_was_resampled(evidence, floor) or _were_bytes(evidence)):
        return faults
    if best is None and found.sharing:
        best = Explanation("shared_rows", found.sharing, evidence.error)
    if best is None:
        sentence = (
            f"vertices are up to {evidence.error:.2%} of the size away from the source at the frames"
            " themselves, which nothing that is looked for explains; is it of this clip, and this method?"
        )
        best = Explanation("unexplained", sentence, evidence.error)
    return [*faults, _fault(best, name)]


def _was_resampled(evidence: Evidence, floor: float) -> bool:
    """Whether an error may be that of a sound bake that was sampled anew: of vertices, or of joints.

    Any vertex may be off by what the largest bend of the clip costs, as joints mix otherwise than vertices.
    The mean of a frame is bounded by its own bends: a foot that stops hides no frame that is out of place.
    """
    size, bends = evidence.source.size, evidence.bends
    if evidence.error * size > RESAMPLED * bends.max(initial=0.0):
        return False
    distances = lengths(evidence.actual - evidence.expected)
    means = distances.mean(axis=1)
    if (means > floor * size + RESAMPLED * bends.mean(axis=1)).any():
        return False
    if (distances <= floor * size + AS_MIXED * bends).all():
        return True
    return not _shows_another_frame(evidence, distances.max(axis=1), floor * size)


def _shows_another_frame(evidence: Evidence, off: NDArray[np.float64], least: float) -> bool:
    """Whether a frame that is off is, as a whole, one beside it."""
    last = evidence.found.frames.frame_count - 1
    for shift in (-2, -1, 1, 2):
        beside = evidence.at_frames(np.clip(evidence.frames + shift, 0, last))
        left = lengths(evidence.actual - beside).max(axis=1)
        if ((off > least) & (left <= IS_ANOTHER * off)).any():
            return True
    return False


def _were_bytes(evidence: Evidence) -> bool:
    """Whether an error may be that of a sound bake of bytes, which engines get as floats."""
    of = evidence.found.bake
    return of is not None and evidence.error <= ROUNDED * sound_error(evidence, of, "uint8")


def _best(evidence: Evidence, enough: float) -> Explanation | None:
    """Return the hypothesis that leaves least, of all that leave little enough.

    Of those that leave as little the one that chose the fewest numbers to do so.
    """
    hypotheses = (*NUMBERS, *TIME, *PLACES, *JOINTS, *RANGE)
    with np.errstate(all="ignore"):  # a hypothesis may make of numbers what is none, and is then not believed
        guesses = [guess for of in hypotheses for guess in of(evidence) if guess.error <= enough]
    least = min((guess.error for guess in guesses), default=0.0)
    as_good = [guess for guess in guesses if guess.error <= max(AS_LITTLE * least, NOTHING)]
    return min(as_good, key=lambda guess: (guess.freedom, guess.error), default=None)


def _fault(found: Explanation, clip: str) -> BakeFault:
    return BakeFault(found.fault, clip, found.sentence, found.error)
