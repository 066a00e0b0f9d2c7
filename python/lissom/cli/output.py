# SPDX-License-Identifier: MIT
"""Output of the commands: results to stdout, progress and errors to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

from rich.console import Console
from rich.table import Table
from rich.text import Text

from lissom._base.printable import printable
from lissom._formats.faults import folder_fault, os_reason

if TYPE_CHECKING:
    from rich.progress import Progress

__all__ = [
    "Line",
    "ProgressCall",
    "json_text",
    "misuse",
    "progress",
    "require_file",
    "require_film",
    "require_folder",
    "require_picture",
    "say",
    "sentence",
    "stdout",
    "table",
    "write_json",
]

_PIPE_WIDTH = 160  # columns of a file or a pipe, which have no width of their own


class Line(Text):
    """A line for the console, or a part of one: what names of files hold is shown, and not obeyed."""

    def __init__(self, text: str = "", *arguments: Any, **options: Any) -> None:
        super().__init__(printable(text), *arguments, **options)

    def append(self, text: Text | str, style: Any = None) -> Self:
        """Append a text."""
        super().append(printable(text) if isinstance(text, str) else text, style)
        return self


def stdout() -> Console:
    """Return a console on the current ``sys.stdout``."""
    return Console(file=sys.stdout, width=None if sys.stdout.isatty() else _PIPE_WIDTH, highlight=False)


def say(sentence: str) -> None:
    """Write one sentence to stderr."""
    sys.stderr.write(f"lissom: {printable(sentence)}\n")


def sentence(error: BaseException) -> str:
    """Return the message of an error, after the path of the file that it is about."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {os_reason(error)}"
    return str(error) or type(error).__name__


def misuse(option: str, reason: str) -> NoReturn:
    """Raise the error of a wrong option, which ends the command with exit code 2."""
    import typer  # which a plain call does without

    raise typer.BadParameter(printable(reason), param_hint=f"'{option}'")


def require_folder(option: str, folder: Path) -> None:
    """Refuse a folder that cannot be written into, before any work is done."""
    fault = folder_fault(folder)
    if fault is not None:
        raise ValueError(f"{option}: {fault}")


def require_file(option: str, path: Path) -> None:
    """Refuse a file that cannot be written, its folder included, before any work is done."""
    if path.is_dir():
        raise ValueError(f"{option}: {path}: must be the name of a file, got a folder")
    require_folder(option, path.parent)


def require_film(
    option: str,
    path: Path,
    width: int,
    height: int,
    rate: float,
    codec: str | None = None,
    channels: int = 3,
) -> None:
    """Refuse a film that cannot be written, before any work is done."""
    from lissom._formats.films.endings import check_film

    check_film(option, path.name, codec, width, height, rate, channels)


def require_picture(option: str, path: Path, width: int, height: int, channels: int = 3) -> None:
    """Refuse a picture that cannot be written, before any work is done."""
    from lissom._formats.picture_files import check_picture_name

    check_picture_name(option, path.name, (height, width, channels))


def write_json(value: object) -> None:
    """Write one JSON document to stdout."""
    sys.stdout.write(json_text(value))


def json_text(value: object) -> str:
    """Return a JSON document; NumPy values and paths become plain values."""
    return json.dumps(value, indent=2, default=_plain) + "\n"


class _Rows(Table):
    """A table whose cells are lines."""

    def add_row(self, *cells: Any, **options: Any) -> None:
        super().add_row(*(Line(cell) if isinstance(cell, str) else cell for cell in cells), **options)


def table(*columns: str, title: str | None = None) -> Table:
    """Return a table whose columns are right-aligned except the first."""
    result = _Rows(title=title, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for i, column in enumerate(columns):
        result.add_column(column, justify="right" if i else "left", no_wrap=True)
    return result


class ProgressCall:
    """The library's callback ``progress(done, total, label)``, drawn as one bar."""

    def __init__(self, bars: Progress) -> None:
        self._bars = bars
        self._task = bars.add_task("", total=None)

    def __call__(self, done: int, total: int, label: str = "") -> None:
        """Set the bar to ``done`` of ``total``."""
        self._bars.update(self._task, completed=done, total=total, description=printable(label))


@contextmanager
def progress() -> Iterator[ProgressCall]:
    """Show a progress bar on stderr inside the block; nothing where stderr is not a terminal."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(file=sys.stderr)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:
        yield ProgressCall(bars)


def _plain(value: Any) -> object:
    if isinstance(value, Path):
        return str(value)
    if hasattr(value, "tolist"):  # NumPy scalars and arrays
        return value.tolist()
    raise TypeError(f"{type(value).__name__} has no JSON form")
