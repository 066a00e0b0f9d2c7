# SPDX-License-Identifier: MIT
"""Calls of the command that need no parser: what a script calls for each of many files.

The library that parses options takes longer to import than ``lissom info hero.glb`` takes to run. A call of
a command, files and ``--json`` alone means the same with and without it; all others, right or wrong, are its.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

__all__ = ["plain_call"]


def plain_call(arguments: Sequence[str]) -> Callable[[], int] | None:
    """Return the work of a plain call, which returns its exit code; None where the call needs the parser.

    Parameters
    ----------
    arguments : sequence of str
        Without the program's name.
    """
    # On Windows the parser also expands patterns; for completions shells call it by an environment variable.
    if os.name == "nt" or "_LISSOM_COMPLETE" in os.environ or not arguments:
        return None
    command, *rest = arguments
    if command == "--version" and not rest:
        return _version
    files = [one for one in rest if one != "--json"]
    as_json = len(files) < len(rest)
    if not files or any(file.startswith("-") for file in files):
        return None
    if command == "info" and len(files) == 1:
        return lambda: _info(files[0], as_json)
    if command == "view" and len(rest) == 1:
        return lambda: _view(files[0])
    if command == "validate":
        return lambda: _validate(files, as_json)
    return None


def _version() -> int:
    from lissom import __version__

    print(f"lissom {__version__}")
    return 0


def _info(file: str, as_json: bool) -> int:
    from lissom._jobs.sources import sample_meant
    from lissom.cli.info import info

    info(sample_meant(file), None, None, as_json)
    return 0


def _validate(files: list[str], as_json: bool) -> int:
    from lissom._jobs.sources import sample_meant
    from lissom.cli.validate import validate

    return 0 if validate([sample_meant(file) for file in files], False, as_json) else 1


def _view(file: str) -> int:
    from lissom._jobs.sources import sample_meant
    from lissom.cli.view import view

    view(sample_meant(file))
    return 0
