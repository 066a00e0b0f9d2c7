# SPDX-License-Identifier: MIT
"""The jobs of ``lissom bake``: one for each file named, found in a folder or listed in a job file."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import lissom
from lissom._bake_many.job import MOST_BYTES, PLACES
from lissom._base.names import counted
from lissom._base.printable import file_name
from lissom._formats.kind import BAKE_SUFFIX, MODEL_SUFFIXES, MOTION_SUFFIX
from lissom.cli import inputs, job_file, output

__all__ = ["Planned", "plan"]


@dataclasses.dataclass(frozen=True)
class Planned:
    """A job, and whether its file was found in a folder: there, props without clips are expected."""

    job: lissom.BakeJob
    is_found: bool


def plan(sources: Sequence[str], out: Path | None, options: dict[str, Any]) -> list[Planned]:
    """Return the jobs, no two of which write the same file.

    Parameters
    ----------
    sources : sequence of str
        Files, folders and samples, or one job file.
    out : Path, optional
        Folder or file to write; a job file may say it instead.
    options : dict
        Fields of every `lissom.BakeJob`.
    """
    files = [source for source in sources if Path(source).suffix.lower() == job_file.SUFFIX]
    if files:
        if len(sources) != 1:
            output.misuse(
                "IN",
                f"a job file must be the only input, got {len(sources)}; write the others into {files[0]}",
            )
        if options:
            option = next(iter(options)).replace("_", "-")
            output.misuse(f"--{option}", f"must be set in {files[0]}, under [defaults] or in a [[job]]")
        jobs = job_file.read(Path(files[0]), out)
    else:
        if out is None:
            output.misuse("-o", "is required: a folder, or for one input a .safetensors file")
        options = {**options, **_output_fields(sources, out)}
        try:
            jobs = [lissom.BakeJob(source, **options) for source in sources]
        except ValueError as error:
            _, field, fault = re.split(r"^BakeJob: (\w+):? ", str(error), maxsplit=1)
            output.misuse("IN" if field in PLACES else f"--{field.replace('_', '-')}", fault)
    for source in dict.fromkeys(job.source for job in jobs):
        _report_recordings(source)
    return _distinct([planned for job in jobs for planned in _expanded(job)])


def _output_fields(sources: Sequence[str], out: Path) -> dict[str, str]:
    """Return the fields of a job that say where it writes: into a folder, or a single job into a file."""
    if not out.is_dir():
        if out.suffix == BAKE_SUFFIX:
            if len(sources) != 1 or Path(sources[0]).is_dir():
                what = "a folder" if len(sources) == 1 else f"{len(sources)} inputs"
                output.misuse("-o", f"must be a folder for {what}, got the file {out}")
            return {"output": str(out.parent), "name": out.name}
        if out.suffix or out.exists():
            output.misuse("-o", f"must be a folder, or end in {BAKE_SUFFIX}, got {out}")
    return {"output": str(out)}


def _report_recordings(source: str) -> None:
    """Report how many files of a folder are not baked although lissom reads them."""
    if not Path(source).is_dir():
        return
    found = len(inputs.files_below(Path(source), (MOTION_SUFFIX,)))
    if found:
        files = counted(found, f"{MOTION_SUFFIX} file")
        output.say(f"{source}: skipped {files}: a recording has no mesh; name it to bake it, too")


def _expanded(job: lissom.BakeJob) -> Iterable[Planned]:
    """Yield a job for each file in a job's folder and its subfolders, named by relative path."""
    folder = Path(job.source)
    for source, is_found in inputs.expand([job.source], MODEL_SUFFIXES):
        if not is_found:
            yield Planned(job, False)
            continue
        name = Path(source).relative_to(folder).with_suffix("").as_posix()
        if job.name is not None:
            name = f"{job.name}/{name}"
        try:
            found = dataclasses.replace(job, source=source, name=name)
        except ValueError:  # a name that no output may have: "..", a backslash, controls, too many bytes
            name = re.sub(r"[\\:]", "_", name.replace("..", "__"))
            name = "/".join(file_name(part, MOST_BYTES) for part in name.split("/"))
            found = dataclasses.replace(job, source=source, name=name)
        yield Planned(found, True)


def _distinct(planned: list[Planned]) -> list[Planned]:
    """Make output names differ: of files that differ by their suffix alone, keep the suffix in the name."""
    result = list(planned)
    for same in _colliding(planned):
        jobs = [planned[i].job for i in same]
        suffixes = {Path(job.source).suffix.lower() for job in jobs}
        if len(suffixes) == len(jobs):
            for i, job in zip(same, jobs, strict=True):
                name = f"{job.title}{Path(job.source).suffix.lower()}"
                result[i] = Planned(dataclasses.replace(job, name=name), planned[i].is_found)
    for first, second, *_ in _colliding(result):
        one, other = result[first].job, result[second].job
        by_case = "" if one.title == other.title else ", where names must differ in more than case"
        if os.path.abspath(one.source) != os.path.abspath(other.source):
            raise ValueError(
                f"{one.source} and {other.source} would both be named {other.title!r} in "
                f"{other.output}{by_case}; pass the folder above them, or set names in a job file"
            )
        if by_case:
            raise ValueError(
                f"{other.source}: is to be named {one.title!r} and {other.title!r} in {other.output}{by_case}"
            )
        raise ValueError(f"{other.source}: is given twice; name it once, or set names in a job file")
    return result


def _colliding(planned: list[Planned]) -> list[list[int]]:
    """Return the indices of jobs that would write the same file, also where file names ignore case."""
    by_path: dict[str, list[int]] = {}
    for i, item in enumerate(planned):
        path = os.path.abspath(os.path.join(item.job.output, item.job.title))
        by_path.setdefault(path.casefold(), []).append(i)
    return [same for same in by_path.values() if len(same) > 1]
