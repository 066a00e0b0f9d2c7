# SPDX-License-Identifier: MIT
"""The work of one job in the calling process: load, bake, save and report."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom._formats.faults import make_folder
from lissom._jobs import sources as _sources
from lissom._jobs.terms import terms

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._jobs.bake_job import BakeJob
    from lissom.clip import Clip
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["bake_to", "baked_of", "describe"]

HINT_FROM = 0.005
"""Error, as a fraction of the size, above which there is a hint: a pixel and a half for a character 300
pixels high."""

BAKE_OPTIONS = (
    "rate", "max_error", "layout", "dtype", "extra_joints", "root_motion", "include_mesh", "method",
)  # fmt: skip
"""Fields of a job that `lissom.bake` takes."""


def bake_to(
    job: BakeJob, target: Path, progress: Callable[[int, int, str], None] | None = None
) -> dict[str, Any] | None:
    """Bake a job into a file; return its report as plain values, or None for a model without clips."""
    made = baked_of(job, progress)
    if made is None:
        return None
    character, baked = made
    make_folder(target.parent)
    baked.save(target)
    hints = [] if job.max_error is not None else _hints(character, baked)
    report = describe(baked, target)
    rates = _rates(job, list(baked.clips))
    for name, clip in report["clips"].items():
        clip["asked_rate"] = rates.get(name) if isinstance(rates, dict) else rates
    return job._labelled({**report, "hints": hints, "licence": terms(job.source).licence})


def baked_of(
    job: BakeJob, progress: Callable[[int, int, str], None] | None = None
) -> tuple[Character, PoseTexture] | None:
    """Return the character of a job and its bake; None for a model without clips."""
    from lissom._bake.bake import bake

    character = _sources.without(job.source, _sources.load(job.source), job.without)
    if not character.clips:
        return None
    clips = _clips(job, character)
    options = {name: getattr(job, name) for name in BAKE_OPTIONS}
    options["rate"] = _rates(job, [clip.name for clip in clips])
    return character, bake(character, clips, progress=progress, **options)


def describe(baked: PoseTexture, path: Path) -> dict[str, Any]:
    """Return the report of a saved bake, and its sizes, as plain values."""
    frames, rows, texels, _ = baked.texels.shape
    return {
        "frames": frames,
        "rows": rows,
        "texels_per_row": texels,
        "texture_bytes": baked.texels.nbytes + (0 if baked.weights is None else baked.weights.nbytes),
        "file_bytes": path.stat().st_size,
        **baked.report.to_dict(),
    }


def _rates(job: BakeJob, names: list[str]) -> float | dict[str, float] | None:
    """Return the rates that a job asks for, by the full names of clips where they differ."""
    if not isinstance(job.rate, dict):
        return job.rate
    return {_sources.clip_name(job.source, name, names): rate for name, rate in job.rate.items()}


def _clips(job: BakeJob, character: Character) -> list[Clip]:
    """Return the clips to bake; those of the character, which others may use, are not changed."""
    known = character.clips
    names = [_sources.clip_name(job.source, name, known) for name in job.clips] or list(known)
    clips = {name: known[name] for name in names}
    for similar_names, loop in ((job.loop, True), (job.no_loop, False)):
        for similar_name in similar_names:
            name = _sources.clip_name(job.source, similar_name, known)
            if name in clips:
                clips[name] = copy.copy(known[name])
                clips[name].loop = loop
    return list(clips.values())


def _hints(character: Character, baked: PoseTexture) -> list[str]:
    """Return sentences on clips with large errors, with the cause."""
    hints = []
    for name, clip in baked.clips.items():
        error = clip.error
        if error.max_relative <= HINT_FROM:
            continue
        key_rate = character.clips[name].key_rate
        rate = f"{clip.rate:.4g} frames per second"
        if error.at_frames.max > 0.5 * error.max:
            why = f"{baked.texels.dtype} is too coarse for it"
        elif key_rate is None:
            why = f"its keys are irregular and {rate} miss some"
        else:
            why = f"{rate} are few for it"
        hints.append(
            f"{name!r} is off by up to {error.max_relative:.2%} of the size: {why}; "
            f"a max_error of {HINT_FROM:g} or less mends it"
        )
    return hints
