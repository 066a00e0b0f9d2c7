# SPDX-License-Identifier: MIT
"""The forms of exports: what each writes, and how its engine plays it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar, Protocol

from lissom._export.axes import Axes
from lissom._export.played import Played
from lissom._export.subject import Subject

__all__ = ["Form", "options_of"]


class Form(Protocol):
    """A form, and its options as fields: a frozen dataclass that refuses wrong ones when it is made."""

    name: ClassVar[str]
    axes: ClassVar[Axes]
    for_whom: ClassVar[str]

    def write(self, folder: Path, name: str, subject: Subject) -> None:
        """Write all files; ValueError where the form cannot hold the subject, before it writes the first."""

    def read(self, folder: Path, name: str, subject: Subject, clip: str) -> Played:
        """Read a clip back as the engine plays it, from the files alone."""

    def readme(self, name: str, subject: Subject) -> str:
        """Say in Markdown how the engine opens the files."""


def options_of(form: type[Any]) -> tuple[str, ...]:
    """Return the names of a form's options."""
    return tuple(field.name for field in fields(form))
