# SPDX-License-Identifier: MIT
"""The work of ``lissom retarget``: clips of files onto a character, with a report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import lissom
from lissom._base.names import counted
from lissom._jobs import retarget_work, sources
from lissom._jobs.run_many import run_many
from lissom.cli import output
from lissom.cli.job_run import JobRun
from lissom.cli.planned import Planned
from lissom.cli.render import save_picture
from lissom.cli.retarget_jobs import plan

if TYPE_CHECKING:
    from lissom._character.character import Character
    from lissom._jobs.records import Record
    from lissom._jobs.retarget_job import RetargetJob
    from lissom.clip import Clip

__all__ = ["retarget"]

PHASES = (0.1, 0.35, 0.6, 0.85)  # of the clip that is drawn
TILE = 360  # pixels, the side of each picture of it
COLUMNS = (
    "clip",
    "seconds",
    "bones, degrees",
    "slide, %/s",
    "its source's",
    "in the ground, %",
    "out of reach, %",
)


def retarget(
    places: Sequence[str],
    out: Path | None,
    options: dict[str, Any],
    workers: int | None,
    resume: bool,
    picture: Path | None,
    as_json: bool,
) -> int:
    """Carry clips over, say how near they are, and return the exit code."""
    planned, one_file = plan(places, out, options)
    if one_file is not None:
        _into_one_file([item.job for item in planned], one_file, picture, as_json)
        return 0
    if picture is not None:
        output.misuse("--picture", "is for one file, -o GLB; write a file of the clip that is to be drawn")
    run = _Retargets(planned, as_json)
    run.require_folders(out)
    return run.run(run_many, workers, resume)


class _Retargets(JobRun):
    """A run in which each source becomes a file."""

    def facts(self, record: Record) -> str:
        clips = _report(record)["clips"].values()
        degrees = max(clip["bone_mean_with_goals"] for clip in clips)
        slides = [clip["slide"] for clip in clips if clip["slide"] is not None]
        slide = f"{max(slides):6.2f}" if slides else f"{'-':>6}"
        return f"{counted(len(clips), 'clip'):>9}  bones {degrees:5.2f} degrees  slide {slide} %/s"

    def without_clips(self, item: Planned) -> str:
        return f"{item.job.source}: has no clips to carry over"

    def write_report(self, record: Record) -> None:
        report, path = _report(record), Path(str(record.path))
        seconds = {name: clip.duration for name, clip in lissom.load(path).clips.items()}
        _write_table([(name, seconds[name], clip) for name, clip in report["clips"].items()])
        _write_goals(record.source, report["without_goals"])
        state = ", unchanged" if record.reused else ""
        output.stdout().print(output.Line.assemble((str(path), "bold"), state), soft_wrap=True)


def _report(record: Record) -> dict[str, Any]:
    assert record.report is not None
    return record.report


def _into_one_file(jobs: Sequence[RetargetJob], out: Path, picture: Path | None, as_json: bool) -> None:
    """Carry the clips of all sources over, and write the character with them."""
    output.require_file("-o", out)
    if picture is not None:
        output.require_file("--picture", picture)
    character = sources.load(jobs[0].target)
    carried: dict[str, retarget_work.Carried] = {}
    first: Character | None = None
    with output.progress() as progress:
        for done, job in enumerate(jobs):
            progress(done, len(jobs), Path(job.source).name)
            source = sources.load(job.source)
            found = _clips(job, source, is_only=len(jobs) == 1)
            if not found:
                continue
            taken = {clip.name for each in carried.values() for clip in each.clips}
            made = retarget_work.carry(job, source, character, found)
            carried[job.source] = replace(made, clips=_renamed(job.source, made.clips, taken))
            first = first or source
    clips = [clip for each in carried.values() for clip in each.clips]
    if not clips:
        names = ", ".join(job.source for job in jobs)
        raise ValueError(f"{names}: there must be a clip to carry over, got none")
    out.parent.mkdir(parents=True, exist_ok=True)
    lissom.save_glb(character, out, clips=[*clips, *retarget_work.kept(jobs[0], character, clips)])
    if picture is not None and first is not None:
        original = next(iter(carried.values())).originals[0]
        save_picture(_side_by_side(first, original, character, clips[0]), picture)
    if as_json:
        reports = {name: asdict(each.report) for name, each in carried.items()}
        output.write_json({"output": str(out), "sources": reports})
        return
    rows = []
    for each in carried.values():
        measures = [asdict(each.report.clips[clip.name]) for clip in each.originals]
        rows += [
            (clip.name, clip.duration, measure) for clip, measure in zip(each.clips, measures, strict=True)
        ]
    _write_table(rows)
    for source_name, each in carried.items():
        _write_goals(source_name, each.report.without_goals)
    output.stdout().print(output.Line(str(out)), soft_wrap=True)


def _clips(job: RetargetJob, source: Character, *, is_only: bool) -> list[Clip]:
    """Return the clips of a source that are wanted; of several sources not all need have them."""
    if is_only or not job.clips:
        return retarget_work.chosen(job, source)
    found = []
    for name in job.clips:
        try:
            found += retarget_work.chosen(replace(job, clips=(name,)), source)
        except ValueError:
            continue
    return found


def _renamed(source: str, clips: Sequence[Clip], taken: set[str]) -> list[Clip]:
    """Return clips of names that no other source's have: else the file's name goes before."""
    return [
        clip if clip.name not in taken else clip.renamed(f"{Path(source).stem} {clip.name}") for clip in clips
    ]


def _side_by_side(source: Character, original: Clip, target: Character, clip: Clip) -> lissom.Picture:
    """Draw the source above the result."""
    rows = [
        [lissom.render(who, pose=played.at(phase), width=TILE, height=TILE).array for phase in PHASES]
        for who, played in ((source, original), (target, clip))
    ]
    return lissom.Picture(np.concatenate([np.concatenate(row, axis=1) for row in rows]))


def _write_table(rows: Sequence[tuple[str, float, dict[str, Any]]]) -> None:
    """Write names, seconds and measures of clips."""
    table = output.table(*COLUMNS)
    for name, seconds, found in rows:
        table.add_row(
            name,
            f"{seconds:.2f}",
            f"{found['bone_mean_with_goals']:.2f}",
            *(
                "-" if value is None else f"{value:.2f}"
                for value in (found["slide"], found["source_slide"], found["penetration"])
            ),
            f"{max(found['beyond'].values(), default=0.0):.1f}",
        )
    output.stdout().print(table)


def _write_goals(source: str, without_goals: dict[str, str]) -> None:
    for limb, why in without_goals.items():
        output.say(f"{source}: no goal for {limb}: {why}")
