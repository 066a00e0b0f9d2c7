# SPDX-License-Identifier: MIT
"""What the jobs of one kind write, and how that is called."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

__all__ = ["Kind", "Status"]

Status = Literal["baked", "exported", "retargeted", "no clips", "failed", "unfinished"]


@dataclass(frozen=True)
class Kind:
    """One kind of jobs.

    Attributes
    ----------
    suffix : str
        Of the files that jobs write; empty where they write folders.
    done : Status
        Of a job that wrote its file.
    participle : str
        What was done to a source: it "changed while it was baked".
    record : str
        Format of records.
    manifest : str
        Name of the manifest of a folder, before ``.json``, and in it of the list of its files.
    listed : tuple of str
        Facts of reports that the manifest repeats.
    unused : tuple of str
        Subpackages that no byte of a file depends on.
    copied : str
        Folder of the package from which files are copied; empty for none.
    out_of_memory : str
        What to do then.
    """

    suffix: str
    done: Status
    participle: str
    record: str
    manifest: str
    listed: tuple[str, ...]
    unused: tuple[str, ...]
    out_of_memory: str
    copied: str = ""

    @property
    def writes_folders(self) -> bool:
        """Whether a job writes a folder, rather than a file."""
        return not self.suffix

    def record_path(self, made: Path) -> Path:
        """Return the path of the record of a file or folder, which is beside it."""
        return made.with_name(f"{made.name}.json") if self.writes_folders else made.with_suffix(".json")

    @property
    def manifest_file(self) -> str:
        """Name of the manifest's file."""
        return f"{self.manifest}.json"
