# SPDX-License-Identifier: MIT
"""The work of one job, in the process that calls it: load, bake, save, and say what came of it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom._bake_many import sources as _sources
from lissom._formats.faults import make_folder, os_reason
from lissom.errors import BakeError
from lissom.pose_texture._report import BakeReport

if TYPE_CHECKING:
    from lissom._bake_many.job import BakeJob
    from lissom._character.character import Character
    from lissom.clip import Clip
    from lissom.pose_texture._pose_texture import PoseTexture

__all__ = ["bake_to", "describe", "fault"]

HINT_FROM = 0.005
"""Error, as a fraction of the size, from which a hint is given: a pixel and a half for a character 300 pixels
high."""

NOT_BAKED = ("source", "output", "name", "clips", "without", "loop", "no_loop")
"""Fields of a job that `lissom.bake` does not take."""


def bake_to(
    job: BakeJob, target: Path, progress: Callable[[int, int, str], None] | None = None
) -> dict[str, Any] | None:
    """Bake a job into a file; give its report as plain values, or None for a model without clips."""
    from lissom._bake.bake import bake

    character = _sources.without(job.source, _sources.load(job.source), job.without)
    if not character.clips:
        return None
    clips = _clips(job, character)
    options = {name: value for name, value in job.__dict__.items() if name not in NOT_BAKED}
    if isinstance(job.rate, dict):
        names = [clip.name for clip in clips]
        options["rate"] = {_sources.clip_name(job.source, name, names): r for name, r in job.rate.items()}
    baked = bake(character, clips, progress=progress, **options)
    make_folder(target.parent)
    baked.save(target)
    hints = [] if job.max_error is not None else _hints(character, baked)
    return {**describe(baked, target), "hints": hints}


def fault(error: BaseException, source: str) -> tuple[str, bool]:
    """Give what to say of an error, one sentence led by the file, and whether trying again may help."""
    if isinstance(error, MemoryError):
        return f"{source}: out of memory; give it to fewer workers at a time", True
    if isinstance(error, OSError):
        name = source if error.filename is None else str(error.filename)
        return f"{name}: {os_reason(error)}", True
    if isinstance(error, BakeError) and isinstance(error.report, BakeReport):
        report = error.report
        worst = max(report.clips, key=lambda name: report.clips[name].error.max_relative)
        return (
            f"{source}: a max_error of {report.max_error:g} is out of reach: {worst!r} has still "
            f"{report.max_relative:.3g} of the size; allow more, or leave it out of the clips"
        ), False
    sentence = " ".join(str(error).split()) or type(error).__name__
    if not isinstance(error, ValueError):  # not one that speaks of the file: a fault of ours
        sentence = f"{type(error).__name__}: {sentence}"
    return (sentence if source in sentence else f"{source}: {sentence}"), False


def describe(baked: PoseTexture, path: Path) -> dict[str, Any]:
    """Give the report of a saved bake, and its sizes, as plain values."""
    frames, rows, texels, _ = baked.texels.shape
    return {
        "frames": frames,
        "rows": rows,
        "texels_per_row": texels,
        "texture_bytes": baked.texels.nbytes,
        "file_bytes": path.stat().st_size,
        **baked.report.to_dict(),
    }


def _clips(job: BakeJob, character: Character) -> list[Clip]:
    """Give the clips to bake, those of a character that others may hold left as they are."""
    known = character.clips
    wanted = [_sources.clip_name(job.source, name, known) for name in job.clips] or list(known)
    clips = {name: known[name] for name in wanted}
    for chosen, loop in ((job.loop, True), (job.no_loop, False)):
        for given in chosen:
            name = _sources.clip_name(job.source, given, known)
            if name in clips:
                clips[name] = copy.copy(known[name])
                clips[name].loop = loop
    return list(clips.values())


def _hints(character: Character, baked: PoseTexture) -> list[str]:
    """Say which clips are far from their source, and why."""
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
