# SPDX-License-Identifier: MIT
"""The work of one job that retargets: load, carry over, save and report."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lissom._files.save_glb import save_glb
from lissom._formats.faults import make_folder
from lissom._jobs import sources
from lissom._retarget.retarget import Retarget

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._jobs.retarget_job import RetargetJob
    from lissom._retarget.report import RetargetReport
    from lissom.clip import Clip

__all__ = ["Carried", "carry", "chosen", "kept", "retarget_to"]

Progress = Callable[[int, int, str], None]


@dataclass(frozen=True)
class Carried:
    """Clips of a source, what became of them on the target, and what reading mended or guessed."""

    originals: list[Clip]
    clips: list[Clip]
    report: RetargetReport
    repairs: list[str]


def retarget_to(job: RetargetJob, path: Path, progress: Progress | None = None) -> dict[str, Any] | None:
    """Write the target with the clips of the source; return what was measured, or None without clips."""
    source, target = sources.load(job.source), sources.load(job.target)
    clips = chosen(job, source)
    if not clips:
        return None
    carried = carry(job, source, target, clips, progress)
    make_folder(path.parent)
    save_glb(target, path, clips=[*carried.clips, *kept(job, target, carried.clips)])
    report: dict[str, Any] = json.loads(carried.report.to_json())
    return {"target": job.target, "file_bytes": path.stat().st_size, "repairs": carried.repairs, **report}


def chosen(job: RetargetJob, source: Character) -> list[Clip]:
    """Return the clips of the source that are wanted. ValueError where there is no such clip."""
    names = [sources.clip_name(job.source, name, source.clips) for name in job.clips]
    return [source.clips[name] for name in names or source.clips]


def carry(
    job: RetargetJob,
    source: Character,
    target: Character,
    clips: list[Clip],
    progress: Progress | None = None,
) -> Carried:
    """Carry clips over. ValueError, led by the names of both files, where the bodies do not fit."""
    try:
        work = Retarget(source, target, (job.source_roles, job.roles), feet=job.feet)
    except ValueError as error:
        reason = str(error).removeprefix("Retarget: ")
        raise ValueError(f"{job.source} onto {job.target}: {reason}") from None
    made = []
    for done, clip in enumerate(clips):
        if progress is not None:
            progress(done, len(clips), clip.name)
        made.append(work.clip(clip, rate=job.rate))
    # Those of models are of materials, meshes and the like: nothing that moves.
    repairs = [repair.message for repair in source.repairs if repair.code.startswith("BVH_")]
    return Carried(clips, made, work.report, repairs)


def kept(job: RetargetJob, target: Character, clips: list[Clip]) -> list[Clip]:
    """Return the target's own clips that are written, too: those of other names."""
    names = {clip.name for clip in clips}
    return [clip for clip in target.clips.values() if job.keep and clip.name not in names]
