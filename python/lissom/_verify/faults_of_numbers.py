# SPDX-License-Identifier: MIT
"""Faults of how numbers are stored or read: other texels, gamma, a range that cuts, coarse steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lissom._bake.bake import bake
from lissom._export.played import PlayedBake
from lissom._export.source import CharacterSource
from lissom._verify.evidence import Evidence
from lissom._verify.explanation import Explanation, Hypothesis
from lissom._verify.steps import are_halves, step_of_halves
from lissom.pose_texture import PoseTexture

__all__ = ["CUT", "NUMBERS", "coarse_fault", "restored", "sound_error"]

COARSE = 2e-3
"""Steps of stored numbers from this fraction of the size on are too coarse."""

CUT = (
    "its numbers are cut off at {:.4g} and {:.4g}, where the source goes on; widen the range, or take floats"
)

COARSE_JOINTS = 1e-2
"""The same of joints, whose bakes state what their numbers cost."""


def _readings(evidence: Evidence) -> Iterator[Explanation]:
    """Return what the form itself could have meant by other texels, or by other numbers in them."""
    for reading in evidence.found.readings:
        try:
            vertices = evidence.some(reading.at_frames(evidence.frames))
        except ValueError:  # other numbers may make a rotation none
            continue
        yield Explanation(reading.fault, reading.sentence, evidence.largest(vertices))


def _neighbours(evidence: Evidence) -> Iterator[Explanation]:
    """Offsets that are a neighbouring vertex's."""
    rest = evidence.found.mesh.positions
    offsets, chosen = evidence.whole - rest, evidence.vertices
    inside = (chosen > 0) & (chosen < len(rest) - 1)
    for shift in (-1, 1):
        moved = rest[chosen] + offsets[:, (chosen + shift) % len(rest)]
        yield Explanation(
            "column_off_by_one",
            f"its vertices move as the ones {'behind' if shift < 0 else 'before'} them should: columns are"
            " off by one; sample the middle of a texel, (i + 0.5) / width",
            evidence.largest(moved[:, inside].astype(np.float64), evidence.expected[:, inside]),
        )


def _clamped(evidence: Evidence) -> Iterator[Explanation]:
    """Offsets beyond the range that is stored."""
    offsets = evidence.actual - evidence.rest
    expected = evidence.expected - evidence.rest
    low, high = offsets.min(axis=(0, 1)), offsets.max(axis=(0, 1))
    near = 1e-3 * np.maximum(high - low, 1e-12)
    beyond = ((offsets <= low + near) & (expected < low)) | ((offsets >= high - near) & (expected > high))
    if beyond.any(axis=-1).sum() < 2:
        return
    axis = int(beyond.sum(axis=(0, 1)).argmax())
    yield Explanation(
        "clamped_range",
        f"offsets are cut off at {low[axis]:.4g} and {high[axis]:.4g} along {'xyz'[axis]}, the source"
        f" has {expected[..., axis].min():.4g} to {expected[..., axis].max():.4g}; widen the range",
        evidence.largest(evidence.rest + np.where(beyond, expected, offsets)),
    )


def _clamped_texels(evidence: Evidence) -> Iterator[Explanation]:
    """Texels of joints beyond the range that is stored, in whose place are put those of a sound bake."""
    of, name = evidence.found.bake, evidence.found.name
    if of is None or of.texels.dtype.kind != "f":
        return
    clip = of.clips[name]
    part = slice(clip.first_frame, clip.first_frame + clip.frame_count)
    texels = of.texels[part].astype(np.float32)
    again = _baked_again(evidence, of, "float32")
    if again is None or again.texels.shape != texels.shape:
        return
    cut, low, high = restored(texels, again.texels)
    if cut is None:
        return
    copy = of.edited()
    copy.texels[part] = cut
    times = clip.start + evidence.frames / (clip.rate or 1.0)
    vertices = evidence.some(PlayedBake(copy).vertices(name, times))
    yield Explanation("clamped_range", CUT.format(low, high), evidence.largest(vertices))


def restored(
    numbers: NDArray[np.floating], sound: NDArray[Any]
) -> tuple[NDArray[np.float64] | None, float, float]:
    """Return numbers with sound ones where they are cut off, None if none are; and where they end."""
    low, high = float(numbers.min()), float(numbers.max())
    beyond = ((numbers <= low) & (sound < low)) | ((numbers >= high) & (sound > high))
    return (np.where(beyond, sound, numbers).astype(np.float64) if beyond.sum() > 1 else None), low, high


def coarse_fault(evidence: Evidence) -> Explanation | None:
    """Say whether an error is that of numbers too coarse for where the vertices are."""
    actual, size = evidence.actual, max(evidence.source.size, 1e-30)
    reach = float(np.abs(actual).max(initial=0.0))
    rounding = 2.0 * float(np.spacing(np.float32(reach)))  # of rest and offset, of which it may be the sum
    step = max(evidence.found.step, step_of_halves(actual) if are_halves(actual, rounding) else 0.0)
    coarse = COARSE if evidence.found.bake is None else COARSE_JOINTS
    if step < coarse * size or np.abs(actual - evidence.expected).max(initial=0.0) > 2 * step:
        return None
    return Explanation(
        "far_from_origin",
        f"vertices reach {reach:.4g} from the origin, where steps of the stored numbers are {step:.3g},"
        f" {step / size:.1%} of the size; store offsets from rest, bake in place, or take floats",
        0.0,
    )


def sound_error(evidence: Evidence, of: PoseTexture, dtype: str | None = None) -> float:
    """Return the error at frames, as a fraction of the size, of a bake made anew with the same numbers.

    Or with others: texels that an engine has as halves may have been bytes before.
    """
    again = _baked_again(evidence, of, dtype or str(of.texels.dtype))
    at_frames = None if again is None else again.clips[evidence.found.name].error.at_frames
    return 0.0 if at_frames is None else at_frames.max / max(evidence.source.size, 1e-30)


def _baked_again(evidence: Evidence, of: PoseTexture, dtype: str) -> PoseTexture | None:
    """Return a bake of the source's clip at the rate and in the layout of another; None without joints."""
    source, name = evidence.source, evidence.found.name
    if not isinstance(source, CharacterSource):
        return None
    rate = of.clips[name].rate or None
    return bake(source.character, name, rate=rate, dtype=dtype, layout=of.layout, method=of.method)


NUMBERS: tuple[Hypothesis, ...] = (_readings, _neighbours, _clamped, _clamped_texels)
