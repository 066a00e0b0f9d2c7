# SPDX-License-Identifier: MIT
"""The jobs of a command: one for each file named, found in a folder or listed in a job file."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, NoReturn

from lissom._base.printable import file_name
from lissom._jobs.job import Job
from lissom.cli import inputs, job_file, output

__all__ = ["Planned", "expanded", "named_apart", "named_job_file", "output_fields", "refuse_field"]

OPTIONS = {"form_options": "--option"}
"""Options by fields of jobs, where they are not called alike."""


@dataclasses.dataclass(frozen=True)
class Planned:
    """A job, and whether its file was found in a folder: there, props without clips are expected."""

    job: Any
    is_found: bool


def named_job_file(
    places: Sequence[str],
    out: Path | None,
    options: dict[str, Any],
    kind: type[Job],
    argument: str,
    otherwise: Path | None = None,
) -> list[Job] | None:
    """Return the jobs of the job file among the arguments; None where there is none.

    `otherwise` is the output of jobs that have none.
    """
    files = [place for place in places if Path(place).suffix.lower() == job_file.SUFFIX]
    if not files:
        return None
    if len(places) != 1:
        output.misuse(
            argument,
            f"a job file must be the only input, got {len(places)}; write the others into {files[0]}",
        )
    if options:
        option = _option(next(iter(options)))
        output.misuse(option, f"must be set in {files[0]}, under [defaults] or in a [[job]]")
    suffix = kind._kind.suffix
    if out is not None and out.suffix == suffix and not out.is_dir():
        output.misuse("-o", f"must be a folder for a job file, got {out}")
    return job_file.read(Path(files[0]), out, kind, otherwise)


def output_fields(sources: Sequence[str], out: Path, suffix: str) -> dict[str, str]:
    """Return the fields of a job that say where it writes: into a folder, or a single job into a file."""
    if not out.is_dir():
        if out.suffix == suffix:
            if len(sources) != 1 or Path(sources[0]).is_dir():
                what = "a folder" if len(sources) == 1 else f"{len(sources)} inputs"
                output.misuse("-o", f"must be a folder for {what}, got the file {out}")
            return {"output": str(out.parent), "name": out.name}
        if out.suffix or out.exists():
            output.misuse("-o", f"must be a folder, or end in {suffix}, got {out}")
    return {"output": str(out)}


def refuse_field(
    error: ValueError, kind: type[Job], argument: str, named: Mapping[str, str] = MappingProxyType({})
) -> NoReturn:
    """Refuse what a job refused, in the words of the command: an argument, or an option.

    `named` says what the command calls fields that it gets otherwise.
    """
    _, field, fault = re.split(rf"^{kind.__name__}: (\w+):? ", str(error), maxsplit=1)
    is_argument = field in (*kind._models, "output", "name")
    output.misuse(named.get(field, argument if is_argument else _option(field)), fault)


def _option(field: str) -> str:
    return OPTIONS.get(field, f"--{field.replace('_', '-')}")


def expanded(job: Job, suffixes: Sequence[str]) -> Iterable[Planned]:
    """Yield a job for each file in a job's folder and its subfolders, named by relative path."""
    folder = Path(job.source)
    for source, is_found in inputs.expand([job.source], suffixes):
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
            name = "/".join(file_name(part, job._most_bytes()) for part in name.split("/"))
            found = dataclasses.replace(job, source=source, name=name)
        yield Planned(found, True)


def named_apart(planned: list[Planned]) -> list[Planned]:
    """Make output names differ: of files that differ by their suffix alone, keep the suffix in the name."""
    result = list(planned)
    for same in _colliding(planned):
        jobs = [planned[i].job for i in same]
        suffixes = {Path(job.source).suffix.lower() for job in jobs}
        if len(suffixes) == len(jobs):
            for i, job in zip(same, jobs, strict=True):
                suffix = Path(job.source).suffix.lower()
                # Such as walk_glb: walk.glb would be the name of the file itself.
                name = f"{job.title}{suffix.replace('.', '_') if suffix == job._kind.suffix else suffix}"
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
