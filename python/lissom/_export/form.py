# SPDX-License-Identifier: MIT
"""The forms of exports: what each writes, and how its engine plays it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from typing import Any, ClassVar, Protocol

from lissom._base.numbers import whole_number
from lissom._export.axes import Axes
from lissom._export.played import Played
from lissom._export.subject import Subject

__all__ = ["Form", "check_count", "options_of"]

MOST_CHARACTERS = 100_000
"""Characters of a page or a scene: the browser or the engine that opens it makes them all."""


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


def check_count(value: object) -> None:
    """Refuse what is no number of characters, or more than a page or a scene opens."""
    if whole_number(value, "export: count", least=1) > MOST_CHARACTERS:
        raise ValueError(
            f"export: count must be at most {MOST_CHARACTERS}, got {value}; put further crowds into a scene "
            "of your own"
        )


def options_of(form: type[Any]) -> tuple[str, ...]:
    """Return the names of a form's options."""
    return tuple(field.name for field in fields(form))
