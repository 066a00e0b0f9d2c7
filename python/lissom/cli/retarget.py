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
# Measures of a clip that say that something is wrong, and from where on.
UNUSUAL = {
    "bone_mean": (5.0, "degrees between bones before goals"),
    "penetration": (2.0, "% of the size in the ground"),
    "left_out": (10.0, "% of the size that joints moved from their places, which is not followed"),
}
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
        _write_notes(record.source, report["repairs"], report["without_goals"], report["clips"])
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
    failures: list[str] = []
    with output.progress() as progress:
        for done, job in enumerate(jobs):
            progress(done, len(jobs), Path(job.source).name)
            try:
                source = sources.load(job.source)
                found = _clips(job, source, is_only=len(jobs) == 1)
                if not found:
                    continue
                made = retarget_work.carry(job, source, character, found)
            except (ValueError, OSError) as error:
                if len(jobs) == 1:
                    raise
                failures.append(output.sentence(error))
                continue
            taken = {clip.name for each in carried.values() for clip in each.clips}
            carried[job.source] = replace(made, clips=_renamed(job.source, made.clips, taken))
            first = first or source
    if failures:
        for failure in failures:
            output.say(failure)
        raise ValueError(
            f"{out} is not written: {len(failures)} of {len(jobs)} sources cannot be carried over; "
            "-o FOLDER writes a file of each of the others"
        )
    clips = [clip for each in carried.values() for clip in each.clips]
    if not clips:
        names = ", ".join(job.source for job in jobs)
        raise ValueError(f"{names}: there must be a clip to carry over, got none")
    out.parent.mkdir(parents=True, exist_ok=True)
    lissom.save_glb(character, out, clips=[*clips, *retarget_work.kept(jobs[0], character, clips)])
    if picture is not None and first is not None:
        drawn = next(iter(carried.values()))
        floors = drawn.report.floor
        save_picture(_side_by_side(first, drawn.originals[0], character, clips[0], floors), picture)
    if as_json:
        reports = {name: {"repairs": each.repairs} | asdict(each.report) for name, each in carried.items()}
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
        by_name = {name: asdict(clip) for name, clip in each.report.clips.items()}
        _write_notes(source_name, each.repairs, each.report.without_goals, by_name)
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


def _side_by_side(
    source: Character, original: Clip, target: Character, clip: Clip, floors: tuple[float, float]
) -> lissom.Picture:
    """Draw the source above the result, each on its ground, which a body may be in or above."""
    rows = [
        [
            lissom.render(who, pose=played.at(phase), width=TILE, height=TILE, ground_height=floor).array
            for phase in PHASES
        ]
        for who, played, floor in zip((source, target), (original, clip), floors, strict=True)
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


def _write_notes(
    source: str, repairs: Sequence[str], without_goals: dict[str, str], clips: dict[str, dict[str, Any]]
) -> None:
    """Say what was guessed, which limbs only follow, and which measures are beyond those of usual pairs."""
    for message in repairs:
        output.say(f"{source}: {message}")
    by_reason: dict[str, list[str]] = {}
    for limb, why in without_goals.items():
        by_reason.setdefault(why, []).append(limb)
    for why, limbs in by_reason.items():
        output.say(f"{source}: no goal for {', '.join(limbs)}: {why}")
    for name, found in clips.items():
        unusual = [
            f"{found[measure]:.1f} {what}"
            for measure, (most, what) in UNUSUAL.items()
            if found[measure] is not None and found[measure] > most
        ]
        if unusual:
            output.say(
                f"{source}: {name}: {' and '.join(unusual)}: look at the clip, and at the roles of both "
                "bodies (lissom info)"
            )
