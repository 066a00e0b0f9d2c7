# SPDX-License-Identifier: MIT
"""Which jobs ``lissom bake`` does: of files, folders, samples, or a job file."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import lissom
from lissom._bake_many.job import PLACES
from lissom._base.names import counted
from lissom.cli import inputs, job_file, output

__all__ = ["Planned", "plan"]


@dataclasses.dataclass(frozen=True)
class Planned:
    """A job, and whether its file was found in a folder, where props without clips lie beside characters."""

    job: lissom.BakeJob
    is_found: bool


def plan(sources: Sequence[str], out: Path | None, options: dict[str, Any]) -> list[Planned]:
    """Make the jobs; `options` are the fields of all of them that the command line gave.

    Two jobs never write the same file: of one folder or job file they keep their relative folders.
    """
    files = [source for source in sources if Path(source).suffix.lower() == job_file.SUFFIX]
    if files:
        if len(sources) != 1:
            output.misuse("IN", f"{files[0]} is a job file: give it alone, and the other inputs as its jobs")
        if options:
            option = next(iter(options)).replace("_", "-")
            output.misuse(f"--{option}", f"write it into {files[0]}, under [defaults] or a [[job]]")
        jobs = job_file.read(Path(files[0]), out)
    else:
        if out is None:
            output.misuse("-o", "give a folder, or for one input a file that ends in .safetensors")
        options = {**options, **_place(sources, out)}
        try:
            jobs = [lissom.BakeJob(source, **options) for source in sources]
        except ValueError as error:
            field, _, fault = str(error).removeprefix("BakeJob: ").partition(": ")
            output.misuse("IN" if field in PLACES else f"--{field.replace('_', '-')}", fault)
    for source in dict.fromkeys(job.source for job in jobs):
        _name_recordings(source)
    return _distinct([planned for job in jobs for planned in _expanded(job)])


def _place(sources: Sequence[str], out: Path) -> dict[str, str]:
    """Say where jobs go: into a folder, or one of them into a file."""
    if not out.is_dir():
        if out.suffix == inputs.BAKE_SUFFIX:
            if len(sources) != 1 or Path(sources[0]).is_dir():
                what = "a folder" if len(sources) == 1 else f"{len(sources)} inputs"
                output.misuse("-o", f"{out} is one file for {what}; give a folder")
            return {"output": str(out.parent), "name": out.name}
        if out.suffix or out.exists():
            output.misuse("-o", f"{out} is neither a folder nor a name that ends in {inputs.BAKE_SUFFIX}")
    return {"output": str(out)}


def _name_recordings(source: str) -> None:
    """Say how many files of a folder are not baked though lissom reads them."""
    if not Path(source).is_dir():
        return
    found = len(inputs.files_below(Path(source), (inputs.MOTION_SUFFIX,)))
    if found:
        files = counted(found, f"{inputs.MOTION_SUFFIX} file")
        output.say(f"{source}: skipped {files}: a recording has no mesh; give it by name to bake it, too")


def _expanded(job: lissom.BakeJob) -> Iterable[Planned]:
    """Replace a job of a folder by those of the files below it, named by their relative folders."""
    folder = Path(job.source)
    for source, is_found in inputs.expand([job.source], inputs.MODEL_SUFFIXES):
        if not is_found:
            yield Planned(job, False)
            continue
        name = Path(source).relative_to(folder).with_suffix("").as_posix()
        if job.name is not None:
            name = f"{job.name}/{name}"
        try:
            found = dataclasses.replace(job, source=source, name=name)
        except ValueError:  # of what no output can be called: "..", or with a backslash in it
            name = re.sub(r"[\\:]", "_", name.replace("..", "__"))
            found = dataclasses.replace(job, source=source, name=name)
        yield Planned(found, True)


def _distinct(planned: list[Planned]) -> list[Planned]:
    """See that names differ: files that differ by their endings alone keep them."""
    result = list(planned)
    for same in _alike(planned):
        jobs = [planned[i].job for i in same]
        endings = {Path(job.source).suffix.lower() for job in jobs}
        if len(endings) == len(jobs):
            for i, job in zip(same, jobs, strict=True):
                name = f"{job.title}{Path(job.source).suffix.lower()}"
                result[i] = Planned(dataclasses.replace(job, name=name), planned[i].is_found)
    for first, second, *_ in _alike(result):
        one, other = result[first].job, result[second].job
        if os.path.abspath(one.source) == os.path.abspath(other.source):
            raise ValueError(f"{other.source}: is given twice; give it once, or names in a job file")
        raise ValueError(
            f"{one.source} and {other.source} would both be named {other.title!r} in "
            f"{other.output}; give the folder above them, or names in a job file"
        )
    return result


def _alike(planned: list[Planned]) -> list[list[int]]:
    """Give which jobs would write the same file, also where case makes no difference."""
    by_path: dict[str, list[int]] = {}
    for i, item in enumerate(planned):
        path = os.path.abspath(os.path.join(item.job.output, item.job.title))
        by_path.setdefault(path.casefold(), []).append(i)
    return [same for same in by_path.values() if len(same) > 1]
