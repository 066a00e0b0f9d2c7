# SPDX-License-Identifier: MIT
"""Do many jobs by workers that share no disk, with their results in a store."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from lissom._base.config import is_deterministic
from lissom._jobs.builds import other_build
from lissom._jobs.distinct import Distinct
from lissom._jobs.faults import fault
from lissom._jobs.job import Job
from lissom._jobs.key import code
from lissom._jobs.kind import Kind
from lissom._jobs.pending import Asked, Call, Executor, at_executor
from lissom._jobs.records import Record
from lissom._jobs.source_copies import Sender
from lissom._jobs.stored_name import full_name, place
from lissom._jobs.stored_task import StoreSettings, run_stored
from lissom._jobs.task import unfinished
from lissom._jobs.worker_name import worker_name
from lissom._store import Store, require_create
from lissom._store.store import check_key

__all__ = ["run_to", "settings_of"]

TRIES = 3
"""Most times that a job is sent to workers: again where it died."""


def settings_of(store: Store, kind: Kind, resume: bool, threads: int | None) -> StoreSettings:
    """Return the settings of a run that this process drives."""
    fixed = is_deterministic()
    own = secrets.token_hex(8), worker_name()
    return StoreSettings(resume, threads, fixed, code(kind, fixed), store.url, *own)


def run_to(
    store: Store,
    executor: Executor,
    jobs: Iterable[Job],
    kind: Kind,
    settings: StoreSettings,
    window: Callable[[], int],
) -> Iterator[Any]:
    """Do jobs of one kind, whose results go into a store, and yield their records.

    ValueError before the first where the store cannot create a key in one step, or a worker that can be asked
    is of another build: it would refuse jobs so fast that it got most of them.
    """
    require_create(store)
    if isinstance(executor, Asked):
        executor.require(other_build, kind, settings.deterministic, settings.code)
    sender = Sender(store)
    names = Distinct()

    def calls() -> Iterator[tuple[Job, Call | Record]]:
        for job in jobs:
            name = full_name(job)
            wrong = ""
            if not names.add(name):
                wrong = f"another job of this run is named {name!r}, too; set names apart"
            try:
                check_key(place(name))
            except ValueError as error:
                wrong = f"its output and name must be a key of the store: {str(error).partition(': ')[2]}"
            if wrong:
                yield job, job._record("failed", message=f"{job.source}: {wrong}")
                continue
            try:
                files = sender.files(job.source)
            except (OSError, ValueError) as error:
                yield job, unfinished(job, fault(error, job)[0])
            else:
                yield job, (run_stored, job, files, settings)

    for _, record in at_executor(calls(), executor, window, TRIES, unfinished):
        yield record
