# SPDX-License-Identifier: MIT
"""The jobs of ``lissom retarget``: one for each file with clips."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lissom._formats.kind import MODEL_SUFFIXES, MOTION_SUFFIX
from lissom._jobs.retarget_job import RetargetJob
from lissom.cli import output
from lissom.cli.planned import Planned, expanded, named_apart, named_job_file, output_fields, refuse_field

__all__ = ["plan"]

ARGUMENT = "SOURCE"
SUFFIXES = (MOTION_SUFFIX, *MODEL_SUFFIXES)
GLB = RetargetJob._kind.suffix
ONE_FILE = Path("retargeted.glb")


def plan(
    places: Sequence[str], out: Path | None, options: dict[str, Any]
) -> tuple[list[Planned], Path | None]:
    """Return the jobs, and the file that the clips of all of them go into; None where each writes its own.

    Parameters
    ----------
    places : sequence of str
        Files, folders and samples, and last the target; or one job file.
    out : Path, optional
        File or folder to write; retargeted.glb if omitted, and what a job file says.
    options : dict
        Fields of every `RetargetJob`.
    """
    jobs = named_job_file(places, out, options, RetargetJob, ARGUMENT)
    if jobs is not None:
        return _plan_folders(jobs), None
    if len(places) < 2:
        output.misuse("TARGET", "is required: the character that is to move, a .glb or .gltf file")
    *sources, target = places
    out = ONE_FILE if out is None else out
    one_file = out if out.suffix.lower() == GLB and not out.is_dir() else None
    fields: dict[str, Any] = {} if one_file is not None else output_fields(sources, out, GLB)
    try:
        jobs = [RetargetJob(source, target=target, **fields, **options) for source in sources]
    except ValueError as error:
        refuse_field(error, RetargetJob, ARGUMENT)
    if one_file is None:
        return _plan_folders(jobs), None
    planned = [each for job in jobs for each in expanded(job, SUFFIXES)]
    # A folder of sources may hold the file itself, of an earlier run.
    return [each for each in planned if not (each.is_found and _is_same(each.job.source, out))], out


def _plan_folders(jobs: Sequence[Any]) -> list[Planned]:
    """Return a job for each file, no two of which write the same one."""
    for job in jobs:
        folder = Path(job.source)
        if folder.is_dir() and Path(job.output).resolve().is_relative_to(folder.resolve()):
            raise ValueError(
                f"{job.output}: the output must lie outside the folder of sources, {job.source}: the next "
                "run would take what is written for a source"
            )
    return named_apart([each for job in jobs for each in expanded(job, SUFFIXES)])


def _is_same(source: str, path: Path) -> bool:
    return Path(source).resolve() == path.resolve()
