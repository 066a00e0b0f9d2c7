# SPDX-License-Identifier: MIT
"""What went wrong in a job, as one sentence."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

from lissom._formats.faults import os_reason
from lissom.errors import BakeError
from lissom.pose_texture._report import BakeReport

if TYPE_CHECKING:
    from lissom._jobs.job import Job

__all__ = ["fault", "passes"]

PASSING = {
    getattr(errno, name)
    for name in (
        "EIO", "EAGAIN", "EBUSY", "EINTR", "EMFILE", "ENFILE", "ENOMEM", "ESTALE",
        "EHOSTDOWN", "EHOSTUNREACH", "ENETDOWN", "ENETRESET", "ENETUNREACH", "ENOBUFS",
    )
    if hasattr(errno, name)
}  # fmt: skip
"""Errors of the system, or of a store's server, that pass by themselves. That a disk is full does not."""


def fault(error: BaseException, job: Job) -> tuple[str, bool]:
    """Return the message of an error, one sentence led by the file, and whether another try may help."""
    source = job.source
    if isinstance(error, MemoryError):
        return f"{source}: out of memory; {job._kind.out_of_memory}", True
    if isinstance(error, OSError):
        name = source if error.filename is None else str(error.filename)
        return f"{name}: {os_reason(error)}", error.errno != errno.ENAMETOOLONG
    if isinstance(error, BakeError) and isinstance(error.report, BakeReport):
        report = error.report
        worst = max(report.clips, key=lambda name: report.clips[name].error.max_relative)
        return (
            f"{source}: a max_error of {report.max_error:g} is out of reach: {worst!r} has still "
            f"{report.max_relative:.3g} of the size; allow more, or leave it out of the clips"
        ), False
    sentence = " ".join(str(error).split()) or type(error).__name__
    if not isinstance(error, ValueError):  # a fault of the program, not of the file
        sentence = f"{type(error).__name__}: {sentence}"
    return (sentence if source in sentence else f"{source}: {sentence}"), False


def passes(error: BaseException) -> bool:
    """Whether an error may be gone at another try in the same run."""
    if isinstance(error, MemoryError | ConnectionError | TimeoutError):
        return True
    return isinstance(error, OSError) and error.errno in PASSING
