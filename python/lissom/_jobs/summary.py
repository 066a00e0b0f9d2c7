# SPDX-License-Identifier: MIT
"""What a run came to: its records counted, by status and by worker, in little memory."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from lissom._base.set_module import set_module

if TYPE_CHECKING:
    from lissom._jobs.records import Record

__all__ = ["BakeSummary", "worker_lines"]

MOST_FAULTS = 20
"""Kinds of faults that are told with an example; of others the number."""


@set_module("lissom")
class BakeSummary:
    """Records of `lissom.bake_many` counted: states, faults alike, and what each worker did.

    Its memory does not grow with the number of records.

    Attributes
    ----------
    statuses : dict of str to int
        Records by status; reused ones are under ``"reused"``.
    workers : dict of str to dict
        By worker: ``tasks``, ``bytes`` of bakes and ``seconds`` of work in this run.
    faults : dict of str to dict
        By what is the same in messages: their ``count``, and the ``first``.

    Examples
    --------
    >>> import tempfile
    >>> summary = lissom.BakeSummary()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     jobs = [lissom.BakeJob(f"sample:{name}", folder) for name in ("twisted_bar", "no_such")]
    ...     for record in lissom.bake_many(jobs, workers=1):
    ...         summary.add(record)
    >>> summary.statuses
    {'baked': 1, 'failed': 1}
    >>> [worker["tasks"] for worker in summary.workers.values()]
    [2]
    """

    def __init__(self) -> None:
        self.statuses: dict[str, int] = {}
        self.workers: dict[str, dict[str, float]] = {}
        self.faults: dict[str, dict[str, Any]] = {}

    def add(self, record: Record) -> None:
        """Count a record.

        Parameters
        ----------
        record : BakeRecord
            Of any run.

        Examples
        --------
        >>> summary = lissom.BakeSummary()
        >>> summary.add(lissom.BakeRecord("hero.glb", ".", "hero", "failed", message="hero.glb: no model"))
        >>> summary.faults
        {'no model': {'count': 1, 'first': 'hero.glb: no model'}}
        """
        status = "reused" if record.reused else record.status
        self.statuses[status] = self.statuses.get(status, 0) + 1
        if record.worker and not record.reused:
            done = self.workers.setdefault(record.worker, {"tasks": 0, "bytes": 0, "seconds": 0.0})
            done["tasks"] += 1
            done["bytes"] += 0 if record.report is None else record.report["file_bytes"]
            done["seconds"] += record.seconds
        if record.message and not record.ok:
            kind = _kind_of(record)
            if kind not in self.faults and len(self.faults) >= MOST_FAULTS:
                kind = "others"
            fault = self.faults.setdefault(kind, {"count": 0, "first": record.message})
            fault["count"] += 1

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, ready for JSON.

        Returns
        -------
        dict
            ``statuses``, ``workers``, ``faults``, and of the workers the ``tasks``, ``bytes`` and ``seconds``
            of all.

        Examples
        --------
        >>> lissom.BakeSummary().to_dict()["tasks"]
        0
        """
        totals: Counter[str] = Counter({"tasks": 0, "bytes": 0, "seconds": 0})
        for done in self.workers.values():
            totals.update(done)
        workers = {name: {**done} for name, done in sorted(self.workers.items())}
        faults = {name: {**fault} for name, fault in self.faults.items()}
        return {"statuses": {**self.statuses}, **totals, "workers": workers, "faults": faults}

    def __str__(self) -> str:
        counts = ", ".join(f"{count:,} {status}" for status, count in self.statuses.items()) or "no records"
        faults = (f"{fault['count']:,} x {fault['first']}" for fault in self.faults.values())
        return "\n".join([counts, *worker_lines(self), *faults])


def worker_lines(summary: BakeSummary) -> list[str]:
    """Return the table of what each worker did, and all of them; nothing where none did anything."""
    if not summary.workers:
        return []
    facts = summary.to_dict()
    width = max(map(len, [*summary.workers, "worker"]))
    rows = {**facts["workers"], **({"all": facts} if len(summary.workers) > 1 else {})}
    return [
        f"{'worker':<{width}}  {'tasks':>9}  {'MB':>10}  {'seconds':>10}",
        *(
            f"{name:<{width}}  {n['tasks']:>9,}  {n['bytes'] / 1e6:>10,.1f}  {n['seconds']:>10,.1f}"
            for name, n in rows.items()
        ),
    ]


def _kind_of(record: Record) -> str:
    """Return what the message of a record has in common with others of its kind: not names, not numbers."""
    text = record.message.replace(f"{record.source}: ", "").replace(record.source, "...")
    return re.sub(r"'[^']*'|\"[^\"]*\"|\w*\d[\w.]*", "...", text)[:120]
