# SPDX-License-Identifier: MIT
"""One file to bake and to export for another engine: its source, its options and its folder."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

from lissom._jobs.bake_job import BakeJob
from lissom._jobs.job import Job
from lissom._jobs.kind import Kind, Status

__all__ = ["EXPORTS", "ExportJob"]

EXPORTS = Kind(
    suffix="",
    done="exported",
    participle="exported",
    record="lissom.export_record",
    manifest="exports",
    listed=("form", "file_bytes", "max_relative"),
    unused=(
        "_crowd", "_notebook", "_pictures", "_playground", "_retarget", "_sketch", "_verify", "_view",
        "cli", "gpu", "ik", "metrics", "player", "plots", "testing", "weights",
    ),
    out_of_memory="export fewer files at a time, or at a lower rate",
    copied="packages",
)  # fmt: skip


@dataclasses.dataclass(frozen=True)
class ExportJob(BakeJob):
    """One file whose clips are baked, and exported as a folder.

    Attributes
    ----------
    form : str
        As for `PoseTexture.export`.
    vertex_rate : float, optional
        Frames per second of forms that hold vertices; those of the bake when omitted.
    form_options : dict
        Options of the form.
    keyed : bool
        Whether the folder is called ``NAME-KEY``, with a record beside it; else ``NAME``, and it is made anew
        each time.
    """

    form: str = ""
    vertex_rate: float | None = None
    form_options: dict[str, Any] = dataclasses.field(default_factory=dict)
    keyed: bool = True

    _kind: ClassVar[Kind] = EXPORTS

    @property
    def has_own_file_name(self) -> bool:
        return not self.keyed

    def path(self, key: str) -> Path:
        return super().path(key) if self.keyed else Path(self.output, self.title)

    def _record(self, status: Status, **facts: Any) -> Any:
        return Job._record(self, status, **facts)

    def _work(
        self, target: Path, progress: Callable[[int, int, str], None] | None = None
    ) -> dict[str, Any] | None:
        from lissom._jobs.export_work import export_to

        return export_to(self, target, progress)

    def _check_options(self) -> None:
        from lissom._export.export import form_of

        super()._check_options()
        if not self.include_mesh:
            raise ValueError("ExportJob: include_mesh must be True: exports have a mesh")
        try:
            form_of(self.form, self.form_options)
        except (TypeError, ValueError) as error:
            sentence = str(error).removeprefix("export: ")
            field = "form" if sentence.startswith("form: ") else "form_options"
            raise ValueError(f"ExportJob: {field} {sentence.removeprefix('form: ')}") from None
