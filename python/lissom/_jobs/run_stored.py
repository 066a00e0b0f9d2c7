# SPDX-License-Identifier: MIT
"""Do many jobs by workers that share no disk, with their results in a store."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Iterator
from pathlib import PurePosixPath
from typing import Any

from lissom._base.config import is_deterministic
from lissom._jobs.distinct import Distinct
from lissom._jobs.faults import fault
from lissom._jobs.job import Job
from lissom._jobs.key import code
from lissom._jobs.kind import Kind
from lissom._jobs.pending import Asked, Call, Executor, at_executor
from lissom._jobs.records import Record
from lissom._jobs.source_copies import Sender
from lissom._jobs.stored_task import StoreSettings, refusal, run_stored
from lissom._jobs.task import unfinished, worker_name
from lissom._store import Store

__all__ = ["run_to", "settings_of"]

TRIES = 3
"""Most times that a job is sent to workers: again where it died."""


def settings_of(store: Store, kind: Kind, resume: bool, threads: int | None) -> StoreSettings:
    """Return the settings of a run that this process drives."""
    fixed = is_deterministic()
    own = secrets.token_hex(8), worker_name(), code(kind, fixed)
    return StoreSettings(resume, threads, fixed, store.url, *own)


def run_to(
    store: Store, executor: Executor, jobs: Iterable[Job], kind: Kind, settings: StoreSettings, window: int
) -> Iterator[Any]:
    """Do jobs of one kind, whose results go into a store, and yield their records.

    ValueError before the first where the store cannot create a key in one step, or a worker that can be asked
    is of another build: it would refuse jobs so fast that it got most of them.
    """
    store.require_create()
    if isinstance(executor, Asked):
        for worker, fault_of_worker in executor.ask(refusal, kind, settings).items():
            if fault_of_worker:
                raise ValueError(f"bake_many: {worker}: {fault_of_worker}")
    sender = Sender(store)
    names = Distinct()

    def calls() -> Iterator[tuple[Job, Call | Record]]:
        for job in jobs:
            name = str(PurePosixPath(job.output, job.title))
            if not names.add(name):
                text = f"{job.source}: another job of this run is named {name!r}, too; set names apart"
                yield job, job._record("failed", message=text)
                continue
            try:
                files = sender.files(job.source)
            except (OSError, ValueError) as error:
                yield job, unfinished(job, fault(error, job)[0])
            else:
                yield job, (run_stored, job, files, settings)

    for _, record in at_executor(calls(), executor, window, TRIES, unfinished):
        yield record
